#include "channel/network_transport.h"
#include "tests/support/provider_stub.h"
#include <QEventLoop>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace sendoff;
using namespace sendoff::channel;
using support::ProviderStub;
using support::StubConnection;
using support::StubIdentity;
using Script = ProviderStub::Script;

Q_DECLARE_METATYPE(Script)

namespace {

constexpr Milliseconds farAway{60'000};
constexpr Milliseconds soon{600};
const QByteArray okHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

HttpRequest requestTo(const QUrl &url, const QByteArray &body = R"({"a":1})")
{
    HttpRequest request;
    request.url = url;
    request.body = body;
    return request;
}

// One post() and what came back.
struct Call
{
    HttpAnswer answer;
    int times = 0;
};

std::shared_ptr<Call> post(Transport &transport, const HttpRequest &request, Milliseconds deadline = farAway)
{
    auto call = std::make_shared<Call>();
    transport.post(request, deadline, [call](const HttpAnswer &answer) {
        call->answer = answer;
        ++call->times;
    });
    return call;
}

bool waitFor(const std::function<bool()> &isTrue)
{
    return QTest::qWaitFor(isTrue, 30'000);
}

HttpAnswer answerTo(Transport &transport, const HttpRequest &request, Milliseconds deadline = farAway)
{
    const auto call = post(transport, request, deadline);
    if (!waitFor([&call] { return call->times > 0; }))
        qFatal("no callback came");
    return call->answer;
}

Script readThen(const std::function<void(StubConnection &)> &next)
{
    return [next](StubConnection &connection, int) {
        if (connection.readRequest())
            next(connection);
    };
}

Script hang()
{
    return readThen([](StubConnection &connection) { connection.waitForPeer(); });
}

// Writes for ever, as fast as the peer reads.
Script flood(const QByteArray &head, const QByteArray &piece)
{
    return readThen([head, piece](StubConnection &connection) {
        for (bool goesOn = connection.write(head); goesOn;)
            goesOn = connection.write(piece);
    });
}

Script drip(const QByteArray &head, const QByteArray &piece)
{
    return readThen([head, piece](StubConnection &connection) {
        for (bool goesOn = connection.write(head); goesOn;)
            goesOn = connection.write(piece) && connection.pause(60);
    });
}

qint64 residentKilobytes()
{
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    static const QRegularExpression line(QStringLiteral("VmRSS:\\s+(\\d+)"));
    return line.match(QString::fromLatin1(file.readAll())).captured(1).toLongLong();
}

QByteArray word(Fault fault)
{
    static const QMap<Fault, QByteArray> words{
        {Fault::None, "None"}, {Fault::Refused, "Refused"},   {Fault::NotConnected, "NotConnected"},
        {Fault::Tls, "Tls"},   {Fault::Proxy, "Proxy"},       {Fault::Deadline, "Deadline"},
        {Fault::Lost, "Lost"}, {Fault::TooLarge, "TooLarge"}, {Fault::Cancelled, "Cancelled"}};
    return words.value(fault);
}

quint16 closedPort()
{
    QTcpServer server;
    server.listen(QHostAddress::LocalHost);
    return server.serverPort();
}

QUrl urlAt(const QString &host, quint16 port, const QString &scheme = QStringLiteral("http"))
{
    return QUrl(QStringLiteral("%1://%2:%3/send").arg(scheme, host).arg(port));
}

// Sets a variable for one test.
class Variable
{
public:
    Variable(const char *name, const QByteArray &value)
        : m_name(name)
        , m_before(qgetenv(name))
    {
        qputenv(name, value);
    }
    ~Variable() { m_before.isEmpty() ? qunsetenv(m_name) : qputenv(m_name, m_before); }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;

private:
    const char *m_name;
    QByteArray m_before;
};

} // namespace

class TestHttpTransport : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY",
                                 "ALL_PROXY", "NO_PROXY"})
            qunsetenv(name);
    }

    void post_sendsTheBodyAndGivesTheAnswer();
    void post_isReceivedOnce_whateverThePeerDoes_data();
    void post_isReceivedOnce_whateverThePeerDoes();
    void post_isReceivedOnce_whenAKeptConnectionIsDropped();
    void redirects_areNotFollowed_data();
    void redirects_areNotFollowed();
    void challenge_isAnAnswerAndNotRepeated();
    void unsafeRequests_areRefusedBeforeAnythingLeaves_data();
    void unsafeRequests_areRefusedBeforeAnythingLeaves();
    void unreachableProviders_haveTheirOwnCodes_data();
    void unreachableProviders_haveTheirOwnCodes();
    void brokenAnswers_keepTheStatusAndAreLost_data();
    void brokenAnswers_keepTheStatusAndAreLost();

    void HTTP_05_drippingAndSilentAnswers_endAtTheDeadline_data();
    void HTTP_05_drippingAndSilentAnswers_endAtTheDeadline();
    void HTTP_05_endlessAnswers_areCutAtTheLimit_data();
    void HTTP_05_endlessAnswers_areCutAtTheLimit();
    void HTTP_05_manyHeaders_costLittleAndEnd();
    void HTTP_05_compressedAnswers_areNeverExpanded();
    void HTTP_05_bodyOfA204_isNotTakenForTheNextAnswer();
    void HTTP_05_sevenBadEndpoints_doNotStopTheGoodOne();

    void get_asksWithoutABodyAndGivesTheAnswer();
    void get_endsLikeAPost();
    void pinnedAddress_isWhereItConnects_andTheNameStays();
    void pinnedAddress_doesNotShareConnectionsWithOthers();
    void pinnedAddress_goesThroughAProxyToo();
    void pinnedTls_greetsAndVerifiesTheName();

    void waitingRequests_haveNotLeftWhenTheDeadlinePasses();
    void requestsBeyondSix_areAllOnTheWire();
    void deadlineBeyond32Bits_doesNotPassAtOnce();
    void cancelAll_endsEachRequestOnceAndSaysWhatMayHaveLeft();
    void destruction_endsEachRequestOnce();
    void callback_mayPostAgain();

    void HTTP_03_explicitProxy_carriesTheRequestThroughATunnel();
    void HTTP_03_environment_isUsedOnlyWhenAskedAndHonoursNoProxy();
    void HTTP_03_noProxyForms_areUnderstood_data();
    void HTTP_03_noProxyForms_areUnderstood();
    void HTTP_03_failingProxy_isNotBlamedOnTheProvider_data();
    void HTTP_03_failingProxy_isNotBlamedOnTheProvider();
    void HTTP_03_silentProxy_endsAtTheDeadlineAndNothingLeft();
    void HTTP_03_passwordOfTheProxy_isMasked();
    void badSettings_areRefusedWithTheirName();

    void untrustedCertificate_isRefusedBeforeAnythingLeaves();
    void trustedCertificate_isAccepted();
    void tlsPeerThatDrops_getsTheRequestOnce();
    void silentTlsPeer_endsAtTheDeadlineAndNothingLeft();
    void http2_isUsedOverTlsAndSendsOnce();
    void http2_largeAnswer_isCutAtTheLimit();
};

