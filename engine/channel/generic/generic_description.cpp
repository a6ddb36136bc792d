#include "channel/generic/generic_description.h"

#include <QXmlStreamReader>
#include <map>

namespace sendoff::channel {

namespace {

Error invalid(const QString &option, const QString &text)
{
    return {ErrorCode::Invalid, QStringLiteral("options.%1: %2").arg(option, text)};
}

const QStringList &requestPlaceholders()
{
    static const QStringList names{QStringLiteral("address"), QStringLiteral("id"), QStringLiteral("key")};
    return names;
}

QMap<QString, QString> below(const QMap<QString, QString> &options, const QString &prefix)
{
    QMap<QString, QString> found;
    for (auto each = options.lowerBound(prefix); each != options.end() && each.key().startsWith(prefix); ++each)
        found.insert(each.key().mid(prefix.size()), *each);
    return found;
}

// Why a body so filled could not be read, empty where it can.
QString formProblem(const GenericDescription &description)
{
    QMap<QString, QString> sample;
    for (const QString &name : bodyPlaceholders())
        sample.insert(name, QStringLiteral("a \"b\" <c> & 'd'")); // ends whatever is not escaped
    const QString text = filled(description.body, sample, description.escaping);
    if (description.escaping == Escaping::Json && !parseJson(text.toUtf8()))
        return QStringLiteral("it is no JSON; placeholders stand inside double quotes");
    if (description.escaping == Escaping::Xml) {
        QXmlStreamReader reader(text);
        while (!reader.atEnd())
            reader.readNext();
        if (reader.hasError())
            return QStringLiteral("it is no XML; placeholders stand in an element or a quoted attribute");
    }
    return {};
}

Result<void> readBody(const QMap<QString, QString> &options, GenericDescription &made)
{
    if (const QString method = options.value(QStringLiteral("method"), QStringLiteral("POST"));
        method != QLatin1String("POST"))
        return invalid(QStringLiteral("method"), QStringLiteral("only POST can prove what left; write \"POST\""));
    made.contentType = options.value(QStringLiteral("content_type"), QStringLiteral("application/json"));
    const auto escaping = escapingOf(made.contentType);
    if (!escaping)
        return invalid(QStringLiteral("content_type"),
                       QStringLiteral("use a JSON, XML or form type or text/plain; others can't be escaped"));
    made.escaping = *escaping;
    made.body = options.value(QStringLiteral("body"));
    if (made.body.trimmed().isEmpty())
        return invalid(QStringLiteral("body"),
                       QStringLiteral("it is empty; write what is posted, with {{text}} in it"));
    if (const QString problem = templateProblem(made.body, bodyPlaceholders()); !problem.isEmpty())
        return invalid(QStringLiteral("body"), problem);
    if (const QString problem = formProblem(made); !problem.isEmpty())
        return invalid(QStringLiteral("body"), problem);
    made.keyField = options.value(QStringLiteral("key_field"));
    const bool takesField =
        made.escaping == Escaping::Form || (made.escaping == Escaping::Json && made.body.trimmed().startsWith(u'{'));
    if (!made.keyField.isEmpty() && !takesField)
        return invalid(QStringLiteral("key_field"),
                       QStringLiteral("the body is no form and no JSON object; use headers"));
    return {};
}

Result<void> readRequest(const ProviderSettings &provider, GenericDescription &made)
{
    made.path = provider.options.value(QStringLiteral("path"));
    if (!made.path.isEmpty() && !made.path.startsWith(u'/') && !made.path.startsWith(u'?'))
        return invalid(QStringLiteral("path"), QStringLiteral("it begins with /"));
    if (const QString problem = templateProblem(made.path, requestPlaceholders()); !problem.isEmpty())
        return invalid(QStringLiteral("path"), problem);
    made.headers = below(provider.options, QStringLiteral("headers."));
    for (auto each = made.headers.begin(); each != made.headers.end(); ++each) {
        if (const QString problem = templateProblem(*each, requestPlaceholders()); !problem.isEmpty())
            return invalid(QStringLiteral("headers.") + each.key(), problem);
    }
    made.idempotencyHeader = provider.options.value(QStringLiteral("idempotency_header"));
    if (const QString window = provider.options.value(QStringLiteral("idempotency_window")); !window.isEmpty()) {
        const auto duration = parseDuration(window);
        if (!duration)
            return invalid(QStringLiteral("idempotency_window"), QStringLiteral("write a duration, like \"23h\""));
        if (made.idempotencyHeader.isEmpty())
            return invalid(QStringLiteral("idempotency_window"), QStringLiteral("write idempotency_header as well"));
        made.idempotencyWindow = *duration;
    }
    return {};
}

Result<void> readPointers(const QMap<QString, QString> &options, GenericDescription &made)
{
    for (const auto &[name, pointer] :
         {std::pair{"message_id", &made.messageId}, std::pair{"error_code", &made.errorCode},
          std::pair{"error_text", &made.errorText}, std::pair{"wait", &made.wait}}) {
        *pointer = options.value(QLatin1String(name));
        if (!pointer->isEmpty() && !pointer->startsWith(u'/'))
            return invalid(QLatin1String(name), QStringLiteral("write a JSON pointer, like \"/error/code\""));
    }
    const QString unit = options.value(QStringLiteral("wait_unit"), QStringLiteral("s"));
    if (unit != QLatin1String("s") && unit != QLatin1String("ms"))
        return invalid(QStringLiteral("wait_unit"), QStringLiteral("write \"s\" or \"ms\""));
    made.waitUnit = unit == QLatin1String("s") ? 1000 : 1;
    return {};
}

Result<void> readRules(const QMap<QString, QString> &options, GenericDescription &made)
{
    std::map<int, QString> numbered;
    const QMap<QString, QString> rules = below(options, QStringLiteral("rules."));
    for (auto each = rules.begin(); each != rules.end(); ++each) {
        bool isNumber = false;
        const int number = each.key().toInt(&isNumber);
        if (!isNumber || number < 0 || !numbered.emplace(number, *each).second)
            return invalid(QStringLiteral("rules.") + each.key(), QStringLiteral("rules are numbered: 1, 2, 3"));
    }
    for (const auto &[number, text] : numbered) {
        auto rule = GenericRule::parse(text);
        if (!rule)
            return invalid(QStringLiteral("rules.%1").arg(number), rule.error().message);
        made.rules.push_back(*rule);
    }
    return {};
}

} // namespace

QStringList genericOptionNames()
{
    return {QStringLiteral("method"),       QStringLiteral("path"),
            QStringLiteral("content_type"), QStringLiteral("body"),
            QStringLiteral("headers."),     QStringLiteral("key_field"),
            QStringLiteral("message_id"),   QStringLiteral("error_code"),
            QStringLiteral("error_text"),   QStringLiteral("wait"),
            QStringLiteral("wait_unit"),    QStringLiteral("idempotency_header"),
            QStringLiteral("rules."),       QStringLiteral("idempotency_window")};
}

QStringList bodyPlaceholders()
{
    return {QStringLiteral("address"), QStringLiteral("subject"), QStringLiteral("text"), QStringLiteral("html"),
            QStringLiteral("title"),   QStringLiteral("link"),    QStringLiteral("from"), QStringLiteral("id")};
}

Result<GenericDescription> GenericDescription::read(const ProviderSettings &provider)
{
    GenericDescription made;
    if (const auto done = readBody(provider.options, made); !done)
        return done.error();
    if (const auto done = readRequest(provider, made); !done)
        return done.error();
    if (const auto done = readPointers(provider.options, made); !done)
        return done.error();
    if (const auto done = readRules(provider.options, made); !done)
        return done.error();
    return made;
}

} // namespace sendoff::channel
