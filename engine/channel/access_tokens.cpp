#include "channel/access_tokens.h"

#include <QCryptographicHash>

namespace sendoff::channel {

namespace {

// So long before its end a token is not used any more: the request has to reach the provider within its life.
constexpr Milliseconds margin{5 * 60'000};

QByteArray keyOf(const ProviderSettings &provider)
{
    return provider.name.toUtf8() + '\n' + QCryptographicHash::hash(provider.apiKey, QCryptographicHash::Sha256);
}

AttemptResult notSent(const QString &code, const QString &text)
{
    AttemptResult result;
    result.outcome = Outcome::Transient;
    result.code = code;
    result.text = text;
    result.left = false;
    return result;
}

} // namespace

bool refusesToken(const AttemptResult &result)
{
    // The canonical name; a 401 with another one is about something else, as FCM's THIRD_PARTY_AUTH_ERROR.
    return result.status == 401 &&
           (result.code == QLatin1String("UNAUTHENTICATED") || result.code == QLatin1String("http_401"));
}

AccessTokens::AccessTokens(Transport &transport, const Clock &clock)
    : m_transport(transport)
    , m_clock(clock)
    , m_alive(std::make_shared<bool>(true))
{}

void AccessTokens::take(const ProviderKind &kind, const ProviderSettings &provider, Milliseconds deadline, Done done)
{
    const QByteArray key = keyOf(provider);
    Entry &entry = m_entries[key];
    if (!entry.token.isEmpty() && m_clock.ticks() < entry.renewal)
        return done(entry.token);
    const qint64 number = ++m_lastWaiter;
    auto timer = std::make_unique<QTimer>();
    timer->setSingleShot(true);
    connect(timer.get(), &QTimer::timeout, this, [this, key, number] {
        auto waiter = m_entries[key].waiters.extract(number);
        if (waiter.empty())
            return;
        waiter.mapped().timer.release()->deleteLater(); // it is what calls us
        waiter.mapped().done(
            notSent(QStringLiteral("token_timeout"), QStringLiteral("no access token came within the timeout")));
    });
    constexpr Milliseconds longest{24 * 3'600'000}; // a QTimer counts 32-bit milliseconds
    timer->start(std::clamp(deadline, Milliseconds(1), longest));
    entry.waiters.emplace(number, Waiter{std::move(done), std::move(timer)});
    if (!entry.isFetching)
        fetch(key, kind, provider);
}

void AccessTokens::fetch(const QByteArray &key, const ProviderKind &kind, const ProviderSettings &provider)
{
    m_entries[key].isFetching = true;
    const auto answered = [this, key, read = kind.readToken, alive = std::weak_ptr(m_alive)](const HttpAnswer &answer) {
        if (!alive.expired())
            fetched(key, read(answer, m_clock.now()));
    };
    m_transport.post(kind.tokenRequest(provider, m_clock.now()), provider.timeout, answered);
}

void AccessTokens::fetched(const QByteArray &key, const std::variant<ProviderKind::Token, AttemptResult> &given)
{
    Entry &entry = m_entries[key];
    entry.isFetching = false;
    if (const auto *token = std::get_if<ProviderKind::Token>(&given)) {
        entry.token = token->value;
        entry.hasWorked = false;
        entry.renewal = m_clock.ticks() + token->lifetime - std::min(margin, token->lifetime / 2);
        return answer(entry, token->value);
    }
    AttemptResult failure = std::get<AttemptResult>(given);
    failure.left = false; // the fetch may have left us, the message did not
    answer(entry, failure);
}

void AccessTokens::answer(Entry &entry, const Taken &taken)
{
    // Taken out first: a callback may take again.
    const auto waiters = std::exchange(entry.waiters, {});
    for (const auto &[number, waiter] : waiters)
        waiter.done(taken);
}

void AccessTokens::accepted(const ProviderSettings &provider, const QByteArray &token)
{
    Entry &entry = m_entries[keyOf(provider)];
    if (entry.token == token) {
        entry.hasWorked = true;
        entry.isReplacement = false;
    }
}

bool AccessTokens::refused(const ProviderSettings &provider, const QByteArray &token)
{
    Entry &entry = m_entries[keyOf(provider)];
    if (entry.token != token)
        return true; // it has been replaced meanwhile
    const bool isHopeless = entry.isReplacement && !entry.hasWorked;
    entry.token.clear();
    entry.isReplacement = true;
    return !isHopeless;
}

void AccessTokens::cancelAll()
{
    for (auto &[key, entry] : m_entries)
        answer(entry, notSent(QStringLiteral("cancelled"), QStringLiteral("the engine was shutting down")));
}

} // namespace sendoff::channel
