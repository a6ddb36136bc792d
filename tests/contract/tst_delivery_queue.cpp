#include "store/delivery_queue.h"
#include "store/engine_registry.h"
#include "store/outbox.h"
#include "store/provider_quota.h"
#include "tests/support/test_database.h"

#include <QMutex>
#include <QSet>
#include <QTest>
#include <QThread>
#include <atomic>

using namespace sendoff;
using namespace sendoff::store;
using namespace std::chrono_literals;
using sendoff::test::TestDatabase;

namespace {

// One delivery an event, by email, as the event's type says: "plain", "secret", "refused".
class SimplePlanner : public RelayPlanner
{
public:
    std::vector<UserId> users(const Event &) override { return {}; }
    std::variant<RelayPlan, RelayRefusal> plan(const Event &event, const std::vector<Contact> &) override
    {
        if (event.type == QLatin1String("refused"))
            return RelayRefusal{QStringLiteral("no such type")};
        PlannedDelivery delivery;
        delivery.key = {event.id, channel, QStringLiteral("u1"), {}, 0};
        delivery.id = deliveryId(delivery.key);
        delivery.user = UserId(QStringLiteral("u1"));
        delivery.address = QStringLiteral("u1@example.com");
        delivery.addressHash = QStringLiteral("hash-u1");
        delivery.provider = channel == Channel::Inbox ? QString() : QStringLiteral("resend");
        delivery.category = event.type == QLatin1String("secret") ? securityCategory : QStringLiteral("bookings");
        delivery.lane = event.lane.value_or(Lane::Normal);
        delivery.dueAt = event.availableAt;
        delivery.expiresAt = event.expiresAt;
        delivery.lifetime = 24h;
        delivery.hasSecret = event.type == QLatin1String("secret");
        RelayPlan plan;
        plan.deliveries.push_back(delivery);
        if (delivery.hasSecret) {
            plan.secrets = {QStringLiteral("/code")};
            delivery.key.recipient = QStringLiteral("u2");
            delivery.id = deliveryId(delivery.key);
            plan.deliveries.push_back(delivery);
        }
        return plan;
    }

    Channel channel = Channel::Email;
};

Settlement settlementOf(const ClaimedDelivery &delivery, Outcome outcome)
{
    Settlement settlement;
    settlement.id = delivery.id;
    settlement.token = delivery.token;
    settlement.event = delivery.event;
    settlement.hasSecret = delivery.hasSecret;
    AttemptResult result;
    result.outcome = outcome;
    result.status = outcome == Outcome::Accepted ? 200 : 503;
    result.code = outcome == Outcome::Accepted ? QString() : QStringLiteral("busy");
    result.providerMessageId = outcome == Outcome::Accepted ? QStringLiteral("m-1") : QString();
    Progress progress;
    progress.failures = delivery.failures;
    progress.now = delivery.claimedAt;
    progress.expiresAt = delivery.expiresAt;
    progress.hasUnknown = delivery.hasUnknown;
    settlement.verdict = verdictFor(result, progress, {}, 0.0);
    settlement.attempt = result;
    return settlement;
}

} // namespace

class tst_delivery_queue : public QObject
{
    Q_OBJECT

    template <typename T>
    static T must(Result<T> result)
    {
        if (!result)
            qFatal("%s", qPrintable(result.error().message));
        return std::move(*result);
    }
    static void must(Result<void> result)
    {
        if (!result)
            qFatal("%s", qPrintable(result.error().message));
    }

    static void emitAndRelay(TestDatabase &store, int count, const QString &type = QStringLiteral("plain"),
                             const QString &tenant = {}, Channel channel = Channel::Email)
    {
        for (int each = 0; each < count; ++each) {
            NewEvent event;
            event.type = type;
            event.tenant = tenant;
            event.payload = R"({"code":"123456"})";
            must(appendEvent(store.database(), event));
        }
        SimplePlanner planner;
        planner.channel = channel;
        while (must(relayEvents(store.database(), 200, 1, planner)).relayed > 0) {
        }
    }

