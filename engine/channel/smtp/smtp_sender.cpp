#include "channel/smtp/smtp_sender.h"

#include "channel/proxy_choice.h"
#include "channel/redaction.h"
#include "channel/smtp/smtp_connection.h"
#include <QCoreApplication>
#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QThread>
#include <algorithm>
#include <csignal>
#include <deque>
#include <list>

namespace sendoff::channel {

namespace {

using namespace std::chrono_literals;

constexpr qsizetype maxCode = 100;
// Servers close idle connections after a few minutes (RFC 5321 asks for five, some take one).
constexpr auto keptIdle = 45s;

AttemptResult unsent(Outcome outcome, const QString &code, const QString &text)
{
    AttemptResult result;
    result.outcome = outcome;
    result.code = code;
    result.text = text;
    result.left = false;
    return result;
}

// One mail from send() to its result.
struct Job
{
    ProviderSettings provider;
    OutgoingItem item;
    SmtpMail mail;
    std::function<void(const AttemptResult &)> done;
    QTimer deadline;
    SmtpConnection *connection = nullptr; // while it is on one
    bool needsFresh = false;              // a kept connection was stale: not another one of its age
};

// What goes to one server with one login.
struct Route
{
    SmtpRoute settings;
    size_t places = 1;
    std::list<std::unique_ptr<SmtpConnection>> connections;
    std::map<SmtpConnection *, QElapsedTimer> idle;
    std::deque<std::shared_ptr<Job>> waiting;
};

// The sender's half on its thread.
class Post final : public QObject
{
public:
    explicit Post(const TransportSettings &settings)
        : m_settings(settings)
        , m_proxies(settings)
    {}

    void send(const ProviderSettings &provider, const std::vector<OutgoingItem> &items, const Sender::Done &done);
    void cancelAll();
    void close();

private:
    void sendOne(const ProviderSettings &provider, const SmtpRoute &settings, const OutgoingItem &item,
                 std::function<void(const AttemptResult &)> done);
    Route &routeFor(const ProviderSettings &provider, const SmtpRoute &settings);
    void pump(Route &route);
    SmtpConnection *freeConnection(Route &route, bool mustBeFresh);
    void hand(Route &route, const std::shared_ptr<Job> &job, SmtpConnection &connection);
    void end(const std::shared_ptr<Job> &job, const AttemptResult &result);
    void timeOut(Route &route, const std::shared_ptr<Job> &job);
    void dropClosed(Route &route);
    void sweep();
    CurlLoop &loop();

