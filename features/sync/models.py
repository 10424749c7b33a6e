"""What devices tell each other: entries of records, ordered by the devices' own counters and never by a clock. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ...modules.records import dataclass

Fields = Mapping[str, Any]
"""Column to value, as JSON."""

Stamp = tuple[int, str]
"""A count that grows with everything a device has heard, and the device: the later of two is the greater."""

Dot = tuple[str, int]
"""A device, and the number of its segment: the place of one entry of a record."""

Seen = Mapping[str, int]
"""For each device, up to which of its segments something is known."""


@dataclass(frozen=True)
class Kind:
    """How records of one kind are merged.

    `text` are the columns that change together, of which `said` may be contested; `groups` those of which the latest
    change of each group holds; `counts` those to which each device adds; `peaks` those of which the greatest holds.
    `is_final` where a deletion is: it also takes what others changed at the same time.
    """

    name: str
    text: tuple[str, ...]
    said: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts: tuple[str, ...] = ()
    peaks: tuple[str, ...] = ()
    has_history: bool = False
    is_final: bool = True


@dataclass(frozen=True)
class Body:
    """One record as a store holds it: its columns, and its earlier versions or notes."""

    fields: Fields
    history: Sequence[Fields] = ()


@dataclass(frozen=True)
class Entry:
    """A record as one device left it.

    `text_dot` is where its text was written, with `text_stamp`; `text_seen` covers the texts that this one replaces.
    """

    dot: Dot
    body: Body
    text_dot: Dot
    text_stamp: Stamp
    text_seen: Seen
    stamps: Mapping[str, Stamp]
    counts: Mapping[str, tuple[int, Sequence[int]]]
    """By device: at which of its segments it counted last, and what."""


@dataclass(frozen=True)
class State:
    """All that is known of a record: the entries that no other has replaced, and which ones have been."""

    seen: Seen = field(default_factory=dict)
    entries: Sequence[Entry] = ()
    is_gone: bool = False


@dataclass(frozen=True)
class Change:
    """What a device did to one record, having seen so much of it; without an entry it was deleted.

    Where it `has_expired`, that is not final: what another device changed unseen stays.
    """

    kind: str
    id: str
    seen: Seen
    dot: Dot
    entry: Entry | None
    has_expired: bool = False


@dataclass(frozen=True)
class Resolved:
    """A record as every device shows it, and the texts that contest its own, by the dots where they were written."""

    body: Body | None
    contesting: Mapping[Dot, Body] = field(default_factory=dict)


def covers(seen: Seen, dot: Dot) -> bool:
    """Return whether a dot is among what was seen."""
    return seen.get(dot[0], 0) >= dot[1]


def joined(*seen: Seen) -> dict[str, int]:
    """Return all of what was seen."""
    found: dict[str, int] = {}
    for one in seen:
        for device, number in one.items():
            found[device] = max(number, found.get(device, 0))
    return found


def entry_as_json(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON."""
    return {
        "dot": entry.dot,
        "fields": entry.body.fields,
        "history": list(entry.body.history),
        "text": [entry.text_dot, entry.text_stamp, entry.text_seen],
        "stamps": entry.stamps,
        "counts": entry.counts,
    }


def entry_of(value: Mapping[str, Any]) -> Entry:
    """Return the entry of `entry_as_json`. Raises KeyError, TypeError, ValueError for what is none."""
    text_dot, text_stamp, text_seen = value["text"]
    return Entry(
        _dot(value["dot"]),
        Body(dict(value["fields"]), [dict(one) for one in value["history"]]),
        _dot(text_dot),
        _stamp(text_stamp),
        seen_of(text_seen),
        {str(name): _stamp(one) for name, one in value["stamps"].items()},
        {str(name): (int(at), [int(one) for one in counted]) for name, (at, counted) in value["counts"].items()},
    )


def change_as_json(change: Change) -> dict[str, Any]:
    """Return a change as JSON."""
    entry = None if change.entry is None else entry_as_json(change.entry)
    named = {"kind": change.kind, "id": change.id, "seen": change.seen, "dot": change.dot}
    return {**named, "entry": entry, "expired": change.has_expired}


def change_of(value: Mapping[str, Any]) -> Change:
    """Return the change of `change_as_json`. Raises KeyError, TypeError, ValueError for what is none."""
    entry = None if value["entry"] is None else entry_of(value["entry"])
    name, dot = (str(value["kind"]), str(value["id"])), _dot(value["dot"])
    return Change(*name, seen_of(value["seen"]), dot, entry, bool(value["expired"]))


def state_as_json(state: State) -> dict[str, Any]:
    """Return a state as JSON."""
    return {"seen": state.seen, "entries": [entry_as_json(one) for one in state.entries], "gone": state.is_gone}


def state_of(value: Mapping[str, Any]) -> State:
    """Return the state of `state_as_json`."""
    return State(seen_of(value["seen"]), [entry_of(one) for one in value["entries"]], bool(value["gone"]))


def seen_of(value: Mapping[str, Any]) -> dict[str, int]:
    """Return what was seen, from JSON."""
    return {str(device): int(number) for device, number in value.items()}


def _dot(value: Sequence[Any]) -> Dot:
    device, number = value
    return str(device), int(number)


def _stamp(value: Sequence[Any]) -> Stamp:
    count, device = value
    return int(count), str(device)
