// The commands around a running engine: run, its drain, and what people's commands come to while one works.
#include "tests/e2e/cli_store.h"

using namespace sendoff::test;

namespace {

Answer emitNamed(const Program &program, const char *id, const QByteArray &payload)
{
    return program.run({QStringLiteral("emit"), QStringLiteral("greeting"), QStringLiteral("--payload"),
                        QStringLiteral("-"), QStringLiteral("--id"), QString::fromLatin1(id)},
                       payload);
}

} // namespace

class TestCliEngine : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runUntilIdle_makesTheStorePublishesAndDeliversToTheInbox()
    {
        const Program program;
        COMPARE_CODE(program.run(words("run --until-idle")), 0); // nothing to do yet, but the store is there
        COMPARE_CODE(emitNamed(program, "e-1", greeting), 0);
        const Answer ran = program.run(words("run --until-idle"));
        COMPARE_CODE(ran, 0);
        QVERIFY2(ran.out.isEmpty(), ran.out); // logs are for standard error
        QVERIFY(!ran.err.isEmpty());
        const Answer inbox = program.run(words("inbox u1 --json"));
        COMPARE_CODE(inbox, 0);
        const QJsonObject message = inbox.json()[QStringLiteral("messages")].toArray()[0].toObject();
        QCOMPARE(message[QStringLiteral("title")].toString(), QStringLiteral("Hello Ada"));
        QCOMPARE(message[QStringLiteral("body")].toString().trimmed(),
                 QStringLiteral("Your number is 12345678901234567890."));
        QVERIFY(message[QStringLiteral("read_at")].isNull());
        const Answer text = program.run(words("inbox u1"));
        QVERIFY2(text.out.contains("Hello Ada"), text.out);
        const Answer shown = program.run(words("show event e-1"));
        COMPARE_CODE(shown, 0);
        QVERIFY2(shown.out.contains("person's inbox"), shown.out);
        COMPARE_CODE(program.run({QStringLiteral("status")}), 0);
    }

    void run_publishesAChangedCatalogueAtStartOfAnEmbeddedStoreAndOnlyThen()
    {
        const Program program;
        const auto sets = [&] {
            return program.run(words("publish --show --json")).json()[QStringLiteral("publications")].toArray().size();
        };
        COMPARE_CODE(program.run(words("run --until-idle")), 0);
        COMPARE_CODE(program.run(words("run --until-idle")), 0);
        QCOMPARE(sets(), 1);
        program.write("templates/greeting/inbox.en.mustache", "---\ntitle: Hi\n---\nHi.\n");
        COMPARE_CODE(program.run(words("run --until-idle")), 0);
        QCOMPARE(sets(), 2);
        program.write("templates/greeting/inbox.en.mustache", "{{#open}}\n");
        COMPARE_CODE(program.run(words("run --until-idle")), 2);
        QCOMPARE(sets(), 2);
    }

    void run_drainsOnSigtermAndExits0()
    {
        const Program program;
        const auto engine = program.start({QStringLiteral("run")});
        QByteArray log;
        QTRY_VERIFY_WITH_TIMEOUT(
            (engine->waitForReadyRead(100), log += engine->readAllStandardError(), log.contains("engine started")),
            60'000);
        const Answer status = program.run(words("status --json"));
        COMPARE_CODE(status, 0);
        QCOMPARE(status.json()[QStringLiteral("engines")].toArray().size(), 1);
        engine->terminate();
        const Answer ended = Program::finish(*engine);
        COMPARE_CODE(ended, 0);
        QVERIFY2((log + ended.err).contains("engine stopped"), log + ended.err);
        QVERIFY(ended.out.isEmpty());
    }

    void retry_ofARejectedEventRelaysItAgainAfterTheCatalogueIsMended()
    {
        const Program program;
        COMPARE_CODE(program.run({QStringLiteral("migrate")}), 0);
        COMPARE_CODE(emitNamed(program, "e-1", R"({"name":"nobody","number":1})"), 0);
        QTRY_COMPARE_WITH_TIMEOUT(
            (program.run(words("run --until-idle")),
             program.run(words("events --state rejected --json")).json()[QStringLiteral("events")].toArray().size()),
            1, 120'000);
        const Answer shown = program.run(words("show event e-1 --json"));
        QVERIFY(!shown.json()[QStringLiteral("reason")].toString().isEmpty());
        program.write("catalogue.toml", R"([[event]]
type = "greeting"
category = "news"
lane = "normal"
expires = "1h"
notify = [ { role = "guest", user = "/name", channels = ["inbox"], template = "greeting" } ]
)");
        COMPARE_CODE(program.run(words("retry --event e-1 --now --json")), 0);
        COMPARE_CODE(program.run(words("run --until-idle")), 0);
        QTRY_COMPARE_WITH_TIMEOUT(
            (program.run(words("run --until-idle")),
             program.run(words("inbox nobody --json")).json()[QStringLiteral("messages")].toArray().size()),
            1, 120'000);
    }

    void change_waitsForItsEndWhileAnEngineWorks()
    {
        const Program program;
        COMPARE_CODE(program.run(words("run --until-idle")), 0);
        COMPARE_CODE(program.run({QStringLiteral("emit"), QStringLiteral("greeting"), QStringLiteral("--payload"),
                                  QStringLiteral("-"), QStringLiteral("--at"), QStringLiteral("+1h"),
                                  QStringLiteral("--expires"), QStringLiteral("+2h")},
                                 greeting),
                     0);
        const auto engine = program.start({QStringLiteral("run")});
        QTRY_COMPARE_WITH_TIMEOUT(
            program.run(words("list --state scheduled --json")).json()[QStringLiteral("deliveries")].toArray().size(),
            1, 120'000);
        const Answer cancelled = program.run(words("cancel --state scheduled --reason test --now --wait 60s --json"));
        COMPARE_CODE(cancelled, 0);
        QCOMPARE(cancelled.json()[QStringLiteral("state")].toString(), QStringLiteral("done"));
        QCOMPARE(cancelled.json()[QStringLiteral("done")].toInt(), 1);
        const QString id = QString::number(cancelled.json()[QStringLiteral("id")].toInteger());
        const Answer items = program.run({QStringLiteral("operation"), id, QStringLiteral("--json")});
        QCOMPARE(items.json()[QStringLiteral("items")].toArray().size(), 1);
        QCOMPARE(
            program.run(words("list --state cancelled --json")).json()[QStringLiteral("deliveries")].toArray().size(),
            1);
        engine->terminate();
        COMPARE_CODE(Program::finish(*engine), 0);
    }
};

QTEST_GUILESS_MAIN(TestCliEngine)
#include "tst_cli_engine.moc"
