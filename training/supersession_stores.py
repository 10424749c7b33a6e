"""Simulated stores: statements in order, and the older statement that each one replaces.

Every statement is compared with the nearest ones before it, as in a real store; so the model has to tell the
neighbours of a statement from what it replaces.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agentos.benchmarks.lifecycle import cases, supersession_cases
from agentos.benchmarks.lifecycle.cases import near_pairs, updates
from agentos.benchmarks.lifecycle.free_wording import BESIDE, writers
from agentos.benchmarks.lifecycle.surroundings import distractors
from agentos.benchmarks.lifecycle.worlds import FactStatement, statements_in

SEED = 1
UPDATES, NEAR, GROUPS, NOTES = 550, 550, 6, 75
"""Updates, near pairs and notes taken of a split, and the number of stores that its updates are in."""


@dataclass(frozen=True)
class Statement:
    """A statement. `kind` says what becomes of its `own` older statement, which is given by its place in the store.

    An `update` replaces it; a `near` or `parallel` one and a `note` leave it true. An `other` statement has none.
    Statements without a kind only fill the store: they are not judged.
    """

    text: str
    kind: str = ""
    own: int | None = None
    language: str = "en"

    @property
    def is_english(self) -> bool:
        """Whether the pair model was trained with its language."""
        return self.language == "en"


Store = list[Statement]


def of_worlds(folder: Path, rounds: int = 1) -> Iterator[Store]:
    """Yield each world as it is told, in other wordings in each round."""
    for number in range(rounds):
        by_world: dict[str, list[FactStatement]] = defaultdict(list)
        for one in statements_in(folder, random.Random(f"supersession {number}"))[0]:
            by_world[one.namespace].append(one)
        for several in by_world.values():
            places: dict[int, int] = {}
            store = []
            for place, one in enumerate(several):
                kind = {"newer": "update", "beside": "near"}.get(one.which, "other")
                store.append(Statement(one.text, kind, places.get(one.place) if kind != "other" else None))
                if one.which == "older":
                    places[one.place] = place
            yield store


def of_split(split: cases.Split) -> Iterator[Store]:
    """Yield the updates of a split amid notes, and its near pairs in stores of their own."""
    chance = random.Random(f"supersession {split}")
    parts: dict[str, tuple[list[tuple[str, str]], list[tuple[str, str]]]] = defaultdict(lambda: ([], []))
    own: dict[str, str] = {}
    for case in updates(split, SEED, UPDATES, GROUPS):
        parts[f"updates {case.group}"][0].append(("", case.old.text))
        parts[f"updates {case.group}"][1].append(("update", case.new.text))
        own[case.new.text] = case.old.text
    for pair in near_pairs(split, SEED, NEAR):
        parts[f"near {pair.group}"][0].append(("", pair.first.text))
        parts[f"near {pair.group}"][1].append(("near", pair.second.text))
        own[pair.second.text] = pair.first.text
    for group in range(GROUPS):
        for number, text in enumerate(distractors(chance, NOTES, apart=True)):
            parts[f"updates {group}"][number % 2].append((("", "other")[number % 2], text))
    for first, second in parts.values():
        yield _store(first, second, own, chance)


def of_free_wording() -> Iterator[Store]:
    """Yield what people told freely: each update and each near pair in a store with a dozen notes."""
    chance = random.Random("supersession told")
    for writer in writers():
        for kind, several in (("update", writer.updates), ("near", writer.near)):
            for one in several:
                notes = [("", text) for text in chance.sample(writer.notes, min(BESIDE, len(writer.notes)))]
                first, second = [*notes[::2], ("", one["old"])], [*notes[1::2], (kind, one["new"])]
                yield _store(first, second, {one["new"]: one["old"]}, chance)


def of_pairs(split: supersession_cases.Split) -> Iterator[Store]:
    """Yield, per language, a store of all its parallel pairs and updates."""
    chance = random.Random(f"supersession {split}")
    parts: dict[str, tuple[list[tuple[str, str]], list[tuple[str, str]]]] = defaultdict(lambda: ([], []))
    own: dict[str, str] = {}
    for pair in supersession_cases.parallel_pairs(split):
        first, second = parts[pair.language]
        first.append(("", pair.older))
        second.append(("parallel", pair.newer))
        own[pair.newer] = pair.older
    for one in supersession_cases.updated(split):
        first, second = parts[one.language]
        first.append(("", one.older))
        second += [("update", one.newer), ("note", one.note)]
        own |= {one.newer: one.older, one.note: one.older}
    for language, (first, second) in parts.items():
        yield [replace(each, language=language) for each in _store(first, second, own, chance)]


def _store(
    first: list[tuple[str, str]], second: list[tuple[str, str]], own: dict[str, str], chance: random.Random
) -> Store:
    chance.shuffle(first)
    chance.shuffle(second)
    places = {text: place for place, (_, text) in enumerate(first)}
    before = [Statement(text) for _, text in first]
    return before + [Statement(text, kind, places.get(own.get(text, ""))) for kind, text in second]
