"""Notes that follow the code as other parts of AgentOS see them: what they tell, and the check that others begin."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .context.entries import Briefing
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


class Anchors(Protocol):
    """The anchors of a store in which some folder is followed."""

    async def check(self) -> Checked:
        """Anchor new notes, and mark those whose code was renamed, moved, changed, or is gone."""

    async def edited(self, namespace: str, top: str, paths: Sequence[str]) -> Checked:
        """Check the notes on files that were just edited; `top` is the working tree, the paths are its or absolute."""

    async def told(self, session: Session, paths: Sequence[str], top: str, shown: Collection[str]) -> Briefing:
        """Return the notes on files that are about to be read, without those that the session was shown."""

    async def status(self) -> list[CodeFolder]:
        """Return the folders that are followed."""


class OpensAnchors(Protocol):
    """Returns the anchors of a store; None where no folder is followed, unless somebody is about to `begin`."""

    async def __call__(self, *, begin: bool = False) -> Anchors | None: ...


async def no_anchors(*, begin: bool = False) -> Anchors | None:
    """Return that no folder is followed."""
    return None
