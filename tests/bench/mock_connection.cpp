#include "tests/bench/mock_connection.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace sendoff::bench {

namespace {
constexpr uint32_t maxStreams = 1000;
constexpr uint32_t streamWindow = 1 << 20;
constexpr int32_t connectionWindow = 1 << 24;
} // namespace

Connection::Connection(Peer &peer, const Listener &listener, int fd, uint64_t number, SSL_CTX *tls)
    : m_peer(peer)
    , m_listener(listener)
    , m_fd(fd)
    , m_number(number)
{
    if (listener.isTls) {
        m_tls = SSL_new(tls);
        SSL_set_fd(m_tls, fd);
        SSL_set_accept_state(m_tls);
    }
}

Connection::~Connection()
{
    nghttp2_session_del(m_http2);
    SSL_free(m_tls);
    ::close(m_fd);
}

// Bytes moved, 0 where the socket must be waited for; closes at the end and on errors.
long Connection::transfer(bool isWrite, char *bytes, size_t size)
{
    if (m_tls) {
        const int count = isWrite ? SSL_write(m_tls, bytes, int(size)) : SSL_read(m_tls, bytes, int(size));
        if (count > 0)
            return count;
        const int error = SSL_get_error(m_tls, count);
        m_isOpen = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
        return 0;
    }
    const ssize_t count = isWrite ? ::send(m_fd, bytes, size, MSG_NOSIGNAL) : ::recv(m_fd, bytes, size, 0);
    if (count > 0)
        return count;
    m_isOpen = count < 0 && (errno == EAGAIN || errno == EINTR);
    return 0;
}

void Connection::read()
{
    char buffer[64 * 1024];
    while (m_isOpen) {
        const long count = transfer(false, buffer, sizeof buffer);
        if (count <= 0)
            return;
        feed(buffer, size_t(count));
        if (!m_tls && size_t(count) < sizeof buffer)
            return;
    }
}

void Connection::feed(const char *bytes, size_t size)
{
    if (m_http2) {
        if (nghttp2_session_mem_recv(m_http2, reinterpret_cast<const uint8_t *>(bytes), size) < 0)
            m_isOpen = false;
        return;
    }
    m_in.append(bytes, size);
    if (!m_isHttp1 && m_in.size() < 3)
        return;
    if (!m_isHttp1 && m_in.starts_with("PRI")) {
        startHttp2();
        const std::string start = std::exchange(m_in, {});
        return feed(start.data(), start.size());
    }
    m_isHttp1 = true;
    readHttp1();
}

void Connection::readHttp1()
{
    size_t at = 0;
    while (true) {
        const size_t end = m_in.find("\r\n\r\n", at);
        if (end == std::string::npos)
            break;
        Request request;
        size_t bodySize = 0;
        const size_t lineEnd = m_in.find("\r\n", at);
        const size_t space = m_in.find(' ', at);
        request.method = m_in.substr(at, space - at);
        request.path = m_in.substr(space + 1, m_in.find(' ', space + 1) - space - 1);
        for (size_t line = lineEnd + 2; line < end;) {
            const size_t next = std::min(m_in.find("\r\n", line), end);
            const std::string_view text(m_in.data() + line, next - line);
            const size_t colon = std::min(text.find(':'), text.size());
            const auto isNamed = [&](std::string_view name) {
                return colon == name.size() && strncasecmp(text.data(), name.data(), colon) == 0;
            };
            const size_t value = std::min(text.find_first_not_of(" ", colon + 1), text.size());
            if (isNamed("content-length"))
                bodySize = std::strtoul(std::string(text.substr(value)).c_str(), nullptr, 10);
            else if (isNamed("idempotency-key"))
                request.key = text.substr(value);
            line = next + 2;
        }
        if (m_in.size() < end + 4 + bodySize)
            break;
        at = end + 4 + bodySize;
        m_peer.arrived(*this, 0, request);
    }
    m_in.erase(0, at);
}

