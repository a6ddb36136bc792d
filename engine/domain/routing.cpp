#include "domain/routing.h"

#include "domain/address.h"
#include <QHash>
#include <algorithm>

namespace sendoff {

namespace {

using ContactsOfUser = QHash<UserId, std::vector<const Contact *>>;

// Ids and addresses are text or, for ids, numbers; other values name nobody.
QString scalarAt(const JsonValue &scope, const QString &pointer)
{
    const JsonValue *value = pointer.isEmpty() ? nullptr : scope.at(pointer);
    if (!value || (value->kind() != JsonValue::Kind::String && value->kind() != JsonValue::Kind::Number))
        return {};
    return value->text().trimmed().isEmpty() ? QString() : value->text();
}

// The form in which an address goes on the wire, or why it can't be written to.
Result<QString> writableAddress(Channel channel, const QString &address)
{
    switch (channel) {
    case Channel::Email: {
        const Result<EmailAddress> email = emailAddress(address);
        return email ? Result<QString>(email->wire()) : email.error();
    }
    case Channel::Sms:
        return phoneNumber(address);
    case Channel::Webhook:
        return webAddress(address);
    default:
        return pushToken(address);
    }
}

QString invalidAddressSentence(Channel channel, const QString &why)
{
    const auto sentence = [&why](QLatin1String what) {
        return QStringLiteral("the %1 can't be written to: %2").arg(what, why);
    };
    switch (channel) {
    case Channel::Email:
        return sentence(QLatin1String("email address"));
    case Channel::Sms:
        return sentence(QLatin1String("phone number"));
    case Channel::Webhook:
        return sentence(QLatin1String("webhook address"));
    default:
        return sentence(QLatin1String("push token"));
    }
}

QString shortWord(const QString &text, qsizetype limit)
{
    const auto isWord = [](QChar each) {
        return each.unicode() < 0x80 && (each.isLetterOrNumber() || QStringLiteral("-_/+").contains(each));
    };
    const bool fits = text.size() <= limit && std::all_of(text.cbegin(), text.cend(), isWord);
    return fits ? text : QString();
}

// Somebody a rule names: the whole payload's one recipient or an item of `each`.
struct Recipient
{
    UserId user;
    QString element;
    const JsonValue *scope = nullptr; // nullptr: the rule names nobody at all
};

// Turns the rules of one event into deliveries, folding repeated recipients.
class Router
{
public:
    Router(const Event &event, const EventType &type, const ContactsOfUser &contacts, const RoutingRules &rules,
           const QString &defaultLocale)
        : m_event(event)
        , m_type(type)
        , m_contacts(contacts)
        , m_rules(rules)
        , m_defaultLocale(defaultLocale)
    {}

    void add(const NotifyRule &rule, const Recipient &recipient)
    {
        bool namesSomebody = !recipient.user.isEmpty();
        for (const QString &pointer : rule.addresses)
            namesSomebody = namesSomebody || (recipient.scope && !scalarAt(*recipient.scope, pointer).isEmpty());
        for (const Channel channel : rule.channels)
            addChannel(rule, recipient, channel, namesSomebody);
    }

    Routing take() { return std::move(m_routing); }

private:
    void addChannel(const NotifyRule &rule, const Recipient &recipient, Channel channel, bool namesSomebody)
    {
        PlannedDelivery delivery = blank(rule, recipient, channel);
        if (!namesSomebody) {
            suppress(delivery, Reason::NoRecipient,
                     QStringLiteral("the payload names nobody for the role %1").arg(rule.role));
            return place(std::move(delivery));
        }
        if (channel == Channel::Inbox) {
            if (recipient.user.isEmpty())
                suppress(delivery, Reason::NoAddress,
                         QStringLiteral("the inbox needs a user id and the payload has none"));
            return place(std::move(delivery));
        }
        const QString pointer = rule.addresses.value(channel);
        const QString given = recipient.scope ? scalarAt(*recipient.scope, pointer) : QString();
        if (!given.isEmpty()) {
            address(delivery, given);
            return place(std::move(delivery));
        }
        const auto contacts = contactsOf(recipient.user, channel);
        if (contacts.empty()) {
            suppress(
                delivery, Reason::NoAddress,
                QStringLiteral("neither the payload nor the contacts hold an address for %1").arg(toText(channel)));
            return place(std::move(delivery));
        }
        for (const Contact *contact : contacts) {
            PlannedDelivery own = delivery;
            if (channel == Channel::Push)
                own.key.destination = contact->id;
            locate(own, rule, recipient, contact);
            address(own, contact->address);
            place(std::move(own));
            if (channel != Channel::Push)
                break;
        }
    }