void TestHttpTransport::post_sendsTheBodyAndGivesTheAnswer()
{
    ProviderStub stub(ProviderStub::always(201, R"({"id":"m-1"})", "X-Kept: yes\r\n"));
    const auto transport = makeNetworkTransport({});
    HttpRequest request = requestTo(stub.url(), QByteArray(100'000, 'x'));
    request.headers = {{"Idempotency-Key", "d-1"}, {"User-Agent", "Sendoff/0.1"}};

    const HttpAnswer answer = answerTo(*transport, request);
    QCOMPARE(word(answer.fault), QByteArray("None"));
    QCOMPARE(answer.status, 201);
    QCOMPARE(answer.body, QByteArray(R"({"id":"m-1"})"));
    QCOMPARE(answer.header("x-kept"), QByteArray("yes"));
    QVERIFY(answer.left);
    QCOMPARE(stub.receptions(), 1);
    const support::StubRequest got = stub.requests().front();
    QVERIFY(got.head.startsWith("POST /send HTTP/1.1\r\n"));
    QCOMPARE(got.body, request.body);
    QCOMPARE(got.header("Idempotency-Key"), QByteArray("d-1"));
    QCOMPARE(got.header("User-Agent"), QByteArray("Sendoff/0.1"));
    QCOMPARE(got.header("Content-Type"), QByteArray("application/json"));
    QCOMPARE(got.header("Accept-Encoding"), QByteArray("identity"));
    QCOMPARE(got.header("Upgrade"), QByteArray()); // no HTTP/2 without TLS
}

void TestHttpTransport::post_isReceivedOnce_whateverThePeerDoes_data()
{
    QTest::addColumn<Script>("script");
    QTest::newRow("closes") << readThen([](StubConnection &) {});
    QTest::newRow("resets") << readThen([](StubConnection &connection) { connection.reset(); });
    QTest::newRow("half a status line") << readThen([](StubConnection &connection) { connection.write("HTTP/1.1 2"); });
    QTest::newRow("half a header") << readThen(
        [](StubConnection &connection) { connection.write("HTTP/1.1 200 OK\r\nCont"); });
    QTest::newRow("no HTTP") << readThen(
        [](StubConnection &connection) { connection.write("220 mail ready\r\n\r\n"); });
}

void TestHttpTransport::post_isReceivedOnce_whateverThePeerDoes()
{
    QFETCH(Script, script);
    ProviderStub stub(script);
    const auto transport = makeNetworkTransport({});
    // The first request of a manager is the one that Qt repeats most readily; the later ones use it again.
    for (int sent = 1; sent <= 4; ++sent) {
        const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()));
        QCOMPARE(word(answer.fault), QByteArray("Lost"));
        QCOMPARE(answer.status, 0);
        QVERIFY(answer.left);
        QCOMPARE(stub.receptions(), sent);
    }
}

void TestHttpTransport::post_isReceivedOnce_whenAKeptConnectionIsDropped()
{
    ProviderStub stub([](StubConnection &connection, int) {
        // Qt drops a connection by itself when the answer is there within microseconds, as only loopback can.
        if (connection.readRequest() && connection.pause(20) && connection.answer(200, "{}"))
            connection.readRequest(); // and close
    });
    const auto transport = makeNetworkTransport({});
    int lost = 0;
    for (int sent = 1; sent <= 10; ++sent) {
        const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()));
        lost += answer.fault == Fault::Lost ? 1 : 0;
        QCOMPARE(answer.status, answer.fault == Fault::Lost ? 0 : 200);
        QCOMPARE(stub.receptions(), sent);
    }
    QCOMPARE(lost, 5); // each second one, and none is repeated in silence
}

void TestHttpTransport::redirects_areNotFollowed_data()
{
    QTest::addColumn<int>("status");
    for (const int status : {301, 302, 303, 307, 308})
        QTest::addRow("%d", status) << status;
}

void TestHttpTransport::redirects_areNotFollowed()
{
    QFETCH(int, status);
    ProviderStub elsewhere(ProviderStub::always(200, "{}"));
    ProviderStub stub(ProviderStub::always(status, "moved", "Location: " + elsewhere.url().toEncoded() + "\r\n"));
    const auto transport = makeNetworkTransport({});
    HttpRequest request = requestTo(stub.url());
    request.headers = {{"Authorization", "Bearer secret-key"}};
    const HttpAnswer answer = answerTo(*transport, request);
    QCOMPARE(answer.status, status);
    QCOMPARE(stub.receptions(), 1);
    QCOMPARE(elsewhere.connections(), 0);
}

void TestHttpTransport::challenge_isAnAnswerAndNotRepeated()
{
    ProviderStub stub(
        ProviderStub::always(401, R"({"name":"missing_api_key"})", "WWW-Authenticate: Basic realm=\"x\"\r\n"));
    const auto transport = makeNetworkTransport({});
    const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()));
    QCOMPARE(word(answer.fault), QByteArray("None"));
    QCOMPARE(answer.status, 401);
    QCOMPARE(answer.body, QByteArray(R"({"name":"missing_api_key"})"));
    QCOMPARE(stub.receptions(), 1);
}

void TestHttpTransport::unsafeRequests_areRefusedBeforeAnythingLeaves_data()
{
    QTest::addColumn<HttpRequest>("request");
    const auto with = [](const QByteArray &name, const QByteArray &value) {
        HttpRequest request = requestTo({});
        request.headers = {{name, value}};
        return request;
    };
    QTest::newRow("CRLF in a value") << with("X-A", "hi\r\nBcc: x");
    QTest::newRow("LF in a value") << with("User-Agent", "a\nInj: 1");
    QTest::newRow("CR in a value") << with("X-A", "a\rb");
    QTest::newRow("NUL in a value") << with("X-A", QByteArray("a\0b", 3));
    QTest::newRow("CRLF in a name") << with("X-Name\r\nInj", "1");
    QTest::newRow("blank in a name") << with("X Name", "1");
    QTest::newRow("NUL in a name") << with(QByteArray("X\0A", 3), "1");
    QTest::newRow("empty name") << with("", "1");
    QTest::newRow("second length") << with("content-length", "1");
    QTest::newRow("own encoding") << with("Transfer-Encoding", "chunked");
    HttpRequest type = requestTo({});
    type.contentType = "text/plain\r\nInj: 1";
    QTest::newRow("CRLF in the content type") << type;
    QTest::newRow("no body") << requestTo({}, {});
    HttpRequest asking = requestTo({});
    asking.method = "GET";
    QTest::newRow("GET with a body") << asking;
    HttpRequest other = requestTo({});
    other.method = "PUT";
    QTest::newRow("another method") << other;
    for (const char *address : {"hooks.example.test", "127.0.0.1:80", "fe80::1%eth0", "[::1]", " "}) {
        HttpRequest pinned = requestTo({});
        pinned.pinnedAddress = QString::fromLatin1(address);
        QTest::addRow("pinned to %s", address) << pinned;
    }
    QTest::newRow("password in the address") << requestTo(QUrl(QStringLiteral("http://user:word@127.0.0.1/")));
    QTest::newRow("no http") << requestTo(QUrl(QStringLiteral("file:///etc/hostname")));
}

