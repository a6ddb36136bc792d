#include "render/renderer.h"

#include "render/escaping.h"
#include "render/message_template.h"
#include <QHash>

namespace sendoff::render {

namespace {

constexpr qsizetype maxFormatters = 256; // locales come from payloads: their number has no other bound

// The person's own region decides how times look, as long as it speaks the template's language.
QString formattingLocale(const QString &asked, const QString &found)
{
    const QString normalised = normalisedLocale(asked);
    return normalised.section(u'-', 0, 0) == found.section(u'-', 0, 0) ? normalised : found;
}

QString trimmedEnd(QString text)
{
    while (!text.isEmpty() && text.back().isSpace())
        text.chop(1);
    return text;
}

} // namespace

class Renderer::Templates
{
public:
    explicit Templates(const PublishedSet &set)
        : m_files(set.templates, set.catalogue.defaultLocale)
    {}

    std::variant<RenderedMessage, RenderError> render(const QString &templateName, Channel channel,
                                                      const QString &locale, const RenderScope &scope)
    {
        const std::optional<FileName> name = m_files.inChain({templateName, toText(channel), locale, false});
        if (!name)
            return RenderError{RenderError::Kind::Broken,
                               QStringLiteral("template %1 has no file for %2 in the locales %3")
                                   .arg(templateName, toText(channel),
                                        localeChain(locale, m_files.defaultLocale()).join(QStringLiteral(", ")))};
        const MessageTemplate &message = compiled(*name, channel);
        if (const TemplateProblem *obstacle = message.obstacle())
            return RenderError{RenderError::Kind::Broken, QStringLiteral("template %1 is broken: %2, line %3: %4")
                                                              .arg(message.label, obstacle->file)
                                                              .arg(obstacle->line)
                                                              .arg(obstacle->message)};
        return rendered(message, channel, formatter(formattingLocale(locale, message.locale), scope.timeZone), scope);
    }

private:
    const MessageTemplate &compiled(const FileName &name, Channel channel)
    {
        const QString path = name.path();
        auto found = m_messages.find(path);
        if (found == m_messages.end())
            found = m_messages.insert(path, std::make_shared<MessageTemplate>(compiledMessage(m_files, channel, name)));
        return **found;
    }

    const Formatter &formatter(const QString &locale, const QString &timeZone)
    {
        const QString key = locale + u'\n' + timeZone;
        auto found = m_formatters.find(key);
        if (found == m_formatters.end()) {
            if (m_formatters.size() >= maxFormatters)
                m_formatters.clear();
            found = m_formatters.insert(key, Formatter(locale, timeZone));
        }
        return *found;
    }

    static std::variant<RenderedMessage, RenderError> rendered(const MessageTemplate &message, Channel channel,
                                                               const Formatter &formatter, const RenderScope &scope)
    {
        RenderedMessage made;
        made.channel = channel;
        made.locale = message.locale;
        NameScope names(scope);
        const std::tuple<const std::optional<CompiledText> *, QString *, QString> parts[] = {
            {&message.subject, &made.subject, message.label},
            {&message.title, &made.title, message.label},
            {&message.link, &made.link, message.label},
            {&message.text, &made.text, message.label},
            {&message.html, &made.html, message.label + QStringLiteral(".html")}};
        for (const auto &[compiled, text, label] : parts) {
            if (!*compiled)
                continue;
            auto result = (*compiled)->render(names, formatter, label);
            if (auto *error = std::get_if<RenderError>(&result))
                return std::move(*error);
            *text = std::get<QString>(std::move(result));
        }
        made.subject = made.subject.trimmed();
        made.title = made.title.trimmed();
        made.text = trimmedEnd(std::move(made.text));
        if (message.link && !isSafeUrl(made.link))
            return RenderError{
                RenderError::Kind::Broken,
                QStringLiteral("the link of template %1 is none; it must be http, https or a path like /bookings/7")
                    .arg(message.label)};
        return made;
    }

    TemplateFiles m_files;
    QHash<QString, std::shared_ptr<MessageTemplate>> m_messages; // by path of the text part
    QHash<QString, Formatter> m_formatters;
};

Renderer::Renderer(const PublishedSet &set)
    : m_templates(std::make_unique<Templates>(set))
{}

Renderer::~Renderer() = default;
Renderer::Renderer(Renderer &&) noexcept = default;
Renderer &Renderer::operator=(Renderer &&) noexcept = default;

std::variant<RenderedMessage, RenderError> Renderer::render(const QString &templateName, Channel channel,
                                                            const QString &locale, const RenderScope &scope) const
{
    return m_templates->render(templateName, channel, locale, scope);
}

} // namespace sendoff::render