    PlannedDelivery blank(const NotifyRule &rule, const Recipient &recipient, Channel channel) const
    {
        PlannedDelivery delivery;
        delivery.key = {m_event.id, channel, recipient.user.value, {}, 0};
        // Nobody to tell apart by: the place in the payload does, so that two such gaps are two rows.
        if (recipient.user.isEmpty())
            delivery.key.destination = rule.role + recipient.element;
        delivery.user = recipient.user;
        delivery.role = rule.role;
        delivery.element = recipient.element;
        delivery.templateName = rule.templateName;
        delivery.lane = m_event.lane.value_or(m_type.lane);
        delivery.category = m_type.category;
        delivery.dueAt = m_event.availableAt;
        delivery.lifetime = m_type.expires.value_or(defaultLifetime(delivery.lane));
        delivery.expiresAt = m_event.expiresAt;
        delivery.hasSecret = !m_type.secrets.isEmpty();
        const auto contacts = m_contacts.value(recipient.user);
        locate(delivery, rule, recipient, contacts.empty() ? nullptr : contacts.front());
        return delivery;
    }

    void locate(PlannedDelivery &delivery, const NotifyRule &rule, const Recipient &recipient,
                const Contact *contact) const
    {
        constexpr qsizetype maxLocale = 35; // RFC 5646 §4.4.1
        constexpr qsizetype maxTimeZone = 64;
        const auto first = [](std::initializer_list<QString> candidates, qsizetype limit) {
            for (const QString &candidate : candidates) {
                if (const QString word = shortWord(candidate.trimmed(), limit); !word.isEmpty())
                    return word;
            }
            return QString();
        };
        const auto inPayload = [&](const QString &pointer) {
            return recipient.scope ? scalarAt(*recipient.scope, pointer) : QString();
        };
        delivery.locale =
            first({inPayload(rule.locale), contact ? contact->locale : QString(), m_defaultLocale}, maxLocale);
        delivery.timeZone = first({inPayload(rule.timeZone), contact ? contact->timeZone : QString()}, maxTimeZone);
    }

    void address(PlannedDelivery &delivery, const QString &given) const
    {
        const Channel channel = delivery.key.channel;
        const QString trimmed = withoutOuterBlanks(given);
        const Result<QString> judged = writableAddress(channel, trimmed);
        const QString writable = judged ? *judged : QString();
        delivery.address = writable;
        // What can't be written to may be anything: it is told apart by its hash and neither kept nor shown.
        delivery.addressHash = addressHash(channel, writable.isEmpty() ? trimmed : writable, m_rules.hashKey);
        delivery.traces = addressTraces(channel, writable);
        if (delivery.user.isEmpty()) {
            delivery.key.recipient = delivery.addressHash;
            delivery.key.destination.clear();
        }
        if (writable.isEmpty()) {
            suppress(delivery, Reason::InvalidAddress, invalidAddressSentence(channel, judged.error().message));
            return;
        }
        delivery.provider = m_rules.providers.value(channel);
        if (delivery.provider.isEmpty()) {
            delivery.state = DeliveryState::Held;
            delivery.reason = Reason::Configuration;
            delivery.detail = QStringLiteral("no provider carries %1").arg(toText(channel));
        }
    }

    static void suppress(PlannedDelivery &delivery, Reason reason, const QString &detail)
    {
        delivery.state = DeliveryState::Suppressed;
        delivery.reason = reason;
        delivery.detail = detail;
    }

    std::vector<const Contact *> contactsOf(const UserId &user, Channel channel) const
    {
        std::vector<const Contact *> found;
        if (user.isEmpty())
            return found;
        for (const Contact *contact : m_contacts.value(user)) {
            if (contact->channel == channel && !contact->address.trimmed().isEmpty())
                found.push_back(contact);
        }
        return found;
    }

