"""Records that other systems export, as JSON or CSV: tickets, pull requests and incidents, field by field."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from ....modules import foreign_files
from ....modules.errors import InvalidInput
from ....storage.imports import json_values, moments
from ..models import Signal
from .texts import address, day, reference, title

MOST_BYTES = 64 * foreign_files.MiB
MOST_RECORDS = 100_000
MOST_HEADING_CHARS = 4_000
TITLE = ("title", "summary", "name", "fields.summary", "Summary", "Title")
NUMBER = ("key", "identifier", "incident_number", "iid", "number", "Issue key", "ID", "id")
STATE = ("state.name", "state", "status.name", "fields.status.name", "status", "Status", "State")
CHANGED = (
    *("updated_at", "updatedAt", "fields.updated", "Updated", "last_status_change_at", "closedAt", "closed_at"),
    *("created_at", "createdAt", "fields.created", "Created", "started_at", "startedAt"),
)
PERSON = ("login", "displayName", "name", "username", "summary", "emailAddress")
OWNER = (
    *("assignee", "assignees", "fields.assignee", "Assignee", "assignments", "owner"),
    *("author", "user", "creator", "fields.reporter"),
)
LINK = ("html_url", "web_url", "url", "shortlink", "permalink")
LISTS = ("issues", "pull_requests", "merge_requests", "incidents", "data", "items", "nodes", "values")
"""The names under which a document keeps its records, where it is no list itself."""

Record = Mapping[str, Any]


def read(path: Path) -> Iterator[Record]:
    """Yield the records of a JSON document, JSON lines or CSV with a heading. Raises InvalidInput, OSError."""
    text = foreign_files.text(path, MOST_BYTES)
    is_json = text.lstrip()[:1] in ("[", "{")
    found = islice(_of_json(text.encode("utf-8", "replace")) if is_json else _of_csv(text), MOST_RECORDS)
    first = next(found, None)
    if first is None:
        raise InvalidInput("file", "has no records: export them as JSON, JSON lines or CSV with a heading")
    yield first
    yield from found


def signals(label: str, records: Iterable[Record]) -> list[Signal]:
    """Return what records say, those that changed last first; one without a title or a time says nothing.

    Raises InvalidInput where none says anything.
    """
    found = []
    for record in records:
        what, at = title(first(record, TITLE)), changed(record)
        if not what or at is None:
            continue
        number, state, owner = (
            title(str(text)) for text in (first(record, NUMBER), first(record, STATE), person(record))
        )
        link = next((where for one in LINK if (where := address(record.get(one, "")))), "")
        head = f"{label} {number}" if number else label
        text = f"{head} ({state.lower()}): {what}" if state else f"{head}: {what}"
        text += "".join((f"; {owner}" if owner else "", f"; last change on {day(at)}", f"; {link}" if link else ""))
        found.append(Signal(reference(label, number or what, link), text, at))
    if not found:
        raise InvalidInput("file", f"has no {label.lower()} with a title and the time of its last change")
    return sorted(found, key=lambda one: one.at, reverse=True)


def first(record: Record, names: Sequence[str]) -> Any:
    """Return the value of the first of these fields that has one, "" where none has; a dot leads into a field."""
    for name in names:
        value = _field(record, name)
        if value not in (None, "") and not isinstance(value, Mapping | list):
            return value
    return ""


def person(record: Record) -> str:
    """Return who a record belongs to, or who wrote it."""
    for name in OWNER:
        value = _field(record, name)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, Mapping) and isinstance(value.get("assignee"), Mapping):
            value = value["assignee"]
        found = first(value, PERSON) if isinstance(value, Mapping) else value
        if isinstance(found, str) and found.strip():
            return found
    return ""


def _field(record: Record, name: str) -> Any:
    """Return the value of a field, None where there is none; a dot leads into a field, unless it is in the name."""
    value: Any = record
    for part in (name,) if name in record else name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def changed(record: Record) -> datetime | None:
    """Return when a record changed last, in UTC."""
    text = moments.iso(first(record, CHANGED))
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _of_json(data: bytes) -> Iterator[Record]:
    for found in json_values.values(data, lambda value: isinstance(value, dict)):
        if isinstance(found, tuple):
            yield from _opened(found[1])


def _opened(value: Any) -> Iterator[Record]:
    """Yield the records that a value is, or holds under a name of LISTS."""
    if not isinstance(value, Mapping):
        return
    lists = [value[name] for name in LISTS if isinstance(value.get(name), list)]
    if lists and not first(value, TITLE):
        for entries in lists:
            yield from (entry for entry in entries if isinstance(entry, Mapping))
    else:
        yield value


def _of_csv(text: str) -> Iterator[Record]:
    heading = text[:MOST_HEADING_CHARS].split("\n", 1)[0]
    separator = max(",;\t", key=heading.count)
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
        yield from ({str(name): cell for name, cell in row.items()} for row in rows)
    except csv.Error as error:
        raise InvalidInput("file", f"is neither JSON nor CSV: {error}") from error
