"""The check of the Markdown mirror: whether it is paused, and which files it leaves alone."""

from typing import TYPE_CHECKING

from ...config import Settings
from ...modules.errors import AgentOSError
from ...modules.health.models import Check, Finding, Severity, ok
from ...modules.text.counting import counted
from .wiring import ledger_of

if TYPE_CHECKING:
    from .ledger import MirrorLedger

SHOWN = 3


def checks(settings: Settings) -> list[Check]:
    """Return the check; none where nothing is mirrored."""
    ledger = ledger_of(settings)
    return [] if ledger is None else [Check("mirror", lambda: _look(ledger), ("home.folder",))]


def _look(ledger: "MirrorLedger") -> Finding:
    """Check that the mirror runs, and that no file needs a person."""
    try:
        state, control = ledger.load(), ledger.control()
    except (AgentOSError, OSError) as error:
        return Finding(Severity.ERROR, str(error))
    if control.paused is not None:
        return Finding(Severity.WARNING, f"the mirror is paused: {control.paused}", "agentos mirror resume")
    if state.problems:
        examples = "; ".join(f"{name}: {why}" for name, why in list(state.problems.items())[:SHOWN])
        message = f"{len(state.problems)} mirror files are ignored: {examples}"
        return Finding(Severity.WARNING, message, "agentos mirror status", {"problems": dict(state.problems)})
    return ok(f"{counted(len(state.entries), 'file')} mirrored")
