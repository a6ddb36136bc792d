#pragma once
#include "ui/connect/recent_connections.h"
#include "ui/console_worker.h"
#include "ui/engine_switch.h"

#include <QMainWindow>
#include <QTimer>

class QLabel;
class QPushButton;
class QSettings;
class QStackedWidget;
class QToolButton;

namespace sendoff::ui {

class ConnectPage;
class DeliveriesPage;
class Language;
class Sidebar;
class StoryDock;
class Stripe;
class Theme;

// What the window gets from the composition of the program; all outlive it.
struct Surroundings
{
    ConsoleOpener openConsole;
    QSettings &settings;
    Theme &theme;
    Language &language;
    EngineSwitch *engine = nullptr; // nullptr: this program carries no engine
    QString actor;                  // who commands, for the audit
};

// The one window: stripe, sidebar, pages, inspector, status. Owns the connection's two workers (quick questions and
// commands; slow counts), so that nothing it does waits for a database. Thread: GUI.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(Surroundings surroundings, QWidget *parent = nullptr);
    ~MainWindow() override;

    // Opens the store; where that fails the connect page says why.
    void connectTo(const Connection &connection);
    // A URL, or the name of a connection used before.
    void connectByName(const QString &nameOrUrl);
    void showConnectPage();
    void showPage(const QString &id); // "deliveries", "dead"
    // As soon as the connection stands.
    void showDelivery(const DeliveryId &id);
    bool isConnected() const { return m_isConnected; }
    DeliveriesPage &page(const QString &id) const;
    StoryDock &story() const { return *m_story; }
    ConnectPage &connectPage() const { return *m_connectPage; }
    RecentConnections &recent() { return m_recent; }
    QString statusText() const;

Q_SIGNALS:
    void connectionOpened();
    void connectionFailed();

protected:
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void build();
    void buildStatusBar();
    void buildMenu();
    void addShortcuts();
    void restoreState();
    void dropConnection();
    void takeOpened();
    void takeFailed(const Error &error);
    void askStatus();
    void takeStatus(const StatusRecord &status);
    void tellStatus();
    void tellEngine();
    void pressEngine();
    void cyclePanes(int step);
    void retranslate();
    void askAboutClosing();
    QVector<DeliveriesPage *> pages() const;

    Surroundings m_surroundings;
    RecentConnections m_recent;
    std::unique_ptr<ConsoleWorker> m_quick;
    std::unique_ptr<ConsoleWorker> m_slow;
    std::optional<Connection> m_connection;
    AnswerSlot m_statusSlot;
    std::optional<StatusRecord> m_status;
    QString m_statusTrouble;
    QString m_wantedPage = QStringLiteral("dead");
    DeliveryId m_wantedDelivery;
    bool m_isConnected = false;
    bool m_closing = false;
    int m_tick = 0;
    QTimer m_pulse;
    Stripe *m_stripe = nullptr;
    QStackedWidget *m_center = nullptr;
    ConnectPage *m_connectPage = nullptr;
    QWidget *m_console = nullptr;
    Sidebar *m_sidebar = nullptr;
    QToolButton *m_menuButton = nullptr;
    QStackedWidget *m_pageStack = nullptr;
    DeliveriesPage *m_deadLetters = nullptr;
    DeliveriesPage *m_deliveries = nullptr;
    StoryDock *m_story = nullptr;
    QLabel *m_statusIcon = nullptr;
    QLabel *m_statusLabel = nullptr;
    QToolButton *m_engineButton = nullptr;
    QToolButton *m_zoneButton = nullptr;
};

} // namespace sendoff::ui
