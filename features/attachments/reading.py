"""The text of a file, read in a process of its own: what a stranger's file does to a library ends there.

Run as a program it reads the bytes from its input and answers with JSON. It may use so much memory and time.
"""

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping

from ...modules.errors import InvalidInput, described
from ...modules.installing import INSTALL_FILES_EXTRA
from ...modules.reading import FileReader, readers
from .kinds import DOCX, PDF
from .models import MOST_CHARS

MOST_MEMORY = 2 * 1024**3
CPU_S = 30
_ENDINGS: Mapping[str, str] = {PDF: ".pdf", DOCX: ".docx"}


def main(media_type: str) -> None:
    """Read a file from standard input, and tell its `text`, or the `problem`."""
    _limit()
    data = sys.stdin.buffer.read()
    told = json.dumps(answer(media_type, data)).encode()
    sys.stdout.buffer.write(told)


def answer(media_type: str, data: bytes) -> dict[str, str]:
    """Return the text of a file, or why there is none."""
    try:
        return {"text": cut(_texts(media_type, data)), "problem": ""}
    except ModuleNotFoundError as error:
        return {"text": "", "problem": f"reading it needs {error.name}: {INSTALL_FILES_EXTRA}"}
    except InvalidInput as error:
        return {"text": "", "problem": error.problem}
    except Exception as error:  # noqa: BLE001 - a library or plugin met a file that is not what it looks like
        return {"text": "", "problem": f"its text cannot be read: {described(error)[:200]}"}


def cut(texts: Iterator[str]) -> str:
    """Return texts as paragraphs, as far as they fit into MOST_CHARS."""
    found: list[str] = []
    left = MOST_CHARS
    for text in texts:
        found.append(text[:left])
        left -= len(text) + 2
        if left <= 0:
            break
    return "\n\n".join(found).encode("utf-8", "ignore").decode().replace("\x00", "")


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
