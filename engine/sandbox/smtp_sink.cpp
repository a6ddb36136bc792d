#include "sandbox/smtp_sink.h"

#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslKey>
#include <QSslSocket>
#include <QTimer>

namespace sendoff::sandbox {

namespace {

// What stands between < and > behind a colon, and what follows it.
std::pair<QByteArray, QByteArray> pathOf(const QByteArray &line)
{
    const qsizetype start = line.indexOf('<');
    const qsizetype end = line.indexOf('>', start);
    if (start < 0 || end < 0)
        return {};
    return {line.mid(start + 1, end - start - 1), line.mid(end + 1).trimmed()};
}

QByteArray withoutStuffing(QByteArray bytes)
{
    bytes.replace("\n..", "\n.");
    return bytes.startsWith("..") ? bytes.mid(1) : bytes;
}

} // namespace

// One client.
class SinkSession : public QObject
{
public:
    SinkSession(QSslSocket *socket, SmtpSink &sink)
        : QObject(socket)
        , m_socket(socket)
        , m_sink(sink)
    {
        connect(socket, &QSslSocket::readyRead, this, &SinkSession::read);
        connect(socket, &QSslSocket::disconnected, socket, &QObject::deleteLater);
        if (sink.m_options.isImplicitTls) {
            connect(socket, &QSslSocket::encrypted, this, [this] { answer(SinkStage::Connect, greeting()); });
            socket->startServerEncryption();
        } else {
            answer(SinkStage::Connect, greeting());
        }
    }

private:
    static QByteArray greeting() { return "220 sink.example ESMTP"; }

    void read()
    {
        m_in += m_socket->readAll();
        while (!m_isWaiting && !m_isSilent && m_socket->state() == QAbstractSocket::ConnectedState) {
            if (m_isInBody ? !takeBody() : !takeLine())
                return;
        }
    }

    bool takeLine()
    {
        const qsizetype end = m_in.indexOf('\n');
        if (end < 0)
            return false;
        const QByteArray line = m_in.left(end).trimmed();
        m_in.remove(0, end + 1);
        if (m_login > 0)
            continueLogin(line);
        else
            command(line);
        return true;
    }

    bool takeBody()
    {
        if (!m_in.isEmpty() && !m_bodySeen) {
            m_bodySeen = true;
            if (m_sink.ruleFor(SinkStage::Body, {})) {
                m_isInBody = false;
                answer(SinkStage::Body, "451 4.3.0 no more");
                return false;
            }
        }
        const qsizetype end = m_in.startsWith(".\r\n") ? 0 : m_in.indexOf("\r\n.\r\n");
        if (end < 0)
            return false;
        const qsizetype contentEnd = m_in.startsWith(".\r\n") ? 0 : end + 2;
        m_mail.bytes = withoutStuffing(m_in.left(contentEnd));
        m_in.remove(0, contentEnd + 3);
        m_isInBody = false;
        ++m_sink.m_counts.received;
        Q_EMIT m_sink.mailReceived();
        answer(SinkStage::EndOfData, "250 2.0.0 Ok: queued as SINK" + QByteArray::number(m_sink.m_counts.received));
        return true;
    }

    void command(const QByteArray &line)
    {
        const QByteArray verb = line.left(line.indexOf(' ') < 0 ? line.size() : line.indexOf(' ')).toUpper();
        if (verb == "EHLO" || verb == "HELO") {
            forgetMail();
            answer(SinkStage::Hello, verb == "EHLO" ? abilities() : "250 sink.example");
        } else if (verb == "STARTTLS" && canEncrypt()) {
            answer(SinkStage::StartTls, "220 2.0.0 go on");
        } else if (verb == "AUTH" && !m_sink.m_options.mechanisms.isEmpty()) {
            startLogin(line);
        } else if (verb == "MAIL") {
            takeMail(line);
        } else if (verb == "RCPT") {
            takeRecipient(line);
        } else if (verb == "DATA") {
            answer(SinkStage::Data, m_mail.recipients.isEmpty() ? "503 5.5.1 no recipients" : "354 go on");
        } else if (verb == "RSET") {
            forgetMail();
            answer(SinkStage::Reset, "250 2.0.0 forgotten");
        } else if (verb == "NOOP") {
            write("250 2.0.0 yes");
        } else if (verb == "QUIT") {
            answer(SinkStage::Quit, "221 2.0.0 bye");
        } else {
            write("502 5.5.1 not known");
        }
    }

