#include "domain/filter.h"

#include "domain/filter_completion.h"

#include <QRandomGenerator>
#include <QTest>

using namespace sendoff;
using namespace std::chrono_literals;

namespace {

using Op = FilterTerm::Operator;

// Texts that tempt a grammar: its own signs, quotes, blanks of all kinds, other scripts.
QString oddText(QRandomGenerator &random)
{
    static const QStringList pieces{QStringLiteral("a"), QStringLiteral("Z"),      QStringLiteral("7"),
                                    QStringLiteral(" "), QStringLiteral("\t"),     QStringLiteral(","),
                                    QStringLiteral(":"), QStringLiteral("\""),     QStringLiteral("\\"),
                                    QStringLiteral("<"), QStringLiteral(">"),      QStringLiteral("-"),
                                    QStringLiteral("!"), QStringLiteral("'"),      QStringLiteral("%"),
                                    QStringLiteral("ʼ"), QStringLiteral("\u00a0"), QStringLiteral("😀"),
                                    QStringLiteral("é"), QStringLiteral("\n"),     QStringLiteral("state:dead")};
    QString text;
    for (int left = random.bounded(6); left > 0; --left)
        text += pieces[random.bounded(int(pieces.size()))];
    return text;
}

const QStringList closedFields{QStringLiteral("channel"),  QStringLiteral("lane"),    QStringLiteral("state"),
                               QStringLiteral("reason"),   QStringLiteral("outcome"), QStringLiteral("unknown"),
                               QStringLiteral("duplicate")};
const QStringList numberFields{QStringLiteral("attempts"), QStringLiteral("set"), QStringLiteral("operation")};
const QStringList timeFields{QStringLiteral("age"), QStringLiteral("due"), QStringLiteral("ended")};

FilterTerm randomTerm(QRandomGenerator &random)
{
    FilterTerm term;
    term.field = filterFields()[random.bounded(int(filterFields().size()))];
    term.isNegated = random.bounded(3) == 0;
    const Op side = random.bounded(2) == 0 ? Op::Above : Op::Below;
    if (timeFields.contains(term.field)) {
        term.op = side;
        term.duration = Milliseconds(random.bounded(2) == 0 ? random.bounded(100'000) : random.bounded(90) * 60'000);
        return term;
    }
    if (term.field == QStringLiteral("attempts") && random.bounded(2) == 0) {
        term.op = side;
        term.number = random.bounded(12);
        return term;
    }
    for (int left = 1 + random.bounded(3); left > 0; --left) {
        if (closedFields.contains(term.field)) {
            const QStringList words = completionAt(term.field + u':', term.field.size() + 1).candidates;
            term.values += words[random.bounded(int(words.size()))];
        } else if (numberFields.contains(term.field)) {
            term.values += QString::number(random.bounded(1000));
        } else {
            term.values += oddText(random);
        }
    }
    return term;
}

Filter randomFilter(QRandomGenerator &random)
{
    Filter filter;
    for (int left = random.bounded(6); left > 0; --left)
        filter.terms.push_back(randomTerm(random));
    return filter;
}

} // namespace

class tst_filter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsEachKindOfTerm()
    {
        const auto filter = Filter::parse(QStringLiteral(
            "  state:dead,unknown channel:email\tcode:429 age>1h age<2d user:\"u \\\"1\\\" \\\\\" tenant:\"\" "));
        QVERIFY2(filter.ok(), filter ? "" : qPrintable(filter.error().message));
        QCOMPARE(filter->terms.size(), size_t(7));
        QCOMPARE(filter->terms[0].field, QStringLiteral("state"));
        QCOMPARE(filter->terms[0].values, QStringList({QStringLiteral("dead"), QStringLiteral("unknown")}));
        QCOMPARE(filter->terms[3].op, FilterTerm::Operator::Older);
        QCOMPARE(filter->terms[3].duration, Milliseconds(1h));
        QCOMPARE(filter->terms[4].op, FilterTerm::Operator::Younger);
        QCOMPARE(filter->terms[4].duration, Milliseconds(48h));
        QCOMPARE(filter->terms[5].values, QStringList(QStringLiteral("u \"1\" \\")));
        QCOMPARE(filter->terms[6].values, QStringList(QString()));
        QVERIFY(Filter::parse(QString())->isEmpty());
        QVERIFY(Filter::parse(QStringLiteral(" \n"))->isEmpty());
    }

