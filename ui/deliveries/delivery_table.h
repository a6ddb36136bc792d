#pragma once
#include "ui/deliveries/delivery_model.h"

#include <QSet>
#include <QTableView>

class QPushButton;

namespace sendoff::ui {

// The list of deliveries: fixed row height, selection kept as ids beyond the window, the place kept while rows come
// and go, and a pill that offers what is new. Shows no dialog and asks nothing itself. Thread: GUI.
class DeliveryTable : public QTableView
{
    Q_OBJECT

public:
    explicit DeliveryTable(DeliveryModel &model, QWidget *parent = nullptr);

    // All chosen rows, also those that have slid out of the window.
    const QSet<QString> &chosen() const { return m_chosen; }
    DeliveryId currentId() const; // empty: none
    bool isAtTop() const;
    // Selects this row and brings it into view, where the window holds it.
    bool showDelivery(const DeliveryId &id);
    void retranslate();

Q_SIGNALS:
    void chosenChanged();
    void currentDeliveryChanged(const QString &id);
    void opened(); // Enter or a double click on a row

protected:
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void selectionChanged(const QItemSelection &selected, const QItemSelection &deselected) override;
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;

private:
    void sizeToFont();
    void fitColumns();
    void adoptCurrent(const QModelIndex &current);
    void rememberPlace();
    void restorePlace();
    void fetchAtEdges();
    void placePill();

    DeliveryModel &m_model;
    QPushButton *m_pill;
    QSet<QString> m_chosen;
    DeliveryId m_current;
    DeliveryId m_topRow;
    int m_topOffset = 0;
    bool m_merging = false;
};

} // namespace sendoff::ui
