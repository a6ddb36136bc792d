#pragma once
#include "domain/json_document.h"
#include "render/renderer.h"
#include <QStringList>
#include <vector>

namespace sendoff::render {

// Finds the names of a template. "recipient" (where the delivery has an object of its own) and the extra names are
// reserved: a payload can't replace them. After them come the items of the sections around, then the payload.
// Refers to the RenderScope it was made of. Thread: one render.
class NameScope
{
public:
    explicit NameScope(const RenderScope &scope);

    // nullptr where nothing has that name; a JSON null is found.
    const JsonValue *find(const QStringList &path) const;
    const JsonValue *innermost() const { return m_items.back(); }
    void enter(const JsonValue *item) { m_items.push_back(item); }
    void leave() { m_items.pop_back(); }

private:
    const JsonValue *first(const QString &name) const;

    const JsonValue *m_recipient = nullptr;
    bool m_hasElement = false;
    JsonValue m_extra;
    std::vector<const JsonValue *> m_items; // the payload first
};

// Whether a section over the value is taken: not for null, false, zero, empty texts and empty arrays.
bool isTruthy(const JsonValue &value);

} // namespace sendoff::render
