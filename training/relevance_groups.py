"""Training groups of the relevance model: a question with a text that answers it and several that do not.

For facts that writers told one by one (`scenes.py`), the texts that do not answer are other facts of the same writer
or world, first those with a similar question, and what only sounds alike. For properties (`succession_pairs.py`) they
are the same property of somebody else, and other properties of the same subject. For near pairs it is the other text.
"""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agentos.benchmarks.lifecycle.cases import Wordings
from agentos.benchmarks.lifecycle.scenes import Scene
from agentos.benchmarks.lifecycle.values import FIRST_NAMES, SUBJECTS, VALUES
from agentos.benchmarks.lifecycle.wording import NearPair, filled
from agentos.modules.stop_words import STOP_WORDS

from .succession_pairs import Pairs, Property, stated

TEXTS = 6
"""Texts in a group: the first one answers."""
SHARES = {"scene": 0.5, "property": 0.38, "near": 0.12}
"""Shares of the kinds of groups."""
HARD, EASY = 3, 50
"""Texts of a scene's group that are of its most similar scenes; and attempts to find others."""
FRAMED, NAMED_GROUP, NAMED = 0.12, 0.25, 0.6
"""Shares of texts in a frame ("FYI: …"), of groups that name slots, and of texts in these that do."""

KEYWORDS, ONE_WORD, RESTATED = 0.12, 0.04, 0.05
"""Shares of groups whose question is replaced by its keywords, by a word of the answering text, or by the same fact in
other words: people search like that too."""
_WORD = re.compile(r"[\w'-]+")

AlikeScenes = Sequence[Sequence[int]]
"""For each scene the numbers of those whose texts are nearest to its question, of its writer or world."""


@dataclass(frozen=True)
class Group:
    """A question and TEXTS texts, of which the first one answers it."""

    question: str
    texts: tuple[str, ...]


