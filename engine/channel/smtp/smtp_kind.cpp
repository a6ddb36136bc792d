#include "channel/smtp/smtp_kind.h"

#include "channel/compose_checks.h"
#include "channel/mime/mime_message.h"
#include "channel/smtp/smtp_route.h"

namespace sendoff::channel {

namespace {

Error invalid(const QString &text)
{
    return {ErrorCode::Invalid, text};
}

// The one-click address as a header may hold it.
Result<QByteArray> unsubscribeTarget(const QString &text)
{
    if (text.isEmpty())
        return QByteArray();
    const auto web = webAddress(text);
    const QByteArray encoded = web ? QUrl(*web).toEncoded() : QByteArray();
    if (!encoded.startsWith("https://") || encoded.contains('>') || encoded.contains('<') || encoded.contains(' '))
        return invalid(QStringLiteral("the unsubscribe address is no https URL; correct http.public_url"));
    return encoded;
}

Result<QByteArray> compose(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                           const DeliveryId &id)
{
    if (const auto checked = checkComposition(Channel::Email, message, address); !checked)
        return checked.error();
    if (message.text.isEmpty() && message.html.isEmpty())
        return invalid(QStringLiteral("the message has neither text nor HTML; give the template one of them"));
    const Result<SmtpRoute> route = smtpRoute(provider);
    if (!route)
        return invalid(QStringLiteral("providers.%1.%2").arg(provider.name, route.error().message));
    const Result<EmailAddress> to = emailAddress(address);
    if (!to)
        return invalid(QStringLiteral("address: %1; correct the contact").arg(to.error().message));
    const Result<QByteArray> unsubscribe = unsubscribeTarget(message.unsubscribeUrl);
    if (!unsubscribe)
        return unsubscribe.error();

    MimeMessage mail;
    mail.from = route->from;
    mail.to = *to;
    if (const QString replyTo = provider.options.value(QStringLiteral("reply_to")); !replyTo.isEmpty())
        mail.replyTo = *readMailbox(replyTo); // smtpRoute() has read it
    mail.subject = message.subject;
    mail.text = message.text;
    mail.html = message.html;
    // The same for every attempt, so that a receiver can drop the second copy of a doubtful one.
    mail.messageId = id.value.toUtf8() + '@' + route->from.address.domain.toLatin1();
    mail.unsubscribeUrl = *unsubscribe;
    mail.date = SystemClock().now(); // a second attempt sends the frozen bytes, not a second date
    return mimeBytes(mail);
}

Result<void> check(const ProviderSettings &settings)
{
    const Result<SmtpRoute> route = smtpRoute(settings);
    return route ? Result<void>() : Result<void>(route.error());
}

} // namespace

const ProviderKind &smtpKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("smtp");
        made.channel = Channel::Email;
        made.wire = Wire::Smtp;
        made.needsFrom = true;
        made.optionNames = {QStringLiteral("username"),    QStringLiteral("auth"),        QStringLiteral("tls"),
                            QStringLiteral("allow_plain"), QStringLiteral("return_path"), QStringLiteral("reply_to"),
                            QStringLiteral("hello")};
        made.check = check;
        made.compose = compose;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
