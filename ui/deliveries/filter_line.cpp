#include "ui/deliveries/filter_line.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/type.h"
#include "ui/widgets/wording.h"

#include <QAction>
#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QVBoxLayout>

namespace sendoff::ui {

FilterLine::FilterLine(QWidget *parent)
    : QWidget(parent)
    , m_edit(new QLineEdit(this))
    , m_mistake(new QLabel(this))
{
    m_edit->addAction(icon(QStringLiteral("filter"), Tone::Muted), QLineEdit::LeadingPosition);
    m_edit->installEventFilter(this);
    m_mistake->setWordWrap(true);
    m_mistake->setTextFormat(Qt::PlainText);
    setTone(m_mistake, Tone::Danger);
    m_mistake->hide();
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_edit);
    column->addWidget(m_mistake);
    retranslate();
    setFocusProxy(m_edit);
    connect(m_edit, &QLineEdit::returnPressed, this, [this] { apply(m_edit->text()); });
    connect(m_edit, &QLineEdit::textEdited, this, &FilterLine::clearMistake);
}

QString FilterLine::text() const
{
    return m_edit->text();
}

QString FilterLine::mistake() const
{
    return m_mistake->isHidden() ? QString() : m_mistake->text();
}

bool FilterLine::apply(const QString &text)
{
    if (m_edit->text() != text)
        m_edit->setText(text);
    auto filter = Filter::parse(text);
    if (!filter) {
        m_mistake->setText(Words::filterMistake(filter.error().message));
        m_mistake->show();
        m_edit->setAccessibleDescription(m_mistake->text());
        setStyleFlag(m_edit, "wrong", true);
        static const QRegularExpression place(QStringLiteral("position (\\d+)"));
        const auto match = place.match(filter.error().message);
        if (match.hasMatch()) {
            const int at = match.captured(1).toInt() - 1;
            qsizetype end = text.indexOf(u' ', at);
            end = end < 0 ? text.size() : end;
            m_edit->setSelection(at, int(end) - at);
        }
        return false;
    }
    clearMistake();
    m_filter = std::move(*filter);
    Q_EMIT applied(m_filter);
    return true;
}

void FilterLine::clearMistake()
{
    m_mistake->hide();
    m_edit->setAccessibleDescription({});
    setStyleFlag(m_edit, "wrong", false);
}

void FilterLine::takeLastTermAway()
{
    auto filter = Filter::parse(m_edit->text());
    if (!filter) {
        apply(m_filter.toText()); // a mistake: back to what holds
        return;
    }
    if (filter->terms.empty())
        return;
    filter->terms.pop_back();
    apply(filter->toText());
}

void FilterLine::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QWidget::changeEvent(event);
}

bool FilterLine::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride)) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Escape) {
            event->accept();
            if (event->type() == QEvent::KeyPress)
                takeLastTermAway();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void FilterLine::retranslate()
{
    m_edit->setAccessibleName(tr("Filter"));
    m_edit->setPlaceholderText(tr("Filter, for example channel:email code:429 age>1h"));
    m_edit->setToolTip(
        tr("Fields: %1. Enter applies, Esc takes the last term away.").arg(filterFields().join(QLatin1String(", "))));
}

} // namespace sendoff::ui
