"""Every released schema stays openable: stores as old releases wrote them, brought to the newest schema."""

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.store_request import StoreRequest
from agentos.storage.engine.migration import Migration
from agentos.storage.sqlite import folder, migrate, sound_copy, text_functions
from agentos.storage.sqlite.backup import SqliteBackups
from tests.places import RELEASED

pytestmark = pytest.mark.sqlite("it is about its migrations")

SCHEMAS = sorted(RELEASED.glob("schema-*.sql"))
ADDED = {
    *("store_identity", "token_signs", "sealed_memories", "relations", "changes", "change_memories"),
    *("anchored_folders", "anchors"),
    *("projects", "sessions", "stretches", "shown_context"),
    *("approvals", "approval_events", "usage", "spending"),
    *("segments", "pages", "turns", "consolidations", "queue", "readings"),
    *("entities", "entity_aliases", "entity_forms", "entity_mentions", "entity_relations"),
    *("compounds", "principals", "keys", "grants", "namespace_policies", "audit_head", "text_statistics"),
    *("event_handlers", "request_effects", "branches", "branch_points", "branch_merges", "governance", "watches"),
    *("teams", "told_blocks", "told_memories", "held_exchanges", "questions", "deeds", "owed_looks"),
    *("sync_place", "sync_records", "attachments", "attachment_parts"),
    *("lesson_states", "lesson_tellings", "lesson_runs", "lesson_reading"),
}
"""Tables that later schemas added."""
FILLED = {
    "text_statistics": {"shelf"},
    "compounds": {"shelf"},
    "daemon_state": {"host", "skew_us"},
    "audit": {"principal", "door", "request_id", "hash"},
    "usage": {"unanswered", "helpful", "at"},
    "spending": {"at"},
    "embeddings": {"id", "part", "begins", "ends"},
    "index_outbox": {"passages"},
    "memory_tags": {"namespace"},
    "memories": {"kind", "status", "confidence", "trust", "confirmations", "rejections", "aside"},
}
"""Columns that later schemas added with a value of their own."""


Rows = dict[str, list[dict[str, Any]]]


def rows(database: Path) -> Rows:
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted((dict(row) for row in connection.execute(f"SELECT * FROM {name}")), key=repr)
            for name in names
            if not name.startswith(("memory_text", "postings", "schema_migrations"))  # the text index is cut anew
        }


