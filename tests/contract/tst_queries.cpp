#include "admin/store_console.h"
#include "admin/verdict.h"
#include "domain/filter_fields.h"
#include "store/status_queries.h"
#include "tests/support/store_rows.h"
#include "tests/support/test_database.h"

#include <QSet>
#include <QTest>

using namespace sendoff;
using namespace sendoff::admin;
using sendoff::test::insertDelivery;
using sendoff::test::RowSpec;
using sendoff::test::TestDatabase;

namespace {

Filter filterOf(const QString &field, const QStringList &values)
{
    Filter filter;
    filter.terms.push_back({field, FilterTerm::Operator::Equals, values, Milliseconds(0)});
    return filter;
}

// The strings of open case INJ-01.
const QStringList hostileTexts{QStringLiteral("'"),
                               QStringLiteral("\""),
                               QStringLiteral("x' OR '1'='1"),
                               QStringLiteral("'; DROP TABLE outbox;--"),
                               QStringLiteral("%"),
                               QStringLiteral("_"),
                               QStringLiteral("\\"),
                               QStringLiteral("id DESC; SELECT pg_sleep(5)"),
                               QStringLiteral("(CASE WHEN 1=1 THEN id ELSE created_at END)"),
                               QStringLiteral("ASC, (SELECT 1)"),
                               QStringLiteral("ʼ OR 1=1")};

} // namespace

