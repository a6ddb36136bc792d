#include "channel/exchange.h"

#include "channel/one_shot_body.h"
#include "channel/reply_verdict.h"
#include <QNetworkAccessManager>
#include <QNetworkRequest>
#include <QSslConfiguration>
#include <algorithm>

namespace sendoff::channel {

namespace {

// An answer with more than this is a flood; real ones have 10-40 headers of 1-4 KB.
constexpr qsizetype maxHeaders = 256;
constexpr qsizetype maxHeaderBytes = 64 * 1024;

bool isAnswerOnly(const HttpRequest &request)
{
    return request.method == "GET";
}

// The authority as a Host header has it: brackets of an IPv6 address kept, a default port left out.
QByteArray hostHeader(const QUrl &url)
{
    QUrl bare(url);
    const int usual = url.scheme() == QLatin1String("https") ? 443 : 80;
    if (url.port(usual) == usual)
        bare.setPort(-1);
    return bare.authority(QUrl::FullyEncoded | QUrl::RemoveUserInfo).toLatin1();
}

// The same request to one address: the name stays in the Host header, in the TLS greeting and in what the certificate
// must be for.
void pin(QNetworkRequest &wire, const HttpRequest &request)
{
    QUrl url(request.url);
    url.setHost(request.pinnedAddress);
    wire.setUrl(url);
    wire.setRawHeader("Host", hostHeader(request.url));
    QString name = request.url.host(QUrl::FullyEncoded);
    while (name.endsWith(u'.')) // the root's dot is no part of a certificate's name
        name.chop(1);
    wire.setPeerVerifyName(name);
}

QNetworkRequest wireRequest(const HttpRequest &request, const QSslConfiguration &tls)
{
    QNetworkRequest wire(request.url);
    for (const auto &[name, value] : request.headers)
        wire.setRawHeader(name, value);
    if (!isAnswerOnly(request)) {
        wire.setHeader(QNetworkRequest::ContentTypeHeader, request.contentType);
        // The one-shot body works only together with a known length and without Qt's own copy of it.
        wire.setHeader(QNetworkRequest::ContentLengthHeader, request.body.size());
        wire.setAttribute(QNetworkRequest::DoNotBufferUploadDataAttribute, true);
    }
    // Asking for it ourselves also switches Qt's unbounded decompression off.
    wire.setRawHeader("Accept-Encoding", "identity");
    wire.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    wire.setAttribute(QNetworkRequest::HttpPipeliningAllowedAttribute, false);
    wire.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    wire.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    wire.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    wire.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    wire.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    // Over TLS by negotiation only: without TLS Qt would try an upgrade, and that hangs after GOAWAY.
    const bool isTls = request.url.scheme() == QLatin1String("https");
    // Over HTTP/2 Qt takes the authority from the address that it connects to, which is not the pinned host's name.
    const bool isPinned = !request.pinnedAddress.isEmpty();
    wire.setAttribute(QNetworkRequest::Http2AllowedAttribute, isTls && !isPinned);
    wire.setAttribute(QNetworkRequest::Http2DirectAttribute, false);
    if (isTls)
        wire.setSslConfiguration(tls);
    if (isPinned)
        pin(wire, request);
    return wire;
}

} // namespace

Exchange::Exchange(HttpRequest request, qsizetype maxAnswerBytes, Transport::Done done, Ended ended, QObject *parent)
    : QObject(parent)
    , m_request(std::move(request))
    , m_maxAnswerBytes(std::max<qsizetype>(maxAnswerBytes, 1))
    , m_done(std::move(done))
    , m_ended(std::move(ended))
{
    m_answer.left = false;
    m_deadline.setSingleShot(true);
    m_deadline.setTimerType(Qt::PreciseTimer);
    connect(&m_deadline, &QTimer::timeout, this, [this] { stop(Fault::Deadline); });
}

void Exchange::startDeadline(Milliseconds deadline)
{
    // A QTimer counts 32-bit milliseconds: 3,000,000,000 would fire at once.
    constexpr Milliseconds longest{24 * 3'600'000};
    m_deadline.start(std::clamp(deadline, Milliseconds(1), longest));
}

void Exchange::start(QNetworkAccessManager &access, const QSslConfiguration &tls, bool isProxied)
{
    m_isProxied = isProxied;
    if (isAnswerOnly(m_request)) {
        m_reply = access.get(wireRequest(m_request, tls));
    } else {
        m_body = new OneShotBody(m_request.body, this);
        m_reply = access.post(wireRequest(m_request, tls), m_body);
    }
    // An endless body must wait in the kernel, not in our memory. Queued, because the reply listens only when it has
    // begun; unset, Qt reads endless chunks in a loop that neither tells us nor can be stopped.
    QMetaObject::invokeMethod(
        m_reply, [reply = m_reply, limit = m_maxAnswerBytes + 1] { reply->setReadBufferSize(limit); },
        Qt::QueuedConnection);
    connect(m_reply, &QNetworkReply::sslErrors, this, [this] { m_certificateRefused = true; });
    connect(m_reply, &QNetworkReply::metaDataChanged, this, [this] { readHeaders(); });
    connect(m_reply, &QNetworkReply::readyRead, this, [this] { readBody(); });
    connect(m_reply, &QNetworkReply::finished, this, [this] { end(); });
}

void Exchange::readHeaders()
{
    m_answer.status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    m_answer.headers.clear();
    qsizetype bytes = 0;
    for (const auto &[name, value] : m_reply->rawHeaderPairs()) {
        bytes += name.size() + value.size();
        if (qsizetype(m_answer.headers.size()) >= maxHeaders || bytes > maxHeaderBytes) {
            stop(Fault::TooLarge);
            return;
        }
        m_answer.headers.emplace_back(name, value);
    }
}

void Exchange::readBody()
{
    if (m_hasEnded || !m_reply->isOpen())
        return;
    const qsizetype room = m_maxAnswerBytes - m_answer.body.size();
    const QByteArray bytes = m_reply->readAll();
    m_answer.body += bytes.left(room);
    if (bytes.size() > room)
        stop(Fault::TooLarge);
}

void Exchange::stop(Fault reason)
{
    if (m_hasEnded || m_reason != Fault::None)
        return;
    m_reason = reason;
    if (m_reply && m_reply->isRunning())
        m_reply->abort(); // emits finished()
    end();
}

qint64 Exchange::pulled() const
{
    if (m_body)
        return m_body->pulled();
    // A GET has no body to count. What failed before there was a connection did not leave; of the rest we don't know.
    switch (m_reply->error()) {
    case QNetworkReply::ConnectionRefusedError:
    case QNetworkReply::HostNotFoundError:
    case QNetworkReply::SslHandshakeFailedError:
        return 0;
    default:
        return m_reply->error() >= QNetworkReply::ProxyConnectionRefusedError &&
                       m_reply->error() <= QNetworkReply::UnknownProxyError
                   ? 0
                   : 1;
    }
}

void Exchange::end()
{
    if (m_hasEnded)
        return;
    if (m_reply && m_reason == Fault::None) {
        readHeaders();
        readBody();
        if (m_hasEnded) // a limit was passed just now
            return;
    }
    m_hasEnded = true;
    m_deadline.stop();

    ReplyFacts facts;
    facts.ownReason = m_reason;
    facts.isProxied = m_isProxied;
    facts.isTls = m_request.url.scheme() == QLatin1String("https");
    facts.certificateRefused = m_certificateRefused;
    facts.received = m_answer.body.size();
    if (m_reply) {
        facts.status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
        facts.pulled = pulled();
        facts.resets = m_body ? m_body->resets() : 0;
        facts.error = m_reply->error();
        facts.errorText = m_reply->errorString();
        bool isNumber = false;
        const qint64 announced = m_answer.header("Content-Length").toLongLong(&isNumber);
        facts.contentLength = isNumber ? announced : -1;
    }
    const ReplyVerdict verdict = replyVerdict(facts);
    m_answer.status = facts.status;
    m_answer.fault = verdict.fault;
    m_answer.faultCode = verdict.code;
    m_answer.faultText = verdict.text;
    m_answer.left = verdict.left;
    m_ended(this);
}

void Exchange::deliver()
{
    if (m_reply)
        m_reply->deleteLater();
    deleteLater();
    if (const Transport::Done done = std::exchange(m_done, nullptr))
        done(m_answer);
}

bool Exchange::usedHttp2() const
{
    return m_reply && m_reply->attribute(QNetworkRequest::Http2WasUsedAttribute).toBool();
}

bool Exchange::leavesConnectionInDoubt() const
{
    const bool mayHaveBody = m_answer.status != 204 && m_answer.status != 304;
    const QByteArray length = m_answer.header("Content-Length");
    return m_answer.status != 0 && !mayHaveBody &&
           ((!length.isEmpty() && length != "0") || !m_answer.header("Transfer-Encoding").isEmpty());
}

} // namespace sendoff::channel
