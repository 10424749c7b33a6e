"""Tiers through real clients: a conversation goes in, the daemon lets it mature, and every tier answers."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import Client

from tests.commands import ran

from .conftest import environment

WITH_TIERS = {
    "AGENTOS_TOOLSETS": "tiers,turns",
    "AGENTOS_SHORT_TERM_PAGES": "2",
    "AGENTOS_EMBEDDING_MODEL": "none",
}
NAMES = {"tiers_recall", "tiers_restore", "tiers_status"}
CONVERSATION = (
    ("I moved to Lisbon last week.", "Lisbon is a fine city. Which part of Lisbon?"),
    ("How hot is the oven for sourdough bread?", "Bake sourdough bread in the oven at 240 degrees."),
    ("Which trams go to Alfama?", "The 28 does."),
    ("Thanks!", "You're welcome."),
)


async def test_a_client_recalls_by_tier(connect: Callable[..., Client]) -> None:
    async with connect("auto", WITH_TIERS) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= NAMES

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return dict(result.structured_content or {})

        for asked, answer in CONVERSATION:
            await call("turn_add", session="talk", content=asked, answer=answer)
        status = await call("tiers_status")
        assert (status["working"], status["short"], status["pages_due"]) == (8, 2, 2)
        found = await call("tiers_recall", query="sourdough bread in the oven", session="talk", limit=1)
        assert [page["user"] for page in found["short_term"]] == ["Which trams go to Alfama?", "Thanks!"]
        [page] = found["retrieved_pages"]
        assert page["assistant"].startswith("Bake sourdough") and len(page["memory_ids"]) == 2
        only = await call("tiers_recall", query="sourdough bread", session="talk", tiers=["short"])
        assert only["short_term"] and not only["retrieved_pages"]
        refused = await client.call_tool("tiers_recall", {"query": " "})
        assert refused.is_error


def test_the_daemons_jobs_let_a_conversation_mature(
    home: Path, start: Callable[..., Any], run_job: Callable[[str], None]
) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / ".env").write_text("AGENTOS_SHORT_TERM_PAGES=2\n")
    server = start(settings={"AGENTOS_TOOLSETS": "tiers,turns"})
    server.initialize()
    for asked, answer in CONVERSATION:
        server.call("turn_add", session="talk", content=asked, answer=answer)
    server.search_by_meaning("oven")
    run_job("tiers")
    status = server.call("tiers_status")
    assert (status["short"], status["mid"], status["pages_due"]) == (2, 2, 0)
    assert {"sourdough", "lisbon"} <= {word for one in status["hottest"] for word in one["keywords"]}
    for _ in range(3):
        server.call("tiers_recall", query="moved to Lisbon last week", limit=1)
    assert server.call("tiers_status")["promotions_waiting"] == 1
    run_job("queue_worker")
    assert server.call("tiers_status")["promotions_waiting"] == 0
    known = server.call("tiers_recall", query="where does the user live?")["user_knowledge"]
    assert any("Lisbon" in one["text"] for one in known) and all(len(one["evidence"]) == 1 for one in known)


def test_what_was_evicted_is_listed_and_brought_back_by_agents_and_by_hand(
    home: Path, start: Callable[..., Any], run_job: Callable[[str], None]
) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / ".env").write_text("AGENTOS_SHORT_TERM_PAGES=1\nAGENTOS_MID_TERM_SEGMENTS=1\n")
    server = start(settings={"AGENTOS_TOOLSETS": "tiers,turns"})
    server.initialize()
    for asked, answer in CONVERSATION[:3]:
        server.call("turn_add", session="talk", content=asked, answer=answer)
    server.search_by_meaning("oven")
    run_job("tiers")

    [evicted] = data(cli(home, "evicted", "--json"))
    assert "lisbon" in evicted["keywords"] and evicted["id"] in cli(home, "evicted").stdout
    restored = data(cli(home, "restore", evicted["id"], "--json"))
    [instead] = restored["evicted"]
    assert restored["id"] == evicted["id"] != instead
    assert data(cli(home, "restore", evicted["id"], "--json")).get("evicted") is None, "again changes nothing"
    assert "1 segments evicted" in cli(home).stdout and instead in cli(home, "evicted").stdout
    refused = cli(home, "restore", "seg_none")
    assert refused.returncode == 1 and "agentos tiers evicted" in refused.stderr

    assert "evicted" not in server.call("tiers_status")
    assert [one["id"] for one in server.call("tiers_status", evicted=5)["evicted"]] == [instead]
    assert server.call("tiers_restore", segment=instead)["evicted"] == [evicted["id"]]


def cli(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`agentos tiers` as a person runs it."""
    return ran(("tiers", *arguments), {**environment(home), "NO_COLOR": "1"})


def data(answer: subprocess.CompletedProcess[str]) -> Any:
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)
