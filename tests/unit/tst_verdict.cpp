#include "admin/delivery_verdict.h"
#include "admin/verdict.h"

#include <QTest>

using namespace sendoff;
using namespace std::chrono_literals;

namespace {

constexpr int stateCount = int(DeliveryState::Unknown) + 1;
constexpr int reasonCount = int(Reason::ReceiptBounced) + 1;

Timestamp moment(const char *text)
{
    return *fromRfc3339(QString::fromLatin1(text));
}

DeliveryRecord aDelivery(DeliveryState state, Reason reason, int attempts, const QString &outcome)
{
    DeliveryRecord delivery;
    delivery.provider = QStringLiteral("resend");
    delivery.category = QStringLiteral("bookings");
    delivery.state = state;
    delivery.reason = reason;
    delivery.attempts = attempts;
    delivery.lastOutcome = outcome;
    delivery.lastCode = outcome.isEmpty() ? QString() : QStringLiteral("some_code");
    delivery.lastStatus = outcome.isEmpty() ? 0 : 418;
    delivery.createdAt = moment("2026-11-30T12:00:00Z");
    delivery.dueAt = moment("2026-11-30T12:10:00Z");
    delivery.expiresAt = moment("2026-12-01T12:00:00Z");
    if (state == DeliveryState::Accepted || state == DeliveryState::Delivered || state == DeliveryState::Bounced)
        delivery.acceptedAt = moment("2026-11-30T12:11:00Z");
    if (!isLive(state))
        delivery.endedAt = moment("2026-11-30T12:12:00Z");
    return delivery;
}

bool says(const QString &sentence, const char *words)
{
    return sentence.contains(QLatin1String(words), Qt::CaseInsensitive);
}

StatusRecord aStatus()
{
    StatusRecord status;
    status.now = moment("2026-11-30T12:00:00Z");
    EngineRecord engine;
    engine.isAlive = true;
    status.engines.push_back(engine);
    BacklogRecord backlog;
    backlog.provider = QStringLiteral("resend");
    backlog.waiting = 1'204;
    backlog.oldestAge = 1h;
    status.backlog.push_back(backlog);
    backlog.lane = Lane::Urgent;
    backlog.waiting = 3;
    backlog.oldestAge = 1s;
    status.backlog.push_back(backlog);
    return status;
}

} // namespace

