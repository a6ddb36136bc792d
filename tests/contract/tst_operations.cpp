#include "admin/operation_executor.h"
#include "admin/store_console.h"
#include "store/audit_store.h"
#include "store/delivery_queue.h"
#include "store/operation_tally.h"
#include "tests/support/store_rows.h"
#include "tests/support/test_database.h"

#include <QElapsedTimer>
#include <QTest>
#include <QThread>

using namespace sendoff;
using namespace sendoff::admin;
using sendoff::test::insertDelivery;
using sendoff::test::RowSpec;
using sendoff::test::TestDatabase;

namespace {

OperationRequest requestOf(const char *verb, const QString &filter)
{
    OperationRequest request;
    request.verb = QLatin1String(verb);
    const auto parsed = Filter::parse(filter);
    if (!parsed)
        qFatal("%s", qPrintable(parsed.error().message));
    request.filter = *parsed;
    request.actor = QStringLiteral("ana");
    request.reason = QStringLiteral("provider is back");
    request.armed = Milliseconds(0);
    return request;
}

RowSpec deadRow()
{
    RowSpec spec;
    spec.state = DeliveryState::Dead;
    spec.reason = Reason::AttemptsSpent;
    spec.failures = 10;
    spec.attempts = 10;
    spec.code = QStringLiteral("500");
    return spec;
}

// Runs until the executor finds nothing more to do; answers how many rows it looked at.
int runAll(OperationExecutor &executor, store::Database &database)
{
    int rows = 0;
    while (true) {
        const auto done = executor.runOnce(database);
        if (!done)
            qFatal("%s", qPrintable(done.error().message));
        if (*done == 0)
            return rows;
        rows += *done;
    }
}

// What an engine would have made of the rows that are due: each is answered, `outcome` accepted or failed.
void answerDue(TestDatabase &store, const char *outcome = "accepted")
{
    const bool isAccepted = QByteArray(outcome) == "accepted";
    store.run(QByteArray("UPDATE sendoff_delivery_hot SET state = '") + (isAccepted ? "accepted" : "dead") +
              "', ended_at = $now, lease_token = lease_token + 1 WHERE state = 'scheduled' AND due_at <= $now");
    store.run(QByteArray("UPDATE sendoff_operation_item SET outcome = '") + outcome + "', result = '" +
              (isAccepted ? "done" : "failed") +
              "' FROM sendoff_delivery_hot h WHERE h.id = delivery_id AND h.operation_id = "
              "sendoff_operation_item.operation_id AND h.ended_at IS NOT NULL");
    store.run("INSERT INTO sendoff_delivery_history SELECT * FROM sendoff_delivery_hot WHERE ended_at IS NOT NULL");
    store.run("DELETE FROM sendoff_delivery_hot WHERE ended_at IS NOT NULL");
}

// Counts what the rows came to, as an engine does about once a second.
void countNow(OperationExecutor &executor, store::Database &database)
{
    executor.countAgain();
    const auto done = executor.runOnce(database);
    if (!done)
        qFatal("%s", qPrintable(done.error().message));
}

void insertMany(TestDatabase &store, const RowSpec &spec, const QString &prefix, int count)
{
    constexpr int part = 5'000;
    for (int from = 0; from < count; from += part)
        test::insertDeliveries(store, spec, prefix + QString::number(from / part), std::min(part, count - from));
}

} // namespace

