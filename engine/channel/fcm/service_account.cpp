#include "channel/fcm/service_account.h"

#include "domain/json_document.h"
#include <QHostAddress>
#include <QJsonDocument>
#include <QJsonObject>
#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

namespace sendoff::channel {

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

// Nothing is asked for a password: a key that has one is not usable here.
int noPassword(char *, int, int, void *)
{
    return 0;
}

Key privateKey(const QByteArray &pem)
{
    const std::unique_ptr<BIO, decltype(&BIO_free)> source(BIO_new_mem_buf(pem.constData(), int(pem.size())),
                                                           &BIO_free);
    Key key(source ? PEM_read_bio_PrivateKey(source.get(), nullptr, noPassword, nullptr) : nullptr, &EVP_PKEY_free);
    if (key && EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA)
        key.reset();
    return key;
}

QByteArray signature(EVP_PKEY *key, const QByteArray &text)
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    const auto *bytes = reinterpret_cast<const unsigned char *>(text.constData());
    size_t size = 0;
    if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
        EVP_DigestSign(context.get(), nullptr, &size, bytes, size_t(text.size())) != 1)
        return {};
    QByteArray made(qsizetype(size), '\0');
    if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char *>(made.data()), &size, bytes,
                       size_t(text.size())) != 1)
        return {};
    made.truncate(qsizetype(size));
    return made;
}

QByteArray base64Url(const QByteArray &bytes)
{
    return bytes.toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
}

Error invalid(const QString &text)
{
    return {ErrorCode::Invalid, text};
}

bool isLoopback(const QUrl &url)
{
    return url.host() == QLatin1String("localhost") || QHostAddress(url.host()).isLoopback();
}

} // namespace

Result<ServiceAccount> ServiceAccount::read(const QByteArray &json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    if (object.isEmpty())
        return invalid(QStringLiteral("api_key: it is not the JSON of a service account; give the whole content of the "
                                      "file that the Google console made"));
    const auto field = [&object](const char *name) { return object.value(QLatin1String(name)).toString().trimmed(); };
    for (const char *name : {"client_email", "private_key", "token_uri", "project_id"}) {
        if (field(name).isEmpty())
            return invalid(QStringLiteral("api_key: the service account has no %1; give the whole content of its file")
                               .arg(QLatin1String(name)));
    }
    ServiceAccount account;
    account.clientEmail = field("client_email");
    account.projectId = field("project_id");
    account.keyId = field("private_key_id");
    account.privateKey = object.value(QLatin1String("private_key")).toString().toUtf8();
    account.tokenUri = QUrl(field("token_uri"), QUrl::StrictMode);
    const bool isSafe = account.tokenUri.scheme() == QLatin1String("https") || isLoopback(account.tokenUri);
    if (!account.tokenUri.isValid() || account.tokenUri.host().isEmpty() || !isSafe)
        return invalid(QStringLiteral("api_key: token_uri of the service account is not an https address"));
    if (account.projectId.contains(u'/'))
        return invalid(QStringLiteral("api_key: project_id of the service account is not an id"));
    return account;
}

Result<void> checkKey(const ServiceAccount &account)
{
    if (!privateKey(account.privateKey))
        return invalid(QStringLiteral("api_key: private_key of the service account is not an RSA key without password; "
                                      "give the whole content of its file"));
    return {};
}

QByteArray signedAssertion(const ServiceAccount &account, const QString &scope, Timestamp now)
{
    const Key key = privateKey(account.privateKey);
    if (!key)
        return {};
    const qint64 issued = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    constexpr qint64 hour = 3'600; // the longest that is taken
    std::vector<JsonValue::Member> header{{QStringLiteral("alg"), JsonValue::string(QStringLiteral("RS256"))},
                                          {QStringLiteral("typ"), JsonValue::string(QStringLiteral("JWT"))}};
    if (!account.keyId.isEmpty())
        header.emplace_back(QStringLiteral("kid"), JsonValue::string(account.keyId));
    const JsonValue claims =
        JsonValue::object({{QStringLiteral("iss"), JsonValue::string(account.clientEmail)},
                           {QStringLiteral("scope"), JsonValue::string(scope)},
                           {QStringLiteral("aud"), JsonValue::string(account.tokenUri.toString(QUrl::FullyEncoded))},
                           {QStringLiteral("iat"), JsonValue::number(QString::number(issued))},
                           {QStringLiteral("exp"), JsonValue::number(QString::number(issued + hour))}});
    const QByteArray text = base64Url(JsonValue::object(std::move(header)).toJson()) + '.' + base64Url(claims.toJson());
    const QByteArray made = signature(key.get(), text);
    return made.isEmpty() ? QByteArray() : text + '.' + base64Url(made);
}

} // namespace sendoff::channel
