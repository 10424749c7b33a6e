"""One system on one data set: every question asked and measured, every search timed."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from agentos.modules.errors import AgentOSError

from . import context
from .context import TokenSavings
from .data import DataSet, Question, Store
from .embeddings import Embeddings
from .metrics import Measured, measure
from .off_topic import off_topic
from .systems.system import System, SystemUnavailable

TIERS = (1_000, 10_000, 100_000, 1_000_000)
"""Sizes of stores, in items; a store belongs to the smallest tier that holds it."""


@dataclass(frozen=True)
class Asking:
    """Options: the depth of searches, the number of off-topic questions in all, and the random seed."""

    depth: int = 50
    off_topic: int = 300
    seed: int = 7


@dataclass(frozen=True)
class Row:
    """One question and its answer. `relevance` is None if there is no embedding model to judge by."""

    store: str
    question: Question
    found: tuple[str, ...]
    figures: Measured
    relevance: float | None
    seconds: float


@dataclass
class Outcome:
    """The outcome of a system on a data set; `problem` says why it was not measured, or not to the end."""

    system: str
    rows: list[Row] = field(default_factory=list)
    foreign: list[bool] = field(default_factory=list)
    gibberish: list[bool] = field(default_factory=list)
    seconds: dict[int, list[float]] = field(default_factory=dict)
    fill_seconds: float = 0.0
    items: int = 0
    savings: list[tuple[TokenSavings, int]] = field(default_factory=list)
    problem: str | None = None

    def scores(self, metric: str) -> dict[str, list[float]]:
        """Return one figure of each question that has it, by store."""
        scores: dict[str, list[float]] = {}
        for row in self.rows:
            if metric in row.figures:
                scores.setdefault(row.store, []).append(row.figures[metric])
        return scores


def measured(
    name: str,
    start: Callable[[], System],
    data: DataSet,
    asking: Asking,
    judge: Embeddings | None,
    say: Callable[[str], None],
) -> Outcome:
    """Start a system and ask it everything. Failures go into the outcome: one system must not stop the others."""
    outcome = Outcome(name)
    try:
        system = start()
    except (SystemUnavailable, AgentOSError) as problem:
        outcome.problem = str(problem)
        say(f"{name}: {problem}")
        return outcome
    try:
        for store in data.stores:
            _ask(system, data, store, asking, judge, outcome)
            say(f"{name}: {store.name}, {len(store.items)} items, {len(store.questions)} questions")
    except (SystemUnavailable, AgentOSError) as problem:
        outcome.problem = str(problem)
        outcome.rows.clear()  # a partial run is no result
        say(f"{name}: {problem}")
    finally:
        system.close()
    return outcome


def _ask(
    system: System, data: DataSet, store: Store, asking: Asking, judge: Embeddings | None, outcome: Outcome
) -> None:
    began = time.perf_counter()
    system.fill(store)
    outcome.fill_seconds += time.perf_counter() - began
    outcome.items += len(store.items)
    tier = outcome.seconds.setdefault(tier_of(len(store.items)), [])
    rows = list(_rows(system, store, asking, judge))
    tier += [row.seconds for row in rows]
    outcome.rows += rows
    outcome.savings.append((context.savings(store, [row.found for row in rows]), len(rows)))
    nothing = off_topic(data, store, asking.off_topic // len(data.stores), asking.seed)
    outcome.foreign += [not system.search(question, 10) for question in nothing.foreign]
    outcome.gibberish += [not system.search(question, 10) for question in nothing.gibberish]


def _rows(system: System, store: Store, asking: Asking, judge: Embeddings | None) -> Iterator[Row]:
    session_of = store.session_of
    contents = {item.id: item.content for item in store.items}
    for question in store.questions:
        if not question.is_answerable:
            continue
        began = time.perf_counter()
        found = system.search(question.text, asking.depth)
        seconds = time.perf_counter() - began
        close = None
        if judge is not None:
            recalled = [contents[id_] for id_ in found[: context.ITEMS]]
            chance = context.random_context(store, question.text, asking.seed)
            close = context.relevance(question.text, recalled, chance, judge)
        yield Row(store.name, question, tuple(found), measure(found, question, session_of), close, seconds)


def tier_of(size: int) -> int:
    """Return the tier of a store of `size` items."""
    return next((tier for tier in TIERS if size <= tier), TIERS[-1])


def mean_savings(parts: Sequence[tuple[TokenSavings, int]]) -> TokenSavings:
    """Return the mean over all questions of several stores."""
    questions = sum(count for _, count in parts) or 1
    return TokenSavings(
        sum(part.history * count for part, count in parts) / questions,
        sum(part.context * count for part, count in parts) / questions,
    )