class tst_operations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { test::addStoreRows(); }

    void init()
    {
        if (!TestDatabase::isAvailable(test::fetchKind())) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must give a PostgreSQL in SENDOFF_TEST_PG");
            QSKIP("no PostgreSQL: set SENDOFF_TEST_PG");
        }
    }

    void undoLeavesRowsUntouchedVersionIncluded()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 50);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.armed = Milliseconds(60'000);
        const auto operation = console->submit(request);
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        QCOMPARE(operation->state, QStringLiteral("armed"));
        QCOMPARE(operation->expected, 50);
        QCOMPARE(operation->armedUntil - operation->createdAt, Milliseconds(60'000));
        OperationExecutor executor;
        QCOMPARE(*executor.runOnce(store.database()), 0); // still armed
        QVERIFY(**OperationExecutor::untilNext(store.database()) > Milliseconds(10'000));
        QCOMPARE(console->undo(operation->id)->state, QStringLiteral("undone"));
        store.run("UPDATE sendoff_operation SET armed_until = $now_plus(-1)");
        QCOMPARE(*executor.runOnce(store.database()), 0);
        QVERIFY(!*OperationExecutor::untilNext(store.database()));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE state = 'dead' AND lease_token = 1 "
                              "AND failures = 10"),
                 50);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation_item"), 0);
        QCOMPARE(console->undo(operation->id).error().code, ErrorCode::Refused);
        QCOMPARE(console->undo(9'999).error().code, ErrorCode::NotFound);
    }

    void retryBringsRowsBackSpreadInTime()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = deadRow();
        spec.hasUnknown = true;
        test::insertDeliveries(store, spec, QStringLiteral("d"), 500);
        store.run("UPDATE sendoff_delivery_history SET accepted_at = $now, losses = 3, detail = 'x'");
        RowSpec held;
        held.state = DeliveryState::Held;
        const QString heldId = insertDelivery(store, held);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead,held"));
        request.rate = 100;
        const auto operation = console->submit(request);
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        OperationExecutor executor;
        QCOMPARE(runAll(executor, store.database()), 501);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history"), 0);
        QCOMPARE(store.number(
                     "SELECT count(*) FROM sendoff_delivery_hot WHERE state = 'scheduled' AND reason = 'none' AND "
                     "failures = 0 "
                     "AND losses = 0 AND lease_token = 2 AND ended_at IS NULL AND detail = '' AND accepted_at IS NULL"),
                 501);
        QCOMPARE(
            store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE has_unknown = 1 AND possible_duplicate = 1"),
            500);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE attempts = 10"),
                 500); // attempts are a fact
        QVERIFY(store.number("SELECT max($ms(due_at)) - min($ms(due_at)) FROM sendoff_delivery_hot") >= 4'900);
        const auto ended = console->operation(operation->id);
        QCOMPARE(ended->state, QStringLiteral("done"));
        QCOMPARE(ended->done, 501);
        QCOMPARE(ended->skipped, 0);
        QVERIFY(ended->endedAt);
        QCOMPARE(console->operationItems(operation->id, {}, 1'000)->size(), 501U);
        QCOMPARE(console->story(DeliveryId(heldId))->operations.size(), 1U);
    }

    void retryRefusesRowByRowWithTheReason_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("reason");
        QTest::newRow("secret scrubbed") << "has_secret = 1"
                                         << "its secret was scrubbed";
        QTest::newRow("content removed") << "content_removed_at = $now"
                                         << "its content was removed";
        QTest::newRow("final") << "state = 'discarded'"
                               << "it is discarded, which is final";
        QTest::newRow("delivered") << "state = 'delivered'"
                                   << "it is delivered, which is final";
        QTest::newRow("no address") << "address_mask = ''"
                                    << "it has no address; edit it, or add a contact and emit the event again";
        QTest::newRow("no provider") << "provider = ''"
                                     << "no provider carried its channel; configure one and emit the event again";
        QTest::newRow("security") << "category = 'security', expires_at = $now_plus(-1)"
                                  << "it has expired, and security messages are never renewed";
        QTest::newRow("event gone") << "event_id = 'nowhere'"
                                    << "its content was removed";
    }

    void retryRefusesRowByRowWithTheReason()
    {
        QFETCH(QString, change);
        QFETCH(QString, reason);
        TestDatabase store(test::fetchKind());
        const QString odd = insertDelivery(store, deadRow());
        store.run("UPDATE sendoff_event SET scrubbed_at = $now");
        store.run("UPDATE sendoff_delivery_history SET " + change.toUtf8());
        insertDelivery(store, deadRow());
        const auto console = makeStoreConsole(store.connect());
        const auto alone = console->submit(requestOf("retry", QStringLiteral("id:") + odd));
        QCOMPARE(alone.error().code, ErrorCode::Refused);
        QVERIFY2(alone.error().message.contains(reason), qPrintable(alone.error().message));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);
        const auto operation = console->submit(requestOf("retry", QStringLiteral("channel:email")));
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        OperationExecutor executor;
        runAll(executor, store.database());
        QCOMPARE(console->operation(operation->id)->done, 1);
        QCOMPARE(console->operation(operation->id)->skipped, 1);
        QCOMPARE(store.text("SELECT detail FROM sendoff_operation_item WHERE result = 'skipped'"), reason);
        QCOMPARE(store.number("SELECT lease_token FROM sendoff_delivery_history WHERE id = ?", {odd}), 1);
    }

    void retryRenewsAnExpiryThatHasPassed()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = deadRow();
        spec.state = DeliveryState::Expired;
        spec.age = Milliseconds(10 * 3'600'000);
        spec.expiresIn = Milliseconds(-2 * 3'600'000); // a life of eight hours
        const QString longLived = insertDelivery(store, spec);
        spec.age = Milliseconds(7'500'000);
        const QString shortLived = insertDelivery(store, spec); // of five minutes
        RowSpec young = deadRow();
        const QString untouched = insertDelivery(store, young);
        const qint64 expiry = store.number("SELECT $ms(expires_at) FROM sendoff_delivery WHERE id = ?", {untouched});
        const auto console = makeStoreConsole(store.connect());
        QVERIFY(console->submit(requestOf("retry", QStringLiteral("channel:email"))).ok());
        OperationExecutor executor;
        runAll(executor, store.database());
        const QByteArray life = "SELECT $ms(expires_at) - $ms(due_at) FROM sendoff_delivery_hot WHERE id = ?";
        QCOMPARE(store.number(life, {longLived}), 8 * 3'600'000);
        QCOMPARE(store.number(life, {shortLived}), 3'600'000);
        QCOMPARE(store.number("SELECT $ms(expires_at) FROM sendoff_delivery_hot WHERE id = ?", {untouched}), expiry);
    }

    void cancelEndsWhatWaitsAndLeavesTheRest()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        const auto add = [&](DeliveryState state) {
            spec.state = state;
            return insertDelivery(store, spec);
        };
        const QString ready = add(DeliveryState::Ready);
        const QString scheduled = add(DeliveryState::Scheduled);
        const QString held = add(DeliveryState::Held);
        const QString leased = add(DeliveryState::Leased);
        const QString accepted = add(DeliveryState::Accepted);
        store.run("INSERT INTO sendoff_content (delivery_id, body) VALUES (?, 'x')", {ready});
        store.run("UPDATE sendoff_delivery_hot SET has_unknown = 1 WHERE id = ?", {scheduled});
        const auto console = makeStoreConsole(store.connect());
        const auto operation = console->submit(requestOf("cancel", QStringLiteral("channel:email")));
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        OperationExecutor executor;
        runAll(executor, store.database());
        const auto stateOf = [&](const QString &id) {
            return store.text("SELECT state FROM sendoff_delivery WHERE id = ?", {id});
        };
        QCOMPARE(stateOf(ready), QStringLiteral("cancelled"));
        QCOMPARE(stateOf(held), QStringLiteral("cancelled"));
        QCOMPARE(stateOf(scheduled), QStringLiteral("unknown")); // it may have been sent: that can't be cancelled away
        QCOMPARE(stateOf(leased), QStringLiteral("leased"));
        QCOMPARE(stateOf(accepted), QStringLiteral("accepted"));
        QCOMPARE(
            store.number(
                "SELECT count(*) FROM sendoff_delivery_history WHERE reason = 'by_person' AND ended_at IS NOT NULL"),
            2);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_content"), 0);
        QCOMPARE(console->operation(operation->id)->done, 3);
        QCOMPARE(console->operation(operation->id)->skipped, 2);
        QCOMPARE(store.text("SELECT detail FROM sendoff_operation_item WHERE delivery_id = ?", {leased}),
                 QStringLiteral("it is being sent now"));
        QCOMPARE(store.text("SELECT detail FROM sendoff_operation_item WHERE delivery_id = ?", {accepted}),
                 QStringLiteral("it has ended already (accepted)"));
    }

    void cancellingTheLastDeliveryScrubsTheEventsSecret()
    {
        TestDatabase store(test::fetchKind());
        test::insertEvent(store, QStringLiteral("e"), EventState::Relayed, "{\"code\":\"123456\",\"n\":1}");
        store.run("UPDATE sendoff_event SET secrets = '/code'");
        RowSpec spec;
        spec.event = QStringLiteral("e");
        spec.hasSecret = true;
        const QString first = insertDelivery(store, spec);
        spec.channel = Channel::Sms;
        const QString second = insertDelivery(store, spec);
        const auto console = makeStoreConsole(store.connect());
        OperationExecutor executor;
        QVERIFY(console->submit(requestOf("cancel", QStringLiteral("id:") + first)).ok());
        runAll(executor, store.database());
        QVERIFY(store.text("SELECT payload FROM sendoff_event").contains(QStringLiteral("123456")));
        QVERIFY(console->submit(requestOf("cancel", QStringLiteral("id:") + second)).ok());
        runAll(executor, store.database());
        QVERIFY(!store.text("SELECT payload FROM sendoff_event").contains(QStringLiteral("123456")));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event WHERE scrubbed_at IS NOT NULL"), 1);
        QCOMPARE(console->submit(requestOf("retry", QStringLiteral("state:cancelled"))).error().code,
                 ErrorCode::Refused);
    }

    void discardTakesDeadOnesOffTheTableForGood()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = deadRow();
        for (const DeliveryState state : {DeliveryState::Dead, DeliveryState::Unknown, DeliveryState::Bounced,
                                          DeliveryState::Held, DeliveryState::Accepted, DeliveryState::Ready}) {
            spec.state = state;
            insertDelivery(store, spec);
        }
        const auto console = makeStoreConsole(store.connect());
        const auto operation = console->submit(requestOf("discard", QStringLiteral("channel:email")));
        OperationExecutor executor;
        runAll(executor, store.database());
        QCOMPARE(
            store.number("SELECT count(*) FROM sendoff_delivery_history WHERE state = 'discarded' AND lease_token = 2"),
            4);
        QCOMPARE(console->operation(operation->id)->done, 4);
        QCOMPARE(console->operation(operation->id)->skipped, 2);
        QCOMPARE(console->submit(requestOf("retry", QStringLiteral("state:discarded"))).error().code,
                 ErrorCode::Refused);
    }

    void retryEventGivesRejectedEventsNewTries()
    {
        TestDatabase store(test::fetchKind());
        for (int each = 0; each < 450; ++each)
            test::insertEvent(store, QStringLiteral("e%1").arg(each),
                              each % 9 == 0 ? EventState::Relayed : EventState::Rejected);
        store.run("UPDATE sendoff_event SET tries = 3, reason = 'unknown type' WHERE state = 'rejected'");
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry_event", QStringLiteral("type:booking.confirmed"));
        request.filter.terms.push_back(
            {QStringLiteral("state"), FilterTerm::Operator::Equals, {QStringLiteral("rejected")}, Milliseconds(0)});
        QCOMPARE(console->preview(request)->count, 400);
        const auto operation = console->submit(request);
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        OperationExecutor executor;
        runAll(executor, store.database());
        QCOMPARE(
            store.number("SELECT count(*) FROM sendoff_event WHERE state = 'pending' AND tries = 0 AND reason IS NULL"),
            400);
        QCOMPARE(console->operation(operation->id)->done, 400);
        request.filter.terms.erase(request.filter.terms.begin()); // all that are rejected
        QCOMPARE(console->submit(request).error().code, ErrorCode::NotFound);
        store.run("UPDATE sendoff_event SET state = 'rejected' WHERE id = 'e1'");
        QVERIFY(console->submit(request).ok());
        runAll(executor, store.database());
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event WHERE state = 'rejected'"), 0);
    }

    void rowsThatOthersChangeMeanwhileAreChangedOnce_data()
    {
        QTest::addColumn<QString>("verb");
        QTest::newRow("retry") << "retry";
        QTest::newRow("cancel") << "cancel";
    }

    void rowsThatOthersChangeMeanwhileAreChangedOnce()
    {
        QFETCH(QString, verb);
        TestDatabase store(test::fetchKind());
        const bool isRetry = verb == QLatin1String("retry");
        RowSpec spec = deadRow();
        spec.state = isRetry ? DeliveryState::Dead : DeliveryState::Ready;
        test::insertDeliveries(store, spec, QStringLiteral("d"), 2'000);
        const auto console = makeStoreConsole(store.connect());
        const auto operation = console->submit(requestOf(
            verb.toLatin1().constData(), isRetry ? QStringLiteral("state:dead") : QStringLiteral("state:ready")));
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        // The other writer takes every tenth row, one at a time, as a claim or a receipt would.
        std::atomic<int> taken = 0;
        const std::unique_ptr<QThread> other(QThread::create([&] {
            const auto database = store.connect();
            for (int each = 0; each < 200; ++each) {
                const QString id = QStringLiteral("d-%1").arg(1'999 - each * 10, 5, 10, QLatin1Char('0'));
                const auto done = database->write([&](store::Session &session) {
                    return session
                        .run(isRetry
                                 ? "UPDATE sendoff_delivery_history SET state = 'delivered', lease_token = lease_token "
                                   "+ 1 "
                                   "WHERE id = ? AND state = 'dead'"
                                 : "UPDATE sendoff_delivery_hot SET state = 'leased', lease_token = lease_token + 1 "
                                   "WHERE id = ? AND state = 'ready'",
                             {id})
                        .affected();
                });
                if (done)
                    taken += *done;
            }
        }));
        other->start();
        OperationExecutor executor;
        runAll(executor, store.database());
        QVERIFY(other->wait(120'000));
        runAll(executor, store.database());
        const auto ended = console->operation(operation->id);
        QCOMPARE(ended->state, QStringLiteral("done"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 2'000);
        const qint64 changed =
            isRetry
                ? store.number(
                      "SELECT count(*) FROM sendoff_delivery_hot WHERE state = 'scheduled' AND lease_token = 2")
                : store.number(
                      "SELECT count(*) FROM sendoff_delivery_history WHERE state = 'cancelled' AND lease_token = 2");
        QCOMPARE(ended->done, changed);
        QCOMPARE(changed + taken, 2'000);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation_item WHERE result = 'done'"), changed);
        QCOMPARE(ended->detail.isEmpty(), ended->done + ended->skipped == 2'000);
    }

    void anExecutorThatDiesIsContinuedWithoutAnItemTwice()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 900);
        const auto console = makeStoreConsole(store.connect());
        const auto operation = console->submit(requestOf("retry", QStringLiteral("state:dead")));
        {
            OperationExecutor first;
            QCOMPARE(*first.runOnce(store.database()), OperationExecutor::batchRows);
        }
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("running"));
        QCOMPARE(console->operation(operation->id)->done, OperationExecutor::batchRows);
        OperationExecutor second;
        QCOMPARE(*second.runOnce(store.database()), 0); // the first one's lease stands
        store.run("UPDATE sendoff_operation SET lease_until = $now_plus(-1)");
        QCOMPARE(runAll(second, store.database()), 700);
        QCOMPARE(console->operation(operation->id)->done, 900);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE lease_token = 2"), 900);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation_item"), 900);
    }

    void aRowThatDiesAgainDuringTheRetryIsNotRetriedTwice()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 450);
        const auto console = makeStoreConsole(store.connect());
        const auto operation = console->submit(requestOf("retry", QStringLiteral("state:dead")));
        OperationExecutor executor;
        while (*executor.runOnce(store.database()) > 0) { // each batch fails at once
            store.run("UPDATE sendoff_delivery_hot SET state = 'dead', ended_at = $now, lease_token = lease_token + 1");
            store.run("INSERT INTO sendoff_delivery_history SELECT * FROM sendoff_delivery_hot");
            store.run("DELETE FROM sendoff_delivery_hot");
        }
        QCOMPARE(console->operation(operation->id)->done, 450);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE lease_token = 3"), 450);
    }

    void twoExecutorsAtOnceShareTheWork()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("a"), 1'000);
        RowSpec other = deadRow();
        other.channel = Channel::Sms;
        test::insertDeliveries(store, other, QStringLiteral("b"), 1'000);
        const auto console = makeStoreConsole(store.connect());
        // The second one meets the rows of the first too.
        const auto first = console->submit(requestOf("retry", QStringLiteral("channel:email state:dead")));
        const auto second = console->submit(requestOf("retry", QStringLiteral("state:dead")));
        QVERIFY(first.ok() && second.ok());
        std::atomic<int> good = 0;
        std::vector<std::unique_ptr<QThread>> threads;
        for (int each = 0; each < 2; ++each) {
            threads.emplace_back(QThread::create([&] {
                const auto database = store.connect();
                OperationExecutor executor;
                while (store::Database *open = database.get()) {
                    const auto done = executor.runOnce(*open);
                    if (!done) {
                        if (done.error().code == ErrorCode::Busy)
                            continue;
                        qWarning("%s", qPrintable(done.error().message));
                        return;
                    }
                    const auto until = OperationExecutor::untilNext(*open);
                    if (until && !*until)
                        break; // none is open any more
                }
                ++good;
            }));
        }
        for (auto &thread : threads)
            thread->start();
        for (auto &thread : threads)
            QVERIFY(thread->wait(120'000));
        QCOMPARE(good.load(), 2);
        QCOMPARE(
            store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE state = 'scheduled' AND lease_token = 2"),
            2'000);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation_item WHERE result = 'done'"), 2'000);
        QCOMPARE(console->operation(first->id)->done + console->operation(second->id)->done, 2'000);
    }

    void stopKeepsTheRestUntouched()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 500);
        const auto console = makeStoreConsole(store.connect());
        const auto operation = console->submit(requestOf("retry", QStringLiteral("state:dead")));
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        OperationExecutor executor;
        QCOMPARE(*executor.runOnce(store.database()), 200);
        QCOMPARE(console->undo(operation->id).error().code, ErrorCode::Refused);
        QVERIFY(console->stop(operation->id).ok());
        QCOMPARE(*executor.runOnce(store.database()), 0);
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("stopped"));
        QCOMPARE(console->operation(operation->id)->done, 200);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE state = 'dead' AND lease_token = 1"),
                 300);
        QCOMPARE(console->stop(operation->id).error().code, ErrorCode::Refused);
        const auto armed = [&] {
            OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
            request.armed = Milliseconds(60'000);
            return console->submit(request);
        }();
        QCOMPARE(console->stop(armed->id)->state, QStringLiteral("undone"));
    }

    void aSlowRetryWaitsForItsOwnSchedule()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 1'000);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 1;
        const auto operation = console->submit(request);
        OperationExecutor executor;
        QCOMPARE(runAll(executor, store.database()), 800); // rows due within ten minutes, in whole batches
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("running"));
        QVERIFY(console->stop(operation->id).ok());
        runAll(executor, store.database());
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("stopped"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE lease_token = 1"), 200);
    }

    void UI_01_theSameRequestTwiceIsOneOperation()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 10);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.dedupe = QStringLiteral("click-1");
        const auto first = console->submit(request);
        QCOMPARE(console->submit(request)->id, first->id);
        OperationExecutor executor;
        runAll(executor, store.database());
        const auto late = console->submit(request); // nothing matches any more, the first one is still the answer
        QVERIFY2(late.ok(), late ? "" : qPrintable(late.error().message));
        QCOMPARE(late->id, first->id);
        QCOMPARE(late->state, QStringLiteral("done"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_audit"), 1);
    }

    void eventsAfterTheWatermarkAreNotTouched()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 10);
        const auto console = makeStoreConsole(store.connect());
        const auto operation = console->submit(requestOf("retry", QStringLiteral("state:dead")));
        test::insertDeliveries(store, deadRow(), QStringLiteral("e"), 5);
        OperationExecutor executor;
        runAll(executor, store.database());
        QCOMPARE(console->operation(operation->id)->done, 10);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE state = 'dead'"), 5);
    }

    void requestsThatCantBeMeantAreRefused()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 1);
        const auto console = makeStoreConsole(store.connect());
        QCOMPARE(console->submit(requestOf("retry", {})).error().code, ErrorCode::Invalid);
        QCOMPARE(console->submit(requestOf("erase", QStringLiteral("state:dead"))).error().code, ErrorCode::Invalid);
        QCOMPARE(console->submit(requestOf("retry_event", QStringLiteral("channel:email"))).error().code,
                 ErrorCode::Invalid);
        OperationRequest fast = requestOf("retry", QStringLiteral("state:dead"));
        fast.rate = 5'000;
        QCOMPARE(console->submit(fast).error().code, ErrorCode::Invalid);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_audit"), 0);
    }

    void anOperationThatCantBeReadEndsAsFailed()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 3);
        const auto console = makeStoreConsole(store.connect());
        for (const QByteArray change : {"filter = 'planet:mars'", "verb = 'explode'", "filter = ''"}) {
            const auto operation = console->submit(requestOf("retry", QStringLiteral("state:dead")));
            store.run("UPDATE sendoff_operation SET " + change + " WHERE id = ?", {operation->id});
            OperationExecutor executor;
            QCOMPARE(runAll(executor, store.database()), 0);
            QCOMPARE(console->operation(operation->id)->state, QStringLiteral("failed"));
            QVERIFY(!console->operation(operation->id)->detail.isEmpty());
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE lease_token = 1"), 3);
    }

    void previewCountsWhatMatters()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = deadRow();
        test::insertDeliveries(store, spec, QStringLiteral("a"), 6);
        spec.user = QStringLiteral("u2");
        spec.channel = Channel::Sms;
        spec.hasUnknown = true;
        spec.state = DeliveryState::Unknown;
        spec.expiresIn = Milliseconds(-1'000);
        test::insertDeliveries(store, spec, QStringLiteral("b"), 3);
        spec = RowSpec();
        spec.state = DeliveryState::Delivered;
        test::insertDeliveries(store, spec, QStringLiteral("c"), 2);
        store.run("UPDATE sendoff_delivery_history SET content_removed_at = $now WHERE id = 'a-00000'");
        const auto console = makeStoreConsole(store.connect());
        const auto preview = console->preview(requestOf("retry", QStringLiteral("lane:normal")));
        QVERIFY2(preview.ok(), preview ? "" : qPrintable(preview.error().message));
        QCOMPARE(preview->count, 11);
        QCOMPARE(preview->changeable, 8);
        QCOMPARE(preview->people, 2);
        QCOMPARE(preview->expired, 3);
        QCOMPARE(preview->contentGone, 1);
        QCOMPARE(preview->possibleDuplicates, 3);
        QCOMPARE(preview->byChannel.front(), std::make_pair(QStringLiteral("email"), qint64(8)));
        QCOMPARE(preview->watermark, store.number("SELECT max(sequence) FROM sendoff_event"));
        QCOMPARE(preview->samples.size(), 5U);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);
    }

    void ofAHundredThousandExactlyTheMatchingOnesChangeWhileOthersWrite()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = deadRow();
        insertMany(store, spec, QStringLiteral("a"), 60'000);
        spec.code = QStringLiteral("429");
        insertMany(store, spec, QStringLiteral("b"), 40'000);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead code:429"));
        request.rate = 1'000;
        const auto operation = console->submit(request);
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        QCOMPARE(operation->expected, 40'000);
        std::atomic<int> taken = 0;
        const std::unique_ptr<QThread> other(QThread::create([&] {
            const auto database = store.connect();
            for (int each = 0; each < 300; ++each) {
                const QString id = QStringLiteral("b%1-%2").arg(each % 8).arg(4'999 - each, 5, 10, QLatin1Char('0'));
                const auto done = database->write([&](store::Session &session) {
                    return session
                        .run("UPDATE sendoff_delivery_history SET state = 'delivered', lease_token = lease_token + 1 "
                             "WHERE id = ? AND state = 'dead'",
                             {id})
                        .affected();
                });
                if (done)
                    taken += *done;
            }
        }));
        other->start();
        OperationExecutor executor;
        QElapsedTimer time;
        time.start();
        while (runAll(executor, store.database()) > 0 || !other->isFinished())
            answerDue(store);
        QVERIFY(other->wait(120'000));
        qInfo("40,000 of 100,000 in %lld ms", static_cast<long long>(time.elapsed()));
        const auto ended = console->operation(operation->id);
        QCOMPARE(ended->state, QStringLiteral("done"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 100'000);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery WHERE operation_id IS NOT NULL"), ended->done);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery WHERE last_code = '500' AND lease_token = 1 AND "
                              "state = 'dead'"),
                 60'000);
        QCOMPARE(ended->done + taken, 40'000);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation_item WHERE result = 'done'"), ended->done);
        // Given back once, then answered at most once: no row moved further.
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery WHERE lease_token > 3"), 0);
    }

    void UI_01_aHundredThousandRetriedAndStoppedAtFortyPercent()
    {
        TestDatabase store(test::fetchKind());
        insertMany(store, deadRow(), QStringLiteral("d"), 100'000);
        const auto ana = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 1'000;
        request.dedupe = QStringLiteral("click");
        const auto first = ana->submit(request);
        QVERIFY2(first.ok(), first ? "" : qPrintable(first.error().message));
        QCOMPARE(first->expected, 100'000);
        QCOMPARE(ana->submit(request)->id, first->id);
        OperationExecutor executor;
        QElapsedTimer time;
        time.start();
        qint64 longest = 0;
        int rows = 0;
        while (rows < 40'000) {
            QElapsedTimer batch;
            batch.start();
            const auto done = executor.runOnce(store.database());
            QVERIFY(done.ok());
            longest = std::max(longest, batch.elapsed());
            rows += *done;
            if (*done == 0)
                answerDue(store);
        }
        QVERIFY(ana->stop(first->id).ok());
        runAll(executor, store.database());
        qInfo("40,000 requeued in %lld ms, the longest batch %lld ms", static_cast<long long>(time.elapsed()),
              static_cast<long long>(longest));
        QCOMPARE(ana->operation(first->id)->state, QStringLiteral("stopped"));
        QCOMPARE(ana->operation(first->id)->done, 40'000);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE state = 'dead' AND lease_token = 1"),
                 60'000);
    }

    void UI_01_twoOperatorsRetryTheSameRowsAndEachIsGivenBackOnce()
    {
        TestDatabase store(test::fetchKind());
        insertMany(store, deadRow(), QStringLiteral("d"), 10'000);
        const auto ana = makeStoreConsole(store.connect());
        const auto ben = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 1'000;
        const auto first = ana->submit(request);
        request.actor = QStringLiteral("ben");
        const auto second = ben->submit(request);
        QVERIFY(first.ok() && second.ok());
        OperationExecutor executor;
        OperationExecutor other;
        const auto otherDatabase = store.connect();
        while (runAll(executor, store.database()) + runAll(other, *otherDatabase) > 0)
            answerDue(store);
        QCOMPARE(ana->operation(first->id)->done + ben->operation(second->id)->done, 10'000);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation_item WHERE result = 'done'"), 10'000);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE state = 'dead'"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery WHERE lease_token > 3"), 0);
        // Each operation's own slots are a millisecond apart.
        QVERIFY(store.number("SELECT max($ms(due_at)) - min($ms(due_at)) FROM sendoff_delivery") >= 4'900);
        QVERIFY(store.number("SELECT max(n) FROM (SELECT count(*) AS n FROM sendoff_delivery GROUP BY "
                             "$ms(due_at) / 1000) AS seconds") <= 4'000);
    }

    void outcomesAreCountedAndTheTallyEnds()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 30);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 1'000;
        const auto operation = console->submit(request);
        OperationExecutor executor;
        runAll(executor, store.database());
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("done"));
        store.run("UPDATE sendoff_delivery_hot SET due_at = $now_plus(600000)");
        store.run("UPDATE sendoff_delivery_hot SET due_at = $now_plus(-1) WHERE id < 'd-00012'");
        answerDue(store);
        store.run("UPDATE sendoff_delivery_hot SET due_at = $now_plus(-1) WHERE id < 'd-00020'");
        answerDue(store, "transient");
        countNow(executor, store.database());
        auto counted = console->operation(operation->id);
        QCOMPARE(counted->accepted, 12);
        QCOMPARE(counted->failed, 8);
        QVERIFY(!counted->isTallied);
        // One expires, one is cancelled by a person, one is held, one has another operation; the others are accepted.
        store.run("UPDATE sendoff_delivery_hot SET expires_at = $now_plus(-1) WHERE id = 'd-00020'");
        QCOMPARE(*store::expireOverdue(store.database(), 10), 1);
        QVERIFY(console->submit(requestOf("cancel", QStringLiteral("id:d-00021"))).ok());
        runAll(executor, store.database());
        store.run("UPDATE sendoff_delivery_hot SET state = 'held' WHERE id = 'd-00022'");
        OperationRequest later = requestOf("reschedule", QStringLiteral("id:d-00023"));
        later.parameters.dueAt = SystemClock().now() + std::chrono::hours(1);
        QVERIFY(console->submit(later).ok());
        runAll(executor, store.database());
        store.run("UPDATE sendoff_delivery_hot SET due_at = $now_plus(-1) WHERE id > 'd-00023'");
        answerDue(store);
        countNow(executor, store.database());
        counted = console->operation(operation->id);
        QCOMPARE(counted->accepted, 18);
        QCOMPARE(counted->failed, 11);
        QVERIFY(counted->isTallied);
        const auto detailOf = [&](const char *id) {
            return store.text("SELECT detail FROM sendoff_operation_item WHERE delivery_id = ? AND operation_id = ?",
                              {QString::fromLatin1(id), operation->id});
        };
        QCOMPARE(detailOf("d-00020"), QStringLiteral("it expired before it was tried"));
        QCOMPARE(detailOf("d-00021"), QStringLiteral("a person ended it before it was tried"));
        QCOMPARE(detailOf("d-00023"), QStringLiteral("another operation took it over"));
        QCOMPARE(store::untalliedOperations(store.database())->size(), 1U); // the rescheduled row waits
    }

    void whatGivesNothingBackIsTalliedAtOnce()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 3);
        const auto console = makeStoreConsole(store.connect());
        OperationExecutor executor;
        const auto discard = console->submit(requestOf("discard", QStringLiteral("id:d-00000")));
        const auto armed = [&] {
            OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
            request.armed = Milliseconds(60'000);
            return console->submit(request);
        }();
        runAll(executor, store.database());
        QVERIFY(console->operation(discard->id)->isTallied);
        QVERIFY(console->undo(armed->id).ok());
        countNow(executor, store.database());
        QVERIFY(console->operation(armed->id)->isTallied);
        QVERIFY(store::untalliedOperations(store.database())->empty());
    }

    void tooManyFailuresStopItByItself()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 1'000);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 10;
        request.stopAtFailures = 30;
        const auto operation = console->submit(request);
        QCOMPARE(operation->stopAtFailures, 30);
        OperationExecutor executor;
        QCOMPARE(runAll(executor, store.database()), 200); // fifteen seconds ahead, in whole batches
        store.run("UPDATE sendoff_delivery_hot SET due_at = $now_plus(600000)");
        const auto answer = [&](int from, int to, const char *outcome) {
            store.run("UPDATE sendoff_delivery_hot SET due_at = $now_plus(-1) WHERE id $any(SELECT id FROM "
                      "sendoff_delivery_hot ORDER BY id LIMIT ?)",
                      {to - from});
            answerDue(store, outcome);
            countNow(executor, store.database());
        };
        answer(0, 19, "transient"); // too few to judge by
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("running"));
        answer(19, 64, "accepted"); // 19 of 64 are 29.7 %
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("running"));
        answer(64, 66, "transient");
        const auto stopped = console->operation(operation->id);
        QCOMPARE(stopped->state, QStringLiteral("stopped"));
        QVERIFY2(stopped->detail.startsWith(QStringLiteral("stopped by itself: 21 of 66 failed again; 134 that")),
                 qPrintable(stopped->detail));
        QCOMPARE(runAll(executor, store.database()), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE lease_token = 1"), 800);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE state = 'scheduled'"), 134);
    }

    void itWaitsWhileItsOwnRowsPileUp()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 1'000);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 30;
        const auto operation = console->submit(request);
        OperationExecutor executor;
        QCOMPARE(*executor.runOnce(store.database()), 200);
        QCOMPARE(*executor.runOnce(store.database()), 200);
        // Twenty seconds later nobody has sent any of them.
        store.run("UPDATE sendoff_operation SET started_at = $now_plus(-20000)");
        store.run("UPDATE sendoff_delivery_hot SET due_at = $now_plus(-1)");
        QCOMPARE(*executor.runOnce(store.database()), 0);
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("running"));
        QVERIFY(**OperationExecutor::untilNext(store.database()) > Milliseconds(0));
        answerDue(store);
        QCOMPARE(*executor.runOnce(store.database()), 200);
    }

    void aPausedOneKeepsItsPlaceAndANewRateHoldsAtTheNextBatch()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 700);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        request.rate = 100;
        const auto operation = console->submit(request);
        OperationExecutor executor;
        QCOMPARE(*executor.runOnce(store.database()), 200);
        QVERIFY(console->pauseOperation(operation->id, true)->isPaused);
        QCOMPARE(runAll(executor, store.database()), 0);
        QVERIFY(!*OperationExecutor::untilNext(store.database()));
        QVERIFY(!store::workWaiting(store.database())->operations);
        QCOMPARE(console->setOperationRate(operation->id, 10)->rate, 10);
        QVERIFY(!console->pauseOperation(operation->id, false)->isPaused);
        const qint64 before = store.number("SELECT max($ms(due_at)) FROM sendoff_delivery_hot");
        QCOMPARE(*executor.runOnce(store.database()), 200);
        QVERIFY(store.number("SELECT max($ms(due_at)) FROM sendoff_delivery_hot") - before >= 19'000);
        QVERIFY(console->pauseOperation(operation->id, true).ok());
        QVERIFY(console->stop(operation->id).ok()); // a paused one can be stopped
        runAll(executor, store.database());
        QCOMPARE(console->operation(operation->id)->state, QStringLiteral("stopped"));
        QCOMPARE(console->pauseOperation(operation->id, true).error().code, ErrorCode::Refused);
        QCOMPARE(console->setOperationRate(operation->id, 10).error().code, ErrorCode::Refused);
        QCOMPARE(console->setOperationRate(operation->id, 0).error().code, ErrorCode::Invalid);
        QCOMPARE(console->pauseOperation(9'999, true).error().code, ErrorCode::NotFound);
    }

    void rescheduleMovesWhatWaitsWithinItsLife()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        const auto add = [&](DeliveryState state, Milliseconds expiresIn = Milliseconds(86'400'000)) {
            spec.state = state;
            spec.expiresIn = expiresIn;
            spec.failures = 2;
            return insertDelivery(store, spec);
        };
        const QString ready = add(DeliveryState::Ready);
        const QString scheduled = add(DeliveryState::Scheduled);
        const QString held = add(DeliveryState::Held);
        const QString leased = add(DeliveryState::Leased);
        const QString dead = add(DeliveryState::Dead);
        const QString shortLived = add(DeliveryState::Scheduled, Milliseconds(1'800'000));
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request = requestOf("reschedule", QStringLiteral("channel:email"));
        QCOMPARE(console->preview(request).error().code, ErrorCode::Invalid); // without a time
        request.parameters.dueAt = SystemClock().now() + std::chrono::hours(1);
        const auto preview = console->preview(request);
        QVERIFY2(preview.ok(), preview ? "" : qPrintable(preview.error().message));
        QCOMPARE(preview->changeable, 3);
        QCOMPARE(preview->refusals.size(), 3U);
        const auto operation = console->submit(request);
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        QVERIFY(operation->parameters.dueAt == request.parameters.dueAt);
        OperationExecutor executor;
        runAll(executor, store.database());
        QCOMPARE(console->operation(operation->id)->done, 3);
        const qint64 due = request.parameters.dueAt->time_since_epoch().count();
        for (const QString &id : {ready, scheduled, held}) {
            QCOMPARE(store.number("SELECT $ms(due_at) FROM sendoff_delivery_hot WHERE id = ? AND state = 'scheduled' "
                                  "AND reason = 'planned' AND failures = 2",
                                  {id}),
                     due);
        }
        const auto why = [&](const QString &id) {
            return store.text("SELECT detail FROM sendoff_operation_item WHERE result = 'skipped' AND delivery_id = ?",
                              {id});
        };
        QCOMPARE(why(leased), QStringLiteral("it is being sent now"));
        QCOMPARE(why(dead), QStringLiteral("it has ended already (dead)"));
        QCOMPARE(why(shortLived), QStringLiteral("it expires before that time"));
        request.filter = *Filter::parse(QStringLiteral("id:") + ready);
        request.parameters.dueAt = SystemClock().now() - std::chrono::hours(5); // the past means now
        QVERIFY(console->submit(request).ok());
        runAll(executor, store.database());
        const qint64 now = store.number("SELECT $ms($now)");
        const qint64 movedTo = store.number("SELECT $ms(due_at) FROM sendoff_delivery_hot WHERE id = ?", {ready});
        QVERIFY(movedTo <= now && movedTo > now - 60'000);
    }

    void newRowsSinceItBeganAreCounted()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 20);
        const auto console = makeStoreConsole(store.connect());
        const auto operation = console->submit(requestOf("retry", QStringLiteral("channel:email")));
        OperationExecutor executor;
        runAll(executor, store.database());
        QCOMPARE(console->operation(operation->id)->newSince, std::optional<qint64>(0));
        test::insertDeliveries(store, deadRow(), QStringLiteral("e"), 7);
        RowSpec fine;
        fine.state = DeliveryState::Accepted;
        test::insertDeliveries(store, fine, QStringLiteral("f"), 5);
        QCOMPARE(console->operation(operation->id)->newSince, std::optional<qint64>(7));
        QVERIFY(!console->operations(10)->front().newSince); // a list does not ask
    }

    void theRateIsHalfOfWhatTheQuotaLeaves()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 90);
        const auto console = makeStoreConsole(store.connect());
        const OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
        auto preview = console->preview(request);
        QCOMPARE(preview->rate, 500);
        QCOMPARE(preview->sparePerSecond, 0.0);
        store.run("INSERT INTO sendoff_provider (name, channel, kind, step_us, burst) VALUES ('resend', 'email', "
                  "'resend', 20000, 50)");
        store.run("INSERT INTO sendoff_minute (minute, engine, provider, channel, lane, kind, word, count) VALUES "
                  "($now_plus(-60000), 'e', 'resend', 'email', 'normal', 'attempt', 'accepted', 9000), "
                  "($now_plus(-900000), 'e', 'resend', 'email', 'normal', 'attempt', 'accepted', 70000), "
                  "($now_plus(-60000), 'e', 'resend', 'email', 'normal', 'end', 'accepted', 70000)");
        preview = console->preview(request);
        QCOMPARE(preview->sparePerSecond, 20.0); // 50 a second, 30 of them used
        QCOMPARE(preview->rate, 10);
        QCOMPARE(*preview->finishes, Milliseconds(9'000));
        QCOMPARE(preview->byProvider.front(), std::make_pair(QStringLiteral("resend"), qint64(90)));
        OperationRequest fast = request;
        fast.rate = 600;
        preview = console->preview(fast);
        QCOMPARE(preview->rate, 600);
        QCOMPARE(*preview->finishes, Milliseconds(4'500)); // no faster than the spare quota
        const auto operation = console->submit(request);
        QCOMPARE(operation->rate, 10);
        store.run("UPDATE sendoff_minute SET count = 90000");
        preview = console->preview(request);
        QCOMPARE(preview->rate, 1);
        QVERIFY(preview->sparePerSecond > 0);
        QVERIFY(!console->preview(requestOf("discard", QStringLiteral("state:dead")))->finishes);
    }

    void auditChainShowsEveryChangeToIt()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, deadRow(), QStringLiteral("d"), 3);
        std::vector<std::unique_ptr<QThread>> threads;
        for (int each = 0; each < 4; ++each) {
            threads.emplace_back(QThread::create([&] {
                const auto console = makeStoreConsole(store.connect());
                for (int round = 0; round < 5; ++round) {
                    OperationRequest request = requestOf("retry", QStringLiteral("state:dead"));
                    request.armed = Milliseconds(600'000);
                    if (const auto operation = console->submit(request); operation && !console->undo(operation->id))
                        qWarning("undo failed");
                }
            }));
        }
        for (auto &thread : threads)
            thread->start();
        for (auto &thread : threads)
            QVERIFY(thread->wait(120'000));
        const auto whole = store::checkAudit(store.database());
        QCOMPARE(whole->rows, 40);
        QCOMPARE(whole->firstBroken, 0);
        QCOMPARE(store::auditRows(store.database(), 0, 100)->size(), 40U);
        const qint64 middle = store.number("SELECT id FROM sendoff_audit ORDER BY id LIMIT 1 OFFSET 20");
        // The owner of the tables can take the guards away; the chain still tells.
        if (store.database().isPostgreSql()) {
            QVERIFY(store.database()
                        .write([](store::Session &session) {
                            session.command("ALTER TABLE sendoff_audit DISABLE TRIGGER USER");
                        })
                        .ok());
        } else {
            store.run("DROP TRIGGER sendoff_audit_update");
            store.run("DROP TRIGGER sendoff_audit_delete");
        }
        store.run("UPDATE sendoff_audit SET actor = 'eve' WHERE id = ?", {middle});
        QCOMPARE(store::checkAudit(store.database())->firstBroken, middle);
        store.run("DELETE FROM sendoff_audit WHERE id = ?", {middle});
        QVERIFY(store::checkAudit(store.database())->firstBroken > middle);
    }
};

QTEST_GUILESS_MAIN(tst_operations)
#include "tst_operations.moc"
