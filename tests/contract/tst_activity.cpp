#include "admin/problems.h"
#include "store/activity_store.h"
#include "store/delivery_queue.h"
#include "store/engine_registry.h"
#include "store/json_rows.h"
#include "store/problem_rows.h"
#include "store/status_queries.h"
#include "tests/support/store_rows.h"
#include "tests/support/test_database.h"

#include <QTest>

using namespace sendoff;
using namespace sendoff::store;
using namespace std::chrono_literals;
using sendoff::test::RowSpec;
using sendoff::test::TestDatabase;

namespace {

struct Ending
{
    Outcome outcome = Outcome::Accepted;
    int status = 200;
    QString code;
    QString text;
};

Ending failing(Outcome outcome, const QString &code, const QString &text = {})
{
    return {outcome, 503, code, text};
}

Settlement settlementOf(const ClaimedDelivery &delivery, const Ending &ending)
{
    Settlement settlement;
    settlement.id = delivery.id;
    settlement.token = delivery.token;
    settlement.event = delivery.event;
    AttemptResult result;
    result.outcome = ending.outcome;
    result.status = ending.status;
    result.code = ending.code;
    result.text = ending.text;
    Progress progress;
    progress.failures = delivery.failures;
    progress.now = delivery.claimedAt;
    progress.expiresAt = delivery.expiresAt;
    settlement.verdict = verdictFor(result, progress, {}, 0.0);
    settlement.attempt = result;
    return settlement;
}

} // namespace

class tst_activity : public QObject
{
    Q_OBJECT

    template <typename T>
    static T must(Result<T> result)
    {
        if (!result)
            qFatal("%s", qPrintable(result.error().message));
        return std::move(*result);
    }

    // Rows `prefix`… are claimed and settled, each by `ending(number)`.
    template <typename Ends>
    static void sendAll(TestDatabase &store, const QString &prefix, int count, Ends ending, const RowSpec &spec = {})
    {
        if (count > 0)
            test::insertDeliveries(store, spec, prefix, count);
        int number = 0;
        while (true) {
            ClaimRequest request;
            request.provider = QStringLiteral("resend");
            request.holder = QStringLiteral("e1");
            request.limit = 500;
            request.bounded = false;
            const auto claimed = must(claim(store.database(), request));
            if (claimed.empty())
                return;
            std::vector<Lease> leases;
            for (const ClaimedDelivery &each : claimed)
                leases.push_back({each.id, each.token});
            must(handOver(store.database(), leases, 0ms));
            std::vector<Settlement> settlements;
            for (const ClaimedDelivery &each : claimed)
                settlements.push_back(settlementOf(each, ending(number++)));
            QVERIFY(must(settle(store.database(), QStringLiteral("engine-1"), settlements)).empty());
        }
    }

    static qint64 sum(const std::vector<ActivityPoint> &points, bool isEnd, const char *word = nullptr)
    {
        qint64 total = 0;
        for (const ActivityPoint &each : points)
            total += each.isEnd == isEnd && (!word || each.word == QLatin1String(word)) ? each.count : 0;
        return total;
    }

