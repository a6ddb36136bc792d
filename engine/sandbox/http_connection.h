#pragma once
#include "sandbox/http_parser.h"
#include <QObject>
#include <QTcpSocket>

namespace sendoff::sandbox {

class HttpConnection;

// One answer, and how its way back is spoilt.
struct HttpReply
{
    enum class Ending {
        Normal,
        Truncated, // half of the body, then the connection ends
        Endless,   // the body never ends; for clients that forget a limit
        Dropped,   // no byte, the connection ends
        Hung       // no byte, the connection stays
    };

    int status = 200;
    QByteArray contentType = "application/json; charset=utf-8";
    std::vector<std::pair<QByteArray, QByteArray>> headers;
    QByteArray body;
    Ending ending = Ending::Normal;
};

// Who answers what connections read. Every call comes on the connections' thread.
class RequestSink
{
public:
    RequestSink() = default;
    RequestSink(const RequestSink &) = delete;
    RequestSink &operator=(const RequestSink &) = delete;
    virtual ~RequestSink() = default;

    // The head is there, the body may not be: true drops the connection now.
    virtual bool dropsAtHead(const HttpRequest &request) = 0;
    // Must lead to exactly one reply() on this connection, now or later, while it lives.
    virtual void serve(HttpConnection &connection, const HttpRequest &request) = 0;
    // What came was no HTTP; the connection has answered this status by itself.
    virtual void refused(int status) = 0;
};

// One client's connection: reads requests, one at a time, and writes the answers in their order. Takes the socket;
// deletes itself (deleteLater) when the client is gone. Thread: the socket's.
class HttpConnection : public QObject
{
    Q_OBJECT

public:
    HttpConnection(QTcpSocket *socket, RequestSink &sink, HttpLimits limits, QObject *parent);

    // Answers the request that was handed to the sink; without effect where the connection has ended.
    void reply(const HttpReply &reply);
    // Ends the connection at once; no request is read any more.
    void drop();

private:
    void read();
    void advance();
    void writeMore();
    void send(const QByteArray &bytes);
    void finish(); // let what is written leave, then close

    QTcpSocket *m_socket;
    RequestSink &m_sink;
    HttpParser m_parser;
    QByteArray m_pending;     // answers to pipelined requests, written together
    bool m_waiting = false;   // a request is with the sink
    bool m_advancing = false; // inside advance()
    bool m_keepAlive = true;
    bool m_endless = false;
    bool m_closing = false;
};

// The words after a status; only people read them.
QByteArray reasonPhrase(int status);

} // namespace sendoff::sandbox
