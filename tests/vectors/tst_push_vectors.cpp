// The vectors of providers that send nothing but pushes and webhooks, and of Expo's receipts.
#include "channel/expo/expo_kind.h"
#include "channel/fcm/fcm_kind.h"
#include "channel/webhook/webhook_kind.h"
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace sendoff;
using namespace sendoff::channel;

namespace {

QJsonArray vectors(const QString &name, const QString &key, const QString &provider)
{
    const QString own = QStringLiteral(SENDOFF_SOURCE_DIR "/tests/vectors/data");
    QFile file(qEnvironmentVariable("SENDOFF_VECTORS", own) + u'/' + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the vector file %s can't be read", qPrintable(name));
    QJsonArray chosen;
    for (const QJsonValue &value : QJsonDocument::fromJson(file.readAll()).object().value(key).toArray()) {
        if (value.toObject().value(QLatin1String("provider")) == provider)
            chosen.append(value);
    }
    return chosen;
}

QString text(const QJsonObject &vector, const char *name)
{
    return vector.value(QLatin1String(name)).toString();
}

Outcome outcomeOf(const QString &vectorClass)
{
    static const QMap<QString, Outcome> outcomes{{QStringLiteral("success"), Outcome::Accepted},
                                                 {QStringLiteral("transient"), Outcome::Transient},
                                                 {QStringLiteral("throttled"), Outcome::Throttled},
                                                 {QStringLiteral("permanent_recipient"), Outcome::PermanentRecipient},
                                                 {QStringLiteral("permanent_message"), Outcome::PermanentMessage},
                                                 {QStringLiteral("configuration"), Outcome::Configuration},
                                                 {QStringLiteral("unknown_outcome"), Outcome::Unknown}};
    if (!outcomes.contains(vectorClass))
        qFatal("the vector class %s has no outcome", qPrintable(vectorClass));
    return outcomes.value(vectorClass);
}

HttpAnswer answerOf(const QJsonObject &vector)
{
    HttpAnswer answer;
    answer.status = vector.value(QLatin1String("http_status")).toInt();
    answer.body = text(vector, "body").toUtf8();
    const QJsonObject headers = vector.value(QLatin1String("headers")).toObject();
    for (auto each = headers.begin(); each != headers.end(); ++each)
        answer.headers.emplace_back(each.key().toLatin1(), each.value().toString().toLatin1());
    return answer;
}

AttemptResult classified(const ProviderKind &kind, const HttpAnswer &answer, Timestamp now = {})
{
    const std::vector<OutgoingItem> item{{DeliveryId(QStringLiteral("d")), "{}", QStringLiteral("address")}};
    return kind.classify({}, item, answer, now).front();
}

Timestamp timeOf(const QJsonObject &vector)
{
    return Timestamp(std::chrono::seconds(vector.value(QLatin1String("now_unix")).toInteger()));
}

void addRows(const QJsonArray &rows, const char *naming)
{
    QTest::addColumn<QJsonObject>("vector");
    if (rows.isEmpty())
        qFatal("there are no vectors");
    for (const QJsonValue &value : rows) {
        const QJsonObject vector = value.toObject();
        QTest::addRow("%s %s", qPrintable(vector.value(QLatin1String("http_status")).toVariant().toString()),
                      qPrintable(text(vector, naming)))
            << vector;
    }
}

void compareWait(const AttemptResult &result, const QJsonObject &vector)
{
    const Milliseconds wait = result.wait.value_or(Milliseconds(-1));
    if (const QJsonValue expected = vector.value(QLatin1String("expected_wait_s")); expected.isDouble())
        QCOMPARE(wait.count(), qint64(expected.toDouble() * 1000));
    if (const QJsonValue least = vector.value(QLatin1String("min_wait_s")); least.isDouble())
        QVERIFY2(wait.count() >= qint64(least.toDouble() * 1000), qPrintable(QString::number(wait.count())));
}

// What FCM answers for a code of the table.
QByteArray fcmBody(QString code)
{
    const bool isToken = code == QLatin1String("INVALID_ARGUMENT/message.token");
    code = code.section(u'/', 0, 0);
    static const QStringList canonical{QStringLiteral("UNAUTHENTICATED"), QStringLiteral("PERMISSION_DENIED"),
                                       QStringLiteral("RESOURCE_EXHAUSTED")};
    QJsonArray details;
    if (code.startsWith(QLatin1String("NOT_FOUND")))
        code = QStringLiteral("NOT_FOUND");
    else if (!canonical.contains(code))
        details.append(QJsonObject{
            {QStringLiteral("@type"), QStringLiteral("type.googleapis.com/google.firebase.fcm.v1.FcmError")},
            {QStringLiteral("errorCode"), code}});
    if (isToken)
        details.append(
            QJsonObject{{QStringLiteral("@type"), QStringLiteral("type.googleapis.com/google.rpc.BadRequest")},
                        {QStringLiteral("fieldViolations"),
                         QJsonArray{QJsonObject{{QStringLiteral("field"), QStringLiteral("message.token")}}}}});
    const QJsonObject error{{QStringLiteral("status"), code},
                            {QStringLiteral("message"), QStringLiteral("a text")},
                            {QStringLiteral("details"), details}};
    return QJsonDocument(QJsonObject{{QStringLiteral("error"), error}}).toJson();
}

} // namespace

class TestPushVectors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void fcmCodes_haveTheirClass_data()
    {
        addRows(vectors(QStringLiteral("error_codes.json"), QStringLiteral("codes"), QStringLiteral("fcm")), "code");
    }
    void fcmCodes_haveTheirClass()
    {
        QFETCH(QJsonObject, vector);
        const QString code = text(vector, "code");
        HttpAnswer answer;
        answer.status = vector.value(QLatin1String("http_status")).toInt(400); // one row has no status of its own
        answer.body = code == QLatin1String("(html)") ? QByteArray("<html></html>") : fcmBody(code);
        const AttemptResult result = classified(fcmKind(), answer);
        QCOMPARE(toText(result.outcome), toText(outcomeOf(text(vector, "class"))));
        if (code != QLatin1String("(html)"))
            QVERIFY2(code.startsWith(result.code), qPrintable(result.code));
    }

