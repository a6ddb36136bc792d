#include "domain/routing.h"

#include <QSet>
#include <QTest>
#include <algorithm>

using namespace sendoff;
using namespace std::chrono_literals;

namespace {

NotifyRule aRule(std::vector<Channel> channels)
{
    NotifyRule rule;
    rule.role = QStringLiteral("driver");
    rule.user = QStringLiteral("/driver/id");
    rule.addresses = {{Channel::Email, QStringLiteral("/driver/email")}};
    rule.channels = std::move(channels);
    rule.templateName = QStringLiteral("confirmed");
    return rule;
}

EventType aType(std::vector<NotifyRule> rules)
{
    EventType type;
    type.type = QStringLiteral("booking.confirmed");
    type.category = QStringLiteral("bookings");
    type.notify = std::move(rules);
    return type;
}

Event anEvent()
{
    Event event;
    event.id = EventId(QStringLiteral("e1"));
    event.availableAt = Timestamp(1'000'000ms);
    return event;
}

RoutingRules someRules()
{
    return {{{Channel::Email, QStringLiteral("resend")},
             {Channel::Push, QStringLiteral("expo")},
             {Channel::Sms, QStringLiteral("twilio")},
             {Channel::Webhook, QStringLiteral("hook")}},
            "key"};
}

Contact aContact(const char *id, const char *user, Channel channel, const char *address)
{
    return {QString::fromUtf8(id), UserId(QString::fromUtf8(user)), channel, QString::fromUtf8(address), {}, {}};
}

Result<Routing> routed(const EventType &type, const QByteArray &payload, const std::vector<Contact> &contacts = {})
{
    return route(anEvent(), type, *parsePayload(payload), contacts, someRules(), QStringLiteral("en"));
}

// The rule "each of /to, addressed by user and to".
EventType aBatch()
{
    NotifyRule rule = aRule({Channel::Email});
    rule.each = QStringLiteral("/batch");
    rule.user = QStringLiteral("/user");
    rule.addresses = {{Channel::Email, QStringLiteral("/to")}};
    return aType({rule});
}

} // namespace