void TestHttpTransport::unsafeRequests_areRefusedBeforeAnythingLeaves()
{
    QFETCH(HttpRequest, request);
    ProviderStub stub(ProviderStub::always(200, "{}"));
    if (request.url.isEmpty())
        request.url = stub.url();
    const auto transport = makeNetworkTransport({});
    const auto call = post(*transport, request);
    QCOMPARE(call->times, 1);
    QCOMPARE(word(call->answer.fault), QByteArray("Refused"));
    QVERIFY(!call->answer.left);
    QVERIFY(!call->answer.faultText.isEmpty());
    for (const auto &header : request.headers)
        QVERIFY(header.second.size() < 3 || !call->answer.faultText.contains(QString::fromLatin1(header.second)));
    // Another request on the same transport is the only one that arrives.
    answerTo(*transport, requestTo(stub.url()));
    QCOMPARE(stub.receptions(), 1);
}

void TestHttpTransport::unreachableProviders_haveTheirOwnCodes_data()
{
    QTest::addColumn<QUrl>("url");
    QTest::addColumn<QString>("code");
    QTest::newRow("closed port") << urlAt(QStringLiteral("127.0.0.1"), closedPort())
                                 << QStringLiteral("connection_refused");
    QTest::newRow("no such name") << urlAt(QStringLiteral("provider.invalid"), 80) << QStringLiteral("dns");
}

void TestHttpTransport::unreachableProviders_haveTheirOwnCodes()
{
    QFETCH(QUrl, url);
    QFETCH(QString, code);
    const auto transport = makeNetworkTransport({});
    const HttpAnswer answer = answerTo(*transport, requestTo(url));
    QCOMPARE(word(answer.fault), QByteArray("NotConnected"));
    QCOMPARE(answer.faultCode, code);
    QVERIFY(!answer.left);
    QVERIFY(!answer.faultText.contains(url.host()));
}

void TestHttpTransport::brokenAnswers_keepTheStatusAndAreLost_data()
{
    QTest::addColumn<Script>("script");
    QTest::addColumn<int>("status");
    const auto answering = [](const QByteArray &bytes) {
        return readThen([bytes](StubConnection &connection) { connection.write(bytes); });
    };
    QTest::newRow("HTTP_05 i: cut in the body") << answering(okHead + "Content-Length: 100\r\n\r\n{\"id\":") << 200;
    QTest::newRow("cut before the body") << answering(okHead + "Content-Length: 100\r\n\r\n") << 200;
    QTest::newRow("cut in a chunk") << answering(okHead + "Transfer-Encoding: chunked\r\n\r\n40\r\n{\"id\":") << 200;
    QTest::newRow("cut refusal") << answering("HTTP/1.1 422 No\r\nContent-Length: 100\r\n\r\n{") << 422;
}

void TestHttpTransport::brokenAnswers_keepTheStatusAndAreLost()
{
    QFETCH(Script, script);
    QFETCH(int, status);
    ProviderStub stub(script);
    const auto transport = makeNetworkTransport({});
    for (int sent = 1; sent <= 3; ++sent) {
        const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()));
        QCOMPARE(answer.status, status);
        QCOMPARE(word(answer.fault), QByteArray("Lost"));
        QVERIFY(answer.left);
        QCOMPARE(stub.receptions(), sent);
    }
}

void TestHttpTransport::HTTP_05_drippingAndSilentAnswers_endAtTheDeadline_data()
{
    QTest::addColumn<Script>("script");
    QTest::addColumn<int>("status");
    QTest::newRow("a: drips headers") << drip("HTTP/1.1 200 OK\r\nX-A: ", "a") << 0;
    QTest::newRow("b: drips the body") << drip(okHead + "Content-Length: 100000\r\n\r\n", "a") << 200;
    QTest::newRow("f: never answers") << hang() << 0;
    QTest::newRow("g: continues for ever") << drip({}, "HTTP/1.1 100 Continue\r\n\r\n") << 0;
    QTest::newRow("g: continues without a pause") << flood({}, "HTTP/1.1 100 Continue\r\n\r\n") << 0;
    QTest::newRow("endless headers") << flood("HTTP/1.1 200 OK\r\n", "X-Flood: " + QByteArray(1000, 'x') + "\r\n") << 0;
}

void TestHttpTransport::HTTP_05_drippingAndSilentAnswers_endAtTheDeadline()
{
    QFETCH(Script, script);
    QFETCH(int, status);
    ProviderStub stub(script);
    const auto transport = makeNetworkTransport({});
    const qint64 before = residentKilobytes();
    const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()), soon);
    QCOMPARE(word(answer.fault), QByteArray("Deadline"));
    QCOMPARE(answer.faultCode, QStringLiteral("timeout"));
    QCOMPARE(answer.status, status);
    QVERIFY(answer.left);
    QCOMPARE(stub.receptions(), 1);
    const qint64 grown = residentKilobytes() - before;
    QVERIFY2(grown < 50 * 1024, qPrintable(QStringLiteral("%1 KB").arg(grown)));
}

void TestHttpTransport::HTTP_05_endlessAnswers_areCutAtTheLimit_data()
{
    QTest::addColumn<Script>("script");
    QTest::addColumn<qsizetype>("bytes");
    const QByteArray chunk = "10000\r\n" + QByteArray(0x10000, 'x') + "\r\n";
    constexpr qsizetype limit = 64 * 1024;
    QTest::newRow("c: endless chunks") << flood(okHead + "Transfer-Encoding: chunked\r\n\r\n", chunk) << limit;
    QTest::newRow("10 GB announced") << flood(okHead + "Content-Length: 10000000000\r\n\r\n", chunk) << limit;
    QTest::newRow("until close") << flood(okHead + "\r\n", chunk) << limit;
}

void TestHttpTransport::HTTP_05_endlessAnswers_areCutAtTheLimit()
{
    QFETCH(Script, script);
    QFETCH(qsizetype, bytes);
    ProviderStub stub(script);
    const auto transport = makeNetworkTransport({});
    const qint64 before = residentKilobytes();
    const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()));
    QCOMPARE(word(answer.fault), QByteArray("TooLarge"));
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.body.size(), bytes);
    QVERIFY(answer.headers.size() <= 256);
    QVERIFY(answer.left);
    QCOMPARE(stub.receptions(), 1);
    const qint64 grown = residentKilobytes() - before;
    QVERIFY2(grown < 50 * 1024, qPrintable(QStringLiteral("%1 KB").arg(grown)));
}

