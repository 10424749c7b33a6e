"""What other systems keep is taken record by record: what is odd costs itself alone, and is named by its place."""

import json
import re
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput
from agentos.modules.memory.models import Memory
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.imports.formats import FileImports
from tests.integration.conftest import Clock
from tests.tables import every

NS = "ann"


def entity(name: str, *observations: Any) -> str:
    record = {"type": "entity", "name": name, "entityType": "bird", "observations": list(observations)}
    return json.dumps(record, ensure_ascii=False)


HERON = entity("Heron", "stands in the shallows")
RAIL = entity("Rail", "hides in the reeds")
OF_HERON, OF_RAIL = "Heron: stands in the shallows", "Rail: hides in the reeds"
RELATION = json.dumps({"type": "relation", "from": "Heron", "to": "Pond", "relationType": "lives_at"})

GRAPHS: list[tuple[str, str | bytes, set[str], list[str]]] = [
    ("glued", HERON + RAIL + RELATION, {OF_HERON, OF_RAIL, "Heron lives at Pond"}, []),
    ("torn within", f"{HERON}\n{RAIL[:30]}{RELATION}\n{RAIL}", {OF_HERON, OF_RAIL, "Heron lives at Pond"}, ["line 2"]),
    ("torn at the end", f"{HERON}\n{RAIL[:50]}", {OF_HERON}, ["line 2"]),
    ("a list", f"[{HERON},\n {RAIL}]", {OF_HERON, OF_RAIL}, []),
    ("a torn list", f"[{HERON},{RAIL},{RELATION[:20]}", {OF_HERON, OF_RAIL}, ["line 1"]),
    (
        "a torn list over lines",
        json.dumps([json.loads(HERON), json.loads(RAIL)], indent=2)[:-30],
        {OF_HERON},
        ["line 10"],
    ),
    (
        "one object",
        json.dumps(
            {"entities": [{"name": "Heron", "entityType": "bird", "observations": ["flies"]}], "relations": [7]}
        ),
        {"Heron: flies"},
        ["relation 1"],
    ),
    ("a blank first line", f"\n\n{HERON}\n", {OF_HERON}, []),
    ("a line about itself", f'{{"type":"_aim","version":1}}\n{HERON}', {OF_HERON}, []),
    ("bytes of another encoding", HERON.encode() + b'\n{"type":"entity","name":"\xe9"}\n', {OF_HERON}, ["line 2"]),
    ("no observations", f"{entity('Gull')}\n{HERON}", {"Gull: bird", OF_HERON}, []),
    (
        "odd observations",
        entity("Gull", {"content": "nests", "created_at": "2025-01-02"}, None, 7, ""),
        {"Gull: nests", "Gull: 7"},
        ["line 1, observation 2", "line 1, observation 4"],
    ),
    ("no name", f'{{"type":"entity","observations":["x"]}}\n{HERON}', {OF_HERON}, ["line 1"]),
    ("a NUL", f"{HERON}\n{entity('Gull', 'a' + chr(0) + 'b')}", {OF_HERON}, ["line 2, observation 1"]),
]


def memory(**more: Any) -> dict[str, Any]:
    return {"id": "a1", "memory": "Counts the swifts in May", "created_at": "2025-05-01T00:00:00Z", **more}


SWIFTS, OWLS = "Counts the swifts in May", "Hears owls at night"
EXPORTS: list[tuple[str, Any, set[str], list[str]]] = [
    ("pages", {"count": 1, "results": [memory()]}, {SWIFTS}, []),
    ("under memories", {"memories": [{"id": "1", "content": OWLS, "metadata_": {"a": 1}}]}, {OWLS}, []),
    ("by user", {"ann": [memory()], "bob": [memory(memory=OWLS)]}, {SWIFTS, OWLS}, []),
    ("one", memory(), {SWIFTS}, []),
    ("points of a vector store", [{"id": "p", "payload": {"data": OWLS, "user_id": "ann"}}], {OWLS}, []),
    (
        "relations too",
        {"results": [memory()], "relations": [{"source": "ann", "relationship": "watches", "destination": "swifts"}]},
        {SWIFTS, "ann watches swifts"},
        [],
    ),
    ("no text", [memory(), memory(id="b2", memory=None), memory(id="c3", memory="")], {SWIFTS}, ["b2", "c3"]),
    ("a date that is none", [memory(), memory(id="b2", memory=OWLS, created_at="in May")], {SWIFTS}, ["b2"]),
    ("a zone by name", [memory(created_at="2025-05-01T00:00:00Z[UTC]")], {SWIFTS}, []),
    ("odd tags", [memory(categories=[None, "", 3, {"name": "birds"}, "x" * 200])], {SWIFTS}, []),
    ("a tag alone", [memory(categories="birds")], {SWIFTS}, []),
]
EPOCHS = [1746057600, 1746057600.0, 1746057600000, "1746057600", "2025-05-01T00:00:00Z", "2025/05/01", "2025-05-01"]

