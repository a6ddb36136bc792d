#include "render/html_scanner.h"

#include <array>

namespace sendoff::render {

namespace {

bool isOneOf(const QString &name, std::initializer_list<QLatin1String> names)
{
    for (const QLatin1String each : names) {
        if (name == each)
            return true;
    }
    return false;
}

bool holdsUrl(const QString &attribute)
{
    return isOneOf(attribute,
                   {QLatin1String("href"), QLatin1String("src"), QLatin1String("action"), QLatin1String("formaction"),
                    QLatin1String("background"), QLatin1String("poster"), QLatin1String("cite"), QLatin1String("data"),
                    QLatin1String("longdesc"), QLatin1String("xlink:href")});
}

bool holdsCode(const QString &attribute)
{
    return attribute.startsWith(QLatin1String("on")) ||
           isOneOf(attribute, {QLatin1String("style"), QLatin1String("srcdoc"), QLatin1String("srcset")});
}

} // namespace

void HtmlScanner::feed(QStringView text)
{
    for (qsizetype at = 0; at < text.size(); ++at)
        feed(text[at], text.mid(at));
}

void HtmlScanner::feed(QChar each, QStringView rest)
{
    switch (m_state) {
    case State::Data:
        if (!m_rawElement.isEmpty()) {
            if (rest.startsWith(u"</") && rest.mid(2).startsWith(m_rawElement, Qt::CaseInsensitive)) {
                m_rawElement.clear();
                m_state = State::TagOpen;
            }
        } else if (rest.startsWith(u"<!--")) {
            m_state = State::Comment;
        } else if (each == u'<') {
            m_state = State::TagOpen;
        }
        m_tag.clear();
        return;
    case State::Comment:
        if (rest.startsWith(u"-->"))
            m_state = State::BeforeName; // the ">" two characters on ends it like a tag
        return;
    case State::TagOpen:
        if (each.isLetter() || each == u'/' || each == u'!' || each == u'?') {
            m_tag = each.toLower();
            m_state = State::TagName;
        } else {
            m_state = State::Data;
        }
        return;
    case State::TagName:
        if (each == u'>')
            endTag();
        else if (each.isSpace() || each == u'/')
            m_state = State::BeforeName;
        else
            m_tag += each.toLower();
        return;
    case State::BeforeName:
    case State::Name:
    case State::AfterName:
        feedName(each);
        return;
    default:
        feedValue(each);
    }
}

void HtmlScanner::feedName(QChar each)
{
    if (each == u'>') {
        endTag();
    } else if (each == u'=' && m_state != State::BeforeName) {
        m_state = State::BeforeValue;
        m_valueBegun = false;
    } else if (each.isSpace() || each == u'/') {
        m_state = m_state == State::Name ? State::AfterName : m_state;
    } else {
        if (m_state != State::Name)
            m_attribute.clear();
        m_attribute += each.toLower();
        m_state = State::Name;
    }
}

void HtmlScanner::feedValue(QChar each)
{
    switch (m_state) {
    case State::BeforeValue:
        if (each == u'>')
            endTag();
        else if (each == u'"')
            m_state = State::Double;
        else if (each == u'\'')
            m_state = State::Single;
        else if (!each.isSpace())
            m_state = State::Unquoted;
        return;
    case State::Unquoted:
        if (each == u'>')
            endTag();
        else if (each.isSpace())
            m_state = State::BeforeName;
        return;
    default:
        if (each == (m_state == State::Double ? u'"' : u'\''))
            m_state = State::BeforeName;
        else
            m_valueBegun = true;
    }
}

void HtmlScanner::endTag()
{
    m_state = State::Data;
    m_rawElement = isOneOf(m_tag, {QLatin1String("script"), QLatin1String("style")}) ? m_tag : QString();
}

Place HtmlScanner::valuePlace() const
{
    if (holdsCode(m_attribute))
        return Place::HtmlCode;
    if (!holdsUrl(m_attribute))
        return Place::Html;
    return m_valueBegun ? Place::HtmlUrlPart : Place::HtmlUrl;
}

Place HtmlScanner::variable()
{
    switch (m_state) {
    case State::Data:
        return m_rawElement.isEmpty() ? Place::Html : Place::HtmlCode;
    case State::Double:
    case State::Single: {
        const Place place = valuePlace();
        m_valueBegun = true;
        return place;
    }
    case State::BeforeValue:
    case State::Unquoted: {
        m_state = State::Unquoted;
        const Place place = valuePlace();
        // A URL can't be both checked and spelled in entities of an open end: such attributes need their quotes.
        return place == Place::Html ? Place::HtmlUnquoted : Place::HtmlCode;
    }
    default:
        return Place::HtmlMarkup;
    }
}

} // namespace sendoff::render
