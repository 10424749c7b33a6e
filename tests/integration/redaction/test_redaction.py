"""No secret is written: not in a row, an index, a log, a backup; and what was stored earlier can be scrubbed."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentos.benchmarks.redaction.corpus import Maker, planted_tokens, tokens
from agentos.daemon_pkg import logs
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.errors import InvalidInput
from agentos.modules.identifiers import EVERYWHERE
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.redaction.rules import redact
from agentos.modules.sessions.models import EventType, NewEvent, ToolCall
from agentos.modules.sessions.service import turn
from agentos.modules.sessions.tool_calls import as_json
from agentos.modules.store_request import StoreRequest
from agentos.storage.imports.formats import FileImports
from agentos.storage.repositories.scrub import ScrubRows

PASSWORD = "hunter" + "2moon"


def secrets() -> dict[str, str]:
    return tokens(Maker(11))


def files_with(home: Path, secret: str) -> list[str]:
    """The files of a home that hold a text, in any of the usual encodings."""
    forms = (secret.encode(), secret.lower().encode(), secret.encode("utf-16-le"))
    return [
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]


@pytest.mark.sqlite("it reads its files")
async def test_no_file_holds_a_secret_after_anything_was_kept(home: Path, agentos: AgentOS) -> None:
    known = secrets()
    key, token, other = known["aws-access-key"], known["github-pat"], known["slack-bot"]
    stored = await agentos.memory.store(
        "ada",
        StoreRequest(
            f"Deploy with {key}; the password is {PASSWORD}.",
            tags=[f"key {token}", "deploy"],
            metadata={"env": {"api_key": other}, f"as {token}": ["x", f"Bearer {token}"], "port": 5432},
            source=f"mail with {key}",
            session=f"chat {token}",
        ),
    )
    await agentos.memory.update(
        "ada",
        stored.memory.id,
        MemoryChanges(content=f"Deploy with {other} now", tags=[token], metadata={"password": PASSWORD}),
    )
    goal = await agentos.goals.add("ada", f"Rotate {token}", f"password={PASSWORD}", priority=0.9, tags=[key])
    await agentos.goals.update_progress("ada", goal.id, 0.5, f"tried {other}")
    await agentos.goals.update_status("ada", goal.id, "completed", f"it was {key}")
    for _ in range(3):
        await agentos.reflection.log(
            "ada", f"push {token}", f"401 for {key}", False, f"password: {PASSWORD}", tags=[other]
        )
    await agentos.reflection.analyze("ada")
    assert await agentos.embedding.caught_up(30)
    await agentos.backups.make()
    for secret in (key, token, other, PASSWORD):
        assert files_with(home, secret) == []
    memory, history = await agentos.memory.get("ada", stored.memory.id)
    assert memory.content == "Deploy with [redacted:slack-token] now"
    assert history[0].content == "Deploy with [redacted:aws-access-key]; the password is [redacted:password]."
    assert history[0].metadata == {
        "env": {"api_key": "[redacted:slack-token]"},
        "as [redacted:github-token]": ["x", "Bearer [redacted:github-token]"],
        "port": 5432,
    }
    assert memory.metadata == {"password": "[redacted:password]"} and memory.tags == ("[redacted:github-token]",)


async def test_a_search_for_a_secret_leaves_nothing_behind(home: Path, agentos: AgentOS) -> None:
    await agentos.memory.store("ada", StoreRequest("The deploy runs on Fridays."))
    secret = secrets()["stripe-live"]
    await agentos.memory.search("ada", f"what is {secret} for?")
    assert files_with(home, secret) == []


async def test_the_same_text_with_another_secret_is_the_same_memory(agentos: AgentOS) -> None:
    first = await agentos.memory.store("ada", StoreRequest(f"the token is {secrets()['npm']}"))
    again = await agentos.memory.store("ada", StoreRequest(f"the token is {tokens(Maker(12))['npm']}"))
    assert again.duplicate and again.memory.id == first.memory.id


async def test_two_tags_may_become_one(agentos: AgentOS) -> None:
    one, two = secrets()["npm"], tokens(Maker(12))["npm"]
    stored = await agentos.memory.store("ada", StoreRequest("a text", tags=[one, two]))
    assert stored.memory.tags == ("[redacted:npm-token]",)


async def test_a_text_as_long_as_may_be_is_kept_though_its_markers_are_longer(wire: Any, store: Any) -> None:
    agentos = wire(store, max_content_bytes=1024)
    text = "my PIN is 4921 " * 68
    stored = await agentos.memory.store("ada", StoreRequest(text))
    assert "4921" not in stored.memory.content


async def test_a_sealed_text_is_kept_as_it_is(agentos: AgentOS) -> None:
    text = f"sealed {secrets()['npm']}"
    assert (await agentos.sealed.store("ada", text, [1.0, 0.0])).memory.content == text


async def test_switched_off_everything_is_kept_as_it_is(wire: Any, store: Any) -> None:
    text = f"the key is {secrets()['npm']}"
    stored = await wire(store, redact_secrets=False).memory.store("ada", StoreRequest(text))
    assert stored.memory.content == text


async def test_every_kind_of_token_is_kept_out_of_the_store(home: Path, agentos: AgentOS) -> None:
    planted = list(planted_tokens(seed=21))[:80]
    for each in planted:
        await agentos.memory.store("ada", StoreRequest(each.text))
    for each in planted:
        assert files_with(home, each.secret) == [], each.kind


async def plant(wire: Any, store: Any) -> dict[str, str]:
    """A store as it was before anything was redacted."""
    known = secrets()
    unredacted = wire(store, redact_secrets=False)
    memory = (
        await unredacted.memory.store("ada", StoreRequest(f"first {known['npm']}", metadata={"password": PASSWORD}))
    ).memory
    await unredacted.memory.update(
        "ada", memory.id, MemoryChanges(content=f"use {known['gitlab']}", tags=[known["npm"]])
    )
    await unredacted.memory.store(
        "ada", StoreRequest("Mia: my key is " + known["groq"], session="talk " + known["npm"])
    )
    for token in (known["vault"], tokens(Maker(12))["vault"]):
        await unredacted.memory.store("ada", StoreRequest(f"the vault token is {token}"))
    goal = await unredacted.goals.add("ada", f"Rotate {known['npm']}", f"password={PASSWORD}", priority=0.9)
    await unredacted.goals.update_progress("ada", goal.id, 0.2, f"note {known['npm']}")
    for _ in range(3):
        await unredacted.reflection.log("ada", f"push {known['npm']}", f"failed with password {PASSWORD}", False)
    await unredacted.reflection.analyze("ada")
    await unredacted.memory.store("ada", StoreRequest("The deploy runs on Fridays.", tags=["deploy"]))
    asked = ("rotate", RiskInputs(0.9, 0.9, 0.9), f"replace {known['npm']}", "agent:ada")
    await unredacted.approvals.ask_permission("ada", "waiting", *asked)
    approval = await unredacted.approvals.ask_permission("ada", "decided", *asked)
    await Decisions(store.work.approvals, unredacted.clock).decide(
        approval, ApprovalStatus.REJECTED, "mia", f"not {known['npm']}"
    )
    session, _ = await unredacted.sessions.open("ada", "codex", "s1", "/w/app")
    message = turn("user", f"use {known['npm']}", "k1")
    call = NewEvent(
        EventType.TOOL_CALL, "k2", structured=as_json(ToolCall("shell", True, command=f"TOKEN={known['npm']} make"))
    )
    await unredacted.sessions.record(session, message, call)
    assert await unredacted.embedding.caught_up(30)
    return {name: known[name] for name in ("npm", "gitlab", "groq", "vault")} | {"password": PASSWORD}


Holders = Callable[[str], list[str]]


@pytest.fixture
def holders(home: Path, at_hand: Any, request: pytest.FixtureRequest) -> Holders:
    """What holds a text: files of the home, or tables on PostgreSQL."""

    def tables_with(text: str) -> list[str]:
        with at_hand() as database:
            named = (
                "SELECT table_name FROM information_schema.columns "
                "WHERE table_schema = current_schema() AND column_name = 'tenant'"
            )
            tables = [row[0] for row in database.execute(named).fetchall()]
            holding = "SELECT 1 FROM {0} t WHERE strpos(CAST(t AS text), ?) > 0 LIMIT 1"
            return [table for table in tables if database.execute(holding.format(table), (text,)).fetchone()]

    return tables_with if "postgres" in request.node.keywords else lambda text: files_with(home, text)


async def test_a_scrub_tells_first_and_changes_nothing(holders: Holders, wire: Any, store: Any, clock: Any) -> None:
    planted = await plant(wire, store)
    found = await store.scrub.run(clock(), apply=False)
    assert not found.applied and found.kinds["npm-token"] >= 5
    assert {"memories", "memory_versions", "goals", "goal_notes", "events", "patterns", "insights"} <= set(found.rows)
    assert {"approvals", "approval_events"} <= set(found.rows)
    assert all(holders(secret) for secret in planted.values())


async def test_a_scrub_leaves_no_secret_anywhere(
    holders: Holders, wire: Any, store: Any, clock: Any, open_store: Any
) -> None:
    planted = await plant(wire, store)
    done = await store.scrub.run(clock(), apply=True)
    assert done.applied and done.merged >= 1
    await store.close()
    assert {secret: files for secret in planted.values() if (files := holders(secret))} == {}
    again = await open_store()
    assert not (await ScrubRows(again.engine).run(clock(), apply=False)).rows
    agentos = wire(again)
    [decided] = [one for one in await agentos.approvals.history(EVERYWHERE, 5) if one.subject == "decided"]
    assert decided.reason == "replace [redacted:npm-token]" and decided.note == "not [redacted:npm-token]"
    [waiting] = (await agentos.approvals.inbox(EVERYWHERE)).approvals
    assert waiting.subject == "waiting"
    page = await agentos.memory.page("ada")
    assert [memory.content for memory in page.memories] == [
        "The deploy runs on Fridays.",
        "the vault token is [redacted:vault-token]",
        "Mia: my key is [redacted:groq-key]",
        "use [redacted:gitlab-token]",
    ]
    assert page.memories[2].session == "talk [redacted:npm-token]" and page.memories[2].speaker == "Mia"
    found = await agentos.memory.search("ada", "vault token")
    assert found.hits[0].memory.content == "the vault token is [redacted:vault-token]"


async def test_a_request_for_approval_is_kept_without_its_secrets(home: Path, agentos: AgentOS) -> None:
    secret = secrets()["npm"]
    risk = RiskInputs(0.9, 0.9, 0.9)
    asked = await agentos.approvals.ask_permission(
        "ada", f"use {secret}", "publish", risk, f"with {secret}", "agent:ada"
    )
    assert (asked.subject, asked.reason) == ("use [redacted:npm-token]", "with [redacted:npm-token]")
    again = await agentos.approvals.ask_permission(
        "ada", f"use {secret}", "publish", risk, f"with {secret}", "agent:ada"
    )
    assert again.id == asked.id
    assert files_with(home, secret) == []


@pytest.mark.sqlite("it dumps its file")
async def test_a_key_of_the_profile_holds_no_secret(agentos: Any, home: Path, at_hand: Any) -> None:
    secret = tokens(Maker(5))["github-pat"]
    with pytest.raises(InvalidInput, match="key: contains a secret"):
        await agentos.of_feature("profile").set("ada", f"notes.{secret}", "x")
    with at_hand() as connection:
        assert secret.lower() not in "".join(connection.iterdump()).lower()


async def test_a_relation_of_another_system_is_put_in_words_unless_it_is_none(tmp_path: Path) -> None:
    secret = tokens(Maker(5))["github-pat"]
    lines = [{"type": "relation", "from": "a", "to": "b", "relationType": each} for each in ("works_at", secret)]
    (tmp_path / "memory.jsonl").write_text("\n".join(map(json.dumps, lines)))
    _, entries = FileImports().entries(tmp_path / "memory.jsonl", None)
    assert [redact(entry.content).text for entry in entries] == ["a works at b", "a [redacted:github-token] b"]


@pytest.mark.parametrize("set_level", [logs.set_level, logs.reopen])
def test_libraries_tell_nothing_below_a_warning_of_what_they_are_handed(
    caplog: pytest.LogCaptureFixture, set_level: Callable[[str], None]
) -> None:
    root, own = logging.getLogger(), logging.getLogger("agentos")
    before = root.level, own.level
    try:
        set_level("DEBUG")
        for name in ("aiosqlite", "mcp.server.lowlevel", "httpx2", "agentos.storage"):
            logging.getLogger(name).debug("from %s", name)
        assert [record.name for record in caplog.records] == ["agentos.storage"]
    finally:
        root.setLevel(before[0])
        own.setLevel(before[1])
