"""The cases of the lifecycle benchmark: the same for a seed, without echoes, enough of them, and what they claim."""

import random
import re
from collections import Counter
from datetime import UTC, datetime
from itertools import product

from agentos.benchmarks.lifecycle import surroundings
from agentos.benchmarks.lifecycle.cases import (
    SPLITS,
    Split,
    conflicts,
    duplicates,
    near_pairs,
    updates,
    wordings,
)
from agentos.benchmarks.lifecycle.values import ASCENDING, SUBJECTS, TWINS, VALUES
from agentos.benchmarks.lifecycle.wording import content_stems, echo, filled
from tests.tables import every


@every("split", SPLITS)
def test_a_seed_gives_the_same_cases_and_another_seed_others(split: Split) -> None:
    for make in (
        lambda seed: updates(split, seed, 100, 6),
        lambda seed: near_pairs(split, seed, 100),
        lambda seed: conflicts(split, seed, 50),
        lambda seed: duplicates(split, seed, 50),
        lambda seed: surroundings.distractors(random.Random(seed), 50),
        lambda seed: surroundings.off_topic(random.Random(seed), 50),
    ):
        assert make(5) == make(5)
        assert make(5) != make(6)


@every("split", SPLITS)
@every("seed", [1, 5, 23])
def test_no_update_shares_a_content_word_with_what_it_replaces(split: Split, seed: int) -> None:
    cases = updates(split, seed, 550, 6)
    assert len(cases) == 550
    for case in cases:
        assert not echo(case.old.text, case.new.text, case.subject), (case.old.text, case.new.text)


def test_stems_meet_across_endings() -> None:
    assert content_stems("She moved") == content_stems("they are moving")
    assert echo("Dana works at Stripe.", "Dana's working for Klarna.", "Dana") == {"work"}
    assert not echo("Dana Whitfield works at Stripe.", "Dana Whitfield joined Klarna.", "Dana Whitfield")


@every("split", SPLITS)
def test_updates_follow_in_time_and_are_in_the_past(split: Split) -> None:
    for case in updates(split, 5, 550, 6):
        assert case.old.at < case.new.at < datetime(2026, 11, 1, tzinfo=UTC)


@every("split", SPLITS)
def test_no_attribute_of_a_subject_is_updated_twice_in_a_store(split: Split) -> None:
    counted = Counter((case.group, case.subject, case.attribute) for case in updates(split, 5, 550, 6))
    assert max(counted.values()) == 1


def test_every_attribute_and_every_kind_takes_part() -> None:
    for split in SPLITS:
        own = wordings(split)
        assert {case.attribute for case in updates(split, 5, max(550, len(own.attributes)), 6)} == {
            one.name for one in own.attributes
        }
        assert {case.kind for case in near_pairs(split, 5, 550)} == {one.kind for one in own.near}
        assert len(near_pairs(split, 5, 550)) == 550


def test_held_out_wordings_are_others_and_a_third_of_their_attributes_is_unknown_to_dev() -> None:
    dev, held_out = wordings("dev"), wordings("held_out")
    known = {one.name for one in dev.attributes}
    names = {one.name for one in held_out.attributes}
    assert len(names) >= 60
    assert len(names - known) >= len(names) / 3
    by_name = {one.name: {*one.old, *one.new} for one in dev.attributes}
    for one in held_out.attributes:
        assert not by_name.get(one.name, set()) & {*one.old, *one.new}, one.name
    assert not {(one.first, one.second) for one in dev.near} & {(one.first, one.second) for one in held_out.near}


