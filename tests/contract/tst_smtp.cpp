#include "channel/sender_router.h"
#include "channel/smtp/smtp_kind.h"
#include "channel/smtp/smtp_sender.h"
#include "sandbox/smtp_sink.h"
#include "tests/support/provider_stub.h"
#include <QElapsedTimer>
#include <QTest>
#include <QThread>
#include <memory>
#include <mutex>

using namespace sendoff;
using namespace sendoff::channel;
using sandbox::SinkMail;
using sandbox::SinkOptions;
using sandbox::SinkRule;
using sandbox::SinkStage;
using sandbox::SmtpSink;
using support::StubIdentity;
using Ending = SinkRule::Ending;

Q_DECLARE_METATYPE(SinkRule)

namespace {

const QByteArray password = "pass-0123456789";

ProviderSettings settingsFor(const SmtpSink &sink, const QMap<QString, QString> &options = {})
{
    ProviderSettings settings;
    settings.name = QStringLiteral("post");
    settings.kind = QStringLiteral("smtp");
    settings.baseUrl = QUrl(QStringLiteral("smtp://127.0.0.1:%1").arg(sink.port()));
    settings.from = QStringLiteral("Taxi <no-reply@taxi.example>");
    settings.options = options;
    if (!options.contains(QStringLiteral("tls")))
        settings.options.insert(QStringLiteral("tls"), QStringLiteral("none"));
    return settings;
}

OutgoingItem item(const ProviderSettings &settings, int number = 0,
                  const QString &address = QStringLiteral("jane.doe@mail.example"))
{
    RenderedMessage message;
    message.subject = QStringLiteral("Your booking 981 – confirmed");
    message.text = QStringLiteral("Confirmed – see you at 12:00\n.\n..two dots\n");
    message.html = QStringLiteral("<p>Confirmed</p>");
    const DeliveryId id(QStringLiteral("00000000-0000-5000-8000-%1").arg(number, 12, 10, QLatin1Char('0')));
    const auto body = smtpKind().compose(settings, message, address, id);
    if (!body)
        qFatal("the test's message can't be composed: %s", qPrintable(body.error().message));
    return {id, *body, address};
}

// What came back from one send(); written on the sender's thread.
struct Sent
{
    std::atomic_int times = 0;
    std::mutex mutex;
    std::vector<AttemptResult> results;
    QThread *thread = nullptr;

