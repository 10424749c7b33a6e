"""The tools for files of memories: a list of them, and one itself."""

from typing import Annotated

from pydantic import Field

from ...modules.agentos import AgentOS
from ...modules.attaching import MOST_SHOWN
from ...tools.tool import Tool
from . import views

TOOLSET = "attachments"


async def attachment_list(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str | None = None,
    limit: Annotated[int, Field(description="1 to 200")] = 20,
    offset: int = 0,
) -> views.ListedFiles:
    """List files of memories, the newest first, or those of one memory."""
    if memory_id is not None:
        return views.files(await agentos.attachments().of_memory(namespace, memory_id))
    found = await agentos.attachments().all(namespace, limit, offset)
    return views.files(found, offset + limit if len(found) == limit else 0)


async def attachment_get(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str,
    file: Annotated[str, Field(description="the beginning of its hash, if it has several")] = "",
) -> views.GivenFile:
    """Show a memory's picture; of another file what it is, and where its text is."""
    return views.GivenFile(namespace, *await agentos.attachments().get(namespace, memory_id, file, MOST_SHOWN))


TOOLS = (
    Tool(attachment_list, "List files", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(attachment_get, "Show a file", read_only=True, idempotent=True, toolset=TOOLSET),
)
