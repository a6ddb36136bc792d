#pragma once
#include "domain/clock.h"
#include <QByteArray>
#include <QString>
#include <QUrl>
#include <functional>
#include <utility>
#include <vector>

namespace sendoff::channel {

using HttpHeaders = std::vector<std::pair<QByteArray, QByteArray>>;

// One request to a provider. A POST's body is never empty: an empty one can't prove whether it left (transport refuses
// it). A GET asks and changes nothing; it has no body.
struct HttpRequest
{
    QByteArray method = "POST"; // or "GET"
    QUrl url;
    HttpHeaders headers; // names are tokens, values without CR, LF, NUL; the transport refuses others
    QByteArray body;
    QByteArray contentType = "application/json";
    // The only address to connect to, whatever the host's name resolves to: one that was checked. Empty: any.
    QString pinnedAddress;
};

// Why there is no complete answer.
enum class Fault {
    None,
    Refused,      // our own checks refused the request (bad header, empty body): nothing left
    NotConnected, // DNS, connection refused, unreachable: nothing left
    Tls,          // the peer's certificate or handshake is not in order: nothing left
    Proxy,        // the proxy failed or wants a password: not the provider's fault
    Deadline,     // our absolute deadline passed
    Lost,         // the connection broke
    TooLarge,     // the answer outgrew the limit; status is known
    Cancelled     // shut down
};

struct HttpAnswer
{
    int status = 0;
    HttpHeaders headers;
    QByteArray body; // at most the limit
    Fault fault = Fault::None;
    QString faultCode; // one word for it: "dns", "connection_refused", "timeout", …; empty for None
    QString faultText; // a sentence without secrets and addresses
    bool left = true;  // false only where surely no byte of the body was handed to the network

    // The value of a header, names compared without case; empty where there is none.
    QByteArray header(const QByteArray &name) const;
};

// The seam to the network: one call is one request on the wire, never repeated, never redirected.
// Thread: everything, the callback too, on the transport's own thread. The callback comes exactly once, for a refused
// request before post() returns. The deadline counts from post(), whether the request waits for a connection or not.
class Transport
{
public:
    Transport() = default;
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;
    virtual ~Transport() = default;

    using Done = std::function<void(const HttpAnswer &)>;
    virtual void post(const HttpRequest &request, Milliseconds deadline, Done done) = 0;
    // Ends every request in flight; each callback comes with Fault::Cancelled (or its answer) before this returns.
    virtual void cancelAll() = 0;
};

} // namespace sendoff::channel