    AttemptResult result()
    {
        const std::lock_guard lock(mutex);
        return results.empty() ? AttemptResult{} : results.front();
    }
};

std::shared_ptr<Sent> sendOff(Sender &sender, const ProviderSettings &settings, std::vector<OutgoingItem> items)
{
    const auto sent = std::make_shared<Sent>();
    sender.send(settings, std::move(items), [sent](std::vector<AttemptResult> results) {
        const std::lock_guard lock(sent->mutex);
        sent->results = std::move(results);
        sent->thread = QThread::currentThread();
        ++sent->times;
    });
    return sent;
}

AttemptResult resultOf(Sender &sender, const ProviderSettings &settings, const OutgoingItem &sending)
{
    const auto sent = sendOff(sender, settings, {sending});
    if (!QTest::qWaitFor([&sent] { return sent->times > 0; }, 30'000))
        qFatal("no result came");
    return sent->result();
}

std::unique_ptr<SmtpSink> sinkWith(SinkOptions options = {}, std::vector<SinkRule> rules = {})
{
    auto sink = std::make_unique<SmtpSink>(std::move(options));
    sink->setRules(std::move(rules));
    if (!sink->listen())
        qFatal("the sink can't listen");
    return sink;
}

SinkRule rule(SinkStage stage, const QByteArray &reply, Ending ending = Ending::None, int times = -1)
{
    SinkRule made;
    made.stage = stage;
    made.reply = reply;
    made.ending = ending;
    made.times = times;
    return made;
}

SinkOptions encryptedBy(const StubIdentity &identity)
{
    SinkOptions options;
    options.certificate = identity.certificate;
    options.key = identity.key;
    return options;
}

TransportSettings trusting(const StubIdentity &identity)
{
    TransportSettings settings;
    settings.caCertificates = identity.certificate;
    return settings;
}

#define MAKE_IDENTITY(name)                                                                                            \
    const auto made##name = StubIdentity::make();                                                                      \
    if (!made##name)                                                                                                   \
        QSKIP("NOT TESTED: TLS, because there is no openssl command to make a certificate");                           \
    const StubIdentity name = *made##name

} // namespace

class TestSmtp : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aMail_arrivesAsItWasComposed();
    void connections_areKeptForTheNextMail();
    void bodies_arriveToTheByte_data();
    void bodies_arriveToTheByte();
    void returnPath_namesTheDelivery();
    void lostConnections_areJudgedByTheStageReached_data();
    void lostConnections_areJudgedByTheStageReached();
    void refusals_areAnswersAtEachStage_data();
    void refusals_areAnswersAtEachStage();
    void greylisting_waitsFiveMinutesAndThenPasses();
    void aRefusedRecipient_leavesTheConnectionForTheNext();
    void staleConnections_areReplacedWithoutLosingTheAttempt_data();
    void staleConnections_areReplacedWithoutLosingTheAttempt();
    void slots_limitConnectionsAndAllMailsPass();
    void aServerThatKeepsUsWaiting_holdsUpNobodyElse();
    void aServerSilentAfterARefusedLogin_holdsUpNobodyElse();
    void theDeadline_countsWhileWaitingForAConnection();
    void startTls_isRequired();
    void untrustedCertificate_isConfiguration();
    void encryptedConnections_carryTheMail_data();
    void encryptedConnections_carryTheMail();
    void logins_data();
    void logins();
    void aServerWithoutLogin_getsNothingFromWhoShouldLogIn();
    void ADR_01_lettersBeyondAscii_needSmtputf8();
    void ADR_01_internationalDomains_goOutAsALabels();
    void announcedSize_isHonoured();
    void unreachableServer_isTransientAndNothingLeft();
    void badSettings_areConfigurationAndNothingLeaves();
    void secretsAndAddresses_areRemovedFromServerText();
    void cancelAll_bringsEveryDone();
    void destruction_bringsEveryDone();
    void done_comesOnceOnTheSendersThread_fromManyThreads();
    void theRouter_choosesTheSenderByKind();
    void check_namesTheKeyAtFault_data();
    void check_namesTheKeyAtFault();
    void compose_refusesWhatCantBeSent_data();
    void compose_refusesWhatCantBeSent();
};

void TestSmtp::aMail_arrivesAsItWasComposed()
{
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    const OutgoingItem sending = item(settings);
    const AttemptResult result = resultOf(*sender, settings, sending);
    QCOMPARE(toText(result.outcome), toText(Outcome::Accepted));
    QCOMPARE(result.status, 250);
    QCOMPARE(result.providerMessageId, QStringLiteral("SINK1"));
    QVERIFY(result.left && result.code.isEmpty() && result.text.isEmpty());
    QCOMPARE(sink->mails().size(), size_t(1));
    const SinkMail &mail = sink->mails().front();
    QCOMPARE(mail.bytes, sending.body);
    QCOMPARE(mail.sender, QByteArray("no-reply@taxi.example"));
    QCOMPARE(mail.recipients, QByteArrayList{"jane.doe@mail.example"});
    QCOMPARE(mail.sizeAndMore, "SIZE=" + QByteArray::number(sending.body.size()));
    QVERIFY(sending.body.contains("\r\nMessage-ID: <00000000-0000-5000-8000-000000000000@taxi.example>\r\n"));
}

void TestSmtp::connections_areKeptForTheNextMail()
{
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    for (int number = 0; number < 5; ++number)
        QCOMPARE(resultOf(*sender, settings, item(settings, number)).outcome, Outcome::Accepted);
    QCOMPARE(sink->counts().connections, 1);
    ProviderSettings other = settings;
    other.name = QStringLiteral("second"); // another provider has connections of its own
    QCOMPARE(resultOf(*sender, other, item(other)).outcome, Outcome::Accepted);
    QCOMPARE(sink->counts().connections, 2);
}

void TestSmtp::bodies_arriveToTheByte_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("dots") << QByteArray("A: b\r\n\r\n.\r\n..\r\n.x\r\na.\r\n.\r\n");
    QTest::newRow("dot first") << QByteArray(".a\r\n");
    QTest::newRow("end of data inside") << QByteArray("a\r\n.\r\nMAIL FROM:<x@evil.test>\r\n");
    QTest::newRow("long") << QByteArray(3'000'000, 'x').replace(QByteArray(500, 'x'), QByteArray(498, 'x') + "\r\n");
    QTest::newRow("8 bit") << QByteArray("\xc3\xa4\xff\r\n");
}

void TestSmtp::bodies_arriveToTheByte()
{
    QFETCH(QByteArray, body);
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    QCOMPARE(
        resultOf(*sender, settings, {DeliveryId(QStringLiteral("d")), body, QStringLiteral("a@b.example")}).outcome,
        Outcome::Accepted);
    QCOMPARE(sink->counts().received, 1);
    QCOMPARE(sink->mails().front().bytes, body);
}

void TestSmtp::returnPath_namesTheDelivery()
{
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings =
        settingsFor(*sink, {{QStringLiteral("return_path"), QStringLiteral("bounce+{id}@taxi.example")}});
    QCOMPARE(resultOf(*sender, settings, item(settings, 7)).outcome, Outcome::Accepted);
    QCOMPARE(sink->mails().front().sender, QByteArray("bounce+00000000-0000-5000-8000-000000000007@taxi.example"));
}

// The decisive fact: only from the final dot on may the mail have been taken.
void TestSmtp::lostConnections_areJudgedByTheStageReached_data()
{
    QTest::addColumn<SinkRule>("rule");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("code");
    QTest::addColumn<bool>("left");
    QTest::addColumn<int>("received");
    const std::pair<const char *, SinkStage> before[] = {{"connect", SinkStage::Connect},
                                                         {"EHLO", SinkStage::Hello},
                                                         {"MAIL", SinkStage::Mail},
                                                         {"RCPT", SinkStage::Rcpt},
                                                         {"DATA", SinkStage::Data}};
    for (const auto &[name, stage] : before) {
        QTest::addRow("dropped at %s", name)
            << rule(stage, {}, Ending::Drop) << Outcome::Transient << "connection_lost" << false << 0;
        QTest::addRow("silence at %s", name)
            << rule(stage, {}, Ending::Silence) << Outcome::Transient << "timeout" << false << 0;
    }
    QTest::newRow("dropped in the body") << rule(SinkStage::Body, {}, Ending::Drop) << Outcome::Transient
                                         << "connection_lost" << true << 0;
    QTest::newRow("silence in the body") << rule(SinkStage::Body, {}, Ending::Silence) << Outcome::Transient
                                         << "timeout" << true << 0;
    QTest::newRow("dropped after the dot")
        << rule(SinkStage::EndOfData, {}, Ending::Drop) << Outcome::Unknown << "connection_lost" << true << 1;
    QTest::newRow("silence after the dot")
        << rule(SinkStage::EndOfData, {}, Ending::Silence) << Outcome::Unknown << "timeout" << true << 1;
    QTest::newRow("rubbish after the dot")
        << rule(SinkStage::EndOfData, "what?") << Outcome::Unknown << "malformed" << true << 1;
    QTest::newRow("half a reply after the dot") << rule(SinkStage::EndOfData, "250-2.0.0 queued", Ending::Close)
                                                << Outcome::Unknown << "connection_lost" << true << 1;
    QTest::newRow("dropped after acceptance")
        << rule(SinkStage::EndOfData, "250 2.0.0 ok", Ending::Close) << Outcome::Accepted << "" << true << 1;
    QTest::newRow("no SMTP server") << rule(SinkStage::Connect, "HTTP/1.1 200 OK", Ending::Close) << Outcome::Transient
                                    << "connection_lost" << false << 0;
}

void TestSmtp::lostConnections_areJudgedByTheStageReached()
{
    QFETCH(SinkRule, rule);
    QFETCH(Outcome, outcome);
    QFETCH(QString, code);
    QFETCH(bool, left);
    QFETCH(int, received);
    const auto sink = sinkWith({}, {rule});
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*sink);
    OutgoingItem sending = item(settings);
    if (rule.ending == Ending::Silence)
        settings.timeout = Milliseconds(600);
    // So long that no buffer on the way takes all of it.
    if (rule.stage == SinkStage::Body)
        sending.body = QByteArray(40'000'000, 'x').replace(QByteArray(500, 'x'), QByteArray(498, 'x') + "\r\n");
    if (rule.stage == SinkStage::Body)
        settings.timeout = Milliseconds(4000);
    SinkOptions unlimited;
    unlimited.abilities = {"8BITMIME"};
    const auto wide = sinkWith(unlimited, {rule});
    const SmtpSink &used = rule.stage == SinkStage::Body ? *wide : *sink;
    settings.baseUrl.setPort(used.port());
    const AttemptResult result = resultOf(*sender, settings, sending);
    QCOMPARE(toText(result.outcome), toText(outcome));
    QCOMPARE(result.code, code);
    QCOMPARE(result.left, left);
    QTRY_COMPARE(used.counts().received, qint64(received));
    QVERIFY(result.outcome == Outcome::Accepted || !result.text.isEmpty());
}

