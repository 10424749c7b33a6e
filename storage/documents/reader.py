"""Reading of documents by their endings; PDF and DOCX with the libraries of the extra `files`."""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
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
LONGEST_HEADING = 300
_FENCE = ("```", "~~~")


class FileDocuments:
    """Implements `modules.ingestion.ports.Documents`."""

    def files(self, path: Path) -> list[Path]:
        if path.is_file():
            if path.suffix.lower() not in READERS:
                raise InvalidInput("path", f"{path.name} is of no known format; known are {', '.join(READERS)}")
            return [path]
        if not path.is_dir():
            raise InvalidInput("path", f"there is no {path}")
        found = sorted(file for suffix in READERS for file in foreign_files.files_below(path, suffix))
        if len(found) > MOST_FILES:
            raise InvalidInput("path", f"{path} has {len(found)} files, at most {MOST_FILES} are read at once")
        return found

    def passages(self, path: Path) -> Sequence[Passage]:
        try:
            data = foreign_files.read(path, MAX_BYTES)
            found = list(gathered(READERS[path.suffix.lower()](data)))
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


def _text(data: bytes) -> Iterator[Passage]:
    if b"\0" in data[:4096]:
        raise InvalidInput("path", "is no text: it holds NUL characters")
    for paragraph in re.split(r"\n[ \t]*\n", data.decode("utf-8-sig", "replace").replace("\r\n", "\n")):
        yield Passage(paragraph)


def _markdown(data: bytes) -> Iterator[Passage]:
    """Yield paragraphs, each under the headings above it; code between fences stays together."""
    headings: list[str] = []
    lines: list[str] = []
    fence = ""
    for line in [*data.decode("utf-8-sig", "replace").splitlines(), ""]:
        begin = line.lstrip()[:3]
        if begin in _FENCE and fence in ("", begin):
            fence = "" if fence else begin
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


class _Html(HTMLParser):
    """Gathers what a page says, by its blocks, under its headings; scripts and styles say nothing."""

    BLOCKS = frozenset("p div li td th tr section article pre blockquote br h1 h2 h3 h4 h5 h6 dt dd title".split())
    SILENT = frozenset("script style template noscript svg".split())

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Passage] = []
        self._words: list[str] = []
        self._heading = ""
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._silent += tag in self.SILENT
        if tag in self.BLOCKS:
            self._end()

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self.SILENT and self._silent > 0
        if tag in self.BLOCKS:
            self._end(heading=len(tag) == 2 and tag[0] == "h" and tag[1].isdigit())

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._words.append(data)

    def close(self) -> None:
        super().close()
        self._end()

    def _end(self, *, heading: bool = False) -> None:
        text = " ".join("".join(self._words).split())
        self._words = []
        if heading and text:
            self._heading = text[:300]
        elif text:
            self.found.append(Passage(text, self._heading))


def _html(data: bytes) -> Iterator[Passage]:
    parser = _Html()
    parser.feed(data.decode("utf-8-sig", "replace"))
    parser.close()
    yield from parser.found


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
