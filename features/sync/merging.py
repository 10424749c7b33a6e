"""The rules of a merge: what is known of a record follows from the set of changes alone, never from their order. Pure.

Of two texts that were written without knowledge of each other, the one with the greater stamp is shown; the other
contests it. Nothing here asks for the time.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...modules.records import dataclass
from .kinds import GOAL, KINDS, MEMORY
from .models import Body, Change, Dot, Entry, Fields, Kind, Resolved, Seen, Stamp, State, covers, joined

BEFORE = ""
"""Stands for all devices in the counts that a record had when it was first told."""
CONTESTED = "contested"
MAY_BE_CONTESTED = ("candidate", "active", "stale", CONTESTED)
AT_ONCE = "Set on another device at the same time:"


def learn(state: State, change: Change) -> State:
    """Return what is known of a record once a change of it is, too."""
    kind = KINDS[change.kind]
    if state.is_gone or covers(state.seen, change.dot):
        return state
    seen = joined(state.seen, change.seen, {change.dot[0]: change.dot[1]})
    if change.entry is None and kind.is_final and not change.has_expired:
        return State(seen, (), True)
    entries = [one for one in state.entries if not covers(change.seen, one.dot)]
    return State(seen, entries + ([] if change.entry is None else [change.entry]))


def resolve(kind: Kind, state: State) -> Resolved:
    """Return a record as all devices show it that know the same of it."""
    if not state.entries:
        return Resolved(None)
    groups = _texts(kind, state.entries)
    shown, *others = groups
    dots = {one.text_dot for group in others for one in group}
    heard = [one for one in state.entries if kind is GOAL or one.text_dot not in dots]
    main = _composed(kind, shown, heard)
    contesting = {}
    for group in others:
        contesting[group[0].text_dot] = _composed(kind, group, group)
    if kind is GOAL:
        return Resolved(_with_notes(main, contesting.values()))
    if kind is MEMORY and contesting:
        return Resolved(_contested(main), {dot: _contested(body) for dot, body in contesting.items()})
    return Resolved(main, contesting)


@dataclass(frozen=True)
class Writer:
    """Who writes: a device, the number of the segment it writes, and its count."""

    device: str
    number: int
    count: int

    @property
    def dot(self) -> Dot:
        return self.device, self.number

    @property
    def stamp(self) -> Stamp:
        return self.count, self.device


def write(kind: Kind, record_id: str, state: State, body: Body | None, writer: Writer) -> Change | None:
    """Return the change that makes of a known record what a store holds of it now; None where that is the same."""
    shown = resolve(kind, state)
    if state.is_gone or same(shown.body, body):
        return None
    if body is None:
        return Change(kind.name, record_id, state.seen, writer.dot, None)
    entry = _first(kind, body, writer) if shown.body is None else _next(kind, state, shown, shown.body, body, writer)
    return Change(kind.name, record_id, state.seen, writer.dot, entry)


def same(one: Body | None, other: Body | None) -> bool:
    """Return whether two bodies say the same."""
    if one is None or other is None:
        return one is other
    return one.fields == other.fields and list(one.history) == list(other.history)


def _first(kind: Kind, body: Body, writer: Writer) -> Entry:
    counts = {BEFORE: (0, [int(body.fields[one]) for one in kind.counts])} if kind.counts else {}
    stamps = dict.fromkeys(kind.groups, writer.stamp)
    return Entry(writer.dot, body, writer.dot, writer.stamp, {}, stamps, counts)


def _next(kind: Kind, state: State, shown: Resolved, before: Body, body: Body, writer: Writer) -> Entry:
    """Return the entry that replaces all that are known.

    What contested the text is written as records of their own by the caller: this one goes on alone.
    """
    winner = _texts(kind, state.entries)[0][0]
    texts = joined(
        *(one.text_seen for one in state.entries), *({one.text_dot[0]: one.text_dot[1]} for one in state.entries)
    )
    has_new_text = _differs(kind.text, before.fields, body.fields)
    text_dot, text_stamp = (writer.dot, writer.stamp) if has_new_text else (winner.text_dot, winner.text_stamp)
    if not has_new_text:
        texts = _without(texts, winner.text_dot)
    latest = _latest(kind, _heard(kind, state))
    stamps = {
        name: writer.stamp
        if _differs(columns, before.fields, body.fields) or (shown.contesting and name == "standing")
        else latest[name].stamps[name]
        for name, columns in kind.groups.items()
    }
    counts = dict(_counts(_heard(kind, state)))
    if _differs(kind.counts, before.fields, body.fields):
        _, own = counts.get(writer.device, (0, [0] * len(kind.counts)))
        added = [
            mine + int(body.fields[one]) - int(before.fields[one]) for mine, one in zip(own, kind.counts, strict=True)
        ]
        counts[writer.device] = (writer.number, added)
    return Entry(writer.dot, body, text_dot, text_stamp, texts, stamps, counts)


def _without(texts: Seen, dot: Dot) -> dict[str, int]:
    """Return what covers all these texts but one, the newest of its device."""
    left = dict(texts)
    left[dot[0]] = min(left[dot[0]], dot[1] - 1)
    return left


def _texts(kind: Kind, entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the entries whose texts no other has replaced, those of one text together, the one to show first."""
    living = [one for one in entries if not any(covers(other.text_seen, one.text_dot) for other in entries)]
    by_text: dict[str, list[Entry]] = {}
    for one in living:
        by_text.setdefault(json.dumps([one.body.fields[name] for name in kind.said]), []).append(one)
    groups = [sorted(group, key=_rank, reverse=True) for group in by_text.values()]
    return sorted(groups, key=lambda group: _rank(group[0]), reverse=True)


