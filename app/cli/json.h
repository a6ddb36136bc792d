#pragma once
#include "domain/clock.h"
#include "domain/ids.h"
#include "domain/json_document.h"
#include "domain/words.h"
#include <QString>
#include <concepts>
#include <optional>
#include <type_traits>
#include <vector>

namespace sendoff::app {

// Values of ours as JSON for --json: times as RFC 3339, durations as whole milliseconds, what is absent as null.
inline JsonValue json(const QString &text)
{
    return JsonValue::string(text);
}
inline JsonValue json(QLatin1String text)
{
    return JsonValue::string(text);
}
inline JsonValue json(Timestamp time)
{
    return JsonValue::string(toRfc3339(time));
}
inline JsonValue json(Milliseconds duration)
{
    return JsonValue::number(QString::number(duration.count()));
}
inline JsonValue json(JsonValue value)
{
    return value;
}
JsonValue json(double number); // null where it is no finite number

template <std::integral Number>
JsonValue json(Number number)
{
    if constexpr (std::same_as<Number, bool>)
        return JsonValue::boolean(number);
    else
        return JsonValue::number(QString::number(number));
}

template <typename Tag>
JsonValue json(const TextId<Tag> &id)
{
    return JsonValue::string(id.value);
}

template <typename Word>
requires std::is_enum_v<Word> JsonValue json(Word word)
{
    return JsonValue::string(toText(word));
}

template <typename Value>
JsonValue json(const std::optional<Value> &value)
{
    return value ? json(*value) : JsonValue();
}

// A JSON object written member by member: JsonObject().with("id", id).with("state", state).
class JsonObject
{
public:
    template <typename Value>
    JsonObject &with(const char *name, const Value &value)
    {
        m_members.emplace_back(QString::fromLatin1(name), json(value));
        return *this;
    }
    JsonObject &withAll(const JsonValue &object);
    operator JsonValue() const { return JsonValue::object(m_members); } // NOLINT(google-explicit-constructor)

private:
    std::vector<JsonValue::Member> m_members;
};

} // namespace sendoff::app
