#include "tests/simulation/simulated_provider.h"

#include <algorithm>

namespace sendoff::test {

namespace {

AttemptResult refusal(Outcome outcome, int status, const char *code)
{
    AttemptResult result;
    result.outcome = outcome;
    result.status = status;
    result.code = QString::fromLatin1(code);
    return result;
}

} // namespace

const SimulatedProvider::Spell *SimulatedProvider::spellOf(const QString &provider) const
{
    const Milliseconds at = m_clock.now() - m_start;
    const auto found = std::find_if(m_spells.cbegin(), m_spells.cend(), [&](const Spell &spell) {
        return spell.provider == provider && spell.from <= at && at < spell.to;
    });
    return found == m_spells.cend() ? nullptr : &*found;
}

AttemptResult SimulatedProvider::resultOf(const QString &provider, const DeliveryId &id)
{
    const Milliseconds at = m_clock.now() - m_start;
    const Spell *spell = spellOf(provider);
    using Kind = Spell::Kind;
    if (spell && spell->kind == Kind::Down) {
        AttemptResult down = refusal(Outcome::Transient, 0, "connection_refused");
        down.left = false;
        return down;
    }
    if (spell && spell->kind == Kind::Failing)
        return refusal(Outcome::Transient, 503, "unavailable");
    if (spell && spell->kind == Kind::BadKey)
        return refusal(Outcome::Configuration, 401, "invalid_api_key");
    const int limit = spell && spell->kind == Kind::Narrow ? spell->limit : m_limits[provider];
    std::vector<Milliseconds> &taken = m_takenInSecond[provider];
    taken.erase(std::remove_if(taken.begin(), taken.end(),
                               [&](Milliseconds each) { return each <= at - std::chrono::seconds(1); }),
                taken.end());
    if (limit > 0 && int(taken.size()) >= limit) {
        AttemptResult throttled = refusal(Outcome::Throttled, 429, "rate_limit_exceeded");
        throttled.wait = std::chrono::seconds(1);
        return throttled;
    }
    taken.push_back(at);
    if (spell && spell->kind == Kind::Silent)
        return refusal(Outcome::Unknown, 0, "timeout");
    AttemptResult accepted;
    accepted.outcome = Outcome::Accepted;
    accepted.status = 200;
    accepted.providerMessageId = id.value;
    return accepted;
}

void SimulatedProvider::send(const channel::ProviderSettings &provider, std::vector<channel::OutgoingItem> items,
                             Done done)
{
    std::vector<AttemptResult> results;
    Milliseconds latency = m_latency;
    for (const channel::OutgoingItem &item : items) {
        const AttemptResult result = resultOf(provider.name, item.id);
        if (result.outcome == Outcome::Unknown)
            latency = provider.timeout;
        const bool wasTaken = result.outcome == Outcome::Accepted || result.outcome == Outcome::Unknown;
        m_arrivals.push_back({m_clock.now() - m_start, provider.name, item.id, result.outcome, wasTaken});
        results.push_back(result);
    }
    m_answers.emplace(m_clock.now() + latency,
                      [done = std::move(done), results = std::move(results)] { done(results); });
}

int SimulatedProvider::deliverDue()
{
    int delivered = 0;
    while (!m_answers.empty() && m_answers.begin()->first <= m_clock.now()) {
        const auto answer = std::move(m_answers.begin()->second);
        m_answers.erase(m_answers.begin());
        answer();
        ++delivered;
    }
    return delivered;
}

std::optional<Milliseconds> SimulatedProvider::untilNext() const
{
    if (m_answers.empty())
        return std::nullopt;
    return std::max(Milliseconds(0), m_answers.begin()->first - m_clock.now());
}

} // namespace sendoff::test