class tst_queries : public QObject
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

    void INJ_01_hostileTextsMatchOnlyThemselves()
    {
        TestDatabase store(test::fetchKind());
        RowSpec plain;
        plain.code = QStringLiteral("x");
        test::insertDeliveries(store, plain, QStringLiteral("hot"), 500);
        plain.state = DeliveryState::Dead;
        test::insertDeliveries(store, plain, QStringLiteral("old"), 500 - int(hostileTexts.size()));
        for (const QString &text : hostileTexts) {
            RowSpec odd = plain;
            odd.tenant = text;
            odd.user = text;
            odd.code = text;
            insertDelivery(store, odd);
        }
        const auto console = makeStoreConsole(store.connect());
        for (const QString &text : hostileTexts) {
            for (const QString &field : {QStringLiteral("tenant"), QStringLiteral("user"), QStringLiteral("recipient"),
                                         QStringLiteral("code")}) {
                // Through the grammar, as a person types it, and straight as a value.
                const auto typed = Filter::parse(filterOf(field, {text}).toText());
                QVERIFY2(typed.ok(), qPrintable(text));
                for (const Filter &filter : {*typed, filterOf(field, {text})}) {
                    const auto page = console->deliveries(filter, DeliverySort::Newest, {}, 1000);
                    QVERIFY2(page.ok(), page ? "" : qPrintable(page.error().message));
                    QCOMPARE(page->rows.size(), 1U);
                    QCOMPARE(page->rows.front().tenant, text);
                    QCOMPARE(console->count(filter)->count, 1);
                }
            }
            for (const FilterField &field : filterFieldTable(FilterRows::Deliveries)) {
                const auto count = console->count(filterOf(field.name, {text, QStringLiteral("nothing else")}));
                const bool isText = field.kind == FilterKind::Text || field.words.size() > 2;
                QCOMPARE(count.ok(), isText); // a number, a time, yes or no can't be this text
                if (!isText)
                    QCOMPARE(count.error().code, ErrorCode::Invalid);
            }
            QCOMPARE(console->story(DeliveryId(text)).error().code, ErrorCode::NotFound);
            QCOMPARE(console->eventStory(EventId(text)).error().code, ErrorCode::NotFound);
            QVERIFY(console->events(filterOf(QStringLiteral("tenant"), {text}), 0, 10)->empty());
            QCOMPARE(console->deliveries({}, DeliverySort::Newest, text, 10).error().code,
                     ErrorCode::Invalid);                                               // as a page cursor
            const auto unknown = console->count(filterOf(text, {QStringLiteral("x")})); // as a column
            QCOMPARE(unknown.error().code, ErrorCode::Invalid);
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 1000);
        QVERIFY(!Filter::parse(QStringLiteral("tenant:x") + QChar(0) + QStringLiteral("y")).ok());
        QCOMPARE(
            console->count(filterOf(QStringLiteral("tenant"), {QStringLiteral("x") + QChar(0) + QStringLiteral("y")}))
                .error()
                .code,
            ErrorCode::Invalid);
    }

    void INJ_01_hostileOperationsChangeNothingElse()
    {
        TestDatabase store(test::fetchKind());
        RowSpec dead;
        dead.state = DeliveryState::Dead;
        test::insertDeliveries(store, dead, QStringLiteral("old"), 100);
        const auto console = makeStoreConsole(store.connect());
        for (const QString &text : hostileTexts) {
            OperationRequest request;
            request.verb = QStringLiteral("retry");
            request.filter = filterOf(QStringLiteral("tenant"), {text});
            request.reason = text;
            request.actor = text;
            request.dedupe = text;
            QCOMPARE(console->submit(request).error().code, ErrorCode::NotFound);
            request.verb = text;
            QCOMPARE(console->submit(request).error().code, ErrorCode::Invalid);
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history"), 100);
    }

    void pagesAreCompleteWithoutRepeatsWhileRowsMove()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        for (int group = 0; group < 5; ++group) { // many rows of one and the same moment
            spec.age = Milliseconds(10'000 * group);
            spec.state = DeliveryState::Ready;
            test::insertDeliveries(store, spec, QStringLiteral("hot%1").arg(group), 60);
            spec.state = DeliveryState::Accepted;
            test::insertDeliveries(store, spec, QStringLiteral("old%1").arg(group), 60);
        }
        const auto console = makeStoreConsole(store.connect());
        QStringList seen;
        QString after;
        Timestamp newest = Timestamp::max();
        int page = 0;
        do {
            const auto answer = console->deliveries({}, DeliverySort::Newest, after, 37);
            QVERIFY2(answer.ok(), answer ? "" : qPrintable(answer.error().message));
            QVERIFY(!answer->rows.empty());
            for (const DeliveryRecord &row : answer->rows) {
                seen += row.id.value;
                QVERIFY(row.createdAt <= newest);
                newest = row.createdAt;
            }
            after = answer->next;
            // Rows end and come back all the time.
            const QByteArray like = "id LIKE '%" + QByteArray::number(page++ % 10) + "'";
            if (page % 2 == 0) {
                store.run("UPDATE sendoff_delivery_hot SET ended_at = $now, state = 'accepted' WHERE " + like);
                store.run("INSERT INTO sendoff_delivery_history SELECT * FROM sendoff_delivery_hot WHERE " + like);
                store.run("DELETE FROM sendoff_delivery_hot WHERE " + like);
            } else {
                store.run("INSERT INTO sendoff_delivery_hot SELECT * FROM sendoff_delivery_history WHERE " + like);
                store.run("DELETE FROM sendoff_delivery_history WHERE " + like);
            }
        } while (!after.isEmpty());
        QCOMPARE(seen.size(), 600);
        QCOMPARE(QSet<QString>(seen.cbegin(), seen.cend()).size(), 600);
    }

    void lastPageHasNoCursorAndLimitsAreKept()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, {}, QStringLiteral("hot"), 10);
        const auto console = makeStoreConsole(store.connect());
        QVERIFY(console->deliveries({}, DeliverySort::Newest, {}, 10)->next.isEmpty());
        QVERIFY(!console->deliveries({}, DeliverySort::Newest, {}, 9)->next.isEmpty());
        QCOMPARE(console->deliveries({}, DeliverySort::Newest, {}, 0).error().code, ErrorCode::Invalid);
        QCOMPARE(console->deliveries({}, DeliverySort::Newest, {}, 1001).error().code, ErrorCode::Invalid);
        QCOMPARE(console->deliveries({}, DeliverySort::Newest, QStringLiteral("bm8"), 5).error().code,
                 ErrorCode::Invalid);
    }

    void filtersChooseByEveryField()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, {}, QStringLiteral("hot"), 20);
        RowSpec odd;
        odd.event = QStringLiteral("odd-event");
        odd.type = QStringLiteral("odd.type");
        odd.tenant = QStringLiteral("odd tenant");
        odd.category = QStringLiteral("marketing");
        odd.channel = Channel::Sms;
        odd.provider = QStringLiteral("twilio");
        odd.lane = Lane::Bulk;
        odd.user = QStringLiteral("u2");
        odd.role = QStringLiteral("host");
        odd.state = DeliveryState::Dead;
        odd.reason = Reason::PermanentRecipient;
        odd.code = QStringLiteral("21211");
        odd.status = 400;
        odd.age = Milliseconds(7'200'000);
        const QString id = insertDelivery(store, odd);
        store.run("UPDATE sendoff_delivery_history SET last_outcome = 'permanent_recipient'");
        const auto console = makeStoreConsole(store.connect());
        for (const QString &text :
             {QStringLiteral("id:%1").arg(id), QStringLiteral("event:odd-event"), QStringLiteral("type:odd.type"),
              QStringLiteral("tenant:\"odd tenant\""), QStringLiteral("category:marketing"),
              QStringLiteral("channel:sms"), QStringLiteral("provider:twilio"), QStringLiteral("lane:bulk"),
              QStringLiteral("user:u2"), QStringLiteral("recipient:u2"), QStringLiteral("role:host"),
              QStringLiteral("state:dead,unknown,held"), QStringLiteral("reason:permanent_recipient"),
              QStringLiteral("code:21211"), QStringLiteral("code:400"), QStringLiteral("outcome:permanent_recipient"),
              QStringLiteral("age>1h"), QStringLiteral("state:dead age>1h channel:sms")}) {
            const auto page = console->deliveries(*Filter::parse(text), DeliverySort::Newest, {}, 50);
            QVERIFY2(page.ok(), page ? "" : qPrintable(text + page.error().message));
            QVERIFY2(page->rows.size() == 1 && page->rows.front().id.value == id, qPrintable(text));
        }
        QCOMPARE(console->count(*Filter::parse(QStringLiteral("age<1h")))->count, 20);
        QCOMPARE(console->count(*Filter::parse(QStringLiteral("state:dead channel:email")))->count, 0);
        QCOMPARE(console->count({})->count, 21);
    }

    void countStopsAtItsCap()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, {}, QStringLiteral("a"), 6'000);
        RowSpec ended;
        ended.state = DeliveryState::Accepted;
        test::insertDeliveries(store, ended, QStringLiteral("b"), 6'000);
        const auto console = makeStoreConsole(store.connect());
        QCOMPARE(console->count({})->count, countCap);
        QCOMPARE(console->count(*Filter::parse(QStringLiteral("state:accepted")))->count, 6'000);
    }

    void storyTellsAllThatHappened()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        spec.event = QStringLiteral("e1");
        spec.state = DeliveryState::Bounced;
        const QString id = insertDelivery(store, spec);
        spec.state = DeliveryState::Ready;
        spec.channel = Channel::Push;
        insertDelivery(store, spec);
        for (int number = 2; number >= 1; --number) {
            store.run("INSERT INTO sendoff_attempt (delivery_id, number, lease_token, engine, provider, started_at, "
                      "ended_at, outcome, status, "
                      "code, text, wait_ms) VALUES (?, ?, 1, 'engine-1', 'resend', $now, $now, 'throttled', 429, "
                      "'rate_limit', 'slow down', 2000)",
                      {id, number});
        }
        store.run("INSERT INTO sendoff_receipt (provider, provider_event_id, delivery_id, kind) VALUES ('resend', "
                  "'r1', ?, 'bounced')",
                  {id});
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request;
        request.verb = QStringLiteral("discard");
        request.filter = filterOf(QStringLiteral("id"), {id});
        const auto operation = console->submit(request);
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        store.run("INSERT INTO sendoff_operation_item (operation_id, delivery_id, result) VALUES (?, ?, 'done')",
                  {operation->id, id});
        const auto story = console->story(DeliveryId(id));
        QVERIFY2(story.ok(), story ? "" : qPrintable(story.error().message));
        QCOMPARE(story->delivery.state, DeliveryState::Bounced);
        QCOMPARE(story->event.id.value, QStringLiteral("e1"));
        QCOMPARE(story->event.state, EventState::Relayed);
        QCOMPARE(story->attempts.size(), 2U);
        QCOMPARE(story->attempts.front().number, 1);
        QCOMPARE(*story->attempts.front().wait, Milliseconds(2'000));
        QCOMPARE(story->receipts.size(), 1U);
        QCOMPARE(story->receipts.front().kind, QStringLiteral("bounced"));
        QCOMPARE(story->operations.size(), 1U);
        QCOMPARE(story->operations.front().id, operation->id);
        const auto event = console->eventStory(EventId(QStringLiteral("e1")));
        QVERIFY(event.ok());
        QCOMPARE(event->deliveries.size(), 2U);
        QCOMPARE(console->story(DeliveryId(QStringLiteral("no"))).error().code, ErrorCode::NotFound);
    }

    void eventsArePagedBySequence()
    {
        TestDatabase store(test::fetchKind());
        for (int each = 0; each < 12; ++each)
            test::insertEvent(store, QStringLiteral("e%1").arg(each),
                              each % 3 == 0 ? EventState::Rejected : EventState::Pending);
        const auto console = makeStoreConsole(store.connect());
        const auto first = console->events({}, 0, 5);
        QCOMPARE(first->size(), 5U);
        QCOMPARE(first->front().id.value, QStringLiteral("e11"));
        const auto second = console->events({}, first->back().sequence, 50);
        QCOMPARE(second->size(), 7U);
        QCOMPARE(second->front().id.value, QStringLiteral("e6"));
        QCOMPARE(console->events(filterOf(QStringLiteral("state"), {QStringLiteral("rejected")}), 0, 50)->size(), 4U);
        QCOMPARE(console->events(filterOf(QStringLiteral("event"), {QStringLiteral("e3")}), 0, 50)->size(), 1U);
        const auto wrong = console->events(filterOf(QStringLiteral("channel"), {QStringLiteral("email")}), 0, 50);
        QCOMPARE(wrong.error().code, ErrorCode::Invalid);
    }

    // 1000 delivered, 37 dead of 7 errors, 12 to be retried, 5 leased, 3 suppressed, of different moments.
    static void fillKnownStore(TestDatabase &store)
    {
        RowSpec spec;
        const auto add = [&](DeliveryState state, const QString &prefix, int count) {
            spec.state = state;
            spec.age += Milliseconds(1'000);
            test::insertDeliveries(store, spec, prefix, count);
        };
        add(DeliveryState::Delivered, QStringLiteral("d"), 1000);
        for (int reason = 0; reason < 7; ++reason) {
            spec.code = QStringLiteral("error-%1").arg(reason);
            add(DeliveryState::Dead, QStringLiteral("x%1").arg(reason), reason < 2 ? 6 : 5);
        }
        spec.code.clear();
        add(DeliveryState::Scheduled, QStringLiteral("s"), 12);
        add(DeliveryState::Leased, QStringLiteral("l"), 5);
        add(DeliveryState::Suppressed, QStringLiteral("p"), 3);
    }

    // All pages of 50, none of which may be empty.
    static QStringList pagedIds(Console &console, const Filter &filter, DeliverySort sort)
    {
        QStringList ids;
        QString after;
        do {
            const auto page = console.deliveries(filter, sort, after, 50);
            if (!page || (page->rows.empty() && !after.isEmpty()))
                return {QStringLiteral("an empty page or an error behind %1 rows").arg(ids.size())};
            for (const DeliveryRecord &row : page->rows)
                ids += row.id.value;
            after = page->next;
        } while (!after.isEmpty());
        return ids;
    }

    void UI_06_numbersAgree()
    {
        TestDatabase store(test::fetchKind());
        fillKnownStore(store);
        const auto console = makeStoreConsole(store.connect());
        const auto status = console->status();
        QCOMPARE(status->dead, 37);
        QCOMPARE(status->backlog.size(), 1U);
        QCOMPARE(status->backlog.front().scheduled, 12);
        QCOMPARE(status->backlog.front().inFlight, 5);
        const QList<std::pair<const char *, int>> known{
            {"", 1057},          {"state:delivered", 1000}, {"state:dead", 37},   {"state:scheduled", 12},
            {"state:leased", 5}, {"state:suppressed", 3},   {"-state:dead", 1020}};
        for (const auto &[text, expected] : known) {
            const Filter filter = *Filter::parse(QString::fromLatin1(text));
            const auto count = console->count(filter);
            QCOMPARE(count->count, expected);
            QVERIFY(!count->isCapped);
            for (const DeliverySort sort : {DeliverySort::Newest, DeliverySort::Oldest}) {
                const QStringList ids = pagedIds(*console, filter, sort);
                QCOMPARE(ids.size(), expected);
                QCOMPARE(QSet<QString>(ids.cbegin(), ids.cend()).size(), expected);
            }
        }
    }

    void UI_06_theSumByReasonIsTheTotal()
    {
        TestDatabase store(test::fetchKind());
        fillKnownStore(store);
        const auto console = makeStoreConsole(store.connect());
        OperationRequest request;
        request.verb = QStringLiteral("retry");
        request.filter = *Filter::parse(QStringLiteral("state:dead"));
        const auto preview = console->preview(request);
        QCOMPARE(preview->count, 37);
        QCOMPARE(preview->changeable, 37);
        QCOMPARE(preview->byCode.size(), 7U);
        QCOMPARE(preview->samples.size(), 5U);
        qint64 sum = 0;
        for (const auto &[code, count] : preview->byCode) {
            const Filter one = *Filter::parse(QStringLiteral("state:dead code:") + code);
            QCOMPARE(console->count(one)->count, count);
            QCOMPARE(pagedIds(*console, one, DeliverySort::LastEnded).size(), count);
            sum += count;
        }
        QCOMPARE(sum, 37);
        QCOMPARE(sum, console->status()->dead);
    }

    void UI_06_theLastPageIsNeverEmptyAfterADeletion()
    {
        TestDatabase store(test::fetchKind());
        fillKnownStore(store);
        const auto console = makeStoreConsole(store.connect());
        const Filter dead = *Filter::parse(QStringLiteral("state:dead"));
        const auto before = console->deliveries(dead, DeliverySort::Newest, {}, 36);
        QVERIFY(!before->next.isEmpty());
        const auto last = console->deliveries(dead, DeliverySort::Newest, before->next, 36);
        QCOMPARE(last->rows.size(), 1U);
        QVERIFY(last->next.isEmpty());
        store.run("DELETE FROM sendoff_delivery_history WHERE id = ?", {last->rows.front().id.value});
        // Asked again, the page before is the last one and says so; the numbers agree at once.
        const auto again = console->deliveries(dead, DeliverySort::Newest, {}, 36);
        QCOMPARE(again->rows.size(), 36U);
        QVERIFY(again->next.isEmpty());
        QCOMPARE(console->count(dead)->count, 36);
        QCOMPARE(console->status()->dead, 36);
        // The old cursor still answers: nothing, and no further page.
        const auto behind = console->deliveries(dead, DeliverySort::Newest, before->next, 36);
        QVERIFY(behind.ok() && behind->rows.empty() && behind->next.isEmpty());
        store.run("DELETE FROM sendoff_delivery_history WHERE state = 'delivered' AND id >= 'd-00043'");
        const auto left = console->count({});
        QCOMPARE(left->count, 43 + 36 + 12 + 5 + 3);
        QCOMPARE(pagedIds(*console, {}, DeliverySort::Newest).size(), left->count);
    }

    void UI_06_anEmptyStoreHasEmptyLists()
    {
        TestDatabase store(test::fetchKind());
        const auto console = makeStoreConsole(store.connect());
        for (const DeliverySort sort :
             {DeliverySort::Newest, DeliverySort::Oldest, DeliverySort::NextDue, DeliverySort::LastEnded}) {
            const auto page = console->deliveries({}, sort, {}, 50);
            QVERIFY(page.ok() && page->rows.empty() && page->next.isEmpty());
        }
        QCOMPARE(console->count({})->count, 0);
        QVERIFY(!console->count({})->isCapped);
        QCOMPARE(console->status()->dead, 0);
    }

    void statusSaysWhatIsWrongInOneSentence()
    {
        TestDatabase store(test::fetchKind());
        const auto console = makeStoreConsole(store.connect());
        QCOMPARE(console->status()->verdict, QStringLiteral("All channels deliver. Nothing waits."));
        QVERIFY(console->status()->isHealthy);

        RowSpec spec;
        spec.dueIn = Milliseconds(-5'000);
        test::insertDeliveries(store, spec, QStringLiteral("a"), 1'204);
        QVERIFY(!console->status()->isHealthy);
        QCOMPARE(console->status()->verdict, QStringLiteral("No engine is alive: 1,204 deliveries and 0 events wait."));

        store.run("INSERT INTO sendoff_engine (id, name, host, pid, version, schema) VALUES ('i', 'engine-1', 'h', 1, "
                  "'0.1', 1)");
        store.run(
            "INSERT INTO sendoff_provider (name, channel, kind, step_us) VALUES ('resend', 'email', 'resend', 200000)");
        auto status = console->status();
        QVERIFY2(status->isHealthy, qPrintable(status->verdict));
        QVERIFY(status->verdict.startsWith(QStringLiteral("All channels deliver. 1,204 wait")));
        QVERIFY(status->engines.front().isAlive);
        QCOMPARE(status->providers.front().limitPerSecond, 5.0);
        QVERIFY(*status->backlog.front().oldestAge >= Milliseconds(5'000));

        store.run("UPDATE sendoff_provider SET breaker = 'open', breaker_reason = 'the API key is wrong'");
        status = console->status();
        QVERIFY(!status->isHealthy);
        QCOMPARE(status->verdict,
                 QStringLiteral("email is held up: 1,204 waiting on resend (breaker open: the API key is wrong)."));

        store.run("UPDATE sendoff_provider SET breaker = 'closed', paused = 1, pause_reason = 'maintenance'");
        status = console->status();
        QVERIFY(status->isHealthy);
        QCOMPARE(status->verdict, QStringLiteral("email is held up: 1,204 waiting on resend (paused: maintenance)."));

        store.run("UPDATE sendoff_provider SET paused_until = $now_plus(-1)"); // the pause has run out
        store.run("UPDATE sendoff_delivery_hot SET due_at = $now_plus(-360000)");
        QVERIFY(!console->status()->isHealthy);
        store.run("UPDATE sendoff_delivery_hot SET lane = 'bulk'"); // whose hours of waiting are its rate
        QVERIFY(console->status()->isHealthy);

        store.run("UPDATE sendoff_engine SET heartbeat_at = $now_plus(-61000)");
        QVERIFY(!console->status()->isHealthy);
        QVERIFY(!console->status()->engines.front().isAlive);
    }

    void aDyingChannelIsUnhealthyButSingleDeathsAreNot()
    {
        TestDatabase store(test::fetchKind());
        const auto console = makeStoreConsole(store.connect());
        RowSpec spec;
        spec.state = DeliveryState::Accepted;
        test::insertDeliveries(store, spec, QStringLiteral("a"), 80);
        spec.state = DeliveryState::Dead;
        test::insertDeliveries(store, spec, QStringLiteral("b"), 8);
        QVERIFY(console->status()->isHealthy);
        test::insertDeliveries(store, spec, QStringLiteral("c"), 4);
        QVERIFY(!console->status()->isHealthy);
        QCOMPARE(console->status()->verdict, QStringLiteral("12 deliveries died in the last 15 minutes."));
        store.run("UPDATE sendoff_delivery_history SET ended_at = $now_plus(-960000)");
        QVERIFY(console->status()->isHealthy);
        QCOMPARE(console->status()->dead, 12);
    }

    void waitingEventsShowTheirAge()
    {
        TestDatabase store(test::fetchKind());
        const auto console = makeStoreConsole(store.connect());
        test::insertEvent(store, QStringLiteral("later"), EventState::Pending);
        store.run("UPDATE sendoff_event SET available_at = $now_plus(3600000)");
        QVERIFY(!console->status()->oldestPendingAge);
        test::insertEvent(store, QStringLiteral("now"), EventState::Pending);
        store.run("UPDATE sendoff_event SET available_at = $now_plus(-400000) WHERE id = 'now'");
        const auto status = console->status();
        QCOMPARE(status->pendingEvents, 2);
        QVERIFY(*status->oldestPendingAge >= Milliseconds(400'000));
        QVERIFY(!status->isHealthy);
    }

    void readOnlyConnectionsCanReadEverything()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, {}, QStringLiteral("a"), 3);
        const auto console = makeStoreConsole(store.connect(store::Access::ReadOnly));
        QVERIFY(console->status().ok());
        QCOMPARE(console->deliveries({}, DeliverySort::Newest, {}, 10)->rows.size(), 3U);
        OperationRequest request;
        request.verb = QStringLiteral("cancel");
        request.filter = filterOf(QStringLiteral("channel"), {QStringLiteral("email")});
        QCOMPARE(console->preview(request)->changeable, 3);
        QCOMPARE(console->submit(request).error().code, ErrorCode::ReadOnly);
    }
};

QTEST_GUILESS_MAIN(tst_queries)
#include "tst_queries.moc"
