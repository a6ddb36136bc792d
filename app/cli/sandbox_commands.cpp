#include "app/cli/command_line.h"
#include "app/cli/json.h"
#include "app/unix_signals.h"
#include "sandbox/sandbox.h"

#include <QCoreApplication>
#include <QFile>

namespace sendoff::app {

namespace {

struct SandboxCommandOptions
{
    std::string listen = "127.0.0.1:8026";
    std::string smtp; // empty: no mail server
    std::string script;
};

constexpr qint64 maxScriptBytes = 16 * 1024 * 1024;

struct ListenAddress
{
    QHostAddress host;
    quint16 port = 0;
};

Result<ListenAddress> readListen(const QString &option, const std::string &text)
{
    const QString written = QString::fromStdString(text);
    const qsizetype colon = written.lastIndexOf(u':');
    ListenAddress address;
    QString host = written.left(std::max<qsizetype>(colon, 0));
    if (host.startsWith(u'[') && host.endsWith(u']'))
        host = host.mid(1, host.size() - 2);
    if (host == QLatin1String("localhost"))
        host = QStringLiteral("127.0.0.1");
    bool isNumber = false;
    address.port = written.mid(colon + 1).toUShort(&isNumber);
    if (colon < 0 || !isNumber || !address.host.setAddress(host)) {
        return Error{ErrorCode::Invalid,
                     option + QStringLiteral(" is not ADDRESS:PORT; write 127.0.0.1:8026, or port 0 for a free one")};
    }
    return address;
}

Result<QByteArray> readScript(const std::string &path)
{
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly) || file.size() > maxScriptBytes) {
        return Error{
            ErrorCode::Invalid,
            QStringLiteral("--script %1 can't be read: %2")
                .arg(file.fileName(), file.isOpen() ? QStringLiteral("it is larger than 16 MiB") : file.errorString())};
    }
    return file.readAll();
}

QString urlOf(const QString &scheme, const ListenAddress &address, quint16 port)
{
    const bool isV6 = address.host.protocol() == QAbstractSocket::IPv6Protocol;
    return QStringLiteral("%1://%2:%3")
        .arg(scheme)
        .arg(isV6 ? u'[' + address.host.toString() + u']' : address.host.toString())
        .arg(port);
}

Result<void> takeScript(sandbox::Sandbox &sandbox, const std::string &path)
{
    if (path.empty())
        return {};
    const auto script = readScript(path);
    if (!script)
        return script.error();
    return sandbox.setScript(*script);
}

// What it prints: where it listens, one address a line.
void sayAddresses(Invocation &invocation, const sandbox::Sandbox &sandbox, const QString &http, const QString &smtp)
{
    if (invocation.isJson()) {
        JsonObject document;
        document.with("url", http).with("port", sandbox.port());
        if (!smtp.isEmpty())
            document.with("smtp_url", smtp).with("smtp_port", sandbox.smtpPort());
        invocation.out().document(document);
        return;
    }
    invocation.out().line(http);
    if (!smtp.isEmpty())
        invocation.out().line(smtp);
}

Result<ExitCode> runSandbox(Invocation &invocation, const SandboxCommandOptions &options)
{
    const auto address = readListen(QStringLiteral("--listen"), options.listen);
    if (!address)
        return address.error();
    const bool takesMail = !options.smtp.empty();
    const auto mail = takesMail ? readListen(QStringLiteral("--smtp"), options.smtp) : ListenAddress{};
    if (!mail)
        return mail.error();
    UnixSignals signalSource;
    sandbox::Sandbox sandbox;
    if (const Result<void> set = takeScript(sandbox, options.script); !set)
        return set.error();
    Result<void> listening = sandbox.listen(address->host, address->port);
    if (listening && takesMail)
        listening = sandbox.listenSmtp(mail->host, mail->port);
    if (!listening) {
        complain(listening.error().message); // no store is unavailable here: a plain failure
        return ExitCode::Failed;
    }
    if (!address->host.isLoopback() || (takesMail && !mail->host.isLoopback()))
        complain(QStringLiteral("everybody who reaches this address may read and change the sandbox"));
    const QString smtp = takesMail ? urlOf(QStringLiteral("smtp"), *mail, sandbox.smtpPort()) : QString();
    sayAddresses(invocation, sandbox, urlOf(QStringLiteral("http"), *address, sandbox.port()), smtp);
    if (const Result<void> flushed = invocation.out().flush(); !flushed)
        return flushed.error();
    QObject::connect(&signalSource, &UnixSignals::stopAsked, &sandbox, [] { QCoreApplication::exit(0); });
    QCoreApplication::exec();
    return ExitCode::Done;
}

} // namespace

void addSandboxCommands(CommandLine &line)
{
    auto options = std::make_shared<SandboxCommandOptions>();
    CLI::App &command =
        line.add("sandbox", "A local stand-in for the providers, until SIGTERM; prints where it listens",
                 [options](Invocation &invocation) { return runSandbox(invocation, *options); });
    command.add_option("--listen", options->listen, "Address and port, port 0 for a free one")
        ->option_text("ADDRESS:PORT")
        ->capture_default_str();
    command.add_option("--smtp", options->smtp, "Be a mail server there as well; its mails stand among the messages")
        ->option_text("ADDRESS:PORT");
    command.add_option("--script", options->script, "What it does wrong and calls back, see engine/sandbox/SCRIPT.md")
        ->option_text("FILE");
}

} // namespace sendoff::app
