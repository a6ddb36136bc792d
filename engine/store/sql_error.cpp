#include "store/sql_error.h"

#include <QSqlError>

namespace sendoff::store {

namespace {

ErrorCode codeOfPostgreSql(const QString &state)
{
    if (state.isEmpty() || state.startsWith(QLatin1String("08")) || state.startsWith(QLatin1String("57P")) ||
        state.startsWith(QLatin1String("53")) || state.startsWith(QLatin1String("58")))
        return ErrorCode::Unavailable; // QPSQL reports a lost session without a state
    if (state == QLatin1String("40001") || state == QLatin1String("40P01") || state == QLatin1String("55P03") ||
        state == QLatin1String("57014")) // a statement that somebody or a time limit cancelled
        return ErrorCode::Busy;
    if (state == QLatin1String("25006"))
        return ErrorCode::ReadOnly;
    if (state == QLatin1String("23505"))
        return ErrorCode::Conflict;
    if (state == QLatin1String("42501"))
        return ErrorCode::Refused;
    if (state == QLatin1String("26000") || state == QLatin1String("42P05"))
        return ErrorCode::StaleStatement;
    if (state.startsWith(QLatin1String("22")) || state.startsWith(QLatin1String("23")))
        return ErrorCode::Invalid;
    return ErrorCode::Corrupt;
}

ErrorCode codeOfSqlite(int code)
{
    switch (code & 0xff) { // the low byte is the primary code
    case 5:                // BUSY
    case 6:                // LOCKED
        return ErrorCode::Busy;
    case 8: // READONLY
        return ErrorCode::ReadOnly;
    case 10: // IOERR
    case 13: // FULL
    case 14: // CANTOPEN
    case 26: // NOTADB
        return ErrorCode::Unavailable;
    case 19: // CONSTRAINT
        return code == 2067 || code == 1555 || code == 19 ? ErrorCode::Conflict : ErrorCode::Invalid;
    default:
        return ErrorCode::Corrupt;
    }
}

} // namespace

QString plainText(const QSqlError &error)
{
    // PostgreSQL repeats row values in DETAIL and the statement in LINE; only its first line is safe to pass on.
    QString text = error.databaseText().section(u'\n', 0, 0).trimmed();
    if (text.isEmpty())
        text = error.driverText().section(u'\n', 0, 0).trimmed();
    if (text.contains(QLatin1String("unsupported startup parameter")))
        text += QStringLiteral("; the URL leads through a pooler: use session pooling or a direct URL");
    return text.isEmpty() ? QStringLiteral("the connection was lost") : text;
}

Error errorFrom(const QSqlError &error, bool isPostgreSql)
{
    const QString native = error.nativeErrorCode();
    ErrorCode code = isPostgreSql ? codeOfPostgreSql(native) : codeOfSqlite(native.toInt());
    if (!isPostgreSql && native == QLatin1String("19") && error.databaseText().contains(QLatin1String("CHECK")))
        code = ErrorCode::Invalid;
    QString text = plainText(error);
    if (code == ErrorCode::Refused) // the checked functions' own sentence, without the server's word in front
        text.remove(QLatin1String("ERROR:  "));
    if (code == ErrorCode::ReadOnly)
        text = QStringLiteral("the database is read-only (%1); connect to the primary or end its read-only mode")
                   .arg(text);
    return {code, text};
}

} // namespace sendoff::store
