"""Whether two statements compete for one question, read from their texts alone."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agentos.modules.memory import hit_pairs, outdated
from agentos.modules.truth import succession
from agentos.modules.truth.competing import FEATURES, GUARDED, UNREAD, Told, chance_unread, evidence, question
from agentos.modules.truth.models import AskedSlot

AT = datetime(2026, 1, 1, tzinfo=UTC)


def found(asked: str, older: str, newer: str) -> dict[str, float] | None:
    return evidence(question(asked, None), Told(older), Told(newer))


def test_two_statements_on_what_is_asked_compete() -> None:
    known = found("Where does Dana live?", "Dana has a flat in Lisbon.", "Dana has packed up and is in Porto now.")
    assert known is not None
    assert set(known) == set(FEATURES)
    assert known["change"] and known["strong_change"] and not known["vague"]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("asked", "older", "newer", "chance"),
    [
        (
            "Who is Noor's GP?",
            "Family doctor of Noor: Dr. Moreau.",
            "If Noor falls ill, ring Dr. Weber from now on.",
            UNREAD,
        ),
        ("What's my shell?", "My login shell is nushell.", "chsh done, fish it is.", UNREAD),
        ("What's Noor's seat?", "Noor sits by the window.", "Noor might like the aisle.", UNREAD),
        ("Which CRM do we use?", "We keep customers in HubSpot.", "Customers are found in Salesforce.", GUARDED),
        ("What do I use for my to-do lists?", "I use Todoist for my to-do lists.", "My tasks are in Notion.", GUARDED),
        ("Who runs image-processing?", "Ann runs image-processing.", "Bob has taken over log-routing.", 0),
        ("Who is Leo's teacher?", "Leo's teacher is Mrs Palmer.", "Leo has Mr Okafor since May.", GUARDED),
        ("Who is Ann's teacher?", "Ann's teacher is Mrs Palmer.", "Joanna has Mr Okafor since May.", 0),
        ("Where does Tom's mother live?", "Tom's mother lives in Leeds.", "Tom calls York home now.", 0),
        # Several values, somebody's words, another occasion, a name that is new: only a sure opinion counts.
        ("Which sports does Leo do?", "Leo plays football.", "Leo plays judo these days.", GUARDED),
        ("How much do I weigh?", "I weigh 88 kilos.", "I stepped on the scale today and it said 81.", GUARDED),
        (
            "Who is our bank contact?",
            "Peter is our contact at the bank.",
            "At the bank, Ann takes care of us.",
            GUARDED,
        ),
        ("Where do I live?", "I have a flat in Lisbon.", "Kofi packed up everything and calls Porto home.", GUARDED),
        ("What do I write in?", "I write prose in Vim.", "For notebooks I may take Helix.", GUARDED),
        ("Where does Dana live?", "Dana has a flat in Lisbon.", "According to Kofi, Dana has moved to Porto.", 0),
        ("Where does Dana live?", "Dana has a flat in Lisbon.", "Has Dana moved to Porto?", 0),
        ("Where does Dana live?", "Dana has a flat in Lisbon.", "Kofi claims Dana calls Porto home.", 0),
        ("Who runs mailroom?", "Ann runs mailroom.", "If Ann leaves, Bob takes over mailroom.", 0),
        ("Which sports does Leo do?", "Leo plays football.", "Leo has taken up judo.", 0),
        ("When do I get up?", "I get up at 6:00.", "Wake me at 7:15 tomorrow.", 0),
        ("What is Dana's editor?", "My editor is Vim.", "I switched to Helix.", 0),
        ("Who is Noor's GP?", "Family doctor of Noor: Dr. Moreau.", "If Omar falls ill, ring Dr. Weber.", 0),
        ("Who runs mailroom?", "In production Ann runs mailroom.", "If staging of mailroom fails, ring Bob.", 0),
    ],
)
def test_what_rules_cannot_read_is_left_to_the_second_opinion(
    asked: str, older: str, newer: str, chance: float
) -> None:
    assert chance_unread(question(asked, None), Told(older), Told(newer)) == chance


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


@pytest.mark.parametrize(
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


def test_the_model_has_a_weight_for_every_feature() -> None:
    together = {f"{one} {other}" for one, other in outdated.TOGETHER}
    assert set(outdated.model().weights) == {*FEATURES, *hit_pairs.FEATURES, *together}


def test_what_is_new_takes_the_likeliest_place_and_those_that_leave_no_doubt() -> None:
    made = outdated.model()
    zeros = dict.fromkeys(made.weights, 0.0)

    def pair(older: int, chance: float) -> outdated.Pair:
        # One feature carries the odds that are wanted.
        odds = math.log(chance / (1 - chance)) - made.bias
        return outdated.Pair(older, 0, {**zeros, "older_share": odds / made.weights["older_share"]})

    def marked(*pairs: outdated.Pair) -> list[int]:
        return [one.older for one in outdated.probable(pairs, lambda place: AT - timedelta(days=place))]

    doubtful = (made.threshold + outdated.LIKELY) / 2
    assert marked(pair(1, 0.95), pair(2, doubtful), pair(3, made.threshold / 2)) == [1]
    assert marked(pair(1, 0.95), pair(2, (outdated.LIKELY + 1) / 2)) == [1, 2]
    assert marked(pair(2, doubtful)) == [2]
    doubted = replace(pair(2, 0.95), supported=False)
    assert marked(doubted) == [] and marked(replace(doubted, opinion=0.95)) == [2]


def test_what_rules_cannot_read_is_marked_by_a_sure_opinion_alone() -> None:
    assert UNREAD < outdated.model().threshold
    for unread, opinions, marked in (
        (UNREAD, (None, 0.6, 0.7), [False, False, True]),
        (GUARDED, (None, 0.8, 0.9), [False, False, True]),
    ):
        chances = [outdated.Pair(1, 0, None, unread, opinion=opinion).chance for opinion in opinions]
        assert [chance >= outdated.model().threshold for chance in chances] == marked


@pytest.mark.parametrize(
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
