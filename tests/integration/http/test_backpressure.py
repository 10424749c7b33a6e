"""Backpressure: who writes faster than memories are indexed waits, and nobody else."""

from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.memory import embedding
from agentos.modules.store_request import StoreRequest
from tests.integration.conftest import WordEmbedder

API = "/api/v1"


async def test_writes_come_again_while_the_index_lags(
    served: Any, agentos: AgentOS, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "MOST_OWED", 3)
    embedder.loaded = False
    client = served.client()
    for number in range(3):
        assert (await client.post(f"{API}/memories", json={"content": f"note {number}"})).status_code == 201
    refused = await client.post(f"{API}/memories", json={"content": "one too many"})
    assert (refused.status_code, refused.json()["code"]) == (503, "overloaded")
    assert int(refused.headers["retry-after"]) > 0
    call = {"name": "memory_store", "arguments": {"content": "one too many"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accepts = {"accept": "application/json, text/event-stream"}
    result = (await client.post("/mcp", json=message, headers=accepts)).json()["result"]
    assert result["isError"] and result["_meta"]["agentos/code"] == "overloaded"
    assert (await client.get(f"{API}/search", params={"query": "note"})).json()["results"]
    await agentos.memory.store("default", StoreRequest("of the machine itself"))  # a session here is never told to wait
    embedder.loaded = True
    assert await agentos.embedding.caught_up(10)
    assert (await client.post(f"{API}/memories", json={"content": "one too many"})).status_code == 201
