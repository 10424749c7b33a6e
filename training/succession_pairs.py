# ruff: noqa: E501
"""Training pairs of the succession model, generated at random from statements that writers thought up.

A line of `statements/*.jsonl` is one property of one kind of subject: `names` of subjects, values `v`, first statements
(`old`), statements that would replace them (`new`), that say a value no longer holds or never did (`end`, in half of
the files), or that only look like a replacement (`not`), and whether it `holds` one value or many. The wordings of the
benchmark's own splits are used in the same form, and so are `exercises/*.jsonl`, which were written in theirs.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentos.benchmarks.lifecycle.cases import Update, Wordings, near_pairs_of, read_wordings, updates_of
from agentos.benchmarks.lifecycle.surroundings import distractors
from agentos.benchmarks.lifecycle.values import SUBJECTS, VALUES
from agentos.benchmarks.lifecycle.wording import Attribute, NearPair, filled

STATEMENTS = Path(__file__).with_name("statements")
HELD_BACK = STATEMENTS / "held_back"
"""Statements that nothing is trained with."""
EXERCISES = Path(__file__).with_name("exercises")
SAME_VALUES = 3
"""Values that two properties share at least if their values are of one type."""
OF_A_SPLIT = 8
"""Subjects for which an attribute of a split is used."""
CROSSED = 2
"""Other statements of its subject that a statement of a split is paired with."""


def _split(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(";"))


_RELATIVES = _split(
    """{s}'s sister; {s}'s brother; {s}'s assistant; {s}'s ex; {s}'s daughter; {s}'s flatmate; the cousin of {s};
    a friend of {s}; {s}'s wife; {s}'s husband; {s}'s partner; {s}'s mother; {s}'s father; {s}'s boss; {s}'s neighbour;
    {s}'s colleague; {s}'s deputy; {s}'s trainee; {s}'s landlord; {s}'s dentist; {s}'s best man; {s}'s nephew; {s}'s aunt;
    {s}'s twin; {s}'s team; {s}'s predecessor; {s}'s successor; {s}'s company; {s}'s dog; {s}'s accountant; {s}'s tutor;
    the lady who sits next to {s}; everybody but {s}; one of {s}'s clients; the godson of {s}; {s}'s rival;
    the substitute for {s}; somebody whom {s} trained; {s}'s daughter-in-law; the other {s}; {s}'s grandmother"""
)
_PARTS = _split(
    """the staging copy of {s}; the test setup of {s}; the predecessor of {s}; the old {s}; the twin of {s};
    the spare for {s}; a fork of {s}; the sister of {s}; the admin pages of {s}; the metrics endpoint of {s};
    the client library for {s}; the backup of {s}; the sandbox of {s}; the QA cluster of {s}; the canary of {s};
    the docs of {s}; the mobile app of {s}; the website of {s}; the log shipper beside {s}; the reports of {s};
    the dashboard for {s}; the second instance of {s}; the dev version of {s}; the Berlin office of {s};
    a subsidiary of {s}; the night shift at {s}; the car park of {s}; the canteen of {s}; the head of sales at {s};
    {s}'s finance director; {s}'s deputy; {s}'s parent company; {s}'s biggest customer; {s}'s annex; {s}'s firmware;
    {s}'s back door; the battery of {s}; the trailer of {s}; the interns at {s}; the alumni of {s}; the gateway behind {s};
    a competitor of {s}; the tests of {s}; the installer of {s}; whoever maintains {s}; the archive of {s};
    the read replica of {s}; the cron job that feeds {s}; the demo of {s}; the free tier of {s}; {s}'s support desk"""
)
_SCOPES = _split(
    """on Sundays; for holidays; in staging; on dev machines; in CI; in the canary build; for customers in Asia;
    for the night shift; when abroad; on the laptop; at the summer house; for guests; for the free plan; in winter;
    on bank holidays; for the pilot group; in the test lab; for interns; when it rains; on the phone; for emergencies;
    in the demo; for under-18s; at weekends; for internal use; in the Paris office; on the backup line; for large orders;
    while on call; in the mobile app; for legacy clients; at exhibitions; for the kids; in the second shift"""
)
_DOUBTS = _split(
    """Maybe: {t}; Rumour has it: {t}; Proposal: {t}; Not decided yet: {t}; Idea for next year: {t}; If all goes well: {t};
    Somebody suggested this: {t}; They are considering it: {t}; Just a thought: {t}; Wish: {t}; Offer, not accepted: {t};
    Draft, nothing signed: {t}; {t} Or so they hope.; {t} At least that is the plan.; {t} Unless the board says no.;
    {t} That was a joke.; {t} It is only being discussed.; {t} No decision so far."""
)
_PAST = _split(
    """Years ago: {t}; Back in 2009: {t}; Before all that: {t}; In the very beginning: {t}; From the old archive: {t};
    As it was in the nineties: {t}; Long before: {t}; Found in an old diary: {t}; Historic note: {t}; Once upon a time: {t}"""
)
_ONCE = _split(
    """For this week only: {t}; Exceptionally, just today: {t}; Until the repair is done: {t}; {t} Only for the demo.;
    {t} Just this once.; {t} Tomorrow it is back to normal.; {t} Temporary, till Friday.; As a one-off: {t}"""
)
_ALSO = _split(
    """{t} As well, that is.; {t} On top of what there is.; Additionally: {t}; {t} The other one stays.; {t} Both are right.;
    In addition: {t}; {t} Besides the one we have.; Also: {t}; {t} That makes two."""
)
_BESIDES = {"doubt": _DOUBTS, "past": _PAST, "once": _ONCE, "also": _ALSO}
_FRAMES = _split(
    """FYI: {t}; Note: {t}; {t} Just so you know.; {t} (from the call); News: {t}; As I heard today: {t}; Update: {t};
    {t} Please remember.; For the record: {t}; PS: {t}; Reminder: {t}; [notes] {t}; {t} Thanks!; Since last week: {t};
    Heads-up: {t}; Small thing: {t}; - {t}; From the meeting: {t}; {t} - via chat; Btw, {t}; On the back of an envelope: {t};
    Says the wiki: {t}; Read in the newsletter: {t}; {t} Good to know.; {t} Noted.; From the handover: {t}; Memo: {t};
    Whiteboard: {t}; {t} Got that from the team.; In yesterday's mail: {t}; {t} Wrote that down before I forget.;
    Log entry: {t}; Overheard in the kitchen: {t}; {t} Pass it on.; Voice memo: {t}; * {t}; Between us: {t}; {t} (checked);
    Ann says: {t}; According to Kofi: {t}; According to the wiki, {t}; As Priya told me: {t}; {t} That is what Tom said."""
)
_CHANGED = _split(
    """Now: {t}; New: {t}; Changed: {t}; As of this week: {t}; Different now: {t}; From now on: {t}; Correction: {t};
    {t} That is new.; {t} It used to be different.; Things have changed: {t}; {t} (new); {t} (changed); Not as before: {t};
    From {d} on, {t}; From {d} on: {t}; As of {d}, {t}; As of {d}: {t}; Since {d}, {t}; Since {d}: {t}; Starting {d}: {t};
    Effective {d}: {t}; {t} (from {d}); {t} Valid from {d} on.; {t} Starting {d}.; {d}: {t}; Beginning {d}, {t};
    Recently: {t}; It has changed: {t}; {t} No longer what it was.; {t} So forget the old one.; Switched: {t}"""
)
_INSTEAD = _split(
    """{t} Not {o} any more.; Not {o}: {t}; {t} So not {o}.; {t} ({o} was wrong); {t} Before that it was {o}.; {t} - not {o};
    Instead of {o}: {t}; {t} {o} is history.; {t} (so far {o}); I had {o} down, which is wrong: {t}; {t} In place of {o}."""
)
_DATES = _split(
    """March; 1 June; 1 June 2026; next week; Monday; next Monday; June 2026; the 3rd of April; 14 September; this autumn;
    2026-07-01; October 2025; the new year; last week; the first of the month; tomorrow; 5 May 2025; summer; Tuesday"""
)
_SHARE_FRAMED, _SHARE_SHORT = 0.15, 0.12
_SHARE_CHANGED = {
    **{"update": 0.3, "many": 0.2, "other subject": 0.25, "somebody else": 0.25, "scope": 0.3, "other property": 0.15},
    **{"echo": 0.3, "echo of many": 0.2, "echo of another": 0.3, "ended": 0.05, "another ended": 0.05},
    **{"not": 0.06, "same value": 0.05, "doubt": 0.1, "past": 0.05, "once": 0.1, "also": 0.15, "occasion": 0.3},
}
"""Shares of newer statements that say outright that something has changed, by the kind of their pair: the writers were
asked to avoid that in replacements, and to use it in others, which alone would teach the opposite."""
_SHARE_INSTEAD = 0.08
"""The share of newer statements that name the value they replace."""
_SHARE_SCOPED = 0.12
"""The share of updates of which both statements are restricted to the same part, relative or occasion."""
_FAMILIES = ("Haddad", "Meier", "Castillo", "Ng", "Lindqvist", "Obi", "Kowalska", "Rossi")
_GIVEN = ("Paula", "Marek", "Aisha", "Jonas", "Yuki", "Rita", "Samir", "Olga")
_SUFFIXES, _ADDED = ("worker", "gateway", "admin", "v2", "batch", "edge"), ("North", "II", "West", "Lite", "B")


