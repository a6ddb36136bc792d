#include "app/provider_tables.h"

#include <QHostAddress>
#include <QRegularExpression>
#include <algorithm>

namespace sendoff::app {

namespace {

using namespace std::chrono_literals;

// kind and channel, which must agree. nullptr where the kind is not known.
const channel::ProviderKind *readKind(TomlTable &table, channel::ProviderSettings &settings)
{
    const auto kind = table.word("kind", channel::providerKindNames());
    table.missing("kind", QStringLiteral("write one of: ") + channel::providerKindNames().join(QLatin1String(", ")));
    QStringList channels;
    for (const Channel each : {Channel::Email, Channel::Sms, Channel::Push, Channel::Webhook})
        channels += toText(each);
    const auto word = table.word("channel", channels);
    const channel::ProviderKind *known = kind ? channel::providerKind(*kind) : nullptr;
    if (!known)
        return nullptr;
    settings.kind = *kind;
    settings.channel = known->channel;
    if (known->anyChannel) {
        table.missing("channel", QStringLiteral("kind \"%1\" can carry any; write one of: %2")
                                     .arg(*kind, channels.join(QLatin1String(", "))));
        if (word)
            settings.channel = fromText<Channel>(*word).value_or(known->channel);
    } else if (word && *word != toText(known->channel)) {
        table.problem(
            "channel",
            QStringLiteral("must be \"%1\": that is what kind \"%2\" carries").arg(toText(known->channel), *kind));
    }
    return known;
}

bool isOption(const QString &name, const QStringList &known)
{
    return std::any_of(known.begin(), known.end(), [&name](const QString &each) {
        return name == each || (each.endsWith(u'.') && name.startsWith(each));
    });
}

// Whether [options.NAME] is a table: something below it is an option.
bool isOptionTable(const QString &name, const QStringList &known)
{
    return std::any_of(known.begin(), known.end(),
                       [&name](const QString &each) { return each.startsWith(name + u'.'); });
}

// Tables inside are flattened: [options.regions] eu = "x" is the option "regions.eu".
void readOptions(TomlTable &options, const QString &prefix, const QStringList &known,
                 channel::ProviderSettings &settings)
{
    for (const QString &key : options.keys()) {
        const QString name = prefix + key;
        const QByteArray plain = key.toUtf8();
        if (isOptionTable(name, known)) {
            if (auto inner = options.table(plain.constData()))
                readOptions(*inner, name + u'.', known, settings);
        } else if (isOption(name, known)) {
            take(settings.options[name], options.scalar(key));
        } else {
            const QString nearest = nearestWord(name, known);
            const QString list = known.isEmpty() ? QStringLiteral("it has none") : known.join(QLatin1String(", "));
            options.problem(plain.constData(),
                            QStringLiteral("is no option of kind \"%1\"; known: %2%3")
                                .arg(settings.kind, list,
                                     nearest.isEmpty() ? QString() : QStringLiteral("; do you mean %1?").arg(nearest)));
        }
    }
}

// What only the kind knows of its settings. Its text begins with the key at fault. The secrets are not known before
// they are resolved: what it says of them is said then.
void checkKind(TomlTable &table, const channel::ProviderKind &kind, const channel::ProviderSettings &settings)
{
    if (!kind.check)
        return;
    const Result<void> checked = kind.check(settings);
    if (checked)
        return;
    QString key = checked.error().message.section(u' ', 0, 0);
    if (key.endsWith(u':'))
        key.chop(1);
    const bool isSecret = key == QLatin1String("api_key") || key.endsWith(QLatin1String("_secrets"));
    const bool isKnown = key == QLatin1String("base_url") && settings.baseUrl.isEmpty(); // it has a problem already
    if (isSecret || isKnown)
        return;
    table.problem(key.toUtf8().constData(), checked.error().message.section(u' ', 1));
}

// The address of an SMTP server; the table's own reader knows http alone.
std::optional<QUrl> smtpUrl(TomlTable &table)
{
    const auto text = table.text("base_url");
    if (!text)
        return std::nullopt;
    const QUrl url(*text, QUrl::StrictMode);
    const bool isSmtp = url.scheme() == QLatin1String("smtp") || url.scheme() == QLatin1String("smtps");
    if (url.isValid() && isSmtp && !url.host().isEmpty() && url.userInfo().isEmpty())
        return url;
    table.problem("base_url", QStringLiteral("must be smtp://HOST or smtps://HOST, with :PORT where it is another than "
                                             "usual, and without user and password"));
    return std::nullopt;
}

void readAddressing(TomlTable &table, ProviderConfiguration &provider, const channel::ProviderKind *kind)
{
    channel::ProviderSettings &settings = provider.settings;
    take(settings.from, table.text("from"));
    if (kind && kind->needsFrom)
        table.missing("from", QStringLiteral("write from = \"Name <no-reply@example.com>\""));
    const bool isSmtp = kind && kind->wire == channel::Wire::Smtp;
    if (const auto url = isSmtp ? smtpUrl(table) : table.url("base_url"))
        settings.baseUrl = *url;
    else if (kind && !kind->defaultBaseUrl.isEmpty())
        settings.baseUrl = QUrl(kind->defaultBaseUrl);
    else if (kind && !kind->checksDestination) // there the address of each delivery is the whole address
        table.missing("base_url", QStringLiteral("write the address of the provider's API"));
    if (settings.baseUrl.scheme() == QLatin1String("http") && !isLoopback(settings.baseUrl))
        table.warning("base_url", QStringLiteral("is not encrypted; the key and the messages can be read on the way"));
    take(provider.apiKey, table.secret("api_key"));
    if (kind && kind->needsKey)
        table.missing("api_key", QStringLiteral("write api_key = { env = \"NAME\" } or { file = \"PATH\" }"));
    provider.webhookSecrets = table.secrets("webhook_secrets");
    provider.signingSecrets = table.secrets("signing_secrets");
    auto options = table.table("options");
    if (options && kind)
        readOptions(*options, QString(), kind->optionNames, settings);
}

void readLimits(TomlTable &table, ProviderConfiguration &provider, const channel::ProviderKind *kind)
{
    const double limit = kind ? kind->documentedLimit : 0; // 0: none that could be kept
    if (limit > 0)
        provider.burst = std::max(1, int(limit / 6));
    const auto burst = table.integer("burst", 1, 100'000);
    take(provider.burst, burst);
    if (limit > 0) // together within the provider's limit
        provider.rate = std::max(1.0, limit - provider.burst);
    const auto rate = table.rate("rate");
    take(provider.rate, rate);
    const bool isUsable = (rate || !table.has("rate")) && (burst || !table.has("burst"));
    if (limit > 0 && isUsable && provider.rate + provider.burst > limit) {
        table.warning("rate",
                      QStringLiteral("and burst together may send %1 messages in one second; %2 allows %3 by its "
                                     "documents and refuses the others, unless your account has more")
                          .arg(provider.rate + provider.burst)
                          .arg(provider.settings.kind)
                          .arg(limit));
    }
    take(provider.retryShare, table.number("retry_share", 0.01, 1));
    take(provider.dailyLimit, table.integer("daily", 1, 1'000'000'000));
    take(provider.monthlyLimit, table.integer("monthly", 1, 1'000'000'000));
    take(provider.cost, table.number("cost", 0, 1'000));
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
        const channel::ProviderKind *kind = readKind(table, provider.settings);
        readAddressing(table, provider, kind);
        readLimits(table, provider, kind);
        if (kind)
            checkKind(table, *kind, provider.settings);
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
