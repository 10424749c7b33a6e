"""The sha256 of weight files, remembered so that 90 MB are not hashed again at every start."""

import hashlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from .private_file import write_private

logger = logging.getLogger(__name__)

REMEMBERED = "weights.json"
_REMEMBERED_FILES_MAX = 32


def weights_digest(files: Sequence[Path], cache_dir: Path) -> str:
    """Return the sha256 (hex) of one file, or of the names and digests of several, in the order given.

    A file is hashed again only when its real path, size or modification time is new to `cache_dir/weights.json`. Raises
    OSError when a file cannot be read.
    """
    known = _remembered(cache_dir)
    digests = {file.name: _file_digest(file, known) for file in files}
    _remember(cache_dir, known)
    if len(digests) == 1:
        return next(iter(digests.values()))
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def _file_digest(file: Path, known: dict[str, str]) -> str:
    real = file.resolve()
    state = real.stat()
    key = f"{state.st_size} {state.st_mtime_ns} {real}"
    if key not in known:
        with real.open("rb") as stream:
            known[key] = hashlib.file_digest(stream, "sha256").hexdigest()
    return known[key]


def _remembered(cache_dir: Path) -> dict[str, str]:
    """Return the content of `weights.json`; empty when it is missing or not as written."""
    try:
        found = json.loads((cache_dir / REMEMBERED).read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {key: value for key, value in found.items() if isinstance(value, str) and len(value) == 64}


def _remember(cache_dir: Path, known: dict[str, str]) -> None:
    if known == _remembered(cache_dir):
        return
    newest = dict(list(known.items())[-_REMEMBERED_FILES_MAX:])
    try:
        write_private(cache_dir / REMEMBERED, json.dumps(newest, indent=1).encode())
    except OSError as problem:  # only costs hashing again at the next start
        logger.warning("could not remember the digest of a model: %s", problem)
