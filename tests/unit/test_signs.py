"""Signs that two statements are told apart by."""

from agentos.modules.truth.aspects import Value
from agentos.modules.truth.signs import (
    ACCUMULATES,
    CHANGES,
    EVENT,
    has_part,
    lists,
    main_values,
    nouns,
    numbered,
    numbered_otherwise,
    with_attribute,
)
from tests.tables import every


@every(
    ("text", "has"),
    [
        ("Erik's office moved to Malmö", True),
        ("Erik's landlady recently moved away", True),
        ("Erik's office is in Malmö", False),
        ("Erik moved to Malmö", False),
    ],
)
def test_what_happens_to_a_thing_of_somebody_is_told_from_what_happens_to_them(text: str, has: bool) -> None:
    assert has_part(text, (0, len("Erik"))) is has


def test_attributes_are_known_by_the_nouns_that_name_them() -> None:
    assert nouns("Her phone number is on the fridge.", None) == nouns("phone number", None)
    assert len(nouns("Her phone number is on the fridge.", None)) == 1
    assert nouns("She sings.", None) == frozenset()
    assert nouns("She sings.", "voice") == {"voice"}
    assert with_attribute(frozenset({"city"}), None) == {"city"}


def test_only_types_that_tell_something_make_a_list() -> None:
    assert lists(frozenset({"name", "language"})) == {"language"}


def test_a_date_that_says_since_when_is_no_value_but_one_that_stands_alone_is() -> None:
    since, language = Value("2024", frozenset({"date"}), 0, 4), Value("Rust", frozenset({"language"}), 5, 9)
    assert main_values([since, language]) == [language]
    assert main_values([since]) == [since]


@every("text", ["We use pnpm now.", "Ana took over billing.", "The limit was raised to 40."])
def test_words_of_change(text: str) -> None:
    assert CHANGES.search(text)
    assert not CHANGES.search("We use pnpm.")


@every(
    ("text", "adds", "happened"),
    [
        ("Tom speaks Danish.", True, False),
        ("Tom flew to Oslo.", False, True),
        ("Tom lives in Oslo.", False, False),
    ],
)
def test_what_adds_to_what_there_is_and_what_happened_once(text: str, adds: bool, happened: bool) -> None:
    assert (bool(ACCUMULATES.search(text)), bool(EVENT.search(text))) == (adds, happened)


@every(
    ("first", "second", "otherwise"),
    [
        ("The 2023 conference is in Graz.", "The 2024 conference is in Linz.", True),
        ("Sprint 4 ends on Friday.", "Sprint 5 ends on Monday.", True),
        ("Sprint 4 ends on Friday.", "Sprint 4 ends on Monday.", False),
        ("Sprint 4 ends on Friday.", "The demo is on Monday.", True),
        ("The demo is on Friday.", "The demo is on Monday.", False),
    ],
)
def test_numbered_things_are_told_apart(first: str, second: str, otherwise: bool) -> None:
    assert numbered_otherwise(numbered(first), numbered(second)) is otherwise
