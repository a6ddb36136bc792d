#include "ui/console_worker.h"

#include <QThread>

namespace sendoff::ui {

namespace {

std::atomic<int> &abandoned()
{
    static std::atomic<int> count{0};
    return count;
}

constexpr unsigned long patienceMs = 200;

} // namespace

using Delivery = std::function<void()>;

// Lives in the worker's thread. Answers cross as queued signals, which Qt drops where the receiver has gone.
class ConsoleWorker::Core : public QObject
{
    Q_OBJECT

public:
    explicit Core(ConsoleOpener opener)
        : m_opener(std::move(opener))
    {}

    void open(const Connection &connection)
    {
        m_console.reset();
        auto console = m_opener(connection);
        if (!console) {
            Q_EMIT failed(console.error());
            return;
        }
        m_console = std::move(*console);
        Q_EMIT opened();
    }

    void run(const Job &job)
    {
        if (const Delivery delivery = job(m_console.get()))
            Q_EMIT answered(delivery);
    }

Q_SIGNALS:
    void opened();
    void failed(const sendoff::Error &error);
    void answered(const std::function<void()> &delivery);

private:
    ConsoleOpener m_opener;
    std::unique_ptr<admin::Console> m_console;
};

ConsoleWorker::ConsoleWorker(ConsoleOpener opener, QObject *parent)
    : QObject(parent)
    , m_thread(new QThread)
    , m_core(new Core(std::move(opener)))
{
    m_thread->setObjectName(QStringLiteral("console"));
    m_core->moveToThread(m_thread);
    connect(m_core, &Core::opened, this, &ConsoleWorker::opened, Qt::QueuedConnection);
    connect(m_core, &Core::failed, this, &ConsoleWorker::failed, Qt::QueuedConnection);
    connect(
        m_core, &Core::answered, this, [](const Delivery &delivery) { delivery(); }, Qt::QueuedConnection);
    // The console belongs to the thread that made it, so it must die there.
    connect(m_thread, &QThread::finished, m_core, &QObject::deleteLater);
    m_thread->start();
}

ConsoleWorker::~ConsoleWorker()
{
    m_thread->quit();
    if (m_thread->wait(patienceMs)) {
        delete m_thread;
        return;
    }
    ++abandoned();
    connect(m_thread, &QThread::finished, m_thread, [thread = m_thread] {
        --abandoned();
        thread->deleteLater();
    });
}

void ConsoleWorker::open(const Connection &connection)
{
    QMetaObject::invokeMethod(
        m_core, [core = m_core, connection] { core->open(connection); }, Qt::QueuedConnection);
}

int ConsoleWorker::abandonedThreads()
{
    return abandoned();
}

void ConsoleWorker::post(Job job)
{
    QMetaObject::invokeMethod(
        m_core, [core = m_core, job = std::move(job)] { core->run(job); }, Qt::QueuedConnection);
}

Error ConsoleWorker::notOpen()
{
    return {ErrorCode::Unavailable, tr("The connection is not open. Connect again.")};
}

} // namespace sendoff::ui

#include "console_worker.moc"
