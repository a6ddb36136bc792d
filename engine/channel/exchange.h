#pragma once
#include "channel/http_transport.h"
#include <QNetworkReply>
#include <QTimer>

class QNetworkAccessManager;
class QNetworkProxy;
class QSslConfiguration;

namespace sendoff::channel {

class OneShotBody;

// One request from post() to its callback: waits for a connection, is on the wire, has ended. Owns the deadline and
// the limits of the answer. Thread: the transport's. It ends exactly once, by its reply or by stop().
class Exchange final : public QObject
{
public:
    using Ended = std::function<void(Exchange *)>;
    Exchange(HttpRequest request, qsizetype maxAnswerBytes, Transport::Done done, Ended ended, QObject *parent);

    void startDeadline(Milliseconds deadline);
    void start(QNetworkAccessManager &access, const QSslConfiguration &tls, bool isProxied);
    // Ends it for a reason of ours; `ended` has been called when this returns.
    void stop(Fault reason);
    // Hands the answer over. Called by `ended`'s receiver when it has freed what the request held.
    void deliver();

    const HttpRequest &request() const { return m_request; }
    const HttpAnswer &answer() const { return m_answer; }
    bool isStarted() const { return m_reply != nullptr; }
    bool usedHttp2() const;
    bool leavesConnectionInDoubt() const; // an answer that must not have had a body announced one

private:
    void readHeaders();
    void readBody();
    qint64 pulled() const; // bytes that were handed to the network; of a GET 1 where it may have left
    void end();

    HttpRequest m_request;
    qsizetype m_maxAnswerBytes;
    Transport::Done m_done;
    Ended m_ended;
    QTimer m_deadline;
    QNetworkReply *m_reply = nullptr;
    OneShotBody *m_body = nullptr; // of a POST
    HttpAnswer m_answer;
    Fault m_reason = Fault::None;
    bool m_isProxied = false;
    bool m_certificateRefused = false;
    bool m_hasEnded = false;
};

} // namespace sendoff::channel
