"""Backups of a store on PostgreSQL: made and restored by pg_dump and pg_restore, what was replaced kept aside."""

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentos import config, database
from agentos.modules.backup.plan import RestorePlan, carry_out
from agentos.modules.clock import SharedClock, system_clock
from agentos.modules.errors import NotFound, StorageRefused, StorageUnavailable
from agentos.modules.jobs.service import JobService
from agentos.modules.store_request import StoreRequest
from agentos.storage.moving.parts import PARTS
from agentos.storage.postgres import replaced
from agentos.storage.postgres.dumps import SILENT_S, Dumps
from agentos.storage.postgres.store import PostgresStore

pytestmark = pytest.mark.postgres
SCHEMA = f"dumps_{os.getpid()}"


async def test_a_backup_brings_back_what_was_there_and_keeps_what_it_replaces(
    postgres_url: str, home: Path, clock: Any, wire: Any, another_embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    dumps = Dumps(home, postgres_url, SCHEMA)
    assert not await dumps.holds_data()
    with pytest.raises(NotFound):
        await dumps.make(clock(), None)

    async def remembered(*texts: str) -> list[str]:
        store = await PostgresStore.open(home, postgres_url, clock, schema=SCHEMA)
        agentos = wire(store, another_embedder())
        for text in texts:
            await agentos.memory.store("ada", StoreRequest(text))
        assert await agentos.embedding.caught_up(60.0)
        found = [hit.memory.content for hit in (await agentos.memory.search("ada", "apple", limit=9)).hits]
        await agentos.close()
        await store.close()
        return found

    assert await remembered("apple pie") == ["apple pie"]
    made = await dumps.make(clock(), None)
    assert made.memories == 1 and (Path(made.path).stat().st_mode & 0o777) == 0o600
    assert made.mark == await dumps.mark()
    assert len(await remembered("apple tart")) == 2
    assert made.mark != await dumps.mark()
    restored = await dumps.restore(None, clock.advance(minutes=1))
    assert restored.backup == made and restored.replaced is not None
    assert await remembered() == ["apple pie"]
    with psycopg.connect(postgres_url) as connection:
        aside = restored.replaced.split()[-1]
        row = connection.execute(f"SELECT count(*) FROM {aside}.memories").fetchone()
        assert row == (2,)
    assert f"{aside}.memories" in replaced.holding(postgres_url, SCHEMA, "APPLE tart")
    assert replaced.holding(postgres_url, SCHEMA, "plum crumble") == []
    Path(made.path).write_bytes(Path(made.path).read_bytes()[:-1] + b"?")
    with pytest.raises(StorageRefused, match="has changed since it was written"):
        await dumps.restore(None, clock())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(StorageRefused, match="pg_dump is not in PATH"):
        await dumps.make(clock(), None)


async def test_the_password_stands_in_no_argument_and_reaches_the_program(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "pg_dump"
    program.write_text(
        '#!/bin/sh\necho "$@" >&2\n'
        "for one in $2; do case $one in passfile=*) /bin/cat ${one#*=} >&2;; esac; done\nexit 1\n"
    )
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    dumps = Dumps(home, "postgresql://ada:s%3Ac%5Cret@db.example.com/team", SCHEMA)
    with pytest.raises(StorageUnavailable) as refused:
        dumps._run("pg_dump")
    arguments, password_line = str(refused.value).splitlines()
    assert "db.example.com" in arguments and "ret" not in arguments
    assert password_line == r"*:*:*:*:s\:c\\ret"


async def contents(store: PostgresStore) -> dict[str, list[Any]]:
    """All that a move would carry, as text."""
    return {part.name: [str(list(row)) for row in await store.engine.read(part.query)] for part in PARTS}


async def test_a_restore_that_a_person_planned_brings_back_every_row_while_no_daemon_is_at_work(
    home: Path, postgres_url: str, clock: Any, wire: Any, another_embedder: Any
) -> None:
    schema = f"planned_{os.getpid()}"
    settings = config.load(home=home, database_url=postgres_url, database_schema=schema)
    backups, plan = database.backups(settings, clock), RestorePlan(home)
    store: Any = await database.open_store(settings, clock)
    agentos = wire(store, another_embedder())
    for text in ("apple pie", "apple | tart", "Pi is 3"):
        await agentos.memory.store("ada", StoreRequest(text, tags=["food"]))
    assert await agentos.embedding.caught_up(60.0)
    await agentos.goals.add("ada", "Bake", "Bake a pie")
    before = await contents(store)
    name = (await backups.make()).name
    await agentos.memory.store("ada", StoreRequest("after the backup"))
    ends, serves = [SharedClock(lambda ahead=ahead: system_clock() + timedelta(seconds=ahead)) for ahead in (0, 50)]
    for shared in (ends, serves):
        await shared.follow(store.engine.time)
    for shared in (serves, ends):  # the clean end of one hides no other, whose clock is ahead besides
        daemon = JobService(store.work.jobs, shared)
        await daemon.daemon_started("test")
    await daemon.daemon_stopped()
    in_schema = database.overview(settings, clock).daemons
    assert [(each.state, round(each.skew_s)) for each in in_schema] == [("stopped", 0), ("running", 50)]
    plan.ask(name, "human:ada", clock())
    failed = await carry_out(plan, backups, clock)
    assert failed is not None and not failed.done and "was at work 0 s ago" in failed.result
    assert len(await contents(store)) == len(before), "it is as it was"
    await agentos.close()
    await store.close()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"UPDATE {schema}.daemon_state SET heartbeat_at = heartbeat_at - 1000000 * %s", (SILENT_S,))
    plan.ask(name, "human:ada", clock())
    done = await carry_out(plan, backups, clock)
    assert done is not None and done.done, done
    store = await database.open_store(settings, clock)
    assert await contents(store) == before
    assert (await store.sharing.audit.verify_everywhere()).faults == ()
    await store.close()


async def test_a_restore_is_refused_before_anything_is_changed(
    home: Path, postgres_url: str, clock: Any, tmp_path: Path
) -> None:
    schema, user = f"refused_{os.getpid()}", f"writer_{os.getpid()}"
    store = await PostgresStore.open(home, postgres_url, clock, schema=schema)
    await store.close()
    made = await Dumps(home, postgres_url, schema).make(clock(), None)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for statement in (
            f"CREATE ROLE {user} LOGIN PASSWORD 'word' BYPASSRLS",
            f"GRANT USAGE ON SCHEMA {schema} TO {user}",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {user}",
        ):
            connection.execute(statement)
    as_user = postgres_url.replace("postgres:@", f"{user}:word@", 1)
    other = Dumps(home, postgres_url, "another")
    note = Path(f"{made.path}.json")
    written = json.loads(note.read_text())

    async def refused(dumps: Dumps, message: str) -> None:
        with pytest.raises(StorageRefused, match=message):
            await dumps.restore(Path(made.name), clock())

    await refused(Dumps(home, as_user, schema), f"does not own the schema {schema}")
    await refused(Dumps(home, as_user, "another"), f"is of the schema {schema}, set AGENTOS_DATABASE_SCHEMA")
    await refused(other, f"is of the schema {schema}, set AGENTOS_DATABASE_SCHEMA")
    note.write_text(json.dumps({**written, "schema": 999}))
    await refused(Dumps(home, postgres_url, schema), "has schema 999, this AgentOS knows")
    note.write_text(json.dumps(written))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"ALTER SCHEMA {schema} OWNER TO {user}")
    await refused(Dumps(home, as_user, schema), "GRANT CREATE ON DATABASE")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        names = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'refused_%'").fetchall()
    assert names == [(schema,)], "nothing was put aside"
