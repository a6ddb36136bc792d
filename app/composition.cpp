#include "app/composition.h"

#include "admin/operation_executor.h"
#include "channel/sender_router.h"

#include <QCoreApplication>
#include <QSet>
#include <QSysInfo>

namespace sendoff::app {

namespace {

std::optional<RetryPolicy> overridden(const RetryOverride &keys, const RetryPolicy &policy)
{
    const bool isSet = keys.base || keys.max || keys.attempts || keys.jitter || keys.maxWait;
    return isSet ? std::optional(keys.over(policy)) : std::nullopt;
}

QString engineName(const EngineConfiguration &engine)
{
    if (!engine.name.isEmpty())
        return engine.name;
    return QStringLiteral("%1-%2").arg(QSysInfo::machineHostName()).arg(QCoreApplication::applicationPid());
}

dispatch::ProviderRules providerRules(const ProviderConfiguration &provider, const RetryPolicy &policy)
{
    dispatch::ProviderRules rules;
    rules.settings = provider.settings;
    rules.ratePerSecond = provider.rate;
    rules.burst = provider.burst;
    rules.priority = provider.priority;
    rules.retryShare = provider.retryShare;
    rules.dailyLimit = provider.dailyLimit;
    rules.monthlyLimit = provider.monthlyLimit;
    rules.cost = provider.cost;
    rules.retry = overridden(provider.retry, policy);
    return rules;
}

} // namespace

channel::TransportSettings transportSettings(const ResolvedSecrets &secrets)
{
    const HttpClientConfiguration &client = secrets.configuration.httpClient;
    channel::TransportSettings settings;
    settings.proxy = client.proxy;
    if (!secrets.proxyPassword.isEmpty())
        settings.proxy.setPassword(QString::fromUtf8(secrets.proxyPassword.reveal()));
    settings.proxyFromEnvironment = client.proxyFromEnvironment;
    settings.caCertificates = client.caCertificates;
    return settings;
}

dispatch::EngineSettings engineSettings(const ResolvedSecrets &secrets, bool untilIdle)
{
    const Configuration &configuration = secrets.configuration;
    dispatch::EngineSettings settings;
    settings.name = engineName(configuration.engine);
    settings.version = QStringLiteral(SENDOFF_VERSION);
    settings.lease = configuration.engine.lease;
    settings.sweep = configuration.engine.sweep;
    settings.drain = configuration.engine.drain;
    settings.batch = configuration.engine.batch;
    settings.retry = configuration.retry;
    for (auto lane = configuration.lanes.cbegin(); lane != configuration.lanes.cend(); ++lane) {
        settings.lanes.insert(lane.key(),
                              {lane->reserve, lane->onUnknown, overridden(lane->retry, configuration.retry)});
    }
    for (const ProviderConfiguration &provider : configuration.providers)
        settings.providers.push_back(providerRules(provider, configuration.retry));
    settings.hashKey = secrets.addressKey.reveal();
    settings.untilIdle = untilIdle;
    return settings;
}

std::vector<ConfigurationProblem> problemsTogether(const ResolvedSecrets &secrets, const Catalogue &catalogue)
{
    const Configuration &configuration = secrets.configuration;
    std::vector<ConfigurationProblem> problems;
    if (const Result<void> usable = channel::checkTransport(transportSettings(secrets)); !usable)
        problems.push_back({configuration.file, 0, QStringLiteral("http_client"), usable.error().message, false});
    QSet<Channel> carried{Channel::Inbox};
    for (const ProviderConfiguration &provider : configuration.providers)
        carried.insert(provider.settings.channel);
    for (const EventType &type : catalogue.types) {
        for (const NotifyRule &rule : type.notify) {
            for (const Channel channel : rule.channels) {
                if (carried.contains(channel))
                    continue;
                carried.insert(channel); // once is enough
                problems.push_back({configuration.file, 0, QStringLiteral("providers"),
                                    QStringLiteral("event type %1 notifies by %2, and no provider carries it; add a "
                                                   "[providers.NAME] of that channel")
                                        .arg(type.type, toText(channel)),
                                    true});
            }
        }
    }
    return problems;
}

EngineComposition::EngineComposition(const ResolvedSecrets &secrets, bool untilIdle)
    : m_sender(channel::makeSender(transportSettings(secrets)))
    , m_executor(std::make_unique<admin::OperationExecutor>(secrets.addressKey.reveal()))
    , m_engine(std::make_unique<dispatch::Engine>(engineSettings(secrets, untilIdle), *m_sender, m_clock))
{
    m_engine->addRound([this](store::Database &database) { return m_executor->runOnce(database); });
}

EngineComposition::~EngineComposition() = default;

} // namespace sendoff::app
