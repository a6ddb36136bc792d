#include "store/audit_store.h"
#include "store/published_sets.h"
#include "tests/support/test_database.h"

#include <QTest>
#include <QThread>

using namespace sendoff;
using namespace sendoff::store;
using sendoff::test::TestDatabase;

namespace {

PublishedSet setWith(const QByteArray &text)
{
    PublishedSet set;
    EventType type;
    type.type = QStringLiteral("booking.confirmed");
    type.category = QStringLiteral("bookings");
    type.secrets = {QStringLiteral("/code")};
    NotifyRule rule;
    rule.role = QStringLiteral("driver");
    rule.user = QStringLiteral("/driver/id");
    rule.channels = {Channel::Email, Channel::Push};
    rule.addresses.insert(Channel::Email, QStringLiteral("/driver/email"));
    rule.templateName = QStringLiteral("booking-confirmed-driver");
    type.notify.push_back(rule);
    set.catalogue.types.insert(type.type, type);
    set.templates.insert(QStringLiteral("booking-confirmed-driver/email.en.mustache"), text);
    set.templates.insert(QStringLiteral("booking-confirmed-driver/email.de.mustache"), "Grüße, \"{{name}}\" \\ 😀 '\n");
    return set;
}

const QString ana = QStringLiteral("ana");

// PostgreSQL stamps the login.
QString actorOf(TestDatabase &store, const QString &name)
{
    return store.database().isPostgreSql() ? store.url().user : name;
}

} // namespace

class tst_published_sets : public QObject
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

    void publish_keepsEveryByteAndAuditsIt()
    {
        TestDatabase store(test::fetchKind());
        QCOMPARE(publishedSet(store.database(), 0).error().code, ErrorCode::NotFound);
        QCOMPARE(*currentPublishedSet(store.database()), 0);
        const PublishedSet written = setWith("Hello {{name}}\n");
        const auto row = publish(store.database(), written, ana, QStringLiteral("first"));
        QVERIFY2(row.ok(), row ? "" : qPrintable(row.error().message));
        QCOMPARE(row->hash, written.hash());
        QCOMPARE(row->actor, actorOf(store, ana));
        QCOMPARE(row->note, QStringLiteral("first"));
        const auto read = publishedSet(store.database(), 0);
        QVERIFY2(read.ok(), read ? "" : qPrintable(read.error().message));
        QCOMPARE(read->id, row->id);
        QCOMPARE(read->templates, written.templates);
        QCOMPARE(read->catalogue.toJson(), written.catalogue.toJson());
        QCOMPARE(*currentPublishedSet(store.database()), row->id);
        const auto audit = auditRows(store.database(), 0, 10);
        QCOMPARE(audit->size(), 1U);
        QCOMPARE(audit->front().action, QStringLiteral("publish"));
        QCOMPARE(audit->front().actor, actorOf(store, ana));
    }

    void publish_ofTheSameSetAnswersTheFirst()
    {
        TestDatabase store(test::fetchKind());
        const auto first = publish(store.database(), setWith("a"), ana, {});
        QVERIFY(first.ok());
        const auto again = publish(store.database(), setWith("a"), QStringLiteral("ben"), {});
        QCOMPARE(again->id, first->id);
        QCOMPARE(again->actor, actorOf(store, ana));
        QCOMPARE(publications(store.database(), 10)->size(), 1U);
        // An older set published again is new: the newest row says what engines use.
        QVERIFY(publish(store.database(), setWith("b"), ana, {}).ok());
        QVERIFY(publish(store.database(), setWith("a"), ana, {})->id > first->id);
        QCOMPARE(publications(store.database(), 10)->size(), 3U);
        QCOMPARE(publications(store.database(), 2)->size(), 2U);
    }

    void publish_fromFourProcessesAtOnceStoresOne()
    {
        TestDatabase store(test::fetchKind());
        std::atomic<int> good = 0;
        std::vector<std::unique_ptr<QThread>> threads;
        for (int each = 0; each < 4; ++each) {
            threads.emplace_back(QThread::create([&] {
                auto database = store.connect();
                if (publish(*database, setWith("a"), ana, {}))
                    ++good;
            }));
        }
        for (auto &thread : threads)
            thread->start();
        for (auto &thread : threads)
            QVERIFY(thread->wait(60'000));
        QCOMPARE(good.load(), 4);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_published_set"), 1);
    }

    void revert_bringsTheSetBeforeBack()
    {
        TestDatabase store(test::fetchKind());
        QCOMPARE(revertPublication(store.database(), ana, {}).error().code, ErrorCode::NotFound);
        const auto first = publish(store.database(), setWith("a"), ana, {});
        QCOMPARE(revertPublication(store.database(), ana, {}).error().code, ErrorCode::NotFound);
        QVERIFY(publish(store.database(), setWith("b"), ana, {}).ok());
        const auto reverted = revertPublication(store.database(), QStringLiteral("ben"), QStringLiteral("broken"));
        QVERIFY(reverted.ok());
        QCOMPARE(reverted->hash, first->hash);
        QCOMPARE(publishedSet(store.database(), 0)->templates, setWith("a").templates);
        QCOMPARE(publishedSet(store.database(), 0)->id, reverted->id);
        QCOMPARE(publishedSet(store.database(), 999).error().code, ErrorCode::NotFound);
    }

    void aSetThatWasTamperedWithIsNotUsed()
    {
        TestDatabase store(test::fetchKind());
        QVERIFY(publish(store.database(), setWith("a"), ana, {}).ok());
        store.run("UPDATE sendoff_published_set SET templates = replace(templates, 'name', 'nome')");
        QCOMPARE(publishedSet(store.database(), 0).error().code, ErrorCode::Corrupt);
    }

    void brokenUtf8IsRefusedWithTheTemplatesName()
    {
        TestDatabase store(test::fetchKind());
        const auto done = publish(store.database(), setWith("a\xff"), ana, {});
        QCOMPARE(done.error().code, ErrorCode::Invalid);
        QVERIFY(done.error().message.contains(QStringLiteral("email.en.mustache")));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_published_set"), 0);
    }
};

QTEST_GUILESS_MAIN(tst_published_sets)
#include "tst_published_sets.moc"
