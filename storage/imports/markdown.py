"""Markdown as other systems write it: front matter, headings, list items."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_ITEM_CHARS = 4_000
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)$")
_PAIR = re.compile(r"([\w-]+):\s*(.*)$")


@dataclass(frozen=True)
class Item:
    """A list item or paragraph, under its `headings`, the outermost first."""

    headings: tuple[str, ...]
    text: str
    is_list: bool


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The pairs between a first and a second line of `---`, and what comes after them."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return {}, text
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() == "---"), None)
    if end is None:
        return {}, text
    pairs = [match for line in lines[1:end] if (match := _PAIR.match(line))]
    return {match[1]: match[2].strip().strip("\"'") for match in pairs}, "\n".join(lines[end + 1 :])


def items(text: str) -> Iterator[Item]:
    """List items and paragraphs in order; code blocks are part of what they follow."""
    headings: list[tuple[int, str]] = []
    pending: list[str] = []
    is_list = in_code = False

    def flush() -> Iterator[Item]:
        found = "\n".join(pending).strip()[:MAX_ITEM_CHARS]
        pending.clear()
        if found:
            yield Item(tuple(title for _, title in headings), found, is_list)

    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            in_code = not in_code
            pending.append(line)
        elif in_code:
            pending.append(line)
        elif heading := _HEADING.match(line):
            yield from flush()
            headings = [entry for entry in headings if entry[0] < len(heading[1])]
            headings.append((len(heading[1]), heading[2].rstrip().rstrip("#").rstrip() or heading[2].strip()))
        elif item := _ITEM.match(line):
            yield from flush()
            is_list = True
            pending.append(item[1])
        elif not line.strip():
            yield from flush()
            is_list = False
        else:
            is_list = is_list and bool(pending)
            pending.append(line.strip())
    yield from flush()
