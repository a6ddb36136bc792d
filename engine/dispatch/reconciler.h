#pragma once
#include "channel/sender.h"
#include "dispatch/engine.h"
#include "store/question_store.h"
#include <map>

namespace sendoff::dispatch {

// Finds out what became of sends whose answer never came, and fetches the receipts that no callback brings, by asking
// the providers that can be asked; applies what they and their callbacks have said. Thread: the engine's; the Sender's
// answers are posted to it as onFound().
class Reconciler
{
public:
    // Called on the Sender's thread; must bring the answer to onFound() on ours.
    using Deliver = std::function<void(quint64 batch, std::vector<channel::FoundMessage> found)>;

    Reconciler(const EngineSettings &settings, channel::Sender &sender, Deliver deliver);

    // One sweep: notes, asks, applies; answers how many rows it dealt with. Cheap when there is nothing.
    Result<int> runOnce(store::Database &database);
    void onFound(quint64 batch, std::vector<channel::FoundMessage> found);

private:
    struct Asked
    {
        QString provider;
        std::vector<store::Question> questions;
    };
    struct Answered
    {
        Asked asked;
        std::vector<channel::FoundMessage> found;
    };

    Result<int> ask(store::Database &database, const ProviderRules &rules);
    Result<int> keep(store::Database &database, const Answered &answered);
    const ProviderRules *rulesOf(const QString &provider) const;

    const EngineSettings &m_settings;
    channel::Sender &m_sender;
    Deliver m_deliver;
    quint64 m_nextBatch = 1;
    std::map<quint64, Asked> m_open;
    std::vector<Answered> m_answered;
};

} // namespace sendoff::dispatch
