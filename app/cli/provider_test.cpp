#include "app/cli/provider_test.h"

#include "app/cli/json.h"
#include "app/cli/table.h"
#include "app/composition.h"
#include "channel/proxy_choice.h"

#include <QEventLoop>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QTcpSocket>
#include <QTimer>

namespace sendoff::app {

namespace {

constexpr int patienceMs = 10'000;

// What one look at the host found.
struct HostAnswer
{
    bool isThere = false;
    QString said; // one sentence, without credentials
};

// The configuration with this provider alone, so that nobody else's secret is asked for.
Result<Configuration> configurationOf(Invocation &invocation, const QString &name)
{
    const auto loaded = invocation.configuration();
    if (!loaded)
        return loaded.error();
    Configuration alone = **loaded;
    QStringList names;
    for (const ProviderConfiguration &each : alone.providers)
        names += each.settings.name;
    std::erase_if(alone.providers, [&](const ProviderConfiguration &each) { return each.settings.name != name; });
    if (alone.providers.empty()) {
        return Error{ErrorCode::NotFound,
                     names.isEmpty() ? QStringLiteral("the configuration has no providers; add a [providers.NAME]")
                                     : QStringLiteral("the configuration has no provider %1; it has: %2")
                                           .arg(name, names.join(QLatin1String(", ")))};
    }
    alone.store.password = {};
    alone.store.addressKey = {};
    return alone;
}

HostAnswer askHttp(const channel::TransportSettings &transport, const QUrl &url)
{
    const auto proxy = channel::ProxyChoice(transport).forUrl(url);
    if (!proxy)
        return {false, QStringLiteral("the proxy setting is not an http or socks5 address; correct it")};
    QNetworkAccessManager network;
    network.setProxy(*proxy);
    QNetworkRequest request(url);
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    request.setTransferTimeout(patienceMs);
    QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
    if (!transport.caCertificates.isEmpty())
        tls.addCaCertificates(QSslCertificate::fromData(transport.caCertificates, QSsl::Pem));
    request.setSslConfiguration(tls);
    const std::unique_ptr<QNetworkReply> reply(network.head(request));
    QEventLoop loop;
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    if (!reply->isFinished())
        loop.exec();
    const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (status > 0)
        return {true, QStringLiteral("answers (status %1)").arg(status)};
    return {false, reply->error() == QNetworkReply::OperationCanceledError
                       ? QStringLiteral("does not answer within %1 s").arg(patienceMs / 1'000)
                       : reply->errorString()};
}

// Mail servers: whether a connection stands.
HostAnswer askSocket(const QUrl &url)
{
    QTcpSocket socket;
    socket.connectToHost(url.host(), quint16(url.port(url.scheme() == QLatin1String("smtps") ? 465 : 587)));
    if (!socket.waitForConnected(patienceMs))
        return {false, socket.errorString()};
    return {true, QStringLiteral("takes connections")};
}

HostAnswer askHost(const ResolvedSecrets &secrets)
{
    const QUrl &url = secrets.configuration.providers.front().settings.baseUrl;
    if (url.isEmpty())
        return {true, QStringLiteral("there is none of its own to ask")};
    const bool isHttp = url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https");
    return isHttp ? askHttp(transportSettings(secrets), url) : askSocket(url);
}

} // namespace

Result<ExitCode> testProvider(Invocation &invocation, const QString &name)
{
    const auto alone = configurationOf(invocation, name);
    if (!alone)
        return alone.error();
    const Loaded<ResolvedSecrets> secrets = resolveSecrets(*alone, SecretReaders::ofThisProcess());
    if (!secrets.ok())
        return Error{ErrorCode::Invalid, linesOf(secrets.problems)};
    if (const Result<void> usable = channel::checkTransport(transportSettings(secrets.value)); !usable)
        return usable.error();
    const HostAnswer answer = askHost(secrets.value);
    const QString host = secrets.value.configuration.providers.front().settings.baseUrl.host();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject()
                                      .with("provider", name)
                                      .with("host", host)
                                      .with("ok", answer.isThere)
                                      .with("detail", answer.said));
    } else {
        invocation.out().line(QStringLiteral("%1: configuration and secrets are complete").arg(printable(name)));
        invocation.out().line(
            printable(QStringLiteral("%1: %2").arg(host.isEmpty() ? QStringLiteral("host") : host, answer.said)));
    }
    return answer.isThere ? ExitCode::Done : ExitCode::Failed;
}

} // namespace sendoff::app
