#include "tests/support/engine_fixture.h"

#include <QFile>
#include <QFileInfo>
#include <QTest>

using namespace sendoff;
using sendoff::test::EngineFixture;
using sendoff::test::TestDatabase;

namespace {

constexpr int patience = 60'000;
const QString resend = QStringLiteral("resend");

void append(const QString &path, const QByteArray &text)
{
    QFile file(path);
    if (!file.open(QIODevice::Append) || file.write(text) != text.size())
        qFatal("a test file can't be written");
}

QByteArray baseUrl(EngineFixture &fixture)
{
    return "http://127.0.0.1:" + QByteArray::number(fixture.sandbox().port());
}

void addPostmark(EngineFixture &fixture, int priority)
{
    append(fixture.configurationFile(),
           "[providers.postmark]\nkind = \"postmark\"\nchannel = \"email\"\nfrom = \"Test <test@example.com>\"\n"
           "base_url = \"" +
               baseUrl(fixture) +
               "\"\napi_key = { env = \"SENDOFF_TEST_KEY\" }\ntimeout = \"2s\"\nrate = \"1000/s\"\nburst = 1000\n"
               "priority = " +
               QByteArray::number(priority) + "\n");
}

// Events of type "hook" go by webhook to /url, one request at a time.
void addWebhooks(EngineFixture &fixture)
{
    const QString folder = QFileInfo(fixture.configurationFile()).path();
    append(folder + QStringLiteral("/catalogue.toml"),
           "[[event]]\ntype = \"hook\"\ncategory = \"notes\"\nexpires = \"24h\"\n"
           "notify = [ { role = \"system\", webhook = \"/url\", channels = [\"webhook\"], template = \"note\" } ]\n");
    append(folder + QStringLiteral("/templates/note/webhook.en.mustache"),
           "{\"type\":\"note\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"data\":{\"n\":{{n}}}}\n");
    append(fixture.configurationFile(),
           "[providers.hooks]\nkind = \"webhook\"\nchannel = \"webhook\"\nrate = \"1000/s\"\nburst = 1000\nslots = 1\n"
           "timeout = \"2s\"\nsigning_secrets = [{ env = \"SENDOFF_TEST_SIGNING\" }]\n"
           "[providers.hooks.options]\nallow_http = \"true\"\nallow_private = \"true\"\nports = \"" +
               QByteArray::number(fixture.sandbox().port()) + "\"\n");
}

const QStringList hookEnvironment{
    QStringLiteral("SENDOFF_TEST_SIGNING=whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")};

QByteArray hookTo(EngineFixture &fixture, const QByteArray &path)
{
    return ",\"url\":\"" + baseUrl(fixture) + "/webhooks/" + path + '"';
}

} // namespace

// Limits, order and the truth about outcomes, with the built program over real sockets. Waits are limits for a machine
// that is busy, not claims about speed.
class tst_flow : public QObject
{
    Q_OBJECT

    static void end(EngineFixture &fixture, std::initializer_list<QProcess *> engines)
    {
        for (QProcess *engine : engines) {
            fixture.terminate(*engine);
            QCOMPARE(fixture.ended(*engine), 0);
        }
    }
    static void emitFor(EngineFixture &fixture, const QString &tenant, const char *lane, const QString &prefix,
                        int count, bool hasKeys = false)
    {
        QVERIFY(fixture.database()
                    .database()
                    .write([&](store::Session &session) {
                        for (int each = 0; each < count; ++each) {
                            const QString id = prefix + QString::number(each);
                            session.run("INSERT INTO sendoff_event (id, type, tenant, lane, supersedes_key, payload) "
                                        "VALUES (?, 'note', ?, ?, ?, ?)",
                                        {id, tenant, QString::fromLatin1(lane),
                                         hasKeys ? QVariant(QStringLiteral("campaign-") + id) : QVariant(),
                                         QStringLiteral("{\"n\":1,\"to\":\"%1@example.com\"}").arg(id)});
                        }
                    })
                    .ok());
    }
    // Which place among all messages a recipient's has; -1: not sent yet.
    static int placeOf(EngineFixture &fixture, const QString &recipient)
    {
        const auto messages = fixture.sandbox().messages();
        for (size_t place = 0; place < messages.size(); ++place) {
            if (messages[place].to.contains(recipient))
                return int(place);
        }
        return -1;
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

    void FLOW_02_aFloodHoldsUpNeitherAnotherTenantNorItsOwnUrgentMail_data()
    {
        QTest::addColumn<bool>("hasKeys");
        QTest::newRow("one flood") << false;
        QTest::newRow("split over as many keys") << true;
    }

    void FLOW_02_aFloodHoldsUpNeitherAnotherTenantNorItsOwnUrgentMail()
    {
        QFETCH(bool, hasKeys);
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.emailLimits = "rate = \"50/s\"\nburst = 5\n";
        fixture.configure(settings);
        emitFor(fixture, QStringLiteral("a"), "bulk", QStringLiteral("flood"), 600, hasKeys);
        auto one = fixture.start();
        auto two = fixture.start();
        QTRY_VERIFY_WITH_TIMEOUT(fixture.sandbox().stats().accepted >= 30, patience);
        emitFor(fixture, QStringLiteral("b"), "bulk", QStringLiteral("single"), 1);
        emitFor(fixture, QStringLiteral("a"), "urgent", QStringLiteral("reset"), 1);
        const int before = int(fixture.sandbox().stats().accepted);
        QTRY_VERIFY_WITH_TIMEOUT(placeOf(fixture, QStringLiteral("single0")) >= 0 &&
                                     placeOf(fixture, QStringLiteral("reset0")) >= 0,
                                 patience);
        // Five seconds of this rate; a first-in-first-out queue would have put it behind all six hundred.
        QVERIFY2(placeOf(fixture, QStringLiteral("single0")) < before + 250,
                 QByteArray::number(placeOf(fixture, QStringLiteral("single0")) - before).constData());
        QVERIFY2(placeOf(fixture, QStringLiteral("reset0")) < before + 250,
                 QByteArray::number(placeOf(fixture, QStringLiteral("reset0")) - before).constData());
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 602, patience);
        end(fixture, {one.get(), two.get()});
    }

