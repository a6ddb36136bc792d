#include "ui/shell/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>

namespace sendoff::ui {

Language::Language(QCoreApplication &application)
    : QObject(&application)
    , m_application(application)
{}

QStringList Language::available()
{
    return {QStringLiteral("en"), QStringLiteral("de")};
}

void Language::choose(const QString &code)
{
    m_choice = code;
    const QLocale locale = code.isEmpty() ? QLocale::system() : QLocale(code);
    const QString wanted = locale.name().left(2);
    m_current = available().contains(wanted) ? wanted : QStringLiteral("en");
    QLocale::setDefault(code.isEmpty() && m_current == wanted ? locale : QLocale(m_current));
    m_application.removeTranslator(&m_ours);
    m_application.removeTranslator(&m_qts);
    // English has a file, too: it holds the plurals.
    if (m_qts.load(QLocale(m_current), QStringLiteral("qtbase"), QStringLiteral("_"),
                   QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        m_application.installTranslator(&m_qts);
    if (m_ours.load(QStringLiteral(":/sendoff/translations/sendoff_%1.qm").arg(m_current)))
        m_application.installTranslator(&m_ours);
}

} // namespace sendoff::ui
