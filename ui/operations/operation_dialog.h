#pragma once
#include "ui/console_worker.h"
#include "ui/widgets/theme.h"

#include <QDialog>

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;

namespace sendoff::ui {

// One question before a command: what it would do, in numbers from the store, and why it is done. Closing it changes
// nothing; accepted() means that request() may be submitted.
class OperationDialog : public QDialog
{
    Q_OBJECT

public:
    struct Scope
    {
        QStringList chosen;       // ids of the rows a person selected; may be empty
        Filter matching;          // the list's filter
        qint64 matchingCount = 0; // capped; the label of the choice
    };
    // `verb` is "retry" or "cancel".
    OperationDialog(const QString &verb, Scope scope, ConsoleWorker &worker, const Connection &connection,
                    QWidget *parent = nullptr);

    admin::OperationRequest request() const;
    // How many it would change by the preview shown; -1: not known yet.
    qint64 previewedCount() const { return m_preview ? m_preview->changeable : -1; }
    // More rows than these can't be named one by one in a stored filter.
    static constexpr int maxChosen = 200;
    // From this number on a reason must be given.
    static constexpr qint64 reasonFrom = 100;

private:
    void build(const Connection &connection);
    void askPreview();
    void showPreview();
    void showTrouble(const QString &text);
    void updateButton();
    void fit();
    void addFact(const QString &what, const QString &number, Tone tone = Tone::Plain);
    QString question() const;
    QString verbLabel(qint64 count) const;
    Filter scopeFilter() const;
    bool isRetry() const { return m_verb == QLatin1String("retry"); }

    QString m_verb;
    Scope m_scope;
    ConsoleWorker &m_worker;
    AnswerSlot m_slot;
    std::optional<PreviewRecord> m_preview;
    QLabel *m_question = nullptr;
    QRadioButton *m_chosenOnly = nullptr;
    QRadioButton *m_allMatching = nullptr;
    QWidget *m_facts = nullptr;
    QGridLayout *m_grid = nullptr;
    QLabel *m_consequence = nullptr;
    QLineEdit *m_reason = nullptr;
    QPushButton *m_accept = nullptr;
};

} // namespace sendoff::ui
