#include "sandbox/http_parser.h"

#include <algorithm>

namespace sendoff::sandbox {

namespace {

bool isToken(QByteArrayView text)
{
    constexpr QByteArrayView marks = "!#$%&'*+-.^_`|~";
    return !text.isEmpty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || marks.contains(c);
    });
}

// Digits only: QByteArray's own reader takes signs and blanks as well.
bool readLength(QByteArrayView text, qsizetype &length)
{
    if (text.isEmpty() || text.size() > 15 ||
        !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return false;
    length = static_cast<qsizetype>(text.toByteArray().toLongLong());
    return true;
}

} // namespace

QByteArray HttpRequest::header(QByteArrayView name) const
{
    for (const auto &[key, value] : headers) {
        if (key == name)
            return value;
    }
    return {};
}

void HttpParser::append(const QByteArray &bytes)
{
    if (m_offset == m_buffer.size()) {
        m_buffer = bytes;
        m_offset = 0;
        m_scanned = 0;
        return;
    }
    if (m_offset > 0) {
        m_buffer.remove(0, m_offset);
        m_scanned = std::max<qsizetype>(0, m_scanned - m_offset);
        m_offset = 0;
    }
    m_buffer.append(bytes);
}

HttpParser::Step HttpParser::next()
{
    if (m_complete)
        return Step::Complete;
    switch (m_phase) {
    case Phase::Head:
        return readHead();
    case Phase::Body:
        return readBody();
    case Phase::Broken:
        return Step::Broken;
    default:
        return readChunks();
    }
}

HttpRequest HttpParser::take()
{
    m_complete = false;
    m_expectsContinue = false;
    m_phase = Phase::Head;
    m_scanned = m_offset;
    HttpRequest taken = std::move(m_request);
    m_request = HttpRequest();
    return taken;
}

HttpParser::Step HttpParser::readHead()
{
    // Empty lines before a request line are allowed by the protocol and sent by old clients.
    while (m_buffer.size() - m_offset >= 2 && m_buffer[m_offset] == '\r' && m_buffer[m_offset + 1] == '\n')
        m_offset += 2;
    const qsizetype end = m_buffer.indexOf("\r\n\r\n", std::max(m_offset, m_scanned));
    if (end < 0) {
        m_scanned = std::max(m_offset, m_buffer.size() - 3);
        return m_buffer.size() - m_offset > m_limits.head ? broken(431) : Step::NeedMore;
    }
    if (end - m_offset > m_limits.head)
        return broken(431);
    const QByteArrayView head = QByteArrayView(m_buffer).sliced(m_offset, end - m_offset);
    m_offset = end + 4;
    m_expectsContinue = false;
    bool first = true;
    for (qsizetype at = 0; at <= head.size();) {
        qsizetype stop = head.indexOf("\r\n", at);
        if (stop < 0)
            stop = head.size();
        const QByteArrayView line = head.sliced(at, stop - at);
        if (first ? !readRequestLine(line) : !readHeaderLine(line))
            return broken(m_errorStatus ? m_errorStatus : 400);
        first = false;
        at = stop + 2;
    }
    return readFraming() ? Step::Head : broken(m_errorStatus ? m_errorStatus : 400);
}

bool HttpParser::readRequestLine(QByteArrayView line)
{
    const qsizetype one = line.indexOf(' ');
    const qsizetype two = line.lastIndexOf(' ');
    if (one <= 0 || two <= one + 1)
        return false;
    const QByteArrayView version = line.sliced(two + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0") {
        m_errorStatus = version.startsWith("HTTP/") ? 505 : 400;
        return false;
    }
    m_request.keepAlive = version == "HTTP/1.1";
    m_request.method = line.first(one).toByteArray();
    QByteArrayView target = line.sliced(one + 1, two - one - 1);
    if (!isToken(m_request.method) || target.contains(' '))
        return false;
    if (target.startsWith("http://")) { // as a proxy would be asked
        const qsizetype slash = target.indexOf('/', 7);
        target = slash < 0 ? QByteArrayView("/") : target.sliced(slash);
    }
    if (!target.startsWith('/'))
        return false;
    const qsizetype mark = target.indexOf('?');
    m_request.path = (mark < 0 ? target : target.first(mark)).toByteArray();
    m_request.query = mark < 0 ? QByteArray() : target.sliced(mark + 1).toByteArray();
    return true;
}