void TestSmtp::refusals_areAnswersAtEachStage_data()
{
    QTest::addColumn<SinkRule>("rule");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("code");
    const auto row = [](const char *name, const SinkRule &rule, Outcome outcome, const char *code) {
        QTest::newRow(name) << rule << outcome << QString::fromLatin1(code);
    };
    row("greeting 554", rule(SinkStage::Connect, "554 5.7.1 blocked"), Outcome::Configuration, "server_refuses_us");
    row("greeting 421", rule(SinkStage::Connect, "421 4.3.2 not now"), Outcome::Transient, "server_error");
    row("greeting 521", rule(SinkStage::Connect, "521 5.3.2 no mail here"), Outcome::Configuration,
        "host_refuses_mail"); // it is our server, not the recipient's
    row("EHLO 550", rule(SinkStage::Hello, "550 who?"), Outcome::Configuration, "server_refuses_us");
    row("MAIL 553", rule(SinkStage::Mail, "553 5.1.8 bad sender"), Outcome::Configuration, "sender_address");
    row("MAIL 552", rule(SinkStage::Mail, "552 5.3.4 too big"), Outcome::PermanentMessage, "too_big");
    row("MAIL 421", rule(SinkStage::Mail, "421 closing"), Outcome::Transient, "closing");
    row("RCPT 550", rule(SinkStage::Rcpt, "550 5.1.1 no such user"), Outcome::PermanentRecipient, "no_mailbox");
    row("RCPT 452 full", rule(SinkStage::Rcpt, "452 4.2.2 full"), Outcome::Transient, "mailbox_full");
    row("RCPT in lines", rule(SinkStage::Rcpt, "550-5.1.1 no\r\n550-5.1.1 such\r\n550 5.1.1 user"),
        Outcome::PermanentRecipient, "no_mailbox");
    row("DATA 451", rule(SinkStage::Data, "451 4.3.0 later"), Outcome::Transient, "server_error");
    row("DATA 250", rule(SinkStage::Data, "250 what"), Outcome::Transient, "malformed");
    row("body 552", rule(SinkStage::Body, "552 5.3.4 stop", Ending::Close), Outcome::PermanentMessage, "too_big");
    row("dot 550 spam", rule(SinkStage::EndOfData, "550 5.7.1 spam"), Outcome::PermanentMessage, "policy");
    row("dot 550 SPF", rule(SinkStage::EndOfData, "550 5.7.23 SPF"), Outcome::Configuration, "authentication");
    row("dot 454", rule(SinkStage::EndOfData, "454 Throttling failure: Maximum sending rate exceeded"),
        Outcome::Throttled, "provider_rate");
    row("dot 451", rule(SinkStage::EndOfData, "451 4.3.0 local error"), Outcome::Transient, "server_error");
    row("dot 421", rule(SinkStage::EndOfData, "421 4.3.0 closing"), Outcome::Transient, "server_error");
}

