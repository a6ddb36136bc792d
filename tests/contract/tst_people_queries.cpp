#include "admin/person_history.h"
#include "admin/problems.h"
#include "domain/delivery.h"
#include "domain/problem.h"
#include "store/delivery_queries.h"
#include "tests/support/store_rows.h"
#include "tests/support/test_database.h"

#include <QTest>

using namespace sendoff;
using namespace sendoff::store;
using namespace std::chrono_literals;
using sendoff::test::RowSpec;
using sendoff::test::TestDatabase;

namespace {

const QByteArray hashKey = "key";

QString hashOf(Channel channel, const char *address)
{
    return addressHash(channel, QString::fromUtf8(address), hashKey);
}

} // namespace

class tst_people_queries : public QObject
{
    Q_OBJECT

    template <typename T>
    static T must(Result<T> result)
    {
        if (!result)
            qFatal("%s", qPrintable(result.error().message));
        return std::move(*result);
    }

    // `count` rows that failed in one way; answers the fingerprint.
    static QString addFailures(TestDatabase &store, const QString &prefix, int count, Outcome outcome,
                               const QString &code, RowSpec spec = {})
    {
        AttemptResult attempt;
        attempt.outcome = outcome;
        attempt.status = 429;
        attempt.code = code;
        const Problem problem = problemOf(spec.provider, spec.channel, attempt);
        spec.attempts = 1;
        spec.code = code;
        spec.status = 429;
        test::insertDeliveries(store, spec, prefix, count);
        const QVariantList values{problem.fingerprint, QString(toText(outcome)), QString(prefix + u'%')};
        for (const char *table : {"sendoff_delivery_hot", "sendoff_delivery_history"}) {
            store.run(QByteArray("UPDATE ") + table + " SET fingerprint = ?, last_outcome = ? WHERE id LIKE ?", values);
        }
        store.run("INSERT INTO sendoff_problem (fingerprint, outcome, provider, channel, status, code, text) VALUES "
                  "(?, ?, ?, ?, 429, ?, '') ON CONFLICT (fingerprint) DO NOTHING",
                  {problem.fingerprint, QString(toText(outcome)), spec.provider, QString(toText(spec.channel)), code});
        return problem.fingerprint;
    }

    static RowSpec inState(DeliveryState state, const char *user = "u1")
    {
        RowSpec spec;
        spec.state = state;
        spec.user = QString::fromLatin1(user);
        return spec;
    }

