#include "sandbox/provider_errors.h"

#include "domain/json_document.h"

#include <QHash>
#include <algorithm>
#include <array>

namespace sendoff::sandbox {

std::optional<ProviderError> providerError(const QString &name)
{
    using Level = ErrorLevel;
    static const QHash<QString, ProviderError> known = {
        {QStringLiteral("invalid_idempotency_key"),
         {Level::Resend, 400, QStringLiteral("The idempotency key must have 1 to 256 characters.")}},
        {QStringLiteral("validation_error"), {Level::Resend, 400, QStringLiteral("A field of the request is wrong.")}},
        {QStringLiteral("missing_api_key"),
         {Level::Resend, 401, QStringLiteral("The Authorization header has no API key.")}},
        {QStringLiteral("restricted_api_key"), {Level::Resend, 401, QStringLiteral("This API key may not do that.")}},
        {QStringLiteral("invalid_api_key"), {Level::Resend, 403, QStringLiteral("API key is invalid")}},
        {QStringLiteral("not_found"), {Level::Resend, 404, QStringLiteral("There is no such endpoint.")}},
        {QStringLiteral("method_not_allowed"),
         {Level::Resend, 405, QStringLiteral("This method is not allowed here.")}},
        {QStringLiteral("invalid_idempotent_request"),
         {Level::Resend, 409, QStringLiteral("This idempotency key was used with another payload.")}},
        {QStringLiteral("concurrent_idempotent_requests"),
         {Level::Resend, 409, QStringLiteral("A request with this idempotency key is still in progress.")}},
        {QStringLiteral("invalid_attachment"), {Level::Resend, 422, QStringLiteral("An attachment is wrong.")}},
        {QStringLiteral("missing_required_field"),
         {Level::Resend, 422, QStringLiteral("A required field is missing.")}},
        {QStringLiteral("invalid_parameter"), {Level::Resend, 422, QStringLiteral("A parameter is wrong.")}},
        {QStringLiteral("invalid_from_address"),
         {Level::Resend, 422, QStringLiteral("The `from` address is not in order.")}},
        {QStringLiteral("invalid_access"), {Level::Resend, 422, QStringLiteral("The access token is not in order.")}},
        {QStringLiteral("invalid_region"), {Level::Resend, 422, QStringLiteral("There is no such region.")}},
        {QStringLiteral("rate_limit_exceeded"),
         {Level::Resend, 429, QStringLiteral("Too many requests in this second.")}},
        {QStringLiteral("daily_quota_exceeded"), {Level::Resend, 429, QStringLiteral("The daily quota is reached.")}},
        {QStringLiteral("monthly_quota_exceeded"),
         {Level::Resend, 429, QStringLiteral("The monthly quota is reached.")}},
        {QStringLiteral("security_error"), {Level::Resend, 451, QStringLiteral("Stopped for a security reason.")}},
        {QStringLiteral("application_error"), {Level::Resend, 500, QStringLiteral("An unexpected error occurred.")}},
        {QStringLiteral("internal_server_error"),
         {Level::Resend, 500, QStringLiteral("An unexpected error occurred.")}},
        {QStringLiteral("TOO_MANY_REQUESTS"), {Level::ExpoRequest, 429, QStringLiteral("Too many notifications.")}},
        {QStringLiteral("PUSH_TOO_MANY_EXPERIENCE_IDS"),
         {Level::ExpoRequest, 400, QStringLiteral("All messages of a request must be of one project.")}},
        {QStringLiteral("PUSH_TOO_MANY_NOTIFICATIONS"),
         {Level::ExpoRequest, 400, QStringLiteral("A request may hold 100 notifications.")}},
        {QStringLiteral("PUSH_TOO_MANY_RECEIPTS"),
         {Level::ExpoRequest, 400, QStringLiteral("A request may ask for 1000 receipts.")}},
        {QStringLiteral("UNAUTHORIZED"), {Level::ExpoRequest, 401, QStringLiteral("An access token is required.")}},
        {QStringLiteral("VALIDATION_ERROR"), {Level::ExpoRequest, 400, QStringLiteral("The request is wrong.")}},
        {QStringLiteral("INTERNAL_SERVER_ERROR"),
         {Level::ExpoRequest, 500, QStringLiteral("An unknown error occurred.")}},
        {QStringLiteral("DeviceNotRegistered"),
         {Level::ExpoTicket, 200, QStringLiteral("The recipient is not a registered device.")}},
        {QStringLiteral("MessageTooBig"), {Level::ExpoTicket, 200, QStringLiteral("The payload is over 4096 bytes.")}},
        {QStringLiteral("MessageRateExceeded"),
         {Level::ExpoTicket, 200, QStringLiteral("Too many messages to this device.")}},
        {QStringLiteral("MismatchSenderId"),
         {Level::ExpoTicket, 200, QStringLiteral("The credentials do not match the app.")}},
        {QStringLiteral("InvalidCredentials"),
         {Level::ExpoTicket, 200, QStringLiteral("The push credentials are not valid.")}},
        {QStringLiteral("ProviderError"), {Level::ExpoTicket, 200, QStringLiteral("The push service refused.")}},
        {QStringLiteral("ExpoError"), {Level::ExpoTicket, 200, QStringLiteral("Expo failed.")}},
        {QStringLiteral("DeveloperError"), {Level::ExpoTicket, 200, QStringLiteral("The sender is set up wrongly.")}},
    };
    const auto found = known.constFind(name);
    return found == known.constEnd() ? std::nullopt : std::optional<ProviderError>(*found);
}

namespace {

struct CodeStatus
{
    int code;
    int status;
};
// In the order of their numbers.
constexpr std::array postmarkCodes{
    CodeStatus{10, 401},  CodeStatus{100, 503}, CodeStatus{300, 422}, CodeStatus{400, 422},
    CodeStatus{401, 422}, CodeStatus{402, 422}, CodeStatus{403, 422}, CodeStatus{405, 422},
    CodeStatus{406, 422}, CodeStatus{409, 422}, CodeStatus{410, 422}, CodeStatus{411, 422},
    CodeStatus{412, 422}, CodeStatus{413, 422}, CodeStatus{429, 429}, CodeStatus{701, 422}};
constexpr std::array twilioCodes{
    CodeStatus{14107, 400}, CodeStatus{20001, 400}, CodeStatus{20003, 401}, CodeStatus{20004, 405},
    CodeStatus{20005, 403}, CodeStatus{20006, 403}, CodeStatus{20404, 404}, CodeStatus{20409, 409},
    CodeStatus{20422, 400}, CodeStatus{20429, 429}, CodeStatus{20500, 500}, CodeStatus{20503, 503},
    CodeStatus{21211, 400}, CodeStatus{21212, 400}, CodeStatus{21214, 400}, CodeStatus{21217, 400},
    CodeStatus{21401, 400}, CodeStatus{21408, 400}, CodeStatus{21602, 400}, CodeStatus{21603, 400},
    CodeStatus{21604, 400}, CodeStatus{21605, 400}, CodeStatus{21606, 400}, CodeStatus{21607, 400},
    CodeStatus{21608, 400}, CodeStatus{21609, 400}, CodeStatus{21610, 400}, CodeStatus{21611, 429},
    CodeStatus{21612, 400}, CodeStatus{21614, 400}, CodeStatus{21616, 400}, CodeStatus{21617, 400},
    CodeStatus{21618, 400}, CodeStatus{21619, 400}, CodeStatus{21620, 400}, CodeStatus{21621, 400},
    CodeStatus{21622, 400}, CodeStatus{21623, 400}, CodeStatus{21624, 400}, CodeStatus{21626, 400},
    CodeStatus{21654, 400}, CodeStatus{21655, 400}, CodeStatus{21656, 400}, CodeStatus{21658, 400},
    CodeStatus{21701, 404}, CodeStatus{21703, 400}, CodeStatus{21704, 400}, CodeStatus{21705, 400},
    CodeStatus{21712, 400}};

template <typename Codes>
std::optional<int> statusIn(const Codes &codes, const QString &written)
{
    const auto found = std::find_if(codes.begin(), codes.end(), [&written](const CodeStatus &known) {
        return QString::number(known.code) == written;
    });
    return found == codes.end() ? std::nullopt : std::optional<int>(found->status);
}

} // namespace

std::optional<int> statusOfCode(const QString &code)
{
    const std::optional<int> status = statusIn(twilioCodes, code);
    return status ? status : statusIn(postmarkCodes, code);
}

bool isPostmarkCode(const QString &code)
{
    return statusIn(postmarkCodes, code).has_value();
}

QString resendNameFor(int status)
{
    switch (status) {
    case 401:
        return QStringLiteral("missing_api_key");
    case 403:
        return QStringLiteral("invalid_api_key");
    case 404:
        return QStringLiteral("not_found");
    case 405:
        return QStringLiteral("method_not_allowed");
    case 409:
        return QStringLiteral("concurrent_idempotent_requests");
    case 422:
        return QStringLiteral("invalid_parameter");
    case 429:
        return QStringLiteral("rate_limit_exceeded");
    case 451:
        return QStringLiteral("security_error");
    default:
        return status >= 500 ? QStringLiteral("internal_server_error") : QStringLiteral("validation_error");
    }
}

QByteArray resendError(int status, const QString &name, const QString &message)
{
    return "{\"statusCode\":" + QByteArray::number(status) + ",\"name\":" + jsonString(name) +
           ",\"message\":" + jsonString(message) + "}";
}

QByteArray expoError(const QString &code, const QString &message)
{
    return "{\"errors\":[{\"code\":" + jsonString(code) + ",\"message\":" + jsonString(message) + "}]}";
}

} // namespace sendoff::sandbox
