#include "tests/support/fake_console.h"

#include <QHash>
#include <QMap>
#include <QSet>
#include <algorithm>
#include <condition_variable>

namespace sendoff::test {

struct FakeStore::Shared
{
    mutable std::mutex mutex;
    std::condition_variable gate;
    bool held = false;
    int hanging = 0;
    std::optional<Error> error;
    std::vector<DeliveryRecord> rows; // newest first
    QHash<QString, std::vector<AttemptRecord>> attempts;
    QHash<QString, std::vector<ReceiptRecord>> receipts;
    std::vector<OperationRecord> operations;
    QHash<qint64, Filter> filters;
    StatusRecord status;
    QMap<QString, qint64> asked;
    Timestamp now;
    std::optional<Milliseconds> armed;

    void sort()
    {
        std::stable_sort(rows.begin(), rows.end(), [](const DeliveryRecord &a, const DeliveryRecord &b) {
            return a.createdAt != b.createdAt ? a.createdAt > b.createdAt : b.id < a.id;
        });
    }
    std::optional<Error> enter(const QString &question, std::unique_lock<std::mutex> &lock)
    {
        ++asked[question];
        ++hanging;
        gate.wait(lock, [this] { return !held; });
        --hanging;
        return error;
    }
};

namespace {

QString fieldOf(const DeliveryRecord &row, const QString &field)
{
    if (field == QLatin1String("id"))
        return row.id.value;
    if (field == QLatin1String("event"))
        return row.event.value;
    if (field == QLatin1String("type"))
        return row.type;
    if (field == QLatin1String("user"))
        return row.user.value;
    if (field == QLatin1String("channel"))
        return toText(row.channel);
    if (field == QLatin1String("provider"))
        return row.provider;
    if (field == QLatin1String("state"))
        return toText(row.state);
    if (field == QLatin1String("reason"))
        return toText(row.reason);
    if (field == QLatin1String("code"))
        return row.lastCode;
    if (field == QLatin1String("outcome"))
        return row.lastOutcome;
    return {};
}

bool matches(const DeliveryRecord &row, const Filter &filter, Timestamp now)
{
    return std::all_of(filter.terms.cbegin(), filter.terms.cend(), [&](const FilterTerm &term) {
        if (term.op == FilterTerm::Operator::Older)
            return now - row.createdAt > term.duration;
        if (term.op == FilterTerm::Operator::Younger)
            return now - row.createdAt < term.duration;
        return term.values.contains(fieldOf(row, term.field));
    });
}

bool allows(const QString &verb, const DeliveryRecord &row)
{
    return verb == QLatin1String("retry") ? isRetryable(row.state) : isLive(row.state);
}

} // namespace

class FakeConsole final : public admin::Console
{
public:
    explicit FakeConsole(std::shared_ptr<FakeStore::Shared> shared)
        : m(std::move(shared))
    {}

    Result<StatusRecord> status() override
    {
        return answer<StatusRecord>("status", [&] { return m->status; });
    }

    Result<DeliveryPage> deliveries(const Filter &filter, DeliverySort, const QString &after, int limit) override
    {
        return answer<DeliveryPage>("deliveries", [&] {
            DeliveryPage page;
            bool past = after.isEmpty();
            for (const DeliveryRecord &row : m->rows) {
                if (!past) {
                    past = cursor(row) > after;
                    if (!past)
                        continue;
                }
                if (!matches(row, filter, m->now))
                    continue;
                if (int(page.rows.size()) == limit) {
                    page.next = cursor(page.rows.back());
                    break;
                }
                page.rows.push_back(row);
            }
            return page;
        });
    }

    Result<RowCount> count(const Filter &filter) override
    {
        return answer<RowCount>("count", [&] {
            const qint64 count = qint64(matching(filter).size());
            return RowCount{std::min(count, countCap), count >= countCap};
        });
    }

