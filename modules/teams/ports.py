"""The port of teams."""

from typing import Protocol

from .manifest import Applied


class TeamRepository(Protocol):
    """The manifests that were applied to a store."""

    async def applied_everywhere(self) -> list[Applied]:
        """Return the newest edition of each, by id."""

    async def note_everywhere(self, applied: Applied, noted_in: str) -> None:
        """Note an edition in the place of the one before, with its entry in the audit log of a namespace.

        Raises Conflict where a newer one was noted meanwhile.
        """
