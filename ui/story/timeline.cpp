#include "ui/story/timeline.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/wording.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

namespace sendoff::ui {

namespace {

constexpr int titleRole = Qt::UserRole;
constexpr int detailRole = Qt::UserRole + 1;
constexpr int timeRole = Qt::UserRole + 2;
constexpr int iconRole = Qt::UserRole + 3;
constexpr int toneRole = Qt::UserRole + 4;

TimelineEntry entryOf(const AttemptRecord &attempt)
{
    TimelineEntry entry;
    entry.at = attempt.endedAt;
    entry.tone = Words::outcomeTone(attempt.outcome);
    entry.iconName = entry.tone == Tone::Success   ? QStringLiteral("state-accepted")
                     : entry.tone == Tone::Unknown ? QStringLiteral("state-unknown")
                     : entry.tone == Tone::Info    ? QStringLiteral("state-leased")
                                                   : QStringLiteral("alert");
    entry.title = Timeline::tr("Attempt %1: %2").arg(attempt.number).arg(Words::outcome(attempt.outcome));
    QStringList lines;
    const QString answer = Words::answer(attempt.status, attempt.code);
    lines +=
        answer == QStringLiteral("–") ? attempt.provider : Timeline::tr("%1 answered %2").arg(attempt.provider, answer);
    if (!attempt.text.isEmpty())
        lines += QStringLiteral("“%1”").arg(attempt.text);
    if (attempt.nextDelay && attempt.wait)
        lines += Timeline::tr("Waits %1, as the provider asked.").arg(Times::duration(*attempt.nextDelay));
    else if (attempt.nextDelay)
        lines += Timeline::tr("Waits %1 for the next one.").arg(Times::duration(*attempt.nextDelay));
    if (attempt.possibleDuplicate)
        lines += Timeline::tr("May have reached the person twice.");
    lines += Timeline::tr("Took %1 on %2.").arg(Times::duration(attempt.endedAt - attempt.startedAt), attempt.engine);
    entry.detail = lines.join(QChar(u'\n'));
    return entry;
}

class EntryDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const auto *view = qobject_cast<const QAbstractItemView *>(option.widget);
        const int width = (view ? view->viewport()->width() : 300) - indent(option.fontMetrics) - 8;
        const int titleHeight =
            wrapped(option.fontMetrics, width - timeWidth(option.fontMetrics, index), index.data(titleRole).toString());
        const QString detail = index.data(detailRole).toString();
        const int detailHeight = detail.isEmpty() ? 0 : wrapped(option.fontMetrics, width, detail) + 2;
        return {width, titleHeight + detailHeight + 12};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Tokens &tokens = tokensOf(option.palette);
        const QFontMetrics metrics = option.fontMetrics;
        const int side = metrics.height();
        const QRect box = option.rect.adjusted(0, 6, -8, -6);
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, tokens.selection);
        const int middle = option.rect.left() + 8 + side / 2;
        const bool isLast = index.row() == index.model()->rowCount() - 1;
        painter->setPen(QPen(tokens.line, 1));
        if (!isLast)
            painter->drawLine(middle, box.top() + side + 4, middle, option.rect.bottom() + 4);
        icon(index.data(iconRole).toString(), Tone(index.data(toneRole).toInt()))
            .paint(painter, QRect(option.rect.left() + 8, box.top(), side, side));
        QRect text = box.adjusted(indent(metrics), 0, 0, 0);
        const int timeRoom = timeWidth(metrics, index);
        painter->setPen(tokens.muted);
        painter->drawText(text, Qt::AlignTop | Qt::AlignRight, index.data(timeRole).toString());
        painter->setPen(colourOf(Tone(index.data(toneRole).toInt()), option.palette));
        QRect titleBox = text.adjusted(0, 0, -timeRoom, 0);
        QRect used;
        painter->drawText(titleBox, Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap, index.data(titleRole).toString(),
                          &used);
        painter->setPen(tokens.muted);
        painter->drawText(text.adjusted(0, used.height() + 2, 0, 0), Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap,
                          index.data(detailRole).toString());
        painter->restore();
    }

