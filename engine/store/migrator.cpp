#include "store/migrator.h"

#include "store/sql_error.h"

#include <QDir>
#include <QFile>

static void loadMigrations()
{
    Q_INIT_RESOURCE(sendoff);
}

namespace sendoff::store {

namespace {

// One migration file as statements for one database, see the head of 0001_first.sql.
std::vector<QByteArray> statementsOf(const QString &file, bool isPostgreSql)
{
    QFile source(file);
    const bool opened = source.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    QHash<QByteArray, QByteArray> pieces;
    QByteArray pieceName;
    QByteArray statement;
    std::vector<QByteArray> statements;
    const auto finish = [&] {
        for (auto piece = pieces.cbegin(); piece != pieces.cend(); ++piece)
            statement.replace("$(" + piece.key() + ")", piece.value().trimmed());
        if (!statement.trimmed().isEmpty())
            statements.push_back(statement.trimmed());
        statement.clear();
    };
    for (QByteArray line : source.readAll().split('\n')) {
        const bool forPostgreSql = line.startsWith("--pg ");
        const bool forSqlite = line.startsWith("--sqlite ");
        if (forPostgreSql || forSqlite) {
            if (forPostgreSql != isPostgreSql)
                continue;
            line = line.mid(line.indexOf(' ') + 1);
        }
        if (line.startsWith("--define ")) {
            pieceName = line.mid(9).trimmed();
            continue;
        }
        if (line == "--end") {
            pieceName.clear();
            continue;
        }
        if (line == "---") {
            finish();
            continue;
        }
        const qsizetype comment = line.indexOf("-- ");
        if (comment >= 0)
            line.truncate(comment);
        if (line.startsWith("--"))
            continue;
        if (!isPostgreSql) // STRICT tables know INTEGER only
            line.replace(" bigint", " INTEGER").replace(" integer", " INTEGER");
        (pieceName.isEmpty() ? statement : pieces[pieceName]) += line + '\n';
    }
    finish();
    return statements;
}

SchemaVersion readVersion(Session &session)
{
    Cursor exists = session.run(session.isPostgreSql()
                                    ? "SELECT 1 WHERE to_regclass('sendoff_schema') IS NOT NULL"
                                    : "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sendoff_schema'");
    if (!exists.next())
        return {};
    Cursor row = session.run("SELECT schema, min_reader, min_writer FROM sendoff_schema");
    if (!row.next())
        return {};
    return {int(row.integer(0)), int(row.integer(1)), int(row.integer(2))};
}

} // namespace

Result<SchemaVersion> schemaVersion(Database &database)
{
    return database.read([](Session &session) { return readVersion(session); });
}

Result<SchemaVersion> migrate(Database &database)
{
    loadMigrations();
    const QDir folder(QStringLiteral(":/sendoff/migrations"));
    const QStringList files = folder.entryList({QStringLiteral("*.sql")}, QDir::Files, QDir::Name);
    // Tables are created where the connection's search path points; a named schema may have to be made first.
    const QString schema = database.url().schema;
    return database.write([&](Session &session) -> Result<SchemaVersion> {
        if (session.isPostgreSql()) {
            session.command("SELECT pg_advisory_xact_lock(hashtext('sendoff_migrate'))");
            if (schema != QLatin1String("public"))
                session.command("CREATE SCHEMA IF NOT EXISTS " + schema.toLatin1());
        }
        const SchemaVersion before = readVersion(session);
        if (before.minWriter > schemaNumber)
            return Error{ErrorCode::Refused,
                         QStringLiteral("the store has schema %1 and needs a program of schema %2 or newer; install it")
                             .arg(before.schema)
                             .arg(before.minWriter)};
        for (const QString &file : files) {
            const int number = file.left(4).toInt();
            if (number <= before.schema)
                continue;
            for (const QByteArray &statement : statementsOf(folder.filePath(file), session.isPostgreSql()))
                session.command(statement);
            session.run("UPDATE sendoff_schema SET schema = ?, migrated_at = $now", {number});
        }
        return before;
    });
}

Result<void> checkSchema(const SchemaVersion &version)
{
    if (version.schema == 0)
        return Error{ErrorCode::Refused, QStringLiteral("the store is empty; run `sendoffd migrate`")};
    if (version.schema < schemaNumber)
        return Error{ErrorCode::Refused,
                     QStringLiteral("the store has schema %1, this program needs %2; run `sendoffd migrate`")
                         .arg(version.schema)
                         .arg(schemaNumber)};
    if (version.minReader > schemaNumber)
        return Error{ErrorCode::Refused,
                     QStringLiteral("the store has schema %1 and needs a newer program; install schema %2 or newer")
                         .arg(version.schema)
                         .arg(version.minReader)};
    if (version.minWriter > schemaNumber)
        return Error{ErrorCode::ReadOnly,
                     QStringLiteral("the store has schema %1; this program may only read it").arg(version.schema)};
    return {};
}

} // namespace sendoff::store
