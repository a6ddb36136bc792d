#include "channel/mime/mime_message.h"
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

using namespace sendoff;
using namespace sendoff::channel;

namespace {

MimeMessage message()
{
    MimeMessage made;
    made.from = *readMailbox(QStringLiteral("Taxi <no-reply@taxi.example>"));
    made.to = *emailAddress(QStringLiteral("jane@mail.example"));
    made.subject = QStringLiteral("Your booking 981");
    made.text = QStringLiteral("Confirmed\n");
    made.html = QStringLiteral("<p>Confirmed</p>\n");
    made.messageId = "d-1@taxi.example";
    made.date = *fromRfc3339(QStringLiteral("2026-11-30T12:00:00.123Z"));
    return made;
}

// Another reader's view: Python's email package.
QJsonObject readByPython(const QByteArray &bytes)
{
    const QString script = QStringLiteral(
        "import sys, json, email, email.policy\n"
        "m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)\n"
        "def part(t):\n"
        "    p = m.get_body((t,))\n"
        "    return p.get_content() if p else ''\n"
        "print(json.dumps({'subject': m['subject'], 'from': m['from'].addresses[0].display_name,\n"
        "  'address': m['from'].addresses[0].addr_spec, 'to': str(m['to']), 'type': m.get_content_type(),\n"
        "  'text': part('plain'), 'html': part('html'), 'headers': len(m.keys()),\n"
        "  'defects': len(m.defects) + sum(len(h.defects) for h in m.values())}))\n");
    QProcess process;
    process.start(QStringLiteral("python3"), {QStringLiteral("-c"), script});
    process.write(bytes);
    process.closeWriteChannel();
    if (!process.waitForFinished() || process.exitCode() != 0)
        qFatal("python3 failed: %s", process.readAllStandardError().constData());
    return QJsonDocument::fromJson(process.readAllStandardOutput()).object();
}

// The line end before a boundary belongs to the boundary: how many end a text can't be told.
QString withoutLineEnds(QString text)
{
    text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
    while (text.endsWith(u'\n'))
        text.chop(1);
    return text;
}

// Python leaves a blank between two encoded words of a name, where RFC 2047 wants none.
QString withoutBlanks(QString text)
{
    return text.remove(u' ');
}

bool hasPython()
{
    const bool isThere = !QStandardPaths::findExecutable(QStringLiteral("python3")).isEmpty();
    if (!isThere && qEnvironmentVariable("CI") == QLatin1String("true"))
        qFatal("python3 is missing");
    return isThere;
}

QByteArrayList linesOf(const QByteArray &bytes)
{
    return QByteArray(bytes).replace("\r\n", "\n").split('\n');
}

} // namespace

