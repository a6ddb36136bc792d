#include "render/message_template.h"
#include "render/renderer.h"

#include <algorithm>

namespace sendoff::render {

namespace {

class Check
{
public:
    explicit Check(const PublishedSet &set)
        : m_set(set)
        , m_files(set.templates, set.catalogue.defaultLocale)
    {}

    std::vector<TemplateProblem> run()
    {
        for (const QString &path : m_set.templates.keys())
            checkFile(path);
        for (const EventType &type : m_set.catalogue.types) {
            for (const NotifyRule &rule : type.notify)
                checkRule(type, rule);
        }
        std::stable_sort(m_problems.begin(), m_problems.end(),
                         [](const TemplateProblem &left, const TemplateProblem &right) {
                             return std::tie(left.file, left.line) < std::tie(right.file, right.line);
                         });
        return std::move(m_problems);
    }

private:
    // A partial's mistakes come up once for each message that uses it.
    void add(const TemplateProblem &problem)
    {
        const bool isKnown = std::any_of(m_problems.begin(), m_problems.end(), [&problem](const TemplateProblem &each) {
            return each.file == problem.file && each.line == problem.line && each.message == problem.message;
        });
        if (!isKnown)
            m_problems.push_back(problem);
    }

    void addAll(const Findings &findings)
    {
        for (const Finding &finding : findings)
            add(finding.problem);
    }

    void checkFile(const QString &path)
    {
        const std::optional<FileName> name = FileName::fromPath(path);
        if (!name) {
            add({path, 0,
                 QStringLiteral(
                     "is no template file; name it <template>/<channel>.<locale>.mustache or …html.mustache")});
            return;
        }
        if (normalisedLocale(name->locale) != name->locale)
            add({path, 0,
                 QStringLiteral("the locale is never looked up so; write %1").arg(normalisedLocale(name->locale))});
        if (name->folder == QLatin1String("partials")) {
            Findings findings;
            parsedFile(*name, m_set.templates.value(path), findings);
            addAll(findings);
            return;
        }
        const std::optional<Channel> channel = fromText<Channel>(name->stem);
        if (!channel) {
            add({path, 0,
                 QStringLiteral("unknown channel %1; there are email, sms, push, inbox, webhook").arg(name->stem)});
            return;
        }
        if (name->isHtml && *channel != Channel::Email) {
            add({path, 0, QStringLiteral("only email has an HTML part; remove it")});
            return;
        }
        FileName textPart = *name;
        textPart.isHtml = false;
        if (!name->isHtml || !m_files.contains(textPart))
            addAll(compiledMessage(m_files, *channel, textPart).findings);
    }

    void checkRule(const EventType &type, const NotifyRule &rule)
    {
        for (const Channel channel : rule.channels) {
            const FileName needed{rule.templateName, toText(channel), m_set.catalogue.defaultLocale, false};
            if (!m_files.contains(needed))
                add({needed.path(), 0,
                     QStringLiteral("is missing; %1 tells the role %2 by %3")
                         .arg(type.type, rule.role, toText(channel))});
        }
    }

    const PublishedSet &m_set;
    TemplateFiles m_files;
    std::vector<TemplateProblem> m_problems;
};

} // namespace

std::vector<TemplateProblem> templateProblems(const PublishedSet &set)
{
    return Check(set).run();
}

} // namespace sendoff::render
