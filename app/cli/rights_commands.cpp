#include "admin/store_console.h"
#include "app/cli/command_line.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "store/audit_store.h"
#include "store/rights_store.h"

namespace sendoff::app {

namespace {

// ---- roles ---------------------------------------------------------------------------------------------------------

struct RolesOptions
{
    bool isPrint = false;
    bool isApply = false;
};

Result<ExitCode> applyRoles(Invocation &invocation)
{
    auto database = invocation.openStore(store::Access::ReadWrite);
    if (!database)
        return database.error();
    if (const Result<void> applied = store::applyRoles(**database); !applied)
        return applied.error();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().with("applied", true).with("schema", (*database)->url().schema));
        return ExitCode::Done;
    }
    invocation.out().line(QStringLiteral("the roles have their rights in schema %1; repeat this after each migration")
                              .arg((*database)->url().schema));
    invocation.out().line(QStringLiteral("now say who is what, each with a login of its own:"));
    invocation.out().line(QStringLiteral("  GRANT sendoff_producer TO your_application;"));
    invocation.out().line(QStringLiteral("  GRANT sendoff_engine TO engine_login;"));
    invocation.out().line(
        QStringLiteral("  GRANT sendoff_operator TO ana;  -- or sendoff_viewer, sendoff_support, sendoff_admin"));
    return ExitCode::Done;
}

Result<ExitCode> roles(Invocation &invocation, const RolesOptions &options)
{
    if (options.isPrint == options.isApply)
        return Error{ErrorCode::Invalid,
                     QStringLiteral("say --print to see the SQL of the roles, or --apply to run it as the owner")};
    const auto where = invocation.storeAccess();
    if (!where)
        return where.error();
    const Result<QByteArray> grants = store::rolesSql(where->url);
    if (!grants)
        return grants.error();
    if (options.isApply)
        return applyRoles(invocation);
    const QString sql = QString::fromUtf8(*grants).trimmed();
    if (invocation.isJson())
        invocation.out().document(JsonObject().with("schema", where->url.schema).with("sql", sql));
    else
        invocation.out().line(QStringLiteral("BEGIN;\n%1\nCOMMIT;").arg(sql));
    return ExitCode::Done;
}

// ---- reveal --------------------------------------------------------------------------------------------------------

struct RevealOptions
{
    std::string delivery;
    std::string reason;
};

Result<ExitCode> reveal(Invocation &invocation, const RevealOptions &options)
{
    auto console = invocation.openConsole(store::Access::ReadWrite);
    if (!console)
        return console.error();
    const DeliveryId id(QString::fromStdString(options.delivery));
    const auto revealed = (*console)->reveal(id, QString::fromStdString(options.reason));
    if (!revealed)
        return revealed.error();
    if (invocation.isJson()) {
        const Result<JsonValue> payload = parsePayload(revealed->payload);
        invocation.out().document(JsonObject()
                                      .with("delivery", id)
                                      .with("address", revealed->address)
                                      .with("payload", payload ? *payload : JsonValue()));
        return ExitCode::Done;
    }
    invocation.out().line(QStringLiteral("address  %1").arg(printable(revealed->address)));
    invocation.out().line(QStringLiteral("payload  %1").arg(printable(QString::fromUtf8(revealed->payload))));
    return ExitCode::Done;
}

// ---- audit ---------------------------------------------------------------------------------------------------------

struct AuditOptions
{
    int limit = 50;
    qint64 before = 0;
    bool isCheck = false;
};

constexpr auto convenience =
    "this store is a file: whoever may write to it may rewrite its audit; take it as a convenience, not as proof";

JsonValue json(const AuditRecord &record)
{
    return JsonObject()
        .with("id", record.id)
        .with("at", record.at)
        .with("actor", record.actor)
        .with("action", record.action)
        .with("object", record.object)
        .with("detail", record.detail)
        .with("hash", record.hash);
}

