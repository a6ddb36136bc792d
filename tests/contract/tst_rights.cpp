#include "admin/store_console.h"
#include "dispatch/engine.h"
#include "domain/catalogue.h"
#include "store/audit_store.h"
#include "store/engine_registry.h"
#include "store/operation_gate.h"
#include "store/outbox.h"
#include "store/published_sets.h"
#include "store/rights_store.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/store_rows.h"

#include <QProcess>
#include <QTest>
#include <QThread>

using namespace sendoff;
using namespace sendoff::store;
using sendoff::test::TestDatabase;

namespace {

const QStringList people{QStringLiteral("viewer"), QStringLiteral("support"), QStringLiteral("operator"),
                         QStringLiteral("admin")};
const QStringList everybody = people + QStringList{QStringLiteral("producer"), QStringLiteral("nobody")};

Result<void> runAs(Database &database, const QByteArray &statement)
{
    return database.write([&](Session &session) { session.command(statement); });
}

Result<QString> ask(Database &database, const QByteArray &query, const QVariantList &values = {})
{
    return database.write([&](Session &session) {
        Cursor row = session.run(query, values);
        return row.next() ? row.text(0) : QString();
    });
}

// The roles of a store, and for each a login of its own that goes with the object. Logins belong to the whole server,
// so their names hold the test's schema.
class Logins
{
public:
    explicit Logins(TestDatabase &store)
        : m_store(store)
    {
        const auto applied = applyRoles(store.database());
        if (!applied)
            qFatal("%s", qPrintable(applied.error().message));
        for (const QString &role : everybody + QStringList{QStringLiteral("engine")})
            add(role, role);
    }

