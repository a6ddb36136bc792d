#pragma once
#include "sandbox/callback_plan.h"
#include "sandbox/message_ledger.h"
#include "sandbox/smtp_sink.h"
#include <QByteArray>

namespace sendoff::sandbox {

// The JSON of the pages under /sandbox/, by which scripts and people look into the sandbox.
bool isOwnPage(const QByteArray &path);
QByteArray messagesPage(const std::vector<AcceptedMessage> &messages);
// `mail`: where it listens for mail too.
QByteArray statsPage(const Stats &stats, const std::optional<SinkCounts> &mail);
QByteArray callbacksPage(const CallbackCounts &counts, const QByteArray &sendgridKey);
QByteArray messagePage(const QString &message);

} // namespace sendoff::sandbox
