"""The ports of the mirror: its folder, and what the home keeps. All methods block, and are called in threads."""

from collections.abc import Mapping
from typing import Protocol

from .models import Control, MirrorState, Stamp


class Folder(Protocol):
    """The folder that people edit. Names are relative, with `/` between folders."""

    def prepare(self, owner: str, *, begun: bool) -> None:
        """Create the folder, or check that it is the one that `owner` mirrors; `begun` says that it must be there.

        Raises StorageRefused, with the remedy.
        """

    def listing(self) -> Mapping[str, Stamp]:
        """Return the Markdown files in it, hidden ones and links left out, and folders that are called like files.

        Raises StorageRefused for too many.
        """

    def read(self, name: str) -> tuple[str, Stamp]:
        """Return a file's text and its stamp. Raises Damaged where it cannot be read as text, OSError."""

    def has_place(self, name: str) -> bool:
        """Return whether the folder that a file is to lie in is there, and really lies in this one."""

    def write(self, name: str, text: str, expected: Stamp | None) -> Stamp | None:
        """Write a file whole or not at all, and return its stamp.

        None, and nothing is written, where it is not as `expected` any more (None: where there is one). Raises OSError.
        """

    def remove(self, name: str, expected: Stamp) -> bool:
        """Remove a file, unless it is not as `expected` any more; return whether it is gone. Raises OSError."""


class Ledger(Protocol):
    """The mirror's state in the home, in its own files."""

    def load(self) -> MirrorState:
        """Return the state after the last pass, or a new, kept one. Raises StorageRefused where it is damaged."""

    def save(self, state: MirrorState) -> None:
        """Keep the state, durably, whole or not at all. Raises OSError."""

    def control(self) -> Control:
        """Return what a person, or the mirror itself, said last."""

    def pause(self, reason: str, waiting: int = 0) -> None:
        """Stop the mirror until it is resumed; `waiting` changes wait for that. Raises OSError."""

    def resume(self, allowed: int) -> None:
        """Let the mirror go on, with so many changes of files at once. Raises OSError."""

    def used(self) -> None:
        """Forget what was allowed, since it was done. Raises OSError."""
