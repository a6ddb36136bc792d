#include "tests/contract/provider_samples.h"
#include <QUrlQuery>

using namespace sendoff;
using namespace sendoff::channel;
using namespace sendoff::test;

// What each kind makes of a message, reads from an answer and asks later: pure functions, no network.

namespace {

OpenQuestion question(Channel channel, const QString &messageId = {})
{
    return {DeliveryId(QStringLiteral("d-1")), messageId, addressOf(channel, 0),
            *fromRfc3339(u"2026-11-30T12:00:00.000Z")};
}

FoundMessage found(const QString &kind, const QByteArray &body, const OpenQuestion &asked, int status = 200)
{
    return providerKind(kind)
        ->readFound(provider(kind, {}), {asked}, answer(status, body), *fromRfc3339(u"2026-11-30T12:10:00Z"))
        .front();
}

} // namespace

class TestProviderRequests : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyKindIsInASuite();
    void HTTP_06_doubtfulBatches_areUnknownAsAWhole_data();
    void HTTP_06_doubtfulBatches_areUnknownAsAWhole();
    void HTTP_06_requestErrors_concernEveryItem();
    void expo_sendsAnArrayOfItems();
    void expo_refusesWhatIsTooLarge();
    void expo_unwrapsProviderErrors();
    void resend_bodyIsWhatItsApiReads();
    void unsubscribeHeaders_goWithTheMail_data();
    void unsubscribeHeaders_goWithTheMail();
    void twilio_formIsWhatItsApiReads();
    void twilio_refusesWhatItWouldRefuse_data();
    void twilio_refusesWhatItWouldRefuse();
    void twilio_keysAndServicesAreOptions();
    void sendgrid_bodyIsWhatItsApiReads();
    void postmark_doubtfulBatchesAreUnknownAsAWhole();
    void postmark_anInactiveAddressInsideASuccessIsNoSuccess();
    void asking_isOneGetWithTheKeysInPlace_data();
    void asking_isOneGetWithTheKeysInPlace();
    void twilio_isSureOfOneMessageSinceTheHandOverOnly_data();
    void twilio_isSureOfOneMessageSinceTheHandOverOnly();
    void postmark_findsByOurOwnId();
    void resend_findsByItsOwnIdAlone();
    void compose_refusesWhatCantBeSent_data();
    void compose_refusesWhatCantBeSent();
    void unknownCodes_neverBlameTheRecipient_data() { eachKind(); }
    void unknownCodes_neverBlameTheRecipient();
};

void TestProviderRequests::HTTP_06_doubtfulBatches_areUnknownAsAWhole_data()
{
    QTest::addColumn<QByteArray>("body");
    const QMap<int, QByteArray> gone{{3, "DeviceNotRegistered"}};
    QTest::newRow("one ticket too few") << tickets(99, gone);
    QTest::newRow("one ticket too many") << tickets(101, gone);
    QTest::newRow("another device is named") << tickets(100, gone, {{3, "ExponentPushToken[device-4]"}});
    QTest::newRow("data is missing") << QByteArray("{}");
    QTest::newRow("data is null") << QByteArray(R"({"data":null})");
    QTest::newRow("data is an object") << QByteArray(R"({"data":{"status":"ok","id":"m-1"}})");
    QTest::newRow("a ticket is none") << tickets(100, gone).replace("\"status\": \"error\"", "\"status\": \"odd\"");
    QTest::newRow("unknown error of the request") << QByteArray(R"({"errors":[{"code":"BRAND_NEW","message":"?"}]})");
    QTest::newRow("errors beside tickets")
        << tickets(100, gone).replace(0, 1, R"({"errors":[{"code":"VALIDATION_ERROR"}],)");
    QTest::newRow("no JSON") << QByteArray("<html></html>");
    QTest::newRow("an array") << QByteArray("[]");
}

void TestProviderRequests::HTTP_06_doubtfulBatches_areUnknownAsAWhole()
{
    QFETCH(QByteArray, body);
    const ProviderSettings settings = provider(QStringLiteral("expo"), {});
    const auto results =
        providerKind(QStringLiteral("expo"))->classify(settings, items(settings, 100), answer(200, body), {});
    QCOMPARE(results.size(), size_t(100));
    for (const AttemptResult &result : results) {
        QCOMPARE(toText(result.outcome), toText(Outcome::Unknown));
        QVERIFY(!result.code.isEmpty());
    }
}

