"""The stream of an open page: changes of its namespace as they are committed, and recalls as they are answered."""

import asyncio
import json
import re
from collections.abc import AsyncIterator

from ....modules.agentos import AgentOS
from ....tools.bound import ECHOES

EVENT = re.compile(rb"^event: [\w.]+", re.MULTILINE)


async def changes(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the changes of an event stream under one name: a page looks anew whatever it was."""
    async for chunk in chunks:
        yield EVENT.sub(b"event: change", chunk)


async def recalls(agentos: AgentOS, namespace: str) -> AsyncIterator[bytes]:
    """Yield the recalls of a namespace from now on as server-sent events; without an id: none is told twice."""
    number = agentos.recalls.number
    while True:
        for one in await agentos.recalls.after(number, namespace):
            number = one.number
            query = await ECHOES.text(one.query)
            fields = {"at": one.at.isoformat(), "client": one.client, "query": query, "hits": one.hits}
            yield f"event: recall\ndata: {json.dumps(fields, ensure_ascii=False)}\n\n".encode("utf-8", "replace")


async def merged(first: AsyncIterator[bytes], second: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield what two streams yield, as it comes, for as long as the first lasts."""
    waiting = {asyncio.ensure_future(anext(one)): one for one in (first, second)}
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
