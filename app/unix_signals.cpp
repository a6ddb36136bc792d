#include "app/unix_signals.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace sendoff::app {

namespace {

std::atomic<int> writeEnd = -1;

// Only async-signal-safe calls here: one byte into a pipe that never blocks.
void handle(int)
{
    const int saved = errno;
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(writeEnd, &byte, 1);
    errno = saved;
}

void install(void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGTERM, SIGINT})
        sigaction(number, &action, nullptr);
}

} // namespace

UnixSignals::UnixSignals(QObject *parent)
    : QObject(parent)
{
    if (::pipe2(m_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        qFatal("no pipe for signals: out of file descriptors");
    writeEnd = m_pipe[1];
    m_notifier = new QSocketNotifier(m_pipe[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, &UnixSignals::takeSignals);
    install(handle);
}

UnixSignals::~UnixSignals()
{
    install(SIG_DFL);
    writeEnd = -1;
    m_notifier->setEnabled(false);
    ::close(m_pipe[0]);
    ::close(m_pipe[1]);
}

void UnixSignals::takeSignals()
{
    char bytes[16];
    const auto taken = ::read(m_pipe[0], bytes, sizeof bytes);
    // Two signals may have come before the loop looked: the second one means "at once".
    for (auto count = taken; count > 0; --count)
        Q_EMIT stopAsked();
}

} // namespace sendoff::app
