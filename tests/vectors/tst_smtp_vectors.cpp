#include "channel/smtp/smtp_verdict.h"
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace sendoff;
using namespace sendoff::channel;

namespace {

// SENDOFF_VECTORS names another folder of vectors.
QJsonArray cases()
{
    const QString own = QStringLiteral(SENDOFF_SOURCE_DIR "/tests/vectors/data");
    QFile file(qEnvironmentVariable("SENDOFF_VECTORS", own) + QStringLiteral("/smtp_replies.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s can't be read", qPrintable(file.fileName()));
    const QJsonArray found = QJsonDocument::fromJson(file.readAll()).object().value(QLatin1String("cases")).toArray();
    if (found.isEmpty())
        qFatal("%s holds no cases", qPrintable(file.fileName()));
    return found;
}

SmtpStage stageOf(const QString &name)
{
    static const QMap<QString, SmtpStage> stages{
        {QStringLiteral("connect"), SmtpStage::Connect},   {QStringLiteral("ehlo"), SmtpStage::Ehlo},
        {QStringLiteral("starttls"), SmtpStage::StartTls}, {QStringLiteral("auth"), SmtpStage::Auth},
        {QStringLiteral("mail"), SmtpStage::Mail},         {QStringLiteral("rcpt"), SmtpStage::Rcpt},
        {QStringLiteral("data"), SmtpStage::Data},         {QStringLiteral("end_of_data"), SmtpStage::EndOfData},
        {QStringLiteral("dsn"), SmtpStage::Dsn},           {QStringLiteral("quit"), SmtpStage::Quit}};
    if (!stages.contains(name))
        qFatal("the stage %s is not known", qPrintable(name));
    return stages.value(name);
}

QString vectorClass(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Accepted:
        return QStringLiteral("success");
    case Outcome::Transient:
        return QStringLiteral("transient");
    case Outcome::Throttled:
        return QStringLiteral("throttled");
    case Outcome::PermanentRecipient:
        return QStringLiteral("permanent_recipient");
    case Outcome::PermanentMessage:
        return QStringLiteral("permanent_message");
    case Outcome::Configuration:
        return QStringLiteral("configuration");
    case Outcome::Unknown:
        return QStringLiteral("unknown_outcome");
    }
    Q_UNREACHABLE();
}

SmtpMeaning meaning(const QJsonObject &vector)
{
    const SmtpStage stage = stageOf(vector.value(QLatin1String("stage")).toString());
    const QJsonValue reply = vector.value(QLatin1String("reply"));
    return reply.isNull() ? meaningOfLoss(stage) : meaningOf(stage, readReply(reply.toString().toUtf8()));
}

} // namespace

