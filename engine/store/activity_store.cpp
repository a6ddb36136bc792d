#include "store/activity_store.h"

#include <algorithm>

namespace sendoff::store {

namespace {

constexpr Milliseconds minute{60'000};
constexpr qint64 maxSteps = 600;
constexpr int maxMinutes = 1'440;
constexpr qint64 maxForecastRows = 250'000;

Timestamp minuteOf(Timestamp time)
{
    return std::chrono::floor<std::chrono::minutes>(time);
}

ActivityPoint point(const Cursor &row, Timestamp from, Milliseconds step)
{
    ActivityPoint found;
    found.start = from + row.integer(0) * step;
    found.provider = row.text(1);
    found.channel = fromText<Channel>(row.text(2)).value_or(Channel::Email);
    found.lane = fromText<Lane>(row.text(3)).value_or(Lane::Normal);
    found.isEnd = row.text(4) == QLatin1String("end");
    found.word = row.text(5);
    found.count = row.integer(6);
    found.duration = Milliseconds(row.integer(7));
    return found;
}

// A calendar minute as one value that is cheap to group by, in each database's words, and that value as milliseconds.
const char *minuteValue(const Session &session)
{
    return session.isPostgreSql() ? "date_trunc('minute', due_at)" : "substr(due_at, 1, 16)";
}

const char *minuteTime(const Session &session)
{
    return session.isPostgreSql() ? "$ms(due)" : "$ms(due || ':00.000Z')";
}

void readMinutes(Session &session, ForecastRecord &forecast)
{
    const Timestamp end = forecast.from + qint64(forecast.dueByMinute.size()) * minute;
    // The inner limit keeps this bounded and walks the index of due times.
    Cursor row = session.run(
        QByteArray("SELECT ") + minuteTime(session) + ", number, failed FROM (SELECT due, count(*) AS number, " +
            "sum(failed) AS failed FROM (SELECT " + minuteValue(session) +
            " AS due, CASE WHEN failures > 0 THEN 1 ELSE 0 END AS failed FROM sendoff_delivery_hot "
            "WHERE state = 'scheduled' AND due_at < $at(?) ORDER BY due_at LIMIT ?) AS scheduled GROUP BY due) AS "
            "minutes",
        {qint64(end.time_since_epoch().count()), maxForecastRows});
    while (row.next()) {
        const qint64 index = std::max<qint64>(0, (row.time(0) - forecast.from) / minute);
        if (index >= qint64(forecast.dueByMinute.size()))
            continue;
        forecast.dueByMinute[size_t(index)] += row.integer(1);
        forecast.retryByMinute[size_t(index)] += row.integer(2);
    }
}

} // namespace

Result<std::vector<ActivityPoint>> activity(Database &database, Timestamp from, Timestamp to, Milliseconds step)
{
    if (step < minute || step % minute != Milliseconds(0))
        return Error{ErrorCode::Invalid, QStringLiteral("step must be a whole number of minutes, as in 1m or 1h")};
    const Timestamp start = minuteOf(from);
    if (to < start)
        return Error{ErrorCode::Invalid, QStringLiteral("the end must not be before the start")};
    if ((to - start + step - Milliseconds(1)) / step > maxSteps) {
        return Error{
            ErrorCode::Invalid,
            QStringLiteral("these are more than %1 steps; choose a longer step or a shorter time").arg(maxSteps)};
    }
    const qint64 startMs = start.time_since_epoch().count();
    return database.readOnce([&](Session &session) {
        std::vector<ActivityPoint> points;
        Cursor row = session.run(
            "SELECT step, provider, channel, lane, kind, word, sum(count), sum(duration_ms) FROM ("
            "SELECT ($ms(minute) - CAST(? AS bigint)) / CAST(? AS bigint) AS step, provider, channel, lane, kind, "
            "word, "
            "count, duration_ms FROM sendoff_minute WHERE minute >= $at(?) AND minute < $at(?)) AS steps "
            "GROUP BY step, provider, channel, lane, kind, word ORDER BY step, kind, channel, provider, lane, word",
            {startMs, qint64(step.count()), startMs, qint64(to.time_since_epoch().count())});
        while (row.next())
            points.push_back(point(row, start, step));
        return points;
    });
}

Result<ForecastRecord> forecast(Database &database, int minutes)
{
    if (minutes < 1 || minutes > maxMinutes)
        return Error{ErrorCode::Invalid, QStringLiteral("minutes must be 1 to %1").arg(maxMinutes)};
    return database.read([&](Session &session) {
        ForecastRecord record;
        {
            Cursor now = session.run("SELECT $ms($now)");
            now.next();
            record.from = minuteOf(now.time(0));
        }
        record.dueByMinute.assign(size_t(minutes), 0);
        record.retryByMinute.assign(size_t(minutes), 0);
        readMinutes(session, record);
        const auto capped = [&](const char *condition, const QVariantList &values) {
            Cursor row =
                session.run(QByteArray("SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_delivery_hot WHERE ") +
                                condition + " LIMIT ?) AS few",
                            values + QVariantList{countCap});
            row.next();
            return row.integer(0);
        };
        const Timestamp end = record.from + minutes * minute;
        record.later = capped("state = 'scheduled' AND due_at >= $at(?)", {qint64(end.time_since_epoch().count())});
        record.waitingNow = capped("state = 'ready' AND losses = 0", {});
        return record;
    });
}

} // namespace sendoff::store
