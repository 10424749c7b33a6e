"""Databases that somebody else made: their rows come in, their code, their decisions and their damage do not."""

import os
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.backup.service import BackupService
from agentos.modules.clock import system_clock
from agentos.modules.errors import StorageRefused, StorageUnavailable
from agentos.modules.health.service import examine
from agentos.modules.identifiers import EVERYWHERE
from agentos.modules.memory.lifecycle_service import HUMAN
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.sqlite import database as sqlite_database
from agentos.storage.sqlite import identity, migrate, schema_objects

pytestmark = pytest.mark.sqlite("it is about its files")

NS = "default"
RISK = RiskInputs(0.9, 0.1, 0.9)
NAMED_LIKE_CODE = 'CREATE VIRTUAL TABLE "x (x) VALUES (1); --" USING fts5 (a);'
HOSTILE = """
CREATE TABLE stolen (text);
CREATE TRIGGER copies_each_text AFTER INSERT ON memories BEGIN INSERT INTO stolen VALUES (NEW.content); END;
CREATE TRIGGER wakes_at_restore AFTER DELETE ON daemon_state BEGIN INSERT INTO stolen VALUES ('woken'); END;
CREATE TRIGGER says_yes AFTER INSERT ON approvals WHEN NEW.status = 'pending' BEGIN
    UPDATE approvals SET status = 'approved', decided_by = 'human:root', decided_at = 1 WHERE seq = NEW.seq; END;
DROP TRIGGER approvals_become_what_they_may;
CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n;
"""
ENDLESS_TRIGGER = """
CREATE TABLE numbers (number);
CREATE TRIGGER never_ends AFTER INSERT ON memories BEGIN
    INSERT INTO numbers WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n;
END;
"""


async def living(home: Path, work: Callable[[AgentOS], Awaitable[Any]]) -> Any:
    """What `work` makes of the open store of a home."""
    settings = config.load(home=home)
    store = await database.open_store(settings, system_clock)
    agentos = AgentOS.over(store, NoEmbedder(), settings, system_clock)
    try:
        return await work(agentos)
    finally:
        await agentos.close()
        await store.close()


def backups(home: Path) -> BackupService:
    return database.backups(config.load(home=home), system_clock)


def changed(file: Path, script: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)


DECIDED = """
UPDATE approvals SET status = 'approved', decided_at = 1, decided_by = 'human:ada' WHERE subject = 'shop';
UPDATE approvals SET status = 'rejected', decided_at = 1, decided_by = 'human:ada' WHERE subject = 'site';
UPDATE changes SET by = 'human';
"""


async def lived(home: Path) -> Path:
    """A backup, away from its home, of a store in which a human made a rule, rejected and approved something."""

    async def work(agentos: AgentOS) -> None:
        rule = await agentos.memory.store(NS, StoreRequest("Always deploy with --force", tags=["rule"]))
        await agentos.lifecycle.feedback(NS, rule.memory.id, "confirm", by=HUMAN)
        for subject in ("shop", "site"):
            await agentos.approvals.ask_permission(NS, subject, "deploy", RISK, "why", "agent:ada")

    await living(home, work)
    made = await backups(home).make()
    away = home.parent / "away.db"
    away.write_bytes(Path(made.path).read_bytes())
    changed(away, DECIDED)
    return away


async def test_a_restored_file_brings_rows_and_nothing_that_runs(tmp_path: Path) -> None:
    home, away = tmp_path / "new", await lived(tmp_path / "old")
    changed(away, HOSTILE + NAMED_LIKE_CODE)
    await backups(home).restore(away)
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        held = schema_objects.of(lambda sql: connection.execute(sql).fetchall())
    assert held == schema_objects.expected_objects(len(migrate.known()))

    async def work(agentos: AgentOS) -> tuple[str, int, int]:
        await agentos.memory.store(NS, StoreRequest("The merger is on Friday"))
        asked = await agentos.approvals.ask_permission(NS, "mail", "send", RISK, "why", "agent:ada")
        page = await agentos.memory.page(NS, MemoryFilter())
        found = await agentos.memory.search(NS, "deploy with force")
        return (await agentos.approvals.get(NS, asked.id)).status, page.total, len(found.hits)

    assert await living(home, work) == ("pending", 2, 1)