void TestProviderRequests::HTTP_06_requestErrors_concernEveryItem()
{
    const ProviderSettings settings = provider(QStringLiteral("expo"), {});
    const auto results =
        providerKind(QStringLiteral("expo"))
            ->classify(settings, items(settings, 3),
                       answer(200, R"({"errors":[{"code":"TOO_MANY_REQUESTS","message":"600 a second"}]})"), {});
    QCOMPARE(results.size(), size_t(3));
    for (const AttemptResult &result : results) {
        QCOMPARE(toText(result.outcome), toText(Outcome::Throttled));
        QVERIFY(result.pausesBucket);
        QCOMPARE(result.wait->count(), 1000);
    }
}

void TestProviderRequests::expo_sendsAnArrayOfItems()
{
    ProviderSettings settings = provider(QStringLiteral("expo"), QUrl(QStringLiteral("https://exp.host/")));
    const auto sending = items(settings, 2);
    const ProviderKind &kind = *providerKind(QStringLiteral("expo"));
    const HttpRequest request = kind.request(settings, sending);
    QCOMPARE(request.url, QUrl(QStringLiteral("https://exp.host/--/api/v2/push/send")));
    QCOMPARE(request.body, '[' + sending[0].body + ',' + sending[1].body + ']');
    const QJsonObject item = QJsonDocument::fromJson(request.body).array().at(1).toObject();
    QCOMPARE(item.value(QStringLiteral("to")).toString(), sending[1].address);
    QCOMPARE(item.value(QStringLiteral("title")).toString(), QStringLiteral("Booking"));
    QCOMPARE(item.value(QStringLiteral("data")).toObject().value(QStringLiteral("url")).toString(),
             QStringLiteral("https://taxi.example/b/981"));
    settings.apiKey.clear();
    for (const auto &header : kind.request(settings, sending).headers)
        QVERIFY(header.first != "Authorization");
    QCOMPARE(kind.batch, 100);
    QCOMPARE(kind.idempotencyWindow.count(), 0);
}

void TestProviderRequests::expo_refusesWhatIsTooLarge()
{
    const ProviderSettings settings = provider(QStringLiteral("expo"), {});
    RenderedMessage large = message(Channel::Push);
    large.text = QString(5000, QLatin1Char('x'));
    const auto composed =
        providerKind(QStringLiteral("expo"))->compose(settings, large, addressOf(Channel::Push, 0), DeliveryId());
    QVERIFY(!composed);
    QCOMPARE(composed.error().code, ErrorCode::Invalid);
    QVERIFY(composed.error().message.contains(QStringLiteral("4096")));
}

void TestProviderRequests::expo_unwrapsProviderErrors()
{
    const ProviderSettings settings = provider(QStringLiteral("expo"), {});
    const auto outcome = [&settings](const QByteArray &details) {
        const QByteArray body = R"({"data":[{"status":"error","message":"m","details":)" + details + "}]}";
        return providerKind(QStringLiteral("expo"))->classify(settings, items(settings), answer(200, body), {}).front();
    };
    const AttemptResult sender =
        outcome(R"({"error":"ProviderError","fault":"fcm","fcm":{"error":"MismatchSenderId"}})");
    QCOMPARE(toText(sender.outcome), toText(Outcome::Configuration));
    QCOMPARE(sender.code, QStringLiteral("MismatchSenderId"));
    QCOMPARE(toText(outcome(R"({"error":"ProviderError","fault":"fcm","fcm":{"error":"SomethingNew"}})").outcome),
             toText(Outcome::Transient));
    QCOMPARE(toText(outcome(R"({"error":"ProviderError"})").outcome), toText(Outcome::Transient));
}