void TestSmtp::refusals_areAnswersAtEachStage()
{
    QFETCH(SinkRule, rule);
    QFETCH(Outcome, outcome);
    QFETCH(QString, code);
    const auto sink = sinkWith({}, {rule});
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    OutgoingItem sending = item(settings);
    if (rule.stage == SinkStage::Body)
        sending.body = QByteArray(9'000'000, 'x').replace(QByteArray(500, 'x'), QByteArray(498, 'x') + "\r\n");
    const AttemptResult result = resultOf(*sender, settings, sending);
    if (rule.stage == SinkStage::Body && result.code == QLatin1String("connection_lost")) {
        // The reset of a closing server may overtake its words; nothing is claimed then but that it was not taken.
        QCOMPARE(toText(result.outcome), toText(Outcome::Transient));
        return;
    }
    QCOMPARE(toText(result.outcome), toText(outcome));
    QCOMPARE(result.code, code);
    QCOMPARE(result.status, rule.reply.left(3).toInt());
    const bool isAfterBody = rule.stage == SinkStage::Body || rule.stage == SinkStage::EndOfData;
    QVERIFY(isAfterBody || rule.stage == SinkStage::Data || !result.left);
    QCOMPARE(sink->counts().accepted, 0);
}

void TestSmtp::greylisting_waitsFiveMinutesAndThenPasses()
{
    SinkOptions options;
    options.isGreylisting = true;
    const auto sink = sinkWith(options);
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    const AttemptResult first = resultOf(*sender, settings, item(settings));
    QCOMPARE(toText(first.outcome), toText(Outcome::Transient));
    QCOMPARE(first.code, QStringLiteral("greylisting"));
    QVERIFY(first.wait && *first.wait >= std::chrono::minutes(5));
    QVERIFY(!first.left);
    QCOMPARE(toText(resultOf(*sender, settings, item(settings)).outcome), toText(Outcome::Accepted));
    QCOMPARE(sink->mails().size(), size_t(1));
}

void TestSmtp::aRefusedRecipient_leavesTheConnectionForTheNext()
{
    const auto sink = sinkWith({}, {rule(SinkStage::Rcpt, "550 5.1.1 no such user", Ending::None, 1)});
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    QCOMPARE(resultOf(*sender, settings, item(settings, 1)).outcome, Outcome::PermanentRecipient);
    QCOMPARE(resultOf(*sender, settings, item(settings, 2)).outcome, Outcome::Accepted);
    QCOMPARE(resultOf(*sender, settings, item(settings, 3)).outcome, Outcome::Accepted);
    QCOMPARE(sink->mails().size(), size_t(2));
    QCOMPARE(sink->mails().front().recipients.size(), 1); // the refused transaction was forgotten
    QVERIFY(sink->counts().connections <= 2);             // a mail may come before the RSET is answered
}

void TestSmtp::staleConnections_areReplacedWithoutLosingTheAttempt_data()
{
    QTest::addColumn<bool>("isTold");
    QTest::newRow("closed while idle") << false;
    QTest::newRow("421 to the next MAIL") << true;
}

void TestSmtp::staleConnections_areReplacedWithoutLosingTheAttempt()
{
    QFETCH(bool, isTold);
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    QCOMPARE(resultOf(*sender, settings, item(settings, 1)).outcome, Outcome::Accepted);
    if (isTold)
        sink->setRules({rule(SinkStage::Mail, "421 4.4.2 idle for too long", Ending::None, 1)});
    else
        sink->dropConnections();
    const AttemptResult result = resultOf(*sender, settings, item(settings, 2));
    QCOMPARE(toText(result.outcome), toText(Outcome::Accepted));
    QCOMPARE(sink->counts().connections, 2);
    QCOMPARE(sink->counts().received, 2);
}

void TestSmtp::slots_limitConnectionsAndAllMailsPass()
{
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*sink);
    settings.slotCount = 3;
    std::vector<std::shared_ptr<Sent>> all;
    for (int number = 0; number < 60; ++number)
        all.push_back(sendOff(*sender, settings, {item(settings, number)}));
    QTRY_VERIFY_WITH_TIMEOUT(std::all_of(all.begin(), all.end(), [](const auto &sent) { return sent->times > 0; }),
                             30'000);
    for (const auto &sent : all) {
        QCOMPARE(sent->times.load(), 1);
        QCOMPARE(toText(sent->result().outcome), toText(Outcome::Accepted));
    }
    QCOMPARE(sink->counts().received, 60);
    QCOMPARE(sink->counts().connections, 3);
}

