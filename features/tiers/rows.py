"""Tiers: pages on their way into segments, promotions, and the views of each tier's memories."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ...modules import identifiers
from ...modules.facts.models import EVIDENCE_OF
from ...modules.memory.models import MemoryFilter
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import from_us, maybe_from_us, to_us
from ...storage.repositories import predicates
from ...storage.repositories.audit import record_change
from ...storage.repositories.memory_rows import as_json
from ...storage.repositories.queue import insert_task
from ...storage.repositories.turns import CLIENT
from .formulas import PROCEDURAL_KINDS, is_hot
from .models import (
    PROMOTION,
    Outline,
    PageTurn,
    Placing,
    RestoredSegment,
    Segment,
    Side,
    Tier,
    TierPage,
    TierSettings,
    Topic,
)

KNOWLEDGE_KINDS = ("fact", "preference", "knowledge")
"""The kinds of knowledge that are bounded; attributes, which are the profile's, are not."""

_OWN = (
    "id, namespace, summary, keywords, visits, interactions, promotions, retrievals, last_visit_at, created_at, "
    "archived_at, (SELECT count(*) FROM pages WHERE segment = {}.seq) AS pages"
)
_SEGMENT = ", ".join(f"g.{column}" if column[0] != "(" else column for column in _OWN.format("g").split(", "))
_RETURNED = _OWN.format("segments")

_OF_TURNS = (
    "SELECT p.segment FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
    "/*then*/ JOIN turns t ON t.memory_seq = m.seq /*then*/ JOIN pages p ON p.seq = t.page"
)
_PAGE = "p.seq, p.id, p.session, p.number, p.chain, p.gist, g.id AS segment"
_PAGES = f"SELECT {_PAGE} FROM pages p LEFT JOIN segments g ON g.seq = p.segment"
_HAS_TURNS = "EXISTS (SELECT 1 FROM turns t WHERE t.page = p.seq)"
_LAST = "(SELECT max(number) FROM pages WHERE session = p.session)"
_LAST_OF_SESSION = "(SELECT max(number) FROM pages WHERE session = s.id)"
_DUE = f"p.segment IS NULL AND p.number <= {_LAST} - ? AND {_HAS_TURNS}"
_LEAST_RETRIEVED = "ORDER BY retrievals, created_at, seq"

_NEWEST = "SELECT id FROM segments WHERE namespace = ? ORDER BY seq DESC LIMIT 1"

_IS_TURN = "EXISTS (SELECT 1 FROM turns t WHERE t.memory_seq = m.seq)"
_PROCEDURAL = f"(m.memory_type = 'procedural' OR m.kind IN ({', '.join(map(repr, PROCEDURAL_KINDS))}))"
_TURN_ON = "m.seq IN (SELECT t.memory_seq FROM pages p JOIN turns t ON t.page = p.seq WHERE p.namespace = ? AND {})"
_WORKING_TURNS = (
    "m.seq IN (SELECT t.memory_seq FROM sessions s JOIN turns t ON t.session = s.id WHERE s.namespace = ? "
    "AND s.state = 'active' AND t.memory_seq >= coalesce("
    "(SELECT memory_seq FROM turns WHERE session = s.id ORDER BY memory_seq DESC LIMIT 1 OFFSET ? - 1), 0))"
)


