#pragma once
#include "ui/console_worker.h"

#include <QAbstractTableModel>
#include <QHash>
#include <deque>

namespace sendoff::ui {

// A window of a filtered list of deliveries, newest first, fed page by page by a ConsoleWorker: at most maxRows rows
// are held, the far side is dropped. A refresh merges by id, so that selection and focus stay. Thread: GUI.
class DeliveryModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        StateColumn,
        TypeColumn,
        ChannelColumn,
        RecipientColumn,
        AnswerColumn,
        TriesColumn,
        AgeColumn,
        ColumnCount
    };
    enum Role { IdRole = Qt::UserRole, StateRole, ChannelRole, ShortAnswerRole };
    static constexpr int pageSize = 200;
    static constexpr int maxPages = 25;
    static constexpr int maxRows = pageSize * maxPages;

    explicit DeliveryModel(QObject *parent = nullptr);

    // Not owned; nullptr: the rows stay, nothing more is loaded.
    void setWorker(ConsoleWorker *worker);
    // Empties the list and loads its first page; loaded() or failed() answers.
    void setFilter(const Filter &filter);
    const Filter &filter() const { return m_filter; }
    // Loads the window again. With `holdNew` rows above the first one held stay hidden and are only counted.
    void refresh(bool holdNew);
    // Goes back to the newest page.
    void showNewest();
    // Loads the page above the window.
    void fetchPrevious();

    bool isLoading() const { return m_loading != Loading::Nothing; }
    bool hasLoaded() const { return m_hasLoaded; }
    bool startsAtNewest() const { return m_firstPage == 0; }
    bool endsAtOldest() const { return m_next.isEmpty(); }
    int heldBack() const { return m_heldBack; }
    const DeliveryRecord &record(int row) const { return m_rows[size_t(row)]; }
    int rowOf(const DeliveryId &id) const; // -1: not in the window
    // The database's time, against which ages are shown.
    void setNow(Timestamp now);
    Timestamp now() const { return m_now; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool canFetchMore(const QModelIndex &parent) const override;
    void fetchMore(const QModelIndex &parent) override;
    void retranslate();

Q_SIGNALS:
    void loaded(); // any answer was taken over
    void failed(const sendoff::Error &error);
    void aboutToMerge(); // rows will move: remember the place
    void merged();
    void rowsLeft(const QStringList &ids); // no longer match the filter; before merged()

private:
    enum class Loading { Nothing, Reset, Refresh, Next, Previous };
    using Rows = std::vector<DeliveryRecord>;
    // A stretch of pages in the order of the list; cursors[i] starts page i.
    struct Stretch
    {
        std::vector<DeliveryPage> pages;
        std::vector<QString> cursors;
    };

    void askNext(const QString &cursor, Loading loading);
    void takeReset(Stretch stretch);
    void takeRefresh(Stretch stretch, bool holdNew, int firstPage);
    void tellWhatLeft(const Stretch &stretch);
    void takeNext(DeliveryPage page, const QString &cursor);
    void takePrevious(Stretch stretch);
    bool take(const Error *error);
    void merge(const Rows &wanted);
    void removeStaleRows(const Rows &wanted);
    void insertRun(int at, Rows::const_iterator first, Rows::const_iterator last);
    void dropTop();
    void dropBottom();
    QString text(const DeliveryRecord &record, Column column) const;
    QString explanation(const DeliveryRecord &record, Column column) const;

    ConsoleWorker *m_worker = nullptr;
    AnswerSlot m_slot;
    Filter m_filter;
    Rows m_rows;
    std::vector<QString> m_cursors; // of every page ever passed, [0] is empty
    std::deque<int> m_counts;       // rows of each page in the window
    int m_firstPage = 0;            // of the window, an index into m_cursors
    QString m_next;                 // cursor behind the window, empty: it ends the list
    Loading m_loading = Loading::Nothing;
    bool m_hasLoaded = false;
    bool m_taking = false; // an answer is being taken over: views must not ask for more meanwhile
    int m_heldBack = 0;
    Timestamp m_now;
};

} // namespace sendoff::ui
