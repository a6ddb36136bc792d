#pragma once
#include "channel/http_transport.h"
#include "domain/attempt.h"
#include "domain/json_document.h"
#include "domain/result.h"
#include <QString>
#include <vector>

namespace sendoff::channel {

// One rule of a provider that is described by configuration:
//   status=4xx /error/code=limit -> throttled wait=30s only-this
// All conditions must hold. A condition is status=NNN, status=Nxx, status=NNN-NNN, body=TEXT (the whole body, blanks
// around it apart), body*=TEXT (somewhere in it), /POINTER=TEXT or /POINTER*=TEXT (a member of a JSON body); TEXT with
// blanks stands in double quotes. = is exact, *= looks without case. After the arrow: an outcome (accepted, throttled,
// transient, permanent_recipient, permanent_message, configuration, unknown), then perhaps wait=DURATION (at least so
// long) and only-this (throttled: this recipient alone, not the account).
struct GenericRule
{
    struct Condition
    {
        enum class Subject { Status, Body, Pointer };
        Subject subject = Subject::Status;
        int from = 0; // of Status, both ends included
        int to = 0;
        QString pointer;
        bool contains = false;
        QString text;
    };
    std::vector<Condition> conditions;
    Outcome outcome = Outcome::Unknown;
    Milliseconds floor{0};
    bool pausesBucket = true;

    // Invalid: says which part and the remedy.
    static Result<GenericRule> parse(const QString &text);
    // `json` is null where the body is no JSON.
    bool matches(const HttpAnswer &answer, const JsonValue &json) const;
};

} // namespace sendoff::channel
