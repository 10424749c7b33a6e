"""The domain types of anchors: what code a note is about, how that was when it was anchored, and what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from ...modules.records import dataclass


class State(StrEnum):
    """What became of anchored code."""

    SAME = "same"
    RENAMED = "renamed"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True)
class Place:
    """A symbol in a file, or with "" for the symbol the whole file; the path is from the project's folder, with `/`."""

    path: str
    symbol: str = ""

    @property
    def name(self) -> str:
        """The symbol's own name, without those of what it is in."""
        return self.symbol.rpartition(".")[2]

    def __str__(self) -> str:
        return f"{self.path}:{self.symbol}" if self.symbol else self.path


@dataclass(frozen=True)
class Body:
    """What tells a piece of code from another, without its own name, comments and layout.

    `digest` is that of its words; `shape` is that with each identifier as its number in `names`, so that two bodies of
    one shape differ in names alone. A file has no shape, and the least digests of its lines as names. `size` is in
    words, or in lines. `is_broken` where it does not parse.
    """

    digest: str
    shape: str
    names: tuple[str, ...]
    size: int
    is_broken: bool = False


@dataclass(frozen=True)
class Source:
    """A file: its body, and those of its symbols; `is_broken` where it does not parse, `is_parsed` where it was tried.

    `problem` says why it cannot be read; then nothing else is known.
    """

    path: str
    body: Body | None = None
    symbols: Mapping[str, Body] = field(default_factory=dict)
    is_parsed: bool = False
    is_broken: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Anchor:
    """A note's tie to a piece of code: the place that the note names, where that is now, and its body as it was.

    `beside` are the places that could be mistaken for it, and were there when it was anchored. `commit` is what was
    checked out then. `confirmations` are those of the note when it was last marked: one that is confirmed later holds.
    """

    memory_id: str
    folder_id: str
    place: Place
    now: Place
    body: Body
    beside: Sequence[Place] = ()
    commit: str = ""
    state: State = State.SAME
    mark: str = ""
    confirmations: int = 0
    version: int = 1
    is_given: bool = False

    def begins_anew(self, confirmed: int) -> bool:
        """Return whether its note, `confirmed` so often now, was confirmed since it was marked: it begins anew."""
        return bool(self.mark) and confirmed > self.confirmations


@dataclass(frozen=True)
class Followed:
    """A project's folder whose notes follow its code; `looked_at` is the number of the last note that was read.

    `seen` stands for how the anchored files were when all of them were judged.
    """

    id: str
    namespace: str
    project: str
    project_name: str
    folder: str
    looked_at: int = 0
    problem: str = ""
    seen: str = ""


@dataclass(frozen=True)
class Note:
    """A memory as far as anchors need it."""

    seq: int
    id: str
    content: str
    version: int
    confirmations: int
