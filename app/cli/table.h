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
// "12,400".
QString wholeNumber(qint64 number);
// "10,000+" from countCap on.
QString cappedCount(qint64 count);
// An age as people say it, its largest two units: "4 s", "3 min 20 s", "2 d 5 h".
QString spokenAge(Milliseconds age);
QString spokenAge(const std::optional<Milliseconds> &age); // "-" where there is none
// Text from outside made safe for a terminal: no control characters, so no escape sequences.
QString printable(QString text);
// At most that many characters, the last an ellipsis where something was cut.
QString elided(const QString &text, qsizetype limit);
// The text broken at blanks into lines of at most that many characters; a longer word stands alone.
QStringList wrapped(const QString &text, qsizetype width);
// "1,204", and with one decimal where it is no whole number: "2.5".
QString spokenNumber(double number);

// Rows with aligned columns for a terminal.
class Table
{
public:
    explicit Table(QStringList heads);
    void add(QStringList cells);
    // Cuts the last column so that no line is longer than that.
    void fitTo(qsizetype width) { m_width = width; }
    bool isEmpty() const { return m_rows.size() == 1; }
    // Lines with two blanks between columns; the last column is not padded. `paint` may put colour around a cell.
    QStringList lines(const std::function<QString(const QString &)> &paint = {}) const;

private:
    std::vector<QStringList> m_rows; // the first is the head
    qsizetype m_width = 0;           // 0: as long as they are
};

} // namespace sendoff::app
