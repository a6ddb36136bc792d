#include "sandbox/sandbox.h"

#include "sandbox/mail_excerpt.h"
#include "sandbox/provider_errors.h"
#include "sandbox/sandbox_pages.h"

#include <QPointer>
#include <QTimer>
#include <QUrlQuery>

namespace sendoff::sandbox {

namespace {

void setHeader(HttpReply &reply, const QByteArray &name, const QByteArray &value)
{
    for (auto &[key, present] : reply.headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0) {
            present = value;
            return;
        }
    }
    reply.headers.emplace_back(name, value);
}

// Puts the script's wishes on an answer that was made in the ordinary way.
void shape(HttpReply &reply, const Action &action)
{
    using Ending = HttpReply::Ending;
    const bool good = reply.status >= 200 && reply.status < 300;
    if (good && action.status)
        reply.status = *action.status;
    if (good && action.body)
        reply.body = *action.body;
    for (const auto &[name, value] : action.headers) {
        if (name.compare("content-type", Qt::CaseInsensitive) == 0)
            reply.contentType = value;
        else
            setHeader(reply, name, value);
    }
    switch (action.spoil) {
    case Action::Spoil::None:
        break;
    case Action::Spoil::BadJson:
        reply.body = "{\"id\": \"" + reply.body;
        break;
    case Action::Spoil::EndlessBody:
        reply.ending = Ending::Endless;
        break;
    case Action::Spoil::TruncateBody:
        reply.ending = Ending::Truncated;
        break;
    }
    if (action.ending == Action::Ending::AcceptThenDrop)
        reply.ending = Ending::Dropped;
}

} // namespace

Sandbox::Sandbox(const SandboxOptions &options, QObject *parent)
    : QObject(parent)
    , m_options(options)
    , m_clock(options.clock ? options.clock : &m_systemClock)
    , m_ledger(options.maxRecords, options.maxKeys)
    , m_resend(m_ledger, m_ids)
    , m_expo(m_ledger, m_ids)
    , m_fcm(m_ledger, m_ids)
    , m_twilio(m_ledger, m_ids)
    , m_sendgrid(m_ledger, m_ids)
    , m_postmark(m_ledger, m_ids)
    , m_webhooks(m_ledger, m_ids)
    , m_routes{routeTo(m_resend),   routeTo(m_expo),     routeTo(m_fcm),     routeTo(m_twilio),
               routeTo(m_sendgrid), routeTo(m_postmark), routeTo(m_webhooks)}
    , m_callbacks(*m_clock, this)
    , m_server(this)
{
    m_server.setListenBacklogSize(1024);
    m_server.setMaxPendingConnections(4096);
    m_ledger.onAccepted = [this](const AcceptedMessage &message) {
        Q_EMIT messageAccepted(message);
        m_callbacks.plan(message, m_steps);
    };
    connect(&m_callbacks, &CallbackPoster::posted, this, &Sandbox::callbackPosted);
    connect(&m_server, &QTcpServer::newConnection, this, &Sandbox::takeConnections);
    m_script.start(Script(), m_clock->ticks());
}

template <typename Api>
Sandbox::Route Sandbox::routeTo(Api &api)
{
    return {&Api::owns, &Api::recipients, [&api](const Received &received) { api.countReceptions(received); },
            [&api](const Received &received, const Decision &decision, const Script &script, Moment now) {
                return api.serve(received, decision, script, now);
            }};
}

const Sandbox::Route *Sandbox::routeOf(const QByteArray &path) const
{
    for (const Route &route : m_routes) {
        if (route.owns(path))
            return &route;
    }
    return nullptr;
}

Sandbox::~Sandbox() = default; // connections are children and end with it

Result<void> Sandbox::listen(const QHostAddress &address, quint16 port)
{
    if (m_server.isListening())
        return Error{ErrorCode::Refused, QStringLiteral("The sandbox listens already on port %1.").arg(this->port())};
    if (!m_server.listen(address, port)) {
        return Error{ErrorCode::Unavailable,
                     QStringLiteral("The sandbox can't listen on %1 port %2 (%3): choose another address or port.")
                         .arg(address.toString())
                         .arg(port)
                         .arg(m_server.errorString())};
    }
    return {};
}

