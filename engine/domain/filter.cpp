#include "domain/filter.h"

#include "domain/words.h"

#include <QMap>
#include <algorithm>

namespace sendoff {

namespace {

const QString ageField = QStringLiteral("age");
constexpr qsizetype maxFilterText = 8'000;

bool isBlank(QChar each)
{
    return each.isSpace();
}

// What a person typed, short and on one line, for an error text.
QString quoted(const QString &text)
{
    QString shown = text.left(40);
    for (QChar &each : shown) {
        if (!each.isPrint())
            each = QChar::ReplacementCharacter;
    }
    return u'"' + shown + (text.size() > shown.size() ? QStringLiteral("…\"") : QStringLiteral("\""));
}

template <typename Word, int count>
QStringList wordsOf()
{
    QStringList words;
    for (int index = 0; index < count; ++index)
        words += toText(static_cast<Word>(index));
    return words;
}

// The closed set of a field's words, empty where any text may stand.
const QStringList &wordsOfField(const QString &field)
{
    static const QMap<QString, QStringList> words{
        {QStringLiteral("state"), wordsOf<DeliveryState, int(DeliveryState::Unknown) + 1>()},
        {QStringLiteral("reason"), wordsOf<Reason, int(Reason::ReceiptBounced) + 1>()},
        {QStringLiteral("lane"), wordsOf<Lane, int(Lane::Bulk) + 1>()},
        {QStringLiteral("channel"), wordsOf<Channel, int(Channel::Webhook) + 1>()},
        {QStringLiteral("outcome"), wordsOf<Outcome, int(Outcome::Unknown) + 1>()},
    };
    static const QStringList any;
    const auto found = words.constFind(field);
    return found == words.cend() ? any : *found;
}

// Reads the text from left to right; the first mistake ends it.
class FilterReader
{
public:
    explicit FilterReader(const QString &text)
        : m_text(text)
    {}

    Result<Filter> read()
    {
        if (const qsizetype at = m_text.indexOf(QChar(0)); at >= 0)
            return refuse(at, QStringLiteral("the character U+0000 is in no stored text; remove it"));
        if (m_text.size() > maxFilterText)
            return refuse(maxFilterText, QStringLiteral("the filter is longer than %1 characters").arg(maxFilterText));
        Filter filter;
        while (skipBlanks()) {
            FilterTerm term;
            if (!readTerm(term))
                return m_error;
            filter.terms.push_back(std::move(term));
        }
        return filter;
    }

private:
    bool atEnd() const { return m_at >= m_text.size(); }

    bool skipBlanks()
    {
        while (!atEnd() && isBlank(m_text[m_at]))
            ++m_at;
        return !atEnd();
    }

    Error refuse(qsizetype at, const QString &why) const
    {
        return {ErrorCode::Invalid, QStringLiteral("filter, position %1: %2").arg(at + 1).arg(why)};
    }

    bool fail(qsizetype at, const QString &why)
    {
        m_error = refuse(at, why);
        return false;
    }

    bool readTerm(FilterTerm &term)
    {
        const qsizetype start = m_at;
        while (!atEnd() && !isBlank(m_text[m_at]) && !QStringLiteral(":<>=\"").contains(m_text[m_at]))
            ++m_at;
        term.field = m_text.mid(start, m_at - start);
        if (!filterFields().contains(term.field)) {
            return fail(start, QStringLiteral("unknown field %1; use one of: %2")
                                   .arg(quoted(term.field), filterFields().join(QLatin1String(", "))));
        }
        const QChar sign = atEnd() ? QChar() : m_text[m_at];
        if (term.field == ageField) {
            if (sign != u'>' && sign != u'<')
                return fail(m_at, QStringLiteral("age needs > or < and a duration, as in age>1h"));
            term.op = sign == u'>' ? FilterTerm::Operator::Older : FilterTerm::Operator::Younger;
            ++m_at;
            return readDuration(term);
        }
        if (sign != u':')
            return fail(m_at, QStringLiteral("%1 needs a colon and a value, as in %1:value").arg(term.field));
        ++m_at;
        return readValues(term);
    }

    bool readDuration(FilterTerm &term)
    {
        const qsizetype start = m_at;
        QString text;
        if (!readValue(text))
            return false;
        const auto duration = parseDuration(text);
        if (!duration) {
            return fail(start, QStringLiteral("%1 is not a duration; write 30s, 15m, 1h or 7d").arg(quoted(text)));
        }
        term.duration = *duration;
        return endOfTerm();
    }