    void fcmResponses_haveClassAndWait_data()
    {
        addRows(vectors(QStringLiteral("error_responses.json"), QStringLiteral("cases"), QStringLiteral("fcm")), "id");
    }
    void fcmResponses_haveClassAndWait()
    {
        QFETCH(QJsonObject, vector);
        const AttemptResult result = classified(fcmKind(), answerOf(vector), timeOf(vector));
        QCOMPARE(toText(result.outcome), toText(outcomeOf(text(vector, "expected_class"))));
        QCOMPARE(result.providerMessageId, text(vector, "provider_message_id"));
        compareWait(result, vector);
    }

    void fcmUnknownAnswers_neverBlameTheDevice()
    {
        for (int status = 300; status < 600; ++status) {
            for (const char *body : {"{}", "<html>", "[]", R"({"error":{"status":"BRAND_NEW"}})",
                                     R"({"error":{"status":"UNREGISTERED"}})", R"({"error":{"status":"NOT_FOUND"}})"}) {
                HttpAnswer answer;
                answer.status = status;
                answer.body = body;
                const AttemptResult result = classified(fcmKind(), answer);
                QVERIFY(result.outcome != Outcome::PermanentRecipient && result.outcome != Outcome::Accepted);
                QVERIFY(!result.code.isEmpty() && !result.text.isEmpty());
            }
        }
    }

    void webhookCodes_haveTheirClass_data()
    {
        addRows(vectors(QStringLiteral("error_codes.json"), QStringLiteral("codes"), QStringLiteral("webhook_out")),
                "action");
    }
    void webhookCodes_haveTheirClass()
    {
        QFETCH(QJsonObject, vector);
        Outcome expected = outcomeOf(text(vector, "class"));
        const QJsonValue status = vector.value(QLatin1String("http_status"));
        HttpAnswer answer;
        int from = status.toInt();
        int to = from;
        if (status.isString()) { // "2xx", "4xx other"
            from = status.toString().left(1).toInt() * 100;
            to = from + 99;
        } else if (status.isNull()) { // the time-out: it may have been read, and is repeated under the same id
            answer.fault = Fault::Deadline;
            expected = Outcome::Unknown;
            from = to = 0;
        }
        if (from == 410) // an endpoint is a recipient here; a matter of configuration would stop all of them
            expected = Outcome::PermanentRecipient;
        const bool isRest = status.toString().contains(QLatin1String("other"));
        for (answer.status = from; answer.status <= to; ++answer.status) {
            const bool hasOwnRow =
                answer.status == 410 || answer.status == 429 || answer.status == 502 || answer.status == 504;
            if (isRest && hasOwnRow)
                continue;
            const AttemptResult result = classified(webhookKind(), answer);
            QCOMPARE(toText(result.outcome), toText(expected));
        }
    }

