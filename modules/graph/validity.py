"""The validity of relations: stated by a text, or ended by a newer one of a type that holds one at a time."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from .models import LLM, ONE_AT_A_TIME, NodeRelation

_ALWAYS = datetime.min.replace(tzinfo=UTC)


def timeline(relations: Iterable[NodeRelation]) -> list[NodeRelation]:
    """Return the relations, each with the end that the others give it, whatever order they arrived in.

    A relation of a type that holds one at a time ends where the next one from its source to another target begins. One
    of weight 0 says that it no longer holds: it ends those before it, and is left out itself.
    """
    groups: dict[tuple[object, ...], list[NodeRelation]] = defaultdict(list)
    for each in relations:
        alone = each.type in ONE_AT_A_TIME
        groups[(each.source, each.type) if alone else (each.source, each.type, each.target)].append(each)
    return [each for group in groups.values() for each in _ended(sorted(group, key=_begins))]


def holding(relations: Iterable[NodeRelation], at: datetime) -> list[NodeRelation]:
    """Return the relations that hold at a moment, each pair and type once: the heaviest, from the earliest start."""
    by_pair: dict[tuple[int, str, int], NodeRelation] = {}
    for each in timeline(relations):
        if (each.start is None or each.start <= at) and (each.end is None or each.end > at):
            pair = (each.source, each.type, each.target)
            known = by_pair.get(pair)
            if known is None:
                by_pair[pair] = each
            else:
                heavier = each if each.weight > known.weight else known
                start = None if known.start is None or each.start is None else min(known.start, each.start)
                by_pair[pair] = replace(heavier, start=start)
    return list(by_pair.values())


def _begins(relation: NodeRelation) -> tuple[datetime, int, int]:
    return relation.start or _ALWAYS, relation.evidence or 0, relation.order


def _ended(group: Sequence[NodeRelation]) -> Iterable[NodeRelation]:
    for place, each in enumerate(group):
        if each.weight <= 0:
            continue
        following = next((later.start for later in group[place + 1 :] if _ends(later, each)), None)
        sooner = following is not None and (each.end is None or following < each.end)
        yield replace(each, end=following) if sooner else each


def _ends(later: NodeRelation, earlier: NodeRelation) -> bool:
    if later.method == LLM != earlier.method:
        return False  # what a language model read overrules nothing that was stated or read by rules
    return later.weight <= 0 if later.target == earlier.target else later.weight > 0
