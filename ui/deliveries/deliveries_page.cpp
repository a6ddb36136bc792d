#include "ui/deliveries/deliveries_page.h"

#include "ui/deliveries/delivery_table.h"
#include "ui/deliveries/filter_line.h"
#include "ui/operations/operation_bar.h"
#include "ui/operations/operation_dialog.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/trouble_panel.h"
#include "ui/widgets/type.h"
#include "ui/widgets/wording.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace sendoff::ui {

namespace {
const QString retryVerb = QStringLiteral("retry");
const QString cancelVerb = QStringLiteral("cancel");
} // namespace

DeliveriesPage::DeliveriesPage(Kind kind, QWidget *parent)
    : QWidget(parent)
    , m_kind(kind)
{
    build();
    addShortcuts();
    retranslate();
    connect(m_filterLine, &FilterLine::applied, this, &DeliveriesPage::applyFilter);
    connect(m_refresh, &QToolButton::clicked, this, &DeliveriesPage::refresh);
    connect(m_retry, &QPushButton::clicked, this, [this] { openOperation(retryVerb); });
    connect(m_cancel, &QPushButton::clicked, this, [this] { openOperation(cancelVerb); });
    connect(m_bar, &OperationBar::changed, this, &DeliveriesPage::refresh);
    connect(&m_model, &DeliveryModel::loaded, this, &DeliveriesPage::takeLoaded);
    connect(&m_model, &DeliveryModel::failed, this, &DeliveriesPage::takeFailure);
    connect(m_table, &DeliveryTable::chosenChanged, this, [this] {
        updateNumbers();
        updateActions();
    });
    connect(m_table, &DeliveryTable::currentDeliveryChanged, this, &DeliveriesPage::deliverySelected);
    connect(m_table, &DeliveryTable::opened, this, &DeliveriesPage::deliveryOpened);
    connect(m_trouble, &TroublePanel::pressed, this, &DeliveriesPage::pressTrouble);
    m_filterLine->apply(startFilter());
}

DeliveriesPage::~DeliveriesPage() = default;

void DeliveriesPage::build()
{
    m_title = new SizedLabel(1.4, QFont::DemiBold, this);
    m_filterLine = new FilterLine(this);
    m_title->setMinimumHeight(m_filterLine->edit()->sizeHint().height()); // one line with the filter
    m_refresh = new QToolButton(this);
    m_numbers = new QLabel(this);
    setTone(m_numbers, Tone::Muted);
    m_retry = new QPushButton(this);
    setTextIcon(m_retry, icon(QStringLiteral("retry")));
    m_cancel = new QPushButton(this);
    setTextIcon(m_cancel, icon(QStringLiteral("cancel")));
    m_bar = new OperationBar(this);
    m_banner = new QLabel(this);
    m_banner->setWordWrap(true);
    setTone(m_banner, Tone::Warning);
    m_banner->hide();
    m_table = new DeliveryTable(m_model, this);
    m_trouble = new TroublePanel(this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_trouble);

    auto *head = new QHBoxLayout;
    head->setSpacing(16);
    head->addWidget(m_title, 0, Qt::AlignTop);
    head->addWidget(m_filterLine, 1, Qt::AlignTop);
    head->addWidget(m_refresh, 0, Qt::AlignTop);
    auto *commands = new QHBoxLayout;
    commands->setSpacing(8);
    commands->addWidget(m_numbers, 1);
    commands->addWidget(m_retry);
    commands->addSpacing(16);
    commands->addWidget(m_cancel);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 12);
    column->setSpacing(12);
    column->addLayout(head);
    column->addLayout(commands);
    column->addWidget(m_bar);
    column->addWidget(m_banner);
    column->addWidget(m_stack, 1);
}

void DeliveriesPage::addShortcuts()
{
    const auto add = [this](const QKeySequence &keys, QWidget *owner, auto &&act) {
        auto *shortcut = new QShortcut(keys, owner);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, act);
    };
    add(Qt::Key_R, m_table, [this] { openOperation(retryVerb); });
    add(Qt::Key_Delete, m_table, [this] { openOperation(cancelVerb); });
    add(QKeySequence::Find, this, [this] {
        m_filterLine->edit()->setFocus(Qt::ShortcutFocusReason);
        m_filterLine->edit()->selectAll();
    });
    add(QKeySequence::Refresh, this, [this] { refresh(); });
    add(QKeySequence::Undo, m_table, [this] { m_bar->undo(); });
}

