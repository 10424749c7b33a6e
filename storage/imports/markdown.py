"""Markdown as other systems write it: headings, paragraphs, and list items with their boxes."""

import re
from collections.abc import Iterator

from ...modules.records import dataclass

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$")
_FENCE = re.compile(r"\s{0,8}(`{3,}|~{3,})")
_BREAK = re.compile(r"\s{0,3}(?:-\s*){3,}$|\s{0,3}(?:\*\s*){3,}$|\s{0,3}(?:_\s*){3,}$")
_BOX = re.compile(r"\[([ xX/>-])\]\s+(?=\S)")
_BOXES = {" ": "to do", "x": "done", "X": "done", "-": "cancelled", "/": "in progress", ">": "put off"}


@dataclass(frozen=True)
class Item:
    """A list item or paragraph, under its `headings`, the outermost first; `line` is where it begins, from 1.

    `box` says how a task with a box stands, such as `done`.
    """

    headings: tuple[str, ...]
    text: str
    is_list: bool
    line: int
    box: str = ""


def items(text: str, lines_before: int = 0) -> Iterator[Item]:
    """List items and paragraphs in order, whole; code blocks are part of what they follow."""
    headings: list[tuple[int, str]] = []
    pending: list[str] = []
    is_list, fence, begin = False, "", 0

    def flush() -> Iterator[Item]:
        found = "\n".join(pending).strip()
        pending.clear()
        if found:
            box = _BOX.match(found) if is_list else None
            content, state = (found[box.end() :], _BOXES[box[1]]) if box else (found, "")
            yield Item(tuple(title for _, title in headings), content, is_list, begin, state)

    for number, line in enumerate(text.splitlines(), start=lines_before + 1):
        if not pending:
            begin = number
        if fence:
            pending.append(line)
            closes = line.strip()
            fence = "" if closes.startswith(fence) and not closes.strip(fence[0]) else fence
        elif opening := _FENCE.match(line):
            fence = opening[1]
            pending.append(line)
        elif heading := _HEADING.match(line):
            yield from flush()
            headings = [entry for entry in headings if entry[0] < len(heading[1])]
            headings.append((len(heading[1]), heading[2].rstrip().rstrip("#").rstrip() or heading[2].strip()))
        elif _BREAK.match(line):
            yield from flush()
            is_list = False
        elif item := _ITEM.match(line):
            yield from flush()
            is_list, begin = True, number
            pending.append(item[1])
        elif not line.strip():
            yield from flush()
            is_list = False
        else:
            is_list = is_list and bool(pending)
            pending.append(line.strip())
    yield from flush()
