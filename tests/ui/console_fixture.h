#pragma once
#include "tests/support/fake_console.h"
#include "ui/deliveries/deliveries_page.h"
#include "ui/deliveries/delivery_table.h"
#include "ui/deliveries/filter_line.h"
#include "ui/operations/operation_bar.h"
#include "ui/operations/operation_dialog.h"
#include "ui/shell/language.h"
#include "ui/shell/main_window.h"
#include "ui/story/backoff_chart.h"
#include "ui/story/story_dock.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/trouble_panel.h"
#include "ui/widgets/wording.h"

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace sendoff::test {

constexpr int patience = 20'000; // ms, for a machine that builds beside the test

// An engine that only says what it is told to be.
class FakeEngine : public ui::EngineSwitch
{
public:
    void start(const QString &url) override
    {
        m_url = url;
        become(State::On);
    }
    void stop() override { become(State::Stopping); }
    State state() const override { return m_state; }
    QString problem() const override { return {}; }
    void become(State state)
    {
        m_state = state;
        Q_EMIT changed();
    }
    const QString &url() const { return m_url; }

private:
    State m_state = State::Off;
    QString m_url;
};

// A window on a FakeStore, connected and shown. The store is released before the window goes, so nothing stays hung.
class ConsoleFixture
{
public:
    explicit ConsoleFixture(std::shared_ptr<FakeStore> fakeStore)
        : store(std::move(fakeStore))
        , settings(m_folder.filePath(QStringLiteral("console.ini")), QSettings::IniFormat)
        , theme(*qApp)
        , language(*qApp)
    {
        ui::registerResources();
        language.choose(QStringLiteral("en"));
        theme.choose(ui::ThemeChoice::Light);
        window = std::make_unique<ui::MainWindow>(ui::Surroundings{
            [kept = store](const ui::Connection &) -> Result<std::unique_ptr<admin::Console>> { return kept->open(); },
            settings, theme, language, &engine, QStringLiteral("ana")});
    }
    ~ConsoleFixture()
    {
        store->release();
        window.reset();
    }

    static ui::Connection aConnection()
    {
        ui::Connection connection;
        connection.name = QStringLiteral("parking");
        connection.url = QStringLiteral("sqlite:/srv/parking/sendoff.db");
        return connection;
    }

    void connectAndShow(const QString &pageId, const ui::Connection &connection = aConnection())
    {
        window->showPage(pageId);
        window->connectTo(connection);
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get(), patience));
        QTRY_VERIFY_WITH_TIMEOUT(window->isConnected(), patience);
        page = &window->page(pageId);
        QTRY_VERIFY_WITH_TIMEOUT(!page->model().isLoading(), patience);
    }

    std::shared_ptr<FakeStore> store;
    QTemporaryDir m_folder;
    QSettings settings;
    ui::Theme theme;
    ui::Language language;
    FakeEngine engine;
    std::unique_ptr<ui::MainWindow> window;
    ui::DeliveriesPage *page = nullptr;
};

} // namespace sendoff::test
