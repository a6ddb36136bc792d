#pragma once
#include "channel/answer_rules.h"
#include <array>

namespace sendoff::channel {

// Resend's error names (its error page and its Node package). README.md says where the judgement is ours.
inline constexpr std::array resendRules{
    AnswerRule{0, "invalid_idempotency_key", Outcome::PermanentMessage},
    AnswerRule{400, "validation_error", Outcome::PermanentMessage},
    AnswerRule{422, "validation_error", Outcome::PermanentMessage},
    AnswerRule{401, "validation_error", Outcome::Configuration}, // the key is wrong
    AnswerRule{403, "validation_error", Outcome::Configuration}, // the domain is not verified
    AnswerRule{0, "missing_api_key", Outcome::Configuration},
    AnswerRule{0, "restricted_api_key", Outcome::Configuration},
    AnswerRule{0, "invalid_api_key", Outcome::Configuration},
    AnswerRule{0, "not_found", Outcome::Configuration},
    AnswerRule{0, "method_not_allowed", Outcome::Configuration},
    AnswerRule{.code = "invalid_idempotent_request", .outcome = Outcome::PermanentMessage, .idempotencyConflict = true},
    AnswerRule{0, "concurrent_idempotent_requests", Outcome::Transient},
    AnswerRule{0, "invalid_attachment", Outcome::PermanentMessage},
    AnswerRule{0, "missing_required_field", Outcome::PermanentMessage},
    AnswerRule{0, "invalid_parameter", Outcome::PermanentMessage},
    AnswerRule{0, "invalid_from_address", Outcome::Configuration},
    AnswerRule{0, "invalid_access", Outcome::Configuration},
    AnswerRule{0, "invalid_region", Outcome::Configuration},
    AnswerRule{0, "rate_limit_exceeded", Outcome::Throttled},
    // Its Retry-After of a second or two is about the rate, not about the day.
    AnswerRule{.code = "daily_quota_exceeded", .outcome = Outcome::Throttled, .floor = Milliseconds(86'400'000)},
    AnswerRule{0, "monthly_quota_exceeded", Outcome::Configuration},
    AnswerRule{0, "security_error", Outcome::PermanentMessage},
    AnswerRule{500, "application_error", Outcome::Transient},
    AnswerRule{500, "internal_server_error", Outcome::Transient},
};

} // namespace sendoff::channel
