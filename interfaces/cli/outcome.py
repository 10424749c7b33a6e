"""Results of commands: the exit codes, and the failures that lead to them."""

from enum import IntEnum
from pathlib import Path

from .wording import of_refusal


class ExitCode(IntEnum):
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
    ExitCode.DONE: "done",
    ExitCode.NOT_FOUND: "nothing was found",
    ExitCode.WRONG_USE: "usage error: an argument or option is invalid",
    ExitCode.REFUSED: "refused: a rule forbids it, or nobody confirmed it; nothing was changed",
    ExitCode.UNAVAILABLE: "unavailable: because of the memory, the daemon, a file or a setting",
}
"""The descriptions of the exit codes in `agentos --help` and docs/errors.md."""


class CommandFailure(Exception):
    """Ends a command with a message and an exit code; `code` is for programs, by default the outcome's."""

    def __init__(self, message: str, outcome: ExitCode, code: str | None = None) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.code = code or outcome.word


OF_CODES = {
    "not_found": ExitCode.NOT_FOUND,
    "invalid_input": ExitCode.WRONG_USE,
    "wrong_settings": ExitCode.UNAVAILABLE,
    "storage_unavailable": ExitCode.UNAVAILABLE,
    "storage_refused": ExitCode.UNAVAILABLE,
    "internal_error": ExitCode.UNAVAILABLE,
    "interrupted": ExitCode.UNAVAILABLE,
}
"""The outcome of a service's error, by its code; REFUSED for others."""


def failure_of(error: Exception) -> CommandFailure | None:
    """Return the failure with which a command ends after an error; None for an unexpected error."""
    from ...config import SettingsError
    from ...modules.errors import AgentOSError

    if isinstance(error, CommandFailure):
        return error
    if isinstance(error, AgentOSError):
        return CommandFailure(of_refusal(str(error)), OF_CODES.get(error.code, ExitCode.REFUSED), error.code)
    if isinstance(error, SettingsError):
        return CommandFailure(str(error), ExitCode.UNAVAILABLE, "wrong_settings")
    if isinstance(error, OSError):
        return unreadable(error.filename, error)
    return None


def unreadable(path: Path | str | None, error: OSError) -> CommandFailure:
    """Return how a file that cannot be used is told."""
    if path is None:
        return CommandFailure(str(error.strerror or error), ExitCode.UNAVAILABLE)
    if isinstance(error, FileNotFoundError):
        return CommandFailure(f"there is no {path}", ExitCode.UNAVAILABLE)
    if isinstance(error, IsADirectoryError):
        return CommandFailure(f"{path} is a folder; name a file", ExitCode.UNAVAILABLE)
    why = error.strerror or str(error)
    return CommandFailure(f"{path} {why[3:]}" if why.startswith("it is ") else f"{path}: {why}", ExitCode.UNAVAILABLE)
