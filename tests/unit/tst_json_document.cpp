#include "domain/json_document.h"

#include <QTest>

using namespace sendoff;

class tst_json_document : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void TXT_01_refusesWhatNoStoreKeeps_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("names");
        QTest::newRow("NUL in a string") << QByteArray(R"({"user":{"name":"a\u0000b"}})") << "/user/name";
        QTest::newRow("NUL in a name") << QByteArray(R"({"a\u0000":1})") << "U+0000";
        QTest::newRow("broken UTF-8") << QByteArray::fromHex("7b2261223a22fffe227d") << "UTF-8";
        QTest::newRow("lone surrogate") << QByteArray(R"({"a":"\ud800"})") << "surrogate";
        QTest::newRow("name twice") << QByteArray(R"({"a":1,"a":2})") << "/a";
        QTest::newRow("number too large") << QByteArray(R"({"a":1e400})") << "range";
        QTest::newRow("raw NUL byte") << QByteArray("{\"a\":\"x\0y\"}", 11) << "JSON";
        QTest::newRow("array") << QByteArray("[1]") << "object";
    }

    void TXT_01_refusesWhatNoStoreKeeps()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, names);
        const auto parsed = parsePayload(json);
        QVERIFY(!parsed);
        QVERIFY2(parsed.error().message.contains(names), qPrintable(parsed.error().message));
        QVERIFY(!parsed.error().message.contains(QChar(0)));
    }

    void TXT_01_escapedBackslashBeforeU0000IsText()
    {
        const auto parsed = parsePayload(R"({"path":"C:\\u0000"})");
        QVERIFY(parsed.ok());
        QCOMPARE(parsed->member(u"path")->text(), QStringLiteral("C:\\u0000"));
    }

    void TXT_03_numbersKeepTheirDigits()
    {
        const QByteArray json =
            R"({"id":9007199254740993,"u":18446744073709551615,"big":12345678901234567890123,"f":1.0,"n":-3.50})";
        const auto parsed = parsePayload(json);
        QVERIFY2(parsed.ok(), parsed ? "" : qPrintable(parsed.error().message));
        QCOMPARE(parsed->toJson(), json);
    }

    void TXT_04_depthAndSizeAreBounded_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addColumn<bool>("accepted");
        QTest::newRow("100") << 100 << true;
        QTest::newRow("limit") << maxJsonDepth - 1 << true; // and the object around them
        QTest::newRow("above") << maxJsonDepth << false;
        QTest::newRow("1024") << 1024 << false;
        QTest::newRow("100000") << 100'000 << false;
    }

    void TXT_04_depthAndSizeAreBounded()
    {
        QFETCH(int, depth);
        QFETCH(bool, accepted);
        const QByteArray json = "{\"a\":" + QByteArray(depth, '[') + QByteArray(depth, ']') + "}";
        const auto parsed = parsePayload(json);
        QCOMPARE(parsed.ok(), accepted);
        if (accepted)
            QCOMPARE(parsed->toJson(), json); // what was accepted can be walked
        else
            QVERIFY(parsed.error().message.contains(QString::number(maxJsonDepth)));
        const QByteArray large = "{\"a\":\"" + QByteArray(maxPayloadBytes, 'x') + "\"}";
        QVERIFY(!parsePayload(large).ok());
    }

    void pointersFollowRfc6901()
    {
        const auto parsed = parsePayload(R"({"a/b":{"~":[10,{"x":true}]}})");
        QVERIFY(parsed.ok());
        QCOMPARE(parsed->at(u"/a~1b/~0/1/x")->text(), QStringLiteral("true"));
        QVERIFY(!parsed->at(u"/a~1b/~0/2"));
        QVERIFY(!parsed->at(u"a"));
    }

    void scrubReplacesOnlyTheSecrets()
    {
        const auto clean =
            scrubbed(R"({"code":"123456","user":{"id":9007199254740993,"pins":["1","2"]}})",
                     {QStringLiteral("/code"), QStringLiteral("/user/pins/1"), QStringLiteral("/absent")});
        QVERIFY(clean.ok());
        QCOMPARE(*clean, QByteArray(R"({"code":null,"user":{"id":9007199254740993,"pins":["1",null]}})"));
    }

    void TXT_01_providerTextIsStorable()
    {
        QCOMPARE(storableText(QByteArray("a\0b\xff", 4), 10), QStringLiteral("a\uFFFDb\uFFFD"));
        QCOMPARE(storableText(QByteArray(1'000'000, 'x'), 500).size(), 500);
        QString halfPair = QStringLiteral("ab");
        halfPair += QChar(0xD83D);
        QCOMPARE(storableText(halfPair, 10), QStringLiteral("ab\uFFFD"));
        QCOMPARE(storableText(QStringLiteral("ab😀"), 3), QStringLiteral("ab"));
    }
};

QTEST_APPLESS_MAIN(tst_json_document)
#include "tst_json_document.moc"
