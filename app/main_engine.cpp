#include "app/cli/command_line.h"

#include <QCoreApplication>

int main(int argc, char **argv)
{
    // GLib's event loop costs a wake-up for each socket event and brings nothing to a program without a screen.
    qputenv("QT_NO_GLIB", "1");
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("sendoffd"));
    QCoreApplication::setApplicationVersion(QStringLiteral(SENDOFF_VERSION));
    return sendoff::app::CommandLine().run(argc, argv);
}