// libcurl's own SMTP transfer would block the thread here: it waits for the final reply without its event loop.
void TestSmtp::aServerThatKeepsUsWaiting_holdsUpNobodyElse()
{
    const auto sink = sinkWith({}, {rule(SinkStage::EndOfData, {}, Ending::Silence, 1)});
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*sink);
    settings.timeout = Milliseconds(120'000);
    const auto waiting = sendOff(*sender, settings, {item(settings, 1)});
    QTRY_COMPARE_WITH_TIMEOUT(sink->counts().received, 1, 30'000);
    for (int number = 2; number < 8; ++number)
        QCOMPARE(resultOf(*sender, settings, item(settings, number)).outcome, Outcome::Accepted);
    QCOMPARE(waiting->times.load(), 0);
    sender->cancelAll();
    QCOMPARE(waiting->times.load(), 1);
    QCOMPARE(toText(waiting->result().outcome), toText(Outcome::Unknown));
    QCOMPARE(waiting->result().code, QStringLiteral("cancelled"));
}

void TestSmtp::aServerSilentAfterARefusedLogin_holdsUpNobodyElse()
{
    SinkOptions options;
    options.mechanisms = {"PLAIN"};
    const auto strict = sinkWith(options, {rule(SinkStage::Quit, {}, Ending::Silence)});
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    ProviderSettings wrong = settingsFor(*strict, {{QStringLiteral("username"), QStringLiteral("me")}});
    wrong.apiKey = "wrong-password";
    const auto refused = sendOff(*sender, wrong, {item(wrong)});
    const ProviderSettings settings = settingsFor(*sink);
    QCOMPARE(resultOf(*sender, settings, item(settings)).outcome, Outcome::Accepted);
    QTRY_COMPARE_WITH_TIMEOUT(refused->times.load(), 1, 20'000);
    QCOMPARE(toText(refused->result().outcome), toText(Outcome::Configuration));
    QCOMPARE(refused->result().code, QStringLiteral("auth"));
    QCOMPARE(resultOf(*sender, settings, item(settings)).outcome, Outcome::Accepted);
}

void TestSmtp::theDeadline_countsWhileWaitingForAConnection()
{
    const auto sink = sinkWith({}, {rule(SinkStage::EndOfData, {}, Ending::Silence)});
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*sink);
    settings.slotCount = 1;
    settings.timeout = Milliseconds(60'000);
    const auto first = sendOff(*sender, settings, {item(settings, 1)});
    QTRY_COMPARE_WITH_TIMEOUT(sink->counts().received, 1, 30'000);
    settings.timeout = Milliseconds(200);
    const AttemptResult late = resultOf(*sender, settings, item(settings, 2));
    QCOMPARE(toText(late.outcome), toText(Outcome::Transient));
    QCOMPARE(late.code, QStringLiteral("timeout"));
    QVERIFY(!late.left);
    QCOMPARE(first->times.load(), 0);
}

void TestSmtp::startTls_isRequired()
{
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink, {{QStringLiteral("tls"), QStringLiteral("starttls")}});
    const AttemptResult result = resultOf(*sender, settings, item(settings));
    QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
    QCOMPARE(result.code, QStringLiteral("no_starttls"));
    QVERIFY(!result.left);
    QCOMPARE(sink->counts().mailCommands, 0);

    MAKE_IDENTITY(identity);
    const auto busy = sinkWith(encryptedBy(identity), {rule(SinkStage::StartTls, "454 4.7.0 TLS not available")});
    const ProviderSettings later = settingsFor(*busy, {{QStringLiteral("tls"), QStringLiteral("starttls")}});
    const AttemptResult refused = resultOf(*sender, later, item(later));
    QCOMPARE(toText(refused.outcome), toText(Outcome::Transient));
    QCOMPARE(busy->counts().mailCommands, 0);
}

void TestSmtp::untrustedCertificate_isConfiguration()
{
    MAKE_IDENTITY(identity);
    const auto sink = sinkWith(encryptedBy(identity));
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink, {{QStringLiteral("tls"), QStringLiteral("starttls")}});
    const AttemptResult result = resultOf(*sender, settings, item(settings));
    QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
    QCOMPARE(result.code, QStringLiteral("tls_certificate"));
    QVERIFY(!result.left);
    QCOMPARE(sink->counts().mailCommands, 0);
}

void TestSmtp::encryptedConnections_carryTheMail_data()
{
    QTest::addColumn<bool>("isImplicit");
    QTest::newRow("STARTTLS") << false;
    QTest::newRow("from the first byte") << true;
}

void TestSmtp::encryptedConnections_carryTheMail()
{
    QFETCH(bool, isImplicit);
    MAKE_IDENTITY(identity);
    SinkOptions options = encryptedBy(identity);
    options.isImplicitTls = isImplicit;
    const auto sink = sinkWith(options);
    const auto sender = makeSmtpSender(trusting(identity));
    ProviderSettings settings = settingsFor(*sink, {{QStringLiteral("tls"), QString()}});
    if (isImplicit)
        settings.baseUrl.setScheme(QStringLiteral("smtps"));
    for (int number = 0; number < 3; ++number) {
        OutgoingItem sending = item(settings, number);
        sending.body += QByteArray(1'000'000, 'x').replace(QByteArray(500, 'x'), QByteArray(498, 'x') + "\r\n");
        QCOMPARE(toText(resultOf(*sender, settings, sending).outcome), toText(Outcome::Accepted));
        QVERIFY(sink->mails().back().isEncrypted);
        QCOMPARE(sink->mails().back().bytes, sending.body);
    }
    QCOMPARE(sink->counts().connections, 1);
    sink->setRules({rule(SinkStage::EndOfData, {}, Ending::Drop)});
    QCOMPARE(toText(resultOf(*sender, settings, item(settings, 9)).outcome), toText(Outcome::Unknown));
}

void TestSmtp::logins_data()
{
    QTest::addColumn<QString>("auth");
    QTest::addColumn<QByteArrayList>("offered");
    QTest::newRow("PLAIN") << "plain" << QByteArrayList{"PLAIN", "LOGIN"};
    QTest::newRow("LOGIN") << "login" << QByteArrayList{"PLAIN", "LOGIN"};
    QTest::newRow("XOAUTH2") << "xoauth2" << QByteArrayList{"PLAIN", "XOAUTH2"};
    QTest::newRow("whichever: PLAIN") << "" << QByteArrayList{"PLAIN"};
    QTest::newRow("whichever: LOGIN") << "" << QByteArrayList{"LOGIN", "XOAUTH2"};
}

void TestSmtp::logins()
{
    QFETCH(QString, auth);
    QFETCH(QByteArrayList, offered);
    SinkOptions options;
    options.mechanisms = offered;
    options.user = "taxi";
    options.password = password;
    const auto sink = sinkWith(options);
    const auto sender = makeSmtpSender({});
    ProviderSettings settings =
        settingsFor(*sink, {{QStringLiteral("username"), QStringLiteral("taxi")}, {QStringLiteral("auth"), auth}});
    settings.apiKey = password;
    QCOMPARE(toText(resultOf(*sender, settings, item(settings)).outcome), toText(Outcome::Accepted));
    QCOMPARE(sink->mails().front().user, QByteArray("taxi"));

    settings.apiKey = "other-password";
    const AttemptResult refused = resultOf(*sender, settings, item(settings));
    QCOMPARE(toText(refused.outcome), toText(Outcome::Configuration));
    QCOMPARE(refused.code, QStringLiteral("auth"));
    QVERIFY(!refused.left);
    QCOMPARE(sink->counts().mailCommands, 1);
}

void TestSmtp::aServerWithoutLogin_getsNothingFromWhoShouldLogIn()
{
    for (const QByteArrayList &offered : {QByteArrayList{}, QByteArrayList{"XOAUTH2"}}) {
        SinkOptions options;
        options.mechanisms = offered;
        const auto sink = sinkWith(options);
        const auto sender = makeSmtpSender({});
        ProviderSettings settings = settingsFor(*sink, {{QStringLiteral("username"), QStringLiteral("taxi")}});
        settings.apiKey = password;
        const AttemptResult result = resultOf(*sender, settings, item(settings));
        QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
        QCOMPARE(result.code, QStringLiteral("no_auth"));
        QVERIFY(!result.left);
        QCOMPARE(sink->counts().mailCommands, 0);
    }
}

void TestSmtp::ADR_01_lettersBeyondAscii_needSmtputf8()
{
    const QString address = QStringLiteral("jörg@müller.example");
    const auto able = sinkWith();
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*able);
    QCOMPARE(toText(resultOf(*sender, settings, item(settings, 1, address)).outcome), toText(Outcome::Accepted));
    QCOMPARE(able->mails().front().recipients, QByteArrayList{"jörg@xn--mller-kva.example"});
    QVERIFY(able->mails().front().sizeAndMore.endsWith("BODY=8BITMIME SMTPUTF8"));
    QVERIFY(able->mails().front().bytes.contains("\r\nTo: jörg@xn--mller-kva.example\r\n"));

    SinkOptions options;
    options.abilities = {"8BITMIME"};
    const auto unable = sinkWith(options);
    settings = settingsFor(*unable);
    const AttemptResult refused = resultOf(*sender, settings, item(settings, 2, address));
    QCOMPARE(toText(refused.outcome), toText(Outcome::PermanentRecipient));
    QCOMPARE(refused.code, QStringLiteral("no_smtputf8"));
    QVERIFY(!refused.left);
    QCOMPARE(unable->counts().mailCommands, 0);
    QCOMPARE(resultOf(*sender, settings, item(settings, 3)).outcome, Outcome::Accepted); // on the same connection
    QCOMPARE(unable->counts().connections, 1);
}

