"""Reading of AgentOS's own `.env` files: bounded, and only out of folders that nobody else can write."""

import io
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from .modules.system import users

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


_PLAIN = {
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number, such as 20"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number, such as 0.5"),
    "ip_any_network": "must be an address or a network, such as 10.0.0.0/8",
    "missing": "is missing",
    "too_long": "has too many entries",
}
"""What is wrong with a value, in other words than pydantic's."""


def said(problem: Mapping[str, Any]) -> str:
    """Return what pydantic found wrong with a setting, as a sentence about it."""
    message = str(problem["msg"]).removeprefix("Value error, ").replace("Input should be", "must be")
    return _PLAIN.get(problem["type"]) or message.replace("String should match pattern", "must match the pattern")


def is_private_folder(home: Path) -> bool:
    """Return whether nobody else can have put an env file into a home, as far as its folder's permissions tell."""
    try:
        status = home.stat()
    except OSError:
        return True
    return users.is_closed_to_others(status)


def is_there(path: Path) -> bool:
    """Return whether there is such a file; False in a folder closed to us: whoever opens that folder reports it."""
    try:
        return path.is_file()
    except PermissionError:
        return False


def lines_of(path: Path) -> tuple[Mapping[str, str | None], int]:
    """Return the variables in an env file, and its mode; none where there is no such file. Raises SettingsError."""
    if not is_there(path):
        return {}, 0
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(MAX_ENV_BYTES + 1)
        if len(content) > MAX_ENV_BYTES:
            raise SettingsError(f"the env file {path} is larger than {MAX_ENV_BYTES >> 10} KiB")
        return dotenv_values(stream=io.StringIO(content.decode()), interpolate=False), mode
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the env file {path} cannot be read: {error}") from error


def read(path: Path, known: Mapping[str, FieldInfo]) -> dict[str, str]:
    """Return the settings in an env file by their names, those alone that are `known`.

    Raises SettingsError, also for one with a secret that others can read.
    """
    lines, mode = lines_of(path)
    values: dict[str, str] = {}
    for name, value in lines.items():
        if value is None:
            continue
        if name in UNPREFIXED:
            values.setdefault(name.lower(), value)
        elif name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() in known:
            values[name.removeprefix(PREFIX).lower()] = value
    secret = next((name for name, value in values.items() if value and _is_secret(known.get(name), value)), None)
    if secret is not None and os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingsError(
            f"{PREFIX}{secret.upper()} is in {path}, which others can read ({mode & 0o777:04o}): chmod 600 '{path}', "
            "and replace it if it may have been read"
        )
    return values


def _is_secret(field: FieldInfo | None, value: str) -> bool:
    """Return whether a setting is a secret, or an address with a password in it."""
    is_secret = field is not None and field.annotation is SecretStr
    return is_secret or re.match(r"[\w+.-]{1,40}://[^/\s]{0,500}:[^/\s]{1,500}@", value) is not None
