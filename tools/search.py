"""The search tool."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from ..modules import offload
from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput
from ..modules.identifiers import Source
from ..modules.memory.models import SearchResult
from ..modules.sessions.models import Project
from ..modules.views.labels import labels_of, without_ids
from ..modules.views.search import SearchResults, found
from .filters import Moment, Tags, Type, filter_of
from .tool import Tool


async def memory_search(
    agentos: AgentOS,
    namespace: str,
    sources: Sequence[Source] = (),
    here: Project | None = None,
    *,
    query: str,
    limit: int = 5,
    memory_type: Type | None = None,
    tags: Tags = None,
    since: Moment = None,
    until: str | None = None,
    min_importance: float = 0.0,
    session: str | None = None,
    project: str | None = None,
    as_of: str | None = None,
    include_superseded: bool = False,
    detail: Literal["lean", "compact", "full"] = "lean",
    explain: bool = False,
    cursor: str | None = None,
) -> SearchResults:
    """Find memories; use before answering from the past."""
    reach = await agentos.projects.reach(namespace, project, here, [one.namespace for one in sources])
    where = filter_of(
        memory_type,
        tags,
        since,
        until,
        min_importance,
        session,
        as_of=as_of,
        include_superseded=include_superseded,
        reach=reach,
    )
    result = await agentos.memory.search(namespace, query, where, limit, cursor, also=sources)
    view = await _view(agentos, namespace, sources, result, detail, explain=explain)
    elsewhere = await agentos.projects.elsewhere(namespace, Counter(result.elsewhere.values()))
    return replace(view, elsewhere=elsewhere) if cursor is None else view


async def _view(
    agentos: AgentOS, namespace: str, sources: Sequence[Source], result: SearchResult, detail: str, *, explain: bool
) -> SearchResults:
    """Return the view of what a search of several namespaces has found."""
    partly = {one.namespace for one in sources if one.tag is not None} - {namespace}
    result = replace(result, hits=without_ids(result.hits, partly), misses=without_ids(result.misses, partly))
    labels = await labels_of(
        agentos.lifecycle, namespace, [hit.memory for hit in (*result.hits, *result.doubted)], partly
    )
    own = [hit.memory for hit in result.hits if hit.memory.namespace not in partly] if explain else []
    trusts = await agentos.trust.of(own)
    chars = offload.length(hit.memory.content for hit in result.hits)
    return await offload.read(chars, partial(found, result, labels, detail, explain=explain, trusts=trusts))


async def memory_search_across(
    agentos: AgentOS,
    namespace: str,
    sources: Sequence[Source] = (),
    *,
    query: str,
    limit: int = 5,
    tags: Tags = None,
    since: Moment = None,
    detail: Literal["lean", "compact", "full"] = "lean",
    cursor: str | None = None,
    federated: Annotated[bool, Field(description="only others'; older and less trusted score lower")] = False,
) -> SearchResults:
    """Find memories in other namespaces, such as a team's, and your own; others' are labelled."""
    others = [one for one in sources if one.namespace != namespace]
    if federated and not others:
        raise InvalidInput("namespaces", "names no other namespace")
    where = filter_of(None, tags, since, None, 0.0, None)
    also = others if federated else sources
    result = await agentos.memory.search(namespace, query, where, limit, cursor, also=also, federated=federated)
    return await _view(agentos, namespace, also, result, detail, explain=False)


SEARCH_TOOLS = (
    Tool(
        memory_search,
        "Search memories",
        read_only=True,
        idempotent=True,
        sources="by policy",
        is_placed=True,
        may_lag=True,
    ),
    Tool(
        memory_search_across,
        "Search several namespaces",
        read_only=True,
        idempotent=True,
        toolset="namespaces",
        sources="named",
        may_lag=True,
    ),
)
