#include "store/note_store.h"

#include "store/bound_text.h"

namespace sendoff::store {

namespace {
constexpr int maxNotes = 1'000;
}

Result<std::vector<NoteRecord>> notesOf(Database &database, const QString &kind, const QString &object)
{
    return database.readOnce([&](Session &session) {
        std::vector<NoteRecord> notes;
        Cursor row = session.run("SELECT id, text, actor, $ms(at) FROM sendoff_note WHERE kind = ? AND object = ? "
                                 "ORDER BY id DESC LIMIT ?",
                                 {boundText(kind), boundText(object), maxNotes});
        while (row.next())
            notes.push_back({row.integer(0), row.text(1), row.text(2), row.time(3)});
        return notes;
    });
}

} // namespace sendoff::store
