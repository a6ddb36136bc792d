#include "channel/http_sender.h"
#include "sandbox/sandbox_thread.h"
#include <QJsonDocument>
#include <QJsonObject>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>
#include <deque>

using namespace sendoff;
using namespace sendoff::channel;
using sandbox::SandboxThread;
using Verdict = CallbackCheck::Verdict;

// What the sandbox posts, against the kinds that read what the real providers post.

namespace {

constexpr int patience = 30'000; // ms; never reached where it works
const QByteArray svixSecret = "whsec_cGFya2luZy1ub3RpZnktc2VjcmV0LU5FVy0wMDAwMDE=";
const QByteArray postmarkSecret = "hook:a-password";
const QByteArray twilioToken = "an-auth-token";
const QString accountSid = QStringLiteral("ACffffffffffffffffffffffffffffffff");

// A receiver of callbacks: keeps what comes and answers what it is told, 200 where nothing is left to say.
class Receiver : public QObject
{
    Q_OBJECT

public:
    Receiver()
    {
        connect(&m_server, &QTcpServer::newConnection, this, &Receiver::take);
        if (!m_server.listen(QHostAddress::LocalHost))
            qFatal("no port for the receiver");
    }

    QByteArray url(const QByteArray &path) const
    {
        return "http://127.0.0.1:" + QByteArray::number(m_server.serverPort()) + path;
    }
    void answer(int status) { m_answers.push_back(status); }
    void goAway() { m_server.close(); }
    const std::vector<CallbackRequest> &requests() const { return m_requests; }

private:
    void take()
    {
        while (QTcpSocket *socket = m_server.nextPendingConnection()) {
            const auto bytes = std::make_shared<QByteArray>();
            connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
            connect(socket, &QTcpSocket::readyRead, this, [this, socket, bytes] {
                *bytes += socket->readAll();
                while (read(*bytes))
                    reply(*socket);
            });
        }
    }

    bool read(QByteArray &bytes)
    {
        const qsizetype end = bytes.indexOf("\r\n\r\n");
        if (end < 0)
            return false;
        CallbackRequest request;
        QList<QByteArray> lines = bytes.left(end).split('\n');
        const QList<QByteArray> first = lines.takeFirst().split(' ');
        request.method = first.value(0);
        request.url = url(first.value(1));
        for (const QByteArray &line : lines) {
            const qsizetype colon = line.indexOf(':');
            request.headers.emplace_back(line.left(colon), line.mid(colon + 1).trimmed());
        }
        const qsizetype length = request.header("Content-Length").toLongLong();
        if (bytes.size() < end + 4 + length)
            return false;
        request.body = bytes.mid(end + 4, length);
        bytes.remove(0, end + 4 + length);
        m_requests.push_back(request);
        return true;
    }

    void reply(QTcpSocket &socket)
    {
        int status = 200;
        if (!m_answers.empty()) {
            status = m_answers.front();
            m_answers.pop_front();
        }
        socket.write("HTTP/1.1 " + QByteArray::number(status) + " Said\r\nContent-Length: 0\r\n\r\n");
    }

    QTcpServer m_server;
    std::deque<int> m_answers;
    std::vector<CallbackRequest> m_requests;
};

ProviderSettings provider(const QString &kind, const SandboxThread &sandbox, const Receiver &receiver)
{
    ProviderSettings settings;
    settings.name = kind;
    settings.kind = kind;
    settings.channel = providerKind(kind)->channel;
    settings.baseUrl = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(sandbox.port()));
    settings.publicUrl = QUrl(QString::fromLatin1(receiver.url("")));
    settings.from = QStringLiteral("Taxi <no-reply@taxi.example>");
    settings.apiKey = twilioToken;
    if (kind == QLatin1String("twilio")) {
        settings.from = QStringLiteral("+15550100001");
        settings.options.insert(QStringLiteral("account_sid"), accountSid);
    } else if (kind == QLatin1String("resend")) {
        settings.webhookSecrets = {svixSecret};
    } else if (kind == QLatin1String("postmark")) {
        settings.webhookSecrets = {postmarkSecret};
    } else {
        settings.webhookSecrets = {sandbox.sendgridCallbackKey()};
    }
    return settings;
}

QString addressOf(const ProviderSettings &settings)
{
    return settings.channel == Channel::Sms ? QStringLiteral("+15550001234") : QStringLiteral("jane@mail.example");
}

} // namespace

class TestSandboxCallbacks : public QObject
{
    Q_OBJECT

    std::unique_ptr<SandboxThread> m_sandbox;
    std::unique_ptr<Receiver> m_receiver;
    std::unique_ptr<Sender> m_sender;

