#include "render/message_template.h"

#include <QStringDecoder>

namespace sendoff::render {

namespace {

const QString partialFolder = QStringLiteral("partials");
const QString layoutContent = QStringLiteral("content"); // {{>content}} inside a layout is the message's own body
constexpr int maxPartialDepth = 8;

QStringList headerKeys(const FileName &name)
{
    if (name.folder == partialFolder)
        return {};
    if (name.isHtml)
        return {QStringLiteral("layout")};
    if (name.stem == toText(Channel::Email))
        return {QStringLiteral("subject")};
    if (name.stem == toText(Channel::Push) || name.stem == toText(Channel::Inbox))
        return {QStringLiteral("title"), QStringLiteral("link")};
    return {};
}

QString decoded(const QByteArray &content, const QString &file, Findings &findings)
{
    QStringDecoder decoder(QStringDecoder::Utf8);
    QString text = decoder(content);
    if (decoder.hasError() || text.contains(QChar(0)))
        findings.push_back(
            {{file, 0, QStringLiteral("is not valid UTF-8 text; save it as UTF-8 without NUL characters")}, true});
    if (text.startsWith(QChar(QChar::ByteOrderMark)))
        text.remove(0, 1);
    return text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
}

void addHeader(ParsedFile &parsed, const FileName &name, const QString &line, int number, Findings &findings)
{
    const QString file = name.path();
    if (line.trimmed().isEmpty())
        return;
    const qsizetype colon = line.indexOf(u':');
    const QString key = line.left(std::max<qsizetype>(0, colon)).trimmed();
    const QStringList known = headerKeys(name);
    if (!known.contains(key)) {
        const QString offer = known.isEmpty() ? QStringLiteral("this file takes none")
                                              : QStringLiteral("there is ") + known.join(QStringLiteral(", "));
        findings.push_back(
            {{file, number, QStringLiteral("unknown header key \"%1\"; %2").arg(key.left(40), offer)}, true});
        return;
    }
    for (const ParsedFile::Header &other : parsed.headers) {
        if (other.key == key)
            findings.push_back({{file, number, QStringLiteral("header %1 stands twice; keep one").arg(key)}, true});
    }
    ParsedFile::Header header{key, number, tokensOf(line.mid(colon + 1).trimmed(), file, number, findings)};
    if (header.value.empty())
        findings.push_back({{file, number, QStringLiteral("header %1 is empty; give it a text").arg(key)}, true});
    for (const Token &token : header.value) {
        if (token.kind == Token::Kind::Partial)
            findings.push_back(
                {{file, number, QStringLiteral("a header takes no partial; write its text here")}, true});
    }
    parsed.headers.push_back(std::move(header));
}

QString withoutOuterNewlines(const QString &text)
{
    qsizetype begin = 0;
    qsizetype end = text.size();
    while (begin < end && text[begin] == u'\n')
        ++begin;
    while (end > begin && text[end - 1] == u'\n')
        --end;
    return text.mid(begin, end - begin);
}

// Replaces partials by their tokens. The library would parse them anew in each render and without a bound.
class Expansion
{
public:
    Expansion(const TemplateFiles &files, const FileName &message, Findings &findings)
        : m_files(files)
        , m_message(message)
        , m_findings(findings)
    {}

    Tokens run(const ParsedFile &file)
    {
        Tokens body;
        append(file.body, body, 0);
        for (const ParsedFile::Header &header : file.headers) {
            if (header.key != QLatin1String("layout") || header.value.empty())
                continue;
            m_hasLayout = true;
            m_content = std::move(body);
            body.clear();
            appendPartial({Token::Kind::Partial, header.value.front().text, m_message.path(), header.line}, body, 0);
            if (!m_contentWasUsed)
                m_findings.push_back(
                    {{m_message.path(), header.line,
                      QStringLiteral("the layout %1 has no {{>content}}; add it").arg(header.value.front().text)},
                     true});
        }
        return body;
    }

private:
    void append(const Tokens &tokens, Tokens &out, int depth)
    {
        for (const Token &token : tokens) {
            if (token.kind == Token::Kind::Partial)
                appendPartial(token, out, depth);
            else
                out.push_back(token);
        }
    }

    void appendPartial(const Token &token, Tokens &out, int depth)
    {
        if (token.text == layoutContent && depth > 0 && m_hasLayout) {
            m_contentWasUsed = true;
            out.insert(out.end(), m_content.begin(), m_content.end());
            return;
        }
        const std::optional<FileName> name =
            m_files.inChain({partialFolder, token.text, m_message.locale, m_message.isHtml});
        if (!name) {
            m_findings.push_back(
                {{token.file, token.line,
                  QStringLiteral("partial %1 has no file for %2; add %3")
                      .arg(token.text, m_message.locale,
                           FileName{partialFolder, token.text, m_files.defaultLocale(), m_message.isHtml}.path())},
                 true});
            return;
        }
        if (depth >= maxPartialDepth) {
            // One report: a ring of partials that call each other twice would give hundreds.
            if (!m_tooDeep)
                m_findings.push_back({{token.file, token.line,
                                       QStringLiteral("partials nest deeper than %1; does %2 call itself?")
                                           .arg(maxPartialDepth)
                                           .arg(token.text)},
                                      true});
            m_tooDeep = true;
            return;
        }
        if (m_tooDeep)
            return;
        const ParsedFile partial = parsedFile(*name, m_files.all().value(name->path()), m_findings);
        append(partial.body, out, depth + 1);
    }

