#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"

#include <numeric>

namespace sendoff::app {

namespace {

// ---- forecast ------------------------------------------------------------------------------------------------------

constexpr size_t chartColumns = 60;
constexpr int chartRows = 6;
constexpr int eighths = 8; // of a character's height

struct Bars
{
    std::vector<qint64> values;
    size_t minutesEach = 1;
};

// At most sixty bars, each of so many minutes.
Bars barsOf(const std::vector<qint64> &byMinute)
{
    Bars bars;
    bars.minutesEach = std::max<size_t>(1, (byMinute.size() + chartColumns - 1) / chartColumns);
    for (size_t at = 0; at < byMinute.size(); ++at) {
        if (at % bars.minutesEach == 0)
            bars.values.push_back(0);
        bars.values.back() += byMinute[at];
    }
    return bars;
}

// Rows of block characters, the highest first; the largest number stands beside it.
QStringList blockChart(const Bars &bars, qint64 largest)
{
    const QString top = wholeNumber(largest);
    QStringList lines;
    for (int row = chartRows - 1; row >= 0; --row) {
        QString line = (row == chartRows - 1 ? top : row == 0 ? QStringLiteral("0") : QString());
        line = line.rightJustified(top.size()) + QStringLiteral(" \u2502");
        for (const qint64 value : bars.values) {
            // Rounded up: what is due shows, however little it is beside the rest.
            const qint64 height = (value * chartRows * eighths + largest - 1) / largest;
            const qint64 here = std::clamp<qint64>(height - row * eighths, 0, eighths);
            line += here == 0 ? QChar(u' ') : QChar(0x2580 + int(here));
        }
        lines += line;
    }
    return lines;
}

// One digit a bar, in ninths of the largest.
QString digitChart(const Bars &bars, qint64 largest)
{
    QString line;
    for (const qint64 value : bars.values)
        line += value == 0 ? QString(u'.') : QString::number((value * 9 + largest - 1) / largest);
    return line;
}

void printForecast(Output &out, const ForecastRecord &forecast)
{
    const auto sum = [](const std::vector<qint64> &values) {
        return std::accumulate(values.begin(), values.end(), qint64(0));
    };
    out.line(QStringLiteral("%1 are due now").arg(cappedCount(forecast.waitingNow)));
    out.line(QStringLiteral("%1 come due in the next %2, of these %3 failed before; %4 later")
                 .arg(wholeNumber(sum(forecast.dueByMinute)),
                      spokenAge(Milliseconds(qint64(forecast.dueByMinute.size()) * 60'000)),
                      wholeNumber(sum(forecast.retryByMinute)), cappedCount(forecast.later)));
    const Bars bars = barsOf(forecast.dueByMinute);
    if (bars.values.empty())
        return;
    const qint64 largest = *std::max_element(bars.values.begin(), bars.values.end());
    if (largest == 0)
        return;
    const QString each =
        bars.minutesEach == 1 ? QStringLiteral("a minute") : QStringLiteral("%1 minutes").arg(bars.minutesEach);
    out.line();
    if (isUtf8Terminal()) {
        for (const QString &line : blockChart(bars, largest))
            out.line(line);
        out.line(QStringLiteral("each column is %1 from %2 on").arg(each, toRfc3339(forecast.from)));
    } else {
        out.line(digitChart(bars, largest));
        out.line(QStringLiteral("each digit is %1 from %2 on,").arg(each, toRfc3339(forecast.from)));
        out.line(QStringLiteral("9 stands for %1, a point for none").arg(wholeNumber(largest)));
    }
}

Result<ExitCode> showForecast(Invocation &invocation, int minutes)
{
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto forecast = (*console)->forecast(minutes);
    if (!forecast)
        return forecast.error();
    if (invocation.isJson())
        invocation.out().document(json(*forecast));
    else
        printForecast(invocation.out(), *forecast);
    return ExitCode::Done;
}

// ---- activity ------------------------------------------------------------------------------------------------------

constexpr qint64 minute = 60'000;
constexpr qint64 maxSteps = 600;

struct ActivityOptions
{
    std::string since = "1h";
    std::string step = "5m";
};

struct Span
{
    Milliseconds since{0};
    Milliseconds step{0};
};

Result<Span> spanOf(const ActivityOptions &options)
{
    const auto since = readDuration(QStringLiteral("--since"), options.since);
    if (!since)
        return since.error();
    const auto step = readDuration(QStringLiteral("--step"), options.step);
    if (!step)
        return step.error();
    if (step->count() % minute != 0)
        return invalid(QStringLiteral("--step must be whole minutes, as in 1m or 1h"));
    if (since->count() / step->count() >= maxSteps)
        return invalid(QStringLiteral("--since holds more than %1 steps; write a longer --step").arg(maxSteps));
    return Span{*since, *step};
}

// The sums of one step over providers and lanes.
struct Sums
{
    qint64 attempts = 0;
    qint64 accepted = 0;
    qint64 throttled = 0;
    qint64 unknown = 0;
    qint64 failed = 0;
    qint64 delivered = 0;
    qint64 dead = 0;
    qint64 otherEnds = 0;
    Milliseconds duration{0};

    void add(const ActivityPoint &point)
    {
        const auto is = [&](auto word) { return point.word == toText(word); };
        if (point.isEnd) {
            (is(DeliveryState::Delivered) || is(DeliveryState::Accepted) ? delivered
             : is(DeliveryState::Dead) || is(DeliveryState::Bounced)     ? dead
                                                                         : otherEnds) += point.count;
            return;
        }
        attempts += point.count;
        duration += point.duration;
        (is(Outcome::Accepted)    ? accepted
         : is(Outcome::Throttled) ? throttled
         : is(Outcome::Unknown)   ? unknown
                                  : failed) += point.count;
    }
};

void printActivity(Output &out, const std::vector<ActivityPoint> &points)
{
    std::map<Timestamp, Sums> steps;
    for (const ActivityPoint &point : points)
        steps[point.start].add(point);
    if (steps.empty()) {
        out.line(QStringLiteral("nothing was sent in that time"));
        return;
    }
    Table table({QStringLiteral("FROM"), QStringLiteral("ATTEMPTS"), QStringLiteral("OK"), QStringLiteral("429S"),
                 QStringLiteral("FAILED"), QStringLiteral("UNKNOWN"), QStringLiteral("MEAN"), QStringLiteral("ENDED"),
                 QStringLiteral("DEAD")});
    for (const auto &[start, sums] : steps) {
        const qint64 mean = sums.attempts > 0 ? sums.duration.count() / sums.attempts : 0;
        table.add({toRfc3339(start).left(16) + u'Z', wholeNumber(sums.attempts), wholeNumber(sums.accepted),
                   wholeNumber(sums.throttled), wholeNumber(sums.failed), wholeNumber(sums.unknown),
                   QStringLiteral("%1 ms").arg(mean), wholeNumber(sums.delivered + sums.dead + sums.otherEnds),
                   wholeNumber(sums.dead)});
    }
    out.table(table);
}

Result<ExitCode> showActivity(Invocation &invocation, const ActivityOptions &options)
{
    const auto span = spanOf(options);
    if (!span)
        return span.error();
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto status = (*console)->status(); // the counters' minutes are the database's
    if (!status)
        return status.error();
    const Timestamp to(Milliseconds((status->now.time_since_epoch().count() / minute + 1) * minute));
    const qint64 steps = (span->since.count() + span->step.count() - 1) / span->step.count();
    const auto points = (*console)->activity(to - steps * span->step, to, span->step);
    if (!points)
        return points.error();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject()
                                      .with("from", to - steps * span->step)
                                      .with("to", to)
                                      .with("step_ms", span->step)
                                      .with("points", jsonList(*points)));
    } else {
        printActivity(invocation.out(), *points);
    }
    return ExitCode::Done;
}

} // namespace

void addActivityCommands(CommandLine &line)
{
    auto minutes = std::make_shared<int>(60);
    line.add("forecast", "How much comes due in each of the next minutes",
             [minutes](Invocation &invocation) { return showForecast(invocation, *minutes); })
        .add_option("--minutes", *minutes, "So many minutes")
        ->check(CLI::Range(1, 1440))
        ->capture_default_str();
    auto options = std::make_shared<ActivityOptions>();
    CLI::App &command = line.add("activity", "What was sent, and how it went, in steps of time",
                                 [options](Invocation &invocation) { return showActivity(invocation, *options); });
    command.add_option("--since", options->since, "So far back")->option_text("DURATION")->capture_default_str();
    command.add_option("--step", options->step, "Length of a step, whole minutes")
        ->option_text("DURATION")
        ->capture_default_str();
}

} // namespace sendoff::app
