#include "channel/signatures/signatures.h"

#include <QList>
#include <QMessageAuthenticationCode>
#include <algorithm>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace sendoff::channel {

namespace {

struct Freed
{
    void operator()(EVP_PKEY *key) const { EVP_PKEY_free(key); }
    void operator()(EVP_MD_CTX *context) const { EVP_MD_CTX_free(context); }
    void operator()(X509 *certificate) const { X509_free(certificate); }
    void operator()(BIO *bio) const { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Freed>;

const unsigned char *bytes(const QByteArray &text)
{
    return reinterpret_cast<const unsigned char *>(text.constData());
}

bool verifies(EVP_PKEY *key, const EVP_MD *digest, const QByteArray &content, const QByteArray &signature)
{
    const std::unique_ptr<EVP_MD_CTX, Freed> context(EVP_MD_CTX_new());
    return context && EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key) == 1 &&
           EVP_DigestVerify(context.get(), bytes(signature), size_t(signature.size()), bytes(content),
                            size_t(content.size())) == 1;
}

QByteArray withoutPemLines(const QByteArray &text)
{
    QByteArray bare;
    for (const QByteArray &line : text.split('\n')) {
        if (!line.startsWith("-----"))
            bare += line.trimmed();
    }
    return bare;
}

Key p256Key(const QByteArray &publicKey)
{
    const std::optional<QByteArray> der = strictBase64(withoutPemLines(publicKey));
    if (!der)
        return nullptr;
    const unsigned char *at = bytes(*der);
    Key key(d2i_PUBKEY(nullptr, &at, long(der->size())));
    char group[32] = {};
    const bool isP256 = key && at == bytes(*der) + der->size() && EVP_PKEY_is_a(key.get(), "EC") &&
                        EVP_PKEY_get_group_name(key.get(), group, sizeof group, nullptr) == 1 &&
                        QByteArrayView(group) == "prime256v1";
    return isP256 ? std::move(key) : nullptr;
}

} // namespace

bool equalInConstantTime(const QByteArray &one, const QByteArray &other)
{
    return one.size() == other.size() && CRYPTO_memcmp(one.constData(), other.constData(), size_t(one.size())) == 0;
}

QByteArray hmac(QCryptographicHash::Algorithm algorithm, const QByteArray &key, const QByteArray &content)
{
    return QMessageAuthenticationCode::hash(content, key, algorithm);
}

std::optional<QByteArray> strictBase64(const QByteArray &text)
{
    QByteArray bare = text;
    while (bare.endsWith('='))
        bare.chop(1);
    const qsizetype padding = text.size() - bare.size();
    const bool isPadded = padding > 0;
    if (bare.size() % 4 == 1 || padding > 2 || (isPadded && text.size() % 4 != 0))
        return std::nullopt;
    const auto decoded = QByteArray::fromBase64Encoding(bare, QByteArray::AbortOnBase64DecodingErrors);
    if (decoded.decodingStatus != QByteArray::Base64DecodingStatus::Ok)
        return std::nullopt;
    return decoded.decoded;
}

bool isSignedByP256(const QByteArray &publicKey, const QByteArray &content, const QByteArray &signature)
{
    const Key key = p256Key(publicKey);
    return key && verifies(key.get(), EVP_sha256(), content, signature);
}

bool isP256Key(const QByteArray &publicKey)
{
    return p256Key(publicKey) != nullptr;
}

bool isSignedByEd25519(const QByteArray &publicKey, const QByteArray &content, const QByteArray &signature)
{
    if (publicKey.size() != 32 || signature.size() != 64)
        return false;
    const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes(publicKey), size_t(publicKey.size())));
    return key && verifies(key.get(), nullptr, content, signature);
}

bool isSignedByCertificate(const QByteArray &certificatePem, QCryptographicHash::Algorithm algorithm,
                           const QByteArray &content, const QByteArray &signature)
{
    const std::unique_ptr<BIO, Freed> source(BIO_new_mem_buf(certificatePem.constData(), int(certificatePem.size())));
    const std::unique_ptr<X509, Freed> certificate(source ? PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr)
                                                          : nullptr);
    EVP_PKEY *key = certificate ? X509_get0_pubkey(certificate.get()) : nullptr;
    if (!key || !EVP_PKEY_is_a(key, "RSA"))
        return false;
    return verifies(key, algorithm == QCryptographicHash::Sha1 ? EVP_sha1() : EVP_sha256(), content, signature);
}

QByteArray basicAuthorization(const QByteArray &user, const QByteArray &password)
{
    const auto breaksLine = [](char each) { return static_cast<unsigned char>(each) < 0x20 || each == 0x7f; };
    const bool isUsable = std::none_of(user.begin(), user.end(), breaksLine) &&
                          std::none_of(password.begin(), password.end(), breaksLine);
    return isUsable ? "Basic " + (user + ':' + password).toBase64() : QByteArrayLiteral("Basic \n");
}

std::optional<QByteArray> basicCredentials(const QByteArray &authorization)
{
    const qsizetype space = authorization.indexOf(' ');
    if (space < 0 || authorization.left(space).compare("basic", Qt::CaseInsensitive) != 0)
        return std::nullopt;
    return strictBase64(authorization.mid(space + 1).trimmed());
}

} // namespace sendoff::channel
