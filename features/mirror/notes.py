"""Notes: Markdown with front matter, as Obsidian has it. Properties that are not ours stay letter for letter."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ...modules.memory.models import Memory
from .models import IMPORTANCE_DIGITS, Damaged, Fields, NoteFile, Value, canonical, digest, fields_of

FENCE = "---"
MAX_FRONT_MATTER_LINES = 300
KNOWN = (
    *("id", "type", "importance", "tags", "created", "occurred", "status", "subject", "attribute", "value"),
    *("valid_from", "valid_to", "superseded_by", "related"),
)
LISTS = ("tags", "related")
_PROPERTY = re.compile(r"([A-Za-z_][\w -]{0,99}):(?:[ \t](.*))?", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9][\w.:+-]{0,99}", re.ASCII)


def parsed(text: str) -> NoteFile:
    """Return a file's text as a note. Raises Damaged where its front matter cannot be read."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() != FENCE:
        return NoteFile(canonical(text))
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        raise Damaged("its front matter has no closing --- line")
    if end > MAX_FRONT_MATTER_LINES:
        raise Damaged(f"its front matter has more than {MAX_FRONT_MATTER_LINES} lines")
    known: dict[str, Value] = {}
    others: list[str] = []
    for name, first, more in _properties(lines[1:end]):
        if name not in KNOWN:
            others += [first, *more]
            continue
        if name in known:
            raise Damaged(f"{name} appears twice in its front matter")
        known[name] = _value(name, first.partition(":")[2].strip(), more)
    return NoteFile(canonical("\n".join(lines[end + 1 :])), known, tuple(others), has_front_matter=True)


def fields_in(note: NoteFile, stored: Fields) -> Fields:
    """Return what a note says of a memory that is `stored` so. What it leaves out stays, but for tags that are gone.

    Raises Damaged.
    """
    known = note.known
    if not note.has_front_matter:
        return replace(stored, content=note.body)
    return Fields(
        note.body,
        _text(known, "type") or stored.memory_type,
        stored.importance if importance(note) is None else importance(note) or 0.0,
        tags(note),
    )


def importance(note: NoteFile) -> float | None:
    """Return the importance that a note gives, None without one. Raises Damaged."""
    given = _text(note.known, "importance")
    try:
        return round(float(given), IMPORTANCE_DIGITS) if given else None
    except ValueError:
        raise Damaged("importance: must be a number from 0 to 1") from None


def tags(note: NoteFile) -> tuple[str, ...]:
    """Return the tags of a note."""
    value = note.known.get("tags", ())
    given = value.split(",") if isinstance(value, str) else value
    return tuple(dict.fromkeys(tag.strip() for tag in given if tag.strip()))


def property_text(note: NoteFile, name: str) -> str | None:
    """Return one property as a text, None without it. Raises Damaged for a list."""
    return _text(note.known, name) or None


def note_of(memory: Memory, superseded_by: str | None, related: Sequence[str]) -> NoteFile:
    """Return the note of a memory; links are names of files without their ending."""
    fields, slot = fields_of(memory), memory.slot
    known: dict[str, Value] = {
        "id": memory.id,
        "type": fields.memory_type,
        "importance": f"{fields.importance:g}",
        "tags": fields.tags,
        "created": _moment(memory.created_at),
        "occurred": _moment(memory.occurred_at),
        "status": memory.status.value,
        "subject": slot.subject if slot else "",
        "attribute": slot.attribute if slot else "",
        "value": (slot.value or "") if slot else "",
        "valid_from": _moment(memory.valid_from),
        "valid_to": _moment(memory.valid_to),
        "superseded_by": f"[[{superseded_by}]]" if superseded_by else "",
        "related": tuple(f"[[{name}]]" for name in related),
    }
    return NoteFile(fields.content, {name: value for name, value in known.items() if value}, has_front_matter=True)


def says_the_same(note: NoteFile, other: NoteFile) -> bool:
    """Return whether two notes have the same text and the same known properties, however they are written."""
    return (note.body, _compared(note.known)) == (other.body, _compared(other.known))


def rendered(note: NoteFile) -> str:
    """Return the text of a file: known properties, then the others as they were, then the text."""
    lines = [f"{name}: {_written(value)}" for name, value in note.known.items()]
    return "\n".join([FENCE, *lines, *note.others, FENCE, note.body, ""])


