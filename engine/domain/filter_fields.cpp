#include "domain/filter_fields.h"

#include "domain/words.h"

#include <algorithm>

namespace sendoff {

namespace {

constexpr qsizetype maxDigits = 18; // always fits into 64 bits

template <typename Word>
QStringList wordsUpTo(Word last)
{
    QStringList words;
    for (int index = 0; index <= int(last); ++index)
        words += toText(static_cast<Word>(index));
    return words;
}

std::vector<FilterField> deliveryFields()
{
    const QStringList yesNo{QStringLiteral("yes"), QStringLiteral("no")};
    return {{QStringLiteral("id")},
            {QStringLiteral("event")},
            {QStringLiteral("type")},
            {QStringLiteral("tenant")},
            {QStringLiteral("user")},
            {QStringLiteral("recipient")},
            {QStringLiteral("domain")},
            {QStringLiteral("role")},
            {QStringLiteral("channel"), FilterKind::Words, wordsUpTo(Channel::Webhook)},
            {QStringLiteral("provider")},
            {QStringLiteral("lane"), FilterKind::Words, wordsUpTo(Lane::Bulk)},
            {QStringLiteral("category")},
            {QStringLiteral("state"), FilterKind::Words, wordsUpTo(DeliveryState::Unknown)},
            {QStringLiteral("reason"), FilterKind::Words, wordsUpTo(Reason::ReceiptBounced)},
            {QStringLiteral("problem")},
            {QStringLiteral("code")},
            {QStringLiteral("outcome"), FilterKind::Words, wordsUpTo(Outcome::Unknown)},
            {QStringLiteral("attempts"), FilterKind::Count},
            {QStringLiteral("unknown"), FilterKind::Words, yesNo},
            {QStringLiteral("duplicate"), FilterKind::Words, yesNo},
            {QStringLiteral("message")},
            {QStringLiteral("set"), FilterKind::Identity},
            {QStringLiteral("operation"), FilterKind::Identity},
            {QStringLiteral("parent")},
            {QStringLiteral("age"), FilterKind::Time},
            {QStringLiteral("due"), FilterKind::Time},
            {QStringLiteral("ended"), FilterKind::Time}};
}

std::vector<FilterField> eventFields()
{
    return {{QStringLiteral("id")},
            {QStringLiteral("event")},
            {QStringLiteral("type")},
            {QStringLiteral("tenant")},
            {QStringLiteral("state"), FilterKind::Words, wordsUpTo(EventState::Rejected)},
            {QStringLiteral("reason")}, // a sentence
            {QStringLiteral("age"), FilterKind::Time}};
}

QStringList namesOf(const std::vector<FilterField> &fields)
{
    QStringList names;
    for (const FilterField &field : fields)
        names += field.name;
    return names;
}

} // namespace

const std::vector<FilterField> &filterFieldTable(FilterRows rows)
{
    static const std::vector<FilterField> deliveries = deliveryFields();
    static const std::vector<FilterField> events = eventFields();
    return rows == FilterRows::Events ? events : deliveries;
}

const QStringList &filterFields(FilterRows rows)
{
    static const QStringList deliveries = namesOf(filterFieldTable(FilterRows::Deliveries));
    static const QStringList events = namesOf(filterFieldTable(FilterRows::Events));
    return rows == FilterRows::Events ? events : deliveries;
}

const FilterField *filterField(const QString &name, FilterRows rows)
{
    // People say "error" for what the provider calls a code.
    const QString meant = name == QLatin1String("error") ? QStringLiteral("code") : name;
    const auto &fields = filterFieldTable(rows);
    const auto found =
        std::find_if(fields.cbegin(), fields.cend(), [&](const FilterField &each) { return each.name == meant; });
    return found == fields.cend() ? nullptr : &*found;
}

bool isCompared(FilterKind kind)
{
    return kind == FilterKind::Count || kind == FilterKind::Time;
}

std::optional<qint64> filterNumber(const QString &text)
{
    const bool isDigits =
        !text.isEmpty() && text.size() <= maxDigits &&
        std::all_of(text.cbegin(), text.cend(), [](QChar each) { return each >= u'0' && each <= u'9'; });
    if (!isDigits)
        return std::nullopt;
    return text.toLongLong();
}

QString canonicalValue(const FilterField &field, const QString &value)
{
    if (field.name == QLatin1String("domain"))
        return value.toLower();
    if (field.kind == FilterKind::Count || field.kind == FilterKind::Identity) {
        if (const auto number = filterNumber(value))
            return QString::number(*number);
    }
    return value;
}

QString valueProblem(const FilterField &field, const QString &value)
{
    if (field.kind == FilterKind::Words && !field.words.contains(value)) {
        return QStringLiteral("unknown %1 %2; use one of: %3")
            .arg(field.name, quotedForError(value), field.words.join(QLatin1String(", ")));
    }
    if ((field.kind == FilterKind::Count || field.kind == FilterKind::Identity) && !filterNumber(value))
        return QStringLiteral("%1 is not a number; write digits, as in %2:3").arg(quotedForError(value), field.name);
    return {};
}

QString quotedForError(const QString &text)
{
    QString shown = text.left(40);
    for (QChar &each : shown) {
        if (!each.isPrint())
            each = QChar::ReplacementCharacter;
    }
    return u'"' + shown + (text.size() > shown.size() ? QStringLiteral("…\"") : QStringLiteral("\""));
}

qsizetype unstorablePosition(const QString &text)
{
    for (qsizetype at = 0; at < text.size(); ++at) {
        if (text[at].isNull())
            return at;
        if (text[at].isHighSurrogate() && at + 1 < text.size() && text[at + 1].isLowSurrogate())
            ++at;
        else if (text[at].isSurrogate())
            return at;
    }
    return -1;
}

} // namespace sendoff
