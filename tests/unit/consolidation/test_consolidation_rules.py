"""The rules of consolidation: who is a candidate, what belongs together, what a summary keeps."""

import math
import random
import struct
from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agentos.features.consolidation import clustering, extracting
from agentos.features.consolidation.exchanges import exchanges
from agentos.features.consolidation.models import SessionTurns, SummarySource
from agentos.features.consolidation.planning import LEAST_SALIENT, Scope, candidates
from agentos.features.consolidation.service import ConsolidationSettings
from agentos.modules.context.tokens import estimate
from agentos.modules.text.entities import entities, missing
from tests.tables import every

THEN = datetime(2026, 1, 5, tzinfo=UTC)


def unit(*values: float) -> bytes:
    length = math.sqrt(sum(value * value for value in values))
    return struct.pack(f"<{len(values)}f", *(value / length for value in values))


def around(direction: int, spread: float, seed: int) -> bytes:
    chance = random.Random(seed)
    return unit(*((1.0 if axis == direction else 0.0) + chance.uniform(-spread, spread) for axis in range(8)))


def source(place: int, text: str = "words", salience: float | None = None, **more: object) -> SummarySource:
    given = {"vectors": (around(0, 0.1, place),), "origin": "s", "speaker": "User", **more}
    return SummarySource(
        f"mem_{place}", 1, place, text=text, tokens=estimate(text), salience=salience, occurred_at=THEN, **given
    )  # type: ignore[arg-type]


