#pragma once
#include "channel/sender.h"
#include <QUrl>
#include <memory>

namespace sendoff::channel {

// How the network is reached.
struct TransportSettings
{
    QUrl proxy;             // empty: direct connections, whatever the environment says
    bool proxyFromEnvironment = false; // HTTPS_PROXY, HTTP_PROXY, NO_PROXY
    qsizetype maxAnswerBytes = 64 * 1024;
    QByteArray caCertificates; // PEM, beside the system's; tests and private providers
};

// The Sender over HTTP: builds the request, posts it on its own network thread through the one transport, reads the
// answer with the provider's classifier and removes secrets and addresses from its text. Owns that thread.
std::unique_ptr<Sender> makeHttpSender(const TransportSettings &settings);

} // namespace sendoff::channel
