#include "app/cli/operation_text.h"

#include "app/cli/table.h"

#include <QMap>
#include <algorithm>

namespace sendoff::app {

namespace {

constexpr int shownReasons = 5;

QString joined(const CountedWords &counts)
{
    QStringList parts;
    for (const auto &[name, count] : counts)
        parts += QStringLiteral("%1 %2").arg(name.isEmpty() ? QStringLiteral("(none)") : printable(name),
                                             cappedCount(count));
    return parts.join(QLatin1String(", "));
}

void line(Output &out, const QString &name, const QString &value)
{
    if (!value.isEmpty())
        out.line(QStringLiteral("  ") + name.leftJustified(20) + value);
}

// Reasons one below the other, the name only beside the first.
void reasons(Output &out, const QString &name, const CountedWords &counts)
{
    QString head = name;
    for (size_t at = 0; at < counts.size() && at < size_t(shownReasons); ++at) {
        line(out, head, QStringLiteral("%1: %2").arg(cappedCount(counts[at].second), printable(counts[at].first)));
        head = QString(u' ');
    }
    if (counts.size() > size_t(shownReasons))
        line(out, QString(u' '), QStringLiteral("and for %1 more reasons").arg(counts.size() - size_t(shownReasons)));
}

QString withRemark(qint64 count, const char *remark)
{
    return count == 0 ? QString() : QStringLiteral("%1 (%2)").arg(cappedCount(count), QString::fromLatin1(remark));
}

// "about 7 min at 100/s; the providers have 250/s to spare".
QString timeText(const PreviewRecord &preview)
{
    if (preview.rate == 0 && !preview.finishes)
        return {};
    const QString speed = QStringLiteral("at %1/s").arg(preview.rate);
    const QString spare =
        preview.sparePerSecond > 0
            ? QStringLiteral("; the providers have %1/s to spare").arg(spokenNumber(preview.sparePerSecond))
            : QString();
    if (!preview.finishes)
        return QStringLiteral("not known ") + speed + spare;
    return QStringLiteral("about %1 %2%3")
        .arg(spokenAge(std::max(*preview.finishes, Milliseconds(1'000))), speed, spare);
}

Table sampleTable(const std::vector<DeliveryRecord> &samples)
{
    Table table({QStringLiteral("SAMPLE"), QStringLiteral("STATE"), QStringLiteral("CHANNEL"), QStringLiteral("TO"),
                 QStringLiteral("TYPE"), QStringLiteral("CODE")});
    for (const DeliveryRecord &row : samples) {
        table.add({row.id.value, toText(row.state), toText(row.channel),
                   row.user.isEmpty() ? row.addressMask : row.user.value, row.type, row.lastCode});
    }
    return table;
}

QString percentOf(qint64 part, qint64 whole)
{
    return whole > 0 ? QStringLiteral(" (%1 %)").arg(std::min<qint64>(100, part * 100 / whole)) : QString();
}

// At the speed so far; nothing before there is one.
QString remaining(const OperationRecord &operation, Timestamp now)
{
    const qint64 looked = operation.done + operation.skipped;
    const qint64 left = operation.expected - looked;
    if (!operation.startedAt || looked <= 0 || left <= 0)
        return {};
    const qint64 spent = (now - *operation.startedAt).count();
    if (spent < 1'000)
        return {};
    return QStringLiteral(", about %1").arg(spokenAge(Milliseconds(spent * left / looked)));
}

bool isWorking(const OperationRecord &operation)
{
    return operation.state == QLatin1String("running") || operation.state == QLatin1String("armed");
}

QString outcomesText(const OperationRecord &operation)
{
    if (operation.accepted == 0 && operation.failed == 0)
        return {};
    return QStringLiteral("%1 accepted by their provider, %2 failed again%3")
        .arg(wholeNumber(operation.accepted), wholeNumber(operation.failed),
             operation.isTallied ? QString() : QStringLiteral("; more may follow"));
}

QString speedText(const OperationRecord &operation)
{
    QStringList parts;
    if (operation.rate > 0)
        parts += QStringLiteral("%1/s").arg(operation.rate);
    if (operation.stopAtFailures > 0)
        parts += QStringLiteral("stops when more than %1 % fail again").arg(operation.stopAtFailures);
    return parts.join(QLatin1String(", "));
}

QString parametersText(const OperationParameters &parameters)
{
    QStringList parts;
    if (parameters.dueAt)
        parts += QStringLiteral("due %1").arg(toRfc3339(*parameters.dueAt));
    if (parameters.perSecond)
        parts += QStringLiteral("%1/s").arg(spokenNumber(*parameters.perSecond));
    if (parameters.duration)
        parts += QStringLiteral("for %1").arg(formatDuration(*parameters.duration));
    if (!parameters.locale.isEmpty())
        parts += QStringLiteral("locale %1").arg(parameters.locale);
    if (!parameters.text.isEmpty())
        parts += u'"' + parameters.text + u'"';
    return printable(parts.join(QLatin1String(", ")));
}

} // namespace

void printPreview(Output &out, const QString &verb, const PreviewRecord &preview, const QString &command)
{
    const QString more =
        preview.isCapped ? QStringLiteral(" (there are more; every number is a lower bound)") : QString();
    out.line(out.bold(QStringLiteral("%1 would change %2 of %3 matching")
                          .arg(verb, cappedCount(preview.changeable), cappedCount(preview.count))) +
             more);
    line(out, QStringLiteral("people"), preview.people > 0 ? cappedCount(preview.people) : QString());
    line(out, QStringLiteral("by channel"), joined(preview.byChannel));
    line(out, QStringLiteral("by provider"), joined(preview.byProvider));
    line(out, QStringLiteral("by code"), joined(preview.byCode));
    reasons(out, QStringLiteral("would be skipped"), preview.refusals);
    line(out, QStringLiteral("past their expiry"), withRemark(preview.expired, "too old to matter"));
    line(out, QStringLiteral("content is gone"), withRemark(preview.contentGone, "can't be sent any more"));
    line(out, QStringLiteral("possible duplicates"),
         withRemark(preview.possibleDuplicates, "an earlier attempt may have arrived"));
    line(out, QStringLiteral("takes"), preview.changeable > 0 ? timeText(preview) : QString());
    if (!preview.samples.empty()) {
        out.line();
        out.table(sampleTable(preview.samples));
    }
    if (preview.changeable > 0) {
        out.line();
        out.line(QStringLiteral("to do it: ") + printable(command));
    }
}

QString targetOf(const OperationRecord &operation)
{
    if (!operation.filter.isEmpty())
        return operation.filter;
    const OperationParameters &parameters = operation.parameters;
    return (parameters.targetKind + u' ' + parameters.target).trimmed();
}

QString progressText(const OperationRecord &operation, Timestamp now)
{
    if (operation.state == QLatin1String("armed")) {
        const Milliseconds left = operation.armedUntil - now;
        return left.count() > 0 ? QStringLiteral("armed, begins in %1; `sendoffd undo %2` takes it back")
                                      .arg(spokenAge(left + Milliseconds(999)))
                                      .arg(operation.id)
                                : QStringLiteral("armed, waits for an engine");
    }
    const qint64 looked = operation.done + operation.skipped;
    QString text = QStringLiteral("%1 %2 of %3%4")
                       .arg(operation.isPaused ? QStringLiteral("paused at") : operation.state, wholeNumber(looked),
                            wholeNumber(operation.expected), percentOf(looked, operation.expected));
    if (isEnded(operation)) {
        text =
            QStringLiteral("%1; outcomes of %2 of %3 are there")
                .arg(operation.state, wholeNumber(operation.accepted + operation.failed), wholeNumber(operation.done));
    }
    if (operation.failed > 0)
        text += QStringLiteral(", %1 failed again").arg(wholeNumber(operation.failed));
    if (!isEnded(operation) && !operation.isPaused)
        text += remaining(operation, now);
    return text;
}

void printOperation(Output &out, const OperationRecord &operation)
{
    out.line(out.bold(QStringLiteral("operation %1").arg(operation.id)) +
             QStringLiteral(": %1, %2%3")
                 .arg(operation.verb, out.colouredState(operation.state),
                      operation.isPaused && isWorking(operation) ? QStringLiteral(", paused") : QString()));
    line(out, operation.filter.isEmpty() ? QStringLiteral("of") : QStringLiteral("filter"),
         printable(targetOf(operation)));
    line(out, QStringLiteral("to"), parametersText(operation.parameters));
    const qint64 looked = operation.done + operation.skipped;
    if (!operation.filter.isEmpty()) {
        line(out, QStringLiteral("progress"),
             QStringLiteral("%1 of %2%3: %4 done, %5 skipped")
                 .arg(wholeNumber(looked), wholeNumber(operation.expected), percentOf(looked, operation.expected),
                      wholeNumber(operation.done), wholeNumber(operation.skipped)));
    }
    line(out, QStringLiteral("since then"), outcomesText(operation));
    if (operation.newSince.value_or(0) > 0) {
        line(out, QStringLiteral("new since start"),
             QStringLiteral("%1 more match its filter and were no part of it").arg(cappedCount(*operation.newSince)));
    }
    line(out, QStringLiteral("speed"), speedText(operation));
    line(out, QStringLiteral("ordered"),
         printable(QStringLiteral("%1 by %2").arg(toRfc3339(operation.createdAt), operation.actor)));
    line(out, QStringLiteral("started"), operation.startedAt ? toRfc3339(*operation.startedAt) : QString());
    line(out, QStringLiteral("ended"), operation.endedAt ? toRfc3339(*operation.endedAt) : QString());
    line(out, QStringLiteral("reason"), printable(operation.reason));
    line(out, QStringLiteral("detail"), printable(operation.detail));
}

void printSkipped(Output &out, const std::vector<OperationItemRecord> &skipped)
{
    QMap<QString, qint64> counts;
    for (const OperationItemRecord &item : skipped)
        ++counts[item.detail];
    CountedWords sorted;
    for (auto each = counts.cbegin(); each != counts.cend(); ++each)
        sorted.emplace_back(each.key(), each.value());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    reasons(out, QStringLiteral("skipped"), sorted);
}

bool isEnded(const OperationRecord &operation)
{
    return !isWorking(operation);
}

} // namespace sendoff::app
