"""Consolidations: summaries, their sources, and the record that undoes them, in one transaction."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from ...modules import identifiers
from ...modules.errors import Conflict, NotFound
from ...modules.memory import summarising
from ...modules.memory.models import Kind, Memory, MemoryType
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import from_us, maybe_from_us, to_us
from ...storage.repositories import predicates
from ...storage.repositories.audit import record_change, register_namespace
from ...storage.repositories.memory_rows import as_json
from ...storage.repositories.memory_writing import insert_memory
from ...storage.repositories.predicates import DERIVED_FROM
from ...storage.repositories.turns import CLIENT
from .models import (
    Consolidation,
    Plan,
    SessionTurns,
    SourceShown,
    Summary,
    SummaryDraft,
    SummaryLevel,
    SummaryMethod,
    SummarySource,
)

SOURCE = "consolidation"
IMPORTANCE = 0.3
"""Below that of the sources: answers are to be built on the originals."""
SEEN, UNDONE = "consolidation", "consolidation/undone"
"""Readers in `readings`: of the last turn that a consolidation has seen, and of the sources of an undone summary."""
EXTRACTIVE, ABSTRACTIVE = "extractive", "abstractive"

_COVERED = (
    "EXISTS (SELECT 1 FROM relations r JOIN consolidations o ON o.id = r.evidence AND o.undone_at IS NULL "
    f"WHERE r.to_id = m.id AND r.type = '{DERIVED_FROM}')"
)
_REFUSED = f"EXISTS (SELECT 1 FROM readings x WHERE x.reader = '{UNDONE}' AND x.memory_seq = m.seq)"
_LIVES = (
    f"{predicates.VISIBLE} AND (m.valid_to IS NULL OR m.valid_to > :now) "
    "AND (m.expires_at IS NULL OR m.expires_at > :now)"
)
_OF_SESSION = "(SELECT id FROM sessions WHERE namespace = :namespace AND client = :client AND key = :session)"
_MADE = (  # the summaries of consolidations that stand
    "FROM consolidations c /*then*/ JOIN json_texts(c.summaries) made ON TRUE "
    "/*then*/ JOIN memories m ON m.id = made.value AND m.namespace = c.namespace "
    "WHERE c.namespace = :namespace AND c.undone_at IS NULL"
)
_LEVEL = "CAST(m.metadata ->> 'level' AS BIGINT)"
_READ_NOW = "ON CONFLICT (reader, memory_seq) DO UPDATE SET version = excluded.version"


class ConsolidationRows:
    """Summaries and their sources. What is hidden, expired or no longer true is no source."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def session(self, namespace: str, session: str, generation: int | None, now: datetime) -> SessionTurns:
        """Return the turns of a session to consolidate. Raises NotFound if there is no such session of turns."""
        given = _given(namespace, now, session=session)
        [known] = await self._engine.read(f"SELECT {_OF_SESSION} AS id", given)
        if known["id"] is None:
            raise NotFound(f"session: there is no session {session[:60]!r} with turns; session_list gives valid ids")
        turns = await self._engine.read(
            "SELECT m.seq, m.id, m.version, m.place, m.speaker, t.role, m.content, t.tokens, t.salience, "
            f"m.occurred_at, {_COVERED} AS covered, {_REFUSED} AS refused "
            "FROM turns t JOIN memories m ON m.seq = t.memory_seq "
            f"WHERE t.session = :id AND {_LIVES} ORDER BY m.place",
            {**given, "id": known["id"]},
        )
        made = await self._engine.read(
            f"SELECT m.seq, m.id, m.version, m.content, m.metadata, m.occurred_at, c.id AS origin {_MADE} "
            f"AND c.session = :id AND {_LEVEL} = {int(SummaryLevel.EPISODE)} AND {_LIVES} ORDER BY m.seq",
            {**given, "id": known["id"]},
        )
        left = [row for row in turns if not row["covered"]]
        vectors = await self._vectors([row["seq"] for row in (*left, *made)], generation)
        return SessionTurns(
            session,
            tuple(
                SummarySource(
                    id=row["id"],
                    version=row["version"],
                    place=row["place"],
                    speaker=row["speaker"] or row["role"].capitalize(),
                    text=row["content"],
                    tokens=row["tokens"],
                    salience=row["salience"],
                    occurred_at=from_us(row["occurred_at"]),
                    vectors=vectors.get(row["seq"], ()),
                    origin=session,
                    refused=bool(row["refused"]),
                )
                for row in left
            ),
            tuple(row["place"] for row in turns),
            tuple(_as_source(row, vectors.get(row["seq"], ())) for row in made),
        )

    async def loose(
        self, namespace: str, level: SummaryLevel, generation: int | None, now: datetime, limit: int
    ) -> list[SummarySource]:
        """Return the newest summaries of a level that none of the level above covers, oldest first."""
        rows = await self._engine.read(
            f"SELECT m.seq, m.id, m.version, m.content, m.metadata, m.occurred_at, c.id AS origin {_MADE} "
            f"AND {_LEVEL} = {int(level)} AND {_LIVES} AND NOT {_COVERED} "
            f"AND NOT {_REFUSED} ORDER BY m.seq DESC LIMIT :limit",
            {**_given(namespace, now), "limit": limit},
        )
        vectors = await self._vectors([row["seq"] for row in rows], generation)
        return [_as_source(row, vectors.get(row["seq"], ())) for row in reversed(rows)]

    async def due(
        self, namespace: str, tokens: int, now: datetime, session: str | None = None
    ) -> list[tuple[str, int]]:
        """Return sessions whose uncovered turns have at least `tokens` tokens, with that number.

        Sessions in which nothing was said since a consolidation has seen them are left out.
        """
        rows = await self._engine.read(
            # First the sessions with turns since they were last seen, then the few of these that are long enough,
            # both from an index alone; only for these is it checked what is covered.
            "WITH new AS MATERIALIZED (SELECT s.id FROM sessions s WHERE s.namespace = :namespace "
            "AND s.client = :client AND s.key = coalesce(:only, s.key) AND NOT EXISTS "
            f"(SELECT 1 FROM readings x WHERE x.reader = '{SEEN}' AND x.memory_seq = "
            "(SELECT max(memory_seq) FROM turns t /*by turns_by_session*/ WHERE t.session = s.id))), "
            "long AS MATERIALIZED (SELECT id FROM new WHERE "
            "(SELECT sum(t.tokens) FROM turns t /*by turns_by_session*/ WHERE t.session = new.id) >= :tokens) "
            "SELECT s.key, sum(t.tokens) AS tokens FROM long /*then*/ JOIN sessions s ON s.id = long.id "
            "/*then*/ JOIN turns t ON t.session = s.id /*then*/ JOIN memories m ON m.seq = t.memory_seq "
            f"WHERE {_LIVES} AND NOT {_COVERED} AND NOT {_REFUSED} "
            "GROUP BY s.seq HAVING sum(t.tokens) >= :tokens ORDER BY s.last_at",
            {**_given(namespace, now), "tokens": tokens, "only": session},
        )
        return [(row["key"], row["tokens"]) for row in rows]

    async def keep(self, namespace: str, plan: Plan, now: datetime) -> tuple[Consolidation, list[Summary]]:
        """Store the drafts of a plan, and that its candidates were seen, in one durable transaction.

        A draft whose sources changed, went or were covered meanwhile is left out. Raises Conflict if none is left.
        """

        async def work(connection: Connection) -> tuple[Consolidation, list[Summary]]:
            await register_namespace(connection, namespace, to_us(now))
            drafts = await _possible(connection, namespace, plan.drafts, now)
            if not drafts:
                raise Conflict("session: somebody else has consolidated it in the meantime; nothing was changed")
            episodes = [draft for draft in drafts if draft.level is SummaryLevel.EPISODE]
            consolidation = Consolidation(
                identifiers.new_id("con"),
                plan.session,
                now,
                SummaryMethod.LLM
                if any(draft.method is SummaryMethod.LLM for draft in drafts)
                else SummaryMethod.RULES,
                tuple(draft.id for draft in drafts),
                len({source.id for draft in episodes for source in draft.sources}),
                sum(draft.source_tokens for draft in episodes),
                sum(draft.tokens for draft in episodes),
            )
            await _record(connection, namespace, consolidation)
            summaries = [await _write(connection, namespace, consolidation, draft, now) for draft in drafts]
            await record_change(
                connection, now, namespace, "consolidation.make", consolidation.id, summaries=len(summaries)
            )
            return consolidation, summaries

        return await self._engine.write(work)

    async def note_seen(self, namespace: str, session: str) -> None:
        """Store that a consolidation has seen the turns of a session that no summary covers."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "INSERT INTO readings (memory_seq, reader, version, namespace) "
                "SELECT m.seq, :reader, m.version, m.namespace FROM memories m WHERE m.seq = "
                f"(SELECT max(memory_seq) FROM turns WHERE session = {_OF_SESSION}) {_READ_NOW}",
                {"namespace": namespace, "client": CLIENT, "session": session, "reader": SEEN},
            )

        await self._engine.write(work)

    async def undo(self, namespace: str, consolidation_id: str, now: datetime) -> Consolidation:
        """Archive the summaries of a consolidation and free their sources.

        Raises NotFound, and Conflict if later summaries are made of these.
        """

        async def work(connection: Connection) -> Consolidation:
            await connection.lock(namespace)
            rows = await connection.fetch_all(
                f"{_CONSOLIDATIONS} WHERE c.namespace = ? AND c.id = ?", (namespace, consolidation_id)
            )
            if not rows:
                raise NotFound(
                    f"consolidation_id: there is no consolidation {consolidation_id[:60]!r}; apply answers with its id"
                )
            found = _consolidation(rows[0])
            if found.undone_at is not None:
                raise Conflict(f"consolidation_id: {found.id} was already undone")
            later = await connection.fetch_all(
                "SELECT DISTINCT c.id FROM relations r JOIN consolidations c ON c.id = r.evidence "
                f"WHERE r.type = '{DERIVED_FROM}' AND c.undone_at IS NULL AND c.id <> ? "
                "AND r.to_id IN (SELECT value FROM json_texts(?))",
                (found.id, as_json(found.summaries)),
            )
            for row in later:
                raise Conflict(f"consolidation_id: later summaries are based on these; undo {row['id']} first")
            await connection.execute(
                "UPDATE memories SET status = 'archived' WHERE namespace = ? AND status <> 'forgotten' "
                "AND id IN (SELECT value FROM json_texts(?))",
                (namespace, as_json(found.summaries)),
            )
            await connection.execute(
                "INSERT INTO readings (memory_seq, reader, version, namespace) "
                "SELECT m.seq, ?, m.version, m.namespace FROM relations r JOIN memories m ON m.id = r.to_id "
                f"WHERE r.evidence = ? AND r.type = '{DERIVED_FROM}' {_READ_NOW}",
                (UNDONE, found.id),
            )
            await connection.execute("UPDATE consolidations SET undone_at = ? WHERE id = ?", (to_us(now), found.id))
            await record_change(connection, now, namespace, "consolidation.undo", found.id)
            [row] = await connection.fetch_all(f"{_CONSOLIDATIONS} WHERE c.id = ?", (found.id,))
            return _consolidation(row)

        return await self._engine.write(work)

    async def consolidations(self, namespace: str, session: str | None, limit: int) -> list[Consolidation]:
        """Return consolidations, newest first."""
        where, given = "c.namespace = :namespace", {"namespace": namespace, "client": CLIENT, "limit": limit}
        if session is not None:
            where, given = f"{where} AND c.session = {_OF_SESSION}", {**given, "session": session}
        rows = await self._engine.read(f"{_CONSOLIDATIONS} WHERE {where} ORDER BY c.seq DESC LIMIT :limit", given)
        return [_consolidation(row) for row in rows]

    async def summaries(
        self, namespace: str, session: str | None, level: SummaryLevel | None, now: datetime, limit: int
    ) -> list[Summary]:
        """Return the current summaries, newest first; of a session, its episodes and what was made of them."""
        given: dict[str, Any] = {**_given(namespace, now, session=session or ""), "limit": limit}
        where = _LIVES if session is None else f"{_LIVES} AND c.session = {_OF_SESSION}"
        if level is not None:
            where += f" AND {_LEVEL} = {int(level)}"
        rows = await self._engine.read(
            "SELECT m.id, m.content, m.metadata, m.created_at, c.id AS consolidation, (SELECT json_arrayagg(id) "
            "FROM (SELECT o.id FROM relations r JOIN memories o ON o.id = r.to_id WHERE r.from_id = m.id "
            f"AND r.type = '{DERIVED_FROM}' ORDER BY o.place, o.seq)) AS sources "
            f"{_MADE} AND {where} ORDER BY c.seq DESC, m.seq LIMIT :limit",
            given,
        )
        return [_summary(row) for row in rows]

    async def evidence(self, namespace: str, summaries: Sequence[str], now: datetime) -> dict[str, list[SourceShown]]:
        """Return, for each summary, its sources that may still be shown, in order."""
        found: dict[str, list[SourceShown]] = {}
        for row in await self._engine.read(
            "SELECT r.from_id AS summary, m.id, m.content, m.occurred_at FROM json_texts(?) given "
            f"/*then*/ JOIN relations r ON r.from_id = given.value AND r.type = '{DERIVED_FROM}' "
            "JOIN memories m ON m.id = r.to_id "
            f"AND m.namespace = ? AND (m.expires_at IS NULL OR m.expires_at > ?) AND {predicates.VISIBLE} "
            "ORDER BY m.place, m.seq",
            (json.dumps(list(summaries)), namespace, to_us(now)),
        ):
            of_summary = found.setdefault(row["summary"], [])
            of_summary.append(SourceShown(row["id"], row["content"], from_us(row["occurred_at"])))
        return found

    async def _vectors(self, seqs: Sequence[int], generation: int | None) -> dict[int, tuple[bytes, ...]]:
        """Return the vectors of memories' passages, in order; none without a generation."""
        if generation is None or not seqs:
            return {}
        rows = await self._engine.read(
            "SELECT memory_seq, vector FROM embeddings WHERE generation = ? "
            "AND memory_seq IN (SELECT value FROM json_numbers(?)) ORDER BY memory_seq, part",
            (generation, json.dumps(list(seqs))),
        )
        found: dict[int, tuple[bytes, ...]] = {}
        for row in rows:
            found[row["memory_seq"]] = (*found.get(row["memory_seq"], ()), row["vector"])
        return found


