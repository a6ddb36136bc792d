#include "domain/problem.h"

#include "domain/json_document.h"

#include <QCryptographicHash>
#include <QRegularExpression>
#include <array>

namespace sendoff {

namespace {

constexpr qsizetype maxNormalised = 200;
constexpr qsizetype maxCode = 100; // as the attempt stores it

struct Replacement
{
    QRegularExpression pattern;
    QString with;
};

QRegularExpression expression(const char *pattern)
{
    QRegularExpression made(QString::fromUtf8(pattern), QRegularExpression::UseUnicodePropertiesOption |
                                                            QRegularExpression::CaseInsensitiveOption |
                                                            QRegularExpression::DontCaptureOption);
    made.optimize();
    return made;
}

// In this order: what encloses others comes first. The last one joins what one value left in several pieces.
const std::vector<Replacement> &replacements()
{
    static const std::vector<Replacement> all = [] {
        const QString mark = QStringLiteral("#");
        std::vector<Replacement> made;
        for (const char *pattern : {
                 // Quoted in any language's marks; an apostrophe within a word is none. The last quote may be cut off.
                 "\"[^\"]*(\"|$)|\u201c[^\u201d]*(\u201d|$)|\u201e[^\u201c\u201d]*([\u201c\u201d]|$)"
                 "|\u00ab[^\u00bb]*(\u00bb|$)|\u2018[^\u2019]*(\u2019|$)|\u300c[^\u300d]*(\u300d|$)|`[^`]*(`|$)"
                 "|(?<!\\w)'[^']*('(?!\\w)|$)|<[^>]*(>|$)",
                 // An URL, an address, a handle, an index or a token in brackets.
                 "\\b[a-z][a-z0-9+.-]*://\\S+",
                 "[^\\s()\\[\\],;:]+@[^\\s()\\[\\],;:]+|@\\w+",
                 "\\w+\\[[^\\]\\s]*(\\]|$)",
                 // A date with its month in letters, whatever the language.
                 "((mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\\s+)?\\p{N}{1,2}\\.?[\\s-]+(de\\s+)?\\p{L}{3,12}\\.?[\\s-]+("
                 "de\\s+)?"
                 "\\p{N}{2,4}(\\s+\\p{N}{1,2}:\\p{N}{2}(:\\p{N}{2})?)?(\\s*(gmt|utc|z)\\b)?",
                 "((mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\\s+)?\\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]"
                 "*\\.?"
                 "\\s+\\p{N}{1,2}\\b(,?\\s+\\p{N}{4})?",
                 // IPv6, a host, a path.
                 "\\b([0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}\\b",
                 "\\b([\\p{L}\\p{N}_-]+\\.)+[\\p{L}]{2,}\\b",
                 "(?<=\\s)/[^\\s,;]+",
                 // A word with a digit in it: numbers, UUIDs, ids, hex; and letters that are no word.
                 "[\\p{L}\\p{N}_+=/.-]*\\p{N}[\\p{L}\\p{N}_+=/.%-]*",
                 "\\b[a-f]{8,}\\b",
                 "\\b\\w{31,}\\b",
             }) {
            made.push_back({expression(pattern), mark});
        }
        made.push_back(
            {QRegularExpression(QStringLiteral("(\\w+)=[^\\s#,;]+"), QRegularExpression::UseUnicodePropertiesOption),
             QStringLiteral("\\1=#")});
        // Mixed case that no name of a field has: a token that happens to hold no digit.
        made.push_back({QRegularExpression(QStringLiteral("\\b(?=\\w{10,})(?:\\w*?\\p{Ll}\\p{Lu}){3,}\\w*\\b"),
                                           QRegularExpression::UseUnicodePropertiesOption),
                        mark});
        made.push_back({QRegularExpression(QStringLiteral("#(?:[\\s().,:;/+*T_-]*#)+")), mark});
        return made;
    }();
    return all;
}

void addField(QByteArray &bytes, const QByteArray &field)
{
    bytes += QByteArray::number(field.size()) + ':' + field;
}

QByteArray tailOf(const Problem &problem)
{
    QByteArray bytes;
    addField(bytes, QByteArray(toText(problem.outcome).latin1()));
    addField(bytes, QByteArray::number(problem.status));
    addField(bytes, problem.code.toUtf8());
    addField(bytes, problem.text.toUtf8());
    return bytes;
}

QString fingerprintOf(const Problem &problem)
{
    QByteArray bytes;
    addField(bytes, problem.provider.toUtf8());
    bytes += tailOf(problem);
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).left(8).toHex());
}

} // namespace

QString normalisedProviderText(const QString &text)
{
    QString plain = storableText(text, maxProviderText).simplified();
    if (plain.isEmpty())
        return plain;
    for (const Replacement &each : replacements())
        plain.replace(each.pattern, each.with);
    return storableText(plain.simplified(), maxNormalised);
}

Problem problemOf(const QString &provider, Channel channel, const AttemptResult &attempt)
{
    Problem problem;
    problem.outcome = attempt.idempotencyConflict ? Outcome::Unknown : attempt.outcome;
    problem.provider = provider;
    problem.channel = channel;
    problem.status = attempt.status;
    problem.code = storableText(attempt.code, maxCode);
    problem.text = normalisedProviderText(attempt.text);
    problem.fingerprint = fingerprintOf(problem);
    return problem;
}

Problem coarsened(Problem problem, ProblemGrain grain)
{
    if (grain != ProblemGrain::Full)
        problem.text.clear();
    if (grain == ProblemGrain::OutcomeOnly)
        problem.code.clear();
    problem.fingerprint = fingerprintOf(problem);
    return problem;
}

QString fingerprintTail(const Problem &problem)
{
    return QString::fromUtf8(tailOf(problem));
}

Suggestion suggestionFor(Outcome outcome, const QString &code)
{
    const QString retry = QStringLiteral("retry");
    switch (outcome) {
    case Outcome::Accepted:
        return {QStringLiteral("Nothing is to be done: the provider took it."), {}};
    case Outcome::Throttled:
        return {QStringLiteral("Lower the provider's rate; what waits is sent again by itself."), {}};
    case Outcome::Transient:
        return {QStringLiteral("Wait: it is tried again by itself. Retry what is dead once the disturbance is over."),
                retry};
    case Outcome::PermanentRecipient:
        return {QStringLiteral("Do not retry: correct the address by an edit, or suppress it."), {}};
    case Outcome::PermanentMessage:
        return {QStringLiteral("Mend the template or the payload, then edit and retry; the same message is refused "
                               "again."),
                QStringLiteral("edit")};
    case Outcome::Configuration:
        return {QStringLiteral("Mend the credentials or the setting that the provider refuses first, then retry."),
                retry};
    case Outcome::Unknown:
        if (code == QLatin1String("worker_lost"))
            return {QStringLiteral("Find out why engines ended; it may have been sent, so retry only where a duplicate "
                                   "does no harm."),
                    retry};
        return {QStringLiteral("It may have been sent: look it up with the provider, and retry only where a duplicate "
                               "does no harm."),
                retry};
    }
    return {};
}

} // namespace sendoff