void TestSmtp::ADR_01_internationalDomains_goOutAsALabels()
{
    SinkOptions options;
    options.abilities = {};
    const auto sink = sinkWith(options);
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    QCOMPARE(resultOf(*sender, settings, item(settings, 1, QStringLiteral("user@müller.example"))).outcome,
             Outcome::Accepted);
    QCOMPARE(sink->mails().front().recipients, QByteArrayList{"user@xn--mller-kva.example"});
    QVERIFY(sink->mails().front().bytes.contains("\r\nTo: user@xn--mller-kva.example\r\n"));
    QVERIFY(sink->mails().front().sizeAndMore.isEmpty()); // no extension was offered, none is used
}

void TestSmtp::announcedSize_isHonoured()
{
    SinkOptions options;
    options.abilities = {"SIZE 100"};
    const auto sink = sinkWith(options);
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    const AttemptResult result = resultOf(*sender, settings, item(settings));
    QCOMPARE(toText(result.outcome), toText(Outcome::PermanentMessage));
    QCOMPARE(result.code, QStringLiteral("too_big"));
    QVERIFY(!result.left);
    QCOMPARE(sink->counts().mailCommands, 0);
}

void TestSmtp::unreachableServer_isTransientAndNothingLeft()
{
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*sink);
    const OutgoingItem sending = item(settings);
    settings.baseUrl = QUrl(QStringLiteral("smtp://127.0.0.1:1"));
    const AttemptResult refused = resultOf(*sender, settings, sending);
    QCOMPARE(toText(refused.outcome), toText(Outcome::Transient));
    QCOMPARE(refused.code, QStringLiteral("connection_refused"));
    QVERIFY(!refused.left);
    settings.baseUrl = QUrl(QStringLiteral("smtp://provider.invalid:587"));
    settings.options.remove(QStringLiteral("tls"));
    const AttemptResult nameless = resultOf(*sender, settings, sending);
    QCOMPARE(toText(nameless.outcome), toText(Outcome::Transient));
    QCOMPARE(nameless.code, QStringLiteral("dns"));
    QVERIFY(!nameless.left);
}

