#include "render/template_tokens.h"

#include "render/expression.h"
#include <utility>

namespace sendoff::render {

namespace {

constexpr size_t maxSectionDepth = 32; // the library below walks sections by recursion

bool isBlank(QChar each)
{
    return each == u' ' || each == u'\t';
}

class Tokenizer
{
public:
    Tokenizer(const QString &text, const QString &file, int firstLine, Findings &findings)
        : m_text(text)
        , m_file(file)
        , m_line(firstLine)
        , m_findings(findings)
    {}

    Tokens run()
    {
        while (m_at < m_text.size()) {
            const qsizetype open = m_text.indexOf(QLatin1String("{{"), m_at);
            addText(open < 0 ? m_text.size() : open);
            if (open < 0 || !addTag())
                break;
        }
        for (const Token &section : m_open)
            report(section.line, QStringLiteral("section %1 is never closed; add {{/%1}}").arg(section.text));
        return std::move(m_tokens);
    }

private:
    void report(int line, const QString &message) { m_findings.push_back({{m_file, line, message}, true}); }

    void addText(qsizetype end)
    {
        if (end == m_at)
            return;
        const QString literal = m_text.mid(m_at, end - m_at);
        m_tokens.push_back({Token::Kind::Text, literal, m_file, m_line});
        m_line += int(literal.count(u'\n'));
        m_at = end;
    }

    bool addTag()
    {
        const bool isTriple = m_at + 2 < m_text.size() && m_text[m_at + 2] == u'{';
        const QString closing = isTriple ? QStringLiteral("}}}") : QStringLiteral("}}");
        const qsizetype start = m_at + closing.size();
        const qsizetype end = m_text.indexOf(closing, start);
        if (end < 0) {
            report(m_line, QStringLiteral("a tag is not closed; add %1").arg(closing));
            return false;
        }
        const QStringView contents = QStringView(m_text).mid(start, end - start);
        const qsizetype tagStart = m_at;
        m_at = end + closing.size();
        if (isTriple)
            addVariable(Token::Kind::Raw, contents);
        else
            addSigned(contents.trimmed(), tagStart);
        m_line += int(contents.count(u'\n')) + std::exchange(m_skippedLines, 0);
        return true;
    }

    void addSigned(QStringView contents, qsizetype tagStart)
    {
        const QChar sign = contents.isEmpty() ? QChar() : contents.front();
        const QStringView rest = contents.mid(1).trimmed();
        switch (sign.unicode()) {
        case u'!':
            swallowOwnLine(tagStart);
            return;
        case u'=':
            report(m_line, QStringLiteral("the delimiters can't be changed; remove {{=…=}}"));
            return;
        case u'#':
            swallowOwnLine(tagStart);
            openSection(Token::Kind::Section, rest);
            return;
        case u'^':
            swallowOwnLine(tagStart);
            openSection(Token::Kind::Inverted, rest);
            return;
        case u'/':
            swallowOwnLine(tagStart);
            closeSection(rest);
            return;
        case u'>':
            if (const auto name = parseName(rest); !name)
                report(m_line, name.error().message);
            m_tokens.push_back({Token::Kind::Partial, rest.toString(), m_file, m_line});
            return;
        case u'&':
            addVariable(Token::Kind::Raw, rest);
            return;
        default:
            addVariable(Token::Kind::Variable, contents);
        }
    }

    void addVariable(Token::Kind kind, QStringView contents)
    {
        if (const auto expression = parseExpression(contents); !expression)
            report(m_line, expression.error().message);
        m_tokens.push_back({kind, contents.trimmed().toString(), m_file, m_line});
    }

    void openSection(Token::Kind kind, QStringView name)
    {
        if (const auto path = parseName(name); !path)
            report(m_line, path.error().message);
        const Token token{kind, name.toString(), m_file, m_line};
        m_open.push_back(token);
        m_tokens.push_back(token);
        if (m_open.size() == maxSectionDepth + 1)
            report(m_line, QStringLiteral("sections nest deeper than %1; flatten them").arg(maxSectionDepth));
    }

    void closeSection(QStringView name)
    {
        if (m_open.empty() || m_open.back().text != name) {
            report(m_line, m_open.empty()
                               ? QStringLiteral("{{/%1}} closes no section; remove it").arg(name.left(40).toString())
                               : QStringLiteral("{{/%1}} stands where {{/%2}} is due")
                                     .arg(name.left(40).toString(), m_open.back().text));
            return;
        }
        m_open.pop_back();
        m_tokens.push_back({Token::Kind::End, name.toString(), m_file, m_line});
    }

    // A section's tag or a comment that has its line to itself takes the line with it.
    void swallowOwnLine(qsizetype tagStart)
    {
        qsizetype begin = tagStart;
        while (begin > 0 && isBlank(m_text[begin - 1]))
            --begin;
        qsizetype end = m_at;
        while (end < m_text.size() && isBlank(m_text[end]))
            ++end;
        const bool startsLine = begin == 0 || m_text[begin - 1] == u'\n';
        const bool endsLine = end == m_text.size() || m_text[end] == u'\n';
        if (!startsLine || !endsLine)
            return;
        if (begin < tagStart)
            m_tokens.back().text.chop(tagStart - begin);
        if (end < m_text.size()) {
            ++m_skippedLines;
            ++end;
        }
        m_at = end;
    }

    const QString &m_text;
    QString m_file;
    int m_line;
    int m_skippedLines = 0;
    Findings &m_findings;
    qsizetype m_at = 0;
    Tokens m_tokens;
    Tokens m_open;
};

} // namespace

Tokens tokensOf(const QString &text, const QString &file, int firstLine, Findings &findings)
{
    return Tokenizer(text, file, firstLine, findings).run();
}

} // namespace sendoff::render
