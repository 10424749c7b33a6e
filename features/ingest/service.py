"""The ingestion service: keeps the passages of files as memories, and lets them follow when a file changes.

A file is known by its path. Only its own passages are replaced: those whose text is still in it stay as they are, with
their history and whatever was said about them; those that are gone from the file are erased.
"""

import asyncio
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...modules.errors import InvalidInput
from ...modules.memory.models import Memory, MemoryFilter
from ...modules.memory.service import MemoryChanges, MemoryService
from ...modules.portability.models import Progress, no_progress
from ...modules.redactor import Redactor
from ...modules.store_request import StoreRequest
from ...storage.documents.passages import FilePassage
from . import documents
from .models import Document, Ingested

KIND = "knowledge"
IMPORTANCE = 0.4
AT_ONCE = 200
SOURCE = "file: "
TAG = "file"
"""The tag of every passage; others, TAG-<digest of the path>, name its files."""
FILE, ALSO = "file", "also_in"
"""The names in a passage's metadata of its file, and of others that have it too."""
MOST_FILES_NOTED = 20


class IngestionService:
    """Passages of files in one store."""

    def __init__(self, memory: MemoryService, redactor: Redactor) -> None:
        self._memory = memory
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
        files, unfit = await asyncio.to_thread(documents.files, path)
        counts = [0, 0, 0]
        unread = {str(one.path): one.problem for one in unfit}
        for number, file in enumerate(files, start=1):
            try:
                document = await asyncio.to_thread(documents.document, file)
                followed = await self._follow(namespace, file, document, dry_run=dry_run)
            except InvalidInput as error:
                unread[str(file)] = error.problem
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
        named = await self._known_files(namespace, path)
        return await asyncio.to_thread(lambda: sorted(str(one) for one in named if not os.path.lexists(one)))

    async def forget(self, namespace: str, path: Path, *, dry_run: bool = False) -> int:
        """Erase the passages of a file, or of a folder's files, still there or not; return how many there are.

        Those that a file elsewhere has too stay.
        """
        files = {path} | await self._known_files(namespace, path)
        passages = {one.id: one for file in files for one in await self._stored_passages(namespace, file)}
        erased = [one for one in passages.values() if files.issuperset(_files(one))]
        if not dry_run:
            for file in sorted(files):
                await self._leave(namespace, await self._stored_passages(namespace, file), file)
        return len(erased)

    async def _known_files(self, namespace: str, folder: Path) -> set[Path]:
        """Return the files below a folder that have passages."""
        where = MemoryFilter(tags=(TAG,), include_superseded=True)
        return {
            file
            async for memory in self._memory.walk(namespace, where)
            if memory.kind == KIND
            for file in _files(memory)
            if file.is_relative_to(folder) and file != folder
        }

    async def _follow(self, namespace: str, file: Path, document: Document, *, dry_run: bool) -> tuple[int, int, int]:
        """Return how many passages are new, stayed and went. What is new is stored before anything goes."""
        wanted = {await self._redactor.text(passage.text): passage for passage in document.passages}
        stored = await self._stored_passages(namespace, file)
        known = {memory.content for memory in stored if file in _files(memory)}
        gone = [memory for memory in stored if memory.content not in wanted]
        texts = [text for text in wanted if text not in known]
        there = await self._memory.known(namespace, texts)
        new = sum(one is None for one in there)
        if not dry_run:
            for text, memory_id in zip(texts, there, strict=True):
                if memory_id is None:
                    await self._memory.store(namespace, _request(file, text, wanted[text], document))
                else:
                    await self._join(namespace, memory_id, file, wanted[text])
            await self._leave(namespace, gone, file)
        return new, len(wanted) - new, len(gone)

    async def _join(self, namespace: str, memory_id: str, file: Path, passage: FilePassage) -> None:
        """Note that another file has a passage too, in place of files that are gone, as after a renaming.

        What agents stored in the same words stays theirs alone; of a passage that very many files have, not all are
        noted.
        """
        memory, _ = await self._memory.get(namespace, memory_id)
        if memory.kind != KIND:
            return
        others = await asyncio.to_thread(
            lambda: [one for one in _files(memory) if one != file and os.path.lexists(one)]
        )
        if len(others) < MOST_FILES_NOTED:
            await self._note(namespace, memory, [*others, file], {} if others else _where(file, passage))

    async def _leave(self, namespace: str, passages: Sequence[Memory], file: Path) -> None:
        """Erase passages that are gone from a file; those that another file has too are that one's alone."""
        erased = []
        for memory in passages:
            if others := [one for one in _files(memory) if one != file]:
                await self._note(namespace, memory, others)
            else:
                erased.append(memory.id)
        for begin in range(0, len(erased), AT_ONCE):
            await self._memory.delete(namespace, *erased[begin : begin + AT_ONCE])

    async def _note(
        self, namespace: str, memory: Memory, files: Sequence[Path], where: Mapping[str, str] | None = None
    ) -> None:
        """Note the files that have a passage, the first of them as where it is."""
        known = {_tag(one) for one in _files(memory)}
        tags = [tag for tag in memory.tags if tag not in known] + [_tag(one) for one in files]
        also = [str(one) for one in files[1:]]
        rest = {name: value for name, value in memory.metadata.items() if name != ALSO}
        metadata = {**rest, FILE: str(files[0]), **(where or {}), **({ALSO: also} if also else {})}
        await self._memory.update(namespace, memory.id, MemoryChanges(tags=tags, metadata=metadata))

    async def _stored_passages(self, namespace: str, file: Path) -> list[Memory]:
        where = MemoryFilter(tags=(_tag(file),), include_superseded=True)
        # A tag is anybody's to give; the kind is not: only what was ingested follows a file.
        return [memory async for memory in self._memory.walk(namespace, where) if memory.kind == KIND]


def _files(memory: Memory) -> list[Path]:
    """Return the files that have a passage, as it notes them."""
    also = memory.metadata.get(ALSO)
    named = [memory.metadata.get(FILE), *(also if isinstance(also, list) else ())]
    return [Path(one) for one in named if isinstance(one, str) and _tag(Path(one)) in memory.tags]


def _where(file: Path, passage: FilePassage) -> dict[str, str]:
    where = {FILE: str(file)}
    where |= {"heading": passage.heading} if passage.heading else {}
    return where | ({} if passage.page is None else {"page": str(passage.page)})


def _request(file: Path, text: str, passage: FilePassage, document: Document) -> StoreRequest:
    where = _where(file, passage) | ({"aliases": document.aliases} if document.aliases else {})
    source = f"{SOURCE}{file.name}" + ("" if passage.page is None else f", page {passage.page}")
    return StoreRequest(
        text,
        importance=IMPORTANCE,
        tags=(TAG, _tag(file), *document.tags),
        metadata=where,
        source=source[:200],
        occurred_at=document.day,
        kind=KIND,
    )


def _tag(file: Path) -> str:
    return f"{TAG}-{hashlib.sha256(str(file).encode('utf-8', 'replace')).hexdigest()[:12]}"
