"""Calibration: what a model's cosines are worth on the scale of the model that all constants were fitted with.

    made = await calibrated(embedder)        # embeds the pairs of calibration_pairs.json: once for each model
    made.asked("Who has the keys?").of(0.83) # a query's cosine to a memory, on the familiar scale
    made.told("The keys are here.").of(0.91) # the cosine of two memories

The scale takes the quantiles of the model's cosines, of pairs that belong together and of those that do not, to the
quantiles of the familiar model: then as much is off topic, or a near duplicate, by either. Other languages have a scale
of their own, since some models give any two Chinese texts more than any two English ones. A script of which the model
does not find the answers is unread: nothing is judged by its vectors.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .. import package_files
from ..errors import AgentOSError
from ..records import dataclass
from ..text.scripts import LATIN, script_of
from .models import Candidate
from .ports import Embedder
from .supersession_chance import judges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PAIRS = Path(__file__).with_name("calibration_pairs.json")
APART = (0.02, 0.25, 0.5, 0.75, 0.9, 0.97, 0.99, 0.998)
"""The quantiles of texts that do not belong together; searches see the highest, which decide what is off topic."""
TOGETHER = (0.1, 0.25, 0.5, 0.75, 0.9)
STEP = 1e-4
"""The least difference of two points of a scale."""
READS = 0.75
"""The least share of other notes than the answer which a question must be farther from, in a language that is read."""
NARROW, WIDE = 0.5, 2.0
"""The bounds of how far apart a language's texts lie beside English ones: six pairs do not say more exactly."""
ENGLISH, ELSEWHERE = "ENGLISH", "ELSEWHERE"
"""Kinds of texts beside the scripts: English ones, and those of scripts that were not measured."""
NOT_YET = "the embedding model is being calibrated"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Scale:
    """A rising line through points (a model's cosine, the familiar one); without points cosines are as they are."""

    points: tuple[tuple[float, float], ...] = ()

    @property
    def is_familiar(self) -> bool:
        """Whether cosines are as they are."""
        return not self.points

    def of(self, cosine: float) -> float:
        """Return one cosine on the familiar scale."""
        return float(self.of_all(cosine)) if self.points else cosine

    def of_all(self, cosines: Any) -> Any:
        """Return an array of cosines on the familiar scale."""
        if not self.points:
            return cosines
        import numpy as np

        theirs, familiar = zip(*self.points, strict=True)
        return np.interp(cosines, theirs, familiar).astype(np.float32)

    def of_candidates(self, found: Sequence[Candidate]) -> list[Candidate]:
        """Return candidates with their cosines on the familiar scale."""
        return [replace(each, score=self.of(each.score)) for each in found] if self.points else list(found)


FAMILIAR_SCALE = Scale()


@dataclass(frozen=True)
class Calibration:
    """The scales of one model by kind of text: of a query and a memory, and of two memories; and what it reads.

    `languages` were measured; `unread` are the scripts of none of those that it reads.
    """

    scales: Mapping[str, tuple[Scale, Scale]] = field(default_factory=dict)
    languages: Mapping[str, bool] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()

    def asked(self, query: str) -> Scale:
        """Return the scale of a query's cosines to memories."""
        return self._of(query)[0]

    def told(self, content: str) -> Scale:
        """Return the scale of a memory's cosines to others."""
        return self._of(content)[1]

    def reads(self, text: str) -> bool:
        """Return whether the model reads the script of a text, as far as that was measured."""
        return not self.unread or script_of(text) not in self.unread

    def _of(self, text: str) -> tuple[Scale, Scale]:
        if not self.scales:
            return FAMILIAR_SCALE, FAMILIAR_SCALE
        return self.scales.get(_kind_of(text), self.scales[ELSEWHERE])


FAMILIAR = Calibration()
"""That of the model with which the constants were fitted."""


def _kind_of(text: str) -> str:
    script = script_of(text)
    return ENGLISH if script == LATIN and judges(text) else script


class KeptCalibrations(Protocol):
    """Keeps what was measured of each model, by the name of its vectors."""

    async def read(self, name: str) -> Calibration | None:
        """Return a model's calibration; None where it is to be made."""

    async def write(self, name: str, calibration: Calibration) -> None:
        """Keep it, as far as that is possible."""


class Calibrator:
    """The calibration of the embedding model in use, made when the model is first loaded, and kept."""

    def __init__(self, embedder: Embedder, kept: KeptCalibrations | None = None) -> None:
        """Prepare it; without `kept` the model is the familiar one."""
        self._embedder = embedder
        self._kept = kept
        self._known: Calibration | None = FAMILIAR if kept is None else None
        self._making: asyncio.Task[Calibration] | None = None

    async def known(self) -> Calibration:
        """Return the calibration, which takes seconds where it is not kept. Raises AgentOSError without a model."""
        if self._known is None:
            if self._making is None or self._making.done():
                self._making = asyncio.create_task(self._made(), name="calibration")
            self._known = await asyncio.shield(self._making)
        return self._known

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        """Return whether the model reads the script of each text. Raises AgentOSError without a model."""
        known, calibration = await self._embedder.knows(texts), await self.known()
        return [knows and calibration.reads(text) for knows, text in zip(known, texts, strict=True)]

    async def of_earlier(self, name: str) -> Calibration:
        """Return what is kept of an earlier model; the familiar scale where that is nothing."""
        kept = None if self._kept is None else await self._kept.read(name)
        return FAMILIAR if kept is None else kept

    async def _made(self) -> Calibration:
        assert self._kept is not None
        name = self._embedder.fingerprint
        found = await self._kept.read(name)
        if found is None:
            found = await calibrated(self._embedder)
            await self._kept.write(name, found)
            log.info("the embedding model %s was calibrated", name)
        return found

    def close(self) -> None:
        """Stop what is being made. Does not block."""
        if self._making is not None:
            self._making.cancel()