    static std::vector<ClaimedDelivery> claimAll(TestDatabase &store, int limit = 50)
    {
        ClaimRequest request;
        request.provider = QStringLiteral("resend");
        request.holder = QStringLiteral("e1");
        request.limit = limit;
        return must(claim(store.database(), request));
    }

    static std::vector<Lease> leases(const std::vector<ClaimedDelivery> &claimed)
    {
        std::vector<Lease> all;
        for (const ClaimedDelivery &each : claimed)
            all.push_back({each.id, each.token});
        return all;
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

    void append_answersTheFirstOnASecondTry()
    {
        TestDatabase store(test::fetchKind());
        NewEvent event;
        event.id = QStringLiteral("e-1");
        event.type = QStringLiteral("plain");
        event.payload = "{}";
        QVERIFY(!must(appendEvent(store.database(), event)).wasThere);
        QVERIFY(must(appendEvent(store.database(), event)).wasThere);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event"), 1);
        event.payload = R"({"a":"\u0000"})";
        event.id = QStringLiteral("e-2");
        QCOMPARE(appendEvent(store.database(), event).error().code, ErrorCode::Invalid);
        event.payload = "{}";
        event.id = QString(201, u'x');
        QCOMPARE(appendEvent(store.database(), event).error().code, ErrorCode::Invalid);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event"), 1);
    }

    void OUT_02_twentyEnqueueOneEventAtOnce()
    {
        TestDatabase store(test::fetchKind());
        std::atomic<int> fresh = 0;
        std::vector<std::unique_ptr<QThread>> threads;
        for (int each = 0; each < 20; ++each) {
            threads.emplace_back(QThread::create([&] {
                auto database = store.connect();
                NewEvent event;
                event.id = QStringLiteral("e-1");
                event.type = QStringLiteral("plain");
                event.payload = "{}";
                if (!must(appendEvent(*database, event)).wasThere)
                    ++fresh;
            }));
        }
        for (auto &thread : threads)
            thread->start();
        for (auto &thread : threads)
            QVERIFY(thread->wait(60'000));
        QCOMPARE(fresh.load(), 1);
        SimplePlanner planner;
        QCOMPARE(must(relayEvents(store.database(), 10, 1, planner)).deliveries, 1);
        QCOMPARE(must(relayEvents(store.database(), 10, 1, planner)).events, 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 1);
    }

    void OUT_02_aDuplicateLeavesTheApplicationsTransactionUsable()
    {
        TestDatabase store(test::fetchKind());
        must(store.database().write([](Session &session) {
            for (int each = 0; each < 2; ++each)
                session.run("INSERT INTO sendoff_event (id, type, payload) VALUES ('e-1', 'plain', '{}') ON CONFLICT "
                            "(id) DO NOTHING");
            session.run("INSERT INTO sendoff_event (id, type, payload) VALUES ('e-2', 'plain', '{}')");
        }));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event"), 2);
    }

    void relay_isolatesWhatItCantRelayAndGivesUpAfterThreeTries()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1, QStringLiteral("refused"));
        emitAndRelay(store, 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 1);
        SimplePlanner planner;
        for (int round = 0; round < 4; ++round) {
            store.run("UPDATE sendoff_event SET relay_after = NULL");
            must(relayEvents(store.database(), 10, 1, planner));
        }
        QCOMPARE(store.text("SELECT state FROM sendoff_event WHERE type = 'refused'"), QStringLiteral("rejected"));
        QCOMPARE(store.number("SELECT tries FROM sendoff_event WHERE type = 'refused'"), 3);
        const EventId id(store.text("SELECT id FROM sendoff_event WHERE type = 'refused'"));
        QCOMPARE(must(retryRejectedEvents(store.database(), {id})), 1);
        QVERIFY(must(workWaiting(store.database())).events);
    }

    void relay_neverSeesAnUncommittedEventAndDoesNotSkipALateOne()
    {
        if (test::fetchKind() == StoreUrl::Kind::Sqlite)
            QSKIP("SQLite has one writer: an open transaction keeps the relay out altogether");
        TestDatabase store(test::fetchKind());
        auto application = store.connect();
        SimplePlanner planner;
        must(application->write([&](Session &session) {
            session.run("INSERT INTO sendoff_event (type, payload) VALUES ('plain', '{}')"); // takes the lower sequence
            emitAndRelay(store, 1);
            QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 1);
        }));
        QCOMPARE(must(relayEvents(store.database(), 10, 1, planner)).relayed, 1);
        const auto rolledBack = application->write([&](Session &session) -> Result<int> {
            session.run("INSERT INTO sendoff_event (type, payload) VALUES ('plain', '{}')");
            return Error{ErrorCode::Conflict, QStringLiteral("the application changed its mind")};
        });
        QVERIFY(!rolledBack);
        QCOMPARE(must(relayEvents(store.database(), 10, 1, planner)).events, 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 2);
    }

