#include "store/receipt_store.h"
#include "tests/support/store_rows.h"

#include <QTest>

using namespace sendoff;
using namespace sendoff::store;
using sendoff::test::TestDatabase;

namespace {

ArrivedReceipt receipt(ReceiptKind kind, const QString &eventId, const QString &messageId = QStringLiteral("m-1"))
{
    ArrivedReceipt arrived;
    arrived.provider = QStringLiteral("resend");
    arrived.receipt.kind = kind;
    arrived.receipt.eventId = eventId;
    arrived.receipt.messageId = messageId;
    return arrived;
}

ArrivedReceipt hardBounce(const QString &eventId)
{
    ArrivedReceipt arrived = receipt(ReceiptKind::BouncedHard, eventId);
    arrived.receipt.suppresses = true;
    arrived.receipt.suppressReason = QStringLiteral("invalid_address");
    arrived.receipt.detail = QStringLiteral("550 no such user");
    return arrived;
}

} // namespace

class tst_receipts : public QObject
{
    Q_OBJECT

    // An accepted delivery that the provider knows as m-1.
    static QString accepted(TestDatabase &store, DeliveryState state = DeliveryState::Accepted, bool hasUnknown = false)
    {
        test::RowSpec spec;
        spec.state = state;
        spec.hasUnknown = hasUnknown;
        spec.attempts = 1;
        const QString id = test::insertDelivery(store, spec);
        store.run("UPDATE sendoff_delivery_hot SET provider_message_id = 'm-1' WHERE id = ?", {id});
        store.run("UPDATE sendoff_delivery_history SET provider_message_id = 'm-1' WHERE id = ?", {id});
        return id;
    }
    static void apply(TestDatabase &store, const std::vector<ArrivedReceipt> &receipts)
    {
        const auto kept = keepReceipts(store.database(), receipts);
        QVERIFY2(kept.ok(), kept ? "" : qPrintable(kept.error().message));
        const auto applied = applyReceipts(store.database(), 100);
        QVERIFY2(applied.ok(), applied ? "" : qPrintable(applied.error().message));
    }
    static QString stateOf(TestDatabase &store, const QString &id)
    {
        return store.text("SELECT state FROM sendoff_delivery WHERE id = ?", {id});
    }

private Q_SLOTS:
    void initTestCase_data() { test::addStoreRows(); }

