#include "admin/problems.h"

#include "domain/problem.h"
#include "store/problem_queries.h"

namespace sendoff::admin {

namespace {

constexpr int maxGroups = 1'000;

FilterTerm equals(const char *field, const QStringList &values)
{
    FilterTerm term;
    term.field = QString::fromLatin1(field);
    term.values = values;
    return term;
}

template <typename Word>
QString word(Word value)
{
    return QString(toText(value));
}

const QStringList &endedStates()
{
    static const QStringList states{word(DeliveryState::Dead), word(DeliveryState::Unknown),
                                    word(DeliveryState::Bounced)};
    return states;
}

// Live rows with a fingerprint are those whose last attempt was not accepted.
void addLive(Filter &filter, bool byFingerprint)
{
    filter.terms.push_back(equals("state", {word(DeliveryState::Scheduled), word(DeliveryState::Ready),
                                            word(DeliveryState::Leased), word(DeliveryState::Held)}));
    if (byFingerprint)
        return;
    filter.terms.push_back(
        equals("outcome", {word(Outcome::Throttled), word(Outcome::Transient), word(Outcome::PermanentRecipient),
                           word(Outcome::PermanentMessage), word(Outcome::Configuration), word(Outcome::Unknown)}));
}

QString providerPart(const QString &key)
{
    return key.mid(key.indexOf(u'/') + 1);
}

QString channelPart(const QString &key)
{
    return key.left(key.indexOf(u'/'));
}

QString filterOf(const ProblemRecord &record, ProblemGrouping grouping, Filter filter)
{
    switch (grouping) {
    case ProblemGrouping::Fingerprint:
        filter.terms.push_back(equals("problem", {record.key}));
        break;
    case ProblemGrouping::Provider:
        filter.terms.push_back(equals("channel", {channelPart(record.key)}));
        filter.terms.push_back(equals("provider", {providerPart(record.key)}));
        break;
    case ProblemGrouping::EventType:
        filter.terms.push_back(equals("type", {record.key}));
        break;
    case ProblemGrouping::RecipientDomain:
        filter.terms.push_back(equals("domain", {record.key}));
        break;
    case ProblemGrouping::PublishedSet:
        filter.terms.push_back(equals("set", {record.key}));
        break;
    }
    if (record.dead + record.unknown > 0)
        filter.terms.push_back(equals("state", endedStates()));
    else
        addLive(filter, grouping == ProblemGrouping::Fingerprint);
    return filter.toText();
}

// "rate_limit_exceeded (429)", "503", "Mailbox full".
QString answerOf(const ProblemRecord &record)
{
    if (!record.code.isEmpty() && record.status != 0)
        return QStringLiteral("%1 (%2)").arg(record.code).arg(record.status);
    if (!record.code.isEmpty())
        return record.code;
    return record.status != 0 ? QString::number(record.status) : record.text;
}

QString whatFailed(const ProblemRecord &record)
{
    const QString who = record.provider.isEmpty() ? QStringLiteral("the inbox") : record.provider;
    const auto outcome = fromText<Outcome>(record.outcome);
    if (!outcome)
        return QStringLiteral("%1 fails").arg(who);
    switch (*outcome) {
    case Outcome::Throttled:
        return QStringLiteral("%1 throttles").arg(who);
    case Outcome::Transient:
        return QStringLiteral("%1 is disturbed").arg(who);
    case Outcome::PermanentRecipient:
        return QStringLiteral("%1 refuses the recipient").arg(who);
    case Outcome::PermanentMessage:
        return QStringLiteral("%1 refuses the message").arg(who);
    case Outcome::Configuration:
        return QStringLiteral("%1 refuses our account or its settings").arg(who);
    case Outcome::Unknown:
        return QStringLiteral("No certain answer from %1").arg(who);
    case Outcome::Accepted:
        break;
    }
    return QStringLiteral("%1 fails").arg(who);
}

QString titleOf(const ProblemRecord &record, ProblemGrouping grouping)
{
    const QString none = QStringLiteral("none");
    switch (grouping) {
    case ProblemGrouping::Fingerprint: {
        if (record.key.isEmpty())
            return QStringLiteral("Ungrouped: no attempt of ours was refused");
        const QString answer = answerOf(record);
        return answer.isEmpty() ? whatFailed(record) : QStringLiteral("%1: %2").arg(whatFailed(record), answer);
    }
    case ProblemGrouping::Provider: {
        const QString provider = providerPart(record.key);
        return QStringLiteral("%1 by %2")
            .arg(channelPart(record.key), provider.isEmpty() ? QStringLiteral("no provider") : provider);
    }
    case ProblemGrouping::EventType:
        return QStringLiteral("Events of type %1").arg(record.key);
    case ProblemGrouping::RecipientDomain:
        return record.key.isEmpty() ? QStringLiteral("Recipients without a mail domain")
                                    : QStringLiteral("Recipients at %1").arg(record.key);
    case ProblemGrouping::PublishedSet:
        return QStringLiteral("Published set %1").arg(record.key);
    }
    return record.key;
}

void suggest(ProblemRecord &record, ProblemGrouping grouping)
{
    if (grouping != ProblemGrouping::Fingerprint) {
        record.suggestion = QStringLiteral("Group by kind of failure to see what each of them needs.");
        return;
    }
    if (const auto outcome = fromText<Outcome>(record.outcome)) {
        const Suggestion suggestion = suggestionFor(*outcome, record.code);
        record.suggestion = suggestion.sentence;
        record.verb = suggestion.verb;
        return;
    }
    record.suggestion = QStringLiteral("Open them one by one: a rule, a lost worker or a later word of the provider "
                                       "ended them.");
}

} // namespace

Result<std::vector<ProblemRecord>> problems(store::Database &database, ProblemGrouping grouping, const Filter &filter,
                                            int limit)
{
    if (limit < 1 || limit > maxGroups)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to %1").arg(maxGroups)};
    auto records = store::readProblems(database, grouping, filter, limit);
    if (!records)
        return records;
    for (ProblemRecord &record : *records) {
        if (grouping == ProblemGrouping::Provider) {
            record.channel = channelPart(record.key);
            record.provider = providerPart(record.key);
        }
        record.filter = filterOf(record, grouping, filter);
        record.title = titleOf(record, grouping);
        suggest(record, grouping);
    }
    return records;
}

} // namespace sendoff::admin
