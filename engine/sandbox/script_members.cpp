#include "sandbox/script_members.h"

namespace sendoff::sandbox {

using Kind = JsonValue::Kind;

MemberReader::MemberReader(QString place, const JsonValue &object, QString prefix, std::optional<Error> &error)
    : m_place(std::move(place))
    , m_object(object)
    , m_prefix(std::move(prefix))
    , m_error(error)
{
    if (object.kind() != Kind::Object)
        fail(QString(), QStringLiteral("must be an object"));
}

void MemberReader::fail(const QString &key, const QString &why)
{
    QString name = m_prefix + key;
    if (name.endsWith(u'.'))
        name.chop(1);
    if (!m_error)
        m_error = Error{ErrorCode::Invalid, m_place + QStringLiteral(": ") + name + QLatin1Char(' ') + why};
}

const JsonValue *MemberReader::take(const QString &key)
{
    m_known.append(key);
    return m_object.member(key);
}

std::optional<qint64> MemberReader::whole(const QString &key, qint64 least, qint64 most)
{
    const JsonValue *value = take(key);
    if (!value)
        return std::nullopt;
    bool ok = value->kind() == Kind::Number;
    const qint64 number = ok ? value->text().toLongLong(&ok) : 0;
    if (!ok || number < least || number > most) {
        fail(key, QStringLiteral("must be a whole number from %1 to %2").arg(least).arg(most));
        return std::nullopt;
    }
    return number;
}

std::optional<Milliseconds> MemberReader::milliseconds(const QString &key)
{
    const auto number = whole(key, 0, maxMilliseconds);
    return number ? std::optional(Milliseconds(*number)) : std::nullopt;
}

std::optional<Milliseconds> MemberReader::seconds(const QString &key)
{
    const JsonValue *value = take(key);
    if (!value)
        return std::nullopt;
    const double number = value->kind() == Kind::Number ? value->text().toDouble() : -1;
    if (!(number >= 0) || number > 86'400) {
        fail(key, QStringLiteral("must be a number of seconds from 0 to 86400"));
        return std::nullopt;
    }
    return Milliseconds(qRound64(number * 1000));
}

QString MemberReader::text(const QString &key)
{
    const JsonValue *value = take(key);
    if (!value)
        return {};
    if (value->kind() != Kind::String || value->text().isEmpty()) {
        fail(key, QStringLiteral("must be a text that is not empty"));
        return {};
    }
    return value->text();
}

bool MemberReader::flag(const QString &key, bool otherwise)
{
    const JsonValue *value = take(key);
    if (!value)
        return otherwise;
    if (value->kind() != Kind::Bool)
        fail(key, QStringLiteral("must be true or false"));
    return value->toBool();
}

void MemberReader::refuseUnknown()
{
    for (const auto &[key, value] : m_object.members()) {
        if (!m_known.contains(key))
            fail(key, QStringLiteral("is not known; known here: %1").arg(m_known.join(QStringLiteral(", "))));
    }
}

} // namespace sendoff::sandbox