class TierRows:
    """Pages and segments, as they are placed, promoted and read; each change is one durable transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def due(self, namespace: str, short_term_pages: int, limit: int) -> list[TierPage]:
        """Return pages beyond the newest `short_term_pages` of their session that are in no segment.

        Those of a session come together, oldest first.
        """
        rows = await self._engine.read(
            "SELECT s.id FROM sessions s WHERE s.namespace = ? AND s.client = ? AND (SELECT p.segment IS NULL "
            f"FROM pages p WHERE p.session = s.id AND p.number <= {_LAST_OF_SESSION} - ? "
            "ORDER BY p.number DESC LIMIT 1)",
            (namespace, CLIENT, short_term_pages),
        )
        if not rows:  # pages move in order: where the last one that may is in a segment, so are all
            return []
        sessions = as_json([row["id"] for row in rows])
        return await self._with_turns(
            await self._engine.read(
                f"{_PAGES} WHERE p.session IN (SELECT value FROM json_texts(?)) AND {_DUE} "
                "ORDER BY p.session, p.number LIMIT ?",
                (sessions, short_term_pages, limit),
            )
        )

    async def place(self, namespace: str, placing: Placing, capacity: int, now: datetime) -> Segment | None:
        """Put a page into a segment and return the segment; queue a promotion if that makes it hot.

        A new segment beyond `capacity` archives the least retrieved of those before it (of several the oldest). None,
        and nothing is changed, if the page is in a segment already, it is not its turn, or what decided about it has
        changed.
        """

        async def work(connection: Connection) -> Segment | None:
            await connection.lock(namespace)
            page = await _first(
                connection,
                "SELECT seq FROM pages q WHERE q.id = ? AND q.namespace = ? AND q.segment IS NULL AND NOT EXISTS "
                f"(SELECT 1 FROM pages p WHERE p.session = q.session AND p.number < q.number AND p.segment IS NULL "
                f"AND {_HAS_TURNS})",
                (placing.page, namespace),
            )
            newest = await _first(connection, _NEWEST, (namespace,))
            if page is None or (None if newest is None else newest["id"]) != placing.newest:
                return None
            if not await _stands(connection, placing.topic):
                return None
            described = (placing.topic.summary, as_json(placing.topic.keywords))
            if placing.segment is None:
                await _make_room(connection, namespace, capacity, None, now)
                row = await _first(
                    connection,
                    "INSERT INTO segments (id, namespace, summary, keywords, interactions, last_visit_at, created_at) "
                    f"VALUES (?, ?, ?, ?, 1, ?, ?) RETURNING seq, {_RETURNED}",
                    (identifiers.new_id("seg"), namespace, *described, to_us(now), to_us(now)),
                )
            else:
                row = await _first(
                    connection,
                    "UPDATE segments SET summary = ?, keywords = ?, interactions = interactions + 1, "
                    "last_visit_at = greatest(last_visit_at, ?) WHERE id = ? AND namespace = ? AND archived_at IS NULL "
                    f"RETURNING seq, {_RETURNED}",
                    (*described, to_us(now), placing.segment, namespace),
                )
            if row is None:  # it was evicted meanwhile
                return None
            await connection.execute("UPDATE pages SET segment = ? WHERE seq = ?", (row["seq"], page["seq"]))
            segment = _to_segment(row)
            await _ask_if_hot(connection, segment, now)
            return segment

        return await self._engine.write(work)

    async def segments(self, namespace: str) -> list[Segment]:
        """Return the segments of mid-term memory, oldest first."""
        rows = await self._engine.read(
            f"SELECT {_SEGMENT} FROM segments g WHERE g.namespace = ? AND g.archived_at IS NULL ORDER BY g.seq",
            (namespace,),
        )
        return [_to_segment(row) for row in rows]

    async def outlines(self, namespace: str) -> list[Outline]:
        """Return the described segments of mid-term memory, oldest first."""
        rows = await self._engine.read(
            "SELECT id, summary, keywords, (SELECT count(*) FROM pages WHERE segment = g.seq) FROM segments g "
            "WHERE namespace = ? AND archived_at IS NULL AND summary <> '' ORDER BY seq",
            (namespace,),
        )
        return [Outline(*row) for row in rows]

    async def newest(self, namespace: str) -> str | None:
        """Return the id of the segment that was made last."""
        rows = await self._engine.read(_NEWEST, (namespace,))
        return rows[0]["id"] if rows else None

    async def segment(self, namespace: str, segment_id: str) -> Segment | None:
        """Return a segment by id, evicted or not."""
        rows = await self._engine.read(
            f"SELECT {_SEGMENT} FROM segments g WHERE g.namespace = ? AND g.id = ?", (namespace, segment_id)
        )
        return _to_segment(rows[0]) if rows else None

    async def undescribed(self, namespace: str, limit: int) -> list[Segment]:
        """Return segments whose summary has to be written anew and whose pages have text."""
        rows = await self._engine.read(
            f"SELECT {_SEGMENT} FROM segments g WHERE g.namespace = ? AND g.summary = '' AND EXISTS "
            "(SELECT 1 FROM pages p JOIN turns t ON t.page = p.seq JOIN memories m ON m.seq = t.memory_seq "
            f"WHERE p.segment = g.seq AND {predicates.VISIBLE}) ORDER BY g.seq LIMIT ?",
            (namespace, limit),
        )
        return [_to_segment(row) for row in rows]

    async def describe(self, segment: Segment, topic: Topic) -> bool:
        """Store the summary and keywords of a segment without any; False if its turns have changed meanwhile."""

        async def work(connection: Connection) -> bool:
            if not await _stands(connection, topic):
                return False
            changed = await connection.execute(
                "UPDATE segments SET summary = ?, keywords = ? WHERE id = ? AND summary = ''",
                (topic.summary, as_json(topic.keywords), segment.id),
            )
            return changed > 0

        return await self._engine.write(work)

    async def pages(self, namespace: str, segment_ids: Sequence[str], limit: int) -> list[TierPage]:
        """Return the newest pages of each of the given segments, oldest first."""
        found: list[Row] = []
        for segment_id in segment_ids:
            rows = await self._engine.read(
                f"SELECT {_PAGE} FROM segments g JOIN pages p ON p.segment = g.seq "
                "WHERE g.id = ? AND g.namespace = ? ORDER BY p.seq DESC LIMIT ?",
                (segment_id, namespace, limit),
            )
            found += rows[::-1]
        return await self._with_turns(found)

    async def vectors(self, namespace: str, pages: Sequence[TierPage], generation: int) -> Mapping[str, list[bytes]]:
        """Return the vectors of all passages of the pages' turns, by the page's id."""
        rows = await self._engine.read(
            "SELECT p.id, e.vector FROM json_texts(?) given /*then*/ JOIN pages p ON p.id = given.value "
            "/*then*/ JOIN turns t ON t.page = p.seq /*then*/ JOIN memories m ON m.seq = t.memory_seq "
            "/*then*/ JOIN embeddings e ON e.generation = ? AND e.memory_seq = m.seq "
            f"WHERE p.namespace = ? AND {predicates.VISIBLE}",
            (as_json([page.id for page in pages]), generation, namespace),
        )
        found: dict[str, list[bytes]] = {}
        for row in rows:
            found.setdefault(row["id"], []).append(row["vector"])
        return found

    async def segment_vectors(
        self, namespace: str, segment_ids: Sequence[str], generation: int, pages: int
    ) -> Mapping[str, list[bytes]]:
        """Return the vectors of the turns on the newest `pages` of segments, by the segment's id."""
        rows = await self._engine.read(
            "SELECT g.id, e.vector FROM json_texts(?) given /*then*/ JOIN segments g ON g.id = given.value "
            "/*then*/ JOIN pages p ON p.segment = g.seq AND p.seq >= coalesce("
            "(SELECT seq FROM pages WHERE segment = g.seq ORDER BY seq DESC LIMIT 1 OFFSET ? - 1), 0) "
            "/*then*/ JOIN turns t ON t.page = p.seq /*then*/ JOIN memories m ON m.seq = t.memory_seq "
            "/*then*/ JOIN embeddings e ON e.generation = ? AND e.memory_seq = m.seq "
            f"WHERE g.namespace = ? AND {predicates.VISIBLE}",
            (as_json(list(segment_ids)), pages, generation, namespace),
        )
        found: dict[str, list[bytes]] = {}
        for row in rows:
            found.setdefault(row["id"], []).append(row["vector"])
        return found

    async def short(self, namespace: str, session: str, limit: int) -> list[TierPage]:
        """Return the newest pages of a session, by the name that its client gave it, oldest first."""
        rows = await self._engine.read(
            f"{_PAGES} JOIN sessions s ON s.id = p.session WHERE s.namespace = ? AND s.client = ? AND s.key = ? "
            f"AND p.number > {_LAST_OF_SESSION} - ? ORDER BY p.number",
            (namespace, CLIENT, session, limit),
        )
        return await self._with_turns(rows)

    async def unanalysed(self, segment: Segment, limit: int) -> list[TierPage]:
        """Return pages of a segment that no promotion has read yet, oldest first."""
        rows = await self._engine.read(
            f"SELECT {_PAGE} FROM segments g JOIN pages p ON p.segment = g.seq "
            "WHERE g.id = ? AND p.analysed_at IS NULL ORDER BY p.seq LIMIT ?",
            (segment.id, limit),
        )
        return await self._with_turns(rows)

    async def analysed(self, namespace: str, page: TierPage, now: datetime) -> None:
        """Mark a page as read by a promotion."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE pages SET analysed_at = ? WHERE namespace = ? AND id = ? AND analysed_at IS NULL",
                (to_us(now), namespace, page.id),
            )

        await self._engine.write(work)

    async def promoted(self, segment: Segment, now: datetime) -> bool:
        """Count a promotion of `segment`, and subtract its visits and interactions.

        False if somebody else has promoted it: its count of promotions differs.
        """

        async def work(connection: Connection) -> bool:
            row = await _first(
                connection,
                "UPDATE segments SET visits = greatest(0, visits - ?), interactions = greatest(0, interactions - ?), "
                "promotions = promotions + 1 WHERE id = ? AND promotions = ? RETURNING 1",
                (segment.visits, segment.interactions, segment.id, segment.promotions),
            )
            if row is not None:
                await record_change(connection, now, segment.namespace, "segment.promote", segment.id)
            return row is not None

        return await self._engine.write(work)

    async def hot(self, namespace: str, now: datetime) -> int:
        """Queue a promotion of each hot segment without a pending one; return how many there were."""
        rows = await self._engine.read(
            f"SELECT {_SEGMENT} FROM segments g WHERE g.namespace = ? AND g.archived_at IS NULL "
            "AND g.visits + g.interactions >= 4 AND NOT EXISTS (SELECT 1 FROM queue q WHERE "
            "q.namespace = g.namespace AND q.type = ? AND q.key = g.id || '/' || g.promotions)",
            (namespace, PROMOTION),
        )
        found = [segment for segment in map(_to_segment, rows) if is_hot(segment, now)]
        if not found:
            return 0

        async def work(connection: Connection) -> int:
            return sum([await _ask_if_hot(connection, segment, now) for segment in found])

        return await self._engine.write(work)

    async def newest_memory(self, namespace: str) -> int:
        """Return a number that rises with each new memory."""
        [row] = await self._engine.read("SELECT coalesce(max(seq), 0) FROM memories WHERE namespace = ?", (namespace,))
        return int(row[0])

    async def evicted(self, namespace: str, limit: int) -> list[Segment]:
        """Return the segments that were archived to make room, the last one first."""
        rows = await self._engine.read(
            f"SELECT {_SEGMENT} FROM segments g WHERE g.namespace = ? AND g.archived_at IS NOT NULL "
            "ORDER BY g.archived_at DESC, g.seq DESC LIMIT ?",
            (namespace, limit),
        )
        return [_to_segment(row) for row in rows]

    async def restore(self, namespace: str, segment_id: str, capacity: int, now: datetime) -> RestoredSegment | None:
        """Restore an evicted segment, counting it as retrieved once more; return None if there is none of that id.

        Beyond `capacity` the least retrieved of the others is archived. A segment that is not evicted stays as it is.
        """

        async def work(connection: Connection) -> RestoredSegment | None:
            await connection.lock(namespace)
            row = await _first(
                connection,
                "UPDATE segments SET archived_at = NULL, retrievals = retrievals + 1, "
                "last_visit_at = greatest(last_visit_at, ?) WHERE id = ? AND namespace = ? AND archived_at IS NOT NULL "
                f"RETURNING {_RETURNED}",
                (to_us(now), segment_id, namespace),
            )
            if row is not None:
                await record_change(connection, now, namespace, "segment.restore", segment_id)
                archived = await _make_room(connection, namespace, capacity, segment_id, now)
                return RestoredSegment(_to_segment(row), archived)
            known = await _first(
                connection, f"SELECT {_SEGMENT} FROM segments g WHERE g.id = ? AND g.namespace = ?",
                (segment_id, namespace),
            )  # fmt: skip
            return None if known is None else RestoredSegment(_to_segment(known))

        return await self._engine.write(work)

    async def listed(
        self, namespace: str, tier: Tier, settings: TierSettings, now: datetime, limit: int, before: int | None
    ) -> list[tuple[int, str]]:
        """Return sequence numbers (below `before`) and ids of the memories of a tier, newest first."""
        chosen = _in_tier(namespace, tier, settings, now)
        if before is not None:
            chosen.add("m.seq < ?", before)
        rows = await self._engine.read(
            f"SELECT m.seq, m.id FROM memories m WHERE {chosen.sql} ORDER BY m.seq DESC LIMIT ?",
            (*chosen.parameters, limit),
        )
        return [(row["seq"], row["id"]) for row in rows]

    async def counts(self, namespace: str, settings: TierSettings, now: datetime) -> Mapping[Tier, int]:
        """Return the size of each tier, in its own unit (see `TierStatus`)."""
        found: dict[Tier, int] = {}
        for tier in (Tier.WORKING, Tier.LONG, Tier.PROCEDURAL):
            chosen = _in_tier(namespace, tier, settings, now)
            [row] = await self._engine.read(f"SELECT count(*) FROM memories m WHERE {chosen.sql}", chosen.parameters)
            found[tier] = row[0]
        [row] = await self._engine.read(
            "SELECT (SELECT count(*) FROM pages p WHERE p.namespace = ?1 "
            f"AND p.number > {_LAST} - ?2 AND {_HAS_TURNS}) AS short, "
            "(SELECT count(*) FROM segments WHERE namespace = ?1 AND archived_at IS NULL) AS mid",
            (namespace, settings.short_term_pages),
        )
        found |= {Tier.SHORT: row["short"], Tier.MID: row["mid"]}
        return {tier: found[tier] for tier in Tier}

    async def waiting(self, namespace: str, short_term_pages: int) -> tuple[int, int, int, int]:
        """Count due pages, pending promotions, promotions given up, and evicted segments."""
        [row] = await self._engine.read(
            f"SELECT (SELECT count(*) FROM pages p WHERE p.namespace = ? AND {_DUE}), "
            "(SELECT count(*) FROM queue WHERE namespace = ? AND type = ? AND state IN ('queued', 'leased')), "
            "(SELECT count(*) FROM queue WHERE namespace = ? AND type = ? AND state = 'dead'), "
            "(SELECT count(*) FROM segments WHERE namespace = ? AND archived_at IS NOT NULL)",
            (namespace, short_term_pages, namespace, PROMOTION, namespace, PROMOTION, namespace),
        )
        return row[0], row[1], row[2], row[3]

    async def knowledge_over(self, namespace: str, side: Side, capacity: int, keep: Sequence[str]) -> list[str]:
        """Return ids of the knowledge beyond `capacity`, to be archived first; never one of `keep`.

        The lowest access count × confidence goes first, of several the oldest.
        """
        kinds = ", ".join(map(repr, KNOWLEDGE_KINDS))
        rows = await self._engine.read(
            f"SELECT m.id FROM memories m WHERE m.namespace = ? AND m.kind IN ({kinds}) AND m.valid_to IS NULL "
            f"AND {predicates.VISIBLE} AND {predicates.FOUND_ABOUT} "
            "ORDER BY m.access_count * m.confidence, m.created_at, m.seq",
            (namespace, side.value),
        )
        protected = frozenset(keep)
        return [row["id"] for row in rows if row["id"] not in protected][: max(0, len(rows) - capacity)]

    async def evidence(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Return, for each memory, the ids of the turns that are evidence of it."""
        rows = await self._engine.read(
            "SELECT given.value AS memory, m.id FROM json_texts(?1) given "
            f"/*then*/ JOIN relations r ON r.to_id = given.value AND r.type = '{EVIDENCE_OF}' "
            "/*then*/ JOIN memories m ON m.id = r.from_id AND m.namespace = ?2 "
            f"/*then*/ JOIN turns t ON t.memory_seq = m.seq WHERE {predicates.VISIBLE} ORDER BY m.seq",
            (as_json(list(memory_ids)), namespace),
        )
        found: dict[str, tuple[str, ...]] = {}
        for row in rows:
            found[row["memory"]] = (*found.get(row["memory"], ()), row["id"])
        return found

    async def _with_turns(self, rows: Sequence[Row]) -> list[TierPage]:
        turns: dict[int, list[PageTurn]] = {}
        for row in await self._engine.read(
            "SELECT t.page, m.id, m.version, t.role, m.content, m.occurred_at FROM json_numbers(?) given "
            "/*then*/ JOIN turns t ON t.page = given.value /*then*/ JOIN memories m ON m.seq = t.memory_seq "
            f"WHERE {predicates.VISIBLE} ORDER BY m.seq",
            (as_json([row["seq"] for row in rows]),),
        ):
            turn = PageTurn(row["id"], row["version"], row["role"], row["content"], from_us(row["occurred_at"]))
            turns.setdefault(row["page"], []).append(turn)
        return [
            TierPage(
                row["id"],
                row["session"],
                row["number"],
                row["chain"],
                row["gist"],
                row["segment"],
                tuple(turns.get(row["seq"], ())),
            )
            for row in rows
        ]


