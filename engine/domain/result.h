#pragma once
#include <QString>
#include <optional>
#include <utility>
#include <variant>

namespace sendoff {

// Why one of our own operations failed. Callers branch on the code, never on the text.
enum class ErrorCode {
    Busy,        // try again soon: a lock or a deadlock
    Unavailable, // the store or a file can't be reached now
    ReadOnly,    // the store is reachable but refuses writes (standby, read-only primary, newer schema)
    Conflict,    // what was to be changed has changed meanwhile
    NotFound,
    Invalid,        // the caller's input; the message names the field and the remedy
    Refused,        // not allowed in this state or with these rights
    StaleStatement, // the session lost its prepared statements (a pooler, DISCARD ALL): it is replaced
    Corrupt         // the store answered something that can't be
};

struct Error
{
    ErrorCode code = ErrorCode::Invalid;
    QString message; // one sentence for a person, with the remedy; no secret, no address
};

// A value or an Error. Thread: a plain value. Stands in for std::expected until the toolchain has it.
template <typename T>
class [[nodiscard]] Result
{
public:
    Result(T value) // NOLINT(google-explicit-constructor): returning a value is the common case
        : m_state(std::in_place_index<0>, std::move(value))
    {}
    Result(Error error) // NOLINT(google-explicit-constructor)
        : m_state(std::in_place_index<1>, std::move(error))
    {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }
    const T &value() const & { return std::get<0>(m_state); }
    T &value() & { return std::get<0>(m_state); }
    T &&value() && { return std::get<0>(std::move(m_state)); }
    const T &operator*() const & { return value(); }
    T &operator*() & { return value(); }
    const T *operator->() const { return &value(); }
    T *operator->() { return &value(); }
    const Error &error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void>
{
public:
    Result() = default;
    Result(Error error) // NOLINT(google-explicit-constructor)
        : m_error(std::move(error))
    {}

    bool ok() const { return !m_error; }
    explicit operator bool() const { return ok(); }
    const Error &error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

} // namespace sendoff
