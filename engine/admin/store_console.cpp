#include "admin/store_console.h"

#include "admin/operation_preview.h"
#include "admin/operation_rules.h"
#include "admin/person_history.h"
#include "admin/problems.h"
#include "admin/verdict.h"
#include "store/activity_store.h"
#include "store/audit_store.h"
#include "store/control_store.h"
#include "store/delivery_queries.h"
#include "store/event_queries.h"
#include "store/note_store.h"
#include "store/operation_store.h"
#include "store/rights_store.h"
#include "store/status_queries.h"

namespace sendoff::admin {

namespace {

// An operation's expected rows are counted exactly up to here; more than that is "a million or more".
constexpr qint64 expectedCap = 1'000'000;

class StoreConsole final : public Console
{
public:
    StoreConsole(std::unique_ptr<store::Database> database, QByteArray hashKey)
        : m_database(std::move(database))
        , m_hashKey(std::move(hashKey))
    {}

    Result<StatusRecord> status() override
    {
        auto facts = store::readStatus(*m_database);
        if (!facts)
            return facts.error();
        judge(*facts);
        return std::move(facts->record);
    }

    Result<DeliveryPage> deliveries(const Filter &filter, DeliverySort sort, const QString &after, int limit) override
    {
        return store::listDeliveries(*m_database, filter, sort, after, limit);
    }

    Result<RowCount> count(const Filter &filter) override
    {
        return store::countDeliveries(*m_database, filter, countCap);
    }
    Result<DeliveryStory> story(const DeliveryId &id) override { return store::deliveryStory(*m_database, id); }
    Result<EventStory> eventStory(const EventId &id) override { return store::eventStory(*m_database, id); }

    Result<std::vector<EventRecord>> events(const Filter &filter, qint64 beforeSequence, int limit) override
    {
        return store::listEvents(*m_database, filter, beforeSequence, limit);
    }

    Result<PreviewRecord> preview(const OperationRequest &request) override
    {
        const auto verb = checked(request);
        if (!verb)
            return verb.error();
        return previewOperation(*m_database, {*verb, request.filter, request.parameters, request.rate});
    }

    Result<OperationRecord> submit(const OperationRequest &request) override;

    Result<OperationRecord> undo(qint64 operation) override
    {
        return store::undoOperation(*m_database, operation, defaultActor());
    }

    Result<OperationRecord> stop(qint64 operation) override
    {
        return store::stopOperation(*m_database, operation, defaultActor());
    }

    Result<OperationRecord> operation(qint64 id) override { return store::operationById(*m_database, id); }

    Result<OperationRecord> pauseOperation(qint64 operation, bool paused) override
    {
        return store::pauseOperation(*m_database, operation, paused, defaultActor());
    }

    Result<OperationRecord> setOperationRate(qint64 operation, int rate) override
    {
        return store::setOperationRate(*m_database, operation, rate, defaultActor());
    }

    Result<std::vector<OperationItemRecord>> operationItems(qint64 id, const QString &result, int limit) override
    {
        return store::operationItems(*m_database, id, result, limit);
    }

    Result<std::vector<OperationRecord>> operations(int limit) override
    {
        return store::listOperations(*m_database, limit);
    }

    Result<std::vector<ProblemRecord>> problems(ProblemGrouping grouping, const Filter &filter, int limit) override
    {
        return admin::problems(*m_database, grouping, filter, limit);
    }

    Result<PersonRecord> person(const QString &query, int limit) override
    {
        return personHistory(*m_database, query, m_hashKey, limit);
    }

    Result<ForecastRecord> forecast(int minutes) override { return store::forecast(*m_database, minutes); }

    Result<std::vector<ActivityPoint>> activity(Timestamp from, Timestamp to, Milliseconds step) override
    {
        return store::activity(*m_database, from, to, step);
    }

    Result<std::vector<NoteRecord>> notes(const QString &kind, const QString &object) override
    {
        return store::notesOf(*m_database, kind, object);
    }

    Result<RightsRecord> rights() override { return store::rightsOf(*m_database); }

    Result<RevealedRecord> reveal(const DeliveryId &id, const QString &reason) override
    {
        return store::reveal(*m_database, id, reason, defaultActor());
    }

    Result<std::vector<AuditRecord>> audit(qint64 beforeId, int limit) override
    {
        return store::auditRows(*m_database, beforeId, limit);
    }

private:
    Result<Verb> checked(const OperationRequest &request);
    Result<void> checkedTarget(const OperationParameters &parameters);
    Result<store::NewOperation> counted(Verb verb, const OperationRequest &request);

