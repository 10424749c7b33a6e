"""Makes the weights of support: `python -m training.train_support [--write] [--test]`, some minutes.

Fits both models of `modules/memory/support.py` on the ten best hits of questions that the gate lets through: to the
notes of this repository, to three of the five writers whose worlds no adapter was trained with, and to
answers/train.json. The other two writers and answers/validation.json choose what share of the best odds is enough;
`--test` measures benchmarks/retrieval/precision.json, by which ranking was chosen too, and two sealed writers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agentos import database
from agentos.benchmarks.lifecycle import scenes
from agentos.benchmarks.progress import say
from agentos.benchmarks.retrieval import notes, precision
from agentos.benchmarks.retrieval.precision import Answer, Notes, Question
from agentos.config import load as load_settings
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import ranking, support
from agentos.modules.memory.support import FOUND, RERANKED, SupportModel
from agentos.modules.store_request import StoreRequest

from .fitting import fit
from .scene_pairs import HELD_BACK

ANSWERS = Path(__file__).with_name("answers")
DEPTH = 10
VALIDATED = ("plans", "relatives")
"""The writers of the held-back worlds that weights are not fitted to."""
COUNTS = {"answers": 3.0}
"""Weights of hits by source, if not 1: lists are in these alone."""
SHARES = (0.0, 0.001, 0.002, 0.003, 0.005, 0.01)
SHARE = 0.003
"""Chosen by the tables of the validation data: at five hits the worlds lose a point of recall."""
REPLACED, BESIDE, OF_OTHERS = 0.5, 0.5, 12
"""Shares of a world's facts with a replacement, and with a near statement; questions of other worlds asked of one.
"""


@dataclass(frozen=True)
class Asked:
    """A question, its ten best hits and their features; `is_open` says that the gate lets it through."""

    source: str
    question: Question
    ids: Sequence[str]
    known: Sequence[Mapping[str, float]]
    is_open: bool

    def answer(self, model: SupportModel, share: float) -> Answer:
        """Return the result of a search that keeps hits with at least this `share` of the best one's odds."""
        odds = [chance / (1 - chance) for chance in map(model.of, self.known)]
        ids = [
            one
            for place, one in enumerate(self.ids)
            if place == 0 or odds[place] >= share * max(odds) or self.known[place]["coverage"] >= support.EVERY_WORD
        ]
        return Answer(self.question, ids if self.is_open else [])


def sources(*, tested: bool) -> Iterator[tuple[str, Notes]]:
    """Yield the stores, each with the name of its source."""
    if tested:
        yield from (("test answers", one) for one in precision.stores())
        yield from (("test worlds", one) for one in worlds(scenes.WORLDS))
        return
    for split in ("train", "validation"):
        yield from ((f"{split} answers", one) for one in precision.stores(ANSWERS / f"{split}.json"))
    for store in notes.load()["stores"]:
        items = tuple((item["id"], item["content"]) for item in store["items"])
        asked = tuple(Question("one", q["text"], frozenset(q["evidence"])) for q in store["questions"])
        yield "train notes", Notes(store["name"], items, asked)
    for one in worlds(HELD_BACK):
        yield ("validation worlds" if one.name.startswith(VALIDATED) else "train worlds"), one


def worlds(folder: Path) -> Iterator[Notes]:
    """Yield a store for each world: a statement of every fact, some replacements, and what sounds alike."""
    chance = random.Random("support")
    for path, own in zip(sorted(folder.glob("*.jsonl")), scenes.scenes(folder), strict=True):
        of_world: dict[str, list[scenes.Scene]] = defaultdict(list)
        for scene in own:
            of_world[scene.world].append(scene)
        for world, facts in sorted(of_world.items()):
            items, questions = [], []
            for place, scene in enumerate(facts):
                statements = [(f"{place} older", chance.choice(scene.older))]
                if chance.random() < REPLACED:
                    statements.append((f"{place} newer", chance.choice(scene.newer)))
                questions.append(Question("one", chance.choice(scene.asks), frozenset(name for name, _ in statements)))
                if chance.random() < BESIDE:
                    statements.append((f"{place} beside", chance.choice(scene.beside)))
                items += statements
            others = [scene for name, of in of_world.items() if name != world for scene in of]
            for scene in chance.sample(others, min(OF_OTHERS, len(others))):
                questions.append(Question("other", chance.choice(scene.asks), frozenset()))
            yield Notes(f"{path.stem}-{world}", tuple(items), tuple(questions))


