"""The plan of a merge: what each memory of a branch means for its origin, and which watches name it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..facts.conflicts import contested
from ..memory.models import HIDDEN, Memory, Status
from ..memory.vouching import seal
from .models import Branch, Governance, MergePlan, MergeStep, Offered, Point, StepKind, Watch


def plan(
    branch: Branch,
    offered: Sequence[Offered],
    origin: Mapping[str, Memory],
    governance: Governance,
    vouched: frozenset[str] = frozenset(),
) -> MergePlan:
    """Return what a merge would do; `origin` are the memories there that points name, by id.

    Nothing of the origin that has changed since the fork, or the last merge, is written over: that is a conflict. So
    is a change of what a person vouches for, whose ids are given: no merge carries another text under such an id.
    """
    steps: list[MergeStep] = []
    known: list[tuple[Memory, Memory]] = []
    left = 0
    for one in offered:
        if one.same is not None:
            known.append((one.memory, one.same))
            continue
        step = _step(one, origin)
        if step is not None and step.kind is StepKind.MERGE and _breaks(step, vouched):
            step = replace(step, kind=StepKind.CONFLICT, revises=False)
        if step is None:
            left += 1
            continue
        steps.append(_watched(replace(step, files=one.files), one.rivals, governance.watches))
    return MergePlan(branch, tuple(steps), tuple(known), left, governance.review)


def _step(one: Offered, origin: Mapping[str, Memory]) -> MergeStep | None:
    """Return what becomes of a memory; None where the origin has ended, hidden or erased what it comes from."""
    if one.point is not None:
        there = origin.get(one.point.origin_id)
        if there is None or not _holds(there):
            return None
        says_otherwise = (one.memory.content, one.memory.slot) != (there.content, there.slot)
        against = _excluded(one.memory, [rival for rival in one.rivals if rival != there]) if says_otherwise else []
        if _is_as_it_was(there, one.point) and not against:
            return MergeStep(StepKind.MERGE, one.memory, (there,), revises=True)
        return MergeStep(StepKind.CONFLICT, one.memory, (there, *against))
    replaced = [origin[point.origin_id] for point in one.replaces if point.origin_id in origin]
    standing = [there for there in replaced if _holds(there)]
    others = [rival for rival in one.rivals if rival not in replaced]
    against = _excluded(one.memory, others)
    if against:
        return MergeStep(StepKind.CONFLICT, one.memory, tuple(against))
    if one.replaces and all(_is_gone(origin.get(point.origin_id)) for point in one.replaces):
        return None
    if not standing:
        return MergeStep(StepKind.CREATE, one.memory)
    unchanged = all(_is_as_it_was(origin[p.origin_id], p) for p in one.replaces if p.origin_id in origin)
    return MergeStep(StepKind.MERGE if unchanged else StepKind.CONFLICT, one.memory, tuple(standing))


def _breaks(step: MergeStep, vouched: frozenset[str]) -> bool:
    """Return whether a step ends what a person vouches for, or has it read otherwise than they saw it."""
    return any(one.id in vouched and not (step.revises and seal(one) == seal(step.memory)) for one in step.concerns)


def _excluded(memory: Memory, rivals: Sequence[Memory]) -> list[Memory]:
    """Return the rivals that cannot be true together with a memory."""
    judged = contested(memory, rivals, "")
    against = () if judged is None or judged.approval is None else judged.approval.old
    return [rival for rival in rivals if rival.id in against]


def _holds(memory: Memory) -> bool:
    return memory.status not in (*HIDDEN, Status.CONTESTED) and memory.valid_to is None


def _is_gone(memory: Memory | None) -> bool:
    return memory is None or memory.status is Status.FORGOTTEN


def _is_as_it_was(memory: Memory, point: Point) -> bool:
    return memory.version == point.origin_version


def _watched(step: MergeStep, rivals: Sequence[Memory], watches: Iterable[Watch]) -> MergeStep:
    """Return a step with the watches that name what it changes, or what the rules may let its memory replace."""
    concerned = (step.memory, *step.concerns, *(rival for rival in rivals if rival.valid_to is None))
    found = tuple(watch for watch in watches if any(watch.names(memory) for memory in concerned))
    return replace(step, watches=found)
