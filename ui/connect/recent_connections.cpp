#include "ui/connect/recent_connections.h"

#include <QFileInfo>
#include <QSettings>
#include <QUrl>
#include <algorithm>

namespace sendoff::ui {

namespace {
const QString listKey = QStringLiteral("connections");
}

RecentConnections::RecentConnections(QSettings &settings)
    : m_settings(settings)
{}

std::vector<Connection> RecentConnections::all() const
{
    std::vector<Connection> connections;
    const int count = m_settings.beginReadArray(listKey);
    for (int at = 0; at < count; ++at) {
        m_settings.setArrayIndex(at);
        Connection connection;
        connection.name = m_settings.value(QStringLiteral("name")).toString();
        connection.url = m_settings.value(QStringLiteral("url")).toString();
        connection.environment = Environment(std::clamp(m_settings.value(QStringLiteral("environment")).toInt(), 0, 2));
        connection.lookOnly = m_settings.value(QStringLiteral("lookOnly")).toBool();
        connections.push_back(std::move(connection));
    }
    m_settings.endArray();
    return connections;
}

void RecentConnections::write(const std::vector<Connection> &connections)
{
    m_settings.remove(listKey);
    m_settings.beginWriteArray(listKey, int(connections.size()));
    for (int at = 0; at < int(connections.size()); ++at) {
        m_settings.setArrayIndex(at);
        const Connection &connection = connections[size_t(at)];
        m_settings.setValue(QStringLiteral("name"), connection.name);
        m_settings.setValue(QStringLiteral("url"), connection.url);
        m_settings.setValue(QStringLiteral("environment"), int(connection.environment));
        m_settings.setValue(QStringLiteral("lookOnly"), connection.lookOnly);
    }
    m_settings.endArray();
}

void RecentConnections::remember(const Connection &connection)
{
    std::vector<Connection> connections = all();
    std::erase_if(connections, [&](const Connection &each) { return each.url == connection.url; });
    connections.insert(connections.begin(), connection);
    if (connections.size() > most)
        connections.resize(most);
    write(connections);
}

void RecentConnections::forget(const QString &url)
{
    std::vector<Connection> connections = all();
    std::erase_if(connections, [&](const Connection &each) { return each.url == url; });
    write(connections);
}

std::optional<Connection> RecentConnections::find(const QString &nameOrUrl) const
{
    for (const Connection &connection : all()) {
        if (connection.name == nameOrUrl || connection.url == nameOrUrl)
            return connection;
    }
    const bool isUrl =
        nameOrUrl.startsWith(QLatin1String("sqlite:")) || nameOrUrl.startsWith(QLatin1String("postgres"));
    if (!isUrl)
        return std::nullopt;
    Connection connection;
    connection.url = nameOrUrl;
    connection.name = nameOf(nameOrUrl);
    return connection;
}

QString nameOf(const QString &url)
{
    if (url.startsWith(QLatin1String("sqlite:")))
        return QFileInfo(url.mid(7)).fileName();
    const QUrl parts(url);
    return QStringLiteral("%1@%2").arg(parts.path().mid(1), parts.host());
}

} // namespace sendoff::ui
