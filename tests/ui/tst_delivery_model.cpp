// The list of deliveries as a window over pages: what is held, merged, kept and dropped.
#include "tests/support/fake_console.h"
#include "ui/deliveries/delivery_model.h"
#include "ui/deliveries/delivery_table.h"
#include "ui/widgets/icons.h"

#include <QAbstractItemModelTester>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace sendoff;
using sendoff::test::FakeStore;
using sendoff::ui::DeliveryModel;
using sendoff::ui::DeliveryTable;

namespace {

constexpr int patience = 20'000;

Filter filterOf(const char *text)
{
    return *Filter::parse(QString::fromLatin1(text));
}

} // namespace

class TestDeliveryModel : public QObject
{
    Q_OBJECT

private:
    std::shared_ptr<FakeStore> m_store;
    std::unique_ptr<ui::ConsoleWorker> m_worker;
    std::unique_ptr<DeliveryModel> m_model;
    std::unique_ptr<QAbstractItemModelTester> m_tester;

    void load(const char *filter = "")
    {
        m_model->setFilter(filterOf(filter));
        rest();
    }
    void rest() { QTRY_VERIFY_WITH_TIMEOUT(!m_model->isLoading(), patience); }
    void walkToTheEnd()
    {
        for (int pages = 0; !m_model->endsAtOldest() && pages < 100; ++pages) {
            m_model->fetchMore({});
            rest();
        }
    }

private Q_SLOTS:
    void initTestCase() { ui::registerResources(); }

