#pragma once
#include "ui/connection.h"
#include "ui/engine_switch.h"

#include <memory>

namespace sendoff::app {

// Opens a store for the console's screens: checks that it exists and is of this program's version, read-only where the
// person only looks or the store is newer. Errors are sentences with the remedy. Thread: the worker that calls it.
ui::ConsoleOpener consoleOpener();

// The engine inside the console, on a thread of its own, for SQLite stores. Reads the sendoff.toml beside the store.
// Destroying it waits for the drain.
std::unique_ptr<ui::EngineSwitch> makeEmbeddedEngine();

} // namespace sendoff::app
