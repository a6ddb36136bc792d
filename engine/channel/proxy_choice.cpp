#include "channel/proxy_choice.h"

#include <QRegularExpression>

namespace sendoff::channel {

namespace {

QString variable(const char *lower, const char *upper)
{
    const QString value = qEnvironmentVariable(lower);
    return value.isEmpty() ? qEnvironmentVariable(upper) : value;
}

// "host:3128" is as common as "http://host:3128".
QUrl proxyAddress(const QString &text)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty())
        return {};
    return QUrl(trimmed.contains(QLatin1String("://")) ? trimmed : QStringLiteral("http://") + trimmed);
}

int portOf(const QUrl &url)
{
    return url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
}

bool isSameHost(const QString &host, const QString &entry)
{
    const QHostAddress address(host);
    if (!address.isNull()) {
        if (entry.contains(u'/')) {
            const auto subnet = QHostAddress::parseSubnet(entry);
            return subnet.second >= 0 && address.isInSubnet(subnet);
        }
        const QHostAddress other(entry);
        return !other.isNull() && address == other;
    }
    QString domain = entry;
    if (domain.startsWith(QLatin1String("*.")))
        domain.remove(0, 2);
    while (domain.startsWith(u'.'))
        domain.remove(0, 1);
    return !domain.isEmpty() && (host == domain || host.endsWith(u'.' + domain));
}

struct Exemption
{
    QString host;
    int port = 0; // 0: every port
};

Exemption parsedExemption(const QString &entry)
{
    static const QRegularExpression bracketed(QStringLiteral("^\\[(.*)\\](?::(\\d+))?$"));
    const QRegularExpressionMatch match = bracketed.match(entry);
    if (match.hasMatch())
        return {match.captured(1), match.captured(2).toInt()};
    if (entry.count(u':') == 1)
        return {entry.section(u':', 0, 0), entry.section(u':', 1).toInt()};
    return {entry, 0};
}

bool isLoopback(const QString &host)
{
    const QHostAddress address(host);
    return host == QLatin1String("localhost") || host.endsWith(QLatin1String(".localhost")) ||
           (!address.isNull() && address.isLoopback());
}

std::optional<QNetworkProxy::ProxyType> kindOf(const QUrl &proxy)
{
    if (proxy.host().isEmpty())
        return std::nullopt;
    if (proxy.scheme() == QLatin1String("http"))
        return QNetworkProxy::HttpProxy;
    if (proxy.scheme() == QLatin1String("socks5") || proxy.scheme() == QLatin1String("socks5h"))
        return QNetworkProxy::Socks5Proxy;
    return std::nullopt;
}

} // namespace

ProxyChoice::ProxyChoice(const TransportSettings &settings)
    : m_explicit(settings.proxy)
{
    if (!m_explicit.isEmpty() || !settings.proxyFromEnvironment)
        return;
    const QString forAll = variable("all_proxy", "ALL_PROXY");
    const QString http = variable("http_proxy", "HTTP_PROXY");
    const QString https = variable("https_proxy", "HTTPS_PROXY");
    m_forHttp = proxyAddress(http.isEmpty() ? forAll : http);
    m_forHttps = proxyAddress(https.isEmpty() ? forAll : https);
    static const QRegularExpression separator(QStringLiteral("[,\\s]+"));
    m_exempt = variable("no_proxy", "NO_PROXY").toLower().split(separator, Qt::SkipEmptyParts);
}

bool ProxyChoice::isExempt(const QUrl &target) const
{
    QString host = target.host().toLower();
    if (host.endsWith(u'.'))
        host.chop(1);
    if (isLoopback(host))
        return true;
    for (const QString &entry : m_exempt) {
        if (entry == QLatin1String("*"))
            return true;
        const Exemption exemption = parsedExemption(entry);
        if ((exemption.port == 0 || exemption.port == portOf(target)) && isSameHost(host, exemption.host))
            return true;
    }
    return false;
}

QUrl ProxyChoice::addressFor(const QUrl &target) const
{
    if (!m_explicit.isEmpty())
        return m_explicit;
    const QUrl &proxy = target.scheme() == QLatin1String("https") ? m_forHttps : m_forHttp;
    return proxy.isEmpty() || isExempt(target) ? QUrl() : proxy;
}

std::optional<QNetworkProxy> ProxyChoice::forUrl(const QUrl &target) const
{
    const QUrl address = addressFor(target);
    if (address.isEmpty())
        return QNetworkProxy(QNetworkProxy::NoProxy);
    const auto kind = kindOf(address);
    if (!kind)
        return std::nullopt;
    const int port = address.port(*kind == QNetworkProxy::HttpProxy ? 3128 : 1080);
    QNetworkProxy proxy(*kind, address.host(), quint16(port), address.userName(QUrl::FullyDecoded),
                        address.password(QUrl::FullyDecoded));
    proxy.setCapabilities(QNetworkProxy::TunnelingCapability | QNetworkProxy::HostNameLookupCapability);
    return proxy;
}

QString proxyForPeople(const TransportSettings &settings, const QUrl &target)
{
    QUrl address = ProxyChoice(settings).addressFor(target);
    if (address.isEmpty())
        return QStringLiteral("direct");
    if (!address.password().isEmpty())
        address.setPassword(QStringLiteral("***"));
    return address.toString();
}

} // namespace sendoff::channel
