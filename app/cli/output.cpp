#include "app/cli/output.h"

#include "app/cli/table.h"

#include <cstdio>
#include <unistd.h>

namespace sendoff::app {

namespace {

bool hasColour()
{
    return isatty(STDOUT_FILENO) == 1 && qEnvironmentVariableIsEmpty("NO_COLOR") && qgetenv("TERM") != "dumb";
}

void write(const QByteArray &bytes)
{
    std::fwrite(bytes.constData(), 1, size_t(bytes.size()), stdout);
}

// The escape sequence of a state: red needs a person, yellow waits, green is well.
const char *sequenceOf(const QString &state)
{
    static const QStringList bad{QStringLiteral("dead"),     QStringLiteral("unknown"), QStringLiteral("bounced"),
                                 QStringLiteral("rejected"), QStringLiteral("open"),    QStringLiteral("failed")};
    static const QStringList slow{QStringLiteral("held"),   QStringLiteral("scheduled"), QStringLiteral("expired"),
                                  QStringLiteral("paused"), QStringLiteral("throttled"), QStringLiteral("armed")};
    static const QStringList good{QStringLiteral("delivered"), QStringLiteral("accepted"), QStringLiteral("done")};
    if (bad.contains(state))
        return "31";
    if (slow.contains(state))
        return "33";
    return good.contains(state) ? "32" : nullptr;
}

QString painted(const QString &text, const char *sequence)
{
    return QStringLiteral("\033[%1m%2\033[0m").arg(QLatin1String(sequence), text);
}

} // namespace

Output::Output(bool isJson)
    : m_isJson(isJson)
    , m_isColoured(!isJson && hasColour())
{}

void Output::document(const JsonValue &value)
{
    write(value.toJson() + '\n');
}

void Output::line(const QString &text)
{
    write(text.toUtf8() + '\n');
}

void Output::table(const Table &table)
{
    const QStringList lines = table.lines([this](const QString &cell) { return colouredState(cell); });
    for (qsizetype at = 0; at < lines.size(); ++at)
        line(at == 0 ? bold(lines[at]) : lines[at]);
}

void Output::clearScreen()
{
    write("\033[H\033[2J");
}

QString Output::bold(const QString &text) const
{
    return m_isColoured ? painted(text, "1") : text;
}

QString Output::colouredState(const QString &state) const
{
    const char *sequence = sequenceOf(state);
    return m_isColoured && sequence ? painted(state, sequence) : state;
}

Result<void> Output::flush()
{
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        return Error{ErrorCode::Corrupt,
                     QStringLiteral("the output could not be written; look at the disk or the pipe behind it")};
    return {};
}

void complain(const QString &message)
{
    for (const QString &line : message.split(u'\n')) {
        const QByteArray bytes = "sendoffd: " + printable(line).toUtf8() + '\n';
        std::fwrite(bytes.constData(), 1, size_t(bytes.size()), stderr);
    }
}

} // namespace sendoff::app
