"""Keys of the profile, and the levels that counted evidence gives traits."""

from collections import Counter

import pytest

from agentos.features.profile import keys
from agentos.features.profile.models import Level, UserText
from agentos.features.profile.traits import TraitCounter, level_of, names
from agentos.modules.errors import InvalidInput
from agentos.modules.facts.slots import canonical_slot
from tests.tables import every


@every(
    ("given", "canonical"),
    [
        ("name", "identity.name"),
        ("employer", "work.employer"),
        ("Work.Company", "work.employer"),
        ("boss", "work.manager"),
        ("favorite color", "preference.colour"),
        ("kids", "relationships.children"),
        ("style.language", "style.language"),
        ("pet.name", "pet.name"),
        ("Food.Favorite-Snack", "food.favourite_snack"),
    ],
)
def test_other_spellings_find_the_canonical_key(given: str, canonical: str) -> None:
    assert keys.canonical_key(given) == canonical == keys.canonical_key(canonical)


def test_every_key_and_its_attribute_lead_to_each_other() -> None:
    for key in ("pet.name", "food.favourite_snack", *keys._attributes()):
        attribute = keys.attribute_of(key)
        assert canonical_slot("user", attribute) == ("user", attribute)
        assert keys.key_of(attribute) == keys.canonical_key(key) == key


@every("key", ["", ".", "a.b.c.d", "a..b", "what?", "k" * 65, "über.größe" * 9])
def test_a_key_that_cannot_be_one_is_refused(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"^key: "):
        keys.canonical_key(key)


def test_there_are_ninety_traits_in_three_groups() -> None:
    assert len(names()) == 90
    assert set(Counter(names().values())) == {"psychology", "alignment", "interests"}


@every(
    ("supporting", "contrary", "read", "level"),
    [
        (0, 0, 9, None),
        (1, 0, 9, None),
        (2, 0, 9, Level.LOW),
        (3, 0, 9, Level.MEDIUM),
        (5, 0, 9, Level.HIGH),
        (5, 2, 9, Level.MEDIUM),
        (5, 4, 9, None),
        (2, 4, 9, Level.LOW),
        (5, 0, 200, Level.MEDIUM),
        (8, 0, 200, Level.HIGH),
        (5, 0, 500, Level.LOW),
    ],
)
def test_a_level_comes_from_what_speaks_for_and_against(
    supporting: int, contrary: int, read: int, level: Level | None
) -> None:
    assert level_of(supporting, contrary, read) is level


def of(*texts: str) -> dict[str, tuple[str, int, int]]:
    found = TraitCounter().traits_in([UserText(f"mem_{number}", text) for number, text in enumerate(texts)])
    return {trait.name: (trait.level.value, trait.supporting, trait.contrary) for trait in found}


def test_a_text_counts_once_and_a_negation_counts_against() -> None:
    assert "music" not in of("guitar guitar guitar, my band and a concert")
    assert of("I play guitar", "My band had a concert") == {"music": ("Low", 2, 0)}
    assert of("I do not play the guitar", "I never sing in my band") == {"music": ("Low", 0, 2)}
    assert of("I'm not shy", "I am not shy") == {}, "a negated contrary says little"


def test_questions_tell_interests_and_no_personality() -> None:
    assert of("Are you anxious?", "Who is worried?", "What about a good recipe?", "How do I roast a duck?") == {
        "cooking": ("Low", 2, 0)
    }


def test_notes_about_the_user_count_as_what_they_say() -> None:
    assert of("The user is proud of their team", "The user's family is proud", "The user loves my family")["belonging"]


def test_evidence_names_at_most_eight_of_the_newest() -> None:
    counter = TraitCounter()
    [trait] = counter.traits_in([UserText(f"mem_{n}", "I love hiking") for n in range(12)])
    assert counter.traits_in([UserText(f"mem_{n}", "I love hiking") for n in range(12)]) == [trait], "as remembered"
    assert (trait.supporting, trait.evidence) == (12, tuple(f"mem_{n}" for n in range(8)))
