"""What became of anchored code: the rules, over the code as it is now. Blocks where files are read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...modules.records import dataclass
from .code import ALIKE, Code, similarity
from .models import Anchor, Body, Place, Source, State

LEAST_WORDS = 10
"""The size of a body from which on it is known by itself: a shorter one, as of a stub, is like many."""
Renames = Mapping[str, str]
"""New names by the old ones."""


@dataclass(frozen=True)
class Finding:
    """Where anchored code is now, and whether it is as it was; `body` is the one to compare with from now on."""

    now: Place
    is_there: bool
    is_changed: bool
    body: Body


def judged(anchors: Sequence[Anchor], known: Renames, code: Code) -> list[Anchor]:
    """Return anchors as they stand now; those that cannot be judged, as while a file does not parse, stay as they were.

    What is renamed is found first: that a name in another body is the new one is no change of that body.
    """
    renames = {**known, **renames_of(anchors)}
    found: dict[int, Finding | None] = {}
    for _ in range(2):
        for number, anchor in enumerate(anchors):
            if (finding := _found(anchor, renames, code)) is not None:
                found[number] = finding
                if finding.now.name != anchor.now.name:
                    renames[anchor.now.name] = finding.now.name
    return [
        anchor if (finding := found.get(number)) is None else standing(anchor, finding)
        for number, anchor in enumerate(anchors)
    ]


def renames_of(anchors: Sequence[Anchor]) -> dict[str, str]:
    """Return the renames that are known already."""
    return {one.place.name: one.now.name for one in anchors if one.place.symbol and one.place.name != one.now.name}


def standing(anchor: Anchor, finding: Finding) -> Anchor:
    """Return an anchor with what was found; first of all that it is gone, then renamed, moved, changed."""
    now = finding.now
    if not finding.is_there:
        state = State.GONE
    elif now.symbol != anchor.place.symbol:
        state = State.RENAMED
    elif now.path != anchor.place.path:
        state = State.MOVED
    else:
        state = State.CHANGED if finding.is_changed else State.SAME
    return replace(anchor, now=now, state=state, body=finding.body)


def _found(anchor: Anchor, renames: Renames, code: Code) -> Finding | None:
    here = code.source(anchor.now.path)
    if here is not None and here.problem:
        return None
    if not anchor.now.symbol:
        return _file(anchor, here, code)
    if not code.parses(anchor.now.path) or (here is not None and not here.is_parsed):
        return None
    body = None if here is None else here.symbols.get(anchor.now.symbol)
    if here is not None and body is not None:
        if body.is_broken:
            return None
        is_same = body.digest == anchor.body.digest
        if is_same or _differs_in_names(anchor, body, renames, code):
            return Finding(anchor.now, True, False, anchor.body if is_same else body)
        return Finding(anchor.now, True, True, anchor.body)
    if here is not None and here.is_broken:
        return None
    return _elsewhere(anchor, renames, code)


def _file(anchor: Anchor, here: Source | None, code: Code) -> Finding:
    if here is not None and here.body is not None:
        return Finding(anchor.now, True, similarity(here.body, anchor.body) < ALIKE, anchor.body)
    likely = [
        (similarity(one.body, anchor.body), Place(one.path))
        for one in code.like(anchor.now.path)
        if one.body is not None and Place(one.path) not in anchor.beside
    ]
    best = max((chance for chance, _ in likely), default=0.0)
    places = [place for chance, place in likely if chance == best]
    if best >= ALIKE and len(places) == 1:
        return Finding(places[0], True, False, anchor.body)
    return Finding(anchor.now, False, False, anchor.body)


def _elsewhere(anchor: Anchor, renames: Renames, code: Code) -> Finding:
    """Return where a symbol that is no longer in its place is: in its file under another name, or in another file.

    What was there already when it was anchored is something else, and so is one of several that fit equally.
    """
    was, body = anchor.now, anchor.body
    fresh = [(place, one) for place, one in code.resembling(was, body) if place not in anchor.beside]
    own = code.source(was.path)
    if own is not None:
        fresh += [
            (place, one)
            for symbol, one in own.symbols.items()
            if (place := Place(was.path, symbol)) not in anchor.beside and not any(place == each for each, _ in fresh)
        ]
    is_known = body.size >= LEAST_WORDS

    def same(one: Body) -> bool:
        return one.digest == body.digest

    def alike(one: Body) -> bool:
        return same(one) or _differs_in_names(anchor, one, renames, code)

    for fitting in (
        [(place, one) for place, one in fresh if place.path == was.path and is_known and same(one)],
        [(place, one) for place, one in fresh if place.path == was.path and is_known and alike(one)],
        [(place, one) for place, one in fresh if place.name == was.name and same(one)],
        [(place, one) for place, one in fresh if place.name == was.name and is_known and alike(one)],
        [(place, one) for place, one in fresh if is_known and alike(one)],
        [(place, one) for place, one in fresh if place.symbol == was.symbol and place.path != was.path],
    ):
        if len(fitting) == 1:
            [(place, one)] = fitting
            return Finding(place, True, not alike(one), one)
    return Finding(was, False, False, body)


def _differs_in_names(anchor: Anchor, body: Body, renames: Renames, code: Code) -> bool:
    """Return whether a body is as it was but for names of other things that were renamed: the old ones are nowhere."""
    was = anchor.body
    if not was.shape or was.shape != body.shape or len(was.names) != len(body.names):
        return False
    pairs = [(old, new) for old, new in zip(was.names, body.names, strict=True) if old != new]
    own = anchor.now.name
    return all(renames.get(old) == new or old == own or (not code.named(old) and code.is_whole) for old, new in pairs)
