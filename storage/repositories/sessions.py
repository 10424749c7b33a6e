"""Projects, sessions and their events."""

import json
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any

from ...modules import identifiers
from ...modules.judging import erasing
from ...modules.sessions.models import Event, EventStretch, EventType, NewEvent, Project, Session, SessionState
from ...modules.sessions.titles import title_of
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, maybe_from_us, to_us
from . import event_retention
from .audit import record_change, register_namespace
from .memory_rows import COLUMNS, to_memory
from .rows import TransactionRows

_SESSION = (
    "s.id, s.namespace, s.client, s.key, s.parent, s.state, s.title, s.started_at, s.last_at, s.ended_at, "
    "p.id AS project_id, p.name, p.location, p.root_commit, p.remote"
)
_PROJECTS = "SELECT * FROM projects WHERE namespace = ? ORDER BY seq"
_FROM = "FROM sessions s JOIN projects p ON p.id = s.project"

_OBSERVED = (
    "coalesce((SELECT max(e.seq) FROM stretches t JOIN events e ON e.id = t.last_event WHERE t.session = s.id), 0)"
)
_STRETCHES = (
    f"SELECT t.first_event, first.seq AS first_seq, last.seq AS last_seq, {_SESSION} FROM stretches t "
    "JOIN events first ON first.id = t.first_event JOIN events last ON last.id = t.last_event "
    "JOIN sessions s ON s.id = t.session JOIN projects p ON p.id = s.project"
)

_OWN = "EXISTS (SELECT 1 FROM sessions s WHERE s.id = {session} AND s.namespace = ?)"


