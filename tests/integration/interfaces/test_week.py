"""A week as three clients report it: two projects, five days, one renamed; each hears its own, once, as it was."""

from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.hooks import clients
from agentos.interfaces.hooks.handler import HookHandler
from agentos.interfaces.hooks.occurrence import bounded
from agentos.modules.agentos import AgentOS
from agentos.modules.context.opening import START_TOKENS
from agentos.modules.context.tokens import estimate
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.store_request import StoreRequest

NS = "ada"
WHY = "make: *** No rule to make target 'bundle'.  Stop."
WORDS = {"kiosk": ("ticket printer", "seat map"), "archive": ("scanner queue", "shelf index")}
"""Two pieces of work of each project, whose words are in no other's."""
FAILED = {
    "claude-code": {"tool_name": "Bash", "hook_event_name": "PostToolUseFailure", "error": f"Exit code 2\n{WHY}"},
    "codex": {"tool_name": "Bash", "tool_response": {"output": WHY, "metadata": {"exit_code": 2}}},
    "gemini-cli": {
        "tool_name": "run_shell_command",
        "hook_event_name": "AfterTool",
        "tool_response": {"llmContent": f"Output: {WHY}\nExit Code: 2", "returnDisplay": WHY},
    },
}


class Week:
    """The clients of a person, and what they were told at the start of each session."""

    def __init__(self, handler: HookHandler, clock: Any) -> None:
        self._handler, self._clock, self._number = handler, clock, 0

    async def tell(self, client: str, event: str, session: str, folder: str, **payload: Any) -> str:
        self._number += 1
        ids = {"tool_use_id": f"call_{self._number}"} if event == "post-tool" else {}
        fields = {"session_id": session, "cwd": folder, **ids, **payload}
        hook = clients.read(client, event, fields, NS, folder)
        assert hook is not None
        hook = hook._replace(at=f"{self._clock().timestamp():.6f}")
        answer = await self._handler.answer(bounded(hook))
        assert answer.content["accepted"], answer.content
        if answer.delivered is not None:
            await answer.delivered()
        return str(answer.content["context"])

    async def day(self, client: str, session: str, folder: str, work: str) -> str:
        """One session: an edit, a failed build, a decision and a commit; return its briefing."""
        briefing = await self.tell(client, "session-start", session, folder, source="startup")
        told = (client, "prompt", session, folder)
        await self.tell(*told, prompt=f"Repair the {work}. We decided to log each {work}.", prompt_id=f"{session}-1")
        edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{folder}/{work.replace(' ', '_')}.py"}}
        await self.tell(client, "post-tool", session, folder, **edit)
        failed = {**FAILED[client], "tool_input": {"command": "make bundle"}}
        await self.tell(client, "post-tool", session, folder, **failed)
        commit = {"tool_name": "Bash", "tool_input": {"command": f"git commit -m 'Repair the {work}'"}}
        await self.tell(
            client, "post-tool", session, folder, **commit, tool_response={"output": "1 file", "exit_code": 0}
        )
        said = f"The {work} works again; the build has no bundle rule. Next: test the {work} on Monday."
        await self.tell(client, "stop", session, folder, last_assistant_message=said, prompt_response=said)
        await self.tell(client, "session-end", session, folder, reason="other")
        return briefing


@pytest.fixture
async def week(agentos: AgentOS, home: Path, clock: Any) -> Any:
    async def opener() -> AgentOS:
        return agentos

    handler = HookHandler(home, opener, lambda agent: agent or NS, frozenset())
    yield Week(handler, clock)
    await handler.close()


async def test_a_week_of_three_clients_is_told_to_each_project_as_it_was(
    week: Week, agentos: AgentOS, clock: Any
) -> None:
    folders = {"kiosk": "/w/kiosk", "archive": "/w/archive"}
    for name, folder in folders.items():
        project = await agentos.sessions.project(NS, folder)
        fact = f"The {name} runs on host {name}-7."
        await agentos.memory.store(NS, StoreRequest(fact, importance=0.8, metadata=project.fields))
    briefings: list[tuple[str, str]] = []
    for day, client in enumerate(("claude-code", "codex", "gemini-cli", "claude-code", "codex")):
        for name in folders:
            work = WORDS[name][day % 2]
            briefings.append((name, await week.day(client, f"{name}{day}", folders[name], work)))
            await agentos.sessions.observe()
            clock.advance(hours=3)
        if day == 2:
            await agentos.sessions.moved(NS, "archive", "/w/records")
            folders["archive"] = "/w/records"
        clock.advance(hours=18)
    for name, folder in folders.items():
        last = await week.tell("claude-code", "session-start", f"{name}-monday", folder, source="startup")
        briefings.append((name, last))
        must = [f"{name}-7", *(f"Repair the {work}" for work in WORDS[name]), f"test the {WORDS[name][0]} on Monday"]
        assert not [text for text in must if text not in last], last
        assert "keeps failing" in last or "Stop repeating 'make bundle'" in last
        assert "git commit" not in last, "that something goes well is no lesson"

    other = {"kiosk": ("archive-7", *WORDS["archive"]), "archive": ("kiosk-7", *WORDS["kiosk"])}
    for name, briefing in briefings:
        assert not [word for word in other[name] if word in briefing], briefing
        assert estimate(briefing) <= START_TOKENS
    lines = [line for line in briefings[-1][1].splitlines() if line.startswith("- ")]
    assert len(lines) == len(set(lines))

    page = await agentos.memory.page(NS, MemoryFilter(tags=("observation",)), 100)
    assert len(page.memories) == 10, "one observation for each session's work"
    for memory in page.memories:
        assert "make bundle failed" in memory.content and "make bundle passed" not in memory.content
        assert "No rule to make target" in memory.content and "Next: test the " in memory.content
    tally = await agentos.reflection.tally(NS, "make bundle")
    assert tally is not None and (tally.failures, tally.total) == (10, 10)
