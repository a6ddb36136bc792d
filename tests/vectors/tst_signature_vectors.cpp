#include "channel/mailgun/mailgun_callback.h"
#include "channel/provider_kind.h"
#include "channel/ses/ses_callback.h"
#include "channel/signatures/signatures.h"
#include "channel/signatures/standard_webhooks.h"
#include "tests/vectors/vector_file.h"
#include <QTest>

using namespace sendoff;
using namespace sendoff::channel;
using vectors::text;

namespace {

void addRows(const QString &file, const QString &key)
{
    QTest::addColumn<QJsonObject>("vector");
    for (const QJsonValue &value : vectors::list(file, key))
        QTest::addRow("%s", qPrintable(text(value.toObject(), "id"))) << value.toObject();
}

CallbackRequest requestOf(const QJsonObject &vector)
{
    CallbackRequest request;
    request.method = text(vector, "method").isEmpty() ? QByteArray("POST") : text(vector, "method").toLatin1();
    request.url = text(vector, "url").toUtf8();
    request.body = QByteArray::fromBase64(text(vector, "body_base64").toLatin1());
    const QJsonObject headers = vector.value(QLatin1String("headers")).toObject();
    for (auto each = headers.begin(); each != headers.end(); ++each)
        request.headers.emplace_back(each.key().toLatin1(), each.value().toString().toLatin1());
    if (text(vector, "kind") == QLatin1String("form"))
        request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8");
    else if (text(vector, "kind") == QLatin1String("json"))
        request.headers.emplace_back("Content-Type", "application/json");
    return request;
}

Timestamp timeOf(const QJsonObject &vector)
{
    return Timestamp(std::chrono::seconds(vector.value(QLatin1String("now_unix")).toInteger()));
}

// Where the vector leaves the answer open, any is right.
bool isAsExpected(const QJsonObject &vector, bool isGenuine)
{
    const QString expected = text(vector, "expect");
    if (expected == QLatin1String("accept") || expected == QLatin1String("accept_signature_only"))
        return isGenuine;
    if (expected == QLatin1String("reject"))
        return !isGenuine;
    if (expected != QLatin1String("either") && expected != QLatin1String("policy"))
        qFatal("the vector's expectation %s is not known", qPrintable(expected));
    return true;
}

bool isGenuine(const char *kind, const ProviderSettings &settings, const CallbackRequest &request, Timestamp now)
{
    const CallbackCheck check = providerKind(QLatin1String(kind))->verify(settings, request, now);
    const bool genuine = check.verdict == CallbackCheck::Verdict::Genuine;
    if (genuine != check.why.isEmpty())
        qFatal("a refused callback says why, an accepted one nothing");
    return genuine;
}

} // namespace

