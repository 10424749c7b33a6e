"""Questions typed in haste: the Chinese ones of `scripts`, with two slips each and small talk around them."""

import random
from dataclasses import replace

from .data import DataSet

LANGUAGE, SEED, SLIPS = "zh", 4, 2
BEFORE, BEHIND = ("那个,", "嗯…", "话说", "哎对了 ", "请问一下"), ("来着", "啊??", "呢呢", "~", "谢谢")
PARTICLES = "的了是有个"


def noisy(data: DataSet) -> DataSet:
    """Return the stores of one language, each question with a character lost, doubled, swapped or put in."""
    chance = random.Random(SEED)
    stores = [store for store in data.stores if store.name == LANGUAGE]
    made = [
        replace(store, questions=tuple(replace(one, text=_slipped(one.text, chance)) for one in store.questions))
        for store in stores
    ]
    return DataSet("noisy", tuple(made))


def _slipped(text: str, chance: random.Random) -> str:
    characters = list(text.rstrip("?"))
    for _ in range(SLIPS):
        kind, place = chance.randrange(4), chance.randrange(1, len(characters) - 1)
        if kind == 0:
            del characters[place]
        elif kind == 1:
            characters.insert(place, characters[place])
        elif kind == 2:
            characters[place - 1 : place + 1] = characters[place - 1 : place + 1][::-1]
        else:
            characters.insert(place, chance.choice(PARTICLES))
    return chance.choice(BEFORE) + "".join(characters) + chance.choice(BEHIND)
