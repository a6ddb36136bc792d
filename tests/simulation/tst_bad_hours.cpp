#include "tests/simulation/simulated_world.h"

#include <QSet>
#include <QTest>
#include <algorithm>

using namespace sendoff;
using namespace std::chrono_literals;
using test::SimulatedProvider;
using test::SimulatedWorld;

namespace {

using Spell = SimulatedProvider::Spell;
using Arrival = SimulatedProvider::Arrival;

const QString primary = QStringLiteral("primary");
const QString second = QStringLiteral("second");

QByteArray seconds(Milliseconds time)
{
    return QByteArray::number(double(time.count()) / 1'000) + " s";
}

int countArrivals(SimulatedWorld &world, const QString &provider, Milliseconds from, Milliseconds to,
                  std::optional<bool> taken = std::nullopt)
{
    const auto &all = world.provider().arrivals();
    return int(std::count_if(all.cbegin(), all.cend(), [&](const Arrival &each) {
        return each.provider == provider && each.at >= from && each.at < to && (!taken || each.wasTaken == *taken);
    }));
}

bool isNothingLost(SimulatedWorld &world)
{
    const auto told = world.told();
    return world.database().number("SELECT count(*) FROM sendoff_delivery_hot") == 0 &&
           world.database().number("SELECT count(*) FROM sendoff_delivery WHERE state <> 'accepted'") == 0 &&
           world.database().number("SELECT count(*) FROM sendoff_delivery") ==
               world.database().number("SELECT count(*) FROM sendoff_event") &&
           std::all_of(told.cbegin(), told.cend(), [](const auto &each) { return each.second.wasTaken; });
}

Milliseconds slowest(const std::map<QString, SimulatedWorld::Told> &told, const QByteArray &type,
                     const QString &tenant = {})
{
    Milliseconds found = 0s;
    for (const auto &[id, each] : told) {
        if (each.type == type && (tenant.isEmpty() || each.tenant == tenant))
            found = std::max(found, *each.firstArrival - each.insertedAt);
    }
    return found;
}

} // namespace

// Hours that no team wants to try on its customers.
class tst_bad_hours : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theSecondProviderTakesOverAndGivesBack();
    void aStormOf429sCostsNoDeliveryAFailure();
    void FLOW_02_verificationCodesPassACampaign();
    void FLOW_02_aTenantOfTenIsNotHeldUpByATenantOfTenThousand();
    void aPausedProviderHoldsNobodyElseUp();
    void FLOW_04_aDaysLimitIsExactAndTheRestGoesTheNextDay();
};

