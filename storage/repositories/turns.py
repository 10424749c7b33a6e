"""Conversations: a turn is a memory, with its page and role beside it, in one transaction."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from ...modules import identifiers
from ...modules.errors import Conflict, NotFound
from ...modules.facts.sources import trust_of
from ...modules.judging import guards
from ...modules.memory import dialogue, formulas, lifecycle, summarising
from ...modules.memory.models import Kind, Memory, MemoryType
from ...modules.turns.models import (
    Added,
    Chain,
    NewTurn,
    Page,
    SessionBranch,
    SessionOpening,
    Stretch,
    Turn,
    TurnRole,
    Unweighed,
    Weighable,
)
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, to_us
from .audit import record_change, register_namespace
from .memory_writing import insert_memory
from .pages import title_of, turn_hash
from .predicates import VISIBLE
from .rows import TransactionRows

CLIENT = "turns"
"""The client of sessions of turns; a caller's name of a session is its key."""
PROJECT = "conversations"
MAX_ANCESTORS = 50
BRANCHED = "branched"
"""The event of a session that records from where it inherits."""

_TURN = "m.id, m.session, m.place, p.id AS page, t.role, m.content, t.tokens, t.salience, m.occurred_at"
_FROM = "FROM memories m JOIN turns t ON t.memory_seq = m.seq JOIN pages p ON p.seq = t.page"
_LAST = "m.namespace = ? AND m.session = ? AND m.place <= coalesce(?, m.place) AND " + VISIBLE


