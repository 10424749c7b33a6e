"""The same measures on recorded conversations: a data set of the retrieval benchmark, by its path."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from agentos.modules.context.tokens import estimate

from ..retrieval.data import Item, Question, Store
from . import measures
from .scores import Score, Vectors, at_random, efficiency, relevance
from .server import Agent, Server
from .walk import WINDOW, Context

MAX_TOKENS = 2_000
EPISODES = 200
"""More summaries than any session has."""


@dataclass(frozen=True)
class Asked:
    """A question with the texts that answer it, and the context that memory gave for it."""

    text: str
    evidence: tuple[str, ...]
    memory: Context


@dataclass(frozen=True)
class Recorded:
    """A replayed conversation: its turns, the questions, and the summaries of its sessions with their sources."""

    turns: tuple[str, ...]
    asked: tuple[Asked, ...]
    sources: tuple[tuple[str, ...], ...]
    summaries: tuple[tuple[str, ...], ...]


async def replay(server: Server, agent: Agent, store: Store, questions: int) -> Recorded:
    """Replay a store: add every turn, ask some questions, summarise every session."""
    speakers: dict[str, str] = {}
    texts: dict[str, str] = {}
    for item in store.items:
        added = await agent.call(
            "turn_add",
            session=item.session or "all",
            role=_role(item, speakers),
            content=item.content,
            key=item.id,
            **({"occurred_at": item.occurred_at} if item.occurred_at else {}),
        )
        texts[added["memory_ids"][0]] = item.content
    await server.run_jobs(("turn_salience", "fact_extraction", "graph_reader"))
    contents = {item.id: item.content for item in store.items}
    asked = [await _ask(agent, question, contents) for question in _spread(store.questions, questions)]
    sources, summaries = [], []
    for session in dict.fromkeys(item.session or "all" for item in store.items):
        await agent.call("consolidate", session=session, action="apply", keep=0)
        episodes = (await agent.call("consolidation_list", session=session, level=1, limit=EPISODES))["summaries"]
        covered = dict.fromkeys(source for one in episodes for source in one["sources"])
        if covered:
            sources.append(tuple(texts[source] for source in texts if source in covered))
            summaries.append(tuple(one["text"] for one in episodes))
    return Recorded(tuple(contents.values()), tuple(asked), tuple(sources), tuple(summaries))


async def _ask(agent: Agent, question: Question, contents: dict[str, str]) -> Asked:
    text, context = await agent.text("context_compile", query=question.text, max_tokens=MAX_TOKENS)
    memory = Context(tuple(entry["text"] for part in context["parts"] for entry in part["entries"]), text)
    return Asked(question.text, tuple(contents[one] for one in question.evidence), memory)


def _role(item: Item, speakers: dict[str, str]) -> str:
    """Return the role of an item: the first speaker is the user, anybody else the assistant."""
    name = item.content.partition(": ")[0]
    return speakers.setdefault(name, "assistant" if speakers else "user")


def _spread(questions: Sequence[Question], most: int) -> Sequence[Question]:
    """Return at most `most` answerable questions, evenly spread over the list."""
    answerable = [question for question in questions if question.evidence]
    return answerable[:: max(1, len(answerable) // most)][:most]


def scores(recorded: Sequence[Recorded], vectors: Vectors) -> list[Score]:
    """Return CRS, TES and LCS over recorded conversations. A fact is a turn that is evidence, as it was said."""
    questions = [(one, asked) for one in recorded for asked in one.asked]
    chance = random.Random(0)
    window = {id(one): Context(one.turns[-WINDOW:], "") for one in recorded}
    ours = relevance(((asked.text, asked.memory) for _, asked in questions), vectors)
    last = relevance(((asked.text, window[id(one)]) for one, asked in questions), vectors)
    arbitrary = relevance(
        ((asked.text, at_random(Context(one.turns, ""), asked.memory, chance)) for one, asked in questions), vectors
    )
    covered = [pair for one in recorded for pair in zip(one.sources, one.summaries, strict=True)]
    facts = [(one, asked, fact) for one, asked in questions for fact in asked.evidence]
    return [
        Score("CRS", fmean(ours), fmean(last), "the last 20 turns", len(questions)),
        Score("CRS", fmean(ours), fmean(arbitrary), "random turns, as many tokens", len(questions)),
        Score(
            "TES",
            fmean(efficiency(before, after) for before, after in covered),
            fmean(efficiency(before, measures.dropped_oldest(before)) for before, _ in covered),
            "the oldest 30 % dropped",
            len(covered),
        ),
        Score(
            "LCS",
            measures.recalled((asked.memory.text, fact) for _, asked, fact in facts),
            measures.recalled((window[id(one)].text, fact) for one, _, fact in facts),
            "the last 20 turns",
            len(facts),
        ),
    ]


def saved(recorded: Sequence[Recorded]) -> float:
    """Return the share of tokens that compiled contexts save, compared with the whole history in each prompt."""
    pairs = [(estimate(asked.memory.prompt), sum(map(estimate, one.turns))) for one in recorded for asked in one.asked]
    return 1 - sum(ours for ours, _ in pairs) / sum(total for _, total in pairs)
