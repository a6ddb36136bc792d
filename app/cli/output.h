#pragma once
#include "domain/json_document.h"
#include "domain/result.h"
#include <QString>
#include <QStringList>

namespace sendoff::app {

class Table;

// Standard output of one command: text for people or one JSON document. Everything else goes to standard error.
class Output
{
public:
    explicit Output(bool isJson);

    bool isJson() const { return m_isJson; }
    void document(const JsonValue &value); // one line
    void line(const QString &text = QString());
    void table(const Table &table);
    void clearScreen(); // on a terminal
    // The text in bold or with the colour of a state where a person looks at a terminal and NO_COLOR is not set.
    QString bold(const QString &text) const;
    QString colouredState(const QString &state) const;
    // Whether everything written so far has been taken (a full disk, a closed pipe).
    Result<void> flush();

private:
    bool m_isJson;
    bool m_isColoured;
};

// On standard error, with the program's name in front of each line.
void complain(const QString &message);

} // namespace sendoff::app