quint16 Sandbox::port() const
{
    return m_server.serverPort();
}

Result<void> Sandbox::listenSmtp(const QHostAddress &address, quint16 port)
{
    if (smtpPort() != 0)
        return Error{ErrorCode::Refused,
                     QStringLiteral("The sandbox listens already for mail on port %1.").arg(smtpPort())};
    if (!m_sink) {
        SinkOptions options;
        options.maxKept = 0; // the ledger keeps what is to be seen
        m_sink = std::make_unique<SmtpSink>(options);
        connect(m_sink.get(), &SmtpSink::mailEnded, this, &Sandbox::takeMail);
    }
    m_sink->follow(m_script.script().smtp);
    return m_sink->listen(address, port);
}

quint16 Sandbox::smtpPort() const
{
    return m_sink ? m_sink->port() : 0;
}

void Sandbox::takeMail(const SinkMail &mail, bool isTaken)
{
    const MailExcerpt excerpt = excerptOf(mail.bytes);
    if (!excerpt.messageId.isEmpty())
        m_ledger.countReception(excerpt.messageId.toUtf8());
    if (!isTaken)
        return;
    AcceptedMessage message;
    message.provider = QStringLiteral("smtp");
    message.id = QString::fromLatin1(m_ids.next());
    message.key = excerpt.messageId;
    message.to = QString::fromUtf8(mail.recipients.join(", "));
    message.subject = excerpt.subject;
    message.preview = excerpt.text.left(previewLength);
    message.at = m_clock->now();
    message.from = excerpt.from;
    m_ledger.accept(std::move(message));
}

void Sandbox::close()
{
    if (m_sink)
        m_sink->close();
    m_server.close();
    const auto connections = findChildren<HttpConnection *>(QString(), Qt::FindDirectChildrenOnly);
    for (HttpConnection *connection : connections)
        connection->drop(); // they delete themselves later: one of them may be what called us
}

Result<void> Sandbox::setScript(const QByteArray &json)
{
    auto script = Script::parse(json);
    if (!script)
        return script.error();
    m_script.start(std::move(*script), m_clock->ticks());
    m_callbacks.setTargets(m_script.script().callbacks);
    if (m_sink)
        m_sink->follow(m_script.script().smtp);
    return {};
}

std::vector<AcceptedMessage> Sandbox::messages() const
{
    return m_ledger.messages();
}

Stats Sandbox::stats() const
{
    return m_ledger.stats();
}

qint64 Sandbox::receptions(const QString &key) const
{
    return m_ledger.receptions(key.toUtf8());
}

void Sandbox::reset()
{
    m_ledger.reset();
    m_ids.forgetEarlier();
    m_callbacks.forget();
    if (m_sink)
        m_sink->follow(m_script.script().smtp);
    m_resend.reset();
    m_expo.reset();
    m_twilio.reset();
    m_postmark.reset();
    m_script.restart(m_clock->ticks());
}

void Sandbox::takeConnections()
{
    while (QTcpSocket *socket = m_server.nextPendingConnection())
        new HttpConnection(socket, *this, m_options.limits, this); // deletes itself when the client is gone
}

bool Sandbox::dropsAtHead(const HttpRequest &request)
{
    if (!m_script.dropsBeforeRead() || isOwnPage(request.path) || !m_script.dropsAtHead(request.path, m_clock->ticks()))
        return false;
    m_ledger.countRequest();
    m_ledger.countStatus(0);
    Q_EMIT requestReceived(request.method, request.path);
    return true;
}

void Sandbox::refused(int status)
{
    m_ledger.countStatus(status);
}

