"""Reading of documents by their endings; PDF and DOCX with the libraries of the extra `files`."""

import io
import os
import re
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from ...modules import foreign_files
from ...modules.errors import InvalidInput
from ...modules.foreign_files import MiB
from ...modules.ingestion.models import Document, FilePassage, Unread
from ...modules.installing import INSTALL_FILES_EXTRA
from ..imports.front_matter import Value, about, one, split
from ..imports.tagging import tags_of
from .passages import gathered

MAX_BYTES = 64 * MiB
MOST_FILES = 5_000
MOST_PASSAGES = 20_000
MOST_PAGES = 5_000
READ_WITHIN_S = 60.0
MAX_UNPACKED, MAX_RATIO = 256 * MiB, 50
"""How large a DOCX may be unpacked: in all, and for each of its bytes."""
LONGEST_HEADING = 300
MOST_TAGS = 20
MAX_HEAD_BYTES = 4_096
"""Of a page, where it says what its encoding is."""
_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,8}(`{3,}|~{3,})")


class FileDocuments:
    """Implements `modules.ingestion.ports.Documents`."""

    def files(self, path: Path) -> tuple[Sequence[Path], Sequence[Unread]]:
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

    def document(self, path: Path) -> Document:
        try:
            data = foreign_files.read(path, MAX_BYTES)
            ending = path.suffix.lower()
            found = list(islice(gathered(_in_time(READERS[ending](data))), MOST_PASSAGES + 1))
            said = about(_front(data), path.stem) if READERS[ending] is _markdown else None
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


def _text(data: bytes) -> Iterator[FilePassage]:
    for paragraph in re.split(r"\n[ \t]*\n", foreign_files.decoded(data).replace("\r\n", "\n")):
        yield FilePassage(paragraph)


def _front(data: bytes) -> dict[str, Value]:
    return split(foreign_files.decoded(data))[0]


def _markdown(data: bytes) -> Iterator[FilePassage]:
    """Yield what stands before the text, then paragraphs under their headings; code between fences is one."""
    front, body, _ = split(foreign_files.decoded(data))
    yield FilePassage("; ".join(f"{name}: {one(value)}" for name, value in front.items() if one(value)))
    headings: list[str] = []
    lines: list[str] = []
    fence = ""
    for line in [*body.splitlines(), ""]:
        if fence:
            lines.append(line)
            closes = line.strip()
            if closes.startswith(fence) and not closes.strip(fence[0]):
                yield FilePassage("\n".join(lines), " › ".join(headings), is_code=True)
                lines, fence = [], ""
            continue
        opening = _FENCE.match(line)
        found = None if opening else _heading(line)
        if opening is None and found is None and line.strip():
            lines.append(line)
            continue
        yield FilePassage("\n".join(lines), " › ".join(headings))
        lines = [line] if opening else []
        fence = opening[1] if opening else ""
        if found is not None:
            level, heading = found
            headings = [*headings[: level - 1], heading]
    yield FilePassage("\n".join(lines), " › ".join(headings), is_code=bool(fence))


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


_ATTRIBUTES = r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"?|'[^']*+'?)?)*+>?"
_MARKUP = re.compile(
    rf"(?P<silent><!--.*?(?:-->|\Z)|<(?P<name>script|style)(?=[\s/>]){_ATTRIBUTES}.*?(?:</(?P=name)(?=[\s/>])[^>]*>|\Z))"
    rf"|(?P<tag><[a-z][^\s/>]*+){_ATTRIBUTES}",
    re.DOTALL | re.IGNORECASE,
)
"""Comments, scripts and styles, and tags."""


def _plain_markup(page: str) -> str:
    """Return a page without attributes, scripts and styles: a parser compares each attribute with all others."""
    return _MARKUP.sub(lambda found: " " if found["silent"] else f"{found['tag']}>", page)


def _page(data: bytes) -> str:
    """Return the text of a page, in the encoding that it names where it is not Unicode."""
    declared = _CHARSET.search(data[:MAX_HEAD_BYTES])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        if declared is None:
            return foreign_files.decoded(data)
    return data.decode(declared[1].decode(), "replace")  # as browsers do


def _html(data: bytes) -> Iterator[FilePassage]:
    """Yield what a page says, by its blocks, under its headings; scripts and styles say nothing."""
    from lxml import etree, html  # type: ignore[import-untyped]

    page = _plain_markup(_page(data)).encode()
    try:
        root = html.document_fromstring(page, parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:  # there is nothing in it
        return
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
                yield FilePassage(text, heading)
        words.append((element.text if event == "start" else element.tail) or "")
    yield FilePassage("".join(words), heading)


def _pdf(data: bytes) -> Iterator[FilePassage]:
    from pypdf import PdfReader

    document = PdfReader(io.BytesIO(data))
    if document.is_encrypted:
        raise InvalidInput("path", "it is encrypted")
    if len(document.pages) > MOST_PAGES:
        raise InvalidInput("path", f"it has more than {MOST_PAGES} pages")
    for number, page in enumerate(document.pages, start=1):
        for paragraph in re.split(r"\n[ \t]*\n", page.extract_text() or ""):
            yield FilePassage(paragraph, page=number)


def _docx(data: bytes) -> Iterator[FilePassage]:
    from docx import Document
    from docx.table import _Cell

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(one.file_size for one in archive.infolist()) > min(MAX_UNPACKED, MAX_RATIO * len(data)):
            raise InvalidInput("path", "it unpacks to more than a document should")
    headings: list[str] = []
    document = Document(io.BytesIO(data))
    for paragraph in document.paragraphs:
        style = str(paragraph.style.name) if paragraph.style is not None else ""
        level = style.removeprefix("Heading ")
        if level != style and level.isdigit():
            headings = [*headings[: int(level) - 1], paragraph.text.strip()[:300]]
        else:
            yield FilePassage(paragraph.text, " › ".join(headings))
    for table in document.tables:
        for row in table.rows:  # not `row.cells`, which repeats a cell for each column that it says it spans
            cells = [_Cell(cell, table).text for cell in row._tr.tc_lst]
            yield FilePassage(" | ".join(cells), " › ".join(headings))


Reader = Callable[[bytes], Iterator[FilePassage]]
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
