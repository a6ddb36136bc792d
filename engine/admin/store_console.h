#pragma once
#include "admin/console.h"
#include "store/database.h"
#include <memory>

namespace sendoff::admin {

// The console over a store. Thread: the connection's, which it owns. A request without an actor is stored under
// defaultActor(). `hashKey` is the key of address hashes; without the right one nobody is found by an address.
std::unique_ptr<Console> makeStoreConsole(std::unique_ptr<store::Database> database, const QByteArray &hashKey = {});
// Who acts where a request names nobody: the login name of this process.
QString defaultActor();

} // namespace sendoff::admin
