"""What holds without a language model and without a network: one acceptance a feature, so that no rework loses it."""

import ast
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.extraction.evidence import problem
from agentos.modules.extraction.models import About, ExtractedFact, FactType, SpokenTurn
from agentos.modules.store_request import StoreRequest

NS = "ada"
TESTS = Path(__file__).resolve().parents[2]
PROVED_ELSEWHERE = {
    "knowledge of users and of the assistant": (
        "integration/tiers/test_tiers.py",
        "test_knowledge_has_its_evidence_and_the_assistants_is_left_out_on_request",
    ),
    "habits are mined": (
        "integration/procedures/test_procedures.py",
        "test_a_repeated_habit_is_kept_as_a_memory_with_its_evidence",
    ),
    "mining is idempotent": (
        "integration/procedures/test_procedures.py",
        "test_mining_the_same_turns_again_changes_nothing",
    ),
    "habits of the trigger": (
        "integration/procedures/test_procedures.py",
        "test_a_query_gets_the_habits_of_its_own_trigger_best_first",
    ),
    "promotion from 80 percent": (
        "integration/procedures/test_procedures.py",
        "test_a_confidence_of_79_percent_is_not_promoted",
    ),
    "ninety traits": ("unit/profile/test_profile.py", "test_there_are_ninety_traits_in_three_groups"),
    "observations by rules": (
        "unit/sessions/test_observations.py",
        "test_the_type_follows_the_commit_then_the_first_verb",
    ),
    "observations of bugs": (
        "unit/sessions/test_observations.py",
        "test_a_bug_that_was_fixed_is_a_bugfix_with_all_that_led_to_it",
    ),
}


@pytest.mark.parametrize("feature", PROVED_ELSEWHERE)
def test_what_other_tests_prove_is_still_proved(feature: str) -> None:
    file, name = PROVED_ELSEWHERE[feature]
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    assert any(getattr(node, "name", None) == name for node in tree.body)


async def a_denial_of_doubtful_source_is_contested(agentos: AgentOS, clock: Any) -> None:
    slot = {"subject": "user", "attribute": "indentation", "value": "tabs"}
    trusted = await agentos.memory.store(NS, StoreRequest("The user prefers tabs.", **slot))
    clock.advance(days=1)
    doubtful = StoreRequest("The user's indentation is no longer tabs.", source="web:forum", **slot)
    newcomer = await agentos.memory.store(NS, doubtful)
    old, _ = await agentos.memory.get(NS, trusted.memory.id)
    new, _ = await agentos.memory.get(NS, newcomer.memory.id)
    assert (old.valid_to, new.status) == (None, "contested")
    assert len((await agentos.approvals.inbox(NS)).approvals) == 1


async def two_entities_in_two_turns_have_weight_two(agentos: AgentOS, clock: Any) -> None:
    for text in ("Ana: we met Maria and Tom for lunch", "Ana: after lunch Maria called Tom"):
        await agentos.turns.add(NS, "s", "user", text)
    assert ("Maria", "co_occurs", "Tom", 2.0) in await _edges(agentos, "Maria")


async def a_new_employer_closes_the_old_edge(agentos: AgentOS, clock: Any) -> None:
    for company in ("Acme", "Globex"):
        slot = {"subject": "Maria", "attribute": "employer", "value": company}
        await agentos.memory.store(NS, StoreRequest(f"Maria is at {company} now", **slot))
        clock.advance(days=30)
    assert [edge for edge in await _edges(agentos, "Maria") if edge[1] == "works_at"] == [
        ("Maria", "works_at", "Globex", 0.85)
    ]


async def an_alias_leads_to_the_canonical_node(agentos: AgentOS, clock: Any) -> None:
    await agentos.memory.store(NS, StoreRequest("Maria moved to Lisbon, also known as Lisboa"))
    await agentos.graph.read(NS)
    [node] = (await agentos.graph.find(NS, label_contains="lisbon"))[0]
    await agentos.graph.add_alias(NS, node.id, "リスボン")
    for name in ("Lisboa", "リスボン"):
        found = await agentos.graph.subgraph(NS, name)
        assert [each.label for each in found.nodes if each.id in found.matched] == ["Lisbon"]


