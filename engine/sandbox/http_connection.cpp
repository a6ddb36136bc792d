#include "sandbox/http_connection.h"

namespace sendoff::sandbox {

namespace {

// What Qt may keep of a client that sends while its request is still being answered.
constexpr qint64 readBuffer = 1024 * 1024;
constexpr qint64 endlessWindow = 64 * 1024;

QByteArray headOf(const HttpReply &reply, bool keepAlive)
{
    QByteArray head;
    head.reserve(256 + (reply.ending == HttpReply::Ending::Normal ? reply.body.size() : 0));
    head += "HTTP/1.1 ";
    head += QByteArray::number(reply.status);
    head += ' ';
    head += reasonPhrase(reply.status);
    head += "\r\ncontent-type: ";
    head += reply.contentType;
    if (reply.ending == HttpReply::Ending::Endless) {
        head += "\r\ntransfer-encoding: chunked";
    } else {
        head += "\r\ncontent-length: ";
        head += QByteArray::number(reply.body.size());
    }
    for (const auto &[name, value] : reply.headers) {
        head += "\r\n";
        head += name;
        head += ": ";
        head += value;
    }
    head += keepAlive ? "\r\n\r\n" : "\r\nconnection: close\r\n\r\n";
    return head;
}

} // namespace

QByteArray reasonPhrase(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 409:
        return "Conflict";
    case 422:
        return "Unprocessable Entity";
    case 429:
        return "Too Many Requests";
    case 500:
        return "Internal Server Error";
    case 503:
        return "Service Unavailable";
    default:
        return "Status"; // clients read the number
    }
}

HttpConnection::HttpConnection(QTcpSocket *socket, RequestSink &sink, HttpLimits limits, QObject *parent)
    : QObject(parent)
    , m_socket(socket)
    , m_sink(sink)
    , m_parser(limits)
{
    socket->setParent(this);
    socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    socket->setReadBufferSize(readBuffer);
    connect(socket, &QTcpSocket::readyRead, this, &HttpConnection::read);
    connect(socket, &QTcpSocket::disconnected, this, &QObject::deleteLater);
    connect(socket, &QTcpSocket::bytesWritten, this, &HttpConnection::writeMore);
    if (socket->bytesAvailable() > 0)
        QMetaObject::invokeMethod(this, &HttpConnection::read, Qt::QueuedConnection);
}

void HttpConnection::read()
{
    if (m_closing) {
        m_socket->readAll();
        return;
    }
    // While an answer is due the bytes stay with the socket: its bounded buffer slows the client down.
    if (!m_waiting)
        advance();
}

void HttpConnection::advance()
{
    m_advancing = true;
    const QByteArray bytes = m_socket->readAll();
    if (!bytes.isEmpty())
        m_parser.append(bytes);
    while (!m_waiting && !m_closing) {
        const HttpParser::Step step = m_parser.next();
        if (step == HttpParser::Step::NeedMore)
            break;
        if (step == HttpParser::Step::Head) {
            if (m_sink.dropsAtHead(m_parser.request()))
                drop();
            else if (m_parser.expectsContinue())
                m_pending += "HTTP/1.1 100 Continue\r\n\r\n";
        } else if (step == HttpParser::Step::Complete) {
            const HttpRequest request = m_parser.take();
            m_waiting = true;
            m_keepAlive =
                request.keepAlive && request.method != "HEAD"; // a body after HEAD must not be read as an answer
            m_sink.serve(*this, request);
        } else {
            m_keepAlive = false;
            HttpReply refusal;
            refusal.status = m_parser.errorStatus();
            refusal.body = "{\"message\":\"The sandbox can't read this request.\"}";
            m_sink.refused(refusal.status);
            m_waiting = true;
            reply(refusal);
        }
    }
    m_advancing = false;
    send(m_pending);
    m_pending.clear();
}

void HttpConnection::reply(const HttpReply &reply)
{
    if (!m_waiting || m_closing)
        return;
    switch (reply.ending) {
    case HttpReply::Ending::Hung:
        return; // waiting for ever is what keeps the connection open and silent
    case HttpReply::Ending::Dropped:
        drop();
        return;
    case HttpReply::Ending::Endless:
        send(m_pending + headOf(reply, true));
        m_pending.clear();
        m_endless = true;
        writeMore();
        return;
    case HttpReply::Ending::Truncated:
        m_pending += headOf(reply, true) + reply.body.first(reply.body.size() / 2);
        finish();
        return;
    case HttpReply::Ending::Normal:
        break;
    }
    m_pending += headOf(reply, m_keepAlive) + reply.body;
    m_waiting = false;
    if (!m_keepAlive)
        finish();
    else if (!m_advancing)
        advance(); // a request may have come meanwhile; sends what is pending
}

void HttpConnection::writeMore()
{
    static const QByteArray chunk = "1000\r\n" + QByteArray(0x1000, 'a') + "\r\n";
    while (m_endless && m_socket->bytesToWrite() < endlessWindow && m_socket->write(chunk) > 0) {
    }
}

void HttpConnection::send(const QByteArray &bytes)
{
    if (bytes.isEmpty() || m_socket->state() != QAbstractSocket::ConnectedState)
        return;
    m_socket->write(bytes);
    m_socket->flush(); // saves the turn of the event loop that the write notifier would cost
}

void HttpConnection::finish()
{
    send(m_pending);
    m_pending.clear();
    m_closing = true;
    m_socket->disconnectFromHost();
}

void HttpConnection::drop()
{
    m_closing = true;
    // Answers to earlier pipelined requests were given: they must leave before the end.
    send(m_pending);
    m_pending.clear();
    m_socket->abort();
}

} // namespace sendoff::sandbox
