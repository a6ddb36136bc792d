#include "domain/json_document.h"

#include <QStringDecoder>
#include <nlohmann/json.hpp>

namespace sendoff {

JsonValue JsonValue::boolean(bool value)
{
    JsonValue made;
    made.m_kind = Kind::Bool;
    made.m_bool = value;
    return made;
}

JsonValue JsonValue::number(QString written)
{
    JsonValue made;
    made.m_kind = Kind::Number;
    made.m_text = std::move(written);
    return made;
}

JsonValue JsonValue::string(QString text)
{
    JsonValue made;
    made.m_kind = Kind::String;
    made.m_text = std::move(text);
    return made;
}

JsonValue JsonValue::array(std::vector<JsonValue> items)
{
    JsonValue made;
    made.m_kind = Kind::Array;
    made.m_items = std::move(items);
    return made;
}

JsonValue JsonValue::object(std::vector<Member> members)
{
    JsonValue made;
    made.m_kind = Kind::Object;
    made.m_members = std::move(members);
    return made;
}

QString JsonValue::text() const
{
    if (m_kind == Kind::Bool)
        return m_bool ? QStringLiteral("true") : QStringLiteral("false");
    return m_text;
}

const JsonValue *JsonValue::member(QStringView name) const
{
    for (const Member &each : m_members) {
        if (each.first == name)
            return &each.second;
    }
    return nullptr;
}

namespace {

QString unescapedToken(QStringView token)
{
    return token.toString()
        .replace(QLatin1String("~1"), QLatin1String("/"))
        .replace(QLatin1String("~0"), QLatin1String("~"));
}

const JsonValue *child(const JsonValue &parent, const QString &token)
{
    if (parent.kind() == JsonValue::Kind::Object)
        return parent.member(token);
    if (parent.kind() != JsonValue::Kind::Array)
        return nullptr;
    bool isIndex = false;
    const qsizetype index = token.toLongLong(&isIndex);
    if (!isIndex || index < 0 || index >= qsizetype(parent.items().size()))
        return nullptr;
    return &parent.items()[size_t(index)];
}

void append(QByteArray &json, const JsonValue &value)
{
    switch (value.kind()) {
    case JsonValue::Kind::Null:
        json += "null";
        return;
    case JsonValue::Kind::Bool:
    case JsonValue::Kind::Number:
        json += value.text().toLatin1();
        return;
    case JsonValue::Kind::String:
        json += jsonString(value.text());
        return;
    case JsonValue::Kind::Array: {
        json += '[';
        bool first = true;
        for (const JsonValue &item : value.items()) {
            if (!std::exchange(first, false))
                json += ',';
            append(json, item);
        }
        json += ']';
        return;
    }
    case JsonValue::Kind::Object: {
        json += '{';
        bool first = true;
        for (const auto &[name, member] : value.members()) {
            if (!std::exchange(first, false))
                json += ',';
            json += jsonString(name);
            json += ':';
            append(json, member);
        }
        json += '}';
        return;
    }
    }
}

} // namespace

const JsonValue *JsonValue::at(QStringView pointer) const
{
    if (pointer.isEmpty())
        return this;
    if (!pointer.startsWith(u'/'))
        return nullptr;
    const JsonValue *here = this;
    for (const QStringView token : pointer.mid(1).split(u'/')) {
        here = child(*here, unescapedToken(token));
        if (!here)
            return nullptr;
    }
    return here;
}

QByteArray JsonValue::toJson() const
{
    QByteArray json;
    append(json, *this);
    return json;
}

QByteArray jsonString(QStringView text)
{
    QByteArray json = "\"";
    for (const char character : text.toUtf8()) {
        switch (character) {
        case '"':
            json += "\\\"";
            break;
        case '\\':
            json += "\\\\";
            break;
        case '\n':
            json += "\\n";
            break;
        case '\r':
            json += "\\r";
            break;
        case '\t':
            json += "\\t";
            break;
        default:
            if (static_cast<unsigned char>(character) < 0x20)
                json += "\\u00" + QByteArray::number(int(character), 16).rightJustified(2, '0');
            else
                json += character;
        }
    }
    return json + '"';
}

namespace {

// Builds a JsonValue from the parser's events. nlohmann's parser is iterative, so depth is bounded here and
// nowhere on the stack, and it hands over the text of a number, which its own tree would round.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json>
{
public:
    JsonValue take() { return std::move(m_result); }
    const QString &problem() const { return m_problem; }

    bool null() override { return place(JsonValue()); }
    bool boolean(bool value) override { return place(JsonValue::boolean(value)); }
    bool number_integer(number_integer_t value) override { return place(JsonValue::number(QString::number(value))); }
    bool number_unsigned(number_unsigned_t value) override { return place(JsonValue::number(QString::number(value))); }
    bool number_float(number_float_t, const string_t &written) override
    {
        return place(JsonValue::number(QString::fromStdString(written)));
    }
    bool string(string_t &value) override
    {
        const QString text = QString::fromStdString(value);
        if (text.contains(QChar(0)))
            return refuse(QStringLiteral("holds the character U+0000, which no store keeps; remove it"));
        return place(JsonValue::string(text));
    }
    bool binary(binary_t &) override { return false; }
    bool start_object(size_t) override { return open(true); }
    bool start_array(size_t) override { return open(false); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t &value) override
    {
        Open &top = m_open.back();
        const QString name = QString::fromStdString(value);
        top.name = name;
        if (name.contains(QChar(0)))
            return refuse(QStringLiteral("holds the character U+0000 in a name, which no store keeps; remove it"));
        for (const auto &member : top.members) {
            if (member.first == name)
                return refuse(QStringLiteral("stands twice in one object; keep one"));
        }
        return true;
    }
    bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &error) override
    {
        const QString what = QString::fromLatin1(error.what());
        if (what.contains(QLatin1String("UTF-8")))
            m_problem = QStringLiteral("is not valid UTF-8 near byte %1").arg(position);
        else if (what.contains(QLatin1String("out_of_range")))
            m_problem = QStringLiteral("holds a number outside the range of a double near byte %1").arg(position);
        else if (what.contains(QLatin1String("surrogate")))
            m_problem = QStringLiteral("holds half a surrogate pair near byte %1").arg(position);
        else
            m_problem = QStringLiteral("is not valid JSON near byte %1").arg(position);
        return false;
    }

private:
    struct Open
    {
        bool isObject;
        QString name;
        std::vector<JsonValue> items;
        std::vector<JsonValue::Member> members;
    };

