#pragma once
#include "render/compiled_text.h"
#include <QMap>
#include <optional>

namespace sendoff::render {

// Which file of a template: "booking-confirmed-driver/email.en.html.mustache".
struct FileName
{
    QString folder; // the template, or "partials"
    QString stem;   // the channel's word, or the partial's name
    QString locale;
    bool isHtml = false;

    QString path() const;
    QString label() const; // the path without ".mustache", for errors
    static std::optional<FileName> fromPath(const QString &path);
};

// The files of a published set and where its locale chains end.
class TemplateFiles
{
public:
    TemplateFiles(QMap<QString, QByteArray> files, QString defaultLocale);

    const QMap<QString, QByteArray> &all() const { return m_files; }
    const QString &defaultLocale() const { return m_defaultLocale; }
    bool contains(const FileName &name) const { return m_files.contains(name.path()); }
    // The name with the first locale of the chain that has a file; nothing where none has.
    std::optional<FileName> inChain(FileName name) const;

private:
    QMap<QString, QByteArray> m_files;
    QString m_defaultLocale;
};

// A file cut into its header lines and its body, both as tokens.
struct ParsedFile
{
    struct Header
    {
        QString key;
        int line = 0;
        Tokens value;
    };
    std::vector<Header> headers;
    Tokens body;
};
ParsedFile parsedFile(const FileName &name, const QByteArray &content, Findings &findings);

// Everything of one message in one locale, ready to render.
struct MessageTemplate
{
    QString locale;
    QString label;
    std::optional<CompiledText> subject;
    std::optional<CompiledText> title;
    std::optional<CompiledText> link;
    std::optional<CompiledText> text;
    std::optional<CompiledText> html;
    Findings findings;

    // The first finding that forbids rendering, nullptr: none.
    const TemplateProblem *obstacle() const;
};
// Both parts of a message. `textPart` is the file without .html; where it is absent and only HTML is there, findings
// say so.
MessageTemplate compiledMessage(const TemplateFiles &files, Channel channel, const FileName &textPart);

} // namespace sendoff::render
