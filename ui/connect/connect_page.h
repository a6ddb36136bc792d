#pragma once
#include "ui/connect/recent_connections.h"

#include <QWidget>

class QButtonGroup;
class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QRadioButton;
class QSpinBox;
class QStackedWidget;

namespace sendoff::ui {

// Where a person chooses a store: a SQLite file or a PostgreSQL database. Opens nothing itself; connectWanted() says
// what to open and tellProblem() why it did not work. The password is asked for each time.
class ConnectPage : public QWidget
{
    Q_OBJECT

public:
    explicit ConnectPage(RecentConnections &recent, QWidget *parent = nullptr);

    // Fills the form; the password stays empty.
    void setConnection(const Connection &connection);
    void reloadRecent();
    void setBusy(bool busy);
    // A plain sentence with the remedy; empty: none.
    void tellProblem(const QString &sentence);
    QString problem() const;

Q_SIGNALS:
    void connectWanted(const sendoff::ui::Connection &connection);
    void cancelled();

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void build();
    QWidget *buildRecent();
    QWidget *buildForm();
    void buildSqlite(QFormLayout *form);
    void buildPostgres(QFormLayout *form);
    void retranslate();
    void chooseKind();
    void chooseFile();
    void submit();
    QString missing() const;
    Connection connection() const;

    RecentConnections &m_recent;
    QLabel *m_title = nullptr;
    QLabel *m_lead = nullptr;
    QLabel *m_recentTitle = nullptr;
    QListWidget *m_list = nullptr;
    QLabel *m_noRecent = nullptr;
    QRadioButton *m_sqlite = nullptr;
    QRadioButton *m_postgres = nullptr;
    QStackedWidget *m_kinds = nullptr;
    QLineEdit *m_file = nullptr;
    QPushButton *m_browse = nullptr;
    QLineEdit *m_host = nullptr;
    QSpinBox *m_port = nullptr;
    QLineEdit *m_database = nullptr;
    QLineEdit *m_schema = nullptr;
    QLineEdit *m_user = nullptr;
    QLineEdit *m_password = nullptr;
    QLineEdit *m_name = nullptr;
    QComboBox *m_environment = nullptr;
    QCheckBox *m_lookOnly = nullptr;
    QLabel *m_problem = nullptr;
    QPushButton *m_connect = nullptr;
    QPushButton *m_cancel = nullptr;
    QVector<QLabel *> m_labels;
};

} // namespace sendoff::ui
