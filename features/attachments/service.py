"""The service of attachments: a file, and a memory of its caption, name and text, by which it is found.

The bytes are rows of the store, so that what holds for memories holds for them: encryption, backups, moves between
engines, one transaction a change, and erasure.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import PureWindowsPath

from ...modules import inputs
from ...modules.attaching import MOST_BYTES, Attached, Attachment, MiB
from ...modules.clock import Clock
from ...modules.errors import AgentOSError, InvalidInput, NotFound, StorageUnavailable
from ...modules.memory.models import Kind
from ...modules.memory.service import MemoryService
from ...modules.redactor import Redactor
from ...modules.store_request import StoreRequest
from ...modules.text.counting import bytes_counted
from ...storage.engine.ports import Engine
from ...storage.repositories.kept_files import KeptFiles
from . import kinds
from .extraction import TextReader
from .models import MOST_CHARS
from .rows import AttachmentRows

TAG = "attachment"
LONGEST_NAME, LONGEST_CAPTION_BYTES = 120, 2_000
FOR_CAPTION_BYTES = LONGEST_CAPTION_BYTES + 1_000
MOST_LISTED, FURTHEST = 200, 10_000_000
LOOKED_AT_CHARS, AGAIN_CHARS = 32_000, 4_000
"""How much of a text is looked at at once: patterns keep everybody waiting; and how much again, for what is cut."""


class AttachmentService:
    """Implements `modules.attaching.Attachments`."""

    def __init__(
        self, engine: Engine, memory: MemoryService, redactor: Redactor, max_content_bytes: int, clock: Clock
    ) -> None:
        self._rows = AttachmentRows(engine)
        self._files = KeptFiles(engine)
        self._memory = memory
        self._redactor = redactor
        self._text_bytes = max(max_content_bytes - FOR_CAPTION_BYTES, 0)
        self._reader = TextReader()
        self._clock = clock

    @classmethod
    def over(
        cls, engine: Engine, memory: MemoryService, redactor: Redactor, max_content_bytes: int, clock: Clock
    ) -> "AttachmentService":
        """Return the files of the store of an engine."""
        return cls(engine, memory, redactor, max_content_bytes, clock)

    async def attach(
        self,
        namespace: str,
        name: str,
        data: bytes,
        *,
        caption: str = "",
        source: str = "",
        tags: Sequence[str] = (),
        anyway: bool = False,
        by: str = "agent",
    ) -> Attached:
        name = await self._redactor.text(file_name(name))
        inputs.text("caption", caption, LONGEST_CAPTION_BYTES, allow_empty=True)
        if not data:
            raise InvalidInput("file", "is empty")
        if len(data) > MOST_BYTES:
            raise InvalidInput("file", f"is larger than {MOST_BYTES // MiB} MiB")
        await self._rows.require_room(namespace, len(data))
        media_type, content_hash = await asyncio.to_thread(_told, data)
        read = await self._reader.read(media_type, data)
        secrets = {} if anyway else await self._secrets(read.text)
        if secrets:
            found = ", ".join(f"{count} {kind}" for kind, count in secrets.items())
            raise InvalidInput(
                "file", f"seems to hold secrets ({found}), and no file is redacted: take them out, or set anyway"
            )
        text = read.text[:MOST_CHARS]
        stored = await self._memory.store(
            namespace, self._request(name, media_type, len(data), caption, text, source, tags), by=by
        )
        attachment = Attachment(stored.memory.id, content_hash, name, media_type, len(data), self._clock())
        try:
            is_new = await self._rows.add(namespace, attachment, data, self._clock())
        except AgentOSError:
            if not stored.duplicate:
                await self._memory.delete(namespace, stored.memory.id, by=by)
            raise
        return Attached(attachment, is_new, len(text), read.problem)

    async def _secrets(self, text: str) -> Mapping[str, int]:
        """Return the first secrets of a text, by kind. A long one is looked at by pieces: others have their turns."""
        for start in range(0, len(text), LOOKED_AT_CHARS):
            found = await self._redactor.kinds(text[max(0, start - AGAIN_CHARS) : start + LOOKED_AT_CHARS])
            if found:
                return found
        return {}

    def _request(
        self, name: str, media_type: str, size: int, caption: str, text: str, source: str, tags: Sequence[str]
    ) -> StoreRequest:
        begin = f"{caption.strip() or name}\n[file: {name}, {media_type}, {bytes_counted(size)}]"
        text = text.encode()[: self._text_bytes].decode("utf-8", "ignore").strip()
        return StoreRequest(
            f"{begin}\n\n{text}" if text else begin,
            tags=(TAG, *tags),
            source=f"{TAG}: {source or name}" if text else source,  # what a file says is no agent's word
            kind=Kind.KNOWLEDGE,
        )

    async def of_memory(self, namespace: str, memory_id: str) -> Sequence[Attachment]:
        inputs.text("memory_id", memory_id, 200)
        return await self._rows.of_memory(namespace, memory_id)

    async def all(self, namespace: str, limit: int, offset: int = 0) -> Sequence[Attachment]:
        inputs.count("limit", limit, 1, MOST_LISTED)
        inputs.count("offset", offset, 0, FURTHEST)
        return await self._rows.all(namespace, limit, offset)

    async def get(
        self, namespace: str, memory_id: str, content_hash: str = "", most: int = MOST_BYTES
    ) -> tuple[Attachment, bytes]:
        named = await self.of_memory(namespace, memory_id)
        found = [one for one in named if one.content_hash.startswith(content_hash.lower())]
        if not found:
            raise NotFound(f"memory {memory_id[:60]!r} has no such file; it has {len(named)}")
        if len(found) > 1:
            raise InvalidInput("file", f"is one of {len(found)}: name it by the beginning of its hash")
        if found[0].size > most:
            raise InvalidInput(
                "file",
                f"has {found[0].size:,} bytes, more than {most // MiB} MiB: agentos attachments get {memory_id} has it",
            )
        data = await self._files.data(found[0].content_hash)
        if await asyncio.to_thread(_hash, data) != found[0].content_hash:
            raise StorageUnavailable(f"the bytes of {found[0].name!r} are damaged or gone: restore a backup")
        return found[0], data


def file_name(given: str) -> str:
    """Return the name of a file without the folders that may stand before it. Raises InvalidInput."""
    name = PureWindowsPath(given).name.strip()  # knows both kinds of slashes
    if not name.strip(".") or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidInput("name", f"must be a file's name of 1 to {LONGEST_NAME} printable characters")
    return name


def _told(data: bytes) -> tuple[str, str]:
    return kinds.media_type(data), _hash(data)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