bool HttpParser::readHeaderLine(QByteArrayView line)
{
    const qsizetype colon = line.indexOf(':');
    if (colon <= 0 || !isToken(line.first(colon)))
        return false;
    if (static_cast<qsizetype>(m_request.headers.size()) >= m_limits.headerCount) {
        m_errorStatus = 431;
        return false;
    }
    const QByteArrayView value = line.sliced(colon + 1).trimmed();
    if (value.contains('\0') || value.contains('\r') || value.contains('\n'))
        return false;
    m_request.headers.emplace_back(line.first(colon).toByteArray().toLower(), value.toByteArray());
    return true;
}

bool HttpParser::readFraming()
{
    bool chunked = false;
    qsizetype length = -1;
    for (const auto &[name, value] : m_request.headers) {
        if (name == "content-length") {
            qsizetype said = 0;
            if (!readLength(value, said) || (length >= 0 && said != length))
                return false;
            length = said;
        } else if (name == "transfer-encoding") {
            if (chunked || value.toLower() != "chunked") {
                m_errorStatus = 501;
                return false;
            }
            chunked = true;
        } else if (name == "connection") {
            const QByteArray lower = value.toLower();
            if (lower.contains("close"))
                m_request.keepAlive = false;
            else if (lower.contains("keep-alive"))
                m_request.keepAlive = true;
        } else if (name == "expect") {
            m_expectsContinue = value.toLower() == "100-continue";
        }
    }
    if (chunked && length >= 0)
        return false;
    if (length > m_limits.body) {
        m_errorStatus = 413;
        return false;
    }
    m_remaining = std::max<qsizetype>(0, length);
    m_trailerBytes = 0;
    m_phase = chunked ? Phase::ChunkSize : Phase::Body;
    return true;
}

HttpParser::Step HttpParser::readBody()
{
    const qsizetype here = std::min(m_remaining, m_buffer.size() - m_offset);
    if (here > 0) {
        m_request.body.append(m_buffer.constData() + m_offset, here);
        m_offset += here;
        m_remaining -= here;
    }
    return m_remaining == 0 ? completed() : Step::NeedMore;
}

HttpParser::Step HttpParser::readChunks()
{
    QByteArrayView line;
    for (;;) {
        if (m_phase == Phase::ChunkBody) {
            const qsizetype here = std::min(m_remaining, m_buffer.size() - m_offset);
            m_request.body.append(m_buffer.constData() + m_offset, here);
            m_offset += here;
            m_remaining -= here;
            if (m_remaining > 0)
                return Step::NeedMore;
            m_phase = Phase::ChunkEnd;
        }
        if (!takeLine(line))
            return m_phase == Phase::Broken ? Step::Broken : Step::NeedMore;
        if (m_phase == Phase::ChunkSize) {
            if (!readChunkSize(line))
                return broken(m_errorStatus ? m_errorStatus : 400);
            m_phase = m_remaining > 0 ? Phase::ChunkBody : Phase::Trailer;
        } else if (m_phase == Phase::ChunkEnd) {
            if (!line.isEmpty())
                return broken(400);
            m_phase = Phase::ChunkSize;
        } else { // trailers are read and forgotten
            if (line.isEmpty())
                return completed();
            m_trailerBytes += line.size();
            if (m_trailerBytes > m_limits.head)
                return broken(431);
        }
    }
}

bool HttpParser::readChunkSize(QByteArrayView line)
{
    const qsizetype semicolon = line.indexOf(';');
    const QByteArray digits = (semicolon < 0 ? line : line.first(semicolon)).trimmed().toByteArray();
    if (digits.isEmpty() || digits.size() > 12 ||
        !std::all_of(digits.begin(), digits.end(), [](char c) { return std::isxdigit(static_cast<unsigned char>(c)); }))
        return false;
    m_remaining = static_cast<qsizetype>(digits.toLongLong(nullptr, 16));
    if (m_request.body.size() + m_remaining > m_limits.body) {
        m_errorStatus = 413;
        return false;
    }
    return true;
}

bool HttpParser::takeLine(QByteArrayView &line)
{
    constexpr qsizetype maxLine = 8 * 1024;
    const qsizetype end = m_buffer.indexOf("\r\n", m_offset);
    if (end < 0 || end - m_offset > maxLine) {
        if (end >= 0 || m_buffer.size() - m_offset > maxLine)
            broken(431);
        return false;
    }
    line = QByteArrayView(m_buffer).sliced(m_offset, end - m_offset);
    m_offset = end + 2;
    return true;
}

HttpParser::Step HttpParser::completed()
{
    m_complete = true;
    return Step::Complete;
}

HttpParser::Step HttpParser::broken(int status)
{
    m_phase = Phase::Broken;
    m_errorStatus = status;
    return Step::Broken;
}

} // namespace sendoff::sandbox
