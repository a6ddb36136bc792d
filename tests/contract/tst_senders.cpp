#include "channel/answer_rules.h"
#include "channel/http_sender.h"
#include "channel/provider_wait.h"
#include "channel/redaction.h"
#include "tests/contract/provider_samples.h"
#include "tests/support/provider_stub.h"
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <algorithm>
#include <mutex>

using namespace sendoff;
using namespace sendoff::channel;
using namespace sendoff::test;
using support::ProviderStub;
using support::StubConnection;
using Script = ProviderStub::Script;

Q_DECLARE_METATYPE(Script)
namespace {

QUrl baseOf(const ProviderStub &stub)
{
    return stub.url(QStringLiteral("/"));
}

// What came back from one send(); written on the sender's thread.
struct Sent
{
    std::atomic_int times = 0;
    std::mutex mutex;
    std::vector<AttemptResult> results;
    QThread *thread = nullptr;
};

Sender::Done into(const std::shared_ptr<Sent> &sent)
{
    return [sent](std::vector<AttemptResult> results) {
        const std::lock_guard lock(sent->mutex);
        sent->results = std::move(results);
        sent->thread = QThread::currentThread();
        ++sent->times;
    };
}

std::vector<AttemptResult> resultsOf(Sender &sender, const ProviderSettings &settings,
                                     const std::vector<OutgoingItem> &sending)
{
    const auto sent = std::make_shared<Sent>();
    sender.send(settings, sending, into(sent));
    if (!QTest::qWaitFor([&sent] { return sent->times > 0; }, 30'000))
        qFatal("no result came");
    return sent->results;
}

AttemptResult resultOf(const QString &kind, const Script &script, Milliseconds timeout = Milliseconds(30'000))
{
    ProviderStub stub(script);
    ProviderSettings settings = provider(kind, baseOf(stub));
    settings.timeout = timeout;
    return resultsOf(*makeHttpSender({}), settings, items(settings)).front();
}

Script hang()
{
    return [](StubConnection &connection, int) {
        if (connection.readRequest())
            connection.waitForPeer();
    };
}

Script accepting(const QString &kind)
{
    return ProviderStub::always(sample(kind).status, sample(kind).body, sample(kind).headers);
}

} // namespace

class TestSenders : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void acceptance_isOneRequestWithTheKeysInPlace_data() { eachKind(); }
    void acceptance_isOneRequestWithTheKeysInPlace();
    void outcomes_followWhatThePeerDid_data();
    void outcomes_followWhatThePeerDid();
    void redirects_areNotFollowed_data() { eachKind(); }
    void redirects_areNotFollowed();
    void untrustedCertificate_isConfigurationAndNothingLeft_data() { eachKind(); }
    void untrustedCertificate_isConfigurationAndNothingLeft();
    void http2_isOneRequestAnAttempt_data() { eachKind(); }
    void http2_isOneRequestAnAttempt();
    void unreachableProvider_isTransientAndNothingLeft_data() { eachKind(); }
    void unreachableProvider_isTransientAndNothingLeft();
    void failingProxy_isTransientWithItsOwnCode_data() { eachKind(); }
    void failingProxy_isTransientWithItsOwnCode();
    void brokenApiKey_isConfigurationAndNothingLeft_data() { eachKind(); }
    void brokenApiKey_isConfigurationAndNothingLeft();
    void unknownKind_isConfiguration();
    void done_comesOnceOnTheSendersThread_fromManyThreads();
    void cancelAll_bringsEveryDone();
    void destruction_bringsEveryDone();
    void done_maySendAgain();
    void secretsAndAddresses_areRemovedFromProviderText_data() { eachKind(); }
    void secretsAndAddresses_areRemovedFromProviderText();
    void providerText_isStorableAndShort();

    void RA_01_retryAfter_isReadInEveryForm_data();
    void RA_01_retryAfter_isReadInEveryForm();
    void RA_01_dates_areThoseOfHttp_data();
    void RA_01_dates_areThoseOfHttp();

    void HTTP_06_ticketsBelongToTheirPositions();
    void resend_conflictSaysThatAnEarlierSendMayStand();
    void resend_quotasWaitAsDocumented();
    void postmark_batchesBelongToTheirPositions();

    void onlyProvidersOwnWord_suppressesAnAddress_data();
    void onlyProvidersOwnWord_suppressesAnAddress();
    void proxyFault_isUnknownOnceTheBodyLeft();
    void phoneNumbers_areRemovedInEveryForm();
    void postmark_isAskedInItsStream();
    void twilio_aMessageMadeLongAfterIsNotOurs();
};

void TestSenders::onlyProvidersOwnWord_suppressesAnAddress_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<bool>("suppresses");
    QTest::addColumn<bool>("tripsBreaker");
    const auto row = [](const char *kind, int status, const QByteArray &body, Outcome outcome, bool suppresses,
                        bool tripsBreaker) {
        QTest::addRow("%s: %s", kind, body.constData())
            << QString::fromLatin1(kind) << status << body << outcome << suppresses << tripsBreaker;
    };
    const auto twilio = [&row](const char *code, Outcome outcome, bool suppresses, bool tripsBreaker) {
        row("twilio", 400, QByteArray("{\"code\":") + code + ",\"message\":\"m\"}", outcome, suppresses, tripsBreaker);
    };
    twilio("21610", Outcome::PermanentRecipient, true, true);
    twilio("21211", Outcome::PermanentRecipient, true, true);
    twilio("21612", Outcome::PermanentRecipient, false, true); // the number is alive, for another sender
    twilio("21408", Outcome::Configuration, false, false);
    twilio("21606", Outcome::Configuration, false, false);
    twilio("20003", Outcome::Configuration, false, true);
    const auto expo = [&row](const char *code, Outcome outcome, bool suppresses, bool tripsBreaker) {
        row("expo", 200,
            QByteArray("{\"data\":[{\"status\":\"error\",\"message\":\"m\",\"details\":{\"error\":\"") + code +
                "\"}}]}",
            outcome, suppresses, tripsBreaker);
    };
    expo("DeviceNotRegistered", Outcome::PermanentRecipient, true, true);
    expo("MismatchSenderId", Outcome::Configuration, false, false);
    expo("InvalidCredentials", Outcome::Configuration, false, true);
    const auto fcm = [&row](int status, const char *code, Outcome outcome, bool suppresses, bool tripsBreaker) {
        row("fcm", status,
            QByteArray("{\"error\":{\"message\":\"m\",\"details\":[{\"@type\":"
                       "\"type.googleapis.com/google.firebase.fcm.v1.FcmError\",\"errorCode\":\"") +
                code + "\"}]}}",
            outcome, suppresses, tripsBreaker);
    };
    fcm(404, "UNREGISTERED", Outcome::PermanentRecipient, true, true);
    fcm(403, "SENDER_ID_MISMATCH", Outcome::Configuration, false, false);
    fcm(401, "THIRD_PARTY_AUTH_ERROR", Outcome::Configuration, false, true);
    row("postmark", 422, R"({"ErrorCode":406,"Message":"inactive"})", Outcome::PermanentRecipient, true, true);
    row("postmark", 422, R"({"ErrorCode":300,"Message":"bad JSON"})", Outcome::PermanentMessage, false, true);
}

void TestSenders::onlyProvidersOwnWord_suppressesAnAddress()
{
    QFETCH(QString, kind);
    QFETCH(int, status);
    QFETCH(QByteArray, body);
    HttpAnswer answer;
    answer.status = status;
    answer.body = body;
    const OutgoingItem item{DeliveryId(QStringLiteral("d-1")), "{}", QStringLiteral("+15550001234")};
    const AttemptResult result = providerKind(kind)->classify({}, {item}, answer, {}).front();
    QTEST(result.outcome, "outcome");
    QTEST(result.suppresses, "suppresses");
    QTEST(result.tripsBreaker, "tripsBreaker");
}

void TestSenders::proxyFault_isUnknownOnceTheBodyLeft()
{
    HttpAnswer answer;
    answer.fault = Fault::Proxy;
    answer.left = false;
    QCOMPARE(toText(resultWithoutAnswer(answer)->outcome), toText(Outcome::Transient));
    answer.left = true;
    QCOMPARE(toText(resultWithoutAnswer(answer)->outcome), toText(Outcome::Unknown));
}

void TestSenders::phoneNumbers_areRemovedInEveryForm()
{
    const std::vector<OutgoingItem> sent{{DeliveryId(QStringLiteral("d-1")), {}, QStringLiteral("+49 170 5550123")}};
    const auto shown = [&sent](const QString &text) { return redacted(text, {}, sent, maxProviderText); };
    QCOMPARE(shown(QStringLiteral("491705550123 is dead, 00491705550123 too")),
             QStringLiteral("[address] is dead, [address] too"));
    QCOMPARE(shown(QStringLiteral("+49 170 5550123, +491705550123")), QStringLiteral("[address], [address]"));
    const std::vector<OutgoingItem> brief{{DeliveryId(QStringLiteral("d-1")), {}, QStringLiteral("+112")}};
    QCOMPARE(redacted(QStringLiteral("error 30112"), {}, brief, maxProviderText), QStringLiteral("error 30112"));
}

void TestSenders::postmark_isAskedInItsStream()
{
    ProviderSettings settings = provider(QStringLiteral("postmark"), QUrl(QStringLiteral("https://api.example")));
    settings.options[QStringLiteral("message_stream")] = QStringLiteral("news & more");
    const OpenQuestion question{DeliveryId(QStringLiteral("d-1")), {}, QStringLiteral("a@b.example"), {}};
    const HttpRequest request = providerKind(QStringLiteral("postmark"))->ask(settings, {question});
    QCOMPARE(request.url.query(QUrl::FullyEncoded),
             QStringLiteral("count=5&offset=0&metadata_delivery=d-1&messagestream=news%20%26%20more"));
}

void TestSenders::twilio_aMessageMadeLongAfterIsNotOurs()
{
    const Timestamp handed{std::chrono::seconds(1'796'040'000)}; // Mon, 30 Nov 2026 12:00:00
    ProviderSettings settings = provider(QStringLiteral("twilio"), {});
    settings.timeout = Milliseconds(30'000);
    const OpenQuestion question{DeliveryId(QStringLiteral("d-1")), {}, QStringLiteral("+15550001234"), handed};
    const auto foundAt = [&](const QByteArray &time) {
        HttpAnswer answer;
        answer.status = 200;
        answer.body = R"({"messages":[{"sid":"SM1","status":"sent","error_code":null,"direction":"outbound-api",)"
                      R"("date_created":"Mon, 30 Nov 2026 )" +
                      time + R"( +0000"}],"next_page_uri":null})";
        return providerKind(QStringLiteral("twilio"))->readFound(settings, {question}, answer, handed).front();
    };
    QCOMPARE(int(foundAt("12:01:30").found), int(FoundMessage::Found::Yes)); // timeout and a minute
    QCOMPARE(int(foundAt("12:01:31").found), int(FoundMessage::Found::Unclear));
    QVERIFY(!foundAt("12:01:31").why.isEmpty());
}

