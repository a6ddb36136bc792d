#include "domain/json_document.h"
#include "domain/problem.h"

#include <QFile>
#include <QSet>
#include <QTest>

using namespace sendoff;

namespace {

Problem aProblem(const char *text, const char *code = "rejected", int status = 550)
{
    AttemptResult attempt;
    attempt.outcome = Outcome::PermanentMessage;
    attempt.code = QString::fromUtf8(code);
    attempt.status = status;
    attempt.text = QString::fromUtf8(text);
    return problemOf(QStringLiteral("resend"), Channel::Email, attempt);
}

} // namespace

class tst_problem : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void text_losesWhatDiffersFromRowToRow_data()
    {
        QTest::addColumn<QString>("one");
        QTest::addColumn<QString>("other");
        const auto row = [](const char *name, const char *one, const char *other) {
            QTest::newRow(name) << QString::fromUtf8(one) << QString::fromUtf8(other);
        };
        row("number", "mailbox full, 12 messages", "mailbox full, 9841 messages");
        row("uuid", "id 6f1e4f1c-6d0a-4a51-9d38-0f0f0f0f0f0f is taken",
            "id 11111111-0000-4000-8000-000000000002 is taken");
        row("hex", "digest deadbeefcafe unknown", "digest 00ffee21aa99 unknown");
        row("email", "550 5.1.1 jo@example.com: no such user", "550 5.1.1 ana.b+x@mail.example.org: no such user");
        row("email in angles", "550 5.1.1 <jo@example.com> unknown", "550 5.1.1 <a.very.long@sub.example.net> unknown");
        row("unicode email", "Postfach jörg@bücher.example unbekannt", "Postfach 田中@例え.jp unbekannt");
        row("url", "see https://help.example.com/a?b=1 for more", "see http://x.example/zz#t for more");
        row("host", "connect to mx1.example.com failed", "connect to smtp.mail.example.co.uk failed");
        row("address of a host", "blocked 192.0.2.17 by policy", "blocked 2001:db8::1 by policy");
        row("phone", "Invalid 'To' number: +49 (170) 123-4567", "Invalid 'To' number: +1 555 0100");
        row("phone, other digits", "رقم ٠١٢٣٤٥ غير صالح", "رقم ٩٨٧٦٥٤٣٢ غير صالح");
        row("push token", "ExponentPushToken[xAbCdEfGhIjK] is not registered",
            "ExponentPushToken[zz] is not registered");
        row("token", "key re_AbCd_9xYz was revoked", "key re_1234567890 was revoked");
        row("token without digits", "nonce AbCdEfGhIjKlMnOp was used", "nonce ZyXwVuTsRqPoNm was used");
        row("jwt", "bad eyJhbGciOi.eyJzdWIiOiIx.c2ln token", "bad eyJ0eXAiOi.eyJzdWIiOjJ9.xx99 token");
        row("quoted", "template \"Hello Jo\" broken", "template \"Bonjour Ana Maria\" broken");
        row("quoted singly", "field 'jo smith' is too long", "field 'x' is too long");
        row("quoted in German", "Empfänger „Jo Schmidt“ unbekannt", "Empfänger „Ana“ unbekannt");
        row("quoted in French", "destinataire « Jo » inconnu", "destinataire « Ana Marie » inconnu");
        row("quoted in Japanese", "宛先「田中」は存在しません", "宛先「山田太郎」は存在しません");
        row("quote cut off", "template \"Hello Jo", "template \"Hi An");
        row("time", "not before 2026-11-30T12:00:00.123Z", "not before 2025-01-02 03:04:05+02:00");
        row("http date", "retry after Mon, 30 Nov 2026 12:00:00 GMT please",
            "retry after Tue, 01 Dec 2026 01:02:03 GMT please");
        row("date in Spanish", "cuota hasta el 30 de noviembre de 2026", "cuota hasta el 1 de mayo de 2027");
        row("date in English", "try after December 1, 2026", "try after May 30, 2027");
        row("long id", "job 01HZXKQ4W8V7T9Y2N3M5P6R8S0 failed", "job 01J00000000000000000000000 failed");
        row("pair", "refused user=maria reason=quota", "refused user=jo reason=quota");
        row("white space", "too  many\r\n\trequests", "too many requests");
        row("index", "recipients[0] is invalid", "recipients[41] is invalid");
        row("handle", "no route to @maria now", "no route to @jo now");
        row("seconds", "retry in 30s", "retry in 1500ms");
        row("queue id of a mail server", "250-like 4XyZ12abc3z4 queued", "250-like 9QwE77rty8u9 queued");
    }
    void text_losesWhatDiffersFromRowToRow()
    {
        QFETCH(QString, one);
        QFETCH(QString, other);
        QCOMPARE(normalisedProviderText(one), normalisedProviderText(other));
        QVERIFY2(!normalisedProviderText(one).isEmpty(), "something must be left to read");
    }

    void text_keepsWhatTellsKindsApart_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text :
             {"Too many requests.", "Daily quota reached.", "The recipient can't be reached and won't accept mail",
              "Missing subject.", "mailbox full", "Le destinataire n'existe pas", "メールボックスがいっぱいです",
              "Der Empfänger existiert nicht", "Абонент недоступен", "Original in progress."}) {
            QTest::newRow(text) << QString::fromUtf8(text);
        }
    }
    void text_keepsWhatTellsKindsApart()
    {
        QFETCH(QString, text);
        QCOMPARE(normalisedProviderText(text), text);
    }

    void text_isBounded()
    {
        QCOMPARE(normalisedProviderText(QStringLiteral("word ").repeated(5'000)).size(), 200);
        QCOMPARE(normalisedProviderText(QString()), QString());
        QVERIFY(!normalisedProviderText(QString(3, QChar(0))).contains(QChar(0)));
        QVERIFY(normalisedProviderText(QString(10'000, u'"')).size() <= 200);
        QVERIFY(normalisedProviderText(QStringLiteral("aA").repeated(5'000)).size() <= 200);
    }

    void text_holdsNoAddressOfTheProvidersVectors()
    {
        QFile file(QStringLiteral(SENDOFF_SOURCE_DIR "/tests/vectors/data/error_responses.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto document = parseJson(file.readAll());
        QVERIFY2(document.ok(), "the vectors are JSON");
        const JsonValue *cases = document->member(u"cases");
        QVERIFY(cases && !cases->items().empty());
        static const QRegularExpression personal(
            QStringLiteral("\\d|@|://|[0-9a-f]{8}-|\\b[\\w-]+\\.(?:com|org|net|example)\\b"));
        int seen = 0;
        for (const JsonValue &each : cases->items()) {
            const JsonValue *body = each.member(u"body");
            if (!body || body->kind() != JsonValue::Kind::String)
                continue;
            ++seen;
            const QString text = normalisedProviderText(body->text());
            QVERIFY2(!text.contains(personal), qPrintable(text));
        }
        QVERIFY(seen > 20);
    }

    void fingerprint_isAlikeForAlikeFailures()
    {
        QCOMPARE(aProblem("<jo@example.com> unknown").fingerprint, aProblem("<ana@example.org> unknown").fingerprint);
        QVERIFY(aProblem("x").fingerprint != aProblem("y").fingerprint);
        QVERIFY(aProblem("x", "a").fingerprint != aProblem("x", "b").fingerprint);
        QVERIFY(aProblem("x", "a", 500).fingerprint != aProblem("x", "a", 501).fingerprint);
        // Lengths stand before the fields: what moves from one field to the next is another problem.
        QVERIFY(aProblem("bc", "a").fingerprint != aProblem("c", "ab").fingerprint);
        AttemptResult attempt;
        attempt.outcome = Outcome::Unknown;
        const Problem ofOne = problemOf(QStringLiteral("one"), Channel::Email, attempt);
        QVERIFY(ofOne.fingerprint != problemOf(QStringLiteral("two"), Channel::Email, attempt).fingerprint);
        attempt.outcome = Outcome::Transient;
        QVERIFY(ofOne.fingerprint != problemOf(QStringLiteral("one"), Channel::Email, attempt).fingerprint);
    }

    void fingerprint_isStableOverReleases()
    {
        // It is stored: a change here makes one problem two for every store.
        QCOMPARE(fingerprintTail(aProblem("Too many requests.", "rate_limit_exceeded", 429)),
                 QStringLiteral("17:permanent_message3:42919:rate_limit_exceeded18:Too many requests."));
        static const QRegularExpression form(QStringLiteral("\\A[0-9a-f]{16}\\z"));
        QVERIFY(form.match(aProblem("x").fingerprint).hasMatch());
        QCOMPARE(aProblem("Too many requests.", "rate_limit_exceeded", 429).fingerprint, QStringLiteral("a9dd4e283e545512"));
    }

    void fingerprint_ofAConflictIsUnknown()
    {
        AttemptResult attempt;
        attempt.outcome = Outcome::PermanentMessage;
        attempt.idempotencyConflict = true;
        QCOMPARE(problemOf(QStringLiteral("resend"), Channel::Email, attempt).outcome, Outcome::Unknown);
    }

    void grain_givesUpTextThenCode()
    {
        const Problem one = aProblem("first", "a");
        const Problem other = aProblem("second", "a");
        QVERIFY(one.fingerprint != other.fingerprint);
        QCOMPARE(coarsened(one, ProblemGrain::WithoutText).fingerprint,
                 coarsened(other, ProblemGrain::WithoutText).fingerprint);
        QCOMPARE(coarsened(one, ProblemGrain::WithoutText).code, QStringLiteral("a"));
        const Problem third = aProblem("third", "b");
        QVERIFY(coarsened(one, ProblemGrain::WithoutText).fingerprint !=
                coarsened(third, ProblemGrain::WithoutText).fingerprint);
        QCOMPARE(coarsened(one, ProblemGrain::OutcomeOnly).fingerprint,
                 coarsened(third, ProblemGrain::OutcomeOnly).fingerprint);
        QCOMPARE(coarsened(one, ProblemGrain::Full).fingerprint, one.fingerprint);
    }

    void suggestion_isThereForEveryOutcome_data()
    {
        QTest::addColumn<int>("outcome");
        QTest::addColumn<QString>("verb");
        QTest::newRow("throttled") << int(Outcome::Throttled) << QString();
        QTest::newRow("transient") << int(Outcome::Transient) << QStringLiteral("retry");
        QTest::newRow("permanent recipient") << int(Outcome::PermanentRecipient) << QString();
        QTest::newRow("permanent message") << int(Outcome::PermanentMessage) << QStringLiteral("edit");
        QTest::newRow("configuration") << int(Outcome::Configuration) << QStringLiteral("retry");
        QTest::newRow("unknown") << int(Outcome::Unknown) << QStringLiteral("retry");
    }
    void suggestion_isThereForEveryOutcome()
    {
        QFETCH(int, outcome);
        QFETCH(QString, verb);
        const Suggestion suggestion = suggestionFor(Outcome(outcome), QStringLiteral("code"));
        QVERIFY(suggestion.sentence.endsWith(u'.'));
        QCOMPARE(suggestion.verb, verb);
        if (Outcome(outcome) == Outcome::PermanentRecipient)
            QVERIFY(suggestion.sentence.contains(QStringLiteral("Do not retry")));
        if (Outcome(outcome) == Outcome::Unknown)
            QVERIFY(suggestion.sentence.contains(QStringLiteral("duplicate")));
    }
};

QTEST_GUILESS_MAIN(tst_problem)
#include "tst_problem.moc"
