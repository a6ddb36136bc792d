#include "channel/connection_pool.h"

#include <algorithm>
#include <limits>

namespace sendoff::channel {

namespace {

constexpr int placesHttp1 = 6;   // what QNetworkAccessManager puts on the wire to one host
constexpr int placesHttp2 = 100; // streams that every server of note allows at once
// Until an https origin has answered we don't know which of the two it is: a few lines, not one for each six requests.
constexpr size_t linesWhileUnknown = 4;
// Servers close idle connections after 5 s or more; a request written into that moment is an unknown outcome. So an
// idle line begins with fresh connections.
constexpr qint64 staleAfterMs = 4'000;
constexpr qint64 dropAfterMs = 60'000;
// Each is a thread inside Qt, and a campaign of webhooks has a thousand origins within a minute.
constexpr size_t mostIdle = 64;

size_t dividedUp(int count, int by)
{
    return size_t((count + by - 1) / by);
}

} // namespace

ConnectionPool::ConnectionPool(int maxInFlight)
    : m_maxInFlight(std::max(maxInFlight, 1))
{
    m_sweeper.setInterval(dropAfterMs / 2);
    connect(&m_sweeper, &QTimer::timeout, this, [this] { sweep(); });
}

ConnectionPool::~ConnectionPool()
{
    for (auto &[origin, route] : m_routes) {
        for (const auto &line : route.lines) {
            if (line->isSuspect)
                drop(*line);
        }
    }
    // Side by side, so that many cost no more than one: Qt waits at most 5 s for a thread that doesn't end.
    for (const auto &grave : m_graves)
        grave->wait();
}

int ConnectionPool::places(const Route &route) const
{
    return std::min(m_maxInFlight, route.protocol == Protocol::Http2 ? placesHttp2 : placesHttp1);
}

size_t ConnectionPool::maxLines(const Route &route) const
{
    const size_t enough = dividedUp(m_maxInFlight, places(route));
    return route.protocol == Protocol::Unknown ? std::min(enough, linesWhileUnknown) : enough;
}

Line *ConnectionPool::take(const QString &origin, bool isTls, const QNetworkProxy &proxy)
{
    Route &route = m_routes[origin];
    if (!isTls)
        route.protocol = Protocol::Http1;
    int inFlight = 0;
    size_t usable = 0;
    Line *found = nullptr;
    for (const auto &line : route.lines) {
        inFlight += line->inFlight;
        if (line->isRetired)
            continue;
        ++usable;
        // The first one with room: requests gather on few lines, whose connections stay warm.
        if (!found && line->inFlight < places(route))
            found = line.get();
    }
    if (inFlight >= m_maxInFlight)
        return nullptr;
    if (!found && usable < maxLines(route))
        found = newLine(route, proxy);
    if (!found)
        return nullptr;
    if (found->inFlight == 0 && found->idle.isValid() && found->idle.hasExpired(staleAfterMs))
        found->access->clearConnectionCache(); // allowed only with nothing in flight
    ++found->inFlight;
    return found;
}

Line *ConnectionPool::newLine(Route &route, const QNetworkProxy &proxy)
{
    auto line = std::make_unique<Line>();
    line->access = std::make_unique<QNetworkAccessManager>();
    line->access->setProxy(proxy);
    line->access->setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    line->access->setStrictTransportSecurityEnabled(false);
    line->access->setAutoDeleteReplies(false);
    route.lines.push_back(std::move(line));
    if (!m_sweeper.isActive())
        m_sweeper.start();
    return route.lines.back().get();
}

void ConnectionPool::giveBack(Line *line)
{
    if (--line->inFlight > 0)
        return;
    line->idle.start();
    retireLongestIdle();
    // Later: its last reply is about to be deleted, by the event loop.
    if (line->isRetired)
        QTimer::singleShot(0, this, [this] { dropRetired(); });
}

void ConnectionPool::retireLongestIdle()
{
    size_t count = 0;
    Line *longest = nullptr;
    qint64 longestIdle = -1; // nanoseconds: many may have become idle within a millisecond
    for (const auto &[origin, route] : m_routes) {
        for (const auto &line : route.lines) {
            if (line->inFlight > 0 || line->isRetired)
                continue;
            ++count;
            const qint64 idle = line->idle.nsecsElapsed();
            if (idle <= longestIdle)
                continue;
            longest = line.get();
            longestIdle = idle;
        }
    }
    if (count <= mostIdle)
        return;
    retire(longest);
    QTimer::singleShot(0, this, [this] { dropRetired(); });
}

void ConnectionPool::learn(const QString &origin, bool isHttp2)
{
    m_routes[origin].protocol = isHttp2 ? Protocol::Http2 : Protocol::Http1;
}

void ConnectionPool::dropEnded(Route &route, qint64 idleLimit)
{
    for (const auto &line : route.lines) {
        const bool isEnded = line->inFlight == 0 && (line->isRetired || line->idle.hasExpired(idleLimit));
        if (isEnded)
            drop(*line);
    }
    std::erase_if(route.lines, [](const auto &line) { return !line->access; });
}

void ConnectionPool::dropRetired()
{
    for (auto &[origin, route] : m_routes)
        dropEnded(route, std::numeric_limits<qint64>::max());
}

void ConnectionPool::drop(Line &line)
{
    QNetworkAccessManager *access = line.access.release();
    if (!line.isSuspect) {
        access->deleteLater();
        return;
    }
    // Its destructor waits up to 5 s for the thread inside; nobody else may wait with it.
    auto grave = std::unique_ptr<QThread>(QThread::create([access] { delete access; }));
    access->moveToThread(grave.get());
    grave->start();
    m_graves.push_back(std::move(grave));
}

void ConnectionPool::sweep()
{
    std::erase_if(m_graves, [](const auto &grave) { return grave->isFinished(); });
    for (auto route = m_routes.begin(); route != m_routes.end();) {
        dropEnded(route->second, dropAfterMs);
        route = route->second.lines.empty() ? m_routes.erase(route) : std::next(route);
    }
    if (m_routes.empty() && m_graves.empty())
        m_sweeper.stop();
}

} // namespace sendoff::channel
