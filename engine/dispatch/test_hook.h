#pragma once

namespace sendoff::dispatch {

// Named points at which a test may end the process without warning, to prove that nothing is lost or sent twice:
// SENDOFF_TEST_KILL_AT=NAME[:N] kills this process with SIGKILL when it reaches NAME for the Nth time (default 1).
// Names: before_claim after_claim after_hand_over after_answer before_settle after_settle, and render_abort, which ends
// the process with abort() while it renders a payload that holds "sendoff_test_abort": true. Without the variable
// they cost one comparison.
void reachTestPoint(const char *name);
bool isTestPointSet(const char *name);

} // namespace sendoff::dispatch
