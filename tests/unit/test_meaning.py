"""What a pair of statements has in common, and what forbids to compare it."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from agentos.modules.memory import replacement
from agentos.modules.truth.meaning import FEATURES, Likeness, likeness


@dataclass(frozen=True)
class Said:
    content: str
    id: str = "m"
    occurred_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    slot: None = None
    status: str = "active"
    confidence: float = 0.7
    trust: float = 1.0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confirmations: int = 0
    rejections: int = 0


def pair(older: str, newer: str) -> Likeness | None:
    return likeness(Said(older), Said(newer))


@pytest.mark.parametrize(
    ("older", "newer", "subject"),
    [
        ("I keep my notes in Notion.", "I write everything down in Logseq now.", "user"),
        ("Dana Whitfield works at Bosch.", "Dana Whitfield has signed on with Miro.", "dana whitfield"),
        ("The billing service is on port 8080.", "The billing service answers at :9090 now.", "billing"),
        ("checkout-api runs on AWS.", "We moved checkout-api over to Azure.", "checkout-api"),
        ("Thandi's line manager is Solveig.", "Thandi answers to Marcus now.", "thandi"),
    ],
)
def test_statements_of_one_subject_are_compared(older: str, newer: str, subject: str) -> None:
    found = pair(older, newer)
    assert found is not None and found.subject == subject
    assert set(found.features) | {"cosine", "masked", "change_masked"} == set(FEATURES)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Lars Washington lives in Oslo.", "Lars Halvorsen lives in Bergen now."),
        ("checkout-api listens on 8080.", "checkout-worker listens on 9090 now."),
        ("Willa drives a Golf.", "Willa's neighbour drives a Tesla now."),
        ("I live in Porto.", "My sister lives in Lisbon now."),
        ("The office router is in the lobby.", "The office printer is in the loft now."),
        ("billing uses Postgres in production.", "billing uses MySQL in staging now."),
        ("I use Firefox on my phone.", "I use Chrome on my laptop now."),
        ("Willa has been to Peru.", "Willa has been to Chile."),
        ("Erik lives in Oslo.", "Erik might move to Bergen."),
        ("Erik lives in Oslo.", "According to Ann, Erik lives in Bergen now."),
        ("Erik lives in Oslo.", "Years ago Erik lived in Bergen."),
        ("Erik lives in Oslo.", "Erik moved the meeting to Bergen."),
        ("Erik lives in Oslo.", "Erik visited Bergen."),
        ("Erik drives a Golf.", "Erik also drives a Tesla."),
        ("The 2023 budget of Atlas is 5,000 euros.", "The 2024 budget of Atlas is 9,000 euros."),
        ("Erik lives in Oslo.", "Erik does not live in Bergen."),
        ("Erik lives in Oslo.", "Erik is still living in Oslo."),
    ],
)
def test_what_may_both_be_true_is_not_compared(older: str, newer: str) -> None:
    assert pair(older, newer) is None


def test_the_words_without_subject_and_values_are_what_is_said() -> None:
    found = pair("Dana moved to Oslo.", "Dana lives in Porto now.")
    assert found is not None
    assert "Dana" not in found.older + found.newer and "Oslo" not in found.older and "Porto" not in found.newer


def test_a_value_of_another_type_speaks_against_an_update() -> None:
    same = pair("thumbnailer is on port 8080.", "thumbnailer answers at 9090 now.")
    other = pair("thumbnailer is on port 8080.", "thumbnailer is all Rust now.")
    assert same is not None and other is not None
    assert same.features["same_type"] and not same.features["other_type"]
    assert other.features["other_type"] and not other.features["same_type"]
    chances = [replacement.model().probability(replacement.features(each, 0.5, 0.5)) for each in (same, other)]
    assert chances[0] > replacement.model().threshold > chances[1]
