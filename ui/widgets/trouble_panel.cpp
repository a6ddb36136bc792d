#include "ui/widgets/trouble_panel.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/type.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace sendoff::ui {

TroublePanel::TroublePanel(QWidget *parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_what(new SizedLabel(1.15, QFont::DemiBold, this))
    , m_why(new QLabel(this))
    , m_button(new QPushButton(this))
{
    m_icon->setAlignment(Qt::AlignCenter);
    for (QLabel *label : {m_what, m_why}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    setTone(m_why, Tone::Muted);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(24, 24, 24, 24);
    column->setSpacing(8);
    column->addStretch(2);
    column->addWidget(m_icon);
    column->addSpacing(4);
    column->addWidget(m_what);
    column->addWidget(m_why);
    column->addSpacing(8);
    column->addWidget(m_button, 0, Qt::AlignCenter);
    column->addStretch(3);
    m_button->hide();
    connect(m_button, &QPushButton::clicked, this, &TroublePanel::pressed);
}

void TroublePanel::tell(const QString &iconName, Tone tone, const QString &what, const QString &why,
                        const QString &button)
{
    m_iconName = iconName;
    m_tone = tone;
    m_what->setText(what);
    m_why->setText(why);
    m_why->setVisible(!why.isEmpty());
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    drawIcon();
}

QString TroublePanel::what() const
{
    return m_what->text();
}

void TroublePanel::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        drawIcon();
    QWidget::changeEvent(event);
}

void TroublePanel::drawIcon()
{
    const int side = fontMetrics().height() * 2;
    m_icon->setPixmap(icon(m_iconName, m_tone).pixmap(QSize(side, side), devicePixelRatioF()));
}

} // namespace sendoff::ui
