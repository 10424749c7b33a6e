"""The daemon's side of hooks over real SQLite: what is recorded, what is told, what is never repeated."""

import asyncio
import itertools
import json
import re
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.hooks import handler as handler_module
from agentos.interfaces.hooks.handler import HookHandler
from agentos.interfaces.hooks.occurrence import Occurrence, bounded
from agentos.interfaces.hooks.program import _redacted
from agentos.interfaces.hooks.spool import Spool
from agentos.modules.agentos import AgentOS
from agentos.modules.context.briefing import PROMPT_TOKENS, TOOL_TOKENS
from agentos.modules.context.opening import START_TOKENS
from agentos.modules.context.tokens import estimate
from agentos.modules.errors import StorageUnavailable
from agentos.modules.facts.models import MAY_SUPERSEDE, Relation
from agentos.modules.framing import NOTICE
from agentos.modules.memory.lifecycle_service import HUMAN
from agentos.modules.memory.models import LikelySuccessor, MemoryFilter, SearchResult, Status
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.sessions.models import SessionState, Signal
from agentos.modules.sessions.service import signal, turn
from agentos.modules.store_request import StoreRequest
from agentos.tools.context import context_get_snapshot

SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
NS = "ada"
NUMBERS = itertools.count()


class Client:
    """A client's hooks, straight to the handler; each answer is delivered."""

    def __init__(self, handler: HookHandler, session: str, folder: str = "/w/app") -> None:
        self.handler, self.session, self.folder = handler, session, folder

    def occurrence(self, event: str, **fields: Any) -> Occurrence:
        defaults = {
            "client": "claude-code",
            "agent": NS,
            "session": self.session,
            "folder": self.folder,
            "at": "1772452800",
        }
        return Occurrence(**{"event": event, **defaults, "key": f"{event}-{next(NUMBERS)}", **fields})

    async def tell(self, event: str, *, deliver: bool = True, **fields: Any) -> str:
        answer = await self.handler.answer(bounded(self.occurrence(event, **fields)))
        assert answer.content["accepted"], answer.content
        if deliver and answer.delivered is not None:
            await answer.delivered()
        context: str = answer.content["context"]
        return context

    async def ruling(self, **fields: Any) -> tuple[str, str]:
        content = (await self.handler.answer(bounded(self.occurrence("pre-tool", **fields)))).content
        return content.get("ruling", ""), content.get("reason", "")

    async def work(self, asked: str, path: str) -> None:
        await self.tell("prompt", prompt=asked)
        await self.tell("post-tool", tool="Edit", given={"file_path": f"{self.folder}/{path}"})
        await self.tell("stop", reply="Done.")


Connect = Callable[..., Client]


@pytest.fixture
async def handler(agentos: AgentOS, home: Path) -> Any:
    async def opener() -> AgentOS:
        return agentos

    made = HookHandler(home, opener, lambda agent: agent or NS, frozenset({"webfetch"}))
    yield made
    await made.close()


@pytest.fixture
def connect(handler: HookHandler) -> Connect:
    return lambda session="s1", folder="/w/app": Client(handler, session, folder)


async def test_the_second_session_knows_what_the_first_did(connect: Connect, agentos: AgentOS) -> None:
    first = connect("s1")
    assert NOTICE in await first.tell("session-start", source="startup")
    await first.work("Fix the crash of the parser", "src/parser.py")
    await first.tell("session-end", source="other")
    answer = await connect("s2").tell("session-start", source="startup")
    assert "Fix the crash of the parser" in answer and "src/parser.py" in answer and "memory_search" in answer
    elsewhere = await connect("s3", "/w/other").tell("session-start", source="startup")
    assert "parser" not in elsewhere, "it is another project"


async def test_a_session_is_closed_by_its_end_and_opened_again_by_what_comes(
    connect: Connect, agentos: AgentOS
) -> None:
    client = connect()
    await client.work("Add paging", "a.py")
    [session] = await agentos.sessions.page(NS)
    assert session.state is SessionState.COMPLETED
    await client.tell("session-start", source="resume")
    assert (await agentos.sessions.get(NS, session.id)).state is SessionState.ACTIVE
    await client.tell("session-end", failed=True)
    assert (await agentos.sessions.get(NS, session.id)).state is SessionState.FAILED


async def test_the_start_keeps_to_its_budget_whatever_there_is(connect: Connect, agentos: AgentOS) -> None:
    for n in range(60):
        await agentos.memory.store(
            NS, StoreRequest(f"fact {n} " + "日本語 x9 \u2066<b> words and " * 60, importance=1.0)
        )
        await agentos.goals.add(NS, f"goal {n} " + "long " * 30, "")
    for n in range(5):
        rule = await agentos.memory.store(NS, StoreRequest(f"rule {n} " + "very " * 300, "procedural", tags=["rule"]))
        await agentos.lifecycle.feedback(NS, rule.memory.id, "confirm", by=HUMAN)
    answer = await connect().tell("session-start", source="startup")
    assert START_TOKENS * 0.7 < estimate(answer) <= START_TOKENS
    assert "<b>" not in answer and "\u2066" not in answer
    assert "## Rules" in answer and "## At hand" in answer and "## Memories" in answer


