"""The files of an ingestion, and what is in each: passages, and what a file says of itself. All of it blocks."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from ...modules import foreign_files
from ...modules.errors import InvalidInput
from ...modules.foreign_files import MiB
from ...modules.installing import INSTALL_FILES_EXTRA
from ...storage.documents.passages import FilePassage, gathered
from ...storage.documents.reader import READERS, front, markdown
from ...storage.imports.front_matter import about
from ...storage.imports.tagging import tags_of
from .models import Document, Unread

MAX_BYTES = 64 * MiB
MOST_FILES = 5_000
MOST_PASSAGES = 20_000
READ_WITHIN_S = 60.0
MOST_TAGS = 20


def files(path: Path) -> tuple[Sequence[Path], Sequence[Unread]]:
    """Return the file itself, or the files below a folder in order, and what there cannot be read.

    Raises InvalidInput.
    """
    if path.is_file():
        if path.suffix.lower() not in READERS:
            raise InvalidInput("path", f"{path.name} has an unknown format; supported are {', '.join(READERS)}")
        return [path], []
    if not path.is_dir():
        raise InvalidInput(
            "path", f"{path} is neither a file nor a folder" if os.path.lexists(path) else f"there is no {path}"
        )
    found: list[Path] = []
    unread: list[Unread] = []
    for file in foreign_files.found_below(path, *READERS):
        if isinstance(file, Path):
            found.append(file)
        else:
            unread.append(Unread(Path(file.filename), str(file.strerror)))
        if max(len(found), len(unread)) > MOST_FILES:
            raise InvalidInput("path", f"{path} has more than {MOST_FILES} files; take its folders one by one")
    return sorted(found), unread


def document(path: Path) -> Document:
    """Return what is in a file. Raises InvalidInput for one that cannot be read."""
    try:
        data = foreign_files.read(path, MAX_BYTES)
        ending = path.suffix.lower()
        found = list(islice(gathered(_in_time(READERS[ending](data))), MOST_PASSAGES + 1))
        said = about(front(data), path.stem) if READERS[ending] is markdown else None
    except OSError as error:
        raise InvalidInput("path", error.strerror or str(error)) from error
    except ModuleNotFoundError as error:
        raise InvalidInput("path", f"it needs {error.name}: {INSTALL_FILES_EXTRA}") from error
    except InvalidInput:
        raise
    except Exception as error:  # a library met a file that is not what it looks like
        raise InvalidInput("path", f"it cannot be read: {error}") from error
    if len(found) > MOST_PASSAGES:
        raise InvalidInput("path", f"it has more than {MOST_PASSAGES} passages")
    if said is None:
        return Document(found)
    return Document(found, said.day, said.aliases, tags_of(said.tags)[0][:MOST_TAGS])


def _in_time(paragraphs: Iterable[FilePassage]) -> Iterator[FilePassage]:
    """Yield the paragraphs. Raises InvalidInput once that has taken READ_WITHIN_S."""
    give_up_at = time.monotonic() + READ_WITHIN_S
    for paragraph in paragraphs:
        if time.monotonic() > give_up_at:
            raise InvalidInput("path", f"it takes longer than {READ_WITHIN_S:.0f} s to read; split it")
        yield paragraph
