#pragma once
#include "channel/http_transport.h"
#include "channel/provider_kind.h"
#include <QObject>
#include <QTimer>
#include <map>
#include <memory>

namespace sendoff::channel {

// Access tokens of providers that want one with each request: fetched through the transport, one fetch at a time for
// each provider while the others wait, kept until shortly before their end, in memory only. Thread: the transport's,
// which needs an event loop; every callback comes there, exactly once.
class AccessTokens final : public QObject
{
public:
    AccessTokens(Transport &transport, const Clock &clock);

    using Taken = std::variant<QByteArray, AttemptResult>; // a token, or why there is none: nothing left us then
    using Done = std::function<void(const Taken &)>;
    // `deadline` is the caller's own; a fetch that outlasts it goes on for the others.
    void take(const ProviderKind &kind, const ProviderSettings &provider, Milliseconds deadline, Done done);

    // What a request under this token showed. refused() forgets it and says whether a new one is worth a try: no, where
    // it was itself the replacement of a refused one and nothing was ever accepted under it.
    void accepted(const ProviderSettings &provider, const QByteArray &token);
    bool refused(const ProviderSettings &provider, const QByteArray &token);

    // Ends every wait; each callback has come when it returns.
    void cancelAll();

private:
    struct Waiter
    {
        Done done;
        std::unique_ptr<QTimer> timer;
    };
    struct Entry
    {
        QByteArray token; // empty: none
        std::chrono::steady_clock::duration renewal{};
        bool isReplacement = false; // the one before was refused
        bool hasWorked = false;
        bool isFetching = false;
        std::map<qint64, Waiter> waiters;
    };

    void fetch(const QByteArray &key, const ProviderKind &kind, const ProviderSettings &provider);
    void fetched(const QByteArray &key, const std::variant<ProviderKind::Token, AttemptResult> &answer);
    static void answer(Entry &entry, const Taken &taken);

    Transport &m_transport;
    const Clock &m_clock;
    std::map<QByteArray, Entry> m_entries; // by provider and credential: a changed credential has no old token
    qint64 m_lastWaiter = 0;
    std::shared_ptr<bool> m_alive; // the transport may outlive us
};

// Whether an answer refuses the access token itself, and not what it was used for.
bool refusesToken(const AttemptResult &result);

} // namespace sendoff::channel