class TestMime : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aMail_isWrittenAsExpected()
    {
        QCOMPARE(mimeBytes(message()), QByteArray("Date: Mon, 30 Nov 2026 12:00:00 +0000\r\n"
                                                  "From: Taxi <no-reply@taxi.example>\r\n"
                                                  "To: jane@mail.example\r\n"
                                                  "Subject: Your booking 981\r\n"
                                                  "Message-ID: <d-1@taxi.example>\r\n"
                                                  "Auto-Submitted: auto-generated\r\n"
                                                  "MIME-Version: 1.0\r\n"
                                                  "Content-Type: multipart/alternative;\r\n"
                                                  " boundary=\"=_" +
                                                  boundary() +
                                                  "\"\r\n"
                                                  "\r\n"
                                                  "--=_" +
                                                  boundary() +
                                                  "\r\n"
                                                  "Content-Type: text/plain; charset=utf-8\r\n"
                                                  "Content-Transfer-Encoding: quoted-printable\r\n"
                                                  "\r\n"
                                                  "Confirmed\r\n"
                                                  "--=_" +
                                                  boundary() +
                                                  "\r\n"
                                                  "Content-Type: text/html; charset=utf-8\r\n"
                                                  "Content-Transfer-Encoding: quoted-printable\r\n"
                                                  "\r\n"
                                                  "<p>Confirmed</p>\r\n"
                                                  "--=_" +
                                                  boundary() + "--\r\n"));
        QCOMPARE(mimeBytes(message()), mimeBytes(message()));
    }

    void oneKindOfText_needsNoParts()
    {
        MimeMessage plain = message();
        plain.html.clear();
        QVERIFY(mimeBytes(plain).endsWith("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
                                          "Content-Transfer-Encoding: quoted-printable\r\n\r\nConfirmed\r\n"));
        plain.html = plain.text;
        plain.text.clear();
        QVERIFY(mimeBytes(plain).contains("Content-Type: text/html"));
        QVERIFY(!mimeBytes(plain).contains("multipart"));
    }

    void anotherReader_readsWhatWasWritten_data()
    {
        QTest::addColumn<QString>("subject");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *name, const QString &subject, const QString &sender, const QString &text) {
            QTest::newRow(name) << subject << sender << text;
        };
        const QString plain = QStringLiteral("x\n");
        row("ASCII", QStringLiteral("Hello"), QStringLiteral("Taxi"), QStringLiteral("Hello\n"));
        row("umlauts", QStringLiteral("Grüße aus Köln"), QStringLiteral("Käthe Müller"), QStringLiteral("Grüße\n"));
        row("no ASCII at all", QStringLiteral("予約が確認されました"), QStringLiteral("タクシー"),
            QStringLiteral("予約が確認されました。\n").repeated(20));
        row("beyond the first plane", QString(QStringLiteral("🚕")).repeated(60),
            QString(QStringLiteral("🚕")).repeated(30), QString(QStringLiteral("🚕")).repeated(200) + u'\n');
        row("long ASCII subject", QStringLiteral("word and ").repeated(40) + u'x', QStringLiteral("Taxi"), plain);
        row("long word in the subject", QString(300, u'a'), QStringLiteral("Taxi"), plain);
        row("two blanks in the subject", QStringLiteral("a  b "), QStringLiteral("Taxi"), plain);
        row("looks encoded", QStringLiteral("=?UTF-8?Q?no?="), QStringLiteral("=?UTF-8?Q?no?="), plain);
        row("specials in the name", QStringLiteral("a"), QStringLiteral("Taxi, \"Ltd.\" <x@evil.test> \\"), plain);
        row("long name", QStringLiteral("a"), QStringLiteral("A name that goes on and on, ").repeated(6) + u'x', plain);
        row("dots and From", QStringLiteral("a"), QStringLiteral("T"),
            QStringLiteral(".\n..\nFrom here\n>From\n. x\nend \n\ttab\t\n"));
        row("long lines", QStringLiteral("a"), QStringLiteral("T"),
            QStringLiteral("word ").repeated(900) + u'\n' + QString(5000, u'y') + QStringLiteral("=\n"));
        row("looks like a boundary", QStringLiteral("a"), QStringLiteral("T"),
            QStringLiteral("--=_") + QString::fromLatin1(boundary()) + QStringLiteral("--\n"));
        row("empty lines", QStringLiteral("a"), QStringLiteral("T"), QStringLiteral("\n\na\n\n\n"));
    }

    void anotherReader_readsWhatWasWritten()
    {
        if (!hasPython())
            QSKIP("NOT TESTED: there is no python3 to read the mails with");
        QFETCH(QString, subject);
        QFETCH(QString, name);
        QFETCH(QString, text);
        MimeMessage written = message();
        written.subject = subject;
        written.from.name = name;
        written.text = text;
        written.html = QStringLiteral("<p>") + text + QStringLiteral("</p>\n");
        const QByteArray bytes = mimeBytes(written);
        const QJsonObject read = readByPython(bytes);
        QCOMPARE(read.value(QLatin1String("subject")).toString(), subject);
        QCOMPARE(withoutBlanks(read.value(QLatin1String("from")).toString()), withoutBlanks(name));
        QCOMPARE(read.value(QLatin1String("address")).toString(), QStringLiteral("no-reply@taxi.example"));
        QCOMPARE(withoutLineEnds(read.value(QLatin1String("text")).toString()), withoutLineEnds(text));
        QCOMPARE(withoutLineEnds(read.value(QLatin1String("html")).toString()), withoutLineEnds(written.html));
        QCOMPARE(read.value(QLatin1String("headers")).toInt(), 8);
        QCOMPARE(read.value(QLatin1String("defects")).toInt(), 0);
        for (const QByteArray &line : linesOf(bytes)) {
            QVERIFY2(line.size() <= 78, line.constData());
            QVERIFY(!line.contains('\r'));
            QVERIFY(std::all_of(line.begin(), line.end(), [](char each) { return each > 0; })); // ASCII, no NUL
            QVERIFY(!line.startsWith('.') && !line.startsWith("From "));
        }
    }

    void lineEnds_becomeThoseOfMail()
    {
        const QByteArray expected = encodedBody(QStringLiteral("a\nb\nc\n")).bytes;
        QCOMPARE(expected, QByteArray("a\r\nb\r\nc\r\n"));
        QCOMPARE(encodedBody(QStringLiteral("a\r\nb\rc")).bytes, expected);
        QCOMPARE(encodedBody(QString(QChar(0)) + u'a').bytes, QByteArray("=00a\r\n"));
        QCOMPARE(encodedBody(QString()).bytes, QByteArray("\r\n"));
    }

    void theShorterEncoding_isTaken()
    {
        QCOMPARE(encodedBody(QStringLiteral("Grüße an alle, die hier lesen")).encoding, QByteArray("quoted-printable"));
        QCOMPARE(encodedBody(QStringLiteral("予約が確認されました")).encoding, QByteArray("base64"));
    }

    void longTokens_areNeverBroken()
    {
        MimeMessage mail = message();
        mail.unsubscribeUrl = "https://taxi.example/u/" + QByteArray(400, 'a');
        const QByteArray bytes = mimeBytes(mail);
        QVERIFY(bytes.contains("\r\nList-Unsubscribe: <" + mail.unsubscribeUrl + ">\r\n"));
        QVERIFY(bytes.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"));
    }

    void mailboxes_areReadAndRefused()
    {
        const auto plain = readMailbox(QStringLiteral("no-reply@taxi.example"));
        QVERIFY(plain && plain->name.isEmpty());
        QCOMPARE(readMailbox(QStringLiteral("\"Taxi, \\\"Ltd.\\\"\" <a@b.example>"))->name,
                 QStringLiteral("Taxi, \"Ltd.\""));
        QCOMPARE(readMailbox(QStringLiteral("Käthe <a@müller.example>"))->address.wire(),
                 QStringLiteral("a@xn--mller-kva.example"));
        for (const char *bad : {"", "Taxi", "Taxi <a@b.example", "a@b.example>", "<a@b.example> x",
                                "A <a@b.example>, B <c@d.example> <e>", "A\r\nBcc: x@evil.test <a@b.example>"})
            QVERIFY2(!readMailbox(QString::fromLatin1(bad)), bad);
    }

private:
    static QByteArray boundary() { return QByteArray("81b8706679e5fc353a690d377417032a"); }
};

QTEST_GUILESS_MAIN(TestMime)
#include "tst_mime.moc"
