"""Procedures as clients see them: turns in, habits out, shared by promotion alone."""

from collections.abc import Callable
from typing import Any

from mcp import Client

SETTINGS = {"AGENTOS_TOOLSETS": "turns,procedures"}
BUG, TEST = "The export crashes when a file is empty.", "I wrote a regression test for it."


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def test_a_habit_is_found_offered_and_promoted(shared_connect: Callable[..., Client]) -> None:
    async with shared_connect("legacy", SETTINGS) as client:
        for number in range(2):
            await call(client, "turn_add", session="talk", content=f"{BUG} {number}", answer=TEST)
        mined = await call(client, "procedures_mine")
        [procedure] = [p for p in mined["procedures"] if (p["trigger"], p["action"]) == ("bug_report", "write_test")]
        assert procedure["support"] == 2 and mined["method"] == "rules"
        again = await call(client, "procedures_mine")
        assert (again["made"], again["changed"], again["removed"]) == (0, 0, 0)

        relevant = await call(client, "procedures_relevant", query="The login is broken")
        assert relevant["procedures"] == [procedure]
        promoted = await call(client, "procedure_promote", id=procedure["id"])
        assert promoted["scope"] == "global"
        other = await call(client, "procedures_relevant", query="The login is broken", agent_id="other")
        assert [one["id"] for one in other["procedures"]] == [promoted["id"]]

        refused = await client.call_tool("memory_store", {"content": "x", "agent_id": "global"})
        assert refused.is_error and "reserved" in str(refused.content)


async def test_a_lesson_is_found_in_what_was_logged(shared_connect: Callable[..., Client]) -> None:
    async with shared_connect("auto", SETTINGS) as client:
        for success in (False, False, False, True):
            outcome = "worked with --no-cache" if success else "checksum mismatch"
            await call(client, "reflection_log", action="docker build", outcome=outcome, success=success)
        await call(client, "procedures_mine")
        relevant = await call(client, "procedures_relevant", query="docker build is needed")
        [lesson] = relevant["lessons"]
        assert "--no-cache" in lesson["text"] and lesson["status"] == "candidate"


async def test_without_its_toolset_a_procedure_tool_is_not_there(shared_connect: Callable[..., Client]) -> None:
    async with shared_connect("legacy") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert not names & {"procedures_mine", "procedures_relevant", "procedure_promote"}
