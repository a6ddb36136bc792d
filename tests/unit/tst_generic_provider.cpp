#include "channel/generic/body_template.h"
#include "channel/generic/generic_kind.h"
#include "channel/generic/generic_rules.h"
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <QUrlQuery>
#include <QXmlStreamReader>

using namespace sendoff;
using namespace sendoff::channel;

namespace {

using Options = QMap<QString, QString>;

// As the README shows them.
ProviderSettings slack()
{
    ProviderSettings settings;
    settings.name = QStringLiteral("slack");
    settings.kind = QStringLiteral("http");
    settings.channel = Channel::Webhook;
    settings.baseUrl = QUrl(QStringLiteral("https://hooks.slack.com"));
    settings.apiKey = "T000/B000/XXXX";
    settings.options = {{QStringLiteral("path"), QStringLiteral("/services/{{key}}")},
                        {QStringLiteral("body"), QStringLiteral("{\"text\":\"{{text}}\"}")},
                        {QStringLiteral("rules.1"), QStringLiteral("body=user_not_found -> permanent_recipient")},
                        {QStringLiteral("rules.2"), QStringLiteral("body=channel_not_found -> permanent_recipient")},
                        {QStringLiteral("rules.3"), QStringLiteral("body=channel_is_archived -> permanent_recipient")},
                        {QStringLiteral("rules.4"), QStringLiteral("body*=no_service -> permanent_recipient")},
                        {QStringLiteral("rules.5"), QStringLiteral("body=no_team -> permanent_recipient")},
                        {QStringLiteral("rules.6"), QStringLiteral("body=team_disabled -> permanent_recipient")},
                        {QStringLiteral("rules.7"), QStringLiteral("body=no_active_hooks -> permanent_recipient")},
                        {QStringLiteral("rules.8"), QStringLiteral("body=rollup_error -> transient")}};
    return settings;
}

ProviderSettings pigeon()
{
    ProviderSettings settings;
    settings.name = QStringLiteral("pigeon");
    settings.kind = QStringLiteral("http");
    settings.channel = Channel::Sms;
    settings.baseUrl = QUrl(QStringLiteral("https://api.pigeon.example/v2/"));
    settings.apiKey = "pk-0123456789";
    settings.from = QStringLiteral("Parking");
    settings.options = {
        {QStringLiteral("path"), QStringLiteral("/messages")},
        {QStringLiteral("body"),
         QStringLiteral(
             "{\"to\":\"{{address}}\",\"from\":\"{{from}}\",\"text\":\"{{text}}\",\"reference\":\"{{id}}\"}")},
        {QStringLiteral("message_id"), QStringLiteral("/message/id")},
        {QStringLiteral("error_code"), QStringLiteral("/error/code")},
        {QStringLiteral("error_text"), QStringLiteral("/error/message")},
        {QStringLiteral("wait"), QStringLiteral("/error/retry_in_ms")},
        {QStringLiteral("wait_unit"), QStringLiteral("ms")},
        {QStringLiteral("idempotency_header"), QStringLiteral("X-Request-Id")},
        {QStringLiteral("idempotency_window"), QStringLiteral("12h")},
        {QStringLiteral("headers.Authorization"), QStringLiteral("Bearer {{key}}")},
        {QStringLiteral("rules.1"), QStringLiteral("/error/code=unreachable_number -> permanent_recipient")},
        {QStringLiteral("rules.2"), QStringLiteral("/error/message*=\"not enough credit\" -> configuration")},
        {QStringLiteral("rules.3"), QStringLiteral("/error/code=busy_line -> throttled wait=30s only-this")},
        {QStringLiteral("rules.10"), QStringLiteral("status=409 -> accepted")},
        {QStringLiteral("rules.9"), QStringLiteral("status=409 /error/code=conflict -> permanent_message")}};
    return settings;
}

RenderedMessage message(Channel channel, const QString &text = QStringLiteral("Hello"))
{
    RenderedMessage made;
    made.channel = channel;
    made.text = text;
    return made;
}

const DeliveryId deliveryIdOfTest(QStringLiteral("00000000-0000-5000-8000-000000000001"));

QByteArray composed(const ProviderSettings &settings, const QString &text,
                    const QString &address = QStringLiteral("+15550001111"))
{
    const auto body = genericKind().compose(settings, message(settings.channel, text), address, deliveryIdOfTest);
    if (!body)
        qFatal("the test's message can't be composed: %s", qPrintable(body.error().message));
    return *body;
}

HttpRequest requestOf(const ProviderSettings &settings, const QString &address = QStringLiteral("+15550001111"))
{
    return genericKind().request(settings, {{deliveryIdOfTest, composed(settings, QStringLiteral("Hello")), address}});
}

AttemptResult classified(const ProviderSettings &settings, int status, const QByteArray &body,
                         const HttpHeaders &headers = {}, Timestamp now = {})
{
    HttpAnswer answer;
    answer.status = status;
    answer.body = body;
    answer.headers = headers;
    return genericKind().classify(settings, {{deliveryIdOfTest, "{}", QStringLiteral("a")}}, answer, now).front();
}

QJsonArray vectors(const char *name, const char *key)
{
    QFile file(QStringLiteral(SENDOFF_SOURCE_DIR "/tests/vectors/data/") + QLatin1String(name));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the vector file %s can't be read", name);
    QJsonArray chosen;
    for (const QJsonValue &value :
         QJsonDocument::fromJson(file.readAll()).object().value(QLatin1String(key)).toArray()) {
        if (value.toObject().value(QLatin1String("provider")) == QLatin1String("slack"))
            chosen.append(value);
    }
    return chosen;
}

const QString hostile = QStringLiteral("a\"b\\c\n\u2028<d>&'e' {{id}} %41 +\U0001F60A");

} // namespace

