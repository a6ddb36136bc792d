#include "store/question_store.h"
#include "tests/support/store_rows.h"

#include <QSet>
#include <QTest>
#include <mutex>
#include <thread>

using namespace sendoff;
using namespace sendoff::store;
using namespace std::chrono_literals;
using sendoff::test::TestDatabase;

namespace {

const QString provider = QStringLiteral("resend");

AskRules outcomeRules()
{
    AskRules rules;
    rules.provider = provider;
    rules.asksOutcomes = true;
    rules.indexingDelay = 1min;
    return rules;
}

AskRules receiptRules()
{
    AskRules rules;
    rules.provider = provider;
    rules.receiptAfter = 15min;
    rules.receiptsKept = 23h;
    return rules;
}

template <typename T>
T must(const Result<T> &result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().message));
    return *result;
}

using Found = QuestionAnswer::Found;

} // namespace

// Time is moved by the rows' own times: nothing here waits.
class tst_questions : public QObject
{
    Q_OBJECT

    // A delivery whose outcome nobody knows, handed over so long ago.
    static QString unknown(TestDatabase &store, DeliveryState state, Milliseconds handedAgo)
    {
        test::RowSpec spec;
        spec.state = state;
        spec.reason = Reason::OutcomeUnknown;
        spec.hasUnknown = true;
        spec.attempts = 1;
        spec.endedAgo = 1s;
        spec.dueIn = 1h;
        const QString id = test::insertDelivery(store, spec);
        handedOver(store, id, handedAgo);
        return id;
    }
    static void handedOver(TestDatabase &store, const QString &id, Milliseconds ago)
    {
        for (const char *table : {"sendoff_delivery_hot", "sendoff_delivery_history"})
            store.run(QByteArray("UPDATE ") + table +
                          " SET handed_at = $now_plus(?), first_handed_at = $now_plus(?) "
                          "WHERE id = ?",
                      {-qint64(ago.count()), -qint64(ago.count()), id});
    }
    static QString accepted(TestDatabase &store, Milliseconds endedAgo)
    {
        test::RowSpec spec;
        spec.state = DeliveryState::Accepted;
        spec.attempts = 1;
        spec.endedAgo = endedAgo;
        return test::insertDelivery(store, spec);
    }
    static int note(TestDatabase &store, const AskRules &rules, int limit = 100)
    {
        return must(noteQuestions(store.database(), rules, limit));
    }
    static Question takeOne(TestDatabase &store)
    {
        const auto taken = must(takeQuestions(store.database(), provider, 10));
        if (taken.size() != 1)
            qFatal("%d questions instead of one", int(taken.size()));
        return taken.front();
    }
    static ResolvedQuestions answer(TestDatabase &store, const Question &question, Found found)
    {
        return must(answerQuestions(store.database(), outcomeRules(), {{question.id, found, question.askedAt}}));
    }
    static QString stateOf(TestDatabase &store, const QString &id)
    {
        return store.text("SELECT state FROM sendoff_delivery WHERE id = ?", {id});
    }
    static qint64 open(TestDatabase &store) { return store.number("SELECT count(*) FROM sendoff_question"); }
    static qint64 untilAsked(TestDatabase &store)
    {
        return store.number("SELECT $ms(ask_at) - $ms($now) FROM sendoff_question");
    }

private Q_SLOTS:
    void initTestCase_data() { test::addStoreRows(); }

