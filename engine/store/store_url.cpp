#include "store/store_url.h"

#include <QRegularExpression>
#include <QUrl>
#include <QUrlQuery>

namespace sendoff::store {

namespace {

Error invalid(const QString &message)
{
    return {ErrorCode::Invalid, QStringLiteral("store url: ") + message};
}

Result<StoreUrl> parsePostgreSql(const QString &text)
{
    static const QRegularExpression shape(
        QStringLiteral(R"(^postgres(?:ql)?://(?:([^@/?]*)@)?([^/?]*)(?:/([^?]*))?(?:\?(.*))?$)"));
    const auto match = shape.match(text);
    if (!match.hasMatch())
        return invalid(QStringLiteral("write postgresql://user@host:5432/database?schema=name"));
    StoreUrl url;
    url.kind = StoreUrl::Kind::PostgreSql;
    const QString user = match.captured(1);
    if (user.contains(u':'))
        return invalid(QStringLiteral("take the password out of the URL and give it as store.password"));
    url.user = QUrl::fromPercentEncoding(user.toUtf8());
    QStringList hosts;
    QStringList ports;
    for (const QString &entry : match.captured(2).split(u',')) {
        static const QRegularExpression hostPort(QStringLiteral(R"(^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$)"));
        const auto parts = hostPort.match(entry);
        if (!parts.hasMatch())
            return invalid(QStringLiteral("\"%1\" is not host:port").arg(entry));
        hosts += parts.captured(1).remove(u'[').remove(u']');
        ports += parts.captured(2).isEmpty() ? QStringLiteral("5432") : parts.captured(2);
    }
    url.hosts = hosts.join(u',');
    url.ports = ports.join(u',');
    url.database = QUrl::fromPercentEncoding(match.captured(3).toUtf8());
    if (url.database.isEmpty())
        return invalid(QStringLiteral("name the database after the host"));
    QStringList options;
    for (const auto &[key, value] : QUrlQuery(match.captured(4)).queryItems(QUrl::FullyDecoded)) {
        if (key == QLatin1String("schema"))
            url.schema = value;
        else if (key == QLatin1String("password"))
            return invalid(QStringLiteral("take the password out of the URL and give it as store.password"));
        else if (key == QLatin1String("host")) // a unix socket's folder
            url.hosts = value;
        else if (value.contains(u';') || key.contains(u';'))
            return invalid(QStringLiteral("the parameter %1 holds a semicolon").arg(key));
        else
            options += key + u'=' + value;
    }
    static const QRegularExpression name(QStringLiteral("^[a-z_][a-z0-9_]{0,62}$"));
    if (!name.match(url.schema).hasMatch())
        return invalid(QStringLiteral("schema must be lower-case letters, digits and _"));
    url.options = options.join(u';');
    return url;
}

} // namespace

Result<StoreUrl> StoreUrl::parse(const QString &text)
{
    if (text.contains(QChar(0)))
        return invalid(QStringLiteral("it holds the character U+0000"));
    if (text.startsWith(QLatin1String("sqlite:"))) {
        StoreUrl url;
        url.path = text.mid(7);
        if (url.path.startsWith(QLatin1String("///")))
            url.path = url.path.mid(2);
        if (url.path.isEmpty())
            return invalid(QStringLiteral("name the file after sqlite:"));
        return url;
    }
    if (text.startsWith(QLatin1String("postgresql://")) || text.startsWith(QLatin1String("postgres://")))
        return parsePostgreSql(text);
    return invalid(QStringLiteral("\"%1\" is neither sqlite:PATH nor postgresql://…").arg(text.left(40)));
}

QString StoreUrl::toText() const
{
    if (kind == Kind::Sqlite)
        return QStringLiteral("sqlite:") + path;
    QStringList pairs;
    const QStringList allPorts = ports.split(u',');
    const QStringList allHosts = hosts.split(u',');
    for (qsizetype at = 0; at < allHosts.size(); ++at) {
        const bool isIpv6 = allHosts[at].contains(u':');
        pairs +=
            (isIpv6 ? u'[' + allHosts[at] + u']' : allHosts[at]) + u':' + allPorts.value(at, QStringLiteral("5432"));
    }
    return QStringLiteral("postgresql://%1%2/%3?schema=%4")
        .arg(user.isEmpty() ? QString() : user + u'@', pairs.join(u','), database, schema);
}

} // namespace sendoff::store
