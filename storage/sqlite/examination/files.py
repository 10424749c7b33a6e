"""Checks of the home folder: that it is there, private, on a local disk with room, and without leftovers."""

import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from ....modules.health.models import Check, Finding, Severity, info, ok
from ....modules.system import users
from ....modules.system.files import is_on_read_only_system
from ....modules.text.counting import counted
from .. import folder
from .subject import Subject

OTHERS = 0o077
OTHERS_WRITE = 0o022
LITTLE_SPACE_BYTES = 500 * 2**20
NO_SPACE_BYTES = 20 * 2**20
LEFT_AFTER_S = 3600.0
NAMED = 5


def checks(subject: Subject) -> list[Check]:
    """Return the checks of the home, in order."""
    return [
        Check("home.folder", lambda: look_at_folder(subject)),
        Check("home.files", lambda: look_at_modes(subject), ("home.folder",)),
        Check("home.file_system", lambda: look_at_file_system(subject), ("home.folder",)),
        Check("home.space", lambda: look_at_space(subject), ("home.folder",)),
        Check("home.writable", lambda: look_at_writing(subject), ("home.folder",)),
        Check("home.leftovers", lambda: look_for_leftovers(subject), ("home.folder",)),
    ]


def look_at_folder(subject: Subject) -> Finding:
    """Check that the folder exists, is ours, and closed to everybody else."""
    home = subject.home
    try:
        status = home.stat()
    except FileNotFoundError:
        message = f"there is no data yet: {home} is created at the first use"
        return Finding(Severity.INFO, message, details={"path": str(home)}, blocks=True)
    except OSError as error:
        message = f"the data folder {home} cannot be looked at: {error.strerror}"
        return Finding(Severity.ERROR, message, "set AGENTOS_HOME to your own folder", blocks=True)
    if not stat.S_ISDIR(status.st_mode):
        message = f"AGENTOS_HOME {home} is a file, not a folder"
        return Finding(Severity.ERROR, message, "set AGENTOS_HOME to a folder", blocks=True)
    mode = stat.S_IMODE(status.st_mode)
    details = {"path": str(home), "mode": f"{mode:04o}", "owner": status.st_uid}
    if not users.owns(status):
        message = f"the data folder {home} belongs to another user (uid {status.st_uid})"
        as_root = users.is_root()
        return Finding(
            Severity.WARNING if as_root else Severity.ERROR,
            message + ("; files that root creates in it are not usable by its owner" if as_root else ""),
            f"run agentos as uid {status.st_uid}, or set AGENTOS_HOME to your own folder",
            details,
            blocks=not as_root,
        )
    if mode & OTHERS:
        severity = Severity.ERROR if mode & OTHERS_WRITE else Severity.WARNING
        message = f"others can {'write to' if mode & OTHERS_WRITE else 'look into'} the data folder {home} ({mode:04o})"

        def close_it() -> str:
            home.chmod(folder.PRIVATE_FOLDER)
            return f"{home} is 0700 now"

        return Finding(severity, message, f"chmod 700 '{home}'", details, close_it)
    return ok(f"{home}, private to its owner", **details)


def look_at_modes(subject: Subject) -> Finding:
    """Check that every file is the owner's, and closed to everybody else."""
    owner = subject.home.stat().st_uid
    open_to_others: list[Path] = []
    of_others: list[Path] = []
    for path in _own_files(subject):
        try:
            status = path.lstat()
        except OSError:
            continue  # gone meanwhile
        if status.st_mode & OTHERS and not stat.S_ISLNK(status.st_mode):
            open_to_others.append(path)
        if status.st_uid != owner:
            of_others.append(path)
    if of_others:
        message = f"the data folder has {counted(len(of_others), 'file')} of another user: {_names(subject, of_others)}"
        details = {"files": [str(path) for path in of_others]}
        return Finding(Severity.WARNING, message, f"sudo chown -R {owner} '{subject.home}'", details)
    if open_to_others:
        message = f"open to others: {_names(subject, open_to_others)}"

        def close_them() -> str:
            for path in open_to_others:
                path.chmod(folder.PRIVATE_FOLDER if path.is_dir() else folder.PRIVATE_FILE)
            return f"{counted(len(open_to_others), 'file')} closed to others"

        details = {"files": [str(path) for path in open_to_others]}
        return Finding(Severity.WARNING, message, f"chmod -R go-rwx '{subject.home}'", details, close_them)
    return ok("only the owner can access the files")


