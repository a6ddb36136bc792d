#pragma once
#include <QColor>
#include <QObject>
#include <QPalette>

class QApplication;

namespace sendoff::ui {

// The colours of one theme. Each ink reaches 4.5:1 on window and surface; tst_theme holds them to it.
struct Tokens
{
    QColor window, surface, selection, line, text, muted, accent, onAccent;
    QColor success, warning, danger, unknown, info;
};
const Tokens &lightTokens();
const Tokens &darkTokens();
// Those of the theme a palette belongs to.
const Tokens &tokensOf(const QPalette &palette);

// What a colour says. Colour carries state only.
enum class Tone { Plain, Muted, Accent, Success, Warning, Danger, Unknown, Info };
QColor colourOf(Tone tone, const QPalette &palette);

enum class ThemeChoice { System, Light, Dark };

// Gives the application its palette and the one stylesheet, and changes both while it runs. Widgets that draw by
// themselves follow QEvent::PaletteChange. Thread: GUI.
class Theme : public QObject
{
    Q_OBJECT

public:
    explicit Theme(QApplication &application);

    void choose(ThemeChoice choice);
    ThemeChoice choice() const { return m_choice; }
    bool isDark() const;
    // What the desktop prefers, used for ThemeChoice::System; DesktopColours tells it.
    void setSystemDark(bool dark);

Q_SIGNALS:
    void changed();

private:
    void apply();

    QApplication &m_application;
    ThemeChoice m_choice = ThemeChoice::System;
    bool m_systemDark = false;
};

} // namespace sendoff::ui
