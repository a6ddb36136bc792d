#pragma once
#include "domain/filter.h"

namespace sendoff {

// What could stand where somebody types. A pure function of the text: values that only a store knows are asked for by
// the caller, who is told the field and what was typed of the value.
struct FilterCompletion
{
    enum class Kind {
        None,       // nothing to offer: inside a number or behind a closed quote
        Field,      // candidates are names of fields
        Operator,   // candidates are ":", ">" or "<"
        Word,       // candidates are the words of a closed set, or usual durations
        StoredValue // candidates are empty: any value of `field` in the store
    };
    Kind kind = Kind::None;
    qsizetype position = 0; // the range of the text that a candidate replaces
    qsizetype length = 0;
    QString field; // canonical; empty for Kind::Field
    QString typed; // the part of it before the cursor, without quotes
    QStringList candidates;
};

// `cursor` counts characters, 0…size. Never fails: broken text has completions too.
FilterCompletion completionAt(const QString &text, qsizetype cursor, FilterRows rows = FilterRows::Deliveries);
// How a value must be written into the text: quoted where it needs to be.
QString filterValueText(const QString &value);

} // namespace sendoff
