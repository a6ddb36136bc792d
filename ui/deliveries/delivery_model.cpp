#include "ui/deliveries/delivery_model.h"

#include "ui/widgets/wording.h"

#include <QSet>
#include <algorithm>

namespace sendoff::ui {

namespace {

QSet<QString> idsOf(const std::vector<DeliveryRecord> &rows)
{
    QSet<QString> ids;
    ids.reserve(qsizetype(rows.size()));
    for (const DeliveryRecord &row : rows)
        ids.insert(row.id.value);
    return ids;
}

} // namespace

DeliveryModel::DeliveryModel(QObject *parent)
    : QAbstractTableModel(parent)
    , m_cursors{QString()}
    , m_now(Times::now())
{}

void DeliveryModel::setWorker(ConsoleWorker *worker)
{
    m_slot.drop();
    m_loading = Loading::Nothing;
    m_worker = worker;
}

void DeliveryModel::setFilter(const Filter &filter)
{
    m_filter = filter;
    m_slot.drop();
    m_loading = Loading::Nothing;
    beginResetModel();
    m_rows.clear();
    m_counts.clear();
    m_cursors = {QString()};
    m_firstPage = 0;
    m_next.clear();
    m_heldBack = 0;
    m_hasLoaded = false;
    endResetModel();
    if (!m_worker)
        return;
    m_loading = Loading::Reset;
    m_worker->ask(
        m_slot, [filter](admin::Console &console) { return console.deliveries(filter, DeliverySort::Newest, {}, pageSize); },
        [this](Result<DeliveryPage> page) {
            if (!take(page ? nullptr : &page.error()))
                return;
            Stretch stretch;
            stretch.cursors = {QString()};
            stretch.pages.push_back(std::move(*page));
            takeReset(std::move(stretch));
        });
}

bool DeliveryModel::take(const Error *error)
{
    m_loading = Loading::Nothing;
    if (error)
        Q_EMIT failed(*error);
    return !error;
}

void DeliveryModel::takeReset(Stretch stretch)
{
    m_taking = true;
    DeliveryPage &page = stretch.pages.front();
    beginResetModel();
    m_rows = std::move(page.rows);
    m_counts = {int(m_rows.size())};
    m_next = page.next;
    m_hasLoaded = true;
    endResetModel();
    m_taking = false;
    Q_EMIT loaded();
}

// Walks the window's pages again, up to the last row held (two pages more at the most), in one go on the worker.
void DeliveryModel::refresh(bool holdNew)
{
    if (!m_worker || m_taking || !m_hasLoaded || m_loading != Loading::Nothing)
        return;
    m_loading = Loading::Refresh;
    const QString start = m_cursors[size_t(m_firstPage)];
    const QString last = m_rows.empty() ? QString() : m_rows.back().id.value;
    const size_t most = std::min<size_t>(m_counts.size() + 2, maxPages);
    m_worker->ask(
        m_slot,
        [filter = m_filter, start, last, most](admin::Console &console) -> Result<Stretch> {
            Stretch stretch;
            for (QString cursor = start; stretch.pages.size() < most;) {
                auto page = console.deliveries(filter, DeliverySort::Newest, cursor, pageSize);
                if (!page)
                    return page.error();
                stretch.cursors.push_back(cursor);
                cursor = page->next;
                const bool metLast = std::any_of(page->rows.cbegin(), page->rows.cend(),
                                                 [&](const DeliveryRecord &row) { return row.id.value == last; });
                stretch.pages.push_back(std::move(*page));
                if (metLast || last.isEmpty() || cursor.isEmpty())
                    break;
            }
            return stretch;
        },
        [this, holdNew, first = m_firstPage](Result<Stretch> stretch) {
            if (!take(stretch ? nullptr : &stretch.error()))
                return;
            tellWhatLeft(*stretch);
            takeRefresh(std::move(*stretch), holdNew, first);
        });
}

void DeliveryModel::takeRefresh(Stretch stretch, bool holdNew, int firstPage)
{
    Rows wanted;
    m_counts.clear();
    m_heldBack = 0;
    const QSet<QString> known = idsOf(m_rows);
    const bool meets = std::any_of(stretch.pages.cbegin(), stretch.pages.cend(), [&](const DeliveryPage &page) {
        return std::any_of(page.rows.cbegin(), page.rows.cend(),
                           [&](const DeliveryRecord &row) { return known.contains(row.id.value); });
    });
    // Where nothing of the window is left there is no place to keep, so everything is shown.
    bool metKnown = firstPage > 0 || !meets || !holdNew;
    for (DeliveryPage &page : stretch.pages) {
        int taken = 0;
        for (DeliveryRecord &row : page.rows) {
            metKnown = metKnown || known.contains(row.id.value);
            if (!metKnown) {
                ++m_heldBack;
                continue;
            }
            wanted.push_back(std::move(row));
            ++taken;
        }
        m_counts.push_back(taken);
    }
    m_cursors.resize(size_t(firstPage));
    m_cursors.insert(m_cursors.end(), stretch.cursors.cbegin(), stretch.cursors.cend());
    m_firstPage = firstPage;
    m_next = stretch.pages.back().next;
    merge(wanted);
    Q_EMIT loaded();
}

void DeliveryModel::tellWhatLeft(const Stretch &stretch)
{
    QSet<QString> ids;
    for (const DeliveryPage &page : stretch.pages)
        ids.unite(idsOf(page.rows));
    QStringList gone;
    for (const DeliveryRecord &row : m_rows) {
        if (!ids.contains(row.id.value))
            gone += row.id.value;
    }
    if (!gone.isEmpty())
        Q_EMIT rowsLeft(gone);
}

void DeliveryModel::showNewest()
{
    if (!m_worker)
        return;
    m_slot.drop();
    m_loading = Loading::Refresh;
    m_worker->ask(
        m_slot, [filter = m_filter](admin::Console &console) { return console.deliveries(filter, DeliverySort::Newest, {}, pageSize); },
        [this](Result<DeliveryPage> page) {
            if (!take(page ? nullptr : &page.error()))
                return;
            Stretch stretch;
            stretch.cursors = {QString()};
            stretch.pages.push_back(std::move(*page));
            takeRefresh(std::move(stretch), false, 0);
        });
}

bool DeliveryModel::canFetchMore(const QModelIndex &parent) const
{
    return !parent.isValid() && m_worker && !m_taking && m_hasLoaded && !m_next.isEmpty() &&
           (m_loading == Loading::Nothing || m_loading == Loading::Refresh);
}

void DeliveryModel::fetchMore(const QModelIndex &parent)
{
    if (!canFetchMore(parent))
        return;
    m_loading = Loading::Next;
    m_worker->ask(
        m_slot,
        [filter = m_filter, cursor = m_next](admin::Console &console) {
            return console.deliveries(filter, DeliverySort::Newest, cursor, pageSize);
        },
        [this, cursor = m_next](Result<DeliveryPage> page) {
            if (take(page ? nullptr : &page.error()))
                takeNext(std::move(*page), cursor);
        });
}

void DeliveryModel::takeNext(DeliveryPage page, const QString &cursor)
{
    const QSet<QString> known = idsOf(m_rows);
    Rows fresh;
    for (DeliveryRecord &row : page.rows) {
        if (!known.contains(row.id.value))
            fresh.push_back(std::move(row));
    }
    Q_EMIT aboutToMerge();
    m_taking = true;
    m_cursors.resize(size_t(m_firstPage) + m_counts.size());
    m_cursors.push_back(cursor);
    insertRun(int(m_rows.size()), fresh.cbegin(), fresh.cend());
    m_counts.push_back(int(fresh.size()));
    m_next = page.next;
    while (m_counts.size() > maxPages)
        dropTop();
    m_taking = false;
    Q_EMIT merged();
    Q_EMIT loaded();
}

void DeliveryModel::fetchPrevious()
{
    if (!m_worker || m_taking || m_firstPage == 0 || (m_loading != Loading::Nothing && m_loading != Loading::Refresh))
        return;
    m_loading = Loading::Previous;
    const QString first = m_rows.empty() ? QString() : m_rows.front().id.value;
    const QString start = m_cursors[size_t(m_firstPage - 1)];
    m_worker->ask(
        m_slot,
        // Rows may have come in between, so the stretch goes on until it meets the window.
        [filter = m_filter, start, first](admin::Console &console) -> Result<Stretch> {
            Stretch stretch;
            for (QString cursor = start; stretch.pages.size() < 3;) {
                auto page = console.deliveries(filter, DeliverySort::Newest, cursor, pageSize);
                if (!page)
                    return page.error();
                stretch.cursors.push_back(cursor);
                cursor = page->next;
                const auto meets = std::find_if(page->rows.begin(), page->rows.end(),
                                                [&](const DeliveryRecord &row) { return row.id.value == first; });
                const bool met = meets != page->rows.end();
                page->rows.erase(meets, page->rows.end());
                stretch.pages.push_back(std::move(*page));
                if (met || cursor.isEmpty())
                    break;
            }
            return stretch;
        },
        [this](Result<Stretch> stretch) {
            if (take(stretch ? nullptr : &stretch.error()))
                takePrevious(std::move(*stretch));
        });
}

void DeliveryModel::takePrevious(Stretch stretch)
{
    const QSet<QString> known = idsOf(m_rows);
    Rows fresh;
    for (DeliveryPage &page : stretch.pages) {
        for (DeliveryRecord &row : page.rows) {
            if (!known.contains(row.id.value))
                fresh.push_back(std::move(row));
        }
    }
    Q_EMIT aboutToMerge();
    m_taking = true;
    insertRun(0, fresh.cbegin(), fresh.cend());
    m_counts.push_front(int(fresh.size()));
    --m_firstPage;
    while (m_counts.size() > maxPages)
        dropBottom();
    m_taking = false;
    Q_EMIT merged();
    Q_EMIT loaded();
}

void DeliveryModel::dropTop()
{
    const int count = m_counts.front();
    m_counts.pop_front();
    ++m_firstPage;
    if (count == 0)
        return;
    beginRemoveRows({}, 0, count - 1);
    m_rows.erase(m_rows.begin(), m_rows.begin() + count);
    endRemoveRows();
}

void DeliveryModel::dropBottom()
{
    const int count = m_counts.back();
    m_counts.pop_back();
    m_next = m_cursors[size_t(m_firstPage) + m_counts.size()];
    if (count == 0)
        return;
    const int size = int(m_rows.size());
    beginRemoveRows({}, size - count, size - 1);
    m_rows.erase(m_rows.end() - count, m_rows.end());
    endRemoveRows();
}

// Turns the rows held into the rows wanted with the fewest signals: what stays is never removed.
void DeliveryModel::merge(const Rows &wanted)
{
    Q_EMIT aboutToMerge();
    m_taking = true;
    removeStaleRows(wanted);
    QSet<QString> held = idsOf(m_rows);
    for (size_t at = 0; at < wanted.size(); ++at) {
        const DeliveryRecord &row = wanted[at];
        if (at < m_rows.size() && m_rows[at].id == row.id) {
            if (m_rows[at].version != row.version || m_rows[at].state != row.state) {
                m_rows[at] = row;
                Q_EMIT dataChanged(index(int(at), 0), index(int(at), ColumnCount - 1));
            }
            continue;
        }
        if (held.contains(row.id.value)) { // the order changed: rare, so it may cost
            const int from = rowOf(row.id);
            beginRemoveRows({}, from, from);
            m_rows.erase(m_rows.begin() + from);
            endRemoveRows();
        }
        auto last = wanted.cbegin() + qsizetype(at) + 1;
        while (last != wanted.cend() && !held.contains(last->id.value))
            ++last;
        insertRun(int(at), wanted.cbegin() + qsizetype(at), last);
        for (auto each = wanted.cbegin() + qsizetype(at); each != last; ++each)
            held.insert(each->id.value);
    }
    m_taking = false;
    Q_EMIT merged();
}

void DeliveryModel::removeStaleRows(const Rows &wanted)
{
    const QSet<QString> ids = idsOf(wanted);
    for (int last = int(m_rows.size()) - 1; last >= 0; --last) {
        if (ids.contains(m_rows[size_t(last)].id.value))
            continue;
        int first = last;
        while (first > 0 && !ids.contains(m_rows[size_t(first - 1)].id.value))
            --first;
        beginRemoveRows({}, first, last);
        m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
        endRemoveRows();
        last = first;
    }
}

void DeliveryModel::insertRun(int at, Rows::const_iterator first, Rows::const_iterator last)
{
    if (first == last)
        return;
    beginInsertRows({}, at, at + int(last - first) - 1);
    m_rows.insert(m_rows.begin() + at, first, last);
    endInsertRows();
}

int DeliveryModel::rowOf(const DeliveryId &id) const
{
    const auto found =
        std::find_if(m_rows.cbegin(), m_rows.cend(), [&](const DeliveryRecord &row) { return row.id == id; });
    return found == m_rows.cend() ? -1 : int(found - m_rows.cbegin());
}

void DeliveryModel::setNow(Timestamp now)
{
    m_now = now;
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, AgeColumn), index(int(m_rows.size()) - 1, AgeColumn), {Qt::DisplayRole});
}

