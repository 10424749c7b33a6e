"""Cases to measure the gate with: stores of 5 to 5,000 memories, each with questions it can answer and others.

Of each store's queries some have an answer in it (`ANSWERED`), some cannot have one (`UNANSWERABLE`: other
conversations' questions, other topics, other languages, gibberish of many kinds), and some are hard (`HARD`: right
names with other people's deeds, or topics of the same conversation that this part of it does not mention).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from agentos.benchmarks.corpus import sentence
from agentos.benchmarks.retrieval import data
from agentos.benchmarks.retrieval.data import Item, Question, Store

T = TypeVar("T")

ANSWERED, HARD, UNANSWERABLE = "answered", "hard", "unanswerable"
LARGE = 5_000

_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_UNRELATED = """
zeppelin quartz marmalade obelisk tangerine glacier xylophone parliament walrus cathedral nebula mortar accordion
porcelain hydraulic saffron catapult peninsula isotope velvet chimney barnacle trapezoid lighthouse mandolin sulphur
tundra chandelier ostrich lacquer meridian turbine cinnamon gargoyle plankton harpoon monsoon bassoon pyramid kerosene
tarantula velodrome platypus guillotine stalactite quicksand juggernaut sarcophagus periscope rhubarb
""".split()
_OTHER_TOPICS = """
What is the capital of Mongolia?|How do I sort a list of tuples in Haskell?|best way to poach an egg|
Who won the 1974 football world cup?|What is the boiling point of mercury?|explain the Krebs cycle|
How far is the moon from the earth?|translate "good morning" into Swahili|What are the symptoms of scurvy?|
Which planets have rings?|rules of the offside trap in hockey|How does a diesel locomotive start?|
sonnet about autumn leaves|square root of 1764|Who wrote The Brothers Karamazov?|history of the Byzantine empire|
kubernetes ingress annotations for websockets|how to tune a harpsichord|What is the atomic weight of selenium?|
stock price of Nvidia yesterday|When did the Titanic sink?|chess opening against the Caro-Kann|
What does the Higgs boson do?|regular expression for IPv6 addresses|Which vaccines are needed for a trip to Gabon?|
how to remove rust from cast iron|What is a monad in category theory?|penguin migration routes in Antarctica|
compile Linux kernel with clang|mortgage rates in Portugal|What is the plot of Hamlet?|How do volcanoes form?|
tax deadline for sole traders in Ireland|best camera lens for astrophotography|lyrics of Bohemian Rhapsody|
How many bones does a shark have?|causes of the French revolution|Fibonacci sequence closed form|
What is the melting point of tungsten?|wiring diagram of a three way switch
"""


@dataclass(frozen=True)
class Case:
    """A query: its `kind`, the `answer` it has (ANSWERED, HARD or UNANSWERABLE), and the items that answer it."""

    kind: str
    answer: str
    text: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A store in a home of its own, of a `group` (by content and size), and its queries.

    `fold` is the conversation that it is taken from: cross-validation leaves it out as a whole; None belongs to any.
    """

    group: str
    store: Store
    cases: tuple[Case, ...]
    fold: str | None


def stores(talks: Sequence[Store], seed: int = 7) -> Iterator[Asked]:
    """Yield every store that the gate is measured with, from conversations and from the notes of this repository."""
    [notes] = data.load("notes").stores
    for talk in talks:
        others = [other for other in talks if other is not talk]
        chance = random.Random(f"{seed} {talk.name}")
        yield _asked("dialogue", talk, others, [notes], chance, talk.name, each=1.0, more=True)
        for number in range(8):
            part = _stretch(talk, 5, chance)
            yield _asked("dialogue of 5", part, others, [notes], chance, talk.name, 0.1, rest=talk, number=number)
        for number in range(2):
            part = _stretch(talk, 50, chance)
            yield _asked("dialogue of 50", part, others, [notes], chance, talk.name, 0.25, rest=talk, number=number)
    chance = random.Random(f"{seed} notes")
    yield _asked("notes", notes, talks, [], chance, None, each=1.5, more=True)
    for size, asked, count, each in ((5, 3, 25, 0.1), (50, 25, 6, 0.3)):
        for number in range(count):
            part = _subset(notes, size, asked, chance)
            yield _asked(f"notes of {size}", part, talks, [], chance, None, each, rest=notes, number=number)
    for left_out in talks[::3]:
        chance = random.Random(f"{seed} without {left_out.name}")
        others = [talk for talk in talks if talk is not left_out]
        yield _asked("5,000", _large(others, notes, chance), [left_out], [], chance, left_out.name, each=1.0)


