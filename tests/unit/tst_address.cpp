#include "domain/address.h"
#include "domain/delivery.h"
#include <QTest>

using namespace sendoff;

class TestAddress : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void ADR_01_takenAddressesGoOutAsNoted_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("wire");
        QTest::addColumn<QString>("folded");
        const auto row = [](const char *name, const QString &given, const char *wire, const char *folded) {
            QTest::newRow(name) << given << QString::fromUtf8(wire) << QString::fromUtf8(folded);
        };
        row("plain", QStringLiteral("user@example.com"), "user@example.com", "user@example.com");
        row("plus", QStringLiteral("user+tag@example.com"), "user+tag@example.com", "user+tag@example.com");
        row("U-label", QStringLiteral("user@müller.example"), "user@xn--mller-kva.example",
            "user@xn--mller-kva.example");
        row("decomposed U-label", QStringLiteral("user@mu\u0308ller.example"), "user@xn--mller-kva.example",
            "user@xn--mller-kva.example");
        row("capital U-label", QStringLiteral("user@MÜLLER.example"), "user@xn--mller-kva.example",
            "user@xn--mller-kva.example");
        row("A-label", QStringLiteral("user@xn--mller-kva.example"), "user@xn--mller-kva.example",
            "user@xn--mller-kva.example");
        row("capital A-label", QStringLiteral("user@XN--MLLER-KVA.example"), "user@XN--MLLER-KVA.example",
            "user@xn--mller-kva.example");
        row("sharp s is a letter of its own", QStringLiteral("user@faß.example"), "user@xn--fa-hia.example",
            "user@xn--fa-hia.example");
        row("wide letters", QStringLiteral("user@ｅxample.com"), "user@example.com", "user@example.com");
        row("ideographic full stop", QStringLiteral("user@例え。jp"), "user@xn--r8jz45g.jp", "user@xn--r8jz45g.jp");
        row("capitals", QStringLiteral("USER@EXAMPLE.COM"), "USER@EXAMPLE.COM", "user@example.com");
        row("outer blanks", QStringLiteral(" \t user@example.com\u00a0"), "user@example.com", "user@example.com");
        row("inner dots stay", QStringLiteral("j.a.n.e@example.com"), "j.a.n.e@example.com", "j.a.n.e@example.com");
        row("odd but legal", QStringLiteral("o'neil!#$%&*/=?^_`{|}~-@example.com"),
            "o'neil!#$%&*/=?^_`{|}~-@example.com", "o'neil!#$%&*/=?^_`{|}~-@example.com");
        row("one label", QStringLiteral("root@localhost"), "root@localhost", "root@localhost");
        row("letters beyond ASCII", QStringLiteral("Jörg@müller.example"), "Jörg@xn--mller-kva.example",
            "jörg@xn--mller-kva.example");
        const QByteArray longest = QByteArray(64, 'a') + "@example.com";
        row("local part of 64", QString::fromLatin1(longest), longest.constData(), longest.constData());
    }

    void ADR_01_takenAddressesGoOutAsNoted()
    {
        QFETCH(QString, given);
        QFETCH(QString, wire);
        QFETCH(QString, folded);
        const Result<EmailAddress> read = emailAddress(given);
        QVERIFY2(read.ok(), read ? "" : qPrintable(read.error().message));
        QCOMPARE(read->wire(), wire);
        QCOMPARE(read->folded, folded);
        QCOMPARE(foldedAddress(Channel::Email, given), folded);
        // What went on the wire is read again as the same address.
        QCOMPARE(emailAddress(read->wire())->folded, folded);
    }

    void ADR_01_refusedAddressesSayWhyWithoutRepeatingThem_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *name, const QString &given, const char *why) {
            QTest::newRow(name) << given << QString::fromLatin1(why);
        };
        row("empty", QString(), "empty");
        row("only blanks", QStringLiteral("  \t"), "empty");
        row("inner blanks", QStringLiteral("r  @example.com"), "blank");
        row("no-break space", QStringLiteral("r\u00a0x@example.com"), "blank");
        row("no domain", QStringLiteral("user@"), "after the @");
        row("no local part", QStringLiteral("@example.com"), "before the @");
        row("no at sign", QStringLiteral("nonsense"), "name@domain");
        row("two at signs", QStringLiteral("user@@example.com"), "one address");
        row("empty label", QStringLiteral("user@example..com"), "label");
        row("final dot", QStringLiteral("user@example.com."), "label");
        row("leading dot", QStringLiteral(".user@example.com"), "dot");
        row("trailing dot", QStringLiteral("user.@example.com"), "dot");
        row("double dot", QStringLiteral("us..er@example.com"), "dot");
        row("local part of 65", QString(65, u'a') + QStringLiteral("@example.com"), "64");
        row("65 bytes in 33 letters", QString(33, QChar(0x00e4)) + QStringLiteral("@example.com"), "64");
        row("two addresses", QStringLiteral("a@example.com,b@example.com"), "one address");
        row("header injection", QStringLiteral("user@example.com\r\nBcc: x@evil.test"), "line break");
        row("line break at the end", QStringLiteral("user@example.com\r\n"), "line break");
        row("NUL", QStringLiteral("user@example.com") + QChar(0), "control");
        row("quoted blank", QStringLiteral("\"john doe\"@example.com"), "quoted");
        row("quoted at sign", QStringLiteral("\"a@b\"@example.com"), "quoted");
        row("display name", QStringLiteral("Jane<jane@example.com>"), "separates");
        row("address literal", QStringLiteral("user@[127.0.0.1]"), "literal");
        row("IP address", QStringLiteral("user@127.0.0.1"), "number");
        row("hyphen first", QStringLiteral("user@-example.com"), "hyphens");
        row("underscore", QStringLiteral("user@exa_mple.com"), "hyphens");
        row("label of 64", QStringLiteral("user@") + QString(64, u'a') + QStringLiteral(".com"), "63");
        row("no A-label", QStringLiteral("user@xn--a.example"), "internationalised");
        row("forbidden letter", QStringLiteral("user@ex\u2028ample.com"), "control");
        row("direction mark", QStringLiteral("user\u202etest@example.com"), "invisible");
        row("zero width blank", QStringLiteral("user\u200b@example.com"), "invisible");
        row("half a pair", QStringLiteral("user") + QChar(0xd800) + QStringLiteral("@example.com"), "invisible");
        row("255 bytes",
            QStringLiteral("abcdefgh@") + QString(60, u'b') + u'.' + QString(60, u'c') + u'.' + QString(60, u'd') +
                u'.' + QString(60, u'e') + QStringLiteral(".de"),
            "254");
    }

    void ADR_01_refusedAddressesSayWhyWithoutRepeatingThem()
    {
        QFETCH(QString, given);
        QFETCH(QString, why);
        const Result<EmailAddress> read = emailAddress(given);
        QVERIFY(!read);
        QVERIFY2(read.error().message.contains(why), qPrintable(read.error().message));
        if (!given.trimmed().isEmpty())
            QVERIFY(!read.error().message.contains(given.trimmed()));
    }

    void people_readADomainInTheirLetters()
    {
        QCOMPARE(emailAddress(QStringLiteral("user@xn--mller-kva.example"))->unicodeDomain,
                 QStringLiteral("müller.example"));
        QCOMPARE(emailAddress(QStringLiteral("user@Example.COM"))->unicodeDomain, QStringLiteral("example.com"));
    }

    void utf8_isNeededForTheLocalPartOnly()
    {
        QVERIFY(emailAddress(QStringLiteral("jörg@example.com"))->needsUtf8());
        QVERIFY(!emailAddress(QStringLiteral("user@müller.example"))->needsUtf8());
    }

    void SUP_01_everySpellingFoldsToOne_data()
    {
        QTest::addColumn<Channel>("channel");
        QTest::addColumn<QStringList>("spellings");
        QTest::addColumn<QString>("other");
        QTest::newRow("email") << Channel::Email
                               << QStringList{QStringLiteral("Jane.Doe@Example.COM"),
                                              QStringLiteral(" jane.doe@example.com\t"),
                                              QStringLiteral("JANE.DOE@EXAMPLE.COM")}
                               << "jane.doe+x@example.com";
        QTest::newRow("dots count") << Channel::Email << QStringList{QStringLiteral("jane.doe@example.com")}
                                    << "janedoe@example.com";
        QTest::newRow("IDN") << Channel::Email
                             << QStringList{QStringLiteral("user@müller.example"),
                                            QStringLiteral("user@MÜLLER.example"),
                                            QStringLiteral("user@xn--mller-kva.example")}
                             << "user@muller.example";
        QTest::newRow("local part in two compositions")
            << Channel::Email
            << QStringList{QStringLiteral("j\u00f6rg@example.com"), QStringLiteral("jo\u0308rg@example.com")}
            << "jorg@example.com";
        QTest::newRow("number") << Channel::Sms
                                << QStringList{QStringLiteral("+49 170 1234567"), QStringLiteral("0049170 1234567"),
                                               QStringLiteral("+491701234567"), QStringLiteral("+49 (0)170/123-45 67"),
                                               QStringLiteral("\uff0b49 170 1234567")}
                                << "+491701234568";
        QTest::newRow("token") << Channel::Push << QStringList{QStringLiteral("AbC"), QStringLiteral(" AbC ")} << "abc";
    }

    void SUP_01_everySpellingFoldsToOne()
    {
        QFETCH(Channel, channel);
        QFETCH(QStringList, spellings);
        QFETCH(QString, other);
        const QString hash = addressHash(channel, spellings.front(), "key");
        for (const QString &spelling : spellings) {
            QCOMPARE(foldedAddress(channel, spelling), foldedAddress(channel, spellings.front()));
            QCOMPARE(addressHash(channel, spelling, "key"), hash);
        }
        QVERIFY(addressHash(channel, other, "key") != hash);
    }

    void whatIsNoAddress_stillFoldsToItself()
    {
        QCOMPARE(foldedAddress(Channel::Email, QStringLiteral(" Nonsense ")), QStringLiteral("nonsense"));
        QCOMPARE(foldedAddress(Channel::Sms, QStringLiteral("0170 1234567")), QStringLiteral("01701234567"));
        QVERIFY(foldedAddress(Channel::Email, QString()).isEmpty());
    }

    void ADR_01_numbersAreE164_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("wire");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *name, const QString &given, const char *wire, const char *why) {
            QTest::newRow(name) << given << QString::fromLatin1(wire) << QString::fromLatin1(why);
        };
        row("blanks", QStringLiteral("+49 170 1234567"), "+491701234567", "");
        row("trunk zero", QStringLiteral("+49 (0)170 1234567"), "+491701234567", "");
        row("Italian zero stays", QStringLiteral("+39 06 1234 5678"), "+390612345678", "");
        row("American", QStringLiteral("+1 (415) 555-0132"), "+14155550132", "");
        row("00", QStringLiteral("0044 20 7946 0018"), "+442079460018", "");
        row("other digits", QStringLiteral("+٤٩ ١٧٠ ١٢٣٤٥٦٧"), "+491701234567", "");
        row("empty", QString(), "", "empty");
        row("national", QStringLiteral("0170 1234567"), "", "international");
        row("short", QStringLiteral("+33 612"), "", "short");
        row("local only", QStringLiteral("+1 5550132"), "", "short");
        row("long", QStringLiteral("+1 415 555 01321"), "", "long");
        row("very long", QStringLiteral("+") + QString(40, u'4'), "", "long");
        row("no such country", QStringLiteral("+999 123456789"), "", "country");
        row("letters", QStringLiteral("+1 800 FLOWERS"), "", "other characters");
        row("extension", QStringLiteral("+49 170 1234567;ext=5"), "", "other characters");
        row("two plus", QStringLiteral("+49+1701234567"), "", "+");
        row("line break", QStringLiteral("+491701234567\r\n1"), "", "other characters");
        row("two numbers", QStringLiteral("+491701234567,+491701234568"), "", "other characters");
        row("only a plus", QStringLiteral("+"), "", "no phone number");
    }

    void ADR_01_numbersAreE164()
    {
        QFETCH(QString, given);
        QFETCH(QString, wire);
        QFETCH(QString, why);
        const Result<QString> number = phoneNumber(given);
        QCOMPARE(number ? *number : QString(), wire);
        if (!number) {
            QVERIFY2(number.error().message.contains(why), qPrintable(number.error().message));
            QVERIFY(given.isEmpty() || given == QLatin1String("+") || !number.error().message.contains(given));
        }
    }

    void aRegion_readsNumbersAsWrittenAtHome()
    {
        QCOMPARE(*phoneNumber(QStringLiteral("0170 1234567"), QStringLiteral("de")), QStringLiteral("+491701234567"));
        QCOMPARE(*phoneNumber(QStringLiteral("+1 415 555 0132"), QStringLiteral("DE")), QStringLiteral("+14155550132"));
        QVERIFY(!phoneNumber(QStringLiteral("0170 1234567"), QStringLiteral("XX")));
    }

    void webAddresses_areAbsoluteAndHoldNoPassword()
    {
        QCOMPARE(*webAddress(QStringLiteral(" https://example.com/hook?a=b ")),
                 QStringLiteral("https://example.com/hook?a=b"));
        QVERIFY(webAddress(QStringLiteral("http://localhost:8080/")).ok());
        for (const char *bad :
             {"", "example.com/hook", "ftp://example.com/", "https:///hook", "https://u:p@example.com/",
              "https://example.com/a b", "https://example.com/\r\nX: y", "javascript:alert(1)"})
            QVERIFY2(!webAddress(QString::fromLatin1(bad)), bad);
    }

    void tokens_areTakenAsTheyAre()
    {
        QCOMPARE(*pushToken(QStringLiteral(" ExponentPushToken[aB3] ")), QStringLiteral("ExponentPushToken[aB3]"));
        QVERIFY(!pushToken(QStringLiteral("a\nb")));
        QVERIFY(!pushToken(QString()));
    }
};

QTEST_GUILESS_MAIN(TestAddress)
#include "tst_address.moc"
