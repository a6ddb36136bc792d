// Theme, icons, wording, filter line and backoff curve, each alone.
#include "ui/connect/recent_connections.h"
#include "ui/deliveries/filter_line.h"
#include "ui/story/backoff_chart.h"
#include "ui/story/timeline.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wording.h"

#include <QApplication>
#include <QDir>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

using namespace sendoff;
using namespace sendoff::ui;

namespace {

double luminance(const QColor &colour)
{
    const auto part = [](double channel) {
        return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) + 0.0722 * part(colour.blueF());
}

double contrast(const QColor &ink, const QColor &ground)
{
    const double a = luminance(ink);
    const double b = luminance(ground);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

DeliveryStory storyWithWaits(const std::vector<qint64> &seconds, double share = 0.9)
{
    DeliveryStory story;
    int number = 0;
    for (const qint64 wait : seconds) {
        AttemptRecord attempt;
        attempt.number = ++number;
        attempt.outcome = toText(Outcome::Transient);
        attempt.nextDelay = Milliseconds(qint64(double(wait) * 1000 * share));
        story.attempts.push_back(attempt);
    }
    story.delivery.failures = number;
    return story;
}

} // namespace

class TestConsoleParts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { registerResources(); }

    void tokens_reachTheContrastOfReadableText()
    {
        for (const Tokens *tokens : {&lightTokens(), &darkTokens()}) {
            for (const QColor &ground : {tokens->window, tokens->surface}) {
                for (const QColor &ink : {tokens->text, tokens->muted, tokens->accent, tokens->success, tokens->warning,
                                          tokens->danger, tokens->unknown, tokens->info})
                    QVERIFY2(contrast(ink, ground) >= 4.5, qPrintable(ink.name() + u' ' + ground.name()));
            }
            for (const QColor &ink : {tokens->text, tokens->danger, tokens->unknown, tokens->success})
                QVERIFY2(contrast(ink, tokens->selection) >= 4.5, qPrintable(ink.name() + QStringLiteral(" selected")));
            QVERIFY(contrast(tokens->onAccent, tokens->accent) >= 4.5);
            QVERIFY(contrast(tokens->surface, tokens->danger) >= 4.5); // the stripe of production
        }
    }

    void theme_switchesPaletteAndTellsIt()
    {
        Theme theme(*qApp);
        theme.choose(ThemeChoice::Light);
        QSignalSpy changed(&theme, &Theme::changed);
        theme.choose(ThemeChoice::Dark);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(QApplication::palette().color(QPalette::Window), darkTokens().window);
        theme.choose(ThemeChoice::System);
        theme.setSystemDark(false);
        QCOMPARE(QApplication::palette().color(QPalette::Window), lightTokens().window);
        theme.setSystemDark(true);
        QCOMPARE(QApplication::palette().color(QPalette::Window), darkTokens().window);
        theme.choose(ThemeChoice::Light);
        QVERIFY(!qApp->styleSheet().contains(u'@'));
    }

