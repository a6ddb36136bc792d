#pragma once
#include "sandbox/provider_api.h"

namespace sendoff::sandbox {

// SendGrid's /v3/mail/send: 202 without a body and with X-Message-Id, rate headers with an absolute reset. It knows no
// idempotency, like the real one. Thread: the sandbox's.
class SendgridApi
{
public:
    SendgridApi(MessageLedger &ledger, IdSource &ids)
        : m_ledger(ledger)
        , m_ids(ids)
    {}

    static bool owns(const QByteArray &path);
    void countReceptions(const Received &received);
    static QStringList recipients(const Received &received);
    Served serve(const Received &received, const Decision &decision, const Script &script, Moment now);

private:
    struct Refusal
    {
        int status;
        QString message;
        QString field;
    };

    static std::optional<Refusal> refusal(const Received &received, const Script &script);
    static std::optional<Refusal> check(const QJsonObject &mail);
    HttpReply accept(const QJsonObject &mail, Moment now);
    static HttpReply refused(const Refusal &refusal);

    MessageLedger &m_ledger;
    IdSource &m_ids;
    SecondWindow m_window;
};

} // namespace sendoff::sandbox
