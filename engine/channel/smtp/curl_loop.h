#pragma once
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>
#include <curl/curl.h>
#include <functional>
#include <map>
#include <memory>

namespace sendoff::channel {

// libcurl's multi interface on a Qt event loop: libcurl says which sockets and which time it waits for, notifiers and a
// timer of the thread's loop call it back. Nothing here blocks. Thread: the one that made it.
class CurlLoop final : public QObject
{
public:
    CurlLoop();
    ~CurlLoop() override; // every handle must have been stopped

    using Ended = std::function<void(CURLcode)>;
    // Runs a transfer; `ended` comes once, never before start() returns. The handle stays ours until stop().
    void start(CURL *handle, Ended ended);
    // Forgets the handle and closes its connection; its `ended` does not come any more.
    void stop(CURL *handle);

private:
    struct Watch
    {
        std::unique_ptr<QSocketNotifier> read;
        std::unique_ptr<QSocketNotifier> write;
    };

    static int onSocket(CURL *handle, curl_socket_t socket, int what, void *self, void *socketData);
    static int onTimer(CURLM *multi, long milliseconds, void *self);
    void watch(curl_socket_t socket, int what);
    void act(curl_socket_t socket, int events);
    void takeEnded();

    CURLM *m_multi;
    QTimer m_timer;
    std::map<curl_socket_t, Watch> m_watches;
    std::map<CURL *, Ended> m_running;
};

} // namespace sendoff::channel
