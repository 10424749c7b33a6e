"""One conversation through a real server: turn by turn, each prompt with the context that memory gives for it."""

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from .conversation import Conversation, Exchange, Fact
from .server import Agent

WINDOW = 20
"""How many turns a model without memory still sees: the baseline."""
MAX_TOKENS = 1_000
"""The budget of a compiled context here: about half of the whole conversation."""


@dataclass(frozen=True)
class Told:
    """What is told of a conversation: the texts of a context, and how a model is given them (`prompt`)."""

    texts: tuple[str, ...]
    prompt: str

    @property
    def whole(self) -> str:
        """All of it as one text."""
        return "\n".join(self.texts)


@dataclass(frozen=True)
class Moment:
    """An exchange with what was known before it: by memory, by the last turns, by everything that was said."""

    exchange: Exchange
    memory: Told
    window: Told
    history: Told


@dataclass(frozen=True)
class Summarised:
    """What a consolidation covers, and what it made of it."""

    sources: tuple[str, ...]
    summaries: tuple[str, ...]
    left: tuple[str, ...] = ()


@dataclass
class Walk:
    """What became of a conversation. Latencies are in milliseconds, by tool; `problems` is what did not work."""

    conversation: Conversation
    moments: list[Moment] = field(default_factory=list)
    elsewhere: list[tuple[Fact, Told]] = field(default_factory=list)
    """Each fact asked for in another session, after consolidation."""
    summarised: Summarised | None = None
    entities: dict[str, bool] = field(default_factory=dict)
    """Whether the graph names the value of each fact that is a name."""
    habits: list[str] = field(default_factory=list)
    latencies_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def probes(self) -> list[tuple[Fact, Moment]]:
        """The moments that ask for a fact."""
        return [(moment.exchange.asks, moment) for moment in self.moments if moment.exchange.asks is not None]


async def walk(agent: Agent, conversation: Conversation) -> Walk:
    """Live through a conversation: a context for each prompt, the exchange kept; then what matures of it."""
    session = f"seeded-{conversation.seed}"
    done = Walk(conversation)
    said: list[tuple[str, str]] = []
    for number, exchange in enumerate(conversation.exchanges):
        memory = await compiled(agent, done, exchange.user, session)
        done.moments.append(Moment(exchange, memory, plain(said[-WINDOW:]), plain(said)))
        await agent.call(
            "turn_add",
            session=session,
            content=exchange.user,
            answer=exchange.answer,
            key=f"{number}",
            occurred_at=f"2026-03-02T09:{number:02}:00Z",
        )
        said += [("user", exchange.user), ("assistant", exchange.answer)]
    await mature(agent, done, session)
    for fact in conversation.facts:
        done.elsewhere.append((fact, await compiled(agent, done, fact.questions[0], f"{session}-later")))
    return done


async def compiled(agent: Agent, done: Walk, query: str, session: str) -> Told:
    """The context that memory compiles for a query."""
    began = time.perf_counter()
    text, context = await agent.text(
        "context_compile", query=query, session=session, preset="prompt", max_tokens=MAX_TOKENS
    )
    done.latencies_ms["context_compile"].append(1_000 * (time.perf_counter() - began))
    return Told(tuple(entry["text"] for part in context["parts"] for entry in part["entries"]), text)


def plain(said: list[tuple[str, str]]) -> Told:
    """Turns as they were said."""
    return Told(tuple(text for _, text in said), "\n".join(f"{role}: {text}" for role, text in said))


async def mature(agent: Agent, done: Walk, session: str) -> None:
    """Consolidate, look at the graph, mine habits, and ask each tier, as far as there are tools for it."""


async def timed(agent: Agent, done: Walk, tool: str, **arguments: Any) -> dict[str, Any] | None:
    """Call a tool three times, if there is such a one; its last result."""
    if tool not in agent.tools:
        return None
    result: dict[str, Any] | None = None
    for _ in range(3):
        began = time.perf_counter()
        result = await agent.call(tool, **arguments)
        done.latencies_ms[tool].append(1_000 * (time.perf_counter() - began))
    return result
