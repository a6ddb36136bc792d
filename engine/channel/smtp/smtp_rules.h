#pragma once
#include "channel/smtp/smtp_reply.h"
#include "domain/clock.h"
#include "domain/words.h"
#include <array>

namespace sendoff::channel {

// What a reply means: the outcome, one word for its kind, the least wait, and whether the address is dead for good.
struct SmtpMeaning
{
    Outcome outcome = Outcome::Unknown;
    const char *kind = "";
    Milliseconds wait{0};
    bool suppressesRecipient = false;
};

// A set of stages as bits; 0 in a rule: every stage.
constexpr unsigned at(SmtpStage stage)
{
    return 1U << static_cast<unsigned>(stage);
}
constexpr unsigned beforeMail = at(SmtpStage::Connect) | at(SmtpStage::Ehlo) | at(SmtpStage::StartTls);
constexpr unsigned withBody = at(SmtpStage::Data) | at(SmtpStage::EndOfData);

constexpr Milliseconds greylistWait{300'000};
constexpr Milliseconds hours{3'600'000};

// Enhanced codes. The first rule that fits decides. `replyClass` 4 or 5 is the basic code's; 0: both.
struct EnhancedRule
{
    int replyClass = 0;
    int subject = 0;
    int detail = -1;   // -1: any
    int basicCode = 0; // 0: any
    unsigned stages = 0;
    SmtpMeaning meaning;
};
inline constexpr std::array enhancedRules{
    // x.1: addresses
    EnhancedRule{5, 1, 1, 0, 0, {Outcome::PermanentRecipient, "no_mailbox", {}, true}},
    EnhancedRule{5, 1, 2, 0, 0, {Outcome::PermanentRecipient, "no_domain", {}, true}},
    EnhancedRule{5, 1, 3, 0, 0, {Outcome::PermanentRecipient, "bad_address", {}, true}},
    EnhancedRule{5, 1, 6, 0, 0, {Outcome::PermanentRecipient, "moved", {}, true}},
    EnhancedRule{5, 1, 10, 0, 0, {Outcome::PermanentRecipient, "null_mx", {}, true}},
    EnhancedRule{5, 1, 7, 0, 0, {Outcome::Configuration, "sender_address", {}, false}},
    EnhancedRule{5, 1, 8, 0, 0, {Outcome::Configuration, "sender_address", {}, false}},
    EnhancedRule{4, 1, -1, 0, 0, {Outcome::Transient, "address_temporary", {}, false}},
    // x.2: the mailbox
    EnhancedRule{5, 2, 1, 0, 0, {Outcome::PermanentRecipient, "mailbox_disabled", {}, true}},
    EnhancedRule{4, 2, 1, 0, 0, {Outcome::Transient, "mailbox_disabled", {}, false}},
    EnhancedRule{0, 2, 2, 0, 0, {Outcome::Transient, "mailbox_full", hours, false}},
    EnhancedRule{5, 2, 3, 0, 0, {Outcome::PermanentMessage, "too_big", {}, false}},
    // x.3: the server
    EnhancedRule{5, 3, 2, 521, 0, {Outcome::PermanentRecipient, "host_refuses_mail", {}, true}},
    EnhancedRule{5, 3, 4, 0, 0, {Outcome::PermanentMessage, "too_big", {}, false}},
    EnhancedRule{0, 3, 1, 0, 0, {Outcome::Transient, "server_storage", {}, false}},
    EnhancedRule{0, 3, -1, 0, 0, {Outcome::Transient, "server_error", {}, false}},
    // x.4: routing
    EnhancedRule{5, 4, 6, 0, 0, {Outcome::PermanentRecipient, "loop", {}, false}},
    EnhancedRule{0, 4, 7, 0, 0, {Outcome::Transient, "expired", {}, false}},
    EnhancedRule{0, 4, -1, 0, 0, {Outcome::Transient, "routing", {}, false}},
    // x.5: the protocol
    EnhancedRule{0, 5, 3, 0, 0, {Outcome::Transient, "too_many_recipients", {}, false}},
    EnhancedRule{4, 5, -1, 0, 0, {Outcome::Transient, "protocol", {}, false}},
    EnhancedRule{5, 5, 6, 0, withBody, {Outcome::PermanentMessage, "protocol", {}, false}},
    EnhancedRule{5, 5, 0, 0, withBody, {Outcome::PermanentMessage, "protocol", {}, false}},
    EnhancedRule{5, 5, 1, 0, 0, {Outcome::Configuration, "protocol", {}, false}},
    EnhancedRule{5, 5, 2, 0, 0, {Outcome::Configuration, "protocol", {}, false}},
    EnhancedRule{5, 5, 4, 0, 0, {Outcome::Configuration, "protocol", {}, false}},
    // x.6: conversion
    EnhancedRule{5, 6, 7, 0, 0, {Outcome::PermanentRecipient, "eai_unsupported", {}, true}},
    EnhancedRule{5, 6, -1, 0, 0, {Outcome::PermanentMessage, "conversion", {}, false}},
    EnhancedRule{4, 6, -1, 0, 0, {Outcome::Transient, "conversion", {}, false}},
    // x.7: security and policy
    EnhancedRule{4, 7, -1, 0, at(SmtpStage::Auth), {Outcome::Transient, "auth_temporary", {}, false}},
    EnhancedRule{5, 7, -1, 0, at(SmtpStage::Auth), {Outcome::Configuration, "auth", {}, false}},
    EnhancedRule{4, 7, 1, 450, 0, {Outcome::Transient, "greylisting", greylistWait, false}},
    EnhancedRule{4, 7, 1, 451, 0, {Outcome::Transient, "greylisting", greylistWait, false}},
    EnhancedRule{4, 7, 1, 0, 0, {Outcome::Transient, "policy_temporary", greylistWait, false}},
    EnhancedRule{4, 7, 28, 0, 0, {Outcome::Throttled, "provider_rate", {}, false}},
    EnhancedRule{5, 7, -1, 530, 0, {Outcome::Configuration, "auth", {}, false}},
    EnhancedRule{5, 7, -1, 534, 0, {Outcome::Configuration, "auth", {}, false}},
    EnhancedRule{5, 7, -1, 535, 0, {Outcome::Configuration, "auth", {}, false}},
    EnhancedRule{5, 7, -1, 538, 0, {Outcome::Configuration, "auth", {}, false}},
    EnhancedRule{5, 7, 8, 0, 0, {Outcome::Configuration, "auth", {}, false}},
    EnhancedRule{5, 7, 9, 0, 0, {Outcome::Configuration, "auth", {}, false}},
    EnhancedRule{5, 7, 11, 0, 0, {Outcome::Configuration, "auth", {}, false}},
    EnhancedRule{5, 7, 20, 0, 0, {Outcome::Configuration, "authentication", {}, false}},
    EnhancedRule{5, 7, 21, 0, 0, {Outcome::Configuration, "authentication", {}, false}},
    EnhancedRule{5, 7, 22, 0, 0, {Outcome::Configuration, "authentication", {}, false}},
    EnhancedRule{5, 7, 23, 0, 0, {Outcome::Configuration, "authentication", {}, false}},
    EnhancedRule{5, 7, 24, 0, 0, {Outcome::Configuration, "authentication", {}, false}},
    EnhancedRule{5, 7, 25, 0, 0, {Outcome::Configuration, "authentication", {}, false}},
    EnhancedRule{5, 7, 26, 0, 0, {Outcome::Configuration, "authentication", {}, false}},
    EnhancedRule{5, 7, 27, 0, 0, {Outcome::Configuration, "sender_address", {}, false}},
    EnhancedRule{5, 7, -1, 0, beforeMail, {Outcome::Configuration, "server_refuses_us", {}, false}},
    EnhancedRule{5, 7, -1, 0, 0, {Outcome::PermanentMessage, "policy", {}, false}},
};

// Words in a refusal without a telling enhanced code. They only ever make a temporary reply more exact.
struct TextRule
{
    const char *pattern; // case does not matter
    SmtpMeaning meaning;
};
inline constexpr std::array textRules{
    TextRule{"gr[ae]y.?list", {Outcome::Transient, "greylisting", greylistWait, false}},
    TextRule{"daily (message|sending) quota|quota exceeded for the day",
             {Outcome::Throttled, "provider_quota", hours, false}},
    TextRule{"throttl|sending rate|rate limit|too many (connections|messages)",
             {Outcome::Throttled, "provider_rate", Milliseconds(1000), false}},
    TextRule{"too many recipients", {Outcome::Transient, "too_many_recipients", {}, false}},
    TextRule{"(mail)?box( is|'s)? full|over ?quota|quota exceeded", {Outcome::Transient, "mailbox_full", hours, false}},
};

// Words of a 5xx to RCPT without a leading enhanced code that say that it is us who may not send: our login, our
// address or our sender, not the recipient. The first that fits decides.
inline constexpr std::array ownFaultRules{
    TextRule{"authenticat", {Outcome::Configuration, "auth", {}, false}},
    TextRule{"sender (address )?verif", {Outcome::Configuration, "sender_address", {}, false}},
    // Not a host's name with "relay" in it.
    TextRule{"(?<![.@\\w-])relay(ing|ed)?\\b(?![.@-]\\w)|rcpthosts|not permitted",
             {Outcome::Configuration, "server_refuses_us", {}, false}},
};

// Basic codes with the stage. The first rule that fits decides.
struct BasicRule
{
    int code;
    unsigned stages = 0;
    SmtpMeaning meaning;
};
inline constexpr std::array basicRules{
    BasicRule{421, 0, {Outcome::Transient, "closing", {}, false}},
    BasicRule{450, 0, {Outcome::Transient, "mailbox_busy", {}, false}},
    BasicRule{451, 0, {Outcome::Transient, "server_error", {}, false}},
    BasicRule{452, 0, {Outcome::Transient, "server_storage", {}, false}},
    BasicRule{454, at(SmtpStage::Auth), {Outcome::Transient, "auth_temporary", {}, false}},
    BasicRule{454, at(SmtpStage::StartTls), {Outcome::Transient, "tls_temporary", {}, false}},
    BasicRule{454, 0, {Outcome::Transient, "server_error", {}, false}},
    BasicRule{455, 0, {Outcome::Transient, "protocol", {}, false}},
    BasicRule{500, withBody, {Outcome::PermanentMessage, "protocol", {}, false}},
    BasicRule{500, 0, {Outcome::Configuration, "protocol", {}, false}},
    BasicRule{501, at(SmtpStage::Rcpt), {Outcome::PermanentRecipient, "bad_address", {}, false}},
    BasicRule{501, 0, {Outcome::Configuration, "protocol", {}, false}},
    BasicRule{502, 0, {Outcome::Configuration, "protocol", {}, false}},
    BasicRule{503, 0, {Outcome::Configuration, "protocol", {}, false}},
    BasicRule{504, 0, {Outcome::Configuration, "protocol", {}, false}},
    BasicRule{521, 0, {Outcome::PermanentRecipient, "host_refuses_mail", {}, true}},
    BasicRule{530, 0, {Outcome::Configuration, "auth", {}, false}},
    BasicRule{534, 0, {Outcome::Configuration, "auth", {}, false}},
    BasicRule{535, 0, {Outcome::Configuration, "auth", {}, false}},
    BasicRule{538, 0, {Outcome::Configuration, "auth", {}, false}},
    BasicRule{550, beforeMail, {Outcome::Configuration, "server_refuses_us", {}, false}},
    BasicRule{550, at(SmtpStage::Mail), {Outcome::Configuration, "sender_address", {}, false}},
    BasicRule{550, at(SmtpStage::Rcpt), {Outcome::PermanentRecipient, "no_mailbox", {}, true}},
    BasicRule{550, 0, {Outcome::PermanentMessage, "policy", {}, false}},
    BasicRule{551, at(SmtpStage::Rcpt), {Outcome::PermanentRecipient, "moved", {}, true}},
    BasicRule{552, at(SmtpStage::Rcpt), {Outcome::Transient, "mailbox_full", hours, false}},
    BasicRule{552, 0, {Outcome::PermanentMessage, "too_big", {}, false}},
    BasicRule{553, at(SmtpStage::Mail), {Outcome::Configuration, "sender_address", {}, false}},
    BasicRule{553, at(SmtpStage::Rcpt), {Outcome::PermanentRecipient, "bad_address", {}, false}},
    BasicRule{554, beforeMail, {Outcome::Configuration, "server_refuses_us", {}, false}},
    BasicRule{554, 0, {Outcome::PermanentMessage, "policy", {}, false}},
    BasicRule{555, 0, {Outcome::Configuration, "protocol", {}, false}},
    BasicRule{556, 0, {Outcome::PermanentRecipient, "null_mx", {}, true}},
};

} // namespace sendoff::channel
