"""Three-way merges: what the folder changed, what the store changed, and where both did."""

from collections.abc import Sequence

from ...modules.memory.service import MemoryChanges
from ...modules.records import dataclass
from .models import Agreed, Fields, digest


@dataclass(frozen=True)
class MergedNote:
    """The changes from the folder to the store; with `is_contested` its text conflicts with an equally new one."""

    changes: MemoryChanges
    is_contested: bool = False


def merged(file: Fields, stored: Fields, base: Agreed | None) -> MergedNote:
    """Return what is to change in the store; `base` is what both had, None where nobody knows.

    Contents that both changed are contested. Of tags both changes are taken; of the rest the file's.
    """
    contested = False
    content = None
    if file.content != stored.content:
        if base is None or (base.content not in (digest(stored.content), digest(file.content))):
            contested = True
        elif base.content == digest(stored.content):
            content = file.content
    old = stored.agreed if base is None else base
    changes = MemoryChanges(
        content=content,
        memory_type=file.memory_type if file.memory_type not in (old.memory_type, stored.memory_type) else None,
        importance=file.importance if file.importance not in (old.importance, stored.importance) else None,
        tags=_tags(file.tags, stored.tags, old.tags),
    )
    return MergedNote(changes, contested)


def _tags(file: Sequence[str], stored: Sequence[str], base: Sequence[str]) -> Sequence[str] | None:
    if tuple(file) == tuple(base):
        return None
    remaining = [tag for tag in stored if tag in file or tag not in base]
    found = [*remaining, *(tag for tag in file if tag not in stored and tag not in base)]
    return None if set(found) == set(stored) else found
