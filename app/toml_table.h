#pragma once
#include "app/configuration_problem.h"
#include "app/secrets.h"
#include "domain/clock.h"
#include <QDir>
#include <QStringList>
#include <QUrl>
#include <memory>
#include <optional>
#include <toml++/toml.h>
#include <utility>

namespace sendoff::app {

// A TOML file while it is read; every table of it notes its problems here.
struct TomlFile
{
    QString path;
    QDir folder; // relative paths in the file start here
    toml::table content;
    std::vector<ConfigurationProblem> problems;

    // The path as an absolute one.
    QString absolute(const QString &relative) const { return QDir::cleanPath(folder.absoluteFilePath(relative)); }
    void sortProblems();
};

// Reads a file of at most 1 MiB. Where it can't be read or is no TOML, `content` is empty and a problem says why.
TomlFile readToml(const QString &path);

// Takes one table apart key by key. A key that is absent gives nothing; one that is wrong gives nothing and notes a
// problem with line, key and remedy. finish() notes the keys nobody asked for. Thread: none of its own; the file
// must outlive it.
class TomlTable
{
public:
    explicit TomlTable(TomlFile &file);

    bool has(const char *key) const;
    std::optional<QString> text(const char *key);
    std::optional<QStringList> texts(const char *key);
    std::optional<QString> word(const char *key, const QStringList &words);
    std::optional<qint64> integer(const char *key, qint64 least, qint64 most);
    std::optional<double> number(const char *key, double least, double most);
    std::optional<Milliseconds> duration(const char *key, Milliseconds least, Milliseconds most);
    std::optional<double> rate(const char *key); // per second
    std::optional<QUrl> url(const char *key);    // http or https, without password, query and fragment
    std::optional<SecretSource> secret(const char *key);
    std::vector<SecretSource> secrets(const char *key);
    std::optional<TomlTable> table(const char *key);
    std::vector<TomlTable> tables(const char *key);                          // [[key]]
    std::vector<std::pair<QString, TomlTable>> namedTables(const char *key); // [key.NAME], by NAME
    QStringList keys() const;
    std::optional<QString> scalar(const QString &key); // text, number or bool as text

    void problem(const char *key, const QString &message);
    void warning(const char *key, const QString &message);
    // The required key's problem; says nothing where the key is there and already has one.
    void missing(const char *key, const QString &remedy);
    void finish();

private:
    TomlTable(TomlFile &file, const toml::table &table, QString path);
    const toml::node *node(const char *key);
    void add(const char *key, const QString &message, bool isWarning);
    void addAt(int line, const QString &key, const QString &message);
    QString pathOf(const QString &key) const;
    std::optional<SecretSource> secretFrom(const toml::node &node, const QString &path);

    TomlFile *m_file;
    const toml::table *m_table;
    QString m_path; // "providers.resend", empty: the file
    QStringList m_known;
};

// Moves what a key gave over a default; an absent key leaves it.
template <typename T, typename Given>
void take(T &target, const std::optional<Given> &given)
{
    if (given)
        target = static_cast<T>(*given);
}

// "5/s", "300/m", "1000/h" as a rate per second; nothing where it is not one or not above zero.
std::optional<double> parseRate(QStringView text);

// The known word that a misspelt one most likely means, empty where none is near.
QString nearestWord(const QString &word, const QStringList &known);

} // namespace sendoff::app
