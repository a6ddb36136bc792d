#pragma once
#include "domain/clock.h"

namespace sendoff::test {

// One time for a whole simulation: the program's clock and, through a layer under SQLite, the database's. Nothing moves
// it but advance(). One at a time in a process; make it before the first store is opened.
class SimulatedTime final : public Clock
{
public:
    explicit SimulatedTime(Timestamp start);
    ~SimulatedTime() override;

    Timestamp now() const override;
    std::chrono::steady_clock::duration ticks() const override;
    void advance(Milliseconds by);

private:
    Timestamp m_start;
};

} // namespace sendoff::test
