#include "dispatch/reconciler.h"

#include "domain/delivery.h"
#include "store/receipt_store.h"

#include <algorithm>

namespace sendoff::dispatch {

namespace {

constexpr int noteAtOnce = 500;
constexpr int applyAtOnce = 200;
constexpr size_t openAtOnce = 4; // requests that ask, in all: answers are wanted, not speed

store::AskRules askRules(const ProviderRules &rules, const channel::ProviderKind &kind)
{
    store::AskRules asked;
    asked.provider = rules.settings.name;
    // A provider that remembers our key answers by itself when the send is repeated; one that names no indexing delay
    // finds messages by the id in its answer only, and there was none.
    asked.asksOutcomes = kind.ask != nullptr && kind.indexingDelay > Milliseconds(0) &&
                         channel::idempotencyWindow(kind, rules.settings) == Milliseconds(0);
    asked.indexingDelay = kind.indexingDelay;
    asked.receiptAfter = kind.receiptAfter;
    asked.receiptsKept = kind.receiptsKept;
    return asked;
}

store::QuestionAnswer::Found foundOf(channel::FoundMessage::Found found)
{
    using Asked = channel::FoundMessage::Found;
    switch (found) {
    case Asked::Yes:
        return store::QuestionAnswer::Found::Yes;
    case Asked::No:
        return store::QuestionAnswer::Found::No;
    case Asked::Unclear:
        break;
    }
    return store::QuestionAnswer::Found::Unclear;
}

} // namespace

Reconciler::Reconciler(const EngineSettings &settings, channel::Sender &sender, Deliver deliver)
    : m_settings(settings)
    , m_sender(sender)
    , m_deliver(std::move(deliver))
{}

const ProviderRules *Reconciler::rulesOf(const QString &provider) const
{
    const auto found = std::find_if(m_settings.providers.cbegin(), m_settings.providers.cend(),
                                    [&](const ProviderRules &each) { return each.settings.name == provider; });
    return found == m_settings.providers.cend() ? nullptr : &*found;
}

Result<int> Reconciler::runOnce(store::Database &database)
{
    int rows = 0;
    while (!m_answered.empty()) {
        const Result<int> stored = keep(database, m_answered.back());
        if (!stored)
            return stored;
        rows += *stored;
        m_answered.pop_back();
    }
    for (const ProviderRules &rules : m_settings.providers) {
        const Result<int> asked = ask(database, rules);
        if (!asked)
            return asked;
        rows += *asked;
    }
    const auto applied = store::applyReceipts(database, applyAtOnce);
    if (!applied)
        return applied.error();
    return rows + applied->applied;
}

Result<int> Reconciler::ask(store::Database &database, const ProviderRules &rules)
{
    const channel::ProviderKind *kind = channel::providerKind(rules.settings.kind);
    if (!kind || !kind->ask)
        return 0;
    const store::AskRules asked = askRules(rules, *kind);
    if (const Result<int> noted = store::noteQuestions(database, asked, noteAtOnce); !noted)
        return noted;
    int rows = 0;
    while (m_open.size() < openAtOnce) {
        auto questions = store::takeQuestions(database, rules.settings.name, std::max(1, kind->askBatch));
        if (!questions)
            return questions.error();
        if (questions->empty())
            break;
        rows += int(questions->size());
        std::vector<channel::OpenQuestion> open;
        for (const store::Question &question : *questions)
            open.push_back({question.id, question.messageId, question.address, question.handedAt});
        const quint64 batch = m_nextBatch++;
        m_open.emplace(batch, Asked{rules.settings.name, std::move(*questions)});
        m_sender.ask(rules.settings, std::move(open),
                     [deliver = m_deliver, batch](std::vector<channel::FoundMessage> found) {
                         deliver(batch, std::move(found));
                     });
    }
    return rows;
}

void Reconciler::onFound(quint64 batch, std::vector<channel::FoundMessage> found)
{
    const auto open = m_open.find(batch);
    if (open == m_open.end())
        return;
    found.resize(open->second.questions.size()); // what is missing is unclear
    m_answered.push_back({std::move(open->second), std::move(found)});
    m_open.erase(open);
}

Result<int> Reconciler::keep(store::Database &database, const Answered &answered)
{
    const ProviderRules *rules = rulesOf(answered.asked.provider);
    const channel::ProviderKind *kind = rules ? channel::providerKind(rules->settings.kind) : nullptr;
    if (!kind)
        return 0;
    std::vector<store::ArrivedReceipt> receipts;
    std::vector<store::QuestionAnswer> answers;
    for (size_t each = 0; each < answered.found.size(); ++each) {
        const store::Question &question = answered.asked.questions[each];
        const channel::FoundMessage &found = answered.found[each];
        const bool isFound = found.found == channel::FoundMessage::Found::Yes && found.receipt;
        // A message that is there without a word of what became of it answers nothing.
        bool isOurs = isFound;
        if (isFound && question.messageId.isEmpty() && !found.receipt->messageId.isEmpty()) {
            // Found by recipient and time: it may be another message of ours to the same person.
            const Result<bool> isAnothers =
                store::isMessageOfAnother(database, answered.asked.provider, found.receipt->messageId, question.id);
            if (!isAnothers)
                return isAnothers.error();
            isOurs = !*isAnothers;
        }
        const auto said = found.found == channel::FoundMessage::Found::Yes && !isOurs
                              ? channel::FoundMessage::Found::Unclear
                              : found.found;
        answers.push_back({question.id, foundOf(said), question.askedAt});
        if (!isOurs)
            continue;
        store::ArrivedReceipt arrived;
        arrived.provider = answered.asked.provider;
        arrived.channel = question.channel;
        arrived.source = store::ReceiptSource::Asked;
        arrived.receipt = *found.receipt;
        arrived.receipt.delivery = question.id;
        // Never the provider's own id of a word: the callback that brings it is a word of its own.
        arrived.receipt.eventId =
            QStringLiteral("asked:%1:%2:%3")
                .arg(question.id.value, arrived.receipt.messageId, QString(toText(found.receipt->kind)));
        receipts.push_back(std::move(arrived));
    }
    // The word first: a question that ended without its receipt would never be asked again.
    if (const Result<int> kept = store::keepReceipts(database, receipts); !kept)
        return kept;
    const auto resolved = store::answerQuestions(database, askRules(*rules, *kind), answers);
    if (!resolved)
        return resolved.error();
    return resolved->settled;
}

} // namespace sendoff::dispatch