    bool refuse(const QString &why)
    {
        QString path;
        for (const Open &open : m_open)
            path += u'/' + (open.isObject ? open.name : QString::number(open.items.size()));
        m_problem = QStringLiteral("%1 %2").arg(path.replace(QChar(0), QLatin1String("\\u0000")).left(200), why);
        return false;
    }

    bool open(bool isObject)
    {
        if (int(m_open.size()) >= maxJsonDepth) {
            m_problem = QStringLiteral("is nested deeper than %1 levels; flatten it").arg(maxJsonDepth);
            return false;
        }
        m_open.push_back({isObject, {}, {}, {}});
        return true;
    }

    bool close()
    {
        Open done = std::move(m_open.back());
        m_open.pop_back();
        return place(done.isObject ? JsonValue::object(std::move(done.members))
                                   : JsonValue::array(std::move(done.items)));
    }

    bool place(JsonValue value)
    {
        if (m_open.empty())
            m_result = std::move(value);
        else if (m_open.back().isObject)
            m_open.back().members.emplace_back(m_open.back().name, std::move(value));
        else
            m_open.back().items.push_back(std::move(value));
        return true;
    }

    JsonValue m_result;
    QString m_problem;
    std::vector<Open> m_open;
};

Error invalid(const QString &problem)
{
    return {ErrorCode::Invalid, QStringLiteral("payload ") + problem};
}

JsonValue withNullAt(const JsonValue &value, const QStringList &tokens, qsizetype depth)
{
    if (depth == tokens.size())
        return {};
    if (value.kind() == JsonValue::Kind::Object) {
        std::vector<JsonValue::Member> members = value.members();
        for (auto &[name, member] : members) {
            if (name == tokens[depth])
                member = withNullAt(member, tokens, depth + 1);
        }
        return JsonValue::object(std::move(members));
    }
    if (value.kind() == JsonValue::Kind::Array) {
        std::vector<JsonValue> items = value.items();
        bool isIndex = false;
        const qsizetype index = tokens[depth].toLongLong(&isIndex);
        if (isIndex && index >= 0 && index < qsizetype(items.size()))
            items[size_t(index)] = withNullAt(items[size_t(index)], tokens, depth + 1);
        return JsonValue::array(std::move(items));
    }
    return value;
}

} // namespace

Result<JsonValue> parseJson(const QByteArray &utf8)
{
    if (utf8.size() > maxPayloadBytes)
        return invalid(QStringLiteral("is larger than %1 KiB; store large content elsewhere and send its reference")
                           .arg(maxPayloadBytes / 1024));
    TreeBuilder builder;
    if (!nlohmann::json::sax_parse(utf8.cbegin(), utf8.cend(), &builder))
        return invalid(builder.problem());
    return builder.take();
}

Result<JsonValue> parsePayload(const QByteArray &utf8)
{
    Result<JsonValue> parsed = parseJson(utf8);
    if (parsed && parsed->kind() != JsonValue::Kind::Object)
        return invalid(QStringLiteral("is not a JSON object; wrap it in { }"));
    return parsed;
}

Result<QByteArray> scrubbed(const QByteArray &payload, const QStringList &pointers)
{
    Result<JsonValue> parsed = parsePayload(payload);
    if (!parsed)
        return parsed.error();
    JsonValue value = std::move(*parsed);
    for (const QString &pointer : pointers) {
        QStringList tokens;
        for (const QStringView token : QStringView(pointer).mid(1).split(u'/'))
            tokens += unescapedToken(token);
        value = withNullAt(value, tokens, 0);
    }
    return value.toJson();
}

QString storableText(const QByteArray &bytes, qsizetype limit)
{
    // Cut first: a provider's answer may be megabytes. Four bytes is the longest UTF-8 character.
    QStringDecoder decoder(QStringDecoder::Utf8);
    return storableText(QString(decoder(bytes.left(limit * 4))), limit);
}

QString storableText(QString text, qsizetype limit)
{
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar here = text[at];
        const bool isPaired = here.isHighSurrogate() && at + 1 < text.size() && text[at + 1].isLowSurrogate();
        if (isPaired)
            ++at;
        else if (here.isNull() || here.isSurrogate())
            text[at] = QChar::ReplacementCharacter;
    }
    if (text.size() > limit) {
        text.truncate(limit);
        if (text.back().isHighSurrogate())
            text.chop(1);
    }
    return text;
}

} // namespace sendoff
