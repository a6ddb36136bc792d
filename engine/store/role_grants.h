#pragma once
#include <QByteArray>
#include <QString>

namespace sendoff::store {

// The SQL that makes the group roles on a server and grants each what it needs in one schema: run by the owner of the
// tables, as one transaction, repeatable. It only adds for roles and only takes from PUBLIC, so that what a newer
// version granted stays.
QByteArray roleGrants(const QString &schema);

} // namespace sendoff::store
