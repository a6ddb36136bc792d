#include "app/configuration.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace sendoff;
using namespace sendoff::app;

// [providers.NAME] as each kind reads it.

namespace {

const QByteArray twilio = "kind = \"twilio\"\nfrom = \"+15550100001\"\napi_key = { env = \"K\" }\n";
const QByteArray account = "[providers.one.options]\naccount_sid = \"AC0123456789abcdef0123456789abcdef\"\n";
const QByteArray described = "kind = \"http\"\nbase_url = \"https://gateway.example\"\n";

} // namespace

class TestProviderTables : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    Loaded<Configuration> loaded(const QByteArray &provider)
    {
        QFile file(m_folder.filePath(QStringLiteral("sendoff.toml")));
        if (!file.open(QIODevice::WriteOnly) ||
            file.write("[store]\nurl = \"sqlite:sendoff.db\"\n[providers.one]\n" + provider) < 0)
            qFatal("the test's file can't be written");
        file.close();
        return loadConfiguration(file.fileName());
    }

private Q_SLOTS:
    void mistakesNameTheKeyAndTheRemedy_data()
    {
        QTest::addColumn<QByteArray>("provider");
        QTest::addColumn<QString>("key"); // below providers.one
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, const QByteArray &provider, const char *key, const char *says) {
            QTest::newRow(name) << provider << QString::fromLatin1(key) << QString::fromLatin1(says);
        };
        row("unknown option", twilio + account + "color = \"red\"\n", "options.color", "messaging_service_sid");
        row("misspelt option", twilio + account + "key_sids = \"SK\"\n", "options.key_sids", "do you mean key_sid");
        row("option of a kind that has none", "kind = \"expo\"\n[providers.one.options]\nurl = \"x\"\n", "options.url",
            "it has none");
        row("table for an option", twilio + account + "[providers.one.options.key_sid]\na = 1\n", "options.key_sid",
            "must be a text");
        row("what the kind checks", twilio, "options.account_sid", "AC and 32 hexadecimal digits");
        row("neither sender nor service", QByteArray(twilio).replace("from = \"+15550100001\"\n", "") + account, "from",
            "options.messaging_service_sid");
        row("no key", QByteArray(twilio).replace("api_key = { env = \"K\" }\n", "") + account, "api_key", "env");
        row("no address of an API that has no usual one",
            "kind = \"http\"\nchannel = \"sms\"\n"
            "[providers.one.options]\nbody = \"{}\"\n",
            "base_url", "address of the provider's API");
        row("no channel where any is possible", described + "[providers.one.options]\nbody = \"{}\"\n", "channel",
            "can carry any");
        row("SMTP by http", "kind = \"smtp\"\nfrom = \"a@example.com\"\nbase_url = \"https://mail.example\"\n",
            "base_url", "smtp://HOST");
        row("sender without an address", "kind = \"sendgrid\"\nfrom = \"Taxi\"\napi_key = { env = \"K\" }\n", "from",
            "must hold an address");
        row("unknown region",
            "kind = \"sendgrid\"\nfrom = \"a@example.com\"\napi_key = { env = \"K\" }\n"
            "[providers.one.options]\nregion = \"mars\"\n",
            "options.region", "\"eu\"");
    }
    void mistakesNameTheKeyAndTheRemedy()
    {
        QFETCH(QByteArray, provider);
        QFETCH(QString, key);
        QFETCH(QString, says);
        const auto read = loaded(provider);
        QString all;
        bool isFound = false;
        for (const ConfigurationProblem &problem : read.problems) {
            all += problem.key + QStringLiteral(": ") + problem.message + u'\n';
            isFound =
                isFound || (problem.key == QStringLiteral("providers.one.") + key && problem.message.contains(says));
        }
        QVERIFY2(isFound, qPrintable(all));
        QCOMPARE(read.problems.size(), size_t(1));
    }

    void whatAKindKnowsIsTheDefault()
    {
        const auto read = loaded(twilio + account);
        QVERIFY(read.problems.empty());
        const channel::ProviderSettings &settings = read.value.providers.front().settings;
        QCOMPARE(settings.channel, Channel::Sms);
        QCOMPARE(settings.baseUrl, QUrl(QStringLiteral("https://api.twilio.com")));
        QCOMPARE(settings.options.value(QStringLiteral("account_sid")),
                 QStringLiteral("AC0123456789abcdef0123456789abcdef"));
    }

    void tablesInsideOptionsAreFlattened()
    {
        const auto read =
            loaded(described + "channel = \"sms\"\n[providers.one.options]\nbody = '{\"to\":\"{{address}}\"}'\n"
                               "[providers.one.options.headers]\nX-Tag = \"a\"\n\"X.Dotted\" = \"b\"\n");
        for (const ConfigurationProblem &problem : read.problems)
            QFAIL(qPrintable(problem.key + QStringLiteral(": ") + problem.message));
        const auto &provider = read.value.providers.front().settings;
        QCOMPARE(provider.channel, Channel::Sms);
        QCOMPARE(provider.options.value(QStringLiteral("headers.X-Tag")), QStringLiteral("a"));
        QCOMPARE(provider.options.value(QStringLiteral("headers.X.Dotted")), QStringLiteral("b"));
    }

    void everyKindThatCanBeNamedHasItsTable()
    {
        for (const QString &name : channel::providerKindNames()) {
            const auto read = loaded("kind = \"" + name.toLatin1() + "\"\n");
            for (const ConfigurationProblem &problem : read.problems)
                QVERIFY2(problem.key != QLatin1String("providers.one.kind"), qPrintable(name));
        }
    }
};

QTEST_GUILESS_MAIN(TestProviderTables)
#include "tst_provider_tables.moc"
