#pragma once
#include "domain/clock.h"
#include "domain/json_document.h"
#include "domain/result.h"
#include "domain/words.h"
#include <QMap>
#include <QString>
#include <QStringList>
#include <vector>

namespace sendoff {

// Who hears of an event, on which channels, with which template.
struct NotifyRule
{
    QString role;
    QString each;     // pointer to an array of recipients; the pointers below are then relative to an item
    QString user;     // pointer to the user id, empty: addressed only
    QString locale;   // pointer, empty: from the contact
    QString timeZone; // pointer, empty: from the contact
    QMap<Channel, QString> addresses; // pointers; a channel that is absent takes the user's contacts
    std::vector<Channel> channels;
    QString templateName;
};

// What one event type means.
struct EventType
{
    QString type;
    QString category;
    Lane lane = Lane::Normal;
    std::optional<Milliseconds> expires; // nothing: the lane's default (24 h; bulk 72 h)
    QStringList secrets;                 // pointers into the payload
    std::vector<NotifyRule> notify;
};

// All event types. The category "security" can't be switched off by a person.
struct Catalogue
{
    QString defaultLocale = QStringLiteral("en");
    QMap<QString, EventType> types;

    // Canonical JSON: the stored form, equal catalogues give equal bytes. fromJson refuses what toJson can't have
    // written.
    QByteArray toJson() const;
    static Result<Catalogue> fromJson(const QByteArray &json);
};

// Catalogue and templates as they were checked and approved; engines use nothing else.
struct PublishedSet
{
    qint64 id = 0; // 0: not stored yet
    Catalogue catalogue;
    QMap<QString, QByteArray> templates; // "booking-confirmed-driver/email.en.mustache" -> content
    // Hex SHA-256 over catalogue and templates.
    QString hash() const;
};

Milliseconds defaultLifetime(Lane lane); // urgent and normal 24 h, bulk 72 h
constexpr Milliseconds maxSecretLifetime{3'600'000};
inline const QString securityCategory = QStringLiteral("security");

} // namespace sendoff
