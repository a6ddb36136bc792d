#pragma once
#include "channel/generic/body_template.h"
#include "channel/generic/generic_rules.h"
#include "channel/provider_kind.h"

namespace sendoff::channel {

// The options of one provider of kind "http", read. A plain value, any thread.
struct GenericDescription
{
    QString path; // with its query; {{address}} {{id}} {{key}}
    QString contentType;
    Escaping escaping = Escaping::Json;
    QString body;
    QMap<QString, QString> headers; // name -> value; {{address}} {{id}} {{key}}
    QString keyField;               // of a JSON or form body that carries the key, empty: none
    QString messageId;              // pointers into the answer, empty: none
    QString errorCode;
    QString errorText;
    QString wait;
    qint64 waitUnit = 1000; // milliseconds that 1 stands for
    QString idempotencyHeader;
    Milliseconds idempotencyWindow{0};
    std::vector<GenericRule> rules; // the first that matches decides

    // Invalid: "options.NAME: …" with the remedy.
    static Result<GenericDescription> read(const ProviderSettings &provider);
};

// The option names, for ProviderKind.
QStringList genericOptionNames();
// What a body may name.
QStringList bodyPlaceholders();

} // namespace sendoff::channel
