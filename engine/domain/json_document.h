#pragma once
#include "domain/result.h"
#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QStringView>
#include <optional>
#include <utility>
#include <vector>

namespace sendoff {

// One JSON value that keeps every number as it was written, so that a 64-bit id or a price survives from the
// application's INSERT to the provider's body. A plain value, any thread.
class JsonValue
{
public:
    enum class Kind { Null, Bool, Number, String, Array, Object };
    using Member = std::pair<QString, JsonValue>;

    JsonValue() = default;
    static JsonValue boolean(bool value);
    static JsonValue number(QString written);
    static JsonValue string(QString text);
    static JsonValue array(std::vector<JsonValue> items);
    static JsonValue object(std::vector<Member> members);

    Kind kind() const { return m_kind; }
    bool isNull() const { return m_kind == Kind::Null; }
    bool toBool() const { return m_bool; }
    // The text of a string, a number as written, "true"/"false"; empty for null, arrays and objects.
    QString text() const;
    const std::vector<JsonValue> &items() const { return m_items; }
    const std::vector<Member> &members() const { return m_members; }
    // The member of an object, nullptr where there is none.
    const JsonValue *member(QStringView name) const;
    // What an RFC 6901 pointer ("/driver/id") leads to, nullptr where nothing is there. "" is the value itself.
    const JsonValue *at(QStringView pointer) const;
    // Compact JSON, keys in their order, numbers as written.
    QByteArray toJson() const;

private:
    Kind m_kind = Kind::Null;
    bool m_bool = false;
    QString m_text;
    std::vector<JsonValue> m_items;
    std::vector<Member> m_members;
};

// Limits of every door: 256 KiB as the store's CHECK, 512 levels (QJsonDocument stops at 1,024; every walker of ours
// is recursive and must agree on one number).
constexpr qsizetype maxPayloadBytes = 256 * 1024;
constexpr int maxJsonDepth = 512;

// Reads JSON of at most those limits. Refuses, naming the path: broken UTF-8, U+0000 in a name or string, lone
// surrogates, a name that stands twice in one object, numbers outside double's range.
Result<JsonValue> parseJson(const QByteArray &utf8);
// The same, and the value must be an object: what a payload is.
Result<JsonValue> parsePayload(const QByteArray &utf8);

// The payload with the values at these pointers replaced by null; names keep their order, numbers their text.
Result<QByteArray> scrubbed(const QByteArray &payload, const QStringList &pointers);

// Text from outside (provider answers) made safe to store: broken UTF-8 and NUL become U+FFFD, at most `limit`
// characters.
QString storableText(const QByteArray &bytes, qsizetype limit);
QString storableText(QString text, qsizetype limit);

// A JSON string literal with its quotes.
QByteArray jsonString(QStringView text);

} // namespace sendoff
