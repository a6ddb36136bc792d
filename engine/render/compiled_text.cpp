#include "render/compiled_text.h"

#include "render/escaping.h"
#include <algorithm>
#include <deque>
#include <kainjow/mustache.hpp>

namespace sendoff::render {

namespace mustache = kainjow::mustache;

namespace {

// Bounds of one render. A payload is at most 256 KiB, but sections inside sections multiply.
constexpr size_t maxOutputBytes = 1024 * 1024;
constexpr int maxIterations = 10'000;

const mustache::data &falseValue()
{
    static const mustache::data value(false);
    return value;
}

// What a place forbids, with the remedy; empty: nothing.
QString objection(Place place, const Expression &expression)
{
    const QString name = expression.name();
    const bool isEncoded = expression.encoding == Encoding::Url;
    switch (place) {
    case Place::HtmlUnquoted:
        return QStringLiteral("variable %1 stands in an attribute without quotes; put the value in double quotes")
            .arg(name);
    case Place::HtmlCode:
        return QStringLiteral("variable %1 stands where no escaping is safe (script, style, event attribute or a URL "
                              "without quotes); move it")
            .arg(name);
    case Place::HtmlMarkup:
        return QStringLiteral("variable %1 stands in a tag or a comment; only attribute values and text take variables")
            .arg(name);
    case Place::Link:
        return isEncoded ? QString()
                         : QStringLiteral(
                               "variable %1 is part of a link; write {{%1|url}}, or let the variable be the whole link")
                               .arg(name);
    case Place::HtmlUrlPart:
        return isEncoded ? QString() : QStringLiteral("variable %1 is part of a URL; write {{%1|url}}").arg(name);
    default:
        return {};
    }
}

bool blocks(Place place)
{
    return place == Place::HtmlCode || place == Place::HtmlMarkup;
}

} // namespace

// What stands behind a name in the text given to the library: "$7" is the slot 7.
struct CompiledText::Slot
{
    Expression expression;
    Place place = Place::Text;
    bool isSection = false;
    std::optional<mustache::data> literal; // set: the slot is just this text
    size_t literalBytes = 0;
};

struct CompiledText::Program
{
    std::vector<Slot> names;
    std::unique_ptr<mustache::mustache> parsed;
};

// Answers the library's questions during one render.
class CompiledText::Scene final : public mustache::basic_context<std::string>
{
public:
    Scene(const Program &program, NameScope &names, const Formatter &formatter, const QString &label)
        : m_program(program)
        , m_names(names)
        , m_formatter(formatter)
        , m_label(label)
    {}

    const std::optional<RenderError> &error() const { return m_error; }

    void push(const mustache::data *data) override
    {
        for (auto loop = m_loops.rbegin(); loop != m_loops.rend(); ++loop) {
            const auto &rounds = loop->rounds.list_value();
            const std::less<> before;
            if (!before(data, rounds.data()) && before(data, rounds.data() + rounds.size())) {
                m_names.enter(loop->items + (data - rounds.data()));
                return;
            }
        }
        m_names.enter(m_names.innermost());
    }

    void pop() override { m_names.leave(); }

    const mustache::data *get(const std::string &name) const override
    {
        return const_cast<Scene *>(this)->answer(name);
    }

    const mustache::data *get_partial(const std::string &) const override { return nullptr; }

private:
    struct Loop
    {
        mustache::data rounds;  // a list with one entry a round
        const JsonValue *items; // the value of the first round, the others follow it
    };

    const mustache::data *answer(const std::string &name)
    {
        if (m_error || name.size() < 2)
            return nullptr;
        const Slot &slot = m_program.names[size_t(std::atoi(name.c_str() + 1))];
        if (slot.isSection)
            return section(slot);
        if (slot.literal)
            return grow(slot.literalBytes) ? &*slot.literal : nullptr;
        const std::optional<QString> value = valueOf(slot);
        return value ? text(value->toStdString()) : nullptr;
    }

    const mustache::data *text(std::string value)
    {
        if (!grow(value.size()))
            return nullptr;
        m_text = mustache::data(std::move(value));
        return &m_text;
    }

