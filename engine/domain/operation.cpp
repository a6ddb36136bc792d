#include "domain/operation.h"

#include "domain/json_document.h"

#include <QLocale>
#include <QSet>
#include <cmath>

namespace sendoff {

namespace {

// Numbers and texts of the stored form. A duration is written in milliseconds, a time as RFC 3339.
const QString dueAtKey = QStringLiteral("due_at");
const QString durationKey = QStringLiteral("duration_ms");
const QString perSecondKey = QStringLiteral("per_second");
const QString targetKindKey = QStringLiteral("target_kind");
const QString targetKey = QStringLiteral("target");
const QString addressKey = QStringLiteral("address");
const QString localeKey = QStringLiteral("locale");
const QString payloadPatchKey = QStringLiteral("payload_patch");
const QString textKey = QStringLiteral("text");

constexpr qint64 maxDurationMs = 10LL * 365 * 86'400'000;

Error badParameter(const QString &key, const QString &remedy)
{
    return {ErrorCode::Invalid, QStringLiteral("parameter %1 %2").arg(key, remedy)};
}

// Reads the members of one object and remembers the first that is wrong.
class Reader
{
public:
    explicit Reader(const JsonValue &object)
        : m_object(object)
    {}

    QString text(const QString &key)
    {
        const JsonValue *value = take(key);
        if (value && value->kind() != JsonValue::Kind::String)
            refuse(key, QStringLiteral("must be a text"));
        return value ? value->text() : QString();
    }

    std::optional<Timestamp> time(const QString &key)
    {
        const JsonValue *value = take(key);
        if (!value)
            return std::nullopt;
        const auto read = value->kind() == JsonValue::Kind::String ? fromRfc3339(value->text()) : std::nullopt;
        if (!read)
            refuse(key, QStringLiteral("must be a time such as 2026-11-30T12:00:00.000Z"));
        return read;
    }

    std::optional<Milliseconds> duration(const QString &key)
    {
        const JsonValue *value = take(key);
        if (!value)
            return std::nullopt;
        bool isWhole = false;
        const qint64 read = value->kind() == JsonValue::Kind::Number ? value->text().toLongLong(&isWhole) : 0;
        if (!isWhole || read < 0 || read > maxDurationMs) {
            refuse(key, QStringLiteral("must be a whole number of milliseconds, at most ten years"));
            return std::nullopt;
        }
        return Milliseconds(read);
    }

    std::optional<double> number(const QString &key)
    {
        const JsonValue *value = take(key);
        if (!value)
            return std::nullopt;
        bool isNumber = false;
        const double read = value->kind() == JsonValue::Kind::Number ? value->text().toDouble(&isNumber) : 0;
        if (!isNumber || !std::isfinite(read) || read < 0) {
            refuse(key, QStringLiteral("must be a number that is not negative"));
            return std::nullopt;
        }
        return read;
    }

    QByteArray object(const QString &key)
    {
        const JsonValue *value = take(key);
        if (!value)
            return {};
        if (value->kind() != JsonValue::Kind::Object) {
            refuse(key, QStringLiteral("must be a JSON object"));
            return {};
        }
        return value->toJson();
    }

    std::optional<Error> problem()
    {
        for (const auto &[name, value] : m_object.members()) {
            if (!m_known.contains(name))
                refuse(name.left(50), QStringLiteral("is not known; a newer program may have written it"));
        }
        return m_problem;
    }

private:
    const JsonValue *take(const QString &key)
    {
        m_known.insert(key);
        return m_object.member(key);
    }

    void refuse(const QString &key, const QString &remedy)
    {
        if (!m_problem)
            m_problem = badParameter(key, remedy);
    }