@dataclass(frozen=True)
class Property:
    """A property of a kind of subject, with statements about it; `names` is one empty name for the writer."""

    name: str
    about: str
    holds_one: bool
    names: tuple[str, ...]
    values: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    ended: tuple[str, ...]
    beside: tuple[str, ...]
    asks: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """Two statements, and whether the newer one replaces the older one; `kind` says how they were made."""

    older: str
    newer: str
    replaces: bool
    kind: str


def written(folder: Path = STATEMENTS) -> list[Property]:
    """Return every property in the files of a folder."""
    lines = [
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    return [_written(line) for line in lines]


def _written(line: dict[str, list[str]]) -> Property:
    about = str(line["about"])
    return Property(
        name=str(line["a"]),
        about=about,
        holds_one=str(line["holds"]) == "one",
        names=("",) if about == "self" else tuple(line["names"]),
        values=tuple(line["v"]),
        old=tuple(line["old"]),
        new=tuple(line["new"]),
        ended=tuple(line.get("end", ())),
        beside=tuple(line["not"]),
        asks=tuple(line["ask"]),
    )


def exercises() -> list[Wordings]:
    """Return attributes and near pairs in the form of the splits, a file per writer; no benchmark uses them."""
    return [read_wordings(path) for path in sorted(EXERCISES.glob("*.jsonl"))]


def properties_of(own: Wordings) -> list[Property]:
    """Return attributes as properties; near pairs of the same kind of subject serve as non-updates."""
    found = []
    for attribute in own.attributes:
        near = [one for one in own.near if one.about == attribute.about and not _names_others(one)]
        beside = random.Random(attribute.name).sample(near, min(6, len(near)))
        if len(beside) >= 3:
            found.append(_of_attribute(attribute, beside))
    return found


def _names_others(pair: NearPair) -> bool:
    return "{t}" in pair.second or "{x}" in pair.second


def _of_attribute(attribute: Attribute, beside: Sequence[NearPair]) -> Property:
    def plain(text: str) -> str:
        return text.replace("{month}", "May").replace("{w}", "{v}")

    return Property(
        name=attribute.name,
        about=attribute.about,
        holds_one=True,
        names=("",) if attribute.about == "self" else tuple(SUBJECTS[attribute.about][:OF_A_SPLIT]),
        values=tuple(VALUES[attribute.values]),
        old=tuple(map(plain, attribute.old)),
        new=tuple(map(plain, attribute.new)),
        ended=(),
        beside=tuple(plain(pair.second) for pair in beside),
        asks=attribute.ask,
    )


def cases_of(own: Wordings, seed: str, count: int) -> list[Pair]:
    """Return `count` updates, and as many near pairs, as the benchmark makes them."""
    found = [Pair(one.old.text, one.new.text, True, "update") for one in updates_of(own, seed, count, 6)]
    return found + [Pair(one.first.text, one.second.text, False, "near") for one in near_pairs_of(own, seed, count)]


def crossed(own: Wordings, seed: str, count: int) -> list[Pair]:
    """Return pairs of statements of `count` updates with others that hold beside them.

    These are of the same subject on other attributes, and notes that may mention it. Near pairs alone would teach that
    whatever is of one subject replaces the older statement.
    """
    chance = random.Random(f"crossed {seed}")
    cases = updates_of(own, seed, count, 6)
    of_subject: dict[str, list[Update]] = defaultdict(list)
    for one in cases:
        of_subject[one.subject].append(one)
    notes = distractors(chance, count)
    found = []
    for one in cases:
        others = [other for other in of_subject[one.subject] if other.attribute != one.attribute]
        texts = [
            chance.choice((other.old, other.new)).text for other in chance.sample(others, min(CROSSED, len(others)))
        ]
        mentioning = [note for note in notes if one.subject in note]
        texts.append(chance.choice(mentioning or notes))
        found += [Pair(chance.choice((one.old, one.new)).text, text, False, "crossed") for text in texts]
    return found


class Pairs:
    """Generates pairs of properties; `alike` has, for each property, the indices of similar ones."""

    def __init__(self, properties: Sequence[Property], alike: Sequence[Sequence[int]], chance: random.Random) -> None:
        self._properties = properties
        self._alike = alike
        self._chance = chance
        self._of_kind: dict[str, list[Property]] = defaultdict(list)
        for one in properties:
            self._of_kind[one.about].append(one)
        persons = [(one, frozenset(one.values)) for one in self._of_kind["person"]]
        self._of_persons = {
            place: [one for one, values in persons if len(values.intersection(own.values)) >= SAME_VALUES]
            for place, own in enumerate(properties)
            if own.about == "self"
        }

    def of(self, place: int) -> list[Pair]:
        """Return about a dozen random pairs of one property."""
        own = self._properties[place]
        subject = self._chance.choice(own.names)
        value, other = self._chance.sample(own.values, 2)
        made = [
            *self._replacing(own, subject, value, other),
            *self._echoing(own, subject, value, other),
            *self._ending(own, subject, value, other),
            *self._beside(own, subject, value, other),
            *self._of_others(own, subject, value, other),
            *self._of_somebody(place, value),
            *self._otherwise(own, subject, value, other),
            *self._of_other_properties(place, subject, value),
        ]
        return [self._in_note(pair) for pair in made if pair.older != pair.newer]

    def _replacing(self, own: Property, subject: str, value: str, other: str) -> Iterator[Pair]:
        chance, is_update = self._chance, own.holds_one
        kind = "update" if is_update else "many"

        def pair(older: str, newer: str) -> Pair:
            named = self._short(own, subject)
            both = stated(older, subject, value), self._instead(stated(newer, named, other), value)
            if chance.random() < _SHARE_SCOPED:
                scope = self.part(own, subject)
                both = stated(older, scope, value), stated(newer, scope, other)
            elif chance.random() < _SHARE_SCOPED / 2:
                scope = chance.choice(_SCOPES)
                both = self._scoped(scope, both[0]), self._scoped(scope, both[1])
            return Pair(*both, is_update, kind)

        for newer in chance.sample(own.new, min(len(own.new), 3 if is_update else 4)):
            yield pair(chance.choice(own.old), newer)
        if chance.random() < 0.8:
            yield pair(*chance.sample(own.new, 2))
        if chance.random() < 0.4:
            yield pair(chance.choice(own.old), chance.choice(own.old))
        if chance.random() < 0.4:
            yield pair(chance.choice(own.new), chance.choice(own.old))

    def _echoing(self, own: Property, subject: str, value: str, other: str) -> Iterator[Pair]:
        """Yield pairs of the same words with another value."""
        chance = self._chance
        text = chance.choice([*own.old, *own.new])
        if chance.random() < 0.7:
            newer = self._instead(stated(text, self._short(own, subject), other), value)
            yield Pair(stated(text, subject, value), newer, own.holds_one, "echo" if own.holds_one else "echo of many")
        another = self.part(own, subject)
        if subject and chance.random() < 0.5:
            another = self.another(own, subject)
        if chance.random() < 0.7:
            newer = self._instead(stated(text, another, other), value)
            yield Pair(stated(text, subject, value), newer, False, "echo of another")

    def _ending(self, own: Property, subject: str, value: str, other: str) -> Iterator[Pair]:
        """Yield pairs whose newer statement says that the older value, or another one, no longer holds."""
        chance = self._chance
        if own.ended and chance.random() < 0.8:
            older, newer = chance.choice([*own.old, *own.new]), stated(chance.choice(own.ended), subject, value)
            yield Pair(stated(older, subject, value), newer, True, "ended")
            if chance.random() < 0.6:
                yield Pair(stated(older, subject, other), newer, False, "another ended")

    def _instead(self, text: str, value: str) -> str:
        """Return the text, sometimes with the value that no longer holds."""
        if self._chance.random() >= _SHARE_INSTEAD:
            return text
        return self._chance.choice(_INSTEAD).replace("{t}", text).replace("{o}", value)

    def _beside(self, own: Property, subject: str, value: str, other: str) -> Iterator[Pair]:
        chance = self._chance
        for text in chance.sample(own.beside, 2):
            older = chance.choice([*own.old, *own.new[:2]])
            yield Pair(stated(older, subject, value), stated(text, subject, other), False, "not")
        if chance.random() < 0.3:
            older, newer = chance.choice(own.beside), chance.choice([*own.new, *own.old])
            yield Pair(stated(older, subject, other), stated(newer, subject, value), False, "not first")
        if chance.random() < 0.6:
            older, newer = chance.choice(own.old), chance.choice(own.new)
            yield Pair(stated(older, subject, value), stated(newer, subject, value), False, "same value")

    def _of_others(self, own: Property, subject: str, value: str, other: str) -> Iterator[Pair]:
        if not subject:
            return
        chance = self._chance
        older, newer = chance.choice(own.old), chance.choice(own.new)
        newer = self._instead(stated(newer, self.another(own, subject), other), value)
        yield Pair(stated(older, subject, value), newer, False, "other subject")
        for _ in range(2):
            older, newer = chance.choice([*own.old, *own.new[:1]]), chance.choice([*own.new, *own.new, *own.old])
            scope = self.part(own, subject)
            if chance.random() < 0.25:
                yield Pair(stated(older, scope, value), stated(newer, subject, other), False, "scope")
            else:
                yield Pair(stated(older, subject, value), stated(newer, scope, other), False, "scope")

    def _of_somebody(self, place: int, value: str) -> Iterator[Pair]:
        """Yield pairs of a statement about somebody by name and one of the writers about themselves."""
        chance, own = self._chance, self._properties[place]
        for another in chance.choices(self._of_persons.get(place) or self._of_kind["person"], k=2 * (not own.names[0])):
            mine = stated(chance.choice([*own.old, *own.new]), "", value)
            named = chance.choice([*another.new, *another.new, *another.old])
            theirs = stated(named, chance.choice(another.names), chance.choice(another.values))
            both = (mine, theirs) if chance.random() < 0.7 else (theirs, mine)
            yield Pair(*both, False, "somebody else")

    def _otherwise(self, own: Property, subject: str, value: str, other: str) -> Iterator[Pair]:
        """Yield pairs whose newer statement a few words turn into one that replaces nothing."""
        chance = self._chance
        older, newer = (
            stated(chance.choice(text), subject, of)
            for text, of in ((own.old, value), ((*own.new, *own.new, *own.old), other))
        )
        kind = chance.choice(list(_BESIDES))
        yield Pair(older, chance.choice(_BESIDES[kind]).replace("{t}", newer), False, kind)
        if chance.random() < 0.6:
            one, another = chance.sample(_SCOPES, 2)
            before = self._scoped(one, older) if chance.random() < 0.5 else older
            yield Pair(before, self._scoped(another, newer), False, "occasion")

    def _scoped(self, scope: str, text: str) -> str:
        """Return a statement restricted to an occasion."""
        if self._chance.random() < 0.5 and text.endswith("."):
            return f"{text[:-1]} {scope}."
        return f"{scope[0].upper()}{scope[1:]}{self._chance.choice((':', ','))} {text}"

    def part(self, own: Property, subject: str) -> str:
        """Return somebody or something else that belongs to the subject."""
        if not subject:
            return self._chance.choice(
                ("my brother", "my wife", "our neighbour", "my intern", "my flatmate", "my boss")
            )
        return self._chance.choice(_RELATIVES if own.about == "person" else _PARTS).replace("{s}", subject)

    def _of_other_properties(self, place: int, subject: str, value: str) -> Iterator[Pair]:
        chance, own = self._chance, self._properties[place]
        others = [chance.choice(self._of_kind[own.about])]
        if self._alike[place]:
            others.append(self._properties[chance.choice(self._alike[place])])
        for another in others:
            if another is not own and another.about == own.about:
                older, newer = chance.choice([*own.old, *own.new]), chance.choice([*another.new, *another.old])
                changed = stated(newer, subject, chance.choice(another.values))
                yield Pair(stated(older, subject, value), changed, False, "other property")

    def _in_note(self, pair: Pair) -> Pair:
        """Return the pair as it may stand in a note, sometimes with a word of change."""
        newer = pair.newer
        if self._chance.random() < _SHARE_CHANGED.get(pair.kind, 0.0):
            frame = self._chance.choice(_CHANGED).replace("{d}", self._chance.choice(_DATES))
            newer = frame.replace("{t}", newer)
        return Pair(self._framed(pair.older), self._framed(newer), pair.replaces, pair.kind)

    def _framed(self, text: str) -> str:
        if self._chance.random() >= _SHARE_FRAMED:
            return text
        return self._chance.choice(_FRAMES).replace("{t}", text)

    def _short(self, own: Property, subject: str) -> str:
        """Return the subject, sometimes a person's first name alone."""
        first = subject.split(" ")[0]
        may = own.about == "person" and first != subject and first[:1].isupper() and "." not in first
        return first if may and self._chance.random() < _SHARE_SHORT else subject

    def another(self, own: Property, subject: str) -> str:
        """Return somebody or something else, mostly with a similar name."""
        if self._chance.random() < 0.6:
            similar = self.similar(subject)
            if subject not in similar or len(similar) > len(subject):
                return similar
        return self._chance.choice([name for name in own.names if name != subject])

    def similar(self, name: str) -> str:
        """Return a similar name, of somebody or something else."""
        words, chance = name.split(), self._chance
        if len(words) > 1 and words[0][0].isupper():
            swapped = [words[0], chance.choice(_FAMILIES)], [chance.choice(_GIVEN), words[-1]]
            return " ".join(chance.choice(swapped))
        if "-" in name:
            return f"{name.rsplit('-', 1)[0]}-{chance.choice(_SUFFIXES)}"
        return f"{name} {chance.choice(_ADDED)}"


def stated(text: str, subject: str, value: str) -> str:
    text = text.replace("{s}", subject).replace("{v}", value)
    return filled(text.replace("{", "{{").replace("}", "}}"))