def _asked(
    group: str,
    store: Store,
    talks: Sequence[Store],
    notes: Sequence[Store],
    chance: random.Random,
    fold: str | None,
    each: float,
    *,
    more: bool = False,
    rest: Store | None = None,
    number: int = 0,
) -> Asked:
    """Return a store with its own questions (`more`: in several forms) and about 100 × `each` unanswerable ones."""
    cases = [Case("question", ANSWERED, q.text, q.evidence) for q in store.questions if q.is_answerable]
    if more:
        cases += _more(store, chance)
    cases += _foreign(store, talks, notes, chance, each)
    cases += _nonsense(store, chance, max(1, round(8 * each)))
    if rest is not None:
        here = {item.id for item in store.items}
        elsewhere = [q for q in rest.questions if q.evidence and not here & set(q.evidence)]
        cases += [Case("of the rest", HARD, q.text) for q in chance.sample(elsewhere, 8)]
    return Asked(group, replace(store, name=f"{store.name}-{group}-{number}".replace(" ", "-")), tuple(cases), fold)


def _more(store: Store, chance: random.Random) -> Iterator[Case]:
    """Yield answerable variants: keywords of questions, single rare words, stored sentences, two questions at once."""
    questions = [q for q in store.questions if q.is_answerable]
    for q in chance.sample(questions, 40):
        words = (word for word in re.findall(r"[\w'’.-]+", q.text) if word.lower() not in _SMALL)
        yield Case("keywords", ANSWERED, " ".join(words), q.evidence)
    where: dict[str, set[str]] = {}
    for item in store.items:
        for word in re.findall(r"[a-z]{4,}", item.content.lower()):
            where.setdefault(word, set()).add(item.id)
    rare = [word for word, ids in where.items() if len(ids) == 1]
    for word in chance.sample(rare, 25):
        yield Case("one word", ANSWERED, word, tuple(where[word]))
    for item in chance.sample([item for item in store.items if len(item.content) > 40], 12):
        yield Case("as stored", ANSWERED, item.content[:280], (item.id,))
    for _ in range(25):
        one, two = chance.sample(questions, 2)
        text = f"I would like to know something about the past. {one.text} And also this: {two.text}"
        yield Case("long", ANSWERED, text[:299], (*one.evidence, *two.evidence))


_SMALL = frozenset("what when where which who why how did does do is are was were the a an of to in on at for".split())


def _foreign(
    store: Store, talks: Sequence[Store], notes: Sequence[Store], chance: random.Random, each: float
) -> Iterator[Case]:
    """Yield questions of other stores: about others, about others' deeds with our names, other topics and languages."""
    ours = _speakers(store)
    pool = [q.text for talk in talks for q in talk.questions if not set(ours) & set(_NAME.findall(q.text))]
    yield from (Case("foreign", UNANSWERABLE, text) for text in _sample(pool, 90 * each, chance))
    for talk in talks:
        for q in _sample(talk.questions, 15 * each / len(talks) + 1, chance):
            text = q.text
            for name in _speakers(talk):
                text = re.sub(rf"\b{name}\b", chance.choice(ours) if ours else "the user", text)
            yield Case("renamed", HARD, text)
    for other in notes:
        yield from (Case("notes", UNANSWERABLE, q.text) for q in _sample(other.questions, 45 * each, chance))
    topics = [" ".join(topic.split()) for topic in _OTHER_TOPICS.split("|")]
    yield from (Case("other topics", UNANSWERABLE, text) for text in _sample(topics, 30 * each, chance))
    [languages] = data.load("languages").stores
    yield from (Case("languages", UNANSWERABLE, q.text) for q in _sample(languages.questions, 18 * each, chance))


