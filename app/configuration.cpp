#include "app/configuration.h"

#include "app/provider_tables.h"
#include "app/toml_table.h"

#include <QFile>
#include <QFileInfo>
#include <QHostAddress>
#include <QRegularExpression>

namespace sendoff::app {

namespace {

using namespace std::chrono_literals;

constexpr Milliseconds day = 24h;
constexpr Milliseconds tenYears = 3650 * day;

// A password anywhere in the URL; libpq takes it in the user part and as a parameter.
bool holdsPassword(const QString &url)
{
    const qsizetype start = url.indexOf(QLatin1String("://")) + 3;
    const qsizetype query = url.indexOf(u'?', start);
    const QString authority = url.mid(start, url.indexOf(QRegularExpression(QStringLiteral("[/?]")), start) - start);
    const qsizetype at = authority.lastIndexOf(u'@');
    if (at >= 0 && authority.left(at).contains(u':'))
        return true;
    static const QRegularExpression parameter(QStringLiteral("[?&](ssl)?pass(word|file)?="),
                                              QRegularExpression::CaseInsensitiveOption);
    return query >= 0 && url.mid(query).contains(parameter);
}

QString readStoreUrl(TomlTable &table, const TomlFile &file)
{
    const auto url = table.text("url");
    if (!url) {
        table.missing("url",
                      QStringLiteral("write url = \"sqlite:sendoff.db\" or url = \"postgresql://user@host/database\""));
        return {};
    }
    if (url->startsWith(QLatin1String("sqlite:"))) {
        const QString path = url->mid(7);
        if (path.trimmed().isEmpty() || path.contains(u'?'))
            table.problem("url", QStringLiteral("needs a file behind sqlite:, as in \"sqlite:sendoff.db\""));
        return QStringLiteral("sqlite:") + file.absolute(path);
    }
    if (!url->startsWith(QLatin1String("postgresql://")))
        table.problem("url", QStringLiteral("must start with sqlite: or postgresql://"));
    else if (holdsPassword(*url))
        table.problem("url",
                      QStringLiteral("must not hold a password; remove it and write password = { env = \"NAME\" } "
                                     "or { file = \"PATH\" }"));
    return *url;
}

StoreConfiguration readStore(TomlTable &root, const TomlFile &file)
{
    StoreConfiguration store;
    auto table = root.table("store");
    if (!table) {
        root.missing("store",
                     QStringLiteral("write [store] and url = \"sqlite:sendoff.db\" or a postgresql:// address"));
        return store;
    }
    store.url = readStoreUrl(*table, file);
    take(store.password, table->secret("password"));
    take(store.addressKey, table->secret("address_key"));
    if (store.url.startsWith(QLatin1String("postgresql:")) && !table->has("address_key"))
        table->warning("address_key",
                       QStringLiteral("is missing; without it the hashes of addresses in a shared store can be "
                                      "guessed; write address_key = { env = \"NAME\" }"));
    if (store.isEmbedded() && store.password.isSet())
        table->warning("password", QStringLiteral("is not used by an embedded store; remove it"));
    table->finish();
    return store;
}

EngineConfiguration readEngine(TomlTable &root)
{
    EngineConfiguration engine;
    auto table = root.table("engine");
    if (!table)
        return engine;
    take(engine.name, table->text("name"));
    take(engine.lease, table->duration("lease", 1s, 1h));
    take(engine.sweep, table->duration("sweep", 100ms, 1h));
    take(engine.batch, table->integer("batch", 1, 1000));
    take(engine.drain, table->duration("drain", 0ms, 10min));
    table->finish();
    return engine;
}

void readListen(TomlTable &table, HttpConfiguration &http)
{
    const auto listen = table.text("listen");
    if (!listen)
        return;
    const qsizetype colon = listen->lastIndexOf(u':');
    QString host = listen->left(std::max<qsizetype>(colon, 0));
    if (host.startsWith(u'[') && host.endsWith(u']'))
        host = host.mid(1, host.size() - 2);
    bool isPort = false;
    const quint16 port = listen->mid(colon + 1).toUShort(&isPort);
    if (colon < 0 || !isPort || (host != QLatin1String("localhost") && QHostAddress(host).isNull())) {
        table.problem("listen",
                      QStringLiteral("must be an IP address and a port, as in \"127.0.0.1:8025\" or \"[::1]:8025\""));
        return;
    }
    http.host = host;
    http.port = port;
}

HttpToken readToken(TomlTable &table)
{
    static const QStringList roles{QStringLiteral("producer"), QStringLiteral("viewer"), QStringLiteral("support"),
                                   QStringLiteral("operator"), QStringLiteral("admin")};
    static const QRegularExpression digest(QStringLiteral("^[0-9a-fA-F]{64}$"));
    HttpToken token;
    take(token.name, table.text("name"));
    table.missing("name", QStringLiteral("name who holds the token"));
    take(token.role, table.word("role", roles));
    table.missing("role", QStringLiteral("write one of: ") + roles.join(QLatin1String(", ")));
    const auto hash = table.text("hash");
    if (hash && !digest.match(*hash).hasMatch())
        table.problem("hash", QStringLiteral("must be the token's SHA-256 as 64 hex digits, never the token itself"));
    else if (hash)
        token.hash = hash->toLower().toLatin1();
    table.missing("hash", QStringLiteral("write the token's SHA-256 as 64 hex digits"));
    table.finish();
    return token;
}

std::optional<HttpConfiguration> readHttp(TomlTable &root)
{
    auto table = root.table("http");
    if (!table)
        return std::nullopt;
    HttpConfiguration http;
    readListen(*table, http);
    take(http.publicUrl, table->url("public_url"));
    if (http.publicUrl.scheme() == QLatin1String("http") && !isLoopback(http.publicUrl))
        table->warning("public_url", QStringLiteral("is not encrypted; one-click links in mail need https://"));
    QStringList names;
    for (TomlTable &each : table->tables("tokens")) {
        const HttpToken token = readToken(each);
        if (!token.name.isEmpty() && names.contains(token.name))
            each.problem("name", QStringLiteral("stands twice; each token has its own name"));
        names += token.name;
        http.tokens.push_back(token);
    }
    table->finish();
    return http;
}

CataloguePaths readCatalogue(TomlTable &root, const TomlFile &file)
{
    QString catalogue = QStringLiteral("catalogue.toml");
    QString templates = QStringLiteral("templates");
    if (auto table = root.table("catalogue")) {
        take(catalogue, table->text("path"));
        take(templates, table->text("templates"));
        table->finish();
    }
    return {file.absolute(catalogue), file.absolute(templates)};
}

LaneConfiguration laneDefault(Lane lane)
{
    LaneConfiguration configuration;
    if (lane == Lane::Urgent) {
        configuration.reserve = 0.2;
        configuration.objective = Objective();
    }
    if (lane == Lane::Bulk)
        configuration.onUnknown = OnUnknown::Hold;
    return configuration;
}

void readLane(TomlTable &table, LaneConfiguration &lane)
{
    take(lane.reserve, table.number("reserve", 0, 0.9));
    if (auto objective = table.table("objective")) {
        lane.objective = Objective();
        take(lane.objective->share, objective->number("share", 0.5, 1));
        take(lane.objective->within, objective->duration("within", 1s, day));
        objective->finish();
    }
    if (const auto word = table.word("on_unknown", {QStringLiteral("retry"), QStringLiteral("hold")}))
        lane.onUnknown = *word == QLatin1String("hold") ? OnUnknown::Hold : OnUnknown::Retry;
    lane.retry = readRetry(table.table("retry"));
    table.finish();
}

QMap<Lane, LaneConfiguration> readLanes(TomlTable &root)
{
    QMap<Lane, LaneConfiguration> lanes;
    auto table = root.table("lanes");
    double reserved = 0;
    for (const Lane lane : {Lane::Urgent, Lane::Normal, Lane::Bulk}) {
        lanes[lane] = laneDefault(lane);
        if (auto own = table ? table->table(toText(lane).data()) : std::nullopt)
            readLane(*own, lanes[lane]);
        reserved += lanes[lane].reserve;
    }
    if (reserved > 0.9)
        table->problem("urgent", QStringLiteral("and the other lanes reserve more than 0.9 together; lower a reserve"));
    if (table)
        table->finish();
    return lanes;
}

RetentionConfiguration readRetention(TomlTable &root)
{
    RetentionConfiguration retention;
    auto table = root.table("retention");
    if (!table)
        return retention;
    take(retention.content, table->duration("content", 1h, tenYears));
    take(retention.records, table->duration("records", day, tenYears));
    take(retention.operations, table->duration("operations", day, tenYears));
    if (retention.content > retention.records)
        table->problem("content",
                       QStringLiteral("is kept longer than the records it belongs to; lower it or raise records"));
    table->finish();
    return retention;
}

// Certificates to trust beside the system's: a company's own, or a stand-in's in tests.
void readCaFile(TomlTable &table, const TomlFile &file, HttpClientConfiguration &client)
{
    constexpr qint64 mostBytes = 4 * 1024 * 1024;
    const auto path = table.text("ca_file");
    if (!path)
        return;
    client.caFile = file.absolute(*path);
    QFile certificates(client.caFile);
    if (!QFileInfo(client.caFile).isFile() || !certificates.open(QIODevice::ReadOnly)) {
        table.problem(
            "ca_file",
            QStringLiteral("names %1, which can't be read; name a file of PEM certificates").arg(client.caFile));
        return;
    }
    client.caCertificates = certificates.read(mostBytes);
    if (!client.caCertificates.contains("-----BEGIN CERTIFICATE-----"))
        table.problem("ca_file", QStringLiteral("names a file without a PEM certificate; one begins with "
                                                "-----BEGIN CERTIFICATE-----"));
}

HttpClientConfiguration readHttpClient(TomlTable &root, const TomlFile &file)
{
    HttpClientConfiguration client;
    auto table = root.table("http_client");
    if (!table)
        return client;
    take(client.transport, table->word("transport", {QStringLiteral("qt")}));
    const auto proxy = table->text("proxy");
    if (proxy == QStringLiteral("environment"))
        client.proxyFromEnvironment = true;
    else if (proxy && *proxy != QLatin1String("none"))
        take(client.proxy, table->url("proxy"));
    if (proxy && !client.proxy.isEmpty() && client.proxy.port() < 0)
        table->problem("proxy", QStringLiteral("needs a port, as in \"http://proxy.example.com:3128\""));
    take(client.proxyPassword, table->secret("proxy_password"));
    readCaFile(*table, file, client);
    table->finish();
    return client;
}

LogConfiguration readLog(TomlTable &root)
{
    LogConfiguration log;
    auto table = root.table("log");
    if (!table)
        return log;
    take(log.format, table->word("format", {QStringLiteral("text"), QStringLiteral("json")}));
    take(log.level, table->word("level", {QStringLiteral("debug"), QStringLiteral("info"), QStringLiteral("warning"),
                                          QStringLiteral("error")}));
    table->finish();
    return log;
}

} // namespace

RetryPolicy RetryOverride::over(RetryPolicy policy) const
{
    take(policy.base, base);
    take(policy.max, max);
    take(policy.attempts, attempts);
    take(policy.jitter, jitter);
    take(policy.maxWait, maxWait);
    return policy;
}

const ProviderConfiguration *Configuration::provider(const QString &name) const
{
    const auto found = std::find_if(providers.cbegin(), providers.cend(),
                                    [&](const auto &each) { return each.settings.name == name; });
    return found == providers.cend() ? nullptr : &*found;
}

RetryPolicy Configuration::retryFor(const QString &providerName, Lane lane) const
{
    const RetryPolicy ofLane = lanes.value(lane).retry.over(retry);
    const ProviderConfiguration *found = provider(providerName);
    return found ? found->retry.over(ofLane) : ofLane;
}

Result<QString> findConfiguration(const QString &named, const QProcessEnvironment &environment, const QString &folder)
{
    const QString variable = environment.value(QStringLiteral("SENDOFF_CONFIG"));
    const QString given = named.isEmpty() ? variable : named;
    const QStringList places = given.isEmpty() ? QStringList{QDir(folder).filePath(QStringLiteral("sendoff.toml")),
                                                             QStringLiteral("/etc/sendoff/sendoff.toml")}
                                               : QStringList{given};
    for (const QString &place : places) {
        if (QFileInfo(place).isFile())
            return QFileInfo(place).absoluteFilePath();
    }
    const QString remedy = given.isEmpty()   ? QStringLiteral("create one or name it with --config")
                           : named.isEmpty() ? QStringLiteral("correct SENDOFF_CONFIG")
                                             : QStringLiteral("correct --config");
    return Error{ErrorCode::NotFound,
                 QStringLiteral("no configuration file at %1; %2").arg(places.join(QLatin1String(" or ")), remedy)};
}

Loaded<Configuration> loadConfiguration(const QString &path)
{
    TomlFile file = readToml(path);
    Configuration configuration;
    configuration.file = QFileInfo(path).absoluteFilePath();
    if (!file.problems.empty())
        return {configuration, file.problems};
    TomlTable root(file);
    configuration.store = readStore(root, file);
    configuration.engine = readEngine(root);
    configuration.http = readHttp(root);
    configuration.catalogue = readCatalogue(root, file);
    configuration.retry = readRetry(root.table("retry")).over(RetryPolicy());
    configuration.lanes = readLanes(root);
    configuration.providers = readProviders(root, configuration.engine);
    configuration.retention = readRetention(root);
    configuration.httpClient = readHttpClient(root, file);
    configuration.log = readLog(root);
    root.finish();
    file.sortProblems();
    return {configuration, file.problems};
}

std::vector<Secret> ResolvedSecrets::all() const
{
    std::vector<Secret> secrets{storePassword, addressKey, proxyPassword};
    for (const ProviderConfiguration &provider : configuration.providers) {
        secrets.push_back(Secret(provider.settings.apiKey));
        for (const auto &list : {provider.settings.webhookSecrets, provider.settings.signingSecrets}) {
            for (const QByteArray &secret : list)
                secrets.push_back(Secret(secret));
        }
    }
    std::erase_if(secrets, [](const Secret &secret) { return secret.isEmpty(); });
    return secrets;
}

// What a kind says of its secrets, once they are known. readProviders() has said the rest.
static void checkSecrets(const channel::ProviderSettings &settings, const QString &file,
                         std::vector<ConfigurationProblem> &problems)
{
    const channel::ProviderKind *kind = channel::providerKind(settings.kind);
    const Result<void> checked = kind && kind->check ? kind->check(settings) : Result<void>();
    if (checked)
        return;
    QString key = checked.error().message.section(u' ', 0, 0);
    if (key.endsWith(u':'))
        key.chop(1);
    if (key == QLatin1String("api_key") || key.endsWith(QLatin1String("_secrets")))
        problems.push_back({file, 0, QStringLiteral("providers.%1.%2").arg(settings.name, key),
                            checked.error().message.section(u' ', 1), false});
}

Loaded<ResolvedSecrets> resolveSecrets(const Configuration &configuration, const SecretReaders &readers)
{
    Loaded<ResolvedSecrets> loaded;
    loaded.value.configuration = configuration;
    const auto resolve = [&](const SecretSource &source, const QString &key) {
        if (!source.isSet())
            return Secret();
        const Result<Secret> secret = resolveSecret(source, readers);
        if (secret)
            return *secret;
        loaded.problems.push_back({configuration.file, 0, key, secret.error().message, false});
        return Secret();
    };
    loaded.value.storePassword = resolve(configuration.store.password, QStringLiteral("store.password"));
    loaded.value.addressKey = resolve(configuration.store.addressKey, QStringLiteral("store.address_key"));
    loaded.value.proxyPassword =
        resolve(configuration.httpClient.proxyPassword, QStringLiteral("http_client.proxy_password"));
    for (ProviderConfiguration &provider : loaded.value.configuration.providers) {
        const QString key = QStringLiteral("providers.") + provider.settings.name;
        const size_t before = loaded.problems.size();
        provider.settings.apiKey = resolve(provider.apiKey, key + QStringLiteral(".api_key")).reveal();
        for (const SecretSource &source : provider.webhookSecrets) {
            provider.webhookKeys.push_back(resolve(source, key + QStringLiteral(".webhook_secrets")));
            if (!provider.webhookKeys.back().isEmpty())
                provider.settings.webhookSecrets.push_back(provider.webhookKeys.back().reveal());
        }
        for (const SecretSource &source : provider.signingSecrets)
            provider.settings.signingSecrets.push_back(
                resolve(source, key + QStringLiteral(".signing_secrets")).reveal());
        if (configuration.http)
            provider.settings.publicUrl = configuration.http->publicUrl;
        if (loaded.problems.size() == before) // a secret that is not there is told already
            checkSecrets(provider.settings, configuration.file, loaded.problems);
    }
    return loaded;
}

} // namespace sendoff::app
