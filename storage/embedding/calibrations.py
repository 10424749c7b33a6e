"""Keeps calibrations in the folder of models, a file for each, by the name of the model's vectors."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...modules.health.models import Check, Finding, info, ok
from ...modules.memory.calibration import Calibration, Scale
from .examination import Generations
from .private_file import write_private

VERSION = 1
"""Of what is measured: what an earlier version has written is measured anew."""
BYTES_MAX = 64 << 10

log = logging.getLogger(__name__)


class CalibrationFiles:
    """The KeptCalibrations of `modules.memory.calibration` in one folder."""

    def __init__(self, models: Path) -> None:
        self._models = models

    async def read(self, name: str) -> Calibration | None:
        """Return what is kept of a model; None where that is nothing, or damaged."""
        return await asyncio.to_thread(_read, self._path(name), name)

    async def write(self, name: str, calibration: Calibration) -> None:
        """Keep it; where that is impossible it is measured again by the next process."""
        written = {
            "version": VERSION,
            "model": name,
            "scales": {kind: [scale.points for scale in both] for kind, both in calibration.scales.items()},
            "languages": calibration.languages,
            "unread": sorted(calibration.unread),
        }
        try:
            await asyncio.to_thread(write_private, self._path(name), json.dumps(written).encode())
        except OSError as error:
            log.warning("the calibration of %s cannot be kept: %s", name, error)

    def all(self) -> Iterator[tuple[str, Calibration]]:
        """Yield the names of models and what is kept of each, the newest first. Blocks."""
        paths = sorted(self._models.glob("calibration-*.json"), key=lambda path: -path.stat().st_mtime_ns)
        for path in paths:
            if (kept := _read(path)) is not None:
                yield json.loads(path.read_bytes())["model"], kept

    def _path(self, name: str) -> Path:
        return self._models / f"calibration-{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"


def _read(path: Path, name: str | None = None) -> Calibration | None:
    try:
        with path.open("rb") as file:
            written = json.loads(file.read(BYTES_MAX))
        if written["version"] != VERSION or name not in (None, written["model"]):
            return None
        scales = {str(kind): (_scale(asked), _scale(told)) for kind, (asked, told) in written["scales"].items()}
        languages = {str(language): bool(reads) for language, reads in written["languages"].items()}
        return Calibration(scales, languages, frozenset(map(str, written["unread"])))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("the calibration in %s is measured anew: %s", path.name, error)
        return None


def _scale(points: Iterable[tuple[float, float]]) -> Scale:
    return Scale(tuple((float(cosine), float(worth)) for cosine, worth in points))


def check(models: Path, generations: Generations) -> Check:
    """Return the check that tells what was measured of the embedding model in use, unless that is the default one."""

    def look() -> Finding:
        known = generations()
        for name, made in CalibrationFiles(models).all():
            if name in known:
                return _told(made)
        return ok("the embedding model is calibrated when it is first used")

    return Check("model.calibration", look, ("model.found", "database.schema"))


def _told(made: Calibration) -> Finding:
    read = [name for name, reads in made.languages.items() if reads]
    unread = [name for name in made.languages if name not in read]
    details = {"languages": dict(made.languages), "unread_scripts": sorted(made.unread)}
    if not unread:
        return ok(f"the embedding model is calibrated, it reads {', '.join(read)}", **details)
    by_words = "; texts in the scripts of these are searched by words only" if made.unread else ""
    message = f"the embedding model reads {', '.join(read)}, not {', '.join(unread)}{by_words}"
    return info(message, **details)
