#pragma once
#include "app/secrets.h"
#include "domain/clock.h"
#include <QByteArray>
#include <QString>
#include <functional>
#include <utility>
#include <vector>

namespace sendoff::app {

enum class LogLevel { Debug, Info, Warning, Error };
enum class LogFormat { Text, Json };

struct LogSettings
{
    LogFormat format = LogFormat::Text;
    LogLevel level = LogLevel::Info; // quieter events are dropped
    // Takes one whole line with its line break; empty: standard error.
    std::function<void(const QByteArray &line)> sink;
};

using LogFields = std::vector<std::pair<QString, QString>>;

// Writes one line an event: "2026-11-30T12:00:00.000Z WARNING message key=value" or one JSON object. Registered
// secrets are replaced by "(secret)"; addresses are the caller's to leave out. Any thread.
void log(LogLevel level, const QString &message, const LogFields &fields = {});

// Sets format, level and sink, and sends Qt's own messages the same way. May be called again.
void startLogging(const LogSettings &settings);
// Gives Qt's messages back and forgets sink and secrets.
void stopLogging();

// From now on these values never appear in a line. Secrets under four bytes are not looked for: they would blacken
// ordinary words.
void hideInLog(const std::vector<Secret> &secrets);

// "warning" and "json" as the configuration writes them; nothing where the word is unknown.
std::optional<LogLevel> logLevelFromText(QStringView text);
std::optional<LogFormat> logFormatFromText(QStringView text);

} // namespace sendoff::app
