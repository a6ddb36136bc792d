#pragma once
#include "channel/provider_kind.h"
#include <functional>

namespace sendoff::channel {

// Hands deliveries to a provider: one call is one request. The seam that dispatch sees and tests replace.
// Thread: send() and ask() may be called from any thread; `done` comes exactly once, on the sender's thread.
class Sender
{
public:
    Sender() = default;
    Sender(const Sender &) = delete;
    Sender &operator=(const Sender &) = delete;
    virtual ~Sender() = default;

    using Done = std::function<void(std::vector<AttemptResult>)>; // one for each item, in order
    virtual void send(const ProviderSettings &provider, std::vector<OutgoingItem> items, Done done) = 0;

    using Found = std::function<void(std::vector<FoundMessage>)>; // one for each question, in order
    // What the provider knows of these messages; any number of them, in as many requests as its limit asks for. Changes
    // nothing there. Unclear, with the reason, where it can't be asked or did not answer.
    virtual void ask(const ProviderSettings &, std::vector<OpenQuestion> questions, Found done)
    {
        done(std::vector<FoundMessage>(questions.size())); // a sender that asks nobody
    }

    // Ends what is in flight (Unknown where bytes may have left). Every `done` has come when it returns.
    virtual void cancelAll() = 0;
};

} // namespace sendoff::channel
