#include "tests/support/engine_fixture.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryFile>
#include <QTest>
#include <atomic>
#include <csignal>
#include <unistd.h>

using namespace sendoff;
using sendoff::test::EngineFixture;
using sendoff::test::TestDatabase;

// The whole path with the built program over real sockets. Waits are limits for a machine that is busy, not claims
// about speed.
class tst_engine : public QObject
{
    Q_OBJECT

    static constexpr int patience = 60'000;

    static QString onlyKey(EngineFixture &fixture)
    {
        return fixture.database().text("SELECT id FROM sendoff_delivery");
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

    void providerDownThenUp_everyMessageArrivesOnce()
    {
        EngineFixture fixture(test::fetchKind());
        QVERIFY(fixture.sandbox()
                    .setScript(R"([{"match": {"first_requests": 4}, "action": {"status": 503}},
                                                {"match": {"first_requests": 6}, "action": {"accept_then_drop": true}}])")
                    .ok());
        auto engine = fixture.start();
        fixture.emitEvents(8);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 8, patience);
        QCOMPARE(fixture.sandbox().stats().accepted, 8);
        QVERIFY(fixture.database().number("SELECT count(*) FROM sendoff_attempt") > 8);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_content"), 0);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void allChannelsDeliver()
    {
        EngineFixture fixture(test::fetchKind());
        for (const char *token : {"ExponentPushToken[one]", "ExponentPushToken[two]"})
            fixture.database().run("INSERT INTO sendoff_contact (user_id, channel, address) VALUES ('u1', 'push', ?)",
                                   {QString::fromLatin1(token)});
        fixture.emitEvents(1, "note");
        fixture.emitEvents(1, "ping");
        fixture.emitEvents(1, "memo");
        auto engine = fixture.start({QStringLiteral("run"), QStringLiteral("--until-idle")});
        QCOMPARE(fixture.ended(*engine), 0);
        QCOMPARE(fixture.countState("accepted"), 3); // one mail, two devices
        QCOMPARE(fixture.countState("delivered"), 1);
        QCOMPARE(fixture.database().text("SELECT title FROM sendoff_inbox"), QStringLiteral("Note 2"));
        QCOMPARE(fixture.sandbox().stats().accepted, 3);
    }

    void killedAtANamedPoint_isRetriedWithTheSameKeyAndCountsOnce_data()
    {
        QTest::addColumn<QByteArray>("point");
        for (const char *point :
             {"before_claim", "after_claim", "after_hand_over", "after_answer", "before_settle", "after_settle"})
            QTest::newRow(point) << QByteArray(point);
    }

