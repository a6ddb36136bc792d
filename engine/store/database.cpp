#include "store/database.h"

#include "store/sql_error.h"
#include "store/sql_text.h"

#include <QHash>
#include <QRandomGenerator>
#include <QSqlDatabase>
#include <QSqlDriver>
#include <QSqlError>
#include <QSqlQuery>
#include <QThread>
#include <atomic>

namespace sendoff::store {

// The Qt side of a connection. Queries go before the connection: QPSQL would free their statements on a new one.
struct Database::Connection
{
    QString name;
    QHash<QByteArray, std::shared_ptr<QSqlQuery>> statements;

    ~Connection()
    {
        statements.clear();
        QSqlDatabase::removeDatabase(name);
    }
};

Cursor::~Cursor()
{
    if (m_query)
        m_query->finish();
}

bool Cursor::next()
{
    return m_query->next();
}
int Cursor::affected() const
{
    return m_query->numRowsAffected();
}
bool Cursor::isNull(int column) const
{
    return m_query->isNull(column);
}
QString Cursor::text(int column) const
{
    return m_query->value(column).toString();
}
QByteArray Cursor::bytes(int column) const
{
    return m_query->value(column).toString().toUtf8();
}
qint64 Cursor::integer(int column) const
{
    return m_query->value(column).toLongLong();
}
Timestamp Cursor::time(int column) const
{
    return Timestamp(Milliseconds(integer(column)));
}

std::optional<Timestamp> Cursor::maybeTime(int column) const
{
    if (isNull(column))
        return std::nullopt;
    return time(column);
}

bool Session::isPostgreSql() const
{
    return m_database.isPostgreSql();
}

Cursor Session::run(const char *sql, const QVariantList &values)
{
    return run(QByteArray(sql), values);
}

Cursor Session::run(const QByteArray &sql, const QVariantList &values)
{
    QSqlQuery &query = m_database.prepared(sql);
    int position = 0;
    for (const QVariant &value : values) {
        // QPSQL pastes values into the statement's text: a NUL would cut it there.
        if (value.userType() == QMetaType::QString && value.toString().contains(QChar(0)))
            throw SqlError({ErrorCode::Invalid,
                            QStringLiteral("a text holds the character U+0000, which no store keeps; remove it")});
        // A QString is a text, empty when null; NULL is asked for with an invalid QVariant.
        const bool isNullText = value.userType() == QMetaType::QString && value.toString().isNull();
        query.bindValue(position++, isNullText ? QVariant(QStringLiteral("")) : value);
    }
    if (!query.exec())
        throw SqlError(errorFrom(query.lastError(), m_database.isPostgreSql()));
    return Cursor(query);
}

void Session::command(const QByteArray &sql)
{
    QSqlQuery query(QSqlDatabase::database(m_database.m_connection->name, false));
    if (!query.exec(expandedSql(sql, isPostgreSql())))
        throw SqlError(errorFrom(query.lastError(), isPostgreSql()));
}

Database::Database(StoreUrl url, QString password, Access access)
    : m_url(std::move(url))
    , m_password(std::move(password))
    , m_access(access)
{}

Database::~Database()
{
    m_connection.reset();
}

Result<std::unique_ptr<Database>> Database::open(const StoreUrl &url, const QString &password, Access access)
{
    std::unique_ptr<Database> database(new Database(url, password, access));
    if (Result<void> connected = database->connect(); !connected)
        return connected.error();
    return database;
}

Result<void> Database::connect()
{
    static std::atomic<int> counter = 0;
    m_connection.reset();
    m_connected = false;
    auto connection = std::make_unique<Connection>();
    connection->name = QStringLiteral("sendoff-%1").arg(++counter);
    const bool isServer = isPostgreSql();
    const QString joined = QStringLiteral("; ");
    {
        QSqlDatabase database =
            QSqlDatabase::addDatabase(isServer ? QStringLiteral("QPSQL") : QStringLiteral("QSQLITE"), connection->name);
        if (!database.isValid())
            return Error{ErrorCode::Unavailable,
                         QStringLiteral("Qt's %1 driver is missing; install %2")
                             .arg(isServer ? QStringLiteral("QPSQL") : QStringLiteral("QSQLITE"),
                                  isServer ? QStringLiteral("libqt6sql6-psql") : QStringLiteral("libqt6sql6-sqlite"))};
        if (isServer) {
            QString options = m_url.options;
            if (!options.contains(QLatin1String("connect_timeout")))
                options += (options.isEmpty() ? QString() : QStringLiteral(";")) + QStringLiteral("connect_timeout=5");
            options += QStringLiteral(";application_name='sendoff %1';port=%2").arg(m_url.schema.left(50), m_url.ports);
            database.setHostName(m_url.hosts);
            database.setDatabaseName(m_url.database);
            database.setUserName(m_url.user);
            database.setPassword(m_password);
            database.setConnectOptions(options);
        } else {
            database.setDatabaseName(m_url.path);
            database.setConnectOptions(m_access == Access::ReadOnly
                                           ? QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000;QSQLITE_OPEN_READONLY")
                                           : QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000"));
        }
        if (!database.open())
            return Error{
                ErrorCode::Unavailable,
                QStringLiteral("store %1 can't be opened: %2").arg(m_url.toText(), plainText(database.lastError()))};
        QSqlQuery setup(database);
        QStringList statements;
        // Everything that depends on a session's settings is said here, once (not in the connection's options, which
        // poolers refuse). Without sequential scans a plan made while a table was empty stays right when it is full.
        if (isServer)
            statements = {QStringLiteral("SET search_path = %1").arg(m_url.schema),
                          QStringLiteral("SET TimeZone = 'UTC'"),
                          QStringLiteral("SET enable_seqscan = off"),
                          QStringLiteral("SET jit = off"),
                          QStringLiteral("SET client_min_messages = warning"),
                          QStringLiteral("SET idle_in_transaction_session_timeout = '60s'")};
        if (isServer && m_access == Access::ReadOnly)
            statements += QStringLiteral("SET default_transaction_read_only = on");
        else if (!isServer && m_access == Access::ReadWrite)
            // WAL lets the console read while the engine writes; FULL so that what was accepted survives a power cut;
            // secure_delete so that scrubbed codes leave the file.
            statements = {QStringLiteral("PRAGMA journal_mode=WAL"), QStringLiteral("PRAGMA synchronous=FULL"),
                          QStringLiteral("PRAGMA secure_delete=ON"),
                          QStringLiteral("PRAGMA journal_size_limit=33554432")};
        for (const QString &statement : isServer ? QStringList{statements.join(joined)} : statements) {
            if (!setup.exec(statement)) {
                const Error error = errorFrom(setup.lastError(), isServer);
                return Error{error.code,
                             QStringLiteral("store %1 can't be used: %2").arg(m_url.toText(), error.message)};
            }
        }
    }
    m_connection = std::move(connection);
    m_connected = true;
    ++m_connections;
    if (m_wake) {
        if (Result<void> listening = listen(m_wake); !listening)
            return listening;
        m_wake(); // what was committed while nobody listened was notified to nobody
    }
    return {};
}

Result<void> Database::reconnect()
{
    if (m_connected)
        return {};
    return connect();
}

void Database::markLost()
{
    m_connected = false;
}

QSqlQuery &Database::prepared(const QByteArray &sql)
{
    std::shared_ptr<QSqlQuery> &query = m_connection->statements[sql];
    if (!query) {
        query = std::make_shared<QSqlQuery>(QSqlDatabase::database(m_connection->name, false));
        query->setForwardOnly(true);
        if (!query->prepare(expandedSql(sql, isPostgreSql()))) {
            const SqlError error(errorFrom(query->lastError(), isPostgreSql()));
            m_connection->statements.remove(sql);
            throw error;
        }
    }
    return *query;
}

std::optional<Error> Database::runTransaction(Scope scope, const std::function<bool(Session &)> &work)
{
    constexpr int tries = 4; // a deadlock victim succeeds on the next try; more would hide a design fault
    for (int attempt = 1;; ++attempt) {
        // The driver may have met the loss by itself, on the socket of its notifications.
        if (m_connected && !QSqlDatabase::database(m_connection->name, false).isOpen())
            markLost();
        if (!m_connected) {
            if (Result<void> connected = connect(); !connected)
                return connected.error();
        }
        Session session(*this);
        try {
            if (scope == Scope::Write)
                session.command(isPostgreSql() ? "BEGIN" : "BEGIN IMMEDIATE");
            else if (scope == Scope::Read)
                session.command(isPostgreSql() ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN");
            const bool keep = work(session);
            if (scope != Scope::Statement)
                session.command(keep ? "COMMIT" : "ROLLBACK");
            return std::nullopt;
        } catch (const SqlError &failure) {
            const bool connectionLives = m_connection && QSqlDatabase::database(m_connection->name, false).isOpen();
            if (failure.error.code == ErrorCode::Unavailable || !connectionLives) {
                markLost();
                return failure.error;
            }
            try {
                if (scope != Scope::Statement)
                    session.command("ROLLBACK");
            } catch (const SqlError &) {
                // SQLite ends some failed transactions by itself; on PostgreSQL a session that can't roll back is
                // replaced.
                if (isPostgreSql())
                    markLost();
            }
            if (failure.error.code == ErrorCode::StaleStatement) {
                markLost();
                if (attempt < tries)
                    continue;
            }
            if (failure.error.code != ErrorCode::Busy || attempt == tries)
                return failure.error;
            QThread::msleep(QRandomGenerator::global()->bounded(5, 25) * ulong(attempt));
        }
    }
}

Result<void> Database::listen(std::function<void()> wake)
{
    m_wake = std::move(wake);
    if (!isPostgreSql() || !m_connected)
        return {};
    QSqlDriver *driver = QSqlDatabase::database(m_connection->name, false).driver();
    if (!driver->subscribeToNotification(QStringLiteral("sendoff_") + m_url.schema)) {
        markLost();
        return Error{ErrorCode::Unavailable, QStringLiteral("LISTEN failed: %1").arg(plainText(driver->lastError()))};
    }
    // The driver goes with the connection and takes this with it.
    QObject::connect(driver, &QSqlDriver::notification, driver, [this] { m_wake(); });
    return {};
}

Result<void> Database::checkNoTransactionPooler()
{
    if (!isPostgreSql())
        return {};
    // A session's own setting that another connection can read shows that the two share a server session.
    const QString mark = QString::number(QRandomGenerator::global()->generate64(), 16);
    const auto marked =
        write([&](Session &session) { session.run("SELECT set_config('sendoff.session_mark', ?, false)", {mark}); });
    if (!marked)
        return marked;
    auto other = open(m_url, m_password, Access::ReadOnly);
    if (!other)
        return other.error();
    const Result<QString> seen = (*other)->read([](Session &session) {
        Cursor row = session.run("SELECT current_setting('sendoff.session_mark', true)");
        return row.next() ? row.text(0) : QString();
    });
    if (!seen)
        return seen.error();
    if (*seen == mark)
        return Error{ErrorCode::Refused,
                     QStringLiteral("the store's URL leads through a pooler in transaction mode, where sessions and "
                                    "notifications do not hold; use session pooling or a direct URL")};
    return {};
}

Result<void> Database::probe()
{
    return read([](Session &session) { session.run("SELECT 1"); });
}

} // namespace sendoff::store