    void init()
    {
        m_store = std::make_shared<FakeStore>();
        m_worker = std::make_unique<ui::ConsoleWorker>(
            [store = m_store](const ui::Connection &) -> Result<std::unique_ptr<admin::Console>> {
                return store->open();
            });
        QSignalSpy opened(m_worker.get(), &ui::ConsoleWorker::opened);
        m_worker->open({});
        QVERIFY(opened.wait(patience));
        m_model = std::make_unique<DeliveryModel>();
        m_tester = std::make_unique<QAbstractItemModelTester>(m_model.get(),
                                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        m_model->setWorker(m_worker.get());
    }
    void cleanup()
    {
        m_store->release();
        m_tester.reset();
        m_model.reset();
        m_worker.reset();
    }

    void paging_walksTheWholeListOnceInOrder()
    {
        m_tester.reset(); // it fetches by itself
        m_store->addMany(950);
        load();
        QCOMPARE(m_model->rowCount(), DeliveryModel::pageSize);
        walkToTheEnd();
        QCOMPARE(m_model->rowCount(), 950);
        for (int row = 1; row < 950; ++row)
            QVERIFY(m_model->record(row - 1).createdAt > m_model->record(row).createdAt);
    }

    void window_neverHoldsMoreThanItsLimitAndComesBack()
    {
        m_tester.reset();
        m_store->addMany(6'300);
        load();
        const DeliveryId newest = m_model->record(0).id;
        walkToTheEnd();
        QCOMPARE(m_model->rowCount(), DeliveryModel::maxRows - 100); // the last page is half full
        QVERIFY(!m_model->startsAtNewest());
        QCOMPARE(m_model->rowOf(newest), -1);
        while (!m_model->startsAtNewest()) {
            m_model->fetchPrevious();
            rest();
            QVERIFY(m_model->rowCount() <= DeliveryModel::maxRows);
        }
        QCOMPARE(m_model->rowOf(newest), 0);
        for (int row = 1; row < m_model->rowCount(); ++row)
            QVERIFY(m_model->record(row - 1).createdAt > m_model->record(row).createdAt);
        QVERIFY(!m_model->endsAtOldest());
        m_model->fetchMore({}); // the far side that was dropped is asked for again
        rest();
        QVERIFY(m_model->rowCount() <= DeliveryModel::maxRows);
    }

    void viewThatAsksForMoreInsideEverySignal_getsEachPageOnce()
    {
        m_store->addMany(6'300);
        const auto askForMore = [this] { m_model->fetchMore({}); };
        connect(m_model.get(), &QAbstractItemModel::modelReset, this, askForMore);
        connect(m_model.get(), &QAbstractItemModel::rowsInserted, this, askForMore);
        connect(m_model.get(), &QAbstractItemModel::rowsRemoved, this, askForMore);
        connect(m_model.get(), &DeliveryModel::loaded, this, askForMore);
        load();
        QTRY_VERIFY_WITH_TIMEOUT(m_model->endsAtOldest(), patience);
        QCOMPARE(m_model->rowCount(), DeliveryModel::maxRows - 100);
        QCOMPARE(m_store->asked(QStringLiteral("deliveries")), qint64(32));
    }

    void refresh_mergesByIdWithoutReset()
    {
        m_store->addMany(450);
        load();
        walkToTheEnd();
        QSignalSpy resets(m_model.get(), &QAbstractItemModel::modelReset);
        QSignalSpy changes(m_model.get(), &QAbstractItemModel::dataChanged);
        const QPersistentModelIndex kept = m_model->index(300, 0);
        const QString keptId = kept.data(DeliveryModel::IdRole).toString();
        m_store->remove(m_model->record(10).id);
        m_store->change(m_model->record(20).id, [](DeliveryRecord &row) { row.state = DeliveryState::Ready; });
        m_store->add(m_store->aDelivery(9'001, DeliveryState::Dead, Milliseconds(1'000)));
        m_store->add(m_store->aDelivery(9'002, DeliveryState::Dead, Milliseconds(65'500))); // in the middle
        m_model->refresh(false);
        rest();
        QCOMPARE(resets.count(), 0);
        QCOMPARE(m_model->rowCount(), 451);
        QCOMPARE(kept.data(DeliveryModel::IdRole).toString(), keptId);
        QCOMPARE(kept.row(), 301);
        QCOMPARE(changes.count(), 1);
        QCOMPARE(m_model->record(0).id, m_store->aDelivery(9'001).id);
        QVERIFY(m_model->rowOf(m_store->aDelivery(9'002).id) > 0);
    }

    void refresh_holdsNewRowsBackWhereAskedTo()
    {
        m_store->addMany(30);
        load();
        const DeliveryId first = m_model->record(0).id;
        for (int number = 0; number < 3; ++number)
            m_store->add(m_store->aDelivery(9'000 + number, DeliveryState::Dead, Milliseconds(1'000 + number)));
        m_model->refresh(true);
        rest();
        QCOMPARE(m_model->heldBack(), 3);
        QCOMPARE(m_model->record(0).id, first);
        m_model->showNewest();
        rest();
        QCOMPARE(m_model->heldBack(), 0);
        QCOMPARE(m_model->rowCount(), 33);
    }

    void lateAnswer_neverOverwritesANewerOne()
    {
        m_store->addMany(5, DeliveryState::Dead);
        m_store->add(m_store->aDelivery(7'000, DeliveryState::Ready));
        QSignalSpy loaded(m_model.get(), &DeliveryModel::loaded);
        m_store->hold();
        m_model->setFilter(filterOf("state:dead"));
        QTRY_COMPARE_WITH_TIMEOUT(m_store->hanging(), 1, patience); // the first question is under way
        m_model->setFilter(filterOf("state:ready"));
        m_store->release();
        rest();
        QCOMPARE(m_model->rowCount(), 1);
        QCOMPARE(m_model->record(0).state, DeliveryState::Ready);
        QCOMPARE(loaded.count(), 1);
        QCOMPARE(m_store->asked(QStringLiteral("deliveries")), qint64(2));
    }

    void supersededQuestion_isNotEvenAsked()
    {
        m_store->addMany(5);
        m_store->hold();
        m_model->setFilter(filterOf("state:dead"));
        QTRY_COMPARE_WITH_TIMEOUT(m_store->hanging(), 1, patience);
        for (int again = 0; again < 5; ++again)
            m_model->setFilter(filterOf("channel:email"));
        m_store->release();
        rest();
        QCOMPARE(m_store->asked(QStringLiteral("deliveries")), qint64(2)); // the first one and the last one
    }

    void failure_keepsTheRowsAndTheNextRefreshRecovers()
    {
        m_store->addMany(20);
        load();
        QSignalSpy failed(m_model.get(), &DeliveryModel::failed);
        m_store->fail(Error{ErrorCode::Unavailable, QStringLiteral("The store can't be reached.")});
        m_model->refresh(false);
        rest();
        QCOMPARE(failed.count(), 1);
        QCOMPARE(m_model->rowCount(), 20);
        m_store->fail(std::nullopt);
        m_store->remove(m_model->record(0).id);
        m_model->refresh(false);
        rest();
        QCOMPARE(m_model->rowCount(), 19);
    }

    void everyCell_speaksTheWholeRow()
    {
        m_store->addMany(1);
        load();
        for (int column = 0; column < m_model->columnCount(); ++column) {
            const QString spoken = m_model->index(0, column).data(Qt::AccessibleTextRole).toString();
            QVERIFY2(spoken.contains(QStringLiteral("Dead")), qPrintable(spoken));
            QVERIFY2(spoken.contains(QStringLiteral("j…@example.com")), qPrintable(spoken));
        }
    }

    void table_keepsSelectionCurrentRowAndScrollOverARefresh()
    {
        m_store->addMany(400);
        load();
        walkToTheEnd();
        DeliveryTable table(*m_model);
        table.resize(900, 400);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        table.selectRow(100);
        table.scrollTo(m_model->index(100, 0), QAbstractItemView::PositionAtTop);
        const QString chosen = m_model->record(100).id.value;
        const int place = table.rowViewportPosition(100);
        for (int number = 0; number < 7; ++number)
            m_store->add(m_store->aDelivery(9'100 + number, DeliveryState::Dead, Milliseconds(500 + number)));
        m_store->remove(m_model->record(3).id);
        m_model->refresh(false);
        rest();
        const int row = m_model->rowOf(DeliveryId(chosen));
        QCOMPARE(row, 106);
        QCOMPARE(table.chosen(), QSet<QString>{chosen});
        QCOMPARE(table.currentIndex().row(), row);
        QCOMPARE(table.selectionModel()->selectedRows().size(), 1);
        QCOMPARE(table.selectionModel()->selectedRows().first().row(), row);
        QCOMPARE(table.rowViewportPosition(row), place);
    }

    void table_forgetsChosenRowsThatLeftTheFilter()
    {
        m_store->addMany(10);
        load("state:dead");
        DeliveryTable table(*m_model);
        table.show();
        table.selectRow(4);
        QCOMPARE(table.chosen().size(), 1);
        m_store->change(m_model->record(4).id, [](DeliveryRecord &row) { row.state = DeliveryState::Ready; });
        m_model->refresh(false);
        rest();
        QCOMPARE(m_model->rowCount(), 9);
        QVERIFY(table.chosen().isEmpty());
    }

    void table_loadsTheNextPagesWhileScrolling()
    {
        m_store->addMany(900);
        load();
        DeliveryTable table(*m_model);
        table.resize(900, 400);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        for (int turns = 0; turns < 10 && !m_model->endsAtOldest(); ++turns) {
            table.verticalScrollBar()->setValue(table.verticalScrollBar()->maximum());
            rest();
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), 900, patience);
    }

    void worker_answersUnavailableBeforeItIsOpen()
    {
        ui::ConsoleWorker worker([](const ui::Connection &) -> Result<std::unique_ptr<admin::Console>> {
            return Error{ErrorCode::Unavailable, QStringLiteral("closed")};
        });
        ui::AnswerSlot slot;
        std::optional<ErrorCode> code;
        worker.ask(
            slot, [](admin::Console &console) { return console.status(); },
            [&](const Result<StatusRecord> &status) { code = status.ok() ? ErrorCode::Corrupt : status.error().code; });
        QTRY_VERIFY_WITH_TIMEOUT(code.has_value(), patience);
        QCOMPARE(*code, ErrorCode::Unavailable);
    }

    void answer_isDroppedWhenItsAskerHasGone()
    {
        bool came = false;
        m_store->hold();
        {
            ui::AnswerSlot gone;
            m_worker->ask(
                gone, [](admin::Console &console) { return console.status(); },
                [&](const Result<StatusRecord> &) { came = true; });
            QTRY_COMPARE_WITH_TIMEOUT(m_store->hanging(), 1, patience);
        }
        m_store->release();
        load(); // a later question's answer proves that the first one's had its chance
        QVERIFY(!came);
    }
};

QTEST_MAIN(TestDeliveryModel)
#include "tst_delivery_model.moc"