    Result<DeliveryStory> story(const DeliveryId &id) override
    {
        return answer<DeliveryStory>("story", [&]() -> Result<DeliveryStory> {
            for (const DeliveryRecord &row : m->rows) {
                if (row.id != id)
                    continue;
                DeliveryStory story;
                story.delivery = row;
                story.event.id = row.event;
                story.event.type = row.type;
                story.attempts = m->attempts.value(id.value);
                story.receipts = m->receipts.value(id.value);
                for (const OperationRecord &operation : m->operations) {
                    if (matches(row, m->filters.value(operation.id), m->now))
                        story.operations.push_back(operation);
                }
                return story;
            }
            return Error{ErrorCode::NotFound, QStringLiteral("There is no such delivery.")};
        });
    }

    Result<EventStory> eventStory(const EventId &) override
    {
        return answer<EventStory>("eventStory", [] { return EventStory{}; });
    }
    Result<std::vector<EventRecord>> events(const Filter &, qint64, int) override
    {
        return answer<std::vector<EventRecord>>("events", [] { return std::vector<EventRecord>{}; });
    }

    Result<PreviewRecord> preview(const admin::OperationRequest &request) override
    {
        return answer<PreviewRecord>("preview", [&] {
            PreviewRecord preview;
            QSet<QString> people;
            QMap<QString, qint64> channels;
            QMap<QString, qint64> codes;
            for (const DeliveryRecord &row : matching(request.filter)) {
                ++preview.count;
                preview.changeable += allows(request.verb, row) && row.reason != Reason::SecretGone;
                people.insert(row.user.value);
                preview.possibleDuplicates += row.hasUnknown;
                preview.contentGone += row.reason == Reason::SecretGone;
                preview.expired += row.expiresAt < m->now;
                ++channels[toText(row.channel)];
                ++codes[row.lastCode];
            }
            preview.people = people.size();
            for (auto each = channels.cbegin(); each != channels.cend(); ++each)
                preview.byChannel.emplace_back(each.key(), each.value());
            for (auto each = codes.cbegin(); each != codes.cend(); ++each)
                preview.byCode.emplace_back(each.key(), each.value());
            return preview;
        });
    }

    Result<OperationRecord> submit(const admin::OperationRequest &request) override
    {
        return answer<OperationRecord>("submit", [&]() -> Result<OperationRecord> {
            OperationRecord record;
            record.id = qint64(m->operations.size()) + 1;
            record.verb = request.verb;
            record.filter = request.filter.toText();
            for (const DeliveryRecord &row : matching(request.filter))
                record.expected += allows(request.verb, row);
            if (record.expected == 0)
                return Error{ErrorCode::NotFound, QStringLiteral("Nothing matches any more; nothing was stored.")};
            record.reason = request.reason;
            record.actor = request.actor;
            record.createdAt = m->now;
            record.armedUntil = m->now + m->armed.value_or(request.armed);
            record.state = QStringLiteral("armed");
            m->filters[record.id] = request.filter;
            m->operations.push_back(record);
            return record;
        });
    }

    Result<OperationRecord> undo(qint64 id) override
    {
        return end("undo", id, QStringLiteral("armed"), QStringLiteral("undone"));
    }
    Result<OperationRecord> stop(qint64 id) override
    {
        return end("stop", id, QStringLiteral("running"), QStringLiteral("stopped"));
    }
    Result<OperationRecord> operation(qint64 id) override
    {
        return answer<OperationRecord>("operation", [&]() -> Result<OperationRecord> { return find(id); });
    }
    Result<std::vector<OperationItemRecord>> operationItems(qint64, const QString &, int) override
    {
        return answer<std::vector<OperationItemRecord>>("operationItems",
                                                        [] { return std::vector<OperationItemRecord>{}; });
    }
    Result<std::vector<OperationRecord>> operations(int) override
    {
        return answer<std::vector<OperationRecord>>("operations", [&] { return m->operations; });
    }

