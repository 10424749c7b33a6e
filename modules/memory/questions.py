"""Questions that a store could not wait for: whether a memory replaces an older one, for the asker's next result.

They are kept in memory only: what is not told in this way stands in the next snapshot, as a relation.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .models import Memory

Asker = tuple[str, ...]
"""The namespace and the caller of a store: who is told."""
LATE, ASKERS, EACH = 500, 200, 5
"""The most stores waited for, the most askers with a question, and the most questions for one."""


@dataclass(frozen=True)
class Question:
    """A memory that holds, and a newer one that may replace it."""

    older: Memory
    newer: Memory


class Questions:
    """Keeps what is asked about stores whose answer has gone out."""

    def __init__(self) -> None:
        self._late: OrderedDict[str, Asker] = OrderedDict()
        self._found: OrderedDict[Asker, list[tuple[str, str]]] = OrderedDict()

    def expect(self, memory_id: str, asker: Asker) -> None:
        """Note who is told what a memory may replace, once that is known; an empty asker is nobody."""
        if not asker:
            return
        self._late[memory_id] = asker
        if len(self._late) > LATE:
            self._late.popitem(last=False)

    def found(self, memory_id: str, older: Iterable[str]) -> None:
        """Keep the questions about a memory, as the ids of older ones, if somebody waits for them."""
        asker = self._late.pop(memory_id, None)
        pairs = [(one, memory_id) for one in older]
        if asker is None or not pairs:
            return
        self._found[asker] = [*self._found.pop(asker, ()), *pairs][-EACH:]
        if len(self._found) > ASKERS:
            self._found.popitem(last=False)

    def take(self, asker: Asker) -> list[tuple[str, str]]:
        """Return the ids of older and newer memories that an asker was not told of yet, the newest last; once."""
        return self._found.pop(asker, [])


def still_open(pairs: Iterable[tuple[str, str]], known: Mapping[str, Memory]) -> Sequence[Question]:
    """Return those pairs of older and newer memory that are not answered, and not moot."""
    return [
        Question(known[older], known[newer])
        for older, newer in pairs
        if older in known and newer in known and known[older].outdated_by == newer
    ]
