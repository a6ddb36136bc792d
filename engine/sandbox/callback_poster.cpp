#include "sandbox/callback_poster.h"

#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QTimer>
#include <algorithm>

namespace sendoff::sandbox {

namespace {

using Steady = std::chrono::steady_clock;

constexpr Milliseconds patience{15'000}; // as Svix and Twilio have it

// The first waits of each; what comes hours later nobody waits for here.
std::vector<Milliseconds> usualRetries(const QString &provider)
{
    using std::chrono::minutes;
    using std::chrono::seconds;
    if (provider == QLatin1String("resend"))
        return {seconds(5), minutes(5), minutes(30)};
    if (provider == QLatin1String("twilio"))
        return {Milliseconds(0)};
    return {minutes(1), minutes(5)};
}

// Twilio asks again only where it got no answer, Postmark never after a 403.
bool isFinal(const QString &provider, int status)
{
    return (status >= 200 && status < 300) || (provider == QLatin1String("postmark") && status == 403) ||
           (provider == QLatin1String("twilio") && status != 0);
}

// Twilio's status goes to the address that came with the message; a target's own address stands before a proxy, so the
// signature still covers the other one.
std::pair<QByteArray, QByteArray> addressesOf(const AcceptedMessage &message, const CallbackTarget &target)
{
    if (message.provider != QLatin1String("twilio"))
        return {target.url, target.url};
    const QByteArray asked = message.callbackUrl.split('#').front();
    if (target.url.isEmpty() || asked.isEmpty())
        return {asked, asked};
    const qsizetype query = asked.indexOf('?');
    return {query < 0 ? target.url : target.url + asked.mid(query), asked};
}

} // namespace

struct CallbackPoster::Run
{
    AcceptedMessage message;
    CallbackTarget target;
    CallbackSteps steps; // by their time
    size_t next = 0;
    int left = 0; // how often the current one is still to be posted
    std::shared_ptr<Callback> current;
    Steady::time_point began = Steady::now();
    quint64 generation = 0;
};

struct CallbackPoster::Callback
{
    QString provider;
    QByteArray url;
    QByteArray signedUrl;
    QByteArray secret;
    CallbackMessage message;
    std::vector<Milliseconds> retries;
    size_t attempts = 0;
    quint64 generation = 0;
};

CallbackPoster::CallbackPoster(const Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
{}

CallbackPoster::~CallbackPoster() = default;

QByteArray CallbackPoster::sendgridKey()
{
    if (!m_key)
        m_key = std::make_unique<EventKey>();
    return m_key->publicKey();
}

void CallbackPoster::forget()
{
    ++m_generation;
    m_counts = {};
}

void CallbackPoster::plan(const AcceptedMessage &message, const std::optional<CallbackSteps> &steps)
{
    const auto target = m_targets.constFind(message.provider);
    if (target == m_targets.constEnd())
        return;
    const CallbackSteps &chosen = steps ? *steps : target->steps;
    if (message.provider != QLatin1String("postmark")) {
        start(message, *target, chosen);
        return;
    }
    for (const QString &recipient : message.to.split(u',', Qt::SkipEmptyParts)) { // Postmark has a record for each
        AcceptedMessage one = message;
        one.to = recipient.trimmed();
        start(one, *target, chosen);
    }
}

void CallbackPoster::start(const AcceptedMessage &message, const CallbackTarget &target, const CallbackSteps &steps)
{
    if (addressesOf(message, target).first.isEmpty())
        return;
    const auto run = std::make_shared<Run>();
    run->message = message;
    run->target = target;
    run->generation = m_generation;
    for (const CallbackStep &step : steps) {
        if (callbackMessage(message, step, 0, m_clock.now())) {
            run->steps.push_back(step);
            m_counts.waiting += step.times;
        }
    }
    std::stable_sort(run->steps.begin(), run->steps.end(),
                     [](const CallbackStep &one, const CallbackStep &other) { return one.after < other.after; });
    advance(run);
}

void CallbackPoster::advance(const std::shared_ptr<Run> &run)
{
    if (run->generation != m_generation)
        return;
    if (run->left == 0) {
        if (run->next == run->steps.size())
            return;
        run->current.reset();
        run->left = run->steps[run->next++].times;
    }
    const auto passed = std::chrono::duration_cast<Milliseconds>(Steady::now() - run->began);
    const Milliseconds wait = std::max(Milliseconds(0), run->steps[run->next - 1].after - passed);
    QTimer::singleShot(wait, Qt::PreciseTimer, this, [this, run] { send(run); });
}

void CallbackPoster::send(const std::shared_ptr<Run> &run)
{
    if (run->generation != m_generation)
        return;
    if (!run->current) {
        const auto callback = std::make_shared<Callback>();
        const CallbackStep &step = run->steps[run->next - 1];
        callback->provider = run->message.provider;
        std::tie(callback->url, callback->signedUrl) = addressesOf(run->message, run->target);
        callback->secret = run->target.secret;
        callback->message = callbackMessage(run->message, step, ++m_numbers, m_clock.now()).value_or(CallbackMessage{});
        callback->retries = run->target.retries.value_or(usualRetries(callback->provider));
        callback->generation = run->generation;
        run->current = callback;
    }
    --run->left;
    post(std::make_shared<Callback>(*run->current), [this, run] { advance(run); });
}

void CallbackPoster::post(const std::shared_ptr<Callback> &callback, const std::function<void()> &then)
{
    if (callback->generation != m_generation)
        return;
    if (!m_network) {
        m_network = std::make_unique<QNetworkAccessManager>();
        m_network->setProxy(QNetworkProxy::NoProxy);
    }
    ++m_counts.posted;
    ++callback->attempts;
    QNetworkReply *reply = m_network->post(requestOf(*callback), callback->message.body);
    connect(reply, &QNetworkReply::finished, this, [this, reply, callback, then] {
        const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
        reply->deleteLater();
        if (callback->generation != m_generation)
            return;
        finish(callback, status);
        Q_EMIT posted(callback->provider, status);
        if (then)
            then();
    });
}

void CallbackPoster::finish(const std::shared_ptr<Callback> &callback, int status)
{
    const bool isAccepted = status >= 200 && status < 300;
    ++(isAccepted ? m_counts.accepted : status == 0 ? m_counts.unanswered : m_counts.refused);
    if (isFinal(callback->provider, status) || callback->attempts > callback->retries.size()) {
        --m_counts.waiting;
        m_counts.givenUp += isAccepted ? 0 : 1;
        return;
    }
    QTimer::singleShot(callback->retries[callback->attempts - 1], this, [this, callback] { post(callback, {}); });
}

QNetworkRequest CallbackPoster::requestOf(const Callback &callback)
{
    QNetworkRequest request(QUrl::fromEncoded(callback.url));
    request.setTransferTimeout(int(patience.count()));
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    request.setHeader(QNetworkRequest::ContentTypeHeader, callback.message.contentType);
    request.setHeader(QNetworkRequest::UserAgentHeader, QStringLiteral("sendoff-sandbox"));
    const CallbackMessage &message = callback.message;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(m_clock.now()).time_since_epoch();
    const QByteArray timestamp = QByteArray::number(qint64(seconds.count())); // of this attempt
    if (callback.provider == QLatin1String("resend")) {
        request.setRawHeader("svix-id", message.id);
        request.setRawHeader("svix-timestamp", timestamp);
        request.setRawHeader("svix-signature", svixSignature(callback.secret, message.id, timestamp, message.body));
    } else if (callback.provider == QLatin1String("sendgrid")) {
        if (!m_key)
            m_key = std::make_unique<EventKey>();
        request.setRawHeader("X-Twilio-Email-Event-Webhook-Timestamp", timestamp);
        request.setRawHeader("X-Twilio-Email-Event-Webhook-Signature", m_key->signature(timestamp + message.body));
    } else if (callback.provider == QLatin1String("postmark")) {
        request.setRawHeader("Authorization", "Basic " + callback.secret.toBase64());
    } else {
        request.setRawHeader("X-Twilio-Signature", twilioSignature(callback.secret, callback.signedUrl, message.body));
    }
    return request;
}

} // namespace sendoff::sandbox
