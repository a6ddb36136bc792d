#pragma once
#include "domain/filter.h"
#include "domain/result.h"
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sendoff::app {

// --filter and the common terms as flags of their own (--state dead --channel email --older 1h), all of which must
// hold. Both are read by the one grammar of domain/filter.h. Must outlive the parsing of the command line.
class FilterFlags
{
public:
    // Adds the flags of these fields, as far as they are common ones; "age" gives --older and --younger.
    void addTo(CLI::App &command, const QStringList &fields);
    // The filter of all flags together. Invalid: --filter or a flag can't be read.
    Result<Filter> filter(FilterRows rows = FilterRows::Deliveries) const;
    bool isGiven() const;

private:
    std::string m_text;
    std::map<QString, std::vector<std::string>> m_values; // by field
    std::string m_older;
    std::string m_younger;
};

// A filter that chooses these ids.
Filter filterOfIds(const QString &field, const QStringList &ids);

} // namespace sendoff::app