class TestGenericProvider : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void slackCodes_haveTheirClass_data();
    void slackCodes_haveTheirClass();
    void slackResponses_haveClassAndWait_data();
    void slackResponses_haveClassAndWait();
    void slackRequest_hasItsKeyInThePath();

    void jsonProvider_isAskedAsDescribed();
    void jsonProvider_answersAreReadAsDescribed_data();
    void jsonProvider_answersAreReadAsDescribed();
    void wait_isReadInItsUnitAndHeadersWin();
    void idempotency_decidesWhatAServerErrorMeans();

    void jsonBody_holdsAnyTextAsOneString();
    void formBody_holdsAnyTextAsOneField();
    void xmlBody_holdsAnyTextAsOneElement();
    void plainBody_isTheTextItself();
    void address_staysOneStepOfThePath_data();
    void address_staysOneStepOfThePath();
    void key_joinsTheBodyOnTheWayOut_data();
    void key_joinsTheBodyOnTheWayOut();
    void compose_refusesWhatCantBeSent();

    void rules_matchWhatTheySay_data();
    void rules_matchWhatTheySay();
    void brokenRules_areRefused_data();
    void brokenRules_areRefused();
    void check_namesTheOptionAtFault_data();
    void check_namesTheOptionAtFault();
    void check_wantsTheKeyUsedAndGiven();
};

void TestGenericProvider::slackCodes_haveTheirClass_data()
{
    QTest::addColumn<QJsonObject>("vector");
    for (const QJsonValue &value : vectors("error_codes.json", "codes"))
        QTest::newRow(qPrintable(value[QLatin1String("code")].toString())) << value.toObject();
}

void TestGenericProvider::slackCodes_haveTheirClass()
{
    QFETCH(QJsonObject, vector);
    const QString code = vector.value(QLatin1String("code")).toString();
    QVERIFY(genericKind().check(slack()).ok());
    const AttemptResult result =
        classified(slack(), vector.value(QLatin1String("http_status")).toInt(), code.toUtf8() + '\n');
    QCOMPARE(QString(toText(result.outcome)), vector.value(QLatin1String("class")).toString());
    QCOMPARE(result.code, code);
}

void TestGenericProvider::slackResponses_haveClassAndWait_data()
{
    QTest::addColumn<QJsonObject>("vector");
    for (const QJsonValue &value : vectors("error_responses.json", "cases"))
        QTest::newRow(qPrintable(value[QLatin1String("id")].toString())) << value.toObject();
}

