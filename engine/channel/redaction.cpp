#include "channel/redaction.h"

#include "domain/json_document.h"
#include <QRegularExpression>

namespace sendoff::channel {

namespace {

// Far more than is kept, so that cutting here leaves no half of a secret within what is kept.
constexpr qsizetype mostToRead = 16'000;
constexpr qsizetype shortestSecret = 4; // removing "a" would leave no text

void replace(QString &text, const QString &secret, const QString &by)
{
    if (secret.size() < shortestSecret)
        return;
    text.replace(secret, by, Qt::CaseInsensitive);
    const QString encoded = QString::fromLatin1(QUrl::toPercentEncoding(secret));
    if (encoded != secret)
        text.replace(encoded, by, Qt::CaseInsensitive);
}

// A phone number also in the ways in which providers write it back.
void replaceAddress(QString &text, const QString &address, const QString &by)
{
    replace(text, address, by);
    if (!address.startsWith(u'+'))
        return;
    static const QRegularExpression other(QStringLiteral("\\D"));
    const QString digits = QString(address).remove(other);
    constexpr qsizetype fewest = 7; // fewer are in too many other numbers
    if (digits.size() < fewest)
        return;
    replace(text, u'+' + digits, by);
    replace(text, QStringLiteral("00") + digits, by);
    replace(text, digits, by);
}

} // namespace

QString redacted(const QString &text, const ProviderSettings &provider, const std::vector<OutgoingItem> &items,
                 qsizetype limit)
{
    if (text.isEmpty())
        return text;
    static const QRegularExpression bearer(QStringLiteral("\\b(Bearer|Basic)\\s+[A-Za-z0-9._~+/=-]{6,}"),
                                           QRegularExpression::CaseInsensitiveOption);
    // A provider may write an address in its own way: what looks like one goes too.
    static const QRegularExpression email(
        QStringLiteral("[^\\s<>\"'(),;:@]+(@|%40)[^\\s<>\"'(),;:@]+\\.[^\\s<>\"'(),;:@.]+"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression pushToken(QStringLiteral("Expo(nent)?PushToken\\[[^\\]]*\\]?"));
    static const QRegularExpression phone(QStringLiteral("\\+\\d[\\d ().-]{6,}\\d"));

    const QString secretMark = QStringLiteral("[secret]");
    const QString addressMark = QStringLiteral("[address]");
    QString clean = text.left(mostToRead);
    replace(clean, QString::fromUtf8(provider.apiKey), secretMark);
    for (const OutgoingItem &item : items)
        replaceAddress(clean, item.address.trimmed(), addressMark);
    clean.replace(bearer, secretMark);
    clean.replace(email, addressMark);
    clean.replace(pushToken, addressMark);
    clean.replace(phone, addressMark);
    return storableText(clean, limit);
}

} // namespace sendoff::channel
