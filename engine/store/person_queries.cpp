#include "store/person_queries.h"

#include "store/json_rows.h"
#include "store/record_rows.h"

#include <QHash>
#include <QSet>
#include <algorithm>

namespace sendoff::store {

namespace {

constexpr int maxDeliveries = 5'000;
constexpr int maxLive = 10'000; // live rows of one person that are looked at
constexpr int maxSuppressions = 200;

// Whose deliveries are listed: a user's, those to an address that no single user has, or those of one event.
struct Subject
{
    enum class Kind { User, Address, Event };
    Kind kind = Kind::User;
    QString foundBy;
    UserId user;
    QStringList hashes;
    EventId event;
};

QString textRows(const QStringList &texts)
{
    JsonRows rows;
    for (const QString &text : texts)
        rows.row().text("text", text);
    return rows.json();
}

bool isUser(Session &session, const QString &text)
{
    for (const char *sql : {"SELECT 1 FROM sendoff_v_contact WHERE user_id = ? LIMIT 1",
                            "SELECT 1 FROM sendoff_delivery_history WHERE user_id = ? LIMIT 1",
                            "SELECT 1 FROM sendoff_delivery_hot WHERE user_id = ? LIMIT 1",
                            "SELECT 1 FROM sendoff_preference WHERE user_id = ? LIMIT 1"}) {
        if (!text.isEmpty() && session.run(sql, {text}).next())
            return true;
    }
    return false;
}

// The people behind rows of one condition; two are as good as many.
struct Recipient
{
    QString user;
    QString hash;
};
std::vector<Recipient> recipients(Session &session, const QByteArray &condition, const QString &value)
{
    std::vector<Recipient> found;
    QSet<QString> seen;
    for (const char *table : {"sendoff_delivery_hot", "sendoff_delivery_history"}) {
        Cursor row = session.run(QByteArray("SELECT d.user_id, d.address_hash FROM ") + table + " d WHERE " +
                                     condition + " LIMIT 200",
                                 {value});
        while (row.next()) {
            const QString person = row.text(0).isEmpty() ? u'#' + row.text(1) : row.text(0);
            if (!seen.contains(person))
                found.push_back({row.text(0), row.text(1)});
            seen.insert(person);
        }
    }
    return found;
}

Subject subjectOf(const Recipient &recipient, const QString &foundBy)
{
    Subject subject;
    subject.foundBy = foundBy;
    subject.kind = recipient.user.isEmpty() ? Subject::Kind::Address : Subject::Kind::User;
    subject.user = UserId(recipient.user);
    if (!recipient.hash.isEmpty())
        subject.hashes += recipient.hash;
    return subject;
}

std::optional<Subject> byAddress(Session &session, const QStringList &hashes)
{
    if (hashes.isEmpty())
        return std::nullopt;
    Subject subject;
    subject.kind = Subject::Kind::Address;
    subject.foundBy = QStringLiteral("address");
    QSet<QString> users;
    bool isThere = false;
    for (const QString &hash : hashes) {
        const std::vector<Recipient> people = recipients(session, "d.address_hash = ?", hash);
        for (const Recipient &each : people)
            users.insert(each.user);
        const bool isSuppressed =
            session
                .run("SELECT 1 FROM sendoff_suppression WHERE channel IN ('email', 'sms', 'push', 'webhook') "
                     "AND address_hash = ? LIMIT 1",
                     {hash})
                .next();
        if (!people.empty() || isSuppressed)
            subject.hashes += hash;
        isThere = isThere || !people.empty() || isSuppressed;
    }
    if (!isThere)
        return std::nullopt;
    if (users.size() == 1 && !users.begin()->isEmpty()) {
        subject.kind = Subject::Kind::User;
        subject.user = UserId(*users.begin());
    }
    return subject;
}

std::optional<Subject> byEvent(Session &session, const QString &text)
{
    const std::vector<Recipient> people = recipients(session, "d.event_id = ?", text);
    if (people.size() == 1)
        return subjectOf(people.front(), QStringLiteral("event"));
    if (people.empty() && !session.run("SELECT 1 FROM sendoff_event WHERE id = ?", {text}).next())
        return std::nullopt;
    Subject subject;
    subject.kind = Subject::Kind::Event;
    subject.foundBy = QStringLiteral("event");
    subject.event = EventId(text);
    return subject;
}

std::optional<Subject> find(Session &session, const PersonQuery &query)
{
    if (isUser(session, query.text)) {
        Subject subject;
        subject.foundBy = QStringLiteral("user");
        subject.user = UserId(query.text);
        return subject;
    }
    if (const auto found = byAddress(session, query.addressHashes))
        return found;
    if (const auto people = recipients(session, "d.id = ?", query.text); !people.empty())
        return subjectOf(people.front(), QStringLiteral("delivery"));
    if (const auto found = byEvent(session, query.text))
        return found;
    if (const auto people = recipients(session, "d.provider_message_id = ?", query.text); !people.empty())
        return subjectOf(people.front(), QStringLiteral("message"));
    return std::nullopt;
}

struct FoundDelivery
{
    DeliveryRecord record;
    QString hash;
};

// Live rows are few, and bounded where they are not; what ended comes newest first from an index.
std::vector<FoundDelivery> deliveriesOf(Session &session, const Subject &subject, int limit)
{
    const QByteArray columns = QByteArray(deliveryRecordColumns) + ", d.address_hash";
    QByteArray condition = "d.user_id = ?";
    QVariant value = subject.user.value;
    if (subject.kind == Subject::Kind::Address) {
        condition = "d.address_hash $any(SELECT value->>'text' FROM $rows)";
        value = textRows(subject.hashes);
    } else if (subject.kind == Subject::Kind::Event) {
        condition = "d.event_id = ?";
        value = subject.event.value;
    }
    std::vector<FoundDelivery> found;
    Cursor row = session.run(QByteArray("SELECT ") + deliveryRecordValues +
                                 ", address_hash FROM (SELECT * FROM (SELECT * FROM (SELECT " + columns +
                                 " FROM sendoff_delivery_hot d WHERE " + condition +
                                 " LIMIT ?) AS bounded ORDER BY created_at DESC, id LIMIT ?) AS live "
                                 "UNION ALL SELECT * FROM (SELECT " +
                                 columns + " FROM sendoff_delivery_history d WHERE " + condition +
                                 " ORDER BY d.ended_at DESC LIMIT ?) AS ended) AS page",
                             {value, maxLive, limit, value, limit});
    while (row.next())
        found.push_back({deliveryRecord(row), row.text(deliveryRecordWidth)});
    return found;
}

void addEvents(Session &session, const Subject &subject, std::vector<FoundDelivery> deliveries, int limit,
               PersonRecord &person)
{
    std::sort(deliveries.begin(), deliveries.end(), [](const FoundDelivery &a, const FoundDelivery &b) {
        return std::pair(a.record.createdAt, a.record.id) < std::pair(b.record.createdAt, b.record.id);
    });
    std::vector<PersonEvent> events; // by the first delivery of each, the oldest first
    QHash<QString, size_t> places;
    const auto place = [&](const EventId &id) -> PersonEvent & {
        const auto there = places.constFind(id.value);
        if (there != places.cend())
            return events[*there];
        places.insert(id.value, events.size());
        events.push_back({});
        events.back().event.id = id;
        return events.back();
    };
    if (subject.kind == Subject::Kind::Event)
        place(subject.event); // also where nobody was to hear of it
    for (const FoundDelivery &each : deliveries)
        place(each.record.event).deliveries.push_back({each.record, {}});
    std::reverse(events.begin(), events.end());
    if (qsizetype(events.size()) > limit) {
        events.resize(size_t(limit));
        person.hasMore = true;
    }
    QStringList ids;
    places.clear();
    for (size_t each = 0; each < events.size(); ++each) {
        ids += events[each].event.id.value;
        places.insert(ids.last(), each);
    }
    Cursor row = session.run(QByteArray("SELECT ") + eventRecordValues +
                                 " FROM sendoff_event e WHERE e.id $any(SELECT value->>'text' FROM $rows)",
                             {textRows(ids)});
    while (row.next())
        events[places.value(row.text(0))].event = eventRecord(row);
    person.events = std::move(events);
}

void addContacts(Session &session, PersonRecord &person, QSet<QString> &hashes)
{
    Cursor row = session.run("SELECT id, channel, address_mask, locale, time_zone, $ms(disabled_at), disabled_reason, "
                             "address_hash FROM sendoff_v_contact WHERE user_id = ? ORDER BY created_at, id LIMIT 200",
                             {person.user.value});
    while (row.next()) {
        const auto channel = fromText<Channel>(row.text(1));
        if (!channel)
            continue;
        person.contacts.push_back(
            {row.text(0), *channel, row.text(2), row.text(3), row.text(4), row.maybeTime(5), row.text(6)});
        if (!row.text(7).isEmpty())
            hashes.insert(row.text(7));
    }
}

void addChoices(Session &session, PersonRecord &person)
{
    {
        Cursor row = session.run("SELECT category, channel, allowed, set_by, $ms(set_at) FROM sendoff_preference "
                                 "WHERE user_id = ? ORDER BY category, channel",
                                 {person.user.value});
        while (row.next()) {
            if (const auto channel = fromText<Channel>(row.text(1)))
                person.preferences.push_back({row.text(0), *channel, row.flag(2), row.text(3), row.time(4)});
        }
    }
    Cursor row = session.run("SELECT id, text, actor, $ms(at) FROM sendoff_note WHERE kind = 'user' AND object = ? "
                             "ORDER BY id DESC LIMIT 200",
                             {person.user.value});
    while (row.next())
        person.notes.push_back({row.integer(0), row.text(1), row.text(2), row.time(3)});
}

void addSuppressions(Session &session, PersonRecord &person, const QSet<QString> &hashes)
{
    if (hashes.isEmpty())
        return;
    Cursor row = session.run(
        "SELECT channel, address_mask, scope, scope_value, reason, created_by, $ms(created_at), $ms(expires_at) "
        "FROM sendoff_suppression WHERE channel IN ('email', 'sms', 'push', 'webhook') "
        "AND address_hash $any(SELECT value->>'text' FROM $rows) ORDER BY created_at DESC, id DESC LIMIT ?",
        {textRows(hashes.values()), maxSuppressions});
    while (row.next()) {
        person.suppressions.push_back({fromText<Channel>(row.text(0)).value_or(Channel::Email), row.text(1),
                                       row.text(2), row.text(3), row.text(4), row.text(5), row.time(6),
                                       row.maybeTime(7)});
    }
}

} // namespace

Result<PersonRecord> readPerson(Database &database, const PersonQuery &query, int limit)
{
    return database.read([&](Session &session) -> Result<PersonRecord> {
        const std::optional<Subject> subject = find(session, query);
        if (!subject)
            return Error{ErrorCode::NotFound,
                         QStringLiteral("nobody is found by this; give a user id, an email address, a phone number "
                                        "with its country code, or the id of an event, a delivery or a message")};
        PersonRecord person;
        person.foundBy = subject->foundBy;
        person.user = subject->user;
        // An event has several deliveries; some more than asked for, so that those of the last events are all there.
        const int page = std::min(limit * 5 + 100, maxDeliveries);
        std::vector<FoundDelivery> deliveries = deliveriesOf(session, *subject, page);
        const auto isFull = [&](bool isEndedHalf) {
            return std::count_if(deliveries.cbegin(), deliveries.cend(), [&](const FoundDelivery &each) {
                       return isLive(each.record.state) != isEndedHalf;
                   }) >= page;
        };
        person.hasMore = isFull(true) || isFull(false);
        QSet<QString> hashes(subject->hashes.cbegin(), subject->hashes.cend());
        if (subject->kind != Subject::Kind::Event) {
            for (const FoundDelivery &each : deliveries) {
                if (!each.hash.isEmpty())
                    hashes.insert(each.hash);
            }
        }
        addEvents(session, *subject, std::move(deliveries), limit, person);
        if (!person.user.isEmpty()) {
            addContacts(session, person, hashes);
            addChoices(session, person);
        }
        addSuppressions(session, person, hashes);
        return person;
    });
}

} // namespace sendoff::store
