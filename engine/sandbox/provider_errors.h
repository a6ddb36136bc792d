#pragma once
#include <QByteArray>
#include <QString>
#include <optional>

namespace sendoff::sandbox {

enum class ErrorLevel {
    Resend,      // {"statusCode","name","message"}
    ExpoRequest, // {"errors":[{"code","message"}]}
    ExpoTicket   // one ticket's or receipt's details.error, inside a 200
};

// An error of a provider by the name it gives.
struct ProviderError
{
    ErrorLevel level = ErrorLevel::Resend;
    int status = 400; // the usual one
    QString message;
};

// Nothing where no provider has such a name.
std::optional<ProviderError> providerError(const QString &name);
// The usual status of a code of Twilio ("21610") or Postmark ("406"); nothing where neither has such a code.
std::optional<int> statusOfCode(const QString &code);
bool isPostmarkCode(const QString &code);
// The name that Resend gives with a status alone.
QString resendNameFor(int status);

QByteArray resendError(int status, const QString &name, const QString &message);
QByteArray expoError(const QString &code, const QString &message);

} // namespace sendoff::sandbox
