#include "channel/callback.h"

namespace sendoff::channel {

QByteArray CallbackRequest::header(const QByteArray &name) const
{
    for (const auto &[each, value] : headers) {
        if (each.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

} // namespace sendoff::channel
