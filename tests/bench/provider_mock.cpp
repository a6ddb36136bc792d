// A stand-in for an email provider that costs next to nothing, so that a benchmark measures the engine and not its
// peer.
//   bench_provider_mock [--cert FILE --key FILE] PORT:LATENCY_MS[:tls] …
// Port 0 takes any free one; each port is told on standard output as one line of JSON once it listens. POST /emails is
// answered after the port's latency with 200 and an id of its own. GET /stats and /reset answer at once, on any port,
// for all ports together. HTTP/1.1 and HTTP/2 are told apart by their first bytes; over TLS both are offered.
#include "tests/bench/mock_connection.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <queue>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sendoff::bench {

namespace {

Nanoseconds now() // of the monotonic clock, which a script on the same host can compare with its own
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

[[noreturn]] void fail(const std::string &what)
{
    std::fprintf(stderr, "bench_provider_mock: %s\n", what.c_str());
    std::exit(1);
}

// What was asked of this provider, over all ports.
struct Ledger
{
    uint64_t requests = 0;
    uint64_t answered = 0;
    uint64_t inFlight = 0;
    uint64_t maxInFlight = 0;
    uint64_t withoutKey = 0;
    uint64_t repeatedKeys = 0;
    uint64_t connections = 0; // that carried a message
    uint64_t http2Requests = 0;
    Nanoseconds first = 0;
    Nanoseconds last = 0;
    std::unordered_set<std::string> keys;

    void note(const std::string &key, bool isHttp2)
    {
        last = now();
        if (++requests == 1)
            first = last;
        maxInFlight = std::max(maxInFlight, ++inFlight);
        http2Requests += isHttp2;
        if (key.empty())
            ++withoutKey;
        else if (!keys.insert(key).second)
            ++repeatedKeys;
    }

    void reset()
    {
        const uint64_t open = inFlight;
        *this = Ledger();
        inFlight = maxInFlight = open;
    }

    std::string json() const
    {
        const auto member = [](const char *name, uint64_t value) {
            return ",\"" + std::string(name) + "\":" + std::to_string(value);
        };
        return "{\"requests\":" + std::to_string(requests) + member("answered", answered) +
               member("distinct_keys", keys.size()) + member("repeated_keys", repeatedKeys) +
               member("without_key", withoutKey) + member("in_flight", inFlight) +
               member("max_in_flight", maxInFlight) + member("connections", connections) +
               member("http2_requests", http2Requests) + member("first_ns", uint64_t(first)) +
               member("last_ns", uint64_t(last)) + "}";
    }
};

class Server final : public Peer
{
public:
    Server(const std::string &certificate, const std::string &key);
    void listen(const std::string &place);
    [[noreturn]] void run();

private:
    struct Due
    {
        Nanoseconds at;
        uint64_t order; // first come first served
        uint64_t connection;
        int32_t stream;
        bool operator<(const Due &other) const { return std::pair(at, order) > std::pair(other.at, other.order); }
    };

    void arrived(Connection &connection, int32_t stream, const Request &request) override;
    void wantsRoom(const Connection &connection, bool isWanted) override;
    void watch(int fd, uint64_t number, uint32_t events, int operation) const;
    void accept(const Listener &listener);
    void serve(uint64_t number, uint32_t events);
    void answerDue();
    void armTimer();
    void close(Connection &connection);
    Answer accepted();

    // Marks of what is not a connection in epoll's user data.
    static constexpr uint64_t timerMark = 0;
    static constexpr uint64_t firstConnection = 1000; // below: listeners, from 1

