"""The session service: projects, sessions, their events, and observations."""

import difflib
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .. import identifiers, inputs, offload
from ..clock import Clock
from ..errors import InvalidInput, NotFound
from ..redactor import Redactor
from ..store_request import StoreRequest
from ..text.replies import is_mere_reply
from . import checkpoints, observations, projects
from .models import (
    Briefed,
    Checkout,
    Event,
    EventStretch,
    EventType,
    NewEvent,
    Observation,
    Project,
    Session,
    SessionState,
    Signal,
)
from .ports import CheckoutReader

if TYPE_CHECKING:
    from ...storage.repositories.sessions import SessionsRepository
    from ..extraction.service import ExtractionService
    from ..memory.service import MemoryService
    from ..reflection.service import ReflectionService

EVERYWHERE, ALL = "everywhere", "*"
"""What stands for no project in particular, and for every one, where one can be named."""
MAX_KEY_BYTES = 400
MAX_TEXT_CHARS = 8_000
MAX_TITLE_BYTES = 400
MAX_LISTED = 200
MAX_PROMPTS = 50
EVENTS_AT_ONCE = 1_000
LOOKED_BACK = 10
"""The user's turns before a stretch among which is what was asked for in it."""
SESSIONS_AT_ONCE = 50
LATEST_EVENTS = 60
"""Among which a failing tool's earlier runs are looked for."""
AT_REST_AFTER = timedelta(minutes=10)
IMPORTANCE = 0.35
NEAREST, LEAST_LIKENESS = 4, 0.4
"""The projects that are named in place of an unknown one, and how like it they must be called."""
_NOT_TYPED = ("/", "<", "!")
"""How commands and messages of clients begin, which are in the place of prompts."""
TAG, CHECKPOINT_TAG = "observation", "checkpoint"
CHECKPOINT_IMPORTANCE = 0.4
CHECKPOINT_EVENTS = 300

log = logging.getLogger(__name__)


AT_WORK = timedelta(hours=12)
"""How long after its last event a session that did not end counts as one that somebody works in."""