void TestSmtp::badSettings_areConfigurationAndNothingLeaves()
{
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*sink);
    const OutgoingItem sending = item(settings);
    settings.options.insert(QStringLiteral("tls"), QStringLiteral("perhaps"));
    const AttemptResult result = resultOf(*sender, settings, sending);
    QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
    QVERIFY(result.text.contains(QStringLiteral("providers.post.options.tls")));
    QVERIFY(!result.left);
    QCOMPARE(sink->counts().connections, 0);
}

void TestSmtp::secretsAndAddresses_areRemovedFromServerText()
{
    SinkOptions options;
    options.mechanisms = {"PLAIN"};
    options.user = "taxi";
    options.password = password;
    const auto sink = sinkWith(
        options, {rule(SinkStage::Rcpt, "550 5.1.1 <Jane.Doe@mail.example> unknown, " + password + " is yours")});
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*sink, {{QStringLiteral("username"), QStringLiteral("taxi")}});
    settings.apiKey = password;
    const AttemptResult result = resultOf(*sender, settings, item(settings));
    QCOMPARE(toText(result.outcome), toText(Outcome::PermanentRecipient));
    QVERIFY(result.text.contains(QStringLiteral("unknown")));
    QVERIFY(!result.text.contains(QStringLiteral("jane"), Qt::CaseInsensitive));
    QVERIFY(!result.text.contains(QString::fromLatin1(password)));
}