void TestSenders::acceptance_isOneRequestWithTheKeysInPlace()
{
    QFETCH(QString, kind);
    ProviderStub stub(accepting(kind));
    const ProviderSettings settings = provider(kind, baseOf(stub));
    const auto sender = makeHttpSender({});
    const std::vector<OutgoingItem> sending = items(settings);
    const AttemptResult result = resultsOf(*sender, settings, sending).front();
    QCOMPARE(toText(result.outcome), toText(Outcome::Accepted));
    QCOMPARE(result.status, sample(kind).status);
    QCOMPARE(result.providerMessageId, QStringLiteral("m-1"));
    QVERIFY(result.left && result.code.isEmpty());

    resultsOf(*sender, settings, sending); // a second attempt: the same key, the same bytes
    QCOMPARE(stub.receptions(), 2);
    const auto requests = stub.requests();
    QCOMPARE(requests[0].body, requests[1].body);
    QVERIFY(requests[0].head.startsWith("POST " + sample(kind).path.toLatin1() + " HTTP/1.1\r\n"));
    QCOMPARE(requests[0].header(sample(kind).keyHeader), sample(kind).keyValue);
    QVERIFY(requests[0].header("User-Agent").startsWith("Sendoff/"));
    QCOMPARE(requests[0].header("Content-Type"), sample(kind).contentType);
    if (providerKind(kind)->idempotencyWindow > Milliseconds(0)) {
        QCOMPARE(requests[0].header("Idempotency-Key"), sending[0].id.value.toUtf8());
        QCOMPARE(requests[1].header("Idempotency-Key"), sending[0].id.value.toUtf8());
    }
}