void TestProviderRequests::resend_bodyIsWhatItsApiReads()
{
    const ProviderSettings settings =
        provider(QStringLiteral("resend"), QUrl(QStringLiteral("https://api.resend.com")));
    const auto sending = items(settings);
    const ProviderKind &kind = *providerKind(QStringLiteral("resend"));
    const HttpRequest request = kind.request(settings, sending);
    QCOMPARE(request.url, QUrl(QStringLiteral("https://api.resend.com/emails")));
    const QJsonObject body = QJsonDocument::fromJson(request.body).object();
    QCOMPARE(body.value(QStringLiteral("from")).toString(), settings.from);
    QCOMPARE(body.value(QStringLiteral("to")).toArray(), QJsonArray{sending[0].address});
    QCOMPARE(body.value(QStringLiteral("subject")).toString(), message(Channel::Email).subject);
    QCOMPARE(body.value(QStringLiteral("text")).toString(), message(Channel::Email).text);
    QCOMPARE(body.value(QStringLiteral("html")).toString(), message(Channel::Email).html);
    QCOMPARE(body.value(QStringLiteral("tags")).toArray().at(0).toObject().value(QStringLiteral("value")).toString(),
             sending[0].id.value);
    QCOMPARE(body.size(), 6);
    QCOMPARE(kind.batch, 1);
    QVERIFY(kind.idempotencyWindow < std::chrono::hours(24));
}

void TestProviderRequests::compose_refusesWhatCantBeSent_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("what");
    for (const Sample &each : samples()) {
        std::vector<const char *> refused{"channel", "address", "address\n"};
        if (each.kind != QLatin1String("http")) // its template says what a content is
            refused.push_back("content");
        if (providerKind(each.kind)->channel == Channel::Email)
            refused.insert(refused.end(), {"subject", "subject\n", "unsubscribe"});
        if (each.kind == QLatin1String("twilio") || providerKind(each.kind)->channel == Channel::Email)
            refused.push_back("from");
        for (const char *what : refused)
            QTest::addRow("%s, %s", qPrintable(each.kind), QByteArray(what).replace('\n', " LF").constData())
                << each.kind << QString::fromLatin1(what);
    }
}

void TestProviderRequests::compose_refusesWhatCantBeSent()
{
    QFETCH(QString, kind);
    QFETCH(QString, what);
    ProviderSettings settings = provider(kind, {});
    RenderedMessage rendered = message(settings.channel);
    QString address = addressOf(settings.channel, 0);
    QVERIFY(providerKind(kind)->compose(settings, rendered, address, DeliveryId()).ok());
    if (what == QLatin1String("channel"))
        rendered.channel = settings.channel == Channel::Sms ? Channel::Email : Channel::Sms;
    else if (what == QLatin1String("address"))
        address.clear();
    else if (what == QLatin1String("address\n"))
        address += QStringLiteral("\r\nBcc: other@mail.example");
    else if (what == QLatin1String("subject"))
        rendered.subject.clear();
    else if (what == QLatin1String("subject\n"))
        rendered.subject += QStringLiteral("\nBcc: other@mail.example");
    else if (what == QLatin1String("unsubscribe"))
        rendered.unsubscribeUrl = QStringLiteral("https://taxi.example/u/1>\r\nBcc: <other@mail.example");
    else if (what == QLatin1String("from"))
        settings.from.clear();
    else
        rendered.text = rendered.html = rendered.title = QString();
    const auto composed = providerKind(kind)->compose(settings, rendered, address, DeliveryId());
    QVERIFY(!composed);
    QCOMPARE(composed.error().code, ErrorCode::Invalid);
    QVERIFY(!composed.error().message.contains(QStringLiteral("jane.doe")));
}

void TestProviderRequests::unknownCodes_neverBlameTheRecipient()
{
    QFETCH(QString, kind);
    const ProviderSettings settings = provider(kind, {});
    const QByteArray body = R"({"name":"brand_new","message":"m","errors":[{"code":"BRAND_NEW","message":"m"}]})";
    for (int status = 300; status < 600; ++status) {
        const AttemptResult result =
            providerKind(kind)->classify(settings, items(settings), answer(status, body), {}).front();
        QVERIFY(result.outcome != Outcome::PermanentRecipient && result.outcome != Outcome::Accepted);
        const bool isTransient = knowsKeys(kind) || (kind == QLatin1String("sendgrid") && status == 503);
        if (status >= 500)
            QCOMPARE(toText(result.outcome), toText(isTransient ? Outcome::Transient : Outcome::Unknown));
        if (status == 400 || status == 409 || status == 422)
            QCOMPARE(toText(result.outcome), toText(Outcome::PermanentMessage));
    }
}

