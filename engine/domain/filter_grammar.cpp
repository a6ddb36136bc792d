#include "domain/filter.h"
#include "domain/filter_fields.h"

#include <algorithm>

namespace sendoff {

namespace {

constexpr qsizetype maxFilterText = 8'000;

bool isComparison(QChar each)
{
    return each == u'>' || each == u'<';
}

// Reads the text from left to right; the first mistake ends it.
class FilterReader
{
public:
    FilterReader(const QString &text, FilterRows rows)
        : m_text(text)
        , m_rows(rows)
    {}

    bool read(Filter &filter)
    {
        if (const qsizetype at = unstorablePosition(m_text); at >= 0) {
            return fail(at, 1,
                        m_text[at].isNull()
                            ? QStringLiteral("the character U+0000 is in no stored text; remove it")
                            : QStringLiteral("half a character (a lone surrogate) is in no stored text; remove it"));
        }
        if (m_text.size() > maxFilterText)
            return fail(maxFilterText, m_text.size() - maxFilterText,
                        QStringLiteral("the filter is longer than %1 characters").arg(maxFilterText));
        while (skipBlanks()) {
            FilterTerm term;
            if (!readTerm(term))
                return false;
            filter.terms.push_back(std::move(term));
        }
        return true;
    }

    const FilterProblem &problem() const { return m_problem; }

private:
    bool atEnd() const { return m_at >= m_text.size(); }
    QChar here() const { return atEnd() ? QChar() : m_text[m_at]; }

    bool skipBlanks()
    {
        while (!atEnd() && m_text[m_at].isSpace())
            ++m_at;
        return !atEnd();
    }

    bool fail(qsizetype at, qsizetype length, const QString &why)
    {
        // At least the character that is wrong, where there is one.
        m_problem = {at, at < m_text.size() ? std::clamp<qsizetype>(length, 1, m_text.size() - at) : 0, why};
        return false;
    }

    bool readTerm(FilterTerm &term)
    {
        if (here() == u'-' || here() == u'!') {
            term.isNegated = true;
            ++m_at;
        }
        const qsizetype start = m_at;
        while (!atEnd() && !here().isSpace() && !QStringLiteral(":<>=\"").contains(here()))
            ++m_at;
        const QString name = m_text.mid(start, m_at - start);
        const FilterField *field = filterField(name, m_rows);
        if (!field) {
            return fail(start, name.size(),
                        QStringLiteral("unknown field %1; use one of: %2")
                            .arg(quotedForError(name), filterFields(m_rows).join(QLatin1String(", "))));
        }
        term.field = field->name;
        const qsizetype sign = m_at;
        const bool isNamed = here() == u':';
        if (isNamed)
            ++m_at;
        if (isCompared(field->kind) && isComparison(here())) {
            term.op = here() == u'>' ? FilterTerm::Operator::Above : FilterTerm::Operator::Below;
            ++m_at;
            return readLimit(*field, term);
        }
        if (field->kind == FilterKind::Time) {
            return fail(sign, 1, QStringLiteral("%1 needs > or < and a duration, as in %1>1h").arg(field->name));
        }
        if (!isNamed)
            return fail(sign, 1, QStringLiteral("%1 needs a colon and a value, as in %1:value").arg(field->name));
        return readValues(*field, term);
    }

    bool readLimit(const FilterField &field, FilterTerm &term)
    {
        const qsizetype start = m_at;
        QString text;
        if (!readValue(text))
            return false;
        if (field.kind == FilterKind::Count) {
            if (const QString why = valueProblem(field, text); !why.isEmpty())
                return fail(start, m_at - start, why);
            term.number = *filterNumber(text);
            return endOfTerm();
        }
        const auto duration = parseDuration(text);
        if (!duration)
            return fail(start, m_at - start,
                        QStringLiteral("%1 is not a duration; write 30s, 15m, 1h or 7d").arg(quotedForError(text)));
        term.duration = *duration;
        return endOfTerm();
    }

    bool readValues(const FilterField &field, FilterTerm &term)
    {
        do {
            const qsizetype start = m_at;
            QString value;
            if (!readValue(value))
                return false;
            if (const QString why = valueProblem(field, value); !why.isEmpty())
                return fail(start, m_at - start, why);
            term.values += canonicalValue(field, value);
        } while (here() == u',' && ++m_at);
        return endOfTerm();
    }

    bool endOfTerm()
    {
        if (atEnd() || here().isSpace())
            return true;
        return fail(m_at, 1, QStringLiteral("a blank must stand between two terms, and a comma between two values"));
    }

    bool readValue(QString &value)
    {
        if (here() == u'"')
            return readQuoted(value);
        const qsizetype start = m_at;
        while (!atEnd() && !here().isSpace() && here() != u',') {
            if (here() == u'"')
                return fail(m_at, 1,
                            QStringLiteral("a quote inside a value; put the whole value in quotes and write \\\""));
            ++m_at;
        }
        value = m_text.mid(start, m_at - start);
        if (value.isEmpty())
            return fail(start, 1, QStringLiteral("a value is missing; write \"\" for the empty one"));
        return true;
    }

    bool readQuoted(QString &value)
    {
        const qsizetype start = m_at++;
        for (; !atEnd() && here() != u'"'; ++m_at) {
            if (here() == u'\\') {
                ++m_at;
                if (atEnd() || (here() != u'"' && here() != u'\\'))
                    return fail(m_at - 1, 2,
                                QStringLiteral("inside quotes write \\\\ for a backslash and \\\" for a quote"));
            }
            value += here();
        }
        if (atEnd())
            return fail(start, m_text.size() - start,
                        QStringLiteral("this quote is never closed; add \" behind the value"));
        ++m_at;
        return true;
    }

    const QString &m_text;
    const FilterRows m_rows;
    qsizetype m_at = 0;
    FilterProblem m_problem;
};

} // namespace

Result<Filter> Filter::parse(const QString &text, FilterRows rows, FilterProblem *problem)
{
    FilterReader reader(text, rows);
    Filter filter;
    if (reader.read(filter))
        return filter;
    const FilterProblem &found = reader.problem();
    if (problem)
        *problem = found;
    return Error{ErrorCode::Invalid,
                 QStringLiteral("filter, position %1: %2").arg(found.position + 1).arg(found.message)};
}

} // namespace sendoff
