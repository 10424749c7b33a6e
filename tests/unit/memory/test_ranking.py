"""Ranking: the four profiles' formulas, fixed inputs to known scores, and what gives way to what."""

import sys
import unicodedata
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from agentos.config import Settings
from agentos.modules.memory import ranking
from agentos.modules.memory.calibration import Scale
from agentos.modules.memory.features import FEATURES, Evidence, inverse_frequency, table
from agentos.modules.memory.models import RankedTurn, Status, WordFrequencies
from agentos.modules.memory.query import read
from agentos.modules.memory.ranking import CHANNELS, Model, Ranked, RankingProfile, ScoringSettings, TalkKind
from agentos.modules.memory.words import StemCounts, stem
from tests.tables import every

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
SETTINGS = ScoringSettings()


def vector(*values: float) -> bytes:
    row = np.zeros(8, dtype="<f4")
    row[: len(values)] = values
    return (row / np.linalg.norm(row)).tobytes()


def turn(name: str, content: str = "", **changes: object) -> RankedTurn:
    number = int(name)
    given = RankedTurn(number, name, content, None, None, None, NOW, NOW, 0.5, NOW, None)
    return given._replace(**changes)  # type: ignore[arg-type]


def talk(*texts: str, session: str = "s") -> list[RankedTurn]:
    """A conversation of "Name: words"."""
    return [
        turn(str(place), text, session=session, place=place, speaker=text.split(":")[0])
        for place, text in enumerate(texts)
    ]


def evidence(words: str, *, counts: Mapping[str, int] | None = None, memories: int = 100, **found: object) -> Evidence:
    asked = words.split()
    frequencies = WordFrequencies({word: (counts or {}).get(word, 1) for word in asked}, memories, 10_000)
    return Evidence(words=asked, speakers=found.pop("speakers", ()), frequencies=frequencies, **found)  # type: ignore[arg-type]


def features(
    query: str, known: Evidence, turns: list[RankedTurn], without: frozenset[str] = frozenset()
) -> dict[str, list[float]]:
    values = table(read(query, NOW), known, turns, NOW, 0.01, without)
    return {name: values[:, column].tolist() for column, name in enumerate(FEATURES)}


def scores(
    profile: RankingProfile, query: str, known: Evidence, turns: list[RankedTurn], settings: ScoringSettings = SETTINGS
) -> list[float]:
    scored = ranking.by_formula(profile, read(query, NOW), known, turns, settings, NOW)
    return [float(total) for total in scored.parts.sum(axis=1)]


