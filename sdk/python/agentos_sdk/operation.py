"""An operation of the server, as the table of all of them describes it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Operation:
    """How an operation is asked for.

    `once` operations take an Idempotency-Key; `repeatable` ones do no more when they are done twice; `namespaced` ones
    may be given another namespace than the key's own.
    """

    method: str
    path: str
    sends: Literal["query", "body", "bundle", "file"]
    namespaced: bool
    once: bool
    repeatable: bool
