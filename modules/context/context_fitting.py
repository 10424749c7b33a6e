"""Fitting: the parts of a context without copies, and as much of them as a budget of tokens holds."""

import dataclasses
from collections.abc import Sequence

from ..errors import InvalidInput
from ..memory.near_duplicates import plain
from ..records import dataclass
from ..views.contexts import Context, ContextEntry, ContextPart
from ..views.texts import as_json
from .allotment import allot
from .ports import Material
from .tokens import estimate

MAX_OMITTED = 9_999


@dataclass(frozen=True)
class FittedPart:
    """The entries of one part, best first. A dialogue is in its own order, latest last, without ids."""

    name: str
    share: float
    material: Sequence[Material]
    is_dialogue: bool = False


def without_copies(parts: Sequence[FittedPart]) -> list[FittedPart]:
    """Return the parts without what an earlier entry says in the same words, in any case; a dialogue stays whole."""
    seen: set[str] = set()
    distinct = []
    for part in parts:
        material = []
        for one in part.material:
            form = plain(one.text).casefold()
            if form not in seen or part.is_dialogue:
                material.append(one)
            seen.add(form)
        distinct.append(dataclasses.replace(part, material=material))
    return distinct


def fitted(empty: Context, parts: Sequence[FittedPart], max_tokens: int, keeps_lists: bool) -> tuple[Context, int]:
    """Return as much of the parts as fits, by their shares, and what it costs: never more than `max_tokens`.

    Raises InvalidInput when not even the empty context fits.
    """
    entries = [
        [ContextEntry(one.text, one.label, None if part.is_dialogue else one.id) for one in part.material]
        for part in parts
    ]
    total = sum(map(len, entries))

    def compose(counts: Sequence[int]) -> Context:
        chosen = []
        for part, waiting, count in zip(parts, entries, counts, strict=True):
            chosen_entries = waiting[:count]
            if chosen_entries or keeps_lists:
                chosen.append(
                    ContextPart(part.name, tuple(reversed(chosen_entries) if part.is_dialogue else chosen_entries))
                )
        return dataclasses.replace(empty, parts=tuple(chosen), omitted=total - sum(counts))

    least = cost(dataclasses.replace(compose([0] * len(parts)), omitted=MAX_OMITTED))
    if least > max_tokens:
        raise InvalidInput("max_tokens", f"must be at least {least} here")
    prices = [[_price(entry) for entry in waiting] for waiting in entries]
    if not keeps_lists:  # a part that is there has its tags, which its first entry pays for
        for part, waiting in zip(parts, prices, strict=True):
            waiting[:1] = [price + _price_of_tags(part.name) for price in waiting[:1]]
    counts = allot(prices, [part.share for part in parts], max_tokens - least)
    made = compose(counts)
    while (spent := cost(made)) > max_tokens:  # prices are of single lines; what counts is the whole
        last = max((place for place, count in enumerate(counts) if count), key=lambda place: counts[place])
        counts[last] -= 1
        made = compose(counts)
    return made, spent


def cost(context: Context) -> int:
    """Return the tokens of a context in its dearer form, text or JSON: clients show the model one or the other."""
    return max(estimate(context.as_text()), estimate(as_json(context)))


def _price(entry: ContextEntry) -> int:
    return max(estimate(entry.line()), estimate(as_json(entry))) + 1


def _price_of_tags(name: str) -> int:
    return max(estimate(f"<{name}>\n</{name}>\n"), estimate(as_json(ContextPart(name, ())))) + 1
