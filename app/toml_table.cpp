#include "app/toml_table.h"

#include <QFile>
#include <cmath>

namespace sendoff::app {

namespace {

constexpr qint64 maxFileBytes = 1024 * 1024;

QString toText(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

int lineOf(const toml::node &node)
{
    return int(node.source().begin.line);
}

QString joined(const QStringList &words)
{
    return words.join(QLatin1String(", "));
}

// Years stand only in this file's grammar: 365 days each, for retention.
std::optional<Milliseconds> durationOf(const QString &text)
{
    if (!text.endsWith(u'y'))
        return parseDuration(text);
    bool isNumber = false;
    const int years = QStringView(text).chopped(1).toInt(&isNumber);
    return isNumber && years >= 0 ? parseDuration(QStringLiteral("%1d").arg(qint64(years) * 365)) : std::nullopt;
}

// A quoted key may hold anything; a message stays one short line.
QString printable(QString key)
{
    for (QChar &each : key) {
        if (!each.isPrint())
            each = QChar::ReplacementCharacter;
    }
    return key.left(200);
}

qsizetype editDistance(const QString &one, const QString &two)
{
    std::vector<qsizetype> row(size_t(two.size()) + 1);
    for (size_t column = 0; column < row.size(); ++column)
        row[column] = qsizetype(column);
    for (qsizetype line = 1; line <= one.size(); ++line) {
        qsizetype diagonal = std::exchange(row[0], line);
        for (size_t column = 1; column < row.size(); ++column) {
            const qsizetype cost = one[line - 1] == two[qsizetype(column) - 1] ? 0 : 1;
            const qsizetype next = std::min({row[column] + 1, row[column - 1] + 1, diagonal + cost});
            diagonal = std::exchange(row[column], next);
        }
    }
    return row.back();
}

} // namespace

QString toText(const ConfigurationProblem &problem)
{
    QString text = problem.file;
    if (problem.line > 0)
        text += u':' + QString::number(problem.line);
    text += QLatin1String(problem.isWarning ? ": warning: " : ": ");
    if (!problem.key.isEmpty())
        text += problem.key + QLatin1String(": ");
    return text + problem.message;
}

std::optional<double> parseRate(QStringView text)
{
    const qsizetype slash = text.indexOf(u'/');
    if (slash <= 0)
        return std::nullopt;
    bool isNumber = false;
    const double count = text.left(slash).trimmed().toDouble(&isNumber);
    const QStringView unit = text.mid(slash + 1).trimmed();
    const double seconds = unit == u's' ? 1.0 : unit == u'm' ? 60.0 : unit == u'h' ? 3600.0 : 0.0;
    constexpr double mostPerSecond = 1e6;
    if (!isNumber || !std::isfinite(count) || count <= 0 || seconds <= 0 || count / seconds > mostPerSecond)
        return std::nullopt;
    return count / seconds;
}

QString nearestWord(const QString &word, const QStringList &known)
{
    QString nearest;
    qsizetype best = std::max<qsizetype>(2, word.size() / 3) + 1;
    for (const QString &each : known) {
        const qsizetype distance = editDistance(word.toLower().left(64), each);
        if (distance < best) {
            best = distance;
            nearest = each;
        }
    }
    return nearest;
}

void TomlFile::sortProblems()
{
    std::stable_sort(problems.begin(), problems.end(), [](const auto &a, const auto &b) { return a.line < b.line; });
}

TomlFile readToml(const QString &path)
{
    TomlFile file;
    file.path = path;
    file.folder = QFileInfo(path).absoluteDir();
    const auto fail = [&](int line, const QString &message) {
        file.problems.push_back({path, line, {}, message, false});
    };
    QFile device(path);
    if (!device.open(QIODevice::ReadOnly)) {
        fail(0, QStringLiteral("can't be read (%1)").arg(device.errorString()));
        return file;
    }
    const QByteArray bytes = device.read(maxFileBytes + 1);
    if (bytes.size() > maxFileBytes) {
        fail(0, QStringLiteral("is larger than 1 MiB; this is no configuration"));
        return file;
    }
    try {
        file.content = toml::parse(std::string_view(bytes.constData(), size_t(bytes.size())));
    } catch (const toml::parse_error &error) {
        // The parser's own words may quote the line, and with it a secret: only the place is told.
        fail(int(error.source().begin.line),
             QStringLiteral("is not valid TOML near column %1; check quotes, brackets and names that stand twice")
                 .arg(error.source().begin.column));
    }
    return file;
}

TomlTable::TomlTable(TomlFile &file)
    : TomlTable(file, file.content, {})
{}

TomlTable::TomlTable(TomlFile &file, const toml::table &table, QString path)
    : m_file(&file)
    , m_table(&table)
    , m_path(std::move(path))
{}

bool TomlTable::has(const char *key) const
{
    return m_table->get(key) != nullptr;
}

const toml::node *TomlTable::node(const char *key)
{
    m_known += QString::fromLatin1(key);
    return m_table->get(key);
}

QString TomlTable::pathOf(const QString &key) const
{
    return m_path.isEmpty() ? key : m_path + u'.' + key;
}

void TomlTable::addAt(int line, const QString &key, const QString &message)
{
    m_file->problems.push_back({m_file->path, line, printable(key), message, false});
}

void TomlTable::add(const char *key, const QString &message, bool isWarning)
{
    const toml::node *found = m_table->get(key);
    const int line = lineOf(found ? *found : static_cast<const toml::node &>(*m_table));
    m_file->problems.push_back({m_file->path, line, printable(pathOf(QString::fromLatin1(key))), message, isWarning});
}

void TomlTable::problem(const char *key, const QString &message)
{
    add(key, message, false);
}

void TomlTable::warning(const char *key, const QString &message)
{
    add(key, message, true);
}

void TomlTable::missing(const char *key, const QString &remedy)
{
    if (!has(key))
        add(key, QStringLiteral("is missing; ") + remedy, false);
}

std::optional<QString> TomlTable::text(const char *key)
{
    const toml::node *found = node(key);
    if (!found)
        return std::nullopt;
    const auto *value = found->as_string();
    if (!value) {
        problem(key, QStringLiteral("must be text in quotes"));
        return std::nullopt;
    }
    const QString read = toText(value->get());
    if (std::any_of(read.cbegin(), read.cend(), [](QChar each) { return each.category() == QChar::Other_Control; })) {
        problem(key, QStringLiteral("holds a control character or line break; remove it"));
        return std::nullopt;
    }
    if (read.trimmed().isEmpty()) {
        problem(key, QStringLiteral("is empty; write a value or remove the key"));
        return std::nullopt;
    }
    return read;
}

std::optional<QStringList> TomlTable::texts(const char *key)
{
    const toml::node *found = node(key);
    if (!found)
        return std::nullopt;
    QStringList read;
    const toml::array *items = found->as_array();
    if (items) {
        for (const toml::node &item : *items) {
            if (const auto *value = item.as_string())
                read += toText(value->get());
        }
    }
    if (!items || size_t(read.size()) != items->size()) {
        problem(key, QStringLiteral("must be a list of texts, as in [\"a\", \"b\"]"));
        return std::nullopt;
    }
    return read;
}

std::optional<QString> TomlTable::word(const char *key, const QStringList &words)
{
    const auto read = text(key);
    if (!read || words.contains(*read))
        return read;
    const QString nearest = nearestWord(*read, words);
    problem(key, nearest.isEmpty()
                     ? QStringLiteral("must be one of: %1").arg(joined(words))
                     : QStringLiteral("must be one of: %1; do you mean \"%2\"?").arg(joined(words), nearest));
    return std::nullopt;
}

std::optional<qint64> TomlTable::integer(const char *key, qint64 least, qint64 most)
{
    const toml::node *found = node(key);
    if (!found)
        return std::nullopt;
    const auto *value = found->as_integer();
    if (value && value->get() >= least && value->get() <= most)
        return value->get();
    problem(key, QStringLiteral("must be a whole number from %1 to %2, without quotes").arg(least).arg(most));
    return std::nullopt;
}

std::optional<double> TomlTable::number(const char *key, double least, double most)
{
    const toml::node *found = node(key);
    if (!found)
        return std::nullopt;
    const auto value = found->is_number() ? found->value<double>() : std::nullopt;
    if (value && *value >= least && *value <= most)
        return value;
    problem(key, QStringLiteral("must be a number from %1 to %2, without quotes").arg(least).arg(most));
    return std::nullopt;
}

std::optional<Milliseconds> TomlTable::duration(const char *key, Milliseconds least, Milliseconds most)
{
    const toml::node *found = node(key);
    if (!found)
        return std::nullopt;
    const auto *value = found->as_string();
    const auto read = value ? durationOf(toText(value->get())) : std::nullopt;
    if (read && *read >= least && *read <= most)
        return read;
    problem(key,
            QStringLiteral("must be a duration from %1 to %2 in quotes, as in \"250ms\", \"30s\", \"5m\", \"24h\", "
                           "\"7d\" or \"3y\"")
                .arg(formatDuration(least), formatDuration(most)));
    return std::nullopt;
}

std::optional<double> TomlTable::rate(const char *key)
{
    const toml::node *found = node(key);
    if (!found)
        return std::nullopt;
    const auto *value = found->as_string();
    const auto read = value ? parseRate(toText(value->get())) : std::nullopt;
    if (!read)
        problem(key, QStringLiteral("must be a rate above zero in quotes, as in \"5/s\", \"300/m\" or \"1000/h\""));
    return read;
}

std::optional<QUrl> TomlTable::url(const char *key)
{
    const auto read = text(key);
    if (!read)
        return std::nullopt;
    const QUrl url(*read, QUrl::StrictMode);
    const bool isHttp = url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https");
    QString why;
    if (!url.isValid() || !isHttp || url.host().isEmpty())
        why = QStringLiteral("must be a whole address that starts with https:// or http://");
    else if (!url.password().isEmpty())
        why = QStringLiteral("must not hold a password; it would be readable for everybody who sees this file");
    else if (url.hasQuery() || url.hasFragment())
        why = QStringLiteral("must end before ? and #");
    if (why.isEmpty())
        return url;
    problem(key, why);
    return std::nullopt;
}

std::optional<SecretSource> TomlTable::secretFrom(const toml::node &node, const QString &path)
{
    static const std::pair<const char *, SecretSource::Kind> kinds[] = {{"env", SecretSource::Kind::Environment},
                                                                        {"file", SecretSource::Kind::File},
                                                                        {"credential", SecretSource::Kind::Credential},
                                                                        {"keychain", SecretSource::Kind::Keychain}};
    const QString forms =
        QStringLiteral("{ env = \"NAME\" }, { file = \"PATH\" }, { credential = \"NAME\" } or { keychain = \"NAME\" }");
    if (!node.is_table()) {
        addAt(lineOf(node), path,
              QStringLiteral("must not stand in this file; keep the secret elsewhere and write where it is: %1")
                  .arg(forms));
        return std::nullopt;
    }
    const toml::table &table = *node.as_table();
    for (const auto &[name, kind] : kinds) {
        const auto *value = table.size() == 1 && table.get(name) ? table.get(name)->as_string() : nullptr;
        if (value && !value->get().empty()) {
            const QString where = toText(value->get());
            return SecretSource{kind, kind == SecretSource::Kind::File ? m_file->absolute(where) : where};
        }
    }
    addAt(lineOf(node), path, QStringLiteral("must be exactly one of: %1").arg(forms));
    return std::nullopt;
}

std::optional<SecretSource> TomlTable::secret(const char *key)
{
    const toml::node *found = node(key);
    return found ? secretFrom(*found, pathOf(QString::fromLatin1(key))) : std::nullopt;
}

std::vector<SecretSource> TomlTable::secrets(const char *key)
{
    std::vector<SecretSource> sources;
    const toml::node *found = node(key);
    if (!found)
        return sources;
    const toml::array *items = found->as_array();
    if (!items) {
        problem(key, QStringLiteral("must be a list, as in [ { env = \"NAME\" } ]"));
        return sources;
    }
    for (const toml::node &item : *items) {
        const QString path = pathOf(QString::fromLatin1(key)) + QStringLiteral("[%1]").arg(sources.size() + 1);
        if (const auto source = secretFrom(item, path))
            sources.push_back(*source);
    }
    return sources;
}

std::optional<TomlTable> TomlTable::table(const char *key)
{
    const toml::node *found = node(key);
    if (!found)
        return std::nullopt;
    if (const toml::table *read = found->as_table())
        return TomlTable(*m_file, *read, pathOf(QString::fromLatin1(key)));
    problem(key, QStringLiteral("must be a table, as in [%1] or { … }").arg(pathOf(QString::fromLatin1(key))));
    return std::nullopt;
}

std::vector<TomlTable> TomlTable::tables(const char *key)
{
    std::vector<TomlTable> read;
    const toml::node *found = node(key);
    if (!found)
        return read;
    const toml::array *items = found->as_array();
    bool allTables = items != nullptr;
    for (size_t index = 0; items && index < items->size(); ++index) {
        const toml::table *item = items->get(index)->as_table();
        allTables = allTables && item;
        if (item) {
            const QString path = pathOf(QString::fromLatin1(key)) + QStringLiteral("[%1]").arg(index + 1);
            read.push_back(TomlTable(*m_file, *item, path));
        }
    }
    if (!allTables)
        problem(key, QStringLiteral("must be a list of tables, as in [ { … }, { … } ]"));
    return read;
}

std::vector<std::pair<QString, TomlTable>> TomlTable::namedTables(const char *key)
{
    std::vector<std::pair<QString, TomlTable>> read;
    auto parent = table(key);
    if (!parent)
        return read;
    for (const auto &[name, value] : *parent->m_table) {
        const QString named = toText(name.str());
        if (const toml::table *item = value.as_table())
            read.emplace_back(named, TomlTable(*m_file, *item, parent->pathOf(named)));
        else
            addAt(lineOf(value), parent->pathOf(named),
                  QStringLiteral("must be a table, as in [%1]").arg(parent->pathOf(named)));
    }
    return read;
}

QStringList TomlTable::keys() const
{
    QStringList names;
    for (const auto &[name, value] : *m_table)
        names += toText(name.str());
    return names;
}

std::optional<QString> TomlTable::scalar(const QString &key)
{
    m_known += key;
    const toml::node *found = m_table->get(key.toStdString());
    if (!found)
        return std::nullopt;
    if (const auto *value = found->as_string())
        return toText(value->get());
    if (const auto *value = found->as_integer())
        return QString::number(value->get());
    if (const auto *value = found->as_boolean())
        return value->get() ? QStringLiteral("true") : QStringLiteral("false");
    addAt(lineOf(*found), pathOf(key), QStringLiteral("must be a text, a whole number, true or false"));
    return std::nullopt;
}

void TomlTable::finish()
{
    for (const auto &[name, value] : *m_table) {
        const QString key = toText(name.str());
        if (m_known.contains(key))
            continue;
        const QString nearest = nearestWord(key, m_known);
        addAt(int(name.source().begin.line), pathOf(key),
              nearest.isEmpty() ? QStringLiteral("is no known key; known here: %1").arg(joined(m_known))
                                : QStringLiteral("is no known key; do you mean %1?").arg(nearest));
    }
}

} // namespace sendoff::app
