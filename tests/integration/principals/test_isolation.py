"""Isolation: for every tool there is, what a principal is told does not depend on what another one keeps."""

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.features import registered
from agentos.modules import identifiers
from agentos.modules.agentos import AgentOS
from agentos.modules.plugins.feature import with_parts
from agentos.modules.principals.models import Caller, Door, Right, Role
from agentos.storage.sqlite.store import SqliteStore
from agentos.tools.arguments import OF_IDS
from agentos.tools.bound import BoundTool, bind
from agentos.tools.calling import call
from agentos.tools.catalog import all_tools
from agentos.tools.tool import NAMESPACES
from tests.integration.conftest import Clock, WordEmbedder

ID = re.compile(r"\b[a-z]+_[0-9a-f]{20}\b")
MARK = "zebrafish"
"""In every text of the other principal, and in no argument."""
TEXTS = ("the deploy runs on tuesday", "billing uses the database", "the deploy failed twice", "maria owns billing")
BOUND = list({one.tool.name: one for one in reversed(bind(all_tools(None)))}.values())[::-1]
ORDERED = sorted(BOUND, key=lambda one: (not one.tool.read_only, one.tool.destructive))
"""Tools that only read come first, and those that delete last."""


def caller(name: str) -> Caller:
    return Caller(name, Role.WRITER, {name: Right.WRITE}, name, Door.HTTP)


class Ids:
    """Makes ids that depend on who asks, in which store, and how many they have: both stores give bob the same."""

    def __init__(self) -> None:
        self.asking = ("", "")
        self.made: Counter[tuple[str, str]] = Counter()

    def new(self, prefix: str) -> str:
        self.made[self.asking] += 1
        return f"{prefix}_{hashlib.sha256(f'{self.asking[1]}{self.made[self.asking]}'.encode()).hexdigest()[:20]}"


@dataclass
class Side:
    """A store, and the ids that each principal has in it, by the beginning of an id."""

    name: str
    agentos: AgentOS
    clock: Clock
    makes: Ids
    ids: dict[str, dict[str, str]] = field(default_factory=dict)

    async def ask(self, tool: BoundTool, who: str, given: Mapping[str, Any]) -> str:
        """The whole answer, or the refusal."""

        async def opener() -> AgentOS:
            return self.agentos

        self.makes.asking = (self.name, who)
        try:
            result = await call(tool, opener, caller(who), "test", dict(given))
        except Exception as error:  # noqa: BLE001 - it is what the caller is told
            return f"{type(error).__name__}: {error}"
        await self.agentos.memory.settled()
        answer = json.dumps(result["structuredContent"]) + "".join(one.get("text", "") for one in result["content"])
        for found in ID.findall(answer):
            self.ids.setdefault(who, {}).setdefault(found.partition("_")[0], found)
        return answer

    async def fill(self, who: str, mark: str = "") -> None:
        """What each subject keeps: the same for both principals, but for the mark."""
        by_name = {one.tool.name: one for one in BOUND}
        begin = self.clock.now
        for number, text in enumerate(TEXTS):
            self.clock.now = begin + timedelta(minutes=number)  # nothing is as old as another, so that all has an order
            content = f"{text} {mark}".strip()
            await self.ask(by_name["memory_store"], who, {"content": content, "tags": ["ops"], "session": "s"})
            action = {"action": "deploy", "outcome": content, "success": number % 2 == 0}
            await self.ask(by_name["reflection_log"], who, action)
            if number < 2:
                goal = {"title": content, "description": content, "tags": ["ops"]}
                await self.ask(by_name["goal_add"], who, goal)
        await self.agentos.embedding.caught_up(10)
        self.clock.now = begin


def example(side: Side, who: str, name: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """A value of an argument, by its name and schema."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "array":
        return [example(side, who, name, schema.get("items", {"type": "string"}), root)]
    if kind == "object" and schema.get("required"):
        return {one: example(side, who, one, schema["properties"][one], root) for one in schema["required"]}
    if name in OF_IDS and kind == "string":
        of_kind = {"goal_id": "goal", "parent_goal_id": "goal", "insight_id": "ins"}.get(name, "mem")
        return side.ids.get(who, {}).get(of_kind, "mem_" + "0" * 20)
    values = {"string": "deploy", "integer": 1, "number": 0.5, "boolean": False, "object": {}}
    return schema.get("const", values.get(str(kind), "deploy"))


def arguments(side: Side, who: str, tool: BoundTool) -> dict[str, Any]:
    schema = tool.model.model_json_schema()
    needed = [*schema.get("required", ()), *({"memory_id", "query"} & schema["properties"].keys())]
    return {name: example(side, who, name, schema["properties"][name], schema) for name in dict.fromkeys(needed)}


async def rows_of(store: SqliteStore, namespace: str) -> dict[str, list[tuple[Any, ...]]]:
    tables = await store.engine.read(
        "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'namespace' "
        "WHERE m.type = 'table' ORDER BY m.name"
    )
    return {
        table: [
            tuple(row) for row in await store.engine.read(f"SELECT * FROM {table} WHERE namespace = ?", (namespace,))
        ]
        for (table,) in tables
        if table not in ("usage", "index_outbox")
    }


@pytest.fixture
async def sides(
    tmp_path: Path, new_home: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[list[tuple[SqliteStore, Side]]]:
    opened = []
    makes = Ids()
    monkeypatch.setattr(identifiers, "new_id", makes.new)
    for name in ("alone", "shared"):
        home = tmp_path / name
        shutil.copytree(new_home, home)
        clock = Clock()
        store = await SqliteStore.open(home, home / "agentos.db", clock)
        settings = config.load({}, home=home)
        own = AgentOS.over(store, WordEmbedder(), settings, clock)
        agentos = with_parts(own, registered(), "wired", store.engine, settings)
        opened.append((store, Side(name, agentos, clock, makes)))
    yield opened
    for store, side in opened:
        await side.agentos.close()
        await store.close()


async def test_no_tool_tells_one_principal_of_another(sides: list[tuple[SqliteStore, Side]]) -> None:
    (_, alone), (store, shared) = sides
    for side in (alone, shared):
        await side.fill("bob")
    await shared.fill("ada", MARK)
    for _, side in sides:
        side.clock.advance(hours=1)
    before = await rows_of(store, "ada")
    assert before["memories"] and before["goals"] and before["events"]
    refused = []
    for tool in ORDERED:
        name = tool.tool.name
        answers = [await side.ask(tool, "bob", arguments(side, "bob", tool)) for side in (alone, shared)]
        assert answers[0] == answers[1], name
        refused += [name] if re.match(r"\w+: ", answers[0]) else []
        assert MARK not in answers[1], name
    for tool in ORDERED:
        name = tool.tool.name
        assert MARK not in await shared.ask(tool, "bob", arguments(shared, "ada", tool)), name
        for namespace in (*tool.tool.namespace_in, *([NAMESPACES] if tool.tool.sources == "named" else [])):
            given = {**arguments(shared, "bob", tool), namespace: ["ada"] if namespace == NAMESPACES else "ada"}
            assert "PermissionDenied" in await shared.ask(tool, "bob", given), name
    assert await rows_of(store, "ada") == before, "nor changed anything of the other's"
    assert len(refused) < len(ORDERED) / 3, f"too few tools were tried in earnest: {refused}"
