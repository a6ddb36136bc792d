#pragma once
#include <QString>

namespace sendoff::render {

// Where a variable lands, which decides how its value is escaped.
enum class Place {
    Text,         // text part, body of SMS, push, inbox, webhook: the exact characters
    Header,       // one line, control characters become blanks
    Link,         // inside a link header: percent-encoded
    WholeLink,    // all of a link header: must be a safe URL
    Html,         // HTML text or a quoted attribute
    HtmlUrl,      // start of a quoted URL attribute: must be a safe URL
    HtmlUrlPart,  // later in a quoted URL attribute: percent-encoded
    HtmlUnquoted, // an attribute without quotes: everything but letters and digits becomes an entity
    HtmlCode,     // script, style, event attribute: no escaping is safe there
    HtmlMarkup    // tag name, attribute name, comment: no escaping is safe there
};

// Follows HTML text closely enough to know where the next variable stands: text, tag, attribute, comment, raw element.
// Feed it the literal text between variables, in order. A plain value, any thread.
class HtmlScanner
{
public:
    void feed(QStringView text);
    // The place of a variable that comes next; counts as text of the attribute value it stands in.
    Place variable();

private:
    enum class State {
        Data,
        TagOpen,
        TagName,
        BeforeName,
        Name,
        AfterName,
        BeforeValue,
        Double,
        Single,
        Unquoted,
        Comment
    };

    void feed(QChar each, QStringView rest);
    void feedName(QChar each);
    void feedValue(QChar each);
    void endTag();
    Place valuePlace() const;

    State m_state = State::Data;
    QString m_tag;
    QString m_attribute;
    QString m_rawElement; // script or style while inside
    bool m_valueBegun = false;
};

} // namespace sendoff::render
