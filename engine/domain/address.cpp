#include "domain/address.h"

#include <QUrl>
#include <algorithm>
#include <idn2.h>
#include <memory>
#include <optional>
#include <phonenumbers/phonenumberutil.h>

namespace sendoff {

namespace {

constexpr qsizetype maxLocalBytes = 64;    // RFC 5321 §4.5.3.1.1
constexpr qsizetype maxAddressBytes = 254; // a path of 256 without its brackets
constexpr qsizetype maxLabelBytes = 63;

Error invalid(const QString &text)
{
    return {ErrorCode::Invalid, text};
}

bool isControl(QChar each)
{
    return each.category() == QChar::Other_Control || each == QChar::LineSeparator || each == QChar::ParagraphSeparator;
}

bool hasControl(const QString &text)
{
    return std::any_of(text.cbegin(), text.cend(), isControl);
}

bool hasBlank(const QString &text)
{
    return std::any_of(text.cbegin(), text.cend(), [](QChar each) { return each.isSpace(); });
}

bool isAscii(const QString &text)
{
    return std::all_of(text.cbegin(), text.cend(), [](QChar each) { return each.unicode() < 0x80; });
}

// Characters that show nothing or something else than they are: direction marks, private use, halves of a pair.
bool hasInvisible(const QString &text)
{
    const QList<uint> points = text.toUcs4();
    return std::any_of(points.cbegin(), points.cend(), [](uint point) {
        const QChar::Category category = QChar::category(point);
        return point == QChar::ReplacementCharacter || category == QChar::Other_Format ||
               category == QChar::Other_PrivateUse || category == QChar::Other_Surrogate ||
               category == QChar::Other_NotAssigned;
    });
}

struct FreeIdn
{
    void operator()(char *text) const { idn2_free(text); }
};
using IdnText = std::unique_ptr<char, FreeIdn>;

// The A-labels of a domain that has letters beyond ASCII or A-labels, lower case. UTS 46, non-transitional: "ß" and
// final sigma are letters of their own, as browsers and mail servers read them.
std::optional<QString> toALabels(const QString &domain)
{
    char *result = nullptr;
    const int flags = IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL | IDN2_USE_STD3_ASCII_RULES;
    if (idn2_to_ascii_8z(domain.toUtf8().constData(), &result, flags) != IDN2_OK)
        return std::nullopt;
    return QString::fromLatin1(IdnText(result).get());
}

std::optional<QString> toUnicode(const QString &domain)
{
    char *result = nullptr;
    if (idn2_to_unicode_8z8z(domain.toUtf8().constData(), &result, 0) != IDN2_OK)
        return std::nullopt;
    return QString::fromUtf8(IdnText(result).get());
}

bool isHostLabel(const QString &label)
{
    const auto isHostLetter = [](QChar each) { return each.isLetterOrNumber() || each == u'-'; };
    return !label.isEmpty() && label.size() <= maxLabelBytes && !label.startsWith(u'-') && !label.endsWith(u'-') &&
           std::all_of(label.cbegin(), label.cend(), isHostLetter);
}

// Fills in the three spellings of the domain.
Result<void> readDomain(const QString &given, EmailAddress &address)
{
    if (given.startsWith(u'['))
        return invalid(QStringLiteral("an address literal in brackets is not taken; use a domain name"));
    const bool hasALabel = given.contains(QLatin1String("xn--"), Qt::CaseInsensitive);
    QString lower = given.toLower();
    if (!isAscii(given) || hasALabel) {
        const auto labels = toALabels(given);
        const auto unicode = labels ? toUnicode(*labels) : std::nullopt;
        if (!unicode)
            return invalid(QStringLiteral("its domain is not a valid internationalised name"));
        lower = *labels;
        address.unicodeDomain = *unicode;
    } else {
        address.unicodeDomain = lower;
    }
    const QStringList labels = lower.split(u'.');
    if (!std::all_of(labels.cbegin(), labels.cend(), isHostLabel))
        return invalid(QStringLiteral("its domain has an empty label, one over 63 characters, or other characters than "
                                      "letters, digits and inner hyphens"));
    const QString &last = labels.back();
    if (std::all_of(last.cbegin(), last.cend(), [](QChar each) { return each.isDigit(); }))
        return invalid(QStringLiteral("its domain ends in a number; use a domain name"));
    address.domain = isAscii(given) ? given : lower;
    address.folded = lower;
    return {};
}

Result<void> checkLocal(const QString &local)
{
    if (local.isEmpty())
        return invalid(QStringLiteral("nothing stands before the @; it needs the form name@domain"));
    if (local.toUtf8().size() > maxLocalBytes)
        return invalid(QStringLiteral("more than 64 bytes stand before the @"));
    if (local.startsWith(u'.') || local.endsWith(u'.') || local.contains(QLatin1String("..")))
        return invalid(QStringLiteral("a dot stands first, last or twice before the @"));
    const auto isSeparator = [](QChar each) { return QStringLiteral(",;:<>()[]\\\"").contains(each); };
    if (std::any_of(local.cbegin(), local.cend(), isSeparator))
        return invalid(QStringLiteral("it holds a character that separates or quotes addresses; one address only"));
    if (hasInvisible(local))
        return invalid(QStringLiteral("it holds an invisible or unassigned character"));
    return {};
}

// International form, empty where it has none. "00" is how people in most countries dial "+".
QString internationalForm(const QString &text)
{
    if (text.startsWith(u'+') || text.startsWith(QChar(0xff0b)))
        return u'+' + text.mid(1);
    return text.startsWith(QLatin1String("00")) ? u'+' + text.mid(2) : QString();
}

bool isPartOfNumber(QChar each)
{
    const ushort code = each.unicode();
    const bool isDash = code >= 0x2010 && code <= 0x2015;
    return each.isDigit() || isDash || each.category() == QChar::Separator_Space ||
           QStringLiteral("+()-./\uff0b").contains(each);
}

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

QString lengthProblem(PhoneNumberUtil::ValidationResult result)
{
    switch (result) {
    case PhoneNumberUtil::INVALID_COUNTRY_CODE:
        return QStringLiteral("no country has its country code");
    case PhoneNumberUtil::TOO_SHORT:
    case PhoneNumberUtil::IS_POSSIBLE_LOCAL_ONLY:
        return QStringLiteral("it is too short for its country; write it with + and the country code");
    case PhoneNumberUtil::TOO_LONG:
        return QStringLiteral("it is too long for its country");
    default:
        return QStringLiteral("no number of its country has this length");
    }
}

} // namespace

bool EmailAddress::needsUtf8() const
{
    return !isAscii(local);
}

QString withoutOuterBlanks(QStringView text)
{
    const auto isOuter = [](QChar each) { return each == u'\t' || (each.isSpace() && !isControl(each)); };
    while (!text.isEmpty() && isOuter(text.front()))
        text = text.mid(1);
    while (!text.isEmpty() && isOuter(text.back()))
        text.chop(1);
    return text.toString();
}

Result<EmailAddress> emailAddress(const QString &text)
{
    const QString given = withoutOuterBlanks(text);
    if (given.isEmpty())
        return invalid(QStringLiteral("it is empty; it needs the form name@domain"));
    if (hasControl(given))
        return invalid(QStringLiteral("it holds a line break or another control character"));
    if (given.contains(u'"'))
        return invalid(QStringLiteral("a quoted name before the @ is not taken; hardly any provider delivers to it"));
    if (hasBlank(given))
        return invalid(QStringLiteral("it holds a blank"));
    const qsizetype at = given.indexOf(u'@');
    if (at < 0 || given.indexOf(u'@', at + 1) >= 0)
        return invalid(QStringLiteral("it needs the form name@domain, one address only"));
    EmailAddress address;
    address.local = given.left(at);
    if (const auto checked = checkLocal(address.local); !checked)
        return checked.error();
    if (at + 1 == given.size())
        return invalid(QStringLiteral("nothing stands after the @; it needs the form name@domain"));
    if (const auto read = readDomain(given.mid(at + 1), address); !read)
        return read.error();
    if (address.wire().toUtf8().size() > maxAddressBytes)
        return invalid(QStringLiteral("it is longer than 254 bytes"));
    address.folded = address.local.normalized(QString::NormalizationForm_C).toCaseFolded() + u'@' + address.folded;
    return address;
}

Result<QString> phoneNumber(const QString &text, const QString &region)
{
    constexpr qsizetype mostDigits = 15; // E.164
    const QString given = withoutOuterBlanks(text);
    if (given.isEmpty())
        return invalid(QStringLiteral("it is empty"));
    if (!std::all_of(given.cbegin(), given.cend(), isPartOfNumber))
        return invalid(QStringLiteral("it holds other characters than digits, +, blanks, brackets, dashes and dots"));
    const QString international = internationalForm(given);
    if (international.isEmpty() && region.isEmpty())
        return invalid(QStringLiteral("it is not international; write + and the country code before it"));
    const QString dialled = international.isEmpty() ? given : international;
    if (dialled.lastIndexOf(u'+') > 0)
        return invalid(QStringLiteral("it holds a + that is not its first character"));
    PhoneNumber number;
    const PhoneNumberUtil *numbers = PhoneNumberUtil::GetInstance();
    const auto parsed =
        numbers->Parse(dialled.toStdString(), region.isEmpty() ? "ZZ" : region.toUpper().toStdString(), &number);
    if (parsed == PhoneNumberUtil::INVALID_COUNTRY_CODE_ERROR)
        return invalid(lengthProblem(PhoneNumberUtil::INVALID_COUNTRY_CODE));
    if (parsed == PhoneNumberUtil::TOO_LONG_NSN)
        return invalid(lengthProblem(PhoneNumberUtil::TOO_LONG));
    if (parsed != PhoneNumberUtil::NO_PARSING_ERROR)
        return invalid(QStringLiteral("it is no phone number; write + and the country code, then the number"));
    if (const auto length = numbers->IsPossibleNumberWithReason(number); length != PhoneNumberUtil::IS_POSSIBLE)
        return invalid(lengthProblem(length));
    std::string formatted;
    numbers->Format(number, PhoneNumberUtil::E164, &formatted);
    const QString wire = QString::fromStdString(formatted);
    if (wire.size() > mostDigits + 1)
        return invalid(lengthProblem(PhoneNumberUtil::TOO_LONG));
    return wire;
}

Result<QString> webAddress(const QString &text)
{
    const QString given = withoutOuterBlanks(text);
    if (hasControl(given) || hasBlank(given))
        return invalid(QStringLiteral("it holds a blank or a control character"));
    const QUrl url(given, QUrl::StrictMode);
    const bool isHttp = url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http");
    if (!url.isValid() || !isHttp || url.host().isEmpty())
        return invalid(QStringLiteral("it is not an absolute http or https URL"));
    if (!url.userInfo().isEmpty())
        return invalid(QStringLiteral("it holds a user name or password; use a signing secret instead"));
    return given;
}

Result<QString> pushToken(const QString &text)
{
    const QString given = withoutOuterBlanks(text);
    if (given.isEmpty() || hasControl(given))
        return invalid(QStringLiteral("it is empty or holds a control character"));
    return given;
}

} // namespace sendoff
