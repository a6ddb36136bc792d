#include "app/cli/operation_text.h"

#include "app/cli/table.h"

namespace sendoff::app {

namespace {

QString joined(const std::vector<std::pair<QString, qint64>> &counts)
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

QString unlessZero(qint64 count)
{
    return count == 0 ? QString() : cappedCount(count);
}

} // namespace

void printPreview(Output &out, const QString &verb, const PreviewRecord &preview)
{
    out.line(out.bold(QStringLiteral("%1 would touch %2 of %3 matching")
                          .arg(verb, cappedCount(preview.changeable), cappedCount(preview.count))));
    line(out, QStringLiteral("people"), cappedCount(preview.people));
    line(out, QStringLiteral("by channel"), joined(preview.byChannel));
    line(out, QStringLiteral("by code"), joined(preview.byCode));
    line(out, QStringLiteral("past their expiry"), unlessZero(preview.expired));
    line(out, QStringLiteral("content is gone"), unlessZero(preview.contentGone));
    line(out, QStringLiteral("possible duplicates"), unlessZero(preview.possibleDuplicates));
    if (preview.samples.empty())
        return;
    Table table({QStringLiteral("SAMPLE"), QStringLiteral("STATE"), QStringLiteral("CHANNEL"), QStringLiteral("TO"),
                 QStringLiteral("TYPE"), QStringLiteral("CODE")});
    for (const DeliveryRecord &row : preview.samples) {
        table.add({row.id.value, toText(row.state), toText(row.channel),
                   row.user.isEmpty() ? row.addressMask : row.user.value, row.type, row.lastCode});
    }
    out.table(table);
}

void printOperation(Output &out, const OperationRecord &operation)
{
    out.line(out.bold(QStringLiteral("operation %1").arg(operation.id)) +
             QStringLiteral(": %1, %2").arg(operation.verb, out.colouredState(operation.state)));
    line(out, QStringLiteral("filter"), printable(operation.filter));
    line(out, QStringLiteral("progress"),
         QStringLiteral("%1 done, %2 skipped, %3 failed of %4")
             .arg(operation.done)
             .arg(operation.skipped)
             .arg(operation.failed)
             .arg(cappedCount(operation.expected)));
    line(out, QStringLiteral("ordered"),
         printable(QStringLiteral("%1 by %2").arg(toRfc3339(operation.createdAt), operation.actor)));
    if (operation.state == QLatin1String("armed")) {
        line(out, QStringLiteral("begins"),
             QStringLiteral("%1; until then `sendoffd undo %2` takes it back")
                 .arg(toRfc3339(operation.armedUntil))
                 .arg(operation.id));
    }
    line(out, QStringLiteral("ended"), operation.endedAt ? toRfc3339(*operation.endedAt) : QString());
    line(out, QStringLiteral("reason"), printable(operation.reason));
    line(out, QStringLiteral("detail"), printable(operation.detail));
}

bool isEnded(const OperationRecord &operation)
{
    return operation.state != QLatin1String("armed") && operation.state != QLatin1String("running");
}

} // namespace sendoff::app
