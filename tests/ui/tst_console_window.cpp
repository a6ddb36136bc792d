// The window as a person uses it: with keys and mouse, on a store that answers, fails or hangs.
#include "tests/ui/console_fixture.h"
#include "ui/connect/connect_page.h"
#include "ui/shell/sidebar.h"
#include "ui/shell/stripe.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>

using namespace sendoff;
using namespace sendoff::ui;
using sendoff::test::ConsoleFixture;
using sendoff::test::FakeStore;
using sendoff::test::patience;

namespace {

const QString dead = QStringLiteral("dead");
const QString deliveries = QStringLiteral("deliveries");

std::shared_ptr<FakeStore> aStoreWith(int count, DeliveryState state = DeliveryState::Dead)
{
    auto store = std::make_shared<FakeStore>();
    store->addMany(count, state);
    return store;
}

QPushButton *buttonWith(QWidget *in, const QString &text)
{
    for (QPushButton *button : in->findChildren<QPushButton *>()) {
        if (button->text() == text && button->isVisibleTo(in))
            return button;
    }
    return nullptr;
}

OperationDialog *openDialog(ConsoleFixture &fixture)
{
    return fixture.page->findChild<OperationDialog *>();
}

// Widgets that take the focus and would be silent.
QStringList nameless(QWidget *root)
{
    QStringList found;
    for (QWidget *widget : root->findChildren<QWidget *>()) {
        if (!(widget->focusPolicy() & Qt::TabFocus) || widget->focusProxy() || widget->isHidden())
            continue;
        if (qobject_cast<QScrollBar *>(widget) || widget->objectName().startsWith(QLatin1String("qt_")))
            continue;
        if (widget->parentWidget() && widget->parentWidget()->focusProxy() == widget)
            continue;
        QString name = widget->accessibleName();
        if (const auto *button = qobject_cast<QAbstractButton *>(widget); button && name.isEmpty())
            name = button->text();
        if (name.isEmpty())
            found += QStringLiteral("%1 \"%2\" in %3")
                         .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                              QLatin1String(widget->parent()->metaObject()->className()));
    }
    return found;
}

} // namespace