    // One key is one delivery. The first stands, unless it could not be sent and a later one can.
    void place(PlannedDelivery delivery)
    {
        delivery.id = deliveryId(delivery.key);
        const auto known = m_places.constFind(delivery.id);
        if (known == m_places.cend()) {
            m_places.insert(delivery.id, m_routing.deliveries.size());
            m_routing.deliveries.push_back(std::move(delivery));
            return;
        }
        ++m_routing.folded;
        PlannedDelivery &standing = m_routing.deliveries[*known];
        if (standing.state == DeliveryState::Suppressed && delivery.state != DeliveryState::Suppressed)
            standing = std::move(delivery);
    }

    const Event &m_event;
    const EventType &m_type;
    const ContactsOfUser &m_contacts;
    const RoutingRules &m_rules;
    const QString &m_defaultLocale;
    Routing m_routing;
    QHash<DeliveryId, size_t> m_places;
};

std::vector<Recipient> recipientsOf(const NotifyRule &rule, const JsonValue &payload)
{
    if (rule.each.isEmpty())
        return {{UserId(scalarAt(payload, rule.user)), {}, &payload}};
    const JsonValue *items = payload.at(rule.each);
    if (!items || items->items().empty())
        return {{{}, rule.each, nullptr}};
    std::vector<Recipient> recipients;
    for (size_t index = 0; index < items->items().size(); ++index) {
        const JsonValue &item = items->items()[index];
        recipients.push_back({UserId(scalarAt(item, rule.user)), rule.each + u'/' + QString::number(index), &item});
    }
    return recipients;
}

QStringList recipientPointers(const NotifyRule &rule)
{
    QStringList pointers = rule.addresses.values();
    if (!rule.user.isEmpty())
        pointers.prepend(rule.user);
    return pointers;
}

// Whether any of the rule's pointers leads to something, be it null or empty.
bool leadsSomewhere(const NotifyRule &rule, const JsonValue &payload)
{
    const JsonValue *list = rule.each.isEmpty() ? nullptr : payload.at(rule.each);
    if (list && list->kind() == JsonValue::Kind::Array && list->items().empty())
        return true;
    for (const Recipient &recipient : recipientsOf(rule, payload)) {
        for (const QString &pointer : recipientPointers(rule)) {
            if (recipient.scope && recipient.scope->at(pointer))
                return true;
        }
    }
    return false;
}

} // namespace

std::vector<UserId> usersOf(const EventType &type, const JsonValue &payload)
{
    std::vector<UserId> users;
    QHash<UserId, bool> seen;
    for (const NotifyRule &rule : type.notify) {
        for (const Recipient &recipient : recipientsOf(rule, payload)) {
            if (recipient.user.isEmpty() || seen.contains(recipient.user))
                continue;
            seen.insert(recipient.user, true);
            users.push_back(recipient.user);
        }
    }
    return users;
}

Result<Routing> route(const Event &event, const EventType &type, const JsonValue &payload,
                      const std::vector<Contact> &contacts, const RoutingRules &rules, const QString &defaultLocale)
{
    QStringList lost;
    bool anyLeads = false;
    for (const NotifyRule &rule : type.notify) {
        anyLeads = anyLeads || leadsSomewhere(rule, payload);
        for (const QString &pointer : recipientPointers(rule))
            lost += rule.each + pointer;
    }
    if (!anyLeads) {
        lost.removeDuplicates();
        return Error{
            ErrorCode::Invalid,
            QStringLiteral("the payload has nothing at %1, so nobody can be told; correct the payload or the "
                           "catalogue's entry of %2")
                .arg(lost.isEmpty() ? QStringLiteral("any notify rule") : lost.join(QLatin1String(", ")), type.type)};
    }
    ContactsOfUser contactsOfUser;
    for (const Contact &contact : contacts)
        contactsOfUser[contact.user].push_back(&contact);
    Router router(event, type, contactsOfUser, rules, defaultLocale);
    for (const NotifyRule &rule : type.notify) {
        for (const Recipient &recipient : recipientsOf(rule, payload))
            router.add(rule, recipient);
    }
    return router.take();
}

} // namespace sendoff