    void webhookResponses_haveClassAndWait_data()
    {
        addRows(vectors(QStringLiteral("error_responses.json"), QStringLiteral("cases"), QStringLiteral("webhook_out")),
                "id");
    }
    void webhookResponses_haveClassAndWait()
    {
        QFETCH(QJsonObject, vector);
        const AttemptResult result = classified(webhookKind(), answerOf(vector), timeOf(vector));
        const bool isGone = result.status == 410; // see above
        QCOMPARE(toText(result.outcome),
                 toText(isGone ? Outcome::PermanentRecipient : outcomeOf(text(vector, "expected_class"))));
        if (result.outcome == Outcome::Throttled)
            QVERIFY(!result.pausesBucket);
        compareWait(result, vector);
    }

    void transportFaults_haveTheirClass_data()
    {
        addRows(vectors(QStringLiteral("error_responses.json"), QStringLiteral("cases"), QStringLiteral("any")),
                "transport");
    }
    void transportFaults_haveTheirClass()
    {
        QFETCH(QJsonObject, vector);
        const QString transport = text(vector, "transport");
        HttpAnswer answer;
        answer.left = false;
        if (transport == QLatin1String("dns_error")) {
            answer.fault = Fault::NotConnected;
        } else if (transport == QLatin1String("tls_error")) {
            answer.fault = Fault::Tls;
        } else if (transport == QLatin1String("timeout_before_request_sent")) {
            answer.fault = Fault::Deadline;
        } else {
            answer.left = true;
            const bool isLate = transport == QLatin1String("timeout_after_request_sent");
            answer.fault = isLate ? Fault::Deadline : Fault::Lost;
            answer.status = transport == QLatin1String("truncated_200_body") ? 200 : 0;
        }
        const Outcome expected = outcomeOf(text(vector, "expected_class"));
        QCOMPARE(toText(classified(fcmKind(), answer).outcome), toText(expected));
        // One receiver's certificate is not the provider's: nothing may stop the others.
        const bool isCertificate = answer.fault == Fault::Tls;
        QCOMPARE(toText(classified(webhookKind(), answer).outcome),
                 toText(isCertificate ? Outcome::Transient : expected));
    }

    void expoReceipts_sayWhatBecameOfEachTicket()
    {
        const QJsonArray rows =
            vectors(QStringLiteral("error_responses.json"), QStringLiteral("cases"), QStringLiteral("expo"));
        int read = 0;
        for (const QJsonValue &value : rows) {
            const QJsonObject vector = value.toObject();
            if (text(vector, "operation") != QLatin1String("receipts"))
                continue;
            ++read;
            std::vector<OpenQuestion> questions;
            for (const QJsonValue &id : vector.value(QLatin1String("asked")).toArray())
                questions.push_back({DeliveryId(QStringLiteral("d-") + id.toString()), id.toString(), {}, {}});
            const HttpRequest request = expoKind().ask({}, questions);
            QCOMPARE(QJsonDocument::fromJson(request.body).object().value(QLatin1String("ids")),
                     vector.value(QLatin1String("asked")));
            const auto found = expoKind().readFound({}, questions, answerOf(vector), timeOf(vector));
            QCOMPARE(found.size(), questions.size());
            for (size_t at = 0; at < found.size(); ++at)
                compareReceipt(
                    found[at], questions[at],
                    vector.value(QLatin1String("per_id")).toObject().value(questions[at].messageId).toString());
        }
        QCOMPARE(read, 1);
    }

