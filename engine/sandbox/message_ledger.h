#pragma once
#include "domain/clock.h"
#include <QByteArray>
#include <QHash>
#include <QJsonObject>
#include <QMap>
#include <QString>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace sendoff::sandbox {

// A message that the sandbox took.
struct AcceptedMessage
{
    QString provider; // "resend", "expo"
    QString id;       // given by us, as the provider would
    QString key;      // Idempotency-Key; for push what names the delivery in the message, may be empty
    QString to;       // several joined by ", "
    QString subject;
    QString title;
    QString preview; // of the text or HTML, cut
    Timestamp at;
    qint64 receptions = 1; // requests read with this key so far, whatever they were answered
    // What a callback gives back.
    QString from;
    QJsonObject labels;     // tags, custom_args, Metadata
    QByteArray callbackUrl; // Twilio's StatusCallback
    QByteArray account;     // Twilio's
};

struct Stats
{
    qint64 requests = 0;             // to providers' endpoints, read or dropped; the sandbox's own pages don't count
    qint64 accepted = 0;             // messages
    qint64 duplicatesSuppressed = 0; // requests answered with the original answer of their key
    qint64 distinctKeys = 0;
    qint64 repeatedKeys = 0;    // keys that were received more than once
    QMap<int, qint64> statuses; // 0: no answer was given
};

// What the sandbox has received: records, keys, counts. At most so many records and keys as it is told, the oldest
// go first. Thread: its owner's.
class MessageLedger
{
public:
    using Ticks = std::chrono::steady_clock::duration;
    using PayloadHash = std::array<char, 20>; // SHA-1: equality of test messages, nothing secret

    // What a provider remembers of an idempotency key.
    struct Remembered
    {
        PayloadHash payload{};
        QByteArray answer;
        Ticks at{};
        qint64 run = 0; // tells a late finish() from another one
        bool running = false;
    };

    MessageLedger(qsizetype maxRecords, qsizetype maxKeys);

    std::function<void(const AcceptedMessage &)> onAccepted; // called for each, before it is kept

    void countRequest() { ++m_stats.requests; }
    void countStatus(int status) { ++m_stats.statuses[status]; }
    void countSuppressed() { ++m_stats.duplicatesSuppressed; }
    void countReception(const QByteArray &key);
    qint64 receptions(const QByteArray &key) const;

    void accept(AcceptedMessage message);

    // nullptr where the key is not remembered (any more: 24 h).
    const Remembered *remembered(const QByteArray &key, Ticks now) const;
    qint64 remember(const QByteArray &key, const PayloadHash &payload, const QByteArray &answer, Ticks now,
                    bool running);
    void finish(const QByteArray &key, qint64 run);

    std::vector<AcceptedMessage> messages(qsizetype newest = -1) const;
    Stats stats() const;
    void reset();

    static PayloadHash hashOf(const QByteArray &path, const QByteArray &payload);

private:
    struct Key
    {
        qint64 receptions = 0;
        std::optional<Remembered> original;
    };

    Key &entry(const QByteArray &key);

    qsizetype m_maxRecords;
    qsizetype m_maxKeys;
    std::deque<AcceptedMessage> m_records;
    QHash<QByteArray, Key> m_keys;
    std::deque<QByteArray> m_keyOrder;
    Stats m_stats;
    qint64 m_runs = 0;
};

} // namespace sendoff::sandbox
