"""Checks of a store in PostgreSQL: server, rights, schema, what keeps stores apart, rows, index, backups."""

import re
import shutil
import subprocess
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg

from ...modules.clock import Clock
from ...modules.errors import StorageRefused
from ...modules.health.models import Check, Finding, Severity, info, ok
from ...modules.jobs.models import MOST_SKEW
from ...modules.records import dataclass
from ...modules.text.counting import counted, memories_counted
from ..engine.times import from_us
from ..examination import generations
from ..examination.audit import look_at_chain
from ..examination.future import look_at_future
from ..examination.jobs import look_at_errors
from ..examination.vouches import look_at_vouches
from ..moving.parts import OWN_RUN
from ..repositories.audit_log import broken_everywhere
from . import failures, migrate
from .direct import NOW, POOLED, connected, is_pooled
from .directions import OLDEST_PGVECTOR, indexes
from .dumps import found as backups_in
from .reading import PostgresReader
from .replica import ReplicaBehind, lag
from .vectors import EXACT_UP_TO

ENTRY_HASH = "entry_hash({})"
UNSEEN_SKEW_S = 5.0
"""How far the clocks may be apart without a word."""
LOOK_S = 5.0
"""How long a standby is waited for."""
OLD_AFTER = timedelta(days=7)
PROGRAM_S = 10
_OWN_RIGHTS = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_VECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
_VECTOR_AT_HAND = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
_WAITING = (
    "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.memory_seq = m.seq "
    "AND e.generation = (SELECT max(id) FROM embedding_generations))"
)
_WITHOUT_WORDS = (
    "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM memory_text t WHERE t.memory_seq = m.seq)"
)


