#include "channel/smtp/smtp_route.h"

#include <QHostAddress>
#include <QSysInfo>
#include <algorithm>

namespace sendoff::channel {

namespace {

constexpr int submissionPort = 587;
constexpr int implicitTlsPort = 465;
// As long as a delivery's id.
const QString sampleId = QStringLiteral("00000000-0000-0000-0000-000000000000");

QString option(const ProviderSettings &settings, const char *name)
{
    return settings.options.value(QString::fromLatin1(name)).trimmed();
}

Error invalid(const QString &text)
{
    return {ErrorCode::Invalid, text};
}

bool isLoopback(const QString &host)
{
    return host == QLatin1String("localhost") || QHostAddress(host).isLoopback();
}

bool isOneLine(const QByteArray &bytes)
{
    return std::all_of(bytes.begin(), bytes.end(), [](char each) {
        const auto byte = static_cast<unsigned char>(each);
        return byte >= 0x20 && byte != 0x7f;
    });
}

Result<void> readServer(const ProviderSettings &settings, SmtpRoute &route)
{
    route.server = settings.baseUrl;
    const QString scheme = route.server.scheme();
    const bool isImplicit = scheme == QLatin1String("smtps");
    const bool isBare = route.server.path().isEmpty() || route.server.path() == QLatin1String("/");
    if ((!isImplicit && scheme != QLatin1String("smtp")) || route.server.host().isEmpty() || !isBare ||
        route.server.hasQuery() || route.server.hasFragment())
        return invalid(
            QStringLiteral("base_url: write smtp://HOST:587 (STARTTLS) or smtps://HOST:465, nothing after it"));
    if (!route.server.userInfo().isEmpty())
        return invalid(QStringLiteral("base_url: it holds a user name; use options.username and api_key instead"));
    if (route.server.port() < 0)
        route.server.setPort(isImplicit ? implicitTlsPort : submissionPort);
    route.server.setPath(QString());
    const QString tls = option(settings, "tls");
    const bool mayBePlain = isLoopback(route.server.host()) || option(settings, "allow_plain") == QLatin1String("true");
    if (isImplicit) {
        if (!tls.isEmpty() && tls != QLatin1String("implicit"))
            return invalid(QStringLiteral("options.tls: smtps:// is \"implicit\"; leave it out, or write smtp://"));
        route.tls = SmtpTls::Implicit;
    } else if (tls == QLatin1String("none")) {
        if (!mayBePlain)
            return invalid(QStringLiteral("options.tls: \"none\" lets everybody on the way read the mails and the "
                                          "password; use \"starttls\", or set options.allow_plain = true"));
        route.tls = SmtpTls::None;
    } else if (tls == QLatin1String("implicit")) {
        return invalid(QStringLiteral("options.tls: for \"implicit\" write base_url = \"smtps://HOST:465\""));
    } else if (!tls.isEmpty() && tls != QLatin1String("starttls")) {
        return invalid(QStringLiteral("options.tls: write \"starttls\", \"implicit\" or \"none\""));
    }
    return {};
}

Result<void> readLogin(const ProviderSettings &settings, SmtpRoute &route)
{
    route.username = option(settings, "username");
    route.password = settings.apiKey;
    const QString auth = option(settings, "auth");
    if (route.username.isEmpty() != route.password.isEmpty())
        return invalid(route.username.isEmpty()
                           ? QStringLiteral("options.username: it is missing, and api_key holds a password")
                           : QStringLiteral("api_key: it is missing; it holds the password of options.username"));
    if (!isOneLine(route.username.toUtf8()) || !isOneLine(route.password))
        return invalid(QStringLiteral("api_key: it or options.username holds a line break or a control character"));
    if (auth.isEmpty())
        route.mechanisms = "AUTH=PLAIN;AUTH=LOGIN";
    else if (auth == QLatin1String("plain") || auth == QLatin1String("login") || auth == QLatin1String("xoauth2"))
        route.mechanisms = "AUTH=" + auth.toUpper().toLatin1();
    else
        return invalid(QStringLiteral("options.auth: write \"plain\", \"login\" or \"xoauth2\""));
    return {};
}

Result<void> readSenders(const ProviderSettings &settings, SmtpRoute &route)
{
    Result<Mailbox> from = readMailbox(settings.from);
    if (!from)
        return invalid(QStringLiteral("from: %1").arg(from.error().message));
    if (from->address.needsUtf8())
        return invalid(QStringLiteral("from: only ASCII may stand before the @ of a sender; few servers take more"));
    route.from = std::move(*from);
    const QString pattern = option(settings, "return_path");
    if (!pattern.isEmpty()) {
        const auto sample = emailAddress(QString(pattern).replace(QLatin1String("{id}"), sampleId));
        if (!sample || sample->needsUtf8())
            return invalid(
                QStringLiteral("options.return_path: %1; write one like \"bounce+{id}@example.com\"")
                    .arg(sample ? QStringLiteral("only ASCII may stand before the @") : sample.error().message));
        route.returnPath = pattern;
    }
    if (const QString replyTo = option(settings, "reply_to"); !replyTo.isEmpty()) {
        if (const auto read = readMailbox(replyTo); !read)
            return invalid(QStringLiteral("options.reply_to: %1").arg(read.error().message));
    }
    return {};
}

bool isHostName(const QString &name)
{
    return !name.isEmpty() && emailAddress(QStringLiteral("a@") + name).ok();
}

Result<void> readHello(const ProviderSettings &settings, SmtpRoute &route)
{
    const QString given = option(settings, "hello");
    if (!given.isEmpty() && !isHostName(given))
        return invalid(QStringLiteral("options.hello: it is no host name; write the one that your server knows us by"));
    const QString own = QSysInfo::machineHostName();
    const QString name = !given.isEmpty() ? given : isHostName(own) ? own : QStringLiteral("localhost");
    route.helloName = emailAddress(QStringLiteral("a@") + name)->domain.toLatin1();
    return {};
}

} // namespace

Result<SmtpRoute> smtpRoute(const ProviderSettings &settings)
{
    SmtpRoute route;
    for (const auto read : {readServer, readLogin, readSenders, readHello}) {
        if (const Result<void> done = read(settings, route); !done)
            return done.error();
    }
    return route;
}

EmailAddress envelopeSender(const SmtpRoute &route, const DeliveryId &id)
{
    if (route.returnPath.isEmpty())
        return route.from.address;
    const auto sender = emailAddress(QString(route.returnPath).replace(QLatin1String("{id}"), id.value));
    return sender ? *sender : route.from.address;
}

} // namespace sendoff::channel
