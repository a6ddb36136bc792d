#include "app/logging.h"
#include "app/secrets.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <type_traits>

using namespace sendoff;
using namespace sendoff::app;

class tst_secrets : public QObject
{
    Q_OBJECT

private:
    static QString written(const QTemporaryDir &folder, const QByteArray &content,
                           QFileDevice::Permissions permissions = QFileDevice::ReadOwner | QFileDevice::WriteOwner)
    {
        const QString path = folder.filePath(QStringLiteral("secret"));
        QFile::remove(path);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size() ||
            !file.setPermissions(permissions))
            qFatal("the test's file can't be written");
        return path;
    }

    static SecretReaders readers(const QString &name = {}, const QString &value = {})
    {
        SecretReaders made;
        if (!name.isEmpty())
            made.environment.insert(name, value);
        return made;
    }

private Q_SLOTS:
    void cleanup() { stopLogging(); }

    void environmentVariableIsRead()
    {
        const SecretSource source{SecretSource::Kind::Environment, QStringLiteral("KEY")};
        QCOMPARE(resolveSecret(source, readers(QStringLiteral("KEY"), QStringLiteral("re_123")))->reveal(),
                 QByteArray("re_123"));
        const auto absent = resolveSecret(source, readers());
        QVERIFY(!absent);
        QVERIFY(absent.error().message.contains(QStringLiteral("KEY is not set")));
        QVERIFY(resolveSecret(source, readers(QStringLiteral("KEY"), QString()))
                    .error()
                    .message.contains(QStringLiteral("empty")));
    }

    void fileLosesOneLineBreakOnly()
    {
        QTemporaryDir folder;
        for (const auto &[content, secret] : {std::pair<QByteArray, QByteArray>{"abcd\n", "abcd"},
                                              {"abcd\r\n", "abcd"},
                                              {"abcd\n\n", "abcd\n"},
                                              {" abcd ", " abcd "}}) {
            const auto read = resolveSecret({SecretSource::Kind::File, written(folder, content)}, readers());
            QVERIFY2(read.ok(), read ? "" : qPrintable(read.error().message));
            QCOMPARE(read->reveal(), secret);
        }
    }

    void fileThatOthersMayReadIsRefused_data()
    {
        QTest::addColumn<int>("extra");
        QTest::newRow("group") << int(QFileDevice::ReadGroup);
        QTest::newRow("others") << int(QFileDevice::ReadOther);
        QTest::newRow("group may write") << int(QFileDevice::WriteGroup);
    }

    void fileThatOthersMayReadIsRefused()
    {
        QFETCH(int, extra);
        QTemporaryDir folder;
        const auto permissions = QFileDevice::Permissions(QFileDevice::ReadOwner) | QFileDevice::Permissions(extra);
        const QString path = written(folder, "CANARY_3", permissions);
        const auto read = resolveSecret({SecretSource::Kind::File, path}, readers());
        QVERIFY(!read);
        QVERIFY(read.error().message.contains(QStringLiteral("chmod 600 ") + path));
        QVERIFY(!read.error().message.contains(QStringLiteral("CANARY")));
    }

    void oddFilesAreRefused()
    {
        QTemporaryDir folder;
        const auto refusal = [&](const QString &path) {
            return resolveSecret({SecretSource::Kind::File, path}, readers());
        };
        QVERIFY(refusal(folder.filePath(QStringLiteral("absent")))
                    .error()
                    .message.contains(QStringLiteral("does not exist")));
        QVERIFY(!refusal(folder.path()));
        QVERIFY(!refusal(QStringLiteral("/dev/zero")));
        QVERIFY(refusal(written(folder, "\n")).error().message.contains(QStringLiteral("empty")));
        QVERIFY(refusal(written(folder, QByteArray(70'000, 'x'))).error().message.contains(QStringLiteral("64 KiB")));
        QVERIFY(refusal(written(folder, QByteArray("a\0b", 3))).error().message.contains(QStringLiteral("NUL")));
    }

    void credentialComesFromItsFolderAndNowhereElse()
    {
        QTemporaryDir folder;
        written(folder, "from systemd\n", QFileDevice::ReadOwner);
        const SecretReaders service = readers(QStringLiteral("CREDENTIALS_DIRECTORY"), folder.path());
        QCOMPARE(resolveSecret({SecretSource::Kind::Credential, QStringLiteral("secret")}, service)->reveal(),
                 QByteArray("from systemd"));
        QVERIFY(!resolveSecret({SecretSource::Kind::Credential, QStringLiteral("../secret")}, service));
        QVERIFY(!resolveSecret({SecretSource::Kind::Credential, QStringLiteral("..")}, service));
        QVERIFY(resolveSecret({SecretSource::Kind::Credential, QStringLiteral("secret")}, readers())
                    .error()
                    .message.contains(QStringLiteral("LoadCredential")));
    }

    void keychainIsReadThroughItsReaderOnly()
    {
        const SecretSource source{SecretSource::Kind::Keychain, QStringLiteral("resend")};
        QVERIFY(
            resolveSecret(source, readers()).error().message.contains(QStringLiteral("not available in this program")));
        SecretReaders desktop;
        desktop.keychain = [](const QString &entry) -> Result<QByteArray> { return "key of " + entry.toUtf8(); };
        QCOMPARE(resolveSecret(source, desktop)->reveal(), QByteArray("key of resend"));
    }

    void SEC_01_secretPrintsAsItsPlaceOnly()
    {
        static_assert(!std::is_convertible_v<Secret, QByteArray> && !std::is_convertible_v<Secret, QString>);
        static_assert(!std::is_convertible_v<QByteArray, Secret>);
        QString printed;
        QDebug(&printed) << Secret("sk_live_CANARY_1");
        QVERIFY(printed.contains(QStringLiteral("(secret)")));
        QVERIFY(!printed.contains(QStringLiteral("CANARY")));
    }

    void SEC_01_registeredSecretsNeverReachTheLog_data()
    {
        QTest::addColumn<bool>("json");
        QTest::newRow("text") << false;
        QTest::newRow("json") << true;
    }

    void SEC_01_registeredSecretsNeverReachTheLog()
    {
        QFETCH(bool, json);
        QByteArray lines;
        startLogging({json ? LogFormat::Json : LogFormat::Text, LogLevel::Debug,
                      [&](const QByteArray &line) { lines += line; }});
        hideInLog({Secret("sk_live_CANARY_1"), Secret("CANARY_1"), Secret("with \"CANARY_2\" quotes\nand lines"),
                   Secret("abc")});
        log(LogLevel::Error, QStringLiteral("sent Bearer sk_live_CANARY_1 abc"),
            {{QStringLiteral("body"), QStringLiteral("x with \"CANARY_2\" quotes\nand lines y")}});
        qWarning("from Qt: sk_live_CANARY_1");
        QVERIFY2(!lines.contains("CANARY"), lines.constData());
        QCOMPARE(lines.count("(secret)"), 3);
        QVERIFY(lines.contains(" abc")); // too short to be looked for
        QCOMPARE(lines.count('\n'), 2);
    }

    void oneEventIsOneLine()
    {
        QByteArray lines;
        startLogging({LogFormat::Text, LogLevel::Info, [&](const QByteArray &line) { lines += line; }});
        log(LogLevel::Info, QStringLiteral("first\nsecond\u001b[2J"),
            {{QStringLiteral("name"), QStringLiteral("a \"b\"\r\nc")}});
        log(LogLevel::Debug, QStringLiteral("too quiet"));
        QVERIFY2(lines.endsWith("Z INFO first\\nsecond\\u001b[2J name=\"a \\\"b\\\"\\\\u000d\\\\nc\"\n"),
                 lines.constData());
        QCOMPARE(lines.count('\n'), 1);
        lines.clear();
        startLogging({LogFormat::Json, LogLevel::Info, [&](const QByteArray &line) { lines += line; }});
        log(LogLevel::Warning, QStringLiteral("first\nsecond"), {{QStringLiteral("n"), QStringLiteral("1")}});
        QVERIFY2(lines.endsWith("\"level\":\"warning\",\"message\":\"first\\nsecond\",\"n\":\"1\"}\n"),
                 lines.constData());
    }

    void levelsAndFormatsHaveTheWordsOfTheConfiguration()
    {
        QVERIFY(logLevelFromText(u"warning") == LogLevel::Warning);
        QVERIFY(!logLevelFromText(u"WARNING"));
        QVERIFY(logFormatFromText(u"json") == LogFormat::Json);
        QVERIFY(!logFormatFromText(u"xml"));
    }
};

QTEST_APPLESS_MAIN(tst_secrets)
#include "tst_secrets.moc"
