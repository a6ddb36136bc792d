#include "sandbox/sandbox_thread.h"

namespace sendoff::sandbox {

template <typename Function>
auto SandboxThread::ask(Function function) const
{
    decltype(function(*m_sandbox)) answer{};
    QMetaObject::invokeMethod(
        m_sandbox, [&] { answer = function(*m_sandbox); }, Qt::BlockingQueuedConnection);
    return answer;
}

SandboxThread::SandboxThread(const SandboxOptions &options)
{
    m_sandbox = new Sandbox(options);
    m_sandbox->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_sandbox, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("sandbox"));
    m_thread.start();
}

SandboxThread::~SandboxThread()
{
    m_thread.quit();
    m_thread.wait();
}

Result<void> SandboxThread::listen(const QHostAddress &address, quint16 port)
{
    return ask([&](Sandbox &sandbox) { return sandbox.listen(address, port); });
}

quint16 SandboxThread::port() const
{
    return ask([](Sandbox &sandbox) { return sandbox.port(); });
}

Result<void> SandboxThread::listenSmtp(const QHostAddress &address, quint16 port)
{
    return ask([&](Sandbox &sandbox) { return sandbox.listenSmtp(address, port); });
}

quint16 SandboxThread::smtpPort() const
{
    return ask([](Sandbox &sandbox) { return sandbox.smtpPort(); });
}

void SandboxThread::close()
{
    ask([](Sandbox &sandbox) {
        sandbox.close();
        return true;
    });
}

Result<void> SandboxThread::setScript(const QByteArray &json)
{
    return ask([&](Sandbox &sandbox) { return sandbox.setScript(json); });
}

std::vector<AcceptedMessage> SandboxThread::messages() const
{
    return ask([](Sandbox &sandbox) { return sandbox.messages(); });
}

Stats SandboxThread::stats() const
{
    return ask([](Sandbox &sandbox) { return sandbox.stats(); });
}

CallbackCounts SandboxThread::callbackCounts() const
{
    return ask([](Sandbox &sandbox) { return sandbox.callbackCounts(); });
}

QByteArray SandboxThread::sendgridCallbackKey() const
{
    return ask([](Sandbox &sandbox) { return sandbox.sendgridCallbackKey(); });
}

qint64 SandboxThread::receptions(const QString &key) const
{
    return ask([&](Sandbox &sandbox) { return sandbox.receptions(key); });
}

void SandboxThread::reset()
{
    ask([](Sandbox &sandbox) {
        sandbox.reset();
        return true;
    });
}

} // namespace sendoff::sandbox
