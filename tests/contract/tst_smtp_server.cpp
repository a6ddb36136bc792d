// The SMTP sender against Postfix, in a throw-away instance with configuration, queue and log of its own. Postfix's
// master wants to be started by root; nothing of it outlives the test.
#include "channel/smtp/smtp_kind.h"
#include "channel/smtp/smtp_sender.h"
#include "tests/support/provider_stub.h"
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <unistd.h>

using namespace sendoff;
using namespace sendoff::channel;
using support::StubIdentity;

namespace {

struct Ran
{
    int code = -1;
    QByteArray out;
};

Ran run(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(60'000))
        return {};
    return {process.exitCode(), process.readAll()};
}

quint16 freePort()
{
    QTcpServer server;
    return server.listen(QHostAddress::LocalHost) ? server.serverPort() : quint16(0);
}

bool writeFile(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

// A Postfix that takes mail for example.test on a port of loopback and holds it in its queue.
class Postfix
{
public:
    explicit Postfix(const StubIdentity &identity)
        : m_folder(QStringLiteral("/tmp/sendoff-postfix-XXXXXX"))
        , m_port(freePort())
    {
        QFile::setPermissions(m_folder.path(), QFile::Permissions::fromInt(0x7055)); // its own user must pass through
        const QDir folder(m_folder.path());
        for (const char *name : {"conf", "queue", "data"})
            folder.mkdir(QString::fromLatin1(name));
        run(QStringLiteral("chown"), {QStringLiteral("postfix"), path("data")});
        writeFile(path("conf/certificate.pem"), identity.certificate);
        writeFile(path("conf/key.pem"), identity.key);
        writeFile(path("conf/main.cf"), mainFile());
        writeFile(path("conf/master.cf"), masterFile());
        writeFile(path("conf/recipients"), "full@example.test 452 4.2.2 mailbox full\n"
                                           "unknown@example.test 550 5.1.1 no such user\n"
                                           "grey@example.test 450 4.7.1 greylisted, try again in 5 minutes\n"
                                           "example.test HOLD\n");
        m_started = run(QStringLiteral("postfix"), {QStringLiteral("-c"), path("conf"), QStringLiteral("start")});
        m_isUp = QTest::qWaitFor([this] { return answers(); }, 30'000);
    }
    ~Postfix() { run(QStringLiteral("postfix"), {QStringLiteral("-c"), path("conf"), QStringLiteral("stop")}); }

    bool isUp() const { return m_isUp; }
    bool answers() const
    {
        QTcpSocket socket;
        socket.connectToHost(QHostAddress::LocalHost, m_port);
        return socket.waitForConnected(1000) && socket.waitForReadyRead(5000);
    }
    QByteArray why() const
    {
        QFile log(path("log"));
        return m_started.out + (log.open(QIODevice::ReadOnly) ? log.readAll() : QByteArray());
    }
    quint16 port() const { return m_port; }
    int queued() const
    {
        return int(run(QStringLiteral("postqueue"), {QStringLiteral("-c"), path("conf"), QStringLiteral("-j")})
                       .out.count("\"queue_id\""));
    }
    QByteArray mail(const QString &queueId) const
    {
        return run(QStringLiteral("postcat"), {QStringLiteral("-c"), path("conf"), QStringLiteral("-bhq"), queueId})
            .out;
    }

private:
    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QByteArray mainFile() const
    {
        const QByteArray folder = m_folder.path().toUtf8();
        return "compatibility_level = 3.6\n"
               "queue_directory = " +
               folder +
               "/queue\n"
               "data_directory = " +
               folder +
               "/data\n"
               "maillog_file_prefixes = /tmp\n"
               "maillog_file = " +
               folder +
               "/log\n"
               "myhostname = mail.example.test\n"
               "mydestination =\n"
               "relay_domains = example.test\n"
               "inet_interfaces = 127.0.0.1\n"
               "inet_protocols = ipv4\n"
               "smtpd_tls_security_level = may\n"
               "smtpd_tls_cert_file = " +
               folder +
               "/conf/certificate.pem\n"
               "smtpd_tls_key_file = " +
               folder +
               "/conf/key.pem\n"
               "smtpd_tls_received_header = yes\n"
               "message_size_limit = 200000\n"
               "alias_maps =\n"
               "smtpd_recipient_restrictions = check_recipient_access texthash:" +
               folder +
               "/conf/recipients, reject_unauth_destination\n"
               "smtpd_relay_restrictions = reject_unauth_destination\n";
    }
    QByteArray masterFile() const
    {
        QByteArray file = "127.0.0.1:" + QByteArray::number(m_port) + " inet n - n - - smtpd\n";
        file += "cleanup unix n - n - 0 cleanup\nqmgr unix n - n 300 1 qmgr\nrewrite unix - - n - - trivial-rewrite\n"
                "bounce unix - - n - 0 bounce\ndefer unix - - n - 0 bounce\ntrace unix - - n - 0 bounce\n"
                "verify unix - - n - 1 verify\nflush unix n - n 1000? 0 flush\nproxymap unix - - n - - proxymap\n"
                "smtp unix - - n - - smtp\nrelay unix - - n - - smtp\nshowq unix n - n - - showq\n"
                "error unix - - n - - error\nretry unix - - n - - error\ndiscard unix - - n - - discard\n"
                "tlsmgr unix - - n 1000? 1 tlsmgr\nanvil unix - - n - 1 anvil\nscache unix - - n - 1 scache\n"
                "pickup unix n - n 60 1 pickup\npostlog unix-dgram n - n - 1 postlogd\n";
        return file;
    }

    QTemporaryDir m_folder;
    quint16 m_port;
    Ran m_started;
    bool m_isUp = false;
};

} // namespace

class TestSmtpServer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        const QString missing = whatIsMissing();
        if (!missing.isEmpty() && qEnvironmentVariable("CI") == QLatin1String("true"))
            QFAIL(qPrintable(missing));
        if (!missing.isEmpty())
            QSKIP(qPrintable(QStringLiteral("NOT TESTED: a real SMTP server, because ") + missing));
        m_identity = StubIdentity::make();
        QVERIFY(m_identity);
        m_postfix = std::make_unique<Postfix>(*m_identity);
        QVERIFY2(m_postfix->isUp(), m_postfix->why().constData());
        TransportSettings trusting;
        trusting.caCertificates = m_identity->certificate;
        m_sender = makeSmtpSender(trusting);
    }
    void cleanupTestCase()
    {
        m_sender.reset();
        m_postfix.reset();
    }

    void aMail_isQueuedAsComposed_data()
    {
        QTest::addColumn<QString>("tls");
        QTest::newRow("plain") << "none";
        QTest::newRow("STARTTLS") << "starttls";
    }
    void aMail_isQueuedAsComposed()
    {
        QFETCH(QString, tls);
        const int before = m_postfix->queued();
        const OutgoingItem sending = item(tls, QStringLiteral("jane@example.test"));
        const AttemptResult result = resultOf(tls, sending);
        QVERIFY2(result.outcome == Outcome::Accepted, qPrintable(result.code + u' ' + result.text));
        QVERIFY(!result.providerMessageId.isEmpty());
        QTRY_COMPARE(m_postfix->queued(), before + 1);
        const QByteArray kept = m_postfix->mail(result.providerMessageId);
        // Postfix keeps lines without CR and puts its own headers before ours.
        QVERIFY2(kept.contains(QByteArray(sending.body).replace("\r\n", "\n")), kept.constData());
        QCOMPARE(kept.contains("(using TLSv1"), tls == QLatin1String("starttls"));
    }

    void manyMails_areManyMails()
    {
        const int before = m_postfix->queued();
        std::atomic_int accepted = 0;
        for (int number = 0; number < 40; ++number) {
            m_sender->send(settings(QStringLiteral("starttls")),
                           {item(QStringLiteral("starttls"), QStringLiteral("user%1@example.test").arg(number))},
                           [&accepted](const std::vector<AttemptResult> &results) {
                               accepted += results.front().outcome == Outcome::Accepted ? 1 : 0;
                           });
        }
        QTRY_COMPARE_WITH_TIMEOUT(accepted.load(), 40, 60'000);
        QTRY_COMPARE(m_postfix->queued(), before + 40);
    }

    void refusals_areItsWords_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<QString>("code");
        QTest::newRow("unknown") << "unknown@example.test" << Outcome::PermanentRecipient << "no_mailbox";
        QTest::newRow("full") << "full@example.test" << Outcome::Transient << "mailbox_full";
        QTest::newRow("greylisted") << "grey@example.test" << Outcome::Transient << "greylisting";
        QTest::newRow("relaying") << "jane@other.test" << Outcome::PermanentMessage << "policy";
    }
    void refusals_areItsWords()
    {
        QFETCH(QString, address);
        QFETCH(Outcome, outcome);
        QFETCH(QString, code);
        const int before = m_postfix->queued();
        const AttemptResult result = resultOf(QStringLiteral("none"), item(QStringLiteral("none"), address));
        QCOMPARE(toText(result.outcome), toText(outcome));
        QCOMPARE(result.code, code);
        QVERIFY(!result.text.contains(address));
        QCOMPARE(m_postfix->queued(), before);
    }

    void theSizeThatItAnnounces_isHonoured()
    {
        OutgoingItem large = item(QStringLiteral("none"), QStringLiteral("jane@example.test"));
        large.body += QByteArray(300'000, 'x').replace(QByteArray(500, 'x'), QByteArray(498, 'x') + "\r\n");
        const AttemptResult result = resultOf(QStringLiteral("none"), large);
        QCOMPARE(toText(result.outcome), toText(Outcome::PermanentMessage));
        QCOMPARE(result.code, QStringLiteral("too_big"));
    }

    void ADR_01_lettersBeyondAscii_areTaken()
    {
        const AttemptResult result =
            resultOf(QStringLiteral("none"), item(QStringLiteral("none"), QStringLiteral("jörg@example.test")));
        QVERIFY2(result.outcome == Outcome::Accepted, qPrintable(result.code + u' ' + result.text));
    }

    void logins_areNotOfferedHere_andNothingIsSent()
    {
        ProviderSettings wanting = settings(QStringLiteral("starttls"));
        wanting.options.insert(QStringLiteral("username"), QStringLiteral("me"));
        wanting.apiKey = "a-password";
        const int before = m_postfix->queued();
        const AttemptResult result =
            resultWith(wanting, item(QStringLiteral("none"), QStringLiteral("jane@example.test")));
        QCOMPARE(toText(result.outcome), toText(Outcome::Configuration));
        QCOMPARE(result.code, QStringLiteral("no_auth"));
        QCOMPARE(m_postfix->queued(), before);
    }

private:
    static QString whatIsMissing()
    {
        if (!QFile::exists(QStringLiteral("/usr/sbin/postfix")))
            return QStringLiteral("there is no Postfix (Debian package postfix)");
        if (geteuid() != 0)
            return QStringLiteral("Postfix is started by root only, and this is another user");
        return {};
    }

    ProviderSettings settings(const QString &tls) const
    {
        ProviderSettings made;
        made.name = QStringLiteral("post");
        made.kind = QStringLiteral("smtp");
        made.baseUrl = QUrl(QStringLiteral("smtp://127.0.0.1:%1").arg(m_postfix->port()));
        made.from = QStringLiteral("Taxi <no-reply@taxi.test>");
        made.slotCount = 5;
        made.options.insert(QStringLiteral("tls"), tls);
        made.options.insert(QStringLiteral("hello"), QStringLiteral("client.taxi.test"));
        return made;
    }
    OutgoingItem item(const QString &tls, const QString &address)
    {
        RenderedMessage message;
        message.subject = QStringLiteral("Ihre Buchung – bestätigt");
        message.text = QStringLiteral(".\nBestätigt\n");
        message.html = QStringLiteral("<p>Bestätigt</p>");
        const DeliveryId id(QStringLiteral("00000000-0000-5000-8000-%1").arg(++m_number, 12, 10, QLatin1Char('0')));
        return {id, *smtpKind().compose(settings(tls), message, address, id), address};
    }
    AttemptResult resultOf(const QString &tls, const OutgoingItem &sending)
    {
        return resultWith(settings(tls), sending);
    }
    AttemptResult resultWith(const ProviderSettings &provider, const OutgoingItem &sending)
    {
        std::atomic_bool isDone = false;
        AttemptResult result;
        m_sender->send(provider, {sending}, [&](const std::vector<AttemptResult> &results) {
            result = results.front();
            isDone = true;
        });
        if (!QTest::qWaitFor([&isDone] { return isDone.load(); }, 60'000))
            qFatal("no result came");
        return result;
    }

    std::optional<StubIdentity> m_identity;
    std::unique_ptr<Postfix> m_postfix;
    std::unique_ptr<Sender> m_sender;
    int m_number = 0;
};

QTEST_GUILESS_MAIN(TestSmtpServer)
#include "tst_smtp_server.moc"