    Result<OperationRecord> pauseOperation(qint64 id, bool paused) override
    {
        return answer<OperationRecord>("pauseOperation", [&]() -> Result<OperationRecord> {
            auto record = find(id);
            if (record)
                record->isPaused = paused;
            return record;
        });
    }
    Result<OperationRecord> setOperationRate(qint64 id, int rate) override
    {
        return answer<OperationRecord>("setOperationRate", [&]() -> Result<OperationRecord> {
            auto record = find(id);
            if (record)
                record->rate = rate;
            return record;
        });
    }
    Result<std::vector<ProblemRecord>> problems(ProblemGrouping, const Filter &, int) override
    {
        return answer<std::vector<ProblemRecord>>("problems", [] { return std::vector<ProblemRecord>{}; });
    }
    Result<PersonRecord> person(const QString &, int) override
    {
        return answer<PersonRecord>("person", [] { return PersonRecord{}; });
    }
    Result<ForecastRecord> forecast(int) override
    {
        return answer<ForecastRecord>("forecast", [] { return ForecastRecord{}; });
    }
    Result<std::vector<ActivityPoint>> activity(Timestamp, Timestamp, Milliseconds) override
    {
        return answer<std::vector<ActivityPoint>>("activity", [] { return std::vector<ActivityPoint>{}; });
    }
    Result<std::vector<NoteRecord>> notes(const QString &, const QString &) override
    {
        return answer<std::vector<NoteRecord>>("notes", [] { return std::vector<NoteRecord>{}; });
    }
    Result<RightsRecord> rights() override
    {
        return answer<RightsRecord>("rights", [] {
            return RightsRecord{QStringLiteral("ana"), Role::Admin, false};
        });
    }
    Result<RevealedRecord> reveal(const DeliveryId &, const QString &) override
    {
        return answer<RevealedRecord>("reveal", [] { return RevealedRecord{}; });
    }
    Result<std::vector<AuditRecord>> audit(qint64, int) override
    {
        return answer<std::vector<AuditRecord>>("audit", [] { return std::vector<AuditRecord>{}; });
    }

private:
    // Sorts as the list does: newer first.
    static QString cursor(const DeliveryRecord &row)
    {
        QString inverted = row.id.value;
        for (QChar &each : inverted)
            each = QChar(char16_t(0xFFFF - each.unicode()));
        return QStringLiteral("%1|").arg(9'000'000'000'000'000 - row.createdAt.time_since_epoch().count(), 16, 10,
                                         QLatin1Char('0')) +
               inverted;
    }

    template <typename T, typename Body>
    Result<T> answer(const char *question, Body body)
    {
        std::unique_lock lock(m->mutex);
        if (const auto error = m->enter(QString::fromLatin1(question), lock))
            return *error;
        return body();
    }

    std::vector<DeliveryRecord> matching(const Filter &filter) const
    {
        std::vector<DeliveryRecord> rows;
        std::copy_if(m->rows.cbegin(), m->rows.cend(), std::back_inserter(rows),
                     [&](const DeliveryRecord &row) { return matches(row, filter, m->now); });
        return rows;
    }

    Result<OperationRecord> find(qint64 id) const
    {
        if (id < 1 || id > qint64(m->operations.size()))
            return Error{ErrorCode::NotFound, QStringLiteral("There is no such operation.")};
        return m->operations[size_t(id - 1)];
    }

    Result<OperationRecord> end(const char *question, qint64 id, const QString &from, const QString &to)
    {
        return answer<OperationRecord>(question, [&]() -> Result<OperationRecord> {
            auto found = find(id);
            if (found && found->state != from)
                return Error{ErrorCode::Refused, QStringLiteral("It is %1 already.").arg(found->state)};
            if (found)
                m->operations[size_t(id - 1)].state = to;
            return find(id);
        });
    }

