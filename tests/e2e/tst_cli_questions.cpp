// What people ask on the command line: problems, one person, what is to come, what was, the state of things.
#include "tests/e2e/cli_store.h"
#include "tests/e2e/pseudo_terminal.h"

#include <QFileInfo>
#include <QRegularExpression>

using namespace sendoff;
using namespace sendoff::test;

namespace {

// Rows of text for people, none wider than a terminal.
void verifyFits(const QByteArray &out)
{
    for (const QString &line : QString::fromUtf8(out).split(u'\n'))
        QVERIFY2(line.size() <= 80, qPrintable(line));
}

void run(store::Database &database, const QByteArray &sql)
{
    const auto done = database.write([&](store::Session &session) { session.run(sql); });
    QVERIFY2(done, qPrintable(done ? QString() : done.error().message));
}

} // namespace

class TestCliQuestions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void problems_nameTheCauseAndTheCommand()
    {
        MIGRATED_PROGRAM(program);
        const Answer none = program.run(words("problems"));
        COMPARE_CODE(none, 0);
        QVERIFY2(none.out.contains("nothing is dead"), none.out);
        const auto database = openStore(program);
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("dead"), QStringLiteral("500"));
        insertDelivery(*database, QStringLiteral("d2"), QStringLiteral("dead"), QStringLiteral("500"));
        insertDelivery(*database, QStringLiteral("d3"), QStringLiteral("unknown"), QString());
        const Answer json = program.run(words("problems --by provider --json"));
        COMPARE_CODE(json, 0);
        const QJsonObject group = json.json()[QStringLiteral("problems")].toArray().at(0).toObject();
        QVERIFY(group[QStringLiteral("key")].toString().contains(QStringLiteral("resend")));
        QCOMPARE(group[QStringLiteral("dead")].toInt(), 2);
        QCOMPARE(group[QStringLiteral("unknown")].toInt(), 1);
        QCOMPARE(group[QStringLiteral("people")].toInt(), 1);
        QVERIFY(group[QStringLiteral("command")].toString().startsWith(QStringLiteral("sendoffd ")));
        // The group's own condition chooses exactly its rows.
        const Answer rows = program.run({QStringLiteral("list"), QStringLiteral("--json"), QStringLiteral("--filter"),
                                         group[QStringLiteral("filter")].toString()});
        COMPARE_CODE(rows, 0);
        QCOMPARE(rows.json()[QStringLiteral("deliveries")].toArray().size(), 3);
        const Answer text = program.run(words("problems --by provider"));
        COMPARE_CODE(text, 0);
        QVERIFY2(text.out.contains("WHAT BROKE") && text.out.contains("sendoffd "), text.out);
        for (const char *by : {"fingerprint", "type", "domain", "set"})
            COMPARE_CODE(program.run({QStringLiteral("problems"), QStringLiteral("--by"), QString::fromLatin1(by)}), 0);
        QCOMPARE(program.run(words("problems --by provider --state unknown --json"))
                     .json()[QStringLiteral("problems")]
                     .toArray()
                     .at(0)
                     .toObject()[QStringLiteral("dead")]
                     .toInt(),
                 0);
    }

    void person_saysWhatHappenedWithinEightyColumns()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("dead"), QStringLiteral("500"));
        insertDelivery(*database, QStringLiteral("d2"), QStringLiteral("accepted"), QString());
        COMPARE_CODE(
            program.run(words("contact add u1 email ada@example.com --locale de --time-zone Europe/Berlin --json")), 0);
        COMPARE_CODE(program.run(words("person nobody")), 4);
        const Answer text = program.run(words("person u1"));
        COMPARE_CODE(text, 0);
        for (const char *part :
             {"u1", "contacts", "Europe/Berlin", "greeting", "event-d1", "dead", "Given up", "d2", "not known"})
            QVERIFY2(text.out.contains(part), text.out);
        QVERIFY(!text.out.contains("ada@example.com"));
        verifyFits(text.out);
        const Answer json = program.run(words("person event-d1 --json"));
        COMPARE_CODE(json, 0);
        QCOMPARE(json.json()[QStringLiteral("found_by")].toString(), QStringLiteral("event"));
        QCOMPARE(json.json()[QStringLiteral("user_id")].toString(), QStringLiteral("u1"));
        const QJsonArray events = json.json()[QStringLiteral("events")].toArray();
        QVERIFY(!events.isEmpty());
        const QJsonObject delivery = events[0].toObject()[QStringLiteral("deliveries")].toArray()[0].toObject();
        QVERIFY(!delivery[QStringLiteral("verdict")].toString().isEmpty());
    }

    void textOfTheStore_reachesNoTerminalAsAnEscapeSequence()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("dead"), QStringLiteral("500"));
        run(*database, "UPDATE sendoff_delivery_history SET last_code = 'a' || char(27) || '[2Jb', "
                       "detail = 'x' || char(27) || ']0;y', reason = 'attempts_spent'");
        for (const char *command : {"list", "show delivery d1", "person u1", "problems", "retry d1 --preview"}) {
            const Answer answer = program.run(words(command));
            COMPARE_CODE(answer, 0);
            QVERIFY2(!answer.out.contains('\033'), answer.out);
        }
    }

    void forecast_drawsWhatComesDue()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        for (int at = 0; at < 3; ++at)
            insertDelivery(*database, QStringLiteral("d%1").arg(at), QStringLiteral("scheduled"), QString());
        run(*database, "UPDATE sendoff_delivery_hot SET due_at = $now_plus(630000)");
        const Answer json = program.run(words("forecast --minutes 30 --json"));
        COMPARE_CODE(json, 0);
        const QJsonArray due = json.json()[QStringLiteral("due_by_minute")].toArray();
        QCOMPARE(due.size(), 30);
        qint64 sum = 0;
        for (const QJsonValue &each : due)
            sum += each.toInteger();
        QCOMPARE(sum, 3);
        const Answer digits = program.run(words("forecast --minutes 30"));
        COMPARE_CODE(digits, 0);
        QVERIFY2(digits.out.contains("3 come due") && digits.out.contains("9 stands for 3"), digits.out);
        verifyFits(digits.out);
        PseudoTerminal terminal(QFileInfo(program.path("x")).path());
        terminal.start(words("forecast --minutes 1440"));
        QCOMPARE(terminal.ended(), 0);
        QVERIFY2(terminal.screen().contains("\u2588"), terminal.screen());
        const Answer few = program.run(words("forecast --minutes 5 --json"));
        QCOMPARE(few.json()[QStringLiteral("later")].toInt(), 3);
    }

    void activity_sumsWhatTheEnginesCounted()
    {
        MIGRATED_PROGRAM(program);
        const Answer none = program.run(words("activity"));
        COMPARE_CODE(none, 0);
        QVERIFY2(none.out.contains("nothing was sent"), none.out);
        const auto database = openStore(program);
        run(*database, "INSERT INTO sendoff_minute (minute, engine, provider, channel, lane, kind, word, count, "
                       "duration_ms) VALUES (strftime('%Y-%m-%dT%H:%M:00.000Z', 'now', '-3 minutes'), 'e', 'resend', "
                       "'email', 'normal', 'attempt', 'accepted', 12, 2400)");
        const Answer json = program.run(words("activity --since 10m --step 1m --json"));
        COMPARE_CODE(json, 0);
        const QJsonArray points = json.json()[QStringLiteral("points")].toArray();
        QCOMPARE(points.size(), 1);
        QCOMPARE(points[0].toObject()[QStringLiteral("count")].toInt(), 12);
        QCOMPARE(points[0].toObject()[QStringLiteral("word")].toString(), QStringLiteral("accepted"));
        const Answer text = program.run(words("activity"));
        COMPARE_CODE(text, 0);
        QVERIFY2(text.out.contains("200 ms"), text.out);
        verifyFits(text.out);
    }

    void list_isSortedAndFillsItsLimitFromShortPages()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        for (int at = 0; at < 40; ++at) {
            insertDelivery(*database, QStringLiteral("d%1").arg(at, 2, 10, QLatin1Char('0')),
                           at % 10 == 0 ? QStringLiteral("dead") : QStringLiteral("accepted"), QString());
        }
        run(*database,
            "UPDATE sendoff_delivery_history SET created_at = strftime('%Y-%m-%dT%H:%M:', 'now', '-1 hours') "
            "|| substr(id, 2) || '.000Z', ended_at = strftime('%Y-%m-%dT%H:%M:', 'now', '-1 hours') || "
            "substr(id, 2) || '.000Z'");
        const auto idsOf = [&](const char *more) {
            const Answer answer = program.run(words("list --json") + words(more));
            QStringList ids;
            for (const QJsonValue &row : answer.json()[QStringLiteral("deliveries")].toArray())
                ids += row.toObject()[QStringLiteral("id")].toString();
            return ids.join(u' ');
        };
        QCOMPARE(idsOf("--state dead --limit 4"), QStringLiteral("d30 d20 d10 d00"));
        QCOMPARE(idsOf("--state dead --limit 3 --sort oldest"), QStringLiteral("d00 d10 d20"));
        QCOMPARE(idsOf("--state dead --sort ended --limit 2"), QStringLiteral("d30 d20"));
        insertDelivery(*database, QStringLiteral("w1"), QStringLiteral("scheduled"), QString());
        QCOMPARE(idsOf("--sort due --state scheduled"), QStringLiteral("w1"));
    }

    void provider_isListedAndShown()
    {
        MIGRATED_PROGRAM(program);
        COMPARE_CODE(program.run(words("provider list")), 0);
        COMPARE_CODE(program.run(words("provider show resend")), 4);
        const auto database = openStore(program);
        run(*database, "INSERT INTO sendoff_provider (name, kind, channel) VALUES ('resend', 'resend', 'email')");
        const Answer list = program.run(words("provider list --json"));
        COMPARE_CODE(list, 0);
        const QJsonObject row = list.json()[QStringLiteral("providers")].toArray().at(0).toObject();
        for (const char *key : {"name", "limit_per_second", "used_per_second", "throttled", "breaker", "paused_until"})
            QVERIFY2(row.contains(QString::fromLatin1(key)), key);
        const Answer one = program.run(words("provider show resend"));
        COMPARE_CODE(one, 0);
        QVERIFY2(one.out.contains("resend") && one.out.contains("requests"), one.out);
        COMPARE_CODE(program.run(words("provider show resend --json")), 0);
    }

    void status_fitsOneScreenAndIsRedrawnUntilQ()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        run(*database, "INSERT INTO sendoff_provider (name, kind, channel) VALUES ('a-provider-with-a-long-name', "
                       "'resend', 'email')");
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("scheduled"), QString());
        const Answer text = program.run(words("status"));
        COMPARE_CODE(text, 1); // work waits and nobody is there
        verifyFits(text.out);
        for (const char *part : {"UNHEALTHY", "WAITING", "PROVIDER", "operations", "no engine is alive"})
            QVERIFY2(text.out.contains(part), text.out);
        const Answer json = program.run(words("status --json"));
        for (const char *key : {"backlog", "providers", "engines", "pauses", "open_operations", "rejected_events"})
            QVERIFY2(json.json().contains(QString::fromLatin1(key)), key);

        PseudoTerminal terminal(QFileInfo(program.path("x")).path());
        terminal.start(words("status --watch 500ms"));
        QTRY_VERIFY_WITH_TIMEOUT(terminal.screen().count("UNHEALTHY") >= 2, 60'000);
        QVERIFY(terminal.screen().contains("\033[1m"));
        terminal.type("q");
        QCOMPARE(terminal.ended(), 0);

        PseudoTerminal plain(QFileInfo(program.path("x")).path());
        QProcessEnvironment environment = plain.environment();
        environment.insert(QStringLiteral("NO_COLOR"), QStringLiteral("1"));
        plain.setEnvironment(environment);
        plain.start(words("status"));
        QCOMPARE(plain.ended(), 1);
        QVERIFY2(!plain.screen().contains('\033'), plain.screen());
    }
};

QTEST_GUILESS_MAIN(TestCliQuestions)
#include "tst_cli_questions.moc"