    TransportSettings m_settings;
    ProxyChoice m_proxies;
    std::unique_ptr<CurlLoop> m_loop; // made on its own thread
    std::unique_ptr<QTimer> m_sweeper;
    std::map<QByteArray, Route> m_routes; // nodes stay where they are
    bool m_isClosing = false;
};

CurlLoop &Post::loop()
{
    if (!m_loop) {
        // Writing to a closed socket must be an error, not the end of the process.
        sigset_t pipe;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
        m_loop = std::make_unique<CurlLoop>();
        m_sweeper = std::make_unique<QTimer>();
        connect(m_sweeper.get(), &QTimer::timeout, this, &Post::sweep);
        m_sweeper->start(keptIdle / 3);
    }
    return *m_loop;
}

void Post::send(const ProviderSettings &provider, const std::vector<OutgoingItem> &items, const Sender::Done &done)
{
    if (items.empty())
        return done({});
    const auto refuse = [&](const AttemptResult &result) { done(std::vector(items.size(), result)); };
    if (m_isClosing)
        return refuse(unsent(Outcome::Transient, QStringLiteral("cancelled"), QStringLiteral("the sender shuts down")));
    const Result<SmtpRoute> settings = smtpRoute(provider);
    if (!settings)
        return refuse(unsent(Outcome::Configuration, QStringLiteral("bad_setting"),
                             QStringLiteral("providers.%1.%2").arg(provider.name, settings.error().message)));
    struct Together
    {
        std::vector<AttemptResult> results;
        size_t open;
    };
    const auto together = std::make_shared<Together>(Together{std::vector<AttemptResult>(items.size()), items.size()});
    for (size_t index = 0; index < items.size(); ++index) {
        sendOne(provider, *settings, items[index], [together, index, done](const AttemptResult &result) {
            together->results[index] = result;
            if (--together->open == 0)
                done(std::move(together->results));
        });
    }
}

void Post::sendOne(const ProviderSettings &provider, const SmtpRoute &settings, const OutgoingItem &item,
                   std::function<void(const AttemptResult &)> done)
{
    const Result<EmailAddress> recipient = emailAddress(item.address);
    if (!recipient)
        return done(unsent(Outcome::PermanentRecipient, QStringLiteral("bad_address"), recipient.error().message));
    const auto job = std::make_shared<Job>();
    job->provider = provider;
    job->item = item;
    job->mail = {envelopeSender(settings, item.id), *recipient, item.body};
    job->done = std::move(done);
    Route &route = routeFor(provider, settings);
    job->deadline.setSingleShot(true);
    connect(&job->deadline, &QTimer::timeout, this, [this, &route, weak = std::weak_ptr(job)] {
        if (const auto late = weak.lock())
            timeOut(route, late);
    });
    job->deadline.start(std::max<Milliseconds>(provider.timeout, 1ms));
    route.waiting.push_back(job);
    pump(route);
}

// Connections are shared by what would open the same one.
Route &Post::routeFor(const ProviderSettings &provider, const SmtpRoute &settings)
{
    QCryptographicHash key(QCryptographicHash::Sha256);
    for (const QByteArray &part :
         {provider.name.toUtf8(), settings.server.toEncoded(), settings.username.toUtf8(), settings.password,
          settings.mechanisms, settings.helloName, QByteArray::number(int(settings.tls))}) {
        key.addData(QByteArray::number(part.size()) + ':' + part);
    }
    Route &route = m_routes[key.result()];
    route.settings = settings;
    route.places = size_t(std::max(1, provider.slotCount));
    return route;
}

void Post::pump(Route &route)
{
    dropClosed(route);
    while (!route.waiting.empty()) {
        const std::shared_ptr<Job> job = route.waiting.front();
        SmtpConnection *connection = freeConnection(route, job->needsFresh);
        if (!connection)
            return;
        route.waiting.pop_front();
        hand(route, job, *connection);
    }
}

SmtpConnection *Post::freeConnection(Route &route, bool mustBeFresh)
{
    const auto kept = std::find_if(route.connections.begin(), route.connections.end(),
                                   [](const auto &each) { return each->isFree(); });
    const bool hasKept = kept != route.connections.end();
    if (hasKept && !mustBeFresh)
        return kept->get();
    if (route.connections.size() >= route.places) {
        if (!hasKept)
            return nullptr;
        (*kept)->close(); // makes room for the fresh one
        dropClosed(route);
    }
    const SmtpNetwork network{
        m_proxies.addressFor(
            QUrl(QStringLiteral("https://%1:%2").arg(route.settings.server.host()).arg(route.settings.server.port()))),
        m_settings.caCertificates};
    const auto changed = [this, &route] {
        if (!m_isClosing)
            pump(route);
    };
    route.connections.push_back(std::make_unique<SmtpConnection>(loop(), route.settings, network, changed));
    return route.connections.back().get();
}

void Post::hand(Route &route, const std::shared_ptr<Job> &job, SmtpConnection &connection)
{
    route.idle.erase(&connection);
    job->connection = &connection;
    connection.send(job->mail, [this, &route, job, used = &connection](const SmtpEnd &ended) {
        job->connection = nullptr;
        if (!used->isClosed())
            route.idle[used].start();
        if (ended.wasStale && !job->needsFresh && !m_isClosing) {
            job->needsFresh = true;
            route.waiting.push_front(job); // `changed` follows and hands it on
            return;
        }
        end(job, ended.result);
    });
}

void Post::end(const std::shared_ptr<Job> &job, const AttemptResult &result)
{
    job->deadline.stop();
    AttemptResult clean = result;
    clean.code = redacted(result.code, job->provider, {job->item}, maxCode);
    clean.text = redacted(result.text, job->provider, {job->item}, maxProviderText);
    if (const auto done = std::exchange(job->done, nullptr))
        done(clean);
}

void Post::timeOut(Route &route, const std::shared_ptr<Job> &job)
{
    if (job->connection) {
        job->connection->abandon(QStringLiteral("timeout"), QStringLiteral("the attempt's time was up"));
        return;
    }
    const auto place = std::find(route.waiting.begin(), route.waiting.end(), job);
    if (place != route.waiting.end())
        route.waiting.erase(place);
    end(job, unsent(Outcome::Transient, QStringLiteral("timeout"),
                    QStringLiteral("the attempt's time was up before a connection was free")));
}

void Post::dropClosed(Route &route)
{
    route.connections.remove_if([&route](std::unique_ptr<SmtpConnection> &each) {
        if (!each->isClosed())
            return false;
        route.idle.erase(each.get());
        each.release()->deleteLater(); // it may stand below us in the call stack
        return true;
    });
}

void Post::sweep()
{
    for (auto &[key, route] : m_routes) {
        for (auto &connection : route.connections) {
            const auto idle = route.idle.find(connection.get());
            if (idle != route.idle.end() && connection->isFree() &&
                idle->second.hasExpired(Milliseconds(keptIdle).count()))
                connection->close();
        }
        dropClosed(route);
    }
}

void Post::cancelAll()
{
    const QString text = QStringLiteral("the sender was told to stop");
    for (auto &[key, route] : m_routes) {
        const std::deque<std::shared_ptr<Job>> waiting = std::exchange(route.waiting, {});
        for (const auto &job : waiting)
            end(job, unsent(Outcome::Transient, QStringLiteral("cancelled"), text));
        for (auto &connection : route.connections) {
            if (!connection->isFree())
                connection->abandon(QStringLiteral("cancelled"), text);
        }
        dropClosed(route);
    }
}

void Post::close()
{
    m_isClosing = true;
    cancelAll();
    for (auto &[key, route] : m_routes) {
        for (auto &connection : route.connections)
            connection->close();
    }
    // Connections that wait for their deletion need the loop no more: they have given their handles back.
    m_routes.clear();
    m_sweeper.reset();
    m_loop.reset();
}

class SmtpSender final : public Sender
{
public:
    explicit SmtpSender(const TransportSettings &settings)
        : m_post(new Post(settings))
    {
        m_thread.setObjectName(QStringLiteral("smtp"));
        m_post->moveToThread(&m_thread);
        QObject::connect(&m_thread, &QThread::finished, m_post, &QObject::deleteLater);
        m_thread.start();
    }
    ~SmtpSender() override
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

std::unique_ptr<Sender> makeSmtpSender(const TransportSettings &settings)
{
    return std::make_unique<SmtpSender>(settings);
}

} // namespace sendoff::channel
