// The command line as people and scripts meet it: exit codes, JSON, refusals. Commands that need a running engine are
// in tst_cli_engine.cpp.
#include "store/migrator.h"
#include "tests/e2e/cli_store.h"
#include "tests/support/test_database.h"

#include <QRegularExpression>
#include <sys/resource.h>

using namespace sendoff;
using namespace sendoff::test;

namespace {

QStringList commands()
{
    return QStringLiteral(
               "run check migrate status version publish emit events list show problems note person forecast activity "
               "retry cancel discard reschedule edit operations operation undo stop provider pause resume inbox "
               "contact "
               "roles reveal audit sandbox help")
        .split(u' ');
}

qint64 countEvents(const Program &program)
{
    const auto database = openStore(program);
    const auto count = database->read([](store::Session &session) {
        store::Cursor row = session.run("SELECT count(*) FROM sendoff_event");
        row.next();
        return row.integer(0);
    });
    return count ? *count : -1;
}

// The store of TestDatabase as a URL for another process: with the port, which its text leaves out.
QString urlOf(const store::StoreUrl &url)
{
    return url.kind == store::StoreUrl::Kind::Sqlite
               ? url.toText()
               : qEnvironmentVariable("SENDOFF_TEST_PG") + QStringLiteral("?schema=") + url.schema;
}

} // namespace

