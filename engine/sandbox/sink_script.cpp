#include "sandbox/script_members.h"

#include <algorithm>

namespace sendoff::sandbox {

namespace {

using Kind = JsonValue::Kind;

struct StageName
{
    const char *name;
    SinkStage stage;
};
constexpr StageName stageNames[] = {
    {"connect", SinkStage::Connect}, {"hello", SinkStage::Hello}, {"starttls", SinkStage::StartTls},
    {"auth", SinkStage::Auth},       {"mail", SinkStage::Mail},   {"rcpt", SinkStage::Rcpt},
    {"data", SinkStage::Data},       {"body", SinkStage::Body},   {"end_of_data", SinkStage::EndOfData},
    {"reset", SinkStage::Reset},     {"quit", SinkStage::Quit}};

// A reply of one line: three digits of an SMTP code, and words.
bool isReply(const QByteArray &reply)
{
    const auto isDigit = [](char each) { return each >= '0' && each <= '9'; };
    return reply.size() >= 3 && reply[0] >= '2' && reply[0] <= '5' && isDigit(reply[1]) && isDigit(reply[2]) &&
           (reply.size() == 3 || reply[3] == ' ') &&
           std::none_of(reply.begin(), reply.end(), [](char each) { return static_cast<unsigned char>(each) < 0x20; });
}

void readSinkMatch(const QString &place, const JsonValue &json, SinkRule &rule, std::optional<Error> &error)
{
    MemberReader reader(place, json, QStringLiteral("match."), error);
    const QString written = reader.text(QStringLiteral("stage"));
    const auto found = std::find_if(std::begin(stageNames), std::end(stageNames),
                                    [&written](const StageName &each) { return written == QLatin1String(each.name); });
    if (found == std::end(stageNames)) {
        QStringList names;
        for (const StageName &each : stageNames)
            names.append(QLatin1String(each.name));
        reader.fail(QStringLiteral("stage"), QStringLiteral("must be one of %1").arg(names.join(QStringLiteral(", "))));
    } else {
        rule.stage = found->stage;
    }
    rule.recipient = reader.text(QStringLiteral("to")).toUtf8();
    const bool knowsRecipients =
        rule.stage == SinkStage::Rcpt || rule.stage == SinkStage::Data || rule.stage == SinkStage::EndOfData;
    if (!rule.recipient.isEmpty() && !knowsRecipients)
        reader.fail(QStringLiteral("to"), QStringLiteral("can stand with the stages rcpt, data and end_of_data only"));
    reader.refuseUnknown();
}

void readSinkAction(const QString &place, const JsonValue &json, SinkRule &rule, std::optional<Error> &error)
{
    using Ending = SinkRule::Ending;
    MemberReader reader(place, json, QStringLiteral("action."), error);
    rule.reply = reader.text(QStringLiteral("reply")).toUtf8();
    if (!rule.reply.isEmpty() && !isReply(rule.reply))
        reader.fail(QStringLiteral("reply"), QStringLiteral("must be one line like \"550 5.1.1 no such user\""));
    rule.delay = reader.milliseconds(QStringLiteral("delay_ms")).value_or(Milliseconds(0));
    const std::pair<QString, Ending> endings[] = {{QStringLiteral("drop"), Ending::Drop},
                                                  {QStringLiteral("close"), Ending::Close},
                                                  {QStringLiteral("silence"), Ending::Silence}};
    QStringList set;
    for (const auto &[key, ending] : endings) {
        if (reader.flag(key)) {
            rule.ending = ending;
            set.append(key);
        }
    }
    if (set.size() > 1)
        reader.fail(set.at(1), QStringLiteral("can't be together with %1").arg(set.at(0)));
    reader.refuseUnknown();
    if (json.kind() == Kind::Object && json.members().empty())
        reader.fail(QString(), QStringLiteral("is empty: it would do nothing"));
}

SinkRule readSinkRule(size_t number, const JsonValue &json, std::optional<Error> &error)
{
    const QString place = QStringLiteral("smtp rule %1").arg(number);
    MemberReader reader(place, json, QString(), error);
    SinkRule rule;
    const JsonValue *match = reader.take(QStringLiteral("match"));
    const JsonValue *action = reader.take(QStringLiteral("action"));
    if (match)
        readSinkMatch(place, *match, rule, error);
    else
        reader.fail(QStringLiteral("match"), QStringLiteral("is missing: it names the stage"));
    if (action)
        readSinkAction(place, *action, rule, error);
    else
        reader.fail(QStringLiteral("action"), QStringLiteral("is missing"));
    if (const auto times = reader.whole(QStringLiteral("times"), 1, maxCount))
        rule.times = int(*times);
    reader.refuseUnknown();
    return rule;
}

} // namespace

SinkScript readSinkScript(const JsonValue &json, std::optional<Error> &error)
{
    MemberReader reader(QStringLiteral("script"), json, QStringLiteral("smtp."), error);
    SinkScript script;
    script.isGreylisting = reader.flag(QStringLiteral("greylist"));
    script.user = reader.text(QStringLiteral("user")).toUtf8();
    script.password = reader.text(QStringLiteral("password")).toUtf8();
    if (script.user.isEmpty() != script.password.isEmpty())
        reader.fail(script.user.isEmpty() ? QStringLiteral("user") : QStringLiteral("password"),
                    QStringLiteral("is missing: a login needs both"));
    if (const JsonValue *rules = reader.take(QStringLiteral("rules"))) {
        if (rules->kind() != Kind::Array)
            reader.fail(QStringLiteral("rules"), QStringLiteral("must be an array"));
        for (const JsonValue &rule : rules->items())
            script.rules.push_back(readSinkRule(script.rules.size() + 1, rule, error));
    }
    reader.refuseUnknown();
    return script;
}

} // namespace sendoff::sandbox
