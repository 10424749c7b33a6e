"""The profile through real servers and the official client: what is set, what is learnt, what stands by it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

SETTINGS = {"AGENTOS_TOOLSETS": "profile,turns"}


def test_facts_in_turns_become_knowledge_with_their_turn(
    start: Callable[..., Any], home: Path, run_job: Callable[[str], None]
) -> None:
    server = start(settings={**SETTINGS, "AGENTOS_EMBEDDING_MODEL": "none"})
    server.initialize()
    added = server.call(
        "turn_add", session="chat", content="My city is Lisbon. Is the tram 28 worth it?", answer="Yes, early."
    )
    first = server.call("profile_set", key="Work.Company", value="Initech")
    assert first["key"] == "work.employer" and "history" not in first
    second = server.call("profile_set", key="employer", value="Globex")
    assert [one["value"] for one in second["values"]] == ["Globex"]
    assert [(one["value"], "until" in one) for one in second["history"]] == [("Initech", True)]
    assert "key" in server.refusal("profile_set", {"key": "a.b.c.d", "value": "x"})
    run_job("fact_extraction")
    run_job("fact_extraction")
    profile = server.call("profile_get", include_history=True)
    assert {entry["key"]: [one["value"] for one in entry["values"]] for entry in profile["entries"]} == {
        "home.city": ["Lisbon"],
        "work.employer": ["Globex"],
    }
    [known] = profile["knowledge"]
    assert known["text"] == "The user's city is Lisbon." and known["status"] == "candidate"
    assert known["turns"] == added["memory_ids"][:1]
    assert "assistant_knowledge" not in profile and profile["method"] == "rules"
    assert "traits" not in profile, "one text is no evidence of a trait"


async def test_the_official_client_reads_and_sets_the_profile(shared_connect: Callable[..., Any]) -> None:
    async with shared_connect("auto", SETTINGS) as client:
        assert {"profile_get", "profile_set"} <= {tool.name for tool in (await client.list_tools()).tools}
        await client.call_tool("profile_set", {"key": "style.language", "value": "German"})
        answer = await client.call_tool("profile_get", {"keys": ["style.language"]})
        assert answer.structured_content["entries"][0]["values"][0]["value"] == "German"
        assert 'style.language: "German"' in answer.content[0].text
