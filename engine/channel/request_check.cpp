#include "channel/request_check.h"

#include <QHostAddress>
#include <algorithm>
#include <array>

namespace sendoff::channel {

namespace {

bool isTokenCharacter(char character)
{
    const bool isAlphanumeric = (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
                                (character >= 'a' && character <= 'z');
    return isAlphanumeric ||
           (character != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(character) != std::string_view::npos);
}

bool isToken(const QByteArray &name)
{
    return !name.isEmpty() && std::all_of(name.begin(), name.end(), isTokenCharacter);
}

bool isFieldValue(const QByteArray &value)
{
    return std::all_of(value.begin(), value.end(), [](char character) {
        const auto byte = static_cast<unsigned char>(character);
        return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
    });
}

// One address and nothing that leads elsewhere, as a zone would.
bool isAddress(const QString &text)
{
    const QHostAddress address(text);
    return !address.isNull() && address.scopeId().isEmpty();
}

// The transport writes these itself; a second one would let two readers see two different requests.
bool isReserved(const QByteArray &name)
{
    static constexpr std::array reserved{"host",       "content-length", "content-type", "transfer-encoding",
                                         "connection", "expect",         "upgrade",      "accept-encoding"};
    return std::any_of(reserved.begin(), reserved.end(),
                       [&name](const char *each) { return name.compare(each, Qt::CaseInsensitive) == 0; });
}

} // namespace

QString requestProblem(const HttpRequest &request)
{
    const QString scheme = request.url.scheme();
    if (!request.url.isValid() || request.url.host().isEmpty() ||
        (scheme != QLatin1String("http") && scheme != QLatin1String("https")))
        return QStringLiteral("the provider's base_url is not an http or https address; correct it");
    if (!request.url.userInfo().isEmpty())
        return QStringLiteral("the provider's base_url holds a user name or password; use api_key instead");
    if (request.method != "POST" && request.method != "GET")
        return QStringLiteral("the request is neither POST nor GET");
    if (request.method == "POST" && request.body.isEmpty())
        return QStringLiteral("the request has no body");
    if (request.method == "GET" && !request.body.isEmpty())
        return QStringLiteral("a request that only asks has a body");
    if (!request.pinnedAddress.isEmpty() && !isAddress(request.pinnedAddress))
        return QStringLiteral("the address to connect to is not an IP address");
    if (!isFieldValue(request.contentType))
        return QStringLiteral("the content type holds a control character");
    for (const auto &[name, value] : request.headers) {
        if (!isToken(name))
            return QStringLiteral("the name of a header is not an HTTP token");
        if (isReserved(name))
            return QStringLiteral("the header %1 is the transport's own").arg(QString::fromLatin1(name));
        if (!isFieldValue(value))
            return QStringLiteral("the value of the header %1 holds a line break or another control character; "
                                  "look at the setting it comes from")
                .arg(QString::fromLatin1(name));
    }
    return {};
}

} // namespace sendoff::channel
