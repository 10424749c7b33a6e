"""Makes the weights of near misses: `python -m training.train_near_misses [--write] [--test]`, a minute or two.

Fits `modules/memory/near_misses.py` to answers/near.json, train.json and validation.json: questions, the same without
the note that answers them, and questions about what no note tells. The least chance is what one in a hundred of the
answers that are found, there and to the notes of this repository, is below. `--test` measures
benchmarks/retrieval/near.json and precision.json, by which nothing was chosen here.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agentos.benchmarks.progress import say
from agentos.benchmarks.retrieval import notes, precision
from agentos.benchmarks.retrieval.precision import Notes, Question
from agentos.benchmarks.retrieval.probes import fill, opened
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import near_misses
from agentos.modules.memory.gathering import Gathered
from agentos.modules.memory.near_misses import FEATURES, NearMissModel

from .fitting import fit

ANSWERS = Path(__file__).with_name("answers")
TESTED = (precision.TEST.with_name("near.json"), precision.TEST)
LOST = 0.01
"""The share of answered questions that are below the least chance."""
LIMIT = 20
FITTED = ("near", "train", "validation")
"""The sources that weights are fitted to; the others only have a say in the least chance."""


@dataclass(frozen=True)
class Asked:
    """A question of a source, of a kind (`one`, `removed`, `near`); its features, None where it is not judged.

    `is_open` says whether the gate lets it through, `is_found` whether one of the best hits answers it.
    """

    source: str
    kind: str
    text: str
    known: Mapping[str, float] | None = None
    is_open: bool = False
    is_found: bool = False


def sources(*, tested: bool) -> Iterator[tuple[str, Notes]]:
    """Yield the stores, each with the name of its source."""
    paths = TESTED if tested else tuple(ANSWERS / f"{name}.json" for name in ("near", "train", "validation"))
    for path in paths:
        yield from ((path.stem, one) for one in precision.stores(path))
    if not tested:
        for name in ("notes", "developer", "everyday", "languages", "messages"):
            for store in notes.load(notes.NOTES.with_name(f"{name}.json"))["stores"]:
                items = tuple((item["id"], item["content"]) for item in store["items"])
                asked = tuple(Question("one", q["text"], frozenset(q["evidence"])) for q in store["questions"])
                yield name, Notes(f"{name}-{store['name']}", items, asked)


async def asked(*, tested: bool) -> list[Asked]:
    """Return every question, asked of its store."""
    found: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder) / "home") as agentos:
            for source, store in sources(tested=tested):
                found += [one async for one in _asked_of(agentos, source, store)]
                say(f"{source}: {store.name}, {len(store.items)} notes, {len(store.questions)} questions")
    return found


async def _asked_of(agentos: AgentOS, source: str, store: Notes) -> AsyncIterator[Asked]:
    ids = await fill(agentos, store.name, [text for _, text in store.items])
    by_name = {name: ids[text] for name, text in store.items}
    for question in store.questions:
        right = frozenset(by_name[name] for name in question.answers)
        if question.kind in ("one", "near"):
            gathered = await agentos.memory.gather(store.name, question.text, LIMIT)
            yield await _judged(agentos, Asked(source, question.kind, question.text), gathered, right)
        if question.kind == "one":
            without = gathered.without(right)
            yield await _judged(agentos, Asked(source, "removed", question.text), without, frozenset())


async def _judged(agentos: AgentOS, one: Asked, gathered: Gathered, right: frozenset[str]) -> Asked:
    """Return a question with what a search without this model says to it."""
    ranked, decision = await agentos.memory.order(gathered, LIMIT)
    best = ranked[: near_misses.READ]
    known = near_misses.features(gathered.query, gathered.evidence, gathered.turns, best)
    is_open = decision.answered or "near_miss" in decision.parts
    is_found = is_open and any(gathered.turns[each.row].id in right for each in best)
    return replace(one, known=known, is_open=is_open, is_found=is_found)


def fitted(found: Sequence[Asked]) -> NearMissModel:
    """Return the model of the questions with answers and without, of each as much."""
    import numpy as np

    judged = [one for one in found if one.known is not None and one.is_open]
    own = [one for one in judged if one.source in FITTED]
    values = np.array([[one.known[name] for name in FEATURES] for one in own if one.known is not None])
    answered = np.array([float(one.kind == "one") for one in own])
    weights = fit(values, answered, np.ones(len(own)))
    model = NearMissModel(dict(zip((*FEATURES, "bias"), (round(float(w), 3) for w in weights), strict=True)), 0.0)
    chances = sorted(model.of(one.known) for one in judged if one.is_found and one.known is not None)
    return replace(model, least=round(chances[int(LOST * sum(one.is_found for one in found))], 4))


def table(found: Sequence[Asked], model: NearMissModel) -> Iterator[str]:
    """Yield for each source how many found answers are lost, and how many questions without one are told apart."""
    groups: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in found:
        is_near = one.known is not None and model.of(one.known) < model.least
        if one.is_found:
            groups[one.source, "answers lost"].append(is_near)
        elif one.kind != "one":
            groups[one.source, f"{one.kind}, told apart"].append(is_near or not one.is_open)
    for (source, what), met in sorted(groups.items()):
        yield f"{source:12} {what:20} {sum(met) / len(met):.3f} of {len(met)}"


def main() -> None:
    """Fit, say what the model does, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--test", action="store_true")
    options = parser.parse_args()
    found = asyncio.run(asked(tested=options.test))
    model = near_misses.bundled() if options.test else fitted(found)
    say(f"{dict(model.weights)}, least {model.least}")
    for line in table(found, model):
        say(line)
    if options.write:
        written = {
            "made_by": "python -m training.train_near_misses --write",
            "weights": model.weights,
            "least": model.least,
        }
        near_misses.WEIGHTS.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
