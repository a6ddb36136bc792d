#include "channel/sender_router.h"

#include "channel/smtp/smtp_sender.h"

namespace sendoff::channel {

namespace {

class SenderRouter final : public Sender
{
public:
    explicit SenderRouter(const TransportSettings &settings)
        : m_http(makeHttpSender(settings))
        , m_smtp(makeSmtpSender(settings))
    {}

    void send(const ProviderSettings &provider, std::vector<OutgoingItem> items, Done done) override
    {
        const ProviderKind *kind = providerKind(provider.kind);
        Sender &sender = kind && kind->wire == Wire::Smtp ? *m_smtp : *m_http; // which refuses unknown kinds
        sender.send(provider, std::move(items), std::move(done));
    }
    // Who carries mail by SMTP keeps no memory that could be asked.
    void ask(const ProviderSettings &provider, std::vector<OpenQuestion> questions, Found done) override
    {
        m_http->ask(provider, std::move(questions), std::move(done));
    }
    void cancelAll() override
    {
        m_http->cancelAll();
        m_smtp->cancelAll();
    }

private:
    std::unique_ptr<Sender> m_http;
    std::unique_ptr<Sender> m_smtp;
};

} // namespace

std::unique_ptr<Sender> makeSender(const TransportSettings &settings)
{
    return std::make_unique<SenderRouter>(settings);
}

} // namespace sendoff::channel
