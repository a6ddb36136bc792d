#pragma once
#include "domain/result.h"
#include <QByteArray>
#include <QDebug>
#include <QProcessEnvironment>
#include <QString>
#include <functional>

namespace sendoff::app {

// A value that must not be shown. It converts to nothing by itself and prints as "(secret)"; who needs the bytes
// calls reveal() and answers for where they go. A plain value, any thread.
class Secret
{
public:
    Secret() = default;
    explicit Secret(QByteArray bytes)
        : m_bytes(std::move(bytes))
    {}

    bool isEmpty() const { return m_bytes.isEmpty(); }
    const QByteArray &reveal() const { return m_bytes; }

    friend QDebug operator<<(QDebug debug, const Secret &) { return debug << "(secret)"; }

private:
    QByteArray m_bytes;
};

// Where a secret is kept, as the configuration names it; this itself is not secret.
struct SecretSource
{
    enum class Kind { None, Environment, File, Credential, Keychain };
    Kind kind = Kind::None;
    QString name; // variable, absolute path, credential name or keychain entry

    bool isSet() const { return kind != Kind::None; }
    friend bool operator==(const SecretSource &, const SecretSource &) = default;
};

// What resolving needs of the outside.
struct SecretReaders
{
    QProcessEnvironment environment;
    // Reads a keychain entry. Empty in programs without a desktop session: such secrets are then refused.
    std::function<Result<QByteArray>(const QString &entry)> keychain;

    static SecretReaders ofThisProcess();
};

// The secret itself. One line break at its end is removed. Refuses, with the remedy: a variable that is not set, a
// file that others may read, a credential outside systemd, an empty secret, more than 64 KiB, U+0000.
Result<Secret> resolveSecret(const SecretSource &source, const SecretReaders &readers);

} // namespace sendoff::app