async def test_nothing_is_shown_twice_until_it_is_lost(connect: Connect, agentos: AgentOS) -> None:
    await agentos.memory.store(NS, StoreRequest("The parser is written by hand, with no generator", importance=0.9))
    client = connect()
    assert "by hand" in await client.tell("session-start", source="startup")
    assert await client.tell("session-start", source="resume") == "", "its transcript has it already"
    assert await client.tell("prompt", prompt="How is the parser written, by hand?") == ""
    await agentos.memory.store(NS, StoreRequest("Deploys are on Tuesdays", importance=0.9))
    again = await client.tell("session-start", source="resume")
    assert "Tuesdays" in again and "by hand" not in again, "only what is new"
    for source in ("compact", "clear"):
        assert "by hand" in await client.tell("session-start", source=source)


async def test_what_was_not_delivered_is_shown_again(connect: Connect, agentos: AgentOS) -> None:
    await agentos.memory.store(NS, StoreRequest("The parser is written by hand", importance=0.9))
    client = connect()
    assert "by hand" in await client.tell("session-start", source="startup", deliver=False)
    assert "by hand" in await client.tell("prompt", prompt="go on"), "the first prompt makes up for it"
    assert await client.tell("prompt", prompt="go on") == ""


async def test_a_prompt_brings_up_what_answers_it_and_nothing_else(connect: Connect, agentos: AgentOS) -> None:
    client = connect()
    await client.tell("session-start", source="startup")
    await agentos.memory.store(NS, StoreRequest("the deploy password of staging is in the vault", source="mail"))
    for n in range(8):
        await agentos.memory.store(
            NS, StoreRequest(f"deploy staging password note {n} " + "deploy staging password " * 80)
        )
    answer = await client.tell("prompt", prompt="where is the deploy password of staging")
    assert "vault" in answer and 'by "mail"' in answer and NOTICE in answer
    assert estimate(answer) <= PROMPT_TOKENS
    assert "vault" not in await client.tell("prompt", prompt="where is the deploy password of staging")
    assert await client.tell("prompt", prompt="zebra giraffe elephant") == ""
    for prompt in ("/deploy staging password", "yes", "ok go on"):
        assert await client.tell("prompt", prompt=prompt) == ""
    assert await client.tell("prompt", prompt="deploy password of staging", source="loop_wakeup") == ""


async def test_what_nobody_has_confirmed_or_somebody_rejected_is_not_shown(connect: Connect, agentos: AgentOS) -> None:
    asked = "when does the office move to Bergen"
    stored = await agentos.memory.store(NS, StoreRequest("The office moves to Bergen", importance=1.0, confidence=0.2))
    for verdict, is_shown in ((None, False), ("reject", False), ("confirm", True)):
        if verdict:
            await agentos.lifecycle.feedback(NS, stored.memory.id, verdict)
        client = connect(f"s{next(NUMBERS)}")
        assert ("Bergen" in await client.tell("session-start", source="startup")) is is_shown
        session, _ = await agentos.sessions.open(NS, "claude-code", f"s{next(NUMBERS)}", "/w/app")
        assert ("Bergen" in (await agentos.briefing.with_prompt(session, asked, ())).text) is is_shown


