"""Scores from conversations, each beside its baseline."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles

from agentos.modules.context.tokens import estimate

from . import measures
from .walk import Context, Walk

Vectors = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Return the vectors of texts."""


@dataclass(frozen=True)
class Score:
    """A measure of ours beside that of a baseline; both 0..1, higher is better. `cases` is how many were averaged."""

    measure: str
    ours: float
    baseline: float
    against: str
    cases: int

    @property
    def difference(self) -> float:
        """The advantage of ours over the baseline."""
        return self.ours - self.baseline


@dataclass(frozen=True)
class Savings:
    """Tokens of all prompts of a conversation; `billed_…` counts cached tokens at a tenth."""

    prompts: int
    with_memory: int
    without: int
    billed_with_memory: float
    billed_without: float

    @property
    def saved(self) -> float:
        """The share of tokens that memory saves, compared with the whole history; below 0 it costs more."""
        return 1 - self.with_memory / self.without if self.without else 0.0

    @property
    def saved_when_cached(self) -> float:
        """The same share of the billed tokens."""
        return 1 - self.billed_with_memory / self.billed_without if self.billed_without else 0.0


def relevance(pairs: Iterable[tuple[str, Context]], vectors: Vectors) -> list[float]:
    """Return the CRS of each query and its context."""
    return [
        measures.context_relevance(
            vectors([query])[0],
            vectors(context.texts) if context.texts else [],
            [float(len(text)) for text in context.texts],
        )
        for query, context in pairs
    ]


def at_random(history: Context, like: Context, chance: random.Random) -> Context:
    """Return a context of random turns of the same conversation, with as many tokens as another one."""
    room = sum(map(estimate, like.texts))
    chosen: list[int] = []
    for place in chance.sample(range(len(history.texts)), len(history.texts)):
        price = estimate(history.texts[place])
        if price <= room:
            room -= price
            chosen.append(place)
    texts = tuple(history.texts[place] for place in sorted(chosen))
    return Context(texts, "\n".join(texts))


def of_walks(walks: Sequence[Walk], vectors: Vectors) -> list[Score]:
    """Return CRS, TES and LCS over seeded conversations."""
    probes = [(fact, moment) for walk in walks for fact, moment in walk.probes]
    chance = random.Random(0)
    ours = relevance(((m.exchange.user, m.memory) for _, m in probes), vectors)
    window = relevance(((m.exchange.user, m.window) for _, m in probes), vectors)
    arbitrary = relevance(((m.exchange.user, at_random(m.history, m.memory, chance)) for _, m in probes), vectors)
    scores = [
        Score("CRS", fmean(ours), fmean(window), "the last 20 turns", len(probes)),
        Score("CRS", fmean(ours), fmean(arbitrary), "random turns, as many tokens", len(probes)),
    ]
    scores += [
        *_efficiency(walks),
        Score(
            "LCS",
            measures.recalled((m.memory.text, fact.value) for fact, m in probes),
            measures.recalled((m.window.text, fact.value) for fact, m in probes),
            "the last 20 turns",
            len(probes),
        ),
    ]
    later = [(context.text, fact.value) for walk in walks for fact, context in walk.elsewhere]
    scores.append(Score("LCS, another session", measures.recalled(later), 0.0, "no memory", len(later)))
    return scores


def _efficiency(walks: Sequence[Walk]) -> list[Score]:
    covered = [(s.sources, s.summaries) for walk in walks if (s := walk.summarised) and s.sources]
    sessions = [
        ((*s.sources, *s.left), (*s.summaries, *s.left)) for walk in walks if (s := walk.summarised) and s.sources
    ]
    return [
        Score(
            name,
            fmean(efficiency(before, after) for before, after in cases),
            fmean(efficiency(before, measures.dropped_oldest(before)) for before, _ in cases),
            "the oldest 30 % dropped",
            len(cases),
        )
        for name, cases in (("TES", covered), ("TES, whole session", sessions))
        if cases
    ]


def efficiency(before: Sequence[str], after: Sequence[str]) -> float:
    """Return the TES of turns and what they were reduced to."""
    original = measures.entities("\n".join(before))
    return measures.token_efficiency(
        sum(map(estimate, before)),
        sum(map(estimate, after)),
        len(measures.retained_entities(original, "\n".join(after))),
        len(original),
    )


def savings(walk: Walk) -> Savings:
    """Return the tokens of a conversation's prompts with memory, and with the whole history in each."""
    with_memory = [f"{m.memory.prompt}\n{m.exchange.user}" for m in walk.moments]
    without = [f"{m.history.prompt}\n{m.exchange.user}" for m in walk.moments]
    return Savings(
        len(walk.moments),
        sum(map(estimate, with_memory)),
        sum(map(estimate, without)),
        billed(with_memory),
        billed(without),
    )


def billed(prompts: Sequence[str]) -> float:
    """Return the price of prompts in tokens, where the prefix shared with the previous one is cached."""
    total = 0.0
    last = ""
    for prompt in prompts:
        cached = estimate(prompt[: measures.shared_prefix(prompt, last)])
        total += cached * measures.CACHED_RATE + max(0, estimate(prompt) - cached)
        last = prompt
    return total


def overall(scores: Sequence[Score]) -> Score:
    """Return the mean of CRS, TES and LCS, each against its first baseline."""
    first = {score.measure: score for score in reversed(scores)}
    three = [first[name] for name in ("CRS", "TES", "LCS") if name in first]
    return Score(
        "overall",
        fmean(score.ours for score in three),
        fmean(score.baseline for score in three),
        f"mean of {', '.join(score.measure for score in three)}",
        len(three),
    )


def latencies(walks: Sequence[Walk]) -> dict[str, dict[str, float]]:
    """Return p50 and p95 of each tier in milliseconds, through the protocol, with the server in its own process."""
    times: dict[str, list[float]] = {}
    for walk in walks:
        for name, values in walk.latencies_ms.items():
            times.setdefault(name, []).extend(values)
    return {
        name: {"p50": round(cuts[9], 1), "p95": round(cuts[18], 1), "calls": len(values)}
        for name, values in times.items()
        if len(values) > 1
        for cuts in [quantiles(values, n=20, method="inclusive")]
    }
