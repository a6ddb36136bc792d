#pragma once
#include "ui/deliveries/delivery_model.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTimer;
class QToolButton;

namespace sendoff::ui {

class DeliveryTable;
class FilterLine;
class OperationBar;
class OperationDialog;
class TroublePanel;

// A list of deliveries with its filter, its numbers and its commands. Two of the pages are this with another filter to
// start with: all deliveries, and the dead letters. Thread: GUI.
class DeliveriesPage : public QWidget
{
    Q_OBJECT

public:
    enum class Kind { All, DeadLetters };
    DeliveriesPage(Kind kind, QWidget *parent = nullptr);
    ~DeliveriesPage() override;

    // `quick` for lists and commands, `slow` for counts and previews; not owned. nullptr: what is shown stays, greyed.
    void setWorkers(ConsoleWorker *quick, ConsoleWorker *slow, const Connection &connection, const QString &actor);
    void setEnginesAlive(int count);
    void setNow(Timestamp now);
    void refresh();
    // Looks for the delivery in this list; where it is not on the first page the filter becomes its id.
    void showDelivery(const DeliveryId &id);
    QString title() const;

    DeliveryModel &model() { return m_model; }
    DeliveryTable &table() { return *m_table; }
    FilterLine &filterLine() { return *m_filterLine; }
    OperationBar &operationBar() { return *m_bar; }
    TroublePanel &trouble() { return *m_trouble; }
    // Opens the question for "retry" or "cancel"; nullptr where the button would be disabled.
    OperationDialog *openOperation(const QString &verb);

Q_SIGNALS:
    void deliverySelected(const QString &id);
    void deliveryOpened();
    void troubled(const sendoff::Error &error);
    void recovered();

protected:
    void changeEvent(QEvent *event) override;

private:
    void build();
    void addShortcuts();
    void retranslate();
    void applyFilter(const Filter &filter);
    void countMatching();
    void takeLoaded();
    void takeFailure(const Error &error);
    void showList();
    void showEmpty();
    void updateNumbers();
    void updateActions();
    QString whyNot(const QString &verb) const;
    void pressTrouble();
    QString startFilter() const;

    Kind m_kind;
    ConsoleWorker *m_quick = nullptr;
    ConsoleWorker *m_slow = nullptr;
    Connection m_connection;
    QString m_actor;
    AnswerSlot m_countSlot;
    std::optional<qint64> m_matching;
    DeliveryModel m_model;
    DeliveryId m_wanted; // to be shown as soon as it is loaded
    bool m_inTrouble = false;
    bool m_focusToReturn = false; // the table had it when it was greyed
    QLabel *m_title = nullptr;
    QLabel *m_numbers = nullptr;
    FilterLine *m_filterLine = nullptr;
    QToolButton *m_refresh = nullptr;
    QPushButton *m_retry = nullptr;
    QPushButton *m_cancel = nullptr;
    OperationBar *m_bar = nullptr;
    QLabel *m_banner = nullptr;
    QStackedWidget *m_stack = nullptr;
    DeliveryTable *m_table = nullptr;
    TroublePanel *m_trouble = nullptr;
};

} // namespace sendoff::ui
