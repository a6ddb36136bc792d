#include "channel/http_sender.h"

#include "channel/access_tokens.h"
#include "channel/destination_check.h"
#include "channel/network_transport.h"
#include "channel/redaction.h"
#include <QCoreApplication>
#include <QThread>
#include <algorithm>

namespace sendoff::channel {

namespace {

constexpr qsizetype maxCode = 100;

// One send() on its way through the steps before the request: a token, a checked destination. Its time runs from the
// beginning, whatever the steps take.
struct Sending
{
    const ProviderKind *kind;
    ProviderSettings provider;
    std::vector<OutgoingItem> items;
    Sender::Done done;
    std::chrono::steady_clock::duration ends{};
    QByteArray token;
    QStringList addresses; // to connect to, the next one first
};
using SendingPointer = std::shared_ptr<Sending>;

// One ask() on its way, a request for each of its parts.
struct Asking
{
    const ProviderKind *kind;
    ProviderSettings provider;
    std::vector<OpenQuestion> questions;
    Sender::Found done;
    int cancellations = 0;           // before it began
    std::vector<FoundMessage> found; // so far
    QByteArray token;

    std::vector<OpenQuestion> nextPart() const
    {
        const auto begin = questions.begin() + std::ptrdiff_t(found.size());
        const auto size = std::min<std::ptrdiff_t>(std::max(1, kind->askBatch), questions.end() - begin);
        return {begin, begin + size};
    }
};
using AskingPointer = std::shared_ptr<Asking>;

// The sender's half on the network thread.
class Post final : public QObject
{
public:
    explicit Post(const TransportSettings &settings)
        : m_settings(settings)
    {}

    void send(const ProviderSettings &provider, const std::vector<OutgoingItem> &items, const Sender::Done &done);
    void ask(const ProviderSettings &provider, const std::vector<OpenQuestion> &questions, const Sender::Found &done);
    void cancelAll();
    void close();

private:
    Transport &transport();
    AccessTokens &tokens();
    DestinationCheck &destinations();
    Milliseconds remaining(const Sending &sending) const;

    void checkDestination(const SendingPointer &sending);
    void post(const SendingPointer &sending);
    void answered(const SendingPointer &sending, const HttpAnswer &answer);
    void judgeToken(const Sending &sending, std::vector<AttemptResult> &results);
    static void end(const Sending &sending, std::vector<AttemptResult> results);
    static void endUnsent(const Sending &sending, const AttemptResult &result);

    void askNext(const AskingPointer &asking);
    void take(const AskingPointer &asking, const std::vector<OpenQuestion> &part, std::vector<FoundMessage> found);
    static void endUnclear(const AskingPointer &asking, const QString &why);

