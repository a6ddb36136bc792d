// Lists and counts: every order complete and exact whatever the filter, with a bounded number of rows looked at.
#include "admin/store_console.h"
#include "domain/filter_fields.h"
#include "store/delivery_queries.h"
#include "store/filter_sql.h"
#include "tests/support/store_rows.h"
#include "tests/support/test_database.h"

#include <QRandomGenerator>
#include <QSet>
#include <QTest>
#include <map>
#include <memory>

using namespace sendoff;
using sendoff::test::insertDelivery;
using sendoff::test::RowSpec;
using sendoff::test::TestDatabase;

namespace {

Filter parsed(const QString &text)
{
    const auto filter = Filter::parse(text);
    if (!filter)
        qFatal("%s", qPrintable(filter.error().message));
    return *filter;
}

// All rows of a list, page by page. Fails the test's program on an error.
std::vector<DeliveryRecord> allRows(store::Database &database, const Filter &filter, DeliverySort sort, int limit,
                                    int *pages = nullptr)
{
    std::vector<DeliveryRecord> rows;
    QString after;
    do {
        auto page = store::listDeliveries(database, filter, sort, after, limit);
        if (!page)
            qFatal("%s: %s", qPrintable(filter.toText()), qPrintable(page.error().message));
        if (int(page->rows.size()) > limit)
            qFatal("a page is larger than its limit");
        rows.insert(rows.end(), page->rows.cbegin(), page->rows.cend());
        after = page->next;
        if (pages)
            ++*pages;
    } while (!after.isEmpty());
    return rows;
}

QStringList idsOf(const std::vector<DeliveryRecord> &rows)
{
    QStringList ids;
    for (const DeliveryRecord &row : rows)
        ids += row.id.value;
    return ids;
}

QStringList sorted(QStringList texts)
{
    texts.sort();
    return texts;
}

// The same rows by a plain statement over both tables.
QStringList idsByPlainSql(TestDatabase &store, const Filter &filter, const QByteArray &alsoWhere = {})
{
    const auto where = store::filterSql(filter, FilterRows::Deliveries);
    if (!where)
        qFatal("%s", qPrintable(where.error().message));
    const auto ids = store.database().read([&](store::Session &session) {
        QStringList found;
        auto row = session.run("SELECT d.id FROM sendoff_delivery d WHERE 1 = 1" + where->condition + alsoWhere,
                               where->values);
        while (row.next())
            found += row.text(0);
        return found;
    });
    if (!ids)
        qFatal("%s", qPrintable(ids.error().message));
    return sorted(*ids);
}

// Some thousand rows of all states and many kinds; groups of the same moment.
void fillMixedStore(TestDatabase &store)
{
    QRandomGenerator random(3);
    RowSpec spec;
    for (int group = 0; group < 42; ++group) {
        spec.state = static_cast<DeliveryState>(group % (int(DeliveryState::Unknown) + 1));
        spec.user = QStringLiteral("u%1").arg(group % 5);
        spec.tenant = QStringLiteral("t%1").arg(group % 4);
        spec.channel = static_cast<Channel>(group % 3);
        spec.attempts = group % 6;
        spec.hasUnknown = group % 7 == 0;
        spec.code = group % 3 == 0 ? QStringLiteral("code-%1").arg(group % 4) : QString();
        spec.age = Milliseconds(3'600'000LL * (random.bounded(5) + 1));
        spec.dueIn = Milliseconds(1'800'000LL * (random.bounded(5) - 2) + 900'000);
        spec.endedAgo = Milliseconds(1'800'000LL * random.bounded(5) + 900'000);
        test::insertDeliveries(store, spec, QStringLiteral("g%1").arg(group), 60);
    }
    for (const char *table : {"sendoff_delivery_hot", "sendoff_delivery_history"}) {
        const QByteArray update = QByteArray("UPDATE ") + table + " SET ";
        store.run(update + "fingerprint = 'p1' WHERE last_code = 'code-1'");
        store.run(update + "fingerprint = 'p2' WHERE last_code = 'code-2'");
        store.run(update + "address_domain = 'example.com', possible_duplicate = 1 WHERE id LIKE '%-0000_'");
        store.run(update + "provider_message_id = 'm-' || id, published_set = 4 WHERE id LIKE '%-0001_'");
        store.run(update + "parent_id = 'origin' WHERE id LIKE '%-00020'");
        store.run(update + "last_outcome = 'transient', last_status = 503 WHERE last_code IS NOT NULL");
        store.run(QByteArray("INSERT INTO sendoff_operation_item (operation_id, delivery_id, result) SELECT 7, id, "
                             "'done' FROM ") +
                  table + " WHERE id LIKE '%-0003_'");
    }
}

} // namespace

class tst_lists : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { test::addStoreRows(); }
    void cleanupTestCase() { m_mixedStores.clear(); }

    void init()
    {
        if (!TestDatabase::isAvailable(test::fetchKind())) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must give a PostgreSQL in SENDOFF_TEST_PG");
            QSKIP("no PostgreSQL: set SENDOFF_TEST_PG");
        }
    }

