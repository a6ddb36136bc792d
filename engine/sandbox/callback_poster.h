#pragma once
#include "sandbox/callback_messages.h"
#include "sandbox/callback_signatures.h"
#include <QNetworkReply>
#include <QObject>

class QNetworkAccessManager;

namespace sendoff::sandbox {

// Posts what the providers would post after they took a message: signed, in the order and at the times of its steps,
// again where it was refused. The events of one message go one after the other, retries aside of them.
// Thread: lives in its owner's thread and works on its event loop.
class CallbackPoster : public QObject
{
    Q_OBJECT

public:
    // The clock must outlive it.
    CallbackPoster(const Clock &clock, QObject *parent);
    ~CallbackPoster() override;

    // For messages from now on; what is planned already keeps its own.
    void setTargets(CallbackTargets targets) { m_targets = std::move(targets); }
    // A message was taken. Without steps those of its target; without a target nothing is posted.
    void plan(const AcceptedMessage &message, const std::optional<CallbackSteps> &steps);
    void forget(); // what is planned, and the counts
    CallbackCounts counts() const { return m_counts; }
    // SendGrid's verification key, the same as long as this object lives.
    QByteArray sendgridKey();

Q_SIGNALS:
    // An attempt ended; status 0: no answer came.
    void posted(const QString &provider, int status);

private:
    struct Run;
    struct Callback;

    void start(const AcceptedMessage &message, const CallbackTarget &target, const CallbackSteps &steps);
    void advance(const std::shared_ptr<Run> &run);
    void send(const std::shared_ptr<Run> &run);
    void post(const std::shared_ptr<Callback> &callback, const std::function<void()> &then);
    void finish(const std::shared_ptr<Callback> &callback, int status);
    QNetworkRequest requestOf(const Callback &callback);

    const Clock &m_clock;
    CallbackTargets m_targets;
    CallbackCounts m_counts;
    std::unique_ptr<QNetworkAccessManager> m_network; // made in the thread that posts
    std::unique_ptr<EventKey> m_key;
    qint64 m_numbers = 0;
    quint64 m_generation = 0; // what was planned before forget() ends where it is
};

} // namespace sendoff::sandbox