    void FLOW_04_aDaysLimitIsExactOverEnginesInDifferentTimeZones()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.emailLimits = "rate = \"20000/s\"\nburst = 20000\ndaily = 100\n";
        fixture.configure(settings);
        // Ten requests fail after the quota was taken: they count, since the provider may have counted them.
        QVERIFY(fixture.sandbox().setScript(R"([{"action": {"status": 503}, "times": 10}])").ok());
        fixture.emitEvents(150);
        auto one = fixture.start({QStringLiteral("run")}, {QStringLiteral("TZ=Pacific/Kiritimati")});
        auto two = fixture.start({QStringLiteral("run")}, {QStringLiteral("TZ=Pacific/Pago_Pago")});
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 90, patience);
        // Both have looked again since, and found the day spent.
        fixture.emitEvents(1, "memo");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("delivered"), 1, patience);
        QCOMPARE(fixture.sandbox().stats().requests, 100);
        QCOMPARE(fixture.database().number("SELECT day_used FROM sendoff_provider WHERE name = 'resend'"), 100);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_delivery_hot WHERE state <> 'leased'"), 60);
        QCOMPARE(fixture.database().number("SELECT sum(attempts) FROM sendoff_delivery_hot"), 10);
        QCOMPARE(fixture.countState("dead"), 0);
        // The next day.
        fixture.database().run("UPDATE sendoff_provider SET day = '2001-01-01' WHERE name = 'resend'");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 150, patience);
        QCOMPARE(fixture.sandbox().stats().requests, 160);
        QCOMPARE(fixture.database().number("SELECT day_used FROM sendoff_provider WHERE name = 'resend'"), 60);
        end(fixture, {one.get(), two.get()});
    }

    void HOOK_01_aDestinationIsGivenUpAtItsTwentiethFailureInARow()
    {
        EngineFixture fixture(test::fetchKind());
        addWebhooks(fixture);
        // Nineteen failures, a success, and then nothing but failures, with retries of old rows among new ones.
        QVERIFY(fixture.sandbox()
                    .setScript(R"([{"match": {"path": "/webhooks/bad", "nth": 20}, "action": {"status": 200}},
                                   {"match": {"path": "/webhooks/bad"}, "action": {"status": 500}}])")
                    .ok());
        fixture.emitEvents(8, "hook", hookTo(fixture, "bad"));
        auto engine = fixture.start({QStringLiteral("run")}, hookEnvironment);
        QTRY_COMPARE_WITH_TIMEOUT(
            fixture.database().number("SELECT count(*) FROM sendoff_suppression WHERE channel = 'webhook'"), 1,
            patience);
        // It rests for a day, and then the count begins anew.
        QCOMPARE(fixture.database().number("SELECT max(failures) FROM sendoff_destination"), 0);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_suppression WHERE expires_at > $now"), 1);
        // What comes now is kept and said, not sent; another destination of the same provider is not held up.
        fixture.emitEvents(30, "hook", hookTo(fixture, "bad"));
        fixture.emitEvents(5, "hook", hookTo(fixture, "good"));
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 6, patience);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("suppressed"), 37, patience);
        QCOMPARE(fixture.sandbox().stats().requests, 40 + 5);
        QCOMPARE(fixture.database().text("SELECT breaker FROM sendoff_provider WHERE name = 'hooks'"),
                 QStringLiteral("closed"));
        end(fixture, {engine.get()});
    }

    void HOOK_01_goneIsGivenUpAtOnce()
    {
        EngineFixture fixture(test::fetchKind());
        addWebhooks(fixture);
        QVERIFY(
            fixture.sandbox().setScript(R"([{"match": {"path": "/webhooks/gone"}, "action": {"status": 410}}])").ok());
        fixture.emitEvents(1, "hook", hookTo(fixture, "gone"));
        auto engine = fixture.start({QStringLiteral("run")}, hookEnvironment);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("dead"), 1, patience);
        fixture.emitEvents(10, "hook", hookTo(fixture, "gone"));
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("suppressed"), 10, patience);
        QCOMPARE(fixture.sandbox().stats().requests, 1);
        end(fixture, {engine.get()});
    }

    void aPersonsPauseAndLimitHoldOnEveryEngine()
    {
        EngineFixture fixture(test::fetchKind());
        TestDatabase &store = fixture.database();
        auto one = fixture.start();
        auto two = fixture.start();
        fixture.waitUntilRegistered(*one);
        fixture.waitUntilRegistered(*two);
        fixture.emitEvents(1);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        // Two seconds of the database's clock after the change, every engine knows it.
        const auto change = [&](const QByteArray &assignments) {
            store.run("UPDATE sendoff_provider SET " + assignments + ", changed_at = $now WHERE name = 'resend'");
            QTRY_VERIFY_WITH_TIMEOUT(store.number("SELECT count(*) FROM sendoff_provider WHERE name = 'resend' AND "
                                                  "changed_at <= $now_plus(-2000)") == 1,
                                     patience);
        };
        change("paused = 1");
        fixture.emitEvents(20);
        fixture.emitEvents(5, "memo"); // what comes after it is done, so that both have looked
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("delivered"), 5, patience);
        QCOMPARE(fixture.sandbox().stats().requests, 1);
        QCOMPARE(fixture.countState("ready"), 20);
        // One message now, and the next in an hour.
        change("paused = 0, override_step_us = 3600000000, tat_us = 0, override_until = $now_plus(3600000)");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.sandbox().stats().requests, 2, patience);
        fixture.emitEvents(5, "memo");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("delivered"), 10, patience);
        QCOMPARE(fixture.sandbox().stats().requests, 2);
        QCOMPARE(fixture.countState("ready"), 19);
        // Lifted: nobody waits for the hour that was begun.
        store.run("UPDATE sendoff_provider SET override_until = $now WHERE name = 'resend'");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 21, patience);
        QCOMPARE(fixture.sandbox().stats().requests, 21);
        end(fixture, {one.get(), two.get()});
    }

    void aWrongKeySendsThroughTheSecondProviderUntilItIsMended()
    {
        EngineFixture fixture(test::fetchKind());
        addPostmark(fixture, 2);
        QVERIFY(
            fixture.sandbox()
                .setScript(R"([{"match": {"path": "/emails"}, "action": {"status": 401, "error": "invalid_api_key"}}])")
                .ok());
        auto one = fixture.start();
        auto two = fixture.start();
        fixture.waitUntilRegistered(*one);
        fixture.waitUntilRegistered(*two);
        fixture.emitEvents(40);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 40, patience);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_delivery WHERE provider = 'postmark'"), 40);
        QCOMPARE(fixture.database().number("SELECT sum(rows_moved) FROM sendoff_failover"), 40);
        QCOMPARE(fixture.database().number("SELECT sum(failures) FROM sendoff_delivery"), 0);
        QCOMPARE(fixture.database().text("SELECT breaker FROM sendoff_provider WHERE name = 'resend'"),
                 QStringLiteral("open"));
        // Mended: the next message is the probe, and its answer closes the breaker.
        QVERIFY(fixture.sandbox().setScript("[]").ok());
        fixture.database().run("UPDATE sendoff_provider SET breaker_until = $now WHERE name = 'resend'");
        fixture.emitEvents(1);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.database().text("SELECT breaker FROM sendoff_provider WHERE name = 'resend'"),
                                  QStringLiteral("closed"), patience);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 41, patience);
        fixture.emitEvents(5);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 46, patience);
        QCOMPARE(fixture.database().number("SELECT count(*) FROM sendoff_delivery WHERE provider = 'resend'"), 6);
        QCOMPARE(fixture.sandbox().stats().accepted, 46);
        end(fixture, {one.get(), two.get()});
    }

    void aSendWhoseAnswerWasLostIsFoundByAskingAndNotRepeated()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.emailLimits += "priority = 2\n";
        fixture.configure(settings);
        addPostmark(fixture, 1);
        append(fixture.configurationFile(), "[lanes.normal]\non_unknown = \"hold\"\n");
        QVERIFY(fixture.sandbox()
                    .setScript(R"([{"match": {"path": "/email"}, "action": {"accept_then_drop": true}, "times": 1}])")
                    .ok());
        auto one = fixture.start();
        auto two = fixture.start();
        fixture.waitUntilRegistered(*two);
        fixture.emitEvents(1);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted") + fixture.countState("delivered"), 1, patience);
        QCOMPARE(fixture.sandbox().stats().accepted, 1);
        QCOMPARE(fixture.database().number("SELECT attempts FROM sendoff_delivery"), 1);
        QCOMPARE(fixture.database().text("SELECT outcome FROM sendoff_attempt"), QStringLiteral("unknown"));
        QCOMPARE(fixture.database().number("SELECT has_unknown FROM sendoff_delivery"), 0);
        QCOMPARE(fixture.database().text("SELECT source FROM sendoff_receipt"), QStringLiteral("asked"));
        QVERIFY(!fixture.database().text("SELECT provider_message_id FROM sendoff_delivery").isEmpty());
        end(fixture, {one.get(), two.get()});
    }

    void aSendThatNeverArrivedIsKnownByAskingAndSentOnce()
    {
        EngineFixture fixture(test::fetchKind());
        EngineFixture::Settings settings;
        settings.emailLimits += "priority = 2\n";
        fixture.configure(settings);
        addPostmark(fixture, 1);
        append(fixture.configurationFile(), "[lanes.normal]\non_unknown = \"hold\"\n");
        QVERIFY(fixture.sandbox()
                    .setScript(R"([{"match": {"path": "/email"}, "action": {"drop_after_read": true}, "times": 1}])")
                    .ok());
        TestDatabase &store = fixture.database();
        auto one = fixture.start();
        auto two = fixture.start();
        fixture.waitUntilRegistered(*two);
        fixture.emitEvents(1);
        // Asked at once: "no" proves nothing yet.
        QTRY_COMPARE_WITH_TIMEOUT(store.number("SELECT count(*) FROM sendoff_question WHERE asked = 1"), 1, patience);
        QCOMPARE(fixture.countState("held"), 1);
        QCOMPARE(fixture.sandbox().stats().accepted, 0);
        // Ten minutes later it does.
        store.run("UPDATE sendoff_delivery_hot SET handed_at = $now_plus(-600000), first_handed_at = "
                  "$now_plus(-600000)");
        store.run("UPDATE sendoff_question SET ask_at = $now");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 1, patience);
        QCOMPARE(fixture.sandbox().stats().accepted, 1);
        QCOMPARE(store.number("SELECT attempts FROM sendoff_delivery"), 2);
        QCOMPARE(store.number("SELECT possible_duplicate FROM sendoff_delivery"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_question"), 0);
        end(fixture, {one.get(), two.get()});
    }

    void receiptsOfPushMessagesAreFetched()
    {
        EngineFixture fixture(test::fetchKind());
        TestDatabase &store = fixture.database();
        QVERIFY(fixture.sandbox()
                    .setScript(R"([{"match": {"token": "ExponentPushToken[late]"},
                                    "action": {"receipt": "DeviceNotRegistered"}}])")
                    .ok());
        for (const char *token : {"ExponentPushToken[fine]", "ExponentPushToken[late]"})
            store.run("INSERT INTO sendoff_contact (user_id, channel, address) VALUES ('u0', 'push', ?)",
                      {QString::fromLatin1(token)});
        fixture.emitEvents(1, "ping");
        auto engine = fixture.start();
        QTRY_COMPARE_WITH_TIMEOUT(fixture.countState("accepted"), 2, patience);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_question"), 0); // too early
        store.run("UPDATE sendoff_delivery_history SET ended_at = $now_plus(-960000)");
        // "ok" means that Apple or Google took it: that is kept, and is not arrival.
        QTRY_COMPARE_WITH_TIMEOUT(
            store.number("SELECT count(*) FROM sendoff_receipt WHERE source = 'asked' AND applied_at IS NOT NULL"), 2,
            patience);
        QCOMPARE(fixture.countState("accepted"), 1);
        QCOMPARE(fixture.countState("bounced"), 1);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_suppression WHERE channel = 'push'"), 1);
        QTRY_COMPARE_WITH_TIMEOUT(store.number("SELECT count(*) FROM sendoff_question"), 0, patience);
        end(fixture, {engine.get()});
    }
};

QTEST_GUILESS_MAIN(tst_flow)
#include "tst_flow.moc"
