"""The port of redaction: storage, looked through for secrets that came in before."""

from datetime import datetime
from typing import Protocol

from .models import Scrub


class ScrubRepository(Protocol):
    """Every text that is stored."""

    async def run(self, now: datetime, *, apply: bool) -> Scrub:
        """Look for secrets in every text; with `apply`, replace them with markers for good. Return what was found."""
