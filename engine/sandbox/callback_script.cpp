#include "sandbox/script_members.h"

#include <QUrl>
#include <algorithm>

namespace sendoff::sandbox {

namespace {

using Kind = JsonValue::Kind;

struct EventName
{
    const char *name;
    CallbackEvent event;
};
constexpr EventName eventNames[] = {{"sent", CallbackEvent::Sent},
                                    {"delivered", CallbackEvent::Delivered},
                                    {"bounced_hard", CallbackEvent::BouncedHard},
                                    {"bounced_soft", CallbackEvent::BouncedSoft},
                                    {"complained", CallbackEvent::Complained},
                                    {"failed", CallbackEvent::Failed}};
constexpr qint64 mostDuplicates = 100;

std::optional<CallbackEvent> eventOf(const QString &name)
{
    for (const EventName &each : eventNames) {
        if (name == QLatin1String(each.name))
            return each.event;
    }
    return std::nullopt;
}

const QString knownEvents =
    QStringLiteral("must be one of sent, delivered, bounced_hard, bounced_soft, complained and failed");

CallbackStep readStep(const QString &place, const QString &key, const JsonValue &json, std::optional<Error> &error)
{
    CallbackStep step;
    if (json.kind() == Kind::String) {
        const auto event = eventOf(json.text());
        if (!event && !error)
            error = Error{ErrorCode::Invalid, place + QStringLiteral(": ") + key + u' ' + knownEvents};
        step.event = event.value_or(step.event);
        return step;
    }
    MemberReader reader(place, json, key + u'.', error);
    const auto event = eventOf(reader.text(QStringLiteral("event")));
    if (!event)
        reader.fail(QStringLiteral("event"), knownEvents);
    step.event = event.value_or(step.event);
    step.after = reader.milliseconds(QStringLiteral("after_ms")).value_or(Milliseconds(0));
    step.times = int(reader.whole(QStringLiteral("times"), 1, mostDuplicates).value_or(1));
    step.code = reader.text(QStringLiteral("code")).toLatin1();
    if (!std::all_of(step.code.begin(), step.code.end(), [](char each) { return each >= '0' && each <= '9'; }))
        reader.fail(QStringLiteral("code"), QStringLiteral("must be the digits of one of Twilio's codes"));
    reader.refuseUnknown();
    return step;
}

bool isAddress(const QString &text)
{
    const QUrl url(text, QUrl::StrictMode);
    return url.isValid() && (url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https")) &&
           !url.host().isEmpty() && url.userInfo().isEmpty() && !url.hasFragment();
}

void checkSecret(MemberReader &reader, const QString &provider, const QByteArray &secret)
{
    const QString key = QStringLiteral("secret");
    if (provider == QLatin1String("resend")) {
        const auto decoded = QByteArray::fromBase64Encoding(secret.mid(6), QByteArray::AbortOnBase64DecodingErrors);
        if (!secret.startsWith("whsec_") || !decoded || decoded.decoded.isEmpty())
            reader.fail(key, QStringLiteral("must be \"whsec_\" and base64, as in webhook_secrets"));
    } else if (provider == QLatin1String("postmark")) {
        const qsizetype colon = secret.indexOf(':');
        if (colon <= 0 || colon == secret.size() - 1)
            reader.fail(key, QStringLiteral("must be \"user:password\", as in webhook_secrets"));
    } else if (provider == QLatin1String("twilio")) {
        if (secret.isEmpty())
            reader.fail(key, QStringLiteral("must be the auth token that Twilio signs with"));
    } else if (!secret.isEmpty()) {
        reader.fail(key, QStringLiteral("is not needed: SendGrid signs with a key of its own, see GET "
                                        "/sandbox/callbacks"));
    }
}

CallbackTarget readTarget(const QString &provider, const JsonValue &json, std::optional<Error> &error)
{
    const QString place = QStringLiteral("script");
    const QString prefix = QStringLiteral("callbacks.%1.").arg(provider);
    MemberReader reader(place, json, prefix, error);
    CallbackTarget target;
    const QString url = reader.text(QStringLiteral("url"));
    if (url.isEmpty() && provider != QLatin1String("twilio"))
        reader.fail(QStringLiteral("url"), QStringLiteral("is missing: where the callbacks are to be posted"));
    if (!url.isEmpty() && !isAddress(url))
        reader.fail(QStringLiteral("url"),
                    QStringLiteral("must be an http or https address without user and fragment"));
    target.url = QUrl(url).toEncoded();
    target.secret = reader.text(QStringLiteral("secret")).toUtf8();
    checkSecret(reader, provider, target.secret);
    target.steps = {{CallbackEvent::Sent, Milliseconds(0), 1, {}}, {CallbackEvent::Delivered, Milliseconds(0), 1, {}}};
    if (const JsonValue *events = reader.take(QStringLiteral("events")))
        target.steps = readCallbackSteps(place, prefix + QStringLiteral("events"), *events, error);
    if (const JsonValue *waits = reader.take(QStringLiteral("retries_ms"))) {
        target.retries.emplace();
        bool isList = waits->kind() == Kind::Array;
        for (const JsonValue &wait : waits->items()) {
            bool ok = wait.kind() == Kind::Number;
            const qint64 number = ok ? wait.text().toLongLong(&ok) : 0;
            isList = isList && ok && number >= 0 && number <= maxMilliseconds;
            target.retries->push_back(Milliseconds(number));
        }
        if (!isList)
            reader.fail(QStringLiteral("retries_ms"),
                        QStringLiteral("must be an array of whole numbers from 0 to %1").arg(maxMilliseconds));
    }
    reader.refuseUnknown();
    return target;
}

} // namespace

CallbackSteps readCallbackSteps(const QString &place, const QString &key, const JsonValue &json,
                                std::optional<Error> &error)
{
    if (json.kind() != Kind::Array && !error) {
        error = Error{ErrorCode::Invalid, place + QStringLiteral(": ") + key +
                                              QStringLiteral(" must be an array of events, like [\"sent\"]")};
    }
    CallbackSteps steps;
    for (const JsonValue &item : json.items())
        steps.push_back(readStep(place, QStringLiteral("%1[%2]").arg(key).arg(steps.size()), item, error));
    return steps;
}

CallbackTargets readCallbackTargets(const JsonValue &json, std::optional<Error> &error)
{
    MemberReader reader(QStringLiteral("script"), json, QStringLiteral("callbacks."), error);
    CallbackTargets targets;
    for (const char *name : {"resend", "sendgrid", "postmark", "twilio"}) {
        const QString provider = QLatin1String(name);
        if (const JsonValue *target = reader.take(provider))
            targets.insert(provider, readTarget(provider, *target, error));
    }
    reader.refuseUnknown();
    return targets;
}

} // namespace sendoff::sandbox
