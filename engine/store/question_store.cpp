#include "store/question_store.h"

#include "store/json_rows.h"

#include <algorithm>

namespace sendoff::store {

namespace {

constexpr qint64 firstAsk = 60'000;              // milliseconds; callers hold a question as long
constexpr qint64 longestAsk = 3'600'000;         // milliseconds
constexpr int maxAsked = 78;                     // with waits of at most an hour: three days
constexpr qint64 outcomeWindow = 3 * 86'400'000; // milliseconds; older unknowns are a person's

int noteOutcomes(Session &session, const AskRules &rules, int limit)
{
    const auto from = [&](const char *rows) {
        return session
            .run("INSERT INTO sendoff_question (delivery_id, provider, kind, ask_at) "
                 "SELECT d.id, d.provider, 'outcome', $now FROM " +
                     QByteArray(rows) +
                     " > $now_plus(?) AND NOT EXISTS (SELECT 1 FROM sendoff_question q WHERE q.delivery_id = d.id) "
                     "LIMIT ? ON CONFLICT (delivery_id) DO NOTHING",
                 {rules.provider, -outcomeWindow, limit})
            .affected();
    };
    return from("sendoff_delivery_hot d WHERE d.has_unknown = 1 AND d.provider = ? AND d.first_handed_at") +
           from("sendoff_delivery_history d WHERE d.state = 'unknown' AND d.provider = ? AND d.ended_at");
}

// Walks once over what was accepted, in the order of its end.
int noteReceipts(Session &session, const AskRules &rules, int limit)
{
    const QString name = QStringLiteral("receipts of ") + rules.provider;
    session.run("INSERT INTO sendoff_mark (name, reached) VALUES (?, $now_plus(?)) ON CONFLICT (name) DO NOTHING",
                {name, -qint64(rules.receiptsKept.count())});
    session.run("SELECT 1 FROM sendoff_mark WHERE name = ? $lock", {name});
    JsonRows rows;
    QString last;
    QString lastId;
    int count = 0;
    {
        Cursor row = session.run("SELECT d.id, CAST(d.ended_at AS text) FROM sendoff_delivery_history d "
                                 "WHERE d.state = 'accepted' AND d.ended_at >= (SELECT reached FROM sendoff_mark WHERE "
                                 "name = ?) AND d.ended_at <= $now_plus(?) AND d.provider = ? AND EXISTS "
                                 "(SELECT 1 FROM sendoff_mark m WHERE m.name = ? AND (d.ended_at > m.reached OR d.id > "
                                 "m.last_id)) ORDER BY d.ended_at, d.id LIMIT ?",
                                 {name, -qint64(rules.receiptAfter.count()), rules.provider, name, limit});
        while (row.next()) {
            rows.row().text("id", row.text(0));
            lastId = row.text(0);
            last = row.text(1);
            ++count;
        }
    }
    if (count == 0)
        return 0;
    session.run("INSERT INTO sendoff_question (delivery_id, provider, kind, ask_at) "
                "SELECT value->>'id', CAST(? AS text), 'receipt', $now FROM $rows WHERE 1 = 1 "
                "ON CONFLICT (delivery_id) DO NOTHING",
                {rules.provider, rows.json()});
    session.run("UPDATE sendoff_mark SET reached = ?, last_id = ? WHERE name = ?", {last, lastId, name});
    return count;
}

// Answered meanwhile by a callback, a retry or a person, or forgotten by the provider.
void endClosed(Session &session, const AskRules &rules)
{
    session.run("DELETE FROM sendoff_question WHERE provider = ? AND kind = 'outcome' AND ask_at <= $now AND "
                "NOT EXISTS (SELECT 1 FROM sendoff_delivery_hot d WHERE d.id = delivery_id AND d.has_unknown = 1) AND "
                "NOT EXISTS (SELECT 1 FROM sendoff_delivery_history d WHERE d.id = delivery_id AND d.state = "
                "'unknown')",
                {rules.provider});
    session.run("DELETE FROM sendoff_question WHERE provider = ? AND kind = 'receipt' AND ask_at <= $now AND "
                "NOT EXISTS (SELECT 1 FROM sendoff_delivery_history d WHERE d.id = delivery_id AND d.state = "
                "'accepted' AND d.ended_at > $now_plus(?))",
                {rules.provider, -qint64(rules.receiptsKept.count())});
}

void askLater(Session &session, const QString &id)
{
    session.run("DELETE FROM sendoff_question WHERE delivery_id = ? AND asked >= ?", {id, maxAsked});
    int asked = 0;
    {
        Cursor row = session.run("SELECT asked FROM sendoff_question WHERE delivery_id = ?", {id});
        if (!row.next())
            return;
        asked = int(row.integer(0));
    }
    const qint64 wait = std::min(longestAsk, firstAsk << std::min(std::max(asked - 1, 0), 10));
    session.run("UPDATE sendoff_question SET ask_at = $now_plus(?) WHERE delivery_id = ?", {wait, id});
}

// The provider surely never had it, where this was asked late enough after the newest hand-over. Leased rows are not
// touched: their own attempt is under way.
bool resolveAsNotSent(Session &session, const QString &id, const AskRules &rules, Timestamp askedAt)
{
    const qint64 before = askedAt.time_since_epoch().count() - 2 * qint64(rules.indexingDelay.count());
    const QByteArray isProof = "COALESCE(handed_at, first_handed_at) <= $at(?)";
    const int waiting =
        session
            .run("UPDATE sendoff_delivery_hot SET has_unknown = 0, possible_duplicate = 0, lease_token = lease_token + "
                 "1, "
                 "detail = 'the provider says that it never had it', "
                 "reason = CASE WHEN reason = 'outcome_unknown' THEN 'retry' ELSE reason END, "
                 "due_at = CASE WHEN state = 'held' AND reason = 'outcome_unknown' THEN $now ELSE due_at END, "
                 "state = CASE WHEN state = 'held' AND reason = 'outcome_unknown' THEN 'scheduled' ELSE state END "
                 "WHERE id = ? AND has_unknown = 1 AND state <> 'leased' AND " +
                     isProof,
                 {id, before})
            .affected();
    if (waiting > 0)
        return true;
    return session
               .run("UPDATE sendoff_delivery_history SET has_unknown = 0, lease_token = lease_token + 1, "
                    "detail = 'the provider says that it never had it', "
                    "state = CASE WHEN expires_at <= $now THEN 'expired' ELSE 'dead' END, "
                    "reason = CASE WHEN expires_at <= $now THEN 'past_expiry' ELSE 'attempts_spent' END "
                    "WHERE id = ? AND state = 'unknown' AND " +
                        isProof,
                    {id, before})
               .affected() > 0;
}

} // namespace

Result<int> noteQuestions(Database &database, const AskRules &rules, int limit)
{
    return database.write([&](Session &session) {
        int count = rules.asksOutcomes ? noteOutcomes(session, rules, limit) : 0;
        if (rules.receiptAfter > Milliseconds(0))
            count += noteReceipts(session, rules, limit);
        endClosed(session, rules);
        return count;
    });
}

Result<std::vector<Question>> takeQuestions(Database &database, const QString &provider, int limit)
{
    return database.write([&](Session &session) {
        JsonRows ids;
        {
            Cursor row = session.run("SELECT delivery_id FROM sendoff_question WHERE provider = ? AND ask_at <= $now "
                                     "ORDER BY ask_at LIMIT ? $skip_locked",
                                     {provider, limit});
            while (row.next())
                ids.row().text("id", row.text(0));
        }
        std::vector<Question> questions;
        if (ids.isEmpty())
            return questions;
        session.run("UPDATE sendoff_question SET asked = asked + 1, ask_at = $now_plus(?) WHERE delivery_id "
                    "$any(SELECT value->>'id' FROM $rows)",
                    {firstAsk, ids.json()});
        Cursor row = session.run(
            "SELECT d.id, d.channel, q.kind, d.provider_message_id, d.address, $ms(COALESCE(d.first_handed_at, "
            "d.created_at)), $ms($now) FROM sendoff_question q JOIN sendoff_delivery d ON d.id = q.delivery_id "
            "WHERE q.delivery_id $any(SELECT value->>'id' FROM $rows) AND d.id $any(SELECT value->>'id' FROM $rows)",
            {ids.json(), ids.json()});
        while (row.next()) {
            Question question;
            question.id = DeliveryId(row.text(0));
            question.channel = fromText<Channel>(row.text(1)).value_or(Channel::Email);
            question.isOutcome = row.text(2) == QLatin1String("outcome");
            question.messageId = row.text(3);
            question.address = row.text(4);
            question.handedAt = row.time(5);
            question.askedAt = row.time(6);
            questions.push_back(std::move(question));
        }
        return questions;
    });
}

Result<ResolvedQuestions> answerQuestions(Database &database, const AskRules &rules,
                                          const std::vector<QuestionAnswer> &answers)
{
    return database.write([&](Session &session) {
        ResolvedQuestions resolved;
        for (const QuestionAnswer &answer : answers) {
            const QString &id = answer.id.value;
            bool isOutcome = true;
            {
                Cursor row = session.run("SELECT kind FROM sendoff_question WHERE delivery_id = ?", {id});
                if (!row.next())
                    continue;
                isOutcome = row.text(0) == QLatin1String("outcome");
            }
            const bool isNotSent = answer.found == QuestionAnswer::Found::No && isOutcome &&
                                   resolveAsNotSent(session, id, rules, answer.askedAt);
            resolved.notSent += isNotSent ? 1 : 0;
            if (!isNotSent && answer.found != QuestionAnswer::Found::Yes) {
                askLater(session, id);
                continue;
            }
            session.run("DELETE FROM sendoff_question WHERE delivery_id = ?", {id});
            ++resolved.settled;
        }
        return resolved;
    });
}

Result<std::optional<Milliseconds>> untilNextQuestion(Database &database, const QString &provider)
{
    return database.readOnce([&](Session &session) -> std::optional<Milliseconds> {
        Cursor row =
            session.run("SELECT $ms(min(ask_at)) - $ms($now) FROM sendoff_question WHERE provider = ?", {provider});
        if (!row.next() || row.isNull(0))
            return std::nullopt;
        return Milliseconds(std::max<qint64>(0, row.integer(0)));
    });
}

} // namespace sendoff::store
