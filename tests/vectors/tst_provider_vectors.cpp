#include "channel/provider_kind.h"
#include "channel/provider_wait.h"
#include "channel/twilio/twilio_answers.h"
#include "tests/vectors/vector_file.h"
#include <QTest>

using namespace sendoff;
using namespace sendoff::channel;

namespace {

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
    answer.body = vector.value(QLatin1String("body")).toString().toUtf8();
    const QJsonObject headers = vector.value(QLatin1String("headers")).toObject();
    for (auto each = headers.begin(); each != headers.end(); ++each)
        answer.headers.emplace_back(each.key().toLatin1(), each.value().toString().toLatin1());
    return answer;
}

// What the transport says in place of an answer.
HttpAnswer answerWithout(const QString &transport)
{
    HttpAnswer answer;
    answer.left = false;
    if (transport == QLatin1String("dns_error")) {
        answer.fault = Fault::NotConnected;
    } else if (transport == QLatin1String("tls_error")) {
        answer.fault = Fault::Tls;
    } else if (transport == QLatin1String("timeout_before_request_sent")) {
        answer.fault = Fault::Deadline;
    } else if (transport == QLatin1String("timeout_after_request_sent")) {
        answer.fault = Fault::Deadline;
        answer.left = true;
    } else if (transport == QLatin1String("reset_mid_response")) {
        answer.fault = Fault::Lost;
        answer.left = true;
    } else if (transport == QLatin1String("truncated_200_body")) {
        answer.fault = Fault::Lost;
        answer.left = true;
        answer.status = 200;
        answer.body = "{\"id\": \"aaaaaaaa-0000";
    } else {
        qFatal("the transport fault %s has no counterpart", qPrintable(transport));
    }
    return answer;
}

std::vector<OutgoingItem> items(int count)
{
    std::vector<OutgoingItem> made;
    for (int i = 0; i < count; ++i)
        made.push_back({DeliveryId(QString::number(i)), "{}", QStringLiteral("address-%1").arg(i)});
    return made;
}

Timestamp timeOf(const QJsonObject &vector)
{
    return Timestamp(std::chrono::seconds(vector.value(QLatin1String("now_unix")).toInteger()));
}

std::vector<AttemptResult> classified(const QString &provider, int count, const HttpAnswer &answer, Timestamp now)
{
    return providerKind(provider)->classify({}, items(count), answer, now);
}

QString codeOf(const QJsonObject &vector)
{
    const QJsonValue code = vector.value(QLatin1String("code"));
    return code.isDouble() ? QString::number(code.toInteger()) : code.toString();
}

// The kinds whose codes are checked here; others have vectors and tests of their own.
bool hasCodes(const QString &provider)
{
    static const QStringList providers{QStringLiteral("expo"), QStringLiteral("postmark"), QStringLiteral("resend"),
                                       QStringLiteral("sendgrid"), QStringLiteral("twilio")};
    return providers.contains(provider) && providerKind(provider);
}

// An answer as the provider gives it with this code.
HttpAnswer answerWithCode(const QJsonObject &vector)
{
    const QString provider = vector.value(QLatin1String("provider")).toString();
    const QString where = vector.value(QLatin1String("where")).toString();
    const QString code = codeOf(vector);
    HttpAnswer answer;
    answer.status = vector.value(QLatin1String("http_status")).toInt();
    if (code == QLatin1String("(html)"))
        answer.body = "<html></html>";
    else if (provider == QLatin1String("resend"))
        answer.body = R"({"statusCode":%1,"name":"%2","message":"a text"})";
    else if (provider == QLatin1String("twilio"))
        answer.body = R"({"code":%2,"message":"a text","more_info":"a link","status":%1})";
    else if (provider == QLatin1String("sendgrid"))
        answer.body = R"({"errors":[{"field":null,"message":"a text","help":null}]})";
    else if (provider == QLatin1String("postmark") && code.isEmpty())
        answer.body = R"({"Message":"a text"})";
    else if (provider == QLatin1String("postmark") && where == QLatin1String("batch_item"))
        answer.body = R"([{"ErrorCode":%2,"Message":"a text","MessageID":"m-1"}])";
    else if (provider == QLatin1String("postmark"))
        answer.body = R"({"ErrorCode":%2,"Message":"a text","MessageID":"m-1"})";
    else if (where == QLatin1String("request"))
        answer.body = R"({"errors":[{"code":"%2","message":"a text"}]})";
    else
        answer.body = R"({"data":[{"status":"error","message":"a text","details":{"error":"%2"}}]})";
    answer.body.replace("%1", QByteArray::number(answer.status)).replace("%2", code.toUtf8());
    return answer;
}

} // namespace

