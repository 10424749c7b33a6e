"""A home with something of everything in it, generated from a seed through the tools that agents have."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentos import config, database
from agentos.modules.clock import system_clock
from agentos.modules.sessions.models import EventType, NewEvent, ToolCall
from agentos.modules.sessions.service import turn
from agentos.modules.sessions.tool_calls import as_json

from ..cognition.conversation import conversation
from ..cognition.server import Agent, Server

TOOLSETS = {"AGENTOS_TOOLSETS": "approvals,consolidation,context,graph,procedures,profile,sessions,tiers,turns"}
JOBS = (
    *("turn_salience", "fact_extraction", "graph_reader", "tiers", "queue_worker", "procedure_miner"),
    *("reflection_analyzer", "goal_monitor", "session_observer"),
)
"""Jobs that the daemon runs."""

PEOPLE = "Amara Bjarne Celeste Dragan Elodie Farouk Greta Hiroshi Ingrid Jomo Katya Lorenzo".split()
COMPANIES = "Initech Globex Umbra Hooli Vandelay Soylent Cyberdyne Tyrell Aperture Wonka Stark Massive".split()
TOWNS = "Trondheim Valparaiso Ghent Hobart Izmir Jaipur Kumasi Ljubljana Matsue Nantes Oaxaca Porto".split()
NOTES = (
    ("The deployment of {company} failed with E{number}: the certificate had expired.", "episodic", "episode"),
    ("To rotate the keys of {company}, stop the gateway, run rotate-keys and start it again.", "procedural", "howto"),
    ("{person} prefers short answers with the command first.", "semantic", "preference"),
    ("While {person} is away, {company} is looked after by the night shift.", "working", "handover"),
    ("Reviews of {company} are due on the {day}th: “naïve” estimates, 日本語 and 🦊 included.", "semantic", "odd"),
)


@dataclass(frozen=True)
class Changed:
    """A fact that was replaced: the question, and moments at which the old and the new answer held."""

    question: str
    before: str
    after: str


@dataclass
class Lived:
    """The questions to ask of a home."""

    questions: list[str] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)


async def live(server: Server, agent: Agent, seed: int, people: int, exchanges: int) -> Lived:
    """Fill a home: facts that change, notes, a conversation, goals, reflections, a graph, the daemon's jobs."""
    chosen = random.Random(seed)
    lived = Lived()
    names = chosen.sample(PEOPLE, people)
    for number, person in enumerate(names):
        await _facts(agent, chosen, lived, person, number)
    await _notes(agent, chosen, lived, names)
    await _conversation(agent, lived, seed, exchanges)
    await _work(agent, names)
    await _graph(agent, names)
    await server.run_jobs(JOBS)
    await agent.call("consolidate", session=lived.sessions[0], action="apply", keep=2)
    await agent.call("procedures_mine")
    await agent.call("reflection_analyze")
    return lived


async def _facts(agent: Agent, chosen: random.Random, lived: Lived, person: str, number: int) -> None:
    """Store changes of employer and home of a person; one statement is edited, and one is contested."""
    old, new = chosen.sample(COMPANIES, 2)
    here, there = chosen.sample(TOWNS, 2)
    year = 2021 + number % 3
    first = await agent.call(
        "memory_store", content=f"{person} works at {old}", occurred_at=f"{year}-02-01", tags=["people"]
    )
    await agent.call("memory_update", memory_id=first["id"], content=f"{person} works at {old}.", importance=0.8)
    await agent.call("memory_store", content=f"{person} works at {new} now.", occurred_at=f"{year + 2}-03-01")
    slot = {"subject": person, "attribute": "home town"}
    await agent.call(
        "memory_store", content=f"{person} lives in {here}.", occurred_at=f"{year}-05-01", value=here, **slot
    )
    await agent.call(
        "memory_store", content=f"{person} has moved to {there}.", occurred_at=f"{year + 2}-06-01", value=there, **slot
    )
    await agent.call(
        "memory_store", content=f"{person} lives in Atlantis.", source="web", confidence=0.3, value="Atlantis", **slot
    )
    between, later = f"{year + 1}-01-01", f"{year + 3}-01-01"
    lived.changed += [
        Changed(f"Where does {person} work?", between, later),
        Changed(f"Where does {person} live?", between, later),
    ]


