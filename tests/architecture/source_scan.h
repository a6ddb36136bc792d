// Reads our sources as text and says where they break the levels, the Qt rules or the naming rules. Pure functions over
// a SourceTree, so that a test can plant a violation; nothing here compiles or preprocesses. Any thread; no state.
// Paths are relative to the project's root, with '/'. Every finding is one line "path:line: what is wrong".
#pragma once

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QVector>

#include <algorithm>
#include <optional>

namespace sendoff::architecture {

struct SourceFile
{
    QString path;
    QString text;
};
using SourceTree = QVector<SourceFile>;

/// What an include directive names, and the line (from 1) it stands on. Empty `target`: a macro, which nobody can
/// judge.
struct Include
{
    QString target;
    int line = 0;
};

/// The levels of ARCHITECTURE.md. A module may include only from a lower one. Tests stand above everything.
inline const QHash<QString, int> &levels()
{
    static const QHash<QString, int> table{
        {QStringLiteral("domain"), 0}, {QStringLiteral("store"), 1},   {QStringLiteral("channel"), 1},
        {QStringLiteral("render"), 1}, {QStringLiteral("sandbox"), 1}, {QStringLiteral("dispatch"), 2},
        {QStringLiteral("admin"), 2},  {QStringLiteral("gateway"), 3}, {QStringLiteral("ui"), 3},
        {QStringLiteral("app"), 4},    {QStringLiteral("tests"), 5},
    };
    return table;
}

/// All C++ files below the given folders of `root`, in a stable order.
inline SourceTree readTree(const QString &root, const QStringList &folders)
{
    SourceTree tree;
    const QDir base(root);
    const QStringList patterns{QStringLiteral("*.h"), QStringLiteral("*.hpp"), QStringLiteral("*.inl"),
                               QStringLiteral("*.cpp"), QStringLiteral("*.cc")};
    for (const QString &folder : folders) {
        QDirIterator walk(base.filePath(folder), patterns, QDir::Files, QDirIterator::Subdirectories);
        while (walk.hasNext()) {
            QFile file(walk.next());
            if (file.open(QIODevice::ReadOnly))
                tree.append({base.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll())});
        }
    }
    std::sort(tree.begin(), tree.end(), [](const SourceFile &a, const SourceFile &b) { return a.path < b.path; });
    return tree;
}

namespace detail {

/// Is the apostrophe at `i` a digit separator (1'000), not the start of a character literal?
inline bool isDigitSeparator(const QString &text, qsizetype i)
{
    qsizetype start = i;
    while (start > 0 && (text[start - 1].isLetterOrNumber() || text[start - 1] == u'\'' || text[start - 1] == u'_'))
        --start;
    return start < i && text[start].isDigit();
}

/// The end (one past) of the string or character literal that opens at `i`.
inline qsizetype literalEnd(const QString &text, qsizetype i)
{
    if (text[i] == u'"' && i > 0 && text[i - 1] == u'R') {
        const qsizetype paren = text.indexOf(u'(', i);
        if (paren > 0) {
            const QString close = u')' + text.mid(i + 1, paren - i - 1) + u'"';
            const qsizetype end = text.indexOf(close, paren);
            return end < 0 ? text.size() : end + close.size();
        }
    }
    const QChar quote = text[i];
    for (++i; i < text.size() && text[i] != u'\n'; ++i) {
        if (text[i] == u'\\')
            ++i;
        else if (text[i] == quote)
            return i + 1;
    }
    return qMin(i, text.size());
}

} // namespace detail

/// The text with comments (and, if asked, literals) turned into blanks; line numbers stay.
inline QString codeOnly(const QString &text, bool blankLiterals)
{
    QString code = text;
    const auto blank = [&code](qsizetype from, qsizetype to) {
        for (qsizetype k = from; k < to; ++k)
            if (code[k] != u'\n')
                code[k] = u' ';
    };
    for (qsizetype i = 0; i < text.size();) {
        qsizetype end = i + 1;
        if (text[i] == u'/' && text.mid(i, 2) == QLatin1String("//")) {
            end = text.indexOf(u'\n', i);
            end = end < 0 ? text.size() : end;
            blank(i, end);
        } else if (text[i] == u'/' && text.mid(i, 2) == QLatin1String("/*")) {
            end = text.indexOf(QLatin1String("*/"), i + 2);
            end = end < 0 ? text.size() : end + 2;
            blank(i, end);
        } else if (text[i] == u'"' || (text[i] == u'\'' && !detail::isDigitSeparator(text, i))) {
            end = detail::literalEnd(text, i);
            if (blankLiterals)
                blank(i, end);
        }
        i = end;
    }
    return code;
}

inline int lineOf(const QString &text, qsizetype position)
{
    return static_cast<int>(QStringView(text).left(position).count(u'\n')) + 1;
}

