#pragma once
#include "ui/widgets/theme.h"

#include <QIcon>

namespace sendoff::ui {

// Makes icons and translations of this library known to Qt's resource system. Call once, before the first window.
void registerResources();

// One of resources/icons by its name, drawn in the tone's colour of whatever theme is on when it is painted.
QIcon icon(const QString &name, Tone tone = Tone::Plain);

} // namespace sendoff::ui
