#pragma once
#include "channel/answer_rules.h"
#include <array>

namespace sendoff::channel {

// Twilio's error codes as they come with an answer. Its dictionary gives few of them a status, so the code decides
// alone; the statuses here are those of a server error, which only these codes make clear.
inline constexpr std::array twilioRules{
    AnswerRule{0, "20003", Outcome::Configuration},    // authentication/permission
    AnswerRule{0, "20404", Outcome::Configuration},    // wrong account or resource
    AnswerRule{0, "20005", Outcome::Configuration},    // account not active
    AnswerRule{0, "20006", Outcome::Configuration},    // access denied
    AnswerRule{0, "20001", Outcome::PermanentMessage}, // unknown parameter
    AnswerRule{0, "20422", Outcome::PermanentMessage}, // invalid parameter
    AnswerRule{0, "20004", Outcome::Configuration},    // method
    AnswerRule{0, "20409", Outcome::Transient},        // conflict
    AnswerRule{.code = "20429",
               .outcome = Outcome::Throttled,
               .floor = Milliseconds(1'000)},            // not processed; no header says when
    AnswerRule{500, "20500", Outcome::Unknown},          // no idempotency on this API
    AnswerRule{503, "20503", Outcome::Transient},        // service unavailable
    AnswerRule{0, "21211", Outcome::PermanentRecipient}, // invalid To
    AnswerRule{0, "21214", Outcome::PermanentRecipient}, // To unreachable
    AnswerRule{0, "21217", Outcome::PermanentRecipient}, // not a valid number
    AnswerRule{0, "21401", Outcome::PermanentRecipient}, // invalid number
    AnswerRule{0, "21614", Outcome::PermanentRecipient}, // not a mobile number
    AnswerRule{0, "21610", Outcome::PermanentRecipient}, // recipient opted out (STOP)
    AnswerRule{.code = "21612", .outcome = Outcome::PermanentRecipient, .suppresses = false}, // no route from this From
    AnswerRule{.code = "21408", .outcome = Outcome::Configuration, .tripsBreaker = false},    // region not enabled
    AnswerRule{0, "21212", Outcome::Configuration},                                           // invalid From
    AnswerRule{.code = "21606", .outcome = Outcome::Configuration, .tripsBreaker = false}, // From can't reach this To
    AnswerRule{0, "21603", Outcome::Configuration},                                        // no From or service
    AnswerRule{0, "21616", Outcome::Configuration},                                        // From ambiguous
    AnswerRule{.code = "21608", .outcome = Outcome::Configuration, .tripsBreaker = false}, // trial: To not verified
    AnswerRule{0, "21607", Outcome::Configuration},                                        // trial sandbox From
    AnswerRule{0, "21701", Outcome::Configuration},                                        // messaging service missing
    AnswerRule{.code = "21703", .outcome = Outcome::Configuration, .tripsBreaker = false}, // no sender for this To
    AnswerRule{0, "21704", Outcome::Configuration},                                        // service has no sender
    AnswerRule{0, "21705", Outcome::Configuration},                                        // service invalid
    AnswerRule{0, "21712", Outcome::Configuration},                                        // sender in another service
    AnswerRule{0, "21609", Outcome::Configuration},                                    // status callback URL invalid
    AnswerRule{0, "21626", Outcome::Configuration},                                    // status callback event invalid
    AnswerRule{0, "21602", Outcome::PermanentMessage},                                 // no body
    AnswerRule{0, "21604", Outcome::PermanentMessage},                                 // no To
    AnswerRule{0, "21605", Outcome::PermanentMessage},                                 // over 160 (old endpoint)
    AnswerRule{0, "21617", Outcome::PermanentMessage},                                 // over 1600 characters
    AnswerRule{0, "21618", Outcome::PermanentMessage},                                 // body not sendable
    AnswerRule{0, "21619", Outcome::PermanentMessage},                                 // no body or media
    AnswerRule{0, "21620", Outcome::PermanentMessage},                                 // media URL
    AnswerRule{0, "21623", Outcome::PermanentMessage},                                 // too many media
    AnswerRule{0, "21624", Outcome::PermanentMessage},                                 // validity period
    AnswerRule{0, "21654", Outcome::PermanentMessage},                                 // template
    AnswerRule{0, "21655", Outcome::PermanentMessage},                                 // template
    AnswerRule{0, "21656", Outcome::PermanentMessage},                                 // template variables
    AnswerRule{0, "21658", Outcome::PermanentMessage},                                 // parameter too long
    AnswerRule{0, "21621", Outcome::Configuration},                                    // From not MMS enabled
    AnswerRule{0, "21622", Outcome::Configuration},                                    // account not MMS enabled
    AnswerRule{0, "21611", Outcome::Throttled},                                        // queue of this From is full
    AnswerRule{.code = "14107", .outcome = Outcome::Throttled, .pausesBucket = false}, // between two numbers
};

// Codes of a message that was accepted: ErrorCode of a callback, error_code of a message that was asked for.
inline constexpr std::array twilioReceiptRules{
    AnswerRule{0, "30001", Outcome::Throttled},          // queue overflow
    AnswerRule{0, "30002", Outcome::Configuration},      // account suspended
    AnswerRule{0, "30003", Outcome::Transient},          // handset off or out of reach
    AnswerRule{0, "30004", Outcome::PermanentRecipient}, // destination blocked from receiving
    AnswerRule{0, "30005", Outcome::PermanentRecipient}, // unknown handset
    AnswerRule{0, "30006", Outcome::PermanentRecipient}, // landline or unreachable carrier
    AnswerRule{0, "30007", Outcome::PermanentMessage},   // filtered by carrier or Twilio
    AnswerRule{0, "30008", Outcome::Transient},          // unknown carrier error
    AnswerRule{0, "30009", Outcome::PermanentMessage},   // inbound only
    AnswerRule{0, "30010", Outcome::Configuration},      // max price (parameter now obsolete)
    AnswerRule{0, "30011", Outcome::PermanentMessage},   // MMS not supported
    AnswerRule{0, "30017", Outcome::Transient},          // carrier congestion
    AnswerRule{0, "30018", Outcome::Configuration},      // sender id needs registration
    AnswerRule{0, "30019", Outcome::PermanentMessage},   // content too large
    AnswerRule{0, "30022", Outcome::Throttled},          // 10DLC rate
    AnswerRule{0, "30023", Outcome::Throttled},          // 10DLC daily cap
    AnswerRule{0, "30024", Outcome::Configuration},      // numeric sender not provisioned
    AnswerRule{0, "30027", Outcome::Throttled},          // T-Mobile daily limit
    AnswerRule{0, "30025", Outcome::Accepted},           // warning only (50 % used)
    AnswerRule{0, "30026", Outcome::Accepted},           // warning only (70 % used)
    AnswerRule{0, "30032", Outcome::Configuration},      // toll-free not verified
    AnswerRule{0, "30033", Outcome::Configuration},      // campaign suspended
    AnswerRule{0, "30034", Outcome::Configuration},      // unregistered number
    AnswerRule{0, "30035", Outcome::Configuration},      // number still being configured
    AnswerRule{0, "30036", Outcome::PermanentMessage},   // validity period ran out in the queue
    AnswerRule{0, "30410", Outcome::Unknown},            // provider time-out
    AnswerRule{0, "30450", Outcome::Transient},          // destination temporarily blocked
};

} // namespace sendoff::channel
