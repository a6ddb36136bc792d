#pragma once
#include "ui/console_worker.h"

#include <QElapsedTimer>
#include <QFrame>
#include <QTimer>

class QLabel;
class QProgressBar;
class QPushButton;

namespace sendoff::ui {

// Follows one operation: armed with a countdown and Undo, running with progress and Stop, then its result. Closing the
// window changes nothing about it: the engine runs it.
class OperationBar : public QFrame
{
    Q_OBJECT

public:
    explicit OperationBar(QWidget *parent = nullptr);

    void setWorker(ConsoleWorker *worker);
    // Stores the operation; what comes of it is shown here.
    void submit(const admin::OperationRequest &request);
    void undo();
    QString message() const;
    QString state() const { return m_record ? m_record->state : QString(); }
    // Told by the status poll; an armed operation whose time is up then says what it waits for.
    void setEnginesAlive(int count);

Q_SIGNALS:
    void changed(); // rows may have changed

protected:
    void changeEvent(QEvent *event) override;

private:
    void take(Result<OperationRecord> record);
    void poll();
    void showRecord();
    void showText(const QString &iconName, const QString &text);
    qint64 armedLeftMs() const;
    QString resultText() const;
    void pressAction();

    ConsoleWorker *m_worker = nullptr;
    AnswerSlot m_slot;
    std::optional<OperationRecord> m_record;
    QString m_trouble;
    int m_enginesAlive = -1;
    qint64 m_armedMs = 0;
    QElapsedTimer m_since;
    QTimer m_tick;
    QLabel *m_icon;
    QLabel *m_text;
    QProgressBar *m_progress;
    QPushButton *m_action;
    QPushButton *m_close;
};

} // namespace sendoff::ui
