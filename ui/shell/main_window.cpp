#include "ui/shell/main_window.h"

#include "ui/connect/connect_page.h"
#include "ui/deliveries/deliveries_page.h"
#include "ui/deliveries/delivery_table.h"
#include "ui/deliveries/filter_line.h"
#include "ui/operations/operation_bar.h"
#include "ui/shell/language.h"
#include "ui/shell/sidebar.h"
#include "ui/shell/stripe.h"
#include "ui/story/story_dock.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/type.h"
#include "ui/widgets/wording.h"

#include <QAbstractButton>
#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QShortcut>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace sendoff::ui {

namespace {

constexpr int pulseMs = 2000;
constexpr int listEveryPulses = 2; // a list is looked at again every four seconds

const QString deadPage = QStringLiteral("dead");
const QString deliveriesPage = QStringLiteral("deliveries");

} // namespace

MainWindow::MainWindow(Surroundings surroundings, QWidget *parent)
    : QMainWindow(parent)
    , m_surroundings(std::move(surroundings))
    , m_recent(m_surroundings.settings)
{
    build();
    buildStatusBar();
    buildMenu();
    addShortcuts();
    retranslate();
    restoreState();
    m_pulse.setInterval(pulseMs);
    connect(&m_pulse, &QTimer::timeout, this, [this] {
        askStatus();
        if (++m_tick % listEveryPulses == 0 && isVisible() && !isMinimized()) {
            static_cast<DeliveriesPage *>(m_pageStack->currentWidget())->refresh();
            m_story->refresh();
        }
    });
    if (EngineSwitch *engine = m_surroundings.engine)
        connect(engine, &EngineSwitch::changed, this, &MainWindow::tellEngine);
    showConnectPage();
}

MainWindow::~MainWindow()
{
    dropConnection();
}

void MainWindow::build()
{
    setMinimumSize(1024, 680);
    m_stripe = new Stripe(this);
    setMenuWidget(m_stripe);
    m_center = new QStackedWidget(this);
    setCentralWidget(m_center);
    m_connectPage = new ConnectPage(m_recent, this);
    m_console = new QWidget(this);
    m_center->addWidget(m_connectPage);
    m_center->addWidget(m_console);

    m_sidebar = new Sidebar(m_console);
    m_sidebar->addPage(deliveriesPage, QStringLiteral("page-queue"));
    m_sidebar->addPage(deadPage, QStringLiteral("page-dead"));
    m_menuButton = new QToolButton(m_console);
    m_menuButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_menuButton->setPopupMode(QToolButton::InstantPopup);
    m_menuButton->setProperty("quiet", true);
    m_menuButton->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto *side = new QVBoxLayout;
    side->setContentsMargins(4, 12, 4, 8);
    side->addWidget(m_sidebar, 1);
    side->addWidget(m_menuButton);
    m_deliveries = new DeliveriesPage(DeliveriesPage::Kind::All, m_console);
    m_deadLetters = new DeliveriesPage(DeliveriesPage::Kind::DeadLetters, m_console);
    m_pageStack = new QStackedWidget(m_console);
    m_pageStack->addWidget(m_deliveries);
    m_pageStack->addWidget(m_deadLetters);
    auto *line = new QFrame(m_console);
    line->setProperty("rule", true);
    line->setStyleSheet(QStringLiteral("min-width: 1px; max-width: 1px; max-height: 16777215px"));
    auto *row = new QHBoxLayout(m_console);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addLayout(side);
    row->addWidget(line);
    row->addWidget(m_pageStack, 1);
    m_story = new StoryDock(this);
    addDockWidget(Qt::RightDockWidgetArea, m_story);

    connect(m_connectPage, &ConnectPage::connectWanted, this, &MainWindow::connectTo);
    connect(m_connectPage, &ConnectPage::cancelled, this, &MainWindow::showConnectPage);
    connect(m_sidebar, &Sidebar::pageChosen, this, &MainWindow::showPage);
    connect(m_story, &StoryDock::closed, this,
            [this] { static_cast<DeliveriesPage *>(m_pageStack->currentWidget())->table().setFocus(); });
    for (DeliveriesPage *page : pages()) {
        connect(page, &DeliveriesPage::deliverySelected, this, [this, page](const QString &id) {
            if (m_pageStack->currentWidget() == page)
                m_story->showDelivery(DeliveryId(id));
        });
        connect(page, &DeliveriesPage::deliveryOpened, this, [this] {
            if (auto *timeline = m_story->findChild<Timeline *>())
                timeline->setFocus();
        });
    }
}