inline QVector<Include> includesOf(const QString &text)
{
    static const QRegularExpression directive(QStringLiteral(R"(^[ \t]*#[ \t]*include\b[ \t]*(?:[<"]([^>"\n]+)[>"])?)"),
                                              QRegularExpression::MultilineOption);
    const QString code = codeOnly(text, false);
    QVector<Include> found;
    for (auto it = directive.globalMatch(code); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        found.append({match.captured(1), lineOf(code, match.capturedStart())});
    }
    return found;
}

/// The module a path belongs to: the folder below engine/, else the first folder. Empty for a bare file name.
inline QString moduleOf(const QString &path)
{
    const QStringList parts = path.split(u'/');
    if (parts.size() < 2)
        return {};
    return parts.first() == QLatin1String("engine") ? (parts.size() > 2 ? parts[1] : QString()) : parts.first();
}

/// The file of ours that `target`, included from `from`, means; searched as the compiler does: beside the file, in
/// engine/, in the root. Nothing found: judged by its first folder if that names a module (a generated file, or
/// tests/).
inline std::optional<QString> resolve(const QString &target, const QString &from, const QSet<QString> &ours)
{
    const QString beside = QDir::cleanPath(from.section(u'/', 0, -2) + u'/' + target);
    const QString inEngine = QDir::cleanPath(QStringLiteral("engine/") + target);
    const QString inRoot = QDir::cleanPath(target);
    for (const QString &candidate : {beside, inEngine, inRoot})
        if (ours.contains(candidate))
            return candidate;
    for (const QString &candidate : {inRoot, beside})
        if (levels().contains(moduleOf(candidate)))
            return candidate;
    return std::nullopt;
}

inline QStringList levelViolations(const SourceTree &tree)
{
    QSet<QString> ours;
    for (const SourceFile &file : tree)
        ours.insert(file.path);
    QStringList wrong;
    for (const SourceFile &file : tree) {
        const QString module = moduleOf(file.path);
        if (!levels().contains(module)) {
            wrong.append(
                QStringLiteral("%1:1: the folder '%2' has no level; name it in ARCHITECTURE.md and in levels()")
                    .arg(file.path, module));
            continue;
        }
        for (const Include &include : includesOf(file.text)) {
            const QString where = QStringLiteral("%1:%2: ").arg(file.path).arg(include.line);
            if (include.target.isEmpty()) {
                wrong.append(where +
                             QStringLiteral("an include through a macro can't be checked; write the file's name"));
                continue;
            }
            const std::optional<QString> path = resolve(include.target, file.path, ours);
            const QString other = path ? moduleOf(*path) : QString();
            if (other.isEmpty() || other == module || !levels().contains(other))
                continue;
            const int mine = levels().value(module);
            const int theirs = levels().value(other);
            if (theirs >= mine)
                wrong.append(where + QStringLiteral("includes \"%1\" %2: %3 is level %4, %5 is level %6")
                                         .arg(include.target,
                                              theirs == mine ? QStringLiteral("sideways") : QStringLiteral("upward"))
                                         .arg(module)
                                         .arg(mine)
                                         .arg(other)
                                         .arg(theirs));
        }
    }
    return wrong;
}

/// A library that only some modules may see: by the folder of its headers (Qt), by header name, by identifier.
struct LibraryRule
{
    QString name;              ///< as Qt's header folder is called, or the library
    QRegularExpression header; ///< header names that belong to it even where the library is not installed
    QRegularExpression word;   ///< identifiers that give a use away (forward declarations); may be empty
    QStringList modules;       ///< who may use it
};

inline const QVector<LibraryRule> &libraryRules()
{
    const auto re = [](const char *pattern) { return QRegularExpression(QString::fromLatin1(pattern)); };
    static const QStringList screen{QStringLiteral("ui"), QStringLiteral("app")};
    static const QStringList network{QStringLiteral("channel"), QStringLiteral("sandbox"), QStringLiteral("app")};
    static const QVector<LibraryRule> rules{
        {QStringLiteral("QtWidgets"), re("^(QtWidgets\\b|QWidget$|QApplication$|QMainWindow$|QDialog$)"),
         re("\\bQ(Widget|Application|MainWindow|Dialog)\\b"), screen},
        {QStringLiteral("QtCharts"), re("^(QtCharts\\b|QChart|Q\\w+Series$)"), re("\\bQChart\\w*"), screen},
        {QStringLiteral("QtGui"), re("^(QtGui\\b|QGuiApplication$|QIcon$|QColor$)"), re("\\bQGuiApplication\\b"),
         screen},
        {QStringLiteral("QtSvg"), re("^(QtSvg\\w*\\b|QSvg)"), re("\\bQSvg\\w+"), screen},
        {QStringLiteral("QtSql"), re("^(QtSql\\b|QSql|qsql)"), re("\\bQSql\\w+"), {QStringLiteral("store")}},
        {QStringLiteral("QtNetwork"), re("^(QtNetwork\\b|QNetwork|QTcp|QSsl|QUdp|QHostAddress|QHostInfo|QHttp)"),
         re("\\bQ(Network\\w+|Tcp\\w+|Ssl\\w+|Udp\\w+|HostAddress|HostInfo)\\b"), network},
        {QStringLiteral("libmicrohttpd"), re("^microhttpd"), re("\\bMHD_\\w+"), {QStringLiteral("gateway")}},
    };
    return rules;
}

