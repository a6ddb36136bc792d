#include "channel/http_sender.h"
#include "sandbox/sandbox_thread.h"
#include <QTest>
#include <mutex>

using namespace sendoff;
using namespace sendoff::channel;
using sandbox::SandboxThread;

// The kinds against the providers' stand-ins: what one side writes the other reads, and what was accepted is found.

namespace {

const QString accountSid = QStringLiteral("ACffffffffffffffffffffffffffffffff");

ProviderSettings provider(const QString &kind, quint16 port)
{
    ProviderSettings settings;
    settings.name = kind;
    settings.kind = kind;
    settings.channel = providerKind(kind)->channel;
    settings.baseUrl = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(port));
    settings.publicUrl = QUrl(QStringLiteral("https://notify.taxi.example"));
    settings.from = QStringLiteral("Taxi <no-reply@taxi.example>");
    settings.apiKey = "a-key";
    if (kind == QLatin1String("twilio")) {
        settings.from = QStringLiteral("+15550100001");
        settings.options.insert(QStringLiteral("account_sid"), accountSid);
    }
    return settings;
}

QString addressOf(const ProviderSettings &settings)
{
    return settings.channel == Channel::Sms ? QStringLiteral("+15550001234") : QStringLiteral("jane@mail.example");
}

OutgoingItem item(const ProviderSettings &settings, const QString &id)
{
    RenderedMessage message;
    message.channel = settings.channel;
    message.subject = settings.channel == Channel::Email ? QStringLiteral("Your booking") : QString();
    message.text = QStringLiteral("Žižkov – see you at 12:00");
    const auto body = providerKind(settings.kind)->compose(settings, message, addressOf(settings), DeliveryId(id));
    if (!body)
        qFatal("the test's message can't be composed: %s", qPrintable(body.error().message));
    return {DeliveryId(id), *body, addressOf(settings)};
}