QVector<DeliveriesPage *> MainWindow::pages() const
{
    return {m_deliveries, m_deadLetters};
}

void MainWindow::buildStatusBar()
{
    statusBar()->setSizeGripEnabled(false);
    auto *bar = new QWidget(this);
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 2, 12, 2);
    row->setSpacing(8);
    m_statusIcon = new QLabel(bar);
    m_statusLabel = new ElidedLabel(Qt::ElideRight, bar);
    m_engineButton = new QToolButton(bar);
    m_engineButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_engineButton->setProperty("quiet", true);
    m_zoneButton = new QToolButton(bar);
    m_zoneButton->setProperty("quiet", true);
    row->addWidget(m_statusIcon);
    row->addWidget(m_statusLabel, 1);
    row->addWidget(m_engineButton);
    row->addWidget(m_zoneButton);
    statusBar()->addWidget(bar, 1);
    connect(m_engineButton, &QToolButton::clicked, this, &MainWindow::pressEngine);
    connect(m_zoneButton, &QToolButton::clicked, this, [this] {
        const bool isUtc = Times::zone() == QTimeZone::utc();
        Times::setZone(isUtc ? QTimeZone::systemTimeZone() : QTimeZone::utc());
        m_surroundings.settings.setValue(QStringLiteral("localTime"), isUtc);
        QEvent event(QEvent::LanguageChange); // every time on the screen is said again
        QApplication::sendEvent(m_story, &event);
        retranslate();
    });
}