_CONSOLIDATIONS = (
    "SELECT c.id, s.key AS session, c.at, c.method, c.summaries, c.sources, c.tokens_before, c.tokens_after, "
    "c.undone_at FROM consolidations c LEFT JOIN sessions s ON s.id = c.session"
)


def _given(namespace: str, now: datetime, session: str = "") -> dict[str, Any]:
    return {"namespace": namespace, "client": CLIENT, "session": session, "now": to_us(now)}


async def _possible(
    connection: Connection, namespace: str, drafts: Iterable[SummaryDraft], now: datetime
) -> list[SummaryDraft]:
    """Return the drafts whose sources are unchanged and uncovered, or are themselves drafts that are kept."""
    possible: dict[str, SummaryDraft] = {}
    taken: set[str] = set()
    for draft in drafts:
        stored = [source for source in draft.sources if source.id not in possible]
        rows = await connection.fetch_all(
            "SELECT m.id, m.version FROM json_texts(:ids) given /*then*/ JOIN memories m ON m.id = given.value "
            f"WHERE m.namespace = :namespace AND {_LIVES} AND NOT {_COVERED}",
            {**_given(namespace, now), "ids": as_json([source.id for source in stored])},
        )
        versions = {row["id"]: row["version"] for row in rows}
        ids = {source.id for source in draft.sources}
        if all(versions.get(source.id) == source.version for source in stored) and not ids & taken:
            possible[draft.id] = draft
            taken |= ids
    return list(possible.values())


