"""The records of a store as sync reads and writes them, on every engine."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from ...modules.clock import Clock
from ...modules.errors import Conflict
from ...modules.redactor import Redactor
from ...modules.sessions.models import Project
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import to_us
from ...storage.repositories.audit import register_namespace
from ...storage.repositories.kept_files import KeptFiles
from ...storage.repositories.memory_rows import as_json, to_memory
from ...storage.repositories.projects import ProjectsRepository
from ...storage.repositories.sessions import SessionsRepository
from . import projects
from .columns import (
    HISTORY,
    ID,
    JOINS,
    JSON,
    KEY,
    MARK,
    MATCH,
    ORDER,
    SYNCED,
    TABLE,
    TEXTS,
    as_row,
    columns_of,
    key_of,
    known_of,
    rows_of,
)
from .files import HASH_LETTERS, hash_of
from .kinds import ATTACHMENT, KINDS, MEMORY, PROJECT
from .merging import resolve
from .models import Body, Change, Fields, State, state_as_json, state_of
from .places import place_as_json, place_of
from .ports import Name, Place, Record, Rows
from .showing import Showing

T = TypeVar("T")

HELD_BACK = {
    ATTACHMENT.name: "AND NOT EXISTS (SELECT 1 FROM sync_records m WHERE m.kind = 'memory' "
    f"AND m.id = substr(r.id, 1, length(r.id) - {HASH_LETTERS + 1}) AND m.expires_at BETWEEN ?1 AND ?2)"
}
"""What more keeps a record that is gone from being told: of files, that their memory is not told yet either."""
EXPIRED_FOR = timedelta(days=2)
"""How long each device is left to erase by its own clock what expires, before others hear that it is gone."""


class SyncedRows:
    """Implements `ports.SyncedStore` over an engine."""

    def __init__(self, engine: Engine, redactor: Redactor, clock: Clock) -> None:
        self._engine = engine
        self._redactor = redactor
        self._clock = clock
        self._kept = KeptFiles(engine)
        self._clean: dict[str, str] = {}
        self._files: Mapping[str, bytes] = {}
        self.has_erased = False
        """Whether something was erased, whose words may still be in files."""

    async def place(self) -> Place:
        """Return where this device stands. Raises Conflict where nothing is synced."""
        return _place(await self._engine.read("SELECT place FROM sync_place"))

    async def is_on(self) -> bool:
        return bool(await self._engine.read("SELECT 1 FROM sync_place"))

    async def begin(self, place: Place) -> None:
        """Begin to sync. Raises Conflict where this home does already."""

        async def work(connection: Connection) -> None:
            text = json.dumps(place_as_json(place))
            if not await connection.execute(
                "INSERT INTO sync_place (id, place) VALUES (1, ?) ON CONFLICT (id) DO NOTHING", (text,)
            ):
                raise Conflict("this home is synced already: agentos sync status; agentos sync leave ends that")

        await self._engine.write(work)

    async def end(self) -> None:
        """Forget all of sync; the records themselves stay."""

        async def work(connection: Connection) -> int:
            await connection.execute("DELETE FROM sync_place")
            return await connection.execute("DELETE FROM sync_records")

        await self._engine.erase(work)

    async def forget_erased(self) -> None:
        """Remove the words of what was erased from every file."""
        if self.has_erased:
            await self._engine.forget_erased()
            self.has_erased = False

    async def note_erased(self) -> None:
        """Note what was deleted before its end date as erased, while that date is still ahead."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE sync_records SET state = '' WHERE kind = 'memory' AND mark = '' AND expires_at > ? "
                "AND id NOT IN (SELECT id FROM memories)",
                (to_us(self._clock()),),
            )
            await connection.execute(
                "UPDATE sync_records SET expires_at = NULL WHERE kind = 'memory' AND state = '' "
                "AND expires_at IS NOT NULL"
            )

        await self._engine.write(work)

    async def unite_projects(self) -> int:
        """Make one of projects that are the same, on all devices under the same id; return how many went."""
        rows = await self._engine.read("SELECT * FROM projects WHERE remote IS NOT NULL OR root_commit IS NOT NULL")
        known = [
            Project(*(row[one] for one in "id namespace name location root_commit remote".split())) for row in rows
        ]
        pairs = projects.same(known)
        sessions, belonging = SessionsRepository(self._engine), ProjectsRepository(self._engine)
        for other, into in pairs:
            now = self._clock()
            await sessions.place(into.namespace, partial(projects.united, other, into), now)
            await belonging.rewrite(into.namespace, (other.id,), into, now)
            await belonging.merge(into.namespace, other.id, into, now)
        return len(pairs)

    async def names(self, subject: str) -> bool:
        """Return whether what is known of any record names a subject, in letters of either case."""
        wanted, last = subject.casefold(), ("", "")
        while rows := await self._engine.read(
            "SELECT kind, id, state FROM sync_records WHERE (kind, id) > (?, ?) ORDER BY kind, id LIMIT 1000", last
        ):
            states = [row["state"] for row in rows]
            if await asyncio.to_thread(lambda: any(wanted in one.casefold() for one in states)):  # noqa: B023
                return True
            last = (rows[-1]["kind"], rows[-1]["id"])
        return False

    async def counts(self) -> dict[str, int]:
        """Return how many records of each kind are known."""
        rows = await self._engine.read(
            "SELECT kind, count(*) AS count FROM sync_records WHERE mark IS NOT NULL GROUP BY kind ORDER BY kind"
        )
        return {row["kind"]: row["count"] for row in rows}

    async def changed(self, most: int, /) -> list[Name]:
        now = to_us(self._clock())
        early = to_us(self._clock() - EXPIRED_FOR)
        found: list[Name] = []
        for kind in KINDS:
            rows = await self._engine.read(
                f"SELECT {ID[kind]} AS id FROM {rows_of(kind, known_of(kind))} "
                f"AND r.mark IS DISTINCT FROM ({MARK[kind]}) "
                f"ORDER BY {ORDER[kind]} LIMIT ?",
                (most - len(found),),
            )
            found += [(kind, row["id"]) for row in rows]
            rows = await self._engine.read(
                f"SELECT r.id FROM sync_records r WHERE r.kind = '{kind}' AND r.mark IS NOT NULL "
                f"AND r.id NOT IN (SELECT {ID[kind]} FROM {rows_of(kind)}) "
                f"AND NOT (r.expires_at IS NOT NULL AND r.expires_at BETWEEN ?1 AND ?2) {HELD_BACK.get(kind, '')} "
                "ORDER BY r.id LIMIT ?3",
                (early, now, most - len(found)),
            )
            found += [(kind, row["id"]) for row in rows]
        return found

    async def is_altered(self) -> bool:
        now = self._clock()
        rows = await self._engine.read(
            "SELECT 1 FROM sync_records WHERE mark = '' "
            "AND (expires_at IS NULL OR expires_at NOT BETWEEN ? AND ?) LIMIT 1",
            (to_us(now - EXPIRED_FOR), to_us(now)),
        )
        return bool(rows)

    async def file(self, content_hash: str, /) -> bytes:
        return await self._kept.data(content_hash)

    async def missing(self, hashes: Sequence[str], /) -> Collection[str]:
        return {*hashes} - (await self._kept.held(hashes) if hashes else frozenset())

    async def files(self) -> tuple[Collection[str], Collection[str]]:
        kind = ATTACHMENT.name
        here = await self._engine.read(
            "SELECT x.content_hash, max(CASE WHEN coalesce(r.written, '[]') = '[]' THEN 0 ELSE 1 END) AS is_told "
            f"FROM {rows_of(kind, known_of(kind))} GROUP BY x.content_hash"
        )
        # What went by an end date is named by segments until others hear that it did: they wait for it.
        ended = await self._engine.read(
            "SELECT id FROM sync_records WHERE kind = ? AND mark = '' AND written <> '[]'", (kind,)
        )
        told = {row["content_hash"] for row in here if row["is_told"]}
        return told, {row["content_hash"] for row in here} | {hash_of(row["id"]) for row in ended}

    async def known_files(self) -> Collection[str]:
        rows = await self._engine.read("SELECT id FROM sync_records WHERE kind = ?", (ATTACHMENT.name,))
        return {hash_of(row["id"]) for row in rows}

    async def prepare(self, changes: Sequence[Change], files: Mapping[str, bytes], /) -> None:
        """Look for secrets in what came, and whether a store can hold it. Raises ValueError."""
        self._clean, self._files, looked_at = {}, files, set[str]()
        for one in changes:
            if one.entry is None:
                continue
            body, kind = one.entry.body, KINDS[one.kind]
            if set(body.fields) != set(columns_of(kind)):
                raise ValueError("has other columns")
            if kind is MEMORY:
                to_memory(as_row(one.id, body.fields))
            for fields in (body.fields, *body.history):
                for name, value in fields.items():
                    if isinstance(value, str) and value not in looked_at and name in TEXTS | JSON | {"text"}:
                        looked_at.add(value)
                        clean = await self._redacted(name, value)
                        if clean != value:
                            self._clean[value] = clean

    async def _redacted(self, name: str, value: str) -> str:
        if name in TEXTS or name == "text":
            return await self._redactor.text(value)
        if name == "tags":
            tags = json.loads(value)
            clean = [*await self._redactor.tags(tags)]
            return value if clean == tags else as_json(clean)
        if name == "metadata":
            metadata = json.loads(value)
            cleaned = await self._redactor.json(metadata)
            return value if cleaned == metadata else as_json(cleaned)
        return value

    async def write(self, work: Callable[[Rows], Awaitable[T]], /) -> T:
        async def within(connection: Connection) -> tuple[T, bool]:
            for row in await connection.fetch_all("SELECT id FROM namespaces ORDER BY id"):
                await connection.lock(row["id"])
            rows = _Transaction(connection, self._clock(), self._clean, self._files)
            return await work(rows), rows.has_erased

        result, has_erased = await self._engine.write(within)
        self.has_erased |= has_erased
        return result


