"""Conversations through real clients: turns in, the window out, a branch; with the toolset that a session asks for."""

from collections.abc import Callable
from typing import Any

from mcp import Client

WITH_TURNS = {"AGENTOS_TOOLSETS": "turns"}
NAMES = {"conversation_add", "turn_add", "turn_window", "session_branch"}


async def test_a_client_keeps_a_conversation_and_branches_it(shared_connect: Callable[..., Client]) -> None:
    async with shared_connect("auto", WITH_TURNS) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= NAMES

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return dict(result.structured_content or {})

        page = await call("turn_add", session="talk", content="Where is the boat?", answer="In Porto.", key="k")
        assert page["turns"] == [0, 1] and "duplicate" not in page
        again = await call("turn_add", session="talk", content="Where is the boat?", answer="In Porto.", key="k")
        assert again == {**page, "duplicate": True}
        await call("turn_add", session="talk", content="exit code 0", role="tool", occurred_at="2026-01-05T10:00:00Z")
        window = (await call("turn_window", session="talk"))["results"]
        assert [(one["turn"], one["role"], one["text"]) for one in window] == [
            (0, "user", "Where is the boat?"),
            (1, "assistant", "In Porto."),
            (2, "tool", "exit code 0"),
        ]
        assert window[2]["at"] == "2026-01-05T10:00Z"
        branch = await call("session_branch", parent="talk", session="what if", at=1)
        assert branch["inherited_until"] == 1
        await call("turn_add", session="what if", content="And if it sinks?")
        texts = [one["text"] for one in (await call("turn_window", session="what if"))["results"]]
        assert texts == ["Where is the boat?", "In Porto.", "And if it sinks?"]
        assert len((await call("turn_window", session="talk"))["results"]) == 3, "the parent is as it was"
        found = await call("memory_search", query="boat Porto")
        assert {"Where is the boat?", "In Porto."} & {hit["content"] for hit in found["results"]}
        refused = await client.call_tool("session_branch", {"parent": "nobody", "session": "x"})
        assert refused.is_error and "nobody" in refused.content[0].text


def test_a_restarted_server_has_the_window_and_the_daemon_weighs_its_turns(
    start: Callable[..., Any], run_job: Callable[[str], None]
) -> None:
    first = start(settings={**WITH_TURNS, "AGENTOS_DAEMON": "off"})
    first.initialize()
    for text in ("ok", "Ana Silva from Lisbon takes over billing on 3 May", "ok", "ok"):
        first.call("turn_add", session="talk", content=text)
    first.search_by_meaning("billing")
    before = first.call("turn_window", session="talk")
    assert first.end() == 0
    run_job("index")
    run_job("turn_salience")
    run_job("queue_worker")
    second = start(settings={**WITH_TURNS, "AGENTOS_DAEMON": "off"})
    second.initialize()
    after = second.call("turn_window", session="talk")["results"]
    weights = [one.pop("salience") for one in after]
    assert after == before["results"]
    assert weights.index(max(weights)) == 1