void TestGenericProvider::slackResponses_haveClassAndWait()
{
    QFETCH(QJsonObject, vector);
    HttpHeaders headers;
    const QJsonObject given = vector.value(QLatin1String("headers")).toObject();
    for (auto each = given.begin(); each != given.end(); ++each)
        headers.emplace_back(each.key().toLatin1(), each.value().toString().toLatin1());
    const AttemptResult result =
        classified(slack(), vector.value(QLatin1String("http_status")).toInt(),
                   vector.value(QLatin1String("body")).toString().toUtf8(), headers,
                   Timestamp(std::chrono::seconds(vector.value(QLatin1String("now_unix")).toInteger())));
    const QString expected = vector.value(QLatin1String("expected_class")).toString();
    QCOMPARE(QString(toText(result.outcome)),
             expected == QLatin1String("success") ? QStringLiteral("accepted") : expected);
    const QJsonValue wait = vector.value(QLatin1String("expected_wait_s"));
    QCOMPARE(result.wait.has_value(), wait.isDouble());
    if (wait.isDouble())
        QCOMPARE(result.wait->count(), qint64(wait.toDouble() * 1000));
}

void TestGenericProvider::slackRequest_hasItsKeyInThePath()
{
    const HttpRequest request = requestOf(slack(), QStringLiteral("#parking"));
    QCOMPARE(request.url, QUrl(QStringLiteral("https://hooks.slack.com/services/T000/B000/XXXX")));
    QCOMPARE(request.body, QByteArray("{\"text\":\"Hello\"}"));
    QCOMPARE(request.method, QByteArray("POST"));
    QCOMPARE(genericKind().idempotencyWindow.count(), 0);
    QCOMPARE(genericIdempotencyWindow(slack()).count(), 0);
}

void TestGenericProvider::jsonProvider_isAskedAsDescribed()
{
    const auto checked = genericKind().check(pigeon());
    QVERIFY2(checked.ok(), checked ? "" : qPrintable(checked.error().message));
    const HttpRequest request = requestOf(pigeon());
    QCOMPARE(request.url, QUrl(QStringLiteral("https://api.pigeon.example/v2/messages")));
    QCOMPARE(request.contentType, QByteArray("application/json"));
    QCOMPARE(QJsonDocument::fromJson(request.body).object(),
             QJsonObject({{QStringLiteral("to"), QStringLiteral("+15550001111")},
                          {QStringLiteral("from"), QStringLiteral("Parking")},
                          {QStringLiteral("text"), QStringLiteral("Hello")},
                          {QStringLiteral("reference"), deliveryIdOfTest.value}}));
    QMap<QByteArray, QByteArray> headers;
    for (const auto &[name, value] : request.headers)
        headers.insert(name, value);
    QCOMPARE(headers.value("Authorization"), QByteArray("Bearer pk-0123456789"));
    QCOMPARE(headers.value("X-Request-Id"), deliveryIdOfTest.value.toUtf8());
    QVERIFY(headers.value("User-Agent").startsWith("Sendoff/"));
    QCOMPARE(genericIdempotencyWindow(pigeon()), Milliseconds(std::chrono::hours(12)));
}

