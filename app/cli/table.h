#pragma once
#include "domain/clock.h"
#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

namespace sendoff::app {

// "1 attempt", "3 attempts".
QString counted(qint64 count, const QString &one, const QString &many);
// "10,000+" from countCap on.
QString cappedCount(qint64 count);
// An age as people say it, its largest two units: "4 s", "3 min 20 s", "2 d 5 h".
QString spokenAge(Milliseconds age);
QString spokenAge(const std::optional<Milliseconds> &age); // "-" where there is none
// Text from outside made safe for a terminal: no control characters, so no escape sequences.
QString printable(QString text);

// Rows with aligned columns for a terminal.
class Table
{
public:
    explicit Table(QStringList heads);
    void add(QStringList cells);
    bool isEmpty() const { return m_rows.size() == 1; }
    // Lines with two blanks between columns; the last column is not padded. `paint` may put colour around a cell.
    QStringList lines(const std::function<QString(const QString &)> &paint = {}) const;

private:
    std::vector<QStringList> m_rows; // the first is the head
};

} // namespace sendoff::app
