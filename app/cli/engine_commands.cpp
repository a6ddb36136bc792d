#include "app/catalogue_file.h"
#include "app/cli/command_line.h"
#include "app/cli/configuration_json.h"
#include "app/cli/json.h"
#include "app/composition.h"
#include "app/logging.h"
#include "app/unix_signals.h"
#include "store/migrator.h"
#include "store/published_sets.h"

#include <QCoreApplication>

namespace sendoff::app {

namespace {

Error configurationError(const QString &message)
{
    return {ErrorCode::Invalid, message};
}

// ---- check ---------------------------------------------------------------------------------------------------------

// Everything wrong that can be known without the store. Where the configuration itself can't be used, that is all.
struct Findings
{
    std::vector<ConfigurationProblem> problems;
    std::optional<ResolvedSecrets> secrets;
    PublishedSet set;

    void add(const std::vector<ConfigurationProblem> &more)
    {
        problems.insert(problems.end(), more.begin(), more.end());
    }
    bool ok() const
    {
        return std::all_of(problems.cbegin(), problems.cend(), [](const auto &each) { return each.isWarning; });
    }
};

enum class Catalogues { Read, Skip };

Result<Findings> findingsOf(Invocation &invocation, Catalogues catalogues)
{
    const Result<QString> path = invocation.configurationPath();
    if (!path)
        return configurationError(path.error().message);
    Findings findings;
    const Loaded<Configuration> configuration = loadConfiguration(*path);
    findings.add(configuration.problems);
    if (!configuration.ok())
        return findings;
    Loaded<ResolvedSecrets> secrets = resolveSecrets(configuration.value, SecretReaders::ofThisProcess());
    findings.add(secrets.problems);
    Loaded<PublishedSet> set;
    if (catalogues == Catalogues::Read) {
        set = loadPublishedSet(configuration.value.catalogue.catalogue, configuration.value.catalogue.templates);
        findings.add(set.problems);
    }
    if (secrets.ok()) {
        findings.add(problemsTogether(secrets.value, set.value.catalogue));
        findings.secrets = std::move(secrets.value);
    }
    findings.set = std::move(set.value);
    return findings;
}

JsonValue json(const ConfigurationProblem &problem)
{
    return JsonObject()
        .with("file", problem.file)
        .with("line", problem.line)
        .with("key", problem.key.isEmpty() ? JsonValue() : JsonValue::string(problem.key))
        .with("severity", problem.isWarning ? QStringLiteral("warning") : QStringLiteral("error"))
        .with("message", problem.message);
}

// What keeps a person's configuration from being used now; empty where the store answers and is of this program.
Result<void> storeFinding(Invocation &invocation)
{
    auto database = invocation.openStore(store::Access::ReadOnly);
    if (!database)
        return database.error();
    return (*database)->checkNoTransactionPooler();
}

struct CheckOptions
{
    bool printConfiguration = false;
};

void printCheck(Invocation &invocation, const Findings &findings, const Result<void> &store,
                const CheckOptions &options)
{
    Output &out = invocation.out();
    const bool isPrinted = options.printConfiguration && findings.secrets;
    if (invocation.isJson()) {
        std::vector<JsonValue> problems;
        for (const ConfigurationProblem &problem : findings.problems)
            problems.push_back(json(problem));
        JsonObject document;
        document.with("ok", findings.ok() && store.ok())
            .with("problems", JsonValue::array(std::move(problems)))
            .with("store", store.ok() ? QStringLiteral("ready") : store.error().message);
        if (isPrinted)
            document.with("configuration", effectiveConfiguration(*findings.secrets));
        out.document(document);
        return;
    }
    if (isPrinted) {
        for (const QString &line : flattened(effectiveConfiguration(*findings.secrets)))
            out.line(line);
    }
    for (const ConfigurationProblem &problem : findings.problems)
        out.line(toText(problem));
    if (!store.ok())
        out.line(QStringLiteral("store: %1").arg(store.error().message));
    if (findings.ok() && store.ok())
        out.line(QStringLiteral("ok: configuration, catalogue, templates, secrets and store are in order"));
}

Result<ExitCode> check(Invocation &invocation, const CheckOptions &options)
{
    const auto findings = findingsOf(invocation, Catalogues::Read);
    if (!findings)
        return findings.error();
    // Without the store's password there is nothing to connect with; the problems say so already.
    Result<void> store;
    if (findings->secrets)
        store = storeFinding(invocation);
    printCheck(invocation, *findings, store, options);
    if (!findings->ok())
        return ExitCode::Usage;
    return store ? ExitCode::Done : exitCodeFor(store.error().code);
}

// ---- run -----------------------------------------------------------------------------------------------------------

struct RunOptions
{
    bool untilIdle = false;
    bool printConfiguration = false;
};

void startLog(const ResolvedSecrets &secrets)
{
    LogSettings settings;
    const LogConfiguration &log = secrets.configuration.log;
    settings.format = logFormatFromText(log.format).value_or(LogFormat::Text);
    settings.level = logLevelFromText(log.level).value_or(LogLevel::Info);
    startLogging(settings);
    hideInLog(secrets.all());
}

// An embedded store belongs to its one program: brought up to date and given the catalogue of the files.
Result<void> prepareEmbeddedStore(store::Database &database, const PublishedSet &set, const QString &actor)
{
    const auto before = store::migrate(database);
    if (!before)
        return before.error();
    if (before->schema < store::schemaNumber) {
        log(LogLevel::Info, QStringLiteral("store migrated"),
            {{QStringLiteral("from"), QString::number(before->schema)},
             {QStringLiteral("to"), QString::number(store::schemaNumber)}});
    }
    const auto published = store::publish(database, set, actor, QStringLiteral("published at start"));
    if (!published)
        return published.error();
    log(LogLevel::Info, QStringLiteral("catalogue in use"),
        {{QStringLiteral("set"), QString::number(published->id)}, {QStringLiteral("hash"), published->hash.left(12)}});
    return {};
}

// A server's store is shared: what others rely on is changed by a person's command only.
Result<void> checkSharedStore(store::Database &database)
{
    if (const Result<void> direct = database.checkNoTransactionPooler(); !direct)
        return configurationError(direct.error().message);
    const auto version = store::schemaVersion(database);
    if (!version)
        return version.error();
    if (const Result<void> usable = store::checkSchema(*version); !usable)
        return Error{ErrorCode::Unavailable, usable.error().message};
    const auto current = store::currentPublishedSet(database);
    if (!current)
        return current.error();
    if (*current == 0) {
        return Error{ErrorCode::Refused,
                     QStringLiteral("no catalogue is published in this store; run `sendoffd publish` first")};
    }
    return {};
}

Result<void> prepareStore(Invocation &invocation, const Findings &findings)
{
    auto database = invocation.openAnyStore(store::Access::ReadWrite, true);
    if (!database)
        return database.error();
    if ((*database)->isPostgreSql())
        return checkSharedStore(**database);
    return prepareEmbeddedStore(**database, findings.set, engineSettings(*findings.secrets, false).name);
}

void logStart(const dispatch::EngineSettings &settings, const store::StoreUrl &url)
{
    log(LogLevel::Info, QStringLiteral("engine started"),
        {{QStringLiteral("engine"), settings.name},
         {QStringLiteral("version"), settings.version},
         {QStringLiteral("store"), url.toText()},
         {QStringLiteral("providers"), QString::number(settings.providers.size())}});
}

// Works until the engine has finished: after a signal's drain, or when nothing is left to do.
Result<ExitCode> runEngine(Invocation &invocation, const ResolvedSecrets &secrets, UnixSignals &signalSource,
                           bool untilIdle)
{
    const auto where = invocation.storeAccess();
    if (!where)
        return where.error();
    EngineComposition parts(secrets, untilIdle);
    dispatch::Engine &engine = parts.engine();
    QObject::connect(&signalSource, &UnixSignals::stopAsked, &engine, [&engine] {
        log(LogLevel::Info, QStringLiteral("stop asked: no more claims, what is in flight may end"));
        engine.drain();
    });
    QObject::connect(
        &engine, &dispatch::Engine::finished, QCoreApplication::instance(),
        [](bool clean) { QCoreApplication::exit(int(clean ? ExitCode::Done : ExitCode::Failed)); },
        Qt::QueuedConnection);
    QObject::connect(&engine, &dispatch::Engine::storeTrouble, &engine, [](const QString &problem) {
        if (problem.isEmpty())
            log(LogLevel::Info, QStringLiteral("the store answers again"));
        else
            log(LogLevel::Warning, QStringLiteral("the store does not answer"), {{QStringLiteral("problem"), problem}});
    });
    if (const Result<void> started = engine.start(where->url, where->password); !started)
        return started.error();
    logStart(engineSettings(secrets, untilIdle), where->url);
    const auto code = ExitCode(QCoreApplication::exec());
    log(code == ExitCode::Done ? LogLevel::Info : LogLevel::Warning,
        code == ExitCode::Done ? QStringLiteral("engine stopped")
                               : QStringLiteral("engine stopped; requests were cut off and are recorded as unknown"));
    return code;
}

Result<ExitCode> run(Invocation &invocation, const RunOptions &options)
{
    UnixSignals signalSource;
    const auto where = invocation.storeAccess();
    if (!where)
        return where.error();
    const bool isEmbedded = where->url.kind == store::StoreUrl::Kind::Sqlite;
    const auto findings = findingsOf(invocation, isEmbedded ? Catalogues::Read : Catalogues::Skip);
    if (!findings)
        return findings.error();
    if (!findings->problems.empty())
        complain(linesOf(findings->problems));
    if (!findings->ok())
        return ExitCode::Usage;
    startLog(*findings->secrets);
    if (options.printConfiguration) {
        if (invocation.isJson())
            invocation.out().document(effectiveConfiguration(*findings->secrets));
        else
            invocation.out().line(flattened(effectiveConfiguration(*findings->secrets)).join(u'\n'));
        (void)invocation.out().flush();
    }
    if (const Result<void> ready = prepareStore(invocation, *findings); !ready)
        return ready.error();
    Result<ExitCode> code = runEngine(invocation, *findings->secrets, signalSource, options.untilIdle);
    stopLogging();
    return code;
}

} // namespace

void addEngineCommands(CommandLine &line)
{
    auto runOptions = std::make_shared<RunOptions>();
    CLI::App &running = line.add("run", "The engine, until SIGTERM; exits 1 when the drain had to cut requests off",
                                 [runOptions](Invocation &invocation) { return run(invocation, *runOptions); });
    running.add_flag("--until-idle", runOptions->untilIdle, "End when nothing is due or in flight");
    running.add_flag("--print-config", runOptions->printConfiguration,
                     "Print the configuration in effect, secrets masked");

    auto checkOptions = std::make_shared<CheckOptions>();
    CLI::App &checking = line.add("check", "Verify configuration, catalogue, templates, secrets and store",
                                  [checkOptions](Invocation &invocation) { return check(invocation, *checkOptions); });
    checking.add_flag("--print-config", checkOptions->printConfiguration,
                      "Print the configuration in effect, secrets masked");
}

} // namespace sendoff::app
