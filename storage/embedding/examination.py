"""Checks of the embedding model: found, unchanged, and the one of the stored vectors. Downloads nothing."""

import math
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ...modules.errors import described
from ...modules.health.models import Check, Finding, Severity, info, ok
from ...modules.installing import INSTALL_MODEL, REINSTALL
from .digest import REMEMBERED
from .loader import load_encoder
from .locate import EmbeddingUnavailable, ModelFiles, locate
from .passages import generation_name
from .stub import NAME as STUB

TEXT = "Maria reviews every change to the billing service."
Generations = Callable[[], dict[str, tuple[int, int]]]
"""Returns by the fingerprint of their model the dimension of the stored vectors, and how many memories have one."""


class ModelChecks:
    """The checks of one model; `models` is the folder of digests and graphs, which is read and not written.

    `known` is this examination's own; see `remembering`.
    """

    def __init__(
        self, model: str, models: Path, known: Path, generations: Generations, *, late_interaction: bool, deep: bool
    ) -> None:
        self._model = model
        self._models = models
        self._known = known
        self._generations = generations
        self._late_interaction = late_interaction
        self._deep = deep
        self._files: ModelFiles | None = None

    def checks(self) -> list[Check]:
        """Return the checks, in order."""
        found = [Check("model.found", self._look_for_it)]
        found.append(Check("model.vectors", self._look_at_vectors, ("model.found", "database.schema")))
        if self._deep:
            found.append(Check("model.loads", self._load, ("model.found",)))
        return found

    def _look_for_it(self) -> Finding:
        """Check that its files are there, and that the default's weights have the right digest."""
        if self._model == "none":
            return Finding(Severity.OK, "AGENTOS_EMBEDDING_MODEL is none; search uses words only", blocks=True)
        if self._model == STUB:
            message = "AGENTOS_EMBEDDING_MODEL is stub: for development only, search by meaning means little"
            return Finding(Severity.WARNING, message, "name a model in AGENTOS_EMBEDDING_MODEL, or none", blocks=True)
        try:
            self._files = locate(self._model, True, self._known, self._models)
        except EmbeddingUnavailable as error:
            message, _, remedy = str(error).rpartition(": ")
            return Finding(
                Severity.WARNING,
                f"{message or error}; search uses words only",
                remedy if message else INSTALL_MODEL,
                blocks=True,
            )
        return ok(f"{self._files.fingerprint} in {self._files.folder}", fingerprint=self._files.fingerprint)

    def _look_at_vectors(self) -> Finding:
        """Check that the vectors in the store are from this model, and made as the settings say."""
        assert self._files is not None
        # Its graph or its prompts may have given the vectors a longer name.
        begin, end = f"{self._files.fingerprint.partition('@')[0]}@", self._named("")
        return judged(self._generations(), lambda name: name.startswith(begin) and name.endswith(end))

    def _named(self, fingerprint: str) -> str:
        return generation_name(fingerprint, late_interaction=self._late_interaction)

    def _load(self) -> Finding:
        """Check that it embeds a text as a vector of length 1, with the dimension of its vectors in the store."""
        try:
            encoder = load_encoder(self._model, True, self._known, self._models)
            [data] = encoder.encode([TEXT])
            dimension = encoder.dimension
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in a library is what is looked for
            message = f"the embedding model cannot be loaded: {described(error)}"
            return Finding(Severity.WARNING, message, REINSTALL)
        length = math.sqrt(sum(value * value for value in struct.unpack(f"<{len(data) // 4}f", data)))
        expected, _ = self._generations().get(self._named(encoder.fingerprint), (dimension, 0))
        details = {"dimension": dimension, "expected": expected, "length": round(length, 6)}
        if len(data) != 4 * dimension or dimension != expected or abs(length - 1) > 1e-3:
            message = f"the embedding model gives vectors of {dimension} values, the store has {expected}"
            return Finding(Severity.ERROR, message, "set AGENTOS_EMBEDDING_MODEL to the earlier model", details)
        return ok(f"it embeds a text with {dimension} values", **details)


def judged(generations: Mapping[str, tuple[int, int]], is_own: Callable[[str], bool]) -> Finding:
    """Return the finding on a store's vectors, given which of the generations are the set model's own."""
    counts = {name: memories for name, (_, memories) in generations.items()}
    own = sum(memories for name, memories in counts.items() if is_own(name))
    others = {name: memories for name, memories in counts.items() if memories and not is_own(name)}
    if not others:
        return ok("the vectors in the store are from this model", generations=counts)
    most = max(others.values())
    named = ", ".join(others)
    message = f"re-embedding: {own:,} memories have a vector of this model, {most:,} one of {named}"
    return info(message, generations=counts)


@contextmanager
def remembering(models: Path, *, deep: bool) -> Iterator[Path]:
    """Yield a folder for the digests that one examination makes; if it is `deep`, with a copy of the home's graphs."""
    with tempfile.TemporaryDirectory(prefix="agentos-doctor-") as temporary:
        known = Path(temporary) / "models"
        if deep and models.is_dir():
            with suppress(OSError):  # a graph that cannot be copied is built anew
                shutil.copytree(models, known, ignore=shutil.ignore_patterns("*@*", ".*", REMEMBERED))
        yield known