async def _notes(agent: Agent, chosen: random.Random, lived: Lived, names: Sequence[str]) -> None:
    for number, (wording, kind, tag) in enumerate(NOTES):
        words = {"company": chosen.choice(COMPANIES), "person": chosen.choice(names), "day": chosen.randint(4, 20)}
        content = wording.format(**words, number=chosen.randint(1_000, 9_999))
        stored = await agent.call(
            "memory_store",
            content=content,
            memory_type=kind,
            importance=chosen.choice((0.1, 0.25, 1.0, 1e-7)),
            tags=[tag, "ünïcode: yes"],
            metadata={"number": number, "weights": [0.1, 1.0, 1e-9, 2**53 + 1], "nested": {"é": None, "z": True}},
            source="ci" if number % 2 else "",
        )
        lived.questions.append(content)
        await agent.call("memory_feedback", memory_id=stored["id"], verdict="confirm" if number % 2 else "reject")


async def _conversation(agent: Agent, lived: Lived, seed: int, exchanges: int) -> None:
    talk = conversation(seed)
    session = f"talk-{seed}"
    for number, exchange in enumerate(talk.exchanges[:exchanges]):
        await agent.call(
            "turn_add",
            session=session,
            content=exchange.user,
            answer=exchange.answer,
            key=str(number),
            occurred_at=f"2026-03-02T09:{number:02}:00Z",
        )
        lived.questions.append(exchange.user)
    await agent.call("session_branch", parent=session, session=f"{session}-branch")
    await agent.call("turn_add", session=f"{session}-branch", content="What if we had started with the tests?")
    lived.questions += [question for fact in talk.facts for question in fact.questions]
    lived.sessions += [session, f"{session}-branch"]


async def _work(agent: Agent, names: Sequence[str]) -> None:
    """Add goals with notes, reflections, and requests for approval."""
    release = await agent.call(
        "goal_add", title="Ship the release", description="before the fair", deadline="2026-12-24"
    )
    goal = _id(release)
    part = await agent.call("goal_add", title="Write the notes", description="for the release", parent_goal_id=goal)
    await agent.call("goal_update_progress", goal_id=goal, progress=0.3, notes="a third")
    await agent.call("goal_update_status", goal_id=_id(part), status="paused")
    for number in range(4):
        await agent.call("reflection_log", action="run the tests", outcome="timeout", success=False, goal_id=goal)
        await agent.call(
            "reflection_log", action="ask for a review", outcome="merged", success=True, tags=[f"r{number}"]
        )
    await agent.call(
        "approval_request",
        action="deploy",
        subject="production",
        reason="the release is due",
        impact=0.9,
        reversibility=0.2,
        sensitivity=0.8,
    )
    await agent.call("profile_set", key="communication_style", value=f"as short as {names[0]} does")


async def _graph(agent: Agent, names: Sequence[str]) -> None:
    nodes = [_id(await agent.call("graph_add_node", node_type="concept", label=name)) for name in names]
    tool = _id(await agent.call("graph_add_node", node_type="skill", label="release engineering"))
    await agent.call("graph_add_alias", node_id=nodes[0], alias=f"{names[0]} the release manager")
    for node in nodes:
        await agent.call("graph_add_edge", source_node_id=node, target_node_id=tool, edge_type="requires", weight=0.5)


def _id(result: dict[str, Any]) -> str:
    return str(result["id"])


async def observe_sessions(home: Path) -> None:
    """Add what no tool of an agent does: sessions that hooks report, and texts that only their owner can read."""
    settings = config.load({"AGENTOS_EMBEDDING_MODEL": "none"}, home=home)
    async with database.opened(settings, system_clock) as (agentos, _):
        session, _ = await agentos.sessions.open("default", "codex", "s1", "/w/app")
        call = as_json(ToolCall("shell", True, command="make", files_modified=("a.py",)))
        await agentos.sessions.record(session, turn("user", "Fix the parser", "k1"))
        await agentos.sessions.record(session, NewEvent(EventType.TOOL_CALL, "k2", structured=call))
        await agentos.sessions.end(session)
        await agentos.sessions.observe()
        await agentos.sessions.note_shown(session, ["mem_1"])
        await agentos.sealed.store("default", "c2VhbGVk", [0.6, 0.8])
