"""Questions that a store could not wait for: whether a memory replaces an older one, for the asker's next result.

They are kept in memory only: what is not told in this way stands in the next snapshot, as a relation.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field

from ..records import dataclass
from .models import Memory

Asker = tuple[str, ...]
"""The namespace and the caller of a store: who is told."""
LATE, ASKERS, WAITING, EACH = 500, 200, 50, 5
"""The most stores waited for, the most askers with a question, the most questions kept for one, and the most that one
result asks: the others are asked with the results after it."""


@dataclass(frozen=True)
class Question:
    """A memory that holds, and a newer one that may replace it."""

    older: Memory
    newer: Memory


@dataclass
class _Expected:
    """Who is told what a memory may replace, and the ids of older ones that its own answer asked about."""

    asker: Asker
    asked: set[str] = field(default_factory=set)


class Questions:
    """Keeps what is asked about stores whose answer has gone out, or goes out without knowing all of it."""

    def __init__(self) -> None:
        self._expected: OrderedDict[str, _Expected] = OrderedDict()
        self._found: OrderedDict[Asker, list[tuple[str, str]]] = OrderedDict()
        self._asking: set[Asker] = set()

    def expect(self, memory_id: str, asker: Asker) -> None:
        """Note who is told what a memory may replace, before that can be known; an empty asker is nobody."""
        if not asker:
            return
        self._expected[memory_id] = _Expected(asker)
        if len(self._expected) > LATE:
            self._expected.popitem(last=False)

    def asked(self, memory_id: str, asker: Asker, older: Collection[str]) -> None:
        """Note that the answer to a store asks about older memories: nothing asks about these again, nor more in it."""
        if (expected := self._expected.get(memory_id)) is not None:
            expected.asked.update(older)
        if asker not in self._found or not older:
            return
        self._asking.add(asker)
        known = {(one, memory_id) for one in older}  # found while the answer was on its way
        self._found[asker] = [pair for pair in self._found[asker] if pair not in known]

    def forget(self, memory_id: str) -> None:
        """Ask nobody about a memory."""
        self._expected.pop(memory_id, None)

    def found(self, memory_id: str, older: Iterable[str]) -> None:
        """Keep the questions about a memory, as the ids of older ones, if somebody is told of them; none a second time.

        An older one may be looked at later than the memory itself.
        """
        expected = self._expected.get(memory_id)
        if expected is None:
            return
        pairs = [(one, memory_id) for one in older if one not in expected.asked]
        if not pairs:
            return
        expected.asked.update(one for one, _ in pairs)
        self._found[expected.asker] = [*self._found.pop(expected.asker, ()), *pairs][-WAITING:]
        if len(self._found) > ASKERS:
            dropped, _ = self._found.popitem(last=False)
            self._asking.discard(dropped)

    def take(self, asker: Asker) -> list[tuple[str, str]]:
        """Return the ids of older and newer memories to ask about, the first found first, at most EACH; each once.

        None for the answer to a store that asks a question of its own: what is late comes with the result after it.
        """
        if asker in self._asking:
            self._asking.discard(asker)
            return []
        waiting = self._found.pop(asker, [])
        if len(waiting) > EACH:
            self._found[asker] = waiting[EACH:]
        return waiting[:EACH]


def still_open(pairs: Iterable[tuple[str, str]], known: Mapping[str, Memory]) -> Sequence[Question]:
    """Return those pairs of older and newer memory that are not answered, and not moot."""
    return [
        Question(known[older], known[newer])
        for older, newer in pairs
        if older in known and newer in known and known[older].outdated_by == newer
    ]
