"""Reading of AgentOS's own `.env` files: bounded, and only out of folders that nobody else can write."""

import io
import os
import stat
from collections.abc import Collection
from pathlib import Path

from dotenv import dotenv_values

PREFIX = "AGENTOS_"
MAX_ENV_BYTES = 64 * 1024
UNPREFIXED = frozenset(
    {
        *("DATABASE_URL", "CHROMA_PERSIST_DIR", "EMBEDDING_MODEL", "MEMORY_DECAY_RATE"),
        *("REFLECTION_LOOKBACK_DAYS", "PATTERN_MIN_FREQUENCY", "LOG_LEVEL"),
    }
)


class SettingsError(ValueError):
    """A setting is not acceptable; the message names it."""


def is_private_folder(home: Path) -> bool:
    """Return whether nobody else can have put an env file into a home, as far as its folder's permissions tell."""
    try:
        status = home.stat()
    except OSError:
        return True
    if os.name != "posix":
        return True
    is_ours = status.st_uid == os.getuid() or os.getuid() == 0
    return is_ours and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def is_there(path: Path) -> bool:
    """Return whether there is such a file; False in a folder closed to us: whoever opens that folder reports it."""
    try:
        return path.is_file()
    except PermissionError:
        return False


def read(path: Path, known: Collection[str]) -> dict[str, str]:
    """Return the settings in an env file by their names, those alone that are `known`. Raises SettingsError."""
    if not is_there(path):
        return {}
    try:
        with path.open("rb") as file:
            content = file.read(MAX_ENV_BYTES + 1)
        if len(content) > MAX_ENV_BYTES:
            raise SettingsError(f"the env file {path} is larger than {MAX_ENV_BYTES >> 10} KiB")
        lines = dotenv_values(stream=io.StringIO(content.decode()), interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the env file {path} cannot be read: {error}") from error
    values: dict[str, str] = {}
    for name, value in lines.items():
        if value is None:
            continue
        if name in UNPREFIXED:
            values.setdefault(name.lower(), value)
        elif name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() in known:
            values[name.removeprefix(PREFIX).lower()] = value
    return values
