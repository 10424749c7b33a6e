"""The domain types of deeds."""

from collections.abc import Mapping
from datetime import datetime

from ..records import dataclass


@dataclass(frozen=True)
class Undo:
    """What takes an act back: a form of the dashboard, by its path and fields."""

    path: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Deed:
    """An act of a principal in a session of the dashboard: its name, where it led to, and what undoes it, if anything.

    `path` is that of the page it led to, `address` the whole with its query.
    """

    id: str
    namespace: str
    principal: str
    session: str
    at: datetime
    done: str
    path: str
    address: str
    undo: Undo | None
    undone_at: datetime | None = None
