#include "store/rights_store.h"

#include "store/audit_store.h"
#include "store/bound_text.h"
#include "store/role_grants.h"

namespace sendoff::store {

namespace {

constexpr qsizetype maxReason = 2'000;

// A file that may only be read makes a viewer; nothing else is enforced.
Result<RightsRecord> rightsOfFile(Database &database)
{
    RightsRecord rights;
    rights.login = qEnvironmentVariable("USER", qEnvironmentVariable("LOGNAME"));
    const auto tried =
        database.write([](Session &session) { session.run("UPDATE sendoff_schema SET schema = schema WHERE 1 = 0"); });
    if (!tried && tried.error().code != ErrorCode::ReadOnly && tried.error().code != ErrorCode::Busy)
        return tried.error();
    rights.role = !tried && tried.error().code == ErrorCode::ReadOnly ? Role::Viewer : Role::Admin;
    return rights;
}

QString objectName(const DeliveryId &id)
{
    return QStringLiteral("delivery ") + id.value;
}

Error noDelivery()
{
    return {ErrorCode::NotFound, QStringLiteral("there is no delivery with this id")};
}

constexpr auto contentOfDelivery =
    "SELECT d.address, coalesce((SELECT x.payload FROM sendoff_edit x WHERE x.delivery_id = d.id), e.payload, '') "
    "FROM sendoff_delivery d LEFT JOIN sendoff_event e ON e.id = d.event_id WHERE d.id = ? LIMIT 1";

Result<RevealedRecord> revealFromFile(Database &database, const DeliveryId &id, const QString &reason,
                                      const QString &actor)
{
    return database.write([&](Session &session) -> Result<RevealedRecord> {
        RevealedRecord revealed;
        {
            Cursor row = session.run(contentOfDelivery, {id.value});
            if (!row.next())
                return noDelivery();
            revealed = {row.text(0), row.bytes(1)};
        }
        appendAudit(session, {actor, QStringLiteral("reveal"), objectName(id), reason});
        return revealed;
    });
}

Result<RevealedRecord> revealByFunctions(Database &database, const DeliveryId &id, const QString &reason)
{
    const Result<qint64> request = database.write([&](Session &session) {
        Cursor row = session.run("SELECT sendoff_request_reveal(?, ?)", {id.value, boundText(reason)});
        return row.next() ? row.integer(0) : qint64(0);
    });
    if (!request)
        return request.error();
    if (*request == 0)
        return noDelivery();
    return database.write([&](Session &session) -> Result<RevealedRecord> {
        Cursor row = session.run("SELECT address, payload FROM sendoff_reveal(?)", {*request});
        if (!row.next())
            return noDelivery();
        return RevealedRecord{row.text(0), row.bytes(1)};
    });
}

} // namespace

Result<RightsRecord> rightsOf(Database &database)
{
    if (!database.isPostgreSql())
        return rightsOfFile(database);
    // From the catalogue alone: a login without any role may ask, too.
    return database.readOnce([&](Session &session) {
        RightsRecord rights;
        Cursor row = session.run(
            "SELECT CAST(session_user AS text), "
            "coalesce((SELECT pg_has_role(session_user, c.relowner, 'MEMBER') FROM pg_class c JOIN pg_namespace n ON "
            "n.oid = c.relnamespace WHERE n.nspname = ? AND c.relname = 'sendoff_operation'), false), "
            "count(*), coalesce(max(r.place) FILTER (WHERE pg_has_role(session_user, g.oid, 'MEMBER')), -1) "
            "FROM (VALUES ('sendoff_viewer', 0), ('sendoff_support', 1), ('sendoff_operator', 2), ('sendoff_admin', "
            "3)) "
            "AS r(name, place) JOIN pg_roles g ON g.rolname = r.name",
            {database.url().schema});
        if (!row.next())
            return rights;
        rights.login = row.text(0);
        rights.isEnforced = row.integer(2) == 4;
        if (row.flag(1))
            rights.role = Role::Admin;
        else if (row.integer(3) >= 0)
            rights.role = Role(row.integer(3));
        return rights;
    });
}

Result<QByteArray> rolesSql(const StoreUrl &url)
{
    if (url.kind == StoreUrl::Kind::PostgreSql)
        return roleGrants(url.schema);
    return Error{ErrorCode::Refused, QStringLiteral("a SQLite store has no roles: whoever may open the file may do "
                                                    "everything; guard the file, or use PostgreSQL")};
}

Result<void> applyRoles(Database &database)
{
    const Result<QByteArray> sql = rolesSql(database.url());
    if (!sql)
        return sql.error();
    return database.write([&](Session &session) { session.command(*sql); });
}

Result<RevealedRecord> reveal(Database &database, const DeliveryId &id, const QString &reason, const QString &actor)
{
    if (reason.trimmed().isEmpty())
        return Error{ErrorCode::Refused, QStringLiteral("a reveal is audited and needs a reason; there is none")};
    if (reason.size() > maxReason)
        return Error{ErrorCode::Invalid, QStringLiteral("reason is longer than %1 characters").arg(maxReason)};
    if (database.isPostgreSql())
        return revealByFunctions(database, id, reason);
    return revealFromFile(database, id, reason, actor);
}

} // namespace sendoff::store
