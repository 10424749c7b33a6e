"""Read judgements, judges and authors from the changes and the audit log; nothing extra is stored."""

import json
from collections.abc import Collection, Mapping, Sequence

from ...modules.trust.judging import ACTIONS
from ...modules.trust.models import Judged
from ..engine.ports import Engine, Row
from .change_rows import to_change
from .memory_rows import as_json

_STORED = "memory.store"
_OF_ACTIONS = f"c.action IN ({', '.join(repr(action) for action in ACTIONS)})"
_LOGGED = (_STORED, *(f"memory.{action}" for action in ACTIONS))


class TrustRepository:
    """Judgements, with the principals behind them, and how near memories are to the others."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def judged_after(self, namespace: str, number: int, limit: int) -> list[Judged]:
        """Return the newest judgements of a namespace after a number, in their order, at most `limit`."""
        rows = await self._engine.read(
            f"SELECT c.* FROM changes c WHERE c.namespace = ? AND c.seq > ? AND {_OF_ACTIONS} "
            "ORDER BY c.seq DESC LIMIT ?",
            (namespace, number, limit),
        )
        return await self._judged(namespace, rows[::-1])

    async def judged_of(self, namespace: str, memory_ids: Sequence[str]) -> list[Judged]:
        """Return the judgements that touched any of some memories, in their order."""
        rows = await self._engine.read(
            "SELECT c.* FROM changes c WHERE c.seq IN (SELECT x.change FROM json_texts(?) given "
            f"/*then*/ JOIN change_memories x ON x.memory_id = given.value) AND c.namespace = ? AND {_OF_ACTIONS} "
            "ORDER BY c.seq",
            (as_json(list(memory_ids)), namespace),
        )
        return await self._judged(namespace, rows)

    async def authors(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, str]:
        """Return by memory the principal whose credential stored it, where the audit log has one."""
        return _authors(await self._logged(namespace, memory_ids, [_STORED]))

    async def vectors(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, tuple[int, bytes]]:
        """Return by memory the newest generation that it has a vector of, and that of its first passage."""
        rows = await self._engine.read(
            "SELECT m.id, e.generation, e.vector FROM json_texts(?) given /*then*/ JOIN memories m "
            "ON m.id = given.value /*then*/ JOIN embeddings e ON e.memory_seq = m.seq AND e.part = 0 "
            "WHERE m.namespace = ? ORDER BY e.generation",
            (as_json(list(memory_ids)), namespace),
        )
        return {row["id"]: (row["generation"], bytes(row["vector"])) for row in rows}

    async def newest_vectors(self, namespace: str, generation: int, limit: int) -> list[bytes]:
        """Return the first vectors of a namespace's newest memories, in one generation."""
        rows = await self._engine.read(
            "SELECT e.vector FROM (SELECT m.seq FROM memories m WHERE m.namespace = ? ORDER BY m.seq DESC LIMIT ?) m "
            "/*then*/ JOIN embeddings e ON e.generation = ? AND e.memory_seq = m.seq AND e.part = 0",
            (namespace, limit, generation),
        )
        return [bytes(row["vector"]) for row in rows]

    async def _judged(self, namespace: str, rows: Sequence[Row]) -> list[Judged]:
        """Return changes with the principals behind them, as the entries of the same transactions name them."""
        changes = [(row["seq"], to_change(row)) for row in rows]
        if not changes:
            return []
        subjects = list(dict.fromkeys(name for _, one in changes for name in (one.memory_id, *one.after)))
        logged = await self._logged(namespace, subjects, _LOGGED)
        authors = _authors(logged)
        judges = {json.loads(row["detail"]).get("change"): row["principal"] for row in logged}
        return [Judged(number, change, judges.get(change.id, ""), authors) for number, change in changes]

    async def _logged(self, namespace: str, subjects: Sequence[str], actions: Collection[str]) -> list[Row]:
        return await self._engine.read(
            "SELECT a.subject, a.principal, a.action, a.detail FROM json_texts(?) given /*then*/ JOIN audit a "
            "ON a.subject = given.value WHERE a.namespace = ? AND a.action IN (SELECT value FROM json_texts(?)) "
            "ORDER BY a.seq",
            (as_json(list(subjects)), namespace, as_json(list(actions))),
        )


def _authors(logged: Sequence[Row]) -> dict[str, str]:
    """Return by memory who stored it first; what another store or an unnamed caller stored has no author."""
    found: dict[str, str] = {}
    for row in logged:
        if row["action"] == _STORED and row["principal"]:
            found.setdefault(row["subject"], row["principal"])
    return found
