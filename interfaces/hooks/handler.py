"""The daemon's side of hooks: records their reports, answers with what the agent should know, replays the spool."""

import asyncio
import logging
import os
import re
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...modules import identifiers
from ...modules.agentos import AgentOS
from ...modules.context.briefing import RULE
from ...modules.context.entries import Briefing
from ...modules.context.opening import STARTED
from ...modules.errors import AgentOSError, InvalidInput, StorageUnavailable, unforeseen
from ...modules.framing import quote
from ...modules.principals.acting import acting
from ...modules.principals.models import Door, local_owner
from ...modules.proving import Way
from ...modules.rules.policy import RuleVerdict
from ...modules.sessions import tool_calls
from ...modules.sessions.models import ANSWERED, EventType, NewEvent, Session, SessionState, Signal
from ...modules.sessions.service import signal, turn
from ...modules.version import VERSION
from ..stdio.doors import HostAnswer
from .clients import is_human, may_tell
from .occurrence import HOLDING_TEXT, NAMING, REDACTED_BY, Occurrence, of_json
from .spool import Spool

EXPECTED_S = 600.0
"""How long after a hook another one of the same session is expected."""

OBSERVE_WITHIN_S = 1.0
REPLAY_EVERY_S = 10.0
REPLAY_FIRST_S = 1.0
ENTRY_WITHIN_S = 10.0
"""Many times what recording takes: an entry that takes longer would keep all later ones from being recorded."""
ANSWER_WITHIN_S = 10.0
"""How long an answer may take; no client waits that long."""
LOST_ALL = ("clear", "compact")
"""The sources of a start whose session has lost the context shown to it before."""

RULE_CHARS = 300
RECALLING = ("memory_search", "context_get_snapshot", "context_compile")
"""The tools that search memory, by the ends of the names that clients give them."""
RECALLED = "recalled"
"""The entry that marks that a session has searched memory."""
KEEPING = (
    *("memory_store", "memory_store_batch", "memory_update", "add_memory", "save_memory", "create_lesson"),
    *("goal_add", "goal_update", "goal_update_progress", "goal_update_status"),
    *("conversation_add", "reflection_log", "profile_set"),
)
"""The tools that keep something of the work, by the ends of the names that clients give them."""
KEPT = "kept"
"""The entry that marks that a stretch of work has kept something, or that its agent was asked to."""
ASKED_TO_KEEP = (
    "AgentOS: nothing of this work is stored yet. If it has something worth knowing later (a decision and why, a "
    "cause, a next step), keep it with memory_store, in at most two sentences. Otherwise just end."
)
EDITED_MOST = 200
"""The most edited files of a working tree that wait for a check; more are left to the job."""
RECALLED_MOST = 256
"""The most sessions in folders that are kept out of which it is remembered that they have searched memory."""
_REMEMBERS = re.compile(r"(?:^|[\s;&|/])agentos remember\b")
_RULINGS = {RuleVerdict.BLOCK: "deny", RuleVerdict.CONFIRM: "ask"}

log = logging.getLogger(__name__)

Opener = Callable[[], Awaitable[AgentOS]]
NamespaceOf = Callable[[str], str]
"""Returns the namespace of an agent by its name; for an empty name that of the home's settings. Raises InvalidInput."""


