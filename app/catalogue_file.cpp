#include "app/catalogue_file.h"

#include "app/toml_table.h"
#include "render/renderer.h"

#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringDecoder>

namespace sendoff::app {

namespace {

using namespace std::chrono_literals;

constexpr Milliseconds longestLife = 30 * 24h;

QStringList channelWords()
{
    QStringList words;
    for (const Channel each : {Channel::Email, Channel::Sms, Channel::Push, Channel::Inbox, Channel::Webhook})
        words += toText(each);
    return words;
}

bool isPointer(const QString &text)
{
    static const QRegularExpression form(QStringLiteral("^(/([^~]|~[01])*)+$"));
    return text.startsWith(u'/') && form.match(text).hasMatch();
}

const QString pointerRemedy = QStringLiteral("must be a JSON pointer that starts with /, as in \"/driver/id\"");

QString readPointer(TomlTable &table, const char *key)
{
    const auto text = table.text(key);
    if (text && !isPointer(*text))
        table.problem(key, pointerRemedy);
    return text.value_or(QString());
}

// A name of a given form; `remedy` says which.
QString readName(TomlTable &table, const char *key, const QRegularExpression &form, const QString &remedy)
{
    const auto text = table.text(key);
    if (text && !form.match(*text).hasMatch())
        table.problem(key, QStringLiteral("must be ") + remedy);
    table.missing(key, QStringLiteral("write ") + remedy);
    return text.value_or(QString());
}

std::vector<Channel> readChannels(TomlTable &table)
{
    std::vector<Channel> channels;
    const auto words = table.texts("channels");
    table.missing("channels", QStringLiteral("write a list of: ") + channelWords().join(QLatin1String(", ")));
    if (words && words->isEmpty())
        table.problem("channels", QStringLiteral("is empty; name at least one channel or remove the rule"));
    for (const QString &word : words.value_or(QStringList())) {
        const auto channel = fromText<Channel>(word);
        if (!channel) {
            const QString nearest = nearestWord(word, channelWords());
            table.problem(
                "channels",
                QStringLiteral("names an unknown channel; known: %1%2")
                    .arg(channelWords().join(QLatin1String(", ")),
                         nearest.isEmpty() ? QString() : QStringLiteral("; do you mean \"%1\"?").arg(nearest)));
        } else if (std::find(channels.cbegin(), channels.cend(), *channel) != channels.cend()) {
            table.problem("channels", QStringLiteral("names %1 twice; once is enough").arg(word));
        } else {
            channels.push_back(*channel);
        }
    }
    return channels;
}

void readAddresses(TomlTable &table, NotifyRule &rule)
{
    for (const Channel channel : {Channel::Email, Channel::Sms, Channel::Push, Channel::Webhook}) {
        const char *key = toText(channel).data();
        const QString pointer = readPointer(table, key);
        if (pointer.isEmpty())
            continue;
        rule.addresses.insert(channel, pointer);
        const bool isUsed = std::find(rule.channels.cbegin(), rule.channels.cend(), channel) != rule.channels.cend();
        if (!isUsed && !rule.channels.empty())
            table.warning(key, QStringLiteral("is not used: the rule's channels do not name it"));
    }
}

NotifyRule readRule(TomlTable &table)
{
    static const QRegularExpression roleForm(QStringLiteral("^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"));
    static const QRegularExpression templateForm(QStringLiteral("^[a-z0-9][a-z0-9_-]{0,99}$"));
    NotifyRule rule;
    rule.role = readName(table, "role", roleForm, QStringLiteral("a short name of who hears of it, as in \"driver\""));
    rule.each = readPointer(table, "each");
    rule.user = readPointer(table, "user");
    rule.locale = readPointer(table, "locale");
    rule.timeZone = readPointer(table, "time_zone");
    rule.channels = readChannels(table);
    readAddresses(table, rule);
    rule.templateName = readName(table, "template", templateForm,
                                 QStringLiteral("the name of a template folder in a-z, 0-9, - and _, at most 100"));
    if (!table.has("user") && rule.addresses.isEmpty())
        table.problem("user",
                      QStringLiteral("is missing and so is every address; write user = \"/…\" or email = \"/…\""));
    const bool hasInbox =
        std::find(rule.channels.cbegin(), rule.channels.cend(), Channel::Inbox) != rule.channels.cend();
    if (!table.has("user") && hasInbox)
        table.problem("user", QStringLiteral("is missing and the inbox needs it; write user = \"/…\" or remove inbox"));
    table.finish();
    return rule;
}

void readSecrets(TomlTable &table, EventType &type)
{
    type.secrets = table.texts("secret").value_or(QStringList());
    if (!std::all_of(type.secrets.cbegin(), type.secrets.cend(), isPointer))
        table.problem("secret", pointerRemedy + QStringLiteral("; each of the list"));
    if (type.secrets.isEmpty() || !table.has("secret"))
        return;
    if (!table.has("expires"))
        table.problem("expires", QStringLiteral("is missing; a type with secrets must expire within 1h"));
    else if (type.expires && *type.expires > maxSecretLifetime)
        table.problem("expires", QStringLiteral("must be at most 1h, because the type has secrets"));
}

EventType readType(TomlTable &table)
{
    static const QRegularExpression typeForm(QStringLiteral("^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$"));
    static const QRegularExpression categoryForm(QStringLiteral("^[a-z0-9][a-z0-9_.-]{0,63}$"));
    EventType type;
    type.type =
        readName(table, "type", typeForm, QStringLiteral("a name as in \"booking.confirmed\", at most 200 characters"));
    type.category = readName(table, "category", categoryForm,
                             QStringLiteral("a short name in small letters, as in \"bookings\" or \"security\""));
    const auto lane = table.word("lane", {toText(Lane::Urgent), toText(Lane::Normal), toText(Lane::Bulk)});
    type.lane = fromText<Lane>(lane.value_or(QString())).value_or(Lane::Normal);
    type.expires = table.duration("expires", 1s, longestLife);
    readSecrets(table, type);
    QStringList roles;
    for (TomlTable &each : table.tables("notify")) {
        NotifyRule rule = readRule(each);
        if (!rule.role.isEmpty() && roles.contains(rule.role))
            each.problem("role", QStringLiteral("stands twice in this type; give each rule its own role"));
        roles += rule.role;
        type.notify.push_back(std::move(rule));
    }
    table.missing("notify",
                  QStringLiteral("write who hears of it, as in notify = [ { role = …, user = …, channels = …, "
                                 "template = … } ]"));
    if (table.has("notify") && type.notify.empty())
        table.problem("notify", QStringLiteral("names nobody; write at least one rule or remove the type"));
    table.finish();
    return type;
}

void readTemplate(const QFileInfo &entry, const QDir &folder, Loaded<QMap<QString, QByteArray>> &loaded)
{
    const QString name = folder.relativeFilePath(entry.filePath());
    const auto refuse = [&](const QString &why) { loaded.problems.push_back({name, 0, {}, why, false}); };
    const QString root = folder.canonicalPath();
    const QString real = entry.canonicalFilePath();
    if (real.isEmpty() || !real.startsWith(root + u'/'))
        return refuse(QStringLiteral("is a link that leads out of the template folder; put the file itself there"));
    QFile file(entry.filePath());
    if (!file.open(QIODevice::ReadOnly))
        return refuse(QStringLiteral("can't be read (%1)").arg(file.errorString()));
    const QByteArray content = file.read(maxTemplateBytes + 1);
    if (content.size() > maxTemplateBytes)
        return refuse(QStringLiteral("is larger than %1 KiB; shorten it").arg(maxTemplateBytes / 1024));
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder(content);
    if (decoder.hasError() || text.contains(QChar(0)))
        return refuse(QStringLiteral("is not plain UTF-8 text; save it as UTF-8"));
    loaded.value.insert(name, content);
}

} // namespace

Loaded<Catalogue> loadCatalogue(const QString &path)
{
    TomlFile file = readToml(path);
    Catalogue catalogue;
    if (!file.problems.empty())
        return {catalogue, file.problems};
    static const QRegularExpression localeForm(QStringLiteral("^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"));
    TomlTable root(file);
    if (const auto locale = root.text("default_locale")) {
        catalogue.defaultLocale = *locale;
        if (locale->size() > 35 || !localeForm.match(*locale).hasMatch())
            root.problem("default_locale", QStringLiteral("must be a locale, as in \"en\" or \"de-AT\""));
    }
    for (TomlTable &each : root.tables("event")) {
        const EventType type = readType(each);
        if (!type.type.isEmpty() && catalogue.types.contains(type.type))
            each.problem("type", QStringLiteral("stands twice; keep one [[event]] with this type"));
        catalogue.types.insert(type.type, type);
    }
    if (!root.has("event"))
        root.warning("event", QStringLiteral("is missing; without [[event]] tables every event is rejected"));
    root.finish();
    if (file.problems.empty() && catalogue.toJson().size() > maxPayloadBytes)
        root.problem("event",
                     QStringLiteral("makes a catalogue larger than 256 KiB; shorten names or drop unused types"));
    file.sortProblems();
    return {catalogue, file.problems};
}

Loaded<QMap<QString, QByteArray>> loadTemplates(const QString &folder)
{
    Loaded<QMap<QString, QByteArray>> loaded;
    const QDir root(folder);
    if (!root.exists()) {
        loaded.problems.push_back(
            {folder, 0, {}, QStringLiteral("is no folder; correct [catalogue] templates"), false});
        return loaded;
    }
    // Links to folders are not walked: QDirIterator follows them only when asked to.
    QDirIterator entries(folder, {QStringLiteral("*.mustache")}, QDir::Files | QDir::Hidden | QDir::System,
                         QDirIterator::Subdirectories);
    while (entries.hasNext()) {
        entries.next();
        if (loaded.value.size() >= maxTemplateFiles) {
            loaded.problems.push_back(
                {folder, 0, {}, QStringLiteral("holds more than %1 templates").arg(maxTemplateFiles), false});
            break;
        }
        readTemplate(entries.fileInfo(), root, loaded);
    }
    std::sort(loaded.problems.begin(), loaded.problems.end(),
              [](const auto &a, const auto &b) { return a.file < b.file; });
    return loaded;
}

Loaded<PublishedSet> loadPublishedSet(const QString &cataloguePath, const QString &templatesFolder)
{
    Loaded<PublishedSet> loaded;
    Loaded<Catalogue> catalogue = loadCatalogue(cataloguePath);
    Loaded<QMap<QString, QByteArray>> templates = loadTemplates(templatesFolder);
    loaded.value.catalogue = std::move(catalogue.value);
    loaded.value.templates = std::move(templates.value);
    loaded.problems = std::move(catalogue.problems);
    loaded.problems.insert(loaded.problems.end(), templates.problems.cbegin(), templates.problems.cend());
    for (const render::TemplateProblem &problem : render::templateProblems(loaded.value))
        loaded.problems.push_back({problem.file, problem.line, {}, problem.message, false});
    return loaded;
}

} // namespace sendoff::app
