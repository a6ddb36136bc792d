#include "domain/json_document.h"
#include "domain/operation.h"
#include "domain/payload_edit.h"

#include <QTest>

using namespace sendoff;

class tst_operation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parametersSurviveTheStore()
    {
        OperationParameters parameters;
        parameters.dueAt = Timestamp(Milliseconds(1'796'040'000'123));
        parameters.duration = Milliseconds(3'600'000);
        parameters.perSecond = 12.5;
        parameters.targetKind = QStringLiteral("provider");
        parameters.target = QStringLiteral("resend \"eu\"");
        parameters.address = QStringLiteral("jo@exämple.com");
        parameters.locale = QStringLiteral("de");
        parameters.payloadPatch = R"({"id":9007199254740993,"gone":null,"price":1.50})";
        parameters.text = QStringLiteral("line one\nline two");
        const auto read = operationParameters(toJson(parameters));
        QVERIFY2(read.ok(), read ? "" : qPrintable(read.error().message));
        QVERIFY(*read == parameters);
        QCOMPARE(toJson(*read), toJson(parameters));
        QCOMPARE(toJson(OperationParameters{}), QByteArray("{}"));
        QVERIFY(*operationParameters("{}") == OperationParameters{});
    }

    void whatIsWrittenWronglyIsRefusedByItsKey_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("names");
        QTest::newRow("time") << QByteArray(R"({"due_at":"tomorrow"})") << "due_at";
        QTest::newRow("time as a number") << QByteArray(R"({"due_at":5})") << "due_at";
        QTest::newRow("duration") << QByteArray(R"({"duration_ms":"1h"})") << "duration_ms";
        QTest::newRow("negative duration") << QByteArray(R"({"duration_ms":-1})") << "duration_ms";
        QTest::newRow("half a millisecond") << QByteArray(R"({"duration_ms":0.5})") << "duration_ms";
        QTest::newRow("rate") << QByteArray(R"({"per_second":"5"})") << "per_second";
        QTest::newRow("negative rate") << QByteArray(R"({"per_second":-5})") << "per_second";
        QTest::newRow("target") << QByteArray(R"({"target":7})") << "target";
        QTest::newRow("patch") << QByteArray(R"({"payload_patch":"{}"})") << "payload_patch";
        QTest::newRow("list as patch") << QByteArray(R"({"payload_patch":[1]})") << "payload_patch";
        QTest::newRow("unknown") << QByteArray(R"({"colour":"red"})") << "colour";
        QTest::newRow("list") << QByteArray("[]") << "object";
        QTest::newRow("no JSON") << QByteArray("{") << "JSON";
    }

    void whatIsWrittenWronglyIsRefusedByItsKey()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, names);
        const auto read = operationParameters(json);
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::Invalid);
        QVERIFY2(read.error().message.contains(names), qPrintable(read.error().message));
    }

    void aPatchThatIsNoJsonIsRefusedAtReading()
    {
        OperationParameters parameters;
        parameters.payloadPatch = "{broken";
        const auto read = operationParameters(toJson(parameters));
        QVERIFY(!read);
        QVERIFY2(read.error().message.contains(QStringLiteral("payload_patch")), qPrintable(read.error().message));
    }

    void mergePatchFollowsRfc7396_data()
    {
        QTest::addColumn<QByteArray>("payload");
        QTest::addColumn<QByteArray>("patch");
        QTest::addColumn<QByteArray>("result");
        QTest::newRow("replaces") << QByteArray(R"({"a":"b"})") << QByteArray(R"({"a":"c"})")
                                  << QByteArray(R"({"a":"c"})");
        QTest::newRow("adds") << QByteArray(R"({"a":"b"})") << QByteArray(R"({"b":"c"})")
                              << QByteArray(R"({"a":"b","b":"c"})");
        QTest::newRow("removes") << QByteArray(R"({"a":"b"})") << QByteArray(R"({"a":null})") << QByteArray("{}");
        QTest::newRow("keeps the others")
            << QByteArray(R"({"a":"b","b":"c"})") << QByteArray(R"({"a":null})") << QByteArray(R"({"b":"c"})");
        QTest::newRow("array by text") << QByteArray(R"({"a":["b"]})") << QByteArray(R"({"a":"c"})")
                                       << QByteArray(R"({"a":"c"})");
        QTest::newRow("nested") << QByteArray(R"({"a":{"b":"c"}})") << QByteArray(R"({"a":{"b":"d","c":null}})")
                                << QByteArray(R"({"a":{"b":"d"}})");
        QTest::newRow("array as a whole")
            << QByteArray(R"({"a":[{"b":"c"}]})") << QByteArray(R"({"a":[1]})") << QByteArray(R"({"a":[1]})");
        QTest::newRow("null stays") << QByteArray(R"({"e":null})") << QByteArray(R"({"a":1})")
                                    << QByteArray(R"({"e":null,"a":1})");
        QTest::newRow("nulls of a new object")
            << QByteArray("{}") << QByteArray(R"({"a":{"bb":{"ccc":null}}})") << QByteArray(R"({"a":{"bb":{}}})");
        QTest::newRow("object by number")
            << QByteArray(R"({"a":{"b":1}})") << QByteArray(R"({"a":1})") << QByteArray(R"({"a":1})");
    }

    void mergePatchFollowsRfc7396()
    {
        QFETCH(QByteArray, payload);
        QFETCH(QByteArray, patch);
        QFETCH(QByteArray, result);
        const auto merged = mergePatched(payload, patch);
        QVERIFY2(merged.ok(), merged ? "" : qPrintable(merged.error().message));
        QCOMPARE(*merged, result);
    }

    void mergePatchKeepsTheDigitsOfNumbers()
    {
        const auto merged = mergePatched(R"({"id":9007199254740993,"f":1.0})", R"({"n":12345678901234567890123})");
        QCOMPARE(*merged, QByteArray(R"({"id":9007199254740993,"f":1.0,"n":12345678901234567890123})"));
    }

    void aPayloadThatWouldBeTooLargeIsRefused()
    {
        const QByteArray half = "\"" + QByteArray(maxPayloadBytes / 2, 'x') + "\"}";
        QCOMPARE(mergePatched("{\"a\":" + half, "{\"b\":" + half).error().code, ErrorCode::Invalid);
        QVERIFY(mergePatched("{\"a\":" + half, "{\"a\":" + half).ok());
        QCOMPARE(mergePatched("{}", "[1]").error().code, ErrorCode::Invalid);
        QCOMPARE(mergePatched("[1]", "{}").error().code, ErrorCode::Invalid);
    }

    void aPatchTouchesWhatItReplacesOrRemoves_data()
    {
        QTest::addColumn<QByteArray>("patch");
        QTest::addColumn<bool>("touches");
        QTest::newRow("the value") << QByteArray(R"({"login":{"code":"1"}})") << true;
        QTest::newRow("removed") << QByteArray(R"({"login":{"code":null}})") << true;
        QTest::newRow("its parent") << QByteArray(R"({"login":null})") << true;
        QTest::newRow("its parent replaced") << QByteArray(R"({"login":7})") << true;
        QTest::newRow("a neighbour") << QByteArray(R"({"login":{"name":"jo"},"n":1})") << false;
        QTest::newRow("elsewhere") << QByteArray(R"({"code":"1"})") << false;
        QTest::newRow("nothing") << QByteArray("{}") << false;
        QTest::newRow("a list by an object") << QByteArray(R"({"list":{"x":1}})") << true;
        QTest::newRow("below it") << QByteArray(R"({"login":{"code":{"x":1}}})") << true;
    }

    void aPatchTouchesWhatItReplacesOrRemoves()
    {
        QFETCH(QByteArray, patch);
        QFETCH(bool, touches);
        const QByteArray payload = R"({"login":{"code":"9","name":"al"},"list":[{"code":"8"}]})";
        QCOMPARE(
            patchTouches(payload, patch,
                         {QStringLiteral("/list/0/code"), QStringLiteral("/other~1x"), QStringLiteral("/login/code")}),
            touches);
    }

    void secretsComeBackFromTheEventOnly()
    {
        const QByteArray event = R"({"n":1,"codes":[{"code":"123"},{"code":"456"}],"a/b":"s"})";
        const QStringList pointers{QStringLiteral("/codes/1/code"), QStringLiteral("/a~1b"), QStringLiteral("/none")};
        const auto edited = mergePatched(*scrubbed(event, pointers), R"({"n":2})");
        QVERIFY(!edited->contains("456") && !edited->contains("\"s\""));
        QCOMPARE(*withValuesOf(*edited, event, pointers),
                 QByteArray(R"({"n":2,"codes":[{"code":"123"},{"code":"456"}],"a/b":"s"})"));
    }

    void anAddressIsTakenAsTheRelayTakesIt()
    {
        const auto email = writtenAddress(Channel::Email, QStringLiteral(" jo@Bücher.example "), "key");
        QVERIFY2(email.ok(), email ? "" : qPrintable(email.error().message));
        QCOMPARE(email->address, QStringLiteral("jo@xn--bcher-kva.example"));
        QCOMPARE(email->hash, addressHash(Channel::Email, email->address, "key"));
        QVERIFY(email->hash != writtenAddress(Channel::Email, email->address, "other")->hash);
        QCOMPARE(email->traces.mask, QStringLiteral("j…@xn--bcher-kva.example"));
        QCOMPARE(writtenAddress(Channel::Sms, QStringLiteral("+49 151 1234567"), {})->traces.last4,
                 QStringLiteral("4567"));
        for (const QString &bad : {QStringLiteral("jo"), QStringLiteral("a@b, c@d"), QString(), QStringLiteral("  ")}) {
            const auto refused = writtenAddress(Channel::Email, bad, {});
            QCOMPARE(refused.error().code, ErrorCode::Invalid);
            QVERIFY(bad.trimmed().isEmpty() || !refused.error().message.contains(bad));
        }
        QVERIFY(!writtenAddress(Channel::Sms, QStringLiteral("jo@example.com"), {}));
        QVERIFY(!writtenAddress(Channel::Inbox, QStringLiteral("u1"), {}));
    }
};

QTEST_GUILESS_MAIN(tst_operation)
#include "tst_operation.moc"