async def asked(*, tested: bool) -> list[Asked]:
    """Return every question, asked of its store."""
    found: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({}, home=Path(folder), log_level="ERROR")
        async with database.opened(settings, _now) as (agentos, _):
            for source, store in sources(tested=tested):
                found += await _asked_of(agentos, source, store)
                say(f"{source}: {store.name}, {len(store.items)} notes, {len(store.questions)} questions")
    return found


async def _asked_of(agentos: AgentOS, source: str, store: Notes) -> list[Asked]:
    namespace = f"{source}-{store.name}".replace(" ", "-")
    item_of = {}
    for name, text in store.items:
        stored = await agentos.memory.store(namespace, StoreRequest(text))
        item_of[stored.memory.id] = name
    await agentos.memory.embedded(600.0)
    assert agentos.reranker is not None and await agentos.reranker.ready(120.0)
    found = []
    for question in store.questions:
        gathered = await agentos.memory.gather(namespace, question.text, DEPTH)
        ranked, decision = await agentos.memory.order(gathered, DEPTH)
        best = ranking.without_repetition(ranked, gathered.turns, DEPTH)
        known = support.features(gathered.query, gathered.evidence, gathered.turns, best)
        ids = [item_of[gathered.turns[one.row].id] for one in best]
        found.append(Asked(source, question, ids, known, decision.answered))
    return found


def fitted(chosen: Sequence[Asked], names: Sequence[str]) -> dict[str, float]:
    """Return the weights of one model that make the answers of its hits likeliest."""
    import numpy as np

    rows, answers, counts = [], [], []
    for one in chosen:
        for name, known in zip(one.ids, one.known, strict=True):
            if one.is_open and all(feature in known for feature in names):
                rows.append([known[feature] for feature in names])
                answers.append(float(name in one.question.answers))
                counts.append(COUNTS.get(one.source.split()[1], 1.0))
    weights = fit(np.array(rows), np.array(answers), np.array(counts))
    return {name: round(float(weight), 3) for name, weight in zip((*names, "bias"), weights, strict=True)}


def _report(chosen: Sequence[Asked], model: SupportModel) -> None:
    for source in dict.fromkeys(one.source for one in chosen):
        for share in SHARES:
            say(f"{source}, kept from {share}:")
            for line in precision.table([one.answer(model, share) for one in chosen if one.source == source]):
                say(f"  {line}")


def _now() -> datetime:
    return datetime.now(UTC)


def main() -> None:
    """Fit, print costs and benefits of thresholds, and write the weights if asked to; or measure existing ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"keep the weights in {support.WEIGHTS.name}")
    parser.add_argument("--test", action="store_true", help="measure the weights that there are on the test data")
    arguments = parser.parse_args()
    found = asyncio.run(asked(tested=arguments.test))
    if arguments.test:
        _report(found, support.bundled())
        return
    training = [one for one in found if one.source.startswith("train")]
    model = SupportModel(fitted(training, RERANKED), fitted(training, FOUND), SHARE)
    _report(found, model)
    if arguments.write:
        record = {
            "made_by": "python -m training.train_support --write",
            "train": ["notes", "worlds/held_back without plans and relatives", "answers/train.json"],
            "validation": ["worlds/held_back plans and relatives", "answers/validation.json"],
            "reranked": model.reranked,
            "found": model.found,
            "kept": model.least_share,
        }
        support.WEIGHTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
