#pragma once
#include "store/database.h"
#include <QString>
#include <QTemporaryDir>
#include <memory>

namespace sendoff::test {

// A fresh, migrated store for one test: a SQLite file, or a schema of its own on the PostgreSQL that
// SENDOFF_TEST_PG names. Gone with the object. Without that server PostgreSQL tests skip loudly; in CI (CI=true) they
// fail.
class TestDatabase
{
public:
    enum class Migrated { Yes, No };
    explicit TestDatabase(store::StoreUrl::Kind kind, Migrated migrated = Migrated::Yes);
    ~TestDatabase();

    static bool isAvailable(store::StoreUrl::Kind kind);
    const store::StoreUrl &url() const { return m_url; }
    // A further connection, for the calling thread.
    std::unique_ptr<store::Database> connect(store::Access access = store::Access::ReadWrite) const;
    // The first connection, of the thread that made the object.
    store::Database &database() { return *m_database; }

    // Plain SQL, as an application or a test's hand would run it; macros of sql_text.h work. Fails the test on an
    // error.
    void run(const QByteArray &sql, const QVariantList &values = {});
    QString text(const QByteArray &sql, const QVariantList &values = {});
    qint64 number(const QByteArray &sql, const QVariantList &values = {});

private:
    QTemporaryDir m_folder;
    store::StoreUrl m_url;
    std::unique_ptr<store::Database> m_database;
};

// Adds the rows "sqlite" and "postgresql" to a data-driven test's column "kind".
void addStoreRows();
store::StoreUrl::Kind fetchKind();

} // namespace sendoff::test
