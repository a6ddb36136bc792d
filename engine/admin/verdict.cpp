#include "admin/verdict.h"

#include <QDateTime>
#include <QLocale>
#include <QTimeZone>
#include <algorithm>

namespace sendoff::admin {

namespace {

constexpr Milliseconds patience{300'000};

QString counted(qint64 number)
{
    return QLocale(QLocale::English).toString(number);
}

QString spoken(Milliseconds age)
{
    const qint64 seconds = age.count() / 1'000;
    if (seconds < 120)
        return QStringLiteral("%1 s").arg(seconds);
    if (seconds < 7'200)
        return QStringLiteral("%1 min").arg(seconds / 60);
    return QStringLiteral("%1 h").arg(seconds / 3'600);
}

const ProviderRecord *providerOf(const StatusRecord &status, const QString &name)
{
    const auto found = std::find_if(status.providers.cbegin(), status.providers.cend(),
                                    [&](const ProviderRecord &each) { return each.name == name; });
    return found == status.providers.cend() ? nullptr : &*found;
}

// "14:00 UTC", with the day where it is not today.
QString spoken(Timestamp time, Timestamp now)
{
    const auto inUtc = [](Timestamp moment) {
        return QDateTime::fromMSecsSinceEpoch(moment.time_since_epoch().count(), QTimeZone::utc());
    };
    const QDateTime then = inUtc(time);
    return then.toString(then.date() == inUtc(now).date() ? QStringLiteral("HH:mm 'UTC'")
                                                          : QStringLiteral("yyyy-MM-dd HH:mm 'UTC'"));
}

// "paused by Ana until 14:00 UTC: maintenance".
QString pausedWords(const QString &actor, const std::optional<Timestamp> &until, const QString &reason, Timestamp now)
{
    QString words = QStringLiteral("paused");
    if (!actor.isEmpty())
        words += QStringLiteral(" by %1").arg(actor);
    if (until)
        words += QStringLiteral(" until %1").arg(spoken(*until, now));
    return reason.isEmpty() ? words : QStringLiteral("%1: %2").arg(words, reason);
}

// The pause that keeps a queue back, nullptr where none does.
const PauseRecord *pauseOf(const StatusRecord &status, const BacklogRecord &backlog)
{
    const auto found = std::find_if(status.pauses.cbegin(), status.pauses.cend(), [&](const PauseRecord &each) {
        return each.kind == QLatin1String("all") ||
               (each.kind == QLatin1String("channel") && each.name == toText(backlog.channel)) ||
               (each.kind == QLatin1String("lane") && each.name == toText(backlog.lane));
    });
    return found == status.pauses.cend() ? nullptr : &*found;
}

// One provider's queue over all lanes that nobody has paused.
struct Queue
{
    QString provider;
    Channel channel = Channel::Email;
    qint64 waiting = 0;
    Milliseconds oldestPrompt{0}; // of urgent and normal rows
};

std::vector<Queue> queuesOf(const StatusRecord &status)
{
    std::vector<Queue> queues;
    for (const BacklogRecord &backlog : status.backlog) {
        if (pauseOf(status, backlog))
            continue;
        auto queue = std::find_if(queues.begin(), queues.end(), [&](const Queue &each) {
            return each.provider == backlog.provider && each.channel == backlog.channel;
        });
        if (queue == queues.end())
            queue = queues.insert(queue, {backlog.provider, backlog.channel, 0, Milliseconds(0)});
        queue->waiting += backlog.waiting;
        if (backlog.lane != Lane::Bulk)
            queue->oldestPrompt = std::max(queue->oldestPrompt, backlog.oldestAge.value_or(Milliseconds(0)));
    }
    return queues;
}

QString heldUp(const Queue &queue, const QString &why)
{
    return QStringLiteral("%1 is held up: %2 waiting%3 (%4)")
        .arg(QString(toText(queue.channel)), counted(queue.waiting),
             queue.provider.isEmpty() ? QString() : QStringLiteral(" on %1").arg(queue.provider), why);
}

// Sentences, the gravest first; `wills` are a person's doing and trouble nobody.
struct Findings
{
    QStringList troubles;
    QStringList wills;
};

void judgeQueue(const StatusRecord &status, const Queue &queue, Findings &findings)
{
    if (queue.waiting == 0)
        return;
    const ProviderRecord *provider = providerOf(status, queue.provider);
    if (provider && provider->paused) {
        findings.wills += heldUp(queue, pausedWords({}, provider->pausedUntil, provider->pauseReason, status.now));
    } else if (provider && provider->breaker == QLatin1String("open")) {
        findings.troubles += heldUp(queue, provider->breakerReason.isEmpty()
                                               ? QStringLiteral("breaker open")
                                               : QStringLiteral("breaker open: %1").arg(provider->breakerReason));
    } else if (queue.oldestPrompt > patience) {
        QString why = QStringLiteral("the oldest for %1").arg(spoken(queue.oldestPrompt));
        if (provider && provider->throttledUntil)
            why += QStringLiteral("; throttled");
        findings.troubles += heldUp(queue, why);
    }
}

// People must see a pause, whether or not something waits behind it.
void judgePauses(const StatusRecord &status, Findings &findings)
{
    for (const PauseRecord &pause : status.pauses) {
        qint64 waiting = 0;
        for (const BacklogRecord &backlog : status.backlog)
            waiting += pauseOf(status, backlog) == &pause ? backlog.waiting : 0;
        const QString what = pause.kind == QLatin1String("all")    ? QStringLiteral("All sending")
                             : pause.kind == QLatin1String("lane") ? QStringLiteral("Lane %1").arg(pause.name)
                                                                   : QStringLiteral("Channel %1").arg(pause.name);
        findings.wills +=
            QStringLiteral("%1 is held up: %2 waiting (%3)")
                .arg(what, counted(waiting), pausedWords(pause.actor, pause.until, pause.reason, status.now));
    }
}

QString calmSentence(const StatusRecord &status, const std::vector<Queue> &queues)
{
    qint64 waiting = 0;
    Milliseconds oldest{0};
    for (const Queue &queue : queues)
        waiting += queue.waiting;
    for (const BacklogRecord &backlog : status.backlog)
        oldest = std::max(oldest, backlog.oldestAge.value_or(Milliseconds(0)));
    waiting += status.pendingEvents;
    oldest = std::max(oldest, status.oldestPendingAge.value_or(Milliseconds(0)));
    if (waiting == 0)
        return QStringLiteral("All channels deliver. Nothing waits.");
    return QStringLiteral("All channels deliver. %1 wait, the oldest for %2.").arg(counted(waiting), spoken(oldest));
}

} // namespace

void judge(store::StatusFacts &facts)
{
    StatusRecord &status = facts.record;
    const std::vector<Queue> queues = queuesOf(status);
    Findings findings;
    const bool isAlive = std::any_of(status.engines.cbegin(), status.engines.cend(),
                                     [](const EngineRecord &each) { return each.isAlive; });
    qint64 rows = 0;
    for (const BacklogRecord &backlog : status.backlog)
        rows += backlog.waiting + backlog.scheduled + backlog.inFlight;
    if (!isAlive && (rows > 0 || status.pendingEvents > 0)) {
        findings.troubles += QStringLiteral("No engine is alive: %1 deliveries and %2 events wait")
                                 .arg(counted(rows), counted(status.pendingEvents));
    }
    for (const Queue &queue : queues)
        judgeQueue(status, queue, findings);
    judgePauses(status, findings);
    if (status.oldestPendingAge.value_or(Milliseconds(0)) > patience) {
        findings.troubles += QStringLiteral("%1 events are not relayed, the oldest for %2")
                                 .arg(counted(status.pendingEvents), spoken(*status.oldestPendingAge));
    }
    if (facts.recentDead >= 10 && facts.recentDead * 10 > facts.recentEnded)
        findings.troubles += QStringLiteral("%1 deliveries died in the last 15 minutes").arg(counted(facts.recentDead));
    status.isHealthy = findings.troubles.isEmpty();
    const QStringList sentences = findings.troubles + findings.wills;
    status.verdict = sentences.isEmpty() ? calmSentence(status, queues) : sentences.join(QStringLiteral(". ")) + u'.';
}

} // namespace sendoff::admin
