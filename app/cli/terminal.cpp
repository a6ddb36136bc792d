#include "app/cli/terminal.h"

#include "app/cli/output.h"
#include "app/cli/table.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sendoff::app {

namespace {

constexpr int usualWidth = 80;
constexpr Milliseconds pauseBetweenLines{5'000};

int signalPipe[2] = {-1, -1};
struct sigaction formerInt;
struct sigaction formerTerm;

void noteSignal(int)
{
    const char byte = 0;
    // The pipe does not block: when it is full, the request is already there.
    const ssize_t written = ::write(signalPipe[1], &byte, 1);
    (void)written;
}

} // namespace

bool isTerminalOut()
{
    return isatty(STDOUT_FILENO) == 1;
}

bool isTerminalErr()
{
    return isatty(STDERR_FILENO) == 1;
}

bool isTerminalIn()
{
    return isatty(STDIN_FILENO) == 1;
}

bool isUtf8Terminal()
{
    if (!isTerminalOut() || qgetenv("TERM") == "dumb")
        return false;
    QByteArray locale = qgetenv("LC_ALL");
    for (const char *next : {"LC_CTYPE", "LANG"}) {
        if (locale.isEmpty())
            locale = qgetenv(next);
    }
    return locale.toUpper().replace('-', "").contains("UTF8");
}

int terminalWidth()
{
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return usualWidth;
}

Interruption::Interruption(Keys keys)
{
    if (::pipe2(signalPipe, O_CLOEXEC | O_NONBLOCK) != 0)
        signalPipe[0] = signalPipe[1] = -1;
    struct sigaction action
    {};
    action.sa_handler = noteSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &formerInt);
    sigaction(SIGTERM, &action, &formerTerm);
    if (keys != Keys::QEnds || !isTerminalIn() || tcgetattr(STDIN_FILENO, &m_former) != 0)
        return;
    termios single = m_former;
    single.c_lflag &= ~tcflag_t(ICANON | ECHO);
    m_readsKeys = tcsetattr(STDIN_FILENO, TCSANOW, &single) == 0;
}

Interruption::~Interruption()
{
    if (m_readsKeys)
        tcsetattr(STDIN_FILENO, TCSANOW, &m_former);
    sigaction(SIGINT, &formerInt, nullptr);
    sigaction(SIGTERM, &formerTerm, nullptr);
    for (int &end : signalPipe) {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
}

bool Interruption::takeInput(short pipeEvents, short inputEvents)
{
    if ((pipeEvents & POLLIN) != 0)
        return true;
    if (inputEvents == 0)
        return false;
    char key = 0;
    // A terminal that has gone away can't be looked at any more.
    return ::read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == 4;
}

bool Interruption::waitFor(Milliseconds time)
{
    const SystemClock clock;
    const auto end = clock.ticks() + time;
    while (!m_isAsked) {
        const auto left = std::chrono::ceil<Milliseconds>(end - clock.ticks());
        pollfd ends[2] = {{signalPipe[0], POLLIN, 0}, {m_readsKeys ? STDIN_FILENO : -1, POLLIN, 0}};
        const int ready = ::poll(ends, 2, int(std::clamp<qint64>(left.count(), 0, 3'600'000)));
        if (ready > 0 && takeInput(ends[0].revents, ends[1].revents))
            m_isAsked = true;
        else if (left.count() <= 0)
            return false;
    }
    return true;
}

ProgressLine::ProgressLine()
    : m_isRedrawn(isTerminalErr() && qgetenv("TERM") != "dumb")
{}

ProgressLine::~ProgressLine()
{
    clear();
}

void ProgressLine::show(const QString &text)
{
    const auto now = std::chrono::duration_cast<Milliseconds>(SystemClock().ticks());
    if (text == m_shown || (!m_isRedrawn && now - m_shownAt < pauseBetweenLines))
        return;
    m_shown = text;
    m_shownAt = now;
    if (!m_isRedrawn) {
        complain(text);
        return;
    }
    // One column stays free: a full line would wrap and could not be written over.
    const QByteArray line = "\r\033[K" + elided(printable(text), terminalWidth() - 1).toUtf8();
    std::fwrite(line.constData(), 1, size_t(line.size()), stderr);
    std::fflush(stderr);
}

void ProgressLine::clear()
{
    if (!m_isRedrawn || m_shown.isEmpty())
        return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    m_shown.clear();
}

} // namespace sendoff::app
