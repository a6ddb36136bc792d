#include "store/role_grants.h"

namespace sendoff::store {

namespace {

// "@" stands for the schema's name and a point.
struct Grant
{
    const char *role;
    const char *privilege; // columns may stand behind it: "SELECT (a, b)"
    const char *objects;
};

// An application: one INSERT. RETURNING id and ON CONFLICT (id) read the id.
constexpr auto producerColumns = "INSERT (id, type, payload, tenant, lane, available_at, expires_at, occurred_at, "
                                 "supersedes_key, traceparent), SELECT (id)";

// Everything of a delivery but the address in all its forms, the sender and the pinned contact fields.
constexpr auto deliveryColumns =
    "SELECT (id, event_id, event_sequence, type, tenant, category, channel, provider, lane, recipient, user_id, "
    "destination, revision, parent_id, role, element, template, published_set, locale, time_zone, address_mask, "
    "address_domain, address_last4, state, reason, detail, supersedes_key, has_secret, created_at, due_at, expires_at, "
    "vstart, claims, attempts, failures, losses, lease_token, lease_holder, lease_until, handed_at, first_handed_at, "
    "has_unknown, possible_duplicate, last_outcome, last_code, last_status, fingerprint, provider_message_id, "
    "accepted_at, content_removed_at, ended_at, operation_id)";

// Everything of an event but its payload.
constexpr auto eventColumns =
    "SELECT (sequence, id, type, tenant, lane, available_at, expires_at, occurred_at, supersedes_key, traceparent, "
    "recorded_at, state, reason, tries, relay_after, relayed_at, published_set, folded, secrets, scrubbed_at, "
    "content_removed_at)";

// Everything of an operation but its parameters, which hold the address of an edit: people read the view.
constexpr auto operationColumns =
    "SELECT (id, verb, filter, watermark, expected, rate, stop_at_failures, reason, actor, dedupe, created_at, "
    "armed_until, state, stop_requested, cursor, done_count, skipped_count, failed_count, engine, lease_until, "
    "started_at, ended_at, detail, is_paused, accepted_count, is_tallied, asked_in, answered)";

// Everything of a receipt but the hash of its address.
constexpr auto receiptColumns =
    "SELECT (id, provider, provider_event_id, provider_message_id, delivery_id, kind, is_hard, source, detail, "
    "occurred_at, arrived_at, applied_at, suppresses, suppress_reason, address_mask, provider_code, tries, try_after)";

// What only an owner or an admin may do is refused by the functions themselves, in words; so looking is enough to call.
constexpr auto peoplesFunctions =
    "FUNCTION @sendoff_submit_operation(text, text, bigint, bigint, text, bigint, integer, text, bigint, text), "
    "@sendoff_change_operation(bigint, text, bigint), @sendoff_publish(text, text, text, text), "
    "@sendoff_revert_publication(text), @sendoff_request_reveal(text, text), @sendoff_reveal(bigint)";

constexpr Grant grants[] = {
    {"sendoff_producer", producerColumns, "@sendoff_event"},
    {"sendoff_producer", "SELECT", "@sendoff_schema"},

    {"sendoff_engine", "SELECT",
     "@sendoff_schema, @sendoff_published_set, @sendoff_delivery, @sendoff_v_delivery, @sendoff_v_event, "
     "@sendoff_v_operation"},
    {"sendoff_engine", "SELECT, INSERT, UPDATE, DELETE",
     "@sendoff_event, @sendoff_supersession, @sendoff_contact, @sendoff_preference, @sendoff_suppression, "
     "@sendoff_delivery_hot, @sendoff_delivery_history, @sendoff_attempt, @sendoff_content, @sendoff_inbox, "
     "@sendoff_receipt, @sendoff_provider, @sendoff_lane_clock, @sendoff_flow, @sendoff_pause, @sendoff_engine, "
     "@sendoff_operation_item, @sendoff_problem, @sendoff_note, @sendoff_edit, @sendoff_minute, @sendoff_failover, "
     "@sendoff_question, @sendoff_mark, @sendoff_destination"},
    // An engine carries operations out and never gives one.
    {"sendoff_engine", "SELECT, UPDATE, DELETE", "@sendoff_operation"},
    {"sendoff_engine", "EXECUTE", "FUNCTION @sendoff_make_partitions(integer)"},

    {"sendoff_viewer", "SELECT",
     "@sendoff_schema, @sendoff_published_set, @sendoff_attempt, @sendoff_provider, "
     "@sendoff_lane_clock, @sendoff_flow, @sendoff_pause, @sendoff_engine, @sendoff_operation_item, @sendoff_problem, "
     "@sendoff_note, @sendoff_minute, @sendoff_failover, @sendoff_question, @sendoff_mark, @sendoff_destination, "
     "@sendoff_audit, @sendoff_v_delivery, "
     "@sendoff_v_event, @sendoff_v_operation"},
    {"sendoff_viewer", deliveryColumns, "@sendoff_delivery_hot, @sendoff_delivery_history"},
    {"sendoff_viewer", eventColumns, "@sendoff_event"},
    {"sendoff_viewer", receiptColumns, "@sendoff_receipt"},
    {"sendoff_viewer", operationColumns, "@sendoff_operation"},
    {"sendoff_viewer", "EXECUTE", peoplesFunctions},

    {"sendoff_support", "SELECT", "@sendoff_v_contact, @sendoff_preference, @sendoff_suppression"},
    {"sendoff_support", "SELECT (address_hash)", "@sendoff_delivery_hot, @sendoff_delivery_history, @sendoff_receipt"},
    {"sendoff_support", "SELECT (id, user_id, tenant, event_id, type, locale, title, created_at, read_at, archived_at)",
     "@sendoff_inbox"},
};

// Roles belong to the whole server and may be made by several at once.
constexpr auto rolesBlock = R"(DO $roles$
DECLARE
    word text;
    lower_word text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('sendoff_roles'));
    IF NOT pg_has_role(current_user, (SELECT c.relowner FROM pg_class c WHERE c.oid = '@sendoff_operation'::regclass), 'USAGE') THEN
        RAISE EXCEPTION '% may not grant roles: needs the owner of the tables, %', current_user,
            (SELECT pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.oid = '@sendoff_operation'::regclass) USING ERRCODE = '42501';
    END IF;
    FOREACH word IN ARRAY ARRAY['producer', 'engine', 'viewer', 'support', 'operator', 'admin'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'sendoff_' || word) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', 'sendoff_' || word);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- somebody else made it at this moment
        END;
        IF NOT has_schema_privilege('sendoff_' || word, '#', 'USAGE') THEN
            EXECUTE format('GRANT USAGE ON SCHEMA # TO %I', 'sendoff_' || word);
        END IF;
        -- Each of the people's roles may do what the one before may.
        IF word IN ('support', 'operator', 'admin') AND NOT EXISTS (SELECT 1 FROM pg_auth_members m
                WHERE m.roleid = ('sendoff_' || lower_word)::regrole AND m.member = ('sendoff_' || word)::regrole) THEN
            EXECUTE format('GRANT %I TO %I', 'sendoff_' || lower_word, 'sendoff_' || word);
        END IF;
        lower_word := word;
    END LOOP;
    -- Who may create things here could put a function of the same name beside those that run as the owner.
    IF has_schema_privilege('public', '#', 'CREATE') THEN
        REVOKE CREATE ON SCHEMA # FROM PUBLIC;
    END IF;
END $roles$;
)";

