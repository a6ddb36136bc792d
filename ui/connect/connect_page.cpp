#include "ui/connect/connect_page.h"

#include "ui/shell/stripe.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/type.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QUrl>
#include <QUrlQuery>
#include <QVBoxLayout>

namespace sendoff::ui {

ConnectPage::ConnectPage(RecentConnections &recent, QWidget *parent)
    : QWidget(parent)
    , m_recent(recent)
{
    build();
    retranslate();
    reloadRecent();
    chooseKind();
}

void ConnectPage::build()
{
    m_title = new SizedLabel(1.4, QFont::DemiBold, this);
    m_lead = new QLabel(this);
    setTone(m_lead, Tone::Muted);
    m_lead->setWordWrap(true);
    auto *cards = new QHBoxLayout;
    cards->setSpacing(16);
    cards->addWidget(buildForm(), 3);
    cards->addWidget(buildRecent(), 2);
    auto *column = new QVBoxLayout;
    column->setSpacing(4);
    column->addStretch(1);
    column->addWidget(m_title);
    column->addWidget(m_lead);
    column->addSpacing(12);
    column->addLayout(cards);
    column->addStretch(2);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(24, 24, 24, 24);
    auto *middle = new QWidget(this);
    middle->setLayout(column);
    middle->setMaximumWidth(fontMetrics().averageCharWidth() * 130);
    row->addStretch(1);
    row->addWidget(middle, 20);
    row->addStretch(1);
}

QWidget *ConnectPage::buildRecent()
{
    auto *card = new QFrame(this);
    card->setProperty("card", true);
    m_recentTitle = new SizedLabel(1.0, QFont::DemiBold, card);
    m_list = new QListWidget(card);
    m_list->setProperty("quiet", true);
    m_list->setIconSize({fontMetrics().height(), fontMetrics().height()});
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_noRecent = new QLabel(card);
    m_noRecent->setWordWrap(true);
    m_noRecent->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    setTone(m_noRecent, Tone::Muted);
    auto *column = new QVBoxLayout(card);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(m_recentTitle);
    column->addWidget(m_noRecent, 1);
    column->addWidget(m_list, 1);
    const auto take = [this](QListWidgetItem *item) {
        if (const auto connection = m_recent.find(item->data(Qt::UserRole).toString()))
            setConnection(*connection);
    };
    connect(m_list, &QListWidget::itemClicked, this, take);
    connect(m_list, &QListWidget::itemActivated, this, [this, take](QListWidgetItem *item) {
        take(item);
        submit();
    });
    return card;
}

QWidget *ConnectPage::buildForm()
{
    auto *card = new QFrame(this);
    card->setProperty("card", true);
    auto *column = new QVBoxLayout(card);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    m_sqlite = new QRadioButton(card);
    m_postgres = new QRadioButton(card);
    m_sqlite->setChecked(true);
    auto *kinds = new QHBoxLayout;
    kinds->setSpacing(16);
    kinds->addWidget(m_sqlite);
    kinds->addWidget(m_postgres);
    kinds->addStretch(1);
    column->addLayout(kinds);

    const auto newForm = [](QWidget *page) {
        auto *form = new QFormLayout(page);
        form->setContentsMargins(0, 0, 0, 0);
        form->setHorizontalSpacing(16);
        form->setVerticalSpacing(8);
        form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
        return form;
    };
    m_kinds = new QStackedWidget(card);
    auto *sqlite = new QWidget(m_kinds);
    auto *postgres = new QWidget(m_kinds);
    buildSqlite(newForm(sqlite));
    buildPostgres(newForm(postgres));
    m_kinds->addWidget(sqlite);
    m_kinds->addWidget(postgres);
    column->addWidget(m_kinds);
    column->addWidget(makeRule(card));

    auto *shared = new QWidget(card);
    QFormLayout *form = newForm(shared);
    const auto add = [&](QWidget *field) {
        auto *label = new QLabel(card);
        m_labels += label;
        form->addRow(label, field);
    };
    m_name = new QLineEdit(card);
    m_environment = new QComboBox(card);
    m_environment->addItems({{}, {}, {}});
    m_lookOnly = new QCheckBox(card);
    add(m_name);
    add(m_environment);
    form->addRow(new QWidget(card), m_lookOnly);
    column->addWidget(shared);

    m_problem = new QLabel(card);
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setTone(m_problem, Tone::Danger);
    m_problem->hide();
    column->addWidget(m_problem);
    auto *buttons = new QHBoxLayout;
    m_connect = new QPushButton(card);
    m_connect->setProperty("primary", true);
    m_cancel = new QPushButton(card);
    m_cancel->hide();
    buttons->addStretch(1);
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_connect);
    column->addLayout(buttons);
    column->addStretch(1);

