#pragma once
#include "sandbox/provider_api.h"
#include <QJsonArray>
#include <QJsonObject>
#include <map>

namespace sendoff::sandbox {

// Expo's push endpoints: tickets in the order of the request, receipts for the tickets it gave. It knows no
// idempotency, like the real one: a second request is a second message. Thread: the sandbox's.
class ExpoApi
{
public:
    ExpoApi(MessageLedger &ledger, IdSource &ids)
        : m_ledger(ledger)
        , m_ids(ids)
    {}

    static bool owns(const QByteArray &path);
    void countReceptions(const Received &received);
    static QStringList recipients(const Received &received);
    Served serve(const Received &received, const Decision &decision, const Script &script, Moment now);
    void reset() { m_receiptErrors.clear(); }

private:
    struct Notification
    {
        QJsonObject message;
        QString token;
    };

    static std::vector<Notification> notifications(const Received &received);
    HttpReply send(const Received &received, const Decision &decision, const Script &script, Moment now);
    HttpReply receipts(const Received &received) const;
    QByteArray ticket(const Notification &notification, int position, const Decision &decision, Moment now);
    static QByteArray errorTicket(const QString &name, const QString &token);
    static HttpReply refused(const QString &code);

    MessageLedger &m_ledger;
    IdSource &m_ids;
    SecondWindow m_window;
    std::map<qint64, QString> m_receiptErrors; // an id's counter -> error name or "absent"; the others are ok
};

} // namespace sendoff::sandbox
