#include "dispatch/store_watch.h"

#include <QFile>
#include <QFileInfo>

namespace sendoff::dispatch {

StoreWatch::StoreWatch(const QString &databasePath, QObject *parent)
    : QObject(parent)
    , m_wal(databasePath + QStringLiteral("-wal"))
    , m_folder(QFileInfo(databasePath).absolutePath())
{
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] {
        watch();
        Q_EMIT changed();
    });
    // The last connection that closes removes the file, the next one makes it again: only the folder tells.
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] {
        const bool isNew = !m_watcher.files().contains(m_wal);
        watch();
        if (isNew && m_watcher.files().contains(m_wal))
            Q_EMIT changed();
    });
    m_watcher.addPath(m_folder);
    watch();
}

void StoreWatch::watch()
{
    if (!m_watcher.files().contains(m_wal) && QFile::exists(m_wal))
        m_watcher.addPath(m_wal);
}

} // namespace sendoff::dispatch
