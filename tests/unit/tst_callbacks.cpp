#include "channel/mailgun/mailgun_callback.h"
#include "channel/provider_kind.h"
#include "channel/ses/ses_callback.h"
#include "channel/signatures/signatures.h"
#include "channel/signatures/standard_webhooks.h"
#include <QTest>

using namespace sendoff;
using namespace sendoff::channel;
using Verdict = CallbackCheck::Verdict;

Q_DECLARE_METATYPE(Verdict)

namespace {

const QByteArray secret = "whsec_cGFya2luZy1ub3RpZnktc2VjcmV0LU5FVy0wMDAwMDE=";
const QByteArray olderSecret = "whsec_cGFya2luZy1ub3RpZnktc2VjcmV0LU9MRC0wMDAwMDE=";
const QByteArray twilioToken = "an-auth-token";
const Timestamp now = Timestamp(std::chrono::seconds(1'796'040'000)); // 2026-11-30T12:00:00Z

ProviderSettings settingsOf(const QString &kind)
{
    ProviderSettings settings;
    settings.kind = kind;
    settings.webhookSecrets = {secret, olderSecret};
    if (kind == QLatin1String("twilio"))
        settings.apiKey = twilioToken;
    return settings;
}

Verdict verdictOf(const QString &kind, const CallbackRequest &request)
{
    return providerKind(kind)->verify(settingsOf(kind), request, now).verdict;
}

// A callback of Resend, signed for the time that it names.
CallbackRequest svix(const QByteArray &timestamp, const QByteArray &body = R"({"type":"email.sent"})",
                     const std::vector<QByteArray> &secrets = {secret})
{
    CallbackRequest request;
    request.body = body;
    QByteArrayList entries;
    for (const QByteArray &each : secrets)
        entries +=
            "v1," + hmac(QCryptographicHash::Sha256, *webhookKey(each), "msg_1." + timestamp + '.' + body).toBase64();
    request.headers = {{"svix-id", "msg_1"}, {"svix-timestamp", timestamp}, {"svix-signature", entries.join(' ')}};
    return request;
}

QByteArray secondsFromNow(qint64 seconds)
{
    return QByteArray::number(1'796'040'000 + seconds);
}

CallbackRequest twilioForm(const QByteArray &signedUrl, const QByteArray &requestedUrl,
                           QCryptographicHash::Algorithm algorithm = QCryptographicHash::Sha1)
{
    CallbackRequest request;
    request.url = requestedUrl;
    request.body = "MessageStatus=sent&MessageSid=SM1";
    request.headers = {
        {"Content-Type", "application/x-www-form-urlencoded"},
        {"X-Twilio-Signature", hmac(algorithm, twilioToken, signedUrl + "MessageSidSM1MessageStatussent").toBase64()}};
    return request;
}

} // namespace

class TestCallbacks : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void CB_01_timesOutsideTheToleranceAreRefused_data()
    {
        QTest::addColumn<QByteArray>("timestamp");
        QTest::addColumn<Verdict>("verdict");
        QTest::newRow("now") << secondsFromNow(0) << Verdict::Genuine;
        for (const int seconds : {299, 300})
            QTest::addRow("%d s ago", seconds) << secondsFromNow(-seconds) << Verdict::Genuine;
        for (const int seconds : {299, 300})
            QTest::addRow("in %d s", seconds) << secondsFromNow(seconds) << Verdict::Genuine;
        for (const int seconds : {301, 86'400})
            QTest::addRow("%d s ago", seconds) << secondsFromNow(-seconds) << Verdict::Stale;
        QTest::newRow("in 301 s") << secondsFromNow(301) << Verdict::Stale;
        QTest::newRow("milliseconds") << secondsFromNow(0) + "000" << Verdict::Stale;
        QTest::newRow("NaN") << QByteArray("NaN") << Verdict::Malformed;
        QTest::newRow("1e309") << QByteArray("1e309") << Verdict::Malformed;
        QTest::newRow("beyond 64 bits") << QByteArray("99999999999999999999999") << Verdict::Malformed;
        QTest::newRow("negative") << QByteArray("-1") << Verdict::Malformed;
        QTest::newRow("Arabic digits") << QByteArray("١٧٩٦٠٤٠٠٠٠") << Verdict::Malformed;
        QTest::newRow("empty") << QByteArray("") << Verdict::Forged;
    }
    void CB_01_timesOutsideTheToleranceAreRefused()
    {
        QFETCH(QByteArray, timestamp);
        QFETCH(Verdict, verdict);
        const CallbackRequest request = svix(timestamp);
        QCOMPARE(int(verdictOf(QStringLiteral("resend"), request)), int(verdict));
        // Parts of a second are nobody's fault.
        const auto check = checkStandardWebhook("svix", {secret}, request, now + Milliseconds(999));
        QCOMPARE(int(check.verdict), int(timestamp == secondsFromNow(301) ? Verdict::Stale : verdict));
    }

    void CB_01_eachSecretOfARotationIsEnough()
    {
        const QString kind = QStringLiteral("resend");
        const QByteArray body = "{}";
        QCOMPARE(int(verdictOf(kind, svix(secondsFromNow(0), body, {olderSecret}))), int(Verdict::Genuine));
        QCOMPARE(int(verdictOf(kind, svix(secondsFromNow(0), body, {"whsec_b3RoZXI=", secret}))),
                 int(Verdict::Genuine));
        QCOMPARE(int(verdictOf(kind, svix(secondsFromNow(0), body, {"whsec_b3RoZXI="}))), int(Verdict::Forged));
    }

    void CB_01_anotherIdOrAMissingHeaderIsForged()
    {
        const CallbackRequest good = svix(secondsFromNow(0));
        for (size_t i = 0; i < good.headers.size(); ++i) {
            CallbackRequest less = good;
            less.headers.erase(less.headers.begin() + qsizetype(i));
            QCOMPARE(int(verdictOf(QStringLiteral("resend"), less)), int(Verdict::Forged));
        }
        CallbackRequest other = good;
        other.headers[0].second = "msg_2";
        QCOMPARE(int(verdictOf(QStringLiteral("resend"), other)), int(Verdict::Forged));
        // Without a secret nothing is genuine, and an old forgery is forged, not old.
        QCOMPARE(int(providerKind(QStringLiteral("resend"))->verify({}, good, now).verdict), int(Verdict::Forged));
        CallbackRequest old = svix(secondsFromNow(-9'999));
        old.body += ' ';
        QCOMPARE(int(verdictOf(QStringLiteral("resend"), old)), int(Verdict::Forged));
    }

    void CB_02_theBytesAreSignedNotTheirMeaning_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("changed");
        const QByteArray spaced = "{\"a\": \"😊\",  \"n\": 1.0}";
        QTest::newRow("spacing and number") << spaced << QByteArray("{\"a\":\"😊\",\"n\":1}");
        QTest::newRow("escaped emoji") << spaced << QByteArray("{\"a\": \"\\ud83d\\ude0a\",  \"n\": 1.0}");
        QTest::newRow("byte order mark") << "\xEF\xBB\xBF" + spaced << spaced;
        QTest::newRow("compressed") << qCompress(spaced) << spaced;
        QTest::newRow("no UTF-8") << QByteArray("{\"a\":\"\xE9\"}") << QByteArray("{\"a\":\"é\"}");
    }
    void CB_02_theBytesAreSignedNotTheirMeaning()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, changed);
        CallbackRequest request = svix(secondsFromNow(0), body);
        QCOMPARE(int(verdictOf(QStringLiteral("resend"), request)), int(Verdict::Genuine));
        request.body = changed;
        QCOMPARE(int(verdictOf(QStringLiteral("resend"), request)), int(Verdict::Forged));
    }

    void CB_02_oddSignatureHeadersAreForged_data()
    {
        QTest::addColumn<QByteArray>("signature");
        const QByteArray good = svix(secondsFromNow(0)).header("svix-signature");
        QTest::newRow("byte that is no ASCII") << good + " v1,\xE9";
        QTest::newRow("nothing but it") << QByteArray("\xE9");
        QTest::newRow("without padding") << QByteArray(good).replace("=", "");
        QTest::newRow("hexadecimal") << "v1," + QByteArray::fromBase64(good.mid(3)).toHex().toUpper();
        QTest::newRow("empty entries") << QByteArray("   ");
        QTest::newRow("long") << "v1," + QByteArray(100'000, 'A');
    }
    void CB_02_oddSignatureHeadersAreForged()
    {
        QFETCH(QByteArray, signature);
        CallbackRequest request = svix(secondsFromNow(0));
        const bool holdsTheGoodOne = signature.startsWith(request.header("svix-signature"));
        request.headers[2].second = signature;
        QCOMPARE(int(verdictOf(QStringLiteral("resend"), request)),
                 int(holdsTheGoodOne ? Verdict::Genuine : Verdict::Forged));
    }

    void twilio_theUrlIsTriedWithAndWithoutItsPort_data()
    {
        QTest::addColumn<QByteArray>("signedUrl");
        QTest::addColumn<QByteArray>("requested");
        QTest::addColumn<bool>("isGenuine");
        const auto row = [](const char *name, const char *signedUrl, const char *requested, bool isGenuine) {
            QTest::newRow(name) << QByteArray(signedUrl) << QByteArray(requested) << isGenuine;
        };
        row("as it is", "https://a.example/c?x=a%20b", "https://a.example/c?x=a%20b", true);
        row("signed with the default port", "https://a.example:443/c?x=1", "https://a.example/c?x=1", true);
        row("requested with it", "https://a.example/c?x=1", "https://a.example:443/c?x=1", true);
        row("http", "http://a.example:80/c", "http://a.example/c", true);
        row("its own port", "https://a.example:8443/c", "https://a.example:8443/c", true);
        row("its own port left out", "https://a.example/c", "https://a.example:8443/c", true);
        row("no path", "https://a.example:443", "https://a.example", true);
        row("no path but a query", "https://a.example:443?x=1", "https://a.example?x=1", true);
        row("user and password", "https://u:p@a.example/c", "https://u:p@a.example:443/c", true);
        row("IPv6", "https://[2001:db8::1]:443/c", "https://[2001:db8::1]/c", true);
        row("a colon in the query", "https://a.example/c?t=1:2", "https://a.example/c?t=1:2", true);
        row("fragment with settings", "https://a.example/c", "https://a.example/c#rc=2&rp=all", true);
        row("another host", "https://b.example/c", "https://a.example/c", false);
        row("another path", "https://a.example/c/", "https://a.example/c", false);
        row("another scheme", "http://a.example/c", "https://a.example/c", false);
        row("another port", "https://a.example:8443/c", "https://a.example/c", false);
        row("query written anew", "https://a.example/c?x=a%20b", "https://a.example/c?x=a+b", false);
    }
    void twilio_theUrlIsTriedWithAndWithoutItsPort()
    {
        QFETCH(QByteArray, signedUrl);
        QFETCH(QByteArray, requested);
        QFETCH(bool, isGenuine);
        QCOMPARE(verdictOf(QStringLiteral("twilio"), twilioForm(signedUrl, requested)) == Verdict::Genuine, isGenuine);
    }

    void twilio_theSettingsHeaderChoosesTheAlgorithm()
    {
        const QByteArray url = "https://a.example/c";
        const QString kind = QStringLiteral("twilio");
        CallbackRequest request = twilioForm(url, url, QCryptographicHash::Sha256);
        QCOMPARE(int(verdictOf(kind, request)), int(Verdict::Forged));
        request.headers.emplace_back("X-Twilio-Webhooks-Signature-Settings", "key=k1, algorithm=HMAC_SHA256");
        QCOMPARE(int(verdictOf(kind, request)), int(Verdict::Genuine));
        request.headers.back().second = "key=k1,algorithm=HMAC_MD5";
        QCOMPARE(int(verdictOf(kind, request)), int(Verdict::Forged));
    }

    void twilio_aJsonBodyIsSignedByItsHash()
    {
        const QString kind = QStringLiteral("twilio");
        CallbackRequest request;
        request.body = R"({"status":"delivered"})";
        const QByteArray hash = QCryptographicHash::hash(request.body, QCryptographicHash::Sha256).toHex();
        request.url = "https://a.example/c?x=1&bodySHA256=" + hash;
        request.headers = {{"Content-Type", "application/json"},
                           {"X-Twilio-Signature", hmac(QCryptographicHash::Sha1, twilioToken, request.url).toBase64()}};
        QCOMPARE(int(verdictOf(kind, request)), int(Verdict::Genuine));
        request.body += ' ';
        QCOMPARE(int(verdictOf(kind, request)), int(Verdict::Forged));
    }

    void twilio_aKeysSecretSignsNothing()
    {
        const QByteArray url = "https://a.example/c";
        ProviderSettings settings = settingsOf(QStringLiteral("twilio"));
        settings.options.insert(QStringLiteral("key_sid"), QStringLiteral("SK1"));
        const auto verify = providerKind(QStringLiteral("twilio"))->verify;
        QCOMPARE(int(verify(settings, twilioForm(url, url), now).verdict), int(Verdict::Forged));
        settings.webhookSecrets.push_back(twilioToken);
        QCOMPARE(int(verify(settings, twilioForm(url, url), now).verdict), int(Verdict::Genuine));
    }

    void ourDeliveryIdComesBack_data()
    {
        QTest::addColumn<QString>("provider");
        QTest::addColumn<QByteArray>("body");
        const auto row = [](const char *provider, const QByteArray &body) {
            QTest::newRow(provider) << QString::fromLatin1(provider) << body;
        };
        row("resend", R"({"type":"email.sent","data":{"to":["a@b.example"],"tags":{"delivery":"d-1"}}})");
        row("sendgrid", R"([{"event":"delivered","email":"a@b.example","delivery":"d-1"}])");
        row("postmark", R"({"RecordType":"Delivery","Recipient":"a@b.example","Metadata":{"delivery":"d-1"}})");
        row("twilio", "MessageSid=SM1&MessageStatus=sent&To=%2B15550001234");
    }
    void ourDeliveryIdComesBack()
    {
        QFETCH(QString, provider);
        QFETCH(QByteArray, body);
        CallbackRequest request;
        request.url = "https://a.example/callbacks/x?delivery=d-1";
        request.body = body;
        const auto receipts = providerKind(provider)->receipts({}, request);
        QVERIFY(receipts.ok());
        QCOMPARE(receipts->size(), size_t(1));
        QCOMPARE(receipts->front().delivery.value, QStringLiteral("d-1"));
    }

    void whatCantBeReadIsInvalid_data()
    {
        QTest::addColumn<QString>("provider");
        QTest::addColumn<QByteArray>("body");
        for (const char *provider : {"resend", "sendgrid", "postmark", "twilio", "ses", "mailgun"}) {
            int number = 0;
            for (const QByteArray &body : {QByteArray(), QByteArray("<html></html>"), QByteArray("\"text\""),
                                           QByteArray("{}"), QByteArray(2'000, '['), QByteArray("\0\xFF", 2)})
                QTest::addRow("%s %d", provider, ++number) << QString::fromLatin1(provider) << body;
        }
    }
    void whatCantBeReadIsInvalid()
    {
        QFETCH(QString, provider);
        QFETCH(QByteArray, body);
        CallbackRequest request;
        request.body = body;
        const auto receipts = provider == QLatin1String("ses")       ? readSesReceipts(request)
                              : provider == QLatin1String("mailgun") ? readMailgunReceipts(request)
                                                                     : providerKind(provider)->receipts({}, request);
        QVERIFY(!receipts);
        QCOMPARE(receipts.error().code, ErrorCode::Invalid);
    }

    void resend_anEventOfSeveralRecipientsSuppressesNobody()
    {
        CallbackRequest request;
        request.body = R"({"type":"email.bounced","data":{"to":["a@b.example","c@d.example"],)"
                       R"("bounce":{"type":"Permanent","subType":"General"}}})";
        const auto receipts = providerKind(QStringLiteral("resend"))->receipts({}, request);
        QCOMPARE(toText(receipts->front().kind), toText(ReceiptKind::BouncedHard));
        QVERIFY(!receipts->front().suppresses && receipts->front().address.isEmpty());
    }

    void sendgrid_onlyTheAddressIsBlamed_data()
    {
        QTest::addColumn<QByteArray>("event");
        QTest::addColumn<ReceiptKind>("kind");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char *event, ReceiptKind kind, const char *reason) {
            QTest::newRow(event) << QByteArray(event) << kind << QString::fromLatin1(reason);
        };
        row(R"("dropped","reason":"Spam Content")", ReceiptKind::Failed, "");
        row(R"("dropped","reason":"Recipient List over Package Quota")", ReceiptKind::Failed, "");
        row(R"("dropped","reason":"Spam Reporting Address")", ReceiptKind::Suppressed, "complaint");
        row(R"("bounce","type":"bounce","status":"5.0.0")", ReceiptKind::BouncedHard, "hard_bounce");
        row(R"("bounce","type":"bounce","status":"5.2.2")", ReceiptKind::BouncedSoft, "");
        row(R"("bounce","type":"brand_new","status":"5.7.1")", ReceiptKind::BouncedSoft, "");
        row(R"("group_resubscribe","asm_group_id":7)", ReceiptKind::Resubscribed, "");
    }
    void sendgrid_onlyTheAddressIsBlamed()
    {
        QFETCH(QByteArray, event);
        QFETCH(ReceiptKind, kind);
        QFETCH(QString, reason);
        CallbackRequest request;
        request.body = R"([{"email":"a@b.example","event":)" + event + "}]";
        const auto receipts = providerKind(QStringLiteral("sendgrid"))->receipts({}, request);
        QCOMPARE(receipts->size(), size_t(1));
        QCOMPARE(toText(receipts->front().kind), toText(kind));
        QCOMPARE(receipts->front().suppressReason, reason);
        QCOMPARE(receipts->front().suppresses, !reason.isEmpty());
    }

    void ses_onlyAmazonsCertificatesAreFetched_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<bool>("isFetched");
        const auto row = [](const char *url, bool isFetched) {
            QTest::newRow(url) << QString::fromLatin1(url) << isFetched;
        };
        row("https://sns.eu-central-1.amazonaws.com/x.pem", true);
        row("https://sns.cn-north-1.amazonaws.com.cn/x.pem", true);
        row("http://sns.eu-central-1.amazonaws.com/x.pem", false);
        row("https://sns.eu-central-1.amazonaws.com:8443/x.pem", false);
        row("https://sns.eu-central-1.amazonaws.com.evil.example/x.pem", false);
        row("https://sns.eu-central-1.amazonaws.com@evil.example/x.pem", false);
        row("https://evil.example/sns.eu-central-1.amazonaws.com/x.pem", false);
        row("https://s3.eu-central-1.amazonaws.com/x.pem", false);
        row("https://sns.eu-central-1.amazonaws.com/x.txt", false);
        row("file:///etc/x.pem", false);
        row("", false);
    }
    void ses_onlyAmazonsCertificatesAreFetched()
    {
        QFETCH(QString, url);
        QFETCH(bool, isFetched);
        CallbackRequest request;
        request.body = "{\"SigningCertURL\":\"" + url.toLatin1() + "\"}";
        QCOMPARE(sesCertificateUrl(request).ok(), isFetched);
        request.body = "{\"Type\":\"SubscriptionConfirmation\",\"SubscribeURL\":\"" + url.toLatin1() + "\"}";
        const bool isAmazons = isFetched || url.endsWith(QLatin1String(".txt")); // a path of its own
        QCOMPARE(!sesConfirmationUrl(request).isEmpty(), isAmazons);
    }
};

QTEST_GUILESS_MAIN(TestCallbacks)
#include "tst_callbacks.moc"
