"""The judgement service: verdicts of agents, humans and jobs about memories, each of which can be undone exactly."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import inputs, offload
from ..clock import Clock
from ..errors import Conflict, InvalidInput, NotFound, PermissionDenied
from ..facts.models import MAY_SUPERSEDE, SUPERSEDES, Relation
from ..framing import quote
from . import lifecycle, vouching
from . import rollback as rollbacks
from .conflict_resolution import SUPERSEDED, Decision
from .lifecycle import Verdict
from .models import HIDDEN, Change, Memory, MemoryFilter, MemoryVersion, Status, require_version
from .outdated import told_with, with_newer
from .questions import Question, still_open
from .rollback import Rollback
from .service import no_memory

if TYPE_CHECKING:
    from ...storage.repositories.archive import ArchiveRepository
    from ...storage.repositories.lifecycle import LifecycleRepository
    from ...storage.repositories.memories import MemoriesRepository

AGENT, HUMAN, JOB = "agent", vouching.HUMAN, "job"
FEEDBACK = (Verdict.CONFIRM, Verdict.REJECT, Verdict.SUPERSEDE)
AGAINST = (Verdict.REJECT, Verdict.ARCHIVE, Verdict.FORGET)
"""Verdicts after which answers show a memory less, or not at all."""
RESOLVE = "resolve"
CHANGES_SHOWN = 20
LINKS_SHOWN = 1_000
QUESTIONS_SHOWN = 30
ROLLED_AT_ONCE = 1_000
JUDGED_AT_ONCE = 200
CHANGES_OF_ONE = 100
"""Changes of one memory that a rollback looks at."""


class LifecycleService:
    """Verdicts about memories over one store; every one is a change that can be reverted."""

    def __init__(
        self,
        repository: "MemoriesRepository[Any]",
        archive: "ArchiveRepository",
        standings: "LifecycleRepository",
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._archive = archive
        self._changes = standings
        self.clock = clock

    async def feedback(
        self, namespace: str, memory_id: str, verdict: str, superseded_by: str | None = None, by: str = AGENT
    ) -> tuple[Memory, Change | None]:
        """Confirm or reject a memory, or say what supersedes it; return the memory as it stands then, and the change.

        Raises NotFound, InvalidInput; Conflict where its status does not allow it, or where a human is to decide.
        """
        chosen = inputs.choice("verdict", verdict, Verdict)
        if chosen not in FEEDBACK:
            raise InvalidInput("verdict", f"must be one of {', '.join(FEEDBACK)}")
        if chosen is Verdict.SUPERSEDE and superseded_by is None:
            raise InvalidInput("by", "is missing; give the id of the memory that supersedes this one")
        if chosen is not Verdict.SUPERSEDE and superseded_by is not None:
            raise InvalidInput("by", "has a meaning only for supersede; leave it out")
        if superseded_by == memory_id:
            raise InvalidInput("by", "is the same memory; give the id of the newer one")
        if superseded_by is None:
            return await self._say(namespace, memory_id, chosen, by)
        return await self._supersede(namespace, memory_id, superseded_by, by)

    async def vouch(self, namespace: str, shown: Memory) -> Memory:
        """Record that a person confirms a memory as it was shown to them; return it as it stands then.

        Raises PermissionDenied if it reads otherwise by now; NotFound, and Conflict where it is hidden or ends.
        """

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            if not memories:
                raise no_memory(shown.id)
            [memory] = memories
            if vouching.seal(memory) != vouching.seal(shown):
                raise PermissionDenied(f"{memory.id} has changed since it was shown; review it again")
            if memory.status in HIDDEN or memory.valid_to is not None or memory.expires_at is not None:
                raise Conflict(f"{memory.id} is no longer shown, or ends or expires: it cannot hold at every moment")
            standings = {memory.id: lifecycle.after(Verdict.CONFIRM, memory)}
            return [Decision(Verdict.CONFIRM, memory.id, vouching.reason(memory), standings, upholds=True)]

        await self._changes.judge(namespace, [shown.id], decide, HUMAN, self.clock())
        return await self._as_it_stands(namespace, shown.id)

    async def vouch_again(self, namespace: str, payload: Mapping[str, Any]) -> Memory:
        """Record that a person confirms a memory as it was rewritten. Raises as `vouch` does."""
        memory = await self._as_it_stands(namespace, str(payload["memory"]))
        if vouching.seal(memory) != payload["seal"]:
            raise PermissionDenied(f"{memory.id} has changed since it was shown; review it again")
        return await self.vouch(namespace, memory)

    async def describe_rewritten(self, namespace: str, payload: Mapping[str, Any]) -> list[str]:
        """Describe a memory that was rewritten in lines for a human: as it reads now, and as it read before."""
        name = str(payload["memory"])
        memory = await self._repository.get(namespace, name)
        if memory is None or memory.status is Status.FORGOTTEN:
            return [f"{name}: is gone"]
        lines = [f"reads now: {memory.content}", _context_line(memory)]
        for before in (await self._archive.history(namespace, name))[:1]:
            lines += [f"read before: {before.content}", _context_line(before)]
        return lines

    async def archive(
        self, namespace: str, memory_id: str, by: str = AGENT, version: int | None = None
    ) -> tuple[Memory, Change | None]:
        """Take a memory out of every answer until it is restored. Raises NotFound, Conflict."""
        return await self._say(namespace, memory_id, Verdict.ARCHIVE, by, version=version)

    async def forget(
        self, namespace: str, memory_id: str, by: str = AGENT, version: int | None = None
    ) -> tuple[Memory, Change | None]:
        """Hide a memory everywhere; it is erased when its retention ends, unless that is reverted.

        Summaries that were made of it are archived with it, and unconfirmed facts that were found in it alone: they
        tell what it said. Raises NotFound; Conflict where it is at another `version`.
        """
        made = await self._changes.derived(namespace, [memory_id])
        return await self._say(namespace, memory_id, Verdict.FORGET, by, made, version)

    async def restore(self, namespace: str, memory_id: str, by: str = AGENT) -> tuple[Memory, Change | None]:
        """Make an archived, forgotten or stale memory active again. Raises NotFound."""
        return await self._say(namespace, memory_id, Verdict.RESTORE, by)

    async def reused(self, namespace: str, memory_id: str, by: str = JOB) -> tuple[Memory, Change | None]:
        """Note that an answer was built on a memory: it is surer, and no candidate any more. Raises NotFound."""
        return await self._say(namespace, memory_id, Verdict.REUSE, by)

    async def revert(
        self, namespace: str, subject: str, by: str = AGENT, *, keep_both: bool = False
    ) -> tuple[Change, list[Memory]]:
        """Undo a change by its id, or the newest one about a memory, by its id; return it and the memories it concerns.

        What had superseded or contested others is archived, or kept beside them without its slot (`keep_both`).
        Raises NotFound, Conflict, PermissionDenied.
        """
        inputs.text("memory_id", subject, 200)
        change = await self._changes.revert(namespace, subject, by, self.clock(), keep_both=keep_both)
        found = {memory.id: memory for memory in await self._repository.fetch(namespace, list(change.after))}
        return change, [found[name] for name in change.after if name in found]

    async def undo(self, namespace: str, change_id: str, action: str) -> tuple[Change, list[Memory]]:
        """Undo, as a human, a change that an action of theirs made, and no other decision. Raises as `revert`."""
        change = await self._changes.change(namespace, change_id)
        if change is None or change.action != action:
            raise NotFound(
                f"--undo: agentos {action} made no change with the id {change_id[:60]!r}; its answer shows the id"
            )
        return await self.revert(namespace, change_id, HUMAN)

    async def changes(self, namespace: str, memory_id: str) -> list[Change]:
        """Return what was judged about a memory, newest first, at most CHANGES_SHOWN."""
        return await self._changes.changes(namespace, memory_id, CHANGES_SHOWN)

    async def latest(self, namespace: str, limit: int) -> list[Change]:
        """Return the newest judgements, without those of acts on many memories, which are undone as a whole."""
        return await self._changes.changes(namespace, None, limit)

    async def successors(self, namespace: str, memories: Sequence[Memory]) -> dict[str, str]:
        """Return, by the id of each superseded memory, the id of its successor."""
        now = self.clock()
        ended = [memory.id for memory in memories if memory.has_ended(now)]
        return await self._changes.successors(namespace, ended)

    async def newer(self, namespace: str, memories: Sequence[Memory]) -> dict[str, Memory]:
        """Return, by the id of a memory that one elsewhere has probably replaced, that one, if it may be told.

        What may have replaced several is there for the first of them.
        """
        now, own = self.clock(), {one.id for one in memories}
        known = await with_newer(partial(self._repository.fetch, namespace), memories)

        def told() -> dict[str, Memory]:
            first: dict[str, tuple[str, Memory]] = {}
            for one in memories:
                newer = told_with(one, known, now)
                if newer is not None and newer.id not in own:
                    first.setdefault(newer.id, (one.id, newer))
            return dict(first.values())

        chars = offload.length(one.words for one in known.values() if one.id not in own)
        return await offload.read(chars, told)

    async def links(self, namespace: str, kind: str) -> list[Relation]:
        """Return the relations of a kind between memories that answers may contain, the oldest first; LINKS_SHOWN."""
        return await self._changes.links(namespace, kind, LINKS_SHOWN)

    async def open_questions(self, namespace: str) -> Sequence[Question]:
        """Return the newest questions, at most QUESTIONS_SHOWN, whether a memory replaces another one."""
        links = await self._changes.links(namespace, MAY_SUPERSEDE, QUESTIONS_SHOWN, newest=True)
        return await self.still_open(namespace, [(link.to_id, link.from_id) for link in links])

    async def still_open(self, namespace: str, pairs: Sequence[tuple[str, str]]) -> Sequence[Question]:
        """Return those pairs of ids of an older and a newer memory that are neither answered nor moot."""
        named = list(dict.fromkeys(name for pair in pairs for name in pair))
        known = {memory.id: memory for memory in await self._repository.fetch(namespace, named)} if named else {}
        return still_open(pairs, known)

    async def resolve_contest(
        self, namespace: str, payload: Mapping[str, Any], *, approved: bool, approval_id: str
    ) -> str:
        """Carry out a human's decision about memories that contradict each other, once; return in words what was done.

        Approved, the new one supersedes the old ones; else it is archived and the old ones are active again. Raises
        NotFound where the new one is gone, Conflict where nothing is contested any more.
        """
        if await self._changes.carried_out(namespace, approval_id) is not None:
            return "it was already carried out"
        new_id, old_ids = str(payload["new"]), [str(name) for name in payload["old"]]

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            present = {memory.id: memory for memory in memories}
            new = present.get(new_id)
            if new is None:
                raise NotFound(f"memory_id: memory {new_id} is gone")
            old = [
                present[name] for name in old_ids if name in present and present[name].status is not Status.FORGOTTEN
            ]
            return [_resolved(new, old, approval_id, approved=approved)]

        changed = await self._changes.judge(namespace, [new_id, *old_ids], decide, HUMAN, self.clock())
        verb = f"supersedes {', '.join(old_ids)}" if approved else "is archived"
        return f"{new_id} {verb}" + (f" ({changed[0].id})" if changed else "; it stood so already")

    async def describe_contest(self, namespace: str, payload: Mapping[str, Any]) -> list[str]:
        """Describe a contest in lines for a human: the texts with their dates and sources as they are now."""
        ids = [str(payload["new"]), *map(str, payload["old"])]
        found = {memory.id: memory for memory in await self._repository.fetch(namespace, ids)}
        lines = []
        for name in ids:
            role, memory = ("new" if name == ids[0] else "old"), found.get(name)
            if memory is None or memory.status is Status.FORGOTTEN:
                lines.append(f"{role} {name}: is gone")
                continue
            source = f", from {memory.source}" if memory.source else ""
            lines.append(f"{role} {name} ({memory.occurred_at:%Y-%m-%d}{source}, {memory.status}): {memory.content}")
        return lines

    async def rollback(
        self, namespace: str, *, source: str | None = None, session: str | None = None, since: datetime | None = None
    ) -> Rollback:
        """Return what rolling back one source or session would do; with `since`, only what was stored then or later.

        Raises InvalidInput unless exactly one of source and session is named.
        """
        rollback, _ = await self._rollback(namespace, source, session, since)
        return rollback

    async def roll_back(
        self,
        namespace: str,
        *,
        source: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        by: str = HUMAN,
    ) -> Rollback:
        """Carry out what `rollback` shows, as one change: reverting it brings everything back. Raises InvalidInput."""
        planned, changes = await self._rollback(namespace, source, session, since)
        if not planned.archived:
            return planned
        ids = [memory.id for memory in planned.archived]
        others = list({name for about in changes.values() for each in about for name in each.after} - set(ids))
        reason = f"rolled back: {'source' if session is None else 'session'} {source or session or ''}"[:200]

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            rolled = [memory for memory in memories if memory.id in ids and memory.status not in HIDDEN]
            beside = [memory for memory in memories if memory.id not in ids]
            found = rollbacks.decision(rolled, beside, changes, reason) if rolled else None
            return [] if found is None else [found]

        made = await self._changes.judge(namespace, [*ids, *others], decide, by, self.clock())
        return replace(planned, change=made[0].id if made else None)

    async def _rollback(
        self, namespace: str, source: str | None, session: str | None, since: datetime | None
    ) -> tuple[Rollback, dict[str, list[Change]]]:
        if (source is None) == (session is None):
            raise InvalidInput("source", "is missing: name the source or the session to roll back")
        visible = tuple(status for status in Status if status not in HIDDEN)
        where = MemoryFilter(source=source, session=session, include_superseded=True, statuses=visible)
        chosen: list[Memory] = []
        rows = await self._repository.page(namespace, where, self.clock(), ROLLED_AT_ONCE, 0, None)
        while rows and len(chosen) <= ROLLED_AT_ONCE:
            chosen += [memory for _, memory in rows if since is None or memory.created_at >= since]
            rows = await self._repository.page(namespace, where, self.clock(), ROLLED_AT_ONCE, 0, rows[-1][0])
        made = await self._changes.derived(namespace, [memory.id for memory in chosen])
        summaries = await self._repository.fetch(namespace, sorted({*made} - {memory.id for memory in chosen}))
        chosen += [memory for memory in summaries if memory.status not in HIDDEN]
        rolled = chosen[:ROLLED_AT_ONCE]
        changes = {m.id: await self._changes.changes(namespace, m.id, CHANGES_OF_ONE) for m in rolled}
        others = {name for about in changes.values() for each in about for name in each.after} - {m.id for m in rolled}
        beside = await self._repository.fetch(namespace, list(others))
        found = rollbacks.decision(rolled, beside, changes, "") if rolled else None
        restored = [] if found is None else [each for each in beside if rollbacks.is_restored(each, found)]
        return Rollback(tuple(rolled), tuple(restored), complete=len(chosen) == len(rolled)), changes

    async def _say(
        self,
        namespace: str,
        memory_id: str,
        verdict: Verdict,
        by: str,
        archived_with: Sequence[str] = (),
        version: int | None = None,
    ) -> tuple[Memory, Change | None]:
        inputs.text("memory_id", memory_id, 200)
        doubting = set(await self._archive.contesting(namespace, memory_id)) if verdict in AGAINST else set()

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            present = {each.id: each for each in memories}
            if memory_id in present:
                require_version(present[memory_id].version, version)
            return [_verdict(memory_id, present, doubting, verdict, by, archived_with)]

        ids = list(dict.fromkeys([memory_id, *archived_with, *doubting]))
        changes = await self._changes.judge(namespace, ids, decide, by, self.clock())
        return await self._as_it_stands(namespace, memory_id), changes[0] if changes else None

    async def say_all(
        self, namespace: str, memory_ids: Sequence[str], verdict: Verdict, by: str, note: str = ""
    ) -> tuple[list[Change], list[str]]:
        """Pass one verdict on many memories; return the changes, and the ids of those it could not be passed on.

        A memory that is gone, or that somebody else has to decide about, does not keep the others from being judged.
        What the verdict changes nothing about is in neither. A `note` is the reason of every change.
        """
        changes: list[Change] = []
        left: list[str] = []
        for begin in range(0, len(memory_ids), JUDGED_AT_ONCE):
            batch = list(dict.fromkeys(memory_ids[begin : begin + JUDGED_AT_ONCE]))
            made = await self._changes.derived(namespace, batch) if verdict is Verdict.FORGET else []
            beside = [one for one in made if one not in batch]
            try:
                changes += await self._judged(namespace, batch, verdict, by, note, beside, left)
            except PermissionDenied:  # one of them is a person's to decide about: the others are judged one by one
                for one in batch:
                    try:
                        changes += await self._judged(namespace, [one], verdict, by, note, beside, left)
                    except PermissionDenied:
                        left.append(one)
        return changes, list(dict.fromkeys(left))

    async def _judged(
        self,
        namespace: str,
        batch: Sequence[str],
        verdict: Verdict,
        by: str,
        note: str,
        made: Sequence[str],
        left: list[str],
    ) -> list[Change]:
        doubting = {one: set(await self._archive.contesting(namespace, one)) for one in batch if verdict in AGAINST}
        decide = partial(self._verdicts, batch, verdict, by, note, doubting, made, left)
        ids = list(dict.fromkeys([*batch, *made, *(one for each in doubting.values() for one in each)]))
        return await self._changes.judge(namespace, ids, decide, by, self.clock())

    @staticmethod
    def _verdicts(
        chosen: Sequence[str],
        verdict: Verdict,
        by: str,
        note: str,
        doubting: Mapping[str, set[str]],
        made: Sequence[str],
        left: list[str],
        memories: Sequence[Memory],
    ) -> list[Decision]:
        """Decide about each of the chosen; what was made of them goes with the first. Notes in `left` what stays."""
        present = {each.id: each for each in memories}
        decisions: list[Decision] = []
        for one in chosen:
            try:
                with_it = () if decisions else made
                decision = _verdict(one, dict(present), doubting.get(one, set()), verdict, by, with_it)
                decisions.append(replace(decision, reason=note) if note else decision)
            except (NotFound, Conflict):
                left.append(one)
        return decisions

    async def _supersede(
        self, namespace: str, memory_id: str, superseded_by: str, by: str
    ) -> tuple[Memory, Change | None]:
        for field, name in (("memory_id", memory_id), ("by", superseded_by)):
            inputs.text(field, name, 200)

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            present = {memory.id: memory for memory in memories if memory.status is not Status.FORGOTTEN}
            for name in (memory_id, superseded_by):
                if name not in present:
                    raise no_memory(name)
            old, new = present[memory_id], present[superseded_by]
            if new.status in HIDDEN or (new.valid_to is not None and new.valid_to <= self.clock()):
                raise Conflict(
                    f"by: memory {new.id} is archived or no longer valid; memory_revert(memory_id={new.id!r})"
                )
            if new.valid_to is not None and new.valid_to <= old.holds_from:
                raise Conflict(
                    f"by: memory {new.id} ends when {old.id} begins, so nothing would hold then; if that is called "
                    f"off: memory_revert(memory_id={old.id!r})"
                )
            if by != HUMAN and not lifecycle.may_supersede(new, old):
                raise Conflict(
                    f"by: memory {new.id} is too unsure, or its source too little trusted, to supersede {old.id} "
                    "without a human: agentos approvals"
                )
            return [_superseding(new, [old], f"said by {by}")]

        changes = await self._changes.judge(namespace, [memory_id, superseded_by], decide, by, self.clock())
        return await self._as_it_stands(namespace, memory_id), changes[0] if changes else None

    async def _as_it_stands(self, namespace: str, memory_id: str) -> Memory:
        memory = await self._repository.get(namespace, memory_id)
        if memory is None:
            raise no_memory(memory_id)
        return memory


def _superseding(new: Memory, old: Sequence[Memory], reason: str) -> Decision:
    own = lifecycle.after(Verdict.CONFIRM, new).status if new.status is Status.CONTESTED else new.status
    return Decision(
        SUPERSEDED,
        old[0].id if old else new.id,
        reason,
        {
            new.id: replace(new.standing, status=own),
            **{each.id: lifecycle.superseded(each, new.holds_from) for each in old},
        },
        [Relation(new.id, each.id, SUPERSEDES, 1.0, reason) for each in old],
    )


def _resolved(new: Memory, old: Sequence[Memory], approval_id: str, *, approved: bool) -> Decision:
    reason = f"decided by a human ({approval_id})"
    if approved and new.status in HIDDEN:
        raise Conflict(f"memory_id: memory {new.id} is {new.status} now and cannot supersede; reject it instead")
    if approved:
        visible = [each for each in old if each.status is not Status.ARCHIVED]
        found = _superseding(new, visible, reason)
        standings = {**found.standings, new.id: lifecycle.after(Verdict.CONFIRM, new)}
        return replace(found, action=RESOLVE, memory_id=new.id, standings=standings, approval=approval_id)
    upheld = {each.id: lifecycle.after(Verdict.CONFIRM, each) for each in old if _is_contested(each)}
    own = new.standing if new.status in HIDDEN else lifecycle.after(Verdict.ARCHIVE, new)
    standings = {**upheld, new.id: own}
    return Decision(RESOLVE, new.id, reason, standings, approval=approval_id, unless_contradicted=tuple(upheld))


def _context_line(one: Memory | MemoryVersion) -> str:
    """Return beside which tags a text stands, and when and where it holds, as one line."""
    when = [
        f"{name} {quote(json.dumps(one.metadata[name]))}" for name in ("trigger", "project") if name in one.metadata
    ]
    return f"  tags {', '.join(one.tags) or 'none'}, {', '.join(when) or 'at every moment'}"


def _waits_for_a_human(memory: Memory) -> bool:
    return _is_contested(memory) and memory.trust < lifecycle.TRUSTED


def _doubts(newcomer: Memory, memory: Memory) -> bool:
    """Return whether a newcomer that contradicts a memory is from a source that is trusted less."""
    return _is_contested(newcomer) and newcomer.trust < memory.trust


def _is_contested(memory: Memory) -> bool:
    return memory.status is Status.CONTESTED


def _verdict(
    memory_id: str,
    present: dict[str, Memory],
    doubting: set[str],
    verdict: Verdict,
    by: str,
    archived_with: Sequence[str],
) -> Decision:
    """Return the decision for a verdict on a memory, its doubters and its supporters.

    Raises NotFound where it is gone, Conflict where a human is to decide.
    """
    memory = present.pop(memory_id, None)
    if memory is None or (memory.status is Status.FORGOTTEN and verdict in FEEDBACK):
        raise no_memory(memory_id)
    if verdict is Verdict.CONFIRM and by != HUMAN and _waits_for_a_human(memory):
        raise Conflict(
            f"memory_id: memory {memory.id} is contested, and its source has too little trust for an agent to "
            "decide; a human must: agentos approvals"
        )
    if verdict in AGAINST and by == AGENT and any(_doubts(present[name], memory) for name in doubting & {*present}):
        raise Conflict(
            f"memory_id: memory {memory.id} is contradicted by a less trusted source, and an agent may not side "
            "with that; a human must decide: agentos approvals"
        )
    others = {
        each.id: lifecycle.after(Verdict.ARCHIVE, each)
        for each in present.values()
        if each.status not in HIDDEN and each.id in archived_with
    }
    standings = {memory.id: lifecycle.after(verdict, memory), **others}
    upholds = verdict is Verdict.CONFIRM
    reason = vouching.reason(memory) if upholds and by == HUMAN else f"said by {by}"
    return Decision(verdict, memory.id, reason, standings, upholds=upholds)
