#include "store/audit_store.h"
#include "store/operation_gate.h"
#include "tests/support/test_database.h"

#include <QProcess>
#include <QTest>
#include <QThread>

using namespace sendoff;
using namespace sendoff::store;
using sendoff::test::TestDatabase;

namespace {

void append(Database &database, const QString &actor, const QString &detail = {})
{
    const auto done = database.write([&](Session &session) {
        appendAudit(session, {actor, QStringLiteral("retry"), QStringLiteral("operation 5"), detail});
    });
    QVERIFY2(done.ok(), done ? "" : qPrintable(done.error().message));
}

NewOperation retryOf(const QString &filter)
{
    NewOperation operation;
    operation.verb = QStringLiteral("retry");
    operation.filter = filter;
    operation.expected = 2;
    operation.reason = QStringLiteral("provider is back");
    operation.actor = QStringLiteral("ana");
    operation.armed = Milliseconds(600'000);
    return operation;
}

Result<qint64> submit(Database &database, const NewOperation &operation)
{
    return database.write([&](Session &session) { return insertOperation(session, operation); });
}

Result<bool> change(Database &database, qint64 id, OperationChange what, qint64 value = 0)
{
    return database.write(
        [&](Session &session) { return changeOperation(session, id, what, value, QStringLiteral("ben")); });
}

// PostgreSQL stamps the login.
QString actorOf(TestDatabase &store, const QString &name)
{
    return store.database().isPostgreSql() ? store.url().user : name;
}

// What an owner can always do, and only an owner: take the guard away.
void tamper(TestDatabase &store, const QByteArray &statement)
{
    const auto done = store.database().write([&](Session &session) {
        if (session.isPostgreSql()) {
            session.command("ALTER TABLE sendoff_audit DISABLE TRIGGER USER");
        } else {
            session.command("DROP TRIGGER IF EXISTS sendoff_audit_update");
            session.command("DROP TRIGGER IF EXISTS sendoff_audit_delete");
        }
        session.command(statement);
    });
    QVERIFY2(done.ok(), done ? "" : qPrintable(done.error().message));
}

} // namespace

class tst_audit : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { test::addStoreRows(); }

    void init()
    {
        if (!TestDatabase::isAvailable(test::fetchKind())) {
            QVERIFY2(!qEnvironmentVariableIsSet("CI"), "CI must give a PostgreSQL in SENDOFF_TEST_PG");
            QSKIP("no PostgreSQL: set SENDOFF_TEST_PG");
        }
    }