    // All four providers call the receiver; `more` are members of each of them.
    void script(const QByteArray &rules, const QByteArray &more = {})
    {
        const auto target = [&](const QByteArray &name, const QByteArray &secret) {
            return "\"" + name + "\":{\"url\":\"" + m_receiver->url("/callbacks/" + name) + "\"" +
                   (secret.isEmpty() ? QByteArray() : ",\"secret\":\"" + secret + "\"") + more + "}";
        };
        const QByteArray json = "{\"callbacks\":{" + target("resend", svixSecret) + "," + target("sendgrid", {}) + "," +
                                target("postmark", postmarkSecret) + "," + target("twilio", twilioToken) +
                                "},\"rules\":" + rules + "}";
        const auto set = m_sandbox->setScript(json);
        QVERIFY2(set.ok(), set ? "" : qPrintable(set.error().message));
    }

    AttemptResult send(const ProviderSettings &settings, const QString &id = QStringLiteral("d-1"))
    {
        RenderedMessage message;
        message.channel = settings.channel;
        message.subject = settings.channel == Channel::Email ? QStringLiteral("Your booking") : QString();
        message.text = QStringLiteral("See you at 12:00 + 5");
        const auto body = providerKind(settings.kind)->compose(settings, message, addressOf(settings), DeliveryId(id));
        if (!body)
            qFatal("the test's message can't be composed: %s", qPrintable(body.error().message));
        const auto box = std::make_shared<std::vector<AttemptResult>>();
        QObject here; // results come on the sender's thread
        m_sender->send(settings, {{DeliveryId(id), *body, addressOf(settings)}},
                       [box, &here](std::vector<AttemptResult> results) {
                           QMetaObject::invokeMethod(&here, [box, results] { *box = results; });
                       });
        if (!QTest::qWaitFor([&box] { return !box->empty(); }, patience))
            qFatal("no result came");
        return box->front();
    }

    // What the kind reads out of the callbacks that came, after it found each genuine.
    QStringList heard(const ProviderSettings &settings)
    {
        QStringList words;
        const ProviderKind *kind = providerKind(settings.kind);
        for (const CallbackRequest &request : m_receiver->requests()) {
            const CallbackCheck check = kind->verify(settings, request, SystemClock().now());
            const auto receipts = kind->receipts(settings, request);
            if (check.verdict != Verdict::Genuine || !receipts) {
                words.append(check.why + QStringLiteral("; ") + (receipts ? QString() : receipts.error().message));
                continue;
            }
            for (const ProviderReceipt &receipt : *receipts)
                words.append(QString(toText(receipt.kind)) + (receipt.suppresses ? QStringLiteral("!") : QString()));
        }
        return words;
    }

    void awaitRequests(size_t count) { QTRY_COMPARE_WITH_TIMEOUT(m_receiver->requests().size(), count, patience); }

private Q_SLOTS:
    void init()
    {
        m_sandbox = std::make_unique<SandboxThread>();
        QVERIFY(m_sandbox->listen());
        m_receiver = std::make_unique<Receiver>();
        m_sender = makeHttpSender({});
    }
    void cleanup()
    {
        m_sender.reset();
        m_sandbox.reset();
        m_receiver.reset();
    }

