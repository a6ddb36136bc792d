#include "store/migrator.h"
#include "tests/support/test_database.h"

#include <QTest>
#include <QThread>

using namespace sendoff;
using namespace sendoff::store;
using sendoff::test::TestDatabase;

class tst_migrator : public QObject
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

    void migrate_makesAnEmptyStoreUsableAndRepeatsHarmlessly()
    {
        TestDatabase store(test::fetchKind(), TestDatabase::Migrated::No);
        QCOMPARE(schemaVersion(store.database())->schema, 0);
        QVERIFY(!checkSchema(*schemaVersion(store.database())).ok());
        for (int round = 0; round < 2; ++round) {
            const auto before = migrate(store.database());
            QVERIFY2(before.ok(), before ? "" : qPrintable(before.error().message));
            QCOMPARE(before->schema, round == 0 ? 0 : schemaNumber);
        }
        QVERIFY(checkSchema(*schemaVersion(store.database())).ok());
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_schema"), 1);
    }

    void DB_06_sevenStartAtOnceOnAnEmptyStore()
    {
        TestDatabase store(test::fetchKind(), TestDatabase::Migrated::No);
        std::atomic<int> good = 0;
        QString failure;
        std::vector<std::unique_ptr<QThread>> threads;
        for (int each = 0; each < 7; ++each) {
            threads.emplace_back(QThread::create([&] {
                auto database = store.connect();
                const auto done = migrate(*database);
                if (done)
                    ++good;
                else
                    qWarning("%s", qPrintable(done.error().message));
            }));
        }
        for (auto &thread : threads)
            thread->start();
        for (auto &thread : threads)
            QVERIFY(thread->wait(60'000));
        QCOMPARE(good.load(), 7);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_schema"), 1);
        QCOMPARE(store.number("SELECT schema FROM sendoff_schema"), schemaNumber);
    }

    void newerStoresAreRefusedOrReadOnly()
    {
        TestDatabase store(test::fetchKind());
        store.run("UPDATE sendoff_schema SET schema = 99, min_writer = 99");
        QCOMPARE(checkSchema(*schemaVersion(store.database())).error().code, ErrorCode::ReadOnly);
        QCOMPARE(migrate(store.database()).error().code, ErrorCode::Refused);
        store.run("UPDATE sendoff_schema SET min_reader = 99");
        QCOMPARE(checkSchema(*schemaVersion(store.database())).error().code, ErrorCode::Refused);
    }

    void outboxRefusesWhatItCantKeep_data()
    {
        QTest::addColumn<QString>("payload");
        QTest::newRow("not JSON") << QStringLiteral("{");
        QTest::newRow("array") << QStringLiteral("[1]");
        QTest::newRow("U+0000") << QStringLiteral("{\"a\":\"\\u0000\"}");
        QTest::newRow("too large") << QStringLiteral("{\"a\":\"%1\"}").arg(QString(262'144, u'x'));
    }

    void outboxRefusesWhatItCantKeep()
    {
        QFETCH(QString, payload);
        TestDatabase store(test::fetchKind());
        const auto done = store.database().write([&](Session &session) {
            session.run("INSERT INTO sendoff_event (type, payload) VALUES ('x', ?)", {payload});
        });
        QVERIFY(!done);
        QCOMPARE(done.error().code, ErrorCode::Invalid);
        store.run("INSERT INTO sendoff_event (type, payload) VALUES ('x', ?)",
                  {QStringLiteral("{\"a\":\"C:\\\\u0000\"}")});
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event"), 1);
    }

    void DB_10_timesAreExactToTheMillisecond()
    {
        TestDatabase store(test::fetchKind());
        store.run("INSERT INTO sendoff_event (type, payload, available_at) VALUES ('x', '{}', $at(?))",
                  {qint64(1772955000123)});
        QCOMPARE(store.number("SELECT $ms(available_at) FROM sendoff_event"), 1772955000123);
        store.run("UPDATE sendoff_event SET available_at = '2026-03-08T07:30:00.123Z'");
        QCOMPARE(store.number("SELECT $ms(available_at) FROM sendoff_event"), 1772955000123);
        const qint64 skew = store.number("SELECT $ms($now_plus(1500)) - $ms($now)");
        QCOMPARE(skew, 1500);
    }
};

QTEST_GUILESS_MAIN(tst_migrator)
#include "tst_migrator.moc"
