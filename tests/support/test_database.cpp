#include "tests/support/test_database.h"

#include "store/migrator.h"

#include <QTest>
#include <QUuid>

namespace sendoff::test {

using store::StoreUrl;

bool TestDatabase::isAvailable(StoreUrl::Kind kind)
{
    return kind == StoreUrl::Kind::Sqlite || qEnvironmentVariableIsSet("SENDOFF_TEST_PG");
}

TestDatabase::TestDatabase(StoreUrl::Kind kind, Migrated migrated)
{
    if (kind == StoreUrl::Kind::Sqlite) {
        m_url = *StoreUrl::parse(QStringLiteral("sqlite:") + m_folder.filePath(QStringLiteral("store.db")));
    } else {
        m_url = *StoreUrl::parse(qEnvironmentVariable("SENDOFF_TEST_PG"));
        m_url.schema = QStringLiteral("t") + QUuid::createUuid().toString(QUuid::Id128);
    }
    m_database = connect();
    if (migrated == Migrated::Yes) {
        const auto done = store::migrate(*m_database);
        if (!done)
            qFatal("migration failed: %s", qPrintable(done.error().message));
    }
}

TestDatabase::~TestDatabase()
{
    if (m_url.kind != StoreUrl::Kind::PostgreSql || !m_database)
        return;
    const auto dropped = m_database->write([&](store::Session &session) {
        session.command("DROP SCHEMA IF EXISTS " + m_url.schema.toLatin1() + " CASCADE");
    });
    if (!dropped)
        qWarning("schema of a test stays: %s", qPrintable(dropped.error().message));
}

std::unique_ptr<store::Database> TestDatabase::connect(store::Access access) const
{
    auto opened = store::Database::open(m_url, {}, access);
    if (!opened)
        qFatal("test store can't be opened: %s", qPrintable(opened.error().message));
    return std::move(*opened);
}

void TestDatabase::run(const QByteArray &sql, const QVariantList &values)
{
    const auto done = m_database->write([&](store::Session &session) { session.run(sql, values); });
    if (!done)
        QFAIL(qPrintable(QString::fromUtf8(sql) + QStringLiteral(": ") + done.error().message));
}

QString TestDatabase::text(const QByteArray &sql, const QVariantList &values)
{
    const auto found = m_database->read([&](store::Session &session) {
        store::Cursor row = session.run(sql, values);
        return row.next() ? row.text(0) : QString();
    });
    if (!found)
        qFatal("%s: %s", sql.constData(), qPrintable(found.error().message));
    return *found;
}

qint64 TestDatabase::number(const QByteArray &sql, const QVariantList &values)
{
    return text(sql, values).toLongLong();
}

void addStoreRows()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("sqlite") << int(StoreUrl::Kind::Sqlite);
    QTest::newRow("postgresql") << int(StoreUrl::Kind::PostgreSql);
}

StoreUrl::Kind fetchKind()
{
    QFETCH_GLOBAL(int, kind);
    return StoreUrl::Kind(kind);
}

} // namespace sendoff::test
