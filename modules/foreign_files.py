"""Reading files that somebody else may have put there: regular ones alone, bounded, and none outside of a folder.

A pipe keeps its reader waiting, a device has no end, a link leads anywhere. What is refused is an OSError, whose
`strerror` says why.
"""

import codecs
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from .system.files import CLOSED_IN_CHILDREN, FOLDER, NO_LINK, NO_TERMINAL, NO_WAITING, composed_name

MiB = 1024 * 1024
MAX_FILES = 50_000
"""The most files that are looked at in a folder."""

_READ = os.O_RDONLY | CLOSED_IN_CHILDREN | NO_WAITING | NO_TERMINAL
_FOLDER = os.O_RDONLY | CLOSED_IN_CHILDREN | FOLDER


class Unfit(OSError):
    """Raised for an existing file that must not be read."""

    def __init__(self, why: str, path: Path) -> None:
        super().__init__(None, why, str(path))


def opened(path: Path, *, most: int | None = None, below: Path | None = None) -> BinaryIO:
    """Open a regular file of at most `most` bytes for reading; with `below`, one that really lies in that folder.

    A link within the folder may lead to another file in it. Raises OSError.
    """
    descriptor = _descriptor(path) if below is None else _descriptor_below(path, below)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unfit("it is not a regular file", path)
        if most is not None and status.st_size > most:
            raise _too_large(path, most)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read(path: Path, most: int, below: Path | None = None) -> bytes:
    """Return all of a regular file of at most `most` bytes. Raises OSError."""
    with opened(path, most=most, below=below) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise _too_large(path, most)
    return data


def text(path: Path, most: int, below: Path | None = None) -> str:
    """Return the text of a file, without a byte order mark. Raises OSError, also for an unknown encoding."""
    try:
        return decoded(read(path, most, below))
    except UnicodeError as error:
        raise Unfit(str(error), path) from error


def decoded(data: bytes) -> str:
    """Return bytes as text: UTF-8, UTF-16 and UTF-32 by their marks, or Windows-1252 where all reads as western text.

    Raises UnicodeError, which says what to do.
    """
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # one of them begins with a mark of UTF-16
        return data.decode("utf-32")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    if b"\0" in data:
        raise UnicodeError("it is not text: it contains NUL characters")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        found = data.decode("cp1252", errors="replace")
    foreign = [letter for letter in found if not letter.isascii()]
    letters = sum(letter.isalpha() for letter in found)
    if any(letter not in _WESTERN for letter in foreign) or _RARE * len(foreign) > letters:
        raise UnicodeError("its encoding is unknown: convert it to UTF-8")
    return found


_WESTERN = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿŒœŠšŽžŸ€‚„…‘’“”•–—«»¡¿°§£©®º\u00a0")
_RARE = 4
"""In a western text at most one letter of so many is not ASCII."""


def lines(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Yield the lines of a file, which end with U+000A and with nothing else.

    Raises Unfit for one of more than `most` bytes.
    """
    number = 0
    while line := file.readline(most + 1):
        number += 1
        if len(line) > most:
            raise Unfit(f"line {number} is longer than {most // MiB} MiB", Path(str(file.name)))
        yield line.removesuffix(b"\n")


def files_below(folder: Path, suffix: str) -> list[Path]:
    """Return the files with an ending below a folder, in capitals or not, in order, MAX_FILES at most.

    Hidden folders and links to folders are left out, as are files that are not regular or lie elsewhere.
    """
    return sorted(islice((one for one in found_below(folder, suffix) if isinstance(one, Path)), MAX_FILES))


def found_below(folder: Path, *suffixes: str) -> Iterator[Path | Unfit]:
    """Yield the files with these endings below a folder, and what cannot be read there; hidden ones are left out.

    That is what has such an ending and is no regular file of the folder, a folder that cannot be listed or is a link
    that leads out, and a link that leads nowhere and may have been a folder.
    """
    unlisted: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=unlisted.append):  # follows no links
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(place, name) for name in folders):
            if path.is_symlink() and _leads_out(path, folder):
                yield Unfit("it is a link to a folder elsewhere", path)
        for path in (Path(composed_name(os.path.join(place, name))) for name in sorted(names) if name[0] != "."):
            if path.name.lower().endswith(suffixes):
                why = unfit(path, folder)
                yield Unfit(why, path) if why else path
            elif not path.suffix and path.is_symlink() and not os.path.exists(path):
                yield Unfit(unfit(path, folder), path)
    for error in unlisted:
        yield Unfit(error.strerror or str(error), Path(str(error.filename)))


def lies_in(path: Path, folder: Path) -> bool:
    """Return whether a path is a regular file that really lies in a folder."""
    return not unfit(path, folder)


def unfit(path: Path, folder: Path) -> str:
    """Return why a path is no regular file that really lies in a folder; "" where it is one."""
    try:
        if _leads_out(path, folder):
            return "it points outside its folder" if os.path.exists(path) else "it is a link that leads nowhere"
        return "" if stat.S_ISREG(path.stat().st_mode) else "it is not a regular file"
    except FileNotFoundError:
        return "it is a link that leads nowhere"
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)


def _leads_out(path: Path, folder: Path) -> bool:
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _descriptor(path: Path) -> int:
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a device may already do something
        raise Unfit("it is not a regular file", path)
    return os.open(path, _READ)


def _descriptor_below(path: Path, below: Path) -> int:
    """Open a file step by step from the folder, so that nobody can put a link in between. Raises OSError."""
    top, real = Path(os.path.realpath(below)), Path(os.path.realpath(path))
    if not real.is_relative_to(top) or real == top:
        raise Unfit("it points outside its folder", path)
    if os.open not in os.supports_dir_fd:
        return _descriptor(real)
    *folders, name = real.relative_to(top).parts
    place = os.open(top, _FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER | NO_LINK, dir_fd=place)
            os.close(place)
            place = inner
        if not stat.S_ISREG(os.stat(name, dir_fd=place, follow_symlinks=False).st_mode):
            raise Unfit("it is not a regular file", path)
        return os.open(name, _READ | NO_LINK, dir_fd=place)
    finally:
        os.close(place)


def _too_large(path: Path, most: int) -> Unfit:
    return Unfit(f"it is larger than {most // MiB} MiB" if most >= MiB else f"it is larger than {most} bytes", path)