void TestHttpTransport::HTTP_05_manyHeaders_costLittleAndEnd()
{
    QByteArray headers;
    for (int i = 0; i < 100'000; ++i)
        headers += "X-Header-" + QByteArray::number(i) + ": x\r\n";
    ProviderStub stub(readThen([headers](StubConnection &connection) {
        connection.write(okHead + headers + "Content-Length: 2\r\n\r\n{}");
        connection.waitForPeer();
    }));
    const auto transport = makeNetworkTransport({});
    const qint64 before = residentKilobytes();
    // Qt reads a head byte by byte, so the deadline may come first; what counts is that it ends and keeps little.
    const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()), Milliseconds(2'000));
    QVERIFY(answer.fault == Fault::Deadline || answer.status == 200);
    QVERIFY(answer.left);
    QVERIFY(answer.headers.size() <= 256);
    QCOMPARE(stub.receptions(), 1);
    const qint64 grown = residentKilobytes() - before;
    QVERIFY2(grown < 50 * 1024, qPrintable(QStringLiteral("%1 KB").arg(grown)));
}

void TestHttpTransport::HTTP_05_compressedAnswers_areNeverExpanded()
{
    // A gzip member around qCompress' deflate stream is not needed: what matters is that not a byte is touched.
    const QByteArray bomb = qCompress(QByteArray(10'000'000, '\0'), 9).mid(4);
    ProviderStub stub(ProviderStub::always(200, bomb, "Content-Encoding: deflate\r\n"));
    const auto transport = makeNetworkTransport({});
    const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()));
    QCOMPARE(answer.body, bomb);
    QCOMPARE(word(answer.fault), QByteArray("None"));
}

void TestHttpTransport::HTTP_05_bodyOfA204_isNotTakenForTheNextAnswer()
{
    const QByteArray forged = "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"id\":\"forged\"}";
    ProviderStub stub([forged](StubConnection &connection, int number) {
        while (connection.readRequest()) {
            if (number == 1)
                connection.write("HTTP/1.1 204 None\r\nContent-Length: " + QByteArray::number(forged.size()) +
                                 "\r\n\r\n" + forged);
            else
                connection.answer(200, R"({"id":"true"})");
        }
    });
    const auto transport = makeNetworkTransport({});
    const HttpAnswer first = answerTo(*transport, requestTo(stub.url()));
    QCOMPARE(first.status, 204);
    QCOMPARE(word(first.fault), QByteArray("None"));
    QCOMPARE(first.body, QByteArray());
    const HttpAnswer second = answerTo(*transport, requestTo(stub.url()));
    QCOMPARE(second.body, QByteArray(R"({"id":"true"})"));
    QCOMPARE(stub.receptions(), 2);
}

void TestHttpTransport::HTTP_05_sevenBadEndpoints_doNotStopTheGoodOne()
{
    std::vector<std::unique_ptr<ProviderStub>> bad;
    bad.push_back(std::make_unique<ProviderStub>(drip("HTTP/1.1 200 OK\r\nX-A: ", "a")));
    bad.push_back(std::make_unique<ProviderStub>(drip(okHead + "Content-Length: 100000\r\n\r\n", "a")));
    bad.push_back(std::make_unique<ProviderStub>(hang()));
    bad.push_back(std::make_unique<ProviderStub>(drip({}, "HTTP/1.1 100 Continue\r\n\r\n")));
    bad.push_back(std::make_unique<ProviderStub>([](StubConnection &connection, int) { connection.waitForPeer(); }));
    bad.push_back(std::make_unique<ProviderStub>(flood("HTTP/1.1 200 OK\r\n", "X-Flood: xxxxxxxx\r\n")));
    bad.push_back(std::make_unique<ProviderStub>(drip(okHead + "Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n")));
    ProviderStub good(ProviderStub::always(200, R"({"id":"m-1"})"));

    const auto transport = makeNetworkTransport({});
    std::vector<std::shared_ptr<Call>> stuck;
    for (const auto &stub : bad)
        stuck.push_back(post(*transport, requestTo(stub->url())));
    for (const auto &stub : bad)
        QVERIFY(waitFor([&stub] { return stub->connections() > 0; }));
    for (int sent = 0; sent < 20; ++sent)
        QCOMPARE(answerTo(*transport, requestTo(good.url())).status, 200);
    for (const auto &call : stuck)
        QCOMPARE(call->times, 0); // they were there all along
    transport->cancelAll();
    for (const auto &call : stuck)
        QCOMPARE(call->times, 1);
    for (int sent = 0; sent < 20; ++sent) // and what they left behind is in nobody's way
        QCOMPARE(answerTo(*transport, requestTo(good.url())).status, 200);
}

void TestHttpTransport::get_asksWithoutABodyAndGivesTheAnswer()
{
    ProviderStub elsewhere(ProviderStub::always(200, "{}"));
    ProviderStub stub(ProviderStub::always(200, R"({"found":true})"));
    ProviderStub moved(ProviderStub::always(302, "", "Location: " + elsewhere.url().toEncoded() + "\r\n"));
    const auto transport = makeNetworkTransport({});
    HttpRequest asking = requestTo(stub.url(QStringLiteral("/messages")), {});
    asking.method = "GET";
    asking.headers = {{"Authorization", "Bearer k"}};
    const HttpAnswer answer = answerTo(*transport, asking);
    QCOMPARE(word(answer.fault), QByteArray("None"));
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.body, QByteArray(R"({"found":true})"));
    QCOMPARE(stub.receptions(), 1);
    const support::StubRequest got = stub.requests().front();
    QVERIFY(got.head.startsWith("GET /messages HTTP/1.1\r\n"));
    QCOMPARE(got.body, QByteArray());
    QCOMPARE(got.header("Authorization"), QByteArray("Bearer k"));
    QCOMPARE(got.header("Content-Length"), QByteArray());
    QCOMPARE(got.header("Content-Type"), QByteArray());

    asking.url = moved.url();
    QCOMPARE(answerTo(*transport, asking).status, 302);
    QCOMPARE(elsewhere.connections(), 0);
}

void TestHttpTransport::get_endsLikeAPost()
{
    const auto transport = makeNetworkTransport({});
    HttpRequest asking = requestTo(urlAt(QStringLiteral("127.0.0.1"), closedPort()), {});
    asking.method = "GET";
    const HttpAnswer refused = answerTo(*transport, asking);
    QCOMPARE(refused.faultCode, QStringLiteral("connection_refused"));
    QVERIFY(!refused.left);

    ProviderStub silent(hang());
    asking.url = silent.url();
    const HttpAnswer late = answerTo(*transport, asking, soon);
    QCOMPARE(word(late.fault), QByteArray("Deadline"));
    QVERIFY(late.left);

    ProviderStub endless(flood(okHead + "\r\n", QByteArray(0x10000, 'x')));
    asking.url = endless.url();
    const HttpAnswer large = answerTo(*transport, asking);
    QCOMPARE(word(large.fault), QByteArray("TooLarge"));
    QCOMPARE(large.body.size(), TransportSettings().maxAnswerBytes);
}

