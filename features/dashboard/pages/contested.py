"""Contested and stale: what contradicts another memory, may be outdated, or was not used for long, side by side."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ....modules.anchoring import AnchoredCode
from ....modules.approvals.models import Approval, ApprovalStatus
from ....modules.errors import Conflict, InvalidInput, NotFound, PermissionDenied
from ....modules.facts.models import BOTH_HOLD, EVIDENCE_OF, MAY_SUPERSEDE, RELATES_TO
from ....modules.memory.models import Memory, MemoryFilter, Slot, Status
from ....modules.records import dataclass
from .. import html, paging
from ..visit import Redirect, Shown, Undo, Visit
from .approvals import PERSON as DECIDER

ACTION = "resolve_contest"
CONTESTED, OUTDATED, STALE = KINDS = ("contested", "outdated", "stale")
CODE, DROP = "code", "drop"
"""The kind of notes whose code changed, which is there once a folder is followed."""
PAGE = 20
"""The memories on a page that wait for a judgement, each beside what it is compared with."""
PERSON = "human"
VERDICTS = ("older", "newer", "both")
AGAIN = "again"
OF_STALE = MemoryFilter(statuses=(Status.STALE,))


@dataclass(frozen=True)
class ContestedPair:
    """A memory and the one that it is compared with, if any, each in pieces with whether they differ."""

    memory: Memory
    other: Memory | None
    pieces: tuple[html.Pieces, html.Pieces]


@dataclass(frozen=True)
class Contest:
    """A question to a person: which holds, a newer memory or the older ones that it contradicts.

    `seen` tells this very question with these very texts from any other.
    """

    approval: Approval
    memories: Sequence[Memory]

    @property
    def seen(self) -> str:
        memories = (f"{one.id}:{one.version}" for one in self.memories)
        return " ".join([f"{self.approval.id}:{self.approval.version}", *memories])


async def show(visit: Visit, path: str) -> Shown:
    """Show a page of one kind, by default the first that is not empty: each memory next to its counterpart."""
    waiting = [one for one in (await visit.agentos.approvals.inbox(visit.namespace)).approvals if one.action == ACTION]
    newer = await _newer(visit)
    totals = {CONTESTED: len(waiting), OUTDATED: len(newer)}
    marked = await _marked(visit)
    kinds = KINDS if marked is None else (*KINDS, CODE)
    totals |= {} if marked is None else {CODE: len(marked)}
    kind = visit.given("kind")
    if kind not in kinds:
        kind = next((one for one, total in totals.items() if total), STALE)
    stale: Sequence[Memory] = ()
    if kind == STALE:  # to count them every memory is read: the other kinds do without
        totals[STALE], stale = await _unused(visit, paging.asked(visit))
    page = paging.page_of(visit, "/contested", totals[kind], PAGE, kind=kind)
    chosen = slice(page.begin, page.begin + PAGE)
    values: dict[str, Any] = {"contests": [], "pairs": [], "marked": []}
    if kind == CONTESTED:
        values["contests"] = await _contests(visit, waiting[chosen])
    elif kind == CODE:
        values["marked"] = (marked or [])[chosen]
    elif kind == OUTDATED:
        values["pairs"] = await _outdated(visit, dict(list(newer.items())[chosen]))
    else:
        values["pairs"] = await _beside(visit, stale)
    return Shown(
        "contested.html",
        {
            **values,
            "kinds": kinds,
            "kind": kind,
            "totals": totals,
            "page": page.number,
            "earlier": page.earlier,
            "later": page.later,
            "may_decide": visit.login.is_person,
            "may_write": visit.may_write,
        },
    )


async def _marked(visit: Visit) -> list[Sequence[AnchoredCode]] | None:
    """Return the notes whose code was renamed, moved, changed or is gone; None where no folder is followed."""
    anchors = await visit.agentos.anchors()
    if anchors is None:
        return None
    found = await anchors.views(visit.namespace, marked=True)
    return [tuple(of_one) for _, of_one in groupby(found, lambda one: one.memory_id)]


async def drop(visit: Visit, memory_id: str) -> None:
    """Drop the anchor of a note to the place that was given. Raises NotFound, PermissionDenied."""
    if (anchors := await visit.agentos.anchors()) is None:
        raise NotFound(visit.text("errors.no_anchor"))
    await anchors.remove(visit.caller.writing(visit.namespace), memory_id, visit.given("place"))


async def _contests(visit: Visit, approvals: Sequence[Approval]) -> list[tuple[Contest, list[ContestedPair]]]:
    """Return the contests as pairs of older and newer memory, without pairs of which one is gone."""
    found = await _found(visit, [name for approval in approvals for name in _ids(approval)])
    contests = [contest for approval in approvals if (contest := _contest(approval, found)) is not None]
    pairs = iter(await _compared([(old, one.memories[0]) for one in contests for old in one.memories[1:]]))
    return [(one, [next(pairs) for _ in one.memories[1:]]) for one in contests]


def _contest(approval: Approval, found: Mapping[str, Memory]) -> Contest | None:
    """Return a question; None where a memory of it is gone: it goes with the next change."""
    names = _ids(approval)
    if len(names) < 2 or not all(name in found for name in names):
        return None
    return Contest(approval, [found[name] for name in names])


def _ids(approval: Approval) -> list[str]:
    """Return the ids of the newer memory and of all older ones."""
    return [str(approval.payload.get("new", "")), *(str(one) for one in approval.payload.get("old", ()))]


async def _newer(visit: Visit) -> dict[str, list[str]]:
    """Return by the ids of memories those that may have replaced them, unless both hold; the last noticed first."""
    links = await visit.agentos.lifecycle.links(visit.namespace, MAY_SUPERSEDE)
    older = list({link.to_id for link in links})
    hold = await visit.agentos.memory.related(visit.namespace, older, (BOTH_HOLD,))
    settled = {(link.from_id, link.to_id) for link in hold}
    found: dict[str, list[str]] = {}
    for link in reversed(links):
        if (link.from_id, link.to_id) not in settled:
            found.setdefault(link.to_id, []).append(link.from_id)
    return found


async def _outdated(visit: Visit, newer: Mapping[str, Sequence[str]]) -> list[ContestedPair]:
    """Return memories with their likeliest replacement, without those that no longer have one."""
    found = await _found(visit, [*newer, *(name for names in newer.values() for name in names)])
    memories = [found[name] for name in newer if name in found]
    pairs = [(one, found.get(one.outdated_by or "")) for one in memories]
    return await _compared([(one, other) for one, other in pairs if other is not None])


async def _unused(visit: Visit, page: int) -> tuple[int, Sequence[Memory]]:
    """Return how many memories are stale, and those of a page, or of the last one."""
    found = await visit.agentos.memory.page(visit.namespace, OF_STALE, PAGE, (page - 1) * PAGE)
    if page > (last := paging.last(found.total, PAGE)):
        return await _unused(visit, last)
    return found.total, found.memories


async def _beside(visit: Visit, stale: Sequence[Memory]) -> list[ContestedPair]:
    """Return stale memories, each with the most similar current one, if any."""
    alike: dict[str, list[str]] = {one.id: [] for one in stale}
    for link in await visit.agentos.memory.related(visit.namespace, list(alike), (RELATES_TO, EVIDENCE_OF)):
        for name, other in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
            if name in alike:
                alike[name].append(other)
    found = await _found(visit, [name for names in alike.values() for name in names])
    current = {name for name, one in found.items() if one.status is Status.ACTIVE and one.valid_to is None}
    nearest = {name: next((one for one in names if one in current), "") for name, names in alike.items()}
    return await _compared([(one, found.get(nearest[one.id])) for one in stale])


async def _found(visit: Visit, names: Sequence[str]) -> dict[str, Memory]:
    return {one.id: one for one in await visit.agentos.browsing.named(visit.namespace, names)}


async def _compared(pairs: Sequence[tuple[Memory, Memory | None]]) -> list[ContestedPair]:
    return await asyncio.to_thread(list, _differing(pairs))


def _differing(pairs: Sequence[tuple[Memory, Memory | None]]) -> Iterator[ContestedPair]:
    for one, other in pairs:
        alone = (((False, one.content),), ())
        yield ContestedPair(one, other, alone if other is None else html.differing(one.content, other.content))


async def act(visit: Visit, path: str) -> Redirect:
    """Decide as a person, about what was shown: newer, older or all hold; or judge one that is outdated or stale.

    Raises AgentOSError.
    """
    verdict = visit.given("do")
    if verdict in ("confirm", "supersede", "archive"):
        return await _judge(visit, verdict, visit.given("id"))
    if verdict == DROP:
        await drop(visit, visit.given("id"))
        return _back(visit, "anchor_dropped", None)
    if verdict == AGAIN and visit.by == PERSON:
        await visit.agentos.memory.state(visit.namespace, visit.given("id"), _slot(visit))
        return Redirect("/contested", {"done": "contested_again"})
    if visit.decisions is None or not visit.may("owner"):
        raise PermissionDenied(visit.text("errors.no_decider"))
    if verdict not in VERDICTS:
        raise InvalidInput("do", visit.text("errors.one_of", names=", ".join(VERDICTS)))
    approval = await visit.agentos.approvals.get(visit.namespace, visit.given("id"))
    if approval.action != ACTION or approval.status is not ApprovalStatus.PENDING:
        raise NotFound(visit.text("errors.not_contested"))
    contest = _contest(approval, await _found(visit, _ids(approval)))
    if contest is None or contest.seen != visit.given("seen"):
        raise Conflict(visit.text("errors.contest_changed"))
    if verdict == "both":
        await visit.agentos.lifecycle.revert(visit.namespace, contest.memories[0].id, PERSON, keep_both=True)
        return _back(visit, "kept_both", undo=_again(contest.memories[0]))
    status = ApprovalStatus.APPROVED if verdict == "newer" else ApprovalStatus.REJECTED
    await visit.decisions.decide(approval, status, DECIDER)
    await visit.agentos.approvals.executor.run_due()
    done = "newer_holds" if verdict == "newer" else "older_holds"
    return _back(visit, done, await visit.undo_of(contest.memories[0].id))


def _again(memory: Memory) -> Undo | None:
    """Return the form that lets a memory state again what it was contested for, which keeping both took from it."""
    slot = memory.slot
    if slot is None:
        return None
    denied = "" if slot.polarity else "1"
    fields = {"subject": slot.subject, "attribute": slot.attribute, "value": slot.value or "", "denied": denied}
    return Undo("/contested", {"do": AGAIN, "id": memory.id, "confidence": f"{slot.confidence}", **fields})


def _slot(visit: Visit) -> Slot:
    value, confidence = visit.given("value") or None, visit.number("confidence", 1)
    return Slot(visit.given("subject"), visit.given("attribute"), value, confidence, not visit.given("denied"))


async def _judge(visit: Visit, verdict: str, memory_id: str) -> Redirect:
    """Say what becomes of a memory that is stale or may be outdated. Raises AgentOSError."""
    if verdict == "archive":
        await visit.agentos.lifecycle.archive(visit.caller.writing(visit.namespace), memory_id, visit.by)
        return _back(visit, "archived", await visit.undo_of(memory_id))
    by = visit.given("by") if verdict == "supersede" else None
    if by:
        await visit.agentos.lifecycle.feedback(visit.caller.writing(visit.namespace), memory_id, verdict, by, visit.by)
    else:
        await visit.call("memory_feedback", memory_id=memory_id, verdict=verdict)
    return _back(visit, "superseded" if by else "confirmed", await visit.undo_of(memory_id))


def _back(visit: Visit, done: str, undo: Undo | None) -> Redirect:
    """Return the way back to the page that the form was sent from."""
    return Redirect(
        "/contested",
        {"done": done, "kind": visit.given("kind"), "page": visit.given("page")},
        undo,
    )
