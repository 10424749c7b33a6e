"""Faults, each put into a healthy home of real data: `agentos doctor` names exactly that one, and mends what it can."""

import asyncio
import contextlib
import fcntl
import hashlib
import io
import json
import math
import os
import shutil
import socket
import sqlite3
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agentos import config, database
from agentos.daemon import run_once
from agentos.interfaces.cli.app import app
from agentos.modules.clock import system_clock
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.modules.version import VERSION
from agentos.storage.language.examination import LanguageChecks
from agentos.storage.language.remote import LanguageServer
from tests.places import ROOT

DEADLINE_S = 60.0
ENDED_PID = 2**22 + 1
"""Above what the kernel gives to any process."""


def run_daemon(home: Path, job: str) -> str:
    """What a job says that runs as `agentos-daemon --once` does, in this process."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert asyncio.run(run_once(config.load({}, home=home), job)) == 0
    return said.getvalue()


async def live(home: Path) -> None:
    """What two agents leave behind: memories with tags and history, goals with notes, reflections, insights."""
    settings = config.load({}, home=home)
    async with database.opened(settings, system_clock) as (agentos, _):
        for namespace in ("ada", "bob"):
            stored = [
                await agentos.memory.store(
                    namespace, StoreRequest(f"{namespace} knows that fact {number} holds", tags=["fact", "é"])
                )
                for number in range(6)
            ]
            changes = MemoryChanges(content=f"{namespace} knows better now", tags=("better", "fact"))
            await agentos.memory.update(namespace, stored[0].memory.id, changes)
            await agentos.memory.delete(namespace, stored[1].memory.id)
            for number in range(2):
                text = f"The user of {namespace} likes tea number {number}."
                await agentos.memory.keep_found(
                    namespace, text, "preference", 0.35, "extraction:rules", {}, system_clock()
                )
            for city, source in (("Lisbon", ""), ("Porto", ""), ("Faro", "web")):
                await agentos.memory.store(
                    namespace,
                    StoreRequest(f"{city} is home now", source=source, subject="Maria", attribute="city", value=city),
                )
            await agentos.lifecycle.archive(namespace, stored[5].memory.id)
            for text in ("Ann: where to?", "Bob: to Lisbon", "so be it"):
                await agentos.memory.store(namespace, StoreRequest(text, session="chat"))
            parent = await agentos.goals.add(namespace, "Ship", "The release", deadline="2099-01-01T00:00:00Z")
            goal = await agentos.goals.add(namespace, "Test", "Every path", parent_goal_id=parent.id)
            await agentos.goals.update_progress(namespace, goal.id, 0.5, "half of it")
            for _ in range(3):
                await agentos.reflection.log(namespace, "deploy", "timeout", success=False, goal_id=goal.id)
        await agentos.jobs.daemon_started(VERSION)
        await agentos.jobs.daemon_stopped()


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory, graphs: Path) -> Path:
    """A home after some work, with its index, at rest."""
    home = tmp_path_factory.mktemp("healthy") / "home"
    home.mkdir(mode=0o700)
    shutil.copytree(graphs, home / "models")
    asyncio.run(live(home))
    run_daemon(home, "index")
    run_daemon(home, "self_maintenance")
    return home


@dataclass
class Patient:
    """A copy of the healthy home, what a fault needs to put itself into it, and what ends with the test."""

    home: Path
    monkeypatch: pytest.MonkeyPatch
    stack: ExitStack
    options: list[str] = field(default_factory=list)

    @property
    def database(self) -> Path:
        return self.home / "agentos.db"

    @property
    def index(self) -> Path:
        return self.home / "chroma" / (self.home / "chroma" / "CURRENT").read_text().strip()

    def sql(self, *statements: str) -> None:
        with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    def private(self, name: str, data: bytes = b"x") -> Path:
        path = self.home / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(data)
        return path

    def of_user(self, name: str, content: Any) -> None:
        path = self.home.parent / "user" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")

    def daemon_was_there(self, **ago: float) -> None:
        """The last daemon began so long ago, and was last seen just now."""
        now = datetime.now(UTC)
        self.sql(f"UPDATE daemon_state SET started_at = {us(now - timedelta(**ago))}, heartbeat_at = {us(now)}")

    def doctor(self, *options: str) -> tuple[int, dict[str, Any]]:
        """The exit code and the report."""
        result = CliRunner().invoke(app, ["doctor", "--home", str(self.home), "--json", *self.options, *options])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        report: dict[str, Any] = json.loads(result.stdout)
        return result.exit_code, report


@pytest.fixture
def patient(healthy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Patient]:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:
        yield Patient(Path(shutil.copytree(healthy, tmp_path / "home")), monkeypatch, stack)


def us(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)


def faults(report: dict[str, Any]) -> dict[str, str]:
    """The message of every finding above info, by id."""
    return {check["id"]: check["message"] for check in report["checks"] if check["status"] in ("warning", "error")}


def contents(home: Path) -> dict[str, tuple[int, str]]:
    """Mode and content of everything there is, but what every reader of a running SQLite marks."""
    if not home.is_dir():
        return {}
    return {
        str(path.relative_to(home)): (
            path.lstat().st_mode,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(home.rglob("*"))
        if not path.name.endswith("-shm")
    }


# The faults: each function does the damage that its name says.


def bad_value(patient: Patient) -> None:
    patient.monkeypatch.setenv("AGENTOS_EMBEDDING_WAIT_S", "soon")


def misspelt_name(patient: Patient) -> None:
    patient.private(".env", b"AGENTOS_EMBEDING_MODEL=none\n")


def entry_of_a_registry(patient: Patient) -> None:
    patient.of_user(".claude.json", {"mcpServers": {"agentos": {"command": "uvx", "args": ["agentos-mcp"]}}})


def plugin_of_another_version(patient: Patient) -> None:
    patient.of_user(".claude/settings.json", {"enabledPlugins": {"agentos@agentos": True}})
    manifest = {"name": "agentos", "version": "0.1.0"}
    patient.of_user(".claude/plugins/cache/agentos/agentos/0.1.0/.claude-plugin/plugin.json", manifest)


def unfit_package(patient: Patient) -> None:
    folder = patient.home.parent / "packages" / "filelock-0.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: filelock\nVersion: 0.1\n")
    patient.monkeypatch.syspath_prepend(str(folder.parent))


def another_installation(patient: Patient) -> None:
    folder = patient.home.parent / "bin"
    folder.mkdir()
    (folder / "agentos-server").write_text("#!/bin/sh\n")
    (folder / "agentos-server").chmod(0o755)
    patient.monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{Path(sys.executable).parent}")


def open_home(patient: Patient) -> None:
    patient.home.chmod(0o755)


def writable_home(patient: Patient) -> None:
    patient.home.chmod(0o777)


def home_is_a_file(patient: Patient) -> None:
    shutil.rmtree(patient.home)
    patient.home.write_text("not a folder")


def open_file(patient: Patient) -> None:
    patient.database.chmod(0o644)


def cut_off_write(patient: Patient) -> None:
    left = patient.private("models/.weights.json.a1b2c3d4")
    os.utime(left, (1, 1))


def lost_database(patient: Patient) -> None:
    patient.database.unlink()


def empty_database(patient: Patient) -> None:
    patient.database.write_bytes(b"")


def overwritten_database(patient: Patient) -> None:
    patient.database.write_bytes(b"no longer " + patient.database.read_bytes()[10:])


def damaged_page(patient: Patient) -> None:
    with closing(sqlite3.connect(patient.database)) as connection:
        [page] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'memories_by_time'").fetchone()
        [size] = connection.execute("PRAGMA page_size").fetchone()
    with patient.database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def newer_schema(patient: Patient) -> None:
    patient.sql("INSERT INTO schema_migrations (version, name, checksum) VALUES (999, 'later', '')")


def changed_migration(patient: Patient) -> None:
    patient.sql("UPDATE schema_migrations SET checksum = 'other' WHERE version = 1")


def another_store(patient: Patient) -> None:
    patient.sql(
        "CREATE TABLE IF NOT EXISTS store_identity (id INTEGER PRIMARY KEY, store_id TEXT NOT NULL)",
        f"INSERT OR REPLACE INTO store_identity (id, store_id) VALUES (1, '{'a' * 32}')",
    )
    patient.private("agentos.db.identity", b"b" * 32 + b"\n")


def long_log(patient: Patient) -> None:
    writer = patient.stack.enter_context(closing(sqlite3.connect(patient.database, isolation_level=None)))
    for statement in (
        "PRAGMA wal_autocheckpoint=0",
        "PRAGMA synchronous=OFF",
        "CREATE TABLE filler (x BLOB)",
        "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70) "
        "INSERT INTO filler SELECT randomblob(1000000) FROM n",
        "DROP TABLE filler",
    ):
        writer.execute(statement)


def orphaned_rows(patient: Patient) -> None:
    patient.sql(
        "PRAGMA foreign_keys=OFF",
        "INSERT INTO memory_tags (namespace, tag, memory_seq) VALUES ('default', 'lost', 9999)",
        "INSERT INTO embeddings (memory_seq, part, generation, begins, ends, vector) "
        "SELECT 9999, 0, generation, begins, ends, vector FROM embeddings LIMIT 1",
        "INSERT INTO token_signs (embedding, signs) VALUES (9999, x'00')",
        "INSERT INTO goal_notes (goal_seq, seq, at, text) VALUES (9999, 1, 0, 'lost')",
        "INSERT INTO relations SELECT 'mem_lost', to_id, type, weight, evidence, created_at FROM relations LIMIT 1",
        "INSERT INTO change_memories (memory_id, change) VALUES ('mem_lost', 9999)",
    )


def dangling_references(patient: Patient) -> None:
    patient.sql(
        "PRAGMA foreign_keys=OFF",
        "DELETE FROM namespaces WHERE id = 'bob'",
        "UPDATE events SET goal_id = 'gone' WHERE seq = 1",
        "UPDATE goals SET parent_goal_id = 'gone' WHERE parent_goal_id IS NOT NULL AND namespace = 'ada'",
    )


def missing_text(patient: Patient) -> None:
    patient.sql("DELETE FROM memory_text WHERE rowid = (SELECT max(seq) FROM memories)")


def stale_text(patient: Patient) -> None:
    patient.sql("UPDATE memory_text SET content = 'what it said before' WHERE rowid = (SELECT max(seq) FROM memories)")


def surplus_text(patient: Patient) -> None:
    patient.sql("INSERT INTO memory_text (rowid, summary, content, tags) VALUES (9999, 'a', 'deleted', '')")


def text_as_it_was_cut_before(patient: Patient) -> None:
    patient.sql("UPDATE memory_text SET content = (SELECT content FROM memories WHERE seq = memory_text.rowid)")


def invented_long_word(patient: Patient) -> None:
    shelf = "(SELECT max(shelf) FROM text_statistics)"
    patient.sql(f"INSERT INTO compounds SELECT {shelf}, 'misunderstanding', max(seq) FROM memories")


def missing_text_of_what_is_left_aside(patient: Patient) -> None:
    patient.sql("DELETE FROM memory_text_aside WHERE rowid = (SELECT max(rowid) FROM memory_text_aside)")


def text_in_the_wrong_part(patient: Patient) -> None:
    patient.sql(
        "INSERT INTO memory_text (rowid, summary, content, tags, parts) SELECT rowid, * FROM memory_text_aside",
        "DELETE FROM memory_text_aside",
    )


def damaged_text_index_of_what_is_left_aside(patient: Patient) -> None:
    patient.options.append("--deep")
    patient.sql("DELETE FROM memory_text_aside_data WHERE id > 10")


def damaged_text_index(patient: Patient) -> None:
    patient.options.append("--deep")
    patient.sql("DELETE FROM memory_text_data WHERE id > 10")


def miscounted_words(patient: Patient) -> None:
    patient.sql("UPDATE text_statistics SET tokens = tokens + 1")


def edited_audit(patient: Patient) -> None:
    patient.sql("UPDATE audit SET subject = 'another' WHERE seq = (SELECT min(seq) FROM audit)")


def cut_audit(patient: Patient) -> None:
    patient.sql("DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)")


def missing_tags(patient: Patient) -> None:
    patient.sql("DELETE FROM memory_tags WHERE tag = 'better'")


def missing_postings(patient: Patient) -> None:
    patient.sql("DELETE FROM postings WHERE memory_seq = (SELECT max(seq) FROM memories)")


def surplus_tags(patient: Patient) -> None:
    patient.sql(
        "INSERT INTO memory_tags (namespace, tag, memory_seq) SELECT namespace, 'never given', max(seq) FROM memories"
    )


def wrong_speakers(patient: Patient) -> None:
    patient.sql("UPDATE memories SET speaker = 'Mallory' WHERE place = 0 OR place = 2")


def cut_vector(patient: Patient) -> None:
    patient.sql("UPDATE embeddings SET vector = x'0000' WHERE memory_seq = (SELECT max(memory_seq) FROM embeddings)")


def cut_signs(patient: Patient) -> None:
    patient.sql("UPDATE token_signs SET signs = x'00' WHERE embedding = (SELECT max(embedding) FROM token_signs)")


def missing_passage(patient: Patient) -> None:
    patient.sql("UPDATE embeddings SET part = 1 WHERE memory_seq = (SELECT max(memory_seq) FROM embeddings)")


def vector_of_no_numbers(patient: Patient) -> None:
    patient.options.append("--deep")
    with closing(sqlite3.connect(patient.database, isolation_level=None)) as connection:
        connection.execute(
            "UPDATE embeddings SET vector = ? WHERE memory_seq = (SELECT max(memory_seq) FROM embeddings)",
            (struct.pack("<384f", *[math.nan] * 384),),
        )


def neglected_vectors(patient: Patient) -> None:
    patient.daemon_was_there(days=2)
    patient.sql(
        "PRAGMA foreign_keys=ON",
        "INSERT INTO index_outbox (namespace, memory_seq, operation) "
        "SELECT namespace, max(seq), 'delete' FROM memories",
        "DELETE FROM embeddings WHERE memory_seq = (SELECT max(seq) FROM memories)",
        "UPDATE embedding_generations SET created_at = 0",
        "UPDATE memories SET created_at = created_at - 86400000000",
        "UPDATE job_runs SET next_due_at = next_due_at + 30 * 86400000000",
    )


def neglected_expiry(patient: Patient) -> None:
    patient.daemon_was_there(days=2)
    yesterday = us(datetime.now(UTC) - timedelta(days=1))
    patient.sql(
        f"UPDATE memories SET expires_at = {yesterday} WHERE seq = (SELECT max(seq) FROM memories)",
        "UPDATE job_runs SET next_due_at = next_due_at + 30 * 86400000000",
    )


def index_ahead(patient: Patient) -> None:
    patient.sql("UPDATE index_state SET applied = 99999")


def index_behind_the_store(patient: Patient) -> None:
    patient.sql("UPDATE index_state SET applied = 0", "DELETE FROM index_outbox WHERE seq < 5")


def index_pointer_to_nothing(patient: Patient) -> None:
    (patient.home / "chroma" / "CURRENT").write_text("index-000000000000")
    shutil.rmtree(next((patient.home / "chroma").glob("index-*")))


def index_gone(patient: Patient) -> None:
    shutil.rmtree(patient.home / "chroma")


def index_leftovers(patient: Patient) -> None:
    patient.daemon_was_there(days=2)
    left = patient.home / "chroma" / "index-deadbeef0000"
    left.mkdir(mode=0o700)
    os.utime(left, (time.time() - 86_400,) * 2)
    patient.sql("UPDATE job_runs SET next_due_at = next_due_at + 30 * 86400000000")


def index_damaged(patient: Patient) -> None:
    path = patient.index / "chroma.sqlite3"
    data = bytearray(path.read_bytes())
    data[4096 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4096)
    path.write_bytes(data)


def index_incomplete(patient: Patient) -> None:
    with closing(sqlite3.connect(patient.index / "chroma.sqlite3", isolation_level=None)) as connection:
        connection.execute("DELETE FROM embeddings WHERE id = (SELECT max(id) FROM embeddings)")


def index_that_chroma_cannot_use(patient: Patient) -> None:
    patient.options.append("--deep")
    with closing(sqlite3.connect(patient.index / "chroma.sqlite3", isolation_level=None)) as connection:
        connection.execute("DROP TABLE segments")


def failed_job(patient: Patient) -> None:
    patient.sql("UPDATE job_runs SET last_status = 'failed', last_error = 'boom', failures = 4 WHERE name = "
                "'memory_decay'")  # fmt: skip


def rewritten_rule(patient: Patient) -> None:
    patient.sql("INSERT INTO approvals (id, namespace, subject, action, payload, impact, reversibility, sensitivity, "
                "reason, requested_by, automatic, status, created_at, updated_at, expires_at) SELECT 'apr_1', id, "
                "'memory:mem_1', 'confirm_again', '{}', 0.8, 0.3, 0.6, 'rewritten', 'agent', 1, 'pending', 1, 1, 9e15 "
                "FROM namespaces LIMIT 1")  # fmt: skip


def clock_that_was_ahead(patient: Patient) -> None:
    ahead = us(datetime.now(UTC) + timedelta(days=400))
    patient.sql(f"UPDATE memories SET created_at = {ahead} WHERE seq = (SELECT min(seq) FROM memories)")


def overdue_job(patient: Patient) -> None:
    patient.daemon_was_there(days=9)
    long_ago = us(datetime.now(UTC) - timedelta(days=10))
    patient.sql(f"UPDATE job_runs SET next_due_at = {long_ago} WHERE name = 'memory_decay'")


def dead_lease(patient: Patient) -> None:
    soon = us(datetime.now(UTC) + timedelta(minutes=8))
    patient.sql(f"UPDATE job_runs SET lease_owner = '{ENDED_PID}-ab', lease_until = {soon} WHERE name = 'goal_monitor'")


def killed_daemon(patient: Patient) -> None:
    now = us(datetime.now(UTC))
    patient.sql(
        f"UPDATE daemon_state SET stopped_at = NULL, pid = {ENDED_PID}, heartbeat_at = {now}",
        "UPDATE job_runs SET next_due_at = next_due_at + 30 * 86400000000",
    )


def stale_socket(patient: Patient) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(patient.home / "daemon.sock"))
    (patient.home / "daemon.sock").chmod(0o600)


def hold(patient: Patient, name: str) -> None:
    """Hold a lock in another process."""
    code = (
        f"import fcntl, sys; lock = open({str(patient.home / name)!r}, 'a'); fcntl.flock(lock, fcntl.LOCK_EX); "
        "print(flush=True); "
    )
    process = patient.stack.enter_context(
        subprocess.Popen(
            (sys.executable, "-c", code + "sys.stdin.read()"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    )
    patient.stack.callback(process.kill)
    assert process.stdout is not None
    process.stdout.readline()


def silent_daemon(patient: Patient) -> None:
    hold(patient, "daemon.lock")


def hung_migration(patient: Patient) -> None:
    patient.monkeypatch.setattr("agentos.interfaces.cli.doctor.daemon.MIGRATES_WITHIN_S", 0.0)
    hold(patient, "migrate.lock")


def daemon_that_answers(patient: Patient, **content: Any) -> None:
    """A daemon that answers at the socket."""
    listener = patient.stack.enter_context(closing(socket.socket(socket.AF_UNIX)))
    listener.bind(str(patient.home / "daemon.sock"))
    (patient.home / "daemon.sock").chmod(0o600)
    listener.listen()
    reply = {"protocol": 1, "version": VERSION, "pid": os.getpid(), "sessions": 1, **content}

    def answer() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with closing(connection):
                    connection.recv(2**16)
                    connection.sendall(json.dumps({"agentos": reply}).encode() + b"\n")

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    patient.stack.callback(thread.join, DEADLINE_S)
    patient.stack.callback(listener.shutdown, socket.SHUT_RDWR)


def older_daemon(patient: Patient) -> None:
    daemon_that_answers(patient, version="0.0.9")


def daemon_with_older_settings(patient: Patient) -> None:
    daemon_that_answers(patient, differs=["AGENTOS_LLM_API_KEY"], model={"state": "ready"})


def process_of_another_installation(patient: Patient) -> int:
    """Something that looks like a daemon from another folder; its pid."""
    folder = patient.home.parent / "elsewhere"
    (folder / "daemon_pkg").mkdir(parents=True)
    (folder / "daemon.py").write_text("import sys; print(flush=True); sys.stdin.read()")
    command = (sys.executable, "-P", str(folder / "daemon.py"), "--until-idle", str(patient.home))
    process = patient.stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    patient.stack.callback(process.kill)
    assert process.stdout is not None
    process.stdout.readline()
    return process.pid


def daemon_of_another_installation(patient: Patient) -> None:
    daemon_that_answers(patient, pid=process_of_another_installation(patient))


def second_daemon(patient: Patient) -> None:
    patient.monkeypatch.setattr("agentos.interfaces.cli.doctor.daemon.STARTS_WITHIN_S", 0.0)
    process_of_another_installation(patient)


def daemon_with_a_failed_index(patient: Patient) -> None:
    daemon_that_answers(patient, index={"state": "failed", "problem": "the disk"}, model={"state": "ready"})


def orphaned_server(patient: Patient) -> None:
    """A server whose client has ended, and whose input is held open by somebody else."""
    ours, theirs = os.pipe()
    code = (
        "import os, subprocess, sys\n"
        "print(subprocess.Popen((sys.executable, '-m', 'agentos.server'), start_new_session=True, stdin=0, "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)"
    )
    environment = {**os.environ, "AGENTOS_HOME": str(patient.home), "AGENTOS_DAEMON": "off"}
    started = subprocess.run((sys.executable, "-c", code), stdin=ours, env=environment, capture_output=True, check=True)
    pid = int(started.stdout)
    os.close(ours)

    def end() -> None:
        os.close(theirs)  # its input ends, and so does it
        give_up = time.monotonic() + DEADLINE_S
        while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
            assert time.monotonic() < give_up
            time.sleep(0.01)

    patient.stack.callback(end)
    if int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) != 1:
        pytest.skip("here another process than the first one takes orphans in")


def large_log(patient: Patient) -> None:
    os.truncate(patient.private("logs/daemon.log.1"), 25_000_000)


def broken_backup(patient: Patient) -> None:
    patient.private("backups/agentos-20260101T000000Z.db", b"SQLite format 3\0 and then nothing")


def altered_backup(patient: Patient) -> None:
    patient.options.append("--deep")
    made = CliRunner().invoke(app, ["backup", "--home", str(patient.home), "--json"])
    backup = Path(json.loads(made.stdout)["path"])
    data = bytearray(backup.read_bytes())
    data[-1] ^= 0xFF
    backup.write_bytes(data)


def old_backup(patient: Patient) -> None:
    patient.private("backups/agentos-20200101T000000Z.db", patient.database.read_bytes())


def missing_model(patient: Patient) -> None:
    patient.monkeypatch.setenv("AGENTOS_EMBEDDING_MODEL", "no-such-model")


def damaged_model(patient: Patient) -> None:
    patient.options.append("--deep")
    folder = patient.home.parent / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"\x00" * 64)
    patient.monkeypatch.setenv("AGENTOS_EMBEDDING_MODEL", str(folder))


REPAIRED = True
FAULTS: list[tuple[Callable[[Patient], None], str, bool]] = [
    (bad_value, "settings.values", False),
    (misspelt_name, "settings.names", False),
    (unfit_package, "installation.packages", False),
    (another_installation, "installation.commands", False),
    (entry_of_a_registry, "clients.entries", False),
    (plugin_of_another_version, "clients.plugins", False),
    (open_home, "home.folder", REPAIRED),
    (writable_home, "home.folder", REPAIRED),
    (home_is_a_file, "home.folder", False),
    (open_file, "home.files", REPAIRED),
    (cut_off_write, "home.leftovers", REPAIRED),
    (lost_database, "database.present", False),
    (empty_database, "database.present", False),
    (overwritten_database, "database.header", False),
    (damaged_page, "database.integrity", False),
    (newer_schema, "database.schema", False),
    (changed_migration, "database.schema", False),
    (another_store, "database.identity", False),
    (long_log, "database.log", REPAIRED),
    (orphaned_rows, "rows.orphans", REPAIRED),
    (dangling_references, "rows.references", REPAIRED),
    (missing_text, "rows.text_index", REPAIRED),
    (stale_text, "rows.text_index", REPAIRED),
    (surplus_text, "rows.text_index", REPAIRED),
    (damaged_text_index, "rows.text_index", REPAIRED),
    (text_as_it_was_cut_before, "rows.text_index", REPAIRED),
    (invented_long_word, "rows.text_index", REPAIRED),
    (missing_text_of_what_is_left_aside, "rows.text_index", REPAIRED),
    (text_in_the_wrong_part, "rows.text_index", REPAIRED),
    (damaged_text_index_of_what_is_left_aside, "rows.text_index", REPAIRED),
    (miscounted_words, "rows.text_index", REPAIRED),
    (missing_postings, "rows.text_index", REPAIRED),
    (edited_audit, "rows.audit", False),
    (cut_audit, "rows.audit", False),
    (missing_tags, "rows.tags", REPAIRED),
    (surplus_tags, "rows.tags", REPAIRED),
    (wrong_speakers, "rows.speakers", REPAIRED),
    (cut_vector, "rows.vectors", REPAIRED),
    (cut_signs, "rows.vectors", REPAIRED),
    (missing_passage, "rows.vectors", REPAIRED),
    (vector_of_no_numbers, "rows.vectors", REPAIRED),
    (neglected_vectors, "rows.vectors", False),
    (neglected_expiry, "rows.expired", False),
    (index_ahead, "index.position", REPAIRED),
    (index_behind_the_store, "index.position", REPAIRED),
    (index_pointer_to_nothing, "index.folder", REPAIRED),
    (index_gone, "index.folder", REPAIRED),
    (index_leftovers, "index.leftovers", REPAIRED),
    (index_damaged, "index.sound", REPAIRED),
    (index_incomplete, "index.count", REPAIRED),
    (index_that_chroma_cannot_use, "index.sound", REPAIRED),
    (failed_job, "jobs.errors", False),
    (overdue_job, "jobs.overdue", False),
    (dead_lease, "jobs.leases", REPAIRED),
    (clock_that_was_ahead, "rows.future", False),
    (rewritten_rule, "approvals.rewritten", False),
    (killed_daemon, "daemon.record", REPAIRED),
    (stale_socket, "daemon.answers", REPAIRED),
    (silent_daemon, "daemon.answers", False),
    (hung_migration, "daemon.locks", False),
    (older_daemon, "daemon.version", False),
    (daemon_of_another_installation, "daemon.version", False),
    (daemon_with_older_settings, "daemon.settings", False),
    (second_daemon, "daemon.alone", False),
    (daemon_with_a_failed_index, "daemon.parts", False),
    (orphaned_server, "daemon.alone", False),
    (large_log, "daemon.log", False),
    (broken_backup, "backups.sound", False),
    (altered_backup, "backups.sound", False),
    (old_backup, "backups.newest", False),
    (missing_model, "model.found", False),
    (damaged_model, "model.loads", False),
]


@pytest.mark.parametrize(("damage", "check", "repairable"), FAULTS, ids=[each[0].__name__ for each in FAULTS])
def test_each_fault_is_named_alone_and_mended_if_it_can_be(
    patient: Patient, damage: Callable[[Patient], None], check: str, repairable: bool
) -> None:
    damage(patient)
    before = contents(patient.home)

    code, report = patient.doctor()

    assert set(faults(report)) == {check}, faults(report)
    [found] = [each for each in report["checks"] if each["id"] == check]
    assert code == {"warning": 1, "error": 2}[found["status"]]
    assert found["remedy"] and found["repairable"] is repairable and not found["repaired"]
    assert contents(patient.home) == before, "without --repair nothing is changed"

    code, report = patient.doctor("--repair")
    assert set(faults(report)) == (set() if repairable else {check}), faults(report)
    if repairable:
        assert [each["id"] for each in report["checks"] if each["repaired"]] == [check]
        assert code == 0 and faults(patient.doctor()[1]) == {}
    else:
        assert contents(patient.home) == before


@pytest.mark.parametrize("option", [(), ("--deep",), ("--repair",), ("--repair", "--deep")], ids=" ".join)
def test_a_healthy_home_has_no_finding_and_stays_as_it_is(patient: Patient, option: tuple[str, ...]) -> None:
    before = contents(patient.home)

    code, report = patient.doctor(*option)

    assert (code, faults(report), report["summary"]["status"]) == (0, {}, "info"), faults(report)
    assert report["home"] == str(patient.home) and report["version"] == VERSION
    assert contents(patient.home) == before


@pytest.mark.parametrize("option", [(), ("--repair", "--deep")], ids=" ".join)
def test_where_nothing_is_nothing_is_made(patient: Patient, option: tuple[str, ...]) -> None:
    shutil.rmtree(patient.home)

    code, report = patient.doctor(*option)

    assert (code, faults(report)) == (0, {})
    assert not patient.home.exists()


def test_a_memory_that_was_restored_elsewhere_is_healthy(patient: Patient) -> None:
    elsewhere = patient.home.parent / "elsewhere"
    command = ["backup", "--home", str(patient.home), "--restore-into", str(elsewhere)]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert faults(patient.doctor()[1]) == {}

    patient.home = elsewhere
    assert faults(patient.doctor("--deep")[1]) == {}
    run_daemon(elsewhere, "index")
    assert faults(patient.doctor("--deep")[1]) == {}


@pytest.mark.parametrize("damage", [lost_database, empty_database])
def test_the_status_of_a_lost_database_is_no_empty_one(patient: Patient, damage: Callable[[Patient], None]) -> None:
    damage(patient)
    result = CliRunner().invoke(app, ["status", "--home", str(patient.home)])
    assert result.exit_code == 4 and "the database is gone or empty; agentos doctor" in result.stdout


def test_a_repair_of_rows_keeps_a_copy_of_what_was_there(patient: Patient) -> None:
    surplus_tags(patient)
    missing_text(patient)

    patient.doctor("--repair")

    [copy] = (patient.home / "backups").glob("before-repair-*.db")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM memory_tags WHERE tag = 'never given'").fetchone() == (1,)


def test_a_text_index_that_was_built_anew_is_the_one_that_was_lost(patient: Patient) -> None:
    def held() -> list[list[Any]]:
        with closing(sqlite3.connect(patient.database)) as connection:
            parts = ("memory_text", "memory_text_aside")
            return [connection.execute(f"SELECT rowid, * FROM {part} ORDER BY rowid").fetchall() for part in parts]

    before = held()
    patient.sql("DELETE FROM memory_text", "DELETE FROM memory_text_aside")
    assert all(before) and held() == [[], []]

    patient.doctor("--repair", "--deep")

    assert held() == before


@pytest.mark.parametrize("damage", [index_ahead, index_damaged, index_gone, cut_vector])
def test_after_a_repair_the_daemon_makes_the_index_whole(patient: Patient, damage: Callable[[Patient], None]) -> None:
    damage(patient)
    patient.doctor("--repair")

    run_daemon(patient.home, "index")

    report = patient.doctor("--deep")[1]
    assert faults(report) == {}
    [count] = [check["details"] for check in report["checks"] if check["id"] == "index.count"]
    assert count["index"] == count["database"] == 26


def test_what_belongs_to_the_daemon_is_left_to_it(patient: Patient) -> None:
    index_ahead(patient)
    with held(patient.home / "daemon.lock"):
        before = contents(patient.home)
        report = patient.doctor("--repair")[1]
    assert "a daemon runs" in faults(report)["index.position"]
    assert contents(patient.home) == before


@contextmanager
def held(lock: Path) -> Iterator[None]:
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_killed_process_leaves_a_log_that_is_read_without_touching_it(patient: Patient) -> None:
    with closing(sqlite3.connect(patient.database, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute("DELETE FROM memory_tags WHERE tag = 'better'")
        copy = patient.home.parent / "copy"
        shutil.copytree(patient.home, copy, ignore=shutil.ignore_patterns("*-shm"))
    patient.home = copy
    before = contents(copy)

    assert set(faults(patient.doctor()[1])) == {"rows.tags"}

    assert contents(copy) == before and not list(copy.glob("*-shm"))


def test_the_text_names_the_remedy_and_the_way_to_repair(patient: Patient) -> None:
    open_file(patient)
    result = CliRunner().invoke(app, ["doctor", "--home", str(patient.home)])
    assert result.exit_code == 1
    assert "chmod" in result.stdout and "agentos doctor --repair fixes" in result.stdout
    assert "\x1b" not in result.stdout


def test_what_was_stored_cannot_steer_the_terminal(patient: Patient) -> None:
    patient.sql("UPDATE job_runs SET last_status = 'failed', last_error = 'a' || char(27) || '[2J' || char(10) || 'b'")
    for command in ("doctor", "status"):
        text = CliRunner().invoke(app, [command, "--home", str(patient.home)]).stdout
        assert "[2J" in text and "\x1b" not in text


def test_every_check_is_in_the_documentation(patient: Patient) -> None:
    daemon_that_answers(patient)
    ids = {check["id"] for check in patient.doctor("--deep")[1]["checks"]}
    ids |= {each[1] for each in FAULTS}
    ids |= {
        check.id
        for check in LanguageChecks(LanguageServer("openai", "", ""), offline=True, timeout_s=1, deep=True).checks()
    }
    page = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    families = [name.strip(" `").removesuffix(".*") for row in rows for name in row.split(",")]
    assert sorted(families) == sorted({id.partition(".")[0] for id in ids})