    const JsonValue &m_object;
    QSet<QString> m_known;
    std::optional<Error> m_problem;
};

// RFC 7396: null removes, an object is merged, everything else replaces.
JsonValue merged(const JsonValue &target, const JsonValue &patch)
{
    if (patch.kind() != JsonValue::Kind::Object)
        return patch;
    std::vector<JsonValue::Member> members;
    if (target.kind() == JsonValue::Kind::Object) {
        for (const auto &[name, value] : target.members()) {
            const JsonValue *change = patch.member(name);
            if (!change)
                members.emplace_back(name, value);
            else if (!change->isNull())
                members.emplace_back(name, merged(value, *change));
        }
    }
    for (const auto &[name, change] : patch.members()) {
        const bool stands = target.kind() == JsonValue::Kind::Object && target.member(name);
        if (!stands && !change.isNull())
            members.emplace_back(name, merged(JsonValue(), change));
    }
    return JsonValue::object(std::move(members));
}

} // namespace

QByteArray toJson(const OperationParameters &parameters)
{
    std::vector<JsonValue::Member> members;
    const auto addText = [&](const QString &key, const QString &text) {
        if (!text.isEmpty())
            members.emplace_back(key, JsonValue::string(text));
    };
    if (parameters.dueAt)
        addText(dueAtKey, toRfc3339(*parameters.dueAt));
    if (parameters.duration)
        members.emplace_back(durationKey, JsonValue::number(QString::number(parameters.duration->count())));
    if (parameters.perSecond)
        members.emplace_back(perSecondKey, JsonValue::number(QString::number(*parameters.perSecond, 'g',
                                                                             QLocale::FloatingPointShortest)));
    addText(targetKindKey, parameters.targetKind);
    addText(targetKey, parameters.target);
    addText(addressKey, parameters.address);
    addText(localeKey, parameters.locale);
    if (!parameters.payloadPatch.isEmpty()) {
        // What is no JSON is kept as a text, which the reader refuses by name.
        Result<JsonValue> patch = parseJson(parameters.payloadPatch);
        members.emplace_back(payloadPatchKey,
                             patch ? std::move(*patch) : JsonValue::string(QString::fromUtf8(parameters.payloadPatch)));
    }
    addText(textKey, parameters.text);
    return JsonValue::object(std::move(members)).toJson();
}

Result<OperationParameters> operationParameters(const QByteArray &json)
{
    const Result<JsonValue> parsed = parseJson(json);
    if (!parsed)
        return Error{ErrorCode::Invalid, QStringLiteral("the operation's parameters can't be read: %1")
                                             .arg(QString(parsed.error().message).remove(QLatin1String("payload ")))};
    if (parsed->kind() != JsonValue::Kind::Object)
        return Error{ErrorCode::Invalid, QStringLiteral("the operation's parameters must be a JSON object")};
    Reader reader(*parsed);
    OperationParameters parameters;
    parameters.dueAt = reader.time(dueAtKey);
    parameters.duration = reader.duration(durationKey);
    parameters.perSecond = reader.number(perSecondKey);
    parameters.targetKind = reader.text(targetKindKey);
    parameters.target = reader.text(targetKey);
    parameters.address = reader.text(addressKey);
    parameters.locale = reader.text(localeKey);
    parameters.payloadPatch = reader.object(payloadPatchKey);
    parameters.text = reader.text(textKey);
    if (const auto problem = reader.problem())
        return *problem;
    return parameters;
}

Result<QByteArray> mergePatched(const QByteArray &payload, const QByteArray &patch)
{
    const Result<JsonValue> target = parsePayload(payload);
    if (!target)
        return target.error();
    const Result<JsonValue> change = parseJson(patch);
    if (!change || change->kind() != JsonValue::Kind::Object)
        return Error{ErrorCode::Invalid, QStringLiteral("the change of the payload must be a JSON object")};
    const QByteArray result = merged(*target, *change).toJson();
    if (result.size() > maxPayloadBytes) {
        return Error{ErrorCode::Invalid,
                     QStringLiteral("the changed payload is larger than %1 KiB").arg(maxPayloadBytes / 1024)};
    }
    return result;
}

} // namespace sendoff
