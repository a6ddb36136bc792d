#include "store/audit_store.h"

#include "store/bound_text.h"

#include <QCryptographicHash>
#include <limits>

namespace sendoff::store {

namespace {

// Fields are length-prefixed, so that no two rows spell the same text. sendoff_append_audit in 0003_rights.sql hashes
// the same bytes.
QString chainHash(const QString &previous, qint64 at, const AuditEntry &entry)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QString &field :
         {previous, QString::number(at), entry.actor, entry.action, entry.object, entry.detail}) {
        const QByteArray text = field.toUtf8();
        hash.addData(QByteArray::number(text.size()) + ':');
        hash.addData(text);
    }
    return QString::fromLatin1(hash.result().toHex());
}

} // namespace

void appendAudit(Session &session, const AuditEntry &entry)
{
    if (session.isPostgreSql()) {
        session.run("SELECT sendoff_append_audit(?, ?, ?, ?)", {boundText(entry.actor), boundText(entry.action),
                                                                boundText(entry.object), boundText(entry.detail)});
        return;
    }
    QString previous = QStringLiteral("");
    qint64 at = 0;
    {
        Cursor row = session.run("SELECT hash FROM sendoff_audit ORDER BY id DESC LIMIT 1");
        if (row.next())
            previous = row.text(0);
    }
    {
        Cursor row = session.run("SELECT $ms($now)");
        row.next();
        at = row.integer(0);
    }
    session.run("INSERT INTO sendoff_audit (at, actor, action, object, detail, previous, hash) VALUES ($at(?), ?, ?, "
                "?, ?, ?, ?)",
                {at, boundText(entry.actor), boundText(entry.action), boundText(entry.object), boundText(entry.detail),
                 previous, chainHash(previous, at, entry)});
}

Result<std::vector<AuditRecord>> auditRows(Database &database, qint64 beforeId, int limit)
{
    if (limit < 1 || limit > 1'000)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to 1000")};
    return database.read([&](Session &session) {
        std::vector<AuditRecord> rows;
        Cursor row =
            session.run("SELECT id, $ms(at), actor, action, object, detail, hash FROM sendoff_audit WHERE id < ? "
                        "ORDER BY id DESC LIMIT ?",
                        {beforeId > 0 ? beforeId : std::numeric_limits<qint64>::max(), limit});
        while (row.next())
            rows.push_back(
                {row.integer(0), row.time(1), row.text(2), row.text(3), row.text(4), row.text(5), row.text(6)});
        return rows;
    });
}

Result<AuditCheck> checkAudit(Database &database)
{
    constexpr int page = 5'000; // so that a long chain is never in memory at once
    return database.read([](Session &session) {
        AuditCheck check;
        QString previous = QStringLiteral("");
        qint64 last = 0;
        int found = page;
        while (found == page && check.firstBroken == 0) {
            found = 0;
            Cursor row = session.run("SELECT id, $ms(at), actor, action, object, detail, previous, hash "
                                     "FROM sendoff_audit WHERE id > ? ORDER BY id LIMIT ?",
                                     {last, page});
            while (check.firstBroken == 0 && row.next()) {
                ++found;
                ++check.rows;
                last = row.integer(0);
                const QString hash =
                    chainHash(previous, row.integer(1), {row.text(2), row.text(3), row.text(4), row.text(5)});
                if (row.text(6) != previous || row.text(7) != hash)
                    check.firstBroken = last;
                previous = hash;
            }
        }
        return check;
    });
}

} // namespace sendoff::store
