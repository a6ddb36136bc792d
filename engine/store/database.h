#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include "store/store_url.h"
#include <QByteArray>
#include <QString>
#include <QVariant>
#include <functional>
#include <memory>
#include <type_traits>

class QSqlQuery;

namespace sendoff::store {

class Database;

// A row source of one statement, closed when it goes. Columns count from 0.
class Cursor
{
public:
    explicit Cursor(QSqlQuery &query)
        : m_query(&query)
    {}
    Cursor(Cursor &&other) noexcept
        : m_query(std::exchange(other.m_query, nullptr))
    {}
    Cursor(const Cursor &) = delete;
    Cursor &operator=(const Cursor &) = delete;
    Cursor &operator=(Cursor &&) = delete;
    ~Cursor();

    bool next();
    int affected() const; // rows changed, for statements without rows
    bool isNull(int column) const;
    QString text(int column) const;
    QByteArray bytes(int column) const; // text columns as UTF-8
    qint64 integer(int column) const;
    bool flag(int column) const { return integer(column) != 0; }
    Timestamp time(int column) const; // of a $ms(…) column
    std::optional<Timestamp> maybeTime(int column) const;

private:
    QSqlQuery *m_query;
};

// Statements inside one transaction (or one read). Only verbs of this module see it; a failed statement throws,
// which the transaction turns into a rollback and an Error.
class Session
{
public:
    explicit Session(Database &database)
        : m_database(database)
    {}

    // Runs one statement. The text is a literal of ours; what comes from outside stands in `values` only.
    // A null QString is bound as the empty text, an invalid QVariant as NULL. Macros: see sql_text.h.
    Cursor run(const char *sql, const QVariantList &values = {});
    Cursor run(const QByteArray &sql, const QVariantList &values = {});
    // Runs a text that can't be prepared: transaction control and schema changes.
    void command(const QByteArray &sql);
    bool isPostgreSql() const;

private:
    Database &m_database;
};

enum class Access { ReadWrite, ReadOnly };

// One connection to a store. Thread: belongs to the thread that opened it. Survives a lost connection: the verb that
// meets the loss answers Unavailable, the next one connects again.
class Database
{
public:
    // Opens and checks that it can be used: Unavailable (with the database's own words), ReadOnly.
    static Result<std::unique_ptr<Database>> open(const StoreUrl &url, const QString &password, Access access);
    ~Database();
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;

    const StoreUrl &url() const { return m_url; }
    bool isPostgreSql() const { return m_url.kind == StoreUrl::Kind::PostgreSql; }
    bool isConnected() const { return m_connected; }
    // Connects again when the connection was lost. Cheap when it stands.
    Result<void> reconnect();
    // How often the connection was made: a LISTEN of before is gone when it moved.
    int connectionCount() const { return m_connections; }

    // One transaction; `body(Session &)` may run several times (busy, deadlock), so it must have no other effects.
    // Commits when it returns, rolls back when a statement fails or body returns a Result that holds an Error.
    template <typename Body>
    auto write(Body &&body)
    {
        return inTransaction<Body>(std::forward<Body>(body), Scope::Write);
    }
    // One consistent read of several statements.
    template <typename Body>
    auto read(Body &&body)
    {
        return inTransaction<Body>(std::forward<Body>(body), Scope::Read);
    }
    // One statement that reads, without a transaction's two round trips around it.
    template <typename Body>
    auto readOnce(Body &&body)
    {
        return inTransaction<Body>(std::forward<Body>(body), Scope::Statement);
    }

    // PostgreSQL: calls back on this thread's event loop when a notification comes on the store's channel.
    // Subscribes again after each reconnect; the callback also comes then, since some may have been missed.
    Result<void> listen(std::function<void()> wake);
    // Gives `SELECT 1`-like proof that the connection stands, so that a silent loss is met before work is claimed.
    Result<void> probe();
    // The server refuses session features behind a transaction pooler (PgBouncer): Refused with the remedy.
    Result<void> checkNoTransactionPooler();

private:
    friend class Session;
    friend class Cursor;
    struct Connection;
    explicit Database(StoreUrl url, QString password, Access access);

    // Non-template parts, in database.cpp. run() returns an Error for what `work` threw.
    enum class Scope { Write, Read, Statement };
    std::optional<Error> runTransaction(Scope scope, const std::function<bool(Session &)> &work);
    QSqlQuery &prepared(const QByteArray &sql);
    Result<void> connect();
    void markLost();

    template <typename Body>
    auto inTransaction(Body &&body, Scope scope)
    {
        using Value = std::invoke_result_t<Body, Session &>;
        if constexpr (std::is_void_v<Value>) {
            auto failure = runTransaction(scope, [&](Session &session) {
                body(session);
                return true;
            });
            return failure ? Result<void>(*failure) : Result<void>();
        } else if constexpr (IsResult<Value>::value) {
            std::optional<Value> value;
            auto failure = runTransaction(scope, [&](Session &session) {
                value.emplace(body(session));
                return value->ok();
            });
            return failure ? Value(*failure) : std::move(*value);
        } else {
            std::optional<Value> value;
            auto failure = runTransaction(scope, [&](Session &session) {
                value.emplace(body(session));
                return true;
            });
            return failure ? Result<Value>(*failure) : Result<Value>(std::move(*value));
        }
    }
    template <typename T>
    struct IsResult : std::false_type
    {};
    template <typename T>
    struct IsResult<Result<T>> : std::true_type
    {};

    StoreUrl m_url;
    QString m_password;
    Access m_access;
    std::unique_ptr<Connection> m_connection;
    bool m_connected = false;
    int m_connections = 0;
    std::function<void()> m_wake;
};

} // namespace sendoff::store