void TestGenericProvider::jsonProvider_answersAreReadAsDescribed_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("code");
    const auto row = [](const char *name, int status, const QByteArray &body, Outcome outcome, const char *code) {
        QTest::newRow(name) << status << body << outcome << QString::fromLatin1(code);
    };
    row("taken", 201, R"({"message":{"id":"p-1"}})", Outcome::Accepted, "");
    row("taken without id", 200, R"({"message":{}})", Outcome::Unknown, "answer_without_id");
    row("a page", 200, "<html>login</html>", Outcome::Unknown, "answer_without_id");
    row("dead number", 400, R"({"error":{"code":"unreachable_number","message":"gone"}})", Outcome::PermanentRecipient,
        "unreachable_number");
    row("a rule for 200", 200, R"({"error":{"code":"unreachable_number"}})", Outcome::PermanentRecipient,
        "unreachable_number");
    row("by its text", 402, R"({"error":{"code":"x1","message":"There is Not Enough Credit left"}})",
        Outcome::Configuration, "x1");
    row("busy", 400, R"({"error":{"code":"busy_line"}})", Outcome::Throttled, "busy_line");
    row("rules by number: 9 before 10", 409, R"({"error":{"code":"conflict"}})", Outcome::PermanentMessage, "conflict");
    row("rule 10", 409, R"({"error":{"code":"duplicate"}})", Outcome::Accepted, "");
    row("no rule, 400", 400, R"({"error":{"code":"brand_new"}})", Outcome::PermanentMessage, "brand_new");
    row("no rule, 401", 401, "{}", Outcome::Configuration, "http_401");
    row("no rule, 429", 429, "{}", Outcome::Throttled, "http_429");
    row("no rule, 503", 503, "<html>", Outcome::Transient, "http_503");
    row("number as code", 400, R"({"error":{"code":4711}})", Outcome::PermanentMessage, "4711");
}

