#pragma once
#include "channel/callback.h"
#include "domain/clock.h"
#include <vector>

namespace sendoff::channel {

// Standard Webhooks, which Svix signs with as well: an id, a time and the raw body, joined by dots. Pure, any thread.

// How far a callback's time may lie from ours, in both directions; the boundary itself is inside.
constexpr Milliseconds webhookTolerance{300'000};

// The bytes of a secret "whsec_…" (the prefix may be missing). Invalid: it is empty or no standard base64.
Result<QByteArray> webhookKey(const QByteArray &secret);

// The entry "v1,…" for one attempt of a message. The id holds no dot. Invalid: as webhookKey.
Result<QByteArray> webhookSignature(const QByteArray &secret, const QByteArray &id, Timestamp at,
                                    const QByteArray &body);

// Whether a callback with headers PREFIX-id, PREFIX-timestamp, PREFIX-signature ("svix", "webhook") is genuine: any of
// the secrets matching any of its entries is enough, so that both sides can change secrets without a gap. A secret
// "whpk_…" is an Ed25519 public key and matches entries "v1a,…".
CallbackCheck checkStandardWebhook(const QByteArray &prefix, const std::vector<QByteArray> &secrets,
                                   const CallbackRequest &request, Timestamp now,
                                   Milliseconds tolerance = webhookTolerance);

} // namespace sendoff::channel
