#include "store/delivery_scan.h"

#include "store/record_rows.h"

#include <algorithm>
#include <array>

namespace sendoff::store {

namespace {

constexpr int maxGatheredOfOperation = 500; // fetched one by one, from each partition
constexpr qsizetype maxLeads = 16;          // parts by one value each

constexpr int stateCount = int(DeliveryState::Unknown) + 1;

struct ScanTerm
{
    FilterTerm term;
    FilterSql sql;
};

bool isField(const FilterTerm &term, const char *name)
{
    return term.field == QLatin1String(name);
}

// Has an index of its own and names some rows.
bool isSelective(const FilterTerm &term)
{
    static const QStringList fields{QStringLiteral("id"),       QStringLiteral("message"), QStringLiteral("parent"),
                                    QStringLiteral("event"),    QStringLiteral("user"),    QStringLiteral("problem"),
                                    QStringLiteral("operation")};
    return term.op == FilterTerm::Operator::Equals && !term.isNegated && fields.contains(term.field) &&
           !term.values.contains(QString());
}

class ScanPlanner
{
public:
    ScanPlanner(Session &session, DeliverySort sort, ScanFor purpose)
        : m_session(session)
        , m_sort(sort)
        , m_purpose(purpose)
    {
        m_scan.key = sort == DeliverySort::NextDue     ? "due_at"
                     : sort == DeliverySort::LastEnded ? "ended_at"
                                                       : "created_at";
        m_scan.isDescending = sort == DeliverySort::Newest || sort == DeliverySort::LastEnded;
        m_states.fill(true);
    }

    std::optional<Error> take(const Filter &filter)
    {
        for (const FilterTerm &term : filter.canonical().terms) {
            const Result<FilterSql> sql = termSql(term, FilteredRows::Deliveries);
            if (!sql)
                return sql.error();
            m_mayBeLive = m_mayBeLive && sql->mayBeLive;
            m_mayBeEnded = m_mayBeEnded && sql->mayBeEnded;
            if (isField(term, "state")) {
                for (int state = 0; state < stateCount; ++state) {
                    const bool isNamed = term.values.contains(toText(static_cast<DeliveryState>(state)));
                    m_states[size_t(state)] = m_states[size_t(state)] && isNamed != term.isNegated;
                }
            } else if (isRange(term)) {
                m_range += *sql;
            } else {
                m_terms.push_back({term, *sql});
            }
        }
        return std::nullopt;
    }

    Scan plan()
    {
        if (m_mayBeLive && m_sort != DeliverySort::LastEnded)
            planLive();
        if (m_mayBeEnded && m_sort != DeliverySort::NextDue)
            planEnded();
        return std::move(m_scan);
    }

private:
    // Bounds the list's own index. Behind a place the bound at the beginning is no use: the place is nearer, and of two
    // bounds SQLite would take either.
    bool isRange(const FilterTerm &term) const
    {
        const bool isUpper = (term.op == FilterTerm::Operator::Above) != isField(term, "due");
        if (m_purpose == ScanFor::NextPage && isUpper == m_scan.isDescending)
            return false;
        const char *field = m_sort == DeliverySort::NextDue     ? "due"
                            : m_sort == DeliverySort::LastEnded ? "ended"
                                                                : "age";
        return term.op != FilterTerm::Operator::Equals && !term.isNegated && isField(term, field);
    }

    QList<DeliveryState> allowed(bool live) const
    {
        QList<DeliveryState> states;
        for (int index = 0; index < stateCount; ++index) {
            const auto state = static_cast<DeliveryState>(index);
            if (isLive(state) == live && m_states[size_t(index)])
                states += state;
        }
        return states;
    }

    bool areAll(const QList<DeliveryState> &states, bool live) const
    {
        const int lives = 4; // scheduled, ready, leased, held
        return states.size() == (live ? lives : stateCount - lives);
    }

    // The words stand in the text: there are few, and partial indexes are chosen by them.
    static FilterSql inStates(const QList<DeliveryState> &states)
    {
        QByteArrayList words;
        for (const DeliveryState state : states)
            words += QByteArray("'") + toText(state).latin1() + "'";
        return {states.size() == 1 ? " AND d.state = " + words.first() : " AND d.state IN (" + words.join(", ") + ")",
                {}};
    }

    FilterSql restWithout(const ScanTerm *settled) const
    {
        FilterSql rest;
        for (const ScanTerm &each : m_terms) {
            if (&each != settled)
                rest += each.sql;
        }
        return rest;
    }

    bool isFew(const QByteArray &from, const FilterSql &reach, int most) const
    {
        if (m_purpose == ScanFor::Count) // the count itself knows when to stop
            return true;
        Cursor row = m_session.run("SELECT count(*) FROM (SELECT 1 AS one FROM " + from + " WHERE 1 = 1" +
                                       reach.condition + " LIMIT " + QByteArray::number(most + 1) + ") AS few",
                                   reach.values);
        row.next();
        return row.integer(0) <= most;
    }