class SessionService:
    """The rules of sessions over one store."""

    def __init__(
        self,
        repository: "SessionsRepository",
        checkouts: CheckoutReader | None,
        keeper: "MemoryService",
        actions: "ReflectionService",
        redactor: Redactor,
        clock: Clock,
        event_retention: timedelta | None = None,
        statements: "ExtractionService | None" = None,
    ) -> None:
        self._repository = repository
        self._statements = statements
        self._event_retention = event_retention
        self._checkouts = checkouts
        self._keeper = keeper
        self._actions = actions
        self._redactor = redactor
        self._clock = clock

    async def project(self, namespace: str, folder: str) -> Project:
        """Return the project that a folder belongs to; an unknown one is registered.

        Worktrees, clones and renamed folders of a repository are one project; folders that only share their name are
        not. Raises InvalidInput.
        """
        identifiers.namespace("agent_id", namespace)
        inputs.text("folder", folder)
        checkout = Checkout(folder) if self._checkouts is None else await self._checkouts.read(folder)
        new_id = identifiers.new_id(identifiers.PROJECT)

        def decide(known: Sequence[Project]) -> Project:
            return projects.placed(checkout, known, namespace, new_id)

        known = await self._repository.projects(namespace)
        found = decide(known)
        return found if found in known else await self._repository.place(namespace, decide, self._clock())

    async def here(self, namespace: str, folder: str, *, register: bool = True) -> Project | None:
        """Return the project of the folder that somebody works in; None where it is none.

        A folder is a project if it is known as one, or is a repository, or has a project's marker; one that is new has
        nothing of its own yet, and is only remembered with `register`.
        """
        if not folder or self._checkouts is None:
            return None
        checkout = await self._checkouts.read(folder)
        known = await self._repository.projects(namespace)
        found = projects.matching(checkout, known)
        if found is not None or checkout.is_kept_out or not checkout.is_project:
            return found
        if register:
            return await self.project(namespace, folder)
        return projects.placed(checkout, known, namespace, identifiers.new_id(identifiers.PROJECT))

    async def is_kept_out(self, folder: str) -> bool:
        """Return whether a marker file keeps a folder out of memory."""
        return self._checkouts is not None and (await self._checkouts.read(folder)).is_kept_out

    async def belonging(self, namespace: str, named: str | None, here: Project | None) -> Project | None:
        """Return the project that something is for: the one named by id or name, else that of the caller.

        None is everywhere. Raises InvalidInput for one that is not known.
        """
        if named is None:
            return here
        return None if named.casefold() == EVERYWHERE else await self.named_project(namespace, named, here)

    async def resolved(self, namespace: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Return metadata whose project is given by its id, where its name is known and no other's."""
        named = metadata.get("project")
        if not isinstance(named, str):
            return dict(metadata)
        if named.casefold() == EVERYWHERE:
            return {name: value for name, value in metadata.items() if name != "project"}
        fitting = [one for one in await self._repository.projects(namespace) if named in one.names]
        return {**metadata, **(fitting[0].fields if len(fitting) == 1 else {})}

    async def moved(self, namespace: str, named: str, location: str) -> Project:
        """Return a project that has moved to another folder, or was renamed with it. Raises InvalidInput."""
        checkout = Checkout(location) if self._checkouts is None else await self._checkouts.read(location)
        known = await self._repository.projects(namespace)
        found = [one for one in known if named in (*one.names, one.location)]
        if len(found) != 1:
            return await self.named_project(namespace, named)
        if (there := projects.matching(checkout, known)) is not None and there.id != found[0].id:
            known_as = f"is the project {there.name} already ({there.id})"
            raise InvalidInput("folder", f"{known_as}; agentos projects merge {found[0].id} {there.id} joins the two")
        moved = projects.placed(checkout, found, namespace, found[0].id)
        if projects.is_named(found[0]):
            moved = replace(moved, name=found[0].name)
        return await self._repository.place(namespace, lambda _: moved, self._clock())

    async def renamed(self, project: Project, name: str) -> Project:
        """Return a project under another name."""
        renamed = replace(project, name=name)
        return await self._repository.place(project.namespace, lambda _: renamed, self._clock())

    async def settled(self, session: Session, folder: str) -> Session:
        """Return the session, moved to the checkout that it works in if it was begun in a folder above."""
        if not projects.is_above(session.project, folder):
            return session
        checkout = None if self._checkouts is None else await self._checkouts.read(folder)
        if checkout is None or checkout.repository is None or not projects.is_above(session.project, checkout.folder):
            return session
        project = await self.project(session.namespace, folder)
        await self._repository.move(session, project)
        return replace(session, project=project)

    async def top(self, folder: str) -> str:
        """Return the top of the working tree that a folder is in; the folder itself outside of one."""
        return folder if self._checkouts is None else (await self._checkouts.read(folder)).folder

    async def projects(self, namespace: str) -> list[Project]:
        """Return every project of a namespace."""
        return await self._repository.projects(namespace)

    async def spellings(self, namespace: str, named: str | None) -> tuple[str, ...]:
        """Return what a project may be called: the given name or id, and both of each known project that it fits."""
        if named is None or named == ALL:
            return ()
        known = await self._repository.projects(namespace)
        fitting = [name for one in known if named in (one.id, one.name) for name in (one.id, one.name)]
        return tuple(dict.fromkeys([inputs.text("project", named, 200), *fitting]))

    async def named_project(self, namespace: str, named: str, here: Project | None = None) -> Project:
        """Return the project of an id or a name. Raises InvalidInput where there is none, or several."""
        found = await self.fitting(namespace, named, here)
        if found is None:
            raise no_project(named, [one.name for one in await self._repository.projects(namespace)])
        return found

    async def fitting(self, namespace: str, named: str, here: Project | None = None) -> Project | None:
        """Return the project of an id or a name, in any case; None where there is none.

        Of several with one name it is the one `here`. Raises InvalidInput for several others.
        """
        inputs.text("project", named, 200)
        known = await self._repository.projects(namespace)
        found = [one for one in known if named in (*one.names, one.location)]
        found = found or [one for one in known if one.name.casefold() == named.casefold()]
        is_here = here is not None and (named in here.names or named.casefold() == here.name.casefold())
        if here is not None and (any(one.id == here.id for one in found) or (is_here and not found)):
            return here  # which may not be registered yet
        if len(found) > 1:
            names = ", ".join(f"{one.id} ({one.location})" for one in found)
            raise InvalidInput("project", f"names {len(found)} projects; give an id: {names[:400]}")
        return found[0] if found else None

    async def open(
        self, namespace: str, client: str, key: str, folder: str, parent: str | None = None
    ) -> tuple[Session, bool]:
        """Return the session that a client calls `key`, created if it is new (True).

        A known one keeps its project, whatever the folder. Raises InvalidInput.
        """
        inputs.text("client", client, 100)
        inputs.text("session", key, MAX_KEY_BYTES)
        known = await self._repository.find(namespace, client, key)
        if known is not None:
            return known, False
        now = self._clock()
        project = await self.project(namespace, folder)
        return await self._repository.open(
            Session(
                id=identifiers.new_id("ses"),
                namespace=namespace,
                client=client,
                key=key,
                project=project,
                parent=parent,
                state=SessionState.ACTIVE,
                title="",
                started_at=now,
                last_at=now,
                ended_at=None,
            )
        )

    async def get(self, namespace: str, session_id: str) -> Session:
        """Return a session. Raises NotFound."""
        found = await self._repository.get(namespace, inputs.text("session_id", session_id, 200))
        if found is None:
            raise NotFound(f"id: there is no session {session_id[:60]!r}; session_list gives valid ids")
        return found

    async def named(self, namespace: str, client: str, key: str) -> Session:
        """Return the session that a client calls `key`. Raises NotFound, InvalidInput."""
        found = await self._repository.find(namespace, client, inputs.text("session_id", key, MAX_KEY_BYTES))
        if found is None:
            raise NotFound(f"session_id: there is no session {key[:60]!r} of {client}")
        return found

    async def page(
        self,
        namespace: str,
        project: str | None = None,
        state: str | None = None,
        limit: int = 20,
        client: str | None = None,
    ) -> list[Session]:
        """List sessions, the last active first; of a `project` by its id, and of a `client`. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LISTED)
        wanted = None if state is None else inputs.choice("state", state, SessionState)
        return await self._repository.page(namespace, project, wanted, limit, client)

    async def last_before(self, session: Session) -> datetime | None:
        """Return when the session of its project that began before it was last active; None for the first one."""
        page = await self._repository.page(session.namespace, session.project.id, None, MAX_LISTED, None)
        earlier = (one.last_at for one in page if one.id != session.id and one.started_at <= session.started_at)
        return max(earlier, default=None)

    async def record(self, session: Session, *events: NewEvent) -> int:
        """Append events, once per key, and return how many were new. The session is active again.

        Raises InvalidInput, and StorageUnavailable if nothing can be written now.
        """
        for event in events:
            inputs.text("key", event.key, MAX_KEY_BYTES)
            inputs.text("text", event.text, 4 * MAX_TEXT_CHARS, allow_empty=True)
            inputs.metadata("structured", dict(event.structured))
            if event.type is EventType.REFLECTION:
                raise InvalidInput("type", "reflections are logged by reflection_log")
        return await self._repository.append(session, events, self._clock())

    async def end(self, session: Session, state: SessionState = SessionState.COMPLETED) -> None:
        """Mark a session as ended; later events make it active again. Raises InvalidInput."""
        if state is SessionState.ACTIVE:
            raise InvalidInput("state", "must be completed or failed")
        await self._repository.change(session.namespace, session.id, self._clock(), state, None)

    async def update(
        self, namespace: str, session_id: str, state: str | None = None, title: str | None = None
    ) -> Session:
        """Resume a session (active), end it (completed, failed), or rename it. Raises NotFound or InvalidInput."""
        wanted = None if state is None else inputs.choice("state", state, SessionState)
        called = None if title is None else await self._redactor.text(inputs.text("title", title, MAX_TITLE_BYTES))
        if wanted is None and called is None:
            raise InvalidInput("id", "nothing to change; give title or state")
        inputs.text("session_id", session_id, 200)
        changed = await self._repository.change(namespace, session_id, self._clock(), wanted, called)
        return changed or await self.get(namespace, session_id)

    async def put_back(
        self, namespace: str, session_id: str, state: str, title: str, ended_at: datetime | None
    ) -> Session:
        """Make a session again what it was before a change. Raises NotFound or InvalidInput."""
        was = inputs.choice("state", state, SessionState)
        called = await self._redactor.text(inputs.text("title", title, MAX_TITLE_BYTES, allow_empty=True))
        changed = await self._repository.change(namespace, session_id, self._clock(), was, called, ended_at)
        return changed or await self.get(namespace, session_id)

    async def events(self, session: Session, after: int = 0, limit: int = EVENTS_AT_ONCE) -> list[Event]:
        """Return the events of a session, in order."""
        return await self._repository.events(session.namespace, session.id, after, None, limit)

    async def failures_in_a_row(self, session: Session, tool: str, command: str) -> tuple[int, str]:
        """Return how often a tool's run has last failed in a row in a session, and why it failed last."""
        events = await self._repository.tail(session.namespace, session.id, LATEST_EVENTS)
        return observations.failures_in_a_row(events, tool, command)

    async def is_at_work(self, session: Session) -> bool:
        """Return whether anything was changed or run in a session since its user's last turn."""
        return observations.has_work(await self._repository.tail(session.namespace, session.id, LATEST_EVENTS))

    async def prompts(self, session: Session) -> list[Event]:
        """Return the last prompts of a session that say something, in order."""
        latest = await self._repository.tail(session.namespace, session.id, EVENTS_AT_ONCE)
        asked = [e for e in latest if e.type is EventType.TURN and e.role == "user" and not is_mere_reply(e.text)]
        return asked[-MAX_PROMPTS:]

    async def erase(self, namespace: str, session_id: str) -> None:
        """Delete a session with its events and turns for good. Raises NotFound.

        Its observations are memories, and are erased as such.
        """
        if not await self._repository.erase(namespace, session_id, self._clock()):
            await self.get(namespace, session_id)

    async def purge(self) -> int:
        """Delete events of sessions at rest for as long as events are kept; return how many.

        Events that an observation was made of stay with it, and those in which habits may still be found.
        """
        if self._event_retention is None:
            return 0
        return await self._repository.purge_everywhere(self._clock() - self._event_retention)

    async def shown(self, session: Session) -> frozenset[str]:
        """Return the entries shown to a session without being asked for, and still in its context."""
        return frozenset(await self.shown_at(session))

    async def shown_at(self, session: Session) -> Mapping[str, datetime]:
        """Return the entries shown to a session without being asked for, and when each was."""
        return await self._repository.shown(session.namespace, session.id)

    async def briefed(self, namespace: str, project: Project) -> Briefed | None:
        """Return what the session that is at work in a project was shown; None where there are several, or none."""
        recently = self._clock() - AT_WORK
        page = await self._repository.page(namespace, project.id, SessionState.ACTIVE, MAX_LISTED, None)
        active = [one for one in page if one.last_at > recently]
        shown = await self.shown(active[0]) if len(active) == 1 else frozenset()
        return Briefed(shown, active[0].started_at) if shown else None

    async def note_shown(self, session: Session, entries: Collection[str]) -> None:
        """Store which entries were shown to a session."""
        if entries:
            await self._repository.note_shown(session.namespace, session.id, entries, self._clock())

    async def forget_shown(self, session: Session, prefix: str = "") -> None:
        """Forget what was shown to a session: its context was cleared or compacted."""
        await self._repository.forget_shown(session.namespace, session.id, prefix)

    async def observe(self) -> int:
        """Turn new events into observations, in all namespaces, and return how many were made.

        May be interrupted at any point and run concurrently: bounds are fixed first, and the same events give the same
        text, which is kept once.
        """
        after: str | None = ""
        while after is not None:
            waiting = await self._repository.unobserved_everywhere(SESSIONS_AT_ONCE, after)
            for session, observed in waiting:
                await self._claim(session, observed)
            after = waiting[-1][0].id if len(waiting) == SESSIONS_AT_ONCE else None
        made = 0
        for stretch in await self._repository.outstanding_everywhere(EVENTS_AT_ONCE):
            made += await self._observe(stretch)
        return made

    async def _claim(self, session: Session, observed: int) -> None:
        events = await self._repository.events(session.namespace, session.id, observed, None, EVENTS_AT_ONCE)
        if not events:
            return
        at_rest = session.state is not SessionState.ACTIVE or self._clock() - session.last_at >= AT_REST_AFTER
        closed = at_rest and len(events) < EVENTS_AT_ONCE
        bounds = [(part[0], part[-1]) for part in observations.split(events, closed=closed)]
        if bounds:
            await self._repository.claim(session.namespace, session.id, observed, bounds)

    async def _observe(self, stretch: EventStretch) -> bool:
        session = stretch.session
        events = await self._repository.events(
            session.namespace, session.id, stretch.first - 1, stretch.last, EVENTS_AT_ONCE
        )
        asked_before = await self._repository.user_turns_before(
            session.namespace, session.id, stretch.first, LOOKED_BACK
        )
        await self._keep_stated(session, events)
        chars = offload.length(event.text for event in events)
        found = await offload.read(chars, observations.derive, events, asked_before) if events else None
        if found is None:
            await self._repository.finish(session.namespace, stretch.id, None)
            return False
        stored = await self._keeper.store(
            session.namespace,
            StoreRequest(
                observations.render(found),
                "episodic",
                IMPORTANCE,
                (TAG, found.type.value, session.project.id),
                metadata_of(found, session),
                session.client,
                found.occurred_at.isoformat(),
                session.id,
                kind="observation",
            ),
        )
        for action in found.actions:
            if action.success is None:  # the log holds what is known to have gone well, or not
                continue
            await self._actions.log(
                session.namespace,
                action.name,
                action.outcome,
                action.success,
                f"observed in {session.project.name}",
                tags=(session.project.id,),
                key=f"{stretch.id}/{action.name}",
            )
        await self._repository.finish(session.namespace, stretch.id, stored.memory.id)
        return True

    async def _keep_stated(self, session: Session, events: Sequence[Event]) -> None:
        """Keep what the user's prompts in a stretch state for good, as candidates."""
        if self._statements is None:
            return
        for event in events:
            if event.type is EventType.TURN and event.role == "user" and not event.text.lstrip().startswith(_NOT_TYPED):
                said_in = {"said_in": session.id, "prompt": event.id}
                await self._statements.keep_stated(
                    session.namespace, event.text, event.id, event.occurred_at, said_in, session.project.fields
                )

    async def checkpoint(self, session: Session) -> str | None:
        """Store the state of a session as a memory; return its id, or None if nothing happened. Idempotent."""
        events = await self._repository.tail(session.namespace, session.id, CHECKPOINT_EVENTS)
        text = checkpoints.render((await self.get(session.namespace, session.id)).title, events)
        if not text:
            return None
        stored = await self._keeper.store(
            session.namespace,
            StoreRequest(
                text,
                "episodic",
                CHECKPOINT_IMPORTANCE,
                (CHECKPOINT_TAG, session.project.id),
                {"project": session.project.id, "project_name": session.project.name},
                session.client,
                session=session.id,
                kind="summary",
            ),
        )
        return stored.memory.id

    async def stretch_of(self, namespace: str, memory_id: str) -> EventStretch | None:
        """Return the stretch that an observation was made of; None for any other memory."""
        return await self._repository.stretch_of(namespace, memory_id)

    async def calls_of(self, stretch: EventStretch) -> list[Event]:
        """Return the events of a stretch."""
        return await self._repository.events(
            stretch.session.namespace, stretch.session.id, stretch.first - 1, stretch.last, EVENTS_AT_ONCE
        )

    async def observed_memories(self, session: Session, limit: int = MAX_LISTED) -> list[str]:
        """Return the ids of the memories that hold a session's observations, in order."""
        return await self._repository.observed_memories(session.namespace, session.id, limit)


def metadata_of(observation: Observation, session: Session) -> dict[str, object]:
    """Return the metadata that a memory keeps of an observation."""
    return {
        "observation": {
            "type": observation.type.value,
            "title": observation.title,
            **{
                name: value for name, value in (("subtitle", observation.subtitle), ("tool", observation.tool)) if value
            },
            "narrative": observation.narrative,
            "facts": list(observation.facts),
            "concepts": [concept.value for concept in observation.concepts],
            "files_read": list(observation.files_read),
            "files_modified": list(observation.files_modified),
            **({"next": list(observation.next)} if observation.next else {}),
        },
        "project": session.project.id,
        "project_name": session.project.name,
    }


def no_project(named: str, known: Iterable[str]) -> InvalidInput:
    """Return the error that there is no such project, which names those that are called most like it."""
    names = [name for name in dict.fromkeys(known) if name]
    nearest = difflib.get_close_matches(named, names, NEAREST, LEAST_LIKENESS) or names[:NEAREST]
    there = ", ".join(name[:60] for name in nearest)
    told = f"the nearest: {there}" if there else "there are no projects yet"
    return InvalidInput("project", f"there is none called {named[:60]!r}; {told}")


def turn(role: str, text: str, key: str, occurred_at: datetime | None = None) -> NewEvent:
    """Build the event of a turn by `user` or `assistant`. A long text is cut."""
    return NewEvent(EventType.TURN, key, role, text[:MAX_TEXT_CHARS], occurred_at=occurred_at)


def signal(what: Signal, key: str, occurred_at: datetime | None = None) -> NewEvent:
    """Build the event of a signal: something ended, or is about to."""
    return NewEvent(EventType.SIGNAL, key, "", what.value, occurred_at=occurred_at)