class tst_verdict : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyCombination_hasASentenceThatContradictsNothing()
    {
        const QStringList outcomes{QString(),
                                   toText(Outcome::Accepted),
                                   toText(Outcome::Throttled),
                                   toText(Outcome::Transient),
                                   toText(Outcome::PermanentRecipient),
                                   toText(Outcome::PermanentMessage),
                                   toText(Outcome::Configuration),
                                   toText(Outcome::Unknown)};
        int seen = 0;
        for (int state = 0; state < stateCount; ++state) {
            for (int reason = 0; reason < reasonCount; ++reason) {
                for (const QString &outcome : outcomes) {
                    for (const bool mayHaveArrived : {false, true}) {
                        DeliveryRecord delivery =
                            aDelivery(DeliveryState(state), Reason(reason), outcome.isEmpty() ? 0 : 2, outcome);
                        delivery.hasUnknown = mayHaveArrived;
                        const QString sentence = admin::verdictOf(delivery);
                        check(delivery, sentence);
                        if (QTest::currentTestFailed()) {
                            qWarning("%d %d %s: %s", state, reason, qPrintable(outcome), qPrintable(sentence));
                            return;
                        }
                        ++seen;
                    }
                }
            }
        }
        QCOMPARE(seen, stateCount * reasonCount * 16);
    }

    void sentences_areTheseWords_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<int>("reason");
        QTest::addColumn<int>("attempts");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, DeliveryState state, Reason reason, int attempts, const char *outcome,
                            const char *sentence) {
            QTest::newRow(name) << int(state) << int(reason) << attempts << QString::fromLatin1(outcome)
                                << QString::fromUtf8(sentence);
        };
        row("planned", DeliveryState::Scheduled, Reason::Planned, 0, "",
            "Not sent yet; due 2026-11-30T12:10:00.000Z (it is planned for then), until 2026-12-01T12:00:00.000Z at "
            "the "
            "latest.");
        row("quiet hours", DeliveryState::Scheduled, Reason::QuietHours, 0, "",
            "Not sent yet; due 2026-11-30T12:10:00.000Z (the recipient's quiet hours), until 2026-12-01T12:00:00.000Z "
            "at the latest.");
        row("retry", DeliveryState::Scheduled, Reason::Retry, 2, "transient",
            "Tried 2 times, at the last resend was disturbed (some_code, status 418); it is tried again at "
            "2026-11-30T12:10:00.000Z, until 2026-12-01T12:00:00.000Z at the latest.");
        row("held", DeliveryState::Held, Reason::MissingVariable, 0, "",
            "Not sent yet; held until a person decides, since its template needs a value that the event does not "
            "hold.");
        row("accepted", DeliveryState::Accepted, Reason::None, 1, "accepted",
            "Sent: resend accepted it at 2026-11-30T12:11:00.000Z; whether it arrived is not known yet.");
        row("delivered", DeliveryState::Delivered, Reason::ReceiptDelivered, 1, "accepted",
            "Sent at 2026-11-30T12:11:00.000Z by resend; delivered at 2026-11-30T12:12:00.000Z, by the provider's "
            "word.");
        row("bounced", DeliveryState::Bounced, Reason::ReceiptBounced, 1, "accepted",
            "resend accepted it at 2026-11-30T12:11:00.000Z; the recipient's side refused it at "
            "2026-11-30T12:12:00.000Z (some_code, status 418). It is not sent again by itself.");
        row("preference", DeliveryState::Suppressed, Reason::Preference, 0, "",
            "Not sent at 2026-11-30T12:12:00.000Z: the recipient switched off bookings by email.");
        row("expired", DeliveryState::Expired, Reason::PastExpiry, 0, "",
            "Not sent at 2026-11-30T12:12:00.000Z: its time was over (it expires at 2026-12-01T12:00:00.000Z).");
        row("superseded by an edit", DeliveryState::Superseded, Reason::ByEdit, 0, "",
            "Not sent at 2026-11-30T12:12:00.000Z: an edited copy of it replaced it.");
        row("superseded by an event", DeliveryState::Superseded, Reason::ByEvent, 0, "",
            "Not sent at 2026-11-30T12:12:00.000Z: a later event replaced it.");
        row("cancelled", DeliveryState::Cancelled, Reason::ByPerson, 0, "",
            "Not sent at 2026-11-30T12:12:00.000Z: a person cancelled it.");
        row("dead", DeliveryState::Dead, Reason::AttemptsSpent, 10, "transient",
            "Given up at 2026-11-30T12:12:00.000Z after 10 attempts; at the last resend was disturbed (some_code, "
            "status 418); all tries are used up. It is not tried again by itself.");
        row("unknown", DeliveryState::Unknown, Reason::OutcomeUnknown, 1, "unknown",
            "It may have been sent: of 1 attempt by resend one has no known outcome (given up at "
            "2026-11-30T12:12:00.000Z). It is not sent again by itself.");
    }
    void sentences_areTheseWords()
    {
        QFETCH(int, state);
        QFETCH(int, reason);
        QFETCH(int, attempts);
        QFETCH(QString, outcome);
        QFETCH(QString, sentence);
        QCOMPARE(admin::verdictOf(aDelivery(DeliveryState(state), Reason(reason), attempts, outcome)), sentence);
    }

    void suppression_namesItsCause()
    {
        DeliveryRecord delivery = aDelivery(DeliveryState::Suppressed, Reason::AddressSuppressed, 0, {});
        delivery.detail = QStringLiteral("mail to this address bounced for good.");
        QCOMPARE(admin::verdictOf(delivery),
                 QStringLiteral("Not sent at 2026-11-30T12:12:00.000Z: the address is suppressed: mail to this address "
                                "bounced for good."));
    }

    void inbox_isToldAsArrivedAndDuplicatesAreTold()
    {
        DeliveryRecord delivery = aDelivery(DeliveryState::Delivered, Reason::None, 1, toText(Outcome::Accepted));
        delivery.channel = Channel::Inbox;
        QVERIFY(says(admin::verdictOf(delivery), "inbox"));
        delivery = aDelivery(DeliveryState::Accepted, Reason::None, 2, toText(Outcome::Accepted));
        delivery.possibleDuplicate = true;
        QVERIFY(says(admin::verdictOf(delivery), "twice"));
        delivery = aDelivery(DeliveryState::Scheduled, Reason::OutcomeUnknown, 1, toText(Outcome::Unknown));
        delivery.possibleDuplicate = true;
        QVERIFY(says(admin::verdictOf(delivery), "duplicate"));
    }

    void status_tellsWhoPausedALaneAndUntilWhen()
    {
        store::StatusFacts facts;
        facts.record = aStatus();
        facts.record.pauses.push_back({QStringLiteral("lane"), QStringLiteral("normal"), QStringLiteral("maintenance"),
                                       QStringLiteral("Ana"), facts.record.now, moment("2026-11-30T14:00:00Z")});
        admin::judge(facts);
        QVERIFY(facts.record.isHealthy);
        QCOMPARE(facts.record.verdict,
                 QStringLiteral("Lane normal is held up: 1,204 waiting (paused by Ana until 14:00 "
                                "UTC: maintenance)."));
    }

    void status_tellsAPauseOfAChannelOrOfEverything()
    {
        store::StatusFacts facts;
        facts.record = aStatus();
        facts.record.pauses.push_back(
            {QStringLiteral("channel"), QStringLiteral("email"), {}, QStringLiteral("Ana"), facts.record.now, {}});
        admin::judge(facts);
        QCOMPARE(facts.record.verdict, QStringLiteral("Channel email is held up: 1,207 waiting (paused by Ana)."));
        facts.record = aStatus();
        facts.record.pauses.push_back({QStringLiteral("all"),
                                       {},
                                       QStringLiteral("move"),
                                       QStringLiteral("Jo"),
                                       facts.record.now,
                                       moment("2026-12-02T01:00:00Z")});
        admin::judge(facts);
        QCOMPARE(facts.record.verdict, QStringLiteral("All sending is held up: 1,207 waiting (paused by Jo until "
                                                      "2026-12-02 01:00 UTC: move)."));
    }

    void status_pauseOfOneLaneDoesNotHideAnother()
    {
        store::StatusFacts facts;
        facts.record = aStatus();
        facts.record.pauses.push_back(
            {QStringLiteral("lane"), QStringLiteral("urgent"), {}, QStringLiteral("Ana"), facts.record.now, {}});
        admin::judge(facts);
        QVERIFY(!facts.record.isHealthy);
        QVERIFY(says(facts.record.verdict, "email is held up: 1,204 waiting on resend (the oldest for 60 min)"));
        QVERIFY(says(facts.record.verdict, "Lane urgent is held up: 3 waiting (paused by Ana)"));
    }

