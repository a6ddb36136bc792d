#include "domain/filter.h"

#include "domain/filter_completion.h"
#include "domain/filter_fields.h"

#include <algorithm>
#include <tuple>

namespace sendoff {

QString filterValueText(const QString &value)
{
    const bool isPlain = !value.isEmpty() && std::none_of(value.cbegin(), value.cend(), [](QChar each) {
        return each.isSpace() || each == u',' || each == u'"' || each == u'\\';
    });
    if (isPlain)
        return value;
    QString escaped = value;
    escaped.replace(u'\\', QLatin1String("\\\\")).replace(u'"', QLatin1String("\\\""));
    return u'"' + escaped + u'"';
}

namespace {

QString written(const FilterTerm &term)
{
    const QString start = (term.isNegated ? QStringLiteral("-") : QString()) + term.field;
    if (term.op != FilterTerm::Operator::Equals) {
        const FilterField *field = filterField(term.field, FilterRows::Deliveries);
        const bool isCount = field && field->kind == FilterKind::Count;
        return start + (term.op == FilterTerm::Operator::Above ? u'>' : u'<') +
               (isCount ? QString::number(term.number) : formatDuration(term.duration));
    }
    QStringList values;
    for (const QString &value : term.values)
        values += filterValueText(value);
    return start + u':' + values.join(u',');
}

FilterTerm canonicalTerm(FilterTerm term)
{
    // The fields of events are among those of deliveries.
    const FilterField *field = filterField(term.field, FilterRows::Deliveries);
    if (field)
        term.field = field->name;
    if (term.op != FilterTerm::Operator::Equals) {
        term.values.clear();
        return term;
    }
    if (field) {
        for (QString &value : term.values)
            value = canonicalValue(*field, value);
    }
    term.values.sort();
    term.values.removeDuplicates();
    return term;
}

} // namespace

Filter Filter::canonical() const
{
    // All terms must hold, so their order means nothing: sorted, equal filters have equal texts.
    struct Place
    {
        qsizetype field;
        QString text;
        FilterTerm term;
    };
    std::vector<Place> places;
    for (const FilterTerm &each : terms) {
        FilterTerm term = canonicalTerm(each);
        const qsizetype field = filterFields().indexOf(term.field);
        QString text = written(term);
        places.push_back({field, std::move(text), std::move(term)});
    }
    std::sort(places.begin(), places.end(), [](const Place &left, const Place &right) {
        return std::tie(left.field, left.text) < std::tie(right.field, right.text);
    });
    Filter filter;
    for (Place &place : places) {
        if (filter.terms.empty() || !(filter.terms.back() == place.term))
            filter.terms.push_back(std::move(place.term));
    }
    return filter;
}

QString Filter::toText() const
{
    QStringList texts;
    for (const FilterTerm &term : canonical().terms)
        texts += written(term);
    return texts.join(u' ');
}

} // namespace sendoff
