#include "store/problem_rows.h"

#include "store/database.h"
#include "store/json_rows.h"

namespace sendoff::store {

namespace {

// Problems that this thread has written, by store. Forgotten as a whole now and then: a store may be replaced by
// another one under its name, and retention removes problems.
struct WrittenProblems
{
    QSet<QString> keys;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();

    bool contains(const QString &key) const { return keys.contains(key); }
    void forgetOld()
    {
        constexpr int maxKeys = 4'096;
        constexpr auto lifetime = std::chrono::minutes(10);
        const auto now = std::chrono::steady_clock::now();
        if (keys.size() < maxKeys && now - since < lifetime)
            return;
        keys.clear();
        since = now;
    }
};

WrittenProblems &writtenProblems()
{
    thread_local WrittenProblems problems;
    return problems;
}

QString keyOf(const QString &store, const Problem &problem)
{
    return store + u'\n' + problem.fingerprint;
}

ProblemGrain grainFor(Session &session, const QString &provider)
{
    Cursor row = session.run("SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_problem WHERE provider = ? AND "
                             "first_seen > $now_plus(-86400000) LIMIT ?) AS today",
                             {provider, maxNewCodes});
    row.next();
    if (row.integer(0) >= maxNewCodes)
        return ProblemGrain::OutcomeOnly;
    return row.integer(0) >= maxNewProblems ? ProblemGrain::WithoutText : ProblemGrain::Full;
}

} // namespace

bool isFailure(const AttemptResult &attempt)
{
    return attempt.idempotencyConflict || attempt.outcome != Outcome::Accepted;
}

ProblemWriter::ProblemWriter(Database &database)
    : m_store(database.url().toText() + u'\n' + database.url().schema)
{}

void ProblemWriter::write(Session &session, const std::vector<FailedDelivery> &failed)
{
    m_written.clear();
    if (failed.empty())
        return;
    writtenProblems().forgetOld();
    std::map<QString, Waiting> unknown; // by fingerprint, so that all writers insert in one order
    for (const FailedDelivery &each : failed) {
        if (writtenProblems().contains(keyOf(m_store, each.problem)))
            continue;
        Waiting &waiting = unknown[each.problem.fingerprint];
        waiting.problem = each.problem;
        waiting.deliveries.push_back(each.id);
    }
    for (const auto &[fingerprint, waiting] : unknown)
        insert(session, waiting);
}

void ProblemWriter::insert(Session &session, const Waiting &waiting)
{
    const auto isThere = [&](const Problem &problem) {
        return session.run("SELECT 1 FROM sendoff_problem WHERE fingerprint = ?", {problem.fingerprint}).next();
    };
    if (isThere(waiting.problem)) {
        m_written.insert(keyOf(m_store, waiting.problem));
        return;
    }
    const ProblemGrain grain = grainFor(session, waiting.problem.provider);
    const Problem problem = coarsened(waiting.problem, grain);
    session.run("INSERT INTO sendoff_problem (fingerprint, outcome, provider, channel, status, code, text) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO NOTHING",
                {problem.fingerprint, QString(toText(problem.outcome)), problem.provider,
                 QString(toText(problem.channel)), problem.status, problem.code, problem.text});
    if (grain == ProblemGrain::Full) {
        m_written.insert(keyOf(m_store, problem));
        return;
    }
    JsonRows ids;
    for (const DeliveryId &id : waiting.deliveries)
        ids.row().text("id", id.value);
    for (const char *table : {"sendoff_delivery_hot", "sendoff_delivery_history"}) {
        session.run(QByteArray("UPDATE ") + table +
                        " SET fingerprint = ? WHERE id $any(SELECT value->>'id' FROM $rows) AND fingerprint = ?",
                    {problem.fingerprint, ids.json(), waiting.problem.fingerprint});
    }
}

void ProblemWriter::committed()
{
    writtenProblems().keys.unite(m_written);
    m_written.clear();
}

qint64 pruneProblems(Session &session)
{
    return session
        .run("DELETE FROM sendoff_problem WHERE fingerprint $any(SELECT p.fingerprint FROM sendoff_problem p "
             "WHERE p.first_seen < $now_plus(-2592000000) "
             "AND NOT EXISTS (SELECT 1 FROM sendoff_delivery_hot d WHERE d.fingerprint = p.fingerprint) "
             "AND NOT EXISTS (SELECT 1 FROM sendoff_delivery_history d WHERE d.fingerprint = p.fingerprint "
             "AND d.state IN ('dead', 'unknown', 'bounced')) "
             "AND NOT EXISTS (SELECT 1 FROM sendoff_note n WHERE n.kind = 'problem' AND n.object = p.fingerprint) "
             "LIMIT 200)")
        .affected();
}

} // namespace sendoff::store
