"""Another model's cosines are judged as those of the model that every constant was fitted with."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import calibration
from agentos.modules.memory.calibration import Calibration, Calibrator, Scale, calibrated
from agentos.modules.memory.models import Passage, QueryEncoding
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.calibrations import CalibrationFiles, check
from agentos.storage.embedding.encoder import Encoder
from agentos.storage.embedding.loader import load_encoder
from tests.integration.storage.test_embedding import MODEL
from tests.places import needs_weights

NS = "test"
PAIRS = json.loads(calibration.PAIRS.read_text(encoding="utf-8"))
CONSTANT = 0.8


class Squashed:
    """A model of its own: that of ours, but its cosines lie between .6 and 1, as E5's do. It is deaf to Han."""

    fingerprint, problem = "squashed@1", None

    def __init__(self, encoder: Encoder, constant: float = CONSTANT) -> None:
        self._encoder, self._constant = encoder, constant
        self.dimension = encoder.dimension + 1
        self.asked = 0

    async def ready(self, wait_s: float) -> bool:
        return True

    def _of(self, texts: Sequence[str]) -> list[bytes]:
        self.asked += len(texts)
        plain = [np.frombuffer(vector, dtype="<f4") for vector in self._encoder.encode(texts)]
        near = (1 - self._constant) ** 0.5
        return [np.append(near * each, self._constant**0.5).astype("<f4").tobytes() for each in plain]

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        return [[Passage(0, 1, vector, b"")] for vector in self._of(contents)]

    async def encode_query(self, query: str) -> QueryEncoding:
        return QueryEncoding(self._of([query])[0])

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        return [True] * len(texts)

    def close(self) -> None: ...


@needs_weights
async def test_the_numbers_that_ship_are_those_of_our_model(graphs: Path) -> None:
    model = Squashed(load_encoder(MODEL, True, graphs), 0.0)
    asked, told = await calibration.measured(model, PAIRS["english"])
    assert asked == pytest.approx(PAIRS["familiar"]["asked"], abs=0.003)
    assert told == pytest.approx(PAIRS["familiar"]["told"], abs=0.003)


@needs_weights
async def test_the_cosines_of_a_model_that_finds_everything_near_are_brought_to_ours(graphs: Path) -> None:
    encoder = load_encoder(MODEL, True, graphs)
    made = await calibrated(Squashed(encoder))
    texts = ["The tram stops at six.", "At six the tram halts.", "My aunt keeps bees.", "The tram is late today."]
    ours = np.array([struct.unpack(f"<{encoder.dimension}f", each) for each in encoder.encode(texts)])
    for cosine in (ours @ ours.T)[np.triu_indices(len(texts), k=1)]:
        squashed = CONSTANT + (1 - CONSTANT) * cosine
        assert made.told(texts[0]).of(squashed) == pytest.approx(cosine, abs=0.03)
        assert made.asked(texts[0]).of(squashed) == pytest.approx(cosine, abs=0.03)


@needs_weights
async def test_what_is_off_topic_or_the_same_is_so_by_either_model(
    open_store: Any, clock: Any, home: Path, tmp_path: Path, graphs: Path
) -> None:
    encoder = load_encoder(MODEL, True, graphs)
    notes = PAIRS["english"][:10]
    beside = ["What does the moon weigh?", "How do volcanoes erupt?", "Which planets have rings?"]
    found: dict[float, Any] = {}
    for constant in (0.0, CONSTANT):
        settings = config.load(home=home, embedding_model="squashed" if constant else MODEL)
        kept = CalibrationFiles(tmp_path / str(constant)) if constant else None
        model = Squashed(encoder, constant)
        agentos = AgentOS.over(await open_store(), model, settings, clock, calibrations=kept)
        namespace = f"{NS}-{constant}"
        for _, note, _ in notes:
            await agentos.memory.store(namespace, StoreRequest(note))
        asked = [question for question, _, _ in notes] + beside
        results = [await agentos.memory.search(namespace, each, consistency=None) for each in asked]
        found[constant] = [[hit.memory.content for hit in result.hits[:1]] for result in results]
        await agentos.close()
    alike = sum(one == other for one, other in zip(*found.values(), strict=True))
    assert alike >= len(found[0.0]) - 1
    assert found[CONSTANT][-len(beside) :] == found[0.0][-len(beside) :]


async def test_a_calibration_is_made_once_for_each_model_and_a_damaged_one_anew(tmp_path: Path) -> None:
    kept = CalibrationFiles(tmp_path)
    scale = Scale(((-1.0, -1.0), (0.8, 0.1), (1.0, 1.0)))
    made = Calibration(
        {"ENGLISH": (scale, scale), "ELSEWHERE": (scale, Scale())}, {"en": True, "zh": False}, frozenset({"CJK"})
    )
    await kept.write("one@1", made)
    read = await kept.read("one@1")
    assert read is not None
    assert (read.scales, read.languages, read.unread) == (made.scales, made.languages, made.unread)
    assert await kept.read("other@1") is None
    assert not read.reads("备用钥匙在哪里?") and read.reads("Where are the keys?")
    finding = check(tmp_path, lambda: {"one@1": (384, 2)}).look()
    assert "reads en, not zh" in finding.message and finding.details["unread_scripts"] == ["CJK"]
    [path] = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:40])
    assert await kept.read("one@1") is None
    assert "when it is first used" in check(tmp_path, lambda: {"one@1": (384, 2)}).look().message


async def test_a_model_without_anything_kept_counts_as_ours(tmp_path: Path) -> None:
    calibrator = Calibrator(None)  # type: ignore[arg-type] - it is asked for nothing
    known = await calibrator.known()
    assert known.asked("x").of(0.7) == 0.7 and known.reads("备用钥匙")
