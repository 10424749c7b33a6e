"""The cases, generated from the wordings by a seed: the same seed gives the same cases, byte for byte."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, TypeVar

from .values import ASCENDING, FIRST_NAMES, SUBJECTS, TWINS, VALUES
from .wording import Attribute, ConflictPair, NearPair, Paraphrase, content_stems, echo, filled

_Choice = TypeVar("_Choice")

Split = Literal["dev", "held_out", "fresh", "blind", "unseen", "sealed", "all"]
SPLITS: tuple[Split, ...] = ("dev", "held_out", "fresh", "blind", "unseen", "sealed", "all")

WORDINGS = Path(__file__).with_name("wordings")
"""The folder with a file for each split."""
_FIRST_DAY = datetime(2024, 1, 8, 9, tzinfo=UTC)
_TRIES = 400


@dataclass(frozen=True)
class Wordings:
    """All wordings of a split."""

    attributes: tuple[Attribute, ...]
    old_frames: tuple[str, ...]
    new_frames: tuple[str, ...]
    near: tuple[NearPair, ...]
    conflicts: tuple[ConflictPair, ...]
    paraphrases: tuple[Paraphrase, ...]


def read_wordings(path: Path) -> Wordings:
    """Read the wordings of a file, one JSON object per line; frames default to those of `fresh` and `blind`."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    known = [{name: tuple(it) if isinstance(it, list) else it for name, it in line.items()} for line in lines]
    framed = [line for line in known if "old_frames" in line]
    if not framed:
        framed = [asdict(wordings(split)) for split in ("fresh", "blind")]
    return Wordings(
        attributes=tuple(Attribute(**one) for one in known if "old" in one),
        old_frames=tuple(frame for own in framed for frame in own["old_frames"]),
        new_frames=tuple(frame for own in framed for frame in own["new_frames"]),
        near=tuple(NearPair(**one) for one in known if "kind" in one and "same_moment" not in one),
        conflicts=tuple(ConflictPair(**one) for one in known if "same_moment" in one),
        paraphrases=tuple(Paraphrase(**one) for one in known if one.keys() == Paraphrase.__annotations__.keys()),
    )


def wordings(split: Split) -> Wordings:
    """Return the wordings of one split, or of all."""
    if split != "all":
        return read_wordings(WORDINGS / f"{split}.jsonl")
    each = [wordings(one) for one in SPLITS if one != "all"]
    return Wordings(
        tuple(one for own in each for one in own.attributes),
        tuple(frame for own in each for frame in own.old_frames),
        tuple(frame for own in each for frame in own.new_frames),
        tuple(pair for own in each for pair in own.near),
        tuple(pair for own in each for pair in own.conflicts),
        tuple(pair for own in each for pair in own.paraphrases),
    )


@dataclass(frozen=True)
class DatedText:
    """A statement and the time since which it is true, as a caller stores it."""

    text: str
    at: datetime


@dataclass(frozen=True)
class Update:
    """An earlier statement, the later one that replaces it, and a question that the later one answers.

    `group` is the number of its store; `backfilled`: the earlier one is stored after the later one.
    """

    id: str
    group: int
    attribute: str
    subject: str
    old_value: str
    value: str
    old: DatedText
    new: DatedText
    question: str
    backfilled: bool


@dataclass(frozen=True)
class Pair:
    """Two statements in the order in which they are stored; the question asks for the one that is `asked`."""

    id: str
    group: int
    kind: str
    first: DatedText
    second: DatedText
    question: str
    asked: Literal["first", "second"]


@dataclass(frozen=True)
class Duplicate:
    """A statement, and its paraphrase."""

    id: str
    group: int
    first: str
    second: str


def updates(split: Split, seed: int, count: int, groups: int) -> list[Update]:
    """Generate `count` updates over attributes and stores; in no store is a subject's attribute updated twice."""
    return updates_of(wordings(split), f"{split} {seed}", count, groups)


def updates_of(own: Wordings, seed: str, count: int, groups: int) -> list[Update]:
    """Generate updates from the given wordings."""
    chance = random.Random(f"updates {seed}")
    taken: set[tuple[int, str, str]] = set()
    made: list[Update] = []
    for attribute in _turns(own.attributes, chance):
        if len(made) == count:
            break
        place = _free_place(attribute, groups, taken, chance)
        if place is None:
            continue
        group, subject = place
        taken.add((group, subject, attribute.name))
        old, new, old_value, value = _without_echo(attribute, subject, own, chance)
        old_at = _moment(chance)
        new_at = old_at + timedelta(days=chance.randint(60, 400), minutes=chance.randint(0, 500))
        made.append(
            Update(
                id=f"update-{len(made):04d}",
                group=group,
                attribute=attribute.name,
                subject=subject,
                old_value=old_value,
                value=value,
                old=DatedText(old.replace("{month}", f"{old_at:%B}"), old_at),
                new=DatedText(new.replace("{month}", f"{new_at:%B}"), new_at),
                question=filled(chance.choice(attribute.ask), s=subject),
                backfilled=chance.random() < 0.1,
            )
        )
    return made


def near_pairs(split: Split, seed: int, count: int) -> list[Pair]:
    """Generate `count` pairs that are both true; no subject occurs twice in a store."""
    return near_pairs_of(wordings(split), f"{split} {seed}", count)


