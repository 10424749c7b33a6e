"""Ids found by their beginning."""

from collections.abc import Mapping

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
}
"""The tables of records, by the prefix of their ids."""


class IdsRepository:
    """Implements `modules.abbreviations.IdIndex`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def beginning_with(self, namespace: str, beginning: str, limit: int) -> list[str]:
        table = _TABLES.get(beginning.partition("_")[0])
        if table is None:
            return []
        rows = await self._engine.read(
            f"SELECT id FROM {table} WHERE namespace IN (?, ?) AND id >= ? AND id < ? ORDER BY id LIMIT ?",
            (namespace, GLOBAL, beginning, f"{beginning}g", limit),  # g comes after every hexadecimal digit
        )
        return [row["id"] for row in rows]
