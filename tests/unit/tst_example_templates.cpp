#include "render/renderer.h"

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <toml++/toml.h>

using namespace sendoff;
using namespace sendoff::render;

namespace {

const QString resources = QStringLiteral(SENDOFF_SOURCE_DIR "/resources/");
// Two businesses that could not be more different in what they send: the parking marketplace and a web shop.
const QStringList businesses{QStringLiteral("parking"), QStringLiteral("orders")};
const QStringList locales{QStringLiteral("en"), QStringLiteral("de")};

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("can't read %s", qPrintable(path));
    return file.readAll();
}

QString member(const toml::table &table, const char *key)
{
    return QString::fromStdString(table[key].value_or(std::string()));
}

NotifyRule ruleOf(const toml::table &table)
{
    NotifyRule rule;
    rule.role = member(table, "role");
    rule.user = member(table, "user");
    rule.locale = member(table, "locale");
    rule.timeZone = member(table, "time_zone");
    rule.addresses.insert(Channel::Email, member(table, "email"));
    rule.addresses.insert(Channel::Sms, member(table, "sms"));
    rule.templateName = member(table, "template");
    for (const toml::node &channel : *table["channels"].as_array())
        rule.channels.push_back(*fromText<Channel>(QString::fromStdString(channel.value_or(std::string()))));
    return rule;
}

// Reads just what these tests need; the program's own reader has tests of its own.
PublishedSet exampleSet(const QString &business)
{
    PublishedSet set;
    const QByteArray text = contentOf(resources + business + QStringLiteral("/catalogue.toml"));
    const toml::table catalogue = toml::parse(std::string_view(text.constData(), size_t(text.size())));
    for (const toml::node &node : *catalogue["event"].as_array()) {
        const toml::table &table = *node.as_table();
        EventType type;
        type.type = member(table, "type");
        type.category = member(table, "category");
        type.lane = *fromText<Lane>(member(table, "lane"));
        type.expires = parseDuration(member(table, "expires"));
        if (const toml::array *secrets = table["secret"].as_array()) {
            for (const toml::node &secret : *secrets)
                type.secrets += QString::fromStdString(secret.value_or(std::string()));
        }
        for (const toml::node &rule : *table["notify"].as_array())
            type.notify.push_back(ruleOf(*rule.as_table()));
        set.catalogue.types.insert(type.type, type);
    }
    const QDir folder(resources + business + QStringLiteral("/templates"));
    QDirIterator files(folder.path(), QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        set.templates.insert(folder.relativeFilePath(path), contentOf(path));
    }
    return set;
}

JsonValue example(const QString &business, const QString &type)
{
    const auto parsed = parsePayload(contentOf(resources + QStringLiteral("%1/examples/%2.json").arg(business, type)));
    if (!parsed)
        qFatal("example %s: %s", qPrintable(type), qPrintable(parsed.error().message));
    return *parsed;
}

// The payload with a hostile text put at the end of every text that is not a time, a currency or a code word.
JsonValue poisoned(const JsonValue &value, const QString &poison)
{
    static const QRegularExpression plainWord(
        QStringLiteral("^(\\d{4}-\\d\\d-\\d\\d.*|[A-Z]{3}|[A-Za-z]+/[A-Za-z]+)$"));
    switch (value.kind()) {
    case JsonValue::Kind::String:
        return plainWord.match(value.text()).hasMatch() ? value : JsonValue::string(value.text() + poison);
    case JsonValue::Kind::Array: {
        std::vector<JsonValue> items;
        for (const JsonValue &item : value.items())
            items.push_back(poisoned(item, poison));
        return JsonValue::array(std::move(items));
    }
    case JsonValue::Kind::Object: {
        std::vector<JsonValue::Member> members;
        for (const auto &[name, each] : value.members())
            members.emplace_back(name, poisoned(each, poison));
        return JsonValue::object(std::move(members));
    }
    default:
        return value;
    }
}

JsonValue withoutMembers(const JsonValue &value, const QSet<QString> &names)
{
    if (value.kind() != JsonValue::Kind::Object)
        return value;
    std::vector<JsonValue::Member> members;
    for (const auto &[name, each] : value.members()) {
        if (!names.contains(name))
            members.emplace_back(name, withoutMembers(each, names));
    }
    return JsonValue::object(std::move(members));
}

