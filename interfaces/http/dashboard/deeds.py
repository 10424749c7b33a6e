"""What was done in the browsers' sessions, and what undoes it: for the notice after an act, and for the history.

It is kept for as long as the server runs: no address and no cookie holds it, and no other session is told of it.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ....modules import recent
from .visit import Undo

OFFERED = timedelta(minutes=10)
"""How long the page after an act offers to undo it; the history does so later."""
MOST, MOST_SESSIONS = 50, 1_000


@dataclass(frozen=True)
class Deed:
    """An act: when, its name among the texts, the page that it led to with its whole address, and what undoes it."""

    at: datetime
    namespace: str
    done: str
    path: str
    address: str
    undo: Undo | None
    is_undone: bool = False


class Deeds:
    """The last acts of the last sessions; one for each serving process."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, deque[Deed]] = OrderedDict()

    def note(self, session: str, deed: Deed) -> None:
        """Keep an act of a session, in the place of the oldest beyond MOST."""
        recent.used(self._of, session, lambda: deque(maxlen=MOST), MOST_SESSIONS).appendleft(deed)

    def of(self, session: str, namespace: str) -> Sequence[Deed]:
        """Return the acts of a session in a namespace, the newest first."""
        return [one for one in self._of.get(session, ()) if one.namespace == namespace]

    def offered(self, session: str, address: str, now: datetime) -> Undo | None:
        """Return what undoes the last act of a session, on the page that it led to."""
        last = next(iter(self._of.get(session, ())), None)
        is_here = last is not None and last.address == address and now < last.at + OFFERED
        return last.undo if last is not None and is_here and not last.is_undone else None

    def undone(self, session: str, undo: Undo) -> str:
        """Note that the newest act that a form undoes was undone by it, and return its name."""
        acts = self._of.get(session, deque())
        for place, deed in enumerate(acts):
            if deed.undo == undo and not deed.is_undone:
                acts[place] = replace(deed, is_undone=True)
                return deed.done
        return ""
