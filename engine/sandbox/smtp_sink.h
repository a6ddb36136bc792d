#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include "sandbox/sink_script.h"
#include <QByteArrayList>
#include <QHostAddress>
#include <QObject>
#include <QSet>
#include <QTcpServer>
#include <memory>
#include <vector>

namespace sendoff::sandbox {

struct SinkOptions
{
    QByteArrayList abilities{"PIPELINING", "SIZE 10485760", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"};
    QByteArray certificate; // PEM with its key: then STARTTLS is announced
    QByteArray key;
    bool isImplicitTls = false;
    QByteArrayList mechanisms; // "PLAIN", "LOGIN", "XOAUTH2": announced, and then a login is asked for
    QByteArray user;
    QByteArray password;        // or token
    bool isGreylisting = false; // the first RCPT for each address is put off
    size_t maxKept = 10'000;    // mails kept to be looked at, the oldest go first
};

struct SinkMail
{
    QByteArray sender;
    QByteArray sizeAndMore; // what stood behind the sender in MAIL
    QByteArrayList recipients;
    QByteArray bytes; // dot-stuffing removed
    bool isEncrypted = false;
    QByteArray user; // who had logged in
};

struct SinkCounts
{
    qint64 connections = 0;
    qint64 mailCommands = 0;
    qint64 received = 0; // mails whose final dot arrived, whatever was answered
    qint64 accepted = 0; // of those, answered with 250
};

// A mail server that delivers nothing: a local stand-in for the SMTP server of a provider, which can be told to refuse
// at each stage, to greylist, to be slow and to drop the connection.
// Thread: lives in the thread that made it and works on that thread's event loop. Keeps contents in memory: listen on
// loopback.
class SmtpSink : public QObject
{
    Q_OBJECT

public:
    explicit SmtpSink(SinkOptions options = {}, QObject *parent = nullptr);
    ~SmtpSink() override;

    // Port 0 takes a free one. Unavailable: the address can't be listened on.
    Result<void> listen(const QHostAddress &address = QHostAddress::LocalHost, quint16 port = 0);
    quint16 port() const;
    void close(); // stops listening and drops every connection
    void setRules(std::vector<SinkRule> rules);
    // Rules, greylisting and login from a script; the options it does not know stay. Greylisting begins again.
    void follow(const SinkScript &script);
    const std::vector<SinkMail> &mails() const { return m_mails; }
    SinkCounts counts() const { return m_counts; }
    void dropConnections(); // as a server does that restarts

Q_SIGNALS:
    void mailReceived(); // its final dot has arrived, nothing is answered yet
    // The same mail a moment later, before the reply leaves. `isTaken`: the reply is, or would have been, a 2xx.
    void mailEnded(const sendoff::sandbox::SinkMail &mail, bool isTaken);

private:
    friend class SinkSession;
    class Server;
    SinkRule *ruleFor(SinkStage stage, const QByteArrayList &recipients);
    bool isPutOff(const QByteArray &recipient);
    void keep(SinkMail mail);

    SinkOptions m_options;
    std::unique_ptr<Server> m_server;
    std::vector<SinkRule> m_rules;
    std::vector<SinkMail> m_mails;
    SinkCounts m_counts;
    QSet<QByteArray> m_seen; // of greylisting
};

} // namespace sendoff::sandbox
