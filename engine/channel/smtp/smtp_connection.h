#pragma once
#include "channel/smtp/curl_loop.h"
#include "channel/smtp/smtp_route.h"
#include "channel/smtp/smtp_verdict.h"
#include <QSet>

namespace sendoff::channel {

// How a connection reaches its server.
struct SmtpNetwork
{
    QUrl proxy;                // empty: directly
    QByteArray caCertificates; // PEM, beside the system's
};

// One mail for one recipient.
struct SmtpMail
{
    EmailAddress sender; // of the envelope
    EmailAddress recipient;
    QByteArray bytes; // lines end in CRLF; not yet dot-stuffed
};

// What became of it.
struct SmtpEnd
{
    AttemptResult result;
    // A connection from an earlier mail had gone stale: nothing of this mail was said, a fresh one may take it at once.
    bool wasStale = false;
};

// One connection to a server and the mail on it. libcurl connects, encrypts and authenticates; from there on the
// commands are ours, so that what was handed over is known to the byte. One mail at a time; kept for the next one.
// Thread: the loop's. Nothing blocks.
class SmtpConnection final : public QObject
{
public:
    // `changed` comes whenever the connection has become free or closed, never before a call from outside returns.
    SmtpConnection(CurlLoop &loop, SmtpRoute route, SmtpNetwork network, std::function<void()> changed);
    ~SmtpConnection() override; // no mail may be on it

    using Done = std::function<void(const SmtpEnd &)>;
    bool isFree() const { return m_phase == Phase::New || m_phase == Phase::Idle; }
    bool isClosed() const { return m_phase == Phase::Closed; }
    bool isFresh() const { return m_phase == Phase::New; }
    // Sends on a free connection; `done` comes exactly once.
    void send(SmtpMail mail, Done done);
    // Our time is up or we shut down: `done` comes now, the connection closes. `code` names the reason.
    void abandon(const QString &code, const QString &text);
    // Says goodbye without waiting for an answer, and closes. Only while free.
    void close();

private:
    enum class Phase { New, Opening, Idle, Mail, Rcpt, Data, Body, Dot, Reset, Closed };

    // opening: libcurl's part
    void open();
    void setOptions();
    void setLogin();
    void opened(CURLcode code);
    AttemptResult resultOfOpening(CURLcode code) const;
    static int onDebug(CURL *, curl_infotype type, char *bytes, size_t size, void *self);
    static int onSocketOpened(void *self, curl_socket_t socket, curlsocktype);
    static int onSocketClosed(void *self, curl_socket_t socket);
    void sawCommand(const QByteArray &line);
    void sawReply(const QByteArray &raw);
    void readAbilities(const QByteArray &raw);

    // the mail: our part
    void begin();
    void say(Phase phase, const QByteArray &line);
    void sendBody();
    void write();
    void read();
    void take(const SmtpReply &reply);
    void refuse(SmtpStage stage, const SmtpReply &reply);
    void lost(const QString &code, const QString &text);
    AttemptResult lossOf(const QString &code, const QString &text) const;
    void finish(const AttemptResult &result, Phase next, bool wasStale = false);
    void shut();
    SmtpStage stage() const;

    CurlLoop &m_loop;
    SmtpRoute m_route;
    SmtpNetwork m_network;
    std::function<void()> m_changed;
    CURL *m_handle = nullptr;
    QSet<curl_socket_t> m_sockets; // libcurl's open ones
    std::unique_ptr<QSocketNotifier> m_readNotifier;
    std::unique_ptr<QSocketNotifier> m_writeNotifier;
    Phase m_phase = Phase::New;
    SmtpReplyReader m_reader;

    SmtpStage m_openingStage = SmtpStage::Connect;
    SmtpReply m_openingReply; // to the newest command
    bool m_isAuthenticated = false;
    bool m_takesUtf8 = false;
    bool m_takes8Bit = false;
    bool m_takesSize = false;
    qint64 m_sizeLimit = 0; // 0: none announced

    SmtpMail m_mail;
    Done m_done;
    bool m_wasUsed = false; // by an earlier mail
    QByteArray m_out;
    qsizetype m_written = 0;
    qsizetype m_dotAt = 0; // where in m_out the final dot begins
    bool m_bodyOffered = false;
    bool m_isLast = false; // the server said more than it was asked, or has closed: no further mail on it
};

} // namespace sendoff::channel