def _rank(entry: Entry) -> tuple[Stamp, Dot]:
    return entry.text_stamp, entry.dot


def _heard(kind: Kind, state: State) -> list[Entry]:
    """Return the entries that tell of the shown text, not of one that contests it; of a goal all do."""
    if kind is GOAL:
        return list(state.entries)
    contesting = {one.text_dot for group in _texts(kind, state.entries)[1:] for one in group}
    return [one for one in state.entries if one.text_dot not in contesting]


def _composed(kind: Kind, texts: Sequence[Entry], entries: Sequence[Entry]) -> Body:
    """Return one body of entries: the text of the first of `texts`, and of all the latest, the sum or the greatest."""
    fields: dict[str, Any] = {name: texts[0].body.fields[name] for name in kind.text}
    latest = _latest(kind, entries)
    for name, columns in kind.groups.items():
        fields |= {column: latest[name].body.fields[column] for column in columns}
    if len(entries) == 1:
        names = (*kind.counts, *kind.peaks)
        return Body(fields | {name: entries[0].body.fields[name] for name in names}, entries[0].body.history)
    counted = _counts(entries).values()
    for place, name in enumerate(kind.counts):
        fields[name] = max(0, sum(counts[place] for _, counts in counted))
    for name in kind.peaks:
        fields[name] = max(one.body.fields[name] for one in entries)
    history = _history(kind, [one.body.history for one in entries])
    if kind is MEMORY:
        fields["version"] = max(fields["version"], len(history) + 1)
    return Body(fields, history)


def _latest(kind: Kind, entries: Sequence[Entry]) -> dict[str, Entry]:
    return {name: max(entries, key=lambda one: (one.stamps[name], one.dot)) for name in kind.groups}


def _counts(entries: Iterable[Entry]) -> dict[str, tuple[int, Sequence[int]]]:
    found: dict[str, tuple[int, Sequence[int]]] = {}
    for one in entries:
        for device, counted in one.counts.items():
            found[device] = max(found.get(device, counted), counted, key=lambda each: (each[0], list(each[1])))
    return found


def _history(kind: Kind, histories: Sequence[Sequence[Fields]]) -> list[Fields]:
    """Return all that any of these holds, in one order; versions are numbered anew where they are not all the same."""
    if not kind.has_history or all(list(one) == list(histories[0]) for one in histories):
        return list(histories[0])
    if kind is not MEMORY:
        notes = {_key(one): one for history in histories for one in history}
        return sorted(notes.values(), key=lambda one: (one["at"], one["text"]))
    found: dict[str, Fields] = {}
    for one in sorted((one for history in histories for one in history), key=lambda each: each["replaced_at"]):
        found.setdefault(_key({**one, "replaced_at": 0}), one)
    ordered = sorted(found.items(), key=lambda each: (each[1]["version"], each[0]))
    return [{**one, "version": place} for place, (_, one) in enumerate(ordered, start=1)]


def _key(fields: Fields) -> str:
    return json.dumps(fields, sort_keys=True)


def _contested(body: Body) -> Body:
    status = CONTESTED if body.fields["status"] in MAY_BE_CONTESTED else body.fields["status"]
    return replace(body, fields={**body.fields, "status": status})


def _with_notes(body: Body, contesting: Iterable[Body]) -> Body:
    """Return a goal with what contested its texts as notes: a goal has no other place for these."""
    notes = list(body.history)
    for one in contesting:
        said = " — ".join(filter(None, (str(one.fields["title"]), str(one.fields["description"]))))
        note = {"at": one.fields["updated_at"], "text": f"{AT_ONCE} {said}"}
        notes += [note] if note not in notes else []
    return replace(body, history=sorted(notes, key=lambda note: (note["at"], note["text"])))


def _differs(columns: Iterable[str], one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return any(one[name] != other[name] for name in columns)
