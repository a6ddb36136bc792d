#include "channel/mail/mail_parts.h"

#include "channel/compose_checks.h"

namespace sendoff::channel {

namespace {

// It becomes a header at the provider, where nobody looks for line breaks any more.
bool isOneClickUrl(const QString &text)
{
    const QUrl url(text, QUrl::StrictMode);
    return url.isValid() && url.scheme() == QLatin1String("https") && !url.host().isEmpty() && !text.contains(u'>') &&
           !text.contains(u',');
}

} // namespace

QLatin1String deliveryLabel()
{
    return QLatin1String("delivery");
}

Mailbox mailboxOf(const QString &written)
{
    const qsizetype open = written.lastIndexOf(u'<');
    const qsizetype close = written.lastIndexOf(u'>');
    if (open < 0 || close < open)
        return {{}, written.trimmed()};
    QString name = written.left(open).trimmed();
    if (name.size() >= 2 && name.startsWith(u'"') && name.endsWith(u'"'))
        name = name.mid(1, name.size() - 2).replace(QLatin1String("\\\""), QLatin1String("\""));
    return {name, written.mid(open + 1, close - open - 1).trimmed()};
}

Result<void> checkMail(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                       const QString &service)
{
    const auto invalid = [](const QString &text) { return Error{ErrorCode::Invalid, text}; };
    if (auto checked = checkComposition(Channel::Email, message, address); !checked)
        return checked;
    if (provider.from.trimmed().isEmpty())
        return invalid(QStringLiteral("providers.%1.from is empty; name the sender").arg(provider.name));
    if (message.subject.trimmed().isEmpty())
        return invalid(QStringLiteral("subject: it is empty; %1 takes no mail without one").arg(service));
    if (message.text.isEmpty() && message.html.isEmpty())
        return invalid(QStringLiteral("the message has neither text nor HTML; give the template one of them"));
    if (!message.unsubscribeUrl.isEmpty() && !isOneClickUrl(message.unsubscribeUrl))
        return invalid(QStringLiteral("the unsubscribe address is no https URL; correct http.public_url"));
    return {};
}

std::vector<std::pair<QString, QString>> unsubscribeHeaders(const RenderedMessage &message)
{
    if (message.unsubscribeUrl.isEmpty())
        return {};
    return {{QStringLiteral("List-Unsubscribe"), u'<' + message.unsubscribeUrl + u'>'},
            {QStringLiteral("List-Unsubscribe-Post"), QStringLiteral("List-Unsubscribe=One-Click")}};
}

} // namespace sendoff::channel