void MainWindow::buildMenu()
{
    auto *menu = m_menuButton->menu() ? m_menuButton->menu() : new QMenu(m_menuButton);
    menu->clear();
    m_menuButton->setMenu(menu);
    menu->addAction(icon(QStringLiteral("connect")), tr("Connect to another store …"), this,
                    [this] { showConnectPage(); });
    menu->addSeparator();
    const auto addChoices = [this](QMenu *into, const QVector<std::pair<QString, QVariant>> &choices,
                                   const QVariant &now, auto &&choose) {
        auto *group = new QActionGroup(into);
        for (const auto &[text, value] : choices) {
            QAction *action = into->addAction(text);
            action->setCheckable(true);
            action->setChecked(value == now);
            group->addAction(action);
            connect(action, &QAction::triggered, this, [choose, choice = value] { choose(choice); });
        }
    };
    addChoices(menu->addMenu(tr("Appearance")),
               {{tr("As the system"), int(ThemeChoice::System)},
                {tr("Light"), int(ThemeChoice::Light)},
                {tr("Dark"), int(ThemeChoice::Dark)}},
               int(m_surroundings.theme.choice()), [this](const QVariant &choice) {
                   m_surroundings.settings.setValue(QStringLiteral("theme"), choice);
                   m_surroundings.theme.choose(ThemeChoice(choice.toInt()));
               });
    addChoices(menu->addMenu(tr("Language")),
               {{tr("As the system"), QString()},
                {QStringLiteral("English"), QStringLiteral("en")},
                {QStringLiteral("Deutsch"), QStringLiteral("de")}},
               m_surroundings.language.choice(), [this](const QVariant &choice) {
                   m_surroundings.settings.setValue(QStringLiteral("language"), choice);
                   m_surroundings.language.choose(choice.toString());
               });
    menu->addSeparator();
    menu->addAction(tr("Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::addShortcuts()
{
    const QStringList ids{deliveriesPage, deadPage};
    for (int at = 0; at < ids.size(); ++at) {
        auto *shortcut = new QShortcut(QKeySequence(Qt::ALT | Qt::Key(Qt::Key_1 + at)), this);
        connect(shortcut, &QShortcut::activated, this, [this, id = ids[at]] {
            if (m_isConnected)
                showPage(id);
        });
    }
    connect(new QShortcut(Qt::Key_F6, this), &QShortcut::activated, this, [this] { cyclePanes(1); });
    connect(new QShortcut(Qt::SHIFT | Qt::Key_F6, this), &QShortcut::activated, this, [this] { cyclePanes(-1); });
}

void MainWindow::cyclePanes(int step)
{
    if (!m_isConnected)
        return;
    auto *page = static_cast<DeliveriesPage *>(m_pageStack->currentWidget());
    auto *timeline = m_story->findChild<Timeline *>();
    QVector<QWidget *> panes{m_sidebar, page->filterLine().edit(), &page->table(), timeline, m_engineButton};
    panes.removeIf([](const QWidget *pane) { return !pane->isVisible() || !pane->isEnabled(); });
    if (panes.isEmpty())
        return;
    const auto at = panes.indexOf(QApplication::focusWidget());
    const auto next = at < 0 ? 0 : (at + step + panes.size()) % panes.size();
    panes[next]->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::restoreState()
{
    QSettings &settings = m_surroundings.settings;
    Times::setZone(settings.value(QStringLiteral("localTime")).toBool() ? QTimeZone::systemTimeZone()
                                                                        : QTimeZone::utc());
    if (!restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray()))
        resize(QSize(1360, 840).boundedTo(screen()->availableSize()));
    QMainWindow::restoreState(settings.value(QStringLiteral("window/docks")).toByteArray());
}

void MainWindow::showConnectPage()
{
    dropConnection();
    m_connectPage->setBusy(false);
    m_connectPage->reloadRecent();
    m_center->setCurrentWidget(m_connectPage);
    m_story->hide();
    m_stripe->setConnection(std::nullopt);
    statusBar()->hide();
    retranslate();
}

void MainWindow::dropConnection()
{
    m_pulse.stop();
    m_isConnected = false;
    m_statusSlot.drop();
    m_status.reset();
    m_statusTrouble.clear();
    for (DeliveriesPage *page : pages())
        page->setWorkers(nullptr, nullptr, {}, {});
    m_story->setWorker(nullptr);
    m_quick.reset();
    m_slow.reset();
}

void MainWindow::connectTo(const Connection &connection)
{
    dropConnection();
    m_connection = connection;
    m_connectPage->setConnection(connection);
    m_connectPage->setBusy(true);
    m_quick = std::make_unique<ConsoleWorker>(m_surroundings.openConsole);
    m_slow = std::make_unique<ConsoleWorker>(m_surroundings.openConsole);
    connect(m_quick.get(), &ConsoleWorker::opened, this, &MainWindow::takeOpened);
    connect(m_quick.get(), &ConsoleWorker::failed, this, &MainWindow::takeFailed);
    m_quick->open(connection);
}

void MainWindow::connectByName(const QString &nameOrUrl)
{
    if (const auto connection = m_recent.find(nameOrUrl))
        connectTo(*connection);
    else
        m_connectPage->tellProblem(
            tr("No connection is called “%1”. Write a URL (sqlite:PATH or postgresql://…), or fill "
               "in the form.")
                .arg(nameOrUrl));
}

void MainWindow::takeOpened()
{
    m_slow->open(*m_connection);
    m_connection->password.fill(QChar(u'\0'));
    m_connection->password.clear();
    m_recent.remember(*m_connection);
    m_isConnected = true;
    m_stripe->setConnection(m_connection);
    m_center->setCurrentWidget(m_console);
    m_story->show();
    if (!m_surroundings.settings.contains(QStringLiteral("window/docks")))
        resizeDocks({m_story}, {fontMetrics().averageCharWidth() * (width() < 1200 ? 40 : 56)}, Qt::Horizontal);
    statusBar()->show();
    m_story->setWorker(m_quick.get());
    for (DeliveriesPage *page : pages())
        page->setWorkers(m_quick.get(), m_slow.get(), *m_connection, m_surroundings.actor);
    retranslate();
    m_sidebar->choose(m_wantedPage);
    showPage(m_wantedPage);
    page(m_wantedPage).table().setFocus();
    if (!m_wantedDelivery.isEmpty())
        showDelivery(std::exchange(m_wantedDelivery, {}));
    m_pulse.start();
    askStatus();
    tellEngine();
    Q_EMIT connectionOpened();
}

void MainWindow::takeFailed(const Error &error)
{
    const Connection connection = *m_connection;
    showConnectPage();
    m_connectPage->setConnection(connection);
    m_connectPage->tellProblem(error.message);
    Q_EMIT connectionFailed();
}

void MainWindow::showPage(const QString &id)
{
    m_wantedPage = id == deliveriesPage ? deliveriesPage : deadPage;
    DeliveriesPage &wanted = page(m_wantedPage);
    m_pageStack->setCurrentWidget(&wanted);
    m_sidebar->choose(m_wantedPage);
    if (!m_isConnected)
        return;
    m_story->showDelivery(wanted.table().currentId());
    wanted.refresh();
    if (!m_sidebar->hasFocus())
        wanted.table().setFocus();
}

void MainWindow::showDelivery(const DeliveryId &id)
{
    if (!m_isConnected) {
        m_wantedDelivery = id;
        return;
    }
    static_cast<DeliveriesPage *>(m_pageStack->currentWidget())->showDelivery(id);
}

DeliveriesPage &MainWindow::page(const QString &id) const
{
    return id == deadPage ? *m_deadLetters : *m_deliveries;
}

void MainWindow::askStatus()
{
    if (!m_quick || m_statusSlot.isWaiting())
        return;
    m_quick->ask(
        m_statusSlot, [](admin::Console &console) { return console.status(); },
        [this](Result<StatusRecord> status) {
            if (status) {
                m_statusTrouble.clear();
                takeStatus(*status);
            } else {
                m_statusTrouble = status.error().message;
                tellStatus();
            }
        });
}

void MainWindow::takeStatus(const StatusRecord &status)
{
    m_status = status;
    const int alive = int(std::count_if(status.engines.cbegin(), status.engines.cend(),
                                        [](const EngineRecord &engine) { return engine.isAlive; }));
    for (DeliveriesPage *page : pages()) {
        page->setNow(status.now);
        page->setEnginesAlive(alive);
    }
    const qint64 dead = std::min(status.dead + status.unknown, countCap);
    m_sidebar->setCount(deadPage, dead > 0 ? Words::cappedCount(dead) : QString());
    tellStatus();
}

void MainWindow::tellStatus()
{
    QStringList parts;
    Tone tone = Tone::Success;
    if (!m_statusTrouble.isEmpty()) {
        tone = Tone::Danger;
        parts += m_statusTrouble;
    } else if (!m_status) {
        tone = Tone::Muted;
        parts += tr("Asking the store …");
    } else {
        const int alive = int(std::count_if(m_status->engines.cbegin(), m_status->engines.cend(),
                                            [](const EngineRecord &engine) { return engine.isAlive; }));
        if (alive == 0 || !m_status->isHealthy)
            tone = Tone::Warning;
        parts += alive == 0 ? tr("No engine is alive, nothing is sent") : tr("%n engine(s) alive", nullptr, alive);
        std::optional<Milliseconds> oldest;
        for (const BacklogRecord &backlog : m_status->backlog) {
            if (backlog.oldestAge && (!oldest || *backlog.oldestAge > *oldest))
                oldest = backlog.oldestAge;
        }
        parts += oldest ? tr("oldest waiting %1").arg(Times::duration(*oldest)) : tr("nothing waits");
    }
    const int side = fontMetrics().height();
    m_statusIcon->setPixmap(icon(tone == Tone::Success ? QStringLiteral("state-ready") : QStringLiteral("alert"), tone)
                                .pixmap(QSize(side, side), devicePixelRatioF()));
    static_cast<ElidedLabel *>(m_statusLabel)->setFullText(parts.join(QStringLiteral(" · ")));
}

QString MainWindow::statusText() const
{
    return static_cast<ElidedLabel *>(m_statusLabel)->fullText();
}

void MainWindow::tellEngine()
{
    const EngineSwitch *engine = m_surroundings.engine;
    const auto state = engine ? engine->state() : EngineSwitch::State::Off;
    QString word;
    switch (state) {
    case EngineSwitch::State::Off:
        word = tr("Embedded engine: off");
        break;
    case EngineSwitch::State::Starting:
        word = tr("Embedded engine: starting …");
        break;
    case EngineSwitch::State::On:
        word = tr("Embedded engine: on");
        break;
    case EngineSwitch::State::Stopping:
        word = tr("Embedded engine: ending what is in flight …");
        break;
    }
    m_engineButton->setText(word);
    QString why;
    if (!engine)
        why = tr("This program carries no engine; run sendoffd.");
    else if (m_connection && !m_connection->isSqlite())
        why = tr("Engines for PostgreSQL run by themselves: sendoffd run.");
    else if (m_connection && m_connection->lookOnly)
        why = tr("This connection is set to look only.");
    else if (state == EngineSwitch::State::Starting || state == EngineSwitch::State::Stopping)
        why = tr("It is about to change.");
    m_engineButton->setEnabled(why.isEmpty());
    const bool hasProblem = engine && !engine->problem().isEmpty();
    setTextIcon(m_engineButton, icon(hasProblem ? QStringLiteral("alert") : QStringLiteral("engine"),
                                     hasProblem                         ? Tone::Danger
                                     : state == EngineSwitch::State::On ? Tone::Success
                                                                        : Tone::Plain));
    if (hasProblem)
        m_engineButton->setText(tr("Embedded engine: failed"));
    m_engineButton->setToolTip(!why.isEmpty() ? why
                               : hasProblem   ? engine->problem()
                               : state == EngineSwitch::State::On
                                   ? tr("Press to stop it; what is in flight is ended first.")
                                   : tr("Press to let this program deliver, too."));
    m_engineButton->setAccessibleName(m_engineButton->text());
    m_engineButton->setAccessibleDescription(m_engineButton->toolTip());
    if (m_closing && state == EngineSwitch::State::Off)
        close();
}

void MainWindow::pressEngine()
{
    EngineSwitch *engine = m_surroundings.engine;
    if (!engine || !m_connection)
        return;
    if (engine->state() == EngineSwitch::State::Off)
        engine->start(m_connection->url);
    else
        engine->stop();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    const EngineSwitch *engine = m_surroundings.engine;
    if (engine && engine->state() != EngineSwitch::State::Off) {
        event->ignore();
        if (!m_closing)
            askAboutClosing();
        return;
    }
    m_surroundings.settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_surroundings.settings.setValue(QStringLiteral("window/docks"), saveState());
    dropConnection();
    event->accept();
}

void MainWindow::askAboutClosing()
{
    auto *box = new QMessageBox(this);
    box->setObjectName(QStringLiteral("closing"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIcon(QMessageBox::NoIcon);
    box->setWindowTitle(tr("Stop the embedded engine?"));
    box->setText(tr("Closing stops the embedded engine."));
    box->setInformativeText(
        tr("What is in flight is ended first, for up to 25 seconds. What waits stays in the store and "
           "goes on with the next engine. Operations go on, too."));
    QPushButton *stop = box->addButton(tr("Stop and close"), QMessageBox::AcceptRole);
    QPushButton *stay = box->addButton(tr("Keep open"), QMessageBox::RejectRole);
    box->setDefaultButton(stay);
    box->setEscapeButton(stay);
    connect(stop, &QPushButton::clicked, this, [this] {
        m_closing = true;
        m_surroundings.engine->stop();
        tellEngine(); // it may have ended at once
    });
    box->open();
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    const bool isNarrow = width() < fontMetrics().averageCharWidth() * 190;
    m_sidebar->setCompact(isNarrow);
    m_menuButton->setToolButtonStyle(isNarrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
}

void MainWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    if (event->type() == QEvent::PaletteChange && m_statusIcon)
        tellStatus();
    QMainWindow::changeEvent(event);
}

void MainWindow::retranslate()
{
    setWindowTitle(m_isConnected && m_connection ? tr("%1 – Sendoff").arg(m_connection->name) : tr("Sendoff"));
    m_sidebar->setAccessibleName(tr("Pages"));
    m_sidebar->setTitle(deliveriesPage, tr("Deliveries"));
    m_sidebar->setTitle(deadPage, tr("Dead letters"));
    m_menuButton->setText(tr("Menu"));
    m_menuButton->setToolTip(tr("Menu"));
    setTextIcon(m_menuButton, icon(QStringLiteral("menu")));
    m_zoneButton->setText(Times::zone() == QTimeZone::utc() ? QStringLiteral("UTC") : tr("Local time"));
    m_zoneButton->setToolTip(tr("Times are shown in this zone; press to change between UTC and local time."));
    m_zoneButton->setAccessibleName(tr("Time zone: %1").arg(m_zoneButton->text()));
    buildMenu();
    tellStatus();
    tellEngine();
}

} // namespace sendoff::ui
