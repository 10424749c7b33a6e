"""The tool over other names: which are joined, which may be, and the word that decides."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput
from ..modules.framing import NOTICE, quote
from ..modules.graph.models import OtherName
from .tool import Tool

TOOLSET = "graph"
LABEL = 120


@dataclass(frozen=True)
class OtherNameView:
    """Two names that are alike: `standing` is alias (joined), suggested (nothing happens), or rejected."""

    id: str
    standing: str
    alias: str
    canonical: str
    alias_node: str
    canonical_node: str
    basis: str
    score: float


@dataclass(frozen=True)
class OtherNames:
    """Names that were found to be alike, suggestions first."""

    results: list[OtherNameView]
    method: str


async def graph_aliases(
    agentos: AgentOS,
    namespace: str,
    *,
    id: Annotated[str | None, Field(description="decide about this pair")] = None,
    accept: Annotated[bool | None, Field(description="false also undoes a join")] = None,
    limit: int = 50,
) -> OtherNames:
    """Names found to be one thing's, or that may be; with id and accept, decide."""
    if (id is None) != (accept is None):
        raise InvalidInput("accept", "goes with id: which pair, and whether its names are one thing's")
    if id is not None and accept is not None:
        await agentos.aliases.decide(namespace, id, accept=accept)
    found = await agentos.aliases.listed(namespace, limit)
    return OtherNames([_view(each) for each in found], "rules")


def _view(each: OtherName) -> OtherNameView:
    return OtherNameView(
        each.id,
        each.standing.value,
        each.alias.label,
        each.canonical.label,
        each.alias.id,
        each.canonical.id,
        each.basis,
        round(each.score, 4),
    )


def _text(found: OtherNames) -> str:
    lines = [
        f"- {each.id} {each.standing}: {quote(each.alias, LABEL)} = {quote(each.canonical, LABEL)} ({each.basis})"
        for each in found.results
    ]
    return "\n".join([NOTICE, *lines]) if lines else "No names were found to be alike."


GRAPH_NAME_TOOLS = (Tool(graph_aliases, "Other names", _text, idempotent=True, toolset=TOOLSET),)