async def visited(connection: Connection, namespaces: Sequence[str], memory_ids: Sequence[str], at: datetime) -> None:
    """Count a visit of each segment that has some of the memories as turns; ask to promote those that are hot now."""
    rows = await connection.fetch_all(
        "UPDATE segments SET visits = visits + 1, retrievals = retrievals + 1, "
        "last_visit_at = greatest(last_visit_at, ?) "
        f"WHERE archived_at IS NULL AND seq IN ({_OF_TURNS}) "
        f"AND namespace IN (SELECT value FROM json_texts(?)) RETURNING {_RETURNED}",
        (to_us(at), as_json(list(memory_ids)), as_json(list(namespaces))),
    )
    for row in rows:
        await _ask_if_hot(connection, _to_segment(row), at)


async def _ask_if_hot(connection: Connection, segment: Segment, now: datetime) -> bool:
    """Add the task of promoting a segment if it is hot, once per promotion; return whether the task is new."""
    if not is_hot(segment, now):
        return False
    payload = {"segment": segment.id, "promotions": segment.promotions}
    key = f"{segment.id}/{segment.promotions}"
    return await insert_task(connection, segment.namespace, PROMOTION, key, payload, now, now)


def _to_segment(row: Row) -> Segment:
    """Return the domain object of a row with _SEGMENT."""
    return Segment(
        id=row["id"],
        namespace=row["namespace"],
        summary=row["summary"],
        keywords=tuple(json.loads(row["keywords"])),
        visits=row["visits"],
        interactions=row["interactions"],
        promotions=row["promotions"],
        retrievals=row["retrievals"],
        last_visit_at=from_us(row["last_visit_at"]),
        created_at=from_us(row["created_at"]),
        archived_at=maybe_from_us(row["archived_at"]),
        pages=row["pages"],
    )


