"""The turn service: turns are stored in order, and the latest are cached."""

import asyncio
import hashlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .. import identifiers, inputs, offload
from ..clock import Clock
from ..errors import InvalidInput
from ..redactor import Redactor
from . import continuity, salience
from .models import (
    Added,
    Chain,
    NewTurn,
    Page,
    SessionBranch,
    SessionOpening,
    Stretch,
    Turn,
    TurnRole,
    Unweighed,
    Weighable,
)

if TYPE_CHECKING:
    from ...storage.repositories.turns import TurnsRepository
    from ..memory.embedding import MemoryEmbedding

WINDOW = 20
"""Turns in the working window of a session."""
WINDOWS_AT_HAND = 64
MAX_LIMIT = 1_000
MAX_SESSION_BYTES = 200
MAX_KEY_BYTES = 400

CONTEXT = 200
"""Turns before a new one that it is compared with. The nearer half is weighed anew, since they are older now; for
those before them recency is next to nothing, and they stay as they are."""
MATURED_AT_ONCE = 1_000
MATURED_A_RUN = 5_000
"""Turns that one run of the job weighs, up to the end of a batch; the next run goes on."""
SESSIONS_AT_ONCE = 50
PATIENCE = timedelta(minutes=10)
"""The time that a turn waits for its vector at most: some texts cannot be embedded."""
MODEL_WAIT_S = 60.0
SAME = 1e-4
"""Salience differences below this are not written."""

ToEmbed = Callable[[str, str], None]
"""Embeds a memory, by its id and text, soon; does not block."""


