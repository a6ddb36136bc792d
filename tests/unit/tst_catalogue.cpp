#include "domain/catalogue.h"

#include <QTest>

using namespace sendoff;
using namespace std::chrono_literals;

class tst_catalogue : public QObject
{
    Q_OBJECT

private:
    static Catalogue aCatalogue()
    {
        NotifyRule rule;
        rule.role = QStringLiteral("driver");
        rule.each = QStringLiteral("/drivers");
        rule.user = QStringLiteral("/id");
        rule.locale = QStringLiteral("/locale");
        rule.timeZone = QStringLiteral("/zone");
        rule.addresses = {{Channel::Email, QStringLiteral("/email")}, {Channel::Sms, QStringLiteral("/phone")}};
        rule.channels = {Channel::Email, Channel::Inbox};
        rule.templateName = QStringLiteral("booking-confirmed-driver");
        EventType type;
        type.type = QStringLiteral("booking.confirmed");
        type.category = QStringLiteral("bookings");
        type.lane = Lane::Urgent;
        type.expires = 10min;
        type.secrets = {QStringLiteral("/code")};
        type.notify = {rule};
        EventType plain;
        plain.type = QStringLiteral("a \"quoted\" type");
        Catalogue catalogue;
        catalogue.defaultLocale = QStringLiteral("de");
        catalogue.types = {{type.type, type}, {plain.type, plain}};
        return catalogue;
    }

private Q_SLOTS:
    void storedFormKeepsEverything()
    {
        const Catalogue catalogue = aCatalogue();
        const auto again = Catalogue::fromJson(catalogue.toJson());
        QVERIFY2(again.ok(), again ? "" : qPrintable(again.error().message));
        QCOMPARE(again->toJson(), catalogue.toJson());
        const EventType type = again->types.value(QStringLiteral("booking.confirmed"));
        QCOMPARE(type.lane, Lane::Urgent);
        QCOMPARE(type.expires, std::optional<Milliseconds>(10min));
        QCOMPARE(type.secrets, QStringList(QStringLiteral("/code")));
        QCOMPARE(type.notify.size(), size_t(1));
        const NotifyRule &rule = type.notify.front();
        QCOMPARE(rule.role, QStringLiteral("driver"));
        QCOMPARE(rule.each, QStringLiteral("/drivers"));
        QCOMPARE(rule.user, QStringLiteral("/id"));
        QCOMPARE(rule.locale, QStringLiteral("/locale"));
        QCOMPARE(rule.timeZone, QStringLiteral("/zone"));
        QCOMPARE(rule.addresses.value(Channel::Sms), QStringLiteral("/phone"));
        QVERIFY(rule.channels == std::vector<Channel>({Channel::Email, Channel::Inbox}));
        QCOMPARE(rule.templateName, QStringLiteral("booking-confirmed-driver"));
    }

    void storedFormIsOneTextOnly_data()
    {
        QTest::addColumn<QByteArray>("json");
        const QByteArray json = aCatalogue().toJson();
        QTest::newRow("blank") << json + ' ';
        QTest::newRow("unknown member") << QByteArray(json).replace("\"role\"", "\"rule\"");
        QTest::newRow("unknown lane") << QByteArray(json).replace("\"urgent\"", "\"fast\"");
        QTest::newRow("unknown channel") << QByteArray(json).replace("\"inbox\"", "\"fax\"");
        QTest::newRow("text as number") << QByteArray(json).replace("600000", "\"600000\"");
        QTest::newRow("cut") << json.chopped(1);
        QTest::newRow("not an object") << QByteArray("[]");
        QTest::newRow("empty") << QByteArray();
    }

    void storedFormIsOneTextOnly()
    {
        QFETCH(QByteArray, json);
        const auto parsed = Catalogue::fromJson(json);
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().code, ErrorCode::Corrupt);
    }

    void hashChangesWithEachPart()
    {
        PublishedSet set;
        set.catalogue = aCatalogue();
        set.templates = {{QStringLiteral("a/email.en.mustache"), "x"}};
        const QString hash = set.hash();
        QCOMPARE(hash.size(), 64);
        QCOMPARE(PublishedSet(set).hash(), hash);

        PublishedSet numbered = set;
        numbered.id = 7;
        QCOMPARE(numbered.hash(), hash);

        PublishedSet other = set;
        other.catalogue.defaultLocale = QStringLiteral("en");
        QVERIFY(other.hash() != hash);
        other = set;
        other.templates[QStringLiteral("a/email.en.mustache")] = "y";
        QVERIFY(other.hash() != hash);
    }

    void hashCantBeMovedBetweenNameAndContent()
    {
        PublishedSet one;
        one.templates = {{QStringLiteral("ab"), "c"}};
        PublishedSet two;
        two.templates = {{QStringLiteral("a"), "bc"}};
        QVERIFY(one.hash() != two.hash());
        PublishedSet three;
        three.templates = {{QStringLiteral("ab"), "c1:d"}};
        PublishedSet four;
        four.templates = {{QStringLiteral("ab"), "c"}, {QStringLiteral("d"), ""}};
        QVERIFY(three.hash() != four.hash());
    }

    void bulkLivesLonger()
    {
        QCOMPARE(defaultLifetime(Lane::Urgent), Milliseconds(24h));
        QCOMPARE(defaultLifetime(Lane::Normal), Milliseconds(24h));
        QCOMPARE(defaultLifetime(Lane::Bulk), Milliseconds(72h));
    }
};

QTEST_APPLESS_MAIN(tst_catalogue)
#include "tst_catalogue.moc"
