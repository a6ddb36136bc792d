#include "app/console_session.h"

#include "admin/store_console.h"
#include "app/catalogue_file.h"
#include "app/composition.h"
#include "app/configuration.h"
#include "store/migrator.h"
#include "store/published_sets.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QThread>

namespace sendoff::app {

namespace {

Result<std::unique_ptr<admin::Console>> openConsole(const ui::Connection &connection)
{
    const Result<store::StoreUrl> url = store::StoreUrl::parse(connection.url);
    if (!url)
        return url.error();
    // SQLite would make an empty store out of a mistyped name.
    if (url->kind == store::StoreUrl::Kind::Sqlite && !QFileInfo(url->path).isFile()) {
        return Error{ErrorCode::NotFound, QCoreApplication::translate(
                                              "Session", "There is no file %1. Choose another one, or make the store "
                                                         "with: sendoffd migrate")
                                              .arg(url->path)};
    }
    const auto wanted = connection.lookOnly ? store::Access::ReadOnly : store::Access::ReadWrite;
    auto database = store::Database::open(*url, connection.password, wanted);
    if (!database)
        return database.error();
    const auto version = store::schemaVersion(**database);
    if (!version)
        return version.error();
    const Result<void> usable = store::checkSchema(*version);
    // A newer store that may still be read serves a person who only looks.
    if (!usable && !(connection.lookOnly && usable.error().code == ErrorCode::ReadOnly))
        return usable.error();
    return admin::makeStoreConsole(std::move(*database));
}

QString problemText(const std::vector<ConfigurationProblem> &problems)
{
    for (const ConfigurationProblem &problem : problems) {
        if (!problem.isWarning)
            return toText(problem);
    }
    return {};
}

bool isSameFile(const QString &a, const QString &b)
{
    return QFileInfo(a).canonicalFilePath() == QFileInfo(b).canonicalFilePath();
}

// What an engine on this store is configured with: the sendoff.toml beside it.
Result<ResolvedSecrets> secretsFor(const store::StoreUrl &url)
{
    const QString path = QFileInfo(url.path).absolutePath() + QStringLiteral("/sendoff.toml");
    if (!QFileInfo(path).isFile()) {
        return Error{ErrorCode::NotFound,
                     QCoreApplication::translate("Session", "The embedded engine needs %1; write it, or run sendoffd "
                                                            "with a configuration of your own.")
                         .arg(path)};
    }
    const Loaded<Configuration> configuration = loadConfiguration(path);
    if (!configuration.ok())
        return Error{ErrorCode::Invalid, problemText(configuration.problems)};
    const auto named = store::StoreUrl::parse(configuration.value.store.url);
    if (!named || named->kind != store::StoreUrl::Kind::Sqlite || !isSameFile(named->path, url.path)) {
        return Error{ErrorCode::Invalid,
                     QCoreApplication::translate("Session", "%1 names another store under store.url; correct it before "
                                                            "an engine works here.")
                         .arg(path)};
    }
    Loaded<ResolvedSecrets> secrets = resolveSecrets(configuration.value, SecretReaders::ofThisProcess());
    if (!secrets.ok())
        return Error{ErrorCode::Invalid, problemText(secrets.problems)};
    if (const Result<void> usable = channel::checkTransport(transportSettings(secrets.value)); !usable)
        return usable.error();
    return std::move(secrets.value);
}

// An embedded store belongs to its one program: brought up to date and given the catalogue of the files.
Result<void> prepareStore(const store::StoreUrl &url, const ResolvedSecrets &secrets)
{
    const CataloguePaths &paths = secrets.configuration.catalogue;
    const Loaded<PublishedSet> set = loadPublishedSet(paths.catalogue, paths.templates);
    if (!set.ok())
        return Error{ErrorCode::Invalid, problemText(set.problems)};
    auto database = store::Database::open(url, {}, store::Access::ReadWrite);
    if (!database)
        return database.error();
    if (const auto migrated = store::migrate(**database); !migrated)
        return migrated.error();
    const auto published =
        store::publish(**database, set.value, admin::defaultActor(), QStringLiteral("published at start"));
    return published ? Result<void>() : Result<void>(published.error());
}

// Lives in the engine's thread, where the store may block.
class EngineThreadSide : public QObject
{
    Q_OBJECT

public:
    void start(const QString &text)
    {
        const auto url = store::StoreUrl::parse(text);
        if (!url) {
            Q_EMIT ended(url.error().message);
            return;
        }
        const auto secrets = secretsFor(*url);
        if (!secrets) {
            Q_EMIT ended(secrets.error().message);
            return;
        }
        if (const auto ready = prepareStore(*url, *secrets); !ready) {
            Q_EMIT ended(ready.error().message);
            return;
        }
        m_parts = std::make_unique<EngineComposition>(*secrets, false);
        connect(&m_parts->engine(), &dispatch::Engine::finished, this, &EngineThreadSide::finish, Qt::QueuedConnection);
        connect(&m_parts->engine(), &dispatch::Engine::storeTrouble, this, &EngineThreadSide::troubled);
        if (const auto started = m_parts->engine().start(*url, {}); !started) {
            m_parts.reset();
            Q_EMIT ended(started.error().message);
            return;
        }
        Q_EMIT running();
    }

    void drain()
    {
        if (m_parts)
            m_parts->engine().drain();
        else
            Q_EMIT ended({});
    }

Q_SIGNALS:
    void running();
    void ended(const QString &problem);
    void troubled(const QString &problem);

private:
    void finish()
    {
        m_parts.reset();
        Q_EMIT ended({});
    }

    std::unique_ptr<EngineComposition> m_parts;
};

class EmbeddedEngine : public ui::EngineSwitch
{
    Q_OBJECT

public:
    EmbeddedEngine()
        : m_side(new EngineThreadSide)
    {
        m_thread.setObjectName(QStringLiteral("engine"));
        m_side->moveToThread(&m_thread);
        connect(&m_thread, &QThread::finished, m_side, &QObject::deleteLater);
        connect(m_side, &EngineThreadSide::running, this, [this] {
            if (m_state == State::Starting)
                become(State::On, {});
        });
        connect(m_side, &EngineThreadSide::ended, this,
                [this](const QString &problem) { become(State::Off, problem); });
        connect(m_side, &EngineThreadSide::troubled, this,
                [this](const QString &problem) { become(m_state, problem); });
        m_thread.start();
    }

    ~EmbeddedEngine() override
    {
        m_thread.quit();
        m_thread.wait();
    }

    void start(const QString &url) override
    {
        if (m_state != State::Off)
            return;
        become(State::Starting, {});
        QMetaObject::invokeMethod(m_side, [side = m_side, url] { side->start(url); });
    }

    void stop() override
    {
        if (m_state == State::Off || m_state == State::Stopping)
            return;
        become(State::Stopping, {});
        QMetaObject::invokeMethod(m_side, [side = m_side] { side->drain(); });
    }

    State state() const override { return m_state; }
    QString problem() const override { return m_problem; }

private:
    void become(State state, const QString &problem)
    {
        m_state = state;
        m_problem = problem;
        Q_EMIT changed();
    }

    QThread m_thread;
    EngineThreadSide *m_side;
    State m_state = State::Off;
    QString m_problem;
};

} // namespace

ui::ConsoleOpener consoleOpener()
{
    return openConsole;
}

std::unique_ptr<ui::EngineSwitch> makeEmbeddedEngine()
{
    return std::make_unique<EmbeddedEngine>();
}

} // namespace sendoff::app

#include "console_session.moc"
