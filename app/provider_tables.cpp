#include "app/provider_tables.h"

#include <QHostAddress>
#include <QRegularExpression>

namespace sendoff::app {

namespace {

using namespace std::chrono_literals;

// What this file can default for the kinds that exist: address, the provider's own documented limit per second and
// whether it refuses requests without a key.
struct KindFacts
{
    const char *kind;
    const char *baseUrl;
    double hardLimit;
    bool needsKey;
};
constexpr KindFacts kindFacts[] = {{"resend", "https://api.resend.com", 5, true},
                                   {"expo", "https://exp.host", 600, false}};

const KindFacts *factsOf(const QString &kind)
{
    for (const KindFacts &facts : kindFacts) {
        if (kind == QLatin1String(facts.kind))
            return &facts;
    }
    return nullptr;
}

// kind and channel, which must agree.
void readKind(TomlTable &table, channel::ProviderSettings &settings)
{
    const auto kind = table.word("kind", channel::providerKindNames());
    table.missing("kind", QStringLiteral("write one of: ") + channel::providerKindNames().join(QLatin1String(", ")));
    QStringList channels;
    for (const Channel each : {Channel::Email, Channel::Sms, Channel::Push, Channel::Webhook})
        channels += toText(each);
    const auto word = table.word("channel", channels);
    const channel::ProviderKind *known = kind ? channel::providerKind(*kind) : nullptr;
    if (!known)
        return;
    settings.kind = *kind;
    settings.channel = known->channel;
    if (word && *word != toText(known->channel)) {
        table.problem(
            "channel",
            QStringLiteral("must be \"%1\": that is what kind \"%2\" carries").arg(toText(known->channel), *kind));
    }
}

void readAddressing(TomlTable &table, ProviderConfiguration &provider)
{
    channel::ProviderSettings &settings = provider.settings;
    const KindFacts *facts = factsOf(settings.kind);
    take(settings.from, table.text("from"));
    if (settings.channel == Channel::Email && !settings.kind.isEmpty())
        table.missing("from", QStringLiteral("write from = \"Name <no-reply@example.com>\""));
    if (const auto url = table.url("base_url"))
        settings.baseUrl = *url;
    else if (facts)
        settings.baseUrl = QUrl(QString::fromLatin1(facts->baseUrl));
    else if (!settings.kind.isEmpty())
        table.missing("base_url", QStringLiteral("write the address of the provider's API"));
    if (settings.baseUrl.scheme() == QLatin1String("http") && !isLoopback(settings.baseUrl))
        table.warning("base_url", QStringLiteral("is not encrypted; the key and the messages can be read on the way"));
    take(provider.apiKey, table.secret("api_key"));
    if (facts && facts->needsKey)
        table.missing("api_key", QStringLiteral("write api_key = { env = \"NAME\" } or { file = \"PATH\" }"));
    provider.webhookSecrets = table.secrets("webhook_secrets");
    if (auto options = table.table("options")) {
        for (const QString &key : options->keys())
            take(settings.options[key], options->scalar(key));
    }
}

void readLimits(TomlTable &table, ProviderConfiguration &provider)
{
    const KindFacts *facts = factsOf(provider.settings.kind);
    if (facts)
        provider.burst = std::max(1, int(facts->hardLimit / 6));
    const auto burst = table.integer("burst", 1, 100'000);
    take(provider.burst, burst);
    if (facts) // together within the provider's limit
        provider.rate = std::max(1.0, facts->hardLimit - provider.burst);
    const auto rate = table.rate("rate");
    take(provider.rate, rate);
    const bool isUsable = (rate || !table.has("rate")) && (burst || !table.has("burst"));
    if (facts && isUsable && provider.rate + provider.burst > facts->hardLimit) {
        table.warning("rate",
                      QStringLiteral("and burst together may send %1 messages in one second; %2 allows %3 by its "
                                     "documents and refuses the others, unless your account has more")
                          .arg(provider.rate + provider.burst)
                          .arg(provider.settings.kind)
                          .arg(facts->hardLimit));
    }
    take(provider.retryShare, table.number("retry_share", 0.01, 1));
    take(provider.settings.slotCount, table.integer("slots", 1, 10'000));
    take(provider.settings.timeout, table.duration("timeout", 100ms, 10min));
    take(provider.priority, table.integer("priority", 1, 1000));
    provider.retry = readRetry(table.table("retry"));
}

// Open case LEASE-02: a send that may outlast its lease would be handed to a second worker.
void checkLease(TomlTable &table, const ProviderConfiguration &provider, const EngineConfiguration &engine)
{
    if (provider.settings.timeout + leaseMargin <= engine.lease)
        return;
    table.problem("timeout",
                  QStringLiteral("(%1) does not fit into engine.lease (%2): providers.%3.timeout plus %4 must be at "
                                 "most engine.lease; lower the timeout or raise the lease")
                      .arg(formatDuration(provider.settings.timeout), formatDuration(engine.lease),
                           provider.settings.name, formatDuration(leaseMargin)));
}

} // namespace

bool isLoopback(const QUrl &url)
{
    return url.host() == QLatin1String("localhost") || QHostAddress(url.host()).isLoopback();
}

RetryOverride readRetry(std::optional<TomlTable> table)
{
    RetryOverride read;
    if (!table)
        return read;
    read.base = table->duration("base", 1ms, 24h);
    read.max = table->duration("max", 1ms, 30 * 24h);
    if (const auto attempts = table->integer("attempts", 1, 1000))
        read.attempts = int(*attempts);
    read.jitter = table->number("jitter", 0, 1);
    read.maxWait = table->duration("max_wait", 0ms, 30 * 24h);
    if (read.base && read.max && *read.base > *read.max)
        table->problem("base", QStringLiteral("is longer than max; make base the shorter one"));
    table->finish();
    return read;
}

std::vector<ProviderConfiguration> readProviders(TomlTable &root, const EngineConfiguration &engine)
{
    static const QRegularExpression name(QStringLiteral("^[a-z0-9][a-z0-9_-]{0,39}$"));
    std::vector<ProviderConfiguration> providers;
    QMap<std::pair<Channel, int>, QString> places;
    for (auto &[key, table] : root.namedTables("providers")) {
        ProviderConfiguration provider;
        provider.settings.name = key;
        if (!name.match(key).hasMatch()) {
            table.problem("kind",
                          QStringLiteral("belongs to a provider whose name has other characters than a-z, 0-9, - and _ "
                                         "or more than 40 of them; rename the table"));
        }
        readKind(table, provider.settings);
        readAddressing(table, provider);
        readLimits(table, provider);
        checkLease(table, provider, engine);
        table.finish();
        const std::pair place{provider.settings.channel, provider.priority};
        if (!provider.settings.kind.isEmpty() && places.contains(place)) {
            table.problem("priority",
                          QStringLiteral("is %1 like that of provider %2 on the same channel; give one of them "
                                         "another priority")
                              .arg(provider.priority)
                              .arg(places.value(place)));
        }
        places.insert(place, key);
        providers.push_back(std::move(provider));
    }
    std::stable_sort(providers.begin(), providers.end(), [](const auto &a, const auto &b) {
        return std::pair(a.settings.channel, a.priority) < std::pair(b.settings.channel, b.priority);
    });
    return providers;
}

} // namespace sendoff::app