void DeliveryModel::retranslate()
{
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(int(m_rows.size()) - 1, ColumnCount - 1));
}

int DeliveryModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int DeliveryModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DeliveryModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const DeliveryRecord &row = record(index.row());
    const auto column = Column(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::ToolTipRole:
        return explanation(row, column);
    case Qt::AccessibleTextRole:
        return Words::spoken(row, m_now);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (column == TriesColumn || column == AgeColumn ? Qt::AlignRight : Qt::AlignLeft));
    case IdRole:
        return row.id.value;
    case StateRole:
        return int(row.state);
    case ShortAnswerRole:
        return row.lastStatus >= 400 ? QString::number(row.lastStatus) : Words::answer(0, row.lastCode);
    case ChannelRole:
        return int(row.channel);
    default:
        return {};
    }
}

QString DeliveryModel::text(const DeliveryRecord &record, Column column) const
{
    switch (column) {
    case StateColumn:
        return Words::state(record.state);
    case TypeColumn:
        return record.type;
    case ChannelColumn:
        return Words::channel(record.channel);
    case RecipientColumn:
        return Words::recipient(record);
    case AnswerColumn:
        return Words::answer(record.lastStatus, record.lastCode);
    case TriesColumn:
        return QLocale().toString(record.attempts);
    case AgeColumn:
        return Times::relative(record.createdAt, m_now);
    case ColumnCount:
        break;
    }
    return {};
}

