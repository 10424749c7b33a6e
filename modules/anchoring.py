"""Notes that follow the code as other parts of AgentOS see them: what they tell, and the check that others begin."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from .context.entries import Briefing
from .records import dataclass
from .sessions.models import Session


@dataclass(frozen=True)
class CodeFolder:
    """A folder whose notes follow its code: how many do, how many of them are marked, and why it was not looked at."""

    namespace: str
    project: str
    folder: str
    notes: int
    marked: int
    problem: str


@dataclass(frozen=True)
class Checked:
    """What a check did: anchors that were looked at, marked and no longer marked; by folder what kept it from that."""

    anchors: int = 0
    marked: int = 0
    cleared: int = 0
    found: int = 0
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AnchoredCode:
    """A note's tie to a piece of code as people see it; the paths are from the project's folder.

    `place` is the code that the note names, PATH or PATH:SYMBOL, and `now` where that is by now. `state` is same,
    renamed, moved, changed or gone; `mark` says it in words, `diff` is the command that shows it in the folder. Where
    the note was confirmed since, all is the same. `is_given`: somebody anchored it, rather than its own text.
    """

    memory_id: str
    text: str
    project: str
    place: str
    now: str
    state: str
    mark: str
    diff: str
    is_given: bool


class Anchors(Protocol):
    """The anchors of a store in which some folder is followed."""

    async def check(self) -> Checked:
        """Anchor new notes, and mark those whose code was renamed, moved, changed, or is gone."""

    async def edited(self, namespace: str, top: str, paths: Sequence[str]) -> Checked:
        """Check the notes on files that were just edited; `top` is the working tree, the paths are its or absolute."""

    async def told(self, session: Session, paths: Sequence[str], top: str, shown: Collection[str]) -> Briefing:
        """Return the notes on files that are about to be read, without those that the session was shown."""

    async def views(
        self, namespace: str, memory_id: str | None = None, *, marked: bool = False
    ) -> Sequence[AnchoredCode]:
        """Return the anchors of notes that are not hidden, or of one note; where `marked` those that need a look."""

    async def remove(self, namespace: str, memory_id: str, given: str | None = None) -> int:
        """Remove the anchors of a memory, or the one to PATH or PATH:SYMBOL. Raises NotFound where there is none."""

    async def status(self) -> list[CodeFolder]:
        """Return the folders that are followed."""


class OpensAnchors(Protocol):
    """Returns the anchors of a store; None where no folder is followed, unless somebody is about to `begin`."""

    async def __call__(self, *, begin: bool = False) -> Anchors | None: ...


async def no_anchors(*, begin: bool = False) -> Anchors | None:
    """Return that no folder is followed."""
    return None
