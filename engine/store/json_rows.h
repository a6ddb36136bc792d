#pragma once
#include "domain/clock.h"
#include "domain/json_document.h"
#include <QByteArray>
#include <QString>

namespace sendoff::store {

// Builds the JSON array that a $rows statement takes: one object a row, values by name.
class JsonRows
{
public:
    // Begins a row.
    JsonRows &row()
    {
        m_json += m_isEmpty ? "{" : "},{";
        m_isEmpty = false;
        m_isFirstMember = true;
        return *this;
    }
    JsonRows &text(const char *name, QStringView value)
    {
        begin(name);
        m_json += jsonString(value);
        return *this;
    }
    JsonRows &text(const char *name, QLatin1String value) { return text(name, QString(value)); }
    JsonRows &number(const char *name, qint64 value)
    {
        begin(name);
        m_json += QByteArray::number(value);
        return *this;
    }
    JsonRows &flag(const char *name, bool value) { return number(name, value ? 1 : 0); }

    bool isEmpty() const { return m_isEmpty; }
    // The parameter's value.
    QString json() const { return QString::fromUtf8(m_isEmpty ? QByteArray("[]") : '[' + m_json + "}]"); }

private:
    void begin(const char *name)
    {
        if (!m_isFirstMember)
            m_json += ',';
        m_isFirstMember = false;
        m_json += '"';
        m_json += name;
        m_json += "\":";
    }

    QByteArray m_json;
    bool m_isEmpty = true;
    bool m_isFirstMember = true;
};

} // namespace sendoff::store
