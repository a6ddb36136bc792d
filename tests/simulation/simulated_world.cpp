#include "tests/simulation/simulated_world.h"

#include "store/provider_quota.h"
#include "store/published_sets.h"

#include <QTest>

namespace sendoff::test {

using namespace std::chrono_literals;

namespace {

PublishedSet publishedSet()
{
    PublishedSet set;
    for (const auto &[name, lane] :
         {std::pair{QStringLiteral("confirm"), Lane::Urgent}, std::pair{QStringLiteral("receipt"), Lane::Normal},
          std::pair{QStringLiteral("offer"), Lane::Bulk}}) {
        NotifyRule rule;
        rule.role = QStringLiteral("customer");
        rule.user = QStringLiteral("/user");
        rule.addresses.insert(Channel::Email, QStringLiteral("/email"));
        rule.channels = {Channel::Email};
        rule.templateName = QStringLiteral("note");
        EventType type;
        type.type = name;
        type.category = QStringLiteral("orders");
        type.lane = lane;
        type.notify.push_back(rule);
        set.catalogue.types.insert(name, type);
    }
    EventType text = set.catalogue.types.value(QStringLiteral("confirm"));
    text.type = QStringLiteral("text");
    text.notify.front().channels = {Channel::Sms};
    text.notify.front().addresses = {{Channel::Sms, QStringLiteral("/phone")}};
    set.catalogue.types.insert(text.type, text);
    set.templates.insert(QStringLiteral("note/sms.en.mustache"), "Hello {{user}}\n");
    set.templates.insert(QStringLiteral("note/email.en.mustache"), "---\nsubject: News\n---\nHello {{user}}\n");
    return set;
}

RoutingRules routing(const dispatch::EngineSettings &settings)
{
    RoutingRules rules;
    for (const dispatch::ProviderRules &provider : settings.providers) { // the first of a channel
        if (!rules.providers.contains(provider.settings.channel))
            rules.providers.insert(provider.settings.channel, provider.settings.name);
    }
    return rules;
}

template <typename T>
void must(const Result<T> &result)
{
    if (!result)
        qFatal("the simulated store refused: %s", qPrintable(result.error().message));
}

} // namespace

dispatch::EngineSettings SimulatedWorld::settings()
{
    dispatch::EngineSettings settings;
    settings.name = QStringLiteral("simulated");
    settings.lanes[Lane::Urgent].reserve = 0.2;
    addProvider(settings, QStringLiteral("primary"));
    return settings;
}

dispatch::ProviderRules &SimulatedWorld::addProvider(dispatch::EngineSettings &settings, const QString &name,
                                                     Channel channel)
{
    const bool isMail = channel == Channel::Email;
    dispatch::ProviderRules rules;
    rules.settings.name = name;
    rules.settings.kind = isMail ? QStringLiteral("resend") : QStringLiteral("twilio");
    rules.settings.channel = channel;
    rules.settings.baseUrl = QUrl(QStringLiteral("https://%1.invalid").arg(name));
    rules.settings.from = isMail ? QStringLiteral("Shop <shop@example.com>") : QStringLiteral("+15005550006");
    if (!isMail)
        rules.settings.options.insert(QStringLiteral("account_sid"), QStringLiteral("AC") + QString(32, u'a'));
    rules.settings.apiKey = "key";
    rules.settings.timeout = 10s;
    rules.ratePerSecond = 15;
    rules.burst = 5;
    rules.priority = int(settings.providers.size()) + 1;
    settings.providers.push_back(rules);
    return settings.providers.back();
}

SimulatedWorld::SimulatedWorld(const dispatch::EngineSettings &settings)
    : m_time(Timestamp(Milliseconds(1'780'000'000'000)))
    , m_start(m_time.now())
    , m_database(store::StoreUrl::Kind::Sqlite)
    , m_provider(m_time)
    , m_settings(settings)
    , m_settler(QStringLiteral("simulated"))
    , m_relay(m_sets, routing(settings))
    , m_dispatcher(m_settings, QStringLiteral("simulated"), m_time, m_provider, m_sets, m_settler,
                   [this](quint64 batch, std::vector<AttemptResult> results) {
                       m_answers.emplace_back(batch, std::move(results));
                   })
    , m_reaper(m_settings, QStringLiteral("simulated"), m_settler)
{
    // Nothing survives this process anyway.
    must(m_database.database().readOnce([](store::Session &session) { session.command("PRAGMA synchronous = OFF"); }));
    must(store::publish(m_database.database(), publishedSet(), QStringLiteral("test"), {}));
    std::vector<store::ProviderBucket> buckets;
    for (const dispatch::ProviderRules &rules : m_settings.providers)
        buckets.push_back({rules.settings.name, rules.settings.kind, rules.settings.channel, rules.priority,
                           rules.ratePerSecond, rules.burst, rules.dailyLimit, rules.monthlyLimit, rules.cost});
    for (const dispatch::ProviderRules &rules : m_settings.providers)
        m_retryShares[rules.settings.name] = rules.retryShare;
    must(store::declareProviders(m_database.database(), buckets));
}

void SimulatedWorld::plan(Milliseconds at, const QByteArray &type, const QString &tenant, int count)
{
    for (int each = 0; each < count; ++each)
        m_planned.emplace(at, Planned{type, tenant});
}

void SimulatedWorld::insertDue()
{
    if (m_planned.empty() || m_planned.begin()->first > elapsed())
        return;
    must(m_database.database().write([&](store::Session &session) {
        while (!m_planned.empty() && m_planned.begin()->first <= elapsed()) {
            const Planned next = m_planned.begin()->second;
            m_planned.erase(m_planned.begin());
            const QString id = QStringLiteral("e-%1").arg(++m_inserted);
            session.run("INSERT INTO sendoff_event (id, type, tenant, payload) VALUES (?, ?, ?, ?)",
                        {id, QString::fromLatin1(next.type), next.tenant,
                         QStringLiteral("{\"user\":\"u%1\",\"email\":\"u%1@example.com\",\"phone\":\"+49170%2\"}")
                             .arg(m_inserted)
                             .arg(m_inserted, 7, 10, QLatin1Char('1'))});
            Told &told = m_events[id];
            told.type = next.type;
            told.tenant = next.tenant;
            told.insertedAt = elapsed();
        }
    }));
}

bool SimulatedWorld::round()
{
    store::Database &database = m_database.database();
    m_provider.deliverDue();
    const bool hadAnswers = !m_answers.empty();
    for (; !m_answers.empty(); m_answers.pop_front())
        m_dispatcher.onAnswer(m_answers.front().first, std::move(m_answers.front().second));
    const auto settled = m_settler.flush(database);
    must(settled);
    must(m_dispatcher.reportProviders(database));
    const auto relayed = m_relay.runOnce(database);
    must(relayed);
    const auto promoted = store::promoteDue(database, m_retryShares, 500);
    must(promoted);
    if (*relayed > 0 || *promoted > 0)
        m_dispatcher.lookAgain();
    const auto dispatched = m_dispatcher.runOnce(database);
    must(dispatched);
    m_nextLook = dispatched->nextLook;
    int reaped = 0;
    if (elapsed() - m_lastReap >= 2s) {
        m_lastReap = elapsed();
        const auto swept = m_reaper.runOnce(database);
        must(swept);
        reaped = *swept;
    }
    return hadAnswers || *settled > 0 || *relayed > 0 || *promoted > 0 || dispatched->moved > 0 || reaped > 0;
}

Milliseconds SimulatedWorld::untilNext() const
{
    Milliseconds next = 60s;
    if (!m_planned.empty())
        next = std::min(next, m_planned.begin()->first - elapsed());
    if (const auto answer = m_provider.untilNext())
        next = std::min(next, *answer);
    if (m_nextLook)
        next = std::min(next, *m_nextLook);
    return std::max(next, Milliseconds(1));
}

void SimulatedWorld::runTo(Milliseconds moment)
{
    while (elapsed() < moment) {
        insertDue();
        if (round()) {
            m_time.advance(1ms); // what a round costs
            continue;
        }
        Milliseconds wait = untilNext();
        const auto due = store::untilNextDue(m_database.database());
        must(due);
        if (*due)
            wait = std::min(wait, std::max(**due, Milliseconds(20)));
        m_time.advance(std::min(wait, std::max(moment - elapsed(), Milliseconds(1))));
    }
}

std::map<QString, SimulatedWorld::Told> SimulatedWorld::told()
{
    std::map<QString, Told> found;
    must(m_database.database().read([&](store::Session &session) {
        store::Cursor row = session.run("SELECT id, event_id FROM sendoff_delivery");
        while (row.next())
            found[row.text(0)] = m_events.at(row.text(1));
    }));
    for (const SimulatedProvider::Arrival &arrival : m_provider.arrivals()) {
        Told &told = found.at(arrival.id.value);
        ++told.arrivals;
        if (arrival.wasTaken && !told.wasTaken)
            told.takenAt = arrival.at;
        told.wasTaken = told.wasTaken || arrival.wasTaken;
        if (!told.firstArrival)
            told.firstArrival = arrival.at;
    }
    return found;
}

} // namespace sendoff::test
