#pragma once
#include "app/configuration.h"
#include "channel/http_sender.h"
#include "dispatch/engine.h"
#include "domain/catalogue.h"
#include "domain/clock.h"
#include "store/database.h"
#include <memory>

namespace sendoff::admin {
class OperationExecutor;
}

namespace sendoff::app {

// The configuration as the settings of the parts below. Pure.
channel::TransportSettings transportSettings(const ResolvedSecrets &secrets);
dispatch::EngineSettings engineSettings(const ResolvedSecrets &secrets, bool untilIdle);

// What only shows when configuration and catalogue are seen together: a channel that nothing carries (a warning),
// a transport that can't be made.
std::vector<ConfigurationProblem> problemsTogether(const ResolvedSecrets &secrets, const Catalogue &catalogue);

// The engine with everything it needs, in one thread: sender, clock, operations. Thread: the one that makes it, with an
// event loop. Give it secrets that checkTransport() has accepted.
class EngineComposition
{
public:
    EngineComposition(const ResolvedSecrets &secrets, bool untilIdle);
    ~EngineComposition();
    EngineComposition(const EngineComposition &) = delete;
    EngineComposition &operator=(const EngineComposition &) = delete;

    dispatch::Engine &engine() { return *m_engine; }

private:
    SystemClock m_clock;
    std::unique_ptr<channel::Sender> m_sender;
    std::unique_ptr<admin::OperationExecutor> m_executor;
    std::unique_ptr<dispatch::Engine> m_engine; // last: it uses the others
};

} // namespace sendoff::app
