#include "channel/generic/generic_rules.h"

#include <QStringList>

namespace sendoff::channel {

namespace {

using Condition = GenericRule::Condition;

Error invalid(const QString &text)
{
    return {ErrorCode::Invalid, text};
}

// Words between blanks; what stands in double quotes is one piece, \" and \\ inside. Nothing where a quote stays open.
std::optional<QStringList> words(const QString &text)
{
    QStringList list;
    QString word;
    bool isQuoted = false;
    bool hasWord = false;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar each = text[at];
        if (isQuoted && each == u'\\' && at + 1 < text.size()) {
            word += text[++at];
        } else if (each == u'"') {
            isQuoted = !isQuoted;
            hasWord = true;
        } else if (each.isSpace() && !isQuoted) {
            if (hasWord)
                list.append(word);
            word.clear();
            hasWord = false;
        } else {
            word += each;
            hasWord = true;
        }
    }
    if (hasWord)
        list.append(word);
    return isQuoted ? std::nullopt : std::optional(list);
}

// "404", "4xx", "500-599".
bool readStatus(const QString &text, Condition &condition)
{
    const auto number = [](const QString &digits) {
        bool isNumber = false;
        const int status = digits.toInt(&isNumber);
        return isNumber && digits.size() == 3 && status >= 100 && status <= 599 ? status : 0;
    };
    if (text.size() == 3 && text.endsWith(QLatin1String("xx"))) {
        condition.from = number(text.left(1) + QLatin1String("00"));
        condition.to = condition.from + 99;
    } else {
        condition.from = number(text.section(u'-', 0, 0));
        condition.to = text.contains(u'-') ? number(text.section(u'-', 1)) : condition.from;
    }
    return condition.from > 0 && condition.to >= condition.from;
}

Result<Condition> readCondition(const QString &word)
{
    const qsizetype equals = word.indexOf(u'=');
    if (equals < 1)
        return invalid(
            QStringLiteral("\"%1\" is no condition; write status=404, body=TEXT or /pointer=TEXT").arg(word));
    Condition condition;
    condition.contains = word[equals - 1] == u'*';
    const QString subject = word.left(condition.contains ? equals - 1 : equals);
    condition.text = word.mid(equals + 1);
    if (subject == QLatin1String("status")) {
        if (condition.contains || !readStatus(condition.text, condition))
            return invalid(QStringLiteral("status=%1 is no status; write 404, 4xx or 500-599").arg(condition.text));
        return condition;
    }
    if (condition.text.isEmpty())
        return invalid(QStringLiteral("%1 is compared with nothing; write the text behind =").arg(subject));
    if (subject == QLatin1String("body")) {
        condition.subject = Condition::Subject::Body;
    } else if (subject.startsWith(u'/')) {
        condition.subject = Condition::Subject::Pointer;
        condition.pointer = subject;
    } else {
        return invalid(QStringLiteral("\"%1\" can't be asked; write status, body or a /pointer").arg(subject));
    }
    return condition;
}

Result<void> readConsequence(const QString &word, GenericRule &rule)
{
    if (word == QLatin1String("only-this")) {
        if (rule.outcome != Outcome::Throttled)
            return invalid(QStringLiteral("only-this stands with throttled alone; remove it"));
        rule.pausesBucket = false;
        return {};
    }
    const auto wait = word.startsWith(QLatin1String("wait=")) ? parseDuration(QStringView(word).mid(5)) : std::nullopt;
    if (!wait)
        return invalid(QStringLiteral("\"%1\" is not known behind the outcome; write wait=30s or only-this").arg(word));
    const bool isTriedAgain =
        rule.outcome == Outcome::Throttled || rule.outcome == Outcome::Transient || rule.outcome == Outcome::Unknown;
    if (!isTriedAgain)
        return invalid(QStringLiteral("nothing is waited for after %1; remove wait").arg(toText(rule.outcome)));
    rule.floor = *wait;
    return {};
}

bool holds(const Condition &condition, const QString &text)
{
    return condition.contains ? text.contains(condition.text, Qt::CaseInsensitive) : text == condition.text;
}

bool holds(const Condition &condition, const HttpAnswer &answer, const JsonValue &json)
{
    switch (condition.subject) {
    case Condition::Subject::Status:
        return answer.status >= condition.from && answer.status <= condition.to;
    case Condition::Subject::Body:
        return holds(condition, QString::fromUtf8(answer.body).trimmed());
    case Condition::Subject::Pointer: {
        const JsonValue *value = json.at(condition.pointer);
        return value && holds(condition, value->text());
    }
    }
    Q_UNREACHABLE();
}

} // namespace

Result<GenericRule> GenericRule::parse(const QString &text)
{
    const auto list = words(text);
    if (!list)
        return invalid(QStringLiteral("a double quote has no end"));
    const qsizetype arrow = list->indexOf(QStringLiteral("->"));
    if (arrow < 1 || arrow + 1 >= list->size())
        return invalid(QStringLiteral("write conditions -> outcome, like: status=429 -> throttled"));
    GenericRule rule;
    for (const QString &word : list->first(arrow)) {
        auto condition = readCondition(word);
        if (!condition)
            return condition.error();
        rule.conditions.push_back(*condition);
    }
    const auto outcome = fromText<Outcome>(list->at(arrow + 1));
    if (!outcome)
        return invalid(QStringLiteral("\"%1\" is no outcome; use accepted, throttled, transient, permanent_recipient, "
                                      "permanent_message, configuration or unknown")
                           .arg(list->at(arrow + 1)));
    rule.outcome = *outcome;
    for (const QString &word : list->mid(arrow + 2)) {
        if (const auto read = readConsequence(word, rule); !read)
            return read.error();
    }
    return rule;
}

bool GenericRule::matches(const HttpAnswer &answer, const JsonValue &json) const
{
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const Condition &condition) { return holds(condition, answer, json); });
}

} // namespace sendoff::channel
