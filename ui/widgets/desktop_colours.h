#pragma once
#include <QObject>

class QDBusVariant;

namespace sendoff::ui {

// Listens to the desktop portal's preference for light or dark. Silent where there is no portal. Thread: GUI; asks
// without waiting.
class DesktopColours : public QObject
{
    Q_OBJECT

public:
    explicit DesktopColours(QObject *parent = nullptr);

Q_SIGNALS:
    void darkPreferred(bool dark);

private Q_SLOTS:
    void onSettingChanged(const QString &group, const QString &key, const QDBusVariant &value);
};

} // namespace sendoff::ui
