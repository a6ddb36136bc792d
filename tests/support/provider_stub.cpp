#include "tests/support/provider_stub.h"

#include <QFile>
#include <QProcess>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslKey>
#include <QSslSocket>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <algorithm>
#include <array>
#include <chrono>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sendoff::support {

namespace {

constexpr int sliceMs = 20; // how often a waiting thread looks whether the stub ends

class PlainConnection final : public StubConnection
{
public:
    explicit PlainConnection(int descriptor)
        : m_descriptor(descriptor)
    {}
    ~PlainConnection() override { ::close(m_descriptor); }

    void reset() override
    {
        const linger at{1, 0};
        ::setsockopt(m_descriptor, SOL_SOCKET, SO_LINGER, &at, sizeof at);
    }
    qint64 readSome(char *target, qint64 size) override
    {
        if (!isReady(POLLIN))
            return 0;
        const ssize_t count = ::recv(m_descriptor, target, size_t(size), 0);
        return count > 0 ? count : -1;
    }
    qint64 writeSome(const char *bytes, qint64 size) override
    {
        if (!isReady(POLLOUT))
            return 0;
        return ::send(m_descriptor, bytes, size_t(size), MSG_NOSIGNAL | MSG_DONTWAIT);
    }

private:
    bool isReady(short events) const
    {
        pollfd waiting{m_descriptor, events, 0};
        return ::poll(&waiting, 1, sliceMs) > 0;
    }
    int m_descriptor;
};

class TlsConnection final : public StubConnection
{
public:
    TlsConnection(int descriptor, const StubIdentity &identity)
    {
        QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
        configuration.setLocalCertificate(QSslCertificate(identity.certificate, QSsl::Pem));
        configuration.setPrivateKey(QSslKey(identity.key, QSsl::Rsa, QSsl::Pem));
        configuration.setPeerVerifyMode(QSslSocket::VerifyNone);
        m_socket.setSslConfiguration(configuration);
        m_socket.setSocketDescriptor(descriptor);
        m_socket.startServerEncryption();
        m_isOpen = m_socket.waitForEncrypted(10'000);
    }

    void reset() override { m_socket.abort(); }
    qint64 readSome(char *target, qint64 size) override
    {
        if (m_isOpen && m_socket.bytesAvailable() == 0)
            m_socket.waitForReadyRead(sliceMs);
        if (m_socket.bytesAvailable() > 0)
            return m_socket.read(target, size);
        m_isOpen = m_isOpen && m_socket.state() == QAbstractSocket::ConnectedState;
        return m_isOpen ? 0 : -1;
    }
    qint64 writeSome(const char *bytes, qint64 size) override
    {
        const qint64 count = m_isOpen ? m_socket.write(bytes, size) : -1;
        while (m_socket.bytesToWrite() > 0 && m_socket.waitForBytesWritten(sliceMs)) {
        }
        return m_socket.state() == QAbstractSocket::ConnectedState ? count : -1;
    }

private:
    QSslSocket m_socket;
    bool m_isOpen = false;
};

QByteArray fileContent(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

QByteArray StubRequest::header(const QByteArray &name) const
{
    for (const QByteArray &line : head.split('\n')) {
        const qsizetype colon = line.indexOf(':');
        if (colon > 0 && line.left(colon).compare(name, Qt::CaseInsensitive) == 0)
            return line.mid(colon + 1).trimmed();
    }
    return {};
}

std::optional<StubIdentity> StubIdentity::make()
{
    const QString openssl = QStandardPaths::findExecutable(QStringLiteral("openssl"));
    const QTemporaryDir folder;
    if (openssl.isEmpty() || !folder.isValid())
        return std::nullopt;
    const QString key = folder.filePath(QStringLiteral("key.pem"));
    const QString certificate = folder.filePath(QStringLiteral("certificate.pem"));
    QProcess process; // its chatter stays in it
    process.start(openssl, {QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"),
                            QStringLiteral("rsa:2048"), QStringLiteral("-nodes"), QStringLiteral("-days"),
                            QStringLiteral("2"), QStringLiteral("-subj"), QStringLiteral("/CN=localhost"),
                            QStringLiteral("-addext"), QStringLiteral("subjectAltName=DNS:localhost,IP:127.0.0.1"),
                            QStringLiteral("-keyout"), key, QStringLiteral("-out"), certificate});
    if (!process.waitForFinished() || process.exitCode() != 0)
        return std::nullopt;
    return StubIdentity{fileContent(certificate), fileContent(key)};
}

std::optional<QByteArray> StubConnection::readUntil(const QByteArray &mark)
{
    std::array<char, 16 * 1024> chunk;
    while (!m_buffer.contains(mark)) {
        const qint64 count = readSome(chunk.data(), qint64(chunk.size()));
        if (count < 0 || isEnding())
            return std::nullopt;
        m_buffer.append(chunk.data(), count);
    }
    const qsizetype end = m_buffer.indexOf(mark) + mark.size();
    const QByteArray found = m_buffer.left(end);
    m_buffer.remove(0, end);
    return found;
}

std::optional<StubRequest> StubConnection::readRequest()
{
    const auto head = readUntil("\r\n\r\n");
    if (!head)
        return std::nullopt;
    StubRequest request{*head, {}};
    const qsizetype length = request.header("Content-Length").toLongLong();
    std::array<char, 16 * 1024> chunk;
    while (m_buffer.size() < length) {
        const qint64 count = readSome(chunk.data(), qint64(chunk.size()));
        if (count < 0 || isEnding())
            return std::nullopt;
        m_buffer.append(chunk.data(), count);
    }
    request.body = m_buffer.left(length);
    m_buffer.remove(0, length);
    m_received(request);
    return request;
}

bool StubConnection::write(const QByteArray &bytes)
{
    qint64 written = 0;
    while (written < bytes.size()) {
        const qint64 count = writeSome(bytes.constData() + written, bytes.size() - written);
        if (count < 0 || isEnding())
            return false;
        written += count;
    }
    return true;
}

bool StubConnection::answer(int status, const QByteArray &body, const QByteArray &headers)
{
    return write("HTTP/1.1 " + QByteArray::number(status) +
                 " Stub\r\nContent-Type: application/json\r\nContent-Length: " + QByteArray::number(body.size()) +
                 "\r\n" + headers + "\r\n" + body);
}

bool StubConnection::pause(int milliseconds)
{
    for (int waited = 0; waited < milliseconds && !isEnding(); waited += sliceMs)
        std::this_thread::sleep_for(std::chrono::milliseconds(sliceMs));
    return !isEnding();
}

void StubConnection::waitForPeer()
{
    std::array<char, 1024> chunk;
    while (!isEnding() && readSome(chunk.data(), qint64(chunk.size())) >= 0) {
    }
}

ProviderStub::ProviderStub(Script script, StubIdentity identity)
    : m_script(std::move(script))
    , m_identity(std::move(identity))
    , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    const bool isListening = ::bind(m_listener, generic, size) == 0 && ::listen(m_listener, 256) == 0 &&
                             ::getsockname(m_listener, generic, &size) == 0;
    if (!isListening)
        qFatal("the provider stub can't listen on the loopback address");
    m_port = ntohs(address.sin_port);
    m_acceptor = std::thread([this] { accept(); });
}

ProviderStub::~ProviderStub()
{
    m_ending = true;
    m_acceptor.join();
    for (std::thread &server : m_servers)
        server.join();
    ::close(m_listener);
}

ProviderStub::Script ProviderStub::always(int status, const QByteArray &body, const QByteArray &headers)
{
    return [status, body, headers](StubConnection &connection, int) {
        while (connection.readRequest() && connection.answer(status, body, headers)) {
        }
    };
}

QUrl ProviderStub::url(const QString &path) const
{
    QUrl url;
    url.setScheme(m_identity.key.isEmpty() ? QStringLiteral("http") : QStringLiteral("https"));
    url.setHost(QStringLiteral("127.0.0.1"));
    url.setPort(m_port);
    url.setPath(path);
    return url;
}

int ProviderStub::receptions() const
{
    const std::lock_guard lock(m_mutex);
    return int(m_requests.size());
}

std::vector<StubRequest> ProviderStub::requests() const
{
    const std::lock_guard lock(m_mutex);
    return m_requests;
}

void ProviderStub::accept()
{
    while (!m_ending) {
        pollfd waiting{m_listener, POLLIN, 0};
        if (::poll(&waiting, 1, sliceMs) <= 0)
            continue;
        const int descriptor = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor < 0)
            continue;
        const int number = ++m_connections;
        m_servers.emplace_back([this, descriptor, number] { serve(descriptor, number); });
    }
}

void ProviderStub::serve(int descriptor, int number)
{
    std::unique_ptr<StubConnection> connection;
    if (m_identity.key.isEmpty())
        connection = std::make_unique<PlainConnection>(descriptor);
    else
        connection = std::make_unique<TlsConnection>(descriptor, m_identity);
    connection->m_ending = &m_ending;
    connection->m_received = [this](const StubRequest &request) {
        const std::lock_guard lock(m_mutex);
        m_requests.push_back(request);
    };
    m_script(*connection, number);
}

} // namespace sendoff::support