    // By the first term whose own index gives few rows of this table.
    bool gather(const QByteArray &table, const FilterSql &states)
    {
        for (const ScanTerm &each : m_terms) {
            if (!isSelective(each.term))
                continue;
            ScanPart part{table + " d", each.sql, restWithout(&each), true};
            bool few = false;
            if (isField(each.term, "operation")) {
                const FilterSql items = *operationItemsSql(each.term); // was read once: it can't fail
                few = isFew("sendoff_operation_item i", items, maxGatheredOfOperation);
                part.from = "(SELECT DISTINCT i.delivery_id FROM sendoff_operation_item i WHERE 1 = 1" +
                            items.condition + ") AS i JOIN " + table + " d ON d.id = i.delivery_id";
                part.reach = {{}, items.values};
            } else {
                few = isFew(part.from, part.reach, maxGathered);
            }
            if (!few)
                continue;
            part.rest += m_range;
            part.rest += states;
            m_scan.parts.push_back(std::move(part));
            return true;
        }
        return false;
    }

    void walk(const QByteArray &table, const FilterSql &lead, const FilterSql &rest)
    {
        ScanPart part{table + " d", lead, rest, false};
        part.reach += m_range;
        m_scan.parts.push_back(std::move(part));
    }

    void planLive()
    {
        const QByteArray table = "sendoff_delivery_hot";
        const QList<DeliveryState> states = allowed(true);
        if (m_sort == DeliverySort::NextDue) {
            if (states.contains(DeliveryState::Scheduled))
                walk(table, inStates({DeliveryState::Scheduled}), restWithout(nullptr));
            return;
        }
        if (states.isEmpty())
            return;
        const FilterSql ofStates = areAll(states, true) ? FilterSql{} : inStates(states);
        if (gather(table, ofStates))
            return;
        // Leased rows are few, and have an index.
        if (states == QList{DeliveryState::Leased} && isFew(table + " d", ofStates, maxGathered)) {
            m_scan.parts.push_back({table + " d", ofStates, restWithout(nullptr), true});
            m_scan.parts.back().rest += m_range;
            return;
        }
        FilterSql rest = restWithout(nullptr);
        rest += ofStates;
        walk(table, {}, rest);
    }

    void planEnded()
    {
        const QByteArray table = "sendoff_delivery_history";
        const QList<DeliveryState> states = allowed(false);
        if (states.isEmpty())
            return;
        const FilterSql ofStates = areAll(states, false) ? FilterSql{} : inStates(states);
        if (gather(table, ofStates) || walkProblems(table, ofStates))
            return;
        if (ofStates.condition.isEmpty()) {
            walk(table, {}, restWithout(nullptr));
            return;
        }
        for (const DeliveryState state : states)
            walk(table, inStates({state}), restWithout(nullptr));
    }

    // An index has the rows of each problem in order of creation.
    bool walkProblems(const QByteArray &table, const FilterSql &states)
    {
        const auto problem = std::find_if(m_terms.cbegin(), m_terms.cend(), [](const ScanTerm &each) {
            return isField(each.term, "problem") && isSelective(each.term) && each.term.values.size() <= maxLeads;
        });
        if (m_scan.key != "created_at" || problem == m_terms.cend())
            return false;
        FilterSql rest = restWithout(&*problem);
        rest += states;
        for (const QString &value : problem->term.values)
            walk(table, {" AND d.fingerprint = ?", {value}}, rest);
        return true;
    }

    Session &m_session;
    const DeliverySort m_sort;
    const ScanFor m_purpose;
    Scan m_scan;
    std::array<bool, stateCount> m_states{};
    std::vector<ScanTerm> m_terms; // neither state nor range
    FilterSql m_range;
    bool m_mayBeLive = true;
    bool m_mayBeEnded = true;
};

FilterSql compared(const Scan &scan, const char *sign, const ScanPlace &place)
{
    return {" AND (d." + scan.key + ", d.id) " + sign + " (?, ?)", {place.key, place.id}};
}

} // namespace

Result<Scan> planScan(Session &session, const Filter &filter, DeliverySort sort, ScanFor purpose)
{
    ScanPlanner planner(session, sort, purpose);
    if (const auto error = planner.take(filter))
        return *error;
    return planner.plan();
}

QByteArray scanColumns()
{
    return QByteArray(deliveryRecordColumns) + ", d.recipient, d.address_domain, d.published_set";
}

FilterSql behind(const Scan &scan, const ScanPlace &place)
{
    return compared(scan, scan.isDescending ? "<" : ">", place);
}

FilterSql notBehind(const Scan &scan, const ScanPlace &place)
{
    return compared(scan, scan.isDescending ? ">=" : "<=", place);
}

QByteArray orderOf(const Scan &scan, const char *alias)
{
    const QByteArray way = scan.isDescending ? " DESC" : "";
    return QByteArray(" ORDER BY ") + alias + scan.key + way + ", " + alias + "id" + way;
}

QByteArray lookedAt(const Scan &scan, const ScanPart &part, const FilterSql &between, int bound, QVariantList &values)
{
    // A sub-select with a LIMIT is planned by itself: nothing outside can talk the planner into another index.
    values += part.reach.values;
    QByteArray sql = "(SELECT " + scanColumns() + " FROM " + part.from + " WHERE 1 = 1" + part.reach.condition;
    if (part.isGathered) {
        sql += " LIMIT " + QByteArray::number(bound) + ") AS d WHERE 1 = 1" + between.condition;
        values += between.values;
    } else {
        sql += between.condition + orderOf(scan) + " LIMIT " + QByteArray::number(bound) + ") AS d WHERE 1 = 1";
        values += between.values;
    }
    values += part.rest.values;
    return sql + part.rest.condition;
}

} // namespace sendoff::store