def _in_tier(namespace: str, tier: Tier, settings: TierSettings, now: datetime) -> predicates.Predicates:
    """Return the predicates of the memories of a tier that an answer may contain; in line with `formulas.tiers_of`."""
    chosen = predicates.for_memories(namespace, MemoryFilter(), now)
    if tier is Tier.WORKING:
        lapsing = f"(m.memory_type = 'working' AND NOT {_IS_TURN})"
        chosen.add(f"({lapsing} OR {_WORKING_TURNS})", namespace, settings.working_turns)
    elif tier is Tier.SHORT:
        chosen.add(_TURN_ON.format(f"p.number > {_LAST} - ?"), namespace, settings.short_term_pages)
    elif tier is Tier.MID:
        evicted = "(SELECT seq FROM segments WHERE archived_at IS NOT NULL)"
        below = f"p.number <= {_LAST} - ? AND (p.segment IS NULL OR p.segment NOT IN {evicted})"
        chosen.add(_TURN_ON.format(below), namespace, settings.short_term_pages)
    else:
        wanted = _PROCEDURAL if tier is Tier.PROCEDURAL else f"NOT {_PROCEDURAL}"
        chosen.add(f"m.memory_type <> 'working' AND {wanted} AND NOT {_IS_TURN}")
    return chosen


