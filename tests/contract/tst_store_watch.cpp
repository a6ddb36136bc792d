#include "dispatch/store_watch.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using sendoff::dispatch::StoreWatch;

// An SQLite commit is written to the -wal file before it can be read: whoever looks at the first sign only, sleeps
// through it.
class tst_store_watch : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString store() const { return m_folder.filePath(QStringLiteral("s.db")); }
    void append(const QByteArray &bytes) const
    {
        QFile file(store() + QStringLiteral("-wal"));
        QVERIFY(file.open(QIODevice::Append));
        QCOMPARE(file.write(bytes), bytes.size());
    }

private Q_SLOTS:
    void oneWriteIsLookedAtSeveralTimes()
    {
        append("x");
        StoreWatch watch(store());
        QSignalSpy changed(&watch, &StoreWatch::changed);
        append("y");
        QTRY_VERIFY_WITH_TIMEOUT(changed.count() >= 6, 20'000);
    }

    void aNewFileIsWatchedToo()
    {
        QFile::remove(store() + QStringLiteral("-wal"));
        StoreWatch watch(store());
        QSignalSpy changed(&watch, &StoreWatch::changed);
        append("x");
        QTRY_VERIFY_WITH_TIMEOUT(changed.count() >= 6, 20'000);
        changed.clear();
        append("y");
        QTRY_VERIFY_WITH_TIMEOUT(changed.count() >= 6, 20'000);
    }
};

QTEST_GUILESS_MAIN(tst_store_watch)
#include "tst_store_watch.moc"
