#pragma once
#include "sandbox/sandbox.h"
#include <QThread>

namespace sendoff::sandbox {

// A Sandbox in a thread of its own, for tests and programs whose own thread is busy. All members may be called from
// any other thread and wait for the answer. Owns thread and sandbox; the destructor ends both.
class SandboxThread
{
public:
    explicit SandboxThread(const SandboxOptions &options = {});
    ~SandboxThread();
    SandboxThread(const SandboxThread &) = delete;
    SandboxThread &operator=(const SandboxThread &) = delete;

    Result<void> listen(const QHostAddress &address = QHostAddress::LocalHost, quint16 port = 0);
    quint16 port() const;
    Result<void> listenSmtp(const QHostAddress &address = QHostAddress::LocalHost, quint16 port = 0);
    quint16 smtpPort() const;
    void close();
    Result<void> setScript(const QByteArray &json);
    std::vector<AcceptedMessage> messages() const;
    Stats stats() const;
    CallbackCounts callbackCounts() const;
    QByteArray sendgridCallbackKey() const;
    qint64 receptions(const QString &key) const;
    void reset();
    // For connections to its signals only: they arrive queued in the receiver's thread.
    Sandbox *signalSource() const { return m_sandbox; }

private:
    template <typename Function>
    auto ask(Function function) const;

    QThread m_thread;
    Sandbox *m_sandbox = nullptr; // lives in m_thread, ends with it
};

} // namespace sendoff::sandbox
