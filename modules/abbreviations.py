"""Abbreviated ids: the beginning of an id stands for the whole where it is the beginning of no other one."""

import re
from typing import Protocol

from .errors import InvalidInput

SHOWN = 5
_BEGINNING = re.compile(r"[a-z]{2,8}_[0-9a-f]{4,19}")
"""The form of an id's beginning, with four digits or more; a whole id has twenty, and is never looked up here."""
_TOO_SHORT = re.compile(r"[a-z]{2,8}_[0-9a-f]{1,3}")


class IdIndex(Protocol):
    """The ids that a store holds."""

    async def beginning_with(self, namespace: str, beginning: str, limit: int) -> list[str]:
        """Return at most `limit` ids of a namespace, and of what all agents share, that begin so."""


class Abbreviations:
    """Finds the id that a beginning stands for."""

    def __init__(self, index: IdIndex) -> None:
        self._index = index

    async def expand(self, namespace: str, field: str, given: str) -> str:
        """Return the only id with this prefix; a text that is no prefix is returned unchanged.

        Raises InvalidInput, naming the field, where several ids begin so, or too many might.
        """
        if _TOO_SHORT.fullmatch(given):
            raise InvalidInput(field, f"{given} is too short; give at least four digits of the id")
        if not _BEGINNING.fullmatch(given):
            return given
        found = await self._index.beginning_with(namespace, given, SHOWN + 1)
        if len(found) > 1:
            matches = ", ".join(found[:SHOWN]) + (", …" if len(found) > SHOWN else "")
            raise InvalidInput(field, f"{given} matches several ids: {matches}; give more characters")
        return found[0] if found else given
