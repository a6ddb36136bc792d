#include "app/secrets.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace sendoff::app {

namespace {

constexpr qint64 maxSecretBytes = 64 * 1024;
constexpr auto foreignRights = QFileDevice::ReadGroup | QFileDevice::WriteGroup | QFileDevice::ExeGroup |
                               QFileDevice::ReadOther | QFileDevice::WriteOther | QFileDevice::ExeOther;

Error refused(const QString &message)
{
    return {ErrorCode::Invalid, message};
}

Result<QByteArray> fileContent(const QString &path, bool mustBePrivate)
{
    if (!QFileInfo(path).isFile())
        return refused(QStringLiteral("the secret file %1 does not exist or is no regular file").arg(path));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return refused(QStringLiteral("the secret file %1 can't be opened (%2)").arg(path, file.errorString()));
    // Asked of the open file, so that it can't be exchanged between check and reading.
    if (mustBePrivate && (file.permissions() & foreignRights)) {
        return refused(
            QStringLiteral("the secret file %1 is open to its group or to others; run: chmod 600 %1").arg(path));
    }
    return file.read(maxSecretBytes + 1);
}

Result<QByteArray> credentialContent(const QString &name, const QProcessEnvironment &environment)
{
    const QString folder = environment.value(QStringLiteral("CREDENTIALS_DIRECTORY"));
    if (folder.isEmpty()) {
        return refused(QStringLiteral("the credential %1 needs a systemd service with LoadCredential= or "
                                      "LoadCredentialEncrypted=; CREDENTIALS_DIRECTORY is not set")
                           .arg(name));
    }
    if (name.contains(u'/') || name == QLatin1String("..") || name == QLatin1String("."))
        return refused(QStringLiteral("a credential is a name without slashes, not %1").arg(name));
    return fileContent(QDir(folder).filePath(name), false); // systemd keeps it private itself
}

Result<QByteArray> variableContent(const QString &name, const QProcessEnvironment &environment)
{
    if (!environment.contains(name))
        return refused(
            QStringLiteral("the environment variable %1 is not set; set it or name another source").arg(name));
    return environment.value(name).toUtf8();
}

Result<QByteArray> contentOf(const SecretSource &source, const SecretReaders &readers)
{
    switch (source.kind) {
    case SecretSource::Kind::None:
        return refused(QStringLiteral("no secret is configured"));
    case SecretSource::Kind::Environment:
        return variableContent(source.name, readers.environment);
    case SecretSource::Kind::File:
        return fileContent(source.name, true);
    case SecretSource::Kind::Credential:
        return credentialContent(source.name, readers.environment);
    case SecretSource::Kind::Keychain:
        if (readers.keychain)
            return readers.keychain(source.name);
        return refused(QStringLiteral("the keychain is not available in this program; use env, file or credential"));
    }
    Q_UNREACHABLE();
}

} // namespace

SecretReaders SecretReaders::ofThisProcess()
{
    return {QProcessEnvironment::systemEnvironment(), {}};
}

Result<Secret> resolveSecret(const SecretSource &source, const SecretReaders &readers)
{
    const Result<QByteArray> content = contentOf(source, readers);
    if (!content)
        return content.error();
    QByteArray bytes = *content;
    if (bytes.size() > maxSecretBytes)
        return refused(QStringLiteral("the secret %1 is larger than 64 KiB").arg(source.name));
    if (bytes.endsWith('\n'))
        bytes.chop(bytes.endsWith("\r\n") ? 2 : 1);
    if (bytes.isEmpty())
        return refused(QStringLiteral("the secret %1 is empty; write its value there").arg(source.name));
    if (bytes.contains('\0'))
        return refused(QStringLiteral("the secret %1 holds a NUL byte; write it as plain text").arg(source.name));
    return Secret(bytes);
}

} // namespace sendoff::app
