#include "store/operation_edit.h"

#include "domain/json_document.h"
#include "domain/payload_edit.h"
#include "store/delivery_rows.h"
#include "store/json_rows.h"
#include "store/operation_rows.h"

#include <QMap>
#include <algorithm>

namespace sendoff::store {

namespace {

// What the rules never see: read only once a row is to be edited.
struct Parent
{
    Channel channel = Channel::Email;
    DeliveryKey key;
    QString provider; // its own, else the first that carries its channel
    QByteArray payload;
    QStringList secrets;
    QByteArray edited; // its own edited payload, empty: none
};

QMap<QString, Parent> parentsOf(Session &session, const std::vector<EditedRow> &rows)
{
    JsonRows ids;
    for (const EditedRow &each : rows)
        ids.row().text("id", each.row->id.value);
    QMap<QString, Parent> parents;
    Cursor row = session.run(
        "SELECT d.id, d.event_id, d.channel, d.recipient, d.destination, d.revision, "
        "CASE WHEN d.provider <> '' THEN d.provider ELSE coalesce((SELECT p.name FROM sendoff_provider p WHERE "
        "p.channel = d.channel ORDER BY p.priority, p.name LIMIT 1), '') END, e.payload, e.secrets, x.payload "
        "FROM sendoff_delivery d JOIN sendoff_event e ON e.id = d.event_id "
        "LEFT JOIN sendoff_edit x ON x.delivery_id = d.id WHERE d.id $any(SELECT value->>'id' FROM $rows)",
        {ids.json()});
    while (row.next()) {
        Parent parent;
        parent.channel = fromText<Channel>(row.text(2)).value_or(Channel::Email);
        parent.key = {EventId(row.text(1)), parent.channel, row.text(3), row.text(4), int(row.integer(5))};
        parent.provider = row.text(6);
        parent.payload = row.bytes(7);
        if (!row.text(8).isEmpty())
            parent.secrets = row.text(8).split(u'\n');
        parent.edited = row.bytes(9);
        parents.insert(row.text(0), std::move(parent));
    }
    return parents;
}

struct Child
{
    const EditedRow *row = nullptr;
    DeliveryId id;
    QString provider;
    std::optional<WrittenAddress> address;
    QByteArray payload; // empty: the event's own
};

// The payload to store, without secrets; empty where neither this edit nor an earlier one changed it.
Result<QByteArray> editedPayload(const Parent &parent, const QByteArray &patch)
{
    if (patch.isEmpty())
        return parent.edited;
    if (patchTouches(parent.payload, patch, parent.secrets))
        return Error{ErrorCode::Refused, QStringLiteral("the change touches a secret of its event")};
    const Result<QByteArray> bare =
        parent.edited.isEmpty() ? scrubbed(parent.payload, parent.secrets) : Result<QByteArray>(parent.edited);
    return bare ? mergePatched(*bare, patch) : bare;
}

// The copy of one row, or why there is none.
Result<Child> childOf(const EditedRow &row, const Parent &parent, const EditRequest &request)
{
    const OperationParameters &parameters = *request.parameters;
    Child child;
    child.row = &row;
    if (!parameters.address.isEmpty()) {
        auto address = writtenAddress(parent.channel, parameters.address, request.hashKey);
        if (!address)
            return address.error();
        child.address = std::move(*address);
    }
    child.provider = parent.provider;
    if (child.provider.isEmpty() && parent.channel != Channel::Inbox)
        return Error{ErrorCode::Refused, QStringLiteral("no provider carries its channel")};
    auto payload = editedPayload(parent, parameters.payloadPatch);
    if (!payload)
        return payload.error();
    child.payload = std::move(*payload);
    DeliveryKey key = parent.key;
    ++key.revision;
    child.id = deliveryId(key);
    return child;
}

QString childRows(const std::vector<Child> &children, const EditRequest &request)
{
    JsonRows rows;
    for (const Child &child : children) {
        const Timestamp due = std::max(child.row->due, request.now);
        const auto &lifetime = child.row->lifetime;
        rows.row()
            .text("id", child.row->row->id.value)
            .number("token", child.row->row->token.value)
            .text("child", child.id.value)
            .text("provider", child.provider)
            .number("due", due.time_since_epoch().count())
            .number("expires", lifetime ? qint64((due + *lifetime).time_since_epoch().count()) : 0)
            .number("operation", request.operation)
            .flag("readdressed", child.address.has_value())
            .flag("edited", !child.payload.isEmpty())
            .text("locale", request.parameters->locale);
        const WrittenAddress address = child.address.value_or(WrittenAddress{});
        rows.text("address", address.address)
            .text("hash", address.hash)
            .text("mask", address.traces.mask)
            .text("domain", address.traces.domain)
            .text("last4", address.traces.last4);
    }
    return rows.json();
}

constexpr auto joinedChildren =
    "(SELECT value->>'id' AS id, CAST(value->>'token' AS bigint) AS token, value->>'child' AS child, "
    "value->>'provider' AS provider, CAST(value->>'due' AS bigint) AS due, CAST(value->>'expires' AS bigint) AS "
    "expires, CAST(value->>'operation' AS bigint) AS operation, CAST(value->>'readdressed' AS integer) AS readdressed, "
    "CAST(value->>'edited' AS integer) AS edited, value->>'locale' AS locale, value->>'address' AS address, "
    "value->>'hash' AS hash, value->>'mask' AS mask, value->>'domain' AS domain, value->>'last4' AS last4 "
    "FROM $rows) r";

QByteArray readdressed(const char *value, const char *column)
{
    return QByteArray("CASE WHEN r.readdressed = 1 THEN ") + value + " ELSE d." + column + " END";
}

// Everything that tells of the parent's own attempts begins anew.
const QHash<QByteArray, QByteArray> &childColumns()
{
    static const QHash<QByteArray, QByteArray> columns{
        {"id", "r.child"},
        {"provider", "r.provider"},
        {"revision", "d.revision + 1"},
        {"parent_id", "d.id"},
        {"locale", "CASE WHEN r.locale <> '' THEN r.locale ELSE d.locale END"},
        {"pins", QByteArray("CASE WHEN r.edited = 1 THEN ") + editedPins + " ELSE NULL END"},
        {"address", readdressed("r.address", "address")},
        {"address_sealed", readdressed("NULL", "address_sealed")},
        {"seal_key", readdressed("NULL", "seal_key")},
        {"address_hash", readdressed("r.hash", "address_hash")},
        {"address_mask", readdressed("r.mask", "address_mask")},
        {"address_domain", readdressed("r.domain", "address_domain")},
        {"address_last4", readdressed("r.last4", "address_last4")},
        {"state", "'scheduled'"},
        {"reason", "'none'"},
        {"detail", "''"},
        {"created_at", "$now"},
        {"due_at", "$at(r.due)"},
        {"expires_at", "CASE WHEN r.expires > 0 THEN $at(r.expires) ELSE d.expires_at END"},
        {"vstart", "0"},
        {"claims", "0"},
        {"attempts", "0"},
        {"failures", "0"},
        {"losses", "0"},
        {"lease_token", "1"},
        {"lease_holder", "NULL"},
        {"lease_until", "NULL"},
        {"handed_at", "NULL"},
        {"first_handed_at", "NULL"},
        {"has_unknown", "0"},
        {"possible_duplicate", "CASE WHEN d.has_unknown = 1 THEN 1 ELSE d.possible_duplicate END"},
        {"last_outcome", "NULL"},
        {"last_code", "NULL"},
        {"last_status", "NULL"},
        {"fingerprint", "NULL"},
        {"provider_message_id", "NULL"},
        {"accepted_at", "NULL"},
        {"content_removed_at", "NULL"},
        {"ended_at", "NULL"},
        {"operation_id", "r.operation"},
    };
    return columns;
}

// The copy comes first: while it may still send, its event's secrets stay.
void replaceParents(Session &session, const char *table, bool isHot, const std::vector<Child> &children,
                    const EditRequest &request)
{
    if (children.empty())
        return;
    const QString rows = childRows(children, request);
    const QByteArray joined = QByteArray(" WHERE d.id = r.id AND d.lease_token = r.token AND d.state <> 'leased' ") +
                              "AND d.id $any(SELECT value->>'id' FROM $rows)";
    requireCount(session
                     .run("INSERT INTO sendoff_delivery_hot (" + QByteArray(deliveryColumns) + ") SELECT " +
                              replacedColumns(childColumns()) + " FROM " + joinedChildren + " CROSS JOIN " + table +
                              " d" + joined,
                          {rows, rows})
                     .affected(),
                 children.size());
    requireCount(session
                     .run(QByteArray("UPDATE ") + table +
                              " AS d SET state = 'superseded', reason = 'by_edit', detail = 'replaced by delivery ' || "
                              "r.child, operation_id = r.operation, lease_token = d.lease_token + 1" +
                              (isHot ? ", ended_at = $now, lease_holder = NULL, lease_until = NULL" : "") + " FROM " +
                              joinedChildren + joined,
                          {rows, rows})
                     .affected(),
                 children.size());
    if (isHot)
        moveToHistory(session, rows);
    session.run("DELETE FROM sendoff_edit WHERE delivery_id $any(SELECT value->>'id' FROM $rows)", {rows});
}

void storePayloads(Session &session, const std::vector<Child> &children)
{
    JsonRows rows;
    for (const Child &child : children) {
        if (!child.payload.isEmpty())
            rows.row().text("id", child.id.value).text("payload", QString::fromUtf8(child.payload));
    }
    if (!rows.isEmpty())
        session.run("INSERT INTO sendoff_edit (delivery_id, payload) SELECT value->>'id', value->>'payload' FROM $rows",
                    {rows.json()});
}

} // namespace

std::vector<EditResult> editRows(Session &session, const EditRequest &request, const std::vector<EditedRow> &rows)
{
    std::vector<EditResult> results;
    std::vector<Child> live;
    std::vector<Child> ended;
    const QMap<QString, Parent> parents = parentsOf(session, rows);
    for (const EditedRow &each : rows) {
        const auto parent = parents.constFind(each.row->id.value);
        auto child = parent == parents.cend()
                         ? Result<Child>(Error{ErrorCode::NotFound, QStringLiteral("its content was removed")})
                         : childOf(each, *parent, request);
        results.push_back(child ? EditResult{child->id, {}} : EditResult{{}, child.error().message});
        if (child)
            (isLive(each.row->state) ? live : ended).push_back(std::move(*child));
    }
    replaceParents(session, "sendoff_delivery_hot", true, live, request);
    replaceParents(session, "sendoff_delivery_history", false, ended, request);
    storePayloads(session, live);
    storePayloads(session, ended);
    return results;
}

} // namespace sendoff::store