void Sandbox::serve(HttpConnection &connection, const HttpRequest &request)
{
    if (isOwnPage(request.path)) {
        connection.reply(ownPage(request));
        return;
    }
    const Moment now = moment();
    const Received received(request);
    const Route *route = routeOf(request.path);
    m_ledger.countRequest();
    if (route)
        route->countReceptions(received);
    Q_EMIT requestReceived(request.method, request.path);

    Decision decision;
    if (m_script.hasRules()) {
        RequestFacts facts;
        facts.path = request.path;
        facts.body = request.body;
        if (route && m_script.asksForRecipients())
            facts.recipients = route->recipients(received);
        decision = m_script.decide(facts, now.ticks);
    }
    m_steps = decision.action.callbacks;
    Served served = work(received, decision, now);
    m_steps.reset();
    deliver(connection, std::move(served), decision.action);
}

Served Sandbox::work(const Received &received, const Decision &decision, Moment now)
{
    using Ending = Action::Ending;
    Served served;
    const Action &action = decision.action;
    if (action.ending == Ending::Hang || action.ending == Ending::DropAfterRead ||
        action.ending == Ending::DropBeforeRead) {
        served.reply.ending = action.ending == Ending::Hang ? HttpReply::Ending::Hung : HttpReply::Ending::Dropped;
        return served;
    }
    if (const Route *route = routeOf(received.request.path)) {
        served = route->serve(received, decision, m_script.script(), now);
    } else if (auto refusal = scriptedRefusal(action, false)) {
        served.reply = *refusal;
    } else if (!action.status && !action.body) {
        served.reply.status = 404;
        served.reply.body = resendError(404, QStringLiteral("not_found"), QStringLiteral("There is no such endpoint."));
    }
    shape(served.reply, action);
    return served;
}

void Sandbox::deliver(HttpConnection &connection, Served served, const Action &action)
{
    const bool silent =
        served.reply.ending == HttpReply::Ending::Dropped || served.reply.ending == HttpReply::Ending::Hung;
    m_ledger.countStatus(silent ? 0 : served.reply.status);
    const Milliseconds delay = action.delay.value_or(Milliseconds(0));
    if (delay.count() <= 0) {
        connection.reply(served.reply);
        return;
    }
    // The work goes on when the client is gone, as with the real one: the key ends its run by itself.
    QTimer::singleShot(delay, Qt::PreciseTimer, this,
                       [this, client = QPointer<HttpConnection>(&connection), later = std::move(served)] {
                           if (!later.key.isEmpty())
                               m_ledger.finish(later.key, later.run);
                           if (client)
                               client->reply(later.reply);
                       });
}

HttpReply Sandbox::ownPage(const HttpRequest &request)
{
    HttpReply reply;
    if (request.method == "GET" && request.path == "/sandbox/messages") {
        bool ok = false;
        const QString newest = QUrlQuery(QString::fromUtf8(request.query)).queryItemValue(QStringLiteral("newest"));
        const int count = newest.toInt(&ok);
        reply.body = messagesPage(m_ledger.messages(ok && count >= 0 ? count : -1));
    } else if (request.method == "GET" && request.path == "/sandbox/stats") {
        reply.body = statsPage(m_ledger.stats(), m_sink ? std::optional(m_sink->counts()) : std::nullopt);
    } else if (request.method == "GET" && request.path == "/sandbox/callbacks") {
        reply.body = callbacksPage(m_callbacks.counts(), m_callbacks.sendgridKey());
    } else if (request.method == "POST" && request.path == "/sandbox/reset") {
        reset();
        reply.body = "{}";
    } else if (request.method == "POST" && request.path == "/sandbox/script") {
        const Result<void> set = setScript(request.body);
        reply.status = set ? 200 : 400;
        reply.body = set ? QByteArray("{}") : messagePage(set.error().message);
    } else {
        reply.status = 404;
        reply.body =
            messagePage(QStringLiteral("Here are GET /sandbox/messages, GET /sandbox/stats, "
                                       "GET /sandbox/callbacks, POST /sandbox/reset and POST /sandbox/script."));
    }
    return reply;
}

Moment Sandbox::moment() const
{
    return {m_clock->now(), m_clock->ticks()};
}

} // namespace sendoff::sandbox
