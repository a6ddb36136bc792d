#pragma once
#include "channel/sender.h"
#include <QStringList>
#include <QUrl>
#include <functional>
#include <memory>

namespace sendoff::channel {

// Finds the addresses of a host's name, as text; none where there are none. Called and calls back (once, at once or
// later) on the sender's thread.
using Resolver = std::function<void(const QString &name, std::function<void(const QStringList &)> found)>;

// How the network is reached.
struct TransportSettings
{
    QUrl proxy;                        // empty: direct connections, whatever the environment says
    bool proxyFromEnvironment = false; // HTTPS_PROXY, HTTP_PROXY, NO_PROXY
    qsizetype maxAnswerBytes = 64 * 1024;
    QByteArray caCertificates; // PEM, beside the system's; tests and private providers
    int maxInFlight = 1024;    // requests on the wire to one provider host, the rest waits; at least 1
    Resolver resolve;          // of destinations that are checked; empty: the system's
};

// Invalid, naming the setting and the remedy, where these can't be used: an unknown kind of proxy, certificates that
// are no PEM, a limit below 1.
Result<void> checkTransport(const TransportSettings &settings);

// How a request to `target` would travel, for people: "direct" or the proxy with its password masked.
QString proxyForPeople(const TransportSettings &settings, const QUrl &target);

// The Sender over HTTP: builds the request, posts it on its own network thread through the one transport, reads the
// answer with the provider's classifier and removes secrets and addresses from its text. Owns that thread.
std::unique_ptr<Sender> makeHttpSender(const TransportSettings &settings);

} // namespace sendoff::channel
