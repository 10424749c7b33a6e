"""What a server refuses, lacks or limits is told in its own words with the way out, and never with the password."""

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentos import config, database
from agentos.modules.errors import StorageUnavailable
from agentos.modules.health.models import CheckResult, Severity
from agentos.modules.health.service import examine
from agentos.storage.engine.migration import Migration
from agentos.storage.engine.ports import Connection
from agentos.storage.postgres import failures, migrate, pool
from agentos.storage.postgres.database import Postgres
from tests.tables import every

pytestmark = pytest.mark.postgres
SCHEMA = f"refusals_{os.getpid()}"
PASSWORD = "s3cr3t-of-the-database"
LIMIT_MS = 500
SLOW = "SELECT pg_sleep(0.7)"


@pytest.fixture
def user(postgres_url: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A user who may log in, made anew and gone afterwards with what it owns."""
    name = f"user_{os.getpid()}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
        yield name
        connection.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")


def altered(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def of_user(url: str, user: str) -> str:
    return url.replace("postgres:@", f"{user}:{PASSWORD}@", 1)


def examined(settings: config.Settings, clock: Any) -> dict[str, CheckResult]:
    with database.health_checks(settings, clock, deep=False) as checks:
        return {result.id: result for result in examine(checks, repair=False).results}


async def require_reported(
    home: Path, clock: Any, url: str, check: str, message: str, log: pytest.LogCaptureFixture
) -> None:
    settings = config.load({}, home=home, database_url=url, database_schema=SCHEMA, embedding_model="none")
    with pytest.raises(StorageUnavailable, match=message) as refused:
        await database.open_store(settings, clock)
    found = examined(settings, clock)[check]
    assert found.severity is Severity.ERROR and found.remedy
    output = f"{refused.value} {found} {log.text} {database.overview(settings, clock)}"
    assert PASSWORD not in output


@every(
    "grant, change, check, message",
    [
        ("", ("/postgres?", "/nowhere?"), "server.answers", 'lacks the database.* "nowhere" does not exist'),
        ("", ("user_", "nobody_"), "server.answers", 'refuses the user.* role "nobody_'),
        ("NOLOGIN", ("", ""), "server.answers", "refuses the user.* not permitted to log in"),
        ("CONNECTION LIMIT 0", ("", ""), "server.answers", "takes no more connections; try again, or raise"),
        ("", ("?", "?sslmode=bogus&"), "server.answers", "sslmode in AGENTOS_DATABASE_URL do not fit"),
        ("", ("?", "?no_option=1&"), "server.answers", "is not the address of a PostgreSQL database"),
        ("SET default_transaction_read_only = on", ("", ""), "server.answers", "read-only|may not create"),
        ("", ("", ""), "database.rights", f"may not create the schema {SCHEMA}; as its owner run: CREATE SCHEMA"),
    ],
)
async def test_what_a_server_refuses_is_reported_with_the_way_out_and_without_the_password(
    postgres_url: str,
    user: str,
    home: Path,
    clock: Any,
    caplog: pytest.LogCaptureFixture,
    grant: str,
    change: tuple[str, str],
    check: str,
    message: str,
) -> None:
    altered(postgres_url, f"ALTER ROLE {user} LOGIN CONNECTION LIMIT -1; ALTER ROLE {user} RESET ALL")
    if grant:
        altered(postgres_url, f"ALTER ROLE {user} {grant}")
    await require_reported(home, clock, of_user(postgres_url, user).replace(*change), check, message, caplog)


@contextlib.contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """A server that gives these answers to whoever comes, and the address of it."""

    def serve() -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = listener.accept()
                with client, contextlib.suppress(OSError):
                    for answer in answers:
                        client.recv(1_000)
                        client.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"postgresql://ada:{PASSWORD}@127.0.0.1:{listener.getsockname()[1]}/team?sslmode=disable"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
    thread.join(60)


def failing(state: str, text: str) -> bytes:
    fields = b"".join(kind + value.encode() + b"\0" for kind, value in ((b"S", "FATAL"), (b"C", state), (b"M", text)))
    return b"E" + (len(fields) + 5).to_bytes(4, "big") + fields + b"\0"


ASKS_FOR_A_PASSWORD = b"R" + (8).to_bytes(4, "big") + (3).to_bytes(4, "big")


@every(
    "answers, message",
    [
        ([ASKS_FOR_A_PASSWORD, failing("28P01", 'password authentication failed for user "ada"')], "the password of"),
        ([failing("28000", 'no pg_hba.conf entry for host "x", user "ada", no encryption')], "sslmode in .* not fit"),
        ([failing("28000", 'no pg_hba.conf entry for host "x", user "ada", SSL on')], "change its pg_hba.conf"),
        ([failing("53300", "sorry, too many clients already")], "takes no more connections"),
    ],
)
async def test_whoever_is_not_let_in_learns_why(
    home: Path, clock: Any, caplog: pytest.LogCaptureFixture, answers: list[bytes], message: str
) -> None:
    with answering(*answers) as url:
        await require_reported(home, clock, url, "server.answers", message, caplog)


def test_a_server_that_ends_amid_the_handshake_of_tls_is_away_and_refuses_nobody() -> None:
    with answering(b"S", b"") as url, pytest.raises(psycopg.Error, match=r"eof|SYSCALL|closed") as refused:
        psycopg.connect(url.replace("sslmode=disable", "sslmode=require"))
    assert failures.is_lost(refused.value) and "cannot be reached" in str(failures.translate(refused.value))


async def test_a_server_that_is_too_old_is_refused(
    postgres_url: str, home: Path, clock: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "OLDEST_SERVER", 999_999)
    await require_reported(home, clock, postgres_url, "server.answers", "16 or newer is needed; upgrade", caplog)


async def test_a_user_with_limits_of_time_makes_the_schema_reads_and_writes(postgres_url: str, user: str) -> None:
    schema = f"limited_{os.getpid()}"
    altered(postgres_url, f"CREATE SCHEMA {schema} AUTHORIZATION {user}")
    altered(postgres_url, f"ALTER ROLE {user} SET statement_timeout = {LIMIT_MS}")
    url = of_user(postgres_url, user)
    slow = Migration(migrate.known_steps()[-1].version + 1, "slow", SLOW)
    migrate.prepare(url, schema, "ours", steps=[*migrate.known_steps(), slow])
    migrate.prepare(url, schema, "ours", steps=[*migrate.known_steps(), slow])
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DELETE FROM {schema}.schema_migrations WHERE name = 'slow'".encode())
    postgres = Postgres(url, schema, "ours")
    await postgres.open()
    assert len(await postgres.read(SLOW)) == 1

    async def work(connection: Connection) -> int:
        return len(await connection.fetch_all(SLOW))

    assert await postgres.write(work) == await postgres.at_one_moment(work) == 1
    await postgres.close()


async def test_a_user_who_is_shut_out_for_a_while_is_told_so_and_goes_on_by_itself(
    postgres_url: str, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "AWAY_S", 2.0)  # in which it is tried at least once, however busy the machine
    monkeypatch.setattr(pool, "LEAST_WAIT_S", 0.2)
    monkeypatch.setattr(pool, "RECONNECT_S", 0.2)
    schema = f"shut_out_{os.getpid()}"
    altered(postgres_url, f"CREATE SCHEMA {schema} AUTHORIZATION {user}")
    postgres = Postgres(of_user(postgres_url, user), schema, "ours")
    await postgres.open()
    await postgres.read("SELECT 1 FROM namespaces")
    altered(postgres_url, f"ALTER ROLE {user} NOLOGIN")
    altered(postgres_url, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{user}'")
    with pytest.raises(StorageUnavailable, match="refuses the user"):
        await postgres.read("SELECT 1 FROM namespaces")
    altered(postgres_url, f"ALTER ROLE {user} LOGIN")
    monkeypatch.setattr(pool, "LEAST_WAIT_S", 60.0)
    await postgres.read("SELECT 1 FROM namespaces")
    await postgres.close()
