#include "app/cli/filter_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sendoff::app {

namespace {

// Fields with a closed set of words take several in one flag: no word holds a comma. Ids and codes may.
bool hasWords(const QString &field)
{
    static const QStringList fields{QStringLiteral("state"), QStringLiteral("reason"), QStringLiteral("lane"),
                                    QStringLiteral("channel"), QStringLiteral("outcome")};
    return fields.contains(field);
}

// The common terms; --filter knows the others too. Their names are few, so that commands keep room for options of
// their own.
bool hasFlag(const QString &field)
{
    static const QStringList fields{QStringLiteral("id"),       QStringLiteral("event"),   QStringLiteral("type"),
                                    QStringLiteral("tenant"),   QStringLiteral("user"),    QStringLiteral("recipient"),
                                    QStringLiteral("domain"),   QStringLiteral("role"),    QStringLiteral("channel"),
                                    QStringLiteral("provider"), QStringLiteral("lane"),    QStringLiteral("category"),
                                    QStringLiteral("state"),    QStringLiteral("reason"),  QStringLiteral("problem"),
                                    QStringLiteral("code"),     QStringLiteral("outcome"), QStringLiteral("age")};
    return fields.contains(field);
}

// The canonical text of one term. Flags go through the grammar like everything else, so that a wrong word is refused
// with the same sentence.
QString termText(const QString &field, const QStringList &values)
{
    Filter single;
    single.terms.push_back({field, FilterTerm::Operator::Equals, values, Milliseconds(0)});
    return single.toText();
}

} // namespace

void FilterFlags::addTo(CLI::App &command, const QStringList &fields)
{
    command.add_option("--filter", m_text, "Which rows, e.g. 'state:dead channel:email code:429 age>1h'")
        ->option_text("TERMS");
    for (const QString &field : fields) {
        if (!hasFlag(field))
            continue;
        if (field == QLatin1String("age")) {
            command.add_option("--older", m_older, "Created longer ago than this, e.g. 1h")->option_text("DURATION");
            command.add_option("--younger", m_younger, "Created less long ago than this")->option_text("DURATION");
            continue;
        }
        command
            .add_option("--" + field.toStdString(), m_values[field],
                        "Only this " + field.toStdString() + "; again for a further one")
            ->option_text(hasWords(field) ? "WORD[,WORD]" : "VALUE")
            ->expected(1)
            ->take_all();
    }
}

bool FilterFlags::isGiven() const
{
    return !m_text.empty() || !m_older.empty() || !m_younger.empty() ||
           std::any_of(m_values.cbegin(), m_values.cend(), [](const auto &each) { return !each.second.empty(); });
}

Result<Filter> FilterFlags::filter(FilterRows rows) const
{
    QStringList parts;
    for (const auto &[field, values] : m_values) {
        QStringList alternatives;
        for (const std::string &value : values) {
            const QString text = QString::fromStdString(value);
            alternatives += hasWords(field) ? text.split(u',') : QStringList{text};
        }
        if (!alternatives.isEmpty())
            parts += termText(field, alternatives);
    }
    for (const auto &[flag, sign] : {std::pair{&m_older, u'>'}, std::pair{&m_younger, u'<'}}) {
        if (flag->empty())
            continue;
        const auto duration = parseDuration(QString::fromStdString(*flag));
        if (!duration) {
            return Error{ErrorCode::Invalid,
                         QStringLiteral("--%1 is not a duration; write 30s, 15m, 1h or 7d")
                             .arg(flag == &m_older ? QLatin1String("older") : QLatin1String("younger"))};
        }
        parts += QStringLiteral("age") + sign + formatDuration(*duration);
    }
    // The person's own text first, so that positions in its errors are those of what was typed.
    parts.prepend(QString::fromStdString(m_text));
    return Filter::parse(parts.join(u' '), rows);
}

Filter filterOfIds(const QString &field, const QStringList &ids)
{
    Filter filter;
    filter.terms.push_back({field, FilterTerm::Operator::Equals, ids, Milliseconds(0)});
    return filter;
}

} // namespace sendoff::app
