#include "admin/store_console.h"
#include "app/console_session.h"
#include "ui/shell/language.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/desktop_colours.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QSettings>
#include <cstdlib>

namespace {

struct Options
{
    std::string connect, page, delivery, theme, language;
};

using sendoff::ui::ThemeChoice;

ThemeChoice themeChoice(const std::string &option, const QSettings &settings)
{
    if (option == "light")
        return ThemeChoice::Light;
    if (option == "dark")
        return ThemeChoice::Dark;
    if (option == "system")
        return ThemeChoice::System;
    return ThemeChoice(qBound(0, settings.value(QStringLiteral("theme")).toInt(), 2));
}

int run(QApplication &application, const Options &options)
{
    using namespace sendoff;
    ui::registerResources();
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/sendoff/icons/sendoff.svg")));
    QSettings settings;
    ui::Theme theme(application);
    ui::DesktopColours desktop;
    QObject::connect(&desktop, &ui::DesktopColours::darkPreferred, &theme, &ui::Theme::setSystemDark);
    theme.choose(themeChoice(options.theme, settings));
    ui::Language language(application);
    language.choose(options.language.empty() ? settings.value(QStringLiteral("language")).toString()
                                             : QString::fromStdString(options.language));
    const auto engine = app::makeEmbeddedEngine();
    int code = 0;
    {
        ui::MainWindow window({app::consoleOpener(), settings, theme, language, engine.get(), admin::defaultActor()});
        window.showPage(QString::fromStdString(options.page));
        window.showDelivery(DeliveryId(QString::fromStdString(options.delivery)));
        window.show();
        if (!options.connect.empty())
            window.connectByName(QString::fromStdString(options.connect));
        code = QApplication::exec();
    }
    settings.sync();
    return code;
}

} // namespace

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("sendoff"));
    QCoreApplication::setOrganizationName(QStringLiteral("sendoff"));
    QCoreApplication::setApplicationVersion(QStringLiteral(SENDOFF_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.sendoff.Sendoff"));

    Options options;
    CLI::App line("What became of each message, and what is stuck sent again");
    line.name("sendoff");
    line.set_version_flag("--version", std::string("sendoff ") + SENDOFF_VERSION);
    line.add_option("--connect", options.connect, "A store's URL, or the name of a connection used before")
        ->option_text("URL|NAME");
    line.add_option("--page", options.page, "The page to show first")->check(CLI::IsMember({"dead", "deliveries"}));
    line.add_option("--delivery", options.delivery, "The delivery to select")->option_text("ID");
    line.add_option("--theme", options.theme, "The look")->check(CLI::IsMember({"light", "dark", "system"}));
    line.add_option("--language", options.language, "The screens' language")->check(CLI::IsMember({"en", "de"}));
    try {
        line.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return line.exit(error) == 0 ? 0 : 2;
    }
    const int code = run(application, options);
    // A thread that hangs in a database must not see the program's statics go.
    if (sendoff::ui::ConsoleWorker::abandonedThreads() > 0)
        std::_Exit(code);
    return code;
}
