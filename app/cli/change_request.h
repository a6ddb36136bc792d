#pragma once
#include "admin/console.h"
#include "app/cli/filter_flags.h"
#include <string>
#include <vector>

namespace sendoff::app {

// What a person wrote after retry, cancel, discard, reschedule or edit.
struct ChangeOptions
{
    QString verb;
    FilterFlags filter;
    std::vector<std::string> ids;
    std::string reason;
    std::string wait;
    std::string rate;
    std::string stopAtFailures;
    std::string at;             // reschedule
    std::string in;             // reschedule
    std::string address;        // edit
    std::string locale;         // edit
    std::string payloadPatch;   // edit: a file, - for standard input
    bool isAddressRead = false; // edit: from standard input
    bool isPreview = false;
    bool isNow = false;
    bool isWaiting = false;
    bool ofEvents = false;
};

// The command as the store takes it. Invalid, naming the flag and the remedy; reads standard input and files where
// the options say so.
Result<admin::OperationRequest> requestOf(const ChangeOptions &options);

// The command that does what the options say, without --preview, for people to copy; `sameStore` are the options that
// lead to the same store.
QString commandOf(const ChangeOptions &options, const admin::OperationRequest &request, const QString &sameStore);

} // namespace sendoff::app