void TestProviderRequests::everyKindIsInASuite()
{
    QStringList kinds = kindsWithTheirOwnSuite();
    for (const Sample &each : samples())
        kinds += each.kind;
    for (const QString &kind : providerKindNames())
        QVERIFY2(kinds.contains(kind), qPrintable(kind));
}

void TestProviderRequests::unsubscribeHeaders_goWithTheMail_data()
{
    QTest::addColumn<QString>("kind");
    for (const char *kind : {"postmark", "resend", "sendgrid"})
        QTest::newRow(kind) << QString::fromLatin1(kind);
}

void TestProviderRequests::unsubscribeHeaders_goWithTheMail()
{
    QFETCH(QString, kind);
    const ProviderSettings settings = provider(kind, {});
    const auto headersOf = [&](const RenderedMessage &rendered) {
        const auto body = providerKind(kind)->compose(settings, rendered, addressOf(Channel::Email, 0), DeliveryId());
        const QJsonObject mail = QJsonDocument::fromJson(*body).object();
        QMap<QString, QString> headers;
        for (const QJsonValue &header : mail.value(QStringLiteral("Headers")).toArray())
            headers.insert(header.toObject().value(QStringLiteral("Name")).toString(),
                           header.toObject().value(QStringLiteral("Value")).toString());
        const QJsonObject named = mail.value(QStringLiteral("headers")).toObject();
        for (auto each = named.begin(); each != named.end(); ++each)
            headers.insert(each.key(), each.value().toString());
        return headers;
    };
    RenderedMessage rendered = message(Channel::Email);
    QVERIFY(headersOf(rendered).isEmpty());
    rendered.unsubscribeUrl = QStringLiteral("https://taxi.example/u/token-1");
    QCOMPARE(headersOf(rendered),
             (QMap<QString, QString>{
                 {QStringLiteral("List-Unsubscribe"), QStringLiteral("<https://taxi.example/u/token-1>")},
                 {QStringLiteral("List-Unsubscribe-Post"), QStringLiteral("List-Unsubscribe=One-Click")}}));
}

void TestProviderRequests::twilio_formIsWhatItsApiReads()
{
    ProviderSettings settings = provider(QStringLiteral("twilio"), QUrl(QStringLiteral("https://api.twilio.com")));
    settings.publicUrl = QUrl(QStringLiteral("https://notify.taxi.example/hooks/"));
    RenderedMessage rendered = message(Channel::Sms);
    rendered.text = QStringLiteral("5 € & 10 % = + Žižkov\n");
    rendered.validFor = Milliseconds(90'500);
    const DeliveryId id(QStringLiteral("d-1"));
    const ProviderKind &kind = *providerKind(QStringLiteral("twilio"));
    const auto fieldsOf = [&](const QString &address) {
        const QByteArray body = *kind.compose(settings, rendered, address, id);
        const QUrlQuery form(QString::fromUtf8(QByteArray(body).replace('+', "%20")));
        QMap<QString, QString> fields;
        for (const auto &[name, value] : form.queryItems(QUrl::FullyDecoded))
            fields.insert(name, value);
        return fields;
    };
    QMap<QString, QString> expected{
        {QStringLiteral("To"), QStringLiteral("+15550001234")},
        {QStringLiteral("From"), settings.from},
        {QStringLiteral("Body"), rendered.text},
        {QStringLiteral("ValidityPeriod"), QStringLiteral("90")},
        {QStringLiteral("StatusCallback"),
         QStringLiteral("https://notify.taxi.example/hooks/callbacks/twilio?delivery=d-1")}};
    QCOMPARE(fieldsOf(QStringLiteral("+1 (555) 000-1234")), expected);
    rendered.validFor = Milliseconds(1);
    QCOMPARE(fieldsOf(addressOf(Channel::Sms, 0)).value(QStringLiteral("ValidityPeriod")), QStringLiteral("1"));
    rendered.validFor = std::chrono::hours(72);
    QCOMPARE(fieldsOf(addressOf(Channel::Sms, 0)).value(QStringLiteral("ValidityPeriod")), QStringLiteral("36000"));
    rendered.validFor.reset();
    settings.publicUrl.clear();
    settings.options.insert(QStringLiteral("messaging_service_sid"), QStringLiteral("MG") + QString(32, u'0'));
    expected = {{QStringLiteral("To"), QStringLiteral("+15550001234")},
                {QStringLiteral("MessagingServiceSid"), QStringLiteral("MG") + QString(32, u'0')},
                {QStringLiteral("Body"), rendered.text}};
    QCOMPARE(fieldsOf(addressOf(Channel::Sms, 0)), expected);
}

void TestProviderRequests::twilio_refusesWhatItWouldRefuse_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<int>("characters");
    QTest::addColumn<QString>("why"); // empty: taken
    const QString number = addressOf(Channel::Sms, 0);
    QTest::newRow("the longest text") << number << 1600 << QString();
    QTest::newRow("one more") << number << 1601 << QStringLiteral("1601");
    QTest::newRow("national number") << QStringLiteral("0555 0001234") << 10 << QStringLiteral("international");
    QTest::newRow("word") << QStringLiteral("taxi") << 10 << QStringLiteral("international");
    QTest::newRow("mail address") << addressOf(Channel::Email, 0) << 10 << QStringLiteral("international");
}