class TestConsoleWindow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void connecting_showsTheListAndTheStripe()
    {
        ConsoleFixture fixture(aStoreWith(12));
        Connection connection = ConsoleFixture::aConnection();
        connection.environment = Environment::Production;
        fixture.connectAndShow(dead, connection);
        QCOMPARE(fixture.page->model().rowCount(), 12);
        QCOMPARE(fixture.window->findChild<Stripe *>()->text(), QStringLiteral("PRODUCTION · parking"));
        QCOMPARE(fixture.window->recent().all().size(), size_t(1));
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window->statusText().contains(QStringLiteral("No engine is alive")), patience);
    }

    void connecting_tellsAFailureInTheForm()
    {
        ConsoleFixture fixture(aStoreWith(1));
        MainWindow window({[](const Connection &) -> Result<std::unique_ptr<admin::Console>> {
                               return Error{ErrorCode::Unavailable, QStringLiteral("The server refuses the password.")};
                           },
                           fixture.settings,
                           fixture.theme,
                           fixture.language,
                           nullptr,
                           {}});
        QSignalSpy failed(&window, &MainWindow::connectionFailed);
        window.connectTo(ConsoleFixture::aConnection());
        QVERIFY(failed.wait(patience));
        QCOMPARE(window.connectPage().problem(), QStringLiteral("The server refuses the password."));
        QVERIFY(!window.isConnected());
        QVERIFY(window.recent().all().empty());
    }

    void connecting_asksForWhatIsMissingAndBuildsTheUrl()
    {
        ConsoleFixture fixture(aStoreWith(1));
        fixture.window->show();
        QVERIFY(QTest::qWaitForWindowActive(fixture.window.get(), patience));
        ConnectPage &page = fixture.window->connectPage();
        QSignalSpy wanted(&page, &ConnectPage::connectWanted);
        QTest::mouseClick(buttonWith(&page, QStringLiteral("Connect")), Qt::LeftButton);
        QCOMPARE(wanted.count(), 0);
        QVERIFY2(page.problem().contains(QStringLiteral("file")), qPrintable(page.problem()));
        Connection connection;
        connection.url = QStringLiteral("postgresql://ana@db.example.com:6432/notify?schema=mail");
        connection.name = QStringLiteral("eu");
        page.setConnection(connection);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("secret"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QCOMPARE(wanted.count(), 1);
        const auto sent = wanted[0][0].value<Connection>();
        QCOMPARE(sent.url, connection.url);
        QCOMPARE(sent.password, QStringLiteral("secret"));
    }

    void retry_byKeyboard_armsAndUndoes()
    {
        ConsoleFixture fixture(aStoreWith(8));
        fixture.connectAndShow(dead);
        DeliveryTable &table = fixture.page->table();
        QTRY_VERIFY_WITH_TIMEOUT(table.hasFocus(), patience);
        QTest::keyClick(&table, Qt::Key_Down);
        QTest::keyClick(&table, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(table.chosen().size(), 2);
        QTest::keyClick(&table, Qt::Key_R);
        OperationDialog *dialog = openDialog(fixture);
        QVERIFY(dialog);
        QTRY_COMPARE_WITH_TIMEOUT(dialog->previewedCount(), qint64(2), patience);
        QVERIFY(buttonWith(dialog, QStringLiteral("Retry 2 deliveries")));
        QCOMPARE(fixture.store->operations().size(), size_t(0)); // a preview stores nothing
        QTest::keyClicks(dialog->findChild<QLineEdit *>(), QStringLiteral("provider is back"));
        QTest::keyClick(dialog->findChild<QLineEdit *>(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->operationBar().state(), QStringLiteral("armed"), patience);
        QVERIFY2(fixture.page->operationBar().message().contains(QStringLiteral("Nothing has been touched yet")),
                 qPrintable(fixture.page->operationBar().message()));
        QTRY_VERIFY_WITH_TIMEOUT(table.hasFocus(), patience);
        QTest::keyClick(&table, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->operationBar().state(), QStringLiteral("undone"), patience);
        const auto operations = fixture.store->operations();
        QCOMPARE(operations.size(), size_t(1));
        QCOMPARE(operations[0].reason, QStringLiteral("provider is back"));
        QCOMPARE(operations[0].actor, QStringLiteral("ana"));
        QCOMPARE(operations[0].expected, qint64(2));
        QCOMPARE(fixture.page->model().rowCount(), 8);
    }

    void retry_ofAllMatching_runsAndTellsItsResult()
    {
        ConsoleFixture fixture(aStoreWith(8));
        fixture.store->setArmed(Milliseconds(300));
        fixture.connectAndShow(dead);
        OperationDialog *dialog = fixture.page->openOperation(QStringLiteral("retry"));
        QVERIFY(dialog);
        QTRY_COMPARE_WITH_TIMEOUT(dialog->previewedCount(), qint64(8), patience);
        QTest::keyClick(dialog->findChild<QLineEdit *>(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->operationBar().state(), QStringLiteral("armed"), patience);
        fixture.store->runOperations();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->operationBar().state(), QStringLiteral("done"), patience);
        QCOMPARE(fixture.page->operationBar().message(), QStringLiteral("Done: 8 retried."));
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->model().rowCount(), 0, patience);
        QCOMPARE(fixture.page->trouble().what(), QStringLiteral("Nothing is dead"));
    }

    void retry_ofManyAsksForAReason()
    {
        ConsoleFixture fixture(aStoreWith(150));
        fixture.connectAndShow(dead);
        OperationDialog *dialog = fixture.page->openOperation(QStringLiteral("retry"));
        QTRY_COMPARE_WITH_TIMEOUT(dialog->previewedCount(), qint64(150), patience);
        QPushButton *accept = buttonWith(dialog, QStringLiteral("Retry 150 deliveries"));
        QVERIFY(accept);
        QVERIFY(!accept->isEnabled());
        QVERIFY2(accept->toolTip().contains(QStringLiteral("reason")), qPrintable(accept->toolTip()));
        QTest::keyClicks(dialog->findChild<QLineEdit *>(), QStringLiteral("outage"));
        QVERIFY(accept->isEnabled());
    }

    void cancel_isNeverTheDefaultButton()
    {
        ConsoleFixture fixture(aStoreWith(3, DeliveryState::Scheduled));
        fixture.connectAndShow(deliveries);
        fixture.page->table().selectRow(0);
        OperationDialog *dialog = fixture.page->openOperation(QStringLiteral("cancel"));
        QVERIFY(dialog);
        QTRY_COMPARE_WITH_TIMEOUT(dialog->previewedCount(), qint64(1), patience);
        QVERIFY(!buttonWith(dialog, QStringLiteral("Cancel 1 delivery"))->isDefault());
        QVERIFY(buttonWith(dialog, QStringLiteral("Close"))->isDefault());
    }

    void disabledButtons_sayWhy()
    {
        ConsoleFixture fixture(aStoreWith(3, DeliveryState::Delivered));
        fixture.connectAndShow(deliveries);
        QPushButton *retry = buttonWith(fixture.page, QStringLiteral("Retry …"));
        QVERIFY(!retry->isEnabled());
        QVERIFY2(retry->toolTip().contains(QStringLiteral("Select rows")), qPrintable(retry->toolTip()));
        fixture.page->table().selectRow(0);
        QVERIFY(!retry->isEnabled());
        QVERIFY2(retry->toolTip().contains(QStringLiteral("can be retried")), qPrintable(retry->toolTip()));
        Connection connection = ConsoleFixture::aConnection();
        connection.lookOnly = true;
        fixture.connectAndShow(deliveries, connection);
        QVERIFY2(retry->toolTip().contains(QStringLiteral("look only")), qPrintable(retry->toolTip()));
        QCOMPARE(fixture.page->openOperation(QStringLiteral("retry")), nullptr);
    }

    void story_loadsAfterARestAndFollowsTheSelection()
    {
        ConsoleFixture fixture(aStoreWith(30));
        fixture.connectAndShow(dead);
        QSignalSpy shown(&fixture.window->story(), &StoryDock::shown);
        for (int step = 0; step < 10; ++step)
            QTest::keyClick(&fixture.page->table(), Qt::Key_Down);
        QTRY_VERIFY_WITH_TIMEOUT(shown.count() > 0, patience);
        QCOMPARE(fixture.window->story().story()->delivery.id, fixture.page->table().currentId());
        QVERIFY2(fixture.store->asked(QStringLiteral("story")) < 10, "each key asked for a story");
    }

    void story_escGivesTheFocusBackToTheRow()
    {
        ConsoleFixture fixture(aStoreWith(5));
        fixture.connectAndShow(dead);
        QTest::keyClick(&fixture.page->table(), Qt::Key_Down);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window->story().story().has_value(), patience);
        const DeliveryId current = fixture.page->table().currentId();
        QTest::keyClick(&fixture.page->table(), Qt::Key_Return);
        QWidget *focus = QApplication::focusWidget();
        QVERIFY(fixture.window->story().isAncestorOf(focus));
        QTest::keyClick(focus, Qt::Key_Escape);
        QVERIFY(fixture.page->table().hasFocus());
        QCOMPARE(fixture.page->table().currentId(), current);
    }

    void delivery_fromTheCommandLineIsFoundBeyondTheFirstPage()
    {
        auto store = aStoreWith(700);
        ConsoleFixture fixture(store);
        const DeliveryId wanted = store->aDelivery(600).id;
        fixture.window->showDelivery(wanted);
        fixture.connectAndShow(deliveries);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->table().currentId(), wanted, patience);
    }

    void filter_actsByKeyboardAndKeepsItsTextAfterAnAction()
    {
        auto store = aStoreWith(6);
        store->add(store->aDelivery(900, DeliveryState::Bounced));
        ConsoleFixture fixture(store);
        fixture.connectAndShow(deliveries);
        QTest::keyClick(&fixture.page->table(), Qt::Key_F, Qt::ControlModifier);
        QLineEdit *edit = fixture.page->filterLine().edit();
        QVERIFY(edit->hasFocus());
        QTest::keyClicks(edit, QStringLiteral("state:bounced"));
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->model().rowCount(), 1, patience);
        fixture.page->refresh();
        QTRY_VERIFY_WITH_TIMEOUT(!fixture.page->model().isLoading(), patience);
        QCOMPARE(edit->text(), QStringLiteral("state:bounced"));
    }

    void newRows_waitBehindAPillWhileSomethingIsSelected()
    {
        auto store = aStoreWith(5);
        ConsoleFixture fixture(store);
        fixture.connectAndShow(dead);
        fixture.page->table().selectRow(2);
        store->add(store->aDelivery(901, DeliveryState::Dead, Milliseconds(10)));
        fixture.page->refresh();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->model().heldBack(), 1, patience);
        QPushButton *pill = buttonWith(&fixture.page->table(), QStringLiteral("1 new"));
        QVERIFY(pill);
        QTest::mouseClick(pill, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->model().rowCount(), 6, patience);
        QVERIFY(!pill->isVisible());
    }

    void emptyList_saysWhatAndOffersOneButton()
    {
        ConsoleFixture fixture(aStoreWith(0));
        fixture.connectAndShow(deliveries);
        TroublePanel &panel = fixture.page->trouble();
        QTRY_COMPARE_WITH_TIMEOUT(panel.what(), QStringLiteral("No deliveries yet"), patience);
        QVERIFY(panel.isVisible());
        fixture.page->filterLine().apply(QStringLiteral("channel:sms"));
        QTRY_COMPARE_WITH_TIMEOUT(panel.what(), QStringLiteral("Nothing matches this filter"), patience);
        QTest::mouseClick(panel.button(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.page->filterLine().text(), QString(), patience);
    }

    void unreachableStore_keepsTheRowsReadableAndRecovers()
    {
        auto store = aStoreWith(9);
        ConsoleFixture fixture(store);
        fixture.connectAndShow(dead);
        store->fail(Error{ErrorCode::Unavailable, QStringLiteral("The store can't be reached.")});
        QSignalSpy recovered(fixture.page, &DeliveriesPage::recovered);
        fixture.page->refresh();
        QTRY_VERIFY_WITH_TIMEOUT(!fixture.page->table().isEnabled(), patience);
        QCOMPARE(fixture.page->model().rowCount(), 9);
        QVERIFY(!buttonWith(fixture.page, QStringLiteral("Retry …"))->isEnabled());
        store->fail(std::nullopt);
        fixture.page->refresh();
        QVERIFY(recovered.wait(patience));
        QVERIFY(fixture.page->table().isEnabled());
    }

    void thousandsOfRows_areReachableByScrolling()
    {
        ConsoleFixture fixture(aStoreWith(5'600));
        fixture.connectAndShow(dead);
        DeliveryModel &model = fixture.page->model();
        QScrollBar *bar = fixture.page->table().verticalScrollBar();
        for (int turns = 0; turns < 60 && !model.endsAtOldest(); ++turns) {
            bar->setValue(bar->maximum());
            QTRY_VERIFY_WITH_TIMEOUT(!model.isLoading(), patience);
            QVERIFY(model.rowCount() <= DeliveryModel::maxRows);
        }
        QVERIFY(model.endsAtOldest());
        QVERIFY(!model.startsAtNewest());
        QVERIFY(buttonWith(&fixture.page->table(), QStringLiteral("Back to the newest")));
    }

    void hangingStore_leavesTheWindowAliveAndClosable()
    {
        auto store = aStoreWith(40);
        ConsoleFixture fixture(store);
        fixture.connectAndShow(dead);
        store->hold();
        fixture.page->refresh();
        QTRY_VERIFY_WITH_TIMEOUT(store->hanging() > 0, patience);
        QTest::keyClick(&fixture.page->table(), Qt::Key_Down);
        QTest::keyClick(&fixture.page->table(), Qt::Key_Down);
        QCOMPARE(fixture.page->table().currentIndex().row(), 1);
        fixture.theme.choose(ThemeChoice::Dark);
        QVERIFY(fixture.window->close());
        QVERIFY(ConsoleWorker::abandonedThreads() > 0);
        store->release();
        QTRY_COMPARE_WITH_TIMEOUT(ConsoleWorker::abandonedThreads(), 0, patience);
    }

    void everyFocusableWidget_hasAnAccessibleName()
    {
        ConsoleFixture fixture(aStoreWith(5));
        fixture.connectAndShow(dead);
        QTest::keyClick(&fixture.page->table(), Qt::Key_Down);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window->story().story().has_value(), patience);
        OperationDialog *dialog = fixture.page->openOperation(QStringLiteral("retry"));
        QVERIFY(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->previewedCount() >= 0, patience);
        const QStringList found = nameless(fixture.window.get());
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void tab_leavesTheTableAndF6CyclesThePanes()
    {
        ConsoleFixture fixture(aStoreWith(5));
        fixture.connectAndShow(dead);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.page->table().hasFocus(), patience);
        QTest::keyClick(&fixture.page->table(), Qt::Key_Tab);
        QVERIFY(!fixture.page->table().hasFocus());
        fixture.page->table().setFocus();
        QSet<QWidget *> panes;
        for (int step = 0; step < 6; ++step) {
            panes.insert(QApplication::focusWidget());
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        }
        QVERIFY(panes.size() >= 3);
    }

    void pages_areChosenByKeyAndMouse()
    {
        ConsoleFixture fixture(aStoreWith(5));
        fixture.connectAndShow(dead);
        auto *sidebar = fixture.window->findChild<Sidebar *>();
        QTest::keyClick(fixture.window.get(), Qt::Key_1, Qt::AltModifier);
        QCOMPARE(sidebar->chosen(), deliveries);
        const QRect place = sidebar->visualRect(sidebar->model()->index(1, 0));
        QTest::mouseClick(sidebar->viewport(), Qt::LeftButton, {}, place.center());
        QCOMPARE(sidebar->chosen(), dead);
        QVERIFY(fixture.window->page(dead).isVisible());
    }

    void theme_switchesWhileTheWindowIsOpen()
    {
        ConsoleFixture fixture(aStoreWith(5));
        fixture.connectAndShow(dead);
        const auto ground = [&] { return fixture.window->grab().toImage().pixelColor(8, 300); };
        const QColor light = ground();
        fixture.theme.choose(ThemeChoice::Dark);
        QTRY_COMPARE_WITH_TIMEOUT(ground(), darkTokens().window, patience);
        QVERIFY(light.lightness() > 200);
        fixture.theme.choose(ThemeChoice::Light);
        QTRY_COMPARE_WITH_TIMEOUT(ground(), light, patience);
    }

    void language_switchesWhileTheWindowIsOpen()
    {
        ConsoleFixture fixture(aStoreWith(5));
        fixture.connectAndShow(dead);
        fixture.language.choose(QStringLiteral("de"));
        QTRY_VERIFY_WITH_TIMEOUT(buttonWith(fixture.page, QStringLiteral("Wiederholen …")), patience);
        QCOMPARE(fixture.page->model().headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("Zustand"));
        fixture.language.choose(QStringLiteral("en"));
        QTRY_VERIFY_WITH_TIMEOUT(buttonWith(fixture.page, QStringLiteral("Retry …")), patience);
    }

    void embeddedEngine_isSwitchedFromTheStatusBar()
    {
        ConsoleFixture fixture(aStoreWith(5));
        fixture.connectAndShow(dead);
        QToolButton *button = nullptr;
        for (QToolButton *each : fixture.window->findChildren<QToolButton *>()) {
            if (each->text() == QStringLiteral("Embedded engine: off"))
                button = each;
        }
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(fixture.engine.state(), EngineSwitch::State::On);
        QCOMPARE(fixture.engine.url(), ConsoleFixture::aConnection().url);
        QCOMPARE(button->text(), QStringLiteral("Embedded engine: on"));
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(fixture.engine.state(), EngineSwitch::State::Stopping);
        QVERIFY(!button->isEnabled());
        fixture.engine.become(EngineSwitch::State::Off);
        QVERIFY(button->isEnabled());
    }

    void closing_saysWhatStopsAndWaitsForTheDrain()
    {
        ConsoleFixture fixture(aStoreWith(5));
        fixture.connectAndShow(dead);
        fixture.engine.become(EngineSwitch::State::On);
        QVERIFY(!fixture.window->close());
        auto *box = fixture.window->findChild<QMessageBox *>(QStringLiteral("closing"));
        QVERIFY(box);
        QVERIFY(box->text().contains(QStringLiteral("stops the embedded engine")));
        QVERIFY(box->defaultButton()->text().contains(QStringLiteral("Keep open")));
        QTest::mouseClick(buttonWith(box, QStringLiteral("Stop and close")), Qt::LeftButton);
        QCOMPARE(fixture.engine.state(), EngineSwitch::State::Stopping);
        QVERIFY(fixture.window->isVisible());
        fixture.engine.become(EngineSwitch::State::Off);
        QTRY_VERIFY_WITH_TIMEOUT(!fixture.window->isVisible(), patience);
    }

    void settings_keepGeometryAndZone()
    {
        ConsoleFixture fixture(aStoreWith(1));
        fixture.connectAndShow(dead);
        fixture.window->resize(1100, 720);
        fixture.window->close();
        QVERIFY(fixture.settings.contains(QStringLiteral("window/geometry")));
    }
};

QTEST_MAIN(TestConsoleWindow)
#include "tst_console_window.moc"
