"""Secrets are looked for once in whatever a call brings, however many services it passes."""

import itertools
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentos import config
from agentos.database import OpenedStore
from agentos.interfaces.hooks.handler import HookHandler
from agentos.interfaces.hooks.occurrence import REDACTED_BY, Occurrence, bounded
from agentos.interfaces.hooks.spool import Spool
from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.redaction.redactor import SecretRedactor
from agentos.modules.redactor import Clean
from agentos.modules.version import VERSION
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.tools import calling
from agentos.tools.bound import bind
from agentos.tools.catalog import all_tools

T = TypeVar("T")
PIN = "my PIN is 4921"
LONG = "x" * 5_000


class Counting(SecretRedactor):
    """Notes what it is asked to look at, and that it has not looked at before."""

    def __init__(self) -> None:
        super().__init__(enabled=True)
        self.looked_at: list[str] = []

    async def text(self, value: str) -> str:
        self.note(value)
        return await super().text(value)

    async def json(self, value: T) -> T:
        self.note(value)
        return await super().json(value)

    async def named(self, name: str, value: str) -> str:
        self.note(value)
        return await super().named(name, value)

    async def kinds(self, values: object) -> dict[str, int]:
        self.note(values)
        return await super().kinds(values)

    def note(self, value: object) -> None:
        if isinstance(value, str) and not isinstance(value, Clean):
            self.looked_at.append(value)
        elif isinstance(value, dict | list | tuple):
            for part in (*value, *value.values()) if isinstance(value, dict) else value:
                self.note(part)

    def times(self, mark: str) -> int:
        """How many texts with a mark in them were looked at."""
        return sum(mark in text for text in self.looked_at)


@pytest.fixture
def redactor() -> Counting:
    return Counting()


@pytest.fixture
async def agentos(store: OpenedStore, home: Path, clock: Any, redactor: Counting) -> Any:
    wired = AgentOS.over(store, NoEmbedder(), config.load(home=home), clock, redactor=redactor)
    yield wired
    await wired.close()


@pytest.fixture
def call(agentos: AgentOS) -> Callable[..., Awaitable[dict[str, Any]]]:
    bound = {one.tool.name: one for one in reversed(bind(all_tools(None)))}  # of two of a name the first

    async def opener() -> AgentOS:
        return agentos

    async def run(tool: str, **given: Any) -> dict[str, Any]:
        result = await calling.call(bound[tool], opener, local_owner("ada", None, Door.STDIO), "test", given)
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    return run


MARKS = [f"mark{number}" for number in range(5)]


def marked(number: int) -> str:
    return f"{MARKS[number]} {PIN} {LONG}"


@pytest.mark.parametrize(
    ("tool", "given", "secrets"),
    [
        (
            "memory_store",
            {
                "content": marked(0),
                "tags": [MARKS[1]],
                "metadata": {"a": [f"{MARKS[2]} {PIN}"]},
                "source": MARKS[3],
                "session": MARKS[4],
            },
            2,
        ),
        ("memory_store", {"content": marked(0), "subject": "Ada", "attribute": "home", "value": MARKS[1]}, 1),
        ("turn_add", {"session": MARKS[0], "content": marked(1), "answer": marked(2), "key": MARKS[3]}, 2),
        ("conversation_add", {"session": MARKS[0], "messages": [{"role": "user", "content": marked(1)}]}, 1),
        ("goal_add", {"title": f"{MARKS[0]} {PIN}", "description": marked(1), "tags": [MARKS[2]]}, 2),
        ("reflection_log", {"action": MARKS[0], "outcome": marked(1), "context": marked(2), "success": False}, 2),
        ("save_memory", {"text": marked(0)}, 1),
        ("graph_extract_from_text", {"text": marked(0)}, 1),
        ("graph_add_node", {"node_type": "task", "label": MARKS[0], "description": f"{MARKS[1]} {PIN}"}, 1),
    ],
)
async def test_a_tool_looks_at_each_text_once_and_tells_what_it_took_out(
    call: Any, redactor: Counting, tool: str, given: dict[str, Any], secrets: int
) -> None:
    answer = await call(tool, **given)
    given_marks = [mark for mark in MARKS if mark in str(given)]
    assert {mark: redactor.times(mark) for mark in given_marks} == dict.fromkeys(given_marks, 1)
    assert answer["redacted"] == {"pin": secrets}


async def test_an_update_looks_at_its_text_once(call: Any, redactor: Counting) -> None:
    stored = await call("memory_store", content="a text")
    answer = await call("memory_update", memory_id=stored["id"], content=marked(0), metadata={"a": MARKS[1]})
    assert (redactor.times(MARKS[0]), redactor.times(MARKS[1]), answer["redacted"]) == (1, 1, {"pin": 1})


async def test_what_one_call_took_out_is_not_reported_by_the_next(call: Any) -> None:
    await call("memory_store", content=marked(0))
    assert "redacted" not in await call("memory_store", content="a text without any")


async def test_an_import_looks_at_each_entry_once(agentos: AgentOS, redactor: Counting, tmp_path: Path) -> None:
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps({"results": [{"id": str(n), "memory": marked(n)} for n in range(3)]}))
    taken = await agentos.portability.take("ada", file, default="ada")
    assert (taken.new, [redactor.times(mark) for mark in MARKS[:3]]) == (3, [1, 1, 1])


@pytest.fixture
async def handler(agentos: AgentOS, home: Path) -> Any:
    async def opener() -> AgentOS:
        return agentos

    made = HookHandler(home, opener, lambda agent: agent or "ada", frozenset())
    yield made
    await made.close()


KEYS = itertools.count()


def hook(event: str, **fields: Any) -> dict[str, Any]:
    common = {"client": "claude-code", "agent": "ada", "session": "s", "folder": "/w/app", "at": "1772452800"}
    return bounded(Occurrence(**{"event": event, **common, "key": f"k{next(KEYS)}", **fields}))


async def test_a_hook_looks_at_its_input_once(handler: HookHandler, redactor: Counting) -> None:
    for fields in (hook("prompt", prompt=marked(0)), hook("post-tool", tool="Bash", given={"command": marked(1)})):
        assert (await handler.answer(fields)).content["accepted"]
    assert [redactor.times(mark) for mark in MARKS[:2]] == [1, 1]


@pytest.mark.parametrize(("version", "looks"), [(VERSION, 0), ("0.0.1", 1), (None, 1)])
async def test_what_a_hook_redacted_before_it_spooled_it_is_looked_at_again_by_other_rules_alone(
    handler: HookHandler, redactor: Counting, home: Path, version: str | None, looks: int
) -> None:
    Spool(home).put({**hook("prompt", prompt=MARKS[0]), **({} if version is None else {REDACTED_BY: version})})
    assert await handler.replay() == 1
    assert redactor.times(MARKS[0]) == looks
