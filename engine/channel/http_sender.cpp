#include "channel/http_sender.h"

#include "channel/network_transport.h"
#include "channel/redaction.h"
#include <QCoreApplication>
#include <QThread>

namespace sendoff::channel {

namespace {

constexpr qsizetype maxCode = 100;

// The sender's half on the network thread.
class Post final : public QObject
{
public:
    explicit Post(const TransportSettings &settings)
        : m_settings(settings)
    {}

    void send(const ProviderSettings &provider, const std::vector<OutgoingItem> &items, const Sender::Done &done);
    void cancelAll();
    void close();

private:
    Transport &transport();

    TransportSettings m_settings;
    std::unique_ptr<Transport> m_transport; // made on its own thread
    SystemClock m_clock;
};

Transport &Post::transport()
{
    if (!m_transport)
        m_transport = makeNetworkTransport(m_settings);
    return *m_transport;
}

std::vector<AttemptResult> unsendable(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    AttemptResult result;
    result.outcome = Outcome::Configuration;
    result.code = QStringLiteral("unknown_kind");
    result.text = QStringLiteral("providers.%1.kind is not known; use one of: %2")
                      .arg(provider.name, providerKindNames().join(QLatin1String(", ")));
    result.left = false;
    return std::vector<AttemptResult>(items.size(), result);
}

void Post::send(const ProviderSettings &provider, const std::vector<OutgoingItem> &items, const Sender::Done &done)
{
    const ProviderKind *kind = providerKind(provider.kind);
    if (items.empty() || !kind)
        return done(unsendable(provider, items));
    Q_ASSERT(int(items.size()) <= kind->batch);
    const auto read = [this, kind, provider, items, done](const HttpAnswer &answer) {
        std::vector<AttemptResult> results = kind->classify(provider, items, answer, m_clock.now());
        Q_ASSERT(results.size() == items.size());
        for (AttemptResult &result : results) {
            result.code = redacted(result.code, provider, items, maxCode);
            result.text = redacted(result.text, provider, items, maxProviderText);
        }
        done(std::move(results));
    };
    transport().post(kind->request(provider, items), provider.timeout, read);
}

void Post::cancelAll()
{
    if (m_transport)
        m_transport->cancelAll();
}

void Post::close()
{
    m_transport.reset(); // cancels what is in flight, refuses what its callbacks post
}

class HttpSender final : public Sender
{
public:
    explicit HttpSender(const TransportSettings &settings)
        : m_post(new Post(settings))
    {
        m_thread.setObjectName(QStringLiteral("network"));
        m_post->moveToThread(&m_thread);
        // The last event of the thread: whoever is deleted then has no timers or sockets left elsewhere.
        QObject::connect(&m_thread, &QThread::finished, m_post, &QObject::deleteLater);
        m_thread.start();
    }
    ~HttpSender() override
    {
        Q_ASSERT(QThread::currentThread() != &m_thread);
        // Behind every send() in the queue, so that each of them gets its `done`.
        QMetaObject::invokeMethod(
            m_post, [post = m_post] { post->close(); }, Qt::BlockingQueuedConnection);
        m_thread.quit();
        m_thread.wait();
    }

    void send(const ProviderSettings &provider, std::vector<OutgoingItem> items, Done done) override
    {
        QMetaObject::invokeMethod(
            m_post,
            [post = m_post, provider, sent = std::move(items), answered = std::move(done)] {
                post->send(provider, sent, answered);
            },
            Qt::QueuedConnection);
    }

    void cancelAll() override
    {
        if (QThread::currentThread() == &m_thread) {
            QCoreApplication::sendPostedEvents(m_post, QEvent::MetaCall); // sends that still wait in the queue
            m_post->cancelAll();
            return;
        }
        QMetaObject::invokeMethod(
            m_post, [post = m_post] { post->cancelAll(); }, Qt::BlockingQueuedConnection);
    }

private:
    QThread m_thread;
    Post *m_post; // on m_thread, which deletes it
};

} // namespace

std::unique_ptr<Sender> makeHttpSender(const TransportSettings &settings)
{
    return std::make_unique<HttpSender>(settings);
}

} // namespace sendoff::channel
