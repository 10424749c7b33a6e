"""basic-memory: notes in Markdown, with observations (`- [category] text #tag`) and relations (`- kind [[note]]`)."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ...modules.foreign_files import MAX_FILES, MiB, Unfit, found_below
from ...modules.foreign_files import text as text_of
from ...modules.portability.models import MemoryEntry, Record, Refused
from .front_matter import about, one, split
from .markdown import Item, items
from .tagging import tags_of

SOURCE = "import: basic-memory"
MAX_NOTE_BYTES = 16 * MiB
_OBSERVATION = re.compile(r"\[([^\]\n]{1,100})\]\s+(.+)", re.DOTALL)
_RELATION = re.compile(r"([\w \-]{1,100}?)\s{1,10}\[\[([^\]|\n]{1,400})(?:\|[^\]\n]{0,400})?\]\](.*)", re.DOTALL)
_TAG = re.compile(r"(?<![\w#/&])#([^\W\d_][\w/-]{0,99})(?![\w;])")
_CODE = re.compile(r"^[ \t]{0,8}(`{3,}|~{3,})[^\n]*\n(?:.*\n)*?(?:[ \t]{0,8}\1|.*\Z)|`[^`\n]{1,400}`", re.MULTILINE)
_COLOUR = re.compile(r"(?=.*\d)(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
_TAGS_IN_A_ROW = re.compile(r"(?<!\s)(?:\s++#[\w/-]{1,100})++")
_END = re.compile(r"\s*+(?:\([^()\n]*+\))?\s*$")
"""Nothing, or words in brackets: apart from the tags before it, so that these are read once."""


def is_here(path: Path) -> bool:
    return any(_has_permalink(note, path) for note in _notes(path) if isinstance(note, Path))


def _has_permalink(note: Path, path: Path) -> bool:
    try:
        return "permalink" in split(_text(note, path))[0]
    except OSError:  # it is named when the others are read
        return False


def read(path: Path) -> Iterator[Record]:
    for note in _notes(path):
        if isinstance(note, Unfit):
            yield Refused(os.path.relpath(note.filename, path), str(note.strerror))
            continue
        name = note.name if note == path else str(note.relative_to(path))
        try:
            text = _text(note, path)
        except OSError as error:
            yield Refused(name, error.strerror or str(error))
            continue
        if "\x00" in text:
            yield Refused(name, "is not text: it contains NUL characters")
        else:
            yield from _note(name, note.stem, text)


def _note(name: str, stem: str, text: str) -> Iterator[Record]:
    front, body, before = split(text)
    note = about(front, stem)
    metadata = {"note": one(front.get("permalink")) or note.title}
    if note.aliases:
        metadata["aliases"] = note.aliases
    if note.created and note.day is None:
        metadata["created"] = note.created
    for item in items(body, before):
        content, labels = _read(note.title, item)
        named, more = tags_of(labels, note.tags)
        yield MemoryEntry(
            content,
            tags=named,
            metadata={**metadata, **more},
            source=SOURCE,
            occurred_at=note.day,
            where=f"{name}, line {item.line}",
        )


def _read(title: str, item: Item) -> tuple[str, list[str]]:
    """Return what an item says, under the title of its note, and its tags."""
    tags = [tag for tag in _TAG.findall(_CODE.sub(" ", item.text)) if not _COLOUR.fullmatch(tag)]
    if item.box:
        return f"{title}: {item.box}: {item.text}", ["task", item.box, *tags]
    if item.is_list and (found := _OBSERVATION.match(item.text)):
        return f"{title}: {_without_last_tags(found[2], tags)}", [found[1].strip(), *tags]
    if item.is_list and (found := _RELATION.match(item.text)):
        return f"{title} {found[1].strip()} {found[2].strip()}{found[3]}".rstrip(), ["relation", *tags]
    return f"{title}: {item.text}", tags


def _without_last_tags(text: str, tags: list[str]) -> str:
    """A text without the tags at its end, which are kept as tags; within a sentence they are words of it."""
    found = next((one for one in _TAGS_IN_A_ROW.finditer(text) if _END.match(text, one.end())), None)
    if found is None or any(word[1:] not in tags for word in found[0].split()):
        return text.strip()
    return (text[: found.start()] + text[found.end() :]).strip()


def _notes(path: Path) -> list[Path | Unfit]:
    if path.is_file():
        return [path] if path.suffix == ".md" else []
    return sorted(islice(found_below(path, ".md"), MAX_FILES), key=lambda one: str(getattr(one, "filename", one)))


def _text(note: Path, path: Path) -> str:
    return text_of(note, MAX_NOTE_BYTES, None if note == path else path)
