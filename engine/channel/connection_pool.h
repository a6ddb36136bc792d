#pragma once
#include <QElapsedTimer>
#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QThread>
#include <QTimer>
#include <map>
#include <memory>
#include <vector>

namespace sendoff::channel {

// One QNetworkAccessManager and what we know to be on it. It has its own connections and its own thread inside Qt.
struct Line
{
    std::unique_ptr<QNetworkAccessManager> access;
    int inFlight = 0;
    bool isRetired = false; // takes nothing any more, goes when its last request has ended
    bool isSuspect = false; // its thread may never come back, deleting it takes seconds
    QElapsedTimer idle;     // since inFlight became 0
};

// Hands out lines so that nothing queues inside QNetworkAccessManager: it sends 6 requests at a time to a host over
// HTTP/1.1 and keeps the rest where neither quota nor deadline see them. Thread: the transport's.
class ConnectionPool final : public QObject
{
public:
    explicit ConnectionPool(int maxInFlight);
    ~ConnectionPool() override;

    // A line to this origin with a free place, which it now counts; nullptr when the request must wait.
    Line *take(const QString &origin, bool isTls, const QNetworkProxy &proxy);
    void giveBack(Line *line);
    // No further request on this line. Those in flight end by themselves: closing under them would leave them hanging.
    void retire(Line *line) { line->isRetired = true; }
    // The same for a line whose peer may still flood it: over plain http Qt reads endless heads and endless
    // "100 Continue" in a loop that an abort doesn't reach.
    void retireSuspect(Line *line) { line->isRetired = line->isSuspect = true; }
    // What an answered request has shown of the origin.
    void learn(const QString &origin, bool isHttp2);

private:
    enum class Protocol { Unknown, Http1, Http2 };
    struct Route
    {
        Protocol protocol = Protocol::Unknown;
        std::vector<std::unique_ptr<Line>> lines;
    };

    int places(const Route &route) const;
    size_t maxLines(const Route &route) const;
    Line *newLine(Route &route, const QNetworkProxy &proxy);
    void dropEnded(Route &route, qint64 idleLimit);
    void dropRetired();
    void drop(Line &line);
    void retireLongestIdle();
    void sweep();

    int m_maxInFlight;
    std::map<QString, Route> m_routes;
    QTimer m_sweeper;
    std::vector<std::unique_ptr<QThread>> m_graves; // in which suspects are deleted
};

} // namespace sendoff::channel
