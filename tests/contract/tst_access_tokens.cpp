#include "channel/access_tokens.h"
#include "channel/fcm/fcm_kind.h"
#include "channel/fcm/service_account.h"
#include "channel/http_sender.h"
#include "tests/support/provider_stub.h"
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QUrlQuery>
#include <atomic>

using namespace sendoff;
using namespace sendoff::channel;
using support::ProviderStub;
using support::StubConnection;
using support::StubIdentity;

namespace {

class MovableClock final : public Clock
{
public:
    Timestamp now() const override { return Timestamp(Milliseconds(1'800'000'000'000) + m_passed); }
    std::chrono::steady_clock::duration ticks() const override { return m_passed; }
    void advance(Milliseconds by) { m_passed += by; }

private:
    Milliseconds m_passed{0};
};

// Keeps what is posted until the test answers it.
class HoldingTransport final : public Transport
{
public:
    void post(const HttpRequest &request, Milliseconds, Done done) override
    {
        requests.push_back(request);
        m_open.push_back(std::move(done));
    }
    void cancelAll() override {}
    void answer(int status, const QByteArray &body)
    {
        HttpAnswer made;
        made.status = status;
        made.body = body;
        const Done done = m_open.front();
        m_open.erase(m_open.begin());
        done(made);
    }
    std::vector<HttpRequest> requests;

private:
    std::vector<Done> m_open;
};

QByteArray tokenBody(const QByteArray &token, int seconds = 3600)
{
    return R"({"access_token":")" + token + R"(","token_type":"Bearer","expires_in":)" + QByteArray::number(seconds) +
           "}";
}

// A service account with a key of this run.
QByteArray serviceAccount(const QUrl &tokenUri)
{
    static const auto identity = StubIdentity::make();
    if (!identity)
        return {};
    return QJsonDocument(QJsonObject{{QStringLiteral("type"), QStringLiteral("service_account")},
                                     {QStringLiteral("client_email"), QStringLiteral("push@demo.example")},
                                     {QStringLiteral("private_key_id"), QStringLiteral("key-7")},
                                     {QStringLiteral("private_key"), QString::fromLatin1(identity->key)},
                                     {QStringLiteral("project_id"), QStringLiteral("demo-project")},
                                     {QStringLiteral("token_uri"), tokenUri.toString()}})
        .toJson();
}

ProviderSettings fcm(const QUrl &base)
{
    ProviderSettings settings;
    settings.name = QStringLiteral("fcm");
    settings.kind = QStringLiteral("fcm");
    settings.channel = Channel::Push;
    settings.baseUrl = base;
    settings.apiKey = serviceAccount(base.resolved(QUrl(QStringLiteral("/token"))));
    return settings;
}

RenderedMessage pushMessage()
{
    RenderedMessage message;
    message.channel = Channel::Push;
    message.title = QStringLiteral("Booking");
    message.text = QStringLiteral("Confirmed");
    message.link = QStringLiteral("https://taxi.example/b/981");
    return message;
}

const QString device = QStringLiteral("dEvIcE:APA91b-token_0123456789");

std::vector<OutgoingItem> items(const ProviderSettings &settings)
{
    const DeliveryId id(QStringLiteral("00000000-0000-5000-8000-000000000001"));
    const auto body = fcmKind().compose(settings, pushMessage(), device, id);
    if (!body)
        qFatal("the test's message can't be composed: %s", qPrintable(body.error().message));
    return {{id, *body, device}};
}

AttemptResult resultOf(Sender &sender, const ProviderSettings &settings)
{
    auto done = std::make_shared<std::atomic_bool>(false);
    auto results = std::make_shared<std::vector<AttemptResult>>();
    sender.send(settings, items(settings), [done, results](std::vector<AttemptResult> given) {
        *results = std::move(given);
        *done = true;
    });
    if (!QTest::qWaitFor([&done] { return done->load(); }, 30'000))
        qFatal("no result came");
    return results->front();
}

using Answer = std::pair<int, QByteArray>;

// Google for a test: the token endpoint and the sending one, each with its own answers.
class Google
{
public:
    Google(std::function<Answer(int)> token, std::function<Answer(const QByteArray &)> send)
        : m_stub([this, token, send](StubConnection &connection, int) {
            while (const auto request = connection.readRequest()) {
                const bool isToken = request->head.startsWith("POST /token ");
                const Answer answer = isToken ? token(++tokens) : send(request->header("Authorization"));
                messages += isToken ? 0 : 1;
                if (!connection.answer(answer.first, answer.second, "Content-Type: application/json\r\n"))
                    return;
            }
        })
    {}
    QUrl base() const { return m_stub.url(QStringLiteral("/")); }
    std::vector<support::StubRequest> requests() const { return m_stub.requests(); }
    std::atomic_int tokens = 0;
    std::atomic_int messages = 0;

private:
    ProviderStub m_stub;
};

const Answer acceptedAnswer{200, R"({"name":"projects/demo-project/messages/1"})"};
const Answer unauthenticated{401, R"({"error":{"code":401,"message":"bad","status":"UNAUTHENTICATED"}})"};

Answer freshToken(int number)
{
    return {200, tokenBody("tok-" + QByteArray::number(number))};
}

#define NEEDS_OPENSSL()                                                                                                \
    if (serviceAccount({}).isEmpty())                                                                                  \
    QSKIP("NOT TESTED: service accounts, because there is no openssl command to make a key")

} // namespace

class TestAccessTokens : public QObject
{
    Q_OBJECT

    struct Taken
    {
        int times = 0;
        AccessTokens::Taken value;
        QByteArray token() const
        {
            const auto *text = std::get_if<QByteArray>(&value);
            return text ? *text : QByteArray();
        }
        AttemptResult failure() const
        {
            const auto *result = std::get_if<AttemptResult>(&value);
            return result ? *result : AttemptResult{};
        }
    };
    std::shared_ptr<Taken> take(AccessTokens &tokens, const ProviderSettings &settings,
                                Milliseconds deadline = Milliseconds(60'000))
    {
        auto taken = std::make_shared<Taken>();
        tokens.take(fcmKind(), settings, deadline, [taken](const AccessTokens::Taken &value) {
            taken->value = value;
            ++taken->times;
        });
        return taken;
    }

private Q_SLOTS:
    void oneFetch_servesAllWhoWait();
    void token_isKeptUntilFiveMinutesBeforeItsEnd();
    void shortToken_isUsedForHalfOfItsLife();
    void waiter_endsAtItsOwnDeadline_andTheFetchGoesOn();
    void failedFetch_endsEveryWaiterAndIsTriedAgain();
    void refusedToken_isReplacedOnce();
    void refusalOfAnOldToken_saysNothingAboutTheNewOne();
    void changedKey_hasNoOldToken();
    void cancelAll_endsEveryWait();

    void fcm_fetchesOneTokenForManyMessages();
    void fcm_refusedTokenIsRefreshedOnceAndThenAMatterOfConfiguration();
    void fcm_errorOfApnsIsNotTheTokens();
    void fcm_tokenEndpointsFailuresLeaveNothing_data();
    void fcm_tokenEndpointsFailuresLeaveNothing();
    void fcm_silentTokenEndpointEndsAtTheMessagesDeadline();
    void fcm_textsHoldNoTokenAndNoKey();
    void fcm_assertionIsSignedAndClaimsWhatGoogleAsks();
    void fcm_bodyIsWhatItsApiReads();
    void fcm_refusesWhatIsTooLargeOrEmpty();
    void fcm_checkNamesTheFieldAtFault_data();
    void fcm_checkNamesTheFieldAtFault();
};

void TestAccessTokens::oneFetch_servesAllWhoWait()
{
    HoldingTransport transport;
    const MovableClock clock;
    AccessTokens tokens(transport, clock);
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    const auto first = take(tokens, settings);
    const auto second = take(tokens, settings);
    QCOMPARE(transport.requests.size(), size_t(1));
    QCOMPARE(first->times, 0);
    transport.answer(200, tokenBody("t-1"));
    QCOMPARE(first->token(), QByteArray("t-1"));
    QCOMPARE(second->token(), QByteArray("t-1"));
    const auto third = take(tokens, settings);
    QCOMPARE(third->token(), QByteArray("t-1")); // at once
    QCOMPARE(transport.requests.size(), size_t(1));
    QCOMPARE(first->times + second->times + third->times, 3);
}

void TestAccessTokens::token_isKeptUntilFiveMinutesBeforeItsEnd()
{
    HoldingTransport transport;
    MovableClock clock;
    AccessTokens tokens(transport, clock);
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    take(tokens, settings);
    transport.answer(200, tokenBody("t-1", 3600));
    clock.advance(std::chrono::minutes(55) - Milliseconds(1));
    QCOMPARE(take(tokens, settings)->token(), QByteArray("t-1"));
    clock.advance(Milliseconds(1));
    const auto renewed = take(tokens, settings);
    QCOMPARE(renewed->times, 0);
    QCOMPARE(transport.requests.size(), size_t(2));
    transport.answer(200, tokenBody("t-2"));
    QCOMPARE(renewed->token(), QByteArray("t-2"));
}

void TestAccessTokens::shortToken_isUsedForHalfOfItsLife()
{
    HoldingTransport transport;
    MovableClock clock;
    AccessTokens tokens(transport, clock);
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    take(tokens, settings);
    transport.answer(200, tokenBody("t-1", 60));
    clock.advance(Milliseconds(29'999));
    QCOMPARE(take(tokens, settings)->token(), QByteArray("t-1"));
    clock.advance(Milliseconds(1));
    take(tokens, settings);
    QCOMPARE(transport.requests.size(), size_t(2));
}

void TestAccessTokens::waiter_endsAtItsOwnDeadline_andTheFetchGoesOn()
{
    HoldingTransport transport;
    const MovableClock clock;
    AccessTokens tokens(transport, clock);
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    const auto patient = take(tokens, settings);
    const auto hasty = take(tokens, settings, Milliseconds(1));
    QTRY_COMPARE_WITH_TIMEOUT(hasty->times, 1, 30'000);
    QCOMPARE(toText(hasty->failure().outcome), toText(Outcome::Transient));
    QVERIFY(!hasty->failure().left);
    QCOMPARE(patient->times, 0);
    transport.answer(200, tokenBody("t-1"));
    QCOMPARE(patient->token(), QByteArray("t-1"));
    QCOMPARE(hasty->times, 1);
}

void TestAccessTokens::failedFetch_endsEveryWaiterAndIsTriedAgain()
{
    HoldingTransport transport;
    const MovableClock clock;
    AccessTokens tokens(transport, clock);
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    const auto first = take(tokens, settings);
    const auto second = take(tokens, settings);
    transport.answer(400, R"({"error":"invalid_grant","error_description":"Invalid JWT Signature."})");
    for (const auto &taken : {first, second}) {
        QCOMPARE(toText(taken->failure().outcome), toText(Outcome::Configuration));
        QCOMPARE(taken->failure().code, QStringLiteral("invalid_grant"));
        QVERIFY(!taken->failure().left);
        QCOMPARE(taken->times, 1);
    }
    const auto third = take(tokens, settings);
    QCOMPARE(transport.requests.size(), size_t(2));
    transport.answer(200, tokenBody("t-1"));
    QCOMPARE(third->token(), QByteArray("t-1"));
}

void TestAccessTokens::refusedToken_isReplacedOnce()
{
    HoldingTransport transport;
    const MovableClock clock;
    AccessTokens tokens(transport, clock);
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    const auto fetch = [&](const QByteArray &token) {
        const auto taken = take(tokens, settings);
        transport.answer(200, tokenBody(token));
        return taken->token();
    };
    QCOMPARE(fetch("t-1"), QByteArray("t-1"));
    tokens.accepted(settings, "t-1");
    QVERIFY(tokens.refused(settings, "t-1"));
    QCOMPARE(fetch("t-2"), QByteArray("t-2"));
    QVERIFY(!tokens.refused(settings, "t-2")); // the replacement too
    QCOMPARE(fetch("t-3"), QByteArray("t-3")); // a probe later gets a new one
    QVERIFY(!tokens.refused(settings, "t-3"));
    QCOMPARE(fetch("t-4"), QByteArray("t-4"));
    tokens.accepted(settings, "t-4");
    QVERIFY(tokens.refused(settings, "t-4")); // all was well again
}

void TestAccessTokens::refusalOfAnOldToken_saysNothingAboutTheNewOne()
{
    HoldingTransport transport;
    const MovableClock clock;
    AccessTokens tokens(transport, clock);
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    take(tokens, settings);
    transport.answer(200, tokenBody("t-1"));
    QVERIFY(tokens.refused(settings, "t-1"));
    take(tokens, settings);
    transport.answer(200, tokenBody("t-2"));
    // Other requests were under way with the old one.
    QVERIFY(tokens.refused(settings, "t-1"));
    QCOMPARE(take(tokens, settings)->token(), QByteArray("t-2"));
}

void TestAccessTokens::changedKey_hasNoOldToken()
{
    HoldingTransport transport;
    const MovableClock clock;
    AccessTokens tokens(transport, clock);
    ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    take(tokens, settings);
    transport.answer(200, tokenBody("t-1"));
    settings.apiKey += ' ';
    const auto taken = take(tokens, settings);
    QCOMPARE(taken->times, 0);
    QCOMPARE(transport.requests.size(), size_t(2));
}

void TestAccessTokens::cancelAll_endsEveryWait()
{
    HoldingTransport transport;
    const MovableClock clock;
    AccessTokens tokens(transport, clock);
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("http://127.0.0.1:1/")));
    const auto taken = take(tokens, settings);
    tokens.cancelAll();
    QCOMPARE(taken->times, 1);
    QCOMPARE(taken->failure().code, QStringLiteral("cancelled"));
    QVERIFY(!taken->failure().left);
    transport.answer(200, tokenBody("t-1"));
    QCOMPARE(taken->times, 1);
}

void TestAccessTokens::fcm_fetchesOneTokenForManyMessages()
{
    NEEDS_OPENSSL();
    Google google(freshToken, [](const QByteArray &) { return acceptedAnswer; });
    const ProviderSettings settings = fcm(google.base());
    const auto sender = makeHttpSender({});
    std::atomic_int accepted = 0;
    for (int sent = 0; sent < 10; ++sent) {
        sender->send(settings, items(settings), [&accepted](const std::vector<AttemptResult> &results) {
            accepted += results.front().outcome == Outcome::Accepted ? 1 : 0;
        });
    }
    QTRY_COMPARE_WITH_TIMEOUT(accepted.load(), 10, 30'000);
    QCOMPARE(google.tokens.load(), 1);
    QCOMPARE(google.messages.load(), 10);
    for (const auto &request : google.requests()) {
        if (request.head.startsWith("POST /token "))
            continue;
        QCOMPARE(request.header("Authorization"), QByteArray("Bearer tok-1"));
        QVERIFY(request.head.startsWith("POST /v1/projects/demo-project/messages:send HTTP/1.1\r\n"));
    }
    const AttemptResult result = resultOf(*sender, settings);
    QCOMPARE(result.providerMessageId, QStringLiteral("projects/demo-project/messages/1"));
}

void TestAccessTokens::fcm_refusedTokenIsRefreshedOnceAndThenAMatterOfConfiguration()
{
    NEEDS_OPENSSL();
    std::atomic_bool isLocked = false;
    Google google(freshToken, [&isLocked](const QByteArray &authorization) {
        const bool isOld = authorization == "Bearer tok-1";
        return isLocked || isOld ? unauthenticated : acceptedAnswer;
    });
    const ProviderSettings settings = fcm(google.base());
    const auto sender = makeHttpSender({});
    const AttemptResult first = resultOf(*sender, settings);
    QCOMPARE(toText(first.outcome), toText(Outcome::Transient));
    QCOMPARE(first.code, QStringLiteral("UNAUTHENTICATED"));
    QVERIFY(first.wait && *first.wait <= Milliseconds(5'000));
    QCOMPARE(google.messages.load(), 1); // one request for each attempt
    QCOMPARE(toText(resultOf(*sender, settings).outcome), toText(Outcome::Accepted));
    QCOMPARE(google.tokens.load(), 2);

    isLocked = true;
    QCOMPARE(toText(resultOf(*sender, settings).outcome), toText(Outcome::Transient));
    QCOMPARE(toText(resultOf(*sender, settings).outcome), toText(Outcome::Configuration));
    isLocked = false; // the breaker's probe finds it mended
    QCOMPARE(toText(resultOf(*sender, settings).outcome), toText(Outcome::Accepted));
}

void TestAccessTokens::fcm_errorOfApnsIsNotTheTokens()
{
    NEEDS_OPENSSL();
    Google google(freshToken, [](const QByteArray &) {
        return Answer{401, R"({"error":{"code":401,"message":"m","status":"UNAUTHENTICATED","details":[)"
                           R"({"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":)"
                           R"("THIRD_PARTY_AUTH_ERROR"}]}})"};
    });
    const ProviderSettings settings = fcm(google.base());
    const auto sender = makeHttpSender({});
    for (int sent = 0; sent < 2; ++sent) {
        const AttemptResult result = resultOf(*sender, settings);
        QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
        QCOMPARE(result.code, QStringLiteral("THIRD_PARTY_AUTH_ERROR"));
    }
    QCOMPARE(google.tokens.load(), 1);
}

void TestAccessTokens::fcm_tokenEndpointsFailuresLeaveNothing_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("code");
    const auto row = [](const char *name, int status, const QByteArray &body, Outcome outcome, const char *code) {
        QTest::newRow(name) << status << body << outcome << QString::fromLatin1(code);
    };
    row("invalid grant", 400, R"({"error":"invalid_grant","error_description":"Invalid JWT"})", Outcome::Configuration,
        "invalid_grant");
    row("unknown client", 401, R"({"error":"invalid_client"})", Outcome::Configuration, "invalid_client");
    row("down", 503, "<html>", Outcome::Transient, "http_503");
    row("slow down", 429, "{}", Outcome::Throttled, "http_429");
    row("no token in it", 200, "{}", Outcome::Transient, "http_200");
    row("a page", 200, "<html>login</html>", Outcome::Transient, "http_200");
}

void TestAccessTokens::fcm_tokenEndpointsFailuresLeaveNothing()
{
    NEEDS_OPENSSL();
    QFETCH(int, status);
    QFETCH(QByteArray, body);
    QFETCH(Outcome, outcome);
    QFETCH(QString, code);
    Google google([&](int) { return Answer{status, body}; }, [](const QByteArray &) { return acceptedAnswer; });
    const AttemptResult result = resultOf(*makeHttpSender({}), fcm(google.base()));
    QCOMPARE(toText(result.outcome), toText(outcome));
    QCOMPARE(result.code, code);
    QVERIFY(!result.left);
    QVERIFY(!result.text.isEmpty());
    QCOMPARE(google.messages.load(), 0);
}

void TestAccessTokens::fcm_silentTokenEndpointEndsAtTheMessagesDeadline()
{
    NEEDS_OPENSSL();
    ProviderStub silent([](StubConnection &connection, int) {
        if (connection.readRequest())
            connection.waitForPeer();
    });
    ProviderSettings settings = fcm(silent.url(QStringLiteral("/")));
    settings.timeout = Milliseconds(300);
    const auto sender = makeHttpSender({});
    const AttemptResult late = resultOf(*sender, settings);
    QCOMPARE(toText(late.outcome), toText(Outcome::Transient)); // not Unknown: no message left
    QVERIFY(!late.left);
    // And one that is under way ends when all is cancelled.
    settings.timeout = Milliseconds(60'000);
    settings.name = QStringLiteral("another"); // has its own token
    std::atomic_int times = 0;
    sender->send(settings, items(settings), [&times](const std::vector<AttemptResult> &) { ++times; });
    QTRY_COMPARE_WITH_TIMEOUT(silent.receptions(), 2, 30'000);
    sender->cancelAll();
    QCOMPARE(times.load(), 1);
}

void TestAccessTokens::fcm_textsHoldNoTokenAndNoKey()
{
    NEEDS_OPENSSL();
    const QByteArray token = "ya29.secret-token-0123456789";
    Google google(
        [&](int) {
            return Answer{200, tokenBody(token)};
        },
        [](const QByteArray &authorization) {
            return Answer{401, R"({"error":{"status":"UNAUTHENTICATED","message":"got )" + authorization + " (" +
                                   authorization.mid(7) + ")\"}}"};
        });
    const AttemptResult result = resultOf(*makeHttpSender({}), fcm(google.base()));
    QVERIFY(result.text.contains(QStringLiteral("got")));
    QVERIFY2(!result.text.contains(QStringLiteral("secret-token")), qPrintable(result.text));

    Google refusing(
        [](int) {
            return Answer{400, R"({"error":"invalid_grant","error_description":"no account push@demo.example"})"};
        },
        [](const QByteArray &) { return acceptedAnswer; });
    const AttemptResult refused = resultOf(*makeHttpSender({}), fcm(refusing.base()));
    QVERIFY(refused.text.contains(QStringLiteral("no account")));
    QVERIFY(!refused.text.contains(QStringLiteral("push@demo.example")));
}

void TestAccessTokens::fcm_assertionIsSignedAndClaimsWhatGoogleAsks()
{
    NEEDS_OPENSSL();
    const ProviderSettings settings = fcm(QUrl(QStringLiteral("https://127.0.0.1:1/")));
    const Timestamp now = *fromRfc3339(u"2026-11-30T12:00:00Z");
    const HttpRequest request = fcmKind().tokenRequest(settings, now);
    QCOMPARE(request.contentType, QByteArray("application/x-www-form-urlencoded"));
    const QUrlQuery form(QString::fromLatin1(request.body));
    QCOMPARE(form.queryItemValue(QStringLiteral("grant_type"), QUrl::FullyDecoded),
             QStringLiteral("urn:ietf:params:oauth:grant-type:jwt-bearer"));
    const QByteArrayList parts = form.queryItemValue(QStringLiteral("assertion")).toLatin1().split('.');
    QCOMPARE(parts.size(), 3);
    const auto decoded = [](const QByteArray &part) {
        return QByteArray::fromBase64(part, QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
    };
    const QJsonObject header = QJsonDocument::fromJson(decoded(parts[0])).object();
    QCOMPARE(header.value(QStringLiteral("alg")).toString(), QStringLiteral("RS256"));
    QCOMPARE(header.value(QStringLiteral("kid")).toString(), QStringLiteral("key-7"));
    const QJsonObject claims = QJsonDocument::fromJson(decoded(parts[1])).object();
    QCOMPARE(claims.value(QStringLiteral("iss")).toString(), QStringLiteral("push@demo.example"));
    QCOMPARE(claims.value(QStringLiteral("aud")).toString(), request.url.toString());
    QCOMPARE(claims.value(QStringLiteral("scope")).toString(),
             QStringLiteral("https://www.googleapis.com/auth/firebase.messaging"));
    QCOMPARE(claims.value(QStringLiteral("iat")).toInteger(), now.time_since_epoch().count() / 1000);
    QCOMPARE(claims.value(QStringLiteral("exp")).toInteger(), now.time_since_epoch().count() / 1000 + 3600);

    // Somebody else's verifier.
    const QTemporaryDir folder;
    const auto write = [&folder](const char *name, const QByteArray &content) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() ? file.fileName() : QString();
    };
    const QJsonObject account = QJsonDocument::fromJson(settings.apiKey).object();
    const QString key = write("key", account.value(QStringLiteral("private_key")).toString().toLatin1());
    const QString text = write("text", parts[0] + '.' + parts[1]);
    const QString signature = write("signature", decoded(parts[2]));
    QProcess openssl;
    openssl.start(QStringLiteral("openssl"),
                  {QStringLiteral("dgst"), QStringLiteral("-sha256"), QStringLiteral("-prverify"), key,
                   QStringLiteral("-signature"), signature, text});
    QVERIFY(openssl.waitForFinished());
    QCOMPARE(openssl.exitCode(), 0);
}

void TestAccessTokens::fcm_bodyIsWhatItsApiReads()
{
    const DeliveryId id(QStringLiteral("00000000-0000-5000-8000-000000000001"));
    RenderedMessage message = pushMessage();
    message.validFor = Milliseconds(90'000);
    const auto body = fcmKind().compose({}, message, device, id);
    QVERIFY(body.ok());
    const QJsonObject made = QJsonDocument::fromJson(*body).object().value(QStringLiteral("message")).toObject();
    QCOMPARE(made.value(QStringLiteral("token")).toString(), device);
    const QJsonObject shown = made.value(QStringLiteral("notification")).toObject();
    QCOMPARE(shown.value(QStringLiteral("title")).toString(), message.title);
    QCOMPARE(shown.value(QStringLiteral("body")).toString(), message.text);
    QCOMPARE(made.value(QStringLiteral("data")).toObject().value(QStringLiteral("url")).toString(), message.link);
    const QJsonObject android = made.value(QStringLiteral("android")).toObject();
    QCOMPARE(android.value(QStringLiteral("ttl")).toString(), QStringLiteral("90s"));
    QCOMPARE(android.value(QStringLiteral("notification")).toObject().value(QStringLiteral("tag")).toString(),
             id.value);
    QVERIFY(!android.contains(QStringLiteral("collapse_key"))); // would drop what waits for a device that is away
    const QJsonObject headers =
        made.value(QStringLiteral("apns")).toObject().value(QStringLiteral("headers")).toObject();
    QCOMPARE(headers.value(QStringLiteral("apns-collapse-id")).toString(), id.value);
    QVERIFY(headers.value(QStringLiteral("apns-expiration")).toString().toLongLong() > 1'700'000'000);

    message.validFor = std::chrono::hours(24 * 365);
    const QJsonObject longest = QJsonDocument::fromJson(*fcmKind().compose({}, message, device, id)).object();
    QCOMPARE(longest.value(QStringLiteral("message"))[QStringLiteral("android")][QStringLiteral("ttl")].toString(),
             QStringLiteral("2419200s"));
}

void TestAccessTokens::fcm_refusesWhatIsTooLargeOrEmpty()
{
    RenderedMessage message = pushMessage();
    message.text = QString(5000, QLatin1Char('x'));
    const auto large = fcmKind().compose({}, message, device, DeliveryId());
    QVERIFY(!large);
    QVERIFY(large.error().message.contains(QStringLiteral("4096")));
    message.title.clear();
    message.text.clear();
    QVERIFY(!fcmKind().compose({}, message, device, DeliveryId()));
    QVERIFY(!fcmKind().compose({}, pushMessage(), QString(), DeliveryId()));
    message.channel = Channel::Sms;
    QVERIFY(!fcmKind().compose({}, message, device, DeliveryId()));
}

void TestAccessTokens::fcm_checkNamesTheFieldAtFault_data()
{
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("value");
    for (const char *field : {"client_email", "private_key", "token_uri", "project_id"})
        QTest::addRow("no %s", field) << QString::fromLatin1(field) << QString();
    QTest::newRow("key that is none") << QStringLiteral("private_key") << QStringLiteral("-----BEGIN PRIVATE KEY-----");
    QTest::newRow("token_uri without TLS")
        << QStringLiteral("token_uri") << QStringLiteral("http://oauth2.example/token");
    QTest::newRow("project_id that is a path") << QStringLiteral("project_id") << QStringLiteral("a/../b");
}

void TestAccessTokens::fcm_checkNamesTheFieldAtFault()
{
    NEEDS_OPENSSL();
    QFETCH(QString, field);
    QFETCH(QString, value);
    ProviderSettings settings = fcm(QUrl(QStringLiteral("https://fcm.googleapis.com")));
    settings.apiKey = serviceAccount(QUrl(QStringLiteral("https://oauth2.googleapis.com/token")));
    QVERIFY(fcmKind().check(settings).ok());
    QJsonObject account = QJsonDocument::fromJson(settings.apiKey).object();
    account.insert(field, value);
    settings.apiKey = QJsonDocument(account).toJson();
    const auto checked = fcmKind().check(settings);
    QVERIFY(!checked);
    QVERIFY2(checked.error().message.startsWith(QStringLiteral("api_key:")), qPrintable(checked.error().message));
    QVERIFY2(checked.error().message.contains(field), qPrintable(checked.error().message));
    settings.apiKey = "not JSON";
    QVERIFY(!fcmKind().check(settings));
}

QTEST_GUILESS_MAIN(TestAccessTokens)
#include "tst_access_tokens.moc"
