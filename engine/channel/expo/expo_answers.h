#pragma once
#include "channel/answer_rules.h"
#include <array>

namespace sendoff::channel {

// Names in `errors` of a whole request.
inline constexpr std::array expoRequestRules{
    // 600 notifications a second and project; no header says when to come back.
    AnswerRule{.code = "TOO_MANY_REQUESTS", .outcome = Outcome::Throttled, .floor = Milliseconds(1'000)},
    AnswerRule{0, "PUSH_TOO_MANY_EXPERIENCE_IDS", Outcome::PermanentMessage},
    AnswerRule{0, "PUSH_TOO_MANY_NOTIFICATIONS", Outcome::PermanentMessage},
    AnswerRule{0, "PUSH_TOO_MANY_RECEIPTS", Outcome::PermanentMessage},
    AnswerRule{0, "UNAUTHORIZED", Outcome::Configuration},
    AnswerRule{0, "VALIDATION_ERROR", Outcome::PermanentMessage},
    AnswerRule{0, "INTERNAL_SERVER_ERROR", Outcome::Unknown}, // tickets may exist
};

// Names in `details.error` of a ticket or receipt, and of the push services inside a ProviderError.
inline constexpr std::array expoTicketRules{
    AnswerRule{0, "DeviceNotRegistered", Outcome::PermanentRecipient},
    AnswerRule{0, "MessageTooBig", Outcome::PermanentMessage},
    AnswerRule{.code = "MessageRateExceeded", .outcome = Outcome::Throttled, .pausesBucket = false},  // one device's
    AnswerRule{.code = "MismatchSenderId", .outcome = Outcome::Configuration, .tripsBreaker = false}, // one app's
    AnswerRule{0, "InvalidCredentials", Outcome::Configuration},
    AnswerRule{0, "DeveloperError", Outcome::Configuration},
    AnswerRule{0, "ProviderError", Outcome::Transient},
    AnswerRule{0, "ExpoError", Outcome::Transient},
    AnswerRule{.code = "SENDER_ID_MISMATCH", .outcome = Outcome::Configuration, .tripsBreaker = false},
    AnswerRule{0, "THIRD_PARTY_AUTH_ERROR", Outcome::Configuration},
    AnswerRule{0, "InvalidProviderToken", Outcome::Configuration},
    AnswerRule{0, "UNREGISTERED", Outcome::PermanentRecipient},
    AnswerRule{0, "Unregistered", Outcome::PermanentRecipient},
};

} // namespace sendoff::channel
