#include "dispatch/test_hook.h"

#include <QByteArray>
#include <csignal>

namespace sendoff::dispatch {

namespace {

struct KillAt
{
    QByteArray name;
    int remaining = 0;
};

KillAt &killAt()
{
    static KillAt point = [] {
        const QList<QByteArray> parts = qgetenv("SENDOFF_TEST_KILL_AT").split(':');
        return KillAt{parts.value(0), parts.size() > 1 ? parts.value(1).toInt() : 1};
    }();
    return point;
}

} // namespace

bool isTestPointSet(const char *name)
{
    return killAt().name == name;
}

void reachTestPoint(const char *name)
{
    if (killAt().name.isEmpty() || killAt().name != name)
        return;
    if (--killAt().remaining <= 0)
        ::raise(SIGKILL);
}

} // namespace sendoff::dispatch
