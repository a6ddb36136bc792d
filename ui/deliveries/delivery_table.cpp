#include "ui/deliveries/delivery_table.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/wording.h"

#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QStyledItemDelegate>

namespace sendoff::ui {

namespace {

constexpr int edgeRows = 40; // rows before an edge of the window at which the next page is asked for

// Either every row has room for its channel's word, or none shows it.
int widestChannel(const QFontMetrics &metrics)
{
    int widest = 0;
    for (int each = 0; each <= int(Channel::Webhook); ++each)
        widest = std::max(widest, metrics.horizontalAdvance(Words::channel(Channel(each))));
    return widest;
}

// State as icon, word and colour, also on selected rows; a hairline under each row; a bar at the current one.
class RowDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->state &= ~QStyle::State_HasFocus; // the bar shows it, for the whole row
        const int side = option->fontMetrics.height();
        option->decorationSize = QSize(side, side);
        const auto state = DeliveryState(index.data(DeliveryModel::StateRole).toInt());
        if (index.column() == DeliveryModel::StateColumn) {
            setIcon(option, Words::iconName(state), Words::tone(state));
            setInk(option, Words::tone(state));
        } else if (index.column() == DeliveryModel::ChannelColumn) {
            setIcon(option, Words::channelIconName(Channel(index.data(DeliveryModel::ChannelRole).toInt())),
                    Tone::Muted);
            if (widestChannel(option->fontMetrics) + side + 20 > option->rect.width())
                option->text.clear(); // no room for the word: the tooltip says it
        } else if (index.column() == DeliveryModel::AnswerColumn) {
            if (option->fontMetrics.horizontalAdvance(option->text) + 20 > option->rect.width())
                option->text = index.data(DeliveryModel::ShortAnswerRole).toString();
        } else if (index.column() == DeliveryModel::AgeColumn || index.column() == DeliveryModel::TriesColumn) {
            setInk(option, Tone::Muted);
        }
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem inner(option);
        inner.rect.adjust(6, 0, -6, 0);
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, option.palette.color(QPalette::Highlight));
        QStyledItemDelegate::paint(painter, inner, index);
        const Tokens &tokens = tokensOf(option.palette);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), tokens.line);
        const auto *view = qobject_cast<const QAbstractItemView *>(option.widget);
        if (view && view->hasFocus() && view->currentIndex().row() == index.row() && index.column() == 0)
            painter->fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()), tokens.accent);
    }

private:
    static void setIcon(QStyleOptionViewItem *option, const QString &name, Tone tone)
    {
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->icon = icon(name, tone);
    }
    static void setInk(QStyleOptionViewItem *option, Tone tone)
    {
        const QColor ink = colourOf(tone, option->palette);
        for (const auto role : {QPalette::Text, QPalette::HighlightedText})
            option->palette.setColor(role, ink);
    }
};

} // namespace

DeliveryTable::DeliveryTable(DeliveryModel &model, QWidget *parent)
    : QTableView(parent)
    , m_model(model)
    , m_pill(new QPushButton(this))
{
    setItemDelegate(new RowDelegate(this));
    setModel(&model);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setCornerButtonEnabled(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsMovable(true);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    horizontalHeader()->setSectionResizeMode(DeliveryModel::RecipientColumn, QHeaderView::Stretch);
    m_pill->setProperty("primary", true);
    m_pill->setFocusPolicy(Qt::TabFocus);
    m_pill->hide();
    sizeToFont();
    retranslate();
    connect(m_pill, &QPushButton::clicked, this, [this] {
        scrollToTop();
        m_model.showNewest();
        setFocus();
    });
    connect(&m_model, &DeliveryModel::aboutToMerge, this, &DeliveryTable::rememberPlace);
    connect(&m_model, &DeliveryModel::merged, this, &DeliveryTable::restorePlace);
    connect(this, &QAbstractItemView::clicked, this, &DeliveryTable::adoptCurrent);
    connect(this, &QAbstractItemView::doubleClicked, this, &DeliveryTable::opened);
    connect(&m_model, &DeliveryModel::rowsLeft, this, [this](const QStringList &ids) {
        for (const QString &id : ids)
            m_chosen.remove(id);
    });
    connect(&m_model, &DeliveryModel::modelReset, this, [this] {
        m_chosen.clear();
        m_current = {};
        Q_EMIT chosenChanged();
        Q_EMIT currentDeliveryChanged({});
    });
    connect(&m_model, &DeliveryModel::loaded, this, &DeliveryTable::placePill);
    connect(&m_model, &DeliveryModel::loaded, this, &DeliveryTable::fetchAtEdges, Qt::QueuedConnection);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &DeliveryTable::fetchAtEdges);
}