void TestProviderRequests::twilio_refusesWhatItWouldRefuse()
{
    QFETCH(QString, address);
    QFETCH(int, characters);
    QFETCH(QString, why);
    RenderedMessage rendered = message(Channel::Sms);
    rendered.text = QString(characters, u'x');
    const auto composed = providerKind(QStringLiteral("twilio"))
                              ->compose(provider(QStringLiteral("twilio"), {}), rendered, address, DeliveryId());
    QCOMPARE(composed.ok(), why.isEmpty());
    if (!composed) {
        QVERIFY2(composed.error().message.contains(why), qPrintable(composed.error().message));
        QVERIFY(!composed.error().message.contains(address));
    }
}

void TestProviderRequests::twilio_keysAndServicesAreOptions()
{
    const auto problem = [](const QMap<QString, QString> &options, const QString &from) {
        ProviderSettings settings = provider(QStringLiteral("twilio"), {});
        settings.options = options;
        settings.from = from;
        const auto checked = providerKind(QStringLiteral("twilio"))->check(settings);
        return checked ? QString() : checked.error().message.section(u' ', 0, 0);
    };
    const QString account = QStringLiteral("account_sid");
    const QString key = QStringLiteral("key_sid");
    const QString service = QStringLiteral("messaging_service_sid");
    const QString from = QStringLiteral("+15550100001");
    const QString digits(32, u'a');
    QCOMPARE(problem({{account, accountSid}}, from), QString());
    QCOMPARE(problem({{account, accountSid}, {service, u'M' + (u'G' + digits)}}, {}), QString());
    QCOMPARE(problem({{account, accountSid}, {key, u'S' + (u'K' + digits)}}, from), QString());
    QCOMPARE(problem({}, from), QStringLiteral("options.account_sid"));
    QCOMPARE(problem({{account, accountSid.left(33)}}, from), QStringLiteral("options.account_sid"));
    QCOMPARE(problem({{account, accountSid}, {key, digits}}, from), QStringLiteral("options.key_sid"));
    QCOMPARE(problem({{account, accountSid}, {service, digits}}, from),
             QStringLiteral("options.messaging_service_sid"));
    QCOMPARE(problem({{account, accountSid}}, {}), QStringLiteral("from"));

    ProviderSettings settings = provider(QStringLiteral("twilio"), QUrl(QStringLiteral("https://api.twilio.com")));
    settings.options.insert(key, u'S' + (u'K' + digits));
    const HttpRequest request = providerKind(QStringLiteral("twilio"))->request(settings, items(settings));
    QVERIFY(request.url.path().contains(accountSid));
    QCOMPARE(request.headers.front().second, "Basic " + ("SK" + digits.toLatin1() + ':' + apiKey).toBase64());
}