QString DeliveryModel::explanation(const DeliveryRecord &record, Column column) const
{
    switch (column) {
    case StateColumn:
        return Words::stateSentence(record);
    case TypeColumn:
        return record.type;
    case ChannelColumn:
        return record.provider.isEmpty() ? Words::channel(record.channel)
                                         : tr("%1 through %2").arg(Words::channel(record.channel), record.provider);
    case RecipientColumn:
        return record.user.isEmpty() ? QString() : tr("User %1").arg(record.user.value);
    case AnswerColumn:
        return record.attempts == 0 ? QString()
                                    : QStringLiteral("%1: %2").arg(Words::answer(record.lastStatus, record.lastCode),
                                                                   Words::outcome(record.lastOutcome));
    case TriesColumn:
        return tr("%n attempt(s)", nullptr, record.attempts) + QStringLiteral(", ") +
               tr("%n failure(s)", nullptr, record.failures);
    case AgeColumn:
        return Times::exact(record.createdAt);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant DeliveryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (section == TriesColumn || section == AgeColumn ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case StateColumn:
        return tr("State");
    case TypeColumn:
        return tr("Event");
    case ChannelColumn:
        return tr("Channel");
    case RecipientColumn:
        return tr("To");
    case AnswerColumn:
        return tr("Answer");
    case TriesColumn:
        return tr("Tries");
    case AgeColumn:
        return tr("Created");
    default:
        return {};
    }
}

} // namespace sendoff::ui
