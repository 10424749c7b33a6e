"""Answers to an agent: the same calls of a home and of its copy must have the same answers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..cognition.server import Agent
from .living import Lived

LIMIT = 10
REVERTED = 6
COMPILED = 5

VOLATILE = frozenset({"accessed_at", "access_count", "strength", "score", "generated_at", "now", "last_accessed"})
"""Fields that depend on the moment of asking, or on earlier reads."""


@dataclass
class Answers:
    """The answers by question: what is recalled, what holds, its history, and the state of other views."""

    recall: dict[str, Any] = field(default_factory=dict)
    truth: dict[str, Any] = field(default_factory=dict)
    lineage: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)


async def ask(agent: Agent, lived: Lived) -> Answers:
    """Ask everything; at the end some memories are reverted, so that this home is of no further use."""
    found = Answers()
    for question in lived.questions:
        found.recall[question] = await _ids(agent, question)
    for name, more in FILTERED.items():
        found.recall[name] = await _ids(agent, lived.questions[-1], **more)
    for session in lived.sessions:
        found.recall[f"within {session}"] = await _ids(agent, lived.questions[-1], session=session)
        found.recall[f"tiers from {session}"] = _of(await agent.call("tiers_recall", query=lived.questions[-2]))
    for changed in lived.changed:
        for name, asked in {
            "now": {},
            "before": {"as_of": changed.before},
            "after": {"as_of": changed.after},
            "ever": {"include_superseded": True},
        }.items():
            answer = await agent.call("memory_search", query=changed.question, limit=LIMIT, detail="full", **asked)
            found.truth[f"{changed.question} {name}"] = [_standing(hit) for hit in answer["results"]]
    await _state(agent, lived, found)
    await _lineage(agent, found)
    return found


FILTERED: dict[str, dict[str, Any]] = {
    "how-tos": {"memory_type": "procedural"},
    "of a tag": {"tags": ["people"]},
    "since a date": {"since": "2023-01-01", "until": "2026-06-01"},
    "important ones": {"min_importance": 0.8},
}


async def _ids(agent: Agent, question: str, **more: Any) -> list[str]:
    answer = await agent.call("memory_search", query=question, limit=LIMIT, **more)
    if answer.get("mode") == "lexical":
        raise RuntimeError(f"searched without the model: {answer['notes']}")
    return [hit["id"] for hit in answer["results"]]


def _standing(hit: dict[str, Any]) -> dict[str, Any]:
    return {name: hit.get(name) for name in ("id", "content", "status", "valid_from", "valid_to", "confidence")}


async def _state(agent: Agent, lived: Lived, found: Answers) -> None:
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "goals": ("goal_list", {"status": "all", "detail": "full"}),
        "what is to be decided": ("approval_list", {}),
        "profile": ("profile_get", {"include_history": True, "include_knowledge": True}),
        "size of the graph": ("graph_stats", {}),
        "nodes": ("graph_find_nodes", {"limit": 50}),
        "graph around a question": ("graph_subgraph", {"query": lived.changed[0].question}),
        "graph at a date": ("graph_subgraph", {"query": lived.changed[0].question, "as_of": lived.changed[0].before}),
        "summaries": ("consolidation_list", {}),
        "tiers": ("tiers_status", {}),
        "patterns": ("reflection_get_patterns", {}),
        "reflections": ("reflection_get_summary", {"days": 30}),
        "habits": ("procedures_relevant", {"query": "how do we run the tests?"}),
        "sessions": ("session_timeline", {}),
        "snapshot": ("context_get_snapshot", {}),
    }
    for session in lived.sessions:
        calls[f"turns of {session}"] = ("turn_window", {"session": session})
    for question in lived.questions[-COMPILED:]:
        calls[f"context for: {question}"] = ("context_compile", {"query": question, "session": lived.sessions[0]})
    for name, (tool, arguments) in calls.items():
        found.state[name] = _of(await agent.call(tool, **arguments))


async def _lineage(agent: Agent, found: Answers) -> None:
    """Record every memory with its versions, relations and changes; then the effects of undoing."""
    listed = [memory async for memory in _all_memories(agent)]
    for memory in listed:
        found.lineage[memory["id"]] = _of(await agent.call("memory_get", memory_id=memory["id"]))
    superseded = [one for one in listed if one.get("tags") == ["people"]][:REVERTED]
    for memory in superseded:
        try:
            undone = await agent.call("memory_revert", memory_id=memory["id"])
        except RuntimeError as error:
            found.lineage[f"undo {memory['id']}"] = str(error)
        else:
            found.lineage[f"undo {memory['id']}"] = _without_new(_of(undone))


async def _all_memories(agent: Agent) -> Any:
    cursor: str | None = None
    while True:
        page = await agent.call("memory_list", limit=100, **({"cursor": cursor} if cursor else {}))
        for memory in page["memories"] if "memories" in page else page["results"]:
            yield memory
        cursor = page.get("next_cursor")
        if cursor is None:
            return


def _of(answer: Any) -> Any:
    """Return an answer without fields that depend on the moment."""
    if isinstance(answer, dict):
        return {name: _of(value) for name, value in answer.items() if name not in VOLATILE}
    return [_of(value) for value in answer] if isinstance(answer, list) else answer


def _without_new(answer: Any) -> Any:
    """Return the answer to an undo without the ids and the moment that the undo created."""
    if isinstance(answer, dict):
        return {
            name: _without_new(value)
            for name, value in answer.items()
            if name not in ("change", "change_id", "at", "updated_at")
        }
    return [_without_new(value) for value in answer] if isinstance(answer, list) else answer


def unlike(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """Yield the questions with different answers."""
    for question in one.keys() | other.keys():
        if one.get(question) != other.get(question):
            yield question
