#pragma once
#include "render/expression.h"
#include "render/formatter.h"
#include "render/html_scanner.h"
#include "render/name_scope.h"
#include "render/template_tokens.h"
#include <memory>
#include <variant>
#include <vector>

namespace sendoff::render {

// What a text is made for.
enum class Target { Text, Header, Link, Html };

// One text of a message, parsed once and rendered many times: a body or a header line. The mustache library does the
// sections; lines, names, filters and escaping are ours, and no value is ever read as a template.
// Thread: one at a time.
class CompiledText
{
public:
    // Partials are already replaced by their tokens. Findings get what the target forbids.
    CompiledText(const Tokens &tokens, Target target, Findings &findings);
    ~CompiledText();
    CompiledText(CompiledText &&) noexcept;
    CompiledText &operator=(CompiledText &&) noexcept;

    // `label` names the template in errors: "verification-code/email.en".
    std::variant<QString, RenderError> render(NameScope &names, const Formatter &formatter, const QString &label) const;

private:
    struct Slot;
    struct Program;
    class Builder;
    class Scene;
    std::unique_ptr<Program> m_program;
};

} // namespace sendoff::render
