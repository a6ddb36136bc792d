#pragma once
#include "channel/http_sender.h"
#include "domain/attempt.h"
#include <QHostAddress>
#include <QMap>
#include <QObject>
#include <QTimer>
#include <map>

namespace sendoff::channel {

// Which destinations a provider may write to whose addresses are URLs of others. The default is https to port 443 of a
// public address.
struct DestinationRules
{
    bool allowsHttp = false;
    bool allowsPrivate = false;                  // any address
    QList<std::pair<QHostAddress, int>> allowed; // ranges that are allowed beside the public ones
    std::vector<int> ports{443};                 // the usual one of http is added where http is allowed
};

// From the options allow_http, allow_private ("true", or ranges like "10.0.0.0/8, fd00::/8") and ports ("443, 8443").
// Invalid: the option at fault and the remedy.
Result<DestinationRules> destinationRules(const QMap<QString, QString> &options);

// Why nothing may be sent to this URL whatever its host's name leads to, empty where that decides. Names no part of the
// URL. For saving an address as well as for sending to it.
QString destinationProblem(const QString &address, const DestinationRules &rules);

// An address on the public internet: not loopback, private, shared, link-local, multicast, reserved, documentation or a
// host's metadata service, in whatever form of IPv6 it is wrapped.
bool isPublicAddress(const QHostAddress &address);
bool isAllowedAddress(const QHostAddress &address, const DestinationRules &rules);

// What became of a check: the addresses to connect to, IPv4 first, or why not; `left` is false then. An address that
// can't be right is PermanentRecipient, a name that leads to a forbidden one now is Transient.
struct CheckedDestination
{
    QStringList addresses;
    std::optional<AttemptResult> refusal;
};

// Resolves a destination's name just before an attempt and lets it through only where every address of it is allowed:
// a mixed answer is refused, a look-up that fails lets nothing through. Thread: the sender's, which needs an event
// loop; callbacks come there, exactly once.
class DestinationCheck final : public QObject
{
public:
    explicit DestinationCheck(Resolver resolve = {});

    using Done = std::function<void(const CheckedDestination &)>;
    void check(const QString &address, const DestinationRules &rules, Milliseconds deadline, Done done);
    // Ends every check; each callback has come when it returns.
    void cancelAll();

private:
    struct Pending
    {
        DestinationRules rules;
        Done done;
        std::unique_ptr<QTimer> timer;
    };

    void found(qint64 number, const QStringList &addresses);
    void end(qint64 number, const CheckedDestination &checked);

    Resolver m_resolve;
    std::map<qint64, Pending> m_pending;
    qint64 m_last = 0;
    std::shared_ptr<bool> m_alive; // a look-up may outlive us
};

} // namespace sendoff::channel