    void everyOrderIsCompleteAndInOrder()
    {
        TestDatabase store(test::fetchKind());
        fillMixedStore(store);
        using Key = std::pair<Timestamp, QString>;
        const auto keyOf = [](const DeliveryRecord &row, DeliverySort sort) -> Key {
            return {sort == DeliverySort::NextDue     ? row.dueAt
                    : sort == DeliverySort::LastEnded ? row.endedAt.value()
                                                      : row.createdAt,
                    row.id.value};
        };
        for (const auto &[sort, only, descends] :
             {std::tuple{DeliverySort::Newest, "", true}, std::tuple{DeliverySort::Oldest, "", false},
              std::tuple{DeliverySort::NextDue, " AND d.state = 'scheduled'", false},
              std::tuple{DeliverySort::LastEnded, " AND d.ended_at IS NOT NULL", true}}) {
            const auto rows = allRows(store.database(), {}, sort, 37);
            QCOMPARE(sorted(idsOf(rows)), idsByPlainSql(store, {}, only));
            for (size_t each = 1; each < rows.size(); ++each) {
                const Key before = keyOf(rows[each - 1], sort);
                const Key behind = keyOf(rows[each], sort);
                QVERIFY(descends ? before.first >= behind.first : before.first <= behind.first);
                if (before.first == behind.first)
                    QVERIFY(descends ? before.second > behind.second : before.second < behind.second);
            }
        }
    }

