#pragma once
#include <QString>

namespace sendoff::store {

// A text to bind where NULL is not meant: Qt's drivers bind a null QString as NULL.
inline QString boundText(const QString &text)
{
    return text.isNull() ? QStringLiteral("") : text;
}

} // namespace sendoff::store
