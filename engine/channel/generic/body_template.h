#pragma once
#include "domain/message.h"
#include "domain/result.h"
#include <QByteArray>
#include <QMap>
#include <QString>

namespace sendoff::channel {

// What text becomes where it stands in a body: nothing of it can end a string, a field or an element.
enum class Escaping { None, Json, Form, Xml, Path };

// By the media type: JSON, form, XML (with their +json, +xml relatives), None for text/plain. Nothing for others: what
// we can't escape, we can't write.
std::optional<Escaping> escapingOf(const QString &contentType);

QString escaped(const QString &text, Escaping escaping);

// `text` with each {{name}} replaced by its value, escaped. Values are never looked into again, so that text which
// contains braces stays text. Names that `values` has not stay as they are; see templateProblem().
QString filled(const QString &text, const QMap<QString, QString> &values, Escaping escaping);

// A sentence that names what is wrong, empty where nothing is: a name that is not among `names`, an open brace.
QString templateProblem(const QString &text, const QStringList &names);

} // namespace sendoff::channel
