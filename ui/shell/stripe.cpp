#include "ui/shell/stripe.h"

#include "ui/widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace sendoff::ui {

namespace {

struct StripeColours
{
    QColor ground, ink;
};

// Production fills the edge with the colour of danger; the others stay calm.
StripeColours coloursOf(Environment environment, const QPalette &palette)
{
    const Tokens &tokens = tokensOf(palette);
    switch (environment) {
    case Environment::Production:
        return {tokens.danger, tokens.surface};
    case Environment::Test:
        return {tokens.info, tokens.surface};
    case Environment::Local:
        return {tokens.line, tokens.text};
    }
    return {tokens.line, tokens.text};
}

} // namespace

Stripe::Stripe(QWidget *parent)
    : QWidget(parent)
    , m_label(new QLabel(this))
{
    m_label->setTextFormat(Qt::PlainText);
    QFont font = m_label->font();
    font.setWeight(QFont::DemiBold);
    m_label->setFont(font);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(16, 3, 16, 4);
    row->addWidget(m_label, 1);
    hide();
}

void Stripe::setConnection(const std::optional<Connection> &connection)
{
    m_connection = connection;
    setVisible(m_connection.has_value());
    tell();
}

QString Stripe::text() const
{
    return m_label->text();
}

QString Stripe::environmentWord(Environment environment)
{
    switch (environment) {
    case Environment::Local:
        return tr("Local");
    case Environment::Test:
        return tr("Test");
    case Environment::Production:
        return tr("Production");
    }
    return {};
}

void Stripe::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)
        tell();
    QWidget::changeEvent(event);
}

void Stripe::paintEvent(QPaintEvent *)
{
    if (m_connection)
        QPainter(this).fillRect(rect(), coloursOf(m_connection->environment, palette()).ground);
}

void Stripe::tell()
{
    if (!m_connection)
        return;
    const bool isProduction = m_connection->environment == Environment::Production;
    const QString word = environmentWord(m_connection->environment);
    QStringList parts{isProduction ? word.toUpper() : word, m_connection->name};
    if (m_connection->lookOnly)
        parts += tr("look only");
    m_label->setText(parts.join(QStringLiteral(" · ")));
    m_label->setStyleSheet(QStringLiteral("color: %1").arg(coloursOf(m_connection->environment, palette()).ink.name()));
    update();
}

} // namespace sendoff::ui
