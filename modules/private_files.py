"""Files of our own, made so that nobody else can read them, and never through a name that somebody put there first."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .system import users
from .system.files import AS_BYTES, CLOSED_IN_CHILDREN, NO_LINK, NO_WAITING

PRIVATE_FILE = 0o600
_AS_IT_IS = NO_LINK | CLOSED_IN_CHILDREN | NO_WAITING
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK | CLOSED_IN_CHILDREN


def create(path: Path) -> BinaryIO:
    """Create a private file, to be written. Raises FileExistsError where there is anything of that name, a link too."""
    return os.fdopen(os.open(path, _NEW | AS_BYTES, PRIVATE_FILE), "w+b")


@contextmanager
def appearing(path: Path) -> Iterator[BinaryIO]:
    """Yield a new private file that gets its name when all of it is written and durable, and only then.

    Until then it has a name that nobody can guess. Raises FileExistsError where there is one of that name, OSError.
    """
    import tempfile  # which hooks need not load

    if os.path.lexists(path):
        raise FileExistsError(None, "it already exists", str(path))
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(unfinished, path, follow_symlinks=False)  # never in the place of what came meanwhile
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):  # a file system without second names
            if os.path.lexists(path):
                raise FileExistsError(None, "it already exists", str(path)) from None
            os.rename(unfinished, path)
    finally:
        Path(unfinished).unlink(missing_ok=True)


def others_can_read(path: Path) -> bool:
    """Return whether a file's mode lets anybody but its owner read or write it. Raises OSError."""
    return users.HAS_MODES and bool(path.stat().st_mode & 0o077)


def strangers_can_read(path: Path) -> bool:
    """Return whether others can read a file that its group may read, if we or root own it. Raises OSError."""
    if not users.HAS_MODES:
        return False
    status = path.stat()
    return bool(status.st_mode & (0o037 if users.owns_or_root_does(status) else 0o077))


def open_own(path: Path, flags: int) -> int:
    """Open or create an own file; return its descriptor.

    Raises OSError, also for a link, a file with other names, and one that neither we nor root own. A pipe of that name
    is not waited for.
    """
    descriptor = os.open(path, flags | _AS_IT_IS, PRIVATE_FILE)
    try:
        status = os.fstat(descriptor)
        if users.HAS_MODES and (not users.owns_or_root_does(status) or status.st_nlink > 1):
            raise PermissionError(None, "it is accessible to other users", str(path))
        return descriptor
    except BaseException:
        os.close(descriptor)
        raise
