#pragma once
#include "sandbox/http_connection.h"
#include "sandbox/message_ledger.h"
#include "sandbox/script.h"
#include <QJsonValue>

namespace sendoff::sandbox {

// A request with its JSON read once.
struct Received
{
    const HttpRequest &request;
    QJsonValue json; // undefined where the body is no JSON

    explicit Received(const HttpRequest &from);
};

// What a provider's stand-in says, and what is to be finished once the answer is out.
struct Served
{
    HttpReply reply;
    QByteArray key; // of an idempotency entry that runs until the answer is sent
    qint64 run = 0;
};

// The time of one request, taken once.
struct Moment
{
    Timestamp wall;
    std::chrono::steady_clock::duration ticks{};
};

// Ids as UUIDs: a random part of each sandbox, then a counter.
class IdSource
{
public:
    IdSource();
    QByteArray next();
    // The counter of an id of ours that was given since forgetEarlier(), 0 for any other text.
    qint64 counterOf(const QString &id) const;
    qint64 last() const { return m_last; }
    void forgetEarlier() { m_first = m_last + 1; }

private:
    QByteArray m_prefix;
    qint64 m_first = 1;
    qint64 m_last = 0;
};

// At most so many in each second, counted from the first of it.
class SecondWindow
{
public:
    using Ticks = std::chrono::steady_clock::duration;

    bool take(qint64 count, qint64 limit, Ticks now);
    qint64 remaining(qint64 limit) const { return m_taken >= limit ? 0 : limit - m_taken; }

private:
    std::optional<Ticks> m_began;
    qint64 m_taken = 0;
};

// The answer where the script refuses the request as a whole: redirect, a status that is no success, a request's
// error. Nothing where the request is to be worked on.
std::optional<HttpReply> scriptedRefusal(const Action &action, bool expo);

// The address inside "Name <address>", lower case.
QString bareAddress(const QString &written);

constexpr qsizetype previewLength = 300;

} // namespace sendoff::sandbox
