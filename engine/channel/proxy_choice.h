#pragma once
#include "channel/http_sender.h"
#include <QHostAddress>
#include <QNetworkProxy>
#include <optional>

namespace sendoff::channel {

// Which proxy carries a request. A setting wins over the environment; with neither, connections are direct, whatever
// the system says. Proxies are always asked for a tunnel (CONNECT, SOCKS5), for http addresses too, so that an error
// page of the proxy can't be taken for an answer of the provider.
class ProxyChoice
{
public:
    explicit ProxyChoice(const TransportSettings &settings);

    // NoProxy for direct connections; nothing where the proxy that should be used is of an unknown kind.
    std::optional<QNetworkProxy> forUrl(const QUrl &target) const;
    // The address of the proxy for `target`, empty for direct connections. Holds its password.
    QUrl addressFor(const QUrl &target) const;

private:
    bool isExempt(const QUrl &target) const;

    QUrl m_explicit;
    QUrl m_forHttp;
    QUrl m_forHttps;
    QStringList m_exempt; // NO_PROXY
};

} // namespace sendoff::channel
