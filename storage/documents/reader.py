"""Reading of documents by their endings; PDF and DOCX with the libraries of the extra `files`."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator

from ...modules import foreign_files
from ...modules.errors import InvalidInput
from ...modules.foreign_files import MiB
from ..imports.front_matter import Value, one, split
from .passages import FilePassage

MOST_PAGES = 5_000
MAX_UNPACKED, MAX_RATIO = 256 * MiB, 50
"""How large a DOCX may be unpacked: in all, and for each of its bytes."""
LONGEST_HEADING = 300
MAX_HEAD_BYTES = 4_096
"""Of a page, where it says what its encoding is."""
_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,8}(`{3,}|~{3,})")


def _text(data: bytes) -> Iterator[FilePassage]:
    for paragraph in re.split(r"\n[ \t]*\n", foreign_files.decoded(data).replace("\r\n", "\n")):
        yield FilePassage(paragraph)


def front(data: bytes) -> dict[str, Value]:
    """Return what stands before the text of a Markdown file."""
    return split(foreign_files.decoded(data))[0]


def markdown(data: bytes) -> Iterator[FilePassage]:
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
    ".md": markdown,
    ".markdown": markdown,
    ".txt": _text,
    ".rst": _text,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
    ".docx": _docx,
}
"""By the ending of a file's name."""
