"""Names that are alike: over lists of pairs nothing that is two things is ever joined."""

import tomllib

from agentos.modules.graph.keys import key
from agentos.modules.graph.likeness import forms, likeness, other_names, speaks_against, spellings
from tests.places import ROOT
from tests.tables import every

PAIRS = tomllib.loads((ROOT / "benchmarks" / "alias_pairs.toml").read_text(encoding="utf-8"))
SAME = [*PAIRS["same"], *PAIRS["fresh"]["same"]]
DISTINCT = [*PAIRS["distinct"], *PAIRS["fresh"]["distinct"]]


@every("pair", DISTINCT)
def test_what_only_looks_alike_is_never_joined(pair: list[str]) -> None:
    one, other, type_ = pair
    for first, second in ((one, other), (other, one)):
        like = likeness(first, type_, second, type_)
        assert (like is None or not like.is_sure) and key(first) != key(second)


def test_more_than_half_of_what_is_one_thing_is_joined_by_its_form() -> None:
    joined = 0
    for one, other, type_ in SAME:
        like = likeness(one, type_, other, type_)
        assert like == likeness(other, type_, one, type_), "whichever came first"
        joined += key(one) == key(other) or (like is not None and like.is_sure)
        if like is not None:
            assert forms(one, type_) & forms(other, type_), f"{one} is found when {other} comes"
    assert joined >= len(SAME) / 2


@every(
    ("one", "other", "type_", "basis", "is_sure"),
    [
        ("München", "Munich", "place", "translation", True),
        ("Vienna", "Wien", "name", "translation", True),
        ("Zürich", "Zuerich", "place", "translation", True),
        ("Müller", "Mueller", "person", "spelling", True),
        ("Siemens AG", "Siemens", "organization", "legal form, article or title", True),
        ("Node.js", "NodeJS", "product", "spaces and dots", True),
        ("Robert Klein", "Bob Klein", "person", "short form of a given name", False),
        ("International Business Machines", "IBM", "organization", "initials", False),
        ("K8s", "Kubernetes", "product", "abbreviation", False),
        ("Postgres", "PostgreSQL", "product", "shortened", False),
    ],
)
def test_why_names_are_alike_and_whether_that_is_sure(
    one: str, other: str, type_: str, basis: str, is_sure: bool
) -> None:
    like = likeness(one, type_, other, type_)
    assert like is not None and (like.basis, like.is_sure) == (basis, is_sure)


def test_types_and_numbers_keep_names_apart() -> None:
    assert likeness("Florence", "person", "Firenze", "place") is None, "a person is no city"
    assert likeness("Siemens", "organization", "Siemens AG", "path") is None
    assert likeness("Bosch GmbH", "organization", "Bosch AG", "organization") is None, "two legal forms are two"
    assert speaks_against("Postgres 14", "product", "Postgres 15", "product")
    assert speaks_against("Siemens", "organization", "Siemens Energy", "organization")
    assert not speaks_against("Deutsche Bahn", "organization", "German Railways", "organization")


def test_a_query_in_another_language_or_spelling_has_other_keys() -> None:
    assert {"munchen", "monaco di baviera"} <= set(other_names("munich"))
    assert "moscow" in other_names("москва") and not other_names("atlas")
    assert spellings("Москва") == {"moskva"}
    assert {"zurich", "zuerich"} <= spellings("Zürich")