    void killedAtANamedPoint_isRetriedWithTheSameKeyAndCountsOnce()
    {
        QFETCH(QByteArray, point);
        EngineFixture fixture(test::fetchKind());
        fixture.emitEvents(1);
        auto doomed = fixture.start({QStringLiteral("run")},
                                    {QStringLiteral("SENDOFF_TEST_KILL_AT=") + QString::fromLatin1(point)});
        QCOMPARE(fixture.ended(*doomed), -1);
        auto engine = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        QCOMPARE(fixture.sandbox().stats().accepted, 1);
        QVERIFY(fixture.sandbox().receptions(onlyKey(fixture)) >= 1);
        const bool mayHaveLeft = point == "after_hand_over" || point == "after_answer" || point == "before_settle";
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_attempt WHERE outcome = 'unknown'"),
                 mayHaveLeft ? 1 : 0);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void LEASE_02_killedAfterTheBodyWasWritten_theSecondCallHasTheSameKey()
    {
        EngineFixture fixture(test::fetchKind());
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"hang": true}, "times": 1}])").ok());
        fixture.emitEvents(1);
        auto doomed = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.sandbox().stats().requests, 1, patience);
        doomed->kill();
        QCOMPARE(fixture.ended(*doomed), -1);
        auto engine = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        QCOMPARE(fixture.sandbox().receptions(onlyKey(fixture)), 2);
        QCOMPARE(fixture.sandbox().stats().accepted, 1);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void LEASE_02_aLeaseThatIsShorterThanTheTimeOutIsRefused()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.lease = "5s";
        settings.timeout = "60s";
        fixture.configure(settings);
        auto engine = fixture.start({QStringLiteral("check")});
        QCOMPARE(fixture.ended(*engine), 2);
        QVERIFY(fixture.errorOutput().contains("lease") || engine->readAllStandardOutput().contains("lease"));
        if (!fixture.database().database().isPostgreSql()) {
            engine = fixture.start();
            QCOMPARE(fixture.ended(*engine), 2);
            QVERIFY2(fixture.errorOutput().contains("lease") && fixture.errorOutput().contains("timeout"),
                     fixture.errorOutput().constData());
        }
    }

    void LEASE_02_aSlowAnswerInsideTheTimeOutIsOneCall()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.lease = "9s";
        settings.timeout = "4s";
        fixture.configure(settings);
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"delay_ms": 3000}}])").ok());
        fixture.emitEvents(1);
        auto first = fixture.start();
        auto second = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        QCOMPARE(fixture.sandbox().receptions(onlyKey(fixture)), 1);
        fixture.terminate(*first);
        fixture.terminate(*second);
        QCOMPARE(fixture.ended(*first), 0);
        QCOMPARE(fixture.ended(*second), 0);
    }

    void twoEngines_tenThousandDeliveries_noneTwice()
    {
        if (test::fetchKind() == store::StoreUrl::Kind::Sqlite)
            QSKIP("several engines share a PostgreSQL");
        EngineFixture fixture(test::fetchKind());
        auto first = fixture.start();
        auto second = fixture.start();
        for (int part = 0; part < 10; ++part)
            fixture.emitEvents(1'000);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 10'000, 5 * patience);
        const sandbox::Stats stats = fixture.sandbox().stats();
        QCOMPARE(stats.accepted, 10'000);
        QCOMPARE(stats.distinctKeys, 10'000);
        QCOMPARE(stats.repeatedKeys, 0);
        QVERIFY2(fixture.database().number("SELECT count(DISTINCT engine) FROM sendoff_attempt") == 2,
                 "one engine did all the work");
        fixture.terminate(*first);
        fixture.terminate(*second);
        QCOMPARE(fixture.ended(*first), 0);
        QCOMPARE(fixture.ended(*second), 0);
    }

    void FLOW_01_sigtermWithSendsInFlightLosesAndBurnsNothing()
    {
        EngineFixture fixture(test::fetchKind());
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"delay_ms": 1500}}])").ok());
        fixture.emitEvents(20);
        auto engine = fixture.start();
        QTRY_VERIFY_WITH_TIMEOUT(fixture.sandbox().stats().requests >= 5, patience);
        fixture.emitEvents(20);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
        QCOMPARE(fixture.countState("leased"), 0);
        QCOMPARE(fixture.countState("accepted"), fixture.sandbox().stats().accepted);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_attempt WHERE outcome <> 'accepted'"), 0);
        QCOMPARE(
            fixture.database().number("SELECT count(*) FROM sendoff_delivery WHERE state = 'ready' AND claims <> 0"),
            0);
    }

    void FLOW_01_hangingSendsAreRecordedAsUnknownWhenTheGraceEnds()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.lease = "65s";
        settings.timeout = "60s";
        settings.drain = "1s";
        fixture.configure(settings);
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"hang": true}}])").ok());
        fixture.emitEvents(3);
        auto engine = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.sandbox().stats().requests, 3, patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 1);
        QCOMPARE(fixture.countState("leased"), 0);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_attempt WHERE outcome = 'unknown'"), 3);
        QCOMPARE(fixture.countState("scheduled"), 3); // with the same key, inside the provider's window
    }

    void FLOW_01_aSecondSigtermCutsOffAtOnce()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.lease = "65s";
        settings.timeout = "60s";
        settings.drain = "50s";
        fixture.configure(settings);
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"hang": true}}])").ok());
        fixture.emitEvents(1);
        auto engine = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.sandbox().stats().requests, 1, patience);
        fixture.terminate(*engine);
        ::kill(pid_t(engine->processId()), SIGINT);
        QCOMPARE(fixture.ended(*engine), 1);
        QCOMPARE(fixture.countState("leased"), 0);
    }

    void POIS_01_aRowThatKillsItsWorkerEndsAndTheOthersArrive()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.lease = "6s";
        settings.timeout = "1s";
        fixture.configure(settings);
        fixture.emitEvents(40);
        fixture.emitEvents(1, "note", ",\"sendoff_test_abort\":true");
        fixture.emitEvents(40);
        int deaths = 0;
        auto engine = fixture.start({QStringLiteral("run")}, {QStringLiteral("SENDOFF_TEST_KILL_AT=render_abort")});
        QElapsedTimer waiting;
        waiting.start();
        while (fixture.countState("accepted") < 80 || fixture.countState("dead") < 1) { // the supervisor
            QVERIFY2(waiting.elapsed() < 3 * patience, "the good rows wait behind the poison");
            if (engine->waitForFinished(200)) {
                ++deaths;
                engine = fixture.start({QStringLiteral("run")}, {QStringLiteral("SENDOFF_TEST_KILL_AT=render_abort")});
            }
        }
        QCOMPARE(deaths, 3);
        QCOMPARE(fixture.database().text("SELECT reason FROM sendoff_delivery WHERE state = 'dead'"),
                 QStringLiteral("worker_lost"));
        QCOMPARE(fixture.database().number("SELECT attempts FROM sendoff_delivery WHERE state = 'dead'"), 0);
        QCOMPARE(fixture.sandbox().stats().accepted, 80);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void LEASE_04_theResultIsKeptWhileTheStoreRefusesWrites()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.lease = "40s";
        settings.timeout = "20s";
        fixture.configure(settings);
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"delay_ms": 1500}}])").ok());
        fixture.emitEvents(1);
        auto engine = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.sandbox().stats().requests, 1, patience);
        if (fixture.database().database().isPostgreSql()) {
            fixture.endEngineSessions();
        } else {
            // Another program holds the write lock for longer than the busy timeout.
            auto other = fixture.database().connect();
            const auto held = other->write([&](store::Session &) {
                QTest::qSleep(7'000); // the fault itself is a stretch of time
                return Result<void>(Error{ErrorCode::Conflict, QStringLiteral("rolled back")});
            });
            QVERIFY(!held);
        }
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        QCOMPARE(fixture.sandbox().receptions(onlyKey(fixture)), 1);
        QVERIFY(!fixture.database().text("SELECT provider_message_id FROM sendoff_delivery").isEmpty());
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void DB_01_afterALostListenerRowsAreStillPickedUpAtCommit()
    {
        if (test::fetchKind() == store::StoreUrl::Kind::Sqlite)
            QSKIP("SQLite has no listener");
        EngineFixture fixture(test::fetchKind());
        auto engine = fixture.start();
        fixture.emitEvents(1);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.database().number("SELECT count(*) FROM sendoff_engine WHERE asleep = 1"), 1,
                                  patience);
        fixture.endEngineSessions();
        fixture.emitEvents(1); // while the session is down
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 2, patience);
        for (int each = 0; each < 3; ++each) {
            QTRY_COMPARE_WITH_TIMEOUT(fixture.database().number("SELECT count(*) FROM sendoff_engine WHERE asleep = 1"),
                                      1, patience);
            fixture.emitEvents(1);
            QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 3 + each, patience);
        }
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void DB_03_onAReadOnlyDatabaseNothingIsSentAndWorkGoesOnAfterwards()
    {
        if (test::fetchKind() == store::StoreUrl::Kind::Sqlite)
            QSKIP("PostgreSQL's default_transaction_read_only");
        EngineFixture fixture(test::fetchKind());
        const QString role = QStringLiteral("r") + fixture.database().url().schema.left(20);
        auto &database = fixture.database().database();
        const auto command = [&](const QString &sql) {
            const auto done = database.write([&](store::Session &session) { session.command(sql.toUtf8()); });
            QVERIFY2(done.ok(), done ? "" : qPrintable(done.error().message));
        };
        command(QStringLiteral("CREATE ROLE %1 LOGIN SUPERUSER").arg(role));
        EngineFixture::Settings settings;
        settings.user = role.toLatin1();
        fixture.configure(settings);
        auto engine = fixture.start();
        fixture.emitEvents(1);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        const auto endSessions = [&] {
            fixture.database().number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = ?",
                                      {role});
        };
        command(QStringLiteral("ALTER ROLE %1 SET default_transaction_read_only = on").arg(role));
        endSessions();
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += engine->readAllStandardError()).contains("read-only"), patience);
        fixture.emitEvents(3);
        QCOMPARE(fixture.sandbox().stats().requests, 1);
        command(QStringLiteral("ALTER ROLE %1 RESET default_transaction_read_only").arg(role));
        QCOMPARE(fixture.sandbox().stats().requests, 1); // no call was made for rows whose claim could not commit
        endSessions();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 4, patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
        command(QStringLiteral("DROP OWNED BY %1").arg(role));
        command(QStringLiteral("DROP ROLE %1").arg(role));
    }

    void DB_08_behindAPoolerInTransactionModeItSaysSoAndSendsNothing()
    {
        if (test::fetchKind() == store::StoreUrl::Kind::Sqlite)
            QSKIP("poolers stand before PostgreSQL");
        const QString pooler = QStringLiteral("/usr/sbin/pgbouncer");
        if (!QFile::exists(pooler)) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must have pgbouncer");
            QSKIP("no pgbouncer");
        }
        EngineFixture fixture(test::fetchKind());
        fixture.emitEvents(1);
        fixture.publish();
        QTcpServer probe; // a free port
        QVERIFY(probe.listen(QHostAddress::LocalHost));
        const QByteArray port = QByteArray::number(probe.serverPort());
        probe.close();
        QTemporaryFile file(QDir::tempPath() + QStringLiteral("/pooler-XXXXXX.ini"));
        QVERIFY(file.open());
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::ReadOther);
        file.write("[databases]\n* = host=127.0.0.1 port=" + fixture.database().url().ports.toLatin1() +
                   " user=" + fixture.database().url().user.toLatin1() +
                   "\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " + port +
                   "\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n");
        file.close();
        QProcess process; // pgbouncer does not run as root
        const bool isRoot = ::geteuid() == 0;
        process.start(isRoot ? QStringLiteral("runuser") : pooler,
                      isRoot ? QStringList{QStringLiteral("-u"), QStringLiteral("postgres"), QStringLiteral("--"),
                                           pooler, file.fileName()}
                             : QStringList{file.fileName()});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                QTcpSocket socket;
                socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port.toUShort());
                return socket.waitForConnected(1'000);
            }(),
            patience);
        EngineFixture::Settings settings;
        settings.port = port;
        fixture.configure(settings);
        auto engine = fixture.start({QStringLiteral("run"), QStringLiteral("--until-idle")});
        const int code = fixture.ended(*engine);
        QVERIFY2(code == 2 || code == 3, fixture.errorOutput().constData());
        QVERIFY2(fixture.errorOutput().contains("pool"), fixture.errorOutput().constData());
        QCOMPARE(fixture.sandbox().stats().requests, 0);
        process.terminate();
        QVERIFY(process.waitForFinished(patience));
    }

    void DB_04_severalWritersOnOneSqliteFile()
    {
        if (test::fetchKind() == store::StoreUrl::Kind::PostgreSql)
            QSKIP("SQLite's single writer");
        EngineFixture fixture(test::fetchKind());
        auto engine = fixture.start();
        std::atomic<bool> stop = false;
        std::atomic<int> lockedErrors = 0;
        std::unique_ptr<QThread> holder(QThread::create([&] {
            auto database = fixture.database().connect();
            while (!stop) {
                const auto held = database->write([](store::Session &session) {
                    session.run("UPDATE sendoff_schema SET schema = schema");
                    QTest::qSleep(1'000);
                });
                lockedErrors += held ? 0 : 1;
                QTest::qSleep(500);
            }
        }));
        std::unique_ptr<QThread> reader(QThread::create([&] {
            auto database = fixture.database().connect(store::Access::ReadOnly);
            while (!stop) {
                const auto seen = database->read([](store::Session &session) {
                    return session.run("SELECT count(*) FROM sendoff_delivery").next();
                });
                lockedErrors += seen ? 0 : 1;
                QTest::qSleep(50);
            }
        }));
        holder->start();
        reader->start();
        for (int part = 0; part < 10; ++part)
            fixture.emitEvents(100);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1'000, 3 * patience);
        stop = true;
        QVERIFY(holder->wait(patience) && reader->wait(patience));
        QCOMPARE(lockedErrors.load(), 0);
        QCOMPARE(fixture.sandbox().stats().repeatedKeys, 0);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
        QVERIFY2(!fixture.errorOutput().contains("locked"), fixture.errorOutput().constData());
        QVERIFY(QFileInfo(fixture.database().url().path + QStringLiteral("-wal")).size() < 64 * 1024 * 1024);
    }

    void LEASE_06_enginesWithWrongClocksSendNeitherEarlyNorTwice()
    {
        if (test::fetchKind() == store::StoreUrl::Kind::Sqlite)
            QSKIP("SQLite's clock is its process's: one host, one clock");
        const QString library = QStringLiteral("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");
        if (!QFile::exists(library)) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must have libfaketime");
            QSKIP("no libfaketime: install faketime");
        }
        EngineFixture fixture(test::fetchKind());
        fixture.database().run("INSERT INTO sendoff_event (id, type, payload, available_at) VALUES "
                               "('later', 'note', '{\"n\":\"x\",\"to\":\"later@example.com\"}', $now_plus(600000))");
        std::vector<std::unique_ptr<QProcess>> engines;
        for (const char *skew : {"+0s", "-120s", "+3600s"})
            engines.push_back(
                fixture.start({QStringLiteral("run")}, {QStringLiteral("LD_PRELOAD=") + library,
                                                        QStringLiteral("FAKETIME_DONT_FAKE_MONOTONIC=1"),
                                                        QStringLiteral("FAKETIME=") + QString::fromLatin1(skew)}));
        for (int part = 0; part < 3; ++part)
            fixture.emitEvents(100);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 300, 3 * patience);
        QCOMPARE(fixture.sandbox().stats().accepted, 300);
        QCOMPARE(fixture.sandbox().stats().repeatedKeys, 0);
        QCOMPARE(fixture.countState("scheduled"), 1);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_attempt WHERE ended_at > $now_plus(1000) OR "
                                           "started_at < $now_plus(-300000)"),
                 0);
        QTRY_VERIFY_WITH_TIMEOUT(
            fixture.database().number("SELECT count(*) FROM sendoff_engine WHERE skew_ms > 3000000") == 1, patience);
        for (auto &engine : engines)
            ::kill(pid_t(engine->processId()), SIGTERM);
        for (auto &engine : engines)
            QCOMPARE(fixture.ended(*engine), 0);
    }

    void RA_01_theProvidersWaitPausesTheBucketAndSpendsNothing()
    {
        EngineFixture fixture(test::fetchKind());
        QVERIFY(
            fixture.sandbox()
                .setScript(
                    R"([{"match": {"first_requests": 1}, "action": {"error": "rate_limit_exceeded", "headers": {"Retry-After": "3"}}}])")
                .ok());
        auto engine = fixture.start();
        fixture.emitEvents(1);
        QTRY_COMPARE_WITH_TIMEOUT(
            fixture.database().number("SELECT count(*) FROM sendoff_attempt WHERE outcome = 'throttled'"), 1, patience);
        const qint64 delay =
            fixture.database().number("SELECT next_delay_ms FROM sendoff_attempt WHERE outcome = 'throttled'");
        QVERIFY2(delay >= 3'000 && delay <= 4'125, qPrintable(QString::number(delay)));
        fixture.emitEvents(1); // new work waits for the bucket too
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 2, patience);
        QCOMPARE(fixture.database().number("SELECT sum(failures) FROM sendoff_delivery"), 0);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }

    void aWrongKeyOpensTheBreakerAndKeepsMessagesQueued()
    {
        EngineFixture fixture(test::fetchKind());
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"error": "restricted_api_key"}}])").ok());
        auto engine = fixture.start();
        fixture.emitEvents(3);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.database().text("SELECT breaker FROM sendoff_provider WHERE name = 'resend'"),
                                  QStringLiteral("open"), patience);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("leased"), 0, patience);
        QCOMPARE(fixture.countState("dead"), 0);
        QVERIFY(fixture.sandbox().setScript("[]").ok());
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 3, 2 * patience);
        QCOMPARE(fixture.database().number("SELECT sum(failures) FROM sendoff_delivery"), 0);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.database().text("SELECT breaker FROM sendoff_provider WHERE name = 'resend'"),
                                  QStringLiteral("closed"), patience);
        fixture.terminate(*engine);
        QCOMPARE(fixture.ended(*engine), 0);
    }
};

QTEST_GUILESS_MAIN(tst_engine)
#include "tst_engine.moc"
