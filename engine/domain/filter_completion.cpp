#include "domain/filter_completion.h"

#include "domain/filter_fields.h"

#include <algorithm>

namespace sendoff {

namespace {

// Where the quotes of a text open and close, so that a blank or a comma inside of one separates nothing.
class Quotes
{
public:
    explicit Quotes(const QString &text)
        : m_inside(size_t(text.size()) + 1, false)
    {
        bool isOpen = false;
        for (qsizetype at = 0; at < text.size(); ++at) {
            m_inside[size_t(at)] = isOpen;
            if (isOpen && text[at] == u'\\' && at + 1 < text.size())
                m_inside[size_t(++at)] = true;
            else if (text[at] == u'"')
                isOpen = !isOpen;
        }
        m_inside[size_t(text.size())] = isOpen;
    }
    bool covers(qsizetype at) const { return m_inside[size_t(at)]; }

private:
    std::vector<bool> m_inside;
};

QStringList startingWith(const QStringList &words, const QString &typed)
{
    QStringList found;
    for (const QString &word : words) {
        if (word.startsWith(typed, Qt::CaseInsensitive))
            found += word;
    }
    return found;
}

QString unquoted(QString text)
{
    if (!text.startsWith(u'"'))
        return text;
    text.remove(0, 1);
    QString plain;
    for (qsizetype at = 0; at < text.size() && text[at] != u'"'; ++at) {
        if (text[at] == u'\\' && at + 1 < text.size())
            ++at;
        plain += text[at];
    }
    return plain;
}

bool isSign(QChar each)
{
    return each == u':' || each == u'>' || each == u'<';
}

// One term of the text, with the cursor in it or at one of its ends.
struct Token
{
    const QString &text;
    const Quotes &quotes;
    qsizetype start; // behind "-" or "!"
    qsizetype end;
    qsizetype cursor;

    template <typename Is>
    qsizetype first(qsizetype from, qsizetype to, Is is) const
    {
        for (qsizetype at = from; at < to; ++at) {
            if (!quotes.covers(at) && is(text[at]))
                return at;
        }
        return to;
    }
};

FilterCompletion ofField(const Token &token, qsizetype nameEnd, FilterRows rows)
{
    FilterCompletion completion;
    completion.kind = FilterCompletion::Kind::Field;
    completion.position = token.start;
    completion.length = nameEnd - token.start;
    completion.typed = token.text.mid(token.start, token.cursor - token.start);
    completion.candidates = startingWith(filterFields(rows), completion.typed);
    const FilterField *whole = filterField(token.text.mid(token.start, nameEnd - token.start), rows);
    if (whole && token.cursor == nameEnd && nameEnd == token.end &&
        (completion.candidates.isEmpty() || completion.candidates == QStringList{whole->name})) {
        completion.kind = FilterCompletion::Kind::Operator;
        completion.position = token.cursor;
        completion.length = 0;
        completion.field = whole->name;
        completion.typed.clear();
        completion.candidates = whole->kind == FilterKind::Time ? QStringList{QStringLiteral(">"), QStringLiteral("<")}
                                : whole->kind == FilterKind::Count
                                    ? QStringList{QStringLiteral(":"), QStringLiteral(">"), QStringLiteral("<")}
                                    : QStringList{QStringLiteral(":")};
    }
    return completion;
}

// Of the alternative that the cursor is in; `from` is behind the sign.
FilterCompletion ofValue(const Token &token, qsizetype from, const FilterField &field, bool isComparison)
{
    FilterCompletion completion;
    completion.field = field.name;
    const auto isComma = [](QChar each) { return each == u','; };
    qsizetype start = from;
    for (qsizetype comma = token.first(start, token.cursor, isComma); comma < token.cursor;
         comma = token.first(start, token.cursor, isComma))
        start = comma + 1;
    completion.position = start;
    completion.length = token.first(token.cursor, token.end, isComma) - start;
    completion.typed = unquoted(token.text.mid(start, token.cursor - start));
    const bool isAtStart = token.cursor == from;
    if (isCompared(field.kind) && !isComparison && isAtStart) {
        completion.kind = FilterCompletion::Kind::Operator;
        completion.candidates = {QStringLiteral(">"), QStringLiteral("<")};
        completion.length = 0;
    } else if (field.kind == FilterKind::Time) {
        completion.kind = FilterCompletion::Kind::Word;
        completion.candidates = startingWith({QStringLiteral("10m"), QStringLiteral("1h"), QStringLiteral("1d"),
                                              QStringLiteral("7d"), QStringLiteral("30d")},
                                             completion.typed);
    } else if (field.kind == FilterKind::Words) {
        completion.kind = FilterCompletion::Kind::Word;
        completion.candidates = startingWith(field.words, completion.typed);
    } else if (field.kind != FilterKind::Count) {
        completion.kind = FilterCompletion::Kind::StoredValue;
    }
    return completion;
}

} // namespace

FilterCompletion completionAt(const QString &text, qsizetype cursor, FilterRows rows)
{
    cursor = std::clamp<qsizetype>(cursor, 0, text.size());
    const Quotes quotes(text);
    const auto parts = [&](qsizetype at) { return text[at].isSpace() && !quotes.covers(at); };
    qsizetype start = cursor;
    while (start > 0 && !parts(start - 1))
        --start;
    qsizetype end = cursor;
    while (end < text.size() && !parts(end))
        ++end;
    if (start < end && start < cursor && (text[start] == u'-' || text[start] == u'!'))
        ++start;
    const Token token{text, quotes, start, end, cursor};
    const qsizetype nameEnd = token.first(start, end, isSign);
    if (cursor <= nameEnd)
        return ofField(token, nameEnd, rows);
    const FilterField *field = filterField(text.mid(start, nameEnd - start), rows);
    if (!field)
        return {};
    qsizetype from = nameEnd + 1;
    bool isComparison = text[nameEnd] != u':';
    if (!isComparison && isCompared(field->kind) && from < cursor && isSign(text[from])) {
        isComparison = true;
        ++from;
    }
    return ofValue(token, from, *field, isComparison);
}

} // namespace sendoff