JsonValue withFlag(const JsonValue &value, const QString &name, bool flag)
{
    std::vector<JsonValue::Member> members = value.members();
    for (auto &[each, member] : members) {
        if (each == name)
            member = JsonValue::boolean(flag);
    }
    return JsonValue::object(std::move(members));
}

} // namespace

class tst_example_templates : public QObject
{
    Q_OBJECT

    std::map<QString, PublishedSet> m_sets;

    void addBusinesses()
    {
        QTest::addColumn<QString>("business");
        for (const QString &business : businesses)
            QTest::newRow(qPrintable(business)) << business;
    }

    void addRows()
    {
        QTest::addColumn<QString>("business");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("templateName");
        QTest::addColumn<Channel>("channel");
        QTest::addColumn<QString>("locale");
        for (const auto &[business, set] : m_sets) {
            for (const EventType &type : set.catalogue.types)
                addRowsOf(business, type);
        }
    }

    void addRowsOf(const QString &business, const EventType &type)
    {
        for (const NotifyRule &rule : type.notify) {
            for (const Channel channel : rule.channels) {
                for (const QString &locale : locales)
                    QTest::newRow(
                        qPrintable(QStringLiteral("%1 %2 %3 %4").arg(type.type, rule.role, toText(channel), locale)))
                        << business << type.type << rule.role << rule.templateName << channel << locale;
            }
        }
    }

