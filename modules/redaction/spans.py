"""Spans of a text that hold a secret, and the text with markers in their place."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

OPENING, CLOSING = "[redacted:", "]"
_LONGEST_KIND = 40


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text, by characters, and the kind of secret that it is."""

    begin: int
    end: int
    kind: str


def marker(kind: str) -> str:
    """Return the marker that replaces a secret."""
    return f"{OPENING}{kind}{CLOSING}"


def markers(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of the markers in a text, in order."""
    found = []
    at = text.find(OPENING)
    while at >= 0:
        kind = at + len(OPENING)
        end = text.find(CLOSING, kind, kind + _LONGEST_KIND + 1)
        if end > kind and text[kind:end].replace("-", "").isalnum():
            found.append((at, end + 1))
            at = text.find(OPENING, end)
        else:
            at = text.find(OPENING, kind)
    return found


def settled(spans: Iterable[Span], kept: Sequence[tuple[int, int]]) -> list[Span]:
    """Return the spans in order without overlaps; none touches a `kept` range.

    Of spans with one begin the longest is taken; those that overlap become one.
    """
    begins = [begin for begin, _ in kept]
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.begin, -span.end)):
        near = bisect_left(begins, span.end)
        if span.begin >= span.end or (near and kept[near - 1][1] > span.begin):
            continue
        if chosen and span.begin < chosen[-1].end:
            if span.end > chosen[-1].end:  # nothing of either may stay in the text
                chosen[-1] = Span(chosen[-1].begin, span.end, chosen[-1].kind)
            continue
        chosen.append(span)
    return chosen


def without(text: str, spans: Sequence[Span], name: Callable[[str], str] = marker) -> str:
    """Return the text with each span replaced by a marker."""
    return "".join(_pieces(text, spans, name))


def _pieces(text: str, spans: Sequence[Span], name: Callable[[str], str]) -> Iterator[str]:
    at = 0
    for span in spans:
        yield text[at : span.begin]
        yield name(span.kind)
        at = span.end
    yield text[at:]