    connect(m_connect, &QPushButton::clicked, this, &ConnectPage::submit);
    connect(m_cancel, &QPushButton::clicked, this, &ConnectPage::cancelled);
    connect(m_sqlite, &QRadioButton::toggled, this, &ConnectPage::chooseKind);
    connect(m_browse, &QPushButton::clicked, this, &ConnectPage::chooseFile);
    connect(m_environment, qOverload<int>(&QComboBox::activated), this, [this](int environment) {
        if (Environment(environment) == Environment::Production)
            m_lookOnly->setChecked(true);
    });
    for (QLineEdit *edit : {m_file, m_host, m_database, m_schema, m_user, m_password, m_name})
        connect(edit, &QLineEdit::returnPressed, this, &ConnectPage::submit);
    return card;
}

void ConnectPage::buildSqlite(QFormLayout *form)
{
    m_file = new QLineEdit(this);
    m_browse = new QPushButton(this);
    setTextIcon(m_browse, icon(QStringLiteral("folder")));
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_file, 1);
    row->addWidget(m_browse);
    auto *label = new QLabel(this);
    label->setBuddy(m_file);
    m_labels += label;
    form->addRow(label, row);
}

void ConnectPage::buildPostgres(QFormLayout *form)
{
    m_host = new QLineEdit(this);
    m_port = new QSpinBox(this);
    m_port->setRange(1, 65535);
    m_port->setValue(5432);
    m_port->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_port->setGroupSeparatorShown(false);
    m_database = new QLineEdit(this);
    m_schema = new QLineEdit(this);
    m_user = new QLineEdit(this);
    m_password = new QLineEdit(this);
    m_password->setEchoMode(QLineEdit::Password);
    for (QWidget *field : QVector<QWidget *>{m_host, m_port, m_database, m_schema, m_user, m_password}) {
        auto *label = new QLabel(this);
        label->setBuddy(field);
        m_labels += label;
        form->addRow(label, field);
    }
}

