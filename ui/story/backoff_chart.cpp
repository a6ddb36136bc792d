#include "ui/story/backoff_chart.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/type.h"
#include "ui/widgets/wording.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QChart>
#include <QChartView>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineSeries>
#include <QScatterSeries>
#include <QStackedWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <QValueAxis>
#include <cmath>

namespace sendoff::ui {

namespace {

// Waits span from a second to an hour: only a logarithm shows the first ones.
double heightOf(Milliseconds wait)
{
    return std::log10(std::max(1.0, double(wait.count()) / 1000.0));
}

void setAxisInk(QAbstractAxis *axis, const Tokens &tokens, const QFont &font)
{
    axis->setLabelsColor(tokens.muted);
    axis->setLabelsFont(font);
    axis->setTitleFont(font);
    axis->setTitleBrush(tokens.muted);
    axis->setGridLinePen(QPen(tokens.line, 1));
    axis->setLinePen(QPen(tokens.line, 1));
}

} // namespace

BackoffChart::BackoffChart(QWidget *parent)
    : QWidget(parent)
    , m_title(new SizedLabel(1.0, QFont::DemiBold, this))
    , m_toggle(new QToolButton(this))
    , m_stack(new QStackedWidget(this))
    , m_view(new QChartView(this))
    , m_table(new QTableWidget(0, 3, this))
    , m_key(new SizedLabel(0.9, QFont::Normal, this))
    , m_summary(new SizedLabel(0.9, QFont::Normal, this))
{
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setFocusPolicy(Qt::NoFocus);
    m_view->chart()->setAnimationOptions(QChart::NoAnimation);
    m_view->chart()->legend()->hide();
    m_view->chart()->setMargins({0, 0, 0, 0});
    m_view->chart()->setBackgroundRoundness(0);
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_table);
    m_stack->setFixedHeight(fontMetrics().height() * 12);
    m_summary->setWordWrap(true);
    m_key->setWordWrap(true);
    setTone(m_summary, Tone::Muted);
    m_toggle->setCheckable(true);

    auto *head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_toggle);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(m_stack);
    column->addWidget(m_key);
    column->addWidget(m_summary);
    retranslate();
    connect(m_toggle, &QToolButton::toggled, this, &BackoffChart::showTable);
}

BackoffChart::~BackoffChart() = default;

void BackoffChart::setCurve(const BackoffCurve &curve)
{
    m_curve = curve;
    draw();
    fillTable();
    retranslate();
}

QString BackoffChart::summary() const
{
    return m_summary->text();
}

void BackoffChart::showTable(bool on)
{
    m_toggle->setChecked(on);
    m_stack->setCurrentWidget(on ? static_cast<QWidget *>(m_table) : m_view);
}

void BackoffChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::LanguageChange) {
        retranslate();
        draw();
    }
    if (event->type() == QEvent::LanguageChange)
        fillTable();
    QWidget::changeEvent(event);
}

