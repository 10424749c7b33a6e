"""The rows of anchors and of the folders that are followed, on every engine."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ...modules.anchoring import CodeFolder
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.repositories.memory_rows import as_json
from ...storage.repositories.predicates import PROJECT, VISIBLE
from .models import Anchor, Body, Followed, Note, Place, State

_ANCHOR = (
    "m.id AS memory_id, m.confirmations AS confirmed, a.folder, a.path, a.symbol, a.now_path, a.now_symbol, a.body, "
    "a.revision, a.state, a.mark, a.confirmations, a.version, a.is_given"
)
_NOTE = "m.seq, m.id, m.content, m.version, m.confirmations"
_MARKED = "(a.mark <> '' AND a.confirmations >= m.confirmations)"
"""What is marked, and was not confirmed since: `Anchor.begins_anew` says the same of one that was."""
_KEY = "memory_seq = (SELECT seq FROM memories WHERE id = ?) AND folder = ? AND path = ? AND symbol = ?"


class AnchorRows:
    """The anchors of one store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def folders(self) -> list[Followed]:
        """Return every folder that is followed."""
        rows = await self._engine.read(
            "SELECT f.id, f.namespace, f.project, coalesce(p.name, '') AS name, f.folder, f.looked_at, f.problem, "
            "f.seen FROM anchored_folders f LEFT JOIN projects p ON p.id = f.project ORDER BY f.namespace, f.folder"
        )
        return [
            Followed(*(row[one] for one in "id namespace project name folder looked_at problem seen".split()))
            for row in rows
        ]

    async def status(self) -> list[CodeFolder]:
        """Return what is known of every folder."""
        rows = await self._engine.read(
            "SELECT a.folder, count(DISTINCT a.memory_seq) AS notes, "
            f"count(DISTINCT CASE WHEN {_MARKED} THEN a.memory_seq END) AS marked FROM anchors a "
            "JOIN memories m ON m.seq = a.memory_seq GROUP BY a.folder"
        )
        counts = {row["folder"]: (row["notes"], row["marked"]) for row in rows}
        return [
            CodeFolder(
                one.namespace, one.project_name or one.project, one.folder, *counts.get(one.id, (0, 0)), one.problem
            )
            for one in await self.folders()
        ]

    async def follow(self, folder: Followed) -> None:
        """Follow a folder; one that is followed already belongs to this project from now on."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "INSERT INTO anchored_folders (id, namespace, project, folder, looked_at, problem) "
                "VALUES (?, ?, ?, ?, 0, '') ON CONFLICT DO NOTHING",
                (folder.id, folder.namespace, folder.project, folder.folder),
            )
            await connection.execute(
                "UPDATE anchored_folders SET project = ?, looked_at = 0 WHERE namespace = ? AND folder = ?",
                (folder.project, folder.namespace, folder.folder),
            )

        await self._engine.write(work)

    async def leave(self, folder_id: str) -> int:
        """Follow a folder no longer; return how many anchors went with it."""

        async def work(connection: Connection) -> int:
            await connection.execute("DELETE FROM anchored_folders WHERE id = ?", (folder_id,))
            return await connection.execute("DELETE FROM anchors WHERE folder = ?", (folder_id,))

        return await self._engine.write(work)

    async def note_problem(self, folder_id: str, problem: str) -> None:
        """Keep why a folder was not looked at; "" where it was."""

        async def work(connection: Connection) -> None:
            await connection.execute("UPDATE anchored_folders SET problem = ? WHERE id = ?", (problem, folder_id))

        await self._engine.write(work)

    async def saw(self, folder_id: str, seen: str) -> None:
        """Keep how the anchored files of a folder were when all of them were judged."""

        async def work(connection: Connection) -> None:
            await connection.execute("UPDATE anchored_folders SET seen = ? WHERE id = ?", (seen, folder_id))

        await self._engine.write(work)

    async def look_again(self, folder_id: str) -> None:
        """Have the texts of all memories of a folder read again."""

        async def work(connection: Connection) -> None:
            await connection.execute("UPDATE anchored_folders SET looked_at = 0 WHERE id = ?", (folder_id,))

        await self._engine.write(work)

    async def note(self, namespace: str, memory_id: str) -> Note | None:
        """Return one memory."""
        rows = await self._engine.read(
            f"SELECT {_NOTE} FROM memories m WHERE m.namespace = ? AND m.id = ?", (namespace, memory_id)
        )
        return _note(rows[0]) if rows else None

    async def new_notes(self, folder: Followed, most: int) -> list[Note]:
        """Return the next memories of a folder's project whose text was not read yet; no turns of conversations."""
        rows = await self._engine.read(
            f"SELECT {_NOTE} FROM memories m WHERE m.namespace = ? AND m.seq > ? AND m.session IS NULL "
            f"AND {PROJECT} IN (?, ?) ORDER BY m.seq LIMIT ?",
            (folder.namespace, folder.looked_at, folder.project, folder.project_name or folder.project, most),
        )
        return [_note(row) for row in rows]

    async def edited_notes(self, folder: Followed, most: int) -> list[Note]:
        """Return memories whose text may be another one since they were anchored."""
        rows = await self._engine.read(
            f"SELECT DISTINCT {_NOTE} FROM anchors a JOIN memories m ON m.seq = a.memory_seq "
            "WHERE a.folder = ? AND a.version <> m.version ORDER BY m.seq LIMIT ?",
            (folder.id, most),
        )
        return [_note(row) for row in rows]

    async def keep(self, folder_id: str, note: Note, anchors: Sequence[Anchor]) -> None:
        """Give a memory the anchors that its text names.

        Those of an earlier text go; those of this one stay as they are, and so do those that were given.
        """

        async def work(connection: Connection) -> None:
            await connection.execute(
                "DELETE FROM anchors WHERE memory_seq = ? AND folder = ? AND is_given = 0 AND version <> ?",
                (note.seq, folder_id, note.version),
            )
            await connection.execute(
                "UPDATE anchors SET version = ? WHERE memory_seq = ? AND folder = ?",
                (note.version, note.seq, folder_id),
            )
            for one in anchors:
                await _insert(connection, one)

        await self._engine.write(work)

    async def looked(self, folder_id: str, seq: int) -> None:
        """Keep up to which memory the texts were read."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE anchored_folders SET looked_at = ? WHERE id = ? AND looked_at < ?", (seq, folder_id, seq)
            )

        await self._engine.write(work)

    async def give(self, anchor: Anchor) -> None:
        """Keep an anchor that somebody gave, in place of one that the text gave."""

        async def work(connection: Connection) -> None:
            await _delete(connection, anchor)
            await _insert(connection, anchor)

        await self._engine.write(work)

    async def anchors(self, folder_id: str) -> list[tuple[Anchor, int]]:
        """Return the anchors of a folder, each with the confirmations that its memory has now."""
        rows = await self._engine.read(
            f"SELECT {_ANCHOR} FROM anchors a JOIN memories m ON m.seq = a.memory_seq WHERE a.folder = ? "
            "ORDER BY m.seq, a.path, a.symbol",
            (folder_id,),
        )
        return [(_anchor(row), row["confirmed"]) for row in rows]

    async def of_namespace(self, namespace: str, memory_id: str | None) -> list[Anchor]:
        """Return the anchors of a namespace, or of one of its memories."""
        condition, given = ("AND m.id = ? ", (memory_id,)) if memory_id else ("", ())
        rows = await self._engine.read(
            f"SELECT {_ANCHOR} FROM anchored_folders f JOIN anchors a ON a.folder = f.id "
            f"JOIN memories m ON m.seq = a.memory_seq WHERE f.namespace = ? AND m.namespace = f.namespace {condition}"
            "ORDER BY f.folder, a.now_path, a.now_symbol, m.seq",
            (namespace, *given),
        )
        return [_anchor(row) for row in rows]

    async def shown(
        self, namespace: str, memory_id: str | None, marked: bool, most: int
    ) -> list[tuple[Anchor, int, str, str]]:
        """Return anchors of memories that are not hidden, the last stored first, or of one.

        Each comes with the confirmations that its memory has now, its text, and the name of its project.
        """
        conditions = ["m.id = ? AND m.status <> 'forgotten'"] if memory_id else [VISIBLE]
        if marked:
            conditions.append(_MARKED)
        rows = await self._engine.read(
            f"SELECT {_ANCHOR}, m.content, coalesce(p.name, f.project) AS name FROM anchored_folders f "
            "JOIN anchors a ON a.folder = f.id JOIN memories m ON m.seq = a.memory_seq "
            "LEFT JOIN projects p ON p.id = f.project WHERE f.namespace = ? AND m.namespace = f.namespace "
            f"AND {' AND '.join(conditions)} ORDER BY m.seq DESC, f.folder, a.path, a.symbol LIMIT ?",
            (namespace, *((memory_id,) if memory_id else ()), most),
        )
        return [(_anchor(row), row["confirmed"], row["content"], row["name"]) for row in rows]

    async def notes_on(self, namespace: str, project: str, paths: Sequence[str], most: int) -> list[str]:
        """Return the memories of a project that are anchored to files and not hidden, what is marked first."""
        rows = await self._engine.read(
            "SELECT m.id, max(a.mark) AS mark, max(m.seq) AS seq FROM anchored_folders f "
            "JOIN anchors a ON a.folder = f.id JOIN memories m ON m.seq = a.memory_seq "
            f"WHERE f.namespace = ? AND f.project = ? AND m.namespace = f.namespace AND {VISIBLE} "
            f"AND a.now_path IN ({', '.join('?' * len(paths))}) GROUP BY m.id ORDER BY 2 DESC, 3 DESC LIMIT ?",
            (namespace, project, *paths, most),
        )
        return [row["id"] for row in rows]

    async def settle(self, before: Sequence[Anchor], after: Sequence[Anchor | None]) -> None:
        """Write what became of anchors; None is one that goes. What was removed meanwhile stays so."""

        async def work(connection: Connection) -> None:
            for was, now in zip(before, after, strict=True):
                if now is None or now.place != was.place:
                    if await _delete(connection, was) and now is not None:
                        await _insert(connection, now)
                    continue
                await connection.execute(
                    "UPDATE anchors SET now_path = ?, now_symbol = ?, body = ?, revision = ?, state = ?, mark = ?, "
                    f"confirmations = ? WHERE {_KEY}",
                    (
                        *(now.now.path, now.now.symbol, _body_as_json(now), now.commit, now.state.value, now.mark),
                        *(now.confirmations, *_key_of(was)),
                    ),
                )

        await self._engine.write(work)

    async def remove(self, namespace: str, memory_id: str, place: Place | None) -> int:
        """Remove the anchors of a memory, or the one to a place; return how many that were.

        Where a memory was confirmed since its code was renamed or moved, its place is where that is now.
        """
        condition, given = "", tuple[str, ...]()
        if place:
            condition = (
                "AND ((path = ? AND symbol = ?) OR (now_path = ? AND now_symbol = ? AND mark <> '' "
                f"AND EXISTS (SELECT 1 FROM memories m WHERE m.seq = a.memory_seq AND NOT {_MARKED})))"
            )
            given = (place.path, place.symbol) * 2

        async def work(connection: Connection) -> int:
            return await connection.execute(
                "DELETE FROM anchors AS a WHERE memory_seq = "
                f"(SELECT seq FROM memories WHERE id = ? AND namespace = ?) {condition}",
                (memory_id, namespace, *given),
            )

        return await self._engine.write(work)


async def _insert(connection: Connection, one: Anchor) -> None:
    await connection.execute(
        "INSERT INTO anchors (memory_seq, folder, path, symbol, now_path, now_symbol, body, revision, state, mark, "
        "confirmations, version, is_given) SELECT m.seq, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM memories m "
        "WHERE m.id = ? ON CONFLICT DO NOTHING",
        (
            *(one.folder_id, one.place.path, one.place.symbol, one.now.path, one.now.symbol, _body_as_json(one)),
            *(one.commit, one.state.value, one.mark, one.confirmations, one.version, int(one.is_given), one.memory_id),
        ),
    )


async def _delete(connection: Connection, one: Anchor) -> int:
    return await connection.execute(f"DELETE FROM anchors WHERE {_KEY}", _key_of(one))


def _key_of(one: Anchor) -> tuple[str, str, str, str]:
    return one.memory_id, one.folder_id, one.place.path, one.place.symbol


def _body_as_json(one: Anchor) -> str:
    return as_json({**asdict(one.body), "beside": [(each.path, each.symbol) for each in one.beside]})


def _anchor(row: Row) -> Anchor:
    known: dict[str, Any] = json.loads(row["body"])
    beside = known.pop("beside")
    return Anchor(
        row["memory_id"],
        row["folder"],
        Place(row["path"], row["symbol"]),
        Place(row["now_path"], row["now_symbol"]),
        Body(**{**known, "names": tuple(known["names"])}),
        tuple(Place(*one) for one in beside),
        row["revision"],
        State(row["state"]),
        row["mark"],
        row["confirmations"],
        row["version"],
        bool(row["is_given"]),
    )


def _note(row: Row) -> Note:
    return Note(row["seq"], row["id"], row["content"], row["version"], row["confirmations"])
