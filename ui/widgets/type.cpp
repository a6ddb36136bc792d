#include "ui/widgets/type.h"

#include "ui/widgets/icons.h"

#include <QApplication>
#include <QStyle>
#include <QToolButton>

namespace sendoff::ui {

SizedLabel::SizedLabel(double factor, QFont::Weight weight, QWidget *parent)
    : QLabel(parent)
{
    QFont font = QApplication::font();
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * factor);
    else
        font.setPixelSize(int(font.pixelSize() * factor));
    font.setWeight(weight);
    setFont(font);
}

ElidedLabel::ElidedLabel(Qt::TextElideMode mode, QWidget *parent)
    : QLabel(parent)
    , m_mode(mode)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setTextFormat(Qt::PlainText);
}

void ElidedLabel::setFullText(const QString &text)
{
    m_text = text;
    setAccessibleName(text);
    updateGeometry();
    elide();
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 8, fontMetrics().height()};
}

QSize ElidedLabel::sizeHint() const
{
    // What is longer than a line of a dialog never widens it.
    return {std::min(fontMetrics().horizontalAdvance(m_text) + 2, fontMetrics().averageCharWidth() * 48),
            fontMetrics().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent *event)
{
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::elide()
{
    const QString shown = fontMetrics().elidedText(m_text, m_mode, width());
    QLabel::setText(shown);
    setToolTip(shown == m_text ? QString() : m_text);
}

void setTone(QLabel *label, Tone tone)
{
    static const QHash<Tone, QString> names{{Tone::Muted, QStringLiteral("muted")},
                                            {Tone::Success, QStringLiteral("success")},
                                            {Tone::Warning, QStringLiteral("warning")},
                                            {Tone::Danger, QStringLiteral("danger")}};
    const QString name = names.value(tone);
    if (label->property("tone").toString() == name)
        return;
    label->setProperty("tone", name);
    label->style()->unpolish(label);
    label->style()->polish(label);
}

void setIconButton(QToolButton *button, const QString &iconName, const QString &name)
{
    button->setIcon(icon(iconName));
    button->setAccessibleName(name);
    button->setToolTip(name);
}

void setTextIcon(QAbstractButton *button, const QIcon &icon)
{
    const int side = button->fontMetrics().height();
    button->setIcon(icon);
    button->setIconSize({side + 4, side});
}

QWidget *makeRule(QWidget *parent)
{
    auto *rule = new QFrame(parent);
    rule->setProperty("rule", true);
    return rule;
}

void setStyleFlag(QWidget *widget, const char *flag, bool on)
{
    if (widget->property(flag).toBool() == on)
        return;
    widget->setProperty(flag, on);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

} // namespace sendoff::ui
