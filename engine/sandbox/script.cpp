#include "sandbox/script.h"

#include "sandbox/provider_errors.h"

#include <algorithm>

namespace sendoff::sandbox {

bool Rule::isAboutOneToken() const
{
    if (match.token.isEmpty())
        return false;
    if (!action.receipt.isEmpty())
        return true;
    const auto known = providerError(action.error);
    return known && known->level == ErrorLevel::ExpoTicket && !action.status;
}

void Action::fillFrom(const Action &other)
{
    if (!delay)
        delay = other.delay;
    if (!status)
        status = other.status;
    headers.insert(headers.end(), other.headers.begin(), other.headers.end());
    if (!body)
        body = other.body;
    if (error.isEmpty())
        error = other.error;
    if (receipt.isEmpty())
        receipt = other.receipt;
    if (redirect.isEmpty())
        redirect = other.redirect;
    for (auto it = other.partial.begin(); it != other.partial.end(); ++it) {
        if (!partial.contains(it.key()))
            partial.insert(it.key(), it.value());
    }
    if (!callbacks)
        callbacks = other.callbacks;
    if (ending == Ending::Answer)
        ending = other.ending;
    if (spoil == Spoil::None)
        spoil = other.spoil;
}

void ScriptRun::start(Script script, Ticks now)
{
    m_script = std::move(script);
    m_asksForRecipients = std::any_of(m_script.rules.begin(), m_script.rules.end(), [](const Rule &rule) {
        return !rule.match.to.isEmpty() || !rule.match.token.isEmpty();
    });
    m_dropsBeforeRead = std::any_of(m_script.rules.begin(), m_script.rules.end(), [](const Rule &rule) {
        return rule.action.ending == Action::Ending::DropBeforeRead;
    });
    restart(now);
}

void ScriptRun::restart(Ticks now)
{
    m_progress.assign(m_script.rules.size(), Progress{});
    m_started = now;
}

ScriptRun::Answer ScriptRun::meets(const Rule &rule, const RequestFacts &facts, Ticks now) const
{
    const Match &match = rule.match;
    if (!facts.path.startsWith(match.path))
        return Answer::No;
    if (match.firstSeconds && now - m_started >= *match.firstSeconds)
        return Answer::No;
    if (match.afterSeconds && now - m_started < *match.afterSeconds)
        return Answer::No;
    if (!match.needsBody())
        return Answer::Yes;
    if (!facts.bodyKnown)
        return Answer::NeedsBody;
    const bool met = (match.bodyContains.isEmpty() || facts.body.indexOf(match.bodyContains) >= 0) &&
                     (match.to.isEmpty() || facts.recipients.contains(match.to, Qt::CaseInsensitive)) &&
                     (match.token.isEmpty() || facts.recipients.contains(match.token));
    return met ? Answer::Yes : Answer::No;
}

// `progress` already counts the request that is asked about.
bool ScriptRun::applies(const Rule &rule, const Progress &progress)
{
    const Match &match = rule.match;
    return (!match.nth || progress.seen == *match.nth) && (!match.every || progress.seen % *match.every == 0) &&
           (!match.firstRequests || progress.seen <= *match.firstRequests) &&
           (!rule.times || progress.used < *rule.times);
}

Decision ScriptRun::decide(const RequestFacts &facts, Ticks now)
{
    Decision decision;
    bool open = true;
    for (size_t i = 0; i < m_script.rules.size(); ++i) {
        const Rule &rule = m_script.rules[i];
        if (meets(rule, facts, now) != Answer::Yes)
            continue;
        ++m_progress[i].seen; // also where an earlier rule has decided: "the third request" means of all
        const bool oneToken = rule.isAboutOneToken();
        if ((!open && !oneToken) || !applies(rule, m_progress[i]))
            continue;
        ++m_progress[i].used;
        if (oneToken) {
            if (!rule.action.error.isEmpty())
                decision.ticketErrors.insert(rule.match.token, rule.action.error);
            if (!rule.action.receipt.isEmpty())
                decision.receiptErrors.insert(rule.match.token, rule.action.receipt);
            continue;
        }
        decision.action.fillFrom(rule.action);
        open = rule.goesOn;
    }
    return decision;
}

bool ScriptRun::dropsAtHead(QByteArrayView path, Ticks now)
{
    RequestFacts facts;
    facts.path = path;
    facts.bodyKnown = false;
    for (size_t i = 0; i < m_script.rules.size(); ++i) {
        const Rule &rule = m_script.rules[i];
        const Answer answer = meets(rule, facts, now);
        if (answer == Answer::NeedsBody && !rule.isAboutOneToken())
            return false; // an earlier rule may decide otherwise
        Progress next = m_progress[i];
        ++next.seen;
        if (answer != Answer::Yes || !applies(rule, next) ||
            (rule.goesOn && rule.action.ending == Action::Ending::Answer))
            continue;
        if (rule.action.ending != Action::Ending::DropBeforeRead)
            return false;
        (void)decide(facts, now); // counts it
        return true;
    }
    return false;
}

} // namespace sendoff::sandbox
