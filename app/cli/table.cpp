#include "app/cli/table.h"

#include "domain/records.h"

#include <QLocale>

namespace sendoff::app {

QString counted(qint64 count, const QString &one, const QString &many)
{
    return QStringLiteral("%1 %2").arg(QString::number(count), count == 1 ? one : many);
}

QString wholeNumber(qint64 number)
{
    return QLocale(QLocale::English, QLocale::UnitedStates).toString(number);
}

QString cappedCount(qint64 count)
{
    return count >= countCap ? wholeNumber(countCap - 1) + u'+' : wholeNumber(count);
}

QString spokenAge(Milliseconds age)
{
    struct Unit
    {
        qint64 seconds;
        QLatin1String name;
    };
    static constexpr Unit units[] = {
        {86'400, QLatin1String("d")}, {3'600, QLatin1String("h")}, {60, QLatin1String("min")}, {1, QLatin1String("s")}};
    const qint64 seconds = std::max<qint64>(0, age.count() / 1'000);
    for (size_t at = 0; at < std::size(units); ++at) {
        if (seconds < units[at].seconds)
            continue;
        QString text = QStringLiteral("%1 %2").arg(seconds / units[at].seconds).arg(units[at].name);
        if (at + 1 < std::size(units)) {
            if (const qint64 rest = seconds % units[at].seconds / units[at + 1].seconds; rest > 0)
                text += QStringLiteral(" %1 %2").arg(rest).arg(units[at + 1].name);
        }
        return text;
    }
    return QStringLiteral("0 s");
}

QString spokenAge(const std::optional<Milliseconds> &age)
{
    return age ? spokenAge(*age) : QStringLiteral("-");
}

QString printable(QString text)
{
    for (QChar &each : text) {
        const bool isFormat = each.category() == QChar::Other_Control || each.category() == QChar::Other_Format ||
                              each.category() == QChar::Separator_Line || each.category() == QChar::Separator_Paragraph;
        if (isFormat)
            each = each.isSpace() ? QChar(u' ') : QChar(QChar::ReplacementCharacter);
    }
    return text;
}

QString elided(const QString &text, qsizetype limit)
{
    return text.size() <= limit ? text : text.left(std::max<qsizetype>(limit - 1, 0)) + QChar(0x2026);
}

QStringList wrapped(const QString &text, qsizetype width)
{
    QStringList lines;
    QString line;
    for (const QString &word : text.split(u' ', Qt::SkipEmptyParts)) {
        if (!line.isEmpty() && line.size() + 1 + word.size() > width) {
            lines += line;
            line.clear();
        }
        line += line.isEmpty() ? word : u' ' + word;
    }
    if (!line.isEmpty())
        lines += line;
    return lines;
}

QString spokenNumber(double number)
{
    const QLocale english(QLocale::English, QLocale::UnitedStates);
    const QString text = english.toString(number, 'f', 1);
    return text.endsWith(QLatin1String(".0")) ? text.chopped(2) : text;
}

Table::Table(QStringList heads)
{
    m_rows.push_back(std::move(heads));
}

void Table::add(QStringList cells)
{
    for (QString &cell : cells)
        cell = cell.isEmpty() ? QStringLiteral("-") : printable(cell);
    m_rows.push_back(std::move(cells));
}

QStringList Table::lines(const std::function<QString(const QString &)> &paint) const
{
    std::vector<qsizetype> widths(size_t(m_rows.front().size()), 0);
    for (const QStringList &row : m_rows) {
        for (qsizetype column = 0; column < row.size(); ++column)
            widths[size_t(column)] = std::max(widths[size_t(column)], row[column].size());
    }
    QStringList lines;
    for (const QStringList &row : m_rows) {
        QString line;
        qsizetype used = 0; // columns so far: colours take none
        for (qsizetype column = 0; column < row.size(); ++column) {
            const bool isLast = column + 1 == row.size();
            const qsizetype room = m_width - used;
            const QString cell =
                isLast && m_width > 0 ? elided(row[column], std::max<qsizetype>(room, 8)) : row[column];
            line += paint ? paint(cell) : cell;
            if (!isLast)
                line += QString(widths[size_t(column)] + 2 - cell.size(), u' ');
            used += widths[size_t(column)] + 2;
        }
        lines += line;
    }
    return lines;
}

} // namespace sendoff::app
