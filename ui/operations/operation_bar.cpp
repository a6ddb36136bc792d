#include "ui/operations/operation_bar.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/wording.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>

namespace sendoff::ui {

namespace {

constexpr int tickMs = 200;
constexpr qint64 pollMs = 1000;

bool isOver(const OperationRecord &record)
{
    return record.state != QLatin1String("armed") && record.state != QLatin1String("running");
}

} // namespace

OperationBar::OperationBar(QWidget *parent)
    : QFrame(parent)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
    , m_progress(new QProgressBar(this))
    , m_action(new QPushButton(this))
    , m_close(new QPushButton(this))
{
    setProperty("notice", true);
    m_text->setWordWrap(true);
    m_action->setText(tr("Undo"));
    m_close->setText(tr("Close"));
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(fontMetrics().averageCharWidth() * 16);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 8, 8, 8);
    row->setSpacing(12);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    row->addWidget(m_progress);
    row->addWidget(m_action);
    row->addWidget(m_close);
    m_tick.setInterval(tickMs);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        showRecord();
        if (m_record && m_since.elapsed() >= pollMs && armedLeftMs() <= 0)
            poll();
    });
    connect(m_action, &QPushButton::clicked, this, &OperationBar::pressAction);
    connect(m_close, &QPushButton::clicked, this, [this] {
        m_slot.drop();
        m_tick.stop();
        m_record.reset();
        hide();
    });
    hide();
}

void OperationBar::setWorker(ConsoleWorker *worker)
{
    m_slot.drop();
    m_tick.stop();
    m_record.reset();
    m_worker = worker;
    hide();
}

void OperationBar::submit(const admin::OperationRequest &request)
{
    if (!m_worker)
        return;
    m_tick.stop();
    m_record.reset();
    m_trouble.clear();
    showText(QStringLiteral("info"), tr("Storing the operation …"));
    m_worker->ask(
        m_slot, [request](admin::Console &console) { return console.submit(request); },
        [this](Result<OperationRecord> record) {
            if (record)
                m_armedMs = (record->armedUntil - record->createdAt).count();
            take(std::move(record));
        });
}

void OperationBar::take(Result<OperationRecord> record)
{
    if (!record) {
        m_trouble = record.error().message;
        if (!m_record)
            m_tick.stop();
        showRecord();
        return;
    }
    m_trouble.clear();
    const bool stateMoved = !m_record || m_record->state != record->state || m_record->done != record->done;
    const bool isFirst = !m_record || m_record->id != record->id;
    m_record = std::move(*record);
    if (isFirst)
        m_since.start();
    if (isOver(*m_record))
        m_tick.stop();
    else
        m_tick.start();
    showRecord();
    if (stateMoved)
        Q_EMIT changed();
}

void OperationBar::poll()
{
    if (m_slot.isWaiting() || !m_worker)
        return;
    m_worker->ask(
        m_slot, [id = m_record->id](admin::Console &console) { return console.operation(id); },
        [this](Result<OperationRecord> record) { take(std::move(record)); });
}

qint64 OperationBar::armedLeftMs() const
{
    return m_record && m_record->state == QLatin1String("armed") ? m_armedMs - m_since.elapsed() : 0;
}

void OperationBar::undo()
{
    if (!m_record || m_record->state != QLatin1String("armed") || !m_worker)
        return;
    m_worker->ask(
        m_slot, [id = m_record->id](admin::Console &console) { return console.undo(id); },
        [this](Result<OperationRecord> record) { take(std::move(record)); });
}

void OperationBar::pressAction()
{
    if (!m_record)
        return;
    if (m_record->state == QLatin1String("armed")) {
        undo();
        return;
    }
    m_worker->ask(
        m_slot, [id = m_record->id](admin::Console &console) { return console.stop(id); },
        [this](Result<OperationRecord> record) { take(std::move(record)); });
}

QString OperationBar::message() const
{
    return isHidden() ? QString() : m_text->text();
}

void OperationBar::setEnginesAlive(int count)
{
    m_enginesAlive = count;
    if (m_record)
        showRecord();
}

void OperationBar::changeEvent(QEvent *event)
{
    if ((event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) && m_record)
        showRecord();
    QFrame::changeEvent(event);
}

void OperationBar::showText(const QString &iconName, const QString &text)
{
    const int side = fontMetrics().height();
    m_icon->setPixmap(icon(iconName, Tone::Accent).pixmap(QSize(side, side), devicePixelRatioF()));
    m_text->setText(text);
    m_progress->hide();
    m_action->hide();
    m_close->setText(tr("Close"));
    m_close->show();
    setVisible(true);
}

void OperationBar::showRecord()
{
    if (!m_trouble.isEmpty()) {
        showText(QStringLiteral("alert"), m_trouble);
        return;
    }
    if (!m_record)
        return;
    const bool isRetry = m_record->verb == QLatin1String("retry");
    const int count = int(m_record->expected);
    if (isOver(*m_record)) {
        showText(m_record->state == QLatin1String("done") ? QStringLiteral("check") : QStringLiteral("info"),
                 resultText());
        return;
    }
    const bool isArmed = m_record->state == QLatin1String("armed");
    const qint64 left = armedLeftMs();
    if (isArmed && left > 0) {
        const QString seconds = QLocale().toString((left + 999) / 1000);
        showText(QStringLiteral("state-scheduled"),
                 (isRetry ? tr("%n deliveries are retried in %1 s. Nothing has been touched yet.", nullptr, count)
                          : tr("%n deliveries are cancelled in %1 s. Nothing has been touched yet.", nullptr, count))
                     .arg(seconds));
        m_progress->setRange(0, int(m_armedMs));
        m_progress->setValue(int(m_armedMs - left));
    } else if (isArmed) {
        showText(QStringLiteral("state-scheduled"), m_enginesAlive == 0
                                                        ? tr("The operation waits for an engine: none is alive.")
                                                        : tr("An engine takes the operation up …"));
        m_progress->setRange(0, 0);
    } else {
        showText(QStringLiteral("state-leased"),
                 tr("Running: %1 of %2 done.")
                     .arg(QLocale().toString(m_record->done + m_record->skipped + m_record->failed),
                          QLocale().toString(m_record->expected)));
        m_progress->setRange(0, std::max(1, count));
        m_progress->setValue(int(m_record->done + m_record->skipped + m_record->failed));
    }
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->show();
    m_action->setText(isArmed ? tr("Undo") : tr("Stop the rest"));
    m_action->setToolTip(isArmed ? tr("Takes the operation back (Ctrl+Z)") : tr("What has left can't be called back."));
    m_action->show();
    m_close->hide();
}

QString OperationBar::resultText() const
{
    const OperationRecord &record = *m_record;
    if (record.state == QLatin1String("undone"))
        return tr("Undone. Nothing was touched.");
    QStringList parts;
    parts += record.verb == QLatin1String("retry") ? tr("%n retried", nullptr, int(record.done))
                                                   : tr("%n cancelled", nullptr, int(record.done));
    if (record.skipped > 0)
        parts += tr("%n skipped, their state had changed", nullptr, int(record.skipped));
    if (record.failed > 0)
        parts += tr("%n failed", nullptr, int(record.failed));
    const QString counts = parts.join(QLatin1String(" · "));
    if (record.state == QLatin1String("stopped"))
        return tr("Stopped: %1.").arg(counts);
    if (record.state == QLatin1String("failed"))
        return tr("Failed: %1. %2").arg(counts, record.detail);
    return tr("Done: %1.").arg(counts);
}

} // namespace sendoff::ui
