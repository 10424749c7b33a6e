"""Whether two statements compete for one question, read from their texts alone."""

import pytest

from agentos.modules.memory import hit_pairs, outdated
from agentos.modules.truth.competing import FEATURES, Told, evidence, question
from agentos.modules.truth.models import AskedSlot


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


def test_what_the_rules_let_stand_side_by_side_is_left_alone() -> None:
    asked = question("Which database does Atlas use?", AskedSlot("atlas", "database", 0.8))
    read = [Told(f"Atlas uses {name}.", "atlas", "database") for name in ("Postgres", "Redis")]
    assert evidence(asked, *read) is None


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
