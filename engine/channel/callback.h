#pragma once
#include "channel/http_transport.h"
#include "domain/receipt.h"
#include "domain/result.h"

namespace sendoff::channel {

// One HTTP request that claims to come from a provider, its bytes as they arrived: a signature covers them, not what
// somebody made of them.
struct CallbackRequest
{
    QByteArray method = "POST";
    QByteArray url; // the public one, exactly as requested, with its query
    HttpHeaders headers;
    QByteArray body;

    QByteArray header(const QByteArray &name) const; // names compared without case; empty where there is none
};

// Whether it is genuine. Pure; compares in constant time.
struct CallbackCheck
{
    enum class Verdict {
        Genuine,
        Forged,   // signature or credentials are missing or wrong
        Stale,    // genuine, but outside the tolerance of time
        Malformed // can't be what the provider sends
    };
    Verdict verdict = Verdict::Forged;
    QString why; // one sentence for people, without secrets
};

} // namespace sendoff::channel