    bool readValues(FilterTerm &term)
    {
        do {
            const qsizetype start = m_at;
            QString value;
            if (!readValue(value))
                return false;
            const QStringList &words = wordsOfField(term.field);
            if (!words.isEmpty() && !words.contains(value)) {
                return fail(start, QStringLiteral("unknown %1 %2; use one of: %3")
                                       .arg(term.field, quoted(value), words.join(QLatin1String(", "))));
            }
            term.values += value;
        } while (!atEnd() && m_text[m_at] == u',' && ++m_at);
        return endOfTerm();
    }

    bool endOfTerm()
    {
        if (atEnd() || isBlank(m_text[m_at]))
            return true;
        return fail(m_at, QStringLiteral("a blank must stand between two terms, and a comma between two values"));
    }

    bool readValue(QString &value)
    {
        if (!atEnd() && m_text[m_at] == u'"')
            return readQuoted(value);
        const qsizetype start = m_at;
        while (!atEnd() && !isBlank(m_text[m_at]) && m_text[m_at] != u',') {
            if (m_text[m_at] == u'"')
                return fail(m_at,
                            QStringLiteral("a quote inside a value; put the whole value in quotes and write \\\""));
            ++m_at;
        }
        value = m_text.mid(start, m_at - start);
        if (value.isEmpty())
            return fail(start, QStringLiteral("a value is missing; write \"\" for the empty one"));
        return true;
    }

    bool readQuoted(QString &value)
    {
        const qsizetype start = m_at++;
        for (; !atEnd() && m_text[m_at] != u'"'; ++m_at) {
            if (m_text[m_at] == u'\\') {
                ++m_at;
                if (atEnd() || (m_text[m_at] != u'"' && m_text[m_at] != u'\\'))
                    return fail(m_at - 1,
                                QStringLiteral("inside quotes write \\\\ for a backslash and \\\" for a quote"));
            }
            value += m_text[m_at];
        }
        if (atEnd())
            return fail(start, QStringLiteral("this quote is never closed; add \" behind the value"));
        ++m_at;
        return true;
    }

    const QString &m_text;
    qsizetype m_at = 0;
    Error m_error;
};

QString written(const QString &value)
{
    const bool isPlain = !value.isEmpty() && std::none_of(value.cbegin(), value.cend(), [](QChar each) {
        return isBlank(each) || each == u',' || each == u'"' || each == u'\\';
    });
    if (isPlain)
        return value;
    QString escaped = value;
    escaped.replace(u'\\', QLatin1String("\\\\")).replace(u'"', QLatin1String("\\\""));
    return u'"' + escaped + u'"';
}

QString written(const FilterTerm &term)
{
    if (term.op != FilterTerm::Operator::Equals)
        return term.field + (term.op == FilterTerm::Operator::Older ? u'>' : u'<') + formatDuration(term.duration);
    QStringList values = term.values;
    values.sort();
    values.removeDuplicates();
    for (QString &value : values)
        value = written(value);
    return term.field + u':' + values.join(u',');
}

} // namespace

Result<Filter> Filter::parse(const QString &text)
{
    return FilterReader(text).read();
}

QString Filter::toText() const
{
    // All terms must hold, so their order means nothing: sorted, equal filters have equal texts.
    std::vector<std::pair<qsizetype, QString>> parts;
    for (const FilterTerm &term : terms)
        parts.emplace_back(filterFields().indexOf(term.field), written(term));
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    QStringList texts;
    for (const auto &[place, part] : parts)
        texts += part;
    return texts.join(u' ');
}

const QStringList &filterFields()
{
    static const QStringList fields{
        QStringLiteral("id"),       QStringLiteral("event"),     QStringLiteral("type"),     QStringLiteral("tenant"),
        QStringLiteral("user"),     QStringLiteral("recipient"), QStringLiteral("role"),     QStringLiteral("channel"),
        QStringLiteral("provider"), QStringLiteral("lane"),      QStringLiteral("category"), QStringLiteral("state"),
        QStringLiteral("reason"),   QStringLiteral("code"),      QStringLiteral("outcome"),  ageField};
    return fields;
}

} // namespace sendoff
