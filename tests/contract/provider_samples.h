#pragma once
#include "channel/provider_kind.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <algorithm>

// The kinds that send over HTTP with all that a suite needs to know of them to run the same tests on each.
namespace sendoff::test {

using namespace sendoff::channel;

inline const QByteArray apiKey = "re_test_0123456789abcdef";

// What a kind's provider looks like from outside: where the key goes, what a request is, what a success is.
struct Sample
{
    QString kind;
    QByteArray keyHeader;
    QByteArray keyValue;
    QByteArray contentType;
    int status = 200; // of a success
    QByteArray body;
    QByteArray headers;
    QString path; // of one send
};

inline const QString accountSid = QStringLiteral("ACffffffffffffffffffffffffffffffff");

// Every HTTP kind that a request and its answer are all of. Those whose requests need more than that, a token or a
// checked destination, have suites of their own: see kindsWithTheirOwnSuite().
inline const std::vector<Sample> &samples()
{
    const QByteArray json = "application/json";
    static const std::vector<Sample> all{
        {QStringLiteral("expo"), "Authorization", "Bearer " + apiKey, json, 200,
         R"({"data":[{"status":"ok","id":"m-1"}]})", "", QStringLiteral("/--/api/v2/push/send")},
        {QStringLiteral("http"), "Authorization", "Token " + apiKey, json, 200, R"({"id":"m-1"})", "",
         QStringLiteral("/send")},
        {QStringLiteral("postmark"), "X-Postmark-Server-Token", apiKey, json, 200,
         R"({"ErrorCode":0,"Message":"OK","MessageID":"m-1"})", "", QStringLiteral("/email")},
        {QStringLiteral("resend"), "Authorization", "Bearer " + apiKey, json, 200, R"({"id":"m-1"})", "",
         QStringLiteral("/emails")},
        {QStringLiteral("sendgrid"), "Authorization", "Bearer " + apiKey, json, 202, "", "X-Message-Id: m-1\r\n",
         QStringLiteral("/v3/mail/send")},
        {QStringLiteral("twilio"), "Authorization", "Basic " + (accountSid.toLatin1() + ':' + apiKey).toBase64(),
         "application/x-www-form-urlencoded", 201, R"({"sid":"m-1","status":"queued"})", "",
         QStringLiteral("/2010-04-01/Accounts/%1/Messages.json").arg(accountSid)}};
    return all;
}

inline QStringList kindsWithTheirOwnSuite()
{
    return {QStringLiteral("fcm"), QStringLiteral("smtp"), QStringLiteral("webhook")};
}

inline const Sample &sample(const QString &kind)
{
    const auto found =
        std::find_if(samples().begin(), samples().end(), [&kind](const Sample &each) { return each.kind == kind; });
    if (found == samples().end())
        qFatal("the kind %s has no sample", qPrintable(kind));
    return *found;
}

// The one kind whose provider remembers keys.
inline bool knowsKeys(const QString &kind)
{
    return kind == QLatin1String("resend");
}

inline ProviderSettings provider(const QString &kind, const QUrl &base)
{
    ProviderSettings settings;
    settings.name = kind;
    settings.kind = kind;
    settings.channel = providerKind(kind)->channel;
    settings.baseUrl = base;
    settings.from = QStringLiteral("Taxi <no-reply@taxi.example>");
    settings.apiKey = apiKey;
    if (kind == QLatin1String("twilio")) {
        settings.from = QStringLiteral("+15550100001");
        settings.options.insert(QStringLiteral("account_sid"), accountSid);
    } else if (kind == QLatin1String("http")) {
        settings.channel = Channel::Sms;
        settings.options = {{QStringLiteral("path"), QStringLiteral("/send")},
                            {QStringLiteral("body"), QStringLiteral(R"({"to":"{{address}}","text":"{{text}}"})")},
                            {QStringLiteral("headers.Authorization"), QStringLiteral("Token {{key}}")},
                            {QStringLiteral("message_id"), QStringLiteral("/id")},
                            {QStringLiteral("error_code"), QStringLiteral("/name")},
                            {QStringLiteral("error_text"), QStringLiteral("/message")}};
    }
    return settings;
}

inline RenderedMessage message(Channel channel)
{
    RenderedMessage rendered;
    rendered.channel = channel;
    rendered.subject = channel == Channel::Email ? QStringLiteral("Your booking \"981\"") : QString();
    rendered.title = QStringLiteral("Booking");
    rendered.text = QStringLiteral("Confirmed – see you at 12:00\n");
    rendered.html = channel == Channel::Email ? QStringLiteral("<p>Confirmed</p>") : QString();
    rendered.link = QStringLiteral("https://taxi.example/b/981");
    return rendered;
}

inline QString addressOf(Channel channel, int number)
{
    if (channel == Channel::Sms)
        return QStringLiteral("+1555000%1").arg(1234 + number);
    return channel == Channel::Email ? QStringLiteral("jane.doe+%1@mail.example").arg(number)
                                     : QStringLiteral("ExponentPushToken[device-%1]").arg(number);
}

inline std::vector<OutgoingItem> items(const ProviderSettings &settings, int count = 1)
{
    std::vector<OutgoingItem> made;
    for (int i = 0; i < count; ++i) {
        const DeliveryId id(QStringLiteral("00000000-0000-5000-8000-%1").arg(i, 12, 10, QLatin1Char('0')));
        const QString address = addressOf(settings.channel, i);
        const auto body = providerKind(settings.kind)->compose(settings, message(settings.channel), address, id);
        if (!body)
            qFatal("the test's message can't be composed: %s", qPrintable(body.error().message));
        made.push_back({id, *body, address});
    }
    return made;
}

inline HttpAnswer answer(int status, const QByteArray &body)
{
    HttpAnswer made;
    made.status = status;
    made.body = body;
    return made;
}

// Expo's answer for `count` notifications, with errors at some positions.
inline QByteArray tickets(int count, const QMap<int, QByteArray> &errors = {}, const QMap<int, QByteArray> &named = {})
{
    QJsonArray data;
    for (int i = 0; i < count; ++i) {
        QJsonObject details;
        if (errors.contains(i))
            details.insert(QStringLiteral("error"), QString::fromLatin1(errors.value(i)));
        if (named.contains(i))
            details.insert(QStringLiteral("expoPushToken"), QString::fromLatin1(named.value(i)));
        QJsonObject ticket{
            {QStringLiteral("status"), errors.contains(i) ? QStringLiteral("error") : QStringLiteral("ok")}};
        if (!errors.contains(i))
            ticket.insert(QStringLiteral("id"), QStringLiteral("ticket-%1").arg(i));
        if (!details.isEmpty())
            ticket.insert(QStringLiteral("details"), details);
        data.append(ticket);
    }
    return QJsonDocument(QJsonObject{{QStringLiteral("data"), data}}).toJson();
}
inline void eachKind()
{
    QTest::addColumn<QString>("kind");
    for (const Sample &each : samples())
        QTest::newRow(qPrintable(each.kind)) << each.kind;
}

} // namespace sendoff::test
