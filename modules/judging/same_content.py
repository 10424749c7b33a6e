"""The memory that tells the very same already, and the hash under which a new one can be kept beside it."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ..memory.models import HIDDEN, Memory, Status
from ..memory.occurrences import A_MOMENT, is_another_time
from ..memory.storing import content_hash as content_hash_of
from ..memory.storing import other_spellings
from ..text.scripts import composed
from . import erasing

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def same_content(
    rows: "TransactionRows", memory: Memory, content_hash: str, now: datetime
) -> tuple[Memory | None, str]:
    """Return the memory that has the same content already, and the hash under which the new one can be kept.

    An expired memory is erased. One that is hidden, or had ended by then, stays as it is, and the new one is another
    memory, under a hash derived from that one's. So it is when some other content has that hash, as in a forged bundle,
    and when an event happens at another time. What another project has alone is stored for this one as well.
    """
    first_hash = content_hash
    while True:
        known = await rows.texts.of(memory.namespace, content_hash)
        if known is None:
            return await _spelled_otherwise(rows, memory, now), content_hash
        is_same = known.session == memory.session and composed(known.content) == composed(memory.content)
        if is_same and known.has_expired(now):
            await erasing.erase(rows, known, now, "memory.expire")
            return None, content_hash
        if is_same and content_hash == first_hash and known.project not in ("", memory.project):
            first_hash = content_hash = hashlib.sha256(f"{first_hash}\0{memory.project}".encode()).hexdigest()
            continue
        if is_same and content_hash == first_hash and known.id != memory.id and is_another_time(known, memory):
            content_hash = await _of_its_time(rows, memory, first_hash)
            continue
        ended = known.valid_to is not None and known.valid_to <= memory.holds_from
        if known.id == memory.id or (is_same and known.status not in HIDDEN and not ended):
            return known, content_hash
        content_hash = hashlib.sha256(f"{content_hash}\0again".encode()).hexdigest()


async def occurrences(rows: "TransactionRows", namespace: str, content_hash: str) -> int:
    """Return how many events are kept of the text that a hash, with or without a time, is of."""
    bare = content_hash.partition("@")[0]
    first = await rows.texts.of(namespace, bare)
    return (first is not None) + await rows.texts.count_between(namespace, f"{bare}@", f"{bare}@~")


async def _spelled_otherwise(rows: "TransactionRows", memory: Memory, now: datetime) -> Memory | None:
    """Return the memory that has the content but for spaces, first letter and full stop.

    A turn of a conversation has none, nor has what was found in one: that is judged as evidence.
    """
    if memory.session is not None or memory.status is Status.CANDIDATE:
        return None
    hashes = [content_hash_of(text) for text in other_spellings(memory.content)]
    for known in await rows.texts.of_any(memory.namespace, hashes):
        holds = known.status not in HIDDEN and (known.valid_to is None or known.valid_to > memory.holds_from)
        same = known.session is None and known.id != memory.id and not is_another_time(known, memory)
        if same and holds and not known.has_expired(now):
            return known
    return None


async def _of_its_time(rows: "TransactionRows", memory: Memory, content_hash: str) -> str:
    """Return the hash of the event of the same text and moment, else the one that the event can be kept under."""
    first, last = memory.occurred_at - A_MOMENT, memory.occurred_at + A_MOMENT
    kept = await rows.texts.between(memory.namespace, _timed(content_hash, first), _timed(content_hash, last))
    same = (its_hash for its_hash, known in kept if not is_another_time(known, memory))
    return next(same, _timed(content_hash, memory.occurred_at))


def _timed(content_hash: str, moment: datetime) -> str:
    """Return a hash with a time behind it: in the order of their hashes, events of one text are in that of time."""
    return f"{content_hash}@{(moment - _EPOCH) // timedelta(microseconds=1) + 2**62:020d}"
