"""Results of commands: the exit codes, and the failures that lead to them."""

from enum import IntEnum
from pathlib import Path

from .wording import of_refusal


class Outcome(IntEnum):
    """Exit codes. Commands that answer yes or no (doctor, scrub, bundle validate, bundle diff) say so in their help."""

    DONE = 0
    NOT_FOUND = 1
    WRONG_USE = 2
    REFUSED = 3
    UNAVAILABLE = 4
    INTERRUPTED = 130
    UNREAD = 141

    @property
    def word(self) -> str:
        """The code of an error in JSON."""
        return self.name.lower()


EXIT_CODES = {
    Outcome.DONE: "done",
    Outcome.NOT_FOUND: "nothing was found",
    Outcome.WRONG_USE: "usage error: an argument or option is invalid",
    Outcome.REFUSED: "refused: a rule forbids it, or nobody confirmed it; nothing was changed",
    Outcome.UNAVAILABLE: "unavailable: because of the memory, the daemon, a file or a setting",
}
"""The descriptions of the exit codes in `agentos --help` and docs/errors.md."""


class Failure(Exception):
    """Ends a command with a message and an exit code; `code` is for programs, by default the outcome's."""

    def __init__(self, message: str, outcome: Outcome, code: str | None = None) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.code = code or outcome.word


OF_CODES = {
    "not_found": Outcome.NOT_FOUND,
    "invalid_input": Outcome.WRONG_USE,
    "wrong_settings": Outcome.UNAVAILABLE,
    "storage_unavailable": Outcome.UNAVAILABLE,
    "storage_refused": Outcome.UNAVAILABLE,
    "internal_error": Outcome.UNAVAILABLE,
    "interrupted": Outcome.UNAVAILABLE,
}
"""The outcome of a service's error, by its code; REFUSED for others."""


def failure_of(error: Exception) -> Failure | None:
    """Return the failure with which a command ends after an error; None for an unexpected error."""
    from ...config import SettingsError
    from ...modules.errors import AgentOSError

    if isinstance(error, Failure):
        return error
    if isinstance(error, AgentOSError):
        return Failure(of_refusal(str(error)), OF_CODES.get(error.code, Outcome.REFUSED), error.code)
    if isinstance(error, SettingsError):
        return Failure(str(error), Outcome.UNAVAILABLE, "wrong_settings")
    if isinstance(error, OSError):
        return unreadable(error.filename, error)
    return None


def unreadable(path: Path | str | None, error: OSError) -> Failure:
    """Return how a file that cannot be used is told."""
    if path is None:
        return Failure(str(error.strerror or error), Outcome.UNAVAILABLE)
    if isinstance(error, FileNotFoundError):
        return Failure(f"there is no {path}", Outcome.UNAVAILABLE)
    if isinstance(error, IsADirectoryError):
        return Failure(f"{path} is a folder; name a file", Outcome.UNAVAILABLE)
    why = error.strerror or str(error)
    return Failure(f"{path} {why[3:]}" if why.startswith("it is ") else f"{path}: {why}", Outcome.UNAVAILABLE)
