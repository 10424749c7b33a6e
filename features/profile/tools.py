"""The profile tools: facts about the user, under canonical keys, with their evidence."""

from typing import Annotated

from pydantic import Field

from ...modules.agentos import AgentOS
from ...tools.tool import Tool
from . import views
from .wiring import profile_service

TOOLSET = "profile"


async def profile_get(
    agentos: AgentOS,
    namespace: str,
    *,
    keys: Annotated[list[str] | None, Field(description="only these, such as work.employer")] = None,
    include_history: bool = False,
    include_knowledge: bool = True,
    include_assistant_knowledge: bool = False,
) -> views.ProfileView:
    """Read the user's profile: attributes by key, traits with evidence, facts from conversations."""
    profile = await profile_service(agentos).get(
        namespace,
        keys,
        include_history=include_history,
        include_knowledge=include_knowledge,
        include_assistant_knowledge=include_assistant_knowledge,
    )
    return views.profile(profile, with_empty=bool(keys))


async def profile_set(agentos: AgentOS, namespace: str, *, key: str, value: str) -> views.EntryView:
    """Set a user attribute, such as work.employer. The old value stays in the history."""
    return views.entry(await profile_service(agentos).set(namespace, key, value))


TOOLS = (
    Tool(profile_get, "User profile", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(profile_set, "Set an attribute of the user", idempotent=True, toolset=TOOLSET),
)
"""Both work without a language model."""
