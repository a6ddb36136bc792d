#include "sandbox/callback_signatures.h"

#include <QList>
#include <QMessageAuthenticationCode>
#include <map>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

namespace sendoff::sandbox {

namespace {

const unsigned char *bytes(const QByteArray &text)
{
    return reinterpret_cast<const unsigned char *>(text.constData());
}

QByteArray decoded(QByteArray text)
{
    return QByteArray::fromPercentEncoding(text.replace('+', ' '));
}

} // namespace

QByteArray svixSignature(const QByteArray &secret, const QByteArray &id, const QByteArray &timestamp,
                         const QByteArray &body)
{
    const QByteArray key = QByteArray::fromBase64(secret.startsWith("whsec_") ? secret.mid(6) : secret);
    const QByteArray content = id + '.' + timestamp + '.' + body;
    return "v1," + QMessageAuthenticationCode::hash(content, key, QCryptographicHash::Sha256).toBase64();
}

QByteArray twilioSignature(const QByteArray &token, const QByteArray &url, const QByteArray &form)
{
    std::map<QByteArray, QByteArray> sorted;
    for (const QByteArray &pair : form.split('&')) {
        const qsizetype equals = pair.indexOf('=');
        sorted[decoded(pair.left(equals))] = decoded(pair.mid(equals + 1));
    }
    QByteArray content = url;
    for (const auto &[name, value] : sorted)
        content += name + value;
    return QMessageAuthenticationCode::hash(content, token, QCryptographicHash::Sha1).toBase64();
}

void EventKey::Freed::operator()(evp_pkey_st *key) const
{
    EVP_PKEY_free(key);
}

EventKey::EventKey()
    : m_key(EVP_EC_gen("P-256"))
{}

QByteArray EventKey::publicKey() const
{
    unsigned char *der = nullptr;
    const int size = m_key ? i2d_PUBKEY(m_key.get(), &der) : 0;
    const QByteArray key = size > 0 ? QByteArray(reinterpret_cast<const char *>(der), size) : QByteArray();
    OPENSSL_free(der);
    return key.toBase64();
}

QByteArray EventKey::signature(const QByteArray &content) const
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    size_t size = 0;
    if (!m_key || !context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, m_key.get()) != 1 ||
        EVP_DigestSign(context.get(), nullptr, &size, bytes(content), size_t(content.size())) != 1)
        return {};
    QByteArray der(qsizetype(size), '\0');
    if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char *>(der.data()), &size, bytes(content),
                       size_t(content.size())) != 1)
        return {};
    return der.left(qsizetype(size)).toBase64();
}

} // namespace sendoff::sandbox
