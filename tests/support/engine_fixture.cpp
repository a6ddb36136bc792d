#include "tests/support/engine_fixture.h"

#include <QDir>
#include <QFile>
#include <QTest>
#include <csignal>

namespace sendoff::test {

namespace {
const QByteArray catalogue = R"(
[[event]]
type = "note"
category = "notes"
expires = "24h"
notify = [ { role = "reader", email = "/to", channels = ["email"], template = "note" } ]
[[event]]
type = "alert"
category = "notes"
lane = "urgent"
expires = "24h"
notify = [ { role = "reader", email = "/to", channels = ["email"], template = "note" } ]
[[event]]
type = "ping"
category = "notes"
expires = "24h"
notify = [ { role = "reader", user = "/user", channels = ["push"], template = "note" } ]
[[event]]
type = "memo"
category = "notes"
expires = "24h"
notify = [ { role = "reader", user = "/user", channels = ["inbox"], template = "note" } ]
)";
} // namespace

EngineFixture::EngineFixture(store::StoreUrl::Kind kind)
    : m_database(kind)
{
    if (const auto listening = m_sandbox.listen(); !listening)
        qFatal("%s", qPrintable(listening.error().message));
    QDir(m_folder.path()).mkpath(QStringLiteral("templates/note"));
    write(QStringLiteral("catalogue.toml"), catalogue);
    write(QStringLiteral("templates/note/email.en.mustache"), "---\nsubject: Note {{n}}\n---\nThis is note {{n}}.\n");
    write(QStringLiteral("templates/note/push.en.mustache"), "---\ntitle: Note {{n}}\n---\nThis is note {{n}}.\n");
    write(QStringLiteral("templates/note/inbox.en.mustache"), "---\ntitle: Note {{n}}\n---\nThis is note {{n}}.\n");
    configure({});
}

EngineFixture::~EngineFixture() = default;

void EngineFixture::write(const QString &name, const QByteArray &content)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("a test file can't be written");
}

void EngineFixture::configure(const Settings &settings)
{
    store::StoreUrl url = m_database.url();
    if (!settings.user.isEmpty())
        url.user = QString::fromLatin1(settings.user);
    if (!settings.port.isEmpty())
        url.ports = QString::fromLatin1(settings.port);
    const QString text = url.toText();
    const QByteArray base = "http://127.0.0.1:" + QByteArray::number(m_sandbox.port());
    write(QStringLiteral("sendoff.toml"),
          "[store]\nurl = \"" + text.toUtf8() + "\"\n[engine]\nname = \"test\"\nlease = \"" + settings.lease +
              "\"\nsweep = \"" + settings.sweep + "\"\ndrain = \"" + settings.drain +
              "\"\n[catalogue]\npath = \"catalogue.toml\"\ntemplates = \"templates\"\n[retry]\nbase = \"" +
              settings.retryBase +
              "\"\n[providers.resend]\nkind = \"resend\"\nchannel = \"email\"\nfrom = \"Test "
              "<test@example.com>\"\nbase_url = \"" +
              base + "\"\napi_key = { env = \"SENDOFF_TEST_KEY\" }\ntimeout = \"" + settings.timeout + "\"\n" +
              settings.emailLimits + "\n[providers.expo]\nkind = \"expo\"\nchannel = \"push\"\nbase_url = \"" + base +
              "\"\ntimeout = \"" + settings.timeout + "\"\n");
}

std::unique_ptr<QProcess> EngineFixture::start(const QStringList &arguments, const QStringList &environment,
                                               const QStringList &wrapper)
{
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
    variables.insert(QStringLiteral("SENDOFF_TEST_KEY"), QStringLiteral("re_test"));
    for (const QString &variable : environment)
        variables.insert(variable.section(u'=', 0, 0), variable.section(u'=', 1));
    process->setProcessEnvironment(variables);
    process->setWorkingDirectory(m_folder.path());
    QStringList command = wrapper +
                          QStringList{QStringLiteral(SENDOFF_BINARY_DIR "/app/sendoffd"), QStringLiteral("--config"),
                                      configurationFile()} +
                          arguments;
    const bool mustPublish = m_database.database().isPostgreSql() && arguments.value(0) == QLatin1String("run") &&
                             m_database.number("SELECT count(*) FROM sendoff_published_set") == 0;
    if (mustPublish)
        publish();
    const QString program = command.takeFirst();
    process->start(program, command);
    if (!process->waitForStarted(30'000))
        qFatal("sendoffd can't be started: %s", qPrintable(process->errorString()));
    return process;
}

int EngineFixture::ended(QProcess &engine)
{
    if (engine.state() != QProcess::NotRunning && !engine.waitForFinished(60'000)) {
        engine.kill();
        engine.waitForFinished();
        qFatal("an engine did not end: %s", engine.readAllStandardError().constData());
    }
    m_errorOutput = engine.readAllStandardError();
    // Open case DB-09: threads and connections are never mixed up.
    for (const char *complaint : {"does not belong to the calling thread", "duplicate connection name",
                                  "is still in use", "database not open", "QSqlQuery"})
        if (m_errorOutput.contains(complaint))
            qFatal("DB-09: %s", m_errorOutput.constData());
    return engine.exitStatus() == QProcess::NormalExit ? engine.exitCode() : -1;
}

void EngineFixture::publish()
{
    auto publishing = start({QStringLiteral("publish"), QStringLiteral("--note"), QStringLiteral("test")});
    if (const int code = ended(*publishing); code != 0)
        qFatal("publish failed (%d): %s", code, m_errorOutput.constData());
}

void EngineFixture::waitUntilRegistered(QProcess &engine)
{
    QTRY_VERIFY_WITH_TIMEOUT(
        m_database.number("SELECT count(*) FROM sendoff_engine WHERE pid = ?", {engine.processId()}) == 1, 60'000);
}

void EngineFixture::terminate(QProcess &engine)
{
    waitUntilRegistered(engine);
    ::kill(pid_t(engine.processId()), SIGTERM);
}

void EngineFixture::emitEvents(int count, const QByteArray &type, const QByteArray &more)
{
    const auto done = m_database.database().write([&](store::Session &session) {
        for (int each = 0; each < count; ++each) {
            const QByteArray number = QByteArray::number(m_emitted + each);
            const QByteArray payload = "{\"n\":" + number + ",\"to\":\"reader" + number +
                                       "@example.com\",\"user\":\"u" + number + "\"" + more + "}";
            session.run("INSERT INTO sendoff_event (id, type, payload) VALUES (?, ?, ?)",
                        {QStringLiteral("e") + QString::fromLatin1(number), QString::fromLatin1(type),
                         QString::fromUtf8(payload)});
        }
    });
    if (!done)
        qFatal("%s", qPrintable(done.error().message));
    m_emitted += count;
}

qint64 EngineFixture::countState(const char *state)
{
    return m_database.number("SELECT count(*) FROM sendoff_delivery WHERE state = ?", {QString::fromLatin1(state)});
}

void EngineFixture::endEngineSessions()
{
    // Engines say their name and schema in application_name, so other tests' sessions are left alone.
    m_database.number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                      "AND application_name = ?",
                      {QStringLiteral("sendoff ") + m_database.url().schema.left(50)});
}

} // namespace sendoff::test
