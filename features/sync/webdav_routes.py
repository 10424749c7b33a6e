"""WebDAV (RFC 4918) as far as sync needs it, below /sync/NAMESPACE: devices carry their ciphertext through this server.

A key that may write to a namespace may read, write and remove what is carried for it.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote
from xml.sax.saxutils import escape

from starlette.routing import BaseRoute

from ...config import Settings
from ...interfaces.http.auth import WEBDAV
from ...interfaces.http.mounting import Mount
from ...interfaces.http.policy import CurrentPolicy
from ...interfaces.http.problems import RETRY_AFTER_S, Problem
from ...interfaces.http.rest.carrying import UPLOAD
from ...interfaces.http.rest.operations import ANY_FILE, CHUNK_BYTES, Behind, OfFunction, OperationRequest, Stream
from ...interfaces.http.rest.resource import resources
from ...interfaces.http.rest.route import Route
from ...modules import private_files
from ...modules.errors import PermissionDenied, QuotaExceeded
from ...modules.principals.models import Role
from .carried import CarriedEntry, CarriedFiles
from .segments import LONGEST

XML = "application/xml"
METHODS = "OPTIONS, GET, PUT, DELETE, MKCOL, PROPFIND"
LISTED_AT_ONCE = 500
INSUFFICIENT_STORAGE = 507
"""What clients of WebDAV know as full."""


class WebDav:
    """What each method does to what is carried."""

    def __init__(self, carried: Callable[[], CarriedFiles], policy: CurrentPolicy) -> None:
        self._carried = carried
        self._policy = policy

    def table(self) -> list[tuple[Route, OfFunction]]:
        """Return the routes with what they do."""
        does: Mapping[str, tuple[Callable[..., Any], int]] = {
            "OPTIONS": (self.options, 200),
            "GET": (self.get, 200),
            "PUT": (self.put, 201),
            "DELETE": (self.delete, 200),
            "MKCOL": (self.mkcol, 201),
            "PROPFIND": (self.propfind, 207),
        }
        return [
            (Route(method, path, run, status), run)
            for method, (work, status) in does.items()
            for run in [OfFunction(work, Role.WRITER, takes_body=ANY_FILE)]
            for path in ("{namespace}", "{namespace}/{path:path}")
        ]

    async def options(self, asked: OperationRequest, *, namespace: str, path: str = "") -> Stream:
        """Say what can be done here."""
        asked.caller.writing(namespace, "namespace")
        return Stream(_said(b""), ANY_FILE, {"dav": "1", "allow": METHODS, "content-length": "0"})

    async def get(self, asked: OperationRequest, *, namespace: str, path: str = "") -> Stream:
        """Give a file."""
        place = asked.caller.writing(namespace, "namespace")
        file, size = await asyncio.to_thread(self._carried().open, place, path)
        return Stream(_chunks(file), ANY_FILE, {"content-length": str(size)})

    async def put(self, asked: OperationRequest, *, namespace: str, path: str = "") -> dict[str, str]:
        """Keep a file, the body of the request, in the place of one that is there. Half of it is never seen."""
        place = asked.caller.writing(namespace, "namespace")
        carried = self._carried()
        most = carried.most(path)
        if asked.behind.uploads.locked():
            raise Problem("overloaded", "many files are being sent just now", retry_after=str(RETRY_AFTER_S))
        async with asked.behind.uploads:
            try:
                folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix=UPLOAD, dir=asked.behind.home)
                try:
                    file = Path(folder.name) / "file"
                    await _receive(asked, file, most)
                    await asyncio.to_thread(carried.keep, file, place, path)
                finally:
                    await asyncio.to_thread(folder.cleanup)
            except QuotaExceeded as error:
                raise _full(str(error)) from error
            except OSError as error:
                raise _full(f"it cannot be kept here: {error.strerror or error}") from error
        return {}

    async def delete(self, asked: OperationRequest, *, namespace: str, path: str = "") -> dict[str, str]:
        """Remove a file."""
        place = asked.caller.writing(namespace, "namespace")
        await asyncio.to_thread(self._carried().remove, place, path)
        return {}

    async def mkcol(self, asked: OperationRequest, *, namespace: str, path: str = "") -> dict[str, str]:
        """Make a folder."""
        place = asked.caller.writing(namespace, "namespace")
        try:
            is_new = await asyncio.to_thread(self._carried().make_folder, place, path) if path else False
        except QuotaExceeded as error:
            raise _full(str(error)) from error
        if not is_new:
            raise Problem("method_not_allowed", "the folder is there already", allow=METHODS)
        return {}

    async def propfind(self, asked: OperationRequest, *, namespace: str, path: str = "") -> Stream:
        """List a folder with what is in it, or with a depth of 0 what is at a path alone."""
        place = asked.caller.writing(namespace, "namespace")
        depth = asked.headers.get("depth", "infinity")
        if depth not in ("0", "1"):
            raise Problem("permission_denied", "the Depth must be 0 or 1")
        carried = self._carried()
        entry = await asyncio.to_thread(carried.entry, place, path)
        within = await asyncio.to_thread(carried.entries, place, path) if entry.is_folder and depth == "1" else ()
        at = f"{self._policy.value.base_path}{WEBDAV}{quote(namespace, safe='')}/{quote(path.strip('/'))}".rstrip("/")
        return Stream(_listed(at, entry, [*within]), XML, status=207)


def mounted(settings: Settings) -> Mount | None:
    """Return what carries files for others' sync; None where the settings want none of it."""
    if not settings.http_sync_mib:
        return None
    carried = cache(lambda: CarriedFiles(settings.home / "sync", settings.http_sync_mib << 20))
    return Mount(partial(_routes, carried), partial(_routes, _carries_nothing), WEBDAV, LONGEST)


