"""Taking over what other systems keep: each format, previewed, once, and nothing else changed."""

import json
import os
import sqlite3
import subprocess
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput
from agentos.modules.memory.models import Status
from agentos.modules.portability.models import MemoryEntry, Refused
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.imports.formats import FORMATS, FileImports
from tests.integration.conftest import Clock
from tests.tables import every

AGENTOS_1 = """
CREATE TABLE memories (id TEXT PRIMARY KEY, agent_id TEXT, content TEXT, summary TEXT, importance REAL,
    memory_type TEXT, tags TEXT, created_at TEXT, last_accessed TEXT, access_count INTEGER, decay_score REAL);
CREATE TABLE goals (id TEXT PRIMARY KEY, agent_id TEXT, title TEXT, description TEXT, priority REAL, urgency REAL,
    status TEXT, progress REAL, parent_goal_id TEXT, tags TEXT, deadline TEXT, created_at TEXT, updated_at TEXT,
    completion_notes TEXT, retry_count INTEGER, metadata TEXT);
CREATE TABLE reflection_logs (id TEXT PRIMARY KEY, agent_id TEXT, action TEXT, outcome TEXT, success INTEGER,
    context TEXT, tags TEXT, goal_id TEXT, created_at TEXT, metadata TEXT);
CREATE TABLE daemon_heartbeat (agent_id TEXT PRIMARY KEY, last_seen TEXT);
INSERT INTO memories VALUES ('m1', 'ann', 'the vault opens at nine', 's', .9, 'semantic', '["bank"]',
    '2025-03-01T10:00:00+00:00', NULL, 0, 1), ('m2', 'bob', 'bob likes tea', 's', .5, 'working', '[]',
    '2025-03-02T10:00:00', NULL, 0, 1);
INSERT INTO goals VALUES ('g1', 'ann', 'open the vault', NULL, .9, .5, 'active', .5, NULL, '[]', NULL,
    '2025-03-01T10:00:00', '2025-03-01T10:00:00', NULL, 0, '{}'),
    ('g2', 'ann', 'find the key', 'the old one', .5, .5, 'completed', 1, NULL, '[]', NULL,
    '2025-03-01T10:00:00', '2025-03-01T10:00:00', 'under the mat', 0, '{}');
INSERT INTO reflection_logs VALUES ('r1', 'ann', 'turn the key', 'it broke', 0, '', '["lock"]', 'g1',
    '2025-03-03T10:00:00', '{}');
"""
CLAUDE_MEM = """
CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,
    title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
    prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
    investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
    prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER);
INSERT INTO observations VALUES (1, 's1', 'shop', NULL, 'bugfix', 'Cart total fixed', 'Rounding', '["cents are whole"]',
    'The total was a float.', '["money"]', '["a.py"]', '["b.py"]', 1, '', 1735689600000);
INSERT INTO session_summaries VALUES (1, 's1', 'shop', 'fix the cart', NULL, 'floats round', 'done', NULL, NULL, NULL,
    NULL, 1, '', 1735689600000);
"""
SERVER_MEMORY = (
    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["plays the zither", "lives in Oslo"]},
    {"type": "relation", "from": "Ann", "to": "Globex", "relationType": "works_at"},
)
MEM0 = {
    "results": [
        {"id": "1", "memory": "Is allergic to nuts", "user_id": "ann", "created_at": "2025-05-01T00:00:00Z"},
        {"id": "2", "memory": "Prefers trains", "categories": ["travel"], "metadata": {"x": 1}},
    ]
}
NOTE = """---
title: Coffee
permalink: notes/coffee
tags: [drink, morning]
---
# Coffee
Coffee is brewed at home.

## Observations
- [method] Pour over takes three minutes #brew (measured)
- [taste] Dark roasts are bitter

## Relations
- part_of [[Breakfast]]
"""
CLAUDE_MD = """# Shop

Short.

## Commands
- Run the tests with `make check` before every commit.
- Deploy only from the release branch.

## Style
Prefer small pull requests and say why in the description.
"""


@pytest.fixture
async def agentos(tmp_path: Path, open_home: Any, clock: Clock) -> AsyncIterator[AgentOS]:
    settings = config.load({}, home=tmp_path / "home")
    store = await open_home(settings.home, settings.database, clock)
    yield AgentOS.over(store, NoEmbedder(), settings, clock)
    await store.close()


def agentos_1(folder: Path) -> Path:
    return database(folder / "agentos.db", AGENTOS_1)


def claude_mem(folder: Path) -> Path:
    return database(folder / "claude-mem.db", CLAUDE_MEM)


def database(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def server_memory(folder: Path) -> Path:
    path = folder / "memory.jsonl"
    path.write_text("\n".join(map(json.dumps, SERVER_MEMORY)))
    return path


def mem0(folder: Path) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(MEM0))
    return path


def basic_memory(folder: Path) -> Path:
    notes = folder / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / "deep" / "coffee.md").write_text(NOTE)
    return notes


