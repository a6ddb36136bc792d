#include "sandbox/script.h"

#include "sandbox/provider_errors.h"
#include "sandbox/script_members.h"

#include <algorithm>

namespace sendoff::sandbox {

namespace {

using Kind = JsonValue::Kind;

Match readMatch(const QString &place, const JsonValue &json, std::optional<Error> &error)
{
    MemberReader reader(place, json, QStringLiteral("match."), error);
    Match match;
    match.path = reader.text(QStringLiteral("path")).toUtf8();
    match.nth = reader.whole(QStringLiteral("nth"), 1, maxCount);
    match.every = reader.whole(QStringLiteral("every"), 1, maxCount);
    match.firstRequests = reader.whole(QStringLiteral("first_requests"), 1, maxCount);
    match.firstSeconds = reader.seconds(QStringLiteral("first_seconds"));
    match.afterSeconds = reader.seconds(QStringLiteral("after_seconds"));
    match.bodyContains = reader.text(QStringLiteral("body_contains")).toUtf8();
    match.to = reader.text(QStringLiteral("to"));
    match.token = reader.text(QStringLiteral("token"));
    reader.refuseUnknown();
    if (!match.path.isEmpty() && !match.path.startsWith('/'))
        reader.fail(QStringLiteral("path"), QStringLiteral("must begin with /"));
    return match;
}

void readHeaders(MemberReader &reader, Action &action)
{
    const JsonValue *headers = reader.take(QStringLiteral("headers"));
    if (!headers)
        return;
    if (headers->kind() != Kind::Object)
        reader.fail(QStringLiteral("headers"), QStringLiteral("must be an object of names and values"));
    for (const auto &[name, value] : headers->members()) {
        const QByteArray bytes = value.text().toUtf8();
        const bool plainName = !name.isEmpty() && std::all_of(name.begin(), name.end(), [](QChar c) {
            return c == u'-' || c == u'_' || (c.unicode() < 128 && c.isLetterOrNumber());
        });
        const bool plainValue = (value.kind() == Kind::String || value.kind() == Kind::Number) &&
                                !bytes.contains('\r') && !bytes.contains('\n') && !bytes.contains('\0');
        if (!plainName || !plainValue) {
            reader.fail(QStringLiteral("headers.%1").arg(name),
                        QStringLiteral("must be a text or number of one line, its name letters, digits and -"));
        }
        action.headers.emplace_back(name.toUtf8(), bytes);
    }
}

void readPartial(MemberReader &reader, Action &action)
{
    const QString key = QStringLiteral("partial_batch");
    const JsonValue *partial = reader.take(key);
    if (!partial)
        return;
    if (partial->kind() != Kind::Object || partial->members().empty())
        reader.fail(key, QStringLiteral("must be an object of positions and error names, like {\"1\":\"…\"}"));
    for (const auto &[position, name] : partial->members()) {
        bool ok = false;
        const int index = position.toInt(&ok);
        if (!ok || index < 0 || index > 499)
            reader.fail(key, QStringLiteral("has a position that is not a number from 0 to 499"));
        const auto known = providerError(name.text());
        const bool isOfOneMessage = known ? known->level != ErrorLevel::ExpoRequest : isPostmarkCode(name.text());
        if (!isOfOneMessage)
            reader.fail(key, QStringLiteral("names an error that no single message can have: %1").arg(name.text()));
        action.partial.insert(index, name.text());
    }
}

void readErrors(MemberReader &reader, Action &action)
{
    action.error = reader.text(QStringLiteral("error"));
    if (!action.error.isEmpty() && !action.status && !providerError(action.error) && !statusOfCode(action.error))
        reader.fail(QStringLiteral("error"), QStringLiteral("is not a known error name; give status as well"));
    action.receipt = reader.text(QStringLiteral("receipt"));
    if (action.receipt.isEmpty() || action.receipt == QStringLiteral("absent"))
        return;
    const auto known = providerError(action.receipt);
    if (!known || known->level != ErrorLevel::ExpoTicket)
        reader.fail(QStringLiteral("receipt"), QStringLiteral("must be a receipt's error name or \"absent\""));
}

void readEndings(MemberReader &reader, Action &action)
{
    using Ending = Action::Ending;
    using Spoil = Action::Spoil;
    const std::pair<QString, Ending> endings[] = {{QStringLiteral("drop_before_read"), Ending::DropBeforeRead},
                                                  {QStringLiteral("drop_after_read"), Ending::DropAfterRead},
                                                  {QStringLiteral("accept_then_drop"), Ending::AcceptThenDrop},
                                                  {QStringLiteral("hang"), Ending::Hang}};
    const std::pair<QString, Spoil> spoils[] = {{QStringLiteral("bad_json"), Spoil::BadJson},
                                                {QStringLiteral("endless_body"), Spoil::EndlessBody},
                                                {QStringLiteral("truncate_body"), Spoil::TruncateBody}};
    QStringList set;
    for (const auto &[key, ending] : endings) {
        if (reader.flag(key)) {
            action.ending = ending;
            set.append(key);
        }
    }
    for (const auto &[key, spoil] : spoils) {
        if (reader.flag(key)) {
            action.spoil = spoil;
            set.append(key);
        }
    }
    if (set.size() > 1)
        reader.fail(set.at(1), QStringLiteral("can't be together with %1").arg(set.at(0)));
    const bool answers = action.status || action.body || !action.error.isEmpty() || !action.redirect.isEmpty() ||
                         !action.partial.isEmpty() || !action.headers.empty();
    if (action.ending != Ending::Answer && answers)
        reader.fail(set.value(0),
                    QStringLiteral("gives no answer, so nothing that shapes the answer may stand beside it"));
}

Action readAction(const QString &place, const JsonValue &json, std::optional<Error> &error)
{
    MemberReader reader(place, json, QStringLiteral("action."), error);
    Action action;
    action.delay = reader.milliseconds(QStringLiteral("delay_ms"));
    if (const auto status = reader.whole(QStringLiteral("status"), 200, 599))
        action.status = static_cast<int>(*status);
    readHeaders(reader, action);
    if (const JsonValue *body = reader.take(QStringLiteral("body")))
        action.body = body->kind() == Kind::String ? body->text().toUtf8() : body->toJson();
    readErrors(reader, action);
    action.redirect = reader.text(QStringLiteral("redirect")).toUtf8();
    if (action.redirect.contains('\r') || action.redirect.contains('\n'))
        reader.fail(QStringLiteral("redirect"), QStringLiteral("must be one line"));
    readPartial(reader, action);
    readEndings(reader, action);
    if (const JsonValue *callbacks = reader.take(QStringLiteral("callbacks")))
        action.callbacks = readCallbackSteps(place, QStringLiteral("action.callbacks"), *callbacks, error);
    reader.refuseUnknown();
    if (json.kind() == Kind::Object && json.members().empty())
        reader.fail(QString(), QStringLiteral("is empty: it would do nothing"));
    return action;
}

Rule readRule(qsizetype number, const JsonValue &json, std::optional<Error> &error)
{
    const QString place = QStringLiteral("rule %1").arg(number);
    MemberReader reader(place, json, QString(), error);
    Rule rule;
    if (const JsonValue *match = reader.take(QStringLiteral("match")))
        rule.match = readMatch(place, *match, error);
    if (const JsonValue *action = reader.take(QStringLiteral("action")))
        rule.action = readAction(place, *action, error);
    else if (json.kind() == Kind::Object)
        reader.fail(QStringLiteral("action"), QStringLiteral("is missing"));
    rule.times = reader.whole(QStringLiteral("times"), 1, maxCount);
    rule.goesOn = reader.flag(QStringLiteral("continue"));
    reader.refuseUnknown();
    if (rule.action.ending == Action::Ending::DropBeforeRead && rule.match.needsBody()) {
        reader.fail(QStringLiteral("action.drop_before_read"),
                    QStringLiteral("can't be used with match.body_contains, to or token: the body is not read"));
    }
    const Action &action = rule.action;
    if (rule.isAboutOneToken() && (action.delay || action.body || !action.headers.empty() ||
                                   !action.partial.isEmpty() || !action.redirect.isEmpty() || action.callbacks ||
                                   action.ending != Action::Ending::Answer || action.spoil != Action::Spoil::None)) {
        reader.fail(QStringLiteral("action"),
                    QStringLiteral("is about one token's ticket, so only error and receipt may "
                                   "stand in it; put the rest into a rule of its own"));
    }
    return rule;
}

} // namespace

Result<Script> Script::parse(const QByteArray &json)
{
    const Result<JsonValue> parsed = parseJson(json);
    if (!parsed)
        return Error{ErrorCode::Invalid, QStringLiteral("script: ") + parsed.error().message};
    Script script;
    std::optional<Error> error;
    const JsonValue *rules = nullptr;
    if (parsed->kind() == Kind::Array) {
        rules = &*parsed;
    } else {
        MemberReader reader(QStringLiteral("script"), *parsed, QString(), error);
        rules = reader.take(QStringLiteral("rules"));
        script.requireAuth = reader.flag(QStringLiteral("require_auth"), true);
        script.apiKey = reader.text(QStringLiteral("api_key")).toUtf8();
        script.expoAccessToken = reader.text(QStringLiteral("expo_access_token")).toUtf8();
        script.ratePerSecond = reader.whole(QStringLiteral("rate_per_second"), 1, maxCount);
        script.expoRatePerSecond = reader.whole(QStringLiteral("expo_rate_per_second"), 1, maxCount);
        if (const JsonValue *callbacks = reader.take(QStringLiteral("callbacks")))
            script.callbacks = readCallbackTargets(*callbacks, error);
        if (const JsonValue *smtp = reader.take(QStringLiteral("smtp")))
            script.smtp = readSinkScript(*smtp, error);
        reader.refuseUnknown();
        if (rules && rules->kind() != Kind::Array)
            reader.fail(QStringLiteral("rules"), QStringLiteral("must be an array"));
    }
    if (rules) {
        for (const JsonValue &rule : rules->items())
            script.rules.push_back(readRule(static_cast<qsizetype>(script.rules.size()) + 1, rule, error));
    }
    if (error)
        return *error;
    return script;
}

} // namespace sendoff::sandbox
