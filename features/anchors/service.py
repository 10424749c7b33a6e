"""The anchor service: follows folders, anchors their notes, marks those whose code changed, and tells them."""

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from ...modules import identifiers
from ...modules.agentos import AgentOS
from ...modules.anchoring import AnchoredCode, Checked, CodeFolder
from ...modules.context.entries import Briefing
from ...modules.errors import Conflict, InvalidInput, NotFound
from ...modules.installing import INSTALL_CODE_EXTRA
from ...modules.sessions.models import Session
from ...modules.views.labels import Labels
from ...storage.engine.ports import Engine
from . import finding, judging, parsing, telling
from .code import Code
from .models import Anchor, Body, Followed, Note, Place, State
from .rows import AnchorRows

NOTES_AT_ONCE = 500
MOST_NOTES = 5_000
"""The most notes whose text is read in one check."""
MOST_TOLD, MOST_BESIDE = 5, 200
MOST_SHOWN = 500
"""The most anchors that are listed to look at."""
FILES_ALONE = f"symbols are not followed without the extra code: {INSTALL_CODE_EXTRA}"
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


async def anchors_of(agentos: AgentOS) -> "AnchorService":
    """Return the anchors of open services, also where no folder is followed yet. Raises Conflict where none can be."""
    found = await agentos.anchors(begin=True)
    if not isinstance(found, AnchorService):
        raise Conflict("notes of this store cannot follow code: that works in the store of this machine's own home")
    return found