def instructions(folder: Path) -> Path:
    (folder / "CLAUDE.md").write_text(CLAUDE_MD)
    (folder / ".cursor" / "rules").mkdir(parents=True)
    (folder / ".cursor" / "rules" / "api.mdc").write_text("---\nglobs: *.py\n---\n- Never call the API in a loop.\n")
    return folder


def git(folder: Path) -> Path:
    repository = folder / "shop"
    repository.mkdir()
    for command in (
        ("init", "-q"),
        (
            "-c",
            "user.name=Ann",
            "-c",
            "user.email=a@example.org",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "Fix the cart\n\nCents.",
        ),
        ("-c", "user.name=Ann", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "Add taxes"),
    ):
        subprocess.run(("git", "-C", str(repository), *command), check=True)
    return repository


def claude_code(folder: Path) -> Path:
    """A project's transcript: nobody said what tools gave, what the program wrote, and side chains."""
    base = {"sessionId": "s1", "cwd": "/src/shop", "timestamp": "2025-06-01T10:00:00Z"}
    lines: list[dict[str, Any] | str] = [
        {"type": "summary", "summary": "Tea"},
        {**base, "type": "user", "uuid": "1", "message": {"role": "user", "content": "I take my tea without milk."}},
        {**base, "type": "assistant", "uuid": "2", "message": {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted."}]}},
        {**base, "type": "user", "uuid": "3", "message": {"role": "user", "content": [
            {"type": "tool_result", "content": "exit 0"}]}},
        {**base, "type": "user", "uuid": "4", "message": {"role": "user", "content": "<command-name>x</command-name>"}},
        {**base, "type": "user", "uuid": "5", "isSidechain": True, "message": {"role": "user", "content": "search"}},
    ]  # fmt: skip
    (folder / "-src-shop").mkdir()
    (folder / "-src-shop" / "s1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def codex(folder: Path) -> Path:
    def entry(role: str, kind: str, text: str) -> dict[str, Any]:
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return {"timestamp": "2025-06-01T10:00:00Z", "type": "response_item", "payload": payload}

    lines = [
        {"timestamp": "2025-06-01T10:00:00Z", "type": "session_meta", "payload": {"id": "c1", "cwd": "/src/shop"}},
        entry("developer", "input_text", "Be careful."),
        entry("user", "input_text", "<environment_context>linux</environment_context>"),
        entry("user", "input_text", "I take my tea without milk."),
        {"timestamp": "2025-06-01T10:00:01Z", "type": "response_item", "payload": {"type": "function_call"}},
        entry("assistant", "output_text", "Noted."),
    ]
    path = folder / "2025" / "06" / "rollout-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(map(json.dumps, lines)))
    return folder


def gemini_cli(folder: Path) -> Path:
    messages = [
        {"id": "1", "type": "user", "content": "I take my tea without milk.", "timestamp": "2025-06-01T10:00:00Z"},
        {"id": "2", "type": "info", "content": "Update available."},
        {"id": "3", "type": "gemini", "content": "Noted.", "timestamp": "2025-06-01T10:00:01Z"},
    ]
    path = folder / "chats" / "session-1.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"sessionId": "g1", "messages": messages}))
    return folder


def chatgpt(folder: Path) -> Path:
    """An archive with a conversation whose first question was written anew: the branch that was left is not seen."""

    def node(name: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        message = {"author": {"role": role}, "content": content, "create_time": 1748772000.5}
        return {"id": name, "parent": parent, "message": message}

    nodes = [
        {"id": "root", "parent": None, "message": None},
        node("a", "root", "user", "I take my tea with milk."),
        node("b", "root", "user", "I take my tea without milk."),
        node("c", "b", "assistant", "Noted."),
        node("d", "c", "tool", "exit 0"),
    ]
    conversation = {"conversation_id": "k1", "mapping": {one["id"]: one for one in nodes}, "current_node": "d"}
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([conversation]))
    return folder / "export.zip"


def claude(folder: Path) -> Path:
    messages = [
        {"uuid": "1", "sender": "human", "text": "I take my tea without milk.", "created_at": "2025-06-01T10:00:00Z"},
        {"uuid": "2", "sender": "assistant", "text": "", "content": [{"type": "text", "text": "Noted."}]},
    ]
    (folder / "conversations.json").write_text(json.dumps([{"uuid": "k1", "name": "Tea", "chat_messages": messages}]))
    return folder


MAKERS: dict[str, tuple[Callable[[Path], Path], int, str]] = {
    "agentos-1": (agentos_1, 5, "the vault opens at nine"),
    "claude-mem": (claude_mem, 2, "The total was a float."),
    "server-memory": (server_memory, 3, "Ann works at Globex"),
    **{
        made.__name__.replace("_", "-"): (made, 2, "tea without milk")
        for made in (claude_code, codex, gemini_cli, chatgpt, claude)
    },
    "mem0": (mem0, 2, "Is allergic to nuts"),
    "basic-memory": (basic_memory, 4, "Coffee: Pour over takes three minutes (measured)"),
    "instructions": (instructions, 4, "Shop › Commands: Deploy only from the release branch."),
    "git": (git, 2, "Fix the cart\nCents."),
}


LEFT_OUT = {"chatgpt": ("in all: 1 messages of abandoned branches left out", "in all: 1 results of tools left out")}


@pytest.mark.parametrize("name", MAKERS)
async def test_a_format_is_found_out_previewed_and_taken_once(agentos: AgentOS, tmp_path: Path, name: str) -> None:
    make, count, content = MAKERS[name]
    source = tmp_path / "source"
    source.mkdir()
    path = make(source)
    before = await agentos.portability.canonical_hash()
    looked = await agentos.portability.take("ann", path, default="ann", dry_run=True)
    assert (looked.format, looked.new, looked.known, looked.refused) == (name, count, 0, LEFT_OUT.get(name, ()))
    assert await agentos.portability.canonical_hash() == before, "a preview changes nothing"
    assert await agentos.portability.take("ann", path, name, default="ann") == looked
    again = await agentos.portability.take("ann", path, default="ann")
    assert (again.new, again.known) == (0, count)
    stored = (await agentos.memory.page("ann", limit=50)).memories
    [found] = [memory for memory in stored if content in memory.content]
    assert found.source.startswith("import: ")
    unsure = name in ("instructions", "git")
    assert (found.status is Status.CANDIDATE) is unsure
    assert (found.confidence < 0.5) is unsure


async def test_a_conversation_that_is_back_filled_stands_where_it_happened(
    agentos: AgentOS, tmp_path: Path, clock: Clock
) -> None:
    await agentos.turns.add("ann", "today", "user", "Is the shop open?")
    clock.advance(minutes=5)
    await agentos.portability.take("ann", claude_code(tmp_path), default="ann")
    today, filled = await agentos.sessions.page("ann")
    assert (today.key, filled.key) == ("today", "claude-code/s1")
    assert filled.started_at == filled.last_at == datetime(2025, 6, 1, 10, tzinfo=UTC)
    clock.advance(days=1)
    await agentos.turns.add("ann", "claude-code/s1", "user", "And tomorrow?")
    [again, _] = await agentos.sessions.page("ann")
    assert (again.started_at, again.last_at) == (filled.started_at, clock.now)


async def test_transcripts_become_conversations_whose_facts_wait_for_confirmation(
    agentos: AgentOS, tmp_path: Path
) -> None:
    await agentos.portability.take("ann", claude_code(tmp_path), default="ann")
    [one, other] = await agentos.turns.turns("ann", "claude-code/s1")
    assert [(turn.role, turn.text) for turn in (one, other)] == [
        ("user", "I take my tea without milk."),
        ("assistant", "Noted."),
    ]
    assert one.occurred_at.isoformat() == "2025-06-01T10:00:00+00:00"
    await agentos.extraction.analyse("ann", [one.memory_id, other.memory_id])
    facts = [memory for memory in (await agentos.memory.page("ann")).memories if memory.source == "extraction"]
    assert all(memory.status is Status.CANDIDATE for memory in facts)


def numbered_chats(folder: Path) -> Path:
    def chat(name: str, text: str) -> dict[str, Any]:
        message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}}
        return {"conversation_id": name, "mapping": {"a": {"parent": None}, "b": {"parent": "a", "message": message}}}

    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        archive.writestr("conversations-000.json", json.dumps([chat("k1", "The bell is green.")]))
        archive.writestr(
            "conversations-001.json", json.dumps([chat("k2", "My password is blue42!horse"), {"mapping": {}}])
        )
        archive.writestr("conversations-002.json", "[{")
    return folder / "export.zip"


def chat_with_more_than_text(folder: Path) -> Path:
    kinds = {
        "b": {"content_type": "multimodal_text", "parts": [{"asset_pointer": "x"}, "Is the gate shut?"]},
        "c": {"content_type": "thoughts", "thoughts": []},
        "d": {"content_type": "text", "parts": ["It is shut."]},
    }
    nodes = {
        key: {"parent": chr(ord(key) - 1), "message": {"author": {"role": "assistant"}, "content": content}}
        for key, content in kinds.items()
    }
    chat = {"conversation_id": "k", "current_node": "d", "mapping": {"a": {"parent": None}, **nodes}}
    (folder / "conversations.json").write_text(json.dumps([chat]))
    return folder


def chat_of_many_kinds(folder: Path) -> Path:
    """Custom instructions, memories, a canvas, what is hidden or drawn, a speech, and a branch that was left."""

    def node(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
        content = content if isinstance(content, dict) else {"content_type": "text", "parts": [content]}
        return {"parent": f"n{number - 1}", "message": {"author": {"role": role}, "content": content, **more}}

    told = "The user provided this:\n```{}```"
    instructions = {"content_type": "user_editable_context", "user_profile": told.format("Ann dives.")}
    spoken = {"content_type": "audio_transcription", "text": "Book a boat."}
    nodes = [
        node(0, "user", instructions, metadata={"is_visually_hidden_from_conversation": True}),
        node(1, "user", "Wreck", metadata={"is_visually_hidden_from_conversation": True}),
        node(2, "user", "How deep is it?", metadata={"attachments": [{"name": "a.pdf"}]}, recipient=None),
        node(3, "assistant", {"content_type": "code", "text": "search()"}, recipient="web"),
        node(4, "tool", "ten pages"),
        node(
            5,
            "assistant",
            'The \ue200entity\ue202["x","Wreck"]\ue201 is deep.\ue200cite\ue202turn0\ue201',
            recipient="all",
        ),
        node(6, "assistant", '{"name": "Plan"}', recipient="canmore.create_textdoc"),
        node(7, "assistant", "Ann dives on Mondays.", recipient="bio"),
        node(8, "user", {"content_type": "multimodal_text", "parts": [spoken]}),
    ]
    left = {"parent": "n1", "message": node(0, "user", "How wide?")["message"]}
    mapping = {**{f"n{number}": one for number, one in enumerate(nodes)}, "x": left}
    (folder / "conversations").mkdir()
    chat = {"id": "k", "create_time": 1748772000, "mapping": mapping, "current_node": "n8"}
    (folder / "conversations" / "k.json").write_text(json.dumps(chat))
    with zipfile.ZipFile(folder / "part.zip", "w") as archive:  # which tells the same again
        archive.writestr("conversations.json", json.dumps([chat]))
        archive.writestr("group_chats.json", json.dumps({"chats": [{}]}))
    return folder


def claude_with_branches(folder: Path) -> Path:
    """Each message names the one before; of one nothing but tools and a placeholder for them is left."""
    tools = [{"type": "tool_use"}, {"type": "tool_result", "content": [{"type": "text", "text": "ok"}]}]
    said = [
        ("1", "0", "human", [{"type": "text", "text": "Bake it."}], "Bake it."),
        ("2", "1", "assistant", tools, "This block is not supported."),
        ("3", "2", "human", [{"type": "text", "text": "At 230."}], "At 230."),
        ("4", "2", "human", [{"type": "text", "text": "At 220."}], "At 220."),
    ]
    keys = ("uuid", "parent_message_uuid", "sender", "content", "text")
    messages = [{**dict(zip(keys, one, strict=True)), "created_at": f"2026-01-0{one[0]}T10:00:00Z"} for one in said]
    (folder / "conversations.json").write_text(json.dumps([{"uuid": "k", "chat_messages": messages}]))
    return folder


def claude_with_a_gap(folder: Path) -> Path:
    """The message that another one names as its own parent is not in the export."""
    said = [("1", "0", "human", "Heat the oven."), ("3", "2", "assistant", "It is hot.")]
    messages = [dict(zip(("uuid", "parent_message_uuid", "sender", "text"), one, strict=True)) for one in said]
    (folder / "conversations.json").write_text(json.dumps([{"uuid": "k", "chat_messages": messages}]))
    return folder


def claude_with_a_folder_of_projects(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        archive.writestr("data/conversations.json", "[]")
        archive.writestr("data/projects/p1.json", json.dumps({"name": "Site", "prompt_template": "Answer in Dutch."}))
    return folder / "export.zip"


def chat_downloaded_again(folder: Path) -> Path:
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["The fig is ripe."]}}
    (folder / "Conversations (2).json").write_text(json.dumps({"mapping": {"a": {"message": message}}}))
    return folder


def claude_with_all(folder: Path) -> Path:
    attached = {
        "attachments": [{"file_name": "a.txt", "extracted_content": "The oven is blue."}],
        "files": [{"file_name": "b.png"}],
    }
    message = {"uuid": "1", "sender": "human", "text": "See these.", **attached}
    project = {
        "name": "Site",
        "prompt_template": "Answer in Dutch.",
        "docs": [{"filename": "c.md", "content": "Links are red."}],
    }
    documents = {
        "conversations": [{"uuid": "k1", "chat_messages": [message]}],
        "memories": [{"conversations_memory": "Ann bakes.", "project_memories": {"p": "The site is static."}}, 7],
        "projects": [project],
    }
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return folder


def resumed(folder: Path) -> Path:
    def line(session: str, uuid: str, text: str, **more: Any) -> str:
        message = {"role": "user", "content": text}
        return json.dumps({"type": "user", "sessionId": session, "uuid": uuid, "message": message, **more}) + "\n"

    (folder / "b.jsonl").write_text(line("s1", "u1", "The hall is cold."))
    (folder / "a.jsonl").write_text(
        line("s2", "u1", "The hall is cold.")
        + line("s2", "u2", "The user wants to leave.", isCompactSummary=True)
        + line("s2", "u3", "The attic is warm.")
    )
    os.utime(folder / "b.jsonl", (1, 1))
    return folder


def forked(folder: Path) -> Path:
    """A fork whose copies have new ids, what the program writes in both places, and what it puts before words."""

    def line(name: str, uuid: str, role: str, content: Any, **more: Any) -> str:
        message = {"role": role, "content": content, **more.pop("message", {})}
        return json.dumps({"type": role, "sessionId": name, "uuid": uuid, "message": message, **more}) + "\n"

    (folder / "a.jsonl").write_text(line("s1", "u1", "user", "The hall is cold."))
    opened = {"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}
    (folder / "b.jsonl").write_text(
        line("s2", "v1", "user", "The hall is cold.", forkedFrom={"sessionId": "s1", "messageUuid": "u1"})
        + line("s2", "v2", "user", "<command-name>/x</command-name>\n  <command-args></command-args>")
        + line("s2", "v3", "user", [opened, {"type": "text", "text": "Why is <b>this</b> so?"}])
        + line("s2", "v4", "assistant", "API Error", isApiErrorMessage=True)
        + line("s2", "v5", "assistant", "No response requested.", message={"model": "<synthetic>"})
        + line("s2", "v6", "user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    )
    os.utime(folder / "a.jsonl", (1, 1))
    return folder


def codex_of_old(folder: Path) -> Path:
    """Lines without types or times, and what an editor puts before a request."""

    def message(role: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}

    editor = "# Context from my IDE setup:\n- a.py\n\n## My request for Codex:\nPaint the gate."
    program = "<user_instructions>Be brief.</user_instructions>"
    begin = {"id": "c1", "timestamp": "2025-06-01T10:00:00Z", "instructions": None}
    lines = [begin, {"record_type": "state"}, message("user", program), message("user", editor)]
    (folder / "rollout-1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def gemini_recorded(folder: Path) -> Path:
    """Lines of which some are written again, and some were taken back."""
    lines = [
        {"sessionId": "g1", "projectHash": "x", "startTime": "2026-01-01T10:00:00Z"},
        {"id": "a", "type": "user", "content": [{"text": "See @a.md, a long file"}], "displayContent": "See @a.md"},
        {"id": "b", "type": "gemini", "content": ""},
        {"id": "b", "type": "gemini", "content": "It is short."},
        {"id": "c", "type": "user", "content": "Delete it."},
        {"$rewindTo": "c"},
        {"$set": {"messages": [{"type": "user", "content": one} for one in ("Keep it.", "Dust it.")]}},
    ]
    (folder / "session-1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def codex_forked(folder: Path) -> Path:
    """A session, one that was forked off it, one resumed in a file of its own, and one that only begins alike."""
    summary = "The roof of the shed leaks and is to be mended."

    def message(minute: int, role: str, text: str) -> dict[str, Any]:
        payload = {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}
        return {"timestamp": f"2025-06-01T10:{minute:02}:00Z", "type": "response_item", "payload": payload}

    def session(number: int, *lines: dict[str, Any], **more: Any) -> None:
        meta = {"type": "session_meta", "payload": {"id": f"c{number}", "cwd": "/src/shed", **more}}
        text = "\n".join(map(json.dumps, [meta, *lines]))
        (folder / f"rollout-{number}.jsonl").write_text(text)

    def begun(minute: int) -> tuple[dict[str, Any], ...]:
        return message(minute, "user", "The shed is green."), message(minute + 1, "assistant", "Noted.")

    compacted = {"type": "compacted", "payload": {"message": summary}}
    session(1, *begun(1))
    session(2, *begun(21), message(23, "user", "Its door is red."), forked_from_id="c1")
    compaction = message(31, "user", "Sum up."), message(32, "assistant", summary), compacted
    told = message(33, "user", f"Another model has worked on this:\n{summary}")
    session(3, *begun(1), *compaction, told, message(34, "user", "Its floor is dry."))
    session(4, *begun(41)[:1])
    return folder


def codex_compacted(folder: Path) -> Path:
    """A session whose summary nobody asked for and its user quotes, and two without times that begin alike."""
    summary = "The mill runs on Mondays and rests on Sundays."

    def session(number: int, *said: tuple[str, str], compacted: str = "") -> None:
        lines = [{"type": "session_meta", "payload": {"id": f"c{number}", "cwd": "/src/mill"}}]
        for role, text in said:
            content = [{"type": "text", "text": text}]
            lines.append({"type": "response_item", "payload": {"type": "message", "role": role, "content": content}})
        lines.append({"type": "compacted", "payload": {"message": compacted}})
        (folder / f"rollout-{number}.jsonl").write_text("\n".join(map(json.dumps, lines)))

    quoted = f"Keep in mind: {summary} But it stands still in May."
    answers = ("assistant", "Its wheel is oak."), ("assistant", summary)
    session(1, ("user", "See the mill."), *answers, ("user", quoted), ("user", summary), compacted=summary)
    session(2, ("user", "Go on."), ("assistant", "One."))
    session(3, ("user", "Go on."), ("assistant", "Two."))
    return folder


@every(
    ("make", "stored", "left_out"),
    [
        (
            numbered_chats,
            ("The bell is green.", "My password is [redacted:password]"),
            ("no messages", "conversations-002"),
        ),
        (
            claude_with_all,
            (
                "See these.",
                "The oven is blue.",
                "Ann bakes.",
                "The site is static.",
                "Answer in Dutch.",
                "Links are red.",
            ),
            ("1 attached files", "memories.json, entry 2"),
        ),
        (
            chat_with_more_than_text,
            ("Is the gate shut?", "It is shut."),
            ("1 images or sounds left out", "1 messages of kind thoughts left out"),
        ),
        (
            chat_of_many_kinds,
            ("Ann dives.", "Ann dives on Mondays.", "How deep is it?", "The Wreck is deep.", "Book a boat."),
            (
                *(
                    "2 attached files",
                    "2 calls of web",
                    "2 calls of canmore",
                    "2 results of tools",
                    "1 chats of groups",
                ),
                *("2 messages that the program wrote", "2 messages of abandoned branches"),
            ),
        ),
        (
            claude_with_branches,
            ("Bake it.", "At 220."),
            ("1 blocks of kind tool_use", "1 blocks of kind tool_result", "1 messages of abandoned branches"),
        ),
        (forked, ("The hall is cold.", "Why is <b>this</b> so?"), ()),
        (codex_of_old, ("Paint the gate.",), ()),
        (gemini_recorded, ("See @a.md", "It is short.", "Keep it.", "Dust it."), ("1 messages that were taken back",)),
        (claude_with_a_gap, ("Heat the oven.", "It is hot."), ()),
        (claude_with_a_folder_of_projects, ("Answer in Dutch.",), ()),
        (chat_downloaded_again, ("The fig is ripe.",), ()),
        (resumed, ("The hall is cold.", "The attic is warm."), ()),
        (codex_forked, (*["The shed is green."] * 2, "Noted.", "Its door is red.", "Its floor is dry."), ()),
        (
            codex_compacted,
            (
                "See the mill.",
                "Its wheel is oak.",
                "Keep in mind: But it stands still in May.",
                *["Go on."] * 2,
                "One.",
                "Two.",
            ),
            (),
        ),
    ],
)
async def test_all_of_an_archive_comes_in_once_or_is_named_as_left_out(
    agentos: AgentOS, tmp_path: Path, make: Callable[[Path], Path], stored: tuple[str, ...], left_out: tuple[str, ...]
) -> None:
    folder = tmp_path / make.__name__
    folder.mkdir()
    owner = make.__name__
    done = await agentos.portability.take(owner, make(folder), default="ann")
    assert sorted(one.content for one in (await agentos.memory.page(owner, limit=50)).memories) == sorted(stored)
    assert len(done.refused) == len(left_out)
    assert all(any(words in one for one in done.refused) for words in left_out), done.refused
    assert not any("blue42" in one for one in done.examples), "a preview shows no secret"


async def test_a_resumed_transcript_repeats_nothing_of_an_earlier_import(agentos: AgentOS, tmp_path: Path) -> None:
    first, second = resumed(tmp_path) / "b.jsonl", tmp_path / "a.jsonl"
    await agentos.portability.take("ann", first, default="ann")
    done = await agentos.portability.take("ann", second, default="ann")
    contents = sorted(one.content for one in (await agentos.memory.page("ann", limit=50)).memories)
    assert contents == ["The attic is warm.", "The hall is cold."] and not done.refused


@every("name", ["2025_06_01", "20250601", "Journal 2025.06.01"])
async def test_a_daily_note_has_its_day(agentos: AgentOS, tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.md").write_text("The lamp is lit.\n\n~~~~\n~~~\n#no tag\n")
    await agentos.portability.take(name, tmp_path, "basic-memory", default="ann")
    notes = (await agentos.memory.page(name)).memories
    assert {one.occurred_at.date().isoformat() for one in notes if one.occurred_at} == {"2025-06-01"}
    assert not any(one.tags for one in notes)
    (tmp_path / f"{name}.md").unlink()


async def test_a_note_has_its_day_its_aliases_and_no_tags_of_its_code(agentos: AgentOS, tmp_path: Path) -> None:
    (tmp_path / "2025-06-01.md").write_text("---\naliases: [Sunday]\n---\nRun it: #work\n```\n#include <x.h>\n```\n")
    await agentos.portability.take("ann", tmp_path, "basic-memory", default="ann")
    [note] = (await agentos.memory.page("ann")).memories
    assert note.occurred_at is not None and note.occurred_at.date().isoformat() == "2025-06-01"
    assert note.metadata["aliases"] == "Sunday" and note.tags == ("work",)


async def test_each_agent_of_a_database_keeps_its_own(agentos: AgentOS, tmp_path: Path) -> None:
    await agentos.portability.take(None, agentos_1(tmp_path), default="somebody")
    [anns] = (await agentos.memory.page("ann")).memories
    assert (anns.content, anns.importance) == ("the vault opens at nine", 0.9), "it was rated by the same formula"
    [tally] = await agentos.reflection.tallies("ann", timedelta(days=3650))
    assert (tally.action, tally.failures, tally.last_failure) == ("turn the key", 1, "it broke")
    [bobs] = (await agentos.memory.page("bob")).memories
    assert bobs.memory_type == "episodic", "it does not expire"
    goals = {goal.title: goal for goal in (await agentos.goals.page("ann", "all")).goals}
    assert goals["open the vault"].progress == 0.5
    assert goals["find the key"].status == "completed"
    assert (await agentos.memory.page("somebody")).total == 0


async def test_dates_and_what_belongs_together_come_along(agentos: AgentOS, tmp_path: Path) -> None:
    await agentos.portability.take("ann", claude_mem(tmp_path), default="ann")
    [summary, observation] = (await agentos.memory.page("ann")).memories
    assert observation.occurred_at.isoformat() == "2025-01-01T00:00:00+00:00"
    assert observation.metadata["files_modified"] == ["b.py"] and set(observation.tags) == {
        "observation",
        "bugfix",
        "money",
    }
    assert "Learned: floats round" in summary.content


@pytest.mark.parametrize("content", ["", "nonsense", "{}", "[1]"])
async def test_what_is_of_no_known_format_is_refused(agentos: AgentOS, tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match="known format"):
        await agentos.portability.take("ann", path, default="ann")
    with pytest.raises(InvalidInput):
        await agentos.portability.take("ann", path, "claude-mem", default="ann")
    with pytest.raises(InvalidInput, match="is unknown"):
        await agentos.portability.take("ann", path, "nothing", default="ann")
    with pytest.raises(InvalidInput, match="there is no"):
        await agentos.portability.take("ann", tmp_path / "nowhere", default="ann")


async def test_what_is_not_acceptable_is_reported_and_the_rest_comes_in(agentos: AgentOS, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(
        json.dumps([{"memory": " "}, {"memory": "Prefers trains", "created_at": "no date"}, {"memory": "ok"}])
    )
    done = await agentos.portability.take("ann", path, default="ann")
    assert (done.new, len(done.refused)) == (1, 2)


ODD: dict[str, str | bytes] = {
    "deep.json": "[" * 100_000,
    "deep.jsonl": '{"a":' * 50_000,
    "empty.json": "",
    "binary.json": bytes(range(256)) * 40,
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("kind", [None, "claude-mem", "agentos-1"])
async def test_what_is_not_what_it_looks_like_is_refused_as_such(
    agentos: AgentOS, tmp_path: Path, name: str, kind: str | None
) -> None:
    path, content = tmp_path / name, ODD[name]
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InvalidInput):
        await agentos.portability.take("ann", path, kind, default="ann")


@pytest.mark.parametrize(
    "odd",
    [
        {"memory": "", "text": ""},
        {"memory": "\ud800 is no text"},
        {"memory": "a\x00b"},
        {"memory": "it rains", "created_at": 5},
        {"memory": "it rains", "created_at": "some day"},
        {"memory": "it rains", "created_at": "9999-12-31T23:59:59-12:00"},
    ],
)
async def test_an_odd_entry_is_refused_alone_and_the_preview_says_so(
    agentos: AgentOS, tmp_path: Path, odd: dict[str, object]
) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([odd, {"memory": "it snows"}]))
    looked = await agentos.portability.take("ann", path, default="ann", dry_run=True)
    assert (looked.new, len(looked.refused)) == (1, 1)
    assert await agentos.portability.take("ann", path, default="ann") == looked


STRANGE: tuple[Any, ...] = (None, True, 1e308, -1, "", "x" * 300, [], [[]], {}, {"a": [None]})


def strangers(value: Any) -> Iterator[Any]:
    """A document, as often as it has values, each time with another one of them of an unexpected kind."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            for other in (*strangers(value[key]), *STRANGE):
                changed = value.copy()
                changed[key] = other
                yield changed


@pytest.mark.parametrize("name", ["server-memory", "claude-code", "codex", "gemini-cli", "chatgpt", "claude", "mem0"])
def test_a_value_of_an_unexpected_kind_keeps_no_other_entry_out(tmp_path: Path, name: str) -> None:
    path = MAKERS[name][0](tmp_path)
    file, within = next(one for one in (path, *path.rglob("*")) if one.is_file()), "conversations.json"
    lines = name in ("server-memory", "claude-code", "codex")
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as archive:
            sample = json.loads(archive.read(within))
    else:
        sample = [json.loads(one) for one in file.read_text().splitlines()] if lines else json.loads(file.read_text())
    broken = {}
    for odd in strangers(sample):
        text = "\n".join(map(json.dumps, odd)) if lines and isinstance(odd, list) else json.dumps(odd)
        if file.suffix == ".zip":
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr(within, text)
        else:
            file.write_text(text)
        try:
            list(FORMATS[name].read(path))
        except Exception as error:  # noqa: BLE001 - it is what is looked for
            broken[f"{type(error).__name__}: {error}"] = text[:300]
    assert not broken


async def test_values_of_any_type_in_a_database_are_refused_alone(agentos: AgentOS, tmp_path: Path) -> None:
    path = agentos_1(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            INSERT INTO memories (id, agent_id, content, importance, memory_type, tags, created_at) VALUES
                ('m3', 'ann', NULL, .5, 'semantic', '[]', '2025-01-01'),
                ('m4', 'ann', x'00ff', .5, 'semantic', '[]', '2025-01-01'),
                ('m5', 'ann', 'a text', x'00', 'semantic', '[]', '2025-01-01'),
                ('m6', 'ann', 'a text', 'much', 'semantic', '[]', '2025-01-01'),
                ('m7', 'a' || char(27), 'a text', .5, 'semantic', '[]', '2025-01-01');
            INSERT INTO goals (id, agent_id, title, priority, urgency, status, progress, created_at) VALUES
                ('g3', 'ann', NULL, .5, .5, 'active', 0, '2025-01-01'),
                ('g4', 'ann', 'a goal', 'high', .5, 'active', 0, '2025-01-01');
        """)
        connection.commit()
    looked = await agentos.portability.take(None, path, default="ann", dry_run=True)
    assert (looked.new, len(looked.refused)) == (5, 7)
    assert await agentos.portability.take(None, path, default="ann") == looked


@pytest.mark.parametrize(
    "trap",
    [
        "CREATE VIEW {} AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n;",
        "CREATE TABLE {} (id, wide AS (hex(zeroblob(7000000)) LIKE '%0%0%0%0%0%0%0%0%0%0%0%1'));"
        "INSERT INTO {} (id) VALUES (1);",
    ],
)
async def test_what_a_foreign_database_computes_is_never_computed(agentos: AgentOS, tmp_path: Path, trap: str) -> None:
    path = agentos_1(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TABLE IF EXISTS thought_nodes;" + trap.replace("{}", "thought_nodes"))
    before = (await agentos.portability.take("ann", path, default="ann", dry_run=True)).new
    assert before and (await agentos.portability.take("ann", path, default="ann")).new == before


async def test_a_database_of_another_shape_is_refused(agentos: AgentOS, tmp_path: Path) -> None:
    names = ("memories", "goals", "reflection_logs", "daemon_heartbeat")
    path = database(tmp_path / "x.db", "".join(f"CREATE TABLE {name} (created_at, id);" for name in names))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO memories VALUES (1, 2)")
        connection.commit()
    with pytest.raises(InvalidInput, match="cannot be read"):
        await agentos.portability.take("ann", path, default="ann")


@pytest.mark.parametrize("name", ["server-memory", "mem0", "basic-memory", "instructions"])
async def test_byte_order_marks_and_other_line_ends_change_nothing(agentos: AgentOS, tmp_path: Path, name: str) -> None:
    make, count, content = MAKERS[name]
    source = tmp_path / "source"
    source.mkdir()
    path = make(source)
    for file in (file for file in source.rglob("*") if file.is_file()):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    taken = await agentos.portability.take("ann", path, default="ann")
    assert (taken.format, taken.new, taken.refused) == (name, count, LEFT_OUT.get(name, ()))
    assert any(content in memory.content for memory in (await agentos.memory.page("ann", limit=50)).memories)


def test_only_the_regular_files_of_a_folder_are_read(tmp_path: Path) -> None:
    """No pipe, no device, nothing behind a link that leads out; a link within the folder is a file of it."""
    vault, outside = tmp_path / "vault", tmp_path / "outside.md"
    (vault / ".cursor" / "rules").mkdir(parents=True)
    outside.write_text("- [note] the secret of another folder, long enough\n")
    (vault / "a.md").write_text("---\npermalink: a\n---\n- [note] what this note says\n")
    (vault / "b.md").symlink_to(outside)
    (vault / "zero.md").symlink_to("/dev/zero")
    (vault / "up").symlink_to("/")
    os.mkfifo(vault / "pipe.md")
    (vault / "CLAUDE.md").symlink_to(outside)
    (vault / "real.txt").write_text("- run the linter before each commit\n")
    (vault / "AGENTS.md").symlink_to(vault / "real.txt")
    (vault / ".cursor" / "rules" / "x.mdc").symlink_to(outside)
    (vault / "gone.md").symlink_to("nowhere.md")
    (vault / "GEMINI.md").write_bytes(b"\0")
    unread = {"CLAUDE.md", "GEMINI.md", "b.md", "gone.md", "pipe.md", "up", "zero.md"}
    for name, message, named in (
        ("basic-memory", "a: what this note says", unread),
        ("instructions", "run the linter before each commit", {"CLAUDE.md", "GEMINI.md"}),
    ):
        _, entries = FileImports().entries(vault, name)
        contents = [entry.content for entry in entries if isinstance(entry, MemoryEntry)]
        assert {entry.where for entry in entries if isinstance(entry, Refused)} == named
        assert message in contents and not any("another folder" in content for content in contents)
    for name in ("pipe.md", "up"):
        with pytest.raises(InvalidInput):
            FileImports().entries(vault / name, "mem0")
    os.mkfifo(vault / "pipe.zip")
    (vault / "zero.zip").symlink_to("/dev/zero")
    for name in ("pipe.zip", "zero.zip"):
        with pytest.raises(InvalidInput, match="neither a regular file nor a folder"):
            FileImports().entries(vault / name, None)