    const TemplateFiles &m_files;
    const FileName &m_message;
    Findings &m_findings;
    Tokens m_content;
    bool m_hasLayout = false;
    bool m_contentWasUsed = false;
    bool m_tooDeep = false;
};

void requireHeader(const MessageTemplate &message, const std::optional<CompiledText> &header, const QString &key,
                   Findings &findings)
{
    if (!header)
        findings.push_back({{message.label + QStringLiteral(".mustache"), 0,
                             QStringLiteral("has no header %1; begin the file with ---, %1: …, ---").arg(key)},
                            true});
}

} // namespace

QString FileName::path() const
{
    return label() + QStringLiteral(".mustache");
}

QString FileName::label() const
{
    return folder + u'/' + stem + u'.' + locale + (isHtml ? QStringLiteral(".html") : QString());
}

std::optional<FileName> FileName::fromPath(const QString &path)
{
    const QStringList folders = path.split(u'/');
    if (folders.size() != 2 || folders[0].isEmpty())
        return std::nullopt;
    const QStringList words = folders[1].split(u'.');
    const bool isHtml = words.size() == 4 && words[2] == QLatin1String("html");
    if ((words.size() != 3 && !isHtml) || words.last() != QLatin1String("mustache") || words[0].isEmpty() ||
        words[1].isEmpty())
        return std::nullopt;
    return FileName{folders[0], words[0], words[1], isHtml};
}

TemplateFiles::TemplateFiles(QMap<QString, QByteArray> files, QString defaultLocale)
    : m_files(std::move(files))
    , m_defaultLocale(std::move(defaultLocale))
{}

std::optional<FileName> TemplateFiles::inChain(FileName name) const
{
    for (const QString &locale : localeChain(name.locale, m_defaultLocale)) {
        name.locale = locale;
        if (contains(name))
            return name;
    }
    return std::nullopt;
}

ParsedFile parsedFile(const FileName &name, const QByteArray &content, Findings &findings)
{
    ParsedFile parsed;
    const QString file = name.path();
    const QString text = decoded(content, file, findings);
    QString body = text;
    int bodyLine = 1;
    if (text.startsWith(QLatin1String("---\n"))) {
        const QStringList lines = text.split(u'\n');
        const qsizetype end = lines.indexOf(QStringLiteral("---"), 1);
        if (end < 0)
            findings.push_back(
                {{file, 1, QStringLiteral("the header block is not closed; end it with a line ---")}, true});
        for (qsizetype at = 1; at < end; ++at)
            addHeader(parsed, name, lines[at], int(at) + 1, findings);
        body = end < 0 ? QString() : lines.mid(end + 1).join(u'\n');
        bodyLine = int(end) + 2;
    }
    const QString trimmed = withoutOuterNewlines(body);
    parsed.body = tokensOf(trimmed, file, bodyLine + int(body.left(body.indexOf(trimmed)).count(u'\n')), findings);
    return parsed;
}

const TemplateProblem *MessageTemplate::obstacle() const
{
    for (const Finding &finding : findings) {
        if (finding.blocks)
            return &finding.problem;
    }
    return nullptr;
}

MessageTemplate compiledMessage(const TemplateFiles &files, Channel channel, const FileName &textPart)
{
    MessageTemplate message;
    message.locale = textPart.locale;
    message.label = textPart.label();
    Findings &findings = message.findings;
    if (!files.contains(textPart))
        findings.push_back({{textPart.path(), 0,
                             QStringLiteral("the text part is missing; every message needs one beside its HTML part")},
                            true});
    const ParsedFile parsed = parsedFile(textPart, files.all().value(textPart.path()), findings);
    message.text.emplace(Expansion(files, textPart, findings).run(parsed), Target::Text, findings);
    for (const ParsedFile::Header &header : parsed.headers) {
        if (header.key == QLatin1String("subject"))
            message.subject.emplace(header.value, Target::Header, findings);
        else if (header.key == QLatin1String("title"))
            message.title.emplace(header.value, Target::Header, findings);
        else if (header.key == QLatin1String("link"))
            message.link.emplace(header.value, Target::Link, findings);
    }
    if (channel == Channel::Email)
        requireHeader(message, message.subject, QStringLiteral("subject"), findings);
    if (channel == Channel::Push || channel == Channel::Inbox)
        requireHeader(message, message.title, QStringLiteral("title"), findings);
    FileName htmlPart = textPart;
    htmlPart.isHtml = true;
    if (channel == Channel::Email && files.contains(htmlPart)) {
        const ParsedFile html = parsedFile(htmlPart, files.all().value(htmlPart.path()), findings);
        message.html.emplace(Expansion(files, htmlPart, findings).run(html), Target::Html, findings);
    }
    return message;
}

} // namespace sendoff::render