private:
    static void check(const DeliveryRecord &delivery, const QString &sentence)
    {
        QVERIFY(sentence.size() > 20);
        QVERIFY(sentence.endsWith(u'.'));
        QVERIFY(!sentence.contains(QStringLiteral("..")));
        QVERIFY(!sentence.contains(QStringLiteral("  ")));
        QVERIFY(!sentence.contains(u'%'));
        QVERIFY(!sentence.contains(QStringLiteral("none")));
        // Arrival is said of what is delivered only.
        if (delivery.state != DeliveryState::Delivered)
            QVERIFY(!says(sentence, "delivered"));
        if (delivery.state == DeliveryState::Accepted)
            QVERIFY(says(sentence, "whether it arrived is not known"));
        // What may have been sent is never told as not sent.
        const bool mayHaveArrived = delivery.hasUnknown && !isLive(delivery.state);
        if (mayHaveArrived || delivery.state == DeliveryState::Unknown)
            QVERIFY(!sentence.startsWith(QStringLiteral("Not sent")));
        // A try to come is told with its time, and only where one comes.
        const bool goesOn = delivery.state == DeliveryState::Scheduled || delivery.state == DeliveryState::Ready;
        QCOMPARE(says(sentence, "2026-11-30T12:10:00.000Z"), goesOn);
        if (!goesOn)
            QVERIFY(!says(sentence, "it is tried again at"));
        if (delivery.state == DeliveryState::Dead || delivery.state == DeliveryState::Unknown)
            QVERIFY(says(sentence, "again by itself"));
    }
};

QTEST_GUILESS_MAIN(tst_verdict)
#include "tst_verdict.moc"
