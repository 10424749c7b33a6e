"""Looks at a store's newest memories: for secrets, and for the languages that its judge can read."""

from collections.abc import Callable

from ...modules.health.models import Check
from . import languages, secrets
from .overview import Reader

Looks = Callable[[Reader, tuple[str, ...]], list[Check]]
"""Returns the checks by a reader, which need others."""


def looks(*, at_secrets: bool, at_languages: bool) -> Looks:
    """Return what looks as the settings want it."""
    wanted = [
        *([secrets.checks] if at_secrets else []),
        *([languages.checks] if at_languages else []),
    ]
    return lambda reader, needs: [check for part in wanted for check in part(reader, needs)]
