#include "admin/store_console.h"
#include "tests/support/engine_fixture.h"

#include <QFile>
#include <QTest>
#include <csignal>

using namespace sendoff;
using namespace sendoff::admin;
using sendoff::test::EngineFixture;
using sendoff::test::TestDatabase;

// People's operations against the built program over real sockets.
class tst_operations_engine : public QObject
{
    Q_OBJECT

    static constexpr int patience = 60'000;

    static OperationRequest requestOf(const char *verb, const QString &filter)
    {
        OperationRequest request;
        request.verb = QLatin1String(verb);
        request.filter = *Filter::parse(filter);
        request.actor = QStringLiteral("ana");
        request.armed = Milliseconds(0);
        return request;
    }

    static OperationRequest controlOf(const char *verb, const char *kind, const char *target = "")
    {
        OperationRequest request;
        request.verb = QLatin1String(verb);
        request.parameters.targetKind = QLatin1String(kind);
        request.parameters.target = QLatin1String(target);
        request.actor = QStringLiteral("ana");
        return request;
    }

    static qint64 submitted(Console &console, const OperationRequest &request)
    {
        const auto operation = console.submit(request);
        if (!operation)
            qFatal("%s", qPrintable(operation.error().message));
        return operation->id;
    }

    // Waits until an operation has the state.
    static void waitFor(EngineFixture &fixture, qint64 operation, const char *state)
    {
        QTRY_COMPARE_WITH_TIMEOUT(
            fixture.database().text("SELECT state FROM sendoff_operation WHERE id = ?", {operation}),
            QString::fromLatin1(state), patience);
    }

    // So many deliveries that their provider has refused for good.
    static void makeDead(EngineFixture &fixture, int count)
    {
        QVERIFY(fixture.sandbox().setScript("[{\"action\": {\"status\": 422}}]").ok());
        fixture.emitEvents(count);
        auto engine = fixture.start({QStringLiteral("run"), QStringLiteral("--until-idle")});
        QCOMPARE(fixture.ended(*engine), 0);
        QCOMPARE(fixture.countState("dead"), count);
        QVERIFY(fixture.sandbox().setScript("[]").ok());
        fixture.sandbox().reset();
    }

private Q_SLOTS:
    void initTestCase_data() { test::addStoreRows(); }

