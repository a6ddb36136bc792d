#pragma once
#include "sandbox/provider_api.h"
#include <QUrlQuery>
#include <deque>

namespace sendoff::sandbox {

// Twilio's messages of an account: create, list, read one. It knows no idempotency, like the real one: a second request
// is a second message. Thread: the sandbox's.
class TwilioApi
{
public:
    TwilioApi(MessageLedger &ledger, IdSource &ids)
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
        QByteArray sid;
        QString to;
        QString from;
        Timestamp at;
    };

    static int problemOf(const QUrlQuery &form); // an error code, 0: none
    static bool isAuthorized(const Received &received, const Script &script);
    HttpReply create(const QUrlQuery &form, const QByteArray &account, Moment now);
    HttpReply list(const QUrlQuery &query) const;
    HttpReply one(const QByteArray &sid) const;
    static QByteArray json(const Message &message);
    static HttpReply refused(int status, int code);

    MessageLedger &m_ledger;
    IdSource &m_ids;
    SecondWindow m_window;
    std::deque<Message> m_messages; // the newest first
};

} // namespace sendoff::sandbox
