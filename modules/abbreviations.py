"""Abbreviated ids: the beginning of an id stands for the whole where it is the beginning of no other one."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import offload
from .errors import InvalidInput

if TYPE_CHECKING:
    from ..storage.repositories.ids import IdsRepository

SHOWN = 5
LEAST = 6
"""The fewest digits that an id is shown with."""
AT_ONCE = 100
"""The most ids that are looked up with one query."""
ALIKE = 1_000
"""The most ids that may share their first digits with those looked up: beyond it all are shown whole."""
REFERRING = ("label", "hints")
"""The fields of structured results with sentences that name ids."""
RECALLED = ("content", "text", "summary", "session", "newer")
"""Those with recalled text, or with names that people give."""
_BEGINNING = re.compile(r"[a-z]{2,8}_[0-9a-f]{4,19}")
"""The form of an id's beginning, with four digits or more; a whole id has twenty, and is never looked up here."""
_TOO_SHORT = re.compile(r"[a-z]{2,8}_[0-9a-f]{1,3}")
_WHOLE = re.compile(r"[a-z]{2,8}_[0-9a-f]{20}")
_NAMED = re.compile(r'="([a-z]{2,8}_[0-9a-f]{20})"|"(?:[^"\\\n]|\\.)*+"|\b([a-z]{2,8}_[0-9a-f]{20})\b')
"""An id in an answer, bare or as an argument; or quoted text, which stays as it is."""


class Abbreviations:
    """Finds the id that a beginning stands for, and the beginnings that stand for ids."""

    def __init__(self, index: "IdsRepository") -> None:
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

    async def in_text(self, namespace: str, text: str) -> str:
        """Return an answer with each id of the namespace as its shortest prefix; what it quotes stays."""
        found = await offload.read(
            len(text), lambda: {one for match in _NAMED.finditer(text) for one in match.groups()}
        )
        short = await self._shortened(namespace, (one for one in found if one))
        return await offload.read(len(text), lambda: _replaced(text, short)) if short else text

    async def in_fields(self, namespace: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Return a structured answer with each id of the namespace as its shortest prefix; recalled text stays."""
        size = offload.size(fields)
        short = await self._shortened(namespace, await offload.read(size, lambda: _ids_in(fields)))
        return await offload.read(size, lambda: _with(fields, short)) if short else fields

    async def of(self, namespace: str, ids: Iterable[str]) -> Mapping[str, str]:
        """Return what ids are shown as: their shortest prefixes, or they themselves where they are not known here."""
        given = list(ids)
        return {**{one: one for one in given}, **await self._shortened(namespace, given)}

    async def _shortened(self, namespace: str, ids: Iterable[str]) -> dict[str, str]:
        """Return the shortest prefix of LEAST digits or more of each id that the namespace has."""
        different = sorted(one for one in set(ids) if _WHOLE.fullmatch(one))
        short: dict[str, str] = {}
        for at in range(0, len(different), AT_ONCE):
            some = different[at : at + AT_ONCE]
            beginnings = {_beginning(one) for one in some}
            known = await self._index.alike(namespace, beginnings, ALIKE)
            if len(known) < ALIKE:
                groups: dict[str, list[str]] = {}
                for one in known:
                    groups.setdefault(_beginning(one), []).append(one)
                short |= {one: _prefix(one, groups[_beginning(one)]) for one in {*some} & {*known}}
        return short


def _beginning(full_id: str) -> str:
    return full_id[: full_id.index("_") + 1 + LEAST]


def _prefix(full_id: str, alike: Collection[str]) -> str:
    """Return the shortest beginning of an id that no other one of those alike has."""
    least = len(_beginning(full_id))
    return next(
        beginning
        for size in range(least, len(full_id) + 1)
        if sum(one.startswith(beginning := full_id[:size]) for one in alike) == 1
    )


def _replaced(text: str, short: Mapping[str, str]) -> str:
    def one(match: re.Match[str]) -> str:
        named, bare = match.groups()
        return f'="{short.get(named, named)}"' if named else short.get(bare, bare) if bare else match[0]

    return _NAMED.sub(one, text)


def _ids_in(value: Any) -> set[str]:
    if isinstance(value, str):
        return {match[0] for match in _WHOLE.finditer(value)}
    if isinstance(value, dict):
        return {*filter(_WHOLE.fullmatch, value)}.union(*map(_ids_in, value.values()))
    return set().union(*map(_ids_in, value)) if isinstance(value, list) else set()


def _with(value: Any, short: Mapping[str, str], field: str = "") -> Any:
    if isinstance(value, str):
        if field in RECALLED:
            return value
        return _replaced(value, short) if field in REFERRING else short.get(value, value)
    if isinstance(value, dict):
        return {short.get(name, name): _with(one, short, name) for name, one in value.items()}
    return [_with(one, short, field) for one in value] if isinstance(value, list) else value
