#pragma once
#include "domain/clock.h"
#include "domain/records.h"
#include "domain/words.h"
#include "ui/widgets/theme.h"

#include <QCoreApplication>
#include <QString>
#include <QTimeZone>

namespace sendoff::ui {

// The domain's closed words as a person reads them, in the language of the moment. Thread: GUI.
class Words
{
    Q_DECLARE_TR_FUNCTIONS(Words)

public:
    static QString state(DeliveryState state);
    static Tone tone(DeliveryState state);
    static QString iconName(DeliveryState state);
    // One sentence: what the state means and why it was reached.
    static QString stateSentence(const DeliveryRecord &record);
    static QString reason(Reason reason);
    static QString channel(Channel channel);
    static QString channelIconName(Channel channel);
    static QString lane(Lane lane);
    static QString outcome(const QString &outcome);
    static Tone outcomeTone(const QString &outcome);
    // "429 rate_limit_exceeded", "timeout", "–".
    static QString answer(int status, const QString &code);
    static QString receipt(const QString &kind);
    static QString verb(const QString &verb);
    static QString operationState(const QString &state);
    // "j…@example.com", else the user, else a dash.
    static QString recipient(const DeliveryRecord &record);
    // A row of a list as it is spoken.
    static QString spoken(const DeliveryRecord &record, Timestamp now);
    // "10,000+" where the number was capped.
    static QString cappedCount(qint64 count);
    // "filter, position 3: …" as a sentence of this language; other texts stay.
    static QString filterMistake(const QString &message);
};

// Durations and times. One zone for every list, chart and dialog.
class Times
{
    Q_DECLARE_TR_FUNCTIONS(Times)

public:
    static void setZone(const QTimeZone &zone);
    static QTimeZone zone();
    static QString relative(Timestamp time, Timestamp now); // "4 min ago", "in 2 h"
    static QString exact(Timestamp time);                   // "2026-11-30 14:02:07 UTC"
    static QString clock(Timestamp time);                   // "14:02:07"
    static QString duration(Milliseconds duration);         // "15 s", "2 min", "1 h 4 min"
    static Timestamp now();
};

} // namespace sendoff::ui
