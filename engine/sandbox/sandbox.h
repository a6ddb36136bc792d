#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include "sandbox/callback_poster.h"
#include "sandbox/expo_api.h"
#include "sandbox/fcm_api.h"
#include "sandbox/message_ledger.h"
#include "sandbox/postmark_api.h"
#include "sandbox/resend_api.h"
#include "sandbox/script.h"
#include "sandbox/sendgrid_api.h"
#include "sandbox/smtp_sink.h"
#include "sandbox/twilio_api.h"
#include "sandbox/webhook_sink_api.h"
#include <QHostAddress>
#include <QTcpServer>

namespace sendoff::sandbox {

struct SandboxOptions
{
    qsizetype maxRecords = 100'000; // messages kept to be looked at, the oldest go first; 0: only counts
    qsizetype maxKeys = 1'000'000;  // idempotency keys remembered
    HttpLimits limits;
    const Clock *clock = nullptr; // must outlive the sandbox; nullptr: the system's
};

// A local stand-in for the HTTP APIs of the providers (README.md lists them) that can be told to be slow, throttle,
// fail and drop, that posts their callbacks, and that can listen as a mail server too. SCRIPT.md describes the script
// and the pages under /sandbox/. Thread: lives in the thread that made it and works on that thread's event loop; all
// members are for that thread (SandboxThread below has a thread of its own). It keeps message contents in memory and
// asks nobody for a password: listen on loopback.
class Sandbox : public QObject, private RequestSink
{
    Q_OBJECT

public:
    explicit Sandbox(const SandboxOptions &options = {}, QObject *parent = nullptr);
    ~Sandbox() override;

    // Port 0 takes a free one. Unavailable: the address can't be listened on.
    Result<void> listen(const QHostAddress &address = QHostAddress::LocalHost, quint16 port = 0);
    quint16 port() const;
    // The mail server beside it, which takes what an SMTP client brings; its mails stand among the messages.
    // Unavailable: the address can't be listened on. Refused: it listens already.
    Result<void> listenSmtp(const QHostAddress &address = QHostAddress::LocalHost, quint16 port = 0);
    quint16 smtpPort() const; // 0: it does not listen
    // Stops listening, here and for mail, and drops every connection, like a provider that is down. Listening works
    // again.
    void close();

    // Replaces the script; counters of rules and their seconds begin again. Invalid names the rule and the key, and
    // the former script stays.
    Result<void> setScript(const QByteArray &json);

    std::vector<AcceptedMessage> messages() const;
    Stats stats() const;
    CallbackCounts callbackCounts() const { return m_callbacks.counts(); }
    // What SendGrid's callbacks are verified with.
    QByteArray sendgridCallbackKey() { return m_callbacks.sendgridKey(); }
    // How often a request with this key was read, whatever became of it.
    qint64 receptions(const QString &key) const;
    // Forgets messages, keys, counts and callbacks that are still due; the script stays and begins again.
    void reset();

Q_SIGNALS:
    void messageAccepted(const sendoff::sandbox::AcceptedMessage &message);
    // A request to a provider's endpoint was read (or was dropped at its head), before it is answered.
    void requestReceived(const QByteArray &method, const QByteArray &path);
    // An attempt to post a callback ended; status 0: no answer came.
    void callbackPosted(const QString &provider, int status);

private:
    bool dropsAtHead(const HttpRequest &request) override;
    void serve(HttpConnection &connection, const HttpRequest &request) override;
    void refused(int status) override;

    // One provider's endpoints, whoever plays them.
    struct Route
    {
        bool (*owns)(const QByteArray &path) = nullptr;
        QStringList (*recipients)(const Received &) = nullptr;
        std::function<void(const Received &)> countReceptions;
        std::function<Served(const Received &, const Decision &, const Script &, Moment)> serve;
    };
    template <typename Api>
    static Route routeTo(Api &api);
    const Route *routeOf(const QByteArray &path) const; // nullptr: nobody plays it

    void takeConnections();
    void takeMail(const SinkMail &mail, bool isTaken);
    Served work(const Received &received, const Decision &decision, Moment now);
    void deliver(HttpConnection &connection, Served served, const Action &action);
    HttpReply ownPage(const HttpRequest &request);
    Moment moment() const;

    SandboxOptions m_options;
    SystemClock m_systemClock;
    const Clock *m_clock;
    MessageLedger m_ledger;
    IdSource m_ids;
    ResendApi m_resend;
    ExpoApi m_expo;
    FcmApi m_fcm;
    TwilioApi m_twilio;
    SendgridApi m_sendgrid;
    PostmarkApi m_postmark;
    WebhookSinkApi m_webhooks;
    std::vector<Route> m_routes;
    CallbackPoster m_callbacks;
    std::optional<CallbackSteps> m_steps; // of the request that is being worked on
    std::unique_ptr<SmtpSink> m_sink;     // made when it is to listen, in the thread that works
    ScriptRun m_script;
    QTcpServer m_server;
};

} // namespace sendoff::sandbox
