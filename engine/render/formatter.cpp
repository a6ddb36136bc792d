#include "render/formatter.h"

#include "domain/clock.h"
#include <QRegularExpression>

namespace sendoff::render {

namespace {

constexpr QChar noBreakSpace(0x00A0);

int minorDigits(const QString &currency)
{
    static const QStringList none{QStringLiteral("JPY"), QStringLiteral("KRW"), QStringLiteral("VND"),
                                  QStringLiteral("CLP"), QStringLiteral("ISK"), QStringLiteral("XAF"),
                                  QStringLiteral("XOF"), QStringLiteral("XPF"), QStringLiteral("PYG"),
                                  QStringLiteral("UGX"), QStringLiteral("RWF")};
    static const QStringList three{QStringLiteral("BHD"), QStringLiteral("KWD"), QStringLiteral("OMR"),
                                   QStringLiteral("JOD"), QStringLiteral("TND"), QStringLiteral("IQD"),
                                   QStringLiteral("LYD")};
    return none.contains(currency) ? 0 : three.contains(currency) ? 3 : 2;
}

QString currencySign(const QString &currency)
{
    if (currency == QLatin1String("EUR"))
        return QStringLiteral("€");
    if (currency == QLatin1String("USD"))
        return QStringLiteral("$");
    if (currency == QLatin1String("GBP"))
        return QStringLiteral("£");
    return currency;
}

struct Amount
{
    bool isNegative = false;
    QString whole; // digits
    QString fraction;
};

// Digits only: a double would round amounts beyond 2^53 and show 12.5 for 12.50.
std::optional<Amount> amountOf(const JsonValue &value, int digits)
{
    static const QRegularExpression minorUnits(QStringLiteral("^-?[0-9]{1,18}$"));
    static const QRegularExpression majorUnits(QStringLiteral("^-?[0-9]{1,18}(\\.[0-9]{1,6})?$"));
    QString written = value.text();
    Amount amount;
    if (value.kind() == JsonValue::Kind::Number && minorUnits.match(written).hasMatch()) {
        amount.isNegative = written.startsWith(u'-');
        written = written.mid(amount.isNegative ? 1 : 0).rightJustified(digits + 1, u'0');
        amount.whole = written.chopped(digits);
        amount.fraction = written.right(digits);
        return amount;
    }
    if (value.kind() == JsonValue::Kind::String && majorUnits.match(written).hasMatch()) {
        amount.isNegative = written.startsWith(u'-');
        written = written.mid(amount.isNegative ? 1 : 0);
        amount.whole = written.section(u'.', 0, 0);
        amount.fraction = written.section(u'.', 1).leftJustified(digits, u'0');
        return amount;
    }
    return std::nullopt;
}

} // namespace

Formatter::Formatter(const QString &locale, const QString &timeZone)
    : m_locale(locale)
    , m_zone(timeZone.isEmpty() ? QTimeZone() : QTimeZone(timeZone.toUtf8()))
    , m_zoneIsKnown(m_zone.isValid())
{
    if (!m_zoneIsKnown)
        m_zone = QTimeZone::utc();
}

std::optional<QString> Formatter::formatted(Format format, const JsonValue &value) const
{
    if (format == Format::None)
        return value.text();
    return format == Format::Money ? money(value) : moment(format, value.text());
}

std::optional<QString> Formatter::moment(Format format, const QString &text) const
{
    if (format == Format::Date && text.size() == 10) {
        const QDate date = QDate::fromString(text, Qt::ISODate);
        return date.isValid() ? std::optional(m_locale.toString(date, QLocale::LongFormat)) : std::nullopt;
    }
    const std::optional<Timestamp> time = text.size() > 10 ? fromRfc3339(text) : std::nullopt; // not a date alone
    if (!time)
        return std::nullopt;
    const QDateTime local = QDateTime::fromMSecsSinceEpoch(time->time_since_epoch().count(), m_zone);
    const QString date = m_locale.toString(local.date(), QLocale::LongFormat);
    if (format == Format::Date)
        return date;
    QString clock = m_locale.toString(local.time(), QLocale::ShortFormat);
    if (!m_zoneIsKnown)
        clock += QStringLiteral(" UTC");
    return format == Format::Time ? clock : date + QStringLiteral(", ") + clock;
}

std::optional<QString> Formatter::money(const JsonValue &value) const
{
    static const QRegularExpression code(QStringLiteral("^[A-Z]{3}$"));
    const JsonValue *amountMember = value.member(u"amount");
    const JsonValue *currencyMember = value.member(u"currency");
    if (!amountMember || !currencyMember || !code.match(currencyMember->text()).hasMatch())
        return std::nullopt;
    const QString currency = currencyMember->text();
    const std::optional<Amount> amount = amountOf(*amountMember, minorDigits(currency));
    if (!amount)
        return std::nullopt;
    QString number = m_locale.toString(amount->whole.toLongLong());
    if (!amount->fraction.isEmpty())
        number += m_locale.decimalPoint() + amount->fraction;
    const QString sign = currencySign(currency);
    const bool signIsFirst = m_locale.toCurrencyString(1, QStringLiteral("¤")).startsWith(u'¤');
    if (!signIsFirst)
        number += noBreakSpace + sign;
    else
        number = sign + (sign.size() > 1 ? QString(noBreakSpace) : QString()) + number;
    return amount->isNegative ? m_locale.negativeSign() + number : number;
}

bool fitsFormat(Format format, Encoding encoding, const JsonValue &value)
{
    switch (value.kind()) {
    case JsonValue::Kind::Null:
        return false;
    case JsonValue::Kind::Object:
        return format == Format::Money || encoding == Encoding::Json;
    case JsonValue::Kind::Array:
        return format == Format::None && encoding == Encoding::Json;
    default:
        return true;
    }
}

QString normalisedLocale(const QString &locale)
{
    QString plain = locale.trimmed();
    plain = plain.section(u'.', 0, 0).section(u'@', 0, 0).replace(u'_', u'-');
    QStringList parts = plain.split(u'-', Qt::SkipEmptyParts);
    for (qsizetype at = 0; at < parts.size(); ++at) {
        QString &part = parts[at];
        part = part.toLower();
        if (at > 0 && part.size() == 2)
            part = part.toUpper();
        else if (at > 0 && part.size() == 4)
            part[0] = part[0].toUpper();
    }
    return parts.join(u'-');
}

QStringList localeChain(const QString &locale, const QString &defaultLocale)
{
    QStringList chain;
    for (QString each = normalisedLocale(locale); !each.isEmpty();
         each = each.contains(u'-') ? each.left(each.lastIndexOf(u'-')) : QString())
        chain += each;
    if (!chain.contains(defaultLocale))
        chain += defaultLocale;
    return chain;
}

} // namespace sendoff::render