HEAD = "---\ntitle: Pond\npermalink: pond\n---\n"
NOTES: list[tuple[str, str, set[str]]] = [
    ("- [ ] mend the hide\n- [x] paint it\n", "", {"Pond: to do: mend the hide", "Pond: done: paint it"}),
    ("- [fact] see #1234 and #a0b1c2 of C#\n", "", {"Pond: see #1234 and #a0b1c2 of C#"}),
    ("- [tip] bring #binoculars along #gear (always)\n", "", {"Pond: bring #binoculars along (always)"}),
    ("- near [[Mill]] since the flood of 2013\n", "", {"Pond near Mill since the flood of 2013"}),
    (
        "- [[Mill]] is old\n- [map](http://e.org) helps\n",
        "",
        {"Pond: [[Mill]] is old", "Pond: [map](http://e.org) helps"},
    ),
    (
        "~~~\n- [fact] code\n\nmore\n~~~\n\n---\n\nend of it\n",
        "",
        {"Pond: ~~~\n- [fact] code\n\nmore\n~~~", "Pond: end of it"},
    ),
    ("- ok\n", "", {"Pond: ok"}),
    ("- [f] x y\n", "---\ntitle: 'It''s a pond: deep'\npermalink: p\n---\n", {"It's a pond: deep: x y"}),
    ("- [f] x y\n", '---\ntitle: "Caf\\u00e9 \\"Pond\\""\npermalink: p\n---\n', {'Café "Pond": x y'}),
    ("- [f] x y\n", "---\npermalink: p\ntitle: >\n  A long\n  title\n---\n", {"A long title: x y"}),
]
TAGS = [
    "tags:\n- ops\n- 'two words'\n",
    "tags:\n  - ops\n  - two words\n",
    'tags: [ops, "two words"]\n',
    "tags: ops, two words\n",
]


@pytest.fixture
async def agentos(tmp_path: Path, open_home: Any) -> AsyncIterator[AgentOS]:
    settings = config.load({}, home=tmp_path / "home")
    clock = Clock()
    store = await open_home(settings.home, settings.database, clock)
    yield AgentOS.over(store, NoEmbedder(), settings, clock)
    await store.close()


async def stored_memories(agentos: AgentOS, namespace: str) -> list[Memory]:
    return list((await agentos.memory.page(namespace, limit=50)).memories)


def places(refused: tuple[str, ...]) -> list[str]:
    return [one.partition(": ")[0] for one in refused]


async def test_a_knowledge_graph_comes_in_but_for_what_is_broken(agentos: AgentOS, tmp_path: Path) -> None:
    for number, (name, content, expected, refused) in enumerate(GRAPHS):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        taken = await agentos.portability.take(str(number), path, default=NS)
        assert taken.format == "server-memory", name
        assert {one.content for one in await stored_memories(agentos, str(number))} == expected, name
        assert places(taken.refused) == refused, name


async def test_an_export_of_mem0_comes_in_whatever_its_shape(agentos: AgentOS, tmp_path: Path) -> None:
    for number, (name, content, expected, refused) in enumerate(EXPORTS):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(content))
        taken = await agentos.portability.take(str(number), path, default=NS)
        assert taken.format == "mem0", name
        assert {one.content for one in await stored_memories(agentos, str(number))} == expected, name
        assert len(taken.refused) == len(refused), name
        assert all(part in problem for part, problem in zip(refused, taken.refused, strict=True)), name
    [odd] = [one for one in await stored_memories(agentos, "9")]
    assert odd.tags == ("3", "birds") and odd.metadata["more_tags"] == ["x" * 200]


