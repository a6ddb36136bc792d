#include "channel/signatures/standard_webhooks.h"

#include "channel/signatures/signatures.h"
#include <algorithm>

namespace sendoff::channel {

namespace {

const QByteArray secretPrefix = QByteArrayLiteral("whsec_");
const QByteArray publicKeyPrefix = QByteArrayLiteral("whpk_");
constexpr qsizetype mostDigits = 15; // no time of ours has more, and nothing reckoned with it overflows

QByteArray signedContent(const QByteArray &id, const QByteArray &timestamp, const QByteArray &body)
{
    return id + '.' + timestamp + '.' + body;
}

QByteArray entryOf(const QByteArray &key, const QByteArray &content)
{
    return "v1," + hmac(QCryptographicHash::Sha256, key, content).toBase64();
}

bool isNumber(const QByteArray &text)
{
    return !text.isEmpty() && text.size() <= mostDigits &&
           std::all_of(text.begin(), text.end(), [](char each) { return each >= '0' && each <= '9'; });
}

bool matches(const QByteArray &secret, const QByteArray &content, const QByteArray &entry)
{
    if (secret.startsWith(publicKeyPrefix)) {
        const auto key = strictBase64(secret.mid(publicKeyPrefix.size()));
        const auto signature = entry.startsWith("v1a,") ? strictBase64(entry.mid(4)) : std::nullopt;
        return key && signature && isSignedByEd25519(*key, content, *signature);
    }
    const Result<QByteArray> key = webhookKey(secret);
    return key && equalInConstantTime(entryOf(*key, content), entry);
}

} // namespace

Result<QByteArray> webhookKey(const QByteArray &secret)
{
    const QByteArray encoded = secret.startsWith(secretPrefix) ? secret.mid(secretPrefix.size()) : secret;
    const std::optional<QByteArray> key = strictBase64(encoded);
    if (!key || key->isEmpty())
        return Error{ErrorCode::Invalid,
                     QStringLiteral("the webhook secret is not \"whsec_\" and base64; copy it again from where it was "
                                    "made")};
    return *key;
}

Result<QByteArray> webhookSignature(const QByteArray &secret, const QByteArray &id, Timestamp at,
                                    const QByteArray &body)
{
    const Result<QByteArray> key = webhookKey(secret);
    if (!key)
        return key.error();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch();
    return entryOf(*key, signedContent(id, QByteArray::number(qint64(seconds.count())), body));
}

CallbackCheck checkStandardWebhook(const QByteArray &prefix, const std::vector<QByteArray> &secrets,
                                   const CallbackRequest &request, Timestamp now, Milliseconds tolerance)
{
    using Verdict = CallbackCheck::Verdict;
    const QByteArray id = request.header(prefix + "-id");
    const QByteArray timestamp = request.header(prefix + "-timestamp");
    const QByteArray signature = request.header(prefix + "-signature");
    if (id.isEmpty() || timestamp.isEmpty() || signature.isEmpty())
        return {Verdict::Forged, QStringLiteral("a header of the signature is missing")};
    if (!isNumber(timestamp))
        return {Verdict::Malformed, QStringLiteral("the time of the signature is not a number of seconds")};
    if (id.contains('.')) // with it the same signature would fit another split of id, time and body
        return {Verdict::Malformed, QStringLiteral("the id of the message holds a dot")};

    const QByteArray content = signedContent(id, timestamp, request.body);
    bool isSigned = false;
    for (const QByteArray &entry : signature.split(' ')) {
        for (const QByteArray &secret : secrets)
            isSigned = matches(secret, content, entry) || isSigned;
    }
    if (!isSigned)
        return {Verdict::Forged, QStringLiteral("no signature fits any of the webhook secrets")};
    const auto age = std::chrono::floor<std::chrono::seconds>(now) -
                     std::chrono::sys_seconds(std::chrono::seconds(timestamp.toLongLong()));
    if (age > tolerance || age < -tolerance)
        return {Verdict::Stale, QStringLiteral("it was signed too long ago, or its sender's clock and ours differ")};
    return {Verdict::Genuine, {}};
}

} // namespace sendoff::channel
