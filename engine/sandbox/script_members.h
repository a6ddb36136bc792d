#pragma once
#include "domain/clock.h"
#include "domain/json_document.h"
#include "sandbox/callback_plan.h"
#include "sandbox/sink_script.h"

namespace sendoff::sandbox {

// Reads the members of one object of a script; keeps the first error, which names the place ("rule 2") and the key.
// A value of one function; the object and the error must outlive it.
class MemberReader
{
public:
    MemberReader(QString place, const JsonValue &object, QString prefix, std::optional<Error> &error);

    void fail(const QString &key, const QString &why);
    // The member, nullptr where there is none; from now on the key is known.
    const JsonValue *take(const QString &key);
    std::optional<qint64> whole(const QString &key, qint64 least, qint64 most);
    std::optional<Milliseconds> milliseconds(const QString &key); // at most a day
    std::optional<Milliseconds> seconds(const QString &key);
    QString text(const QString &key); // empty: there is none
    bool flag(const QString &key, bool otherwise = false);
    // Call it last: every key that nobody asked for is a mistake.
    void refuseUnknown();

private:
    QString m_place;
    const JsonValue &m_object;
    QString m_prefix;
    QStringList m_known;
    std::optional<Error> &m_error;
};

constexpr qint64 maxCount = 1'000'000'000;
constexpr qint64 maxMilliseconds = 86'400'000;

// The parts of a script that have a file of their own; errors as above, `key` is where they stand in the reader's
// object.
CallbackSteps readCallbackSteps(const QString &place, const QString &key, const JsonValue &json,
                                std::optional<Error> &error);
CallbackTargets readCallbackTargets(const JsonValue &json, std::optional<Error> &error);
SinkScript readSinkScript(const JsonValue &json, std::optional<Error> &error);

} // namespace sendoff::sandbox
