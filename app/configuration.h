#pragma once
#include "app/configuration_problem.h"
#include "app/secrets.h"
#include "channel/http_sender.h"
#include "channel/provider_kind.h"
#include "domain/retry_policy.h"
#include "domain/settlement.h"
#include <QMap>
#include <QUrl>
#include <optional>
#include <vector>

namespace sendoff::app {

// sendoff.toml as values. Defaults are those of a file that leaves a key out. Plain values, any thread.

struct StoreConfiguration
{
    QString url; // "sqlite:/absolute/path" or "postgresql://…", never with a password
    SecretSource password;
    SecretSource addressKey; // keys the hashes of addresses; empty is allowed on embedded stores

    bool isEmbedded() const { return url.startsWith(QLatin1String("sqlite:")); }
};

struct EngineConfiguration
{
    QString name; // empty: the program takes host name and process id
    Milliseconds lease{60'000};
    Milliseconds sweep{30'000};
    int batch = 50;
    Milliseconds drain{25'000};
};

struct HttpToken
{
    QString name;
    QString role;
    QByteArray hash; // SHA-256 of the token, 64 hex digits, lower case
};

struct HttpConfiguration
{
    QString host = QStringLiteral("127.0.0.1");
    quint16 port = 8025; // 0: any free one
    QUrl publicUrl;      // empty: none
    std::vector<HttpToken> tokens;
};

struct CataloguePaths
{
    QString catalogue; // both absolute
    QString templates;
};

// The keys of a [….retry] table that stand there; the others come from the level below.
struct RetryOverride
{
    std::optional<Milliseconds> base;
    std::optional<Milliseconds> max;
    std::optional<int> attempts;
    std::optional<double> jitter;
    std::optional<Milliseconds> maxWait;

    RetryPolicy over(RetryPolicy policy) const;
};

struct Objective
{
    double share = 0.99;
    Milliseconds within{60'000};
};

struct LaneConfiguration
{
    double reserve = 0; // share of each bucket that other lanes leave to this one
    std::optional<Objective> objective;
    OnUnknown onUnknown = OnUnknown::Retry;
    RetryOverride retry;
};

struct ProviderConfiguration
{
    channel::ProviderSettings settings; // without secrets until resolveSecrets()
    SecretSource apiKey;
    std::vector<SecretSource> webhookSecrets;
    std::vector<Secret> webhookKeys; // filled by resolveSecrets()
    std::vector<SecretSource> signingSecrets;
    double rate = 5;                 // per second
    int burst = 1;
    double retryShare = 0.5;
    qint64 dailyLimit = 0;   // messages a UTC day, 0: no limit
    qint64 monthlyLimit = 0; // messages a UTC month, 0: no limit
    double cost = 0;         // of one message, in the account's currency; 0: not stated
    int priority = 1; // failover order inside the channel, 1 first
    RetryOverride retry;
};

struct RetentionConfiguration
{
    Milliseconds content{7LL * 86'400'000};
    Milliseconds records{400LL * 86'400'000};
    Milliseconds operations{1095LL * 86'400'000};
};

struct HttpClientConfiguration
{
    QString transport = QStringLiteral("qt");
    QUrl proxy; // empty: direct connections
    bool proxyFromEnvironment = false;
    SecretSource proxyPassword;
    QString caFile;            // absolute; empty: none
    QByteArray caCertificates; // its content, PEM, trusted beside the system's
};

struct LogConfiguration
{
    QString format = QStringLiteral("text");
    QString level = QStringLiteral("info");
};

struct Configuration
{
    QString file; // absolute
    StoreConfiguration store;
    EngineConfiguration engine;
    std::optional<HttpConfiguration> http; // nothing: no HTTP server
    CataloguePaths catalogue;
    RetryPolicy retry;
    QMap<Lane, LaneConfiguration> lanes;          // all three
    std::vector<ProviderConfiguration> providers; // by channel and priority
    RetentionConfiguration retention;
    HttpClientConfiguration httpClient;
    LogConfiguration log;

    const ProviderConfiguration *provider(const QString &name) const; // nullptr: none
    // The policy for a provider's deliveries in a lane: [retry], over it the lane's, over it the provider's.
    RetryPolicy retryFor(const QString &providerName, Lane lane) const;
};

// What the attempt itself needs beside the provider's timeout: rendering, the last read and settling.
constexpr Milliseconds leaseMargin{5'000};

// The first of: the path given on the command line, $SENDOFF_CONFIG, ./sendoff.toml, /etc/sendoff/sendoff.toml. A path
// that somebody named must exist. NotFound lists where it was looked for.
Result<QString> findConfiguration(const QString &named, const QProcessEnvironment &environment,
                                  const QString &folder = QStringLiteral("."));

// Reads and checks a file; all mistakes at once. Touches neither the store nor any secret.
Loaded<Configuration> loadConfiguration(const QString &path);

// What resolving the secrets of a configuration gives: the store's password, the address key, the proxy's password
// and, inside `configuration`, every provider's key and webhook keys.
struct ResolvedSecrets
{
    Configuration configuration;
    Secret storePassword;
    Secret addressKey;
    Secret proxyPassword;

    // All of them, for the log's redaction.
    std::vector<Secret> all() const;
};
Loaded<ResolvedSecrets> resolveSecrets(const Configuration &configuration, const SecretReaders &readers);

} // namespace sendoff::app
