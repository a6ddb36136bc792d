#pragma once
#include "sandbox/sandbox_thread.h"
#include "tests/support/test_database.h"
#include <QProcess>
#include <QTemporaryDir>
#include <memory>

namespace sendoff::test {

// The built sendoffd as a server process on a fresh store, its providers played by a sandbox over real sockets.
// Events of type "note" go by email to /to; "alert" too, lane urgent; "ping" by push to the user's devices; "memo" to
// the inbox.
class EngineFixture
{
public:
    explicit EngineFixture(store::StoreUrl::Kind kind);
    ~EngineFixture();

    // What [engine], [retry] and the providers' tables say; call before the first engine starts.
    struct Settings
    {
        QByteArray lease = "7s";
        QByteArray timeout = "2s";
        QByteArray drain = "10s";
        QByteArray retryBase = "200ms";
        QByteArray sweep = "2s";
        QByteArray emailLimits = "rate = \"20000/s\"\nburst = 20000\n"; // of [providers.resend]: rate, burst, slots
        QByteArray user;                                                // PostgreSQL: another role than the tests' own
        QByteArray port;                                                // PostgreSQL: another port (a pooler)
    };
    void configure(const Settings &settings);

    // Starts an engine; `environment` adds variables ("SENDOFF_TEST_KILL_AT=after_claim").
    std::unique_ptr<QProcess> start(const QStringList &arguments = {QStringLiteral("run")},
                                    const QStringList &environment = {}, const QStringList &wrapper = {});
    // Publishes the catalogue; start() does it where it is missing.
    void publish();
    // Waits for an engine's own end; its exit code, -1 when a signal ended it. Its error output is checked for Qt's
    // complaints about connections in wrong threads.
    int ended(QProcess &engine);
    void terminate(QProcess &engine);
    // Waits until this engine is at work: a signal that comes earlier meets the program before its handlers stand.
    void waitUntilRegistered(QProcess &engine);

    void emitEvents(int count, const QByteArray &type = "note", const QByteArray &more = {});
    qint64 countState(const char *state);
    // PostgreSQL: ends the sessions of the engines of this fixture, as a restart of the server would.
    void endEngineSessions();

    TestDatabase &database() { return m_database; }
    sandbox::SandboxThread &sandbox() { return m_sandbox; }
    QString configurationFile() const { return m_folder.filePath(QStringLiteral("sendoff.toml")); }
    const QByteArray &errorOutput() const { return m_errorOutput; }

private:
    void write(const QString &name, const QByteArray &content);

    QTemporaryDir m_folder;
    TestDatabase m_database;
    sandbox::SandboxThread m_sandbox;
    QByteArray m_errorOutput;
    int m_emitted = 0;
};

} // namespace sendoff::test
