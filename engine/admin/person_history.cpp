#include "admin/person_history.h"

#include "admin/delivery_verdict.h"
#include "domain/delivery.h"
#include "store/person_queries.h"

namespace sendoff::admin {

namespace {

constexpr int maxEvents = 1'000;
constexpr qsizetype minPhoneDigits = 5;

// A phone number in the spellings that may be stored: with "+" and without, however it was typed.
QStringList phoneSpellings(const QString &text)
{
    QString kept = text;
    kept.remove(QStringLiteral("(0)")); // "+49 (0)170": dialled inside the country only
    QString digits;
    for (const QChar each : kept) {
        if (each.isDigit())
            digits += QChar(u'0' + each.digitValue());
        else if (each == u'+' && digits.isEmpty())
            digits = QStringLiteral("+");
        else if (!each.isSpace() && !QStringLiteral("+-./()").contains(each))
            return {};
    }
    if (digits.startsWith(QLatin1String("00")))
        digits = u'+' + digits.mid(2);
    const QString bare = digits.startsWith(u'+') ? digits.mid(1) : digits;
    if (bare.size() < minPhoneDigits)
        return {};
    return {u'+' + bare, bare};
}

QStringList hashesOf(const QString &text, const QByteArray &key)
{
    QStringList hashes;
    if (text.contains(u'@'))
        hashes += addressHash(Channel::Email, text, key);
    for (const QString &phone : phoneSpellings(text))
        hashes += addressHash(Channel::Sms, phone, key);
    if (text.contains(u'['))
        hashes += addressHash(Channel::Push, text, key);
    if (text.contains(QLatin1String("://")))
        hashes += addressHash(Channel::Webhook, text, key);
    return hashes;
}

} // namespace

Result<PersonRecord> personHistory(store::Database &database, const QString &query, const QByteArray &hashKey,
                                   int limit)
{
    const QString text = query.trimmed();
    if (text.isEmpty() || text.size() > 2'000)
        return Error{ErrorCode::Invalid, QStringLiteral("the person to look for must have 1 to 2000 characters")};
    if (limit < 1 || limit > maxEvents)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to %1").arg(maxEvents)};
    auto person = store::readPerson(database, {text, hashesOf(text, hashKey)}, limit);
    if (!person)
        return person;
    for (PersonEvent &event : person->events) {
        for (PersonDelivery &each : event.deliveries)
            each.verdict = verdictOf(each.delivery);
    }
    return person;
}

} // namespace sendoff::admin
