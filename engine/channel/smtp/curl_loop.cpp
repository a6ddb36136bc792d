#include "channel/smtp/curl_loop.h"

#include <algorithm>
#include <climits>
#include <vector>

namespace sendoff::channel {

CurlLoop::CurlLoop()
{
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT); // once a process, guarded by the language
    Q_ASSERT(ready == CURLE_OK);
    Q_UNUSED(ready);
    m_multi = curl_multi_init();
    curl_multi_setopt(m_multi, CURLMOPT_SOCKETFUNCTION, &CurlLoop::onSocket);
    curl_multi_setopt(m_multi, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(m_multi, CURLMOPT_TIMERFUNCTION, &CurlLoop::onTimer);
    curl_multi_setopt(m_multi, CURLMOPT_TIMERDATA, this);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] { act(CURL_SOCKET_TIMEOUT, 0); });
}

CurlLoop::~CurlLoop()
{
    Q_ASSERT(m_running.empty());
    curl_multi_cleanup(m_multi);
}

void CurlLoop::start(CURL *handle, Ended ended)
{
    m_running[handle] = std::move(ended);
    curl_multi_add_handle(m_multi, handle); // asks for a timer of 0 ms
}

void CurlLoop::stop(CURL *handle)
{
    m_running.erase(handle);
    curl_multi_remove_handle(m_multi, handle);
}

int CurlLoop::onSocket(CURL *, curl_socket_t socket, int what, void *self, void *)
{
    static_cast<CurlLoop *>(self)->watch(socket, what);
    return 0;
}

int CurlLoop::onTimer(CURLM *, long milliseconds, void *self)
{
    QTimer &timer = static_cast<CurlLoop *>(self)->m_timer;
    if (milliseconds < 0)
        timer.stop();
    else
        timer.start(int(std::min<long>(milliseconds, INT_MAX)));
    return 0;
}

void CurlLoop::watch(curl_socket_t socket, int what)
{
    Watch &watch = m_watches[socket];
    const auto set = [this, socket](std::unique_ptr<QSocketNotifier> &notifier, QSocketNotifier::Type type, int event,
                                    bool isWanted) {
        if (isWanted && !notifier) {
            notifier = std::make_unique<QSocketNotifier>(socket, type);
            connect(notifier.get(), &QSocketNotifier::activated, this, [this, socket, event] { act(socket, event); });
        } else if (!isWanted && notifier) {
            notifier->setEnabled(false);
            notifier.release()->deleteLater(); // it may be the one that is calling us
        }
    };
    const bool isGone = what == CURL_POLL_REMOVE;
    set(watch.read, QSocketNotifier::Read, CURL_CSELECT_IN, !isGone && (what & CURL_POLL_IN) != 0);
    set(watch.write, QSocketNotifier::Write, CURL_CSELECT_OUT, !isGone && (what & CURL_POLL_OUT) != 0);
    if (isGone)
        m_watches.erase(socket);
}

void CurlLoop::act(curl_socket_t socket, int events)
{
    int running = 0;
    curl_multi_socket_action(m_multi, socket, events, &running);
    takeEnded();
}

void CurlLoop::takeEnded()
{
    std::vector<std::pair<CURL *, CURLcode>> ended; // first all, then the calls: they may stop and start handles
    int left = 0;
    while (const CURLMsg *message = curl_multi_info_read(m_multi, &left)) {
        if (message->msg == CURLMSG_DONE)
            ended.emplace_back(message->easy_handle, message->data.result);
    }
    for (const auto &[handle, result] : ended) {
        const auto found = m_running.find(handle);
        if (found == m_running.end())
            continue; // stopped by one of the calls before
        const Ended call = std::move(found->second);
        m_running.erase(found);
        call(result);
    }
}

} // namespace sendoff::channel
