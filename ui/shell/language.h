#pragma once
#include <QObject>
#include <QTranslator>

class QCoreApplication;

namespace sendoff::ui {

// The language of the screens, changed while they are open; Qt's own texts follow where they are installed.
class Language : public QObject
{
    Q_OBJECT

public:
    explicit Language(QCoreApplication &application);

    // "en", "de", …; empty: as the system is set.
    void choose(const QString &code);
    QString choice() const { return m_choice; }
    // What is really shown.
    QString current() const { return m_current; }
    static QStringList available();

private:
    QCoreApplication &m_application;
    QString m_choice;
    QString m_current = QStringLiteral("en");
    QTranslator m_ours;
    QTranslator m_qts;
};

} // namespace sendoff::ui