void TestSenders::outcomes_followWhatThePeerDid_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<Script>("script");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("code");
    const auto cut = [](StubConnection &connection, int) {
        if (connection.readRequest())
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":\"m-1\"");
    };
    const auto drop = [](StubConnection &connection, int) { connection.readRequest(); };
    const auto add = [](const char *name, const QString &kind, const Script &script, Outcome outcome,
                        const char *code) {
        QTest::addRow("%s, %s", qPrintable(kind), name) << kind << script << outcome << QString::fromLatin1(code);
    };
    const auto flood = [](StubConnection &connection, int) {
        if (!connection.readRequest() || !connection.write("HTTP/1.1 200 OK\r\n\r\n{\"id\":\"m-1\""))
            return;
        while (connection.write(QByteArray(16'384, ' ')))
            ;
    };
    for (const Sample &each : samples()) {
        const QString kind = each.kind;
        const Outcome onServerError = knowsKeys(kind) ? Outcome::Transient : Outcome::Unknown;
        add("endless success", kind, flood, Outcome::Unknown, "answer_too_large");
        add("cut success", kind, cut, Outcome::Unknown, "answer_cut");
        add("dropped", kind, drop, Outcome::Unknown, "connection_lost");
        add("200 page", kind, ProviderStub::always(200, "<html>login</html>"), Outcome::Unknown, "");
        add("204", kind, ProviderStub::always(204, ""), Outcome::Unknown, "");
        add("redirect", kind, ProviderStub::always(302, "", "Location: http://127.0.0.1:1/\r\n"),
            Outcome::Configuration, "http_302");
        add("403 page", kind, ProviderStub::always(403, "<html>blocked</html>"), Outcome::Configuration, "http_403");
        add("404 page", kind, ProviderStub::always(404, "<html>none</html>"), Outcome::Configuration, "http_404");
        add("418", kind, ProviderStub::always(418, "{}"), Outcome::PermanentMessage, "http_418");
        add("429 page", kind, ProviderStub::always(429, "slow down"), Outcome::Throttled, "http_429");
        add("500 page", kind, ProviderStub::always(500, "oops"), onServerError, "http_500");
        add("503 page", kind, ProviderStub::always(503, "oops"), onServerError, "http_503");
    }
}

void TestSenders::outcomes_followWhatThePeerDid()
{
    QFETCH(QString, kind);
    QFETCH(Script, script);
    QFETCH(Outcome, outcome);
    QFETCH(QString, code);
    const AttemptResult result = resultOf(kind, script);
    QCOMPARE(toText(result.outcome), toText(outcome));
    QVERIFY(result.left);
    if (!code.isEmpty())
        QCOMPARE(result.code, code);
    QVERIFY(!result.code.isEmpty() && !result.text.isEmpty());
    QVERIFY(!result.text.contains(QStringLiteral("html"))); // a page is not a provider's word

    const AttemptResult late = resultOf(kind, hang(), Milliseconds(300));
    QCOMPARE(toText(late.outcome), toText(Outcome::Unknown));
    QCOMPARE(late.code, QStringLiteral("timeout"));
}

void TestSenders::unreachableProvider_isTransientAndNothingLeft()
{
    QFETCH(QString, kind);
    const auto sender = makeHttpSender({});
    const ProviderSettings refused = provider(kind, QUrl(QStringLiteral("http://127.0.0.1:1/")));
    const AttemptResult result = resultsOf(*sender, refused, items(refused)).front();
    QCOMPARE(toText(result.outcome), toText(Outcome::Transient));
    QCOMPARE(result.code, QStringLiteral("connection_refused"));
    QVERIFY(!result.left);
    const ProviderSettings nameless = provider(kind, QUrl(QStringLiteral("http://provider.invalid/")));
    const AttemptResult unknown = resultsOf(*sender, nameless, items(nameless)).front();
    QCOMPARE(toText(unknown.outcome), toText(Outcome::Transient));
    QCOMPARE(unknown.code, QStringLiteral("dns"));
    QVERIFY(!unknown.left);
}

void TestSenders::failingProxy_isTransientWithItsOwnCode()
{
    QFETCH(QString, kind);
    ProviderStub proxy([](StubConnection &connection, int) {
        if (connection.readUntil("\r\n\r\n"))
            connection.write(
                "HTTP/1.1 502 Bad\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"id\":\"m-1\"}");
    });
    TransportSettings transport;
    transport.proxy = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(proxy.port()));
    const ProviderSettings settings = provider(kind, QUrl(QStringLiteral("https://provider.invalid")));
    const AttemptResult result = resultsOf(*makeHttpSender(transport), settings, items(settings)).front();
    QCOMPARE(toText(result.outcome), toText(Outcome::Transient));
    QCOMPARE(result.code, QStringLiteral("proxy"));
    QVERIFY(!result.left);
}

void TestSenders::brokenApiKey_isConfigurationAndNothingLeft()
{
    QFETCH(QString, kind);
    ProviderStub stub(accepting(kind));
    ProviderSettings settings = provider(kind, baseOf(stub));
    settings.apiKey = "secret-key\n"; // as a file read whole gives it
    const AttemptResult result = resultsOf(*makeHttpSender({}), settings, items(settings)).front();
    QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
    QVERIFY(!result.left);
    QVERIFY(result.text.contains(QString::fromLatin1(sample(kind).keyHeader)));
    QVERIFY(!result.text.contains(QStringLiteral("secret-key")));
    QCOMPARE(stub.receptions(), 0);
}

void TestSenders::unknownKind_isConfiguration()
{
    ProviderSettings settings = provider(QStringLiteral("resend"), QUrl(QStringLiteral("http://127.0.0.1:1/")));
    const auto sending = items(settings);
    settings.kind = QStringLiteral("pigeon");
    const AttemptResult result = resultsOf(*makeHttpSender({}), settings, sending).front();
    QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
    QVERIFY(result.text.contains(QStringLiteral("resend")));
    QVERIFY(!result.left);
}

void TestSenders::done_comesOnceOnTheSendersThread_fromManyThreads()
{
    ProviderStub stub(accepting(QStringLiteral("resend")));
    const ProviderSettings settings = provider(QStringLiteral("resend"), baseOf(stub));
    const auto sender = makeHttpSender({});
    std::vector<std::shared_ptr<Sent>> all(40);
    for (auto &sent : all)
        sent = std::make_shared<Sent>();
    std::vector<std::thread> threads;
    for (size_t start = 0; start < 4; ++start) {
        threads.emplace_back([&, start] {
            for (size_t i = start; i < all.size(); i += 4)
                sender->send(settings, items(settings), into(all[i]));
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    QTRY_VERIFY_WITH_TIMEOUT(std::all_of(all.begin(), all.end(), [](const auto &sent) { return sent->times > 0; }),
                             30'000);
    for (const auto &sent : all) {
        QCOMPARE(sent->times.load(), 1);
        QCOMPARE(sent->thread, all.front()->thread);
        QVERIFY(sent->thread != QThread::currentThread());
        QCOMPARE(toText(sent->results.front().outcome), toText(Outcome::Accepted));
    }
    QCOMPARE(stub.receptions(), 40);
}

void TestSenders::cancelAll_bringsEveryDone()
{
    ProviderStub stub(hang());
    const ProviderSettings settings = provider(QStringLiteral("resend"), baseOf(stub));
    const auto sender = makeHttpSender({});
    const auto inFlight = std::make_shared<Sent>();
    sender->send(settings, items(settings), into(inFlight));
    QTRY_COMPARE_WITH_TIMEOUT(stub.receptions(), 1, 30'000);
    const auto justNow = std::make_shared<Sent>();
    sender->send(settings, items(settings), into(justNow));
    sender->cancelAll();
    QCOMPARE(inFlight->times.load(), 1);
    QCOMPARE(justNow->times.load(), 1);
    QCOMPARE(toText(inFlight->results.front().outcome), toText(Outcome::Unknown));
    QVERIFY(inFlight->results.front().left);
    QCOMPARE(inFlight->results.front().code, QStringLiteral("cancelled"));
    const AttemptResult &late = justNow->results.front();
    QCOMPARE(toText(late.outcome), toText(late.left ? Outcome::Unknown : Outcome::Transient));
}

void TestSenders::destruction_bringsEveryDone()
{
    ProviderStub stub(hang());
    const ProviderSettings settings = provider(QStringLiteral("expo"), baseOf(stub));
    std::vector<std::shared_ptr<Sent>> all(20);
    {
        const auto sender = makeHttpSender({});
        for (auto &sent : all) {
            sent = std::make_shared<Sent>();
            sender->send(settings, items(settings, 3), into(sent));
        }
    }
    for (const auto &sent : all) {
        QCOMPARE(sent->times.load(), 1);
        QCOMPARE(sent->results.size(), size_t(3));
    }
}

void TestSenders::done_maySendAgain()
{
    ProviderStub stub(accepting(QStringLiteral("resend")));
    const ProviderSettings settings = provider(QStringLiteral("resend"), baseOf(stub));
    const auto sender = makeHttpSender({});
    const auto second = std::make_shared<Sent>();
    sender->send(settings, items(settings), [&](const std::vector<AttemptResult> &) {
        sender->send(settings, items(settings), into(second));
        sender->cancelAll(); // on the sender's own thread: the one that was just given is ended too
    });
    QTRY_COMPARE_WITH_TIMEOUT(second->times.load(), 1, 30'000);
    QCOMPARE(second->results.front().code, QStringLiteral("cancelled"));
}

void TestSenders::secretsAndAddresses_areRemovedFromProviderText()
{
    QFETCH(QString, kind);
    const QString address = addressOf(provider(kind, {}).channel, 0);
    const QString text =
        QStringLiteral("Key %1 may not write to %2, %3 or %4; Authorization: Bearer %1; call +15550001234")
            .arg(QString::fromLatin1(apiKey), address, QString::fromLatin1(QUrl::toPercentEncoding(address)),
                 QStringLiteral("Jane.Doe@other.example ExponentPushToken[another]"));
    const QJsonObject error{
        {QStringLiteral("name"), address}, {QStringLiteral("code"), address}, {QStringLiteral("message"), text}};
    QJsonObject body = error;
    body.insert(QStringLiteral("errors"), QJsonArray{error});
    body.insert(QStringLiteral("Message"), text);
    const AttemptResult result = resultOf(kind, ProviderStub::always(422, QJsonDocument(body).toJson()));
    QCOMPARE(toText(result.outcome), toText(Outcome::PermanentMessage));
    for (const QString &shown : {result.text, result.code}) {
        QVERIFY(!shown.isEmpty());
        for (const char *leak : {"re_test", "0123456789abcdef", "mail.example", "other.example", "jane.doe", "device-0",
                                 "another]", "15550001234"})
            QVERIFY2(!shown.contains(QLatin1String(leak), Qt::CaseInsensitive), leak);
    }
    QVERIFY(result.text.contains(QStringLiteral("may not write to")));
}

void TestSenders::providerText_isStorableAndShort()
{
    QByteArray body = R"({"name":"odd","message":"a\u0000b )" + QByteArray(5000, 'x') + "\"}";
    const AttemptResult result = resultOf(QStringLiteral("resend"), ProviderStub::always(422, body));
    QCOMPARE(result.code, QStringLiteral("odd"));
    QVERIFY(result.text.size() <= maxProviderText);
    QVERIFY(!result.text.contains(QChar(0)));
}

void TestSenders::RA_01_retryAfter_isReadInEveryForm_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<qint64>("seconds"); // -1: our own back-off, -2: more than any maximum
    QTest::newRow("seconds") << QByteArray("120") << qint64(120);
    QTest::newRow("zero") << QByteArray("0") << qint64(0);
    QTest::newRow("blanks") << QByteArray("  7 ") << qint64(7);
    QTest::newRow("date") << QByteArray("Mon, 30 Nov 2026 12:02:00 GMT") << qint64(120);
    QTest::newRow("past date") << QByteArray("Wed, 21 Oct 2015 07:28:00 GMT") << qint64(0);
    QTest::newRow("word") << QByteArray("soon") << qint64(-1);
    QTest::newRow("empty") << QByteArray("") << qint64(-1);
    QTest::newRow("negative") << QByteArray("-5") << qint64(-1);
    QTest::newRow("plus") << QByteArray("+5") << qint64(-1);
    QTest::newRow("fraction") << QByteArray("1.5") << qint64(-1);
    QTest::newRow("hexadecimal") << QByteArray("0x10") << qint64(-1);
    QTest::newRow("huge") << QByteArray("99999999999") << qint64(-2);
    QTest::newRow("beyond 32 bits of milliseconds") << QByteArray("3000000") << qint64(3'000'000);
    QTest::newRow("year 9999") << QByteArray("Fri, 31 Dec 9999 23:59:59 GMT") << qint64(-2);
}

void TestSenders::RA_01_retryAfter_isReadInEveryForm()
{
    QFETCH(QByteArray, value);
    QFETCH(qint64, seconds);
    const Timestamp now = *fromRfc3339(u"2026-11-30T12:00:00Z");
    for (const int status : {429, 503}) {
        HttpAnswer made = answer(status, R"({"name":"rate_limit_exceeded","message":"slow"})");
        made.headers = {{"rEtRy-AfTeR", value}};
        const ProviderSettings settings = provider(QStringLiteral("resend"), {});
        const AttemptResult result =
            providerKind(QStringLiteral("resend"))->classify(settings, items(settings), made, now).front();
        QCOMPARE(result.wait.has_value(), seconds != -1);
        if (seconds >= 0)
            QCOMPARE(result.wait->count(), seconds * 1000);
        if (seconds == -2)
            QCOMPARE(result.wait->count(), longestWait.count());
    }
    // Over the wire too, where a date is read by the wall clock.
    const AttemptResult result =
        resultOf(QStringLiteral("resend"), ProviderStub::always(429, "{}", "Retry-After: " + value + "\r\n"));
    QCOMPARE(toText(result.outcome), toText(Outcome::Throttled));
    QCOMPARE(result.wait.has_value(), seconds != -1);
}

void TestSenders::RA_01_dates_areThoseOfHttp_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<qint64>("seconds");
    QTest::newRow("IMF") << QByteArray("Mon, 30 Nov 2026 12:00:10 GMT") << qint64(10);
    QTest::newRow("RFC 850") << QByteArray("Monday, 30-Nov-26 12:00:10 GMT") << qint64(10);
    QTest::newRow("RFC 850, last century") << QByteArray("Sunday, 06-Nov-94 08:49:37 GMT") << qint64(0);
    QTest::newRow("asctime") << QByteArray("Mon Nov 30 12:00:10 2026") << qint64(10);
    QTest::newRow("asctime, one digit") << QByteArray("Tue Dec  1 12:00:00 2026") << qint64(86400);
    QTest::newRow("leap second") << QByteArray("Mon, 30 Nov 2026 12:00:60 GMT") << qint64(59);
    QTest::newRow("no such day") << QByteArray("Mon, 31 Nov 2026 12:00:10 GMT") << qint64(-1);
    QTest::newRow("no such month") << QByteArray("Mon, 30 Nix 2026 12:00:10 GMT") << qint64(-1);
    QTest::newRow("no such hour") << QByteArray("Mon, 30 Nov 2026 25:00:10 GMT") << qint64(-1);
    QTest::newRow("other zone") << QByteArray("Mon, 30 Nov 2026 12:00:10 +0100") << qint64(-1);
    QTest::newRow("ISO") << QByteArray("2026-11-30T12:00:10Z") << qint64(-1);
}

void TestSenders::RA_01_dates_areThoseOfHttp()
{
    QFETCH(QByteArray, value);
    QFETCH(qint64, seconds);
    HttpAnswer made = answer(429, "");
    made.headers = {{"Retry-After", value}};
    const auto wait = providerWait(made, *fromRfc3339(u"2026-11-30T12:00:00Z"));
    QCOMPARE(wait.has_value(), seconds >= 0);
    if (wait)
        QCOMPARE(wait->count(), seconds * 1000);
}

void TestSenders::HTTP_06_ticketsBelongToTheirPositions()
{
    const QByteArray body =
        tickets(100, {{3, "DeviceNotRegistered"}, {50, "MessageTooBig"}, {77, "MessageRateExceeded"}},
                {{3, "ExponentPushToken[device-3]"}});
    ProviderStub stub(ProviderStub::always(200, body));
    const ProviderSettings settings = provider(QStringLiteral("expo"), baseOf(stub));
    const std::vector<AttemptResult> results = resultsOf(*makeHttpSender({}), settings, items(settings, 100));
    QCOMPARE(results.size(), size_t(100));
    for (int i = 0; i < 100; ++i) {
        const AttemptResult &result = results[size_t(i)];
        const Outcome expected = i == 3    ? Outcome::PermanentRecipient
                                 : i == 50 ? Outcome::PermanentMessage
                                 : i == 77 ? Outcome::Throttled
                                           : Outcome::Accepted;
        QCOMPARE(toText(result.outcome), toText(expected));
        QCOMPARE(result.pausesBucket, i != 77); // one device's limit is not the account's
        QCOMPARE(result.providerMessageId,
                 expected == Outcome::Accepted ? QStringLiteral("ticket-%1").arg(i) : QString());
    }
    QCOMPARE(stub.receptions(), 1);
    QCOMPARE(QJsonDocument::fromJson(stub.requests().front().body).array().size(), 100);
}

void TestSenders::resend_conflictSaysThatAnEarlierSendMayStand()
{
    const AttemptResult result =
        resultOf(QStringLiteral("resend"),
                 ProviderStub::always(409, R"({"name":"invalid_idempotent_request","message":"other payload"})"));
    QCOMPARE(toText(result.outcome), toText(Outcome::PermanentMessage));
    QVERIFY(result.idempotencyConflict);
    const AttemptResult running =
        resultOf(QStringLiteral("resend"),
                 ProviderStub::always(409, R"({"name":"concurrent_idempotent_requests","message":"running"})"));
    QCOMPARE(toText(running.outcome), toText(Outcome::Transient));
    QVERIFY(!running.idempotencyConflict);
}

void TestSenders::resend_quotasWaitAsDocumented()
{
    const AttemptResult day =
        resultOf(QStringLiteral("resend"),
                 ProviderStub::always(429, R"({"name":"daily_quota_exceeded","message":"m"})", "Retry-After: 1\r\n"));
    QCOMPARE(toText(day.outcome), toText(Outcome::Throttled));
    QCOMPARE(day.wait->count(), 86'400'000);
    const AttemptResult month = resultOf(
        QStringLiteral("resend"), ProviderStub::always(429, R"({"name":"monthly_quota_exceeded","message":"m"})"));
    QCOMPARE(toText(month.outcome), toText(Outcome::Configuration));
}

void TestSenders::redirects_areNotFollowed()
{
    QFETCH(QString, kind);
    ProviderStub other(accepting(kind));
    for (const int status : {301, 302, 303, 307, 308}) {
        const AttemptResult result =
            resultOf(kind, ProviderStub::always(status, "", "Location: " + other.url().toEncoded() + "\r\n"));
        QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
        QCOMPARE(result.status, status);
    }
    QCOMPARE(other.connections(), 0);
}

#define MAKE_IDENTITY(name)                                                                                            \
    const auto made##name = support::StubIdentity::make();                                                             \
    if (!made##name)                                                                                                   \
        QSKIP("NOT TESTED: TLS, because there is no openssl command to make a certificate");                           \
    const support::StubIdentity name = *made##name

void TestSenders::untrustedCertificate_isConfigurationAndNothingLeft()
{
    QFETCH(QString, kind);
    MAKE_IDENTITY(identity);
    ProviderStub stub(accepting(kind), identity);
    const ProviderSettings settings = provider(kind, baseOf(stub));
    const AttemptResult result = resultsOf(*makeHttpSender({}), settings, items(settings)).front();
    QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
    QVERIFY(!result.left);
    QCOMPARE(stub.receptions(), 0);
    TransportSettings trusting;
    trusting.caCertificates = identity.certificate;
    const AttemptResult trusted = resultsOf(*makeHttpSender(trusting), settings, items(settings)).front();
    QCOMPARE(toText(trusted.outcome), toText(Outcome::Accepted));
    QCOMPARE(stub.receptions(), 1);
}

// nghttpd answers every path with the file that stands there, and writes what it received into its log.
void TestSenders::http2_isOneRequestAnAttempt()
{
    QFETCH(QString, kind);
    const QString program = QStandardPaths::findExecutable(
        QStringLiteral("nghttpd"),
        {QStringLiteral("/usr/sbin"), QStringLiteral("/usr/bin"), QStringLiteral("/usr/local/bin")});
    if (program.isEmpty())
        QSKIP("NOT TESTED: HTTP/2, because there is no nghttpd (Debian package nghttp2-server)");
    MAKE_IDENTITY(identity);
    QTemporaryDir folder;
    const auto write = [&folder](const QString &name, const QByteArray &content) {
        const QString path = folder.path() + u'/' + name;
        QFile file(path);
        if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly) ||
            file.write(content) != content.size())
            qFatal("the test's file can't be written");
        return path;
    };
    write(QStringLiteral("files") + sample(kind).path, sample(kind).body + '\n');
    const QString key = write(QStringLiteral("key.pem"), identity.key);
    const QString certificate = write(QStringLiteral("certificate.pem"), identity.certificate);
    QTcpServer free;
    QVERIFY(free.listen(QHostAddress::LocalHost));
    const quint16 port = free.serverPort();
    free.close();
    QProcess server;
    QByteArray log;
    server.setProcessChannelMode(QProcess::MergedChannels);
    server.start(program, {QStringLiteral("--verbose"), QStringLiteral("--address=127.0.0.1"),
                           QStringLiteral("--htdocs=") + folder.path() + QStringLiteral("/files"),
                           QString::number(port), key, certificate});
    QVERIFY(server.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT((log += server.readAll()).contains("listen"), 30'000);

    TransportSettings trusting;
    trusting.caCertificates = identity.certificate;
    const ProviderSettings settings = provider(kind, QUrl(QStringLiteral("https://127.0.0.1:%1").arg(port)));
    const auto sender = makeHttpSender(trusting);
    const std::vector<OutgoingItem> sending = items(settings);
    constexpr int attempts = 5;
    for (int i = 0; i < attempts; ++i) {
        const AttemptResult result = resultsOf(*sender, settings, sending).front();
        // The file can't give the header in which this one kind has its id.
        const bool hasId = kind != QLatin1String("sendgrid");
        QCOMPARE(toText(result.outcome), toText(hasId ? Outcome::Accepted : Outcome::Unknown));
        QCOMPARE(result.status, 200);
    }
    server.terminate();
    server.waitForFinished();
    log += server.readAll();
    QVERIFY(log.contains("h2"));
    QCOMPARE(log.count(":method: POST"), qsizetype(attempts));
    QCOMPARE(log.count(":path: " + sample(kind).path.toLatin1()), qsizetype(attempts));
    if (knowsKeys(kind))
        QCOMPARE(log.count("idempotency-key: " + sending[0].id.value.toLatin1()), qsizetype(attempts));
}

void TestSenders::postmark_batchesBelongToTheirPositions()
{
    const QByteArray body = R"([{"ErrorCode":0,"Message":"OK","MessageID":"m-0"},)"
                            R"({"ErrorCode":406,"Message":"Found inactive addresses: someone."},)"
                            R"({"ErrorCode":300,"Message":"Invalid 'To' address."},)"
                            R"({"ErrorCode":300,"Message":"Zero recipients specified"},)"
                            R"({"ErrorCode":9999,"Message":"new"},{"ErrorCode":429,"Message":"slow"},)"
                            R"({"ErrorCode":0,"Message":"OK"},{"Message":"OK","MessageID":"m-7"}])";
    ProviderStub stub(ProviderStub::always(200, body));
    const ProviderSettings settings = provider(QStringLiteral("postmark"), baseOf(stub));
    const auto sending = items(settings, 8);
    const std::vector<AttemptResult> results = resultsOf(*makeHttpSender({}), settings, sending);
    const std::vector<Outcome> expected{Outcome::Accepted,
                                        Outcome::PermanentRecipient,
                                        Outcome::PermanentRecipient,
                                        Outcome::PermanentMessage,
                                        Outcome::PermanentMessage,
                                        Outcome::Throttled,
                                        Outcome::Unknown,
                                        Outcome::Unknown};
    QCOMPARE(results.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
        QCOMPARE(toText(results[i].outcome), toText(expected[i]));
    QCOMPARE(results[0].providerMessageId, QStringLiteral("m-0"));
    QCOMPARE(stub.receptions(), 1);
    QVERIFY(stub.requests().front().head.startsWith("POST /email/batch "));
    const QJsonArray sent = QJsonDocument::fromJson(stub.requests().front().body).array();
    QCOMPARE(sent.size(), 8);
    const QJsonObject third = sent.at(3).toObject();
    QCOMPARE(third.value(QStringLiteral("To")).toString(), sending[3].address);
    QCOMPARE(third.value(QStringLiteral("Metadata")).toObject().value(QStringLiteral("delivery")).toString(),
             sending[3].id.value);
}

QTEST_GUILESS_MAIN(TestSenders)
#include "tst_senders.moc"
