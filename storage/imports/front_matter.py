"""Front matter as notes have it: the part of YAML that editors write. What it cannot read is kept as it stands."""

import re
from collections.abc import Mapping, Sequence

from ...modules.records import dataclass
from .moments import iso

Value = str | list[str]
MAX_ALIASES = 400

_PAIR = re.compile(r"([\w-]+)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_COMMENT = re.compile(r"(?:^|[ \t])#.*$")
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_DAY = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d\d)\2(\d\d)(?!\d)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "0": "", "e": "", "_": "\u00a0"}


@dataclass(frozen=True)
class FrontMatter:
    """What a note says of itself: its title, when it is of (`day`, if `created` can be read), other names, tags."""

    title: str
    created: str
    day: str | None
    aliases: str
    tags: list[str]


def about(front: Mapping[str, Value], stem: str) -> FrontMatter:
    """Return what the pairs and the name of a note's file say of it."""
    named = [text for name in ("created", "date") if (text := one(front.get(name)))]
    readable = (text for text in (*named, _day(stem)) if iso(text))
    created = next(readable, named[0] if named else "")  # a template that nobody filled in tells nothing
    own = front.get("tags", front.get("tag", []))
    tags = [tag.strip().lstrip("#") for tag in (own.split(",") if isinstance(own, str) else own)]
    aliases = one(front.get("aliases")) or one(front.get("alias"))
    return FrontMatter(one(front.get("title")) or stem, created, iso(created), aliases[:MAX_ALIASES], tags)


def one(value: Value | None) -> str:
    """Return a value as a text."""
    return (value if isinstance(value, str) else ", ".join(value or ())).strip()


def _day(stem: str) -> str:
    """Return the day that a note is named after, as 2025-06-01, 2025_06_01 or 20250601; "" for other notes."""
    found = _DAY.search(stem)
    day = f"{found[1]}-{found[3]}-{found[4]}" if found else ""
    return day if iso(day) else ""


def split(text: str) -> tuple[dict[str, Value], str, int]:
    """The pairs between a first and a second line of `---`, what comes after them, and the lines before that."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return {}, text, 0
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return {}, text, 0
    return _pairs(lines[1:end]), "\n".join(lines[end + 1 :]), end + 1


def _pairs(lines: Sequence[str]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    at = 0
    while at < len(lines):
        pair = _PAIR.match(lines[at])
        at += 1
        if pair is None:
            continue
        below = at
        while below < len(lines) and (not lines[below].strip() or lines[below][:1] in " \t-"):
            below += 1
        found[pair[1]] = _value((pair[2] or "").strip(), lines[at:below])
        at = below
    return found


def _value(beside: str, below: Sequence[str]) -> Value:
    items = [match[1] for line in below if (match := _ITEM.match(line))]
    if beside[:1] in ("|", ">") and not _QUOTED.match(beside):
        return (" " if beside[0] == ">" else "\n").join(line.strip() for line in below).strip()
    if not _COMMENT.sub("", beside).strip() and items:
        return [_scalar(item) for item in items]
    more = " ".join([beside, *(line.strip() for line in below if line.strip())])
    if more.startswith("["):
        return _list(more)
    return _scalar(more)


def _list(text: str) -> list[str]:
    """Return the values between brackets, parted by commas that are not in quotes."""
    inner = text[1:].rpartition("]")[0] or text[1:]
    entries: list[str] = []
    at = begin = 0
    while at <= len(inner):
        if at == len(inner) or inner[at] == ",":
            entries.append(inner[begin:at].strip())
            begin = at + 1
        elif quoted := _QUOTED.match(inner, at):
            at = quoted.end() - 1
        at += 1
    return [_scalar(entry, is_in_list=True) for entry in entries if entry]


def _scalar(text: str, *, is_in_list: bool = False) -> str:
    text = text.strip()
    if (quoted := _QUOTED.match(text)) and not _COMMENT.sub("", text[quoted.end() :]).strip():
        inner = quoted[0][1:-1]
        return inner.replace("''", "'") if quoted[0][0] == "'" else _ESCAPE.sub(_unescaped, inner)
    return text if is_in_list else _COMMENT.sub("", text).rstrip()


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits is None:
        return _LETTERS.get(match[4], match[4])
    number = int(digits, 16)
    return chr(number) if number and number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else match[0]
