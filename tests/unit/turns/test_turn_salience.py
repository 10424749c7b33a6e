"""Salience of turns, and whether a page goes on with what was said: the rules, one by one."""

import math
import struct

import pytest

from agentos.modules.turns import continuity, salience
from agentos.modules.turns.salience import Spoken
from tests.tables import every


def vector(*values: float) -> bytes:
    length = sum(value * value for value in values) ** 0.5
    return struct.pack(f"<{len(values)}f", *(value / length for value in values))


def test_something_new_that_names_things_is_above_filler_that_repeats() -> None:
    texts = ["ok", "ok", "Ana Silva moves to Lisbon on 3 May, ticket OPS-214", "ok", "ok", "thanks", "ok"]
    for vectors in (None, [vector(1, 0.01 * place) for place in range(len(texts))]):
        turns = [
            Spoken(text, len(texts) - 1 - place, vectors and (vector(0, 1) if place == 2 else vectors[place]))
            for place, text in enumerate(texts)
        ]
        found = salience.of(turns)
        assert found.index(max(found)) == 2
        assert all(0 <= value <= 1 for value in found)
        assert min(found[2] - value for place, value in enumerate(found) if place > 2) > 0.2


def test_the_parts_weigh_one_together_and_a_flat_part_tells_nothing() -> None:
    assert salience.RARITY + salience.NOVELTY + salience.ENTITIES + salience.RECENCY == pytest.approx(1)
    assert salience.normalised([3.0, 3.0]) == [0.5, 0.5]
    assert salience.normalised([1.0, 2.0, 5.0]) == [0.0, 0.25, 1.0]
    assert salience.of([]) == []
    assert salience.of([Spoken("hello", 0)]) == [pytest.approx(0.5)]


def test_recency_is_half_after_twenty_turns() -> None:
    assert salience.recency(0) == 1 and salience.recency(20) == pytest.approx(0.5)
    assert salience.recency(40) == pytest.approx(0.25)


def test_the_average_follows_each_turn_and_carries_a_rest_over() -> None:
    assert salience.smoothed([1.0, 0.0, 0.0], 0.8) == pytest.approx([1.0, 0.2, 0.04])
    assert salience.smoothed([]) == []


def test_novelty_is_the_distance_to_the_nearest_earlier_turn() -> None:
    words = [["a"], ["b"], ["a"], ["c"]]
    idf = salience.inverse_frequencies(words)
    vectors = [vector(1, 0), vector(0, 1), vector(1, 0), vector(1, 1)]
    assert salience.novelty(vectors, words, idf) == pytest.approx([1, 1, 0, 1 - 0.5**0.5], abs=1e-6)
    assert salience.novelty([None] * 4, words, idf) == pytest.approx([1, 1, 0, 1], abs=1e-6)
    assert salience.novelty([vector(1, 0), None, None, vector(1, 0)], words, idf) == pytest.approx(
        [1, 1, 0, 0], abs=1e-6
    )


def test_words_that_few_turns_have_are_rare() -> None:
    words = [["the", "cat"], ["the", "dog"], ["the", "quetzal", "flew"], ["the", "dog"]]
    idf = salience.inverse_frequencies(words)
    found = [salience.rarity(of_one, idf) for of_one in words]
    assert found[2] == max(found) and found[1] == found[3] == min(found)
    assert salience.rarity([], idf) == 0


@every(
    ("more", "less"),
    [
        ("Ana Silva lives in Lisbon", "somebody lives in the city there"),
        ("please fix parse_config in src/app.py", "please fix the function in that file"),
        ("it costs 420 EUR on Friday", "it costs too much at that time"),
        ("it was Ana", "it was 25"),
        ("deploy v1.24.3 to OPS-17", "deploy it to the machine"),
    ],
)
def test_what_names_things_is_denser_and_names_count_double(more: str, less: str) -> None:
    assert salience.density(more) > salience.density(less)


def test_the_first_word_of_a_sentence_is_no_name() -> None:
    assert salience.density("Please go. Then come back.") == 0
    assert salience.density("") == 0


@every(
    "text",
    [
        "And what about the price?",
        "It still fails",
        "What about Lisbon?",
        "why not",
        "Is that safe?",
        "ok, do it",
        "Also add a test",
        "thanks!",
        "The same for the other file",
    ],
)
def test_texts_that_take_up_what_was_said(text: str) -> None:
    assert continuity.takes_up(text)


@every(
    "text",
    [
        "How do I bake bread?",
        "Italy is nice in May",
        "This week I start a new job",
        "Sorry for the noise: which port does Redis use?",
        "Android or iOS?",
        "Notes on the meeting",
    ],
)
def test_texts_that_begin_something(text: str) -> None:
    assert not continuity.takes_up(text)


def test_a_page_goes_on_when_its_turns_are_near_those_before() -> None:
    assert continuity.goes_on([vector(1, 0.1)], [vector(1, 0), vector(1, 0.2)])
    assert not continuity.goes_on([vector(0, 1)], [vector(1, 0)])
    assert not continuity.goes_on([], [vector(1, 0)])
    assert not continuity.goes_on([vector(1, 0, 0)], [vector(1, 0)]), "another model's"


def test_the_gist_is_a_sentence_of_what_was_said() -> None:
    turns = ["My sourdough bread does not rise. Hm.", "Feed the sourdough twice a day.", "Thanks, the bread rises now"]
    assert continuity.gist(turns) == "My sourdough bread does not rise."
    assert continuity.gist([" ", ""]) == ""
    assert len(continuity.gist(["word " * 200])) <= continuity.MAX_GIST_CHARS


def test_by_words_a_turn_is_as_new_as_its_nearest_neighbour_before_it_is_far() -> None:
    from collections import Counter
    from itertools import pairwise
    from random import Random

    chance = Random(3)
    words = [[f"w{min(int(chance.expovariate(0.2)), 40)}" for _ in range(chance.randint(0, 12))] for _ in range(60)]
    idf = salience.inverse_frequencies(words)

    def weights(of_one: list[str]) -> dict[str, float]:
        return {word: count * (idf[word] + 1e-9) for word, count in Counter(of_one).items()}

    def cosine(one: dict[str, float], other: dict[str, float]) -> float:
        length = math.sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
        return sum(value * other.get(word, 0.0) for word, value in one.items()) / length if length else 0.0

    every = [weights(of_one) for of_one in words]
    nearest = [max((cosine(one, other) for other in every[:place]), default=0.0) for place, one in enumerate(every)]
    found = salience.novelty([None] * len(words), words, idf)
    assert found == pytest.approx([1 - min(value, 1.0) for value in nearest])
    assert all(value <= 1 for value in found) and any(one != other for one, other in pairwise(found))
