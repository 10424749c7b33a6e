"""A store on PostgreSQL as an agent meets it: the official client, over a front and a daemon that restart."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.e2e.conftest import daemon_pid, end_daemon

pytestmark = pytest.mark.postgres


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def test_what_is_stored_is_there_after_a_restart(
    home: Path, postgres_url: str, connect: Callable[..., Client]
) -> None:
    settings = {
        "AGENTOS_DATABASE_URL": postgres_url,
        "AGENTOS_DATABASE_SCHEMA": f"e2e_{os.getpid()}",
        "AGENTOS_EMBEDDING_MODEL": "none",
    }
    async with connect("auto", settings) as client:
        stored = await call(client, "memory_store", content="The staging database is called heron.")
        await call(client, "goal_add", title="Move it", description="Move the staging database")
        [before] = (await call(client, "memory_search", query="staging heron"))["results"]
        daemon = daemon_pid(home)
    assert daemon
    end_daemon(home)
    async with connect("auto", settings) as client:
        assert (await call(client, "memory_search", query="staging heron"))["results"][0]["id"] == before["id"]
        assert (await call(client, "memory_get", memory_id=stored["id"]))["content"] == before["content"]
        goals = (await call(client, "goal_list"))["results"]
        assert [one["title"] for one in goals] == ["Move it"]
        assert daemon_pid(home) not in (0, daemon)
    end_daemon(home)
    assert not (home / "agentos.db").exists(), "all of it is on the server"
