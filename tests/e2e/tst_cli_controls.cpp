// People's commands and questions while an engine works, on both databases, with the sandbox as the provider.
#include "tests/e2e/program.h"
#include "tests/support/engine_fixture.h"

using namespace sendoff;
using namespace sendoff::test;

namespace {

constexpr int patience = 60'000;

QStringList words(const char *line)
{
    return QString::fromUtf8(line).split(u' ', Qt::SkipEmptyParts);
}

Answer ask(EngineFixture &fixture, const QStringList &arguments, const QByteArray &input = {})
{
    const auto process = fixture.start(arguments);
    process->write(input);
    process->closeWriteChannel();
    return Program::finish(*process);
}

Answer ask(EngineFixture &fixture, const char *line, const QByteArray &input = {})
{
    return ask(fixture, words(line), input);
}

} // namespace

class TestCliControls : public QObject
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

    void provider_pausedSendsNothingUntilItIsResumed()
    {
        EngineFixture fixture(test::fetchKind());
        auto engine = fixture.start();
        fixture.waitUntilRegistered(*engine);
        const Answer paused = ask(fixture, "provider pause resend --for 1h --reason maintenance");
        COMPARE_CODE(paused, 0);
        QVERIFY2(paused.out.contains("resend is paused until "), paused.out);
        fixture.emitEvents(3);
        fixture.emitEvents(1, "memo"); // the inbox goes on, so its delivery tells that the engine had its turn
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("delivered"), 1, patience);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("ready"), 3, patience);
        QCOMPARE(fixture.sandbox().stats().requests, 0);
        const Answer shown = ask(fixture, "provider show resend --json");
        COMPARE_CODE(shown, 0);
        QCOMPARE(shown.json()[QStringLiteral("paused")].toBool(), true);
        QCOMPARE(shown.json()[QStringLiteral("pause_reason")].toString(), QStringLiteral("maintenance"));
        QVERIFY(ask(fixture, "status").out.contains("paused"));

        const Answer resumed = ask(fixture, "provider resume resend --json");
        COMPARE_CODE(resumed, 0);
        QCOMPARE(resumed.json()[QStringLiteral("state")].toString(), QStringLiteral("done"));
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 3, patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void lane_pausedLeavesTheOthersAlone()
    {
        EngineFixture fixture(test::fetchKind());
        auto engine = fixture.start();
        fixture.waitUntilRegistered(*engine);
        COMPARE_CODE(ask(fixture, "pause --lane urgent --reason flood"), 0);
        fixture.emitEvents(2, "alert");
        fixture.emitEvents(2, "note");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 2, patience);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("ready"), 2, patience);
        const QJsonArray pauses = ask(fixture, "status --json").json()[QStringLiteral("pauses")].toArray();
        QCOMPARE(pauses.size(), 1);
        QCOMPARE(pauses[0].toObject()[QStringLiteral("name")].toString(), QStringLiteral("urgent"));
        COMPARE_CODE(ask(fixture, "resume --lane urgent"), 0);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 4, patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void quota_ofAPersonStandsForItsTime()
    {
        EngineFixture fixture(test::fetchKind());
        auto engine = fixture.start();
        fixture.waitUntilRegistered(*engine);
        const Answer limited = ask(fixture, "provider quota resend 2.5/s --for 1h");
        COMPARE_CODE(limited, 0);
        QVERIFY2(limited.out.contains("resend is limited to 2.5/s until "), limited.out);
        QCOMPARE(ask(fixture, "provider show resend --json").json()[QStringLiteral("override_per_second")].toDouble(),
                 2.5);
        COMPARE_CODE(ask(fixture, "provider quota nobody 1/s --for 1h"), 2);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void retryAndWait_tellsWhatWasAcceptedAndWhatFailedAgain()
    {
        EngineFixture fixture(test::fetchKind());
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"status": 422}}])").ok());
        auto engine = fixture.start();
        fixture.emitEvents(3);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("dead"), 3, patience);
        QVERIFY(fixture.sandbox()
                    .setScript(R"([{"match": {"to": "reader1@example.com"}, "action": {"status": 422}}])")
                    .ok());
        const Answer retried = ask(fixture, "retry --state dead --reason mended --now --wait 60s --json");
        COMPARE_CODE(retried, 1); // one failed again
        QCOMPARE(retried.json()[QStringLiteral("state")].toString(), QStringLiteral("done"));
        QCOMPARE(retried.json()[QStringLiteral("done")].toInt(), 3);
        QCOMPARE(retried.json()[QStringLiteral("accepted")].toInt(), 2);
        QCOMPARE(retried.json()[QStringLiteral("failed")].toInt(), 1);
        const QString id = QString::number(retried.json()[QStringLiteral("id")].toInteger());
        const Answer failed = ask(fixture, {QStringLiteral("operation"), id, QStringLiteral("--result"),
                                            QStringLiteral("failed"), QStringLiteral("--json")});
        COMPARE_CODE(failed, 0);
        QCOMPARE(failed.json()[QStringLiteral("items")].toArray().size(), 1);
        const Answer text = ask(fixture, {QStringLiteral("operation"), id});
        QVERIFY2(text.out.contains("2 accepted by their provider, 1 failed again"), text.out);

        QVERIFY(fixture.sandbox().setScript("[]").ok());
        const Answer rest = ask(fixture, "retry --state dead --now --wait 60s");
        COMPARE_CODE(rest, 0);
        QVERIFY2(rest.out.contains("1 done") && rest.out.contains("1 accepted"), rest.out);
        QCOMPARE(fixture.countState("accepted"), 3);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void edit_sendsACopyToTheRightAddressAndPersonTellsBoth()
    {
        EngineFixture fixture(test::fetchKind());
        QVERIFY(fixture.sandbox()
                    .setScript(R"([{"match": {"to": "reader0@example.com"}, "action": {"status": 422}}])")
                    .ok());
        auto engine = fixture.start();
        fixture.emitEvents(1);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("dead"), 1, patience);
        const QString dead = fixture.database().text("SELECT id FROM sendoff_delivery");
        const Answer edited =
            ask(fixture,
                {QStringLiteral("edit"), dead, QStringLiteral("--address-stdin"), QStringLiteral("--reason"),
                 QStringLiteral("typo"), QStringLiteral("--now"), QStringLiteral("--wait"), QStringLiteral("60s")},
                "right@example.com\n");
        COMPARE_CODE(edited, 0);
        QVERIFY(!edited.out.contains("right@example.com"));
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        QCOMPARE(fixture.countState("superseded"), 1);
        QCOMPARE(fixture.sandbox().messages().back().to, QStringLiteral("right@example.com"));
        const QString child = fixture.database().text("SELECT id FROM sendoff_delivery WHERE state = 'accepted'");
        const Answer shown =
            ask(fixture, {QStringLiteral("show"), QStringLiteral("delivery"), child, QStringLiteral("--json")});
        QCOMPARE(shown.json()[QStringLiteral("parent_id")].toString(), dead);

        const Answer person = ask(fixture, "person e0");
        COMPARE_CODE(person, 0);
        for (const QByteArray &part : {dead.toUtf8(), child.toUtf8(), QByteArray("superseded"), QByteArray("accepted")})
            QVERIFY2(person.out.contains(part), person.out);
        const Answer byAddress = ask(fixture, "person right@example.com --json");
        COMPARE_CODE(byAddress, 0);
        QCOMPARE(byAddress.json()[QStringLiteral("found_by")].toString(), QStringLiteral("address"));
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void reschedule_movesWhatWaitsToNow()
    {
        EngineFixture fixture(test::fetchKind());
        auto engine = fixture.start();
        const auto emitted =
            ask(fixture, "emit note --payload - --at +1h --expires +2h", R"({"n":1,"to":"a@example.com"})");
        COMPARE_CODE(emitted, 0);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("scheduled"), 1, patience);
        const QJsonArray due =
            ask(fixture, "forecast --minutes 120 --json").json()[QStringLiteral("due_by_minute")].toArray();
        qint64 sum = 0;
        for (const QJsonValue &each : due)
            sum += each.toInteger();
        QCOMPARE(sum, 1);
        COMPARE_CODE(ask(fixture, "reschedule --state scheduled --in 1s --now --wait 60s"), 0);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void note_isSeenWhereItsObjectIs()
    {
        EngineFixture fixture(test::fetchKind());
        auto engine = fixture.start();
        fixture.waitUntilRegistered(*engine);
        COMPARE_CODE(ask(fixture, {QStringLiteral("note"), QStringLiteral("provider"), QStringLiteral("resend"),
                                   QStringLiteral("Ana called them")}),
                     0);
        QTRY_VERIFY_WITH_TIMEOUT(ask(fixture, "provider show resend").out.contains("Ana called them"), patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }
};

QTEST_GUILESS_MAIN(TestCliControls)
#include "tst_cli_controls.moc"
