"""The registry of keys as a private file of a home; a change is whole or not at all, and one at a time."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..errors import InvalidInput, StorageRefused, StorageUnavailable
from .registry import Registry

FILE = "trusted-keys.json"
LONGEST_FILE = 16 * 1024 * 1024
LOCK_WAIT_S = 10


def read(home: Path) -> Registry:
    """Return the registry of a home, empty where there is none. Raises StorageRefused for a damaged file."""
    path = home / FILE
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_FILE + 1)
    except FileNotFoundError:
        return Registry()
    except OSError as error:
        raise StorageUnavailable(f"{path}: {error.strerror or error}") from error
    try:
        return Registry.of(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, InvalidInput) as error:
        raise StorageRefused(
            f"{path} is damaged ({error}): restore it, or move it away and pin the keys again"
        ) from error


def change(home: Path, by: Callable[[Registry], Registry]) -> Registry:
    """Keep the registry as a function returns it from what is kept; return it. Raises what the function raises."""
    from filelock import FileLock, Timeout

    path = home / FILE
    try:
        with FileLock(f"{path}.lock", timeout=LOCK_WAIT_S, mode=0o600):
            changed = by(read(home))
            text = json.dumps(changed.as_document(), ensure_ascii=False, indent=1)
            descriptor, unfinished = tempfile.mkstemp(dir=home, prefix=f".{FILE}.")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(text.encode())
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(unfinished, path)
            finally:
                Path(unfinished).unlink(missing_ok=True)
            return changed
    except Timeout as error:
        raise StorageUnavailable(f"{path} is being changed by another program; try again") from error
    except OSError as error:
        raise StorageUnavailable(f"{path}: {error.strerror or error}") from error
