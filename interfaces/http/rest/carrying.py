"""Export, import and backups: the whole of what a caller may touch, in and out of the store."""

import asyncio
import logging
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from pathlib import Path

from ....modules.backup.models import Backup
from ....modules.errors import InvalidInput, PermissionDenied, StorageRefused
from ....modules.records import dataclass
from .operations import CHUNK_BYTES, OperationRequest, Stream

NDJSON = "application/x-ndjson"
MAX_IMPORT_BYTES = 256 * 2**20
log = logging.getLogger(__name__)

_EXPORT, _IMPORT, UPLOAD = ".export-", ".import-", ".upload-"


@dataclass(frozen=True)
class BackupView:
    """A backup by its name in the home's folder of backups; `problem` says why it cannot be used."""

    name: str
    created_at: datetime
    bytes: int
    memories: int | None
    problem: str | None


@dataclass(frozen=True)
class Backups:
    """All backups, the newest first."""

    results: tuple[BackupView, ...]


@dataclass(frozen=True)
class ImportReport:
    """Rows by table that are new, that were known, and that had to be left out; those that held secrets.

    `signature` says what the bundle's signature is worth here; it is empty for a bundle without seal and signature.
    """

    new: Mapping[str, int]
    known: Mapping[str, int]
    left_out: Mapping[str, int]
    redacted: Mapping[str, int]
    contested: tuple[str, ...]
    signature: str
    dry_run: bool


def sweep(home: Path) -> None:
    """Remove what a killed process left on its way. Blocks; only who owns the home may call it."""
    for folder in [one for kind in (_EXPORT, _IMPORT, UPLOAD) for one in home.glob(f"{kind}*")]:
        shutil.rmtree(folder, ignore_errors=True)  # what is no folder of ours keeps nobody from serving
        if folder.exists():
            log.warning("%s in the home was left by a killed process, and cannot be removed", folder.name)


async def export_bundle(asked: OperationRequest, *, namespace: str | None = None) -> Stream:
    """Export what the caller may read, or one namespace, as lines of JSON: a bundle that import takes."""
    if namespace is not None:
        wanted: list[str] | None = [asked.caller.reading(namespace, "namespace")]
    else:
        wanted = None if asked.caller.namespaces is None else list(asked.caller.namespaces)
    agentos = await asked.agentos()
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix=_EXPORT, dir=asked.behind.home)
    path = Path(folder.name) / "bundle.jsonl"
    try:
        await agentos.portability.export(path, wanted)
    except BaseException:
        await asyncio.to_thread(folder.cleanup)
        raise
    return Stream(_chunks(path, folder), NDJSON)


async def _chunks(path: Path, folder: "tempfile.TemporaryDirectory[str]") -> AsyncIterator[bytes]:
    try:
        with await asyncio.to_thread(path.open, "rb") as file:
            while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
                yield chunk
    finally:
        await asyncio.to_thread(folder.cleanup)


async def import_bundle(asked: OperationRequest, *, dry_run: bool = False) -> ImportReport:
    """Import a bundle, the body of the request, without the secrets in it. A dry run only reports. Idempotent."""
    if asked.caller.namespaces is not None:
        raise PermissionDenied(
            "a bundle may contain any namespace, so only a key with access to all of them can import"
        )
    agentos = await asked.agentos()
    with tempfile.TemporaryDirectory(prefix=_IMPORT, dir=asked.behind.home) as folder:
        path = Path(folder) / "bundle.jsonl"
        await _receive(asked, path)
        try:
            done = await agentos.portability.import_bundle(path, dry_run=dry_run)
        except InvalidInput as error:
            raise InvalidInput("body", _without(path, str(error).removeprefix(f"{error.field}: "))) from error
        except StorageRefused as error:
            raise StorageRefused(_without(path, str(error))) from error
    return ImportReport(done.new, done.known, done.left_out, done.redacted, done.contested, done.signature, dry_run)


def _without(path: Path, message: str) -> str:
    """Return a message about a temporary file as one about the request body."""
    return message.replace(str(path), "the body")


async def _receive(asked: OperationRequest, path: Path) -> None:
    with await asyncio.to_thread(path.open, "wb") as file:
        async for part in asked.body():
            await asyncio.to_thread(file.write, part)


async def list_backups(asked: OperationRequest) -> Backups:
    """List backups, the newest first."""
    agentos = await asked.agentos()
    await agentos.principals.require_all(asked.caller, "a backup")
    return Backups(tuple(map(_backup, await agentos.backups.all())))


async def make_backup(asked: OperationRequest) -> BackupView:
    """Make a verified backup of this moment, in the home's folder of backups."""
    agentos = await asked.agentos()
    await agentos.principals.require_all(asked.caller, "a backup")
    return _backup(await agentos.backups.make())


def _backup(backup: Backup) -> BackupView:
    return BackupView(backup.name, backup.created_at, backup.bytes, backup.memories, backup.problem)
