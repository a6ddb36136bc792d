#include "sandbox/message_ledger.h"

#include <QCryptographicHash>
#include <algorithm>
#include <cstring>

namespace sendoff::sandbox {

namespace {
constexpr std::chrono::hours retention{24}; // the real one's
}

MessageLedger::MessageLedger(qsizetype maxRecords, qsizetype maxKeys)
    : m_maxRecords(maxRecords)
    , m_maxKeys(std::max<qsizetype>(1, maxKeys))
{}

MessageLedger::Key &MessageLedger::entry(const QByteArray &key)
{
    const auto found = m_keys.find(key);
    if (found != m_keys.end())
        return *found;
    if (m_keys.size() >= m_maxKeys) {
        m_keys.remove(m_keyOrder.front());
        m_keyOrder.pop_front();
    }
    m_keyOrder.push_back(key);
    ++m_stats.distinctKeys;
    return *m_keys.insert(key, Key{});
}

void MessageLedger::countReception(const QByteArray &key)
{
    if (++entry(key).receptions == 2)
        ++m_stats.repeatedKeys;
}

qint64 MessageLedger::receptions(const QByteArray &key) const
{
    const auto found = m_keys.constFind(key);
    return found == m_keys.constEnd() ? 0 : found->receptions;
}

void MessageLedger::accept(AcceptedMessage message)
{
    ++m_stats.accepted;
    if (onAccepted)
        onAccepted(message);
    if (m_maxRecords <= 0)
        return;
    if (static_cast<qsizetype>(m_records.size()) >= m_maxRecords)
        m_records.pop_front();
    m_records.push_back(std::move(message));
}

const MessageLedger::Remembered *MessageLedger::remembered(const QByteArray &key, Ticks now) const
{
    const auto found = m_keys.constFind(key);
    if (found == m_keys.constEnd() || !found->original || now - found->original->at >= retention)
        return nullptr;
    return &*found->original;
}

qint64 MessageLedger::remember(const QByteArray &key, const PayloadHash &payload, const QByteArray &answer, Ticks now,
                               bool running)
{
    entry(key).original = Remembered{payload, answer, now, ++m_runs, running};
    return m_runs;
}

void MessageLedger::finish(const QByteArray &key, qint64 run)
{
    const auto found = m_keys.find(key);
    if (found != m_keys.end() && found->original && found->original->run == run)
        found->original->running = false;
}

std::vector<AcceptedMessage> MessageLedger::messages(qsizetype newest) const
{
    auto from = m_records.begin();
    if (newest >= 0 && newest < static_cast<qsizetype>(m_records.size()))
        from = m_records.end() - newest;
    std::vector<AcceptedMessage> list(from, m_records.end());
    for (AcceptedMessage &message : list) {
        if (!message.key.isEmpty())
            message.receptions = std::max<qint64>(1, receptions(message.key.toUtf8()));
    }
    return list;
}

Stats MessageLedger::stats() const
{
    return m_stats;
}

void MessageLedger::reset()
{
    m_records.clear();
    m_keys.clear();
    m_keyOrder.clear();
    m_stats = Stats();
}

MessageLedger::PayloadHash MessageLedger::hashOf(const QByteArray &path, const QByteArray &payload)
{
    QCryptographicHash hash(QCryptographicHash::Sha1);
    hash.addData(path);
    hash.addData(QByteArrayView("\0", 1));
    hash.addData(payload);
    PayloadHash bytes{};
    const QByteArray result = hash.result();
    std::memcpy(bytes.data(), result.constData(), bytes.size());
    return bytes;
}

} // namespace sendoff::sandbox
