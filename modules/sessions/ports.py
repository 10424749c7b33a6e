"""The port of sessions: what git knows of a folder."""

from typing import Protocol

from .models import Checkout


class CheckoutReader(Protocol):
    """Reads what git knows of a folder."""

    async def read(self, folder: str) -> Checkout:
        """Read what identifies the repository of a folder.

        Takes bounded time and never fails: what it cannot find out is None. Runs nothing that a repository configures.
        """
