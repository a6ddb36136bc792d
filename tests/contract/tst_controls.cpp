#include "admin/operation_executor.h"
#include "admin/store_console.h"
#include "store/delivery_queue.h"
#include "store/operation_store.h"
#include "store/pause_store.h"
#include "store/provider_quota.h"
#include "tests/support/store_rows.h"
#include "tests/support/test_database.h"

#include <QTest>

using namespace sendoff;
using namespace sendoff::admin;
using sendoff::test::insertDelivery;
using sendoff::test::RowSpec;
using sendoff::test::TestDatabase;

namespace {

OperationRequest controlOf(const char *verb, const char *kind, const char *target = "")
{
    OperationRequest request;
    request.verb = QLatin1String(verb);
    request.parameters.targetKind = QLatin1String(kind);
    request.parameters.target = QLatin1String(target);
    request.actor = QStringLiteral("ana");
    request.reason = QStringLiteral("incident 12");
    return request;
}

void declare(TestDatabase &store, double ratePerSecond = 0, int burst = 1)
{
    const auto done = store::declareProviders(store.database(), {{QStringLiteral("resend"), QStringLiteral("resend"),
                                                                  Channel::Email, 1, ratePerSecond, burst}});
    if (!done)
        qFatal("%s", qPrintable(done.error().message));
}

// Stores and runs one; answers its record.
OperationRecord ran(TestDatabase &store, Console &console, const OperationRequest &request)
{
    const auto operation = console.submit(request);
    if (!operation)
        qFatal("%s", qPrintable(operation.error().message));
    OperationExecutor executor;
    const auto done = executor.runOnce(store.database());
    if (!done)
        qFatal("%s", qPrintable(done.error().message));
    return *console.operation(operation->id);
}

} // namespace