    void init()
    {
        if (!TestDatabase::isAvailable(test::fetchKind())) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must give a PostgreSQL in SENDOFF_TEST_PG");
            QSKIP("no PostgreSQL: set SENDOFF_TEST_PG");
        }
    }

    void theWorseWordWinsInAnyOrder_data()
    {
        QTest::addColumn<QList<int>>("order");
        QTest::addColumn<QString>("end");
        const auto row = [](const char *name, std::initializer_list<ReceiptKind> kinds, DeliveryState end) {
            QList<int> order;
            for (const ReceiptKind kind : kinds)
                order += int(kind);
            QTest::newRow(name) << order << QString(toText(end));
        };
        using K = ReceiptKind;
        row("sent", {K::Sent}, DeliveryState::Accepted);
        row("delivered", {K::Sent, K::Delivered}, DeliveryState::Delivered);
        row("delivered before sent", {K::Delivered, K::Sent}, DeliveryState::Delivered);
        row("delayed, delivered", {K::Delayed, K::Delivered}, DeliveryState::Delivered);
        row("bounced after delivered", {K::Delivered, K::BouncedHard}, DeliveryState::Bounced);
        row("delivered after bounced", {K::BouncedHard, K::Delivered}, DeliveryState::Bounced);
        row("soft bounce", {K::BouncedSoft}, DeliveryState::Bounced);
        row("failed, then sent", {K::Failed, K::Sent}, DeliveryState::Bounced);
        row("opened says nothing of arrival", {K::Opened}, DeliveryState::Accepted);
        row("complaint", {K::Complained}, DeliveryState::Delivered);
    }

    void theWorseWordWinsInAnyOrder()
    {
        QFETCH(QList<int>, order);
        QFETCH(QString, end);
        TestDatabase store(test::fetchKind());
        const QString id = accepted(store);
        int number = 0;
        for (const int kind : order)
            apply(store, {receipt(ReceiptKind(kind), QStringLiteral("e-%1").arg(++number))});
        QCOMPARE(stateOf(store, id), end);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_receipt WHERE applied_at IS NULL"), 0);
    }

    void theSameWordTwiceIsKeptOnce()
    {
        TestDatabase store(test::fetchKind());
        const QString id = accepted(store);
        apply(store, {hardBounce(QStringLiteral("e-1")), hardBounce(QStringLiteral("e-1"))});
        apply(store, {hardBounce(QStringLiteral("e-1"))});
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_receipt"), 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_suppression WHERE reason = 'hard_bounce'"), 1);
        QCOMPARE(stateOf(store, id), QStringLiteral("bounced"));
        QCOMPARE(store.text("SELECT detail FROM sendoff_delivery WHERE id = ?", {id}),
                 QStringLiteral("550 no such user"));
    }

    void aWordThatComesBeforeOurOwnWriteWaits()
    {
        TestDatabase store(test::fetchKind());
        apply(store, {receipt(ReceiptKind::Delivered, QStringLiteral("e-1"))});
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_receipt WHERE applied_at IS NULL AND tries = 1"), 1);
        QCOMPARE(applyReceipts(store.database(), 100)->looked, 0); // it waits
        const QString id = accepted(store);
        store.run("UPDATE sendoff_receipt SET try_after = $now");
        QCOMPARE(applyReceipts(store.database(), 100)->applied, 1);
        QCOMPARE(stateOf(store, id), QStringLiteral("delivered"));
    }

    void aLeasedDeliveryEndsItsAttemptFirst()
    {
        TestDatabase store(test::fetchKind());
        const QString id = accepted(store, DeliveryState::Leased, true);
        apply(store, {receipt(ReceiptKind::Delivered, QStringLiteral("e-1"))});
        QCOMPARE(stateOf(store, id), QStringLiteral("leased"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_receipt WHERE applied_at IS NULL"), 1);
    }

    void anUnresolvedUnknownIsResolvedByAnyProof_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("end");
        for (const char *state : {"scheduled", "ready", "held", "unknown"}) {
            QTest::newRow(qPrintable(QStringLiteral("%1 delivered").arg(QLatin1String(state))))
                << QString::fromLatin1(state) << int(ReceiptKind::Delivered) << QStringLiteral("delivered");
            QTest::newRow(qPrintable(QStringLiteral("%1 opened").arg(QLatin1String(state))))
                << QString::fromLatin1(state) << int(ReceiptKind::Opened) << QStringLiteral("accepted");
            QTest::newRow(qPrintable(QStringLiteral("%1 bounced").arg(QLatin1String(state))))
                << QString::fromLatin1(state) << int(ReceiptKind::BouncedHard) << QStringLiteral("bounced");
        }
    }

    void anUnresolvedUnknownIsResolvedByAnyProof()
    {
        QFETCH(QString, state);
        QFETCH(int, kind);
        QFETCH(QString, end);
        TestDatabase store(test::fetchKind());
        const QString id = accepted(store, *fromText<DeliveryState>(state), true);
        ArrivedReceipt arrived = receipt(ReceiptKind(kind), QStringLiteral("e-1"), QStringLiteral("m-9"));
        arrived.receipt.delivery = DeliveryId(id); // no answer ever named its message id
        apply(store, {arrived});
        QCOMPARE(stateOf(store, id), end);
        QCOMPARE(store.number("SELECT has_unknown FROM sendoff_delivery_history WHERE id = ?", {id}), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot"), 0);
    }

    void whatAPersonEndedIsNotMovedByAReceipt()
    {
        TestDatabase store(test::fetchKind());
        const QString id = accepted(store, DeliveryState::Discarded);
        apply(store, {hardBounce(QStringLiteral("e-1"))});
        QCOMPARE(stateOf(store, id), QStringLiteral("discarded"));
        // The address is bad all the same.
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_suppression"), 1);
    }

    void aWithdrawnComplaintLiftsTheSuppression()
    {
        TestDatabase store(test::fetchKind());
        accepted(store);
        ArrivedReceipt complaint = receipt(ReceiptKind::Complained, QStringLiteral("e-1"));
        complaint.receipt.suppresses = true;
        complaint.receipt.suppressReason = QStringLiteral("complaint");
        apply(store, {complaint});
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_suppression WHERE reason = 'complaint'"), 1);
        apply(store, {receipt(ReceiptKind::ComplaintWithdrawn, QStringLiteral("e-2"))});
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_suppression"), 0);
    }

    void aForeignIdIsGivenUpInTheEnd()
    {
        TestDatabase store(test::fetchKind());
        apply(store, {receipt(ReceiptKind::Delivered, QStringLiteral("e-1"), QStringLiteral("somebody-else"))});
        store.run("UPDATE sendoff_receipt SET tries = 80, try_after = $now");
        QVERIFY(applyReceipts(store.database(), 100).ok());
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_receipt WHERE applied_at IS NOT NULL"), 1);
    }
};

QTEST_GUILESS_MAIN(tst_receipts)
#include "tst_receipts.moc"
