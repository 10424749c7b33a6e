"""Checks of the models that read two texts: that their weights are there, and that they judge. Downloads nothing."""

from collections.abc import Callable
from pathlib import Path

from ...modules.errors import AgentOSError, described
from ...modules.health.models import Check, Finding, Severity, ok
from ...modules.installing import REINSTALL
from ...modules.records import dataclass
from .adapted_model import AdaptedModel, adapted_files, load_relevance_model, load_succession_model
from .locate import RELEVANCE, SUCCESSION, ModelKind, TooSlow


@dataclass(frozen=True)
class ExaminedModel:
    """One of the models, what is missing without it, and a query with a likely and an unlikely text."""

    name: str
    kind: ModelKind
    load: Callable[[Path, Path], AdaptedModel]
    missing: str
    query: str
    likely: str
    unlikely: str
    languages: str


SUCCESSION_MODEL = ExaminedModel(
    "succession",
    SUCCESSION,
    load_succession_model,
    "there is no second opinion on what replaces what",
    "Maria has moved to Porto.",
    "Maria lives in Lisbon.",
    "Kofi lives in Lisbon.",
    "it reads English, other languages are compared by words where that is possible",
)
RELEVANCE_MODEL = ExaminedModel(
    "reranker",
    RELEVANCE,
    load_relevance_model,
    "what a search finds is not reranked",
    "Where does Maria live?",
    "Maria has a flat in Lisbon.",
    "Maria works for a bank in Lisbon.",
    "it reads English",
)


class AdaptedChecks:
    """The checks of one model; with `deep` it is loaded and tried. `models` is the home's folder of models.

    `known` is the examination's own; see `examination.remembering`.
    """

    def __init__(self, model: ExaminedModel, models: Path, known: Path, *, deep: bool) -> None:
        self._model = model
        self._models = models
        self._known = known
        self._deep = deep

    def checks(self) -> list[Check]:
        """Return the checks, in order."""
        name = self._model.name
        found = [Check(f"{name}.found", self._look_for_it)]
        if self._deep:
            found.append(Check(f"{name}.judges", self._judge, (f"{name}.found",)))
        return found

    def _look_for_it(self) -> Finding:
        """Check that the default weights of the embedding model, which its adapter was made for, are there."""
        kind = self._model.kind
        try:
            files = adapted_files(kind, self._known, self._models)
        except AgentOSError as error:
            message = f"{self._model.missing}: {str(error).partition(': ')[0]}"  # without the remedy, which is separate
            return Finding(Severity.WARNING, message, kind.remedy, blocks=True)
        message = f"it is built for {files.fingerprint}; {self._model.languages}"
        return ok(message, fingerprint=files.fingerprint)

    def _judge(self) -> Finding:
        """Check that it tells what is so from what only looks alike."""
        examined = self._model
        noun = f"the {examined.kind.noun}"
        try:
            model = examined.load(self._known, self._models)
            one, other = model.log_odds(examined.query, [examined.likely, examined.unlikely])
        except TooSlow as slow:
            message, _, remedy = str(slow).partition("; ")
            return Finding(Severity.WARNING, f"{message}: {examined.missing}", remedy)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in a library is what is looked for
            message = f"{noun} cannot be loaded: {described(error)}"
            return Finding(Severity.WARNING, message, REINSTALL)
        details = {"likely": round(one, 2), "unlikely": round(other, 2)}
        if one < 0 or other > 0:
            message = f"{noun} judges wrongly: log odds {one:.2f} and {other:.2f}"
            return Finding(Severity.ERROR, message, examined.kind.remedy, details)
        return ok(f"it tells what is so ({one:.2f}) from what looks alike ({other:.2f}, log odds)", **details)