void TestGenericProvider::jsonProvider_answersAreReadAsDescribed()
{
    QFETCH(int, status);
    QFETCH(QByteArray, body);
    QFETCH(Outcome, outcome);
    QFETCH(QString, code);
    const AttemptResult result = classified(pigeon(), status, body);
    QCOMPARE(toText(result.outcome), toText(outcome));
    QCOMPARE(result.code, code);
    QCOMPARE(result.status, status);
    QCOMPARE(result.providerMessageId, status == 201 ? QStringLiteral("p-1") : QString());
    QCOMPARE(result.pausesBucket, code != QLatin1String("busy_line"));
    if (code == QLatin1String("busy_line"))
        QCOMPARE(result.wait->count(), 30'000);
    QVERIFY(outcome == Outcome::Accepted || !result.text.isEmpty());
    QVERIFY(!result.text.contains(QStringLiteral("html")));
}

void TestGenericProvider::wait_isReadInItsUnitAndHeadersWin()
{
    const QByteArray body = R"({"error":{"retry_in_ms":1500}})";
    QCOMPARE(classified(pigeon(), 429, body).wait->count(), 1500);
    QCOMPARE(classified(pigeon(), 429, body, {{"Retry-After", "9"}}).wait->count(), 9000);
    ProviderSettings seconds = pigeon();
    seconds.options.remove(QStringLiteral("wait_unit"));
    QCOMPARE(classified(seconds, 429, body).wait->count(), 1'500'000);
    for (const char *rubbish : {"-5", "\"soon\"", "null", "1e400"}) {
        const AttemptResult result =
            classified(pigeon(), 429, "{\"error\":{\"retry_in_ms\":" + QByteArray(rubbish) + "}}");
        QVERIFY(!result.wait);
    }
    QVERIFY(classified(pigeon(), 429, R"({"error":{"retry_in_ms":1e300}})").wait->count() > 0); // no overflow
    // A rule's wait is a floor.
    QCOMPARE(classified(pigeon(), 400, R"({"error":{"code":"busy_line","retry_in_ms":90000}})").wait->count(), 90'000);
    QCOMPARE(classified(pigeon(), 400, R"({"error":{"code":"busy_line","retry_in_ms":10}})").wait->count(), 30'000);
}

void TestGenericProvider::idempotency_decidesWhatAServerErrorMeans()
{
    ProviderSettings settings = pigeon();
    QCOMPARE(toText(classified(settings, 500, "{}").outcome), toText(Outcome::Transient));
    settings.options.remove(QStringLiteral("idempotency_header"));
    settings.options.remove(QStringLiteral("idempotency_window"));
    QCOMPARE(toText(classified(settings, 500, "{}").outcome), toText(Outcome::Unknown));
}

void TestGenericProvider::jsonBody_holdsAnyTextAsOneString()
{
    const QJsonObject body = QJsonDocument::fromJson(composed(pigeon(), hostile)).object();
    QCOMPARE(body.value(QStringLiteral("text")).toString(), hostile);
    QCOMPARE(body.size(), 4);
}

void TestGenericProvider::formBody_holdsAnyTextAsOneField()
{
    ProviderSettings settings = pigeon();
    settings.options[QStringLiteral("content_type")] = QStringLiteral("application/x-www-form-urlencoded");
    settings.options[QStringLiteral("body")] = QStringLiteral("to={{address}}&text={{text}}&x=1");
    QVERIFY(genericKind().check(settings).ok());
    const QByteArray body = composed(settings, hostile, QStringLiteral("+1&555=0"));
    QUrlQuery form;
    form.setQuery(QString::fromLatin1(body));
    QCOMPARE(form.queryItems().size(), 3);
    QCOMPARE(form.queryItemValue(QStringLiteral("text"), QUrl::FullyDecoded), hostile);
    QCOMPARE(form.queryItemValue(QStringLiteral("to"), QUrl::FullyDecoded), QStringLiteral("+1&555=0"));
    QVERIFY(!body.contains('+')); // which a form would read as a blank
}

void TestGenericProvider::xmlBody_holdsAnyTextAsOneElement()
{
    ProviderSettings settings = pigeon();
    settings.options[QStringLiteral("content_type")] = QStringLiteral("text/xml; charset=utf-8");
    settings.options[QStringLiteral("body")] = QStringLiteral("<sms to='{{address}}'><text>{{text}}</text></sms>");
    QVERIFY(genericKind().check(settings).ok());
    const QString address = QStringLiteral("+1'55\"5<");
    QXmlStreamReader reader(composed(settings, hostile + QChar(0x0b), address));
    QVERIFY(reader.readNextStartElement());
    QCOMPARE(reader.attributes().value(QStringLiteral("to")).toString(), address);
    QVERIFY(reader.readNextStartElement());
    QCOMPARE(reader.readElementText(), hostile + QChar(0xfffd));
    QVERIFY(!reader.readNextStartElement());
    QVERIFY(!reader.hasError());
}

void TestGenericProvider::plainBody_isTheTextItself()
{
    ProviderSettings settings = pigeon();
    settings.options[QStringLiteral("content_type")] = QStringLiteral("text/plain");
    settings.options[QStringLiteral("body")] = QStringLiteral("{{text}}");
    QVERIFY(genericKind().check(settings).ok());
    QCOMPARE(composed(settings, hostile), hostile.toUtf8()); // and what looks like a placeholder in it stays
}

void TestGenericProvider::address_staysOneStepOfThePath_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<QByteArray>("step");
    QTest::newRow("phone") << QStringLiteral("+15550001111") << QByteArray("%2B15550001111");
    QTest::newRow("steps") << QStringLiteral("a/../../admin") << QByteArray("a%2F..%2F..%2Fadmin");
    QTest::newRow("query") << QStringLiteral("a?admin=1#x") << QByteArray("a%3Fadmin%3D1%23x");
    QTest::newRow("placeholder") << QStringLiteral("{{key}}") << QByteArray("%7B%7Bkey%7D%7D");
    QTest::newRow("one step up") << QStringLiteral("..") << QByteArray("");
    QTest::newRow("unicode") << QStringLiteral("\u00e4") << QByteArray("%C3%A4");
}

void TestGenericProvider::address_staysOneStepOfThePath()
{
    QFETCH(QString, address);
    QFETCH(QByteArray, step);
    ProviderSettings settings = pigeon();
    settings.options[QStringLiteral("path")] = QStringLiteral("/to/{{ address }}/send?ref={{id}}");
    QVERIFY(genericKind().check(settings).ok());
    const QByteArray url = requestOf(settings, address).url.toEncoded();
    QCOMPARE(url, "https://api.pigeon.example/v2/to/" + step + "/send?ref=" + deliveryIdOfTest.value.toUtf8());
}

void TestGenericProvider::key_joinsTheBodyOnTheWayOut_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QByteArray>("sent");
    const QString json = QStringLiteral("application/json");
    QTest::newRow("JSON") << json << QStringLiteral("{\"text\":\"{{text}}\"}")
                          << QByteArray(R"({"token":"k\"&y","text":"Hello"})");
    QTest::newRow("empty JSON") << json << QStringLiteral(" { }") << QByteArray(R"( {"token":"k\"&y" })");
    QTest::newRow("form") << QStringLiteral("application/x-www-form-urlencoded") << QStringLiteral("text={{text}}")
                          << QByteArray("text=Hello&token=k%22%26y");
}