    bool grow(size_t bytes)
    {
        m_bytes += bytes;
        if (m_bytes > maxOutputBytes)
            fail(RenderError::Kind::Broken,
                 QStringLiteral("template %1 grows beyond 1 MiB with this payload").arg(m_label));
        return !m_error;
    }

    const mustache::data *section(const Slot &slot)
    {
        const JsonValue *value = m_names.find(slot.expression.path);
        if (!value || !isTruthy(*value))
            return &falseValue();
        const bool isArray = value->kind() == JsonValue::Kind::Array;
        const size_t rounds = isArray ? value->items().size() : 1;
        m_iterations += int(rounds);
        if (m_iterations > maxIterations)
            return fail(
                RenderError::Kind::Broken,
                QStringLiteral("template %1 repeats its sections more than %2 times").arg(m_label).arg(maxIterations));
        m_loops.push_back(
            {mustache::data(mustache::list(rounds, mustache::data(true))), isArray ? value->items().data() : value});
        return &m_loops.back().rounds;
    }

    std::optional<QString> valueOf(const Slot &slot)
    {
        const Expression &expression = slot.expression;
        const std::optional<QString> shown = shownValue(expression);
        if (!shown)
            return std::nullopt;
        // Percent-encoded text holds nothing that any place would have to escape.
        const bool isEncoded = expression.encoding == Encoding::Url;
        std::optional<QString> escaped = escapedFor(isEncoded ? Place::Link : slot.place, *shown);
        if (!escaped)
            broken(expression, QStringLiteral("no safe link; give http, https or a path like /bookings/7"));
        return escaped;
    }

    // The value, or its default, formatted but not yet escaped.
    std::optional<QString> shownValue(const Expression &expression)
    {
        const JsonValue *value = m_names.find(expression.path);
        const bool fits = value && fitsFormat(expression.format, expression.encoding, *value);
        const bool isBlank = fits && value->kind() == JsonValue::Kind::String && value->text().isEmpty();
        const bool isJson = expression.encoding == Encoding::Json;
        if (isJson && fits && !isBlank && expression.format == Format::None)
            return QString::fromUtf8(value->toJson());
        std::optional<QString> text;
        if (expression.fallback && (!fits || isBlank))
            text = expression.fallback;
        else if (fits)
            text = m_formatter.formatted(expression.format, *value);
        else
            fail(RenderError::Kind::MissingVariable,
                 QStringLiteral("variable %1 missing in template %2").arg(expression.name(), m_label));
        if (!text)
            broken(expression, expression.format == Format::Money
                                   ? QStringLiteral("no amount; give {\"amount\": 1250, \"currency\": \"EUR\"}")
                                   : QStringLiteral("no time; give RFC 3339 with its offset"));
        else if (isJson)
            text = QString::fromUtf8(jsonString(*text));
        return text;
    }

    void broken(const Expression &expression, const QString &why)
    {
        fail(RenderError::Kind::Broken,
             QStringLiteral("variable %1 in template %2 is %3").arg(expression.name(), m_label, why));
    }

    // The first failure counts.
    const mustache::data *fail(RenderError::Kind kind, const QString &message)
    {
        if (!m_error)
            m_error = RenderError{kind, message};
        return nullptr;
    }

    const Program &m_program;
    NameScope &m_names;
    const Formatter &m_formatter;
    const QString &m_label;
    std::deque<Loop> m_loops;
    mustache::data m_text;
    std::optional<RenderError> m_error;
    size_t m_bytes = 0;
    int m_iterations = 0;
};

namespace {

// What the library writes to.
struct Output
{
    std::string text;
    Output &operator<<(const std::string &piece)
    {
        text += piece;
        return *this;
    }
};

} // namespace

// Writes the text for the library. It holds nothing but tags: literal text goes through slots as well, because the
// library would otherwise take each blank for a piece of its own, leave the empty lines of sections that are not taken,
// and read braces that meet at a seam as a tag.
class CompiledText::Builder
{
public:
    Builder(Target target, bool isWholeLink, Findings &findings)
        : m_target(target)
        , m_isWholeLink(isWholeLink)
        , m_findings(findings)
    {}