    std::unique_ptr<store::Database> m_database;
    const QByteArray m_hashKey;
};

Result<void> StoreConsole::checkedTarget(const OperationParameters &parameters)
{
    if (parameters.targetKind != QLatin1String("provider"))
        return {};
    const auto known = store::providerNames(*m_database);
    if (!known)
        return known.error();
    if (known->contains(parameters.target))
        return {};
    return Error{ErrorCode::Invalid, known->isEmpty()
                                         ? QStringLiteral("no engine has declared a provider yet; start one first")
                                         : QStringLiteral("there is no provider of this name; known are: %1")
                                               .arg(known->join(QStringLiteral(", ")))};
}

Result<Verb> StoreConsole::checked(const OperationRequest &request)
{
    const auto invalid = [](const QString &what) { return Error{ErrorCode::Invalid, what}; };
    const std::optional<Verb> verb = verbFromText(request.verb);
    if (!verb)
        return unknownVerb();
    if (const Result<void> meant = checkParameters(*verb, request.parameters); !meant)
        return meant.error();
    if (isControl(*verb)) {
        if (!request.filter.isEmpty())
            return invalid(QStringLiteral("%1 changes no rows: it takes no filter").arg(request.verb));
        if (const Result<void> target = checkedTarget(request.parameters); !target)
            return target.error();
        return *verb;
    }
    if (request.filter.isEmpty())
        return invalid(QStringLiteral("an operation needs a condition, for example state:dead or id:…; there is none"));
    if (request.rate < 0 || request.rate > maxRate)
        return invalid(QStringLiteral("rate must be 1 to %1 a second, or 0 for the default").arg(maxRate));
    if (request.stopAtFailures < 0 || request.stopAtFailures > 100)
        return invalid(QStringLiteral("stop-at-failures must be 0 to 100 percent"));
    if (request.armed.count() < 0 || request.armed > std::chrono::hours(24))
        return invalid(QStringLiteral("the time to undo must be 0 to 24 h"));
    // What is stored must be read back by the engine as the same condition.
    const auto plan = planOperation(
        {request.verb, storedFilter(*verb, request.filter), toJson(request.parameters), request.rate, {}}, {});
    if (!plan)
        return invalid(QStringLiteral("this condition can't be stored: %1").arg(plan.error().message));
    return *verb;
}

// What a verb of rows would meet, as the operation to store; refused where that is nothing.
Result<store::NewOperation> StoreConsole::counted(Verb verb, const OperationRequest &request)
{
    const auto preview = previewOperation(*m_database, {verb, request.filter, request.parameters, request.rate});
    if (!preview)
        return preview.error();
    qint64 expected = preview->count;
    if (preview->isCapped && verb != Verb::RetryEvent) {
        const auto exact = store::countDeliveriesExactly(*m_database, request.filter, expectedCap);
        if (!exact)
            return exact.error();
        expected = *exact;
    }
    if (expected == 0)
        return Error{ErrorCode::NotFound, QStringLiteral("nothing matches; nothing was stored")};
    if (preview->changeable == 0 && !preview->isCapped) {
        return Error{ErrorCode::Refused,
                     QStringLiteral("none of %1 matching can be changed by %2 (%3); nothing was stored")
                         .arg(QString::number(expected), request.verb,
                              preview->refusals.empty() ? QString() : preview->refusals.front().first)};
    }
    store::NewOperation operation;
    operation.filter = storedFilter(verb, request.filter);
    operation.watermark = preview->watermark;
    operation.expected = expected;
    operation.rate = isPaced(verb) ? preview->rate : 0;
    operation.stopAtFailures = isPaced(verb) ? request.stopAtFailures : 0;
    operation.armed = request.armed;
    return operation;
}

Result<OperationRecord> StoreConsole::submit(const OperationRequest &request)
{
    const auto verb = checked(request);
    if (!verb)
        return verb.error();
    if (!request.dedupe.isEmpty()) {
        // The first one may have changed all that matched: it is answered whatever matches now.
        const auto first = store::operationByDedupe(*m_database, request.dedupe);
        if (first || first.error().code != ErrorCode::NotFound)
            return first;
    }
    store::NewOperation operation;
    operation.expected = 1;
    if (!isControl(*verb)) {
        auto found = counted(*verb, request);
        if (!found)
            return found.error();
        operation = std::move(*found);
    }
    operation.verb = request.verb;
    operation.parameters = toJson(request.parameters);
    operation.reason = request.reason;
    operation.actor = request.actor.isEmpty() ? defaultActor() : request.actor;
    operation.dedupe = request.dedupe;
    return store::storeOperation(*m_database, operation);
}

} // namespace

QString defaultActor()
{
    const QString name = qEnvironmentVariable("USER", qEnvironmentVariable("LOGNAME"));
    return name.isEmpty() ? QStringLiteral("unknown") : name;
}

std::unique_ptr<Console> makeStoreConsole(std::unique_ptr<store::Database> database, const QByteArray &hashKey)
{
    return std::make_unique<StoreConsole>(std::move(database), hashKey);
}

} // namespace sendoff::admin
