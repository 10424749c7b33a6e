"""What a file is, told by its bytes: a name may say anything. Blocks."""

import io
import zipfile

from ...modules import foreign_files

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TEXT = "text/plain"
ANYTHING = "application/octet-stream"
BEGINNING = 8_192
"""The bytes by which a kind is recognised."""
_ZIP = b"PK\x03\x04"
_BODY_OF_DOCX = "word/document.xml"
_CONTROLS = frozenset(map(chr, range(32))) - set("\t\n\r\f\x1b")


def media_type(data: bytes) -> str:
    """Return the media type of a file. Markup that a browser would run, as of HTML and SVG, is plain text here."""
    import filetype  # type: ignore[import-untyped]

    if data.startswith(_ZIP):
        return DOCX if _is_docx(data) else "application/zip"
    guessed = filetype.guess_mime(data[:BEGINNING])
    if guessed is not None:
        return str(guessed)
    return TEXT if _is_text(data) else ANYTHING


def _is_docx(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _BODY_OF_DOCX in archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError):
        return False


def _is_text(data: bytes) -> bool:
    try:
        text = foreign_files.decoded(data)
    except UnicodeError:
        return False
    return _CONTROLS.isdisjoint(text)
