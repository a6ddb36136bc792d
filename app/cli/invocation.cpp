#include "app/cli/invocation.h"

#include "admin/store_console.h"
#include "app/cli/arguments.h"
#include "store/migrator.h"

#include <QFileInfo>

namespace sendoff::app {

Invocation::Invocation(CommonOptions options)
    : m_options(std::move(options))
    , m_output(m_options.isJson)
{}

QString linesOf(const std::vector<ConfigurationProblem> &problems)
{
    QStringList lines;
    for (const ConfigurationProblem &problem : problems)
        lines += toText(problem);
    return lines.join(u'\n');
}

Result<QString> Invocation::configurationPath() const
{
    Result<QString> path =
        findConfiguration(QString::fromStdString(m_options.config), QProcessEnvironment::systemEnvironment());
    if (!path)
        return Error{ErrorCode::Invalid, path.error().message};
    return path;
}

Result<const Configuration *> Invocation::configuration()
{
    if (m_configuration)
        return &*m_configuration;
    const Result<QString> path = configurationPath();
    if (!path)
        return path.error();
    Loaded<Configuration> loaded = loadConfiguration(*path);
    if (!loaded.ok())
        return Error{ErrorCode::Invalid, linesOf(loaded.problems)};
    m_configuration = std::move(loaded.value);
    return &*m_configuration;
}

Result<Invocation::StoreAccess> Invocation::storeAccess()
{
    QString password;
    QString text = QString::fromStdString(m_options.store);
    if (text.isEmpty()) {
        const auto loaded = configuration();
        if (!loaded)
            return loaded.error();
        const StoreConfiguration &store = (*loaded)->store;
        text = store.url;
        // Only this secret: a person who looks at the queue need not hold the providers' keys.
        if (store.password.isSet()) {
            const Result<Secret> secret = resolveSecret(store.password, SecretReaders::ofThisProcess());
            if (!secret)
                return Error{ErrorCode::Invalid, QStringLiteral("store.password: %1").arg(secret.error().message)};
            password = QString::fromUtf8(secret->reveal());
        }
    }
    const Result<store::StoreUrl> url = store::StoreUrl::parse(text);
    if (!url)
        return url.error();
    return StoreAccess{*url, password};
}

Result<std::unique_ptr<store::Database>> Invocation::openAnyStore(store::Access access, bool mayCreate)
{
    const auto where = storeAccess();
    if (!where)
        return where.error();
    const bool isFile = where->url.kind == store::StoreUrl::Kind::Sqlite;
    if (isFile && !mayCreate && !QFileInfo::exists(where->url.path)) {
        return Error{ErrorCode::Unavailable,
                     QStringLiteral("the store %1 does not exist; run `sendoffd migrate`").arg(where->url.toText())};
    }
    return store::Database::open(where->url, where->password, access);
}

Result<std::unique_ptr<store::Database>> Invocation::openStore(store::Access access)
{
    auto opened = openAnyStore(access, false);
    if (!opened)
        return opened;
    const auto version = store::schemaVersion(**opened);
    if (!version)
        return version.error();
    const Result<void> usable = store::checkSchema(*version);
    const bool mayRead = access == store::Access::ReadOnly && !usable && usable.error().code == ErrorCode::ReadOnly;
    if (!usable && !mayRead)
        return Error{ErrorCode::Unavailable, usable.error().message};
    return opened;
}

// Empty where the configuration has none, or can't be read: then only addresses are not found.
QByteArray Invocation::addressKey()
{
    const auto loaded = configuration();
    if (!loaded || !(*loaded)->store.addressKey.isSet())
        return {};
    const Result<Secret> secret = resolveSecret((*loaded)->store.addressKey, SecretReaders::ofThisProcess());
    if (!secret) {
        complain(
            QStringLiteral("nobody can be found by an address: store.address_key: %1").arg(secret.error().message));
        return {};
    }
    return secret->reveal();
}

Result<std::unique_ptr<admin::Console>> Invocation::openConsole(store::Access access, Keys keys)
{
    auto database = openStore(access);
    if (!database)
        return database.error();
    return admin::makeStoreConsole(std::move(*database), keys == Keys::Addresses ? addressKey() : QByteArray());
}

QString Invocation::sameStore() const
{
    QString text;
    if (!m_options.config.empty())
        text += QStringLiteral(" --config ") + shellQuoted(QString::fromStdString(m_options.config));
    if (!m_options.store.empty())
        text += QStringLiteral(" --store ") + shellQuoted(QString::fromStdString(m_options.store));
    return text;
}

} // namespace sendoff::app
