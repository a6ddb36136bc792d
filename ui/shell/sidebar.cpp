#include "ui/shell/sidebar.h"

#include "ui/widgets/icons.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace sendoff::ui {

namespace {

constexpr int idRole = Qt::UserRole;
constexpr int countRole = Qt::UserRole + 1;

class PageDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const auto *bar = qobject_cast<const Sidebar *>(option.widget);
        QFont bold = option.font;
        bold.setWeight(QFont::DemiBold);
        const QFontMetrics metrics(bold);
        const int text = bar && bar->isCompact() ? 0
                                                 : metrics.horizontalAdvance(index.data(Qt::DisplayRole).toString()) +
                                                       metrics.averageCharWidth() * 7;
        return {metrics.height() + 36 + text, metrics.height() + 14};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Tokens &tokens = tokensOf(option.palette);
        const bool chosen = option.state & QStyle::State_Selected;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QRect box = option.rect.adjusted(6, 1, -6, -1);
        if (chosen || (option.state & QStyle::State_MouseOver)) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(chosen ? tokens.selection : tokens.line);
            painter->drawRoundedRect(box, 4, 4);
        }
        const auto *view = qobject_cast<const QAbstractItemView *>(option.widget);
        if (view && view->hasFocus() && view->currentIndex() == index) {
            painter->setPen(QPen(tokens.accent, 2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRoundedRect(QRectF(box).adjusted(1, 1, -1, -1), 4, 4);
        }
        const int side = option.fontMetrics.height();
        const QRect iconBox(box.left() + 10, box.center().y() - side / 2, side, side);
        index.data(Qt::DecorationRole).value<QIcon>().paint(painter, iconBox);
        if (const auto *bar = qobject_cast<const Sidebar *>(option.widget); bar && bar->isCompact()) {
            painter->restore();
            return;
        }
        const QRect text = box.adjusted(side + 20, 0, -10, 0);
        QFont font = option.font;
        if (chosen)
            font.setWeight(QFont::DemiBold);
        painter->setFont(font);
        painter->setPen(tokens.text);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, index.data(Qt::DisplayRole).toString());
        painter->setFont(option.font);
        painter->setPen(tokens.muted);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignRight, index.data(countRole).toString());
        painter->restore();
    }
};

} // namespace

Sidebar::Sidebar(QWidget *parent)
    : QListView(parent)
{
    setObjectName(QStringLiteral("sidebar"));
    setModel(&m_pages);
    setItemDelegate(new PageDelegate(this));
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    viewport()->setAttribute(Qt::WA_Hover);
}

void Sidebar::addPage(const QString &id, const QString &iconName)
{
    auto *entry = new QStandardItem;
    entry->setData(id, idRole);
    entry->setIcon(icon(iconName));
    m_pages.appendRow(entry);
}

QStandardItem *Sidebar::item(const QString &id) const
{
    for (int row = 0; row < m_pages.rowCount(); ++row) {
        if (m_pages.item(row)->data(idRole).toString() == id)
            return m_pages.item(row);
    }
    return nullptr;
}

void Sidebar::setTitle(const QString &id, const QString &title)
{
    if (QStandardItem *entry = item(id)) {
        entry->setText(title);
        entry->setToolTip(tr("%1 (Alt+%2)").arg(title).arg(entry->row() + 1));
        entry->setAccessibleText(title);
        updateGeometry();
    }
}

void Sidebar::setCount(const QString &id, const QString &count)
{
    if (QStandardItem *entry = item(id)) {
        entry->setData(count, countRole);
        entry->setAccessibleText(count.isEmpty() ? entry->text() : tr("%1, %2").arg(entry->text(), count));
    }
}

void Sidebar::choose(const QString &id)
{
    if (const QStandardItem *entry = item(id))
        setCurrentIndex(entry->index());
}

void Sidebar::setCompact(bool compact)
{
    if (compact == m_compact)
        return;
    m_compact = compact;
    updateGeometry();
    scheduleDelayedItemsLayout();
    viewport()->update();
}

QString Sidebar::chosen() const
{
    return currentIndex().data(idRole).toString();
}

QSize Sidebar::sizeHint() const
{
    int width = m_compact ? 0 : fontMetrics().averageCharWidth() * 27;
    for (int row = 0; row < m_pages.rowCount(); ++row)
        width = std::max(width, sizeHintForIndex(m_pages.index(row, 0)).width());
    return {width + 2 * frameWidth(), 200};
}

void Sidebar::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QListView::currentChanged(current, previous);
    Q_EMIT pageChosen(current.data(idRole).toString());
}

} // namespace sendoff::ui
