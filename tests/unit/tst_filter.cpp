#include "domain/filter.h"

#include <QTest>

using namespace sendoff;
using namespace std::chrono_literals;

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
        const auto filter = Filter::parse(text);
        QVERIFY(!filter);
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
    }

    void INJ_01_hostileFieldsAndNulAreRefused()
    {
        for (const char *text : {"id DESC; SELECT pg_sleep(5)", "(CASE:1", "'; DROP:1", "ASC, (SELECT 1)"})
            QVERIFY(!Filter::parse(QString::fromUtf8(text)));
        QVERIFY(!Filter::parse(QStringLiteral("tenant:x\0y")));
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
        QCOMPARE(filterFields().size(), 16);
        for (const QString &field : filterFields()) {
            if (field == QStringLiteral("age"))
                continue;
            const auto filter = Filter::parse(field + QStringLiteral(":none"));
            QVERIFY(filter.ok() || filter.error().message.contains(QStringLiteral("unknown ") + field));
        }
    }
};

QTEST_APPLESS_MAIN(tst_filter)
#include "tst_filter.moc"
