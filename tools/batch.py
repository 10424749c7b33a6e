"""Storing many memories in one call: each is taken or refused by itself."""

from typing import Annotated, Any

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.errors import AgentOSError, InvalidInput
from ..modules.store_request import StoreRequest
from ..modules.views import stored as views
from . import arguments
from .client_values import as_meant
from .memory import memory_store
from .tool import Tool

TOOLSET = "batch"
MAX_MEMORIES = 200

_MODEL = arguments.model_of(memory_store, ())
_SCHEMA = _MODEL.model_json_schema()


async def memory_store_batch(
    agentos: AgentOS,
    namespace: str,
    *,
    memories: Annotated[list[dict[str, Any]], Field(description="each as memory_store takes it; at most 200")],
) -> views.StoredBatch:
    """Keep many memories, each by itself: those that are refused are named by their place, from 0."""
    inputs.count("memories", len(memories), 1, MAX_MEMORIES)
    kept: list[views.KeptOne] = []
    refused: list[views.RefusedOne] = []
    for index, given in enumerate(memories):
        try:
            checked = arguments.parse(_MODEL, as_meant(_SCHEMA, given))
            stored = await agentos.memory.store(namespace, _request(checked))
        except AgentOSError as error:
            field = error.field if isinstance(error, InvalidInput) else None
            refused.append(views.RefusedOne(index, error.code, str(error), field))
        else:
            kept.append(views.KeptOne(index, stored.memory.id, stored.duplicate))
    return views.StoredBatch(tuple(kept), tuple(refused))


def _request(checked: dict[str, Any]) -> StoreRequest:
    given = {name: value for name, value in checked.items() if value is not None}
    return StoreRequest(**given)


BATCH_TOOLS = (Tool(memory_store_batch, "Store many memories", idempotent=True, toolset=TOOLSET),)