void TestHttpTransport::pinnedAddress_isWhereItConnects_andTheNameStays()
{
    ProviderStub stub(ProviderStub::always(200, "{}"));
    const auto transport = makeNetworkTransport({});
    const QByteArray port = QByteArray::number(stub.port());
    // None of these names is looked up: the first does not exist, the others lead elsewhere.
    for (const char *host : {"hooks.example.test", "localhost", "[2606:4700::1111]", "8.8.8.8"}) {
        const int before = stub.receptions();
        HttpRequest request =
            requestTo(QUrl(QString::fromLatin1("http://%1:%2/in?a=1").arg(QLatin1String(host)).arg(stub.port())));
        request.pinnedAddress = QStringLiteral("127.0.0.1");
        const HttpAnswer answer = answerTo(*transport, request);
        QCOMPARE(answer.status, 200);
        QCOMPARE(stub.receptions(), before + 1);
        QCOMPARE(stub.requests().back().header("Host"), host + (':' + port));
        QVERIFY(stub.requests().back().head.startsWith("POST /in?a=1 HTTP/1.1\r\n"));
    }
    // A name that would be found is of no use to a pin that leads nowhere.
    HttpRequest astray = requestTo(stub.url());
    astray.pinnedAddress = QStringLiteral("127.0.0.77");
    QCOMPARE(answerTo(*transport, astray).faultCode, QStringLiteral("connection_refused"));
    QCOMPARE(stub.receptions(), 4);
}

void TestHttpTransport::pinnedAddress_doesNotShareConnectionsWithOthers()
{
    ProviderStub stub([](StubConnection &connection, int) {
        while (connection.readRequest() && connection.pause(20) && connection.answer(200, "{}")) {
        }
    });
    const auto transport = makeNetworkTransport({});
    HttpRequest request = requestTo(urlAt(QStringLiteral("hooks.example.test"), stub.port()));
    request.pinnedAddress = QStringLiteral("127.0.0.1");
    QCOMPARE(answerTo(*transport, request).status, 200);
    QCOMPARE(answerTo(*transport, request).status, 200);
    QCOMPARE(stub.connections(), 1); // kept, for the same pin
    request.pinnedAddress = QStringLiteral("127.0.0.77");
    QCOMPARE(answerTo(*transport, request).faultCode, QStringLiteral("connection_refused"));
    request.pinnedAddress.clear();
    QCOMPARE(answerTo(*transport, request).faultCode, QStringLiteral("dns"));
    QCOMPARE(stub.receptions(), 2);
}

void TestHttpTransport::pinnedAddress_goesThroughAProxyToo()
{
    QByteArray target;
    ProviderStub proxy([&target](StubConnection &connection, int) {
        const auto connect = connection.readUntil("\r\n\r\n");
        if (!connect)
            return;
        target = connect->left(connect->indexOf(" HTTP/"));
        if (connection.write("HTTP/1.1 200 Connected\r\n\r\n") && connection.readRequest())
            connection.answer(200, "{}");
    });
    TransportSettings settings;
    settings.proxy = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(proxy.port()));
    const auto transport = makeNetworkTransport(settings);
    HttpRequest request = requestTo(urlAt(QStringLiteral("hooks.example.test"), 80));
    request.pinnedAddress = QStringLiteral("93.184.216.34");
    QCOMPARE(answerTo(*transport, request).status, 200);
    QCOMPARE(target, QByteArray("CONNECT 93.184.216.34:80")); // the proxy looks up nothing either
    QCOMPARE(proxy.requests().back().header("Host"), QByteArray("hooks.example.test"));
}

namespace {

// A certificate for one name, as the openssl command makes it.
std::optional<StubIdentity> identityFor(const QString &name)
{
    const QString openssl = QStandardPaths::findExecutable(QStringLiteral("openssl"));
    const QTemporaryDir folder;
    if (openssl.isEmpty())
        return std::nullopt;
    const QString key = folder.filePath(QStringLiteral("k"));
    const QString certificate = folder.filePath(QStringLiteral("c"));
    QProcess process;
    process.start(openssl, {QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"),
                            QStringLiteral("rsa:2048"), QStringLiteral("-nodes"), QStringLiteral("-subj"),
                            QStringLiteral("/CN=") + name, QStringLiteral("-addext"),
                            QStringLiteral("subjectAltName=DNS:") + name, QStringLiteral("-keyout"), key,
                            QStringLiteral("-out"), certificate});
    if (!process.waitForFinished() || process.exitCode() != 0)
        return std::nullopt;
    const auto content = [](const QString &path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    return StubIdentity{content(certificate), content(key)};
}

} // namespace

void TestHttpTransport::pinnedTls_greetsAndVerifiesTheName()
{
    const QString name = QStringLiteral("hooks.example.test");
    const auto named = identityFor(name);
    const auto local = StubIdentity::make(); // for localhost and 127.0.0.1
    if (!named || !local)
        QSKIP("NOT TESTED: TLS, because there is no openssl command to make a certificate");
    const auto answerFrom = [&name](const StubIdentity &identity) {
        ProviderStub stub(ProviderStub::always(200, "{}"), identity);
        TransportSettings settings;
        settings.caCertificates = identity.certificate;
        const auto transport = makeNetworkTransport(settings);
        HttpRequest request = requestTo(urlAt(name + u'.', stub.port(), QStringLiteral("https"))); // the root's dot
        request.pinnedAddress = QStringLiteral("127.0.0.1");
        return answerTo(*transport, request);
    };
    QCOMPARE(answerFrom(*named).status, 200);
    // Trusted and good for the address that it connects to, but not for the name that was asked for.
    const HttpAnswer other = answerFrom(*local);
    QCOMPARE(other.faultCode, QStringLiteral("tls_certificate"));
    QVERIFY(!other.left);

    // The greeting names the host, not the address.
    ProviderStub plain([](StubConnection &connection, int) {
        connection.readUntil("hooks.example.test");
        connection.write("no TLS");
    });
    HttpRequest greeting = requestTo(urlAt(name, plain.port(), QStringLiteral("https")));
    greeting.pinnedAddress = QStringLiteral("127.0.0.1");
    const auto transport = makeNetworkTransport({});
    QCOMPARE(answerTo(*transport, greeting).faultCode, QStringLiteral("tls_handshake"));
}

void TestHttpTransport::waitingRequests_haveNotLeftWhenTheDeadlinePasses()
{
    ProviderStub stub(hang());
    TransportSettings settings;
    settings.maxInFlight = 6;
    const auto transport = makeNetworkTransport(settings);
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < 10; ++i)
        calls.push_back(post(*transport, requestTo(stub.url()), soon));
    QVERIFY(waitFor([&calls] {
        return std::all_of(calls.begin(), calls.end(), [](const auto &call) { return call->times == 1; });
    }));
    for (size_t i = 0; i < calls.size(); ++i) {
        QCOMPARE(word(calls[i]->answer.fault), QByteArray("Deadline"));
        QCOMPARE(calls[i]->answer.left, i < 6);
    }
    QCOMPARE(stub.receptions(), 6);
}