async def _record(connection: Connection, namespace: str, made: Consolidation) -> None:
    await connection.execute(
        "INSERT INTO consolidations (id, namespace, session, at, method, summaries, sources, tokens_before, "
        f"tokens_after) VALUES (:id, :namespace, {_OF_SESSION}, :at, :method, :summaries, :sources, :before, :after)",
        {
            "id": made.id,
            "namespace": namespace,
            "client": CLIENT,
            "session": made.session,
            "at": to_us(made.at),
            "method": made.method.value,
            "summaries": as_json(made.summaries),
            "sources": made.sources,
            "before": made.tokens_before,
            "after": made.tokens_after,
        },
    )


async def _write(
    connection: Connection, namespace: str, made: Consolidation, draft: SummaryDraft, now: datetime
) -> Summary:
    sources = tuple(source.id for source in draft.sources)
    [row] = await connection.fetch_all(
        "SELECT min(confidence) AS confidence, min(trust) AS trust FROM memories "
        "WHERE id IN (SELECT value FROM json_texts(?))",
        (as_json(sources),),
    )
    about = {
        "level": int(draft.level),
        "method": draft.method.value,
        "form": EXTRACTIVE if draft.method is SummaryMethod.RULES else ABSTRACTIVE,
        "consolidation": made.id,
        "cluster_size": len(sources),
        "tokens": draft.tokens,
        **({} if draft.session is None else {"session": draft.session}),
    }
    memory = Memory(
        id=draft.id,
        namespace=namespace,
        memory_type=MemoryType.EPISODIC,
        content=draft.text,
        summary=summarising.summary(draft.text),
        tags=(),
        importance=IMPORTANCE,
        metadata=about,
        source=SOURCE,
        occurred_at=draft.occurred_at,
        created_at=now,
        updated_at=now,
        accessed_at=now,
        access_count=0,
        version=1,
        kind=Kind.SUMMARY,
        # A summary is as good as the weakest of what it was made of.
        confidence=row["confidence"],
        trust=row["trust"],
    )
    # The same text may be a note of somebody's, or a summary that was undone: this one is another memory.
    digest = hashlib.sha256("\x00".join((made.id, draft.id, draft.text)).encode("utf-8", "surrogatepass"))
    await insert_memory(connection, memory, digest.hexdigest())
    await connection.execute_many(
        "INSERT INTO relations (from_id, to_id, type, weight, evidence, created_at) VALUES (?, ?, ?, 1.0, ?, ?)",
        [(draft.id, source, DERIVED_FROM, made.id, to_us(now)) for source in sources],
    )
    await connection.execute(
        "DELETE FROM readings WHERE reader = ? AND memory_seq IN (SELECT seq FROM memories WHERE id IN "
        "(SELECT value FROM json_texts(?)))",
        (UNDONE, as_json(sources)),
    )
    return Summary(draft.id, draft.level, draft.method, draft.text, draft.tokens, draft.session, sources, made.id, now)


def _as_source(row: Row, vectors: tuple[bytes, ...]) -> SummarySource:
    """Return a summary as a source for the level above."""
    return SummarySource(
        id=row["id"],
        version=row["version"],
        place=0,
        speaker="",
        text=row["content"],
        tokens=json.loads(row["metadata"])["tokens"],
        salience=None,
        occurred_at=from_us(row["occurred_at"]),
        vectors=vectors,
        origin=row["origin"],
    )


def _consolidation(row: Row) -> Consolidation:
    return Consolidation(
        row["id"],
        row["session"],
        from_us(row["at"]),
        SummaryMethod(row["method"]),
        tuple(json.loads(row["summaries"])),
        row["sources"],
        row["tokens_before"],
        row["tokens_after"],
        maybe_from_us(row["undone_at"]),
    )


def _summary(row: Row) -> Summary:
    about = json.loads(row["metadata"])
    return Summary(
        id=row["id"],
        level=SummaryLevel(about["level"]),
        method=SummaryMethod(about["method"]),
        text=row["content"],
        tokens=about["tokens"],
        session=about.get("session"),
        sources=tuple(json.loads(row["sources"])),
        consolidation=row["consolidation"],
        created_at=from_us(row["created_at"]),
    )
