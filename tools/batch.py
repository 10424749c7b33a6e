"""Storing many memories in one call: each is taken or refused by itself."""

from typing import Annotated, Any

from pydantic import Field, SkipValidation

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.errors import AgentOSError, InvalidInput
from ..modules.memory import named_dates
from ..modules.sessions.models import Project
from ..modules.store_request import StoreRequest
from ..modules.views import stored as views
from . import arguments
from .arguments import as_meant, spelled_out
from .memory import memory_store, placed
from .tool import Tool

TOOLSET = "batch"
MAX_MEMORIES = 200

_MODEL = arguments.model_of(memory_store, ())
_SCHEMA = _MODEL.model_json_schema()


async def memory_store_batch(
    agentos: AgentOS,
    namespace: str,
    here: Project | None = None,
    *,
    memories: Annotated[
        list[SkipValidation[dict[str, Any]]],
        Field(min_length=1, max_length=MAX_MEMORIES, description="each as memory_store takes it"),
    ],
) -> views.StoredBatch:
    """Store many memories, each by itself; refused ones are named by position, from 0."""
    inputs.count("memories", len(memories), 1, MAX_MEMORIES)
    accepted: list[views.StoredOne] = []
    refused: list[views.RefusedOne] = []
    for index, given in enumerate(memories):
        try:
            stored = await agentos.memory.store(namespace, await _request(agentos, namespace, given, here))
        except AgentOSError as error:
            field = error.field if isinstance(error, InvalidInput) else None
            refused.append(views.RefusedOne(index, error.code, str(error), field))
        else:
            accepted.append(views.StoredOne(index, stored.memory.id, stored.duplicate))
    return views.StoredBatch(tuple(accepted), tuple(refused))


async def _request(agentos: AgentOS, namespace: str, given: object, here: Project | None) -> StoreRequest:
    if not isinstance(given, dict):
        raise InvalidInput("memories", 'has an entry that is not an object; write {"content": "…"}')
    checked = arguments.parse(_MODEL, as_meant(_SCHEMA, given))
    expanded = await named_dates.spelled_out(await spelled_out(agentos, namespace, checked), agentos.clock())
    project = expanded.pop("project")
    request = StoreRequest(**{name: value for name, value in expanded.items() if value is not None})
    return await placed(agentos, namespace, request, project, here)


BATCH_TOOLS = (
    Tool(memory_store_batch, "Store many memories", idempotent=True, toolset=TOOLSET, stores=True, is_placed=True),
)
