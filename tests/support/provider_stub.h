#pragma once
#include <QByteArray>
#include <QUrl>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace sendoff::support {

struct StubRequest
{
    QByteArray head; // request line and headers
    QByteArray body;
    QByteArray header(const QByteArray &name) const;
};

// PEM of a certificate for localhost and 127.0.0.1 and of its key. Empty: plain HTTP.
struct StubIdentity
{
    QByteArray certificate;
    QByteArray key;
    // Self-signed, made by the openssl command; nothing where there is none.
    static std::optional<StubIdentity> make();
};

// One accepted connection, for a script. All calls wait, and give up when the stub ends.
class StubConnection
{
public:
    StubConnection() = default;
    StubConnection(const StubConnection &) = delete;
    StubConnection &operator=(const StubConnection &) = delete;
    virtual ~StubConnection() = default;

    // The next whole request; nothing when the peer has closed.
    std::optional<StubRequest> readRequest();
    // Answers a CONNECT or reads what is no HTTP: bytes up to and with `mark`.
    std::optional<QByteArray> readUntil(const QByteArray &mark);
    bool write(const QByteArray &bytes); // false: the peer is gone
    // A status line, Content-Length and the body.
    bool answer(int status, const QByteArray &body, const QByteArray &headers = {});
    bool pause(int milliseconds); // for dripping only; false: the stub ends
    void waitForPeer();           // until the peer closes
    virtual void reset() = 0;     // ends the connection with RST

protected:
    friend class ProviderStub;
    virtual qint64 readSome(char *target, qint64 size) = 0; // 0: nothing yet, -1: closed
    virtual qint64 writeSome(const char *bytes, qint64 size) = 0;
    bool isEnding() const { return m_ending && *m_ending; }

    std::atomic_bool *m_ending = nullptr;
    std::function<void(const StubRequest &)> m_received;
    QByteArray m_buffer;
};

// A server for misbehaviour: a script says byte by byte what each connection gets. Its own threads, one a connection;
// everything here may be called from the test's thread. Ends and joins when destroyed.
class ProviderStub
{
public:
    using Script = std::function<void(StubConnection &connection, int number)>; // connections count from 1
    explicit ProviderStub(Script script, StubIdentity identity = {});
    ~ProviderStub();
    ProviderStub(const ProviderStub &) = delete;
    ProviderStub &operator=(const ProviderStub &) = delete;

    // Every request of every connection gets this answer.
    static Script always(int status, const QByteArray &body, const QByteArray &headers = {});

    quint16 port() const { return m_port; }
    QUrl url(const QString &path = QStringLiteral("/send")) const;
    int connections() const { return m_connections; }
    int receptions() const; // whole requests that were read
    std::vector<StubRequest> requests() const;

private:
    void accept();
    void serve(int descriptor, int number);

    Script m_script;
    StubIdentity m_identity;
    int m_listener = -1;
    quint16 m_port = 0;
    std::atomic_bool m_ending = false;
    std::atomic_int m_connections = 0;
    mutable std::mutex m_mutex; // over m_requests
    std::vector<StubRequest> m_requests;
    std::thread m_acceptor;
    std::vector<std::thread> m_servers; // the acceptor's until it has ended
};

} // namespace sendoff::support