class Groups:
    """Generates random groups, endlessly."""

    def __init__(
        self,
        properties: Sequence[Property],
        alike: Sequence[Sequence[int]],
        own: Sequence[Wordings],
        scenes: Sequence[tuple[str, Scene]],
        alike_scenes: AlikeScenes,
        chance: random.Random,
    ) -> None:
        """Set up the generator; `scenes` come with the name of their writer or world."""
        self._properties, self._alike = properties, alike
        self._near = [pair for wordings in own for pair in wordings.near]
        self._frames = [frame for wordings in own for frame in (*wordings.old_frames, *wordings.new_frames)]
        self._scenes, self._alike_scenes = scenes, alike_scenes
        self._chance = chance
        self._names = Pairs(properties, alike, chance)
        self._of_kind: dict[str, list[Property]] = defaultdict(list)
        for one in properties:
            self._of_kind[one.about].append(one)
        self._of_place: dict[str, list[int]] = defaultdict(list)
        for number, (place, _) in enumerate(scenes):
            self._of_place[place].append(number)

    def __iter__(self) -> Iterator[Group]:
        """Yield groups without end."""
        kinds: dict[str, Callable[[], Group]] = {"scene": self.of_scene, "property": self._property, "near": self._pair}
        while True:
            [kind] = self._chance.choices(list(SHARES), list(SHARES.values()))
            yield kinds[kind]()

    def of_scene(self) -> Group:
        """Return a group of one of the scenes."""
        chance = self._chance
        number = chance.randrange(len(self._scenes))
        place, scene = self._scenes[number]
        texts = [chance.choice((*scene.older, *scene.newer)), chance.choice(scene.beside)]
        alike = self._alike_scenes[number]
        for other in chance.sample(alike, min(HARD, len(alike))):
            texts.append(chance.choice(_all(self._scenes[other][1])))
        for _ in range(EASY):
            other = chance.choice(self._of_place[place])
            if len(texts) < TEXTS and other != number:
                texts.append(chance.choice((*self._scenes[other][1].older, *self._scenes[other][1].newer)))
        if chance.random() < RESTATED:
            return self._group(chance.choice((*scene.older, *scene.newer)), texts)
        return self._group(chance.choice(scene.asks), texts)

    def _property(self) -> Group:
        chance = self._chance
        place = chance.randrange(len(self._properties))
        own = self._properties[place]
        subject = chance.choice(own.names)
        chosen = [(own, subject), *((own, somebody) for somebody in self._others(own, subject))]
        alike = self._alike[place]
        chosen += [(self._properties[other], subject) for other in chance.sample(alike, min(HARD, len(alike)))]
        for tries in range(EASY):
            another = chance.choice(self._of_kind[own.about] if tries < EASY // 2 else self._properties)
            if len(chosen) < TEXTS and another.name != own.name:
                chosen.append((another, subject if chance.random() < 0.7 else chance.choice(another.names)))
        is_named = chance.random() < NAMED_GROUP
        texts = [self._statement(one, about, is_named=is_named) for one, about in chosen[:TEXTS]]
        return self._group(chance.choice(own.asks).replace("{s}", subject), texts)

    def _others(self, own: Property, subject: str) -> Iterator[str]:
        """Yield others (people or things) of whom the same property may be told."""
        chance = self._chance
        if subject and chance.random() < 0.9:
            yield self._names.another(own, subject)
        if chance.random() < (0.25 if subject else 0.5):
            yield self._names.part(own, subject)
        if len(own.names) > 1 and chance.random() < 0.3:
            yield chance.choice([name for name in own.names if name != subject])

    def _statement(self, own: Property, subject: str, *, is_named: bool) -> str:
        text = stated(self._chance.choice((*own.old, *own.new)), subject, self._chance.choice(own.values))
        if not is_named or self._chance.random() >= NAMED:
            return text
        return f"{subject or 'the user'}'s {own.name.removeprefix('my ')}: {text}"

    def _pair(self) -> Group:
        chance = self._chance
        pair = chance.choice(self._near)
        subject = chance.choice(SUBJECTS[pair.about])
        names = self._filling(pair, subject)
        texts = [filled(text, **names) for text in (pair.first, pair.second)]
        others = [one for one in self._of_kind[pair.about] or self._properties if one.names]
        while len(texts) < TEXTS:
            another = chance.choice(others)
            texts.append(self._statement(another, subject if another.names[0] else "", is_named=False))
        return self._group(filled(pair.ask, **names), texts)

    def _filling(self, pair: NearPair, subject: str) -> dict[str, str]:
        value, other = self._chance.sample(VALUES[pair.values], 2)
        twin = self._names.similar(subject) if pair.about != "self" else ""
        return {"s": subject, "t": twin, "x": self._chance.choice(FIRST_NAMES), "v": value, "w": other}

    def _group(self, question: str, texts: Sequence[str]) -> Group:
        framed = tuple(self._framed(text) for text in texts[:TEXTS])
        if (kind := self._chance.random()) < KEYWORDS + ONE_WORD:
            question = self._keywords(question) if kind < KEYWORDS else self._one_word(question, framed)
        return Group(question, framed)

    def _keywords(self, question: str) -> str:
        """Return the question without stop words, as somebody types it into a search."""
        return " ".join(word for word in _words(question) if word.lower() not in STOP_WORDS) or question

    def _one_word(self, question: str, texts: Sequence[str]) -> str:
        """Return a word that only the answering text has; the question if there is none."""
        others = {word.lower() for text in texts[1:] for word in _words(text)}
        own = [word for word in _words(texts[0]) if len(word) > 3 and word.lower() not in others | STOP_WORDS]
        return self._chance.choice(own) if own else question

    def _framed(self, text: str) -> str:
        if self._chance.random() >= FRAMED:
            return text
        return self._chance.choice(self._frames).replace("{text}", text)


def _all(scene: Scene) -> tuple[str, ...]:
    return (*scene.older, *scene.newer, *scene.beside)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)
