#include "store/delivery_queue.h"
#include "store/failover_store.h"
#include "store/provider_quota.h"
#include "tests/support/store_rows.h"

#include <QTest>

using namespace sendoff;
using namespace sendoff::store;
using sendoff::test::TestDatabase;

namespace {

Failover toSecond(const QString &reason = QStringLiteral("its breaker is open"))
{
    return {Channel::Email, QStringLiteral("resend"),   QStringLiteral("second"),
            reason,         QStringLiteral("engine-1"), Lane::Normal};
}

template <typename T>
T must(const Result<T> &result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().message));
    return *result;
}

} // namespace

class tst_failover : public QObject
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

    void onlyReadyRowsWithoutAnOpenUnknownMove_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<bool>("hasUnknown");
        QTest::addColumn<int>("losses");
        QTest::addColumn<bool>("moves");
        QTest::newRow("ready") << QStringLiteral("ready") << false << 0 << true;
        QTest::newRow("the provider may have it") << QStringLiteral("ready") << true << 0 << false;
        QTest::newRow("lost a worker") << QStringLiteral("ready") << false << 1 << false;
        for (const char *state : {"scheduled", "leased", "held"})
            QTest::newRow(state) << QString::fromLatin1(state) << false << 0 << false;
    }

    void onlyReadyRowsWithoutAnOpenUnknownMove()
    {
        QFETCH(QString, state);
        QFETCH(bool, hasUnknown);
        QFETCH(int, losses);
        QFETCH(bool, moves);
        TestDatabase store(test::fetchKind());
        test::RowSpec spec;
        spec.state = *fromText<DeliveryState>(state);
        spec.hasUnknown = hasUnknown;
        spec.attempts = 1;
        const QString id = test::insertDelivery(store, spec);
        store.run("UPDATE sendoff_delivery_hot SET losses = ?", {losses});
        const qint64 token = store.number("SELECT lease_token FROM sendoff_delivery_hot WHERE id = ?", {id});
        QCOMPARE(must(failOver(store.database(), toSecond(), 100)), moves ? 1 : 0);
        QCOMPARE(store.text("SELECT provider FROM sendoff_delivery_hot WHERE id = ?", {id}),
                 moves ? QStringLiteral("second") : QStringLiteral("resend"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_failover"), moves ? 1 : 0);
        QCOMPARE(store.number("SELECT lease_token FROM sendoff_delivery_hot WHERE id = ?", {id}) > token, moves);
    }

    void theFirstProvidersBytesAndTheTimeOfItsKeyAreGone()
    {
        TestDatabase store(test::fetchKind());
        test::RowSpec spec;
        spec.attempts = 2;
        spec.failures = 2;
        const QString id = test::insertDelivery(store, spec);
        store.run("INSERT INTO sendoff_content (delivery_id, body) VALUES (?, '{}')", {id});
        store.run("UPDATE sendoff_delivery_hot SET first_handed_at = $now_plus(-60000)");
        QCOMPARE(must(failOver(store.database(), toSecond(), 100)), 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_content"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE first_handed_at IS NOT NULL"), 0);
        QCOMPARE(store.number("SELECT failures FROM sendoff_delivery_hot"), 2); // nothing is forgiven, nothing spent
        QCOMPARE(store.text("SELECT detail FROM sendoff_delivery_hot"),
                 QStringLiteral("moved from resend: its breaker is open"));
        // It stands in the other provider's queue at once.
        QCOMPARE(must(promoteDue(store.database(), {}, 10)), 1);
        QCOMPARE(must(countReady(store.database(), QStringLiteral("second"), Lane::Normal, 10)), 1);
        QCOMPARE(must(countReady(store.database(), QStringLiteral("resend"), Lane::Normal, 10)), 0);
    }

    void theOldestInTheQueueMoveFirstAndOnlyOfTheirLane()
    {
        TestDatabase store(test::fetchKind());
        test::RowSpec spec;
        test::insertDeliveries(store, spec, QStringLiteral("n"), 10);
        spec.lane = Lane::Bulk;
        test::insertDeliveries(store, spec, QStringLiteral("b"), 10);
        store.run("UPDATE sendoff_delivery_hot SET vstart = 100 - CAST(substr(id, 3) AS integer)");
        QCOMPARE(must(failOver(store.database(), toSecond(), 4)), 4);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE provider = 'second' AND id IN "
                              "('n-00009', 'n-00008', 'n-00007', 'n-00006')"),
                 4);
        QCOMPARE(must(failOver(store.database(), toSecond(), 100)), 6);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE provider = 'second' AND lane = 'bulk'"),
                 0);
    }

    void aSwitchIsOneRecordWithItsRowsAndReason()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, {}, QStringLiteral("n"), 10);
        QCOMPARE(must(failOver(store.database(), toSecond(), 4)), 4);
        QCOMPARE(must(failOver(store.database(), toSecond(), 4)), 4);
        auto rows = must(failovers(store.database(), 10));
        QCOMPARE(int(rows.size()), 1);
        QCOMPARE(rows[0].rows, 8);
        QCOMPARE(rows[0].failover.reason, QStringLiteral("its breaker is open"));
        QCOMPARE(rows[0].failover.from, QStringLiteral("resend"));
        QCOMPARE(rows[0].failover.to, QStringLiteral("second"));
        QCOMPARE(rows[0].failover.engine, QStringLiteral("engine-1"));
        QCOMPARE(rows[0].failover.channel, Channel::Email);
        // A minute later, and for another reason, it is another one.
        store.run("UPDATE sendoff_failover SET at = $now_plus(-61000)");
        QCOMPARE(must(failOver(store.database(), toSecond(), 1)), 1);
        QCOMPARE(must(failOver(store.database(), toSecond(QStringLiteral("another")), 1)), 1);
        QCOMPARE(must(failOver(store.database(), toSecond(), 1)), 0);
        rows = must(failovers(store.database(), 10));
        QCOMPARE(int(rows.size()), 3);
        QCOMPARE(rows[0].failover.reason, QStringLiteral("another")); // newest first
        QCOMPARE(int(must(failovers(store.database(), 1)).size()), 1);
        QCOMPARE(failovers(store.database(), 0).error().code, ErrorCode::Invalid);
    }

    void onlyAClosedBreakerWithoutAPauseMayTakeOver()
    {
        TestDatabase store(test::fetchKind());
        std::vector<ProviderBucket> buckets;
        for (const char *name : {"fine", "open", "half", "paused", "pause_over"}) {
            ProviderBucket bucket;
            bucket.name = QString::fromLatin1(name);
            bucket.kind = QStringLiteral("resend");
            buckets.push_back(bucket);
        }
        QVERIFY(declareProviders(store.database(), buckets).ok());
        store.run("UPDATE sendoff_provider SET breaker = 'open', breaker_until = $now_plus(-1) WHERE name = 'open'");
        store.run("UPDATE sendoff_provider SET breaker = 'half_open' WHERE name = 'half'");
        store.run("UPDATE sendoff_provider SET paused = 1 WHERE name IN ('paused', 'pause_over')");
        store.run("UPDATE sendoff_provider SET paused_until = $now_plus(-1) WHERE name = 'pause_over'");
        QStringList sendable = must(sendableProviders(
            store.database(), {QStringLiteral("fine"), QStringLiteral("open"), QStringLiteral("half"),
                               QStringLiteral("paused"), QStringLiteral("pause_over"), QStringLiteral("absent")}));
        sendable.sort();
        QCOMPARE(sendable, QStringList({QStringLiteral("fine"), QStringLiteral("pause_over")}));
    }
};

QTEST_GUILESS_MAIN(tst_failover)
#include "tst_failover.moc"
