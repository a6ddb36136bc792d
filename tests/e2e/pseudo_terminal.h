#pragma once
#include <QProcess>
#include <QTest>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sendoff::test {

// The built sendoffd with a terminal in front of it, as a person meets it: 80 columns, UTF-8.
class PseudoTerminal
{
public:
    explicit PseudoTerminal(const QString &folder)
        : m_master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK))
    {
        if (m_master < 0 || grantpt(m_master) != 0 || unlockpt(m_master) != 0)
            qFatal("no pseudo terminal");
        const winsize size{40, 80, 0, 0};
        ioctl(m_master, TIOCSWINSZ, &size);
        m_process.setWorkingDirectory(folder);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("SENDOFF_CONFIG"));
        environment.remove(QStringLiteral("NO_COLOR"));
        environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8"));
        m_process.setProcessEnvironment(environment);
    }
    ~PseudoTerminal()
    {
        m_process.kill();
        m_process.waitForFinished();
        ::close(m_master);
    }
    PseudoTerminal(const PseudoTerminal &) = delete;
    PseudoTerminal &operator=(const PseudoTerminal &) = delete;

    QProcessEnvironment environment() const { return m_process.processEnvironment(); }
    void setEnvironment(const QProcessEnvironment &environment) { m_process.setProcessEnvironment(environment); }

    void start(const QStringList &arguments)
    {
        const QByteArray name = ptsname(m_master);
        m_process.setChildProcessModifier([name] {
            ::setsid();
            const int terminal = ::open(name.constData(), O_RDWR);
            ::ioctl(terminal, TIOCSCTTY, 0);
            for (const int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
                ::dup2(terminal, end);
        });
        m_process.start(QStringLiteral(SENDOFF_BINARY_DIR "/app/sendoffd"), arguments);
        if (!m_process.waitForStarted(60'000))
            qFatal("sendoffd can't be started");
    }

    // Everything on the screen so far, escape sequences included.
    const QByteArray &screen()
    {
        char part[4096];
        pollfd end{m_master, POLLIN, 0};
        while (::poll(&end, 1, 20) > 0) {
            const ssize_t count = ::read(m_master, part, sizeof part);
            if (count <= 0)
                break;
            m_screen.append(part, qsizetype(count));
        }
        return m_screen;
    }

    void type(const QByteArray &keys)
    {
        const ssize_t written = ::write(m_master, keys.constData(), size_t(keys.size()));
        if (written != keys.size())
            qFatal("the terminal takes no keys");
    }

    // The exit code, -1 when it did not end by itself. Reads on, so that a full terminal stops nobody.
    int ended()
    {
        const QDeadlineTimer limit(120'000);
        while (m_process.state() != QProcess::NotRunning && !limit.hasExpired()) {
            screen();
            m_process.waitForFinished(50);
        }
        screen();
        const bool isNormal =
            m_process.state() == QProcess::NotRunning && m_process.exitStatus() == QProcess::NormalExit;
        return isNormal ? m_process.exitCode() : -1;
    }

private:
    int m_master;
    QProcess m_process;
    QByteArray m_screen;
};

} // namespace sendoff::test
