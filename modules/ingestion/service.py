"""The ingestion service: keeps the passages of files as memories, and lets them follow when a file changes.

A file is known by its path. Only its own passages are replaced: those whose text is still in it stay as they are, with
their history and whatever was said about them; those that are gone from the file are erased.
"""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import InvalidInput
from ..memory.models import Memory, MemoryFilter
from ..memory.service import MemoryChanges, MemoryService
from ..portability.models import Progress, no_progress
from ..redactor import Redactor
from ..store_request import StoreRequest
from .models import Ingested, Passage
from .ports import Documents

KIND = "knowledge"
IMPORTANCE = 0.4
AT_ONCE = 200
SOURCE = "file: "
TAG = "file"
"""The tag of every passage; a second one, TAG-<digest of the path>, names its file."""


class IngestionService:
    """Passages of files in one store."""

    def __init__(self, memory: MemoryService, documents: Documents, redactor: Redactor) -> None:
        self._memory = memory
        self._documents = documents
        self._redactor = redactor

    async def ingest(
        self,
        namespace: str,
        path: Path,
        *,
        dry_run: bool = False,
        keep_missing: bool = False,
        progress: Progress = no_progress,
    ) -> Ingested:
        """Bring the passages of a file, or of a folder's files, up to date; a dry run only counts.

        Passages of files that are gone from the folder are erased, unless `keep_missing` or it has no file at all, as a
        volume that is not mounted. Raises InvalidInput.
        """
        files = await asyncio.to_thread(self._documents.files, path)
        counts = [0, 0, 0]
        unread: dict[str, str] = {}
        for number, file in enumerate(files, start=1):
            try:
                passages = await asyncio.to_thread(self._documents.passages, file)
                followed = await self._follow(namespace, file, passages, dry_run=dry_run)
            except InvalidInput as error:
                unread[str(file)] = str(error)
            else:
                for place, count in enumerate(followed):
                    counts[place] += count
            progress("files", number, len(files))
        new, unchanged, gone = counts
        missing = await self.missing(namespace, path)
        if files and not keep_missing:
            for file in map(Path, missing):
                passages_left = await self._stored_passages(namespace, file)
                gone += len(passages_left)
                if not dry_run:
                    await self._leave(namespace, passages_left, file)
        return Ingested(len(files), new, unchanged, gone, unread, missing)

    async def missing(self, namespace: str, path: Path) -> Sequence[str]:
        """Return the files below a folder that have passages and are no longer there, in order."""
        where = MemoryFilter(tags=(TAG,), include_superseded=True)
        named = {
            Path(str(memory.metadata.get("file", "")))
            async for memory in self._memory.walk(namespace, where)
            if memory.kind == KIND
        }
        return await asyncio.to_thread(lambda: sorted(str(one) for one in named if _is_missing(one, path)))

    async def forget(self, namespace: str, path: Path) -> int:
        """Let go of the passages of a file, whether it is still there or not; return how many there were."""
        passages = await self._stored_passages(namespace, path)
        await self._leave(namespace, passages, path)
        return len(passages)

    async def _follow(
        self, namespace: str, file: Path, passages: Sequence[Passage], *, dry_run: bool
    ) -> tuple[int, int, int]:
        """Return how many passages are new, stayed and went. What is new is stored before anything goes."""
        wanted = {await self._redactor.text(passage.text): passage for passage in passages}
        stored = await self._stored_passages(namespace, file)
        known = {memory.content for memory in stored}
        gone = [memory for memory in stored if memory.content not in wanted]
        texts = [text for text in wanted if text not in known]
        there = await self._memory.known(namespace, texts)
        new = sum(one is None for one in there)
        if not dry_run:
            for text, memory_id in zip(texts, there, strict=True):
                if memory_id is None:
                    await self._memory.store(namespace, _request(file, text, wanted[text]))
                else:
                    await self._join(namespace, memory_id, file)
            await self._leave(namespace, gone, file)
        return new, len(wanted) - new, len(gone)

    async def _join(self, namespace: str, memory_id: str, file: Path) -> None:
        """Note that another file has a passage too; what agents stored in the same words stays theirs alone."""
        memory, _ = await self._memory.get(namespace, memory_id)
        if memory.kind == KIND and _tag(file) not in memory.tags:
            await self._memory.update(namespace, memory_id, MemoryChanges(tags=[*memory.tags, _tag(file)]))

    async def _leave(self, namespace: str, passages: Sequence[Memory], file: Path) -> None:
        """Erase passages that are gone from a file; those that another file has too lose this one's tag alone."""
        erased = []
        for memory in passages:
            tags = [tag for tag in memory.tags if tag != _tag(file)]
            if any(tag.startswith(f"{TAG}-") for tag in tags):
                await self._memory.update(namespace, memory.id, MemoryChanges(tags=tags))
            else:
                erased.append(memory.id)
        for begin in range(0, len(erased), AT_ONCE):
            await self._memory.delete(namespace, *erased[begin : begin + AT_ONCE])

    async def _stored_passages(self, namespace: str, file: Path) -> list[Memory]:
        where = MemoryFilter(tags=(_tag(file),), include_superseded=True)
        # A tag is anybody's to give; the kind is not: only what was ingested follows a file.
        return [memory async for memory in self._memory.walk(namespace, where) if memory.kind == KIND]


def _is_missing(file: Path, folder: Path) -> bool:
    return file.is_relative_to(folder) and file != folder and not os.path.lexists(file)


def _request(file: Path, text: str, passage: Passage) -> StoreRequest:
    where = {"file": str(file)}
    where |= {"heading": passage.heading} if passage.heading else {}
    where |= {} if passage.page is None else {"page": str(passage.page)}
    source = f"{SOURCE}{file.name}" + ("" if passage.page is None else f", page {passage.page}")
    return StoreRequest(
        text, importance=IMPORTANCE, tags=(TAG, _tag(file)), metadata=where, source=source[:200], kind=KIND
    )


def _tag(file: Path) -> str:
    return f"{TAG}-{hashlib.sha256(str(file).encode('utf-8', 'replace')).hexdigest()[:12]}"
