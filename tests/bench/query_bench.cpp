// Times what people ask of a store: query_bench STORE [--history N] [--hot N] fills an empty, migrated store by SQL and
// then prints the median and the worst of several runs of each question, in milliseconds, as the program itself asks.
#include "admin/store_console.h"
#include "store/database.h"
#include "store/migrator.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTextStream>
#include <algorithm>
#include <functional>

using namespace sendoff;

namespace {

QTextStream out(stdout);

void must(const std::optional<Error> &error)
{
    if (error)
        qFatal("%s", qPrintable(error->message));
}

// Rows `from`…`to` as a relation s(n).
QByteArray numbers(bool isPostgreSql, qint64 from, qint64 to)
{
    const QByteArray first = QByteArray::number(from);
    const QByteArray last = QByteArray::number(to);
    return isPostgreSql ? "generate_series(CAST(" + first + " AS bigint), CAST(" + last + " AS bigint)) AS s(n)"
                        : "(WITH RECURSIVE s(n) AS (SELECT " + first + " UNION ALL SELECT n + 1 FROM s WHERE n < " +
                              last + ") SELECT n FROM s) AS s";
}

const QByteArray columns =
    "id, event_id, event_sequence, type, tenant, category, channel, provider, lane, recipient, user_id, destination, "
    "revision, role, element, template, published_set, locale, time_zone, address, address_hash, address_mask, "
    "address_domain, address_last4, state, reason, created_at, due_at, expires_at, vstart, attempts, failures, "
    "last_outcome, last_code, last_status, fingerprint, provider_message_id, ended_at";

// One in twenty is dead, of forty kinds; a user has two of a million rows.
QByteArray historyRows(const QByteArray &rows)
{
    return "INSERT INTO sendoff_delivery_history (" + columns +
           ") SELECT 'h-' || n, 'e' || (n / 2), n / 2, 'booking.confirmed', '', 'bookings', 'email', 'resend', "
           "'normal', "
           "'user-' || (n % 500000), 'user-' || (n % 500000), '', 0, 'driver', '', 'booking-confirmed-driver', 1, "
           "'en', "
           "'', 'x@example.com', 'hash-' || (n % 500000), 'x…@example.com', 'd' || (n % 50) || '.example', '', "
           "CASE WHEN n % 20 = 0 THEN 'dead' ELSE 'accepted' END, 'none', $now_plus(-(n % 2000000) * 1000 - 5000), "
           "$now_plus(-(n % 2000000) * 1000 - 4000), $now_plus(86400000), 0, 1, 0, "
           "CASE WHEN n % 20 = 0 THEN 'transient' ELSE 'accepted' END, CASE WHEN n % 20 = 0 THEN 'busy' END, 500, "
           "CASE WHEN n % 20 = 0 THEN 'f' || (n / 20 % 40) END, 'm' || n, $now_plus(-(n % 2000000) * 1000) FROM " +
           rows;
}

QByteArray hotRows(const QByteArray &rows, const char *state, const char *due)
{
    return "INSERT INTO sendoff_delivery_hot (" + columns +
           ") SELECT 'w-' || n, 'we' || n, n, 'booking.confirmed', '', 'bookings', 'email', 'resend', "
           "CASE n % 3 WHEN 0 THEN 'urgent' WHEN 1 THEN 'normal' ELSE 'bulk' END, 'waiter-' || n, 'waiter-' || n, '', "
           "0, "
           "'driver', '', 'booking-confirmed-driver', 1, 'en', '', 'x@example.com', 'whash-' || n, 'x…@example.com', "
           "'d.example', '', '" +
           state + "', 'none', $now_plus(-60000), $now_plus(" + due +
           "), $now_plus(86400000), n, 0, CASE WHEN n % 10 = 0 THEN 1 ELSE 0 END, CASE WHEN n % 10 = 0 THEN "
           "'transient' "
           "END, NULL, NULL, CASE WHEN n % 10 = 0 THEN 'f' || (n % 3) END, NULL, NULL FROM " +
           rows;
}

void fill(store::Database &database, qint64 history, qint64 hot)
{
    constexpr qint64 step = 100'000;
    const bool isPostgreSql = database.isPostgreSql();
    const auto run = [&](const QByteArray &sql) {
        const auto done = database.write([&](store::Session &session) { session.run(sql); });
        must(done ? std::nullopt : std::optional(done.error()));
    };
    for (qint64 from = 1; from <= history; from += step)
        run(historyRows(numbers(isPostgreSql, from, std::min(history, from + step - 1))));
    for (qint64 from = 1; from <= hot; from += step) {
        const qint64 to = std::min(hot, from + step - 1);
        const bool isReady = from * 2 <= hot;
        run(isReady ? hotRows(numbers(isPostgreSql, from, to), "ready", "-1000")
                    : hotRows(numbers(isPostgreSql, from, to), "scheduled", "(n % 3600) * 1000"));
    }
    if (isPostgreSql) {
        const auto done = database.readOnce([](store::Session &session) { session.command("VACUUM ANALYZE"); });
        must(done ? std::nullopt : std::optional(done.error()));
    }
}

void time(const QString &name, const std::function<QString()> &ask)
{
    constexpr int runs = 9;
    std::vector<double> times;
    QString answer;
    for (int run = 0; run < runs; ++run) {
        QElapsedTimer timer;
        timer.start();
        answer = ask();
        times.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(times.begin(), times.end());
    out << QStringLiteral("%1 %2 %3   %4\n")
               .arg(name, -46)
               .arg(times[runs / 2], 8, 'f', 1)
               .arg(times.back(), 8, 'f', 1)
               .arg(answer);
    out.flush();
}

template <typename T>
QString said(const Result<T> &result, const std::function<QString(const T &)> &words)
{
    return result ? words(*result) : result.error().message;
}

QString pageOf(admin::Console &console, const QString &filter, DeliverySort sort, int pages = 1)
{
    QString after;
    qsizetype rows = 0;
    for (int page = 0; page < pages; ++page) {
        const auto found = console.deliveries(*Filter::parse(filter), sort, after, 200);
        if (!found)
            return found.error().message;
        rows += qsizetype(found->rows.size());
        after = found->next;
        if (after.isEmpty())
            break;
    }
    return QStringLiteral("%1 rows").arg(rows);
}

void measure(admin::Console &console)
{
    out << QStringLiteral("%1 %2 %3\n")
               .arg(QStringLiteral("question"), -46)
               .arg(QStringLiteral("median"), 8)
               .arg(QStringLiteral("worst"), 8);
    const QStringList filters{QString(),
                              QStringLiteral("state:dead"),
                              QStringLiteral("state:dead code:busy"),
                              QStringLiteral("state:dead,unknown,bounced"),
                              QStringLiteral("state:dead code:nothing"),
                              QStringLiteral("type:nothing"),
                              QStringLiteral("-state:accepted age>1h"),
                              QStringLiteral("domain:d7.example"),
                              QStringLiteral("user:user-77")};
    for (const QString &filter : filters) {
        const QString name = filter.isEmpty() ? QStringLiteral("(all)") : filter;
        time(QStringLiteral("page  ") + name, [&] { return pageOf(console, filter, DeliverySort::Newest); });
    }
    time(QStringLiteral("page  ended"), [&] { return pageOf(console, {}, DeliverySort::LastEnded); });
    time(QStringLiteral("page  due"), [&] { return pageOf(console, {}, DeliverySort::NextDue); });
    for (const QString &filter : filters) {
        const QString name = filter.isEmpty() ? QStringLiteral("(all)") : filter;
        time(QStringLiteral("count ") + name, [&] {
            return said<RowCount>(console.count(*Filter::parse(filter)), [](const RowCount &count) {
                return QString::number(count.count) + QLatin1String(count.isCapped ? "+" : "");
            });
        });
    }
    for (const QString &filter : filters.mid(1)) {
        time(QStringLiteral("preview retry ") + filter, [&] {
            admin::OperationRequest request;
            request.verb = QStringLiteral("retry");
            request.filter = *Filter::parse(filter);
            return said<PreviewRecord>(console.preview(request), [](const PreviewRecord &preview) {
                return QString::number(preview.count) + QLatin1String(preview.isCapped ? "+" : "");
            });
        });
    }
    time(QStringLiteral("person by user"), [&] {
        return said<PersonRecord>(console.person(QStringLiteral("user-77"), 50),
                                  [](const PersonRecord &person) { return QString::number(person.events.size()); });
    });
    time(QStringLiteral("person by message id"), [&] {
        return said<PersonRecord>(console.person(QStringLiteral("m77"), 50),
                                  [](const PersonRecord &person) { return person.foundBy; });
    });
    time(QStringLiteral("problems by fingerprint"), [&] {
        return said<std::vector<ProblemRecord>>(
            console.problems(ProblemGrouping::Fingerprint, {}, 50),
            [](const std::vector<ProblemRecord> &groups) { return QString::number(groups.size()); });
    });
    time(QStringLiteral("problems by domain"), [&] {
        return said<std::vector<ProblemRecord>>(
            console.problems(ProblemGrouping::RecipientDomain, {}, 50),
            [](const std::vector<ProblemRecord> &groups) { return QString::number(groups.size()); });
    });
    time(QStringLiteral("status"), [&] {
        return said<StatusRecord>(console.status(), [](const StatusRecord &status) { return status.verdict.left(60); });
    });
    time(QStringLiteral("forecast 60 min"), [&] {
        return said<ForecastRecord>(console.forecast(60), [](const ForecastRecord &forecast) {
            return QString::number(forecast.dueByMinute.empty() ? 0 : forecast.dueByMinute.front());
        });
    });
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    QCommandLineParser line;
    line.addPositionalArgument(QStringLiteral("store"), QStringLiteral("sqlite:PATH or postgresql://…"));
    line.addOptions({{QStringLiteral("history"), QString(), QStringLiteral("N"), QStringLiteral("0")},
                     {QStringLiteral("hot"), QString(), QStringLiteral("N"), QStringLiteral("0")}});
    line.process(app);
    const auto url = store::StoreUrl::parse(line.positionalArguments().value(0));
    if (!url)
        qFatal("%s", qPrintable(url.error().message));
    auto database = store::Database::open(*url, {}, store::Access::ReadWrite);
    if (!database)
        qFatal("%s", qPrintable(database.error().message));
    fill(**database, line.value(QStringLiteral("history")).toLongLong(),
         line.value(QStringLiteral("hot")).toLongLong());
    const auto console = admin::makeStoreConsole(std::move(*database));
    measure(*console);
    return 0;
}