void TestHttpTransport::requestsBeyondSix_areAllOnTheWire()
{
    ProviderStub stub(hang());
    const auto transport = makeNetworkTransport({});
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < 20; ++i)
        calls.push_back(post(*transport, requestTo(stub.url())));
    QVERIFY(waitFor([&stub] { return stub.receptions() == 20; }));
    transport->cancelAll();
    for (const auto &call : calls)
        QCOMPARE(call->times, 1);
}

void TestHttpTransport::deadlineBeyond32Bits_doesNotPassAtOnce()
{
    ProviderStub stub(readThen([](StubConnection &connection) {
        connection.pause(200);
        connection.answer(200, "{}");
    }));
    const auto transport = makeNetworkTransport({});
    const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()), Milliseconds(3'000'000'000));
    QCOMPARE(word(answer.fault), QByteArray("None"));
}

void TestHttpTransport::cancelAll_endsEachRequestOnceAndSaysWhatMayHaveLeft()
{
    ProviderStub stub(hang());
    TransportSettings settings;
    settings.maxInFlight = 6;
    const auto transport = makeNetworkTransport(settings);
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < 12; ++i)
        calls.push_back(post(*transport, requestTo(stub.url())));
    QVERIFY(waitFor([&stub] { return stub.receptions() == 6; }));
    transport->cancelAll();
    for (size_t i = 0; i < calls.size(); ++i) {
        QCOMPARE(calls[i]->times, 1);
        QCOMPARE(word(calls[i]->answer.fault), QByteArray("Cancelled"));
        QCOMPARE(calls[i]->answer.left, i < 6);
    }
    // It is not closed: the next request goes out.
    const auto next = post(*transport, requestTo(stub.url()));
    QVERIFY(waitFor([&stub] { return stub.receptions() == 7; }));
    transport->cancelAll();
    QCOMPARE(next->times, 1);
}

void TestHttpTransport::destruction_endsEachRequestOnce()
{
    ProviderStub stub(hang());
    auto transport = makeNetworkTransport({});
    int late = 0;
    int calls = 0;
    Transport *raw = transport.get();
    for (int i = 0; i < 3; ++i) {
        raw->post(requestTo(stub.url()), farAway, [&, raw](const HttpAnswer &) {
            ++calls;
            raw->post(requestTo(stub.url()), farAway, [&late](const HttpAnswer &answer) {
                late += answer.fault == Fault::Cancelled && !answer.left ? 1 : 0;
            });
        });
    }
    QVERIFY(waitFor([&stub] { return stub.receptions() == 3; }));
    transport.reset();
    QCOMPARE(calls, 3);
    QCOMPARE(late, 3);
    QCOMPARE(stub.receptions(), 3);
}

void TestHttpTransport::callback_mayPostAgain()
{
    ProviderStub stub([](StubConnection &connection, int) {
        while (connection.readRequest() && connection.pause(20) && connection.answer(200, "{}")) {
        }
    });
    const auto transport = makeNetworkTransport({});
    int answered = 0;
    std::function<void(const HttpAnswer &)> again = [&](const HttpAnswer &answer) {
        QCOMPARE(answer.status, 200);
        if (++answered < 20)
            transport->post(requestTo(stub.url()), farAway, again);
    };
    transport->post(requestTo(stub.url()), farAway, again);
    QVERIFY(waitFor([&answered] { return answered == 20; }));
    QCOMPARE(stub.receptions(), 20);
    QCOMPARE(stub.connections(), 1); // it is kept
}

namespace {

// A proxy that opens every tunnel itself: the tunnelled request gets `answer`.
Script tunnel(const QByteArray &answer)
{
    return [answer](StubConnection &connection, int) {
        const auto connect = connection.readUntil("\r\n\r\n");
        if (!connect || !connect->startsWith("CONNECT ") || !connection.write("HTTP/1.1 200 Connected\r\n\r\n"))
            return;
        while (connection.readRequest() && connection.answer(200, answer)) {
        }
    };
}

} // namespace

void TestHttpTransport::HTTP_03_explicitProxy_carriesTheRequestThroughATunnel()
{
    ProviderStub proxy(tunnel(R"({"id":"through"})"));
    const Variable ignored("HTTP_PROXY", "http://127.0.0.1:1");
    TransportSettings settings;
    settings.proxy = urlAt(QStringLiteral("127.0.0.1"), proxy.port()).resolved(QUrl(QStringLiteral("/")));
    settings.proxyFromEnvironment = true; // the setting wins
    const auto transport = makeNetworkTransport(settings);
    const HttpAnswer answer = answerTo(*transport, requestTo(urlAt(QStringLiteral("provider.invalid"), 80)));
    QCOMPARE(answer.body, QByteArray(R"({"id":"through"})"));
    QCOMPARE(proxy.receptions(), 1);
    QVERIFY(proxy.requests().front().head.startsWith("POST /send ")); // origin form: it was a tunnel
}

void TestHttpTransport::HTTP_03_environment_isUsedOnlyWhenAskedAndHonoursNoProxy()
{
    ProviderStub proxy(tunnel(R"({"id":"through"})"));
    ProviderStub direct(ProviderStub::always(200, R"({"id":"direct"})"));
    const Variable http("http_proxy", "127.0.0.1:" + QByteArray::number(proxy.port()));
    const Variable exempt("NO_PROXY", ".internal.test,10.0.0.0/8");

    const auto unasked = makeNetworkTransport({});
    QCOMPARE(answerTo(*unasked, requestTo(direct.url())).body, QByteArray(R"({"id":"direct"})"));

    TransportSettings settings;
    settings.proxyFromEnvironment = true;
    const auto asked = makeNetworkTransport(settings);
    QCOMPARE(answerTo(*asked, requestTo(urlAt(QStringLiteral("provider.invalid"), 80))).body,
             QByteArray(R"({"id":"through"})"));
    const int before = proxy.connections();
    QCOMPARE(answerTo(*asked, requestTo(direct.url())).body, QByteArray(R"({"id":"direct"})")); // loopback
    QCOMPARE(answerTo(*asked, requestTo(urlAt(QStringLiteral("api.internal.test"), 80))).faultCode,
             QStringLiteral("dns"));
    QCOMPARE(proxy.connections(), before);
}

