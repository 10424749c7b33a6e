"""Files of memories as other parts of AgentOS see them: what is known of one, and the service that keeps them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import PureWindowsPath
from typing import Protocol

from .errors import StorageUnavailable
from .records import dataclass

MiB = 1024 * 1024
MOST_BYTES = 16 * MiB
"""The largest file that is kept."""
MOST_SHOWN = 3 * MiB
"""The largest that is handed to a model's client: as text it is 4 MiB, and some take no more."""
SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""The media types that programs show as pictures; whatever else a file is, they only hand it on."""


@dataclass(frozen=True)
class Attachment:
    """A file of a memory: `media_type` as its bytes tell, `content_hash` their SHA-256, `size` in bytes."""

    memory_id: str
    content_hash: str
    name: str
    media_type: str
    size: int
    created_at: datetime

    @property
    def file_name(self) -> str:
        """Return a name that a file may have: what came in a bundle may be named anything."""
        name = PureWindowsPath(self.name).name  # knows both kinds of slashes
        return "".join(one if one.isprintable() else "_" for one in name).lstrip(".") or "file"

    @property
    def is_picture(self) -> bool:
        """Return whether programs show it."""
        return self.media_type in SHOWN


@dataclass(frozen=True)
class Attached:
    """The outcome of attaching a file: `is_new` where the memory did not have it, and how much text was taken of it.

    `problem` says why no text was, or why the rest of it was not looked at.
    """

    attachment: Attachment
    is_new: bool
    text_chars: int
    problem: str = ""


class Attachments(Protocol):
    """The files of one store's memories."""

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
        """Keep a file with a memory of its caption, name and text; the same again changes nothing.

        Raises InvalidInput for a file that is empty, too large, or whose text holds secrets, unless it is to be kept
        `anyway`; QuotaExceeded.
        """

    async def of_memory(self, namespace: str, memory_id: str) -> Sequence[Attachment]:
        """Return the files of a memory, in the order in which they came. Raises NotFound for no such memory."""

    async def all(self, namespace: str, limit: int, offset: int = 0) -> Sequence[Attachment]:
        """Return the files of a namespace's memories that are not hidden, the newest first. Raises InvalidInput."""

    async def get(
        self, namespace: str, memory_id: str, content_hash: str = "", most: int = MOST_BYTES
    ) -> tuple[Attachment, bytes]:
        """Return a file of a memory, named by the beginning of its hash where that has several, and its bytes.

        Raises NotFound; InvalidInput, also for one of more than `most` bytes; StorageUnavailable where the bytes are
        damaged.
        """


OpenAttachments = Callable[[], Attachments]


def no_attachments() -> Attachments:
    """Raise StorageUnavailable: this process was opened without files."""
    raise StorageUnavailable("files of memories are not available here")
