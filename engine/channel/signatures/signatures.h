#pragma once
#include <QByteArray>
#include <QCryptographicHash>
#include <optional>

namespace sendoff::channel {

// The cryptography of callbacks: pure, any thread, no secrets in any text. All of them refuse by saying false or
// nothing; a key that can't be read verifies nothing.

// Compares without telling by its time where the first difference is. The length is no secret.
bool equalInConstantTime(const QByteArray &one, const QByteArray &other);

QByteArray hmac(QCryptographicHash::Algorithm algorithm, const QByteArray &key, const QByteArray &content);

// Standard base64, with or without its padding; nothing where a character does not belong there.
std::optional<QByteArray> strictBase64(const QByteArray &text);

// ECDSA on P-256 with SHA-256. The key is base64 of its DER (SPKI), with or without PEM lines; the signature is DER.
bool isSignedByP256(const QByteArray &publicKey, const QByteArray &content, const QByteArray &signature);
bool isP256Key(const QByteArray &publicKey);

// Ed25519 with the 32 bytes of the public key.
bool isSignedByEd25519(const QByteArray &publicKey, const QByteArray &content, const QByteArray &signature);

// RSA PKCS#1 v1.5 with the key of a PEM certificate; SHA-1 or SHA-256.
bool isSignedByCertificate(const QByteArray &certificatePem, QCryptographicHash::Algorithm algorithm,
                           const QByteArray &content, const QByteArray &signature);

// The value of an Authorization header. A password that can't stand in a header is left readable for the transport's
// own check, which refuses it: base64 would hide the line break that a file read whole brings along.
QByteArray basicAuthorization(const QByteArray &user, const QByteArray &password);
// "user:password" of such a value, nothing where it is another scheme or no base64.
std::optional<QByteArray> basicCredentials(const QByteArray &authorization);

} // namespace sendoff::channel
