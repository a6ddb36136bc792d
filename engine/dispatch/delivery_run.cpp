#include "dispatch/delivery_run.h"

#include "dispatch/test_hook.h"

#include <cstdlib>

namespace sendoff::dispatch {

store::Settlement settledWithoutRequest(const ClaimedDelivery &delivery, DeliveryState state, Reason reason,
                                        const QString &detail)
{
    store::Settlement settlement;
    settlement.id = delivery.id;
    settlement.token = delivery.token;
    settlement.event = delivery.event;
    settlement.hasSecret = delivery.hasSecret;
    settlement.verdict.failures = delivery.failures;
    settlement.verdict.detail = detail;
    // What may have been sent is never shown as not sent; a receipt that proves the send resolves it.
    const bool mayBeSent = delivery.hasUnknown && !isLive(state) && state != DeliveryState::Accepted;
    settlement.verdict.state = mayBeSent ? DeliveryState::Unknown : state;
    settlement.verdict.reason = mayBeSent ? Reason::OutcomeUnknown : reason;
    settlement.verdict.hasUnknown = delivery.hasUnknown && state != DeliveryState::Accepted;
    return settlement;
}

namespace {

std::variant<RenderedMessage, render::RenderError> rendered(const SetCache::Entry &entry,
                                                            const ClaimedDelivery &delivery)
{
    const Result<JsonValue> payload = parsePayload(delivery.payload);
    if (!payload)
        return render::RenderError{render::RenderError::Kind::Broken, payload.error().message};
    if (isTestPointSet("render_abort") && payload->member(u"sendoff_test_abort"))
        std::abort();
    render::RenderScope scope;
    scope.payload = &*payload;
    scope.element = delivery.element;
    scope.timeZone = delivery.timeZone;
    scope.extra = {{QStringLiteral("event_id"), delivery.event.value}, {QStringLiteral("tenant"), delivery.tenant}};
    return entry.renderer.render(delivery.templateName, delivery.channel, delivery.locale, scope);
}

} // namespace

Result<Prepared> prepared(store::Database &database, SetCache &sets, const ClaimedDelivery &delivery,
                          const channel::ProviderSettings *provider)
{
    const bool isInbox = delivery.channel == Channel::Inbox;
    if (!isInbox && !provider)
        return Prepared(
            settledWithoutRequest(delivery, DeliveryState::Held, Reason::Configuration,
                                  QStringLiteral("the provider %1 is not configured any more").arg(delivery.provider)));
    if (!delivery.frozen.isEmpty() && !isInbox)
        return Prepared(channel::OutgoingItem{delivery.id, delivery.frozen, delivery.address});
    const auto entry = sets.entry(database, delivery.publishedSet);
    if (!entry && entry.error().code != ErrorCode::NotFound)
        return entry.error();
    if (!entry)
        return Prepared(
            settledWithoutRequest(delivery, DeliveryState::Held, Reason::TemplateBroken,
                                  QStringLiteral("its published set %1 is gone").arg(delivery.publishedSet)));
    const auto message = rendered(**entry, delivery);
    if (const auto *error = std::get_if<render::RenderError>(&message)) {
        const bool isMissing = error->kind == render::RenderError::Kind::MissingVariable;
        return Prepared(settledWithoutRequest(delivery, DeliveryState::Held,
                                              isMissing ? Reason::MissingVariable : Reason::TemplateBroken,
                                              error->message));
    }
    const RenderedMessage &ready = std::get<RenderedMessage>(message);
    if (isInbox)
        return Prepared(store::InboxEntry{ready.title, ready.text, ready.link, ready.locale});
    const channel::ProviderKind *kind = channel::providerKind(provider->kind);
    Result<QByteArray> body = kind->compose(*provider, ready, delivery.address, delivery.id);
    if (!body)
        return Prepared(
            settledWithoutRequest(delivery, DeliveryState::Dead, Reason::PermanentMessage, body.error().message));
    return Prepared(channel::OutgoingItem{delivery.id, std::move(*body), delivery.address});
}

} // namespace sendoff::dispatch
