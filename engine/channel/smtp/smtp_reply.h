#pragma once
#include <QByteArray>
#include <QString>
#include <optional>

namespace sendoff::channel {

// How far one mail got. The order is the order on the wire; everything before EndOfData surely sent nothing.
enum class SmtpStage {
    Connect,   // up to the greeting
    Ehlo,      // EHLO and HELO
    StartTls,  // the command, not the handshake
    Auth,      //
    Mail,      // MAIL FROM
    Rcpt,      // RCPT TO
    Data,      // the command and the bytes up to the final dot
    EndOfData, // the final dot was handed over, its reply is awaited
    Dsn,       // a report that came later, about a mail that had been accepted
    Quit
};

// A server's reply in parts. code 0: it was none.
struct SmtpReply
{
    int code = 0;
    // Enhanced status code (RFC 3463), 0 where there is none.
    int enhancedClass = 0;
    int subject = 0;
    int detail = 0;
    bool hasEnhanced = false;
    bool isEnhancedLast = false; // it stood behind the words, as in "(#5.7.1)"
    QString text;                // as it came, lines joined by blanks, with its codes

    bool isPositive() const { return code >= 200 && code < 400; }
};

// Reads one whole reply, lines separated by CRLF or LF.
SmtpReply readReply(const QByteArray &raw);

// Cuts a stream of bytes into replies. Refuses what can be none: a line over 2,000 bytes, a reply over 64 KiB.
class SmtpReplyReader
{
public:
    void add(const QByteArray &bytes) { m_bytes += bytes; }
    // The next whole reply, its lines still with their ends; nothing while it is incomplete.
    std::optional<QByteArray> take();
    bool isOverfull() const;
    bool isEmpty() const { return m_bytes.isEmpty(); }
    void clear() { m_bytes.clear(); }

private:
    QByteArray m_bytes;
};

} // namespace sendoff::channel