def _nonsense(store: Store, chance: random.Random, count: int) -> Iterator[Case]:
    """Yield gibberish of several kinds, and words that the store does not have."""
    known = set(re.findall(r"[a-z]+", " ".join(item.content for item in store.items).lower()))
    unrelated = [word for word in _UNRELATED if word not in known]
    kinds: dict[str, Callable[[], str]] = {
        "letters": lambda: _words(lambda: "".join(chance.choices(_CONSONANTS, k=chance.randint(4, 9))), 6, chance),
        "keyboard": lambda: _words(
            lambda: "".join(chance.choices(chance.choice(_KEYS), k=chance.randint(3, 9))), 4, chance
        ),
        "syllables": lambda: _words(lambda: _syllables(chance), 5, chance),
        "unrelated words": lambda: " ".join(chance.sample(unrelated, chance.randint(2, 5))),
        "an unknown word": lambda: chance.choice(unrelated),
        "numbers and signs": lambda: chance.choice(
            [str(chance.randrange(10**6, 10**10)), "???!!", "🦄🦄🦄", "--- ***"]
        ),
    }
    yield from (Case(kind, UNANSWERABLE, make()) for kind, make in kinds.items() for _ in range(count))


def _words(make: Callable[[], str], most: int, chance: random.Random) -> str:
    return " ".join(make() for _ in range(chance.randint(1, most)))


def _syllables(chance: random.Random) -> str:
    parts = (chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") + chance.choice(["", "n", "r"]) for _ in range(3))
    return "".join(parts)


def _sample(values: Sequence[T], count: float, chance: random.Random) -> list[T]:
    return chance.sample(values, min(len(values), round(count)))


def _speakers(store: Store) -> list[str]:
    prefixes = (item.content.split(":")[0] for item in store.items if item.session and ":" in item.content[:40])
    return sorted({name for by in prefixes for name in _NAME.findall(by)})


def _stretch(talk: Store, size: int, chance: random.Random) -> Store:
    """Return `size` consecutive turns, with the questions that they answer (one at least)."""
    places = {item.id: place for place, item in enumerate(talk.items)}
    single = [q for q in talk.questions if len(q.evidence) == 1]
    place = places[chance.choice(single).evidence[0]]
    begin = max(0, min(len(talk.items) - size, place - chance.randrange(size)))
    return _part(talk, talk.items[begin : begin + size])


def _subset(notes: Store, size: int, asked: int, chance: random.Random) -> Store:
    """Return `size` notes, among them those that answer some questions."""
    wanted = list(dict.fromkeys(e for q in chance.sample(notes.questions, asked) for e in q.evidence))[:size]
    others = [item.id for item in notes.items if item.id not in wanted]
    chosen = {*wanted, *chance.sample(others, size - len(wanted))}
    return _part(notes, [item for item in notes.items if item.id in chosen])


def _part(store: Store, items: Sequence[Item]) -> Store:
    ids = {item.id for item in items}
    asked = tuple(q for q in store.questions if q.evidence and set(q.evidence) <= ids)
    return Store(store.name, tuple(items), asked)


def _large(talks: Sequence[Store], notes: Store, chance: random.Random) -> Store:
    """Return a store of conversations, notes and made-up sentences, LARGE in all, with some of their questions."""
    items: list[Item] = list(notes.items)
    questions: list[Question] = chance.sample(notes.questions, 80)
    for talk in talks:
        items += [
            replace(item, id=f"{talk.name} {item.id}", session=f"{talk.name} {item.session}") for item in talk.items
        ]
        answerable = [q for q in talk.questions if q.is_answerable]
        questions += [
            replace(q, evidence=tuple(f"{talk.name} {e}" for e in q.evidence)) for q in chance.sample(answerable, 40)
        ]
    items += [Item(f"made-up {number}", None, None, sentence(number)) for number in range(LARGE - len(items))]
    return Store("large", tuple(items), tuple(questions))
