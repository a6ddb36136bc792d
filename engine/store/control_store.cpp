#include "store/control_store.h"

#include "domain/json_document.h"
#include "domain/words.h"
#include "store/bound_text.h"

#include <QLocale>
#include <cmath>

namespace sendoff::store {

namespace {

constexpr int maxNote = 2'000;
constexpr int maxObject = 200;
constexpr double maxPerSecond = 100'000;

Error invalid(const QString &what)
{
    return {ErrorCode::Invalid, what};
}

// "resend", "lane bulk", "channel sms", "everything": as people read it.
QString named(const OperationParameters &parameters)
{
    if (parameters.targetKind == QLatin1String("all"))
        return QStringLiteral("everything");
    if (parameters.targetKind == QLatin1String("provider"))
        return parameters.target;
    return parameters.targetKind + u' ' + parameters.target;
}

Result<void> require(bool holds, const QString &why)
{
    return holds ? Result<void>() : Result<void>(Error{ErrorCode::Invalid, why});
}

Result<void> checkTarget(const OperationParameters &parameters)
{
    const QString &kind = parameters.targetKind;
    const QString &target = parameters.target;
    if (kind == QLatin1String("all"))
        return require(target.isEmpty(), QStringLiteral("target must be empty for all"));
    if (kind == QLatin1String("provider"))
        return require(!target.isEmpty(), QStringLiteral("target must name the provider"));
    if (kind == QLatin1String("lane"))
        return require(fromText<Lane>(target).has_value(),
                       QStringLiteral("target must be a lane: urgent, normal or bulk"));
    if (kind == QLatin1String("channel"))
        return require(fromText<Channel>(target).has_value(),
                       QStringLiteral("target must be a channel: email, sms, push, inbox or webhook"));
    return invalid(QStringLiteral("target_kind must be provider, lane, channel or all"));
}

Result<void> checkNote(const OperationParameters &parameters)
{
    static const QStringList kinds{QStringLiteral("problem"), QStringLiteral("delivery"), QStringLiteral("event"),
                                   QStringLiteral("provider"), QStringLiteral("user")};
    if (!kinds.contains(parameters.targetKind))
        return invalid(
            QStringLiteral("target_kind of a note must be one of: %1").arg(kinds.join(QStringLiteral(", "))));
    if (parameters.target.isEmpty() || parameters.target.size() > maxObject)
        return invalid(
            QStringLiteral("target must name what the note is about, in at most %1 characters").arg(maxObject));
    if (parameters.text.trimmed().isEmpty() || parameters.text.size() > maxNote)
        return invalid(QStringLiteral("text must be 1 to %1 characters").arg(maxNote));
    if (parameters.text.contains(QChar(0)) || parameters.target.contains(QChar(0)))
        return invalid(QStringLiteral("text must not hold the character U+0000"));
    return {};
}

// The moment that many milliseconds from now, by the store's clock.
Timestamp moment(Session &session, Milliseconds fromNow)
{
    Cursor row = session.run("SELECT $ms($now_plus(?))", {qint64(fromNow.count())});
    row.next();
    return row.time(0);
}

QString clockText(Timestamp time)
{
    return toRfc3339(time).replace(u'T', u' ').left(19) + QStringLiteral(" UTC");
}

Error noProvider(const QString &name)
{
    return {ErrorCode::NotFound, QStringLiteral("the store does not know the provider %1").arg(name)};
}

Result<QString> pause(Session &session, const Control &control)
{
    const OperationParameters &parameters = control.parameters;
    std::optional<Timestamp> until;
    if (parameters.duration)
        until = moment(session, *parameters.duration);
    const QVariant bound = until ? QVariant(qint64(until->time_since_epoch().count())) : QVariant();
    const QByteArray untilSql = until ? "$at(?)" : "NULL";
    const auto withUntil = [&](QVariantList values, qsizetype at) {
        if (until)
            values.insert(at, bound);
        return values;
    };
    const QString reason = storableText(control.reason, 500);
    if (parameters.targetKind == QLatin1String("provider")) {
        const int paused = session
                               .run("UPDATE sendoff_provider SET paused = 1, paused_until = " + untilSql +
                                        ", pause_reason = ?, changed_at = $now WHERE name = ?",
                                    withUntil({reason, parameters.target}, 0))
                               .affected();
        if (paused == 0)
            return noProvider(parameters.target);
    } else {
        session.run(
            "INSERT INTO sendoff_pause (kind, name, reason, actor, until) VALUES (?, ?, ?, ?, " + untilSql +
                ") ON CONFLICT (kind, name) DO UPDATE SET reason = excluded.reason, actor = excluded.actor, "
                "since = excluded.since, until = excluded.until",
            withUntil({parameters.targetKind, boundText(parameters.target), reason, boundText(control.actor)}, 4));
    }
    return until ? QStringLiteral("%1 paused until %2").arg(named(parameters), clockText(*until))
                 : QStringLiteral("%1 paused until a person resumes it").arg(named(parameters));
}

// What else still holds things back, so that nobody waits for messages that can't come.
QString otherPauses(Session &session)
{
    QStringList others;
    {
        Cursor row = session.run("SELECT kind, name FROM sendoff_pause WHERE until IS NULL OR until > $now "
                                 "ORDER BY kind, name");
        while (row.next()) {
            OperationParameters each;
            each.targetKind = row.text(0);
            each.target = row.text(1);
            others += named(each);
        }
    }
    Cursor row = session.run("SELECT name FROM sendoff_provider WHERE paused = 1 AND (paused_until IS NULL OR "
                             "paused_until > $now) ORDER BY name");
    while (row.next())
        others += row.text(0);
    return others.isEmpty() ? QString() : QStringLiteral("; still paused: ") + others.join(QStringLiteral(", "));
}

Result<QString> resume(Session &session, const Control &control)
{
    const OperationParameters &parameters = control.parameters;
    int resumed = 0;
    if (parameters.targetKind == QLatin1String("provider")) {
        if (!session.run("SELECT 1 FROM sendoff_provider WHERE name = ?", {parameters.target}).next())
            return noProvider(parameters.target);
        resumed = session
                      .run("UPDATE sendoff_provider SET paused = 0, paused_until = NULL, pause_reason = '', "
                           "changed_at = $now WHERE name = ? AND paused = 1",
                           {parameters.target})
                      .affected();
    } else {
        resumed = session
                      .run("DELETE FROM sendoff_pause WHERE kind = ? AND name = ?",
                           {parameters.targetKind, boundText(parameters.target)})
                      .affected();
    }
    const QString standing = resumed > 0 ? QStringLiteral("%1 resumed") : QStringLiteral("%1 was not paused");
    return standing.arg(named(parameters)) + otherPauses(session);
}

Result<QString> quota(Session &session, const Control &control)
{
    const OperationParameters &parameters = control.parameters;
    const Timestamp until = moment(session, parameters.duration.value_or(defaultQuotaDuration));
    const double perSecond = parameters.perSecond.value_or(1);
    const int changed = session
                            .run("UPDATE sendoff_provider SET override_step_us = ?, override_until = $at(?), "
                                 "changed_at = $now WHERE name = ?",
                                 {qint64(std::ceil(1'000'000.0 / perSecond)), qint64(until.time_since_epoch().count()),
                                  parameters.target})
                            .affected();
    if (changed == 0)
        return noProvider(parameters.target);
    return QStringLiteral("%1 sends at most %2 a second until %3")
        .arg(parameters.target, QString::number(perSecond, 'g', QLocale::FloatingPointShortest), clockText(until));
}

Result<QString> reset(Session &session, const Control &control)
{
    const int changed = session
                            .run("UPDATE sendoff_provider SET breaker = 'closed', breaker_trips = 0, breaker_until = "
                                 "NULL, breaker_reason = '', throttled_until = NULL, override_step_us = NULL, "
                                 "override_until = NULL, learned_step_us = NULL, learned_at = NULL, changed_at = $now "
                                 "WHERE name = ?",
                                 {control.parameters.target})
                            .affected();
    if (changed == 0)
        return noProvider(control.parameters.target);
    return QStringLiteral("%1: breaker closed, no throttle, its configured quota holds")
               .arg(control.parameters.target) +
           otherPauses(session);
}

Result<QString> note(Session &session, const Control &control)
{
    const OperationParameters &parameters = control.parameters;
    session.run("INSERT INTO sendoff_note (kind, object, text, actor) VALUES (?, ?, ?, ?)",
                {parameters.targetKind, parameters.target, parameters.text, boundText(control.actor)});
    return QStringLiteral("noted");
}

} // namespace

bool isControl(const QString &verb)
{
    static const QStringList verbs{QStringLiteral("pause"), QStringLiteral("resume"), QStringLiteral("quota"),
                                   QStringLiteral("reset"), QStringLiteral("note")};
    return verbs.contains(verb);
}

Result<void> checkControl(const Control &control)
{
    const OperationParameters &parameters = control.parameters;
    if (control.verb == QLatin1String("note"))
        return checkNote(parameters);
    if (const Result<void> target = checkTarget(parameters); !target)
        return target;
    if (parameters.duration && parameters.duration->count() <= 0)
        return invalid(QStringLiteral("duration must be longer than nothing"));
    const bool isOfProvider = control.verb == QLatin1String("quota") || control.verb == QLatin1String("reset");
    if (isOfProvider && parameters.targetKind != QLatin1String("provider"))
        return invalid(QStringLiteral("target_kind of %1 must be provider").arg(control.verb));
    if (control.verb == QLatin1String("quota") &&
        !(parameters.perSecond && *parameters.perSecond >= 0.001 && *parameters.perSecond <= maxPerSecond))
        return invalid(QStringLiteral("per_second must be 0.001 to %1; to send nothing, pause the provider instead")
                           .arg(qint64(maxPerSecond)));
    return {};
}

Result<QString> applyControl(Session &session, const Control &control)
{
    if (const Result<void> checked = checkControl(control); !checked)
        return checked.error();
    if (control.verb == QLatin1String("pause"))
        return pause(session, control);
    if (control.verb == QLatin1String("resume"))
        return resume(session, control);
    if (control.verb == QLatin1String("quota"))
        return quota(session, control);
    if (control.verb == QLatin1String("reset"))
        return reset(session, control);
    return note(session, control);
}

Result<QStringList> providerNames(Database &database)
{
    return database.readOnce([](Session &session) {
        QStringList names;
        Cursor row = session.run("SELECT name FROM sendoff_provider ORDER BY name");
        while (row.next())
            names += row.text(0);
        return names;
    });
}

} // namespace sendoff::store
