"""The audit log, read and verified; a trigger has chained each entry to the one before it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...modules.audit.models import AuditEntry, Head, Verification
from ..engine.ports import Engine, Row
from ..engine.times import from_us

MOST_FAULTS = 20
"""The most faults that are reported: one edit breaks one or two links."""
_CONTENT = "seq, at, principal, door, request_id, namespace, action, subject, detail"
LOWEST = -(2**63)
ENDS = """
SELECT h.seq, h.hash, h.entries, (SELECT count(*) FROM audit) AS found, (SELECT max(seq) FROM audit) AS last,
    (SELECT min(seq) FROM audit) AS first,
    (SELECT a.hash FROM audit a WHERE a.seq = h.seq) AS at_head FROM audit_head h WHERE h.id = 1
"""
"""The end of the chain as it is kept apart, and as it is found."""


def broken_everywhere(entry_hash: str) -> str:
    """Return the query for entries after a number, LOWEST for all, that have not the hash of their content.

    `entry_hash` is the engine's expression of that, in which {} stands for the hash before and the content.
    """
    expected = entry_hash.format(
        f"coalesce(lag(hash) OVER (ORDER BY seq), (SELECT hash FROM audit WHERE seq = ?1), ''), {_CONTENT}"
    )
    return (
        "SELECT seq, previous FROM (SELECT seq, hash, lag(seq) OVER (ORDER BY seq) AS previous, "
        f"{expected} AS expected FROM audit WHERE seq > ?1) chained "
        f"WHERE hash IS DISTINCT FROM expected ORDER BY seq LIMIT {MOST_FAULTS}"
    )


class AuditLogRepository:
    """The entries of the audit log."""

    def __init__(self, engine: Engine, entry_hash: str) -> None:
        self._engine = engine
        self._broken = broken_everywhere(entry_hash)

    async def entries(
        self, namespaces: Sequence[str], subject: str | None, before: int | None, limit: int
    ) -> list[AuditEntry]:
        """Return entries of some namespaces, the newest first: of a subject, and those numbered below `before`."""
        within = "namespace IN (SELECT value FROM json_texts(?))"
        return await self._entries(within, [json.dumps(list(namespaces))], subject, before, limit)

    async def entries_everywhere(self, subject: str | None, before: int | None, limit: int) -> list[AuditEntry]:
        """Return entries of all namespaces, as `entries` does."""
        return await self._entries("TRUE", [], subject, before, limit)

    async def _entries(
        self, within: str, given: list[Any], subject: str | None, before: int | None, limit: int
    ) -> list[AuditEntry]:
        for condition, value in (("subject = ?", subject), ("seq < ?", before)):
            if value is not None:
                within += f" AND {condition}"
                given.append(value)
        rows = await self._engine.read(
            f"SELECT {_CONTENT} FROM audit WHERE {within} ORDER BY seq DESC LIMIT ?", (*given, limit)
        )
        return [_entry(row) for row in rows]

    async def verify_everywhere(self, anchor: tuple[int, str] | None = None) -> Verification:
        """Recompute every hash; with an `anchor`, a number and its hash as noted once, also compare that entry."""
        broken = await self._engine.read(self._broken, (LOWEST,))
        ends = await self._engine.read(ENDS)
        found = list(faults([tuple(row) for row in broken], dict(ends[0]) if ends else None))
        if anchor is not None:
            rows = await self._engine.read("SELECT 1 FROM audit WHERE seq = ? AND hash = ?", anchor)
            if not rows:
                found.append(f"entry {anchor[0]} has not the hash that was noted")
        head = Head(ends[0]["seq"], ends[0]["hash"], ends[0]["entries"]) if ends else Head(0, "", 0)
        return Verification(tuple(found), head)


def faults(broken: Sequence[tuple[int, int | None]], ends: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield what is wrong, in words, given the rows of `broken_everywhere`, and that of ENDS or None."""
    for number, previous in broken:
        before = previous or 0
        if number > before + 1:
            gone = f"{before + 1} to {number - 1}" if number > before + 2 else f"{number - 1}"
            yield f"entry {gone} is gone, or entry {number} was changed"
        else:
            yield f"entry {number} was changed or moved, or does not follow entry {before}"
    if ends is not None and ends["first"] is not None and ends["first"] < 1:
        yield f"entry {ends['first']} was put in: the log begins with entry 1"
    if ends is None:
        yield "the end of the log, which is kept apart, is gone"
        return
    last = ends["last"] or 0
    if last < ends["seq"]:
        yield f"what came after entry {last} is gone: the log ended with entry {ends['seq']}"
    elif last > ends["seq"] or (ends["at_head"] or "") != ends["hash"]:
        yield f"entry {last} is not the one with which the log ended"
    if ends["found"] != ends["entries"]:
        yield f"the log has {ends['found']} entries, and had {ends['entries']}"


def _entry(row: Row) -> AuditEntry:
    return AuditEntry(
        row["seq"],
        from_us(row["at"]),
        row["principal"],
        row["door"],
        row["request_id"],
        row["namespace"],
        row["action"],
        row["subject"],
        json.loads(row["detail"]),
    )
