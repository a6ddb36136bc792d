#pragma once
#include "channel/http_transport.h"
#include <QNetworkReply>

namespace sendoff::channel {

// What is known of a request when its reply has ended.
struct ReplyFacts
{
    int status = 0;            // 0: no status line arrived
    qint64 pulled = 0;         // bytes of the body that were handed to the network
    int resets = 0;            // times that QNetworkAccessManager wanted to send again
    qint64 contentLength = -1; // as the peer announced it, -1: it did not
    qint64 received = 0;       // bytes of the answer's body
    QNetworkReply::NetworkError error = QNetworkReply::NoError;
    QString errorText; // Qt's, for one rule only; never shown
    bool certificateRefused = false;
    bool isTls = false;
    bool isProxied = false;
    Fault ownReason = Fault::None; // why we ended it: Deadline, TooLarge, Cancelled
};

struct ReplyVerdict
{
    Fault fault = Fault::None;
    QString code;
    QString text;
    bool left = true;
};

// Whether there is a complete answer, and if not, why and whether the request may have left. Pure.
// A status decides whatever error() says, and error() == NoError without a status is no answer.
ReplyVerdict replyVerdict(const ReplyFacts &facts);

} // namespace sendoff::channel
