#include "channel/one_shot_body.h"

#include <algorithm>
#include <cstring>

namespace sendoff::channel {

OneShotBody::OneShotBody(QByteArray bytes, QObject *parent)
    : QIODevice(parent)
    , m_bytes(std::move(bytes))
{
    // Unbuffered: QIODevice's own buffer would pull ahead of what the connection takes.
    open(QIODevice::ReadOnly | QIODevice::Unbuffered);
}

bool OneShotBody::reset()
{
    ++m_resets;
    return false;
}

qint64 OneShotBody::readData(char *target, qint64 wanted)
{
    if (atEnd())
        return -1;
    const qint64 count = std::min(wanted, bytesAvailable());
    std::memcpy(target, m_bytes.constData() + m_pulled, size_t(count));
    m_pulled += count;
    return count;
}

} // namespace sendoff::channel