    ~Logins()
    {
        m_open.clear();
        // A session that has just ended still owns its temporary objects for a moment.
        const bool areGone = QTest::qWaitFor(
            [this] {
                return m_store.number("SELECT count(*) FROM pg_stat_activity WHERE starts_with(usename, ?)",
                                      {m_store.url().schema.left(24)}) == 0;
            },
            60'000);
        if (!areGone)
            qWarning("sessions of a test's logins stay");
        for (const QString &login : m_logins) {
            if (const auto done = runAs(m_store.database(), "DROP ROLE " + login.toLatin1()); !done)
                qWarning("a test's login stays: %s", qPrintable(done.error().message));
        }
    }

    void add(const QString &name, const QString &role)
    {
        const QByteArray login = loginOf(name).toLatin1();
        auto done = runAs(m_store.database(), "CREATE ROLE " + login + " LOGIN");
        if (done && role != QLatin1String("nobody"))
            done = runAs(m_store.database(), "GRANT sendoff_" + role.toLatin1() + " TO " + login);
        if (!done)
            qFatal("%s", qPrintable(done.error().message));
        m_logins += loginOf(name);
    }

    QString loginOf(const QString &name) const { return m_store.url().schema.left(24) + u'_' + name; }

    StoreUrl urlOf(const QString &name) const
    {
        StoreUrl url = m_store.url();
        url.user = loginOf(name);
        return url;
    }

    std::unique_ptr<Database> connect(const QString &name, Access access = Access::ReadWrite) const
    {
        auto opened = Database::open(urlOf(name), {}, access);
        if (!opened)
            qFatal("%s", qPrintable(opened.error().message));
        return std::move(*opened);
    }

    // One connection a login, kept.
    Database &as(const QString &name)
    {
        auto &open = m_open[name];
        if (!open)
            open = connect(name);
        return *open;
    }

private:
    TestDatabase &m_store;
    QStringList m_logins;
    std::map<QString, std::unique_ptr<Database>> m_open;
};

// All tables and views of the test's schema, partitions too.
QStringList relations(TestDatabase &store)
{
    return store
        .text("SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = "
              "c.relnamespace WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v')")
        .split(u' ');
}

NewOperation operationOf(const QString &verb, const QString &filter)
{
    NewOperation operation;
    operation.verb = verb;
    operation.filter = filter;
    operation.expected = 1;
    operation.reason = QStringLiteral("because");
    operation.actor = QStringLiteral("somebody else"); // the login is stamped all the same
    operation.armed = Milliseconds(600'000);
    return operation;
}

Result<qint64> submit(Database &database, const NewOperation &operation)
{
    return database.write([&](Session &session) { return insertOperation(session, operation); });
}

Result<bool> change(Database &database, qint64 id, OperationChange what, qint64 value = 0)
{
    return database.write([&](Session &session) { return changeOperation(session, id, what, value, {}); });
}

// A login without any role does not even see that something is there.
template <typename Value>
bool isRefused(const Result<Value> &result, const QByteArray &what)
{
    if (!result.ok() &&
        (result.error().code == ErrorCode::Refused ||
         (what.startsWith("nobody") && result.error().message.contains(QStringLiteral("does not exist"))) ||
         (what.startsWith("nobody") && result.error().message.contains(QStringLiteral("no schema")))))
        return true;
    qWarning("not refused: %s: %s", what.constData(), result.ok() ? "done" : qPrintable(result.error().message));
    return false;
}

Filter parsed(const QString &text)
{
    const auto filter = Filter::parse(text);
    if (!filter)
        qFatal("%s", qPrintable(filter.error().message));
    return *filter;
}

template <typename Value>
bool isDone(const Result<Value> &result, const QByteArray &what)
{
    if (result.ok())
        return true;
    qWarning("%s: %s", what.constData(), qPrintable(result.error().message));
    return false;
}

PublishedSet someSet(const QByteArray &text)
{
    PublishedSet set;
    EventType type;
    type.type = QStringLiteral("booking.confirmed");
    type.category = QStringLiteral("bookings");
    set.catalogue.types.insert(type.type, type);
    set.templates.insert(QStringLiteral("booking/email.en.mustache"), text);
    return set;
}

const auto secretAddress = QStringLiteral("jo.canary@example.com");
const QByteArray secretPayload = "{\"booking\":981,\"note\":\"canary\"}";

// Whether exactly those with the role may submit it, under their own names.
bool isVerbFor(TestDatabase &store, Logins &logins, const QString &verb, const QString &filter, const QString &needed)
{
    for (const QString &name : people) {
        const auto id = submit(logins.as(name), operationOf(verb, filter));
        if (people.indexOf(name) < people.indexOf(needed)) {
            if (!isRefused(id, name.toUtf8()) ||
                !id.error().message.startsWith(logins.loginOf(name) + QStringLiteral(" may not ") + verb) ||
                !id.error().message.contains(QStringLiteral(": needs sendoff_") + needed))
                return false;
            continue;
        }
        if (!isDone(id, name.toUtf8()) ||
            store.text("SELECT actor FROM sendoff_operation WHERE id = ?", {*id}) != logins.loginOf(name) ||
            store.text("SELECT actor FROM sendoff_audit ORDER BY id DESC LIMIT 1") != logins.loginOf(name))
            return false;
    }
    return isRefused(submit(logins.as(QStringLiteral("nobody")), operationOf(verb, filter)), "nobody") &&
           isRefused(submit(logins.as(QStringLiteral("engine")), operationOf(verb, filter)), "engine") &&
           isDone(submit(store.database(), operationOf(verb, filter)), "owner");
}

// A live and an ended delivery to somebody, with all that people may look up.
struct Rows
{
    explicit Rows(TestDatabase &store)
    {
        test::insertEvent(store, QStringLiteral("e1"), EventState::Relayed, secretPayload);
        test::insertEvent(store, QStringLiteral("e2"), EventState::Relayed, secretPayload);
        test::RowSpec row;
        row.address = secretAddress;
        row.id = QStringLiteral("live-1");
        row.event = QStringLiteral("e1");
        test::insertDelivery(store, row);
        row.id = QStringLiteral("dead-1");
        row.event = QStringLiteral("e2");
        row.state = DeliveryState::Dead;
        row.reason = Reason::None;
        row.code = QStringLiteral("bad_request");
        row.attempts = 1;
        test::insertDelivery(store, row);
        store.run(
            "INSERT INTO sendoff_contact (user_id, channel, address, address_hash) VALUES ('u1', 'email', ?, 'hash')",
            {secretAddress});
        store.run("INSERT INTO sendoff_contact (user_id, channel, address) VALUES ('u1', 'sms', '+4915112345678')");
        store.run("INSERT INTO sendoff_contact (user_id, channel, address) VALUES ('u1', 'push', "
                  "'ExponentPushToken[abcdef]')");
        store.run(
            "INSERT INTO sendoff_preference (user_id, category, channel, allowed) VALUES ('u1', 'news', 'email', 0)");
        store.run(
            "INSERT INTO sendoff_suppression (channel, address_hash, address_mask, reason) VALUES ('email', 'hash', "
            "'j…@example.com', 'hard_bounce')");
        store.run("INSERT INTO sendoff_inbox (id, user_id, tenant, event_id, type, locale, title, body, link) VALUES "
                  "('i1', 'u1', '', 'e1', 'booking.confirmed', 'en', 'Hello', 'canary', 'https://example.com/canary')");
        store.run("INSERT INTO sendoff_content (delivery_id, body) VALUES ('live-1', 'canary')");
        store.run("INSERT INTO sendoff_edit (delivery_id, payload) VALUES ('dead-1', '{\"edited\":\"canary\"}')");
    }
};

} // namespace

class tst_rights : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (!TestDatabase::isAvailable(StoreUrl::Kind::PostgreSql)) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must give a PostgreSQL in SENDOFF_TEST_PG");
            QSKIP("no PostgreSQL: set SENDOFF_TEST_PG");
        }
    }

    void rolesCanBeAppliedAgainAndBySeveralAtOnce()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        std::atomic<int> good = 0;
        std::vector<std::unique_ptr<QThread>> threads;
        for (int each = 0; each < 4; ++each) {
            threads.emplace_back(QThread::create([&] {
                auto database = store.connect();
                if (isDone(applyRoles(*database), "apply"))
                    ++good;
            }));
        }
        for (auto &thread : threads)
            thread->start();
        for (auto &thread : threads)
            QVERIFY(thread->wait(60'000));
        QCOMPARE(good.load(), 4);
    }

    void everyTableAndFunctionIsDecided()
    {
        // A table or function that a later migration brings must be looked at: who may have it?
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        const QByteArray sql = *rolesSql(store.url());
        const QByteArray prefix = store.url().schema.toLatin1() + '.';
        for (const QString &relation : relations(store)) {
            const bool isPartition =
                store.number("SELECT count(*) FROM pg_class WHERE oid = CAST(? AS regclass) AND relispartition",
                             {relation}) > 0;
            if (!isPartition)
                QVERIFY2(sql.contains(prefix + relation.toLatin1() + ",") ||
                             sql.contains(prefix + relation.toLatin1() + " "),
                         qPrintable(relation));
        }
        // And a column that is not for viewers.
        Logins logins(store);
        QCOMPARE(
            store.text("SELECT string_agg(replace(c.relname, 'sendoff_', '') || '.' || a.attname, ' ' ORDER BY "
                       "c.relname, a.attname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN "
                       "pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE n.nspname "
                       "= current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname NOT IN "
                       "('sendoff_contact', 'sendoff_content', 'sendoff_edit', 'sendoff_inbox', "
                       "'sendoff_preference', 'sendoff_suppression', 'sendoff_supersession', 'sendoff_mark') AND NOT "
                       "has_column_privilege(CAST(? AS name), c.oid, a.attnum, 'SELECT')",
                       {logins.loginOf(QStringLiteral("viewer"))}),
            QStringLiteral("delivery_history.address delivery_history.address_hash delivery_history.address_sealed "
                           "delivery_history.pins delivery_history.seal_key delivery_history.sender "
                           "delivery_hot.address delivery_hot.address_hash delivery_hot.address_sealed "
                           "delivery_hot.pins delivery_hot.seal_key delivery_hot.sender event.payload "
                           "operation.parameters receipt.address_hash"));
        const QStringList functions =
            store
                .text("SELECT string_agg(DISTINCT p.proname, ' ') FROM pg_proc p JOIN pg_namespace n ON n.oid = "
                      "p.pronamespace WHERE n.nspname = current_schema()")
                .split(u' ');
        for (const QString &function : functions)
            QVERIFY2(sql.contains(prefix + function.toLatin1() + "("), qPrintable(function));
        // What runs with the owner's rights must find nothing of the caller's first.
        QCOMPARE(store.text("SELECT string_agg(p.proname, ' ') FROM pg_proc p JOIN pg_namespace n ON n.oid = "
                            "p.pronamespace WHERE n.nspname = current_schema() AND p.prosecdef AND NOT "
                            "coalesce(array_to_string(p.proconfig, ' ') LIKE 'search\\_path=%, pg\\_temp', false)"),
                 QString());
        QCOMPARE(store.number("SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE "
                              "n.nspname = current_schema() AND has_function_privilege('public', p.oid, 'EXECUTE')"),
                 0);
    }

    void onlyTheOwnerAppliesRoles()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        for (const QString &name : everybody)
            QVERIFY(isRefused(applyRoles(logins.as(name)), name.toUtf8()));
        QVERIFY(isRefused(applyRoles(logins.as(QStringLiteral("engine"))), "engine"));
    }

    void nobodyButTheEngineWritesATable()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Rows rows(store);
        for (const QString &name : everybody) {
            Database &database = logins.as(name);
            for (const QString &relation : relations(store)) {
                const QByteArray table = relation.toLatin1();
                const bool isOutbox = name == QLatin1String("producer") && relation == QLatin1String("sendoff_event");
                const QByteArray column =
                    store
                        .text("SELECT attname FROM pg_attribute WHERE attrelid = CAST(? AS regclass) AND attnum > 0 "
                              "ORDER BY attnum LIMIT 1",
                              {relation})
                        .toLatin1();
                const QList<QByteArray> statements{"DELETE FROM " + table,
                                                   "TRUNCATE " + table + " CASCADE",
                                                   "UPDATE " + table + " SET " + column + " = " + column,
                                                   "LOCK TABLE " + table + " IN EXCLUSIVE MODE",
                                                   "ALTER TABLE " + table + " DISABLE TRIGGER ALL",
                                                   "DROP TABLE " + table + " CASCADE"};
                for (const QByteArray &statement : statements) {
                    const auto done = runAs(database, statement);
                    QVERIFY2(!done.ok(), (name.toUtf8() + ": " + statement).constData());
                }
                // A statement may fail for other reasons, so the catalogue is asked as well.
                const QString privileges =
                    isOutbox ? QStringLiteral("UPDATE,DELETE") : QStringLiteral("INSERT,UPDATE,DELETE");
                for (const QString &privilege :
                     privileges.split(u',') + QStringList{QStringLiteral("TRUNCATE"), QStringLiteral("TRIGGER")}) {
                    QVERIFY2(store.text("SELECT has_table_privilege(?, CAST(? AS regclass), ?)",
                                        {logins.loginOf(name), relation, privilege}) == QLatin1String("false"),
                             qPrintable(name + u' ' + privilege + u' ' + relation));
                }
                for (const char *privilege : {"UPDATE", "INSERT", "REFERENCES"}) {
                    if (isOutbox && qstrcmp(privilege, "INSERT") == 0)
                        continue;
                    QVERIFY2(store.text("SELECT has_any_column_privilege(?, CAST(? AS regclass), ?)",
                                        {logins.loginOf(name), relation, QString::fromLatin1(privilege)}) ==
                                 QLatin1String("false"),
                             qPrintable(name + u' ' + relation));
                }
            }
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 2);
    }

    void nobodyReadsAddressesAndContent()
    {
        const QList<QByteArray> queries{
            "SELECT address FROM sendoff_delivery_hot",
            "SELECT address FROM sendoff_delivery_history",
            "SELECT address FROM sendoff_delivery_history_default",
            "SELECT address_sealed FROM sendoff_delivery_hot",
            "SELECT seal_key FROM sendoff_delivery_history",
            "SELECT pins FROM sendoff_delivery_hot",
            "SELECT sender FROM sendoff_delivery_hot",
            "SELECT * FROM sendoff_delivery",
            "SELECT address FROM sendoff_delivery",
            "SELECT id FROM sendoff_delivery",
            "SELECT d FROM sendoff_delivery_hot d",
            "SELECT row_to_json(d) FROM sendoff_delivery_history d",
            "SELECT count(*) FROM sendoff_delivery_hot WHERE address LIKE 'j%'",
            "SELECT id FROM sendoff_delivery_hot ORDER BY address",
            "SELECT payload FROM sendoff_event",
            "SELECT count(*) FROM sendoff_event WHERE payload LIKE '%canary%'",
            "SELECT e FROM sendoff_event e",
            "SELECT parameters FROM sendoff_operation",
            "SELECT * FROM sendoff_operation",
            "SELECT * FROM sendoff_content",
            "SELECT body FROM sendoff_content",
            "SELECT payload FROM sendoff_edit",
            "SELECT address FROM sendoff_contact",
            "SELECT id FROM sendoff_contact",
            "SELECT body FROM sendoff_inbox",
            "SELECT link FROM sendoff_inbox",
            "COPY sendoff_event (payload) TO STDOUT",
            "COPY sendoff_delivery_hot TO STDOUT",
            "SELECT lo_import('/etc/passwd')",
            "SELECT pg_read_file('/etc/passwd')",
            "CREATE TABLE canary (a int)",
            "CREATE FUNCTION canary() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "SET ROLE sendoff_engine",
            "SELECT sendoff_append_audit('ana', 'retry', 'operation 1', '')",
            "SELECT sendoff_make_partitions(3)",
            "SELECT sendoff_role_of('postgres')",
            "SELECT sendoff_require('x', 'viewer')",
        };
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Rows rows(store);
        for (const QByteArray &query : queries) {
            for (const QString &name : everybody)
                QVERIFY(isRefused(runAs(logins.as(name), query), name.toUtf8() + ": " + query));
        }
        const QByteArray owner = store.url().user.toLatin1();
        for (const QByteArray &trick : {"SET ROLE " + owner, "SET SESSION AUTHORIZATION " + owner}) {
            for (const QString &name : everybody)
                QVERIFY(isRefused(runAs(logins.as(name), trick), name.toUtf8() + ": " + trick));
        }
    }

    void lookupsByHashAreSupportsAndNotViewers()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Rows rows(store);
        for (const QByteArray &query :
             {QByteArray("SELECT id FROM sendoff_delivery_hot WHERE address_hash = 'hash'"),
              QByteArray("SELECT address_mask FROM sendoff_v_contact WHERE user_id = 'u1'"),
              QByteArray("SELECT category FROM sendoff_preference"),
              QByteArray("SELECT reason FROM sendoff_suppression"), QByteArray("SELECT title FROM sendoff_inbox")}) {
            QVERIFY(isRefused(ask(logins.as(QStringLiteral("viewer")), query), query));
            QVERIFY(isRefused(ask(logins.as(QStringLiteral("producer")), query), query));
            for (const QString &name :
                 {QStringLiteral("support"), QStringLiteral("operator"), QStringLiteral("admin")}) {
                const auto answer = ask(logins.as(name), query);
                QVERIFY(isDone(answer, name.toUtf8() + query));
                QVERIFY2(!answer->isEmpty(), query.constData());
            }
        }
    }

    void contactsAreMaskedAsDeliveriesAre_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("sqlite") << int(StoreUrl::Kind::Sqlite);
        QTest::newRow("postgresql") << int(StoreUrl::Kind::PostgreSql);
    }

    void contactsAreMaskedAsDeliveriesAre()
    {
        QFETCH(int, kind);
        TestDatabase store{StoreUrl::Kind(kind)};
        const std::vector<std::pair<Channel, QString>> addresses{
            {Channel::Email, secretAddress},
            {Channel::Email, QStringLiteral("\"a@b\"@Example.COM")},
            {Channel::Email, QStringLiteral("nobody")},
            {Channel::Email, QStringLiteral(" ümlaut@exämple.de ")},
            {Channel::Email, QStringLiteral("@")},
            {Channel::Email, QStringLiteral("@@@")},
            {Channel::Sms, QStringLiteral("+4915112345678")},
            {Channel::Sms, QStringLiteral("110")},
            {Channel::Push, QStringLiteral("ExponentPushToken[abcdef]")},
            {Channel::Push, QStringLiteral("x]")},
            {Channel::Webhook, QStringLiteral("https://example.com/hook/12345")},
            {Channel::Webhook, QString()}};
        for (const auto &[channel, address] : addresses) {
            const QString user = QStringLiteral("u") + address;
            store.run("INSERT INTO sendoff_contact (user_id, channel, address) VALUES (?, ?, ?)",
                      {user, QString(toText(channel)), address});
            QCOMPARE(store.text("SELECT address_mask FROM sendoff_v_contact WHERE user_id = ? AND channel = ?",
                                {user, QString(toText(channel))}),
                     addressTraces(channel, address).mask);
        }
    }

    void aProducerInsertsAndReadsOnlyIds()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Database &producer = logins.as(QStringLiteral("producer"));
        QVERIFY(isDone(runAs(producer, "INSERT INTO sendoff_event (type, payload) VALUES ('a', '{}')"), "insert"));
        QVERIFY(isDone(
            ask(producer,
                "INSERT INTO sendoff_event (id, type, payload, tenant, lane, available_at, expires_at, occurred_at, "
                "supersedes_key, traceparent) VALUES ('x', 'a', '{}', 't', 'bulk', now(), now(), now(), 'k', '') "
                "RETURNING id"),
            "all columns"));
        QVERIFY(
            isDone(runAs(producer, "INSERT INTO sendoff_event (id, type, payload) VALUES ('x', 'a', '{}') ON CONFLICT "
                                   "(id) DO NOTHING"),
                   "again"));
        NewEvent event;
        event.type = QStringLiteral("a");
        event.payload = "{}";
        QVERIFY(isDone(appendEvent(producer, event), "emit"));
        for (const QByteArray &statement :
             {QByteArray("INSERT INTO sendoff_event (type, payload, state) VALUES ('a', '{}', 'relayed')"),
              QByteArray("INSERT INTO sendoff_event (type, payload, secrets) VALUES ('a', '{}', '/x')"),
              QByteArray(
                  "INSERT INTO sendoff_event (id, type, payload) VALUES ('x', 'a', '{}') ON CONFLICT (id) DO UPDATE "
                  "SET payload = '{}'"),
              QByteArray("SELECT type FROM sendoff_event"), QByteArray("SELECT * FROM sendoff_v_event"),
              QByteArray("SELECT sendoff_submit_operation('note', '', 0, 0, '{}', 0, 0, '', 0, '')")})
            QVERIFY(isRefused(runAs(producer, statement), statement));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event"), 3);
    }

    void theWakeTriggerRunsNothingOfTheProducers()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Database &producer = logins.as(QStringLiteral("producer"));
        // It runs as the owner: a view of the same name whose function the owner would run is the classic trick.
        QVERIFY(isDone(runAs(producer, "CREATE TEMP TABLE ran (login text)"), "table"));
        QVERIFY(isDone(runAs(producer, "CREATE FUNCTION pg_temp.trick() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN "
                                       "INSERT INTO ran VALUES (current_user); RETURN now(); END'"),
                       "function"));
        QVERIFY(isDone(runAs(producer, "CREATE TEMP VIEW sendoff_engine AS SELECT 1 AS asleep, pg_temp.trick() AS "
                                       "heartbeat_at"),
                       "view"));
        QVERIFY(isDone(runAs(producer, "GRANT ALL ON ran TO PUBLIC"), "grant"));
        QVERIFY(isDone(runAs(producer, "INSERT INTO sendoff_event (type, payload) VALUES ('a', '{}')"), "insert"));
        QCOMPARE(*ask(producer, "SELECT count(*) FROM ran"), QStringLiteral("0"));
    }

    void verbsNeedTheirRole()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        qint64 stored = 0;
        const auto row = [&](const char *name, const char *verb, const QString &filter, const char *needed) {
            stored += people.size() - people.indexOf(QString::fromLatin1(needed)) + 1; // those who may, and the owner
            QVERIFY2(isVerbFor(store, logins, QString::fromLatin1(verb), filter, QString::fromLatin1(needed)), name);
        };
        const QString one = QStringLiteral("id:dead-1");
        row("retry one", "retry", one, "support");
        row("note", "note", QString(), "support");
        row("retry many", "retry", QStringLiteral("state:dead"), "operator");
        row("retry two", "retry", QStringLiteral("id:dead-1,live-1"), "operator");
        row("retry quoted", "retry", QStringLiteral("id:\"dead-1\",\"live-1\""), "operator");
        row("retry one quoted", "retry", QStringLiteral("id:\"dead-1\""), "operator");
        row("retry blank", "retry", QStringLiteral("id:dead-1 state:dead"), "operator");
        row("retry tab", "retry", QStringLiteral("id:dead-1\tid:live-1"), "operator");
        row("retry newline", "retry", QStringLiteral("id:dead-1\n"), "operator");
        row("retry second line", "retry", QStringLiteral("state:dead\nid:dead-1"), "operator");
        row("retry leading blank", "retry", QStringLiteral(" id:dead-1"), "operator");
        row("retry nothing", "retry", QString(), "operator");
        row("retry id:", "retry", QStringLiteral("id:"), "operator");
        row("retry backslash", "retry", QStringLiteral("id:a\\,b"), "operator");
        row("retry wide blank", "retry", QStringLiteral("id:dead-1 state:dead"), "operator");
        row("retry wide comma", "retry", QStringLiteral("id:dead-1,live-1"), "operator");
        row("retry wildcard", "retry", QStringLiteral("id:*"), "operator");
        row("retry upper case", "retry", QStringLiteral("ID:dead-1"), "operator");
        row("retry older", "retry", QStringLiteral("id>1h"), "operator");
        for (const char *verb : {"cancel", "reschedule", "edit", "retry_event", "pause", "resume", "quota", "reset"})
            row(verb, verb, one, "operator");
        for (const char *verb : {"discard", "erase", "suppress"})
            row(verb, verb, one, "admin");
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), stored);
        QCOMPARE(checkAudit(store.database())->rows, stored);
        QCOMPARE(checkAudit(store.database())->firstBroken, 0);
    }

    void forgedCallsAreRefused()
    {
        const QList<QByteArray> calls{
            "sendoff_submit_operation(NULL, 'id:a', 0, 1, '{}', 0, 0, '', 0, '')",
            "sendoff_submit_operation('retry', NULL, 0, 1, '{}', 0, 0, '', 0, '')",
            "sendoff_submit_operation('retry', 'id:a', 0, 1, '{\"address\":\"eve@example.com\"}', 0, 0, '', 0, '')",
            "sendoff_submit_operation('reveal', 'id:a', 0, 1, '{}', 0, 0, '', 0, '')",
            "sendoff_submit_operation('publish', '', 0, 1, '{}', 0, 0, '', 0, '')",
            "sendoff_submit_operation('note', '', 0, 1, '[]', 0, 0, '', 0, '')",
            "sendoff_submit_operation('note', '', 0, 1, 'no json', 0, 0, '', 0, '')",
            "sendoff_submit_operation('note', '', 0, 1, '{}', 1001, 0, '', 0, '')",
            "sendoff_submit_operation('note', '', 0, 1, '{}', -1, 0, '', 0, '')",
            "sendoff_submit_operation('note', '', 0, 1, '{}', 0, 101, '', 0, '')",
            "sendoff_submit_operation('note', '', 0, 1, '{}', 0, 0, '', -1, '')",
            "sendoff_submit_operation('note', '', 0, 1, '{}', 0, 0, '', 86400001, '')",
            "sendoff_submit_operation('note', '', -1, 1, '{}', 0, 0, '', 0, '')",
            "sendoff_submit_operation('note', repeat('a', 8001), 0, 1, '{}', 0, 0, '', 0, '')",
            "sendoff_submit_operation('note', '', 0, 1, '{}', 0, 0, repeat('a', 2001), 0, '')",
            "sendoff_submit_operation('note', '', 0, 1, '{\"text\":\"' || repeat('a', 65536) || '\"}', 0, 0, '', 0, "
            "'')",
            "sendoff_submit_operation('note', '', 0, 1, '{}', 0, 0, '', 0, repeat('a', 201))",
            "sendoff_change_operation(1, NULL, 0)",
            "sendoff_change_operation(1, 'done', 0)",
            "sendoff_change_operation(1, 'rate', 0)",
            "sendoff_change_operation(1, 'rate', NULL)",
        };
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        for (const QByteArray &call : calls) {
            const auto done = runAs(logins.as(QStringLiteral("support")), "SELECT " + call);
            QVERIFY2(!done.ok(), call.constData());
            QVERIFY2(done.error().code == ErrorCode::Refused || done.error().code == ErrorCode::Invalid,
                     qPrintable(done.error().message));
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_audit"), 0);
    }

    void aCallersOwnObjectsChangeNothingInTheFunctions()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Database &viewer = logins.as(QStringLiteral("viewer"));
        const QByteArray schema = store.url().schema.toLatin1();
        const QList<QByteArray> tricks{
            "CREATE TEMP TABLE pg_roles AS SELECT 'sendoff_admin'::name AS rolname, 10::oid AS oid",
            "CREATE TEMP TABLE pg_class AS SELECT c.oid, (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = "
            "session_user) AS relowner, c.relname, c.relnamespace FROM pg_catalog.pg_class c",
            "CREATE TEMP TABLE sendoff_operation (id bigint, verb text, actor text)",
            "CREATE TEMP TABLE sendoff_audit (id bigint, hash text)",
            "CREATE FUNCTION pg_temp.sendoff_require(text, text) RETURNS void LANGUAGE sql AS 'SELECT'",
            "CREATE FUNCTION pg_temp.sendoff_role_of(name) RETURNS text LANGUAGE sql AS 'SELECT ''admin'''",
            "CREATE FUNCTION pg_temp.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
            "SET search_path = pg_temp, " + schema + ", pg_catalog",
        };
        for (const QByteArray &trick : tricks)
            QVERIFY(isDone(runAs(viewer, trick), trick));
        for (const QByteArray &call :
             {QByteArray("sendoff_submit_operation('discard', 'state:dead', 0, 1, '{}', 0, 0, '', 0, '')"),
              QByteArray("sendoff_change_operation(1, 'stop', 0)"), QByteArray("sendoff_publish('h', 'c', 't', 'n')"),
              QByteArray("sendoff_revert_publication('n')"), QByteArray("sendoff_request_reveal('dead-1', 'r')"),
              QByteArray("sendoff_reveal(1)")})
            QVERIFY(isRefused(runAs(viewer, "SELECT " + schema + "." + call), call));
        // With the right to it the real tables are written.
        Database &support = logins.as(QStringLiteral("support"));
        for (qsizetype each = 2; each < tricks.size(); ++each) {
            QVERIFY(isDone(runAs(support, tricks[each]), tricks[each]));
        }
        QVERIFY(isDone(runAs(support, "SELECT " + schema +
                                          ".sendoff_submit_operation('retry', 'id:a', 0, 1, '{}', 0, 0, '', 0, '')"),
                       "support"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 1);
        QCOMPARE(checkAudit(store.database())->rows, 1);
    }

    void onesOwnOperationsAndThoseOfOthers()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        logins.add(QStringLiteral("other"), QStringLiteral("support"));
        const NewOperation retry = operationOf(QStringLiteral("retry"), QStringLiteral("id:dead-1"));
        Database &support = logins.as(QStringLiteral("support"));
        for (const auto what : {OperationChange::Pause, OperationChange::Resume, OperationChange::Rate,
                                OperationChange::Stop, OperationChange::Undo}) {
            const qint64 own = *submit(support, retry);
            QVERIFY(isRefused(change(logins.as(QStringLiteral("viewer")), own, what, 5), "viewer"));
            const auto other = change(logins.as(QStringLiteral("other")), own, what, 5);
            QVERIFY(isRefused(other, "other"));
            QVERIFY2(other.error().message.contains(logins.loginOf(QStringLiteral("support"))),
                     qPrintable(other.error().message));
            QCOMPARE(*change(support, own, what, 5), true);
            const qint64 second = *submit(support, retry);
            QCOMPARE(*change(logins.as(QStringLiteral("operator")), second, what, 5), true);
        }
        QCOMPARE(*change(support, 4711, OperationChange::Undo), false);
        // One's role counts at the time of the change.
        const qint64 last = *submit(support, retry);
        QVERIFY(isDone(runAs(store.database(),
                             "REVOKE sendoff_support FROM " + logins.loginOf(QStringLiteral("support")).toLatin1()),
                       "revoke"));
        QVERIFY(isRefused(change(support, last, OperationChange::Undo), "nobody any more"));
        QCOMPARE(store.text("SELECT state FROM sendoff_operation WHERE id = ?", {last}), QStringLiteral("armed"));
        QCOMPARE(checkAudit(store.database())->firstBroken, 0);
    }

    void theLoginIsTheActorEvenUnderSetRole()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Database &admin = logins.as(QStringLiteral("admin"));
        QVERIFY(isDone(runAs(admin, "SET ROLE sendoff_viewer"), "set role"));
        const auto id = submit(admin, operationOf(QStringLiteral("note"), {}));
        QVERIFY(isDone(id, "note"));
        QCOMPARE(store.text("SELECT actor FROM sendoff_operation"), logins.loginOf(QStringLiteral("admin")));
        Database &viewer = logins.as(QStringLiteral("viewer"));
        for (const char *role : {"sendoff_support", "sendoff_operator", "sendoff_admin", "sendoff_engine"})
            QVERIFY(isRefused(runAs(viewer, QByteArray("SET ROLE ") + role), role));
    }

    void rightsSayWhoOneIs()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        for (const QString &name : people) {
            const auto rights = rightsOf(logins.as(name));
            QVERIFY(isDone(rights, name.toUtf8()));
            QCOMPARE(rights->login, logins.loginOf(name));
            QCOMPARE(rights->role, fromText<Role>(name));
            QVERIFY(rights->isEnforced);
        }
        for (const QString &name : {QStringLiteral("nobody"), QStringLiteral("producer"), QStringLiteral("engine")}) {
            const auto rights = rightsOf(logins.as(name));
            QVERIFY(isDone(rights, name.toUtf8()));
            QVERIFY(!rights->role);
        }
        const auto owner = rightsOf(store.database());
        QCOMPARE(owner->login, store.url().user);
        QCOMPARE(owner->role, std::optional<Role>(Role::Admin));

        TestDatabase file(StoreUrl::Kind::Sqlite);
        QCOMPARE(rightsOf(file.database())->role, std::optional<Role>(Role::Admin));
        QVERIFY(!rightsOf(file.database())->isEnforced);
        QCOMPARE(rightsOf(*file.connect(Access::ReadOnly))->role, std::optional<Role>(Role::Viewer));
    }

    void peoplesQueriesWorkUnderEachRole_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString &name : people)
            QTest::newRow(qPrintable(name)) << name;
    }

    void peoplesQueriesWorkUnderEachRole()
    {
        QFETCH(QString, name);
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Rows rows(store);
        const auto stored =
            submit(store.database(), operationOf(QStringLiteral("retry"), QStringLiteral("state:dead")));
        QVERIFY(isDone(stored, "submit"));
        const qint64 id = *stored;
        const auto console = admin::makeStoreConsole(logins.connect(name), "key");
        const Filter dead = parsed(QStringLiteral("state:dead"));
        const Filter live = parsed(QStringLiteral("user:u1 channel:email age<1d"));
        QVERIFY(isDone(console->status(), "status"));
        for (const Filter &filter : {dead, live, Filter()}) {
            for (const auto sort : {DeliverySort::Newest, DeliverySort::NextDue, DeliverySort::Oldest}) {
                const auto page = console->deliveries(filter, sort, {}, 1);
                QVERIFY(isDone(page, "deliveries"));
                if (!page->next.isEmpty())
                    QVERIFY(isDone(console->deliveries(filter, sort, page->next, 1), "next page"));
            }
            QVERIFY(isDone(console->count(filter), "count"));
        }
        const auto story = console->story(DeliveryId(QStringLiteral("dead-1")));
        QVERIFY(isDone(story, "story"));
        QVERIFY(isDone(console->events({}, 0, 10), "events"));
        QVERIFY(isDone(console->eventStory(EventId(QStringLiteral("e1"))), "event story"));
        QVERIFY(isDone(console->operations(10), "operations"));
        QVERIFY(isDone(console->operation(id), "operation"));
        QVERIFY(isDone(console->operationItems(id, {}, 10), "items"));
        for (const auto grouping : {ProblemGrouping::Fingerprint, ProblemGrouping::Provider, ProblemGrouping::EventType,
                                    ProblemGrouping::RecipientDomain}) {
            QVERIFY(isDone(console->problems(grouping, {}, 10), "problems"));
            QVERIFY(isDone(console->problems(grouping, live, 10), "problems of a filter"));
        }
        QVERIFY(isDone(console->forecast(60), "forecast"));
        const Timestamp now = SystemClock().now();
        QVERIFY(isDone(console->activity(now - std::chrono::hours(1), now, std::chrono::minutes(1)), "activity"));
        QVERIFY(isDone(console->notes(QStringLiteral("delivery"), QStringLiteral("dead-1")), "notes"));
        QVERIFY(isDone(console->audit(0, 10), "audit"));
        QVERIFY(isDone(console->rights(), "rights"));
        for (const char *verb : {"retry", "cancel", "discard", "retry_event"}) {
            admin::OperationRequest request;
            request.verb = QString::fromLatin1(verb);
            request.filter = qstrcmp(verb, "retry_event") == 0 ? parsed(QStringLiteral("type:a")) : dead;
            QVERIFY(isDone(console->preview(request), verb));
        }
        for (const char *query : {"u1", "jo.canary@example.com", "e1", "dead-1"}) {
            const auto person = console->person(QString::fromLatin1(query), 10);
            if (name == QLatin1String("viewer"))
                QVERIFY(isRefused(person, query));
            else
                QVERIFY2(person.ok() || person.error().code == ErrorCode::NotFound,
                         person ? "" : qPrintable(person.error().message));
        }
        QVERIFY(console->person(QStringLiteral("u1"), 10).ok() || name == QLatin1String("viewer"));
    }

    void anEditsAddressIsNotInWhatPeopleRead()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        NewOperation edit = operationOf(QStringLiteral("edit"), QStringLiteral("id:dead-1"));
        edit.parameters =
            "{\"address\":\"canary@example.com\",\"locale\":\"de\",\"payload_patch\":\"{\\\"a\\\":\\\"canary\\\"}\"}";
        const auto id = submit(logins.as(QStringLiteral("operator")), edit);
        QVERIFY(isDone(id, "edit"));
        const auto console = admin::makeStoreConsole(logins.connect(QStringLiteral("viewer")));
        const auto seen = console->operation(*id);
        QVERIFY(isDone(seen, "operation"));
        QVERIFY(!seen->parameters.address.contains(QStringLiteral("canary")));
        QVERIFY(!seen->parameters.payloadPatch.contains("canary"));
        const QString shown = *ask(logins.as(QStringLiteral("viewer")), "SELECT parameters FROM sendoff_v_operation");
        QVERIFY2(!shown.contains(QStringLiteral("canary")) && shown.contains(QStringLiteral("de")), qPrintable(shown));
        QVERIFY(store.text("SELECT detail FROM sendoff_audit").contains(QStringLiteral("id:dead-1")));
        QVERIFY(!store.text("SELECT detail FROM sendoff_audit").contains(QStringLiteral("canary")));
    }

    // ---- reveal ----------------------------------------------------------------------------------------------------

    void revealAnswersAnAdminOnceAndIsWrittenDown_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("sqlite") << int(StoreUrl::Kind::Sqlite);
        QTest::newRow("postgresql") << int(StoreUrl::Kind::PostgreSql);
    }

    void revealAnswersAnAdminOnceAndIsWrittenDown()
    {
        QFETCH(int, kind);
        TestDatabase store{StoreUrl::Kind(kind)};
        Rows rows(store);
        const QString reason = QStringLiteral("ticket 12");
        const auto live = reveal(store.database(), DeliveryId(QStringLiteral("live-1")), reason, QStringLiteral("ana"));
        QVERIFY(isDone(live, "live"));
        QCOMPARE(live->address, secretAddress);
        QCOMPARE(live->payload, secretPayload);
        const auto ended =
            reveal(store.database(), DeliveryId(QStringLiteral("dead-1")), reason, QStringLiteral("ana"));
        QVERIFY(isDone(ended, "ended"));
        QCOMPARE(ended->payload, QByteArray("{\"edited\":\"canary\"}"));
        const auto audit = auditRows(store.database(), 0, 10);
        QCOMPARE(audit->back().action, QStringLiteral("reveal"));
        QCOMPARE(audit->back().object, QStringLiteral("delivery live-1"));
        QVERIFY(audit->back().detail.contains(reason));
        for (const AuditRecord &row : *audit)
            QVERIFY(!row.detail.contains(QStringLiteral("canary")));
        QCOMPARE(checkAudit(store.database())->firstBroken, 0);
        for (const QString &none : {QString(), QStringLiteral("  \n")}) {
            const auto refused =
                reveal(store.database(), DeliveryId(QStringLiteral("live-1")), none, QStringLiteral("ana"));
            QCOMPARE(refused.error().code, ErrorCode::Refused);
        }
        QCOMPARE(
            reveal(store.database(), DeliveryId(QStringLiteral("none")), reason, QStringLiteral("ana")).error().code,
            ErrorCode::NotFound);
        QCOMPARE(checkAudit(store.database())->rows, qint64(audit->size()));
    }

    void revealIsOnlyForAdmins()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Rows rows(store);
        const DeliveryId id(QStringLiteral("dead-1"));
        for (const QString &name : everybody + QStringList{QStringLiteral("engine")}) {
            const auto answer = reveal(logins.as(name), id, QStringLiteral("why not"), {});
            if (name != QLatin1String("admin")) {
                QVERIFY(isRefused(answer, name.toUtf8()));
                continue;
            }
            QVERIFY(isDone(answer, "admin"));
            QCOMPARE(answer->address, secretAddress);
        }
        QCOMPARE(store.text("SELECT actor FROM sendoff_audit ORDER BY id LIMIT 1"),
                 logins.loginOf(QStringLiteral("admin")));
        QCOMPARE(checkAudit(store.database())->rows, 2); // asked and answered
    }

    void revealAnswersOnlyAnOwnCommittedFreshRequest()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        logins.add(QStringLiteral("second"), QStringLiteral("admin"));
        Rows rows(store);
        Database &admin = logins.as(QStringLiteral("admin"));
        const QByteArray request = "SELECT sendoff_request_reveal('dead-1', 'ticket')";
        const QByteArray answer = "SELECT address FROM sendoff_reveal(?)";

        // In one transaction, with or without a savepoint between.
        for (const bool hasSavepoint : {false, true}) {
            const auto both = admin.write([&](Session &session) -> QString {
                qint64 id = 0;
                if (hasSavepoint)
                    session.command("SAVEPOINT asked");
                {
                    Cursor row = session.run(request);
                    row.next();
                    id = row.integer(0);
                }
                if (hasSavepoint)
                    session.command("RELEASE SAVEPOINT asked");
                Cursor row = session.run(answer, {id});
                return row.next() ? row.text(0) : QString();
            });
            QVERIFY(isRefused(both, "one transaction"));
        }
        QVERIFY(isRefused(ask(admin,
                              "SELECT r.address FROM (SELECT sendoff_request_reveal('dead-1', 'x') AS id) q, LATERAL "
                              "sendoff_reveal(q.id) r"),
                          "one statement"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);

        // After a rollback.
        qint64 rolledBack = 0;
        QVERIFY(!admin
                     .write([&](Session &session) -> Result<void> {
                         Cursor row = session.run(request);
                         row.next();
                         rolledBack = row.integer(0);
                         return Error{ErrorCode::Conflict, QStringLiteral("rolled back")};
                     })
                     .ok());
        QVERIFY(rolledBack > 0);
        QVERIFY(isRefused(ask(admin, answer, {rolledBack}), "rolled back"));

        // Another's; twice; another operation; none.
        const qint64 own = ask(admin, request)->toLongLong();
        QVERIFY(isRefused(ask(logins.as(QStringLiteral("second")), answer, {own}), "another's"));
        QVERIFY(isRefused(ask(store.database(), answer, {own}), "the owner"));
        QCOMPARE(*ask(admin, answer, {own}), secretAddress);
        QVERIFY(isRefused(ask(admin, answer, {own}), "twice"));
        const qint64 note = *submit(admin, operationOf(QStringLiteral("note"), {}));
        QVERIFY(isRefused(ask(admin, answer, {note}), "a note"));
        QVERIFY(isRefused(ask(admin, answer, {qint64(4711)}), "none"));
        QVERIFY(isRefused(ask(admin, "SELECT address FROM sendoff_reveal(NULL)"), "null"));

        // Too late.
        const qint64 late = ask(admin, request)->toLongLong();
        store.run("UPDATE sendoff_operation SET created_at = created_at - interval '61 seconds' WHERE id = ?", {late});
        QVERIFY(isRefused(ask(admin, answer, {late}), "late"));

        // A role that was taken away meanwhile.
        const qint64 last = ask(admin, request)->toLongLong();
        QVERIFY(isDone(
            runAs(store.database(), "REVOKE sendoff_admin FROM " + logins.loginOf(QStringLiteral("admin")).toLatin1()),
            "revoke"));
        QVERIFY(isRefused(ask(admin, answer, {last}), "nobody any more"));
        QCOMPARE(checkAudit(store.database())->firstBroken, 0);
    }

    void anAnswerThatIsRolledBackLeavesItsRequestInTheAudit()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Rows rows(store);
        Database &admin = logins.as(QStringLiteral("admin"));
        const qint64 id = ask(admin, "SELECT sendoff_request_reveal('dead-1', 'ticket')")->toLongLong();
        QString seen;
        QVERIFY(!admin
                     .write([&](Session &session) -> Result<void> {
                         Cursor row = session.run("SELECT address FROM sendoff_reveal(?)", {id});
                         row.next();
                         seen = row.text(0);
                         return Error{ErrorCode::Conflict, QStringLiteral("rolled back")};
                     })
                     .ok());
        QCOMPARE(seen, secretAddress);
        QCOMPARE(auditRows(store.database(), 0, 10)->front().object, QStringLiteral("delivery dead-1"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation WHERE verb = 'reveal'"), 1);
    }

    // ---- publish ---------------------------------------------------------------------------------------------------

    void onlyAdminsPublish()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        for (const QString &name : everybody + QStringList{QStringLiteral("engine")}) {
            if (name == QLatin1String("admin"))
                continue;
            QVERIFY(
                isRefused(publish(logins.as(name), someSet(name.toUtf8()), QStringLiteral("eve"), {}), name.toUtf8()));
            QVERIFY(isRefused(revertPublication(logins.as(name), QStringLiteral("eve"), {}), name.toUtf8()));
        }
        Database &admin = logins.as(QStringLiteral("admin"));
        const auto first = publish(admin, someSet("a"), QStringLiteral("eve"), QStringLiteral("first"));
        QVERIFY(isDone(first, "publish"));
        QCOMPARE(first->actor, logins.loginOf(QStringLiteral("admin")));
        QCOMPARE(first->note, QStringLiteral("first"));
        QCOMPARE(publish(admin, someSet("a"), {}, {})->id, first->id);
        QVERIFY(isDone(publish(admin, someSet("b"), {}, {}), "publish"));
        const auto reverted = revertPublication(admin, {}, QStringLiteral("back"));
        QVERIFY(isDone(reverted, "revert"));
        QCOMPARE(reverted->hash, first->hash);
        QCOMPARE(checkAudit(store.database())->rows, 3);
        // Engines and lookers read it.
        QVERIFY(isDone(publishedSet(logins.as(QStringLiteral("engine")), 0), "engine"));
        QVERIFY(isDone(publications(logins.as(QStringLiteral("viewer")), 5), "viewer"));
    }

    // ---- engine ----------------------------------------------------------------------------------------------------

    void anEngineMayNotRewriteTheAuditNorGiveOrders()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Database &engine = logins.as(QStringLiteral("engine"));
        // What it could append it could forge in anybody's name.
        const auto appended = engine.write([](Session &session) {
            appendAudit(session, {QStringLiteral("ana"), QStringLiteral("reveal"), QStringLiteral("delivery 1"), {}});
        });
        QVERIFY(!appended);
        QCOMPARE(appended.error().code, ErrorCode::Refused);
        QVERIFY(isDone(makePartitions(engine), "partitions"));
        for (const QByteArray &statement :
             {QByteArray("UPDATE sendoff_audit SET actor = 'eve'"), QByteArray("DELETE FROM sendoff_audit"),
              QByteArray("TRUNCATE sendoff_audit"),
              QByteArray("INSERT INTO sendoff_audit (actor, action, object, previous, "
                         "hash) VALUES ('a', 'b', 'c', '', '')"),
              QByteArray(
                  "INSERT INTO sendoff_operation (verb, filter, watermark, expected, actor, armed_until, state) VALUES "
                  "('retry', 'state:dead', 0, 0, 'ana', now(), 'armed')"),
              QByteArray(
                  "INSERT INTO sendoff_published_set (hash, catalogue, templates, actor) VALUES ('', '', '', '')"),
              QByteArray("UPDATE sendoff_schema SET min_writer = 99"),
              QByteArray("ALTER TABLE sendoff_event ADD COLUMN x int"), QByteArray("DROP TABLE sendoff_attempt")})
            QVERIFY(isRefused(runAs(engine, statement), statement));
        QCOMPARE(checkAudit(store.database())->rows, 0);
    }

    void anEngineLoginDoesAllOfAnEnginesWork()
    {
        test::EngineFixture fixture(StoreUrl::Kind::PostgreSql);
        TestDatabase &store = fixture.database();
        Logins logins(store);
        fixture.publish();
        test::EngineFixture::Settings settings;
        settings.user = logins.loginOf(QStringLiteral("engine")).toLatin1();
        fixture.configure(settings);
        store.run(
            "INSERT INTO sendoff_contact (user_id, channel, address) VALUES ('u3', 'push', 'ExponentPushToken[abc]')");
        fixture.emitEvents(3);
        fixture.emitEvents(1, "ping");
        fixture.emitEvents(2, "memo");
        fixture.emitEvents(1, "unknown.type"); // refused three times, then a person's business
        auto engine = fixture.start({QStringLiteral("run"), QStringLiteral("--until-idle")});
        const int code = fixture.ended(*engine);
        QVERIFY2(code == 0, fixture.errorOutput().constData());
        QVERIFY2(!fixture.errorOutput().contains("permission denied"), fixture.errorOutput().constData());
        QCOMPARE(fixture.countState("accepted"), 4);
        QCOMPARE(fixture.countState("delivered"), 2);
        // And what people ask for: they give the order, the engine's login carries it out.
        test::RowSpec row;
        row.id = QStringLiteral("dead-1");
        row.type = QStringLiteral("note");
        row.state = DeliveryState::Dead;
        test::insertDelivery(store, row);
        NewOperation discard = operationOf(QStringLiteral("discard"), QStringLiteral("id:dead-1"));
        discard.armed = Milliseconds(0);
        discard.watermark = store.number("SELECT max(sequence) FROM sendoff_event");
        QVERIFY(isDone(submit(logins.as(QStringLiteral("admin")), discard), "discard"));
        auto second = fixture.start({QStringLiteral("run"), QStringLiteral("--until-idle")});
        QVERIFY2(fixture.ended(*second) == 0, fixture.errorOutput().constData());
        QVERIFY2(!fixture.errorOutput().contains("permission denied"), fixture.errorOutput().constData());
        QCOMPARE(fixture.countState("discarded"), 1);
        QCOMPARE(store.text("SELECT state FROM sendoff_operation"), QStringLiteral("done"));
    }

    // ---- command line ----------------------------------------------------------------------------------------------

    void theCommandLineSaysWhoMayNotAndExitsFive()
    {
        TestDatabase store(StoreUrl::Kind::PostgreSql);
        Logins logins(store);
        Rows rows(store);
        const auto run = [&](const QString &name, const QStringList &arguments) {
            auto program = std::make_unique<QProcess>();
            const StoreUrl url = name.isEmpty() ? store.url() : logins.urlOf(name);
            program->start(QStringLiteral(SENDOFF_BINARY_DIR "/app/sendoffd"),
                           arguments + QStringList{QStringLiteral("--store"), url.toText()});
            if (!program->waitForFinished(60'000))
                qFatal("sendoffd did not end");
            return program;
        };
        const QStringList retry{QStringLiteral("retry"), QStringLiteral("dead-1"), QStringLiteral("--reason"),
                                QStringLiteral("x")};
        const auto refused = run(QStringLiteral("viewer"), retry);
        const QByteArray said = refused->readAllStandardError();
        QVERIFY2(refused->exitCode() == 5, said.constData());
        QVERIFY2(
            said.contains(logins.loginOf(QStringLiteral("viewer")).toUtf8() + " may not retry: needs sendoff_support"),
            said.constData());
        const auto done = run(QStringLiteral("support"), retry);
        QVERIFY2(done->exitCode() == 0, done->readAllStandardError().constData());

        const QStringList reveal{QStringLiteral("reveal"), QStringLiteral("dead-1"), QStringLiteral("--reason"),
                                 QStringLiteral("ticket 12")};
        const auto hidden = run(QStringLiteral("operator"), reveal);
        QCOMPARE(hidden->exitCode(), 5);
        QVERIFY(!(hidden->readAllStandardOutput() + hidden->readAllStandardError()).contains("canary"));
        const auto shown = run(QStringLiteral("admin"), reveal);
        QCOMPARE(shown->exitCode(), 0);
        QVERIFY(shown->readAllStandardOutput().contains(secretAddress.toUtf8()));

        QCOMPARE(run(QStringLiteral("operator"), {QStringLiteral("roles"), QStringLiteral("--apply")})->exitCode(), 5);
        const auto applied = run({}, {QStringLiteral("roles"), QStringLiteral("--apply")});
        QCOMPARE(applied->exitCode(), 0);
        QVERIFY(applied->readAllStandardOutput().contains("GRANT sendoff_operator TO ana"));
        const auto printed = run({}, {QStringLiteral("roles"), QStringLiteral("--print")});
        QCOMPARE(printed->exitCode(), 0);
        const QByteArray sql = printed->readAllStandardOutput();
        QVERIFY(sql.startsWith("BEGIN;") && sql.trimmed().endsWith("COMMIT;"));
        QVERIFY(isDone(runAs(*store.connect(), sql.trimmed().mid(6).chopped(7)), "what is printed runs"));
        QCOMPARE(run({}, {QStringLiteral("roles")})->exitCode(), 2);

        TestDatabase file(StoreUrl::Kind::Sqlite);
        for (const char *option : {"--print", "--apply"}) {
            QProcess program;
            program.start(
                QStringLiteral(SENDOFF_BINARY_DIR "/app/sendoffd"),
                {QStringLiteral("roles"), QString::fromLatin1(option), QStringLiteral("--store"), file.url().toText()});
            QVERIFY(program.waitForFinished(60'000));
            QCOMPARE(program.exitCode(), 5);
            QVERIFY(program.readAllStandardError().contains("SQLite"));
        }
    }
};

QTEST_GUILESS_MAIN(tst_rights)
#include "tst_rights.moc"
