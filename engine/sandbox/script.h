#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include "sandbox/callback_plan.h"
#include "sandbox/sink_script.h"
#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace sendoff::sandbox {

// When a rule applies; what is not set does not ask. All set conditions must hold.
struct Match
{
    QByteArray path;           // prefix of the path
    std::optional<qint64> nth; // these three count the requests that meet the other conditions
    std::optional<qint64> every;
    std::optional<qint64> firstRequests;
    std::optional<Milliseconds> firstSeconds; // since the script was set or the sandbox reset
    std::optional<Milliseconds> afterSeconds;
    QByteArray bodyContains;
    QString to;    // an address among the recipients, without case
    QString token; // a push token among the recipients

    bool needsBody() const { return !bodyContains.isEmpty() || !to.isEmpty() || !token.isEmpty(); }
};

// What a rule does with the request or its answer.
struct Action
{
    // How the request ends where it gets no ordinary answer.
    enum class Ending { Answer, DropBeforeRead, DropAfterRead, AcceptThenDrop, Hang };
    // How the answer's bytes are spoilt; the message itself is accepted as always.
    enum class Spoil { None, BadJson, EndlessBody, TruncateBody };

    std::optional<Milliseconds> delay;
    std::optional<int> status;
    std::vector<std::pair<QByteArray, QByteArray>> headers;
    std::optional<QByteArray> body;
    QString error;                          // a provider's error name
    QString receipt;                        // push: the later receipt's error, or "absent"
    QByteArray redirect;                    // the Location
    QMap<int, QString> partial;             // position in the request -> error name
    std::optional<CallbackSteps> callbacks; // of the messages that are taken; nothing: the provider's usual ones
    Ending ending = Ending::Answer;
    Spoil spoil = Spoil::None;

    // Takes from another rule what this one leaves open.
    void fillFrom(const Action &other);
};

struct Rule
{
    Match match;
    Action action;
    std::optional<qint64> times; // how often it applies at the most
    bool goesOn = false;         // "continue": later rules may add to it

    // It is about one push token's ticket or receipt and leaves the rest of the request alone.
    bool isAboutOneToken() const;
};

// A script as it was written, checked.
struct Script
{
    std::vector<Rule> rules;
    bool requireAuth = true;
    QByteArray apiKey;                       // empty: any
    QByteArray expoAccessToken;              // empty: none is asked for
    std::optional<qint64> ratePerSecond;     // requests to each of the providers but the push ones
    std::optional<qint64> expoRatePerSecond; // notifications
    CallbackTargets callbacks;               // of the providers that call back
    SinkScript smtp;                         // for the mail server beside it

    // Reads a script: an array of rules, or an object with options and "rules". Invalid names rule number and key.
    static Result<Script> parse(const QByteArray &json);
};

// What the rules may know of a request.
struct RequestFacts
{
    QByteArrayView path;
    bool bodyKnown = true;
    QByteArrayView body;
    QStringList recipients; // addresses or tokens, folded to lower case for addresses
};

// What all rules together say about one request.
struct Decision
{
    Action action;
    QMap<QString, QString> ticketErrors;  // push token -> error name
    QMap<QString, QString> receiptErrors; // push token -> error name or "absent"
};

// A script at work: counts, limits, the first seconds. Time comes from outside. Thread: its owner's.
class ScriptRun
{
public:
    using Ticks = std::chrono::steady_clock::duration;

    void start(Script script, Ticks now);
    void restart(Ticks now); // counters and seconds from the beginning
    const Script &script() const { return m_script; }
    bool hasRules() const { return !m_script.rules.empty(); }
    bool asksForRecipients() const { return m_asksForRecipients; }
    bool dropsBeforeRead() const { return m_dropsBeforeRead; }

    Decision decide(const RequestFacts &facts, Ticks now);
    // With the head alone: true where surely the request is to be dropped now, and then it is counted.
    bool dropsAtHead(QByteArrayView path, Ticks now);

private:
    struct Progress
    {
        qint64 seen = 0;
        qint64 used = 0;
    };
    enum class Answer { No, Yes, NeedsBody };

    Answer meets(const Rule &rule, const RequestFacts &facts, Ticks now) const;
    static bool applies(const Rule &rule, const Progress &progress);

    Script m_script;
    std::vector<Progress> m_progress;
    Ticks m_started{};
    bool m_asksForRecipients = false;
    bool m_dropsBeforeRead = false;
};

} // namespace sendoff::sandbox