void ConnectPage::chooseKind()
{
    m_kinds->setCurrentIndex(m_sqlite->isChecked() ? 0 : 1);
    // The hidden form must not keep the card as high as the longer one.
    for (int at = 0; at < m_kinds->count(); ++at)
        m_kinds->widget(at)->setSizePolicy(
            QSizePolicy::Preferred, at == m_kinds->currentIndex() ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    m_kinds->adjustSize();
    tellProblem({});
}

void ConnectPage::chooseFile()
{
    auto *dialog = new QFileDialog(this, tr("Choose a SQLite file"), m_file->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("SQLite databases (*.db *.sqlite *.sqlite3)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, m_file, &QLineEdit::setText);
    dialog->open();
}

void ConnectPage::setConnection(const Connection &connection)
{
    m_sqlite->setChecked(connection.isSqlite());
    m_postgres->setChecked(!connection.isSqlite());
    m_password->clear();
    if (connection.isSqlite()) {
        m_file->setText(connection.url.mid(7));
    } else {
        const QUrl url(connection.url);
        m_host->setText(url.host());
        m_port->setValue(url.port(5432));
        m_database->setText(url.path().mid(1));
        m_schema->setText(QUrlQuery(url).queryItemValue(QStringLiteral("schema")));
        m_user->setText(url.userName());
    }
    m_name->setText(connection.name);
    m_environment->setCurrentIndex(int(connection.environment));
    m_lookOnly->setChecked(connection.lookOnly);
    chooseKind();
    if (!connection.isSqlite())
        m_password->setFocus();
}

QString ConnectPage::missing() const
{
    if (m_sqlite->isChecked())
        return m_file->text().trimmed().isEmpty() ? tr("Name the SQLite file of the store.") : QString();
    if (m_host->text().trimmed().isEmpty())
        return tr("Name the host of the PostgreSQL server.");
    if (m_database->text().trimmed().isEmpty())
        return tr("Name the database on this server.");
    return {};
}

Connection ConnectPage::connection() const
{
    Connection connection;
    if (m_sqlite->isChecked()) {
        connection.url = QStringLiteral("sqlite:") + m_file->text().trimmed();
    } else {
        QUrl url;
        url.setScheme(QStringLiteral("postgresql"));
        url.setHost(m_host->text().trimmed());
        url.setPort(m_port->value());
        url.setUserName(m_user->text().trimmed());
        url.setPath(u'/' + m_database->text().trimmed());
        if (const QString schema = m_schema->text().trimmed(); !schema.isEmpty()) {
            QUrlQuery query;
            query.addQueryItem(QStringLiteral("schema"), schema);
            url.setQuery(query);
        }
        connection.url = url.toString(QUrl::FullyEncoded);
        connection.password = m_password->text();
    }
    connection.name = m_name->text().trimmed().isEmpty() ? nameOf(connection.url) : m_name->text().trimmed();
    connection.environment = Environment(m_environment->currentIndex());
    connection.lookOnly = m_lookOnly->isChecked();
    return connection;
}

void ConnectPage::submit()
{
    const QString gap = missing();
    tellProblem(gap);
    if (!gap.isEmpty())
        return;
    setBusy(true);
    Q_EMIT connectWanted(connection());
    m_password->clear();
}

void ConnectPage::setBusy(bool busy)
{
    m_connect->setEnabled(!busy);
    m_connect->setText(busy ? tr("Connecting …") : tr("Connect"));
    m_connect->setToolTip(busy ? tr("The store has not answered yet.") : QString());
    m_cancel->setVisible(busy);
}

void ConnectPage::tellProblem(const QString &sentence)
{
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
    m_connect->setAccessibleDescription(sentence);
}

QString ConnectPage::problem() const
{
    return m_problem->text();
}

void ConnectPage::reloadRecent()
{
    m_list->clear();
    for (const Connection &connection : m_recent.all()) {
        auto *item =
            new QListWidgetItem(icon(connection.isSqlite() ? QStringLiteral("database") : QStringLiteral("connect")),
                                connection.name, m_list);
        item->setData(Qt::UserRole, connection.url);
        item->setToolTip(connection.url);
        item->setData(Qt::AccessibleTextRole,
                      tr("%1, %2").arg(connection.name, Stripe::environmentWord(connection.environment)));
        item->setSizeHint({0, fontMetrics().height() + 12});
    }
    m_list->setVisible(m_list->count() > 0);
    m_noRecent->setVisible(m_list->count() == 0);
}

void ConnectPage::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QWidget::changeEvent(event);
}

void ConnectPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_sqlite->isChecked())
        m_file->setFocus();
}

void ConnectPage::retranslate()
{
    m_title->setText(tr("Connect to a store"));
    m_lead->setText(tr("The database that holds your application's events and their deliveries."));
    m_recentTitle->setText(tr("Recent"));
    m_noRecent->setText(tr("Stores you have connected to stand here."));
    m_list->setAccessibleName(tr("Recent connections"));
    m_sqlite->setText(tr("SQLite &file"));
    m_postgres->setText(tr("&PostgreSQL"));
    m_browse->setText(tr("Browse …"));
    const QString names[] = {tr("File"), tr("Host"),     tr("Port"), tr("Database"),   tr("Schema"),
                             tr("User"), tr("Password"), tr("Name"), tr("Environment")};
    QWidget *const fields[] = {m_file, m_host, m_port, m_database, m_schema, m_user, m_password, m_name, m_environment};
    int widest = 0;
    for (int at = 0; at < m_labels.size(); ++at) {
        m_labels[at]->setText(names[at]);
        fields[at]->setAccessibleName(names[at]);
        widest = std::max(widest, m_labels[at]->sizeHint().width());
    }
    for (QLabel *label : m_labels) {
        label->setMinimumWidth(widest); // the forms share one edge
        label->setMinimumHeight(m_name->sizeHint().height());
    }
    m_environment->view()->setAccessibleName(tr("Environment"));
    m_schema->setPlaceholderText(QStringLiteral("public"));
    m_password->setPlaceholderText(tr("Asked for each time, stored nowhere"));
    m_name->setPlaceholderText(tr("How the window calls it"));
    for (int at = 0; at < 3; ++at)
        m_environment->setItemText(at, Stripe::environmentWord(Environment(at)));
    m_lookOnly->setText(tr("&Look only, offer no commands"));
    m_cancel->setText(tr("Cancel"));
    setBusy(!m_connect->isEnabled());
}

} // namespace sendoff::ui
