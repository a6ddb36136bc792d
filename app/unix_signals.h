#pragma once
#include <QObject>
#include <QSocketNotifier>

namespace sendoff::app {

// SIGTERM and SIGINT as a Qt signal, in the thread that made the object. One object a process; the former handlers
// come back with its end.
class UnixSignals : public QObject
{
    Q_OBJECT

public:
    explicit UnixSignals(QObject *parent = nullptr);
    ~UnixSignals() override;

Q_SIGNALS:
    void stopAsked();

private:
    void takeSignals();

    int m_pipe[2] = {-1, -1};
    QSocketNotifier *m_notifier = nullptr;
};

} // namespace sendoff::app
