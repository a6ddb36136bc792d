#include "sandbox/sandbox_thread.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTcpSocket>
#include <QTest>
#include <atomic>

using namespace sendoff;
using namespace sendoff::sandbox;

namespace {

constexpr int patience = 20'000; // ms; never reached where the sandbox works

class MovableClock final : public Clock
{
public:
    Timestamp now() const override { return Timestamp(Milliseconds(1'800'000'000'000) + m_passed.load()); }
    std::chrono::steady_clock::duration ticks() const override { return m_passed.load(); }
    void advance(Milliseconds by) { m_passed = m_passed.load() + by; }

private:
    std::atomic<Milliseconds> m_passed{Milliseconds(0)};
};

struct Answer
{
    int status = 0; // 0: none came
    QMap<QByteArray, QByteArray> headers;
    QByteArray body;
    bool closed = false;

    QJsonObject json() const { return QJsonDocument::fromJson(body).object(); }
    QString name() const { return json().value(QLatin1String("name")).toString(); }
};

// A client that does exactly what a test says, byte by byte.
class Client
{
public:
    explicit Client(quint16 port)
    {
        m_socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
        if (!m_socket.waitForConnected(patience))
            qFatal("no connection to the sandbox");
    }

    void write(const QByteArray &bytes)
    {
        m_socket.write(bytes);
        m_socket.waitForBytesWritten(patience);
    }

    // The next answer; status 0 where the connection ended before one came.
    Answer read()
    {
        Answer answer;
        qsizetype end = -1;
        while ((end = m_bytes.indexOf("\r\n\r\n")) < 0) {
            if (!more())
                return closed(answer);
        }
        const QList<QByteArray> lines = m_bytes.first(end).split('\n');
        m_bytes.remove(0, end + 4);
        answer.status = lines.first().split(' ').at(1).toInt();
        for (const QByteArray &line : lines.mid(1)) {
            const qsizetype colon = line.indexOf(':');
            answer.headers.insert(line.first(colon).trimmed().toLower(), line.mid(colon + 1).trimmed());
        }
        const qsizetype length = answer.headers.value("content-length", "-1").toLongLong();
        while (length >= 0 && m_bytes.size() < length) {
            if (!more()) {
                answer.body = m_bytes;
                return closed(answer);
            }
        }
        answer.body = m_bytes.first(std::max<qsizetype>(0, length));
        m_bytes.remove(0, answer.body.size());
        return answer;
    }

    bool more()
    {
        if (m_socket.bytesAvailable() == 0 && !m_socket.waitForReadyRead(patience))
            return false;
        m_bytes += m_socket.readAll();
        return true;
    }

    qsizetype unread() const { return m_bytes.size(); }
    bool isConnected() const { return m_socket.state() == QAbstractSocket::ConnectedState; }

private:
    static Answer closed(Answer answer)
    {
        answer.closed = true;
        return answer;
    }

    QTcpSocket m_socket;
    QByteArray m_bytes;
};

QByteArray post(const QByteArray &path, const QByteArray &body, const QByteArray &extra = {})
{
    return "POST " + path + " HTTP/1.1\r\nhost: sandbox\r\nauthorization: Bearer re_test\r\ncontent-length: " +
           QByteArray::number(body.size()) + "\r\n" + extra + "\r\n" + body;
}

QByteArray get(const QByteArray &path)
{
    return "GET " + path + " HTTP/1.1\r\nhost: sandbox\r\n\r\n";
}

QByteArray keyed(const QByteArray &key)
{
    return "idempotency-key: " + key + "\r\n";
}

QByteArray mail(const QByteArray &to = "ada@example.com", const QByteArray &subject = "Hello")
{
    return R"({"from":"Shop <shop@example.org>","to":")" + to + R"(","subject":")" + subject +
           R"(","text":"Hi there"})";
}

QByteArray push(const QByteArray &token, const QByteArray &key = {})
{
    return R"({"to":")" + token + R"(","title":"Parked","body":"Your time ends")" +
           (key.isEmpty() ? QByteArray() : R"(,"data":{"delivery":")" + key + "\"}") + "}";
}

const QByteArray pushPath = "/--/api/v2/push/send";

} // namespace

class tst_sandbox : public QObject
{
    Q_OBJECT

    std::unique_ptr<MovableClock> m_clock;
    std::unique_ptr<SandboxThread> m_sandbox;
    std::unique_ptr<Client> m_client;

    Answer ask(const QByteArray &request)
    {
        m_client->write(request);
        return m_client->read();
    }
    // One request on a connection of its own.
    Answer askAlone(const QByteArray &request)
    {
        Client client(m_sandbox->port());
        client.write(request);
        return client.read();
    }
    void script(const QByteArray &json)
    {
        const auto set = m_sandbox->setScript(json);
        QVERIFY2(set, set ? "" : qPrintable(set.error().message));
    }

    // What an SMTP client says, line by line; the replies to it, multi-line ones by their last line.
    QStringList sayToSink(const QByteArrayList &lines)
    {
        QTcpSocket socket;
        socket.connectToHost(QHostAddress(QHostAddress::LocalHost), m_sandbox->smtpPort());
        QStringList replies;
        const auto reply = [&socket] {
            QByteArray line;
            do {
                while (!socket.canReadLine()) {
                    if (!socket.waitForReadyRead(patience))
                        return QStringLiteral("closed");
                }
                line = socket.readLine().trimmed();
            } while (line.mid(3, 1) == "-");
            return QString::fromUtf8(line.left(3));
        };
        replies.append(reply());
        for (const QByteArray &line : lines) {
            socket.write(line + "\r\n");
            replies.append(reply());
        }
        return replies;
    }

    QByteArrayList mailTo(const QByteArray &recipient, const QByteArray &content)
    {
        return {"EHLO client.example", "MAIL FROM:<shop@example.org>", "RCPT TO:<" + recipient + ">", "DATA",
                content + "\r\n."};
    }

private Q_SLOTS:
    void init()
    {
        m_clock = std::make_unique<MovableClock>();
        SandboxOptions options;
        options.clock = m_clock.get();
        options.maxRecords = 50;
        m_sandbox = std::make_unique<SandboxThread>(options);
        QVERIFY(m_sandbox->listen());
        m_client = std::make_unique<Client>(m_sandbox->port());
    }

    void cleanup()
    {
        m_client.reset();
        m_sandbox.reset();
        m_clock.reset();
    }