class TestProviderVectors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void codes_haveTheirClass_data()
    {
        QTest::addColumn<QJsonObject>("vector");
        for (const QJsonValue &value : vectors::list(QStringLiteral("error_codes.json"), QStringLiteral("codes"))) {
            const QJsonObject vector = value.toObject();
            const QString provider = vector.value(QLatin1String("provider")).toString();
            // What callbacks say is no answer; an absent receipt is a matter of asking later.
            const QString where = vector.value(QLatin1String("where")).toString();
            const bool isAnswer =
                where != QLatin1String("callback") && !codeOf(vector).startsWith(QLatin1String("(absent"));
            if (!hasCodes(provider) || !isAnswer)
                continue;
            QTest::addRow("%s %d %s %s", qPrintable(provider), vector.value(QLatin1String("http_status")).toInt(),
                          qPrintable(where), qPrintable(codeOf(vector)))
                << vector;
        }
    }
    void codes_haveTheirClass()
    {
        QFETCH(QJsonObject, vector);
        const QString provider = vector.value(QLatin1String("provider")).toString();
        const HttpAnswer answer = answerWithCode(vector);
        const std::vector<AttemptResult> results = classified(provider, 1, answer, {});
        QCOMPARE(results.size(), size_t(1));
        QCOMPARE(toText(results[0].outcome), toText(outcomeOf(vector.value(QLatin1String("class")).toString())));
        QCOMPARE(results[0].status, answer.status);
        const bool hasOwnCode = provider != QLatin1String("sendgrid") && results[0].outcome != Outcome::Accepted;
        if (hasOwnCode && !codeOf(vector).isEmpty() && codeOf(vector) != QLatin1String("(html)"))
            QCOMPARE(results[0].code, codeOf(vector));
    }

    void twilioCodesOfCallbacks_haveTheirClass_data()
    {
        QTest::addColumn<QJsonObject>("vector");
        for (const QJsonValue &value : vectors::list(QStringLiteral("error_codes.json"), QStringLiteral("codes"))) {
            const QJsonObject vector = value.toObject();
            if (vector.value(QLatin1String("provider")) == QLatin1String("twilio") &&
                vector.value(QLatin1String("where")) == QLatin1String("callback"))
                QTest::addRow("%s", qPrintable(codeOf(vector))) << vector;
        }
    }
    void twilioCodesOfCallbacks_haveTheirClass()
    {
        QFETCH(QJsonObject, vector);
        const AnswerRule *rule = ruleFor(twilioReceiptRules, codeOf(vector));
        QVERIFY(rule);
        QCOMPARE(toText(rule->outcome), toText(outcomeOf(vector.value(QLatin1String("class")).toString())));
    }

    void responses_haveClassAndWait_data()
    {
        QTest::addColumn<QJsonObject>("vector");
        QTest::addColumn<QString>("provider");
        for (const QJsonValue &value : vectors::list(QStringLiteral("error_responses.json"), QStringLiteral("cases"))) {
            const QJsonObject vector = value.toObject();
            const QString given = vector.value(QLatin1String("provider")).toString();
            const QStringList providers = given == QLatin1String("any") ? providerKindNames() : QStringList{given};
            for (const QString &provider : providers) {
                // Only sending is done here, and the receipts are read elsewhere. Of the batches one kind sends any.
                const QString operation = vector.value(QLatin1String("operation")).toString();
                const bool isSent = operation == QLatin1String("send") ||
                                    (operation == QLatin1String("batch") && provider == QLatin1String("postmark"));
                if (!hasCodes(provider) || !isSent)
                    continue;
                QTest::addRow("%s for %s", qPrintable(vector.value(QLatin1String("id")).toString()),
                              qPrintable(provider))
                    << vector << provider;
            }
        }
    }
    void responses_haveClassAndWait()
    {
        QFETCH(QJsonObject, vector);
        QFETCH(QString, provider);
        const QJsonArray perItem = vector.value(QLatin1String("per_item")).toArray();
        const int count = vector.value(QLatin1String("request_items")).toInt(std::max(1, int(perItem.size())));
        const HttpAnswer answer = vector.contains(QLatin1String("transport"))
                                      ? answerWithout(vector.value(QLatin1String("transport")).toString())
                                      : answerOf(vector);
        const std::vector<AttemptResult> results = classified(provider, count, answer, timeOf(vector));

        QCOMPARE(results.size(), size_t(count));
        for (const AttemptResult &result : results) {
            if (perItem.isEmpty())
                QCOMPARE(toText(result.outcome),
                         toText(outcomeOf(vector.value(QLatin1String("expected_class")).toString())));
            QCOMPARE(result.idempotencyConflict,
                     vector.value(QLatin1String("idempotency")) == QLatin1String("conflict"));
            const Milliseconds wait = result.wait.value_or(Milliseconds(-1));
            if (const QJsonValue expected = vector.value(QLatin1String("expected_wait_s")); expected.isDouble())
                QCOMPARE(wait.count(), qint64(expected.toDouble() * 1000));
            if (const QJsonValue least = vector.value(QLatin1String("min_wait_s")); least.isDouble())
                QVERIFY2(wait.count() >= qint64(least.toDouble() * 1000), qPrintable(QString::number(wait.count())));
        }
        for (const QJsonValue &value : perItem) {
            const QJsonObject expected = value.toObject();
            const AttemptResult &result = results.at(size_t(expected.value(QLatin1String("index")).toInt()));
            QCOMPARE(toText(result.outcome), toText(outcomeOf(expected.value(QLatin1String("class")).toString())));
            if (expected.contains(QLatin1String("id")))
                QCOMPARE(result.providerMessageId, expected.value(QLatin1String("id")).toString());
        }
    }

    void waits_areReadFromEveryHeaderForm_data()
    {
        QTest::addColumn<QJsonObject>("vector");
        for (const QJsonValue &value :
             vectors::list(QStringLiteral("rate_limit_headers.json"), QStringLiteral("cases")))
            QTest::addRow("%s", qPrintable(value.toObject().value(QLatin1String("id")).toString())) << value.toObject();
    }
    void waits_areReadFromEveryHeaderForm()
    {
        QFETCH(QJsonObject, vector);
        const QJsonValue expected = vector.value(QLatin1String("expected_wait_s"));
        const auto wait = providerWait(answerOf(vector), timeOf(vector));
        QCOMPARE(wait.has_value(), expected.isDouble());
        if (wait)
            QCOMPARE(wait->count(), qint64(expected.toDouble() * 1000));
    }
};

QTEST_GUILESS_MAIN(TestProviderVectors)
#include "tst_provider_vectors.moc"