@every(
    ("split", "earlier"),
    [
        ("fresh", ("dev", "held_out")),
        ("blind", ("dev", "held_out", "fresh")),
        ("unseen", ("dev", "held_out", "fresh", "blind")),
        ("sealed", ("dev", "held_out", "fresh", "blind", "unseen")),
    ],
)
def test_later_wordings_repeat_no_sentence_of_earlier_splits_and_many_of_their_attributes_are_new(
    split: Split, earlier: tuple[Split, ...]
) -> None:
    later = wordings(split)
    others = [wordings(one) for one in earlier]
    known = {one.name for own in others for one in own.attributes}
    names = {one.name for one in later.attributes}
    assert len(names) >= 60
    assert len(names - known) >= 20
    assert len(later.near) >= 60
    for own in others:
        texts = {text for one in own.attributes for text in (*one.old, *one.new)}
        assert not texts & {text for one in later.attributes for text in (*one.old, *one.new)}
        assert not {(one.first, one.second) for one in own.near} & {(one.first, one.second) for one in later.near}
        assert not {(one.first, one.second) for one in own.conflicts} & {
            (one.first, one.second) for one in later.conflicts
        }


@every("split", ["fresh", "blind", "unseen", "sealed"])
def test_every_later_attribute_is_worded_in_several_ways_that_share_no_word(split: Split) -> None:
    for one in wordings(split).attributes:
        assert len(set(one.old)) >= 2
        assert len(set(one.new)) >= 2
        assert len(set(one.ask)) >= 2
        subject = SUBJECTS[one.about][0]
        for old, new in product(one.old, one.new):
            before = filled(old, s=subject, v="", month="")
            after = filled(new, s=subject, v="", month="")
            assert not echo(before, after, subject), (old, new)


@every(("split", "earlier"), [("blind", "fresh"), ("unseen", "blind")])
def test_a_later_split_is_as_large_as_the_one_before(split: Split, earlier: Split) -> None:
    before, later = wordings(earlier), wordings(split)
    assert len(later.attributes) >= len(before.attributes)
    assert len(later.near) >= len(before.near)
    assert len(later.conflicts) >= len(before.conflicts)
    assert len(later.paraphrases) >= len(before.paraphrases)
    assert len({one.name for one in later.attributes}) == len(later.attributes)
    for one in later.attributes:
        assert (len(set(one.old)), len(set(one.new)), len(set(one.ask))) == (3, 3, 3), one.name


def test_all_is_every_split() -> None:
    splits = [wordings(split) for split in SPLITS if split != "all"]
    assert len(wordings("all").attributes) == sum(len(own.attributes) for own in splits)
    assert len(wordings("all").near) == sum(len(own.near) for own in splits)
    assert len(wordings("all").conflicts) == sum(len(own.conflicts) for own in splits)


def test_every_pattern_names_values_and_subjects_that_there_are() -> None:
    own = wordings("all")
    for one in (*own.attributes, *own.near, *own.conflicts, *own.paraphrases):
        assert one.about in SUBJECTS
        assert len(VALUES[one.values]) >= 4
    for pair in own.near:
        if "{t}" in pair.first + pair.second:
            assert pair.about in TWINS
    assert set(VALUES) >= ASCENDING


@every("split", SPLITS)
def test_no_subject_of_a_pair_is_met_twice_in_a_store(split: Split) -> None:
    seen: dict[tuple[int, str], int] = {}
    for case in conflicts(split, 5, 100):
        for name in SUBJECTS["person"]:
            if re.search(rf"\b{name}\b", case.first.text):  # Lars is not Larsen
                seen[case.group, name] = seen.get((case.group, name), 0) + 1
    assert max(seen.values()) == 1


def test_texts_are_written_as_people_write() -> None:
    assert filled("{s} is a {v}.", s="the user", v="actuary") == "The user is an actuary."
    assert filled("{s} listens.", s="checkout-api") == "checkout-api listens."
    assert filled("{s} calls.", s="my aunt") == "My aunt calls."
    assert filled("{s} has a {v}.", s="Dana", v="UX researcher") == "Dana has a UX researcher."


def test_off_topic_questions_share_no_subject_with_the_notes() -> None:
    chance = random.Random(1)
    names = {name.casefold() for name in (*SUBJECTS["project"], *SUBJECTS["service"], *SUBJECTS["company"])}
    for _, text in surroundings.off_topic(chance, 300):
        assert not any(name in text.casefold() for name in names)
    assert len(surroundings.distractors(chance, 2000)) == len(set(surroundings.distractors(chance, 2000))) == 2000
