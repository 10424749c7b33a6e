"""Whether two statements compete for one question, read from their texts alone."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from agentos.modules.memory import hit_pairs, outdated
from agentos.modules.memory.models import Turn
from agentos.modules.memory.outdated_chance import (
    BOTH_ANSWER,
    WITH_OPINION,
    Pair,
    by_rules,
    with_opinion,
    with_relevance,
)
from agentos.modules.memory.ranking import Ranked
from agentos.modules.memory.second_opinion import SecondOpinion
from agentos.modules.truth import succession
from agentos.modules.truth.competing import FEATURES, Told, evidence, never_outdates, question
from agentos.modules.truth.models import AskedSlot
from tests.tables import every

AT = datetime(2026, 1, 1, tzinfo=UTC)


def found(asked: str, older: str, newer: str) -> dict[str, float] | None:
    return evidence(question(asked, None), Told(older), Told(newer))


def test_two_statements_on_what_is_asked_compete() -> None:
    known = found("Where does Dana live?", "Dana has a flat in Lisbon.", "Dana has packed up and is in Porto now.")
    assert known is not None
    assert set(known) == set(FEATURES)
    assert known["change"] and known["strong_change"] and not known["vague"]


@every(
    ("asked", "older", "newer"),
    [
        ("Where does Maria live?", "Maria lives in Lisbon.", "Maria's brother has moved to Porto."),
        ("Where does Maria live?", "Maria lives in Lisbon.", "Dana has moved to Porto."),
        ("How much RAM does user-events get?", "user-events gets 4 GB.", "user-service was bumped to 8 GB."),
        ("Who writes mailroom?", "In staging Ann runs mailroom.", "Bob runs mailroom now."),
        ("Which languages does Rosa speak?", "Rosa speaks French.", "Rosa now speaks Danish."),
        ("What do I write prose in?", "For prose I write in Vim.", "For notebooks I have switched to Helix."),
        ("What is Hana's private phone?", "Hana's private phone is a Pixel.", "Hana's company phone is an iPhone now."),
        ("Where does Dana live?", "Dana lives in Lisbon.", "Dana is in Lisbon now."),
    ],
)
def test_of_another_subject_or_occasion_they_do_not(asked: str, older: str, newer: str) -> None:
    assert found(asked, older, newer) is None


@every(
    ("asked", "older", "newer"),
    [
        ("Where does Dana live?", "Dana has a flat in Lisbon.", "According to Kofi, Dana has moved to Porto."),
        ("Where does Dana live?", "Dana has a flat in Lisbon.", "Has Dana moved to Porto?"),
        ("Where does Dana live?", "Dana has a flat in Lisbon.", "Kofi claims Dana calls Porto home."),
        ("Where does Dana live?", "Dana has a flat in Lisbon.", "Dana has moved to Porto. " + "It rained. " * 30),
        ("Who runs mailroom?", "Ann runs mailroom.", "If Ann leaves, Bob takes over mailroom."),
        ("Who runs mailroom?", "Ann runs mailroom.", "In staging Bob runs mailroom."),
        ("When do I get up?", "I get up at 6:00.", "Wake me at 7:15 tomorrow."),
        ("Which sports does Leo do?", "Leo plays football.", "Leo has taken up judo."),
    ],
)
def test_hearsay_conditions_one_day_and_what_stands_beside_outdate_nothing(asked: str, older: str, newer: str) -> None:
    assert never_outdates(question(asked, None), Told(older), Told(newer))


@every(
    ("asked", "older", "newer"),
    [
        ("What's my shell?", "My login shell is nushell.", "chsh done, fish it is."),
        ("Who is Noor's GP?", "Family doctor of Noor: Dr. Moreau.", "If Noor falls ill, ring Dr. Weber from now on."),
        ("Who is our bank contact?", "Peter is our contact at the bank.", "At the bank, Ann takes care of us."),
        ("Which sports does Leo do?", "Leo plays football.", "Leo plays judo these days."),
    ],
)
def test_what_may_be_no_more_than_oddly_put_is_left_to_the_opinion(asked: str, older: str, newer: str) -> None:
    assert not never_outdates(question(asked, None), Told(older), Told(newer))


def test_what_the_rules_let_stand_side_by_side_is_left_alone() -> None:
    asked = question("Which framework does Atlas use?", AskedSlot("atlas", "framework", 0.8))
    read = [Told(f"Atlas uses {name}.", "atlas", "framework") for name in ("Django", "React")]
    assert evidence(asked, *read) is None


def test_two_values_of_what_has_one_compete_where_no_rule_ended_the_older() -> None:
    """The second opinion may have held the rule back."""
    asked = question("Where does Ian work?", AskedSlot("ian", "employer", 0.8))
    older = Told("Ian works at Google.", "ian", "employer")
    assert evidence(asked, older, Told("Ian is with Meta now.", "ian", "employer")) is not None
    assert succession.evidence(older, Told("Ian is with Meta now.", "ian", "employer")) is not None


@every(
    ("text", "is_past", "wants_several"),
    [
        ("Where does Dana live?", False, False),
        ("Where did Dana use to live?", True, False),
        ("What was Dana's previous job?", True, False),
        ("Which languages does Rosa speak?", False, True),
        ("Who are the members of the team?", False, True),
        ("Which bus does Ana take?", False, False),
        ("What does Dana drive?", False, False),
    ],
)
def test_what_a_question_asks_for(text: str, *, is_past: bool, wants_several: bool) -> None:
    asked = question(text, None)
    assert (asked.is_of_the_past, asked.wants_several) == (is_past, wants_several)


def test_the_models_have_a_weight_for_every_feature() -> None:
    together = {f"{one} {other}" for one, other in outdated.TOGETHER}
    assert set(by_rules().weights) == {*FEATURES, *hit_pairs.FEATURES, *together}
    assert set(with_opinion().weights) == {*WITH_OPINION}
    assert set(with_relevance().weights) == {*WITH_OPINION, BOTH_ANSWER}


NEAR = {**dict.fromkeys(hit_pairs.FEATURES, 0.0), "cosine": 0.5, "older_share": 1.0, "newer_share": 0.9}


def pair(older: int, chance: float) -> Pair:
    """Two hits that rules have read, and of which one feature carries the odds that are wanted."""
    made = by_rules()
    odds = math.log(chance / (1 - chance)) - made.bias
    zeros = dict.fromkeys(made.weights, 0.0)
    return Pair(older, 0, NEAR, {**zeros, "older_share": odds / made.weights["older_share"]})


def test_what_is_new_takes_the_likeliest_place_and_those_that_leave_no_doubt() -> None:
    least = by_rules().threshold

    def marked(*pairs: Pair) -> list[int]:
        return [one.older for one in outdated.probable(pairs, lambda place: AT - timedelta(days=place))]

    doubtful = (least + outdated.LIKELY) / 2
    assert marked(pair(1, 0.95), pair(2, doubtful), pair(3, least / 2)) == [1]
    assert marked(pair(1, 0.95), pair(2, (outdated.LIKELY + 1) / 2)) == [1, 2]
    assert marked(pair(2, doubtful)) == [2]
    assert marked(replace(pair(2, 0.95), supported=False)) == []


def test_an_opinion_decides_whatever_rules_have_read() -> None:
    unread = Pair(0, 1, NEAR)
    assert not unread.is_likely and unread.is_conceivable
    for one in (unread, pair(0, 0.9), pair(0, 0.1)):
        assert replace(one, opinion=0.98).is_likely and not replace(one, opinion=0.02).is_likely
    chances = [replace(unread, opinion=opinion).chance for opinion in (0.1, 0.3, 0.9, 0.99)]
    assert chances == sorted(set(chances)) and chances[-1] == unread.at_best


class Doubtful:
    """A model that finds nothing likely, once it is there."""

    problem = None

    def __init__(self, *, is_there: bool) -> None:
        self._is_there = is_there

    async def ready(self, wait_s: float) -> bool:
        return self._is_there

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        return [0.01 for _ in texts]

    def close(self) -> None:
        pass


@every("is_there", [True, False])
async def test_a_model_that_can_make_nothing_likely_is_not_taken_for_one_that_is_not_there(*, is_there: bool) -> None:
    read = replace(pair(1, 0.95), near={**NEAR, "cosine": -1.0, "older_margin": -1.0, "newer_margin": -1.0})
    assert read.is_likely and not read.is_conceivable
    turns = [Turn(n, str(n), f"text {n}", None, None, None, AT, AT, 0.5, AT, None) for n in (0, 1)]
    ranked = [Ranked(row, {"text": 1.0}) for row in (0, 1)]
    told = await outdated.with_opinions([read], SecondOpinion(Doubtful(is_there=is_there)), turns, ranked)
    assert any(one.is_likely for one in told) is not is_there


def test_what_answers_the_question_outdates_rather_than_what_does_not() -> None:
    told = Pair(1, 0, NEAR, opinion=0.9)
    answers, does_not = (replace(told, answers=(3.0, odds)).chance for odds in (3.0, -6.0))
    assert answers > does_not


def test_a_gist_settles_a_doubt_of_rules_alone() -> None:
    doubted = replace(pair(0, 0.45), by_gist=True)
    assert doubted.is_likely and not replace(doubted, by_gist=False).is_likely
    assert not replace(doubted, opinion=0.1).is_likely


def test_what_was_given_a_slot_takes_more() -> None:
    given = Pair(0, 1, NEAR, given=True, opinion=0.8)
    assert replace(given, given=False).is_likely and not given.is_likely


@every(
    ("newer", "competes"),
    [
        ("Just heard: Dana has packed up and is in Porto now.", True),
        ("Dana has left the former flat for good and lives in Porto.", True),
        ("Dana might move to Porto.", False),
        ("According to Kofi, Dana has moved to Porto.", False),
    ],
)
def test_news_and_what_is_said_of_the_former_one_are_no_doubt(newer: str, *, competes: bool) -> None:
    assert (found("Where does Dana live?", "Dana has a flat in Lisbon.", newer) is not None) is competes


def test_how_it_all_began_is_known() -> None:
    known = found("What does Dana edit in?", "Dana edits in Neovim.", "The very first editor of Dana was Emacs.")
    assert known is not None and known["began"]
