"""Showing in a store what came from other devices: new records, changed ones, and such as are gone."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime

from ...modules.judging import erasing
from ...modules.memory.storing import content_hash
from ...storage.engine.ports import Connection
from ...storage.engine.times import to_us
from ...storage.repositories import kept_by_gateway
from ...storage.repositories.audit import record_changes, register_namespace
from ...storage.repositories.kept_files import keep_bytes
from ...storage.repositories.memory_rows import COLUMNS, INSERTED, as_json, to_memory
from ...storage.repositories.memory_writing import clear_derived, write_tags
from ...storage.repositories.rows import TransactionRows
from .columns import HISTORY, JSON, TEXTS, as_row, columns_of, key_of, stored
from .kinds import ATTACHMENT, GOAL, MEMORY, REFLECTION, RELATION
from .models import Body, Fields
from .segments import Incomplete

Present = Callable[[Collection[str]], Awaitable[Mapping[str, Body]]]


class Showing:
    """Writes records within a transaction.

    `clean` are texts that hold secrets, each with what is kept of it; `files` are the bytes that came, by their hashes.
    """

    def __init__(
        self,
        connection: Connection,
        now: datetime,
        clean: Mapping[str, str],
        files: Mapping[str, bytes],
        memories: Present,
    ) -> None:
        self._connection = connection
        self._now = now
        self._clean = clean
        self._files = files
        self._memories = memories
        self.has_erased = False

    async def show(self, kind: str, bodies: Mapping[str, Body | None]) -> None:
        """Write records as far as the store can hold them so, or with None delete them."""
        erase = {
            MEMORY.name: self._erase_memory,
            GOAL.name: self._erase_goal,
            RELATION.name: self._erase_relation,
            REFLECTION.name: self._erase_reflection,
            ATTACHMENT.name: self._erase_attachment,
        }[kind]
        for name, body in bodies.items():
            if body is None:
                await erase(name)
        shown = {name: self._cleaned(body) for name, body in bodies.items() if body is not None}
        for namespace in sorted({one.fields["namespace"] for one in shown.values() if "namespace" in one.fields}):
            await register_namespace(self._connection, namespace, to_us(self._now))
        if kind == MEMORY.name:
            await self._show_memories(shown)
        elif kind == GOAL.name:
            await self._show_goals(shown)
        elif kind == RELATION.name:
            await self._show_relations(shown)
        elif kind == ATTACHMENT.name:
            await self._show_attachments(shown)
        else:
            await self._show_reflections(shown)

    def _cleaned(self, body: Body) -> Body:
        """Return a record without the secrets that were found in it."""
        if not self._clean:
            return body
        return Body(self._without_secrets(body.fields), [self._without_secrets(one) for one in body.history])

    def _without_secrets(self, fields: Fields) -> Fields:
        return {
            name: self._clean.get(value, value) if name in TEXTS | JSON | {"text"} else value
            for name, value in fields.items()
        }

    async def _erase_memory(self, name: str) -> None:
        for row in await self._connection.fetch_all(f"SELECT {COLUMNS} FROM memories m WHERE m.id = ?", (name,)):
            await erasing.erase(TransactionRows(self._connection), to_memory(row), self._now, "memory.erase")
            self.has_erased = True

    async def _show_memories(self, bodies: Mapping[str, Body]) -> None:
        """Write memories: all new ones at once, and of those that are here what changed."""
        connection = self._connection
        here = {
            row["id"]: row
            for row in await connection.fetch_all(
                "SELECT m.seq, m.id, m.namespace, m.content, m.content_hash FROM json_texts(?) given "
                "/*then*/ JOIN memories m ON m.id = given.value",
                (as_json(list(bodies)),),
            )
        }
        before = await self._memories(list(here))
        texts = {
            name for name, one in bodies.items() if name not in here or here[name]["content"] != one.fields["content"]
        }
        digests = await self._free_hashes({name: bodies[name].fields for name in sorted(texts)})
        new = [name for name in bodies if name not in here]
        columns = [one.strip() for one in INSERTED.split(",")]
        values = [as_row(name, bodies[name].fields) | {"content_hash": digests[name]} for name in new]
        await connection.execute_many(
            f"INSERT INTO memories ({INSERTED}) VALUES ({','.join('?' * len(columns))})",
            [[one[column] for column in columns] for one in values],
        )
        assigned = columns_of(MEMORY)
        await connection.execute_many(
            f"UPDATE memories SET {', '.join(f'{one} = ?' for one in assigned)}, content_hash = ? WHERE seq = ?",
            [
                (
                    *(stored(one, bodies[name].fields[one]) for one in assigned),
                    digests.get(name, row["content_hash"]),
                    row["seq"],
                )
                for name, row in here.items()
            ],
        )
        numbers = {name: row["seq"] for name, row in here.items()}
        for row in await connection.fetch_all(
            "SELECT m.id, m.seq FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value",
            (as_json(new),),
        ):
            numbers[row["id"]] = row["seq"]
        for name, row in here.items():
            was, body = before.get(name), bodies[name]
            is_same_text = name not in texts
            if was is None or not is_same_text or was.fields["tags"] != body.fields["tags"]:
                await clear_derived(connection, row["namespace"], row["seq"], keep_vector=is_same_text)
                await write_tags(connection, row["seq"], to_memory(as_row(name, body.fields)))
            if not is_same_text:
                await kept_by_gateway.delete_containing(connection, row["namespace"], name)
            if was is None or list(was.history) != list(body.history):
                await connection.execute("DELETE FROM memory_versions WHERE memory_seq = ?", (row["seq"],))
                await self._write_history(MEMORY.name, [(row["seq"], body.history)])
        await connection.execute_many(
            "INSERT INTO memory_tags (namespace, tag, memory_seq) VALUES (?, tag_of(?), ?) ON CONFLICT DO NOTHING",
            [
                (bodies[name].fields["namespace"], tag, numbers[name])
                for name in new
                for tag in json.loads(bodies[name].fields["tags"])
            ],
        )
        await self._write_history(MEMORY.name, [(numbers[name], bodies[name].history) for name in new])
        for action, names in (("memory.store", new), ("memory.update", list(here))):
            named = [(bodies[name].fields["namespace"], name) for name in names]
            await record_changes(connection, self._now, action, named)

    async def _free_hashes(self, texts: Mapping[str, Fields]) -> dict[str, str]:
        """Return the hash of each text, or where another memory has that, one of its own."""
        own = {name: content_hash(fields["content"]) for name, fields in texts.items()}
        rows = await self._connection.fetch_all(
            "SELECT m.namespace, m.content_hash, m.id FROM json_texts(?) given "
            "/*then*/ JOIN memories m ON m.content_hash = given.value AND m.namespace IN (SELECT id FROM namespaces)",
            (as_json(sorted(set(own.values()))),),
        )
        taken = {(row["namespace"], row["content_hash"]): row["id"] for row in rows}
        found = {}
        for name, digest in own.items():
            owner = taken.setdefault((texts[name]["namespace"], digest), name)
            found[name] = digest if owner == name else hashlib.sha256(f"{digest}\0{name}".encode()).hexdigest()
        return found

    async def _write_history(self, kind: str, histories: Sequence[tuple[int, Sequence[Fields]]]) -> None:
        table, owner, columns, _ = HISTORY[kind]
        numbered = "" if kind == MEMORY.name else ", seq"
        await self._connection.execute_many(
            f"INSERT INTO {table} ({owner}, {', '.join(columns)}{numbered}) "
            f"VALUES (?, {', '.join('?' * len(columns))}{', ?' if numbered else ''})",
            [
                (number, *(one[name] for name in columns), *([place] if numbered else []))
                for number, history in histories
                for place, one in enumerate(history, start=1)
            ],
        )

    async def _erase_goal(self, name: str) -> None:
        connection = self._connection
        await connection.execute("UPDATE goals SET parent_goal_id = NULL WHERE parent_goal_id = ?", (name,))
        await connection.execute("UPDATE events SET goal_id = NULL WHERE goal_id = ?", (name,))
        await connection.execute("DELETE FROM goals WHERE id = ?", (name,))

    async def _show_goals(self, bodies: Mapping[str, Body]) -> None:
        connection = self._connection
        for name, body in bodies.items():
            fields = {**body.fields, "parent_goal_id": None}
            seq = await connection.fetch_value("SELECT seq FROM goals WHERE id = ?", (name,))
            action = "goal.add" if seq is None else "goal.update"
            seq = await self._write(name, "goals", seq, fields)
            await connection.execute("DELETE FROM goal_notes WHERE goal_seq = ?", (seq,))
            await self._write_history(GOAL.name, [(seq, body.history)])
            await record_changes(connection, self._now, action, [(fields["namespace"], name)])
        for name, body in bodies.items():
            if body.fields["parent_goal_id"] is not None:
                await self._place_goal(name, body.fields["parent_goal_id"])

    async def _place_goal(self, name: str, parent: str) -> None:
        """Give a goal its parent, unless that is gone or below it: two devices may have turned them around."""
        await self._connection.execute(
            "UPDATE goals SET parent_goal_id = ?1 WHERE id = ?2 AND EXISTS (SELECT 1 FROM goals WHERE id = ?1) "
            "AND NOT EXISTS (WITH RECURSIVE above (id) AS (SELECT id FROM goals WHERE id = ?1 UNION "
            "SELECT g.parent_goal_id FROM goals g JOIN above ON g.id = above.id WHERE g.parent_goal_id IS NOT NULL) "
            "SELECT 1 FROM above WHERE id = ?2)",
            (parent, name),
        )

    async def _erase_relation(self, name: str) -> None:
        await self._connection.execute(
            "DELETE FROM relations WHERE from_id = ? AND type = ? AND to_id = ?", key_of(RELATION.name, name)
        )

    async def _show_relations(self, bodies: Mapping[str, Body]) -> None:
        """Write relations between memories that are here: with one that was erased its relations went."""
        columns = columns_of(RELATION)
        ends = {end for one in bodies.values() for end in (one.fields["from_id"], one.fields["to_id"])}
        rows = await self._connection.fetch_all(
            "SELECT m.id FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value",
            (as_json(sorted(ends)),),
        )
        here = {row["id"] for row in rows}
        await self._connection.execute_many(
            f"INSERT INTO relations ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
            "ON CONFLICT (from_id, type, to_id) DO UPDATE SET weight = excluded.weight, "
            "evidence = excluded.evidence, created_at = excluded.created_at",
            [
                [one.fields[column] for column in columns]
                for one in bodies.values()
                if {one.fields["from_id"], one.fields["to_id"]} <= here
            ],
        )

    async def _erase_reflection(self, name: str) -> None:
        await self._connection.execute("DELETE FROM events WHERE id = ? AND type = 'reflection'", (name,))

    async def _show_reflections(self, bodies: Mapping[str, Body]) -> None:
        for name, body in bodies.items():
            seq = await self._connection.fetch_value("SELECT seq FROM events WHERE id = ?", (name,))
            await self._write(name, "events", seq, {**body.fields, "type": REFLECTION.name})
        named = [(one.fields["namespace"], name) for name, one in bodies.items()]
        await record_changes(self._connection, self._now, "reflection.log", named)

    async def _erase_attachment(self, name: str) -> None:
        """Leave a file to its memory, with which it goes: where that is still here, its file is told again."""

    async def _show_attachments(self, bodies: Mapping[str, Body]) -> None:
        """Write files of memories that are here. Raises Incomplete where bytes went meanwhile."""
        connection, columns = self._connection, columns_of(ATTACHMENT)
        owners = {one.fields["memory_id"] for one in bodies.values()}
        rows = await connection.fetch_all(
            "SELECT m.id, m.namespace FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value",
            (as_json(sorted(owners)),),
        )
        namespaces = {row["id"]: row["namespace"] for row in rows}
        shown = [one.fields for one in bodies.values() if one.fields["memory_id"] in namespaces]
        for digest in sorted({one["content_hash"] for one in shown}):
            if not await keep_bytes(connection, digest, self._files.get(digest, b"")):
                raise Incomplete
        await connection.execute_many(
            f"INSERT INTO attachments ({', '.join(columns)}, namespace) VALUES ({', '.join('?' * len(columns))}, ?) "
            "ON CONFLICT (memory_id, content_hash) DO UPDATE SET name = excluded.name, "
            "media_type = excluded.media_type, size = excluded.size, created_at = excluded.created_at",
            [[*(one[column] for column in columns), namespaces[one["memory_id"]]] for one in shown],
        )
        named = [(namespaces[one["memory_id"]], one["memory_id"]) for one in shown]
        await record_changes(connection, self._now, "memory.attach", named)

    async def _write(self, name: str, table: str, seq: int | None, fields: Fields) -> int:
        """Insert a row, or update the one with a number; return its number."""
        values = [stored(one, value) for one, value in fields.items()]
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
