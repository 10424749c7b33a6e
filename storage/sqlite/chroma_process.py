"""The parent's side of ChromaDB's child process: starts it on demand, calls it, and ends it when it hangs."""

import asyncio
import pickle
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...modules import foreign_files, package_files
from ..engine.running import Running

CALL_S = 60.0
MOST_NOTE_BYTES = 1_000
"""Longer than any call takes, even on a slow machine; opening a folder replays up to a thousand changes."""
LATE_S = 1.0
"""A call that runs this long delays the next ones, which should not wait for it."""
_CHILD = Path(__file__).with_name("chroma_child.py")
_RUN = "import sys; exec(compile(sys.stdin.buffer.read(int(sys.stdin.buffer.readline())), sys.argv.pop(1), 'exec'))"
"""Runs the program that stands before the requests: an update may have taken its file away, or put another there."""


class ChromaFailed(Exception):
    """A call failed: the child refused it (`kind` is its error's type), died, or hung and was ended."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class ChromaProcess:
    """At most one child. Calls are answered in order; cancelling one does not disturb the others."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._folder = folder.absolute()
        self._environment = environment
        self._program = package_files.text(_CHILD).encode()
        self._process: Process | None = None
        self._lock = asyncio.Lock()
        self._calls = Running()
        self._since: float | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs; it tells one child from the next."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    @property
    def late(self) -> bool:
        """Return whether a call is taking long, so that another one would have to wait."""
        return self._since is not None and time.monotonic() - self._since > LATE_S

    def noted(self) -> int | None:
        """Return how many deleted vectors the files in use hold, by the child's note; None when there are no files."""
        try:
            current = self._folder / foreign_files.text(self._folder / "CURRENT", MOST_NOTE_BYTES).strip()
            deleted = current / "DELETED"
            if not (current / "chroma.sqlite3").exists():
                return None
            return int(foreign_files.text(deleted, MOST_NOTE_BYTES)) if deleted.exists() else 0
        except (OSError, ValueError):
            return None

    async def call(self, name: str, *arguments: Any) -> Any:
        """Return the child's answer. Raises ChromaFailed, at the latest after CALL_S seconds of its work."""
        return await self._calls.finish(self._call(name, arguments))

    async def _call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        async with self._lock:
            process = await self._running()
            self._since = time.monotonic()
            try:
                async with asyncio.timeout(CALL_S):
                    kind, value = await _ask(process, pickle.dumps((name, arguments)))
            except TimeoutError:
                await self._end()
                raise ChromaFailed(f"ChromaDB did not answer {name} within {CALL_S:g} s and was ended") from None
            except (OSError, EOFError) as error:
                code = await self._end()
                raise ChromaFailed(f"ChromaDB's process ended with code {code} while it did {name}") from error
            except asyncio.CancelledError:
                await self._end()
                raise
            finally:
                self._since = None
        if kind is not None:
            raise ChromaFailed(f"{kind}: {value}", kind)
        return value

    async def _running(self) -> Process:
        if self._closed:
            raise ChromaFailed("the vector index is closed")
        if self._process is None or self._process.returncode is not None:
            await self._end()
            try:
                # Its folder may be deleted while it runs, so it works in the root of the file system.
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-P", "-c", _RUN, str(_CHILD), str(self._folder),
                    stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=self._folder.anchor, env=self._environment,
                )  # fmt: skip
                if self._process.stdin is not None:
                    self._process.stdin.write(b"%d\n%b" % (len(self._program), self._program))
            except OSError as error:
                raise ChromaFailed(f"ChromaDB's process cannot be started: {error}") from error
            if self._closed:  # meanwhile
                await self._end()
                raise ChromaFailed("the vector index is closed")
        return self._process

    async def _end(self) -> int | None:
        """End the child at once, which loses nothing, as what it has answered is on disk; return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        if process.returncode is None:
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        code = await process.wait()
        if process.stdout is not None:
            await process.stdout.read()  # lets asyncio close the pipe
        return code

    async def stop(self) -> None:
        """End the child once it has answered; the next call starts another one."""
        async with self._lock:
            await self._end()

    async def close(self) -> None:
        """End the child at once, even during a call; later calls are refused."""
        self._closed = True
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
        await self._calls.ended()
        await self._end()


async def _ask(process: Process, request: bytes) -> Any:
    if process.stdin is None or process.stdout is None:
        raise EOFError
    process.stdin.write(request)
    await process.stdin.drain()
    size = int.from_bytes(await process.stdout.readexactly(8), "little")
    return pickle.loads(await process.stdout.readexactly(size))
