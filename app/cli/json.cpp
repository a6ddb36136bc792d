#include "app/cli/json.h"

#include <QLocale>
#include <cmath>

namespace sendoff::app {

JsonValue json(double number)
{
    return std::isfinite(number) ? JsonValue::number(QString::number(number, 'g', QLocale::FloatingPointShortest))
                                 : JsonValue();
}

JsonObject &JsonObject::withAll(const JsonValue &object)
{
    m_members.insert(m_members.end(), object.members().begin(), object.members().end());
    return *this;
}

} // namespace sendoff::app