@dataclass(frozen=True)
class PostgresChecks:
    """The checks of one store; `deep` verifies the whole audit log."""

    reader: PostgresReader
    home: Path
    clock: Clock
    deep: bool
    direct: str = ""
    """How to connect to the server itself, where the reader may lead to a pooler."""
    replica: tuple[str, float] = ("", 0.0)
    """The address of a standby that answers reads, if there is one, and how many seconds it may be behind."""

    def checks(self) -> list[Check]:
        """Return every check, in order."""
        schema = ("database.schema",)
        return [
            Check("server.answers", self._look_for_it),
            Check("server.hints", self._look_at_hints, ("server.answers",)),
            Check("server.replica", self._look_at_replica, ("server.answers",)),
            Check("server.clock", self._look_at_clock, ("server.answers",)),
            Check("server.vectors", self._look_at_pgvector, ("server.answers",)),
            Check("database.rights", self._look_at_rights, ("server.answers",)),
            Check("database.schema", self._look_at_schema, ("server.answers",)),
            Check("database.apart", self._look_at_policies, schema),
            Check("database.whole", self._look_for_moves, schema),
            Check("rows.text_index", self._look_at_words, schema),
            Check("rows.vectors", self._look_at_vectors, schema),
            Check("rows.audit", self._look_at_audit, schema),
            Check("index.sound", self._look_at_index, schema),
            Check("jobs.errors", lambda: look_at_errors(self.reader), schema),
            Check("rows.future", lambda: look_at_future(self.reader, self.clock()), schema),
            Check("approvals.rewritten", lambda: look_at_vouches(self.reader), schema),
            Check("backups.programs", self._look_at_programs, ("server.answers",)),
            Check("backups.newest", self._look_at_backups),
        ]

    def generations(self) -> dict[str, tuple[int, int]]:
        """Return what `generations.by_model` does."""
        return generations.by_model(self.reader, psycopg.Error)

    def _look_for_it(self) -> Finding:
        try:
            info = self.reader.connection.info
        except psycopg.Error as error:
            remedy = "start the server, or mend AGENTOS_DATABASE_URL"
            remedy = remedy if failures.is_lost(error) else "mend AGENTOS_DATABASE_URL, or let the server allow it"
            return Finding(Severity.ERROR, str(failures.translate(error)), remedy, blocks=True)
        version = self.reader.asked("SHOW server_version")
        details = {"version": version, "host": info.host, "database": info.dbname, "user": info.user}
        message = f"PostgreSQL {version}, the database {info.dbname} on {info.host} as {info.user}"
        if info.server_version < migrate.OLDEST_SERVER:
            return Finding(Severity.ERROR, message, "upgrade the server to 16 or newer", details, blocks=True)
        if self.reader.asked("SHOW transaction_read_only") == "on":
            remedy = "name the primary server; with several hosts, target_session_attrs=read-write finds it"
            return Finding(Severity.ERROR, f"{message}: it is read-only, so nothing can be stored", remedy, details)
        return ok(message, **details)

    def _look_at_hints(self) -> Finding:
        """Check that the daemons of a store can tell each other of changes: a pooler takes no listeners."""
        remedy = "name the server itself, without the pooler, in AGENTOS_DATABASE_DIRECT_URL"
        try:
            with connected(self.direct) if self.direct else nullcontext(self.reader.connection) as connection:
                pooled = is_pooled(connection)
        except psycopg.Error as error:
            problem = f"AGENTOS_DATABASE_DIRECT_URL: {failures.translate(error)}"
            return Finding(Severity.WARNING, problem, "fix the address, or unset it", {"listening": False})
        if pooled:
            return Finding(Severity.INFO, POOLED, remedy, {"listening": False})
        return ok("daemons on the same store notify each other of changes", listening=True)

    def _look_at_replica(self) -> Finding:
        """Check that the standby that answers reads keeps up: meanwhile the primary answers them."""
        url, bound_s = self.replica
        if not url:
            return ok("no standby is named: the server answers every read")
        remedy = "mend the standby or AGENTOS_DATABASE_REPLICA_URL; until then the primary answers every read"
        try:
            behind_s = lag(self.reader.connection, url, min(bound_s, LOOK_S))
        except ReplicaBehind as error:
            return Finding(Severity.WARNING, f"the standby does not answer reads: {error}", remedy, {"behind": True})
        except psycopg.Error as error:
            problem = str(failures.translate(error)).replace("DATABASE_URL", "DATABASE_REPLICA_URL")
            return Finding(Severity.WARNING, f"the standby does not answer reads: {problem}", remedy)
        return ok(f"the standby answers reads, {behind_s:.1f} s behind at most", behind_s=round(behind_s, 1))

    def _look_at_clock(self) -> Finding:
        """Check that the clock of this machine is that of the database, by which daemons share their work."""
        before = self.clock()
        server = from_us(self.reader.asked(NOW))
        ahead_s = (before + (self.clock() - before) / 2 - server).total_seconds()
        details = {"ahead_s": round(ahead_s, 1)}
        where = "ahead of" if ahead_s > 0 else "behind"
        if abs(ahead_s) > MOST_SKEW.total_seconds():
            message = f"this machine's clock is {abs(ahead_s):.0f} s {where} the database's: no daemon starts here"
            return Finding(Severity.ERROR, message, "set the clocks of both, as NTP does", details)
        if abs(ahead_s) > UNSEEN_SKEW_S:
            message = f"this machine's clock is {abs(ahead_s):.0f} s {where} the database's, whose time holds"
            return Finding(Severity.INFO, message, "set the clocks of both, as NTP does", details)
        return ok("this machine's clock and the database's are the same", **details)

    def _look_at_pgvector(self) -> Finding:
        version = self.reader.asked(_VECTOR)
        if version is None:
            at_hand = self.reader.asked(_VECTOR_AT_HAND)
            remedy = "as a superuser: CREATE EXTENSION vector" if at_hand else "install pgvector on the server"
            message = "there is no pgvector: vectors are sent to the daemon and compared there"
            return Finding(Severity.WARNING, message, remedy, {"available": at_hand})
        if tuple(map(int, version.split(".")[:2])) < OLDEST_PGVECTOR:
            message = f"pgvector {version} is too old: vectors are sent to the daemon and compared there"
            return Finding(Severity.WARNING, message, "ALTER EXTENSION vector UPDATE", {"version": version})
        return ok(f"pgvector {version}", version=version)

    def _look_at_rights(self) -> Finding:
        schema, asked = self.reader.schema, self.reader.asked
        user = self.reader.connection.info.user
        if not self.reader.has("schema_migrations"):
            if lack := migrate.lacking(self.reader.connection, schema):
                return Finding(Severity.ERROR, *lack, blocks=True)
            return ok("the database user may create the schema")
        if not asked("SELECT has_schema_privilege($1, 'USAGE')", schema):
            remedy = f"GRANT USAGE ON SCHEMA {schema} TO {user}"
            return Finding(Severity.ERROR, "the database user may not use the schema", remedy, blocks=True)
        lacks = [
            right
            for right in ("SELECT", "INSERT", "UPDATE", "DELETE")
            if migrate.role_of(self.reader.connection, schema) is None
            and not asked("SELECT has_table_privilege($1, $2)", f'"{schema}".memories', right)
        ]
        if lacks:
            named = ", ".join(lacks)
            remedy = f"GRANT {named} ON ALL TABLES IN SCHEMA {schema} TO {user}"
            return Finding(Severity.ERROR, f"the database user lacks {named}", remedy, {"lacks": lacks})
        return ok("the database user has every right it needs")

    def _look_at_schema(self) -> Finding:
        schema = self.reader.schema
        if not self.reader.has("schema_migrations"):
            return Finding(Severity.INFO, f"there is no data yet: {schema} is created at the first use", blocks=True)
        known = migrate.known_steps()
        newest = known[-1].version
        version = self.reader.asked(f'SELECT max(version) FROM "{schema}".schema_migrations')
        details = {"schema": version, "known": newest}
        try:
            owed = migrate.outstanding(self.reader.connection, schema, known)
        except StorageRefused as error:
            message, _, remedy = str(error).partition("; ")
            return Finding(Severity.ERROR, message, remedy, details, blocks=True)
        if owed:
            message = f"schema {version} becomes {newest} at the next start, after a backup; agentos migrate --dry-run"
            return Finding(Severity.INFO, message, details=details, blocks=True)
        count = self.reader.asked(f'SELECT count(*) FROM "{schema}".tenants')
        stores = f"{count} store{'s' if count != 1 else ''}, this one is {self.reader.tenant_name}"
        return ok(f"schema {version}, the newest: {stores}", **details)

    def _look_at_policies(self) -> Finding:
        """Check that a statement that forgets its store still sees no other's rows."""
        schema = self.reader.schema
        tables = migrate.open_tables(self.reader.connection, schema)
        if tables:
            message = f"row-level security is not forced on {', '.join(tables[:5])}"
            remedy = f"ALTER TABLE {schema}.{tables[0]} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
            return Finding(Severity.ERROR, message, remedy, {"tables": tables})
        role = migrate.role_of(self.reader.connection, schema)
        if role is None and self.reader.asked(_OWN_RIGHTS):
            message = "the database user stands above row-level security, and there is no role without that"
            return Finding(Severity.WARNING, message, "name a user without SUPERUSER and BYPASSRLS")
        return ok(f"row-level security is forced; statements run as {role or 'the database user'}", role=role)

    def _look_for_moves(self) -> Finding:
        if not self.reader.rows(f"SELECT 1 FROM job_runs WHERE name = '{OWN_RUN}'"):
            return ok("no interrupted move")
        message = "a move into this store was interrupted: it holds only a part"
        return Finding(Severity.ERROR, message, "run the same agentos migrate --to again")

    def _look_at_words(self) -> Finding:
        missing, count = self.reader.one(_WITHOUT_WORDS), self.reader.one("SELECT count(*) FROM memories")
        if missing:
            message = f"the text index lacks {missing} of {memories_counted(count)}"
            return Finding(Severity.WARNING, message, "agentos restore, or report it", {"missing": missing})
        return ok(f"the text index holds each of {memories_counted(count)}")

    def _look_at_vectors(self) -> Finding:
        waiting, count = self.reader.one(_WAITING), self.reader.one("SELECT count(*) FROM embeddings")
        if waiting:
            return info(
                f"{counted(count, 'vector')}; waiting for one of the newest model: {memories_counted(waiting)}",
                waiting=waiting,
            )
        return ok(f"{counted(count, 'vector')}, none waiting", count=count)

    def _look_at_audit(self) -> Finding:
        return look_at_chain(self.reader, broken_everywhere(ENTRY_HASH), deep=self.deep)

    def _look_at_index(self) -> Finding:
        made = indexes(self.reader.connection, self.reader.schema)
        broken = [name for name, is_valid in made if not is_valid]
        if broken:
            message = f"the index {broken[0]} is broken or being made: all vectors are compared meanwhile"
            return Finding(Severity.WARNING, message, "the next daemon rebuilds it", {"broken": broken})
        if made:
            return ok(f"{', '.join(name for name, _ in made)} in use", indexes=[name for name, _ in made])
        return ok(f"none yet: up to {EXACT_UP_TO:,} vectors are compared exactly")

    def _look_at_programs(self) -> Finding:
        """Check that the programs that make backups are there, and not older than the server."""
        server = self.reader.connection.info.server_version // 10_000
        for program in ("pg_dump", "pg_restore"):
            version = _version(program)
            if version is None or version < server:
                problem = "is not in PATH" if version is None else f"is of version {version}, the server of {server}"
                remedy = f"install the client programs of PostgreSQL {server}"
                return Finding(Severity.WARNING, f"no backup can be made: {program} {problem}", remedy)
        if not self.reader.asked(_OWN_RIGHTS):
            remedy = f"ALTER ROLE {self.reader.connection.info.user} BYPASSRLS, or agentos export"
            return Finding(Severity.INFO, "no backup can be made: the database user may not read every store", remedy)
        return ok("pg_dump and pg_restore are available")

    def _look_at_backups(self) -> Finding:
        sound = [backup for backup in backups_in(self.home / "backups") if backup.problem is None]
        if not sound:
            return Finding(Severity.INFO, "there is no backup here", "agentos backup, unless the server has its own")
        made = sound[0].created_at
        details: dict[str, Any] = {"name": sound[0].name, "made": made.isoformat(), "bytes": sound[0].bytes}
        message = f"the newest backup is of {made:%Y-%m-%d %H:%M} UTC"
        is_old = self.clock() - made > OLD_AFTER
        return Finding(Severity.INFO, message, "agentos backup", details) if is_old else ok(message, **details)


def _version(program: str) -> int | None:
    """Return the major version of a program of PostgreSQL; None where it is not there."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        output = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=PROGRAM_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"(\d+)(?:\.\d+)?", output)
    return int(match[1]) if match else None
