#include "channel/mailgun/mailgun_callback.h"
#include "channel/provider_kind.h"
#include "channel/ses/ses_callback.h"
#include "tests/vectors/vector_file.h"
#include <QTest>

using namespace sendoff;
using namespace sendoff::channel;
using vectors::text;

namespace {

CallbackRequest requestOf(const QJsonObject &vector)
{
    CallbackRequest request;
    request.url = "https://notify.example.com/callbacks/" + text(vector, "provider").toLatin1();
    request.body = text(vector, "body").toUtf8();
    request.headers.emplace_back("Content-Type", text(vector, "content_type").toLatin1());
    const QJsonObject headers = vector.value(QLatin1String("headers")).toObject();
    for (auto each = headers.begin(); each != headers.end(); ++each)
        request.headers.emplace_back(each.key().toLatin1(), each.value().toString().toLatin1());
    return request;
}

Result<std::vector<ProviderReceipt>> receiptsOf(const QString &provider, const CallbackRequest &request)
{
    if (provider == QLatin1String("ses"))
        return readSesReceipts(request);
    if (provider == QLatin1String("mailgun"))
        return readMailgunReceipts(request);
    return providerKind(provider)->receipts({}, request);
}

QString shown(const QJsonValue &value)
{
    return value.isDouble() ? QString::number(value.toInteger()) : value.toString();
}

// What is wrong with a receipt, empty: nothing. A null says that there must be none, but an id of ours is as good.
QString difference(const ProviderReceipt &receipt, const QJsonObject &expected)
{
    const auto text = [&expected](const char *key) { return shown(expected.value(QLatin1String(key))); };
    const auto differ = [](const char *what, const QString &is, const QString &must) {
        return QStringLiteral("%1 is \"%2\" instead of \"%3\"").arg(QLatin1String(what), is, must);
    };
    if (toText(receipt.kind) != text("event"))
        return differ("event", toText(receipt.kind), text("event"));
    if (receipt.address != text("recipient"))
        return differ("recipient", receipt.address, text("recipient"));
    if (receipt.messageId != text("provider_message_id"))
        return differ("message", receipt.messageId, text("provider_message_id"));
    if (!text("provider_event_id").isEmpty() && receipt.eventId != text("provider_event_id"))
        return differ("id", receipt.eventId, text("provider_event_id"));
    if (receipt.suppresses != expected.value(QLatin1String("suppress")).toBool())
        return QStringLiteral("suppress is wrong");
    if (receipt.suppressReason != text("suppress_reason"))
        return differ("reason", receipt.suppressReason, text("suppress_reason"));
    if (receipt.smtpCode != expected.value(QLatin1String("smtp_code")).toInt())
        return differ("SMTP code", QString::number(receipt.smtpCode), text("smtp_code"));
    if (receipt.enhancedCode != text("enhanced_code"))
        return differ("enhanced code", receipt.enhancedCode, text("enhanced_code"));
    if (!text("provider_code").isEmpty() && receipt.providerCode != text("provider_code"))
        return differ("code", receipt.providerCode, text("provider_code"));
    if (receipt.isMachine != expected.value(QLatin1String("machine")).toBool())
        return QStringLiteral("machine is wrong");
    if (receipt.group != text("group"))
        return differ("group", receipt.group, text("group"));
    const QJsonValue time = expected.value(QLatin1String("occurred_at_unix"));
    const auto seconds = receipt.occurredAt
                             ? std::chrono::floor<std::chrono::seconds>(*receipt.occurredAt).time_since_epoch().count()
                             : -1;
    if (seconds != (time.isDouble() ? time.toInteger() : -1))
        return differ("time", QString::number(seconds), shown(time));
    return {};
}

} // namespace

class TestCallbackVectors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void callbacks_areReadAsReceipts_data()
    {
        QTest::addColumn<QJsonObject>("vector");
        for (const QJsonValue &value : vectors::list(QStringLiteral("callbacks.json"), QStringLiteral("cases"))) {
            const QJsonObject vector = value.toObject();
            QTest::addRow("%s", qPrintable(text(vector, "id"))) << vector; // every provider there has a reader
        }
    }
    void callbacks_areReadAsReceipts()
    {
        QFETCH(QJsonObject, vector);
        const auto read = receiptsOf(text(vector, "provider"), requestOf(vector));
        QVERIFY(read.ok());
        const QJsonArray expected = vector.value(QLatin1String("expected")).toArray();
        QCOMPARE(read->size(), size_t(expected.size()));
        for (size_t i = 0; i < read->size(); ++i) {
            const QString wrong = difference((*read)[i], expected.at(qsizetype(i)).toObject());
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            const QString address = (*read)[i].address;
            QVERIFY(address.isEmpty() || !(*read)[i].detail.contains(address, Qt::CaseInsensitive));
        }
        // Read again, it is the same word.
        const auto again = receiptsOf(text(vector, "provider"), requestOf(vector));
        for (size_t i = 0; i < read->size(); ++i) {
            QVERIFY(!(*read)[i].eventId.isEmpty());
            QCOMPARE((*again)[i].eventId, (*read)[i].eventId);
        }
    }
};

QTEST_GUILESS_MAIN(TestCallbackVectors)
#include "tst_callback_vectors.moc"
