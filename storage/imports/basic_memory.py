"""basic-memory: notes in Markdown, with observations (`- [category] text #tag`) and relations (`- kind [[note]]`)."""

import re
from collections.abc import Iterator
from pathlib import Path

from ...modules.foreign_files import MiB, files_below, text
from ...modules.portability.models import Entry
from .markdown import items, split_front_matter

SOURCE = "import: basic-memory"
MAX_NOTE_BYTES = 16 * MiB
_OBSERVATION = re.compile(r"\[([^\]]+)\]\s+(.+)", re.DOTALL)
_RELATION = re.compile(r"([\w \-]{1,100}?)\s{1,10}\[\[([^\]]+)\]\]")
_TAG = re.compile(r"(?<![\w#])#([\w/-]+)")


def is_here(path: Path) -> bool:
    return any("permalink" in split_front_matter(_text(note, path))[0] for note in _notes(path))


def read(path: Path) -> Iterator[Entry]:
    for note in _notes(path):
        front, body = split_front_matter(_text(note, path))
        title = front.get("title") or note.stem
        tags = tuple(tag.strip().lstrip("#") for tag in front.get("tags", "").strip("[]").split(",") if tag.strip())
        metadata = {"note": front.get("permalink") or title}
        for item in items(body):
            if item.is_list and (found := _OBSERVATION.match(item.text)):
                said = _TAG.sub("", found[2]).strip()
                own = (found[1].strip(), *_TAG.findall(found[2]), *tags)
                content = f"{title}: {said}"
            elif item.is_list and (found := _RELATION.match(item.text)):
                own, content = ("relation", *tags), f"{title} {found[1].strip()} {found[2]}"
            elif item.is_list and len(item.text) < 3:
                continue
            else:
                own, content = tags, f"{title}: {item.text}"
            yield Entry(
                content,
                tags=tuple(dict.fromkeys(own)),
                metadata=metadata,
                source=SOURCE,
                occurred_at=front.get("created"),
            )


def _notes(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.suffix == ".md" else []
    return files_below(path, ".md")


def _text(note: Path, path: Path) -> str:
    return text(note, MAX_NOTE_BYTES, None if note == path else path)