    void add(const Token &token)
    {
        switch (token.kind) {
        case Token::Kind::Text:
            addText(token.text);
            return;
        case Token::Kind::Variable:
        case Token::Kind::Raw:
            addVariable(token);
            return;
        case Token::Kind::Section:
        case Token::Kind::Inverted:
            openSection(token);
            return;
        case Token::Kind::End:
            closeSection();
            return;
        case Token::Kind::Partial:
            return; // replaced before, or reported
        }
    }

    std::unique_ptr<Program> program()
    {
        m_program->parsed = std::make_unique<mustache::mustache>(m_source);
        return std::move(m_program);
    }

private:
    void addText(const QString &text)
    {
        if (text.isEmpty())
            return;
        if (m_target == Target::Html)
            m_html.feed(text);
        const std::string literal = text.toStdString();
        m_source += "{{&" + slotName({{}, Place::Text, false, mustache::data(literal), literal.size()}) + "}}";
    }

    void addVariable(const Token &token)
    {
        const auto expression = parseExpression(token.text);
        if (!expression)
            return; // reported by the tokenizer
        const Place place = placeOfNext();
        const QString problem = objection(place, *expression);
        if (!problem.isEmpty())
            m_findings.push_back({{token.file, token.line, problem}, blocks(place)});
        if (token.kind == Token::Kind::Raw && m_target == Target::Html)
            m_findings.push_back(
                {{token.file, token.line,
                  QStringLiteral("raw output of %1 would let a value write HTML; use {{%1}}").arg(expression->name())},
                 false});
        m_source += "{{&" + slotName({*expression, place, false, std::nullopt, 0}) + "}}";
    }

    Place placeOfNext()
    {
        switch (m_target) {
        case Target::Html:
            return m_html.variable();
        case Target::Header:
            return Place::Header;
        case Target::Link:
            return m_isWholeLink ? Place::WholeLink : Place::Link;
        case Target::Text:
            break;
        }
        return Place::Text;
    }

    void openSection(const Token &token)
    {
        const auto path = parseName(token.text);
        Slot slot;
        slot.isSection = true;
        slot.expression.path = path ? *path : QStringList{QStringLiteral(".")};
        m_open.push_back(m_program->names.size());
        m_source += (token.kind == Token::Kind::Section ? "{{#" : "{{^") + slotName(std::move(slot)) + "}}";
    }

    void closeSection()
    {
        if (m_open.empty())
            return;
        m_source += "{{/$" + std::to_string(m_open.back()) + "}}";
        m_open.pop_back();
    }

    std::string slotName(Slot slot)
    {
        m_program->names.push_back(std::move(slot));
        return "$" + std::to_string(m_program->names.size() - 1);
    }

    Target m_target;
    bool m_isWholeLink;
    Findings &m_findings;
    std::unique_ptr<Program> m_program = std::make_unique<Program>();
    HtmlScanner m_html;
    std::string m_source;
    std::vector<size_t> m_open;
};

CompiledText::CompiledText(const Tokens &tokens, Target target, Findings &findings)
{
    Builder builder(target, tokens.size() == 1, findings);
    for (const Token &token : tokens)
        builder.add(token);
    m_program = builder.program();
}

CompiledText::~CompiledText() = default;
CompiledText::CompiledText(CompiledText &&) noexcept = default;
CompiledText &CompiledText::operator=(CompiledText &&) noexcept = default;

std::variant<QString, RenderError> CompiledText::render(NameScope &names, const Formatter &formatter,
                                                        const QString &label) const
{
    if (!m_program->parsed->is_valid())
        return RenderError{RenderError::Kind::Broken, QStringLiteral("template %1 can't be read").arg(label)};
    Scene scene(*m_program, names, formatter, label);
    Output output;
    m_program->parsed->render(scene, output);
    if (scene.error())
        return *scene.error();
    return QString::fromStdString(output.text);
}

} // namespace sendoff::render