Result<ExitCode> checkAudit(Invocation &invocation, store::Database &database)
{
    const auto check = store::checkAudit(database);
    if (!check)
        return check.error();
    const bool isWhole = check->firstBroken == 0;
    if (invocation.isJson()) {
        invocation.out().document(JsonObject()
                                      .with("rows", check->rows)
                                      .with("whole", isWhole)
                                      .with("first_broken", isWhole ? JsonValue() : app::json(check->firstBroken))
                                      .with("enforced", database.isPostgreSql()));
    } else if (isWhole) {
        invocation.out().line(
            QStringLiteral("%1: each fits the one before")
                .arg(counted(check->rows, QStringLiteral("audit row"), QStringLiteral("audit rows"))));
    } else {
        invocation.out().line(
            QStringLiteral("audit row %1 does not fit: it or the row before was changed or removed; %2 before it fit")
                .arg(check->firstBroken)
                .arg(check->rows - 1));
    }
    if (!database.isPostgreSql())
        complain(QString::fromLatin1(convenience));
    return isWhole ? ExitCode::Done : ExitCode::Failed;
}

Result<ExitCode> listAudit(Invocation &invocation, store::Database &database, const AuditOptions &options)
{
    const auto rows = store::auditRows(database, options.before, options.limit);
    if (!rows)
        return rows.error();
    if (invocation.isJson()) {
        std::vector<JsonValue> items;
        for (const AuditRecord &row : *rows)
            items.push_back(json(row));
        invocation.out().document(
            JsonObject().with("audit", JsonValue::array(std::move(items))).with("enforced", database.isPostgreSql()));
    } else {
        Table table({QStringLiteral("ROW"), QStringLiteral("AT"), QStringLiteral("WHO"), QStringLiteral("DID"),
                     QStringLiteral("TO"), QStringLiteral("DETAIL")});
        for (const AuditRecord &row : *rows)
            table.add({QString::number(row.id), toRfc3339(row.at), row.actor, row.action, row.object, row.detail});
        if (table.isEmpty())
            invocation.out().line(QStringLiteral("nobody did anything yet"));
        else
            invocation.out().table(table);
    }
    if (!database.isPostgreSql())
        complain(QString::fromLatin1(convenience));
    return ExitCode::Done;
}

Result<ExitCode> audit(Invocation &invocation, const AuditOptions &options)
{
    auto database = invocation.openStore(store::Access::ReadOnly);
    if (!database)
        return database.error();
    return options.isCheck ? checkAudit(invocation, **database) : listAudit(invocation, **database, options);
}

} // namespace

void addRightsCommands(CommandLine &line)
{
    auto rolesOptions = std::make_shared<RolesOptions>();
    CLI::App &rolesCommand =
        line.add("roles", "The SQL that says what producers, engines and people may do on PostgreSQL",
                 [rolesOptions](Invocation &invocation) { return roles(invocation, *rolesOptions); });
    CLI::Option *print = rolesCommand.add_flag("--print", rolesOptions->isPrint, "Print the SQL; changes nothing");
    rolesCommand.add_flag("--apply", rolesOptions->isApply, "Run it; takes the owner of the tables")->excludes(print);

    auto revealOptions = std::make_shared<RevealOptions>();
    CLI::App &revealCommand =
        line.add("reveal", "Address and payload of a delivery in clear; audited before it answers",
                 [revealOptions](Invocation &invocation) { return reveal(invocation, *revealOptions); });
    revealCommand.add_option("delivery", revealOptions->delivery, "Id of the delivery")->required();
    revealCommand.add_option("--reason", revealOptions->reason, "Why, for the record")->option_text("TEXT")->required();

    auto auditOptions = std::make_shared<AuditOptions>();
    CLI::App &auditCommand = line.add("audit", "What people did, newest first", [auditOptions](Invocation &invocation) {
        return audit(invocation, *auditOptions);
    });
    auditCommand.add_option("--limit", auditOptions->limit, "Rows at the most")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    auditCommand.add_option("--before", auditOptions->before, "Only rows before this one, for the next page")
        ->option_text("ROW")
        ->check(CLI::PositiveNumber);
    auditCommand.add_flag("--check", auditOptions->isCheck,
                          "Verify that no row was changed or removed; exits 1 and names the first that does not fit");
}

} // namespace sendoff::app