void TestGenericProvider::key_joinsTheBodyOnTheWayOut()
{
    QFETCH(QString, type);
    QFETCH(QString, body);
    QFETCH(QByteArray, sent);
    ProviderSettings settings = pigeon();
    settings.apiKey = "k\"&y";
    settings.options[QStringLiteral("content_type")] = type;
    settings.options[QStringLiteral("body")] = body;
    settings.options[QStringLiteral("key_field")] = QStringLiteral("token");
    QVERIFY(genericKind().check(settings).ok());
    QVERIFY(!composed(settings, QStringLiteral("Hello")).contains("k\"")); // which is what is frozen
    QCOMPARE(requestOf(settings).body, sent);
}

void TestGenericProvider::compose_refusesWhatCantBeSent()
{
    const auto compose = [](const ProviderSettings &settings, const RenderedMessage &rendered, const QString &address) {
        return genericKind().compose(settings, rendered, address, deliveryIdOfTest);
    };
    const QString phone = QStringLiteral("+15550001111");
    QVERIFY(compose(pigeon(), message(Channel::Sms), phone).ok());
    QVERIFY(!compose(pigeon(), message(Channel::Push), phone)); // the configuration says which channel
    QVERIFY(!compose(pigeon(), message(Channel::Sms), QString()));
    QVERIFY(!compose(pigeon(), message(Channel::Sms), phone + QStringLiteral("\r\nX: y")));
    QVERIFY(!compose(pigeon(), message(Channel::Sms, QString()), phone));
    ProviderSettings broken = pigeon();
    broken.options.remove(QStringLiteral("body"));
    const auto composedBody = compose(broken, message(Channel::Sms), phone);
    QVERIFY(!composedBody);
    QVERIFY(composedBody.error().message.contains(QStringLiteral("providers.pigeon.options.body")));
    QVERIFY(genericKind().anyChannel);
}

void TestGenericProvider::rules_matchWhatTheySay_data()
{
    QTest::addColumn<QString>("rule");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("matches");
    const auto row = [](const char *conditions, int status, const QByteArray &body, bool matches) {
        QTest::addRow("%s for %d %s", conditions, status, body.constData())
            << QString::fromUtf8(conditions) + QStringLiteral(" -> transient") << status << body << matches;
    };
    row("status=404", 404, "", true);
    row("status=404", 405, "", false);
    row("status=4xx", 499, "", true);
    row("status=4xx", 500, "", false);
    row("status=500-503", 503, "", true);
    row("status=500-503", 504, "", false);
    row("body=no_text", 400, " no_text\n", true);
    row("body=no_text", 400, "no_text!", false);
    row("body=no_text", 400, "NO_TEXT", false);
    row("body*=limit", 400, "Rate LIMIT hit", true);
    row("/code=7", 400, R"({"code":7})", true);
    row("/code=7", 400, R"({"code":"7"})", true);
    row("/code=7", 400, R"({"code":77})", false);
    row("/code=true", 400, R"({"code":true})", true);
    row("/e/0/code=x", 400, R"({"e":[{"code":"x"}]})", true);
    row("/a~1b=x", 400, R"({"a/b":"x"})", true);
    row("/code=7", 400, "code=7", false);
    row("/code=7", 400, "", false);
    row("/t=\"a \\\"b\\\" = c\"", 400, R"({"t":"a \"b\" = c"})", true);
    row("/t*=\"not found\"", 400, R"({"t":"Number Not Found."})", true);
    row("status=400 /code=7", 400, R"({"code":7})", true);
    row("status=400 /code=7", 401, R"({"code":7})", false);
}

void TestGenericProvider::rules_matchWhatTheySay()
{
    QFETCH(QString, rule);
    QFETCH(int, status);
    QFETCH(QByteArray, body);
    QFETCH(bool, matches);
    const auto parsed = GenericRule::parse(rule);
    QVERIFY2(parsed.ok(), parsed ? "" : qPrintable(parsed.error().message));
    HttpAnswer answer;
    answer.status = status;
    answer.body = body;
    const auto json = parseJson(body);
    QCOMPARE(parsed->matches(answer, json ? *json : JsonValue()), matches);
}

