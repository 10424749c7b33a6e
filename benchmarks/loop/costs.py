"""What each tier of memory is worth, and what a prompt costs as a session grows, beside three ways without memory."""

from collections import Counter
from dataclasses import dataclass

from agentos.library import AgentOS
from agentos.modules.context.tokens import estimate

from .living import CONVERSATION, TOKENS, Place, context_for, learn
from .tasks import KINDS, Learnt, learnt, small_talk

LENGTHS = (10, 25, 50, 100, 200)
"""Exchanges of a session."""
WINDOW = 10
"""Exchanges that a sliding window shows."""
HITS = 5
"""Results of a search, where that is all that is shown."""
SESSION = "long"
NOTHING_LEFT_OUT = "nothing"
OURS = "AgentOS"
"""With its default budget for a context."""


@dataclass(frozen=True)
class Ablated:
    """The questions that are answered with a tier left out: the share by kind, of all, and the tokens of a context."""

    left_out: str
    by_kind: dict[str, float]
    answered: float
    tokens: float


@dataclass(frozen=True)
class Cost:
    """A way to tell a model what was said, at a length of session: tokens a prompt, and questions answered by it."""

    way: str
    exchanges: int
    tokens: float
    answered: float


async def ablation(place: Place, seed: int, systems: int) -> list[Ablated]:
    """Ask every question of a memory that has everything, then of ones that never had one of the tiers."""
    things = learnt(seed, systems)
    found = []
    alone = [(), *((tier,) for tier in (*KINDS, CONVERSATION))]
    for left_out in (*alone, *((kind, CONVERSATION) for kind in KINDS)):
        async with place.memory("ablation", f"without-{'-'.join(left_out)}") as memory:
            await learn(memory, things, frozenset(left_out))
            answered: Counter[str] = Counter()
            tokens = 0
            for one in things:
                text = await context_for(memory, one)
                answered[one.kind] += one.value in text
                tokens += estimate(text)
        by_kind = {kind: answered[kind] / systems for kind in KINDS}
        found.append(
            Ablated(
                " + ".join(left_out) or NOTHING_LEFT_OUT, by_kind, answered.total() / len(things), tokens / len(things)
            )
        )
    return found


async def by_length(place: Place, seed: int, lengths: tuple[int, ...] = LENGTHS) -> list[Cost]:
    """Let a session grow; at each length ask for what was said in it, and weigh what each way would tell a model."""
    things = [one for one in learnt(seed, 4) if one.kind in ("episodic", "semantic", "procedural")]
    talk = small_talk(seed, lengths[-1])
    places = [number * lengths[-1] // len(things) for number in range(len(things))]
    places[0], places[1] = 0, 3  # the shortest session has something to ask for
    exchanges: list[str] = []
    known: list[Learnt] = []
    found: list[Cost] = []
    async with place.memory("costs", "default") as memory:
        for number, (user, answer) in enumerate(talk):
            if number in places:
                known.append(things[places.index(number)])
                user, answer = known[-1].text, "Noted."
            await memory.call("turn_add", session=SESSION, content=user, answer=answer, key=str(number))
            exchanges.append(f"user: {user}\nassistant: {answer}")
            if number + 1 in lengths:
                found += await _costs(memory, exchanges, known)
    return found


async def _costs(memory: AgentOS, exchanges: list[str], known: list[Learnt]) -> list[Cost]:
    history, window = "\n".join(exchanges), "\n".join(exchanges[-WINDOW:])
    tokens: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for one in known:
        about = {"query": one.question, "session": SESSION}
        context = await memory.call("context_compile", **about)
        small = await memory.call("context_compile", max_tokens=TOKENS, **about)
        hits = await memory.search(query=one.question, limit=HITS)
        ways = {
            "full history": history,
            f"last {WINDOW} exchanges": window,
            f"search alone, {HITS} hits": "\n".join(hit.content for hit in hits.results),
            OURS: context.as_text(),
            f"AgentOS, {TOKENS} tokens": small.as_text(),
        }
        for way, text in ways.items():
            tokens[way] += estimate(text)
            held[way] += one.value in text
    return [Cost(way, len(exchanges), tokens[way] / len(known), held[way] / len(known)) for way in tokens]
