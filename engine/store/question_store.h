#pragma once
#include "domain/ids.h"
#include "domain/receipt.h"
#include "domain/result.h"
#include "domain/words.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// What providers are to be asked: what became of a send whose answer never came, and the receipts that no callback
// brings. Rows of the store, so that any engine may ask and none is asked for twice at once.

struct AskRules
{
    QString provider;
    bool asksOutcomes = false;
    Milliseconds indexingDelay{0}; // "not found" proves nothing before twice this has passed since the hand-over
    Milliseconds receiptAfter{0};  // 0: its receipts come by callback
    Milliseconds receiptsKept{0};
};
// Writes down what has become worth asking since the last time; answers how many rows.
Result<int> noteQuestions(Database &database, const AskRules &rules, int limit);

struct Question
{
    DeliveryId id;
    Channel channel = Channel::Email;
    bool isOutcome = true; // false: the receipt of an accepted message
    QString messageId;     // empty where no answer ever came
    QString address;       // in clear
    Timestamp handedAt;
    Timestamp askedAt; // database's clock, when it was taken
};
// The questions of this provider that are due, for this caller alone for a minute.
Result<std::vector<Question>> takeQuestions(Database &database, const QString &provider, int limit);

struct QuestionAnswer
{
    enum class Found { Yes, No, Unclear };
    DeliveryId id;
    Found found = Found::Unclear;
    Timestamp askedAt; // of the question
};
struct ResolvedQuestions
{
    int settled = 0; // need not be asked again
    int notSent = 0; // among them those that the provider surely never had
};
// Yes: the receipt itself goes through keepReceipts(), here the question ends. No: when it was asked later than twice
// the indexing delay after the newest hand-over, nothing was sent: a held delivery goes on, a waiting one loses its
// mark, an ended one becomes dead (or expired) and may be retried. Unclear: asked again, a minute doubling to an hour,
// for three days; what is left then is a person's.
Result<ResolvedQuestions> answerQuestions(Database &database, const AskRules &rules,
                                          const std::vector<QuestionAnswer> &answers);
// Until the next question of this provider is due, nothing where none is.
Result<std::optional<Milliseconds>> untilNextQuestion(Database &database, const QString &provider);

} // namespace sendoff::store