    void aMailIsAcceptedAndRemembered()
    {
        QSignalSpy accepted(m_sandbox->signalSource(), &Sandbox::messageAccepted);
        const Answer answer = ask(post("/emails", mail(), keyed("k1")));
        QCOMPARE(answer.status, 200);
        QCOMPARE(answer.headers.value("ratelimit-reset"), QByteArray("1"));
        const auto messages = m_sandbox->messages();
        QCOMPARE(messages.size(), size_t(1));
        QCOMPARE(messages[0].provider, QStringLiteral("resend"));
        QCOMPARE(messages[0].id, answer.json().value(QLatin1String("id")).toString());
        QCOMPARE(messages[0].key, QStringLiteral("k1"));
        QCOMPARE(messages[0].to, QStringLiteral("ada@example.com"));
        QCOMPARE(messages[0].subject, QStringLiteral("Hello"));
        QCOMPARE(messages[0].preview, QStringLiteral("Hi there"));
        QTRY_COMPARE_WITH_TIMEOUT(accepted.count(), 1, patience);
    }

    void aRepeatedKeyGivesTheFirstAnswerAndNoSecondMessage()
    {
        const Answer first = ask(post("/emails", mail(), keyed("k1")));
        const Answer again = ask(post("/emails", mail(), keyed("k1")));
        QCOMPARE(again.status, 200);
        QCOMPARE(again.body, first.body);
        QCOMPARE(m_sandbox->messages().size(), size_t(1));
        QCOMPARE(m_sandbox->messages()[0].receptions, qint64(2));
        QCOMPARE(m_sandbox->stats().duplicatesSuppressed, qint64(1));
        QCOMPARE(m_sandbox->stats().distinctKeys, qint64(1));
        QCOMPARE(m_sandbox->stats().repeatedKeys, qint64(1));
    }

    void aKeyWithAnotherPayloadIsRefused()
    {
        QCOMPARE(ask(post("/emails", mail(), keyed("k1"))).status, 200);
        const Answer other = ask(post("/emails", mail("bo@example.com"), keyed("k1")));
        QCOMPARE(other.status, 409);
        QCOMPARE(other.name(), QStringLiteral("invalid_idempotent_request"));
        QCOMPARE(other.json().value(QLatin1String("statusCode")).toInt(), 409);
        QCOMPARE(m_sandbox->stats().accepted, qint64(1));
    }

    void aKeyIsForgottenAfter24Hours()
    {
        const Answer first = ask(post("/emails", mail(), keyed("k1")));
        m_clock->advance(std::chrono::hours(24) - Milliseconds(1));
        QCOMPARE(ask(post("/emails", mail(), keyed("k1"))).body, first.body);
        m_clock->advance(Milliseconds(1));
        const Answer late = ask(post("/emails", mail(), keyed("k1")));
        QCOMPARE(late.status, 200);
        QVERIFY(late.body != first.body);
        QCOMPARE(m_sandbox->stats().accepted, qint64(2));
        QCOMPARE(m_sandbox->messages()[1].receptions, qint64(3));
    }