def _routes(carried: Callable[[], CarriedFiles], behind: Behind, policy: CurrentPolicy) -> list[BaseRoute]:
    return resources(WebDav(carried, policy).table(), behind, prefix=WEBDAV)


def _carries_nothing() -> CarriedFiles:
    raise PermissionDenied(
        "this server carries sync for its own store alone: sync through a folder, or WebDAV elsewhere"
    )


def _full(why: str) -> Problem:
    problem = Problem(QuotaExceeded.code, why)
    problem.status = INSUFFICIENT_STORAGE
    return problem


async def _receive(asked: OperationRequest, path: Path, most: int) -> None:
    size = 0
    with await asyncio.to_thread(private_files.create, path) as file:
        async for part in asked.body():
            size += len(part)
            if size > most:
                raise Problem("too_large", f"this file may have {most} bytes", connection="close")
            await asyncio.to_thread(file.write, part)
        await asyncio.to_thread(file.flush)
        await asyncio.to_thread(os.fsync, file.fileno())


async def _said(text: bytes) -> AsyncIterator[bytes]:
    yield text


async def _chunks(file: BinaryIO) -> AsyncIterator[bytes]:
    try:
        while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield chunk
    finally:
        await asyncio.to_thread(file.close)


async def _listed(at: str, entry: CarriedEntry, within: list[CarriedEntry]) -> AsyncIterator[bytes]:
    yield b'<?xml version="1.0" encoding="utf-8"?>\n<multistatus xmlns="DAV:">\n'
    yield _response(at, entry)
    for start in range(0, len(within), LISTED_AT_ONCE):
        some = within[start : start + LISTED_AT_ONCE]
        yield b"".join(_response(f"{at}/{quote(one.name, safe='')}", one) for one in some)
    yield b"</multistatus>\n"


def _response(at: str, entry: CarriedEntry) -> bytes:
    kind = "<collection/>" if entry.is_folder else ""
    size = "" if entry.is_folder else f"<getcontentlength>{entry.size}</getcontentlength>"
    return (
        f"<response><href>{escape(at)}{'/' if entry.is_folder else ''}</href><propstat><prop><resourcetype>{kind}"
        f"</resourcetype>{size}</prop><status>HTTP/1.1 200 OK</status></propstat></response>\n"
    ).encode()
