#include "app/logging.h"

#include "domain/json_document.h"

#include <QMutex>
#include <QMutexLocker>
#include <array>
#include <cstdio>
#include <optional>

namespace sendoff::app {

namespace {

constexpr std::array<QLatin1String, 4> levelNames{QLatin1String("debug"), QLatin1String("info"),
                                                  QLatin1String("warning"), QLatin1String("error")};
constexpr qsizetype shortestSecret = 4;
constexpr qsizetype longestText = 8'000;

// The one state of the process's log; Qt's message handler has no other way to find it.
struct State
{
    QMutex mutex;
    LogSettings settings;
    std::vector<QString> secrets; // longest first, so that one that holds another is replaced whole
    QtMessageHandler formerHandler = nullptr;
    bool isStarted = false;
};

State &state()
{
    static State theState;
    return theState;
}

QString redacted(QString text)
{
    for (const QString &secret : state().secrets)
        text.replace(secret, QLatin1String("(secret)"));
    return text;
}

// Nothing that an event says may look like a second line or move a terminal's cursor.
QString onOneLine(const QString &text)
{
    QString line;
    for (const QChar each : text) {
        if (each == u'\n')
            line += QLatin1String("\\n");
        else if (each.category() == QChar::Other_Control || each == QChar::LineSeparator ||
                 each == QChar::ParagraphSeparator)
            line += QLatin1String("\\u") + QString::number(each.unicode(), 16).rightJustified(4, u'0');
        else
            line += each;
    }
    return line;
}

QString fieldText(const QString &value)
{
    const bool isPlain = !value.isEmpty() && std::none_of(value.cbegin(), value.cend(), [](QChar each) {
        return each.isSpace() || each == u'"' || each == u'=';
    });
    if (isPlain)
        return value;
    QString escaped = value;
    return u'"' + escaped.replace(u'\\', QLatin1String("\\\\")).replace(u'"', QLatin1String("\\\"")) + u'"';
}

QByteArray textLine(const QString &time, LogLevel level, const QString &message, const LogFields &fields)
{
    QString line = time + u' ' + QString(levelNames[size_t(level)]).toUpper() + u' ' + onOneLine(message);
    for (const auto &[name, value] : fields)
        line += u' ' + onOneLine(name) + u'=' + fieldText(onOneLine(value));
    return line.toUtf8() + '\n';
}

QByteArray jsonLine(const QString &time, LogLevel level, const QString &message, const LogFields &fields)
{
    std::vector<JsonValue::Member> members;
    members.emplace_back(QStringLiteral("time"), JsonValue::string(time));
    members.emplace_back(QStringLiteral("level"), JsonValue::string(levelNames[size_t(level)]));
    members.emplace_back(QStringLiteral("message"), JsonValue::string(message));
    for (const auto &[name, value] : fields)
        members.emplace_back(name, JsonValue::string(value));
    return JsonValue::object(std::move(members)).toJson() + '\n';
}

void write(LogLevel level, const QString &message, const LogFields &fields)
{
    const QString time = toRfc3339(SystemClock().now());
    const QMutexLocker lock(&state().mutex);
    const LogSettings &settings = state().settings;
    if (level < settings.level)
        return;
    LogFields shown;
    for (const auto &[name, value] : fields)
        shown.emplace_back(name, storableText(redacted(value), longestText));
    const QString text = storableText(redacted(message), longestText);
    const QByteArray line =
        settings.format == LogFormat::Json ? jsonLine(time, level, text, shown) : textLine(time, level, text, shown);
    if (settings.sink)
        settings.sink(line);
    else
        std::fwrite(line.constData(), 1, size_t(line.size()), stderr);
}

// What Qt's PostgreSQL driver says, once for each prepared statement, after a session was lost. The loss itself is
// logged by the engine, once, with what follows from it.
bool isEchoOfALostSession(const QString &message)
{
    return message.startsWith(QLatin1String("Unable to free statement")) ||
           message.startsWith(QLatin1String("QSocketNotifier: Invalid socket"));
}

void takeQtMessage(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    const LogLevel level = type == QtDebugMsg || isEchoOfALostSession(message) ? LogLevel::Debug
                           : type == QtInfoMsg                                 ? LogLevel::Info
                           : type == QtWarningMsg                              ? LogLevel::Warning
                                                                               : LogLevel::Error;
    LogFields fields;
    const QString category = QString::fromUtf8(context.category);
    if (!category.isEmpty() && category != QLatin1String("default"))
        fields.emplace_back(QStringLiteral("category"), category);
    write(level, message, fields);
}

} // namespace

void log(LogLevel level, const QString &message, const LogFields &fields)
{
    write(level, message, fields);
}

void startLogging(const LogSettings &settings)
{
    const QMutexLocker lock(&state().mutex);
    state().settings = settings;
    if (!state().isStarted)
        state().formerHandler = qInstallMessageHandler(takeQtMessage);
    state().isStarted = true;
}

void stopLogging()
{
    const QMutexLocker lock(&state().mutex);
    if (state().isStarted)
        qInstallMessageHandler(state().formerHandler);
    state().isStarted = false;
    state().settings = LogSettings();
    state().secrets.clear();
}

void hideInLog(const std::vector<Secret> &secrets)
{
    const QMutexLocker lock(&state().mutex);
    std::vector<QString> &hidden = state().secrets;
    for (const Secret &secret : secrets) {
        if (secret.reveal().size() >= shortestSecret)
            hidden.push_back(QString::fromUtf8(secret.reveal()));
    }
    std::sort(hidden.begin(), hidden.end(),
              [](const QString &a, const QString &b) { return std::pair(b.size(), a) < std::pair(a.size(), b); });
    hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
}

std::optional<LogLevel> logLevelFromText(QStringView text)
{
    for (size_t index = 0; index < levelNames.size(); ++index) {
        if (text == levelNames[index])
            return LogLevel(index);
    }
    return std::nullopt;
}

std::optional<LogFormat> logFormatFromText(QStringView text)
{
    if (text == u"text")
        return LogFormat::Text;
    return text == u"json" ? std::optional(LogFormat::Json) : std::nullopt;
}

} // namespace sendoff::app
