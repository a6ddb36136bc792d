#pragma once
#include "app/configuration.h"
#include "domain/json_document.h"

namespace sendoff::app {

// The configuration as it is in effect, for --print-config: every default filled in, secrets only as where they are
// kept, proxies with their password masked.
JsonValue effectiveConfiguration(const ResolvedSecrets &secrets);

// A document as lines "engine.lease = 60s" for people.
QStringList flattened(const JsonValue &document);

} // namespace sendoff::app
