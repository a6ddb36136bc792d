#pragma once
#include "domain/json_document.h"
#include "render/html_scanner.h"
#include <QString>
#include <optional>

namespace sendoff::render {

// A value made fit for its place; nothing where the place needs a safe URL and the value is none.
std::optional<QString> escapedFor(Place place, const QString &value);

// Control characters and line separators become blanks, so that a header stays one line.
QString oneLine(QString text);

// http or https with a host and no user name, or a path of the application ("/bookings/7"); no blanks or controls.
bool isSafeUrl(const QString &url);

} // namespace sendoff::render
