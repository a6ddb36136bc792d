#include "channel/provider_kind.h"

#include "channel/expo/expo_kind.h"
#include "channel/resend/resend_kind.h"
#include <array>

namespace sendoff::channel {

namespace {

std::array<const ProviderKind *, 2> kinds()
{
    return {&expoKind(), &resendKind()};
}

} // namespace

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