    void expoReceiptCodes_haveTheirKind_data()
    {
        QJsonArray rows;
        for (const QJsonValue &value :
             vectors(QStringLiteral("error_codes.json"), QStringLiteral("codes"), QStringLiteral("expo"))) {
            if (text(value.toObject(), "where") == QLatin1String("receipt"))
                rows.append(value);
        }
        addRows(rows, "code");
    }
    void expoReceiptCodes_haveTheirKind()
    {
        QFETCH(QJsonObject, vector);
        const QString code = text(vector, "code");
        const bool isAbsent = code.startsWith(QLatin1String("(absent"));
        const OpenQuestion question{DeliveryId(QStringLiteral("d")), QStringLiteral("t"), {}, {}};
        const QJsonObject receipt{{QStringLiteral("status"), QStringLiteral("error")},
                                  {QStringLiteral("message"), QStringLiteral("m")},
                                  {QStringLiteral("details"), QJsonObject{{QStringLiteral("error"), code}}}};
        HttpAnswer answer;
        answer.status = 200;
        answer.body =
            QJsonDocument(QJsonObject{{QStringLiteral("data"),
                                       isAbsent ? QJsonObject() : QJsonObject{{QStringLiteral("t"), receipt}}}})
                .toJson();
        const auto found = expoKind().readFound({}, {question}, answer, {});
        compareReceipt(found.front(), question, isAbsent ? QStringLiteral("pending") : text(vector, "class"));
        if (!isAbsent)
            QCOMPARE(found.front().receipt->providerCode, code);
    }

    void expoAnswersThatCantBeRead_leaveEveryQuestionOpen()
    {
        const std::vector<OpenQuestion> questions{{DeliveryId(QStringLiteral("d")), QStringLiteral("t"), {}, {}},
                                                  {DeliveryId(QStringLiteral("e")), {}, {}, {}}};
        const auto isOpen = [&questions](int status, const char *body, Fault fault = Fault::None) {
            HttpAnswer answer;
            answer.status = status;
            answer.body = body;
            answer.fault = fault;
            const auto found = expoKind().readFound({}, questions, answer, {});
            return found.size() == 2 && std::all_of(found.begin(), found.end(), [](const FoundMessage &each) {
                       return each.found == FoundMessage::Found::Unclear && !each.receipt && !each.why.isEmpty();
                   });
        };
        const char *good = R"({"data":{"t":{"status":"ok"}}})";
        QVERIFY(isOpen(500, good));
        QVERIFY(isOpen(200, good, Fault::Lost));
        QVERIFY(isOpen(200, "<html>"));
        QVERIFY(isOpen(200, R"({"errors":[{"code":"X"}],"data":{"t":{"status":"ok"}}})"));
        QVERIFY(isOpen(200, R"({"data":[{"status":"ok"}]})"));
        QVERIFY(isOpen(200, R"({"data":{"t":{"status":"odd"}}})"));
        QVERIFY(isOpen(429, R"({"errors":[{"code":"TOO_MANY_REQUESTS"}]})"));
        QCOMPARE(expoKind().receiptAfter, Milliseconds(std::chrono::minutes(15)));
        QVERIFY(expoKind().receiptsKept < std::chrono::hours(24));
        QVERIFY(expoKind().askBatch <= 1000);
    }

private:
    static void compareReceipt(const FoundMessage &found, const OpenQuestion &question, const QString &vectorClass)
    {
        if (vectorClass == QLatin1String("pending")) {
            QVERIFY(found.found == FoundMessage::Found::Unclear);
            QVERIFY(!found.receipt);
            return;
        }
        QVERIFY(found.found == FoundMessage::Found::Yes);
        const bool isGone = vectorClass == QLatin1String("permanent_recipient");
        const ReceiptKind expected = vectorClass == QLatin1String("success") ? ReceiptKind::Sent // not arrival
                                     : isGone                                ? ReceiptKind::BouncedHard
                                                                             : ReceiptKind::Failed;
        QCOMPARE(toText(found.receipt->kind), toText(expected));
        QCOMPARE(found.receipt->suppresses, isGone); // no other error says anything against the device
        QCOMPARE(found.receipt->messageId, question.messageId);
        QCOMPARE(found.receipt->delivery, question.id);
    }
};

QTEST_GUILESS_MAIN(TestPushVectors)
#include "tst_push_vectors.moc"
