"""Which stated attributes a query asks for, by meaning: "What do I put on the table?" asks for my board game.

Rules read the slot of a query by its wording (`truth.questions`). This channel compares the query with what is stated
of whom it names: the cosine of its vector to each slot's name ("the user's board game") says how likely that slot is
asked for, or none of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ..errors import AgentOSError
from .models import Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OF_SUBJECTS = 500
"""The most slots that are compared, the last ones stated."""
TEMPERATURE, NONE = 0.09, 0.9
"""How sharply two cosines' sums tell slots apart, and the sum of "none of these". Both give the questions of the
lifecycle benchmark's splits dev, fresh, blind and held_out the highest likelihood, with the asked slot and without."""
LIKELY = 0.1
CHOSEN = 3
"""How many slots at most, and how likely at least, memories are taken of."""
KEPT = 4_000
"""So many vectors of slots' names are kept at hand: 6 MB."""
NEW_AT_ONCE = 200
"""So many names are embedded for one query at most, half a millisecond each; the others for the next ones."""
WAIT_S = 0.25

log = logging.getLogger(__name__)

StatedSlot = tuple[str, str]
"""A subject and one of its attributes, in canonical form."""


class StatedSlots(Protocol):
    """What is stated of whom."""

    async def stated_of(self, namespace: str, subjects: Sequence[str], limit: int) -> list[StatedSlot]:
        """The slots of some subjects, and of who is called by one of these as a first name; the last stated first."""


class NameVectors(Protocol):
    """Vectors of short texts."""

    async def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """A unit vector for each text, float32, little-endian. Raises AgentOSError without a model."""


class SlotChannel:
    """Finds the slots that a query may ask for. One for all searches: it keeps the vectors of slots' names."""

    def __init__(self, stated: StatedSlots, vectors: NameVectors) -> None:
        self._stated = stated
        self._vectors = vectors
        self._at_hand: OrderedDict[str, bytes] = OrderedDict()
        self._filling: asyncio.Task[None] | None = None

    async def candidates(self, namespace: str, text: str) -> list[StatedSlot]:
        """The slots of whom a query names; those of the user and the project where it names nobody else."""
        from ..truth.questions import subjects_in
        from ..truth.subjects import PROJECT, USER

        named = await asyncio.to_thread(subjects_in, text)
        slots = await self._stated.stated_of(namespace, sorted(named | {USER, PROJECT}), OF_SUBJECTS)
        of_named = [slot for slot in slots if slot[0] in named or slot[0] not in (USER, PROJECT)]
        return of_named or slots

    async def likely(self, slots: Sequence[StatedSlot], query: Vector) -> list[tuple[StatedSlot, float]]:
        """Those that a query may ask for, the likeliest first, from 0 to 1; what has no vector yet is left out."""
        names = {slot: (name_of(slot), slot[1]) for slot in slots}
        await self._fill([name for both in names.values() for name in both])
        hand = self._at_hand
        known = {
            slot: (hand[one], hand[other]) for slot, (one, other) in names.items() if one in hand and other in hand
        }
        if not known:
            return []
        chances = await asyncio.to_thread(_chances, list(known.values()), query.data)
        judged = sorted(zip(known, chances, strict=True), key=lambda one: -one[1])
        return [one for one in judged[:CHOSEN] if one[1] >= LIKELY]

    async def _fill(self, names: Sequence[str]) -> None:
        """Get the vectors that are missing, waiting at most WAIT_S; what takes longer is there for the next query."""
        missing = [name for name in dict.fromkeys(names) if name not in self._at_hand]
        if missing and (self._filling is None or self._filling.done()):
            self._filling = asyncio.create_task(self._embedded(missing[:NEW_AT_ONCE]), name="slot-names")
        if missing and self._filling is not None:
            await asyncio.wait([self._filling], timeout=WAIT_S)

    async def _embedded(self, names: Sequence[str]) -> None:
        try:
            found = await self._vectors.vectors(names)
        except AgentOSError as error:
            log.info("slots were not compared by meaning: %s", error)
            return
        self._at_hand |= zip(names, found, strict=True)
        while len(self._at_hand) > KEPT:
            self._at_hand.popitem(last=False)


def name_of(slot: StatedSlot) -> str:
    """A slot in words: "the user's board game"."""
    subject, attribute = slot
    article = "the " if subject in ("user", "project") or subject.startswith("user's ") else ""
    return f"{article}{subject}'s {attribute.removeprefix('my ')}"


def _chances(vectors: Sequence[tuple[bytes, bytes]], query: bytes) -> list[float]:
    """How likely each slot is asked for, given the vectors of its name and of its attribute alone.

    A softmax over the sums of their cosines to the query, and that of none of them.
    """
    import numpy as np

    both: NDArray[np.float32] = np.frombuffer(b"".join(one + other for one, other in vectors), dtype="<f4")
    cosines = (both.reshape(len(vectors), 2, -1) @ np.frombuffer(query, dtype="<f4")).sum(axis=1)
    sums = np.append(cosines, np.float32(NONE))
    weights = np.exp((sums - sums.max()) / TEMPERATURE)
    return [float(chance) for chance in (weights / weights.sum())[:-1]]
