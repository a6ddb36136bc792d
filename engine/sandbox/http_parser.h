#pragma once
#include <QByteArray>
#include <utility>
#include <vector>

namespace sendoff::sandbox {

// One request as it stood on the wire. Header names are in lower case.
struct HttpRequest
{
    QByteArray method;
    QByteArray path;  // without the query
    QByteArray query; // after the first '?', as written
    std::vector<std::pair<QByteArray, QByteArray>> headers;
    QByteArray body;
    bool keepAlive = true;

    // The first value of a header, null where there is none. `name` in lower case.
    QByteArray header(QByteArrayView name) const;
};

// Sizes in bytes; what is over them is refused, so that a broken client can't fill the memory.
struct HttpLimits
{
    qsizetype head = 32 * 1024;
    qsizetype headerCount = 100;
    qsizetype body = 44 * 1024 * 1024; // a provider's 40 MB and its JSON around it
};

// Reads HTTP/1.1 requests out of bytes as they come, one after the other. A plain value, any thread.
// Refuses what two readers could understand in two ways: both lengths, folded headers, bare line feeds.
class HttpParser
{
public:
    enum class Step {
        NeedMore, // nothing new can be said yet
        Head,     // the head is complete: said once a request, before its body; look at request()
        Complete, // take() the request
        Broken    // answer errorStatus() and close
    };

    explicit HttpParser(HttpLimits limits = {})
        : m_limits(limits)
    {}

    void append(const QByteArray &bytes);
    Step next();
    const HttpRequest &request() const { return m_request; }
    HttpRequest take();
    int errorStatus() const { return m_errorStatus; }
    // The client waits for "100 Continue" before it sends the body.
    bool expectsContinue() const { return m_expectsContinue && m_offset == m_buffer.size(); }

private:
    enum class Phase { Head, Body, ChunkSize, ChunkBody, ChunkEnd, Trailer, Broken };

    Step readHead();
    Step readBody();
    Step readChunks();
    bool readRequestLine(QByteArrayView line);
    bool readHeaderLine(QByteArrayView line);
    bool readFraming();
    bool readChunkSize(QByteArrayView line);
    Step broken(int status);
    Step completed();
    // The next line without its CR LF; false: not complete yet (or too long, then the phase is Broken).
    bool takeLine(QByteArrayView &line);

    HttpLimits m_limits;
    QByteArray m_buffer;
    qsizetype m_offset = 0;  // what lies before it is used up
    qsizetype m_scanned = 0; // no end of head begins before it
    Phase m_phase = Phase::Head;
    HttpRequest m_request;
    qsizetype m_remaining = 0; // of the body or the chunk
    qsizetype m_trailerBytes = 0;
    bool m_complete = false;
    bool m_expectsContinue = false;
    int m_errorStatus = 0;
};

} // namespace sendoff::sandbox
