#pragma once
#include "domain/records.h"
#include "ui/widgets/theme.h"

#include <QListView>
#include <QStandardItemModel>

namespace sendoff::ui {

// One thing that happened to a delivery.
struct TimelineEntry
{
    Timestamp at;
    QString iconName;
    Tone tone = Tone::Plain;
    QString title;
    QString detail; // may be empty
};

// Everything a story holds, newest first: what it waits for, attempts, receipts, operations, its event.
std::vector<TimelineEntry> timelineOf(const DeliveryStory &story);

// Shows entries, each with its time, title and wrapped detail. Thread: GUI.
class Timeline : public QListView
{
    Q_OBJECT

public:
    explicit Timeline(QWidget *parent = nullptr);
    void setEntries(const std::vector<TimelineEntry> &entries);
    // As high as all entries need at this width.
    int heightForEntries() const;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fit();

    QStandardItemModel m_model;
};

} // namespace sendoff::ui