void TestHttpTransport::HTTP_03_noProxyForms_areUnderstood_data()
{
    QTest::addColumn<QByteArray>("exempt");
    QTest::addColumn<QString>("target");
    QTest::addColumn<bool>("isDirect");
    const auto row = [](const char *exempt, const char *target, bool isDirect) {
        QTest::addRow("%s for %s", exempt, target) << QByteArray(exempt) << QString::fromLatin1(target) << isDirect;
    };
    row("", "https://api.example.com/", false);
    row("*", "https://api.example.com/", true);
    row(".example.com", "https://api.example.com/", true);
    row("example.com", "https://api.example.com/", true);
    row("*.example.com", "https://api.example.com/", true);
    row("EXAMPLE.com", "https://API.example.COM./", true);
    row("ample.com", "https://api.example.com/", false);
    row("other.test, example.com", "https://example.com/", true);
    row("example.com:8443", "https://example.com/", false);
    row("example.com:8443", "https://example.com:8443/", true);
    row("example.com:443", "https://example.com/", true);
    row("10.0.0.0/8", "https://10.1.2.3/", true);
    row("10.0.0.0/8", "https://11.1.2.3/", false);
    row("192.168.1.7", "http://192.168.1.7/", true);
    row("[2001:db8::1]", "https://[2001:db8::1]/", true);
    row("2001:db8::/32", "https://[2001:db8::5]/", true);
    row("", "http://localhost:9/", true);
    row("", "http://[::1]/", true);
}

void TestHttpTransport::HTTP_03_noProxyForms_areUnderstood()
{
    QFETCH(QByteArray, exempt);
    QFETCH(QString, target);
    QFETCH(bool, isDirect);
    const Variable proxies("ALL_PROXY", "http://proxy.test:3128");
    const Variable exceptions("no_proxy", exempt);
    TransportSettings settings;
    settings.proxyFromEnvironment = true;
    QCOMPARE(proxyForPeople(settings, QUrl(target)),
             isDirect ? QStringLiteral("direct") : QStringLiteral("http://proxy.test:3128"));
}

void TestHttpTransport::HTTP_03_failingProxy_isNotBlamedOnTheProvider_data()
{
    QTest::addColumn<Script>("script");
    const auto refusing = [](const QByteArray &head) {
        return [head](StubConnection &connection, int) {
            if (connection.readUntil("\r\n\r\n"))
                connection.write("HTTP/1.1 " + head + "\r\nContent-Length: 18\r\n\r\n<html>proxy</html>");
        };
    };
    QTest::newRow("407") << Script(refusing("407 Authentication\r\nProxy-Authenticate: Basic realm=\"x\""));
    QTest::newRow("502 page") << Script(refusing("502 Bad Gateway\r\nContent-Type: text/html"));
    QTest::newRow("503") << Script(refusing("503 Unavailable"));
    QTest::newRow("404") << Script(refusing("404 Not Found"));
    QTest::newRow("403") << Script(refusing("403 Forbidden"));
    QTest::newRow("not there") << Script();
}

void TestHttpTransport::HTTP_03_failingProxy_isNotBlamedOnTheProvider()
{
    QFETCH(Script, script);
    std::unique_ptr<ProviderStub> proxy;
    if (script)
        proxy = std::make_unique<ProviderStub>(script);
    for (const QString &scheme : {QStringLiteral("http"), QStringLiteral("https")}) {
        TransportSettings settings;
        settings.proxy = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(proxy ? proxy->port() : closedPort()));
        const auto transport = makeNetworkTransport(settings);
        const HttpAnswer answer =
            answerTo(*transport, requestTo(urlAt(QStringLiteral("provider.invalid"), 443, scheme)));
        QCOMPARE(word(answer.fault), QByteArray("Proxy"));
        QCOMPARE(answer.faultCode, QStringLiteral("proxy"));
        QCOMPARE(answer.status, 0);
        QCOMPARE(answer.body, QByteArray());
        QVERIFY(!answer.left);
    }
}

void TestHttpTransport::HTTP_03_silentProxy_endsAtTheDeadlineAndNothingLeft()
{
    ProviderStub proxy([](StubConnection &connection, int) { connection.waitForPeer(); });
    TransportSettings settings;
    settings.proxy = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(proxy.port()));
    const auto transport = makeNetworkTransport(settings);
    const HttpAnswer answer = answerTo(*transport, requestTo(urlAt(QStringLiteral("provider.invalid"), 443)), soon);
    QCOMPARE(word(answer.fault), QByteArray("Deadline"));
    QVERIFY(!answer.left);
}

void TestHttpTransport::HTTP_03_passwordOfTheProxy_isMasked()
{
    TransportSettings settings;
    QCOMPARE(proxyForPeople(settings, QUrl(QStringLiteral("https://api.example.com"))), QStringLiteral("direct"));
    settings.proxy = QUrl(QStringLiteral("http://ann:pa55word@proxy.test:3128"));
    const QString shown = proxyForPeople(settings, QUrl(QStringLiteral("https://api.example.com")));
    QVERIFY(shown.contains(QStringLiteral("proxy.test:3128")));
    QVERIFY(!shown.contains(QStringLiteral("pa55word")));
}

void TestHttpTransport::badSettings_areRefusedWithTheirName()
{
    QVERIFY(checkTransport({}).ok());
    TransportSettings proxy;
    proxy.proxy = QUrl(QStringLiteral("https://proxy.test:3128"));
    QVERIFY(!checkTransport(proxy));
    QVERIFY(checkTransport(proxy).error().message.startsWith(QStringLiteral("proxy:")));
    const auto transport = makeNetworkTransport(proxy); // used all the same, it never goes round the proxy
    QCOMPARE(word(answerTo(*transport, requestTo(urlAt(QStringLiteral("127.0.0.1"), closedPort()))).fault),
             QByteArray("Proxy"));

    TransportSettings certificates;
    certificates.caCertificates = "not PEM";
    QVERIFY(!checkTransport(certificates));
    QVERIFY(checkTransport(certificates).error().message.startsWith(QStringLiteral("ca_certificates:")));
    TransportSettings none;
    none.maxInFlight = 0;
    QVERIFY(!checkTransport(none));
}

#define MAKE_IDENTITY(name)                                                                                            \
    const auto made##name = StubIdentity::make();                                                                      \
    if (!made##name)                                                                                                   \
        QSKIP("NOT TESTED: TLS, because there is no openssl command to make a certificate");                           \
    const StubIdentity name = *made##name

void TestHttpTransport::untrustedCertificate_isRefusedBeforeAnythingLeaves()
{
    MAKE_IDENTITY(identity);
    ProviderStub stub(ProviderStub::always(200, "{}"), identity);
    const auto transport = makeNetworkTransport({});
    const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()));
    QCOMPARE(word(answer.fault), QByteArray("Tls"));
    QCOMPARE(answer.faultCode, QStringLiteral("tls_certificate"));
    QVERIFY(!answer.left);
    QCOMPARE(stub.receptions(), 0);
}

