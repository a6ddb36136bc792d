#pragma once
#include "app/cli/exit_code.h"
#include "app/cli/invocation.h"

namespace sendoff::app {

// Whether a configured provider can be used: its configuration and secrets are complete and its host answers over the
// configured way (proxy, certificates). Sends nothing to people and no credentials. Exit 2: the configuration is not
// complete; 1: the host does not answer; 4: no provider has this name. Blocking, at most ten seconds.
Result<ExitCode> testProvider(Invocation &invocation, const QString &name);

} // namespace sendoff::app
