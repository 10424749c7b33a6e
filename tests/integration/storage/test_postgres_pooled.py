"""A store behind PgBouncer in transaction mode, where every transaction may meet another connection to the server."""

import asyncio
import os
import pwd
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from agentos import config, database
from agentos.benchmarks.postgres import free_port
from agentos.modules.agentos import AgentOS
from agentos.modules.events.hints import HintTopic
from agentos.modules.health.models import CheckResult, Severity
from agentos.modules.health.service import examine
from agentos.modules.queue.models import Task
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.stub import StubEmbedder

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
pytestmark = [pytest.mark.postgres, pytest.mark.skipif(PROGRAM is None, reason="there is no pgbouncer here")]
SCHEMA = f"pooled_{os.getpid()}"
SERVER_CONNECTIONS = 3
CLIENTS, STORES, TASKS = 8, 4, 20
WITHIN_S = 60.0
LEFT_BEHIND = "SELECT current_setting('agentos.tenant', true), (SELECT count(*) FROM pg_prepared_statements)"


@pytest.fixture(scope="module")
def pooled_url(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    named, port, folder = conninfo_to_dict(postgres_url), free_port(), tmp_path_factory.mktemp("pooler")
    behind = f"host={named['host']} port={named.get('port', 5432)} user={named['user']} dbname={named['dbname']}"
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\nmemory = {behind}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        "unix_socket_dir =\nauth_type = any\npool_mode = transaction\nmax_client_conn = 200\n"
        f"default_pool_size = {SERVER_CONNECTIONS}\n",
        encoding="ascii",
    )
    sockets = Path(str(named["host"]))  # it runs not as root, but as who may reach the server
    owner = sockets.stat().st_uid if sockets.is_dir() else pwd.getpwnam("nobody").pw_uid
    as_whom = {"user": owner} if os.geteuid() == 0 else {}
    assert PROGRAM is not None
    with settings.open("rb") as given:  # by its descriptor: the folder is closed to other users
        process = subprocess.Popen(
            [PROGRAM, "-q", f"/dev/fd/{given.fileno()}"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[given.fileno()],
            cwd="/",
            **as_whom,
        )
        url = f"postgresql://postgres@127.0.0.1:{port}/memory"
        give_up_at = time.monotonic() + WITHIN_S
        try:
            while not _answers(url):
                assert process.poll() is None and time.monotonic() < give_up_at
            yield url
        finally:
            process.terminate()
            process.wait(WITHIN_S)


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def settings_of(home: Path, url: str, direct: str = "") -> config.Settings:
    named = {"database_schema": SCHEMA, "database_direct_url": direct, "embedding_model": "stub"}
    return config.load({}, home=home, database_url=url, database_tenant=home.parent.name, **named)


async def test_clients_behind_a_pooler_store_search_and_work_and_leave_nothing_in_its_sessions(
    pooled_url: str, tmp_path: Path, clock: Any
) -> None:
    done: Counter[str] = Counter()
    runs: list[int] = []

    async def handler(task: Task) -> None:
        done[task.key] += 1

    async with AsyncExitStack() as closing:
        services: list[AgentOS] = []
        for number in range(2):
            settings = settings_of(tmp_path / f"home-{number}", pooled_url)
            database.prepare_home(settings)
            store = await database.open_store(settings, clock)
            closing.push_async_callback(store.close)
            services.append(one := AgentOS.over(store, StubEmbedder(), settings, clock))
            closing.push_async_callback(one.close)
            one.handlers["count"] = handler

        async def client(number: int) -> None:
            own, name = services[number % 2], f"agent-{number}"
            for count in range(STORES):
                await own.memory.store(name, StoreRequest(f"{name} keeps heron number {count}"))
                found = await own.memory.search(name, "heron", limit=STORES)
                assert len(found.hits) == count + 1
                assert all(hit.memory.content.startswith(name) for hit in found.hits)

        await asyncio.gather(*map(client, range(CLIENTS)))
        for count in range(TASKS):
            await services[0].queue.put("ann", "count", str(count), {})
        await asyncio.gather(*(one.queue.work_all(one.handlers, f"worker {n}") for n, one in enumerate(services)))
        assert done == Counter(map(str, range(TASKS)))
        for one in services:
            await one.jobs.register("job", timedelta(hours=1), at_first_start=True)

        async def work() -> None:
            runs.append(1)

        await asyncio.gather(*(one.jobs.run("job", timedelta(hours=1), work) for one in services))
        assert len(runs) == 1
        assert not (await store.sharing.audit.verify_everywhere()).faults
    for _ in range(2 * SERVER_CONNECTIONS):
        with psycopg.connect(pooled_url) as connection:
            [(tenant, prepared)] = connection.execute(LEFT_BEHIND).fetchall()
            assert not tenant and prepared == 0


def examined(settings: config.Settings, clock: Any) -> CheckResult:
    with database.health_checks(settings, clock, deep=False) as checks:
        return next(one for one in examine(checks, repair=False).results if one.id == "server.hints")


async def test_hints_need_the_servers_own_address_and_doctor_says_so(
    pooled_url: str, postgres_url: str, tmp_path: Path, clock: Any
) -> None:
    received: list[bool] = []
    for direct in ("", postgres_url):
        settings = settings_of(tmp_path / "home", pooled_url, direct)
        database.prepare_home(settings)
        here, there = [await database.open_store(settings, clock) for _ in range(2)]
        first = there.work.hints.beyond(0, HintTopic.TASKS, timeout_s=1.0 if not direct else WITHIN_S)
        received.append(await first)  # who listens gives itself a hint
        if direct:
            number = there.work.hints.number(HintTopic.TASKS)
            await here.work.queue.put("ann", "count", "heard", {}, clock(), clock())
            assert await there.work.hints.beyond(number, HintTopic.TASKS, timeout_s=WITHIN_S)
        await here.close()
        await there.close()
        finding = examined(settings, clock)
        assert finding.severity is (Severity.OK if direct else Severity.INFO), finding
    assert received == [False, True]
    assert "AGENTOS_DATABASE_DIRECT_URL" in str(examined(settings_of(tmp_path / "home", pooled_url), clock).remedy)
    away = examined(settings_of(tmp_path / "home", pooled_url, "postgresql://postgres@127.0.0.1:1/x"), clock)
    assert away.severity is Severity.WARNING and "cannot be reached" in away.message