class AnchorService:
    """Implements `modules.anchoring.Anchors` over one store. Files are read beside the event loop."""

    def __init__(self, rows: AnchorRows, agentos: AgentOS, *, parses: bool) -> None:
        """Serve a store; without `parses` files alone are followed."""
        self._rows = rows
        self._agentos = agentos
        self.parses = parses

    @classmethod
    def over(cls, engine: Engine, agentos: AgentOS) -> "AnchorService":
        """Return the anchors of the store of an engine."""
        return cls(AnchorRows(engine), agentos, parses=parsing.is_there())

    async def follow(self, namespace: str, folder: str) -> Checked:
        """Follow the project of a folder: anchor its notes now, and those that come. Raises InvalidInput."""
        followed = await self._begun(namespace, folder)
        await self._rows.look_again(followed.id)
        return await self._checked(replace(followed, looked_at=0))

    async def _begun(self, namespace: str, folder: str) -> Followed:
        top = await self._agentos.sessions.top(folder)
        for one in await self._rows.folders():
            if (one.namespace, one.folder) == (namespace, top):
                return one
        if not await asyncio.to_thread(Path(top).is_dir):
            raise InvalidInput("folder", f"is none: {top[:200]}")
        if await self._agentos.sessions.is_kept_out(folder):
            raise InvalidInput("folder", "is kept out of memory by .agentos-ignore")
        if await self._agentos.sessions.here(namespace, folder) is None:
            raise InvalidInput("folder", "is no project: it has neither a repository nor a file such as pyproject.toml")
        project = await self._agentos.sessions.project(namespace, folder)
        new = Followed(identifiers.new_id("fol"), namespace, project.id, project.name, top)
        await self._rows.follow(new)
        return next(one for one in await self._rows.folders() if (one.namespace, one.folder) == (namespace, top))

    async def leave(self, namespace: str, folder: str) -> int:
        """Follow a folder no longer; return how many anchors went. Raises NotFound."""
        return await self._rows.leave((await self._followed(namespace, folder)).id)

    async def _followed(self, namespace: str, folder: str) -> Followed:
        top = await self._agentos.sessions.top(folder)
        for one in await self._rows.folders():
            if one.namespace == namespace and one.folder in (top, folder):
                return one
        raise NotFound(f"folder: {top[:200]} is not followed; agentos anchors follow FOLDER follows it")

    async def add(self, namespace: str, memory_id: str, given: str, folder: str, commit: str = "") -> Anchor:
        """Anchor a memory to PATH or PATH:SYMBOL of a folder's project. Raises InvalidInput, NotFound."""
        if commit and not _COMMIT.fullmatch(commit):
            raise InvalidInput("commit", "must be 7 to 64 hexadecimal digits")
        if (note := await self._rows.note(namespace, memory_id)) is None:
            raise NotFound(f"memory: there is none with the id {memory_id[:60]!r}")
        top = await self._agentos.sessions.top(folder)
        code = Code(Path(top), parses=self.parses)
        place = await asyncio.to_thread(finding.place_of, given, code)
        if place is None or (
            ":" in given and not place.symbol and not await asyncio.to_thread(Path(top, given).exists)
        ):
            why = "" if self.parses else f"; {FILES_ALONE}"
            raise InvalidInput("place", f"is neither a file of {top[:200]} nor one symbol of it as PATH:SYMBOL{why}")
        followed = await self._begun(namespace, folder)
        [anchor] = await asyncio.to_thread(_anchored, note, [place], followed, code, commit)
        anchor = replace(anchor, is_given=True)
        await self._rows.give(anchor)
        return anchor

    async def remove(self, namespace: str, memory_id: str, given: str | None = None) -> int:
        """Remove the anchors of a memory, or the one to PATH or PATH:SYMBOL. Raises NotFound where there is none."""
        place = None
        if given is not None:
            path, _, symbol = given.partition(":")
            place = Place(path, symbol)
        removed = await self._rows.remove(namespace, memory_id, place)
        if not removed:
            raise NotFound(f"anchor: {memory_id[:60]} has none{' there' if place else ''}; agentos anchors list")
        return removed

    async def listed(self, namespace: str, memory_id: str | None = None) -> list[Anchor]:
        """Return the anchors of a namespace, or of one memory."""
        return await self._rows.of_namespace(namespace, memory_id)

    async def views(
        self, namespace: str, memory_id: str | None = None, *, marked: bool = False
    ) -> Sequence[AnchoredCode]:
        found = await self._rows.shown(namespace, memory_id, marked, MOST_SHOWN)
        return [_view(*one) for one in found]

    async def status(self) -> list[CodeFolder]:
        return await self._rows.status()

    async def check(self) -> Checked:
        total = Checked()
        for followed in await self._rows.folders():
            total = _sum(total, await self._checked(followed))
        return total

    async def edited(self, namespace: str, top: str, paths: Sequence[str]) -> Checked:
        for followed in await self._rows.folders():
            if (followed.namespace, followed.folder) == (namespace, top):
                return await self._judged(followed, Code(Path(top), parses=self.parses), paths)
        return Checked()

    async def told(self, session: Session, paths: Sequence[str], top: str, shown: Collection[str]) -> Briefing:
        code = Code(Path(top), parses=False)
        inner = [one for path in paths if (one := code.relative(path)) and telling.file_key(one) not in shown]
        if not inner:
            return Briefing()
        ids = await self._rows.notes_on(session.namespace, session.project.id, inner, MOST_TOLD + len(shown))
        memories = []
        for one in [each for each in ids if each not in shown][:MOST_TOLD]:
            memory, _ = await self._agentos.memory.get(session.namespace, one)
            if not memory.has_ended(self._agentos.clock()):
                memories.append(memory)
        allowed = await self._agentos.unasked(memories)
        return telling.briefing(inner, allowed, Labels(self._agentos.clock(), suspicious=frozenset()))

    async def _checked(self, followed: Followed) -> Checked:
        """Anchor the notes of a folder that are new or were edited, and mark those whose code changed."""
        problem = await self._problem(followed)
        if problem != followed.problem:
            await self._rows.note_problem(followed.id, problem)
        if problem:
            return Checked(words={followed.folder: problem})
        code = Code(Path(followed.folder), parses=self.parses)
        before = await self._judged(followed, code)
        return replace(before, found=await self._found(followed, code))

    async def _problem(self, followed: Followed) -> str:
        if not await asyncio.to_thread(Path(followed.folder).is_dir):
            return "the folder is not there: agentos anchors leave FOLDER forgets it"
        if await self._agentos.sessions.is_kept_out(followed.folder):
            return "the folder is kept out of memory by .agentos-ignore"
        return ""

    async def _found(self, followed: Followed, code: Code) -> int:
        found = 0
        for note in await self._rows.edited_notes(followed, NOTES_AT_ONCE):
            found += await self._note_found(followed, note, code)
        for _ in range(MOST_NOTES // NOTES_AT_ONCE):
            notes = await self._rows.new_notes(followed, NOTES_AT_ONCE)
            for note in notes:
                found += await self._note_found(followed, note, code)
            if notes:
                followed = replace(followed, looked_at=notes[-1].seq)
                await self._rows.looked(followed.id, followed.looked_at)
            if len(notes) < NOTES_AT_ONCE:
                break
        return found

    async def _note_found(self, followed: Followed, note: Note, code: Code) -> int:
        def look() -> list[Anchor]:
            return _anchored(note, finding.places_in(note.content, code), followed, code)

        anchors = await asyncio.to_thread(look)
        await self._rows.keep(followed.id, note, anchors)
        return len(anchors)

    async def _judged(self, followed: Followed, code: Code, edited: Sequence[str] | None = None) -> Checked:
        """Judge the anchors of a folder, or those on files that were edited and those that are gone."""
        known = await self._rows.anchors(followed.id)
        inner = None if edited is None else {code.relative(path) for path in edited}
        seen = ""
        if inner is None:
            seen = await asyncio.to_thread(code.stamp, [anchor.now.path for anchor, _ in known])
            if seen == followed.seen and not any(
                anchor.state is State.GONE or anchor.begins_anew(confirmed) for anchor, confirmed in known
            ):
                return Checked(len(known))
        some = [
            (anchor, confirmed)
            for anchor, confirmed in known
            if inner is None or anchor.now.path in inner or anchor.state is State.GONE
        ]
        if not some:
            return Checked()
        renames = judging.renames_of([anchor for anchor, _ in known])
        before = [anchor for anchor, _ in some]

        def judge() -> list[Anchor | None]:
            judged = judging.judged(before, renames, code)
            counted = [count for _, count in some]
            commit = code.head()
            return [_settled(*one, code, commit) for one in zip(before, judged, counted, strict=True)]

        after = await asyncio.to_thread(judge)
        changed = [(was, now) for was, now in zip(before, after, strict=True) if was != now]
        if seen:
            await self._rows.saw(followed.id, seen)
        if changed:
            await self._rows.settle([was for was, _ in changed], [now for _, now in changed])
        marked = sum(now is not None and bool(now.mark) and not was.mark for was, now in changed)
        cleared = sum(bool(was.mark) and (now is None or not now.mark) for was, now in changed)
        return Checked(len(some), marked, cleared)


def _sum(one: Checked, other: Checked) -> Checked:
    return Checked(
        one.anchors + other.anchors,
        one.marked + other.marked,
        one.cleared + other.cleared,
        one.found + other.found,
        {**one.words, **other.words},
    )


def _view(anchor: Anchor, confirmed: int, text: str, project: str) -> AnchoredCode:
    """Return an anchor as people see it, also one that the next check begins anew."""
    if anchor.begins_anew(confirmed):
        anchor = replace(anchor, place=anchor.now, state=State.SAME, mark="")
    diff = telling.diff_of(anchor) if anchor.state is not State.SAME else ""
    places = (str(anchor.place), str(anchor.now))
    return AnchoredCode(
        anchor.memory_id, text, project, *places, anchor.state.value, anchor.mark, diff, anchor.is_given
    )


def _anchored(note: Note, places: Sequence[Place], followed: Followed, code: Code, commit: str = "") -> list[Anchor]:
    """Return the anchors of a note to places that are there."""
    anchors = []
    for place in places:
        body = _body_at(place, code)
        if body is None or body.is_broken:
            continue
        anchors.append(
            Anchor(
                note.id,
                followed.id,
                place,
                place,
                body,
                _beside(place, body, code),
                commit or code.head(),
                confirmations=note.confirmations,
                version=note.version,
            )
        )
    return anchors


def _body_at(place: Place, code: Code) -> Body | None:
    source = code.source(place.path)
    if source is None:
        return None
    return source.symbols.get(place.symbol) if place.symbol else source.body


def _beside(place: Place, body: Body, code: Code) -> tuple[Place, ...]:
    return tuple(code.beside(place, body)[:MOST_BESIDE])


def _settled(was: Anchor, now: Anchor, confirmed: int, code: Code, commit: str) -> Anchor | None:
    """Return an anchor with its mark, or begun anew where it is now."""
    if was.begins_anew(confirmed):
        body = _body_at(now.now, code)
        if body is None:
            return None
        beside = _beside(now.now, body, code)
        fresh = replace(now, place=now.now, body=body, beside=beside, commit=commit, state=State.SAME, mark="")
        return replace(fresh, confirmations=confirmed)
    mark = telling.mark_of(now)
    return replace(now, mark=mark, confirmations=confirmed if mark != was.mark else was.confirmations)
