#pragma once
#include "ui/widgets/theme.h"

#include <QFont>
#include <QLabel>

class QAbstractButton;
class QToolButton;

namespace sendoff::ui {

// A label whose type is a multiple of the system's size, also after the system's font changes.
class SizedLabel : public QLabel
{
    Q_OBJECT

public:
    SizedLabel(double factor, QFont::Weight weight, QWidget *parent = nullptr);
};

// A label on one line that is cut in the middle where it finds no room; the whole text stands in the tooltip.
class ElidedLabel : public QLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(Qt::TextElideMode mode, QWidget *parent = nullptr);
    void setFullText(const QString &text);
    const QString &fullText() const { return m_text; }
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void elide();

    QString m_text;
    Qt::TextElideMode m_mode;
};

// The ink of a label, following the theme.
void setTone(QLabel *label, Tone tone);
// A button with an icon only: the name is what a screen reader says and the tooltip shows.
void setIconButton(QToolButton *button, const QString &iconName, const QString &name);
// An icon before a button's text, with room between the two.
void setTextIcon(QAbstractButton *button, const QIcon &icon);
// A hairline.
QWidget *makeRule(QWidget *parent);
// Sets a dynamic property that the stylesheet looks at, and has it looked at again.
void setStyleFlag(QWidget *widget, const char *flag, bool on);

} // namespace sendoff::ui
