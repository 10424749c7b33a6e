"""The core routes of memoryOSS: store, recall, update, feedback, forget, consolidate, inspect, tokens, health."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, SkipValidation

from ....interfaces.http.rest.operations import OfFunction, OperationRequest
from ....interfaces.http.rest.route import Route
from ....modules import inputs
from ....modules.agentos import AgentOS
from ....modules.errors import InvalidInput, NotFound
from ....modules.memory.lifecycle_service import AGENT
from ....modules.memory.models import MemoryFilter, SearchResult
from ....modules.memory.service import MemoryChanges
from ....modules.principals.models import Role
from ....modules.principals.tokens import TokenService
from ....modules.store_request import StoreRequest
from ....tools import arguments
from ....tools.arguments import as_meant
from ....tools.filters import Type, filter_of
from ....tools.tool import Tool
from .memoryoss_records import found, looked_at, record, sealed_found
from .reply import CompatReply

MAX_FOUND = 100
MAX_STORED, MAX_ASKED = 200, 10
MAX_FORGOTTEN = 1_000
MAX_TAGS = 8
TOKEN_S = 3_600
"""How long a token opens what its key does."""
Embedding = Annotated[list[float], Field(max_length=4096)]
Objects = list[SkipValidation[dict[str, Any]]]


async def health(agentos: AgentOS, namespace: str) -> CompatReply:
    """Tell that the server answers, and how much the namespace holds."""
    total = (await agentos.memory.page(namespace, MemoryFilter(), 1)).total
    return CompatReply({"status": "ok", "memory_mode": "full", "total_memories": total})


async def issue_token(asked: OperationRequest) -> dict[str, Any]:
    """Make a token that opens for an hour what the key does."""
    tokens = TokenService((await asked.agentos()).principals)
    made = await tokens.issue(asked.caller, asked.key, Role(asked.caller.role), None, TOKEN_S)
    return {"token": made.secret, "expires_in": TOKEN_S}


async def store(
    agentos: AgentOS,
    namespace: str,
    *,
    content: str,
    tags: list[str] | None = None,
    agent: str | None = None,
    session: str | None = None,
    memory_type: Type = "semantic",
    zero_knowledge: bool = False,
    embedding: Embedding | None = None,
) -> CompatReply:
    """Keep a text, or one that the client has encrypted, under a vector of its own."""
    if zero_knowledge:
        if embedding is None:
            raise InvalidInput("embedding", "is required with zero_knowledge: the server cannot compute it")
        if (tags or None, agent, session) != (None, None, None):
            raise InvalidInput("zero_knowledge", "accepts only content and embedding, since the rest would be readable")
        sealed = await agentos.sealed.store(namespace, content, embedding)
        return CompatReply({"id": sealed.memory.id, "version": 1})
    if embedding is not None:
        raise InvalidInput("embedding", "is allowed only with zero_knowledge; for other texts the server computes it")
    request = StoreRequest(content, memory_type, tags=tags or (), source=agent or "", session=session)
    stored = (await agentos.memory.store(namespace, request)).memory
    return CompatReply({"id": stored.id, "version": stored.version})


async def store_batch(agentos: AgentOS, namespace: str, *, memories: Objects) -> CompatReply:
    """Keep several texts; the first that cannot be kept ends it, those before it stay."""
    inputs.count("memories", len(memories), 1, MAX_STORED)
    checked = [_checked("memories", place, given, namespace, _STORE) for place, given in enumerate(memories)]
    return CompatReply({"stored": [(await store(agentos, namespace, **one)).content for one in checked]})


async def recall(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    limit: int = 10,
    agent: str | None = None,
    session: str | None = None,
    memory_type: Type | None = None,
    tags: Annotated[list[str] | None, Field(description="any of them")] = None,
    consistency: Literal["strong", "eventual"] | None = None,
    before: str | None = None,
    after: str | None = None,
    cursor: str | None = None,
    query_embedding: Embedding | None = None,
) -> CompatReply:
    """Find memories, best first; with a vector of the client's own, what is zero knowledge."""
    inputs.count("limit", limit, 1, MAX_FOUND)
    restricting = (agent, session, memory_type, tags, before, after, cursor)
    if query_embedding is not None:
        if any(one is not None for one in restricting):
            raise InvalidInput("query_embedding", "finds zero-knowledge memories, which no other argument can filter")
        return CompatReply(sealed_found(await agentos.sealed.search(namespace, query_embedding, limit)))
    where = replace(filter_of(memory_type, None, after, before, 0.0, session), source=agent)
    named = list(dict.fromkeys(tags or ()))
    inputs.count("tags", len(named), 0, MAX_TAGS)
    if cursor is not None and len(named) > 1:
        raise InvalidInput("cursor", "works with at most one tag")

    async def with_tags(wanted: Sequence[str]) -> SearchResult:
        chosen = replace(where, tags=inputs.tags("tags", wanted))
        return await agentos.memory.search(namespace, query, chosen, limit, cursor, consistency=consistency)

    if len(named) < 2:
        return CompatReply(found(await with_tags(named), limit))
    results = await asyncio.gather(*(with_tags([one]) for one in named))
    unique = {hit.memory.id: hit for one in results for hit in one.hits}
    best = sorted(unique.values(), key=lambda hit: -hit.score)
    return CompatReply(found(replace(results[0], hits=tuple(best), next_cursor=None), limit))