    void icon_isDrawnInTheThemesColour()
    {
        Theme theme(*qApp);
        const QIcon cross = icon(QStringLiteral("state-dead"), Tone::Danger);
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            theme.choose(choice);
            const QImage image = cross.pixmap(64, 64).toImage();
            const QColor wanted = tokensOf(QApplication::palette()).danger;
            int hits = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x)
                    hits += image.pixelColor(x, y) == wanted;
            }
            QVERIFY(hits > 50);
        }
        theme.choose(ThemeChoice::Light);
    }

    void everyState_hasItsOwnIconWordAndDrawing()
    {
        QSet<QString> words;
        QSet<QByteArray> drawings;
        for (int each = 0; each <= int(DeliveryState::Unknown); ++each) {
            const auto state = DeliveryState(each);
            words.insert(Words::state(state));
            QFile file(QStringLiteral(":/sendoff/icons/%1.svg").arg(Words::iconName(state)));
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
            drawings.insert(file.readAll());
        }
        QCOMPARE(words.size(), int(DeliveryState::Unknown) + 1);
        QCOMPARE(drawings.size(), int(DeliveryState::Unknown) + 1);
        for (int each = 0; each <= int(Reason::ReceiptBounced); ++each)
            QVERIFY(each == 0 || !Words::reason(Reason(each)).isEmpty());
    }

    void times_areShortInListsAndExactInTooltips()
    {
        Times::setZone(QTimeZone::utc());
        const Timestamp now = *fromRfc3339(u"2026-11-30T14:30:00.000Z");
        QCOMPARE(Times::relative(now - Milliseconds(240'000), now), QStringLiteral("4 min ago"));
        QCOMPARE(Times::relative(now + Milliseconds(7'300'000), now), QStringLiteral("in 2 h"));
        QCOMPARE(Times::exact(now), QStringLiteral("2026-11-30 14:30:00 UTC"));
        QCOMPARE(Times::duration(Milliseconds(7'440'000)), QStringLiteral("2 h 4 min"));
        QCOMPARE(Words::cappedCount(countCap), QStringLiteral("10,000+"));
    }

    void filterLine_showsThePlaceOfAMistakeAndKeepsTheList()
    {
        FilterLine line;
        QSignalSpy applied(&line, &FilterLine::applied);
        QVERIFY(line.apply(QStringLiteral("state:dead")));
        QVERIFY(!line.apply(QStringLiteral("state:dead colour:red")));
        QCOMPARE(applied.count(), 1);
        QVERIFY2(line.mistake().startsWith(QStringLiteral("Position 12")), qPrintable(line.mistake()));
        QCOMPARE(line.edit()->selectedText(), QStringLiteral("colour:red"));
        QCOMPARE(line.filter().toText(), QStringLiteral("state:dead"));
    }

    void filterLine_escTakesTheLastTermAway()
    {
        FilterLine line;
        line.show();
        QVERIFY(line.apply(QStringLiteral("channel:email state:dead")));
        QTest::keyClick(line.edit(), Qt::Key_Escape);
        QCOMPARE(line.filter().terms.size(), size_t(1));
        QTest::keyClick(line.edit(), Qt::Key_Escape);
        QVERIFY(line.filter().isEmpty());
        QTest::keyClick(line.edit(), Qt::Key_Escape);
        QVERIFY(line.filter().isEmpty());
    }

    void backoff_readsThePolicyFromTheWaits()
    {
        const BackoffCurve seen = backoffCurve(storyWithWaits({2, 4, 8, 16}));
        QVERIFY(seen.isPolicySeen);
        QCOMPARE(seen.policy.base, Milliseconds(2'000));
        QCOMPARE(seen.waits.size(), size_t(9));
        QCOMPARE(*seen.waits[3].own, Milliseconds(14'400));
        QVERIFY(!seen.waits[4].own);
        const BackoffCurve standard = backoffCurve(storyWithWaits({15, 30, 60}));
        QCOMPARE(standard.policy.base, Milliseconds(15'000));
        const BackoffCurve none = backoffCurve({});
        QVERIFY(!none.isPolicySeen);
        QCOMPARE(none.policy.base, Milliseconds(15'000));
    }

    void backoff_keepsTheProvidersWaitsApart()
    {
        DeliveryStory story = storyWithWaits({15, 30});
        AttemptRecord throttled;
        throttled.outcome = toText(Outcome::Throttled);
        throttled.wait = throttled.nextDelay = Milliseconds(600'000);
        story.attempts.push_back(throttled);
        const BackoffCurve curve = backoffCurve(story);
        QCOMPARE(curve.policy.base, Milliseconds(15'000));
        QCOMPARE(*curve.waits[1].asked, Milliseconds(600'000));
        QCOMPARE(*curve.waits[1].own, Milliseconds(27'000));
        QVERIFY(!curve.waits[0].asked);
    }

    void chart_hasATableTwinAndASpokenSummary()
    {
        BackoffChart chart;
        chart.setCurve(backoffCurve(storyWithWaits({15, 30, 60})));
        auto *table = chart.findChild<QTableWidget *>();
        QVERIFY(table);
        QCOMPARE(table->rowCount(), 9);
        QCOMPARE(table->item(1, 2)->text(), QStringLiteral("27 s"));
        QVERIFY2(chart.summary().contains(QStringLiteral("15 s to 1 h")), qPrintable(chart.summary()));
        QVERIFY2(chart.summary().contains(QStringLiteral("54 s")), qPrintable(chart.summary()));
    }

    void timeline_isNewestFirstAndHoldsEverything()
    {
        DeliveryStory story = storyWithWaits({15});
        const Timestamp start = *fromRfc3339(u"2026-11-30T14:00:00.000Z");
        story.delivery.createdAt = start;
        story.attempts[0].startedAt = start + Milliseconds(1'000);
        story.attempts[0].endedAt = start + Milliseconds(2'000);
        ReceiptRecord receipt;
        receipt.kind = QStringLiteral("bounced");
        receipt.arrivedAt = start + Milliseconds(60'000);
        story.receipts.push_back(receipt);
        OperationRecord operation;
        operation.verb = QStringLiteral("retry");
        operation.createdAt = start + Milliseconds(30'000);
        story.operations.push_back(operation);
        const auto entries = timelineOf(story);
        QCOMPARE(entries.size(), size_t(4));
        for (size_t at = 1; at < entries.size(); ++at)
            QVERIFY(entries[at - 1].at >= entries[at].at);
        QCOMPARE(entries[0].tone, Tone::Danger);
    }

    void recentConnections_neverHoldAPassword()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.ini"));
        {
            QSettings settings(file, QSettings::IniFormat);
            RecentConnections recent(settings);
            Connection connection;
            connection.name = QStringLiteral("eu");
            connection.url = QStringLiteral("postgresql://ana@db.example.com:5432/notify");
            connection.password = QStringLiteral("correct horse");
            connection.environment = Environment::Production;
            recent.remember(connection);
            recent.remember(connection);
            QCOMPARE(recent.all().size(), size_t(1));
            QCOMPARE(recent.find(QStringLiteral("eu"))->environment, Environment::Production);
            QVERIFY(!recent.find(QStringLiteral("nobody")));
            QCOMPARE(recent.find(QStringLiteral("sqlite:/tmp/x.db"))->name, QStringLiteral("x.db"));
        }
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray text = written.readAll();
        QVERIFY(text.contains("notify"));
        QVERIFY(!text.contains("horse"));
    }
};

QTEST_MAIN(TestConsoleParts)
#include "tst_console_parts.moc"