async def _stands(connection: Connection, topic: Topic) -> bool:
    """Return whether all turns that a topic was read from are unchanged and may still be shown."""
    [row] = await connection.fetch_all(
        "SELECT count(*) FROM json_rows(?) given /*then*/ JOIN memories m ON m.id = given.value ->> 0 "
        f"WHERE m.version = CAST(given.value ->> 1 AS BIGINT) AND {predicates.VISIBLE}",
        (as_json(topic.turns),),
    )
    return bool(row[0] == len(topic.turns))


async def _make_room(
    connection: Connection, namespace: str, capacity: int, arrived: str | None, now: datetime
) -> tuple[str, ...]:
    """Archive the least retrieved segments (of equal ones the oldest) so that one more fits into `capacity`.

    Returns their ids. One that has `arrived` already counts as that one more, and stays.
    """
    [row] = await connection.fetch_all(
        "SELECT count(*) FROM segments WHERE namespace = ? AND archived_at IS NULL AND id IS DISTINCT FROM ?",
        (namespace, arrived),
    )
    rows = await connection.fetch_all(
        "UPDATE segments SET archived_at = ? WHERE seq IN (SELECT seq FROM segments WHERE namespace = ? "
        f"AND archived_at IS NULL AND id IS DISTINCT FROM ? {_LEAST_RETRIEVED} LIMIT ?) RETURNING id",
        (to_us(now), namespace, arrived, max(0, row[0] + 1 - capacity)),
    )
    for evicted in rows:
        await record_change(connection, now, namespace, "segment.archive", evicted["id"])
    return tuple(row["id"] for row in rows)


async def _first(connection: Connection, sql: str, parameters: Iterable[object]) -> Row | None:
    return await connection.fetch_one(sql, tuple(parameters))