void tst_bad_hours::theSecondProviderTakesOverAndGivesBack()
{
    dispatch::EngineSettings settings = SimulatedWorld::settings();
    SimulatedWorld::addProvider(settings, second);
    SimulatedWorld world(settings);
    world.provider().setLimit(primary, 20);
    world.provider().setLimit(second, 20);
    constexpr Milliseconds badKey = 30min;
    constexpr Milliseconds silent = 2h + 30min - 20s;
    constexpr Milliseconds outage = 2h + 30min;
    constexpr Milliseconds changes[] = {badKey, badKey + 1h, outage, outage + 1h};
    world.provider().addSpell({primary, badKey, badKey + 1h, Spell::Kind::BadKey, 0});
    world.provider().addSpell({primary, silent, outage, Spell::Kind::Silent, 0});
    world.provider().addSpell({primary, outage, outage + 1h, Spell::Kind::Down, 0});
    // Many around the changes, fewer in between.
    const auto isChange = [&](Milliseconds at) {
        return std::any_of(std::begin(changes), std::end(changes),
                           [&](Milliseconds change) { return at >= change - 1min && at < change + 3min; });
    };
    for (Milliseconds at = 0s; at < 4h; at += isChange(at) ? 2s : 6s)
        world.plan(at, at % 12s == 0s ? "confirm" : "receipt", QStringLiteral("a"));

    // Until the primary's breaker closes after the outage; then enough comes at once to see its rate.
    world.runTo(outage + 1h);
    const QByteArray closed = "SELECT count(*) FROM sendoff_provider WHERE name = 'primary' AND breaker = 'closed'";
    QCOMPARE(world.database().number(closed), 0);
    while (world.database().number(closed) == 0 && world.elapsed() < outage + 1h + 15min)
        world.runTo(world.elapsed() + 500ms);
    const Milliseconds back = world.elapsed();
    QVERIFY2(back < outage + 1h + 12min, seconds(back).constData());
    world.plan(back, "receipt", QStringLiteral("b"), 600);
    world.runTo(5h);

    QVERIFY(isNothingLost(world));
    const auto told = world.told();
    QSet<QString> unknownAtPrimary;
    for (const Arrival &each : world.provider().arrivals()) {
        if (each.outcome == Outcome::Unknown)
            unknownAtPrimary.insert(each.id.value);
        // What the primary may have is never given to another one.
        QVERIFY2(each.provider == primary || !unknownAtPrimary.contains(each.id.value), qPrintable(each.id.value));
    }
    QVERIFY(unknownAtPrimary.size() >= 5);
    for (const auto &[id, each] : told) {
        if (!unknownAtPrimary.contains(id) && each.tenant == QLatin1String("a"))
            QVERIFY2(*each.takenAt - each.insertedAt <= 1min,
                     (seconds(each.insertedAt) + " waited " + seconds(*each.takenAt - each.insertedAt)).constData());
    }
    // In the bad hours all goes through the second; before and after, nothing.
    for (const Milliseconds from : {badKey, outage}) {
        QCOMPARE(countArrivals(world, primary, from, from + 1h, true), 0);
        QVERIFY(countArrivals(world, second, from, from + 1h, true) >= 640);
        const int probes = countArrivals(world, primary, from, from + 1h); // probed, not hammered
        QVERIFY2(probes < 90, QByteArray::number(probes).constData());
    }
    QCOMPARE(countArrivals(world, second, 0s, badKey), 0);
    QCOMPARE(countArrivals(world, second, badKey + 1h + 11min, silent), 0);
    QCOMPARE(countArrivals(world, second, back + 1s, 5h), 0);

    // A tenth of 15/s at first, then a fiftieth more each second: never more than that line allows, and at last all.
    for (Milliseconds from = 0s; from < 40s; from += 5s) {
        const int sent = countArrivals(world, primary, back, back + from + 5s);
        const double second5 = double((from + 5s).count()) / 1'000;
        const double allowed = 1.5 * second5 + 0.3 * second5 * second5 / 2 + 5 + 3;
        QVERIFY2(sent <= allowed, QByteArray::number(sent).constData());
    }
    const int early = countArrivals(world, primary, back, back + 10s);
    const int later = countArrivals(world, primary, back + 40s, back + 50s);
    QVERIFY2(early >= 12 && later > 2 * early,
             (QByteArray::number(early) + " then " + QByteArray::number(later)).constData());

    QVERIFY(world.database().number("SELECT sum(rows_moved) FROM sendoff_failover WHERE from_provider = 'primary' AND "
                                    "to_provider = 'second'") >= 1'280);
    QCOMPARE(world.database().number("SELECT count(*) FROM sendoff_failover WHERE from_provider <> 'primary'"), 0);
    QVERIFY(world.database().number("SELECT count(*) FROM sendoff_failover") <= 140); // one a minute
}

void tst_bad_hours::aStormOf429sCostsNoDeliveryAFailure()
{
    constexpr int allowed = 5;
    SimulatedWorld world(SimulatedWorld::settings());
    world.provider().addSpell({primary, 0s, 24h, Spell::Kind::Narrow, allowed});
    world.plan(0s, "receipt", QStringLiteral("a"), 3'000);
    world.runTo(30min);
    QVERIFY(isNothingLost(world));
    QCOMPARE(world.database().number("SELECT count(*) FROM sendoff_delivery WHERE failures > 0"), 0);
    QCOMPARE(world.database().number("SELECT count(*) FROM sendoff_attempt WHERE outcome NOT IN ('accepted', "
                                     "'throttled')"),
             0);
    // After the first minute the rate is near what the provider allows, and few requests are refused.
    const int taken = countArrivals(world, primary, 1min, 6min, true);
    const int refused = countArrivals(world, primary, 1min, 6min, false);
    QVERIFY2(taken >= 300 * allowed * 6 / 10, QByteArray::number(taken).constData());
    QVERIFY2(refused * 3 <= taken, (QByteArray::number(refused) + " of " + QByteArray::number(taken)).constData());
}

void tst_bad_hours::FLOW_02_verificationCodesPassACampaign()
{
    dispatch::EngineSettings settings = SimulatedWorld::settings();
    settings.providers.front().ratePerSecond = 200;
    settings.providers.front().burst = 80;
    SimulatedWorld world(settings);
    world.plan(0s, "offer", QStringLiteral("campaign"), 20'000);
    for (Milliseconds at = 1s; at < 95s; at += 2s)
        world.plan(at, "confirm", at % 4s == 1s ? QStringLiteral("campaign") : QStringLiteral("b"));
    world.runTo(200s);
    QVERIFY(isNothingLost(world));
    const Milliseconds worst = slowest(world.told(), "confirm");
    QVERIFY2(worst < 5s, seconds(worst).constData());
    // Alone or beside a trickle, the campaign has (almost) all of the rate.
    const int sent = countArrivals(world, primary, 20s, 90s);
    QVERIFY2(sent >= 70 * 200 * 9 / 10, QByteArray::number(sent).constData());
}

void tst_bad_hours::FLOW_02_aTenantOfTenIsNotHeldUpByATenantOfTenThousand()
{
    dispatch::EngineSettings settings = SimulatedWorld::settings();
    settings.providers.front().ratePerSecond = 50;
    settings.providers.front().burst = 10;
    SimulatedWorld world(settings);
    world.plan(0s, "offer", QStringLiteral("large"), 10'000);
    world.plan(5s, "offer", QStringLiteral("small"), 10);
    world.plan(60s, "receipt", QStringLiteral("small"), 1);
    world.plan(61s, "confirm", QStringLiteral("large"), 1);
    world.runTo(5min);
    QVERIFY(isNothingLost(world));
    const auto told = world.told();
    for (const char *type : {"offer", "receipt"})
        QVERIFY2(slowest(told, type, QStringLiteral("small")) < 5s,
                 seconds(slowest(told, type, QStringLiteral("small"))).constData());
    QVERIFY(slowest(told, "confirm") < 5s);
    QVERIFY(slowest(told, "offer", QStringLiteral("large")) > 190s);
    const int sent = countArrivals(world, primary, 70s, 170s); // alone: all of the rate
    QVERIFY2(sent >= 100 * 50 * 9 / 10, QByteArray::number(sent).constData());
}

void tst_bad_hours::aPausedProviderHoldsNobodyElseUp()
{
    dispatch::EngineSettings settings = SimulatedWorld::settings();
    SimulatedWorld::addProvider(settings, second); // of the same channel: a pause is no outage, nothing moves
    SimulatedWorld::addProvider(settings, QStringLiteral("texts"), Channel::Sms);
    SimulatedWorld world(settings);
    for (Milliseconds at = 0s; at < 20min; at += 2s) {
        world.plan(at, "receipt", QStringLiteral("a"));
        world.plan(at, "text", QStringLiteral("a"));
    }
    world.runTo(5min);
    world.database().run("UPDATE sendoff_provider SET paused = 1 WHERE name = 'primary'");
    world.runTo(15min);
    world.database().run("UPDATE sendoff_provider SET paused = 0 WHERE name = 'primary'");
    world.runTo(30min);
    QVERIFY(isNothingLost(world));
    QCOMPARE(countArrivals(world, primary, 5min + 2s, 15min), 0);
    QVERIFY(countArrivals(world, primary, 15min, 15min + 3s) > 0);
    QCOMPARE(countArrivals(world, second, 0s, 30min), 0);
    const Milliseconds worst = slowest(world.told(), "text");
    QVERIFY2(worst < 2s, seconds(worst).constData());
    QCOMPARE(world.database().number("SELECT count(*) FROM sendoff_delivery WHERE attempts <> 1"), 0);
}

void tst_bad_hours::FLOW_04_aDaysLimitIsExactAndTheRestGoesTheNextDay()
{
    dispatch::EngineSettings settings = SimulatedWorld::settings();
    settings.providers.front().dailyLimit = 100;
    SimulatedWorld world(settings); // begins at 20:26:40 UTC
    constexpr Milliseconds midnight = 3h + 33min + 20s;
    world.plan(1h, "receipt", QStringLiteral("a"), 150);
    world.plan(1h, "confirm", QStringLiteral("b"), 10);
    world.runTo(midnight);
    QCOMPARE(countArrivals(world, primary, 0s, midnight), 100);
    QCOMPARE(world.database().number("SELECT count(*) FROM sendoff_delivery_hot WHERE state = 'ready' AND attempts = 0 "
                                     "AND failures = 0"),
             60); // they wait: nothing is dead, nothing is spent
    QCOMPARE(world.database().number("SELECT count(*) FROM sendoff_delivery_hot"), 60);
    world.runTo(midnight + 5min);
    QVERIFY(isNothingLost(world));
    QCOMPARE(countArrivals(world, primary, midnight, midnight + 5min), 60);
}

QTEST_GUILESS_MAIN(tst_bad_hours)
#include "tst_bad_hours.moc"
