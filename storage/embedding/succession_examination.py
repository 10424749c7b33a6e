"""Checks of the succession model: the weights that it stands on are there, and it judges. Downloads nothing."""

import tempfile
from pathlib import Path

from ...modules.errors import AgentOSError
from ...modules.health.models import Check, Finding, Severity, ok
from .locate import SUCCESSION
from .succession_model import load_succession_model, succession_files

OLDER, NEWER, ANOTHER = "Maria lives in Lisbon.", "Maria has moved to Porto.", "Kofi has moved to Porto."


class SuccessionChecks:
    """The checks of the one model there is; with `deep` it is loaded and asked."""

    def __init__(self, *, deep: bool) -> None:
        self._deep = deep

    def checks(self) -> list[Check]:
        """The checks, in order."""
        found = [Check("succession.found", self._look_for_it)]
        if self._deep:
            found.append(Check("succession.judges", self._judge, ("succession.found",)))
        return found

    def _look_for_it(self) -> Finding:
        """The embedding model's default weights, which its adapter was made for."""
        try:
            with tempfile.TemporaryDirectory(prefix="agentos-doctor-") as nothing_known:
                files = succession_files(Path(nothing_known))
        except AgentOSError as error:
            message = f"there is no second opinion on what replaces what: {error}"
            return Finding(Severity.WARNING, message, SUCCESSION.remedy, blocks=True)
        return ok(f"it stands on {files.fingerprint}", fingerprint=files.fingerprint)

    def _judge(self) -> Finding:
        """It tells an update from what somebody else did."""
        try:
            with tempfile.TemporaryDirectory(prefix="agentos-doctor-") as folder:
                model = load_succession_model(Path(folder))
                [update], [other] = model.scores(NEWER, [OLDER]), model.scores(ANOTHER, [OLDER])
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in a library is what is looked for
            message = f"the succession model cannot be loaded: {type(error).__name__}: {error}"
            return Finding(Severity.WARNING, message, 'pip install --force-reinstall "agentos-mcp[offline]"')
        details = {"update": round(update, 3), "other": round(other, 3)}
        if update < 0.5 or other > 0.5:
            message = f"the succession model judges wrongly: {update:.2f} and {other:.2f}"
            return Finding(Severity.ERROR, message, SUCCESSION.remedy, details)
        return ok(f"it finds an update likely ({update:.2f}), another's not ({other:.2f})", **details)