class TestSignatureVectors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void standardWebhooks_areVerified_data()
    {
        addRows(QStringLiteral("standard_webhooks.json"), QStringLiteral("verify"));
    }
    void standardWebhooks_areVerified()
    {
        QFETCH(QJsonObject, vector);
        std::vector<QByteArray> secrets;
        for (const QJsonValue &secret : vector.value(QLatin1String("secrets")).toArray())
            secrets.push_back(secret.toString().toLatin1());
        const QString family = text(vector, "header_family");
        const Milliseconds tolerance(vector.value(QLatin1String("tolerance_s")).toInteger(300) * 1000);
        const CallbackRequest request = requestOf(vector);
        const auto check = checkStandardWebhook(family.toLatin1(), secrets, request, timeOf(vector), tolerance);
        QVERIFY2(isAsExpected(vector, check.verdict == CallbackCheck::Verdict::Genuine), qPrintable(check.why));
        if (family == QLatin1String("svix") && tolerance == webhookTolerance) {
            ProviderSettings settings;
            settings.webhookSecrets = secrets;
            QVERIFY(isAsExpected(vector, isGenuine("resend", settings, request, timeOf(vector))));
        }
    }

    void standardWebhooks_secretsAreRead_data()
    {
        addRows(QStringLiteral("standard_webhooks.json"), QStringLiteral("secrets"));
    }
    void standardWebhooks_secretsAreRead()
    {
        QFETCH(QJsonObject, vector);
        const Result<QByteArray> key = webhookKey(text(vector, "secret").toUtf8());
        const QString expected = text(vector, "expect");
        if (expected == QLatin1String("error"))
            QVERIFY(!key);
        else if (expected != QLatin1String("either"))
            QVERIFY(key.ok());
        if (!key && text(vector, "secret").size() > 6)
            QVERIFY(!key.error().message.contains(text(vector, "secret")));
    }

    void standardWebhooks_areSigned_data()
    {
        addRows(QStringLiteral("standard_webhooks.json"), QStringLiteral("sign"));
    }
    void standardWebhooks_areSigned()
    {
        QFETCH(QJsonObject, vector);
        const Timestamp at(std::chrono::seconds(vector.value(QLatin1String("timestamp")).toInteger()));
        const auto signature = webhookSignature(text(vector, "secret").toLatin1(), text(vector, "msg_id").toLatin1(),
                                                at + Milliseconds(999), requestOf(vector).body);
        QVERIFY(signature.ok());
        QCOMPARE(*signature, text(vector, "signature").toLatin1());
    }

    void standardWebhooks_asymmetricOnesAreVerified_data()
    {
        addRows(QStringLiteral("standard_webhooks.json"), QStringLiteral("asymmetric"));
    }
    void standardWebhooks_asymmetricOnesAreVerified()
    {
        QFETCH(QJsonObject, vector);
        CallbackRequest request = requestOf(vector);
        const std::vector<QByteArray> keys{text(vector, "public_key").toLatin1()};
        const auto check = checkStandardWebhook("webhook", keys, request, timeOf(vector));
        QVERIFY(isAsExpected(vector, check.verdict == CallbackCheck::Verdict::Genuine));
        request.body += ' ';
        const auto changed = checkStandardWebhook("webhook", keys, request, timeOf(vector));
        QCOMPARE(changed.verdict, CallbackCheck::Verdict::Forged);
    }

    void twilio_isVerified_data() { addRows(QStringLiteral("twilio_signature.json"), QStringLiteral("verify")); }
    void twilio_isVerified()
    {
        QFETCH(QJsonObject, vector);
        ProviderSettings settings;
        settings.apiKey = text(vector, "secret").toUtf8();
        const CallbackRequest request = requestOf(vector);
        QVERIFY(isAsExpected(vector, isGenuine("twilio", settings, request, {})));
        // The same secret beside another token, as while tokens are changed.
        ProviderSettings rotating;
        rotating.apiKey = "another-token";
        rotating.webhookSecrets = {settings.apiKey};
        QVERIFY(isAsExpected(vector, isGenuine("twilio", rotating, request, {})));
        rotating.webhookSecrets.clear();
        QVERIFY(!isGenuine("twilio", rotating, request, {}));
        QVERIFY(!isGenuine("twilio", {}, request, {}));
    }

    void sendgrid_isVerified_data()
    {
        addRows(QStringLiteral("sendgrid_event_webhook.json"), QStringLiteral("verify"));
    }
    void sendgrid_isVerified()
    {
        QFETCH(QJsonObject, vector);
        const QByteArray key = text(vector, "public_key_spki_base64").toLatin1();
        const CallbackRequest request = requestOf(vector);
        ProviderSettings settings;
        settings.webhookSecrets = {key};
        QVERIFY(isAsExpected(vector, isGenuine("sendgrid", settings, request, timeOf(vector))));
        settings.webhookSecrets = {"rubbish", "-----BEGIN PUBLIC KEY-----\n" + key + "\n-----END PUBLIC KEY-----\n"};
        QVERIFY(isAsExpected(vector, isGenuine("sendgrid", settings, request, timeOf(vector))));
        QVERIFY(!isGenuine("sendgrid", {}, request, timeOf(vector)));
    }

    void postmark_isVerified_data() { addRows(QStringLiteral("postmark_basic_auth.json"), QStringLiteral("verify")); }
    void postmark_isVerified()
    {
        QFETCH(QJsonObject, vector);
        ProviderSettings settings;
        settings.webhookSecrets = {"someone:else",
                                   (text(vector, "username") + u':' + text(vector, "password")).toUtf8()};
        QVERIFY(isAsExpected(vector, isGenuine("postmark", settings, requestOf(vector), {})));
        QVERIFY(!isGenuine("postmark", {}, requestOf(vector), {}));
    }

    void sns_isVerified_data() { addRows(QStringLiteral("sns_signature.json"), QStringLiteral("verify")); }
    void sns_isVerified()
    {
        QFETCH(QJsonObject, vector);
        const QByteArray certificate = text(vector, "signing_cert_pem").toLatin1();
        const QString topic = text(vector, "expected_topic_arn");
        const auto isTaken = [&](const QByteArray &pem, const QString &of) {
            return verifySes(pem, of, requestOf(vector)).verdict == CallbackCheck::Verdict::Genuine;
        };
        QVERIFY(isAsExpected(vector, isTaken(certificate, topic)));
        QVERIFY(!isTaken(certificate, {}));
        QVERIFY(!isTaken("no certificate", topic));
    }

    void mailgun_isVerified_data() { addRows(QStringLiteral("mailgun_hmac.json"), QStringLiteral("verify")); }
    void mailgun_isVerified()
    {
        QFETCH(QJsonObject, vector);
        CallbackRequest request = requestOf(vector);
        if (request.body.isEmpty())
            request.body = text(vector, "body_text").toUtf8();
        const std::vector<QByteArray> keys{"another", text(vector, "signing_key").toUtf8()};
        QVERIFY(isAsExpected(vector, verifyMailgun(keys, request).verdict == CallbackCheck::Verdict::Genuine));
        QVERIFY(verifyMailgun({QByteArray()}, request).verdict != CallbackCheck::Verdict::Genuine);
    }
};

QTEST_GUILESS_MAIN(TestSignatureVectors)
#include "tst_signature_vectors.moc"
