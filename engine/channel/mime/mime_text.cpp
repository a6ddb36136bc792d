#include "channel/mime/mime_text.h"

#include <QByteArrayList>
#include <QStringList>
#include <algorithm>

namespace sendoff::channel {

namespace {

constexpr qsizetype lineLimit = 76;
constexpr qsizetype encodedWordLimit = 75; // RFC 2047 §2
const QByteArray wordStart = "=?UTF-8?";

bool isAtomCharacter(char each)
{
    return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
           QByteArrayView("!#$%&'*+-/=?^_`{|}~").contains(each);
}

bool isPrintable(const QString &text)
{
    return std::all_of(text.cbegin(), text.cend(),
                       [](QChar each) { return each.unicode() >= 0x20 && each.unicode() < 0x7f; });
}

void appendHex(QByteArray &text, char each)
{
    constexpr char digits[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(each);
    text += '=';
    text += digits[byte >> 4];
    text += digits[byte & 15];
}

// The "Q" encoding with the letters that even a display name may hold (RFC 2047 §5 (3)).
QByteArray qEncoded(const QByteArray &bytes)
{
    QByteArray text;
    for (const char each : bytes) {
        const bool isPlain = (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') ||
                             (each >= 'A' && each <= 'Z') || QByteArrayView("!*+-/").contains(each);
        if (each == ' ')
            text += '_';
        else if (isPlain)
            text += each;
        else
            appendHex(text, each);
    }
    return text;
}

QByteArray encodedWord(const QByteArray &bytes, bool inBase64)
{
    return wordStart + (inBase64 ? "B?" + bytes.toBase64() : "Q?" + qEncoded(bytes)) + "?=";
}

// The text as encoded words, never cut within a character. `used` bytes of the first line are taken.
QByteArray encodedWords(const QString &text, qsizetype used)
{
    const QByteArray whole = text.toUtf8();
    const bool inBase64 = whole.toBase64().size() < qEncoded(whole).size();
    QByteArray folded;
    QByteArray word;
    for (const uint point : text.toUcs4()) {
        const char32_t character = point;
        const QByteArray next = QString::fromUcs4(&character, 1).toUtf8();
        const qsizetype limit = folded.isEmpty() ? lineLimit - used : lineLimit - 1;
        if (!word.isEmpty() && encodedWord(word + next, inBase64).size() > std::min(limit, encodedWordLimit)) {
            folded += encodedWord(word, inBase64) + "\r\n ";
            word.clear();
        }
        word += next;
    }
    return folded + encodedWord(word, inBase64);
}

QByteArray quotedPhrase(const QString &name)
{
    const QByteArray ascii = name.toLatin1();
    const bool isAtoms =
        std::all_of(ascii.begin(), ascii.end(), [](char each) { return each == ' ' || isAtomCharacter(each); });
    if (isAtoms)
        return ascii;
    QByteArray quoted = "\"";
    for (const char each : ascii) {
        if (each == '"' || each == '\\')
            quoted += '\\';
        quoted += each;
    }
    return quoted + '"';
}

// Plain ASCII, folded before blanks. Without blank runs and words that look encoded, so that folding loses nothing.
bool isFoldable(const QString &value, qsizetype used)
{
    if (!isPrintable(value) || value.contains(QLatin1String("=?")) || value.startsWith(u' ') || value.endsWith(u' '))
        return false;
    const QStringList words = value.split(u' ');
    return std::all_of(words.cbegin(), words.cend(), [used](const QString &word) {
        return !word.isEmpty() && word.size() + std::max<qsizetype>(used, 1) <= lineLimit;
    });
}

void appendQuotedLine(QByteArray &text, QByteArrayView line)
{
    constexpr qsizetype mostBeforeBreak = lineLimit - 1;
    // A first "." and "From " are what careless mail programs on the way change.
    const bool isFragileStart = line.startsWith('.') || line.startsWith("From ");
    qsizetype length = 0;
    for (qsizetype index = 0; index < line.size(); ++index) {
        const char each = line[index];
        const bool isLast = index + 1 == line.size();
        const bool isBlank = each == ' ' || each == '\t';
        const bool isPlain = (isBlank && !isLast) || (each > 0x20 && each < 0x7f && each != '=');
        QByteArray unit;
        if (isPlain && !(index == 0 && isFragileStart))
            unit = QByteArray(1, each);
        else
            appendHex(unit, each);
        if (length + unit.size() > (isLast ? lineLimit : mostBeforeBreak)) {
            text += "=\r\n";
            length = 0;
        }
        text += unit;
        length += unit.size();
    }
    text += "\r\n";
}

QByteArray quotedPrintable(const QByteArray &text)
{
    QByteArray quoted;
    for (const QByteArray &line : text.split('\n'))
        appendQuotedLine(quoted, line);
    return quoted;
}

QByteArray base64Lines(const QByteArray &bytes)
{
    const QByteArray whole = bytes.toBase64();
    QByteArray lines;
    for (qsizetype start = 0; start < whole.size(); start += lineLimit)
        lines += whole.mid(start, lineLimit) + "\r\n";
    return lines;
}

QString unquoted(const QString &text)
{
    if (text.size() < 2 || !text.startsWith(u'"') || !text.endsWith(u'"'))
        return text;
    QString plain;
    for (qsizetype index = 1; index + 1 < text.size(); ++index) {
        if (text[index] == u'\\' && index + 2 < text.size())
            ++index;
        plain += text[index];
    }
    return plain;
}

} // namespace

QByteArray textHeader(const QByteArray &name, const QString &value)
{
    const qsizetype used = name.size() + 2;
    if (isFoldable(value, used))
        return tokenHeader(name, value.toLatin1());
    return name + ": " + (value.isEmpty() ? QByteArray() : encodedWords(value, used)) + "\r\n";
}

QByteArray tokenHeader(const QByteArray &name, const QByteArray &value)
{
    QByteArray folded = name + ':';
    qsizetype length = folded.size();
    for (const QByteArray &word : value.split(' ')) {
        if (length + 1 + word.size() > lineLimit && length > name.size() + 1) {
            folded += "\r\n";
            length = 0;
        }
        folded += ' ' + word;
        length += 1 + word.size();
    }
    return folded + "\r\n";
}

QByteArray mailboxHeader(const QByteArray &name, const Mailbox &mailbox)
{
    const QByteArray wire = mailbox.address.wire().toUtf8();
    if (mailbox.name.isEmpty())
        return name + ": " + wire + "\r\n";
    const qsizetype used = name.size() + 2;
    // Many readers decode what looks encoded even within quotes.
    const bool isPlain = isPrintable(mailbox.name) && !mailbox.name.contains(QLatin1String("=?"));
    QByteArray phrase = isPlain ? quotedPhrase(mailbox.name) : QByteArray();
    if (phrase.isEmpty() || phrase.size() + used > lineLimit)
        phrase = encodedWords(mailbox.name, used);
    const qsizetype lastLine = phrase.size() - (phrase.lastIndexOf('\n') + 1) + (phrase.contains('\n') ? 0 : used);
    const bool fits = lastLine + wire.size() + 3 <= lineLimit;
    return name + ": " + phrase + (fits ? " <" : "\r\n <") + wire + ">\r\n";
}

Result<Mailbox> readMailbox(const QString &text)
{
    const QString given = withoutOuterBlanks(text);
    const auto isControl = [](QChar each) {
        return each.category() == QChar::Other_Control || each == QChar::LineSeparator ||
               each == QChar::ParagraphSeparator;
    };
    if (std::any_of(given.cbegin(), given.cend(), isControl))
        return Error{ErrorCode::Invalid, QStringLiteral("it holds a line break or another control character")};
    Mailbox mailbox;
    QString address = given;
    if (given.endsWith(u'>')) {
        const qsizetype start = given.lastIndexOf(u'<');
        if (start < 0)
            return Error{ErrorCode::Invalid, QStringLiteral("it needs the form Name <name@domain>")};
        mailbox.name = unquoted(given.left(start).trimmed());
        address = given.mid(start + 1).chopped(1);
    }
    Result<EmailAddress> read = emailAddress(address);
    if (!read)
        return read.error();
    mailbox.address = std::move(*read);
    return mailbox;
}

EncodedBody encodedBody(const QString &text)
{
    QString lines = text;
    lines.replace(QLatin1String("\r\n"), QLatin1String("\n")).replace(u'\r', u'\n');
    if (lines.endsWith(u'\n')) // the last line's end is written by the encoding
        lines.chop(1);
    const QByteArray utf8 = lines.toUtf8();
    const QByteArray quoted = quotedPrintable(utf8);
    const QByteArray packed = base64Lines(QByteArray(utf8).replace("\n", "\r\n") + "\r\n");
    return quoted.size() <= packed.size() ? EncodedBody{"quoted-printable", quoted} : EncodedBody{"base64", packed};
}

} // namespace sendoff::channel