async def test_the_trusted_one_is_shown_and_what_may_be_outdated_as_such(
    connect: Connect, agentos: AgentOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = {"subject": "Dana", "attribute": "employer"}
    old = await agentos.memory.store(NS, StoreRequest("Dana earns her money at Acme", value="Acme", **about))
    new = await agentos.memory.store(
        NS, StoreRequest("Dana earns her money at Globex", value="Globex", source="web", **about)
    )
    assert new.change is not None and new.change.action == "contest"
    answer = await connect("s1").tell("session-start", source="startup")
    lines = [line for line in answer.splitlines() if line.startswith("- mem_")]
    assert lines == [f'- {old.memory.id[:10]}: "Dana earns her money at Acme"'], (
        "a doubtful newcomer is not told unasked"
    )

    recall = agentos.memory.recall

    async def marked(*asked: Any) -> SearchResult:
        found = await recall(*asked)
        hits = (
            replace(hit, memory=replace(hit.memory, may_be_outdated_by=LikelySuccessor(new.memory.id, 0.97)))
            if hit.memory.id == old.memory.id
            else hit
            for hit in found.hits
        )
        return replace(found, hits=tuple(hits))

    monkeypatch.setattr(agentos.memory, "recall", marked)
    session, _ = await agentos.sessions.open(NS, "claude-code", "s2", "/w/app")
    answer = (await agentos.briefing.with_prompt(session, "where does Dana earn her money", ())).text
    assert f', maybe outdated, see {new.memory.id[:10]}: "Dana earns her money at Acme"' in answer


async def test_a_rejected_lesson_is_shown_no_more_and_a_contested_one_as_such(
    connect: Connect, agentos: AgentOS
) -> None:
    trigger = {"tool": "Bash", "contains": "git push"}
    general = await agentos.memory.store(NS, StoreRequest("Always answer in metric units", tags=["rule"]))
    pushing = await agentos.memory.store(
        NS, StoreRequest("Never push on Fridays", tags=["rule"], metadata={"trigger": trigger})
    )
    push = {"tool": "Bash", "given": {"command": "git push"}}
    for verdict, label in (("confirm", "[warning]"), ("confirm", "[warning]"), ("reject", "[warning, contested]")):
        for rule in (general, pushing):
            await agentos.lifecycle.feedback(NS, rule.memory.id, verdict, by=HUMAN)
        client = connect(f"s{next(NUMBERS)}")
        assert f'{label} without a source: "Always answer' in await client.tell("session-start", source="startup")
        assert f'{label} without a source: "Never push' in await client.tell("pre-tool", **push)
    for rule in (general, pushing):
        await agentos.lifecycle.feedback(NS, rule.memory.id, "reject", by=HUMAN)
    client = connect(f"s{next(NUMBERS)}")
    assert "metric" not in await client.tell("session-start", source="startup")
    assert await client.tell("pre-tool", **push) == ""
    assert not (await agentos.context.compile(NS, "which units to answer in")).part("rules")


async def test_a_lesson_says_where_it_is_from_and_one_from_elsewhere_waits_for_a_person(
    connect: Connect, agentos: AgentOS
) -> None:
    trigger = {"trigger": {"tool": "Bash", "contains": "git push"}}
    push = {"tool": "Bash", "given": {"command": "git push"}}
    own = StoreRequest("Run the tests first", tags=["rule"], metadata=trigger, source="ada")
    page = StoreRequest("Pushing with --force is fine", tags=["rule"], metadata=trigger, source="https://a.example/b")
    await agentos.memory.store(NS, own)
    found = await agentos.memory.store(NS, page)
    answer = await connect().tell("pre-tool", **push)
    assert '[warning, no person has confirmed it] by "ada": "Run the tests' in answer and "--force" not in answer
    await agentos.lifecycle.feedback(NS, found.memory.id, "confirm", by=HUMAN)
    assert '[warning] by "https://a.example/b": "Pushing' in await connect("s2").tell("pre-tool", **push)


async def test_a_lesson_is_shown_before_its_tool_and_no_other_once_a_turn(connect: Connect, agentos: AgentOS) -> None:
    trigger = {"tool": "Bash", "contains": "git push"}
    stored = await agentos.memory.store(
        NS,
        StoreRequest(
            "Never push on Fridays", "procedural", tags=["rule"], metadata={"trigger": trigger, "severity": "critical"}
        ),
    )
    client = connect()
    assert "Fridays" not in await client.tell("session-start", source="startup")
    push = {"tool": "Bash", "given": {"command": "git push origin main"}}
    assert await client.tell("pre-tool", tool="Bash", given={"command": "git status"}) == ""
    assert await client.tell("pre-tool", tool="Write", given={"content": "git push"}) == ""
    answer = await client.tell("pre-tool", **push)
    assert "Never push on Fridays" in answer and "[critical, " in answer and estimate(answer) <= TOOL_TOKENS
    assert await client.tell("pre-tool", **push) == ""
    await client.tell("prompt", prompt="go on")
    assert "Fridays" in await client.tell("pre-tool", **push)
    memory, _ = await agentos.memory.get(NS, stored.memory.id)
    assert memory.access_count == 2, "one for each showing"


async def test_a_tool_that_failed_twice_in_a_row_is_warned_about_before_it_runs_again(connect: Connect) -> None:
    client = connect()
    await client.tell("prompt", prompt="Build it")
    told = []
    for _ in range(3):
        told.append(await client.tell("pre-tool", tool="Bash", given={"command": "make all"}))
        await client.tell("post-tool", tool="Bash", given={"command": "make all"}, error="Exit code 2\nno space left")
    assert told[:2] == ["", ""] and "failed 2 times" in told[2] and "no space left" in told[2]
    assert await client.tell("pre-tool", tool="Bash", given={"command": "make other"}) == ""


async def test_the_text_of_work_comes_with_a_prompt_although_its_title_was_shown(connect: Connect) -> None:
    first = connect("s1")
    await first.tell("prompt", prompt="Fix the timeout in the mail worker")
    await first.tell("post-tool", tool="Edit", given={"file_path": "/w/app/mail.py"})
    await first.tell("stop", reply="The cause was that the SMTP pool was never drained on SIGTERM.")
    second = connect("s2")
    assert "mail worker" in await second.tell("session-start", source="startup")
    asked = "What caused the mail worker timeout: was the SMTP pool drained on SIGTERM?"
    assert "never drained" in await second.tell("prompt", prompt=asked)
    assert "never drained" not in await second.tell("prompt", prompt=asked)


async def test_noisy_tools_and_our_own_leave_no_trace(connect: Connect, agentos: AgentOS) -> None:
    for tool in ("TodoWrite", "mcp__agentos__memory_search", "WebFetch"):
        await connect().tell("post-tool", tool=tool)
    assert await agentos.sessions.page(NS) == []


@pytest.mark.sqlite("it reads its files")
async def test_secrets_are_taken_out_before_anything_is_kept(connect: Connect, agentos: AgentOS, home: Path) -> None:
    client = connect()
    key = "sk-ant-api03-" + "Zq3vT8wLx0Rk5Nd7" * 6
    await client.tell("prompt", prompt=f"the key is {key} and <private>my diary</private> stays private")
    await client.tell("post-tool", tool="Bash", given={"command": f"login {key}"}, response={"stdout": [f"got {key}"]})
    await client.tell("post-tool", tool="Bash", given={"command": "x"}, error=f"{key} is wrong")
    await client.tell("stop", reply=f"used {key}")
    await client.tell("pre-compact")
    await agentos.sessions.observe()
    held = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert key.encode() not in held and b"diary" not in held and b"[redacted:" in held


async def test_a_compaction_leaves_a_checkpoint_that_comes_first_after_it(connect: Connect, agentos: AgentOS) -> None:
    client = connect()
    await client.tell("session-start", source="startup")
    await client.tell("prompt", prompt="Move the login to OAuth")
    await client.tell("post-tool", tool="Edit", given={"file_path": "/w/app/auth.py"})
    await client.tell("post-tool", tool="Bash", given={"command": "pytest -q"}, error="Exit code 1\nFAILED test_login")
    again = client.occurrence("pre-compact", source="auto")
    for _ in range(2):
        assert (await client.handler.answer(bounded(again))).content["accepted"]
    page = await agentos.memory.page(NS, MemoryFilter(tags=("checkpoint",)))
    assert len(page.memories) == 1
    answer = await client.tell("session-start", source="compact")
    assert "## Where this session was" in answer
    for part in ("Move the login to OAuth", "auth.py", "FAILED test_login"):
        assert part in answer
    assert "## Where this session was" not in await connect("s2").tell("session-start", source="startup")


async def test_the_same_event_reported_twice_is_stored_once(connect: Connect, agentos: AgentOS) -> None:
    client = connect()
    one = bounded(client.occurrence("post-tool", tool="Bash", given={"command": "make"}, key="toolu_1"))
    await asyncio.gather(*(client.handler.answer(one) for _ in range(5)))
    [session] = await agentos.sessions.page(NS)
    assert len(await agentos.sessions.events(session)) == 1


async def test_the_spool_is_replayed_in_order_before_what_comes_next(
    connect: Connect, agentos: AgentOS, home: Path
) -> None:
    client = connect()
    late = [
        client.occurrence("prompt", prompt="first"),
        client.occurrence("post-tool", tool="Bash", given={"command": "make"}),
    ]
    for one in (*late, late[0]):
        Spool(home).put(bounded(one))
    await client.tell("prompt", prompt="second")
    [session] = await agentos.sessions.page(NS)
    events = await agentos.sessions.events(session)
    assert [e.text or e.structured["command"] for e in events] == ["first", "make", "second"]
    assert Spool(home).waiting() == []


async def test_a_replayed_end_does_not_close_what_has_gone_on(connect: Connect, agentos: AgentOS, home: Path) -> None:
    client = connect()
    end = client.occurrence("stop")
    assert (await client.handler.answer(bounded(end))).content["accepted"]
    await client.tell("prompt", prompt="go on with it")
    Spool(home).put(bounded(end))
    assert await client.handler.replay() == 1
    [session] = await agentos.sessions.page(NS)
    assert session.state is SessionState.ACTIVE


async def test_while_nothing_can_be_stored_the_spool_waits_and_the_hook_learns_of_it(
    home: Path, agentos: AgentOS
) -> None:
    async def opener() -> AgentOS:
        if not opened:
            raise StorageUnavailable("the disk is full")
        return agentos

    opened: list[bool] = []
    handler = HookHandler(home, opener, lambda agent: agent, frozenset())
    client = Client(handler, "s1")
    Spool(home).put(bounded(client.occurrence("prompt", prompt="first")))
    answer = await handler.answer(bounded(client.occurrence("prompt", prompt="second")))
    assert answer.content == {"accepted": False, "reason": "the disk is full"}
    assert len(Spool(home).waiting()) == 1
    opened.append(True)
    assert await handler.replay() == 1
    await handler.close()


@pytest.mark.parametrize("bad", [b"{}", b"no", b'{"event": "stop", "client": 7}'])
async def test_what_can_never_be_kept_does_not_hold_up_the_rest(
    connect: Connect, agentos: AgentOS, home: Path, bad: bytes
) -> None:
    client = connect()
    (home / "spool").mkdir(parents=True, exist_ok=True)
    (home / "spool" / "0-bad.json").write_bytes(bad)
    Spool(home).put(bounded(client.occurrence("prompt", prompt="first")))
    assert await client.handler.replay() == 1
    assert [path.name for path in (home / "spool").iterdir()] == ["0-bad.refused"]


async def test_what_hangs_is_set_aside_and_hinders_no_other_hook(
    connect: Connect, agentos: AgentOS, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler_module, "ENTRY_WITHIN_S", 3.0)
    monkeypatch.setattr(handler_module, "REPLAY_FIRST_S", 30.0)
    client, opened = connect(), agentos.sessions.open

    async def hangs(namespace: str, name: str, session: str, folder: str) -> Any:
        if folder == "/w/hangs":
            await asyncio.Event().wait()
        return await opened(namespace, name, session, folder)

    monkeypatch.setattr(agentos.sessions, "open", hangs)
    Spool(home).put(bounded(client.occurrence("prompt", prompt="first")._replace(folder="/w/hangs")))
    Spool(home).put(bounded(client.occurrence("prompt", prompt="second")))
    await client.tell("prompt", prompt="third")
    [session] = await agentos.sessions.page(NS)
    assert [event.text for event in await agentos.sessions.events(session)] == ["second", "third"]
    assert len(Spool(home).refused()) == 1 and not Spool(home).waiting()


async def test_a_hook_does_not_wait_for_a_long_spool(
    connect: Connect, agentos: AgentOS, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler_module, "REPLAY_FIRST_S", 0.0)
    client, released, opened = connect(), asyncio.Event(), agentos.sessions.open

    async def waits(namespace: str, name: str, session: str, folder: str) -> Any:
        if folder == "/w/slow":
            await released.wait()
        return await opened(namespace, name, session, folder)

    monkeypatch.setattr(agentos.sessions, "open", waits)
    Spool(home).put(bounded(client.occurrence("prompt", prompt="first")._replace(folder="/w/slow")))
    await client.tell("prompt", prompt="second")
    released.set()
    assert await client.handler.replay() + len(Spool(home).waiting()) <= 1
    [session] = await agentos.sessions.page(NS)
    assert {event.text for event in await agentos.sessions.events(session)} == {"first", "second"}


@pytest.mark.sqlite("it dumps its file")
async def test_names_that_a_hook_tells_hold_no_secret(connect: Connect, agentos: AgentOS, home: Path) -> None:
    """Neither what the daemon is told, nor what waits in the spool."""
    client = connect("sid-" + SECRET)
    one = client.occurrence("post-tool", tool="mcp__x__" + SECRET, given={SECRET: 1}, key="toolu-" + SECRET)
    one = one._replace(folder="/w/" + SECRET)
    assert (await client.handler.answer(bounded(one))).content["accepted"]
    Spool(home).put(bounded(one._replace(key="again-" + SECRET)))
    assert await client.handler.replay() == 1
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        assert SECRET not in "".join(connection.iterdump())
    assert SECRET not in json.dumps(_redacted(bounded(one)))


async def test_two_repositories_of_one_name_do_not_hear_of_each_other(
    connect: Connect, open_store: Callable[[], Awaitable[Any]]
) -> None:
    await connect("s1", "/one/app").work("Fix the billing of the first app", "a.py")
    answer = await connect("s2", "/two/app").tell("session-start", source="startup")
    assert "billing" not in answer
    answer = await connect("s2", "/two/app").tell("prompt", prompt="Fix the billing of the first app")
    assert "billing" not in answer


async def test_what_hooks_tell_counts_as_usage_once_it_is_delivered(agentos: AgentOS, connect: Connect) -> None:
    await agentos.memory.store(NS, StoreRequest("The harbour crane is serviced in March", importance=0.9))
    client = connect("s1")
    await client.tell("session-start", deliver=False, source="startup")
    assert await agentos.usage.since(1) == {}
    answer = await client.tell("session-start", source="startup")
    assert "harbour crane" in answer
    [(key, usage)] = (await agentos.usage.since(1)).items()
    assert (key.namespace, key.client, key.tool) == (NS, "claude-code", "hook session-start")
    assert (usage.calls, usage.characters, usage.hits) == (1, len(answer), 1)


@pytest.mark.parametrize("severity", ["warning", "critical"])
async def test_what_agents_suggest_displaces_no_rule(connect: Connect, agentos: AgentOS, severity: str) -> None:
    trigger = {"tool": "Bash", "contains": "git push"}
    for text, metadata in (("Always answer in metric units", {}), ("Never push on Fridays", {"trigger": trigger})):
        made = await agentos.memory.store(NS, StoreRequest(text, tags=["rule"], metadata=metadata))
        await agentos.lifecycle.vouch(NS, made.memory)
    for n in range(210):
        about = {"severity": severity, "trigger": trigger} if n % 2 else {"severity": severity}
        await agentos.memory.store(NS, StoreRequest(f"suggestion {n}", importance=1.0, tags=["rule"], metadata=about))
    client = connect(f"s{next(NUMBERS)}")
    assert "metric units" in await client.tell("session-start", source="startup")
    answer = await client.tell("pre-tool", tool="Bash", given={"command": "git push"})
    assert "Never push on Fridays" in answer and answer.index("Fridays") < answer.index("suggestion")
    [rule] = (await agentos.context.compile(NS, "which units to answer in")).part("rules")
    assert rule.text == "Always answer in metric units"


async def test_a_rule_of_a_person_keeps_a_tool_from_running_and_a_memory_does_not(
    agentos: AgentOS, connect: Connect
) -> None:
    client = connect()
    push = {"tool": "Bash", "given": {"command": "git push --force origin main"}}
    stored = await agentos.memory.store(NS, StoreRequest("Never force-push to main", tags=["rule"]))
    await client.tell("session-start")
    assert await client.ruling(**push) == ("", ""), "nobody has confirmed it"
    await agentos.lifecycle.vouch(NS, stored.memory)
    ruling, reason = await client.ruling(**push)
    assert ruling == "deny" and stored.memory.id in reason and "Never force-push to main" in reason
    assert await client.ruling(tool="Bash", given={"command": "git push origin main"}) == ("", "")
    asks = await agentos.memory.store(NS, StoreRequest("Ask before destroying anything", tags=["rule"]))
    await agentos.lifecycle.vouch(NS, asks.memory)
    assert (await client.ruling(tool="Bash", given={"command": "terraform destroy"}))[0] == "ask"


async def test_where_it_is_wanted_no_tool_runs_before_memory_was_searched(agentos: AgentOS, home: Path) -> None:
    async def opener() -> AgentOS:
        return agentos

    handler = HookHandler(home, opener, lambda agent: agent or NS, frozenset(), recall_first=True)
    client = Client(handler, "s1")
    await client.tell("session-start")
    edit = {"tool": "Edit", "given": {"file_path": "memory_search.py"}}
    assert (await client.ruling(**edit))[0] == "deny"
    assert await client.ruling(tool="mcp__agentos__memory_search", given={"query": "x"}) == ("", "")
    assert await client.ruling(**edit) == ("", "")
    assert (await Client(handler, "s2").ruling(**edit))[0] == "deny"
    await handler.close()


async def test_work_that_kept_nothing_is_asked_about_once_if_that_is_wanted(
    agentos: AgentOS, home: Path, connect: Connect
) -> None:
    async def opener() -> AgentOS:
        return agentos

    edit = {"tool": "Edit", "given": {"file_path": "/w/app/a.py"}}
    wanting = HookHandler(home, opener, lambda agent: agent or NS, frozenset(), ask_to_keep=True)
    client = Client(wanting, "asked")

    async def asked(client: Client) -> bool:
        content = (await client.handler.answer(bounded(client.occurrence("stop", reply="Done.")))).content
        assert (content.get("ruling") == "continue") == ("memory_store" in content.get("reason", ""))
        return content.get("ruling") == "continue"

    await client.tell("prompt", prompt="What does the parser do?")
    await client.tell("post-tool", tool="Read", given=edit["given"])
    assert not await asked(client), "nothing was done"
    await client.tell("prompt", prompt="Mend the parser")
    await client.tell("post-tool", **edit)
    assert await asked(client)
    await client.tell("post-tool", **edit)
    assert not await asked(client), "never twice for one stretch"
    await client.tell("prompt", prompt="Now the printer")
    await client.tell("post-tool", tool="Bash", given={"command": "pytest -q"})
    for tool in ("mcp__agentos__memory_store", "mcp_agentos_memory_store", "memory_store"):
        await client.tell("pre-tool", tool=tool, given={"content": "x"})
        assert not await asked(client), "it has kept something"
        await client.tell("prompt", prompt="And the writer")
        await client.tell("post-tool", **edit)
    assert await asked(client), "the next stretch is another one"
    await client.tell("prompt", prompt="And the reader")
    await client.tell("post-tool", **edit)
    await client.tell("pre-tool", tool="Bash", given={"command": "agentos remember 'x'"})
    await client.tell("session-start", source="compact")
    assert not await asked(client), "a compaction forgets nothing of what was kept"
    by_default = connect("not asked")
    await by_default.tell("prompt", prompt="Mend the parser")
    await by_default.tell("post-tool", **edit)
    assert not await asked(by_default)
    await wanting.close()


async def test_in_a_folder_that_is_kept_out_nothing_is_recorded_or_told_and_rules_still_hold(
    agentos: AgentOS, home: Path, tmp_path: Path
) -> None:
    async def opener() -> AgentOS:
        return agentos

    (tmp_path / ".agentos-ignore").touch()
    rule = await agentos.memory.store(NS, StoreRequest("Never force-push to main", tags=["rule"]))
    await agentos.lifecycle.vouch(NS, rule.memory)
    handler = HookHandler(home, opener, lambda agent: agent or NS, frozenset(), recall_first=True)
    client, push = Client(handler, "s1", str(tmp_path)), {"command": "git push --force origin main"}
    assert await client.tell("session-start", source="startup") == ""
    assert "memory_search" in (await client.ruling(tool="Bash", given=push))[1]
    assert await client.ruling(tool="mcp__agentos__memory_search", given={"query": "x"}) == ("", "")
    ruling, reason = await client.ruling(tool="Bash", given=push)
    assert ruling == "deny" and rule.memory.id in reason
    assert await agentos.sessions.page(NS) == []
    await handler.close()


async def test_a_week_is_told_newest_first_in_few_tokens_and_nothing_only_scolds(
    connect: Connect, agentos: AgentOS, clock: Any
) -> None:
    facts = [
        "We decided to bill in cents, never in floats.",
        "The user prefers short answers without lists.",
        "Never write to the ledger table by hand.",
        "Staging runs on host quill-3 behind the VPN.",
        "To release: tag, wait for the pipeline, then announce in #ships.",
        "Invoices must be kept for ten years.",
    ]
    for text in facts:
        await agentos.memory.store(NS, StoreRequest(text, importance=0.8))
        clock.advance(hours=20)
    for number, asked in enumerate(("Round the totals", "Cache the exchange rates", "Move the mailer to a queue")):
        client = connect(f"day{number}")
        await client.tell("session-start", source="startup", at=str(clock().timestamp()))
        await client.tell("prompt", prompt=asked, at=str(clock().timestamp()))
        edited = {"file_path": f"/w/app/part{number}.py"}
        await client.tell("post-tool", tool="Edit", given=edited, at=str(clock().timestamp()))
        await client.tell("stop", reply=f"{asked}: half done.\nNext: write test {number}.", at=str(clock().timestamp()))
        await client.tell("session-end", source="other", at=str(clock().timestamp()))
        clock.advance(hours=20)
    await agentos.goals.add(NS, "Ship the new billing", "", deadline="2027-01-15")
    for number in range(6):
        await agentos.reflection.log(NS, f"step {number}", "no", success=False)
    await agentos.memory.store(NS, StoreRequest("Bea moved the VPN to WireGuard.", source="bea"))
    answer = await connect("monday").tell("session-start", source="startup", at=str(clock().timestamp()))

    assert estimate(answer) <= START_TOKENS <= 900
    lost = [text for text in (*facts, "Ship the new billing", "due 2027-01-15", "write test 2") if text not in answer]
    assert not lost
    heads = [line.removeprefix("## ").split(",")[0] for line in answer.splitlines() if line.startswith("## ")]
    order = ["At hand", "Work and changes", "Rules", "Binding", "Lessons", "Memories"]
    assert heads == [name for name in order if name in heads] and heads[:2] == order[:2]
    assert answer.index("WireGuard") < answer.index("Cache the exchange rates") < answer.index("Round the totals")
    assert answer.index("WireGuard") < answer.index("## Binding"), "another agent's news stand among what has changed"
    for line in answer.splitlines():
        if line.startswith("- "):
            quoted = re.findall(r'"(?:[^"\\]|\\.)*"', line)
            assert estimate(line) - sum(estimate(one) for one in quoted) <= 25, line
    assert "succeeded" not in answer and "overall goal" not in answer


async def test_an_old_value_is_never_told_alone(connect: Connect, agentos: AgentOS, store: Any, clock: Any) -> None:
    people = {"Ana": ("555-0142", "777-0199"), "Bo": ("555-0143", "777-0200"), "Cy": ("555-0144", "777-0201")}
    pairs = []
    for name, (was, now) in people.items():
        old = await agentos.memory.store(NS, StoreRequest(f"We always ring {name} at {was}.", importance=0.9))
        new = await agentos.memory.store(NS, StoreRequest(f"{name} has the number {now}.", importance=0.1))
        pairs.append(Relation(new.memory.id, old.memory.id, MAY_SUPERSEDE, 0.9, "the pair model"))
    for number in range(25):  # more than are looked at for being new
        await agentos.memory.store(NS, StoreRequest(f"Room {number} has {number} chairs.", importance=0.9))
    await store.memory.lifecycle.relate(NS, pairs, clock())
    answers = [await connect("s1").tell("session-start", source="startup")]
    session, _ = await agentos.sessions.open(NS, "claude-code", "s2", "/w/app")
    for name, (was, _) in people.items():
        asked = f"always ring {name} at which number {was}"
        answers.append((await agentos.briefing.with_prompt(session, asked, ())).text)
    answers.append((await agentos.context.snapshot(NS)).as_text())
    for answer in answers:
        lines = answer.splitlines()
        assert all(now in line for was, now in people.values() for line in lines if was in line)
        assert [line for line in lines if '(was: "We always ring' in line], "two are asked about, the third is told"


async def test_work_that_was_still_being_read_is_told_with_the_first_prompt(
    connect: Connect, agentos: AgentOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = connect("s1")
    await first.tell("session-start", source="startup")
    observe, may_go_on = agentos.sessions.observe, asyncio.Event()

    async def slow() -> int:
        await may_go_on.wait()
        return await observe()

    monkeypatch.setattr(agentos.sessions, "observe", slow)
    monkeypatch.setattr(handler_module, "OBSERVE_WITHIN_S", 0.01)
    await first.work("Fix the crash of the parser", "src/parser.py")
    second = connect("s2")
    assert "parser" not in await second.tell("session-start", source="startup"), "it is not waited for"
    may_go_on.set()
    await second.handler._observing
    assert "crash of the parser" in await second.tell("prompt", prompt="What is open here, please tell me")
    assert "crash of the parser" not in await second.tell("prompt", prompt="And then, what else is open?")


async def test_a_snapshot_after_a_briefing_gives_what_is_new_since_and_says_so(
    connect: Connect, agentos: AgentOS, clock: Any
) -> None:
    me = local_owner(NS, None, Door.STDIO)
    await agentos.memory.store(NS, StoreRequest("We deploy on Tuesdays", importance=0.9))
    await agentos.goals.add(NS, "Ship it", "")
    client = connect("s1")
    here = await agentos.sessions.project(NS, client.folder)
    assert "Tuesdays" in (await context_get_snapshot(agentos, NS, me, here)).as_text(), "there was no briefing yet"
    assert "Tuesdays" in await client.tell("session-start", source="startup", at=str(clock().timestamp()))
    nothing = (await context_get_snapshot(agentos, NS, me, here)).as_text()
    assert "full=true" in nothing and "Tuesdays" not in nothing and "Ship it" not in nothing and estimate(nothing) < 120
    assert "1 memory is not shown" in nothing
    clock.advance(minutes=5)
    await agentos.memory.store(NS, StoreRequest("Standup is at ten now", importance=0.9))
    new = (await context_get_snapshot(agentos, NS, me, here)).as_text()
    assert "at ten" in new and "Tuesdays" not in new
    for caller, asked in ((me, {"full": True}), (replace(me, door=Door.HTTP), {})):
        assert "Tuesdays" in (await context_get_snapshot(agentos, NS, caller, here, **asked)).as_text()
    await connect("s2").tell("session-start", source="startup", at=str(clock().timestamp()))
    assert "Tuesdays" in (await context_get_snapshot(agentos, NS, me, here)).as_text(), "which of two is not guessed"


async def test_what_a_user_states_for_good_waits_to_be_confirmed(
    connect: Connect, agentos: AgentOS, store: Any, wire: Any, home: Path
) -> None:
    first = connect("one")
    await first.tell("prompt", prompt="Fix the login test. By the way, our deploys moved to Thursdays.")
    await first.tell("prompt", prompt="My name is Elena. Why is the build red?")
    await first.tell("prompt", prompt="/model My name is Otto.")
    await first.tell("stop", reply="Done.")
    for _ in range(2):
        await agentos.sessions.observe()
    waiting = MemoryFilter(statuses=(Status.CANDIDATE,))
    found = {one.content: one for one in (await agentos.memory.page(NS, waiting)).memories}
    assert set(found) == {"The team's deploys moved to Thursdays.", "The user's name is Elena."}
    deploys, name = sorted(found.values(), key=lambda one: "Elena" in one.content)
    assert deploys.project and not name.project, "who somebody is holds everywhere"

    def asked(told: str) -> list[str]:
        return [line for line in told.splitlines() if "Thursdays" in line or "Elena" in line]

    [line] = asked(await connect("two").tell("session-start"))
    assert "Thursdays" in line and "Elena" in line and line.endswith("?")
    [elsewhere] = asked(await connect("three", folder="/w/other").tell("session-start"))
    assert "Elena" in elsewhere and "Thursdays" not in elsewhere
    await agentos.lifecycle.feedback(NS, deploys.id, "reject", by=HUMAN)
    [line] = asked(await connect("four").tell("session-start"))
    assert "Thursdays" not in line

    off = wire(store, hook_statements=False)
    session, _ = await off.sessions.open(NS, "claude-code", "five", "/w/app")
    await off.sessions.record(session, turn("user", "My name is Ines.", "told"), signal(Signal.TURN_ENDED, "over"))
    await off.sessions.observe()
    assert not any("Ines" in one.content for one in (await off.memory.page(NS, waiting)).memories)


async def test_what_has_ended_is_told_by_no_hook(connect: Connect, agentos: AgentOS, clock: Any) -> None:
    text, question = "The deploys of the parser are frozen", "Are the deploys of the parser frozen?"
    last = f"{clock():%Y-%m-%d}"
    await agentos.memory.store(NS, StoreRequest(text, importance=0.9, valid_until=last))
    before = connect("s1")
    told = [await before.tell("session-start", source="startup"), await before.tell("prompt", prompt=question)]
    assert any(text in one for one in told)
    clock.advance(days=2)
    after = connect("s2")
    told = [await after.tell("session-start", source="startup"), await after.tell("prompt", prompt=question)]
    assert not any(text in one for one in told)