async def test_moments_are_read_however_they_are_written(agentos: AgentOS, tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text(
        "".join(json.dumps(memory(id=str(n), memory=f"n{n}", created_at=at)) + "\n" for n, at in enumerate(EPOCHS))
    )
    assert (await agentos.portability.take(NS, path, default=NS)).new == len(EPOCHS)
    assert {one.occurred_at.isoformat() for one in await stored_memories(agentos, NS)} == {"2025-05-01T00:00:00+00:00"}


async def test_notes_lose_nothing(agentos: AgentOS, tmp_path: Path) -> None:
    for number, (body, head, expected) in enumerate(NOTES):
        note = tmp_path / f"{number}.md"
        note.write_text((head or HEAD) + body)
        taken = await agentos.portability.take(str(number), note, default=NS)
        assert {one.content for one in await stored_memories(agentos, str(number))} == expected
        assert (taken.format, taken.refused) == ("basic-memory", ())


@every("tags", TAGS)
async def test_tags_of_front_matter_may_be_a_list_of_either_kind(tags: str, agentos: AgentOS, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text(f"---\npermalink: p\n{tags}created: one day\n---\n- [fact] it is {hash(tags)}\n")
    await agentos.portability.take(NS, note, default=NS)
    newest = (await stored_memories(agentos, NS))[0]
    assert newest.tags == ("fact", "ops", "two words")
    assert newest.metadata["created"] == "one day", "what is not a date is kept as it stands"


async def test_a_note_that_is_no_text_is_named_and_the_others_come_in(agentos: AgentOS, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(HEAD + "- [fact] one\n")
    for name in ("0.md", "b.md"):
        (notes / name).write_bytes(b"\x00\x01")
    taken = await agentos.portability.take(NS, notes, default=NS)
    assert (taken.format, taken.new, places(taken.refused)) == ("basic-memory", 1, ["0.md", "b.md"])


async def test_what_is_longer_than_a_memory_comes_in_pieces(agentos: AgentOS, tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(30_000))
    long = tmp_path / "long.jsonl"
    long.write_text(entity("Log", f"{words} the-end"))
    note = tmp_path / "CLAUDE.md"
    note.write_text(
        "# Run\n- Do this:\n```sh\n" + "\n".join(f"step {n} --flag" for n in range(600)) + "\nlast-step\n```\n"
    )
    for path in (long, note):
        taken = await agentos.portability.take(path.name, path, default=NS)
        assert taken.new >= 1 and not taken.refused
    joined = " ".join(one.content for one in (await stored_memories(agentos, long.name))[::-1])
    assert set(re.findall(r"word\d+|the-end", joined)) == {*words.split(), "the-end"}
    [steps] = await stored_memories(agentos, note.name)
    assert "last-step" in steps.content


def claude_mem(path: Path, *observations: dict[str, Any]) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id, project, type, title, subtitle, facts, "
            "narrative, concepts, files_read, files_modified, created_at, created_at_epoch)"
        )
        for one in observations:
            names = ", ".join(one)
            connection.execute(
                f"INSERT INTO observations ({names}) VALUES ({', '.join('?' * len(one))})", list(one.values())
            )
        connection.commit()
    return path


async def test_claude_mem_keeps_its_structure_and_odd_rows_cost_nothing(agentos: AgentOS, tmp_path: Path) -> None:
    files = {"files_read": '["a.py"]', "files_modified": "b.py\nc.py"}
    path = claude_mem(
        tmp_path / "claude-mem.db",
        {
            "project": "pond",
            "type": "bugfix",
            "title": "Net mended",
            "facts": '["knots slip"]',
            "created_at_epoch": 1.7e9,
            **files,
        },
        {"title": 5, "facts": "not json\nsecond", "concepts": '{"a": 1}', "created_at": "2026-01-01T00:00:00Z"},
        {"type": b"\xff", "title": "bytes", "created_at_epoch": "2026-01-02T00:00:00Z"},
        {"project": "pond", "type": "feature"},
    )
    taken = await agentos.portability.take(NS, path, default=NS)
    assert (taken.format, taken.new, taken.refused) == ("claude-mem", 3, ("observation 4: holds no text",))
    again = await agentos.portability.take(NS, path, default=NS)
    assert (again.new, again.known) == (0, 3)
    [first] = [one for one in await stored_memories(agentos, NS) if "Net mended" in one.content]
    assert (first.kind, first.metadata["project"]) == ("observation", "pond")
    observation = first.metadata["observation"]
    assert (observation["type"], observation["title"], observation["facts"]) == ("bugfix", "Net mended", ["knots slip"])
    assert (observation["files_read"], observation["files_modified"]) == (["a.py"], ["b.py", "c.py"])
    assert "Files changed: b.py, c.py" in first.content and first.occurred_at.year == 2023


AGENTOS_1 = """
CREATE TABLE memories (id TEXT, agent_id TEXT, content TEXT, importance REAL, memory_type TEXT, tags TEXT,
    created_at TEXT);
CREATE TABLE goals (id TEXT, agent_id TEXT, title TEXT, description TEXT, priority REAL, urgency REAL, status TEXT,
    progress REAL, parent_goal_id TEXT, tags TEXT, deadline TEXT, created_at TEXT, completion_notes TEXT);
CREATE TABLE reflection_logs (id TEXT, agent_id TEXT, action TEXT, outcome TEXT, success INTEGER, context TEXT,
    tags TEXT, goal_id TEXT, created_at TEXT);
CREATE TABLE patterns (id TEXT, agent_id TEXT, pattern_type TEXT, description TEXT, frequency INTEGER, last_seen TEXT,
    suggested_action TEXT, related_tags TEXT);
CREATE TABLE thought_nodes (id TEXT, agent_id TEXT, node_type TEXT, label TEXT, description TEXT, ref_id TEXT);
CREATE TABLE thought_edges (id TEXT, agent_id TEXT, source_node_id TEXT, target_node_id TEXT, edge_type TEXT,
    weight REAL);
CREATE TABLE approval_queue (id TEXT, agent_id TEXT, action_type TEXT, action_payload TEXT, risk_score REAL,
    status TEXT, decision TEXT, decided_by TEXT, created_at TEXT, decided_at TEXT);
CREATE TABLE daemon_heartbeat (agent_id TEXT);
INSERT INTO memories VALUES ('m1', 'ann', 'the weir opens at noon', .37, 'semantic', 'river, weir',
    '2025-03-01T10:00:00');
INSERT INTO goals VALUES
    ('g2', 'ann', 'oil the gate', 'now', .5, .5, 'active', .5, 'g1', '["weir"]', NULL, '2025-03-01', NULL),
    ('g1', 'ann', 'mend the weir', 'soon', .9, .5, 'active', 0, NULL, '[]', NULL, '2025-03-02', NULL),
    ('g3', 'ann', 'a', 'x', .5, .5, 'cancelled', 0, 'g4', '[]', NULL, '2025-03-02', NULL),
    ('g4', 'ann', 'b', 'x', .5, .5, 'active', 0, 'g3', '[]', NULL, '2025-03-02', NULL);
INSERT INTO reflection_logs VALUES
    ('r1', 'ann', 'turn the wheel', 'it stuck', 0, 'in the rain', '["weir"]', 'g2', '2026-01-02T10:00:00'),
    ('r2', 'ann', 'turn the wheel', 'it stuck', 0, '', '[]', NULL, '2026-01-02T10:01:00');
INSERT INTO patterns VALUES
    ('p1', 'ann', 'repeated_failure', 'the wheel sticks in rain', 4, '2025-03-03T10:00:00', 'wait', '[]'),
    ('p2', 'ann', 'luck', 'it works on Fridays', 4, '2025-03-03T10:00:00', '', '[]');
INSERT INTO thought_nodes VALUES ('n1', 'ann', 'problem', 'rust', '', NULL),
    ('n2', 'ann', 'goal', 'the weir', '', 'g1');
INSERT INTO thought_edges VALUES ('e1', 'ann', 'n1', 'n2', 'blocks', .7), ('e2', 'ann', 'n1', 'gone', 'blocks', .7);
INSERT INTO approval_queue VALUES
    ('a1', 'ann', 'memory.bulk_delete', '{"below": 0.2}', .8, 'pending', NULL, NULL, '2025-03-01T10:00:00', NULL),
    ('a2', 'ann', 'goal.cancel', 'the old weir', .5, 'approved', 'approved', 'cli', '2025-03-01', '2025-03-02');
"""


async def test_agentos_1_comes_in_whole(agentos: AgentOS, tmp_path: Path) -> None:
    path = tmp_path / "agentos.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(AGENTOS_1)
    looked = await agentos.portability.take(None, path, default="x", dry_run=True)
    taken = await agentos.portability.take(None, path, default="x")
    assert (taken.new, places(taken.refused)) == (13, ["pattern p2", "edge e2"])
    assert looked == taken, "a preview promises what comes"
    again = await agentos.portability.take(None, path, default="x")
    assert (again.new, again.known) == (0, 13)

    [weir, approved] = sorted(await stored_memories(agentos, "ann"), key=lambda one: one.occurred_at)
    assert (weir.importance, weir.tags) == (0.37, ("river", "weir")), "rated once"
    assert "goal.cancel" in approved.content and "approved" in approved.content

    goals = {goal.title: goal for goal in (await agentos.goals.page("ann", "all")).goals}
    assert goals["oil the gate"].parent_goal_id == goals["mend the weir"].id
    assert "weir" in goals["oil the gate"].tags and goals["a"].status == "abandoned"
    assert {goals["a"].parent_goal_id, goals["b"].parent_goal_id} in ({None, goals["a"].id}, {None, goals["b"].id})

    [tally] = await agentos.reflection.tallies("ann", timedelta(days=3650))
    assert (tally.action, tally.failures) == ("turn the wheel", 2)
    insights = await agentos.insights.insights("ann", 50)
    assert not [one for one in insights if "wheel" in str(one)], "what is long past is no news"
    [pattern] = await agentos.reflection.patterns("ann")
    assert (pattern.description, pattern.frequency) == ("the wheel sticks in rain", 4)

    nodes = {node.label: node for node in (await agentos.graph.find("ann"))[0]}
    assert nodes["the weir"].ref_id == goals["mend the weir"].id
    [blocking] = (await agentos.graph.neighbours("ann", nodes["rust"].id)).outgoing
    assert (blocking.edge.type, blocking.node.label) == ("blocks", "the weir")

    [waiting] = (await agentos.approvals.inbox("ann")).approvals
    assert (waiting.action, waiting.requested_by) == ("memory.bulk_delete", "import")
    assert not waiting.automatic, "a yes to it makes AgentOS do nothing"


LONG = "n" * 70_000
ODD_ROWS = [
    ("INSERT INTO memories VALUES ('m2', 'ann', 'it rains', 9e999, 'semantic', '', '2025-03-01')", "memory m2"),
    ("INSERT INTO memories VALUES ('m3', 'ann', 'it snows', 7, 'semantic', '', '2025-03-01')", "memory m3"),
    (f"UPDATE goals SET status = 'completed', completion_notes = '{LONG}' WHERE id = 'g1'", "goal g1"),
    ("UPDATE goals SET progress = -9e999 WHERE id = 'g1'", "goal g1"),
    (f"UPDATE goals SET title = '{LONG}' WHERE id = 'g1'", "goal g1"),
    (f"UPDATE reflection_logs SET action = '{LONG}' WHERE id = 'r1'", "reflection r1"),
    ("UPDATE patterns SET frequency = 9e999 WHERE id = 'p1'", "pattern p1"),
    ("UPDATE thought_edges SET weight = 9e999 WHERE id = 'e1'", "edge e1"),
    ("UPDATE thought_edges SET weight = 2 WHERE id = 'e1'", "edge e1"),
    ("UPDATE thought_edges SET target_node_id = 'n1' WHERE id = 'e1'", "edge e1"),
    ("UPDATE thought_nodes SET label = '?!' WHERE id = 'n1'", "node n1"),
    ("UPDATE approval_queue SET action_type = '✈' WHERE id = 'a1'", "approval a1"),
]


def of_agentos_1(path: Path, *more: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(";".join((AGENTOS_1, *more)))
    return path


async def test_a_row_that_cannot_be_kept_is_refused_by_the_preview_and_by_every_run(
    agentos: AgentOS, tmp_path: Path
) -> None:
    for number, (change, place) in enumerate(ODD_ROWS):
        path = of_agentos_1(tmp_path / f"{number}.db", change)
        looked = await agentos.portability.take(str(number), path, default="x", dry_run=True)
        taken = await agentos.portability.take(str(number), path, default="x")
        again = await agentos.portability.take(str(number), path, default="x")
        assert looked == taken and place in places(taken.refused), change
        assert (again.new, again.known, again.refused) == (0, taken.new, taken.refused), change
        titles = {goal.title for goal in (await agentos.goals.page(str(number), "all")).goals}
        assert ("mend the weir" in titles) is (place != "goal g1"), change


async def test_a_goal_comes_in_as_it_stood(agentos: AgentOS, tmp_path: Path) -> None:
    done = "UPDATE goals SET status = 'completed', completion_notes = 'with oak' WHERE id = 'g1'"
    await agentos.portability.take(None, of_agentos_1(tmp_path / "a.db", done), default="x")
    goals = {goal.title: goal for goal in (await agentos.goals.page("ann", "all")).goals}
    weir = goals["mend the weir"]
    assert (weir.status, weir.progress, [note.text for note in weir.notes]) == ("completed", 1.0, ["with oak"])
    assert (goals["oil the gate"].progress, goals["oil the gate"].parent_goal_id) == (0.5, weir.id)
    assert weir.version == 1, "in one write"


async def test_a_table_without_ids_is_named(agentos: AgentOS, tmp_path: Path) -> None:
    for table in ("goals", "reflection_logs", "thought_nodes"):
        path = of_agentos_1(tmp_path / f"{table}.db", f"ALTER TABLE {table} DROP COLUMN id")
        with pytest.raises(InvalidInput, match=f"{table} has no column id"):
            await agentos.portability.take(None, path, default="x")


async def test_the_same_text_twice_is_one_memory_and_two_records(agentos: AgentOS, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([memory(user_id="ann"), memory(id="b2", user_id="bob"), memory(id="c", memory=OWLS)]))
    looked = await agentos.portability.take(NS, path, default=NS, dry_run=True)
    taken = await agentos.portability.take(NS, path, default=NS)
    assert (looked.new, looked.known, looked.refused) == (taken.new, taken.known, taken.refused) == (2, 1, ())


async def test_what_stands_for_a_memory_finds_it_where_it_is_known_already(agentos: AgentOS, tmp_path: Path) -> None:
    twice = "INSERT INTO memories VALUES ('m9', 'ann', 'the weir opens at noon', .5, 'semantic', '', '2025-03-01')"
    nodes = "INSERT INTO thought_nodes VALUES ('n3', 'ann', 'memory', '{0}', '', '{0}')"
    path = of_agentos_1(tmp_path / "a.db", twice, nodes.format("m1"), nodes.format("m9"))
    stored = await agentos.memory.store("ann", StoreRequest("the weir opens at noon"))
    await agentos.portability.take(None, path, default="x")
    found = {node.label: node.ref_id for node in (await agentos.graph.find("ann"))[0]}
    assert found["m1"] == found["m9"] == stored.memory.id


async def test_many_values_over_lines_are_read_in_time(tmp_path: Path) -> None:
    def reading(count: int) -> float:
        """The processor time of reading so many values, after which one is torn."""
        path = tmp_path / f"{count}.jsonl"
        text = "\n".join(json.dumps(json.loads(entity(f"n{number}", "o" * 400)), indent=1) for number in range(count))
        path.write_text(text + "\n{torn")
        begun = time.process_time()
        *_, last = FileImports().entries(path, "server-memory")[1]
        took = time.process_time() - begun
        assert str(last).startswith(f"line {text.count(chr(10)) + 2}: ")
        return took

    few, many = (min(reading(count) for _ in range(3)) for count in (1_000, 8_000))
    assert many < 3 * 8 * few, "each line is counted once: eight times as many take no 64 times as long"
