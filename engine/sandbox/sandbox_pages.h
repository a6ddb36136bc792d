#pragma once
#include "sandbox/message_ledger.h"
#include <QByteArray>

namespace sendoff::sandbox {

// The JSON of the pages under /sandbox/, by which scripts and people look into the sandbox.
bool isOwnPage(const QByteArray &path);
QByteArray messagesPage(const std::vector<AcceptedMessage> &messages);
QByteArray statsPage(const Stats &stats);
QByteArray messagePage(const QString &message);

} // namespace sendoff::sandbox
