#include "sandbox/provider_errors.h"

#include "domain/json_document.h"

#include <QHash>

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
