#include "domain/retry_policy.h"
#include "domain/settlement.h"

#include <QRandomGenerator>
#include <QTest>

using namespace sendoff;
using namespace std::chrono_literals;

class tst_retry_policy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Open case BACK-01.
    void BACK_01_delayStaysInsideItsBand_data()
    {
        QTest::addColumn<int>("failure");
        QTest::addColumn<double>("full");
        const std::pair<int, double> rows[] = {{1, 15},         {2, 30},      {3, 60},      {8, 1920},    {9, 3600},
                                               {10, 3600},      {31, 3600},   {32, 3600},   {63, 3600},   {64, 3600},
                                               {65, 3600},      {1023, 3600}, {1024, 3600}, {1025, 3600}, {10000, 3600},
                                               {INT_MAX, 3600}, {0, 15},      {-7, 15}};
        for (const auto &[failure, full] : rows)
            QTest::addRow("failure %d", failure) << failure << full;
    }

    void BACK_01_delayStaysInsideItsBand()
    {
        QFETCH(int, failure);
        QFETCH(double, full);
        const RetryPolicy policy;
        QRandomGenerator random(7);
        qint64 least = LLONG_MAX;
        qint64 most = 0;
        for (int draw = 0; draw < 10'000; ++draw) {
            const qint64 delay = policy.delay(failure, random.generateDouble()).count();
            least = std::min(least, delay);
            most = std::max(most, delay);
        }
        QVERIFY(least >= qint64(full * 750) - 1);
        QVERIFY(most <= qint64(full * 1000));
        QVERIFY2(double(least) <= full * 750 * 1.02, "the lower end is never reached");
        QVERIFY2(double(most) >= full * 1000 * 0.98, "the upper end is never reached");
    }

    void BACK_01_oddConfigurationsNeverGiveZero()
    {
        for (const RetryPolicy &policy : {RetryPolicy{0ms, 1h, 10, 0.25, 24h}, RetryPolicy{15s, 1s, 10, 0.25, 24h},
                                          RetryPolicy{15s, 1h, 10, 0.0, 24h}, RetryPolicy{15s, 0ms, 10, 1.0, 24h},
                                          RetryPolicy{-5s, -1s, 10, 7.0, 24h}}) {
            for (const int failure : {1, 2, 64, INT_MAX}) {
                QVERIFY(policy.delay(failure, 0.999999) >= 1ms);
                QVERIFY(policy.delay(failure, 0.0) <= std::max<Milliseconds>(1ms, policy.max));
            }
        }
        QCOMPARE(RetryPolicy({15s, 1h, 10, 0.0, 24h}).delay(3, 0.5), Milliseconds(60s));
    }

    void BACK_01_storedFailureCountsOfTwoThousandStillWait()
    {
        Progress progress;
        progress.failures = 1999;
        progress.expiresAt = progress.now + 24h;
        RecoveryRules rules;
        rules.retry.attempts = 10'000;
        AttemptResult result;
        result.outcome = Outcome::Transient;
        const Verdict verdict = verdictFor(result, progress, rules, 0.5);
        QCOMPARE(verdict.state, DeliveryState::Scheduled);
        QVERIFY(verdict.delay >= 2700s && verdict.delay <= 3600s);
    }
};

QTEST_APPLESS_MAIN(tst_retry_policy)
#include "tst_retry_policy.moc"
