// People's commands on the command line where no engine is alive: what they store, print, refuse and wait for. What an
// engine makes of them is in tst_cli_controls.cpp.
#include "tests/e2e/cli_store.h"
#include "tests/e2e/pseudo_terminal.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <csignal>

using namespace sendoff;
using namespace sendoff::test;

namespace {

QJsonArray operationsOf(const Program &program)
{
    return program.run(words("operations --json")).json()[QStringLiteral("operations")].toArray();
}

QString idOf(const Answer &answer)
{
    return QString::number(answer.json()[QStringLiteral("id")].toInteger());
}

// Runs a line as a person who copied it would.
Answer runInShell(const Program &program, const QString &line)
{
    QProcess shell;
    shell.setWorkingDirectory(QFileInfo(program.path("x")).path());
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PATH"),
                       QStringLiteral(SENDOFF_BINARY_DIR "/app:") + environment.value(QStringLiteral("PATH")));
    shell.setProcessEnvironment(environment);
    shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), line});
    return Program::finish(shell);
}

} // namespace

class TestCliOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void preview_isAPageToDecideOnWithTheCommandThatDoesIt()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("dead"), QStringLiteral("500"));
        insertDelivery(*database, QStringLiteral("d2"), QStringLiteral("dead"), QStringLiteral("500"));
        insertDelivery(*database, QStringLiteral("d3"), QStringLiteral("accepted"), QStringLiteral("500"));
        const QStringList change{QStringLiteral("retry"),       QStringLiteral("--filter"),
                                 QStringLiteral("code:500"),    QStringLiteral("--rate"),
                                 QStringLiteral("2/s"),         QStringLiteral("--stop-at-failures"),
                                 QStringLiteral("20%"),         QStringLiteral("--reason"),
                                 QStringLiteral("it's mended"), QStringLiteral("--preview")};
        const Answer text = program.run(change);
        COMPARE_CODE(text, 0);
        for (const char *part :
             {"retry would change 2 of 3 matching", "people", "email 3", "resend 3", "500 3", "would be skipped",
              "final", "at 2/s", "SAMPLE", "d1", "to do it: sendoffd retry --filter code:500"})
            QVERIFY2(text.out.contains(part), text.out);
        QVERIFY(!text.out.contains("ada@example.com"));
        QCOMPARE(operationsOf(program).size(), 0);

        const Answer json = program.run(change + words("--json"));
        COMPARE_CODE(json, 0);
        QCOMPARE(json.json()[QStringLiteral("changeable")].toInt(), 2);
        QCOMPARE(json.json()[QStringLiteral("rate")].toInt(), 2);
        QCOMPARE(json.json()[QStringLiteral("refusals")].toObject().size(), 1);
        QCOMPARE(json.json()[QStringLiteral("samples")].toArray().size(), 3);
        COMPARE_CODE(runInShell(program, json.json()[QStringLiteral("command")].toString()), 0);
        const QJsonObject stored = operationsOf(program).at(0).toObject();
        QCOMPARE(stored[QStringLiteral("filter")].toString(), QStringLiteral("code:500"));
        QCOMPARE(stored[QStringLiteral("rate")].toInt(), 2);
        QCOMPARE(stored[QStringLiteral("stop_at_failures")].toInt(), 20);
        QCOMPARE(stored[QStringLiteral("reason")].toString(), QStringLiteral("it's mended"));
    }

    void change_isArmedAndSaysHowToUndoIt()
    {
        MIGRATED_PROGRAM(program);
        insertDelivery(*openStore(program), QStringLiteral("d1"), QStringLiteral("dead"), QString());
        PseudoTerminal terminal(QFileInfo(program.path("x")).path());
        terminal.start(words("retry d1"));
        QCOMPARE(terminal.ended(), 0);
        const auto hint = QRegularExpression(QStringLiteral("undo within \\d+ s: (sendoffd undo \\d+)"))
                              .match(QString::fromUtf8(terminal.screen()));
        QVERIFY2(hint.hasMatch(), terminal.screen());
        QCOMPARE(operationsOf(program).at(0).toObject()[QStringLiteral("state")].toString(), QStringLiteral("armed"));
        COMPARE_CODE(runInShell(program, hint.captured(1)), 0);
        QCOMPARE(operationsOf(program).at(0).toObject()[QStringLiteral("state")].toString(), QStringLiteral("undone"));
    }

    void reschedule_takesATimeOrADelay()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("scheduled"), QString());
        const QDateTime due = QDateTime::currentDateTimeUtc().addSecs(1'800);
        const Answer at =
            program.run({QStringLiteral("reschedule"), QStringLiteral("d1"), QStringLiteral("--at"),
                         due.toOffsetFromUtc(7'200).toString(Qt::ISODateWithMs), QStringLiteral("--json")});
        COMPARE_CODE(at, 0);
        QCOMPARE(at.json()[QStringLiteral("parameters")].toObject()[QStringLiteral("due_at")].toString(),
                 due.toString(Qt::ISODateWithMs));
        COMPARE_CODE(program.run(words("reschedule d1 --in 3h")), 5); // it expires before
        COMPARE_CODE(program.run(words("reschedule --state scheduled --in 15m --json")), 0);
        insertDelivery(*database, QStringLiteral("d2"), QStringLiteral("accepted"), QString());
        COMPARE_CODE(program.run(words("reschedule d2 --in 15m")), 5);
        COMPARE_CODE(program.run(words("reschedule none --in 15m")), 4);
    }

    void edit_takesTheAddressFromStandardInputAndShowsItNowhere()
    {
        MIGRATED_PROGRAM(program);
        insertDelivery(*openStore(program), QStringLiteral("d1"), QStringLiteral("dead"), QString());
        const Answer quiet = program.run(words("edit d1 --address-stdin --locale de --json"), "grace@example.org\n");
        COMPARE_CODE(quiet, 0);
        QVERIFY2(quiet.err.isEmpty(), quiet.err);
        const QJsonObject parameters = quiet.json()[QStringLiteral("parameters")].toObject();
        QCOMPARE(parameters[QStringLiteral("locale")].toString(), QStringLiteral("de"));
        COMPARE_CODE(program.run({QStringLiteral("undo"), idOf(quiet)}), 0);

        const Answer warned = program.run(words("edit d1 --address grace@example.org"));
        COMPARE_CODE(warned, 0);
        QCOMPARE(warned.err.count("--address-stdin"), 1);
        const Answer shown = program.run(words("operations"));
        for (const Answer *answer : {&quiet, &warned, &shown})
            QVERIFY2(!(answer->out + answer->err).contains("grace@example.org"), answer->out + answer->err);
        COMPARE_CODE(program.run(words("edit d1 --address-stdin"), "\n"), 2);
    }

    void edit_takesAPatchOfThePayload()
    {
        MIGRATED_PROGRAM(program);
        insertDelivery(*openStore(program), QStringLiteral("d1"), QStringLiteral("dead"), QString());
        const Answer refused = program.run(words("edit d1 --payload-patch -"), "[1]");
        COMPARE_CODE(refused, 2);
        QVERIFY2(refused.err.contains("--payload-patch"), refused.err);
        const Answer stored = program.run(words("edit d1 --payload-patch - --json"), R"({"number":7})");
        COMPARE_CODE(stored, 0);
        QCOMPARE(stored.json()[QStringLiteral("verb")].toString(), QStringLiteral("edit"));
    }

    void operation_isPausedContinuedSlowedAndStopped()
    {
        MIGRATED_PROGRAM(program);
        insertDelivery(*openStore(program), QStringLiteral("d1"), QStringLiteral("dead"), QString());
        const QString id = idOf(program.run(words("retry d1 --now --json")));
        const auto operation = [&](const char *more) {
            return program.run(QStringList{QStringLiteral("operation"), id} + words(more));
        };
        const Answer paused = operation("--pause --json");
        COMPARE_CODE(paused, 0);
        QCOMPARE(paused.json()[QStringLiteral("paused")].toBool(), true);
        QVERIFY(operation("").out.contains("paused"));
        const Answer continued = operation("--continue --json");
        COMPARE_CODE(continued, 0);
        QCOMPARE(continued.json()[QStringLiteral("paused")].toBool(true), false);
        const Answer slowed = operation("--rate 3/s --json");
        COMPARE_CODE(slowed, 0);
        QCOMPARE(slowed.json()[QStringLiteral("rate")].toInt(), 3);
        COMPARE_CODE(operation("--result skipped"), 0);
        COMPARE_CODE(program.run({QStringLiteral("stop"), id}), 0);
        COMPARE_CODE(operation("--pause"), 5);
        COMPARE_CODE(program.run(words("operation 999 --pause")), 4);
    }

    void waitWithoutAnEngine_endsAtOnceAndSaysSo()
    {
        MIGRATED_PROGRAM(program);
        insertDelivery(*openStore(program), QStringLiteral("d1"), QStringLiteral("dead"), QString());
        const Answer answer = program.run(words("retry d1 --now --wait"));
        COMPARE_CODE(answer, 1);
        QVERIFY2(answer.out.contains("waiting for an engine: none is alive"), answer.out);
        QCOMPARE(operationsOf(program).size(), 1);
    }

    void ctrlCWhileWaiting_leavesTheOperationAndSaysSo()
    {
        MIGRATED_PROGRAM(program);
        insertDelivery(*openStore(program), QStringLiteral("d1"), QStringLiteral("dead"), QString());
        PseudoTerminal terminal(QFileInfo(program.path("x")).path());
        terminal.start(words("retry d1 --wait 10m"));
        QTRY_VERIFY_WITH_TIMEOUT(terminal.screen().contains("armed, begins in"), 60'000);
        terminal.type("\x03");
        QCOMPARE(terminal.ended(), 1);
        QVERIFY2(terminal.screen().contains("goes on without this program"), terminal.screen());
        QCOMPARE(operationsOf(program).at(0).toObject()[QStringLiteral("state")].toString(), QStringLiteral("armed"));
    }

    void controlWithoutAnEngine_isStoredAndSaysThatNoneIsAlive_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("verb");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("target");
        const auto row = [](const char *command, const char *verb, const char *kind, const char *target) {
            QTest::newRow(command) << QString::fromLatin1(command) << QString::fromLatin1(verb)
                                   << QString::fromLatin1(kind) << QString::fromLatin1(target);
        };
        row("provider pause resend --for 1h --reason maintenance", "pause", "provider", "resend");
        row("provider resume resend", "resume", "provider", "resend");
        row("provider quota resend 2.5/s --for 1h", "quota", "provider", "resend");
        row("provider reset resend", "reset", "provider", "resend");
        row("pause --lane bulk --for 30m", "pause", "lane", "bulk");
        row("resume --lane bulk", "resume", "lane", "bulk");
        row("pause --channel email", "pause", "channel", "email");
        row("pause --all --yes", "pause", "all", "");
        row("resume --all", "resume", "all", "");
        row("note user u1 called-twice", "note", "user", "u1");
    }
    void controlWithoutAnEngine_isStoredAndSaysThatNoneIsAlive()
    {
        QFETCH(QString, command);
        QFETCH(QString, verb);
        QFETCH(QString, kind);
        QFETCH(QString, target);
        MIGRATED_PROGRAM(program);
        {
            const auto database = openStore(program);
            const auto done = database->write([](store::Session &session) {
                session.run("INSERT INTO sendoff_provider (name, kind, channel) VALUES ('resend', 'resend', 'email')");
            });
            QVERIFY2(done, qPrintable(done ? QString() : done.error().message));
        }
        const Answer text = program.run(words(qPrintable(command)));
        COMPARE_CODE(text, 0);
        const QJsonObject stored = operationsOf(program).at(0).toObject();
        QCOMPARE(stored[QStringLiteral("verb")].toString(), verb);
        const QJsonObject parameters = stored[QStringLiteral("parameters")].toObject();
        QCOMPARE(parameters[QStringLiteral("target_kind")].toString(), kind);
        QCOMPARE(parameters[QStringLiteral("target")].toString(), target);
        const bool isDone = stored[QStringLiteral("state")].toString() == QLatin1String("done");
        QVERIFY2(isDone || text.out.contains("waiting for an engine: none is alive"), text.out);
        const Answer json = program.run(words(qPrintable(command)) + words("--json"));
        COMPARE_CODE(json, 0);
        QCOMPARE(json.json()[QStringLiteral("waiting_for_engine")].toBool(), !isDone);
    }

    void pauseOfAll_asksForTheWordOnATerminal()
    {
        MIGRATED_PROGRAM(program);
        const QString folder = QFileInfo(program.path("x")).path();
        PseudoTerminal refused(folder);
        refused.start(words("pause --all"));
        QTRY_VERIFY_WITH_TIMEOUT(refused.screen().contains("Type ALL"), 60'000);
        refused.type("all\n");
        QCOMPARE(refused.ended(), 5);
        QVERIFY2(refused.screen().contains("not confirmed"), refused.screen());
        QCOMPARE(operationsOf(program).size(), 0);

        PseudoTerminal confirmed(folder);
        confirmed.start(words("pause --all"));
        QTRY_VERIFY_WITH_TIMEOUT(confirmed.screen().contains("Type ALL"), 60'000);
        confirmed.type("ALL\n");
        QCOMPARE(confirmed.ended(), 0);
        QCOMPARE(operationsOf(program).size(), 1);

        PseudoTerminal reasoned(folder);
        reasoned.start(words("pause --all --reason outage"));
        QCOMPARE(reasoned.ended(), 0);
        QVERIFY2(!reasoned.screen().contains("Type ALL"), reasoned.screen());
        QCOMPARE(operationsOf(program).size(), 2);
    }

    void providerTest_looksAtConfigurationSecretsAndHostOnly()
    {
        Program program;
        const auto sandbox = program.start(words("sandbox --listen 127.0.0.1:0"));
        QTRY_VERIFY_WITH_TIMEOUT(sandbox->canReadLine() || (sandbox->waitForReadyRead(100), sandbox->canReadLine()),
                                 60'000);
        const QByteArray url = sandbox->readLine().trimmed();
        const auto use = [&](const QByteArray &base, const QByteArray &key) {
            program.useStore(program.store(), "[providers.resend]\nkind = \"resend\"\nchannel = \"email\"\n"
                                              "from = \"a@example.com\"\nbase_url = \"" +
                                                  base + "\"\napi_key = { env = \"" + key + "\" }\n");
        };
        use(url, "SENDOFF_TEST_KEY");
        const Answer well = program.run(words("provider test resend --json"));
        COMPARE_CODE(well, 0);
        QCOMPARE(well.json()[QStringLiteral("ok")].toBool(), true);
        COMPARE_CODE(program.run(words("provider test resend")), 0);
        const Answer unknown = program.run(words("provider test resnd"));
        COMPARE_CODE(unknown, 4);
        QVERIFY2(unknown.err.contains("resend"), unknown.err);
        use(url, "SENDOFF_NO_SUCH_KEY");
        const Answer keyless = program.run(words("provider test resend"));
        COMPARE_CODE(keyless, 2);
        QVERIFY2(keyless.err.contains("SENDOFF_NO_SUCH_KEY"), keyless.err);
        sandbox->terminate();
        COMPARE_CODE(Program::finish(*sandbox), 0);
        use(url, "SENDOFF_TEST_KEY");
        COMPARE_CODE(program.run(words("provider test resend")), 1);
    }
};

QTEST_GUILESS_MAIN(TestCliOperations)
#include "tst_cli_operations.moc"
