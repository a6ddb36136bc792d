#pragma once
#include "store/database.h"
#include "tests/e2e/program.h"

namespace sendoff::test {

inline QStringList words(const char *line)
{
    return QString::fromUtf8(line).split(u' ', Qt::SkipEmptyParts);
}

inline const QByteArray greeting = R"({"guest":"u1","name":"Ada","number":12345678901234567890})";

inline QStringList emitGreeting(const QStringList &more = {})
{
    return QStringList{QStringLiteral("emit"), QStringLiteral("greeting"), QStringLiteral("--payload"),
                       QStringLiteral("-")} +
           more;
}

// A connection to the store of a program's folder.
inline std::unique_ptr<store::Database> openStore(const Program &program)
{
    auto opened = store::Database::open(*store::StoreUrl::parse(program.store()), {}, store::Access::ReadWrite);
    return opened ? std::move(*opened) : nullptr;
}

// A delivery as the engine leaves it, in the state that a test needs.
inline void insertDelivery(store::Database &database, const QString &id, const QString &state, const QString &code)
{
    const bool isLive = state == QLatin1String("scheduled") || state == QLatin1String("held");
    const QByteArray table = isLive ? "sendoff_delivery_hot" : "sendoff_delivery_history";
    const auto done = database.write([&](store::Session &session) {
        session.run("INSERT INTO sendoff_event (id, type, payload, state) VALUES (?, 'greeting', '{\"guest\":\"u1\"}', "
                    "'relayed')",
                    {QString(QStringLiteral("event-") + id)});
        session.run(
            "INSERT INTO " + table +
                " (id, event_id, event_sequence, type, tenant, category, channel, provider, lane, recipient, user_id, "
                "destination, revision, role, element, template, published_set, locale, time_zone, address, "
                "address_hash, address_mask, address_domain, address_last4, state, reason, created_at, due_at, "
                "expires_at, last_code, attempts, ended_at) "
                "SELECT ?, ?, sequence, 'greeting', '', 'news', 'email', 'resend', 'normal', 'u1', 'u1', '', 0, "
                "'guest', '', 'greeting', 1, 'en', '', 'ada@example.com', 'h', 'a…@example.com', 'example.com', '', "
                "?, 'none', $now, $now, $now_plus(3600000), ?, 1, " +
                (isLive ? "NULL" : "$now") + " FROM sendoff_event WHERE id = ?",
            {id, QString(QStringLiteral("event-") + id), state, code, QString(QStringLiteral("event-") + id)});
    });
    QVERIFY2(done, qPrintable(done ? QString() : done.error().message));
}

// A migrated SQLite store in the program's folder.
#define MIGRATED_PROGRAM(name)                                                                                         \
    sendoff::test::Program name;                                                                                       \
    COMPARE_CODE(name.run({QStringLiteral("migrate")}), 0)

} // namespace sendoff::test
