#pragma once
#include "channel/answer_rules.h"
#include <array>

namespace sendoff::channel {

// Postmark's ErrorCode, a number space of its own: 401, 413 and 429 here are no HTTP statuses.
inline constexpr std::array postmarkRules{
    AnswerRule{0, "10", Outcome::Configuration},       // token
    AnswerRule{0, "100", Outcome::Transient},          // maintenance
    AnswerRule{503, "100", Outcome::Transient},        //
    AnswerRule{0, "300", Outcome::PermanentMessage},   // the text says whether it is the address
    AnswerRule{0, "400", Outcome::Configuration},      // sender signature not found
    AnswerRule{0, "401", Outcome::Configuration},      // sender signature not confirmed
    AnswerRule{0, "402", Outcome::PermanentMessage},   // JSON
    AnswerRule{0, "403", Outcome::PermanentMessage},   // JSON
    AnswerRule{0, "405", Outcome::Configuration},      // no credits
    AnswerRule{0, "406", Outcome::PermanentRecipient}, // inactive
    AnswerRule{0, "409", Outcome::Configuration},      // headers of the request
    AnswerRule{0, "410", Outcome::PermanentMessage},   // too many in a batch
    AnswerRule{0, "411", Outcome::PermanentMessage},   // attachment
    AnswerRule{0, "412", Outcome::Configuration},      // account pending
    AnswerRule{0, "413", Outcome::Configuration},      // account may not send
    AnswerRule{0, "429", Outcome::Throttled},
};

} // namespace sendoff::channel
