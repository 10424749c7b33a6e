"""REST routes of agent-memory: its state, in the caller's namespace alone, and embedding of what has no vector yet."""

from typing import Any, get_args

from ....modules.agentos import AgentOS
from ....modules.errors import InvalidInput, StorageUnavailable
from ....modules.memory.models import MemoryFilter
from ....modules.queue.control import MAX_LISTED
from ....modules.queue.models import TaskState
from ....modules.sessions.service import MAX_LISTED as MOST_SESSIONS
from ....modules.sessions.service import TAG
from ....modules.version import VERSION
from ..tools.agent_memory import ObservationType
from .agent_memory_work import CLIENT
from .reply import CompatReply

MOST_PROJECTS = 50


async def health(agentos: AgentOS, namespace: str) -> CompatReply:
    """Tell the state of the store, of the embeddings and of the queue."""
    observations = await _count(agentos, namespace)
    return CompatReply(
        {
            "db": {"status": "ok", "version": VERSION, "pgvector": None},
            "embeddings": (await agentos.embedding.state())["state"],
            "queue": {"pending": await _tasks(agentos, namespace, *_OPEN), "observations_total": observations},
        }
    )


async def stats(agentos: AgentOS, namespace: str) -> CompatReply:
    """Count observations, sessions and projects."""
    projects = await agentos.sessions.projects(namespace)
    sessions = await agentos.sessions.page(namespace, limit=MOST_SESSIONS, client=CLIENT)
    by_type = {kind: await _count(agentos, namespace, kind) for kind in get_args(ObservationType)}
    by_project = {one.name: await _count(agentos, namespace, one.id) for one in projects[:MOST_PROJECTS]}
    return CompatReply(
        {
            "observations": {"total": await _count(agentos, namespace)},
            "sessions": len(sessions),
            "projects": len(projects),
            "queue": {
                "pending": await _tasks(agentos, namespace, *_OPEN),
                "done": await _tasks(agentos, namespace, TaskState.DONE),
                "failed": await _tasks(agentos, namespace, TaskState.DEAD),
            },
            "by_type": {kind: count for kind, count in by_type.items() if count},
            "by_project": {name: count for name, count in by_project.items() if count},
        }
    )


async def re_embed(
    agentos: AgentOS, namespace: str, *, only_missing: bool = True, batch_size: int = 100
) -> CompatReply:
    """Let vectors be made in the background for what has none of the current model."""
    if not only_missing:
        raise InvalidInput("only_missing", "is always true here: memories keep their vectors of the current model")
    return CompatReply({"status": "started", **await _set(agentos, stopped=False)})


async def re_embed_status(agentos: AgentOS, namespace: str) -> CompatReply:
    """Tell how far that is."""
    under_way = agentos.embedding.progress
    if under_way is None:
        return CompatReply({"status": "idle"})
    return CompatReply({"status": "running", "processed": under_way.done, "total": under_way.total})


async def cancel_re_embed(agentos: AgentOS, namespace: str) -> CompatReply:
    """Stop that; what is stored from now on gets its vector all the same."""
    return CompatReply({"status": "cancelled", **await _set(agentos, stopped=True)})


_OPEN = (TaskState.QUEUED, TaskState.LEASED)


async def _count(agentos: AgentOS, namespace: str, *tags: str) -> int:
    return (await agentos.memory.page(namespace, MemoryFilter(tags=(TAG, *tags)), 1)).total


async def _tasks(agentos: AgentOS, namespace: str, *states: TaskState) -> int:
    return len(await agentos.queue_control.page(namespace, states, MAX_LISTED))


async def _set(agentos: AgentOS, *, stopped: bool) -> dict[str, Any]:
    reached = await agentos.embedding.stop(stopped=stopped)
    if reached is None:
        raise StorageUnavailable("there is no embedding model now; /readyz shows its state")
    return {"processed": reached.done, "total": reached.total}
