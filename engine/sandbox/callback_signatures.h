#pragma once
#include "domain/clock.h"
#include <QByteArray>
#include <memory>

struct evp_pkey_st;

namespace sendoff::sandbox {

// How the providers sign what they post. Pure, any thread.

// Svix' entry "v1,…"; the secret is "whsec_" and base64.
QByteArray svixSignature(const QByteArray &secret, const QByteArray &id, const QByteArray &timestamp,
                         const QByteArray &body);
// X-Twilio-Signature over the address and a form.
QByteArray twilioSignature(const QByteArray &token, const QByteArray &url, const QByteArray &form);

// SendGrid's key pair, P-256, made anew with each object: its secret half never leaves it. Where OpenSSL can't make
// one, both answers are empty.
class EventKey
{
public:
    EventKey();
    QByteArray publicKey() const;                          // base64 of the DER
    QByteArray signature(const QByteArray &content) const; // base64 of the DER

private:
    struct Freed
    {
        void operator()(evp_pkey_st *key) const;
    };
    std::unique_ptr<evp_pkey_st, Freed> m_key;
};

} // namespace sendoff::sandbox
