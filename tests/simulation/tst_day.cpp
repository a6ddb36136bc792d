#include "tests/simulation/simulated_world.h"

#include <QTest>
#include <algorithm>

using namespace sendoff;
using namespace std::chrono_literals;
using test::SimulatedProvider;
using test::SimulatedWorld;

namespace {

using Spell = SimulatedProvider::Spell;

const QString primary = QStringLiteral("primary");
constexpr int hardLimit = 20; // of the provider, in any second

// A day as bad as a year.
const std::vector<Spell> spells{
    {primary, 4h, 5h, Spell::Kind::Down, 0},
    {primary, 8h, 8h + 30min, Spell::Kind::Failing, 0},
    {primary, 12h, 14h, Spell::Kind::Narrow, 3},
    {primary, 16h, 16h + 2min, Spell::Kind::Silent, 0},
    {primary, 18h, 18h + 20min, Spell::Kind::BadKey, 0},
};

// Ordinary time: no spell, and the longest probe interval after one is over.
bool isOrdinary(Milliseconds at)
{
    return std::none_of(spells.cbegin(), spells.cend(),
                        [&](const Spell &spell) { return at >= spell.from - 1min && at < spell.to + 12min; });
}

} // namespace

class tst_day : public QObject
{
    Q_OBJECT

    std::unique_ptr<SimulatedWorld> m_world;
    std::map<QString, SimulatedWorld::Told> m_told;

private Q_SLOTS:
    void initTestCase()
    {
        m_world = std::make_unique<SimulatedWorld>(SimulatedWorld::settings());
        m_world->provider().setLimit(primary, hardLimit);
        for (const Spell &spell : spells)
            m_world->provider().addSpell(spell);
        for (Milliseconds at = 0s; at < 24h; at += 60s) {
            m_world->plan(at, "confirm", QStringLiteral("a"));
            m_world->plan(at + 20s, "receipt", QStringLiteral("b"));
        }
        m_world->plan(2h, "offer", QStringLiteral("campaign"), 3'000);
        m_world->plan(4h + 10s, "receipt", QStringLiteral("b"), 100); // into the outage
        m_world->plan(10h, "receipt", QStringLiteral("large"), 3'000);
        m_world->plan(10h + 1s, "receipt", QStringLiteral("small"), 10);
        m_world->plan(13h, "receipt", QStringLiteral("b"), 300); // into the narrow hours
        m_world->runTo(30h);
        m_told = m_world->told();
    }

    void nothingIsLost()
    {
        QCOMPARE(m_world->database().number("SELECT count(*) FROM sendoff_delivery_hot"), 0);
        QCOMPARE(m_world->database().number("SELECT count(*) FROM sendoff_event WHERE state <> 'relayed'"), 0);
        QCOMPARE(m_world->database().number("SELECT count(*) FROM sendoff_delivery"),
                 m_world->database().number("SELECT count(*) FROM sendoff_event"));
        for (const auto &[id, told] : m_told)
            QVERIFY2(told.wasTaken, qPrintable(id + u' ' + QString::fromLatin1(told.type)));
        QCOMPARE(m_world->database().number("SELECT count(*) FROM sendoff_delivery WHERE state <> 'accepted'"), 0);
    }

    void noLimitIsExceeded()
    {
        std::vector<Milliseconds> times;
        for (const SimulatedProvider::Arrival &arrival : m_world->provider().arrivals())
            times.push_back(arrival.at);
        std::sort(times.begin(), times.end());
        size_t first = 0;
        for (size_t last = 0; last < times.size(); ++last) {
            while (times[last] - times[first] >= 1s)
                ++first;
            QVERIFY2(last - first + 1 <= hardLimit, qPrintable(QString::number(times[last].count())));
        }
    }

    void urgentIsWithinItsObjective()
    {
        int all = 0;
        int late = 0;
        for (const auto &[id, told] : m_told) {
            if (told.type != "confirm" || !isOrdinary(told.insertedAt))
                continue;
            ++all;
            late += *told.firstArrival - told.insertedAt > 60s ? 1 : 0;
        }
        QVERIFY(all > 1'000);
        QVERIFY2(late * 100 <= all, qPrintable(QStringLiteral("%1 of %2").arg(late).arg(all)));
    }

    void bulkProgressesAndNeverHoldsUpUrgent()
    {
        std::vector<Milliseconds> offers;
        for (const auto &[id, told] : m_told) {
            if (told.type == "offer")
                offers.push_back(*told.firstArrival);
        }
        std::sort(offers.begin(), offers.end());
        for (size_t each = 1; each < offers.size(); ++each)
            QVERIFY2(offers[each] - offers[each - 1] < 1min, qPrintable(QString::number(offers[each].count())));
        for (const auto &[id, told] : m_told) {
            if (told.type == "confirm" && told.insertedAt > offers.front() && told.insertedAt < offers.back())
                QVERIFY(*told.firstArrival - told.insertedAt < 5s);
        }
    }

    void aSmallTenantIsNotHeldUpByALargeOne()
    {
        Milliseconds small = 0s;
        Milliseconds large = 0s;
        for (const auto &[id, told] : m_told) {
            if (told.tenant == QLatin1String("small"))
                small = std::max(small, *told.firstArrival);
            else if (told.tenant == QLatin1String("large"))
                large = std::max(large, *told.firstArrival);
        }
        QVERIFY2(small - 10h < 15s, qPrintable(QString::number((small - 10h).count())));
        QVERIFY2(large - 10h > 150s, qPrintable(QString::number((large - 10h).count())));
    }

    void retriesAreSpreadAndFew()
    {
        std::map<QString, int> inOutage;
        std::map<qint64, int> inSecond;
        for (const SimulatedProvider::Arrival &arrival : m_world->provider().arrivals()) {
            if (arrival.at < 4h || arrival.at >= 5h)
                continue;
            ++inOutage[arrival.id.value];
            ++inSecond[arrival.at.count() / 1'000];
        }
        for (const auto &[id, count] : inOutage)
            QVERIFY2(count <= 10, qPrintable(id));
        for (const auto &[second, count] : inSecond)
            QVERIFY(count <= hardLimit);
    }

    // A 429 tells us about our rate, not about the message.
    void throttlingEndsNoDelivery()
    {
        QCOMPARE(m_world->database().number(
                     "SELECT count(*) FROM sendoff_delivery d WHERE d.failures > 0 AND NOT EXISTS (SELECT 1 FROM "
                     "sendoff_attempt a WHERE a.delivery_id = d.id AND a.outcome IN ('transient', 'unknown'))"),
                 0);
    }
};

QTEST_GUILESS_MAIN(tst_day)
#include "tst_day.moc"
