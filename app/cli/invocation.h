#pragma once
#include "admin/console.h"
#include "app/cli/output.h"
#include "app/configuration.h"
#include "domain/result.h"
#include "store/database.h"
#include <memory>
#include <optional>
#include <string>

namespace sendoff::app {

// Options that every command takes, before or after its name.
struct CommonOptions
{
    std::string config; // empty: the usual places
    std::string store;  // empty: the configuration's
    bool isJson = false;
};

// One run of the program as a command sees it: its output, the configuration, the store. What fails is an Error whose
// code is the exit code; several mistakes of a configuration stand in one message, a line each.
class Invocation
{
public:
    explicit Invocation(CommonOptions options);

    Output &out() { return m_output; }
    bool isJson() const { return m_output.isJson(); }

    // Where the configuration is. Invalid: nowhere.
    Result<QString> configurationPath() const;
    // The checked configuration; warnings are left to `check` and `run`. Invalid: none is there, or it has mistakes.
    Result<const Configuration *> configuration();

    struct StoreAccess
    {
        store::StoreUrl url;
        QString password;
    };
    // --store, else the configuration's.
    Result<StoreAccess> storeAccess();
    // A connection to a store this program can use. Unavailable: it is not there, empty or of another schema.
    Result<std::unique_ptr<store::Database>> openStore(store::Access access);
    // The same without a look at the schema; the file of a SQLite store is made where `mayCreate`.
    Result<std::unique_ptr<store::Database>> openAnyStore(store::Access access, bool mayCreate);
    // `keys` asks for the key of address hashes too; without it nobody is found by an address.
    enum class Keys { None, Addresses };
    Result<std::unique_ptr<admin::Console>> openConsole(store::Access access, Keys keys = Keys::None);

    // The options of this run that another command needs to mean the same store, with a blank in front of each:
    // " --config F". Empty: none was given.
    QString sameStore() const;

    // The key of address hashes; empty where none is configured or it can't be had.
    QByteArray addressKey();

private:
    CommonOptions m_options;
    Output m_output;
    std::optional<Configuration> m_configuration;
};

// All mistakes as one text, a line each.
QString linesOf(const std::vector<ConfigurationProblem> &problems);

} // namespace sendoff::app
