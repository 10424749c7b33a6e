"""The erasure service: finds what names a subject, in every namespace that a caller may open, and erases it."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import inputs
from ..branches.service import BranchService
from ..errors import NotFound, PermissionDenied
from ..memory.models import MemoryFilter, Status
from ..memory.service import MemoryService
from ..principals.models import Caller, Right
from ..principals.service import PrincipalService
from ..records import dataclass
from .models import Erasure, NamedMemory, copies

if TYPE_CHECKING:
    from ...storage.repositories.kept_files import KeptFiles

LONGEST_SUBJECT = 200

ForgetSubject = Callable[[str, str], Awaitable[None]]
"""Forgets what names a subject in a namespace, and is beside the memories."""


@dataclass(frozen=True)
class ErasureService:
    """Erasures over one store. What may be read and erased follows from the caller's rights alone."""

    memory: MemoryService
    branches: BranchService
    principals: PrincipalService
    kept_files: "KeptFiles | None"
    forget_beside: Sequence[ForgetSubject]

    async def look(self, caller: Caller, namespace: str, subject: str) -> Erasure:
        """Return what an erasure of a subject in a namespace would take away, copies elsewhere too, and leave.

        Nothing is changed. Raises PermissionDenied, InvalidInput.
        """
        namespace = caller.writing(namespace, "agent")
        inputs.text("subject", subject, LONGEST_SUBJECT)
        own = await self._naming(caller, namespace, subject)
        known = [one.id for one in await self.principals.rows.summaries()]
        read = [one for one in known if one != namespace and caller.right_over(one) is not None]
        others = [named for one in read for named in await self._naming(caller, one, subject)]
        may_write = {one for one in read if (caller.right_over(one) or Right.READ) >= Right.WRITE}
        writable = [one for one in others if one.memory.namespace in may_write]
        made = copies(own, writable, await self._branches(caller, namespace)) if own else []
        chosen = {one.memory.id for one in made}
        left = Counter(one.memory.namespace for one in writable if one.memory.id not in chosen)
        return Erasure(
            namespace,
            subject,
            [one.memory for one in own],
            [one.memory for one in made],
            dict(sorted(left.items())),
            sorted({one.memory.namespace for one in others} - may_write),
            len(known) - len(read) - (namespace in known),
        )

    async def erase(self, erasure: Erasure, by: str) -> list[str]:
        """Erase what was found; return the ids of copies that stay, as a person vouches for them and `by` is none.

        Raises PermissionDenied, and changes nothing, where that is so in the namespace itself.
        """
        await self.memory.delete(erasure.namespace, *(one.id for one in erasure.own), by=by)
        concerned = {erasure.namespace, *(one.namespace for one in erasure.copies)}
        for namespace in sorted(concerned):
            for forget in self.forget_beside:
                await forget(namespace, erasure.subject)
        remaining = []
        for one in erasure.copies:
            try:
                with suppress(NotFound):  # it went with what it was made of
                    await self.memory.delete(one.namespace, one.id, by=by)
            except PermissionDenied:
                remaining.append(one.id)
        return remaining

    async def files_of(self, memory_ids: Sequence[str]) -> frozenset[str]:
        """Return the hashes of the files of some memories, whoever's they are."""
        return frozenset() if self.kept_files is None else await self.kept_files.hashes_everywhere(memory_ids)

    async def files_left(self, hashes: Sequence[str]) -> frozenset[str]:
        """Return those of the hashes of files whose bytes are still there, as others have them too."""
        return frozenset() if self.kept_files is None else await self.kept_files.held(hashes)

    async def _branches(self, caller: Caller, namespace: str) -> frozenset[str]:
        """Return the branches of a namespace, and theirs."""
        found: set[str] = set()
        waiting = [namespace]
        while waiting:
            new = {one.namespace for one in await self.branches.branches(caller, waiting.pop())} - found
            found |= new
            waiting += new
        return frozenset(found - {namespace})

    async def _naming(self, caller: Caller, namespace: str, subject: str) -> list[NamedMemory]:
        """Return the memories of a namespace that name a subject, whatever their status, now or in earlier versions."""
        where = MemoryFilter(include_superseded=True, statuses=tuple(Status))
        wanted, found = subject.casefold(), []
        async for one in self.memory.walk(namespace, where):
            versions = (await self.memory.get(namespace, one.id))[1] if one.version > 1 else []
            texts = frozenset([one.content, *(version.content for version in versions)])
            if any(wanted in text.casefold() for text in (*texts, one.summary or "", *one.tags)):
                found.append(NamedMemory(one, texts))
        made_of = await self.branches.made_of(caller, namespace, [one.memory.id for one in found])
        return [replace(one, made_of=made_of.get(one.memory.id)) for one in found]
