#include "admin/operation_executor.h"
#include "admin/store_console.h"
#include "domain/delivery.h"
#include "store/delivery_queue.h"
#include "tests/support/store_rows.h"
#include "tests/support/test_database.h"

#include <QSet>
#include <QTest>
#include <QThread>

using namespace sendoff;
using namespace sendoff::admin;
using sendoff::test::insertDelivery;
using sendoff::test::RowSpec;
using sendoff::test::TestDatabase;

namespace {

const QByteArray hashKey("key of the tests");
const QString newAddress = QStringLiteral("new@example.org");

RowSpec deadRow()
{
    RowSpec spec;
    spec.state = DeliveryState::Dead;
    spec.reason = Reason::PermanentRecipient;
    spec.failures = 10;
    spec.attempts = 10;
    spec.code = QStringLiteral("550");
    return spec;
}

OperationRequest editOf(const QString &filter)
{
    OperationRequest request;
    request.verb = QStringLiteral("edit");
    request.filter = *Filter::parse(filter);
    request.actor = QStringLiteral("ana");
    request.armed = Milliseconds(0);
    request.parameters.address = newAddress;
    return request;
}

void runAll(OperationExecutor &executor, store::Database &database)
{
    while (true) {
        const auto done = executor.runOnce(database);
        if (!done)
            qFatal("%s", qPrintable(done.error().message));
        if (*done == 0)
            return;
    }
}

// Stores and runs one; answers its record.
OperationRecord ran(TestDatabase &store, Console &console, const OperationRequest &request)
{
    const auto operation = console.submit(request);
    if (!operation)
        qFatal("%s", qPrintable(operation.error().message));
    OperationExecutor executor(hashKey);
    runAll(executor, store.database());
    return *console.operation(operation->id);
}

QString childOf(TestDatabase &store, const QString &parent)
{
    return store.text("SELECT id FROM sendoff_delivery WHERE parent_id = ?", {parent});
}

std::vector<ClaimedDelivery> claimAll(TestDatabase &store)
{
    if (!store::promoteDue(store.database(), {}, 100))
        qFatal("promote failed");
    store::ClaimRequest request;
    request.provider = QStringLiteral("resend");
    request.holder = QStringLiteral("engine");
    request.bounded = false;
    auto claimed = store::claim(store.database(), request);
    if (!claimed)
        qFatal("%s", qPrintable(claimed.error().message));
    return *claimed;
}

} // namespace

