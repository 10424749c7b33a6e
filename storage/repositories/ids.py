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

AT_ONCE = 100
"""How many beginnings one query looks up."""


class IdsRepository:
    """The ids that a store holds."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def beginning_with(self, namespace: str, beginning: str, limit: int) -> list[str]:
        """Return at most `limit` ids of a namespace, and of what all agents share, that begin so."""
        return await self.alike(namespace, (beginning,), limit)

    async def alike(self, namespace: str, beginnings: Collection[str], limit: int) -> list[str]:
        """Return at most `limit` ids of them that begin as one of `beginnings` does."""
        by_table: dict[str, list[str]] = {}
        for one in beginnings:
            if (table := _TABLES.get(one.partition("_")[0])) is not None:
                by_table.setdefault(table, []).append(one)
        found: list[str] = []
        for table, of_table in by_table.items():
            for some in (of_table[at : at + AT_ONCE] for at in range(0, len(of_table), AT_ONCE)):
                rows = await self._engine.read(_query(table, len(some)), (namespace, GLOBAL, limit, *_ranges(some)))
                found += [row["id"] for row in rows]
        return found


def _query(table: str, count: int) -> str:
    """Return the query for ids in so many ranges: a search of the index for each, as OR may be read as a scan of all.

    By the index of ids alone, since a namespace may have a million.
    """
    within = "id >= ?{} AND id < ?{} AND namespace || '' IN (?1, ?2)"
    each = (f"SELECT id FROM {table} WHERE {within.format(4 + 2 * place, 5 + 2 * place)}" for place in range(count))
    return f"{' UNION '.join(each)} ORDER BY id LIMIT ?3"


def _ranges(beginnings: Collection[str]) -> list[str]:
    return [end for one in beginnings for end in (one, f"{one}g")]  # g comes after every hexadecimal digit
