#pragma once
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace sendoff::dispatch {

// Tells when another process may have committed to an SQLite store: watches its -wal file, which every commit writes.
// A hint only: it may fire for our own commits and for none. Thread: its own object's.
class StoreWatch : public QObject
{
    Q_OBJECT

public:
    explicit StoreWatch(const QString &databasePath, QObject *parent = nullptr);

Q_SIGNALS:
    void changed();

private:
    void watch();
    void look();

    QString m_wal;
    QString m_folder;
    QFileSystemWatcher m_watcher;
    QTimer m_again;
    size_t m_look = 0;
};

} // namespace sendoff::dispatch
