"""Ids found by their beginning."""

from collections.abc import Collection, Mapping

from ...modules.identifiers import GLOBAL
from ..engine.ports import Engine

_TABLES: Mapping[str, str] = {
    "mem": "memories",
    "goal": "goals",
    "ins": "insights",
    "task": "insights",
    "ses": "sessions",
    "seg": "segments",
    "chg": "changes",
    "con": "consolidations",
    "apr": "approvals",
}
"""The tables of records, by the prefix of their ids."""


class IdsRepository:
    """Implements `modules.abbreviations.IdIndex`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def beginning_with(self, namespace: str, beginning: str, limit: int) -> list[str]:
        return await self.alike(namespace, (beginning,), limit)

    async def alike(self, namespace: str, beginnings: Collection[str], limit: int) -> list[str]:
        by_table: dict[str, list[str]] = {}
        for one in beginnings:
            if (table := _TABLES.get(one.partition("_")[0])) is not None:
                by_table.setdefault(table, []).append(one)
        found: list[str] = []
        for table, some in by_table.items():
            rows = await self._engine.read(_query(table, len(some)), (*_ranges(some), namespace, GLOBAL, limit))
            found += [row["id"] for row in rows]
        return found


def _query(table: str, count: int) -> str:
    """Return the query for ids in so many ranges: by the index of ids alone, since a namespace may have a million."""
    within = " OR ".join(["id >= ? AND id < ?"] * count)
    return f"SELECT id FROM {table} WHERE ({within}) AND namespace || '' IN (?, ?) ORDER BY id LIMIT ?"


def _ranges(beginnings: Collection[str]) -> list[str]:
    return [end for one in beginnings for end in (one, f"{one}g")]  # g comes after every hexadecimal digit