class tst_controls : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { test::addStoreRows(); }

    void init()
    {
        if (!TestDatabase::isAvailable(test::fetchKind())) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must give a PostgreSQL in SENDOFF_TEST_PG");
            QSKIP("no PostgreSQL: set SENDOFF_TEST_PG");
        }
    }

    void aPauseStandsUntilItIsResumed_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<QString>("name");
        QTest::newRow("provider") << QByteArray("provider") << QByteArray("resend") << "resend";
        QTest::newRow("lane") << QByteArray("lane") << QByteArray("normal") << "lane normal";
        QTest::newRow("channel") << QByteArray("channel") << QByteArray("email") << "channel email";
        QTest::newRow("all") << QByteArray("all") << QByteArray("") << "everything";
    }

    void aPauseStandsUntilItIsResumed()
    {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, target);
        QFETCH(QString, name);
        TestDatabase store(test::fetchKind());
        declare(store);
        insertDelivery(store, RowSpec());
        const QStringList providers{QStringLiteral("resend")};
        const auto console = makeStoreConsole(store.connect());
        QVERIFY(*store::hasRunnableDeliveries(store.database(), providers));
        const OperationRecord paused = ran(store, *console, controlOf("pause", kind.constData(), target.constData()));
        QCOMPARE(paused.state, QStringLiteral("done"));
        QCOMPARE(paused.detail, name + QStringLiteral(" paused until a person resumes it"));
        QVERIFY(paused.isTallied);
        QCOMPARE(paused.filter, QString());
        const auto parts = store::pausedParts(store.database());
        QVERIFY(!parts->isEmpty() && !parts->untilNextEnd);
        QVERIFY(parts->holds(QStringLiteral("resend"), Channel::Email) || parts->holds(Lane::Normal));
        QCOMPARE(parts->holds(Lane::Urgent), kind == "all");
        QCOMPARE(parts->holds(QString(), Channel::Inbox), kind == "all");
        QVERIFY(!*store::hasRunnableDeliveries(store.database(), providers));
        if (kind != "provider") {
            const auto pauses = store::activePauses(store.database());
            QCOMPARE(pauses->size(), 1U);
            QCOMPARE(pauses->front().kind, QString::fromLatin1(kind));
            QCOMPARE(pauses->front().reason, QStringLiteral("incident 12"));
            QVERIFY(store.database().isPostgreSql() || pauses->front().actor == QStringLiteral("ana"));
        }
        const OperationRecord resumed = ran(store, *console, controlOf("resume", kind.constData(), target.constData()));
        QCOMPARE(resumed.detail, name + QStringLiteral(" resumed"));
        QVERIFY(store::pausedParts(store.database())->isEmpty());
        QVERIFY(*store::hasRunnableDeliveries(store.database(), providers));
        QCOMPARE(ran(store, *console, controlOf("resume", kind.constData(), target.constData())).detail,
                 name + QStringLiteral(" was not paused"));
    }

    void aPauseWithADurationEndsByItself()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        const auto console = makeStoreConsole(store.connect());
        for (const auto &[kind, target] : {std::pair("provider", "resend"), std::pair("lane", "bulk")}) {
            OperationRequest request = controlOf("pause", kind, target);
            request.parameters.duration = Milliseconds(3'600'000);
            const OperationRecord paused = ran(store, *console, request);
            QVERIFY2(paused.detail.contains(QStringLiteral(" paused until 2")) &&
                         paused.detail.endsWith(QStringLiteral("UTC")),
                     qPrintable(paused.detail));
        }
        const auto parts = store::pausedParts(store.database());
        QVERIFY(parts->holds(QStringLiteral("resend"), Channel::Email) && parts->holds(Lane::Bulk));
        QVERIFY(parts->untilNextEnd && *parts->untilNextEnd > Milliseconds(3'000'000));
        store.run("UPDATE sendoff_pause SET until = $now_plus(-1)");
        store.run("UPDATE sendoff_provider SET paused_until = $now_plus(-1)");
        QVERIFY(store::pausedParts(store.database())->isEmpty());
        QVERIFY(store::activePauses(store.database())->empty());
        QCOMPARE(store::takeQuota(store.database(), QStringLiteral("resend"), 5, 0)->granted, 5);
        // Said again, the newest word holds.
        ran(store, *console, controlOf("pause", "lane", "bulk"));
        QVERIFY(!store::activePauses(store.database())->front().until);
    }

    void resumeSaysWhatIsStillPaused()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        const auto console = makeStoreConsole(store.connect());
        ran(store, *console, controlOf("pause", "lane", "bulk"));
        ran(store, *console, controlOf("pause", "provider", "resend"));
        ran(store, *console, controlOf("pause", "all"));
        QCOMPARE(ran(store, *console, controlOf("resume", "all")).detail,
                 QStringLiteral("everything resumed; still paused: lane bulk, resend"));
    }

    void aLowerQuotaHoldsForItsTimeAndFromItsFirstSecond()
    {
        TestDatabase store(test::fetchKind());
        declare(store, 1'000, 500);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = controlOf("quota", "provider", "resend");
        request.parameters.perSecond = 2;
        const OperationRecord limited = ran(store, *console, request);
        QVERIFY2(limited.detail.startsWith(QStringLiteral("resend sends at most 2 a second until 2")),
                 qPrintable(limited.detail));
        const qint64 left = store.number("SELECT $ms(override_until) - $ms($now) FROM sendoff_provider");
        QVERIFY(left > 3'500'000 && left <= 3'600'000); // an hour, where nobody says how long
        const auto grant = store::takeQuota(store.database(), QStringLiteral("resend"), 100, 0);
        QCOMPARE(grant->granted, 2); // the bucket's burst is that of the lower limit too
        QVERIFY(grant->wait > Milliseconds(0));
        store.run("UPDATE sendoff_provider SET override_until = $now_plus(-1), tat_us = 0");
        QCOMPARE(store::takeQuota(store.database(), QStringLiteral("resend"), 100, 0)->granted, 100);
        request.parameters.duration = Milliseconds(60'000);
        ran(store, *console, request);
        QVERIFY(store.number("SELECT $ms(override_until) - $ms($now) FROM sendoff_provider") <= 60'000);
    }

    void theUrgentReserveLeavesALowQuotaUsable()
    {
        TestDatabase store(test::fetchKind());
        declare(store, 1'000, 500);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = controlOf("quota", "provider", "resend");
        request.parameters.perSecond = 10;
        ran(store, *console, request);
        QCOMPARE(store::takeQuota(store.database(), QStringLiteral("resend"), 100, 100)->granted, 8); // a fifth stays
    }

    void resetClosesTheBreakerAndTakesLimitsAway()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        QVERIFY(store::tripBreaker(store.database(), QStringLiteral("resend"), QStringLiteral("bad key")).ok());
        QVERIFY(store::throttleProvider(store.database(), QStringLiteral("resend"), Milliseconds(600'000)).ok());
        store.run("UPDATE sendoff_provider SET override_step_us = 1000000, override_until = $now_plus(600000)");
        QCOMPARE(store::takeQuota(store.database(), QStringLiteral("resend"), 5, 0)->granted, 0);
        const auto console = makeStoreConsole(store.connect());
        const OperationRecord done = ran(store, *console, controlOf("reset", "provider", "resend"));
        QCOMPARE(done.detail, QStringLiteral("resend: breaker closed, no throttle, its configured quota holds"));
        QCOMPARE(store::takeQuota(store.database(), QStringLiteral("resend"), 5, 0)->granted, 5);
        QCOMPARE(store.number("SELECT breaker_trips FROM sendoff_provider"), 0);
    }

    void notesAreKeptNewestFirst()
    {
        TestDatabase store(test::fetchKind());
        const auto console = makeStoreConsole(store.connect());
        for (const char *text : {"first", "second"}) {
            OperationRequest request = controlOf("note", "problem", "0123456789abcdef");
            request.parameters.text = QLatin1String(text);
            QCOMPARE(ran(store, *console, request).state, QStringLiteral("done"));
        }
        const auto notes = console->notes(QStringLiteral("problem"), QStringLiteral("0123456789abcdef"));
        QCOMPARE(notes->size(), 2U);
        QCOMPARE(notes->front().text, QStringLiteral("second"));
        QVERIFY(!notes->front().actor.isEmpty());
        QVERIFY(console->notes(QStringLiteral("user"), QStringLiteral("0123456789abcdef"))->empty());
    }

    void controlsRunBeforeOlderOperationsAndWithoutATimeToUndo()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        RowSpec dead;
        dead.state = DeliveryState::Dead;
        test::insertDeliveries(store, dead, QStringLiteral("d"), 3);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest retry;
        retry.verb = QStringLiteral("retry");
        retry.filter = *Filter::parse(QStringLiteral("state:dead"));
        retry.armed = Milliseconds(0);
        const auto older = console->submit(retry);
        OperationRequest request = controlOf("pause", "all");
        request.armed = Milliseconds(60'000); // does not count for it
        const auto pause = console->submit(request);
        QVERIFY2(older.ok() && pause.ok(), pause ? "" : qPrintable(pause.error().message));
        const auto open = store::openOperations(store.database());
        QCOMPARE(open->size(), 2U);
        QCOMPARE(open->front(), pause->id);
    }

    void whatCantBeMeantIsRefused()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        const auto console = makeStoreConsole(store.connect());
        const auto refuses = [&](const OperationRequest &request, const char *word) {
            const auto answer = console->submit(request);
            if (!answer && answer.error().code == ErrorCode::Invalid &&
                answer.error().message.contains(QLatin1String(word)))
                return true;
            qWarning("%s", answer ? "stored" : qPrintable(answer.error().message));
            return false;
        };
        QVERIFY(refuses(controlOf("pause", "provider", "nobody"), "known are: resend"));
        QVERIFY(refuses(controlOf("quota", "provider", "resend"), "per_second"));
        OperationRequest zero = controlOf("quota", "provider", "resend");
        zero.parameters.perSecond = 0;
        QVERIFY(refuses(zero, "pause the provider"));
        zero.parameters.perSecond = 5;
        zero.parameters.duration = Milliseconds(0);
        QVERIFY(refuses(zero, "duration"));
        QVERIFY(refuses(controlOf("quota", "lane", "bulk"), "provider"));
        QVERIFY(refuses(controlOf("pause", "lane", "slow"), "urgent, normal or bulk"));
        QVERIFY(refuses(controlOf("pause", "channel", "pigeon"), "webhook"));
        QVERIFY(refuses(controlOf("pause", "all", "resend"), "empty"));
        QVERIFY(refuses(controlOf("pause", "planet", "mars"), "target_kind"));
        QVERIFY(refuses(controlOf("note", "user", "u1"), "text"));
        OperationRequest filtered = controlOf("pause", "all");
        filtered.filter = *Filter::parse(QStringLiteral("state:dead"));
        QVERIFY(refuses(filtered, "filter"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);
    }

    void suspectsOfAPausedLaneAreNotClaimed()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        spec.lane = Lane::Bulk;
        insertDelivery(store, spec);
        store.run("UPDATE sendoff_delivery_hot SET losses = 1");
        store::ClaimRequest request;
        request.provider = QStringLiteral("resend");
        request.holder = QStringLiteral("engine");
        request.suspects = true;
        request.withoutLanes = {Lane::Bulk};
        QVERIFY(store::claim(store.database(), request)->empty());
        request.withoutLanes = {Lane::Urgent, Lane::Normal};
        QCOMPARE(store::claim(store.database(), request)->size(), 1U);
    }
};

QTEST_GUILESS_MAIN(tst_controls)
#include "tst_controls.moc"
