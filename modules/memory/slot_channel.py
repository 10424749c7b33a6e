"""The slots that a query asks for, by meaning: "Which game is my favourite?" asks for my board game.

The query is compared with what is stated of whom it names: the cosine of its vector to each slot's name ("the user's
board game") says how likely that slot is asked for, or none of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import AgentOSError
from ..facts.slots import PROJECT, USER
from ..stop_words import STOP_WORDS
from .calibration import FAMILIAR_SCALE, Scale
from .models import Vector
from .text_vectors import TextVectors
from .words import tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...storage.repositories.memories import MemoriesRepository

FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})
MAX_WORDS = 30
OF_SUBJECTS = 500
"""The most slots that are compared."""
TEMPERATURE, NONE = 0.09, 0.9
"""The softmax temperature over the sums of two cosines, and the sum of "none of these". Both give the questions of the
lifecycle benchmark's splits dev, fresh, blind and held_out the highest likelihood, with the asked slot and without."""
LIKELY = 0.1
CHOSEN = 3
"""The least chance of a slot, and the most slots, whose memories become candidates."""
MAX_CACHED = 8_000
"""The number of vectors of slots' names that are kept in memory: 12 MB."""
AT_ONCE = 32
"""The number of names that are embedded in one call."""
WAIT_S = 0.25
"""The longest that a query waits for names that are new."""

log = logging.getLogger(__name__)

StatedSlot = tuple[str, str]
"""A subject and one of its attributes, in canonical form."""


class SlotChannel:
    """Finds the slots that a query may ask for. One for all searches: it keeps the vectors of slots' names."""

    def __init__(self, repository: MemoriesRepository[Any], vectors: TextVectors) -> None:
        self._repository = repository
        self._vectors = vectors
        self._at_hand: OrderedDict[str, bytes] = OrderedDict()
        self._generation: int | None = None
        self._filling: asyncio.Task[None] | None = None
        self._failed = False

    async def candidates(self, namespace: str, text: str) -> list[StatedSlot]:
        """Return the slots of those whom a query names, by the words that it has in common with subjects.

        Those of the user and the project where it names nobody, or speaks of "my" or "our".
        """
        named = await self._repository.stated_of(namespace, subjects_in(text), OF_SUBJECTS)
        if named and not {*tokens(text)} & FIRST_PERSON:
            return named
        own = await self._repository.stated_of(namespace, [USER, PROJECT], OF_SUBJECTS)
        return list(dict.fromkeys([*named, *own]))[:OF_SUBJECTS]

    async def likely(
        self, slots: Sequence[StatedSlot], query: Vector, scale: Scale = FAMILIAR_SCALE
    ) -> list[tuple[StatedSlot, float]] | None:
        """Return the slots that a query may ask for and how likely, from 0 to 1; the likeliest first.

        None where not all of their names have a vector yet; what is missing is there for a later query. The `scale` is
        the model's.
        """
        if query.generation != await self._vectors.generation():
            return None  # made by an earlier model: the names would get vectors of the newer one
        if query.generation != self._generation:
            self._at_hand.clear()
            self._generation = query.generation
        names = {slot: (name_of(slot), slot[1]) for slot in slots}
        if not await self._filled([name for both in names.values() for name in both]):
            return None
        known = [(self._used(one), self._used(other)) for one, other in names.values()]
        chances = await asyncio.to_thread(_chances, known, query.data, scale)
        judged = sorted(zip(names, chances, strict=True), key=lambda one: -one[1])
        return [one for one in judged[:CHOSEN] if one[1] >= LIKELY]

    def close(self) -> None:
        """Stop embedding names. Does not block."""
        if self._filling is not None:
            self._filling.cancel()

    def _used(self, name: str) -> bytes:
        self._at_hand.move_to_end(name)
        return self._at_hand[name]

    async def _filled(self, names: Sequence[str]) -> bool:
        """Return whether all names have their vectors, after a wait of at most WAIT_S; the work goes on after that."""
        deadline = asyncio.get_running_loop().time() + WAIT_S
        while missing := [name for name in dict.fromkeys(names) if name not in self._at_hand]:
            if self._filling is None or self._filling.done():
                self._filling = asyncio.create_task(self._embed(missing), name="slot-names")
            left = deadline - asyncio.get_running_loop().time()
            done, _ = await asyncio.wait([self._filling], timeout=max(0.0, left))
            if not done or left <= 0 or self._failed:
                return all(name in self._at_hand for name in names)
        return True

    async def _embed(self, names: Sequence[str]) -> None:
        self._failed = False
        generation = self._generation
        try:
            for begin in range(0, len(names), AT_ONCE):
                batch = names[begin : begin + AT_ONCE]
                found = await self._vectors.vectors(batch)
                if generation != self._generation:
                    return
                self._at_hand |= zip(batch, found, strict=True)
        except AgentOSError as error:
            self._failed = True
            log.info("slots are not compared by meaning: %s", error)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in a library must not fail a search
            self._failed = True
            log.warning("slots are not compared by meaning: %s: %s", type(error).__name__, error)
        while len(self._at_hand) > MAX_CACHED:
            self._at_hand.popitem(last=False)


def subjects_in(text: str) -> list[str]:
    """Return the subjects that a text may name: its words one by one, two by two, and as the user's, each once."""
    words = [word for word in tokens(text) if word not in STOP_WORDS][:MAX_WORDS]
    pairs = [f"{one} {other}" for one, other in pairwise(words)]
    return list(dict.fromkeys((*words, *pairs, *(f"{USER}'s {word}" for word in words))))


def name_of(slot: StatedSlot) -> str:
    """Return a slot in words: "the user's board game"."""
    subject, attribute = slot
    article = "the " if subject in ("user", "project") or subject.startswith("user's ") else ""
    return f"{article}{subject}'s {attribute.removeprefix('my ')}"


def _chances(vectors: Sequence[tuple[bytes, bytes]], query: bytes, scale: Scale) -> list[float]:
    """Return how likely each slot is asked for, given the vectors of its name and of its attribute alone.

    A softmax over the sums of their cosines to the query, and that of none of them.
    """
    import numpy as np

    both: NDArray[np.float32] = np.frombuffer(b"".join(one + other for one, other in vectors), dtype="<f4")
    cosines = scale.of_all(both.reshape(len(vectors), 2, -1) @ np.frombuffer(query, dtype="<f4"))
    sums = np.append(cosines.sum(axis=1), np.float32(NONE))
    weights = np.exp((sums - sums.max()) / TEMPERATURE)
    return [float(chance) for chance in (weights / weights.sum())[:-1]]