    void init()
    {
        if (!TestDatabase::isAvailable(test::fetchKind())) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must give a PostgreSQL in SENDOFF_TEST_PG");
            QSKIP("no PostgreSQL: set SENDOFF_TEST_PG");
        }
    }

    void everyOpenOutcomeIsNotedOnce()
    {
        TestDatabase store(test::fetchKind());
        QSet<QString> wanted;
        for (const DeliveryState state :
             {DeliveryState::Held, DeliveryState::Scheduled, DeliveryState::Ready, DeliveryState::Unknown})
            wanted.insert(unknown(store, state, 5s));
        unknown(store, DeliveryState::Unknown, 5s);
        store.run("UPDATE sendoff_delivery_history SET ended_at = $now_plus(-259300000) WHERE id NOT IN "
                  "(SELECT id FROM sendoff_delivery_history WHERE id = ?)",
                  {*std::find_if(wanted.cbegin(), wanted.cend(), [&](const QString &id) {
                      return stateOf(store, id) == QLatin1String("unknown");
                  })}); // older than three days: a person's
        handedOver(store, unknown(store, DeliveryState::Held, 5s), 73h);
        accepted(store, 1h); // its outcome is known
        test::insertDelivery(store, {});
        test::RowSpec other;
        other.provider = QStringLiteral("other");
        other.hasUnknown = true;
        test::insertDelivery(store, other);
        QCOMPARE(note(store, outcomeRules()), 4);
        QCOMPARE(note(store, outcomeRules()), 0);
        const auto taken = must(takeQuestions(store.database(), provider, 100));
        QSet<QString> asked;
        for (const Question &each : taken) {
            asked.insert(each.id.value);
            QVERIFY(each.isOutcome);
            QCOMPARE(each.address, QStringLiteral("jo@example.com"));
            QCOMPARE(each.channel, Channel::Email);
            QVERIFY(each.handedAt < each.askedAt);
        }
        QCOMPARE(asked, wanted);
        AskRules silent = outcomeRules();
        silent.asksOutcomes = false;
        store.run("DELETE FROM sendoff_question");
        QCOMPARE(note(store, silent), 0);
    }

    void noQuestionIsGivenToTwoCallers()
    {
        TestDatabase store(test::fetchKind());
        for (int each = 0; each < 60; ++each)
            unknown(store, DeliveryState::Held, 5s);
        QCOMPARE(note(store, outcomeRules()), 60);
        QStringList given;
        std::mutex guard;
        std::vector<std::thread> engines;
        for (int each = 0; each < 2; ++each)
            engines.emplace_back([&] {
                const auto connection = store.connect();
                for (int turn = 0; turn < 12; ++turn) {
                    const auto taken = must(takeQuestions(*connection, provider, 7));
                    const std::scoped_lock lock(guard);
                    for (const Question &question : taken)
                        given += question.id.value;
                }
            });
        for (std::thread &engine : engines)
            engine.join();
        QCOMPARE(given.size(), 60);
        QCOMPARE(QSet<QString>(given.cbegin(), given.cend()).size(), 60);
        QVERIFY(*must(untilNextQuestion(store.database(), provider)) > 30s);
        // A caller that died with them: after its minute they are asked again.
        store.run("UPDATE sendoff_question SET ask_at = $now_plus(-1)");
        QCOMPARE(int(must(takeQuestions(store.database(), provider, 100)).size()), 60);
    }

    void noProvesNothingBeforeTwiceTheIndexingDelay_data()
    {
        QTest::addColumn<QString>("state");
        for (const char *state : {"held", "scheduled", "ready", "unknown"})
            QTest::newRow(state) << QString::fromLatin1(state);
    }

    void noProvesNothingBeforeTwiceTheIndexingDelay()
    {
        QFETCH(QString, state);
        TestDatabase store(test::fetchKind());
        const QString id = unknown(store, *fromText<DeliveryState>(state), 90s);
        QCOMPARE(note(store, outcomeRules()), 1);
        const Question early = takeOne(store);
        ResolvedQuestions resolved = answer(store, early, Found::No);
        QCOMPARE(resolved.settled, 0);
        QCOMPARE(resolved.notSent, 0);
        QCOMPARE(stateOf(store, id), state);
        QCOMPARE(open(store), 1);
        // The same early answer, stored late: it was asked too early all the same.
        handedOver(store, id, 125s);
        resolved =
            must(answerQuestions(store.database(), outcomeRules(), {{early.id, Found::No, early.askedAt - 30s}}));
        QCOMPARE(resolved.notSent, 0);
        QCOMPARE(stateOf(store, id), state);
    }

    void anAnswerAboutAnEarlierAttemptSaysNothingOfANewerOne()
    {
        TestDatabase store(test::fetchKind());
        const QString id = unknown(store, DeliveryState::Held, 10min);
        QCOMPARE(note(store, outcomeRules()), 1);
        const Question question = takeOne(store);
        store.run("UPDATE sendoff_delivery_hot SET handed_at = $now"); // sent again, unknown again
        QCOMPARE(answer(store, question, Found::No).notSent, 0);
        QCOMPARE(store.number("SELECT has_unknown FROM sendoff_delivery_hot WHERE id = ?", {id}), 1);
        // While an attempt is under way nothing is touched either.
        store.run("UPDATE sendoff_delivery_hot SET state = 'leased', handed_at = NULL, lease_token = 77");
        QCOMPARE(answer(store, question, Found::No).notSent, 0);
        QCOMPARE(store.number("SELECT lease_token FROM sendoff_delivery_hot WHERE id = ?", {id}), 77);
        QCOMPARE(open(store), 1);
    }

    void whatWasSurelyNotSentGoesOn_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("end");
        QTest::addColumn<bool>("isExpired");
        QTest::newRow("held goes on") << QStringLiteral("held") << QStringLiteral("scheduled") << false;
        QTest::newRow("waiting loses its mark") << QStringLiteral("scheduled") << QStringLiteral("scheduled") << false;
        QTest::newRow("ready loses its mark") << QStringLiteral("ready") << QStringLiteral("ready") << false;
        QTest::newRow("ended is dead") << QStringLiteral("unknown") << QStringLiteral("dead") << false;
        QTest::newRow("ended and too late") << QStringLiteral("unknown") << QStringLiteral("expired") << true;
    }

    void whatWasSurelyNotSentGoesOn()
    {
        QFETCH(QString, state);
        QFETCH(QString, end);
        QFETCH(bool, isExpired);
        TestDatabase store(test::fetchKind());
        const QString id = unknown(store, *fromText<DeliveryState>(state), 121s);
        if (isExpired)
            store.run("UPDATE sendoff_delivery_history SET expires_at = $now_plus(-1)");
        const qint64 token = store.number("SELECT lease_token FROM sendoff_delivery WHERE id = ?", {id});
        QCOMPARE(note(store, outcomeRules()), 1);
        const ResolvedQuestions resolved = answer(store, takeOne(store), Found::No);
        QCOMPARE(resolved.settled, 1);
        QCOMPARE(resolved.notSent, 1);
        QCOMPARE(stateOf(store, id), end);
        QCOMPARE(store.number("SELECT has_unknown FROM sendoff_delivery WHERE id = ?", {id}), 0);
        QVERIFY(store.number("SELECT lease_token FROM sendoff_delivery WHERE id = ?", {id}) > token);
        QVERIFY(store.text("SELECT reason FROM sendoff_delivery WHERE id = ?", {id}) !=
                QLatin1String("outcome_unknown"));
        QCOMPARE(open(store), 0);
        QCOMPARE(note(store, outcomeRules()), 0);
        const bool isDue = store.number("SELECT count(*) FROM sendoff_delivery_hot WHERE due_at <= $now") == 1;
        QCOMPARE(isDue, state == QLatin1String("held")); // the others keep their time
    }

    void heldForAnotherReasonStaysHeld()
    {
        TestDatabase store(test::fetchKind());
        const QString id = unknown(store, DeliveryState::Held, 10min);
        store.run("UPDATE sendoff_delivery_hot SET reason = 'missing_variable'");
        QCOMPARE(note(store, outcomeRules()), 1);
        QCOMPARE(answer(store, takeOne(store), Found::No).notSent, 1);
        QCOMPARE(stateOf(store, id), QStringLiteral("held"));
        QCOMPARE(store.text("SELECT reason FROM sendoff_delivery WHERE id = ?", {id}),
                 QStringLiteral("missing_variable"));
    }

    void unclearIsAskedAgainAfterLongerAndLongerAndEndsAfterThreeDays()
    {
        TestDatabase store(test::fetchKind());
        const QString id = unknown(store, DeliveryState::Held, 10min);
        QCOMPARE(note(store, outcomeRules()), 1);
        qint64 all = 0;
        for (const qint64 minutes : {1, 2, 4, 8, 16, 32, 60, 60}) {
            QCOMPARE(answer(store, takeOne(store), Found::Unclear).settled, 0);
            QVERIFY2(untilAsked(store) <= minutes * 60'000 && untilAsked(store) > minutes * 60'000 - 10'000,
                     qPrintable(QString::number(untilAsked(store))));
            all += minutes;
            store.run("UPDATE sendoff_question SET ask_at = $now_plus(-1)");
        }
        QCOMPARE(stateOf(store, id), QStringLiteral("held"));
        // The last one: three days have passed meanwhile, and it is a person's from now on.
        store.run("UPDATE sendoff_question SET asked = 77");
        all += (77 - 8) * 60;
        QVERIFY(all >= 3 * 24 * 60);
        const Question last = takeOne(store);
        handedOver(store, id, std::chrono::minutes(all));
        QCOMPARE(answer(store, last, Found::Unclear).settled, 0);
        QCOMPARE(open(store), 0);
        QCOMPARE(note(store, outcomeRules()), 0);
        QCOMPARE(stateOf(store, id), QStringLiteral("held"));
        QCOMPARE(store.number("SELECT has_unknown FROM sendoff_delivery_hot"), 1);
    }

    void whatWasAnsweredMeanwhileIsNotAsked()
    {
        TestDatabase store(test::fetchKind());
        const QString resolved = unknown(store, DeliveryState::Scheduled, 10min);
        const QString stays = unknown(store, DeliveryState::Unknown, 10min);
        const QString gone = unknown(store, DeliveryState::Unknown, 10min);
        QCOMPARE(note(store, outcomeRules()), 3);
        store.run("UPDATE sendoff_delivery_hot SET has_unknown = 0 WHERE id = ?", {resolved});
        store.run("DELETE FROM sendoff_delivery_history WHERE id = ?", {gone}); // by retention
        QCOMPARE(note(store, outcomeRules()), 0);
        QCOMPARE(takeOne(store).id.value, stays);
        QCOMPARE(open(store), 1);
    }

    void yesEndsTheQuestion()
    {
        TestDatabase store(test::fetchKind());
        const QString id = unknown(store, DeliveryState::Unknown, 10min);
        QCOMPARE(note(store, outcomeRules()), 1);
        const ResolvedQuestions done = answer(store, takeOne(store), Found::Yes);
        QCOMPARE(done.settled, 1);
        QCOMPARE(done.notSent, 0);
        QCOMPARE(open(store), 0);
        QCOMPARE(stateOf(store, id), QStringLiteral("unknown")); // its receipt moves it
    }

    void acceptedRowsAreNotedOnceInTheirWindow()
    {
        TestDatabase store(test::fetchKind());
        accepted(store, 14min);
        const QString first = accepted(store, 2h);
        const QString second = accepted(store, 16min);
        accepted(store, 24h); // its receipt is gone
        test::RowSpec other;
        other.state = DeliveryState::Accepted;
        other.provider = QStringLiteral("other");
        other.endedAgo = 1h;
        test::insertDelivery(store, other);
        other.provider = provider;
        other.state = DeliveryState::Dead;
        test::insertDelivery(store, other);
        QCOMPARE(note(store, receiptRules(), 1), 1);
        QCOMPARE(note(store, receiptRules(), 1), 1);
        QCOMPARE(note(store, receiptRules(), 1), 0);
        QSet<QString> asked;
        for (const Question &each : must(takeQuestions(store.database(), provider, 10))) {
            asked.insert(each.id.value);
            QVERIFY(!each.isOutcome);
        }
        QCOMPARE(asked, QSet<QString>({first, second}));
        // The newest is done, and stays accepted for good: it is not found again.
        QCOMPARE(answer(store, {DeliveryId(second), {}, false, {}, {}, {}, {}}, Found::Yes).settled, 1);
        QCOMPARE(note(store, receiptRules()), 0);
        QCOMPARE(open(store), 1);
    }

    void rowsThatEndedInOneMomentAreAllNoted()
    {
        TestDatabase store(test::fetchKind());
        test::RowSpec spec;
        spec.state = DeliveryState::Accepted;
        spec.endedAgo = 1h;
        test::insertDeliveries(store, spec, QStringLiteral("a"), 25);
        store.run("UPDATE sendoff_delivery_history SET ended_at = (SELECT min(ended_at) FROM "
                  "sendoff_delivery_history)");
        int all = 0;
        for (int turn = 0; turn < 5; ++turn) {
            all += note(store, receiptRules(), 7);
            store.run("DELETE FROM sendoff_question WHERE provider = ?", {provider}); // answered
        }
        QCOMPARE(all, 25);
    }

    void aReceiptThatIsNotThereYetIsAskedForAgainUntilItIsForgotten()
    {
        TestDatabase store(test::fetchKind());
        const QString id = accepted(store, 16min);
        QCOMPARE(note(store, receiptRules()), 1);
        const Question question = takeOne(store);
        QCOMPARE(must(answerQuestions(store.database(), receiptRules(), {{question.id, Found::No, question.askedAt}}))
                     .settled,
                 0);
        QCOMPARE(stateOf(store, id), QStringLiteral("accepted")); // no receipt proves nothing
        QCOMPARE(open(store), 1);
        store.run("UPDATE sendoff_delivery_history SET ended_at = $now_plus(-83000000)");
        store.run("UPDATE sendoff_question SET ask_at = $now");
        QCOMPARE(note(store, receiptRules()), 0);
        QCOMPARE(open(store), 0);
    }
};

QTEST_GUILESS_MAIN(tst_questions)
#include "tst_questions.moc"