class TestSmtpVectors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void replies_haveTheirMeaning_data()
    {
        QTest::addColumn<QJsonObject>("vector");
        for (const QJsonValue &value : cases()) {
            const QJsonObject vector = value.toObject();
            QTest::newRow(qPrintable(vector.value(QLatin1String("id")).toString())) << vector;
        }
    }

    void replies_haveTheirMeaning()
    {
        QFETCH(QJsonObject, vector);
        const SmtpMeaning found = meaning(vector);
        QCOMPARE(vectorClass(found.outcome), vector.value(QLatin1String("expected_class")).toString());
        QCOMPARE(QString::fromLatin1(found.kind), vector.value(QLatin1String("kind")).toString());
        const QJsonValue wait = vector.value(QLatin1String("min_wait_s"));
        if (!wait.isNull())
            QVERIFY2(found.wait >= std::chrono::seconds(wait.toInteger()),
                     qPrintable(QString::number(found.wait.count())));
        QCOMPARE(found.suppressesRecipient, vector.value(QLatin1String("suppress_recipient")).toBool());
    }

    // The engine sees the same, except that nothing before MAIL may blame a recipient: that server is our own.
    // What a lost connection comes to is proved on the wire, in tests/contract/tst_smtp.
    void results_followTheMeaning_data()
    {
        QTest::addColumn<QJsonObject>("vector");
        for (const QJsonValue &value : cases()) {
            const QJsonObject vector = value.toObject();
            if (!vector.value(QLatin1String("reply")).isNull())
                QTest::newRow(qPrintable(vector.value(QLatin1String("id")).toString())) << vector;
        }
    }
    void results_followTheMeaning()
    {
        QFETCH(QJsonObject, vector);
        const QJsonValue reply = vector.value(QLatin1String("reply"));
        const SmtpStage stage = stageOf(vector.value(QLatin1String("stage")).toString());
        const AttemptResult result = resultOfReply(stage, readReply(reply.toString().toUtf8()));
        const SmtpMeaning expected = meaning(vector);
        const bool isOurServer = stage < SmtpStage::Mail;
        const bool blamesMail =
            expected.outcome == Outcome::PermanentRecipient || expected.outcome == Outcome::PermanentMessage;
        QCOMPARE(result.outcome, isOurServer && blamesMail ? Outcome::Configuration : expected.outcome);
        QCOMPARE(result.wait.value_or(Milliseconds(0)), expected.wait);
        if (result.outcome == Outcome::Accepted)
            return;
        QCOMPARE(result.code, QString::fromLatin1(expected.kind));
        QVERIFY(!result.text.isEmpty());
    }

    void furtherReplies_haveTheirMeaning_data()
    {
        QTest::addColumn<QString>("stage");
        QTest::addColumn<QByteArray>("reply");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("suppresses");
        const auto row = [](const char *stage, const char *reply, Outcome outcome, const char *kind,
                            bool suppresses = false) {
            QTest::addRow("%s: %s", stage, reply) << QString::fromLatin1(stage) << QByteArray(reply) << outcome
                                                  << QString::fromLatin1(kind) << suppresses;
        };
        row("rcpt", "550 5.1.1 user unknown", Outcome::PermanentRecipient, "no_mailbox", true);
        row("rcpt", "550 no such user", Outcome::PermanentRecipient, "no_mailbox", true);
        row("rcpt", "550 5.1.1", Outcome::PermanentRecipient, "no_mailbox", true);
        row("rcpt", "550-5.1.1 The account\r\n550-5.1.1 does not exist\r\n550 5.1.1 see help - gsmtp",
            Outcome::PermanentRecipient, "no_mailbox", true);
        row("rcpt", "450 4.1.1 recipient is being verified", Outcome::Transient, "address_temporary");
        row("rcpt", "550 5.2.1 disabled", Outcome::PermanentRecipient, "mailbox_disabled", true);
        row("rcpt", "450 4.2.1 receives too much", Outcome::Transient, "mailbox_disabled");
        row("rcpt", "552 5.2.2 over quota", Outcome::Transient, "mailbox_full");
        row("end_of_data", "552 5.2.2 over quota", Outcome::Transient, "mailbox_full");
        row("end_of_data", "552 mailbox full", Outcome::Transient, "mailbox_full");
        row("end_of_data", "552 message exceeds fixed maximum", Outcome::PermanentMessage, "too_big");
        row("end_of_data", "550 rejected for policy reasons", Outcome::PermanentMessage, "policy");
        row("rcpt", "550 5.7.1 relaying denied", Outcome::PermanentMessage, "policy");
        row("end_of_data", "552 5.7.0 blocked content", Outcome::PermanentMessage, "policy");
        row("connect", "554 5.7.1 blocked by a list", Outcome::Configuration, "server_refuses_us");
        row("connect", "554 no", Outcome::Configuration, "server_refuses_us");
        row("connect", "421 4.3.2 try later", Outcome::Transient, "server_error");
        row("mail", "421 closing", Outcome::Transient, "closing");
        row("mail", "421 4.7.0 too many connections from your address", Outcome::Throttled, "provider_rate");
        row("end_of_data", "421 4.7.28 unusual rate of mail", Outcome::Throttled, "provider_rate");
        row("rcpt", "451 Greylisted, please come back", Outcome::Transient, "greylisting");
        row("rcpt", "450 4.2.0 Greylisted, see help", Outcome::Transient, "greylisting");
        row("rcpt", "451 4.7.1 greylisting in action", Outcome::Transient, "greylisting");
        row("auth", "535 authentication failed", Outcome::Configuration, "auth");
        row("auth", "534 5.7.9 use an app password", Outcome::Configuration, "auth");
        row("starttls", "454 TLS not available", Outcome::Transient, "tls_temporary");
        row("mail", "550 5.7.1 sender not yours", Outcome::PermanentMessage, "policy");
        row("mail", "550 sender refused", Outcome::Configuration, "sender_address");
        row("mail", "501 5.5.4 syntax", Outcome::Configuration, "protocol");
        row("data", "503 5.5.1 no recipients", Outcome::Configuration, "protocol");
        row("ehlo", "599 no", Outcome::Configuration, "unknown_5xx");
        row("end_of_data", "599 no", Outcome::PermanentMessage, "unknown_5xx");
        row("rcpt", "550 5.0.0 no", Outcome::PermanentRecipient, "no_mailbox", true);
        // Us, not the recipient.
        row("rcpt", "550 relay not permitted", Outcome::Configuration, "server_refuses_us");
        row("rcpt", "550 Relaying denied", Outcome::Configuration, "server_refuses_us");
        row("rcpt", "550-Verification failed for <a@b.example>\r\n550 Sender verify failed", Outcome::Configuration,
            "sender_address");
        row("rcpt", "550 authentication required", Outcome::Configuration, "auth");
        row("rcpt", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", Outcome::Configuration,
            "server_refuses_us");
        row("rcpt", "550 sorry, no mailbox here by that name. (#5.1.1)", Outcome::PermanentRecipient, "no_mailbox",
            true);
        row("rcpt", "550 no user jane at mail-relay.example.com", Outcome::PermanentRecipient, "no_mailbox", true);
        row("rcpt", "550 5.1.1 no such user, relay not permitted", Outcome::PermanentRecipient, "no_mailbox", true);
        for (const char *stage : {"connect", "ehlo", "mail", "rcpt", "data", "end_of_data"}) {
            row(stage, "530 5.7.1 Client was not authenticated", Outcome::Configuration, "auth");
            row(stage, "530 5.7.57 Client not authenticated to send mail", Outcome::Configuration, "auth");
            row(stage, "535 5.7.139 Authentication unsuccessful", Outcome::Configuration, "auth");
        }
        row("end_of_data", "hello", Outcome::Unknown, "malformed");
        row("end_of_data", "354 go on", Outcome::Unknown, "malformed");
        row("end_of_data", "", Outcome::Unknown, "malformed");
        row("rcpt", "250-half", Outcome::Accepted, "accepted");
        row("end_of_data", "650 what", Outcome::Unknown, "malformed");
        row("end_of_data", "2500 what", Outcome::Unknown, "malformed");
    }

    void furtherReplies_haveTheirMeaning()
    {
        QFETCH(QString, stage);
        QFETCH(QByteArray, reply);
        QFETCH(Outcome, outcome);
        QFETCH(QString, kind);
        QFETCH(bool, suppresses);
        const SmtpMeaning found = meaningOf(stageOf(stage), readReply(reply));
        QCOMPARE(toText(found.outcome), toText(outcome));
        QCOMPARE(QString::fromLatin1(found.kind), kind);
        QCOMPARE(found.suppressesRecipient, suppresses);
    }

    // "Never suppress the recipient on an unrecognised code", and never for what we or our content did.
    void nothingUnrecognised_suppressesARecipient()
    {
        for (int code = 400; code < 600; ++code) {
            for (const char *stage : {"connect", "ehlo", "auth", "mail", "data", "end_of_data"}) {
                const SmtpMeaning found = meaningOf(stageOf(QString::fromLatin1(stage)),
                                                    readReply(QByteArray::number(code) + " 5.99.99 words"));
                const bool isKnown = code == 521 || code == 556;
                QVERIFY2(isKnown || !found.suppressesRecipient, qPrintable(QString::number(code)));
            }
        }
        for (int detail = 0; detail < 40; ++detail) {
            const QByteArray policy = "550 5.7." + QByteArray::number(detail) + " words";
            QVERIFY(!meaningOf(SmtpStage::Rcpt, readReply(policy)).suppressesRecipient);
        }
    }

    void results_blameTheAddressOnlyWhereItWasNamed_data()
    {
        QTest::addColumn<SmtpStage>("stage");
        QTest::addColumn<QByteArray>("reply");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<bool>("suppresses");
        QTest::addColumn<bool>("tripsBreaker");
        const auto row = [](SmtpStage stage, const char *reply, Outcome outcome, bool suppresses, bool tripsBreaker) {
            QTest::addRow("%d: %s", int(stage), reply)
                << stage << QByteArray(reply) << outcome << suppresses << tripsBreaker;
        };
        row(SmtpStage::Rcpt, "550 5.1.1 no such user", Outcome::PermanentRecipient, true, true);
        row(SmtpStage::EndOfData, "550 5.1.1 no such user", Outcome::PermanentRecipient, true, true);
        row(SmtpStage::Rcpt, "553 bad address", Outcome::PermanentRecipient, false, true);
        row(SmtpStage::Rcpt, "550 5.4.6 loop", Outcome::PermanentRecipient, false, true);
        row(SmtpStage::Rcpt, "550 relay not permitted", Outcome::Configuration, false, true);
        row(SmtpStage::Rcpt, "501 5.5.4 syntax", Outcome::Configuration, false, false);
        row(SmtpStage::Rcpt, "500 5.5.2 syntax", Outcome::Configuration, false, false);
        row(SmtpStage::Rcpt, "503 5.5.1 sequence", Outcome::Configuration, false, false);
        row(SmtpStage::Mail, "501 5.5.4 syntax", Outcome::Configuration, false, true);
        row(SmtpStage::Mail, "550 5.1.1 no such user", Outcome::Configuration, false, true);
        row(SmtpStage::Mail, "521 no mail here", Outcome::Configuration, false, true);
        row(SmtpStage::Mail, "553 5.6.7 no UTF-8", Outcome::PermanentRecipient, false, true);
        row(SmtpStage::Connect, "521 5.3.2 no mail here", Outcome::Configuration, false, true);
    }

    void results_blameTheAddressOnlyWhereItWasNamed()
    {
        QFETCH(SmtpStage, stage);
        QFETCH(QByteArray, reply);
        const AttemptResult result = resultOfReply(stage, readReply(reply));
        QTEST(result.outcome, "outcome");
        QTEST(result.suppresses, "suppresses");
        QTEST(result.tripsBreaker, "tripsBreaker");
    }

    void queueIds_areReadWhereServersSayThem_data()
    {
        QTest::addColumn<QByteArray>("reply");
        QTest::addColumn<QString>("id");
        QTest::newRow("Postfix") << QByteArray("250 2.0.0 Ok: queued as 4SXyzW1QbZz9x") << "4SXyzW1QbZz9x";
        QTest::newRow("Exim") << QByteArray("250 OK id=1r8abc-0004Xy-2Z") << "1r8abc-0004Xy-2Z";
        QTest::newRow("SES") << QByteArray("250 Ok 0102018bd5e3f1a2-0b1c2d3e-0000-000000")
                             << "0102018bd5e3f1a2-0b1c2d3e-0000-000000";
        QTest::newRow("OpenSMTPD") << QByteArray("250 2.0.0 1a2b3c4d Message accepted for delivery") << "1a2b3c4d";
        QTest::newRow("none") << QByteArray("250 thank you") << "";
    }

    void queueIds_areReadWhereServersSayThem()
    {
        QFETCH(QByteArray, reply);
        QFETCH(QString, id);
        QCOMPARE(resultOfReply(SmtpStage::EndOfData, readReply(reply)).providerMessageId, id);
    }

    void aStream_isCutIntoReplies()
    {
        SmtpReplyReader reader;
        QByteArray stream = "250-a\r\n250-b\r\n250 c\r\n354 go\n250\r\nrubbish\r\n25";
        QList<QByteArray> found;
        for (const char each : stream) { // byte by byte, as it may come
            reader.add(QByteArray(1, each));
            while (const auto reply = reader.take())
                found.append(*reply);
        }
        QCOMPARE(found, (QList<QByteArray>{"250-a\r\n250-b\r\n250 c\r\n", "354 go\n", "250\r\n", "rubbish\r\n"}));
        QVERIFY(!reader.isEmpty() && !reader.isOverfull());
        QCOMPARE(readReply(found[0]).text, QStringLiteral("250 a b c"));
        reader.add(QByteArray(3000, 'x'));
        QVERIFY(reader.isOverfull());
        reader.clear();
        for (int line = 0; line < 10'000; ++line)
            reader.add("250-more\r\n");
        QVERIFY(!reader.take() && reader.isOverfull());
    }
};

QTEST_GUILESS_MAIN(TestSmtpVectors)
#include "tst_smtp_vectors.moc"
