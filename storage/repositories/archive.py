"""Memories outside of recall: the strongest, the fading, history, counts, expiry."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from ...modules.facts.models import CONTRADICTS
from ...modules.judging import erasing
from ...modules.memory.lifecycle import BELIEVED
from ...modules.memory.models import Memory, MemoryFilter, MemoryStatistics, MemoryType, MemoryVersion
from ...modules.memory.vouching import is_vouched
from ...modules.sessions.models import ANSWERED
from ...modules.text.scripts import key_form
from ..engine.ports import Connection, Engine, Row
from ..engine.times import MICROSECONDS_A_DAY, day_in, day_of, from_us, to_us
from . import predicates
from .change_rows import CONFIRMED
from .memory_rows import COLUMNS, to_memory
from .rows import TransactionRows

# The same formula as modules.memory.formulas.strength, which tests hold equal to it.
STRENGTH = (
    f"greatest(0.0, 1.0 - ? * (1.0 - m.importance) * greatest(0.0, (? - m.accessed_at) / {MICROSECONDS_A_DAY}.0))"
)

IGNORED_TIMES = 3
_IGNORED = (  # an answer that draws on a memory is an access
    "SELECT t.entry FROM shown_context a JOIN shown_context t ON t.session = a.session "
    "JOIN memories o ON o.id = t.entry AND o.accessed_at < t.shown_at "
    "WHERE a.entry = ? AND a.shown_at >= t.shown_at GROUP BY t.entry HAVING count(*) >= ?"
)
"""The memories that so many sessions were given since their last use, and that no answer of theirs drew on."""
STOOD_UP_FOR = timedelta(days=30)
"""How long a memory is not archived for want of room after somebody has confirmed it or brought it back."""
_ORDINARY = f"m.kind <> 'episode' AND m.expires_at IS NULL AND {predicates.VISIBLE}"
"""Memories that count for the capacity of a namespace."""


STEPS = 16
"""How often the next less important memories are read to find the strongest, until all are compared."""
_BY_IMPORTANCE = "m.importance DESC, m.accessed_at DESC, m.seq DESC"


def _highest(scores: Mapping[int, float], limit: int) -> dict[int, float]:
    """Return the highest scores, and of equal ones those of the newest memories."""
    return dict(sorted(scores.items(), key=lambda one: (-one[1], -one[0]))[:limit])


class ArchiveRepository:
    """Memories asked for otherwise than by recall: the strongest, the fading, history, counts, expiry."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def strongest(self, namespace: str, decay_rate: float, now: datetime, limit: int) -> list[Memory]:
        """Return memories by importance × strength, highest first; no candidates, which nobody has confirmed."""
        scores = await self._strongest(namespace, decay_rate, now, limit)
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE m.seq IN ({', '.join('?' * len(scores)) or 'NULL'})", list(scores)
        )
        return [to_memory(row) for row in sorted(rows, key=lambda row: (-scores[row["seq"]], -row["seq"]))]

    async def _strongest(self, namespace: str, decay_rate: float, now: datetime, limit: int) -> dict[int, float]:
        """Return the score of each of the strongest, by its number: read by importance, which no score exceeds.

        Of those that are equally important, the strongest are those used last.
        """
        best: dict[int, float] = {}
        place: tuple[str, tuple[Any, ...]] = ("TRUE", ())
        alike: tuple[float, int] = (-1.0, 0)
        for _ in range(STEPS):
            rows = await self._scored(namespace, decay_rate, now, *place, _BY_IMPORTANCE, limit)
            best = _highest({**best, **{row["seq"]: row["score"] for row in rows}}, limit)
            if len(rows) < limit:
                break
            importance, accessed_at, seq = (rows[-1][name] for name in ("importance", "accessed_at", "seq"))
            count = sum(row["importance"] == importance for row in rows)
            alike = (importance, count + (alike[1] if alike[0] == importance else 0))
            least = min(best.values())
            if least > importance:
                return best
            if alike[1] >= limit:
                place = ("m.importance < ?", (importance,))
            else:
                place = ("(m.importance, m.accessed_at, m.seq) < (?, ?, ?)", (importance, accessed_at, seq))
        else:  # nearly every one has an importance of its own
            rows = await self._scored(namespace, decay_rate, now, "TRUE", (), "score DESC, m.seq DESC", limit)
            return {row["seq"]: row["score"] for row in rows}
        if len(best) == limit and not min(best.values()):  # of what has faded wholly, the newest
            rows = await self._scored(namespace, decay_rate, now, "TRUE", (), "m.seq DESC", limit)
            best = _highest({**best, **{row["seq"]: row["score"] for row in rows}}, limit)
        return best

    async def _scored(
        self, namespace: str, decay_rate: float, now: datetime, beyond: str, place: Sequence[Any], by: str, limit: int
    ) -> list[Row]:
        chosen = predicates.for_memories(namespace, MemoryFilter(statuses=BELIEVED), now)
        chosen.add(beyond, *place)
        return await self._engine.read(
            f"SELECT m.seq, m.importance, m.accessed_at, m.importance * {STRENGTH} AS score FROM memories m "
            f"WHERE {chosen.sql} ORDER BY {by} LIMIT ?",
            (decay_rate, to_us(now), *chosen.parameters, limit),
        )

    async def daily(self, namespace: str, since: datetime, until: datetime, zone: tzinfo = UTC) -> Mapping[date, int]:
        """Return how many memories happened on each day of a zone from a moment until another, where there are any."""
        day = day_in(zone, "m.occurred_at", since, until)
        rows = await self._engine.read(
            f"SELECT {day} AS day, count(*) AS total FROM memories m "
            f"WHERE m.namespace = ? AND m.occurred_at >= ? AND m.occurred_at < ? AND {predicates.VISIBLE} "
            f"GROUP BY {day}",
            (namespace, to_us(since), to_us(until)),
        )
        return {day_of(row["day"]): row["total"] for row in rows}

    async def happened_before(self, namespace: str, moment: datetime) -> bool:
        """Return whether any memory happened before a moment."""
        # In the order of the index: the first that is visible ends it.
        rows = await self._engine.read(
            f"SELECT m.seq FROM memories m WHERE m.namespace = ? AND m.occurred_at < ? AND {predicates.VISIBLE} "
            "ORDER BY m.occurred_at DESC LIMIT 1",
            (namespace, to_us(moment)),
        )
        return bool(rows)

    async def weakest(self, namespace: str, capacity: int, decay_rate: float, now: datetime, limit: int) -> list[str]:
        """Return the ids of up to `limit` memories beyond a capacity, the weakest first.

        Neither turns nor what expires counts; what is contested or was confirmed by a human is not returned.
        """
        [counted] = await self._engine.read(
            f"SELECT count(*) AS total FROM memories m WHERE m.namespace = ? AND {_ORDINARY}", (namespace,)
        )
        beyond = min(int(counted["total"]) - capacity, limit)
        if beyond <= 0:
            return []
        rows = await self._engine.read(
            f"SELECT m.id FROM memories m WHERE m.namespace = ? AND {_ORDINARY} AND m.status <> 'contested' "
            "AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.memory_id = m.id AND c.namespace = m.namespace "
            "AND c.by = 'human' AND c.action = 'confirm' AND c.reverted_by IS NULL) "
            # Nor what somebody has stood up for lately.
            "AND NOT EXISTS (SELECT 1 FROM change_memories x JOIN changes c ON c.seq = x.change "
            "AND c.namespace = m.namespace "
            "WHERE x.memory_id = m.id AND c.by <> 'job' AND c.at >= ? "
            "AND c.action IN ('confirm', 'restore', 'revert')) "
            f"ORDER BY (m.valid_to IS NOT NULL AND m.valid_to <= ?) DESC, m.importance * {STRENGTH}, m.seq LIMIT ?",
            (namespace, to_us(now - STOOD_UP_FOR), to_us(now), decay_rate, to_us(now), beyond),
        )
        return [row["id"] for row in rows]

    async def idle(
        self,
        namespace: str,
        statuses: Sequence[str],
        before: datetime,
        ignored_before: datetime,
        max_importance: float,
        limit: int,
    ) -> list[str]:
        """Return the ids of memories of these statuses that were last used before a moment.

        Those that three sessions or more were shown since, and none of their answers drew on, count from
        `ignored_before` on. Only of those less important than `max_importance`.
        """
        rows = await self._engine.read(
            "SELECT id FROM memories WHERE seq IN (SELECT m.seq FROM memories m WHERE m.namespace = ? "
            f"AND m.importance < ? AND m.accessed_at < ? AND (m.accessed_at < ? OR m.id IN ({_IGNORED})) "
            "AND m.expires_at IS NULL AND m.valid_to IS NULL "
            f"AND m.status IN ({', '.join('?' * len(statuses))}) "
            # Not idle: somebody has judged it since, or restored it.
            "AND NOT EXISTS (SELECT 1 FROM change_memories x JOIN changes c ON c.seq = x.change "
            "AND c.namespace = m.namespace "
            "WHERE x.memory_id = m.id AND c.by <> 'job' AND c.at >= ?) ORDER BY m.accessed_at LIMIT ?)",
            (
                namespace,
                max_importance,
                to_us(ignored_before),
                to_us(before),
                ANSWERED,
                IGNORED_TIMES,
                *statuses,
                to_us(before),
                limit,
            ),
        )
        return [row["id"] for row in rows]

    async def unchanged_since(self, namespace: str, before: datetime, limit: int) -> list[str]:
        """Return the ids of memories that are not hidden and that nobody wrote since a moment, the oldest first."""
        rows = await self._engine.read(
            f"SELECT m.id FROM memories m WHERE m.namespace = ? AND m.updated_at < ? AND {predicates.VISIBLE} "
            "AND m.status <> 'contested' ORDER BY m.updated_at, m.seq LIMIT ?",
            (namespace, to_us(before), limit),
        )
        return [row["id"] for row in rows]

    async def fading(
        self, namespace: str, decay_rate: float, now: datetime, min_importance: float, max_strength: float, limit: int
    ) -> list[Memory]:
        """Return important memories whose strength has fallen below a bound, the most important first."""
        chosen = predicates.for_memories(namespace, MemoryFilter(min_importance=min_importance), now)
        chosen.add(f"{STRENGTH} < ?", decay_rate, to_us(now), max_strength)
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE {chosen.sql} ORDER BY m.importance DESC, m.seq LIMIT ?",
            (*chosen.parameters, limit),
        )
        return [to_memory(row) for row in rows]

    async def history(self, namespace: str, memory_id: str) -> list[MemoryVersion]:
        """Return a memory's earlier states, newest first."""
        rows = await self._engine.read(
            "SELECT v.* FROM memory_versions v JOIN memories m ON m.seq = v.memory_seq "
            "WHERE m.namespace = ? AND m.id = ? ORDER BY v.version DESC",
            (namespace, memory_id),
        )
        return [
            MemoryVersion(
                version=row["version"],
                content=row["content"],
                memory_type=MemoryType(row["memory_type"]),
                tags=tuple(json.loads(row["tags"])),
                importance=row["importance"],
                metadata=json.loads(row["metadata"]),
                replaced_at=from_us(row["replaced_at"]),
            )
            for row in rows
        ]

    async def known_hashes(self, namespace: str, hashes: Sequence[str]) -> Mapping[str, str]:
        """Return the ids of the memories of a namespace that have some content hashes, by these."""
        rows = await self._engine.read(
            "SELECT content_hash, id FROM memories "
            "WHERE namespace = ? AND content_hash IN (SELECT value FROM json_texts(?))",
            (namespace, json.dumps(list(hashes))),
        )
        return {row["content_hash"]: row["id"] for row in rows}

    async def vouched(self, namespace: str, tag: str, now: datetime) -> list[Memory]:
        """Return the memories with a tag that hold and that a person confirmed as they read now, the newest first."""
        rows = await self._engine.read(
            f"SELECT {COLUMNS}, c.reason FROM memory_tags t /*then*/ JOIN memories m ON m.seq = t.memory_seq "
            f"{CONFIRMED} WHERE t.namespace = ? AND t.tag = ? AND {predicates.VISIBLE} "
            "AND (m.expires_at IS NULL OR m.expires_at > ?) AND (m.valid_to IS NULL OR m.valid_to > ?) "
            "ORDER BY m.seq DESC",
            (namespace, key_form(tag), to_us(now), to_us(now)),
        )
        confirmed = [(to_memory(row), row["reason"]) for row in rows]
        return list({memory.id: memory for memory, reason in confirmed if is_vouched(memory, reason)}.values())

    async def contesting(self, namespace: str, memory_id: str) -> list[str]:
        """Return the ids of the contested memories that contradict one."""
        rows = await self._engine.read(
            f"SELECT r.from_id FROM relations r JOIN memories m ON m.id = r.from_id WHERE r.to_id = ? "
            f"AND r.type = '{CONTRADICTS}' AND m.namespace = ? AND m.status = 'contested'",
            (memory_id, namespace),
        )
        return [row["from_id"] for row in rows]

    async def statistics(self, namespace: str, now: datetime) -> MemoryStatistics:
        """Return counts over a namespace."""
        chosen = predicates.for_memories(namespace, MemoryFilter(), now)
        [row] = await self._engine.read(
            "SELECT count(*) AS total, count(*) FILTER (WHERE m.importance < 0.2) AS low FROM memories m WHERE "
            f"{chosen.sql}",
            chosen.parameters,
        )
        return MemoryStatistics(total=row["total"], low_importance=row["low"])

    async def erase_expired_everywhere(self, now: datetime) -> int:
        """Delete working memories whose time is over; return how many."""
        if not await self._engine.read("SELECT 1 FROM memories WHERE expires_at <= ? LIMIT 1", (to_us(now),)):
            return 0

        async def work(connection: Connection) -> int:
            rows = await connection.fetch_all(
                f"SELECT {COLUMNS} FROM memories m WHERE m.expires_at <= ?", (to_us(now),)
            )
            for row in rows:
                await erasing.erase(TransactionRows(connection), to_memory(row), now, "memory.expire")
            return len(rows)

        return await self._engine.erase(work)

    async def erase_forgotten_everywhere(self, before: datetime, now: datetime) -> int:
        """Erase for good what was forgotten before a moment; return how many."""
        chosen = (
            # SELDOM_SHOWN, which holds for all of them, names the index of the few that are hidden.
            f"SELECT {COLUMNS} FROM memories m WHERE {predicates.SELDOM_SHOWN} AND m.status = 'forgotten' AND coalesce("
            "(SELECT max(c.at) FROM change_memories x JOIN changes c ON c.seq = x.change "
            "WHERE x.memory_id = m.id AND c.action = 'forget' AND c.reverted_by IS NULL), m.updated_at) < ?"
        )
        if not await self._engine.read(f"{chosen} LIMIT 1", (to_us(before),)):
            return 0

        async def work(connection: Connection) -> int:
            rows = await connection.fetch_all(chosen, (to_us(before),))
            for row in rows:
                await erasing.erase(TransactionRows(connection), to_memory(row), now, "memory.erase")
            return len(rows)

        return await self._engine.erase(work)