    // Every group's filter is read back and chooses as many rows as the group says.
    static void checkFilters(TestDatabase &store, const std::vector<ProblemRecord> &groups)
    {
        for (const ProblemRecord &group : groups) {
            const auto filter = Filter::parse(group.filter);
            QVERIFY2(filter.ok(), qPrintable(group.filter));
            const qint64 ended = group.dead + group.unknown;
            const qint64 matching = must(countDeliveriesExactly(store.database(), *filter, 100'000));
            if (matching != (ended > 0 ? ended : group.failing))
                QFAIL(qPrintable(QStringLiteral("%1: %2").arg(group.filter).arg(matching)));
            QVERIFY(!group.title.isEmpty());
            QVERIFY(!group.suggestion.isEmpty());
        }
    }

    static std::vector<ProblemRecord> groupsBy(TestDatabase &store, ProblemGrouping grouping, const char *filter = "")
    {
        return must(admin::problems(store.database(), grouping, must(Filter::parse(QString::fromLatin1(filter))), 100));
    }

    // What a delivery row does not say by RowSpec.
    static void setAddress(TestDatabase &store, const QString &user, Channel channel, const char *address)
    {
        const AddressTraces traces = addressTraces(channel, QString::fromUtf8(address));
        for (const char *table : {"sendoff_delivery_hot", "sendoff_delivery_history"}) {
            store.run(
                QByteArray("UPDATE ") + table +
                    " SET address_hash = ?, address_mask = ?, address_domain = ? WHERE user_id = ? AND channel = ?",
                {hashOf(channel, address), traces.mask, traces.domain, user, QString(toText(channel))});
        }
    }

    static PersonRecord find(TestDatabase &store, const char *query, int limit = 50)
    {
        return must(admin::personHistory(store.database(), QString::fromUtf8(query), hashKey, limit));
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

    void problems_areGroupedByKindTheLargestFirst()
    {
        TestDatabase store(test::fetchKind());
        QVERIFY(groupsBy(store, ProblemGrouping::Fingerprint).empty());
        const QString busy = addFailures(store, QStringLiteral("a"), 30, Outcome::Transient, QStringLiteral("busy"),
                                         inState(DeliveryState::Dead));
        addFailures(store, QStringLiteral("b"), 5, Outcome::Transient, QStringLiteral("busy"),
                    inState(DeliveryState::Scheduled, "u2"));
        addFailures(store, QStringLiteral("c"), 7, Outcome::Unknown, QStringLiteral("timeout"),
                    inState(DeliveryState::Unknown));
        const QString slow = addFailures(store, QStringLiteral("d"), 3, Outcome::Throttled, QStringLiteral("slow"),
                                         inState(DeliveryState::Ready));
        test::insertDeliveries(store, inState(DeliveryState::Bounced), QStringLiteral("e"), 2);
        test::insertDeliveries(store, inState(DeliveryState::Accepted), QStringLiteral("f"), 50);
        test::insertDeliveries(store, inState(DeliveryState::Ready), QStringLiteral("g"), 50);
        store.run(
            "INSERT INTO sendoff_note (kind, object, text, actor) VALUES ('problem', ?, 'known, see the status page', "
            "'ana')",
            {busy});

        const auto groups = groupsBy(store, ProblemGrouping::Fingerprint);
        QCOMPARE(int(groups.size()), 4);
        QCOMPARE(groups[0].key, busy);
        QCOMPARE(groups[0].dead, 30);
        QCOMPARE(groups[0].failing, 5);
        QCOMPARE(groups[0].people, 2);
        QCOMPARE(groups[0].title, QStringLiteral("resend is disturbed: busy (429)"));
        QCOMPARE(groups[0].verb, QStringLiteral("retry"));
        QCOMPARE(int(groups[0].notes.size()), 1);
        QCOMPARE(groups[0].notes[0].actor, QStringLiteral("ana"));
        QVERIFY(groups[0].firstSeen && groups[0].lastSeen && *groups[0].firstSeen <= *groups[0].lastSeen);
        QCOMPARE(groups[1].unknown, 7);
        QCOMPARE(groups[2].key, slow);
        QCOMPARE(groups[2].failing, 3);
        QVERIFY(groups[2].verb.isEmpty());
        QCOMPARE(groups[3].key, QString()); // ungrouped
        QCOMPARE(groups[3].dead, 2);
        checkFilters(store, groups);
        QVERIFY(!admin::problems(store.database(), ProblemGrouping::Fingerprint, {}, 0));
        QCOMPARE(int(must(admin::problems(store.database(), ProblemGrouping::Fingerprint, {}, 2)).size()), 2);
    }

    void problems_areGroupedByEveryKey()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = inState(DeliveryState::Dead);
        addFailures(store, QStringLiteral("a"), 6, Outcome::Transient, QStringLiteral("busy"), spec);
        spec.provider = QStringLiteral("expo");
        spec.channel = Channel::Push;
        spec.type = QStringLiteral("parking.expired");
        addFailures(store, QStringLiteral("b"), 4, Outcome::PermanentRecipient, QStringLiteral("gone"), spec);
        spec.state = DeliveryState::Held;
        spec.provider = QStringLiteral("sms one");
        spec.channel = Channel::Sms;
        spec.type = QStringLiteral("alert, loud");
        addFailures(store, QStringLiteral("c"), 3, Outcome::Throttled, QStringLiteral("slow"), spec);
        store.run("UPDATE sendoff_delivery_history SET address_domain = 'example.com', published_set = 3 WHERE id LIKE "
                  "'a%'");
        const auto keys = [](const std::vector<ProblemRecord> &groups) {
            QStringList texts;
            for (const ProblemRecord &each : groups)
                texts += QStringLiteral("%1=%2+%3").arg(each.key).arg(each.dead).arg(each.failing);
            return texts;
        };
        auto groups = groupsBy(store, ProblemGrouping::Provider);
        QCOMPARE(keys(groups), (QStringList{QStringLiteral("email/resend=6+0"), QStringLiteral("push/expo=4+0"),
                                            QStringLiteral("sms/sms one=0+3")}));
        checkFilters(store, groups);
        groups = groupsBy(store, ProblemGrouping::EventType);
        QCOMPARE(keys(groups), (QStringList{QStringLiteral("booking.confirmed=6+0"),
                                            QStringLiteral("parking.expired=4+0"), QStringLiteral("alert, loud=0+3")}));
        checkFilters(store, groups);
        groups = groupsBy(store, ProblemGrouping::RecipientDomain);
        QCOMPARE(keys(groups), (QStringList{QStringLiteral("=4+3"), QStringLiteral("example.com=6+0")}));
        checkFilters(store, groups);
        groups = groupsBy(store, ProblemGrouping::PublishedSet);
        QCOMPARE(keys(groups), (QStringList{QStringLiteral("0=4+3"), QStringLiteral("3=6+0")}));
        checkFilters(store, groups);
    }

    void problems_areNarrowedByAFilter()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = inState(DeliveryState::Dead);
        addFailures(store, QStringLiteral("a"), 6, Outcome::Transient, QStringLiteral("busy"), spec);
        spec.tenant = QStringLiteral("north");
        addFailures(store, QStringLiteral("b"), 4, Outcome::Transient, QStringLiteral("busy"), spec);
        spec.state = DeliveryState::Ready;
        addFailures(store, QStringLiteral("c"), 2, Outcome::Transient, QStringLiteral("busy"), spec);
        const auto groups = groupsBy(store, ProblemGrouping::Fingerprint, "tenant:north");
        QCOMPARE(int(groups.size()), 1);
        QCOMPARE(groups[0].dead, 4);
        QCOMPARE(groups[0].failing, 2);
        QVERIFY(groups[0].filter.contains(QStringLiteral("tenant:north")));
        checkFilters(store, groups);
        QCOMPARE(groupsBy(store, ProblemGrouping::Fingerprint, "state:dead")[0].failing, 0);
        QVERIFY(groupsBy(store, ProblemGrouping::Fingerprint, "state:accepted").empty());
    }

    void problems_ofRowsThatTheTableDoesNotKnowAreTold()
    {
        TestDatabase store(test::fetchKind());
        addFailures(store, QStringLiteral("a"), 2, Outcome::Transient, QStringLiteral("busy"),
                    inState(DeliveryState::Dead));
        store.run("DELETE FROM sendoff_problem");
        const auto groups = groupsBy(store, ProblemGrouping::Fingerprint);
        QCOMPARE(groups[0].title, QStringLiteral("resend is disturbed: busy (429)"));
        checkFilters(store, groups);
    }

    void person_isFoundByEveryKey_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("foundBy");
        const auto row = [](const char *query, const char *foundBy) {
            QTest::newRow(query) << QString::fromUtf8(query) << QString::fromLatin1(foundBy);
        };
        row("u1", "user");
        row("  u1 ", "user");
        row("jo@example.com", "address");
        row("JO@Example.COM", "address");
        row("+491701234567", "address");
        row("00491701234567", "address");
        row("+49 (170) 123-45.67", "address");
        row("+49 (0)170 1234567", "address");
        row("491701234567", "address");
        row("٤٩١٧٠١٢٣٤٥٦٧", "address");
        row("event-single-00000", "event");
        row("single-00000", "delivery");
        row("m-77", "message");
    }
    void person_isFoundByEveryKey()
    {
        QFETCH(QString, query);
        QFETCH(QString, foundBy);
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, inState(DeliveryState::Accepted), QStringLiteral("single"), 1);
        RowSpec sms = inState(DeliveryState::Ready);
        sms.channel = Channel::Sms;
        test::insertDeliveries(store, sms, QStringLiteral("sms"), 1);
        test::insertDeliveries(store, inState(DeliveryState::Accepted, "other"), QStringLiteral("other"), 3);
        setAddress(store, QStringLiteral("u1"), Channel::Email, "jo@example.com");
        setAddress(store, QStringLiteral("u1"), Channel::Sms, "+491701234567");
        setAddress(store, QStringLiteral("other"), Channel::Email, "ana@example.com");
        store.run("UPDATE sendoff_delivery_history SET provider_message_id = 'm-77' WHERE id = 'single-00000'");
        const PersonRecord person = find(store, qPrintable(query));
        QCOMPARE(person.foundBy, foundBy);
        QCOMPARE(person.user.value, QStringLiteral("u1"));
        QCOMPARE(int(person.events.size()), 2);
        for (const PersonEvent &event : person.events) {
            QCOMPARE(event.event.type, QStringLiteral("booking.confirmed"));
            QCOMPARE(int(event.deliveries.size()), 1);
            QVERIFY(event.deliveries[0].verdict.endsWith(u'.'));
        }
        QVERIFY(!person.hasMore);
    }

    void person_isNotFoundByOthersKeysOrWithoutTheRightHashKey()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, inState(DeliveryState::Accepted), QStringLiteral("a"), 1);
        setAddress(store, QStringLiteral("u1"), Channel::Email, "jo@example.com");
        for (const char *query : {"u2", "jo@example.org", "+4917", "%", "u_"}) {
            const auto answer = admin::personHistory(store.database(), QString::fromLatin1(query), hashKey, 10);
            QVERIFY2(!answer && answer.error().code == ErrorCode::NotFound, query);
        }
        QVERIFY(!admin::personHistory(store.database(), QStringLiteral("jo@example.com"), "other", 10));
        QVERIFY(find(store, "jo@example.com").events.size() == 1);
        QCOMPARE(admin::personHistory(store.database(), QStringLiteral("  "), hashKey, 10).error().code,
                 ErrorCode::Invalid);
        QCOMPARE(admin::personHistory(store.database(), QStringLiteral("u1"), hashKey, 0).error().code,
                 ErrorCode::Invalid);
    }

    void person_ofAGroupEventSeesOnlyHisOwnDeliveries()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = inState(DeliveryState::Accepted);
        spec.event = QStringLiteral("party");
        for (int each = 0; each < 30; ++each) {
            spec.user = QStringLiteral("guest-%1").arg(each);
            test::insertDelivery(store, spec);
        }
        const PersonRecord one = find(store, "guest-7");
        QCOMPARE(int(one.events.size()), 1);
        QCOMPARE(int(one.events[0].deliveries.size()), 1);
        QCOMPARE(one.events[0].deliveries[0].delivery.user.value, QStringLiteral("guest-7"));
        // The event belongs to nobody alone.
        const PersonRecord all = find(store, "party");
        QVERIFY(all.user.isEmpty());
        QCOMPARE(all.foundBy, QStringLiteral("event"));
        QCOMPARE(int(all.events.size()), 1);
        QCOMPARE(int(all.events[0].deliveries.size()), 30);
    }

    void person_eventsComeNewestFirstAndStopAtTheLimit()
    {
        TestDatabase store(test::fetchKind());
        for (int each = 0; each < 12; ++each) {
            RowSpec spec = inState(each % 3 == 0 ? DeliveryState::Ready : DeliveryState::Accepted);
            spec.id = QStringLiteral("d-%1").arg(each);
            spec.age = each * 1min + 1min;
            spec.endedAgo = each * 1min;
            test::insertDelivery(store, spec);
        }
        const PersonRecord person = find(store, "u1", 5);
        QVERIFY(person.hasMore);
        QCOMPARE(int(person.events.size()), 5);
        for (size_t each = 0; each < 5; ++each)
            QCOMPARE(person.events[each].deliveries[0].delivery.id.value, QStringLiteral("d-%1").arg(each));
        QVERIFY(!find(store, "u1", 12).hasMore);
    }

    void person_hasContactsChoicesSuppressionsAndNotes()
    {
        TestDatabase store(test::fetchKind());
        test::insertDeliveries(store, inState(DeliveryState::Suppressed), QStringLiteral("a"), 1);
        setAddress(store, QStringLiteral("u1"), Channel::Email, "jo.secret@example.com");
        store.run("INSERT INTO sendoff_contact (user_id, channel, address, locale) VALUES ('u1', 'email', "
                  "'jo.secret@example.com', 'de')");
        store.run("INSERT INTO sendoff_contact (user_id, channel, address, disabled_at, disabled_reason) VALUES ('u1', "
                  "'sms', '+491701234567', $now, 'gone')");
        store.run("INSERT INTO sendoff_preference (user_id, category, channel, allowed) VALUES ('u1', 'marketing', "
                  "'email', 0)");
        store.run("INSERT INTO sendoff_suppression (channel, address_hash, address_mask, reason) VALUES ('email', ?, "
                  "'j…@example.com', 'complaint')",
                  {hashOf(Channel::Email, "jo.secret@example.com")});
        store.run("INSERT INTO sendoff_note (kind, object, text, actor) VALUES ('user', 'u1', 'called twice', 'ana')");
        const PersonRecord person = find(store, "u1");
        QCOMPARE(int(person.contacts.size()), 2);
        QCOMPARE(person.contacts[0].addressMask, QStringLiteral("j…@example.com"));
        QCOMPARE(person.contacts[0].locale, QStringLiteral("de"));
        QVERIFY(!person.contacts[0].disabledAt);
        QCOMPARE(person.contacts[1].addressMask, QStringLiteral("…4567"));
        QCOMPARE(person.contacts[1].disabledReason, QStringLiteral("gone"));
        QCOMPARE(int(person.preferences.size()), 1);
        QVERIFY(!person.preferences[0].isAllowed);
        QCOMPARE(int(person.suppressions.size()), 1);
        QCOMPARE(person.suppressions[0].reason, QStringLiteral("complaint"));
        QCOMPARE(int(person.notes.size()), 1);
        QCOMPARE(person.notes[0].text, QStringLiteral("called twice"));
    }

    void person_anAddressOfTwoIsAnsweredWithoutAUser()
    {
        TestDatabase store(test::fetchKind());
        for (const char *user : {"mum", "dad"}) {
            test::insertDeliveries(store, inState(DeliveryState::Accepted, user), QString::fromLatin1(user), 2);
            setAddress(store, QString::fromLatin1(user), Channel::Email, "family@example.com");
        }
        const PersonRecord family = find(store, "family@example.com");
        QVERIFY(family.user.isEmpty());
        QCOMPARE(family.foundBy, QStringLiteral("address"));
        QCOMPARE(int(family.events.size()), 4);
        QVERIFY(family.contacts.empty());
    }

    void person_withoutADeliveryIsFoundByContactOrSuppression()
    {
        TestDatabase store(test::fetchKind());
        store.run("INSERT INTO sendoff_contact (user_id, channel, address) VALUES ('new', 'email', 'new@example.com')");
        store.run("INSERT INTO sendoff_suppression (channel, address_hash, address_mask, reason) VALUES ('email', ?, "
                  "'g…@example.com', 'hard_bounce')",
                  {hashOf(Channel::Email, "gone@example.com")});
        QCOMPARE(int(find(store, "new").contacts.size()), 1);
        QVERIFY(find(store, "new").events.empty());
        QCOMPARE(int(find(store, "gone@example.com").suppressions.size()), 1);
    }
};

QTEST_GUILESS_MAIN(tst_people_queries)
#include "tst_people_queries.moc"
