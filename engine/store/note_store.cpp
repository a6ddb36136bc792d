#include "store/note_store.h"

namespace sendoff::store {

Result<std::vector<NoteRecord>> notesOf(Database &, const QString &, const QString &)
{
    return Error{ErrorCode::Refused, QStringLiteral("not available yet")};
}

} // namespace sendoff::store