    int m_epoll = epoll_create1(0);
    int m_timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    Nanoseconds m_armedFor = 0;
    SSL_CTX *m_tls = nullptr;
    std::vector<std::unique_ptr<Listener>> m_listeners;
    std::unordered_map<uint64_t, std::unique_ptr<Connection>> m_connections;
    std::priority_queue<Due> m_due;
    Ledger m_ledger;
    uint64_t m_nextConnection = firstConnection;
    uint64_t m_nextOrder = 1;
    uint64_t m_nextMessage = 1;
};

int chooseProtocol(SSL *, const unsigned char **chosen, unsigned char *size, const unsigned char *offered,
                   unsigned int offeredSize, void *)
{
    static const unsigned char ours[] = "\x02h2\x08http/1.1";
    unsigned char *out = nullptr;
    if (SSL_select_next_proto(&out, size, ours, sizeof ours - 1, offered, offeredSize) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *chosen = out;
    return SSL_TLSEXT_ERR_OK;
}

Server::Server(const std::string &certificate, const std::string &key)
{
    watch(m_timer, timerMark, EPOLLIN, EPOLL_CTL_ADD);
    if (certificate.empty())
        return;
    m_tls = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(m_tls, certificate.c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(m_tls, key.c_str(), SSL_FILETYPE_PEM) != 1)
        fail("the certificate or its key can't be read; give both as PEM files");
    SSL_CTX_set_alpn_select_cb(m_tls, chooseProtocol, nullptr);
    // A write that has to wait is repeated with what has gathered in the meantime.
    SSL_CTX_set_mode(m_tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

void Server::watch(int fd, uint64_t number, uint32_t events, int operation) const
{
    epoll_event event{};
    event.events = events;
    event.data.u64 = number;
    epoll_ctl(m_epoll, operation, fd, &event);
}

void Server::wantsRoom(const Connection &connection, bool isWanted)
{
    watch(connection.fd(), connection.number(), isWanted ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
}

// PORT:LATENCY_MS[:tls]
void Server::listen(const std::string &place)
{
    const size_t first = place.find(':');
    const size_t second = place.find(':', first + 1);
    if (first == std::string::npos || (second != std::string::npos && place.substr(second) != ":tls"))
        fail("\"" + place + "\" is not PORT:LATENCY_MS or PORT:LATENCY_MS:tls");
    auto listener = std::make_unique<Listener>();
    listener->latency = Nanoseconds(std::strtod(place.c_str() + first + 1, nullptr) * 1e6);
    listener->isTls = second != std::string::npos;
    if (listener->isTls && !m_tls)
        fail("a TLS port needs --cert and --key");
    listener->fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(std::strtoul(place.c_str(), nullptr, 10)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    if (bind(listener->fd, generic, size) != 0 || ::listen(listener->fd, 4096) != 0 ||
        getsockname(listener->fd, generic, &size) != 0)
        fail("can't listen on " + place + ": " + std::strerror(errno));
    std::printf("{\"port\":%d,\"latency_ms\":%g,\"tls\":%s}\n", ntohs(address.sin_port),
                double(listener->latency) / 1e6, listener->isTls ? "true" : "false");
    std::fflush(stdout);
    m_listeners.push_back(std::move(listener));
    watch(m_listeners.back()->fd, m_listeners.size(), EPOLLIN, EPOLL_CTL_ADD);
}

void Server::accept(const Listener &listener)
{
    while (true) {
        const int fd = accept4(listener.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const uint64_t number = m_nextConnection++;
        m_connections.emplace(number, std::make_unique<Connection>(*this, listener, fd, number, m_tls));
        watch(fd, number, EPOLLIN, EPOLL_CTL_ADD);
    }
}

Answer Server::accepted()
{
    --m_ledger.inFlight;
    ++m_ledger.answered;
    return {200, "{\"id\":\"m-" + std::to_string(m_nextMessage++) + "\"}"};
}

void Server::arrived(Connection &connection, int32_t stream, const Request &request)
{
    if (request.method == "POST" && request.path == "/emails") {
        m_ledger.note(request.key, connection.isHttp2());
        m_ledger.connections += connection.isFirstMessage();
        if (connection.listener().latency == 0)
            return connection.answer(stream, accepted());
        m_due.push({now() + connection.listener().latency, m_nextOrder++, connection.number(), stream});
        return;
    }
    if (request.path == "/reset")
        m_ledger.reset();
    if (request.path == "/reset" || request.path == "/stats")
        return connection.answer(stream, {200, m_ledger.json()});
    connection.answer(stream, {404, R"({"name":"not_found","message":"only POST /emails is here"})"});
}

void Server::answerDue()
{
    std::vector<Connection *> answered;
    const Nanoseconds time = now();
    for (; !m_due.empty() && m_due.top().at <= time; m_due.pop()) {
        Answer answer = accepted(); // counted even where nobody waits for it any more
        const auto found = m_connections.find(m_due.top().connection);
        if (found == m_connections.end())
            continue;
        found->second->answer(m_due.top().stream, std::move(answer));
        answered.push_back(found->second.get());
    }
    std::sort(answered.begin(), answered.end());
    answered.erase(std::unique(answered.begin(), answered.end()), answered.end());
    for (Connection *connection : answered) {
        connection->flush();
        if (!connection->isOpen())
            close(*connection);
    }
}

// epoll's own timeout counts milliseconds, too coarse for a latency of a few.
void Server::armTimer()
{
    const Nanoseconds at = m_due.empty() ? 0 : m_due.top().at;
    if (at == m_armedFor)
        return;
    m_armedFor = at;
    itimerspec when{};
    when.it_value.tv_sec = at / 1'000'000'000;
    when.it_value.tv_nsec = at % 1'000'000'000;
    timerfd_settime(m_timer, TFD_TIMER_ABSTIME, &when, nullptr);
}

void Server::serve(uint64_t number, uint32_t events)
{
    const auto found = m_connections.find(number);
    if (found == m_connections.end())
        return;
    Connection &connection = *found->second;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        connection.read();
    connection.flush();
    if (!connection.isOpen())
        close(connection);
}

void Server::close(Connection &connection)
{
    epoll_ctl(m_epoll, EPOLL_CTL_DEL, connection.fd(), nullptr);
    m_connections.erase(connection.number());
}

void Server::run()
{
    std::vector<epoll_event> events(1024);
    while (true) {
        armTimer();
        const int count = epoll_wait(m_epoll, events.data(), int(events.size()), -1);
        for (int at = 0; at < count; ++at) {
            const epoll_event &event = events[size_t(at)];
            if (event.data.u64 >= firstConnection) {
                serve(event.data.u64, event.events);
            } else if (event.data.u64 != timerMark) {
                accept(*m_listeners[size_t(event.data.u64 - 1)]);
            } else {
                uint64_t expired = 0;
                m_armedFor = ::read(m_timer, &expired, sizeof expired) > 0 ? 0 : m_armedFor;
            }
        }
        answerDue();
    }
}

} // namespace

} // namespace sendoff::bench

int main(int count, char **words)
{
    std::signal(SIGPIPE, SIG_IGN);
    std::string certificate;
    std::string key;
    std::vector<std::string> places;
    for (int at = 1; at < count; ++at) {
        const std::string word = words[at];
        if ((word == "--cert" || word == "--key") && at + 1 < count)
            (word == "--cert" ? certificate : key) = words[++at];
        else
            places.push_back(word);
    }
    if (places.empty())
        sendoff::bench::fail("give at least one PORT:LATENCY_MS[:tls]");
    sendoff::bench::Server server(certificate, key);
    for (const std::string &place : places)
        server.listen(place);
    server.run();
}
