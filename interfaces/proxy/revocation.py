"""Revoked keys of the gateway: those that its file no longer has, which counts at once, not from the next start."""

import asyncio
import logging
import time
from pathlib import Path

from ...modules.errors import WrongSettings
from .configuration import Configuration, read

FRESH_S = 1.0
"""How long what the file says is taken as it was."""

log = logging.getLogger(__name__)


class Revocation:
    """Follows the gateway's file for keys that are taken away; added ones count from the next start."""

    def __init__(self, home: Path, configuration: Configuration) -> None:
        self._home = home
        self._keys = {one.name: one.key for one in configuration.keys}
        self._names = frozenset(self._keys)
        self._read_at = -FRESH_S

    async def has_taken(self, name: str) -> bool:
        """Return whether a key of the start is no longer in the file, as read last where it cannot be read."""
        if time.monotonic() - self._read_at >= FRESH_S:
            self._read_at = time.monotonic()
            self._names = await asyncio.to_thread(self._still_there)
        return name not in self._names

    def _still_there(self) -> frozenset[str]:
        try:
            keys = read(self._home).keys
        except WrongSettings as error:
            log.warning("the gateway goes on with the keys that it knows: %s", error)
            return self._names
        return frozenset(one.name for one in keys if self._keys.get(one.name) == one.key)