    void aKeyWhoseAnswerIsStillDueIsConcurrent()
    {
        script(R"([{"action":{"delay_ms":86400000},"times":1},
                   {"match":{"body_contains":"fast"},"action":{"delay_ms":1}}])");
        QSignalSpy received(m_sandbox->signalSource(), &Sandbox::requestReceived);
        m_client->write(post("/emails", mail(), keyed("k1")));
        QTRY_COMPARE_WITH_TIMEOUT(received.count(), 1, patience);
        const Answer second = askAlone(post("/emails", mail(), keyed("k1")));
        QCOMPARE(second.status, 409);
        QCOMPARE(second.name(), QStringLiteral("concurrent_idempotent_requests"));
        // A key whose delayed answer is out is an ordinary repeated key.
        const Answer first = askAlone(post("/emails", mail("fast@example.com"), keyed("k2")));
        const Answer repeated = askAlone(post("/emails", mail("fast@example.com"), keyed("k2")));
        QCOMPARE(first.status, 200);
        QCOMPARE(repeated.body, first.body);
        QCOMPARE(m_sandbox->stats().accepted, qint64(2));
    }

    void requestsThatTheRealOneRefusesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("name");
        const QByteArray noAuth = "POST /emails HTTP/1.1\r\nhost: s\r\ncontent-length: 2\r\n\r\n{}";
        QTest::newRow("no key") << noAuth << 401 << "missing_api_key";
        QTest::newRow("no JSON") << post("/emails", "{") << 400 << "validation_error";
        QTest::newRow("no from") << post("/emails", R"({"to":"a@b.c","subject":"s","text":"t"})") << 422
                                 << "missing_required_field";
        QTest::newRow("no subject") << post("/emails", R"({"from":"a@b.c","to":"a@b.c","text":"t"})") << 422
                                    << "missing_required_field";
        QTest::newRow("no content") << post("/emails", R"({"from":"a@b.c","to":"a@b.c","subject":"s"})") << 422
                                    << "missing_required_field";
        QTest::newRow("bad from") << post("/emails", R"({"from":"shop","to":"a@b.c","subject":"s","text":"t"})") << 422
                                  << "invalid_from_address";
        QTest::newRow("bad to") << post("/emails", mail("nobody")) << 400 << "validation_error";
        QTest::newRow("long idempotency key")
            << post("/emails", mail(), keyed(QByteArray(257, 'k'))) << 400 << "invalid_idempotency_key";
        QTest::newRow("GET") << get("/emails") << 405 << "method_not_allowed";
        QTest::newRow("elsewhere") << post("/domains", "{}") << 404 << "not_found";
        QTest::newRow("empty batch") << post("/emails/batch", "[]") << 400 << "validation_error";
    }

    void requestsThatTheRealOneRefusesAreRefused()
    {
        QFETCH(QByteArray, request);
        QFETCH(int, status);
        QFETCH(QString, name);
        const Answer answer = ask(request);
        QCOMPARE(answer.status, status);
        QCOMPARE(answer.name(), name);
        QCOMPARE(m_sandbox->stats().accepted, qint64(0));
        QCOMPARE(ask(post("/emails", mail())).status, 200); // the connection goes on
    }

    void apiKeysAreAskedForAsTheScriptSays()
    {
        const QByteArray bare =
            "POST /emails HTTP/1.1\r\nhost: s\r\ncontent-length: " + QByteArray::number(mail().size()) + "\r\n\r\n" +
            mail();
        script(R"({"require_auth":false})");
        QCOMPARE(ask(bare).status, 200);
        script(R"({"api_key":"re_other"})");
        QCOMPARE(ask(bare).status, 401);
        QCOMPARE(ask(post("/emails", mail())).name(), QStringLiteral("validation_error"));
        script(R"({"api_key":"re_test"})");
        QCOMPARE(ask(post("/emails", mail())).status, 200);
    }

    void theRateLimitAnswers429UntilTheNextSecond()
    {
        script(R"({"rate_per_second":2})");
        QCOMPARE(ask(post("/emails", mail())).headers.value("ratelimit-remaining"), QByteArray("1"));
        QCOMPARE(ask(post("/emails", mail())).headers.value("ratelimit-remaining"), QByteArray("0"));
        const Answer third = ask(post("/emails", mail()));
        QCOMPARE(third.status, 429);
        QCOMPARE(third.name(), QStringLiteral("rate_limit_exceeded"));
        QCOMPARE(third.headers.value("retry-after"), QByteArray("1"));
        QCOMPARE(third.headers.value("ratelimit-limit"), QByteArray("2"));
        m_clock->advance(Milliseconds(1000));
        QCOMPARE(ask(post("/emails", mail())).status, 200);
        QCOMPARE(m_sandbox->stats().statuses.value(429), qint64(1));
        QCOMPARE(m_sandbox->stats().accepted, qint64(3));
    }

    void aBatchIsTakenAsAWholeOrByItem()
    {
        const QByteArray body =
            "[" + mail("a@example.com") + "," + mail("b@example.com") + "," + mail("c@example.com") + "]";
        QCOMPARE(ask(post("/emails/batch", body, keyed("b1"))).json().value(QLatin1String("data")).toArray().size(), 3);
        script(R"([{"action":{"partial_batch":{"1":"invalid_parameter"}}}])");
        const Answer strict = ask(post("/emails/batch", body, keyed("b2")));
        QCOMPARE(strict.status, 422);
        QCOMPARE(strict.name(), QStringLiteral("invalid_parameter"));
        QCOMPARE(m_sandbox->stats().accepted, qint64(3));
        const Answer permissive = ask(post("/emails/batch", body, keyed("b3") + "x-batch-validation: permissive\r\n"));
        QCOMPARE(permissive.status, 200);
        QCOMPARE(permissive.json().value(QLatin1String("data")).toArray().size(), 2);
        const QJsonArray errors = permissive.json().value(QLatin1String("errors")).toArray();
        QCOMPARE(errors.size(), 1);
        QCOMPARE(errors[0].toObject().value(QLatin1String("index")).toInt(), 1);
        QCOMPARE(m_sandbox->messages().back().to, QStringLiteral("c@example.com"));
        QCOMPARE(m_sandbox->stats().accepted, qint64(5));
    }

    void aScriptedStatusCountsNoMessageAndKeepsNoKey()
    {
        script(R"([{"action":{"status":503,"headers":{"Retry-After":"7"}},"times":2},
                   {"match":{"body_contains":"Special"},"action":{"error":"daily_quota_exceeded"}}])");
        const Answer down = ask(post("/emails", mail(), keyed("k1")));
        QCOMPARE(down.status, 503);
        QCOMPARE(down.name(), QStringLiteral("internal_server_error"));
        QCOMPARE(down.headers.value("retry-after"), QByteArray("7"));
        QCOMPARE(ask(post("/emails", mail(), keyed("k1"))).status, 503);
        QCOMPARE(m_sandbox->stats().accepted, qint64(0));
        QCOMPARE(ask(post("/emails", mail(), keyed("k1"))).status, 200);
        QCOMPARE(m_sandbox->messages()[0].receptions, qint64(3));
        const Answer quota = ask(post("/emails", mail("ada@example.com", "Special")));
        QCOMPARE(quota.status, 429);
        QCOMPARE(quota.name(), QStringLiteral("daily_quota_exceeded"));
    }

    void aScriptedBodyAndHeaderReplaceTheGoodOnes()
    {
        script(
            R"([{"action":{"status":202,"body":{"id":9007199254740993},"headers":{"ratelimit-remaining":"0"}},"times":1},
                   {"action":{"status":502,"body":"<html>bad</html>","headers":{"Content-Type":"text/html"}}}])");
        const Answer other = ask(post("/emails", mail()));
        QCOMPARE(other.status, 202);
        QCOMPARE(other.body, QByteArray(R"({"id":9007199254740993})"));
        QCOMPARE(other.headers.value("ratelimit-remaining"), QByteArray("0"));
        QCOMPARE(m_sandbox->stats().accepted, qint64(1));
        const Answer html = ask(post("/emails", mail()));
        QCOMPARE(html.status, 502);
        QCOMPARE(html.body, QByteArray("<html>bad</html>"));
        QCOMPARE(html.headers.value("content-type"), QByteArray("text/html"));
        QCOMPARE(m_sandbox->stats().accepted, qint64(1));
    }

    void droppedRequestsGetNoAnswer_data()
    {
        QTest::addColumn<QByteArray>("action");
        QTest::addColumn<int>("accepted");
        QTest::addColumn<int>("receptions");
        QTest::newRow("before read") << QByteArray("drop_before_read") << 0 << 0;
        QTest::newRow("after read") << QByteArray("drop_after_read") << 0 << 1;
        QTest::newRow("accepted") << QByteArray("accept_then_drop") << 1 << 1;
    }

    void droppedRequestsGetNoAnswer()
    {
        QFETCH(QByteArray, action);
        QFETCH(int, accepted);
        QFETCH(int, receptions);
        script(R"([{"match":{"path":"/emails"},"action":{")" + action + R"(":true},"times":1}])");
        const Answer lost = ask(post("/emails", mail(), keyed("k1")));
        QCOMPARE(lost.status, 0);
        QVERIFY(lost.closed);
        QCOMPARE(m_sandbox->stats().requests, qint64(1));
        QCOMPARE(m_sandbox->stats().accepted, qint64(accepted));
        QCOMPARE(m_sandbox->stats().statuses.value(0), qint64(1));
        QCOMPARE(m_sandbox->receptions(QStringLiteral("k1")), qint64(receptions));
        // The repeat is answered, and still it is one message.
        QCOMPARE(askAlone(post("/emails", mail(), keyed("k1"))).status, 200);
        QCOMPARE(m_sandbox->stats().accepted, qint64(1));
        QCOMPARE(m_sandbox->stats().duplicatesSuppressed, qint64(accepted));
    }

    void dropBeforeReadNeedsNoBody()
    {
        script(R"([{"action":{"drop_before_read":true}}])");
        m_client->write("POST /emails HTTP/1.1\r\nhost: s\r\ncontent-length: 100000\r\n\r\n");
        const Answer lost = m_client->read();
        QVERIFY(lost.closed);
        QCOMPARE(lost.status, 0);
    }

    void aHangingRequestKeepsItsConnectionAndNoOther()
    {
        script(R"([{"match":{"nth":1},"action":{"hang":true}}])");
        QSignalSpy received(m_sandbox->signalSource(), &Sandbox::requestReceived);
        m_client->write(post("/emails", mail(), keyed("k1")));
        QTRY_COMPARE_WITH_TIMEOUT(received.count(), 1, patience);
        QCOMPARE(askAlone(post("/emails", mail("b@example.com"))).status, 200);
        QVERIFY(m_client->isConnected());
        QCOMPARE(m_client->unread(), 0);
        QCOMPARE(m_sandbox->stats().accepted, qint64(1));
        m_sandbox->close();
        QVERIFY(m_client->read().closed);
    }

    void spoiltAnswersStillCountTheMessage()
    {
        script(R"([{"match":{"nth":1},"action":{"bad_json":true}},
                   {"match":{"nth":2},"action":{"truncate_body":true}}])");
        const Answer bad = ask(post("/emails", mail(), keyed("k1")));
        QCOMPARE(bad.status, 200);
        QVERIFY(QJsonDocument::fromJson(bad.body).isNull());
        const Answer cut = ask(post("/emails", mail(), keyed("k2")));
        QCOMPARE(cut.status, 200);
        QVERIFY(cut.closed);
        QVERIFY(!cut.body.isEmpty());
        QVERIFY(cut.body.size() < cut.headers.value("content-length").toLongLong());
        QCOMPARE(m_sandbox->stats().accepted, qint64(2));
        QVERIFY(askAlone(post("/emails", mail(), keyed("k1"))).json().contains(QLatin1String("id")));
        QCOMPARE(m_sandbox->stats().accepted, qint64(2));
    }

    void anEndlessBodyGoesOnUntilTheClientLeaves()
    {
        script(R"([{"action":{"endless_body":true},"times":1}])");
        m_client->write(post("/emails", mail()));
        QCOMPARE(m_client->read().headers.value("transfer-encoding"), QByteArray("chunked"));
        while (m_client->unread() < 1'000'000)
            QVERIFY(m_client->more());
        QVERIFY(m_client->isConnected());
        m_client = std::make_unique<Client>(m_sandbox->port());
        QCOMPARE(ask(post("/emails", mail())).status, 200);
    }

    void aRedirectCountsNoMessage()
    {
        // Escaped slashes: moc 6.4 takes two of them for a comment inside a raw string of two lines.
        script(R"([{"action":{"redirect":"http:\/\/127.0.0.1:9/x"},"times":1},
                   {"action":{"redirect":"http:\/\/127.0.0.1:9/y","status":307}}])");
        const Answer found = ask(post("/emails", mail()));
        QCOMPARE(found.status, 302);
        QCOMPARE(found.headers.value("location"), QByteArray("http://127.0.0.1:9/x"));
        QCOMPARE(ask(post("/emails", mail())).status, 307);
        QCOMPARE(m_sandbox->stats().accepted, qint64(0));
    }

    void aDelayHoldsBackItsOwnConnectionOnly()
    {
        script(R"([{"match":{"to":"ADA@example.com"},"action":{"delay_ms":86400000}}])");
        QSignalSpy received(m_sandbox->signalSource(), &Sandbox::requestReceived);
        m_client->write(post("/emails", mail("Ada <ada@example.com>", "slow")));
        QTRY_COMPARE_WITH_TIMEOUT(received.count(), 1, patience);
        QCOMPARE(askAlone(post("/emails", mail("bo@example.com"))).status, 200);
        QCOMPARE(m_sandbox->stats().accepted, qint64(2));
        QCOMPARE(m_client->unread(), 0);
    }

    void aDelayedAnswerComesBeforeTheNextOfItsConnection()
    {
        script(R"([{"action":{"delay_ms":20},"times":1}])");
        m_client->write(post("/emails", mail()) + get("/sandbox/stats"));
        QVERIFY(m_client->read().json().contains(QLatin1String("id")));
        QCOMPARE(m_client->read().json().value(QLatin1String("accepted")).toInt(), 1);
    }

    void rulesCountAndCombine()
    {
        script(R"([{"match":{"every":2},"action":{"headers":{"x-even":"1"}},"continue":true},
                   {"match":{"path":"/emails","nth":3},"action":{"status":500}},
                   {"match":{"first_requests":2},"action":{"headers":{"x-early":"1"}}}])");
        QList<QString> seen;
        for (int i = 0; i < 4; ++i) {
            const Answer answer = ask(post("/emails", mail()));
            seen.append(QStringLiteral("%1%2%3")
                            .arg(answer.status)
                            .arg(answer.headers.contains("x-even") ? QLatin1Char('e') : QLatin1Char('-'))
                            .arg(answer.headers.contains("x-early") ? QLatin1Char('f') : QLatin1Char('-')));
        }
        QCOMPARE(seen, (QList<QString>{QStringLiteral("200-f"), QStringLiteral("200ef"), QStringLiteral("500--"),
                                       QStringLiteral("200e-")}));
    }

    void secondsCountFromTheScript()
    {
        m_clock->advance(std::chrono::hours(1));
        script(R"([{"match":{"first_seconds":1.5},"action":{"status":500}},
                   {"match":{"after_seconds":3},"action":{"status":503}}])");
        m_clock->advance(Milliseconds(1499));
        QCOMPARE(ask(post("/emails", mail())).status, 500);
        m_clock->advance(Milliseconds(1));
        QCOMPARE(ask(post("/emails", mail())).status, 200);
        m_clock->advance(Milliseconds(1500));
        QCOMPARE(ask(post("/emails", mail())).status, 503);
        m_sandbox->reset();
        QCOMPARE(ask(post("/emails", mail())).status, 500);
    }

    void expoTicketsStandInTheOrderOfTheRequest()
    {
        script(R"([{"match":{"token":"T[gone]"},"action":{"error":"DeviceNotRegistered"}},
                   {"match":{"token":"T[late]"},"action":{"receipt":"DeviceNotRegistered"}},
                   {"match":{"token":"T[wait]"},"action":{"receipt":"absent"}},
                   {"action":{"partial_batch":{"1":"MessageRateExceeded"}}}])");
        const QByteArray body = "[" + push("T[gone]", "d0") + "," + push("T[a]", "d1") + "," + push("T[late]", "d2") +
                                "," + push("T[b]", "d3") + "," + push("T[wait]", "d4") + "]";
        const Answer answer = ask(post(pushPath, body));
        QCOMPARE(answer.status, 200);
        const QJsonArray tickets = answer.json().value(QLatin1String("data")).toArray();
        QCOMPARE(tickets.size(), 5);
        QStringList errors;
        QJsonArray ids;
        for (const QJsonValue &ticket : tickets) {
            const QJsonObject object = ticket.toObject();
            errors.append(object.value(QLatin1String("status")).toString() + QLatin1Char(' ') +
                          object.value(QLatin1String("details")).toObject().value(QLatin1String("error")).toString());
            if (object.contains(QLatin1String("id")))
                ids.append(object.value(QLatin1String("id")));
        }
        QCOMPARE(errors,
                 (QStringList{QStringLiteral("error DeviceNotRegistered"), QStringLiteral("error MessageRateExceeded"),
                              QStringLiteral("ok "), QStringLiteral("ok "), QStringLiteral("ok ")}));
        QCOMPARE(m_sandbox->messages().size(), size_t(3));
        QCOMPARE(m_sandbox->messages()[0].key, QStringLiteral("d2"));
        QCOMPARE(m_sandbox->messages()[0].title, QStringLiteral("Parked"));

        ids.append(QStringLiteral("aaaaaaaa-0000-4000-8000-000000000001")); // not ours: absent
        const QByteArray question = QJsonDocument(QJsonObject{{QStringLiteral("ids"), ids}}).toJson();
        const QJsonObject receipts =
            ask(post("/--/api/v2/push/getReceipts", question)).json().value(QLatin1String("data")).toObject();
        QCOMPARE(receipts.size(), 2);
        QCOMPARE(receipts.value(ids[0].toString()).toObject().value(QLatin1String("status")).toString(),
                 QStringLiteral("error"));
        QCOMPARE(receipts.value(ids[1].toString()).toObject().value(QLatin1String("status")).toString(),
                 QStringLiteral("ok"));
    }

    void expoAnswersAnObjectWithAnObjectAndAListWithAList()
    {
        QVERIFY(ask(post(pushPath, push("T[a]"))).json().value(QLatin1String("data")).isObject());
        QCOMPARE(ask(post(pushPath, "[" + push("T[a]") + "]")).json().value(QLatin1String("data")).toArray().size(), 1);
        const QByteArray three = R"({"to":["T[a]","T[b]","T[c]"],"title":"x","body":"y"})";
        QCOMPARE(ask(post(pushPath, three)).json().value(QLatin1String("data")).toArray().size(), 3);
        QCOMPARE(m_sandbox->stats().accepted, qint64(5));
    }

    void expoRefusesWhatTheRealOneRefuses()
    {
        const auto code = [](const Answer &answer) {
            return answer.json()
                .value(QLatin1String("errors"))
                .toArray()
                .at(0)
                .toObject()
                .value(QLatin1String("code"))
                .toString();
        };
        QByteArray many = "[" + push("T[a]");
        for (int i = 0; i < 100; ++i)
            many += "," + push("T[a]");
        QCOMPARE(code(ask(post(pushPath, many + "]"))), QStringLiteral("PUSH_TOO_MANY_NOTIFICATIONS"));
        QCOMPARE(code(ask(post(pushPath, R"({"title":"x"})"))), QStringLiteral("VALIDATION_ERROR"));
        script(R"({"expo_access_token":"secret"})");
        QCOMPARE(ask(post(pushPath, push("T[a]"))).status, 401);
        script(R"({"expo_rate_per_second":2})");
        QCOMPARE(code(ask(post(pushPath, R"({"to":["T[a]","T[b]","T[c]"],"title":"x"})"))),
                 QStringLiteral("TOO_MANY_REQUESTS"));
        script(R"([{"action":{"status":200,"error":"INTERNAL_SERVER_ERROR"}}])");
        const Answer odd = ask(post(pushPath, push("T[a]")));
        QCOMPARE(odd.status, 200);
        QCOMPARE(code(odd), QStringLiteral("INTERNAL_SERVER_ERROR"));
        QCOMPARE(m_sandbox->stats().accepted, qint64(0));
    }

    void aPushReceivedTwiceIsVisible()
    {
        script(R"([{"action":{"accept_then_drop":true},"times":1}])");
        QVERIFY(ask(post(pushPath, "[" + push("T[a]", "d1") + "]")).closed);
        QCOMPARE(askAlone(post(pushPath, "[" + push("T[a]", "d1") + "]")).status, 200);
        QCOMPARE(m_sandbox->stats().accepted, qint64(2));
        QCOMPARE(m_sandbox->stats().repeatedKeys, qint64(1));
        QCOMPARE(m_sandbox->messages()[1].receptions, qint64(2));
    }

    void aBadScriptIsRefusedWithRuleAndKey_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("names");
        const QByteArray good = R"([{"action":{"status":500}},)";
        QTest::newRow("no JSON") << QByteArray("[") << "script";
        QTest::newRow("a number") << QByteArray("3") << "script";
        QTest::newRow("unknown option") << QByteArray(R"({"rate":3})") << "script: rate is not known";
        QTest::newRow("rules") << QByteArray(R"({"rules":{}})") << "script: rules must be an array";
        QTest::newRow("rate") << QByteArray(R"({"rate_per_second":0})") << "rate_per_second must be";
        QTest::newRow("no action") << good + R"({"match":{"nth":1}}])"
                                   << "rule 2: action is missing";
        QTest::newRow("empty action") << good + R"({"action":{}}])"
                                      << "rule 2: action is empty";
        QTest::newRow("no object") << good + "7]"
                                   << "rule 2";
        QTest::newRow("unknown match") << good + R"({"match":{"pth":"/"},"action":{"hang":true}}])"
                                       << "rule 2: match.pth is not known";
        QTest::newRow("path") << good + R"({"match":{"path":"emails"},"action":{"hang":true}}])"
                              << "rule 2: match.path";
        QTest::newRow("nth") << good + R"({"match":{"nth":1.5},"action":{"hang":true}}])"
                             << "rule 2: match.nth";
        QTest::newRow("unknown action") << good + R"({"action":{"sleep":1}}])"
                                        << "rule 2: action.sleep is not known";
        QTest::newRow("delay") << good + R"({"action":{"delay_ms":-1}}])"
                               << "rule 2: action.delay_ms must be";
        QTest::newRow("status") << good + R"({"action":{"status":"500"}}])"
                                << "rule 2: action.status";
        QTest::newRow("flag") << good + R"({"action":{"hang":1}}])"
                              << "rule 2: action.hang must be true or false";
        QTest::newRow("error name") << good + R"({"action":{"error":"oops"}}])"
                                    << "rule 2: action.error";
        QTest::newRow("two endings") << good + R"({"action":{"hang":true,"bad_json":true}}])"
                                     << "together with hang";
        QTest::newRow("ending and status") << good + R"({"action":{"hang":true,"status":200}}])"
                                           << "rule 2: action.hang gives no answer";
        QTest::newRow("header injection") << good + R"({"action":{"headers":{"x":"a\r\nb: c"}}}])"
                                          << "rule 2: action.headers.x";
        QTest::newRow("position") << good + R"({"action":{"partial_batch":{"x":"MessageTooBig"}}}])"
                                  << "rule 2: action.partial_batch";
        QTest::newRow("body before read") << good + R"({"match":{"to":"a@b.c"},"action":{"drop_before_read":true}}])"
                                          << "rule 2: action.drop_before_read";
        QTest::newRow("token and more")
            << good + R"({"match":{"token":"T"},"action":{"error":"MessageTooBig","delay_ms":5}}])"
            << "rule 2: action";
        QTest::newRow("code") << good + R"({"action":{"error":"21999"}}])"
                              << "rule 2: action.error";
        QTest::newRow("batch code") << good + R"({"action":{"partial_batch":{"0":"21610"}}}])"
                                    << "rule 2: action.partial_batch";
        QTest::newRow("callbacks") << good + R"({"action":{"callbacks":"sent"}}])"
                                   << "rule 2: action.callbacks must be an array";
        QTest::newRow("event") << good + R"({"action":{"callbacks":["sent","lost"]}}])"
                               << "rule 2: action.callbacks[1] must be one of";
        QTest::newRow("event member") << good + R"({"action":{"callbacks":[{"event":"sent","after":1}]}}])"
                                      << "rule 2: action.callbacks[0].after is not known";
        const auto target = [](const char *members) { return QByteArray("{\"callbacks\":{") + members + "}}"; };
        QTest::newRow("callback provider")
            << target(R"("expo":{"url":"http:\/\/a.example"})") << "callbacks.expo is not known";
        QTest::newRow("callback address") << target(R"("sendgrid":{})") << "callbacks.sendgrid.url is missing";
        QTest::newRow("callback scheme") << target(R"("sendgrid":{"url":"ftp:\/\/a.example"})")
                                         << "callbacks.sendgrid.url must be an http or https address";
        QTest::newRow("svix secret") << target(R"("resend":{"url":"http:\/\/a.example","secret":"whsec_*"})")
                                     << "callbacks.resend.secret must be";
        QTest::newRow("basic secret") << target(R"("postmark":{"url":"http:\/\/a.example","secret":"user"})")
                                      << "callbacks.postmark.secret must be";
        QTest::newRow("token") << target(R"("twilio":{})") << "callbacks.twilio.secret must be";
        QTest::newRow("waits") << target(R"("twilio":{"secret":"t","retries_ms":[-1]})")
                               << "callbacks.twilio.retries_ms must be";
        const auto smtp = [](const char *members) { return QByteArray("{\"smtp\":{") + members + "}}"; };
        QTest::newRow("smtp option") << smtp(R"("gray":true)") << "smtp.gray is not known";
        QTest::newRow("half a login") << smtp(R"("user":"u")") << "smtp.password is missing";
        QTest::newRow("no stage") << smtp(R"("rules":[{"match":{},"action":{"drop":true}}])")
                                  << "smtp rule 1: match.stage must be one of";
        QTest::newRow("reply") << smtp(R"("rules":[{"match":{"stage":"mail"},"action":{"reply":"no"}}])")
                               << "smtp rule 1: action.reply must be one line";
        QTest::newRow("early recipient")
            << smtp(R"("rules":[{"match":{"stage":"mail","to":"a@b.c"},"action":{"drop":true}}])")
            << "smtp rule 1: match.to can stand";
        QTest::newRow("smtp endings")
            << smtp(R"("rules":[{"match":{"stage":"mail"},"action":{"drop":true,"close":true}}])")
            << "smtp rule 1: action.close can't be together with drop";
        QTest::newRow("times") << good + R"({"action":{"hang":true},"times":0}])"
                               << "rule 2: times";
        QTest::newRow("key twice") << good + R"({"action":{"hang":true,"hang":true}}])"
                                   << "hang";
    }

    void aBadScriptIsRefusedWithRuleAndKey()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, names);
        script(R"([{"action":{"status":418}}])");
        const auto set = m_sandbox->setScript(json);
        QVERIFY(!set);
        QVERIFY2(set.error().message.contains(names), qPrintable(set.error().message));
        const Answer posted = ask(post("/sandbox/script", json));
        QCOMPARE(posted.status, 400);
        QCOMPARE(posted.json().value(QLatin1String("message")).toString(), set.error().message);
        QCOMPARE(ask(post("/emails", mail())).status, 418); // the former script stands
    }

    void everyExampleOfTheScriptPageIsAScript()
    {
        QFile page(QStringLiteral(SENDOFF_SOURCE_DIR "/engine/sandbox/SCRIPT.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QByteArrayList pieces = page.readAll().split('`');
        int examples = 0;
        for (const QByteArray &piece : pieces) {
            if (piece.startsWith("json\n")) {
                script(piece.mid(5));
                ++examples;
            }
        }
        QVERIFY(examples >= 4);
    }

    void theOwnPagesTellWhatWasReceived()
    {
        QCOMPARE(ask(post("/sandbox/script", R"([{"match":{"nth":2},"action":{"status":500}}])")).status, 200);
        ask(post("/emails", mail("a@example.com", "One"), keyed("k1")));
        ask(post("/emails", mail("b@example.com", "Two"), keyed("k2")));
        ask(post("/emails", mail("b@example.com", "Two"), keyed("k2")));
        const QJsonArray list = QJsonDocument::fromJson(ask(get("/sandbox/messages")).body).array();
        QCOMPARE(list.size(), 2);
        QCOMPARE(list[1].toObject().value(QLatin1String("subject")).toString(), QStringLiteral("Two"));
        QCOMPARE(list[1].toObject().value(QLatin1String("receptions")).toInt(), 2);
        QVERIFY(fromRfc3339(list[1].toObject().value(QLatin1String("at")).toString()).has_value());
        QCOMPARE(QJsonDocument::fromJson(ask(get("/sandbox/messages?newest=1")).body).array().size(), 1);
        const QJsonObject stats = ask(get("/sandbox/stats")).json();
        QCOMPARE(stats.value(QLatin1String("requests")).toInt(), 3);
        QCOMPARE(stats.value(QLatin1String("accepted")).toInt(), 2);
        QCOMPARE(stats.value(QLatin1String("distinct_keys")).toInt(), 2);
        const QJsonObject statuses = stats.value(QLatin1String("statuses")).toObject();
        QCOMPARE(statuses.value(QLatin1String("200")).toInt(), 2);
        QCOMPARE(statuses.value(QLatin1String("500")).toInt(), 1);
        QCOMPARE(ask(post("/sandbox/reset", {})).status, 200);
        QCOMPARE(ask(get("/sandbox/messages")).body, QByteArray("[]"));
        QCOMPARE(m_sandbox->stats().requests, qint64(0));
    }

    void recordsAreBoundedAndCountsAreNot()
    {
        for (int i = 0; i < 60; ++i)
            QCOMPARE(ask(post("/emails", mail("a@example.com", QByteArray::number(i)))).status, 200);
        QCOMPARE(m_sandbox->messages().size(), size_t(50));
        QCOMPARE(m_sandbox->messages().front().subject, QStringLiteral("10"));
        QCOMPARE(m_sandbox->stats().accepted, qint64(60));
    }

    void aBodyMayComeInChunksAndInPieces()
    {
        const QByteArray body = mail();
        const QByteArray request = "POST /emails HTTP/1.1\r\nhost: s\r\nauthorization: Bearer x\r\n"
                                   "transfer-encoding: chunked\r\n\r\n5;note=1\r\n" +
                                   body.first(5) + "\r\n" + QByteArray::number(body.size() - 5, 16) + "\r\n" +
                                   body.mid(5) + "\r\n0\r\ntrailer: x\r\n\r\n";
        for (const char byte : request)
            m_client->write(QByteArray(1, byte));
        QCOMPARE(m_client->read().status, 200);
        QCOMPARE(m_sandbox->messages().front().subject, QStringLiteral("Hello"));
        QCOMPARE(ask(post("/emails", mail())).status, 200);
    }

    void pipelinedRequestsAreAnsweredInOrder()
    {
        m_client->write(post("/emails", mail(), keyed("k1")) + get("/nowhere") + post("/emails", mail(), keyed("k1")));
        const Answer first = m_client->read();
        QCOMPARE(first.status, 200);
        QCOMPARE(m_client->read().status, 404);
        QCOMPARE(m_client->read().body, first.body);
    }

    void aClientThatAsksFirstIsToldToGoOn()
    {
        m_client->write("POST /emails HTTP/1.1\r\nhost: s\r\nauthorization: Bearer x\r\nexpect: 100-continue\r\n"
                        "content-length: " +
                        QByteArray::number(mail().size()) + "\r\n\r\n");
        QCOMPARE(m_client->read().status, 100);
        QCOMPARE(ask(mail()).status, 200);
    }

    void brokenHttpIsRefusedAndTheConnectionEnds_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        const QByteArray start = "POST /emails HTTP/1.1\r\n";
        QTest::newRow("rubbish") << QByteArray("hello\r\n\r\n") << 400;
        QTest::newRow("version") << QByteArray("GET / HTTP/3.0\r\n\r\n") << 505;
        QTest::newRow("two lengths") << start + "content-length: 1\r\ncontent-length: 2\r\n\r\n" << 400;
        QTest::newRow("signed length") << start + "content-length: +1\r\n\r\n" << 400;
        QTest::newRow("both framings") << start + "content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n" << 400;
        QTest::newRow("unknown coding") << start + "transfer-encoding: gzip\r\n\r\n" << 501;
        QTest::newRow("too large") << start + "content-length: 999999999999\r\n\r\n" << 413;
        QTest::newRow("chunk size") << start + "transfer-encoding: chunked\r\n\r\nxyz\r\n" << 400;
        QTest::newRow("huge chunk") << start + "transfer-encoding: chunked\r\n\r\nffffffffffff\r\n" << 413;
        QTest::newRow("folded header") << start + "x: 1\r\n y: 2\r\n\r\n" << 400;
        QTest::newRow("large head") << start + "x: " + QByteArray(40'000, 'x') << 431;
    }

    void brokenHttpIsRefusedAndTheConnectionEnds()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        QCOMPARE(ask(bytes).status, status);
        QVERIFY(m_client->read().closed);
        QCOMPARE(m_sandbox->stats().accepted, qint64(0));
    }

    void aTakenPortIsRefused()
    {
        SandboxThread second;
        const auto listened = second.listen(QHostAddress(QHostAddress::LocalHost), m_sandbox->port());
        QVERIFY(!listened);
        QCOMPARE(listened.error().code, ErrorCode::Unavailable);
        QVERIFY(!m_sandbox->listen());
    }

    void codesOfTwilioAndPostmarkNeedNoStatus_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<int>("status");
        const auto row = [](const char *code, int status) { QTest::newRow(code) << QByteArray(code) << status; };
        row("21610", 400);
        row("20003", 401);
        row("20429", 429);
        row("406", 422);
        row("10", 401);
        row("100", 503);
    }
    void codesOfTwilioAndPostmarkNeedNoStatus()
    {
        QFETCH(QByteArray, code);
        QFETCH(int, status);
        script("[{\"action\":{\"error\":\"" + code + "\"}}]");
        QCOMPARE(ask(post("/2010-04-01/Accounts/AC1/Messages.json", "To=x")).status, status);
        const Answer postmark = ask(post("/email", mail()));
        QCOMPARE(postmark.status, status);
        QCOMPARE(postmark.json().value(QLatin1String("ErrorCode")).toInt(), code.toInt());
    }

    void resendGivesAMailBack()
    {
        const QString id =
            ask(post("/emails", mail("ada@example.com", "One"))).json().value(QLatin1String("id")).toString();
        const auto authorized = [](const QByteArray &path) {
            return "GET " + path + " HTTP/1.1\r\nhost: s\r\nauthorization: Bearer re_test\r\n\r\n";
        };
        const Answer found = ask(authorized("/emails/" + id.toLatin1()));
        QCOMPARE(found.status, 200);
        QCOMPARE(found.json().value(QLatin1String("id")).toString(), id);
        QCOMPARE(found.json().value(QLatin1String("subject")).toString(), QStringLiteral("One"));
        QCOMPARE(found.json().value(QLatin1String("last_event")).toString(), QStringLiteral("delivered"));
        QCOMPARE(ask(authorized("/emails/other")).name(), QStringLiteral("not_found"));
        QCOMPARE(ask(get("/emails/" + id.toLatin1())).status, 401);
        QCOMPARE(ask(post("/emails/" + id.toLatin1(), "{}")).status, 405);
        QCOMPARE(ask(authorized("/emails/batch")).status, 405);
    }

    void aMailOverSmtpStandsAmongTheMessages()
    {
        QVERIFY(m_sandbox->listenSmtp());
        QVERIFY(!m_sandbox->listenSmtp());
        const QByteArray content = "From: Shop <shop@example.org>\r\nMessage-ID: <d-1@shop.example>\r\n"
                                   "Subject: =?utf-8?q?=C5=BDi=C5=BEkov?=\r\n =?UTF-8?B?IGF0IDEy?=\r\n"
                                   "Content-Type: multipart/alternative;\r\n boundary=\"=_b\"\r\n\r\n"
                                   "--=_b\r\nContent-Type: text/plain; charset=utf-8\r\n"
                                   "Content-Transfer-Encoding: quoted-printable\r\n\r\nZa=C5=BE=\r\niva\r\n"
                                   "--=_b\r\nContent-Type: text/html\r\n\r\n<p>x</p>\r\n--=_b--";
        QCOMPARE(sayToSink(mailTo("ada@example.com", content)).last(), QStringLiteral("250"));
        QCOMPARE(m_sandbox->messages().size(), size_t(1));
        const AcceptedMessage message = m_sandbox->messages().front();
        QCOMPARE(message.provider, QStringLiteral("smtp"));
        QCOMPARE(message.key, QStringLiteral("d-1@shop.example"));
        QCOMPARE(message.to, QStringLiteral("ada@example.com"));
        QCOMPARE(message.subject, QStringLiteral("Žižkov at 12"));
        QCOMPARE(message.preview, QStringLiteral("Zaživa"));
        const QJsonObject smtp = ask(get("/sandbox/stats")).json().value(QLatin1String("smtp")).toObject();
        QCOMPARE(smtp.value(QLatin1String("accepted")).toInt(), 1);
        const QJsonArray page = QJsonDocument::fromJson(ask(get("/sandbox/messages")).body).array();
        QCOMPARE(page[0].toObject().value(QLatin1String("provider")).toString(), QStringLiteral("smtp"));
    }

    void aScriptedMailServerRefusesDropsAndIsSlow_data()
    {
        QTest::addColumn<QByteArray>("smtp");
        QTest::addColumn<QStringList>("replies"); // to greeting, EHLO, MAIL, RCPT, DATA and the dot
        QTest::addColumn<int>("accepted");
        const auto row = [](const char *name, const char *smtp, const QString &replies, int accepted) {
            QTest::newRow(name) << QByteArray(smtp) << replies.split(QLatin1Char(' ')) << accepted;
        };
        const auto rule = [](const char *match, const char *action) {
            return QByteArray("{\"rules\":[{\"match\":{") + match + "},\"action\":{" + action + "},\"times\":1}]}";
        };
        row("nothing", "{}", QStringLiteral("220 250 250 250 354 250"), 1);
        row("greylist", R"({"greylist":true})", QStringLiteral("220 250 250 450 503 502"), 0);
        row("login", R"({"user":"u","password":"p"})", QStringLiteral("220 250 530 503 503 502"), 0);
        row("refused", rule(R"("stage":"rcpt","to":"ada@example.com")", R"("reply":"550 5.1.1 no")"),
            QStringLiteral("220 250 250 550 503 502"), 0);
        row("not this one", rule(R"("stage":"rcpt","to":"bo@example.com")", R"("reply":"550 5.1.1 no")"),
            QStringLiteral("220 250 250 250 354 250"), 1);
        row("refused content", rule(R"("stage":"end_of_data")", R"("reply":"554 5.7.1 no")"),
            QStringLiteral("220 250 250 250 354 554"), 0);
        row("dropped after the dot", rule(R"("stage":"end_of_data")", R"("drop":true)"),
            QStringLiteral("220 250 250 250 354 closed"), 1);
        row("refused and dropped", rule(R"("stage":"end_of_data")", R"("drop":true,"reply":"451 4.3.0 no")"),
            QStringLiteral("220 250 250 250 354 closed"), 0);
        row("slow", rule(R"("stage":"mail")", R"("delay_ms":20)"), QStringLiteral("220 250 250 250 354 250"), 1);
    }
    void aScriptedMailServerRefusesDropsAndIsSlow()
    {
        QFETCH(QByteArray, smtp);
        QFETCH(QStringList, replies);
        QFETCH(int, accepted);
        QVERIFY(m_sandbox->listenSmtp());
        script("{\"smtp\":" + smtp + "}");
        QCOMPARE(sayToSink(mailTo("ada@example.com", "Message-ID: <d-1@s>\r\n\r\nHi")), replies);
        QCOMPARE(m_sandbox->stats().accepted, qint64(accepted));
    }

    void aGreylistedMailIsTakenTheSecondTime()
    {
        script(R"({"smtp":{"greylist":true}})");
        QVERIFY(m_sandbox->listenSmtp());
        const QByteArrayList mail = mailTo("ada@example.com", "Message-ID: <d-1@s>\r\n\r\nHi");
        sayToSink(mail);
        QCOMPARE(sayToSink(mail).last(), QStringLiteral("250"));
        QCOMPARE(m_sandbox->messages().front().receptions, qint64(1));
    }

    void theCallbacksPageShowsSendgridsKeyAndTheCounts()
    {
        const QJsonObject page = ask(get("/sandbox/callbacks")).json();
        QCOMPARE(page.value(QLatin1String("posted")).toInt(-1), 0);
        const QString key = page.value(QLatin1String("sendgrid_public_key")).toString();
        QCOMPARE(QByteArray::fromBase64(key.toLatin1()).size(), 91); // DER of a P-256 key
        QCOMPARE(key.toLatin1(), m_sandbox->sendgridCallbackKey());
        m_sandbox->reset();
        QCOMPARE(key.toLatin1(), m_sandbox->sendgridCallbackKey());
    }

    void aClosedSandboxListensAgain()
    {
        const quint16 port = m_sandbox->port();
        QCOMPARE(ask(post("/emails", mail(), keyed("k1"))).status, 200);
        m_sandbox->close();
        QVERIFY(m_client->read().closed);
        QVERIFY(m_sandbox->listen(QHostAddress(QHostAddress::LocalHost), port));
        QCOMPARE(askAlone(post("/emails", mail(), keyed("k1"))).status, 200);
        QCOMPARE(m_sandbox->stats().accepted, qint64(1));
    }
};

QTEST_GUILESS_MAIN(tst_sandbox)
#include "tst_sandbox.moc"
