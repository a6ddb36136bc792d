// The opening of an SmtpConnection: what libcurl does, watched through its debug function.
#include "channel/smtp/smtp_connection.h"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

namespace sendoff::channel {

namespace {

AttemptResult notSent(Outcome outcome, const QString &code, const QString &text)
{
    AttemptResult result;
    result.outcome = outcome;
    result.code = code;
    result.text = text;
    result.left = false;
    return result;
}

AttemptResult noLogin()
{
    return notSent(Outcome::Configuration, QStringLiteral("no_auth"),
                   QStringLiteral("the server offers none of the ways to log in that options.auth allows"));
}

bool isCertificateProblem(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_ISSUER_ERROR ||
           code == CURLE_SSL_INVALIDCERTSTATUS || code == CURLE_SSL_PINNEDPUBKEYNOTMATCH;
}

} // namespace

void SmtpConnection::open()
{
    m_phase = Phase::Opening;
    m_handle = curl_easy_init();
    setOptions();
    setLogin();
    m_loop.start(m_handle, [this](CURLcode code) { opened(code); });
}

void SmtpConnection::setOptions()
{
    QUrl url = m_route.server;
    url.setPath(u'/' + QString::fromLatin1(m_route.helloName)); // where libcurl looks for EHLO's argument
    curl_easy_setopt(m_handle, CURLOPT_URL, url.toEncoded().constData());
    curl_easy_setopt(m_handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(m_handle, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(m_handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(m_handle, CURLOPT_QUICK_EXIT, 1L); // a look-up that hangs does not hold up its cancellation
    curl_easy_setopt(m_handle, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(m_handle, CURLOPT_USE_SSL, long(m_route.tls == SmtpTls::None ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    curl_easy_setopt(m_handle, CURLOPT_SSLVERSION, long(CURL_SSLVERSION_TLSv1_2));
    if (!m_network.caCertificates.isEmpty()) {
        curl_blob certificates{m_network.caCertificates.data(), size_t(m_network.caCertificates.size()),
                               CURL_BLOB_COPY};
        curl_easy_setopt(m_handle, CURLOPT_CAINFO_BLOB, &certificates);
    }
    // Set, even to nothing: libcurl would look into the environment by itself.
    curl_easy_setopt(m_handle, CURLOPT_PROXY, m_network.proxy.toEncoded().constData());
    curl_easy_setopt(m_handle, CURLOPT_NOPROXY, "");
    curl_easy_setopt(m_handle, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl_easy_setopt(m_handle, CURLOPT_VERBOSE, 1L); // without it the debug function is not called
    curl_easy_setopt(m_handle, CURLOPT_DEBUGFUNCTION, &SmtpConnection::onDebug);
    curl_easy_setopt(m_handle, CURLOPT_DEBUGDATA, this);
    curl_easy_setopt(m_handle, CURLOPT_SOCKOPTFUNCTION, &SmtpConnection::onSocketOpened);
    curl_easy_setopt(m_handle, CURLOPT_SOCKOPTDATA, this);
    curl_easy_setopt(m_handle, CURLOPT_CLOSESOCKETFUNCTION, &SmtpConnection::onSocketClosed);
    curl_easy_setopt(m_handle, CURLOPT_CLOSESOCKETDATA, this);
}

void SmtpConnection::setLogin()
{
    if (m_route.username.isEmpty())
        return;
    curl_easy_setopt(m_handle, CURLOPT_USERNAME, m_route.username.toUtf8().constData());
    const bool isToken = m_route.mechanisms == "AUTH=XOAUTH2";
    curl_easy_setopt(m_handle, isToken ? CURLOPT_XOAUTH2_BEARER : CURLOPT_PASSWORD, m_route.password.constData());
    curl_easy_setopt(m_handle, CURLOPT_LOGIN_OPTIONS, m_route.mechanisms.constData());
    curl_easy_setopt(m_handle, CURLOPT_SASL_IR, 1L);
}

int SmtpConnection::onDebug(CURL *, curl_infotype type, char *bytes, size_t size, void *self)
{
    auto *connection = static_cast<SmtpConnection *>(self);
    if (connection->m_phase != Phase::Opening)
        return 0;
    if (type == CURLINFO_HEADER_OUT)
        connection->sawCommand(QByteArray(bytes, qsizetype(size)));
    else if (type == CURLINFO_HEADER_IN)
        connection->sawReply(QByteArray(bytes, qsizetype(size)));
    return 0;
}

int SmtpConnection::onSocketOpened(void *self, curl_socket_t socket, curlsocktype)
{
    static_cast<SmtpConnection *>(self)->m_sockets.insert(socket);
    return CURL_SOCKOPT_OK;
}

int SmtpConnection::onSocketClosed(void *self, curl_socket_t socket)
{
    static_cast<SmtpConnection *>(self)->m_sockets.remove(socket);
    return ::close(socket);
}

// Only the command's first word is looked at: the line may hold the password.
void SmtpConnection::sawCommand(const QByteArray &line)
{
    if (line.startsWith("QUIT")) {
        // libcurl says this after a refusal and then waits for the answer, without letting the loop go on.
        for (const curl_socket_t socket : std::as_const(m_sockets))
            ::shutdown(socket, SHUT_RDWR);
        return;
    }
    if (line.startsWith("EHLO") || line.startsWith("HELO"))
        m_openingStage = SmtpStage::Ehlo;
    else if (line.startsWith("STARTTLS"))
        m_openingStage = SmtpStage::StartTls;
    else if (line.startsWith("AUTH"))
        m_openingStage = SmtpStage::Auth;
    else if (line.startsWith("CONNECT "))
        return; // to the proxy
    m_openingReply = {};
    m_reader.clear();
}

void SmtpConnection::sawReply(const QByteArray &raw)
{
    m_reader.add(raw);
    if (m_reader.isOverfull())
        m_reader.clear();
    while (const auto whole = m_reader.take()) {
        m_openingReply = readReply(*whole);
        if (m_openingStage == SmtpStage::Ehlo && m_openingReply.code == 250)
            readAbilities(*whole);
        if (m_openingStage == SmtpStage::Auth && m_openingReply.code == 235)
            m_isAuthenticated = true;
    }
}

void SmtpConnection::readAbilities(const QByteArray &raw)
{
    m_takesUtf8 = m_takes8Bit = m_takesSize = false; // what was said before TLS does not count
    m_sizeLimit = 0;
    for (const QByteArray &line : raw.split('\n')) {
        const QByteArray ability = line.trimmed().mid(4).toUpper();
        m_takesUtf8 = m_takesUtf8 || ability == "SMTPUTF8";
        m_takes8Bit = m_takes8Bit || ability == "8BITMIME";
        if (ability == "SIZE" || ability.startsWith("SIZE ")) {
            m_takesSize = true;
            m_sizeLimit = ability.mid(5).trimmed().toLongLong();
        }
    }
}

void SmtpConnection::opened(CURLcode code)
{
    if (code != CURLE_OK)
        return finish(resultOfOpening(code), Phase::Closed);
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(m_handle, CURLINFO_ACTIVESOCKET, &socket);
    if (socket == CURL_SOCKET_BAD)
        return finish(resultOfOpening(CURLE_RECV_ERROR), Phase::Closed);
    if (!m_route.username.isEmpty() && !m_isAuthenticated) {
        // libcurl goes on without a login where the server offers none that it may use.
        return finish(noLogin(), Phase::Closed);
    }
    m_reader.clear();
    m_readNotifier = std::make_unique<QSocketNotifier>(socket, QSocketNotifier::Read);
    m_writeNotifier = std::make_unique<QSocketNotifier>(socket, QSocketNotifier::Write);
    m_writeNotifier->setEnabled(false);
    connect(m_readNotifier.get(), &QSocketNotifier::activated, this, &SmtpConnection::read);
    connect(m_writeNotifier.get(), &QSocketNotifier::activated, this, &SmtpConnection::write);
    begin();
}

AttemptResult SmtpConnection::resultOfOpening(CURLcode code) const
{
    if (m_openingReply.code >= 400)
        return resultOfReply(m_openingStage, m_openingReply);
    if (code == CURLE_LOGIN_DENIED && m_openingStage != SmtpStage::Auth)
        return noLogin();
    if (isCertificateProblem(code))
        return notSent(
            Outcome::Configuration, QStringLiteral("tls_certificate"),
            QStringLiteral("the server's certificate is not trusted or is for another name; correct base_url "
                           "or add its authority to http_client.ca_certificates"));
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return notSent(Outcome::Transient, QStringLiteral("dns"), QStringLiteral("the server's name has no address"));
    case CURLE_COULDNT_CONNECT: {
        long number = 0;
        curl_easy_getinfo(m_handle, CURLINFO_OS_ERRNO, &number);
        return number == ECONNREFUSED ? notSent(Outcome::Transient, QStringLiteral("connection_refused"),
                                                QStringLiteral("the server refuses connections"))
                                      : notSent(Outcome::Transient, QStringLiteral("unreachable"),
                                                QStringLiteral("the server can't be reached"));
    }
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
        return notSent(Outcome::Transient, QStringLiteral("proxy"), QStringLiteral("the proxy makes no connection"));
    case CURLE_USE_SSL_FAILED:
        return notSent(
            Outcome::Configuration, QStringLiteral("no_starttls"),
            QStringLiteral("the server offers no STARTTLS; write base_url = \"smtps://HOST:465\" if it wants "
                           "TLS from the first byte"));
    case CURLE_SSL_CONNECT_ERROR:
        return notSent(Outcome::Transient, QStringLiteral("tls_handshake"),
                       QStringLiteral("no encrypted connection came about; smtps:// is for port 465, smtp:// for 587"));
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_LOGIN_DENIED:
        return notSent(Outcome::Configuration, QStringLiteral("auth"),
                       QStringLiteral("the login did not come about; look at options.auth and api_key"));
    case CURLE_OPERATION_TIMEDOUT:
        return notSent(Outcome::Transient, QStringLiteral("timeout"), QStringLiteral("the server does not answer"));
    case CURLE_WEIRD_SERVER_REPLY:
        return notSent(Outcome::Transient, QStringLiteral("malformed"),
                       QStringLiteral("what answers there is no SMTP server"));
    default:
        return notSent(Outcome::Transient, QStringLiteral("connection_lost"),
                       QStringLiteral("the connection was lost before the mail was offered"));
    }
}

} // namespace sendoff::channel