    std::shared_ptr<FakeStore::Shared> m;
};

FakeStore::FakeStore()
    : m_shared(std::make_shared<Shared>())
    , m_now(*fromRfc3339(u"2026-11-30T14:30:00.000Z"))
{
    m_shared->now = m_now;
    m_shared->status.now = m_now;
    m_shared->status.isHealthy = true;
}

DeliveryRecord FakeStore::aDelivery(int number, DeliveryState state, Milliseconds age)
{
    DeliveryRecord record;
    record.id = DeliveryId(QStringLiteral("%1-5c1e-5d7a-8f00-6f1d2a9b4c3e").arg(number, 8, 16, QLatin1Char('0')));
    record.event = EventId(QStringLiteral("event-%1").arg(number));
    record.type = QStringLiteral("booking.confirmed");
    record.provider = QStringLiteral("resend");
    record.user = UserId(QStringLiteral("driver-%1").arg(number));
    record.addressMask = QStringLiteral("j…@example.com");
    record.category = QStringLiteral("bookings");
    record.state = state;
    record.reason = state == DeliveryState::Dead ? Reason::AttemptsSpent : Reason::None;
    record.attempts = state == DeliveryState::Dead ? 10 : 1;
    record.failures = state == DeliveryState::Dead ? 10 : 0;
    record.hasUnknown = state == DeliveryState::Unknown;
    record.lastOutcome = state == DeliveryState::Dead ? QStringLiteral("transient") : QString();
    record.lastCode = state == DeliveryState::Dead ? QStringLiteral("internal_server_error") : QString();
    record.lastStatus = state == DeliveryState::Dead ? 500 : 0;
    record.createdAt = m_now - age;
    record.dueAt = record.createdAt;
    record.expiresAt = m_now + Milliseconds(3'600'000);
    if (!isLive(state))
        record.endedAt = m_now - age / 2;
    record.version = 1;
    return record;
}

void FakeStore::add(const DeliveryRecord &record, const std::vector<AttemptRecord> &attempts)
{
    const std::lock_guard lock(m_shared->mutex);
    m_shared->rows.push_back(record);
    m_shared->sort();
    if (!attempts.empty())
        m_shared->attempts[record.id.value] = attempts;
}

void FakeStore::addMany(int count, DeliveryState state)
{
    const std::lock_guard lock(m_shared->mutex);
    for (int number = 1; number <= count; ++number)
        m_shared->rows.push_back(aDelivery(number, state, Milliseconds(60'000 + 1000 * number)));
    m_shared->sort();
}

void FakeStore::addReceipt(const DeliveryId &id, const ReceiptRecord &receipt)
{
    const std::lock_guard lock(m_shared->mutex);
    m_shared->receipts[id.value].push_back(receipt);
}

void FakeStore::change(const DeliveryId &id, const std::function<void(DeliveryRecord &)> &change)
{
    const std::lock_guard lock(m_shared->mutex);
    for (DeliveryRecord &row : m_shared->rows) {
        if (row.id == id) {
            change(row);
            ++row.version;
        }
    }
    m_shared->sort();
}

void FakeStore::remove(const DeliveryId &id)
{
    const std::lock_guard lock(m_shared->mutex);
    std::erase_if(m_shared->rows, [&](const DeliveryRecord &row) { return row.id == id; });
}

void FakeStore::setStatus(const StatusRecord &status)
{
    const std::lock_guard lock(m_shared->mutex);
    m_shared->status = status;
}

void FakeStore::fail(const std::optional<Error> &error)
{
    const std::lock_guard lock(m_shared->mutex);
    m_shared->error = error;
}

void FakeStore::hold()
{
    const std::lock_guard lock(m_shared->mutex);
    m_shared->held = true;
}

void FakeStore::setArmed(const std::optional<Milliseconds> &armed)
{
    const std::lock_guard lock(m_shared->mutex);
    m_shared->armed = armed;
}

void FakeStore::release()
{
    const std::lock_guard lock(m_shared->mutex);
    m_shared->held = false;
    m_shared->gate.notify_all();
}

int FakeStore::hanging() const
{
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->held ? m_shared->hanging : 0;
}

void FakeStore::runOperations()
{
    const std::lock_guard lock(m_shared->mutex);
    for (OperationRecord &operation : m_shared->operations) {
        if (operation.state != QLatin1String("armed"))
            continue;
        for (DeliveryRecord &row : m_shared->rows) {
            if (!matches(row, m_shared->filters.value(operation.id), m_now) || !allows(operation.verb, row))
                continue;
            row.state = operation.verb == QLatin1String("retry") ? DeliveryState::Ready : DeliveryState::Cancelled;
            row.reason = Reason::ByPerson;
            row.endedAt.reset();
            ++row.version;
            ++operation.done;
        }
        operation.state = QStringLiteral("done");
        operation.endedAt = m_now;
    }
}

qint64 FakeStore::asked(const QString &question) const
{
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->asked.value(question);
}

std::vector<OperationRecord> FakeStore::operations() const
{
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->operations;
}

std::unique_ptr<admin::Console> FakeStore::open()
{
    return std::make_unique<FakeConsole>(m_shared);
}

} // namespace sendoff::test