    void init()
    {
        if (!TestDatabase::isAvailable(test::fetchKind())) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must give a PostgreSQL in SENDOFF_TEST_PG");
            QSKIP("no PostgreSQL: set SENDOFF_TEST_PG");
        }
    }

    void aKilledEnginesOperationGoesOnAndEveryRowIsSentOnce()
    {
        EngineFixture fixture(test::fetchKind());
        makeDead(fixture, 600);
        const auto console = makeStoreConsole(fixture.database().connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 20;
        request.stopAtFailures = 100; // stays close to what it has given back
        const qint64 operation = submitted(*console, request);
        auto doomed = fixture.start();
        const auto doneCount = [&] {
            return fixture.database().number("SELECT done_count FROM sendoff_operation WHERE id = ?", {operation});
        };
        QTRY_VERIFY_WITH_TIMEOUT(doneCount() >= 200, patience);
        doomed->kill();
        QCOMPARE(fixture.ended(*doomed), -1);
        QVERIFY(doneCount() < 600);
        QVERIFY(console->setOperationRate(operation, 1'000).ok());
        auto engine = fixture.start();
        waitFor(fixture, operation, "done");
        fixture.database().run("UPDATE sendoff_delivery_hot SET due_at = $now WHERE state = 'scheduled'");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 600, 2 * patience);
        QTRY_VERIFY_WITH_TIMEOUT(console->operation(operation)->isTallied, patience);
        const auto ended = console->operation(operation);
        QCOMPARE(ended->done, 600);
        QCOMPARE(ended->accepted, 600);
        QCOMPARE(ended->failed, 0);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_operation_item"), 600);
        QCOMPARE(fixture.sandbox().stats().accepted, 600);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void aPauseHoldsBackAndAResumeLetsGo()
    {
        EngineFixture fixture(test::fetchKind());
        const auto console = makeStoreConsole(fixture.database().connect());
        auto engine = fixture.start();
        fixture.waitUntilRegistered(*engine);
        const qint64 pause = submitted(*console, controlOf("pause", "lane", "normal"));
        waitFor(fixture, pause, "done");
        fixture.emitEvents(20, "note");
        fixture.emitEvents(5, "alert"); // another lane
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 5, patience);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("ready"), 20, patience);
        QCOMPARE(fixture.database().number("SELECT max(claims) FROM sendoff_delivery_hot"), 0);
        QCOMPARE(fixture.sandbox().stats().requests, 5);
        submitted(*console, controlOf("resume", "lane", "normal"));
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 25, patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void aStartingEngineHeedsAPauseBeforeItsFirstClaim_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("target");
        QTest::newRow("all") << QByteArray("all") << QByteArray();
        QTest::newRow("channel") << QByteArray("channel") << QByteArray("email");
    }

    void aStartingEngineHeedsAPauseBeforeItsFirstClaim()
    {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, target);
        EngineFixture fixture(test::fetchKind());
        const auto console = makeStoreConsole(fixture.database().connect());
        fixture.emitEvents(30);
        const qint64 pause = submitted(*console, controlOf("pause", kind.constData(), target.constData()));
        QCOMPARE(console->operation(pause)->state, QStringLiteral("armed")); // nobody is there to do it
        auto engine = fixture.start({QStringLiteral("run"), QStringLiteral("--until-idle")});
        QCOMPARE(fixture.ended(*engine), 0); // what is paused keeps nobody
        QCOMPARE(console->operation(pause)->state, QStringLiteral("done"));
        QCOMPARE(fixture.countState("ready"), 30);
        QCOMPARE(fixture.sandbox().stats().requests, 0);
        QCOMPARE(fixture.database().number("SELECT max(claims) FROM sendoff_delivery_hot"), 0);
    }

    void aPauseThatEndsByItselfLetsGo()
    {
        EngineFixture fixture(test::fetchKind());
        const auto console = makeStoreConsole(fixture.database().connect());
        OperationRequest request = controlOf("pause", "all");
        request.parameters.duration = Milliseconds(3'000);
        submitted(*console, request);
        auto engine = fixture.start();
        fixture.emitEvents(3);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 3, patience);
        QVERIFY(fixture.database().number("SELECT count(*) FROM sendoff_attempt a WHERE a.started_at < "
                                          "(SELECT until FROM sendoff_pause)") == 0);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void anEditedDeliveryGoesToItsNewAddress()
    {
        EngineFixture fixture(test::fetchKind());
        makeDead(fixture, 2);
        const auto console = makeStoreConsole(fixture.database().connect());
        const QString parent = fixture.database().text("SELECT id FROM sendoff_delivery ORDER BY id LIMIT 1");
        OperationRequest request = requestOf("edit", QStringLiteral("id:") + parent);
        request.parameters.address = QStringLiteral("second@example.org");
        request.parameters.payloadPatch = "{\"n\":\"seventy\"}";
        const qint64 operation = submitted(*console, request);
        auto engine = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        QTRY_VERIFY_WITH_TIMEOUT(console->operation(operation)->isTallied, patience);
        QCOMPARE(console->operation(operation)->accepted, 1);
        QCOMPARE(fixture.sandbox().stats().accepted, 1);
        const auto messages = fixture.sandbox().messages();
        QCOMPARE(messages.size(), 1U);
        QCOMPARE(messages.front().to, QStringLiteral("second@example.org"));
        QCOMPARE(messages.front().subject, QStringLiteral("Note seventy"));
        QCOMPARE(fixture.countState("superseded"), 1);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.database().number("SELECT count(*) FROM sendoff_edit"), 0, patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void aRetryThatFailsAgainStopsByItself()
    {
        EngineFixture fixture(test::fetchKind());
        makeDead(fixture, 450);
        QVERIFY(fixture.sandbox().setScript("[{\"action\": {\"status\": 422}}]").ok());
        const auto console = makeStoreConsole(fixture.database().connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 10;
        request.stopAtFailures = 50;
        const qint64 operation = submitted(*console, request);
        auto engine = fixture.start();
        waitFor(fixture, operation, "stopped");
        const auto stopped = console->operation(operation);
        QVERIFY2(stopped->detail.startsWith(QStringLiteral("stopped by itself:")), qPrintable(stopped->detail));
        QVERIFY(stopped->failed >= 20);
        QVERIFY(stopped->done < 450);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void anEngineWithAWrongClockGivesRowsBackByTheStoresClock()
    {
        if (test::fetchKind() == store::StoreUrl::Kind::Sqlite)
            QSKIP("SQLite's clock is its process's: one host, one clock");
        const QString library = QStringLiteral("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");
        if (!QFile::exists(library)) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must have libfaketime");
            QSKIP("no libfaketime: install faketime");
        }
        EngineFixture fixture(test::fetchKind());
        makeDead(fixture, 50);
        const auto console = makeStoreConsole(fixture.database().connect());
        const qint64 operation = submitted(*console, requestOf("retry", QStringLiteral("state:dead")));
        auto engine = fixture.start({QStringLiteral("run")}, {QStringLiteral("LD_PRELOAD=") + library,
                                                              QStringLiteral("FAKETIME_DONT_FAKE_MONOTONIC=1"),
                                                              QStringLiteral("FAKETIME=+7200s")});
        waitFor(fixture, operation, "done");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 50, patience);
        QCOMPARE(
            fixture.database().number("SELECT count(*) FROM sendoff_delivery_history WHERE due_at > $now_plus(1000)"),
            0);
        QTRY_COMPARE_WITH_TIMEOUT(console->operation(operation)->accepted, 50, patience);
        ::kill(pid_t(engine->processId()), SIGTERM);
        QCOMPARE(fixture.ended(*engine), 0);
    }
};

QTEST_GUILESS_MAIN(tst_operations_engine)
#include "tst_operations_engine.moc"
