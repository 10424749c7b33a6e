"""Questions that a store cannot answer: those of other stores about other people, and gibberish."""

import random
import re
from dataclasses import dataclass

from .data import DataSet, Store

_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_SPEAKER = re.compile(r"^([^:\n]{1,40}): ")
_CONSONANTS = "bcdfghjklmnpqrstvwxz"


@dataclass(frozen=True)
class OffTopic:
    """Questions to which the right answer is nothing."""

    foreign: tuple[str, ...]
    gibberish: tuple[str, ...]


def off_topic(data: DataSet, store: Store, count: int, seed: int) -> OffTopic:
    """Return about `count` questions: a fifth gibberish, the others from other stores.

    These name none of this store's speakers; there are fewer, or none, if the data has no such.
    """
    chance = random.Random(f"{seed} {store.name}")
    speakers = {name for item in store.items if (by := _SPEAKER.match(item.content)) for name in _NAME.findall(by[1])}
    pool = [
        question.text
        for other in data.stores
        if other.name != store.name
        for question in other.questions
        if not speakers & set(_NAME.findall(question.text))
    ]
    nonsense = count // 5
    foreign = chance.sample(pool, min(len(pool), count - nonsense))
    return OffTopic(tuple(foreign), tuple(_gibberish(chance) for _ in range(nonsense)))


def _gibberish(chance: random.Random) -> str:
    return " ".join("".join(chance.choices(_CONSONANTS, k=chance.randint(4, 9))) for _ in range(chance.randint(1, 6)))