async def recall_batch(agentos: AgentOS, namespace: str, *, queries: Objects) -> CompatReply:
    """Answer several queries, at most ten."""
    inputs.count("queries", len(queries), 1, MAX_ASKED)
    checked = [_checked("queries", place, given, namespace, _RECALL) for place, given in enumerate(queries)]
    return CompatReply({"results": [(await recall(agentos, namespace, **one)).content for one in checked]})


async def update(
    agentos: AgentOS,
    namespace: str,
    *,
    id: str,
    content: str | None = None,
    tags: list[str] | None = None,
    memory_type: Type | None = None,
) -> CompatReply:
    """Correct a memory; its earlier state stays in its history."""
    updated = await agentos.memory.update(namespace, id, MemoryChanges(content, memory_type, tags=tags))
    return CompatReply({"id": updated.id, "version": updated.version, "updated_at": updated.updated_at})


async def feedback(
    agentos: AgentOS,
    namespace: str,
    *,
    id: str,
    action: Literal["confirm", "reject", "supersede"],
    superseded_by: str | None = None,
) -> CompatReply:
    """Say that a memory proved right, wrong, or was replaced by another."""
    memory, _ = await agentos.lifecycle.feedback(namespace, id, action, superseded_by)
    return CompatReply({**record(memory), "action": action, "superseded_by": superseded_by})


async def forget(
    agentos: AgentOS,
    namespace: str,
    *,
    ids: list[str] | None = None,
    agent: str | None = None,
    session: str | None = None,
    tags: list[str] | None = None,
    before: str | None = None,
) -> CompatReply:
    """Erase memories by their ids, or all that the other arguments match, for good."""
    others = (agent, session, tags, before)
    if ids is None:
        if tags is not None and len(tags) > 1:
            raise InvalidInput("tags", "give one at a time: matching any of them is more than matching all of them")
        where = replace(filter_of(None, tags, None, None, 0.0, session, before=before), source=agent)
        return CompatReply({"deleted": await agentos.memory.delete_where(namespace, where)})
    if any(one is not None for one in others):
        raise InvalidInput("ids", "give either ids or the other arguments")
    inputs.count("ids", len(ids), 1, MAX_FORGOTTEN)
    known = [one for one in dict.fromkeys(ids) if await _is_there(agentos, namespace, one)]
    if known:
        await agentos.memory.delete(namespace, *known)
    return CompatReply({"deleted": len(known)})


