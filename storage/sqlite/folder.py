"""The home folder: private to its owner, on a local disk, never the working directory by accident."""

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from ...modules.errors import StorageRefused, StorageUnavailable
from ...modules.system import users
from ...modules.system.files import is_on_read_only_system, mount_table

NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "fuse.sshfs", "fuse.rclone", "glusterfs", "ceph", "lustre"}
)
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
ROOM_BYTES = 128 * 1024
_COPY = """
import shutil, sys
try:
    shutil.copyfile(*sys.argv[1:])
except OSError as error:
    sys.exit(error.errno or 1)
"""


def prepare(home: Path, *, allow_network: bool = False, remedy: str = "run: chmod 700 {folder}") -> None:
    """Create the home folder, or check the existing one; `remedy` is for one that others can write to.

    Raises StorageRefused when others can write to it, when it is not the user's, when it is no folder, or when it lies
    on a network file system, where SQLite's locks do not hold; StorageUnavailable when it cannot be created.
    """
    try:
        home.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        status = home.stat()
    except OSError as error:
        raise StorageUnavailable(
            f"the data folder {home} cannot be used ({error.strerror}); make it writable or set AGENTOS_HOME"
        ) from error
    if not stat.S_ISDIR(status.st_mode):
        raise StorageRefused(f"AGENTOS_HOME {home} is not a folder")
    if users.HAS_MODES:
        _check_owner(home, status, remedy.format(folder=home))
        _check_file_system(home, allow_network)


def _check_owner(home: Path, status: os.stat_result, remedy: str) -> None:
    if not users.owns(status) and not users.is_root():
        raise StorageRefused(f"the data folder {home} belongs to another user; set AGENTOS_HOME to one of yours")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StorageRefused(f"others can write to the data folder {home}; {remedy}")


def prepare_both(home: Path, database: Path, *, allow_network: bool = False) -> None:
    """Prepare the home, and the folder of a database that lies elsewhere. Raises as `prepare` does."""
    prepare(home, allow_network=allow_network)
    if database.parent != home:
        # It may be a folder like /tmp: others' access must not be removed.
        prepare(database.parent, allow_network=allow_network, remedy="put the database into a folder of its own")


def _check_file_system(home: Path, allow_network: bool) -> None:
    kind = file_system(home)
    if kind in NETWORK_FILE_SYSTEMS and not allow_network:
        raise StorageRefused(
            f"the data folder {home} is on a network file system ({kind}), where locks do not work; "
            "set AGENTOS_HOME to a local disk"
        )


def file_system(path: Path) -> str | None:
    """Return the type of the file system that holds `path`, from the kernel's mount table; None where unknown."""
    best, kind = "", None
    target = str(path.resolve())
    for line in (mount_table() or "").splitlines():
        fields, _, rest = line.partition(" - ")
        mount_point = fields.split()[4].replace("\\040", " ")
        inside = target == mount_point or target.startswith(mount_point.rstrip("/") + "/")
        if inside and len(mount_point) >= len(best):
            best, kind = mount_point, rest.split()[0]
    return kind


def make_private(path: Path) -> None:
    """Create a file that only its owner can read, or remove others' rights from an existing one.

    An existing one is not opened: it may be a database whose locks this process would lose at closing it.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE_FILE))
    except FileExistsError:
        if users.HAS_MODES and stat.S_IMODE(path.stat().st_mode) != PRIVATE_FILE:
            path.chmod(PRIVATE_FILE)


def copy_apart(source: Path, target: Path) -> None:
    """Copy a database or its log to an existing file, in a process of its own, as `make_private` says why.

    Blocks. Raises OSError.
    """
    command = [sys.executable, "-I", "-S", "-c", _COPY, str(source), str(target)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        number = done.returncode if done.returncode in errno.errorcode else errno.EIO
        raise OSError(number, os.strerror(number), str(source))


def sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk, so that they outlast a power loss."""
    if os.name != "posix" and path.is_dir():
        return  # Windows cannot open a folder, and its renames are durable
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def has_room(path: Path) -> bool:
    """Return whether the folder's file system has room for the files that SQLite needs to write."""
    return shutil.disk_usage(path).free >= ROOM_BYTES


def cannot_write(database: Path) -> str | None:
    """Return why nothing can be written to a database and its folder; None when it can be tried."""
    for path in (database.parent, database):
        if path.exists() and not os.access(path, os.W_OK):
            reason = "its file system is" if is_on_read_only_system(path) else f"no right to write to {path}"
            return f"read-only ({reason})"
    return None
