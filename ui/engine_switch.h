#pragma once
#include <QObject>
#include <QString>

namespace sendoff::ui {

// The engine inside this program, as the window sees it; the composition of the program implements it, since screens
// know no engine. Thread: GUI; nothing here blocks, every change is told by changed().
class EngineSwitch : public QObject
{
    Q_OBJECT

public:
    enum class State { Off, Starting, On, Stopping };

    using QObject::QObject;

    // Works on the store with this URL until stop().
    virtual void start(const QString &url) = 0;
    // Drains: takes no new work, ends what is in flight, then Off.
    virtual void stop() = 0;
    virtual State state() const = 0;
    // Why it is off although it was started; empty: no trouble. One sentence with the remedy.
    virtual QString problem() const = 0;

Q_SIGNALS:
    void changed();
};

} // namespace sendoff::ui
