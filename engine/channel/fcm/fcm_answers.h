#pragma once
#include "channel/answer_rules.h"
#include <array>

namespace sendoff::channel {

// Names in the detail typed FcmError. 5xx are documented as safe to repeat.
inline constexpr std::array fcmErrorRules{
    AnswerRule{400, "INVALID_ARGUMENT", Outcome::PermanentMessage}, // of the token: see classify()
    AnswerRule{401, "THIRD_PARTY_AUTH_ERROR", Outcome::Configuration},
    // The device is another app's; the others of this project are well.
    AnswerRule{.status = 403, .code = "SENDER_ID_MISMATCH", .outcome = Outcome::Configuration, .tripsBreaker = false},
    AnswerRule{404, "UNREGISTERED", Outcome::PermanentRecipient},
    AnswerRule{429, "QUOTA_EXCEEDED", Outcome::Throttled},
    AnswerRule{500, "INTERNAL", Outcome::Transient},
    AnswerRule{503, "UNAVAILABLE", Outcome::Transient},
    AnswerRule{0, "UNSPECIFIED_ERROR", Outcome::Transient},
};

// Canonical names in `status`, where there is no FcmError. A bare NOT_FOUND is more likely a wrong project than a dead
// device, and must never end devices in numbers.
inline constexpr std::array fcmStatusRules{
    AnswerRule{400, "INVALID_ARGUMENT", Outcome::PermanentMessage},
    AnswerRule{401, "UNAUTHENTICATED", Outcome::Configuration},
    AnswerRule{403, "PERMISSION_DENIED", Outcome::Configuration},
    AnswerRule{404, "NOT_FOUND", Outcome::Configuration},
    AnswerRule{429, "RESOURCE_EXHAUSTED", Outcome::Throttled},
    AnswerRule{500, "INTERNAL", Outcome::Transient},
    AnswerRule{503, "UNAVAILABLE", Outcome::Transient},
    AnswerRule{0, "UNSPECIFIED_ERROR", Outcome::Transient},
};

} // namespace sendoff::channel
