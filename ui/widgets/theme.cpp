#include "ui/widgets/theme.h"

#include <QApplication>
#include <QPixmapCache>
#include <QStyleFactory>

namespace sendoff::ui {

namespace {

QColor hex(QRgb rgb)
{
    return QColor(rgb);
}

QPalette paletteOf(const Tokens &t)
{
    QPalette palette(t.text, t.surface, t.surface.lighter(110), t.line.darker(130), t.line, t.text, t.text, t.surface,
                     t.window);
    palette.setColor(QPalette::Button, t.surface);
    palette.setColor(QPalette::AlternateBase, t.window);
    palette.setColor(QPalette::Highlight, t.selection);
    palette.setColor(QPalette::HighlightedText, t.text);
    palette.setColor(QPalette::PlaceholderText, t.muted);
    palette.setColor(QPalette::ToolTipBase, t.surface);
    palette.setColor(QPalette::ToolTipText, t.text);
    palette.setColor(QPalette::Link, t.accent);
    palette.setColor(QPalette::LinkVisited, t.accent);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, t.muted);
    return palette;
}

// Every rule that has a :focus twin keeps the box the same size, so that nothing moves when the focus does.
const char *const styleText = R"(
QToolTip { background: @surface; color: @text; border: 1px solid @line; padding: 4px 8px; }
QPushButton { background: @surface; color: @text; border: 1px solid @edge; border-radius: 4px; padding: 5px 13px; }
QPushButton:hover { background: @window; }
QPushButton:pressed { background: @selection; }
QPushButton:focus { border: 2px solid @accent; padding: 4px 12px; }
QPushButton:disabled { color: @muted; background: @window; border-color: @line; }
QPushButton[primary="true"] { background: @accent; color: @onAccent; border-color: @accent; font-weight: 600; }
QPushButton[primary="true"]:focus { border: 2px solid @text; }
QPushButton[primary="true"]:disabled { background: @window; color: @muted; border-color: @line; }
QPushButton[danger="true"] { color: @danger; border-color: @danger; }
QPushButton[danger="true"]:focus { border-color: @danger; }
QPushButton[danger="true"]:disabled { color: @muted; border-color: @line; }
QToolButton { background: transparent; color: @text; border: 1px solid transparent; border-radius: 4px; padding: 4px; }
QToolButton:hover { background: @selection; }
QToolButton:checked { background: @selection; }
QToolButton:focus { border: 2px solid @accent; padding: 3px; }
QToolButton[quiet="true"] { padding: 3px 8px; }
QToolButton[quiet="true"]:focus { padding: 2px 7px; }
QToolButton::menu-indicator { image: none; }
QLineEdit, QSpinBox { background: @surface; border: 1px solid @edge; border-radius: 4px;
    padding: 5px 7px; selection-background-color: @accent; selection-color: @onAccent; }
QLineEdit:focus, QSpinBox:focus { border: 2px solid @accent; padding: 4px 6px; }
QLineEdit[wrong="true"] { border-color: @danger; }
QRadioButton, QCheckBox { color: @text; border: 2px solid transparent; border-radius: 4px; padding: 2px; spacing: 8px; }
QRadioButton:focus, QCheckBox:focus { border-color: @accent; }
QRadioButton:disabled, QCheckBox:disabled { color: @muted; }
QCheckBox::indicator { width: 14px; height: 14px; background: @surface; border: 1px solid @edge; border-radius: 3px; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(@check); }
QRadioButton::indicator { width: 14px; height: 14px; background: @surface; border: 1px solid @edge; border-radius: 8px; }
QRadioButton::indicator:checked { width: 6px; height: 6px; background: @onAccent; border: 5px solid @accent; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { background: @window; border-color: @line; }
QComboBox { background: @surface; color: @text; border: 1px solid @edge; border-radius: 4px; padding: 5px 9px; }
QComboBox:focus { border: 2px solid @accent; padding: 4px 8px; }
QComboBox::drop-down { border: 0; width: 24px; }
QComboBox::down-arrow { image: url(@arrow); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @surface; color: @text; border: 1px solid @line;
    selection-background-color: @selection; selection-color: @text; }
QAbstractItemView { background: @surface; color: @text; border: 1px solid @line; border-radius: 4px; outline: 0;
    padding: 1px; selection-background-color: @selection; selection-color: @text; }
QAbstractItemView:focus { border: 2px solid @accent; padding: 0; }
QAbstractItemView[quiet="true"] { background: @surface; border: 2px solid transparent; padding: 0; }
QAbstractItemView[quiet="true"]:focus { border-color: @accent; }
QListView#sidebar, QListView#sidebar:focus { background: @window; border: 2px solid transparent; padding: 0; }
QWidget#storyPane { background: @surface; }
QMessageBox QLabel#qt_msgbox_label { font-weight: 600; min-width: 26em; }
QMessageBox QLabel#qt_msgbox_informativelabel { min-width: 26em; }
QTableView { gridline-color: transparent; }
QTableCornerButton::section { background: @surface; border: 0; }
QHeaderView { background: @surface; border: 0; border-radius: 0; padding: 0; }
QHeaderView::section { background: @surface; color: @muted; border: 0; border-bottom: 1px solid @line;
    padding: 6px 8px; font-weight: normal; }
QScrollArea { background: transparent; border: 0; }
QMenu { background: @surface; color: @text; border: 1px solid @line; padding: 4px 0; }
QMenu::item { padding: 6px 28px 6px 12px; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @line; margin: 4px 0; }
QMenu::indicator { width: 12px; height: 12px; margin-left: 8px; }
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QStatusBar { background: @window; color: @text; border-top: 1px solid @line; }
QStatusBar::item { border: 0; }
QProgressBar { background: @line; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }
QFrame[card="true"] { background: @surface; border: 1px solid @line; border-radius: 6px; }
QFrame[notice="true"] { background: @selection; border: 0; border-radius: 6px; }
QFrame[rule="true"] { background: @line; border: 0; max-height: 1px; min-height: 1px; }
QLabel[tone="muted"] { color: @muted; }
QLabel[tone="success"] { color: @success; }
QLabel[tone="warning"] { color: @warning; }
QLabel[tone="danger"] { color: @danger; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; border: 0; }
QScrollBar::handle:vertical { background: @edge; min-height: 32px; border-radius: 3px; margin: 2px 3px; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; border: 0; }
QScrollBar::handle:horizontal { background: @edge; min-width: 32px; border-radius: 3px; margin: 3px 2px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

// The edge of a control must be seen (3:1), unlike a hairline.
QColor edgeOf(const Tokens &t)
{
    const auto mix = [](int a, int b) { return (a + 2 * b) / 3; };
    return QColor(mix(t.line.red(), t.muted.red()), mix(t.line.green(), t.muted.green()),
                  mix(t.line.blue(), t.muted.blue()));
}

QString styleSheetOf(const Tokens &t)
{
    QString text = QString::fromLatin1(styleText);
    // Longer names first, so that none is taken for the start of another.
    const QString suffix = &t == &darkTokens() ? QStringLiteral("-dark.svg") : QStringLiteral("-light.svg");
    text.replace(QLatin1String("@check"), QStringLiteral(":/sendoff/icons/tick") + suffix);
    text.replace(QLatin1String("@arrow"), QStringLiteral(":/sendoff/icons/drop") + suffix);
    const std::pair<const char *, QColor> colours[] = {
        {"@selection", t.selection}, {"@onAccent", t.onAccent}, {"@surface", t.surface}, {"@success", t.success},
        {"@warning", t.warning},     {"@accent", t.accent},     {"@danger", t.danger},   {"@window", t.window},
        {"@muted", t.muted},         {"@line", t.line},         {"@edge", edgeOf(t)},    {"@text", t.text}};
    for (const auto &[name, colour] : colours)
        text.replace(QLatin1String(name), colour.name());
    return text;
}

} // namespace

const Tokens &lightTokens()
{
    static const Tokens tokens{hex(0xF5F6F8), hex(0xFFFFFF), hex(0xDCE8FA), hex(0xDCE1E8), hex(0x1B2430),
                               hex(0x566172), hex(0x1D5BB8), hex(0xFFFFFF), hex(0x1A7340), hex(0x875800),
                               hex(0xB3261E), hex(0x6A3EA1), hex(0x0A6580)};
    return tokens;
}

const Tokens &darkTokens()
{
    static const Tokens tokens{hex(0x14181D), hex(0x1C2128), hex(0x24395A), hex(0x313944), hex(0xE6EAF0),
                               hex(0xA5B0BD), hex(0x82B1FF), hex(0x14181D), hex(0x70D08E), hex(0xF0BA58),
                               hex(0xFF8F85), hex(0xCBA9FF), hex(0x6ECDE8)};
    return tokens;
}

const Tokens &tokensOf(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? darkTokens() : lightTokens();
}

QColor colourOf(Tone tone, const QPalette &palette)
{
    const Tokens &tokens = tokensOf(palette);
    switch (tone) {
    case Tone::Plain:
        return tokens.text;
    case Tone::Muted:
        return tokens.muted;
    case Tone::Accent:
        return tokens.accent;
    case Tone::Success:
        return tokens.success;
    case Tone::Warning:
        return tokens.warning;
    case Tone::Danger:
        return tokens.danger;
    case Tone::Unknown:
        return tokens.unknown;
    case Tone::Info:
        return tokens.info;
    }
    return tokens.text;
}

Theme::Theme(QApplication &application)
    : QObject(&application)
    , m_application(application)
    , m_systemDark(application.palette().color(QPalette::Window).lightness() < 128)
{
    m_application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    apply();
}

void Theme::choose(ThemeChoice choice)
{
    m_choice = choice;
    apply();
}

bool Theme::isDark() const
{
    return m_choice == ThemeChoice::Dark || (m_choice == ThemeChoice::System && m_systemDark);
}

void Theme::setSystemDark(bool dark)
{
    m_systemDark = dark;
    if (m_choice == ThemeChoice::System)
        apply();
}

void Theme::apply()
{
    const Tokens &tokens = isDark() ? darkTokens() : lightTokens();
    if (m_application.styleSheet() == styleSheetOf(tokens))
        return;
    QPixmapCache::clear();
    m_application.setPalette(paletteOf(tokens));
    m_application.setStyleSheet(styleSheetOf(tokens));
    Q_EMIT changed();
}

} // namespace sendoff::ui