def near_pairs_of(own: Wordings, seed: str, count: int) -> list[Pair]:
    """Generate near pairs from the given wordings."""
    chance = random.Random(f"near {seed}")
    places = _Places()
    made: list[Pair] = []
    for pattern in _turns(list(own.near), chance):
        if len(made) == count:
            break
        twins = TWINS.get(pattern.about, ())
        if "{t}" in pattern.first + pattern.second:
            subject, twin = chance.choice(twins)
            if chance.random() < 0.5:
                subject, twin = twin, subject
        else:
            subject, twin = chance.choice(SUBJECTS[pattern.about]), ""
        third = chance.choice([name for name in FIRST_NAMES if name not in subject])
        value, other = chance.sample(VALUES[pattern.values], 2)
        names = {"s": subject, "t": twin, "x": third, "v": value, "w": other}
        earlier, later = _two_moments(chance)
        texts = filled(pattern.first, **names), filled(pattern.second, **names)
        turned = chance.random() < 0.3
        first, second = reversed(texts) if turned else texts
        made.append(
            Pair(
                id=f"near-{len(made):04d}",
                group=places.for_subjects(subject, twin, third if "{x}" in pattern.second else ""),
                kind=pattern.kind,
                first=DatedText(first, earlier),
                second=DatedText(second, later),
                question=filled(pattern.ask, **names),
                asked="second" if turned else "first",
            )
        )
    return made


def conflicts(split: Split, seed: int, count: int) -> list[Pair]:
    """Generate `count` contradictions that nothing settles; no subject occurs twice in a store."""
    chance = random.Random(f"conflicts {split} {seed}")
    places = _Places()
    made: list[Pair] = []
    for pattern in _turns(list(wordings(split).conflicts), chance):
        if len(made) == count:
            break
        subject = chance.choice(SUBJECTS[pattern.about])
        value, other = chance.sample(VALUES[pattern.values], 2)
        earlier, later = _two_moments(chance)
        names = {"s": subject, "v": value, "w": other}
        made.append(
            Pair(
                id=f"conflict-{len(made):04d}",
                group=places.for_subjects(subject),
                kind=pattern.kind,
                first=DatedText(filled(pattern.first, **names), earlier),
                second=DatedText(filled(pattern.second, **names), earlier if pattern.same_moment else later),
                question=filled(pattern.ask, **names),
                asked="first",
            )
        )
    return made


def duplicates(split: Split, seed: int, count: int) -> list[Duplicate]:
    """Generate `count` paraphrases; no subject occurs twice in a store."""
    chance = random.Random(f"duplicates {split} {seed}")
    places = _Places()
    made: list[Duplicate] = []
    for pattern in _turns(list(wordings(split).paraphrases), chance):
        if len(made) == count:
            break
        names = {"s": chance.choice(SUBJECTS[pattern.about]), "v": chance.choice(VALUES[pattern.values])}
        texts = filled(pattern.first, **names), filled(pattern.second, **names)
        made.append(Duplicate(f"duplicate-{len(made):04d}", places.for_subjects(names["s"]), *texts))
    return made


class _Places:
    """Assigns cases to stores: to the first in which none of the case's subjects occurs."""

    def __init__(self) -> None:
        self._met: list[set[str]] = []

    def for_subjects(self, *subjects: str) -> int:
        """Return the number of a store without these subjects, and record them there."""
        words = {subject for subject in subjects if subject}
        words |= {subject.split()[0] for subject in words if subject[0].isupper() and not subject.startswith("Project")}
        for group, met in enumerate(self._met):
            if not met & words:
                met |= words
                return group
        self._met.append(words)
        return len(self._met) - 1


def _turns(choices: Sequence[_Choice], chance: random.Random) -> Iterator[_Choice]:
    """Yield each choice once in a random order, again and again, so that all occur equally often; for _TRIES rounds."""
    for _ in range(_TRIES):
        yield from chance.sample(choices, len(choices))


def _free_place(
    attribute: Attribute, groups: int, taken: set[tuple[int, str, str]], chance: random.Random
) -> tuple[int, str] | None:
    for _ in range(20):
        group, subject = chance.randrange(groups), chance.choice(SUBJECTS[attribute.about])
        if (group, subject, attribute.name) not in taken:
            return group, subject
    return None


def _without_echo(
    attribute: Attribute, subject: str, own: Wordings, chance: random.Random
) -> tuple[str, str, str, str]:
    """Return an old and a new statement that share no word but the subject's name, and the value of each."""
    for _ in range(_TRIES):
        old, new = chance.choice(attribute.old), chance.choice(attribute.new)
        value, replacement = chance.sample(VALUES[attribute.values], 2)
        if attribute.values in ASCENDING:
            value, replacement = sorted((value, replacement), key=VALUES[attribute.values].index)
        before = _framed(filled(old, s=subject, v=value, month="{month}"), own.old_frames, chance)
        after = _framed(filled(new, s=subject, v=replacement, month="{month}"), own.new_frames, chance)
        if not echo(before, after, subject) and not content_stems(value) & content_stems(subject):
            return before, after, value, replacement
    raise ValueError(f"every pair of wordings of {attribute.name!r} shares a word")


def _framed(text: str, frames: Sequence[str], chance: random.Random) -> str:
    """Put every fourth statement into a frame, like notes that say where they come from."""
    return chance.choice(frames).replace("{text}", text) if chance.random() < 0.25 else text


def _moment(chance: random.Random) -> datetime:
    return _FIRST_DAY + timedelta(days=chance.randint(0, 420), minutes=chance.randint(0, 600))


def _two_moments(chance: random.Random) -> tuple[datetime, datetime]:
    first = _moment(chance)
    return first, first + timedelta(days=chance.randint(20, 300))