def test_reciprocal_rank_fusion_of_hand_made_lists() -> None:
    fused = ranking.reciprocal_rank_fusion([["a", "b"], ["b", "c"]])
    assert fused == {"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62}
    weighted = ranking.reciprocal_rank_fusion([["a"], ["a"]], k=10, weights=(2.0, 1.0))
    assert weighted == {"a": 3 / 11}


def test_the_profile_rrf_is_that_sum() -> None:
    known = evidence("x", text={"1": 9.0, "2": 5.0}, cosine={"2": 0.9, "3": 0.8})
    assert scores(RankingProfile.RRF, "x", known, [turn("1"), turn("2"), turn("3")]) == [
        pytest.approx(1 / 61),
        pytest.approx(1 / 62 + 1 / 61),
        pytest.approx(1 / 62),
    ]


def test_the_profile_weighted_is_its_formula_and_follows_its_weights() -> None:
    week = timedelta(hours=168)
    turns = [turn("1"), turn("2", occurred_at=NOW - week)]
    known = evidence("x", text={"1": 4.0, "2": 8.0}, cosine={"1": 0.8, "2": 0.4}, identifiers={"2": 1.0})
    assert scores(RankingProfile.WEIGHTED, "x", known, turns) == [
        pytest.approx(0.30 * 1.0 + 0.30 * 0.5 + 0.15 * 1.0),
        pytest.approx(0.30 * 0.5 + 0.30 * 1.0 + 0.25 * 1.0 + 0.15 * 0.5),
    ]
    vectors_alone = ScoringSettings(weights=(1, 0, 0, 0))
    assert scores(RankingProfile.WEIGHTED, "x", known, turns, vectors_alone) == [1.0, 0.5]


def test_an_identifier_lookup_shifts_the_weights_and_keeps_their_sum() -> None:
    known = evidence("max", identifiers={"1": 1.0}, text={"1": 1.0}, cosine={"1": 1.0})
    [plain] = scores(RankingProfile.WEIGHTED, "how large is the pool", known, [turn("1")])
    [lookup] = scores(RankingProfile.WEIGHTED, "MAX_POOL_SIZE", known, [turn("1")])
    assert plain == pytest.approx(lookup) == pytest.approx(1.0)
    [exact] = scores(RankingProfile.WEIGHTED, "MAX_POOL_SIZE", evidence("max", identifiers={"1": 1.0}), [turn("1")])
    assert exact == pytest.approx(0.25 * 1.55 / (0.3 * 0.68 + 0.3 * 1.2 + 0.25 * 1.55 + 0.15) + 0.15 / 1.1015, abs=2e-3)


def test_the_profile_agentos_is_similarity_importance_and_strength() -> None:
    faded = turn("1", importance=0.5, accessed_at=NOW - timedelta(days=20))
    [score] = scores(RankingProfile.AGENTOS, "x", evidence("x", cosine={"1": 0.6}), [faded])
    strength = max(0.0, 1 - 0.01 * (1 - 0.5) * 20)
    assert score == pytest.approx(0.5 * 0.6 + 0.3 * 0.5 + 0.2 * strength, abs=0.02)


def test_meaning_decides_with_a_model_whose_cosines_are_all_near_to_each_other_too() -> None:
    cosine = {"1": 0.84, "2": 0.88, "3": 0.83, "4": 0.82, "5": 0.81}
    known = evidence("boiler", cosine=cosine, text={"1": 2.0}, vector=vector(1.0))
    turns = [
        turn(name, "The boiler is loud." if name == "1" else "It heats.", vector=vector(near, (1 - near**2) ** 0.5))
        for name, near in cosine.items()
    ]
    scale = Scale(((-1.0, -1.0), (0.81, 0.05), (0.85, 0.3), (0.88, 0.7), (1.0, 1.0)))
    scaled = {one: scale.of(each) for one, each in cosine.items()}
    of = [
        ranking.by_model(read("boiler", NOW), each, turns, ScoringSettings(), NOW)
        for each in (known, replace(known, cosine=scaled, scale=scale))
    ]
    assert [ranking.ordered(scored, turns, None, 1)[0].row for scored in of] == [0, 1]


def test_every_feature_belongs_to_a_channel_that_the_settings_can_leave_out() -> None:
    assert set(CHANNELS) == set(FEATURES.values())
    known = evidence("cat dog", cosine={"1": 0.9}, vector=vector(1), identifiers={"1": 1.0})
    turns = talk("Ann: Do you have a cat?", "Bob: I have a dog.")
    for channel in CHANNELS:
        left_out = features("Ann's latest cat on 1 June 2024", known, turns, frozenset({channel}))
        assert all(not any(left_out[name]) for name, of in FEATURES.items() if of == channel)
    assert set(Settings.model_fields["search_without"].default) == set()


def test_the_weights_of_every_model_and_kind_are_of_features() -> None:
    for model in Model:
        for kind in TalkKind:
            assert set(ranking.weights_for(model, {kind: 1.0})) <= set(FEATURES)


def test_weights_follow_what_the_candidates_are() -> None:
    of = {kind: ranking.weights_for(Model.LATE_INTERACTION, {kind: 1.0}) for kind in TalkKind}
    assert {name: weight for name, weight in of[TalkKind.TALK].items() if weight} == ranking.trained(
        Model.LATE_INTERACTION
    )
    assert (
        of[TalkKind.TALK]["session_late"] > 0 == of[TalkKind.CHAT]["session_late"] == of[TalkKind.NOTE]["session_late"]
    )
    assert of[TalkKind.TALK]["question"] < 0 == of[TalkKind.CHAT]["question"]
    half = ranking.weights_for(Model.LATE_INTERACTION, {TalkKind.TALK: 0.5, TalkKind.NOTE: 0.5})
    assert half["late"] == pytest.approx((of[TalkKind.TALK]["late"] + of[TalkKind.NOTE]["late"]) / 2)


@every(
    "session, speaker, content, kind",
    [
        (None, None, "user: hello", TalkKind.NOTE),
        ("s", "Ann", "Ann: hello", TalkKind.TALK),
        ("s", None, "assistant: hello", TalkKind.CHAT),
        ("s", "Assistant", "Assistant: hello", TalkKind.CHAT),
        ("s", None, "hello", TalkKind.TALK),
        ("s", None, "hello " * 200, TalkKind.CHAT),
    ],
)
def test_a_turn_is_of_a_chat_unless_people_talk(
    session: str | None, speaker: str | None, content: str, kind: TalkKind
) -> None:
    assert ranking.kind_of(turn("1", content, session=session, speaker=speaker)) is kind


def test_no_prior_of_a_chat_outweighs_what_its_words_say() -> None:
    for model in Model:
        weights = ranking.weights_for(model, {TalkKind.CHAT: 1.0})
        assert max(ranking.OF_CHATS.values()) <= weights["own"]


@every(
    "query, mine",
    [
        ("Have I ever used Zotero?", 0.5),
        ("What did we decide about the hall? Name two things only.", 0.5),
        ("When is the conference?", 0.0),
        ("Can you give me a summary of how my essay grew?", 0.0),
        ("I have settled the budget. Can you go on with the plan?", 0.0),
    ],
)
def test_a_question_about_the_asker_prefers_what_the_asker_said(query: str, mine: float) -> None:
    turns = [
        turn("1", "user: I use Zotero"),
        turn("2", "assistant: Zotero is"),
        turn("3", "Zotero"),
        turn("4", chat_role="user"),
    ]
    assert features(query, evidence("zotero"), turns)["role"] == [mine, -mine, 0.0, mine]


@every(
    "query, several",
    [
        ("What books has Ann read?", True),
        ("Which national parks have they visited?", True),
        ("Can you list the order in which I brought it up?", True),
        ("Which park is the best?", False),
        ("What is the bus stop called?", False),
        ("When did Ann read it?", False),
    ],
)
def test_a_question_for_several_things_is_known_as_one(query: str, several: bool) -> None:
    assert read(query, NOW).asks_for_several is several


@every(
    "query, order",
    [
        ("In what order did we visit the towns?", True),
        ("List the order in which I brought up the repairs", True),
        ("Give me a timeline of the move", True),
        ("What did Ann order for lunch?", False),
        ("Which order number had the lamp?", False),
    ],
)
def test_a_question_for_an_order_in_time_is_answered_in_it(query: str, order: bool) -> None:
    assert read(query, NOW).asks_order is order
    turns = [turn(str(row), occurred_at=NOW - timedelta(days=days)) for row, days in enumerate((1, 3, 2, *[9] * 9))]
    found = ranking.in_time_order([Ranked(row, {"text": 5.0 - row / 10}) for row in range(12)], turns)
    assert [one.row for one in found] == [3, 4, 5, 6, 7, 8, 9, 1, 2, 0, 10, 11]


def test_where_several_are_asked_for_turns_beside_a_better_one_give_way() -> None:
    turns = [*talk("a", "b", *"c" * 18, "d"), turn("30", "note")]
    ranked = [Ranked(0, {"text": 5.0}), Ranked(1, {"text": 4.9}), Ranked(20, {"text": 4.5}), Ranked(21, {"text": 4.4})]
    found = ranking.spread(ranked, turns, 4)
    assert [one.row for one in found] == [0, 20, 21, 1]
    assert found[-1].parts["spread"] < 0 and "spread" not in found[0].parts and "spread" not in found[2].parts
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_a_long_text_counts_by_its_best_passage() -> None:
    filler = "There is nothing to see here and much of it. " * 60
    fact = "user: My Zotero library has 45 sources."
    spread = f"assistant: {filler} Zotero. {filler} library. {filler} sources."
    known = evidence("zotero library sources", text={"1": 3.0, "2": 2.0, "3": 1.0})
    own = features("x", known, [turn("1", fact), turn("2", spread), turn("3", f"{filler} {fact} {filler}")])["own"]
    assert own[0] == 1 > own[2] > own[1] > 0


def test_a_rare_word_says_more_than_a_common_one() -> None:
    known = evidence("cat zither", counts={"cat": 50, "zither": 1})
    assert inverse_frequency("zither", known.frequencies) > 3 * inverse_frequency("cat", known.frequencies)
    found = features("cat zither", known, [turn("1", "the cat sleeps here"), turn("2", "the zither sleeps here")])
    assert found["text"][1] > found["text"][0] > 0
    assert found["coverage"][1] > 0.8


def test_words_are_counted_by_their_stems_and_without_accents() -> None:
    counts = StemCounts(["running", "café", "runs"])
    assert len(counts.words) == 2
    assert counts.of(["He runs and RUNS to the Café_run", "nothing"]).tolist() == [[3.0, 1.0], [0.0, 0.0]]
    assert StemCounts(["résumé"]).of([unicodedata.normalize("NFD", "a Résumé’s end")]).tolist() == [[1.0]]
    assert StemCounts(["june", "monday", "7"]).of_days([datetime(2024, 6, 3, tzinfo=UTC)]).tolist() == [[1, 1, 0]]
    assert StemCounts(["hey", "s"]).of(["Hey, it's Bo", "heyday"]).tolist() == [[1, 1], [0, 0]]
    assert StemCounts([]).of(["a"]).shape == (1, 0)


def test_words_are_stemmed_in_several_threads_at_once() -> None:
    words = [
        f"{begin}{middle}{end}" for begin in "bdgklt" for middle in ("ational", "iveness") for end in ("", "ly", "s")
    ]
    alone = [stem(word) for word in words]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            with ThreadPoolExecutor(4) as threads:
                found = list(threads.map(lambda turned: [stem(word) for word in words[turned:]], range(8)))
            assert found == [alone[turned:] for turned in range(8)]
    finally:
        sys.setswitchinterval(before)


def test_a_turn_borrows_from_its_neighbours_and_a_note_from_nobody() -> None:
    turns = talk("Ann: What did you name the puppy?", "Bob: Biscuit, after the colour.", "Ann: I went home early.")
    words = "name puppy"
    in_talk = features(words, evidence(words), turns)
    assert in_talk["text"][1] > 0
    assert in_talk["answer_text"][1] > in_talk["answer_text"][2] == 0
    alone = [one._replace(session=None, place=None) for one in turns]
    assert features(words, evidence(words), alone)["text"][1] == 0
    apart = features(words, evidence(words), turns, frozenset({"neighbours"}))
    assert apart["text"][1] == 0


def test_a_session_with_a_good_turn_speaks_for_each_of_its_turns() -> None:
    good = talk("Ann: the red kayak trip", "Bob: lunch", session="good")
    other = [t._replace(id=f"1{t.id}") for t in talk("Ann: a kayak", "Bob: lunch", session="other")]
    found = features("red kayak", evidence("red kayak"), [*good, *other])
    assert found["session_text"][0] == found["session_text"][1] > found["session_text"][2] == found["session_text"][3]
    alone = features("red kayak", evidence("red kayak"), [*good, *other], frozenset({"session"}))
    assert alone["session_text"] == [0, 0, 0, 0]


def test_the_one_person_that_a_query_names_is_preferred_and_others_are_not_shut_out() -> None:
    turns = talk("Ann: I play chess", "Bob: I play chess")
    assert features("x", evidence("chess", speakers=["Ann"]), turns)["speaker"] == [0.5, -0.5]
    assert features("x", evidence("chess", speakers=["Ann", "Bob"]), turns)["speaker"] == [0, 0]
    assert features("x", evidence("chess", speakers=["Ann"]), [turn("1", "chess")])["speaker"] == [0]


def test_dates_that_the_query_names_draw_what_happened_then() -> None:
    may = datetime(2023, 5, 8, tzinfo=UTC)
    turns = [turn("1", occurred_at=may), turn("2", occurred_at=may + timedelta(days=7)), turn("3")]
    on_the_day, a_week_later, a_year_later = features("what happened on 8 May 2023?", evidence("x"), turns)["date"]
    assert on_the_day == 1.0 > a_week_later > 0.3 > a_year_later
    assert features("what happened?", evidence("x"), turns)["date"] == [0, 0, 0]


def test_recency_counts_only_where_the_query_asks_for_it() -> None:
    turns = [turn("1", occurred_at=NOW - timedelta(days=300)), turn("2")]
    assert features("what is the latest plan?", evidence("plan"), turns)["recent"] == [pytest.approx(0, abs=1e-3), 1.0]
    assert features("what is the plan?", evidence("plan"), turns)["recent"] == [0, 0]
    planned = turn("3", occurred_at=NOW + timedelta(days=3000))
    assert features("what is the latest plan?", evidence("plan"), [*turns, planned])["recent"][1:] == [1.0, 1.0]


def test_of_equals_the_newer_comes_first() -> None:
    turns = [turn("1", occurred_at=NOW - timedelta(days=1)), turn("2"), turn("3", occurred_at=NOW - timedelta(days=2))]
    scored = ranking.by_formula(RankingProfile.RRF, read("x", NOW), evidence("x"), turns, SETTINGS, NOW)
    assert [turns[one.row].id for one in ranking.ordered(scored, turns, None, 10)] == ["2", "1", "3"]
    assert [turns[one.row].id for one in ranking.ordered(scored, turns, frozenset({"1", "3"}), 1)] == ["1"]


def test_what_float32_alone_tells_apart_is_equal_and_parts_sum_to_the_score() -> None:
    rng = np.random.default_rng(1)
    same = vector(*rng.normal(size=8))
    turns = [
        turn(str(number), "the same", vector=same, occurred_at=NOW + timedelta(days=number)) for number in range(37)
    ]
    known = evidence("same", vector=vector(*rng.normal(size=8)))
    scored = ranking.by_model(read("same", NOW), known, turns, SETTINGS, NOW)
    found = ranking.ordered(scored, turns, None, 37)
    assert [one.row for one in found] == list(reversed(range(37)))
    assert {one.score for one in found} == {round(sum(found[0].parts.values()), 6)}
    assert all(part == round(part, 6) for part in found[0].parts.values())


def test_what_has_no_vector_yet_is_judged_by_its_words() -> None:
    turns = [turn(str(number), "lunch at noon", vector=vector(1, number)) for number in range(5)]
    turns.append(turn("9", "the zither lesson"))
    known = evidence(
        "zither lesson", vector=vector(1), tokens=vector(1), token_words=["zither"], signs={"1": [b"\x80"]}
    )
    found = features("zither lesson", known, turns)
    assert found["vector"][5] == found["late"][5] == found["text"][5] == 1.0
    scored = ranking.by_model(read("zither lesson", NOW), known, turns, SETTINGS, NOW)
    assert ranking.ordered(scored, turns, None, 1)[0].row == 5
    words_alone = features("zither lesson", evidence("zither lesson"), turns)
    assert words_alone["vector"] == words_alone["late"] == [0.0] * 6


def test_what_says_the_same_as_a_better_one_gives_way_and_the_score_stays_the_sum_of_its_parts() -> None:
    turns = [turn("1", vector=vector(1)), turn("2", vector=vector(1, 0.01)), turn("3", vector=vector(0, 1)), turn("4")]
    ranked = [Ranked(row, {"text": 4.0 - row}) for row in range(4)]
    found = ranking.without_repetition(ranked, turns, 4)
    assert [turns[one.row].id for one in found] == ["1", "3", "4", "2"]
    assert found[-1].parts == {"text": 3.0, "repetition": -ranking.DUPLICATE_PENALTY}
    assert found[-1].score == 3.0 - ranking.DUPLICATE_PENALTY


def test_another_number_another_speaker_or_another_ending_is_no_repetition() -> None:
    head = "the weekly report of the platform team " * 40
    pairs = [
        (turn("1", "keys rotate every 30 days"), turn("2", "keys rotate every 90 days"), False),
        (turn("1", "keys rotate every 30 days"), turn("2", "Keys rotate every 30 days!"), True),
        (*talk("Ann: I love chess", "Bob: I love chess"), False),
        (turn("1", f"{head}zither"), turn("2", f"{head}oven"), False),
        (turn("1", f"{head}zither"), turn("2", f"{head}zither"), True),
    ]
    for one, other, repeats in pairs:
        turns = [one._replace(vector=vector(1)), other._replace(vector=vector(1))]
        found = ranking.without_repetition([Ranked(row, {"text": 1.0}) for row in range(2)], turns, 2)
        assert ["repetition" in ranked.parts for ranked in found] == [False, repeats]


def test_a_long_text_is_not_counted_word_by_word_and_keeps_what_the_text_index_says() -> None:
    known = evidence("kayak", text={"1": 5.0})
    found = features("kayak", known, [turn("1", "kayak " * 1000), turn("2", "lunch")])
    assert found["text"] == [1.0, 0.0]


STANDINGS: list[dict[str, object]] = [
    {"status": Status.CONTESTED},
    {"status": Status.CANDIDATE},
    {"status": Status.STALE},
    {"valid_to": NOW - timedelta(days=1)},
    {"confidence": 0.2},
    {"trust": 0.3},
]


@every("profile", list(RankingProfile))
@every("less", STANDINGS)
def test_what_is_believed_less_falls_behind_its_equal(profile: RankingProfile, less: dict[str, object]) -> None:
    turns = [turn("1", "the port is 8080"), turn("2", "the port is 8080", **less)]
    known = evidence("port", text={"1": 1.0, "2": 1.0})
    query = read("which port", NOW)
    scored = (
        ranking.by_model(query, known, turns, SETTINGS, NOW)
        if profile is RankingProfile.DEFAULT
        else ranking.by_formula(profile, query, known, turns, SETTINGS, NOW)
    )
    first, second = ranking.ordered(ranking.by_standing(scored, turns, NOW), turns, None, 2)
    assert (turns[first.row].id, turns[second.row].id) == ("1", "2")
    assert second.score < first.score and set(second.parts) - set(first.parts) <= {"status", "confidence", "trust"}


def test_what_held_at_the_time_that_is_asked_about_counts_in_full() -> None:
    turns = [turn("1", "the port is 8080", valid_to=NOW - timedelta(days=1))]
    scored = ranking.by_model(read("port", NOW), evidence("port"), turns, SETTINGS, NOW)
    [then] = ranking.ordered(ranking.by_standing(scored, turns, NOW - timedelta(days=2)), turns, None, 1)
    [now] = ranking.ordered(ranking.by_standing(scored, turns, NOW), turns, None, 1)
    assert "status" not in then.parts and now.parts["status"] == pytest.approx(-then.score / 4, abs=1e-4)


def test_a_score_below_nothing_falls_too() -> None:
    turns = [turn("1"), turn("2", status=Status.CONTESTED)]
    scored = ranking.Scored(("text",), np.array([[-2.0], [-2.0]], dtype=np.float32))
    found = ranking.ordered(ranking.by_standing(scored, turns, NOW), turns, None, 2)
    assert [one.score for one in found] == [-2.0, pytest.approx(-2.6)]


def test_what_states_the_attribute_that_is_asked_for_comes_first() -> None:
    turns = [turn("1", "where Dana works and what Dana works on, work, work"), turn("2", "Globex hired Dana")]
    known = evidence("dana works", slots={"2": 0.9})
    scored = ranking.by_model(read("where does Dana work", NOW), known, turns, SETTINGS, NOW)
    assert turns[ranking.ordered(scored, turns, None, 1)[0].row].id == "2"


def test_a_statement_is_found_by_the_name_of_what_it_states() -> None:
    turns = [turn("1", "Yannick reads Emma"), turn("2", "Yannick went over to Monzo", attribute="bank")]
    assert features("yannick bank", evidence("yannick bank"), turns)["coverage"][1] == 1.0