class SessionsRepository:
    """Projects and their sessions, events, and the stretches of events that become observations."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def projects(self, namespace: str) -> list[Project]:
        """Return every project of a namespace, in order of arrival."""
        return list(map(_project, await self._engine.read(_PROJECTS, (namespace,))))

    async def place(self, namespace: str, decide: Callable[[Sequence[Project]], Project], now: datetime) -> Project:
        """Insert the project that `decide` makes from the known ones, or update the one with its id.

        One transaction, so that concurrent calls do not make one project twice.
        """

        async def work(connection: Connection) -> Project:
            await register_namespace(connection, namespace, to_us(now))
            project = decide([_project(row) for row in await connection.fetch_all(_PROJECTS, (namespace,))])
            await connection.execute(
                "INSERT INTO projects (id, namespace, name, location, root_commit, remote, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
                "location = excluded.location, root_commit = excluded.root_commit, remote = excluded.remote",
                (
                    project.id,
                    project.namespace,
                    project.name,
                    project.location,
                    project.root_commit,
                    project.remote,
                    to_us(now),
                ),
            )
            return project

        return await self._engine.write(work)

    async def open(self, session: Session) -> tuple[Session, bool]:
        """Insert a session, or find the one of the same client and key; True if it is new."""

        async def work(connection: Connection) -> bool:
            await register_namespace(connection, session.namespace, to_us(session.started_at))
            added = await connection.fetch_all(
                "INSERT INTO sessions (id, namespace, client, key, project, parent, state, title, started_at, last_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, client, key) DO NOTHING RETURNING 1",
                (
                    session.id,
                    session.namespace,
                    session.client,
                    session.key,
                    session.project.id,
                    session.parent,
                    session.state.value,
                    session.title,
                    to_us(session.started_at),
                    to_us(session.last_at),
                ),
            )
            if added:
                await record_change(connection, session.started_at, session.namespace, "session.open", session.id)
            return bool(added)

        is_new = await self._engine.write(work)
        found = session if is_new else await self.find(session.namespace, session.client, session.key)
        assert found is not None
        return found, is_new

    async def find(self, namespace: str, client: str, key: str) -> Session | None:
        """Return the session of this client and key; None if there is none."""
        rows = await self._engine.read(
            f"SELECT {_SESSION} {_FROM} WHERE s.namespace = ? AND s.client = ? AND s.key = ?", (namespace, client, key)
        )
        return _session(rows[0]) if rows else None

    async def get(self, namespace: str, session_id: str) -> Session | None:
        """Return a session by id; None if there is none."""
        rows = await self._engine.read(
            f"SELECT {_SESSION} {_FROM} WHERE s.namespace = ? AND s.id = ?", (namespace, session_id)
        )
        return _session(rows[0]) if rows else None

    async def move(self, session: Session, project: Project) -> None:
        """Give a session to another project."""
        await self._engine.write(
            lambda connection: connection.execute(
                "UPDATE sessions SET project = ? WHERE id = ? AND namespace = ?",
                (project.id, session.id, session.namespace),
            )
        )

    async def page(
        self, namespace: str, project: str | None, state: SessionState | None, limit: int, client: str | None
    ) -> list[Session]:
        """Return sessions, the last active first; all of them, or those of a client."""
        rows = await self._engine.read(
            f"SELECT {_SESSION} {_FROM} WHERE s.namespace = ? AND s.project = coalesce(?, s.project) "
            "AND s.state = coalesce(?, s.state) AND s.client = coalesce(?, s.client) "
            "ORDER BY s.last_at DESC, s.seq DESC LIMIT ?",
            (namespace, project, state, client, limit),
        )
        return [_session(row) for row in rows]

    async def append(self, session: Session, events: Sequence[NewEvent], now: datetime) -> int:
        """Append the events that are not there yet, in one transaction; return how many were new.

        Any new event makes the session active again; one of them may give it a title.
        """

        async def work(connection: Connection) -> int:
            await connection.lock(session.id)
            new: list[NewEvent] = []
            for event in events:
                added = await connection.fetch_all(
                    "INSERT INTO events (id, namespace, type, occurred_at, session, role, text, structured, "
                    "idempotency_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                    "ON CONFLICT (namespace, idempotency_key) DO NOTHING RETURNING 1",
                    (
                        identifiers.new_id("evt"),
                        session.namespace,
                        event.type.value,
                        to_us(event.occurred_at or now),
                        session.id,
                        event.role,
                        event.text,
                        json.dumps(event.structured, ensure_ascii=False),
                        event.key,
                    ),
                )
                new += [event] if added else []
            if new:
                state = await connection.fetch_value(
                    "SELECT state FROM sessions WHERE namespace = ? AND id = ?", (session.namespace, session.id)
                )
                if state != SessionState.ACTIVE:
                    await record_change(connection, now, session.namespace, "session.resume", session.id)
                last_at = max(event.occurred_at or now for event in new)
                await connection.execute(
                    "UPDATE sessions SET state = 'active', ended_at = NULL, unobserved = TRUE, last_at = "
                    "greatest(last_at, ?), "
                    "title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?",
                    (to_us(last_at), title_of(new), session.id),
                )
            return len(new)

        return await self._engine.write(work)

    async def change(
        self,
        namespace: str,
        session_id: str,
        now: datetime,
        state: SessionState | None,
        title: str | None,
        ended_at: datetime | None = None,
    ) -> Session | None:
        """Store another state or title, those that are not None; return the session, or None if there is none.

        One that is not active any more ended now, or when it is said that it did.
        """

        async def work(connection: Connection) -> None:
            found = await connection.fetch_all(
                "SELECT state, title, ended_at FROM sessions WHERE namespace = ? AND id = ?", (namespace, session_id)
            )
            for before in found:
                to = SessionState(before["state"]) if state is None else state
                ended = to_us(ended_at or now) if state and state != before["state"] else before["ended_at"]
                called = before["title"] if title is None else title
                await connection.execute(
                    "UPDATE sessions SET state = ?, ended_at = ?, title = ? WHERE namespace = ? AND id = ?",
                    (to, None if to is SessionState.ACTIVE else ended, called, namespace, session_id),
                )
                if state is SessionState.ACTIVE and before["state"] != state:
                    await record_change(connection, now, namespace, "session.resume", session_id)
                elif state is not None and state is not SessionState.ACTIVE and before["state"] != state:
                    await record_change(connection, now, namespace, "session.end", session_id, state=state.value)
                if called != before["title"]:
                    await record_change(connection, now, namespace, "session.rename", session_id)

        await self._engine.write(work)
        return await self.get(namespace, session_id)

    async def events(self, namespace: str, session_id: str, after: int, until: int | None, limit: int) -> list[Event]:
        """Return the events of a session with `after` < seq <= `until`, in order."""
        rows = await self._engine.read(
            "SELECT seq, id, type, role, text, structured, occurred_at FROM events "
            "WHERE namespace = ? AND session = ? AND seq > ? AND seq <= coalesce(?, seq) ORDER BY seq LIMIT ?",
            (namespace, session_id, after, until, limit),
        )
        return list(map(_event, rows))

    async def tail(self, namespace: str, session_id: str, limit: int) -> list[Event]:
        """Return the last events of a session, in order."""
        rows = await self._engine.read(
            "SELECT seq, id, type, role, text, structured, occurred_at FROM events "
            "WHERE namespace = ? AND session = ? ORDER BY seq DESC LIMIT ?",
            (namespace, session_id, limit),
        )
        return list(map(_event, reversed(rows)))

    async def user_turns_before(self, namespace: str, session_id: str, before: int, limit: int) -> list[str]:
        """Return the user's last turns before an event, the last one first."""
        rows = await self._engine.read(
            "SELECT text FROM events WHERE namespace = ? AND session = ? AND seq < ? "
            "AND type = 'turn' AND role = 'user' ORDER BY seq DESC LIMIT ?",
            (namespace, session_id, before, limit),
        )
        return [row["text"] for row in rows]

    async def unobserved_everywhere(self, limit: int, after: str = "") -> list[tuple[Session, int]]:
        """Return sessions with events that are in no stretch yet, each with the seq up to which they are.

        By their ids, from the one that follows `after`.
        """
        rows = await self._engine.read(
            f"SELECT {_SESSION}, {_OBSERVED} AS observed {_FROM} WHERE s.unobserved AND s.id > ? ORDER BY s.id LIMIT ?",
            (after, limit),
        )
        return [(_session(row), row["observed"]) for row in rows]

    async def claim(
        self, namespace: str, session_id: str, observed: int, bounds: Sequence[tuple[Event, Event]]
    ) -> bool:
        """Store the bounds of the next stretches; False if somebody else has moved on from `observed`."""

        async def work(connection: Connection) -> bool:
            await connection.lock(session_id)
            rows = await connection.fetch_all(
                f"SELECT {_OBSERVED} AS observed FROM sessions s WHERE s.namespace = ? AND s.id = ?",
                (namespace, session_id),
            )
            if not rows or rows[0]["observed"] != observed:
                return False
            await connection.execute_many(
                "INSERT INTO stretches (session, first_event, last_event) VALUES (?, ?, ?)",
                [(session_id, first.id, last.id) for first, last in bounds],
            )
            await connection.execute(
                "UPDATE sessions SET unobserved = EXISTS (SELECT 1 FROM events WHERE session = ? AND seq > ?) "
                "WHERE id = ?",
                (session_id, bounds[-1][1].seq, session_id),
            )
            return True

        return await self._engine.write(work)

    async def outstanding_everywhere(self, limit: int) -> list[EventStretch]:
        """Return stretches without an observation yet, oldest first."""
        rows = await self._engine.read(f"{_STRETCHES} WHERE NOT t.done ORDER BY t.seq LIMIT ?", (limit,))
        return [_stretch(row) for row in rows]

    async def finish(self, namespace: str, stretch_id: str, memory_id: str | None) -> None:
        """Store the outcome of a stretch: its memory, or None."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE stretches SET done = TRUE, memory_id = ? WHERE first_event = ? "
                f"AND {_OWN.format(session='stretches.session')}",
                (memory_id, stretch_id, namespace),
            )

        await self._engine.write(work)

    async def stretch_of(self, namespace: str, memory_id: str) -> EventStretch | None:
        """Return the stretch that an observation was made of; None for any other memory."""
        rows = await self._engine.read(
            f"{_STRETCHES} WHERE t.memory_id = ? AND s.namespace = ?", (memory_id, namespace)
        )
        return _stretch(rows[0]) if rows else None

    async def observed_memories(self, namespace: str, session_id: str, limit: int) -> list[str]:
        """Return the ids of a session's observations, in order."""
        rows = await self._engine.read(
            "SELECT memory_id FROM stretches WHERE session = ? AND memory_id IS NOT NULL "
            f"AND {_OWN.format(session='stretches.session')} ORDER BY seq LIMIT ?",
            (session_id, namespace, limit),
        )
        return [row["memory_id"] for row in rows]

    async def shown(self, namespace: str, session_id: str) -> dict[str, datetime]:
        rows = await self._engine.read(
            "SELECT entry, shown_at FROM shown_context WHERE session = ? "
            f"AND {_OWN.format(session='shown_context.session')}",
            (session_id, namespace),
        )
        return {row["entry"]: from_us(row["shown_at"]) for row in rows}

    async def note_shown(self, namespace: str, session_id: str, entries: Collection[str], at: datetime) -> None:
        async def work(connection: Connection) -> None:
            await connection.execute_many(
                "INSERT INTO shown_context (session, entry, shown_at) "
                "SELECT id, ?, ? FROM sessions WHERE namespace = ? AND id = ? "
                "ON CONFLICT (session, entry) DO UPDATE SET shown_at = excluded.shown_at",
                [(entry, to_us(at), namespace, session_id) for entry in entries],
            )

        await self._engine.write(work)

    async def forget_shown(self, namespace: str, session_id: str, prefix: str) -> None:
        async def work(connection: Connection) -> None:
            await connection.execute(
                "DELETE FROM shown_context WHERE session = ? AND substr(entry, 1, length(?)) = ? "
                f"AND {_OWN.format(session='shown_context.session')}",
                (session_id, prefix, prefix, namespace),
            )

        await self._engine.write(work)

    async def purge_everywhere(self, rested_before: datetime) -> int:
        """Delete the events of sessions at rest since before a moment; return how many.

        Events that a memory was made of stay, and those in which habits may still be found.
        """
        return await event_retention.purge(self._engine, rested_before)

    async def erase(self, namespace: str, session_id: str, at: datetime) -> bool:
        """Delete a session with all its events; return whether there was one."""

        async def work(connection: Connection) -> bool:
            await connection.lock(namespace)
            found = await connection.fetch_all(
                "SELECT 1 FROM sessions WHERE namespace = ? AND id = ?", (namespace, session_id)
            )
            if not found:
                return False
            turns = await connection.fetch_all(
                f"SELECT {COLUMNS} FROM turns t JOIN memories m ON m.seq = t.memory_seq WHERE t.session = ?",
                (session_id,),
            )
            for row in turns:
                await erasing.erase(TransactionRows(connection), to_memory(row), at, "memory.erase")
            await connection.execute("UPDATE sessions SET parent = NULL WHERE parent = ?", (session_id,))
            await connection.execute("DELETE FROM events WHERE session = ?", (session_id,))
            await connection.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
            await record_change(connection, at, namespace, "session.erase", session_id)
            return True

        return bool(await self._engine.erase(work))


def _project(row: Row) -> Project:
    return Project(row["id"], row["namespace"], row["name"], row["location"], row["root_commit"], row["remote"])


def _session(row: Row) -> Session:
    fields: dict[str, Any] = dict(row)
    return Session(
        id=fields["id"],
        namespace=fields["namespace"],
        client=fields["client"],
        key=fields["key"],
        project=Project(
            fields["project_id"],
            fields["namespace"],
            fields["name"],
            fields["location"],
            fields["root_commit"],
            fields["remote"],
        ),
        parent=fields["parent"],
        state=SessionState(fields["state"]),
        title=fields["title"],
        started_at=from_us(fields["started_at"]),
        last_at=from_us(fields["last_at"]),
        ended_at=maybe_from_us(fields["ended_at"]),
    )


def _event(row: Row) -> Event:
    return Event(
        row["seq"],
        row["id"],
        EventType(row["type"]),
        row["role"],
        row["text"],
        json.loads(row["structured"]),
        from_us(row["occurred_at"]),
    )


def _stretch(row: Row) -> EventStretch:
    return EventStretch(row["first_event"], _session(row), row["first_seq"], row["last_seq"])