private:
    static int indent(const QFontMetrics &metrics) { return metrics.height() + 18; }
    static int timeWidth(const QFontMetrics &metrics, const QModelIndex &index)
    {
        return metrics.horizontalAdvance(index.data(timeRole).toString()) + 8;
    }
    static int wrapped(const QFontMetrics &metrics, int width, const QString &text)
    {
        return metrics.boundingRect(QRect(0, 0, std::max(40, width), 10'000), Qt::TextWordWrap, text).height();
    }
};

} // namespace

std::vector<TimelineEntry> timelineOf(const DeliveryStory &story)
{
    std::vector<TimelineEntry> entries;
    const DeliveryRecord &delivery = story.delivery;
    entries.push_back({delivery.createdAt,
                       QStringLiteral("info"),
                       Tone::Muted,
                       Timeline::tr("Event %1 became this delivery").arg(delivery.type),
                       {}});
    for (const AttemptRecord &attempt : story.attempts)
        entries.push_back(entryOf(attempt));
    for (const ReceiptRecord &receipt : story.receipts) {
        const bool good = receipt.kind == QLatin1String("delivered") || receipt.kind == QLatin1String("accepted");
        entries.push_back({receipt.arrivedAt, QStringLiteral("receipt"), good ? Tone::Success : Tone::Danger,
                           Words::receipt(receipt.kind), receipt.detail});
    }
    for (const OperationRecord &operation : story.operations) {
        QString detail = operation.reason;
        if (!operation.actor.isEmpty())
            detail =
                detail.isEmpty() ? operation.actor : Timeline::tr("%1: “%2”").arg(operation.actor, operation.reason);
        entries.push_back({operation.createdAt, QStringLiteral("person"), Tone::Accent,
                           Timeline::tr("Operation: %1 (%2)")
                               .arg(Words::verb(operation.verb), Words::operationState(operation.state)),
                           detail});
    }
    if (delivery.endedAt)
        entries.push_back({*delivery.endedAt,
                           Words::iconName(delivery.state),
                           Words::tone(delivery.state),
                           Timeline::tr("Ended: %1").arg(Words::state(delivery.state)),
                           {}});
    std::stable_sort(entries.begin(), entries.end(),
                     [](const TimelineEntry &a, const TimelineEntry &b) { return a.at < b.at; });
    std::reverse(entries.begin(), entries.end());
    return entries;
}

Timeline::Timeline(QWidget *parent)
    : QListView(parent)
{
    setModel(&m_model);
    setItemDelegate(new EntryDelegate(this));
    setEditTriggers(NoEditTriggers);
    setSelectionMode(SingleSelection);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setResizeMode(Adjust);
    setProperty("quiet", true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void Timeline::setEntries(const std::vector<TimelineEntry> &entries)
{
    const int row = currentIndex().row();
    m_model.clear();
    for (const TimelineEntry &entry : entries) {
        auto *item = new QStandardItem;
        item->setData(entry.title, titleRole);
        item->setData(entry.detail, detailRole);
        item->setData(Times::clock(entry.at), timeRole);
        item->setData(entry.iconName, iconRole);
        item->setData(int(entry.tone), toneRole);
        item->setToolTip(Times::exact(entry.at));
        item->setAccessibleText(QStringLiteral("%1, %2. %3").arg(Times::exact(entry.at), entry.title, entry.detail));
        m_model.appendRow(item);
    }
    if (row >= 0 && row < m_model.rowCount())
        setCurrentIndex(m_model.index(row, 0));
    fit();
}

int Timeline::heightForEntries() const
{
    int height = 2 * frameWidth() + 4;
    for (int row = 0; row < m_model.rowCount(); ++row)
        height += sizeHintForIndex(m_model.index(row, 0)).height();
    return height;
}

void Timeline::resizeEvent(QResizeEvent *event)
{
    QListView::resizeEvent(event);
    fit();
}

void Timeline::fit()
{
    setFixedHeight(heightForEntries());
    doItemsLayout(); // the view would wait, and draw old places meanwhile
}

} // namespace sendoff::ui
