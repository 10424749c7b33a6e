"""A text in a person's own editor; their changes are never lost."""

import os
import tempfile
from pathlib import Path

from .outcome import CommandFailure, ExitCode


class EditedText:
    """A text in a file of its own, which only its owner can read, until `discard`."""

    def __init__(self, text: str) -> None:
        self._before = text
        descriptor, name = tempfile.mkstemp(prefix="agentos-", suffix=".txt")
        self.path = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")

    def edited(self) -> str | None:
        """Return the text after editing; None where nothing was changed.

        Raises CommandFailure where the editor fails, or the result is not text; the file is kept if it was written to.
        """
        import click

        try:
            click.edit(filename=str(self.path))
            text = self._text()
        except (click.ClickException, OSError, UnicodeDecodeError) as error:
            detail = error.format_message() if isinstance(error, click.ClickException) else str(error)
            raise CommandFailure(f"nothing was changed: {detail}{self._path_note()}", ExitCode.UNAVAILABLE) from error
        if text == self._before:
            self.discard()
            return None
        return text

    def with_path(self, error: CommandFailure) -> CommandFailure:
        """Return a failure extended by the path where the edited text is kept."""
        return CommandFailure(f"{error}; your text is kept in {self.path}", error.outcome)

    def discard(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)

    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8").rstrip("\n")

    def _path_note(self) -> str:
        try:
            if self._text() == self._before:
                self.discard()
                return ""
        except (OSError, UnicodeDecodeError):
            if not self.path.exists():
                return ""
        return f"; your text is kept in {self.path}"
