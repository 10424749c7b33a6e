"""The records of a store as sync reads and writes them: the only SQL of this feature, for every engine."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar, cast

from ...modules.clock import Clock
from ...modules.errors import Conflict
from ...modules.memory.storing import content_hash
from ...modules.redactor import Redactor
from ...modules.sessions.models import Project
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import to_us
from ...storage.repositories import gateway_blocks
from ...storage.repositories.audit import record_change, register_namespace
from ...storage.repositories.memory_rows import COLUMNS, INSERTED, as_json, to_memory
from ...storage.repositories.memory_writing import clear_derived, erase_row, write_tags
from ...storage.repositories.projects import ProjectsRepository
from ...storage.repositories.sessions import SessionsRepository
from . import projects
from .kinds import GOAL, KINDS, MEMORY, PROJECT, REFLECTION, RELATION
from .merging import resolve
from .models import Body, Change, Fields, Kind, State, state_as_json, state_of
from .places import place_as_json, place_of
from .ports import Name, Place, Record, Rows

T = TypeVar("T")

EXPIRED_FOR = timedelta(days=2)
"""How long each device is left to erase by its own clock what expires, before others hear that it is gone."""

_HERE = "NOT IN (SELECT namespace FROM branches)"
_TABLE = {"memory": "memories", "goal": "goals", "relation": "relations", "reflection": "events"}
_JOINS = {"relation": "JOIN memories f ON f.id = x.from_id JOIN memories t ON t.id = x.to_id"}
_SYNCED = {
    "memory": f"x.session IS NULL AND x.namespace {_HERE}",
    "goal": "TRUE",
    "relation": f"f.session IS NULL AND t.session IS NULL AND f.namespace {_HERE}",
    "reflection": "x.type = 'reflection'",
}
"""Which rows of each kind are synced: a turn of a conversation belongs to its session, a branch to its store."""

_ID = {kind: "x.from_id || ' ' || x.type || ' ' || x.to_id" if kind == "relation" else "x.id" for kind in KINDS}
_ORDER = {"memory": "x.seq", "goal": "x.seq", "relation": "x.from_id, x.type, x.to_id", "reflection": "x.seq"}


def _mark(*parts: str) -> str:
    return " || ' ' || ".join(parts)


_MARK = {
    "memory": _mark(
        *(f"x.{one}" for one in "version updated_at status confidence trust importance".split()),
        *(f"x.{one}" for one in "confirmations rejections".split()),
        *(f"coalesce(x.{one}, 0)" for one in "expires_at valid_from valid_to".split()),
        *(f"length(x.{one})" for one in "content tags metadata".split()),
        *(f"coalesce(x.{one}, '')" for one in "attribute value".split()),
        "(SELECT coalesce(sum(length(v.content)), 0) FROM memory_versions v WHERE v.memory_seq = x.seq)",
    ),
    "goal": _mark(
        *(f"x.{one}" for one in "version updated_at status progress priority urgency".split()),
        *(f"length(x.{one})" for one in "title description tags".split()),
        "coalesce(x.parent_goal_id, '')",
        "(SELECT coalesce(sum(length(n.text)), 0) FROM goal_notes n WHERE n.goal_seq = x.seq)",
    ),
    "relation": _mark("x.weight", "x.created_at", "length(x.evidence)"),
    "reflection": _mark("x.occurred_at", *(f"length(x.{one})" for one in "action outcome context tags".split())),
}
"""What differs once a row has changed. Where it differs for another reason, the row is only looked at again."""

_TEXTS = frozenset({"content", "summary", "source", "title", "description", "evidence", "action", "outcome", "context"})
_JSON = frozenset({"tags", "metadata"})
_TRUTHS = frozenset({"polarity", "success"})


class SyncedRows:
    """Implements `ports.SyncedStore` over an engine."""

    def __init__(self, engine: Engine, redactor: Redactor, clock: Clock) -> None:
        self._engine = engine
        self._redactor = redactor
        self._clock = clock
        self._clean: dict[str, str] = {}
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
                f"SELECT {_ID[kind]} AS id FROM {_rows(kind, _known(kind))} "
                f"AND r.mark IS DISTINCT FROM ({_MARK[kind]}) "
                f"ORDER BY {_ORDER[kind]} LIMIT ?",
                (most - len(found),),
            )
            found += [(kind, row["id"]) for row in rows]
            rows = await self._engine.read(
                f"SELECT r.id FROM sync_records r WHERE r.kind = '{kind}' AND r.mark IS NOT NULL "
                f"AND r.id NOT IN (SELECT {_ID[kind]} FROM {_rows(kind)}) "
                "AND NOT (r.expires_at IS NOT NULL AND r.expires_at BETWEEN ? AND ?) ORDER BY r.id LIMIT ?",
                (early, now, most - len(found)),
            )
            found += [(kind, row["id"]) for row in rows]
        return found

    async def prepare(self, changes: Sequence[Change], /) -> None:
        """Look for secrets in what came, and whether a store can hold it. Raises ValueError."""
        self._clean = {}
        for one in changes:
            if one.entry is None:
                continue
            body, kind = one.entry.body, KINDS[one.kind]
            if set(body.fields) != set(_columns(kind)):
                raise ValueError("has other columns")
            if kind is MEMORY:
                to_memory(_as_row(one.id, body.fields))
            for fields in (body.fields, *body.history):
                for name, value in fields.items():
                    if isinstance(value, str) and value not in self._clean:
                        clean = await self._redacted(name, value)
                        if clean != value:
                            self._clean[value] = clean

    async def _redacted(self, name: str, value: str) -> str:
        if name in _TEXTS or name == "text":
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
            rows = _Transaction(connection, self._clock(), self._clean)
            return await work(rows), rows.has_erased

        result, has_erased = await self._engine.write(within)
        self.has_erased |= has_erased
        return result


class _Transaction:
    """Implements `ports.Rows` within a transaction."""

    def __init__(self, connection: Connection, now: datetime, clean: Mapping[str, str]) -> None:
        self._connection = connection
        self._now = now
        self._clean = clean
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
            "SELECT r.id, r.parent, r.written, r.state FROM json_texts(?) given /*then*/ JOIN sync_records r "
            "ON r.id = given.value AND r.kind = ?",
            (as_json(list(ids)), kind),
        )
        return {
            row["id"]: Record(
                state_of(json.loads(row["state"])) if row["state"] else State(),
                row["parent"],
                json.loads(row["written"]),
                is_erased=not row["state"],
            )
            for row in rows
        }

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
                    *_key(kind, name),
                )
            )
        await self._connection.execute_many(
            "INSERT INTO sync_records (kind, id, parent, written, state, expires_at, mark) VALUES (?, ?, ?, ?, ?, ?, "
            f"CASE WHEN ? THEN '' ELSE (SELECT {_MARK[kind]} FROM {_rows(kind)} AND {_MATCH[kind]}) END) "
            "ON CONFLICT (kind, id) DO UPDATE SET parent = excluded.parent, written = excluded.written, "
            "state = excluded.state, expires_at = excluded.expires_at, mark = excluded.mark",
            values,
        )

    async def bodies(self, kind: str, ids: Collection[str], /) -> Mapping[str, Body]:
        """Return records; what has expired just now counts as there, since other devices may think it is."""
        if not ids:
            return {}
        found = await self._present(kind, ids)
        if kind == MEMORY.name and (missing := [one for one in ids if one not in found]):
            early, now = to_us(self._now - EXPIRED_FOR), to_us(self._now)
            for name, record in (await self.records(kind, missing)).items():
                body = resolve(MEMORY, record.state).body
                expires_at = None if body is None else body.fields["expires_at"]
                if body is not None and expires_at is not None and early <= expires_at <= now:
                    found[name] = body
        return found

    async def _present(self, kind: str, ids: Collection[str]) -> dict[str, Body]:
        columns = _columns(KINDS[kind])
        number = "" if kind == "relation" else ", x.seq"
        if kind == "relation":
            keys = [json.dumps(_key(kind, one)) for one in ids]
            match = "x.from_id = given.value ->> 0 AND x.type = given.value ->> 1 AND x.to_id = given.value ->> 2"
        else:
            keys, match = list(ids), "x.id = given.value"
        rows = await self._connection.fetch_all(
            f"SELECT {_ID[kind]} AS record, {', '.join(f'x.{one}' for one in columns)}{number} FROM json_texts(?) "
            f"given /*then*/ JOIN {_TABLE[kind]} x ON {match} {_JOINS.get(kind, '')} WHERE {_SYNCED[kind]}",
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
        if kind not in _HISTORY or not numbers:
            return {}
        table, owner, columns, order = _HISTORY[kind]
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
        write = {
            MEMORY.name: self._show_memory,
            GOAL.name: self._show_goal,
            RELATION.name: self._show_relation,
            REFLECTION.name: self._show_reflection,
        }[kind]
        # What is erased takes others along, or changes their standing: they are written after it.
        for name, body in sorted(bodies.items(), key=lambda one: one[1] is not None):
            shown = None if body is None else self._cleaned(body)
            if shown is not None and "namespace" in shown.fields:
                await register_namespace(self._connection, shown.fields["namespace"], to_us(self._now))
            await write(name, shown)
        if kind == GOAL.name:
            for name, body in bodies.items():
                if body is not None and body.fields["parent_goal_id"] is not None:
                    await self._place_goal(name, body.fields["parent_goal_id"])

    def _cleaned(self, body: Body) -> Body:
        """Return a record without the secrets that were found in it."""
        if not self._clean:
            return body
        return Body(self._without_secrets(body.fields), [self._without_secrets(one) for one in body.history])

    def _without_secrets(self, fields: Fields) -> Fields:
        return {
            name: self._clean.get(value, value) if name in _TEXTS | _JSON | {"text"} else value
            for name, value in fields.items()
        }

    async def _show_memory(self, name: str, body: Body | None) -> None:
        connection = self._connection
        rows = await connection.fetch_all(f"SELECT {COLUMNS} FROM memories m WHERE m.id = ?", (name,))
        if body is None:
            for row in rows:
                await erase_row(connection, row, self._now, "memory.erase")
                self.has_erased = True
            return
        fields = body.fields
        memory = to_memory(_as_row(name, fields))
        if not rows:
            values = _as_row(name, fields) | {"accessed_at": fields["created_at"], "access_count": 0}
            values["content_hash"] = await self._free_hash(name, fields)
            columns = [one.strip() for one in INSERTED.split(",")]
            [row] = await connection.fetch_all(
                f"INSERT INTO memories ({INSERTED}) VALUES ({','.join('?' * len(columns))}) RETURNING seq",
                [values[one] for one in columns],
            )
        else:
            [row] = rows
            same_text = row["content"] == fields["content"]
            changed = {
                **fields,
                "content_hash": row["content_hash"] if same_text else await self._free_hash(name, fields),
            }
            assigned = ", ".join(f"{one} = ?" for one in changed)
            values_ = [_stored(one, value) for one, value in changed.items()]
            await connection.execute(f"UPDATE memories SET {assigned} WHERE seq = ?", [*values_, row["seq"]])
            await clear_derived(connection, row, keep_vector=same_text)
            if not same_text:
                await gateway_blocks.delete_containing(connection, row["namespace"], name)
            await connection.execute("DELETE FROM memory_versions WHERE memory_seq = ?", (row["seq"],))
        await write_tags(connection, row["seq"], memory)
        await self._write_history(MEMORY.name, row["seq"], body.history)
        action = "memory.update" if rows else "memory.store"
        await record_change(connection, self._now, memory.namespace, action, name, version=memory.version)

    async def _free_hash(self, name: str, fields: Fields) -> str:
        """Return the hash of a text, or where another memory has that, one of its own."""
        digest = content_hash(fields["content"])
        taken = await self._connection.fetch_all(
            "SELECT 1 FROM memories WHERE namespace = ? AND content_hash = ? AND id <> ?",
            (fields["namespace"], digest, name),
        )
        return hashlib.sha256(f"{digest}\0{name}".encode()).hexdigest() if taken else digest

    async def _write_history(self, kind: str, number: int, history: Sequence[Fields]) -> None:
        table, owner, columns, _ = _HISTORY[kind]
        numbered = "" if kind == MEMORY.name else ", seq"
        await self._connection.execute_many(
            f"INSERT INTO {table} ({owner}, {', '.join(columns)}{numbered}) "
            f"VALUES (?, {', '.join('?' * len(columns))}{', ?' if numbered else ''})",
            [
                (number, *(one[name] for name in columns), *([place] if numbered else []))
                for place, one in enumerate(history, start=1)
            ],
        )

    async def _show_goal(self, name: str, body: Body | None) -> None:
        connection = self._connection
        if body is None:
            await connection.execute("UPDATE goals SET parent_goal_id = NULL WHERE parent_goal_id = ?", (name,))
            await connection.execute("UPDATE events SET goal_id = NULL WHERE goal_id = ?", (name,))
            await connection.execute("DELETE FROM goals WHERE id = ?", (name,))
            return
        fields = {**body.fields, "parent_goal_id": None}
        seq = await connection.fetch_value("SELECT seq FROM goals WHERE id = ?", (name,))
        action = "goal.add" if seq is None else "goal.update"
        seq = await self._write(name, "goals", seq, fields)
        await connection.execute("DELETE FROM goal_notes WHERE goal_seq = ?", (seq,))
        await self._write_history(GOAL.name, seq, body.history)
        await record_change(connection, self._now, fields["namespace"], action, name)

    async def _place_goal(self, name: str, parent: str) -> None:
        """Give a goal its parent, unless that is gone or below it: two devices may have turned them around."""
        await self._connection.execute(
            "UPDATE goals SET parent_goal_id = ?1 WHERE id = ?2 AND EXISTS (SELECT 1 FROM goals WHERE id = ?1) "
            "AND NOT EXISTS (WITH RECURSIVE above (id) AS (SELECT id FROM goals WHERE id = ?1 UNION "
            "SELECT g.parent_goal_id FROM goals g JOIN above ON g.id = above.id WHERE g.parent_goal_id IS NOT NULL) "
            "SELECT 1 FROM above WHERE id = ?2)",
            (parent, name),
        )

    async def _show_relation(self, name: str, body: Body | None) -> None:
        connection = self._connection
        if body is None:
            await connection.execute(
                "DELETE FROM relations WHERE from_id = ? AND type = ? AND to_id = ?", _key(RELATION.name, name)
            )
            return
        columns = _columns(RELATION)
        ends = await connection.fetch_value(
            "SELECT count(*) FROM memories WHERE id IN (?, ?)", (body.fields["from_id"], body.fields["to_id"])
        )
        if ends < 2:
            return  # with the memory its relations went, which is told as such
        await connection.execute(
            f"INSERT INTO relations ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
            "ON CONFLICT (from_id, type, to_id) DO UPDATE SET weight = excluded.weight, "
            "evidence = excluded.evidence, created_at = excluded.created_at",
            [body.fields[one] for one in columns],
        )

    async def _show_reflection(self, name: str, body: Body | None) -> None:
        connection = self._connection
        if body is None:
            await connection.execute("DELETE FROM events WHERE id = ? AND type = 'reflection'", (name,))
            return
        seq = await connection.fetch_value("SELECT seq FROM events WHERE id = ?", (name,))
        await self._write(name, "events", seq, {**body.fields, "type": REFLECTION.name})
        await record_change(connection, self._now, body.fields["namespace"], "reflection.log", name)

    async def _write(self, name: str, table: str, seq: int | None, fields: Fields) -> int:
        """Insert a row, or update the one with a number; return its number."""
        values = [_stored(one, value) for one, value in fields.items()]
        if seq is None:
            return int(
                await self._connection.fetch_value(
                    f"INSERT INTO {table} (id, {', '.join(fields)}) VALUES (?, {', '.join('?' * len(fields))}) "
                    "RETURNING seq",
                    [name, *values],
                )
            )
        assigned = ", ".join(f"{one} = ?" for one in fields)
        await self._connection.execute(f"UPDATE {table} SET {assigned} WHERE seq = ?", [*values, seq])
        return seq


_MATCH = {kind: "x.from_id = ? AND x.type = ? AND x.to_id = ?" if kind == "relation" else "x.id = ?" for kind in KINDS}
_HISTORY: Mapping[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "memory": (
        "memory_versions",
        "memory_seq",
        ("version", "memory_type", "content", "tags", "importance", "metadata", "replaced_at"),
        ("version",),
    ),
    "goal": ("goal_notes", "goal_seq", ("at", "text"), ("at", "text")),
}
"""The table of the history of a kind, its owner, its columns, and its order."""


def _columns(kind: Kind) -> tuple[str, ...]:
    groups = [column for columns in kind.groups.values() for column in columns]
    return (*kind.text, *groups, *kind.counts, *kind.peaks)


def _key(kind: str, name: str) -> tuple[str, ...]:
    """Return the columns that a record is found by."""
    if kind != RELATION.name:
        return (name,)
    from_id, _, rest = name.partition(" ")
    type_, _, to_id = rest.rpartition(" ")
    return from_id, type_, to_id


def _rows(kind: str, known: str = "") -> str:
    """Return the synced rows of a kind, joined with what is known of them."""
    return f"{_TABLE[kind]} x {_JOINS.get(kind, '')} {known} WHERE {_SYNCED[kind]}"


def _known(kind: str) -> str:
    return f"LEFT JOIN sync_records r ON r.kind = '{kind}' AND r.id = {_ID[kind]}"


def _place(rows: Sequence[Row]) -> Place:
    if not rows:
        raise Conflict("this home is not synced: agentos sync init FOLDER, or agentos sync join FOLDER")
    return place_of(json.loads(rows[0]["place"]))


def _stored(column: str, value: Any) -> Any:
    return bool(value) if column in _TRUTHS and value is not None else value


def _as_row(name: str, fields: Fields) -> Any:
    """Return a memory as a row of its table, with what does not come from other devices."""
    local: dict[str, Any] = dict.fromkeys(("session", "place", "speaker", "likely_successor", "seq", "content_hash"))
    given = {column: _stored(column, value) for column, value in fields.items()}
    return cast("Any", local | given | {"id": name, "accessed_at": fields["created_at"], "access_count": 0})
