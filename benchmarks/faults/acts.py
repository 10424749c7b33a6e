"""Acts on an encrypted home, each in a process of its own that may be killed, and a look at all that is in the home.

A server of forks has everything imported once, so that an act begins at once. What an act says goes to a file: what is
there when its process is killed has been said.
"""

import asyncio
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from agentos import config, database
from agentos.interfaces.cli.running import run
from agentos.modules.clock import system_clock
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.signing import keys, registry_file
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import driver
from agentos.storage.sqlite.reencryption import PARTIAL

STORE, LOOK, KEY = "store", "look", "key"
NAMESPACE = "default"
SETTINGS = {"AGENTOS_DAEMON": "off", "AGENTOS_EMBEDDING_MODEL": "stub", "HF_HUB_OFFLINE": "1"}
PRELOADED = (
    *("agentos.modules.agentos", "agentos.storage.sqlite.store", "agentos.storage.sqlite.reencryption"),
    *("agentos.interfaces.cli.doctor.command", "agentos.storage.sqlite.examination.everything"),
    *("agentos.storage.embedding.stub", "agentos.storage.embedding.examination", "agentos.tools.catalog"),
    *("agentos.daemon_pkg.jobs.schedule", "agentos.storage.examination.secrets", "agentos.tools.bound"),
    *("numpy", "onnxruntime", "tokenizers", "rich.console", "rich.table", "packaging.requirements"),
)
"""What acts import when they need it."""
PAGE = 200
DEADLINE_S = 300.0


@dataclass(frozen=True)
class ActResult:
    """The outcome of an act: its exit code, None where it was killed before, and its output until then."""

    code: int | None
    text: str

    def json(self) -> Any:
        """Return the output, parsed as JSON."""
        return json.loads(self.text)


class Doing:
    """An act under way."""

    def __init__(self, process: ForkServerProcess, out: Path) -> None:
        self._process = process
        self._out = out

    def kill_after(self, seconds: float) -> None:
        """Kill it at a moment that was chosen by chance; it may have ended before."""
        time.sleep(seconds)
        self._process.kill()

    def result(self) -> ActResult:
        """Wait for the end of the act; return its result. Raises TimeoutError."""
        self._process.join(DEADLINE_S)
        code = self._process.exitcode
        if code is None:
            self._process.kill()
            self._process.join()
            raise TimeoutError(f"an act has not ended within {DEADLINE_S:g} s: {self._out}")
        return ActResult(None if code < 0 else code, self._out.read_text(encoding="utf-8"))


class Acts:
    """Begins acts on homes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__, *PRELOADED])

    def begin(self, *words: str | Path) -> Doing:
        """Begin an act: a command of `agentos`, or STORE, LOOK or KEY with a home and a text."""
        self._number += 1
        out = self._folder / f"said-{self._number}.txt"
        out.touch()  # who is killed before anything has said nothing
        process = self._context.Process(target=_in_process, args=(str(out), [str(word) for word in words]))
        process.start()
        return Doing(process, out)

    def do(self, *words: str | Path) -> ActResult:
        """Do an act to its end."""
        return self.begin(*words).result()


def _in_process(out: str, words: Sequence[str]) -> None:
    for name in [name for name in os.environ if name.startswith("AGENTOS_")]:
        del os.environ[name]
    os.environ.update(SETTINGS)
    target = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in ((0, nothing), (1, target), (2, target)):
        os.dup2(stream, number)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - the process ends with it
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    own = {STORE: _store, LOOK: _look, KEY: _key}.get(words[0])
    code = run(words) if own is None else asyncio.run(own(Path(words[1]), *words[2:]))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)  # as a command ends; no handler of the server of forks runs


async def _store(home: Path, text: str) -> None:
    async with database.opened(config.of_home(home), system_clock) as (agentos, _):
        stored = await agentos.memory.store(NAMESPACE, StoreRequest(text))
        sys.stdout.write(f"{stored.memory.id}\n")
        sys.stdout.flush()  # this acknowledges it


async def _key(home: Path, author: str) -> None:
    """Make the key that signs certificates, which only a person at a terminal can do by a command."""
    key = keys.create(home, in_keyring=False)
    registry_file.change(home, lambda registry: registry.pinned(key.public, author, own=True))


async def _look(home: Path, outside: str, *gone: str) -> None:
    """Say what the home has, what each copy has, and which of some words that are `gone` are in any row of it."""
    settings = config.of_home(home)
    live: list[str] = []
    async with database.opened(settings, system_clock) as (agentos, _):
        cursor = None
        while True:
            page = await agentos.memory.page(NAMESPACE, MemoryFilter(), PAGE, 0, cursor)
            live += [one.content for one in page.memories]
            if (cursor := page.next_cursor) is None:
                break
    copies = {str(path): texts_of(path) for path in copies_of(home, Path(outside))}
    found = {"live": live, "copies": copies, "left": sorted(_in_rows(home / "agentos.db", gone))}
    sys.stdout.write(json.dumps(found))


def copies_of(home: Path, outside: Path) -> Iterator[Path]:
    """Yield the backups of a home, and what restores have replaced; half a copy is none."""
    for folder in (home, home / "backups", outside):
        for path in sorted(folder.glob("*")):
            is_log = path.name.endswith(("-wal", "-shm", "-journal"))
            is_copy = path.suffix == ".db" or path.name.startswith("agentos.db.replaced-")
            if is_copy and not is_log and path.suffix != PARTIAL and path != home / "agentos.db":
                yield path


def texts_of(path: Path) -> list[str]:
    """Return the texts of a store's file, under whichever key of its home it is."""
    with closing(driver.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return [text for (text,) in connection.execute("SELECT content FROM memories")]


def _in_rows(path: Path, words: Sequence[str]) -> Iterator[str]:
    """Yield the words of which a file holds the end anywhere: a text index keeps words without what they share."""
    if not words:
        return
    with closing(driver.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0").fetchall()
        cells = [
            cell
            for (name,) in tables
            for row in connection.execute(f'SELECT * FROM "{name.decode()}"')
            for cell in row
            if isinstance(cell, bytes)
        ]
    content = b"\n".join(cells)
    yield from (word for word in words if word[-8:].encode() in content)
