"""The commands for the stores of a server: each acts on one store, in which whoever serves it notices at once."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agentos.conformance import erasure
from agentos.interfaces.cli.outcome import ExitCode
from agentos.interfaces.cli.running import run
from agentos.modules.errors import QuotaExceeded, StorageUnavailable, Suspended
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.store_request import StoreRequest
from agentos.storage.postgres.emptying import left
from agentos.storage.postgres.pausing import paused
from agentos.storage.postgres.store import PostgresStore
from agentos.storage.postgres.tenants import TenantDirectory

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("at_a_terminal")]
SCHEMA = f"tenants_{os.getpid()}"
OWNER = local_owner("default", None, Door.COMMAND_LINE)
ACME, BIRCH = "acme & co.", "birch"
HELD = ("the harbour crane", "the crane's permit", "the master's bell")


class Server:
    """A server as its operator has it, and stores as a daemon has them open."""

    def __init__(self, url: str, home: Path, clock: Any, wire: Any, capsys: pytest.CaptureFixture[str]) -> None:
        self.url = url
        self.home = home
        self._clock = clock
        self._wire = wire
        self._capsys = capsys

    async def command(self, *words: str, code: int = ExitCode.DONE) -> Any:
        """What a command tells as JSON; it runs as a program of its own would."""
        self._capsys.readouterr()
        found = await asyncio.to_thread(run, ["tenants", *words, "--home", str(self.home), "--json"])
        told = self._capsys.readouterr()
        assert found == code, (found, told)
        answer = json.loads(told.out)
        return answer.get("error", answer) if isinstance(answer, dict) else answer

    @asynccontextmanager
    async def serving(self, name: str, url: str = "") -> AsyncIterator[Any]:
        store = await PostgresStore.open(self.home, url or self.url, self._clock, schema=SCHEMA, tenant=name)
        agentos = self._wire(store)
        try:
            yield agentos
        finally:
            await agentos.close()
            await store.close()

    async def listed(self) -> dict[str, Any]:
        return {one["tenant"]: one for one in await self.command("list")}


@pytest.fixture
async def server(
    postgres_url: str,
    home: Path,
    clock: Any,
    wire: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Server]:
    """A schema with two stores, of which ACME has some memories."""
    for name, value in (("URL", postgres_url), ("SCHEMA", SCHEMA), ("TENANT", "house")):
        monkeypatch.setenv(f"AGENTOS_DATABASE_{name}", value)
    monkeypatch.setenv("AGENTOS_EMBEDDING_MODEL", "none")
    made = Server(postgres_url, home, clock, wire, capsys)
    for name in (ACME, BIRCH):
        assert (await made.command("create", name))["key"].startswith("agos_")
    async with made.serving(ACME) as agentos:
        await filled(agentos)
    yield made
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


async def filled(agentos: Any) -> None:
    for text in HELD:
        await agentos.memory.store("team", StoreRequest(text))
    goal = await agentos.goals.add("team", "Paint the crane", "before winter")
    await agentos.goals.add("team", "Buy paint", "red", parent_goal_id=goal.id)
    await agentos.turns.add("team", "harbour", "user", "who paints it?")
    await agentos.sealed.store("team", "ciphertext", [1.0, 0.0])


async def texts_of(agentos: Any) -> set[str]:
    return {memory.content for memory in (await agentos.memory.page("team", limit=50)).memories}


async def test_a_store_that_is_suspended_refuses_who_has_it_open_at_once_and_others_go_on(server: Server) -> None:
    async with server.serving(ACME) as agentos, server.serving(BIRCH) as beside:
        await server.command("suspend", ACME)
        for call in (agentos.memory.page("team"), agentos.memory.store("team", StoreRequest("not to be stored"))):
            with pytest.raises(Suspended, match="nothing of it was read or changed; ask who runs this server"):
                await call
        await beside.memory.store("team", StoreRequest("the heron of birch"))
        assert [one["state"] for one in (await server.listed()).values()] == ["suspended", "active"]
        await server.command("resume", ACME)
        assert HELD[0] in await texts_of(agentos)
    assert (await server.command("suspend", "nobody", code=ExitCode.NOT_FOUND))["code"] == "not_found"
    assert (await server.command("create", ACME, code=ExitCode.REFUSED))["code"] == "conflict"


async def test_a_store_holds_as_much_as_it_may_and_what_is_too_much_changes_nothing(server: Server) -> None:
    async with server.serving(ACME) as agentos:
        held = (await server.listed())[ACME]
        assert (held["memories"], held["bytes"]) == (
            len(HELD) + 2,
            sum(map(len, [*HELD, "who paints it?", "ciphertext"])),
        )
        before = await agentos.portability.canonical_hash()
        for limit, value, told in (("--memories", 5, "5 memories"), ("--bytes", held["bytes"] + 9, "bytes of text")):
            await server.command("limit", ACME, limit, str(value))
            with pytest.raises(QuotaExceeded, match=f"{told}: nothing was changed; delete some memories"):
                await agentos.memory.store("team", StoreRequest("one too many"))
            with pytest.raises(QuotaExceeded):
                await agentos.sealed.store("team", "another ciphertext", [1.0, 0.0])
            assert await agentos.portability.canonical_hash() == before
        first = (await agentos.memory.page("team")).memories[0]
        await agentos.memory.update("team", first.id, MemoryChanges(content="short"))
        await agentos.memory.store("team", StoreRequest("of 12 bytes"))  # there is room for what was made shorter
        assert (await server.listed())[ACME]["max_bytes"] == held["bytes"] + 9
        await server.command("limit", ACME, "--memories", "6")
        await agentos.memory.delete("team", first.id)
        await agentos.memory.store("team", StoreRequest("in its place, and longer than the other limit let it be"))
    found = (await server.listed())[ACME]
    assert (found["memories"], found["max_memories"], found["max_bytes"]) == (6, 6, None)


async def test_one_store_is_restored_beside_a_living_daemon_with_nothing_of_another_touched(server: Server) -> None:
    made = await server.command("backup", ACME)
    assert made["memories"] == len(HELD) + 1
    async with server.serving(ACME) as agentos, server.serving(BIRCH) as beside:
        kept = await agentos.portability.canonical_hash()
        await agentos.memory.store("team", StoreRequest("stored after the backup"))
        later = await agentos.portability.canonical_hash()
        await beside.memory.store("team", StoreRequest("the heron of birch"))
        elsewhere = await beside.portability.canonical_hash()
        done = await server.command("restore", ACME)
        assert await agentos.portability.canonical_hash() == kept  # in the daemon that was there all the while
        assert {hit.memory.content for hit in (await agentos.memory.search("team", "harbour")).hits} == {HELD[0]}
        await agentos.memory.store("team", StoreRequest("and it goes on"))
        assert not (await agentos.audit.verify(OWNER)).faults
        assert await beside.portability.canonical_hash() == elsewhere
        await server.command("restore", ACME, done["kept_aside"])
        assert await agentos.portability.canonical_hash() == later


async def test_a_store_that_is_being_restored_refuses_all_and_a_restore_that_was_cut_off_goes_on(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentos.storage.postgres import one_store

    await server.command("backup", ACME)

    async def cut_off(*_: Any) -> None:
        raise StorageUnavailable("the network is cut")

    async with server.serving(ACME) as agentos:
        kept = await agentos.portability.canonical_hash()
        with monkeypatch.context() as patch:
            patch.setattr(one_store.copying, "move", _after_the_first(one_store.copying.move, cut_off))
            await server.command("restore", ACME, code=ExitCode.UNAVAILABLE)
        with pytest.raises(StorageUnavailable, match="being restored or moved: nothing was read or changed"):
            await agentos.memory.page("team")
        assert (await server.listed())[ACME]["state"] == "paused"
        await server.command("restore", ACME)
        assert await agentos.portability.canonical_hash() == kept


def _after_the_first(first: Callable[..., Any], then: Callable[..., Any]) -> Callable[..., Any]:
    calls = iter([first])
    return lambda *given: next(calls, then)(*given)


async def test_a_pause_waits_for_who_writes_and_lets_nobody_begin(server: Server) -> None:
    async with server.serving(ACME) as agentos:
        number = agentos.memory._repository._engine.tenant
        writes, goes_on = asyncio.Event(), asyncio.Event()

        async def slowly(connection: Any) -> None:
            await connection.execute("UPDATE job_runs SET runs = runs WHERE FALSE")
            writes.set()
            await goes_on.wait()

        writing = asyncio.create_task(agentos.memory._repository._engine.write(slowly))
        await writes.wait()

        async def pause() -> None:
            async with paused(server.url, SCHEMA, number):
                pass

        pausing = asyncio.create_task(pause())
        while (await server.listed())[ACME]["state"] != "paused":
            pass
        with pytest.raises(StorageUnavailable, match="being restored"):
            await agentos.memory.page("team")
        assert not pausing.done()
        goes_on.set()
        await asyncio.gather(writing, pausing)
        await server.command("backup", ACME)
        async with paused(server.url, SCHEMA, number):
            refused = await server.command("restore", ACME, code=ExitCode.REFUSED)
        assert "another process restores, moves or removes this store" in refused["message"]
        await pause()  # it has ended


async def test_a_store_moves_to_another_server_and_stays_here_suspended(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentos.storage.moving import copying

    async def cut_off(*_: Any) -> None:
        raise StorageUnavailable("the network is cut")

    other = f"other_{os.getpid()}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {other}")
        try:
            url = make_conninfo(server.url, dbname=other)
            there = f"postgresql:///?{'&'.join(url.replace(chr(39), '').split())}"
            await server.command("limit", ACME, "--memories", "99")
            async with server.serving(ACME) as agentos:
                kept = await agentos.portability.canonical_hash()
                with monkeypatch.context() as patch:
                    patch.setattr(copying._Move, "_compared", cut_off)
                    await server.command("move", ACME, "--to", there, code=ExitCode.UNAVAILABLE)
                assert await agentos.portability.canonical_hash() == kept  # it is served here as before
                async with server.serving(ACME, there) as half:
                    with pytest.raises(StorageUnavailable, match="being restored or moved"):
                        await half.memory.page("team")
                await server.command("move", ACME, "--to", there)
                with pytest.raises(Suspended):
                    await agentos.memory.page("team")
            async with server.serving(ACME, there) as agentos:
                assert await agentos.portability.canonical_hash() == kept
                assert await agentos.principals.caller_of((await keys_of(agentos))[0])
            with psycopg.connect(there) as elsewhere:
                assert elsewhere.execute(f"SELECT name, max_memories FROM {SCHEMA}.tenants").fetchall() == [(ACME, 99)]
            assert [one["state"] for one in (await server.listed()).values()] == ["suspended", "active"]
        finally:
            connection.execute(f"DROP DATABASE IF EXISTS {other} WITH (FORCE)")


async def keys_of(agentos: Any) -> list[str]:
    return [key.prefix for key in await agentos.principals.list_keys(OWNER)]


async def test_a_removed_store_leaves_no_row_and_its_certificate_names_what_is_left(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await asyncio.to_thread(run, ["trust-keys", "new", "--author", "ann", "--home", str(server.home)]) == 0
    made = await server.command("backup", ACME)
    gone = tmp_path / "gone.json"
    async with server.serving(ACME) as agentos, server.serving(BIRCH) as beside:
        number = agentos.memory._repository._engine.tenant
        elsewhere = await beside.portability.canonical_hash()
        told = await server.command("remove", ACME, "--certificate", str(gone), code=ExitCode.NOT_FOUND)
        with pytest.raises(StorageUnavailable, match="this store was removed"):
            await agentos.memory.page("team")
        assert await beside.portability.canonical_hash() == elsewhere
    assert told["remains"] == {"tables": [], "files": [made["path"]]} and told["rows"]["memories"] == len(HELD) + 1
    assert [*await server.listed()] == [BIRCH]
    with psycopg.connect(server.url, autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        assert left(connection, SCHEMA, number) == {}
    document = json.loads(gone.read_text())
    assert erasure.holds(document) and len(document["ids"]) == len(HELD) + 2
    capsys.readouterr()
    assert await asyncio.to_thread(run, ["verify", str(gone), "--home", str(server.home)]) == ExitCode.DONE
    await server.command("remove", "house", "--certificate", str(tmp_path / "own.json"), code=ExitCode.REFUSED)


async def test_a_removal_that_is_cut_off_goes_on_and_attests_all_that_was_there(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentos.storage.postgres import emptying
    from agentos.storage.postgres.tenant_office import TenantOffice

    emptied = emptying._emptied

    def cut_off(connection: Any, schema: str, table: str, *given: Any, **named: Any) -> int:
        if table == "tags" or table > "tags":  # in order, behind the memories
            raise psycopg.OperationalError("the network is cut")
        return emptied(connection, schema, table, *given, **named)

    async def killed(*_: Any) -> None:
        raise StorageUnavailable("killed")

    assert await asyncio.to_thread(run, ["trust-keys", "new", "--author", "ann", "--home", str(server.home)]) == 0
    async with server.serving(ACME) as agentos:
        ids = {memory.id for memory in (await agentos.memory.page("team", limit=50)).memories}
    at = [tmp_path / f"{number}.json" for number in range(3)]

    async def remove(to: Path, code: int) -> Any:
        return await server.command("remove", ACME, "--certificate", str(to), code=code)

    with monkeypatch.context() as patch:
        patch.setattr(emptying, "_emptied", cut_off)
        await remove(at[0], ExitCode.UNAVAILABLE)
    assert not at[0].exists()
    assert (await server.command("resume", ACME, code=ExitCode.REFUSED))["code"] == "conflict"
    assert "not whole" in (await server.command("backup", ACME, code=ExitCode.UNAVAILABLE))["message"]
    with monkeypatch.context() as patch:
        patch.setattr(TenantOffice, "forget", killed)
        await remove(at[1], ExitCode.UNAVAILABLE)
    told = await remove(at[2], ExitCode.DONE)
    first, last = (json.loads(path.read_text()) for path in at[1:])
    assert erasure.holds(first) and erasure.holds(last) and first["rows"] == last["rows"] == told["rows"]
    assert ids < {*first["ids"]} and first["ids"] == last["ids"] and last["rows"]["memories"] == len(ids)
    assert ACME not in await server.listed()


async def test_a_key_whose_beginning_another_store_has_taken_opens_its_own_alone(server: Server) -> None:
    async with server.serving(ACME) as agentos, server.serving(BIRCH) as beside:
        [prefix] = await keys_of(agentos)
        digest = (await agentos.principals.rows.key(prefix)).digest
        await beside.memory._repository._engine.write(
            lambda connection: connection.execute(
                "INSERT INTO keys (prefix, digest, principal, name, role, namespaces, created_at) "
                "SELECT ?, digest, principal, name, role, namespaces, created_at FROM keys",
                (prefix,),
            )
        )
        directory = TenantDirectory(agentos.memory._repository._engine)
        assert [one.name for one in await directory.of_key(prefix, digest)] == [ACME]
        assert {one.name for one in await directory.of_key(prefix, None)} == {ACME, BIRCH}


async def test_the_owner_of_one_store_backs_it_up_and_restores_it_by_its_login_and_reaches_no_other(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = f"owner_{os.getpid()}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {login} LOGIN PASSWORD 'of-a-test' IN ROLE {SCHEMA}_app")
        try:
            await server.command("create", "cedar", "--login", login)
            async with server.serving("cedar") as agentos:
                await filled(agentos)
                kept = await agentos.portability.canonical_hash()
            own = server.url.replace("postgres:@", f"{login}:of-a-test@", 1)
            monkeypatch.setenv("AGENTOS_DATABASE_URL", own)
            await server.command("backup", "cedar")
            async with server.serving("cedar", own) as agentos:
                await agentos.memory.store("team", StoreRequest("stored after the backup"))
                await server.command("restore", "cedar")
                assert await agentos.portability.canonical_hash() == kept
            assert [*await server.listed()] == ["cedar"]
            for words in (("backup", ACME), ("suspend", ACME), ("resume", "cedar"), ("limit", "cedar")):
                assert (await server.command(*words, code=ExitCode.UNAVAILABLE))["code"] == "storage_refused"
        finally:
            connection.execute(f"UPDATE {SCHEMA}.tenants SET logins = NULL; DROP OWNED BY {login}; DROP ROLE {login}")


async def test_a_store_that_is_half_restored_is_no_source_of_a_backup_or_a_move(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentos.storage.postgres import emptying

    made = await server.command("backup", ACME)
    emptied, calls = emptying._emptied, iter(range(5))

    def cut_off(*given: Any, **named: Any) -> int:
        if next(calls, None) is None:
            raise psycopg.OperationalError("the network is cut")
        return emptied(*given, **named)

    async with server.serving(ACME) as agentos:
        kept = await agentos.portability.canonical_hash()
        with monkeypatch.context() as patch:
            patch.setattr(emptying, "_emptied", cut_off)
            await server.command("restore", ACME, code=ExitCode.UNAVAILABLE)
        told = await server.command("backup", ACME, code=ExitCode.UNAVAILABLE)
        assert (told["code"], "not whole" in told["message"]) == ("storage_refused", True)
        assert (await server.listed())[ACME]["state"] == "paused"
        done = await server.command("restore", ACME)
        assert (done["backup"], done["kept_aside"]) == (made["path"], None)
        assert await agentos.portability.canonical_hash() == kept