    void supersede_laterEventTakesEarlierUnsentDeliveriesOut()
    {
        TestDatabase store(test::fetchKind());
        NewEvent event;
        event.type = QStringLiteral("plain");
        event.payload = "{}";
        event.supersedesKey = QStringLiteral("booking-1");
        event.id = QStringLiteral("first");
        event.availableAt = SystemClock().now() + 1h;
        must(appendEvent(store.database(), event));
        SimplePlanner planner;
        must(relayEvents(store.database(), 10, 1, planner));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery WHERE event_id = 'first'"),
                 QStringLiteral("scheduled"));
        event.id = QStringLiteral("second");
        must(appendEvent(store.database(), event));
        must(relayEvents(store.database(), 10, 1, planner));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery WHERE event_id = 'first'"),
                 QStringLiteral("superseded"));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery WHERE event_id = 'second'"),
                 QStringLiteral("scheduled"));
        // Two of one key in one batch: only the later one lives, in whatever order they are relayed.
        for (const char *id : {"third", "fourth"}) {
            event.id = QString::fromLatin1(id);
            must(appendEvent(store.database(), event));
        }
        must(relayEvents(store.database(), 10, 1, planner));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery WHERE event_id = 'third'"),
                 QStringLiteral("superseded"));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery WHERE event_id = 'fourth'"),
                 QStringLiteral("scheduled"));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery WHERE event_id = 'second'"),
                 QStringLiteral("superseded"));
    }

    void claim_givesEachDeliveryToOneHolder()
    {
        TestDatabase store(test::fetchKind());
        constexpr int total = 20'000;
        const QByteArray numbers = store.database().isPostgreSql()
                                       ? QByteArray("generate_series(1, 20000) AS s(n)")
                                       : QByteArray("(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s "
                                                    "WHERE n < 20000) SELECT n FROM s) AS s");
        store.run("INSERT INTO sendoff_event (id, type, payload) SELECT 'e' || n, 'plain', '{}' FROM " + numbers);
        SimplePlanner planner;
        while (must(relayEvents(store.database(), 1'000, 1, planner)).relayed > 0) {
        }
        QMutex mutex;
        QSet<QString> seen;
        int claimed = 0;
        std::vector<std::unique_ptr<QThread>> threads;
        for (int worker = 0; worker < 8; ++worker) {
            threads.emplace_back(QThread::create([&, worker] {
                auto database = store.connect();
                ClaimRequest request;
                request.provider = QStringLiteral("resend");
                request.holder = QStringLiteral("e%1").arg(worker);
                request.limit = 200;
                bool bounded = true;
                for (;;) {
                    request.bounded = bounded;
                    const auto rows = must(claim(*database, request));
                    if (rows.empty()) {
                        if (!bounded)
                            return;
                        bounded = false; // rows below the lane's clock need an unbounded look
                        continue;
                    }
                    const QMutexLocker lock(&mutex);
                    for (const ClaimedDelivery &each : rows)
                        seen.insert(each.id.value);
                    claimed += int(rows.size());
                }
            }));
        }
        for (auto &thread : threads)
            thread->start();
        for (auto &thread : threads)
            QVERIFY(thread->wait(300'000));
        QCOMPARE(claimed, total);
        QCOMPARE(int(seen.size()), total);
    }

    void claim_sharesALaneFairlyAmongTenants()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 300, QStringLiteral("plain"), QStringLiteral("flood"));
        QCOMPARE(int(claimAll(store, 100).size()), 100);
        emitAndRelay(store, 1, QStringLiteral("plain"), QStringLiteral("small"));
        bool found = false;
        for (const ClaimedDelivery &each : claimAll(store, 10))
            found = found || each.tenant == QLatin1String("small");
        QVERIFY2(found, "a tenant with one message waits behind another one's flood");
    }

    void handOver_refusesWhatChangedAfterTheClaim()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 6);
        const auto claimed = claimAll(store);
        QCOMPARE(int(claimed.size()), 6);
        store.run("UPDATE sendoff_delivery_hot SET expires_at = $now_plus(-1000) WHERE id = ?", {claimed[0].id.value});
        store.run("UPDATE sendoff_delivery_hot SET lease_token = lease_token + 1 WHERE id = ?", {claimed[1].id.value});
        store.run("UPDATE sendoff_delivery_hot SET lease_until = $now_plus(500) WHERE id = ?", {claimed[2].id.value});
        auto answers = must(handOver(store.database(), leases(claimed), 5s));
        QHash<QString, HandOver> byId;
        for (const HandOver &each : answers)
            byId.insert(each.id.value, each);
        QVERIFY(!byId.value(claimed[0].id.value).handed && byId.value(claimed[0].id.value).read.expired);
        QVERIFY2(!byId.contains(claimed[1].id.value), "a stale token was handed over");
        QVERIFY2(!byId.contains(claimed[2].id.value), "a lease that ends too soon was handed over");
        QVERIFY(byId.value(claimed[3].id.value).handed);
        QCOMPARE(store.number("SELECT attempts FROM sendoff_delivery_hot WHERE id = ?", {claimed[3].id.value}), 1);
        QCOMPARE(store.number("SELECT attempts FROM sendoff_delivery_hot WHERE id = ?", {claimed[0].id.value}), 0);
    }

    void handOver_honoursPreferencesAndSuppressionsButSendsSecurity()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1);
        emitAndRelay(store, 1, QStringLiteral("secret"));
        store.run("INSERT INTO sendoff_preference (user_id, category, channel, allowed) VALUES ('u1', 'bookings', "
                  "'email', 0)");
        store.run("INSERT INTO sendoff_preference (user_id, category, channel, allowed) VALUES ('u1', 'security', "
                  "'email', 0)");
        store.run(
            "INSERT INTO sendoff_suppression (channel, address_hash, reason) VALUES ('email', 'hash-u1', 'complaint')");
        for (const HandOver &each : must(handOver(store.database(), leases(claimAll(store)), 1s)))
            QCOMPARE(each.handed, each.read.isSecurity);
        emitAndRelay(store, 1, QStringLiteral("secret"));
        store.run("INSERT INTO sendoff_suppression (channel, address_hash, reason) VALUES ('email', 'hash-u1', "
                  "'hard_bounce')");
        const auto answers = must(handOver(store.database(), leases(claimAll(store)), 1s));
        QCOMPARE(int(answers.size()), 2);
        for (const HandOver &each : answers)
            QVERIFY2(!each.handed, "nothing can arrive at an address that bounced for good");
    }

    void settle_writesAttemptStateAndHistoryTogether()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 2);
        const auto claimed = claimAll(store);
        must(handOver(store.database(), leases(claimed), 1s));
        Settlement failed = settlementOf(claimed[1], Outcome::Transient);
        failed.frozen = R"({"exact":"bytes"})";
        const auto lost =
            must(settle(store.database(), QStringLiteral("e1"), {settlementOf(claimed[0], Outcome::Accepted), failed}));
        QVERIFY(lost.empty());
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery_history WHERE id = ?", {claimed[0].id.value}),
                 QStringLiteral("accepted"));
        QCOMPARE(store.text("SELECT provider_message_id FROM sendoff_delivery_history"), QStringLiteral("m-1"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot"), 1);
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery_hot"), QStringLiteral("scheduled"));
        QCOMPARE(store.number("SELECT failures FROM sendoff_delivery_hot"), 1);
        const qint64 wait = store.number("SELECT $ms(due_at) - $ms($now) FROM sendoff_delivery_hot");
        QVERIFY2(wait > 0 && wait <= 15'000, qPrintable(QString::number(wait)));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_attempt"), 2);
        QCOMPARE(store.text("SELECT body FROM sendoff_content"), QStringLiteral(R"({"exact":"bytes"})"));
        // The second attempt sends those bytes; its end removes them.
        store.run("UPDATE sendoff_delivery_hot SET due_at = $now");
        QCOMPARE(must(promoteDue(store.database(), {}, 10)), 1);
        const auto again = claimAll(store);
        QCOMPARE(int(again.size()), 1);
        QCOMPARE(again[0].frozen, QByteArray(R"({"exact":"bytes"})"));
        QCOMPARE(again[0].attempts, 1);
        must(handOver(store.database(), leases(again), 1s));
        QVERIFY(
            must(settle(store.database(), QStringLiteral("e1"), {settlementOf(again[0], Outcome::Accepted)})).empty());
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_content"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_attempt WHERE delivery_id = ?", {again[0].id.value}), 2);
    }

    void settle_refusesAStaleToken()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1);
        const auto claimed = claimAll(store);
        must(handOver(store.database(), leases(claimed), 1s));
        store.run("UPDATE sendoff_delivery_hot SET lease_until = $now_plus(-1000)");
        const auto taken = must(takeLost(store.database(), QStringLiteral("e2"), 10));
        QCOMPARE(int(taken.size()), 1);
        QVERIFY(taken[0].handed);
        const auto lost =
            must(settle(store.database(), QStringLiteral("e1"), {settlementOf(claimed[0], Outcome::Accepted)}));
        QCOMPARE(int(lost.size()), 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_attempt"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history"), 0);
        // A late answer is kept; while it is leased again it changes nothing, afterwards it resolves the delivery.
        must(recordLateResult(store.database(), settlementOf(claimed[0], Outcome::Accepted)));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery_hot"), QStringLiteral("leased"));
        Settlement unknown;
        unknown.id = taken[0].delivery.id;
        unknown.token = taken[0].delivery.token;
        unknown.event = taken[0].delivery.event;
        unknown.losses = 1;
        Progress progress;
        progress.losses = 1;
        progress.now = taken[0].now;
        progress.expiresAt = taken[0].delivery.expiresAt;
        progress.firstHandedAt = taken[0].delivery.firstHandedAt;
        unknown.verdict = verdictForLoss(true, progress, {}, 0.5);
        unknown.attempt = AttemptResult{};
        QVERIFY(must(settle(store.database(), QStringLiteral("e2"), {unknown})).empty());
        must(recordLateResult(store.database(), settlementOf(claimed[0], Outcome::Accepted)));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery"), QStringLiteral("accepted"));
        QCOMPARE(store.number("SELECT has_unknown FROM sendoff_delivery"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_receipt"), 1);
    }

    void settle_twiceInTwoBatchesIsFencedTheSecondTime()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1);
        const auto claimed = claimAll(store);
        must(handOver(store.database(), leases(claimed), 1s));
        const Settlement done = settlementOf(claimed[0], Outcome::Accepted);
        QVERIFY(must(settle(store.database(), QStringLiteral("e1"), {done})).empty());
        QCOMPARE(int(must(settle(store.database(), QStringLiteral("e1"), {done})).size()), 1);
        must(recordLateResult(store.database(), done));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_receipt"), 0); // our own write, not a late word
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_attempt"), 1);
    }

    void lateResult_ofOurOwnCommittedWriteIsNoReceipt()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1);
        const auto claimed = claimAll(store);
        must(handOver(store.database(), leases(claimed), 1s));
        const Settlement failed = settlementOf(claimed[0], Outcome::Transient);
        QVERIFY(must(settle(store.database(), QStringLiteral("e1"), {failed})).empty());
        QCOMPARE(int(must(settle(store.database(), QStringLiteral("e1"), {failed})).size()), 1);
        must(recordLateResult(store.database(), failed));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_receipt"), 0);
    }

    void idle_countsOnlyWhatThisEngineCanMove()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1);
        QVERIFY(must(hasRunnableDeliveries(store.database(), {QStringLiteral("resend")})));
        QVERIFY(!must(hasRunnableDeliveries(store.database(), {QStringLiteral("another")})));
        emitAndRelay(store, 1, QStringLiteral("plain"), {}, Channel::Inbox);
        QVERIFY(must(hasRunnableDeliveries(store.database(), {})));
    }

    void settle_scrubsSecretsWithTheLastDeliveryThatMaySend()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1, QStringLiteral("secret"));
        const auto claimed = claimAll(store);
        QCOMPARE(int(claimed.size()), 2);
        must(handOver(store.database(), leases(claimed), 1s));
        must(settle(store.database(), QStringLiteral("e1"), {settlementOf(claimed[0], Outcome::Accepted)}));
        QCOMPARE(store.text("SELECT payload FROM sendoff_event"), QStringLiteral(R"({"code":"123456"})"));
        must(settle(store.database(), QStringLiteral("e1"), {settlementOf(claimed[1], Outcome::Accepted)}));
        QCOMPARE(store.text("SELECT payload FROM sendoff_event"), QStringLiteral(R"({"code":null})"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event WHERE scrubbed_at IS NOT NULL"), 1);
    }

    void inbox_rowAndDeliveryCommitTogether()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1, QStringLiteral("plain"), {}, Channel::Inbox);
        ClaimRequest request;
        request.holder = QStringLiteral("e1");
        const auto claimed = must(claim(store.database(), request));
        QCOMPARE(int(claimed.size()), 1);
        Settlement delivered;
        delivered.id = claimed[0].id;
        delivered.token = claimed[0].token;
        delivered.event = claimed[0].event;
        delivered.verdict.state = DeliveryState::Delivered;
        delivered.inbox =
            InboxEntry{QStringLiteral("Title"), QStringLiteral("Body 😀"), QStringLiteral("/b/1"), QStringLiteral("en")};
        QVERIFY(must(settle(store.database(), QStringLiteral("e1"), {delivered})).empty());
        QCOMPARE(store.text("SELECT body FROM sendoff_inbox WHERE user_id = 'u1'"), QStringLiteral("Body 😀"));
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery"), QStringLiteral("delivered"));
    }

    void POIS_01_rowsThatLostAWorkerAreClaimedAloneAndNotAmongOthers()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 3);
        const auto claimed = claimAll(store);
        store.run("UPDATE sendoff_delivery_hot SET lease_until = $now_plus(-1000)");
        for (const LostDelivery &each : must(takeLost(store.database(), QStringLiteral("e2"), 10))) {
            QVERIFY(!each.handed);
            Settlement back;
            back.id = each.delivery.id;
            back.token = each.delivery.token;
            back.event = each.delivery.event;
            back.losses = each.delivery.losses + 1;
            Progress progress;
            progress.losses = back.losses;
            progress.now = each.now;
            progress.expiresAt = each.delivery.expiresAt;
            back.verdict = verdictForLoss(false, progress, {}, 0.5);
            QVERIFY(must(settle(store.database(), QStringLiteral("e2"), {back})).empty());
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_attempt"), 0); // nothing had left
        QCOMPARE(must(promoteDue(store.database(), {}, 10)), 3);
        QVERIFY(claimAll(store).empty());
        ClaimRequest request;
        request.provider = QStringLiteral("resend");
        request.holder = QStringLiteral("e2");
        request.suspects = true;
        QCOMPARE(int(must(claim(store.database(), request)).size()), 1);
    }

    void LEASE_04_aLeasedRowWithoutAnEndIsTakenUp()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1);
        store.run("UPDATE sendoff_delivery_hot SET state = 'leased', lease_until = NULL");
        QCOMPARE(int(must(takeLost(store.database(), QStringLiteral("e2"), 10)).size()), 1);
    }

    void release_returnsUnusedLeasesWithoutSpendingAnything()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 2);
        const auto claimed = claimAll(store);
        must(handOver(store.database(), {{claimed[0].id, claimed[0].token}}, 1s));
        QCOMPARE(must(release(store.database(), leases(claimed))), 1); // the one handed over is on the wire
        QCOMPARE(store.number("SELECT claims FROM sendoff_delivery_hot WHERE state = 'ready'"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE state = 'leased'"), 1);
    }

    void expire_endsWhatWaitedTooLong()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 2);
        store.run("UPDATE sendoff_delivery_hot SET expires_at = $now_plus(-1), has_unknown = CASE WHEN id = (SELECT "
                  "min(id) FROM sendoff_delivery_hot) THEN 1 ELSE 0 END");
        QCOMPARE(must(expireOverdue(store.database(), 10)), 2);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery WHERE state = 'expired'"), 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery WHERE state = 'unknown'"), 1);
    }

    void LEASE_06_leaseEndsAndDueTimesAreTheDatabasesClock()
    {
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1);
        claimAll(store);
        const qint64 left = store.number("SELECT $ms(lease_until) - $ms($now) FROM sendoff_delivery_hot");
        QVERIFY2(left > 50'000 && left <= 60'000, qPrintable(QString::number(left)));
        const auto leaseEnd = must(untilNextDue(store.database()));
        QVERIFY(leaseEnd && *leaseEnd > 50s && *leaseEnd <= 60s);
        store.run("UPDATE sendoff_delivery_hot SET state = 'scheduled', due_at = $now_plus(600000)");
        const auto until = must(untilNextDue(store.database()));
        QVERIFY(until && *until > 590s && *until <= 600s);
        QCOMPARE(must(promoteDue(store.database(), {}, 10)), 0);
    }

    void connectionLossIsAnErrorOnceAndWorkGoesOnAfterwards()
    {
        if (test::fetchKind() == StoreUrl::Kind::Sqlite)
            QSKIP("SQLite has no session to lose");
        TestDatabase store(test::fetchKind());
        emitAndRelay(store, 1);
        auto victim = store.connect();
        const qint64 pid = must(victim->read([](Session &session) {
            Cursor row = session.run("SELECT pg_backend_pid()");
            row.next();
            return row.integer(0);
        }));
        store.number("SELECT 1 FROM pg_terminate_backend(?)", {pid});
        const auto failed = victim->probe();
        QVERIFY(!failed);
        QCOMPARE(failed.error().code, ErrorCode::Unavailable);
        QVERIFY(!victim->isConnected());
        ClaimRequest request;
        request.provider = QStringLiteral("resend");
        QCOMPARE(int(must(claim(*victim, request)).size()), 1);
        QCOMPARE(victim->connectionCount(), 2);
    }

    void textsWithNulAreRefusedBeforeTheyReachTheStatement()
    {
        TestDatabase store(test::fetchKind());
        const QString text = QStringLiteral("x") + QChar(0) + QStringLiteral("y");
        const auto failed = store.database().read([&](Session &session) {
            return session.run("SELECT count(*) FROM sendoff_event WHERE type = ?", {text}).next();
        });
        QVERIFY(!failed);
        QCOMPARE(failed.error().code, ErrorCode::Invalid);
        must(store.database().probe());
    }

    void engineRegistry_heartbeatsOfUnknownEnginesAreRefused()
    {
        TestDatabase store(test::fetchKind());
        const EngineIdentity engine{QStringLiteral("id-1"), QStringLiteral("e"), QStringLiteral("h"), 7,
                                    QStringLiteral("0.1")};
        QCOMPARE(heartbeat(store.database(), engine, 0ms, 0).error().code, ErrorCode::NotFound);
        must(registerEngine(store.database(), engine));
        must(declareAsleep(store.database(), engine, true));
        const auto alive = must(heartbeat(store.database(), engine, 12ms, 3));
        QVERIFY(alive.databaseNow.time_since_epoch().count() > 0);
        must(retireEngine(store.database(), engine));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_engine WHERE stopped_at IS NOT NULL AND asleep = 0"), 1);
        must(makePartitions(store.database()));
        must(makePartitions(store.database()));
    }

    void notify_wakesASleepingEngineAndIsQuietOtherwise()
    {
        if (test::fetchKind() == StoreUrl::Kind::Sqlite)
            QSKIP("SQLite has no notifications: the -wal file is watched");
        TestDatabase store(test::fetchKind());
        auto listener = store.connect();
        int woken = 0;
        must(listener->listen([&] { ++woken; }));
        const EngineIdentity engine{QStringLiteral("id-1"), QStringLiteral("e"), QStringLiteral("h"), 7,
                                    QStringLiteral("0.1")};
        must(registerEngine(store.database(), engine));
        store.run("INSERT INTO sendoff_event (type, payload) VALUES ('plain', '{}')");
        must(declareAsleep(store.database(), engine, true));
        store.run("INSERT INTO sendoff_event (type, payload) VALUES ('plain', '{}')");
        QTRY_COMPARE(woken, 1); // and not 2: the first insert met no sleeper
    }

    void quota_holdsRateAndBurst();
};