/// `headers`: where Qt's headers are installed (QLibraryInfo); a header's folder there is the surest sign of its
/// module.
inline bool belongsTo(const QString &target, const LibraryRule &rule, const QString &headers)
{
    return rule.header.match(target).hasMatch() || target.startsWith(rule.name + u'/') ||
           (rule.name.startsWith(QLatin1String("Qt")) && !target.contains(u'/') &&
            QFileInfo(headers + u'/' + rule.name + u'/' + target).isFile());
}

inline QStringList libraryViolations(const SourceTree &tree, const QString &headers)
{
    QStringList wrong;
    for (const SourceFile &file : tree) {
        const QString module = moduleOf(file.path);
        const QString code = codeOnly(file.text, true);
        const QVector<Include> includes = includesOf(file.text);
        for (const LibraryRule &rule : libraryRules()) {
            if (rule.modules.contains(module))
                continue;
            const QString remedy =
                QStringLiteral("%1 is for %2 only").arg(rule.name, rule.modules.join(QStringLiteral(", ")));
            for (const Include &include : includes)
                if (belongsTo(include.target, rule, headers))
                    wrong.append(QStringLiteral("%1:%2: includes <%3>; %4")
                                     .arg(file.path)
                                     .arg(include.line)
                                     .arg(include.target, remedy));
            // Directives were judged above; a word in the code is a use by forward declaration.
            for (auto it = rule.word.globalMatch(code); it.hasNext();) {
                const QRegularExpressionMatch match = it.next();
                const qsizetype start = code.lastIndexOf(u'\n', match.capturedStart()) + 1;
                if (!QStringView(code).mid(start).trimmed().startsWith(u'#'))
                    wrong.append(QStringLiteral("%1:%2: uses %3; %4")
                                     .arg(file.path)
                                     .arg(lineOf(code, match.capturedStart()))
                                     .arg(match.captured(), remedy));
            }
        }
    }
    return wrong;
}

/// Types that we define and whose name ends in a word that says nothing.
inline QStringList nameViolations(const SourceTree &tree)
{
    static const QRegularExpression definition(
        QStringLiteral(R"(\b(?:(?:class|struct|union|enum)(?:\s+(?:class|struct))?\s+(?:\[\[[^\]]*\]\]\s*)?)"
                       R"((?:\w+::)*(\w+)\s*(?:final\s*)?[:{]|using\s+(\w+)\s*=))"));
    static const QRegularExpression vague(QStringLiteral("(Manager|Helper|Utils|Handler|Info|Data|Impl|Base)s?$"));
    QStringList wrong;
    for (const SourceFile &file : tree) {
        const QString code = codeOnly(file.text, true);
        for (auto it = definition.globalMatch(code); it.hasNext();) {
            const QRegularExpressionMatch match = it.next();
            const QString name = match.captured(1) + match.captured(2);
            const QRegularExpressionMatch ending = vague.match(name);
            if (ending.hasMatch())
                wrong.append(QStringLiteral("%1:%2: the type name %3 ends in %4; name what it is")
                                 .arg(file.path)
                                 .arg(lineOf(code, match.capturedStart()))
                                 .arg(name, ending.captured(1)));
        }
    }
    return wrong;
}

/// Numbers of `NNNN_name.sql` files must be 1, 2, 3 … with each used once. Other names are a mistake too.
inline QStringList migrationViolations(const QStringList &fileNames)
{
    static const QRegularExpression form(QStringLiteral("^(\\d{4})_[a-z0-9_]+\\.sql$"));
    QStringList wrong;
    int expected = 1;
    QStringList sorted = fileNames;
    sorted.sort();
    for (const QString &name : sorted) {
        const QRegularExpressionMatch match = form.match(name);
        if (!match.hasMatch()) {
            wrong.append(QStringLiteral("%1:1: a migration is called NNNN_name.sql").arg(name));
            continue;
        }
        const int number = match.captured(1).toInt();
        if (number != expected)
            wrong.append(QStringLiteral("%1:1: has number %2 where %3 is due").arg(name).arg(number).arg(expected));
        expected = number + 1;
    }
    return wrong;
}

/// Lines of ldd's answer that name a library which the headless program must not load.
inline QStringList screenLibraries(const QString &lddOutput)
{
    static const QRegularExpression screen(QStringLiteral("libQt6(Gui|Widgets|Charts|Svg|OpenGL)\\w*\\.so"));
    return lddOutput.split(u'\n').filter(screen);
}

} // namespace sendoff::architecture
