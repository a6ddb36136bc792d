// Every page and dialog with an example set, in both themes and languages: nothing may be cut off. With the folder
// SENDOFF_SCREENSHOTS set each picture is kept there as <scene>-<theme>-<language>-<scale>.png.
#include "tests/ui/console_fixture.h"
#include "ui/connect/connect_page.h"
#include "ui/shell/stripe.h"
#include "ui/widgets/type.h"

#include <QAbstractButton>
#include <QDir>
#include <QFont>
#include <QFormLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMessageBox>
#include <QRadioButton>

using namespace sendoff;
using namespace sendoff::ui;
using sendoff::test::ConsoleFixture;
using sendoff::test::FakeStore;
using sendoff::test::patience;

namespace {

AttemptRecord anAttempt(int number, Timestamp start, Milliseconds next, int status, const char *code, const char *text)
{
    AttemptRecord attempt;
    attempt.number = number;
    attempt.engine = QStringLiteral("engine-1");
    attempt.provider = QStringLiteral("resend");
    attempt.startedAt = start;
    attempt.endedAt = start + Milliseconds(340 + 17 * number);
    attempt.outcome = status == 429 ? toText(Outcome::Throttled) : toText(Outcome::Transient);
    attempt.status = status;
    attempt.code = QString::fromLatin1(code);
    attempt.text = QString::fromLatin1(text);
    if (next.count() > 0)
        attempt.nextDelay = next;
    return attempt;
}

// Ten failures on the default policy, one of them a wait the provider asked for.
std::vector<AttemptRecord> aLongStruggle(Timestamp start)
{
    std::vector<AttemptRecord> attempts;
    const double jitter[] = {0.1, 0.9, 0.4, 0.7, 0.2, 0.55, 0.85, 0.3, 0.6};
    const RetryPolicy policy;
    Timestamp at = start;
    for (int failure = 1; failure <= 10; ++failure) {
        const Milliseconds next = failure < 10 ? policy.delay(failure, jitter[failure - 1]) : Milliseconds(0);
        attempts.push_back(anAttempt(int(attempts.size()) + 1, at, next, 500, "internal_server_error",
                                     "We are experiencing an internal error."));
        at = attempts.back().endedAt + next;
        if (failure == 4) {
            attempts.push_back(
                anAttempt(5, at, Milliseconds(60'000), 429, "rate_limit_exceeded", "Too many requests."));
            attempts.back().wait = Milliseconds(60'000);
            at = attempts.back().endedAt + Milliseconds(60'000);
        }
    }
    return attempts;
}

void addVaried(FakeStore &store)
{
    struct Kind
    {
        const char *type, *mask, *provider, *code;
        Channel channel;
        int status;
        Outcome outcome;
        Reason reason;
    };
    const Kind kinds[] = {
        {"booking.confirmed", "j…@example.com", "resend", "internal_server_error", Channel::Email, 500,
         Outcome::Transient, Reason::AttemptsSpent},
        {"booking.reminder", "ExponentPushToken[…x9Qf]", "expo", "DeviceNotRegistered", Channel::Push, 200,
         Outcome::PermanentRecipient, Reason::PermanentRecipient},
        {"booking.confirmed", "m…@mail.example.org", "resend", "rate_limit_exceeded", Channel::Email, 429,
         Outcome::Throttled, Reason::AttemptsSpent},
        {"auth.verification_code", "…4567", "twilio", "timeout", Channel::Sms, 0, Outcome::Unknown,
         Reason::OutcomeUnknown},
        {"receipt.ready", "a…@example.net", "resend", "validation_error", Channel::Email, 422,
         Outcome::PermanentMessage, Reason::PermanentMessage},
    };
    for (int number = 1; number <= 60; ++number) {
        const Kind &kind = kinds[(number * 7 + number / 3) % 5];
        DeliveryRecord record =
            store.aDelivery(number, kind.outcome == Outcome::Unknown ? DeliveryState::Unknown : DeliveryState::Dead,
                            Milliseconds(4'000LL * number * number + 45'000));
        record.type = QString::fromLatin1(kind.type);
        record.addressMask = QString::fromUtf8(kind.mask);
        record.provider = QString::fromLatin1(kind.provider);
        record.channel = kind.channel;
        record.lastCode = QString::fromLatin1(kind.code);
        record.lastStatus = kind.status;
        record.lastOutcome = toText(kind.outcome);
        record.reason = kind.reason;
        record.attempts = kind.reason == Reason::AttemptsSpent ? 11 : 1 + number % 2;
        record.failures = kind.reason == Reason::AttemptsSpent ? 10 : 1;
        std::vector<AttemptRecord> attempts;
        if (kind.reason == Reason::AttemptsSpent) {
            record.createdAt -= Milliseconds(7'800'000); // ten failures take two hours
            attempts = aLongStruggle(record.createdAt);
            record.endedAt = attempts.back().endedAt;
        }
        store.add(record, attempts);
    }
    for (int each = 0; each <= int(DeliveryState::Unknown); ++each) {
        const auto state = DeliveryState(each);
        if (state == DeliveryState::Dead || state == DeliveryState::Unknown)
            continue;
        DeliveryRecord record = store.aDelivery(500 + each, state, Milliseconds(9'000LL * (each + 1)));
        record.channel = Channel(each % 5);
        record.dueAt = store.now() + Milliseconds(95'000);
        if (state == DeliveryState::Scheduled)
            record.reason = Reason::Retry;
        store.add(record);
    }
}

StatusRecord aStatus(const FakeStore &store, int engines)
{
    StatusRecord status;
    status.now = store.now();
    status.isHealthy = true;
    for (int number = 1; number <= engines; ++number) {
        EngineRecord engine;
        engine.name = QStringLiteral("engine-%1").arg(number);
        engine.isAlive = true;
        status.engines.push_back(engine);
    }
    BacklogRecord backlog;
    backlog.waiting = 12;
    backlog.oldestAge = Milliseconds(4'000);
    status.backlog.push_back(backlog);
    status.dead = 48;
    status.unknown = 12;
    return status;
}

// What a reader would miss: text wider than its place.
QStringList cutOff(QWidget *root)
{
    QStringList found;
    for (QWidget *widget : root->findChildren<QWidget *>()) {
        if (!widget->isVisible())
            continue;
        QString text;
        if (const auto *label = qobject_cast<QLabel *>(widget)) {
            if (label->wordWrap() || qobject_cast<ElidedLabel *>(widget) || !label->pixmap(Qt::ReturnByValue).isNull())
                continue;
            text = label->text();
        } else if (const auto *button = qobject_cast<QAbstractButton *>(widget)) {
            text = button->text();
        }
        if (!text.isEmpty() && widget->width() + 1 < widget->sizeHint().width())
            found +=
                QStringLiteral("\"%1\": %2 of %3 px").arg(text).arg(widget->width()).arg(widget->sizeHint().width());
    }
    return found;
}

} // namespace

class TestScreenshots : public QObject
{
    Q_OBJECT

private:
    void addRows()
    {
        QTest::addColumn<QString>("look");
        QTest::addColumn<QString>("language");
        for (const char *look : {"light", "dark"}) {
            for (const char *language : {"en", "de"})
                QTest::addRow("%s %s", look, language) << QString::fromLatin1(look) << QString::fromLatin1(language);
        }
    }

    std::unique_ptr<ConsoleFixture> begin(const std::shared_ptr<FakeStore> &store)
    {
        QFETCH(QString, look);
        QFETCH(QString, language);
        auto fixture = std::make_unique<ConsoleFixture>(store);
        fixture->theme.choose(look == QLatin1String("dark") ? ThemeChoice::Dark : ThemeChoice::Light);
        fixture->language.choose(language);
        fixture->window->resize(1280, 800);
        return fixture;
    }

    static std::shared_ptr<FakeStore> aStore()
    {
        auto store = std::make_shared<FakeStore>();
        addVaried(*store);
        store->setStatus(aStatus(*store, 2));
        return store;
    }

    void keep(QWidget *widget, const char *scene)
    {
        QFETCH(QString, look);
        QFETCH(QString, language);
        QTRY_VERIFY_WITH_TIMEOUT(widget->isVisible(), patience);
        QCoreApplication::processEvents();
        const QPixmap picture = widget->grab();
        const QString folder = qEnvironmentVariable("SENDOFF_SCREENSHOTS");
        if (!folder.isEmpty()) {
            const QString file = QStringLiteral("%1/%2-%3-%4-%5x.png")
                                     .arg(folder, QLatin1String(scene), look, language)
                                     .arg(widget->devicePixelRatioF());
            QVERIFY2(QDir().mkpath(folder) && picture.save(file), qPrintable(file));
        }
        QVERIFY(!picture.isNull());
        const QStringList found = cutOff(widget);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    static void chooseFirstRow(ConsoleFixture &fixture, const char *code)
    {
        DeliveryModel &model = fixture.page->model();
        for (int row = 0; row < model.rowCount(); ++row) {
            if (model.record(row).lastCode == QLatin1String(code)) {
                fixture.page->table().selectRow(row);
                break;
            }
        }
        QTRY_VERIFY_WITH_TIMEOUT(fixture.window->story().story().has_value(), patience);
    }

private Q_SLOTS:
    void deadLetters_data() { addRows(); }
    void deadLetters()
    {
        const auto fixture = begin(aStore());
        fixture->connectAndShow(QStringLiteral("dead"));
        chooseFirstRow(*fixture, "internal_server_error");
        fixture->page->table().setFocus();
        keep(fixture->window.get(), "dead-letters");
        fixture->window->resize(1024, 680);
        keep(fixture->window.get(), "dead-letters-small");
    }

    void story_data() { addRows(); }
    void story()
    {
        const auto fixture = begin(aStore());
        fixture->connectAndShow(QStringLiteral("dead"));
        fixture->window->resize(1280, 2400);
        chooseFirstRow(*fixture, "internal_server_error");
        keep(&fixture->window->story(), "story");
        fixture->window->story().chart()->showTable(true);
        keep(fixture->window->story().chart(), "story-table");
    }

    void deliveries_data() { addRows(); }
    void deliveries()
    {
        const auto fixture = begin(aStore());
        Connection connection = ConsoleFixture::aConnection();
        connection.environment = Environment::Production;
        connection.lookOnly = true;
        fixture->connectAndShow(QStringLiteral("deliveries"), connection);
        keep(fixture->window.get(), "deliveries-production");
        fixture->page->filterLine().apply(QStringLiteral("channel:email colour:red"));
        keep(fixture->window.get(), "filter-mistake");
    }

    void retry_data() { addRows(); }
    void retry()
    {
        auto store = aStore();
        const auto fixture = begin(store);
        Connection connection = ConsoleFixture::aConnection();
        connection.environment = Environment::Production;
        fixture->connectAndShow(QStringLiteral("dead"), connection);
        fixture->page->table().selectRow(0);
        OperationDialog *dialog = fixture->page->openOperation(QStringLiteral("retry"));
        QVERIFY(dialog);
        dialog->findChildren<QRadioButton *>().last()->setChecked(true);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->previewedCount() > 0, patience);
        keep(dialog, "retry-dialog");
        dialog->accept();
        QTRY_COMPARE_WITH_TIMEOUT(fixture->page->operationBar().state(), QStringLiteral("armed"), patience);
        keep(fixture->window.get(), "retry-armed");
    }

    void cancel_data() { addRows(); }
    void cancel()
    {
        const auto fixture = begin(aStore());
        fixture->connectAndShow(QStringLiteral("deliveries"));
        fixture->page->filterLine().apply(QStringLiteral("state:scheduled,ready,held"));
        QTRY_COMPARE_WITH_TIMEOUT(fixture->page->model().rowCount(), 3, patience);
        fixture->page->table().selectAll();
        OperationDialog *dialog = fixture->page->openOperation(QStringLiteral("cancel"));
        QVERIFY(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->previewedCount() > 0, patience);
        keep(dialog, "cancel-dialog");
    }

    void empty_data() { addRows(); }
    void empty()
    {
        auto store = std::make_shared<FakeStore>();
        store->setStatus(aStatus(*store, 0));
        const auto fixture = begin(store);
        fixture->connectAndShow(QStringLiteral("dead"));
        keep(fixture->window.get(), "dead-letters-empty");
        store->fail(
            Error{ErrorCode::Unavailable, QStringLiteral("The database at db.example.com:5432 does not answer. "
                                                         "Check that it runs and that this machine may reach it.")});
        fixture->page->filterLine().apply(QStringLiteral("code:429"));
        QTRY_VERIFY_WITH_TIMEOUT(!fixture->page->model().isLoading(), patience);
        keep(fixture->window.get(), "store-unreachable");
    }

    void connecting_data() { addRows(); }
    void connecting()
    {
        const auto fixture = begin(std::make_shared<FakeStore>());
        fixture->window->show();
        keep(fixture->window.get(), "connect-first");
        Connection connection = ConsoleFixture::aConnection();
        fixture->window->recent().remember(connection);
        connection.name = QStringLiteral("eu-notify");
        connection.url = QStringLiteral("postgresql://ana@db.example.com:5432/notify?schema=mail");
        connection.environment = Environment::Production;
        connection.lookOnly = true;
        fixture->window->recent().remember(connection);
        fixture->window->connectPage().reloadRecent();
        fixture->window->connectPage().setConnection(connection);
        fixture->window->connectPage().tellProblem(QStringLiteral(
            "The server refuses the password for the user ana. Type it again, or ask for the right one."));
        keep(fixture->window.get(), "connect-problem");
    }

    void closing_data() { addRows(); }
    void closing()
    {
        const auto fixture = begin(aStore());
        fixture->connectAndShow(QStringLiteral("dead"));
        fixture->engine.become(EngineSwitch::State::On);
        fixture->window->close();
        auto *box = fixture->window->findChild<QMessageBox *>(QStringLiteral("closing"));
        QVERIFY(box);
        keep(box, "closing");
    }
};

QTEST_MAIN(TestScreenshots)
#include "tst_screenshots.moc"
