"""What the succession model is trained with: every line of the statements is sound, and pairs are what they say."""

import random
from collections import Counter

from agentos.benchmarks.lifecycle.cases import wordings
from agentos.benchmarks.lifecycle.values import SUBJECTS, TWINS, VALUES
from agentos.benchmarks.lifecycle.wording import echo
from agentos.training.succession_pairs import (
    HELD_BACK,
    Pairs,
    cases_of,
    exercises,
    properties_of,
    written,
)

PROPERTIES, HELD_OUT = written(), written(HELD_BACK)


def test_every_property_is_complete() -> None:
    assert len(PROPERTIES) > 2_000
    for one in (*PROPERTIES, *HELD_OUT):
        assert len(set(one.values)) >= 5 and len(set(one.old)) >= 3 and len(set(one.new)) >= 5, one.name
        assert len(set(one.beside)) >= 6 and one.asks, one.name
        assert one.about == "self" or len(set(one.names)) >= 5, one.name
        for text in (*one.old, *one.new):
            assert "{v}" in text and (one.about == "self" or "{s}" in text), (one.name, text)
        for text in (*one.old, *one.new, *one.ended, *one.beside, *one.asks):
            assert not set(text.replace("{s}", "").replace("{v}", "")) & set("{}"), (one.name, text)


def test_what_is_held_back_is_not_trained_with() -> None:
    trained, held_out = ({text for one in of for text in (*one.old, *one.new)} for of in (PROPERTIES, HELD_OUT))
    assert len(HELD_OUT) > 1_000 and len(trained & held_out) < 0.05 * len(held_out)  # some occur to everybody


def test_pairs_are_filled_differ_and_of_every_kind() -> None:
    places = range(0, len(PROPERTIES), 7)
    pairs = Pairs(PROPERTIES, [[place - 1] if place else [] for place in range(len(PROPERTIES))], random.Random(3))
    made = [pair for place in places for pair in pairs.of(place)]
    kinds = Counter(pair.kind for pair in made)
    assert all("{" not in pair.older + pair.newer and pair.older != pair.newer for pair in made)
    assert {pair.kind for pair in made if pair.replaces} == {"update", "echo", "ended"}
    assert kinds.keys() >= {"not", "scope", "occasion", "doubt", "past", "once", "also", "many", "same value"}
    assert kinds.keys() >= {"echo of another", "echo of many", "another ended", "somebody else"}
    assert 0.2 < sum(pair.replaces for pair in made) / len(made) < 0.5


def test_the_same_chance_makes_the_same_pairs() -> None:
    several = [Pairs(PROPERTIES, [[] for _ in PROPERTIES], random.Random(3)).of(11) for _ in range(2)]
    assert several[0] == several[1]


def test_splits_lend_their_wordings() -> None:
    properties = properties_of(wordings("dev"))
    assert properties and all(len(one.beside) >= 3 and "{month}" not in "".join(one.new) for one in properties)
    cases = cases_of(wordings("dev"), "dev 1", 20)
    assert Counter(pair.replaces for pair in cases) == {True: 20, False: 20}


def test_exercises_are_worded_as_splits_are() -> None:
    for own in exercises():
        assert len(own.attributes) > 50 and len(own.near) > 50
        for one in own.attributes:
            assert one.values in VALUES and one.about in SUBJECTS and one.ask, one
            assert not any(echo(_blank(old), _blank(new), "") for old in one.old for new in one.new), one
            for text in (*one.old, *one.new):
                assert "{v}" in text and ("{s}" in text) == (one.about != "self"), text
        for pair in own.near:
            assert pair.values in VALUES and pair.about in SUBJECTS, pair
            assert "{v}" in pair.first and "{w}" in pair.second, pair
            assert "{t}" not in pair.second or pair.about in TWINS, pair
        cases = cases_of(own, "test", 200)
        assert Counter(pair.replaces for pair in cases) == {True: 200, False: 200}
        assert not any(set("{}") & set(pair.older + pair.newer) for pair in cases)


def _blank(text: str) -> str:
    return text.format(**dict.fromkeys("svwtx", ""), month="")