    TransportSettings m_settings;
    SystemClock m_clock;
    // Made on their own thread. The tokens use the transport.
    std::unique_ptr<Transport> m_transport;
    std::unique_ptr<AccessTokens> m_tokens;
    std::unique_ptr<DestinationCheck> m_destinations;
    int m_cancellations = 0;
    bool m_isClosing = false;
};

Transport &Post::transport()
{
    if (!m_transport)
        m_transport = makeNetworkTransport(m_settings);
    return *m_transport;
}

AccessTokens &Post::tokens()
{
    if (!m_tokens)
        m_tokens = std::make_unique<AccessTokens>(transport(), m_clock);
    return *m_tokens;
}

DestinationCheck &Post::destinations()
{
    if (!m_destinations)
        m_destinations = std::make_unique<DestinationCheck>(m_settings.resolve);
    return *m_destinations;
}

AttemptResult notSent(Outcome outcome, const QString &code, const QString &text)
{
    AttemptResult result;
    result.outcome = outcome;
    result.code = code;
    result.text = text;
    result.left = false;
    return result;
}

AttemptResult cancelled()
{
    return notSent(Outcome::Transient, QStringLiteral("cancelled"), QStringLiteral("the engine was shutting down"));
}

QString unknownKind(const ProviderSettings &provider)
{
    return QStringLiteral("providers.%1.kind is not known; use one of: %2")
        .arg(provider.name, providerKindNames().join(QLatin1String(", ")));
}

Milliseconds Post::remaining(const Sending &sending) const
{
    return std::chrono::duration_cast<Milliseconds>(sending.ends - m_clock.ticks());
}

void Post::send(const ProviderSettings &provider, const std::vector<OutgoingItem> &items, const Sender::Done &done)
{
    const ProviderKind *kind = providerKind(provider.kind);
    const auto sending =
        std::make_shared<Sending>(Sending{kind, provider, items, done, m_clock.ticks() + provider.timeout, {}, {}});
    if (m_isClosing)
        return endUnsent(*sending, cancelled());
    if (items.empty() || !kind || !kind->request)
        return endUnsent(*sending,
                         notSent(Outcome::Configuration, QStringLiteral("unknown_kind"), unknownKind(provider)));
    Q_ASSERT(int(items.size()) <= kind->batch);
    if (!kind->tokenRequest)
        return checkDestination(sending);
    tokens().take(*kind, provider, provider.timeout, [this, sending](const AccessTokens::Taken &taken) {
        if (const auto *failure = std::get_if<AttemptResult>(&taken))
            return endUnsent(*sending, *failure);
        sending->token = std::get<QByteArray>(taken);
        checkDestination(sending);
    });
}

void Post::checkDestination(const SendingPointer &sending)
{
    if (!sending->kind->checksDestination)
        return post(sending);
    const auto rules = destinationRules(sending->provider.options);
    if (!rules)
        return endUnsent(*sending,
                         notSent(Outcome::Configuration, QStringLiteral("bad_option"), rules.error().message));
    destinations().check(sending->items.front().address, *rules, remaining(*sending),
                         [this, sending](const CheckedDestination &checked) {
                             if (checked.refusal)
                                 return endUnsent(*sending, *checked.refusal);
                             sending->addresses = checked.addresses;
                             post(sending);
                         });
}

// An address that took nothing says nothing about the next one. What may have left is never sent to another.
bool mayTryNextAddress(const HttpAnswer &answer)
{
    const bool isAboutAddress = answer.fault == Fault::NotConnected || answer.fault == Fault::Lost ||
                                answer.fault == Fault::Tls || answer.fault == Fault::Deadline;
    return isAboutAddress && !answer.left && answer.status == 0;
}

void Post::post(const SendingPointer &sending)
{
    if (m_isClosing)
        return endUnsent(*sending, cancelled());
    HttpRequest request = sending->kind->request(sending->provider, sending->items);
    if (!sending->token.isEmpty())
        request.headers.emplace_back("Authorization", "Bearer " + sending->token);
    if (!sending->addresses.isEmpty())
        request.pinnedAddress = sending->addresses.takeFirst();
    // One that swallows what is sent to it must leave time for the next ones.
    const Milliseconds share = remaining(*sending) / (sending->addresses.size() + 1);
    transport().post(request, share, [this, sending](const HttpAnswer &answer) {
        if (!sending->addresses.isEmpty() && mayTryNextAddress(answer) && remaining(*sending) > Milliseconds(0))
            return post(sending);
        answered(sending, answer);
    });
}

void Post::answered(const SendingPointer &sending, const HttpAnswer &answer)
{
    std::vector<AttemptResult> results =
        sending->kind->classify(sending->provider, sending->items, answer, m_clock.now());
    Q_ASSERT(results.size() == sending->items.size());
    if (!sending->token.isEmpty() && answer.status != 0)
        judgeToken(*sending, results);
    end(*sending, std::move(results));
}

void Post::judgeToken(const Sending &sending, std::vector<AttemptResult> &results)
{
    constexpr Milliseconds shortly{1'000};
    const bool isRefused = std::any_of(results.begin(), results.end(), refusesToken);
    if (!isRefused)
        return tokens().accepted(sending.provider, sending.token);
    const bool isWorthATry = tokens().refused(sending.provider, sending.token);
    for (AttemptResult &result : results) {
        if (isWorthATry && refusesToken(result)) {
            result.outcome = Outcome::Transient; // refused, so nothing was sent; the next attempt has a new token
            result.wait = shortly;
        }
    }
}

void Post::end(const Sending &sending, std::vector<AttemptResult> results)
{
    const QString token = QString::fromLatin1(sending.token);
    for (AttemptResult &result : results) {
        if (!token.isEmpty()) {
            result.code.replace(token, QStringLiteral("[secret]"), Qt::CaseInsensitive);
            result.text.replace(token, QStringLiteral("[secret]"), Qt::CaseInsensitive);
        }
        result.code = redacted(result.code, sending.provider, sending.items, maxCode);
        result.text = redacted(result.text, sending.provider, sending.items, maxProviderText);
    }
    sending.done(std::move(results));
}

void Post::endUnsent(const Sending &sending, const AttemptResult &result)
{
    end(sending, std::vector<AttemptResult>(sending.items.size(), result));
}

void Post::ask(const ProviderSettings &provider, const std::vector<OpenQuestion> &questions, const Sender::Found &done)
{
    const ProviderKind *kind = providerKind(provider.kind);
    const auto asking = std::make_shared<Asking>(Asking{kind, provider, questions, done, m_cancellations, {}, {}});
    if (m_isClosing)
        return endUnclear(asking, cancelled().text);
    if (!kind || !kind->ask || !kind->readFound)
        return endUnclear(asking,
                          kind ? QStringLiteral("this kind of provider can't be asked") : unknownKind(provider));
    if (!kind->tokenRequest)
        return askNext(asking);
    tokens().take(*kind, provider, provider.timeout, [this, asking](const AccessTokens::Taken &taken) {
        if (const auto *failure = std::get_if<AttemptResult>(&taken))
            return endUnclear(asking, failure->text);
        asking->token = std::get<QByteArray>(taken);
        askNext(asking);
    });
}

void Post::askNext(const AskingPointer &asking)
{
    const std::vector<OpenQuestion> part = asking->nextPart();
    if (part.empty())
        return asking->done(std::move(asking->found));
    if (m_isClosing || asking->cancellations != m_cancellations) // the part before was cancelled: so are the others
        return endUnclear(asking, cancelled().text);
    HttpRequest request = asking->kind->ask(asking->provider, part);
    if (!asking->token.isEmpty())
        request.headers.emplace_back("Authorization", "Bearer " + asking->token);
    transport().post(request, asking->provider.timeout, [this, asking, part](const HttpAnswer &answer) {
        take(asking, part, asking->kind->readFound(asking->provider, part, answer, m_clock.now()));
    });
}

void Post::take(const AskingPointer &asking, const std::vector<OpenQuestion> &part, std::vector<FoundMessage> found)
{
    Q_ASSERT(found.size() == part.size());
    for (size_t at = 0; at < found.size(); ++at) {
        const std::vector<OutgoingItem> item{{part[at].id, {}, part[at].address}};
        found[at].why = redacted(found[at].why, asking->provider, item, maxProviderText);
        if (auto &receipt = found[at].receipt) {
            receipt->detail = redacted(receipt->detail, asking->provider, item, maxProviderText);
            receipt->providerCode = redacted(receipt->providerCode, asking->provider, item, maxCode);
        }
        asking->found.push_back(std::move(found[at]));
    }
    askNext(asking);
}

void Post::endUnclear(const AskingPointer &asking, const QString &why)
{
    FoundMessage unclear;
    unclear.why = why;
    asking->found.resize(asking->questions.size(), unclear);
    asking->done(std::move(asking->found));
}

void Post::cancelAll()
{
    ++m_cancellations;
    // In the order of the steps, so that nothing that ends one of them begins the next.
    if (m_tokens)
        m_tokens->cancelAll();
    if (m_destinations)
        m_destinations->cancelAll();
    if (m_transport)
        m_transport->cancelAll();
}

void Post::close()
{
    m_isClosing = true;
    cancelAll();
    m_transport.reset(); // refuses what its callbacks post
    m_tokens.reset();
    m_destinations.reset();
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

    void ask(const ProviderSettings &provider, std::vector<OpenQuestion> questions, Found done) override
    {
        QMetaObject::invokeMethod(
            m_post,
            [post = m_post, provider, asked = std::move(questions), answered = std::move(done)] {
                post->ask(provider, asked, answered);
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
