#pragma once
#include "ui/story/backoff_curve.h"

#include <QWidget>

class QChartView;
class QLabel;
class QStackedWidget;
class QTableWidget;
class QToolButton;

namespace sendoff::ui {

// The retry policy's curve with its jitter band and one delivery's real waits on it; its table twin behind a button
// and its summary below. Follows theme and language. Thread: GUI.
class BackoffChart : public QWidget
{
    Q_OBJECT

public:
    explicit BackoffChart(QWidget *parent = nullptr);
    ~BackoffChart() override;

    void setCurve(const BackoffCurve &curve);
    QString summary() const;
    void showTable(bool on);

protected:
    void changeEvent(QEvent *event) override;

private:
    void draw();
    void fillTable();
    void retranslate();

    BackoffCurve m_curve;
    QLabel *m_title;
    QToolButton *m_toggle;
    QStackedWidget *m_stack;
    QChartView *m_view;
    QTableWidget *m_table;
    QLabel *m_key;
    QLabel *m_summary;
};

} // namespace sendoff::ui