    static std::vector<ActivityPoint> lastHour(TestDatabase &store)
    {
        const Timestamp now = SystemClock().now();
        return must(activity(store.database(), now - 1h, now + 1h, 5min));
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

    void UI_06_theChartsSumIsTheStoresTotal()
    {
        TestDatabase store(test::fetchKind());
        sendAll(store, QStringLiteral("a"), 1'000, [](int) { return Ending{}; });
        sendAll(store, QStringLiteral("b"), 37, [](int number) {
            return failing(Outcome::PermanentRecipient, QStringLiteral("error_%1").arg(number % 7));
        });
        sendAll(store, QStringLiteral("c"), 12,
                [](int) { return failing(Outcome::Transient, QStringLiteral("busy")); });
        RowSpec late;
        late.expiresIn = -1s;
        test::insertDeliveries(store, late, QStringLiteral("d"), 3);
        QCOMPARE(must(expireOverdue(store.database(), 100)), 3);

        const auto points = lastHour(store);
        QCOMPARE(sum(points, false), store.number("SELECT count(*) FROM sendoff_attempt"));
        QCOMPARE(sum(points, false), 1'049);
        QCOMPARE(sum(points, true), store.number("SELECT count(*) FROM sendoff_delivery_history"));
        QCOMPARE(sum(points, true, "accepted"), 1'000);
        QCOMPARE(sum(points, true, "dead"), 37);
        QCOMPARE(sum(points, true, "expired"), 3);
        QCOMPARE(sum(points, false, "transient"), 12);
        // The numbers by reason are those of the whole list.
        qint64 dead = 0;
        const auto groups = must(admin::problems(store.database(), ProblemGrouping::Fingerprint, {}, 100));
        for (const ProblemRecord &each : groups)
            dead += each.dead;
        QCOMPARE(dead, 37);
        QCOMPARE(int(groups.size()), 8); // seven codes that ended and the busy one
        // Retention takes minutes and leaves rows; rows taken away leave minutes.
        store.run("DELETE FROM sendoff_delivery_history");
        QCOMPARE(sum(lastHour(store), true), 1'040);
    }

    void UI_06_anEmptyStoreHasNoPointAndOnePointIsOne()
    {
        TestDatabase store(test::fetchKind());
        QVERIFY(lastHour(store).empty());
        sendAll(store, QStringLiteral("a"), 1, [](int) { return Ending{}; });
        const auto points = lastHour(store);
        QCOMPARE(int(points.size()), 2);
        QCOMPARE(points[0].count, 1);
        QCOMPARE(points[1].count, 1);
    }

    void UI_06_aNightOfSummerTimeHas23Or25Hours_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<int>("hours");
        QTest::newRow("spring") << QStringLiteral("2026-03-29T00:00:00+01:00")
                                << QStringLiteral("2026-03-30T00:00:00+02:00") << 23;
        QTest::newRow("autumn") << QStringLiteral("2026-10-25T00:00:00+02:00")
                                << QStringLiteral("2026-10-26T00:00:00+01:00") << 25;
    }
    void UI_06_aNightOfSummerTimeHas23Or25Hours()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(int, hours);
        TestDatabase store(test::fetchKind());
        const Timestamp start = *fromRfc3339(from);
        const Timestamp end = *fromRfc3339(to);
        // One attempt in each minute of the day.
        JsonRows minutes;
        for (Timestamp at = start; at < end; at += 1min)
            minutes.row().number("at", at.time_since_epoch().count());
        store.run("INSERT INTO sendoff_minute (minute, engine, provider, channel, lane, kind, word, count) SELECT "
                  "$at(CAST(value->>'at' AS bigint)), 'e', 'resend', 'email', 'normal', 'attempt', 'accepted', 1 FROM "
                  "$rows",
                  {minutes.json()});
        const auto points = must(activity(store.database(), start, end, 1h));
        QCOMPARE(int(points.size()), hours);
        for (int hour = 0; hour < hours; ++hour) {
            QVERIFY(points[size_t(hour)].start == start + hour * 1h);
            QCOMPARE(points[size_t(hour)].count, 60);
        }
    }

    void UI_06_aPeakOfFiveMillionStaysExact()
    {
        TestDatabase store(test::fetchKind());
        for (const char *engine : {"e1", "e2"}) {
            store.run("INSERT INTO sendoff_minute (minute, engine, provider, channel, lane, kind, word, count, "
                      "duration_ms) VALUES ($at($now_us / 60000000 * 60000), ?, 'resend', 'email', 'bulk', 'attempt', "
                      "'accepted', 2500000, 7500000000)",
                      {QString::fromLatin1(engine)});
        }
        const auto points = lastHour(store);
        QCOMPARE(int(points.size()), 1);
        QCOMPARE(points[0].count, 5'000'000);
        QCOMPARE(points[0].duration.count(), 15'000'000'000);
    }

    void activity_refusesStepsThatItCantAnswer()
    {
        TestDatabase store(test::fetchKind());
        const Timestamp now = SystemClock().now();
        const auto code = [&](Timestamp from, Timestamp to, Milliseconds step) {
            const auto answer = activity(store.database(), from, to, step);
            return answer ? QString() : answer.error().message;
        };
        QVERIFY(code(now, now + 1h, 90s).contains(QStringLiteral("step")));
        QVERIFY(code(now, now + 1h, 0ms).contains(QStringLiteral("step")));
        QVERIFY(code(now, now - 1h, 1min).contains(QStringLiteral("end")));
        QVERIFY(code(now, now + 1h * 24, 1min).contains(QStringLiteral("600")));
        QVERIFY(code(now, now + 10h - 1min, 1min).isEmpty());
        QVERIFY(code(now, now, 1min).isEmpty());
    }

    void minutes_ofEachEngineAreItsOwnAndOldOnesGo()
    {
        TestDatabase store(test::fetchKind());
        sendAll(store, QStringLiteral("a"), 2, [](int) { return Ending{}; });
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_minute WHERE engine <> 'engine-1'"), 0);
        QCOMPARE(store.number("SELECT sum(count) FROM sendoff_minute WHERE kind = 'end' AND word = 'accepted'"), 2);
        store.run("UPDATE sendoff_minute SET minute = $at($now_us / 60000000 * 60000 - 700000000)");
        must(pruneRetired(store.database()));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_minute"), 0);
    }

    void settle_ofAWriterThatLostCountsNothing()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, {}, QStringLiteral("a"), 1);
        ClaimRequest request;
        request.provider = QStringLiteral("resend");
        request.holder = QStringLiteral("e1");
        request.bounded = false;
        const auto claimed = must(claim(store.database(), request));
        QCOMPARE(int(claimed.size()), 1);
        must(handOver(store.database(), {{claimed[0].id, claimed[0].token}}, 0ms));
        const Settlement mine = settlementOf(claimed[0], failing(Outcome::PermanentMessage, QStringLiteral("x")));
        QVERIFY(must(settle(store.database(), QStringLiteral("engine-1"), {mine})).empty());
        QCOMPARE(int(must(settle(store.database(), QStringLiteral("engine-2"), {mine})).size()), 1);
        QCOMPARE(store.number("SELECT sum(count) FROM sendoff_minute WHERE kind = 'end'"), 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_minute WHERE engine = 'engine-2'"), 0);
    }

    void settle_tellsTheOperationWhatCameOfItsRows()
    {
        TestDatabase store(test::fetchKind());
        const std::vector<std::pair<Outcome, QString>> expected{
            {Outcome::Accepted, QStringLiteral("done")},
            {Outcome::Throttled, QStringLiteral("done")}, // as it was
            {Outcome::Transient, QStringLiteral("failed")},
            {Outcome::PermanentMessage, QStringLiteral("failed")}};
        test::insertDeliveries(store, {}, QStringLiteral("a"), int(expected.size()) + 1);
        store.run("UPDATE sendoff_delivery_hot SET operation_id = 7 WHERE id < 'a-00004'");
        store.run("INSERT INTO sendoff_operation_item (operation_id, delivery_id, result) SELECT 7, id, 'done' FROM "
                  "sendoff_delivery_hot");
        std::map<QString, Outcome> outcomes;
        for (size_t each = 0; each < expected.size(); ++each)
            outcomes[QStringLiteral("a-0000%1").arg(each)] = expected[each].first;
        ClaimRequest request;
        request.provider = QStringLiteral("resend");
        request.bounded = false;
        const auto claimed = must(claim(store.database(), request));
        QCOMPARE(claimed.size(), expected.size() + 1);
        std::vector<Settlement> settlements;
        for (const ClaimedDelivery &each : claimed) {
            const auto outcome = outcomes.find(each.id.value);
            settlements.push_back(settlementOf(each, outcome == outcomes.end() || outcome->second == Outcome::Accepted
                                                         ? Ending{}
                                                         : failing(outcome->second, QStringLiteral("code_x"))));
        }
        must(settle(store.database(), QStringLiteral("engine-1"), settlements));
        for (size_t each = 0; each < expected.size(); ++each) {
            const QVariantList id{QStringLiteral("a-0000%1").arg(each)};
            QCOMPARE(store.text("SELECT result FROM sendoff_operation_item WHERE delivery_id = ?", id),
                     expected[each].second);
            QCOMPARE(store.text("SELECT outcome FROM sendoff_operation_item WHERE delivery_id = ?", id),
                     QString(toText(expected[each].first)));
        }
        QCOMPARE(store.text("SELECT detail FROM sendoff_operation_item WHERE delivery_id = 'a-00002'"),
                 QStringLiteral("code_x"));
        // Not given back by it: nothing is told.
        QCOMPARE(store.text("SELECT outcome FROM sendoff_operation_item WHERE delivery_id = 'a-00004'"), QString());
    }

    void anEditedPayloadStaysWhileAPersonMaySendItAgain()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        test::insertDeliveries(store, spec, QStringLiteral("a"), 2);
        spec.expiresIn = -1s;
        test::insertDeliveries(store, spec, QStringLiteral("b"), 1);
        store.run("INSERT INTO sendoff_edit (delivery_id, payload) SELECT id, '{}' FROM sendoff_delivery_hot");
        QCOMPARE(must(expireOverdue(store.database(), 10)), 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_edit"), 3);
        sendAll(store, {}, 0, [](int number) {
            return number == 0 ? Ending{} : failing(Outcome::Transient, QStringLiteral("busy"));
        });
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_edit"), 2); // the accepted one is over
    }

    void fingerprint_ofTheRowIsTheProblemsAndSurvivesARollback()
    {
        TestDatabase store(test::fetchKind());
        const Ending ending = failing(Outcome::PermanentRecipient, QStringLiteral("no_user"),
                                      QStringLiteral("Ünknown user <jo@example.com>"));
        AttemptResult attempt;
        attempt.outcome = ending.outcome;
        attempt.status = ending.status;
        attempt.code = ending.code;
        attempt.text = ending.text;
        const Problem problem = problemOf(QStringLiteral("resend"), Channel::Email, attempt);
        sendAll(store, QStringLiteral("a"), 1, [&](int) { return ending; });
        QCOMPARE(store.text("SELECT fingerprint FROM sendoff_delivery_history"), problem.fingerprint);
        QCOMPARE(store.text("SELECT text FROM sendoff_problem WHERE fingerprint = ?", {problem.fingerprint}),
                 QStringLiteral("Ünknown user #"));
        // A writer whose transaction fails has written nothing, and must not believe that it has.
        store.run("DELETE FROM sendoff_problem");
        const Problem other = coarsened(problem, ProblemGrain::WithoutText);
        ProblemWriter writer(store.database());
        const auto failed = store.database().write([&](Session &session) -> Result<int> {
            writer.write(session, {{DeliveryId(QStringLiteral("a-00000")), other}});
            return Error{ErrorCode::Conflict, QStringLiteral("rolled back")};
        });
        QVERIFY(!failed);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_problem"), 0);
        const auto written = store.database().write([&](Session &session) {
            writer.write(session, {{DeliveryId(QStringLiteral("a-00000")), other}});
        });
        QVERIFY(written.ok());
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_problem"), 1);
    }

    void fingerprint_goesWhenTheProviderAccepts()
    {
        TestDatabase store(test::fetchKind());
        sendAll(store, QStringLiteral("a"), 1, [](int) { return failing(Outcome::Transient, QStringLiteral("busy")); });
        QVERIFY(!store.text("SELECT fingerprint FROM sendoff_delivery_hot").isEmpty());
        store.run("UPDATE sendoff_delivery_hot SET state = 'ready'");
        sendAll(store, {}, 0, [](int) { return Ending{}; });
        QCOMPARE(store.text("SELECT coalesce(fingerprint, 'none') FROM sendoff_delivery_history"),
                 QStringLiteral("none"));
    }

    void FLOW_05_minutesAndProblemsDoNotGrowWithTheTraffic()
    {
        TestDatabase store(test::fetchKind());
        const auto distinct = [](int base) {
            return [base](int number) {
                const int n = base + number;
                return failing(Outcome::PermanentRecipient, QStringLiteral("no_user"),
                               QStringLiteral("user %1 <u%1@d%1.example> of tenant \"t%1\" unknown").arg(n));
            };
        };
        const auto rowsOf = [&](const char *table) {
            return store.number(QByteArray("SELECT count(*) FROM ") + table);
        };
        const auto kinds = [&] {
            return store.number(
                "SELECT count(*) FROM (SELECT DISTINCT provider, channel, lane, kind, word, engine FROM "
                "sendoff_minute) AS kinds");
        };
        sendAll(store, QStringLiteral("a"), 10'000, distinct(0));
        const qint64 before = kinds();
        QCOMPARE(before, 2);
        QCOMPARE(rowsOf("sendoff_problem"), 1);
        for (int part = 0; part < 4; ++part)
            sendAll(store, QStringLiteral("b%1").arg(part), 10'000, distinct(10'000 * (part + 1)));
        QCOMPARE(kinds(), before);
        QCOMPARE(rowsOf("sendoff_problem"), 1);
        QCOMPARE(rowsOf("sendoff_delivery_history"), 50'000);
    }

    void FLOW_05_aProviderThatInventsTextsAndCodesIsBounded()
    {
        TestDatabase store(test::fetchKind());
        const auto word = [](int number) { // letters only: nothing that normalising would take out
            QString text;
            for (int left = number + 676; left > 0; left /= 26)
                text += QChar(u'a' + left % 26);
            return QStringLiteral("the reason is ") + text + QStringLiteral("word");
        };
        sendAll(store, QStringLiteral("a"), 800,
                [&](int number) { return failing(Outcome::PermanentRecipient, QStringLiteral("code"), word(number)); });
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_problem"), maxNewProblems + 1);
        // Those beyond have the kind without text, with the code.
        QCOMPARE(store.text("SELECT code FROM sendoff_problem WHERE text = ''"), QStringLiteral("code"));
        QCOMPARE(
            store.number("SELECT count(*) FROM sendoff_delivery_history h WHERE h.fingerprint = (SELECT fingerprint "
                         "FROM sendoff_problem WHERE text = '')"),
            800 - maxNewProblems);
        sendAll(store, QStringLiteral("b"), 1'500,
                [&](int number) { return failing(Outcome::PermanentRecipient, word(number), QStringLiteral("text")); });
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_problem"), maxNewCodes + 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history h WHERE NOT EXISTS (SELECT 1 FROM "
                              "sendoff_problem p WHERE p.fingerprint = h.fingerprint)"),
                 0);
    }

    void problems_thatNothingHasAnyMoreGoAfterAMonth()
    {
        TestDatabase store(test::fetchKind());
        sendAll(store, QStringLiteral("a"), 3,
                [](int number) { return failing(Outcome::PermanentMessage, QStringLiteral("code_%1").arg(number)); });
        const auto ofCode = [&](const char *code) {
            return store.text("SELECT fingerprint FROM sendoff_problem WHERE code = ?", {QString::fromLatin1(code)});
        };
        const QString noted = ofCode("code_1");
        store.run("INSERT INTO sendoff_note (kind, object, text, actor) VALUES ('problem', ?, 'seen', 'ana')", {noted});
        store.run("DELETE FROM sendoff_delivery_history WHERE fingerprint <> ?", {ofCode("code_0")});
        must(pruneRetired(store.database()));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_problem"), 3);
        store.run("UPDATE sendoff_problem SET first_seen = $now_plus(-3000000000)");
        must(pruneRetired(store.database()));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_problem"), 2);
        QVERIFY(ofCode("code_2").isEmpty());
    }

    void forecast_countsRowsByTheMinuteTheyComeDueIn()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        spec.state = DeliveryState::Scheduled;
        spec.dueIn = 10min;
        test::insertDeliveries(store, spec, QStringLiteral("a"), 20);
        spec.failures = 1;
        test::insertDeliveries(store, spec, QStringLiteral("b"), 5);
        spec.dueIn = -1h; // overdue: the first minute
        test::insertDeliveries(store, spec, QStringLiteral("c"), 2);
        spec.dueIn = 2h;
        test::insertDeliveries(store, spec, QStringLiteral("d"), 3);
        spec = {};
        test::insertDeliveries(store, spec, QStringLiteral("e"), 4);
        const ForecastRecord record = must(forecast(store.database(), 60));
        QCOMPARE(int(record.dueByMinute.size()), 60);
        QCOMPARE(int(record.retryByMinute.size()), 60);
        qint64 due = 0;
        qint64 retries = 0;
        for (size_t each = 0; each < 60; ++each) {
            due += record.dueByMinute[each];
            retries += record.retryByMinute[each];
        }
        QCOMPARE(due, 27);
        QCOMPARE(retries, 7);
        QCOMPARE(record.dueByMinute[0], 2);
        QCOMPARE(record.dueByMinute[9] + record.dueByMinute[10] + record.dueByMinute[11], 25);
        QCOMPARE(record.later, 3);
        QCOMPARE(record.waitingNow, 4);
        QVERIFY(record.from.time_since_epoch() % 1min == 0ms);
        QVERIFY(!forecast(store.database(), 0));
        QVERIFY(!forecast(store.database(), 1'441));
    }

    void status_ofAProviderTellsItsLastMinutesAndItsOverride()
    {
        TestDatabase store(test::fetchKind());
        store.run(
            "INSERT INTO sendoff_provider (name, channel, kind, step_us, override_step_us, override_until) VALUES "
            "('resend', 'email', 'resend', 2000, 100000, $now_plus(600000))");
        sendAll(store, QStringLiteral("a"), 6, [](int number) {
            return number < 3    ? Ending{}
                   : number == 3 ? failing(Outcome::Throttled, QStringLiteral("slow"))
                                 : failing(Outcome::Transient, QStringLiteral("busy"));
        });
        store.run("INSERT INTO sendoff_pause (kind, name, actor) VALUES ('lane', 'bulk', 'ana')");
        test::insertDeliveries(store, {}, QStringLiteral("b"), 2);
        ClaimRequest request;
        request.provider = QStringLiteral("resend");
        request.bounded = false;
        QCOMPARE(int(must(claim(store.database(), request)).size()), 2);
        const StatusRecord status = must(readStatus(store.database())).record;
        QCOMPARE(int(status.providers.size()), 1);
        const ProviderRecord &provider = status.providers[0];
        QCOMPARE(provider.attempts, 6);
        QCOMPARE(provider.throttled, 1);
        QCOMPARE(provider.failed, 2);
        QCOMPARE(provider.inFlight, 2);
        QVERIFY(provider.usedPerSecond > 0.019 && provider.usedPerSecond < 0.026);
        QCOMPARE(provider.overridePerSecond.value_or(0), 10.0);
        QVERIFY(provider.overrideUntil.has_value());
        QCOMPARE(int(status.pauses.size()), 1);
        QCOMPARE(status.pauses[0].actor, QStringLiteral("ana"));
        QCOMPARE(status.openOperations, 0);
    }

    void status_ofALargeBacklogAgreesWithItsRows()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        spec.dueIn = -10min;
        test::insertDeliveries(store, spec, QStringLiteral("a"), 1);
        spec.dueIn = -1min;
        test::insertDeliveries(store, spec, QStringLiteral("b"), 1'000);
        spec.state = DeliveryState::Held;
        test::insertDeliveries(store, spec, QStringLiteral("c"), 5);
        spec.state = DeliveryState::Scheduled;
        test::insertDeliveries(store, spec, QStringLiteral("d"), 7);
        spec.state = DeliveryState::Ready;
        spec.provider = QString();
        spec.channel = Channel::Inbox;
        spec.lane = Lane::Bulk;
        test::insertDeliveries(store, spec, QStringLiteral("e"), 3);
        const auto small = must(readStatus(store.database())).record.backlog;
        // The same rows a hundred times over.
        const QByteArray copies = store.database().isPostgreSql()
                                      ? QByteArray("generate_series(1, 99) AS s(n)")
                                      : QByteArray("(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s "
                                                   "WHERE n < 99) SELECT n FROM s) AS s");
        store.run(
            "INSERT INTO sendoff_delivery_hot (id, event_id, event_sequence, type, tenant, category, channel, "
            "provider, lane, recipient, user_id, destination, revision, role, element, template, published_set, "
            "locale, time_zone, address, address_hash, address_mask, address_domain, address_last4, state, reason, "
            "created_at, due_at, expires_at) SELECT id || '-' || n, event_id || '-' || n, event_sequence, type, "
            "tenant, category, channel, provider, lane, recipient, user_id, destination, revision, role, element, "
            "template, published_set, locale, time_zone, address, address_hash, address_mask, address_domain, "
            "address_last4, state, reason, created_at, due_at, expires_at FROM sendoff_delivery_hot CROSS JOIN " +
            copies);
        const auto large = must(readStatus(store.database())).record.backlog;
        QCOMPARE(large.size(), small.size());
        for (size_t each = 0; each < small.size(); ++each) {
            QCOMPARE(large[each].provider, small[each].provider);
            QCOMPARE(int(large[each].channel), int(small[each].channel));
            QCOMPARE(int(large[each].lane), int(small[each].lane));
            // Beyond a hundred thousand a lane it is a lower bound.
            QCOMPARE(large[each].waiting, std::min<qint64>(small[each].waiting * 100, 100'000));
            QCOMPARE(large[each].scheduled, small[each].scheduled * 100);
        }
        // `held` is a lower bound among the rows that expire next.
        QVERIFY(large[0].held <= small[0].held * 100);
        QVERIFY(large[0].oldestAge.value_or(0ms) >= 60s);
    }
};

QTEST_GUILESS_MAIN(tst_activity)
#include "tst_activity.moc"
