#pragma once
#include "domain/clock.h"
#include <QString>
#include <termios.h>

namespace sendoff::app {

// What stands in front of the program: whether somebody looks at its output or types, and how much fits.
bool isTerminalOut();
bool isTerminalErr();
bool isTerminalIn();
// Whether the terminal shows block characters: its locale is UTF-8.
bool isUtf8Terminal();
// Columns of standard output, 80 where it is no terminal or does not say.
int terminalWidth();

// Ctrl+C, SIGTERM and, where asked for, the key q while a command waits for something: they end the waiting, not the
// program. Thread: one object a process, in the main thread; the former handlers come back with its end.
class Interruption
{
public:
    enum class Keys { Ignored, QEnds };
    explicit Interruption(Keys keys = Keys::Ignored);
    ~Interruption();
    Interruption(const Interruption &) = delete;
    Interruption &operator=(const Interruption &) = delete;

    // Waits that long at the most; true: somebody asked to end, now or earlier.
    bool waitFor(Milliseconds time);

private:
    bool takeInput(short pipeEvents, short inputEvents);

    bool m_readsKeys = false;
    bool m_isAsked = false;
    termios m_former{};
};

// One line that is written over again while something moves, on standard error of a terminal. Elsewhere lines of
// their own, at most one in five seconds.
class ProgressLine
{
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    void show(const QString &text);
    void clear(); // takes the line off a terminal

private:
    const bool m_isRedrawn;
    QString m_shown;
    Milliseconds m_shownAt{-1'000'000};
};

} // namespace sendoff::app