void TestHttpTransport::trustedCertificate_isAccepted()
{
    MAKE_IDENTITY(identity);
    ProviderStub stub(ProviderStub::always(200, R"({"id":"m-1"})"), identity);
    TransportSettings settings;
    settings.caCertificates = identity.certificate;
    QVERIFY(checkTransport(settings).ok());
    const auto transport = makeNetworkTransport(settings);
    for (int sent = 0; sent < 10; ++sent) {
        const HttpAnswer answer = answerTo(*transport, requestTo(stub.url()));
        QCOMPARE(word(answer.fault), QByteArray("None"));
        QCOMPARE(answer.body, QByteArray(R"({"id":"m-1"})"));
    }
    QCOMPARE(stub.receptions(), 10);
    // Trusted, but for another name.
    QUrl elsewhere = stub.url();
    elsewhere.setHost(QStringLiteral("127.0.0.2"));
    const HttpAnswer answer = answerTo(*transport, requestTo(elsewhere), Milliseconds(5'000));
    QVERIFY(answer.fault == Fault::Tls || answer.fault == Fault::NotConnected);
    QCOMPARE(stub.receptions(), 10);
}

void TestHttpTransport::tlsPeerThatDrops_getsTheRequestOnce()
{
    MAKE_IDENTITY(identity);
    TransportSettings settings;
    settings.caCertificates = identity.certificate;
    const auto transport = makeNetworkTransport(settings);
    ProviderStub closing(readThen([](StubConnection &) {}), identity);
    ProviderStub dropping(
        [](StubConnection &connection, int) {
            if (connection.readRequest() && connection.answer(200, "{}"))
                connection.readRequest();
        },
        identity);
    for (int sent = 1; sent <= 4; ++sent) {
        const HttpAnswer answer = answerTo(*transport, requestTo(closing.url()));
        QCOMPARE(word(answer.fault), QByteArray("Lost"));
        QVERIFY(answer.left);
        QCOMPARE(closing.receptions(), sent);
        answerTo(*transport, requestTo(dropping.url()));
        QCOMPARE(dropping.receptions(), sent);
    }
}

void TestHttpTransport::silentTlsPeer_endsAtTheDeadlineAndNothingLeft()
{
    ProviderStub stub([](StubConnection &connection, int) { connection.waitForPeer(); });
    QUrl url = stub.url();
    url.setScheme(QStringLiteral("https"));
    const auto transport = makeNetworkTransport({});
    const HttpAnswer answer = answerTo(*transport, requestTo(url), soon);
    QCOMPARE(word(answer.fault), QByteArray("Deadline"));
    QVERIFY(!answer.left);
    QCOMPARE(answer.faultCode, QStringLiteral("timeout"));
}

namespace {

// nghttpd, an HTTP/2 server of others, with its own log as the witness.
class Http2Server
{
public:
    Http2Server() = default;
    Http2Server(const Http2Server &) = delete;
    Http2Server &operator=(const Http2Server &) = delete;
    static QString program()
    {
        return QStandardPaths::findExecutable(
            QStringLiteral("nghttpd"),
            {QStringLiteral("/usr/sbin"), QStringLiteral("/usr/bin"), QStringLiteral("/usr/local/bin")});
    }
    bool start(const StubIdentity &identity, const QStringList &options)
    {
        if (!write(QStringLiteral("key.pem"), identity.key) ||
            !write(QStringLiteral("certificate.pem"), identity.certificate))
            return false;
        m_port = closedPort();
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(program(), QStringList{QStringLiteral("--verbose"), QStringLiteral("--address=127.0.0.1"),
                                               QStringLiteral("--htdocs=") + m_folder.path()} +
                                       options +
                                       QStringList{QString::number(m_port), path(QStringLiteral("key.pem")),
                                                   path(QStringLiteral("certificate.pem"))});
        return m_process.waitForStarted() && waitFor([this] { return log().contains("listen"); });
    }
    QString path(const QString &name) const { return m_folder.filePath(name); }
    QUrl url() const { return urlAt(QStringLiteral("127.0.0.1"), m_port, QStringLiteral("https")); }
    QByteArray log()
    {
        m_log += m_process.readAll();
        return m_log;
    }
    ~Http2Server() { stop(); }
    QByteArray stop()
    {
        m_process.terminate();
        m_process.waitForFinished();
        return log();
    }

private:
    bool write(const QString &name, const QByteArray &content) const
    {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    }
    QTemporaryDir m_folder;
    QProcess m_process;
    QByteArray m_log;
    quint16 m_port = 0;
};

} // namespace

#define NEEDS_HTTP2()                                                                                                  \
    if (Http2Server::program().isEmpty())                                                                              \
    QSKIP("NOT TESTED: HTTP/2, because there is no nghttpd (Debian package nghttp2-server)")

void TestHttpTransport::http2_isUsedOverTlsAndSendsOnce()
{
    NEEDS_HTTP2();
    MAKE_IDENTITY(identity);
    Http2Server server;
    QVERIFY(server.start(identity, {QStringLiteral("--echo-upload")}));
    TransportSettings settings;
    settings.caCertificates = identity.certificate;
    const auto transport = makeNetworkTransport(settings);
    constexpr int count = 60;
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < count; ++i)
        calls.push_back(post(*transport, requestTo(server.url(), "body-" + QByteArray::number(i) + "-end")));
    QVERIFY(waitFor([&calls] {
        return std::all_of(calls.begin(), calls.end(), [](const auto &call) { return call->times == 1; });
    }));
    for (int i = 0; i < count; ++i) {
        const HttpAnswer &answer = calls[size_t(i)]->answer;
        QCOMPARE(word(answer.fault), QByteArray("None"));
        QCOMPARE(answer.status, 200);
        QCOMPARE(answer.body, "body-" + QByteArray::number(i) + "-end");
    }
    const QByteArray log = server.stop();
    QVERIFY(log.contains("h2"));
    QCOMPARE(log.count(":method: POST"), qsizetype(count)); // every stream that the server saw
}

void TestHttpTransport::http2_largeAnswer_isCutAtTheLimit()
{
    NEEDS_HTTP2();
    MAKE_IDENTITY(identity);
    Http2Server server;
    QFile large(server.path(QStringLiteral("send")));
    QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(2'000'000'000)); // sparse
    QVERIFY(server.start(identity, {}));
    TransportSettings settings;
    settings.caCertificates = identity.certificate;
    const auto transport = makeNetworkTransport(settings);
    const qint64 before = residentKilobytes();
    const HttpAnswer answer = answerTo(*transport, requestTo(server.url()));
    QCOMPARE(word(answer.fault), QByteArray("TooLarge"));
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.body.size(), settings.maxAnswerBytes);
    const qint64 grown = residentKilobytes() - before;
    QVERIFY2(grown < 50 * 1024, qPrintable(QStringLiteral("%1 KB").arg(grown)));
}

QTEST_GUILESS_MAIN(TestHttpTransport)
#include "tst_http_transport.moc"
