#pragma once
#include <QString>
#include <algorithm>
#include <vector>

namespace sendoff::app {

// One mistake in a file that people write. Holds names of keys and remedies, never a secret's value.
struct ConfigurationProblem
{
    QString file;
    int line = 0;    // 1-based, 0: the whole file
    QString key;     // "providers.resend.rate", empty: none
    QString message; // what is wrong and the remedy
    bool isWarning = false;
};

// "sendoff.toml:12: providers.resend.rate: must be …"; warnings say so.
QString toText(const ConfigurationProblem &problem);

// What was read, with everything that is wrong with it. The value is usable only where ok() holds.
template <typename T>
struct Loaded
{
    T value;
    std::vector<ConfigurationProblem> problems; // by file and line

    bool ok() const
    {
        return std::all_of(problems.cbegin(), problems.cend(), [](const auto &each) { return each.isWarning; });
    }
};

} // namespace sendoff::app
