#include "channel/destination_check.h"

#include <QHostInfo>
#include <QUrl>
#include <algorithm>
#include <array>

namespace sendoff::channel {

namespace {

using Range = std::pair<QHostAddress, int>;

QList<Range> ranges(std::initializer_list<const char *> texts)
{
    QList<Range> made;
    for (const char *text : texts)
        made.append(QHostAddress::parseSubnet(QString::fromLatin1(text)));
    return made;
}

bool isIn(const QHostAddress &address, const QList<Range> &list)
{
    return std::any_of(list.begin(), list.end(),
                       [&address](const Range &range) { return address.isInSubnet(range.first, range.second); });
}

// IANA's special-purpose registry for IPv4, multicast and the reserved rest, and the one metadata service that has an
// address in a public range.
bool isPublicV4(const QHostAddress &address)
{
    static const QList<Range> special =
        ranges({"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
                "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
                "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"});
    return !isIn(address, special);
}

// The IPv4 address that an IPv6 one stands for, nothing where it stands for none.
std::optional<QHostAddress> embeddedV4(const QHostAddress &address)
{
    static const QList<Range> wrapping =
        ranges({"::ffff:0:0/96", "64:ff9b::/96"}); // mapped, and NAT64 as DNS64 gives it
    if (!isIn(address, wrapping))
        return std::nullopt;
    const Q_IPV6ADDR bytes = address.toIPv6Address();
    quint32 v4 = 0;
    for (int at = 12; at < 16; ++at)
        v4 = (v4 << 8) | bytes[at];
    return QHostAddress(v4);
}

QString withoutRootDot(QString host)
{
    if (host.endsWith(u'.'))
        host.chop(1);
    return host;
}

CheckedDestination refused(Outcome outcome, const QString &code, const QString &text)
{
    AttemptResult result;
    result.outcome = outcome;
    result.code = code;
    result.text = text;
    result.left = false;
    return {{}, result};
}

QString destinationRefused()
{
    return QStringLiteral("destination_refused");
}

CheckedDestination unresolved()
{
    return refused(Outcome::Transient, QStringLiteral("dns"),
                   QStringLiteral("the name of the destination's host could not be resolved"));
}

// `outcome`: of a forbidden address.
CheckedDestination verdict(const QStringList &addresses, const DestinationRules &rules, Outcome outcome)
{
    if (addresses.isEmpty())
        return unresolved();
    CheckedDestination checked;
    QStringList wide;
    for (const QString &text : addresses) {
        const QHostAddress address(text);
        if (!isAllowedAddress(address, rules))
            return refused(outcome, destinationRefused(),
                           QStringLiteral("the destination leads to an address that is not public; correct it, or "
                                          "allow the range with options.allow_private"));
        (address.protocol() == QAbstractSocket::IPv4Protocol ? checked.addresses : wide).append(address.toString());
    }
    // A host whose IPv6 is dead is the common mistake, so the older one is tried first.
    checked.addresses += wide;
    checked.addresses.removeDuplicates();
    constexpr qsizetype enough = 4;
    checked.addresses = checked.addresses.first(std::min(enough, checked.addresses.size()));
    return checked;
}

Resolver systemResolver(QObject *context)
{
    return [context](const QString &name, const std::function<void(const QStringList &)> &found) {
        QHostInfo::lookupHost(name, context, [found](const QHostInfo &host) {
            QStringList addresses;
            for (const QHostAddress &address : host.addresses())
                addresses.append(address.toString());
            found(host.error() == QHostInfo::NoError ? addresses : QStringList());
        });
    };
}

std::optional<bool> yesOrNo(const QString &text)
{
    if (text.isEmpty() || text == QLatin1String("false"))
        return false;
    return text == QLatin1String("true") ? std::optional(true) : std::nullopt;
}

Error invalid(const QString &text)
{
    return {ErrorCode::Invalid, text};
}

Result<std::vector<int>> readPorts(const QString &text)
{
    std::vector<int> ports;
    for (const QString &each : text.split(u',')) {
        bool isNumber = false;
        const int port = each.trimmed().toInt(&isNumber);
        if (!isNumber || port < 1 || port > 65'535)
            return invalid(QStringLiteral("options.ports: write port numbers, like \"443, 8443\""));
        ports.push_back(port);
    }
    return ports;
}

Result<QList<Range>> readRanges(const QString &text)
{
    QList<Range> allowed;
    for (const QString &each : text.split(u',')) {
        const Range range = QHostAddress::parseSubnet(each.trimmed());
        if (range.first.isNull() || range.second < 0)
            return invalid(QStringLiteral("options.allow_private: write true, false or ranges, like \"10.0.0.0/8\""));
        allowed.append(range);
    }
    return allowed;
}

} // namespace

Result<DestinationRules> destinationRules(const QMap<QString, QString> &options)
{
    DestinationRules rules;
    const auto http = yesOrNo(options.value(QStringLiteral("allow_http")));
    if (!http)
        return invalid(QStringLiteral("options.allow_http: write true or false"));
    rules.allowsHttp = *http;
    if (const QString text = options.value(QStringLiteral("ports")); !text.isEmpty()) {
        auto ports = readPorts(text);
        if (!ports)
            return ports.error();
        rules.ports = *ports;
    } else if (rules.allowsHttp) {
        rules.ports.push_back(80);
    }
    const QString inside = options.value(QStringLiteral("allow_private"));
    if (const auto all = yesOrNo(inside)) {
        rules.allowsPrivate = *all;
        return rules;
    }
    auto allowed = readRanges(inside);
    if (!allowed)
        return allowed.error();
    rules.allowed = *allowed;
    return rules;
}

QString destinationProblem(const QString &address, const DestinationRules &rules)
{
    const QUrl url(address, QUrl::StrictMode);
    const bool isHttps = url.scheme() == QLatin1String("https");
    if (!url.isValid() || url.host().isEmpty() || (!isHttps && url.scheme() != QLatin1String("http")))
        return QStringLiteral("the destination is not an https address; correct it");
    if (!isHttps && !rules.allowsHttp)
        return QStringLiteral("the destination is not an https address; correct it, or set options.allow_http");
    if (!url.userInfo().isEmpty() || url.authority().contains(u'@'))
        return QStringLiteral("the destination holds a user name or password; remove it");
    const int port = url.port(isHttps ? 443 : 80);
    if (std::find(rules.ports.begin(), rules.ports.end(), port) == rules.ports.end())
        return QStringLiteral("the destination's port %1 is not allowed; use 443, or add it to options.ports")
            .arg(port);
    const QString host = withoutRootDot(url.host(QUrl::FullyEncoded));
    if (host.contains(u'%'))
        return QStringLiteral("the destination's address has a zone or an encoded character; remove it");
    if (host.isEmpty() || host.endsWith(u'.'))
        return QStringLiteral("the destination's host is no name; correct it");
    const QHostAddress literal(host);
    if (!literal.isNull() && !isAllowedAddress(literal, rules))
        return QStringLiteral("the destination is an address that is not public; correct it, or allow the range with "
                              "options.allow_private");
    return {};
}

bool isPublicAddress(const QHostAddress &address)
{
    if (address.isNull() || !address.scopeId().isEmpty())
        return false;
    if (address.protocol() == QAbstractSocket::IPv4Protocol)
        return isPublicV4(address);
    if (const auto v4 = embeddedV4(address))
        return isPublicV4(*v4);
    // Only 2000::/3 is given out. Inside it: protocol assignments with Teredo, documentation, and 6to4, which leads to
    // an IPv4 address of its writer's choice.
    static const QList<Range> given = ranges({"2000::/3"});
    static const QList<Range> special = ranges({"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"});
    return isIn(address, given) && !isIn(address, special);
}

bool isAllowedAddress(const QHostAddress &address, const DestinationRules &rules)
{
    if (address.isNull())
        return false;
    if (rules.allowsPrivate || isPublicAddress(address))
        return true;
    if (isIn(address, rules.allowed))
        return true;
    const auto v4 = address.protocol() == QAbstractSocket::IPv6Protocol ? embeddedV4(address) : std::nullopt;
    return v4 && isIn(*v4, rules.allowed);
}

DestinationCheck::DestinationCheck(Resolver resolve)
    : m_resolve(resolve ? std::move(resolve) : systemResolver(this))
    , m_alive(std::make_shared<bool>(true))
{}

void DestinationCheck::check(const QString &address, const DestinationRules &rules, Milliseconds deadline, Done done)
{
    if (const QString problem = destinationProblem(address, rules); !problem.isEmpty())
        return done(refused(Outcome::PermanentRecipient, destinationRefused(), problem));
    const QString host = withoutRootDot(QUrl(address, QUrl::StrictMode).host(QUrl::FullyEncoded));
    if (!QHostAddress(host).isNull()) // a look-up would go the other way
        return done(verdict({host}, rules, Outcome::PermanentRecipient));

    const qint64 number = ++m_last;
    auto timer = std::make_unique<QTimer>();
    timer->setSingleShot(true);
    connect(timer.get(), &QTimer::timeout, this, [this, number] { end(number, unresolved()); });
    constexpr Milliseconds longest{24 * 3'600'000}; // a QTimer counts 32-bit milliseconds
    timer->start(std::clamp(deadline, Milliseconds(1), longest));
    m_pending.emplace(number, Pending{rules, std::move(done), std::move(timer)});
    m_resolve(host, [this, number, alive = std::weak_ptr(m_alive)](const QStringList &addresses) {
        if (!alive.expired())
            found(number, addresses);
    });
}

void DestinationCheck::found(qint64 number, const QStringList &addresses)
{
    if (const auto pending = m_pending.find(number); pending != m_pending.end())
        // A name may lead elsewhere the next time: a split-horizon name server says so, and records get mended.
        end(number, verdict(addresses, pending->second.rules, Outcome::Transient));
}

void DestinationCheck::end(qint64 number, const CheckedDestination &checked)
{
    auto pending = m_pending.extract(number);
    if (pending.empty())
        return;
    pending.mapped().timer.release()->deleteLater(); // it may be what calls us
    pending.mapped().done(checked);
}

void DestinationCheck::cancelAll()
{
    while (!m_pending.empty())
        end(m_pending.begin()->first,
            refused(Outcome::Transient, QStringLiteral("cancelled"), QStringLiteral("the engine was shutting down")));
}

} // namespace sendoff::channel
