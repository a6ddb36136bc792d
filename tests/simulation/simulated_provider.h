#pragma once
#include "channel/sender.h"
#include <functional>
#include <map>
#include <vector>

namespace sendoff::test {

// A provider of the simulation: takes so many messages a second, refuses the others with 429, has bad hours, and
// answers after its latency. Remembers everything that reached it.
class SimulatedProvider final : public channel::Sender
{
public:
    explicit SimulatedProvider(const Clock &clock)
        : m_clock(clock)
    {}

    // What the provider does from `from` to `to`, counted from the start of the simulation.
    struct Spell
    {
        QString provider;
        Milliseconds from{0};
        Milliseconds to{0};
        enum class Kind {
            Down,    // connections are refused
            Failing, // 503
            Silent,  // takes the message and never answers: Unknown
            Narrow,  // takes only `limit` a second
            BadKey   // 401
        } kind = Kind::Down;
        int limit = 0;
    };
    void addSpell(const Spell &spell) { m_spells.push_back(spell); }
    void setLimit(const QString &provider, int perSecond) { m_limits[provider] = perSecond; }
    void setLatency(Milliseconds latency) { m_latency = latency; }

    void send(const channel::ProviderSettings &provider, std::vector<channel::OutgoingItem> items, Done done) override;
    void cancelAll() override {}

    // Hands over the answers that are due; answers how many.
    int deliverDue();
    // Until the next answer, nothing where none is awaited.
    std::optional<Milliseconds> untilNext() const;

    struct Arrival
    {
        Milliseconds at; // since the start
        QString provider;
        DeliveryId id;
        Outcome outcome;
        bool wasTaken; // the provider has the message, whether it said so or not
    };
    const std::vector<Arrival> &arrivals() const { return m_arrivals; }

private:
    AttemptResult resultOf(const QString &provider, const DeliveryId &id);
    const Spell *spellOf(const QString &provider) const;

    const Clock &m_clock;
    const Timestamp m_start = m_clock.now();
    Milliseconds m_latency{50};
    std::map<QString, int> m_limits;
    std::vector<Spell> m_spells;
    std::map<QString, std::vector<Milliseconds>> m_takenInSecond;
    std::multimap<Timestamp, std::function<void()>> m_answers;
    std::vector<Arrival> m_arrivals;
};

} // namespace sendoff::test
