#include "app/cli/change_request.h"

#include "admin/store_console.h"
#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "domain/json_document.h"

namespace sendoff::app {

namespace {

constexpr qint64 maxAddressBytes = 2'000;

Result<Filter> chosen(const ChangeOptions &options)
{
    const FilterRows rows = options.ofEvents ? FilterRows::Events : FilterRows::Deliveries;
    if (!options.ids.empty() && options.filter.isGiven())
        return invalid(QStringLiteral("give either ids or a filter, not both"));
    if (options.ids.empty()) {
        Result<Filter> filter = options.filter.filter(rows);
        if (filter && filter->isEmpty())
            return invalid(QStringLiteral("say which: ids, or a filter such as --state dead"));
        return filter;
    }
    QStringList ids;
    for (const std::string &id : options.ids)
        ids += QString::fromStdString(id);
    // Through the grammar, so that an id no filter may hold is refused like everywhere.
    return Filter::parse(filterOfIds(options.ofEvents ? QStringLiteral("event") : QStringLiteral("id"), ids).toText(),
                         rows);
}

Result<void> takeSchedule(const ChangeOptions &options, OperationParameters &parameters)
{
    if (options.at.empty() == options.in.empty())
        return invalid(QStringLiteral("say when: either --at 2026-11-30T12:00:00Z or --in 15m"));
    if (!options.in.empty()) {
        const auto delay = readDuration(QStringLiteral("--in"), options.in);
        if (!delay)
            return delay.error();
        parameters.dueAt = SystemClock().now() + *delay;
        return {};
    }
    const auto time = readTime(QStringLiteral("--at"), options.at);
    if (!time)
        return time.error();
    parameters.dueAt = *time;
    return {};
}

Result<QString> addressOf(const ChangeOptions &options)
{
    if (!options.isAddressRead) {
        if (!options.address.empty())
            complain(QStringLiteral("an address on the command line shows in process lists and in the shell's history; "
                                    "--address-stdin reads it from standard input"));
        return QString::fromStdString(options.address).trimmed();
    }
    if (!options.address.empty())
        return invalid(QStringLiteral("give either --address or --address-stdin, not both"));
    const auto read = readFile(QStringLiteral("--address-stdin"), QStringLiteral("-"), maxAddressBytes);
    if (!read)
        return read.error();
    const QString address = QString::fromUtf8(*read).trimmed();
    if (address.isEmpty() || read->size() > maxAddressBytes || address.contains(u'\n'))
        return invalid(QStringLiteral("--address-stdin takes one line of at most 2000 bytes from standard input"));
    return address;
}

Result<void> takeEdit(const ChangeOptions &options, OperationParameters &parameters)
{
    if (options.isAddressRead && options.payloadPatch == "-")
        return invalid(QStringLiteral("standard input can be read once; give --payload-patch a file"));
    const auto address = addressOf(options);
    if (!address)
        return address.error();
    parameters.address = *address;
    parameters.locale = QString::fromStdString(options.locale);
    if (!options.payloadPatch.empty()) {
        auto patch =
            readFile(QStringLiteral("--payload-patch"), QString::fromStdString(options.payloadPatch), maxPayloadBytes);
        if (!patch)
            return patch.error();
        if (const auto object = parsePayload(*patch); !object)
            return invalid(QStringLiteral("--payload-patch is no merge patch: %1").arg(object.error().message));
        parameters.payloadPatch = std::move(*patch);
    }
    if (parameters.address.isEmpty() && parameters.locale.isEmpty() && parameters.payloadPatch.isEmpty())
        return invalid(QStringLiteral("say what changes: --address, --address-stdin, --locale or --payload-patch"));
    return {};
}

Result<void> takeSpeed(const ChangeOptions &options, admin::OperationRequest &request)
{
    if (!options.rate.empty()) {
        const auto rate = readRate(QStringLiteral("--rate"), options.rate);
        if (!rate)
            return rate.error();
        request.rate = *rate;
    }
    if (!options.stopAtFailures.empty()) {
        const auto percent = readPercent(QStringLiteral("--stop-at-failures"), options.stopAtFailures);
        if (!percent)
            return percent.error();
        request.stopAtFailures = *percent;
    }
    return {};
}

void append(QString &command, const char *flag, const std::string &value)
{
    if (!value.empty())
        command += QStringLiteral(" %1 %2").arg(QLatin1String(flag), shellQuoted(QString::fromStdString(value)));
}

} // namespace

Result<admin::OperationRequest> requestOf(const ChangeOptions &options)
{
    Result<Filter> filter = chosen(options);
    if (!filter)
        return filter.error();
    admin::OperationRequest request;
    request.verb = options.ofEvents ? QStringLiteral("retry_event") : options.verb;
    request.filter = std::move(*filter);
    request.reason = QString::fromStdString(options.reason);
    request.actor = admin::defaultActor();
    Result<void> taken = takeSpeed(options, request);
    if (taken && options.verb == QLatin1String("reschedule"))
        taken = takeSchedule(options, request.parameters);
    if (taken && options.verb == QLatin1String("edit"))
        taken = takeEdit(options, request.parameters);
    if (!taken)
        return taken.error();
    if (options.isNow)
        request.armed = Milliseconds(0);
    return request;
}

QString commandOf(const ChangeOptions &options, const admin::OperationRequest &request, const QString &sameStore)
{
    QString command = QStringLiteral("sendoffd %1%2").arg(options.verb, sameStore);
    if (options.ofEvents)
        command += QStringLiteral(" --event");
    if (options.ids.empty()) {
        command += QStringLiteral(" --filter ") + shellQuoted(request.filter.toText());
    } else {
        for (const std::string &id : options.ids)
            command += u' ' + shellQuoted(QString::fromStdString(id));
    }
    append(command, "--at", options.at);
    append(command, "--in", options.in);
    if (!options.address.empty() || options.isAddressRead)
        command += QStringLiteral(" --address-stdin");
    append(command, "--locale", options.locale);
    append(command, "--payload-patch", options.payloadPatch);
    append(command, "--rate", options.rate);
    append(command, "--stop-at-failures", options.stopAtFailures);
    append(command, "--reason", options.reason);
    if (options.isNow)
        command += QStringLiteral(" --now");
    return command;
}

} // namespace sendoff::app
