"""The models that read two texts, as they ship, and that what runs is what was trained."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agentos.modules.health.models import Severity
from agentos.storage.embedding import adapter
from agentos.storage.embedding.adapted_examination import RELEVANCE_MODEL, AdaptedChecks
from agentos.storage.embedding.adapted_model import (
    AdaptedModel,
    RelevanceModel,
    SuccessionModel,
    load_relevance_model,
    load_succession_model,
)
from agentos.storage.embedding.locate import RerankerUnavailable, SuccessionUnavailable, TooSlow
from tests.tables import every

OLDER = (
    "Priya Raman has a flat in Lisbon, near the river.",
    "Questions about Juniper go to #war-room.",
    "Everything.",
    "I indent with two spaces.",
)
NEWER = "Priya Raman packed everything up and moved to Graz."


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def succession(cache: Path) -> SuccessionModel:
    return load_succession_model(cache)


@pytest.fixture(scope="module")
def relevance(cache: Path) -> RelevanceModel:
    return load_relevance_model(cache)


@pytest.fixture(params=["succession", "relevance"])
def model(request: pytest.FixtureRequest) -> AdaptedModel:
    found: AdaptedModel = request.getfixturevalue(request.param)
    return found


def test_a_pair_is_judged_the_same_alone_and_among_others(model: AdaptedModel) -> None:
    several = model.log_odds(NEWER, [*OLDER * 3])
    assert several == [*(model.log_odds(NEWER, [older])[0] for older in OLDER)] * 3


def test_an_update_is_distinguished_from_what_looks_like_one(succession: SuccessionModel) -> None:
    [update] = succession.scores(NEWER, OLDER[:1])
    for beside in (
        "Priya Raman's brother packed everything up and moved to Graz.",
        "Priya Raman might move to Graz.",
        "Priya Castillo packed everything up and moved to Graz.",
        "Priya Raman spent a weekend in Graz.",
    ):
        [other] = succession.scores(beside, OLDER[:1])
        assert other < 0.5 < update, beside


@pytest.mark.parametrize(
    ("asked", "answer", "others"),
    [
        (
            "Where does Priya Raman live?",
            "Priya Raman has a flat in Lisbon, near the river.",
            ("Priya Raman's brother has a flat in Graz.", "Priya Raman is with a bank in Lisbon.", "I live in Lisbon."),
        ),
        (
            "Whom do I call when checkout-api is down?",
            "checkout-api pages Omar out of bed when it breaks.",
            (
                "Omar wrote most of checkout-api.",
                "billing-api pages Ines when it breaks.",
                "Ines deploys checkout-api.",
            ),
        ),
        (
            "Which game do I like best?",
            "the user's board game: I'm over that one, Azul it is for me.",
            ("We play on Thursdays at Tom's.", "the user's sport: I'm over that one, tennis it is for me."),
        ),
    ],
)
def test_what_answers_is_distinguished_from_what_is_about_the_same(
    relevance: RelevanceModel, asked: str, answer: str, others: tuple[str, ...]
) -> None:
    found, *rest = relevance.scores(asked, [answer, *others])
    assert found > max(rest)


@every("text", ["", " ", "\ud800", "x" * 100_000, "🙂" * 500])
def test_any_text_is_judged(model: AdaptedModel, text: str) -> None:
    for query, other in ((text, NEWER), (NEWER, text)):
        [odds] = model.log_odds(query, [other])
        assert np.isfinite(odds)
    assert model.log_odds(NEWER, []) == []


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_fails_on_either_thread_is_raised(
    relevance: RelevanceModel, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = AdaptedModel._judged

    def fails_of_short_ones(model: AdaptedModel, first: Sequence[int], second: Sequence[int]) -> float:
        if len(first) < 4:
            raise ValueError("too short")
        return judge(model, first, second)

    monkeypatch.setattr(AdaptedModel, "_judged", fails_of_short_ones)
    texts = [OLDER[0], OLDER[1], OLDER[3]]
    texts[place] = "No"
    with pytest.raises(ValueError, match="too short"):
        relevance.log_odds(NEWER, texts)


def test_other_weights_than_they_were_made_for_are_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = adapter.bundled(adapter.SUCCESSION_FILE)
    other = adapter.Adapter("0" * 64, made.digest, made.segments, made.layers, made.head)
    monkeypatch.setattr(adapter, "bundled", lambda _: other)
    with pytest.raises(SuccessionUnavailable, match="AGENTOS_SECOND_OPINION"):
        load_succession_model(cache)
    with pytest.raises(RerankerUnavailable, match="AGENTOS_RERANKER_MODEL"):
        load_relevance_model(cache)


def test_a_machine_that_is_too_slow_does_without_the_reranker_and_doctor_says_so(
    relevance: RelevanceModel, cache: Path
) -> None:
    taken = relevance.seconds_a_pair()
    assert 0 < taken
    with pytest.raises(TooSlow, match=r"too slow for the reranker: .* ms a pair.*AGENTOS_RERANKER_MODEL=none"):
        load_relevance_model(cache, slowest_s=0)
    slow = replace(RELEVANCE_MODEL, load=lambda folder, _: load_relevance_model(cache, slowest_s=0))
    [_, check] = AdaptedChecks(slow, cache, cache, deep=True).checks()
    finding = check.look()
    assert finding.severity is Severity.WARNING and "not reranked" in finding.message and "none" in finding.remedy
