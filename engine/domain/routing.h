#pragma once
#include "domain/catalogue.h"
#include "domain/delivery.h"
#include "domain/event.h"
#include "domain/result.h"
#include <QByteArray>
#include <QMap>
#include <vector>

namespace sendoff {

// One way to reach a person, a row of sendoff_contact.
struct Contact
{
    QString id;
    UserId user;
    Channel channel = Channel::Email;
    QString address;
    QString locale;
    QString timeZone;
};

struct RoutingRules
{
    QMap<Channel, QString> providers; // the first choice of each channel
    QByteArray hashKey;
};

struct Routing
{
    std::vector<PlannedDelivery> deliveries;
    int folded = 0; // recipients listed again
};

// The users whose contacts the rules of this type need, each once.
std::vector<UserId> usersOf(const EventType &type, const JsonValue &payload);

// Turns an event into its deliveries. Pure. A rule that names nobody, a person without an address and an address
// that can't be written to leave a delivery in Suppressed that says so. Refuses (Invalid) an event whose rules all
// point nowhere, naming the pointers: then the catalogue or the payload is wrong.
Result<Routing> route(const Event &event, const EventType &type, const JsonValue &payload,
                      const std::vector<Contact> &contacts, const RoutingRules &rules, const QString &defaultLocale);

} // namespace sendoff