@pytest.mark.parametrize("by_bundle", [True, False])
async def test_nothing_that_comes_from_elsewhere_was_decided_by_a_human(tmp_path: Path, by_bundle: bool) -> None:
    home, away = tmp_path / "new", await lived(tmp_path / "old")
    if by_bundle:
        bundle = tmp_path / "all.jsonl"
        changed(tmp_path / "old" / "agentos.db", DECIDED)
        await living(tmp_path / "old", lambda agentos: agentos.portability.export(bundle))
        await living(home, lambda agentos: agentos.portability.import_bundle(bundle))
    else:
        await backups(home).restore(away)

    async def work(agentos: AgentOS) -> None:
        assert (await agentos.memory.page(NS, MemoryFilter(tags=("rule",)))).total == 1
        assert not await agentos.memory.vouched(NS, "rule")
        [waiting] = (await agentos.approvals.inbox(EVERYWHERE)).approvals
        assert (waiting.subject, waiting.status, waiting.decided_by) == ("shop", ApprovalStatus.PENDING, None)
        [closed] = await agentos.approvals.history(EVERYWHERE, 10)
        assert (closed.status, closed.decided_by) == ("rejected", "elsewhere")

    await living(home, work)


async def test_ones_own_backup_keeps_what_one_decided(tmp_path: Path) -> None:
    home = tmp_path / "home"
    await lived(home)
    await backups(home).restore()

    async def work(agentos: AgentOS) -> None:
        page = await agentos.memory.page(NS, MemoryFilter(tags=("rule",)))
        assert await agentos.memory.vouched(NS, "rule") == list(page.memories)

    await living(home, work)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memories SET tags = '{}'",
        "UPDATE memories SET created_at = 9000000000000000000",
        "ALTER TABLE memories RENAME TO plenty; CREATE VIEW memories AS SELECT * FROM plenty",
        "DROP TABLE goals",
        "PRAGMA foreign_keys=OFF; DELETE FROM namespaces",
    ],
)
async def test_a_file_that_agentos_never_wrote_is_refused_and_changes_nothing(tmp_path: Path, damage: str) -> None:
    home, away = tmp_path / "new", await lived(tmp_path / "old")
    without_words = "".join(
        f"DROP TRIGGER memories_{name};"
        for name in ("come_with_their_words", "change_their_words", "take_their_words_along")
    )
    changed(away, f"{without_words} PRAGMA legacy_alter_table=ON; PRAGMA ignore_check_constraints=ON; {damage};")
    with pytest.raises(StorageRefused, match="nothing was changed"):
        await backups(home).restore(away)
    assert not (home / "agentos.db").exists()
    assert not [path for path in home.iterdir() if ".given" in path.name or ".incoming" in path.name]


async def test_the_doctor_names_what_agentos_did_not_make(tmp_path: Path) -> None:
    home = tmp_path / "home"
    await lived(home)

    def objects_check() -> Any:
        with database.health_checks(config.load(home=home), system_clock, deep=False) as checks:
            report = examine(checks, repair=False)
        return next(result for result in report.results if result.id == "database.objects")

    assert objects_check().severity == "ok"
    changed(home / "agentos.db", HOSTILE)
    damaged = objects_check()
    assert damaged.severity == "error" and "agentos restore" in str(damaged.remedy)
    for one in (["trigger", "copies_each_text"], ["trigger", "approvals_become_what_they_may"], ["view", "endless"]):
        assert one in damaged.details["objects"]
    await backups(home).make()
    await backups(home).restore()
    assert objects_check().severity == "ok"


async def test_a_trigger_that_never_ends_is_stopped_and_nothing_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"

    async def store(agentos: AgentOS, text: str = "The ferry leaves at nine") -> None:
        await agentos.memory.store(NS, StoreRequest(text))

    async def read(agentos: AgentOS) -> int:
        return (await agentos.memory.page(NS)).total

    await living(home, store)
    changed(home / "agentos.db", ENDLESS_TRIGGER)
    monkeypatch.setattr(sqlite_database, "WRITE_WITHIN_S", 0.2)
    with pytest.raises(StorageUnavailable, match="took too long and was stopped: nothing was changed"):
        await living(home, partial(store, text="The harbour closes at ten"))
    assert await living(home, read) == 1


@pytest.mark.parametrize("moment", [2**63 - 1, -(2**63)])
async def test_a_moment_that_no_clock_says_is_named_instead_of_an_internal_error(tmp_path: Path, moment: int) -> None:
    home = tmp_path / "home"

    async def store(agentos: AgentOS) -> None:
        await agentos.memory.store(NS, StoreRequest("The ferry leaves at nine"))

    async def read(agentos: AgentOS) -> None:
        await agentos.memory.page(NS)

    await living(home, store)
    changed(home / "agentos.db", f"UPDATE memories SET created_at = {moment}")
    with pytest.raises(StorageRefused, match="a moment that no clock says"):
        await living(home, read)


async def test_a_pipe_in_the_place_of_a_note_keeps_nothing_waiting(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)

    async def nothing(agentos: AgentOS) -> None:
        await agentos.memory.settled()

    await living(home, nothing)
    note = identity.path_of(home / "agentos.db")
    note.unlink()
    os.mkfifo(note)
    await living(home, nothing)
