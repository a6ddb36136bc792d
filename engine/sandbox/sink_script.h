#pragma once
#include "domain/clock.h"
#include <QByteArray>
#include <vector>

namespace sendoff::sandbox {

// Where a rule takes hold: before the reply to that command. Body: when the first bytes of a mail arrive. EndOfData:
// when its final dot has arrived.
enum class SinkStage { Connect, Hello, StartTls, Auth, Mail, Rcpt, Data, Body, EndOfData, Reset, Quit };

// How the sink departs from a server that takes everything. The first rule that fits is used.
struct SinkRule
{
    SinkStage stage = SinkStage::Rcpt;
    QByteArray reply; // in place of the usual one, without its line end; empty: the usual one
    enum class Ending {
        None,
        Drop,   // the connection ends instead of the reply
        Close,  // the connection ends after the reply
        Silence // no reply, and the connection stays
    };
    Ending ending = Ending::None;
    Milliseconds delay{0}; // before the reply
    int times = -1;        // -1: always
    QByteArray recipient;  // only mails to this address; empty: all. For stages before Rcpt it must be empty
};

// What a script says of the mail server.
struct SinkScript
{
    bool isGreylisting = false;
    QByteArray user; // then it asks for a login, PLAIN or LOGIN
    QByteArray password;
    std::vector<SinkRule> rules;
};

} // namespace sendoff::sandbox
