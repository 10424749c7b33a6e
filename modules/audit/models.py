"""The domain types of the audit log."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ..records import dataclass


@dataclass(frozen=True)
class AuditEntry:
    """One change: of which record (`subject`), by whom, by which door, in which request; never with its text.

    `principal`, `door` and `request_id` are "" in entries from before identities were kept, or from a bundle.
    """

    number: int
    at: datetime
    principal: str
    door: str
    request_id: str
    namespace: str
    action: str
    subject: str
    detail: Mapping[str, Any]


@dataclass(frozen=True)
class Head:
    """The end of the chain: the number of the last entry, its hash, and how many entries there are.

    Kept elsewhere (printed, mailed), it also shows a log that was cut and whose end was forged.
    """

    number: int
    hash: str
    entries: int


@dataclass(frozen=True)
class Verification:
    """The faults of the chain, each with the entry's number, and the chain's end."""

    faults: tuple[str, ...]
    head: Head