    void listsAndCountsAreExactWhateverTheFilter_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"state:dead",
                                 "state:dead,unknown,held",
                                 "-state:dead",
                                 "-state:delivered,accepted,ready",
                                 "state:leased",
                                 "state:scheduled channel:email",
                                 "user:u1",
                                 "-user:u1 -user:u2",
                                 "user:u1,u2 state:dead",
                                 "tenant:t1",
                                 "-tenant:t1,t2",
                                 "problem:p1",
                                 "problem:p1,p2 -state:dead",
                                 "-problem:p1",
                                 "problem:\"\"",
                                 "problem:\"\",p1 state:dead,expired",
                                 "code:code-1",
                                 "error:503",
                                 "-code:503",
                                 "code:\"\"",
                                 "outcome:transient",
                                 "-outcome:transient",
                                 "attempts:0,3",
                                 "attempts>3",
                                 "attempts<2",
                                 "-attempts>3",
                                 "unknown:yes",
                                 "unknown:no",
                                 "-unknown:no",
                                 "duplicate:yes",
                                 "duplicate:yes,no",
                                 "domain:Example.COM",
                                 "-domain:example.com",
                                 "message:m-g3-00012,m-g0-00012",
                                 "message:\"\"",
                                 "set:4",
                                 "-set:4",
                                 "operation:7",
                                 "operation:7 state:dead,ready",
                                 "-operation:7",
                                 "operation:8",
                                 "parent:origin",
                                 "parent:\"\"",
                                 "age>150m",
                                 "age<150m",
                                 "-age<150m",
                                 "age>150m age<210m",
                                 "due<10m",
                                 "due>10m",
                                 "-due<10m",
                                 "due>10m state:scheduled",
                                 "ended<1h",
                                 "ended>1h",
                                 "-ended<1h",
                                 "ended<1h state:dead",
                                 "id:g3-00012,none",
                                 "event:event-g3-00012",
                                 "channel:webhook",
                                 "state:dead -channel:email attempts>1 tenant:t0,t1,t2"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }

    void listsAndCountsAreExactWhateverTheFilter()
    {
        std::unique_ptr<TestDatabase> &kept = m_mixedStores[int(test::fetchKind())];
        if (!kept) {
            kept = std::make_unique<TestDatabase>(test::fetchKind());
            fillMixedStore(*kept);
        }
        TestDatabase &store = *kept;
        QFETCH(QString, text);
        const Filter filter = parsed(text);
        const QStringList expected = idsByPlainSql(store, filter);
        QCOMPARE(sorted(idsOf(allRows(store.database(), filter, DeliverySort::Newest, 170))), expected);
        QCOMPARE(sorted(idsOf(allRows(store.database(), filter, DeliverySort::Oldest, 1'000))), expected);
        QCOMPARE(sorted(idsOf(allRows(store.database(), filter, DeliverySort::NextDue, 170))),
                 idsByPlainSql(store, filter, " AND d.state = 'scheduled'"));
        QCOMPARE(sorted(idsOf(allRows(store.database(), filter, DeliverySort::LastEnded, 170))),
                 idsByPlainSql(store, filter, " AND d.ended_at IS NOT NULL"));
        const auto count = store::countDeliveries(store.database(), filter, countCap);
        QVERIFY2(count.ok(), count ? "" : qPrintable(count.error().message));
        QCOMPARE(count->count, qint64(expected.size()));
        QVERIFY(!count->isCapped);
        QCOMPARE(*store::countDeliveriesExactly(store.database(), filter, countCap), qint64(expected.size()));
        // A negated term chooses exactly the other rows.
        if (filter.terms.size() == 1) {
            Filter other = filter;
            other.terms.front().isNegated = !other.terms.front().isNegated;
            QCOMPARE(expected.size() + idsByPlainSql(store, other).size(), 42 * 60);
        }
    }

    void aRareMatchIsFoundByGoingOn()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        spec.state = DeliveryState::Accepted;
        spec.tenant = QStringLiteral("rare");
        spec.age = Milliseconds(86'400'000);
        const QString rare = insertDelivery(store, spec);
        spec.tenant = QStringLiteral("common");
        spec.age = Milliseconds(60'000);
        test::insertDeliveries(store, spec, QStringLiteral("a"), 14'000);
        const Filter filter = parsed(QStringLiteral("tenant:rare"));
        const auto first = store::listDeliveries(store.database(), filter, DeliverySort::Newest, {}, 50);
        QVERIFY2(first.ok(), first ? "" : qPrintable(first.error().message));
        QVERIFY(first->rows.empty());
        QVERIFY(!first->next.isEmpty());
        int pages = 0;
        QCOMPARE(idsOf(allRows(store.database(), filter, DeliverySort::Newest, 50, &pages)), QStringList(rare));
        QVERIFY(pages >= 2);
        const auto whole = store::fullPage(store.database(), filter, DeliverySort::Newest, {}, 50);
        QVERIFY(whole.ok());
        QCOMPARE(idsOf(whole->rows), QStringList(rare));
        QVERIFY(whole->next.isEmpty());
        // Its own index leads to it at once.
        const auto oldest = store::listDeliveries(store.database(), filter, DeliverySort::Oldest, {}, 1);
        QCOMPARE(idsOf(oldest->rows), QStringList(rare));
    }

    void aFullPageIsFullAndGoesOn()
    {
        TestDatabase store(test::fetchKind());
        fillMixedStore(store);
        const Filter filter = parsed(QStringLiteral("-state:dead channel:email"));
        QStringList seen;
        QString after;
        do {
            const auto page = store::fullPage(store.database(), filter, DeliverySort::Oldest, after, 90);
            QVERIFY(page.ok());
            QVERIFY(page->rows.size() == 90U || page->next.isEmpty());
            seen += idsOf(page->rows);
            after = page->next;
        } while (!after.isEmpty());
        QCOMPARE(sorted(seen), idsByPlainSql(store, filter));
        const store::PageQuery broken = [](const QString &, int) -> Result<DeliveryPage> {
            return Error{ErrorCode::Unavailable, QStringLiteral("away")};
        };
        QCOMPARE(store::fullPage(broken, {}, 5).error().code, ErrorCode::Unavailable);
    }

    void aCountThatStopsLookingSaysSo()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        spec.state = DeliveryState::Accepted;
        test::insertDeliveries(store, spec, QStringLiteral("a"), 5'000);
        RowSpec dead;
        dead.state = DeliveryState::Dead;
        test::insertDeliveries(store, dead, QStringLiteral("d"), 30);
        const auto countOf = [&](const char *text) {
            return *store::countDeliveries(store.database(), parsed(QString::fromLatin1(text)), countCap);
        };
        QCOMPARE(countOf("type:none").count, 0);
        QVERIFY(!countOf("type:none").isCapped);
        for (int lot = 0; lot < 4; ++lot)
            test::insertDeliveries(store, spec, QStringLiteral("b%1").arg(lot), 16'000);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 69'030);
        QCOMPARE(countOf("type:none").count, 0);
        QVERIFY(countOf("type:none").isCapped);
        QCOMPARE(countOf("state:dead").count, 30);
        QVERIFY(!countOf("state:dead").isCapped);
        QCOMPARE(countOf("state:dead type:none").count, 0);
        QVERIFY(!countOf("state:dead type:none").isCapped);
        QVERIFY(countOf("lane:normal").count >= 5'000);
        QCOMPARE(countOf("user:u1").count, countCap);
        QVERIFY(countOf("user:u1").isCapped);
        QVERIFY(countOf("lane:normal").isCapped);
        QCOMPARE(*store::countDeliveriesExactly(store.database(), parsed(QStringLiteral("lane:normal")), 1'000'000),
                 69'030);
    }

    void aCursorBelongsToItsSort()
    {
        TestDatabase store(test::fetchKind());
        fillMixedStore(store);
        const QList<DeliverySort> sorts{DeliverySort::Newest, DeliverySort::Oldest, DeliverySort::NextDue,
                                        DeliverySort::LastEnded};
        for (const DeliverySort made : sorts) {
            const auto page = store::listDeliveries(store.database(), {}, made, {}, 5);
            QVERIFY(!page->next.isEmpty());
            for (const DeliverySort used : sorts) {
                const auto next = store::listDeliveries(store.database(), {}, used, page->next, 5);
                QCOMPARE(next.ok(), used == made);
                if (used == made)
                    continue;
                QCOMPARE(next.error().code, ErrorCode::Invalid);
                QVERIFY(next.error().message.contains(u'"' + QString(toText(made)) + u'"'));
            }
        }
    }

    void INJ_01_hostileTextsAreNoSortAndNoCursor()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, {}, QStringLiteral("a"), 1'000);
        QStringList texts;
        for (const char *text :
             {"'", "\"", "x' OR '1'='1", "'; DROP TABLE outbox;--", "%", "_", "\\", "id DESC; SELECT pg_sleep(5)",
              "(CASE WHEN 1=1 THEN id ELSE created_at END)", "ASC, (SELECT 1)", "ʼ OR 1=1"})
            texts += QString::fromUtf8(text);
        texts += QStringLiteral("x") + QChar(0) + QStringLiteral("y");
        for (const QString &text : texts) {
            QVERIFY(!fromText<DeliverySort>(text));
            // As they are, and in the form that our own cursors have.
            for (const QString &form : {QStringLiteral("%1"), QStringLiteral("newest\n%1\na-00001"),
                                        QStringLiteral("%1\n2026-11-30 12:00:00+00\na-00001"),
                                        QStringLiteral("newest\n2026-11-30 12:00:00+00%1\na-00001")}) {
                const QString cursor = QString::fromLatin1(
                    form.arg(text).toUtf8().toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals));
                for (const QString &each : {cursor, form.arg(text)}) {
                    const auto page = store::listDeliveries(store.database(), {}, DeliverySort::Newest, each, 10);
                    QVERIFY(!page.ok());
                    QCOMPARE(page.error().code, ErrorCode::Invalid);
                }
            }
            // An id may be anything: it is bound.
            const QString odd = QStringLiteral("newest\n2001-01-01 12:00:00+00\n") + text;
            const auto page =
                store::listDeliveries(store.database(), {}, DeliverySort::Newest,
                                      QString::fromLatin1(odd.toUtf8().toBase64(QByteArray::Base64UrlEncoding)), 10);
            QVERIFY(!page.ok() || page->rows.empty());
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 1'000);
    }

    void INJ_01_hostileValuesOfEveryFieldMatchNothing()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, {}, QStringLiteral("a"), 500);
        RowSpec dead;
        dead.state = DeliveryState::Dead;
        test::insertDeliveries(store, dead, QStringLiteral("b"), 500);
        for (const char *text : {"'", "x' OR '1'='1", "'; DROP TABLE outbox;--", "%", "_", "\\", "ASC, (SELECT 1)"}) {
            for (const FilterField &field : filterFieldTable(FilterRows::Deliveries)) {
                Filter filter;
                filter.terms.push_back({field.name, FilterTerm::Operator::Equals, {QString::fromUtf8(text)}, {}});
                const bool isText = field.kind == FilterKind::Text ||
                                    (field.kind == FilterKind::Words && !field.words.contains(QStringLiteral("yes")));
                for (const DeliverySort sort :
                     {DeliverySort::Newest, DeliverySort::Oldest, DeliverySort::NextDue, DeliverySort::LastEnded}) {
                    const auto page = store::listDeliveries(store.database(), filter, sort, {}, 10);
                    QCOMPARE(page.ok(), isText);
                    if (isText)
                        QVERIFY(page->rows.empty());
                    else
                        QCOMPARE(page.error().code, ErrorCode::Invalid);
                }
                if (!isText)
                    continue;
                filter.terms.front().isNegated = true;
                QCOMPARE(store::countDeliveries(store.database(), filter, countCap)->count, 1'000);
            }
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 1'000);
    }

    void eventsAreChosenByTheirOwnFields()
    {
        TestDatabase store(test::fetchKind());
        for (int each = 0; each < 12; ++each)
            test::insertEvent(store, QStringLiteral("e%1").arg(each), static_cast<EventState>(each % 3));
        store.run("UPDATE sendoff_event SET reason = 'no such type' WHERE id = 'e2'");
        store.run("UPDATE sendoff_event SET recorded_at = $now_plus(-7200000) WHERE id IN ('e1', 'e2')");
        store.run("UPDATE sendoff_event SET tenant = 't%' WHERE id = 'e5'");
        const auto console = admin::makeStoreConsole(store.connect());
        const auto countOf = [&](const char *text) {
            const auto filter = Filter::parse(QString::fromUtf8(text), FilterRows::Events);
            if (!filter)
                qFatal("%s", qPrintable(filter.error().message));
            return int(console->events(*filter, 0, 100)->size());
        };
        QCOMPARE(countOf("state:rejected"), 4);
        QCOMPARE(countOf("state:rejected,pending"), 8);
        QCOMPARE(countOf("-state:rejected"), 8);
        QCOMPARE(countOf("reason:\"no such type\""), 1);
        QCOMPARE(countOf("-reason:\"no such type\""), 11);
        QCOMPARE(countOf("reason:\"\""), 11);
        QCOMPARE(countOf("age>1h"), 2);
        QCOMPARE(countOf("age<1h state:relayed"), 3);
        QCOMPARE(countOf("id:e1,e2 event:e2,e3"), 1);
        QCOMPARE(countOf("tenant:t%"), 1);
        QCOMPARE(countOf("tenant:t_"), 0);
        const auto wrong = console->events(parsed(QStringLiteral("channel:email")), 0, 10);
        QCOMPARE(wrong.error().code, ErrorCode::Invalid);
        QVERIFY(wrong.error().message.contains(QStringLiteral("reason")));
    }

private:
    std::map<int, std::unique_ptr<TestDatabase>> m_mixedStores; // only read, so that it is filled once
};

QTEST_GUILESS_MAIN(tst_lists)
#include "tst_lists.moc"
