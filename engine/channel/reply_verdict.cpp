#include "channel/reply_verdict.h"

namespace sendoff::channel {

namespace {

// Errors that mean "the connection", not "the status", when a status is there too.
bool isBroken(QNetworkReply::NetworkError error)
{
    switch (error) {
    case QNetworkReply::RemoteHostClosedError:
    case QNetworkReply::TimeoutError:
    case QNetworkReply::OperationCanceledError:
    case QNetworkReply::TemporaryNetworkFailureError:
    case QNetworkReply::UnknownNetworkError:
    case QNetworkReply::ContentReSendError:
    case QNetworkReply::ProtocolFailure:
        return true;
    default:
        return false;
    }
}

bool isProxyError(QNetworkReply::NetworkError error)
{
    return error >= QNetworkReply::ProxyConnectionRefusedError && error <= QNetworkReply::UnknownProxyError;
}

bool hasBody(int status)
{
    return status != 204 && status != 304;
}

ReplyVerdict ownVerdict(Fault reason, bool left)
{
    switch (reason) {
    case Fault::Deadline:
        return {reason, QStringLiteral("timeout"),
                left ? QStringLiteral("the provider did not answer within the timeout")
                     : QStringLiteral("no connection could be used within the timeout"),
                left};
    case Fault::TooLarge:
        return {reason, QStringLiteral("answer_too_large"), QStringLiteral("the answer was larger than is read"), left};
    default:
        return {Fault::Cancelled, QStringLiteral("cancelled"), QStringLiteral("the engine was shutting down"), left};
    }
}

ReplyVerdict answered(const ReplyFacts &facts)
{
    if (facts.ownReason != Fault::None)
        return ownVerdict(facts.ownReason, true);
    const bool announced = facts.contentLength >= 0 && hasBody(facts.status);
    const bool isWhole = announced ? facts.received >= facts.contentLength : !isBroken(facts.error);
    if (isWhole)
        return {};
    return {Fault::Lost, QStringLiteral("answer_cut"), QStringLiteral("the connection broke inside the answer"), true};
}

ReplyVerdict nothingLeft(const ReplyFacts &facts)
{
    if (facts.isProxied)
        return {Fault::Proxy, QStringLiteral("proxy"), QStringLiteral("the proxy did not open the connection"), false};
    switch (facts.error) {
    case QNetworkReply::ConnectionRefusedError:
        return {Fault::NotConnected, QStringLiteral("connection_refused"),
                QStringLiteral("the provider refused the connection"), false};
    case QNetworkReply::HostNotFoundError:
        return {Fault::NotConnected, QStringLiteral("dns"),
                QStringLiteral("the name of the provider's host could not be resolved"), false};
    case QNetworkReply::SslHandshakeFailedError:
        return {Fault::Tls, QStringLiteral("tls_handshake"), QStringLiteral("the TLS handshake failed"), false};
    case QNetworkReply::RemoteHostClosedError:
    case QNetworkReply::ContentReSendError:
        return {Fault::Lost, QStringLiteral("connection_lost"),
                QStringLiteral("the connection was closed before the request was sent"), false};
    default:
        return {Fault::NotConnected, QStringLiteral("unreachable"), QStringLiteral("the provider could not be reached"),
                false};
    }
}

// HTTP/2: the peer said with GOAWAY that it will not look at this stream. Qt tells it by its text alone, and only in
// English; in every other case the rule below says unknown, which is safe.
bool isRefusedByGoAway(const ReplyFacts &facts)
{
    return facts.isTls && facts.error == QNetworkReply::ContentReSendError && facts.resets == 0 &&
           facts.errorText.startsWith(QLatin1String("Server stopped accepting new streams"));
}

} // namespace

ReplyVerdict replyVerdict(const ReplyFacts &facts)
{
    if (facts.status != 0)
        return answered(facts);
    const bool left = facts.pulled > 0;
    if (facts.ownReason != Fault::None)
        return ownVerdict(facts.ownReason, left);
    if (isProxyError(facts.error))
        return {Fault::Proxy, QStringLiteral("proxy"), QStringLiteral("the proxy failed or wants a password"), left};
    if (facts.certificateRefused)
        return {Fault::Tls, QStringLiteral("tls_certificate"),
                QStringLiteral("the certificate of the provider is not trusted"), left};
    if (!left)
        return nothingLeft(facts);
    if (isRefusedByGoAway(facts))
        return {Fault::Lost, QStringLiteral("not_processed"),
                QStringLiteral("the provider closed the connection without reading the request"), true};
    return {Fault::Lost, QStringLiteral("connection_lost"),
            QStringLiteral("the connection broke before an answer came"), true};
}

} // namespace sendoff::channel
