"""Revoked keys of the gateway: those that its file no longer has, which counts at once, not from the next start."""

import asyncio
import logging
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path

from ....modules import foreign_files
from .configuration import FILE, MAX_BYTES, Configuration

FRESH_S = 0.5
"""How long what the file says is taken as it was."""
_MISSED_OFTEN = 2
"""How often in a row no file must be found to count: while it is written anew, it is absent or empty for a moment."""

log = logging.getLogger(__name__)


class Revocation:
    """Follows the gateway's file for keys that are taken away; added ones count from the next start."""

    def __init__(self, home: Path, configuration: Configuration) -> None:
        self._home = home
        self._keys = {one.name: one.key.get_secret_value() for one in configuration.keys}
        self._names = frozenset(self._keys)
        self._read_at = -FRESH_S
        self._missed = 0

    async def has_taken(self, name: str) -> bool:
        """Return whether a key of the start is no longer in the file, as read last where it cannot be read."""
        if time.monotonic() - self._read_at >= FRESH_S:
            self._read_at = time.monotonic()
            self._names = await asyncio.to_thread(self._still_there)
        return name not in self._names

    async def taken(self, name: str) -> None:
        """Return as soon as a key of the start is no longer in the file."""
        while not await self.has_taken(name):  # noqa: ASYNC110 - it is a file that changes
            await asyncio.sleep(FRESH_S)

    def _still_there(self) -> frozenset[str]:
        try:
            found = _keys(self._home)
        except (OSError, ValueError) as error:
            log.warning("the gateway goes on with the keys that it knows: %s: %s", FILE, error)
            return self._names
        self._missed = self._missed + 1 if found is None else 0
        if 0 < self._missed < _MISSED_OFTEN:
            return self._names
        return frozenset(name for name, key in self._keys.items() if (found or {}).get(name) == key)


def _keys(home: Path) -> Mapping[str, object] | None:
    """Return the keys in the file by their names, whatever else is wrong with it; None where it is absent or empty.

    Raises OSError or ValueError.
    """
    try:
        content = tomllib.loads(foreign_files.read(home / FILE, MAX_BYTES, home).decode("utf-8"))
    except FileNotFoundError:
        return None
    entries = content.get("keys", [])
    if not isinstance(entries, list):
        raise ValueError("keys is not a list of tables")
    return {str(one.get("name")): one.get("key") for one in entries if isinstance(one, dict)} if content else None
