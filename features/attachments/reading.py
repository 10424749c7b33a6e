"""The text of a file, read in a process of its own: what a stranger's file does to a library ends there.

Run as a program it reads the bytes from its input and answers with lines of JSON, as it comes to the text: what ends it
takes only the rest. It may use so much memory and time.
"""

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping

from ...modules.errors import InvalidInput, described
from ...modules.installing import INSTALL_FILES_EXTRA
from ...modules.reading import FileReader, readers
from .kinds import DOCX, PDF
from .models import MOST_READ

MOST_MEMORY = 2 * 1024**3
CPU_S = 30
PIECE = 64 * 1024
"""The characters of a line's text."""
_ENDINGS: Mapping[str, str] = {PDF: ".pdf", DOCX: ".docx"}


def main(media_type: str) -> None:
    """Read a file from standard input, and tell its text by pieces, then the `problem`, which is "" at its end."""
    _limit()
    data = sys.stdin.buffer.read()
    for line in told(media_type, data):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def told(media_type: str, data: bytes) -> Iterator[dict[str, str]]:
    """Yield the text of a file by pieces, and at last why there is none or no more."""
    problem = ""
    try:
        for piece in pieces(_texts(media_type, data)):
            yield {"text": piece}
    except ModuleNotFoundError as error:
        problem = f"reading it needs {error.name}: {INSTALL_FILES_EXTRA}"
    except InvalidInput as error:
        problem = error.problem
    except Exception as error:  # noqa: BLE001 - a library or plugin met a file that is not what it looks like
        problem = f"its text cannot be read: {described(error)[:200]}"
    yield {"problem": problem}


def pieces(texts: Iterator[str]) -> Iterator[str]:
    """Yield texts as paragraphs, by pieces. Raises InvalidInput for what is beyond MOST_READ."""
    left, between = MOST_READ, ""
    for text in texts:
        whole = f"{between}{text}".encode("utf-8", "ignore").decode().replace("\x00", "")
        for start in range(0, min(len(whole), left), PIECE):
            yield whole[start : min(start + PIECE, left)]
        left -= len(whole)
        if left < 0:
            raise InvalidInput("file", f"its text beyond {MOST_READ:,} characters is not looked at")
        between = "\n\n"


def _texts(media_type: str, data: bytes) -> Iterator[str]:
    ending = _ENDINGS.get(media_type)
    if ending is not None:
        from ...storage.documents.passages import gathered
        from ...storage.documents.reader import READERS

        return (passage.text for passage in gathered(READERS[ending](data)))
    fit: list[FileReader] = [one.value for one in readers().brought if media_type in one.value.media_types]
    return (text for text in (str(reader.read(data)) for reader in fit) if text.strip())


def _limit() -> None:
    """Bound what this process may use, where the system can."""
    if sys.platform == "win32":
        return
    import resource

    wanted = ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CPU, CPU_S), (resource.RLIMIT_CORE, 0))
    for what, most in wanted:
        with contextlib.suppress(ValueError, OSError):  # less is allowed already, or it cannot be bounded here
            resource.setrlimit(what, (most, most))
