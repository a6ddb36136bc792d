#include "sandbox/webhook_sink_api.h"

#include <QJsonObject>

namespace sendoff::sandbox {

namespace {

HttpReply answer(int status, const QByteArray &body)
{
    HttpReply reply;
    reply.status = status;
    reply.body = body;
    return reply;
}

} // namespace

bool WebhookSinkApi::owns(const QByteArray &path)
{
    return path.startsWith("/webhooks/");
}

void WebhookSinkApi::countReceptions(const Received &received)
{
    const QByteArray id = received.request.header("webhook-id");
    if (!id.isEmpty())
        m_ledger.countReception(id);
}

QStringList WebhookSinkApi::recipients(const Received &received)
{
    return {QString::fromUtf8(received.request.path)};
}

Served WebhookSinkApi::serve(const Received &received, const Decision &decision, const Script &, Moment now)
{
    Served served;
    const Action &action = decision.action;
    const bool isRefused = !action.redirect.isEmpty() || !action.error.isEmpty() || action.status.value_or(200) >= 300;
    if (!isRefused) {
        served.reply = received.request.method == "POST" ? take(received, now) : answer(405, {});
    } else if (!action.redirect.isEmpty()) {
        served.reply = answer(action.status.value_or(302), {});
        served.reply.headers.emplace_back("location", action.redirect);
    } else {
        served.reply = answer(action.status.value_or(400), action.body.value_or(QByteArray()));
    }
    return served;
}

HttpReply WebhookSinkApi::take(const Received &received, Moment now)
{
    const HttpRequest &request = received.request;
    const QByteArray id = request.header("webhook-id");
    if (id.isEmpty() || request.header("webhook-timestamp").isEmpty() || request.header("webhook-signature").isEmpty())
        return answer(401, R"({"error":"a header of the signature is missing"})");
    if (!received.json.isObject())
        return answer(400, R"({"error":"the body is no JSON object"})");
    if (m_ledger.remembered(id, now.ticks)) {
        m_ledger.countSuppressed();
        return answer(200, "{}");
    }
    m_ledger.remember(id, MessageLedger::hashOf(request.path, request.body), "{}", now.ticks, false);
    AcceptedMessage accepted;
    accepted.provider = QStringLiteral("webhook");
    accepted.id = QString::fromLatin1(m_ids.next());
    accepted.key = QString::fromUtf8(id);
    accepted.to = QString::fromUtf8(request.path);
    accepted.title = received.json.toObject().value(QLatin1String("type")).toString();
    accepted.preview = QString::fromUtf8(request.body).left(previewLength);
    accepted.at = now.wall;
    m_ledger.accept(std::move(accepted));
    return answer(200, "{}");
}

} // namespace sendoff::sandbox