QString DeliveriesPage::startFilter() const
{
    return m_kind == Kind::DeadLetters ? QStringLiteral("state:dead,unknown") : QString();
}

QString DeliveriesPage::title() const
{
    return m_kind == Kind::DeadLetters ? tr("Dead letters") : tr("Deliveries");
}

void DeliveriesPage::setWorkers(ConsoleWorker *quick, ConsoleWorker *slow, const Connection &connection,
                                const QString &actor)
{
    m_countSlot.drop();
    m_quick = quick;
    m_slow = slow;
    m_connection = connection;
    m_actor = actor;
    m_model.setWorker(quick);
    m_bar->setWorker(quick);
    m_inTrouble = false;
    m_banner->hide();
    if (quick)
        applyFilter(m_filterLine->filter());
    updateActions();
}

void DeliveriesPage::setEnginesAlive(int count)
{
    m_bar->setEnginesAlive(count);
}

void DeliveriesPage::setNow(Timestamp now)
{
    m_model.setNow(now);
}

void DeliveriesPage::applyFilter(const Filter &filter)
{
    m_matching.reset();
    m_model.setFilter(filter);
    if (!m_inTrouble) // what is wrong stays readable until an answer comes
        m_stack->setCurrentWidget(m_table);
    updateNumbers();
    updateActions();
    countMatching();
}

void DeliveriesPage::countMatching()
{
    if (!m_slow)
        return;
    m_slow->ask(
        m_countSlot, [filter = m_model.filter()](admin::Console &console) { return console.count(filter); },
        [this](Result<RowCount> count) {
            if (count)
                m_matching = count->count;
            updateNumbers();
            updateActions();
        });
}

void DeliveriesPage::refresh()
{
    if (!m_model.hasLoaded()) {
        if (!m_model.isLoading())
            applyFilter(m_model.filter());
        return;
    }
    m_model.refresh(!m_table->isAtTop() || !m_table->chosen().isEmpty());
    if (!m_countSlot.isWaiting())
        countMatching();
}

void DeliveriesPage::showDelivery(const DeliveryId &id)
{
    m_wanted = id;
    if (m_model.hasLoaded())
        takeLoaded();
}

void DeliveriesPage::takeLoaded()
{
    if (m_inTrouble) {
        m_inTrouble = false;
        m_banner->hide();
        m_table->setEnabled(true);
        if (m_focusToReturn)
            m_table->setFocus();
        m_focusToReturn = false;
        Q_EMIT recovered();
    }
    if (m_model.rowCount() == 0)
        showEmpty();
    else
        showList();
    updateNumbers();
    updateActions();
    if (m_wanted.isEmpty())
        return;
    const DeliveryId wanted = std::exchange(m_wanted, {});
    if (m_table->showDelivery(wanted))
        return;
    FilterTerm term;
    term.field = QStringLiteral("id");
    term.values = {wanted.value};
    const QString text = Filter{{term}}.toText();
    if (text == m_model.filter().toText())
        return;
    m_wanted = wanted;
    m_filterLine->apply(text);
}

void DeliveriesPage::showList()
{
    m_stack->setCurrentWidget(m_table);
}

void DeliveriesPage::showEmpty()
{
    const bool hadFocus = m_table->hasFocus();
    if (m_model.filter().toText() == startFilter() && m_kind == Kind::DeadLetters) {
        m_trouble->tell(QStringLiteral("check"), Tone::Success, tr("Nothing is dead"),
                        tr("Every message was delivered, is waiting, or ended for a known reason."), tr("Look again"));
    } else if (m_model.filter().isEmpty()) {
        m_trouble->tell(QStringLiteral("channel-inbox"), Tone::Muted, tr("No deliveries yet"),
                        tr("They appear as soon as an application commits an event and an engine relays it."),
                        tr("Look again"));
    } else {
        m_trouble->tell(QStringLiteral("filter"), Tone::Muted, tr("Nothing matches this filter"),
                        tr("All of its terms must hold: %1").arg(m_model.filter().toText()),
                        m_kind == Kind::DeadLetters ? tr("Show all dead letters") : tr("Remove the filter"));
    }
    m_stack->setCurrentWidget(m_trouble);
    if (hadFocus)
        m_trouble->button()->setFocus();
}