    RenderedMessage rendered(const JsonValue &payload) const
    {
        const QString business = *static_cast<QString *>(QTest::qData("business", qMetaTypeId<QString>()));
        const Renderer renderer(m_sets.at(business));
        RenderScope scope;
        scope.payload = &payload;
        scope.timeZone = QStringLiteral("Europe/Berlin");
        const QString locale = *static_cast<QString *>(QTest::qData("locale", qMetaTypeId<QString>()));
        const QString name = *static_cast<QString *>(QTest::qData("templateName", qMetaTypeId<QString>()));
        const Channel channel = *static_cast<Channel *>(QTest::qData("channel", qMetaTypeId<Channel>()));
        auto result = renderer.render(name, channel, locale, scope);
        if (const auto *error = std::get_if<RenderError>(&result)) {
            QTest::qFail(qPrintable(error->message), __FILE__, __LINE__);
            return {};
        }
        return std::get<RenderedMessage>(result);
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const QString &business : businesses)
            m_sets.emplace(business, exampleSet(business));
    }

    void thePublishedCheckFindsNothing_data() { addBusinesses(); }

    void thePublishedCheckFindsNothing()
    {
        QFETCH(QString, business);
        QStringList lines;
        for (const TemplateProblem &problem : templateProblems(m_sets.at(business)))
            lines += QStringLiteral("%1:%2: %3").arg(problem.file).arg(problem.line).arg(problem.message);
        QVERIFY2(lines.isEmpty(), qPrintable(lines.join(u'\n')));
    }

    void everyEventOfTheMarketplaceIsThere()
    {
        const QStringList expected{QStringLiteral("account.deleted"),        QStringLiteral("auth.password_changed"),
                                   QStringLiteral("auth.verification_code"), QStringLiteral("booking.awaiting_payment"),
                                   QStringLiteral("booking.cancelled"),      QStringLiteral("booking.checked_in"),
                                   QStringLiteral("booking.completed"),      QStringLiteral("booking.confirmed"),
                                   QStringLiteral("booking.ending_soon"),    QStringLiteral("booking.expired"),
                                   QStringLiteral("booking.extended"),       QStringLiteral("booking.rejected"),
                                   QStringLiteral("booking.requested"),      QStringLiteral("dispute.created"),
                                   QStringLiteral("dispute.updated"),        QStringLiteral("payout.paid"),
                                   QStringLiteral("payout.rejected")};
        QCOMPARE(QStringList(m_sets.at(QStringLiteral("parking")).catalogue.types.keys()), expected);
    }

    void everyEventOfTheShopIsThere()
    {
        const PublishedSet &set = m_sets.at(QStringLiteral("orders"));
        const QStringList expected{QStringLiteral("campaign.offers"),    QStringLiteral("delivery.delayed"),
                                   QStringLiteral("delivery.delivered"), QStringLiteral("delivery.out_for_delivery"),
                                   QStringLiteral("delivery.shipped"),   QStringLiteral("order.confirmed")};
        QCOMPARE(QStringList(set.catalogue.types.keys()), expected);
        // A campaign that stands in another lane would hold up confirmations.
        for (const EventType &type : set.catalogue.types)
            QCOMPARE(type.lane == Lane::Bulk, type.type.startsWith(QStringLiteral("campaign.")));
    }

    void everyEventExpiresAndSecretsSoon_data() { addBusinesses(); }

    void everyEventExpiresAndSecretsSoon()
    {
        QFETCH(QString, business);
        for (const EventType &type : m_sets.at(business).catalogue.types) {
            QVERIFY2(type.expires, qPrintable(type.type));
            QVERIFY2(type.secrets.isEmpty() || *type.expires <= maxSecretLifetime, qPrintable(type.type));
            QCOMPARE(type.category == securityCategory, type.type.startsWith(QStringLiteral("auth.")));
        }
    }

    void everyPointerOfARuleLeadsIntoItsExample_data() { addBusinesses(); }

    void everyPointerOfARuleLeadsIntoItsExample()
    {
        QFETCH(QString, business);
        for (const EventType &type : m_sets.at(business).catalogue.types) {
            const JsonValue payload = example(business, type.type);
            for (const NotifyRule &rule : type.notify) {
                for (const QString &pointer :
                     {rule.user, rule.locale, rule.timeZone, rule.addresses.value(Channel::Email),
                      rule.addresses.value(Channel::Sms)}) {
                    if (!pointer.isEmpty())
                        QVERIFY2(payload.at(pointer), qPrintable(type.type + pointer));
                }
            }
            for (const QString &secret : type.secrets)
                QVERIFY2(payload.at(secret), qPrintable(type.type + secret));
        }
    }

    void theLanguagesHaveTheSameFilesAndNoneIsUnused_data() { addBusinesses(); }

    void theLanguagesHaveTheSameFilesAndNoneIsUnused()
    {
        QFETCH(QString, business);
        const PublishedSet &set = m_sets.at(business);
        QSet<QString> used;
        for (const EventType &type : set.catalogue.types) {
            for (const NotifyRule &rule : type.notify) {
                for (const Channel channel : rule.channels)
                    used += rule.templateName + u'/' + toText(channel);
            }
        }
        for (const QString &file : set.templates.keys()) {
            const QStringList words = file.split(u'.');
            QVERIFY2(words.size() > 2 && locales.contains(words[1]), qPrintable(file));
            QVERIFY2(words[0].startsWith(QStringLiteral("partials/")) || used.contains(words[0]), qPrintable(file));
            for (const QString &locale : locales) {
                QStringList sibling = words;
                sibling[1] = locale;
                QVERIFY2(set.templates.contains(sibling.join(u'.')), qPrintable(sibling.join(u'.')));
            }
            if (words[0].endsWith(QStringLiteral("/email")))
                QVERIFY2(set.templates.contains(words[0] + u'.' + words[1] + QStringLiteral(".html.mustache")),
                         qPrintable(file));
        }
    }

    void everyMessageRendersFromItsExample_data() { addRows(); }

    void everyMessageRendersFromItsExample()
    {
        QFETCH(QString, business);
        QFETCH(QString, type);
        QFETCH(Channel, channel);
        QFETCH(QString, locale);
        const RenderedMessage message = rendered(example(business, type));
        if (QTest::currentTestFailed())
            return;
        QCOMPARE(message.locale, locale);
        const QString all = message.subject + message.title + message.link + message.text + message.html;
        QVERIFY(!all.contains(QStringLiteral("{{")) && !all.contains(QStringLiteral("}}")));
        QVERIFY(!message.text.isEmpty());
        QVERIFY(!message.text.contains(QStringLiteral("\n\n\n")));
        for (const QString &line : (message.text + u'\n' + message.html).split(u'\n'))
            QVERIFY2(line.toUtf8().size() <= 400, qPrintable(line));
        if (channel == Channel::Email) {
            QVERIFY(!message.subject.isEmpty() && message.subject.size() <= 78);
            QVERIFY(message.html.startsWith(QStringLiteral("<!DOCTYPE html>")));
            QVERIFY(message.html.contains(QStringLiteral("lang=\"%1\"").arg(locale)));
            QVERIFY(message.html.size() < 20'000); // mail programs cut from about 100 KB on; phones load it by radio
        } else if (channel == Channel::Sms) {
            QVERIFY2(message.text.trimmed().size() <= 306, qPrintable(message.text)); // two parts, by GSM-7
        } else {
            QVERIFY2(!message.title.isEmpty() && message.title.size() < 65, qPrintable(message.title));
            QVERIFY(message.link.startsWith(u'/'));
        }
        if (channel == Channel::Push)
            QVERIFY2(message.text.size() < 178, qPrintable(message.text));
    }

    void noValueReachesHtmlUnescaped_data() { addRows(); }

    void noValueReachesHtmlUnescaped()
    {
        QFETCH(QString, business);
        QFETCH(QString, type);
        QFETCH(Channel, channel);
        const QString poison = QStringLiteral("<x-y>\"'&` on=1\r\nBcc: z");
        const JsonValue plain = example(business, type);
        const RenderedMessage clean = rendered(plain);
        const RenderedMessage message = rendered(poisoned(plain, poison));
        if (QTest::currentTestFailed())
            return;
        QVERIFY(!message.html.contains(QStringLiteral("<x-y")));
        QVERIFY(!message.subject.contains(u'\n') && !message.title.contains(u'\n') && !message.link.contains(u'\n'));
        QVERIFY(!message.text.contains(QStringLiteral("&lt;")) && !message.subject.contains(QStringLiteral("&lt;")));
        for (const QChar sign : {u'<', u'>', u'"', u'\'', u'`'})
            QCOMPARE(message.html.count(sign), clean.html.count(sign));
        if (channel == Channel::Email)
            QVERIFY(message.html.contains(QStringLiteral("&lt;x-y&gt;&quot;&#39;&amp;&#96; on&#61;1")));
    }

    void optionalMembersMayBeAbsent_data() { addRows(); }

    void optionalMembersMayBeAbsent()
    {
        QFETCH(QString, business);
        QFETCH(QString, type);
        QSet<QString> optional{QStringLiteral("message"), QStringLiteral("reason"), QStringLiteral("refund"),
                               QStringLiteral("device"),  QStringLiteral("access"), QStringLiteral("vehicle"),
                               QStringLiteral("code"),    QStringLiteral("place")};
        if (type == QLatin1String("auth.verification_code"))
            optional.remove(QStringLiteral("code")); // there it is the message
        const RenderedMessage message = rendered(withoutMembers(example(business, type), optional));
        QVERIFY(!message.text.contains(QStringLiteral("\n\n\n")));
        JsonValue nameless = withoutMembers(example(business, type), optional);
        std::vector<JsonValue::Member> members = nameless.members();
        for (auto &[name, value] : members) {
            if (name != QLatin1String("space"))
                value = withoutMembers(value, {QStringLiteral("name")});
        }
        nameless = JsonValue::object(std::move(members));
        QVERIFY(!rendered(nameless).text.isEmpty());
    }

    void everyBranchRenders_data() { addRows(); }

    void everyBranchRenders()
    {
        QFETCH(QString, business);
        QFETCH(QString, type);
        QFETCH(QString, role);
        QFETCH(Channel, channel);
        const JsonValue payload = example(business, type);
        for (const QString &flag : {QStringLiteral("by_driver"), QStringLiteral("by_host"), QStringLiteral("not_paid"),
                                    QStringLiteral("resolved")}) {
            if (!payload.member(flag))
                continue;
            const RenderedMessage on = rendered(withFlag(payload, flag, true));
            const RenderedMessage off = rendered(withFlag(payload, flag, false));
            QVERIFY(!on.text.isEmpty() && !off.text.isEmpty());
            const bool isAboutSomebodyElse = flag.startsWith(QStringLiteral("by_")) && flag.mid(3) != role;
            if (channel == Channel::Email && !isAboutSomebodyElse)
                QVERIFY2(on.text != off.text && on.html != off.html, qPrintable(flag));
        }
    }

    void theSecretStaysOutOfTheSubject()
    {
        const JsonValue payload = example(QStringLiteral("parking"), QStringLiteral("auth.verification_code"));
        RenderScope scope;
        scope.payload = &payload;
        const Renderer renderer(m_sets.at(QStringLiteral("parking")));
        for (const QString &locale : locales) {
            const auto result = renderer.render(QStringLiteral("verification-code"), Channel::Email, locale, scope);
            const RenderedMessage &message = std::get<RenderedMessage>(result);
            const QString code = payload.member(u"code")->text();
            QVERIFY(!message.subject.contains(code));
            QVERIFY(message.text.contains(code) && message.html.contains(code));
        }
    }
};

QTEST_APPLESS_MAIN(tst_example_templates)
#include "tst_example_templates.moc"
