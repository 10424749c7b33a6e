"""The stream of an open page: changes of its namespace as they are committed, and recalls as they are answered."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Collection

from ...modules.agentos import AgentOS
from ...tools.bound import ECHOES

MOST_AT_ONCE = 5
"""The latest recalls that a page which is opened is told."""
JOBS_EVERY_S = 1.0
EVENT = re.compile(rb"^event: [\w.]+", re.MULTILINE)


async def changes(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the changes of an event stream under one name: a page looks anew whatever it was."""
    async for chunk in chunks:
        yield EVENT.sub(b"event: change", chunk)


async def recalls(agentos: AgentOS, namespaces: Collection[str]) -> AsyncIterator[bytes]:
    """Yield the latest recalls of some namespaces and those from now on, again when what they gave is used."""
    number, begin = 0, agentos.recalls.number
    while True:
        for one in (await agentos.recalls.after(number, namespaces))[-MOST_AT_ONCE:]:
            number = one.number
            query = await ECHOES.text(one.query)
            fields = {
                "id": one.id,
                "client": one.client,
                "query": query,
                "hits": one.hits,
                "used": one.used,
                "is_new": one.number > begin,
            }
            yield f"event: recall\ndata: {json.dumps(fields, ensure_ascii=False)}\n\n".encode("utf-8", "replace")


async def jobs(agentos: AgentOS) -> AsyncIterator[bytes]:
    """Yield a change whenever a job begins or ends, whichever process runs it."""
    before = await agentos.jobs.runs()
    while True:
        await asyncio.sleep(JOBS_EVERY_S)
        now = await agentos.jobs.runs()
        if now != before:
            before = now
            yield b"event: change\ndata: {}\n\n"


async def merged(first: AsyncIterator[bytes], *others: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield what streams yield, as it comes, for as long as the first lasts."""
    waiting = {asyncio.ensure_future(anext(one)): one for one in (first, *others)}
    try:
        while True:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                stream = waiting.pop(task)
                try:
                    yield task.result()
                except StopAsyncIteration:
                    if stream is first:
                        return
                    continue
                waiting[asyncio.ensure_future(anext(stream))] = stream
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