void DeliveriesPage::takeFailure(const Error &error)
{
    const bool isNew = !m_inTrouble;
    m_inTrouble = true;
    if (m_model.hasLoaded()) {
        // What was read stays readable, greyed; the next refresh tries again.
        m_banner->setText(tr("The list could not be refreshed: %1").arg(error.message));
        m_banner->show();
        m_focusToReturn = m_focusToReturn || m_table->hasFocus();
        m_table->setEnabled(false);
    } else {
        m_trouble->tell(QStringLiteral("alert"), Tone::Danger, tr("The list could not be loaded"), error.message,
                        tr("Try again"));
        m_stack->setCurrentWidget(m_trouble);
    }
    updateActions();
    if (isNew)
        Q_EMIT troubled(error);
}

void DeliveriesPage::pressTrouble()
{
    const bool isFiltered = m_model.hasLoaded() && m_model.filter().toText() != startFilter();
    if (isFiltered)
        m_filterLine->apply(startFilter());
    else
        applyFilter(m_model.filter());
}

void DeliveriesPage::updateNumbers()
{
    QStringList parts;
    if (m_matching)
        parts += tr("%1 matching").arg(Words::cappedCount(*m_matching));
    if (const auto chosen = m_table->chosen().size(); chosen > 0)
        parts += tr("%n selected", nullptr, int(chosen));
    if (m_model.isLoading() && !m_model.hasLoaded())
        parts += tr("loading …");
    m_numbers->setText(parts.join(QStringLiteral(" · ")));
}

QString DeliveriesPage::whyNot(const QString &verb) const
{
    if (!m_quick)
        return tr("There is no connection.");
    if (m_connection.lookOnly)
        return tr("This connection is set to look only; change that in the connection's settings.");
    if (m_inTrouble)
        return tr("The store can't be reached now.");
    if (m_model.rowCount() == 0)
        return tr("The list is empty.");
    if (m_table->chosen().isEmpty() && m_model.filter().isEmpty())
        return tr("Select rows, or write a filter to act on all that match.");
    if (m_table->chosen().isEmpty())
        return {};
    const bool isRetry = verb == retryVerb;
    for (const QString &id : m_table->chosen()) {
        const int row = m_model.rowOf(DeliveryId(id));
        if (row < 0)
            return {}; // out of the window: the preview will tell
        const DeliveryState state = m_model.record(row).state;
        if (isRetry ? isRetryable(state) : isLive(state))
            return {};
    }
    return isRetry ? tr("None of the selected deliveries has ended in a way that can be retried.")
                   : tr("None of the selected deliveries is still waiting.");
}

void DeliveriesPage::updateActions()
{
    const auto update = [this](QPushButton *button, const QString &verb, const QString &hint) {
        const QString why = whyNot(verb);
        button->setEnabled(why.isEmpty());
        button->setToolTip(why.isEmpty() ? hint : why);
        button->setAccessibleDescription(button->toolTip());
    };
    update(m_retry, retryVerb, tr("Send again what is selected, or all that match (R)"));
    update(m_cancel, cancelVerb, tr("Take back what still waits (Del)"));
}

OperationDialog *DeliveriesPage::openOperation(const QString &verb)
{
    if (!whyNot(verb).isEmpty() || !m_slow)
        return nullptr;
    OperationDialog::Scope scope;
    scope.chosen = QStringList(m_table->chosen().cbegin(), m_table->chosen().cend());
    scope.chosen.sort();
    scope.matching = m_model.filter();
    scope.matchingCount = m_matching.value_or(m_model.rowCount());
    auto *dialog = new OperationDialog(verb, std::move(scope), *m_slow, m_connection, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        admin::OperationRequest request = dialog->request();
        request.actor = m_actor;
        m_bar->submit(request);
    });
    connect(dialog, &QDialog::finished, this, [this] {
        window()->activateWindow();
        m_table->setFocus();
    });
    dialog->open();
    return dialog;
}

void DeliveriesPage::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QWidget::changeEvent(event);
}

void DeliveriesPage::retranslate()
{
    m_title->setText(title());
    setIconButton(m_refresh, QStringLiteral("refresh"), tr("Refresh (F5)"));
    m_retry->setText(tr("Retry …"));
    m_cancel->setText(tr("Cancel …"));
    m_table->retranslate();
    if (m_model.hasLoaded() && m_model.rowCount() == 0)
        showEmpty();
    updateNumbers();
    updateActions();
}

} // namespace sendoff::ui