@dataclass(frozen=True)
class _Language:
    """Where the cosines of a language's texts lie: of those that do not belong together, of those that do."""

    apart: float
    together: float
    read: bool


async def calibrated(embedder: Embedder) -> Calibration:
    """Measure a model by the pairs that come with AgentOS. Raises AgentOSError where it fails."""
    written = json.loads(package_files.text(PAIRS))
    familiar = written["familiar"]
    asked, told = await measured(embedder, written["english"])
    both = (asked, familiar["asked"]), (told, familiar["told"])
    english = _Language(asked[APART.index(0.5)], asked[len(APART) + TOGETHER.index(0.5)], read=True)
    found: dict[str, _Language] = {}
    of_scripts: dict[str, list[_Language]] = {}
    for name, pairs in written["languages"].items():
        found[name] = await _language(embedder, pairs)
        of_scripts.setdefault(script_of(pairs[0][1]), []).append(found[name])
    readable = {script: [each for each in those if each.read] for script, those in of_scripts.items()}
    kinds = {**readable, ENGLISH: [english], ELSEWHERE: [each for those in readable.values() for each in those]}
    scales = {
        kind: (_scale(*both[0], english, those), _scale(*both[1], english, those)) for kind, those in kinds.items()
    }
    unread = frozenset(script for script, those in readable.items() if not those and script != LATIN)
    return Calibration(scales, {"en": True, **{name: each.read for name, each in found.items()}}, unread)


async def measured(embedder: Embedder, notes: Sequence[Sequence[str]]) -> tuple[list[float], list[float]]:
    """Return the quantiles of cosines, APART and then TOGETHER: of questions and notes, and of notes and others.

    Each of `notes` is a question, a note that answers it, and that note in other words.
    """
    questions = await _queries(embedder, [question for question, _, _ in notes])
    told = await _told(embedder, [note for _, note, _ in notes])
    again = await _told(embedder, [other for _, _, other in notes])
    if not all(questions):
        raise AgentOSError("the embedding model does not read English: search by meaning cannot be calibrated")
    return await asyncio.to_thread(lambda: (_quantiles(questions, told), _quantiles(again, told)))


async def _language(embedder: Embedder, pairs: Sequence[Sequence[str]]) -> _Language:
    """Measure one language by a few questions and the notes that answer them."""
    import numpy as np

    questions = await _queries(embedder, [question for question, _ in pairs])
    if not all(questions):
        return _Language(0.0, 0.0, read=False)
    cosines = _cosines(questions, await _told(embedder, [note for _, note in pairs]))
    answers = cosines.diagonal()
    farther = float((answers[:, None] > cosines).sum()) / (cosines.size - len(cosines))
    return _Language(float(np.median(_apart(cosines))), float(np.median(answers)), read=farther >= READS)


async def _queries(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    return [(await embedder.encode_query(text)).vector for text in texts]


async def _told(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    return [passages[0].vector for passages in await embedder.encode(texts)]


def _cosines(ones: Sequence[bytes], others: Sequence[bytes]) -> NDArray[np.float32]:
    import numpy as np

    one, other = (np.frombuffer(b"".join(each), dtype="<f4").reshape(len(each), -1) for each in (ones, others))
    cosines: NDArray[np.float32] = one @ other.T
    return cosines


def _apart(cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    return cosines[~np.eye(len(cosines), dtype=bool)]


def _quantiles(ones: Sequence[bytes], others: Sequence[bytes]) -> list[float]:
    import numpy as np

    cosines = _cosines(ones, others)
    found = np.concatenate((np.quantile(_apart(cosines), APART), np.quantile(cosines.diagonal(), TOGETHER)))
    return [round(float(value), 4) for value in found]


def _scale(
    theirs: Sequence[float], familiar: Sequence[float], english: _Language, languages: Sequence[_Language]
) -> Scale:
    """Return the scale through both models' quantiles, moved to where the texts of these languages lie.

    Where texts that belong together overlap with others, the quantiles of the others count: what is off topic stays so.
    """
    moved, width = 0.0, 1.0
    if languages:
        apart, together = (
            sum(values) / len(languages)
            for values in zip(*((each.apart, each.together) for each in languages), strict=True)
        )
        moved = apart - english.apart
        width = max(NARROW, min(WIDE, (together - apart) / max(STEP, english.together - english.apart)))
    points = [(-1.0, -1.0)]
    for cosine, worth in zip(theirs, familiar, strict=True):
        there = english.apart + moved + width * (cosine - english.apart)
        if points[-1][0] + STEP <= there < 1 - STEP and worth >= points[-1][1] + STEP:
            points.append((round(there, 4), worth))
    return Scale((*points, (1.0, 1.0)))