def look_at_file_system(subject: Subject) -> Finding:
    """Check that the home is on a local disk: only there do locks hold."""
    kind = folder.file_system(subject.home)
    if kind not in folder.NETWORK_FILE_SYSTEMS:
        return ok(f"on a local disk ({kind or 'unknown file system'})", kind=kind)
    message = f"the data folder is on a network file system ({kind}), where locks may not hold"
    if subject.allow_network_home:
        return info(f"{message}; AGENTOS_ALLOW_NETWORK_HOME accepts that", kind=kind)
    return Finding(Severity.ERROR, message, "set AGENTOS_HOME to a folder on a local disk", {"kind": kind})


def look_at_space(subject: Subject) -> Finding:
    """Check that there is room for the next writes, and for a backup."""
    usage = shutil.disk_usage(subject.home)
    size = subject.database.stat().st_size if subject.database.exists() else 0
    details = {"free_bytes": usage.free, "database_bytes": size}
    free = f"{usage.free / 2**20:,.0f} MiB free"
    if usage.free < NO_SPACE_BYTES:
        return Finding(Severity.ERROR, f"the disk is full: {free}", f"free some space: df -h '{subject.home}'", details)
    if usage.free < max(LITTLE_SPACE_BYTES, 2 * size):
        message = f"little room on the disk: {free}, the database has {size / 2**20:,.0f} MiB"
        return Finding(Severity.WARNING, message, f"free some space: df -h '{subject.home}'", details)
    return ok(free, **details)


def look_at_writing(subject: Subject) -> Finding:
    """Check that the owner can write."""
    for path in (subject.home, subject.database.parent, subject.database):
        if not path.exists() or os.access(path, os.W_OK):
            continue
        if is_on_read_only_system(path):
            message, remedy = f"the file system of {path} is read-only", f"mount it for writing: findmnt -T '{path}'"
        else:
            message, remedy = f"there is no right to write to {path}", f"chmod u+rwX '{path}'"
        return Finding(Severity.ERROR, message, remedy, {"path": str(path)})
    return ok("it is writable")


def look_for_leftovers(subject: Subject) -> Finding:
    """Check that there are no temporary files of writes that were cut off."""
    before = time.time() - LEFT_AFTER_S
    left = [path for path in _temporary(subject) if path.lstat().st_mtime < before]
    if not left:
        return ok("no leftover files")

    def remove() -> str:
        for path in left:
            path.unlink(missing_ok=True)
        return f"{len(left)} temporary files removed"

    message = f"{len(left)} temporary files of writes that were cut off: {_names(subject, left)}"
    details = {"files": [str(path) for path in left]}
    return Finding(Severity.WARNING, message, "agentos doctor --repair", details, remove)


def _temporary(subject: Subject) -> Iterator[Path]:
    """Yield the files that `write_private`, a backup, a restore or the index writes before they get their name."""
    for place in (subject.home, subject.database.parent, subject.home / "models", subject.home / "logs"):
        if place.is_dir():
            yield from place.glob(".*.json.????????")
            yield from place.glob(".*.identity.????????")
    yield from (subject.home / "models").glob("*/.*.onnx.????????")
    yield from subject.backups.path.glob("*.partial*")
    yield from subject.backups.path.glob(".*.json.????????")
    yield from subject.database.parent.glob(f"{subject.database.name}.incoming*")
    yield from subject.chroma.glob("CURRENT.new")


def _own_files(subject: Subject) -> Iterator[Path]:
    """Yield every file of ours except those in the folders of the vector index, which are private as a whole."""
    for top, folders, names in os.walk(subject.home):
        folders[:] = [name for name in folders if not (Path(top) == subject.chroma and name.startswith("index-"))]
        yield from (Path(top, name) for name in [*folders, *names])
    if subject.database.parent != subject.home:
        yield from subject.database.parent.glob(f"{subject.database.name}*")


def _names(subject: Subject, paths: list[Path]) -> str:
    names = [os.path.relpath(path, subject.home) for path in paths[:NAMED]]
    return ", ".join(names) + (" …" if len(paths) > NAMED else "")