    void takeMail(const QByteArray &line)
    {
        ++m_sink.m_counts.mailCommands;
        if (!m_sink.m_options.mechanisms.isEmpty() && m_user.isEmpty())
            return write("530 5.7.0 log in first");
        forgetMail();
        std::tie(m_mail.sender, m_mail.sizeAndMore) = pathOf(line);
        m_mail.isEncrypted = m_socket->isEncrypted();
        m_mail.user = m_user;
        answer(SinkStage::Mail, "250 2.1.0 ok");
    }

    void takeRecipient(const QByteArray &line)
    {
        if (!m_hasSender)
            return write("503 5.5.1 no sender");
        const QByteArray recipient = pathOf(line).first;
        if (m_sink.isPutOff(recipient))
            return write("450 4.7.1 greylisted, try again in 5 minutes");
        m_mail.recipients.append(recipient);
        answer(SinkStage::Rcpt, "250 2.1.5 ok");
    }

    bool canEncrypt() const { return !m_sink.m_options.certificate.isEmpty() && !m_socket->isEncrypted(); }

    QByteArray abilities() const
    {
        QByteArrayList lines{"sink.example"};
        lines += m_sink.m_options.abilities;
        if (canEncrypt())
            lines += "STARTTLS";
        if (!m_sink.m_options.mechanisms.isEmpty())
            lines += "AUTH " + m_sink.m_options.mechanisms.join(' ');
        QByteArray reply;
        for (qsizetype index = 0; index < lines.size(); ++index)
            reply += (index ? "\r\n250" : "250") + QByteArray(index + 1 == lines.size() ? " " : "-") + lines[index];
        return reply;
    }

    // PLAIN and XOAUTH2 come in one piece, LOGIN asks for two.
    void startLogin(const QByteArray &line)
    {
        const QByteArrayList words = line.split(' ');
        m_mechanism = words.value(1).toUpper();
        if (!m_sink.m_options.mechanisms.contains(m_mechanism))
            return write("504 5.5.4 not known");
        m_login = 1;
        m_given.clear();
        if (words.size() > 2)
            return continueLogin(words[2]);
        write("334 " + (m_mechanism == "LOGIN" ? QByteArray("Username:").toBase64() : QByteArray()));
    }

    void continueLogin(const QByteArray &line)
    {
        m_given.append(QByteArray::fromBase64(line));
        const SinkOptions &options = m_sink.m_options;
        if (m_mechanism == "LOGIN" && m_given.size() == 1)
            return write("334 " + QByteArray("Password:").toBase64());
        m_login = 0;
        bool isRight = false;
        if (m_mechanism == "LOGIN")
            isRight = m_given == QByteArrayList{options.user, options.password};
        else if (m_mechanism == "PLAIN")
            isRight = m_given.value(0).split('\0').mid(1) == QByteArrayList{options.user, options.password};
        else
            isRight = m_given.value(0) == "user=" + options.user +
                                              "\x01"
                                              "auth=Bearer " +
                                              options.password + "\x01\x01";
        if (isRight)
            m_user = options.user;
        answer(SinkStage::Auth, isRight ? "235 2.7.0 welcome" : "535 5.7.8 credentials invalid");
    }

    // The usual reply, or what a rule makes of it.
    void answer(SinkStage stage, const QByteArray &usual)
    {
        SinkRule *rule = m_sink.ruleFor(stage, m_mail.recipients);
        const SinkRule applied = rule ? *rule : SinkRule{};
        if (rule && rule->times > 0)
            --rule->times;
        if (applied.delay <= Milliseconds(0))
            return act(stage, applied, usual);
        m_isWaiting = true;
        QTimer::singleShot(applied.delay, this, [this, stage, applied, usual] {
            m_isWaiting = false;
            act(stage, applied, usual);
            read();
        });
    }

    void act(SinkStage stage, const SinkRule &rule, const QByteArray &usual)
    {
        using Ending = SinkRule::Ending;
        const QByteArray reply = rule.reply.isEmpty() ? usual : rule.reply;
        if (stage == SinkStage::EndOfData)
            Q_EMIT m_sink.mailEnded(m_mail, reply.startsWith('2'));
        if (rule.ending == Ending::Silence) {
            m_isSilent = true;
            m_socket->setReadBufferSize(1); // nor does it read what still comes
            return;
        }
        if (rule.ending == Ending::Drop)
            return m_socket->abort();
        write(reply);
        if (rule.ending == Ending::Close || stage == SinkStage::Quit || reply.startsWith("421"))
            return m_socket->disconnectFromHost();
        if (stage == SinkStage::StartTls && reply.startsWith('2')) {
            m_in.clear(); // what came before TLS is not to be believed
            m_socket->startServerEncryption();
        } else if (stage == SinkStage::Mail) {
            m_hasSender = reply.startsWith('2');
        } else if (stage == SinkStage::Rcpt && !reply.startsWith('2')) {
            m_mail.recipients.removeLast(); // refused
        } else if (stage == SinkStage::Data && reply.startsWith('3')) {
            m_isInBody = true;
            m_bodySeen = false;
        } else if (stage == SinkStage::EndOfData) {
            m_sink.m_counts.accepted += reply.startsWith('2') ? 1 : 0;
            if (reply.startsWith('2'))
                m_sink.keep(std::move(m_mail));
            forgetMail();
        }
    }

