#pragma once
#include <cstdint>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <string>
#include <unordered_map>
#include <utility>

namespace sendoff::bench {

using Nanoseconds = int64_t;

struct Request
{
    std::string method;
    std::string path;
    std::string key; // of idempotency
};

struct Answer
{
    int status = 200;
    std::string body;
    size_t sent = 0; // bytes of the body that HTTP/2 took
};

struct Listener
{
    int fd = -1;
    Nanoseconds latency = 0;
    bool isTls = false;
};

class Connection;

// What a connection needs of its server.
class Peer
{
public:
    virtual ~Peer() = default;
    // A whole request is there; answer() it now or later with the same stream.
    virtual void arrived(Connection &connection, int32_t stream, const Request &request) = 0;
    // Whether the connection waits for room to write, beside what it reads.
    virtual void wantsRoom(const Connection &connection, bool isWanted) = 0;
};

// One accepted connection that doesn't block: HTTP/1.1 or HTTP/2, told apart by their first bytes, plain or over TLS.
// `stream` is 0 over HTTP/1.1, where requests are answered in their order. Owns the socket; a connection that is no
// longer open is the server's to delete.
class Connection
{
public:
    Connection(Peer &peer, const Listener &listener, int fd, uint64_t number, SSL_CTX *tls);
    ~Connection();
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    void read();
    void answer(int32_t stream, Answer answer);
    void flush();

    const Listener &listener() const { return m_listener; }
    int fd() const { return m_fd; }
    uint64_t number() const { return m_number; }
    bool isOpen() const { return m_isOpen; }
    bool isFirstMessage() { return !std::exchange(m_hasMessage, true); } // true once
    bool isHttp2() const { return m_http2 != nullptr; }

private:
    void feed(const char *bytes, size_t size);
    void startHttp2();
    void readHttp1();
    long transfer(bool isWrite, char *bytes, size_t size);
    void waitForRoom(bool isWaiting);

    static int onHeader(nghttp2_session *, const nghttp2_frame *frame, const uint8_t *name, size_t nameSize,
                        const uint8_t *value, size_t valueSize, uint8_t, void *self);
    static int onFrame(nghttp2_session *, const nghttp2_frame *frame, void *self);
    static int onStreamClosed(nghttp2_session *, int32_t stream, uint32_t, void *self);
    static ssize_t readBody(nghttp2_session *, int32_t, uint8_t *buffer, size_t size, uint32_t *flags,
                            nghttp2_data_source *source, void *);

    Peer &m_peer;
    const Listener &m_listener;
    int m_fd;
    uint64_t m_number;
    SSL *m_tls = nullptr;
    nghttp2_session *m_http2 = nullptr;
    bool m_isOpen = true;
    bool m_isHttp1 = false;
    bool m_hasMessage = false;
    bool m_waitsForRoom = false;
    std::string m_in;
    std::string m_out;
    std::unordered_map<int32_t, Request> m_requests; // HTTP/2, while they arrive
    std::unordered_map<int32_t, Answer> m_answers;   // HTTP/2, while they leave
};

} // namespace sendoff::bench