class HookHandler:
    """Answers the hooks of every client."""

    def __init__(
        self,
        home: Path,
        opener: Opener,
        namespace_of: NamespaceOf,
        skipped: frozenset[str],
        *,
        spool_is_clean: bool = True,
        recall_first: bool = False,
        ask_to_keep: bool = False,
    ) -> None:
        """Prepare a handler. `spool_is_clean`: spooled reports need no redaction beyond the hooks' own, of secrets.

        With `recall_first` no tool runs in a session before one that searches memory. With `ask_to_keep` an agent whose
        work kept nothing is asked once, at its end, what is worth keeping.
        """
        self._recall_first = recall_first
        self._ask_to_keep = ask_to_keep
        self._spool = Spool(home)
        self._spool_is_clean = spool_is_clean
        self._opener = opener
        self._namespace_of = namespace_of
        self._skipped = skipped
        self._replaying = asyncio.Lock()
        self._behind: set[asyncio.Task[int]] = set()
        self._expected: dict[str, float] = {}
        self._recalled: deque[tuple[str, str]] = deque(maxlen=RECALLED_MOST)
        self._observing: asyncio.Task[None] | None = None
        self._observe_again = False
        self._edited: dict[tuple[str, str], set[str]] = {}
        """Files that were edited, and whose notes wait for a check, by namespace and working tree."""
        self._checking: asyncio.Task[None] | None = None

    def skip(self, tools: frozenset[str]) -> None:
        """Record nothing of these tools from now on."""
        self._skipped = tools

    def expected_until(self) -> float:
        """Return until when the next hook of an ongoing session may come, in the time of `time.monotonic`."""
        return max(self._expected.values(), default=0.0)

    async def answer(self, fields: dict[str, Any]) -> HostAnswer:
        """Return the answer to a hook. A report that is not accepted comes again, from the spool."""
        try:
            await self._replay_first()
            hook = _occurrence(fields)
            async with asyncio.timeout(ANSWER_WITHIN_S):
                agentos, session, briefing = await self._handle(hook)
                ruling = await self._ruling(agentos, session, hook)
        except AgentOSError as error:
            return HostAnswer({"accepted": False, "reason": str(error)})
        except TimeoutError:
            log.error("a hook took more than %g s", ANSWER_WITHIN_S)
            return HostAnswer({"accepted": False, "reason": f"took more than {ANSWER_WITHIN_S:g} s"})
        except Exception as error:
            log.exception("a hook failed")
            return HostAnswer({"accepted": False, "reason": unforeseen(error)})

        async def delivered() -> None:
            if session is None:
                return
            await agentos.sessions.note_shown(session, briefing.entries)
            told = [one for entry in briefing.entries if (one := entry.removeprefix(RULE)).startswith("mem_")]
            way = Way.TOOL if hook.event == "pre-tool" else Way.BEFORE
            agentos.lessons.told([session.namespace], told, way, session.id)
            if briefing.text:
                shown = [entry for entry in briefing.entries if entry.startswith("mem_")]
                operation = f"hook {hook.event}"
                agentos.usage.note(session.namespace, session.client, operation, text=briefing.text, shown=shown)

        return HostAnswer({"accepted": True, "context": briefing.text, **ruling}, delivered)

    async def _ruling(self, agentos: AgentOS, session: Session | None, hook: Occurrence) -> dict[str, str]:
        """Return what the rules of a person say of a tool that is about to run: `deny` or `ask`, and the reason.

        At the end of a turn: `continue`, and what the agent is asked before it ends.
        """
        if self._ask_to_keep and session is not None and hook.event == "stop":
            return await self._asking(agentos, session)
        if hook.event != "pre-tool":
            return {}
        if self._recall_first and not await self._has_recalled(agentos, session, hook):
            return {
                "ruling": "deny",
                "reason": "AgentOS: call memory_search for what you are about to do, then continue",
            }
        namespace = self._namespace_of(hook.agent) if session is None else session.namespace
        finding = await agentos.rules.before_tool(namespace, hook.given)
        ruling = _RULINGS.get(finding.verdict)
        if ruling != "deny" and self._ask_to_keep and session is not None and _keeps(hook):
            await agentos.sessions.note_shown(session, [KEPT])
        if ruling is None or finding.rule is None:
            return {}
        return {"ruling": ruling, "reason": f"AgentOS, rule {finding.rule.id}: {quote(finding.rule.text, RULE_CHARS)}"}

    async def _asking(self, agentos: AgentOS, session: Session) -> dict[str, str]:
        """Ask what is worth keeping of a stretch of work that kept nothing, once."""
        if KEPT in await agentos.sessions.shown(session) or not await agentos.sessions.is_at_work(session):
            return {}
        await agentos.sessions.note_shown(session, [KEPT])
        return {"ruling": "continue", "reason": ASKED_TO_KEEP}

    async def _has_recalled(self, agentos: AgentOS, session: Session | None, hook: Occurrence) -> bool:
        """Return whether a session has searched memory, or does so with this very tool.

        Of a session in a folder that is kept out, where nothing is recorded, only this process knows.
        """
        recalls = _own_name(hook.tool) in RECALLING
        if session is None:
            key = (hook.client, hook.session)
            if recalls and key not in self._recalled:
                self._recalled.append(key)
            return key in self._recalled
        if recalls:
            await agentos.sessions.note_shown(session, [RECALLED])
            return True
        return RECALLED in await agentos.sessions.shown(session)

    async def _replay_first(self) -> None:
        """Replay the spool first, so that reports are recorded in order; wait at most REPLAY_FIRST_S for that."""
        replaying = asyncio.ensure_future(self.replay())
        done, _ = await asyncio.wait([replaying], timeout=REPLAY_FIRST_S)
        if done:
            replaying.result()
        else:
            self._behind.add(replaying)
            replaying.add_done_callback(self._caught_up)

    def _caught_up(self, replaying: asyncio.Task[int]) -> None:
        self._behind.discard(replaying)
        if not replaying.cancelled() and (error := replaying.exception()) is not None:
            log.warning("the spool waits: %s", error)

    async def replay(self) -> int:
        """Record what waits in the spool, in order; return how much. Raises AgentOSError if nothing can be written."""
        recorded = 0
        async with self._replaying:
            waiting = await asyncio.to_thread(self._spool.waiting)
            if waiting:
                await self._opener()  # without a store, no file may be blamed
            for path in waiting:
                recorded += await self._replayed(path)
        return recorded

    async def _replayed(self, waiting: Path) -> bool:
        """Record one file of the spool; return whether it is. If it cannot be, or not in time, set it aside."""
        path = await asyncio.to_thread(self._spool.begin, waiting)
        if path is None:
            log.error("the spool held what no daemon has survived; it is set aside: %s", waiting.name)
            return False
        fields = await asyncio.to_thread(self._spool.read, path)
        is_clean = self._spool_is_clean and fields is not None and fields.get(REDACTED_BY) == VERSION
        try:
            async with asyncio.timeout(ENTRY_WITHIN_S):
                await self._handle(_occurrence(fields or {}), late=True, is_clean=is_clean)
        except (StorageUnavailable, asyncio.CancelledError):
            self._spool.again(path)
            raise
        except TimeoutError:
            log.error("the spool held what took more than %g s; it is set aside: %s", ENTRY_WITHIN_S, path.name)
            await asyncio.to_thread(self._spool.refuse, path)
            return False
        except (AgentOSError, ValueError, TypeError) as error:
            log.warning("the spool holds what cannot be kept: %s: %s", path.name, error)
            await asyncio.to_thread(self._spool.refuse, path)
            return False
        await asyncio.to_thread(self._spool.done, path)
        return True

    async def replay_regularly(self) -> None:
        """Replay every REPLAY_EVERY_S, for as long as this runs."""
        while True:
            try:
                if lost := await asyncio.to_thread(self._spool.clean):
                    log.warning("%d hooks were lost: no daemon took them, and the spool was full", lost)
                await self.replay()
            except AgentOSError as error:
                log.warning("the spool waits: %s", error)
            except Exception:
                log.exception("the spool could not be replayed")
            await asyncio.sleep(REPLAY_EVERY_S)

    async def _handle(
        self, hook: Occurrence, *, late: bool = False, is_clean: bool = False
    ) -> tuple[AgentOS, Session | None, Briefing]:
        """Record a hook, redacted first unless it `is_clean`; return the briefing for the agent.

        If it is too `late` for that, the briefing is empty. The session is None where nothing is recorded.
        """
        agentos = await self._opener()
        if hook.event == "post-tool" and tool_calls.is_noisy(hook.tool, self._skipped):
            return agentos, None, Briefing()
        if not is_clean:
            clean = await agentos.redactor.json({name: getattr(hook, name) for name in HOLDING_TEXT})
            named: dict[str, Any] = {name: await agentos.redactor.text(getattr(hook, name)) for name in NAMING}
            hook = hook._replace(**clean, **named)
        namespace = self._namespace_of(hook.agent)
        if await agentos.sessions.is_kept_out(hook.folder):
            return agentos, None, Briefing()
        with acting(local_owner(namespace, None, Door.HOOK, identifiers.new_id("req"))):
            session, briefing = await self._record(agentos, namespace, hook, late=late)
        return agentos, session, briefing

    async def _record(
        self, agentos: AgentOS, namespace: str, hook: Occurrence, *, late: bool
    ) -> tuple[Session, Briefing]:
        """Record a redacted hook in its session; return the session, and the briefing for the agent."""
        session, is_new = await agentos.sessions.open(namespace, hook.client, hook.session, hook.folder)
        self._expect(session, hook)
        briefing = Briefing()
        match hook.event:
            case "session-start" if not late:
                briefing = await self._start(agentos, session, hook, is_new=is_new)
            case "prompt":
                briefing = await self._prompt(agentos, session, hook, late=late)
            case "pre-tool" if not late:
                shown = await agentos.sessions.shown(session)
                command = tool_calls.command_of(hook.given)
                failed = await agentos.sessions.failures_in_a_row(session, hook.tool, command)
                lessons = await agentos.briefing.before_tool(session, hook.tool, hook.given, shown, failed)
                briefing = lessons.followed_by(await self._notes_on_files(agentos, session, hook, shown))
            case "post-tool":
                briefing = await self._after_tool(agentos, session, hook, late=late)
            case "pre-compact":
                await agentos.sessions.checkpoint(session)
                await agentos.sessions.record(session, signal(Signal.COMPACTING, hook.key, _moment(hook)))
            case "stop" | "session-end":
                await self._end(agentos, session, hook)
        return session, briefing

    def _expect(self, session: Session, hook: Occurrence) -> None:
        """Expect more hooks of an ongoing session, by the age of the occurrence."""
        now = time.monotonic()
        self._expected = {key: until for key, until in self._expected.items() if until > now and key != session.id}
        if hook.event != "session-end" and (at := _moment(hook)) is not None:
            age_s = (datetime.now(UTC) - at).total_seconds()
            self._expected[session.id] = now + min(EXPECTED_S, EXPECTED_S - age_s)

    async def _start(self, agentos: AgentOS, session: Session, hook: Occurrence, *, is_new: bool) -> Briefing:
        if not is_new and hook.source in LOST_ALL:
            kept = {KEPT} & set(await agentos.sessions.shown(session))
            await agentos.sessions.forget_shown(session)
            await agentos.sessions.note_shown(session, sorted(kept))
        await agentos.sessions.record(session, signal(Signal.STARTED, hook.key, _moment(hook)))
        self._observe_soon(agentos)
        if self._observing is not None:  # observations of the previous session are worth a moment
            await asyncio.wait([self._observing], timeout=OBSERVE_WITHIN_S)
        return await self._briefed(agentos, session, after_compaction=hook.source == "compact")

    async def _briefed(self, agentos: AgentOS, session: Session, *, after_compaction: bool = False) -> Briefing:
        """Return the briefing; while earlier work is still being observed, the first prompt gets what is missing."""
        shown, since = await agentos.sessions.shown(session), await agentos.sessions.last_before(session)
        made = await agentos.briefing.at_start(session, shown, since=since, after_compaction=after_compaction)
        is_whole = self._observing is None or self._observing.done()
        return made if is_whole else replace(made, entries=tuple(one for one in made.entries if one != STARTED))

    async def _prompt(self, agentos: AgentOS, session: Session, hook: Occurrence, *, late: bool) -> Briefing:
        await agentos.sessions.record(session, turn("user", hook.prompt, hook.key, _moment(hook)))
        await agentos.sessions.forget_shown(session, RULE)
        if self._ask_to_keep:
            await agentos.sessions.forget_shown(session, KEPT)
        if late or not is_human(hook):
            return Briefing()
        shown = await agentos.sessions.shown(session)
        # A session whose start found no daemon gets its briefing now.
        start = Briefing() if STARTED in shown else await self._briefed(agentos, session)
        found = await agentos.briefing.with_prompt(session, hook.prompt, shown.union(start.entries))
        return start.followed_by(found)

    async def _notes_on_files(
        self, agentos: AgentOS, session: Session, hook: Occurrence, shown: Collection[str]
    ) -> Briefing:
        """Return the notes that are anchored to the files that a tool is about to touch."""
        anchors = await agentos.anchors()
        if anchors is None:
            return Briefing()
        top = await agentos.sessions.top(hook.folder)
        call = tool_calls.read(hook.tool, hook.given, None, "", top)
        paths = (*call.files_read, *call.files_modified)
        return await anchors.told(session, paths, top, shown) if paths else Briefing()

    async def _after_tool(self, agentos: AgentOS, session: Session, hook: Occurrence, *, late: bool) -> Briefing:
        """Record a run; have the notes on files that it edited checked, and return those on files that it read."""
        top = await agentos.sessions.top(hook.folder)
        call = tool_calls.read(
            hook.tool, hook.given, hook.response, hook.error, top, tells_failure=hook.client != "codex"
        )
        for path in call.files_modified[:1]:
            session = await agentos.sessions.settled(session, os.path.dirname(os.path.join(top, path)))
        event = NewEvent(EventType.TOOL_CALL, hook.key, structured=tool_calls.as_json(call), occurred_at=_moment(hook))
        await agentos.sessions.record(session, event)
        touched = call.files_read or call.files_modified
        if not touched or (anchors := await agentos.anchors()) is None:
            return Briefing()
        if call.files_modified:
            edited = self._edited.setdefault((session.namespace, top), set())
            edited.update(call.files_modified[: max(0, EDITED_MOST - len(edited))])
            if self._checking is None or self._checking.done():
                self._checking = asyncio.create_task(self._check_edited(agentos))
        if late or hook.error or not call.files_read or not may_tell(hook.client, hook.event):
            return Briefing()
        return await anchors.told(session, call.files_read, top, await agentos.sessions.shown(session))

    async def _check_edited(self, agentos: AgentOS) -> None:
        """Check the notes on files that were edited; what is cut off is found by the job."""
        while self._edited:
            (namespace, top), paths = self._edited.popitem()
            try:
                if (anchors := await agentos.anchors()) is not None:
                    await anchors.edited(namespace, top, sorted(paths))
            except AgentOSError as error:
                log.warning("notes on edited files are checked later: %s", error)
            except Exception:
                log.exception("notes on edited files could not be checked")

    async def _end(self, agentos: AgentOS, session: Session, hook: Occurrence) -> None:
        """End the session at the end of a turn too: some clients report no other end, and a prompt resumes it."""
        what = Signal.TURN_ENDED if hook.event == "stop" else Signal.SESSION_ENDED
        replies = [turn("assistant", hook.reply, f"{hook.key}:reply", _moment(hook))] if hook.reply.strip() else []
        is_new = await agentos.sessions.record(session, *replies, signal(what, hook.key, _moment(hook)))
        if is_new and hook.event == "stop":
            await self._note_use(agentos, session, hook.reply)
        if is_new:
            await agentos.sessions.end(session, SessionState.FAILED if hook.failed else SessionState.COMPLETED)
        self._observe_soon(agentos)

    async def _note_use(self, agentos: AgentOS, session: Session, answer: str) -> None:
        """Count an access for each shown memory that the answer uses, or for all of them if none is known."""
        memory_ids = [entry for entry in await agentos.sessions.shown(session) if entry.startswith("mem_")]
        if answer.strip():
            memory_ids = await agentos.upkeep.used(session.namespace, memory_ids, answer)
            await agentos.sessions.note_shown(session, [ANSWERED])
        await agentos.memory.shown(session.namespace, memory_ids, is_told=False)

    def _observe_soon(self, agentos: AgentOS) -> None:
        """Observe in the background; what is cut off is found by the job."""
        if self._observing is not None and not self._observing.done():
            self._observe_again = True
            return
        self._observing = asyncio.create_task(self._observe(agentos))

    async def _observe(self, agentos: AgentOS) -> None:
        while True:
            self._observe_again = False
            try:
                await agentos.sessions.observe()
            except AgentOSError as error:
                log.warning("observations wait: %s", error)
            except Exception:
                log.exception("sessions could not be observed")
            if not self._observe_again:
                return

    async def close(self) -> None:
        """Cancel what is under way; it is done again later."""
        tasks = (*self._behind, self._observing, self._checking)
        under_way: list[asyncio.Task[Any]] = [one for one in tasks if one is not None]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def _occurrence(fields: dict[str, Any]) -> Occurrence:
    hook = of_json(fields)
    if hook is None:
        raise InvalidInput("hook", "is not an event of this version's hooks")
    return hook


def _own_name(tool: str) -> str:
    """Return a tool's own name, without the server's that clients put before it."""
    return tool.rpartition("__")[2].removeprefix("mcp_agentos_")


def _keeps(hook: Occurrence) -> bool:
    return _own_name(hook.tool) in KEEPING or _REMEMBERS.search(tool_calls.command_of(hook.given)) is not None


def _moment(hook: Occurrence) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(hook.at), UTC)
    except (ValueError, OverflowError, OSError):
        return None
