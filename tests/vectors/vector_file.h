#pragma once
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QString>

namespace sendoff::vectors {

// A file of vectors: of the folder that SENDOFF_VECTORS names, so that others of the same shape can be run, else of
// the project's own. Ends the test where it can't be read: no vector must be left out unseen.
inline QJsonObject file(const QString &name)
{
    const QString folder =
        qEnvironmentVariable("SENDOFF_VECTORS", QStringLiteral(SENDOFF_SOURCE_DIR "/tests/vectors/data"));
    QFile source(folder + u'/' + name);
    if (!source.open(QIODevice::ReadOnly))
        qFatal("the vector file %s can't be read", qPrintable(source.fileName()));
    const QJsonObject content = QJsonDocument::fromJson(source.readAll()).object();
    if (content.isEmpty())
        qFatal("the vector file %s holds no JSON object", qPrintable(source.fileName()));
    return content;
}

// One list of it; never empty.
inline QJsonArray list(const QString &name, const QString &key)
{
    const QJsonArray rows = file(name).value(key).toArray();
    if (rows.isEmpty())
        qFatal("the vector file %s has no %s", qPrintable(name), qPrintable(key));
    return rows;
}

inline QString text(const QJsonObject &vector, const char *key)
{
    return vector.value(QLatin1String(key)).toString();
}

} // namespace sendoff::vectors
