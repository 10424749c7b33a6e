"""Statements of memories about the user."""

import json
from collections.abc import Sequence
from datetime import datetime

from ...modules.facts.slots import USER
from ...storage.engine.ports import Engine
from ...storage.engine.times import from_us, maybe_from_us, to_us
from ...storage.repositories import predicates
from ...storage.repositories.memory_rows import LIKELY_SUCCESSOR, as_json, likely_successor
from .models import Known, UserStatement, UserText

_LASTING = f"{predicates.VISIBLE} AND (m.expires_at IS NULL OR m.expires_at > ?)"
_HOLDS = "(m.valid_to IS NULL OR m.valid_to > ?)"


class ProfileRows:
    """What memories say of the user."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def statements(
        self, namespace: str, attributes: Sequence[str] | None, now: datetime, limit: int, *, ended: bool
    ) -> list[UserStatement]:
        """Return statements about the user that hold now, the newest first; with `ended`, former ones too.

        Of the given `attributes`, or of all (None). Hidden and expired ones are left out.
        """
        conditions = ["m.namespace = ?", "m.subject = ?", "m.value IS NOT NULL", _LASTING]
        parameters: list[object] = [namespace, USER, to_us(now)]
        if attributes is not None:
            conditions.append("m.attribute IN (SELECT value FROM json_texts(?))")
            parameters.append(as_json(list(attributes)))
        if not ended:
            conditions.append(_HOLDS)
            parameters.append(to_us(now))
        rows = await self._engine.read(
            "SELECT m.id, m.attribute, m.value, m.content, m.kind, m.status, m.confidence, m.polarity, m.valid_to, "
            "coalesce(m.valid_from, m.occurred_at) AS since, "
            f"{LIKELY_SUCCESSOR} AS likely_successor FROM memories m /*by memories_by_slot*/ "
            f"WHERE {' AND '.join(conditions)} ORDER BY since DESC, m.seq DESC LIMIT ?",
            (*parameters, limit),
        )
        return [
            UserStatement(
                memory_id=row["id"],
                attribute=row["attribute"],
                value=row["value"],
                text=row["content"],
                kind=row["kind"],
                status=row["status"],
                confidence=row["confidence"],
                since=from_us(row["since"]),
                until=maybe_from_us(row["valid_to"]),
                denies=not row["polarity"],
                newer=None if (found := likely_successor(row["likely_successor"])) is None else found.id,
            )
            for row in rows
        ]

    async def user_texts(self, namespace: str, now: datetime, limit: int) -> list[UserText]:
        """Return the user's latest texts, and notes about the user, each the newest first and at most `limit`."""
        turns = await self._engine.read(
            "SELECT m.id, m.content FROM turns t /*then*/ JOIN memories m ON m.seq = t.memory_seq "
            f"WHERE t.namespace = ? AND t.role = 'user' AND {predicates.VISIBLE} ORDER BY t.memory_seq DESC LIMIT ?",
            (namespace, limit),
        )
        notes = await self._engine.read(
            "SELECT m.id, m.content FROM memories m WHERE m.namespace = ? AND m.session IS NULL "
            f"AND m.kind IN ('fact', 'preference', 'attribute', 'note') AND NOT {predicates.FOUND} AND {_HOLDS} "
            "AND (m.subject = ? OR (m.subject IS NULL AND lower(substr(m.content, 1, 9)) = 'the user ')) "
            f"AND {_LASTING} ORDER BY m.seq DESC LIMIT ?",
            (namespace, to_us(now), USER, to_us(now), limit),
        )
        return [UserText(row["id"], row["content"]) for row in (*turns, *notes)]

    async def known(self, namespace: str, about: str, limit: int) -> list[Known]:
        """Return current knowledge about the user or the assistant, learnt in conversations, the newest first."""
        rows = await self._engine.read(
            "SELECT m.id, m.content, m.kind, m.status, m.confidence, m.occurred_at, "
            "(SELECT coalesce(json_arrayagg(json_array(e.id, p.id)), '[]') FROM relations r JOIN memories e ON e.id = "
            "r.from_id "
            "JOIN turns t ON t.memory_seq = e.seq JOIN pages p ON p.seq = t.page "
            "WHERE r.to_id = m.id AND r.type = 'evidence_of') AS evidence "
            f"FROM memories m WHERE m.namespace = ? AND {predicates.FOUND} AND m.metadata ->> 'about' = ? "
            f"AND m.valid_to IS NULL AND {predicates.VISIBLE} ORDER BY m.seq DESC LIMIT ?",
            (namespace, about, limit),
        )
        return [
            Known(
                memory_id=row["id"],
                text=row["content"],
                kind=row["kind"],
                status=row["status"],
                confidence=row["confidence"],
                occurred_at=from_us(row["occurred_at"]),
                turns=tuple(turn for turn, _ in json.loads(row["evidence"])),
                pages=tuple(dict.fromkeys(page for _, page in json.loads(row["evidence"]))),
            )
            for row in rows
        ]
