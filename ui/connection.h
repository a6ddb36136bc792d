#pragma once
#include "admin/console.h"

#include <QString>
#include <functional>
#include <memory>

namespace sendoff::ui {

// How much care a store deserves; it colours the stripe of every window and dialog.
enum class Environment { Local, Test, Production };

// A store a person looks into. The password is asked for each time and stored nowhere.
struct Connection
{
    QString name;
    QString url; // "sqlite:PATH" or "postgresql://…", never with a password
    Environment environment = Environment::Local;
    bool lookOnly = false; // no command is offered
    QString password;

    bool isSqlite() const { return url.startsWith(QLatin1String("sqlite:")); }
};

// Opens a store; called on a worker's thread, may block, and what it answers stays on that thread.
using ConsoleOpener = std::function<Result<std::unique_ptr<admin::Console>>(const Connection &)>;

} // namespace sendoff::ui
