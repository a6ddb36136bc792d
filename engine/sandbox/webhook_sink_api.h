#pragma once
#include "sandbox/provider_api.h"

namespace sendoff::sandbox {

// A receiver of outgoing webhooks under /webhooks/: takes any JSON object with the three headers of Standard Webhooks,
// answers 200, and takes a repeated webhook-id once. It knows no secret, so it verifies no signature.
// Thread: the sandbox's.
class WebhookSinkApi
{
public:
    WebhookSinkApi(MessageLedger &ledger, IdSource &ids)
        : m_ledger(ledger)
        , m_ids(ids)
    {}

    static bool owns(const QByteArray &path);
    void countReceptions(const Received &received);
    static QStringList recipients(const Received &received);
    Served serve(const Received &received, const Decision &decision, const Script &script, Moment now);

private:
    HttpReply take(const Received &received, Moment now);

    MessageLedger &m_ledger;
    IdSource &m_ids;
};

} // namespace sendoff::sandbox
