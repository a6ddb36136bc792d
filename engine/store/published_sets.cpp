#include "store/published_sets.h"

#include "store/audit_store.h"
#include "store/bound_text.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace sendoff::store {

namespace {

// Keys of a QJsonObject are sorted and its text is compact: equal templates give equal bytes.
QString templatesText(const QMap<QString, QByteArray> &templates)
{
    QJsonObject object;
    for (auto it = templates.cbegin(); it != templates.cend(); ++it)
        object.insert(it.key(), QString::fromUtf8(it.value()));
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

constexpr auto rowColumns = "SELECT id, hash, actor, note, $ms(published_at)";

PublishedSetRow rowFrom(const Cursor &row)
{
    return {row.integer(0), row.text(1), row.text(2), row.text(3), row.time(4)};
}

PublishedSetRow insertSet(Session &session, const QString &hash, const QString &catalogue, const QString &templates,
                          const QString &actor, const QString &note, const QString &action)
{
    PublishedSetRow stored;
    {
        Cursor row = session.run(
            "INSERT INTO sendoff_published_set (hash, catalogue, templates, actor, note) VALUES (?, ?, ?, ?, ?) "
            "RETURNING id, hash, actor, note, $ms(published_at)",
            {hash, catalogue, templates, boundText(actor), boundText(note)});
        row.next();
        stored = rowFrom(row);
    }
    appendAudit(session, {actor, action, QStringLiteral("set %1").arg(stored.id), note});
    return stored;
}

// On PostgreSQL a checked function publishes: it looks at the login, stamps it as actor and writes the audit row.
PublishedSetRow setById(Session &session, qint64 id)
{
    Cursor row = session.run(QByteArray(rowColumns) + " FROM sendoff_published_set WHERE id = ?", {id});
    return row.next() ? rowFrom(row) : PublishedSetRow();
}

qint64 answeredId(Cursor row)
{
    return row.next() ? row.integer(0) : 0;
}

Error noEarlierSet()
{
    return {ErrorCode::NotFound, QStringLiteral("no earlier set was published; publish the files you want instead")};
}

} // namespace

Result<PublishedSetRow> publish(Database &database, const PublishedSet &set, const QString &actor, const QString &note)
{
    for (auto it = set.templates.cbegin(); it != set.templates.cend(); ++it) {
        if (QString::fromUtf8(it.value()).toUtf8() != it.value())
            return Error{ErrorCode::Invalid,
                         QStringLiteral("template %1 is not valid UTF-8; save it as UTF-8").arg(it.key())};
    }
    const QString hash = set.hash();
    return database.write([&](Session &session) -> PublishedSetRow {
        const QString catalogue = QString::fromUtf8(set.catalogue.toJson());
        const QString templates = templatesText(set.templates);
        if (session.isPostgreSql())
            return setById(session, answeredId(session.run("SELECT sendoff_publish(?, ?, ?, ?)",
                                                           {hash, catalogue, templates, boundText(note)})));
        {
            Cursor row = session.run(QByteArray(rowColumns) + " FROM sendoff_published_set ORDER BY id DESC LIMIT 1");
            if (row.next() && row.text(1) == hash)
                return rowFrom(row);
        }
        return insertSet(session, hash, catalogue, templates, actor, note, QStringLiteral("publish"));
    });
}

Result<PublishedSetRow> revertPublication(Database &database, const QString &actor, const QString &note)
{
    return database.write([&](Session &session) -> Result<PublishedSetRow> {
        if (session.isPostgreSql()) {
            const qint64 id = answeredId(session.run("SELECT sendoff_revert_publication(?)", {boundText(note)}));
            return id == 0 ? Result<PublishedSetRow>(noEarlierSet()) : setById(session, id);
        }
        QString hash;
        QString catalogue;
        QString templates;
        {
            Cursor row = session.run(
                "SELECT hash, catalogue, templates FROM sendoff_published_set ORDER BY id DESC LIMIT 1 OFFSET 1");
            if (!row.next())
                return noEarlierSet();
            hash = row.text(0);
            catalogue = row.text(1);
            templates = row.text(2);
        }
        return insertSet(session, hash, catalogue, templates, actor, note, QStringLiteral("revert"));
    });
}

Result<std::vector<PublishedSetRow>> publications(Database &database, int limit)
{
    return database.read([&](Session &session) {
        std::vector<PublishedSetRow> rows;
        Cursor row =
            session.run(QByteArray(rowColumns) + " FROM sendoff_published_set ORDER BY id DESC LIMIT ?", {limit});
        while (row.next())
            rows.push_back(rowFrom(row));
        return rows;
    });
}

Result<PublishedSet> publishedSet(Database &database, qint64 id)
{
    return database.read([&](Session &session) -> Result<PublishedSet> {
        Cursor row = session.run(
            "SELECT id, catalogue, templates, hash FROM sendoff_published_set WHERE CAST(? AS bigint) = 0 OR id = ? "
            "ORDER BY id DESC LIMIT 1",
            {id, id});
        if (!row.next())
            return Error{ErrorCode::NotFound, id == 0
                                                  ? QStringLiteral("nothing is published yet; run `sendoffd publish`")
                                                  : QStringLiteral("there is no published set %1").arg(id)};
        Result<Catalogue> catalogue = Catalogue::fromJson(row.bytes(1));
        if (!catalogue)
            return catalogue.error();
        PublishedSet set;
        set.id = row.integer(0);
        set.catalogue = std::move(*catalogue);
        const QJsonObject templates = QJsonDocument::fromJson(row.bytes(2)).object();
        for (auto it = templates.constBegin(); it != templates.constEnd(); ++it)
            set.templates.insert(it.key(), it.value().toString().toUtf8());
        if (set.hash() != row.text(3))
            return Error{ErrorCode::Corrupt,
                         QStringLiteral("published set %1 does not fit its hash; publish it again").arg(set.id)};
        return set;
    });
}

Result<qint64> currentPublishedSet(Database &database)
{
    return database.readOnce([](Session &session) {
        Cursor row = session.run("SELECT coalesce(max(id), 0) FROM sendoff_published_set");
        row.next();
        return row.integer(0);
    });
}

} // namespace sendoff::store