class tst_edits : public QObject
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

    void theEditedCopyTakesTheParentsPlaceInOneCommit()
    {
        TestDatabase store(test::fetchKind());
        test::insertEvent(store, QStringLiteral("e"), EventState::Relayed, R"({"id":9007199254740993,"n":1})");
        RowSpec spec = deadRow();
        spec.event = QStringLiteral("e");
        const QString parent = insertDelivery(store, spec);
        store.run("INSERT INTO sendoff_content (delivery_id, body) VALUES (?, 'the old bytes')", {parent});
        const auto console = makeStoreConsole(store.connect(), hashKey);
        OperationRequest request = editOf(QStringLiteral("id:") + parent);
        request.parameters.locale = QStringLiteral("de");
        request.parameters.payloadPatch = R"({"n":2})";
        const OperationRecord done = ran(store, *console, request);
        QCOMPARE(done.state, QStringLiteral("done"));
        QCOMPARE(done.done, 1);
        const DeliveryKey key{EventId(QStringLiteral("e")), Channel::Email, QStringLiteral("u1"), {}, 1};
        const QString child = deliveryId(key).value;
        QCOMPARE(childOf(store, parent), child);
        const auto childStory = console->story(DeliveryId(child));
        QVERIFY2(childStory.ok(), childStory ? "" : qPrintable(childStory.error().message));
        const DeliveryRecord &record = childStory->delivery;
        QCOMPARE(record.state, DeliveryState::Scheduled);
        QCOMPARE(record.revision, 1);
        QCOMPARE(record.attempts + record.failures + record.claims, 0);
        QCOMPARE(record.addressMask, QStringLiteral("n…@example.org"));
        QVERIFY(!record.possibleDuplicate && record.lastOutcome.isEmpty() && record.lastCode.isEmpty());
        QCOMPARE(childStory->operations.size(), 1U);
        QCOMPARE(store.text("SELECT address_hash FROM sendoff_delivery_hot"),
                 addressHash(Channel::Email, newAddress, hashKey));
        QCOMPARE(store.text("SELECT address_domain FROM sendoff_delivery_hot"), QStringLiteral("example.org"));
        const auto parentStory = console->story(DeliveryId(parent));
        QCOMPARE(parentStory->delivery.state, DeliveryState::Superseded);
        QCOMPARE(parentStory->delivery.reason, Reason::ByEdit);
        QVERIFY(parentStory->delivery.detail.contains(child));
        QCOMPARE(parentStory->delivery.version, 2);
        QCOMPARE(store.text("SELECT detail FROM sendoff_operation_item WHERE delivery_id = ?", {child}),
                 QStringLiteral("replaces delivery ") + parent);
        const auto claimed = claimAll(store);
        QCOMPARE(claimed.size(), 1U);
        QCOMPARE(claimed.front().id.value, child);
        QCOMPARE(claimed.front().payload, QByteArray(R"({"id":9007199254740993,"n":2})"));
        QCOMPARE(claimed.front().address, newAddress);
        QCOMPARE(claimed.front().locale, QStringLiteral("de"));
        QVERIFY(claimed.front().frozen.isEmpty());
        QCOMPARE(store.text("SELECT payload FROM sendoff_event"), QStringLiteral(R"({"id":9007199254740993,"n":1})"));
    }

    void everyStateThatMayStillMatterCanBeEdited_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("refusal");
        const auto add = [](DeliveryState state, const char *refusal = "") {
            QTest::newRow(toText(state).data()) << int(state) << QString::fromLatin1(refusal);
        };
        for (const DeliveryState state : {DeliveryState::Dead, DeliveryState::Unknown, DeliveryState::Held,
                                          DeliveryState::Bounced, DeliveryState::Suppressed, DeliveryState::Cancelled,
                                          DeliveryState::Expired, DeliveryState::Scheduled, DeliveryState::Ready})
            add(state);
        add(DeliveryState::Leased, "it is being sent now");
        add(DeliveryState::Accepted, "it is accepted, which is final");
        add(DeliveryState::Delivered, "it is delivered, which is final");
        add(DeliveryState::Superseded, "it is superseded, which is final");
        add(DeliveryState::Discarded, "it is discarded, which is final");
    }

    void everyStateThatMayStillMatterCanBeEdited()
    {
        QFETCH(int, state);
        QFETCH(QString, refusal);
        TestDatabase store(test::fetchKind());
        RowSpec spec = deadRow();
        spec.state = DeliveryState(state);
        spec.hasUnknown = spec.state == DeliveryState::Unknown;
        const QString parent = insertDelivery(store, spec);
        const qint64 created = store.number("SELECT $ms(ended_at) FROM sendoff_delivery WHERE id = ?", {parent});
        spec = RowSpec();
        insertDelivery(store, spec); // something else that the filter meets
        const auto console = makeStoreConsole(store.connect(), hashKey);
        ran(store, *console, editOf(QStringLiteral("channel:email")));
        const QString child = childOf(store, parent);
        if (!refusal.isEmpty()) {
            QVERIFY(child.isEmpty());
            QCOMPARE(store.text("SELECT detail FROM sendoff_operation_item WHERE delivery_id = ?", {parent}), refusal);
            QCOMPARE(store.number("SELECT lease_token FROM sendoff_delivery WHERE id = ?", {parent}), 1);
            return;
        }
        QVERIFY(!child.isEmpty());
        QCOMPARE(store.text("SELECT state FROM sendoff_delivery_history WHERE id = ?", {parent}),
                 QStringLiteral("superseded"));
        QCOMPARE(store.number("SELECT possible_duplicate FROM sendoff_delivery_hot WHERE id = ?", {child}),
                 DeliveryState(state) == DeliveryState::Unknown ? 1 : 0);
        QCOMPARE(store.number("SELECT has_unknown FROM sendoff_delivery_hot WHERE id = ?", {child}), 0);
        if (created > 0) // what had ended keeps the time of its end
            QCOMPARE(store.number("SELECT $ms(ended_at) FROM sendoff_delivery_history WHERE id = ?", {parent}),
                     created);
        // Run over everything, an edit never meets its own copies.
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery"), 4);
        QCOMPARE(store.number("SELECT max(revision) FROM sendoff_delivery"), 1);
    }

    void theAddressIsCheckedAsTheRelayChecksIt()
    {
        TestDatabase store(test::fetchKind());
        const QString mail = insertDelivery(store, deadRow());
        RowSpec spec = deadRow();
        spec.channel = Channel::Sms;
        const QString text = insertDelivery(store, spec);
        const auto console = makeStoreConsole(store.connect(), hashKey);
        OperationRequest request = editOf(QStringLiteral("state:dead"));
        request.parameters.address = QStringLiteral("+49 151 1234567");
        const auto preview = console->preview(request);
        QVERIFY2(preview.ok(), preview ? "" : qPrintable(preview.error().message));
        QCOMPARE(preview->changeable, 1);
        QCOMPARE(preview->refusals.size(), 1U);
        QVERIFY2(preview->refusals.front().first.startsWith(QStringLiteral("the new address does not fit:")),
                 qPrintable(preview->refusals.front().first));
        QVERIFY(!preview->refusals.front().first.contains(QStringLiteral("1234567")));
        ran(store, *console, request);
        QVERIFY(childOf(store, mail).isEmpty());
        QCOMPARE(store.text("SELECT address FROM sendoff_delivery_hot WHERE parent_id = ?", {text}),
                 QStringLiteral("+491511234567"));
    }

    void whatTheRelayCouldNotAddressIsSentAfterAnEdit()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec = deadRow();
        spec.state = DeliveryState::Suppressed;
        spec.reason = Reason::InvalidAddress;
        spec.provider = QStringLiteral("");
        spec.address = QStringLiteral("");
        const QString parent = insertDelivery(store, spec);
        store.run("UPDATE sendoff_delivery_history SET address_mask = ''");
        const auto console = makeStoreConsole(store.connect(), hashKey);
        ran(store, *console, editOf(QStringLiteral("id:") + parent));
        QCOMPARE(store.text("SELECT detail FROM sendoff_operation_item"),
                 QStringLiteral("no provider carries its channel"));
        store.run(
            "INSERT INTO sendoff_provider (name, channel, kind, priority) VALUES ('other', 'email', 'resend', 2), "
            "('resend', 'email', 'resend', 1)");
        ran(store, *console, editOf(QStringLiteral("id:") + parent));
        QCOMPARE(store.text("SELECT provider FROM sendoff_delivery_hot WHERE parent_id = ?", {parent}),
                 QStringLiteral("resend"));
        OperationRequest locale = editOf(QStringLiteral("state:suppressed"));
        locale.parameters.address.clear();
        locale.parameters.locale = QStringLiteral("fr");
        RowSpec another = spec;
        another.event.clear();
        insertDelivery(store, another);
        store.run("UPDATE sendoff_delivery_history SET address_mask = '' WHERE state = 'suppressed'");
        const auto refused = console->submit(locale);
        QCOMPARE(refused.error().code, ErrorCode::Refused);
        QVERIFY(refused.error().message.contains(QStringLiteral("it has no address; give one")));
    }

    void aSecretIsNeitherChangedNorCopied()
    {
        TestDatabase store(test::fetchKind());
        test::insertEvent(store, QStringLiteral("e"), EventState::Relayed, R"({"login":{"code":"123456"},"n":1})");
        store.run("UPDATE sendoff_event SET secrets = '/login/code'");
        RowSpec spec;
        spec.event = QStringLiteral("e");
        spec.hasSecret = true;
        const QString parent = insertDelivery(store, spec);
        const auto console = makeStoreConsole(store.connect(), hashKey);
        OperationRequest request = editOf(QStringLiteral("id:") + parent);
        for (const QByteArray patch : {R"({"login":{"code":"1"}})", R"({"login":null})"}) {
            request.parameters.payloadPatch = patch;
            ran(store, *console, request);
        }
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation_item WHERE result = 'skipped' AND detail = "
                              "'the change touches a secret of its event'"),
                 2);
        request.parameters.payloadPatch = R"({"n":2})";
        ran(store, *console, request);
        const QString child = childOf(store, parent);
        QVERIFY(!child.isEmpty());
        QVERIFY(!store.text("SELECT payload FROM sendoff_edit").contains(QStringLiteral("123456")));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_event WHERE scrubbed_at IS NOT NULL"), 0); // it still sends
        const auto claimed = claimAll(store);
        QCOMPARE(claimed.size(), 1U);
        QCOMPARE(claimed.front().payload, QByteArray(R"({"login":{"code":"123456"},"n":2})"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_edit"), 1);
        store.run("UPDATE sendoff_event SET scrubbed_at = $now");
        store.run("UPDATE sendoff_delivery_hot SET state = 'held'");
        const auto refused = console->submit(editOf(QStringLiteral("id:") + child));
        QCOMPARE(refused.error().code, ErrorCode::Refused);
        QVERIFY(refused.error().message.contains(QStringLiteral("its secret was scrubbed")));
    }

    void anEditOfAnEditKeepsTheEarlierChanges()
    {
        TestDatabase store(test::fetchKind());
        test::insertEvent(store, QStringLiteral("e"), EventState::Relayed, R"({"a":1,"b":1})");
        RowSpec spec = deadRow();
        spec.event = QStringLiteral("e");
        const QString parent = insertDelivery(store, spec);
        const auto console = makeStoreConsole(store.connect(), hashKey);
        OperationRequest request = editOf(QStringLiteral("id:") + parent);
        request.parameters.payloadPatch = R"({"a":2})";
        ran(store, *console, request);
        const QString child = childOf(store, parent);
        request = editOf(QStringLiteral("id:") + child);
        request.parameters.payloadPatch = R"({"b":2})";
        ran(store, *console, request);
        const QString grandchild = childOf(store, child);
        QCOMPARE(store.number("SELECT revision FROM sendoff_delivery_hot WHERE id = ?", {grandchild}), 2);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_edit"), 1);
        request = editOf(QStringLiteral("id:") + grandchild); // only another address: the payload stays
        request.parameters.address = QStringLiteral("third@example.org");
        ran(store, *console, request);
        const auto claimed = claimAll(store);
        QCOMPARE(claimed.size(), 1U);
        QCOMPARE(claimed.front().payload, QByteArray(R"({"a":2,"b":2})"));
        QCOMPARE(claimed.front().address, QStringLiteral("third@example.org"));
    }

    void whatAnEditHeldInClearIsForgottenWhenItHasEnded_data()
    {
        QTest::addColumn<QString>("ending");
        for (const char *ending : {"done", "undone", "failed"})
            QTest::newRow(ending) << QString::fromLatin1(ending);
    }

    void whatAnEditHeldInClearIsForgottenWhenItHasEnded()
    {
        QFETCH(QString, ending);
        TestDatabase store(test::fetchKind());
        const QString parent = insertDelivery(store, deadRow());
        const auto console = makeStoreConsole(store.connect(), hashKey);
        OperationRequest request = editOf(QStringLiteral("id:") + parent);
        request.parameters.payloadPatch = R"({"plate":"B-XY 1234"})";
        request.armed = ending == QLatin1String("undone") ? Milliseconds(60'000) : Milliseconds(0);
        const auto operation = console->submit(request);
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        const QByteArray stored = "SELECT parameters FROM sendoff_operation";
        QVERIFY(store.text(stored).contains(newAddress));
        if (ending == QLatin1String("undone"))
            QVERIFY(console->undo(operation->id).ok());
        if (ending == QLatin1String("failed"))
            store.run("UPDATE sendoff_operation SET filter = 'planet:mars'");
        OperationExecutor executor(hashKey);
        runAll(executor, store.database());
        executor.countAgain();
        runAll(executor, store.database());
        QCOMPARE(console->operation(operation->id)->state, ending);
        QVERIFY2(!store.text(stored).contains(newAddress) && !store.text(stored).contains(QStringLiteral("1234")),
                 qPrintable(store.text(stored)));
        QVERIFY(store.text(stored).contains(QStringLiteral("n…@example.org")));
    }

    void previewShowsNothingOfAnEditInClear()
    {
        TestDatabase store(test::fetchKind());
        const QString parent = insertDelivery(store, deadRow());
        const auto console = makeStoreConsole(store.connect(), hashKey);
        const auto preview = console->preview(editOf(QStringLiteral("id:") + parent));
        QVERIFY2(preview.ok(), preview ? "" : qPrintable(preview.error().message));
        QCOMPARE(preview->changeable, 1);
        QCOMPARE(preview->samples.size(), 1U);
        QVERIFY(!preview->samples.front().addressMask.contains(QStringLiteral("new@")));
    }

    void anEditThatIsRacedByAClaimHappensWhollyOrNotAtAll()
    {
        TestDatabase store(test::fetchKind());
        RowSpec spec;
        test::insertDeliveries(store, spec, QStringLiteral("d"), 400);
        const auto console = makeStoreConsole(store.connect(), hashKey);
        const auto operation = console->submit(editOf(QStringLiteral("channel:email")));
        QVERIFY2(operation.ok(), operation ? "" : qPrintable(operation.error().message));
        QSet<QString> claimedIds;
        const std::unique_ptr<QThread> claimer(QThread::create([&] {
            const auto database = store.connect();
            store::ClaimRequest request;
            request.provider = QStringLiteral("resend");
            request.holder = QStringLiteral("engine");
            request.bounded = false;
            request.limit = 7;
            for (int round = 0; round < 25; ++round) {
                if (const auto claimed = store::claim(*database, request)) {
                    for (const ClaimedDelivery &each : *claimed)
                        claimedIds.insert(each.id.value);
                }
            }
        }));
        claimer->start();
        OperationExecutor executor(hashKey);
        runAll(executor, store.database());
        QVERIFY(claimer->wait(120'000));
        runAll(executor, store.database());
        const auto ended = console->operation(operation->id);
        QCOMPARE(ended->state, QStringLiteral("done"));
        QCOMPARE(ended->done, store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE parent_id IS NOT NULL"));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_delivery_history WHERE state = 'superseded'"), ended->done);
        for (const QString &id : claimedIds) {
            QCOMPARE(store.text("SELECT state FROM sendoff_delivery WHERE id = ?", {id}), QStringLiteral("leased"));
            QVERIFY(childOf(store, id).isEmpty());
        }
        QCOMPARE(qint64(claimedIds.size()) + ended->done, 400);
    }

    void editsThatCantBeMeantAreRefused()
    {
        TestDatabase store(test::fetchKind());
        const QString parent = insertDelivery(store, deadRow());
        const auto console = makeStoreConsole(store.connect(), hashKey);
        const auto refuses = [&](const char *word, const auto &change) {
            OperationRequest request = editOf(QStringLiteral("id:") + parent);
            change(request.parameters);
            const auto answer = console->submit(request);
            return !answer && answer.error().code == ErrorCode::Invalid &&
                   answer.error().message.contains(QLatin1String(word));
        };
        QVERIFY(refuses("payload_patch", [](auto &parameters) { parameters.address.clear(); }));
        QVERIFY(refuses("payload_patch", [](auto &parameters) { parameters.payloadPatch = "[1]"; }));
        QVERIFY(refuses("payload_patch", [](auto &parameters) { parameters.payloadPatch = "{"; }));
        QVERIFY(refuses("locale", [](auto &parameters) { parameters.locale = QStringLiteral("d e"); }));
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);
    }
};

QTEST_GUILESS_MAIN(tst_edits)
#include "tst_edits.moc"
