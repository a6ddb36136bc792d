#include "ui/story/story_dock.h"

#include "ui/story/backoff_chart.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/trouble_panel.h"
#include "ui/widgets/type.h"
#include "ui/widgets/wording.h"

#include <QClipboard>
#include <QEvent>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace sendoff::ui {

namespace {
constexpr int restMs = 120;
}

StoryDock::StoryDock(QWidget *parent)
    : QDockWidget(parent)
{
    setObjectName(QStringLiteral("story"));
    setFeatures(DockWidgetMovable | DockWidgetClosable);
    setTitleBarWidget(new QWidget(this));
    build();
    m_rest.setSingleShot(true);
    m_rest.setInterval(restMs);
    connect(&m_rest, &QTimer::timeout, this, &StoryDock::ask);
    connect(m_copy, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_idLabel->fullText()); });
    tellNothing();
}

void StoryDock::build()
{
    m_stack = new QStackedWidget(this);
    m_stack->setObjectName(QStringLiteral("storyPane"));
    m_trouble = new TroublePanel(this);
    auto *scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_content = new QWidget(this);
    m_content->setObjectName(QStringLiteral("storyPane"));
    scroll->setWidget(m_content);
    m_stack->addWidget(m_trouble);
    m_stack->addWidget(scroll);
    m_stack->setMinimumWidth(fontMetrics().averageCharWidth() * 40);
    setWidget(m_stack);

    m_icon = new QLabel(m_content);
    m_state = new SizedLabel(1.2, QFont::DemiBold, m_content);
    m_sentence = new QLabel(m_content);
    m_sentence->setWordWrap(true);
    m_idLabel = new ElidedLabel(Qt::ElideMiddle, m_content);
    m_idLabel->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setTone(m_idLabel, Tone::Muted);
    m_copy = new QToolButton(m_content);
    m_timelineTitle = new SizedLabel(1.0, QFont::DemiBold, m_content);
    m_timeline = new Timeline(m_content);
    m_chart = new BackoffChart(m_content);

    auto *head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(m_icon);
    head->addWidget(m_state, 1);
    auto *id = new QHBoxLayout;
    id->addWidget(m_idLabel, 1);
    id->addWidget(m_copy);
    m_facts = new QFormLayout;
    m_facts->setHorizontalSpacing(16);
    m_facts->setVerticalSpacing(4);
    m_facts->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto *column = new QVBoxLayout(m_content);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addLayout(head);
    column->addWidget(m_sentence);
    column->addLayout(id);
    column->addLayout(m_facts);
    column->addSpacing(4);
    column->addWidget(makeRule(m_content));
    column->addWidget(m_timelineTitle);
    column->addWidget(m_timeline);
    column->addSpacing(4);
    column->addWidget(makeRule(m_content));
    column->addWidget(m_chart);
    column->addStretch(1);
}

void StoryDock::setWorker(ConsoleWorker *worker)
{
    m_slot.drop();
    m_rest.stop();
    m_worker = worker;
    m_id = {};
    m_story.reset();
    tellNothing();
}

void StoryDock::showDelivery(const DeliveryId &id)
{
    if (id == m_id)
        return;
    m_slot.drop();
    m_id = id;
    if (id.isEmpty()) {
        m_rest.stop();
        m_story.reset();
        tellNothing();
    } else {
        m_rest.start();
    }
}

void StoryDock::refresh()
{
    if (!m_id.isEmpty() && !m_rest.isActive() && !m_slot.isWaiting())
        ask();
}

void StoryDock::ask()
{
    if (!m_worker || m_id.isEmpty())
        return;
    m_worker->ask(
        m_slot, [id = m_id](admin::Console &console) { return console.story(id); },
        [this](Result<DeliveryStory> story) {
            if (story)
                tell(*story);
            else
                tellTrouble(story.error().message);
        });
}

void StoryDock::addFact(const QString &name, const QString &value)
{
    auto *label = new QLabel(name, m_content);
    setTone(label, Tone::Muted);
    auto *text = new ElidedLabel(Qt::ElideRight, m_content);
    text->setFullText(value);
    m_facts->addRow(label, text);
}

void StoryDock::tell(const DeliveryStory &story)
{
    const bool isSame =
        m_story && m_story->delivery.id == story.delivery.id && m_story->delivery.version == story.delivery.version &&
        m_story->operations.size() == story.operations.size() && m_story->receipts.size() == story.receipts.size();
    m_story = story;
    if (isSame && m_stack->currentIndex() == 1) {
        Q_EMIT shown();
        return; // nothing moves under the reader
    }
    const DeliveryRecord &delivery = story.delivery;
    const int side = m_state->fontMetrics().height();
    m_icon->setPixmap(icon(Words::iconName(delivery.state), Words::tone(delivery.state))
                          .pixmap(QSize(side, side), devicePixelRatioF()));
    m_state->setText(Words::state(delivery.state));
    m_sentence->setText(Words::stateSentence(delivery));
    m_idLabel->setFullText(delivery.id.value);
    while (m_facts->rowCount() > 0)
        m_facts->removeRow(0);
    addFact(tr("Event"), delivery.type);
    addFact(tr("To"), delivery.user.isEmpty() || delivery.addressMask.isEmpty()
                          ? Words::recipient(delivery)
                          : tr("%1 (user %2)").arg(delivery.addressMask, delivery.user.value));
    addFact(tr("Channel"), delivery.provider.isEmpty()
                               ? Words::channel(delivery.channel)
                               : tr("%1 through %2").arg(Words::channel(delivery.channel), delivery.provider));
    addFact(tr("Lane"), Words::lane(delivery.lane));
    addFact(tr("Created"), Times::exact(delivery.createdAt));
    if (delivery.state == DeliveryState::Scheduled)
        addFact(tr("Due"), Times::exact(delivery.dueAt));
    addFact(tr("Expires"), Times::exact(delivery.expiresAt));
    if (!delivery.detail.isEmpty())
        addFact(tr("Detail"), delivery.detail);
    m_timelineTitle->setText(tr("Story"));
    m_timeline->setAccessibleName(tr("Story, newest first"));
    m_timeline->setEntries(timelineOf(story));
    m_chart->setCurve(backoffCurve(story));
    // A chart of waits says nothing about a message that never waited.
    m_chart->setVisible(delivery.channel != Channel::Inbox && delivery.attempts > 0);
    setIconButton(m_copy, QStringLiteral("copy"), tr("Copy the delivery's id"));
    m_stack->setCurrentIndex(1);
    Q_EMIT shown();
}

void StoryDock::tellNothing()
{
    m_trouble->tell(QStringLiteral("receipt"), Tone::Muted, tr("No delivery selected"),
                    tr("Choose a row to read what happened to it."), {});
    m_stack->setCurrentIndex(0);
}

void StoryDock::tellTrouble(const QString &text)
{
    m_trouble->tell(QStringLiteral("alert"), Tone::Warning, tr("The story could not be loaded"), text, {});
    m_stack->setCurrentIndex(0);
    m_story.reset();
}

void StoryDock::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) {
        setWindowTitle(tr("Story"));
        if (m_story) {
            m_stack->setCurrentIndex(0);
            tell(DeliveryStory(*m_story));
        } else if (m_id.isEmpty()) {
            tellNothing();
        }
    }
    QDockWidget::changeEvent(event);
}

void StoryDock::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT closed();
    else
        QDockWidget::keyPressEvent(event);
}

} // namespace sendoff::ui