    void eachEventIsGenuineAndReadAsWhatItIs_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("event");
        QTest::addColumn<QStringList>("words"); // of which the callbacks speak
        const auto row = [](const char *kind, const char *event, const QStringList &words) {
            QTest::addRow("%s %s", kind, event) << QString::fromLatin1(kind) << QByteArray(event) << words;
        };
        for (const char *kind : {"resend", "sendgrid", "postmark", "twilio"}) {
            row(kind, "delivered", {QStringLiteral("delivered")});
            row(kind, "bounced_hard", {QStringLiteral("bounced_hard!")});
            row(kind, "bounced_soft", {QStringLiteral("bounced_soft")});
            row(kind, "failed", {QStringLiteral("failed")});
        }
        for (const char *kind : {"resend", "sendgrid", "postmark"})
            row(kind, "complained", {QStringLiteral("complained!")});
        row("resend", "sent", {QStringLiteral("sent")});
        row("sendgrid", "sent", {QStringLiteral("processed")});
        row("twilio", "sent", {QStringLiteral("sent")});
    }
    void eachEventIsGenuineAndReadAsWhatItIs()
    {
        QFETCH(QString, kind);
        QFETCH(QByteArray, event);
        QFETCH(QStringList, words);
        script("[{\"action\":{\"callbacks\":[\"" + event + "\"]}}]");
        const ProviderSettings settings = provider(kind, *m_sandbox, *m_receiver);
        const AttemptResult result = send(settings);
        QVERIFY2(result.outcome == Outcome::Accepted, qPrintable(result.text));
        awaitRequests(1);
        QCOMPARE(heard(settings), words);
        const CallbackRequest &request = m_receiver->requests().front();
        const ProviderReceipt receipt = providerKind(kind)->receipts(settings, request)->front();
        QCOMPARE(receipt.messageId, result.providerMessageId);
        QCOMPARE(receipt.delivery.value, QStringLiteral("d-1"));
        QCOMPARE(receipt.address, addressOf(settings));
        QVERIFY(!receipt.eventId.isEmpty());
        // The proof is worth something: another byte is another message. Postmark signs nothing.
        CallbackRequest forged = request;
        forged.body += kind == QLatin1String("twilio") ? "&x=1" : " ";
        if (kind != QLatin1String("postmark"))
            QCOMPARE(int(providerKind(kind)->verify(settings, forged, SystemClock().now()).verdict),
                     int(Verdict::Forged));
    }

    void withoutARuleTheUsualEventsCome_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("resend") << QStringLiteral("resend")
                                << QStringList{QStringLiteral("sent"), QStringLiteral("delivered")};
        QTest::newRow("sendgrid") << QStringLiteral("sendgrid")
                                  << QStringList{QStringLiteral("processed"), QStringLiteral("delivered")};
        QTest::newRow("postmark") << QStringLiteral("postmark") << QStringList{QStringLiteral("delivered")};
        QTest::newRow("twilio") << QStringLiteral("twilio")
                                << QStringList{QStringLiteral("sent"), QStringLiteral("delivered")};
    }
    void withoutARuleTheUsualEventsCome()
    {
        QFETCH(QString, kind);
        QFETCH(QStringList, words);
        script("[]");
        const ProviderSettings settings = provider(kind, *m_sandbox, *m_receiver);
        send(settings);
        awaitRequests(size_t(words.size()));
        QCOMPARE(heard(settings), words);
        QTRY_COMPARE_WITH_TIMEOUT(m_sandbox->callbackCounts().accepted, words.size(), patience);
        QCOMPARE(m_sandbox->callbackCounts().waiting, 0);
    }

    void duplicatesComeAgainWithTheSameId()
    {
        script(R"([{"action":{"callbacks":[{"event":"delivered","times":3}]}}])");
        for (const char *kind : {"resend", "sendgrid", "postmark", "twilio"}) {
            const size_t before = m_receiver->requests().size();
            const ProviderSettings settings = provider(QString::fromLatin1(kind), *m_sandbox, *m_receiver);
            send(settings);
            awaitRequests(before + 3);
            QSet<QString> ids;
            for (size_t i = before; i < before + 3; ++i)
                ids.insert(providerKind(settings.kind)->receipts(settings, m_receiver->requests()[i])->front().eventId);
            QCOMPARE(ids.size(), 1);
        }
    }

    void eventsComeInTheOrderOfTheirTimes()
    {
        script(R"([{"action":{"callbacks":[{"event":"sent","after_ms":60},{"event":"bounced_hard","after_ms":20},
                                           "delivered"]}}])");
        const ProviderSettings settings = provider(QStringLiteral("resend"), *m_sandbox, *m_receiver);
        send(settings);
        awaitRequests(3);
        QCOMPARE(heard(settings),
                 (QStringList{QStringLiteral("delivered"), QStringLiteral("bounced_hard!"), QStringLiteral("sent")}));
    }

    void aLateEventWaitsAndAResetForgetsIt()
    {
        script(R"([{"action":{"callbacks":["delivered",{"event":"complained","after_ms":86400000}]}}])");
        send(provider(QStringLiteral("postmark"), *m_sandbox, *m_receiver));
        QTRY_COMPARE_WITH_TIMEOUT(m_sandbox->callbackCounts().accepted, 1, patience);
        QCOMPARE(m_sandbox->callbackCounts().waiting, 1);
        m_sandbox->reset();
        QCOMPARE(m_sandbox->callbackCounts().waiting, 0);
        QCOMPARE(m_receiver->requests().size(), size_t(1));
    }

    void whatIsRefusedIsPostedAgainWithAFreshSignature()
    {
        script(R"([{"action":{"callbacks":["delivered"]}}])", R"(,"retries_ms":[0,0])");
        m_receiver->answer(500);
        m_receiver->answer(503);
        const ProviderSettings settings = provider(QStringLiteral("resend"), *m_sandbox, *m_receiver);
        send(settings);
        awaitRequests(3);
        QCOMPARE(heard(settings), (QStringList(3, QStringLiteral("delivered"))));
        QCOMPARE(m_receiver->requests()[0].header("svix-id"), m_receiver->requests()[2].header("svix-id"));
        QTRY_COMPARE_WITH_TIMEOUT(m_sandbox->callbackCounts().accepted, 1, patience);
        const sandbox::CallbackCounts counts = m_sandbox->callbackCounts();
        QCOMPARE(counts.posted, 3);
        QCOMPARE(counts.refused, 2);
        QCOMPARE(counts.unanswered, 0);
        QCOMPARE(counts.givenUp, 0);
    }

    void aReceiverThatIsAwayIsAskedAgain()
    {
        script(R"([{"action":{"callbacks":["delivered"]}}])");
        const ProviderSettings settings = provider(QStringLiteral("twilio"), *m_sandbox, *m_receiver);
        m_receiver->goAway();
        send(settings);
        QTRY_COMPARE_WITH_TIMEOUT(m_sandbox->callbackCounts().givenUp, 1, patience);
        QCOMPARE(m_sandbox->callbackCounts().unanswered, 2); // Twilio's one retry, at once
        QCOMPARE(m_sandbox->callbackCounts().posted, 2);
    }

    void aFinalRefusalEndsIt_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("status");
        QTest::addColumn<int>("attempts");
        QTest::newRow("resend goes on") << QStringLiteral("resend") << 403 << 2;
        QTest::newRow("Postmark after 403") << QStringLiteral("postmark") << 403 << 1;
        QTest::newRow("Postmark after 500") << QStringLiteral("postmark") << 500 << 2;
        QTest::newRow("Twilio after any answer") << QStringLiteral("twilio") << 500 << 1;
    }
    void aFinalRefusalEndsIt()
    {
        QFETCH(QString, kind);
        QFETCH(int, status);
        QFETCH(int, attempts);
        script(R"([{"action":{"callbacks":["delivered"]}}])", R"(,"retries_ms":[0])");
        m_receiver->answer(status);
        m_receiver->answer(status);
        send(provider(kind, *m_sandbox, *m_receiver));
        QTRY_COMPARE_WITH_TIMEOUT(m_sandbox->callbackCounts().givenUp, 1, patience);
        QCOMPARE(m_sandbox->callbackCounts().posted, attempts);
        QCOMPARE(m_sandbox->callbackCounts().waiting, 0);
    }

    void twiliosSignatureCoversThePublicAddressWhereverItIsPosted()
    {
        script(R"([{"action":{"callbacks":["delivered"]}}])");
        ProviderSettings settings = provider(QStringLiteral("twilio"), *m_sandbox, *m_receiver);
        settings.publicUrl = QUrl(QStringLiteral("https://notify.taxi.example/hooks"));
        send(settings);
        awaitRequests(1);
        CallbackRequest request = m_receiver->requests().front();
        QCOMPARE(request.url, m_receiver->url("/callbacks/twilio?delivery=d-1"));
        request.url = "https://notify.taxi.example/hooks/callbacks/twilio?delivery=d-1";
        QCOMPARE(int(providerKind(settings.kind)->verify(settings, request, SystemClock().now()).verdict),
                 int(Verdict::Genuine));
    }

    void aMessageThatIsNotTakenHasNoCallback()
    {
        script(R"([{"action":{"status":422},"times":1}])");
        const ProviderSettings settings = provider(QStringLiteral("resend"), *m_sandbox, *m_receiver);
        QVERIFY(send(settings).outcome != Outcome::Accepted);
        QCOMPARE(m_sandbox->callbackCounts().waiting + m_sandbox->callbackCounts().posted, 0);
        QCOMPARE(toText(send(settings, QStringLiteral("d-2")).outcome), toText(Outcome::Accepted));
        awaitRequests(2);
    }

    void anAnswerThatIsLostIsCalledBackAllTheSame()
    {
        script(R"([{"action":{"accept_then_drop":true,"callbacks":["delivered"]}}])");
        const ProviderSettings settings = provider(QStringLiteral("sendgrid"), *m_sandbox, *m_receiver);
        QCOMPARE(toText(send(settings).outcome), toText(Outcome::Unknown));
        awaitRequests(1);
        QCOMPARE(heard(settings), QStringList{QStringLiteral("delivered")});
    }
};

QTEST_GUILESS_MAIN(TestSandboxCallbacks)
#include "tst_sandbox_callbacks.moc"
