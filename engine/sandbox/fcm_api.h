#pragma once
#include "sandbox/provider_api.h"
#include <QJsonObject>
#include <QSet>

namespace sendoff::sandbox {

// FCM's sending endpoint and the token endpoint of its service accounts, POST /token: an access token for any signed
// assertion, a message name for a message under a token it gave. It knows no idempotency, like the real one.
// Thread: the sandbox's.
class FcmApi
{
public:
    FcmApi(MessageLedger &ledger, IdSource &ids)
        : m_ledger(ledger)
        , m_ids(ids)
    {}

    static bool owns(const QByteArray &path);
    void countReceptions(const Received &received);
    static QStringList recipients(const Received &received);
    Served serve(const Received &received, const Decision &decision, const Script &script, Moment now);
    // From now on every token that was given is refused, as when an account's key is replaced.
    void revokeTokens() { m_tokens.clear(); }

private:
    HttpReply token(const Received &received);
    HttpReply send(const Received &received, Moment now);
    bool isAuthorized(const HttpRequest &request) const;
    static HttpReply refused(int status, const QString &canonical, const QString &errorCode, const QString &message);
    static std::optional<HttpReply> scripted(const Action &action);

    MessageLedger &m_ledger;
    IdSource &m_ids;
    QSet<QByteArray> m_tokens;
};

} // namespace sendoff::sandbox