def test_three_topics_are_three_groups_and_what_resembles_nothing_is_in_one_too() -> None:
    vectors = [around(place % 3, 0.1, place) for place in range(12)]
    assert clustering.dense(vectors) == clustering.topics(vectors) == [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
    in_turn = [around(place // 4, 0.1, place) for place in range(12)]
    assert clustering.topics(in_turn) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    told = clustering.topics([*vectors, unit(*[0] * 7, 1.0)])
    assert sorted(place for topic in told for place in topic) == list(range(13)) and len(told) == 3
    assert clustering.topics(vectors[11:]) == [[0]] and clustering.topics([]) == []


def test_topics_are_told_apart_where_they_lie_apart_most_clearly() -> None:
    """Turns of a topic seldom repeat each other: none of these is within DBSCAN's radius of another."""
    spread = [(0, 1.0), (1, 1.0), (2, 1.0)]
    vectors = [
        unit(*(sum(weight for topic, weight in spread if axis == topic == number % 3) for axis in range(3)),
             *(1.35 if axis == number else 0.0 for axis in range(12)))
        for number in range(12)
    ]  # fmt: skip
    assert clustering.dense(vectors) == []
    assert clustering.topics(vectors) == [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
    assert clustering.topics(vectors[::3]) == [[0, 1, 2, 3]], "one topic is not cut"


def test_who_is_at_the_bound_is_near_and_a_group_goes_on_through_those_between() -> None:
    """DBSCAN with two points: cosines of .75 and more, whoever of a group they are to."""
    angle = math.acos(0.76)
    steps = [unit(math.cos(place * angle), math.sin(place * angle)) for place in range(3)]
    apart = unit(math.cos(2 * angle + math.acos(0.74)), math.sin(2 * angle + math.acos(0.74)))
    assert clustering.dense(steps) == [[0, 1, 2]]
    assert clustering.dense([steps[0], steps[2]]) == []
    assert clustering.dense([apart, *steps]) == [[1, 2, 3]]
    assert clustering.dense([unit(0, 1), struct.pack("<2f", 0, 0)]) == []


@every(
    ("below", "clusters"),
    [
        (17, [[0], [1], [2], [3], [4]]),
        (17.1, [[0, 1], [2], [3], [4]]),
        (22.1, [[0, 1, 4], [2], [3]]),
        (28.1, [[0, 1, 4], [2, 3]]),
        (33, [[0, 1, 4], [2, 3]]),
        (33.1, [[0, 1, 2, 3, 4]]),
    ],
)
def test_average_linkage_merges_at_the_heights_of_the_worked_example(below: float, clusters: list[list[int]]) -> None:
    """Distances between the 5S ribosomal RNA of five bacteria, as textbooks work UPGMA out: 17, 22, 28, 33."""
    upper = {(0, 1): 17, (0, 2): 21, (0, 3): 31, (0, 4): 23, (1, 2): 30, (1, 3): 34, (1, 4): 21, (2, 3): 28}
    upper |= {(2, 4): 39, (3, 4): 43}
    distances = np.zeros((5, 5))
    for (one, other), distance in upper.items():
        distances[one, other] = distances[other, one] = distance
    assert clustering.average_linkage(distances, below) == clusters


def test_every_vector_is_in_one_topic_of_several() -> None:
    for seed in range(20):
        chance = random.Random(seed)
        told = clustering.topics([unit(*(chance.gauss(0, 1) for _ in range(6))) for _ in range(40)])
        assert sorted(place for topic in told for place in topic) == list(range(40))
        assert min(map(len, told)) > 1


def test_a_turn_goes_with_its_answer() -> None:
    said = ["User", "Assistant", "User", "User", "Assistant", "Assistant", "User", "Ada", "Ben", "Cy", "Assistant"]
    turns = [source(place, speaker=speaker) for place, speaker in enumerate(said)]
    told = [[turn.place for turn in exchange] for exchange in exchanges(turns)]
    assert told == [[0, 1], [2], [3, 4, 5], [6, 7], [8, 9], [10]]
    assert len(exchanges(turns[:5:2])) == 3, "turns that do not follow each other"


def test_a_summary_repeats_another_one_above_the_bound_alone() -> None:
    one = unit(1.0, 0.0)
    assert clustering.repeats(unit(0.93, math.sqrt(1 - 0.93**2)), [one])
    assert not clustering.repeats(unit(0.91, math.sqrt(1 - 0.91**2)), [one])
    assert not clustering.repeats(one, [])


def test_the_least_salient_are_candidates_and_the_working_window_never_is() -> None:
    turns = tuple(source(place, salience=(place * 7 % 10) / 10) for place in range(30))
    state = SessionTurns("s", turns, tuple(range(30)))
    every, _ = candidates(state, Scope(20))
    assert [one.place for one in every] == list(range(10))
    least, _ = candidates(state, Scope(20, least_salient=True))
    assert len(least) == math.ceil(LEAST_SALIENT * 10)
    assert [one.place for one in least] == [0, 3, 6], "those of salience 0, .1 and .2"
    assert candidates(state, Scope(0))[0] == list(turns) and candidates(state, Scope(30))[0] == []
    assert candidates(SessionTurns("s", (), ()), Scope(0))[0] == []


def test_what_was_undone_is_a_candidate_only_where_somebody_asks() -> None:
    turns = tuple(source(place, salience=0.1, refused=place < 5) for place in range(10))
    state = SessionTurns("s", turns, tuple(range(10)))
    assert len(candidates(state, Scope(0))[0]) == 10
    assert [one.place for one in candidates(state, Scope(0, least_salient=True))[0]] == [5, 6]


def test_a_turn_without_a_vector_waits() -> None:
    turns = (source(0), source(1, vectors=()), source(2))
    ready, waiting = candidates(SessionTurns("s", turns, (0, 1, 2)), Scope(0))
    assert [one.place for one in ready] == [0, 2] and waiting == 1


def test_a_session_is_due_at_seventy_percent_and_not_before() -> None:
    assert ConsolidationSettings().due_tokens == 89_600
    assert ConsolidationSettings(1_000, 0.7).due_tokens == 700


def summary(texts: list[str], limit: int | None = None) -> str:
    sources = [source(place, text) for place, text in enumerate(texts)]
    split = extracting.split(sources)
    vectors = [around(0, 0.3, len(sentence.text)) for sentence in split]
    wanted = extracting.target(sum(one.tokens for one in sources)) if limit is None else limit
    return extracting.compose(sources, split, vectors, estimate, wanted)


def test_a_summary_is_of_sentences_of_its_sources_and_says_who_said_them() -> None:
    texts = [f"The billing service of team {name} failed again on host{name}01. It was slow." for name in "ABCDEFGH"]
    made = summary(texts)
    assert made == summary(texts), "the same sources give the same summary"
    for line in made.splitlines():
        assert line.startswith("Key entities: ") or line.startswith("User: The billing service")
    assert estimate(made) < sum(map(estimate, texts))
    assert missing(entities(texts), made) == []


WORDS = st.sampled_from(
    "the service Ada Lovelace failed at 14:30 on src/app.py with Acme Corp in Paris, 12% of $1,200 since March 3, 2024 "
    "“old one” v2.4.1 and it was O’Brien who fixed DATABASE_URL #4711 for ada@example.com".split()
)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=20).map(" ".join), min_size=1, max_size=6))
def test_no_entity_is_ever_lost(texts: list[str]) -> None:
    assert missing(entities(texts), summary(texts)) == []
    assert missing(entities(texts), summary(texts, limit=1)) == []


def test_a_repeated_sentence_is_included_once_and_a_line_of_entities_is_no_sentence() -> None:
    split = extracting.split([source(0, "It works. It works."), source(1, "it works.\nKey entities: Ada; 12")])
    assert [sentence.text for sentence in split] == ["It works."]


def test_a_question_is_told_with_its_answer_and_answers_come_first() -> None:
    talk = [("Which port does the relay listen on?", "The relay listens on port 4410 of host tern."),
            ("And who looks after it?", "Mirela of the platform team looks after the relay."),
            ("¿Cuándo se reinicia?", "El relé se reinicia los domingos a las cuatro de la mañana.")]  # fmt: skip
    turns = [source(2 * n + i, text, speaker=("User", "Assistant")[i]) for n, qa in enumerate(talk)
             for i, text in enumerate(qa)]  # fmt: skip
    split = extracting.split(turns)
    vectors = [around(0, 0.3, len(sentence.text)) for sentence in split]
    answers = sum(estimate(answer) for _, answer in talk)
    questions = max(estimate(question) for question, _ in talk)
    short, longer = (extracting.compose(turns, split, vectors, estimate, answers + more) for more in (0, questions))
    assert "?" not in short and all(answer in short for _, answer in talk)
    told = [line for line in longer.splitlines() if not line.startswith("Key")]
    assert "?" in longer and not told[-1].endswith("?") and all(answer in longer for _, answer in talk)


def test_a_model_that_finds_everything_near_groups_and_repeats_as_the_familiar_one_does() -> None:
    def squashed(vector: bytes) -> bytes:  # its cosines lie between .8 and 1
        values = struct.unpack(f"<{len(vector) // 4}f", vector)
        return unit(*(math.sqrt(0.2) * value for value in values), math.sqrt(0.8))

    def familiar(cosines: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return (cosines - 0.8) / 0.2

    plain = [around(place % 3, 0.1, place) for place in range(12)]
    vectors = [squashed(each) for each in plain]
    assert clustering.dense(vectors) == [list(range(12))]
    assert clustering.dense(vectors, familiar) == clustering.dense(plain)
    assert clustering.topics(vectors) == clustering.topics(plain), "they go by what is nearer, not by how near"
    one, other = squashed(unit(1, 0)), squashed(unit(0.7, math.sqrt(1 - 0.7**2)))
    assert clustering.repeats(one, [other]) and not clustering.repeats(one, [other], familiar)
    assert clustering.repeats(one, [one], familiar)