class tst_routing : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Open case OUT-03.
    void OUT_03_threePeopleWithOneAddressAreThreeMessages()
    {
        const auto routing = routed(aBatch(), R"({"batch":[{"user":"u1","to":"family@example.com"},
            {"user":"u2","to":"family@example.com"},{"user":"u3","to":"family@example.com"}]})");
        QVERIFY(routing.ok());
        QCOMPARE(routing->deliveries.size(), size_t(3));
        QCOMPARE(routing->folded, 0);
        QSet<QString> ids;
        QSet<QString> elements;
        for (const PlannedDelivery &delivery : routing->deliveries) {
            ids += delivery.id.value;
            elements += delivery.element;
            QCOMPARE(delivery.address, QStringLiteral("family@example.com"));
            QCOMPARE(delivery.state, DeliveryState::Ready);
        }
        QCOMPARE(ids.size(), 3);
        QCOMPARE(elements,
                 QSet<QString>({QStringLiteral("/batch/0"), QStringLiteral("/batch/1"), QStringLiteral("/batch/2")}));
    }

    void OUT_03_onePersonListedThreeTimesIsOneMessageAndTwoFolded_data()
    {
        QTest::addColumn<QByteArray>("user");
        QTest::newRow("with a user id") << QByteArray(R"("user":"u1",)");
        QTest::newRow("by address only") << QByteArray();
    }

    void OUT_03_onePersonListedThreeTimesIsOneMessageAndTwoFolded()
    {
        QFETCH(QByteArray, user);
        QByteArray items;
        for (const QByteArray address : {"A@example.com", " a@example.com", "a@example.com"})
            items += (items.isEmpty() ? "{" : ",{") + user + "\"to\":\"" + address + "\"}";
        const auto routing = routed(aBatch(), "{\"batch\":[" + items + "]}");
        QVERIFY(routing.ok());
        QCOMPARE(routing->deliveries.size(), size_t(1));
        QCOMPARE(routing->folded, 2);
        QCOMPARE(routing->deliveries[0].address, QStringLiteral("A@example.com"));
    }

    void OUT_03_aLaterGoodAddressOfTheSamePersonReplacesABadOne()
    {
        const auto routing =
            routed(aBatch(), R"({"batch":[{"user":"u1","to":"nonsense"},{"user":"u1","to":"a@example.com"}]})");
        QVERIFY(routing.ok());
        QCOMPARE(routing->deliveries.size(), size_t(1));
        QCOMPARE(routing->folded, 1);
        QCOMPARE(routing->deliveries[0].state, DeliveryState::Ready);
        QCOMPARE(routing->deliveries[0].element, QStringLiteral("/batch/1"));
    }

    // Open case ADR-01, the part before the provider.
    void ADR_01_addressesAreJudgedBeforeAnyCall_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("wire"); // empty: refused
        QTest::newRow("plus") << "user+tag@example.com"
                              << "user+tag@example.com";
        QTest::newRow("IDN") << QStringLiteral("user@müller.example") << "user@xn--mller-kva.example";
        QTest::newRow("A-label") << "user@xn--mller-kva.example"
                                 << "user@xn--mller-kva.example";
        QTest::newRow("capitals") << "USER@EXAMPLE.COM"
                                  << "USER@EXAMPLE.COM";
        QTest::newRow("outer blanks") << "  user@example.com "
                                      << "user@example.com";
        QTest::newRow("inner blanks") << "r  @example.com"
                                      << "";
        QTest::newRow("no domain") << "user@"
                                   << "";
        QTest::newRow("no local part") << "@example.com"
                                       << "";
        QTest::newRow("two at signs") << "user@@example.com"
                                      << "";
        QTest::newRow("empty label") << "user@example..com"
                                     << "";
        QTest::newRow("leading dot") << ".user@example.com"
                                     << "";
        QTest::newRow("trailing dot") << "user.@example.com"
                                      << "";
        QTest::newRow("local part of 65") << (QString(65, u'a') + QStringLiteral("@example.com")) << "";
        QTest::newRow("two addresses") << "a@example.com,b@example.com"
                                       << "";
        QTest::newRow("header injection") << "user@example.com\r\nBcc: x@evil.test"
                                          << "";
        QTest::newRow("line break at the end") << "user@example.com\r\n"
                                               << "";
        QTest::newRow("no at sign") << "nonsense"
                                    << "";
        QTest::newRow("quoted") << "\"a@b\"@example.com"
                                << "";
        QTest::newRow("too long") << (QStringLiteral("a@") + QString(60, u'b') + u'.' + QString(60, u'c') + u'.' +
                                      QString(60, u'd') + u'.' + QString(60, u'e') + u'.' + QString(20, u'f'))
                                  << "";
    }

    void ADR_01_addressesAreJudgedBeforeAnyCall()
    {
        QFETCH(QString, given);
        QFETCH(QString, wire);
        const auto routing = routed(aType({aRule({Channel::Email})}),
                                    "{\"driver\":{\"id\":\"u1\",\"email\":" + jsonString(given) + "}}");
        QVERIFY(routing.ok());
        QCOMPARE(routing->deliveries.size(), size_t(1));
        const PlannedDelivery &delivery = routing->deliveries[0];
        QCOMPARE(delivery.address, wire);
        QCOMPARE(delivery.state, wire.isEmpty() ? DeliveryState::Suppressed : DeliveryState::Ready);
        QCOMPARE(delivery.reason, wire.isEmpty() ? Reason::InvalidAddress : Reason::None);
        QVERIFY(!delivery.detail.contains(given));
        QVERIFY(!delivery.addressHash.isEmpty());
    }

    void phoneNumbersNeedTheirCountryCode_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("wire");
        QTest::newRow("blanks") << "+49 170 1234567"
                                << "+491701234567";
        QTest::newRow("00") << "0049170 1234567"
                            << "+491701234567";
        QTest::newRow("national") << "0170 1234567"
                                  << "";
        QTest::newRow("short") << "+123456"
                               << "";
        QTest::newRow("brackets") << "+1 (415) 555-0132"
                                  << "+14155550132";
        QTest::newRow("longer than its country's") << "+123456789012345"
                                                   << "";
        QTest::newRow("sixteen") << "+1234567890123456"
                                 << "";
        QTest::newRow("letters") << "+49 170 CALLME1234567"
                                 << "";
        QTest::newRow("two plus") << "+49+1701234567"
                                  << "";
        QTest::newRow("line break") << "+491701234567\r\n1"
                                    << "";
    }

    void phoneNumbersNeedTheirCountryCode()
    {
        QFETCH(QString, given);
        QFETCH(QString, wire);
        NotifyRule rule = aRule({Channel::Sms});
        rule.addresses = {{Channel::Sms, QStringLiteral("/driver/phone")}};
        const auto routing = routed(aType({rule}), "{\"driver\":{\"id\":\"u1\",\"phone\":" + jsonString(given) + "}}");
        QVERIFY(routing.ok());
        QCOMPARE(routing->deliveries[0].address, wire);
        QCOMPARE(routing->deliveries[0].reason, wire.isEmpty() ? Reason::InvalidAddress : Reason::None);
    }

    void payloadAddressBeatsTheContacts()
    {
        const std::vector<Contact> contacts{aContact("c1", "u1", Channel::Email, "contact@example.com")};
        const auto given = routed(aType({aRule({Channel::Email})}),
                                  R"({"driver":{"id":"u1","email":"payload@example.com"}})", contacts);
        QCOMPARE(given->deliveries[0].address, QStringLiteral("payload@example.com"));
        const auto absent = routed(aType({aRule({Channel::Email})}), R"({"driver":{"id":"u1"}})", contacts);
        QCOMPARE(absent->deliveries[0].address, QStringLiteral("contact@example.com"));
    }

    void oneMailForAPersonAndOnePushForEachDevice()
    {
        const std::vector<Contact> contacts{aContact("c1", "u1", Channel::Email, "one@example.com"),
                                            aContact("c2", "u1", Channel::Email, "two@example.com"),
                                            aContact("d1", "u1", Channel::Push, "ExponentPushToken[aaaa]"),
                                            aContact("d2", "u1", Channel::Push, "ExponentPushToken[bbbb]"),
                                            aContact("d3", "u2", Channel::Push, "ExponentPushToken[cccc]")};
        const auto routing = routed(aType({aRule({Channel::Email, Channel::Push, Channel::Inbox})}),
                                    R"({"driver":{"id":"u1"}})", contacts);
        QVERIFY(routing.ok());
        QStringList found;
        for (const PlannedDelivery &delivery : routing->deliveries)
            found += toText(delivery.key.channel) + u'/' + delivery.key.destination + u'/' + delivery.address + u'/' +
                     delivery.provider;
        QCOMPARE(found,
                 QStringList({QStringLiteral("email//one@example.com/resend"),
                              QStringLiteral("push/d1/ExponentPushToken[aaaa]/expo"),
                              QStringLiteral("push/d2/ExponentPushToken[bbbb]/expo"), QStringLiteral("inbox///")}));
        QCOMPARE(routing->deliveries[3].state, DeliveryState::Ready);
    }

    void whoGetsNothingLeavesASuppressedDelivery()
    {
        const auto noAddress = routed(aType({aRule({Channel::Email, Channel::Push})}), R"({"driver":{"id":"u1"}})");
        QVERIFY(noAddress.ok());
        QCOMPARE(noAddress->deliveries.size(), size_t(2));
        for (const PlannedDelivery &delivery : noAddress->deliveries) {
            QCOMPARE(delivery.state, DeliveryState::Suppressed);
            QCOMPARE(delivery.reason, Reason::NoAddress);
            QCOMPARE(delivery.key.recipient, QStringLiteral("u1"));
        }
        NotifyRule host = aRule({Channel::Email});
        host.role = QStringLiteral("host");
        host.user = QStringLiteral("/host/id");
        host.addresses.clear();
        const auto nobody =
            routed(aType({aRule({Channel::Email}), host}), R"({"driver":{"id":null},"host":{"id":""}})");
        QVERIFY(nobody.ok());
        QCOMPARE(nobody->deliveries.size(), size_t(2)); // two gaps are two rows
        for (const PlannedDelivery &delivery : nobody->deliveries)
            QCOMPARE(delivery.reason, Reason::NoRecipient);
        QVERIFY(nobody->deliveries[1].detail.contains(QStringLiteral("host")));
    }

    void inboxNeedsAUserId()
    {
        const auto routing =
            routed(aType({aRule({Channel::Email, Channel::Inbox})}), R"({"driver":{"email":"a@example.com"}})");
        QVERIFY(routing.ok());
        QCOMPARE(routing->deliveries[0].state, DeliveryState::Ready);
        QCOMPARE(routing->deliveries[0].key.recipient, routing->deliveries[0].addressHash);
        QCOMPARE(routing->deliveries[1].reason, Reason::NoAddress);
        QVERIFY(routing->deliveries[1].detail.contains(QStringLiteral("user id")));
    }

    void channelWithoutProviderIsHeld()
    {
        RoutingRules rules = someRules();
        rules.providers.remove(Channel::Email);
        const auto routing =
            route(anEvent(), aType({aRule({Channel::Email})}),
                  *parsePayload(R"({"driver":{"id":"u1","email":"a@example.com"}})"), {}, rules, QStringLiteral("en"));
        QCOMPARE(routing->deliveries[0].state, DeliveryState::Held);
        QCOMPARE(routing->deliveries[0].reason, Reason::Configuration);
        QCOMPARE(routing->deliveries[0].detail, QStringLiteral("no provider carries email"));
    }

    void rulesThatAllPointNowhereAreRefusedWithTheirPointers()
    {
        const auto routing = routed(aType({aRule({Channel::Email})}), R"({"diver":{"id":"u1"}})");
        QVERIFY(!routing);
        QCOMPARE(routing.error().code, ErrorCode::Invalid);
        QVERIFY(routing.error().message.contains(QStringLiteral("/driver/id, /driver/email")));
        const auto each = routed(aBatch(), R"({"batch":[{"id":1}]})");
        QVERIFY(!each);
        QVERIFY(each.error().message.contains(QStringLiteral("/batch/user")));
        const auto nobodyInvited = routed(aBatch(), R"({"batch":[]})");
        QVERIFY(nobodyInvited.ok());
        QCOMPARE(nobodyInvited->deliveries[0].reason, Reason::NoRecipient);
    }

    void numbersAreUserIdsWithAllTheirDigits()
    {
        const auto routing = routed(aType({aRule({Channel::Inbox})}), R"({"driver":{"id":9007199254740993}})");
        QCOMPARE(routing->deliveries[0].user.value, QStringLiteral("9007199254740993"));
        QVERIFY(!routed(aType({aRule({Channel::Inbox})}), R"({"driver":{}})").ok());
        QCOMPARE(routed(aType({aRule({Channel::Inbox})}), R"({"driver":{"id":{"x":1}}})")->deliveries[0].reason,
                 Reason::NoRecipient);
    }

    void localeComesFromPayloadThenContactThenDefault()
    {
        NotifyRule rule = aRule({Channel::Email});
        rule.locale = QStringLiteral("/driver/locale");
        rule.timeZone = QStringLiteral("/driver/zone");
        Contact contact = aContact("c1", "u1", Channel::Email, "a@example.com");
        contact.locale = QStringLiteral("de-AT");
        contact.timeZone = QStringLiteral("Europe/Vienna");
        const auto localeOf = [&](const QByteArray &payload, const std::vector<Contact> &contacts) {
            const PlannedDelivery delivery = routed(aType({rule}), payload, contacts)->deliveries[0];
            return delivery.locale + u' ' + delivery.timeZone;
        };
        QCOMPARE(localeOf(R"({"driver":{"id":"u1","locale":"fr","zone":"Europe/Paris"}})", {contact}),
                 QStringLiteral("fr Europe/Paris"));
        QCOMPARE(localeOf(R"({"driver":{"id":"u1"}})", {contact}), QStringLiteral("de-AT Europe/Vienna"));
        QCOMPARE(localeOf(R"({"driver":{"id":"u1"}})", {}), QStringLiteral("en "));
        const QByteArray hostile =
            "{\"driver\":{\"id\":\"u1\",\"locale\":\"../../etc\",\"zone\":\"" + QByteArray(500, 'x') + "\"}}";
        QCOMPARE(localeOf(hostile, {}), QStringLiteral("en "));
    }

    void eventOverridesLaneAndCarriesItsTimes()
    {
        Event event = anEvent();
        event.lane = Lane::Bulk;
        event.expiresAt = Timestamp(9'000'000ms);
        EventType type = aType({aRule({Channel::Inbox})});
        type.secrets = {QStringLiteral("/code")};
        const JsonValue payload = *parsePayload(R"({"driver":{"id":"u1"}})");
        const auto routing = route(event, type, payload, {}, someRules(), QStringLiteral("en"));
        const PlannedDelivery &delivery = routing->deliveries[0];
        QCOMPARE(delivery.lane, Lane::Bulk);
        QCOMPARE(delivery.lifetime, Milliseconds(72h));
        QVERIFY(delivery.dueAt == event.availableAt);
        QVERIFY(delivery.expiresAt == event.expiresAt);
        QCOMPARE(delivery.state, DeliveryState::Ready);
        QVERIFY(delivery.hasSecret);
        type.expires = 10min;
        QCOMPARE(route(event, type, payload, {}, someRules(), QStringLiteral("en"))->deliveries[0].lifetime,
                 Milliseconds(10min));
    }

    void usersAreAskedForOnce()
    {
        const auto users =
            usersOf(aBatch(), *parsePayload(R"({"batch":[{"user":"u2"},{"user":"u1"},{"to":"x"},{"user":"u2"}]})"));
        QVERIFY(users == std::vector<UserId>({UserId(QStringLiteral("u2")), UserId(QStringLiteral("u1"))}));
    }

    void aRepeatedRelayPlansTheSameDeliveries()
    {
        const QByteArray payload = R"({"driver":{"id":"u1","email":"a@example.com"}})";
        const auto once = routed(aType({aRule({Channel::Email, Channel::Inbox})}), payload);
        const auto again = routed(aType({aRule({Channel::Email, Channel::Inbox})}), payload);
        QCOMPARE(once->deliveries.size(), again->deliveries.size());
        for (size_t index = 0; index < once->deliveries.size(); ++index)
            QVERIFY(once->deliveries[index].id == again->deliveries[index].id);
        QVERIFY(once->deliveries[0].id != once->deliveries[1].id);
    }
};

QTEST_APPLESS_MAIN(tst_routing)
#include "tst_routing.moc"
