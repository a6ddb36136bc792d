#include "channel/connection_pool.h"
#include "channel/destination_check.h"
#include "channel/http_sender.h"
#include "channel/webhook/webhook_kind.h"
#include "domain/settlement.h"
#include "tests/support/provider_stub.h"
#include <QJsonDocument>
#include <QJsonObject>
#include <QPointer>
#include <QProcess>
#include <QTcpServer>
#include <QTest>
#include <QUrl>
#include <atomic>
#include <mutex>

using namespace sendoff;
using namespace sendoff::channel;
using support::ProviderStub;
using support::StubConnection;
using support::StubIdentity;
using Script = ProviderStub::Script;

namespace {

const QByteArray newSecret = "whsec_" + QByteArray("a key of twenty-four bytes and more").toBase64();
const QByteArray oldSecret = "whsec_" + QByteArray("the key before, thirty bytes it is").toBase64();
const QString body = QStringLiteral("{\"type\":\"booking.confirmed\",  \"timestamp\":\"2026-11-30T12:00:00Z\","
                                    "\"data\":{\"id\":9007199254740993,\"n\":1.0,\"who\":\"Ada \U0001F60A\u2028\"}}");

ProviderSettings provider()
{
    ProviderSettings settings;
    settings.name = QStringLiteral("hooks");
    settings.kind = QStringLiteral("webhook");
    settings.channel = Channel::Webhook;
    settings.signingSecrets = {newSecret, oldSecret};
    return settings;
}

// For receivers of a test, which listen on loopback without TLS.
ProviderSettings insideProvider(const ProviderStub &stub)
{
    ProviderSettings settings = provider();
    settings.options = {{QStringLiteral("allow_http"), QStringLiteral("true")},
                        {QStringLiteral("allow_private"), QStringLiteral("true")},
                        {QStringLiteral("ports"), QString::number(stub.port())}};
    return settings;
}

QString urlOn(const QString &host, const ProviderStub &stub)
{
    return QStringLiteral("http://%1:%2/hook?token=hush").arg(host).arg(stub.port());
}

std::vector<OutgoingItem> itemFor(const QString &address)
{
    RenderedMessage message;
    message.channel = Channel::Webhook;
    message.text = body;
    const DeliveryId id(QStringLiteral("00000000-0000-5000-8000-000000000001"));
    const auto composed = webhookKind().compose(provider(), message, address, id);
    if (!composed)
        qFatal("the test's message can't be composed: %s", qPrintable(composed.error().message));
    return {{id, *composed, address}};
}

AttemptResult resultOf(Sender &sender, const ProviderSettings &settings, const QString &address)
{
    auto done = std::make_shared<std::atomic_bool>(false);
    auto result = std::make_shared<AttemptResult>();
    sender.send(settings, itemFor(address), [done, result](const std::vector<AttemptResult> &given) {
        *result = given.front();
        *done = true;
    });
    if (!QTest::qWaitFor([&done] { return done->load(); }, 30'000))
        qFatal("no result came");
    return *result;
}

// A name server for a test: what each name leads to, and how often it was asked.
class Names
{
public:
    void set(const QString &name, const QStringList &addresses)
    {
        const std::lock_guard lock(m_mutex);
        m_names[name] = addresses;
    }
    int asked() const { return m_asked; }
    Resolver resolver()
    {
        return [this](const QString &name, const std::function<void(const QStringList &)> &found) {
            ++m_asked;
            QStringList addresses;
            {
                const std::lock_guard lock(m_mutex);
                addresses = m_names.value(name);
            }
            found(addresses);
        };
    }

private:
    std::mutex m_mutex;
    QMap<QString, QStringList> m_names;
    std::atomic_int m_asked = 0;
};

CheckedDestination checked(const QString &address, const Resolver &resolve, const DestinationRules &rules = {})
{
    DestinationCheck check(resolve);
    std::optional<CheckedDestination> found;
    check.check(address, rules, Milliseconds(60'000), [&found](const CheckedDestination &given) { found = given; });
    if (!QTest::qWaitFor([&found] { return found.has_value(); }, 30'000))
        qFatal("no verdict came");
    return *found;
}

DestinationRules rulesOf(const QMap<QString, QString> &options)
{
    const auto rules = destinationRules(options);
    if (!rules)
        qFatal("the test's options are wrong: %s", qPrintable(rules.error().message));
    return *rules;
}

} // namespace

class TestWebhooks : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void HTTP_04_destinations_areJudgedWhateverTheirSpelling_data();
    void HTTP_04_destinations_areJudgedWhateverTheirSpelling();
    void HTTP_04_onlyPublicAddresses_arePublic_data();
    void HTTP_04_onlyPublicAddresses_arePublic();
    void HTTP_04_names_areJudgedByEveryAddressTheyLeadTo_data();
    void HTTP_04_names_areJudgedByEveryAddressTheyLeadTo();
    void HTTP_04_spellingsOfAddresses_areJudgedAsTheSystemReadsThem_data();
    void HTTP_04_spellingsOfAddresses_areJudgedAsTheSystemReadsThem();
    void HTTP_04_refusedDestination_getsNothing_data();
    void HTTP_04_refusedDestination_getsNothing();
    void HTTP_04_reboundName_isRefusedAtTheNextAttempt();
    void HTTP_04_checkedAddress_isTheOneConnectedTo();
    void HTTP_04_redirectInside_isNotFollowed();
    void HTTP_04_deadAddress_isPassedOverWithOneRequest();
    void HTTP_04_silentAddress_leavesTimeForTheNext();
    void HTTP_04_allowedRanges_openNothingElse();
    void HTTP_04_silentLookUp_endsAtTheDeadline();
    void HTTP_04_ports_areThoseThatAreAllowed();

    void CB_02_signature_verifiesWithOpensslOnEveryAttempt();
    void request_carriesEverySecretsSignature();
    void compose_keepsBytesAndRefusesWhatIsNoObject();
    void outcomes_neverConcernOtherReceivers_data();
    void outcomes_neverConcernOtherReceivers();
    void brokenCertificate_isTriedAgain();
    void timeout_isRepeatedUnderTheSameId();
    void texts_holdNoPartOfTheAddressOrBody();
    void cancelAll_endsLookUpsToo();
    void idleLines_areFewOverAllOrigins();
    void check_namesTheSettingAtFault_data();
    void check_namesTheSettingAtFault();
};

void TestWebhooks::HTTP_04_destinations_areJudgedWhateverTheirSpelling_data()
{
    QTest::addColumn<QString>("rest"); // behind the scheme
    QTest::addColumn<bool>("isAllowed");
    const auto row = [](const char *rest, bool isAllowed) {
        QTest::newRow(rest) << QString::fromUtf8(rest) << isAllowed;
    };
    row("[::ffff:127.0.0.1]/", false);
    row("[::ffff:7f00:1]/", false);
    row("[::1]/", false);
    row("[::]/", false);
    row("[fe80::1%25eth0]/", false);
    row("[fe9f::1]/", false);
    row("[fd00::1]/", false);
    row("[2002:7f00:1::]/", false);
    row("[64:ff9b::a9fe:a9fe]/", false);
    row("169.254.169.254/", false);
    row("2130706433/", false);
    row("0x7f.1/", false);
    row("127.1/", false);
    row("0177.0.0.1/", false);
    row("0x7f000001/", false);
    row("127.0.0.1./", false);
    row("0/", false);
    row("localhost/", false);
    row("localhost./", false);
    row("LOCALHOST/", false);
    row("user:pw@example.com/", false);
    row("user@example.com/", false);
    row("@example.com/", false);
    row("example.com@127.0.0.1/", false);
    row("127.0.0.1#@example.com/", false);
    row("example..com/", false);
    row("/hook", false);
    row("", false);
    row("\xE2\x91\xA0\xE2\x91\xA1\xE2\x91\xA6.0.0.1/", false); // 127.0.0.1 in circled digits
    row("127\xE3\x80\x82"
        "0\xE3\x80\x82"
        "0\xE3\x80\x82"
        "1/",
        false); // with ideographic dots
    row("example.com/hook", true);
    row("example.com./hook", true);
    row("EXAMPLE.com:443/hook", true);
    row("example.com:22/hook", false);
    row("[2606:4700::1111]/hook", true);
    row("[64:ff9b::5db8:d822]/hook", true); // 93.184.216.34 by NAT64
}

void TestWebhooks::HTTP_04_destinations_areJudgedWhateverTheirSpelling()
{
    QFETCH(QString, rest);
    QFETCH(bool, isAllowed);
    Names names;
    for (const char *name : {"localhost", "2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "0"})
        names.set(QString::fromLatin1(name), {QStringLiteral("127.0.0.1")}); // as a system's look-up reads them
    names.set(QStringLiteral("example.com"), {QStringLiteral("93.184.216.34")});
    const CheckedDestination secure = checked(QStringLiteral("https://") + rest, names.resolver());
    QCOMPARE(!secure.refusal.has_value(), isAllowed);
    // Without TLS it is refused for that alone; where that is allowed, for what it leads to.
    QVERIFY(checked(QStringLiteral("http://") + rest, names.resolver()).refusal.has_value());
    const DestinationRules rules = rulesOf({{QStringLiteral("allow_http"), QStringLiteral("true")}});
    QCOMPARE(!checked(QStringLiteral("http://") + QString(rest).remove(QStringLiteral(":443")), names.resolver(), rules)
                  .refusal.has_value(),
             isAllowed);
    for (const char *scheme : {"ftp://", "file://", "gopher://", "javascript:", "//", ""})
        QVERIFY(checked(QLatin1String(scheme) + rest, names.resolver(), rules).refusal.has_value());
}

void TestWebhooks::HTTP_04_onlyPublicAddresses_arePublic_data()
{
    QTest::addColumn<bool>("isPublic");
    for (const char *inside : {"0.0.0.0",
                               "0.1.2.3",
                               "10.0.0.1",
                               "100.64.0.1",
                               "100.100.100.200",
                               "100.127.255.255",
                               "127.0.0.1",
                               "127.255.255.254",
                               "168.63.129.16",
                               "169.254.169.254",
                               "172.16.0.1",
                               "172.31.255.255",
                               "192.0.0.192",
                               "192.0.2.1",
                               "192.88.99.1",
                               "192.168.1.1",
                               "198.18.0.1",
                               "198.19.255.255",
                               "198.51.100.1",
                               "203.0.113.1",
                               "224.0.0.1",
                               "239.255.255.255",
                               "240.0.0.1",
                               "255.255.255.255",
                               "::",
                               "::1",
                               "::127.0.0.1",
                               "::ffff:127.0.0.1",
                               "::ffff:10.0.0.1",
                               "64:ff9b::a9fe:a9fe",
                               "64:ff9b:1::1",
                               "100::1",
                               "2001::1",
                               "2001:10::1",
                               "2001:db8::1",
                               "2002:7f00:1::",
                               "2002:808:808::1",
                               "3fff::1",
                               "4000::1",
                               "fc00::1",
                               "fd00:ec2::254",
                               "fe80::1",
                               "fe9f::1",
                               "febf::1",
                               "fec0::1",
                               "ff02::1"})
        QTest::newRow(inside) << false;
    for (const char *outside : {"1.1.1.1", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255",
                                "172.32.0.0", "192.167.255.255", "223.255.255.255", "::ffff:8.8.8.8",
                                "64:ff9b::808:808", "2606:4700::1111", "2a00:1450:4001::1"})
        QTest::newRow(outside) << true;
}

void TestWebhooks::HTTP_04_onlyPublicAddresses_arePublic()
{
    QFETCH(bool, isPublic);
    const QHostAddress address(QString::fromLatin1(QTest::currentDataTag()));
    QVERIFY(!address.isNull());
    QCOMPARE(isPublicAddress(address), isPublic);
}

void TestWebhooks::HTTP_04_names_areJudgedByEveryAddressTheyLeadTo_data()
{
    QTest::addColumn<QStringList>("addresses");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QStringList>("pinned");
    const QString outside = QStringLiteral("93.184.216.34");
    const QString wide = QStringLiteral("2606:4700::1111");
    QTest::newRow("public") << QStringList{outside} << QString() << QStringList{outside};
    QTest::newRow("IPv6 only") << QStringList{wide} << QString() << QStringList{wide};
    QTest::newRow("both") << QStringList{wide, outside} << QString() << QStringList{outside, wide};
    for (const char *inside : {"127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1"}) {
        const QString address = QString::fromLatin1(inside);
        QTest::addRow("%s", inside) << QStringList{address} << QStringLiteral("destination_refused") << QStringList();
        QTest::addRow("public, then %s", inside)
            << QStringList{outside, address} << QStringLiteral("destination_refused") << QStringList();
        QTest::addRow("%s, then public", inside)
            << QStringList{address, wide} << QStringLiteral("destination_refused") << QStringList();
    }
    QTest::newRow("nothing") << QStringList() << QStringLiteral("dns") << QStringList();
    QTest::newRow("rubbish") << QStringList{QStringLiteral("rubbish")} << QStringLiteral("destination_refused")
                             << QStringList();
}

void TestWebhooks::HTTP_04_names_areJudgedByEveryAddressTheyLeadTo()
{
    QFETCH(QStringList, addresses);
    QFETCH(QString, code);
    QFETCH(QStringList, pinned);
    Names names;
    names.set(QStringLiteral("hooks.example.com"), addresses);
    const CheckedDestination verdict = checked(QStringLiteral("https://hooks.example.com./in"), names.resolver());
    QCOMPARE(verdict.addresses, pinned);
    QCOMPARE(verdict.refusal ? verdict.refusal->code : QString(), code);
    if (!verdict.refusal)
        return;
    QVERIFY(!verdict.refusal->left);
    QCOMPARE(toText(verdict.refusal->outcome), toText(Outcome::Transient)); // a name may lead elsewhere tomorrow
    QVERIFY(!verdict.refusal->suppresses);
    QVERIFY(!verdict.refusal->text.contains(QStringLiteral("example")));
}

void TestWebhooks::HTTP_04_spellingsOfAddresses_areJudgedAsTheSystemReadsThem_data()
{
    QTest::addColumn<QString>("host");
    for (const char *host : {"2130706433", "0x7f.1", "127.1", "0177.0.0.1", "0x7f000001", "localhost", "localhost."})
        QTest::newRow(host) << QString::fromLatin1(host);
}

void TestWebhooks::HTTP_04_spellingsOfAddresses_areJudgedAsTheSystemReadsThem()
{
    QFETCH(QString, host);
    const CheckedDestination verdict = checked(QStringLiteral("https://%1/").arg(host), {}); // the system's resolver
    QVERIFY(verdict.refusal.has_value());
    QVERIFY(verdict.addresses.isEmpty());
}

void TestWebhooks::HTTP_04_refusedDestination_getsNothing_data()
{
    QTest::addColumn<QString>("host");
    for (const char *host : {"127.0.0.1", "127.1", "2130706433", "0x7f.1", "localhost", "localhost.", "[::1]",
                             "[::ffff:127.0.0.1]", "inside.example.com", "mixed.example.com", "user:pw@127.0.0.1"})
        QTest::newRow(host) << QString::fromLatin1(host);
}

void TestWebhooks::HTTP_04_refusedDestination_getsNothing()
{
    QFETCH(QString, host);
    ProviderStub stub(ProviderStub::always(200, {}));
    ProviderSettings settings = insideProvider(stub);
    settings.options.remove(QStringLiteral("allow_private"));
    Names names;
    TransportSettings transport;
    const bool isOurs = host.endsWith(QLatin1String("example.com"));
    if (isOurs)
        transport.resolve = names.resolver();
    names.set(QStringLiteral("inside.example.com"), {QStringLiteral("127.0.0.1")});
    names.set(QStringLiteral("mixed.example.com"), {QStringLiteral("93.184.216.34"), QStringLiteral("127.0.0.1")});
    const AttemptResult result = resultOf(*makeHttpSender(transport), settings, urlOn(host, stub));
    // What is written as an address stays one; where a name leads may change.
    const bool isName = QHostAddress(QUrl(urlOn(host, stub)).host()).isNull();
    QCOMPARE(toText(result.outcome), toText(isName ? Outcome::Transient : Outcome::PermanentRecipient));
    QCOMPARE(result.code, QStringLiteral("destination_refused"));
    QVERIFY(!result.left && !result.suppresses);
    QVERIFY(!result.text.isEmpty());
    QCOMPARE(stub.connections(), 0);
}

void TestWebhooks::HTTP_04_reboundName_isRefusedAtTheNextAttempt()
{
    ProviderStub stub(ProviderStub::always(200, {}));
    Names names;
    TransportSettings transport;
    transport.resolve = names.resolver();
    const auto sender = makeHttpSender(transport);
    ProviderSettings settings = insideProvider(stub);
    settings.options[QStringLiteral("allow_private")] = QStringLiteral("127.0.0.1/32");
    const QString address = urlOn(QStringLiteral("hooks.example.com"), stub);
    names.set(QStringLiteral("hooks.example.com"), {QStringLiteral("127.0.0.1")}); // stands for the allowed one
    QCOMPARE(toText(resultOf(*sender, settings, address).outcome), toText(Outcome::Accepted));
    names.set(QStringLiteral("hooks.example.com"), {QStringLiteral("127.0.0.2")});
    QCOMPARE(resultOf(*sender, settings, address).code, QStringLiteral("destination_refused"));
    names.set(QStringLiteral("hooks.example.com"), {});
    QCOMPARE(resultOf(*sender, settings, address).code, QStringLiteral("dns"));
    QCOMPARE(stub.receptions(), 1);
    QCOMPARE(names.asked(), 3); // before each attempt, once
}

void TestWebhooks::HTTP_04_checkedAddress_isTheOneConnectedTo()
{
    ProviderStub stub(ProviderStub::always(200, {}));
    Names names;
    names.set(QStringLiteral("hooks.example.test"), {QStringLiteral("127.0.0.1")}); // nobody else resolves this name
    TransportSettings transport;
    transport.resolve = names.resolver();
    const AttemptResult result =
        resultOf(*makeHttpSender(transport), insideProvider(stub), urlOn(QStringLiteral("hooks.example.test"), stub));
    QCOMPARE(toText(result.outcome), toText(Outcome::Accepted));
    QCOMPARE(stub.receptions(), 1);
    const support::StubRequest got = stub.requests().front();
    QCOMPARE(got.header("Host"), "hooks.example.test:" + QByteArray::number(stub.port()));
    QVERIFY(got.head.startsWith("POST /hook?token=hush HTTP/1.1\r\n"));
}

void TestWebhooks::HTTP_04_redirectInside_isNotFollowed()
{
    ProviderStub inside(ProviderStub::always(200, {}));
    ProviderStub stub(ProviderStub::always(307, {}, "Location: " + inside.url().toEncoded() + "\r\n"));
    const AttemptResult result =
        resultOf(*makeHttpSender({}), insideProvider(stub), urlOn(QStringLiteral("127.0.0.1"), stub));
    QCOMPARE(toText(result.outcome), toText(Outcome::Transient));
    QCOMPARE(result.code, QStringLiteral("http_307"));
    QCOMPARE(stub.receptions(), 1);
    QCOMPARE(inside.connections(), 0);
}

void TestWebhooks::HTTP_04_deadAddress_isPassedOverWithOneRequest()
{
    ProviderStub stub(ProviderStub::always(200, {}));
    Names names;
    TransportSettings transport;
    transport.resolve = names.resolver();
    const auto sender = makeHttpSender(transport);
    const QString address = urlOn(QStringLiteral("hooks.example.test"), stub);
    // IPv6 that leads nowhere stands first in the answer; and an IPv4 address where nobody listens.
    names.set(QStringLiteral("hooks.example.test"), {QStringLiteral("100::1"), QStringLiteral("127.0.0.1")});
    QCOMPARE(toText(resultOf(*sender, insideProvider(stub), address).outcome), toText(Outcome::Accepted));
    names.set(QStringLiteral("hooks.example.test"), {QStringLiteral("127.0.0.66"), QStringLiteral("127.0.0.1")});
    QCOMPARE(toText(resultOf(*sender, insideProvider(stub), address).outcome), toText(Outcome::Accepted));
    QCOMPARE(stub.receptions(), 2);
    // Where none takes it, nothing left.
    names.set(QStringLiteral("hooks.example.test"), {QStringLiteral("127.0.0.66"), QStringLiteral("127.0.0.67")});
    const AttemptResult none = resultOf(*sender, insideProvider(stub), address);
    QCOMPARE(toText(none.outcome), toText(Outcome::Transient));
    QCOMPARE(none.code, QStringLiteral("connection_refused"));
    QVERIFY(!none.left);

    // One that took the request and hung up may have it: it goes to no other.
    ProviderStub dropping([](StubConnection &connection, int) { connection.readRequest(); });
    names.set(QStringLiteral("hooks.example.test"),
              {QStringLiteral("127.0.0.1"), QStringLiteral("127.0.0.1"), QStringLiteral("127.0.0.68")});
    const AttemptResult lost =
        resultOf(*sender, insideProvider(dropping), urlOn(QStringLiteral("hooks.example.test"), dropping));
    QCOMPARE(toText(lost.outcome), toText(Outcome::Unknown));
    QCOMPARE(dropping.receptions(), 1);
}

void TestWebhooks::HTTP_04_silentAddress_leavesTimeForTheNext()
{
    const auto identity = StubIdentity::make();
    if (!identity)
        QSKIP("NOT TESTED: TLS, because there is no openssl command to make a certificate");
    ProviderStub stub(ProviderStub::always(200, {}), *identity);
    QTcpServer silent; // connects, and never answers the TLS greeting: nothing of the request leaves
    if (!silent.listen(QHostAddress(QStringLiteral("127.0.0.66")), stub.port()))
        QSKIP("NOT TESTED: a second loopback address, because the system has none");
    Names names;
    names.set(QStringLiteral("localhost"), {QStringLiteral("127.0.0.66"), QStringLiteral("127.0.0.1")});
    TransportSettings transport;
    transport.resolve = names.resolver();
    transport.caCertificates = identity->certificate;
    ProviderSettings settings = insideProvider(stub);
    settings.timeout = Milliseconds(6'000);
    const AttemptResult result =
        resultOf(*makeHttpSender(transport), settings, QStringLiteral("https://localhost:%1/hook").arg(stub.port()));
    QCOMPARE(toText(result.outcome), toText(Outcome::Accepted));
    QCOMPARE(stub.receptions(), 1);
}

void TestWebhooks::idleLines_areFewOverAllOrigins()
{
    ConnectionPool pool(50);
    std::vector<Line *> lines;
    std::vector<QPointer<QNetworkAccessManager>> accesses;
    for (int number = 0; number < 200; ++number) {
        lines.push_back(pool.take(QStringLiteral("https://hooks.example:443@10.0.0.%1").arg(number), true,
                                  QNetworkProxy(QNetworkProxy::NoProxy)));
        accesses.emplace_back(lines.back()->access.get());
    }
    const auto alive = [&accesses] {
        return std::count_if(accesses.begin(), accesses.end(), [](const auto &access) { return !access.isNull(); });
    };
    QCOMPARE(alive(), 200); // what is in flight is never dropped
    for (Line *line : lines)
        pool.giveBack(line);
    QTRY_COMPARE(alive(), 64);
    QVERIFY(!accesses.back().isNull()); // the longest idle go
    QVERIFY(accesses.front().isNull());
}

void TestWebhooks::HTTP_04_allowedRanges_openNothingElse()
{
    const DestinationRules rules =
        rulesOf({{QStringLiteral("allow_private"), QStringLiteral("10.1.0.0/16, fd00:1::/32")}});
    const auto isAllowed = [&rules](const char *text) {
        return isAllowedAddress(QHostAddress(QString::fromLatin1(text)), rules);
    };
    QVERIFY(isAllowed("10.1.2.3"));
    QVERIFY(isAllowed("::ffff:10.1.2.3"));
    QVERIFY(isAllowed("fd00:1::5"));
    QVERIFY(isAllowed("93.184.216.34"));
    QVERIFY(!isAllowed("10.2.0.1"));
    QVERIFY(!isAllowed("::ffff:10.2.0.1"));
    QVERIFY(!isAllowed("127.0.0.1"));
    QVERIFY(!isAllowed("169.254.169.254"));
    QVERIFY(!isAllowed("fd00:2::5"));
    QVERIFY(isAllowedAddress(QHostAddress(QStringLiteral("127.0.0.1")),
                             rulesOf({{QStringLiteral("allow_private"), QStringLiteral("true")}})));
}

void TestWebhooks::HTTP_04_silentLookUp_endsAtTheDeadline()
{
    std::function<void(const QStringList &)> held;
    DestinationCheck check(
        [&held](const QString &, const std::function<void(const QStringList &)> &found) { held = found; });
    int times = 0;
    CheckedDestination verdict;
    check.check(QStringLiteral("https://example.com/"), {}, Milliseconds(1), [&](const CheckedDestination &given) {
        verdict = given;
        ++times;
    });
    QTRY_COMPARE_WITH_TIMEOUT(times, 1, 30'000);
    QCOMPARE(verdict.refusal->code, QStringLiteral("dns"));
    QVERIFY(!verdict.refusal->left);
    held({QStringLiteral("93.184.216.34")}); // too late: nobody is told
    QCOMPARE(times, 1);
}

void TestWebhooks::HTTP_04_ports_areThoseThatAreAllowed()
{
    const auto isAllowed = [](const char *url, const QMap<QString, QString> &options) {
        return destinationProblem(QString::fromLatin1(url), rulesOf(options)).isEmpty();
    };
    QVERIFY(isAllowed("https://example.com/", {}));
    QVERIFY(!isAllowed("https://example.com:8443/", {}));
    QVERIFY(!isAllowed("https://example.com:80/", {}));
    const QMap<QString, QString> listed{{QStringLiteral("ports"), QStringLiteral("443, 8443")}};
    QVERIFY(isAllowed("https://example.com:8443/", listed));
    QVERIFY(!isAllowed("https://example.com:6379/", listed));
    const QMap<QString, QString> http{{QStringLiteral("allow_http"), QStringLiteral("true")}};
    QVERIFY(isAllowed("http://example.com/", http));
    QVERIFY(!isAllowed("http://example.com:8080/", http));
}

namespace {

// HMAC-SHA256 by a program of others, base64; empty where there is none.
QByteArray opensslHmac(const QByteArray &key, const QByteArray &content)
{
    QProcess process;
    process.start(QStringLiteral("openssl"),
                  {QStringLiteral("dgst"), QStringLiteral("-sha256"), QStringLiteral("-mac"), QStringLiteral("HMAC"),
                   QStringLiteral("-macopt"), QStringLiteral("hexkey:") + QString::fromLatin1(key.toHex()),
                   QStringLiteral("-binary")});
    if (!process.waitForStarted())
        return {};
    process.write(content);
    process.closeWriteChannel();
    process.waitForFinished();
    return process.readAllStandardOutput().toBase64();
}

} // namespace

void TestWebhooks::CB_02_signature_verifiesWithOpensslOnEveryAttempt()
{
    if (opensslHmac("k", "c").isEmpty())
        QSKIP("NOT TESTED: signatures against openssl, because there is no such command");
    ProviderStub stub(ProviderStub::always(500, {}));
    const auto sender = makeHttpSender({});
    for (int attempt = 0; attempt < 2; ++attempt)
        resultOf(*sender, insideProvider(stub), urlOn(QStringLiteral("127.0.0.1"), stub));
    QCOMPARE(stub.receptions(), 2);
    for (const support::StubRequest &got : stub.requests()) {
        QCOMPARE(got.body, body.toUtf8()); // numbers, blanks and escapes as they were rendered
        QCOMPARE(got.header("webhook-id"), QByteArray("00000000-0000-5000-8000-000000000001"));
        QCOMPARE(got.header("Content-Type"), QByteArray("application/json"));
        const QByteArray time = got.header("webhook-timestamp");
        const qint64 now =
            std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now().time_since_epoch()).count();
        QVERIFY(std::abs(time.toLongLong() - now) < 120);
        const QByteArray content = got.header("webhook-id") + '.' + time + '.' + got.body;
        QByteArrayList expected;
        for (const QByteArray &secret : {newSecret, oldSecret})
            expected.append("v1," + opensslHmac(QByteArray::fromBase64(secret.mid(6)), content));
        QCOMPARE(got.header("webhook-signature"), expected.join(' '));
    }
}

void TestWebhooks::request_carriesEverySecretsSignature()
{
    ProviderSettings settings = provider();
    const auto signatures = [&settings] {
        const HttpRequest request = webhookKind().request(settings, itemFor(QStringLiteral("https://example.com/")));
        for (const auto &[name, value] : request.headers) {
            if (name == "webhook-signature")
                return value.split(' ');
        }
        return QByteArrayList();
    };
    QCOMPARE(signatures().size(), 2);
    settings.signingSecrets = {newSecret};
    QCOMPARE(signatures().size(), 1);
    const DeliveryId dotted(QStringLiteral("a.b"));
    const HttpRequest request =
        webhookKind().request(settings, {{dotted, "{}", QStringLiteral("https://example.com/")}});
    for (const auto &[name, value] : request.headers)
        QVERIFY(name != "webhook-id" || !value.contains('.'));
    QCOMPARE(webhookKind().idempotencyWindow, Milliseconds(std::chrono::hours(24 * 30)));
}

void TestWebhooks::compose_keepsBytesAndRefusesWhatIsNoObject()
{
    const auto compose = [](const QString &text, const QString &address = QStringLiteral("https://example.com/")) {
        RenderedMessage message;
        message.channel = Channel::Webhook;
        message.text = text;
        return webhookKind().compose(provider(), message, address, DeliveryId());
    };
    QCOMPARE(*compose(body + QStringLiteral("\n")), body.toUtf8());
    for (const char *text : {"", "confirmed", "[]", "\"text\"", "{\"a\":", "{\"a\":1}{}", "{\"a\":1,\"a\":2}"}) {
        const auto composed = compose(QString::fromLatin1(text));
        QVERIFY2(!composed, text);
        QCOMPARE(composed.error().code, ErrorCode::Invalid);
    }
    QVERIFY(!compose(body, QString()));
    QVERIFY(!compose(body, QStringLiteral("https://example.com/\r\nX-A: b")));
}

void TestWebhooks::outcomes_neverConcernOtherReceivers_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("headers");
    QTest::addColumn<Outcome>("outcome");
    const auto row = [](int status, Outcome outcome, const QByteArray &headers = {}) {
        QTest::addRow("%d%s", status, headers.isEmpty() ? "" : " with a header") << status << headers << outcome;
    };
    row(200, Outcome::Accepted);
    row(204, Outcome::Accepted);
    row(299, Outcome::Accepted);
    for (const int status : {301, 302, 307, 400, 401, 403, 404, 405, 408, 409, 422, 500, 501, 503})
        row(status, Outcome::Transient);
    row(410, Outcome::PermanentRecipient);
    for (const int status : {429, 502, 504})
        row(status, Outcome::Throttled);
    row(400, Outcome::PermanentMessage, "webhook-delivery: abort-message\r\n");
    row(200, Outcome::Accepted, "webhook-delivery: abort-message\r\n");
}

void TestWebhooks::outcomes_neverConcernOtherReceivers()
{
    QFETCH(int, status);
    QFETCH(QByteArray, headers);
    QFETCH(Outcome, outcome);
    ProviderStub stub(ProviderStub::always(status, "<html>", headers + "Retry-After: 7\r\n"));
    const AttemptResult result =
        resultOf(*makeHttpSender({}), insideProvider(stub), urlOn(QStringLiteral("127.0.0.1"), stub));
    QCOMPARE(toText(result.outcome), toText(outcome));
    QCOMPARE(result.status, status);
    QCOMPARE(result.suppresses, status == 410);
    if (outcome == Outcome::Throttled)
        QVERIFY(!result.pausesBucket);
    const bool isTriedAgain = outcome == Outcome::Throttled || outcome == Outcome::Transient;
    QCOMPARE(result.wait.has_value(), isTriedAgain);
    if (isTriedAgain)
        QCOMPARE(result.wait->count(), 7'000);
}

void TestWebhooks::brokenCertificate_isTriedAgain()
{
    const auto identity = StubIdentity::make();
    if (!identity)
        QSKIP("NOT TESTED: TLS, because there is no openssl command to make a certificate");
    ProviderStub stub(ProviderStub::always(200, {}), *identity);
    const QString address = QStringLiteral("https://127.0.0.1:%1/").arg(stub.port());
    const AttemptResult untrusted = resultOf(*makeHttpSender({}), insideProvider(stub), address);
    QCOMPARE(toText(untrusted.outcome), toText(Outcome::Transient)); // Configuration would stop every receiver
    QCOMPARE(untrusted.code, QStringLiteral("tls_certificate"));
    QVERIFY(!untrusted.left);
    TransportSettings trusting;
    trusting.caCertificates = identity->certificate;
    QCOMPARE(toText(resultOf(*makeHttpSender(trusting), insideProvider(stub), address).outcome),
             toText(Outcome::Accepted));
}

void TestWebhooks::timeout_isRepeatedUnderTheSameId()
{
    ProviderStub silent([](StubConnection &connection, int) {
        if (connection.readRequest())
            connection.waitForPeer();
    });
    ProviderSettings settings = insideProvider(silent);
    settings.timeout = Milliseconds(300);
    const AttemptResult result = resultOf(*makeHttpSender({}), settings, urlOn(QStringLiteral("127.0.0.1"), silent));
    QCOMPARE(toText(result.outcome), toText(Outcome::Unknown));
    QVERIFY(result.left);
    // What the engine makes of it: another try, and no doubt about a duplicate.
    Progress progress;
    progress.now = Timestamp(Milliseconds(1'800'000'000'000));
    progress.expiresAt = progress.now + std::chrono::hours(24);
    progress.firstHandedAt = progress.now;
    RecoveryRules rules;
    rules.idempotencyWindow = webhookKind().idempotencyWindow;
    rules.onUnknown = OnUnknown::Hold;
    const Verdict verdict = verdictFor(result, progress, rules, 0.5);
    QCOMPARE(toText(verdict.state), toText(DeliveryState::Scheduled));
    QVERIFY(!verdict.possibleDuplicate);
}

void TestWebhooks::texts_holdNoPartOfTheAddressOrBody()
{
    ProviderStub stub([](StubConnection &connection, int) {
        while (const auto request = connection.readRequest())
            connection.answer(422, request->head + request->body, "Content-Type: text/plain\r\n");
    });
    const AttemptResult result =
        resultOf(*makeHttpSender({}), insideProvider(stub), urlOn(QStringLiteral("127.0.0.1"), stub));
    for (const char *leak : {"hush", "Ada", "127.0.0.1", "v1,", "whsec"})
        QVERIFY2(!result.text.contains(QLatin1String(leak)), qPrintable(result.text));
}

void TestWebhooks::cancelAll_endsLookUpsToo()
{
    TransportSettings transport;
    std::atomic_int asked = 0;
    transport.resolve = [&asked](const QString &, const std::function<void(const QStringList &)> &) { ++asked; };
    const auto sender = makeHttpSender(transport);
    std::atomic_int times = 0;
    AttemptResult result;
    sender->send(provider(), itemFor(QStringLiteral("https://example.com/")),
                 [&](const std::vector<AttemptResult> &results) {
                     result = results.front();
                     ++times;
                 });
    QTRY_COMPARE_WITH_TIMEOUT(asked.load(), 1, 30'000);
    sender->cancelAll();
    QCOMPARE(times.load(), 1);
    QCOMPARE(toText(result.outcome), toText(Outcome::Transient));
    QVERIFY(!result.left);
    sender->send(provider(), itemFor(QStringLiteral("https://example.com/")),
                 [&](const std::vector<AttemptResult> &) { ++times; });
    QTRY_COMPARE_WITH_TIMEOUT(asked.load(), 2, 30'000);
}

void TestWebhooks::check_namesTheSettingAtFault_data()
{
    QTest::addColumn<QByteArray>("secret");
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("named");
    const auto secret = [](const char *name, const QByteArray &value) {
        QTest::newRow(name) << value << QString() << QString() << QStringLiteral("signing_secrets:");
    };
    secret("empty secret", "");
    secret("prefix only", "whsec_");
    secret("other alphabet", "whsec_-_KQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    secret("blank inside", "whsec_MfKQ9r8G KYqrTwjUPD8ILPZIo2LaLaSw");
    secret("too short", "whsec_" + QByteArray("short").toBase64());
    secret("too long", "whsec_" + QByteArray(65, 'x').toBase64());
    secret("no prefix", QByteArray("a key of twenty-four bytes and more").toBase64());
    const auto option = [](const char *name, const char *value) {
        QTest::addRow("%s %s", name, value) << newSecret << QString::fromLatin1(name) << QString::fromLatin1(value)
                                            << QStringLiteral("options.%1:").arg(QLatin1String(name));
    };
    option("allow_http", "yes");
    option("allow_private", "10.0.0.0/99");
    option("allow_private", "inside");
    option("ports", "0");
    option("ports", "https");
    option("ports", "443,");
    option("ports", "65536");
}

void TestWebhooks::check_namesTheSettingAtFault()
{
    QFETCH(QByteArray, secret);
    QFETCH(QString, option);
    QFETCH(QString, value);
    QFETCH(QString, named);
    ProviderSettings settings = provider();
    QVERIFY(webhookKind().check(settings).ok());
    settings.signingSecrets = {newSecret, secret};
    if (!option.isEmpty())
        settings.options[option] = value;
    const auto checkedSettings = webhookKind().check(settings);
    QVERIFY(!checkedSettings);
    QVERIFY2(checkedSettings.error().message.startsWith(named), qPrintable(checkedSettings.error().message));
    QVERIFY(secret.size() < 10 || !checkedSettings.error().message.contains(QString::fromLatin1(secret)));
    settings = provider();
    settings.signingSecrets.clear();
    QVERIFY(!webhookKind().check(settings));
}

QTEST_GUILESS_MAIN(TestWebhooks)
#include "tst_webhooks.moc"
