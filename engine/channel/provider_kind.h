#pragma once
#include "channel/http_transport.h"
#include "domain/attempt.h"
#include "domain/ids.h"
#include "domain/message.h"
#include "domain/result.h"
#include "domain/words.h"
#include <QMap>
#include <QString>
#include <vector>

namespace sendoff::channel {

// One configured provider, [providers.NAME] with its secrets resolved. A plain value; never logged.
struct ProviderSettings
{
    QString name;
    QString kind; // "resend", "expo"
    Channel channel = Channel::Email;
    QUrl baseUrl;
    QString from;
    QByteArray apiKey;
    Milliseconds timeout{30'000};   // absolute deadline of one attempt
    int slotCount = 50;             // requests in flight at the most
    QMap<QString, QString> options; // what only this kind knows
};

// One delivery on its way: the bytes that are frozen when the attempt fails.
struct OutgoingItem
{
    DeliveryId id; // also the idempotency key
    QByteArray body;
    QString address; // for the classifier's own checks and to remove it from provider text
};

// A kind of provider as pure functions. All may be called from any thread.
struct ProviderKind
{
    QString name;
    Channel channel = Channel::Email;
    int batch = 1;                     // deliveries one request may carry, each with its own result
    Milliseconds idempotencyWindow{0}; // how long the provider remembers a key, 0: it has none

    // A rendered message as the bytes of one item. Invalid: this message can't be sent here at all (the text says why).
    Result<QByteArray> (*compose)(const ProviderSettings &, const RenderedMessage &, const QString &address,
                                  const DeliveryId &) = nullptr;
    HttpRequest (*request)(const ProviderSettings &, const std::vector<OutgoingItem> &) = nullptr;
    // One result for each item, in order, whatever the answer.
    std::vector<AttemptResult> (*classify)(const ProviderSettings &, const std::vector<OutgoingItem> &,
                                           const HttpAnswer &, Timestamp now) = nullptr;
};

// The kind with this name, nullptr where there is none. Adding a provider is one folder and one line here.
const ProviderKind *providerKind(const QString &name);
QStringList providerKindNames();

} // namespace sendoff::channel