// Waits for what comes on the sender's thread.
template <typename Results, typename Start>
Results await(const Start &start)
{
    struct Box
    {
        std::mutex mutex;
        std::optional<Results> results;
    };
    const auto box = std::make_shared<Box>();
    start([box](Results results) {
        const std::lock_guard lock(box->mutex);
        box->results = std::move(results);
    });
    const auto isThere = [&box] {
        const std::lock_guard lock(box->mutex);
        return box->results.has_value();
    };
    if (!QTest::qWaitFor(isThere, 30'000))
        qFatal("no result came");
    return *box->results;
}

std::vector<AttemptResult> sent(Sender &sender, const ProviderSettings &settings,
                                const std::vector<OutgoingItem> &items)
{
    return await<std::vector<AttemptResult>>([&](const Sender::Done &done) { sender.send(settings, items, done); });
}

FoundMessage asked(Sender &sender, const ProviderSettings &settings, const OpenQuestion &question)
{
    return await<std::vector<FoundMessage>>([&](const Sender::Found &done) { sender.ask(settings, {question}, done); })
        .front();
}

} // namespace

class TestSandboxProviders : public QObject
{
    Q_OBJECT

    std::unique_ptr<SandboxThread> m_sandbox;
    std::unique_ptr<Sender> m_sender;

    void script(const QByteArray &json)
    {
        const auto set = m_sandbox->setScript(json);
        QVERIFY2(set.ok(), set ? "" : qPrintable(set.error().message));
    }

private Q_SLOTS:
    void init()
    {
        m_sandbox = std::make_unique<SandboxThread>();
        QVERIFY(m_sandbox->listen());
        m_sender = makeHttpSender({});
    }
    void cleanup()
    {
        m_sender.reset();
        m_sandbox.reset();
    }

    void aMessageIsTakenWithOurId_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char *kind : {"postmark", "sendgrid", "twilio"})
            QTest::newRow(kind) << QString::fromLatin1(kind);
    }
    void aMessageIsTakenWithOurId()
    {
        QFETCH(QString, kind);
        const ProviderSettings settings = provider(kind, m_sandbox->port());
        const AttemptResult result = sent(*m_sender, settings, {item(settings, QStringLiteral("d-1"))}).front();
        QVERIFY2(result.outcome == Outcome::Accepted, qPrintable(result.text));
        const auto messages = m_sandbox->messages();
        QCOMPARE(messages.size(), size_t(1));
        QCOMPARE(messages[0].provider, kind);
        QCOMPARE(messages[0].id, result.providerMessageId);
        QCOMPARE(messages[0].key, QStringLiteral("d-1"));
        QCOMPARE(messages[0].to, addressOf(settings));
        QCOMPARE(messages[0].preview, QStringLiteral("Žižkov – see you at 12:00"));
    }

    void errorsHaveTheirOutcome_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("rule");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *kind, const char *action, Outcome outcome, const char *code) {
            QTest::addRow("%s %s", kind, action)
                << QString::fromLatin1(kind) << QByteArray("[{\"action\":") + action + "}]" << outcome
                << QString::fromLatin1(code);
        };
        row("twilio", R"({"error":"21610"})", Outcome::PermanentRecipient, "21610");
        row("twilio", R"({"status":400,"error":"21610"})", Outcome::PermanentRecipient, "21610");
        row("twilio", R"({"error":"20429"})", Outcome::Throttled, "20429");
        row("twilio", R"({"status":429})", Outcome::Throttled, "20429");
        row("twilio", R"({"status":503})", Outcome::Transient, "20503");
        row("twilio", R"({"accept_then_drop":true})", Outcome::Unknown, "connection_lost");
        row("sendgrid", R"({"status":413,"error":"content"})", Outcome::PermanentMessage, "http_413");
        row("sendgrid", R"({"status":503})", Outcome::Transient, "http_503");
        row("sendgrid", R"({"status":500})", Outcome::Unknown, "http_500");
        row("postmark", R"({"error":"406"})", Outcome::PermanentRecipient, "406");
        row("postmark", R"({"partial_batch":{"0":"406"}})", Outcome::PermanentRecipient, "406");
        row("postmark", R"({"error":"10"})", Outcome::Configuration, "10");
        row("postmark", R"({"status":401})", Outcome::Configuration, "10");
        row("postmark", R"({"bad_json":true})", Outcome::Unknown, "answer_without_code");
    }
    void errorsHaveTheirOutcome()
    {
        QFETCH(QString, kind);
        QFETCH(QByteArray, rule);
        QFETCH(Outcome, outcome);
        QFETCH(QString, code);
        script(rule);
        const ProviderSettings settings = provider(kind, m_sandbox->port());
        const AttemptResult result = sent(*m_sender, settings, {item(settings, QStringLiteral("d-1"))}).front();
        QCOMPARE(toText(result.outcome), toText(outcome));
        QCOMPARE(result.code, code);
    }

    void aLimitThrottlesAndSaysHowLong()
    {
        script(R"({"rate_per_second":1,"rules":[]})");
        for (const char *kind : {"postmark", "sendgrid", "twilio"}) {
            const ProviderSettings settings = provider(QString::fromLatin1(kind), m_sandbox->port());
            QTRY_COMPARE_WITH_TIMEOUT(
                toText(sent(*m_sender, settings, {item(settings, QStringLiteral("d-1"))}).front().outcome),
                toText(Outcome::Throttled), 30'000);
        }
    }

    void aBatchHasAResultForEach()
    {
        const ProviderSettings settings = provider(QStringLiteral("postmark"), m_sandbox->port());
        std::vector<OutgoingItem> items;
        for (int i = 0; i < 3; ++i)
            items.push_back(item(settings, QStringLiteral("d-%1").arg(i)));
        items[1].body.replace("jane@mail.example", "no address");
        const auto results = sent(*m_sender, settings, items);
        QCOMPARE(toText(results[0].outcome), toText(Outcome::Accepted));
        QCOMPARE(toText(results[1].outcome), toText(Outcome::PermanentRecipient));
        QCOMPARE(toText(results[2].outcome), toText(Outcome::Accepted));
        QVERIFY(results[0].providerMessageId != results[2].providerMessageId);
        QCOMPARE(m_sandbox->messages().size(), size_t(2));
    }

    void aScriptRefusesSomeOfABatch()
    {
        script(R"([{"action":{"partial_batch":{"1":"406"}}}])");
        const ProviderSettings settings = provider(QStringLiteral("postmark"), m_sandbox->port());
        std::vector<OutgoingItem> items;
        for (int i = 0; i < 3; ++i)
            items.push_back(item(settings, QStringLiteral("d-%1").arg(i)));
        const auto results = sent(*m_sender, settings, items);
        QCOMPARE(toText(results[0].outcome), toText(Outcome::Accepted));
        QCOMPARE(toText(results[1].outcome), toText(Outcome::PermanentRecipient));
        QCOMPARE(results[1].code, QStringLiteral("406"));
        QCOMPARE(toText(results[2].outcome), toText(Outcome::Accepted));
        QCOMPARE(m_sandbox->messages().size(), size_t(2));
    }

    void resendFindsAMailByItsIdAlone()
    {
        using Found = FoundMessage::Found;
        const ProviderSettings settings = provider(QStringLiteral("resend"), m_sandbox->port());
        const QString id = QStringLiteral("d-1");
        OpenQuestion question{DeliveryId(id), {}, addressOf(settings), SystemClock().now()};
        question.messageId = sent(*m_sender, settings, {item(settings, id)}).front().providerMessageId;
        QVERIFY(!question.messageId.isEmpty());
        const FoundMessage found = asked(*m_sender, settings, question);
        QVERIFY2(found.found == Found::Yes, qPrintable(found.why));
        QCOMPARE(toText(found.receipt->kind), toText(ReceiptKind::Delivered));
        question.messageId = QStringLiteral("nobodys");
        QVERIFY(asked(*m_sender, settings, question).found != Found::Yes);
        m_sandbox->reset();
        question.messageId = found.receipt->messageId;
        QVERIFY(asked(*m_sender, settings, question).found != Found::Yes);
    }

    void whatWasAcceptedIsFoundAlsoWithoutItsId_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::newRow("postmark") << QStringLiteral("postmark");
        QTest::newRow("twilio") << QStringLiteral("twilio");
    }
    void whatWasAcceptedIsFoundAlsoWithoutItsId()
    {
        using Found = FoundMessage::Found;
        QFETCH(QString, kind);
        const ProviderSettings settings = provider(kind, m_sandbox->port());
        const QString id = QStringLiteral("d-1");
        OpenQuestion question{DeliveryId(id), {}, addressOf(settings), SystemClock().now()};
        QCOMPARE(int(asked(*m_sender, settings, question).found), int(Found::No));
        script(R"([{"action":{"accept_then_drop":true},"times":1}])");
        QCOMPARE(toText(sent(*m_sender, settings, {item(settings, id)}).front().outcome), toText(Outcome::Unknown));
        const FoundMessage found = asked(*m_sender, settings, question);
        QVERIFY2(found.found == Found::Yes, qPrintable(found.why));
        QCOMPARE(found.receipt->messageId, m_sandbox->messages().front().id);
        QCOMPARE(found.receipt->delivery.value, id);
        question.messageId = found.receipt->messageId;
        const FoundMessage known = asked(*m_sender, settings, question);
        QCOMPARE(int(known.found), int(Found::Yes));
        QCOMPARE(toText(known.receipt->kind), toText(ReceiptKind::Delivered));
        question.messageId = QStringLiteral("nobodys");
        QCOMPARE(int(asked(*m_sender, settings, question).found), int(Found::Unclear));
    }
};

QTEST_GUILESS_MAIN(TestSandboxProviders)
#include "tst_sandbox_providers.moc"
