#pragma once
#include "domain/filter.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace sendoff::ui {

// One line in the filter grammar. Enter applies; a mistake is said with its position and leaves the list as it was;
// Esc takes the last term away, never the page.
class FilterLine : public QWidget
{
    Q_OBJECT

public:
    explicit FilterLine(QWidget *parent = nullptr);

    QString text() const;
    // Shows and applies; false: it holds a mistake, which is shown.
    bool apply(const QString &text);
    const Filter &filter() const { return m_filter; }
    QLineEdit *edit() const { return m_edit; }
    QString mistake() const;

Q_SIGNALS:
    void applied(const sendoff::Filter &filter);

protected:
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void retranslate();
    void clearMistake();
    void takeLastTermAway();

    QLineEdit *m_edit;
    QLabel *m_mistake;
    Filter m_filter;
};

} // namespace sendoff::ui