void Connection::startHttp2()
{
    nghttp2_session_callbacks *callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClosed);
    nghttp2_session_server_new(&m_http2, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, maxStreams},
                                               {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, streamWindow}};
    nghttp2_submit_settings(m_http2, NGHTTP2_FLAG_NONE, settings, std::size(settings));
    nghttp2_session_set_local_window_size(m_http2, NGHTTP2_FLAG_NONE, 0, connectionWindow);
}

int Connection::onHeader(nghttp2_session *, const nghttp2_frame *frame, const uint8_t *name, size_t nameSize,
                         const uint8_t *value, size_t valueSize, uint8_t, void *self)
{
    Request &request = static_cast<Connection *>(self)->m_requests[frame->hd.stream_id];
    const std::string_view key(reinterpret_cast<const char *>(name), nameSize);
    const std::string_view text(reinterpret_cast<const char *>(value), valueSize);
    if (key == ":method")
        request.method = text;
    else if (key == ":path")
        request.path = text;
    else if (key == "idempotency-key")
        request.key = text;
    return 0;
}

int Connection::onFrame(nghttp2_session *, const nghttp2_frame *frame, void *self)
{
    const bool isMessage = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!isMessage || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        return 0;
    auto *connection = static_cast<Connection *>(self);
    if (const auto request = connection->m_requests.extract(frame->hd.stream_id))
        connection->m_peer.arrived(*connection, frame->hd.stream_id, request.mapped());
    return 0;
}

int Connection::onStreamClosed(nghttp2_session *, int32_t stream, uint32_t, void *self)
{
    static_cast<Connection *>(self)->m_requests.erase(stream);
    static_cast<Connection *>(self)->m_answers.erase(stream);
    return 0;
}

ssize_t Connection::readBody(nghttp2_session *, int32_t, uint8_t *buffer, size_t size, uint32_t *flags,
                             nghttp2_data_source *source, void *)
{
    auto *answer = static_cast<Answer *>(source->ptr);
    const size_t count = std::min(size, answer->body.size() - answer->sent);
    std::memcpy(buffer, answer->body.data() + answer->sent, count);
    answer->sent += count;
    if (answer->sent == answer->body.size())
        *flags = NGHTTP2_DATA_FLAG_EOF;
    return ssize_t(count);
}

void Connection::answer(int32_t stream, Answer answer)
{
    if (!m_http2) {
        m_out += "HTTP/1.1 " + std::to_string(answer.status) + (answer.status == 200 ? " OK" : " Not Found") +
                 "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(answer.body.size()) +
                 "\r\n\r\n" + answer.body;
        return;
    }
    if (!nghttp2_session_find_stream(m_http2, stream))
        return; // the client gave it up
    std::string status = std::to_string(answer.status);
    std::string names[] = {":status", "content-type"};
    std::string json = "application/json";
    const auto pair = [](std::string &name, std::string &value) {
        return nghttp2_nv{reinterpret_cast<uint8_t *>(name.data()), reinterpret_cast<uint8_t *>(value.data()),
                          name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
    };
    const nghttp2_nv headers[] = {pair(names[0], status), pair(names[1], json)};
    Answer &kept = m_answers[stream] = std::move(answer); // stays where it is while others come and go
    nghttp2_data_provider provider{};
    provider.source.ptr = &kept;
    provider.read_callback = readBody;
    nghttp2_submit_response(m_http2, stream, headers, std::size(headers), &provider);
}

void Connection::flush()
{
    if (m_http2 && m_isOpen) {
        const uint8_t *bytes = nullptr;
        for (ssize_t count; (count = nghttp2_session_mem_send(m_http2, &bytes)) > 0;)
            m_out.append(reinterpret_cast<const char *>(bytes), size_t(count));
    }
    size_t sent = 0;
    while (m_isOpen && sent < m_out.size()) {
        const long count = transfer(true, m_out.data() + sent, m_out.size() - sent);
        if (count <= 0)
            break;
        sent += size_t(count);
    }
    m_out.erase(0, sent);
    waitForRoom(!m_out.empty());
}

void Connection::waitForRoom(bool isWaiting)
{
    if (isWaiting == m_waitsForRoom || !m_isOpen)
        return;
    m_waitsForRoom = isWaiting;
    m_peer.wantsRoom(*this, isWaiting);
}

} // namespace sendoff::bench
