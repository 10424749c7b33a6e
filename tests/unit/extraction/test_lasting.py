"""What users state for good in prompts: measured on the prompts that the rules were not written with."""

import tomllib
from datetime import UTC, datetime

from agentos.modules.extraction import lasting
from agentos.modules.extraction.evidence import problem
from agentos.modules.extraction.models import ExtractedFact, FactType, SpokenTurn
from tests.places import ROOT
from tests.tables import every

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PROMPTS = tomllib.loads((ROOT / "benchmarks" / "lasting_prompts.toml").read_text(encoding="utf-8"))


def stated(prompt: str) -> list[ExtractedFact]:
    said = SpokenTurn("evt_1", "ada", "user", None, prompt, NOW)
    found = lasting.statements(said)
    assert all(problem(fact, [said]) is None for fact in found), "each has its evidence"
    return found


@every(("half", "found_at_least"), [("development", 0.85), ("held_out", 0.85), ("voices", 0.6), ("other_voices", 0.45)])
def test_few_prompts_state_something_for_good_and_most_of_those_are_found(half: str, found_at_least: float) -> None:
    judge(PROMPTS[half], found_at_least)


@every("language", PROMPTS["unseen_by_language"])
@every("part", ["development_by_language", "near_misses_by_language", "unseen_by_language"])
def test_what_is_stated_for_good_is_told_from_the_rest_in_five_more_languages(part: str, language: str) -> None:
    judge(PROMPTS[part][language], 0.85)


@every("language", PROMPTS["hard_by_language"])
def test_what_only_looks_like_a_statement_is_none_in_seven_languages(language: str) -> None:
    judge(PROMPTS["hard_by_language"][language], 0.6)


def test_german_statements_are_told_from_many_that_only_look_alike() -> None:
    judge(PROMPTS["hard_in_one_language"]["german"], 0.5)


def judge(prompts: list[tuple[str, str]], found_at_least: float) -> None:
    """Require a precision of .9, and so much recall, of prompts with a word of what each states."""
    right = wrong = missed = 0
    for prompt, word in prompts:
        found = stated(prompt)
        hit = bool(word) and any(word in fact.text for fact in found)
        right, wrong, missed = right + hit, wrong + len(found) - hit, missed + (bool(word) and not hit)
    assert right / (right + wrong) >= 0.9, f"precision: {wrong} wrong of {right + wrong}"
    assert right / (right + missed) >= found_at_least, f"recall: {missed} missed of {right + missed}"


@every(
    ("prompt", "texts", "about_person"),
    [
        (
            "Fix the test. By the way, the demo moved to Mondays!",
            ['The user said: "The demo moved to Mondays."'],
            False,
        ),
        ("My name is Elena.", ["The user's name is Elena."], True),
        ("Ich heiße Jonas.", ['The user said: "Ich heiße Jonas."'], True),
        ("I live in Porto.", ["The user lives in Porto."], True),
        ("We decided to use Kafka.", ["The team decided to use Kafka."], False),
        ("Attached is the new stack trace from staging", [], False),
        ("Run the tests every Monday", [], False),
        ("The lock is owned by thread-2", [], False),
        ("Explain how the cache works as of now", [], False),
        ("Add a test that the parser must always close files", [], False),
        ("```\nMy name is Elena.\n```", [], False),
        ("> We decided to use Kafka.", [], False),
        ("- We use A\n- We use B\n- We use C\n- We use D\n- We use E", [], False),
    ],
)
def test_a_statement_is_kept_in_its_own_words_or_in_the_third_person(
    prompt: str, texts: list[str], about_person: bool
) -> None:
    found = stated(prompt)
    assert [fact.text for fact in found] == texts
    assert all(lasting.is_about_the_person(fact) is about_person for fact in found)
    assert all(fact.type in FactType for fact in found)
