#pragma once
#include "domain/ids.h"
#include "domain/problem.h"
#include <QSet>
#include <map>
#include <vector>

namespace sendoff::store {

class Database;
class Session;

// The table of problems, filled by the statements that settle attempts; only verbs of this module see it.

// Where a settled row was going.
struct FailedRow
{
    QString provider;
    Channel channel = Channel::Email;
};

struct FailedDelivery
{
    DeliveryId id;
    Problem problem;
};

// An attempt whose row gets a fingerprint.
bool isFailure(const AttemptResult &attempt);

// A provider's new kinds of failure within a day, beyond which first the texts and then the codes no longer tell them
// apart: a provider that writes something new into each answer must not make the table grow with the traffic.
constexpr int maxNewProblems = 500;
constexpr int maxNewCodes = 1'000;

// Makes sure that each failure's problem is in the table, within the transaction that settles it. What this thread
// has written lately is not written again; it counts as written only after committed(), so that a transaction that
// was rolled back leaves nothing behind. Thread: the database's.
class ProblemWriter
{
public:
    explicit ProblemWriter(Database &database);

    // May run several times, as the transaction does.
    void write(Session &session, const std::vector<FailedDelivery> &failed);
    void committed();

private:
    struct Waiting
    {
        Problem problem;
        std::vector<DeliveryId> deliveries;
    };
    void insert(Session &session, const Waiting &waiting);

    QString m_store;
    QSet<QString> m_written;
};

// Removes problems that no delivery and no note has, older than a month; small steps, answers how many.
qint64 pruneProblems(Session &session);

} // namespace sendoff::store
