#pragma once
#include "ui/connection.h"

#include <QObject>
#include <QPointer>
#include <atomic>
#include <functional>
#include <memory>

class QThread;

namespace sendoff::ui {

// Where one asker's answers arrive. Requests are numbered; only the newest one's answer is delivered, older ones are
// skipped before they run or dropped after. Destroying it drops everything. Thread: GUI.
class AnswerSlot
{
public:
    AnswerSlot()
        : m_newest(std::make_shared<std::atomic<quint64>>(0))
    {}
    AnswerSlot(const AnswerSlot &) = delete;
    AnswerSlot &operator=(const AnswerSlot &) = delete;
    ~AnswerSlot() { drop(); }

    // Whether the newest request has not been answered yet.
    bool isWaiting() const { return m_waiting; }
    // Forgets what was asked.
    void drop()
    {
        ++*m_newest;
        m_waiting = false;
    }

private:
    friend class ConsoleWorker;
    std::shared_ptr<std::atomic<quint64>> m_newest;
    bool m_waiting = false;
};

// One connection to a store on a thread of its own, so that no query ever blocks a window. Owns thread and console.
// Questions run one after the other; answers come back on the GUI thread. Destroying it never waits long: a thread
// that hangs in a query is left behind and ends by itself (see abandonedThreads()).
class ConsoleWorker : public QObject
{
    Q_OBJECT

public:
    explicit ConsoleWorker(ConsoleOpener opener, QObject *parent = nullptr);
    ~ConsoleWorker() override;

    // Answers with opened() or failed().
    void open(const Connection &connection);

    // `query(admin::Console &)` answers a Result<T> on the worker's thread; `done(Result<T>)` takes it on this thread.
    // Before the store is open every answer is Unavailable.
    template <typename Query, typename Done>
    void ask(AnswerSlot &slot, Query query, Done done)
    {
        using Answer = std::invoke_result_t<Query, admin::Console &>;
        const quint64 number = ++*slot.m_newest;
        slot.m_waiting = true;
        const auto newest = slot.m_newest;
        AnswerSlot *const place = &slot;
        post([newest, number, query = std::move(query), done = std::move(done), place](admin::Console *console) {
            if (*newest != number)
                return std::function<void()>();
            auto answer = std::make_shared<Answer>(console ? query(*console) : Answer(notOpen()));
            return std::function<void()>([newest, number, answer, done, place] {
                // The slot moves its number when it goes, so an equal number proves that it is still there.
                if (*newest != number)
                    return;
                place->m_waiting = false;
                done(std::move(*answer));
            });
        });
    }

    // Threads that hung in a query when their worker went. A program that ends with some must not run static
    // destructors under them.
    static int abandonedThreads();

Q_SIGNALS:
    void opened();
    void failed(const sendoff::Error &error);

private:
    using Job = std::function<std::function<void()>(admin::Console *)>;
    class Core;
    void post(Job job);
    static Error notOpen();

    QThread *m_thread;
    Core *m_core;
};

} // namespace sendoff::ui