class _Transaction:
    """Implements `ports.Rows` within a transaction."""

    def __init__(
        self, connection: Connection, now: datetime, clean: Mapping[str, str], files: Mapping[str, bytes]
    ) -> None:
        self._connection = connection
        self._now = now
        self._clean = clean
        self._files = files
        self.has_erased = False

    async def place(self) -> Place:
        return _place(await self._connection.fetch_all("SELECT place FROM sync_place"))

    async def move(self, place: Place, /) -> None:
        text = json.dumps(place_as_json(place))
        await self._connection.execute("UPDATE sync_place SET place = ?", (text,))

    async def records(self, kind: str, ids: Collection[str], /) -> Mapping[str, Record]:
        if not ids:
            return {}
        rows = await self._connection.fetch_all(
            "SELECT r.id, r.parent, r.written, r.state, r.mark, r.expires_at FROM json_texts(?) given /*then*/ "
            "JOIN sync_records r ON r.id = given.value AND r.kind = ?",
            (as_json(list(ids)), kind),
        )
        return {row["id"]: _record(row, to_us(self._now)) for row in rows}

    async def children(self, kind: str, record_id: str, /) -> list[str]:
        rows = await self._connection.fetch_all(
            "SELECT id FROM sync_records WHERE kind = ? AND parent = ? AND parent <> '' ORDER BY id", (kind, record_id)
        )
        return [row["id"] for row in rows]

    async def keep(self, kind: str, records: Mapping[str, Record | None], altered: Collection[str] = (), /) -> None:
        gone = [(kind, name) for name, one in records.items() if one is None]
        await self._connection.execute_many("DELETE FROM sync_records WHERE kind = ? AND id = ?", gone)
        values = []
        for name, one in records.items():
            if one is None:
                continue
            self.has_erased |= one.state.is_gone
            body = resolve(KINDS[kind], one.state).body
            values.append(
                (
                    kind,
                    name,
                    one.parent,
                    as_json(list(one.written)),
                    as_json(state_as_json(one.state)),
                    None if body is None else body.fields.get("expires_at"),
                    name in altered,
                    *key_of(kind, name),
                )
            )
        await self._connection.execute_many(
            "INSERT INTO sync_records (kind, id, parent, written, state, expires_at, mark) VALUES (?, ?, ?, ?, ?, ?, "
            f"CASE WHEN ? THEN '' ELSE (SELECT {MARK[kind]} FROM {rows_of(kind)} AND {MATCH[kind]}) END) "
            "ON CONFLICT (kind, id) DO UPDATE SET parent = excluded.parent, written = excluded.written, "
            "state = excluded.state, expires_at = excluded.expires_at, mark = excluded.mark",
            values,
        )

    async def bodies(self, kind: str, ids: Collection[str], /) -> Mapping[str, Body]:
        return await self._present(kind, ids) if ids else {}

    async def _present(self, kind: str, ids: Collection[str]) -> dict[str, Body]:
        columns = columns_of(KINDS[kind])
        number = "" if kind in KEY else ", x.seq"
        if kind in KEY:
            keys = [json.dumps(key_of(kind, one)) for one in ids]
            match = " AND ".join(f"x.{one} = given.value ->> {place}" for place, one in enumerate(KEY[kind]))
        else:
            keys, match = list(ids), "x.id = given.value"
        rows = await self._connection.fetch_all(
            f"SELECT {ID[kind]} AS record, {', '.join(f'x.{one}' for one in columns)}{number} FROM json_texts(?) "
            f"given /*then*/ JOIN {TABLE[kind]} x ON {match} {JOINS.get(kind, '')} WHERE {SYNCED[kind]}",
            (as_json(keys),),
        )
        histories = await self._histories(kind, [row["seq"] for row in rows] if number else [])
        return {
            row["record"]: Body(
                {one: int(row[one]) if isinstance(row[one], bool) else row[one] for one in columns},
                histories.get(row["seq"], []) if number else [],
            )
            for row in rows
        }

    async def _histories(self, kind: str, numbers: Sequence[int]) -> dict[int, list[Fields]]:
        if kind not in HISTORY or not numbers:
            return {}
        table, owner, columns, order = HISTORY[kind]
        found: dict[int, list[Fields]] = {}
        for row in await self._connection.fetch_all(
            f"SELECT h.{owner} AS owner, {', '.join(f'h.{one}' for one in columns)} FROM json_numbers(?) given "
            f"/*then*/ JOIN {table} h ON h.{owner} = given.value",
            (as_json(list(numbers)),),
        ):
            found.setdefault(row["owner"], []).append({one: row[one] for one in columns})
        return {owner: sorted(notes, key=lambda one: [one[name] for name in order]) for owner, notes in found.items()}

    async def projects(self, bodies: Collection[Body], /) -> list[Fields]:
        named: set[str] = set()
        for body in bodies:
            named.update(json.loads(body.fields.get("tags") or "[]"))
            named.add(str(json.loads(body.fields.get("metadata") or "{}").get("project")))
        rows = await self._connection.fetch_all(
            f"SELECT {', '.join(f'p.{one}' for one in PROJECT)} FROM json_texts(?) given "
            "/*then*/ JOIN projects p ON p.id = given.value ORDER BY p.id",
            (as_json(sorted(named)),),
        )
        return [{one: row[one] for one in PROJECT} for row in rows]

    async def learn_projects(self, found: Sequence[Fields], /) -> None:
        for namespace in sorted({one["namespace"] for one in found}):
            await register_namespace(self._connection, namespace, to_us(self._now))
        await self._connection.execute_many(
            f"INSERT INTO projects ({', '.join(PROJECT)}, location) VALUES ({', '.join('?' * len(PROJECT))}, '') "
            "ON CONFLICT (id) DO NOTHING",
            [[one[name] for name in PROJECT] for one in found],
        )

    async def show(self, kind: str, bodies: Mapping[str, Body | None], /) -> None:
        showing = Showing(self._connection, self._now, self._clean, self._files, partial(self._present, MEMORY.name))
        await showing.show(kind, bodies)
        self.has_erased |= showing.has_erased


def _record(row: Row, now: int) -> Record:
    """Return what is known of a record; one that was deleted before its end date was erased."""
    written = json.loads(row["written"])
    if not row["state"]:
        return Record(State(), row["parent"], written, is_erased=True)
    state = state_of(json.loads(row["state"]))
    is_left = row["mark"] is not None and not (state.entries or state.is_gone or row["parent"])
    if is_left and row["expires_at"] is not None and row["expires_at"] > now:
        return Record(State(), row["parent"], written, is_erased=True)
    return Record(state, row["parent"], written, is_ended=is_left)


def _place(rows: Sequence[Row]) -> Place:
    if not rows:
        raise Conflict("this home is not synced: agentos sync init FOLDER, or agentos sync join FOLDER")
    return place_of(json.loads(rows[0]["place"]))
