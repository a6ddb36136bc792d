#include "app/cli/configuration_json.h"

#include "app/cli/json.h"
#include "app/composition.h"

namespace sendoff::app {

namespace {

JsonValue shown(const SecretSource &source)
{
    switch (source.kind) {
    case SecretSource::Kind::None:
        return {};
    case SecretSource::Kind::Environment:
        return json(QStringLiteral("(secret from the environment variable %1)").arg(source.name));
    case SecretSource::Kind::File:
        return json(QStringLiteral("(secret from the file %1)").arg(source.name));
    case SecretSource::Kind::Credential:
        return json(QStringLiteral("(secret from the credential %1)").arg(source.name));
    case SecretSource::Kind::Keychain:
        return json(QStringLiteral("(secret from the keychain entry %1)").arg(source.name));
    }
    return {};
}

JsonValue duration(Milliseconds value)
{
    return json(formatDuration(value));
}

JsonValue shown(const RetryPolicy &policy)
{
    return JsonObject()
        .with("base", duration(policy.base))
        .with("max", duration(policy.max))
        .with("attempts", policy.attempts)
        .with("jitter", policy.jitter)
        .with("max_wait", duration(policy.maxWait));
}

JsonValue shown(const LaneConfiguration &lane, const RetryPolicy &policy)
{
    JsonObject object;
    object.with("reserve", lane.reserve)
        .with("on_unknown", json(QLatin1String(lane.onUnknown == OnUnknown::Hold ? "hold" : "retry")));
    if (lane.objective)
        object.with("objective",
                    JsonObject().with("share", lane.objective->share).with("within", duration(lane.objective->within)));
    return object.with("retry", shown(lane.retry.over(policy)));
}

JsonValue shown(const ProviderConfiguration &provider, const ResolvedSecrets &secrets)
{
    std::vector<JsonValue> webhookSecrets;
    for (const SecretSource &source : provider.webhookSecrets)
        webhookSecrets.push_back(shown(source));
    std::vector<JsonValue> signingSecrets;
    for (const SecretSource &source : provider.signingSecrets)
        signingSecrets.push_back(shown(source));
    const channel::ProviderSettings &settings = provider.settings;
    return JsonObject()
        .with("kind", settings.kind)
        .with("channel", settings.channel)
        .with("from", settings.from)
        .with("base_url", settings.baseUrl.toString(QUrl::RemoveUserInfo))
        .with("reached", channel::proxyForPeople(transportSettings(secrets), settings.baseUrl))
        .with("api_key", shown(provider.apiKey))
        .with("webhook_secrets", JsonValue::array(std::move(webhookSecrets)))
        .with("signing_secrets", JsonValue::array(std::move(signingSecrets)))
        .with("rate", QStringLiteral("%1/s").arg(provider.rate))
        .with("burst", provider.burst)
        .with("retry_share", provider.retryShare)
        .with("daily", provider.dailyLimit)
        .with("monthly", provider.monthlyLimit)
        .with("cost", provider.cost)
        .with("slots", settings.slotCount)
        .with("timeout", duration(settings.timeout))
        .with("priority", provider.priority)
        .with("retry", shown(provider.retry.over(secrets.configuration.retry)));
}

JsonValue shown(const HttpConfiguration &http)
{
    std::vector<JsonValue> tokens;
    for (const HttpToken &token : http.tokens)
        tokens.push_back(JsonObject().with("name", token.name).with("role", token.role));
    return JsonObject()
        .with("listen", QStringLiteral("%1:%2").arg(http.host).arg(http.port))
        .with("public_url", http.publicUrl.toString(QUrl::RemoveUserInfo))
        .with("tokens", JsonValue::array(std::move(tokens)));
}

JsonValue shown(const HttpClientConfiguration &client)
{
    const QUrl proxy = client.proxy;
    return JsonObject()
        .with("transport", client.transport)
        .with("proxy", proxy.isEmpty() ? JsonValue() : json(proxy.toString(QUrl::RemovePassword)))
        .with("ca_file", client.caFile)
        .with("proxy_from_environment", client.proxyFromEnvironment)
        .with("proxy_password", shown(client.proxyPassword));
}

JsonValue object(std::vector<JsonValue::Member> members)
{
    return JsonValue::object(std::move(members));
}

void flatten(const JsonValue &value, const QString &path, QStringList &lines)
{
    if (value.kind() == JsonValue::Kind::Object) {
        for (const auto &[name, member] : value.members())
            flatten(member, path.isEmpty() ? name : path + u'.' + name, lines);
        return;
    }
    if (value.kind() == JsonValue::Kind::Array) {
        for (size_t at = 0; at < value.items().size(); ++at)
            flatten(value.items()[at], QStringLiteral("%1[%2]").arg(path).arg(at), lines);
        return;
    }
    lines += QStringLiteral("%1 = %2").arg(path, value.isNull() ? QStringLiteral("(none)") : value.text());
}

} // namespace

JsonValue effectiveConfiguration(const ResolvedSecrets &secrets)
{
    const Configuration &configuration = secrets.configuration;
    std::vector<JsonValue::Member> lanes;
    for (auto lane = configuration.lanes.cbegin(); lane != configuration.lanes.cend(); ++lane)
        lanes.emplace_back(toText(lane.key()), shown(*lane, configuration.retry));
    std::vector<JsonValue::Member> providers;
    for (const ProviderConfiguration &provider : configuration.providers)
        providers.emplace_back(provider.settings.name, shown(provider, secrets));
    const EngineConfiguration &engine = configuration.engine;
    return JsonObject()
        .with("file", configuration.file)
        .with("store", JsonObject()
                           .with("url", configuration.store.url)
                           .with("password", shown(configuration.store.password))
                           .with("address_key", shown(configuration.store.addressKey)))
        .with("engine", JsonObject()
                            .with("name", engineSettings(secrets, false).name)
                            .with("lease", duration(engine.lease))
                            .with("sweep", duration(engine.sweep))
                            .with("batch", engine.batch)
                            .with("drain", duration(engine.drain)))
        .with("http", configuration.http ? shown(*configuration.http) : JsonValue())
        .with("http_client", shown(configuration.httpClient))
        .with("catalogue", JsonObject()
                               .with("path", configuration.catalogue.catalogue)
                               .with("templates", configuration.catalogue.templates))
        .with("retry", shown(configuration.retry))
        .with("lanes", object(std::move(lanes)))
        .with("providers", object(std::move(providers)))
        .with("retention", JsonObject()
                               .with("content", duration(configuration.retention.content))
                               .with("records", duration(configuration.retention.records))
                               .with("operations", duration(configuration.retention.operations)))
        .with("log", JsonObject().with("format", configuration.log.format).with("level", configuration.log.level));
}

QStringList flattened(const JsonValue &document)
{
    QStringList lines;
    flatten(document, QString(), lines);
    return lines;
}

} // namespace sendoff::app