void tst_delivery_queue::quota_holdsRateAndBurst()
{
    TestDatabase store(test::fetchKind());
    ProviderBucket bucket;
    bucket.name = QStringLiteral("resend");
    bucket.ratePerSecond = 0.001; // no token comes back while the test runs
    bucket.burst = 10;
    must(declareProviders(store.database(), {bucket}));
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 6, 0)).granted, 6);
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 6, 2)).granted, 2); // the urgent reserve stays
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 6, 0)).granted, 2);
    const QuotaGrant empty = must(takeQuota(store.database(), bucket.name, 6, 0));
    QCOMPARE(empty.granted, 0);
    QVERIFY(empty.wait > 0ms);
    must(throttleProvider(store.database(), bucket.name, 60s));
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 1, 0)).blockedBy, QStringLiteral("throttled"));
    store.run("UPDATE sendoff_provider SET throttled_until = NULL, step_us = 0");
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 50, 0)).granted, 50);
    must(tripBreaker(store.database(), bucket.name, QStringLiteral("bad key")));
    must(tripBreaker(store.database(), bucket.name, QStringLiteral("bad key")));
    QCOMPARE(store.number("SELECT breaker_trips FROM sendoff_provider"), 1);
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 50, 0)).blockedBy, QStringLiteral("breaker"));
    store.run("UPDATE sendoff_provider SET breaker_until = $now_plus(-1)");
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 50, 0)).granted, 1); // half open: one probe
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 50, 0)).granted, 0);
    must(closeBreaker(store.database(), bucket.name));
    QCOMPARE(must(takeQuota(store.database(), bucket.name, 50, 0)).granted, 50);
    QCOMPARE(takeQuota(store.database(), QStringLiteral("absent"), 1, 0).error().code, ErrorCode::NotFound);
}

QTEST_GUILESS_MAIN(tst_delivery_queue)
#include "tst_delivery_queue.moc"
