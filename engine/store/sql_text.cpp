#include "store/sql_text.h"

#include <QHash>

namespace sendoff::store {

namespace {

// For each piece: PostgreSQL's words, SQLite's words; "%1" is the argument.
struct Piece
{
    const char *name;
    bool hasArgument;
    const char *postgreSql;
    const char *sqlite;
};

constexpr Piece pieces[] = {
    {"now_plus", true, "(statement_timestamp() + (%1) * interval '1 millisecond')",
     "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ((%1) / 1000.0) || ' seconds')"},
    {"now_us", false, "((extract(epoch from statement_timestamp()) * 1000000)::bigint)",
     "(CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000)"},
    {"now", false, "statement_timestamp()", "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"},
    {"today", false, "to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD')", "strftime('%Y-%m-%d', 'now')"},
    {"ms", true, "(floor(extract(epoch from %1) * 1000)::bigint)",
     "CAST(round((julianday(%1) - 2440587.5) * 86400000.0) AS INTEGER)"},
    {"at", true, "(timestamptz 'epoch' + (%1) * interval '1 millisecond')",
     "strftime('%Y-%m-%dT%H:%M:%fZ', (%1) / 1000.0, 'unixepoch')"},
    {"skip_locked", false, "FOR UPDATE SKIP LOCKED", ""},
    {"lock", false, "FOR UPDATE", ""},
    {"any", true, "= ANY(ARRAY(%1))", "IN (%1)"},
    {"rows", false, "jsonb_array_elements(CAST(? AS jsonb)) AS j(value)", "json_each(?) AS j"},
    {"least", true, "LEAST(%1)", "min(%1)"},
    {"greatest", true, "GREATEST(%1)", "max(%1)"},
    {"time", true, "%1 timestamptz",
     "%1 TEXT CHECK (%1 GLOB "
     "'[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].[0-9][0-9][0-9]Z')"},
    {"identity", false, "bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
     "INTEGER PRIMARY KEY AUTOINCREMENT"},
    {"flag", false, "smallint", "INTEGER"},
    {"bytes", false, "bytea", "BLOB"},
    {"end_table", false, "", " STRICT"},
};

// The text between the parenthesis at `from` and its partner; `end` is behind the partner.
QString argument(const QString &text, qsizetype from, qsizetype &end)
{
    int depth = 0;
    for (qsizetype at = from; at < text.size(); ++at) {
        if (text[at] == u'(')
            ++depth;
        else if (text[at] == u')' && --depth == 0) {
            end = at + 1;
            return text.mid(from + 1, at - from - 1);
        }
    }
    Q_ASSERT_X(false, "expandedSql", qPrintable(text));
    return {};
}

QString expanded(const QString &text, bool isPostgreSql)
{
    QString result;
    qsizetype at = 0;
    while (at < text.size()) {
        if (text[at] != u'$') {
            result += text[at++];
            continue;
        }
        const Piece *found = nullptr;
        for (const Piece &piece : pieces) {
            const qsizetype length = qsizetype(qstrlen(piece.name));
            if (QStringView(text).mid(at + 1).startsWith(QLatin1String(piece.name)) &&
                (at + 1 + length == text.size() ||
                 !(text[at + 1 + length].isLetterOrNumber() || text[at + 1 + length] == u'_'))) {
                found = &piece;
                at += 1 + length;
                break;
            }
        }
        if (!found) { // "$body$" of a function, "$1" of nobody
            result += text[at++];
            continue;
        }
        QString words = QString::fromLatin1(isPostgreSql ? found->postgreSql : found->sqlite);
        if (found->hasArgument) {
            qsizetype end = at;
            words.replace(QLatin1String("%1"), expanded(argument(text, at, end), isPostgreSql));
            at = end;
        }
        result += words;
    }
    return result;
}

} // namespace

QString expandedSql(const QByteArray &sql, bool isPostgreSql)
{
    return expanded(QString::fromUtf8(sql), isPostgreSql);
}

} // namespace sendoff::store
