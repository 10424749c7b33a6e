"""Reading of documents by their endings; PDF and DOCX with the libraries of the extra `files`."""

import io
import re
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from ...modules import foreign_files
from ...modules.errors import InvalidInput
from ...modules.foreign_files import MiB
from ...modules.ingestion.models import Passage
from ...modules.installing import INSTALL_FILES_EXTRA
from .passages import gathered

MAX_BYTES = 64 * MiB
MOST_FILES = 5_000
MOST_PASSAGES = 20_000
MOST_PAGES = 5_000
READ_WITHIN_S = 60.0
MAX_UNPACKED, MAX_RATIO = 256 * MiB, 50
"""How large a DOCX may be unpacked: in all, and for each of its bytes."""
LONGEST_HEADING = 300
_FENCE = re.compile(r"\s{0,8}(`{3,}|~{3,})")


class FileDocuments:
    """Implements `modules.ingestion.ports.Documents`."""

    def files(self, path: Path) -> list[Path]:
        if path.is_file():
            if path.suffix.lower() not in READERS:
                raise InvalidInput("path", f"{path.name} has an unknown format; supported are {', '.join(READERS)}")
            return [path]
        if not path.is_dir():
            raise InvalidInput("path", f"there is no {path}")
        found = sorted(file for suffix in READERS for file in foreign_files.files_below(path, suffix))
        if len(found) > MOST_FILES:
            raise InvalidInput("path", f"{path} has {len(found)} files; the limit is {MOST_FILES} at once")
        return found

    def passages(self, path: Path) -> Sequence[Passage]:
        try:
            data = foreign_files.read(path, MAX_BYTES)
            found = list(islice(gathered(_in_time(path.name, READERS[path.suffix.lower()](data))), MOST_PASSAGES + 1))
        except OSError as error:
            raise InvalidInput("path", f"{path.name}: {error.strerror or error}") from error
        except ModuleNotFoundError as error:
            raise InvalidInput("path", f"{path.name} needs {error.name}: {INSTALL_FILES_EXTRA}") from error
        except InvalidInput:
            raise
        except Exception as error:  # a library met a file that is not what it looks like
            raise InvalidInput("path", f"{path.name} cannot be read: {error}") from error
        if len(found) > MOST_PASSAGES:
            raise InvalidInput("path", f"{path.name} has more than {MOST_PASSAGES} passages")
        return found


def _in_time(name: str, paragraphs: Iterable[Passage]) -> Iterator[Passage]:
    """Yield the paragraphs of a file. Raises InvalidInput once that has taken READ_WITHIN_S."""
    give_up_at = time.monotonic() + READ_WITHIN_S
    for paragraph in paragraphs:
        if time.monotonic() > give_up_at:
            raise InvalidInput("path", f"{name} takes longer than {READ_WITHIN_S:.0f} s to read; split it")
        yield paragraph


def _text(data: bytes) -> Iterator[Passage]:
    for paragraph in re.split(r"\n[ \t]*\n", foreign_files.decoded(data).replace("\r\n", "\n")):
        yield Passage(paragraph)


def _markdown(data: bytes) -> Iterator[Passage]:
    """Yield paragraphs, each under the headings above it; code between fences stays together."""
    headings: list[str] = []
    lines: list[str] = []
    fence = ""
    for line in [*foreign_files.decoded(data).splitlines(), ""]:
        if fence:
            closes = line.strip()
            fence = "" if closes.startswith(fence) and not closes.strip(fence[0]) else fence
            lines.append(line)
            continue
        opening = _FENCE.match(line)
        fence = opening[1] if opening else ""
        found = None if fence else _heading(line)
        if found is None and (fence or line.strip()):
            lines.append(line)
            continue
        yield Passage("\n".join(lines), " › ".join(headings))
        lines = []
        if found is not None:
            level, heading = found
            headings = [*headings[: level - 1], heading]
    yield Passage("\n".join(lines), " › ".join(headings))


def _heading(line: str) -> tuple[int, str] | None:
    """Return the level and the text of a line that is a heading; None for any other line."""
    text = line.lstrip("#")
    level = len(line) - len(text)
    heading = text.strip().rstrip("#").strip()
    is_heading = 1 <= level <= 6 and text[:1].isspace() and 0 < len(heading) <= LONGEST_HEADING
    return (level, heading) if is_heading else None


BLOCKS = frozenset("p div li td th tr section article pre blockquote br h1 h2 h3 h4 h5 h6 dt dd title".split())
SILENT = ("script", "style", "template", "noscript", "svg")
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def _html(data: bytes) -> Iterator[Passage]:
    """Yield what a page says, by its blocks, under its headings; scripts and styles say nothing."""
    from lxml import etree, html  # type: ignore[import-untyped]

    root = html.document_fromstring(foreign_files.decoded(data))
    etree.strip_elements(root, *SILENT, etree.Comment, with_tail=False)
    words: list[str] = []
    heading = ""
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = str(element.tag)
        if tag in BLOCKS:
            text = " ".join("".join(words).split())
            words = []
            if event == "end" and tag in HEADINGS and text:
                heading = text[:LONGEST_HEADING]
            elif text:
                yield Passage(text, heading)
        words.append((element.text if event == "start" else element.tail) or "")
    yield Passage("".join(words), heading)


def _pdf(data: bytes) -> Iterator[Passage]:
    from pypdf import PdfReader

    document = PdfReader(io.BytesIO(data))
    if document.is_encrypted:
        raise InvalidInput("path", "is encrypted")
    if len(document.pages) > MOST_PAGES:
        raise InvalidInput("path", f"has more than {MOST_PAGES} pages")
    for number, page in enumerate(document.pages, start=1):
        for paragraph in re.split(r"\n[ \t]*\n", page.extract_text() or ""):
            yield Passage(paragraph, page=number)


def _docx(data: bytes) -> Iterator[Passage]:
    from docx import Document

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(one.file_size for one in archive.infolist()) > min(MAX_UNPACKED, MAX_RATIO * len(data)):
            raise InvalidInput("path", "unpacks to more than a document should")
    headings: list[str] = []
    document = Document(io.BytesIO(data))
    for paragraph in document.paragraphs:
        style = str(paragraph.style.name) if paragraph.style is not None else ""
        level = style.removeprefix("Heading ")
        if level != style and level.isdigit():
            headings = [*headings[: int(level) - 1], paragraph.text.strip()[:300]]
        else:
            yield Passage(paragraph.text, " › ".join(headings))
    for table in document.tables:
        for row in table.rows:
            yield Passage(" | ".join(cell.text for cell in row.cells), " › ".join(headings))


Reader = Callable[[bytes], Iterator[Passage]]
READERS: dict[str, Reader] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".txt": _text,
    ".rst": _text,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
    ".docx": _docx,
}
"""By the ending of a file's name."""
