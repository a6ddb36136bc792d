#include "app/catalogue_file.h"
#include "app/configuration.h"
#include "app/toml_table.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

using namespace sendoff;
using namespace sendoff::app;
using namespace std::chrono_literals;

namespace {

const QByteArray smallest = "[store]\nurl = \"sqlite:sendoff.db\"\n";
const QByteArray resend = "[providers.resend]\nkind = \"resend\"\nfrom = \"Parking <no-reply@example.com>\"\n"
                          "api_key = { env = \"RESEND_API_KEY\" }\nrate = \"3/s\"\nburst = 2\n";

} // namespace

class tst_configuration : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    QString written(const QString &name, const QByteArray &content) const
    {
        const QString path = m_folder->filePath(name);
        QFile file(path);
        if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly) ||
            file.write(content) != content.size())
            qFatal("the test's file can't be written");
        return path;
    }

    Loaded<Configuration> loaded(const QByteArray &toml) const
    {
        return loadConfiguration(written(QStringLiteral("sendoff.toml"), toml));
    }

    Loaded<Catalogue> catalogue(const QByteArray &toml) const
    {
        return loadCatalogue(written(QStringLiteral("catalogue.toml"), toml));
    }

    static QString all(const std::vector<ConfigurationProblem> &problems)
    {
        QStringList lines;
        for (const ConfigurationProblem &problem : problems)
            lines += QStringLiteral("%1 %2 %3").arg(problem.line).arg(problem.key, problem.message);
        return lines.join(u'\n');
    }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void documentedExampleIsRead()
    {
        const auto read = loaded("[store]\n"
                                 "url = \"sqlite:sendoff.db\"\n"
                                 "[engine]\n"
                                 "name = \"engine-1\"\n"
                                 "lease = \"60s\"\n"
                                 "sweep = \"30s\"\n"
                                 "batch = 50\n"
                                 "drain = \"25s\"\n"
                                 "[http]\n"
                                 "listen = \"127.0.0.1:8025\"\n"
                                 "public_url = \"https://notify.example.com\"\n"
                                 "tokens = [ { name = \"app\", role = \"producer\", hash = "
                                 "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF\" } ]\n"
                                 "[catalogue]\n"
                                 "path = \"catalogue.toml\"\n"
                                 "templates = \"templates\"\n"
                                 "[retry]\n"
                                 "base = \"15s\"\n"
                                 "max = \"1h\"\n"
                                 "attempts = 10\n"
                                 "jitter = 0.25\n"
                                 "max_wait = \"24h\"\n"
                                 "[lanes.urgent]\n"
                                 "reserve = 0.2\n"
                                 "objective = { share = 0.99, within = \"60s\" }\n"
                                 "[lanes.bulk]\n"
                                 "on_unknown = \"hold\"\n"
                                 "retry = { attempts = 5 }\n"
                                 "[providers.resend]\n"
                                 "kind = \"resend\"\n"
                                 "channel = \"email\"\n"
                                 "from = \"Parking <no-reply@example.com>\"\n"
                                 "base_url = \"https://api.resend.com\"\n"
                                 "api_key = { env = \"RESEND_API_KEY\" }\n"
                                 "webhook_secrets = [ { env = \"RESEND_WEBHOOK_SECRET\" } ]\n"
                                 "rate = \"300/m\"\n"
                                 "burst = 5\n"
                                 "retry_share = 0.5\n"
                                 "slots = 50\n"
                                 "timeout = \"30s\"\n"
                                 "priority = 1\n"
                                 "retry = { base = \"20s\" }\n"
                                 "[retention]\n"
                                 "content = \"7d\"\n"
                                 "records = \"400d\"\n"
                                 "operations = \"3y\"\n");
        QVERIFY2(read.ok(), qPrintable(all(read.problems)));
        const Configuration &value = read.value;
        QCOMPARE(value.store.url, QStringLiteral("sqlite:") + m_folder->filePath(QStringLiteral("sendoff.db")));
        QCOMPARE(value.catalogue.templates, m_folder->filePath(QStringLiteral("templates")));
        QVERIFY(value.http.has_value());
        QCOMPARE(value.http->port, quint16(8025));
        QVERIFY(value.http->tokens[0].hash.endsWith("abcdef"));
        QCOMPARE(value.retention.operations, Milliseconds(24h * 1095));
        const ProviderConfiguration *provider = value.provider(QStringLiteral("resend"));
        QVERIFY(provider);
        QCOMPARE(provider->rate, 5.0);
        QCOMPARE(provider->settings.channel, Channel::Email);
        QVERIFY(provider->apiKey == (SecretSource{SecretSource::Kind::Environment, QStringLiteral("RESEND_API_KEY")}));
        const RetryPolicy policy = value.retryFor(QStringLiteral("resend"), Lane::Bulk);
        QCOMPARE(policy.base, Milliseconds(20s));
        QCOMPARE(policy.attempts, 5);
        QCOMPARE(policy.max, Milliseconds(1h));
        QCOMPARE(value.retryFor(QStringLiteral("resend"), Lane::Urgent).attempts, 10);
        QCOMPARE(value.lanes.value(Lane::Bulk).onUnknown, OnUnknown::Hold);
    }

    void smallestFileTakesTheDefaults()
    {
        const auto read = loaded(smallest);
        QVERIFY2(read.problems.empty(), qPrintable(all(read.problems)));
        QCOMPARE(read.value.engine.lease, Milliseconds(60s));
        QVERIFY(!read.value.http);
        QCOMPARE(read.value.lanes.size(), 3);
        QCOMPARE(read.value.lanes.value(Lane::Urgent).reserve, 0.2);
        QVERIFY(read.value.httpClient.proxy.isEmpty() && !read.value.httpClient.proxyFromEnvironment);
    }

    void caFileIsReadFromBesideTheConfiguration()
    {
        const QByteArray pem = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
        written(QStringLiteral("own-ca.pem"), pem);
        const auto read = loaded(smallest + "[http_client]\nca_file = \"own-ca.pem\"\n");
        QVERIFY2(read.problems.empty(), qPrintable(all(read.problems)));
        QCOMPARE(read.value.httpClient.caFile, m_folder->filePath(QStringLiteral("own-ca.pem")));
        QCOMPARE(read.value.httpClient.caCertificates, pem);
    }

    void oneMistakeNamesLineKeyAndRemedy_data()
    {
        QTest::addColumn<QByteArray>("toml");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char *name, const QByteArray &toml, int line, const char *key, const char *remedy) {
            QTest::newRow(name) << toml << line << QString::fromUtf8(key) << QString::fromUtf8(remedy);
        };
        row("unknown key", smallest + "[engine]\nleese = \"60s\"\n", 4, "engine.leese", "lease");
        row("unknown table", smallest + "[enigne]\n", 3, "enigne", "engine");
        row("unknown lane", smallest + "[lanes.urgnt]\n", 3, "lanes.urgnt", "urgent");
        row("number as text", smallest + "[engine]\nbatch = \"50\"\n", 4, "engine.batch", "without quotes");
        row("duration without unit", smallest + "[engine]\nlease = 60\n", 4, "engine.lease", "30s");
        row("out of range", smallest + "[engine]\nbatch = 0\n", 4, "engine.batch", "1 to 1000");
        row("jitter above one", smallest + "[retry]\njitter = 1.5\n", 4, "retry.jitter", "0 to 1");
        row("base above max", smallest + "[retry]\nbase = \"2h\"\nmax = \"1h\"\n", 4, "retry.base", "max");
        row("rate", smallest + QByteArray(resend).replace("3/s", "3"), 7, "providers.resend.rate", "300/m");
        row("rate of zero", smallest + QByteArray(resend).replace("3/s", "0/s"), 7, "providers.resend.rate",
            "above zero");
        row("unknown kind", smallest + QByteArray(resend).replace("kind = \"resend\"", "kind = \"resnd\""), 4,
            "providers.resend.kind", "do you mean \"resend\"");
        row("kind and channel", smallest + resend + "channel = \"push\"\n", 9, "providers.resend.channel", "\"email\"");
        row("no sender", smallest + "[providers.resend]\nkind = \"resend\"\napi_key = { env = \"K\" }\n", 3,
            "providers.resend.from", "from =");
        row("no key", smallest + "[providers.resend]\nkind = \"resend\"\nfrom = \"a@example.com\"\n", 3,
            "providers.resend.api_key", "env");
        row("two forms of a secret",
            smallest + QByteArray(resend).replace("env = \"RESEND_API_KEY\"", "env = \"A\", file = \"B\""), 6,
            "providers.resend.api_key", "exactly one");
        row("provider name", smallest + QByteArray(resend).replace("providers.resend", "providers.\"Re send\""), 4,
            "providers.Re send.kind", "rename");
        row("same priority", smallest + resend + QByteArray(resend).replace("providers.resend", "providers.second"), 9,
            "providers.second.priority", "another priority");
        row("base url", smallest + resend + "base_url = \"api.resend.com\"\n", 9, "providers.resend.base_url",
            "https://");
        row("password in base url", smallest + resend + "base_url = \"https://u:p@example.com\"\n", 9,
            "providers.resend.base_url", "password");
        row("listen", smallest + "[http]\nlisten = \"8025\"\n", 4, "http.listen", "127.0.0.1:8025");
        row("public url", smallest + "[http]\npublic_url = \"notify.example.com\"\n", 4, "http.public_url", "https://");
        row("token in clear",
            smallest + "[http]\ntokens = [ { name = \"a\", role = \"producer\", hash = \"secret\" } ]\n", 4,
            "http.tokens[1].hash", "never the token");
        row("token role",
            smallest + "[http]\ntokens = [ { name = \"a\", role = \"boss\", hash = \"" + QByteArray(64, 'a') +
                "\" } ]\n",
            4, "http.tokens[1].role", "producer");
        row("reserve", smallest + "[lanes.urgent]\nreserve = 1.0\n", 4, "lanes.urgent.reserve", "0.9");
        row("on_unknown", smallest + "[lanes.bulk]\non_unknown = \"drop\"\n", 4, "lanes.bulk.on_unknown", "hold");
        row("retention", smallest + "[retention]\ncontent = \"500d\"\n", 4, "retention.content", "records");
        row("proxy", smallest + "[http_client]\nproxy = \"proxy:3128\"\n", 4, "http_client.proxy", "http://");
        row("no CA file", smallest + "[http_client]\nca_file = \"nowhere.pem\"\n", 4, "http_client.ca_file",
            "can't be read");
        row("CA file of something else", smallest + "[http_client]\nca_file = \"sendoff.toml\"\n", 4,
            "http_client.ca_file", "BEGIN CERTIFICATE");
        row("log format", smallest + "[log]\nformat = \"xml\"\n", 4, "log.format", "json");
        row("no store", "[engine]\n", 1, "store", "sqlite:");
        row("no url", "[store]\n", 1, "store.url", "postgresql://");
        row("other database", "[store]\nurl = \"mysql://h/d\"\n", 2, "store.url", "postgresql://");
        row("table as text", smallest + "engine = 1\n", 3, "store.engine", "no known key");
        row("not TOML", smallest + "[engine\n", 3, "", "not valid TOML");
        row("twice", smallest + "[store]\nurl = \"sqlite:b.db\"\n", 3, "", "twice");
    }

    void oneMistakeNamesLineKeyAndRemedy()
    {
        QFETCH(QByteArray, toml);
        QFETCH(int, line);
        QFETCH(QString, key);
        QFETCH(QString, remedy);
        const auto read = loaded(toml);
        QVERIFY(!read.ok());
        QVERIFY2(read.problems.size() == 1, qPrintable(all(read.problems)));
        const ConfigurationProblem &problem = read.problems.front();
        QCOMPARE(problem.file, m_folder->filePath(QStringLiteral("sendoff.toml")));
        QCOMPARE(problem.line, line);
        QCOMPARE(problem.key, key);
        QVERIFY2(problem.message.contains(remedy), qPrintable(problem.message));
        QVERIFY(toText(problem).startsWith(problem.file + u':' + QString::number(line)));
    }

    void allMistakesComeAtOnce()
    {
        const auto read = loaded("[store]\nurl = \"mysql:x\"\n[engine]\nbatch = -1\nlease = \"1x\"\nfoo = 1\n"
                                 "[providers.a]\nkind = \"fax\"\ntimeout = \"1d\"\n[bar]\n");
        QStringList keys;
        for (const ConfigurationProblem &problem : read.problems)
            keys += problem.key;
        QCOMPARE(keys, QStringList({QStringLiteral("store.url"), QStringLiteral("engine.batch"),
                                    QStringLiteral("engine.lease"), QStringLiteral("engine.foo"),
                                    QStringLiteral("providers.a.kind"), QStringLiteral("providers.a.timeout"),
                                    QStringLiteral("bar")}));
    }

    // Open case LEASE-02.
    void LEASE_02_timeoutThatOutlastsTheLeaseIsRefusedNamingBoth_data()
    {
        QTest::addColumn<QByteArray>("lease");
        QTest::addColumn<QByteArray>("timeout");
        QTest::addColumn<bool>("fits");
        QTest::newRow("the reported one") << QByteArray("5s") << QByteArray("60s") << false;
        QTest::newRow("equal") << QByteArray("30s") << QByteArray("30s") << false;
        QTest::newRow("a millisecond too long") << QByteArray("20s") << QByteArray("15001ms") << false;
        QTest::newRow("just fits") << QByteArray("20s") << QByteArray("15s") << true;
        QTest::newRow("default timeout under a short lease") << QByteArray("20s") << QByteArray() << false;
        QTest::newRow("both defaults") << QByteArray() << QByteArray() << true;
    }

    void LEASE_02_timeoutThatOutlastsTheLeaseIsRefusedNamingBoth()
    {
        QFETCH(QByteArray, lease);
        QFETCH(QByteArray, timeout);
        QFETCH(bool, fits);
        QByteArray toml = smallest;
        if (!lease.isEmpty())
            toml += "[engine]\nlease = \"" + lease + "\"\n";
        toml += resend;
        if (!timeout.isEmpty())
            toml += "timeout = \"" + timeout + "\"\n";
        const auto read = loaded(toml);
        QCOMPARE(read.ok(), fits);
        if (fits)
            return;
        QCOMPARE(read.problems.size(), size_t(1));
        const QString message = toText(read.problems.front());
        QVERIFY2(message.contains(QStringLiteral("engine.lease")), qPrintable(message));
        QVERIFY2(message.contains(QStringLiteral("providers.resend.timeout")), qPrintable(message));
    }

    // Open case SEC-01: a secret written into the file never comes back in a message.
    void SEC_01_secretsInTheFileAreRefusedAndNotRepeated_data()
    {
        QTest::addColumn<QByteArray>("toml");
        QTest::newRow("key") << smallest +
                                    QByteArray(resend).replace("{ env = \"RESEND_API_KEY\" }", "\"sk_live_CANARY_1\"");
        QTest::newRow("key without quotes")
            << smallest + QByteArray(resend).replace("{ env = \"RESEND_API_KEY\" }", "sk_live_CANARY_1");
        QTest::newRow("open quote") << smallest + QByteArray(resend).replace("{ env = \"RESEND_API_KEY\" }",
                                                                             "\"sk_live_CANARY_1");
        QTest::newRow("misspelt key") << smallest + resend + "apikey = \"sk_live_CANARY_1\"\n";
        QTest::newRow("webhook secret") << smallest + resend + "webhook_secrets = [ \"whsec_CANARY_2\" ]\n";
        QTest::newRow("webhook secret alone") << smallest + resend + "webhook_secrets = \"whsec_CANARY_2\"\n";
        QTest::newRow("password") << smallest + "password = \"CANARY_3\"\n";
        QTest::newRow("password in the URL") << QByteArray("[store]\nurl = \"postgresql://user:CANARY_3@host/db\"\n");
        QTest::newRow("password as parameter")
            << QByteArray("[store]\nurl = \"postgresql://user@h1,h2/db?sslmode=require&password=CANARY_3\"\n");
        QTest::newRow("proxy password") << smallest + "[http_client]\nproxy = \"http://u:CANARY_3@proxy:3128\"\n";
        QTest::newRow("wrong type") << smallest + resend + "rate = \"CANARY_1\"\n";
    }

    void SEC_01_secretsInTheFileAreRefusedAndNotRepeated()
    {
        QFETCH(QByteArray, toml);
        const auto read = loaded(toml);
        QVERIFY(!read.ok());
        for (const ConfigurationProblem &problem : read.problems)
            QVERIFY2(!toText(problem).contains(QStringLiteral("CANARY")), qPrintable(toText(problem)));
    }

    void postgresqlUrlIsKeptAsItIs()
    {
        const QString url = QStringLiteral("postgresql://user@h1:5432,h2:5432/db?schema=notify");
        const auto read = loaded("[store]\nurl = \"" + url.toUtf8() + "\"\naddress_key = { file = \"key\" }\n");
        QVERIFY2(read.problems.empty(), qPrintable(all(read.problems)));
        QCOMPARE(read.value.store.url, url);
        QCOMPARE(read.value.store.addressKey.name, m_folder->filePath(QStringLiteral("key")));
        QVERIFY(!read.value.store.isEmbedded());
    }

    void rateAboveTheProvidersLimitIsAWarning()
    {
        const auto read = loaded(smallest + QByteArray(resend).replace("burst = 2", "burst = 3"));
        QVERIFY(read.ok());
        QCOMPARE(read.problems.size(), size_t(1));
        QVERIFY(read.problems[0].isWarning);
        QVERIFY(toText(read.problems[0]).contains(QStringLiteral(":7: warning: providers.resend.rate")));
    }

    void providersAreSortedByPriority()
    {
        const auto read = loaded(smallest + QByteArray(resend).replace("providers.resend", "providers.a") +
                                 "priority = 2\n" + resend + "[providers.devices]\nkind = \"expo\"\n");
        QVERIFY2(read.ok(), qPrintable(all(read.problems)));
        QStringList names;
        for (const ProviderConfiguration &provider : read.value.providers)
            names += provider.settings.name;
        QCOMPARE(names, QStringList({QStringLiteral("resend"), QStringLiteral("a"), QStringLiteral("devices")}));
    }

    void rates_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("perSecond"); // 0: refused
        QTest::newRow("second") << "5/s" << 5.0;
        QTest::newRow("minute") << "300/m" << 5.0;
        QTest::newRow("hour") << "1800/h" << 0.5;
        QTest::newRow("fraction") << "0.5/s" << 0.5;
        for (const char *text : {"", "5", "/s", "5/", "5/d", "-5/s", "0/s", "nan/s", "inf/s", "1e99/s", "5/ss"})
            QTest::newRow(text) << QString::fromLatin1(text) << 0.0;
    }

    void rates()
    {
        QFETCH(QString, text);
        QFETCH(double, perSecond);
        QCOMPARE(parseRate(text).value_or(0.0), perSecond);
    }

    void searchOrderIsNamedThenVariableThenFolder()
    {
        const QString here = written(QStringLiteral("here/sendoff.toml"), smallest);
        const QString other = written(QStringLiteral("other.toml"), smallest);
        const QString third = written(QStringLiteral("third.toml"), smallest);
        const QString folder = m_folder->filePath(QStringLiteral("here"));
        QProcessEnvironment environment;
        QCOMPARE(*findConfiguration({}, environment, folder), here);
        environment.insert(QStringLiteral("SENDOFF_CONFIG"), other);
        QCOMPARE(*findConfiguration({}, environment, folder), other);
        QCOMPARE(*findConfiguration(third, environment, folder), third);
        environment.insert(QStringLiteral("SENDOFF_CONFIG"), QStringLiteral("/nowhere.toml"));
        const auto lost = findConfiguration({}, environment, folder); // never falls back from what somebody named
        QVERIFY(!lost);
        QVERIFY(lost.error().message.contains(QStringLiteral("/nowhere.toml")));
        QVERIFY(lost.error().message.contains(QStringLiteral("SENDOFF_CONFIG")));
    }

    void secretsAreResolvedAllAtOnce()
    {
        const auto read =
            loaded(smallest + resend + "webhook_secrets = [ { env = \"HOOK\" }, { env = \"ABSENT\" } ]\n");
        SecretReaders readers;
        readers.environment.insert(QStringLiteral("HOOK"), QStringLiteral("whsec_MTIz"));
        const auto resolved = resolveSecrets(read.value, readers);
        QCOMPARE(resolved.problems.size(), size_t(2));
        QCOMPARE(resolved.problems[0].key, QStringLiteral("providers.resend.api_key"));
        QVERIFY(resolved.problems[1].message.contains(QStringLiteral("ABSENT")));
        readers.environment.insert(QStringLiteral("RESEND_API_KEY"), QStringLiteral("re_1"));
        readers.environment.insert(QStringLiteral("ABSENT"), QStringLiteral("whsec_NDU2"));
        const auto whole = resolveSecrets(read.value, readers);
        QVERIFY(whole.ok());
        QCOMPARE(whole.value.configuration.providers[0].settings.apiKey, QByteArray("re_1"));
        QCOMPARE(whole.value.configuration.providers[0].webhookKeys[1].reveal(), QByteArray("whsec_NDU2"));
        QCOMPARE(whole.value.all().size(), size_t(3));
    }

    void catalogueExampleIsRead()
    {
        const auto read = catalogue("[[event]]\n"
                                    "type = \"booking.confirmed\"\n"
                                    "category = \"bookings\"\n"
                                    "lane = \"urgent\"\n"
                                    "expires = \"24h\"\n"
                                    "notify = [\n"
                                    "  { role = \"driver\", user = \"/driver/id\", email = \"/driver/email\", channels "
                                    "= [\"email\", \"push\", \"inbox\"], template = \"booking-confirmed-driver\" },\n"
                                    "  { role = \"host\", user = \"/host/id\", channels = [\"email\", \"push\", "
                                    "\"inbox\"], template = \"booking-confirmed-host\" },\n"
                                    "]\n"
                                    "[[event]]\n"
                                    "type = \"auth.verification_code\"\n"
                                    "category = \"security\"\n"
                                    "lane = \"urgent\"\n"
                                    "expires = \"10m\"\n"
                                    "secret = [\"/code\"]\n"
                                    "notify = [ { role = \"user\", user = \"/user/id\", email = \"/user/email\", "
                                    "channels = [\"email\"], template = \"verification-code\" } ]\n");
        QVERIFY2(read.problems.empty(), qPrintable(all(read.problems)));
        QCOMPARE(read.value.types.size(), 2);
        const EventType type = read.value.types.value(QStringLiteral("booking.confirmed"));
        QCOMPARE(type.notify.size(), size_t(2));
        QCOMPARE(type.notify[0].addresses.value(Channel::Email), QStringLiteral("/driver/email"));
        QCOMPARE(read.value.types.value(QStringLiteral("auth.verification_code")).secrets,
                 QStringList(QStringLiteral("/code")));
        QVERIFY(Catalogue::fromJson(read.value.toJson()).ok());
    }

    void catalogueMistakeNamesLineKeyAndRemedy_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char *name, const char *from, const char *to, int line, const char *key,
                            const char *remedy) {
            QTest::newRow(name) << QByteArray(from) << QByteArray(to) << line << QString::fromUtf8(key)
                                << QString::fromUtf8(remedy);
        };
        row("unknown key", "lane =", "lain =", 4, "event[1].lain", "lane");
        row("unknown lane", "\"urgent\"", "\"fast\"", 4, "event[1].lane", "bulk");
        row("no category", "category = \"bookings\"\n", "", 1, "event[1].category", "security");
        row("pointer", "\"/driver/id\"", "\"driver.id\"", 8, "event[1].notify[1].user", "starts with /");
        row("pointer escape", "\"/driver/id\"", "\"/driver~2\"", 8, "event[1].notify[1].user", "starts with /");
        row("secret pointer", "\"/code\"", "\"code\"", 6, "event[1].secret", "starts with /");
        row("secret without expiry", "expires = \"10m\"", "", 1, "event[1].expires", "1h");
        row("secret for long", "\"10m\"", "\"61m\"", 5, "event[1].expires", "1h");
        row("no channel", "[\"email\", \"inbox\"]", "[]", 8, "event[1].notify[1].channels", "at least one");
        row("unknown channel", "\"inbox\"]", "\"inbux\"]", 8, "event[1].notify[1].channels", "inbox");
        row("channel twice", "\"inbox\"]", "\"email\"]", 8, "event[1].notify[1].channels", "twice");
        row("role twice", "\"host\"", "\"driver\"", 9, "event[1].notify[2].role", "own role");
        row("template name", "\"confirmed\"", "\"../confirmed\"", 8, "event[1].notify[1].template", "a-z");
        row("no template", ", template = \"confirmed\"", "", 8, "event[1].notify[1].template", "template");
        row("nobody", "user = \"/driver/id\", email = \"/driver/email\", channels = [\"email\", \"inbox\"]",
            "channels = [\"email\"]", 8, "event[1].notify[1].user", "email =");
        row("inbox without user", "user = \"/driver/id\", ", "", 8, "event[1].notify[1].user", "inbox");
    }

    void catalogueMistakeNamesLineKeyAndRemedy()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(int, line);
        QFETCH(QString, key);
        QFETCH(QString, remedy);
        QByteArray toml = "[[event]]\n"
                          "type = \"booking.confirmed\"\n"
                          "category = \"bookings\"\n"
                          "lane = \"urgent\"\n"
                          "expires = \"10m\"\n"
                          "secret = [\"/code\"]\n"
                          "notify = [\n"
                          "  { role = \"driver\", user = \"/driver/id\", email = \"/driver/email\", channels = "
                          "[\"email\", \"inbox\"], template = \"confirmed\" },\n"
                          "  { role = \"host\", user = \"/host/id\", channels = [\"email\"], template = \"host\" } ]\n";
        QVERIFY2(catalogue(toml).problems.empty(), qPrintable(all(catalogue(toml).problems)));
        QVERIFY(toml.contains(from));
        const auto read = catalogue(toml.replace(from, to));
        QVERIFY(!read.ok());
        QVERIFY2(read.problems.size() == 1, qPrintable(all(read.problems)));
        QCOMPARE(read.problems[0].line, line);
        QCOMPARE(read.problems[0].key, key);
        QVERIFY2(read.problems[0].message.contains(remedy), qPrintable(read.problems[0].message));
    }

    void typeThatStandsTwiceIsRefused()
    {
        const QByteArray one =
            "[[event]]\ntype = \"a\"\ncategory = \"c\"\nnotify = [ { role = \"r\", user = \"/u\", channels = "
            "[\"inbox\"], template = \"t\" } ]\n";
        const auto read = catalogue(one + one);
        QCOMPARE(read.problems.size(), size_t(1));
        QCOMPARE(read.problems[0].line, 6);
        QCOMPARE(read.problems[0].key, QStringLiteral("event[2].type"));
    }

    void templatesAreReadByTheirRelativeNames()
    {
        written(QStringLiteral("templates/a/email.en.mustache"), "---\nsubject: Hi\n---\nText");
        written(QStringLiteral("templates/a/notes.txt"), "left alone");
        const auto read = loadTemplates(m_folder->filePath(QStringLiteral("templates")));
        QVERIFY2(read.problems.empty(), qPrintable(all(read.problems)));
        QCOMPARE(read.value.keys(), QStringList(QStringLiteral("a/email.en.mustache")));
        QVERIFY(!loadTemplates(m_folder->filePath(QStringLiteral("absent"))).ok());
    }

    void oddTemplatesAreRefusedAndLeaveTheFolderNever()
    {
        written(QStringLiteral("templates/a/large.mustache"), QByteArray(maxTemplateBytes + 1, 'x'));
        written(QStringLiteral("templates/a/latin.mustache"), "caf\xe9");
        written(QStringLiteral("templates/a/nul.mustache"), QByteArray("a\0b", 3));
        written(QStringLiteral("templates/a/good.mustache"), "good");
        const QString outside = written(QStringLiteral("outside/secret.mustache"), "secret");
        const QString folder = m_folder->filePath(QStringLiteral("templates"));
        QVERIFY(QFile::link(outside, folder + QStringLiteral("/a/link.mustache")));
        QVERIFY(QFile::link(QFileInfo(outside).path(), folder + QStringLiteral("/linked")));
        QVERIFY(
            QFile::link(folder + QStringLiteral("/a/good.mustache"), folder + QStringLiteral("/a/inside.mustache")));
        const auto read = loadTemplates(folder);
        QCOMPARE(read.value.keys(),
                 QStringList({QStringLiteral("a/good.mustache"), QStringLiteral("a/inside.mustache")}));
        QStringList refused;
        for (const ConfigurationProblem &problem : read.problems)
            refused += problem.file;
        QCOMPARE(refused, QStringList({QStringLiteral("a/large.mustache"), QStringLiteral("a/latin.mustache"),
                                       QStringLiteral("a/link.mustache"), QStringLiteral("a/nul.mustache")}));
    }

    void publishedSetCarriesTheRenderersProblems()
    {
        const QString path =
            written(QStringLiteral("catalogue.toml"),
                    "[[event]]\ntype = \"a\"\ncategory = \"c\"\nnotify = [ { role = \"r\", user = \"/u\", channels = "
                    "[\"email\"], template = \"t\" } ]\n");
        QVERIFY(QDir().mkpath(m_folder->filePath(QStringLiteral("templates"))));
        const auto missing = loadPublishedSet(path, m_folder->filePath(QStringLiteral("templates")));
        QVERIFY(!missing.ok());
        QVERIFY(all(missing.problems).contains(QStringLiteral("email")));
        written(QStringLiteral("templates/t/email.en.mustache"), "---\nsubject: Hi\n---\nText {{u}}\n");
        const auto whole = loadPublishedSet(path, m_folder->filePath(QStringLiteral("templates")));
        QVERIFY2(whole.ok(), qPrintable(all(whole.problems)));
        QCOMPARE(whole.value.templates.size(), 1);
    }
};

QTEST_APPLESS_MAIN(tst_configuration)
#include "tst_configuration.moc"
