"""The domain types of erasure: what names a subject, which of it are copies of each other, and what is left. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from ..memory.models import Memory
from ..records import dataclass


@dataclass(frozen=True)
class NamedMemory:
    """A memory in which a subject is named, with its text and those of its earlier versions.

    `made_of` is the id of the memory that it is a copy of, or was copied to, as forks and merges have noted it: never
    what a memory says of itself.
    """

    memory: Memory
    texts: frozenset[str]
    made_of: str | None = None


@dataclass(frozen=True)
class Erasure:
    """The plan of an erasure, of a namespace's memories and of their copies elsewhere; and what it leaves.

    `elsewhere` are the memories of others that name the subject and are no copies, by namespace; `closed` the
    namespaces that have some and may only be read; `unread` counts the namespaces that may not even be read.
    """

    namespace: str
    subject: str
    own: Sequence[Memory]
    copies: Sequence[Memory] = ()
    elsewhere: Mapping[str, int] = field(default_factory=dict)
    closed: Sequence[str] = ()
    unread: int = 0

    @property
    def all(self) -> tuple[Memory, ...]:
        """Return everything to erase."""
        return (*self.own, *self.copies)


def copies(own: Sequence[NamedMemory], others: Sequence[NamedMemory], branches: frozenset[str]) -> list[NamedMemory]:
    """Return which of the `others` are copies: all in `branches` of it, and whatever shares a text or its lineage.

    A copy of a copy is one too, in whichever direction it was made.
    """
    found: list[NamedMemory] = []
    waiting = list(others)
    ids, texts, origins = set[str](), set[str](), set[str]()

    def take(ones: Sequence[NamedMemory]) -> None:
        for one in ones:
            ids.add(one.memory.id)
            texts.update(one.texts)
            origins.update([one.made_of] if one.made_of else [])

    take(own)
    new = [one for one in waiting if one.memory.namespace in branches]
    while True:
        take(new)
        found += new
        taken = {one.memory.id for one in new}
        waiting = [one for one in waiting if one.memory.id not in taken]
        new = [
            one for one in waiting if one.memory.id in origins or one.made_of in ids or not texts.isdisjoint(one.texts)
        ]
        if not new:
            return found
