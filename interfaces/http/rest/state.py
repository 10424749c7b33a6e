"""The state of the server: its components, and what its tools are used for."""

from collections.abc import Mapping
from dataclasses import astuple
from datetime import date
from typing import Annotated

from pydantic import Field

from ....modules.records import dataclass
from ....modules.version import VERSION
from .operations import OperationRequest

FINE = frozenset({"ok", "off"})
"""The states of components that work, or that the settings switch off."""


@dataclass(frozen=True)
class Health:
    """The state of each component; `ok` where each of them works, or is switched off."""

    ok: bool
    version: str
    components: Mapping[str, str]


@dataclass(frozen=True)
class UsageRow:
    """Calls of a tool on a day, and how much of what it gave was used."""

    day: date
    namespace: str
    client: str
    tool: str
    calls: int
    failures: int
    characters: int
    hits: int
    used: int
    unanswered: int = 0
    helpful: int = 0


@dataclass(frozen=True)
class UsageReport:
    """The counts of the namespaces that the caller may read."""

    results: tuple[UsageRow, ...]


async def health(asked: OperationRequest) -> Health:
    """Tell the state of each component."""
    components = await asked.behind.components()
    return Health(all(state in FINE for state in components.values()), VERSION, components)


async def usage(
    asked: OperationRequest, *, days: Annotated[int, Field(ge=1, le=365)] = 30, namespace: str | None = None
) -> UsageReport:
    """Tell what the tools are used for, day by day, in the namespaces that the caller may read."""
    wanted = None if namespace is None else asked.caller.reading(namespace, "namespace")
    counts = await (await asked.agentos()).usage.since(days)
    rows = [
        UsageRow(key.day, key.namespace, key.client, key.tool, *astuple(one))
        for key, one in counts.items()
        if asked.caller.right_over(key.namespace) is not None and wanted in (None, key.namespace)
    ]
    return UsageReport(tuple(sorted(rows, key=lambda row: (row.day, row.namespace, row.client, row.tool))))
