"""What carries the files of a group from device to device: a folder of this machine, or a server that speaks WebDAV."""

from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from ...modules.errors import InvalidInput
from ...storage.outside import is_local
from .local import LocalFolder
from .webdav import Login, WebDav


class Carrier(Protocol):
    """Files below one place, by the names on the way to them. All calls block; each raises StorageUnavailable."""

    @property
    def place(self) -> str:
        """What it is called in messages."""

    @property
    def if_missing(self) -> str:
        """What to do where nothing of a group is there."""

    def read(self, *names: str, most: int) -> bytes | None:
        """Return the beginning of a file; None where there is none."""

    def write(self, text: bytes, *names: str) -> None:
        """Write a file, with the folders that it is in."""

    def names(self, *names: str) -> list[str]:
        """Return what is in a folder, in order, but for hidden files; nothing where there is none."""

    def remove(self, *names: str) -> None:
        """Remove a file, if it is there."""

    def close(self) -> None:
        """Close what is kept open between calls."""


def opened(where: str, login: Login) -> Carrier:
    """Return what carries at a place that was `usable`."""
    return WebDav(where, login) if is_address(where) else LocalFolder(Path(where))


def usable(where: str, home: Path) -> str:
    """Return a place that a group can be in, as it is kept. Blocks. Raises InvalidInput."""
    if is_address(where):
        return _usable_address(where)
    path = Path(where)
    if not path.is_dir():
        raise InvalidInput("folder", f"{path} is no folder; create it, or mount it first")
    path = path.resolve()
    if path.is_relative_to(home.resolve()):
        raise InvalidInput("folder", "lies in the home of AgentOS: choose one that is carried to the other device")
    return str(path)


def is_address(where: str) -> bool:
    """Return whether a place is the address of a server, not a folder."""
    return "://" in where


def _usable_address(where: str) -> str:
    try:
        parts = urlsplit(where)
        sound = bool(parts.hostname) and parts.port != 0 and not parts.query and not parts.fragment
    except ValueError:
        sound = False
    if not sound or not (where.isascii() and where.isprintable()) or set(' "<>\\^`{|}') & {*where}:
        raise InvalidInput("address", "must be that of a folder on a WebDAV server, such as https://host/dav/notes")
    if parts.username is not None or parts.password is not None:
        wanted = "must hold no user or password, which would be kept and shown: set AGENTOS_SYNC_USER and _PASSWORD"
        raise InvalidInput("address", wanted)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(where)):
        raise InvalidInput("address", "must begin with https://, or be one of this machine: others could read along")
    return where.rstrip("/")
