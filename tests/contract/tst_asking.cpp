// Asking providers later, and the stand-ins of the sandbox against the senders that they stand in for.
#include "channel/http_sender.h"
#include "sandbox/sandbox_thread.h"
#include "tests/support/provider_stub.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <atomic>

using namespace sendoff;
using namespace sendoff::channel;
using support::ProviderStub;
using support::StubConnection;
using support::StubIdentity;
using Found = FoundMessage::Found;

namespace {

ProviderSettings expo(const QUrl &base)
{
    ProviderSettings settings;
    settings.name = settings.kind = QStringLiteral("expo");
    settings.channel = Channel::Push;
    settings.baseUrl = base;
    settings.apiKey = "expo-key-0123456789";
    return settings;
}

std::vector<OpenQuestion> questions(int count)
{
    std::vector<OpenQuestion> made;
    for (int i = 0; i < count; ++i) {
        const QString ticket = QStringLiteral("ticket-%1").arg(i);
        made.push_back({DeliveryId(QStringLiteral("delivery-%1").arg(i)),
                        ticket,
                        QStringLiteral("ExponentPushToken[device-%1]").arg(i),
                        {}});
    }
    return made;
}

struct Asked
{
    std::atomic_int times = 0;
    std::vector<FoundMessage> found;
};

std::shared_ptr<Asked> ask(Sender &sender, const ProviderSettings &settings, const std::vector<OpenQuestion> &list)
{
    auto asked = std::make_shared<Asked>();
    sender.ask(settings, list, [asked](std::vector<FoundMessage> found) {
        asked->found = std::move(found);
        ++asked->times;
    });
    return asked;
}

std::vector<FoundMessage> answersTo(Sender &sender, const ProviderSettings &settings,
                                    const std::vector<OpenQuestion> &list)
{
    const auto asked = ask(sender, settings, list);
    if (!QTest::qWaitFor([&asked] { return asked->times > 0; }, 30'000))
        qFatal("no answer came");
    return asked->found;
}

AttemptResult resultOf(Sender &sender, const ProviderSettings &settings, const std::vector<OutgoingItem> &items)
{
    auto done = std::make_shared<std::atomic_bool>(false);
    auto result = std::make_shared<AttemptResult>();
    sender.send(settings, items, [done, result](const std::vector<AttemptResult> &given) {
        *result = given.front();
        *done = true;
    });
    if (!QTest::qWaitFor([&done] { return done->load(); }, 30'000))
        qFatal("no result came");
    return *result;
}

std::vector<OutgoingItem> itemFor(const ProviderSettings &settings, const QString &address, const QString &text)
{
    RenderedMessage message;
    message.channel = settings.channel;
    message.text = text;
    const DeliveryId id(QStringLiteral("00000000-0000-5000-8000-000000000001"));
    const auto body = providerKind(settings.kind)->compose(settings, message, address, id);
    if (!body)
        qFatal("the test's message can't be composed: %s", qPrintable(body.error().message));
    return {{id, *body, address}};
}

bool areAll(const std::vector<FoundMessage> &found, Found expected)
{
    return std::all_of(found.begin(), found.end(), [expected](const auto &each) { return each.found == expected; });
}

} // namespace

class TestAsking : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void manyQuestions_goInPartsAndKeepTheirOrder();
    void failures_leaveQuestionsOpen();
    void kindThatCantBeAsked_saysSo();
    void secretsAndAddresses_areRemovedFromReceipts();
    void cancelAll_endsEveryPart();
    void senderThatAsksNobody_leavesQuestionsOpen();

    void sandboxExpo_answersForTheTicketsItGave();
    void sandboxFcm_givesTokensAndTakesMessages();
    void sandboxWebhooks_takeARepeatOnce();
};

void TestAsking::manyQuestions_goInPartsAndKeepTheirOrder()
{
    ProviderStub stub([](StubConnection &connection, int) {
        while (const auto request = connection.readRequest()) {
            QJsonObject data;
            for (const QJsonValue &id : QJsonDocument::fromJson(request->body)[QStringLiteral("ids")].toArray()) {
                const bool isGone = id.toString() == QLatin1String("ticket-450");
                if (isGone)
                    data[id.toString()] =
                        QJsonObject{{QStringLiteral("status"), QStringLiteral("error")},
                                    {QStringLiteral("details"),
                                     QJsonObject{{QStringLiteral("error"), QStringLiteral("DeviceNotRegistered")}}}};
                else if (id.toString() != QLatin1String("ticket-301"))
                    data[id.toString()] = QJsonObject{{QStringLiteral("status"), QStringLiteral("ok")}};
            }
            connection.answer(200, QJsonDocument(QJsonObject{{QStringLiteral("data"), data}}).toJson());
        }
    });
    const auto found = answersTo(*makeHttpSender({}), expo(stub.url(QStringLiteral("/"))), questions(650));
    QCOMPARE(stub.receptions(), 3); // 300, 300, 50
    QVERIFY(stub.requests().front().head.startsWith("POST /--/api/v2/push/getReceipts "));
    QCOMPARE(stub.requests().front().header("Authorization"), QByteArray("Bearer expo-key-0123456789"));
    QCOMPARE(found.size(), size_t(650));
    for (size_t i = 0; i < found.size(); ++i) {
        QVERIFY(found[i].found == (i == 301 ? Found::Unclear : Found::Yes));
        if (i == 301)
            continue;
        QCOMPARE(toText(found[i].receipt->kind), toText(i == 450 ? ReceiptKind::BouncedHard : ReceiptKind::Sent));
        QCOMPARE(found[i].receipt->delivery.value, QStringLiteral("delivery-%1").arg(i));
    }
    QVERIFY(answersTo(*makeHttpSender({}), expo(stub.url(QStringLiteral("/"))), {}).empty());
    QCOMPARE(stub.receptions(), 3); // nobody is asked about nothing
}

void TestAsking::failures_leaveQuestionsOpen()
{
    ProviderStub failing(ProviderStub::always(503, "<html>"));
    ProviderStub silent([](StubConnection &connection, int) {
        if (connection.readRequest())
            connection.waitForPeer();
    });
    const auto sender = makeHttpSender({});
    for (const QUrl &base : {failing.url(QStringLiteral("/")), silent.url(QStringLiteral("/")),
                             QUrl(QStringLiteral("http://127.0.0.1:1/")), QUrl(QStringLiteral("http://x.invalid/"))}) {
        ProviderSettings settings = expo(base);
        settings.timeout = Milliseconds(500);
        const auto found = answersTo(*sender, settings, questions(2));
        QCOMPARE(found.size(), size_t(2));
        QVERIFY(areAll(found, Found::Unclear)); // "No" would be a proof
        QVERIFY(!found.front().why.isEmpty() && !found.front().receipt);
    }
}

void TestAsking::kindThatCantBeAsked_saysSo()
{
    ProviderSettings settings = expo(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    for (const char *kind : {"webhook", "fcm", "http", "pigeon"}) {
        settings.kind = QString::fromLatin1(kind);
        const auto found = answersTo(*makeHttpSender({}), settings, questions(2));
        QCOMPARE(found.size(), size_t(2));
        QVERIFY(areAll(found, Found::Unclear));
        QVERIFY(!found.front().why.isEmpty());
    }
}

void TestAsking::secretsAndAddresses_areRemovedFromReceipts()
{
    const QByteArray text = "the key expo-key-0123456789 may not write to ExponentPushToken[device-0]";
    ProviderStub stub(ProviderStub::always(200, R"({"data":{"ticket-0":{"status":"error","message":")" + text +
                                                    R"(","details":{"error":"X"}}}})"));
    const auto found = answersTo(*makeHttpSender({}), expo(stub.url(QStringLiteral("/"))), questions(1));
    const QString detail = found.front().receipt->detail;
    QVERIFY(detail.contains(QStringLiteral("may not write to")));
    QVERIFY(!detail.contains(QStringLiteral("0123456789")));
    QVERIFY(!detail.contains(QStringLiteral("device-0")));
}

void TestAsking::cancelAll_endsEveryPart()
{
    ProviderStub silent([](StubConnection &connection, int) {
        if (connection.readRequest())
            connection.waitForPeer();
    });
    const ProviderSettings settings = expo(silent.url(QStringLiteral("/")));
    const auto sender = makeHttpSender({});
    const auto asked = ask(*sender, settings, questions(700));
    QTRY_COMPARE_WITH_TIMEOUT(silent.receptions(), 1, 30'000);
    sender->cancelAll();
    QCOMPARE(asked->times.load(), 1);
    QCOMPARE(asked->found.size(), size_t(700));
    QVERIFY(areAll(asked->found, Found::Unclear));
    QCOMPARE(silent.receptions(), 1); // the parts that were left were not asked

    const auto late = ask(*sender, settings, questions(700));
    QTRY_COMPARE_WITH_TIMEOUT(silent.receptions(), 2, 30'000); // it goes on working
    sender->cancelAll();
    QCOMPARE(late->times.load(), 1);
}

void TestAsking::senderThatAsksNobody_leavesQuestionsOpen()
{
    class Silent final : public Sender
    {
        void send(const ProviderSettings &, std::vector<OutgoingItem>, Done) override {}
        void cancelAll() override {}
    } sender;
    const auto asked = ask(sender, {}, questions(2));
    QCOMPARE(asked->times.load(), 1);
    QCOMPARE(asked->found.size(), size_t(2));
    QVERIFY(areAll(asked->found, Found::Unclear));
}

namespace {

QUrl baseOf(const sandbox::SandboxThread &thread)
{
    return QUrl(QStringLiteral("http://127.0.0.1:%1/").arg(thread.port()));
}

} // namespace

void TestAsking::sandboxExpo_answersForTheTicketsItGave()
{
    sandbox::SandboxThread thread;
    QVERIFY(thread.listen().ok());
    const auto sender = makeHttpSender({});
    const ProviderSettings settings = expo(baseOf(thread));
    const AttemptResult sent =
        resultOf(*sender, settings, itemFor(settings, QStringLiteral("ExponentPushToken[a]"), QStringLiteral("Hi")));
    QCOMPARE(toText(sent.outcome), toText(Outcome::Accepted));
    std::vector<OpenQuestion> list = questions(2);
    list[0].messageId = sent.providerMessageId;
    const auto found = answersTo(*sender, settings, list);
    QVERIFY(found[0].found == Found::Yes);
    QCOMPARE(toText(found[0].receipt->kind), toText(ReceiptKind::Sent));
    QVERIFY(found[1].found == Found::Unclear);
}

void TestAsking::sandboxFcm_givesTokensAndTakesMessages()
{
    const auto identity = StubIdentity::make();
    if (!identity)
        QSKIP("NOT TESTED: service accounts, because there is no openssl command to make a key");
    sandbox::SandboxThread thread;
    QVERIFY(thread.listen().ok());
    ProviderSettings settings = expo(baseOf(thread));
    settings.name = settings.kind = QStringLiteral("fcm");
    settings.apiKey = QJsonDocument(QJsonObject{{QStringLiteral("client_email"), QStringLiteral("push@demo.example")},
                                                {QStringLiteral("private_key"), QString::fromLatin1(identity->key)},
                                                {QStringLiteral("project_id"), QStringLiteral("demo")},
                                                {QStringLiteral("token_uri"),
                                                 settings.baseUrl.resolved(QUrl(QStringLiteral("/token"))).toString()}})
                          .toJson();
    const auto sender = makeHttpSender({});
    const auto items = itemFor(settings, QStringLiteral("device-token"), QStringLiteral("Hi"));
    const AttemptResult sent = resultOf(*sender, settings, items);
    QCOMPARE(toText(sent.outcome), toText(Outcome::Accepted));
    QVERIFY2(sent.providerMessageId.startsWith(QStringLiteral("projects/demo/messages/")),
             qPrintable(sent.providerMessageId));
    QCOMPARE(thread.messages().size(), size_t(1));
    QCOMPARE(thread.messages().front().key, items.front().id.value);

    QVERIFY(thread.setScript(R"([{"match":{"path":"/v1/"},"action":{"error":"UNREGISTERED","status":404}}])").ok());
    const AttemptResult gone = resultOf(*sender, settings, items);
    QCOMPARE(toText(gone.outcome), toText(Outcome::PermanentRecipient));
    QCOMPARE(gone.code, QStringLiteral("UNREGISTERED"));
    QVERIFY(thread.setScript(R"([{"match":{"path":"/v1/"},"action":{"status":429}}])").ok());
    QCOMPARE(toText(resultOf(*sender, settings, items).outcome), toText(Outcome::Throttled));
}

void TestAsking::sandboxWebhooks_takeARepeatOnce()
{
    sandbox::SandboxThread thread;
    QVERIFY(thread.listen().ok());
    ProviderSettings settings;
    settings.name = settings.kind = QStringLiteral("webhook");
    settings.channel = Channel::Webhook;
    settings.signingSecrets = {"whsec_" + QByteArray("a key of twenty-four bytes and more").toBase64()};
    settings.options = {{QStringLiteral("allow_http"), QStringLiteral("true")},
                        {QStringLiteral("allow_private"), QStringLiteral("true")},
                        {QStringLiteral("ports"), QString::number(thread.port())}};
    const QString address = baseOf(thread).resolved(QUrl(QStringLiteral("/webhooks/ada"))).toString();
    const auto items = itemFor(settings, address, QStringLiteral("{\"type\":\"booking.confirmed\",\"data\":{}}"));
    const auto sender = makeHttpSender({});
    for (int attempt = 0; attempt < 2; ++attempt)
        QCOMPARE(toText(resultOf(*sender, settings, items).outcome), toText(Outcome::Accepted));
    QCOMPARE(thread.messages().size(), size_t(1));
    QCOMPARE(thread.messages().front().title, QStringLiteral("booking.confirmed"));
    QCOMPARE(thread.receptions(items.front().id.value), qint64(2));
    QVERIFY(thread.setScript(R"([{"match":{"path":"/webhooks/"},"action":{"status":410}}])").ok());
    QCOMPARE(toText(resultOf(*sender, settings, items).outcome), toText(Outcome::PermanentRecipient));
}

QTEST_GUILESS_MAIN(TestAsking)
#include "tst_asking.moc"
