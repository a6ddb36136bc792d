#include "render/renderer.h"

#include <QTest>

using namespace sendoff;
using namespace sendoff::render;

namespace {

using Files = QMap<QString, QByteArray>;

PublishedSet setOf(const Files &files)
{
    PublishedSet set;
    set.templates = files;
    return set;
}

std::variant<RenderedMessage, RenderError> rendered(const Files &files, Channel channel, const QByteArray &payload,
                                                    const QString &locale = QStringLiteral("en"),
                                                    RenderScope scope = {})
{
    const auto parsed = parsePayload(payload);
    if (!parsed)
        qFatal("payload of the test: %s", qPrintable(parsed.error().message));
    scope.payload = &*parsed;
    return Renderer(setOf(files)).render(QStringLiteral("t"), channel, locale, scope);
}

// The text of an SMS template, or "! " and the error.
QString sms(const QByteArray &text, const QByteArray &payload, const QString &locale = QStringLiteral("en"),
            const RenderScope &scope = {})
{
    const auto result = rendered({{QStringLiteral("t/sms.en.mustache"), text}}, Channel::Sms, payload, locale, scope);
    if (const auto *error = std::get_if<RenderError>(&result))
        return QStringLiteral("! ") + error->message;
    return std::get<RenderedMessage>(result).text;
}

RenderedMessage mail(const QByteArray &html, const QByteArray &payload)
{
    const auto result = rendered({{QStringLiteral("t/email.en.mustache"), "---\nsubject: s\n---\nx"},
                                  {QStringLiteral("t/email.en.html.mustache"), html}},
                                 Channel::Email, payload);
    if (const auto *error = std::get_if<RenderError>(&result)) {
        RenderedMessage broken;
        broken.html = QStringLiteral("! ") + error->message;
        return broken;
    }
    return std::get<RenderedMessage>(result);
}

QStringList problems(const Files &files)
{
    QStringList lines;
    for (const TemplateProblem &problem : templateProblems(setOf(files)))
        lines += QStringLiteral("%1:%2: %3").arg(problem.file).arg(problem.line).arg(problem.message);
    return lines;
}

const QByteArray awkwardName = "{\"name\":\"Jack O'Neill & <b>Sons</b> \\\"x\\\"\"}";
const QString awkwardText = QStringLiteral("Jack O'Neill & <b>Sons</b> \"x\"");

} // namespace

