#include "channel/network_transport.h"

#include "channel/connection_pool.h"
#include "channel/exchange.h"
#include "channel/proxy_choice.h"
#include "channel/request_check.h"
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QUrl>
#include <deque>

namespace sendoff::channel {

namespace {

// What shares connections: one scheme, host, port, and one pinned address, so that a request that was checked for one
// address never travels on a connection to another.
QString originOf(const HttpRequest &request)
{
    const QUrl &url = request.url;
    const int port = url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
    return QStringLiteral("%1://%2:%3@%4").arg(url.scheme(), url.host()).arg(port).arg(request.pinnedAddress);
}

bool isTls(const Exchange &exchange)
{
    return exchange.request().url.scheme() == QLatin1String("https");
}

QSslConfiguration tlsConfiguration(const QByteArray &caCertificates)
{
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    if (!caCertificates.isEmpty())
        configuration.addCaCertificates(QSslCertificate::fromData(caCertificates, QSsl::Pem));
    return configuration;
}

class NetworkTransport final : public QObject, public Transport
{
public:
    explicit NetworkTransport(const TransportSettings &settings)
        : m_maxAnswerBytes(settings.maxAnswerBytes)
        , m_proxies(settings)
        , m_tls(tlsConfiguration(settings.caCertificates))
        , m_pool(settings.maxInFlight)
    {}
    ~NetworkTransport() override
    {
        m_isClosing = true;
        cancelAll();
    }

    void post(const HttpRequest &request, Milliseconds deadline, Done done) override;
    void cancelAll() override;

private:
    void pump(const QString &origin);
    void ended(Exchange *exchange);

    qsizetype m_maxAnswerBytes;
    ProxyChoice m_proxies;
    QSslConfiguration m_tls;
    ConnectionPool m_pool;
    QHash<QString, std::deque<Exchange *>> m_waiting; // by origin, first come first served
    QHash<Exchange *, Line *> m_onWire;
    bool m_isClosing = false;
};

HttpAnswer notSent(Fault fault, const QString &code, const QString &text)
{
    HttpAnswer answer;
    answer.fault = fault;
    answer.faultCode = code;
    answer.faultText = text;
    answer.left = false;
    return answer;
}

void NetworkTransport::post(const HttpRequest &request, Milliseconds deadline, Done done)
{
    if (m_isClosing)
        return done(
            notSent(Fault::Cancelled, QStringLiteral("cancelled"), QStringLiteral("the engine was shutting down")));
    if (const QString problem = requestProblem(request); !problem.isEmpty())
        return done(notSent(Fault::Refused, QStringLiteral("request_refused"), problem));
    if (!m_proxies.forUrl(request.url))
        return done(notSent(Fault::Proxy, QStringLiteral("proxy"),
                            QStringLiteral("the proxy setting is not an http or socks5 address; correct it")));
    auto *exchange = new Exchange(
        request, m_maxAnswerBytes, std::move(done), [this](Exchange *which) { ended(which); }, this);
    exchange->startDeadline(deadline);
    const QString origin = originOf(request);
    m_waiting[origin].push_back(exchange);
    pump(origin);
}

void NetworkTransport::pump(const QString &origin)
{
    // Looked up anew each time: starting a request may end it, and its callback may post or cancel.
    while (m_waiting.contains(origin)) {
        Exchange *next = m_waiting[origin].front();
        const QNetworkProxy proxy = *m_proxies.forUrl(next->request().url);
        Line *line = m_pool.take(origin, isTls(*next), proxy);
        if (!line)
            return;
        m_waiting[origin].pop_front();
        if (m_waiting[origin].empty())
            m_waiting.remove(origin);
        m_onWire.insert(next, line);
        next->start(*line->access, m_tls, proxy.type() != QNetworkProxy::NoProxy);
    }
}

void NetworkTransport::ended(Exchange *exchange)
{
    const QString origin = originOf(exchange->request());
    if (Line *line = m_onWire.take(exchange)) {
        const HttpAnswer &answer = exchange->answer();
        if (answer.status != 0 && answer.fault == Fault::None && isTls(*exchange))
            m_pool.learn(origin, exchange->usedHttp2());
        const bool stoppedByUs =
            answer.fault == Fault::Deadline || answer.fault == Fault::TooLarge || answer.fault == Fault::Cancelled;
        // After GOAWAY a connection that the server keeps open takes requests and never sends them.
        const bool isStuck = isTls(*exchange) && answer.fault == Fault::Deadline && !answer.left;
        if (stoppedByUs && !isTls(*exchange))
            m_pool.retireSuspect(line);
        else if (isStuck || exchange->leavesConnectionInDoubt())
            m_pool.retire(line);
        m_pool.giveBack(line);
    } else if (const auto waiting = m_waiting.find(origin); waiting != m_waiting.end()) {
        std::erase(*waiting, exchange);
        if (waiting->empty())
            m_waiting.erase(waiting);
    }
    exchange->deliver();
    pump(origin);
}

void NetworkTransport::cancelAll()
{
    std::vector<Exchange *> open;
    for (const auto &waiting : std::as_const(m_waiting))
        open.insert(open.end(), waiting.begin(), waiting.end());
    for (auto each = m_onWire.cbegin(); each != m_onWire.cend(); ++each)
        open.push_back(each.key());
    // Waiting ones first, so that none of them starts in the place of one that ends. Deleted later, so none dangles.
    for (Exchange *exchange : open)
        exchange->stop(Fault::Cancelled);
}

} // namespace

std::unique_ptr<Transport> makeNetworkTransport(const TransportSettings &settings)
{
    return std::make_unique<NetworkTransport>(settings);
}

Result<void> checkTransport(const TransportSettings &settings)
{
    const auto invalid = [](const QString &text) { return Error{ErrorCode::Invalid, text}; };
    // A target that no list of exceptions names.
    for (const char *target : {"http://provider.invalid", "https://provider.invalid"}) {
        if (!ProxyChoice(settings).forUrl(QUrl(QString::fromLatin1(target))))
            return invalid(QStringLiteral("proxy: give an address like http://host:3128 or socks5://host:1080; "
                                          "a proxy that is itself reached over TLS can't be used"));
    }
    if (!settings.caCertificates.isEmpty() && QSslCertificate::fromData(settings.caCertificates, QSsl::Pem).isEmpty())
        return invalid(QStringLiteral("ca_certificates: the file holds no PEM certificate; give one that begins with "
                                      "-----BEGIN CERTIFICATE-----"));
    if (settings.maxAnswerBytes < 1)
        return invalid(QStringLiteral("max_answer_bytes: give at least 1"));
    if (settings.maxInFlight < 1)
        return invalid(QStringLiteral("max_in_flight: give at least 1"));
    return {};
}

} // namespace sendoff::channel
