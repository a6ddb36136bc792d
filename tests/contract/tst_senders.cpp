#include "channel/http_sender.h"
#include "channel/provider_wait.h"
#include "tests/support/provider_stub.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <QThread>
#include <mutex>

using namespace sendoff;
using namespace sendoff::channel;
using support::ProviderStub;
using support::StubConnection;
using Script = ProviderStub::Script;

Q_DECLARE_METATYPE(Script)

namespace {

const QByteArray apiKey = "re_test_0123456789abcdef";

ProviderSettings provider(const QString &kind, const QUrl &base)
{
    ProviderSettings settings;
    settings.name = kind;
    settings.kind = kind;
    settings.channel = providerKind(kind)->channel;
    settings.baseUrl = base;
    settings.from = QStringLiteral("Taxi <no-reply@taxi.example>");
    settings.apiKey = apiKey;
    return settings;
}

QUrl baseOf(const ProviderStub &stub)
{
    return stub.url(QStringLiteral("/"));
}

RenderedMessage message(Channel channel)
{
    RenderedMessage rendered;
    rendered.channel = channel;
    rendered.subject = channel == Channel::Email ? QStringLiteral("Your booking \"981\"") : QString();
    rendered.title = QStringLiteral("Booking");
    rendered.text = QStringLiteral("Confirmed – see you at 12:00\n");
    rendered.html = channel == Channel::Email ? QStringLiteral("<p>Confirmed</p>") : QString();
    rendered.link = QStringLiteral("https://taxi.example/b/981");
    return rendered;
}

QString addressOf(Channel channel, int number)
{
    return channel == Channel::Email ? QStringLiteral("jane.doe+%1@mail.example").arg(number)
                                     : QStringLiteral("ExponentPushToken[device-%1]").arg(number);
}

std::vector<OutgoingItem> items(const ProviderSettings &settings, int count = 1)
{
    std::vector<OutgoingItem> made;
    for (int i = 0; i < count; ++i) {
        const DeliveryId id(QStringLiteral("00000000-0000-5000-8000-%1").arg(i, 12, 10, QLatin1Char('0')));
        const QString address = addressOf(settings.channel, i);
        const auto body = providerKind(settings.kind)->compose(settings, message(settings.channel), address, id);
        if (!body)
            qFatal("the test's message can't be composed: %s", qPrintable(body.error().message));
        made.push_back({id, *body, address});
    }
    return made;
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

QByteArray accepted(const QString &kind)
{
    return kind == QLatin1String("resend") ? R"({"id":"m-1"})" : R"({"data":[{"status":"ok","id":"m-1"}]})";
}

HttpAnswer answer(int status, const QByteArray &body)
{
    HttpAnswer made;
    made.status = status;
    made.body = body;
    return made;
}

void eachKind()
{
    QTest::addColumn<QString>("kind");
    for (const QString &kind : providerKindNames())
        QTest::newRow(qPrintable(kind)) << kind;
}

// Expo's answer for `count` notifications, with errors at some positions.
QByteArray tickets(int count, const QMap<int, QByteArray> &errors = {}, const QMap<int, QByteArray> &named = {})
{
    QJsonArray data;
    for (int i = 0; i < count; ++i) {
        QJsonObject details;
        if (errors.contains(i))
            details.insert(QStringLiteral("error"), QString::fromLatin1(errors.value(i)));
        if (named.contains(i))
            details.insert(QStringLiteral("expoPushToken"), QString::fromLatin1(named.value(i)));
        QJsonObject ticket{
            {QStringLiteral("status"), errors.contains(i) ? QStringLiteral("error") : QStringLiteral("ok")}};
        if (!errors.contains(i))
            ticket.insert(QStringLiteral("id"), QStringLiteral("ticket-%1").arg(i));
        if (!details.isEmpty())
            ticket.insert(QStringLiteral("details"), details);
        data.append(ticket);
    }
    return QJsonDocument(QJsonObject{{QStringLiteral("data"), data}}).toJson();
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
    void HTTP_06_doubtfulBatches_areUnknownAsAWhole_data();
    void HTTP_06_doubtfulBatches_areUnknownAsAWhole();
    void HTTP_06_requestErrors_concernEveryItem();
    void expo_sendsAnArrayOfItems();
    void expo_refusesWhatIsTooLarge();
    void expo_unwrapsProviderErrors();
    void resend_bodyIsWhatItsApiReads();
    void resend_conflictSaysThatAnEarlierSendMayStand();
    void resend_quotasWaitAsDocumented();
    void compose_refusesWhatCantBeSent_data();
    void compose_refusesWhatCantBeSent();
    void unknownCodes_neverBlameTheRecipient_data() { eachKind(); }
    void unknownCodes_neverBlameTheRecipient();
};

void TestSenders::acceptance_isOneRequestWithTheKeysInPlace()
{
    QFETCH(QString, kind);
    ProviderStub stub(ProviderStub::always(200, accepted(kind)));
    const ProviderSettings settings = provider(kind, baseOf(stub));
    const auto sender = makeHttpSender({});
    const std::vector<OutgoingItem> sending = items(settings);
    const AttemptResult result = resultsOf(*sender, settings, sending).front();
    QCOMPARE(toText(result.outcome), toText(Outcome::Accepted));
    QCOMPARE(result.status, 200);
    QCOMPARE(result.providerMessageId, QStringLiteral("m-1"));
    QVERIFY(result.left && result.code.isEmpty());

    resultsOf(*sender, settings, sending); // a second attempt: the same key, the same bytes
    QCOMPARE(stub.receptions(), 2);
    const auto requests = stub.requests();
    QCOMPARE(requests[0].body, requests[1].body);
    QCOMPARE(requests[0].header("Authorization"), "Bearer " + apiKey);
    QVERIFY(requests[0].header("User-Agent").startsWith("Sendoff/"));
    QCOMPARE(requests[0].header("Content-Type"), QByteArray("application/json"));
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
    for (const QString &kind : providerKindNames()) {
        const Outcome onServerError = kind == QLatin1String("resend") ? Outcome::Transient : Outcome::Unknown;
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
    ProviderStub stub(ProviderStub::always(200, accepted(kind)));
    ProviderSettings settings = provider(kind, baseOf(stub));
    settings.apiKey = "secret-key\n"; // as a file read whole gives it
    const AttemptResult result = resultsOf(*makeHttpSender({}), settings, items(settings)).front();
    QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
    QVERIFY(!result.left);
    QVERIFY(result.text.contains(QStringLiteral("Authorization")));
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
    ProviderStub stub(ProviderStub::always(200, accepted(QStringLiteral("resend"))));
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
    ProviderStub stub(ProviderStub::always(200, accepted(QStringLiteral("resend"))));
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
    const QString address = addressOf(providerKind(kind)->channel, 0);
    const QString text =
        QStringLiteral("Key %1 may not write to %2, %3 or %4; Authorization: Bearer %1; call +15550001234")
            .arg(QString::fromLatin1(apiKey), address, QString::fromLatin1(QUrl::toPercentEncoding(address)),
                 QStringLiteral("Jane.Doe@other.example ExponentPushToken[another]"));
    const QJsonObject error{
        {QStringLiteral("name"), address}, {QStringLiteral("code"), address}, {QStringLiteral("message"), text}};
    QJsonObject body = error;
    body.insert(QStringLiteral("errors"), QJsonArray{error});
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

void TestSenders::HTTP_06_doubtfulBatches_areUnknownAsAWhole_data()
{
    QTest::addColumn<QByteArray>("body");
    const QMap<int, QByteArray> gone{{3, "DeviceNotRegistered"}};
    QTest::newRow("one ticket too few") << tickets(99, gone);
    QTest::newRow("one ticket too many") << tickets(101, gone);
    QTest::newRow("another device is named") << tickets(100, gone, {{3, "ExponentPushToken[device-4]"}});
    QTest::newRow("data is missing") << QByteArray("{}");
    QTest::newRow("data is null") << QByteArray(R"({"data":null})");
    QTest::newRow("data is an object") << QByteArray(R"({"data":{"status":"ok","id":"m-1"}})");
    QTest::newRow("a ticket is none") << tickets(100, gone).replace("\"status\": \"error\"", "\"status\": \"odd\"");
    QTest::newRow("unknown error of the request") << QByteArray(R"({"errors":[{"code":"BRAND_NEW","message":"?"}]})");
    QTest::newRow("errors beside tickets")
        << tickets(100, gone).replace(0, 1, R"({"errors":[{"code":"VALIDATION_ERROR"}],)");
    QTest::newRow("no JSON") << QByteArray("<html></html>");
    QTest::newRow("an array") << QByteArray("[]");
}

void TestSenders::HTTP_06_doubtfulBatches_areUnknownAsAWhole()
{
    QFETCH(QByteArray, body);
    const ProviderSettings settings = provider(QStringLiteral("expo"), {});
    const auto results =
        providerKind(QStringLiteral("expo"))->classify(settings, items(settings, 100), answer(200, body), {});
    QCOMPARE(results.size(), size_t(100));
    for (const AttemptResult &result : results) {
        QCOMPARE(toText(result.outcome), toText(Outcome::Unknown));
        QVERIFY(!result.code.isEmpty());
    }
}

void TestSenders::HTTP_06_requestErrors_concernEveryItem()
{
    const ProviderSettings settings = provider(QStringLiteral("expo"), {});
    const auto results =
        providerKind(QStringLiteral("expo"))
            ->classify(settings, items(settings, 3),
                       answer(200, R"({"errors":[{"code":"TOO_MANY_REQUESTS","message":"600 a second"}]})"), {});
    QCOMPARE(results.size(), size_t(3));
    for (const AttemptResult &result : results) {
        QCOMPARE(toText(result.outcome), toText(Outcome::Throttled));
        QVERIFY(result.pausesBucket);
        QCOMPARE(result.wait->count(), 1000);
    }
}

void TestSenders::expo_sendsAnArrayOfItems()
{
    ProviderSettings settings = provider(QStringLiteral("expo"), QUrl(QStringLiteral("https://exp.host/")));
    const auto sending = items(settings, 2);
    const ProviderKind &kind = *providerKind(QStringLiteral("expo"));
    const HttpRequest request = kind.request(settings, sending);
    QCOMPARE(request.url, QUrl(QStringLiteral("https://exp.host/--/api/v2/push/send")));
    QCOMPARE(request.body, '[' + sending[0].body + ',' + sending[1].body + ']');
    const QJsonObject item = QJsonDocument::fromJson(request.body).array().at(1).toObject();
    QCOMPARE(item.value(QStringLiteral("to")).toString(), sending[1].address);
    QCOMPARE(item.value(QStringLiteral("title")).toString(), QStringLiteral("Booking"));
    QCOMPARE(item.value(QStringLiteral("data")).toObject().value(QStringLiteral("url")).toString(),
             QStringLiteral("https://taxi.example/b/981"));
    settings.apiKey.clear();
    for (const auto &header : kind.request(settings, sending).headers)
        QVERIFY(header.first != "Authorization");
    QCOMPARE(kind.batch, 100);
    QCOMPARE(kind.idempotencyWindow.count(), 0);
}

void TestSenders::expo_refusesWhatIsTooLarge()
{
    const ProviderSettings settings = provider(QStringLiteral("expo"), {});
    RenderedMessage large = message(Channel::Push);
    large.text = QString(5000, QLatin1Char('x'));
    const auto composed =
        providerKind(QStringLiteral("expo"))->compose(settings, large, addressOf(Channel::Push, 0), DeliveryId());
    QVERIFY(!composed);
    QCOMPARE(composed.error().code, ErrorCode::Invalid);
    QVERIFY(composed.error().message.contains(QStringLiteral("4096")));
}

void TestSenders::expo_unwrapsProviderErrors()
{
    const ProviderSettings settings = provider(QStringLiteral("expo"), {});
    const auto outcome = [&settings](const QByteArray &details) {
        const QByteArray body = R"({"data":[{"status":"error","message":"m","details":)" + details + "}]}";
        return providerKind(QStringLiteral("expo"))->classify(settings, items(settings), answer(200, body), {}).front();
    };
    const AttemptResult sender =
        outcome(R"({"error":"ProviderError","fault":"fcm","fcm":{"error":"MismatchSenderId"}})");
    QCOMPARE(toText(sender.outcome), toText(Outcome::Configuration));
    QCOMPARE(sender.code, QStringLiteral("MismatchSenderId"));
    QCOMPARE(toText(outcome(R"({"error":"ProviderError","fault":"fcm","fcm":{"error":"SomethingNew"}})").outcome),
             toText(Outcome::Transient));
    QCOMPARE(toText(outcome(R"({"error":"ProviderError"})").outcome), toText(Outcome::Transient));
}

void TestSenders::resend_bodyIsWhatItsApiReads()
{
    const ProviderSettings settings =
        provider(QStringLiteral("resend"), QUrl(QStringLiteral("https://api.resend.com")));
    const auto sending = items(settings);
    const ProviderKind &kind = *providerKind(QStringLiteral("resend"));
    const HttpRequest request = kind.request(settings, sending);
    QCOMPARE(request.url, QUrl(QStringLiteral("https://api.resend.com/emails")));
    const QJsonObject body = QJsonDocument::fromJson(request.body).object();
    QCOMPARE(body.value(QStringLiteral("from")).toString(), settings.from);
    QCOMPARE(body.value(QStringLiteral("to")).toArray(), QJsonArray{sending[0].address});
    QCOMPARE(body.value(QStringLiteral("subject")).toString(), message(Channel::Email).subject);
    QCOMPARE(body.value(QStringLiteral("text")).toString(), message(Channel::Email).text);
    QCOMPARE(body.value(QStringLiteral("html")).toString(), message(Channel::Email).html);
    QCOMPARE(body.size(), 5);
    QCOMPARE(kind.batch, 1);
    QVERIFY(kind.idempotencyWindow < std::chrono::hours(24));
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

void TestSenders::compose_refusesWhatCantBeSent_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("what");
    for (const QString &kind : providerKindNames()) {
        for (const char *what : {"channel", "address", "address\n", "content"})
            QTest::addRow("%s, %s", qPrintable(kind), QByteArray(what).trimmed().constData())
                << kind << QString::fromLatin1(what);
    }
    for (const char *what : {"subject", "subject\n", "from"})
        QTest::addRow("resend, %s", QByteArray(what).replace('\n', "LF").constData())
            << QStringLiteral("resend") << QString::fromLatin1(what);
}

void TestSenders::compose_refusesWhatCantBeSent()
{
    QFETCH(QString, kind);
    QFETCH(QString, what);
    ProviderSettings settings = provider(kind, {});
    RenderedMessage rendered = message(settings.channel);
    QString address = addressOf(settings.channel, 0);
    QVERIFY(providerKind(kind)->compose(settings, rendered, address, DeliveryId()).ok());
    if (what == QLatin1String("channel"))
        rendered.channel = Channel::Sms;
    else if (what == QLatin1String("address"))
        address.clear();
    else if (what == QLatin1String("address\n"))
        address += QStringLiteral("\r\nBcc: other@mail.example");
    else if (what == QLatin1String("subject"))
        rendered.subject.clear();
    else if (what == QLatin1String("subject\n"))
        rendered.subject += QStringLiteral("\nBcc: other@mail.example");
    else if (what == QLatin1String("from"))
        settings.from.clear();
    else
        rendered.text = rendered.html = rendered.title = QString();
    const auto composed = providerKind(kind)->compose(settings, rendered, address, DeliveryId());
    QVERIFY(!composed);
    QCOMPARE(composed.error().code, ErrorCode::Invalid);
    QVERIFY(!composed.error().message.contains(QStringLiteral("jane.doe")));
}

void TestSenders::unknownCodes_neverBlameTheRecipient()
{
    QFETCH(QString, kind);
    const ProviderSettings settings = provider(kind, {});
    const QByteArray body = R"({"name":"brand_new","message":"m","errors":[{"code":"BRAND_NEW","message":"m"}]})";
    for (int status = 300; status < 600; ++status) {
        const AttemptResult result =
            providerKind(kind)->classify(settings, items(settings), answer(status, body), {}).front();
        QVERIFY(result.outcome != Outcome::PermanentRecipient && result.outcome != Outcome::Accepted);
        if (status >= 500)
            QCOMPARE(toText(result.outcome),
                     toText(kind == QLatin1String("resend") ? Outcome::Transient : Outcome::Unknown));
        if (status == 400 || status == 409 || status == 422)
            QCOMPARE(toText(result.outcome), toText(Outcome::PermanentMessage));
    }
}

QTEST_GUILESS_MAIN(TestSenders)
#include "tst_senders.moc"
