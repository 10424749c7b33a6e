"""The server key: random bytes in a private file of the home, which the digests of secrets are made with."""

import os
from pathlib import Path

from ..modules import private_files
from ..modules.errors import StorageRefused, StorageUnavailable
from ..modules.principals.secrets import SERVER_KEY_BYTES

NAME = "server.key"


class ServerKeyFile:
    """Implements `modules.principals.ports.ServerKey`; it is no part of backups, so that they open nothing."""

    def __init__(self, home: Path) -> None:
        self._path = home / NAME

    def read(self) -> bytes:
        """Return the key, made at the first call. Blocks. Raises StorageUnavailable, StorageRefused."""
        try:
            if not self._path.exists():
                self._make()
            descriptor = private_files.open_own(self._path, os.O_RDONLY)
            with os.fdopen(descriptor, "rb") as file:
                key = file.read(SERVER_KEY_BYTES + 1)
        except OSError as error:
            raise StorageUnavailable(f"{self._path}: {error.strerror or error}; no key can be checked") from error
        if len(key) != SERVER_KEY_BYTES:
            raise StorageRefused(f"{self._path} is damaged: delete it, and create new keys: agentos keys create")
        return key

    def _make(self) -> None:
        try:
            with private_files.appearing(self._path) as file:
                file.write(os.urandom(SERVER_KEY_BYTES))
        except FileExistsError:
            pass  # another process made it meanwhile: that one counts