void TestSmtp::cancelAll_bringsEveryDone()
{
    const auto sink = sinkWith({}, {rule(SinkStage::Rcpt, {}, Ending::Silence)});
    const auto sender = makeSmtpSender({});
    ProviderSettings settings = settingsFor(*sink);
    settings.slotCount = 4;
    std::vector<std::shared_ptr<Sent>> all;
    for (int number = 0; number < 20; ++number)
        all.push_back(sendOff(*sender, settings, {item(settings, number)}));
    QTRY_COMPARE_WITH_TIMEOUT(sink->counts().mailCommands, 4, 30'000);
    sender->cancelAll();
    for (const auto &sent : all) {
        QCOMPARE(sent->times.load(), 1);
        QCOMPARE(toText(sent->result().outcome), toText(Outcome::Transient));
        QCOMPARE(sent->result().code, QStringLiteral("cancelled"));
        QVERIFY(!sent->result().left);
    }
    sink->setRules({});
    QCOMPARE(resultOf(*sender, settings, item(settings)).outcome, Outcome::Accepted); // it goes on working
}

void TestSmtp::destruction_bringsEveryDone()
{
    const auto sink = sinkWith({}, {rule(SinkStage::Connect, {}, Ending::Silence)});
    const ProviderSettings settings = settingsFor(*sink);
    std::vector<std::shared_ptr<Sent>> all;
    {
        const auto sender = makeSmtpSender({});
        for (int number = 0; number < 20; ++number)
            all.push_back(sendOff(*sender, settings, {item(settings, number), item(settings, number + 100)}));
    }
    for (const auto &sent : all) {
        QCOMPARE(sent->times.load(), 1);
        QCOMPARE(sent->results.size(), size_t(2));
    }
}

void TestSmtp::done_comesOnceOnTheSendersThread_fromManyThreads()
{
    const auto sink = sinkWith();
    const auto sender = makeSmtpSender({});
    const ProviderSettings settings = settingsFor(*sink);
    std::vector<std::shared_ptr<Sent>> all(40);
    std::vector<std::thread> threads;
    for (size_t start = 0; start < 4; ++start) {
        threads.emplace_back([&, start] {
            for (size_t i = start; i < all.size(); i += 4)
                all[i] = sendOff(*sender, settings, {item(settings, int(i))});
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
        QCOMPARE(toText(sent->result().outcome), toText(Outcome::Accepted));
    }
    QCOMPARE(sink->counts().received, 40);
}

void TestSmtp::theRouter_choosesTheSenderByKind()
{
    const auto sink = sinkWith({}, {rule(SinkStage::EndOfData, {}, Ending::Silence)});
    support::ProviderStub stub(support::ProviderStub::always(200, R"({"id":"m-1"})"));
    const auto sender = makeSender({});
    const ProviderSettings smtp = settingsFor(*sink);
    ProviderSettings http = smtp;
    http.kind = QStringLiteral("resend");
    http.baseUrl = stub.url(QStringLiteral("/"));
    http.apiKey = "re_0123456789";
    QCOMPARE(toText(resultOf(*sender, http, item(smtp)).outcome), toText(Outcome::Accepted));
    QCOMPARE(sink->counts().connections, 0);
    const auto waiting = sendOff(*sender, smtp, {item(smtp)});
    QTRY_COMPARE_WITH_TIMEOUT(sink->counts().received, 1, 30'000);
    sender->cancelAll();
    QCOMPARE(waiting->times.load(), 1);
    QCOMPARE(toText(waiting->result().outcome), toText(Outcome::Unknown));
    ProviderSettings unknown = smtp;
    unknown.kind = QStringLiteral("pigeon");
    QCOMPARE(resultOf(*sender, unknown, item(smtp)).code, QStringLiteral("unknown_kind"));
}

void TestSmtp::check_namesTheKeyAtFault_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("fault"); // empty: it is right
    const auto row = [](const char *key, const char *value, const char *fault) {
        QTest::addRow("%s = %s", key, value)
            << QString::fromLatin1(key) << QString::fromUtf8(value) << QString::fromLatin1(fault);
    };
    row("base_url", "smtp://mail.example", "");
    row("base_url", "smtps://mail.example:465", "");
    row("base_url", "https://mail.example", "base_url:");
    row("base_url", "smtp://", "base_url:");
    row("base_url", "smtp://mail.example/x", "base_url:");
    row("base_url", "smtp://me:secret@mail.example", "base_url:");
    row("tls", "starttls", "");
    row("tls", "none", "options.tls:"); // not to a host that is not this one
    row("tls", "implicit", "options.tls:");
    row("tls", "maybe", "options.tls:");
    row("auth", "login", "");
    row("auth", "cram-md5", "options.auth:");
    row("username", "me", "api_key:");
    row("from", "Taxi", "from:");
    row("from", "Taxi <no-reply@taxi.example>\r\nBcc: x@evil.test", "from:");
    row("from", "jörg@taxi.example", "from:");
    row("return_path", "bounce+{id}@taxi.example", "");
    row("return_path", "bounce {id}@taxi.example", "options.return_path:");
    row("return_path", "a-rather-long-name-for-bounces-{id}@taxi.example", "options.return_path:");
    row("reply_to", "help@taxi.example", "");
    row("reply_to", "help", "options.reply_to:");
    row("hello", "client.taxi.example", "");
    row("hello", "not a name", "options.hello:");
}

void TestSmtp::check_namesTheKeyAtFault()
{
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, fault);
    ProviderSettings settings;
    settings.baseUrl = QUrl(QStringLiteral("smtp://mail.example:587"));
    settings.from = QStringLiteral("no-reply@taxi.example");
    if (key == QLatin1String("base_url"))
        settings.baseUrl = QUrl(value);
    else if (key == QLatin1String("from"))
        settings.from = value;
    else
        settings.options.insert(key, value);
    const Result<void> checked = smtpKind().check(settings);
    QCOMPARE(checked.ok(), fault.isEmpty());
    if (!checked) {
        QVERIFY2(checked.error().message.startsWith(fault), qPrintable(checked.error().message));
        QVERIFY(!checked.error().message.contains(QStringLiteral("secret")));
    }
    settings.options.insert(QStringLiteral("allow_plain"), QStringLiteral("true"));
    if (value == QLatin1String("none"))
        QVERIFY(smtpKind().check(settings).ok());
}

void TestSmtp::compose_refusesWhatCantBeSent_data()
{
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("unsubscribe");
    QTest::addColumn<QString>("fault");
    const auto row = [](const char *name, const char *subject, const char *text, const char *address,
                        const char *unsubscribe, const char *fault) {
        QTest::newRow(name) << QString::fromUtf8(subject) << QString::fromUtf8(text) << QString::fromUtf8(address)
                            << QString::fromUtf8(unsubscribe) << QString::fromLatin1(fault);
    };
    row("right", "Hello", "text", "a@b.example", "https://taxi.example/u/abc", "");
    row("line break in the subject", "Hello\r\nBcc: x@evil.test", "text", "a@b.example", "", "subject");
    row("line separator in the subject", "Hello\u2028Bcc: x@evil.test", "text", "a@b.example", "", "subject");
    row("line break in the address", "Hello", "text", "a@b.example\r\nBcc: x@evil.test", "", "address");
    row("no address", "Hello", "text", "nonsense", "", "address");
    row("neither text nor HTML", "Hello", "", "a@b.example", "", "neither text nor HTML");
    row("unsubscribe by http", "Hello", "text", "a@b.example", "http://taxi.example/u", "unsubscribe");
    row("line break in unsubscribe", "Hello", "text", "a@b.example", "https://taxi.example/\r\nX: y", "unsubscribe");
}

void TestSmtp::compose_refusesWhatCantBeSent()
{
    QFETCH(QString, subject);
    QFETCH(QString, text);
    QFETCH(QString, address);
    QFETCH(QString, unsubscribe);
    QFETCH(QString, fault);
    ProviderSettings settings;
    settings.name = QStringLiteral("post");
    settings.baseUrl = QUrl(QStringLiteral("smtp://mail.example:587"));
    settings.from = QStringLiteral("no-reply@taxi.example");
    RenderedMessage message;
    message.subject = subject;
    message.text = text;
    message.unsubscribeUrl = unsubscribe;
    const auto composed = smtpKind().compose(settings, message, address, DeliveryId(QStringLiteral("d-1")));
    QCOMPARE(composed.ok(), fault.isEmpty());
    if (composed) {
        QVERIFY(composed->contains("\r\nList-Unsubscribe: <https://taxi.example/u/abc>\r\n"
                                   "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"));
        QVERIFY(composed->contains("\r\nAuto-Submitted: auto-generated\r\n"));
    } else {
        QVERIFY2(composed.error().message.contains(fault), qPrintable(composed.error().message));
        QVERIFY(!composed.error().message.contains(QStringLiteral("evil")));
    }
}

QTEST_GUILESS_MAIN(TestSmtp)
#include "tst_smtp.moc"