class TestCli : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void help_namesEveryCommandAndEachExplainsItself()
    {
        const Program program;
        const Answer all = program.run({QStringLiteral("--help")});
        COMPARE_CODE(all, 0);
        for (const QString &command : commands()) {
            QVERIFY2(QRegularExpression(QStringLiteral("^  %1 ").arg(command), QRegularExpression::MultilineOption)
                         .match(QString::fromUtf8(all.out))
                         .hasMatch(),
                     qPrintable(command));
            const Answer one = program.run({command, QStringLiteral("--help")});
            COMPARE_CODE(one, 0);
            QVERIFY2(one.out.contains("--help") && one.err.isEmpty(), qPrintable(command));
            COMPARE_CODE(program.run({QStringLiteral("help"), command}), 0);
        }
        QVERIFY(!QFile::exists(program.path("store.db")));
    }

    void version_saysProgramAndStoreWithoutMakingOne()
    {
        const Program program;
        const Answer answer = program.run(words("version --json"));
        COMPARE_CODE(answer, 0);
        QCOMPARE(answer.json()[QStringLiteral("schema")].toInt(), store::schemaNumber);
        QVERIFY(!answer.json()[QStringLiteral("version")].toString().isEmpty());
        QVERIFY(answer.json()[QStringLiteral("store")].toObject()[QStringLiteral("problem")].toString().contains(
            QStringLiteral("sendoffd migrate")));
        QVERIFY(!QFile::exists(program.path("store.db")));
        QFile::remove(program.path("sendoff.toml"));
        COMPARE_CODE(program.run({QStringLiteral("version")}), 0);
    }

    void wrongUsage_isExitCode2AndOneLine_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("no command") << QStringList();
        QTest::newRow("unknown command") << words("frobnicate");
        QTest::newRow("unknown option") << words("list --frobnicate");
        QTest::newRow("unknown filter field") << words("list --filter colour:red");
        QTest::newRow("unknown state") << words("list --state lost");
        QTest::newRow("bad duration") << words("list --older soon");
        QTest::newRow("limit out of range") << words("list --limit 0");
        QTest::newRow("no ids and no filter") << words("retry");
        QTest::newRow("ids and a filter") << words("retry x --state dead");
        QTest::newRow("bad wait") << words("retry x --wait long");
        QTest::newRow("bad rate") << words("retry x --rate fast");
        QTest::newRow("rate too high") << words("retry x --rate 1001/s");
        QTest::newRow("rate of nothing") << words("retry x --rate 0/s");
        QTest::newRow("bad percentage") << words("retry x --stop-at-failures some");
        QTest::newRow("percentage above 100") << words("retry x --stop-at-failures 101%");
        QTest::newRow("reschedule without a time") << words("reschedule x");
        QTest::newRow("reschedule with two times") << words("reschedule x --at 2026-11-30T12:00:00Z --in 5m");
        QTest::newRow("reschedule to no time") << words("reschedule x --at noon");
        QTest::newRow("reschedule after no duration") << words("reschedule x --in soon");
        QTest::newRow("edit of nothing") << words("edit x");
        QTest::newRow("edit with a broken patch") << words("edit x --payload-patch catalogue.toml");
        QTest::newRow("edit with a missing patch") << words("edit x --payload-patch none.json");
        QTest::newRow("edit that reads standard input twice") << words("edit x --address-stdin --payload-patch -");
        QTest::newRow("unknown result") << words("operation 1 --result lost");
        QTest::newRow("bad operation rate") << words("operation 1 --rate fast");
        QTest::newRow("pause and continue") << words("operation 1 --pause --continue");
        QTest::newRow("unknown grouping") << words("problems --by colour");
        QTest::newRow("unknown kind of note") << words("note colour x text");
        QTest::newRow("empty note") << QStringList{QStringLiteral("note"), QStringLiteral("user"), QStringLiteral("u1"),
                                                   QStringLiteral(" ")};
        QTest::newRow("nobody") << QStringList{QStringLiteral("person"), QStringLiteral(" ")};
        QTest::newRow("no minutes") << words("forecast --minutes 0");
        QTest::newRow("step of half a minute") << words("activity --step 30s");
        QTest::newRow("too many steps") << words("activity --since 7d --step 1m");
        QTest::newRow("unknown order") << words("list --sort random");
        QTest::newRow("unknown state of an event") << words("events --state dead");
        QTest::newRow("pause of nothing") << QStringList{QStringLiteral("pause")};
        QTest::newRow("pause of two things") << words("pause --all --lane bulk");
        QTest::newRow("pause of an unknown lane") << words("pause --lane express");
        QTest::newRow("pause of an unknown channel") << words("pause --channel pigeon");
        QTest::newRow("pause for no duration") << words("pause --lane bulk --for long");
        QTest::newRow("provider without a verb") << QStringList{QStringLiteral("provider")};
        QTest::newRow("quota that is no rate") << words("provider quota resend lots --for 1h");
        QTest::newRow("quota of nothing") << words("provider quota resend 0/s --for 1h");
        QTest::newRow("quota without an end") << words("provider quota resend 5/s");
        QTest::newRow("watch without a terminal") << words("status --watch");
        QTest::newRow("watch that is no duration") << words("status --watch soon");
        QTest::newRow("bad operation id") << words("undo x");
        QTest::newRow("unknown lane") << emitGreeting(words("--lane express"));
        QTest::newRow("bad time") << emitGreeting(words("--at tomorrow"));
        QTest::newRow("empty id") << emitGreeting({QStringLiteral("--id"), QString()});
        QTest::newRow("no payload file") << words("emit greeting --payload none.json");
        QTest::newRow("payload is a folder") << words("emit greeting --payload templates");
        QTest::newRow("contact without a domain") << words("contact add u1 email ada");
        QTest::newRow("contact of the inbox") << words("contact add u1 inbox x");
        QTest::newRow("unknown time zone") << words("contact add u1 email a@example.com --time-zone Mars/Base");
        QTest::newRow("no store of that kind") << words("list --store mysql:db");
        QTest::newRow("missing configuration") << words("list --config none.toml");
        QTest::newRow("bad address") << words("sandbox --listen nowhere");
        QTest::newRow("missing script") << words("sandbox --listen 127.0.0.1:0 --script none.json");
    }
    void wrongUsage_isExitCode2AndOneLine()
    {
        QFETCH(QStringList, arguments);
        MIGRATED_PROGRAM(program);
        const Answer answer = program.run(arguments, greeting);
        COMPARE_CODE(answer, 2);
        QVERIFY(answer.out.isEmpty());
        QCOMPARE(answer.err.count('\n'), 1);
        QCOMPARE(countEvents(program), 0);
    }

    void argumentThatIsNoUtf8_isRefused()
    {
        const Program program;
        QProcess shell;
        shell.setWorkingDirectory(QFileInfo(program.path("x")).path());
        shell.start(QStringLiteral("sh"),
                    {QStringLiteral("-c"), QStringLiteral("exec \"$0\" show event \"$(printf '\\377')\""),
                     QStringLiteral(SENDOFF_BINARY_DIR "/app/sendoffd")});
        const Answer answer = Program::finish(shell);
        COMPARE_CODE(answer, 2);
        QVERIFY(answer.err.contains("UTF-8"));
    }

    void storeThatIsNotThere_isExitCode3AndNoFileIsMade_data()
    {
        QTest::addColumn<QString>("command");
        for (const char *command : {"problems",
                                    "note user u1 hello",
                                    "person u1",
                                    "forecast",
                                    "activity",
                                    "provider list",
                                    "provider pause resend",
                                    "pause --lane bulk",
                                    "edit d --locale de",
                                    "reschedule d --in 5m",
                                    "operation 1 --pause",
                                    "list",
                                    "events",
                                    "status",
                                    "show event e",
                                    "show delivery d",
                                    "retry x",
                                    "operations",
                                    "inbox u",
                                    "contact list u",
                                    "publish --show",
                                    "emit greeting --payload catalogue.toml"})
            QTest::newRow(command) << QString::fromLatin1(command);
    }
    void storeThatIsNotThere_isExitCode3AndNoFileIsMade()
    {
        QFETCH(QString, command);
        const Program program;
        const Answer answer = program.run(words(qPrintable(command)));
        COMPARE_CODE(answer, 3);
        QVERIFY2(answer.err.contains("sendoffd migrate"), answer.err);
        QVERIFY(!QFile::exists(program.path("store.db")));
    }

    void storeOption_worksWithoutAnyConfigurationBeforeAndAfterTheCommand()
    {
        const Program program;
        QFile::remove(program.path("sendoff.toml"));
        const QStringList store{QStringLiteral("--store"), QStringLiteral("sqlite:other.db")};
        COMPARE_CODE(program.run(store + words("migrate")), 0);
        COMPARE_CODE(program.run(words("list") + store), 0);
        COMPARE_CODE(program.run(words("--json list") + store), 0);
        const Answer none = program.run({QStringLiteral("list")});
        COMPARE_CODE(none, 2);
        QVERIFY2(none.err.contains("sendoff.toml"), none.err);
    }

    void migrate_saysWhatItDidAndMayBeRepeated()
    {
        const Program program;
        const Answer first = program.run(words("migrate --json"));
        COMPARE_CODE(first, 0);
        QCOMPARE(first.json()[QStringLiteral("changed")].toBool(), true);
        const Answer second = program.run(words("migrate --json"));
        COMPARE_CODE(second, 0);
        QCOMPARE(second.json()[QStringLiteral("changed")].toBool(true), false);
    }

    void check_passesAndThenNamesFileLineAndKeyOfEveryMistake()
    {
        MIGRATED_PROGRAM(program);
        COMPARE_CODE(program.run({QStringLiteral("check")}), 0);
        program.useStore(program.store(), "[engine]\nlease = \"soon\"\nspeed = 9\n");
        program.write("templates/greeting/inbox.en.mustache", "{{#open}}\n");
        const Answer text = program.run({QStringLiteral("check")});
        COMPARE_CODE(text, 2);
        QVERIFY2(text.out.contains("sendoff.toml:7: engine.lease"), text.out);
        QVERIFY2(text.out.contains("sendoff.toml:8: engine.speed"), text.out);
        const Answer json = program.run(words("check --json"));
        COMPARE_CODE(json, 2);
        QCOMPARE(json.json()[QStringLiteral("ok")].toBool(true), false);
        const QJsonObject problem = json.json()[QStringLiteral("problems")].toArray().at(0).toObject();
        QCOMPARE(problem[QStringLiteral("line")].toInt(), 7);
        QCOMPARE(problem[QStringLiteral("key")].toString(), QStringLiteral("engine.lease"));

        program.useStore(program.store());
        const Answer templates = program.run({QStringLiteral("check")});
        COMPARE_CODE(templates, 2);
        QVERIFY2(templates.out.contains("inbox.en.mustache:"), templates.out);
    }

    void check_withoutItsStoreIsExitCode3()
    {
        const Program program;
        const Answer answer = program.run({QStringLiteral("check")});
        COMPARE_CODE(answer, 3);
        QVERIFY2(answer.out.contains("sendoffd migrate"), answer.out);
        QVERIFY(!QFile::exists(program.path("store.db")));
    }

    void printConfig_masksSecretsAndShowsTheProxy()
    {
        MIGRATED_PROGRAM(program);
        program.useStore(program.store(), "[http_client]\nproxy = \"http://proxy.example.com:3128\"\n"
                                          "[providers.resend]\nkind = \"resend\"\nchannel = \"email\"\n"
                                          "from = \"a@example.com\"\napi_key = { env = \"SENDOFF_TEST_KEY\" }\n");
        const Answer text = program.run(words("check --print-config"));
        COMPARE_CODE(text, 0);
        QVERIFY2(text.out.contains("SENDOFF_TEST_KEY") && text.out.contains("proxy.example.com:3128"), text.out);
        const Answer json = program.run(words("check --print-config --json"));
        COMPARE_CODE(json, 0);
        QCOMPARE(json.json()[QStringLiteral("configuration")]
                     .toObject()[QStringLiteral("engine")]
                     .toObject()[QStringLiteral("lease")]
                     .toString(),
                 QStringLiteral("1m"));
        QVERIFY(!(text.out + text.err + json.out + json.err).contains("key-that-nobody-may-see"));
    }

    void LEASE_02_aLeaseShorterThanTheTimeoutIsRefusedAtStartNamingBoth()
    {
        Program program;
        program.useStore(program.store(), "[engine]\nlease = \"5s\"\n[providers.resend]\nkind = \"resend\"\n"
                                          "channel = \"email\"\nfrom = \"a@example.com\"\ntimeout = \"60s\"\n"
                                          "api_key = { env = \"SENDOFF_TEST_KEY\" }\n");
        for (const char *command : {"run", "run --until-idle", "check"}) {
            const Answer answer = program.run(words(command));
            COMPARE_CODE(answer, 2);
            const QByteArray said = answer.out + answer.err;
            QVERIFY2(said.contains("engine.lease") && said.contains("providers.resend.timeout"), said);
        }
        QVERIFY(!QFile::exists(program.path("store.db")));
    }

    void publish_storesASetOnceShowsItAndRevertsIt()
    {
        MIGRATED_PROGRAM(program);
        const Answer first = program.run(words("publish --note first --json"));
        COMPARE_CODE(first, 0);
        QCOMPARE(first.json()[QStringLiteral("changed")].toBool(), true);
        const Answer again = program.run(words("publish --json"));
        COMPARE_CODE(again, 0);
        QCOMPARE(again.json()[QStringLiteral("changed")].toBool(true), false);
        program.write("templates/greeting/inbox.en.mustache", "---\ntitle: Hi\n---\nHi.\n");
        COMPARE_CODE(program.run({QStringLiteral("publish")}), 0);
        COMPARE_CODE(program.run(words("publish --revert --note back")), 0);
        const Answer shown = program.run(words("publish --show --json"));
        COMPARE_CODE(shown, 0);
        const QJsonArray all = shown.json()[QStringLiteral("publications")].toArray();
        QCOMPARE(all.size(), 3);
        QCOMPARE(all[0].toObject()[QStringLiteral("hash")], first.json()[QStringLiteral("hash")]);
        QCOMPARE(all[0].toObject()[QStringLiteral("note")].toString(), QStringLiteral("back"));

        program.write("templates/greeting/inbox.en.mustache", "{{#open}}\n");
        COMPARE_CODE(program.run({QStringLiteral("publish")}), 2);
        QCOMPARE(program.run(words("publish --show --json")).json()[QStringLiteral("publications")].toArray().size(),
                 3);
    }

    void emit_printsTheIdAndKnowsWhatWasAccepted()
    {
        MIGRATED_PROGRAM(program);
        const Answer fresh = program.run(emitGreeting(), greeting);
        COMPARE_CODE(fresh, 0);
        QCOMPARE(fresh.out.trimmed().size(), 36);
        QVERIFY(fresh.err.isEmpty());
        const Answer named =
            program.run(emitGreeting(words("--id e-1 --tenant t --lane bulk --at +1h --expires +2h --json")), greeting);
        COMPARE_CODE(named, 0);
        QCOMPARE(named.json(),
                 (QJsonObject{{QStringLiteral("id"), QStringLiteral("e-1")}, {QStringLiteral("already"), false}}));
        const Answer again = program.run(emitGreeting(words("--id e-1")), "{\"other\":true}");
        COMPARE_CODE(again, 0);
        QCOMPARE(again.out, QByteArray("e-1\n"));
        QVERIFY2(again.err.contains("already accepted"), again.err);
        QCOMPARE(countEvents(program), 2);
        const auto database = openStore(program);
        const auto payload = database->read([](store::Session &session) {
            store::Cursor row = session.run("SELECT payload, tenant, lane FROM sendoff_event WHERE id = 'e-1'");
            row.next();
            return row.text(0) + u'|' + row.text(1) + u'|' + row.text(2);
        });
        QVERIFY(payload);
        QCOMPARE(*payload, QString::fromUtf8(greeting) + QStringLiteral("|t|bulk"));
    }

    void TXT_01_badTextIsRefusedNamingThePathInTheSameWordsOnBothStores_data()
    {
        QTest::addColumn<QByteArray>("payload");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("NUL in a value") << QByteArray(R"({"guest":{"name":"a\u0000b"}})") << QByteArray("/guest/name");
        QTest::newRow("NUL in a name") << QByteArray(R"({"a":{"\u0000":1}})") << QByteArray("U+0000");
        QTest::newRow("NUL byte") << QByteArray("{\"a\":\"x\0y\"}", 11) << QByteArray("payload");
        QTest::newRow("broken UTF-8") << QByteArray("{\"a\":\"\xff\xfe\"}") << QByteArray("UTF-8");
        QTest::newRow("half a surrogate pair") << QByteArray(R"({"a":"\ud800"})") << QByteArray("surrogate");
        QTest::newRow("no object") << QByteArray("[1]") << QByteArray("object");
        QTest::newRow("nothing") << QByteArray() << QByteArray("payload");
        QTest::newRow("name twice") << QByteArray(R"({"a":1,"a":2})") << QByteArray("/a");
    }
    void TXT_01_badTextIsRefusedNamingThePathInTheSameWordsOnBothStores()
    {
        QFETCH(QByteArray, payload);
        QFETCH(QByteArray, said);
        QByteArrayList answers;
        for (const auto kind : {store::StoreUrl::Kind::Sqlite, store::StoreUrl::Kind::PostgreSql}) {
            if (!TestDatabase::isAvailable(kind))
                continue;
            TestDatabase database(kind);
            const Program program;
            const Answer answer =
                program.run(emitGreeting({QStringLiteral("--store"), urlOf(database.url())}), payload);
            COMPARE_CODE(answer, 2);
            QVERIFY2(answer.err.contains(said), answer.err);
            QCOMPARE(answer.err.count('\n'), 1);
            QCOMPARE(database.number("SELECT count(*) FROM sendoff_event"), 0);
            COMPARE_CODE(program.run(emitGreeting({QStringLiteral("--store"), urlOf(database.url())}), greeting), 0);
            answers += answer.err;
        }
        QCOMPARE(QSet<QByteArray>(answers.begin(), answers.end()).size(), 1);
    }

    void TXT_04_payloadsBeyondTheLimitsAreRefusedInOneLineAndNotReadWhole()
    {
        MIGRATED_PROGRAM(program);
        const auto nested = [](int depth) {
            return QByteArray("{\"a\":") + QByteArray(depth, '[') + QByteArray(depth, ']') + '}';
        };
        COMPARE_CODE(program.run(emitGreeting(), nested(100)), 0);
        COMPARE_CODE(program.run(emitGreeting(), nested(511)), 0);
        for (const int depth : {512, 1000, 1024, 1025, 100'000}) {
            const Answer answer = program.run(emitGreeting(), nested(depth));
            COMPARE_CODE(answer, 2);
            QVERIFY2(answer.err.contains("512"), answer.err);
            QCOMPARE(answer.err.count('\n'), 1);
        }
        QByteArray objects = "1";
        for (int depth = 0; depth < 31'000; ++depth)
            objects = "{\"a\":" + objects + '}';
        COMPARE_CODE(program.run(emitGreeting(), objects), 2);

        rusage before{};
        getrusage(RUSAGE_CHILDREN, &before);
        for (const qint64 size : {qint64(256 * 1024 + 1), qint64(1'000'000), qint64(10'000'000), qint64(300'000'000)}) {
            program.write("large.json", "{\"a\":\"");
            QFile large(program.path("large.json"));
            QVERIFY(large.resize(size));
            const Answer answer = program.run(words("emit greeting --payload large.json"));
            COMPARE_CODE(answer, 2);
            QVERIFY2(answer.err.contains("256 KiB"), answer.err);
            QCOMPARE(answer.err.count('\n'), 1);
        }
        rusage after{};
        getrusage(RUSAGE_CHILDREN, &after);
        QVERIFY2(after.ru_maxrss - before.ru_maxrss < 16 * 1024,
                 qPrintable(QStringLiteral("%1 KiB more").arg(after.ru_maxrss - before.ru_maxrss)));
        COMPARE_CODE(program.run(emitGreeting(), greeting), 0);
        QCOMPARE(countEvents(program), 3);
    }

    void OUT_02_twentyEmitsOfOneIdAtOnceAreOneEvent_data() { addStoreRows(); }
    void OUT_02_twentyEmitsOfOneIdAtOnceAreOneEvent()
    {
        QFETCH(int, kind);
        if (!TestDatabase::isAvailable(store::StoreUrl::Kind(kind)))
            QSKIP("no PostgreSQL: SENDOFF_TEST_PG is not set");
        TestDatabase database{store::StoreUrl::Kind(kind)};
        const Program program;
        program.write("payload.json", greeting);
        std::vector<std::unique_ptr<QProcess>> running;
        for (int at = 0; at < 20; ++at) {
            running.push_back(program.start(words("emit greeting --payload payload.json --id e-1 --json --store") +
                                            QStringList{urlOf(database.url())}));
        }
        int accepted = 0;
        for (const auto &process : running) {
            const Answer answer = Program::finish(*process);
            COMPARE_CODE(answer, 0);
            QCOMPARE(answer.json()[QStringLiteral("id")].toString(), QStringLiteral("e-1"));
            accepted += answer.json()[QStringLiteral("already")].toBool() ? 0 : 1;
        }
        QCOMPARE(accepted, 1);
        QCOMPARE(database.number("SELECT count(*) FROM sendoff_event"), 1);
    }

    void list_filtersPagesAndKeepsToItsJson()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("dead"), QStringLiteral("bounce"));
        insertDelivery(*database, QStringLiteral("d2"), QStringLiteral("dead"), QStringLiteral("x, \"y\""));
        insertDelivery(*database, QStringLiteral("d3"), QStringLiteral("accepted"), QString());
        const auto idsOf = [&](const QStringList &more) {
            const Answer answer = program.run(words("list --json") + more);
            QStringList ids;
            for (const QJsonValue &row : answer.json()[QStringLiteral("deliveries")].toArray())
                ids += row.toObject()[QStringLiteral("id")].toString();
            ids.sort();
            return ids.join(u' ');
        };
        QCOMPARE(idsOf({}), QStringLiteral("d1 d2 d3"));
        QCOMPARE(idsOf(words("--state dead")), QStringLiteral("d1 d2"));
        QCOMPARE(idsOf(words("--state dead,accepted --channel email")), QStringLiteral("d1 d2 d3"));
        QCOMPARE(idsOf(words("--state dead --filter code:bounce")), QStringLiteral("d1"));
        QCOMPARE(idsOf({QStringLiteral("--code"), QStringLiteral("x, \"y\"")}), QStringLiteral("d2"));
        QCOMPARE(idsOf(words("--channel sms")), QString());
        QCOMPARE(idsOf(words("--older 1h")), QString());

        const Answer page = program.run(words("list --json --limit 2"));
        QCOMPARE(page.json()[QStringLiteral("deliveries")].toArray().size(), 2);
        const QString next = page.json()[QStringLiteral("next")].toString();
        QVERIFY(!next.isEmpty());
        const Answer rest = program.run(words("list --json --limit 2 --after") + QStringList{next});
        COMPARE_CODE(rest, 0);
        QCOMPARE(rest.json()[QStringLiteral("deliveries")].toArray().size(), 1);
        QVERIFY(rest.json()[QStringLiteral("next")].isNull());

        const QJsonObject row = rest.json()[QStringLiteral("deliveries")].toArray()[0].toObject();
        for (const char *key :
             {"event_id", "type", "tenant", "channel", "provider", "lane", "state", "reason", "attempts", "due_at"})
            QVERIFY2(row.contains(QString::fromLatin1(key)), key);
        QVERIFY(QRegularExpression(QStringLiteral("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"))
                    .match(row[QStringLiteral("created_at")].toString())
                    .hasMatch());
        const Answer text = program.run({QStringLiteral("list")});
        QVERIFY2(text.out.contains("d1") && !text.out.contains("\033["), text.out);
        QVERIFY(!text.out.contains("ada@example.com"));
    }

    void show_tellsAStoryAndSays4WhereThereIsNone()
    {
        MIGRATED_PROGRAM(program);
        COMPARE_CODE(program.run(words("show event none")), 4);
        COMPARE_CODE(program.run(words("show delivery none --json")), 4);
        const auto database = openStore(program);
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("accepted"), QString());
        const Answer text = program.run(words("show event event-d1"));
        COMPARE_CODE(text, 0);
        QVERIFY2(text.out.contains("not known") && text.out.contains("event-d1"), text.out);
        const Answer event = program.run(words("show event event-d1 --json"));
        COMPARE_CODE(event, 0);
        const QJsonObject delivery = event.json()[QStringLiteral("deliveries")].toArray()[0].toObject();
        QCOMPARE(delivery[QStringLiteral("id")].toString(), QStringLiteral("d1"));
        QVERIFY(delivery[QStringLiteral("attempts")].isArray());
        QVERIFY(delivery[QStringLiteral("receipts")].isArray());
        const Answer one = program.run(words("show delivery d1 --json"));
        COMPARE_CODE(one, 0);
        QCOMPARE(one.json()[QStringLiteral("event")].toObject()[QStringLiteral("id")].toString(),
                 QStringLiteral("event-d1"));
        COMPARE_CODE(program.run(words("show delivery d1")), 0);
    }

    void events_listsByStateOfEvents()
    {
        MIGRATED_PROGRAM(program);
        for (const char *id : {"a", "b", "c"})
            COMPARE_CODE(program.run(emitGreeting({QStringLiteral("--id"), QString::fromLatin1(id)}), greeting), 0);
        const Answer page = program.run(words("events --state pending --limit 2 --json"));
        COMPARE_CODE(page, 0);
        const QJsonArray rows = page.json()[QStringLiteral("events")].toArray();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[0].toObject()[QStringLiteral("id")].toString(), QStringLiteral("c"));
        const Answer rest =
            program.run(words("events --json --after") + QStringList{page.json()[QStringLiteral("next")].toString()});
        QCOMPARE(rest.json()[QStringLiteral("events")].toArray().size(), 1);
        QCOMPARE(program.run(words("events --state rejected --json")).json()[QStringLiteral("events")].toArray().size(),
                 0);
        COMPARE_CODE(program.run({QStringLiteral("events")}), 0);
    }

    void changes_areCountedStoredUndoneAndRefused()
    {
        MIGRATED_PROGRAM(program);
        const auto database = openStore(program);
        insertDelivery(*database, QStringLiteral("d1"), QStringLiteral("dead"), QStringLiteral("500"));
        insertDelivery(*database, QStringLiteral("d2"), QStringLiteral("accepted"), QString());
        COMPARE_CODE(program.run(words("retry none")), 4);
        COMPARE_CODE(program.run(words("retry --code 404 --preview")), 4);
        COMPARE_CODE(program.run(words("retry d2")), 5);
        COMPARE_CODE(program.run(words("retry d2 --preview --json")), 5);
        const Answer preview = program.run(words("retry --state dead --preview --json"));
        COMPARE_CODE(preview, 0);
        QCOMPARE(preview.json()[QStringLiteral("changeable")].toInt(), 1);
        QCOMPARE(program.run(words("operations --json")).json()[QStringLiteral("operations")].toArray().size(), 0);

        const Answer ordered = program.run(words("retry d1 --reason again --json"));
        COMPARE_CODE(ordered, 0);
        QCOMPARE(ordered.json()[QStringLiteral("state")].toString(), QStringLiteral("armed"));
        QCOMPARE(ordered.json()[QStringLiteral("waiting_for_engine")].toBool(), true);
        const QString id = QString::number(ordered.json()[QStringLiteral("id")].toInteger());
        const Answer shown = program.run({QStringLiteral("operation"), id, QStringLiteral("--json")});
        COMPARE_CODE(shown, 0);
        QCOMPARE(shown.json()[QStringLiteral("reason")].toString(), QStringLiteral("again"));
        const Answer undone = program.run({QStringLiteral("undo"), id, QStringLiteral("--json")});
        COMPARE_CODE(undone, 0);
        QCOMPARE(undone.json()[QStringLiteral("state")].toString(), QStringLiteral("undone"));
        COMPARE_CODE(program.run({QStringLiteral("undo"), id}), 5);
        COMPARE_CODE(program.run(words("operation 999")), 4);
        COMPARE_CODE(program.run(words("undo 999")), 4);
        // Nobody carries it out, so waiting for it ends without it being done.
        const Answer waited = program.run(words("discard d1 --now --wait 1s --json"));
        COMPARE_CODE(waited, 1);
        COMPARE_CODE(
            program.run({QStringLiteral("stop"), QString::number(waited.json()[QStringLiteral("id")].toInteger())}), 0);
        COMPARE_CODE(program.run({QStringLiteral("operations")}), 0);
    }

    void status_isHealthyOnAnEmptyStoreAnd1WhereWorkWaitsForNobody()
    {
        MIGRATED_PROGRAM(program);
        COMPARE_CODE(program.run({QStringLiteral("status")}), 0);
        COMPARE_CODE(program.run(emitGreeting(), greeting), 0);
        const Answer answer = program.run(words("status --json"));
        COMPARE_CODE(answer, 1);
        QCOMPARE(answer.json()[QStringLiteral("healthy")].toBool(true), false);
        QCOMPARE(answer.json()[QStringLiteral("pending_events")].toInt(), 1);
        QVERIFY(!answer.json()[QStringLiteral("verdict")].toString().isEmpty());
        QVERIFY(answer.err.isEmpty());
    }

    void contact_isAddedOnceAndShownMasked()
    {
        MIGRATED_PROGRAM(program);
        const QStringList addition = words("contact add u1 email ada@example.com --time-zone Europe/Berlin --json");
        const Answer first = program.run(addition);
        COMPARE_CODE(first, 0);
        const Answer again = program.run(addition);
        COMPARE_CODE(again, 0);
        QCOMPARE(again.json()[QStringLiteral("already")].toBool(), true);
        QCOMPARE(again.json()[QStringLiteral("id")], first.json()[QStringLiteral("id")]);
        const Answer list = program.run(words("contact list u1 --json"));
        COMPARE_CODE(list, 0);
        QCOMPARE(list.json()[QStringLiteral("contacts")].toArray().size(), 1);
        QVERIFY(!list.out.contains("ada@example.com"));
        COMPARE_CODE(program.run(words("inbox u1")), 0);
    }

    void run_refusesAServerStoreThatIsOldOrUnpublished()
    {
        if (!TestDatabase::isAvailable(store::StoreUrl::Kind::PostgreSql))
            QSKIP("no PostgreSQL: SENDOFF_TEST_PG is not set");
        TestDatabase database(store::StoreUrl::Kind::PostgreSql, TestDatabase::Migrated::No);
        Program program;
        program.useStore(urlOf(database.url()));
        const Answer empty = program.run(words("run --until-idle"));
        COMPARE_CODE(empty, 3);
        QVERIFY2(empty.err.contains("sendoffd migrate"), empty.err);
        COMPARE_CODE(program.run({QStringLiteral("migrate")}), 0);
        const Answer unpublished = program.run(words("run --until-idle"));
        COMPARE_CODE(unpublished, 5);
        QVERIFY2(unpublished.err.contains("sendoffd publish"), unpublished.err);
    }

    void sandbox_saysItsAddressAnswersThereAndEndsOnSigterm()
    {
        const Program program;
        const auto sandbox = program.start(words("sandbox --listen 127.0.0.1:0"));
        QTRY_VERIFY_WITH_TIMEOUT(sandbox->canReadLine() || (sandbox->waitForReadyRead(100), sandbox->canReadLine()),
                                 60'000);
        const QString address = QString::fromUtf8(sandbox->readLine().trimmed());
        const auto match = QRegularExpression(QStringLiteral("^http://127\\.0\\.0\\.1:(\\d+)$")).match(address);
        QVERIFY2(match.hasMatch(), qPrintable(address));
        const Answer taken = program.run(
            {QStringLiteral("sandbox"), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:") + match.captured(1)});
        COMPARE_CODE(taken, 1);
        sandbox->terminate();
        COMPARE_CODE(Program::finish(*sandbox), 0);
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
