#pragma once
#include "domain/catalogue.h"
#include "domain/json_document.h"
#include "domain/message.h"
#include "domain/result.h"
#include <QMap>
#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

namespace sendoff::render {

// A mistake in a template, found without rendering it.
struct TemplateProblem
{
    QString file;    // "booking-confirmed-driver/email.en.mustache"
    int line = 0;    // 0: the whole file
    QString message; // what is wrong and the remedy
};

struct RenderError
{
    enum class Kind { MissingVariable, Broken };
    Kind kind = Kind::Broken;
    QString message; // "variable code missing in template verification-code/email.en"; no values
};

// What a template may use besides the payload's own members.
struct RenderScope
{
    const JsonValue *payload = nullptr;
    QString element;              // pointer to the recipient's own object, offered as {{recipient.…}}; empty: none
    QString timeZone;             // IANA name for times, empty: UTC
    QMap<QString, QString> extra; // further top-level names ("tenant", "event_id"); the payload can't replace them
};

// Renders the templates of one published set. Escapes for each target: HTML part, plain text, header, URL, JSON
// (README.md has the language of the templates). Templates are parsed at their first use and kept.
// Thread: not shared; one object a thread. Copies what it needs of the set.
class Renderer
{
public:
    explicit Renderer(const PublishedSet &set);
    ~Renderer();
    Renderer(Renderer &&) noexcept;
    Renderer &operator=(Renderer &&) noexcept;

    // The message of a template for a channel in the first locale of the chain that has one
    // ("de-AT" → "de" → the default). A variable that is missing, null or not a scalar fails the render; an empty text
    // is a value. Errors name the variable and the template, never a value.
    std::variant<RenderedMessage, RenderError> render(const QString &templateName, Channel channel,
                                                      const QString &locale, const RenderScope &scope) const;

private:
    class Templates;
    std::unique_ptr<Templates> m_templates;
};

// Every mistake in the templates that can be known without an event: syntax, unknown header keys, a header that is
// missing for its channel, a template or the default locale's file that a rule of the catalogue needs and that is
// absent.
std::vector<TemplateProblem> templateProblems(const PublishedSet &set);

} // namespace sendoff::render
