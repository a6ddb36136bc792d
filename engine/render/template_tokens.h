#pragma once
#include "render/renderer.h"
#include <QString>
#include <vector>

namespace sendoff::render {

// A mistake, and whether it keeps the template from being rendered at all. What does not block is rendered safely
// (escaped more than the author asked for) and still refused by the check before publishing.
struct Finding
{
    TemplateProblem problem;
    bool blocks = true;
};
using Findings = std::vector<Finding>;

// A piece of a template file. Comments leave none.
struct Token
{
    enum class Kind { Text, Variable, Raw, Section, Inverted, End, Partial };
    Kind kind = Kind::Text;
    QString text; // literal text, or what stands between the braces without its sign
    QString file;
    int line = 0;
};
using Tokens = std::vector<Token>;

// Splits a template into tokens. Sections are balanced and bounded in depth, names and filters are valid,
// or a finding says where not.
Tokens tokensOf(const QString &text, const QString &file, int firstLine, Findings &findings);

} // namespace sendoff::render
