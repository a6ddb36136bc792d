#include "dispatch/store_watch.h"

#include <QFile>
#include <QFileInfo>
#include <array>

namespace sendoff::dispatch {

namespace {

using namespace std::chrono_literals;

// A commit writes the file first and shows itself in shared memory only after the disk has it: whoever looks at the
// first sign finds nothing, and no second sign comes.
constexpr std::array<std::chrono::milliseconds, 6> looks{0ms, 10ms, 40ms, 150ms, 600ms, 2s};

} // namespace

StoreWatch::StoreWatch(const QString &databasePath, QObject *parent)
    : QObject(parent)
    , m_wal(databasePath + QStringLiteral("-wal"))
    , m_folder(QFileInfo(databasePath).absolutePath())
{
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, [this] {
        if (++m_look < looks.size())
            m_again.start(looks[m_look]);
        Q_EMIT changed();
    });
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] {
        watch();
        look();
    });
    // The last connection that closes removes the file, the next one makes it again: only the folder tells.
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] {
        const bool isNew = !m_watcher.files().contains(m_wal);
        watch();
        if (isNew && m_watcher.files().contains(m_wal))
            look();
    });
    m_watcher.addPath(m_folder);
    watch();
}

void StoreWatch::look()
{
    m_look = 0;
    m_again.start(looks[m_look]);
}

void StoreWatch::watch()
{
    if (!m_watcher.files().contains(m_wal) && QFile::exists(m_wal))
        m_watcher.addPath(m_wal);
}

} // namespace sendoff::dispatch
