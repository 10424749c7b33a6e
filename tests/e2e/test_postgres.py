"""A store on PostgreSQL as an agent meets it: the official client, over a front and a daemon that restart."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.e2e.conftest import DEADLINE_S, daemon_pid, end_daemon, environment

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


def test_a_memory_moves_by_one_command_which_tells_no_password(home: Path, postgres_url: str) -> None:
    to = postgres_url.replace("postgres:@", "postgres:s3cr3t-word@")  # which the server of the tests does not ask for
    settings = {"AGENTOS_DATABASE_SCHEMA": f"moved_{os.getpid()}", "AGENTOS_EMBEDDING_MODEL": "none"}

    def agentos(*words: str, **others: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "agentos.interfaces.cli", *words]
        own = {**environment(home), **settings, "AGENTOS_DAEMON": "off", **others}
        done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=DEADLINE_S)
        return done.returncode, done.stdout + done.stderr

    assert agentos("store", "The staging database is called heron.")[0] == 0
    code, output = agentos("migrate", "--to", to)
    assert code == 0 and "all tables match" in output, output
    code, again = agentos("migrate", "--to", to)
    assert code != 0 and "nothing was changed" in again
    assert "s3cr3t" not in output + again
    assert "heron" in agentos("search", "staging", AGENTOS_DATABASE_URL=to)[1]
    code, checked = agentos("doctor", AGENTOS_DATABASE_URL=to)
    assert "pgvector" in checked and "s3cr3t" not in checked


def test_a_backup_and_its_restore_by_name_bring_back_the_very_same_memory(home: Path, postgres_url: str) -> None:
    settings = {
        "AGENTOS_DATABASE_URL": postgres_url,
        "AGENTOS_DATABASE_SCHEMA": f"restored_{os.getpid()}",
        "AGENTOS_EMBEDDING_MODEL": "none",
        "AGENTOS_DAEMON": "off",
    }

    def agentos(*words: str) -> Any:
        command = [sys.executable, "-m", "agentos.interfaces.cli", *words, "--json"]
        own = {**environment(home), **settings}
        done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=DEADLINE_S)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    agentos("remember", "The staging database is called heron.")
    made = agentos("backup")
    before = agentos("list")
    agentos("remember", "It was renamed to egret.")
    assert agentos("list") != before
    restored = agentos("restore", made["name"], "--yes")
    assert restored["backup"]["name"] == made["name"] and "_replaced_" in restored["kept_aside"]
    assert agentos("list") == before
    assert agentos("audit", "verify")