void BackoffChart::draw()
{
    const Tokens &tokens = tokensOf(palette());
    QChart *chart = m_view->chart();
    chart->removeAllSeries();
    const auto axes = chart->axes();
    for (QAbstractAxis *axis : axes) {
        chart->removeAxis(axis);
        delete axis;
    }
    chart->setBackgroundBrush(tokens.surface);
    m_view->setBackgroundBrush(tokens.surface);
    if (m_curve.waits.empty())
        return;

    QList<QPointF> most, least, own, asked;
    for (const BackoffCurve::Wait &wait : m_curve.waits) {
        most += QPointF(wait.failure, heightOf(wait.most));
        least += QPointF(wait.failure, heightOf(wait.least));
        if (wait.own)
            own += QPointF(wait.failure, heightOf(*wait.own));
        if (wait.asked)
            asked += QPointF(wait.failure, heightOf(*wait.asked));
    }
    auto *upper = new QLineSeries;
    auto *lower = new QLineSeries;
    upper->replace(most);
    lower->replace(least);
    auto *band = new QAreaSeries(upper, lower);
    upper->setParent(band);
    lower->setParent(band);
    QColor fill = tokens.accent;
    fill.setAlpha(48);
    band->setBrush(fill);
    band->setPen(QPen(tokens.accent, 1, Qt::DashLine));
    const auto points = [&](const QList<QPointF> &at, QScatterSeries::MarkerShape shape, const QColor &colour) {
        auto *series = new QScatterSeries;
        series->replace(at);
        series->setMarkerShape(shape);
        series->setMarkerSize(9);
        series->setColor(colour);
        series->setBorderColor(tokens.surface);
        return series;
    };
    QList<QAbstractSeries *> all{band, points(own, QScatterSeries::MarkerShapeCircle, tokens.danger),
                                 points(asked, QScatterSeries::MarkerShapeRotatedRectangle, tokens.warning)};

    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    auto *across = new QValueAxis;
    across->setRange(0.5, double(m_curve.waits.back().failure) + 0.5);
    across->setTickType(QValueAxis::TicksDynamic);
    across->setTickAnchor(1);
    across->setTickInterval(1);
    across->setLabelFormat(QStringLiteral("%d"));
    across->setTitleText(tr("after failure"));
    auto *up = new QCategoryAxis;
    up->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    const double top = heightOf(m_curve.policy.max) + 0.2;
    const double bottom = std::max(0.0, heightOf(m_curve.waits.front().least) - 0.25);
    up->setStartValue(bottom);
    for (const qint64 seconds : {1, 10, 60, 600, 3600, 36000}) {
        const double height = heightOf(Milliseconds(seconds * 1000));
        if (height >= bottom && height <= top)
            up->append(Times::duration(Milliseconds(seconds * 1000)), height);
    }
    up->setRange(bottom, top);
    chart->addAxis(across, Qt::AlignBottom);
    chart->addAxis(up, Qt::AlignLeft);
    for (QAbstractAxis *axis : {static_cast<QAbstractAxis *>(across), static_cast<QAbstractAxis *>(up)})
        setAxisInk(axis, tokens, small);
    across->setGridLineVisible(false);
    for (QAbstractSeries *series : all) {
        chart->addSeries(series);
        series->attachAxis(across);
        series->attachAxis(up);
    }
}

void BackoffChart::fillTable()
{
    m_table->setRowCount(int(m_curve.waits.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const BackoffCurve::Wait &wait = m_curve.waits[size_t(row)];
        QStringList real;
        if (wait.own)
            real += Times::duration(*wait.own);
        if (wait.asked)
            real += tr("%1 (asked)").arg(Times::duration(*wait.asked));
        const QString texts[] = {QString::number(wait.failure), waitRange(wait),
                                 real.isEmpty() ? QStringLiteral("–") : real.join(QStringLiteral(", "))};
        for (int column = 0; column < 3; ++column) {
            auto *cell = new QTableWidgetItem(texts[column]);
            cell->setToolTip(texts[column]);
            cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            cell->setData(
                Qt::AccessibleTextRole,
                tr("After failure %1 the policy waits %2, this delivery %3").arg(texts[0], texts[1], texts[2]));
            m_table->setItem(row, column, cell);
        }
    }
}

void BackoffChart::retranslate()
{
    m_title->setText(tr("Waits between attempts"));
    setIconButton(m_toggle, QStringLiteral("table"), tr("Show as a table"));
    m_table->setHorizontalHeaderLabels({tr("Failure"), tr("Policy"), tr("Waited")});
    m_table->setAccessibleName(tr("Waits between attempts"));
    m_view->setAccessibleName(tr("Waits between attempts"));
    const QString text = m_curve.waits.empty() ? QString() : backoffSummary(m_curve);
    m_view->setAccessibleDescription(text);
    m_summary->setText(text);
    const Tokens &tokens = tokensOf(palette());
    const auto mark = [](const QColor &colour, QChar sign, const QString &meaning) {
        return QStringLiteral("<span style=\"color:%1\">%2</span>&nbsp;%3")
            .arg(colour.name(), sign, meaning.toHtmlEscaped());
    };
    m_key->setText(QStringList{mark(tokens.danger, QChar(0x25CF), tr("waited")),
                               mark(tokens.warning, QChar(0x25C6), tr("asked by the provider")),
                               mark(tokens.accent, QChar(0x25A4), tr("policy"))}
                       .join(QStringLiteral("&nbsp;&nbsp; ")));
}

} // namespace sendoff::ui
