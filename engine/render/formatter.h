#pragma once
#include "domain/json_document.h"
#include "render/expression.h"
#include <QDateTime>
#include <QLocale>
#include <QString>
#include <QTimeZone>
#include <optional>

namespace sendoff::render {

// Turns times and money into words of a locale and time zone. A plain value, any thread.
class Formatter
{
public:
    // timeZone: IANA name. Empty or unknown: UTC, and each time then says so.
    Formatter(const QString &locale, const QString &timeZone);

    // The value in that format; nothing where the value is not a time (RFC 3339; for Date also "2026-12-01") or not
    // money ({"amount": 1250, "currency": "EUR"}: a number is minor units, a text like "12.50" is major units).
    std::optional<QString> formatted(Format format, const JsonValue &value) const;

private:
    std::optional<QString> moment(Format format, const QString &text) const;
    std::optional<QString> money(const JsonValue &value) const;

    QLocale m_locale;
    QTimeZone m_zone;
    bool m_zoneIsKnown = false;
};

// What a value's absence means for a format: a scalar is needed, except for money.
bool fitsFormat(Format format, Encoding encoding, const JsonValue &value);

// "de_at.UTF-8" -> "de-AT"; empty stays empty.
QString normalisedLocale(const QString &locale);
// "de-AT" -> {"de-AT", "de", defaultLocale}, each once.
QStringList localeChain(const QString &locale, const QString &defaultLocale);

} // namespace sendoff::render
