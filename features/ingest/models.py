"""The domain types of ingestion."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...modules.records import dataclass
from ...storage.documents.passages import FilePassage


@dataclass(frozen=True)
class Document:
    """The passages of a file in order, and what it says of itself: its day (ISO 8601), other names and tags."""

    passages: Sequence[FilePassage]
    day: str | None = None
    aliases: str = ""
    tags: Sequence[str] = ()


@dataclass(frozen=True)
class Unread:
    """A file or a folder that cannot be read, and why."""

    path: Path
    problem: str


@dataclass(frozen=True)
class Ingested:
    """The result of an ingestion, or of its dry run: files, and passages that are new, stayed, and are gone.

    `unread` tells by path what could not be read; passages of such a file stay as they are. `missing` are the files
    that are no longer there: their passages are among those that are gone, unless they were to be kept.
    """

    files: int
    new: int
    kept: int
    gone: int
    unread: Mapping[str, str]
    missing: Sequence[str] = ()
