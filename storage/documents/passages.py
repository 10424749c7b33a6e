"""From paragraphs to passages: short enough to be read at once, never over a heading or a page."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...modules.records import dataclass

LONGEST = 1_200
"""The characters of a passage at most; a longer paragraph is cut between sentences or words."""
_ENDS_OF_CODE = ("\n\n", "\n", " ")
_ENDS = (". ", "! ", "? ", "。", " ")


@dataclass(frozen=True)
class FilePassage:
    """A passage of a file, and where in it: under which heading, and on which page (from 1), if it has such.

    One that `is_code` keeps its lines.
    """

    text: str
    heading: str = ""
    page: int | None = None
    is_code: bool = False


def gathered(paragraphs: Iterable[FilePassage]) -> Iterator[FilePassage]:
    """Yield passages: neighbouring paragraphs of one heading and page together, as far as they fit."""
    open_: FilePassage | None = None
    for paragraph in paragraphs:
        for part in _parts(paragraph):
            fits = open_ is not None and len(open_.text) + len(part.text) + 1 <= LONGEST
            if open_ is not None and fits and (open_.heading, open_.page) == (part.heading, part.page):
                open_ = replace(part, text=f"{open_.text}\n{part.text}")
                continue
            if open_ is not None:
                yield open_
            open_ = part
    if open_ is not None:
        yield open_


def _parts(paragraph: FilePassage) -> Iterator[FilePassage]:
    text, at = paragraph.text.strip("\n") if paragraph.is_code else " ".join(paragraph.text.split()), 0
    while at < len(text):
        end = len(text)
        if end - at > LONGEST:
            marks = _ENDS_OF_CODE if paragraph.is_code else _ENDS
            ends = (text.rfind(mark, at + LONGEST // 2, at + LONGEST) + len(mark) for mark in marks)
            end = next((place for place in ends if place > at + LONGEST // 2), at + LONGEST)
        if part := text[at:end].strip("\n" if paragraph.is_code else None):
            yield replace(paragraph, text=part)
        at = end
