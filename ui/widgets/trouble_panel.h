#pragma once
#include "ui/widgets/theme.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace sendoff::ui {

// What a page shows in place of an empty table: an icon, one sentence what, one why, and one button.
class TroublePanel : public QWidget
{
    Q_OBJECT

public:
    explicit TroublePanel(QWidget *parent = nullptr);

    // An empty `button` text shows none.
    void tell(const QString &iconName, Tone tone, const QString &what, const QString &why, const QString &button);
    QString what() const;
    QPushButton *button() const { return m_button; }

Q_SIGNALS:
    void pressed();

protected:
    void changeEvent(QEvent *event) override;

private:
    void drawIcon();

    QLabel *m_icon;
    QLabel *m_what;
    QLabel *m_why;
    QPushButton *m_button;
    QString m_iconName = QStringLiteral("info");
    Tone m_tone = Tone::Muted;
};

} // namespace sendoff::ui
