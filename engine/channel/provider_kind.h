#pragma once
#include "channel/callback.h"
#include "channel/http_transport.h"
#include "domain/attempt.h"
#include "domain/ids.h"
#include "domain/message.h"
#include "domain/result.h"
#include "domain/words.h"
#include <QMap>
#include <QString>
#include <optional>
#include <variant>
#include <vector>

namespace sendoff::channel {

// One configured provider, [providers.NAME] with its secrets resolved. A plain value; never logged.
struct ProviderSettings
{
    QString name;
    QString kind; // "resend", "expo", …: see providerKindNames()
    Channel channel = Channel::Email;
    QUrl baseUrl;
    QString from;
    QByteArray apiKey;                      // key, token, password, or the content of a service account file
    std::vector<QByteArray> webhookSecrets; // of incoming callbacks, the newest first
    std::vector<QByteArray> signingSecrets; // of outgoing webhooks, the newest first
    Milliseconds timeout{30'000};           // absolute deadline of one attempt
    int slotCount = 50;                     // requests in flight at the most
    QMap<QString, QString> options;         // what only this kind knows, "regions.eu" for nested tables
    QUrl publicUrl;                         // where providers reach our callbacks; empty: nowhere
};

// One delivery on its way: the bytes that are frozen when the attempt fails.
struct OutgoingItem
{
    DeliveryId id; // also the idempotency key
    QByteArray body;
    QString address; // for the classifier's own checks and to remove it from provider text
};

// A delivery whose outcome nobody knows, or that waits for its receipt: what a provider may be asked about it.
struct OpenQuestion
{
    DeliveryId id;
    QString messageId;  // of the provider; empty where no answer ever came
    QString address;    // in clear, for asking only
    Timestamp handedAt; // the first time that a request may have left
};
// What the provider says.
struct FoundMessage
{
    enum class Found {
        Yes,    // it has it: receipt says what became of it
        No,     // it says that it has none: proof only once its index must have it
        Unclear // no answer, or one that says neither
    };
    Found found = Found::Unclear;
    std::optional<ProviderReceipt> receipt;
    QString why; // of Unclear, one sentence
};

enum class Wire { Http, Smtp };

// A kind of provider as pure functions. All may be called from any thread; those that are nullptr don't exist for it.
struct ProviderKind
{
    QString name;
    Channel channel = Channel::Email;
    bool anyChannel = false; // the configuration says which channel it carries
    Wire wire = Wire::Http;
    int batch = 1;                     // deliveries one request may carry, each with its own result
    Milliseconds idempotencyWindow{0}; // how long the provider remembers a key, 0: it has none
    Milliseconds (*configuredWindow)(const ProviderSettings &) = nullptr; // instead, where the configuration says it

    // What configuration needs to know: see app/provider_tables.
    QString defaultBaseUrl;     // empty: must be configured
    double documentedLimit = 0; // messages a second by its documents, 0: none stated
    bool needsKey = false;
    bool needsFrom = false;
    QStringList optionNames; // [providers.NAME.options] it understands; "prefix." allows everything below
    // What only this kind can check of its settings. Invalid: the key at fault ("options.account_sid …") and the
    // remedy.
    Result<void> (*check)(const ProviderSettings &) = nullptr;

    // A rendered message as the bytes of one item. Invalid: this message can't be sent here at all (the text says why).
    Result<QByteArray> (*compose)(const ProviderSettings &, const RenderedMessage &, const QString &address,
                                  const DeliveryId &) = nullptr;
    HttpRequest (*request)(const ProviderSettings &, const std::vector<OutgoingItem> &) = nullptr;
    // One result for each item, in order, whatever the answer. Of Wire::Smtp neither of these two exists.
    std::vector<AttemptResult> (*classify)(const ProviderSettings &, const std::vector<OutgoingItem> &,
                                           const HttpAnswer &, Timestamp now) = nullptr;

    // Whether the request is made under an access token that has to be fetched first, and how (FCM). The token is kept
    // until shortly before its end; a request that is refused for it fetches a new one once.
    HttpRequest (*tokenRequest)(const ProviderSettings &, Timestamp now) = nullptr;
    struct Token
    {
        QByteArray value;
        Milliseconds lifetime{0};
    };
    // Transient or Configuration where there is none; `left` is false then: nothing of the message left us.
    std::variant<Token, AttemptResult> (*readToken)(const HttpAnswer &, Timestamp now) = nullptr;
    bool checksDestination = false; // the address is a URL of somebody else: resolved and checked before each attempt

    // Asking later, where the provider can be asked.
    HttpRequest (*ask)(const ProviderSettings &, const std::vector<OpenQuestion> &) = nullptr;
    std::vector<FoundMessage> (*readFound)(const ProviderSettings &, const std::vector<OpenQuestion> &,
                                           const HttpAnswer &, Timestamp now) = nullptr;
    int askBatch = 1;
    Milliseconds indexingDelay{0}; // how long it may take until it finds what it has
    Milliseconds receiptAfter{0};  // ask for receipts of accepted messages after this; 0: they come by callback
    Milliseconds receiptsKept{0};  // and not after this

    // Callbacks: whether one is genuine, and what it says. Invalid: not readable; an unknown type is an empty list.
    CallbackCheck (*verify)(const ProviderSettings &, const CallbackRequest &, Timestamp now) = nullptr;
    Result<std::vector<ProviderReceipt>> (*receipts)(const ProviderSettings &, const CallbackRequest &) = nullptr;
};

// How long this provider remembers a key, 0: it has none.
Milliseconds idempotencyWindow(const ProviderKind &kind, const ProviderSettings &provider);

// The kind with this name, nullptr where there is none. Adding a provider is one folder and one line here.
const ProviderKind *providerKind(const QString &name);
QStringList providerKindNames();

} // namespace sendoff::channel