def with_day(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the day that its counters were of: they are as of its noon."""
    at = row.get("at")
    is_noon = isinstance(at, int) and at % 86_400_000_000 == 43_200_000_000
    return {**row, "day": datetime.fromtimestamp(at // 1_000_000, UTC).date().isoformat()} if is_noon else row


def as_before(after: Rows, before: Rows) -> Rows:
    """The tables and columns that were there before; what later schemas added must be empty, or say nothing."""
    assert {name for name in after if name not in before} <= ADDED
    remaining: Rows = {}
    for name, old in before.items():
        known = set(old[0]) if old else set()
        remaining[name] = [{key: value for key, value in with_day(row).items() if key in known} for row in after[name]]
        filled = known | FILLED.get(name, set())
        added = [{key: value for key, value in row.items() if key not in filled} for row in after[name]]
        assert all(value is None for row in added for value in row.values()), name
    return {name: sorted(found, key=repr) for name, found in remaining.items()}


@pytest.fixture(params=SCHEMAS, ids=lambda path: path.stem)
def old_home(request: pytest.FixtureRequest, home: Path) -> Path:
    home.mkdir(mode=0o700)
    folder.make_private(home / "agentos.db")
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        connection.execute("PRAGMA synchronous=OFF")  # its statements are many transactions
        connection.executescript(request.param.read_text(encoding="utf-8"))
    return home


def test_there_is_a_store_of_every_schema_but_the_newest() -> None:
    assert [path.stem for path in SCHEMAS] == [f"schema-{n:03}" for n in range(1, len(migrate.known()))]


async def test_an_old_store_keeps_all_it_holds(
    old_home: Path, open_store: Callable[[], Awaitable[OpenedStore]], wire: Callable[..., Any]
) -> None:
    before = rows(old_home / "agentos.db")
    assert all(before[table] for table in ("memories", "goals", "events", "insights", "embeddings", "audit"))
    store = await open_store()
    assert as_before(rows(old_home / "agentos.db"), before) == before
    assert not (await store.sharing.audit.verify_everywhere()).faults, "what was noted before is chained too"
    agentos = wire(store)
    found = await agentos.memory.search("ada", "who reviews billing")
    assert found.hits[0].memory.content == "Maria reviews the billing service; “naïve” café 日本語"
    assert found.hits[0].similarity is not None, "its vectors are used"
    [goal] = await agentos.goals.active("ada")
    assert (goal.title, goal.progress) == ("Move to PostgreSQL 16", 0.4)
    deploys = (await agentos.memory.search("ada", "when does the team deploy?")).hits[0].memory
    _, [earlier] = await agentos.memory.get("ada", deploys.id)
    assert earlier.content == "The team deploys on Tuesdays only."
    await agentos.memory.store("ada", StoreRequest("writing goes on"))
    await agentos.memory.store("ada", StoreRequest("Maria: in a conversation too", session="s"))
    await agentos.close()
    await store.close()
    sound_copy.check(old_home / "agentos.db")


@pytest.mark.parametrize("old_home", SCHEMAS[-1:], indirect=True)
async def test_a_word_that_the_text_index_cuts_inside_a_character_is_migrated(
    old_home: Path, open_store: Callable[[], Awaitable[OpenedStore]], wire: Callable[..., Any]
) -> None:
    with closing(sqlite3.connect(old_home / "agentos.db")) as connection:
        text_functions.add_to(connection)
        connection.execute("UPDATE memories SET content = ? WHERE seq = 1", ("heron a" + "क" * 20_000,))
        connection.commit()
    store = await open_store()
    agentos = wire(store)
    assert (await agentos.memory.search("ada", "heron")).hits[0].memory.content.startswith("heron a")
    await agentos.close()
    await store.close()


async def test_what_was_there_before_the_migration_is_kept_and_can_be_restored(
    old_home: Path, open_store: Callable[[], Awaitable[OpenedStore]], wire: Callable[..., Any], clock: Any
) -> None:
    before = rows(old_home / "agentos.db")
    store = await open_store()
    await wire(store).memory.store("ada", StoreRequest("stored by the new release"))
    await store.close()
    backups = SqliteBackups(old_home, old_home / "agentos.db")
    [backup] = await backups.found(None)
    assert backup.problem is None
    assert (backup.memories, backup.name.startswith("before-schema-")) == (3, True)
    assert rows(Path(backup.path)) == before
    await backups.restore(None, clock())
    assert (await wire(await open_store()).memory.page("ada")).total == 2, "migrated again at the next start"


async def test_a_dry_run_says_what_would_be_done_and_changes_nothing(old_home: Path) -> None:
    before = {path: path.read_bytes() for path in old_home.iterdir()}
    found = await SqliteBackups(old_home, old_home / "agentos.db").rehearse()
    assert [step.version for step in found.steps] == list(range(found.schema + 1, len(migrate.known()) + 1))
    assert found.memories == 3
    after = {path: path.read_bytes() for path in old_home.iterdir() if path.suffix != ".lock"}
    assert after == before


async def test_a_dry_run_tells_of_a_migration_that_would_fail(old_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Migration(len(migrate.known()) + 1, "bad", "INSERT INTO absent VALUES (1);\n")
    known = migrate.known()
    monkeypatch.setattr(migrate, "known", lambda: [*known, bad])
    before = (old_home / "agentos.db").read_bytes()
    from agentos.modules.errors import StorageUnavailable

    with pytest.raises(StorageUnavailable):
        await SqliteBackups(old_home, old_home / "agentos.db").rehearse()
    assert (old_home / "agentos.db").read_bytes() == before