void TestProviderRequests::sendgrid_bodyIsWhatItsApiReads()
{
    ProviderSettings settings = provider(QStringLiteral("sendgrid"), QUrl(QStringLiteral("https://api.sendgrid.com")));
    const ProviderKind &kind = *providerKind(QStringLiteral("sendgrid"));
    const auto sending = items(settings);
    const QJsonObject body = QJsonDocument::fromJson(sending[0].body).object();
    const QJsonObject one = body.value(QStringLiteral("personalizations")).toArray().at(0).toObject();
    QCOMPARE(one.value(QStringLiteral("to")).toArray(),
             (QJsonArray{QJsonObject{{QStringLiteral("email"), sending[0].address}}}));
    QCOMPARE(one.value(QStringLiteral("custom_args")).toObject().value(QStringLiteral("delivery")).toString(),
             sending[0].id.value);
    QCOMPARE(body.value(QStringLiteral("from")).toObject(),
             (QJsonObject{{QStringLiteral("email"), QStringLiteral("no-reply@taxi.example")},
                          {QStringLiteral("name"), QStringLiteral("Taxi")}}));
    const QJsonArray content = body.value(QStringLiteral("content")).toArray();
    QCOMPARE(content.size(), 2);
    QCOMPARE(content.at(0).toObject().value(QStringLiteral("type")).toString(), QStringLiteral("text/plain"));
    QCOMPARE(content.at(1).toObject().value(QStringLiteral("value")).toString(), message(Channel::Email).html);

    QCOMPARE(kind.request(settings, sending).url, QUrl(QStringLiteral("https://api.sendgrid.com/v3/mail/send")));
    settings.options.insert(QStringLiteral("region"), QStringLiteral("eu"));
    QCOMPARE(kind.request(settings, sending).url, QUrl(QStringLiteral("https://api.eu.sendgrid.com/v3/mail/send")));
    settings.baseUrl = QUrl(QStringLiteral("http://127.0.0.1:1"));
    QCOMPARE(kind.request(settings, sending).url.host(), QStringLiteral("127.0.0.1"));
    QVERIFY(kind.check(settings).ok());
    settings.options.insert(QStringLiteral("region"), QStringLiteral("mars"));
    QVERIFY(!kind.check(settings).ok());
}

void TestProviderRequests::postmark_doubtfulBatchesAreUnknownAsAWhole()
{
    const ProviderSettings settings = provider(QStringLiteral("postmark"), {});
    const QByteArray good = R"({"ErrorCode":0,"Message":"OK","MessageID":"m-0"})";
    for (const QByteArray &body : {QByteArray("[]"), '[' + good + ']', '[' + good + ',' + good + ',' + good + ']', good,
                                   QByteArray("<html></html>")}) {
        const auto results =
            providerKind(QStringLiteral("postmark"))->classify(settings, items(settings, 2), answer(200, body), {});
        QCOMPARE(results.size(), size_t(2));
        for (const AttemptResult &result : results)
            QCOMPARE(toText(result.outcome), toText(Outcome::Unknown));
    }
    // An address that is dead is somebody's; of a batch that was refused as a whole it is nobody's.
    const auto refused =
        providerKind(QStringLiteral("postmark"))
            ->classify(settings, items(settings, 2), answer(422, R"({"ErrorCode":406,"Message":"inactive"})"), {});
    for (const AttemptResult &result : refused)
        QCOMPARE(toText(result.outcome), toText(Outcome::PermanentMessage));
}

void TestProviderRequests::postmark_anInactiveAddressInsideASuccessIsNoSuccess()
{
    const ProviderSettings settings = provider(QStringLiteral("postmark"), {});
    const auto sending = items(settings);
    const auto outcome = [&](const QString &inactive) {
        const QByteArray body =
            QStringLiteral(R"({"ErrorCode":0,"MessageID":"m-1","Message":"Message OK, but will not )"
                           R"(deliver to these inactive addresses: %1. Inactive recipients are )"
                           R"(not mailed."})")
                .arg(inactive)
                .toUtf8();
        return providerKind(QStringLiteral("postmark"))->classify(settings, sending, answer(200, body), {}).front();
    };
    QCOMPARE(toText(outcome(QStringLiteral("gone@mail.example")).outcome), toText(Outcome::Accepted));
    QCOMPARE(toText(outcome(QStringLiteral("gone@mail.example, ") + sending[0].address.toUpper()).outcome),
             toText(Outcome::PermanentRecipient));
    QCOMPARE(toText(outcome(u'x' + sending[0].address).outcome), toText(Outcome::Accepted));
}

