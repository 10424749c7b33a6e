"""The code in a project's folder as it is now: files read with care, each once, and found by what they define. Blocks.

Nothing outside of the folder is opened: no link out of it, no pipe, no device, and no more than MOST_BYTES of a file.
"""

import os
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b, sha256
from pathlib import Path

from ...modules import foreign_files
from ...storage.git.checkouts import KEPT_OUT
from ...storage.git.files import UnreadableHistory, find, head_of
from . import parsing
from .models import Body, Place, Source

MOST_BYTES = foreign_files.MiB
"""The largest file that is followed."""
MOST_FILES = 20_000
MOST_READ = 32 * foreign_files.MiB
"""The most that is read of a project to find what is no longer where it was."""
SKETCHED = 64
"""How many lines stand for a file: those of the least digests."""
LONGEST = 300
"""The longest path that is followed, in characters."""
_PATH = re.compile(r"[\w.@+~ ()\[\]$=-]{1,255}(?:/[\w.@+~ ()\[\]$=-]{1,255}){0,40}")
_LEFT_OUT = frozenset("node_modules bower_components vendor target dist build venv __pycache__ site-packages".split())
"""Folders that hold what others wrote or a program made."""


class Code:
    """A project's folder at one moment."""

    def __init__(self, folder: Path, *, parses: bool) -> None:
        """Look at a folder; what its files define is known only where it `parses` them."""
        self._folder = folder
        self._parsers = parsing.Parsers() if parses else None
        self._sources: dict[str, Source | None] = {}
        self._unparsed: dict[str, Source | None] = {}
        self._paths: list[str] | None = None
        self._by_name: dict[str, list[str]] | None = None
        self._places: dict[str, list[Place]] = {}
        self._texts: dict[str, bytes] | None = None
        self._read = 0
        self.is_whole = True
        """Whether all that was looked for was looked at."""

    def parses(self, path: str) -> bool:
        """Return whether the symbols of a file can be known."""
        return self._parsers is not None and parsing.is_code(path)

    def head(self) -> str:
        """Return the commit that is checked out; "" where there is none."""
        repository = find(self._folder)
        try:
            return "" if repository is None else head_of(repository) or ""
        except UnreadableHistory:
            return ""

    def stamp(self, paths: Iterable[str]) -> str:
        """Return what stands for files as they are, by their sizes and times: another one where one was written."""
        told = sha256()
        for path in sorted(set(paths)):
            try:
                status = os.stat(self._folder / path, follow_symlinks=False)
                how = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
            except OSError:
                how = ""
            told.update(f"{path}\0{how}\0".encode())
        return told.hexdigest()[:32]

    def relative(self, path: str) -> str:
        """Return a path of the folder as anchors know it; "" for any other, and for one with odd characters."""
        try:
            given = os.path.normpath(os.path.join(self._folder, path))
            inner = os.path.relpath(given, self._folder).replace(os.sep, "/")
        except ValueError:
            return ""
        is_fit = not inner.startswith("../") and inner not in ("..", ".") and len(inner) <= LONGEST
        return inner if is_fit and _PATH.fullmatch(inner) and "  " not in inner else ""

    def source(self, path: str) -> Source | None:
        """Return a file; None where there is none."""
        if path not in self._sources:
            self._sources[path] = self._opened(path)
        return self._sources[path]

    def _compared(self, path: str) -> Source | None:
        """Return a file of which the symbols may not be known: what they are takes much longer than its body."""
        if path in self._sources:
            return self._sources[path]
        if path not in self._unparsed:
            self._unparsed[path] = self._opened(path, parses=False)
        return self._unparsed[path]

    def _opened(self, path: str, *, parses: bool = True) -> Source | None:
        try:
            data = foreign_files.read(self._folder / path, MOST_BYTES, self._folder)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            return Source(path, problem=getattr(error, "strerror", None) or "it cannot be read")
        self._read += len(data)
        body = _file_body(data)
        if self._parsers is None or not parses or not parsing.is_code(path) or b"\0" in data:
            return Source(path, body)
        symbols, is_broken = self._parsers.symbols(path, data)
        return Source(path, body, symbols, is_parsed=True, is_broken=is_broken)

    def paths(self) -> list[str]:
        """Return the files of the folder, in order; hidden ones, those kept out, and what programs made are none."""
        if self._paths is None:
            self._paths = []
            for path in self._walked():
                if len(self._paths) == MOST_FILES:
                    self.is_whole = False
                    break
                self._paths.append(path)
        return self._paths

    def called(self, name: str) -> list[str]:
        """Return the files of a name, wherever they are in the folder."""
        if self._by_name is None:
            self._by_name = {}
            for path in self.paths():
                self._by_name.setdefault(os.path.basename(path), []).append(path)
        return self._by_name.get(name, [])

    def _walked(self) -> Iterator[str]:
        for place, folders, names in os.walk(self._folder):  # follows no links
            if KEPT_OUT in names:
                folders[:] = []
                continue
            folders[:] = sorted(one for one in folders if one[0] != "." and one not in _LEFT_OUT)
            for name in sorted(names):
                path = self.relative(os.path.join(place, name)) if name[0] != "." else ""
                if path and not os.path.islink(os.path.join(place, name)):
                    yield path

    def like(self, path: str) -> Iterator[Source]:
        """Yield the files with the same ending, as far as MOST_READ goes."""
        ending = os.path.splitext(path)[1].lower()
        for one in self.paths():
            if os.path.splitext(one)[1].lower() != ending:
                continue
            if one not in self._sources and one not in self._unparsed and self._read > MOST_READ:
                self.is_whole = False
                return
            source = self._compared(one)
            if source is not None and not source.problem:
                yield source

    def holding(self, *names: str) -> Iterator[Source]:
        """Yield the files of code in which all of these names occur: only they are taken apart."""
        if self._texts is None:
            self._texts = dict(self._read_all())
        sought = [name.encode() for name in names]
        for path, data in self._texts.items():
            if all(one in data for one in sought):
                source = self.source(path)
                if source is not None and not source.problem:
                    yield source

    def _read_all(self) -> Iterator[tuple[str, bytes]]:
        size = 0
        for path in self.paths() if self._parsers is not None else ():
            if not parsing.is_code(path):
                continue
            try:
                data = foreign_files.read(self._folder / path, MOST_BYTES, self._folder)
            except (OSError, ValueError):
                continue  # what cannot be read holds nothing that could be told
            size += len(data)
            if size > MOST_READ:
                self.is_whole = False
                return
            yield path, data

    def named(self, name: str) -> list[Place]:
        """Return where a symbol is defined: by its own name, or with those of what it is in."""
        if name not in self._places:
            self._places[name] = [
                Place(source.path, symbol)
                for source in self.holding(name.rpartition(".")[2])
                for symbol in source.symbols
                if symbol == name or symbol.endswith(f".{name}")
            ]
        return self._places[name]

    def resembling(self, place: Place, body: Body) -> list[tuple[Place, Body]]:
        """Return what could be mistaken for a symbol, or be it under another name: of the same name, or of its body."""
        found: dict[Place, Body] = {}
        several = sorted(body.names, key=len)[-RARE:]
        for source in (*self.holding(place.name), *(self.holding(*several) if several else ())):
            for symbol, one in source.symbols.items():
                other = Place(source.path, symbol)
                is_alike = one.digest == body.digest or (one.shape and one.shape == body.shape)
                if other != place and (is_alike or other.name == place.name):
                    found[other] = one
        return list(found.items())

    def beside(self, place: Place, body: Body) -> list[Place]:
        """Return the places that could be mistaken for this one."""
        if place.symbol:
            return [other for other, _ in self.resembling(place, body)]
        return [
            Place(one.path)
            for one in self.like(place.path)
            if one.path != place.path and one.body is not None and similarity(one.body, body) >= ALIKE
        ]


RARE = 5
"""How many of a body's names a file must hold to be taken apart: the longest ones."""
ALIKE = 0.5
"""How much of two files must be the same for one to be the other: what git takes for a rename."""


def similarity(one: Body, other: Body) -> float:
    """Return how much of two files is the same, 0..1, by their lines."""
    if one.digest == other.digest:
        return 1.0
    least = sorted({*one.names, *other.names})[:SKETCHED]
    both = set(one.names) & set(other.names)
    return sum(line in both for line in least) / len(least) if least else 0.0


def _file_body(data: bytes) -> Body:
    if b"\0" in data:
        return Body(sha256(data).hexdigest()[:32], "", (), 0)
    lines = [line for line in (one.strip() for one in data.splitlines()) if line]
    least = sorted({blake2b(line, digest_size=5).hexdigest() for line in lines})[:SKETCHED]
    return Body(sha256(b"\n".join(lines)).hexdigest()[:32], "", tuple(least), len(lines))