void TestGenericProvider::brokenRules_areRefused_data()
{
    QTest::addColumn<QString>("rule");
    for (const char *rule : {"",
                             "status=404",
                             "-> transient",
                             "status=404 ->",
                             "status=404 -> gone",
                             "status=404 -> Transient",
                             "status=abc -> transient",
                             "status=44 -> transient",
                             "status=0xx -> transient",
                             "status=6xx -> transient",
                             "status=503-500 -> transient",
                             "status=4xx-5xx -> transient",
                             "status*=4 -> transient",
                             "code=1 -> transient",
                             "404 -> transient",
                             "=x -> transient",
                             "body= -> transient",
                             "/p= -> transient",
                             "/p=\"x -> transient",
                             "status=404 -> transient wait=soon",
                             "status=404 -> transient wait=-1s",
                             "status=404 -> transient retry",
                             "status=404 -> configuration wait=5s",
                             "status=404 -> transient only-this"})
        QTest::addRow("\"%s\"", rule) << QString::fromLatin1(rule);
}

void TestGenericProvider::brokenRules_areRefused()
{
    QFETCH(QString, rule);
    const auto parsed = GenericRule::parse(rule);
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().code, ErrorCode::Invalid);
    QVERIFY(parsed.error().message.size() > 20);
}

void TestGenericProvider::check_namesTheOptionAtFault_data()
{
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("value");
    const auto row = [](const char *option, const char *value) {
        QTest::addRow("%s: %s", option, value) << QString::fromLatin1(option) << QString::fromLatin1(value);
    };
    row("method", "GET");
    row("method", "PUT");
    row("path", "messages");
    row("path", "/{{phone}}");
    row("path", "/{{text}}");
    row("path", "/{{key");
    row("content_type", "application/octet-stream");
    row("body", "");
    row("body", "{{{text}}}");
    row("body", "{\"text\":{{text}}}");
    row("body", "{\"text\":\"{{text}}\"");
    row("body", "{\"text\":\"{{words}}\"}");
    row("body", "{\"text\":\"{{key}}\"}"); // a frozen body never holds it
    row("headers.X-A", "{{text}}");
    row("message_id", "id");
    row("error_code", "error.code");
    row("wait", "wait");
    row("wait_unit", "minutes");
    row("idempotency_window", "long");
    row("rules.1", "status=404 -> nowhere");
    row("rules.first", "status=404 -> transient");
}

void TestGenericProvider::check_namesTheOptionAtFault()
{
    QFETCH(QString, option);
    QFETCH(QString, value);
    ProviderSettings settings = pigeon();
    settings.options[option] = value;
    const auto checked = genericKind().check(settings);
    QVERIFY(!checked);
    QVERIFY2(checked.error().message.startsWith(QStringLiteral("options.%1: ").arg(option)),
             qPrintable(checked.error().message));
    QVERIFY(!checked.error().message.contains(QStringLiteral("pk-0123456789")));
}

void TestGenericProvider::check_wantsTheKeyUsedAndGiven()
{
    ProviderSettings settings = pigeon();
    settings.apiKey.clear();
    QVERIFY(!genericKind().check(settings));
    settings.options.remove(QStringLiteral("headers.Authorization"));
    QVERIFY(genericKind().check(settings).ok());
    settings.apiKey = "k";
    QVERIFY(!genericKind().check(settings));
    QVERIFY(genericKind().check(settings).error().message.startsWith(QStringLiteral("api_key:")));
    settings.options[QStringLiteral("key_field")] = QStringLiteral("token");
    QVERIFY(genericKind().check(settings).ok());
    settings.options[QStringLiteral("content_type")] = QStringLiteral("text/plain");
    QVERIFY(!genericKind().check(settings)); // a text has no fields
}

QTEST_GUILESS_MAIN(TestGenericProvider)
#include "tst_generic_provider.moc"
