"""One conversation through a real server: turn by turn, with the context that memory gives for each prompt."""

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from .conversation import SEEDED, WORK, Conversation, Exchange, Fact
from .measures import entities
from .server import Agent, Server

WINDOW = 20
"""Turns that a model without memory still sees: the baseline."""
MAX_TOKENS = 1_000
"""The token budget of a compiled context: about half of the whole conversation."""
BACKGROUND = ("turn_salience", "fact_extraction", "graph_reader", "tiers", "queue_worker", "procedure_miner")
"""Jobs that the daemon runs before the questions."""
LATENCY_QUERIES = 10
EPISODES = 200
"""More summaries than any conversation has."""


@dataclass(frozen=True)
class Context:
    """A part of a conversation: the texts of a context, and their form for a model (`prompt`)."""

    texts: tuple[str, ...]
    prompt: str

    @property
    def text(self) -> str:
        """The whole context as one text."""
        return "\n".join(self.texts)


@dataclass(frozen=True)
class Moment:
    """An exchange with what was known before it: by memory, by the last turns, by the whole history."""

    exchange: Exchange
    memory: Context
    window: Context
    history: Context


@dataclass(frozen=True)
class Summarised:
    """The turns that a consolidation covers, its summaries, and the turns left."""

    sources: tuple[str, ...]
    summaries: tuple[str, ...]
    left: tuple[str, ...] = ()


@dataclass
class Walk:
    """The record of a conversation. Latencies are in milliseconds, by tier and tool."""

    conversation: Conversation
    moments: list[Moment] = field(default_factory=list)
    elsewhere: list[tuple[Fact, Context]] = field(default_factory=list)
    """The context for each fact, asked for in another session after consolidation."""
    summarised: Summarised | None = None
    in_graph: dict[str, bool] = field(default_factory=dict)
    """Whether the graph has the value of each fact that is a name or an exact term."""
    habits: list[str] = field(default_factory=list)
    latencies_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def probes(self) -> list[tuple[Fact, Moment]]:
        """The moments that ask for a fact."""
        return [(moment.exchange.asks, moment) for moment in self.moments if moment.exchange.asks is not None]


async def walk(server: Server, agent: Agent, conversation: Conversation) -> Walk:
    """Run a conversation: compile a context for each prompt, then store the exchange.

    The background jobs run before the questions begin; after the last exchange the session is consolidated, and its
    facts are asked for from another one.
    """
    session = f"seeded-{conversation.seed}"
    done = Walk(conversation)
    history: list[tuple[str, str]] = []
    texts: dict[str, str] = {}
    for number, exchange in enumerate(conversation.exchanges):
        if number == SEEDED + WORK:
            await server.run_jobs(BACKGROUND)
        memory = await compiled(agent, done, exchange.user, session)
        done.moments.append(Moment(exchange, memory, plain(history[-WINDOW:]), plain(history)))
        added = await agent.call(
            "turn_add",
            session=session,
            content=exchange.user,
            answer=exchange.answer,
            key=str(number),
            occurred_at=f"2026-03-02T09:{number:02}:00Z",
        )
        turns = [("user", exchange.user), ("assistant", exchange.answer)]
        history += turns
        texts.update(zip(added["memory_ids"], (text for _, text in turns), strict=True))
    await server.run_jobs(BACKGROUND)
    await mature(agent, done, session, texts)
    for fact in conversation.facts:
        done.elsewhere.append((fact, await compiled(agent, done, fact.questions[0], f"{session}-later")))
    await ask_each_tier(agent, done, session)
    return done


async def compiled(agent: Agent, done: Walk, query: str, session: str) -> Context:
    """Return the context that memory compiles for a query."""
    began = time.perf_counter()
    text, context = await agent.text(
        "context_compile", query=query, session=session, preset="prompt", max_tokens=MAX_TOKENS
    )
    done.latencies_ms["all: context_compile"].append(1_000 * (time.perf_counter() - began))
    return Context(tuple(entry["text"] for part in context["parts"] for entry in part["entries"]), text)


def plain(turns: list[tuple[str, str]]) -> Context:
    """Return turns as a context, as they were said."""
    return Context(tuple(text for _, text in turns), "\n".join(f"{role}: {text}" for role, text in turns))


async def mature(agent: Agent, done: Walk, session: str, texts: dict[str, str]) -> None:
    """Consolidate the session, look for its facts in the graph, mine its habits."""
    await agent.call("consolidate", session=session, action="apply")
    episodes = (await agent.call("consolidation_list", session=session, level=1, limit=EPISODES))["summaries"]
    covered = {source for summary in episodes for source in summary["sources"]}
    done.summarised = Summarised(
        tuple(text for memory_id, text in texts.items() if memory_id in covered),
        tuple(summary["text"] for summary in episodes),
        tuple(text for memory_id, text in texts.items() if memory_id not in covered),
    )
    for fact in done.conversation.facts:
        if entities(f"It is {fact.value}"):
            found = await agent.call("graph_find_nodes", label_contains=fact.value)
            done.in_graph[fact.value] = bool(found["results"])
    done.habits = [habit["text"] for habit in (await agent.call("procedures_mine"))["procedures"]]


async def ask_each_tier(agent: Agent, done: Walk, session: str) -> None:
    """Measure the latency of each tier."""
    for moment in done.moments[:LATENCY_QUERIES]:
        query = moment.exchange.user
        await timed(agent, done, "working: turn_window", session=session)
        await timed(agent, done, "short, mid, long: tiers_recall", query=query, session=session)
        await timed(agent, done, "episodic: memory_search", query=query)
        await timed(agent, done, "procedural: procedures_relevant", query=query)
        await timed(agent, done, "graph: graph_subgraph", query=query)
        await timed(agent, done, "profile: profile_get")


async def timed(agent: Agent, done: Walk, name: str, **arguments: Any) -> None:
    """Call a tool, whose name is the last word of `name`, and record its latency."""
    began = time.perf_counter()
    await agent.call(name.split()[-1], **arguments)
    done.latencies_ms[name].append(1_000 * (time.perf_counter() - began))