def digest_of(note: NoteFile) -> str:
    """Return the digest of what AgentOS wants in a file."""
    return digest(rendered(replace(note, others=())))


def _properties(lines: Sequence[str]) -> Iterable[tuple[str, str, list[str]]]:
    """Yield each property's name, its first line, and the lines that go on with it; comments count as others'."""
    found: list[tuple[str, str, list[str]]] = []
    for line in lines:
        begins = _PROPERTY.fullmatch(line.rstrip())
        if begins:
            found.append((begins[1].strip(), line.rstrip(), []))
        elif not line.strip() or line.startswith("#"):
            found.append(("", line, []))
        elif found and line[0] in " \t-":
            found[-1][2].append(line)
        else:
            raise Damaged(f"its front matter has an invalid line: {line[:40]!r}")
    return found


def _value(name: str, text: str, more: Sequence[str]) -> Value:
    items = [line.strip() for line in more if line.strip()]
    if items and not text:
        if not all(item == "-" or item.startswith("- ") for item in items):
            raise Damaged(f"{name} is neither a string nor a list")
        return tuple(filter(None, (_scalar(name, item[1:].strip()) for item in items)))
    if items:
        raise Damaged(f"{name} spans several lines; write it on one")
    if text.startswith("["):
        return _inline_list(name, text)
    value = _scalar(name, text)
    return ((value,) if value else ()) if name in LISTS and name != "tags" else value


def _scalar(name: str, text: str) -> str:
    if text.startswith('"'):
        try:
            value, end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            raise Damaged(f"{name} has an unclosed quotation mark or an invalid escape") from None
        _nothing_behind(name, text[end:])
        return str(value)
    if text.startswith("'"):
        closed = re.match(r"'((?:[^']|'')*+)'", text)
        if closed is None:
            raise Damaged(f"{name} has an unclosed quotation mark")
        _nothing_behind(name, text[closed.end() :])
        return closed[1].replace("''", "'")
    if text[:1] in "{}&*!|>%@`" and text:
        raise Damaged(f"{name} is neither a string nor a list")
    plain = text.partition(" #")[0].strip()
    return "" if plain in ("~", "null") or plain.startswith("#") else plain


def _inline_list(name: str, text: str) -> tuple[str, ...]:
    items: list[str] = []
    rest = text[1:].lstrip()
    while rest and not rest.startswith("]"):
        quoted = re.match(r"""("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')\s*+(?=[,\]])""", rest)
        if quoted:
            items.append(_scalar(name, quoted[1]))
            rest = rest[quoted.end() :]
        else:
            plain = re.match(r"[^,\]]*+", rest)
            item = plain[0].strip() if plain else ""
            if item[:1] in "\"'[{" and item:
                raise Damaged(f"{name} is a list with entries that are not strings")
            items.append(item)
            rest = rest[len(plain[0]) if plain else 0 :]
        rest = rest.removeprefix(",").lstrip() if rest.startswith(",") else rest
    if not rest:
        raise Damaged(f"{name} is a list without its closing ]")
    _nothing_behind(name, rest[1:])
    return tuple(filter(None, items))


def _nothing_behind(name: str, rest: str) -> None:
    if rest.strip() and not (rest[0] in " \t" and rest.lstrip().startswith("#")):
        raise Damaged(f"{name} has text after its end")


def _text(known: Mapping[str, Value], name: str) -> str:
    value = known.get(name, "")
    if not isinstance(value, str):
        raise Damaged(f"{name} must be one string, not a list")
    return value


def _compared(known: Mapping[str, Value]) -> dict[str, Value]:
    """Return properties in the form in which two writings of the same are equal."""
    found = {name: value for name, value in known.items() if value}
    if isinstance(listed := found.get("tags", ()), str):
        found["tags"] = tuple(tag.strip() for tag in listed.split(",") if tag.strip())
    return found


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_quoted, value))}]"
    return value if _PLAIN.fullmatch(value) and value not in ("null", "true", "false") else _quoted(value)


def _quoted(text: str) -> str:
    shown = json.dumps(text, ensure_ascii=False)
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in shown)


def _moment(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
