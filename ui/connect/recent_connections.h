#pragma once
#include "ui/connection.h"

#include <vector>

class QSettings;

namespace sendoff::ui {

// The stores looked into lately, newest first, kept in the program's settings without any password.
class RecentConnections
{
public:
    explicit RecentConnections(QSettings &settings);

    std::vector<Connection> all() const;
    void remember(const Connection &connection);
    void forget(const QString &url);
    // By its name or its URL, as --connect takes them; a URL that is not known yet becomes a connection of its own.
    std::optional<Connection> find(const QString &nameOrUrl) const;

    static constexpr int most = 12;

private:
    void write(const std::vector<Connection> &connections);

    QSettings &m_settings;
};

// What to call a store that has no name yet: the file, or database and host.
QString nameOf(const QString &url);

} // namespace sendoff::ui