constexpr auto allTables =
    "@sendoff_schema, @sendoff_event, @sendoff_supersession, @sendoff_published_set, @sendoff_contact, "
    "@sendoff_preference, @sendoff_suppression, @sendoff_delivery_hot, @sendoff_delivery_history, @sendoff_attempt, "
    "@sendoff_content, @sendoff_inbox, @sendoff_receipt, @sendoff_provider, @sendoff_lane_clock, @sendoff_flow, "
    "@sendoff_pause, @sendoff_engine, @sendoff_operation, @sendoff_operation_item, @sendoff_audit, @sendoff_problem, "
    "@sendoff_note, @sendoff_edit, @sendoff_minute, @sendoff_failover, @sendoff_question, @sendoff_mark, "
    "@sendoff_destination, "
    "@sendoff_delivery, "
    "@sendoff_v_delivery, @sendoff_v_event, "
    "@sendoff_v_contact, @sendoff_v_operation";

QByteArray statement(const Grant &grant)
{
    return QByteArray("GRANT ") + grant.privilege + " ON " + grant.objects + " TO " + grant.role + ";\n";
}

} // namespace

QByteArray roleGrants(const QString &schema)
{
    QByteArray sql = rolesBlock;
    sql += QByteArray("REVOKE ALL ON ") + allTables + " FROM PUBLIC;\n";
    sql += QByteArray("REVOKE ALL ON ") + peoplesFunctions +
           ", @sendoff_wake(), @sendoff_make_partitions(integer), @sendoff_keep_audit(), "
           "@sendoff_append_audit(text, text, text, text), @sendoff_role_of(name), @sendoff_require(text, text) "
           "FROM PUBLIC;\n";
    for (const Grant &grant : grants)
        sql += statement(grant);
    sql.replace('#', schema.toLatin1());
    sql.replace('@', schema.toLatin1() + '.');
    return sql;
}

} // namespace sendoff::store
