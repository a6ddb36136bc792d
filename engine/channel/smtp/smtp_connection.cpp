#include "channel/smtp/smtp_connection.h"

#include <array>

namespace sendoff::channel {

namespace {

constexpr qsizetype chunk = 16 * 1024; // one TLS record

// Lines that begin with a dot get a second one (RFC 5321 §4.5.2); the last line is ended.
QByteArray dotStuffed(const QByteArray &bytes)
{
    QByteArray stuffed = bytes;
    if (stuffed.startsWith('.'))
        stuffed.prepend('.');
    stuffed.replace("\n.", "\n..");
    if (!stuffed.endsWith("\r\n"))
        stuffed += "\r\n";
    return stuffed;
}

void discard(std::unique_ptr<QSocketNotifier> &notifier)
{
    if (!notifier)
        return;
    notifier->setEnabled(false);
    notifier.release()->deleteLater(); // it may be the one that is calling us
}

} // namespace

SmtpConnection::SmtpConnection(CurlLoop &loop, SmtpRoute route, SmtpNetwork network, std::function<void()> changed)
    : m_loop(loop)
    , m_route(std::move(route))
    , m_network(std::move(network))
    , m_changed(std::move(changed))
{}

SmtpConnection::~SmtpConnection()
{
    Q_ASSERT(!m_done);
    shut();
}

void SmtpConnection::send(SmtpMail mail, Done done)
{
    Q_ASSERT(isFree() && !m_done);
    m_mail = std::move(mail);
    m_done = std::move(done);
    m_bodyOffered = false;
    if (m_phase == Phase::New)
        open();
    else
        begin();
}

void SmtpConnection::begin()
{
    AttemptResult refusal;
    refusal.left = false;
    if (m_mail.recipient.needsUtf8() && !m_takesUtf8) {
        refusal.outcome = Outcome::PermanentRecipient;
        refusal.code = QStringLiteral("no_smtputf8");
        refusal.text = QStringLiteral("the address has letters beyond ASCII before its @, and the server announces no "
                                      "SMTPUTF8");
        return finish(refusal, Phase::Idle);
    }
    if (m_sizeLimit > 0 && m_mail.bytes.size() > m_sizeLimit) {
        refusal.outcome = Outcome::PermanentMessage;
        refusal.code = QStringLiteral("too_big");
        refusal.text = QStringLiteral("the mail has %1 bytes, the server announces that it takes %2")
                           .arg(m_mail.bytes.size())
                           .arg(m_sizeLimit);
        return finish(refusal, Phase::Idle);
    }
    QByteArray line = "MAIL FROM:<" + m_mail.sender.wire().toUtf8() + '>';
    if (m_takesSize)
        line += " SIZE=" + QByteArray::number(m_mail.bytes.size());
    if (m_mail.recipient.needsUtf8()) {
        if (m_takes8Bit)
            line += " BODY=8BITMIME";
        line += " SMTPUTF8";
    }
    say(Phase::Mail, line);
}

void SmtpConnection::say(Phase phase, const QByteArray &line)
{
    m_phase = phase;
    m_out = line + "\r\n";
    m_written = 0;
    write();
}

void SmtpConnection::sendBody()
{
    m_phase = Phase::Body;
    m_out = dotStuffed(m_mail.bytes);
    m_dotAt = m_out.size();
    m_out += ".\r\n";
    m_written = 0;
    write();
}

void SmtpConnection::write()
{
    while (m_written < m_out.size()) {
        qsizetype end = std::min(m_out.size(), m_written + chunk);
        if (m_phase == Phase::Body) {
            // Noted before the call: a call that says "again" may have let a part go.
            m_bodyOffered = true;
            if (m_written < m_dotAt)
                end = std::min(end, m_dotAt);
            else
                m_phase = Phase::Dot;
        }
        size_t sent = 0;
        const CURLcode code = curl_easy_send(m_handle, m_out.constData() + m_written, size_t(end - m_written), &sent);
        if (code == CURLE_AGAIN) {
            m_writeNotifier->setEnabled(true);
            return;
        }
        if (code != CURLE_OK) {
            const Phase before = m_phase;
            read(); // a server that refuses while we send may have said so before it closed
            if (m_phase == before)
                lost(QStringLiteral("connection_lost"), QStringLiteral("the server closed the connection"));
            return;
        }
        m_written += qsizetype(sent);
    }
    m_writeNotifier->setEnabled(false);
}

void SmtpConnection::read()
{
    std::array<char, 4096> bytes;
    bool isOver = false;
    while (!isOver && !m_reader.isOverfull()) {
        size_t count = 0;
        const CURLcode code = curl_easy_recv(m_handle, bytes.data(), bytes.size(), &count);
        if (code == CURLE_AGAIN)
            break;
        isOver = code != CURLE_OK || count == 0;
        if (!isOver)
            m_reader.add(QByteArray(bytes.data(), qsizetype(count)));
    }
    if (m_phase == Phase::Idle) // nothing was asked: it says goodbye, or has gone
        return finish({}, Phase::Closed);
    if (const auto reply = m_reader.take()) {
        const bool isOneTooMany = !m_reader.isEmpty();
        if (isOneTooMany || isOver) {
            // Its connection is no good for another mail, but what it says about this one counts.
            m_isLast = true;
            m_reader.clear();
        }
        return take(readReply(*reply));
    }
    if (m_reader.isOverfull())
        return lost(QStringLiteral("malformed"), QStringLiteral("the server's reply has no end"));
    if (isOver)
        lost(QStringLiteral("connection_lost"), QStringLiteral("the server closed the connection without a reply"));
}

void SmtpConnection::take(const SmtpReply &reply)
{
    switch (m_phase) {
    case Phase::Mail:
        if (reply.code / 100 != 2)
            return refuse(SmtpStage::Mail, reply);
        return say(Phase::Rcpt, "RCPT TO:<" + m_mail.recipient.wire().toUtf8() + '>');
    case Phase::Rcpt:
        if (reply.code / 100 != 2)
            return refuse(SmtpStage::Rcpt, reply);
        return say(Phase::Data, "DATA");
    case Phase::Data:
        if (reply.code != 354)
            return refuse(SmtpStage::Data, reply);
        return sendBody();
    case Phase::Body: // before the final dot: it may refuse early, and then nobody reads the rest
        if (reply.code < 400)
            return lost(QStringLiteral("malformed"), QStringLiteral("the server answered before the mail's end"));
        return finish(resultOfReply(SmtpStage::Data, reply), Phase::Closed);
    case Phase::Dot: {
        const bool mayGoOn = !m_isLast && reply.code != 421 && reply.code != 0;
        return finish(resultOfReply(SmtpStage::EndOfData, reply), mayGoOn ? Phase::Idle : Phase::Closed);
    }
    case Phase::Reset:
        return finish({}, !m_isLast && reply.code / 100 == 2 ? Phase::Idle : Phase::Closed);
    default:
        return;
    }
}

void SmtpConnection::refuse(SmtpStage stage, const SmtpReply &reply)
{
    const bool mayGoOn = !m_isLast && reply.code >= 400 && reply.code != 421;
    const bool wasStale = stage == SmtpStage::Mail && m_wasUsed && reply.code == 421;
    finish(resultOfReply(stage, reply), mayGoOn ? Phase::Reset : Phase::Closed, wasStale);
}

AttemptResult SmtpConnection::lossOf(const QString &code, const QString &text) const
{
    const SmtpStage reached = stage();
    AttemptResult result;
    result.outcome = meaningOfLoss(reached).outcome;
    result.code = code;
    result.text = reached == SmtpStage::EndOfData
                      ? QStringLiteral("%1; the whole mail had been handed over").arg(text)
                      : QStringLiteral("%1; the mail had not been handed over to its end").arg(text);
    result.left = m_bodyOffered;
    return result;
}

void SmtpConnection::lost(const QString &code, const QString &text)
{
    finish(lossOf(code, text), Phase::Closed, m_phase == Phase::Mail && m_wasUsed);
}

void SmtpConnection::abandon(const QString &code, const QString &text)
{
    if (!isClosed())
        finish(lossOf(code, text), Phase::Closed);
}

void SmtpConnection::close()
{
    if (m_phase == Phase::Idle) {
        size_t sent = 0;
        curl_easy_send(m_handle, "QUIT\r\n", 6, &sent);
    }
    m_phase = Phase::Closed;
    shut();
}

// The mail, if there is one, has its result; the connection goes on with `next`. The last thing a function does: what
// the calls lead to may delete this object once the event loop is back.
void SmtpConnection::finish(const AttemptResult &result, Phase next, bool wasStale)
{
    // Taken first: RSET may fail at once, which comes here again, and that end is not the mail's.
    const Done done = std::exchange(m_done, nullptr);
    m_mail = {};
    m_phase = next;
    m_out.clear();
    m_written = 0;
    if (next == Phase::Closed)
        shut();
    else
        m_wasUsed = true;
    if (next == Phase::Reset)
        say(Phase::Reset, "RSET");
    const bool isReady = m_phase == Phase::Idle || m_phase == Phase::Closed;
    if (done)
        done({result, wasStale});
    if (isReady && m_changed)
        QMetaObject::invokeMethod(
            this, [this] { m_changed(); }, Qt::QueuedConnection);
}

void SmtpConnection::shut()
{
    discard(m_readNotifier);
    discard(m_writeNotifier);
    if (!m_handle)
        return;
    m_loop.stop(m_handle);
    curl_easy_cleanup(m_handle);
    m_handle = nullptr;
}

SmtpStage SmtpConnection::stage() const
{
    switch (m_phase) {
    case Phase::Mail:
        return SmtpStage::Mail;
    case Phase::Rcpt:
        return SmtpStage::Rcpt;
    case Phase::Data:
    case Phase::Body:
        return SmtpStage::Data;
    case Phase::Dot:
        return SmtpStage::EndOfData;
    case Phase::Reset:
        return SmtpStage::Quit;
    default:
        return m_openingStage;
    }
}

} // namespace sendoff::channel
