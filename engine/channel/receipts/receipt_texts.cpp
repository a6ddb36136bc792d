#include "channel/receipts/receipt_texts.h"

#include "domain/attempt.h"
#include "domain/json_document.h"
#include <QRegularExpression>

namespace sendoff::channel {

void readReplyCodes(ProviderReceipt &receipt, const QString &text)
{
    static const QRegularExpression reply(QStringLiteral("(?:^|[\\s;])([245]\\d\\d)(?=[\\s-]|$)"));
    static const QRegularExpression enhanced(
        QStringLiteral("(?:^|[\\s;-])([245]\\.\\d{1,3}\\.\\d{1,3})(?=[\\s:;,]|$)"));
    if (const auto found = reply.match(text); receipt.smtpCode == 0 && found.hasMatch())
        receipt.smtpCode = found.captured(1).toInt();
    if (const auto found = enhanced.match(text); receipt.enhancedCode.isEmpty() && found.hasMatch())
        receipt.enhancedCode = found.captured(1);
}

QString receiptDetail(const QString &text, const QString &address)
{
    static const QRegularExpression email(
        QStringLiteral("[^\\s<>\"'(),;:@]+@[^\\s<>\"'(),;:@]+\\.[^\\s<>\"'(),;:@.]+"));
    static const QRegularExpression phone(QStringLiteral("\\+\\d[\\d ().-]{6,}\\d"));
    const QString mark = QStringLiteral("[address]");
    QString clean = text.left(16'000); // far more than is kept: no half of an address remains in it
    if (address.size() >= 4)
        clean.replace(address, mark, Qt::CaseInsensitive);
    clean.replace(email, mark);
    clean.replace(phone, mark);
    return storableText(clean, maxProviderText);
}

std::optional<Timestamp> receiptTime(const QJsonValue &text)
{
    static const QRegularExpression form(QStringLiteral(
        "^(\\d{4}-\\d\\d-\\d\\d)[T ](\\d\\d:\\d\\d:\\d\\d)(?:\\.(\\d+))?(Z|[+-]\\d\\d)(?::?(\\d\\d))?$"));
    const auto found = form.match(text.toString());
    if (!found.hasMatch())
        return std::nullopt;
    const QString zone =
        found.captured(4) == QLatin1String("Z")
            ? QStringLiteral("Z")
            : found.captured(4) + u':' + (found.captured(5).isEmpty() ? QStringLiteral("00") : found.captured(5));
    const QString fraction = found.captured(3).leftJustified(3, u'0', true);
    return fromRfc3339(found.captured(1) + u'T' + found.captured(2) + u'.' + fraction + zone);
}

void suppress(ProviderReceipt &receipt, QLatin1String reason)
{
    receipt.suppresses = true;
    receipt.suppressReason = reason;
}

} // namespace sendoff::channel
