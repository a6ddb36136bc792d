#pragma once
#include "domain/clock.h"
#include "domain/words.h"
#include <QString>
#include <optional>

namespace sendoff {

// A message as rendered for one channel, before a provider's request is made of it. Fields not used by a channel are
// empty.
struct RenderedMessage
{
    Channel channel = Channel::Email;
    QString locale;                       // the one that was found in the fallback chain
    QString subject;                      // email; one line
    QString text;                         // email's text part, SMS text, push and inbox body
    QString html;                         // email's HTML part, may be empty
    QString title;                        // push and inbox
    QString link;                         // push and inbox, an absolute or app-relative URL
    QString unsubscribeUrl;               // email that is not transactional: the one-click address; empty otherwise
    std::optional<Milliseconds> validFor; // from composing to its expiry, for providers that can drop what is late
};

} // namespace sendoff