async def consolidate(
    agentos: AgentOS, namespace: str, *, threshold: float = 0.9, max_clusters: int = 50, dry_run: bool = False
) -> CompatReply:
    """Archive the newer of two memories that are the same text; each step can be reverted."""
    least = inputs.unit_interval("threshold", threshold)
    limit = inputs.count("max_clusters", max_clusters, 1, MAX_STORED)
    before = (await agentos.memory.page(namespace, MemoryFilter(), 1)).total
    if dry_run:
        steps = await agentos.upkeep.consolidation(namespace, limit, least=least)
    else:
        steps = await agentos.upkeep.consolidate(namespace, AGENT, limit, least=least)
    groups = [
        {
            "kept": step.retained.id,
            "merged": [step.archived.id],
            "avg_similarity": round(step.similarity, 4),
            "derived_id": None,
            "source_ids": [step.retained.id, step.archived.id],
        }
        for step in steps
    ]
    after = before if dry_run else (await agentos.memory.page(namespace, MemoryFilter(), 1)).total
    rate = round(len(groups) / before, 4) if before else 0.0
    return CompatReply(
        {
            "groups": groups,
            "total_merged": len(groups),
            "merged_count": len(groups),
            "derived_created": 0,
            "active_before": before,
            "active_after": after,
            "active_reduction": before - after,
            "duplicate_rate_before": rate,
            "duplicate_rate_after": rate if dry_run else 0.0,
            "dry_run": dry_run,
        }
    )


async def inspect(agentos: AgentOS, namespace: str, *, id: str) -> CompatReply:
    """Read a memory whole, with its earlier versions and what it is related to."""
    memory, versions = await agentos.memory.get(namespace, id)
    successors = await agentos.lifecycle.successors(namespace, [memory])
    return CompatReply(looked_at(memory, versions, await agentos.memory.lineage(memory), successors.get(memory.id)))


async def peek(agentos: AgentOS, namespace: str, *, id: str) -> CompatReply:
    """Read what a memory is, without its text."""
    memory, _ = await agentos.memory.get(namespace, id)
    return CompatReply({name: value for name, value in record(memory).items() if name != "content"})


async def _is_there(agentos: AgentOS, namespace: str, memory_id: str) -> bool:
    try:
        await agentos.memory.get(namespace, memory_id)
    except NotFound:
        return False
    return True


_STORE = arguments.model_of(store, ("namespace",))
_RECALL = arguments.model_of(recall, ("namespace",))


def _checked(field: str, place: int, given: object, namespace: str, model: Any) -> dict[str, Any]:
    """Return the arguments of one entry, which may name no other namespace than the call. Raises InvalidInput."""
    if not isinstance(given, dict):
        raise InvalidInput(field, f"entry {place} is not an object")
    checked = arguments.parse(model, as_meant(model.model_json_schema(), given))
    named = checked.pop("namespace")
    if named not in (None, namespace):
        raise InvalidInput(field, f"entry {place} names another namespace; name it once, next to {field}")
    return checked


_NAMED = ("namespace",)
ROUTES = (
    (Route("GET", "/health", "health"), Tool(health, "Health", read_only=True, idempotent=True, namespace_in=_NAMED)),
    (Route("POST", "/v1/auth/token", "issue_token"), OfFunction(issue_token, Role.READER)),
    (Route("POST", "/v1/store", "store"), Tool(store, "Store", idempotent=True, stores=True, namespace_in=_NAMED)),
    (
        Route("POST", "/v1/store/batch", "store_batch"),
        Tool(store_batch, "Store several", idempotent=True, stores=True, namespace_in=_NAMED),
    ),
    (
        Route("POST", "/v1/recall", "recall"),
        Tool(recall, "Recall", read_only=True, idempotent=True, namespace_in=_NAMED),
    ),
    (
        Route("POST", "/v1/recall/batch", "recall_batch"),
        Tool(recall_batch, "Recall several", read_only=True, idempotent=True, namespace_in=_NAMED),
    ),
    (Route("PATCH", "/v1/update", "update"), Tool(update, "Update", edits=True, namespace_in=_NAMED)),
    (Route("POST", "/v1/feedback", "feedback"), Tool(feedback, "Judge", namespace_in=_NAMED)),
    (
        Route("DELETE", "/v1/forget", "forget", sends=True),
        Tool(forget, "Forget", destructive=True, idempotent=True, namespace_in=_NAMED),
    ),
    (
        Route("POST", "/v1/consolidate", "consolidate"),
        Tool(consolidate, "Consolidate", idempotent=True, namespace_in=_NAMED),
    ),
    (
        Route("GET", "/v1/inspect/{id}", "inspect"),
        Tool(inspect, "Inspect", read_only=True, idempotent=True, namespace_in=_NAMED),
    ),
    (
        Route("GET", "/v1/peek/{id}", "peek"),
        Tool(peek, "Peek", read_only=True, idempotent=True, namespace_in=_NAMED),
    ),
)