class TurnsRepository:
    """Turns of conversations, as they are written, and page by page."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, opening: SessionOpening, turns: Sequence[NewTurn], now: datetime) -> Added:
        """Append turns to a session, all in one durable transaction; those with a known key stay as they are.

        A user's turn opens a page, others join the last one. A new session is created with them. Raises
        NotFound for an unknown parent, Conflict if the session has another one.
        """

        async def work(connection: Connection) -> Added:
            first, last = _span(turns, now)
            session, _ = await _opened(connection, opening, None, now, began=first)
            ids: list[str] = []
            new: list[str] = []
            page: int | None = None
            for turn in turns:
                memory_id, page = await _known(connection, session, turn) or (None, page)
                if memory_id is None:
                    memory_id, page = await _append(connection, opening, session, turn, page, now)
                    new.append(memory_id)
                ids.append(memory_id)
            if new:
                await _revive(connection, session, turns, first, last)
            found = {turn.memory_id: turn for turn in await _turns(connection, ids)}
            return Added(session, tuple(found[memory_id] for memory_id in ids), len(new))

        return await self._engine.write(work)

    async def known(self, namespace: str, session: str, keys: Sequence[str]) -> list[str]:
        """Return those of the keys under which a session has a turn."""
        rows = await self._engine.read(
            "SELECT t.key FROM sessions s JOIN turns t ON t.session = s.id JOIN json_texts(?) given "
            "ON given.value = t.key WHERE s.namespace = ? AND s.client = ? AND s.key = ?",
            (json.dumps(keys), namespace, CLIENT, session),
        )
        return [row["key"] for row in rows]

    async def known_anywhere(self, namespace: str, keys: Sequence[str]) -> list[str]:
        """Return those of the keys under which any session has a turn."""
        rows = await self._engine.read(
            "SELECT DISTINCT t.key FROM json_texts(?) given JOIN turns t ON t.namespace = ? AND t.key = given.value",
            (json.dumps(keys), namespace),
        )
        return [row["key"] for row in rows]

    async def branch(self, opening: SessionOpening, place: int | None, now: datetime) -> SessionBranch:
        """Create a session that branches off from its parent after a place, or after its last turn; once per name.

        Raises NotFound for an unknown parent, Conflict if the session exists with another one.
        """

        async def work(connection: Connection) -> SessionBranch:
            session, is_new = await _opened(connection, opening, place, now)
            [row] = await connection.fetch_all(
                "SELECT structured FROM events WHERE session = ? AND idempotency_key = ?", (session, _branch(session))
            )
            assert opening.parent is not None
            inherited = json.loads(row["structured"])["place"]
            return SessionBranch(session, opening.session, opening.parent, inherited, is_new)

        return await self._engine.write(work)

    async def lineage(self, namespace: str, session: str) -> list[Stretch]:
        """Return the parts of a session: its own turns, then those it inherits, nearest first; empty if unknown."""
        found: list[Stretch] = []
        condition = "s.namespace = ? AND s.client = ? AND s.key = ?"
        value: tuple[str, ...] = (namespace, CLIENT, session)
        until: int | None = None
        while len(found) < MAX_ANCESTORS:
            rows = await self._engine.read(
                "SELECT s.key, s.parent, e.structured FROM sessions s LEFT JOIN events e ON e.session = s.id "
                f"AND e.idempotency_key = s.id || '/{BRANCHED}' WHERE {condition}",
                value,
            )
            if not rows:
                break
            found.append(Stretch(rows[0]["key"], until))
            if rows[0]["parent"] is None or rows[0]["structured"] is None:
                break
            place = json.loads(rows[0]["structured"])["place"]
            until = place if until is None else min(place, until)
            condition, value = "s.id = ?", (rows[0]["parent"],)
        return found

    async def last(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> list[Turn]:
        """Return the last turns of a lineage, in order."""
        found: list[Turn] = []
        for stretch in lineage:
            rows = await self._engine.read(
                f"SELECT {_TURN} {_FROM} WHERE {_LAST} ORDER BY m.place DESC LIMIT ?",
                (namespace, stretch.session, stretch.until, limit - len(found)),
            )
            found += [_turn(row) for row in rows]
            if len(found) >= limit:
                break
        return found[::-1]

    async def mark(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> str:
        """Return a mark that differs whenever `last` would, to validate a cached copy of it."""
        marks: list[str] = []
        count = 0
        for stretch in lineage:
            [row] = await self._engine.read(
                "SELECT count(*), json_arrayagg(json_array(seq, version, salience)) FROM "
                f"(SELECT m.seq, m.version, t.salience {_FROM} WHERE {_LAST} ORDER BY m.place DESC LIMIT ?)",
                (namespace, stretch.session, stretch.until, limit - count),
            )
            count += row[0]
            marks.append(row[1] or "")
            if count >= limit:
                break
        return "/".join(marks)

    async def turns(self, namespace: str, session: str, after: int, limit: int) -> list[Turn]:
        """Return the turns of a session itself after a place, in order."""
        rows = await self._engine.read(
            f"SELECT {_TURN} {_FROM} WHERE m.namespace = ? AND m.session = ? AND m.place > ? AND {VISIBLE} "
            "ORDER BY m.place LIMIT ?",
            (namespace, session, after, limit),
        )
        return [_turn(row) for row in rows]

    async def sizes(self, namespace: str, sessions: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the number of turns that each session has itself, and their tokens."""
        rows = await self._engine.read(
            "SELECT s.key, count(*) AS turns, sum(t.tokens) AS tokens FROM json_texts(?) given /*then*/ JOIN sessions "
            "s "
            "ON s.namespace = ? AND s.client = ? AND s.key = given.value JOIN turns t ON t.session = s.id "
            f"JOIN memories m ON m.seq = t.memory_seq WHERE {VISIBLE} GROUP BY s.key",
            (json.dumps(list(sessions)), namespace, CLIENT),
        )
        return {row["key"]: (row["turns"], row["tokens"]) for row in rows}

    async def pages(self, namespace: str, session: str, after: int, limit: int) -> list[Page]:
        """Return the pages of a session itself after a number, in order."""
        rows = await self._engine.read(
            "SELECT p.seq, p.id, s.key, p.number, p.chain, p.gist, g.id AS segment, p.created_at FROM sessions s "
            "JOIN pages p ON p.session = s.id LEFT JOIN segments g ON g.seq = p.segment "
            "WHERE s.namespace = ? AND s.client = ? AND s.key = ? AND p.number > ? AND EXISTS (SELECT 1 FROM turns t "
            f"JOIN memories m ON m.seq = t.memory_seq WHERE t.page = p.seq AND {VISIBLE}) ORDER BY p.number LIMIT ?",
            (namespace, CLIENT, session, after, limit),
        )
        on_page: dict[str, list[Turn]] = {}
        for row in await self._engine.read(
            f"SELECT {_TURN} {_FROM} WHERE t.page IN (SELECT value FROM json_numbers(?)) AND {VISIBLE} ORDER BY "
            "m.place",
            (json.dumps([row["seq"] for row in rows]),),
        ):
            on_page.setdefault(row["page"], []).append(_turn(row))
        return [
            Page(
                row["id"],
                row["key"],
                row["number"],
                tuple(on_page.get(row["id"], ())),
                row["chain"],
                row["gist"],
                row["segment"],
                from_us(row["created_at"]),
            )
            for row in rows
        ]

    async def chains(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> list[Chain]:
        """Return the chains of several pages with a known gist, the latest first.

        A chain that goes on beyond the end of its stretch is left out, since its gist may be from there.
        """
        found: list[Chain] = []
        for stretch in lineage:
            rows = await self._engine.read(
                "SELECT c.gist, json_arrayagg(p.number) AS pages, max(m.occurred_at) AS at FROM sessions s "
                "JOIN pages p ON p.session = s.id JOIN turns t ON t.page = p.seq "
                "JOIN memories m ON m.seq = t.memory_seq "
                f"JOIN pages c ON c.id = p.chain WHERE s.namespace = ? AND s.client = ? AND s.key = ? AND {VISIBLE} "
                "AND c.gist <> '' GROUP BY c.seq HAVING count(DISTINCT p.seq) > 1 "
                "AND max(m.place) <= coalesce(?, max(m.place)) ORDER BY max(m.place) DESC LIMIT ?",
                (namespace, CLIENT, stretch.session, stretch.until, limit - len(found)),
            )
            found += [Chain(r["gist"], tuple(sorted(set(json.loads(r["pages"])))), from_us(r["at"])) for r in rows]
            if len(found) >= limit:
                break
        return found

    async def unweighed_everywhere(self, limit: int) -> list[Unweighed]:
        """Return sessions with turns whose salience is not known yet."""
        rows = await self._engine.read(
            "SELECT min(m.namespace), min(m.session), min(m.place) AS first FROM turns t /*by turns_without_salience*/ "
            f"JOIN memories m ON m.seq = t.memory_seq WHERE t.salience IS NULL AND {VISIBLE} "
            "GROUP BY t.session LIMIT ?",
            (limit,),
        )
        return [Unweighed(*row) for row in rows]

    async def weighable(
        self, namespace: str, session: str, since: int, generation: int | None, limit: int
    ) -> tuple[list[Weighable], int]:
        """Return the turns of a session itself from a place on, in order, with their vectors of a generation.

        Also return the place of the session's last turn.
        """
        here = f"m.namespace = ? AND m.session = ? AND {VISIBLE}"
        rows = await self._engine.read(
            f"SELECT {_TURN}, p.number, p.chain, m.version, m.created_at, "
            "(SELECT f.gist = '' FROM pages f WHERE f.id = p.chain) AS lacks_gist, "
            "(SELECT e.vector FROM embeddings e WHERE e.generation = ? AND e.memory_seq = m.seq "
            f"ORDER BY e.part LIMIT 1) AS vector {_FROM} WHERE {here} AND m.place >= ? ORDER BY m.place LIMIT ?",
            (generation, namespace, session, since, limit),
        )
        [last] = await self._engine.read(f"SELECT max(m.place) {_FROM} WHERE {here}", (namespace, session))
        found = [
            Weighable(
                _turn(row),
                row["number"],
                row["chain"],
                bool(row["lacks_gist"]),
                row["vector"],
                row["version"],
                from_us(row["created_at"]),
            )
            for row in rows
        ]
        return found, last[0] if last[0] is not None else -1

    async def weigh(self, namespace: str, found: Sequence[tuple[Weighable, float]]) -> None:
        """Store the salience of turns that have not changed since they were read.

        Not fsynced: it can be computed again.
        """

        async def work(connection: Connection) -> None:
            await connection.execute_many(
                "UPDATE turns SET salience = ? WHERE memory_seq = (SELECT seq FROM memories WHERE id = ? "
                "AND version = ? AND /*unindexed*/namespace = ?)",
                [(salience, one.turn.memory_id, one.version, namespace) for one, salience in found],
            )

        await self._engine.write(work, durable=False)

    async def link(self, namespace: str, joined: Sequence[tuple[str, str]], gists: Mapping[str, str]) -> None:
        """Join chains, given as (page that begins one, chain it continues), and store the gists of chains.

        Not fsynced.
        """

        async def work(connection: Connection) -> None:
            await connection.execute_many(
                "UPDATE pages SET chain = ?, gist = '' WHERE chain = ? AND namespace = ?",
                [(chain, page, namespace) for page, chain in joined],
            )
            await connection.execute_many(
                "UPDATE pages SET gist = ? WHERE id = ? AND chain = id AND namespace = ?",
                [(gist, page, namespace) for page, gist in gists.items()],
            )

        await self._engine.write(work, durable=False)

    async def least_salient(self, namespace: str, session: str, share: float) -> list[Turn]:
        """Return the share of a session's own weighed turns with the least salience, in order of place."""
        weighed = f"m.namespace = :namespace AND m.session = :session AND {VISIBLE} AND t.salience IS NOT NULL"
        rows = await self._engine.read(
            f"SELECT {_TURN} {_FROM} WHERE {weighed} ORDER BY t.salience, m.place "
            f"LIMIT (SELECT CAST(count(*) * :share AS INTEGER) {_FROM} WHERE {weighed})",
            {"namespace": namespace, "session": session, "share": share},
        )
        return sorted((_turn(row) for row in rows), key=lambda turn: turn.place)


async def _opened(
    connection: Connection, opening: SessionOpening, place: int | None, now: datetime, began: datetime | None = None
) -> tuple[str, bool]:
    """Return the id of the session, and whether it is new; create it if so, branched off after `place` of a parent.

    It `began` when its first turn was said, which may be long ago. Raises NotFound for an unknown parent, Conflict for
    an existing session that is no branch of it.
    """
    await register_namespace(connection, opening.namespace, to_us(now))
    parent = None if opening.parent is None else await _session(connection, opening.namespace, opening.parent)
    if opening.parent is not None and parent is None:
        raise NotFound(
            f"parent: there is no session {opening.parent[:60]!r}, so nothing was added; session_list gives valid ones"
        )
    known = await _session(connection, opening.namespace, opening.session)
    if known is not None:
        if parent is not None and known["parent"] != parent["id"]:
            raise Conflict(f"session: {opening.session[:60]!r} exists and is not a branch of {parent['key'][:60]!r}")
        return known["id"], False
    session = identifiers.new_id("ses")
    project = await _project(connection, opening.namespace, now) if parent is None else parent["project"]
    await connection.execute(
        "INSERT INTO sessions (id, namespace, client, key, project, parent, state, title, started_at, last_at) "
        "VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, ?)",
        (
            session,
            opening.namespace,
            CLIENT,
            opening.session,
            project,
            None if parent is None else parent["id"],
            "" if parent is None else parent["title"],
            to_us(began or now),
            to_us(began or now),
        ),
    )
    if parent is not None:
        last = await _last_place(connection, opening.namespace, parent["key"], parent["id"])
        inherits = {"parent": parent["id"], "place": last if place is None else min(place, last)}
        await connection.execute(
            "INSERT INTO events (id, namespace, type, occurred_at, session, role, text, structured, idempotency_key) "
            "VALUES (?, ?, 'signal', ?, ?, '', ?, ?, ?)",
            (
                identifiers.new_id("evt"),
                opening.namespace,
                to_us(now),
                session,
                BRANCHED,
                json.dumps(inherits),
                _branch(session),
            ),
        )
    await record_change(connection, now, opening.namespace, "session.open", session)
    return session, True


def _branch(session_id: str) -> str:
    """Return the key of the event that records from where a session inherits."""
    return f"{session_id}/{BRANCHED}"


async def _session(connection: Connection, namespace: str, name: str) -> Row | None:
    return await connection.fetch_one(
        "SELECT id, key, project, parent, title FROM sessions WHERE namespace = ? AND client = ? AND key = ?",
        (namespace, CLIENT, name),
    )


async def _project(connection: Connection, namespace: str, now: datetime) -> str:
    """Return the project of conversations that belong to no folder; create it if needed."""
    rows = await connection.fetch_all("SELECT id FROM projects WHERE namespace = ? AND location = ''", (namespace,))
    for row in rows:
        return str(row["id"])
    project = identifiers.new_id("prj")
    await connection.execute(
        "INSERT INTO projects (id, namespace, name, location, created_at) VALUES (?, ?, ?, '', ?)",
        (project, namespace, PROJECT, to_us(now)),
    )
    return project


async def _known(connection: Connection, session: str, turn: NewTurn) -> tuple[str, int] | None:
    rows = await connection.fetch_all(
        "SELECT m.id, t.page FROM turns t JOIN memories m ON m.seq = t.memory_seq WHERE t.session = ? AND t.key = ?",
        (session, turn.key),
    )
    return next(((row["id"], row["page"]) for row in rows), None)


async def _append(
    connection: Connection, opening: SessionOpening, session: str, turn: NewTurn, page: int | None, now: datetime
) -> tuple[str, int]:
    """Add one turn, on a given page or that of its role; return the ids of memory and page."""
    if page is None:
        page = await _page(connection, opening.namespace, session, turn, now)
    place = await _last_place(connection, opening.namespace, opening.session, session) + 1
    memory = _memory(opening, turn, place, now)
    await guards.require_room(TransactionRows(connection), opening.namespace, memory.content)
    seq = await insert_memory(connection, memory, await _free_hash(connection, memory, turn.key))
    await connection.execute(
        "INSERT INTO turns (memory_seq, namespace, session, page, role, tokens, key) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (seq, opening.namespace, session, page, turn.role.value, turn.tokens, turn.key),
    )
    await connection.execute("UPDATE pages SET gist = '' WHERE id = (SELECT chain FROM pages WHERE seq = ?)", (page,))
    return memory.id, page


async def _page(connection: Connection, namespace: str, session: str, turn: NewTurn, now: datetime) -> int:
    """Return the page of a turn: a new one for what the user says, else the last one."""
    last = await connection.fetch_one(
        "SELECT seq, number, chain FROM pages WHERE session = ? ORDER BY number DESC LIMIT 1", (session,)
    )
    if last is not None and turn.role is not TurnRole.USER:
        return int(last["seq"])
    page = identifiers.new_id("page")
    chain = last["chain"] if last is not None and turn.continues else page
    [row] = await connection.fetch_all(
        "INSERT INTO pages (id, namespace, session, number, chain, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING seq",
        (page, namespace, session, 0 if last is None else last["number"] + 1, chain, to_us(now)),
    )
    return int(row["seq"])


async def _last_place(connection: Connection, namespace: str, name: str, session: str) -> int:
    """Return the place of the last turn, also an inherited one; -1 where there is none."""
    [row] = await connection.fetch_all(
        "SELECT greatest(coalesce((SELECT max(place) FROM memories WHERE namespace = ? AND session = ?), -1), "
        "coalesce((SELECT CAST(structured ->> 'place' AS BIGINT) FROM events "
        "WHERE session = ? AND idempotency_key = ?), -1))",
        (namespace, name, session, _branch(session)),
    )
    return int(row[0])


def _memory(opening: SessionOpening, turn: NewTurn, place: int, now: datetime) -> Memory:
    source = opening.source or ("tool" if turn.role is TurnRole.TOOL else "")  # a tool's text is trusted less
    return Memory(
        id=turn.memory_id,
        namespace=opening.namespace,
        memory_type=MemoryType.EPISODIC,
        content=turn.text,
        summary=summarising.summary(turn.text),
        tags=(),
        importance=formulas.importance(turn.text, MemoryType.EPISODIC),
        metadata={"project": opening.project} if opening.project else {},
        source=source,
        occurred_at=turn.occurred_at,
        created_at=now,
        updated_at=now,
        accessed_at=now,
        access_count=0,
        version=1,
        session=opening.session,
        place=place,
        speaker=dialogue.split_speaker(turn.text)[0],
        kind=Kind.EPISODE,
        confidence=lifecycle.EXPLICIT_CONFIDENCE,
        trust=trust_of(source),
    )


async def _free_hash(connection: Connection, memory: Memory, key: str) -> str:
    """Return the hash of a turn, or another one where a memory that is no longer a turn has that hash."""
    digest = turn_hash(memory.session or "", key, memory.content)
    taken = await connection.fetch_all(
        "SELECT 1 FROM memories WHERE namespace = ? AND content_hash = ?", (memory.namespace, digest)
    )
    return hashlib.sha256(f"{digest}\x00{memory.id}".encode()).hexdigest() if taken else digest


def _span(turns: Sequence[NewTurn], now: datetime) -> tuple[datetime, datetime]:
    """Return when the first and the last of the turns occurred; none later than now."""
    times = [min(turn.occurred_at, now) for turn in turns]
    return min(times, default=now), max(times, default=now)


async def _revive(
    connection: Connection, session: str, turns: Sequence[NewTurn], first: datetime, last: datetime
) -> None:
    """Make a session active after new turns, and take its title from the user's first words."""
    first_words = next((turn.text for turn in turns if turn.role is TurnRole.USER), "")
    await connection.execute(
        "UPDATE sessions SET state = 'active', ended_at = NULL, started_at = least(started_at, ?), "
        "last_at = greatest(last_at, ?), title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?",
        (to_us(first), to_us(last), title_of(first_words), session),
    )


async def _turns(connection: Connection, memory_ids: Sequence[str]) -> list[Turn]:
    rows = await connection.fetch_all(
        f"SELECT {_TURN} {_FROM} WHERE m.id IN (SELECT value FROM json_texts(?))", (json.dumps(list(memory_ids)),)
    )
    return [_turn(row) for row in rows]


def _turn(row: Row) -> Turn:
    memory_id, session, place, page, role, text, tokens, salience, occurred_at = tuple(row)[:9]
    return Turn(memory_id, session, place, page, TurnRole(role), text, tokens, salience, from_us(occurred_at))