void TestProviderRequests::asking_isOneGetWithTheKeysInPlace_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("messageId");
    QTest::addColumn<QString>("path");
    const QString messages = QStringLiteral("/2010-04-01/Accounts/%1/Messages").arg(accountSid);
    QTest::newRow("twilio, known") << QStringLiteral("twilio") << QStringLiteral("SM1")
                                   << messages + QStringLiteral("/SM1.json");
    QTest::newRow("twilio, unknown") << QStringLiteral("twilio") << QString()
                                     << messages + QStringLiteral(".json?To=%2B15550001234&From=%2B15550100001&"
                                                                  "PageSize=100");
    QTest::newRow("postmark, known") << QStringLiteral("postmark") << QStringLiteral("m-1")
                                     << QStringLiteral("/messages/outbound/m-1/details");
    QTest::newRow("postmark, unknown") << QStringLiteral("postmark") << QString()
                                       << QStringLiteral("/messages/outbound?count=5&offset=0&metadata_delivery=d-1");
    QTest::newRow("resend, known") << QStringLiteral("resend") << QStringLiteral("m-1")
                                   << QStringLiteral("/emails/m-1");
}

void TestProviderRequests::asking_isOneGetWithTheKeysInPlace()
{
    QFETCH(QString, kind);
    QFETCH(QString, messageId);
    QFETCH(QString, path);
    const ProviderSettings settings = provider(kind, QUrl(QStringLiteral("https://api.example")));
    const HttpRequest request = providerKind(kind)->ask(settings, {question(providerKind(kind)->channel, messageId)});
    QCOMPARE(request.method, QByteArray("GET"));
    QVERIFY(request.body.isEmpty());
    QCOMPARE(request.url.toEncoded(), "https://api.example" + path.toLatin1());
    const auto header = std::find_if(request.headers.begin(), request.headers.end(),
                                     [&kind](const auto &each) { return each.first == sample(kind).keyHeader; });
    QVERIFY(header != request.headers.end());
    QCOMPARE(header->second, sample(kind).keyValue);
}

void TestProviderRequests::twilio_isSureOfOneMessageSinceTheHandOverOnly_data()
{
    using Found = FoundMessage::Found;
    QTest::addColumn<QByteArray>("messages");
    QTest::addColumn<QByteArray>("nextPage");
    QTest::addColumn<int>("expected");
    const auto at = [](const char *time, const char *direction = "outbound-api") {
        return QByteArray(R"({"sid":"SM1","status":"delivered","error_code":null,"to":"+15550001234","direction":")") +
               direction + R"(","date_created":"Mon, 30 Nov 2026 )" + time + R"( +0000"})";
    };
    const auto row = [](const char *name, const QByteArray &messages, Found expected, const char *nextPage = "null") {
        QTest::newRow(name) << messages << QByteArray(nextPage) << int(expected);
    };
    row("none", "", Found::No);
    row("one since", at("12:00:03"), Found::Yes);
    row("one in the same second", at("12:00:00"), Found::Yes);
    row("clocks differ by a second", at("11:59:58"), Found::Yes);
    row("clocks may differ by more", at("11:59:30"), Found::Unclear);
    row("long before", at("11:30:00"), Found::No);
    row("one since, one long before", at("12:00:03") + ',' + at("11:30:00"), Found::Yes);
    row("two since", at("12:05:00") + ',' + at("12:00:03"), Found::Unclear);
    row("one since, one doubtful", at("12:00:03") + ',' + at("11:59:30"), Found::Unclear);
    row("an answer of theirs", at("12:00:03", "inbound"), Found::No);
    row("without a date", R"({"sid":"SM1","status":"sent"})", Found::Unclear);
    row("more than are listed", at("12:00:03"), Found::Unclear, "\"/more\"");
    row("more, but older", at("12:00:03") + ',' + at("11:30:00"), Found::Yes, "\"/more\"");
}

