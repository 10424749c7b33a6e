"""Arguments that name records, for which the beginning of an id is enough."""

from collections.abc import Mapping
from typing import Any

from ..modules.agentos import AgentOS

ARGUMENTS = frozenset(
    {
        *("by", "consolidation", "goal_id", "id", "insight_id", "memory_id", "memory_ids", "parent_goal_id"),
        *("segment", "supersedes"),
    }
)
"""The arguments that hold ids, in every tool."""


MOST = 100
"""The most ids that are spelled out for one argument: more than any tool takes, which refuses a longer list itself."""


async def spelled_out(agentos: AgentOS, namespace: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with whole ids. Raises InvalidInput where a beginning is that of several."""

    async def whole(name: str, value: Any) -> Any:
        if isinstance(value, str):
            return await agentos.abbreviations.whole(namespace, name, value)
        if not isinstance(value, list) or len(different := dict.fromkeys(value)) > MOST:
            return value
        ids = {one: await whole(name, one) for one in different}
        return [ids[one] for one in value]

    return {name: await whole(name, value) if name in ARGUMENTS else value for name, value in given.items()}