class TurnService:
    """The rules of conversations over one store."""

    def __init__(
        self,
        repository: "TurnsRepository",
        embed_soon: ToEmbed,
        vectors: "MemoryEmbedding",
        count_tokens: Callable[[str], int],
        redactor: Redactor,
        clock: Clock,
        max_content_bytes: int,
    ) -> None:
        self._repository = repository
        self._embed_soon = embed_soon
        self._vectors = vectors
        self._count_tokens = count_tokens
        self._redactor = redactor
        self._clock = clock
        self._max_content_bytes = max_content_bytes
        self._windows = _WindowCache(WINDOWS_AT_HAND)

    async def add(
        self,
        namespace: str,
        session: str,
        role: str,
        content: str,
        *,
        answer: str | None = None,
        occurred_at: str | None = None,
        key: str | None = None,
        parent: str | None = None,
        source: str = "",
        project: str = "",
        dry_run: bool = False,
    ) -> Added:
        """Store a turn durably, without secrets; with an `answer`, a whole page. The vectors follow.

        With `dry_run` nothing is stored: it is only looked whether it could be.

        The same `key` again changes nothing: the first stands. Without a key, the same role, text and `occurred_at` are
        the same turn; without a time either, each call adds a turn. `parent` names the session that a new one branches
        off from; `project` is kept with the turns. Raises InvalidInput, NotFound or Conflict, and changes nothing then.
        """
        opening, turns = await self._read(
            namespace, session, role, content, answer, occurred_at, key, parent, source, project
        )
        if dry_run:
            return Added(opening.session, (), 0)
        added = await self._repository.add(opening, turns, self._clock())
        new = {turn.memory_id for turn in turns}
        for turn in added.turns:
            if turn.memory_id in new:
                self._embed_soon(turn.memory_id, turn.text)
        return added

    async def known(self, namespace: str, session: str, keys: Sequence[str]) -> frozenset[str]:
        """Return those of the keys under which a session has a turn already."""
        inputs.count("keys", len(keys), 0, MAX_LIMIT)
        redacted = {await self._redactor.text(key): key for key in keys}
        name = await self._redactor.text(session)
        return frozenset(redacted[key] for key in await self._repository.known(namespace, name, list(redacted)))

    async def known_anywhere(self, namespace: str, keys: Sequence[str]) -> frozenset[str]:
        """Return those of the keys under which any session has a turn already."""
        inputs.count("keys", len(keys), 0, MAX_LIMIT)
        redacted = {await self._redactor.text(key): key for key in keys}
        return frozenset(redacted[key] for key in await self._repository.known_anywhere(namespace, list(redacted)))

    async def _read(
        self,
        namespace: str,
        session: str,
        role: str,
        content: str,
        answer: str | None,
        occurred_at: str | None,
        key: str | None,
        parent: str | None,
        source: str,
        project: str,
    ) -> tuple[SessionOpening, list[NewTurn]]:
        """Return what is to be stored, without secrets. Raises InvalidInput."""
        speaker = inputs.choice("role", role, TurnRole)
        if answer is not None and speaker is not TurnRole.USER:
            raise InvalidInput("answer", "goes only with a user's turn; add others' turns separately")
        happened = inputs.moment("occurred_at", occurred_at)
        if key is not None:
            key = await self._redactor.text(inputs.text("key", key, MAX_KEY_BYTES))
        turns = [await self._new(speaker, "content", content, happened, key)]
        if answer is not None:
            turns.append(await self._new(TurnRole.ASSISTANT, "answer", answer, happened, key and f"{key}/answer"))
        return await self._opening(namespace, session, parent, source, project), turns

    async def branch(self, namespace: str, parent: str, session: str, place: int | None = None) -> SessionBranch:
        """Create a session that inherits the turns of another up to a `place`, by default all so far.

        Later turns of either are not visible in the other. Raises InvalidInput, NotFound, Conflict.
        """
        if place is not None:
            inputs.count("at", place, -1, 2**53)
        opening = await self._opening(namespace, session, parent)
        return await self._repository.branch(opening, place, self._clock())

    async def window(self, namespace: str, session: str, limit: int = WINDOW) -> list[Turn]:
        """Return the working window: the last turns of a session, in order, including inherited ones.

        It is cached, and validated against the database each time, so that no other process's change is missed. Raises
        InvalidInput.
        """
        inputs.count("limit", limit, 1, MAX_LIMIT)
        lineage = await self._repository.lineage(namespace, session)
        if not lineage or limit > WINDOW:
            return await self._repository.last(namespace, lineage, limit)
        mark = await self._repository.mark(namespace, lineage, WINDOW)
        known = self._windows.get(namespace, session, mark)
        if known is None:
            known = await self._repository.last(namespace, lineage, WINDOW)
            self._windows.put(namespace, session, mark, known)
        return known[-limit:]

    async def turns(self, namespace: str, session: str, after: int = -1, limit: int = 100) -> list[Turn]:
        """Return the turns of a session itself after a place, in order; none that it inherits. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LIMIT)
        return await self._repository.turns(namespace, session, after, limit)

    async def lineage(self, namespace: str, session: str) -> list[Stretch]:
        """Return the parts of a session: its own turns, then those it inherits, nearest first; empty if unknown."""
        return await self._repository.lineage(namespace, session)

    async def pages(self, namespace: str, session: str, after: int = -1, limit: int = 100) -> list[Page]:
        """Return the pages of a session itself after a number, in order; none that it inherits. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LIMIT)
        return await self._repository.pages(namespace, session, after, limit)

    async def chains(self, namespace: str, session: str, limit: int) -> list[Chain]:
        """Return the chains of several pages in a session and in what it inherits, the latest first.

        Raises InvalidInput.
        """
        lineage = await self._repository.lineage(namespace, session)
        return await self._repository.chains(namespace, lineage, inputs.count("limit", limit, 1, MAX_LIMIT))

    async def least_salient(self, namespace: str, session: str, share: float = 0.3) -> list[Turn]:
        """Return the share of a session's weighed turns with the least salience, in order. Raises InvalidInput."""
        return await self._repository.least_salient(namespace, session, inputs.unit_interval("share", share))

    async def mature(self) -> int:
        """Compute what is unknown of turns, in all namespaces, and return how many turns were weighed.

        That is: which pages continue a chain, the gist of chains, and the salience of turns. Only sessions with new or
        changed turns are looked at, and of these the turns nearby. A turn whose vector is pending waits for it, up to
        PATIENCE. Idempotent.
        """
        sessions = await self._repository.unweighed_everywhere(SESSIONS_AT_ONCE)
        if not sessions:
            return 0
        if not await self._vectors.ready(MODEL_WAIT_S) and (await self._vectors.state())["state"] == "loading":
            return 0  # the next run does it
        generation = await self._vectors.generation()
        weighed = 0
        for session in sessions:
            while weighed < MATURED_A_RUN and (more := await self._mature(session, generation)) is not None:
                weighed += more[0]
                session = replace(session, first=more[1])
        return weighed

    async def _mature(self, where: Unweighed, generation: int | None) -> tuple[int, int] | None:
        """Process some turns of a session; return how many were weighed and where to go on, None if nothing is left."""
        since = max(0, where.first - CONTEXT)
        found, last = await self._repository.weighable(
            where.namespace, where.session, since, generation, MATURED_AT_ONCE
        )
        if generation is not None:
            found = self._embedded(found)
        if not any(one.turn.salience is None for one in found):
            return None
        joined, gists = await asyncio.to_thread(_linked, found)
        if joined or gists:
            await self._repository.link(where.namespace, joined, gists)
        settled = where.first - CONTEXT // 2 if since else 0
        spoken = [salience.Spoken(one.turn.text, last - one.turn.place, one.vector) for one in found]
        values = await asyncio.to_thread(salience.of, spoken)
        changed = [
            (one, value)
            for one, value in zip(found, values, strict=True)
            if one.turn.salience is None or (one.turn.place >= settled and abs(one.turn.salience - value) > SAME)
        ]
        await self._repository.weigh(where.namespace, changed)
        return len(changed), found[-1].turn.place + 1

    def _embedded(self, found: list[Weighable]) -> list[Weighable]:
        """Return the turns before the first one whose vector may still come."""
        fresh = self._clock() - PATIENCE
        waits = next((n for n, one in enumerate(found) if one.vector is None and one.created_at > fresh), len(found))
        return found[:waits]

    async def sizes(self, namespace: str, sessions: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the number of turns that each session has itself, and their estimated tokens.

        Sessions without turns are left out.
        """
        return await self._repository.sizes(namespace, sessions)

    async def _opening(
        self, namespace: str, session: str, parent: str | None, source: str = "", project: str = ""
    ) -> SessionOpening:
        name = await self._redactor.text(inputs.text("session", session, MAX_SESSION_BYTES))
        if parent is not None:
            parent = await self._redactor.text(inputs.text("parent", parent, MAX_SESSION_BYTES))
            if parent == name:
                raise InvalidInput("parent", "is the session itself")
        source = await self._redactor.text(inputs.text("source", source, 200, allow_empty=True))
        project = await self._redactor.text(inputs.text("project", project, 200, allow_empty=True))
        return SessionOpening(namespace, name, parent, source, project)

    async def _new(
        self, role: TurnRole, field: str, content: str, happened: datetime | None, key: str | None
    ) -> NewTurn:
        text = await self._redactor.text(inputs.text(field, content, self._max_content_bytes))
        memory_id = identifiers.new_id("mem")
        if key is None and happened is not None:
            key = hashlib.sha256(f"{role}\x00{text}\x00{happened.isoformat()}".encode()).hexdigest()
        continues = role is TurnRole.USER and continuity.takes_up(text)
        tokens = await offload.read(len(text), self._count_tokens, text)
        return NewTurn(memory_id, role, text, tokens, key or memory_id, happened or self._clock(), continues)


def _linked(found: Sequence[Weighable]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Return pages that continue another chain, as (page, chain), and the gists of the chains that were looked at."""
    pages: dict[str, list[Weighable]] = {}
    for one in found:
        pages.setdefault(one.turn.page, []).append(one)
    chain_of = {page: turns[0].chain for page, turns in pages.items()}
    members: defaultdict[str, list[str]] = defaultdict(list)
    for page, chain in chain_of.items():
        members[chain].append(page)
    joined: list[tuple[str, str]] = []
    stale = {turns[0].chain for turns in pages.values() if turns[0].lacks_gist}
    before: str | None = None
    for page, turns in pages.items():
        near = before is not None and pages[before][0].number == turns[0].number - 1
        if page in stale and before is not None and near:
            vectors, earlier = (
                [one.vector for one in members_of if one.vector is not None] for members_of in (turns, pages[before])
            )
            if continuity.goes_on(vectors, earlier):
                chain = chain_of[before]
                joined.append((page, chain))
                moved = members.pop(page, [])
                members[chain] += moved
                chain_of |= dict.fromkeys(moved, chain)
                stale = stale - {page} | {chain}
        before = page
    texts: dict[str, list[str]] = {}
    for page, turns in pages.items():
        if chain_of[page] in stale:
            texts.setdefault(chain_of[page], []).extend(one.turn.text for one in turns)
    return joined, {chain: continuity.gist(contents) for chain, contents in texts.items()}


class _WindowCache:
    """The windows requested last, each with the mark under which it was read."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[tuple[str, str], tuple[str, list[Turn]]] = OrderedDict()

    def get(self, namespace: str, session: str, mark: str) -> list[Turn] | None:
        """Return a window if it was read under this mark, else None."""
        known, turns = self._entries.get((namespace, session), (None, None))
        if known != mark:
            return None
        self._entries.move_to_end((namespace, session))
        return turns

    def put(self, namespace: str, session: str, mark: str, turns: list[Turn]) -> None:
        """Store a window; the least recently used one goes."""
        self._entries[namespace, session] = (mark, turns)
        self._entries.move_to_end((namespace, session))
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)
