"""Consolidation through a real client and the command line: what is previewed is what is done, and is undone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import Client

from tests.commands import ran
from tests.e2e.conftest import environment

TOOLSETS = {"AGENTOS_TOOLSETS": "consolidation,turns"}
TALK = (
    ("Our billing service fails with HTTP 502 since v2.4.1.", "The billing service's nginx.conf gives 502."),
    ("The billing service's timeout in nginx.conf was 30s.", "With 60s in nginx.conf the billing service has no 502."),
)


def agentos(home: Path, *arguments: str) -> Any:
    """What a command answers in JSON."""
    done = ran((*arguments, "--home", str(home), "--json"), environment(home))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_a_client_previews_applies_and_undoes(shared_connect: Callable[..., Client]) -> None:
    async with shared_connect("auto", TOOLSETS) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return dict(result.structured_content or {})

        for question, answer in TALK:
            await call("turn_add", session="talk", content=question, answer=answer)
        previewed = await call("consolidate", session="talk", keep=0)
        assert previewed["preview"] and "consolidation" not in previewed and previewed["method"] == "rules"
        assert (await call("consolidation_list"))["consolidations"] == []
        made = await call("consolidate", session="talk", keep=0, action="apply")
        assert made["tokens_after"] < made["tokens_before"] and made["turns"] == 4

        def summaries_of(result: dict[str, Any]) -> list[Any]:
            return [(one["level"], one["text"]) for one in result["summaries"]]

        assert summaries_of(made) == summaries_of(previewed) != []
        listed = await call("consolidation_list", session="talk")
        assert summaries_of(listed) == summaries_of(made) and listed["consolidations"][0]["id"] == made["consolidation"]
        assert [len(one["sources"]) for one in listed["summaries"]] == [one["of"] for one in made["summaries"]]
        again = await call("consolidate", session="talk", keep=0, action="apply")
        assert again["summaries"] == [] and "consolidation" not in again and again["reason"]
        await call("consolidate", action="undo", consolidation=made["consolidation"])
        assert (await call("consolidation_list", level=1))["summaries"] == []
        for wrong in ({}, {"action": "undo"}, {"session": "nobody"}, {"session": "talk", "consolidation": "con_1"}):
            assert (await client.call_tool("consolidate", wrong)).is_error, wrong
        assert (await client.call_tool("consolidation_list", {"level": 4})).is_error


def test_the_command_line_does_the_same(start: Callable[..., Any], home: Path) -> None:
    server = start(settings=TOOLSETS)
    server.initialize()
    for question, answer in TALK:
        server.call("turn_add", session="talk", content=question, answer=answer)
    assert server.end() == 0
    previewed = agentos(home, "consolidate", "--session", "talk", "--keep", "0")
    assert previewed["preview"] and previewed["summaries"]
    made = agentos(home, "consolidate", "--session", "talk", "--keep", "0", "--apply")
    assert [one["text"] for one in made["summaries"]] == [one["text"] for one in previewed["summaries"]]
    undone = agentos(home, "consolidate", "--undo", made["consolidation"])
    assert "undone" in undone["reason"]
    assert agentos(home, "consolidate", "--session", "talk", "--keep", "0")["preview"]