void TestProviderRequests::twilio_isSureOfOneMessageSinceTheHandOverOnly()
{
    QFETCH(QByteArray, messages);
    QFETCH(QByteArray, nextPage);
    QFETCH(int, expected);
    const QString kind = QStringLiteral("twilio");
    const QByteArray body = "{\"messages\":[" + messages + "],\"next_page_uri\":" + nextPage + '}';
    const FoundMessage answered = found(kind, body, question(Channel::Sms));
    QCOMPARE(int(answered.found), expected);
    QCOMPARE(answered.receipt.has_value(), answered.found == FoundMessage::Found::Yes);
    QCOMPARE(answered.why.isEmpty(), answered.found != FoundMessage::Found::Unclear);
    if (answered.receipt) {
        QCOMPARE(answered.receipt->messageId, QStringLiteral("SM1"));
        QCOMPARE(toText(answered.receipt->kind), toText(ReceiptKind::Delivered));
        QCOMPARE(answered.receipt->delivery.value, QStringLiteral("d-1"));
    }
    // No answer and odd ones prove nothing.
    for (const QByteArray &odd : {QByteArray("<html></html>"), QByteArray("{}"), QByteArray("[]")})
        QCOMPARE(int(found(kind, odd, question(Channel::Sms)).found), int(FoundMessage::Found::Unclear));
    for (const int status : {0, 401, 404, 429, 500})
        QCOMPARE(int(found(kind, body, question(Channel::Sms), status).found), int(FoundMessage::Found::Unclear));
}

void TestProviderRequests::postmark_findsByOurOwnId()
{
    using Found = FoundMessage::Found;
    const QString kind = QStringLiteral("postmark");
    const OpenQuestion unknown = question(Channel::Email);
    QCOMPARE(int(found(kind, R"({"TotalCount":0,"Messages":[]})", unknown).found), int(Found::No));
    const FoundMessage sent =
        found(kind, R"({"TotalCount":1,"Messages":[{"MessageID":"m-1","Status":"Sent"}]})", unknown);
    QCOMPARE(int(sent.found), int(Found::Yes));
    QCOMPARE(toText(sent.receipt->kind), toText(ReceiptKind::Sent));
    QCOMPARE(sent.receipt->messageId, QStringLiteral("m-1"));
    for (const char *odd : {"{}", "<html>", R"({"TotalCount":1,"Messages":[]})", R"({"Messages":[]})"})
        QCOMPARE(int(found(kind, odd, unknown).found), int(Found::Unclear));
    QCOMPARE(int(found(kind, R"({"TotalCount":0,"Messages":[]})", unknown, 500).found), int(Found::Unclear));
    const FoundMessage details = found(kind,
                                       R"({"MessageID":"m-1","Status":"Sent","MessageEvents":[{"Type":"Transient"},)"
                                       R"({"Type":"Delivered"},{"Type":"Opened"}]})",
                                       question(Channel::Email, QStringLiteral("m-1")));
    QCOMPARE(toText(details.receipt->kind), toText(ReceiptKind::Delivered));
}

void TestProviderRequests::resend_findsByItsOwnIdAlone()
{
    using Found = FoundMessage::Found;
    const QString kind = QStringLiteral("resend");
    const OpenQuestion known = question(Channel::Email, QStringLiteral("m-1"));
    const FoundMessage delivered = found(kind, R"({"object":"email","id":"m-1","last_event":"opened"})", known);
    QCOMPARE(int(delivered.found), int(Found::Yes));
    QCOMPARE(toText(delivered.receipt->kind), toText(ReceiptKind::Delivered));
    const FoundMessage complained = found(kind, R"({"id":"m-1","last_event":"complained"})", known);
    QVERIFY(complained.receipt->suppresses);
    QCOMPARE(int(found(kind, R"({"id":"m-1","last_event":"brand_new"})", known).found), int(Found::Unclear));
    QCOMPARE(int(found(kind, R"({"name":"not_found"})", known, 404).found), int(Found::Unclear));
    QVERIFY(providerKind(kind)->ask(provider(kind, {}), {question(Channel::Email)}).url.isEmpty());
    QCOMPARE(int(found(kind, R"({"id":"m-1","last_event":"sent"})", question(Channel::Email)).found),
             int(Found::Unclear));
}

QTEST_GUILESS_MAIN(TestProviderRequests)
#include "tst_provider_requests.moc"
