"""The portability service: export and import of a store, and imports from other systems."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .. import inputs
from ..clock import Clock
from ..context.lessons import TAG as RULE
from ..context.lessons import rank
from ..context.unasked import Unasked
from ..memory.models import MemoryFilter
from ..views.labels import Labels
from . import markdown
from .agent_files import Section, section
from .models import Exported, Imported, Progress, Taken, Viewed, no_progress
from .ports import ImportSource
from .taking import Into, all_goals, take

if TYPE_CHECKING:
    from ...storage.bundles.bundles import Bundles

LOOKED_AT = 500
LEAST_TOKENS, MOST_TOKENS = 100, 50_000


class PortabilityService:
    """Export and import of one store; an import never changes existing data."""

    def __init__(
        self,
        store: "Bundles",
        imports: ImportSource,
        into: Into,
        unasked: Unasked,
        clock: Clock,
    ) -> None:
        self._store = store
        self._redactor = into.redactor
        self._clock = clock
        self._imports = imports
        self._into = into
        self._unasked = unasked
        self._memory = into.memory

    async def export(self, path: Path, namespaces: Sequence[str] | None = None) -> Exported:
        """Export everything, or what belongs to some namespaces, to a new file that only its owner can read.

        Derived data (text index, vectors) are left out. Raises Conflict if the file exists.
        """
        await self._memory.settled()
        return await self._store.write_bundle(path, namespaces)

    async def view(self, path: Path, namespaces: Sequence[str]) -> Viewed:
        """Write the memories and goals of some agents to a new page of Markdown that only its owner can read.

        Hidden memories are left out. Raises Conflict if the file exists.
        """
        pages = []
        count = [0, 0]
        for namespace in namespaces:
            where = MemoryFilter(include_superseded=True)
            memories = [memory async for memory in self._memory.walk(namespace, where)]
            goals = await all_goals(self._into.goals, namespace)
            labels = Labels(self._clock())
            pages.append(await asyncio.to_thread(markdown.page, namespace, memories, goals, labels))
            count = [count[0] + len(memories), count[1] + len(goals)]
        await self._store.write_text(path, "\n".join(pages))
        return Viewed(str(path), *count)

    async def standing(self, namespace: str, max_tokens: int) -> Section:
        """Return what an agent should know at each start: rules a person confirmed, then the strongest memories.

        What is no longer or not yet so, doubtful, a turn of a conversation, or looks like an instruction is left out.
        """
        inputs.count("tokens", max_tokens, LEAST_TOKENS, MOST_TOKENS)
        now = self._clock()
        rules = await self._memory.vouched(namespace, RULE)
        sure = {rule.id for rule in rules}
        strongest = await self._unasked(await self._memory.strongest(namespace, LOOKED_AT))
        known = [
            memory
            for memory in strongest
            if memory.id not in sure
            and RULE not in memory.tags
            and (memory.session, memory.expires_at, memory.outdated_by) == (None, None, None)
            and memory.holds_from <= now
            and (memory.valid_to is None or memory.valid_to > now)
        ]
        return await asyncio.to_thread(section, sorted(rules, key=rank), known, max_tokens)

    async def import_bundle(self, path: Path, *, dry_run: bool = False, progress: Progress = no_progress) -> Imported:
        """Import the rows of a bundle that the store lacks, without their secrets; a dry run only reports. Idempotent.

        Raises InvalidInput, naming the line, and then nothing was changed.
        """
        now = self._clock()
        return await self._store.read_bundle(path, self._redactor, now, dry_run=dry_run, progress=progress)

    async def canonical_hash(self, namespaces: Sequence[str] | None = None) -> str:
        """Return the SHA-256 of everything that an export would hold: equal memories have equal hashes."""
        await self._memory.settled()
        return await self._store.canonical_hash(namespaces)

    async def take(
        self,
        namespace: str | None,
        path: Path,
        name: str | None = None,
        *,
        default: str,
        dry_run: bool = False,
        progress: Progress = no_progress,
    ) -> Taken:
        """Import the entries of another system, each text once; a dry run only reports.

        Into `namespace`, if given; else each record into that of the agent that it names, others into `default`. What
        is not acceptable is reported with its place, and left out. Raises InvalidInput for a path of no known format.
        """
        kind, records = await asyncio.to_thread(self._imports.entries, path, name)
        return await take(self._into, kind, records, namespace, default, progress, dry_run)