    void mistakesNameTheirPosition_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("position");
        QTest::addColumn<QString>("names");
        QTest::newRow("unknown field") << "state:dead stat:dead" << 12 << "tenant";
        QTest::newRow("bare word") << "dead" << 1 << "state";
        QTest::newRow("field in capitals") << "State:dead" << 1 << "state";
        QTest::newRow("unknown state") << "state:dead,deaf" << 12 << "discarded";
        QTest::newRow("unknown channel") << "channel:fax" << 9 << "inbox";
        QTest::newRow("unknown lane") << "lane:fast" << 6 << "bulk";
        QTest::newRow("unknown reason") << "reason:x" << 8 << "worker_lost";
        QTest::newRow("unknown outcome") << "outcome:ok" << 9 << "accepted";
        QTest::newRow("no value") << "state:" << 7 << "\"\"";
        QTest::newRow("no value after comma") << "user:a, user:b" << 8 << "\"\"";
        QTest::newRow("no colon") << "user=a" << 5 << "colon";
        QTest::newRow("no sign at the end") << "user" << 5 << "colon";
        QTest::newRow("wrong sign") << "user>a" << 5 << "colon";
        QTest::newRow("age with colon") << "age:1h" << 4 << "age>1h";
        QTest::newRow("due without a sign") << "due" << 4 << "due>1h";
        QTest::newRow("comparison of a text") << "-user<a" << 6 << "colon";
        QTest::newRow("word with a comparison") << "state:>dead" << 7 << "discarded";
        QTest::newRow("negated unknown field") << "-stat:dead" << 2 << "tenant";
        QTest::newRow("two negations") << "--state:dead" << 2 << "unknown field";
        QTest::newRow("attempts in words") << "attempts:three" << 10 << "digits";
        QTest::newRow("attempts below zero") << "attempts>-1" << 10 << "digits";
        QTest::newRow("attempts too large") << "attempts>1234567890123456789" << 10 << "digits";
        QTest::newRow("set in words") << "set:1,latest" << 7 << "digits";
        QTest::newRow("yes or no") << "duplicate:true" << 11 << "yes, no";
        QTest::newRow("half a character")
            << (QStringLiteral("user:a") + QChar(0xd83d) + QStringLiteral("b")) << 7 << "surrogate";
        QTest::newRow("bad duration") << "age>1y" << 5 << "15m";
        QTest::newRow("negative duration") << "age>-1h" << 5 << "15m";
        QTest::newRow("several ages") << "age>1h,2h" << 7 << "blank";
        QTest::newRow("open quote") << "user:\"abc" << 6 << "never closed";
        QTest::newRow("odd escape") << "user:\"a\\n\"" << 8 << "backslash";
        QTest::newRow("escape at the end") << "user:\"a\\" << 8 << "backslash";
        QTest::newRow("quote inside") << "user:a\"b" << 7 << "quotes";
        QTest::newRow("text behind a quote") << "user:\"a\"b" << 9 << "blank";
        QTest::newRow("NUL") << (QStringLiteral("user:a") + QChar(0) + QStringLiteral("b")) << 7 << "U+0000";
        QTest::newRow("too long") << (QStringLiteral("user:") + QString(9000, u'a')) << 8001 << "8000";
    }

    void mistakesNameTheirPosition()
    {
        QFETCH(QString, text);
        QFETCH(int, position);
        QFETCH(QString, names);
        FilterProblem problem;
        const auto filter = Filter::parse(text, FilterRows::Deliveries, &problem);
        QVERIFY(!filter);
        QCOMPARE(problem.position, position - 1);
        QVERIFY(problem.position + problem.length <= text.size());
        QCOMPARE(problem.length == 0, problem.position == text.size());
        QVERIFY(filter.error().message.endsWith(QStringLiteral(": ") + problem.message));
        QCOMPARE(filter.error().code, ErrorCode::Invalid);
        const QString message = filter.error().message;
        QVERIFY2(message.startsWith(QStringLiteral("filter, position %1: ").arg(position)), qPrintable(message));
        QVERIFY2(message.contains(names), qPrintable(message));
        QVERIFY(!message.contains(QChar(0)));
    }

    void INJ_01_hostileTextIsAValueAndNothingElse_data()
    {
        QTest::addColumn<QString>("value");
        for (const char *text : {"'", "\"", "x' OR '1'='1", "'; DROP TABLE outbox;--", "%", "_", "\\",
                                 "id DESC; SELECT pg_sleep(5)", "(CASE WHEN 1=1 THEN id ELSE created_at END)",
                                 "ASC, (SELECT 1)", "ʼ OR 1=1", "", " ", "a,b", "state:dead"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }

    void INJ_01_hostileTextIsAValueAndNothingElse()
    {
        QFETCH(QString, value);
        Filter filter;
        filter.terms.push_back({QStringLiteral("tenant"), FilterTerm::Operator::Equals, {value}, {}});
        const auto again = Filter::parse(filter.toText());
        QVERIFY2(again.ok(), again ? "" : qPrintable(again.error().message));
        QCOMPARE(again->terms.size(), size_t(1));
        QCOMPARE(again->terms[0].values, QStringList(value));
        const auto fromJson = Filter::fromJson(filter.toJson());
        QVERIFY(fromJson.ok());
        QCOMPARE(fromJson->terms[0].values, QStringList(value));
    }

    void INJ_01_hostileFieldsAndNulAreRefused()
    {
        for (const char *text : {"id DESC; SELECT pg_sleep(5)", "(CASE:1", "'; DROP:1", "ASC, (SELECT 1)"})
            QVERIFY(!Filter::parse(QString::fromUtf8(text)));
        QVERIFY(!Filter::parse(QStringLiteral("tenant:x\0y")));
    }

    void comparisonsAndNegationsHaveOneForm()
    {
        const auto filter = Filter::parse(QStringLiteral(
            "age:>1h due<10m ended:<60m attempts>3 attempts:007,0 !state:dead -age<1d error:429 domain:Example.COM"));
        QVERIFY2(filter.ok(), filter ? "" : qPrintable(filter.error().message));
        QCOMPARE(filter->terms[3].op, Op::Above);
        QCOMPARE(filter->terms[3].number, 3);
        QVERIFY(filter->terms[5].isNegated);
        QCOMPARE(filter->terms[7].field, QStringLiteral("code"));
        QCOMPARE(filter->toText(), QStringLiteral("domain:example.com -state:dead code:429 attempts:0,7 attempts>3 "
                                                  "-age<1d age>1h due<10m ended<1h"));
        Filter byHand;
        byHand.terms.push_back({QStringLiteral("domain"), Op::Equals, {QStringLiteral("EXAMPLE.com")}, {}});
        QCOMPARE(byHand.toText(), QStringLiteral("domain:example.com"));
    }

    void eventsHaveFieldsAndStatesOfTheirOwn()
    {
        const auto filter = Filter::parse(
            QStringLiteral("state:rejected,pending -type:a age>1h reason:\"no such type\" tenant:t id:e1 event:e2"),
            FilterRows::Events);
        QVERIFY2(filter.ok(), filter ? "" : qPrintable(filter.error().message));
        QCOMPARE(filter->toText(), QStringLiteral("id:e1 event:e2 -type:a tenant:t state:pending,rejected "
                                                  "reason:\"no such type\" age>1h"));
        QCOMPARE(*Filter::fromJson(filter->toJson(), FilterRows::Events)->terms.cbegin(), filter->canonical().terms[0]);
        QVERIFY(!Filter::parse(QStringLiteral("state:rejected")));
        QVERIFY(!Filter::parse(QStringLiteral("state:dead"), FilterRows::Events));
        FilterProblem problem;
        const auto wrong = Filter::parse(QStringLiteral("type:a channel:email"), FilterRows::Events, &problem);
        QVERIFY(!wrong);
        QCOMPARE(problem.position, 7);
        QCOMPARE(problem.length, 7);
        QVERIFY(wrong.error().message.contains(QStringLiteral("id, event, type, tenant, state, reason, age")));
    }

    void textAndJsonAreTheSameFilter()
    {
        QRandomGenerator random(7);
        for (int round = 0; round < 3'000; ++round) {
            const Filter filter = randomFilter(random);
            const QString text = filter.toText();
            const QByteArray json = filter.toJson();
            const auto fromText = Filter::parse(text);
            QVERIFY2(fromText.ok(), qPrintable(text));
            const auto fromJson = Filter::fromJson(json);
            QVERIFY2(fromJson.ok(), json.constData());
            QVERIFY2(fromText->terms == filter.canonical().terms, qPrintable(text));
            QVERIFY2(fromJson->terms == filter.canonical().terms, json.constData());
            QCOMPARE(fromJson->toText(), text);
            QCOMPARE(fromText->toJson(), json);
        }
        QCOMPARE(Filter::parse(QStringLiteral("-channel:sms state:unknown,dead age>1h attempts<3 -due>10m"))->toJson(),
                 QByteArray("[{\"field\":\"channel\",\"not\":[\"sms\"]},"
                            "{\"field\":\"state\",\"is\":[\"dead\",\"unknown\"]},"
                            "{\"field\":\"attempts\",\"below\":3},"
                            "{\"field\":\"age\",\"above\":3600000},"
                            "{\"field\":\"due\",\"notAbove\":600000}]"));
        QCOMPARE(Filter{}.toJson(), QByteArray("[]"));
        QVERIFY(Filter::fromJson("[]")->isEmpty());
    }

    void shuffledFiltersHaveOneTextAndOneJson()
    {
        QRandomGenerator random(11);
        for (int round = 0; round < 500; ++round) {
            const Filter filter = randomFilter(random);
            Filter shuffled = filter;
            std::shuffle(shuffled.terms.begin(), shuffled.terms.end(), random);
            for (FilterTerm &term : shuffled.terms) {
                std::shuffle(term.values.begin(), term.values.end(), random);
                if (!term.values.isEmpty())
                    term.values += term.values.first();
            }
            shuffled.terms.insert(shuffled.terms.end(), filter.terms.cbegin(), filter.terms.cend());
            QCOMPARE(shuffled.toText(), filter.toText());
            QCOMPARE(shuffled.toJson(), filter.toJson());
        }
    }

    void problemsAlwaysPointIntoTheText()
    {
        QRandomGenerator random(13);
        int mistakes = 0;
        for (int round = 0; round < 5'000; ++round) {
            QString text = randomFilter(random).toText();
            for (int left = random.bounded(4); left > 0 && !text.isEmpty(); --left) { // broken somewhere
                const int at = random.bounded(int(text.size()));
                if (random.bounded(2) == 0)
                    text.remove(at, 1);
                else
                    text.insert(at, oddText(random));
            }
            FilterProblem problem;
            const auto filter = Filter::parse(text, FilterRows::Deliveries, &problem);
            (void)completionAt(text, random.bounded(int(text.size()) + 1));
            if (filter) {
                QCOMPARE(Filter::parse(filter->toText())->terms, filter->canonical().terms);
                continue;
            }
            ++mistakes;
            QVERIFY(problem.position >= 0 && problem.position + problem.length <= text.size());
            QCOMPARE(problem.length == 0, problem.position == text.size());
            QVERIFY(!problem.message.isEmpty());
        }
        QVERIFY(mistakes > 1'000);
    }

    void brokenJsonIsRefusedWithItsTerm_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("names");
        QTest::newRow("no JSON") << QByteArray("state:dead") << "filter: ";
        QTest::newRow("no list") << QByteArray("{}") << "list of terms";
        QTest::newRow("no object") << QByteArray("[1]") << "term 1";
        QTest::newRow("no field") << QByteArray("[{\"is\":[\"a\"]}]") << "term 1";
        QTest::newRow("unknown field") << QByteArray(
                                              "[{\"field\":\"user\",\"is\":[\"a\"]},{\"field\":\"x\",\"is\":[\"a\"]}]")
                                       << "term 2: unknown field \"x\"";
        QTest::newRow("unknown word") << QByteArray("[{\"field\":\"state\",\"is\":[\"deaf\"]}]") << "discarded";
        QTest::newRow("no values") << QByteArray("[{\"field\":\"user\",\"is\":[]}]") << "not empty";
        QTest::newRow("value is no text") << QByteArray("[{\"field\":\"set\",\"is\":[1]}]") << "quotes";
        QTest::newRow("text compared") << QByteArray("[{\"field\":\"user\",\"above\":1}]") << "can't be compared";
        QTest::newRow("time equal") << QByteArray("[{\"field\":\"age\",\"is\":[\"1h\"]}]") << "above";
        QTest::newRow("fraction") << QByteArray("[{\"field\":\"age\",\"above\":1.5}]") << "whole number";
        QTest::newRow("eleven years") << QByteArray("[{\"field\":\"age\",\"above\":347000000000}]") << "ten years";
        QTest::newRow("no condition") << QByteArray("[{\"field\":\"user\",\"like\":[\"a\"]}]") << "notAbove";
        QTest::newRow("two conditions") << QByteArray("[{\"field\":\"user\",\"is\":[\"a\"],\"not\":[\"b\"]}]")
                                        << "one condition";
    }

    void brokenJsonIsRefusedWithItsTerm()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, names);
        const auto filter = Filter::fromJson(json);
        QVERIFY(!filter);
        QCOMPARE(filter.error().code, ErrorCode::Invalid);
        QVERIFY2(filter.error().message.contains(names), qPrintable(filter.error().message));
    }

    void completionKnowsWhatMayStandThere_data()
    {
        using Kind = FilterCompletion::Kind;
        QTest::addColumn<QString>("text"); // "|" is the cursor
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<QString>("replaced");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("candidates");
        QTest::newRow("nothing yet") << "|" << Kind::Field << ""
                                     << ""
                                     << "" << filterFields().join(u' ');
        QTest::newRow("a new term") << "state:dead |" << Kind::Field << ""
                                    << ""
                                    << "" << filterFields().join(u' ');
        QTest::newRow("a field") << "state:dead t|" << Kind::Field << "t"
                                 << ""
                                 << "t"
                                 << "type tenant";
        QTest::newRow("a negated field") << "-ch|" << Kind::Field << "ch"
                                         << ""
                                         << "ch"
                                         << "channel";
        QTest::newRow("only the sign") << "-|" << Kind::Field << ""
                                       << ""
                                       << "" << filterFields().join(u' ');
        QTest::newRow("within a field") << "st|ate:dead" << Kind::Field << "state"
                                        << ""
                                        << "st"
                                        << "state";
        QTest::newRow("no such field") << "zz|" << Kind::Field << "zz"
                                       << ""
                                       << "zz"
                                       << "";
        QTest::newRow("an operator") << "lane|" << Kind::Operator << ""
                                     << "lane"
                                     << ""
                                     << ":";
        QTest::newRow("a time's operator") << "age|" << Kind::Operator << ""
                                           << "age"
                                           << ""
                                           << "> <";
        QTest::newRow("a number's operator") << "attempts|" << Kind::Operator << ""
                                             << "attempts"
                                             << ""
                                             << ": > <";
        QTest::newRow("a comparison") << "age:|" << Kind::Operator << ""
                                      << "age"
                                      << ""
                                      << "> <";
        QTest::newRow("a duration") << "age:>1|" << Kind::Word << "1"
                                    << "age"
                                    << "1"
                                    << "1h 1d 10m";
        QTest::newRow("a word") << "state:d|" << Kind::Word << "d"
                                << "state"
                                << "d"
                                << "delivered discarded dead";
        QTest::newRow("a second word") << "state:dead,un|,held x" << Kind::Word << "un"
                                       << "state"
                                       << "un"
                                       << "unknown";
        QTest::newRow("a word again") << "state:d|ead" << Kind::Word << "dead"
                                      << "state"
                                      << "d"
                                      << "delivered discarded dead";
        QTest::newRow("a stored value") << "-user:u|1 x" << Kind::StoredValue << "u1"
                                        << "user"
                                        << "u"
                                        << "";
        QTest::newRow("in quotes") << "user:\"a b,|" << Kind::StoredValue << "\"a b,"
                                   << "user"
                                   << "a b,"
                                   << "";
        QTest::newRow("behind an alias") << "error:4|" << Kind::StoredValue << "4"
                                         << "code"
                                         << "4"
                                         << "";
        QTest::newRow("in a number") << "attempts>1|" << Kind::None << "1"
                                     << "attempts"
                                     << "1"
                                     << "";
        QTest::newRow("behind rubbish") << "zz:a|" << Kind::None << ""
                                        << ""
                                        << ""
                                        << "";
    }

    void completionKnowsWhatMayStandThere()
    {
        QFETCH(QString, text);
        QFETCH(FilterCompletion::Kind, kind);
        QFETCH(QString, replaced);
        QFETCH(QString, field);
        QFETCH(QString, typed);
        QFETCH(QString, candidates);
        const qsizetype cursor = text.indexOf(u'|');
        text.remove(cursor, 1);
        const FilterCompletion completion = completionAt(text, cursor);
        QCOMPARE(completion.kind, kind);
        QCOMPARE(text.mid(completion.position, completion.length), replaced);
        QCOMPARE(completion.field, field);
        QCOMPARE(completion.typed, typed);
        QStringList expected = candidates.split(u' ', Qt::SkipEmptyParts);
        QStringList found = completion.candidates;
        expected.sort();
        found.sort();
        QCOMPARE(found, expected);
    }

    void completionOfEventsOffersTheirStates()
    {
        QCOMPARE(completionAt(QStringLiteral("state:"), 6, FilterRows::Events).candidates,
                 QStringList({QStringLiteral("pending"), QStringLiteral("relayed"), QStringLiteral("rejected")}));
    }

    void equalFiltersHaveOneText()
    {
        const auto one =
            Filter::parse(QStringLiteral("age>60m state:unknown,dead  user:\"u1\" state:dead,dead,unknown"));
        const auto two = Filter::parse(QStringLiteral("user:u1 state:dead,unknown age>1h"));
        QVERIFY(one.ok() && two.ok());
        QCOMPARE(one->toText(), QStringLiteral("user:u1 state:dead,unknown age>1h"));
        QCOMPARE(two->toText(), one->toText());
        QCOMPARE(Filter::parse(one->toText())->toText(), one->toText());
    }

    void eachFieldIsReadable()
    {
        for (const FilterRows rows : {FilterRows::Deliveries, FilterRows::Events}) {
            for (const QString &field : filterFields(rows)) {
                const bool isTime = timeFields.contains(field);
                const bool isNumber = numberFields.contains(field);
                const QString text = field + (isTime     ? QStringLiteral(">1h")
                                              : isNumber ? QStringLiteral(":1")
                                                         : QStringLiteral(":none"));
                const auto filter = Filter::parse(text, rows);
                QVERIFY2(filter.ok() || filter.error().message.contains(QStringLiteral("unknown ") + field),
                         qPrintable(text));
            }
        }
        QCOMPARE(filterFields().size(), 27);
        QCOMPARE(filterFields(FilterRows::Events).size(), 7);
    }
};

QTEST_APPLESS_MAIN(tst_filter)
#include "tst_filter.moc"
