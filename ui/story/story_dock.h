#pragma once
#include "ui/console_worker.h"
#include "ui/story/timeline.h"

#include <QDockWidget>
#include <QTimer>

class QFormLayout;
class QLabel;
class QStackedWidget;
class QToolButton;

namespace sendoff::ui {

class BackoffChart;
class ElidedLabel;
class TroublePanel;

// The inspector: one delivery's state in a sentence, its facts, what happened to it newest first, and its waits on the
// backoff curve. Loads after a short rest, so that arrowing through a list asks nothing. Esc gives the focus back.
class StoryDock : public QDockWidget
{
    Q_OBJECT

public:
    explicit StoryDock(QWidget *parent = nullptr);

    void setWorker(ConsoleWorker *worker);
    // Empty: nothing is selected.
    void showDelivery(const DeliveryId &id);
    // Loads what is shown again, without a rest.
    void refresh();
    const std::optional<DeliveryStory> &story() const { return m_story; }
    BackoffChart *chart() const { return m_chart; }

Q_SIGNALS:
    void closed(); // Esc
    void shown();  // a story was loaded

protected:
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void build();
    void ask();
    void tell(const DeliveryStory &story);
    void tellNothing();
    void tellTrouble(const QString &text);
    void addFact(const QString &name, const QString &value);

    ConsoleWorker *m_worker = nullptr;
    AnswerSlot m_slot;
    QTimer m_rest;
    DeliveryId m_id;
    std::optional<DeliveryStory> m_story;
    QStackedWidget *m_stack = nullptr;
    TroublePanel *m_trouble = nullptr;
    QWidget *m_content = nullptr;
    QLabel *m_icon = nullptr;
    QLabel *m_state = nullptr;
    QLabel *m_sentence = nullptr;
    ElidedLabel *m_idLabel = nullptr;
    QToolButton *m_copy = nullptr;
    QFormLayout *m_facts = nullptr;
    QLabel *m_timelineTitle = nullptr;
    Timeline *m_timeline = nullptr;
    BackoffChart *m_chart = nullptr;
};

} // namespace sendoff::ui
