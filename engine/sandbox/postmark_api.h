#pragma once
#include "sandbox/provider_api.h"
#include <deque>

namespace sendoff::sandbox {

// Postmark's /email and /email/batch, and the list and details of what was sent. A batch answers 200 with an ErrorCode
// for each mail. It knows no idempotency, like the real one. Thread: the sandbox's.
class PostmarkApi
{
public:
    PostmarkApi(MessageLedger &ledger, IdSource &ids)
        : m_ledger(ledger)
        , m_ids(ids)
    {}

    static bool owns(const QByteArray &path);
    void countReceptions(const Received &received);
    static QStringList recipients(const Received &received);
    Served serve(const Received &received, const Decision &decision, const Script &script, Moment now);
    void reset() { m_messages.clear(); }

private:
    struct Message
    {
        QByteArray id;
        QString delivery;
        Timestamp at;
    };
    struct Refusal
    {
        int code;
        QString message;
    };

    HttpReply work(const Received &received, const Action &action, Moment now);
    QByteArray take(const QJsonObject &mail, Moment now); // one mail's part of an answer
    static std::optional<Refusal> refusalAt(int position, const QJsonObject &mail, const Action &action);
    static Refusal scriptedFor(int code, const QJsonObject &mail);
    static std::optional<Refusal> check(const QJsonObject &mail);
    HttpReply list(const QByteArray &query) const;
    HttpReply details(const QByteArray &id) const;
    static QByteArray json(const Message &message);
    static QByteArray error(const Refusal &refusal);
    static HttpReply refused(int status, const Refusal &refusal);

    MessageLedger &m_ledger;
    IdSource &m_ids;
    SecondWindow m_window;
    std::deque<Message> m_messages; // the newest first
};

} // namespace sendoff::sandbox
