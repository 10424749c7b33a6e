"""Every 2 minutes: reads new memories into the graph. A question reads the newest itself."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import Job

log = logging.getLogger(__name__)


async def read_memories(agentos: AgentOS, namespace: str) -> bool:
    """Read memories that are new or changed since the last run, and compare the names that are new.

    Returns whether there were any: then more may be left.
    """
    count = await agentos.graph.read(namespace)
    alike = await agentos.aliases.compare(namespace)
    asked = 0
    if agentos.language_reader is not None:
        asked = await agentos.language_reader.read(namespace)
        if asked:
            log.info("the language model found %d relations for the graph of %s", asked, namespace)
    if count:
        log.info("the graph read %d memories of %s; %d pairs of names are alike", count, namespace, alike)
    return bool(count or alike or asked)


JOB = Job(
    "graph_reader",
    timedelta(minutes=2),
    "reads new memories into the graph",
    read_memories,
    rests=timedelta(hours=1),
)
