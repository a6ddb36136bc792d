#pragma once
#include "ui/connection.h"

#include <QWidget>

class QLabel;

namespace sendoff::ui {

// The coloured top edge that says which store a window or dialog acts on.
class Stripe : public QWidget
{
    Q_OBJECT

public:
    explicit Stripe(QWidget *parent = nullptr);
    void setConnection(const std::optional<Connection> &connection);
    QString text() const;
    static QString environmentWord(Environment environment);

protected:
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void tell();

    QLabel *m_label;
    std::optional<Connection> m_connection;
};

} // namespace sendoff::ui
