#pragma once
#include "sandbox/provider_api.h"
#include <QHash>
#include <deque>

namespace sendoff::sandbox {

// Resend's sending endpoints, /emails and /emails/batch: authorization, field checks, rate headers and idempotency
// keys as the real ones; and /emails/{id}, which gives one mail back. Thread: the sandbox's.
class ResendApi
{
public:
    ResendApi(MessageLedger &ledger, IdSource &ids)
        : m_ledger(ledger)
        , m_ids(ids)
    {}

    static bool owns(const QByteArray &path);
    void countReceptions(const Received &received);
    static QStringList recipients(const Received &received);
    Served serve(const Received &received, const Decision &decision, const Script &script, Moment now);
    void reset();

private:
    struct Refusal
    {
        int status;
        QString name;
        QString message;
    };

    Served serveUnlimited(const Received &received, const Decision &decision, const Script &script, Moment now);
    static std::optional<Refusal> refusal(const Received &received, const Script &script);
    static std::optional<Refusal> unauthorized(const HttpRequest &request, const Script &script);
    void keep(const AcceptedMessage &message);
    HttpReply one(const QString &id) const;
    std::optional<HttpReply> answerOfKey(const QByteArray &key, const MessageLedger::PayloadHash &payload, Moment now);
    HttpReply acceptOne(const QJsonObject &mail, const Decision &decision, const QString &key, Moment now);
    HttpReply acceptBatch(const Received &received, const Decision &decision, const QString &key, Moment now);
    QByteArray accept(const QJsonObject &mail, const QString &key, Moment now);
    static std::optional<Refusal> check(const QJsonObject &mail, bool inBatch);
    static std::optional<Refusal> checkRecipients(const QJsonValue &to);
    static Refusal scripted(const QString &name);
    static HttpReply refused(const Refusal &refusal);

    MessageLedger &m_ledger;
    IdSource &m_ids;
    SecondWindow m_window;
    QHash<QString, QByteArray> m_mails; // as /emails/{id} gives them
    std::deque<QString> m_order;        // of them, the oldest first
};

} // namespace sendoff::sandbox
