// Holds the sources to ARCHITECTURE.md: levels, who may see which library, names, folder READMEs, migrations, and what
// the headless program links. The first half plants violations: a scanner that finds nothing proves nothing.
#include "tests/architecture/source_scan.h"

#include <QLibraryInfo>
#include <QProcess>
#include <QTest>

using namespace sendoff::architecture;

namespace {

QString sourceRoot()
{
    return QStringLiteral(SENDOFF_SOURCE_DIR);
}

QString qtHeaders()
{
    return QLibraryInfo::path(QLibraryInfo::HeadersPath);
}

const SourceTree &ourSources()
{
    static const SourceTree tree =
        readTree(sourceRoot(), {QStringLiteral("engine"), QStringLiteral("ui"), QStringLiteral("app")});
    return tree;
}

SourceFile file(const char *path, const char *text)
{
    return {QString::fromUtf8(path), QString::fromUtf8(text)};
}

QByteArray lines(const QStringList &list)
{
    return '\n' + list.join(u'\n').toUtf8();
}

qsizetype filledLines(const QString &text)
{
    const QStringList all = text.split(u'\n');
    return std::count_if(all.begin(), all.end(), [](const QString &line) { return !line.trimmed().isEmpty(); });
}

} // namespace

class TestArchitecture : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void scanner_findsAnUpwardInclude()
    {
        const SourceTree tree{file("engine/domain/event.h", "#pragma once\n#include \"store/database.h\"\n"),
                              file("engine/store/database.h", "")};
        const QStringList found = levelViolations(tree);
        QCOMPARE(found.size(), 1);
        QVERIFY2(found[0].startsWith(QStringLiteral("engine/domain/event.h:2: includes \"store/database.h\" upward")),
                 lines(found));
    }

    void scanner_findsASidewaysIncludeHoweverItIsWritten_data()
    {
        QTest::addColumn<QString>("directive");
        QTest::newRow("engine root") << QStringLiteral("#include \"channel/sender.h\"");
        QTest::newRow("project root") << QStringLiteral("#include \"engine/channel/sender.h\"");
        QTest::newRow("relative") << QStringLiteral("#include \"../channel/sender.h\"");
        QTest::newRow("angle") << QStringLiteral("#  include <channel/sender.h>");
        QTest::newRow("sub-folder") << QStringLiteral("#include \"channel/resend/request.h\"");
        QTest::newRow("no such file yet") << QStringLiteral("#include \"channel/generated.h\"");
        QTest::newRow("relative, no such sibling yet") << QStringLiteral("#include \"../render/generated.h\"");
        QTest::newRow("relative, no such file yet") << QStringLiteral("#include \"../../ui/generated.h\"");
        QTest::newRow("a test's file") << QStringLiteral("#include \"tests/support/builders.h\"");
    }
    void scanner_findsASidewaysIncludeHoweverItIsWritten()
    {
        QFETCH(QString, directive);
        const SourceTree tree{{QStringLiteral("engine/store/claim.cpp"), directive + u'\n'},
                              file("engine/channel/sender.h", ""),
                              file("engine/channel/resend/request.h", "")};
        QCOMPARE(levelViolations(tree).size(), 1);
    }

    void scanner_refusesAnIncludeThroughAMacro()
    {
        QCOMPARE(levelViolations({file("engine/store/claim.cpp", "#include SENDOFF_HEADER\n")}).size(), 1);
    }

    void scanner_refusesAFolderWithoutALevel()
    {
        QCOMPARE(levelViolations({file("engine/common/misc.h", "")}).size(), 1);
    }

    void scanner_acceptsDownwardOwnAndCommentedIncludes()
    {
        const SourceTree tree{file("engine/dispatch/relay.cpp",
                                   "#include \"dispatch/relay.h\"\n#include \"relay.h\"\n"
                                   "#include \"store/database.h\"\n#include <QString>\n#include <vector>\n"
                                   "// #include \"ui/shell.h\"\n/*\n#include \"admin/audit.h\"\n*/\n"
                                   "const char *text = R\"(\n // not a comment)\";\n#include \"domain/event.h\"\n"),
                              file("engine/dispatch/relay.h", ""), file("engine/store/database.h", ""),
                              file("engine/domain/event.h", "")};
        QCOMPARE(levelViolations(tree), QStringList());
        QCOMPARE(includesOf(tree[0].text).last().line, 12);
    }

    void scanner_findsALibraryInTheWrongModule_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *path, const char *code) {
            QTest::newRow(qPrintable(QStringLiteral("%1 in %2").arg(QLatin1String(code), QLatin1String(path))))
                << QString::fromLatin1(path) << QString::fromLatin1(code);
        };
        row("engine/dispatch/a.cpp", "#include <QSqlQuery>");
        row("engine/dispatch/a.cpp", "#include <QtSql/QSqlQuery>");
        row("engine/dispatch/a.cpp", "#include <qsqlquery.h>");
        row("app/a.cpp", "#include <QtSql>");
        row("engine/admin/a.h", "class QSqlDatabase;");
        row("engine/store/a.cpp", "#include <QNetworkAccessManager>");
        row("engine/render/a.cpp", "#include <QTcpSocket>");
        row("engine/dispatch/a.cpp", "#include <QHostAddress>");
        row("engine/dispatch/a.h", "class QSslConfiguration;");
        row("ui/a.cpp", "#include <QNetworkReply>");
        row("engine/admin/a.cpp", "#include <QLabel>");
        row("engine/admin/a.cpp", "#include <QtCharts/QLineSeries>");
        row("engine/domain/a.cpp", "#include <QColor>");
        row("engine/channel/a.cpp", "#include <microhttpd.h>");
    }
    void scanner_findsALibraryInTheWrongModule()
    {
        QFETCH(QString, path);
        QFETCH(QString, code);
        const QStringList found = libraryViolations({{path, code + u'\n'}}, qtHeaders());
        QCOMPARE(found.size(), 1);
        QVERIFY2(found[0].startsWith(path + QStringLiteral(":1: ")), lines(found));
    }

    void scanner_acceptsLibrariesWhereTheyBelong()
    {
        const SourceTree tree{
            file("engine/store/a.cpp", "#include <QSqlQuery>\nQSqlQuery query;\n"),
            file("engine/channel/a.cpp", "#include <QNetworkReply>\n#include <QSslSocket>\n"),
            file("engine/sandbox/a.cpp", "#include <QTcpServer>\n"),
            file("app/a.cpp", "#include <QHostAddress>\n#include <QApplication>\n"),
            file("ui/a.cpp", "#include <QtCharts/QChartView>\n#include <QLabel>\n"),
            file("engine/domain/a.h", "#include <QString>\n// like QSqlQuery\nauto t = \"QWidget\";\n")};
        QCOMPARE(libraryViolations(tree, qtHeaders()), QStringList());
    }

    void scanner_findsAVagueTypeName_data()
    {
        QTest::addColumn<QString>("code");
        for (const char *code : {"class LeaseManager {};", "struct RetryHelper final : A {};",
                                 "struct [[nodiscard]] EventInfo\n{};", "class TimeUtils;\nclass TimeUtils {};",
                                 "class CallbackHandler : public QObject {};", "enum class DeliveryData { A };",
                                 "struct Outer::StoreImpl {};", "class PageBase {};", "using RowData = int;"})
            QTest::newRow(qPrintable(QString::fromLatin1(code).simplified())) << QString::fromLatin1(code);
    }
    void scanner_findsAVagueTypeName()
    {
        QFETCH(QString, code);
        QCOMPARE(nameViolations({{QStringLiteral("ui/a.h"), code}}).size(), 1);
    }

    void scanner_acceptsPlainTypeNames()
    {
        QCOMPARE(nameViolations({file("engine/store/a.h",
                                      "class Database {};\nclass QMimeData;\ntemplate <class Data> struct Row {};\n"
                                      "// class OldManager {};\nenum class Kind { Info, Data };\n")}),
                 QStringList());
    }

    void scanner_findsMigrationsWithGapsTwinsAndOddNames()
    {
        const auto found = [](const QStringList &names) { return migrationViolations(names).size(); };
        QCOMPARE(found({QStringLiteral("0001_start.sql"), QStringLiteral("0002_more.sql")}), 0);
        QCOMPARE(found({QStringLiteral("0001_start.sql"), QStringLiteral("0003_more.sql")}), 1);
        QCOMPARE(found({QStringLiteral("0001_a.sql"), QStringLiteral("0001_b.sql")}), 1);
        QCOMPARE(found({QStringLiteral("0002_a.sql")}), 1);
        QCOMPARE(found({QStringLiteral("0001_a.sql"), QStringLiteral("2_b.sql")}), 1);
    }

    void scanner_findsScreenLibraries()
    {
        QCOMPARE(
            screenLibraries(QStringLiteral("\tlibQt6Core.so.6 => /usr/lib/libQt6Core.so.6\n"
                                           "\tlibQt6Gui.so.6 => /usr/lib/libQt6Gui.so.6\n\tlibQt6Charts.so.6 => x\n"
                                           "\tlibQt6Widgets.so.6 => y\n\tlibQt6Sql.so.6 => z\n"))
                .size(),
            3);
    }

    void sources_includeOnlyFromLowerLevels()
    {
        QVERIFY2(ourSources().size() > 20, "the sources were not found");
        const QStringList found = levelViolations(ourSources());
        QVERIFY2(found.isEmpty(), lines(found));
    }

    void sources_useLibrariesOnlyWhereTheyBelong()
    {
        QVERIFY2(QFileInfo(qtHeaders() + QStringLiteral("/QtNetwork/QTcpSocket")).isFile(),
                 "Qt's headers were not found, so header names can't be told apart");
        const QStringList found = libraryViolations(ourSources(), qtHeaders());
        QVERIFY2(found.isEmpty(), lines(found));
    }

    void sources_nameTypesForWhatTheyAre()
    {
        const QStringList found = nameViolations(ourSources());
        QVERIFY2(found.isEmpty(), lines(found));
    }

    void engineFolders_haveAReadmeOfFiveToFifteenLines()
    {
        const QDir engine(sourceRoot() + QStringLiteral("/engine"));
        const QStringList folders = engine.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(!folders.isEmpty());
        QStringList wrong;
        for (const QString &folder : folders) {
            QFile readme(engine.filePath(folder + QStringLiteral("/README.md")));
            if (!readme.open(QIODevice::ReadOnly)) {
                wrong.append(QStringLiteral("engine/%1/README.md is missing").arg(folder));
                continue;
            }
            const qsizetype count = filledLines(QString::fromUtf8(readme.readAll()));
            if (count < 5 || count > 15)
                wrong.append(QStringLiteral("engine/%1/README.md has %2 lines, not 5 to 15").arg(folder).arg(count));
        }
        QVERIFY2(wrong.isEmpty(), lines(wrong));
    }

    void migrations_areNumberedWithoutGaps()
    {
        const QStringList names = QDir(sourceRoot() + QStringLiteral("/resources/migrations"))
                                      .entryList({QStringLiteral("*.sql")}, QDir::Files);
        QVERIFY2(!names.isEmpty(), "resources/migrations holds no .sql file");
        const QStringList found = migrationViolations(names);
        QVERIFY2(found.isEmpty(), lines(found));
    }

    void headlessProgram_loadsNoScreenLibrary()
    {
        const QString program = QStringLiteral(SENDOFF_BINARY_DIR "/app/sendoffd");
        QVERIFY2(QFileInfo(program).isExecutable(), qPrintable(program + QStringLiteral(" is not built")));
        QProcess ldd;
        ldd.start(QStringLiteral("ldd"), {program});
        QVERIFY2(ldd.waitForFinished(60000), "ldd did not end");
        const QString answer = QString::fromLocal8Bit(ldd.readAllStandardOutput());
        QVERIFY2(answer.contains(QStringLiteral("libQt6Core.so")), "ldd did not list the libraries");
        const QStringList found = screenLibraries(answer);
        QVERIFY2(found.isEmpty(), lines(found));
    }
};

QTEST_GUILESS_MAIN(TestArchitecture)
#include "tst_architecture.moc"
