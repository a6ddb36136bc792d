#include "channel/provider_kind.h"

#include "channel/expo/expo_kind.h"
#include "channel/fcm/fcm_kind.h"
#include "channel/generic/generic_kind.h"
#include "channel/postmark/postmark_kind.h"
#include "channel/resend/resend_kind.h"
#include "channel/sendgrid/sendgrid_kind.h"
#include "channel/smtp/smtp_kind.h"
#include "channel/twilio/twilio_kind.h"
#include "channel/webhook/webhook_kind.h"
#include <array>

namespace sendoff::channel {

namespace {

// By name.
std::array<const ProviderKind *, 9> kinds()
{
    return {&expoKind(),     &fcmKind(),  &genericKind(), &postmarkKind(), &resendKind(),
            &sendgridKind(), &smtpKind(), &twilioKind(),  &webhookKind()};
}

} // namespace

Milliseconds idempotencyWindow(const ProviderKind &kind, const ProviderSettings &provider)
{
    return kind.configuredWindow ? kind.configuredWindow(provider) : kind.idempotencyWindow;
}

const ProviderKind *providerKind(const QString &name)
{
    for (const ProviderKind *kind : kinds()) {
        if (kind->name == name)
            return kind;
    }
    return nullptr;
}

QStringList providerKindNames()
{
    QStringList names;
    for (const ProviderKind *kind : kinds())
        names.append(kind->name);
    return names;
}

} // namespace sendoff::channel
