"""The rules applied to texts and to whole JSON values: secrets are replaced by markers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ..records import dataclass
from ..redactor import Clean
from . import abroad, assignments, blocks, cookies, forms, hashes, links, names, nearby, tables
from . import emails as addresses
from .names import Class
from .spans import SecretSpan, lowered, marker, markers, occurrences, plain, settled, without

_PASSES = 4
"""Passes over a text: what is around a marker may now look like a secret; nearly always one pass settles it."""


OWN = "configured-secret"
"""The kind of a secret of our own settings."""


@dataclass(frozen=True)
class Redacted:
    """A text without its secrets, and the number of secrets by kind."""

    text: str
    kinds: Mapping[str, int]


def redact(text: str, *, emails: bool = False, own: Sequence[str] = ()) -> Redacted:
    """Replace each secret in a text by `[redacted:<kind>]`, with `emails` addresses too; idempotent.

    `own` are secrets known by their value, wherever they stand and in any case.
    """
    kinds: Counter[str] = Counter()
    for _ in range(_PASSES):
        spans = secrets_in(text, emails=emails, own=own)
        if not spans:
            break
        kinds.update(span.kind for span in spans)
        text = without(text, spans)
    return Redacted(text, kinds)


def secrets_in(text: str, *, emails: bool = False, own: Sequence[str] = ()) -> list[SecretSpan]:
    """Return the spans of the secrets of a text, in order."""
    read, places = plain(text)
    lower = lowered(read)
    hidden = blocks.private(read, lower)
    occupied = [(span.begin, span.end) for span in hidden]
    occupied += [(begin, end) for begin, end in markers(read) if not any(a <= begin < b for a, b in occupied)]
    candidates = chain(_known(lower, own), _candidates(read, lower, emails=emails))
    found = settled(candidates, sorted(occupied))
    return [
        SecretSpan(places[span.begin], places[span.end - 1] + 1, span.kind)
        for span in sorted([*hidden, *found], key=lambda span: span.begin)
    ]


def _known(lower: str, own: Sequence[str]) -> Iterator[SecretSpan]:
    for secret in map(lowered, own):
        for at in occurrences(lower, secret):
            yield SecretSpan(at, at + len(secret), OWN)


def _candidates(text: str, lower: str, *, emails: bool) -> Iterator[SecretSpan]:
    """Yield what each detector finds; most are not asked, since a text has nothing that they begin with."""
    if emails:
        yield from addresses.find(text)
    yield from forms.tokens(text)
    yield from links.find(text, lower)
    yield from hashes.find(text)
    yield from cookies.find(text, lower)
    yield from blocks.find(text, lower)
    yield from forms.numbers(text, lower)
    if announced := list(names.find(text, lower)):
        yield from assignments.find(text, announced)
    yield from blocks.given_to_commands(text, lower)
    if not text.isascii() or any(word in lower for word in abroad.IN_ASCII):
        yield from abroad.find(text, lower)
    if "\n" in text:
        yield from tables.find(text, lower)
    yield from nearby.find(text, lower)


class ValueWalk:
    """One traversal of a JSON value that counts what was redacted."""

    def __init__(self, *, emails: bool = False, own: Sequence[str] = ()) -> None:
        self.kinds: Counter[str] = Counter()
        self._emails = emails
        self._own = own

    def value(self, value: Any, name: names.Name | None = None) -> Any:
        match value:
            case str():
                return self._string(value, name)
            case dict():
                return self.object(value)
            case list() | tuple():
                return [self.value(entry, name) for entry in value]
            case int() if name is not None and not isinstance(value, bool) and name.category in _NUMERIC:
                return self._string(str(value), name) if assignments.announced(name, str(value)) else value
            case _:
                return value

    def object(self, value: Mapping[str, Any]) -> dict[str, Any]:
        labels = [value[label] for label in ("name", "key") if isinstance(value.get(label), str)]
        clean: dict[str, Any] = {}
        for name, entry in value.items():
            field = labels[0] if name == "value" and labels else name
            clean[_unused(self._string(name, None), clean)] = self.value(entry, names.read(field))
        return clean

    def under(self, name: str, value: Any) -> Any:
        return self.value(value, names.read(name))

    def _string(self, value: str, name: names.Name | None) -> str:
        is_clean = isinstance(value, Clean)
        redacted = Redacted(value, {}) if is_clean else redact(value, emails=self._emails, own=self._own)
        if name is not None and not redacted.kinds and assignments.announced(name, value):
            self.kinds[name.kind] += 1
            return Clean(marker(name.kind))
        self.kinds.update(redacted.kinds)
        return Clean(redacted.text)


def kinds(value: Any, *, emails: bool = False, own: Sequence[str] = ()) -> dict[str, int]:
    """Count the secrets in a JSON value by kind, the most frequent first."""
    walk = ValueWalk(emails=emails, own=own)
    walk.value(value)
    return dict(walk.kinds.most_common())


_NUMERIC = (Class.PASSWORD, Class.DIGITS)


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    """Return the name, numbered if another name became the same."""
    unused, number = name, 1
    while unused in taken:
        number += 1
        unused = f"{name} {number}"
    return unused
