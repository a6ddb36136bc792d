#pragma once
#include <QByteArray>
#include <QString>

namespace sendoff::store {

// Our SQL in the words of one database. Pieces that differ:
//   $now            the database's clock                 $now_plus(X)   that many milliseconds later (X may be ?)
//   $now_us         the clock as microseconds since 1970 $today         its UTC day, "2026-11-30"
//   $ms(X)          a time as milliseconds since 1970    $at(X)         milliseconds since 1970 as a time
//   $skip_locked    FOR UPDATE SKIP LOCKED | nothing: SQLite's writers are alone anyway
//   $lock           FOR UPDATE | nothing
//   $any(X)         = ANY(ARRAY(X)) | IN (X): joining the sub-select makes PostgreSQL scan the table
//   $rows           the elements of a JSON array given as parameter, as j(value); read with value->>'name'
//   $least(A, B) / $greatest(A, B)
// and what only the migrations use: $time(x), $identity, $flag, $bytes, $end_table.
QString expandedSql(const QByteArray &sql, bool isPostgreSql);

} // namespace sendoff::store