class tst_renderer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void INJ_03_eachTargetGetsItsOwnEscaping()
    {
        const auto result =
            rendered({{QStringLiteral("t/email.en.mustache"),
                       "---\nsubject: Hi {{name}}\n---\nDear {{name}}\nhttps://x.example/?q={{name|url}}"},
                      {QStringLiteral("t/email.en.html.mustache"),
                       "<p title=\"{{name}}\">Hi {{name}}</p><a href=\"https://x.example/?q={{name|url}}\">x</a>"}},
                     Channel::Email, awkwardName);
        QVERIFY(std::holds_alternative<RenderedMessage>(result));
        const RenderedMessage &message = std::get<RenderedMessage>(result);
        QCOMPARE(message.subject, QStringLiteral("Hi ") + awkwardText);
        const QString encoded = QStringLiteral("Jack%20O%27Neill%20%26%20%3Cb%3ESons%3C%2Fb%3E%20%22x%22");
        QCOMPARE(message.text,
                 QStringLiteral("Dear ") + awkwardText + QStringLiteral("\nhttps://x.example/?q=") + encoded);
        const QString safe = QStringLiteral("Jack O&#39;Neill &amp; &lt;b&gt;Sons&lt;/b&gt; &quot;x&quot;");
        QCOMPARE(
            message.html,
            QStringLiteral("<p title=\"%1\">Hi %1</p><a href=\"https://x.example/?q=%2\">x</a>").arg(safe, encoded));
    }

    void INJ_03_smsPushAndInboxKeepTheExactCharacters()
    {
        QCOMPARE(sms("Hi {{name}}", awkwardName), QStringLiteral("Hi ") + awkwardText);
        QCOMPARE(sms("Hi {{{name}}} {{&name}}", awkwardName), QStringLiteral("Hi ") + awkwardText + u' ' + awkwardText);
        for (const Channel channel : {Channel::Push, Channel::Inbox}) {
            const QString file = QStringLiteral("t/%1.en.mustache").arg(toText(channel));
            const auto result = rendered(
                {{file, "---\ntitle: Hi {{name}}\nlink: /find?q={{name|url}}\n---\n{{name}}!"}}, channel, awkwardName);
            QVERIFY(std::holds_alternative<RenderedMessage>(result));
            const RenderedMessage &message = std::get<RenderedMessage>(result);
            QCOMPARE(message.title, QStringLiteral("Hi ") + awkwardText);
            QCOMPARE(message.text, awkwardText + u'!');
            QCOMPARE(message.link, QStringLiteral("/find?q=Jack%20O%27Neill%20%26%20%3Cb%3ESons%3C%2Fb%3E%20%22x%22"));
        }
    }

    void INJ_03_jsonStaysValid()
    {
        const auto result =
            rendered({{QStringLiteral("t/webhook.en.mustache"),
                       "{\"name\":{{name|json}},\"id\":{{id|json}},\"all\":{{list|json}}}"}},
                     Channel::Webhook,
                     "{\"name\":\"Jack \\\"x\\\" \\\\ \\n <b>\",\"id\":9007199254740993,\"list\":[1,{\"a\":\"}}\"}]}");
        QVERIFY(std::holds_alternative<RenderedMessage>(result));
        const auto parsed = parsePayload(std::get<RenderedMessage>(result).text.toUtf8());
        QVERIFY(parsed.ok());
        QCOMPARE(parsed->member(u"name")->text(), QStringLiteral("Jack \"x\" \\ \n <b>"));
        QCOMPARE(parsed->member(u"id")->text(), QStringLiteral("9007199254740993"));
        QCOMPARE(parsed->at(u"/all/1/a")->text(), QStringLiteral("}}"));
    }

    void INJ_03_anUnquotedAttributeIsNotBrokenOutOf()
    {
        const QString html = mail("<p title={{name}} id=a>", "{\"name\":\"x onclick=evil() \\t> /\"}").html;
        QCOMPARE(html, QStringLiteral("<p title=x&#32;onclick&#61;evil&#40;&#41;&#32;&#9;&#62;&#32;&#47; id=a>"));
        QCOMPARE(mail("<p title={{name}} id=a>", "{\"name\":\"\"}").html, QStringLiteral("<p title=\"\" id=a>"));
        QVERIFY(problems({{QStringLiteral("t/email.en.mustache"), "---\nsubject: s\n---\nx"},
                          {QStringLiteral("t/email.en.html.mustache"), "<p>\n<b title={{name}}>"}})
                    .filter(QStringLiteral(
                        "t/email.en.html.mustache:2: variable name stands in an attribute without quotes"))
                    .size() == 1);
    }

    void INJ_03_rawOutputIsRefusedInHtmlAndEscapedAllTheSame()
    {
        QCOMPARE(mail("{{{name}}} {{&name}}", "{\"name\":\"<b>\"}").html, QStringLiteral("&lt;b&gt; &lt;b&gt;"));
        const QStringList found = problems({{QStringLiteral("t/email.en.mustache"), "---\nsubject: s\n---\n{{{name}}}"},
                                            {QStringLiteral("t/email.en.html.mustache"), "<p>\n\n{{{name}}}"}});
        QCOMPARE(found.size(), 1);
        QVERIFY(found.first().startsWith(QStringLiteral("t/email.en.html.mustache:3: raw output of name")));
    }

    void INJ_03_noValueLandsInCodeOrMarkup_data()
    {
        QTest::addColumn<QByteArray>("html");
        QTest::newRow("script") << QByteArray("<script>var a = '{{x}}';</script>");
        QTest::newRow("style element") << QByteArray("<style>p { color: {{x}} }</style>");
        QTest::newRow("style attribute") << QByteArray("<p style=\"color: {{x}}\">");
        QTest::newRow("event attribute") << QByteArray("<p onclick='f({{x}})'>");
        QTest::newRow("tag name") << QByteArray("<{{x}}>");
        QTest::newRow("attribute name") << QByteArray("<p {{x}}=\"1\">");
        QTest::newRow("comment") << QByteArray("<!-- {{x}} -->");
        QTest::newRow("URL without quotes") << QByteArray("<a href={{x}}>");
    }

    void INJ_03_noValueLandsInCodeOrMarkup()
    {
        QFETCH(QByteArray, html);
        QVERIFY(mail(html, "{\"x\":\"1\"}").html.startsWith(QStringLiteral("! template t/email.en is broken")));
        QCOMPARE(problems({{QStringLiteral("t/email.en.mustache"), "---\nsubject: s\n---\nx"},
                           {QStringLiteral("t/email.en.html.mustache"), html}})
                     .size(),
                 1);
        QVERIFY(!mail(html + "</script></style> --><p>{{y}}", "{\"x\":\"1\",\"y\":\"2\"}")
                     .html.contains(QStringLiteral("2")));
    }

    void INJ_03_textAfterScriptsAndCommentsTakesVariablesAgain()
    {
        QCOMPARE(mail("<!-- a > b --><style>p > a { }</style><p a='>' b>{{y}}</p>", "{\"y\":\"<\"}").html,
                 QStringLiteral("<!-- a > b --><style>p > a { }</style><p a='>' b>&lt;</p>"));
    }

    void INJ_03_linksTakeOnlySafeUrls_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<bool>("safe");
        QTest::newRow("https") << "https://parking.example.com/b/7?a=1&b=2" << true;
        QTest::newRow("http") << "http://localhost:8080/" << true;
        QTest::newRow("application") << "/bookings/7" << true;
        QTest::newRow("javascript") << "javascript:alert(1)" << false;
        QTest::newRow("mixed case") << "JaVaScRiPt:alert(1)" << false;
        QTest::newRow("tab inside") << "java\\tscript:alert(1)" << false;
        QTest::newRow("leading blank") << " https://x.example/" << false;
        QTest::newRow("data") << "data:text/html,x" << false;
        QTest::newRow("other host") << "//evil.example/" << false;
        QTest::newRow("backslashes") << "/\\\\evil.example" << false;
        QTest::newRow("user name") << "https://parking.example.com@evil.example/" << false;
        QTest::newRow("no host") << "https:///x" << false;
        QTest::newRow("empty") << "" << false;
    }

    void INJ_03_linksTakeOnlySafeUrls()
    {
        QFETCH(QString, url);
        QFETCH(bool, safe);
        const QByteArray payload = "{\"u\":\"" + url.toUtf8() + "\"}";
        const auto push = rendered({{QStringLiteral("t/push.en.mustache"), "---\ntitle: t\nlink: {{u}}\n---\nx"}},
                                   Channel::Push, payload);
        QCOMPARE(std::holds_alternative<RenderedMessage>(push), safe);
        QCOMPARE(!mail("<a href=\"{{u}}\">", payload).html.startsWith(u'!'), safe);
        if (!safe && !url.isEmpty())
            QVERIFY(!std::get<RenderError>(push).message.contains(url));
    }

    void INJ_03_aVariableInsideALinkIsEncodedEvenWithoutTheFilter()
    {
        const Files files{{QStringLiteral("t/push.en.mustache"), "---\ntitle: t\nlink: /b/{{id}}\n---\nx"}};
        const auto result = rendered(files, Channel::Push, "{\"id\":\"7/../../x?a=b\"}");
        QCOMPARE(std::get<RenderedMessage>(result).link, QStringLiteral("/b/7%2F..%2F..%2Fx%3Fa%3Db"));
        QCOMPARE(problems(files),
                 QStringList(QStringLiteral("t/push.en.mustache:3: variable id is part of a link; write {{id|url}}, or "
                                            "let the variable be the whole link")));
        const QByteArray quote = "{\"id\":\"a\\\"b\"}";
        QCOMPARE(mail("<a href=\"/b/{{id}}\">", quote).html, QStringLiteral("<a href=\"/b/a%22b\">"));
    }

    void headersStayOneLine()
    {
        const auto result =
            rendered({{QStringLiteral("t/email.en.mustache"), "---\nsubject: Hi {{name}}\n---\n{{name}}"}},
                     Channel::Email, "{\"name\":\"a\\r\\nBcc: x@y.example\\u0085\\u2028\\tb\"}");
        const RenderedMessage &message = std::get<RenderedMessage>(result);
        QCOMPARE(message.subject, QStringLiteral("Hi a  Bcc: x@y.example   b"));
        QVERIFY(message.text.contains(QStringLiteral("\r\n")));
    }

    // The case's dialect writes {{#if ref}}; in ours the section is {{#ref}}.
    void TPL_01_missingRequiredVariablesFailByName_data()
    {
        QTest::addColumn<QByteArray>("payload");
        QTest::addColumn<QString>("outcome");
        QTest::newRow("nothing") << QByteArray("{}") << "! variable name missing in template t/sms.en";
        QTest::newRow("null") << QByteArray("{\"name\":null,\"code\":\"1\"}")
                              << "! variable name missing in template t/sms.en";
        QTest::newRow("misspelt") << QByteArray("{\"Name\":\"x\",\"code\":\"1\"}")
                                  << "! variable name missing in template t/sms.en";
        QTest::newRow("code missing") << QByteArray("{\"name\":\"x\"}")
                                      << "! variable code missing in template t/sms.en";
        QTest::newRow("array") << QByteArray("{\"name\":[\"x\"],\"code\":\"1\"}")
                               << "! variable name missing in template t/sms.en";
        QTest::newRow("object") << QByteArray("{\"name\":{\"x\":1},\"code\":\"1\"}")
                                << "! variable name missing in template t/sms.en";
        QTest::newRow("branch not taken") << QByteArray("{\"name\":\"x\",\"code\":\"1\"}") << "Hi x, code 1";
        QTest::newRow("branch taken") << QByteArray("{\"name\":\"x\",\"code\":\"1\",\"ref\":\"R\"}")
                                      << "Hi x, code 1 ref R";
        QTest::newRow("empty text is a value") << QByteArray("{\"name\":\"\",\"code\":\"1\"}") << "Hi , code 1";
    }

    void TPL_01_missingRequiredVariablesFailByName()
    {
        QFETCH(QByteArray, payload);
        QFETCH(QString, outcome);
        QCOMPARE(sms("Hi {{name}}, code {{code}}{{#ref}} ref {{ref}}{{/ref}}", payload), outcome);
    }

    void TPL_01_theErrorNamesThePartAndIsMarkedAsMissing()
    {
        const auto result = rendered({{QStringLiteral("t/email.en.mustache"), "---\nsubject: s\n---\nx"},
                                      {QStringLiteral("t/email.en.html.mustache"), "<p>{{driver.name}}</p>"}},
                                     Channel::Email, "{\"driver\":{}}");
        const auto *error = std::get_if<RenderError>(&result);
        QVERIFY(error);
        QCOMPARE(error->kind, RenderError::Kind::MissingVariable);
        QCOMPARE(error->message, QStringLiteral("variable driver.name missing in template t/email.en.html"));
    }

    void TPL_01_defaultsStandInForMissingNullAndEmpty()
    {
        const QByteArray text = "Hi {{name|or:dear guest}}!";
        for (const QByteArray payload : {"{}", "{\"name\":null}", "{\"name\":\"\"}"})
            QCOMPARE(sms(text, payload), QStringLiteral("Hi dear guest!"));
        QCOMPARE(sms(text, "{\"name\":\"Eve\"}"), QStringLiteral("Hi Eve!"));
        QCOMPARE(sms("{{start|or:soon|date}} {{a|url|or:x y}} {{b|or:}}.", "{}"), QStringLiteral("soon x%20y ."));
    }

    void TPL_01_noBracesUnlessFromAValue()
    {
        QCOMPARE(sms("{{a}}", "{\"a\":\"{{b}} {{{c}}}\",\"b\":\"secret\"}"), QStringLiteral("{{b}} {{{c}}}"));
        QCOMPARE(sms("x {{! a comment {{ }}y", "{}"), QStringLiteral("x y"));
        for (const QByteArray broken :
             {"{{a", "{{a}", "{{{a}}", "{{#a}}x", "{{/a}}", "{{#a}}{{#b}}{{/a}}{{/b}}", "{{}}", "{{ }}", "{{a b}}",
              "{{*a}}", "{{#if ref}}x{{/if}}", "{{=<% %>=}}<%a%>", "{{a|shout}}", "{{#a|url}}x{{/a|url}}",
              "{{a|url|url}}", "{{a|or}}", "{{a|date:x}}"}) {
            QVERIFY2(sms(broken, "{\"a\":\"1\",\"b\":\"2\",\"ref\":\"3\"}")
                         .startsWith(QStringLiteral("! template t/sms.en is broken")),
                     broken.constData());
            QVERIFY2(!problems({{QStringLiteral("t/sms.en.mustache"), broken}}).isEmpty(), broken.constData());
        }
    }

    void TPL_01_literalBracesAtASeamFormNoTag()
    {
        const auto result = rendered({{QStringLiteral("t/sms.en.mustache"), "{{>left}}{{>right}}"},
                                      {QStringLiteral("partials/left.en.mustache"), "a{"},
                                      {QStringLiteral("partials/right.en.mustache"), "{b}}"}},
                                     Channel::Sms, "{\"b\":\"secret\"}");
        QCOMPARE(std::get<RenderedMessage>(result).text, QStringLiteral("a{{b}}"));
        QCOMPARE(sms("{\"a\":{{a}}}", "{\"a\":1}"), QStringLiteral("{\"a\":1}"));
    }

    void TPL_01_aTemplateThatIsGoneIsNamed()
    {
        QCOMPARE(sms("x", "{}"), QStringLiteral("x"));
        const auto result = rendered({}, Channel::Sms, "{}", QStringLiteral("de-AT"));
        const auto &error = std::get<RenderError>(result);
        QCOMPARE(error.kind, RenderError::Kind::Broken);
        QCOMPARE(error.message, QStringLiteral("template t has no file for sms in the locales de-AT, de, en"));
    }

    void TPL_01_partialsAreBoundedInDepth()
    {
        const Files ring{{QStringLiteral("t/sms.en.mustache"), "x\n{{>a}}"},
                         {QStringLiteral("partials/a.en.mustache"), "{{>b}}{{>b}}{{>b}}"},
                         {QStringLiteral("partials/b.en.mustache"), "{{>a}}{{>a}}{{>a}}"}};
        const auto result = rendered(ring, Channel::Sms, "{}");
        QVERIFY(std::get<RenderError>(result).message.contains(QStringLiteral("partials nest deeper")));
        QCOMPARE(problems(ring).size(), 1);
        QCOMPARE(problems({{QStringLiteral("t/sms.en.mustache"), "x\n{{>absent}}"}}),
                 QStringList(QStringLiteral(
                     "t/sms.en.mustache:2: partial absent has no file for en; add partials/absent.en.mustache")));
    }

    void TPL_01_extraNamesCannotBeReplacedByThePayload()
    {
        RenderScope scope;
        scope.extra = {{QStringLiteral("unsubscribe_url"), QStringLiteral("https://x.example/u/1")}};
        const QByteArray forged = "{\"unsubscribe_url\":\"https://evil.example/\"}";
        QCOMPARE(sms("{{unsubscribe_url}}", forged, QStringLiteral("en"), scope),
                 QStringLiteral("https://x.example/u/1"));
        QCOMPARE(sms("{{unsubscribe_url}}", "{}"),
                 QStringLiteral("! variable unsubscribe_url missing in template t/sms.en"));
    }

    void sectionsFollowTheirValues_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("shown");
        QTest::newRow("true") << QByteArray("true") << "yes";
        QTest::newRow("false") << QByteArray("false") << "no";
        QTest::newRow("null") << QByteArray("null") << "no";
        QTest::newRow("text") << QByteArray("\"a\"") << "yes";
        QTest::newRow("empty text") << QByteArray("\"\"") << "no";
        QTest::newRow("number") << QByteArray("0.5") << "yes";
        QTest::newRow("zero") << QByteArray("0") << "no";
        QTest::newRow("zero with fraction") << QByteArray("-0.00e5") << "no";
        QTest::newRow("object") << QByteArray("{}") << "yes";
        QTest::newRow("empty array") << QByteArray("[]") << "no";
        QTest::newRow("array") << QByteArray("[0,null]") << "yesyes";
    }

    void sectionsFollowTheirValues()
    {
        QFETCH(QByteArray, value);
        QFETCH(QString, shown);
        QCOMPARE(sms("{{#a}}yes{{/a}}{{^a}}no{{/a}}", "{\"a\":" + value + "}"), shown);
        QCOMPARE(sms("{{#a}}yes{{/a}}{{^a}}no{{/a}}", "{}"), QStringLiteral("no"));
    }

    void sectionsNestAndSeeTheNamesAround()
    {
        QCOMPARE(sms("{{#days}}{{day}}:{{#slots}} {{from}}@{{space.name}}{{/slots}};{{/days}}{{#tags}}[{{.}}]{{/tags}} "
                     "{{days.1.day}}",
                     "{\"space\":{\"name\":\"P1\"},\"days\":[{\"day\":1,\"slots\":[{\"from\":8},{\"from\":9}]},{"
                     "\"day\":2,\"slots\":[]}],\"tags\":[\"a\",\"b\"]}"),
                 QStringLiteral("1: 8@P1 9@P1;2:;[a][b] 2"));
        QCOMPARE(sms("a\n{{#x}}\nb\n{{/x}}\n{{! gone }}\nc", "{\"x\":true}"), QStringLiteral("a\nb\nc"));
    }

    void sectionsThatMultiplyAreStopped()
    {
        QByteArray many = "[";
        for (int each = 0; each < 400; ++each)
            many += each ? ",1" : "1";
        many += "]";
        QVERIFY(sms("{{#a}}{{#a}}x{{/a}}{{/a}}", "{\"a\":" + many + "}")
                    .startsWith(QStringLiteral("! template t/sms.en repeats")));
        const QByteArray large = QByteArray(20'000, 'x');
        QVERIFY(sms("{{#a}}{{b}}{{/a}}", "{\"a\":" + many + ",\"b\":\"" + large + "\"}")
                    .startsWith(QStringLiteral("! template t/sms.en grows")));
    }

    void recipientIsTheElementsOwnObject()
    {
        RenderScope scope;
        scope.element = QStringLiteral("/guests/1");
        const QByteArray payload =
            "{\"guests\":[{\"name\":\"Ann\"},{\"name\":\"Bob\"}],\"recipient\":{\"name\":\"Eve\"}}";
        QCOMPARE(sms("{{recipient.name}}", payload, QStringLiteral("en"), scope), QStringLiteral("Bob"));
        QCOMPARE(sms("{{recipient.name}}", payload), QStringLiteral("Eve"));
        scope.element = QStringLiteral("/guests/9");
        QCOMPARE(sms("{{recipient.name}}", payload, QStringLiteral("en"), scope),
                 QStringLiteral("! variable recipient.name missing in template t/sms.en"));
    }

    void numbersAppearAsTheyWereWritten()
    {
        QCOMPARE(sms("{{id}} {{u}} {{f}} {{b}}",
                     "{\"id\":9007199254740993,\"u\":18446744073709551615,\"f\":1.0,\"b\":false}"),
                 QStringLiteral("9007199254740993 18446744073709551615 1.0 false"));
    }

    void localesFallBackToLanguageThenDefault_data()
    {
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("found");
        QTest::newRow("exact") << "de-AT"
                               << "de-AT";
        QTest::newRow("language") << "de-CH"
                                  << "de";
        QTest::newRow("default") << "fr"
                                 << "en";
        QTest::newRow("none") << ""
                              << "en";
        QTest::newRow("POSIX spelling") << "de_at.UTF-8"
                                        << "de-AT";
        QTest::newRow("script") << "de-latn-at"
                                << "de";
        QTest::newRow("rubbish") << "../../etc"
                                 << "en";
    }

    void localesFallBackToLanguageThenDefault()
    {
        QFETCH(QString, asked);
        QFETCH(QString, found);
        const Files files{{QStringLiteral("t/sms.en.mustache"), "en {{>p}}"},
                          {QStringLiteral("t/sms.de.mustache"), "de {{>p}}"},
                          {QStringLiteral("t/sms.de-AT.mustache"), "de-AT {{>p}}"},
                          {QStringLiteral("partials/p.en.mustache"), "english\n"}};
        const auto result = rendered(files, Channel::Sms, "{}", asked);
        QCOMPARE(std::get<RenderedMessage>(result).locale, found);
        QCOMPARE(std::get<RenderedMessage>(result).text, found + QStringLiteral(" english"));
    }

    void timesFollowLocaleAndZone_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("locale");
        QTest::addColumn<QString>("zone");
        QTest::addColumn<QString>("shown");
        const QByteArray all = "{{t|date}} / {{t|time}} / {{t|datetime}}";
        QTest::newRow("German") << all << "de-DE"
                                << "Europe/Berlin"
                                << "Mittwoch, 2. Dezember 2026 / 00:30 / Mittwoch, 2. Dezember 2026, 00:30";
        QTest::newRow("British") << all << "en-GB"
                                 << "Europe/London"
                                 << "Tuesday, 1 December 2026 / 23:30 / Tuesday, 1 December 2026, 23:30";
        QTest::newRow("American") << all << "en-US"
                                  << "America/New_York"
                                  << "Tuesday, December 1, 2026 / 6:30 PM / Tuesday, December 1, 2026, 6:30 PM";
        QTest::newRow("no zone") << QByteArray("{{t|time}}") << "en-GB"
                                 << ""
                                 << "23:30 UTC";
        QTest::newRow("unknown zone") << QByteArray("{{t|time}}") << "en-GB"
                                      << "Mars/Base"
                                      << "23:30 UTC";
        QTest::newRow("other language") << QByteArray("{{t|time}}") << "fr-FR"
                                        << "Europe/Paris"
                                        << "12:30 AM";
        QTest::newRow("date alone") << QByteArray("{{d|date}}") << "en-GB"
                                    << "Asia/Tokyo"
                                    << "Thursday, 3 December 2026";
        QTest::newRow("not a time") << QByteArray("{{x|date}}") << "en"
                                    << ""
                                    << "! variable x in template t/sms.en is no time; give RFC 3339 with its offset";
        QTest::newRow("no time of day")
            << QByteArray("{{d|time}}") << "en"
            << ""
            << "! variable d in template t/sms.en is no time; give RFC 3339 with its offset";
    }

    void timesFollowLocaleAndZone()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, locale);
        QFETCH(QString, zone);
        QFETCH(QString, shown);
        RenderScope scope;
        scope.timeZone = zone;
        const QByteArray payload = "{\"t\":\"2026-12-02T00:30:00+01:00\",\"d\":\"2026-12-03\",\"x\":\"soon\"}";
        const auto parsed = parsePayload(payload);
        QVERIFY(parsed.ok());
        scope.payload = &*parsed;
        const auto result =
            Renderer(setOf({{QStringLiteral("t/sms.en.mustache"), text}, {QStringLiteral("t/sms.de.mustache"), text}}))
                .render(QStringLiteral("t"), Channel::Sms, locale, scope);
        const auto *error = std::get_if<RenderError>(&result);
        QCOMPARE(error ? QStringLiteral("! ") + error->message : std::get<RenderedMessage>(result).text, shown);
    }

    void moneyKeepsItsDigits_data()
    {
        QTest::addColumn<QByteArray>("price");
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("german");
        QTest::newRow("euro") << QByteArray("{\"amount\":1250,\"currency\":\"EUR\"}") << "€12.50"
                              << "12,50_€";
        QTest::newRow("cents") << QByteArray("{\"amount\":5,\"currency\":\"USD\"}") << "$0.05"
                               << "0,05_$";
        QTest::newRow("thousands") << QByteArray("{\"amount\":123456789,\"currency\":\"GBP\"}") << "£1,234,567.89"
                                   << "1.234.567,89_£";
        QTest::newRow("no minor units") << QByteArray("{\"amount\":1250,\"currency\":\"JPY\"}") << "JPY_1,250"
                                        << "1.250_JPY";
        QTest::newRow("three digits") << QByteArray("{\"amount\":1250,\"currency\":\"KWD\"}") << "KWD_1.250"
                                      << "1,250_KWD";
        QTest::newRow("major units") << QByteArray("{\"amount\":\"12.5\",\"currency\":\"CHF\"}") << "CHF_12.50"
                                     << "12,50_CHF";
        QTest::newRow("negative") << QByteArray("{\"amount\":-1250,\"currency\":\"EUR\"}") << "-€12.50"
                                  << "-12,50_€";
        QTest::newRow("beyond a double") << QByteArray("{\"amount\":900719925474099301,\"currency\":\"EUR\"}")
                                         << "€9,007,199,254,740,993.01"
                                         << "9.007.199.254.740.993,01_€";
    }

    void moneyKeepsItsDigits()
    {
        QFETCH(QByteArray, price);
        QFETCH(QString, english);
        QFETCH(QString, german);
        const QByteArray payload = "{\"p\":" + price + "}";
        QCOMPARE(sms("{{p|money}}", payload), english.replace(u'_', QChar(0xA0)));
        const auto result = rendered({{QStringLiteral("t/sms.de.mustache"), "{{p|money}}"}}, Channel::Sms, payload,
                                     QStringLiteral("de"));
        QCOMPARE(std::get<RenderedMessage>(result).text, german.replace(u'_', QChar(0xA0)));
    }

    void moneyWithoutCurrencyOrWithAFractionOfACentIsRefused()
    {
        for (const QByteArray price :
             {"{\"amount\":1250}", "{\"amount\":12.5,\"currency\":\"EUR\"}", "{\"amount\":\"x\",\"currency\":\"EUR\"}",
              "{\"amount\":1,\"currency\":\"euro\"}", "5"})
            QVERIFY2(sms("{{p|money}}", "{\"p\":" + price + "}")
                         .startsWith(QStringLiteral("! variable p in template t/sms.en is no amount")),
                     price.constData());
        QCOMPARE(sms("{{p|money}}", "{}"), QStringLiteral("! variable p missing in template t/sms.en"));
    }

    void layoutsWrapTheHtmlBody()
    {
        const auto result =
            rendered({{QStringLiteral("t/email.en.mustache"), "---\r\nsubject: s\r\n---\r\n\r\nx\r\n"},
                      {QStringLiteral("t/email.en.html.mustache"), "---\nlayout: frame\n---\n<p>{{a}}</p>\n"},
                      {QStringLiteral("partials/frame.en.html.mustache"), "<body>\n{{>content}}\n</body>\n"}},
                     Channel::Email, "{\"a\":\"&\"}");
        QVERIFY(std::holds_alternative<RenderedMessage>(result));
        QCOMPARE(std::get<RenderedMessage>(result).html, QStringLiteral("<body>\n<p>&amp;</p>\n</body>"));
        QCOMPARE(std::get<RenderedMessage>(result).text, QStringLiteral("x"));
    }

    void problemsNameFileAndLine_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("problem");
        const QString push = QStringLiteral("t/push.en.mustache");
        const QString sms = QStringLiteral("t/sms.en.mustache");
        QTest::newRow("no title") << push << QByteArray("x") << "t/push.en.mustache:0: has no header title";
        QTest::newRow("unknown key") << push << QByteArray("---\ntitle: a\nsubject: b\n---\nx")
                                     << "t/push.en.mustache:3: unknown header key \"subject\"; there is title, link";
        QTest::newRow("sms with header") << sms << QByteArray("---\ntitle: a\n---\nx")
                                         << "t/sms.en.mustache:2: unknown header key \"title\"; this file takes none";
        QTest::newRow("open header") << push << QByteArray("---\ntitle: a\nx")
                                     << "t/push.en.mustache:1: the header block is not closed";
        QTest::newRow("twice") << push << QByteArray("---\ntitle: a\ntitle: b\n---\n")
                               << "t/push.en.mustache:3: header title stands twice";
        QTest::newRow("line after header") << push << QByteArray("---\ntitle: a\n---\n\nx\n{{#a}}")
                                           << "t/push.en.mustache:6: section a is never closed";
        QTest::newRow("broken UTF-8") << sms << QByteArray("a\xff") << "t/sms.en.mustache:0: is not valid UTF-8";
        QTest::newRow("unknown filter") << sms << QByteArray("a\nb\n{{a|shout}}")
                                        << "t/sms.en.mustache:3: unknown filter shout";
        QTest::newRow("delimiters") << sms << QByteArray("{{=<% %>=}}")
                                    << "t/sms.en.mustache:1: the delimiters can't be changed";
        QTest::newRow("channel") << "t/fax.en.mustache" << QByteArray("x")
                                 << "t/fax.en.mustache:0: unknown channel fax";
        QTest::newRow("file name") << "t/readme.txt" << QByteArray("x") << "t/readme.txt:0: is no template file";
        QTest::newRow("locale") << "t/sms.EN_gb.mustache" << QByteArray("x")
                                << "t/sms.EN_gb.mustache:0: the locale is never looked up so; write en-GB";
        QTest::newRow("html of push") << "t/push.en.html.mustache" << QByteArray("x")
                                      << "t/push.en.html.mustache:0: only email has an HTML part";
        QTest::newRow("html alone") << "t/email.en.html.mustache" << QByteArray("x")
                                    << "t/email.en.mustache:0: the text part is missing";
    }

    void problemsNameFileAndLine()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QString, problem);
        const QStringList found = problems({{file, content}});
        QVERIFY2(found.filter(problem).size() == 1, qPrintable(found.join(u'\n')));
    }

    void rulesNeedTheirTemplatesInTheDefaultLocale()
    {
        PublishedSet set = setOf({{QStringLiteral("t/sms.de.mustache"), "x"},
                                  {QStringLiteral("t/inbox.en.mustache"), "---\ntitle: a\n---\nx"}});
        NotifyRule rule;
        rule.role = QStringLiteral("driver");
        rule.channels = {Channel::Sms, Channel::Inbox};
        rule.templateName = QStringLiteral("t");
        EventType type;
        type.type = QStringLiteral("booking.confirmed");
        type.notify = {rule};
        set.catalogue.types.insert(type.type, type);
        const auto found = templateProblems(set);
        QCOMPARE(found.size(), size_t(1));
        QCOMPARE(found.front().file, QStringLiteral("t/sms.en.mustache"));
        QVERIFY(found.front().message.contains(QStringLiteral("booking.confirmed")));
        set.catalogue.defaultLocale = QStringLiteral("de");
        QCOMPARE(templateProblems(set).front().file, QStringLiteral("t/inbox.de.mustache"));
    }

    void aRendererIsReusedAcrossPayloads()
    {
        const Renderer renderer(setOf({{QStringLiteral("t/sms.en.mustache"), "{{#a}}{{b}}{{/a}}{{c|or:-}}"}}));
        for (int round = 0; round < 3; ++round) {
            const auto good = parsePayload("{\"a\":[1,2],\"b\":\"x\"}");
            const auto bad = parsePayload("{\"a\":true}");
            RenderScope scope;
            scope.payload = &*good;
            QCOMPARE(std::get<RenderedMessage>(renderer.render(QStringLiteral("t"), Channel::Sms, {}, scope)).text,
                     QStringLiteral("xx-"));
            scope.payload = &*bad;
            QVERIFY(std::holds_alternative<RenderError>(renderer.render(QStringLiteral("t"), Channel::Sms, {}, scope)));
        }
    }
};

QTEST_APPLESS_MAIN(tst_renderer)
#include "tst_renderer.moc"