    void theChainOfAnyTextIsWhole()
    {
        TestDatabase store(test::fetchKind());
        QCOMPARE(checkAudit(store.database())->rows, 0);
        // The bytes that are hashed are the same whoever hashes them, the database or this program.
        const QStringList texts{QString(),
                                QStringLiteral("3:abc"),
                                QStringLiteral("Grüße 😀 …"),
                                QStringLiteral("back\\slash 'quote' \"double\" %1 $now ?"),
                                QStringLiteral("a\nb\tc"),
                                QString(20'000, u'ß')};
        for (const QString &text : texts)
            append(store.database(), text, text);
        const auto check = checkAudit(store.database());
        QCOMPARE(check->rows, texts.size());
        QCOMPARE(check->firstBroken, 0);
        const auto rows = auditRows(store.database(), 0, 100);
        QCOMPARE(rows->front().detail, texts.back());
        QCOMPARE(rows->back().detail, QString());
        QCOMPARE(auditRows(store.database(), rows->front().id, 2)->front().detail, texts[4]);
    }

    void fieldsThatRunTogetherGiveOtherHashes()
    {
        TestDatabase store(test::fetchKind());
        append(store.database(), QStringLiteral("ab"), QStringLiteral("c"));
        tamper(store, "UPDATE sendoff_audit SET actor = 'a', detail = 'bc'");
        QVERIFY(checkAudit(store.database())->firstBroken > 0);
    }

    void eachChangeAndEachGapIsFound_data()
    {
        QTest::addColumn<QByteArray>("statement");
        QTest::addColumn<int>("broken"); // place of the row that is found
        QTest::newRow("actor") << QByteArray("UPDATE sendoff_audit SET actor = 'eve' WHERE detail = '3'") << 3;
        QTest::newRow("time") << QByteArray("UPDATE sendoff_audit SET at = (SELECT a.at FROM sendoff_audit a ORDER BY "
                                            "a.id LIMIT 1) WHERE detail = '3'")
                              << 3;
        QTest::newRow("first removed") << QByteArray("DELETE FROM sendoff_audit WHERE detail = '0'") << 1;
        QTest::newRow("middle removed") << QByteArray("DELETE FROM sendoff_audit WHERE detail = '2'") << 3;
        QTest::newRow("link") << QByteArray("UPDATE sendoff_audit SET previous = '' WHERE detail = '4'") << 4;
    }

    void eachChangeAndEachGapIsFound()
    {
        QFETCH(QByteArray, statement);
        QFETCH(int, broken);
        TestDatabase store(test::fetchKind());
        for (int each = 0; each < 6; ++each) {
            append(store.database(), QStringLiteral("ana"), QString::number(each));
            QThread::msleep(2); // so that the times differ, which one of the rows needs
        }
        QCOMPARE(checkAudit(store.database())->firstBroken, 0);
        const qint64 id = store.number("SELECT id FROM sendoff_audit WHERE detail = ?", {QString::number(broken)});
        tamper(store, statement);
        QCOMPARE(checkAudit(store.database())->firstBroken, id);
    }

    void rowsAreNeitherChangedNorRemovedNorReplaced()
    {
        TestDatabase store(test::fetchKind());
        append(store.database(), QStringLiteral("ana"));
        QList<QByteArray> statements{"UPDATE sendoff_audit SET actor = 'eve'", "DELETE FROM sendoff_audit"};
        if (store.database().isPostgreSql())
            statements << "TRUNCATE sendoff_audit"
                       << "TRUNCATE sendoff_audit CASCADE";
        else
            statements << "INSERT OR REPLACE INTO sendoff_audit (id, actor, action, object, previous, hash) SELECT id, "
                          "'eve', action, object, previous, hash FROM sendoff_audit";
        for (const QByteArray &statement : statements) {
            const auto done = store.database().write([&](Session &session) { session.command(statement); });
            QVERIFY2(!done.ok(), statement.constData());
            if (store.database().isPostgreSql())
                QCOMPARE(done.error().code, ErrorCode::Refused);
        }
        QCOMPARE(store.text("SELECT actor FROM sendoff_audit"), QStringLiteral("ana"));
        QCOMPARE(checkAudit(store.database())->rows, 1);
    }

    void writersAtOnceMakeOneChain()
    {
        TestDatabase store(test::fetchKind());
        std::vector<std::unique_ptr<QThread>> threads;
        for (int each = 0; each < 4; ++each) {
            threads.emplace_back(QThread::create([&] {
                auto database = store.connect();
                for (int round = 0; round < 10; ++round)
                    append(*database, QStringLiteral("ana"));
            }));
        }
        for (auto &thread : threads)
            thread->start();
        for (auto &thread : threads)
            QVERIFY(thread->wait(120'000));
        const auto check = checkAudit(store.database());
        QCOMPARE(check->rows, 40);
        QCOMPARE(check->firstBroken, 0);
    }

    void anOldSnapshotCanNotForkTheChain()
    {
        if (test::fetchKind() == StoreUrl::Kind::Sqlite)
            QSKIP("SQLite's writers are alone");
        TestDatabase store(test::fetchKind());
        append(store.database(), QStringLiteral("ana"));
        const auto done = store.database().write([&](Session &session) {
            session.command("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            appendAudit(session, {QStringLiteral("ana"), QStringLiteral("retry"), {}, {}});
        });
        QVERIFY(!done.ok());
        QCOMPARE(checkAudit(store.database())->rows, 1);
    }

    void aCommandAndItsAuditRowCommitTogether()
    {
        TestDatabase store(test::fetchKind());
        const auto id = submit(store.database(), retryOf(QStringLiteral("state:dead")));
        QVERIFY2(id.ok(), id ? "" : qPrintable(id.error().message));
        const auto rows = auditRows(store.database(), 0, 10);
        QCOMPARE(rows->size(), 1U);
        QCOMPARE(rows->front().action, QStringLiteral("retry"));
        QCOMPARE(rows->front().actor, actorOf(store, QStringLiteral("ana")));
        QCOMPARE(rows->front().object, QStringLiteral("operation %1").arg(*id));
        QCOMPARE(rows->front().detail, QStringLiteral("state:dead | expected 2 | provider is back"));
        QCOMPARE(store.text("SELECT state FROM sendoff_operation"), QStringLiteral("armed"));
        // What rolls back leaves neither.
        const auto failed = store.database().write([&](Session &session) -> Result<void> {
            insertOperation(session, retryOf(QStringLiteral("state:unknown")));
            return Error{ErrorCode::Conflict, QStringLiteral("no")};
        });
        QVERIFY(!failed.ok());
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 1);
        QCOMPARE(checkAudit(store.database())->rows, 1);
    }

    void theSameDedupeTextStoresOnce()
    {
        TestDatabase store(test::fetchKind());
        NewOperation operation = retryOf(QStringLiteral("state:dead"));
        operation.dedupe = QStringLiteral("click 1");
        QVERIFY(*submit(store.database(), operation) > 0);
        QCOMPARE(*submit(store.database(), operation), 0);
        operation.dedupe.clear(); // without one each is its own
        QVERIFY(*submit(store.database(), operation) > 0);
        QVERIFY(*submit(store.database(), operation) > 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 3);
        QCOMPARE(checkAudit(store.database())->rows, 3);
    }

    void whatNoCommandMayHoldIsInvalidAndStoresNothing_data()
    {
        QTest::addColumn<int>("field");
        const char *fields[] = {"verb", "filter", "reason", "parameters", "dedupe",     "rate",   "negative rate",
                                "stop", "armed",  "NUL",    "reveal",     "empty verb", "publish"};
        int number = 0;
        for (const char *field : fields)
            QTest::newRow(field) << number++;
    }

    void whatNoCommandMayHoldIsInvalidAndStoresNothing()
    {
        QFETCH(int, field);
        TestDatabase store(test::fetchKind());
        NewOperation operation = retryOf(QStringLiteral("state:dead"));
        switch (field) {
        case 0:
            operation.verb = QStringLiteral("explode");
            break;
        case 1:
            operation.filter = QString(8'001, u'a');
            break;
        case 2:
            operation.reason = QString(2'001, u'a');
            break;
        case 3:
            operation.parameters = "{\"text\":\"" + QByteArray(65'536, 'a') + "\"}";
            break;
        case 4:
            operation.dedupe = QString(201, u'a');
            break;
        case 5:
            operation.rate = 1'001;
            break;
        case 6:
            operation.rate = -1;
            break;
        case 7:
            operation.stopAtFailures = 101;
            break;
        case 8:
            operation.armed = Milliseconds(86'400'001);
            break;
        case 9:
            operation.reason = QStringLiteral("a") + QChar(0);
            break;
        case 10:
            operation.verb = QStringLiteral("reveal");
            break;
        case 11:
            operation.verb.clear();
            break;
        default:
            operation.verb = QStringLiteral("publish");
        }
        const auto id = submit(store.database(), operation);
        QVERIFY(!id.ok());
        QCOMPARE(id.error().code, ErrorCode::Invalid);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation"), 0);
        QCOMPARE(store.number("SELECT count(*) FROM sendoff_audit"), 0);
    }

    void changesFollowTheOperationsState_data()
    {
        QTest::addColumn<int>("change");
        QTest::addColumn<QString>("allowed"); // the states that allow it
        QTest::newRow("undo") << int(OperationChange::Undo) << QStringLiteral("armed");
        QTest::newRow("stop") << int(OperationChange::Stop) << QStringLiteral("armed running");
        QTest::newRow("pause") << int(OperationChange::Pause) << QStringLiteral("armed running");
        QTest::newRow("resume") << int(OperationChange::Resume) << QStringLiteral("armed running");
        QTest::newRow("rate") << int(OperationChange::Rate) << QStringLiteral("armed running");
    }

    void changesFollowTheOperationsState()
    {
        QFETCH(int, change);
        QFETCH(QString, allowed);
        TestDatabase store(test::fetchKind());
        const auto what = OperationChange(change);
        QCOMPARE(*::change(store.database(), 4711, what, 5), false);
        for (const char *state : {"armed", "running", "done", "undone", "stopped", "failed"}) {
            const qint64 id = *submit(store.database(), retryOf(QStringLiteral("state:dead")));
            store.run("UPDATE sendoff_operation SET state = ?, is_paused = 0 WHERE id = ?",
                      {QString::fromLatin1(state), id});
            const qint64 before = store.number("SELECT count(*) FROM sendoff_audit");
            const auto done = ::change(store.database(), id, what, 5);
            QVERIFY2(done.ok(), done ? "" : qPrintable(done.error().message));
            const bool mayBe = allowed.split(u' ').contains(QString::fromLatin1(state));
            QCOMPARE(*done, mayBe);
            QCOMPARE(store.number("SELECT count(*) FROM sendoff_audit") - before, mayBe ? 1 : 0);
            const QString after = store.text("SELECT state FROM sendoff_operation WHERE id = ?", {id});
            const bool isTakenBack =
                qstrcmp(state, "armed") == 0 && (what == OperationChange::Undo || what == OperationChange::Stop);
            QCOMPARE(after, isTakenBack ? QStringLiteral("undone") : QString::fromLatin1(state));
            QCOMPARE(store.number("SELECT count(*) FROM sendoff_operation WHERE id = ? AND stop_requested = 1", {id}),
                     mayBe && what == OperationChange::Stop ? 1 : 0);
            QCOMPARE(store.number("SELECT rate FROM sendoff_operation WHERE id = ?", {id}),
                     mayBe && what == OperationChange::Rate ? 5 : 0);
            QCOMPARE(store.number("SELECT is_paused FROM sendoff_operation WHERE id = ?", {id}),
                     mayBe && what == OperationChange::Pause ? 1 : 0);
        }
        QCOMPARE(auditRows(store.database(), 0, 1)->front().id, store.number("SELECT max(id) FROM sendoff_audit"));
        QCOMPARE(checkAudit(store.database())->firstBroken, 0);
    }

    void aResumedOperationGoesOnAndARateHasItsLimits()
    {
        TestDatabase store(test::fetchKind());
        const qint64 id = *submit(store.database(), retryOf(QStringLiteral("state:dead")));
        QVERIFY(*change(store.database(), id, OperationChange::Pause));
        QVERIFY(*change(store.database(), id, OperationChange::Resume));
        QCOMPARE(store.number("SELECT is_paused FROM sendoff_operation"), 0);
        for (const qint64 rate : {qint64(0), qint64(-1), qint64(1'001)})
            QCOMPARE(change(store.database(), id, OperationChange::Rate, rate).error().code, ErrorCode::Invalid);
        QVERIFY(*change(store.database(), id, OperationChange::Rate, 1'000));
        QCOMPARE(auditRows(store.database(), 0, 1)->front().detail, QStringLiteral("1000 a second"));
    }

    void theCommandVerifiesTheChain()
    {
        TestDatabase store(test::fetchKind());
        for (int each = 0; each < 3; ++each)
            append(store.database(), QStringLiteral("ana"), QString::number(each));
        const auto run = [&](const QStringList &arguments) {
            auto program = std::make_unique<QProcess>();
            program->start(QStringLiteral(SENDOFF_BINARY_DIR "/app/sendoffd"),
                           arguments + QStringList{QStringLiteral("--store"), store.url().toText()});
            if (!program->waitForFinished(60'000))
                qFatal("sendoffd did not end");
            return program;
        };
        const auto listed = run({QStringLiteral("audit"), QStringLiteral("--limit"), QStringLiteral("2")});
        QCOMPARE(listed->exitCode(), 0);
        QCOMPARE(listed->readAllStandardOutput().count("operation 5"), 2);
        QCOMPARE(listed->readAllStandardError().contains("convenience"), !store.database().isPostgreSql());
        const auto whole = run({QStringLiteral("audit"), QStringLiteral("--check")});
        QCOMPARE(whole->exitCode(), 0);
        const qint64 id = store.number("SELECT id FROM sendoff_audit WHERE detail = '1'");
        tamper(store, "UPDATE sendoff_audit SET actor = 'eve' WHERE detail = '1'");
        const auto broken = run({QStringLiteral("audit"), QStringLiteral("--check")});
        QCOMPARE(broken->exitCode(), 1);
        QVERIFY(broken->readAllStandardOutput().contains("audit row " + QByteArray::number(id)));
        const auto json = run({QStringLiteral("audit"), QStringLiteral("--check"), QStringLiteral("--json")});
        QCOMPARE(json->exitCode(), 1);
        QVERIFY(json->readAllStandardOutput().contains("\"first_broken\":" + QByteArray::number(id)));
    }
};

QTEST_GUILESS_MAIN(tst_audit)
#include "tst_audit.moc"
