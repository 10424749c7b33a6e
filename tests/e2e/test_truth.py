"""What is true now, among several processes, and what a human puts in order at a terminal."""

import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.commands import ran
from tests.e2e.conftest import DEADLINE_S, at_hand, environment


def agentos(home: Path, *arguments: str) -> Any:
    """What a command answers, as JSON."""
    done = ran((*arguments, "--home", str(home), "--json"), {**environment(home), "AGENTOS_EMBEDDING_MODEL": "none"})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_two_processes_that_store_rivals_leave_one_current(start: Callable[..., Any], home: Path) -> None:
    alone = {"AGENTOS_DAEMON": "off", "AGENTOS_EMBEDDING_MODEL": "none"}
    servers = [start(settings=alone) for _ in range(2)]
    for server in servers:
        server.initialize()
    problems: list[Exception] = []

    def tell(server: Any, days: range) -> None:
        try:
            for day in days:
                about = {"subject": "Maria", "attribute": "city", "value": f"City {day}"}
                server.call("memory_store", content=f"City {day} is home", occurred_at=f"2026-02-{day:02}", **about)
        except Exception as problem:  # noqa: BLE001 - told by the test's own thread
            problems.append(problem)

    threads = [
        threading.Thread(target=tell, args=(server, range(first, 29, 2))) for first, server in enumerate(servers, 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE_S)
    assert not problems
    with at_hand(home) as database:
        current = database.execute("SELECT value FROM memories WHERE valid_to IS NULL").fetchall()
    assert current == [("City 28",)]


def test_a_store_tells_which_of_what_it_names_had_ended_before(start: Callable[..., Any]) -> None:
    server = start(settings={"AGENTOS_DAEMON": "off", "AGENTOS_EMBEDDING_MODEL": "none"})
    server.initialize()
    first = server.call("memory_store", content="Pilar keeps the vault code")["id"]
    assert "had ended" not in str(server.call("memory_store", content="Rosa keeps it now", supersedes=[first]))
    again = server.call("memory_store", content="Quim keeps it these days", supersedes=[first])
    assert again["hints"] == [f"{first} had ended before; what replaced it then still holds."]
    reverted = server.call("memory_revert", memory_id=first)
    assert reverted["results"]


def test_near_duplicates_are_shown_put_away_and_brought_back(start_plain: Callable[..., Any], home: Path) -> None:
    server = start_plain()
    server.initialize()
    older = server.call("memory_store", content="The team meets on Mondays at nine.")
    newer = server.call("memory_store", content="The team meets on  Mondays at nine")
    server.call("memory_store", content="Lunch is ready when the bell rings.")
    assert server.end() == 0
    link(home, newer["id"], older["id"])
    planned = agentos(home, "consolidate")
    assert [(step["archives"], step["keeps"]) for step in planned["steps"]] == [(newer["id"], older["id"])]
    done = agentos(home, "consolidate", "--apply")
    assert [step["archives"] for step in done["steps"]] == [newer["id"]]
    assert agentos(home, "consolidate")["steps"] == []
    undone = agentos(home, "consolidate", "--undo", done["steps"][0]["change"])
    assert undone["memories"] == {newer["id"]: "active"}
    assert agentos(home, "consolidate")["steps"] == planned["steps"]


def link(home: Path, newer: str, older: str) -> None:
    """As the background does where it compares by meaning."""
    with at_hand(home) as database:
        database.execute(
            "INSERT INTO relations (from_id, to_id, type, weight, evidence, created_at) "
            "VALUES (?, ?, 'evidence_of', 0.97, 'near duplicate', 0) ON CONFLICT (from_id, type, to_id) DO NOTHING",
            (newer, older),
        )


def test_an_agent_is_asked_what_a_new_memory_replaces_and_settles_it(shared_start: Callable[..., Any]) -> None:
    server = shared_start()
    server.initialize()
    older = server.call("memory_store", content="Ring Ana at <b>555-0142</b>.")
    server.search_by_meaning("Ana's number")
    newer, text = asked(server, "Ana lost the SIM, dial 777-0199 instead.")
    [named] = newer["may_replace"]
    assert named["id"] == older["id"] and named["content"] == "Ring Ana at <b>555-0142</b>."
    assert "recalled data" in text and "<b>" not in text
    suggested = re.search(r'memory_feedback\(memory_id="(\w+)", verdict="(\w+)", by="(\w+)", agent_id="(\w+)"\)', text)
    agent = server.call("memory_get", memory_id=older["id"])["agent_id"]
    assert suggested is not None and (suggested[2], suggested[4]) == ("supersede", agent)
    assert all(whole["id"].startswith(shown) for whole, shown in ((older, suggested[1]), (newer, suggested[3])))
    server.call("memory_feedback", memory_id=suggested[1], verdict=suggested[2], by=suggested[3], agent_id=suggested[4])
    found = server.call("memory_search", query="Ana's number")["results"]
    assert [hit["id"] for hit in found] == [newer["id"]]
    server.call("memory_revert", memory_id=older["id"])
    found = server.call("memory_search", query="Ana's number")["results"]
    assert {hit["id"] for hit in found} == {older["id"], newer["id"]}


def asked(server: Any, content: str) -> tuple[dict[str, Any], str]:
    """What storing a text answers once it is asked about; an answer that was not ready in time asks nothing."""
    give_up_at = time.monotonic() + DEADLINE_S
    while True:
        result = server.request("tools/call", {"name": "memory_store", "arguments": {"content": content}})["result"]
        stored = result["structuredContent"]
        if "may_replace" in stored:
            return stored, result["content"][0]["text"]
        assert time.monotonic() < give_up_at, "never asked"
        server.call("memory_delete", memory_id=stored["id"])