    void forgetMail()
    {
        m_mail = {};
        m_hasSender = false;
    }

    void write(const QByteArray &reply) { m_socket->write(reply + "\r\n"); }

    QSslSocket *m_socket;
    SmtpSink &m_sink;
    QByteArray m_in;
    SinkMail m_mail;
    QByteArray m_user;
    QByteArray m_mechanism;
    QByteArrayList m_given;
    int m_login = 0;
    bool m_hasSender = false;
    bool m_isInBody = false;
    bool m_bodySeen = false;
    bool m_isWaiting = false; // a delayed reply is due
    bool m_isSilent = false;
};

class SmtpSink::Server final : public QTcpServer
{
public:
    explicit Server(SmtpSink &sink)
        : m_sink(sink)
    {}
    const QList<QSslSocket *> sockets() const { return findChildren<QSslSocket *>(); }

protected:
    void incomingConnection(qintptr descriptor) override
    {
        auto *socket = new QSslSocket(this);
        if (!socket->setSocketDescriptor(descriptor)) {
            delete socket;
            return;
        }
        ++m_sink.m_counts.connections;
        if (!m_sink.m_options.certificate.isEmpty()) {
            QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
            configuration.setLocalCertificate(QSslCertificate(m_sink.m_options.certificate, QSsl::Pem));
            configuration.setPrivateKey(QSslKey(m_sink.m_options.key, QSsl::Rsa, QSsl::Pem));
            configuration.setPeerVerifyMode(QSslSocket::VerifyNone);
            socket->setSslConfiguration(configuration);
        }
        new SinkSession(socket, m_sink); // owned by the socket
    }

private:
    SmtpSink &m_sink;
};

SmtpSink::SmtpSink(SinkOptions options, QObject *parent)
    : QObject(parent)
    , m_options(std::move(options))
    , m_server(std::make_unique<Server>(*this))
{}

SmtpSink::~SmtpSink() = default;

Result<void> SmtpSink::listen(const QHostAddress &address, quint16 port)
{
    if (m_server->listen(address, port))
        return {};
    return Error{ErrorCode::Unavailable,
                 QStringLiteral("the SMTP sink can't listen on port %1: %2").arg(port).arg(m_server->errorString())};
}

quint16 SmtpSink::port() const
{
    return m_server->serverPort();
}

void SmtpSink::close()
{
    m_server->close();
    dropConnections();
}

void SmtpSink::follow(const SinkScript &script)
{
    m_options.isGreylisting = script.isGreylisting;
    m_options.user = script.user;
    m_options.password = script.password;
    m_options.mechanisms = script.user.isEmpty() ? QByteArrayList() : QByteArrayList{"PLAIN", "LOGIN"};
    m_seen.clear();
    setRules(script.rules);
}

void SmtpSink::setRules(std::vector<SinkRule> rules)
{
    m_rules = std::move(rules);
}

void SmtpSink::dropConnections()
{
    for (QSslSocket *socket : m_server->sockets())
        socket->abort();
}

SinkRule *SmtpSink::ruleFor(SinkStage stage, const QByteArrayList &recipients)
{
    for (SinkRule &rule : m_rules) {
        const bool isForAll = rule.recipient.isEmpty();
        if (rule.stage == stage && rule.times != 0 && (isForAll || recipients.contains(rule.recipient)))
            return &rule;
    }
    return nullptr;
}

bool SmtpSink::isPutOff(const QByteArray &recipient)
{
    if (!m_options.isGreylisting || m_seen.contains(recipient))
        return false;
    m_seen.insert(recipient);
    return true;
}

void SmtpSink::keep(SinkMail mail)
{
    if (m_mails.size() >= m_options.maxKept && !m_mails.empty())
        m_mails.erase(m_mails.begin());
    if (m_options.maxKept > 0)
        m_mails.push_back(std::move(mail));
}

} // namespace sendoff::sandbox