async def traits_have_levels_and_evidence(agentos: AgentOS, clock: Any) -> None:
    for text in ("I baked a cake", "Any good recipe?", "I love cooking", "I roasted a duck", "I cooked dinner"):
        await agentos.turns.add(NS, "s", "user", text)
    [trait] = [trait for trait in await agentos.of_feature("profile").traits(NS) if trait.name == "cooking"]
    assert trait.level.value == "High" and len(trait.evidence) == 5
    assert "travel" not in {trait.name for trait in await agentos.of_feature("profile").traits(NS)}


async def a_changed_value_of_the_profile_keeps_the_old_one(agentos: AgentOS, clock: Any) -> None:
    await agentos.of_feature("profile").set(NS, "employer", "Initech")
    changed = clock.advance(days=9)
    entry = await agentos.of_feature("profile").set(NS, "Work.Company", "Globex")
    assert entry.key == "work.employer" and [value.value for value in entry.values] == ["Globex"]
    assert [(value.value, value.until) for value in entry.history] == [("Initech", changed)]


async def a_planted_fact_is_found_and_general_knowledge_is_not(agentos: AgentOS, clock: Any) -> None:
    text = "Lisbon is the capital of Portugal. My sister Ana lives in Lisbon. Is it sunny there?"
    await agentos.turns.add(NS, "s", "user", text)
    assert await agentos.extraction.read_new() == 1
    [known] = (await agentos.of_feature("profile").get(NS, None)).knowledge
    assert known.text == "The user's sister Ana lives in Lisbon." and known.pages


async def a_number_that_nobody_said_is_rejected(agentos: AgentOS, clock: Any) -> None:
    spoken = SpokenTurn("mem_1", NS, "user", None, "I have two kids", clock())
    fact = ExtractedFact(FactType.STATE, About.USER, "The user has 3 kids.", clock(), clock(), (spoken.memory_id,), 0.2)
    assert problem(fact, [spoken]) == "the number 3 was not said"


async def a_fact_of_one_turn_is_there_for_the_next(agentos: AgentOS, clock: Any) -> None:
    await agentos.turns.add(NS, "s", "user", "We use Postgres 16 for the billing service.")
    assert await agentos.extraction.read_new() == 1
    clock.advance(minutes=1)
    found = await agentos.memory.search(NS, "the billing service")
    assert "Postgres 16" in found.hits[0].memory.content
    assert "Postgres 16" in (await agentos.of_feature("profile").get(NS, None)).knowledge[0].text


async def _edges(agentos: AgentOS, query: str) -> set[tuple[str, str, str, float]]:
    found = await agentos.graph.subgraph(NS, query)
    names = {node.id: node.label for node in found.nodes}
    return {(names[edge.source], edge.type, names[edge.target], edge.weight) for edge in found.edges}


@pytest.mark.parametrize(
    "holds",
    [
        a_denial_of_doubtful_source_is_contested,
        two_entities_in_two_turns_have_weight_two,
        a_new_employer_closes_the_old_edge,
        an_alias_leads_to_the_canonical_node,
        traits_have_levels_and_evidence,
        a_changed_value_of_the_profile_keeps_the_old_one,
        a_planted_fact_is_found_and_general_knowledge_is_not,
        a_number_that_nobody_said_is_rejected,
        a_fact_of_one_turn_is_there_for_the_next,
    ],
    ids=lambda check: check.__name__,
)
async def test_it_holds_without_a_language_model(
    holds: Callable[[AgentOS, Any], Awaitable[None]], agentos: AgentOS, clock: Any
) -> None:
    await holds(agentos, clock)
