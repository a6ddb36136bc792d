#include "store/delivery_queue.h"
#include "store/provider_quota.h"
#include "tests/support/store_rows.h"

#include <QTest>
#include <atomic>
#include <thread>

using namespace sendoff;
using namespace sendoff::store;
using sendoff::test::TestDatabase;

namespace {

const QString provider = QStringLiteral("resend");
constexpr qint64 ceilingStep = 10'000; // microseconds: 100 a second

template <typename T>
T must(const Result<T> &result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().message));
    return *result;
}
void must(const Result<void> &result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().message));
}

ProviderBucket bucket()
{
    ProviderBucket made;
    made.name = provider;
    made.kind = QStringLiteral("resend");
    made.ratePerSecond = 100;
    made.burst = 40;
    return made;
}

} // namespace

// What the fleet may send to one provider. Time is moved by the rows' own times: nothing here waits.
class tst_provider_quota : public QObject
{
    Q_OBJECT

    static void declare(TestDatabase &store, const ProviderBucket &made = bucket())
    {
        must(declareProviders(store.database(), {made}));
    }
    // What lets the next look find a full bucket.
    static void refill(TestDatabase &store)
    {
        store.run("UPDATE sendoff_provider SET tat_us = 0, throttled_until = NULL");
    }
    static void learnedAgo(TestDatabase &store, qint64 milliseconds)
    {
        store.run("UPDATE sendoff_provider SET learned_at = $now_plus(?), throttled_until = NULL", {-milliseconds});
    }
    static void throttle(TestDatabase &store) { must(throttleProvider(store.database(), provider, Milliseconds(500))); }
    static qint64 learned(TestDatabase &store)
    {
        return store.number("SELECT coalesce(learned_step_us, 0) FROM sendoff_provider");
    }
    // What a full bucket gives at once: the burst of the rate that holds now.
    static int grantedAtOnce(TestDatabase &store)
    {
        refill(store);
        return must(takeQuota(store.database(), provider, 1'000, 0)).granted;
    }
    static QuotaGrant take(TestDatabase &store, int want)
    {
        refill(store);
        return must(takeQuota(store.database(), provider, want, 0));
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

    void a429HalvesTheRateOnceASecondAtMost()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        QCOMPARE(grantedAtOnce(store), 40);
        throttle(store);
        QCOMPARE(learned(store), ceilingStep * 2);
        for (int each = 0; each < 5; ++each) // the rest of the same storm
            throttle(store);
        QCOMPARE(learned(store), ceilingStep * 2);
        QCOMPARE(must(takeQuota(store.database(), provider, 1, 0)).blockedBy, QStringLiteral("throttled"));
        learnedAgo(store, 1'100);
        throttle(store);
        // A second's climb is a fiftieth of the ceiling: 52/s, halved.
        QVERIFY2(learned(store) > ceilingStep * 37 / 10 && learned(store) < ceilingStep * 4,
                 qPrintable(QString::number(learned(store))));
    }

    void theRateIsNeverBelowATwentieth()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        for (int each = 0; each < 30; ++each) {
            throttle(store);
            learnedAgo(store, 1'000);
        }
        QVERIFY(learned(store) <= ceilingStep * 20);
        QVERIFY(learned(store) > ceilingStep * 10);
        // 1 at 5/s and a little climb; the second is not there at once.
        learnedAgo(store, 0);
        refill(store);
        QVERIFY(must(takeQuota(store.database(), provider, 1'000, 0)).granted <= 7);
        QCOMPARE(must(takeQuota(store.database(), provider, 1'000, 0)).granted, 0);
    }

    void theRateClimbsByAFiftiethOfTheCeilingASecond_data()
    {
        QTest::addColumn<qint64>("afterMs");
        QTest::addColumn<int>("rate");
        QTest::newRow("at once") << qint64(0) << 5;
        QTest::newRow("10 s") << qint64(10'000) << 25;
        QTest::newRow("17 s") << qint64(17'000) << 39;
        QTest::newRow("47.5 s: all of it") << qint64(47'500) << 40; // the configured burst
        QTest::newRow("a day") << qint64(86'400'000) << 40;
    }

    void theRateClimbsByAFiftiethOfTheCeilingASecond()
    {
        QFETCH(qint64, afterMs);
        QFETCH(int, rate);
        TestDatabase store(test::fetchKind());
        declare(store);
        store.run("UPDATE sendoff_provider SET learned_step_us = ?", {ceilingStep * 20});
        learnedAgo(store, afterMs);
        const int granted = grantedAtOnce(store);
        // Times are kept in milliseconds and steps in microseconds: one less by rounding, some more by the time this
        // takes.
        QVERIFY2(granted >= rate - 1 && granted <= std::min(40, rate + 4), qPrintable(QString::number(granted)));
        if (afterMs >= 47'500) { // the ceiling's own step holds again
            const qint64 before = store.number("SELECT $now_us");
            refill(store);
            QCOMPARE(must(takeQuota(store.database(), provider, 10, 0)).granted, 10);
            const qint64 reached = store.number("SELECT tat_us FROM sendoff_provider");
            const qint64 after = store.number("SELECT $now_us");
            QVERIFY(reached >= before + 10 * ceilingStep && reached <= after + 10 * ceilingStep);
        }
    }

    void aPersonsLimitStandsBesideTheLearnedOne()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        const auto override = [&](qint64 step) {
            store.run("UPDATE sendoff_provider SET override_step_us = ?, override_until = $now_plus(60000)", {step});
        };
        override(100'000); // 10/s
        QCOMPARE(grantedAtOnce(store), 10);
        // What was learned at a higher rate does not lift it.
        store.run("UPDATE sendoff_provider SET learned_step_us = ?", {ceilingStep * 2});
        learnedAgo(store, 0);
        QCOMPARE(grantedAtOnce(store), 10);
        // A 429 at a person's rate halves that rate.
        learnedAgo(store, 3'600'000);
        throttle(store);
        QCOMPARE(learned(store), qint64(200'000));
        QCOMPARE(grantedAtOnce(store), 5);
        // Its end gives the climb back to the configured one.
        store.run("UPDATE sendoff_provider SET override_until = $now_plus(-1)");
        learnedAgo(store, 60'000);
        QCOMPARE(grantedAtOnce(store), 40);
    }

    void whatASlowerRateTookIsNotWaitedForAfterItsEnd()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        store.run("UPDATE sendoff_provider SET override_step_us = ?, override_until = $now_plus(60000)",
                  {qint64(3'600'000'000)}); // one an hour
        QCOMPARE(grantedAtOnce(store), 1);
        QCOMPARE(must(takeQuota(store.database(), provider, 9, 0)).granted, 0);
        store.run("UPDATE sendoff_provider SET override_until = $now_plus(-1)");
        // The bucket is empty at first, and fills at the rate that holds now.
        const QuotaGrant next = must(takeQuota(store.database(), provider, 9, 0));
        QVERIFY(next.granted <= 1);
        QVERIFY2(next.wait <= Milliseconds(400), QByteArray::number(qint64(next.wait.count())).constData());
        int granted = 0;
        QTRY_VERIFY((granted += must(takeQuota(store.database(), provider, 9, 0)).granted) >= 9);
    }

    void aProviderWithoutALimitIsNotHalved()
    {
        TestDatabase store(test::fetchKind());
        ProviderBucket free = bucket();
        free.ratePerSecond = 0;
        declare(store, free);
        throttle(store);
        QCOMPARE(learned(store), qint64(0));
        QCOMPARE(must(takeQuota(store.database(), provider, 7, 0)).blockedBy, QStringLiteral("throttled"));
        QCOMPARE(grantedAtOnce(store), 1'000);
        must(tripBreaker(store.database(), provider, QStringLiteral("x")));
        must(closeBreaker(store.database(), provider));
        QCOMPARE(grantedAtOnce(store), 1'000);
    }

    void aProviderThatIsJustBackBeginsAtATenth()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        must(tripBreaker(store.database(), provider, QStringLiteral("401 invalid_api_key")));
        QCOMPARE(must(takeQuota(store.database(), provider, 50, 0)).blockedBy, QStringLiteral("breaker"));
        QCOMPARE(must(takeQuota(store.database(), provider, 50, 0)).granted, 0);
        must(closeBreaker(store.database(), provider));
        QCOMPARE(learned(store), ceilingStep * 10);
        const int granted = grantedAtOnce(store);
        QVERIFY2(granted >= 10 && granted <= 13, qPrintable(QString::number(granted)));
        learnedAgo(store, 45'100); // nine tenths at a fiftieth a second
        QCOMPARE(grantedAtOnce(store), 40);
        // Closing what is closed teaches nothing.
        must(closeBreaker(store.database(), provider));
        QCOMPARE(grantedAtOnce(store), 40);
    }

    void theBreakerOpensForLongerEachTime()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        const auto openFor = [&] {
            return store.number("SELECT $ms(breaker_until) - $ms($now) FROM sendoff_provider");
        };
        for (const qint64 wanted : {15'000, 30'000, 60'000, 120'000, 240'000, 480'000, 600'000, 600'000}) {
            must(tripBreaker(store.database(), provider, QStringLiteral("x")));
            must(tripBreaker(store.database(), provider, QStringLiteral("x"))); // in flight with it
            QVERIFY2(openFor() <= wanted && openFor() > wanted - 5'000, qPrintable(QString::number(openFor())));
            store.run("UPDATE sendoff_provider SET breaker_until = $now_plus(-1)");
            QCOMPARE(take(store, 9).granted, 1); // the probe
        }
        must(closeBreaker(store.database(), provider));
        must(tripBreaker(store.database(), provider, QStringLiteral("x")));
        QVERIFY(openFor() <= 15'000);
    }

    void halfOpenGivesExactlyOneEngineTheProbe()
    {
        TestDatabase store(test::fetchKind());
        declare(store);
        for (int turn = 0; turn < 10; ++turn) {
            must(tripBreaker(store.database(), provider, QStringLiteral("x")));
            store.run("UPDATE sendoff_provider SET breaker_until = $now_plus(-1)");
            std::atomic<int> granted = 0;
            std::atomic<int> refused = 0;
            std::vector<std::thread> engines;
            for (int each = 0; each < 2; ++each)
                engines.emplace_back([&] {
                    const auto connection = store.connect();
                    const QuotaGrant grant = must(takeQuota(*connection, provider, 50, 0));
                    granted += grant.granted;
                    refused += grant.granted == 0 ? 1 : 0;
                    if (grant.blockedBy != QLatin1String("breaker"))
                        qFatal("blocked by %s", qPrintable(grant.blockedBy));
                });
            for (std::thread &engine : engines)
                engine.join();
            QCOMPARE(granted.load(), 1);
            QCOMPARE(refused.load(), 1);
            must(closeBreaker(store.database(), provider));
        }
    }

    void FLOW_04_aDaysLimitIsExactAndNamed()
    {
        TestDatabase store(test::fetchKind());
        ProviderBucket limited = bucket();
        limited.dailyLimit = 100;
        declare(store, limited);
        int sent = 0;
        for (int each = 0; each < 10; ++each)
            sent += take(store, 30).granted;
        QCOMPARE(sent, 100);
        const QuotaGrant spent = take(store, 30);
        QCOMPARE(spent.granted, 0);
        QCOMPARE(spent.blockedBy, QStringLiteral("daily quota"));
        QVERIFY(spent.wait > Milliseconds(0));
        // Raised while it runs: the rest may go; lowered: nothing more.
        limited.dailyLimit = 120;
        declare(store, limited);
        QCOMPARE(take(store, 30).granted, 20);
        limited.dailyLimit = 60;
        declare(store, limited);
        QCOMPARE(take(store, 30).granted, 0);
        QCOMPARE(store.number("SELECT day_used FROM sendoff_provider"), 120);
    }

    void theCountsBeginAnewWithTheUtcDayAndMonth()
    {
        TestDatabase store(test::fetchKind());
        ProviderBucket limited = bucket();
        limited.dailyLimit = 10;
        limited.monthlyLimit = 25;
        declare(store, limited);
        const QString today = toRfc3339(Timestamp(Milliseconds(store.number("SELECT $ms($now)")))).left(10);
        QCOMPARE(take(store, 30).granted, 10);
        QCOMPARE(take(store, 30).blockedBy, QStringLiteral("daily quota"));
        QCOMPARE(store.text("SELECT day FROM sendoff_provider"), today);
        // Another day of the same month: the month's count stays.
        const QString other = today.left(8) + QLatin1String(today.endsWith(QLatin1String("01")) ? "02" : "01");
        store.run("UPDATE sendoff_provider SET day = ?", {other});
        QCOMPARE(take(store, 30).granted, 10);
        store.run("UPDATE sendoff_provider SET day = ?", {other});
        QCOMPARE(take(store, 30).granted, 5);
        const QuotaGrant spent = take(store, 30);
        QCOMPARE(spent.granted, 0);
        QCOMPARE(spent.blockedBy, QStringLiteral("monthly quota"));
        // Another month, also one of another year.
        store.run("UPDATE sendoff_provider SET day = '2001-01-31'");
        QCOMPARE(take(store, 30).granted, 10);
        QCOMPARE(store.number("SELECT month_used FROM sendoff_provider"), 10);
    }

    void FLOW_04_twoEnginesNeverExceedTheDay()
    {
        TestDatabase store(test::fetchKind());
        ProviderBucket limited = bucket();
        limited.ratePerSecond = 0;
        limited.dailyLimit = 500;
        declare(store, limited);
        std::atomic<int> sent = 0;
        std::vector<std::thread> engines;
        for (int each = 0; each < 2; ++each)
            engines.emplace_back([&, each] {
                const auto connection = store.connect();
                for (int turn = 0; turn < 60; ++turn)
                    sent += must(takeQuota(*connection, provider, 7 + each, 0)).granted;
            });
        for (std::thread &engine : engines)
            engine.join();
        QCOMPARE(sent.load(), 500);
        QCOMPARE(store.number("SELECT day_used FROM sendoff_provider"), 500);
    }

    void FLOW_04_whatWasNotSentIsGivenBackToItsDay()
    {
        TestDatabase store(test::fetchKind());
        ProviderBucket limited = bucket();
        limited.dailyLimit = 10;
        declare(store, limited);
        const QuotaGrant grant = take(store, 10);
        QCOMPARE(grant.granted, 10);
        must(giveBackQuota(store.database(), provider, grant, 4));
        QCOMPARE(take(store, 30).granted, 4);
        // Of another day: what that day did not use is no gift to this one.
        store.run("UPDATE sendoff_provider SET day_used = 10");
        QuotaGrant old = grant;
        old.day = QStringLiteral("2001-01-01");
        must(giveBackQuota(store.database(), provider, old, 4));
        QCOMPARE(take(store, 30).granted, 0);
        // Without such a limit there is nothing to give back.
        limited.dailyLimit = 0;
        declare(store, limited);
        QVERIFY(take(store, 30).day.isEmpty());
    }

    void eachBlockHasItsWord()
    {
        TestDatabase store(test::fetchKind());
        ProviderBucket limited = bucket();
        limited.dailyLimit = 1;
        declare(store, limited);
        QVERIFY(take(store, 1).blockedBy.isEmpty());
        QCOMPARE(take(store, 1).blockedBy, QStringLiteral("daily quota"));
        must(tripBreaker(store.database(), provider, QStringLiteral("x")));
        QCOMPARE(take(store, 1).blockedBy, QStringLiteral("breaker"));
        throttle(store);
        QCOMPARE(must(takeQuota(store.database(), provider, 1, 0)).blockedBy, QStringLiteral("throttled"));
        store.run("UPDATE sendoff_provider SET paused = 1");
        const QuotaGrant paused = must(takeQuota(store.database(), provider, 1, 0));
        QCOMPARE(paused.blockedBy, QStringLiteral("paused"));
        QVERIFY(paused.wait <= Milliseconds(2'000)); // a person's change counts within two seconds
    }

    // Of the first `looked` claims, how many are retries; then everything is claimed.
    static int retriesAmong(TestDatabase &store, int looked)
    {
        int retries = 0;
        int all = 0;
        while (true) {
            ClaimRequest request;
            request.provider = provider;
            request.limit = 10;
            request.holder = QStringLiteral("e");
            request.bounded = false;
            const auto claimed = must(claim(store.database(), request));
            if (claimed.empty())
                break;
            for (const ClaimedDelivery &each : claimed)
                retries += all++ < looked && each.attempts > 0 ? 1 : 0;
        }
        return all == 400 ? retries : -all;
    }

    void retriesStayWithinTheirShareWhileNewWorkWaits_data()
    {
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("most");
        QTest::addColumn<int>("least");
        QTest::newRow("half") << 0.5 << 51 << 45;
        QTest::newRow("a quarter") << 0.25 << 27 << 22;
        QTest::newRow("a tenth") << 0.1 << 12 << 8;
    }

    void retriesStayWithinTheirShareWhileNewWorkWaits()
    {
        QFETCH(double, share);
        QFETCH(int, most);
        QFETCH(int, least);
        TestDatabase store(test::fetchKind());
        test::RowSpec spec;
        spec.state = DeliveryState::Scheduled;
        spec.tenant = QStringLiteral("a");
        spec.dueIn = Milliseconds(-1'000);
        test::insertDeliveries(store, spec, QStringLiteral("new"), 200);
        spec.attempts = 1;
        spec.dueIn = Milliseconds(-2'000); // the retries were due first
        test::insertDeliveries(store, spec, QStringLiteral("retry"), 200);
        QCOMPARE(must(promoteDue(store.database(), {{provider, share}}, 500)), 400);
        const int retries = retriesAmong(store, 100);
        QVERIFY2(retries <= most && retries >= least, qPrintable(QString::number(retries)));
    }

    void retriesHaveEverythingWhenNothingNewWaits()
    {
        TestDatabase store(test::fetchKind());
        test::RowSpec spec;
        spec.state = DeliveryState::Scheduled;
        spec.attempts = 2;
        spec.dueIn = Milliseconds(-1'000);
        test::insertDeliveries(store, spec, QStringLiteral("retry"), 400);
        QCOMPARE(must(promoteDue(store.database(), {{provider, 0.01}}, 500)), 400);
        QCOMPARE(retriesAmong(store, 100), 100);
    }

    void tenantsTakeTurnsInsideTheRetries()
    {
        TestDatabase store(test::fetchKind());
        test::RowSpec spec;
        spec.state = DeliveryState::Scheduled;
        spec.attempts = 1;
        spec.tenant = QStringLiteral("large");
        spec.dueIn = Milliseconds(-10'000);
        test::insertDeliveries(store, spec, QStringLiteral("l"), 300);
        spec.tenant = QStringLiteral("small");
        spec.dueIn = Milliseconds(-1'000);
        test::insertDeliveries(store, spec, QStringLiteral("s"), 10);
        QCOMPARE(must(promoteDue(store.database(), {}, 500)), 310);
        ClaimRequest request;
        request.provider = provider;
        request.limit = 20;
        request.holder = QStringLiteral("e");
        request.bounded = false;
        const auto claimed = must(claim(store.database(), request));
        QCOMPARE(std::count_if(claimed.cbegin(), claimed.cend(),
                               [](const ClaimedDelivery &each) { return each.tenant == QLatin1String("small"); }),
                 10);
    }
};

QTEST_GUILESS_MAIN(tst_provider_quota)
#include "tst_provider_quota.moc"