void DeliveryTable::sizeToFont()
{
    const QFontMetrics metrics(font());
    verticalHeader()->setMinimumSectionSize(metrics.height() + 12);
    verticalHeader()->setDefaultSectionSize(metrics.height() + 12);
    const auto widthFor = [&](const QString &text) { return metrics.horizontalAdvance(text) + 28; };
    int state = 0;
    for (int each = 0; each <= int(DeliveryState::Unknown); ++each)
        state = std::max(state, widthFor(Words::state(DeliveryState(each))));
    const int iconWidth = metrics.height() + 4;
    horizontalHeader()->setMinimumSectionSize(metrics.averageCharWidth() * 6);
    setColumnWidth(DeliveryModel::StateColumn, state + iconWidth);
    const auto header = [&](int column) {
        return widthFor(m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    };
    setColumnWidth(DeliveryModel::TriesColumn,
                   std::max(header(DeliveryModel::TriesColumn), widthFor(QStringLiteral("100"))));
    setColumnWidth(DeliveryModel::AgeColumn, std::max(header(DeliveryModel::AgeColumn),
                                                      widthFor(Times::relative(Timestamp{Milliseconds{0}},
                                                                               Timestamp{Milliseconds{59 * 60'000}}))));
}

// In a narrow window the channel shrinks to its icon and the answer to its number, in a narrower one the tries stand
// in the inspector only; the tooltips stay.
void DeliveryTable::fitColumns()
{
    const QFontMetrics metrics(font());
    const int room = viewport()->width() / metrics.averageCharWidth();
    const bool isTight = room < 150;
    const auto widthFor = [&](const QString &text) { return metrics.horizontalAdvance(text) + 28; };
    setColumnHidden(DeliveryModel::TriesColumn, room < 118);
    int channel =
        widthFor(m_model.headerData(DeliveryModel::ChannelColumn, Qt::Horizontal, Qt::DisplayRole).toString());
    if (!isTight)
        channel = std::max(channel, widestChannel(metrics) + metrics.height() + 32);
    setColumnWidth(DeliveryModel::ChannelColumn, channel);
    setColumnWidth(DeliveryModel::TypeColumn,
                   widthFor(isTight ? QStringLiteral("booking.confirmed") : QStringLiteral("auth.verification_code")));
    const QString header = m_model.headerData(DeliveryModel::AnswerColumn, Qt::Horizontal, Qt::DisplayRole).toString();
    setColumnWidth(DeliveryModel::AnswerColumn,
                   std::max(widthFor(header), widthFor(isTight ? QStringLiteral("timeout")
                                                               : QStringLiteral("500 internal_server_error"))));
}

void DeliveryTable::retranslate()
{
    setAccessibleName(tr("Deliveries"));
    m_model.retranslate();
    sizeToFont();
    fitColumns();
    placePill();
}

void DeliveryTable::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::FontChange)
        sizeToFont();
    QTableView::changeEvent(event);
}

DeliveryId DeliveryTable::currentId() const
{
    return m_current;
}

bool DeliveryTable::isAtTop() const
{
    return verticalScrollBar()->value() == 0;
}

bool DeliveryTable::showDelivery(const DeliveryId &id)
{
    const int row = m_model.rowOf(id);
    if (row < 0)
        return false;
    selectRow(row);
    scrollTo(m_model.index(row, 0), PositionAtCenter);
    return true;
}

void DeliveryTable::keyPressEvent(QKeyEvent *event)
{
    const bool plain = event->modifiers() == Qt::NoModifier;
    if (plain && (event->key() == Qt::Key_J || event->key() == Qt::Key_K)) {
        QKeyEvent arrow(QEvent::KeyPress, event->key() == Qt::Key_J ? Qt::Key_Down : Qt::Key_Up, Qt::NoModifier);
        QTableView::keyPressEvent(&arrow);
        return;
    }
    if (plain && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
        Q_EMIT opened();
        return;
    }
    // Letters are shortcuts of the page, not a search inside the window.
    if (plain && !event->text().isEmpty() && event->text().at(0).isLetterOrNumber()) {
        event->ignore();
        return;
    }
    QTableView::keyPressEvent(event);
}

void DeliveryTable::resizeEvent(QResizeEvent *event)
{
    QTableView::resizeEvent(event);
    fitColumns();
    placePill();
    fetchAtEdges();
}

// Rows that slide out of the window or are merged stay chosen; only what a person takes back is taken out.
void DeliveryTable::selectionChanged(const QItemSelection &selected, const QItemSelection &deselected)
{
    QTableView::selectionChanged(selected, deselected);
    if (m_merging)
        return;
    const auto each = [this](const QItemSelection &selection, auto &&take) {
        for (const QItemSelectionRange &range : selection) {
            for (int row = range.top(); row <= range.bottom() && row < m_model.rowCount(); ++row)
                take(m_model.record(row).id.value);
        }
    };
    if (!(QApplication::keyboardModifiers() & (Qt::ControlModifier | Qt::ShiftModifier))) {
        m_chosen.clear(); // a fresh selection replaces what is out of sight, too
        each(selectionModel()->selection(), [this](const QString &id) { m_chosen.insert(id); });
    }
    each(deselected, [this](const QString &id) { m_chosen.remove(id); });
    each(selected, [this](const QString &id) { m_chosen.insert(id); });
    Q_EMIT chosenChanged();
}

void DeliveryTable::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QTableView::currentChanged(current, previous);
    viewport()->update();
    if (!m_merging)
        adoptCurrent(current);
}

void DeliveryTable::adoptCurrent(const QModelIndex &current)
{
    const DeliveryId now = current.isValid() ? m_model.record(current.row()).id : DeliveryId();
    if (now == m_current)
        return;
    m_current = now;
    Q_EMIT currentDeliveryChanged(now.value);
}

void DeliveryTable::rememberPlace()
{
    m_merging = true;
    const int top = rowAt(0);
    m_topRow = top >= 0 && !isAtTop() ? m_model.record(top).id : DeliveryId();
    m_topOffset = top >= 0 ? rowViewportPosition(top) : 0;
}

void DeliveryTable::restorePlace()
{
    if (!m_topRow.isEmpty()) {
        const int row = m_model.rowOf(m_topRow);
        if (row >= 0)
            verticalScrollBar()->setValue(row * verticalHeader()->defaultSectionSize() - m_topOffset);
    }
    QItemSelection selection;
    for (int row = 0; row < m_model.rowCount(); ++row) {
        if (m_chosen.contains(m_model.record(row).id.value))
            selection.select(m_model.index(row, 0), m_model.index(row, DeliveryModel::ColumnCount - 1));
    }
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    // A current row that left the list stays in the inspector; the keyboard goes on from its neighbour.
    const int row = m_current.isEmpty() ? -1 : m_model.rowOf(m_current);
    if (row >= 0)
        selectionModel()->setCurrentIndex(m_model.index(row, std::max(0, currentIndex().column())),
                                          QItemSelectionModel::NoUpdate);
    m_merging = false;
    Q_EMIT chosenChanged();
}

void DeliveryTable::fetchAtEdges()
{
    if (m_merging || m_model.rowCount() == 0 || !isVisible())
        return;
    const int margin = edgeRows * verticalHeader()->defaultSectionSize();
    const QScrollBar *bar = verticalScrollBar();
    if (bar->maximum() - bar->value() < margin && m_model.canFetchMore({}))
        m_model.fetchMore({});
    else if (bar->value() < margin && !m_model.startsAtNewest())
        m_model.fetchPrevious();
    placePill();
}

void DeliveryTable::placePill()
{
    const int held = m_model.heldBack();
    m_pill->setVisible(held > 0 || !m_model.startsAtNewest());
    m_pill->setText(held > 0 ? tr("%n new", nullptr, held) : tr("Back to the newest"));
    m_pill->setIcon(icon(QStringLiteral("arrow-up")));
    m_pill->adjustSize();
    m_pill->move((width() - m_pill->width()) / 2, horizontalHeader()->height() + 8);
}

} // namespace sendoff::ui
